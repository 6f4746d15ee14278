/* SPDX-License-Identifier: Apache-2.0
 * redo.c - applies the operations of a record or of a checkpoint. One row of the table below per operation.
 *
 * Unknown operations are refused: a record is applied whole or the folder is not opened.
 * Tests: test/unit/engine/test_crash.c */
#include "engine/engine_internal.h"

typedef struct OpRecord { uint8_t op; uint32_t table_id; Bytes payload; } OpRecord;

static bool is_gone(Engine *engine, uint32_t table_id) {
    const ObjectVersion *object = catalog_newest(engine->catalog, table_id);
    return object == NULL || object->dropped;
}

static ErrorCode redo_append(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    if (is_gone(engine, op->table_id)) {
        return ERR_OK; /* the table was gone before the commit */
    }
    return table_redo_append(engine__table(engine, op->table_id), op->payload, lsn, err);
}

static ErrorCode redo_end(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    Table *table = engine__table_peek(engine, op->table_id);
    return table == NULL ? ERR_OK : table_redo_end(table, op->payload, lsn, err);
}

static ErrorCode redo_parts(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    return table_redo_parts(engine__table(engine, op->table_id), op->payload, lsn, err);
}

static ErrorCode redo_ddl(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    ObjectVersion *object = NULL;
    TRY(object_decode(op->payload, &object, err));
    object->begin = lsn;
    catalog_put(engine->catalog, object);
    if (object->dropped && object->def.kind == OBJECT_TABLE) {
        Table *table = engine__table_peek(engine, object->def.id);
        if (table != NULL) {
            table_kill_files(table, lsn);
        }
        engine__dictionaries_kill(engine, object->def.id, lsn);
        (void)intmap_remove(&engine->tables, object->def.id);
        table_destroy(table);
    }
    return ERR_OK;
}

static ErrorCode redo_symbols(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    (void)lsn;
    Reader reader = reader_from(op->payload);
    Dictionary *dictionary = catalog_dictionary(engine->catalog, op->table_id, reader_u32le(&reader));
    TRY(dictionary_load(dictionary, err));
    uint32_t first = reader_u32le(&reader);
    uint32_t count = reader_u32le(&reader);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        uint64_t len = reader_varint(&reader);
        Bytes text = reader_bytes(&reader, len);
        if (!reader.failed) {
            TRY(dictionary_place(dictionary, (int32_t)(first + i), (Str){(const char *)text.data, text.len}, err));
        }
    }
    return reader.failed ? error_set(err, ERR_DAMAGED, (int64_t)reader.at, "symbols cannot be read") : ERR_OK;
}

static ErrorCode redo_body(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) { return engine__body_redo(engine, op->payload, lsn, err); }

static ErrorCode redo_segment(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    return is_gone(engine, op->table_id) ? ERR_OK : table_redo_segment(engine__table(engine, op->table_id), op->payload, lsn, err);
}

static ErrorCode redo_publish(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    return is_gone(engine, op->table_id) ? ERR_OK : table_redo_publish(engine__table(engine, op->table_id), op->payload, lsn, err);
}

static ErrorCode redo_index_run(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    (void)lsn;
    return is_gone(engine, op->table_id) ? ERR_OK : table_redo_index_run(engine__table(engine, op->table_id), op->payload, err);
}

static ErrorCode redo_dictionary(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    (void)lsn;
    return engine__redo_dictionary(engine, op->table_id, op->payload, err);
}

static ErrorCode redo_files(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    (void)lsn;
    return engine__redo_dead_files(engine, op->payload, err);
}

static ErrorCode redo_sequence(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    (void)lsn;
    return engine__redo_sequence(engine, op->table_id, op->payload, err);
}

static ErrorCode redo_nothing(Engine *engine, const OpRecord *op, Lsn lsn, Error *err) {
    (void)engine;
    (void)op;
    (void)lsn;
    (void)err;
    return ERR_OK;
}

typedef ErrorCode (*RedoOp)(Engine *engine, const OpRecord *op, Lsn lsn, Error *err);
static const RedoOp REDO_OPS[OP_COUNT] = {
    [OP_APPEND] = redo_append, [OP_END] = redo_end,         [OP_PARTS] = redo_parts, [OP_DDL] = redo_ddl,
    [OP_SYMBOLS] = redo_symbols, [OP_BODY] = redo_body,     [OP_NOOP] = redo_nothing,
    [OP_SEGMENT] = redo_segment, [OP_PUBLISH] = redo_publish, [OP_FILES] = redo_files,
    [OP_DICTIONARY] = redo_dictionary, [OP_SEQUENCE] = redo_sequence, [OP_INDEX_RUN] = redo_index_run,
};

ErrorCode engine__redo_ops(Engine *engine, Bytes body, Lsn lsn, Error *err) {
    Reader reader = reader_from(body);
    while (reader.at < reader.len) {
        OpRecord op = {0};
        op.op = reader_u8(&reader);
        op.table_id = reader_u32le(&reader);
        uint32_t bytes = reader_u32le(&reader);
        op.payload = reader_bytes(&reader, bytes);
        if (reader.failed) {
            return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "operation of record %llu is cut short", (unsigned long long)lsn);
        }
        if (op.op >= OP_COUNT || REDO_OPS[op.op] == NULL) {
            return error_set(err, ERR_NEWER_FORMAT, (int64_t)reader.at, "record %llu has the unknown operation %u", (unsigned long long)lsn, op.op);
        }
        TRY(REDO_OPS[op.op](engine, &op, lsn, err));
    }
    return ERR_OK;
}

ErrorCode engine__redo_record(void *context, const WalRecord *record, Error *err) {
    if (record->kind != RECORD_COMMIT) {
        return error_set(err, ERR_NEWER_FORMAT, ERROR_NO_POSITION, "record %llu is of the unknown kind %u", (unsigned long long)record->lsn,
                         record->kind);
    }
    return engine__redo_ops(context, record->body, record->lsn, err);
}

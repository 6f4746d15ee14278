/* SPDX-License-Identifier: Apache-2.0
 * storage.c - what a running statement may do to tables, bound to its transaction. */
#include "engine/engine_internal.h"

static Txn *txn_of(Storage *storage) { return ((TxnStorage *)storage)->txn; }

static ErrorCode find_def(Txn *txn, uint32_t id, const TableDef **def_out, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = catalog_by_id(txn->engine->catalog, id, &snapshot);
    if (object == NULL || object->def.kind != OBJECT_TABLE) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "table %u does not exist", id);
    }
    *def_out = &object->table;
    return engine__dictionaries_load(*def_out, err);
}

static ErrorCode storage_source(Storage *storage, uint32_t id, RowSource **source_out, Error *err) {
    Txn *txn = txn_of(storage);
    const TableDef *def = NULL;
    TRY(find_def(txn, id, &def, err));
    for (const TxnSource *known = txn->sources; known != NULL; known = known->next) {
        if (known->table_id == id && known->def == def) {
            *source_out = known->source;
            return ERR_OK;
        }
    }
    TxnSource *source = arena_new(&txn->arena, TxnSource);
    source->source = table_source(engine__table(txn->engine, id), def, &txn->snapshot, &txn->arena);
    source->table_id = id;
    source->def = def;
    source->next = txn->sources;
    txn->sources = source;
    *source_out = source->source;
    return ERR_OK;
}

static ErrorCode storage_append(Storage *storage, uint32_t id, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    Txn *txn = txn_of(storage);
    const TableDef *def = NULL;
    TRY(txn__check_writable(txn, err));
    TRY(find_def(txn, id, &def, err));
    TRY(engine__wait_for_memory(txn->engine, err));
    Table *table = engine__table(txn->engine, id);
    txn__touch(txn, table);
    txn->writer.snapshot = txn->snapshot;
    TRY(table_append(table, &txn->writer, def, columns, column_count, err));
    if (txn->writer.bytes_unspilled < SPILL_BYTES) {
        return ERR_OK;
    }
    txn->writer.bytes_unspilled = 0; /* rows before a mark stay; looked at again after as much more */
    if (table_rows_written(table, &txn->writes, txn->writes.sealed) < SPILL_ROWS_MIN) {
        return ERR_OK;
    }
    return table_spill(table, &txn->writer, def, txn->writes.sealed, err);
}

static ErrorCode storage_end_rows(Storage *storage, uint32_t id, const RowRef *rows, uint32_t row_count, Error *err) {
    Txn *txn = txn_of(storage);
    TRY(txn__check_writable(txn, err));
    Table *table = engine__table(txn->engine, id);
    txn__touch(txn, table);
    txn->writer.snapshot = txn->snapshot;
    ErrorCode code = table_end_rows(table, &txn->writer, rows, row_count, err);
    if (code == ERR_SERIALIZATION) {
        atomic_fetch_add(&txn->engine->conflicts, 1);
    }
    return code;
}

static uint64_t storage_rows_appended(Storage *storage) { return txn_of(storage)->writer.rows_appended; }

void txn__storage_init(Txn *txn) {
    txn->storage = (TxnStorage){{storage_source, storage_append, storage_end_rows, storage_rows_appended}, txn};
}

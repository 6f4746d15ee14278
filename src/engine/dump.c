/* SPDX-License-Identifier: Apache-2.0
 * dump.c - records and checkpoints as text for people: one line per operation. Reads no more than it must to say what is there.
 *
 * Tests: test/unit/engine/test_formats.c */
#include "engine/engine_internal.h"

typedef void (*DumpOp)(Reader *reader, Buffer *out);

static void dump_append(Reader *reader, Buffer *out) {
    uint32_t part = reader_u32le(reader);
    uint32_t first = reader_u32le(reader);
    uint32_t rows = reader_u32le(reader);
    uint16_t columns = reader_u16le(reader);
    buffer_printf(out, " part %u rows %u..%u columns %u", part, first, first + rows - (rows > 0), columns);
}

static void dump_end(Reader *reader, Buffer *out) {
    buffer_printf(out, " part %u", reader_u32le(reader));
    uint32_t spans = reader_u32le(reader);
    for (uint32_t i = 0; i < spans && !reader->failed; i++) {
        uint32_t first = reader_u32le(reader);
        uint32_t count = reader_u32le(reader);
        if (i < 8) {
            buffer_printf(out, " %u+%u", first, count);
        }
    }
    buffer_printf(out, "%s (%u spans)", spans > 8 ? " ..." : "", spans);
}

static void dump_entry(Reader *reader, Buffer *out) {
    uint32_t part = reader_u32le(reader);
    uint32_t rank = reader_u32le(reader);
    uint64_t file = reader_u64le(reader);
    uint64_t bytes = reader_u64le(reader);
    (void)reader_u32le(reader);
    uint64_t rows = reader_u64le(reader);
    uint32_t first = reader_u32le(reader);
    uint32_t blocks = reader_u32le(reader);
    bool has_time = reader_u8(reader) != 0;
    int64_t min = (int64_t)reader_u64le(reader);
    int64_t max = (int64_t)reader_u64le(reader);
    buffer_printf(out, " part %u rank %u file %llu (%llu bytes) rows %llu blocks %u+%u", part, rank, (unsigned long long)file,
                  (unsigned long long)bytes, (unsigned long long)rows, first, blocks);
    if (has_time) {
        buffer_printf(out, " times %lld..%lld", (long long)min, (long long)max);
    }
}

static void dump_publish(Reader *reader, Buffer *out) {
    uint32_t outs = reader_u32le(reader);
    buffer_printf(out, " out");
    for (uint32_t i = 0; i < outs && !reader->failed; i++) {
        buffer_printf(out, " %u", reader_u32le(reader));
    }
    uint32_t ins = reader_u32le(reader);
    buffer_printf(out, " in %u:", ins);
    for (uint32_t i = 0; i < ins && !reader->failed; i++) {
        dump_entry(reader, out);
    }
}

static void dump_body(Reader *reader, Buffer *out) {
    uint64_t file = reader_u64le(reader);
    buffer_printf(out, " file %llu (%llu bytes)", (unsigned long long)file, (unsigned long long)reader_u64le(reader));
}

static void dump_object(Reader *reader, Buffer *out) {
    ObjectVersion *object = NULL;
    if (object_decode(reader_bytes(reader, reader->len - reader->at), &object, NULL) != ERR_OK) {
        buffer_printf(out, " cannot be read");
        return;
    }
    buffer_printf(out, " %s \"%.*s\"%s", object_kind_name(object->def.kind), STR_ARG(object->def.name), object->dropped ? " dropped" : "");
    for (uint16_t i = 0; i < object->table.column_count && !object->dropped; i++) {
        char type[64];
        size_t len = type_format_sql(type, sizeof type, object->table.columns[i].type);
        buffer_printf(out, "%s%u %.*s %.*s", i == 0 ? " (" : ", ", object->table.columns[i].id, STR_ARG(object->table.columns[i].name), (int)len, type);
    }
    buffer_printf(out, "%s", object->table.column_count > 0 && !object->dropped ? ")" : "");
    object_free(object);
}

static void dump_symbols(Reader *reader, Buffer *out) {
    uint32_t column = reader_u32le(reader);
    uint32_t first = reader_u32le(reader);
    uint32_t count = reader_u32le(reader);
    buffer_printf(out, " column %u from %u count %u:", column, first, count);
    for (uint32_t i = 0; i < count && i < 8 && !reader->failed; i++) {
        uint64_t len = reader_varint(reader);
        Bytes text = reader_bytes(reader, len);
        buffer_printf(out, " %.*s", (int)text.len, (const char *)text.data);
    }
    buffer_printf(out, "%s", count > 8 ? " ..." : "");
}

static void dump_parts(Reader *reader, Buffer *out) {
    bool next = reader_u8(reader) != 0;
    buffer_printf(out, next ? " next %u" : " end of part %u", reader_u32le(reader));
}

static void dump_dictionary(Reader *reader, Buffer *out) {
    uint32_t column = reader_u32le(reader);
    uint32_t files = reader_u32le(reader);
    buffer_printf(out, " column %u files %u:", column, files);
    for (uint32_t i = 0; i < files && !reader->failed; i++) {
        uint64_t file = reader_u64le(reader);
        (void)reader_u64le(reader);
        (void)reader_u32le(reader);
        uint32_t first = reader_u32le(reader);
        buffer_printf(out, " %llu codes %u+%u", (unsigned long long)file, first, reader_u32le(reader));
    }
}

static void dump_run(Reader *reader, Buffer *out) {
    uint32_t part = reader_u32le(reader);
    uint32_t index = reader_u32le(reader);
    buffer_printf(out, " part %u index %u file %llu", part, index, (unsigned long long)reader_u64le(reader));
}

static void dump_files(Reader *reader, Buffer *out) { buffer_printf(out, " %u files without readers", reader_u32le(reader)); }

static void dump_sequence(Reader *reader, Buffer *out) {
    buffer_printf(out, " of %u", reader_u32le(reader));
    int64_t last = (int64_t)reader_u64le(reader);
    buffer_printf(out, " at %lld%s", (long long)last, reader_u8(reader) != 0 ? "" : " (not called)");
}

static void dump_nothing(Reader *reader, Buffer *out) { (void)reader, (void)out; }

typedef struct OpName { const char *name; DumpOp dump; } OpName;
static const OpName OP_NAMES[OP_COUNT] = {
    [OP_END_OF_BODY] = {"end", dump_nothing}, [OP_APPEND] = {"append", dump_append},    [OP_END] = {"end", dump_end},
    [OP_SEGMENT] = {"segment", dump_entry},   [OP_BODY] = {"body", dump_body},          [OP_PUBLISH] = {"publish", dump_publish},
    [OP_DDL] = {"object", dump_object},       [OP_SYMBOLS] = {"symbols", dump_symbols}, [OP_SEQUENCE] = {"sequence", dump_sequence},
    [OP_KV_META] = {"kv", dump_nothing},      [OP_SETTING] = {"setting", dump_nothing}, [OP_NOOP] = {"nothing", dump_nothing},
    [OP_PARTS] = {"parts", dump_parts},       [OP_FILES] = {"files", dump_files},       [OP_DICTIONARY] = {"dictionary", dump_dictionary},
    [OP_INDEX_RUN] = {"run", dump_run},
};

static ErrorCode dump_operations(Bytes body, bool objects_only, Buffer *out, Error *err) {
    Reader reader = reader_from(body);
    while (reader.at < reader.len) {
        uint8_t op = reader_u8(&reader);
        uint32_t table_id = reader_u32le(&reader);
        uint32_t bytes = reader_u32le(&reader);
        Reader payload = reader_from(reader_bytes(&reader, bytes));
        if (reader.failed) {
            return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "an operation is cut short");
        }
        if (objects_only && op != OP_DDL) {
            continue;
        }
        if (op >= OP_COUNT) {
            buffer_printf(out, "operation %u table %u (%u bytes)\n", op, table_id, bytes);
            continue;
        }
        buffer_printf(out, "%s table %u", OP_NAMES[op].name, table_id);
        OP_NAMES[op].dump(&payload, out);
        buffer_printf(out, "%s\n", payload.failed ? " cut short" : "");
    }
    return buffer_check(out, err);
}

ErrorCode engine_dump_operations(Bytes body, Buffer *out, Error *err) {
    return dump_operations(body, false, out, err);
}

static ErrorCode dump_checkpoint(Io *io, const char *path, bool objects_only, Buffer *out, Error *err) {
    BlockFile *file = NULL;
    BlockFileExpect expect = {.kind = BLOCKFILE_CHECKPOINT};
    TRY(blockfile_open(io, path, &expect, &file, err));
    Reader section = reader_from(blockfile_section(file));
    uint32_t format = reader_u32le(&section);
    uint32_t next_object = reader_u32le(&section);
    buffer_printf(out, "checkpoint lsn %llu format %u next object %u next file %llu\n", (unsigned long long)blockfile_lsn(file), format, next_object,
                  (unsigned long long)reader_u64le(&section));
    Buffer block;
    buffer_init(&block, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = ERR_OK;
    for (uint32_t i = 0; i < blockfile_block_count(file) && code == ERR_OK; i++) {
        code = blockfile_read_buffer(file, i, &block, err);
        code = code == ERR_OK ? dump_operations(buffer_bytes(&block), objects_only, out, err) : code;
    }
    buffer_deinit(&block);
    blockfile_close(file);
    return code;
}

ErrorCode engine_dump_checkpoint(Io *io, const char *path, Buffer *out, Error *err) {
    return dump_checkpoint(io, path, false, out, err);
}

ErrorCode engine_dump_catalog(Io *io, const char *path, Buffer *out, Error *err) {
    return dump_checkpoint(io, path, true, out, err);
}

static ErrorCode dump_record(const WalRecord *record, Buffer *out, Error *err) {
    return record->kind == RECORD_COMMIT ? engine_dump_operations(record->body, out, err) : ERR_OK;
}

ErrorCode engine_dump_log(Io *io, const char *path, Buffer *out, Error *err) {
    return wal_dump_file(io, path, dump_record, out, err);
}

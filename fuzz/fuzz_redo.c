/* SPDX-License-Identifier: Apache-2.0
 * fuzz_redo.c - any bytes as the operations of a record: applied to an empty database, then every table is read, the operations are
 * printed. Data under nulls and dead rows is read with everything else.
 *
 * Check:  no crash, no leak; an engine that applied the operations closes. */
#include "engine/engine_internal.h"
#include "fuzz.h"
#include "mem_io.h"

enum { ENDED_ROWS_MAX = 100000, INPUT_BYTES_MAX = 1 << 16 };

/* A few bytes may end four thousand million rows of a segment that is not there: true, and too slow. */
static bool is_cheap(Bytes bytes) {
    Reader reader = reader_from(bytes);
    uint64_t ended = 0;
    while (reader.at < reader.len && !reader.failed) {
        uint8_t op = reader_u8(&reader);
        (void)reader_u32le(&reader);
        Reader payload = reader_from(reader_bytes(&reader, reader_u32le(&reader)));
        if (op != OP_END || reader.failed) {
            continue;
        }
        (void)reader_u32le(&payload);
        uint32_t spans = reader_u32le(&payload);
        for (uint32_t i = 0; i < spans && !payload.failed; i++) {
            (void)reader_u32le(&payload);
            ended += reader_u32le(&payload);
        }
    }
    return ended < ENDED_ROWS_MAX;
}

static ErrorCode read_scan(RowSource *source, Scan *scan, uint64_t *rows) {
    ScanCursor *cursor = NULL;
    Morsel morsel;
    ErrorCode code = source->vtable->cursor_open(scan, &cursor, NULL);
    while (code == ERR_OK && source->vtable->next_morsel(scan, &morsel)) {
        source->vtable->cursor_start(cursor, &morsel);
        Batch batch = {.row_count = 1};
        while (code == ERR_OK && batch.row_count > 0) {
            code = source->vtable->read(cursor, &batch, NULL);
            *rows += code == ERR_OK ? batch.live_count : 0;
        }
    }
    source->vtable->cursor_close(cursor);
    return code;
}

static uint64_t read_tables(Engine *engine) {
    Txn *txn = NULL;
    uint64_t rows = 0;
    FUZZ_CHECK(engine_begin(engine, NULL, &txn, NULL) == ERR_OK);
    txn_statement_begin(txn);
    const TableDef *table = NULL;
    for (size_t at = 0; txn_catalog(txn)->table_next(txn_catalog(txn), &at, &table);) {
        RowSource *source = NULL;
        Scan *scan = NULL;
        uint16_t columns[64];
        uint16_t count = (uint16_t)MIN_OF((size_t)table->column_count, COUNT_OF(columns));
        for (uint16_t i = 0; i < count; i++) {
            columns[i] = i;
        }
        ScanRequest request = {.columns = columns, .column_count = count, .order = SCAN_ASCENDING, .want_refs = true};
        if (txn_storage(txn)->source(txn_storage(txn), table->id, &source, NULL) == ERR_OK &&
            source->vtable->open(source, &request, &scan, NULL) == ERR_OK) {
            error_ignore(read_scan(source, scan, &rows));
            source->vtable->close(scan);
        }
    }
    txn_rollback(txn);
    return rows;
}

static Engine *open_engine(MemOs *mem_os, MemIo *mem) {
    Engine *engine = NULL;
    EngineOptions options = {.embedded = true, .no_background = true, .checkpoint_interval_ms = -1};
    Os os = mem_os_init(mem_os, mem, 1);
    return engine_open(os, &options, &engine, NULL) == ERR_OK ? engine : NULL;
}

static void finish(Engine *engine) {
    uint64_t id = 0;
    uint64_t table = 0;
    for (size_t i = 0; intmap_next(&engine->tables, &i, &id, &table);) {
        table_redo_finish((Table *)(uintptr_t)table);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Bytes bytes = bytes_from(data, size);
    if (size > INPUT_BYTES_MAX || !is_cheap(bytes)) {
        return 0;
    }
    Buffer text;
    buffer_init(&text, 1 << 22);
    error_ignore(engine_dump_operations(bytes, &text, NULL));
    buffer_deinit(&text);
    MemIo *mem = mem_io_create();
    MemOs mem_os;
    Engine *engine = open_engine(&mem_os, mem);
    FUZZ_CHECK(engine != NULL);
    ErrorCode code = engine__redo_ops(engine, bytes, 0, NULL);
    if (code == ERR_OK) {
        finish(engine);
        fuzz_use(read_tables(engine));
    }
    mem_io_crash_at(mem, mem_io_calls(mem) + 1); /* no checkpoint of what cannot have been */
    engine_close(engine);
    mem_io_destroy(mem);
    return 0;
}

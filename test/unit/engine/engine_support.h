/* SPDX-License-Identifier: Apache-2.0
 * engine_support.h - an engine on a disk in memory, one wide test table, and its rows as plain structs. */
#pragma once
#include "base/random.h"
#include "engine/engine.h"
#include "mem_io.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct World {
    MemIo *mem;
    MemOs mem_os;
    Os os;
    Engine *engine;
    Error err;
    EngineOptions options;
} World;

/* One row of the test table: ts timestamp, sym symbol, price float8 or NULL, note text or NULL, flag boolean, n int8. */
typedef struct TestRow {
    int64_t time;
    int32_t sym;      /* text is "s<sym>" */
    int64_t price;    /* stored as price / 4.0; -1 = NULL */
    int64_t note;     /* text is the number, longer than 12 bytes if odd; -1 = NULL */
    bool flag;
    int64_t n;        /* unique: arrival */
    RowRef ref;       /* out only */
} TestRow;

#define GOOD(call) assert_good((call), &world_err, #call, __LINE__)
static Error world_err;
static inline void assert_good(ErrorCode code, const Error *err, const char *call, int line) {
    if (code != ERR_OK) {
        fail_msg("line %d: %s: %s: %s (%s:%d)", line, call, error_name(code), err->message, err->file, err->line);
    }
}

static inline void world_open(World *world) {
    world->os = mem_os_init(&world->mem_os, world->mem, 7);
    GOOD(engine_open(world->os, &world->options, &world->engine, &world_err));
}
static inline void world_init(World *world) {
    *world = (World){.mem = mem_io_create()};
    world->options = (EngineOptions){.embedded = true, .no_background = true, .checkpoint_interval_ms = -1};
    world_open(world);
}
/* As kill -9 or a power cut, then a start. */
static inline void world_crash(World *world, MemCrash crash, uint64_t seed) {
    MemIo *after = mem_io_after_crash(world->mem, crash, seed);
    mem_io_crash_at(world->mem, mem_io_calls(world->mem) + 1);
    engine_close(world->engine);
    mem_io_destroy(world->mem);
    world->mem = after;
    world_open(world);
}
static inline void world_reopen(World *world) {
    engine_close(world->engine);
    MemIo *after = mem_io_after_crash(world->mem, MEM_CRASH_KILL, 1);
    mem_io_destroy(world->mem);
    world->mem = after;
    world_open(world);
}
static inline void world_deinit(World *world) {
    engine_close(world->engine);
    mem_io_destroy(world->mem);
}

static inline Txn *begin(World *world) {
    Txn *txn = NULL;
    GOOD(engine_begin(world->engine, NULL, &txn, &world_err));
    txn_statement_begin(txn);
    return txn;
}
static inline Lsn commit(Txn *txn) {
    Lsn lsn = 0;
    GOOD(txn_commit(txn, &lsn, &world_err));
    return lsn;
}

static inline const TableDef *table_make(Txn *txn, const char *name) {
    ColumnDef columns[6] = {
        {.name = STR("ts"), .type = type_of(TYPE_TIMESTAMP)}, {.name = STR("sym"), .type = type_of(TYPE_SYMBOL)},
        {.name = STR("price"), .type = type_of(TYPE_FLOAT8)}, {.name = STR("note"), .type = type_of(TYPE_TEXT)},
        {.name = STR("flag"), .type = type_of(TYPE_BOOL)},    {.name = STR("n"), .type = type_of(TYPE_INT8), .not_null = true},
    };
    TableSpec spec = {.name = str_from_c(name), .columns = columns, .column_count = 6, .designated = 0, .partition = PARTITION_DAY, .wal = true};
    const TableDef *table = NULL;
    GOOD(txn_table_create(txn, &spec, &table, &world_err));
    return table;
}
static inline const TableDef *table_get(Txn *txn, const char *name) {
    const TableDef *table = NULL;
    GOOD(txn_catalog(txn)->table_find(txn_catalog(txn), (Str){0}, str_from_c(name), &table, &world_err));
    return table;
}

static inline Str note_text(char *room, int64_t note) {
    int bytes = snprintf(room, 64, note % 2 != 0 ? "a long note number %lld" : "%lld", (long long)note);
    return (Str){room, (size_t)bytes};
}

static inline ErrorCode append_rows(Txn *txn, const TableDef *table, const TestRow *rows, uint32_t count, Error *err) {
    ColumnBuilder builders[6];
    for (int i = 0; i < 6; i++) {
        column_builder_init(&builders[i], table->columns[i].type);
    }
    for (uint32_t i = 0; i < count; i++) {
        char text[64];
        column_builder_value(&builders[0], &rows[i].time);
        SymbolTable *symbols = table->columns[1].symbols;
        int bytes = snprintf(text, sizeof text, "s%d", rows[i].sym);
        int32_t code = symbols->intern(symbols, (Str){text, (size_t)bytes});
        column_builder_value(&builders[1], &code);
        double price = (double)rows[i].price / 4.0;
        if (rows[i].price < 0) {
            column_builder_null(&builders[2]);
        } else {
            column_builder_value(&builders[2], &price);
        }
        if (rows[i].note < 0) {
            column_builder_null(&builders[3]);
        } else {
            column_builder_text(&builders[3], note_text(text, rows[i].note));
        }
        column_builder_bool(&builders[4], rows[i].flag);
        column_builder_value(&builders[5], &rows[i].n);
    }
    ColumnBlock blocks[6];
    for (int i = 0; i < 6; i++) {
        blocks[i] = column_builder_block(&builders[i]);
    }
    ErrorCode code = txn_storage(txn)->append(txn_storage(txn), table->id, blocks, 6, err);
    for (int i = 0; i < 6; i++) {
        column_builder_deinit(&builders[i]);
    }
    return code;
}

static inline TestRow row_of(const Batch *batch, size_t i) {
    TestRow row = {.price = -1, .note = -1};
    row.time = *(const int64_t *)vector_value(&batch->columns[0], i);
    Str sym = vector_text(&batch->columns[1], i);
    char code[16] = {0};
    memcpy(code, sym.data, sym.len);
    row.sym = atoi(code + 1);
    if (!vector_is_null(&batch->columns[2], i)) {
        row.price = (int64_t)(*(const double *)vector_value(&batch->columns[2], i) * 4.0);
    }
    if (!vector_is_null(&batch->columns[3], i)) {
        Str note = vector_text(&batch->columns[3], i);
        char text[80] = {0};
        memcpy(text, note.data, note.len);
        row.note = atoll(note.len > 12 ? text + 19 : text);
        char again[64];
        assert_true(str_equal(note, note_text(again, row.note)));
    }
    row.flag = vector_bool(&batch->columns[4], i);
    row.n = *(const int64_t *)vector_value(&batch->columns[5], i);
    if (batch->refs != NULL) {
        row.ref = batch->refs[i];
    }
    return row;
}

/* While world_soft is set a scan that fails ends early and leaves its code. */
static bool world_soft;
static ErrorCode world_code;
#define SCAN_GOOD(call)                                                                                                \
    do {                                                                                                               \
        ErrorCode scan_code = (call);                                                                                  \
        if (scan_code != ERR_OK && world_soft) {                                                                       \
            world_code = scan_code;                                                                                    \
            goto done;                                                                                                 \
        }                                                                                                              \
        assert_good(scan_code, &world_err, #call, __LINE__);                                                           \
    } while (0)

/* All rows of a scan in its order; caller frees with mem_free. */
static inline TestRow *scan_rows(Txn *txn, const TableDef *table, ScanOrder order, const KeyRange *ranges, uint32_t range_count, uint32_t *count_out) {
    static const uint16_t numbers[6] = {0, 1, 2, 3, 4, 5};
    ScanRequest request = {.columns = numbers, .column_count = 6, .ranges = ranges, .range_count = range_count, .order = order, .want_refs = true};
    RowSource *source = NULL;
    Scan *scan = NULL;
    ScanCursor *cursor = NULL;
    Arena arena;
    arena_init(&arena, 1 << 26);
    TestRow *rows = NULL;
    uint32_t count = 0;
    uint32_t capacity = 0;
    Morsel morsel;
    SCAN_GOOD(txn_storage(txn)->source(txn_storage(txn), table->id, &source, &world_err));
    SCAN_GOOD(source->vtable->open(source, &request, &scan, &world_err));
    SCAN_GOOD(source->vtable->cursor_open(scan, &cursor, &world_err));
    while (source->vtable->next_morsel(scan, &morsel)) {
        source->vtable->cursor_start(cursor, &morsel);
        for (;;) {
            Batch batch;
            SCAN_GOOD(source->vtable->read(cursor, &batch, &world_err));
            if (batch.row_count == 0) {
                break;
            }
            assert_true(batch.row_count <= BATCH_ROWS);
            uint32_t live = 0;
            for (uint16_t c = 0; c < batch.column_count; c++) {
                SCAN_GOOD(vector_dense(&batch.columns[c], &arena, &world_err));
            }
            for (size_t i = 0; i < batch.row_count; i++) {
                if (batch.live != NULL && !bit_get(batch.live, i)) {
                    continue;
                }
                live++;
                if (count == capacity) {
                    capacity = capacity == 0 ? 64 : capacity * 2;
                    rows = mem_realloc(rows, sizeof(TestRow) * capacity);
                }
                rows[count++] = row_of(&batch, i);
            }
            assert_int_equal(live, batch.live_count);
            arena_reset(&arena);
        }
    }
done:
    arena_deinit(&arena);
    if (cursor != NULL) {
        source->vtable->cursor_close(cursor);
    }
    if (scan != NULL) {
        source->vtable->close(scan);
    }
    *count_out = count;
    return rows;
}

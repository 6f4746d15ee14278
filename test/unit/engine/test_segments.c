/* SPDX-License-Identifier: Apache-2.0
 * test_segments.c - memory and segments, before and after a restart, give equal answers; bulk by reference; merges; pruning; statistics;
 * files that go when nothing needs them. */
#include "engine_support.h"
#include <stdlib.h>

static TestRow made_row(int64_t n, int64_t time) {
    return (TestRow){.time = time, .sym = (int32_t)(n % 23), .price = n % 11 == 0 ? -1 : n % 1000, .note = n % 5 == 0 ? -1 : n % 5000, .flag = n % 2 == 0, .n = n};
}

static void append_made(Txn *txn, int64_t first, uint32_t count, int64_t time, int64_t step) {
    TestRow *rows = mem_calloc(count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = made_row(first + i, time + step * (int64_t)i);
    }
    GOOD(append_rows(txn, table_get(txn, "t"), rows, count, &world_err));
    mem_free(rows);
}

static void make_table(World *world) {
    Txn *txn = begin(world);
    table_make(txn, "t");
    commit(txn);
}

static uint32_t id_of(World *world) {
    Txn *txn = begin(world);
    uint32_t id = table_get(txn, "t")->id;
    txn_rollback(txn);
    return id;
}

static void flush(World *world) { GOOD(engine_flush_table(world->engine, id_of(world), &world_err)); }

static TestRow *all_rows(World *world, ScanOrder order, uint32_t *count) {
    Txn *txn = begin(world);
    TestRow *rows = scan_rows(txn, table_get(txn, "t"), order, NULL, 0, count);
    txn_rollback(txn);
    return rows;
}

static void assert_same(const TestRow *a, const TestRow *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(a[i].time, b[i].time);
        assert_int_equal(a[i].n, b[i].n);
        assert_int_equal(a[i].sym, b[i].sym);
        assert_int_equal(a[i].price, b[i].price);
        assert_int_equal(a[i].note, b[i].note);
        assert_int_equal(a[i].flag, b[i].flag);
    }
}

static void compare_with(World *world, const TestRow *want, uint32_t want_count) {
    uint32_t count = 0;
    TestRow *rows = all_rows(world, SCAN_ASCENDING, &count);
    assert_int_equal(count, want_count);
    assert_same(rows, want, count);
    mem_free(rows);
    rows = all_rows(world, SCAN_DESCENDING, &count);
    assert_int_equal(count, want_count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].n, want[count - 1 - i].n);
        assert_int_equal(rows[i].note, want[count - 1 - i].note);
    }
    mem_free(rows);
}

static uint64_t segments(World *world) {
    EngineCounters counters;
    engine_counters(world->engine, &counters);
    return counters.segments;
}

/* Disordered batches, flushed at different moments. */
static void memory_equals_segments_equals_restart(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    Random random;
    random_init(&random, 3);
    for (int batch = 0; batch < 12; batch++) {
        Txn *txn = begin(&world);
        append_made(txn, batch * 3000, 3000, random_between(&random, 0, 20000), (int64_t)random_below(&random, 5) - 1);
        commit(txn);
    }
    uint32_t count = 0;
    TestRow *want = all_rows(&world, SCAN_ASCENDING, &count);
    assert_int_equal(count, 36000);
    flush(&world);
    assert_int_equal(segments(&world), 1);
    compare_with(&world, want, count);
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    compare_with(&world, want, count);
    GOOD(engine_checkpoint(world.engine, &world_err));
    world_crash(&world, MEM_CRASH_NOTHING, 2);
    compare_with(&world, want, count);
    world_reopen(&world);
    compare_with(&world, want, count);
    mem_free(want);
    world_deinit(&world);
}

static void merges_keep_the_order_of_arrival(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    for (int batch = 0; batch < 17; batch++) {
        Txn *txn = begin(&world);
        append_made(txn, batch * 1000, 1000, batch % 3 * 100, 1);
        commit(txn);
        flush(&world);
    }
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    assert_true(counters.merges >= 4);
    assert_true(counters.segments < 8);
    uint32_t count = 0;
    TestRow *rows = all_rows(&world, SCAN_ASCENDING, &count);
    assert_int_equal(count, 17000);
    for (uint32_t i = 1; i < count; i++) {
        assert_true(rows[i - 1].time < rows[i].time || (rows[i - 1].time == rows[i].time && rows[i - 1].n < rows[i].n));
    }
    mem_free(rows);
    world_deinit(&world);
}

static void bulk_goes_by_reference(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    Txn *txn = begin(&world);
    txn_mark(txn);
    for (int i = 0; i < 12; i++) {
        append_made(txn, i * 50000, 50000, i * 50000, 1);
    }
    EngineCounters before;
    engine_counters(world.engine, &before);
    assert_true(before.segments_written >= 1);
    assert_true(before.memory_bytes < 48u << 20);
    txn_statement_begin(txn);
    uint32_t count = 0;
    mem_free(scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count));
    assert_int_equal(count, 600000);
    commit(txn);
    EngineCounters after;
    engine_counters(world.engine, &after);
    assert_true(after.log_bytes < 100000);
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    TestRow *rows = all_rows(&world, SCAN_ASCENDING, &count);
    assert_int_equal(count, 600000);
    for (uint32_t i = 0; i < count; i++) {
        TestRow want = made_row(i, i);
        assert_same(&rows[i], &want, 1);
    }
    mem_free(rows);
    world_deinit(&world);
}

/* A transaction of many statements, larger than the memory of all rows: what no savepoint holds leaves memory between statements. */
static void many_statements_go_by_reference(void **state) {
    (void)state;
    enum { STATEMENTS = 120, ROWS = 20000 };
    World world = {.mem = mem_io_create()};
    world.options = (EngineOptions){.embedded = true, .no_background = true, .checkpoint_interval_ms = -1, .ingest_memory_bytes = 64u << 20};
    world_open(&world);
    make_table(&world);
    Txn *txn = begin(&world);
    for (int i = 0; i < STATEMENTS; i++) {
        txn_statement_begin(txn);
        (void)txn_mark(txn);
        append_made(txn, (int64_t)i * ROWS, ROWS, (int64_t)i * ROWS, 1);
        txn_marks_end(txn, (TxnMark){0});
    }
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    assert_true(counters.memory_bytes < 64u << 20);
    TxnMark savepoint = txn_mark(txn);
    for (int i = 0; i < 20; i++) { /* taken back, from memory and from segments */
        txn_statement_begin(txn);
        (void)txn_mark(txn);
        append_made(txn, 10000000 + (int64_t)i * ROWS, ROWS, (int64_t)i * ROWS, 1);
        txn_marks_end(txn, savepoint);
    }
    txn_statement_begin(txn);
    uint32_t count = 0;
    mem_free(scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count));
    assert_int_equal(count, (STATEMENTS + 20) * ROWS);
    txn_rollback_to(txn, savepoint);
    txn_statement_begin(txn);
    mem_free(scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count));
    assert_int_equal(count, STATEMENTS * ROWS);
    commit(txn);
    for (int round = 0; round < 2; round++) {
        TestRow *rows = all_rows(&world, SCAN_ASCENDING, &count);
        assert_int_equal(count, STATEMENTS * ROWS);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(rows[i].n, i);
        }
        mem_free(rows);
        world_crash(&world, MEM_CRASH_NOTHING, 1);
    }
    world_deinit(&world);
}

static void bulk_that_is_rolled_back_leaves_nothing(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    Txn *txn = begin(&world);
    append_made(txn, 0, 10, 0, 1);
    TxnMark mark = txn_mark(txn);
    for (int i = 0; i < 12; i++) {
        append_made(txn, i * 50000, 50000, i * 50000, 1);
    }
    uint32_t files = mem_io_file_count(world.mem);
    txn_rollback_to(txn, mark);
    assert_true(mem_io_file_count(world.mem) < files);
    txn_statement_begin(txn);
    uint32_t count = 0;
    mem_free(scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count));
    assert_int_equal(count, 10);
    commit(txn);
    mem_free(all_rows(&world, SCAN_ANY, &count));
    assert_int_equal(count, 10);
    world_deinit(&world);
}

static void ends_follow_rows_through_flush_and_merge(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    Txn *txn = begin(&world);
    append_made(txn, 0, 500, 0, 1);
    commit(txn);
    Txn *old = NULL;
    GOOD(engine_begin(world.engine, &(TxnOptions){.isolation = ISOLATION_REPEATABLE_READ}, &old, &world_err));
    txn_statement_begin(old);
    uint32_t count = 0;
    TestRow *rows = scan_rows(old, table_get(old, "t"), SCAN_ASCENDING, NULL, 0, &count);
    uint32_t id = table_get(old, "t")->id;
    for (int i = 0; i < 10; i++) { /* before the flush */
        GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[i].ref, 1, &world_err));
    }
    flush(&world);
    for (int i = 10; i < 20; i++) { /* after it, by the old place */
        GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[i].ref, 1, &world_err));
    }
    txn = begin(&world);
    uint32_t new_count = 0;
    TestRow *fresh = scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &new_count);
    assert_int_equal(new_count, 500);
    assert_true(fresh[5].ref.part != rows[5].ref.part);
    assert_int_equal(txn_storage(txn)->end_rows(txn_storage(txn), id, &fresh[5].ref, 1, NULL), ERR_SERIALIZATION);
    assert_int_equal(txn_storage(txn)->end_rows(txn_storage(txn), id, &fresh[15].ref, 1, NULL), ERR_SERIALIZATION);
    GOOD(txn_storage(txn)->end_rows(txn_storage(txn), id, &fresh[30].ref, 1, &world_err));
    assert_int_equal(txn_storage(old)->end_rows(txn_storage(old), id, &rows[30].ref, 1, NULL), ERR_SERIALIZATION);
    commit(txn);
    txn_statement_begin(old);
    mem_free(scan_rows(old, table_get(old, "t"), SCAN_ASCENDING, NULL, 0, &new_count));
    assert_int_equal(new_count, 480);
    commit(old);
    mem_free(rows);
    mem_free(fresh);
    for (int round = 0; round < 2; round++) {
        fresh = all_rows(&world, SCAN_ASCENDING, &count);
        assert_int_equal(count, 479);
        assert_int_equal(fresh[0].n, 20);
        mem_free(fresh);
        world_crash(&world, MEM_CRASH_NOTHING, 1);
    }
    world_deinit(&world);
}

/* 1,500 columns: chunks and row blocks of fewer rows, so that neither memory nor blocks explode. */
static void wide_tables_fit_into_memory(void **state) {
    (void)state;
    enum { COLUMNS = 1500, BATCH = 5000, BATCHES = 4 };
    World world;
    world_init(&world);
    Txn *txn = begin(&world);
    ColumnDef *columns = mem_calloc(COLUMNS, sizeof *columns);
    char(*names)[16] = mem_calloc(COLUMNS, sizeof *names);
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = (ColumnDef){.name = {names[i], (size_t)snprintf(names[i], sizeof names[i], "c%d", i)}, .type = type_of(i == 0 ? TYPE_TIMESTAMP : TYPE_INT8)};
    }
    TableSpec spec = {.name = STR("wide"), .columns = columns, .column_count = COLUMNS, .designated = 0};
    const TableDef *table = NULL;
    GOOD(txn_table_create(txn, &spec, &table, &world_err));
    commit(txn);
    static int64_t values[BATCH + 64];
    ColumnBlock *blocks = mem_calloc(COLUMNS, sizeof *blocks);
    for (int b = 0; b < BATCHES; b++) {
        txn = begin(&world);
        for (int i = 0; i < BATCH; i++) {
            values[i] = b * BATCH + i;
        }
        for (int i = 0; i < COLUMNS; i++) {
            blocks[i] = (ColumnBlock){columns[i].type, BATCH, values, NULL};
        }
        GOOD(txn_storage(txn)->append(txn_storage(txn), table_get(txn, "wide")->id, blocks, COLUMNS, &world_err));
        commit(txn);
        GOOD(engine_run_jobs(world.engine, &world_err));
    }
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    assert_true(counters.memory_bytes < 80u << 20);
    world_reopen(&world);
    uint16_t last = COLUMNS - 1;
    ScanRequest request = {.columns = &last, .column_count = 1, .want_stats = true, .order = SCAN_ASCENDING};
    txn = begin(&world);
    RowSource *source = NULL;
    Scan *scan = NULL;
    Morsel morsel;
    uint64_t rows = 0;
    GOOD(txn_storage(txn)->source(txn_storage(txn), table_get(txn, "wide")->id, &source, &world_err));
    GOOD(source->vtable->open(source, &request, &scan, &world_err));
    while (source->vtable->next_morsel(scan, &morsel)) {
        rows += morsel.row_estimate;
    }
    assert_int_equal(rows, BATCH * BATCHES);
    source->vtable->close(scan);
    txn_rollback(txn);
    mem_free(columns);
    mem_free(names);
    mem_free(blocks);
    world_deinit(&world);
}

static uint32_t count_morsels(World *world, const ScanRequest *request, ScanCounters *counters, uint64_t *exact_rows) {
    Txn *txn = begin(world);
    RowSource *source = NULL;
    Scan *scan = NULL;
    GOOD(txn_storage(txn)->source(txn_storage(txn), table_get(txn, "t")->id, &source, &world_err));
    GOOD(source->vtable->open(source, request, &scan, &world_err));
    uint32_t count = 0;
    *exact_rows = 0;
    Morsel morsel;
    while (source->vtable->next_morsel(scan, &morsel)) {
        count++;
        *exact_rows += morsel.stats_exact ? morsel.stats[0].row_count : 0;
    }
    source->vtable->counters(scan, counters);
    source->vtable->close(scan);
    txn_rollback(txn);
    return count;
}

static void statistics_prune_and_answer(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    Txn *txn = begin(&world);
    for (int i = 0; i < 6; i++) {
        append_made(txn, i * 65536, 65536, i * 65536, 1);
    }
    commit(txn);
    flush(&world);
    uint16_t columns[2] = {5, 2};
    ScanCounters counters;
    uint64_t exact = 0;
    ScanRequest request = {.columns = columns, .column_count = 2, .want_stats = true};
    assert_int_equal(count_morsels(&world, &request, &counters, &exact), 6);
    assert_int_equal(exact, 6 * 65536);
    int64_t value = 3 * 65536 + 5;
    ScanFilter filter = {.column = 5, .op = FILTER_EQ, .value_count = 1, .values = &value};
    request.filters = &filter;
    request.filter_count = 1;
    assert_int_equal(count_morsels(&world, &request, &counters, &exact), 1);
    assert_int_equal(exact, 0);
    assert_int_equal(counters.blocks_pruned, 5);
    filter.op = FILTER_GE;
    assert_int_equal(count_morsels(&world, &request, &counters, &exact), 3);
    KeyRange range = {100, 200};
    request.filter_count = 0;
    request.ranges = &range;
    request.range_count = 1;
    assert_int_equal(count_morsels(&world, &request, &counters, &exact), 1);
    assert_int_equal(exact, 0);
    world_deinit(&world);
}

static void files_go_when_no_checkpoint_needs_them(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    for (int batch = 0; batch < 30; batch++) {
        Txn *txn = begin(&world);
        append_made(txn, batch * 1000, 1000, batch % 3 * 100, 1);
        commit(txn);
        flush(&world);
        GOOD(engine_run_jobs(world.engine, &world_err));
        if (batch % 5 == 4) {
            GOOD(engine_checkpoint(world.engine, &world_err));
        }
    }
    for (int i = 0; i < 3; i++) {
        Txn *txn = begin(&world);
        append_made(txn, 100000 + i, 1, 0, 1);
        commit(txn);
        GOOD(engine_run_jobs(world.engine, &world_err));
        GOOD(engine_checkpoint(world.engine, &world_err));
    }
    assert_true(mem_io_file_count(world.mem) < 2 + 2 + 4 + segments(&world) + 2);
    Buffer report;
    buffer_init(&report, 1 << 20);
    GOOD(engine_check(world.engine, &report, &world_err));
    buffer_deinit(&report);
    world_deinit(&world);
}

static void check_names_what_is_damaged(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    for (int batch = 0; batch < 2; batch++) {
        Txn *txn = begin(&world);
        append_made(txn, batch * 1000, 1000, 0, 1);
        commit(txn);
        flush(&world);
    }
    uint32_t id = id_of(&world);
    Buffer report;
    buffer_init(&report, 1 << 20);
    GOOD(engine_check(world.engine, &report, &world_err));
    char path[64];
    snprintf(path, sizeof path, "table/%u/1.seg", id);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(world.mem, path, &len);
    assert_non_null(bytes);
    bytes[4096 + 100] ^= 4;
    buffer_clear(&report);
    Error err;
    assert_int_equal(engine_check(world.engine, &report, &err), ERR_DAMAGED);
    assert_non_null(strstr(err.message, path));
    buffer_append_char(&report, '\0');
    assert_non_null(strstr((const char *)report.data, ".seg: good")); /* the other one was looked at too */
    buffer_deinit(&report);
    bytes[4096 + 100] ^= 4;
    world_deinit(&world);
}

static void added_column_answers_its_default_in_old_parts(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    Txn *txn = begin(&world);
    append_made(txn, 0, 100, 0, 1);
    commit(txn);
    flush(&world);
    txn = begin(&world);
    append_made(txn, 100, 100, 100, 1);
    ColumnDef column = {.name = STR("late"), .type = type_of(TYPE_INT8)};
    int64_t seven = 7;
    memcpy(column.missing_value, &seven, sizeof seven);
    const TableDef *table = NULL;
    GOOD(txn_column_add(txn, table_get(txn, "t"), &column, &table, &world_err));
    assert_int_equal(table->column_count, 7);
    commit(txn);
    for (int round = 0; round < 3; round++) {
        txn = begin(&world);
        uint16_t number = 6;
        ScanRequest request = {.columns = &number, .column_count = 1};
        RowSource *source = NULL;
        Scan *scan = NULL;
        ScanCursor *cursor = NULL;
        GOOD(txn_storage(txn)->source(txn_storage(txn), table_get(txn, "t")->id, &source, &world_err));
        GOOD(source->vtable->open(source, &request, &scan, &world_err));
        GOOD(source->vtable->cursor_open(scan, &cursor, &world_err));
        Arena arena;
        arena_init(&arena, 1 << 20);
        uint32_t rows = 0;
        Morsel morsel;
        while (source->vtable->next_morsel(scan, &morsel)) {
            source->vtable->cursor_start(cursor, &morsel);
            Batch batch;
            for (;;) {
                GOOD(source->vtable->read(cursor, &batch, &world_err));
                if (batch.row_count == 0) {
                    break;
                }
                GOOD(vector_dense(&batch.columns[0], &arena, &world_err));
                for (size_t i = 0; i < batch.row_count; i++) {
                    assert_int_equal(*(const int64_t *)vector_value(&batch.columns[0], i), 7);
                    rows++;
                }
            }
        }
        arena_deinit(&arena);
        assert_int_equal(rows, 200);
        source->vtable->cursor_close(cursor);
        source->vtable->close(scan);
        txn_rollback(txn);
        if (round == 0) {
            flush(&world);
        } else {
            world_reopen(&world);
        }
    }
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_equals_segments_equals_restart), cmocka_unit_test(merges_keep_the_order_of_arrival),
        cmocka_unit_test(wide_tables_fit_into_memory), cmocka_unit_test(bulk_goes_by_reference), cmocka_unit_test(many_statements_go_by_reference),
        cmocka_unit_test(bulk_that_is_rolled_back_leaves_nothing),
        cmocka_unit_test(ends_follow_rows_through_flush_and_merge), cmocka_unit_test(statistics_prune_and_answer),
        cmocka_unit_test(files_go_when_no_checkpoint_needs_them), cmocka_unit_test(added_column_answers_its_default_in_old_parts),
        cmocka_unit_test(check_names_what_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_engine.c - create, append, scan, commit, reopen; savepoints; conflicts; what a statement sees of its own. */
#include "engine_support.h"
#include <stdlib.h>

static uint32_t count_rows(Txn *txn, const char *name) {
    uint32_t count = 0;
    mem_free(scan_rows(txn, table_get(txn, name), SCAN_ANY, NULL, 0, &count));
    return count;
}

static TestRow simple_row(int64_t n) { return (TestRow){.time = n * 10, .sym = (int32_t)(n % 7), .price = n, .note = n, .flag = n % 3 == 0, .n = n}; }

static void append_simple(Txn *txn, const char *name, int64_t first, uint32_t count) {
    TestRow *rows = mem_calloc(count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = simple_row(first + i);
    }
    GOOD(append_rows(txn, table_get(txn, name), rows, count, &world_err));
    mem_free(rows);
}

static void make_table(World *world, uint32_t rows) {
    Txn *txn = begin(world);
    table_make(txn, "t");
    if (rows > 0) {
        append_simple(txn, "t", 0, rows);
    }
    commit(txn);
}

static void rows_survive_kill_and_checkpoint(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 1000);
    for (int round = 0; round < 4; round++) {
        if (round == 1) {
            world_crash(&world, MEM_CRASH_NOTHING, 1);
        } else if (round == 2) {
            GOOD(engine_checkpoint(world.engine, &world_err));
            world_crash(&world, MEM_CRASH_NOTHING, 1);
        } else if (round == 3) {
            world_reopen(&world);
        }
        Txn *txn = begin(&world);
        uint32_t count = 0;
        TestRow *rows = scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count);
        assert_int_equal(count, 1000 + 10 * round);
        for (uint32_t i = 0; i < count; i++) {
            TestRow want = simple_row(i);
            rows[i].ref = (RowRef){0, 0};
            assert_memory_equal(&rows[i].time, &want.time, sizeof want.time);
            assert_int_equal(rows[i].sym, want.sym);
            assert_int_equal(rows[i].price, want.price);
            assert_int_equal(rows[i].note, want.note);
            assert_int_equal(rows[i].flag, want.flag);
        }
        mem_free(rows);
        txn_statement_begin(txn);
        append_simple(txn, "t", 1000 + 10 * round, 10);
        commit(txn);
    }
    world_deinit(&world);
}

static void statement_does_not_see_its_own_rows(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 5);
    Txn *txn = begin(&world);
    append_simple(txn, "t", 100, 5);
    assert_int_equal(count_rows(txn, "t"), 5);
    txn_statement_begin(txn);
    assert_int_equal(count_rows(txn, "t"), 10);
    Txn *other = begin(&world);
    assert_int_equal(count_rows(other, "t"), 5);
    commit(txn);
    assert_int_equal(count_rows(other, "t"), 5);
    txn_statement_begin(other);
    assert_int_equal(count_rows(other, "t"), 10);
    txn_rollback(other);
    world_deinit(&world);
}

static void repeatable_read_keeps_its_snapshot(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 5);
    Txn *reader = NULL;
    GOOD(engine_begin(world.engine, &(TxnOptions){.isolation = ISOLATION_REPEATABLE_READ}, &reader, &world_err));
    txn_statement_begin(reader);
    Txn *writer = begin(&world);
    append_simple(writer, "t", 100, 5);
    commit(writer);
    txn_statement_begin(reader);
    assert_int_equal(count_rows(reader, "t"), 5);
    commit(reader);
    world_deinit(&world);
}

static void savepoint_undoes_rows_ends_and_tables(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 5);
    Txn *txn = begin(&world);
    append_simple(txn, "t", 50, 3);
    TxnMark mark = txn_mark(txn);
    txn_statement_begin(txn);
    uint32_t count = 0;
    TestRow *rows = scan_rows(txn, table_get(txn, "t"), SCAN_ANY, NULL, 0, &count);
    assert_int_equal(count, 8);
    for (uint32_t i = 0; i < count; i++) {
        GOOD(txn_storage(txn)->end_rows(txn_storage(txn), table_get(txn, "t")->id, &rows[i].ref, 1, &world_err));
    }
    mem_free(rows);
    append_simple(txn, "t", 70, 4);
    table_make(txn, "u");
    txn_statement_begin(txn);
    assert_int_equal(count_rows(txn, "t"), 4);
    txn_rollback_to(txn, mark);
    txn_statement_begin(txn);
    assert_int_equal(count_rows(txn, "t"), 8);
    const TableDef *gone = NULL;
    assert_int_equal(txn_catalog(txn)->table_find(txn_catalog(txn), (Str){0}, STR("u"), &gone, NULL), ERR_UNDEFINED_TABLE);
    commit(txn);
    world_crash(&world, MEM_CRASH_NOTHING, 3);
    txn = begin(&world);
    assert_int_equal(count_rows(txn, "t"), 8);
    txn_rollback(txn);
    world_deinit(&world);
}

static void second_writer_of_a_row_gets_40001(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 5);
    Txn *first = begin(&world);
    Txn *second = begin(&world);
    uint32_t count = 0;
    TestRow *rows = scan_rows(first, table_get(first, "t"), SCAN_ANY, NULL, 0, &count);
    uint32_t id = table_get(first, "t")->id;
    GOOD(txn_storage(first)->end_rows(txn_storage(first), id, &rows[2].ref, 1, &world_err));
    assert_int_equal(txn_storage(second)->end_rows(txn_storage(second), id, &rows[2].ref, 1, NULL), ERR_SERIALIZATION);
    commit(first);
    assert_int_equal(txn_storage(second)->end_rows(txn_storage(second), id, &rows[2].ref, 1, NULL), ERR_SERIALIZATION);
    GOOD(txn_storage(second)->end_rows(txn_storage(second), id, &rows[3].ref, 1, &world_err));
    txn_rollback(second);
    mem_free(rows);
    Txn *txn = begin(&world);
    assert_int_equal(count_rows(txn, "t"), 4);
    commit(txn);
    world_deinit(&world);
}

static void not_null_is_checked(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 0);
    Txn *txn = begin(&world);
    int64_t zero = 0;
    uint64_t none = 0;
    StrRef text = {0};
    ColumnBlock blocks[6];
    for (int i = 0; i < 6; i++) {
        blocks[i] = (ColumnBlock){table_get(txn, "t")->columns[i].type, 1, i == 3 ? (const void *)&text : &zero, NULL};
    }
    blocks[5].valid = &none;
    assert_int_equal(txn_storage(txn)->append(txn_storage(txn), table_get(txn, "t")->id, blocks, 6, NULL), ERR_NOT_NULL_VIOLATION);
    blocks[5].valid = NULL;
    blocks[0].valid = &none;
    assert_int_equal(txn_storage(txn)->append(txn_storage(txn), table_get(txn, "t")->id, blocks, 6, NULL), ERR_NOT_NULL_VIOLATION);
    txn_rollback(txn);
    world_deinit(&world);
}

static void large_commit_goes_through_a_body_file(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 0);
    Txn *txn = begin(&world);
    for (int i = 0; i < 5; i++) {
        append_simple(txn, "t", i * 60000, 60000);
    }
    commit(txn);
    world_crash(&world, MEM_CRASH_NOTHING, 3);
    txn = begin(&world);
    assert_int_equal(count_rows(txn, "t"), 300000);
    commit(txn);
    world_deinit(&world);
}

static void ranges_and_orders(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world, 0);
    Random random;
    random_init(&random, 5);
    enum { ROWS = 5000 };
    for (int64_t n = 0; n < ROWS; n += 500) {
        Txn *txn = begin(&world);
        TestRow rows[500];
        for (int i = 0; i < 500; i++) {
            rows[i] = simple_row(n + i);
            rows[i].time = n < 2000 ? n + i : random_between(&random, 0, 900);
        }
        GOOD(append_rows(txn, table_get(txn, "t"), rows, 500, &world_err));
        commit(txn);
    }
    Txn *txn = begin(&world);
    uint32_t all_count = 0;
    TestRow *all = scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &all_count);
    assert_int_equal(all_count, ROWS);
    for (uint32_t i = 1; i < all_count; i++) {
        assert_true(all[i - 1].time < all[i].time || (all[i - 1].time == all[i].time && all[i - 1].n < all[i].n));
    }
    uint32_t count = 0;
    TestRow *rows = scan_rows(txn, table_get(txn, "t"), SCAN_DESCENDING, NULL, 0, &count);
    assert_int_equal(count, ROWS);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].n, all[count - 1 - i].n);
    }
    mem_free(rows);
    KeyRange ranges[2] = {{100, 250}, {800, 1500}};
    uint32_t want = 0;
    for (uint32_t i = 0; i < all_count; i++) {
        want += (all[i].time >= 100 && all[i].time <= 250) || (all[i].time >= 800 && all[i].time <= 1500);
    }
    for (int order = SCAN_ANY; order <= SCAN_DESCENDING; order++) {
        rows = scan_rows(txn, table_get(txn, "t"), (ScanOrder)order, ranges, 2, &count);
        assert_int_equal(count, want);
        for (uint32_t i = 1; i < count && order == SCAN_ASCENDING; i++) {
            assert_true(rows[i - 1].time < rows[i].time || (rows[i - 1].time == rows[i].time && rows[i - 1].n < rows[i].n));
        }
        mem_free(rows);
    }
    mem_free(all);
    txn_rollback(txn);
    world_deinit(&world);
}

/* Commits one row with the session's durability and says after how many milliseconds the log was synced for it: 0 = at once, -1 = not within a second. */
static int synced_after(World *world, const char *name, uint8_t durability, uint32_t ms) {
    TestRow row = {.note = -1, .price = -1};
    EngineCounters counters;
    Txn *txn = NULL;
    GOOD(engine_begin(world->engine, &(TxnOptions){.durability = durability, .durability_ms = ms}, &txn, &world_err));
    txn_statement_begin(txn);
    GOOD(append_rows(txn, table_get(txn, name), &row, 1, &world_err));
    Lsn lsn = commit(txn);
    for (int waited = 0; waited <= 1000; waited += 5) {
        engine_counters(world->engine, &counters);
        if (counters.durable_lsn >= lsn) {
            return waited;
        }
        world->mem_os.now_nanos += INT64_C(5000000);
        GOOD(engine_begin(world->engine, &(TxnOptions){.durability = DURABILITY_OFF}, &txn, &world_err)); /* gives the log its turn */
        txn_statement_begin(txn);
        GOOD(append_rows(txn, table_get(txn, "off"), &row, 1, &world_err));
        commit(txn);
    }
    return -1;
}

/* The session's, else the database's; the table's if it is stronger; of two intervals the shorter one. */
static void the_stronger_durability_holds(void **state) {
    (void)state;
    static const struct { const char *table; uint8_t durability; uint32_t ms; } TABLES[] = {
        {"off", DURABILITY_OFF, 0}, {"plain", DURABILITY_UNSET, 0}, {"i50", DURABILITY_INTERVAL, 50}, {"i400", DURABILITY_INTERVAL, 400},
        {"idb", DURABILITY_INTERVAL, 0}, {"commit", DURABILITY_COMMIT, 0}};
    static const struct { const char *table; uint8_t durability; uint32_t ms; int want; } CASES[] = {
        {"plain", DURABILITY_UNSET, 0, 200},    {"plain", DURABILITY_OFF, 0, -1},        {"plain", DURABILITY_INTERVAL, 0, 200},
        {"plain", DURABILITY_INTERVAL, 25, 25}, {"plain", DURABILITY_COMMIT, 0, 0},      {"i50", DURABILITY_OFF, 0, 50},
        {"i50", DURABILITY_UNSET, 0, 50},       {"i50", DURABILITY_INTERVAL, 30, 30},    {"i400", DURABILITY_UNSET, 0, 200},
        {"i400", DURABILITY_OFF, 0, 400},       {"i400", DURABILITY_INTERVAL, 500, 400}, {"idb", DURABILITY_OFF, 0, 200},
        {"commit", DURABILITY_OFF, 0, 0},       {"i50", DURABILITY_COMMIT, 0, 0},        {"off", DURABILITY_INTERVAL, 40, 40},
    };
    World world = {.mem = mem_io_create()};
    world.options = (EngineOptions){.embedded = true, .no_background = true, .checkpoint_interval_ms = -1,
                                    .durability = DURABILITY_INTERVAL, .durability_ms = 200};
    world_open(&world);
    for (size_t i = 0; i < COUNT_OF(TABLES); i++) {
        Txn *txn = begin(&world);
        const TableDef *table = table_make(txn, TABLES[i].table);
        GOOD(txn_table_set_durability(txn, table, TABLES[i].durability, TABLES[i].ms, &world_err));
        commit(txn);
    }
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        (void)synced_after(&world, "commit", DURABILITY_COMMIT, 0); /* nothing is due from before */
        int got = synced_after(&world, CASES[i].table, CASES[i].durability, CASES[i].ms);
        if (got != CASES[i].want) {
            fail_msg("case %zu, table %s: synced after %d ms, not %d", i, CASES[i].table, got, CASES[i].want);
        }
    }
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_survive_kill_and_checkpoint), cmocka_unit_test(statement_does_not_see_its_own_rows),
        cmocka_unit_test(repeatable_read_keeps_its_snapshot), cmocka_unit_test(savepoint_undoes_rows_ends_and_tables),
        cmocka_unit_test(second_writer_of_a_row_gets_40001), cmocka_unit_test(not_null_is_checked),
        cmocka_unit_test(large_commit_goes_through_a_body_file), cmocka_unit_test(ranges_and_orders), cmocka_unit_test(the_stronger_durability_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

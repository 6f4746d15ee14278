/* SPDX-License-Identifier: Apache-2.0
 * test_crash.c - a power cut or a full disk at any call: acknowledged transactions are there, no transaction is there in part, and the
 * folder works on. */
#include "engine_support.h"
#include <stdlib.h>

enum { TXN_ROWS = 40, TXNS = 14 };

/* Transaction k appends rows n = k * TXN_ROWS ... and, from the third on, ends the first row of the one before the last. */
static ErrorCode run_txn(World *world, int k) {
    Error err;
    Txn *txn = NULL;
    ErrorCode code = engine_begin(world->engine, NULL, &txn, &err);
    if (code != ERR_OK) {
        return code;
    }
    txn_statement_begin(txn);
    TestRow rows[TXN_ROWS];
    for (int i = 0; i < TXN_ROWS; i++) {
        rows[i] = (TestRow){.time = k % 3 * 50 + i, .sym = k, .price = i, .note = k * TXN_ROWS + i, .n = k * TXN_ROWS + i};
    }
    const TableDef *table = table_get(txn, "t");
    code = append_rows(txn, table, rows, TXN_ROWS, &err);
    uint32_t count = 0;
    world_soft = true;
    world_code = ERR_OK;
    TestRow *seen = code == ERR_OK && k >= 2 ? scan_rows(txn, table, SCAN_ANY, NULL, 0, &count) : NULL;
    world_soft = false;
    code = code == ERR_OK ? world_code : code;
    for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
        if (seen[i].n == (k - 2) * TXN_ROWS) {
            code = txn_storage(txn)->end_rows(txn_storage(txn), table->id, &seen[i].ref, 1, &err);
        }
    }
    mem_free(seen);
    if (code != ERR_OK) {
        txn_rollback(txn);
        return code;
    }
    return txn_commit(txn, NULL, &err);
}

/* Work up to the first failure; returns how many transactions were acknowledged. */
static int run_some(World *world, int first) {
    for (int k = first; k < TXNS; k++) {
        if (run_txn(world, k) != ERR_OK) {
            return k;
        }
        ErrorCode code = ERR_OK;
        if (k % 4 == 3) {
            Txn *txn = begin(world);
            uint32_t id = table_get(txn, "t")->id;
            txn_rollback(txn);
            code = engine_flush_table(world->engine, id, NULL);
        } else if (k % 5 == 4) {
            code = engine_checkpoint(world->engine, NULL);
        }
        if (code != ERR_OK) {
            return k + 1;
        }
    }
    return TXNS;
}

/* Rows of transactions 0..k-1, where k is acknowledged or one more. Returns k. */
static int check_rows(World *world, int acknowledged) {
    Txn *txn = begin(world);
    uint32_t count = 0;
    TestRow *rows = scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count);
    txn_rollback(txn);
    static int seen[TXNS * TXN_ROWS];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        seen[rows[i].n]++;
        assert_int_equal(rows[i].note, rows[i].n);
        assert_int_equal(rows[i].sym, rows[i].n / TXN_ROWS);
    }
    mem_free(rows);
    int k = acknowledged < TXNS && seen[acknowledged * TXN_ROWS + 1] > 0 ? acknowledged + 1 : acknowledged;
    for (int n = 0; n < TXNS * TXN_ROWS; n++) {
        bool ended = n % TXN_ROWS == 0 && n / TXN_ROWS + 2 < k;
        assert_int_equal(seen[n], n < k * TXN_ROWS && !ended);
    }
    return k;
}

static void make_table(World *world) {
    Txn *txn = begin(world);
    table_make(txn, "t");
    commit(txn);
}

static void power_cut_at_every_call(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    uint64_t before = mem_io_calls(world.mem);
    assert_int_equal(run_some(&world, 0), TXNS);
    uint64_t calls = mem_io_calls(world.mem) - before;
    world_deinit(&world);
    uint64_t step = getenv("CRASH_ALL") != NULL ? 1 : 3;
    for (uint64_t call = 1; call <= calls; call += step) {
        world_init(&world);
        make_table(&world);
        mem_io_crash_at(world.mem, mem_io_calls(world.mem) + call);
        int acknowledged = run_some(&world, 0);
        world_crash(&world, call % 2 == 0 ? MEM_CRASH_RANDOM : MEM_CRASH_NOTHING, call);
        int k = check_rows(&world, acknowledged);
        assert_int_equal(run_some(&world, k), TXNS);
        assert_int_equal(check_rows(&world, TXNS), TXNS);
        world_reopen(&world);
        assert_int_equal(check_rows(&world, TXNS), TXNS);
        world_deinit(&world);
    }
}

static void one_failing_call_leaves_everything_whole(void **state) {
    (void)state;
    for (uint64_t call = 1; call < 400; call += 7) {
        World world;
        world_init(&world);
        make_table(&world);
        mem_io_fail_at(world.mem, mem_io_calls(world.mem) + call, call % 2 == 0 ? ERR_DISK_FULL : ERR_IO);
        int acknowledged = run_some(&world, 0);
        world_crash(&world, MEM_CRASH_NOTHING, call);
        int k = check_rows(&world, acknowledged);
        assert_int_equal(run_some(&world, k), TXNS);
        assert_int_equal(check_rows(&world, TXNS), TXNS);
        world_deinit(&world);
    }
}

static void full_disk_refuses_and_recovers(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    mem_io_limit_bytes(world.mem, mem_io_total_bytes(world.mem) + 2000);
    int acknowledged = run_some(&world, 0);
    mem_io_limit_bytes(world.mem, 0);
    world_crash(&world, MEM_CRASH_NOTHING, 3);
    int k = check_rows(&world, acknowledged);
    assert_int_equal(run_some(&world, k), TXNS);
    assert_int_equal(check_rows(&world, TXNS), TXNS);
    world_deinit(&world);
}

static void damaged_checkpoint_costs_only_replay(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    assert_int_equal(run_some(&world, 0), TXNS);
    GOOD(engine_checkpoint(world.engine, &world_err));
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    char path[64];
    snprintf(path, sizeof path, "checkpoint-%llu", (unsigned long long)counters.visible_lsn);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(world.mem, path, &len);
    assert_non_null(bytes);
    bytes[len / 2] ^= 1;
    world_crash(&world, MEM_CRASH_KILL, 1);
    assert_int_equal(check_rows(&world, TXNS), TXNS);
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_cut_at_every_call), cmocka_unit_test(one_failing_call_leaves_everything_whole),
        cmocka_unit_test(full_disk_refuses_and_recovers), cmocka_unit_test(damaged_checkpoint_costs_only_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

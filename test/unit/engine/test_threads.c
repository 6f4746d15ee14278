/* SPDX-License-Identifier: Apache-2.0
 * test_threads.c - writers, readers, flushes and checkpoints side by side on real files: money is neither made nor lost, every reader
 * sees whole transactions, everything is there after a restart. Meant for the thread sanitizer too. */
#include "engine_support.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { ACCOUNTS = 200, WRITERS = 4, INSERTERS = 2, READERS = 2, BALANCE = 1000 };

typedef struct Shared {
    Engine *engine;
    _Atomic bool stop;
    _Atomic uint64_t transfers, conflicts, inserted, scans;
    uint32_t rounds;
} Shared;
typedef struct Worker { Shared *shared; pthread_t thread; uint64_t seed; } Worker;

static Txn *start(Shared *shared, uint8_t isolation) {
    Error err;
    Txn *txn = NULL;
    ErrorCode code = engine_begin(shared->engine, &(TxnOptions){.isolation = isolation, .durability = DURABILITY_OFF}, &txn, &err);
    assert_int_equal(code, ERR_OK);
    txn_statement_begin(txn);
    return txn;
}

static void *transfer_main(void *argument) {
    Worker *worker = argument;
    Shared *shared = worker->shared;
    Random random;
    random_init(&random, worker->seed);
    for (uint32_t round = 0; round < shared->rounds; round++) {
        Txn *txn = start(shared, ISOLATION_REPEATABLE_READ);
        const TableDef *table = table_get(txn, "t");
        uint32_t count = 0;
        TestRow *rows = scan_rows(txn, table, SCAN_ANY, NULL, 0, &count);
        assert_int_equal(count, ACCOUNTS);
        uint64_t a = random_below(&random, count);
        uint64_t b = (a + 1 + random_below(&random, count - 1)) % count;
        RowRef refs[2] = {rows[a].ref, rows[b].ref};
        ErrorCode code = txn_storage(txn)->end_rows(txn_storage(txn), table->id, refs, 2, NULL);
        TestRow changed[2] = {rows[a], rows[b]};
        int64_t amount = (int64_t)random_below(&random, (uint64_t)rows[a].price + 1);
        changed[0].price -= amount;
        changed[1].price += amount;
        if (code == ERR_OK) {
            code = append_rows(txn, table, changed, 2, NULL);
        }
        mem_free(rows);
        if (code == ERR_OK) {
            assert_int_equal(txn_commit(txn, NULL, NULL), ERR_OK);
            atomic_fetch_add(&shared->transfers, 1);
        } else {
            assert_int_equal(code, ERR_SERIALIZATION);
            txn_rollback(txn);
            atomic_fetch_add(&shared->conflicts, 1);
        }
    }
    return NULL;
}

static void *insert_main(void *argument) {
    Worker *worker = argument;
    Shared *shared = worker->shared;
    Random random;
    random_init(&random, worker->seed);
    TestRow rows[300];
    for (uint32_t round = 0; round < shared->rounds; round++) {
        Txn *txn = start(shared, ISOLATION_READ_COMMITTED);
        uint32_t count = 1 + (uint32_t)random_below(&random, COUNT_OF(rows));
        for (uint32_t i = 0; i < count; i++) {
            rows[i] = (TestRow){.time = (int64_t)random_below(&random, 100000), .sym = (int32_t)random_below(&random, 500), .price = 3, .note = round, .n = i};
        }
        assert_int_equal(append_rows(txn, table_get(txn, "u"), rows, count, NULL), ERR_OK);
        if (random_below(&random, 10) == 0) {
            txn_rollback(txn);
            continue;
        }
        assert_int_equal(txn_commit(txn, NULL, NULL), ERR_OK);
        atomic_fetch_add(&shared->inserted, count);
    }
    return NULL;
}

static void check_sum(Txn *txn) {
    uint32_t count = 0;
    int64_t sum = 0;
    TestRow *rows = scan_rows(txn, table_get(txn, "t"), SCAN_ANY, NULL, 0, &count);
    for (uint32_t i = 0; i < count; i++) {
        sum += rows[i].price;
    }
    mem_free(rows);
    assert_int_equal(count, ACCOUNTS);
    assert_int_equal(sum, ACCOUNTS * BALANCE);
}

static void *read_main(void *argument) {
    Worker *worker = argument;
    Shared *shared = worker->shared;
    while (!atomic_load(&shared->stop)) {
        Txn *txn = start(shared, ISOLATION_REPEATABLE_READ);
        check_sum(txn);
        uint32_t count = 0;
        TestRow *rows = scan_rows(txn, table_get(txn, "u"), SCAN_ASCENDING, NULL, 0, &count);
        for (uint32_t i = 1; i < count; i++) {
            assert_true(rows[i - 1].time <= rows[i].time);
        }
        mem_free(rows);
        txn_rollback(txn);
        atomic_fetch_add(&shared->scans, 1);
    }
    return NULL;
}

static void *jobs_main(void *argument) {
    Worker *worker = argument;
    Shared *shared = worker->shared;
    Random random;
    random_init(&random, worker->seed);
    while (!atomic_load(&shared->stop)) {
        Txn *txn = start(shared, ISOLATION_READ_COMMITTED);
        uint32_t ids[2] = {table_get(txn, "t")->id, table_get(txn, "u")->id};
        txn_rollback(txn);
        assert_int_equal(engine_flush_table(shared->engine, ids[random_below(&random, 2)], NULL), ERR_OK);
        assert_int_equal(engine_run_jobs(shared->engine, NULL), ERR_OK);
        if (random_below(&random, 4) == 0) {
            assert_int_equal(engine_checkpoint(shared->engine, NULL), ERR_OK);
        }
        usleep(2000);
    }
    return NULL;
}

static void fill(Shared *shared) {
    Txn *txn = start(shared, ISOLATION_READ_COMMITTED);
    const TableDef *table = table_make(txn, "t");
    table_make(txn, "u");
    TestRow rows[ACCOUNTS];
    for (int i = 0; i < ACCOUNTS; i++) {
        rows[i] = (TestRow){.time = i, .sym = i, .price = BALANCE, .note = i, .n = i};
    }
    GOOD(append_rows(txn, table, rows, ACCOUNTS, &world_err));
    commit(txn);
}

static void run(Shared *shared) {
    static Worker workers[WRITERS + INSERTERS + READERS + 1];
    int count = 0;
    for (int i = 0; i < WRITERS + INSERTERS + READERS + 1; i++) {
        void *(*main_function)(void *) = i < WRITERS                       ? transfer_main
                                         : i < WRITERS + INSERTERS           ? insert_main
                                         : i < WRITERS + INSERTERS + READERS ? read_main
                                                                             : jobs_main;
        workers[i] = (Worker){.shared = shared, .seed = (uint64_t)i + 1};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, main_function, &workers[i]), 0);
        count++;
    }
    for (int i = 0; i < WRITERS + INSERTERS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    atomic_store(&shared->stop, true);
    for (int i = WRITERS + INSERTERS; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
}

static void check_after(Shared *shared) {
    Txn *txn = start(shared, ISOLATION_READ_COMMITTED);
    check_sum(txn);
    uint32_t count = 0;
    mem_free(scan_rows(txn, table_get(txn, "u"), SCAN_ASCENDING, NULL, 0, &count));
    assert_int_equal(count, atomic_load(&shared->inserted));
    txn_rollback(txn);
}

static void money_is_neither_made_nor_lost(void **state) {
    (void)state;
    char root[] = "/tmp/basalt-threads-XXXXXX";
    assert_non_null(mkdtemp(root));
    const char *rounds = getenv("THREAD_ROUNDS");
    Shared shared = {.rounds = rounds != NULL ? (uint32_t)atoi(rounds) : 150};
    Os os;
    GOOD(os_linux_open(root, true, &os, &world_err));
    EngineOptions options = {.checkpoint_interval_ms = -1};
    GOOD(engine_open(os, &options, &shared.engine, &world_err));
    fill(&shared);
    run(&shared);
    check_after(&shared);
    printf("transfers %llu conflicts %llu rows %llu scans %llu\n", (unsigned long long)shared.transfers, (unsigned long long)shared.conflicts,
           (unsigned long long)shared.inserted, (unsigned long long)shared.scans);
    engine_close(shared.engine);
    os_linux_close(&os);
    GOOD(os_linux_open(root, false, &os, &world_err));
    GOOD(engine_open(os, &options, &shared.engine, &world_err));
    check_after(&shared);
    engine_close(shared.engine);
    os_linux_close(&os);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(money_is_neither_made_nor_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_merges.c - partitions, late rows, slices and tails, with row blocks of few rows: the answers are those of a sorted twin, and no more is written
 * than the design allows. */
#include "engine_support.h"
#include <math.h>
#include <stdlib.h>

enum { BLOCK = 64 };
static const int64_t DAY = INT64_C(86400000000);

static void small_world(World *world) {
    *world = (World){.mem = mem_io_create()};
    world->options = (EngineOptions){.embedded = true, .no_background = true, .checkpoint_interval_ms = -1, .block_rows = BLOCK};
    world_open(world);
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

static TestRow row_at(int64_t n, int64_t time) {
    return (TestRow){.time = time, .sym = (int32_t)(n % 23), .price = n % 11 == 0 ? -1 : n % 1000, .note = n % 5 == 0 ? -1 : n % 5000, .flag = n % 2 == 0, .n = n};
}

static void append(World *world, const TestRow *rows, uint32_t count) {
    Txn *txn = begin(world);
    GOOD(append_rows(txn, table_get(txn, "t"), rows, count, &world_err));
    commit(txn);
}

/* count rows from time on, numbered from n on. */
static void append_steps(World *world, int64_t n, uint32_t count, int64_t time, int64_t step) {
    TestRow *rows = mem_calloc(count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = row_at(n + i, time + step * i);
    }
    append(world, rows, count);
    mem_free(rows);
}

static void flush(World *world) { GOOD(engine_flush_table(world->engine, id_of(world), &world_err)); }

static TestRow *read_all(World *world, ScanOrder order, uint32_t *count) {
    Txn *txn = begin(world);
    TestRow *rows = scan_rows(txn, table_get(txn, "t"), order, NULL, 0, count);
    txn_rollback(txn);
    return rows;
}

static int by_time_and_arrival(const void *a_, const void *b_) {
    const TestRow *a = a_, *b = b_;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return a->n < b->n ? -1 : a->n > b->n;
}

static void assert_rows(World *world, const TestRow *want, uint32_t want_count) {
    uint32_t count = 0;
    TestRow *rows = read_all(world, SCAN_ASCENDING, &count);
    assert_int_equal(count, want_count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].time, want[i].time);
        assert_int_equal(rows[i].n, want[i].n);
        assert_int_equal(rows[i].price, want[i].price);
        assert_int_equal(rows[i].note, want[i].note);
        assert_int_equal(rows[i].flag, want[i].flag);
        assert_int_equal(rows[i].sym, want[i].sym);
    }
    mem_free(rows);
    rows = read_all(world, SCAN_DESCENDING, &count);
    assert_int_equal(count, want_count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].n, want[count - 1 - i].n);
    }
    mem_free(rows);
}

static uint32_t slices_in_report(World *world) {
    Buffer report;
    buffer_init(&report, 1 << 20);
    GOOD(engine_check(world->engine, &report, &world_err));
    buffer_append_char(&report, '\0');
    uint32_t count = 0;
    for (const char *at = (const char *)report.data; (at = strstr(at, " slices,")) != NULL; at++) {
        const char *digit = at;
        while (digit[-1] >= '0' && digit[-1] <= '9') {
            digit--;
        }
        count += (uint32_t)atoi(digit);
    }
    buffer_deinit(&report);
    return count;
}

/* A share of the rows comes late by up to the whole span; batches are flushed, merged, checkpointed and crashed in between. */
static void check_disorder(int percent, uint64_t seed) {
    enum { ROWS = 6000 };
    World world;
    Random random;
    small_world(&world);
    random_init(&random, seed);
    TestRow *rows = mem_calloc(ROWS, sizeof *rows);
    for (uint32_t i = 0; i < ROWS; i++) {
        bool late = (int)random_below(&random, 100) < percent;
        int64_t place = late ? (int64_t)random_below(&random, ROWS) : (int64_t)i;
        rows[i] = row_at(i, place / 3 * 3 * (DAY / 1000)); /* six days; three rows a time and more */
    }
    for (uint32_t done = 0; done < ROWS;) {
        uint32_t wanted = (uint32_t)random_between(&random, 1, 300);
        uint32_t count = MIN_OF(wanted, ROWS - done);
        append(&world, rows + done, count);
        done += count;
        switch (random_below(&random, 5)) {
        case 0: flush(&world); break;
        case 1: GOOD(engine_checkpoint(world.engine, &world_err)); break;
        case 2: world_crash(&world, MEM_CRASH_NOTHING, done); break;
        default: GOOD(engine_run_jobs(world.engine, &world_err)); break;
        }
    }
    qsort(rows, ROWS, sizeof *rows, by_time_and_arrival);
    assert_rows(&world, rows, ROWS);
    flush(&world);
    assert_rows(&world, rows, ROWS);
    (void)slices_in_report(&world);
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    assert_rows(&world, rows, ROWS);
    world_reopen(&world);
    assert_rows(&world, rows, ROWS);
    mem_free(rows);
    world_deinit(&world);
}

static void disorder_equals_the_sorted_twin(void **state) {
    (void)state;
    static const int PERCENTS[] = {0, 1, 5, 20, 50, 80, 100};
    for (size_t i = 0; i < COUNT_OF(PERCENTS); i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            check_disorder(PERCENTS[i], seed * 100 + (uint64_t)PERCENTS[i]);
        }
    }
}

static double writes_per_row(World *world) {
    EngineCounters counters;
    engine_counters(world->engine, &counters);
    return (double)(counters.rows_flushed + counters.rows_merged) / (double)counters.rows_flushed;
}

static void rows_in_order_are_written_twice_at_most(void **state) {
    (void)state;
    static const uint32_t BATCHES[] = {20, 64, 100, 250, 1000};
    for (size_t i = 0; i < COUNT_OF(BATCHES); i++) {
        World world;
        small_world(&world);
        for (uint32_t done = 0; done < 20000; done += BATCHES[i]) {
            append_steps(&world, done, BATCHES[i], done * (DAY / 5000), DAY / 5000);
            flush(&world);
        }
        assert_true(writes_per_row(&world) <= 2.0);
        assert_true(slices_in_report(&world) < 100);
        world_deinit(&world);
    }
}

/* One partition, filled by batches in any order. */
static void rows_in_any_order_are_written_a_few_times(void **state) {
    (void)state;
    static const uint32_t BATCHES[] = {100, 250, 1000};
    enum { ROWS = 8000 };
    for (size_t i = 0; i < COUNT_OF(BATCHES); i++) {
        World world;
        Random random;
        small_world(&world);
        random_init(&random, i + 5);
        for (uint32_t done = 0; done < ROWS; done += BATCHES[i]) {
            TestRow *rows = mem_calloc(BATCHES[i], sizeof *rows);
            for (uint32_t r = 0; r < BATCHES[i]; r++) {
                rows[r] = row_at(done + r, (int64_t)random_below(&random, (uint64_t)DAY));
            }
            append(&world, rows, BATCHES[i]);
            flush(&world);
            mem_free(rows);
        }
        double bound = 2.0 + log((double)ROWS / BATCHES[i]) / log(4.0);
        double writes = writes_per_row(&world);
        print_message("batches of %u rows: %.2f writes a row, bound %.2f\n", BATCHES[i], writes, bound);
        assert_true(writes <= bound);
        world_deinit(&world);
    }
}

/* 200 blocks in one partition; late rows over blocks 40 to 43 until they are merged. */
static void late_rows_cost_what_they_touch(void **state) {
    (void)state;
    enum { ROWS = 200 * BLOCK };
    World world;
    small_world(&world);
    int64_t step = DAY / (ROWS + 1);
    append_steps(&world, 0, ROWS, 0, step);
    flush(&world);
    EngineCounters before, after;
    engine_counters(world.engine, &before);
    assert_int_equal(before.rows_merged, 0);
    assert_int_equal(before.rows_flushed, ROWS);
    uint32_t late = 0;
    do {
        append_steps(&world, ROWS + late, 64, step * (40 * BLOCK + 10) + late, 3 * step);
        late += 64;
        flush(&world);
        engine_counters(world.engine, &after);
    } while (slices_in_report(&world) < 2 && late < 4096);
    print_message("%u late rows: %llu rows written again\n", late, (unsigned long long)after.rows_merged);
    assert_true(late < 2048);
    assert_true(after.rows_merged <= 3 * late + 16 * BLOCK); /* a part of the file at most, not 200 blocks */
    TestRow *want = mem_calloc(ROWS + late, sizeof *want);
    for (uint32_t i = 0; i < ROWS; i++) {
        want[i] = row_at(i, step * i);
    }
    for (uint32_t i = 0; i < late; i++) {
        want[ROWS + i] = row_at(ROWS + i, step * (40 * BLOCK + 10) + i / 64 * 64 + 3 * step * (i % 64));
    }
    qsort(want, ROWS + late, sizeof *want, by_time_and_arrival);
    assert_rows(&world, want, ROWS + late);
    Txn *txn = begin(&world); /* a commit's sync makes the merges before it durable too */
    table_make(txn, "u");
    commit(txn);
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    assert_rows(&world, want, ROWS + late);
    assert_true(slices_in_report(&world) >= 2);
    GOOD(engine_checkpoint(world.engine, &world_err));
    world_crash(&world, MEM_CRASH_NOTHING, 2);
    assert_rows(&world, want, ROWS + late);
    assert_true(slices_in_report(&world) >= 2);
    mem_free(want);
    world_deinit(&world);
}

/* A transaction that saw the rows before the merge ends them after it: in blocks that were rewritten and in slices. */
static void ends_find_rows_in_slices(void **state) {
    (void)state;
    enum { ROWS = 50 * BLOCK };
    World world;
    small_world(&world);
    int64_t step = DAY / (ROWS + 1);
    append_steps(&world, 0, ROWS, 0, step);
    flush(&world);
    Txn *old = NULL;
    GOOD(engine_begin(world.engine, &(TxnOptions){.isolation = ISOLATION_REPEATABLE_READ}, &old, &world_err));
    txn_statement_begin(old);
    uint32_t count = 0;
    TestRow *rows = scan_rows(old, table_get(old, "t"), SCAN_ASCENDING, NULL, 0, &count);
    uint32_t id = table_get(old, "t")->id;
    for (uint32_t i = 0; i < count; i += 7) {
        GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[i].ref, 1, &world_err));
    }
    EngineCounters counters;
    uint32_t late = 0;
    do {
        append_steps(&world, ROWS + late, 100, step * 20 * BLOCK + late, 2 * step);
        late += 100;
        flush(&world);
        engine_counters(world.engine, &counters);
    } while (counters.merges == 0 && late < 4000);
    assert_true(counters.merges > 0);
    for (uint32_t i = 3; i < count; i += 7) {
        GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[i].ref, 1, &world_err));
    }
    txn_statement_begin(old);
    uint32_t left = 0;
    mem_free(scan_rows(old, table_get(old, "t"), SCAN_ASCENDING, NULL, 0, &left));
    uint32_t ended = (ROWS + 6) / 7 + (ROWS + 3) / 7;
    assert_int_equal(left, ROWS - ended);
    commit(old);
    mem_free(rows);
    for (int round = 0; round < 3; round++) {
        rows = read_all(&world, SCAN_ASCENDING, &count);
        assert_int_equal(count, ROWS + late - ended);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(rows[i].n >= ROWS || (rows[i].n % 7 != 0 && rows[i].n % 7 != 3));
        }
        mem_free(rows);
        if (round == 1) {
            GOOD(engine_checkpoint(world.engine, &world_err));
        }
        world_crash(&world, MEM_CRASH_NOTHING, (uint64_t)round);
    }
    world_deinit(&world);
}

/* Rows in order, flushed in the background: full blocks only, but for the ends of days; the rest stays in memory and survives a crash. */
static void the_newest_partition_keeps_its_tail(void **state) {
    (void)state;
    enum { ROWS = 3000, PER_DAY = 1000 };
    World world;
    small_world(&world);
    TestRow *want = mem_calloc(ROWS, sizeof *want);
    EngineCounters counters;
    for (uint32_t done = 0; done < ROWS; done += 50) {
        for (uint32_t i = done; i < done + 50; i++) {
            want[i] = row_at(i, i * (DAY / PER_DAY));
        }
        append(&world, want + done, 50);
        GOOD(engine_run_jobs(world.engine, &world_err));
        engine_counters(world.engine, &counters);
        uint64_t days = counters.rows_flushed / PER_DAY;
        assert_int_equal((counters.rows_flushed - days * PER_DAY) % BLOCK, 0);
        assert_rows(&world, want, done + 50);
    }
    assert_true(counters.flushes >= 3);
    assert_true(counters.rows_flushed > ROWS / 2 && counters.rows_flushed < ROWS);
    assert_true(writes_per_row(&world) <= 2.0);
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    assert_rows(&world, want, ROWS);
    GOOD(engine_checkpoint(world.engine, &world_err));
    world_crash(&world, MEM_CRASH_NOTHING, 2);
    assert_rows(&world, want, ROWS);
    flush(&world);
    assert_rows(&world, want, ROWS);
    world_reopen(&world);
    assert_rows(&world, want, ROWS);
    mem_free(want);
    world_deinit(&world);
}

/* Ends of rows that were in a flushed part and are in its tail now. */
static void ends_find_rows_in_the_tail(void **state) {
    (void)state;
    enum { ROWS = 700 };
    World world;
    small_world(&world);
    append_steps(&world, 0, ROWS, 0, 1000);
    Txn *old = NULL;
    GOOD(engine_begin(world.engine, &(TxnOptions){.isolation = ISOLATION_REPEATABLE_READ}, &old, &world_err));
    txn_statement_begin(old);
    uint32_t count = 0;
    TestRow *rows = scan_rows(old, table_get(old, "t"), SCAN_ASCENDING, NULL, 0, &count);
    uint32_t id = table_get(old, "t")->id;
    GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[ROWS - 1].ref, 1, &world_err));
    GOOD(engine_run_jobs(world.engine, &world_err));
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    assert_int_equal(counters.rows_flushed, ROWS / BLOCK * BLOCK);
    GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[ROWS - 2].ref, 1, &world_err));
    GOOD(txn_storage(old)->end_rows(txn_storage(old), id, &rows[5].ref, 1, &world_err));
    append_steps(&world, ROWS, 10, ROWS * 1000, 1000); /* into the tail's part */
    commit(old);
    mem_free(rows);
    for (int round = 0; round < 3; round++) {
        rows = read_all(&world, SCAN_ASCENDING, &count);
        assert_int_equal(count, ROWS + 10 - 3);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(rows[i].n != 5 && rows[i].n != ROWS - 1 && rows[i].n != ROWS - 2);
        }
        mem_free(rows);
        world_crash(&world, MEM_CRASH_NOTHING, (uint64_t)round);
    }
    world_deinit(&world);
}

/* Rows leave in small numbers a partition: they share blocks, so that a day a row is not a block a row. */
static void tiny_partitions_share_blocks(void **state) {
    (void)state;
    enum { ROWS = 6400 };
    World world;
    small_world(&world);
    append_steps(&world, 0, ROWS, 0, DAY * 2);
    flush(&world);
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    assert_true(counters.segment_bytes_written < 16u << 20);
    uint32_t count = 0;
    mem_free(read_all(&world, SCAN_ASCENDING, &count));
    assert_int_equal(count, ROWS);
    world_deinit(&world);
}

/* Most of a file's rows go, here and there: it is written again, and gives its room back. */
static void sparse_files_are_written_again(void **state) {
    (void)state;
    enum { ROWS = 100 * BLOCK };
    World world;
    small_world(&world);
    append_steps(&world, 0, ROWS, 0, DAY / (ROWS + 1));
    flush(&world);
    uint32_t count = 0;
    TestRow *rows = read_all(&world, SCAN_ASCENDING, &count);
    Txn *txn = begin(&world);
    uint32_t id = table_get(txn, "t")->id;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 5 != 0) {
            GOOD(txn_storage(txn)->end_rows(txn_storage(txn), id, &rows[i].ref, 1, &world_err));
        }
    }
    commit(txn);
    mem_free(rows);
    flush(&world);
    EngineCounters counters;
    engine_counters(world.engine, &counters);
    assert_int_equal(counters.rows_merged, ROWS / 5);
    mem_free(read_all(&world, SCAN_ASCENDING, &count));
    assert_int_equal(count, ROWS / 5);
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disorder_equals_the_sorted_twin),
        cmocka_unit_test(rows_in_order_are_written_twice_at_most),
        cmocka_unit_test(rows_in_any_order_are_written_a_few_times),
        cmocka_unit_test(late_rows_cost_what_they_touch),
        cmocka_unit_test(ends_find_rows_in_slices),
        cmocka_unit_test(the_newest_partition_keeps_its_tail),
        cmocka_unit_test(ends_find_rows_in_the_tail),
        cmocka_unit_test(tiny_partitions_share_blocks),
        cmocka_unit_test(sparse_files_are_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_history.c - random histories against a sorted array with versions: inserts, updates, deletes, savepoints, snapshots held open,
 * checkpoints, flushes, crashes and restarts. */
#include "engine_support.h"
#include <stdlib.h>

enum { MODEL_MAX = 60000, STEPS = 350, READERS = 4 };

/* Versions: [begin, end) in commits of the model. */
typedef struct ModelRow { TestRow row; uint64_t begin, end; } ModelRow;
typedef struct Model { ModelRow *rows; uint32_t count; uint64_t clock; } Model;
typedef struct HeldReader { Txn *txn; uint64_t clock; } HeldReader;
typedef struct History {
    World world;
    Model model;
    Random random;
    HeldReader readers[READERS];
    int64_t next_n;
} History;

static uint64_t below(History *h, uint64_t bound) { return random_below(&h->random, bound); }

static int by_time_and_n(const void *a_, const void *b_) {
    const TestRow *a = a_;
    const TestRow *b = b_;
    return a->time != b->time ? (a->time < b->time ? -1 : 1) : a->n < b->n ? -1 : a->n > b->n;
}

static void assert_rows(const TestRow *got, uint32_t got_count, const TestRow *want, uint32_t want_count) {
    assert_int_equal(got_count, want_count);
    for (uint32_t i = 0; i < got_count; i++) {
        assert_int_equal(got[i].time, want[i].time);
        assert_int_equal(got[i].n, want[i].n);
        assert_int_equal(got[i].sym, want[i].sym);
        assert_int_equal(got[i].price, want[i].price);
        assert_int_equal(got[i].note, want[i].note);
        assert_int_equal(got[i].flag, want[i].flag);
    }
}

/* What the snapshot must see: model versions at clock, less `ended`, plus `added`. */
static void check_scan(History *h, Txn *txn, uint64_t clock, const uint32_t *ended, uint32_t ended_count, const TestRow *added, uint32_t added_count) {
    TestRow *want = mem_calloc(h->model.count + added_count + 1, sizeof *want);
    uint32_t want_count = 0;
    for (uint32_t i = 0; i < h->model.count; i++) {
        bool gone = !(h->model.rows[i].begin <= clock && clock < h->model.rows[i].end);
        for (uint32_t e = 0; e < ended_count && !gone; e++) {
            gone = ended[e] == i;
        }
        if (!gone) {
            want[want_count++] = h->model.rows[i].row;
        }
    }
    for (uint32_t i = 0; i < added_count; i++) {
        want[want_count++] = added[i];
    }
    qsort(want, want_count, sizeof *want, by_time_and_n);
    uint32_t count = 0;
    TestRow *got = scan_rows(txn, table_get(txn, "t"), SCAN_ASCENDING, NULL, 0, &count);
    assert_rows(got, count, want, want_count);
    mem_free(got);
    KeyRange range = {(int64_t)below(h, 3000), (int64_t)below(h, 3000)};
    uint32_t in_range = 0;
    for (uint32_t i = 0; i < want_count; i++) {
        if (want[i].time >= range.low && want[i].time <= range.high) {
            want[in_range++] = want[i];
        }
    }
    got = scan_rows(txn, table_get(txn, "t"), SCAN_ANY, &range, 1, &count);
    if (count > 0) {
        qsort(got, count, sizeof *got, by_time_and_n);
    }
    assert_rows(got, count, want, in_range);
    mem_free(got);
    mem_free(want);
}

static TestRow random_row(History *h, int64_t n) {
    TestRow row = {.time = (int64_t)below(h, 3000), .sym = (int32_t)below(h, 50), .flag = below(h, 2) == 0, .n = n};
    if (below(h, 3) == 0) {
        row.time = n / 3; /* mostly rising */
    }
    row.price = below(h, 5) == 0 ? -1 : (int64_t)below(h, 1000);
    row.note = below(h, 4) == 0 ? -1 : (int64_t)below(h, 100000);
    return row;
}

typedef struct Change {
    uint32_t ended[512];
    uint32_t ended_count;
    TestRow added[4096];
    uint32_t added_count;
} Change;

static void insert_some(History *h, Txn *txn, Change *change, uint32_t count) {
    count = MIN_OF(count, (uint32_t)COUNT_OF(change->added) - change->added_count);
    if (count == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        change->added[change->added_count + i] = random_row(h, h->next_n++);
    }
    GOOD(append_rows(txn, table_get(txn, "t"), &change->added[change->added_count], count, &world_err));
    change->added_count += count;
}

static int32_t model_find(const Model *model, int64_t n, uint64_t clock) {
    for (uint32_t i = 0; i < model->count; i++) {
        if (model->rows[i].row.n == n && model->rows[i].begin <= clock && clock < model->rows[i].end) {
            return (int32_t)i;
        }
    }
    return -1;
}

/* Deletes or updates rows that the transaction sees, its own among them. */
static void end_some(History *h, Txn *txn, Change *change, uint64_t clock, uint32_t count, bool update) {
    uint32_t row_count = 0;
    const TableDef *table = table_get(txn, "t");
    TestRow *rows = scan_rows(txn, table, SCAN_ANY, NULL, 0, &row_count);
    for (uint32_t i = 0; i < count && row_count > 0 && change->ended_count < COUNT_OF(change->ended); i++) {
        uint32_t pick = (uint32_t)below(h, row_count);
        TestRow old = rows[pick];
        rows[pick] = rows[--row_count];
        GOOD(txn_storage(txn)->end_rows(txn_storage(txn), table->id, &old.ref, 1, &world_err));
        int32_t at = model_find(&h->model, old.n, clock);
        if (at >= 0) {
            change->ended[change->ended_count++] = (uint32_t)at;
        }
        for (uint32_t a = 0; a < change->added_count && at < 0; a++) {
            if (change->added[a].n == old.n) {
                memmove(&change->added[a], &change->added[a + 1], sizeof(TestRow) * (change->added_count - a - 1));
                change->added_count--;
                break;
            }
        }
        if (update) {
            insert_some(h, txn, change, 1);
        }
    }
    mem_free(rows);
}

static void apply(History *h, const Change *change) {
    h->model.clock++;
    for (uint32_t i = 0; i < change->ended_count; i++) {
        h->model.rows[change->ended[i]].end = h->model.clock;
    }
    for (uint32_t i = 0; i < change->added_count; i++) {
        assert_true(h->model.count < MODEL_MAX);
        h->model.rows[h->model.count++] = (ModelRow){change->added[i], h->model.clock, UINT64_MAX};
    }
}

static void run_transaction(History *h, Change *change) {
    static Change saved;
    Txn *txn = begin(&h->world);
    uint64_t clock = h->model.clock;
    change->ended_count = change->added_count = 0;
    uint32_t statements = 1 + (uint32_t)below(h, 4);
    for (uint32_t s = 0; s < statements; s++) {
        TxnMark mark = txn_mark(txn);
        saved = *change;
        uint32_t what = (uint32_t)below(h, 10);
        if (what < 6) {
            insert_some(h, txn, change, 1 + (uint32_t)below(h, what == 0 ? 1500 : 60));
        } else {
            end_some(h, txn, change, clock, 1 + (uint32_t)below(h, 30), what < 9);
        }
        if (below(h, 4) == 0) {
            txn_rollback_to(txn, mark);
            *change = saved;
        }
        txn_statement_begin(txn);
        if (below(h, 8) == 0) {
            check_scan(h, txn, clock, change->ended, change->ended_count, change->added, change->added_count);
        }
    }
    if (below(h, 6) == 0) {
        txn_rollback(txn);
        return;
    }
    commit(txn);
    apply(h, change);
}

static void reader_step(History *h) {
    HeldReader *reader = &h->readers[below(h, READERS)];
    if (reader->txn == NULL) {
        GOOD(engine_begin(h->world.engine, &(TxnOptions){.isolation = ISOLATION_REPEATABLE_READ}, &reader->txn, &world_err));
        txn_statement_begin(reader->txn);
        reader->clock = h->model.clock;
        return;
    }
    txn_statement_begin(reader->txn);
    check_scan(h, reader->txn, reader->clock, NULL, 0, NULL, 0);
    if (below(h, 3) == 0) {
        txn_rollback(reader->txn);
        reader->txn = NULL;
    }
}

static void close_readers(History *h) {
    for (int i = 0; i < READERS; i++) {
        if (h->readers[i].txn != NULL) {
            txn_rollback(h->readers[i].txn);
            h->readers[i].txn = NULL;
        }
    }
}

static void check_now(History *h) {
    Txn *txn = begin(&h->world);
    check_scan(h, txn, h->model.clock, NULL, 0, NULL, 0);
    txn_rollback(txn);
}

static void flush_step(History *h) {
    Txn *txn = begin(&h->world);
    uint32_t id = table_get(txn, "t")->id;
    txn_rollback(txn);
    ErrorCode code = engine_flush_table(h->world.engine, id, &world_err);
    if (code != ERR_NOT_SUPPORTED) {
        GOOD(code);
    }
    check_now(h);
}

static void engine_step(History *h) {
    uint32_t what = (uint32_t)below(h, 10);
    if (what < 4) {
        GOOD(engine_run_jobs(h->world.engine, &world_err));
    } else if (what < 6) {
        GOOD(engine_checkpoint(h->world.engine, &world_err));
    } else if (what < 8) {
        flush_step(h);
    } else {
        close_readers(h);
        if (what == 8) {
            world_crash(&h->world, MEM_CRASH_NOTHING, h->model.clock);
        } else {
            world_reopen(&h->world);
        }
        check_now(h);
    }
}

static void run_history(uint64_t seed) {
    History *h = mem_calloc(1, sizeof *h);
    Change *change = mem_calloc(1, sizeof *change);
    world_init(&h->world);
    random_init(&h->random, seed);
    h->model.rows = mem_calloc(MODEL_MAX, sizeof(ModelRow));
    Txn *txn = begin(&h->world);
    table_make(txn, "t");
    commit(txn);
    for (uint32_t step = 0; step < STEPS && h->model.count < MODEL_MAX - 5000; step++) {
        uint32_t what = (uint32_t)below(h, 20);
        if (what < 15) {
            run_transaction(h, change);
        } else if (what < 18) {
            reader_step(h);
        } else {
            engine_step(h);
        }
    }
    check_now(h);
    close_readers(h);
    world_deinit(&h->world);
    mem_free(h->model.rows);
    mem_free(change);
    mem_free(h);
}

static void random_histories_equal_the_model(void **state) {
    (void)state;
    const char *text = getenv("HISTORY_SEED");
    uint64_t first = text != NULL ? (uint64_t)atoll(text) : 1;
    uint64_t count = text != NULL ? 1 : 3;
    for (uint64_t seed = first; seed < first + count; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        run_history(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_histories_equal_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

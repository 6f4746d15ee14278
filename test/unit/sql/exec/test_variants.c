/* SPDX-License-Identifier: Apache-2.0
 * test_variants.c - one answer for every form of vectors, size of batches and morsels, number of workers, and pass left out; and no
 * run leaks or hangs when it is stopped, cancelled, short of memory or fails to read. */
#include "exec_tables.h"

typedef struct Query {
    const char *text;
    bool unordered;     /* rows are compared as a set */
    bool questdb;
} Query;

static const Query QUERIES[] = {
    {"SELECT * FROM t", false, false},
    {"SELECT i, l, i + 1, l / 3, d * 2 FROM t WHERE i > 10 AND l < 500000", false, false},
    {"SELECT CASE WHEN i <> 0 THEN 100 / i ELSE -1 END, coalesce(i, z, 0), i IS NULL FROM t", false, false},
    {"SELECT i FROM t WHERE i <> 0 AND 100 / i > 5", false, false},
    {"SELECT i FROM t WHERE i = 0 OR i IS NULL OR 100 / i > 5", false, false},
    {"SELECT ts, sym FROM t WHERE sym = 'S3'", false, false},
    {"SELECT ts, sym FROM t WHERE sym <> 'S3' AND sym IN ('S1', 'S2', 'S9', 'nosuch')", false, false},
    {"SELECT upper(sym), length(sym), sym || 'x' FROM t WHERE sym LIKE 'S1%'", false, false},
    {"SELECT i FROM t WHERE i IN (1, 2, 3, NULL)", false, false},
    {"SELECT i FROM t WHERE i NOT IN (1, 2, 3)", false, false},
    {"SELECT s FROM t WHERE s IN ('t1', 't2', 'a long text of more than twelve bytes 5')", false, false},
    {"SELECT l FROM t WHERE i IN (z, z + 1, 5)", false, false},
    {"SELECT b, NOT b, b AND i > 0, b OR i > 0 FROM t", false, false},
    {"SELECT count(*), count(i), sum(i), sum(z), min(l), max(l), avg(i), sum(d), min(d), max(s), min(sym) FROM t", false, false},
    {"SELECT count(*), count(i), min(ts), max(ts), sum(i), min(i), max(i) FROM t", false, false},
    {"SELECT sym, count(*), sum(d), avg(d), min(i), max(s) FROM t GROUP BY sym", true, false},
    {"SELECT sym, b, count(*), sum(i) FROM t GROUP BY sym, b", true, false},
    {"SELECT i, count(*), sum(d) FROM t GROUP BY i", true, false},
    {"SELECT s, i % 3, count(*) FROM t GROUP BY s, i % 3 HAVING count(*) > 1", true, false},
    {"SELECT stddev_samp(d), var_pop(i), corr(i, z), count(DISTINCT sym), count(DISTINCT i) FROM t", false, false},
    {"SELECT sym, count(DISTINCT i), sum(DISTINCT z), string_agg(s, ',') FROM t GROUP BY sym", true, false},
    {"SELECT first(i), last(i), first(s), last(d), first_not_null(i), last_not_null(s) FROM t", false, true},
    {"SELECT sym, first(d), last(s) FROM t GROUP BY sym", true, true},
    {"SELECT count(*) FILTER (WHERE i > 0), sum(l) FILTER (WHERE b) FROM t", false, false},
    {"SELECT DISTINCT sym FROM t", false, false},
    {"SELECT DISTINCT b, i FROM t", false, false},
    {"SELECT DISTINCT s FROM t WHERE i > 0", false, false},
    {"SELECT * FROM t ORDER BY ts", false, false},
    {"SELECT * FROM t ORDER BY ts DESC", false, false},
    {"SELECT * FROM t ORDER BY ts DESC LIMIT 7", false, false},
    {"SELECT i, s, sym FROM t ORDER BY i, s DESC, sym NULLS FIRST", false, false},
    {"SELECT d, l FROM t ORDER BY d DESC NULLS LAST, l", false, false},
    {"SELECT s FROM t ORDER BY s", false, false},
    {"SELECT i, l FROM t ORDER BY i LIMIT 13 OFFSET 4", false, false},
    {"SELECT b, z, l FROM t ORDER BY b, l DESC LIMIT 1000", false, false},
    {"SELECT i FROM t LIMIT 5", false, false},
    {"SELECT 10 / (i + 100) FROM t LIMIT 3 OFFSET 998", false, false},
    {"SELECT i FROM t LIMIT 3, 9", false, true},
    {"SELECT i FROM t LIMIT -4", false, true},
    {"SELECT i FROM t LIMIT -9, -4", false, true},
    {"SELECT ts, i * 2 FROM t WHERE i > 5 LIMIT -7", false, true},
    {"SELECT * FROM (SELECT ts, i FROM t LIMIT -30) x WHERE i > 0", false, true},
    {"SELECT i FROM t WHERE ts >= '2024-01-01T02:00:00' AND ts < '2024-01-01T03:00:00'", false, false},
    {"SELECT count(*) FROM t WHERE ts BETWEEN '2024-01-01T01:00:00' AND '2024-01-01T02:30:00'", false, false},
    {"SELECT count(*) FROM t WHERE ts IN '2024-01-01T02'", false, true},
    {"SELECT t.i, u.name FROM t JOIN u ON t.i = u.k", false, false},
    {"SELECT t.l, u.name FROM t JOIN u ON t.i = u.k AND t.sym = u.sym", false, false},
    {"SELECT t.i, u.name FROM t LEFT JOIN u ON t.i = u.k AND u.name > 'name number 2'", true, false},
    {"SELECT t.i, u.name FROM t LEFT JOIN u ON t.i = u.k WHERE u.k IS NULL", true, false},
    {"SELECT count(*), sum(t.i), max(u.name) FROM t, u WHERE t.i = u.k AND t.l > u.k", false, false},
    {"SELECT count(*) FROM t CROSS JOIN u", false, false},
    {"SELECT count(*) FROM t CROSS JOIN e", false, false},
    {"SELECT t.i, e.k FROM t LEFT JOIN e ON t.i = e.k LIMIT 3", false, false},
    {"SELECT a.k, b.k FROM u a JOIN u b ON a.k < b.k", false, false},
    {"SELECT i FROM t WHERE i IN (SELECT k FROM u)", false, false},
    {"SELECT i FROM t WHERE i NOT IN (SELECT k FROM u WHERE k IS NOT NULL)", false, false},
    {"SELECT count(*) FROM t WHERE i NOT IN (SELECT k FROM u)", false, false},
    {"SELECT count(*) FROM t WHERE i > (SELECT avg(k) FROM u)", false, false},
    {"SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM e)", false, false},
    {"SELECT sym, i FROM t UNION ALL SELECT sym, k FROM u", false, false},
    {"SELECT x, count(*) FROM (SELECT sym AS x FROM t UNION ALL SELECT sym FROM u) q GROUP BY x", true, false},
    {"WITH a AS (SELECT sym, sum(i) AS total FROM t GROUP BY sym) SELECT * FROM a WHERE total > 0 ORDER BY total, sym", false, false},
    {"SELECT * FROM (SELECT i AS x, l / 2 AS y FROM t) q WHERE x > 3 AND y < 1000", false, false},
    {"SELECT sum(k) FROM e", false, false},
    {"SELECT count(*), max(k) FROM e", false, false},
    {"SELECT k, count(*) FROM e GROUP BY k", false, false},
    {"SELECT * FROM e ORDER BY k", false, false},
    {"SELECT * FROM t LATEST ON ts PARTITION BY sym", true, true},
    {"SELECT sym, i FROM t WHERE i > 0 LATEST ON ts PARTITION BY sym, b", true, true},
    {"SELECT ts, count(), sum(i), first(d), last(s), avg(l) FROM t SAMPLE BY 15m", false, true},
    {"SELECT ts, sym, count(), max(d), first(i) FROM t SAMPLE BY 1h", true, true},
    {"SELECT ts, sym, b, sum(z) FROM t SAMPLE BY 30m FILL(0)", true, true},
    {"SELECT ts, s, count() FROM t SAMPLE BY 2h FILL(PREV)", true, true},
    {"SELECT ts, i, count_distinct(sym) FROM t WHERE i > 40 SAMPLE BY 1h FILL(NULL)", true, true},
    {"SELECT ts, avg(d) FROM t WHERE i = 3 SAMPLE BY 7m FILL(LINEAR)", false, true},
    {"SELECT ts, count() FROM t SAMPLE BY 1h ALIGN TO FIRST OBSERVATION", false, true},
    {"SELECT ts, sum(i) FROM t SAMPLE BY 1d FROM '2023-12-31' TO '2024-01-04' FILL(NULL)", false, true},
    {"SELECT * FROM (VALUES (1, 'a'), (2, NULL), (NULL, 'c')) v(x, y)", false, false},
    {"SELECT k FROM u ORDER BY k DESC LIMIT 0", false, false},
};

static void expect_same(Fixture *f, const Query *query, const char *variant) {
    f->sql.questdb = query->questdb;
    ErrorCode code = array_sql_run(&f->sql, query->text, query->unordered, &f->out, &f->err);
    if (code != ERR_OK) {
        fail_msg("%s\n[%s] %s", query->text, variant, f->err.message);
    }
    if (!str_equal(buffer_str(&f->out), buffer_str(&f->want))) {
        fail_msg("%s\n[%s]\nwant:\n%.*s\ngot:\n%.*s", query->text, variant, (int)MIN_OF(f->want.len, (size_t)1500), (const char *)f->want.data,
                 (int)MIN_OF(f->out.len, (size_t)1500), (const char *)f->out.data);
    }
}

static void expect_base(Fixture *f, const Query *query) {
    f->sql.questdb = query->questdb;
    f->sql.passes_off = 0;
    f->storage.form = ARRAY_FLAT;
    f->storage.batch_rows = BATCH_ROWS;
    f->storage.morsel_rows = BLOCK_ROWS;
    f->storage.dead_rows = f->storage.stats = f->storage.latest = false;
    if (array_sql_run(&f->sql, query->text, query->unordered, &f->want, &f->err) != ERR_OK) {
        fail_msg("%s\n%s", query->text, f->err.message);
    }
}

static void same_answer_in_every_form_and_size(void **state) {
    static const uint16_t batch_sizes[] = {1, 3, 64, BATCH_ROWS};
    static const uint32_t morsel_sizes[] = {5, 130, BLOCK_ROWS};
    Fixture *f = *state;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        expect_base(f, &QUERIES[q]);
        for (size_t i = 0; i < COUNT_OF(batch_sizes) * COUNT_OF(morsel_sizes); i++) {
            char variant[80];
            f->storage.form = (ArrayForm)(i % ARRAY_FORM_COUNT);
            f->storage.batch_rows = batch_sizes[i % COUNT_OF(batch_sizes)];
            f->storage.morsel_rows = morsel_sizes[i / COUNT_OF(batch_sizes)];
            f->storage.form = (ArrayForm)((i + i / 4) % ARRAY_FORM_COUNT);
            f->storage.dead_rows = i % 2 == 1 && f->storage.batch_rows > 1;
            f->storage.stats = i % 3 == 0;
            f->storage.latest = i % 3 == 1;
            snprintf(variant, sizeof variant, "form %d batch %u morsel %u dead %d stats %d", (int)f->storage.form, f->storage.batch_rows,
                     f->storage.morsel_rows, f->storage.dead_rows, f->storage.stats);
            expect_same(f, &QUERIES[q], variant);
        }
    }
}

static void same_answer_without_each_pass(void **state) {
    Fixture *f = *state;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        expect_base(f, &QUERIES[q]);
        for (uint32_t pass = 0; pass <= PASS_COUNT; pass++) {
            char variant[40];
            snprintf(variant, sizeof variant, "pass %u off", pass);
            f->sql.passes_off = pass == PASS_COUNT ? ~UINT32_C(0) : UINT32_C(1) << pass;
            expect_same(f, &QUERIES[q], variant);
        }
    }
    f->sql.passes_off = 0;
}

static void same_answer_with_workers(void **state) {
    Fixture *f = *state;
    Os os;
    char folder[] = "/tmp/basalt-exec-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(os_linux_open(folder, true, &os, NULL), ERR_OK);
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        f->sql.pool = NULL;
        expect_base(f, &QUERIES[q]);
        assert_int_equal(worker_pool_open(os.sched, 3, &f->sql.pool, NULL), ERR_OK);
        f->storage.morsel_rows = 50;
        f->storage.batch_rows = 16;
        f->storage.stats = q % 2 == 0;
        expect_same(f, &QUERIES[q], "workers");
        worker_pool_close(f->sql.pool);
        f->sql.pool = NULL;
    }
    os_linux_close(&os);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- trouble ---- */
static void stopped_after_each_batch(void **state) {
    Fixture *f = *state;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        expect_base(f, &QUERIES[q]);
        f->storage.batch_rows = 100;
        f->storage.morsel_rows = 300;
        for (uint32_t stop = 1; stop < 6; stop++) {
            f->sql.stop_after = stop;
            assert_int_equal(array_sql_run(&f->sql, QUERIES[q].text, false, &f->out, &f->err), ERR_OK);
            assert_int_equal(f->storage.open_cursors, 0);
        }
        f->sql.stop_after = 0;
    }
}

static void failing_reads_end_the_run(void **state) {
    Fixture *f = *state;
    f->storage.batch_rows = 100;
    f->storage.morsel_rows = 300;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        f->sql.questdb = QUERIES[q].questdb;
        f->storage.latest = false;
        for (uint32_t at = 1; at < 30; at += 3) {
            f->storage.reads = 0;
            f->storage.fail_read_at = at;
            ErrorCode code = array_sql_run(&f->sql, QUERIES[q].text, false, &f->out, &f->err);
            assert_true(code == ERR_OK || code == ERR_IO);
            assert_int_equal(f->storage.open_cursors, 0);
        }
    }
    f->storage.fail_read_at = 0;
}

static void cancelled_runs_end(void **state) {
    Fixture *f = *state;
    QueryControl control = {.cancel = 1};
    f->sql.control = &control;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        f->sql.questdb = QUERIES[q].questdb;
        ErrorCode code = array_sql_run(&f->sql, QUERIES[q].text, false, &f->out, &f->err);
        assert_int_equal(code, ERR_CANCELED);
    }
    f->sql.control = NULL;
}

typedef struct CountingClock { Clock base; int64_t looks; } CountingClock;

static int64_t count_look(Clock *clock) {
    return ++((CountingClock *)clock)->looks;
}

static void runs_end_at_their_deadline(void **state) {
    Fixture *f = *state;
    CountingClock clock = {.base = {.wall_micros = count_look, .monotonic_nanos = count_look}};
    QueryControl control = {.clock = &clock.base};
    f->sql.control = &control;
    f->storage.batch_rows = 16;
    uint32_t ended = 0;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        f->sql.questdb = QUERIES[q].questdb;
        for (int64_t deadline = 1; deadline < 40; deadline += 13) {
            clock.looks = 0;
            control.deadline_nanos = deadline;
            ErrorCode code = array_sql_run(&f->sql, QUERIES[q].text, false, &f->out, &f->err);
            assert_true(code == ERR_OK || code == ERR_TIMEOUT);
            ended += code == ERR_TIMEOUT;
            assert_int_equal(f->storage.open_cursors, 0);
        }
    }
    f->sql.control = NULL;
    assert_true(ended > COUNT_OF(QUERIES));
}

/* An error in a helper is the run's error, and nobody is left working. */
static void failing_reads_with_workers(void **state) {
    Fixture *f = *state;
    Os os;
    char folder[] = "/tmp/basalt-exec-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(os_linux_open(folder, true, &os, NULL), ERR_OK);
    assert_int_equal(worker_pool_open(os.sched, 3, &f->sql.pool, NULL), ERR_OK);
    f->storage.batch_rows = 20;
    f->storage.morsel_rows = 60;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        f->sql.questdb = QUERIES[q].questdb;
        for (uint32_t at = 1; at < 60; at += 7) {
            f->storage.reads = 0;
            f->storage.fail_read_at = at;
            ErrorCode code = array_sql_run(&f->sql, QUERIES[q].text, false, &f->out, &f->err);
            assert_true(code == ERR_OK || code == ERR_IO);
            assert_int_equal(f->storage.open_cursors, 0);
        }
    }
    f->storage.fail_read_at = 0;
    worker_pool_close(f->sql.pool);
    f->sql.pool = NULL;
    os_linux_close(&os);
    assert_int_equal(rmdir(folder), 0);
}

static void small_budgets_are_refused_by_name(void **state) {
    Fixture *f = *state;
    uint32_t refused = 0;
    for (size_t q = 0; q < COUNT_OF(QUERIES); q++) {
        f->sql.questdb = QUERIES[q].questdb;
        for (size_t limit = 1; limit < 2000000; limit *= 4) {
            f->sql.memory_limit = limit;
            ErrorCode code = array_sql_run(&f->sql, QUERIES[q].text, false, &f->out, &f->err);
            assert_true(code == ERR_OK || code == ERR_OUT_OF_MEMORY);
            refused += code == ERR_OUT_OF_MEMORY;
            assert_int_equal(f->storage.open_cursors, 0);
        }
    }
    f->sql.memory_limit = 0;
    assert_true(refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_answer_in_every_form_and_size, setup, teardown),
        cmocka_unit_test_setup_teardown(same_answer_without_each_pass, setup, teardown),
        cmocka_unit_test_setup_teardown(same_answer_with_workers, setup, teardown),
        cmocka_unit_test_setup_teardown(stopped_after_each_batch, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_reads_end_the_run, setup, teardown),
        cmocka_unit_test_setup_teardown(cancelled_runs_end, setup, teardown),
        cmocka_unit_test_setup_teardown(runs_end_at_their_deadline, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_reads_with_workers, setup, teardown),
        cmocka_unit_test_setup_teardown(small_budgets_are_refused_by_name, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

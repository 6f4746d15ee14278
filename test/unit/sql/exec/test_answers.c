/* SPDX-License-Identifier: Apache-2.0
 * test_answers.c - known answers: what may raise and what may not, NULLs, changes to tables, parameters, the example of every aggregate. */
#include "exec_tables.h"

typedef struct Case {
    const char *text, *want;
    ErrorCode code;
    bool questdb;
} Case;

static void check_cases(Fixture *f, const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        f->sql.questdb = cases[i].questdb;
        f->err.message[0] = 0;
        ErrorCode code = array_sql_run(&f->sql, cases[i].text, false, &f->out, &f->err);
        if (code != cases[i].code) {
            fail_msg("%s\ncode %s (%s), want %s", cases[i].text, error_name(code), f->err.message, error_name(cases[i].code));
        }
        if (code == ERR_OK && !str_equal(buffer_str(&f->out), str_from_c(cases[i].want))) {
            fail_msg("%s\nwant:\n%s\ngot:\n%.*s", cases[i].text, cases[i].want, STR_ARG(buffer_str(&f->out)));
        }
    }
}

static void only_rows_that_are_asked_for_raise(void **state) {
    static const Case cases[] = {
        {"SELECT 1 / 0", NULL, ERR_DIVISION_BY_ZERO, false},
        {"SELECT CASE WHEN false THEN 1 / 0 END", "null\n", ERR_OK, false},
        {"SELECT CASE WHEN true THEN 1 ELSE 1 / 0 END", "1\n", ERR_OK, false},
        {"SELECT 1 / 0 FROM e", "", ERR_OK, false},
        {"SELECT count(*) FROM t WHERE false AND 1 / 0 = 1", "0\n", ERR_OK, false},
        {"SELECT sum(CASE WHEN i <> 0 THEN 10 / i END) IS NOT NULL FROM t", "true\n", ERR_OK, false},
        {"SELECT count(10 / i) > 0 FROM t WHERE i <> 0", "true\n", ERR_OK, false},
        {"SELECT count(10 / i) FROM t", NULL, ERR_DIVISION_BY_ZERO, false},
        {"SELECT count(*) > 0 FROM t WHERE i <> 0 AND 10 / i > 1", "true\n", ERR_OK, false},
        {"SELECT count(*) FROM t WHERE 10 / i > 1 AND i <> 0", NULL, ERR_DIVISION_BY_ZERO, false},
        {"SELECT coalesce(1, 1 / 0)", "1\n", ERR_OK, false},
        {"SELECT coalesce(i, 1 / (i - i)) FROM t WHERE i IS NULL LIMIT 1", "null\n", ERR_OK, false},
        {"SELECT l + 9223372036854775807 FROM t WHERE l < 0 AND l > -10000 AND l IS NOT NULL ORDER BY l DESC LIMIT 0", "", ERR_OK, false},
        {"SELECT max(l + 1) FROM t", NULL, ERR_OUT_OF_RANGE, false},
        {"SELECT max(CASE WHEN l < 9000000000 THEN l + 1 END) < 2000000 FROM t", "true\n", ERR_OK, false},
        {"SELECT (SELECT k FROM u)", NULL, ERR_CARDINALITY, false},
        {"SELECT (SELECT k FROM e)", "null\n", ERR_OK, false},
        {"SELECT 100000 / (x - 3) FROM generate_series(1, 5) AS g(x) LIMIT 2", "-50000\n-100000\n", ERR_OK, false},
        {"SELECT x FROM generate_series(1, 3) g(x) LIMIT 1 OFFSET -1", NULL, ERR_INVALID_OFFSET, false},
    };
    check_cases(*state, cases, COUNT_OF(cases));
}

static void nulls_follow_sql(void **state) {
    static const Case cases[] = {
        {"SELECT x, x AND true, x AND false, x OR true, x OR false, NOT x FROM (VALUES (true), (false), (NULL)) v(x)",
         "true|true|false|true|true|false\nfalse|false|false|true|false|true\nnull|null|false|true|null|null\n", ERR_OK, false},
        {"SELECT x IN (1, NULL), x NOT IN (1, 2), x IN (2) FROM (VALUES (1), (3), (NULL)) v(x)", "true|false|false\nnull|true|false\nnull|null|null\n",
         ERR_OK, false},
        {"SELECT 1 IN (SELECT k FROM e), NULL::int IN (SELECT k FROM e)", "false|false\n", ERR_OK, false},
        {"SELECT count(*), count(x), sum(x), min(x) FROM (VALUES (NULL::int)) v(x)", "1|0|null|null\n", ERR_OK, false},
        {"SELECT x, count(*) FROM (VALUES (NULL), (1), (NULL)) v(x) GROUP BY x", "null|2\n1|1\n", ERR_OK, false},
        {"SELECT DISTINCT x FROM (VALUES (NULL), (1), (NULL)) v(x)", "null\n1\n", ERR_OK, false},
        {"SELECT x FROM (VALUES (NULL), (1), (3), (2)) v(x) ORDER BY x", "1\n2\n3\nnull\n", ERR_OK, false},
        {"SELECT x FROM (VALUES (NULL), (1), (3), (2)) v(x) ORDER BY x DESC", "null\n3\n2\n1\n", ERR_OK, false},
        {"SELECT x FROM (VALUES (NULL), (1), (3), (2)) v(x) ORDER BY x", "null\n1\n2\n3\n", ERR_OK, true},
        {"SELECT x FROM (VALUES ('NaN'::float8), (1), ('-Infinity'), ('-0'), ('0')) v(x) ORDER BY x DESC", "NaN\n1\n-0\n0\n-Infinity\n", ERR_OK, false},
        {"SELECT count(*) FROM (VALUES ('NaN'::float8), ('NaN'), ('-0'), ('0')) v(x) GROUP BY x", "2\n2\n", ERR_OK, false},
        {"SELECT count(DISTINCT x) FROM (VALUES (1.5), (1.50), (2)) v(x)", "2\n", ERR_OK, false},
        {"SELECT a.x, b.y FROM (VALUES (1), (NULL)) a(x) JOIN (VALUES (1), (NULL)) b(y) ON a.x = b.y", "1|1\n", ERR_OK, false},
        {"SELECT a.x, b.y FROM (VALUES (1), (NULL)) a(x) LEFT JOIN (VALUES (1), (NULL)) b(y) ON a.x = b.y", "1|1\nnull|null\n", ERR_OK, false},
        {"SELECT first(x), last(x), first_not_null(x) FROM (VALUES (NULL::int), (2), (NULL)) v(x)", "null|null|2\n", ERR_OK, true},
        {"SELECT x FROM (VALUES ('b'), ('a long text, longer than fifteen'), ('a long text, longer than'), ('')) v(x) ORDER BY x",
         "\na long text, longer than\na long text, longer than fifteen\nb\n", ERR_OK, false},
    };
    check_cases(*state, cases, COUNT_OF(cases));
}

static void dialects_choose_the_aggregate(void **state) {
    static const Case cases[] = {
        {"SELECT sum(l), avg(i) FROM (SELECT 4::int8 AS l, 3 AS i UNION ALL SELECT 5, 4) q", "9|3.5000000000000000\n", ERR_OK, false},
        {"SELECT sum(l), avg(i) FROM (SELECT 4::long AS l, 3 AS i UNION ALL SELECT 5, 4) q", "9|3.5\n", ERR_OK, true},
        {"SELECT sum(x) FROM (VALUES (9223372036854775807::int8), (1)) v(x)", "9223372036854775808\n", ERR_OK, false},
        {"SELECT sum(x) FROM (VALUES (9223372036854775807::long), (1)) v(x)", NULL, ERR_OUT_OF_RANGE, true},
    };
    check_cases(*state, cases, COUNT_OF(cases));
}

static void changes_reach_the_table(void **state) {
    static const Case cases[] = {
        {"INSERT INTO u VALUES (100, 'new symbol', 'n1'), (101, NULL, NULL), (102, 'S3', 'n3')", "rows 3\n", ERR_OK, false},
        {"SELECT k, sym, name FROM u WHERE k >= 100", "100|new symbol|n1\n101|null|null\n102|S3|n3\n", ERR_OK, false},
        {"INSERT INTO u SELECT k + 1000, sym, name FROM u WHERE k >= 100", "rows 3\n", ERR_OK, false},
        {"SELECT count(*) FROM u WHERE k >= 1000", "3\n", ERR_OK, false},
        {"UPDATE u SET name = upper(name), sym = 'S' || '5' WHERE k >= 1000", "rows 3\n", ERR_OK, false},
        {"SELECT k, sym, name FROM u WHERE k >= 1000", "1100|S5|N1\n1101|S5|null\n1102|S5|N3\n", ERR_OK, false},
        {"DELETE FROM u WHERE k >= 100", "rows 6\n", ERR_OK, false},
        {"SELECT count(*) FROM u WHERE k >= 100", "0\n", ERR_OK, false},
        {"INSERT INTO t (i) VALUES (1)", NULL, ERR_NOT_NULL_VIOLATION, false},
        {"INSERT INTO u (k) SELECT 1 / 0", NULL, ERR_DIVISION_BY_ZERO, false},
        {"DELETE FROM u", "rows 37\n", ERR_OK, false},
        {"SELECT count(*) FROM u", "0\n", ERR_OK, false},
        {"INSERT INTO u SELECT x::int, 'S' || (x % 3), 'row ' || x FROM generate_series(1, 2500) g(x)", "rows 2500\n", ERR_OK, false},
        {"SELECT count(*), count(DISTINCT sym), sum(k) FROM u", "2500|3|3126250\n", ERR_OK, false},
    };
    check_cases(*state, cases, COUNT_OF(cases));
}

static Value int_value(int64_t number) {
    Value value;
    memset(&value, 0, sizeof value);
    value.type = type_of(TYPE_INT8);
    value.as.i64 = number;
    return value;
}

static void parameters_prune_and_limit(void **state) {
    Fixture *f = *state;
    Value values[2] = {int_value(3), int_value(2)};
    Type types[2] = {type_of(TYPE_INT8), type_of(TYPE_INT8)};
    f->sql.params = values;
    f->sql.param_types = types;
    f->sql.param_count = 2;
    static const Case cases[] = {
        {"SELECT x FROM generate_series(1, 9) g(x) WHERE x >= $1 LIMIT $2", "3\n4\n", ERR_OK, false},
        {"SELECT $1 + $2, $1 / ($2 - 2)", NULL, ERR_DIVISION_BY_ZERO, false},
        {"SELECT $1 + $2", "5\n", ERR_OK, false},
    };
    check_cases(f, cases, COUNT_OF(cases));
    f->sql.param_count = 0;
    f->sql.params = NULL;
}

static void every_aggregate_gives_its_example(void **state) {
    Fixture *f = *state;
    uint32_t checked = 0;
    for (size_t i = 0; i < aggregate_count(); i++) {
        const Aggregate *aggregate = aggregate_at(i);
        f->sql.questdb = (aggregate->flags & AGG_QUESTDB) != 0;
        assert_int_equal(aggregate->state_bytes % 16, 0);
        if (aggregate->example == NULL) {
            continue;
        }
        if (array_sql_run(&f->sql, aggregate->example, false, &f->out, &f->err) != ERR_OK) {
            fail_msg("%s: %s", aggregate->example, f->err.message);
        }
        Str got = str_trim(buffer_str(&f->out));
        bool same = str_equal(got, str_from_c(aggregate->answer)) || (str_equal(got, STR("false")) && strcmp(aggregate->answer, "f") == 0) ||
                    (str_equal(got, STR("true")) && strcmp(aggregate->answer, "t") == 0);
        if (!same) {
            fail_msg("%s\nwant %s\ngot %.*s", aggregate->example, aggregate->answer, STR_ARG(got));
        }
        checked++;
    }
    assert_true(checked > 100);
}

static void plans_say_what_they_do(void **state) {
    Fixture *f = *state;
    static const struct { const char *text, *part; } rows[] = {
        {"EXPLAIN SELECT * FROM t ORDER BY ts DESC LIMIT 1", "backward"},
        {"EXPLAIN SELECT * FROM t WHERE ts > '2024-01-01'", "time bounds: 1"},
        {"EXPLAIN SELECT count(*) FROM t", "from block statistics"},
        {"EXPLAIN SELECT sym, count(*) FROM t GROUP BY sym", "by code"},
        {"EXPLAIN SELECT i FROM t ORDER BY i LIMIT 3", "top rows only"},
        {"EXPLAIN SELECT * FROM t WHERE sym = 'S1'", "prunes by: sym"},
        {"EXPLAIN SELECT * FROM t, u WHERE t.i = u.k", "hash of the right side"},
        {"EXPLAIN VERBOSE SELECT i + 1 FROM t", "call +"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        f->sql.questdb = false;
        assert_int_equal(array_sql_run(&f->sql, rows[i].text, false, &f->out, &f->err), ERR_OK);
        if (str_find(buffer_str(&f->out), str_from_c(rows[i].part), 0) < 0) {
            fail_msg("%s\nlacks '%s':\n%.*s", rows[i].text, rows[i].part, STR_ARG(buffer_str(&f->out)));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_rows_that_are_asked_for_raise, setup, teardown),
        cmocka_unit_test_setup_teardown(nulls_follow_sql, setup, teardown),
        cmocka_unit_test_setup_teardown(dialects_choose_the_aggregate, setup, teardown),
        cmocka_unit_test_setup_teardown(changes_reach_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_prune_and_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(every_aggregate_gives_its_example, setup, teardown),
        cmocka_unit_test_setup_teardown(plans_say_what_they_do, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

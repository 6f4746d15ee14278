/* SPDX-License-Identifier: Apache-2.0
 * test_api.c - the C API: types in batches and rows, parameters, errors, several connections, option structs of other sizes. */
#include "api/basalt.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct Fixture {
    char folder[64];
    BasaltDatabase *database;
    BasaltConnection *connection;
} Fixture;

static int setup(void **state) {
    Fixture *f = calloc(1, sizeof *f);
    BasaltError error = {0};
    strcpy(f->folder, "/tmp/basalt-api-XXXXXX");
    if (mkdtemp(f->folder) == NULL || basalt_open(f->folder, NULL, &f->database, &error) != BASALT_OK ||
        basalt_connect(f->database, NULL, &f->connection, &error) != BASALT_OK) {
        print_message("%s\n", error.message);
        return -1;
    }
    *state = f;
    return 0;
}

static int teardown(void **state) {
    Fixture *f = *state;
    char command[128];
    basalt_disconnect(f->connection);
    basalt_close(f->database);
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int code = system(command);
    free(f);
    return code;
}

static void run(BasaltConnection *c, const char *sql) {
    if (basalt_execute(c, sql, BASALT_TO_NUL) != BASALT_OK) {
        print_message("%s: %s\n", sql, basalt_error(c)->message);
        fail();
    }
}

static BasaltStatement *prepare(BasaltConnection *c, const char *sql) {
    BasaltStatement *s = NULL;
    if (basalt_prepare(c, sql, BASALT_TO_NUL, &s, NULL) != BASALT_OK) {
        print_message("%s: %s\n", sql, basalt_error(c)->message);
        fail();
    }
    return s;
}

static void rows_give_every_type(void **state) {
    Fixture *f = *state;
    run(f->connection, "CREATE TABLE t (a SMALLINT, b INT, c BIGINT, d REAL, e DOUBLE PRECISION, g BOOLEAN, h VARCHAR, i DATE, j TIMESTAMP,"
                       " k NUMERIC(10,2), l SYMBOL);"
                       "INSERT INTO t VALUES (1, 2, 3, 0.5, 0.25, true, 'a text that is longer than twelve bytes', '1970-01-02',"
                       " '1970-01-01 00:00:01.5', 12.50, 'sym'),"
                       " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
    BasaltStatement *s = prepare(f->connection, "SELECT * FROM t");
    static const BasaltType WANT[] = {BASALT_INT16, BASALT_INT32, BASALT_INT64, BASALT_FLOAT,     BASALT_DOUBLE, BASALT_BOOL,
                                      BASALT_TEXT,  BASALT_DATE,  BASALT_TIMESTAMP, BASALT_OTHER, BASALT_TEXT};
    assert_int_equal(basalt_column_count(s), 11);
    for (uint32_t i = 0; i < 11; i++) {
        assert_int_equal(basalt_column_type(s, i), WANT[i]);
    }
    assert_string_equal(basalt_column_name(s, 4), "e");
    assert_string_equal(basalt_column_type_name(s, 4), "double precision");
    assert_int_equal(basalt_row(s), BASALT_ROW);
    assert_int_equal(basalt_int64(s, 0) + basalt_int64(s, 1) + basalt_int64(s, 2), 6);
    assert_true(basalt_double(s, 3) == 0.5);
    assert_true(basalt_double(s, 4) == 0.25);
    assert_true(basalt_bool(s, 5));
    assert_string_equal(basalt_text(s, 6, NULL), "a text that is longer than twelve bytes");
    assert_int_equal(basalt_int64(s, 7), 1);
    assert_int_equal(basalt_int64(s, 8), 1500000);
    assert_string_equal(basalt_text(s, 8, NULL), "1970-01-01 00:00:01.5");
    assert_string_equal(basalt_text(s, 9, NULL), "12.50");
    assert_true(basalt_double(s, 9) == 12.5);
    assert_string_equal(basalt_text(s, 10, NULL), "sym");
    assert_int_equal(basalt_row(s), BASALT_ROW);
    for (uint32_t i = 0; i < 11; i++) {
        size_t len = 7;
        assert_true(basalt_is_null(s, i));
        assert_int_equal(basalt_int64(s, i), 0);
        assert_string_equal(basalt_text(s, i, &len), "");
        assert_int_equal(len, 0);
    }
    assert_true(isnan(basalt_double(s, 4)));
    assert_int_equal(basalt_row(s), BASALT_DONE);
    assert_int_equal(basalt_row(s), BASALT_DONE);
    basalt_finalize(s);
}

static void batches_give_columns(void **state) {
    Fixture *f = *state;
    run(f->connection, "CREATE TABLE n AS SELECT x, x * 0.5::double precision AS y, CASE WHEN x % 3 = 0 THEN NULL ELSE 'v' || x END AS z, x % 2 = 0 AS w"
                       " FROM long_sequence(5000)");
    BasaltStatement *s = prepare(f->connection, "SELECT x, y, z, w FROM n WHERE x % 5 <> 0 ORDER BY x");
    const BasaltBatch *batch = NULL;
    int64_t next = 1;
    BasaltResult result;
    while ((result = basalt_step(s, &batch)) == BASALT_ROW) {
        assert_int_equal(batch->size, sizeof(BasaltBatch));
        assert_int_equal(batch->column_count, 4);
        const int64_t *x = batch->columns[0].values;
        const double *y = batch->columns[1].values;
        const BasaltText *z = batch->columns[2].values;
        const uint8_t *w = batch->columns[3].values;
        for (uint32_t i = 0; i < batch->row_count; i++) {
            char want[16];
            next += next % 5 == 0;
            assert_int_equal(x[i], next);
            assert_true(y[i] == (double)next * 0.5);
            assert_int_equal(w[i], next % 2 == 0);
            const uint64_t *validity = batch->columns[2].validity;
            bool valid = validity == NULL || ((validity[i / 64] >> (i % 64)) & 1) != 0;
            assert_int_equal(valid, next % 3 != 0);
            if (valid) {
                int len = snprintf(want, sizeof want, "v%lld", (long long)next);
                assert_int_equal(z[i].len, len);
                assert_memory_equal(z[i].data, want, (size_t)len);
            }
            next++;
        }
    }
    assert_int_equal(result, BASALT_DONE);
    assert_int_equal(next, 5000);
    basalt_finalize(s);
}

static void parameters_are_bound_and_kept(void **state) {
    Fixture *f = *state;
    run(f->connection, "CREATE TABLE p (a BIGINT, b VARCHAR, c DOUBLE PRECISION, d BOOLEAN, e TIMESTAMP)");
    BasaltStatement *s = prepare(f->connection, "INSERT INTO p VALUES ($1, $2, $3, $4, $5)");
    assert_int_equal(basalt_parameter_count(s), 5);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(basalt_bind_int64(s, 0, i), BASALT_OK);
        assert_int_equal(basalt_bind_text(s, 1, "text", 3), BASALT_OK);
        assert_int_equal(basalt_bind_double(s, 2, 0.1), BASALT_OK);
        assert_int_equal(basalt_bind_bool(s, 3, i == 1), BASALT_OK);
        assert_int_equal(i == 2 ? basalt_bind_null(s, 4) : basalt_bind_timestamp(s, 4, 1000000), BASALT_OK);
        assert_int_equal(basalt_step(s, NULL), BASALT_DONE);
        assert_int_equal(basalt_affected_rows(s), 1);
        assert_string_equal(basalt_tag(s), "INSERT 0 1");
        assert_int_equal(basalt_reset(s), BASALT_OK);
    }
    assert_int_equal(basalt_bind_int64(s, 5, 1), BASALT_FAILED);
    assert_string_equal(basalt_error(f->connection)->sqlstate, "42P02");
    basalt_finalize(s);
    s = prepare(f->connection, "SELECT count(*), sum(a), min(b), max(c), count(e) FROM p WHERE a >= $1");
    basalt_bind_int64(s, 0, 1);
    assert_int_equal(basalt_row(s), BASALT_ROW);
    assert_int_equal(basalt_int64(s, 0), 2);
    assert_int_equal(basalt_int64(s, 1), 3);
    assert_string_equal(basalt_text(s, 2, NULL), "tex");
    assert_true(basalt_double(s, 3) == 0.1);
    assert_int_equal(basalt_int64(s, 4), 1);
    basalt_finalize(s);
}

static void errors_have_state_and_position(void **state) {
    Fixture *f = *state;
    BasaltStatement *s = NULL;
    assert_int_equal(basalt_prepare(f->connection, "SELECT nosuch FROM long_sequence(1)", BASALT_TO_NUL, &s, NULL), BASALT_FAILED);
    assert_string_equal(basalt_error(f->connection)->sqlstate, "42703");
    assert_int_equal(basalt_error(f->connection)->position, 7);
    assert_int_equal(basalt_error(f->connection)->exit_code, 1);
    assert_int_equal(basalt_execute(f->connection, "SELECT 1; SELEC 2", BASALT_TO_NUL), BASALT_FAILED);
    assert_string_equal(basalt_error(f->connection)->sqlstate, "42601");
    s = prepare(f->connection, "SELECT 1 / (x - 3) FROM long_sequence(5)");
    BasaltResult result;
    while ((result = basalt_row(s)) == BASALT_ROW) {
    }
    assert_int_equal(result, BASALT_FAILED);
    assert_string_equal(basalt_error(f->connection)->sqlstate, "22012");
    basalt_finalize(s);
    s = prepare(f->connection, "  -- nothing\n");
    assert_int_equal(basalt_step(s, NULL), BASALT_DONE);
    basalt_finalize(s);
}

static void connections_see_committed_rows_only(void **state) {
    Fixture *f = *state;
    BasaltConnection *other = NULL;
    assert_int_equal(basalt_connect(f->database, NULL, &other, NULL), BASALT_OK);
    run(f->connection, "CREATE TABLE v (a INT)");
    run(f->connection, "BEGIN; INSERT INTO v VALUES (1)");
    assert_true(basalt_in_transaction(f->connection));
    for (int turn = 0; turn < 2; turn++) {
        BasaltStatement *s = prepare(other, "SELECT count(*) FROM v");
        assert_int_equal(basalt_row(s), BASALT_ROW);
        assert_int_equal(basalt_int64(s, 0), turn);
        basalt_finalize(s);
        if (turn == 0) {
            run(f->connection, "COMMIT");
        }
    }
    basalt_disconnect(other);
}

static void a_folder_has_one_owner(void **state) {
    Fixture *f = *state;
    BasaltDatabase *second = NULL;
    BasaltError error = {0};
    assert_int_equal(basalt_open(f->folder, NULL, &second, &error), BASALT_FAILED);
    assert_int_equal(error.exit_code, 3);
    assert_non_null(strstr(error.message, "in use by pid"));
    BasaltOptions options = {.size = sizeof options, .must_exist = true};
    assert_int_equal(basalt_open("/tmp/basalt-api-no-such-folder", &options, &second, &error), BASALT_FAILED);
}

static void option_structs_may_be_shorter_or_longer(void **state) {
    Fixture *f = *state;
    struct {
        BasaltConnectionOptions options;
        char later[64];
    } longer = {.options = {.size = sizeof longer, .dialect = "questdb"}};
    memset(longer.later, 0x55, sizeof longer.later);
    BasaltConnection *c = NULL;
    BasaltError error = {0};
    assert_int_equal(basalt_connect(f->database, &longer.options, &c, &error), BASALT_OK);
    basalt_disconnect(c);
    BasaltConnectionOptions shorter = {.size = offsetof(BasaltConnectionOptions, dialect), .dialect = "no such dialect"};
    assert_int_equal(basalt_connect(f->database, &shorter, &c, &error), BASALT_OK);
    basalt_disconnect(c);
    shorter.size = sizeof shorter;
    assert_int_equal(basalt_connect(f->database, &shorter, &c, &error), BASALT_FAILED);
    assert_non_null(strstr(error.message, "no such dialect"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_give_every_type, setup, teardown),
        cmocka_unit_test_setup_teardown(batches_give_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_are_bound_and_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_have_state_and_position, setup, teardown),
        cmocka_unit_test_setup_teardown(connections_see_committed_rows_only, setup, teardown),
        cmocka_unit_test_setup_teardown(a_folder_has_one_owner, setup, teardown),
        cmocka_unit_test_setup_teardown(option_structs_may_be_shorter_or_longer, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

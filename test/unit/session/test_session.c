/* SPDX-License-Identifier: Apache-2.0
 * test_session.c - sessions without a door: forms of settings, implicit blocks, prepared statements with several runs open, other clients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "os/os.h"
#include "session/session.h"

typedef struct World {
    char folder[64];
    Os os;
    Engine *engine;
    Session *session;
} World;

static Session *connect(World *world) {
    Session *session = NULL;
    Error err;
    SessionOptions options = {.user_name = STR("postgres"), .door = STR("test"), .workers = 1};
    if (session_open(world->engine, &options, &session, &err) != ERR_OK) {
        fail_msg("%s", err.message);
    }
    return session;
}

static int setup(void **state) {
    World *world = calloc(1, sizeof *world);
    Error err = {0};
    EngineOptions options = {.embedded = true, .durability = DURABILITY_OFF};
    strcpy(world->folder, "/tmp/basalt-session-XXXXXX");
    if (mkdtemp(world->folder) == NULL || os_linux_open(world->folder, true, &world->os, &err) != ERR_OK ||
        engine_open(world->os, &options, &world->engine, &err) != ERR_OK) {
        print_message("%s\n", err.message);
        return -1;
    }
    world->session = connect(world);
    *state = world;
    return 0;
}

static int teardown(void **state) {
    World *world = *state;
    char command[128];
    session_close(world->session);
    engine_close(world->engine);
    os_linux_close(&world->os);
    snprintf(command, sizeof command, "rm -rf %s", world->folder);
    int code = system(command);
    free(world);
    return code;
}

/* Runs to the end; the first column of the first row as text into answer, if there is one. */
static ErrorCode run(Session *session, const char *sql, char answer[256]) {
    Statement *statement = NULL;
    Batch *batch = NULL;
    Error err;
    size_t used;
    answer[0] = 0;
    ErrorCode code = statement_prepare(session, str_from_c(sql), NULL, 0, &statement, &used, &err);
    do {
        code = code == ERR_OK ? statement_step(statement, &batch, &err) : code;
        if (code == ERR_OK && batch != NULL && answer[0] == 0 && batch->columns[0].type.id == TYPE_TEXT) {
            Str text = vector_text(&batch->columns[0], 0);
            snprintf(answer, 256, "%.*s", STR_ARG(text));
        }
    } while (code == ERR_OK && batch != NULL);
    statement_close(statement);
    return code;
}

static void expect(Session *session, const char *sql, ErrorCode want) {
    char answer[256];
    ErrorCode code = run(session, sql, answer);
    if (code != want) {
        fail_msg("%s: %s instead of %s", sql, error_name(code), error_name(want));
    }
}

static void settings_take_their_form(void **state) {
    World *world = *state;
    static const struct { const char *set, *show, *want; } ROWS[] = {
        {"SET work_mem = 65536", "SHOW work_mem", "64MB"},
        {"SET work_mem = '1.5GB'", "SHOW work_mem", "1536MB"},
        {"SET statement_timeout = '1.5min'", "SHOW statement_timeout", "90s"},
        {"SET statement_timeout = 0", "SHOW statement_timeout", "0"},
        {"SET jit TO tru", "SHOW jit", "on"},
        {"SET synchronous_commit = no", "SHOW synchronous_commit", "off"},
        {"SET DateStyle = 'german'", "SHOW datestyle", "German, DMY"},
        {"SET DateStyle = 'ISO', 'DMY'", "SHOW datestyle", "ISO, DMY"},
        {"SET client_encoding = 'utf-8'", "SHOW client_encoding", "UTF8"},
        {"SET search_path = 'a,b', C", "SHOW search_path", "\"a,b\", c"},
        {"SET extra_float_digits = -15", "SHOW extra_float_digits", "-15"},
        {"SET random_page_cost = 1.1", "SHOW random_page_cost", "1.1"},
        {"SET TIME ZONE DEFAULT", "SHOW TIME ZONE", "UTC"},
        {"SET a.b = 'x'", "SHOW A.B", "x"},
    };
    char answer[256];
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        expect(world->session, ROWS[i].set, ERR_OK);
        assert_int_equal(run(world->session, ROWS[i].show, answer), ERR_OK);
        assert_string_equal(answer, ROWS[i].want);
    }
    expect(world->session, "SET work_mem = '1 furlong'", ERR_INVALID_PARAMETER);
    expect(world->session, "SET work_mem = 1", ERR_INVALID_PARAMETER);
    expect(world->session, "SET TIME ZONE 'Nowhere/Else'", ERR_INVALID_PARAMETER);
    expect(world->session, "SET standard_conforming_strings = off", ERR_NOT_SUPPORTED);
    expect(world->session, "RESET ALL", ERR_OK);
    assert_int_equal(run(world->session, "SHOW work_mem", answer), ERR_OK);
    assert_string_equal(answer, "4MB");
}

static void implicit_blocks_are_one_transaction(void **state) {
    World *world = *state;
    Session *session = world->session;
    char answer[256];
    expect(session, "CREATE TABLE t (a int)", ERR_OK);
    assert_int_equal(session_implicit_begin(session, NULL), ERR_OK);
    expect(session, "INSERT INTO t VALUES (1)", ERR_OK);
    expect(session, "SET work_mem = '8MB'", ERR_OK);
    expect(session, "SAVEPOINT s", ERR_NO_TRANSACTION);
    assert_int_equal(session_implicit_end(session, false, NULL), ERR_OK);
    assert_int_equal(run(session, "SELECT count(*)::text FROM t", answer), ERR_OK);
    assert_string_equal(answer, "0");
    assert_int_equal(run(session, "SHOW work_mem", answer), ERR_OK);
    assert_string_equal(answer, "4MB");
    assert_int_equal(session_implicit_begin(session, NULL), ERR_OK);
    expect(session, "INSERT INTO t VALUES (1)", ERR_OK);
    expect(session, "BEGIN", ERR_OK); /* takes what came before in */
    assert_int_equal(session_implicit_end(session, true, NULL), ERR_OK);
    assert_true(session_in_transaction(session));
    expect(session, "ROLLBACK", ERR_OK);
    assert_int_equal(run(session, "SELECT count(*)::text FROM t", answer), ERR_OK);
    assert_string_equal(answer, "0");
}

static Statement *open_run(Session *session, const char *name, int64_t value) {
    Prepared *prepared = NULL;
    Statement *statement = NULL;
    assert_int_equal(session_prepared_find(session, str_from_c(name), &prepared, NULL), ERR_OK);
    assert_int_equal(prepared_open(prepared, &statement, NULL), ERR_OK);
    assert_int_equal(statement_bind(statement, 0, &(Value){.type = type_of(TYPE_INT8), .as.i64 = value}, NULL), ERR_OK);
    return statement;
}

static int64_t first_number(Statement *statement) {
    Batch *batch = NULL;
    assert_int_equal(statement_step(statement, &batch, NULL), ERR_OK);
    assert_non_null(batch);
    size_t row = 0;
    while (batch->live != NULL && !bit_get(batch->live, row)) {
        row++;
    }
    return *(const int64_t *)vector_value(&batch->columns[0], row);
}

static void runs_of_one_statement_do_not_meet(void **state) {
    World *world = *state;
    Session *session = world->session;
    Batch *batch = NULL;
    Type type = type_of(TYPE_INT8);
    assert_int_equal(session_implicit_begin(session, NULL), ERR_OK);
    assert_int_equal(session_prepare(session, STR("p"), STR("SELECT $1 + x FROM generate_series(1, 5000) x"), &type, 1, false, NULL), ERR_OK);
    assert_int_equal(session_prepare(session, STR("p"), STR("SELECT 1"), NULL, 0, false, NULL), ERR_DUPLICATE_STATEMENT);
    session_rollback(session);
    assert_int_equal(session_implicit_begin(session, NULL), ERR_OK);
    Statement *a = open_run(session, "p", 10), *b = open_run(session, "p", 1000);
    assert_int_equal(first_number(a), 11);
    assert_int_equal(first_number(b), 1001);
    assert_int_equal(first_number(a), 11 + BATCH_ROWS);
    assert_true(session_prepared_drop(session, STR("p"))); /* they keep what they need */
    assert_int_equal(first_number(b), 1001 + BATCH_ROWS);
    assert_int_equal(session_implicit_end(session, true, NULL), ERR_OK);
    assert_int_equal(statement_step(a, &batch, NULL), ERR_UNDEFINED_CURSOR); /* gone with its block */
    statement_close(a);
    statement_close(b);
}

static void a_plan_is_made_again_after_ddl(void **state) {
    World *world = *state;
    Session *session = world->session;
    Type type = type_of(TYPE_INT8);
    Prepared *prepared = NULL;
    expect(session, "CREATE TABLE u (a int8, b int8)", ERR_OK);
    expect(session, "INSERT INTO u VALUES (1, 10), (2, 20)", ERR_OK);
    assert_int_equal(session_prepare(session, STR("q"), STR("SELECT b FROM u WHERE a = $1"), &type, 1, false, NULL), ERR_OK);
    for (int i = 0; i < 3; i++) {
        Statement *statement = open_run(session, "q", 2);
        assert_int_equal(first_number(statement), 20);
        statement_close(statement);
        expect(session, i == 0 ? "ALTER TABLE u ADD COLUMN c int" : "SET search_path = public", ERR_OK);
    }
    expect(session, "DROP TABLE u", ERR_OK);
    assert_int_equal(session_prepared_find(session, STR("q"), &prepared, NULL), ERR_UNDEFINED_TABLE);
    expect(session, "CREATE TABLE u (a int8, b text)", ERR_OK);
    assert_int_equal(session_prepared_find(session, STR("q"), &prepared, NULL), ERR_NOT_SUPPORTED);
}

static void clients_lock_and_end_each_other(void **state) {
    World *world = *state;
    Session *other = connect(world);
    char sql[64];
    assert_true(session_pid(other) != session_pid(world->session));
    expect(world->session, "SELECT pg_advisory_lock(7)", ERR_OK);
    expect(other, "SELECT pg_advisory_lock(7)", ERR_LOCK_NOT_AVAILABLE);
    expect(world->session, "SELECT pg_advisory_unlock_all()", ERR_OK);
    expect(other, "SELECT pg_advisory_xact_lock(7)", ERR_OK);
    expect(world->session, "SELECT pg_advisory_lock(7)", ERR_OK);
    snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%d)", session_pid(other));
    expect(world->session, sql, ERR_OK);
    assert_true(session_terminate_asked(other));
    session_close(other);
    expect(world->session, "SELECT pg_advisory_unlock(7)", ERR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_take_their_form),        cmocka_unit_test(implicit_blocks_are_one_transaction),
        cmocka_unit_test(runs_of_one_statement_do_not_meet), cmocka_unit_test(a_plan_is_made_again_after_ddl),
        cmocka_unit_test(clients_lock_and_end_each_other),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_functions.c - the examples of the function table, the order of its rows, errors with their codes, casts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "evaluate.c"

static Random random_state;
static const FunctionEnvironment POSTGRES = {.now_micros = INT64_C(1704099600000000), .random = &random_state, .version_text = {"v", 1}};
static const FunctionEnvironment QUESTDB = {.now_micros = INT64_C(1704099600000000), .random = &random_state, .questdb = true};

static void examples_give_their_answers(void **state) {
    Arena *arena = *state;
    int failed = 0;
    random_init(&random_state, 1);
    for (size_t i = 0; i < function_count(); i++) {
        const Function *f = function_at(i);
        if (f->example == NULL) {
            continue;
        }
        const FunctionEnvironment *environment = (f->flags & FN_QUESTDB) != 0 ? &QUESTDB : &POSTGRES;
        Evaluation value;
        Error err = {0};
        arena_reset(arena);
        ErrorCode code = evaluate(f->example, environment, arena, &value, &err);
        const char *text = code == ERR_OK ? evaluation_text(&value, environment, arena) : err.message;
        if (code != ERR_OK || strcmp(text, f->answer) != 0) {
            printf("%s  gives  %s  not  %s\n", f->example, text, f->answer);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

static void rows_are_sorted_and_found(void **state) {
    (void)state;
    for (size_t i = 0; i < function_count(); i++) {
        const Function *f = function_at(i);
        size_t count;
        const Function *first = function_lookup(str_from_c(f->name), &count);
        if (first == NULL || f < first || f >= first + count) {
            fail_msg("row %zu (%s) is not found by its name", i, f->name);
        }
        assert_true(f->arg_count <= FUNCTION_ARGS_MAX);
        assert_non_null(f->kernel);
        for (size_t a = 0; a < f->arg_count; a++) {
            assert_true(f->args[a] < TYPE_COUNT || (f->args[a] >= ARG_ANY && f->args[a] <= ARG_TEXTS));
        }
    }
    size_t count;
    assert_null(function_lookup(STR("nosuch"), &count));
    assert_int_equal(count, 0);
    assert_non_null(function_lookup(STR("Date_TRUNC"), &count));
}

typedef struct Case {
    const char *text;
    const char *want; /* text, or NULL for an error */
    const char *sqlstate;
    bool questdb;
} Case;

static int check_cases(Arena *arena, const Case *cases, size_t count) {
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        const FunctionEnvironment *environment = cases[i].questdb ? &QUESTDB : &POSTGRES;
        Evaluation value;
        Error err = {0};
        arena_reset(arena);
        ErrorCode code = evaluate(cases[i].text, environment, arena, &value, &err);
        const char *text = code == ERR_OK ? evaluation_text(&value, environment, arena) : error_sqlstate(code);
        const char *want = cases[i].want != NULL ? cases[i].want : cases[i].sqlstate;
        if (strcmp(text, want) != 0 || (code == ERR_OK) != (cases[i].want != NULL)) {
            printf("%s  gives  %s  not  %s  (%s)\n", cases[i].text, text, want, err.message);
            failed++;
        }
    }
    return failed;
}

#include "cases.inc"

static void cases_of_postgres(void **state) {
    assert_int_equal(check_cases(*state, CASES, COUNT_OF(CASES)), 0);
}

static int setup(void **state) {
    static Arena arena;
    arena_init(&arena, SIZE_MAX);
    *state = &arena;
    return 0;
}
static int teardown(void **state) {
    arena_deinit(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_found),
        cmocka_unit_test(examples_give_their_answers),
        cmocka_unit_test(cases_of_postgres),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

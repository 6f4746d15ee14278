/* SPDX-License-Identifier: Apache-2.0
 * test_errors.c - wrong statements: the code and the very offset, marked by ^ in the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "sql/parse/parse.h"

typedef struct ErrorCase {
    const char *marked;      /* ^ stands before the byte that the error points at */
    ErrorCode code;
    const char *part;        /* of the message or what was expected */
} ErrorCase;

static bool says(const Error *err, const char *part) {
    const char *hint = error_field(err, 'X');
    return strstr(err->message, part) != NULL || (hint != NULL && strstr(hint, part) != NULL);
}

static void errors_point_at_what_was_not_expected(void **state) {
    static const ErrorCase cases[] = {
        {"select * ^frm t", ERR_SYNTAX, "at or near \"frm\""},
        {"^frob * from t", ERR_SYNTAX, "a statement"},
        {"select 1 +^", ERR_SYNTAX, "end of input"},
        {"select ^(1 + 2", ERR_SYNTAX, "( is not closed"},
        {"select f(1, ^)", ERR_SYNTAX, "an expression"},
        {"select a from t where^", ERR_SYNTAX, "an expression"},
        {"select a from t group ^a", ERR_SYNTAX, "BY"},
        {"select a from t order by a ^b", ERR_SYNTAX, "end of statement"},
        {"select a from ^123", ERR_SYNTAX, "a table name"},
        {"select cast(1 ^int)", ERR_SYNTAX, "AS"},
        {"select case ^end", ERR_SYNTAX, ""},
        {"select ^12abc", ERR_SYNTAX, "trailing junk"},
        {"select ts from t sample by 5^x", ERR_SYNTAX, "unknown unit"},
        {"select ts from t sample by fill(null)^", ERR_SYNTAX, "a unit"},
        {"select * from t latest on ts ^by x", ERR_SYNTAX, "PARTITION"},
        {"insert ^t values (1)", ERR_SYNTAX, "INTO"},
        {"insert into t values ^1", ERR_SYNTAX, "("},
        {"update t x ^= 1", ERR_SYNTAX, "SET"},
        {"delete ^t", ERR_SYNTAX, "FROM"},
        {"create table t (a^)", ERR_SYNTAX, "a type name"},
        {"create table t (a int) partition by ^fortnight", ERR_SYNTAX, "NONE, HOUR"},
        {"create ^frob t (a int)", ERR_SYNTAX, "TABLE"},
        {"create ^function f() returns int", ERR_NOT_SUPPORTED, "CREATE FUNCTION"},
        {"drop ^trigger x", ERR_NOT_SUPPORTED, "DROP TRIGGER"},
        {"alter table t ^frob x", ERR_SYNTAX, "ADD"},
        {"^merge into t using s on true", ERR_NOT_SUPPORTED, "MERGE"},
        {"select ^$0", ERR_UNDEFINED_PARAMETER, "$0"},
        {"select ^$99999", ERR_UNDEFINED_PARAMETER, "$99999"},
        {"select 'a' ^'b'", ERR_SYNTAX, "end of statement"},
        {"select ^'abc", ERR_SYNTAX, "unterminated"},
        {"select 1 ^/* x", ERR_SYNTAX, "unterminated"},
        {"select a b ^c", ERR_SYNTAX, ""},
        {"select * from a join b a^.x", ERR_SYNTAX, ""},
        {"select * from a left join b^", ERR_SYNTAX, "ON"},
        {"explain (^frobnicate) select 1", ERR_SYNTAX, "unrecognized EXPLAIN option"},
        {"set x ^5", ERR_SYNTAX, "TO"},
        {"select (a, b^", ERR_SYNTAX, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        const char *mark = strchr(cases[i].marked, '^');
        size_t at = (size_t)(mark - cases[i].marked);
        snprintf(text, sizeof text, "%.*s%s", (int)at, cases[i].marked, mark + 1);
        Arena arena;
        arena_init(&arena, 1 << 20);
        AstStatement *statement = NULL;
        size_t end = 0;
        Error err = {0};
        ErrorCode code = sql_parse(str_from_c(text), 0, DIALECT_POSTGRES, &arena, &statement, &end, &err);
        if (cases[i].part == NULL) {
            assert_int_equal(code, cases[i].code); /* an opening parenthesis is at fault: offset not fixed here */
        } else if (code != cases[i].code || err.position != (int64_t)at || !says(&err, cases[i].part)) {
            fail_msg("row %zu: %s\n got %s at %d: %s", i, cases[i].marked, error_name(code), (int)err.position, err.message);
        }
        arena_deinit(&arena);
    }
}

static void statements_of_one_text_come_one_by_one(void **state) {
    const char *text = " ; select 1; /* x */ select 'a;b' ;;\n-- end\n";
    Arena arena;
    AstStatement *statement = NULL;
    size_t end = 0;
    Error err = {0};
    (void)state;
    arena_init(&arena, 1 << 20);
    assert_int_equal(sql_parse(str_from_c(text), 0, DIALECT_POSTGRES, &arena, &statement, &end, &err), ERR_OK);
    assert_int_equal(end, 12);
    assert_int_equal(statement->span.at, 3);
    assert_int_equal(sql_parse(str_from_c(text), end, DIALECT_POSTGRES, &arena, &statement, &end, &err), ERR_OK);
    assert_int_equal(end, 35);
    assert_int_equal(statement->span.at, 21);
    assert_int_equal(sql_parse(str_from_c(text), end, DIALECT_POSTGRES, &arena, &statement, &end, &err), ERR_OK);
    assert_null(statement);
    assert_int_equal(end, strlen(text));
    arena_deinit(&arena);
}

static void parameters_are_counted(void **state) {
    Arena arena;
    AstStatement *statement = NULL;
    size_t end = 0;
    (void)state;
    arena_init(&arena, 1 << 20);
    assert_int_equal(sql_parse(STR("select $3, :a, $1, :b, :a"), 0, DIALECT_POSTGRES, &arena, &statement, &end, NULL), ERR_OK);
    assert_int_equal(statement->param_max, 3);
    assert_int_equal(statement->named_param_count, 2);
    assert_true(str_equal(statement->named_params[1].text, STR("b")));
    arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_point_at_what_was_not_expected),
        cmocka_unit_test(statements_of_one_text_come_one_by_one),
        cmocka_unit_test(parameters_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

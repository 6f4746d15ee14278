/* SPDX-License-Identifier: Apache-2.0
 * test_jsonb.c - json texts: what is valid, the normal form of jsonb, its order and hash. Answers are PostgreSQL's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/jsonb.h"

enum { LIMIT = 1 << 20 };

static void errors_show_the_line_up_to_the_token(void **state) {
    (void)state;
    static const struct { const char *text, *where; } ROWS[] = {
        {"'a'", "JSON data, line 1: '..."},
        {"\"abc", "JSON data, line 1: \"abc"},
        {"\"abc\ndef\"", "JSON data, line 1: \"abc"},
        {"\"\\v\"", "JSON data, line 1: \"\\v..."},
        {"true, false", "JSON data, line 1: true,..."},
        {"{\n \"a\": 1,\n \"b\":,\n}", "JSON data, line 3:  \"b\":,"},
        {"[1,2", "JSON data, line 1: [1,2"},
        {"[\"0123456789012345678901234567890123456789012345678901234567890123456789\",x]", "JSON data, line 1: ...4567890123456789012345678901234567890123456789\",x..."},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Error err = {0};
        assert_int_not_equal(json_check(str_from_c(ROWS[i].text), &err), ERR_OK);
        assert_string_equal(error_field(&err, 'W'), ROWS[i].where);
    }
}

static void normal_form_is_postgresql_s(void **state) {
    (void)state;
    static const struct {
        const char *text, *normal; /* NULL: refused */
    } ROWS[] = {
        {"{\"b\":1,\"a\":2}", "{\"a\": 2, \"b\": 1}"},
        {"{\"aa\":1,\"b\":2}", "{\"b\": 2, \"aa\": 1}"},
        {"{\"a\":1,\"a\":2}", "{\"a\": 2}"},
        {" [ 1 ,2,  {} , [] ] ", "[1, 2, {}, []]"},
        {"1.50", "1.50"},
        {"-0", "0"},
        {"1e3", "1000"},
        {"1.5E-3", "0.0015"},
        {"0.0e5", "0"},
        {"\"\\u0041\\n\\/\"", "\"A\\n/\""},
        {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
        {"null", "null"},
        {"true", "true"},
        {"", NULL},
        {"{", NULL},
        {"[1,]", NULL},
        {"[1 2]", NULL},
        {"{\"a\"}", NULL},
        {"{a:1}", NULL},
        {"01", NULL},
        {"1.", NULL},
        {".5", NULL},
        {"+1", NULL},
        {"nul", NULL},
        {"'a'", NULL},
        {"\"a", NULL},
        {"\"\\x\"", NULL},
        {"\"\\u12\"", NULL},
        {"\"\\ud83d\"", NULL},
        {"\"\\u0000\"", NULL},
        {"1 2", NULL},
        {"\"\t\"", NULL},
    };
    Buffer out;
    buffer_init(&out, LIMIT);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Error err = {0};
        buffer_clear(&out);
        ErrorCode code = jsonb_normalise(str_from_c(ROWS[i].text), &out, &err);
        if ((code == ERR_OK) != (ROWS[i].normal != NULL)) {
            fail_msg("%s: %s", ROWS[i].text, err.message);
        }
        if (code == ERR_OK) {
            buffer_append_char(&out, '\0');
            assert_string_equal((const char *)out.data, ROWS[i].normal);
            assert_int_equal(json_check(str_from_c(ROWS[i].text), &err), ERR_OK);
        }
    }
    buffer_deinit(&out);
}

static void depth_is_bounded(void **state) {
    (void)state;
    Buffer text;
    Error err = {0};
    buffer_init(&text, LIMIT);
    for (int depth = 0; depth <= JSON_DEPTH_MAX; depth++) {
        buffer_append_char(&text, '[');
    }
    assert_int_equal(json_check(buffer_str(&text), &err), ERR_TOO_COMPLEX);
    buffer_deinit(&text);
}

/* Empty arrays, null, strings, numbers, false, true, arrays, objects: by kind, by count, by what is in them. */
static void order_is_postgresql_s(void **state) {
    (void)state;
    static const char *const ASCENDING[] = {"[]", "null", "\"a\"", "\"b\"", "-1", "1.5", "10", "false", "true", "[2]", "[3]", "[1, 1]", "{}", "{\"a\": 1}", "{\"a\": 2}",
                                            "{\"a\": 1, \"b\": 1}"};
    for (size_t i = 0; i < COUNT_OF(ASCENDING); i++) {
        for (size_t k = 0; k < COUNT_OF(ASCENDING); k++) {
            int order = jsonb_compare(str_from_c(ASCENDING[i]), str_from_c(ASCENDING[k]));
            if ((order > 0) - (order < 0) != (i > k) - (i < k)) {
                fail_msg("%s beside %s: %d", ASCENDING[i], ASCENDING[k], order);
            }
        }
    }
}

static void equal_values_hash_alike(void **state) {
    (void)state;
    static const char *const PAIRS[][2] = {{"1.0", "1.00"}, {"[1, 2.50]", "[1.0, 2.5]"}, {"{\"a\": 10}", "{\"a\": 10.0}"}};
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        assert_int_equal(jsonb_compare(str_from_c(PAIRS[i][0]), str_from_c(PAIRS[i][1])), 0);
        assert_int_equal(jsonb_hash(str_from_c(PAIRS[i][0])), jsonb_hash(str_from_c(PAIRS[i][1])));
    }
}

static void kinds_are_told_by_the_first_byte(void **state) {
    (void)state;
    static const struct {
        const char *text;
        JsonKind kind;
    } ROWS[] = {{"null", JSON_NULL}, {"\"x\"", JSON_STRING}, {"-1", JSON_NUMBER}, {"true", JSON_BOOL}, {"false", JSON_BOOL}, {"[1]", JSON_ARRAY}, {"{}", JSON_OBJECT}};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_int_equal(json_kind(str_from_c(ROWS[i].text)), ROWS[i].kind);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_show_the_line_up_to_the_token),
        cmocka_unit_test(normal_form_is_postgresql_s), cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(order_is_postgresql_s),       cmocka_unit_test(equal_values_hash_alike),
        cmocka_unit_test(kinds_are_told_by_the_first_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

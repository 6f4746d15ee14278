/* SPDX-License-Identifier: Apache-2.0
 * test_array.c - array texts in and out, and bytes that are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/array.h"

static void texts_go_round(void **state) {
    (void)state;
    static const struct {
        const char *text, *postgres, *json; /* NULL: refused */
    } ROWS[] = {
        {"{1,2.5,-3}", "{1,2.5,-3}", "[1.0,2.5,-3.0]"},
        {"[1.0, 2.5]", "{1,2.5}", "[1.0,2.5]"},
        {" ARRAY[[1,2],[3,4],[5,6]] ", "{{1,2},{3,4},{5,6}}", "[[1.0,2.0],[3.0,4.0],[5.0,6.0]]"},
        {"{}", "{}", "[]"},
        {"[[],[]]", "{}", "[]"},
        {"{1,NULL}", "{1,NaN}", "[1.0,null]"},
        {"[[[1]]]", "{{{1}}}", "[[[1.0]]]"},
        {"", NULL, NULL},
        {"1,2", NULL, NULL},
        {"{1,2", NULL, NULL},
        {"{1,2}}", NULL, NULL},
        {"{1,,2}", NULL, NULL},
        {"{1,}", NULL, NULL},
        {"{1 2}", NULL, NULL},
        {"{{1,2},{3}}", NULL, NULL},
        {"{{1},2}", NULL, NULL},
        {"{1,{2}}", NULL, NULL},
        {"{{},{1}}", NULL, NULL},
        {"{a}", NULL, NULL},
        {"[1}", NULL, NULL},
    };
    Buffer bytes, text;
    buffer_init(&bytes, 1 << 20);
    buffer_init(&text, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        buffer_clear(&bytes);
        Error err = {0};
        ErrorCode code = array_parse_text(str_from_c(ROWS[i].text), &bytes, &err);
        if ((code == ERR_OK) != (ROWS[i].postgres != NULL)) {
            fail_msg("%s: %s", ROWS[i].text, err.message);
        }
        if (code != ERR_OK) {
            assert_int_equal(code, ERR_INVALID_TEXT);
            continue;
        }
        ArrayView view;
        assert_int_equal(array_view(buffer_str(&bytes), &view, NULL), ERR_OK);
        for (int json = 0; json <= 1; json++) {
            buffer_clear(&text);
            array_format_text(&view, json ? '[' : '{', json ? ']' : '}', &text);
            buffer_append_char(&text, '\0');
            assert_string_equal((const char *)text.data, json ? ROWS[i].json : ROWS[i].postgres);
        }
    }
    buffer_deinit(&bytes);
    buffer_deinit(&text);
}

static void depth_is_limited(void **state) {
    (void)state;
    Buffer bytes, text;
    buffer_init(&bytes, 1 << 20);
    buffer_init(&text, 1 << 20);
    for (int depth = 31; depth <= 100; depth += 1) {
        buffer_clear(&text);
        buffer_clear(&bytes);
        buffer_append_fill(&text, '[', (size_t)depth);
        buffer_append_char(&text, '1');
        buffer_append_fill(&text, ']', (size_t)depth);
        ErrorCode code = array_parse_text(buffer_str(&text), &bytes, NULL);
        assert_int_equal(code, depth <= ARRAY_DIMS_MAX ? ERR_OK : ERR_PROGRAM_LIMIT);
    }
    buffer_deinit(&bytes);
    buffer_deinit(&text);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } ROWS[] = {
        {"", 0}, {"\x01", 1}, {"\x01\x01\0\0\0", 5}, {"\x01\xff\xff\xff\xff", 5}, {"\x21", 1}, {"\0x", 2},
        {"\x02\xff\xff\0\0\xff\xff\0\0", 9},
    };
    ArrayView view;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_int_equal(array_view(str_from(ROWS[i].bytes, ROWS[i].len), &view, NULL), ERR_DAMAGED);
    }
    assert_int_equal(array_view(str_from("\0", 1), &view, NULL), ERR_OK);
    assert_int_equal(view.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_go_round),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

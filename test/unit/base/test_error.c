/* SPDX-License-Identifier: Apache-2.0
 * test_error.c - further fields of an error: kept by letter, cut where room ends, forgotten by the next error. */
#include "base/error.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static void fields_are_found_by_letter(void **state) {
    (void)state;
    Error err;
    ErrorCode code = error_set(&err, ERR_UNIQUE_VIOLATION, ERROR_NO_POSITION, "twice");
    assert_int_equal(code, ERR_UNIQUE_VIOLATION);
    assert_null(error_field(&err, 'D'));
    assert_int_equal(error_add(&err, 'D', "Key (%s)=(%d) already exists.", "id", 1), ERR_UNIQUE_VIOLATION);
    (void)error_add(&err, 'n', "t_pkey");
    (void)error_add(&err, 'D', "not taken");
    assert_string_equal(error_field(&err, 'D'), "Key (id)=(1) already exists.");
    assert_string_equal(error_field(&err, 'n'), "t_pkey");
    assert_null(error_field(&err, 'H'));
    (void)error_set(&err, ERR_SYNTAX, 3, "next");
    assert_null(error_field(&err, 'n'));
}

static void long_fields_are_cut(void **state) {
    (void)state;
    Error err;
    (void)error_set(&err, ERR_SYNTAX, 3, "x");
    char text[2000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    (void)error_add(&err, 'H', "%s", text);
    (void)error_add(&err, 'D', "no room");
    assert_true(strlen(error_field(&err, 'H')) > 500);
    assert_true(err.field_bytes <= ERROR_FIELD_BYTES);
    assert_null(error_field(&err, 'D'));
    assert_int_equal(error_add(NULL, 'D', "nobody"), ERR_INTERNAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_are_found_by_letter), cmocka_unit_test(long_fields_are_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

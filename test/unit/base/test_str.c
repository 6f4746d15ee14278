/* SPDX-License-Identifier: Apache-2.0
 * test_str.c - text helpers and UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/str.h"

static void compares(void **state) {
    (void)state;
    assert_true(str_compare(STR("a"), STR("b")) < 0);
    assert_true(str_compare(STR("a"), STR("aa")) < 0);
    assert_true(str_compare(STR("\xff"), STR("a")) > 0);
    assert_int_equal(str_compare((Str){NULL, 0}, STR("")), 0);
    assert_true(str_equal_ignore_case(STR("SeLeCt_[\xc3\x84"), STR("sElEcT_[\xc3\x84")));
    assert_false(str_equal_ignore_case(STR("["), STR("{")));
    assert_true(str_starts_with(STR("abc"), STR("ab")));
    assert_false(str_starts_with(STR("a"), STR("ab")));
    assert_true(str_ends_with(STR("abc"), STR("bc")));
    assert_true(str_ends_with(STR("abc"), STR("")));
}

static void finds(void **state) {
    (void)state;
    assert_int_equal(str_find(STR("hello"), STR("l"), 0), 2);
    assert_int_equal(str_find(STR("hello"), STR("l"), 3), 3);
    assert_int_equal(str_find(STR("hello"), STR("l"), 4), -1);
    assert_int_equal(str_find(STR("hello"), STR(""), 5), 5);
    assert_int_equal(str_find(STR("hello"), STR(""), 6), -1);
    assert_int_equal(str_find(STR("he"), STR("hello"), 0), -1);
    assert_int_equal(str_find_char(STR("a,b,c"), ',', 2), 3);
    assert_int_equal(str_find_char(STR("a"), 'a', 9), -1);
    assert_true(str_equal(str_trim(STR(" \t\r\n x y \v\f")), STR("x y")));
    assert_int_equal(str_trim(STR("   ")).len, 0);
}

static void splits_into_all_pieces(void **state) {
    (void)state;
    Str rest = STR("a,,b,");
    static const char *const WANT[] = {"a", "", "b", ""};
    Str piece;
    for (size_t i = 0; i < COUNT_OF(WANT); i++) {
        assert_true(str_split(&rest, ',', &piece));
        assert_true(str_equal(piece, str_from_c(WANT[i])));
    }
    assert_false(str_split(&rest, ',', &piece));
}

static void utf8_accepts_and_refuses(void **state) {
    (void)state;
    static const struct { Str text; bool valid; size_t length; } ROWS[] = {
        {{"", 0}, true, 0},
        {{"plain ascii, longer than eight", 30}, true, 30},
        {{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9}, true, 3},
        {{"12345678\xe2\x82\xac", 11}, true, 9},
        {{"\xc0\x80", 2}, false, 0},         /* overlong */
        {{"\xe0\x80\x80", 3}, false, 0},     /* overlong */
        {{"\xf0\x80\x80\x80", 4}, false, 0}, /* overlong */
        {{"\xed\xa0\x80", 3}, false, 0},     /* surrogate */
        {{"\xf4\x90\x80\x80", 4}, false, 0}, /* above 10ffff */
        {{"\xf5\x80\x80\x80", 4}, false, 0},
        {{"\x80", 1}, false, 0},
        {{"\xe2\x82", 2}, false, 0},
        {{"1234567\xe2\x28\xa1", 10}, false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_int_equal(utf8_valid(ROWS[i].text), ROWS[i].valid);
        if (ROWS[i].valid) {
            assert_int_equal(utf8_length(ROWS[i].text), ROWS[i].length);
        }
    }
}

static void utf8_every_code_point_goes_round(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char bytes[4];
        int len = utf8_encode(c, bytes);
        uint32_t back = 0;
        int used = utf8_decode((Str){bytes, (size_t)len}, 0, &back);
        if (c >= 0xd800 && c <= 0xdfff) {
            assert_int_equal(used, -1);
        } else {
            assert_int_equal(used, len);
            assert_int_equal(back, c);
        }
    }
    uint32_t unused;
    assert_int_equal(utf8_decode(STR("a"), 1, &unused), 0);
}

static void utf8_offsets(void **state) {
    (void)state;
    Str s = STR("a\xc3\xa4z");
    assert_int_equal(utf8_offset(s, 0), 0);
    assert_int_equal(utf8_offset(s, 1), 1);
    assert_int_equal(utf8_offset(s, 2), 3);
    assert_int_equal(utf8_offset(s, 3), 4);
    assert_int_equal(utf8_offset(s, 99), 4);
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(finds),
        cmocka_unit_test(splits_into_all_pieces),
        cmocka_unit_test(utf8_accepts_and_refuses),
        cmocka_unit_test(utf8_every_code_point_goes_round),
        cmocka_unit_test(utf8_offsets),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}

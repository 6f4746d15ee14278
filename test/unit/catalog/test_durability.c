/* SPDX-License-Identifier: Apache-2.0
 * test_durability.c - the words for durability, and what is none. */
#include "catalog/catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void words_are_read_in_any_case(void **state) {
    (void)state;
    static const struct { const char *text; uint8_t durability; uint32_t ms; } GOOD[] = {
        {"commit", DURABILITY_COMMIT, 0}, {" OFF ", DURABILITY_OFF, 0}, {"interval", DURABILITY_INTERVAL, 0},
        {"Interval(50)", DURABILITY_INTERVAL, 50}, {"interval ( 3600000 )", DURABILITY_INTERVAL, 3600000}, {"interval(1)", DURABILITY_INTERVAL, 1},
    };
    for (size_t i = 0; i < COUNT_OF(GOOD); i++) {
        uint8_t durability = DURABILITY_UNSET;
        uint32_t ms = 7;
        assert_true(durability_parse(str_from_c(GOOD[i].text), &durability, &ms));
        assert_int_equal(durability, GOOD[i].durability);
        assert_int_equal(ms, GOOD[i].ms);
    }
}

static void other_words_are_refused(void **state) {
    (void)state;
    static const char *const BAD[] = {"", "on", "commits", "interval(0)", "interval(-5)", "interval(3600001)", "interval()", "interval(50", "interval 50",
                                      "interval(99999999999999999999)", "interval(5)x", "intervals(5)", "default"};
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        uint8_t durability = DURABILITY_UNSET;
        uint32_t ms = 0;
        assert_false(durability_parse(str_from_c(BAD[i]), &durability, &ms));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read_in_any_case),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

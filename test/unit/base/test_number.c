/* SPDX-License-Identifier: Apache-2.0
 * test_number.c - numbers and their texts: limits, styles, round trips over random bit patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/number.h"
#include "base/random.h"

enum { ROUND_TRIPS = 200000 };

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void integers_parse(void **state) {
    (void)state;
    static const struct { const char *text; bool ok, overflow; int64_t value; } ROWS[] = {
        {"0", true, false, 0},
        {"-0", true, false, 0},
        {"+7", true, false, 7},
        {"007", true, false, 7},
        {"9223372036854775807", true, false, INT64_MAX},
        {"-9223372036854775808", true, false, INT64_MIN},
        {"9223372036854775808", false, true, 0},
        {"-9223372036854775809", false, true, 0},
        {"99999999999999999999999", false, true, 0},
        {"99999999999999999999999x", false, false, 0},
        {"", false, false, 0},
        {"-", false, false, 0},
        {"+-1", false, false, 0},
        {" 1", false, false, 0},
        {"1.0", false, false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int64_t value = 0;
        bool overflow = false;
        assert_int_equal(parse_int64(str_from_c(ROWS[i].text), &value, &overflow), ROWS[i].ok);
        assert_int_equal(overflow, ROWS[i].overflow);
        assert_true(!ROWS[i].ok || value == ROWS[i].value);
    }
    uint64_t wide;
    bool overflow;
    assert_true(parse_uint64(STR("18446744073709551615"), &wide, &overflow));
    assert_true(wide == UINT64_MAX);
    assert_false(parse_uint64(STR("18446744073709551616"), &wide, &overflow));
    assert_true(overflow);
    assert_false(parse_uint64(STR("-1"), &wide, &overflow));
    assert_true(overflow);
    assert_true(parse_hex64(STR("DeadBeef"), &wide));
    assert_true(wide == 0xdeadbeef);
    assert_false(parse_hex64(STR("0x1"), &wide));
    assert_false(parse_hex64(STR("12345678901234567"), &wide));
    assert_false(parse_hex64(STR(""), &wide));
}

static void integers_go_round(void **state) {
    (void)state;
    Random random;
    random_init(&random, 1);
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t value = (int64_t)(random_next(&random) >> random_below(&random, 64));
        value = random_chance(&random, 1, 2) ? -value : value;
        char text[INT64_TEXT_MAX + 1];
        char want[32];
        size_t len = format_int64(text, value);
        text[len] = 0;
        snprintf(want, sizeof want, "%lld", (long long)value);
        assert_string_equal(text, want);
        int64_t back;
        bool overflow;
        assert_true(parse_int64((Str){text, len}, &back, &overflow));
        assert_true(back == value);
    }
    char text[INT128_TEXT_MAX];
    assert_int_equal(format_int64(text, INT64_MIN), 20);
    assert_memory_equal(text, "-9223372036854775808", 20);
}

static void int128_formats(void **state) {
    (void)state;
    static const Int128 E18 = 1000000000000000000;
    static const struct { Int128 value; const char *want; } ROWS[] = {
        {0, "0"},
        {-1, "-1"},
        {E18 - 1, "999999999999999999"},
        {E18, "1000000000000000000"},
        {E18 * E18, "1000000000000000000000000000000000000"},
        {-(E18 * E18 - 1), "-999999999999999999999999999999999999"},
        {(Int128)((Uint128)-1 >> 1), "170141183460469231731687303715884105727"},
        {(Int128)((Uint128)1 << 127), "-170141183460469231731687303715884105728"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char text[INT128_TEXT_MAX + 1];
        text[format_int128(text, ROWS[i].value)] = 0;
        assert_string_equal(text, ROWS[i].want);
    }
}

static void double_texts_parse(void **state) {
    (void)state;
    static const char *const GOOD[] = {"0",     "-0",     "1",       "1.",        ".5",       "1e5",  "1E+5",  "1e-5",
                                       "1e308", "1e-320", "4.9e-324", "1e-400",   "0e999999999999", "123456789012345678901234567890",
                                       "0.1",   "2.2250738585072011e-308", "9007199254740993", "9007199254740992.999999",
                                       "1.7976931348623157e308", "00000000000000000000000000000.000000000000000001e3",
                                       "0.000000000000000000000000000000000000000000000000000001", "6929495644600919.5"};
    for (size_t i = 0; i < COUNT_OF(GOOD); i++) {
        double value = -1;
        assert_true(parse_double(str_from_c(GOOD[i]), &value));
        assert_true(bits_of(value) == bits_of(strtod(GOOD[i], NULL)));
    }
    static const char *const BAD[] = {"", ".", "-", "e5", "1e", "1e+", "1.2.3", "0x10", "1f", " 1", "1 ", "1_000", "infi", "nano", "1e400", "--1", "-1e999"};
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        double value;
        assert_false(parse_double(str_from_c(BAD[i]), &value));
    }
    double value;
    assert_true(parse_double(STR("-InFinity"), &value));
    assert_true(value == -INFINITY);
    assert_true(parse_double(STR("+inf"), &value));
    assert_true(parse_double(STR("NaN"), &value));
    assert_true(isnan(value));
}

static void long_doubles_round_by_all_digits(void **state) {
    (void)state;
    /* Just at, below and above the middle of two doubles, with more digits than any table holds. */
    char text[3000];
    size_t len = (size_t)snprintf(text, sizeof text, "9007199254740993.");
    memset(text + len, '0', 1500);
    len += 1500;
    double value;
    assert_true(parse_double((Str){text, len}, &value));
    assert_true(value == 9007199254740992.0);
    text[len - 1] = '1';
    assert_true(parse_double((Str){text, len}, &value));
    assert_true(value == 9007199254740994.0);
}

static void random_decimals_parse_as_strtod_does(void **state) {
    (void)state;
    Random random;
    random_init(&random, 5);
    for (int i = 0; i < ROUND_TRIPS; i++) {
        char text[64];
        int digits = (int)random_between(&random, 1, 25);
        int len = 0;
        int point = (int)random_between(&random, 0, 25);
        for (int k = 0; k < digits; k++) {
            if (k == point) {
                text[len++] = '.';
            }
            text[len++] = (char)('0' + random_below(&random, 10));
        }
        if (random_chance(&random, 2, 3)) {
            len += snprintf(text + len, sizeof text - (size_t)len, "e%d", (int)random_between(&random, -330, 280));
        }
        text[len] = 0;
        double value;
        float single;
        assert_true(parse_double((Str){text, (size_t)len}, &value));
        if (bits_of(value) != bits_of(strtod(text, NULL))) {
            fail_msg("%s", text);
        }
        float want = strtof(text, NULL);
        bool ok = parse_float((Str){text, (size_t)len}, &single);
        if (ok ? single != want : !isinf(want)) {
            fail_msg("%s", text);
        }
    }
}

static void doubles_print_in_both_styles(void **state) {
    (void)state;
    static const struct { double value; const char *postgres, *java; } ROWS[] = {
        {0.0, "0", "0.0"},
        {-0.0, "-0", "-0.0"},
        {1.0, "1", "1.0"},
        {-1.5, "-1.5", "-1.5"},
        {0.1, "0.1", "0.1"},
        {100.0, "100", "100.0"},
        {0.001, "0.001", "0.001"},
        {0.0001, "0.0001", "1.0E-4"},
        {0.00012345, "0.00012345", "1.2345E-4"},
        {0.00001, "1e-05", "1.0E-5"},
        {1e7, "10000000", "1.0E7"},
        {9999999.0, "9999999", "9999999.0"},
        {12345678.9, "12345678.9", "1.23456789E7"},
        {1e14, "100000000000000", "1.0E14"},
        {123456789012345.0, "123456789012345", "1.23456789012345E14"},
        {1e15, "1e+15", "1.0E15"},
        {1.5e300, "1.5e+300", "1.5E300"},
        {1.0 / 3, "0.3333333333333333", "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666", "0.6666666666666666"},
        {1e-7, "1e-07", "1.0E-7"},
        {0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"},
        {1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157E308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308", "2.2250738585072014E-308"},
        {5e-324, "5e-324", "4.9E-324"},
        {123.456, "123.456", "123.456"},
        {987654321.1234, "987654321.1234", "9.876543211234E8"},
        {9007199254740993.0, "9.007199254740992e+15", "9.007199254740992E15"},
        {NAN, "NaN", "NaN"},
        {INFINITY, "Infinity", "Infinity"},
        {-INFINITY, "-Infinity", "-Infinity"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char text[DOUBLE_TEXT_MAX + 1];
        text[format_double(text, ROWS[i].value, DOUBLE_POSTGRES)] = 0;
        assert_string_equal(text, ROWS[i].postgres);
        text[format_double(text, ROWS[i].value, DOUBLE_JAVA)] = 0;
        assert_string_equal(text, ROWS[i].java);
    }
}

static void floats_print(void **state) {
    (void)state;
    static const struct { float value; const char *postgres, *java; } ROWS[] = {
        {0.1f, "0.1", "0.1"},
        {3.14f, "3.14", "3.14"},
        {100000.0f, "100000", "100000.0"},
        {123456.0f, "123456", "123456.0"},
        {1234567.0f, "1.234567e+06", "1234567.0"},
        {16777216.0f, "1.6777216e+07", "1.6777216E7"},
        {1e-45f, "1e-45", "1.4E-45"},
        {3.4028235e38f, "3.4028235e+38", "3.4028235E38"},
        {1.0f, "1", "1.0"},
        {0.3333333333f, "0.33333334", "0.33333334"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char text[DOUBLE_TEXT_MAX + 1];
        text[format_float(text, ROWS[i].value, DOUBLE_POSTGRES)] = 0;
        assert_string_equal(text, ROWS[i].postgres);
        text[format_float(text, ROWS[i].value, DOUBLE_JAVA)] = 0;
        assert_string_equal(text, ROWS[i].java);
    }
}

static void fractions_print(void **state) {
    (void)state;
    static const struct { int64_t value; int digits; const char *text; } ROWS[] = {
        {0, 6, ""}, {500000, 6, ".5"}, {1, 6, ".000001"}, {123456, 6, ".123456"}, {120, 9, ".00000012"}, {999999999, 9, ".999999999"}, {7, 1, ".7"}};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char out[16] = {0};
        size_t len = format_fraction(out, ROWS[i].value, ROWS[i].digits);
        assert_int_equal(len, strlen(ROWS[i].text));
        assert_memory_equal(out, ROWS[i].text, len);
    }
}

/* As short as the shortest of printf's roundings that reads back, and never longer than DOUBLE_TEXT_MAX. */
static void check_shortest(double value) {
    char text[DOUBLE_TEXT_MAX + 1];
    size_t len = format_double(text, value, DOUBLE_POSTGRES);
    assert_in_range(len, 1, DOUBLE_TEXT_MAX);
    text[len] = 0;
    if (bits_of(strtod(text, NULL)) != bits_of(value)) {
        fail_msg("%s is not %.17g", text, value);
    }
    double back;
    assert_true(parse_double((Str){text, len}, &back));
    assert_true(bits_of(back) == bits_of(value));
    size_t digits = 0;
    bool leading = true;
    size_t zeros = 0;
    for (size_t i = 0; i < len && text[i] != 'e'; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            leading = leading && text[i] == '0';
            digits += !leading;
            zeros = text[i] == '0' ? zeros + 1 : 0;
        }
    }
    digits -= leading ? 0 : zeros;
    for (int precision = 0; precision < 17; precision++) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "%.*e", precision, value);
        if (strtod(wanted, NULL) == value) {
            /* PostgreSQL refuses a decimal exactly between two doubles, so one digit more is allowed. */
            if (digits > (size_t)precision + 1) {
                assert_in_range(digits, precision + 2, 17);
                assert_true((bits_of(value) & 1) == 0);
            }
            return;
        }
    }
}

static void random_doubles_go_round_and_are_short(void **state) {
    (void)state;
    Random random;
    random_init(&random, 9);
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double any = double_of(random_next(&random));
        if (isfinite(any)) {
            check_shortest(any);
        }
        check_shortest((double)random_between(&random, -1000000000, 1000000000) / (double)random_between(&random, 1, 1000));
        check_shortest((double)random_between(&random, -1000000, 1000000) / 1e4);
        check_shortest((double)random_between(&random, 1, 1000000) * pow(10, (double)random_between(&random, -300, 300)));
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_shortest(ldexp(1, exponent));
        check_shortest(nextafter(ldexp(1, exponent), 0));
        check_shortest(nextafter(ldexp(1, exponent), INFINITY));
    }
}

static void random_floats_go_round(void **state) {
    (void)state;
    Random random;
    random_init(&random, 10);
    for (int i = 0; i < ROUND_TRIPS; i++) {
        uint32_t bits = (uint32_t)random_next(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[DOUBLE_TEXT_MAX + 1];
        size_t len = format_float(text, value, random_chance(&random, 1, 2) ? DOUBLE_POSTGRES : DOUBLE_JAVA);
        text[len] = 0;
        assert_true(strtof(text, NULL) == value);
        float back;
        assert_true(parse_float((Str){text, len}, &back));
        assert_true(back == value);
        assert_in_range(len, 1, 16);
    }
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(integers_parse),
        cmocka_unit_test(integers_go_round),
        cmocka_unit_test(int128_formats),
        cmocka_unit_test(double_texts_parse),
        cmocka_unit_test(long_doubles_round_by_all_digits),
        cmocka_unit_test(random_decimals_parse_as_strtod_does),
        cmocka_unit_test(doubles_print_in_both_styles),
        cmocka_unit_test(floats_print),
        cmocka_unit_test(fractions_print),
        cmocka_unit_test(random_doubles_go_round_and_are_short),
        cmocka_unit_test(random_floats_go_round),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}

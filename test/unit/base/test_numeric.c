/* SPDX-License-Identifier: Apache-2.0
 * test_numeric.c - texts, PostgreSQL's scales and roundings, refusals, and random laws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include "base/numeric.h"
#include "base/random.h"

static Numeric num(const char *text) {
    Numeric value;
    Error err;
    if (numeric_parse(str_from_c(text), &value, &err) != ERR_OK) {
        fail_msg("%s: %s", text, err.message);
    }
    return value;
}

static const char *text_of(Numeric value, char room[NUMERIC_TEXT_MAX + 1]) {
    room[numeric_format(room, value)] = 0;
    return room;
}

static void texts_go_round(void **state) {
    (void)state;
    static const struct { const char *text, *want; } ROWS[] = {
        {"0", "0"},         {"-0", "0"},          {"0.00", "0.00"},     {"1.50", "1.50"},   {"-1.5", "-1.5"},      {".5", "0.5"},
        {"5.", "5"},        {"1e5", "100000"},    {"1.5e1", "15"},      {"1.50e1", "15.0"}, {"1e-5", "0.00001"},   {"12e-1", "1.2"},
        {"+7", "7"},        {"NaN", "NaN"},       {"inf", "Infinity"},  {"-Infinity", "-Infinity"},
        {"99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
        {"0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"},
        {"0000000000000000000000000000000000000000000001.0", "1.0"},
        {"1.0000000000000000000000000000000000000000000000", "1.00000000000000000000000000000000000000"},
        {"170141183460469231731687303715884105727", "170141183460469231731687303715884105727"},
        {"-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"},
        {"2.0000000000000000000000000000000000000000000000", "2.0000000000000000000000000000000000000"},
        {"0.0000000000000000000000000000000000000000000000", "0.00000000000000000000000000000000000000"},
        {"0e1000", "0"},    {"1e37", "10000000000000000000000000000000000000"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char room[NUMERIC_TEXT_MAX + 1];
        assert_string_equal(text_of(num(ROWS[i].text), room), ROWS[i].want);
    }
}

static void bad_texts_are_refused_at_their_place(void **state) {
    (void)state;
    static const struct { const char *text; ErrorCode code; int64_t at; } ROWS[] = {
        {"", ERR_INVALID_TEXT, 0},     {"-", ERR_INVALID_TEXT, 1},      {"1x", ERR_INVALID_TEXT, 1},  {"1.2.3", ERR_INVALID_TEXT, 3},
        {"1e", ERR_INVALID_TEXT, 1},   {"e1", ERR_INVALID_TEXT, 0},     {" 1", ERR_INVALID_TEXT, 0},  {".", ERR_INVALID_TEXT, 1},
        {"nan1", ERR_INVALID_TEXT, 0}, {"1e39", ERR_OUT_OF_RANGE, 0},   {"1e-39", ERR_OUT_OF_RANGE, 0}, {"1e999999999", ERR_OUT_OF_RANGE, 0},
        {"170141183460469231731687303715884105728", ERR_OUT_OF_RANGE, 0},
        {"-170141183460469231731687303715884105729", ERR_OUT_OF_RANGE, 0},
        {"2.00000000000000000000000000000000000001", ERR_OUT_OF_RANGE, 0},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Numeric value;
        Error err;
        assert_int_equal(numeric_parse(str_from_c(ROWS[i].text), &value, &err), ROWS[i].code);
        assert_int_equal(err.position, ROWS[i].at);
    }
}

typedef ErrorCode (*Operation)(Numeric a, Numeric b, Numeric *out, Error *err);

static void arithmetic_shows_postgres_scales(void **state) {
    (void)state;
    static const struct { Operation run; const char *a, *b, *want; } ROWS[] = {
        {numeric_add, "1.50", "0.5", "2.00"},
        {numeric_add, "99999999999999999999999999999999999999", "-1", "99999999999999999999999999999999999998"},
        {numeric_sub, "1", "1.000", "0.000"},
        {numeric_mul, "1.50", "2.0", "3.000"},
        {numeric_mul, "-0.1", "0.1", "-0.01"},
        {numeric_mul, "12345678901234567890", "1000000000000000000", "12345678901234567890000000000000000000"},
        {numeric_div, "1", "3", "0.33333333333333333333"},
        {numeric_div, "2", "3", "0.66666666666666666667"},
        {numeric_div, "-2", "3", "-0.66666666666666666667"},
        {numeric_div, "10", "3", "3.3333333333333333"},
        {numeric_div, "1", "1", "1.00000000000000000000"},
        {numeric_div, "4", "2", "2.0000000000000000"},
        {numeric_div, "100000", "7", "14285.714285714286"},
        {numeric_div, "1.5", "0.3", "5.0000000000000000"},
        {numeric_div, "1", "10000", "0.000100000000000000000000"},
        {numeric_div, "0", "5", "0.00000000000000000000"},
        {numeric_div, "1", "0.00000001", "100000000.000000000000"},
        {numeric_div, "12345678901234567890", "3", "4115226300411522630"},
        {numeric_mod, "10", "3", "1"},
        {numeric_mod, "-10", "3", "-1"},
        {numeric_mod, "10.5", "-3", "1.5"},
        {numeric_mod, "1", "0.3", "0.1"},
        {numeric_mod, "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000007", "0.00000000000000000000000000000000000002"},
        {numeric_mod, "0.00000000000000000000000000000000000007", "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000007"},
        {numeric_add, "NaN", "1", "NaN"},
        {numeric_add, "Infinity", "-Infinity", "NaN"},
        {numeric_sub, "Infinity", "-Infinity", "Infinity"},
        {numeric_sub, "1", "Infinity", "-Infinity"},
        {numeric_mul, "Infinity", "0", "NaN"},
        {numeric_mul, "-Infinity", "2", "-Infinity"},
        {numeric_div, "Infinity", "-2", "-Infinity"},
        {numeric_div, "5", "Infinity", "0"},
        {numeric_div, "NaN", "0", "NaN"},
        {numeric_mod, "5", "Infinity", "5"},
        {numeric_mod, "Infinity", "5", "NaN"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Numeric result;
        Error err;
        if (ROWS[i].run(num(ROWS[i].a), num(ROWS[i].b), &result, &err) != ERR_OK) {
            fail_msg("row %zu: %s", i, err.message);
        }
        char room[NUMERIC_TEXT_MAX + 1];
        assert_string_equal(text_of(result, room), ROWS[i].want);
    }
}

static void too_wide_results_are_refused(void **state) {
    (void)state;
    static const char *const NINES = "99999999999999999999999999999999999999";
    Numeric out;
    Error err;
    static const char *const LARGEST = "170141183460469231731687303715884105727", *const LEAST = "-170141183460469231731687303715884105728";
    assert_int_equal(numeric_add(num(LARGEST), num("1"), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_sub(num(LEAST), num("1"), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_sub(num("0"), num(LEAST), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_negate(num(LEAST), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_add(num(NINES), num(NINES), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_sub(num("-99999999999999999999999999999999999999"), num(NINES), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_add(num(NINES), num("0.1"), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_mul(num(NINES), num("2"), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_mul(num("1e-20"), num("1e-19"), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_div(num(NINES), num("1e-10"), &out, &err), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_div(num("1"), num("0"), &out, &err), ERR_DIVISION_BY_ZERO);
    assert_int_equal(numeric_div(num("Infinity"), num("0"), &out, &err), ERR_DIVISION_BY_ZERO);
    assert_int_equal(numeric_mod(num("1"), num("0.00"), &out, &err), ERR_DIVISION_BY_ZERO);
    assert_int_equal(numeric_rescale(num(NINES), 1, &out, &err), ERR_OUT_OF_RANGE);
}

static void rescale_rounds_half_away(void **state) {
    (void)state;
    static const struct { const char *text; int16_t scale; const char *want; } ROWS[] = {
        {"2.5", 0, "3"},     {"-2.5", 0, "-3"},  {"2.4999", 0, "2"},  {"0.5", 0, "1"},     {"0.49", 0, "0"},
        {"1.005", 2, "1.01"}, {"-0.004", 2, "0.00"}, {"7", 3, "7.000"}, {"0.99999", 2, "1.00"},
        {"0.00000000000000000000000000000000000006", 37, "0.0000000000000000000000000000000000001"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Numeric out;
        assert_int_equal(numeric_rescale(num(ROWS[i].text), ROWS[i].scale, &out, NULL), ERR_OK);
        char room[NUMERIC_TEXT_MAX + 1];
        assert_string_equal(text_of(out, room), ROWS[i].want);
    }
}

static void order_is_by_value(void **state) {
    (void)state;
    static const char *const ASCENDING[] = {
        "-Infinity", "-99999999999999999999999999999999999999", "-1.5", "-1", "-0.00000000000000000000000000000000000001", "0",
        "0.00000000000000000000000000000000000001", "0.1", "1", "1.00000000000001", "99999999999999999999999999999999999999", "Infinity", "NaN"};
    for (size_t i = 0; i < COUNT_OF(ASCENDING); i++) {
        for (size_t k = 0; k < COUNT_OF(ASCENDING); k++) {
            assert_int_equal(numeric_compare(num(ASCENDING[i]), num(ASCENDING[k])), (i > k) - (i < k));
        }
    }
    assert_int_equal(numeric_compare(num("1.0"), num("1.000")), 0);
}

static void conversions(void **state) {
    (void)state;
    char room[NUMERIC_TEXT_MAX + 1];
    static const struct { double value; const char *want; } DOUBLES[] = {
        {0.1, "0.1"},       {1.0 / 3, "0.333333333333333"}, {1e20, "100000000000000000000"}, {123456789.123456789, "123456789.123457"},
        {-2.5, "-2.5"},     {NAN, "NaN"},                   {-INFINITY, "-Infinity"},        {1e-30, "0.000000000000000000000000000001"},
        {1e-300, "0"},      {0.0, "0"},
    };
    for (size_t i = 0; i < COUNT_OF(DOUBLES); i++) {
        Numeric out;
        Error err;
        if (numeric_from_double(DOUBLES[i].value, &out, &err) != ERR_OK) {
            fail_msg("row %zu: %s", i, err.message);
        }
        assert_true(str_starts_with(str_from_c(text_of(out, room)), str_from_c(DOUBLES[i].want)));
    }
    Numeric out;
    assert_int_equal(numeric_from_double(1e39, &out, NULL), ERR_OUT_OF_RANGE);
    assert_true(numeric_to_double(num("0.1")) == 0.1);
    assert_true(numeric_to_double(num("123456789012345678901234567890.12345678")) == 123456789012345678901234567890.12345678);
    assert_true(isnan(numeric_to_double(num("NaN"))));
    int64_t whole;
    assert_int_equal(numeric_to_int64(num("9223372036854775807.4"), &whole, NULL), ERR_OK);
    assert_true(whole == INT64_MAX);
    assert_int_equal(numeric_to_int64(num("9223372036854775807.5"), &whole, NULL), ERR_OUT_OF_RANGE);
    assert_int_equal(numeric_to_int64(num("-2.5"), &whole, NULL), ERR_OK);
    assert_int_equal(whole, -3);
    assert_int_equal(numeric_to_int64(num("NaN"), &whole, NULL), ERR_OUT_OF_RANGE);
    assert_true(pow10_int128(38) == (Int128)10000000000000000000ULL * (Int128)10000000000000000000ULL);
}

static Numeric random_numeric(Random *random) {
    Int128 coefficient = 0;
    int digits = (int)random_between(random, 0, 19);
    for (int i = 0; i < digits; i++) {
        coefficient = coefficient * 10 + (Int128)random_below(random, 10);
    }
    return (Numeric){.coefficient = random_chance(random, 1, 2) ? -coefficient : coefficient,
                     .scale = (int16_t)random_below(random, 12)};
}

/* a = quotient * b + remainder, and the like, on random values */
static void laws_hold(void **state) {
    (void)state;
    Random random;
    random_init(&random, 8);
    int divided = 0;
    for (int i = 0; i < 200000; i++) {
        Numeric a = random_numeric(&random);
        Numeric b = random_numeric(&random);
        Numeric sum;
        Numeric back;
        assert_int_equal(numeric_add(a, b, &sum, NULL), ERR_OK);
        assert_int_equal(numeric_sub(sum, b, &back, NULL), ERR_OK);
        assert_int_equal(numeric_compare(back, a), 0);
        Numeric product;
        Numeric quotient;
        if (numeric_mul(a, b, &product, NULL) != ERR_OK || b.coefficient == 0) {
            continue;
        }
        if (numeric_div(product, b, &quotient, NULL) == ERR_OK) {
            assert_int_equal(numeric_compare(quotient, a), 0);
            divided++;
        }
        Numeric rest;
        assert_int_equal(numeric_mod(a, b, &rest, NULL), ERR_OK);
        Numeric multiple;
        assert_int_equal(numeric_sub(a, rest, &multiple, NULL), ERR_OK);
        assert_int_equal(numeric_mod(multiple, b, &back, NULL), ERR_OK);
        assert_true(back.coefficient == 0);
        char room[NUMERIC_TEXT_MAX + 1];
        Numeric again = num(text_of(a, room));
        assert_true(again.coefficient == a.coefficient);
        assert_int_equal(again.scale, a.scale);
    }
    assert_true(divided > 50000);
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(texts_go_round),
        cmocka_unit_test(bad_texts_are_refused_at_their_place),
        cmocka_unit_test(arithmetic_shows_postgres_scales),
        cmocka_unit_test(too_wide_results_are_refused),
        cmocka_unit_test(rescale_rounds_half_away),
        cmocka_unit_test(order_is_by_value),
        cmocka_unit_test(conversions),
        cmocka_unit_test(laws_hold),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}

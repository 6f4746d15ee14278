/* SPDX-License-Identifier: Apache-2.0
 * number_format.c - double and float -> the shortest text that reads back as the same value, in two styles.
 *
 * Why: most doubles in tables are decimals of at most four places. If round(v x 10^4) / 10^4 gives v back and the rounded number
 * has at most 15 digits, these digits are the shortest, because no two decimals of 15 digits share a double. The others are
 * found by the general search of number_shortest.c.
 * Tests: test/unit/base/test_number.c */
#include "base/number.h"
#include "base/number_internal.h"
#include <math.h>
#include <stdio.h>

enum { PLAIN_LOW_POSTGRES = -4, PLAIN_HIGH_DOUBLE = 15, PLAIN_HIGH_FLOAT = 6, PLAIN_LOW_JAVA = -3, PLAIN_HIGH_JAVA = 7 };

/* A style's numbers: first digit's exponents that are written plainly, and how the others look. */
typedef struct Layout {
    int plain_low, plain_high; /* plain_low <= exponent < plain_high */
    const char *exponent_mark;
    int exponent_digits_min;
    bool point_always, plus;
} Layout;

static const Layout LAYOUT_POSTGRES_DOUBLE = {PLAIN_LOW_POSTGRES, PLAIN_HIGH_DOUBLE, "e", 2, false, true};
static const Layout LAYOUT_POSTGRES_FLOAT = {PLAIN_LOW_POSTGRES, PLAIN_HIGH_FLOAT, "e", 2, false, true};
static const Layout LAYOUT_JAVA = {PLAIN_LOW_JAVA, PLAIN_HIGH_JAVA, "E", 1, true, false};

static size_t put_text(char *out, const char *text) {
    size_t len = strlen(text);
    memcpy(out, text, len);
    return len;
}

/* 0.00123, 123.4, 12300 */
static size_t put_plain(char *out, const ShortDecimal *d, bool point_always) {
    int whole = d->exponent + 1; /* digits before the point */
    size_t len = 0;
    if (whole <= 0) {
        len += put_text(out, "0.");
        memset(out + len, '0', (size_t)-whole);
        len += (size_t)-whole;
        memcpy(out + len, d->digits, (size_t)d->count);
        return len + (size_t)d->count;
    }
    int before = MIN_OF(whole, d->count);
    memcpy(out, d->digits, (size_t)before);
    memset(out + before, '0', (size_t)(whole - before));
    len = (size_t)whole;
    if (d->count > whole) {
        out[len++] = '.';
        memcpy(out + len, d->digits + whole, (size_t)(d->count - whole));
        return len + (size_t)(d->count - whole);
    }
    return point_always ? len + put_text(out + len, ".0") : len;
}

static size_t put_scientific(char *out, const ShortDecimal *d, const Layout *layout) {
    size_t len = 0;
    out[len++] = d->digits[0];
    if (d->count > 1) {
        out[len++] = '.';
        memcpy(out + len, d->digits + 1, (size_t)d->count - 1);
        len += (size_t)d->count - 1;
    } else if (layout->point_always) {
        len += put_text(out + len, ".0");
    }
    len += put_text(out + len, layout->exponent_mark);
    if (d->exponent < 0) {
        out[len++] = '-';
    } else if (layout->plus) {
        out[len++] = '+';
    }
    int exponent = d->exponent < 0 ? -d->exponent : d->exponent;
    if (exponent < 10 && layout->exponent_digits_min > 1) {
        out[len++] = '0';
    }
    return len + format_uint64(out + len, (uint64_t)exponent);
}

static size_t put_decimal(char *out, const ShortDecimal *d, const Layout *layout) {
    assert(d->count >= 1);
    assert(d->count <= SHORT_DIGITS_MAX);
    if (d->exponent >= layout->plain_low && d->exponent < layout->plain_high) {
        return put_plain(out, d, layout->point_always);
    }
    return put_scientific(out, d, layout);
}

/* Digits of a whole number times 10^-places. */
static void decimal_from_integer(uint64_t number, int places, ShortDecimal *d) {
    assert(number != 0);
    while (places > 0 && number % 10 == 0) {
        number /= 10;
        places--;
    }
    d->count = (int)format_uint64(d->digits, number);
    d->exponent = d->count - 1 - places;
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
    }
}

static bool has_few_places(double magnitude, ShortDecimal *d) {
    double scaled = magnitude * 1e4;
    if (!(scaled < 1e15)) {
        return false;
    }
    double rounded = (double)(int64_t)(scaled + 0.5);
    if (rounded / 1e4 != magnitude) {
        return false;
    }
    decimal_from_integer((uint64_t)rounded, 4, d);
    return true;
}

/* Not a finite number other than zero: written here. */
static size_t put_special(char *out, double value, bool java) {
    if (isnan(value)) {
        return put_text(out, "NaN");
    }
    if (isinf(value)) {
        return put_text(out, value < 0 ? "-Infinity" : "Infinity");
    }
    assert(value == 0);
    size_t len = signbit(value) ? put_text(out, "-") : 0;
    return len + put_text(out + len, java ? "0.0" : "0");
}

size_t format_double(char *out, double value, DoubleStyle style) {
    bool java = style == DOUBLE_JAVA;
    if (!isfinite(value) || value == 0) {
        return put_special(out, value, java);
    }
    size_t len = 0;
    if (value < 0) {
        out[len++] = '-';
        value = -value;
    }
    ShortDecimal d;
    if (!has_few_places(value, &d)) {
        number__shortest_double(value, !java, &d);
    }
    return len + put_decimal(out + len, &d, java ? &LAYOUT_JAVA : &LAYOUT_POSTGRES_DOUBLE);
}

size_t format_float(char *out, float value, DoubleStyle style) {
    bool java = style == DOUBLE_JAVA;
    if (!isfinite(value) || value == 0) {
        return put_special(out, (double)value, java);
    }
    size_t len = 0;
    if (value < 0) {
        out[len++] = '-';
        value = -value;
    }
    ShortDecimal d;
    number__shortest_float(value, !java, &d);
    return len + put_decimal(out + len, &d, java ? &LAYOUT_JAVA : &LAYOUT_POSTGRES_FLOAT);
}

size_t format_fraction(char *out, int64_t value, int digits) {
    assert(value >= 0);
    if (value == 0) {
        return 0;
    }
    out[0] = '.';
    for (int i = digits; i > 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
    assert(value == 0);
    size_t len = (size_t)digits + 1;
    while (out[len - 1] == '0') {
        len--;
    }
    return len;
}

size_t format_rounded(char *out, double value, int digits) {
    assert(digits >= 1);
    assert(digits <= 17);
    if (!isfinite(value) || value == 0) {
        return put_special(out, value, false);
    }
    char text[DOUBLE_TEXT_MAX];
    int len = snprintf(text, sizeof text, "%.*g", digits, value);
    assert(len > 0);
    assert((size_t)len < sizeof text);
    memcpy(out, text, (size_t)len);
    return (size_t)len;
}

/* SPDX-License-Identifier: Apache-2.0
 * numeric_convert.c - numeric <-> text, double and int64.
 * Tests: test/unit/base/test_numeric.c */
#include "base/number.h"
#include "base/numeric.h"
#include <math.h>
#include <stdio.h>

enum { EXPONENT_LIMIT = 100000, DOUBLE_DIGITS = 15, EXACT_POWER_MAX = 22 };

static ErrorCode bad_text(Str text, size_t at, Error *err) {
    return error_set(err, ERR_INVALID_TEXT, (int64_t)at, "invalid input syntax for type numeric: \"%.*s\"",
                     (int)MIN_OF(text.len, (size_t)100), text.data);
}

static ErrorCode too_long(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, 0, "numeric value needs more than %d digits", NUMERIC_DIGITS_MAX);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool parse_special(Str s, bool negative, Numeric *out) {
    *out = (Numeric){0};
    if (str_equal_ignore_case(s, STR("nan"))) {
        out->kind = NUMERIC_NAN;
        return true;
    }
    out->kind = negative ? NUMERIC_MINUS_INFINITY : NUMERIC_INFINITY;
    return str_equal_ignore_case(s, STR("infinity")) || str_equal_ignore_case(s, STR("inf"));
}

typedef struct Mantissa {
    Uint128 value;
    int places;  /* behind the point */
    int zeros;   /* zeros at the end that are not in value yet */
    bool any, too_long;
} Mantissa;

/* Zeros wait until another digit follows, so that "1" and forty zeros behind the point is not too long by itself. */
static void add_digit(Mantissa *m, char c) {
    m->any = true;
    if (c == '0') {
        m->zeros += m->value != 0;
        return;
    }
    for (int i = 0; i <= m->zeros; i++) {
        if (m->value > NUMERIC_COEFFICIENT_MAX / 10) {
            m->too_long = true;
            return;
        }
        m->value *= 10;
    }
    m->value += (Uint128)(c - '0');
    m->too_long = m->value > NUMERIC_COEFFICIENT_MAX;
    m->zeros = 0;
}

static size_t scan_mantissa(Str text, size_t at, Mantissa *m) {
    bool point = false;
    for (; at < text.len; at++) {
        char c = text.data[at];
        if (is_digit(c)) {
            add_digit(m, c);
            m->places += point;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    return at;
}

static bool scan_exponent(Str text, size_t at, int *exponent_out) {
    bool negative = at < text.len && text.data[at] == '-';
    at += negative || (at < text.len && text.data[at] == '+');
    int value = 0;
    size_t from = at;
    for (; at < text.len && is_digit(text.data[at]); at++) {
        value = MIN_OF(value * 10 + (text.data[at] - '0'), EXPONENT_LIMIT);
    }
    *exponent_out = negative ? -value : value;
    return at == text.len && at != from;
}

static bool fits_with_zeros(Uint128 value, int zeros, bool negative) {
    return zeros <= NUMERIC_DIGITS_MAX && value <= (NUMERIC_COEFFICIENT_MAX - !negative) / (Uint128)pow10_int128(zeros);
}

/* value x 10^zeros with m.places - exponent places -> coefficient and scale */
static ErrorCode assemble(Mantissa *m, int exponent, bool negative, Numeric *out, Error *err) {
    int scale = m->places - exponent;
    int zeros = m->zeros;
    if (m->value == 0) {
        *out = (Numeric){.scale = (int16_t)MIN_OF(MAX_OF(scale, 0), NUMERIC_SCALE_MAX)};
        return ERR_OK;
    }
    if (scale < 0) {
        zeros -= scale;
        scale = 0;
    }
    /* Zeros behind the point may go if there are too many digits; nothing else may. */
    while (zeros > 0 && scale > 0 && (scale > NUMERIC_SCALE_MAX || !fits_with_zeros(m->value, zeros, negative))) {
        zeros--;
        scale--;
    }
    if (scale > NUMERIC_SCALE_MAX || !fits_with_zeros(m->value, zeros, negative)) {
        return too_long(err);
    }
    Uint128 value = m->value * (Uint128)pow10_int128(zeros);
    *out = (Numeric){.coefficient = (Int128)(negative ? -value : value), .scale = (int16_t)scale};
    return ERR_OK;
}

ErrorCode numeric_parse(Str text, Numeric *out, Error *err) {
    bool negative = text.len > 0 && text.data[0] == '-';
    size_t at = negative || (text.len > 0 && text.data[0] == '+');
    if (text.len == at) {
        return bad_text(text, at, err);
    }
    if ((text.data[at] | 0x20) >= 'a') {
        bool named = parse_special(str_slice(text, at, text.len), negative, out);
        return named && !(at > 0 && out->kind == NUMERIC_NAN) ? ERR_OK : bad_text(text, at, err);
    }
    if (text.len > EXPONENT_LIMIT) {
        return too_long(err);
    }
    Mantissa m = {0};
    at = scan_mantissa(text, at, &m);
    int exponent = 0;
    bool has_exponent = at < text.len && (text.data[at] | 0x20) == 'e';
    bool complete = has_exponent ? scan_exponent(text, at + 1, &exponent) : at == text.len;
    if (!m.any || !complete) {
        return bad_text(text, at, err);
    }
    return m.too_long ? too_long(err) : assemble(&m, exponent, negative, out, err);
}

static size_t put_text(char *out, const char *text) {
    size_t len = strlen(text);
    memcpy(out, text, len);
    return len;
}

size_t numeric_format(char *out, Numeric value) {
    static const char *const NAMES[] = {
        [NUMERIC_NAN] = "NaN", [NUMERIC_INFINITY] = "Infinity", [NUMERIC_MINUS_INFINITY] = "-Infinity"};
    if (value.kind != NUMERIC_FINITE) {
        return put_text(out, NAMES[value.kind]);
    }
    size_t len = 0;
    char text[INT128_TEXT_MAX];
    const char *digits = text;
    size_t count = format_int128(text, value.coefficient);
    if (value.coefficient < 0) {
        out[len++] = '-';
        digits++;
        count--;
    }
    size_t scale = (size_t)value.scale;
    size_t before = count > scale ? count - scale : 0;
    if (before == 0) {
        out[len++] = '0';
    }
    memcpy(out + len, digits, before);
    len += before;
    if (scale == 0) {
        return len;
    }
    out[len++] = '.';
    size_t fill = scale - (count - before);
    memset(out + len, '0', fill);
    memcpy(out + len + fill, digits + before, count - before);
    return len + scale;
}

double numeric_to_double(Numeric value) {
    if (value.kind != NUMERIC_FINITE) {
        return value.kind == NUMERIC_NAN ? NAN : value.kind == NUMERIC_INFINITY ? INFINITY : -INFINITY;
    }
    static const Int128 EXACT = (Int128)1 << 53;
    if (value.coefficient <= EXACT && value.coefficient >= -EXACT && value.scale <= EXACT_POWER_MAX) {
        /* Both are exact doubles, so that the division rounds once. */
        double power = (double)pow10_int128(value.scale);
        return (double)value.coefficient / power;
    }
    char text[NUMERIC_TEXT_MAX];
    double result = 0;
    bool parsed = parse_double((Str){text, numeric_format(text, value)}, &result);
    assert(parsed);
    return result;
}

ErrorCode numeric_from_double(double value, Numeric *out, Error *err) {
    if (!isfinite(value)) {
        *out = (Numeric){.kind = isnan(value) ? NUMERIC_NAN : value > 0 ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY};
        return ERR_OK;
    }
    if (fabs(value) >= 1e39) {
        return too_long(err);
    }
    char text[400];
    int len = snprintf(text, sizeof text, "%.*g", DOUBLE_DIGITS, value);
    if (fabs(value) < 1e-20) { /* its 15 digits may reach below the 38th place: round there */
        len = snprintf(text, sizeof text, "%.*f", NUMERIC_SCALE_MAX, value);
        while (text[len - 1] == '0') {
            len--;
        }
    }
    return numeric_parse((Str){text, (size_t)len}, out, err);
}

ErrorCode numeric_to_int64(Numeric value, int64_t *out, Error *err) {
    if (value.kind != NUMERIC_FINITE) {
        char text[NUMERIC_TEXT_MAX];
        size_t len = numeric_format(text, value);
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "cannot convert %.*s to bigint", (int)len, text);
    }
    Numeric whole;
    TRY(numeric_rescale(value, 0, &whole, err));
    if (whole.coefficient < INT64_MIN || whole.coefficient > INT64_MAX) {
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "bigint out of range");
    }
    *out = (int64_t)whole.coefficient;
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * number.h - numbers <-> text without locale; integer parsing checks overflow; doubles print shortest-round-trip.
 *
 * Why: the result encoders print hundreds of millions of values; snprintf costs 300 ns a double. */
#pragma once
#include "base/error.h"
#include "base/str.h"

/* Parse the whole of s (no white space). false: not a number of that form; *overflow_out tells out of range from bad text. */
bool parse_int64(Str s, int64_t *value_out, bool *overflow_out);   /* [+-]digits */
bool parse_uint64(Str s, uint64_t *value_out, bool *overflow_out);
bool parse_hex64(Str s, uint64_t *value_out);                      /* 1-16 hex digits */
bool parse_double(Str s, double *value_out);                       /* decimal or exponent form, inf/infinity/nan any case; correctly rounded, own fast path + strtod;
                                                                      false too if it is beyond the largest finite value */
bool parse_float(Str s, float *value_out);

/* ---- what nearly all numbers of files look like, inline ---- */

/* Digits with at most one point among them: the number without it, and how many stand behind it. digits_max <= 18. */
static inline bool parse_short_decimal(Str s, size_t digits_max, int64_t *coefficient_out, size_t *places_out) {
    size_t at = s.len > 0 && s.data[0] == '-' ? 1 : 0, first = at, point = s.len;
    int64_t value = 0;
    if (s.len - at > digits_max + 1) {
        return false;
    }
    for (; at < s.len; at++) {
        uint32_t digit = (uint32_t)(uint8_t)s.data[at] - '0';
        if (digit <= 9) {
            value = value * 10 + (int64_t)digit;
        } else if (s.data[at] == '.' && point == s.len) {
            point = at;
        } else {
            return false;
        }
    }
    size_t digits = s.len - first - (point != s.len);
    *coefficient_out = first == 1 ? -value : value;
    *places_out = point == s.len ? 0 : s.len - point - 1;
    return digits > 0 && digits <= digits_max;
}

/* At most fifteen digits: an exact integer divided by an exact power of ten is rounded once. */
static inline bool parse_short_double(Str s, double *value_out) {
    static const double POWER[16] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    int64_t coefficient;
    size_t places;
    if (!parse_short_decimal(s, 15, &coefficient, &places)) {
        return false;
    }
    *value_out = coefficient == 0 && s.data[0] == '-' ? -0.0 : (double)coefficient / POWER[places];
    return true;
}

enum { INT64_TEXT_MAX = 20, DOUBLE_TEXT_MAX = 32, INT128_TEXT_MAX = 41 };
/* Write without NUL, return bytes written; out has room for the _MAX of the type. */
size_t format_int64(char *out, int64_t value);
size_t format_fraction(char *out, int64_t value, int digits); /* what stands behind the point: ".5" of 500000 with 6 digits; nothing of 0 */
size_t format_uint64(char *out, uint64_t value);
size_t format_int128(char *out, Int128 value);
/* Shortest text that parses back to the same double. style: see below. NaN "NaN", infinities "Infinity" / "-Infinity". */
typedef enum DoubleStyle {
    DOUBLE_POSTGRES, /* 1 -> "1", 1e15 -> "1e+15", 0.0001 -> "0.0001", 0.00001 -> "1e-05" (PostgreSQL 12+, extra_float_digits 1) */
    DOUBLE_JAVA      /* 1 -> "1.0", 1e7 -> "1.0E7", 0.001 -> "0.001", 1e-4 -> "1.0E-4" (QuestDB, Java's Double.toString) */
} DoubleStyle;
size_t format_double(char *out, double value, DoubleStyle style);
size_t format_float(char *out, float value, DoubleStyle style);
size_t format_rounded(char *out, double value, int digits); /* to 1 .. 17 significant digits, PostgreSQL's style */

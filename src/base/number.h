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

enum { INT64_TEXT_MAX = 20, DOUBLE_TEXT_MAX = 32, INT128_TEXT_MAX = 41 };
/* Write without NUL, return bytes written; out has room for the _MAX of the type. */
size_t format_int64(char *out, int64_t value);
size_t format_uint64(char *out, uint64_t value);
size_t format_int128(char *out, Int128 value);
/* Shortest text that parses back to the same double. style: see below. NaN "NaN", infinities "Infinity" / "-Infinity". */
typedef enum DoubleStyle {
    DOUBLE_POSTGRES, /* 1 -> "1", 1e15 -> "1e+15", 0.0001 -> "0.0001", 0.00001 -> "1e-05" (PostgreSQL 12+, extra_float_digits 1) */
    DOUBLE_JAVA      /* 1 -> "1.0", 1e7 -> "1.0E7", 0.001 -> "0.001", 1e-4 -> "1.0E-4" (QuestDB, Java's Double.toString) */
} DoubleStyle;
size_t format_double(char *out, double value, DoubleStyle style);
size_t format_float(char *out, float value, DoubleStyle style);

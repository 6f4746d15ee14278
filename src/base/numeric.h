/* SPDX-License-Identifier: Apache-2.0
 * numeric.h - exact decimals of 38 digits and some of 39: coefficient int128 x 10^-scale. Arithmetic refuses (ERR_OUT_OF_RANGE) what needs more.
 *
 * Why: numeric(p,s) lies in columns as int64 / int128 with the scale in the type; plain numeric as a 16-byte slot (column/types.h). */
#pragma once
#include "base/error.h"
#include "base/str.h"

enum { NUMERIC_DIGITS_MAX = 38, NUMERIC_TEXT_MAX = 80, NUMERIC_SCALE_MAX = 38 };
/* No coefficient is beyond it; -2^127 is one, so -coefficient alone is not safe: numeric_negate. */
#define NUMERIC_COEFFICIENT_MAX ((Uint128)1 << 127)
typedef enum NumericKind { NUMERIC_FINITE, NUMERIC_NAN, NUMERIC_INFINITY, NUMERIC_MINUS_INFINITY } NumericKind;
typedef struct Numeric {
    Int128 coefficient;
    int16_t scale;   /* digits after the point, 0..NUMERIC_SCALE_MAX; kept (1.50 has scale 2), as PostgreSQL shows it */
    uint8_t kind;
} Numeric;

NODISCARD ErrorCode numeric_parse(Str text, Numeric *out, Error *err);    /* ERR_INVALID_TEXT, ERR_OUT_OF_RANGE; position = offset in text (0 for range) */
size_t numeric_format(char *out, Numeric value);                          /* NUMERIC_TEXT_MAX bytes of room */
NODISCARD ErrorCode numeric_rescale(Numeric value, int16_t scale, Numeric *out, Error *err); /* rounds half away from zero */
NODISCARD ErrorCode numeric_add(Numeric a, Numeric b, Numeric *out, Error *err);
NODISCARD ErrorCode numeric_sub(Numeric a, Numeric b, Numeric *out, Error *err);
NODISCARD ErrorCode numeric_mul(Numeric a, Numeric b, Numeric *out, Error *err);
NODISCARD ErrorCode numeric_div(Numeric a, Numeric b, Numeric *out, Error *err); /* PostgreSQL's select_div_scale: at least 16 significant digits */
NODISCARD ErrorCode numeric_mod(Numeric a, Numeric b, Numeric *out, Error *err);
NODISCARD ErrorCode numeric_negate(Numeric value, Numeric *out, Error *err);
int numeric_compare(Numeric a, Numeric b);                                /* NaN largest and equal to itself */
double numeric_to_double(Numeric value);
NODISCARD ErrorCode numeric_from_double(double value, Numeric *out, Error *err); /* 15 significant digits, as PostgreSQL */
NODISCARD ErrorCode numeric_to_int64(Numeric value, int64_t *out, Error *err);   /* rounds half away from zero */
static inline Numeric numeric_from_int64(int64_t value) { return (Numeric){.coefficient = value}; }
Int128 pow10_int128(int exponent);                                        /* 0..38 */

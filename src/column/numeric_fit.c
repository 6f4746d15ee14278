/* SPDX-License-Identifier: Apache-2.0
 * numeric_fit.c - what goes into a NUMERIC with a typmod: rounded to its scale, checked against its precision.
 *
 * Why:   numeric(p,s) lies as DECIMAL8 or DECIMAL16 where p digits fit and s is among them; the other forms of PostgreSQL (more than 38
 *        digits, scales below zero or above the precision) are plain numerics whose values are fitted when they are stored.
 * Tests: test/sql/numeric_wide.slt */
#include "column/types.h"

static ErrorCode overflow(int precision, int scale, Error *err) {
    (void)error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric field overflow");
    int digits = precision - scale;
    error_ignore(error_add(err, 'D', digits != 0 ? "A field with precision %d, scale %d must round to an absolute value less than 10^%d."
                                                 : "A field with precision %d, scale %d must round to an absolute value less than 1.", precision, scale, digits));
    return ERR_OUT_OF_RANGE;
}

static ErrorCode infinite(int precision, int scale, Error *err) {
    (void)error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric field overflow");
    error_ignore(error_add(err, 'D', "A field with precision %d, scale %d cannot hold an infinite value.", precision, scale));
    return ERR_OUT_OF_RANGE;
}

/* To tens, hundreds and so on: a scale below zero. */
static ErrorCode round_before_point(Numeric value, int places, Numeric *out, Error *err) {
    *out = numeric_from_int64(0);
    if (value.scale + places > NUMERIC_DIGITS_MAX) { /* less than half of the place */
        return ERR_OK;
    }
    Numeric unit = {.coefficient = pow10_int128(places)}, shifted = value;
    shifted.scale = (int16_t)(value.scale + places);
    TRY(numeric_rescale(shifted, 0, &shifted, err));
    return numeric_mul(shifted, unit, out, err);
}

static ErrorCode round_to(Numeric value, int scale, Numeric *out, Error *err) {
    if (scale < 0) {
        return round_before_point(value, MIN_OF(-scale, NUMERIC_DIGITS_MAX), out, err);
    }
    if (scale > NUMERIC_SCALE_MAX && value.coefficient != 0) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "more than %d digits behind the point are not supported", NUMERIC_SCALE_MAX);
    }
    return numeric_rescale(value, (int16_t)MIN_OF(scale, NUMERIC_SCALE_MAX), out, err);
}

ErrorCode numeric_fit(Type type, Numeric value, Numeric *value_out, Error *err) {
    *value_out = value;
    if (type.id != TYPE_NUMERIC || type.length == 0 || value.kind == NUMERIC_NAN) {
        return ERR_OK;
    }
    int precision, scale;
    type_numeric_modifiers(type.length, &precision, &scale);
    if (value.kind != NUMERIC_FINITE) {
        return infinite(precision, scale, err);
    }
    TRY(round_to(value, scale, value_out, err));
    int digits = precision - scale; /* before the point; below zero: so many zeros behind it */
    if (digits > NUMERIC_DIGITS_MAX || value_out->coefficient == 0) {
        return ERR_OK; /* what cannot be that large */
    }
    Numeric limit = digits >= 0 ? (Numeric){.coefficient = pow10_int128(digits)} : (Numeric){.coefficient = 1, .scale = (int16_t)MIN_OF(-digits, NUMERIC_SCALE_MAX)};
    Numeric size = *value_out;
    TRY(size.coefficient < 0 ? numeric_negate(size, &size, err) : ERR_OK);
    return numeric_compare(size, limit) < 0 ? ERR_OK : overflow(precision, scale, err);
}

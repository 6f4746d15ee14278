/* SPDX-License-Identifier: Apache-2.0
 * cast_number.c - casts among numbers and booleans.
 *
 * Rounding: float -> integer half to even, numeric -> integer half away from zero; the questdb dialect cuts the fraction (D5). */
#include <math.h>
#include <stdio.h>

#include "sql/func/cast_internal.h"

static bool cuts(const KernelCall *call) {
    return call->environment != NULL && call->environment->questdb;
}

/* ---- conversions that always fit ---- */

#define WIDEN(name, T, R)                                                                                              \
    ErrorCode cast__##name(const KernelCall *call, Vector *out, Error *err) {                                          \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        R *to = vector_data(out);                                                                                      \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            to[row] = (R)AT(T, a, row);                                                                                \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
WIDEN(i8_i16, int8_t, int16_t)
WIDEN(i8_i32, int8_t, int32_t)
WIDEN(i8_i64, int8_t, int64_t)
WIDEN(i8_f32, int8_t, float)
WIDEN(i8_f64, int8_t, double)
WIDEN(i16_i32, int16_t, int32_t)
WIDEN(i16_i64, int16_t, int64_t)
WIDEN(i16_f32, int16_t, float)
WIDEN(i16_f64, int16_t, double)
WIDEN(i32_i64, int32_t, int64_t)
WIDEN(i32_f32, int32_t, float)
WIDEN(i32_f64, int32_t, double)
WIDEN(i64_f32, int64_t, float)
WIDEN(i64_f64, int64_t, double)
WIDEN(f32_f64, float, double)

/* ---- conversions that may not ---- */

#define NARROW(name, T, R, LOW, HIGH)                                                                                  \
    ErrorCode cast__##name(const KernelCall *call, Vector *out, Error *err) {                                          \
        ArgView a = func__arg(call, 0);                                                                                \
        R *to = vector_data(out);                                                                                      \
        FOR_ROWS(call, row) {                                                                                          \
            T x = AT(T, a, row);                                                                                       \
            if (x < (LOW) || x > (HIGH)) {                                                                             \
                return func__out_of_range((TypeId)out->type.id, err);                                                  \
            }                                                                                                          \
            to[row] = (R)x;                                                                                            \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NARROW(i16_i8, int16_t, int8_t, INT8_MIN, INT8_MAX)
NARROW(i32_i8, int32_t, int8_t, INT8_MIN, INT8_MAX)
NARROW(i32_i16, int32_t, int16_t, INT16_MIN, INT16_MAX)
NARROW(i64_i8, int64_t, int8_t, INT8_MIN, INT8_MAX)
NARROW(i64_i16, int64_t, int16_t, INT16_MIN, INT16_MAX)
NARROW(i64_i32, int64_t, int32_t, INT32_MIN, INT32_MAX)

/* END: the first value too large, exact in double. NaN fails both comparisons. */
#define FLOAT_TO_INTEGER(name, T, R, LOW, END)                                                                         \
    ErrorCode cast__##name(const KernelCall *call, Vector *out, Error *err) {                                          \
        ArgView a = func__arg(call, 0);                                                                                \
        bool cut = cuts(call);                                                                                         \
        R *to = vector_data(out);                                                                                      \
        FOR_ROWS(call, row) {                                                                                          \
            double x = (double)AT(T, a, row);                                                                          \
            x = cut ? trunc(x) : nearbyint(x);                                                                         \
            if (!(x >= (LOW) && x < (END))) {                                                                          \
                return func__out_of_range((TypeId)out->type.id, err);                                                  \
            }                                                                                                          \
            to[row] = (R)x;                                                                                            \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
#define FLOAT_TO_INTEGERS(name, T)                                                                                     \
    FLOAT_TO_INTEGER(name##_i8, T, int8_t, -128.0, 128.0)                                                              \
    FLOAT_TO_INTEGER(name##_i16, T, int16_t, -32768.0, 32768.0)                                                        \
    FLOAT_TO_INTEGER(name##_i32, T, int32_t, -2147483648.0, 2147483648.0)                                              \
    FLOAT_TO_INTEGER(name##_i64, T, int64_t, -9223372036854775808.0, 9223372036854775808.0)
FLOAT_TO_INTEGERS(f32, float)
FLOAT_TO_INTEGERS(f64, double)

ErrorCode cast__f64_f32(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        double x = AT(double, a, row);
        float r = (float)x;
        if (!cuts(call) && ((isinf(r) && !isinf(x)) || (r == 0 && x != 0))) {
            return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: %s", r == 0 ? "underflow" : "overflow");
        }
        ((float *)vector_data(out))[row] = r;
    }
    return ERR_OK;
}

/* ---- booleans ---- */

#define FROM_BOOL(name, T)                                                                                             \
    ErrorCode cast__bool_##name(const KernelCall *call, Vector *out, Error *err) {                                     \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            ((T *)vector_data(out))[row] = (T)func__bool(a, row);                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    ErrorCode cast__##name##_bool(const KernelCall *call, Vector *out, Error *err) {                                   \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            func__put_bool(out, row, AT(T, a, row) != 0);                                                              \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
FROM_BOOL(i8, int8_t)
FROM_BOOL(i16, int16_t)
FROM_BOOL(i32, int32_t)
FROM_BOOL(i64, int64_t)
FROM_BOOL(f32, float)
FROM_BOOL(f64, double)

/* ---- numeric ---- */

ErrorCode cast__store_decimal(Type type, Numeric value, void *value_out, Error *err) {
    Numeric scaled;
    if (value.kind != NUMERIC_FINITE || numeric_rescale(value, type.scale, &scaled, NULL) != ERR_OK) {
        scaled.coefficient = pow10_int128(NUMERIC_DIGITS_MAX);
    }
    int precision = type.precision == 0 ? (type.id == TYPE_DECIMAL8 ? 18 : NUMERIC_DIGITS_MAX) : type.precision;
    Int128 limit = pow10_int128(precision);
    if (scaled.coefficient >= limit || scaled.coefficient <= -limit) {
        (void)error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric field overflow");
        int digits = precision - type.scale;
        error_ignore(error_add(err, 'D', digits > 0 ? "A field with precision %d, scale %d must round to an absolute value less than 10^%d."
                                                    : "A field with precision %d, scale %d must round to an absolute value less than 1.", precision, type.scale, digits));
        return ERR_OUT_OF_RANGE;
    }
    if (type.id == TYPE_DECIMAL8) {
        int64_t narrow = (int64_t)scaled.coefficient;
        memcpy(value_out, &narrow, sizeof narrow);
    } else {
        memcpy(value_out, &scaled.coefficient, sizeof scaled.coefficient);
    }
    return ERR_OK;
}

static void *slot_of(Vector *out, size_t row) {
    return (uint8_t *)vector_data(out) + row * physical_bytes(type_physical((TypeId)out->type.id));
}

/* Constants are read as row 0; rows of dense vectors as they come. */
#define INTEGER_TO_NUMERIC(name, T)                                                                                    \
    ErrorCode cast__##name##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            ((NumericSlot *)vector_data(out))[row] = (NumericSlot){.as.coefficient = AT(T, a, row)};                   \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    ErrorCode cast__##name##_decimal(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0);                                                                                \
        Type type = cast__target(call, out);                                                                           \
        FOR_ROWS(call, row) {                                                                                          \
            TRY(cast__store_decimal(type, numeric_from_int64(AT(T, a, row)), slot_of(out, row), err));                 \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
INTEGER_TO_NUMERIC(i8, int8_t)
INTEGER_TO_NUMERIC(i16, int16_t)
INTEGER_TO_NUMERIC(i32, int32_t)
INTEGER_TO_NUMERIC(i64, int64_t)

/* float4 has 6 sure digits, float8 15: PostgreSQL prints that many and reads them back. */
static ErrorCode from_float(float x, Numeric *value, Error *err) {
    if (!isfinite(x)) {
        return numeric_from_double((double)x, value, err);
    }
    char text[64];
    int len = snprintf(text, sizeof text, "%.6g", (double)x);
    return numeric_parse((Str){text, (size_t)len}, value, err);
}

#define FLOAT_TO_NUMERIC(name, T, CONVERT)                                                                             \
    ErrorCode cast__##name##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric value;                                                                                             \
            TRY(CONVERT(AT(T, a, row), &value, err));                                                                  \
            func__put_numeric(call, out, row, value);                                                                  \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    ErrorCode cast__##name##_decimal(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0);                                                                                \
        Type type = cast__target(call, out);                                                                           \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric value;                                                                                             \
            TRY(CONVERT(AT(T, a, row), &value, err));                                                                  \
            TRY(cast__store_decimal(type, value, slot_of(out, row), err));                                             \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
FLOAT_TO_NUMERIC(f32, float, from_float)
FLOAT_TO_NUMERIC(f64, double, numeric_from_double)

/* Of NUMERIC, DECIMAL8 and DECIMAL16 alike. */
static ErrorCode to_int64(const KernelCall *call, size_t row, int64_t *value_out, Error *err) {
    Numeric value = vector_numeric(call->args[0], row);
    if (value.kind != NUMERIC_FINITE) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "cannot convert %s to an integer", value.kind == NUMERIC_NAN ? "NaN" : "infinity");
    }
    if (cuts(call) && value.scale > 0) {
        value.coefficient /= pow10_int128(value.scale);
        value.scale = 0;
    }
    return numeric_to_int64(value, value_out, err);
}

static bool store_integer(TypeId type, int64_t value, void *out) {
    int64_t high = type == TYPE_BYTE ? INT8_MAX : type == TYPE_INT2 ? INT16_MAX : type == TYPE_INT4 ? INT32_MAX : INT64_MAX;
    if (value > high || value < -high - 1) {
        return false;
    }
    memcpy(out, &value, physical_bytes(type_physical(type)));
    return true;
}

ErrorCode cast__numeric_int(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int64_t value;
        TRY(to_int64(call, row, &value, err));
        if (!store_integer((TypeId)out->type.id, value, slot_of(out, row))) {
            return func__out_of_range((TypeId)out->type.id, err);
        }
    }
    return ERR_OK;
}

ErrorCode cast__numeric_float(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        double value = numeric_to_double(vector_numeric(call->args[0], row));
        if (out->type.id == TYPE_FLOAT4) {
            ((float *)vector_data(out))[row] = (float)value;
        } else {
            ((double *)vector_data(out))[row] = value;
        }
    }
    return ERR_OK;
}

ErrorCode cast__numeric_numeric(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        func__put_numeric(call, out, row, vector_numeric(call->args[0], row));
    }
    return ERR_OK;
}

ErrorCode cast__numeric_fit(const KernelCall *call, Vector *out, Error *err) {
    Type type = cast__target(call, out);
    FOR_ROWS(call, row) {
        Numeric value;
        TRY(numeric_fit(type, vector_numeric(call->args[0], row), &value, err));
        func__put_numeric(call, out, row, value);
    }
    return ERR_OK;
}

ErrorCode cast__numeric_decimal(const KernelCall *call, Vector *out, Error *err) {
    Type type = cast__target(call, out);
    FOR_ROWS(call, row) {
        TRY(cast__store_decimal(type, vector_numeric(call->args[0], row), slot_of(out, row), err));
    }
    return ERR_OK;
}

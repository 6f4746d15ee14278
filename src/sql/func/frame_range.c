/* SPDX-License-Identifier: Apache-2.0
 * frame_range.c - what RANGE frames with offsets are made of: offsets that are neither NULL nor negative, sums of integers that stop at the ends.
 *
 * Why:   a bound past the type's end takes in all rows on that side; it is no error. */
#include "column/value_rules.h"
#include "sql/func/func_internal.h"

static bool is_negative(const Vector *offset, size_t row) {
    static const uint8_t ZERO[16] = {0};
    switch ((TypeId)offset->type.id) {
    case TYPE_FLOAT4:
    case TYPE_FLOAT8: {
        double value = offset->type.id == TYPE_FLOAT4 ? *(const float *)vector_value(offset, row) : *(const double *)vector_value(offset, row);
        return !(value >= 0);
    }
    case TYPE_NUMERIC: {
        Numeric value = vector_numeric(offset, row);
        return value.kind == NUMERIC_NAN || numeric_compare(value, numeric_from_int64(0)) < 0;
    }
    default: return value_rules((TypeId)offset->type.id)->compare(vector_value(offset, row), ZERO) < 0;
    }
}

static ErrorCode check_offset(const KernelCall *call, Vector *out, const char *which, Error *err) {
    size_t width = physical_bytes(type_physical((TypeId)out->type.id));
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[0], row)) {
            return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "frame %s offset must not be null", which);
        }
        if (is_negative(call->args[0], row)) {
            return error_set(err, ERR_INVALID_FRAME_SIZE, ERROR_NO_POSITION, "invalid preceding or following size in window function");
        }
        memcpy((uint8_t *)vector_data(out) + row * width, vector_value(call->args[0], row), width);
    }
    return ERR_OK;
}

ErrorCode func__frame_start(const KernelCall *call, Vector *out, Error *err) {
    return check_offset(call, out, "starting", err);
}
ErrorCode func__frame_end(const KernelCall *call, Vector *out, Error *err) {
    return check_offset(call, out, "ending", err);
}

ErrorCode func__frame_plus(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        int64_t *sum = &((int64_t *)vector_data(out))[row];
        *sum = __builtin_add_overflow(AT(int64_t, a, row), AT(int64_t, b, row), sum) ? INT64_MAX : *sum;
    }
    return ERR_OK;
}
ErrorCode func__frame_minus(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        int64_t *difference = &((int64_t *)vector_data(out))[row];
        *difference = __builtin_sub_overflow(AT(int64_t, a, row), AT(int64_t, b, row), difference) ? INT64_MIN : *difference;
    }
    return ERR_OK;
}

/* ---- times of day: microseconds, so that a sum does not begin again at midnight ---- */

ErrorCode func__frame_clock_interval(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ((int64_t *)vector_data(out))[row] = AT(Interval, a, row).micros;
    }
    return ERR_OK;
}
ErrorCode func__frame_clock_time(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ((int64_t *)vector_data(out))[row] = AT(int64_t, a, row);
    }
    return ERR_OK;
}
ErrorCode func__frame_clock_timetz(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        TimeTz time = AT(TimeTz, a, row);
        ((int64_t *)vector_data(out))[row] = time.micros + (int64_t)time.zone_west * 1000000;
    }
    return ERR_OK;
}

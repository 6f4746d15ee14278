/* SPDX-License-Identifier: Apache-2.0
 * array/series.c - generate_series over numerics and times: the series as an array, whose elements the binder unnests.
 *
 * Why: integers are counted by the executor batch by batch; these need the arithmetic of this folder. */
#include "sql/func/array/array_internal.h"
#include "sql/func/time/time_internal.h"

enum { SERIES_VALUES_MAX = 1 << 26 };

static ErrorCode too_long(Error *err) {
    return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a series of numerics or times has at most %d values", SERIES_VALUES_MAX);
}

static ErrorCode zero_step(Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "step size cannot equal zero");
}

static ErrorCode check_finite(Numeric value, const char *what, Error *err) {
    if (value.kind != NUMERIC_FINITE) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%s value cannot be %s", what, value.kind == NUMERIC_NAN ? "NaN" : "infinity");
    }
    return ERR_OK;
}

static ErrorCode add_numerics(const KernelCall *call, size_t row, AnyArrayBuilder *builder, Error *err) {
    Numeric value = func__numeric(func__arg(call, 0), row), last = func__numeric(func__arg(call, 1), row);
    Numeric step = call->arg_count > 2 ? func__numeric(func__arg(call, 2), row) : numeric_from_int64(1);
    TRY(check_finite(value, "start", err));
    TRY(check_finite(last, "stop", err));
    TRY(check_finite(step, "step size", err));
    int sign = step.coefficient > 0 ? 1 : -1;
    if (step.coefficient == 0) {
        return zero_step(err);
    }
    while (numeric_compare(value, last) * sign <= 0) {
        NumericSlot slot = numeric_to_slot(value, call->arena);
        any_array_add(builder, &slot);
        if (builder->count > SERIES_VALUES_MAX) {
            return too_long(err);
        }
        TRY(numeric_add(value, step, &value, err));
    }
    return ERR_OK;
}

ErrorCode func__series_numeric(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        any_array_begin(&builder, TYPE_NUMERIC, ARRAY_RESULT_BYTES_MAX);
        ErrorCode code = add_numerics(call, row, &builder, err);
        if (code != ERR_OK) {
            any_array_abandon(&builder);
            return code;
        }
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

static ErrorCode add_times(const KernelCall *call, size_t row, const Zone *zone, AnyArrayBuilder *builder, Error *err) {
    TypeId type = (TypeId)call->args[0]->type.id;
    int64_t value = AT(int64_t, func__arg(call, 0), row), last = AT(int64_t, func__arg(call, 1), row);
    Interval step = AT(Interval, func__arg(call, 2), row);
    Int128 span = interval_span(step);
    if (span == 0) {
        return zero_step(err);
    }
    while (span > 0 ? value <= last : value >= last) {
        any_array_add(builder, &value);
        if (builder->count > SERIES_VALUES_MAX) {
            return too_long(err);
        }
        TRY(time__add_interval(type, type, &value, step, 1, zone, &value, err));
    }
    return ERR_OK;
}

/* first, last, step [, zone] */
ErrorCode func__series_time(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        const Zone *zone = func__zone(call);
        if (call->arg_count > 3) {
            TRY(func__zone_find(call->environment, func__text(func__arg(call, 3), row), true, call->arena, &zone, err));
        }
        any_array_begin(&builder, (TypeId)call->args[0]->type.id, ARRAY_RESULT_BYTES_MAX);
        ErrorCode code = add_times(call, row, zone, &builder, err);
        if (code != ERR_OK) {
            any_array_abandon(&builder);
            return code;
        }
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

/* Integers: never run, the binder takes the types only. */
ErrorCode func__series_counted(const KernelCall *call, Vector *out, Error *err) {
    (void)call;
    (void)out;
    return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "a series of integers is counted by the executor");
}

Type func__type_series(const Type *arg_types, uint16_t arg_count) {
    (void)arg_count;
    return type_array(arg_types[0]);
}

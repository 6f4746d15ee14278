/* SPDX-License-Identifier: Apache-2.0
 * moments_numeric.c - variance and deviation of integers and numerics as PostgreSQL has them: exact sums, a numeric with its scale.
 *
 * Limits: sums of 38 digits, as all numerics; past them 22003. */
#include "sql/func/aggregate/aggregate_internal.h"
#include "sql/func/element.h"

typedef struct NumericMoments { NumericSum x, xx; } NumericMoments;
_Static_assert(sizeof(NumericMoments) == AGGREGATE_NUMERIC_MOMENTS_BYTES, "states are multiples of 16 bytes");

static Numeric value_of(const Vector *arg, size_t row) {
    const void *value = vector_value(arg, row);
    switch ((TypeId)arg->type.id) {
    case TYPE_INT2: return numeric_from_int64(*(const int16_t *)value);
    case TYPE_INT4: return numeric_from_int64(*(const int32_t *)value);
    case TYPE_INT8: return numeric_from_int64(*(const int64_t *)value);
    default: return vector_numeric(arg, row);
    }
}

static ErrorCode step(NumericMoments *state, const AggregateCall *call, size_t row, Error *err) {
    Numeric value = value_of(call->args[0], row), square;
    TRY(numeric_mul(value, value, &square, err));
    TRY(numeric_sum_add(&state->x, value, err));
    TRY(numeric_sum_add(&state->xx, square, err));
    state->x.count++;
    return ERR_OK;
}
FAILING_LOOPS(moments, NumericMoments, take_word, step)

ErrorCode aggregate__moments_update(const AggregateCall *call, void *state, Error *err) {
    return moments_update(call, state, err);
}
ErrorCode aggregate__moments_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, Error *err) {
    return moments_groups(call, states, stride, group, err);
}
ErrorCode aggregate__moments_merge(void *into_pointer, const void *from_pointer, UNUSED Arena *arena, Error *err) {
    NumericMoments *into = into_pointer;
    const NumericMoments *from = from_pointer;
    into->x.count += from->x.count;
    TRY(numeric_sum_add(&into->x, numeric_sum_value(&from->x), err));
    return numeric_sum_add(&into->xx, numeric_sum_value(&from->xx), err);
}

/* (n * sum(x^2) - sum(x)^2) / (n * divisor), its root. */
static ErrorCode spread(const NumericMoments *state, int64_t divisor, bool root, Numeric *out, Error *err) {
    Numeric count = numeric_from_int64(state->x.count), first, second, below;
    TRY(numeric_mul(count, numeric_sum_value(&state->xx), &first, err));
    TRY(numeric_mul(numeric_sum_value(&state->x), numeric_sum_value(&state->x), &second, err));
    TRY(numeric_sub(first, second, &first, err));
    if (first.kind == NUMERIC_FINITE && first.coefficient <= 0) {
        *out = numeric_from_int64(0);
        return ERR_OK;
    }
    TRY(numeric_mul(count, numeric_from_int64(divisor), &below, err));
    TRY(numeric_div(first, below, out, err));
    return root ? func__numeric_root(*out, out->scale, out, err) : ERR_OK;
}

static ErrorCode finish(const NumericMoments *state, bool sample, bool root, Vector *out, size_t row, Arena *arena, Error *err) {
    int64_t divisor = state->x.count - (sample ? 1 : 0);
    Numeric result = {.kind = NUMERIC_NAN};
    if (divisor <= 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    if (state->x.kind == NUMERIC_FINITE) {
        TRY(spread(state, divisor, root, &result, err));
    }
    result_numeric(out, row, result, arena);
    return ERR_OK;
}

ErrorCode aggregate__var_pop(const void *state, UNUSED const void *prepared, Vector *out, size_t row, Arena *arena, Error *err) {
    return finish(state, false, false, out, row, arena, err);
}
ErrorCode aggregate__var_samp(const void *state, UNUSED const void *prepared, Vector *out, size_t row, Arena *arena, Error *err) {
    return finish(state, true, false, out, row, arena, err);
}
ErrorCode aggregate__stddev_pop(const void *state, UNUSED const void *prepared, Vector *out, size_t row, Arena *arena, Error *err) {
    return finish(state, false, true, out, row, arena, err);
}
ErrorCode aggregate__stddev_samp(const void *state, UNUSED const void *prepared, Vector *out, size_t row, Arena *arena, Error *err) {
    return finish(state, true, true, out, row, arena, err);
}

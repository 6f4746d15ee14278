/* SPDX-License-Identifier: Apache-2.0
 * aggregate/interval_sum.c - sum and avg of intervals, field by field. */
#include "sql/func/aggregate/aggregate_internal.h"
#include "column/value_text.h"
#include "sql/func/element.h"

typedef struct IntervalSum { Int128 micros; int64_t months, days, count, infinite; } IntervalSum;
_Static_assert(sizeof(IntervalSum) == AGGREGATE_INTERVAL_BYTES, "states are multiples of 16 bytes");

static ErrorCode interval_step(IntervalSum *state, const AggregateCall *call, size_t row, Error *err) {
    Interval interval;
    memcpy(&interval, vector_value(call->args[0], row), sizeof interval);
    state->count++;
    int infinite = interval_is_infinite(interval);
    if (infinite != 0 && state->infinite == -infinite) {
        return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "interval out of range");
    }
    if (infinite != 0) {
        state->infinite = infinite;
        return ERR_OK;
    }
    state->months += interval.months;
    state->days += interval.days;
    state->micros += interval.micros;
    return ERR_OK;
}
FAILING_LOOPS(interval, IntervalSum, take_word, interval_step)

MERGE(interval_merge) {
    IntervalSum *into = into_pointer;
    const IntervalSum *from = from_pointer;
    into->months += from->months;
    into->days += from->days;
    into->micros += from->micros;
    into->count += from->count;
    into->infinite = into->infinite != 0 ? into->infinite : from->infinite;
    return ERR_OK;
}

static ErrorCode put(const IntervalSum *state, bool mean, Vector *out, size_t row, Arena *arena, Error *err) {
    Interval *interval = (Interval *)vector_data(out) + row;
    if (state->count == 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    if (state->infinite != 0) {
        *interval = interval_infinite((int)state->infinite);
        return ERR_OK;
    }
    bool fits = state->months == (int32_t)state->months && state->days == (int32_t)state->days && state->micros == (int64_t)state->micros;
    if (!fits) {
        return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "interval out of range");
    }
    *interval = (Interval){(int32_t)state->months, (int32_t)state->days, (int64_t)state->micros};
    return mean ? func__interval_divide(*interval, (double)state->count, interval, err) : ERR_OK;
}

FINISH(interval_sum_finish) {
    return put(pointer, false, out, row, arena, err);
}
FINISH(interval_mean_finish) {
    return put(pointer, true, out, row, arena, err);
}

ErrorCode aggregate__interval_update(const AggregateCall *call, void *state, Error *err) {
    return interval_update(call, state, err);
}
ErrorCode aggregate__interval_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, Error *err) {
    return interval_groups(call, states, stride, group, err);
}
ErrorCode aggregate__interval_merge(void *into, const void *from, Arena *arena, Error *err) {
    return interval_merge(into, from, arena, err);
}
ErrorCode aggregate__interval_sum(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err) {
    return interval_sum_finish(state, prepared, out, row, arena, err);
}
ErrorCode aggregate__interval_mean(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err) {
    return interval_mean_finish(state, prepared, out, row, arena, err);
}

/* SPDX-License-Identifier: Apache-2.0
 * moments.c - variances, deviations, correlation, regression: sums of x, y, x^2, xy, y^2 as double-double pairs.
 *
 * Why:        n*sum(x^2) - sum(x)^2 cancels; in pairs of doubles some 106 bits are left to cancel in, and the sums do not depend on
 *             the order of rows, which Welford's running form does. */
#include "sql/func/aggregate/aggregate_internal.h"
#include <math.h>

typedef struct Moments { Pair x, xx; int64_t count, unused; } Moments;
typedef struct Moments2 { Pair x, y, xx, xy, yy; int64_t count, unused; } Moments2;

static inline double double_at(const Vector *arg, size_t row) {
    return ((const double *)arg->data)[value_index(arg, row)];
}

static inline void moments_step(Moments *state, const AggregateCall *call, size_t row) {
    double x = double_at(call->args[0], row);
    pair_add(&state->x, x);
    pair_add_product(&state->xx, x, x);
    state->count++;
}
STEP_LOOPS(moments, Moments, take_word, moments_step)

static inline void moments2_step(Moments2 *state, const AggregateCall *call, size_t row) {
    double y = double_at(call->args[0], row);
    double x = double_at(call->args[1], row);
    pair_add(&state->x, x);
    pair_add(&state->y, y);
    pair_add_product(&state->xx, x, x);
    pair_add_product(&state->xy, x, y);
    pair_add_product(&state->yy, y, y);
    state->count++;
}
STEP_LOOPS(moments2, Moments2, take_both, moments2_step)

MERGE(moments_merge) {
    Moments *into = into_pointer;
    const Moments *from = from_pointer;
    pair_merge(&into->x, from->x);
    pair_merge(&into->xx, from->xx);
    into->count += from->count;
    return ERR_OK;
}

MERGE(moments2_merge) {
    Moments2 *into = into_pointer;
    const Moments2 *from = from_pointer;
    pair_merge(&into->x, from->x);
    pair_merge(&into->y, from->y);
    pair_merge(&into->xx, from->xx);
    pair_merge(&into->xy, from->xy);
    pair_merge(&into->yy, from->yy);
    into->count += from->count;
    return ERR_OK;
}

/* n * sum(ab) - sum(a) * sum(b), never below 0 where a = b. */
static double spread(int64_t count, Pair ab, Pair a, Pair b) {
    Pair n = {(double)count, 0};
    return pair_value(pair_minus(pair_times(n, pair_normal(ab)), pair_times(pair_normal(a), pair_normal(b))));
}

static double square_spread(int64_t count, Pair xx, Pair x) {
    double s = spread(count, xx, x, x);
    return s < 0 ? 0 : s;
}

static ErrorCode float_or_null(bool given, double value, Vector *out, size_t row, Arena *arena) {
    if (given) {
        result_float8(out, row, value);
    } else {
        result_null(out, row, arena);
    }
    return ERR_OK;
}

static double variance(const Moments *state, int64_t divisor) {
    return square_spread(state->count, state->xx, state->x) / ((double)state->count * (double)divisor);
}

FINISH(var_pop_finish) {
    const Moments *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? variance(state, state->count) : 0, out, row, arena);
}
FINISH(var_samp_finish) {
    const Moments *state = pointer;
    return float_or_null(state->count > 1, state->count > 1 ? variance(state, state->count - 1) : 0, out, row, arena);
}
FINISH(stddev_pop_finish) {
    const Moments *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? sqrt(variance(state, state->count)) : 0, out, row, arena);
}
FINISH(stddev_samp_finish) {
    const Moments *state = pointer;
    return float_or_null(state->count > 1, state->count > 1 ? sqrt(variance(state, state->count - 1)) : 0, out, row, arena);
}

FINISH(covar_pop_finish) {
    const Moments2 *state = pointer;
    double n = (double)state->count;
    return float_or_null(state->count > 0, state->count > 0 ? spread(state->count, state->xy, state->x, state->y) / (n * n) : 0, out, row, arena);
}
FINISH(covar_samp_finish) {
    const Moments2 *state = pointer;
    double n = (double)state->count;
    return float_or_null(state->count > 1, state->count > 1 ? spread(state->count, state->xy, state->x, state->y) / (n * (n - 1)) : 0, out, row,
                         arena);
}
FINISH(corr_finish) {
    const Moments2 *state = pointer;
    double xx = square_spread(state->count, state->xx, state->x);
    double yy = square_spread(state->count, state->yy, state->y);
    bool given = state->count > 0 && xx > 0 && yy > 0;
    double value = given ? spread(state->count, state->xy, state->x, state->y) / sqrt(xx * yy) : 0;
    value = value > 1 ? 1 : value < -1 ? -1 : value;
    return float_or_null(given, value, out, row, arena);
}
FINISH(slope_finish) {
    const Moments2 *state = pointer;
    double xx = square_spread(state->count, state->xx, state->x);
    return float_or_null(xx > 0, xx > 0 ? spread(state->count, state->xy, state->x, state->y) / xx : 0, out, row, arena);
}
FINISH(intercept_finish) {
    const Moments2 *state = pointer;
    double xx = square_spread(state->count, state->xx, state->x);
    double slope = xx > 0 ? spread(state->count, state->xy, state->x, state->y) / xx : 0;
    return float_or_null(xx > 0, (pair_value(state->y) - slope * pair_value(state->x)) / (double)(state->count > 0 ? state->count : 1), out, row,
                         arena);
}
FINISH(r2_finish) {
    const Moments2 *state = pointer;
    double xx = square_spread(state->count, state->xx, state->x);
    double yy = square_spread(state->count, state->yy, state->y);
    double xy = spread(state->count, state->xy, state->x, state->y);
    return float_or_null(xx > 0, yy > 0 ? xy * xy / (xx * yy) : 1, out, row, arena);
}

FINISH(average_x_finish) {
    const Moments2 *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? pair_value(state->x) / (double)state->count : 0, out, row, arena);
}
FINISH(average_y_finish) {
    const Moments2 *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? pair_value(state->y) / (double)state->count : 0, out, row, arena);
}
FINISH(sxx_finish) {
    const Moments2 *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? square_spread(state->count, state->xx, state->x) / (double)state->count : 0, out, row, arena);
}
FINISH(syy_finish) {
    const Moments2 *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? square_spread(state->count, state->yy, state->y) / (double)state->count : 0, out, row, arena);
}
FINISH(sxy_finish) {
    const Moments2 *state = pointer;
    return float_or_null(state->count > 0, state->count > 0 ? spread(state->count, state->xy, state->x, state->y) / (double)state->count : 0, out, row, arena);
}
FINISH(pair_count_finish) {
    const Moments2 *state = pointer;
    result_int8(out, row, state->count);
    return ERR_OK;
}

/* ---- geomean ---- */
static inline void log_step(Moments *state, const AggregateCall *call, size_t row) {
    pair_add(&state->x, log(double_at(call->args[0], row)));
    state->count++;
}
STEP_LOOPS(log, Moments, take_word, log_step)
FINISH(geomean_finish) {
    const Moments *state = pointer;
    return float_or_null(state->count > 0, exp(pair_value(state->x) / (double)(state->count > 0 ? state->count : 1)), out, row, arena);
}

#define ONE(row_name, finish_call, answer_text)                                                                        \
    {.name = row_name, .args = {TYPE_FLOAT8}, .arg_count = 1, .result = TYPE_FLOAT8, .state_bytes = sizeof(Moments), .update = moments_update, \
     .update_groups = moments_groups, .merge = moments_merge, .finish = finish_call,                                   \
     .example = "SELECT " row_name "(x::float8) FROM (VALUES (1), (3)) t(x)", .answer = answer_text}
#define EXACT(row_name, argument, finish_call, cast, answer_text)                                                      \
    {.name = row_name, .args = {argument}, .arg_count = 1, .result = TYPE_NUMERIC, .flags = AGG_POSTGRES,              \
     .state_bytes = AGGREGATE_NUMERIC_MOMENTS_BYTES, .update = aggregate__moments_update, .update_groups = aggregate__moments_groups, \
     .merge = aggregate__moments_merge, .finish = finish_call,                                                         \
     .example = "SELECT " row_name "(x::" cast ") FROM (VALUES (1), (3)) t(x)", .answer = answer_text}
#define ONE_OR_EXACT(row_name, kind, answer_text, exact_text)                                                          \
    ONE(row_name, kind##_finish, answer_text), EXACT(row_name, TYPE_INT2, aggregate__##kind, "int2", exact_text),      \
        EXACT(row_name, TYPE_INT4, aggregate__##kind, "int4", exact_text), EXACT(row_name, TYPE_INT8, aggregate__##kind, "int8", exact_text), \
        EXACT(row_name, TYPE_NUMERIC, aggregate__##kind, "numeric", exact_text)
#define TWO(row_name, finish_call, answer_text)                                                                        \
    {.name = row_name, .args = {TYPE_FLOAT8, TYPE_FLOAT8}, .arg_count = 2, .result = TYPE_FLOAT8, .state_bytes = sizeof(Moments2), \
     .update = moments2_update, .update_groups = moments2_groups, .merge = moments2_merge, .finish = finish_call,      \
     .example = "SELECT " row_name "(y::float8, x::float8) FROM (VALUES (1, 1), (3, 2)) t(y, x)", .answer = answer_text}

AggregateFamily aggregate__moment_rows(void) {
    static const Aggregate rows[] = {
        ONE_OR_EXACT("var_pop", var_pop, "1", "1.00000000000000000000"),
        ONE_OR_EXACT("var_samp", var_samp, "2", "2.0000000000000000"),
        ONE_OR_EXACT("variance", var_samp, "2", "2.0000000000000000"),
        ONE_OR_EXACT("stddev_pop", stddev_pop, "1", "1.00000000000000000000"),
        ONE_OR_EXACT("stddev_samp", stddev_samp, "1.4142135623730951", "1.4142135623730950"),
        ONE_OR_EXACT("stddev", stddev_samp, "1.4142135623730951", "1.4142135623730950"),
        {.name = "geomean", .args = {TYPE_FLOAT8}, .arg_count = 1, .result = TYPE_FLOAT8, .state_bytes = sizeof(Moments), .update = log_update,
         .update_groups = log_groups, .merge = moments_merge, .finish = geomean_finish,
         .example = "SELECT geomean(x::float8) FROM (VALUES (1), (1)) t(x)", .answer = "1"},
        TWO("covar_pop", covar_pop_finish, "0.5"),
        TWO("covar_samp", covar_samp_finish, "1"),
        TWO("corr", corr_finish, "1"),
        TWO("regr_slope", slope_finish, "2"),
        TWO("regr_intercept", intercept_finish, "-1"),
        TWO("regr_r2", r2_finish, "1"),
        TWO("regr_avgx", average_x_finish, "1.5"),
        TWO("regr_avgy", average_y_finish, "2"),
        TWO("regr_sxx", sxx_finish, "0.5"),
        TWO("regr_syy", syy_finish, "2"),
        TWO("regr_sxy", sxy_finish, "1"),
        {.name = "regr_count", .args = {TYPE_FLOAT8, TYPE_FLOAT8}, .arg_count = 2, .result = TYPE_INT8, .flags = AGG_EMPTY_ZERO,
         .state_bytes = sizeof(Moments2), .update = moments2_update, .update_groups = moments2_groups, .merge = moments2_merge,
         .finish = pair_count_finish, .example = "SELECT regr_count(y::float8, x::float8) FROM (VALUES (1, 1), (3, 2)) t(y, x)", .answer = "2"},
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}

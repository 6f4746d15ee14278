/* SPDX-License-Identifier: Apache-2.0
 * sum.c - sum, avg, ksum, nsum, vwap. Integers add up in 128 bits, floats as double-double pairs, numerics exactly.
 *
 * Why:        the same state answers from rows and from block statistics, with the same bits. */
#include "kernels/kernels.h"
#include "sql/func/aggregate/aggregate_internal.h"
#include <math.h>

typedef struct IntSum { Int128 sum; int64_t count, unused; } IntSum;
typedef struct FloatSum { Pair sum; int64_t count; bool infinite; /* a value was infinite or NaN */ } FloatSum;

/* Grouped sums keep the current group in registers while rows follow each other in it, as they do in data that comes in bursts: the
 * way through memory costs some 25 cycles a row. LOAD and STORE move the state, ADD takes a value. */
#define RUN_LOOP(State, word_expr, DECLARE, LOAD, ADD, STORE)                                                          \
    do {                                                                                                               \
        State *state = NULL;                                                                                           \
        uint32_t current = UINT32_MAX;                                                                                 \
        DECLARE                                                                                                        \
        FOR_ROWS(call, word_expr, {                                                                                    \
            if (group[row] != current) {                                                                               \
                if (state != NULL) {                                                                                   \
                    STORE                                                                                              \
                }                                                                                                      \
                current = group[row];                                                                                  \
                state = state_at(states, stride, group, row);                                                          \
                LOAD                                                                                                   \
            }                                                                                                          \
            ADD                                                                                                        \
        });                                                                                                            \
        if (state != NULL) {                                                                                           \
            STORE                                                                                                      \
        }                                                                                                              \
    } while (0)

/* ---- integers ---- */
/* Up to 1,024 values: sums of 32-bit halves cannot overflow 64 bits, and the loop vectorises. */
#define INT_LOOPS(name, T)                                                                                             \
    static inline void name##_step(IntSum *state, const AggregateCall *call, size_t row) {                             \
        state->sum += ((const T *)call->args[0]->data)[value_index(call->args[0], row)];                               \
        state->count++;                                                                                                \
    }                                                                                                                  \
    STEP_LOOPS(name, IntSum, take_word, name##_step)                                                                   \
    static void name##_block(const T *values, int64_t *high, int64_t *low) {                                           \
        for (size_t row = 0; row < 64; row++) {                                                                        \
            *high += (int64_t)values[row] >> 32;                                                                       \
            *low += (int64_t)((uint64_t)(int64_t)values[row] & 0xffffffffu);                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static ErrorCode name##_all(const AggregateCall *call, void *pointer, Error *err) {                                \
        const Vector *arg = call->args[0];                                                                             \
        if (arg->form == VECTOR_CONSTANT) {                                                                            \
            return name##_update(call, pointer, err);                                                                  \
        }                                                                                                              \
        const T *values = arg->data;                                                                                   \
        IntSum *state = pointer;                                                                                       \
        int64_t high = 0;                                                                                              \
        int64_t low = 0;                                                                                               \
        for (size_t w = 0; w < words_for(call->row_count); w++) {                                                      \
            uint64_t word = take_word(call, w);                                                                        \
            state->count += __builtin_popcountll(word);                                                                \
            if (word == ~UINT64_C(0)) {                                                                                \
                name##_block(values + w * 64, &high, &low);                                                            \
                continue;                                                                                              \
            }                                                                                                          \
            for (; word != 0; word &= word - 1) {                                                                      \
                state->sum += values[w * 64 + (size_t)__builtin_ctzll(word)];                                          \
            }                                                                                                          \
        }                                                                                                              \
        state->sum += (Int128)high * ((Int128)1 << 32) + low;                                                          \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    static ErrorCode name##_by_group(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, \
                                     Error *err) {                                                                     \
        const Vector *arg = call->args[0];                                                                             \
        if (arg->form == VECTOR_CONSTANT) {                                                                            \
            return name##_groups(call, states, stride, group, err);                                                    \
        }                                                                                                              \
        const T *values = arg->data;                                                                                   \
        RUN_LOOP(IntSum, take_word(call, w), Int128 sum = 0; int64_t count = 0;, sum = state->sum; count = state->count;, \
                 sum += values[row]; count++;, state->sum = sum; state->count = count;);                               \
        return ERR_OK;                                                                                                 \
    }
INT_LOOPS(int1, int8_t)
INT_LOOPS(int2, int16_t)
INT_LOOPS(int4, int32_t)
INT_LOOPS(int8, int64_t)
#undef INT_LOOPS

static ErrorCode sum_overflow(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "sum is out of range");
}

static inline ErrorCode int16_step(IntSum *state, const AggregateCall *call, size_t row, Error *err) {
    state->count++;
    Int128 value = ((const Int128 *)call->args[0]->data)[value_index(call->args[0], row)];
    return __builtin_add_overflow(state->sum, value, &state->sum) ? sum_overflow(err) : ERR_OK;
}
FAILING_LOOPS(int16, IntSum, take_word, int16_step)

MERGE(int_merge) {
    IntSum *into = into_pointer;
    const IntSum *from = from_pointer;
    into->count += from->count;
    return __builtin_add_overflow(into->sum, from->sum, &into->sum) ? sum_overflow(err) : ERR_OK;
}

static bool int_stats(void *pointer, const BlockStats *stats, UNUSED Type argument) {
    IntSum *state = pointer;
    int64_t count = (int64_t)stats->row_count - stats->null_count;
    if (count > 0 && !stats->has_sum) {
        return false;
    }
    state->sum += count > 0 ? stats->sum_int : 0;
    state->count += count;
    return true;
}

FINISH(int_finish_int8) {
    const IntSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    if (state->sum < INT64_MIN || state->sum > INT64_MAX) {
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "bigint out of range");
    }
    result_int8(out, row, (int64_t)state->sum);
    return ERR_OK;
}

FINISH(int_finish_numeric) {
    const IntSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else {
        result_numeric(out, row, (Numeric){.coefficient = state->sum}, arena);
    }
    return ERR_OK;
}

FINISH(int_finish_decimal16) {
    const IntSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else {
        ((Int128 *)vector_data(out))[row] = state->sum;
    }
    return ERR_OK;
}

FINISH(int_finish_mean) {
    const IntSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else {
        result_float8(out, row, (double)state->sum / (double)state->count);
    }
    return ERR_OK;
}

static ErrorCode mean_numeric(Numeric sum, int64_t count, Vector *out, size_t row, Arena *arena, Error *err) {
    if (count == 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    Numeric mean;
    TRY(numeric_div(sum, numeric_from_int64(count), &mean, err));
    result_numeric(out, row, mean, arena);
    return ERR_OK;
}

FINISH(int_finish_mean_numeric) {
    const IntSum *state = pointer;
    return mean_numeric((Numeric){.coefficient = state->sum}, state->count, out, row, arena, err);
}

/* numeric(p,s): avg needs the argument's scale. */
static ErrorCode scale_prepare(const PrepareCall *call, const void **prepared_out, UNUSED Error *err) {
    int16_t *scale = arena_array(call->arena, int16_t, 8);
    *scale = call->arg_types[0].scale;
    *prepared_out = scale;
    return ERR_OK;
}

FINISH(decimal_finish_mean) {
    const IntSum *state = pointer;
    return mean_numeric((Numeric){.coefficient = state->sum, .scale = *(const int16_t *)prepared}, state->count, out, row, arena, err);
}

static Type decimal_sum_type(const Type *types, UNUSED uint16_t count) {
    return type_decimal(38, types[0].scale);
}

/* ---- floats ---- */
enum { LANES = 8 };

/* A sum that is not finite came of such a value, or ran over: looked at only once the sum is not finite. */
static inline bool is_special(const Vector *arg, size_t row) {
    size_t at = value_index(arg, row);
    return arg->type.id == TYPE_FLOAT4 ? !isfinite(((const float *)arg->data)[at]) : !isfinite(((const double *)arg->data)[at]);
}
static void note_special(FloatSum *state, const AggregateCall *call) {
    if (!isfinite(state->sum.high) && !state->infinite) {
        FOR_ROWS(call, take_word(call, w), state->infinite = state->infinite || is_special(call->args[0], row););
    }
}
static void note_special_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group) {
    FOR_ROWS(call, take_word(call, w), {
        if (is_special(call->args[0], row)) {
            ((FloatSum *)state_at(states, stride, group, row))->infinite = true;
        }
    });
}

/* Eight independent pairs hide the latency of the two-sum chain. */
#define FLOAT_LOOPS(name, T)                                                                                           \
    static inline void name##_step(FloatSum *state, const AggregateCall *call, size_t row) {                           \
        pair_add(&state->sum, ((const T *)call->args[0]->data)[value_index(call->args[0], row)]);                      \
        state->count++;                                                                                                \
    }                                                                                                                  \
    STEP_LOOPS(name, FloatSum, take_word, name##_step)                                                                 \
    static void name##_block(const T *values, Pair *sum) {                                                             \
        double high[LANES] = {0};                                                                                      \
        double low[LANES] = {0};                                                                                       \
        for (size_t i = 0; i < 64; i += LANES) {                                                                       \
            for (size_t l = 0; l < LANES; l++) {                                                                       \
                double value = values[i + l];                                                                          \
                double s = high[l] + value;                                                                            \
                double b = s - high[l];                                                                                \
                low[l] += (high[l] - (s - b)) + (value - b);                                                           \
                high[l] = s;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t l = 0; l < LANES; l++) {                                                                           \
            pair_merge(sum, (Pair){high[l], low[l]});                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    static ErrorCode name##_all(const AggregateCall *call, void *pointer, Error *err) {                                \
        const Vector *arg = call->args[0];                                                                             \
        if (arg->form == VECTOR_CONSTANT) {                                                                            \
            TRY(name##_update(call, pointer, err));                                                                    \
            note_special(pointer, call);                                                                               \
            return ERR_OK;                                                                                             \
        }                                                                                                              \
        const T *values = arg->data;                                                                                   \
        FloatSum *state = pointer;                                                                                     \
        for (size_t w = 0; w < words_for(call->row_count); w++) {                                                      \
            uint64_t word = take_word(call, w);                                                                        \
            state->count += __builtin_popcountll(word);                                                                \
            if (word == ~UINT64_C(0)) {                                                                                \
                name##_block(values + w * 64, &state->sum);                                                            \
                continue;                                                                                              \
            }                                                                                                          \
            for (; word != 0; word &= word - 1) {                                                                      \
                pair_add(&state->sum, values[w * 64 + (size_t)__builtin_ctzll(word)]);                                 \
            }                                                                                                          \
        }                                                                                                              \
        note_special(state, call);                                                                                     \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    static ErrorCode name##_by_group(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, \
                                     Error *err) {                                                                     \
        const Vector *arg = call->args[0];                                                                             \
        if (arg->form == VECTOR_CONSTANT) {                                                                            \
            TRY(name##_groups(call, states, stride, group, err));                                                      \
            note_special_groups(call, states, stride, group);                                                          \
            return ERR_OK;                                                                                             \
        }                                                                                                              \
        const T *values = arg->data;                                                                                   \
        bool special = false;                                                                                          \
        RUN_LOOP(FloatSum, take_word(call, w), Pair sum = {0}; int64_t count = 0;, sum = state->sum; count = state->count;, \
                 pair_add(&sum, values[row]); count++;, state->sum = sum; state->count = count;                        \
                 special = special || !isfinite(sum.high););                                                           \
        if (special) {                                                                                                 \
            note_special_groups(call, states, stride, group);                                                          \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
FLOAT_LOOPS(float4, float)
FLOAT_LOOPS(float8, double)
#undef FLOAT_LOOPS

MERGE(float_merge) {
    FloatSum *into = into_pointer;
    const FloatSum *from = from_pointer;
    pair_merge(&into->sum, from->sum);
    into->count += from->count;
    into->infinite = into->infinite || from->infinite;
    return ERR_OK;
}

static bool float_stats(void *pointer, const BlockStats *stats, UNUSED Type argument) {
    FloatSum *state = pointer;
    int64_t count = (int64_t)stats->row_count - stats->null_count;
    if (count > 0 && (!stats->has_sum || stats->has_nan || !isfinite(stats->sum_high))) {
        return false;
    }
    if (count > 0) {
        pair_merge(&state->sum, (Pair){stats->sum_high, stats->sum_low});
    }
    state->count += count;
    return true;
}

FINISH(float_finish) {
    const FloatSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else if (out->type.id == TYPE_FLOAT4) {
        ((float *)vector_data(out))[row] = (float)pair_value(state->sum);
    } else {
        result_float8(out, row, pair_value(state->sum));
    }
    return ERR_OK;
}

FINISH(float_finish_mean) {
    const FloatSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else {
        result_float8(out, row, pair_value(state->sum) / (double)state->count);
    }
    return ERR_OK;
}

/* As PostgreSQL: a sum past the range is an error, infinities that were there are not. */
static ErrorCode check_overflow(const FloatSum *state, bool single, Error *err) {
    bool over = !isfinite(state->sum.high) || (single && !isfinite((float)pair_value(state->sum)));
    return over && !state->infinite ? error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: overflow") : ERR_OK;
}

FINISH(float_finish_checked) {
    TRY(check_overflow(pointer, out->type.id == TYPE_FLOAT4, err));
    return float_finish(pointer, prepared, out, row, arena, err);
}

FINISH(float_finish_mean_checked) {
    TRY(check_overflow(pointer, false, err));
    return float_finish_mean(pointer, prepared, out, row, arena, err);
}

/* ---- plain numerics ---- */
static ErrorCode numeric_step(NumericSum *state, const AggregateCall *call, size_t row, Error *err) {
    state->count++;
    return numeric_sum_add(state, vector_numeric(call->args[0], row), err);
}
FAILING_LOOPS(numeric, NumericSum, take_word, numeric_step)

MERGE(numeric_merge) {
    const NumericSum *from = from_pointer;
    ((NumericSum *)into_pointer)->count += from->count;
    return numeric_sum_add(into_pointer, numeric_sum_value(from), err);
}

FINISH(numeric_finish) {
    const NumericSum *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else {
        result_numeric(out, row, numeric_sum_value(state), arena);
    }
    return ERR_OK;
}

FINISH(numeric_finish_mean) {
    const NumericSum *state = pointer;
    return mean_numeric(numeric_sum_value(state), state->count, out, row, arena, err);
}

/* ---- vwap(price, quantity) ---- */
typedef struct VwapState { Pair amount, quantity; int64_t count, unused; } VwapState;

static inline void vwap_step(VwapState *state, const AggregateCall *call, size_t row) {
    double price = ((const double *)call->args[0]->data)[value_index(call->args[0], row)];
    double quantity = ((const double *)call->args[1]->data)[value_index(call->args[1], row)];
    pair_add_product(&state->amount, price, quantity);
    pair_add(&state->quantity, quantity);
    state->count++;
}
STEP_LOOPS(vwap, VwapState, take_both, vwap_step)

MERGE(vwap_merge) {
    VwapState *into = into_pointer;
    const VwapState *from = from_pointer;
    pair_merge(&into->amount, from->amount);
    pair_merge(&into->quantity, from->quantity);
    into->count += from->count;
    return ERR_OK;
}

FINISH(vwap_finish) {
    const VwapState *state = pointer;
    double quantity = pair_value(state->quantity);
    if (state->count == 0 || quantity == 0) {
        result_null(out, row, arena);
    } else {
        result_float8(out, row, pair_value(state->amount) / quantity);
    }
    return ERR_OK;
}

/* ---- sums by small group numbers ---- */
#define INT_DENSE(name, T, kernel)                                                                                     \
    static DenseSplit name##_dense_split(const AggregateCall *call, UNUSED DenseScale *scale, int64_t *pairs) {        \
        kernels_pick()->split_##kernel(pairs, call->args[0]->data, call->row_count);                                   \
        return DENSE_TAKEN;                                                                                            \
    }
INT_DENSE(int1, int8_t, i8)
INT_DENSE(int2, int16_t, i16)
INT_DENSE(int4, int32_t, i32)
INT_DENSE(int8, int64_t, i64)
#undef INT_DENSE

static void int_dense_settle(void *pointer, UNUSED const DenseScale *scale, const int64_t *pair, int64_t count) {
    IntSum *state = pointer;
    state->sum += (Int128)pair[0] * ((Int128)1 << 32) + pair[1];
    state->count += count;
}

/* |value| < 2^exponent in 40 bits, what is left of it in 44: DENSE_ROWS_MAX sums of either stay within 63. Values are taken exactly or
 * the batch is refused, so that sums have the bits of exact arithmetic. */
enum { DENSE_COARSE_BITS = 40, DENSE_FINE_BITS = 44, DENSE_EXPONENT_MAX = 900, DOUBLE_BITS = 52, DOUBLE_BIAS = 1023 };

static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_BITS;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static int coarse_exponent(const DenseScale *scale) { return scale->exponent - DENSE_COARSE_BITS; }                     /* of the last place */
static int fine_exponent(const DenseScale *scale) { return coarse_exponent(scale) - 1 - DENSE_FINE_BITS; }

static bool split_at(const AggregateCall *call, const DenseScale *scale, int64_t *pairs, int *exponent_out) {
    double coarse = 1.5 * power_of_two(coarse_exponent(scale) + DOUBLE_BITS);
    double fine = 1.5 * power_of_two(fine_exponent(scale) + DOUBLE_BITS);
    uint64_t magnitude = 0;
    bool exact = kernels_pick()->split_f64(pairs, call->args[0]->data, call->row_count, coarse, fine, &magnitude);
    *exponent_out = (int)(magnitude >> DOUBLE_BITS) - DOUBLE_BIAS + 1;
    return exact;
}

static DenseSplit float8_dense_split(const AggregateCall *call, DenseScale *scale, int64_t *pairs) {
    int exponent;
    bool exact = split_at(call, scale, pairs, &exponent);
    if (exponent > DENSE_EXPONENT_MAX) {
        return DENSE_REFUSED;
    }
    if (exponent > scale->exponent || (!exact && !scale->used)) {
        if (scale->used) {
            return DENSE_RESCALE;
        }
        scale->exponent = MAX_OF(exponent, -DENSE_EXPONENT_MAX);
        exact = split_at(call, scale, pairs, &exponent);
    }
    return exact ? DENSE_TAKEN : DENSE_REFUSED;
}

/* An integer of 64 bits has more than a double takes: its halves are added one by one. */
static void add_scaled(Pair *sum, int64_t value, double unit) {
    pair_add(sum, (double)(value >> 32) * 4294967296.0 * unit);
    pair_add(sum, (double)(value & 0xffffffff) * unit);
}

static void float8_dense_settle(void *pointer, const DenseScale *scale, const int64_t *pair, int64_t count) {
    FloatSum *state = pointer;
    add_scaled(&state->sum, pair[0], power_of_two(coarse_exponent(scale)));
    add_scaled(&state->sum, pair[1], power_of_two(fine_exponent(scale)));
    state->count += count;
}

#define INT_ROW(row_name, arg, loops, result_id, dialect, finish_call, example_text, answer_text)                      \
    {.name = row_name, .args = {arg}, .arg_count = 1, .result = result_id, .flags = dialect, .state_bytes = sizeof(IntSum), \
     .update = loops##_all, .update_groups = loops##_by_group, .merge = int_merge, .finish = finish_call,                \
     .from_stats = int_stats, .dense_split = loops##_dense_split, .dense_settle = int_dense_settle, .example = example_text, .answer = answer_text}
#define FLOAT_ROW(row_name, arg, loops, split_call, result_id, dialect, finish_call, example_text, answer_text)                    \
    {.name = row_name, .args = {arg}, .arg_count = 1, .result = result_id, .flags = dialect, .state_bytes = sizeof(FloatSum), \
     .update = loops##_all, .update_groups = loops##_by_group, .merge = float_merge, .finish = finish_call,              \
     .from_stats = float_stats, .dense_split = split_call, .dense_settle = float8_dense_settle, .example = example_text, .answer = answer_text}
#define DECIMAL_ROW(row_name, arg, loops, update_call, result_id, type_call, prepare_call, finish_call, example_text, answer_text) \
    {.name = row_name, .args = {arg}, .arg_count = 1, .result = result_id, .result_type = type_call, .prepare = prepare_call, \
     .state_bytes = sizeof(IntSum), .update = update_call, .update_groups = loops##_groups, .merge = int_merge,        \
     .finish = finish_call, .example = example_text, .answer = answer_text}
#define NUMERIC_ROW(row_name, finish_call, example_text, answer_text)                                                  \
    {.name = row_name, .args = {TYPE_NUMERIC}, .arg_count = 1, .result = TYPE_NUMERIC, .state_bytes = sizeof(NumericSum), \
     .update = numeric_update, .update_groups = numeric_groups, .merge = numeric_merge, .finish = finish_call,         \
     .example = example_text, .answer = answer_text}
#define OF(call, type) "SELECT " call "(x::" type ") FROM (VALUES (1), (2)) t(x)"
#define MEAN_TEXT "1.5000000000000000"

#define INTERVAL_ROW(row_name, finish_call, answer_text)                                                               \
    {.name = row_name, .args = {TYPE_INTERVAL}, .arg_count = 1, .result = TYPE_INTERVAL, .state_bytes = AGGREGATE_INTERVAL_BYTES, \
     .update = aggregate__interval_update, .update_groups = aggregate__interval_groups, .merge = aggregate__interval_merge, .finish = finish_call, \
     .example = "SELECT " row_name "(x::interval) FROM (VALUES ('1 day'), ('3 days')) t(x)", .answer = answer_text}

AggregateFamily aggregate__sum_rows(void) {
    static const Aggregate rows[] = {
        INT_ROW("sum", TYPE_BYTE, int1, TYPE_INT8, 0, int_finish_int8, OF("sum", "byte"), "3"),
        INT_ROW("sum", TYPE_INT2, int2, TYPE_INT8, 0, int_finish_int8, OF("sum", "int2"), "3"),
        INT_ROW("sum", TYPE_INT4, int4, TYPE_INT8, 0, int_finish_int8, OF("sum", "int4"), "3"),
        INT_ROW("sum", TYPE_INT8, int8, TYPE_NUMERIC, AGG_POSTGRES, int_finish_numeric, OF("sum", "int8"), "3"),
        INT_ROW("sum", TYPE_INT8, int8, TYPE_INT8, AGG_QUESTDB, int_finish_int8, OF("sum", "int8"), "3"),
        FLOAT_ROW("sum", TYPE_FLOAT4, float4, NULL, TYPE_FLOAT4, AGG_POSTGRES, float_finish_checked, OF("sum", "float4"), "3"),
        FLOAT_ROW("sum", TYPE_FLOAT4, float4, NULL, TYPE_FLOAT4, AGG_QUESTDB, float_finish, OF("sum", "float4"), "3"),
        FLOAT_ROW("sum", TYPE_FLOAT8, float8, float8_dense_split, TYPE_FLOAT8, AGG_POSTGRES, float_finish_checked, OF("sum", "float8"), "3"),
        FLOAT_ROW("sum", TYPE_FLOAT8, float8, float8_dense_split, TYPE_FLOAT8, AGG_QUESTDB, float_finish, OF("sum", "float8"), "3"),
        DECIMAL_ROW("sum", TYPE_DECIMAL8, int8, int8_all, TYPE_DECIMAL16, decimal_sum_type, NULL, int_finish_decimal16, OF("sum", "numeric(10,2)"), "3.00"),
        DECIMAL_ROW("sum", TYPE_DECIMAL16, int16, int16_update, TYPE_DECIMAL16, decimal_sum_type, NULL, int_finish_decimal16,
                    OF("sum", "numeric(30,2)"), "3.00"),
        INTERVAL_ROW("sum", aggregate__interval_sum, "4 days"),
        NUMERIC_ROW("sum", numeric_finish, OF("sum", "numeric"), "3"),
        INT_ROW("avg", TYPE_BYTE, int1, TYPE_FLOAT8, 0, int_finish_mean, OF("avg", "byte"), "1.5"),
        INT_ROW("avg", TYPE_INT2, int2, TYPE_NUMERIC, AGG_POSTGRES, int_finish_mean_numeric, OF("avg", "int2"), MEAN_TEXT),
        INT_ROW("avg", TYPE_INT2, int2, TYPE_FLOAT8, AGG_QUESTDB, int_finish_mean, OF("avg", "int2"), "1.5"),
        INT_ROW("avg", TYPE_INT4, int4, TYPE_NUMERIC, AGG_POSTGRES, int_finish_mean_numeric, OF("avg", "int4"), MEAN_TEXT),
        INT_ROW("avg", TYPE_INT4, int4, TYPE_FLOAT8, AGG_QUESTDB, int_finish_mean, OF("avg", "int4"), "1.5"),
        INT_ROW("avg", TYPE_INT8, int8, TYPE_NUMERIC, AGG_POSTGRES, int_finish_mean_numeric, OF("avg", "int8"), MEAN_TEXT),
        INT_ROW("avg", TYPE_INT8, int8, TYPE_FLOAT8, AGG_QUESTDB, int_finish_mean, OF("avg", "int8"), "1.5"),
        FLOAT_ROW("avg", TYPE_FLOAT4, float4, NULL, TYPE_FLOAT8, AGG_POSTGRES, float_finish_mean_checked, OF("avg", "float4"), "1.5"),
        FLOAT_ROW("avg", TYPE_FLOAT4, float4, NULL, TYPE_FLOAT8, AGG_QUESTDB, float_finish_mean, OF("avg", "float4"), "1.5"),
        FLOAT_ROW("avg", TYPE_FLOAT8, float8, float8_dense_split, TYPE_FLOAT8, AGG_POSTGRES, float_finish_mean_checked, OF("avg", "float8"), "1.5"),
        FLOAT_ROW("avg", TYPE_FLOAT8, float8, float8_dense_split, TYPE_FLOAT8, AGG_QUESTDB, float_finish_mean, OF("avg", "float8"), "1.5"),
        DECIMAL_ROW("avg", TYPE_DECIMAL8, int8, int8_all, TYPE_NUMERIC, NULL, scale_prepare, decimal_finish_mean, OF("avg", "numeric(10,2)"), MEAN_TEXT),
        DECIMAL_ROW("avg", TYPE_DECIMAL16, int16, int16_update, TYPE_NUMERIC, NULL, scale_prepare, decimal_finish_mean, OF("avg", "numeric(30,2)"),
                    MEAN_TEXT),
        INTERVAL_ROW("avg", aggregate__interval_mean, "2 days"),
        NUMERIC_ROW("avg", numeric_finish_mean, OF("avg", "numeric"), MEAN_TEXT),
        FLOAT_ROW("ksum", TYPE_FLOAT8, float8, float8_dense_split, TYPE_FLOAT8, 0, float_finish, OF("ksum", "float8"), "3"),
        FLOAT_ROW("nsum", TYPE_FLOAT8, float8, float8_dense_split, TYPE_FLOAT8, 0, float_finish, OF("nsum", "float8"), "3"),
        {.name = "vwap", .args = {TYPE_FLOAT8, TYPE_FLOAT8}, .arg_count = 2, .result = TYPE_FLOAT8, .state_bytes = sizeof(VwapState),
         .update = vwap_update, .update_groups = vwap_groups, .merge = vwap_merge, .finish = vwap_finish,
         .example = "SELECT vwap(p::float8, q::float8) FROM (VALUES (10, 1), (20, 3)) t(p, q)", .answer = "17.5"},
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}

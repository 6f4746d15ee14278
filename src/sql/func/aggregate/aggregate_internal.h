/* SPDX-License-Identifier: Apache-2.0
 * aggregate_internal.h - what the families of aggregates share: row loops, double-double sums, writing results.
 *
 * Why:        float sums are pairs (high, low) everywhere, so that the bits do not depend on workers, batches or statistics
 *             (docs/design/execution.md). Loops go word by word over the rows to take; a full word has no test per row. */
#pragma once
#include "column/value_rules.h"
#include "sql/func/func.h"

/* One family's rows; rows of one name stand together. */
typedef struct AggregateFamily { const Aggregate *rows; size_t count; } AggregateFamily;
/* Sums and means of intervals (interval_sum.c); their rows stand with those of the numbers. */
enum { AGGREGATE_INTERVAL_BYTES = 48 };
ErrorCode aggregate__interval_update(const AggregateCall *call, void *state, Error *err);
ErrorCode aggregate__interval_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, Error *err);
ErrorCode aggregate__interval_merge(void *into, const void *from, Arena *arena, Error *err);
ErrorCode aggregate__interval_sum(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err);
ErrorCode aggregate__interval_mean(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err);
/* Variances of integers and numerics (moments_numeric.c); their rows stand with those of the floats. */
enum { AGGREGATE_NUMERIC_MOMENTS_BYTES = 64 };
ErrorCode aggregate__moments_update(const AggregateCall *call, void *state, Error *err);
ErrorCode aggregate__moments_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, Error *err);
ErrorCode aggregate__moments_merge(void *into, const void *from, Arena *arena, Error *err);
ErrorCode aggregate__var_pop(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err);
ErrorCode aggregate__var_samp(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err);
ErrorCode aggregate__stddev_pop(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err);
ErrorCode aggregate__stddev_samp(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err);
AggregateFamily aggregate__count_rows(void);
AggregateFamily aggregate__sum_rows(void);
AggregateFamily aggregate__min_max_rows(void);
AggregateFamily aggregate__first_last_rows(void);
AggregateFamily aggregate__moment_rows(void);
AggregateFamily aggregate__bool_bit_rows(void);
AggregateFamily aggregate__collect_rows(void);

/* Bits of word w whose value is not NULL. */
static inline uint64_t valid_word(const Vector *arg, size_t w) {
    if (arg->valid == NULL) {
        return ~UINT64_C(0);
    }
    if (arg->form == VECTOR_CONSTANT) {
        return bit_get(arg->valid, 0) ? ~UINT64_C(0) : 0;
    }
    return arg->valid[w];
}
static inline size_t value_index(const Vector *arg, size_t row) { return arg->form == VECTOR_CONSTANT ? 0 : row; }
static inline const uint8_t *value_bytes(const Vector *arg, size_t row, size_t width) {
    return (const uint8_t *)arg->data + value_index(arg, row) * width;
}
/* Rows of word w to take by an aggregate of one argument, of two. */
static inline uint64_t take_word(const AggregateCall *call, size_t w) { return call->rows[w] & valid_word(call->args[0], w); }
static inline uint64_t take_both(const AggregateCall *call, size_t w) { return take_word(call, w) & valid_word(call->args[1], w); }
static inline void *state_at(uint8_t *states, size_t stride, const uint32_t *group, size_t row) { return states + group[row] * stride; }

/* BODY sees `row`; word_expr sees `w`. One test per row only in words that are not full. */
#define FOR_ROWS(call, word_expr, BODY)                                                                                \
    do {                                                                                                               \
        size_t for_words = words_for((call)->row_count);                                                               \
        for (size_t w = 0; w < for_words; w++) {                                                                       \
            uint64_t word = (word_expr);                                                                               \
            if (word == ~UINT64_C(0)) {                                                                                \
                for (size_t row = w * 64; row < w * 64 + 64; row++) {                                                  \
                    BODY                                                                                               \
                }                                                                                                      \
                continue;                                                                                              \
            }                                                                                                          \
            for (; word != 0; word &= word - 1) {                                                                      \
                size_t row = w * 64 + (size_t)__builtin_ctzll(word);                                                   \
                BODY                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* update and update_groups of a state type from STEP(state, call, row). */
#define STEP_LOOPS(name, State, word_call, STEP)                                                                       \
    static ErrorCode name##_update(const AggregateCall *call, void *pointer, Error *err) {                             \
        (void)err;                                                                                                     \
        State *state = pointer;                                                                                        \
        FOR_ROWS(call, word_call(call, w), STEP(state, call, row););                                                   \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    static ErrorCode name##_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group,   \
                                   Error *err) {                                                                       \
        (void)err;                                                                                                     \
        FOR_ROWS(call, word_call(call, w), STEP((State *)state_at(states, stride, group, row), call, row););           \
        return ERR_OK;                                                                                                 \
    }
/* The same for steps that can fail. */
#define FAILING_LOOPS(name, State, word_call, STEP)                                                                    \
    static ErrorCode name##_update(const AggregateCall *call, void *pointer, Error *err) {                             \
        State *state = pointer;                                                                                        \
        FOR_ROWS(call, word_call(call, w), TRY(STEP(state, call, row, err)););                                         \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    static ErrorCode name##_groups(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group,   \
                                   Error *err) {                                                                       \
        FOR_ROWS(call, word_call(call, w), TRY(STEP((State *)state_at(states, stride, group, row), call, row, err));); \
        return ERR_OK;                                                                                                 \
    }

/* ---- double-double ---- */
typedef struct Pair { double high, low; } Pair;

static inline void pair_add(Pair *sum, double value) { /* two-sum; the error goes to low */
    double s = sum->high + value;
    double b = s - sum->high;
    sum->low += (sum->high - (s - b)) + (value - b);
    sum->high = s;
}
static inline void pair_merge(Pair *into, Pair from) {
    pair_add(into, from.high);
    into->low += from.low;
}
static inline double pair_value(Pair sum) { /* an infinite high makes low NaN: high is the answer then */
    return __builtin_isfinite(sum.high) ? sum.high + sum.low : sum.high;
}
static inline Pair pair_normal(Pair p) {
    double s = p.high + p.low;
    return (Pair){s, p.low - (s - p.high)};
}
/* a * b without rounding (Dekker's split); exact unless it overflows. */
static inline Pair pair_product(double a, double b) {
    double p = a * b;
    double t = 134217729.0 * a;
    double a_high = t - (t - a);
    double a_low = a - a_high;
    t = 134217729.0 * b;
    double b_high = t - (t - b);
    double b_low = b - b_high;
    return (Pair){p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
static inline void pair_add_product(Pair *sum, double a, double b) {
    Pair p = pair_product(a, b);
    pair_add(sum, p.high);
    sum->low += p.low;
}
static inline Pair pair_minus(Pair a, Pair b) {
    pair_add(&a, -b.high);
    a.low -= b.low;
    return pair_normal(a);
}
static inline Pair pair_times(Pair a, Pair b) {
    Pair p = pair_product(a.high, b.high);
    p.low += a.high * b.low + a.low * b.high;
    return pair_normal(p);
}

/* ---- exact sums of numerics: 38 digits, past them 22003 ---- */
typedef struct NumericSum { Int128 coefficient; int64_t count; int16_t scale; uint8_t kind; } NumericSum;
_Static_assert(sizeof(NumericSum) == 32, "states are multiples of 16 bytes");

static inline Numeric numeric_sum_value(const NumericSum *sum) {
    return (Numeric){.coefficient = sum->coefficient, .scale = sum->scale, .kind = sum->kind};
}
static inline ErrorCode numeric_sum_add(NumericSum *sum, Numeric value, Error *err) {
    Numeric total;
    TRY(numeric_add(numeric_sum_value(sum), value, &total, err));
    sum->coefficient = total.coefficient;
    sum->scale = total.scale;
    sum->kind = total.kind;
    return ERR_OK;
}

/* ---- results ---- */
static inline void result_null(Vector *out, size_t row, Arena *arena) { vector_set_null(out, arena, row); }
static inline void result_int8(Vector *out, size_t row, int64_t value) { ((int64_t *)vector_data(out))[row] = value; }
static inline void result_float8(Vector *out, size_t row, double value) { ((double *)vector_data(out))[row] = value; }
static inline void result_numeric(Vector *out, size_t row, Numeric value, Arena *arena) {
    ((NumericSlot *)vector_data(out))[row] = numeric_to_slot(value, arena);
}
static inline void result_bool(Vector *out, size_t row, bool value) {
    uint64_t *words = vector_data(out);
    if (value) {
        bit_set(words, row);
    } else {
        bit_clear(words, row);
    }
}
static inline Type aggregate__same_type(const Type *types, uint16_t count) {
    (void)count;
    return types[0];
}
/* finish functions share this signature. */
#define FINISH(name) static ErrorCode name(UNUSED const void *pointer, UNUSED const void *prepared, UNUSED Vector *out, UNUSED size_t row, UNUSED Arena *arena, UNUSED Error *err)
#define MERGE(name) static ErrorCode name(void *into_pointer, const void *from_pointer, UNUSED Arena *arena, UNUSED Error *err)

/* SPDX-License-Identifier: Apache-2.0
 * kernels.h - loops over plain arrays, compiled once per CPU level: compare, compute, reduce, hash, select.
 *
 * Rules: `rows` counts values; arrays are readable and outputs writable up to the next multiple of 64 rows (a whole word of the
 * bitmaps), and kernels do run over that padding. Bitmaps: row r = word r/64, bit r%64; written bitmaps are zero past `rows`.
 * Null knowledge is the caller's: kernels run over null and dead rows. Overflow is answered by a flag ("some row, perhaps a dead one"):
 * the caller re-checks its live rows one by one when it is up. Outputs may be the same array as an input of the same width.
 *
 * Floats compare in PostgreSQL's order: NaN equals itself and is larger than everything. Sums of floats are double-double, so that
 * their bits depend on neither order, layout nor CPU level.
 * Threads: everything is immutable. */
#pragma once
#include "base/compiler.h"

/* name, C type */
#define KERNEL_INTEGERS(X) X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t)
#define KERNEL_FLOATS(X) X(f32, float) X(f64, double)
#define KERNEL_NUMBERS(X) KERNEL_INTEGERS(X) KERNEL_FLOATS(X)
#define KERNEL_COMPUTED(X) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t)

enum { GROUP_COPIES = 4 }; /* sums by group: copies of every group, so that neighbouring rows of one group do not wait for each other */

typedef struct SumPair {
    double high, low; /* high + low; low is meaningless where high is not finite */
} SumPair;

typedef struct Kernels {
    const char *level; /* "baseline", "avx2", "avx512" */

    /* ---- comparisons -> bitmap. vv: two columns; vc: column with a constant (x < c, x > c). Others by swapping or inverting ---- */
#define X(name, T)                                                                                                     \
    void (*eq_vv_##name)(uint64_t *out, const T *a, const T *b, size_t rows);                                          \
    void (*eq_vc_##name)(uint64_t *out, const T *a, T c, size_t rows);                                                 \
    void (*lt_vv_##name)(uint64_t *out, const T *a, const T *b, size_t rows);                                          \
    void (*lt_vc_##name)(uint64_t *out, const T *a, T c, size_t rows);                                                 \
    void (*gt_vc_##name)(uint64_t *out, const T *a, T c, size_t rows);
    KERNEL_NUMBERS(X)
#undef X

    /* ---- arithmetic; true = some row overflowed (its result has wrapped) ---- */
#define X(name, T)                                                                                                     \
    bool (*add_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*add_vc_##name)(T *out, const T *a, T c, size_t rows);                                                       \
    bool (*sub_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*sub_vc_##name)(T *out, const T *a, T c, size_t rows);                                                       \
    bool (*sub_cv_##name)(T *out, T c, const T *b, size_t rows);                                                       \
    bool (*mul_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*mul_vc_##name)(T *out, const T *a, T c, size_t rows);                                                       \
    bool (*div_vv_##name)(T *out, const T *a, const T *b, size_t rows); /* toward zero; true: a zero divisor or MIN/-1 */ \
    bool (*mod_vv_##name)(T *out, const T *a, const T *b, size_t rows); /* sign of a; true: a zero divisor */
    KERNEL_COMPUTED(X)
#undef X
    /* true = some result is infinite, NaN or zero where PostgreSQL may have an error: out of range or division by zero */
#define X(name, T)                                                                                                     \
    bool (*add_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*sub_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*mul_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*div_vv_##name)(T *out, const T *a, const T *b, size_t rows);                                                \
    bool (*add_vc_##name)(T *out, const T *a, T c, size_t rows);                                                       \
    bool (*mul_vc_##name)(T *out, const T *a, T c, size_t rows);
    KERNEL_FLOATS(X)
#undef X

    /* ---- reductions over the rows set in `rows_set` (NULL = all). min, max: false and *out untouched when no row is set ---- */
#define X(name, T)                                                                                                     \
    bool (*min_##name)(const T *a, const uint64_t *rows_set, size_t rows, T *out);                                     \
    bool (*max_##name)(const T *a, const uint64_t *rows_set, size_t rows, T *out);
    KERNEL_NUMBERS(X)
#undef X
#define X(name, T) Int128 (*sum_##name)(const T *a, const uint64_t *rows_set, size_t rows);
    KERNEL_INTEGERS(X)
#undef X
    SumPair (*sum_f32)(const float *a, const uint64_t *rows_set, size_t rows);
    SumPair (*sum_f64)(const double *a, const uint64_t *rows_set, size_t rows);

    /* ---- hashes: out = hash_u64 of the value's bits (sign-extended to 64; floats: -0 as 0, every NaN alike) ---- */
    void (*hash_i8)(uint64_t *out, const int8_t *a, size_t rows);
    void (*hash_i16)(uint64_t *out, const int16_t *a, size_t rows);
    void (*hash_i32)(uint64_t *out, const int32_t *a, size_t rows);
    void (*hash_i64)(uint64_t *out, const int64_t *a, size_t rows);
    void (*hash_f32)(uint64_t *out, const float *a, size_t rows);
    void (*hash_f64)(uint64_t *out, const double *a, size_t rows);
    void (*hash_combine)(uint64_t *into, const uint64_t *other, size_t rows); /* second and further keys */

    /* ---- sums by group (group.inc): a value as two integers whose sums are exact; up to 1,024 rows a call ---- */
#define X(name, T) void (*split_##name)(int64_t *pairs, const T *a, size_t rows); /* value = high * 2^32 + low */
    KERNEL_INTEGERS(X)
#undef X
    /* value = high * ulp(coarse) + low * ulp(fine), coarse and fine = 1.5 * 2^n; false: some row has more bits than that. Pairs mean
     * something where |a| <= coarse / 4096; *magnitude_out = bits of the largest |a|, NaN and infinity above all. */
    bool (*split_f64)(int64_t *pairs, const double *a, size_t rows, double coarse, double fine, uint64_t *magnitude_out);
    /* sums: 2 * GROUP_COPIES integers a group, 4 * GROUP_COPIES for add_counted (the third one counts); counts: GROUP_COPIES */
    void (*add_pairs)(int64_t *sums, const uint32_t *group, const int64_t *pairs, const uint64_t *rows_set, size_t rows);
    void (*add_counted)(int64_t *sums, const uint32_t *group, const int64_t *pairs, const uint64_t *rows_set, size_t rows);
    void (*count_groups)(uint32_t *counts, const uint32_t *group, const uint64_t *rows_set, size_t rows);
    uint32_t (*number_codes)(uint32_t *group, const uint32_t *codes, size_t rows); /* group = code + 1; the largest group */
    bool (*all_flagged)(const uint8_t *flags, const uint32_t *group);              /* of 64 rows; flags are 0 or 1 */

    /* ---- selection ---- */
    uint32_t (*mask_to_index)(const uint64_t *mask, size_t rows, uint16_t *index); /* index: room for rows rounded up to 64 */
    uint32_t (*count_bits)(const uint64_t *mask, size_t rows);
    void (*gather_32)(uint32_t *out, const uint32_t *values, const uint16_t *index, size_t rows);
    void (*gather_64)(uint64_t *out, const uint64_t *values, const uint16_t *index, size_t rows);
} Kernels;

/* The best level of this CPU; the same answer at every call, cheap. */
const Kernels *kernels_pick(void);
/* All levels that this CPU can run, baseline first (tests, benchmarks). NULL past the last. */
const Kernels *kernels_level(size_t number);

static inline double sum_pair_value(SumPair sum) {
    double total = sum.high + sum.low;
    return __builtin_isfinite(sum.high) ? total : sum.high;
}
/* Adds one value to a double-double (two-sum, Knuth). */
static inline void sum_pair_add(SumPair *sum, double value) {
    double high = sum->high + value;
    double part = high - sum->high;
    double error = (sum->high - (high - part)) + (value - part);
    sum->high = high;
    sum->low += error;
}
static inline void sum_pair_merge(SumPair *sum, SumPair other) {
    sum_pair_add(sum, other.high);
    sum->low += other.low;
}

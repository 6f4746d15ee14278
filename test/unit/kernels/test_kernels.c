/* SPDX-License-Identifier: Apache-2.0
 * test_kernels.c - every kernel of every level that this CPU has, against scalar twins written the plain way: same bits, same flags. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "kernels/kernels.h"

enum { ROUNDS = 60, ROWS = 1024, WORDS = ROWS / 64 };

static Random random_state;

/* Small numbers, extremes and anything: so that equal values, overflow and its absence all occur. */
static int64_t any_integer(int kind) {
    static const int64_t EDGES[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, INT16_MIN, INT16_MAX, 127, -128};
    switch (kind) {
    case 0:
        return random_between(&random_state, -3, 3);
    case 1:
        return EDGES[random_below(&random_state, COUNT_OF(EDGES))];
    default:
        return (int64_t)random_next(&random_state) >> random_below(&random_state, 64);
    }
}

static double any_double(int kind) {
    static const double EDGES[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 1e-200, 3e38, 1e-40};
    if (kind == 1) {
        size_t at = random_below(&random_state, COUNT_OF(EDGES) + 2);
        return at < COUNT_OF(EDGES) ? EDGES[at] : at == COUNT_OF(EDGES) ? (double)NAN : -(double)NAN;
    }
    return kind == 0 ? (double)random_between(&random_state, -3, 3) : (random_unit(&random_state) - 0.5) * 1e6;
}

#define FILL_INTEGERS(array, kind)                                                                                     \
    for (size_t i = 0; i < ROWS; i++) {                                                                                \
        (array)[i] = (__typeof__((array)[0]))any_integer(kind);                                                        \
    }
#define FILL_FLOATS(array, kind)                                                                                       \
    for (size_t i = 0; i < ROWS; i++) {                                                                                \
        (array)[i] = (__typeof__((array)[0]))any_double(kind);                                                         \
    }

static bool get(const uint64_t *words, size_t row) {
    return (words[row / 64] >> (row % 64) & 1) != 0;
}

static size_t any_rows(void) {
    return random_below(&random_state, 4) == 0 ? ROWS : random_below(&random_state, ROWS + 1);
}

static void any_mask(uint64_t *mask) {
    uint64_t kind = random_below(&random_state, 4);
    for (size_t w = 0; w < WORDS; w++) {
        uint64_t word = random_next(&random_state);
        mask[w] = kind == 0 ? 0 : kind == 1 ? ~UINT64_C(0) : kind == 2 ? word & random_next(&random_state) & random_next(&random_state) : word;
    }
}

/* ---- comparisons ---- */

static int order_float(double a, double b) {
    if (isnan(a) || isnan(b)) {
        return (isnan(a) != 0) - (isnan(b) != 0);
    }
    return (a > b) - (a < b);
}
static int order_integer(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

#define CHECK_WORDS(WANT)                                                                                              \
    for (size_t i = 0; i < WORDS * 64; i++) {                                                                          \
        if (i < (rows + 63) / 64 * 64) {                                                                               \
            assert_int_equal(get(out, i), i < rows && (WANT));                                                         \
        }                                                                                                              \
    }
#define COMPARE_TEST(name, T, FILL, ORDER)                                                                             \
    static void compare_##name(const Kernels *k) {                                                                     \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            T a[ROWS], b[ROWS];                                                                                        \
            uint64_t out[WORDS];                                                                                       \
            size_t rows = any_rows();                                                                                  \
            FILL(a, round % 3) FILL(b, (round / 3) % 3)                                                                \
            T c = b[0];                                                                                                \
            k->eq_vv_##name(out, a, b, rows);                                                                          \
            CHECK_WORDS(ORDER(a[i], b[i]) == 0)                                                                        \
            k->eq_vc_##name(out, a, c, rows);                                                                          \
            CHECK_WORDS(ORDER(a[i], c) == 0)                                                                           \
            k->lt_vv_##name(out, a, b, rows);                                                                          \
            CHECK_WORDS(ORDER(a[i], b[i]) < 0)                                                                         \
            k->lt_vc_##name(out, a, c, rows);                                                                          \
            CHECK_WORDS(ORDER(a[i], c) < 0)                                                                            \
            k->gt_vc_##name(out, a, c, rows);                                                                          \
            CHECK_WORDS(ORDER(a[i], c) > 0)                                                                            \
        }                                                                                                              \
    }
#define X(name, T) COMPARE_TEST(name, T, FILL_INTEGERS, order_integer)
KERNEL_INTEGERS(X)
#undef X
#define X(name, T) COMPARE_TEST(name, T, FILL_FLOATS, order_float)
KERNEL_FLOATS(X)
#undef X

/* ---- arithmetic ---- */

/* The flag must be up exactly when a row of the padded range overflows; padding may raise it, so whole batches are used. */
#define CHECK_EXACT(call, EXACT)                                                                                       \
    do {                                                                                                               \
        bool flag = (call), want = false;                                                                              \
        for (size_t i = 0; i < ROWS; i++) {                                                                            \
            Int128 exact = (EXACT);                                                                                    \
            want |= exact != (__typeof__(out[0]))exact;                                                                \
            assert_true(out[i] == (__typeof__(out[0]))exact);                                                          \
        }                                                                                                              \
        assert_int_equal(flag, want);                                                                                  \
    } while (0)

#define X(name, T)                                                                                                     \
    static void compute_##name(const Kernels *k) {                                                                     \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            T a[ROWS], b[ROWS], out[ROWS];                                                                             \
            FILL_INTEGERS(a, round % 3) FILL_INTEGERS(b, (round / 3) % 3)                                              \
            T c = b[0];                                                                                                \
            CHECK_EXACT(k->add_vv_##name(out, a, b, ROWS), (Int128)a[i] + b[i]);                                       \
            CHECK_EXACT(k->add_vc_##name(out, a, c, ROWS), (Int128)a[i] + c);                                          \
            CHECK_EXACT(k->sub_vv_##name(out, a, b, ROWS), (Int128)a[i] - b[i]);                                       \
            CHECK_EXACT(k->sub_vc_##name(out, a, c, ROWS), (Int128)a[i] - c);                                          \
            CHECK_EXACT(k->sub_cv_##name(out, c, b, ROWS), (Int128)c - b[i]);                                          \
            CHECK_EXACT(k->mul_vv_##name(out, a, b, ROWS), (Int128)a[i] * b[i]);                                       \
            CHECK_EXACT(k->mul_vc_##name(out, a, c, ROWS), (Int128)a[i] * c);                                          \
            bool flag = k->div_vv_##name(out, a, b, ROWS), want = false;                                               \
            for (size_t i = 0; i < ROWS; i++) {                                                                        \
                bool bad = b[i] == 0 || (Int128)a[i] / b[i] != (T)((Int128)a[i] / b[i]);                               \
                want |= bad;                                                                                           \
                assert_true(bad || out[i] == (T)((Int128)a[i] / b[i]));                                                \
            }                                                                                                          \
            assert_int_equal(flag, want);                                                                              \
            flag = k->mod_vv_##name(out, a, b, ROWS), want = false;                                                    \
            for (size_t i = 0; i < ROWS; i++) {                                                                        \
                want |= b[i] == 0;                                                                                     \
                assert_true(b[i] == 0 || out[i] == (T)((Int128)a[i] % b[i]));                                          \
            }                                                                                                          \
            assert_int_equal(flag, want);                                                                              \
        }                                                                                                              \
    }
KERNEL_COMPUTED(X)
#undef X

#define CHECK_FLOAT(call, RESULT, ZERO_IS_SUSPECT)                                                                     \
    do {                                                                                                               \
        bool flag = (call), want = false;                                                                              \
        for (size_t i = 0; i < ROWS; i++) {                                                                            \
            __typeof__(out[0]) result = (RESULT);                                                                      \
            want |= !isfinite(result) || ((ZERO_IS_SUSPECT) && result == 0 && a[i] != 0 && b[i] != 0);                 \
            assert_true(isnan(result) ? isnan(out[i]) : memcmp(&result, &out[i], sizeof result) == 0);                 \
        }                                                                                                              \
        assert_int_equal(flag, want);                                                                                  \
    } while (0)
#define X(name, T)                                                                                                     \
    static void compute_##name(const Kernels *k) {                                                                     \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            T a[ROWS], b[ROWS], out[ROWS];                                                                             \
            FILL_FLOATS(a, round % 3) FILL_FLOATS(b, (round / 3) % 3)                                                  \
            CHECK_FLOAT(k->add_vv_##name(out, a, b, ROWS), a[i] + b[i], false);                                        \
            CHECK_FLOAT(k->sub_vv_##name(out, a, b, ROWS), a[i] - b[i], false);                                        \
            CHECK_FLOAT(k->mul_vv_##name(out, a, b, ROWS), a[i] * b[i], true);                                         \
            CHECK_FLOAT(k->div_vv_##name(out, a, b, ROWS), a[i] / b[i], true);                                         \
            T c = b[0];                                                                                                \
            for (size_t i = 0; i < ROWS; i++) {                                                                        \
                b[i] = c;                                                                                              \
            }                                                                                                          \
            CHECK_FLOAT(k->add_vc_##name(out, a, c, ROWS), a[i] + c, false);                                           \
            CHECK_FLOAT(k->mul_vc_##name(out, a, c, ROWS), a[i] * c, true);                                            \
        }                                                                                                              \
    }
KERNEL_FLOATS(X)
#undef X

/* ---- reductions ---- */

#define REDUCE_TEST(name, T, FILL, ORDER)                                                                              \
    static void extremes_##name(const Kernels *k) {                                                                    \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            T a[ROWS], low = 0, high = 0, got = 0;                                                                     \
            uint64_t mask[WORDS];                                                                                      \
            const uint64_t *set = round % 5 == 0 ? NULL : mask;                                                        \
            bool any = false;                                                                                          \
            size_t rows = any_rows();                                                                                  \
            FILL(a, round % 3)                                                                                         \
            any_mask(mask);                                                                                            \
            for (size_t i = 0; i < rows; i++) {                                                                        \
                if (set != NULL && !get(set, i)) {                                                                     \
                    continue;                                                                                          \
                }                                                                                                      \
                low = !any || ORDER(a[i], low) < 0 ? a[i] : low;                                                       \
                high = !any || ORDER(a[i], high) > 0 ? a[i] : high;                                                    \
                any = true;                                                                                            \
            }                                                                                                          \
            assert_int_equal(k->min_##name(a, set, rows, &got), any);                                                  \
            assert_true(!any || ORDER(got, low) == 0);                                                                 \
            assert_int_equal(k->max_##name(a, set, rows, &got), any);                                                  \
            assert_true(!any || ORDER(got, high) == 0);                                                                \
        }                                                                                                              \
    }
#define X(name, T)                                                                                                     \
    REDUCE_TEST(name, T, FILL_INTEGERS, order_integer)                                                                 \
    static void sum_##name(const Kernels *k) {                                                                         \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            T a[ROWS];                                                                                                 \
            uint64_t mask[WORDS];                                                                                      \
            Int128 want = 0;                                                                                           \
            size_t rows = any_rows();                                                                                  \
            FILL_INTEGERS(a, round % 3)                                                                                \
            any_mask(mask);                                                                                            \
            for (size_t i = 0; i < rows; i++) {                                                                        \
                want += get(mask, i) ? a[i] : 0;                                                                       \
            }                                                                                                          \
            assert_true(k->sum_##name(a, mask, rows) == want);                                                         \
        }                                                                                                              \
    }
KERNEL_INTEGERS(X)
#undef X
#define X(name, T) REDUCE_TEST(name, T, FILL_FLOATS, order_float)
KERNEL_FLOATS(X)
#undef X

static void sum_floats(const Kernels *k) {
    for (int round = 0; round < ROUNDS; round++) {
        double a[ROWS];
        float f[ROWS];
        uint64_t mask[WORDS];
        size_t rows = any_rows();
        long double want = 0, want_f = 0;
        any_mask(mask);
        for (size_t i = 0; i < ROWS; i++) {
            a[i] = ldexp(random_unit(&random_state) - 0.5, (int)random_between(&random_state, -20, 20));
            f[i] = (float)a[i];
            if (i < rows && get(mask, i)) {
                want += a[i];
                want_f += f[i];
            }
        }
        SumPair got = k->sum_f64(a, mask, rows);
        SumPair base = kernels_level(0)->sum_f64(a, mask, rows);
        assert_memory_equal(&got, &base, sizeof got);
        assert_true(fabsl((long double)got.high + got.low - want) <= 1e-12L);
        got = k->sum_f32(f, mask, rows);
        assert_true(fabsl((long double)got.high + got.low - want_f) <= 1e-12L);
    }
    double cancel[64] = {1e300, 1, -1e300, 1e-3};
    assert_true(sum_pair_value(k->sum_f64(cancel, NULL, 4)) == 1.001);
    double infinite[64] = {1, INFINITY};
    assert_true(sum_pair_value(k->sum_f64(infinite, NULL, 2)) == INFINITY);
}

/* ---- hashes, selection ---- */

static void hashes(const Kernels *k) {
    int32_t a[ROWS];
    int64_t b[ROWS];
    double c[64] = {0.0, -0.0, NAN, 1.5};
    c[4] = -c[2];
    float f[64] = {1.5f};
    uint64_t out_a[ROWS], out_b[ROWS], out_c[64], out_f[64];
    FILL_INTEGERS(a, 2)
    for (size_t i = 0; i < ROWS; i++) {
        b[i] = a[i];
    }
    k->hash_i32(out_a, a, ROWS);
    k->hash_i64(out_b, b, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(out_a[i] == hash_u64((uint64_t)b[i]));
        assert_true(out_b[i] == out_a[i]);
    }
    k->hash_f64(out_c, c, 64);
    k->hash_f32(out_f, f, 64);
    assert_true(out_c[0] == out_c[1]);
    assert_true(out_c[2] == out_c[4]);
    assert_true(out_c[3] == out_f[0]);
    assert_true(out_c[3] != out_c[0]);
}

static void selection(const Kernels *k) {
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t mask[WORDS], values[ROWS], out[ROWS];
        uint32_t narrow[ROWS], narrow_out[ROWS], want = 0;
        uint16_t index[ROWS + 64];
        size_t rows = any_rows();
        any_mask(mask);
        uint32_t count = k->mask_to_index(mask, rows, index);
        for (size_t i = 0; i < ROWS; i++) {
            values[i] = random_next(&random_state);
            narrow[i] = (uint32_t)values[i];
            if (i < rows && get(mask, i)) {
                assert_int_equal(index[want], i);
                want++;
            }
        }
        assert_int_equal(count, want);
        assert_int_equal(k->count_bits(mask, rows), want);
        k->gather_64(out, values, index, count);
        k->gather_32(narrow_out, narrow, index, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(out[i] == values[index[i]]);
            assert_true(narrow_out[i] == narrow[index[i]]);
        }
    }
}

/* ---- sums by group ---- */
enum { GROUPS = 7 };

static void group_sums(const Kernels *k) {
    static _Alignas(64) int64_t pairs[ROWS * 2];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t values[ROWS], sums[GROUPS * GROUP_COPIES * 2] = {0}, counted[GROUPS * GROUP_COPIES * 4] = {0};
        uint64_t mask[WORDS];
        uint32_t group[ROWS], counts[GROUPS * GROUP_COPIES] = {0}, want_count[GROUPS] = {0};
        Int128 want[GROUPS] = {0};
        size_t rows = any_rows();
        FILL_INTEGERS(values, round % 3);
        any_mask(mask);
        for (size_t i = 0; i < ROWS; i++) {
            group[i] = (uint32_t)random_below(&random_state, GROUPS);
            if (i < rows && get(mask, i)) {
                want[group[i]] += values[i];
                want_count[group[i]]++;
            }
        }
        k->split_i64(pairs, values, rows);
        k->add_pairs(sums, group, pairs, mask, rows);
        k->count_groups(counts, group, mask, rows);
        k->add_counted(counted, group, pairs, mask, rows);
        for (size_t g = 0; g < GROUPS; g++) {
            Int128 sum = 0;
            uint32_t count = 0;
            for (size_t copy = 0; copy < GROUP_COPIES; copy++) {
                const int64_t *pair = sums + (g * GROUP_COPIES + copy) * 2;
                sum += (Int128)pair[0] * ((Int128)1 << 32) + pair[1];
                count += counts[g * GROUP_COPIES + copy];
                assert_memory_equal(counted + (g * GROUP_COPIES + copy) * 4, pair, 2 * sizeof *pair);
                assert_int_equal(counted[(g * GROUP_COPIES + copy) * 4 + 2], counts[g * GROUP_COPIES + copy]);
            }
            assert_true(sum == want[g]);
            assert_int_equal(count, want_count[g]);
        }
    }
}

static void codes_and_flags(const Kernels *k) {
    uint8_t flags[GROUPS + 1] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t codes[ROWS], group[ROWS], most = 0;
        bool all = true;
        flags[random_below(&random_state, GROUPS + 1)] = 1;
        for (size_t i = 0; i < ROWS; i++) {
            codes[i] = (uint32_t)random_below(&random_state, GROUPS);
            most = codes[i] + 1 > most ? codes[i] + 1 : most;
            all = all && (i >= 64 || flags[codes[i] + 1] != 0);
        }
        assert_int_equal(k->number_codes(group, codes, ROWS), most);
        for (size_t i = 0; i < ROWS; i++) {
            assert_int_equal(group[i], codes[i] + 1);
        }
        assert_int_equal(k->all_flagged(flags, group), all);
    }
}

static void narrow_splits(const Kernels *k) {
    int8_t a8[ROWS];
    int16_t a16[ROWS];
    int32_t a32[ROWS];
    int64_t pairs[3][ROWS * 2];
    FILL_INTEGERS(a8, 2)
    FILL_INTEGERS(a16, 2)
    FILL_INTEGERS(a32, 1)
    k->split_i8(pairs[0], a8, ROWS);
    k->split_i16(pairs[1], a16, ROWS);
    k->split_i32(pairs[2], a32, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(pairs[0][i * 2] * INT64_C(4294967296) + pairs[0][i * 2 + 1], a8[i]);
        assert_int_equal(pairs[1][i * 2] * INT64_C(4294967296) + pairs[1][i * 2 + 1], a16[i]);
        assert_int_equal(pairs[2][i * 2] * INT64_C(4294967296) + pairs[2][i * 2 + 1], a32[i]);
    }
}

/* |a| < 2^20 in steps of 2^-20, then of 2^-44, then one value with more places than both parts hold. */
static void split_floats(const Kernels *k) {
    double coarse = ldexp(1.5, 20 - 40 + 52), fine = ldexp(1.5, 20 - 85 + 52), a[ROWS];
    int64_t pairs[ROWS * 2];
    uint64_t magnitude = 0;
    for (int places = 20; places <= 44; places += 24) {
        double most = 0;
        for (size_t i = 0; i < ROWS; i++) {
            a[i] = ldexp((double)random_between(&random_state, -(INT64_C(1) << (places + 4)), INT64_C(1) << (places + 4)), -places);
            most = fmax(most, fabs(a[i]));
        }
        uint64_t bits;
        memcpy(&bits, &most, sizeof bits);
        assert_true(k->split_f64(pairs, a, ROWS, coarse, fine, &magnitude));
        assert_true(magnitude == bits);
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(ldexp((double)pairs[i * 2], 20 - 40) + ldexp((double)pairs[i * 2 + 1], 20 - 85) == a[i]);
            assert_true(llabs(pairs[i * 2]) <= INT64_C(1) << 40);
            assert_true(llabs(pairs[i * 2 + 1]) <= INT64_C(1) << 44);
        }
    }
    a[777] = 0x1.0000000000001p-30;
    assert_false(k->split_f64(pairs, a, ROWS, coarse, fine, &magnitude));
    a[777] = -(double)NAN;
    (void)k->split_f64(pairs, a, ROWS, coarse, fine, &magnitude);
    assert_true(magnitude > UINT64_C(0x7ff) << 52);
}

/* ---- each level ---- */

static void each_level(void (*check)(const Kernels *)) {
    for (size_t number = 0; kernels_level(number) != NULL; number++) {
        random_init(&random_state, 7);
        check(kernels_level(number));
    }
}

#define X(name, T) each_level(compare_##name);
static void comparisons(void **state) {
    (void)state;
    KERNEL_NUMBERS(X)
}
#undef X
#define X(name, T) each_level(compute_##name);
static void arithmetic(void **state) {
    (void)state;
    KERNEL_COMPUTED(X)
    KERNEL_FLOATS(X)
}
#undef X
#define X(name, T) each_level(extremes_##name);
#define Y(name, T) each_level(sum_##name);
static void reductions(void **state) {
    (void)state;
    KERNEL_NUMBERS(X)
    KERNEL_INTEGERS(Y)
    each_level(sum_floats);
}
#undef X
static void the_rest(void **state) {
    (void)state;
    each_level(hashes);
    each_level(selection);
    each_level(group_sums);
    each_level(narrow_splits);
    each_level(codes_and_flags);
    each_level(split_floats);
}

static void the_best_level_is_picked(void **state) {
    (void)state;
    size_t last = 0;
    while (kernels_level(last + 1) != NULL) {
        last++;
    }
    assert_ptr_equal(kernels_pick(), kernels_level(last));
    assert_string_equal(kernels_level(0)->level, "baseline");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons), cmocka_unit_test(arithmetic), cmocka_unit_test(reductions),
        cmocka_unit_test(the_rest),    cmocka_unit_test(the_best_level_is_picked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * compare.c - = <> < <= > >= for every type.
 *
 * Why: numbers and times go to the array kernels, which know "equal" and "less"; the other four swap arguments or invert the mask.
 * Types with a wider order (text, numeric, interval, arrays) have one comparing function each and a plain loop over the needed rows. */
#include "column/array.h"
#include "column/value_rules.h"
#include "sql/func/func_internal.h"

typedef enum CompareOp { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE } CompareOp;

static inline bool holds(CompareOp op, int order) {
    switch (op) {
    case COMPARE_EQ:
        return order == 0;
    case COMPARE_NE:
        return order != 0;
    case COMPARE_LT:
        return order < 0;
    case COMPARE_LE:
        return order <= 0;
    case COMPARE_GT:
        return order > 0;
    case COMPARE_GE:
        return order >= 0;
    }
    return false;
}

static void invert(uint64_t *words, size_t rows) {
    for (size_t w = 0; w < words_for(rows); w++) {
        words[w] = ~words[w];
    }
    if (rows % 64 != 0) {
        words[rows / 64] &= tail_mask(rows);
    }
}

/* ---- fixed-width numbers ---- */

#define ORDER_INTEGER(x, y) (((x) > (y)) - ((x) < (y)))
/* NaN is equal to itself and above everything. */
#define ORDER_FLOAT(x, y)                                                                                              \
    ((x) != (x) || (y) != (y) ? ((x) != (x)) - ((y) != (y)) : ((x) > (y)) - ((x) < (y)))

#define NUMBER_COMPARE(name, T, ORDER)                                                                                 \
    static void rows_##name(const KernelCall *call, uint64_t *out, CompareOp op, ArgView a, ArgView b) {               \
        memset(out, 0, words_for(call->row_count) * sizeof *out);                                                      \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            T x = AT(T, a, row), y = AT(T, b, row);                                                                    \
            if (holds(op, ORDER(x, y))) {                                                                              \
                bit_set(out, row);                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static ErrorCode compare_##name(const KernelCall *call, Vector *result, CompareOp op) {                            \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        uint64_t *out = vector_data(result);                                                                           \
        size_t rows = call->row_count;                                                                                 \
        if (rows < SHORT_BATCH_ROWS || (a.constant && b.constant)) {                                                   \
            rows_##name(call, out, op, a, b);                                                                          \
            return ERR_OK;                                                                                             \
        }                                                                                                              \
        const Kernels *k = kernels_pick();                                                                             \
        const T *x = (const T *)(const void *)a.data, *y = (const T *)(const void *)b.data;                            \
        bool equal = op == COMPARE_EQ || op == COMPARE_NE;                                                             \
        bool less = op == COMPARE_LT || op == COMPARE_GE; /* else greater: GT and LE */                                \
        if (a.constant) { /* c < y is y > c */                                                                         \
            const T c = *x;                                                                                            \
            (equal ? k->eq_vc_##name : less ? k->gt_vc_##name : k->lt_vc_##name)(out, y, c, rows);                     \
        } else if (b.constant) {                                                                                       \
            const T c = *y;                                                                                            \
            (equal ? k->eq_vc_##name : less ? k->lt_vc_##name : k->gt_vc_##name)(out, x, c, rows);                     \
        } else if (equal) {                                                                                            \
            k->eq_vv_##name(out, x, y, rows);                                                                          \
        } else {                                                                                                       \
            k->lt_vv_##name(out, less ? x : y, less ? y : x, rows);                                                    \
        }                                                                                                              \
        if (op == COMPARE_NE || op == COMPARE_GE || op == COMPARE_LE) {                                                \
            invert(out, rows);                                                                                         \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NUMBER_COMPARE(i8, int8_t, ORDER_INTEGER)
NUMBER_COMPARE(i16, int16_t, ORDER_INTEGER)
NUMBER_COMPARE(i32, int32_t, ORDER_INTEGER)
NUMBER_COMPARE(i64, int64_t, ORDER_INTEGER)
NUMBER_COMPARE(f32, float, ORDER_FLOAT)
NUMBER_COMPARE(f64, double, ORDER_FLOAT)

/* ---- booleans: whole words; false < true ---- */

static uint64_t bool_word(ArgView view, size_t w) {
    const uint64_t *words = (const uint64_t *)(const void *)view.data;
    if (view.constant) {
        return (words[0] & 1) != 0 ? ~UINT64_C(0) : 0;
    }
    return words[w];
}

static ErrorCode compare_truth(const KernelCall *call, Vector *result, CompareOp op) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    uint64_t *out = vector_data(result);
    for (size_t w = 0; w < words_for(call->row_count); w++) {
        uint64_t x = bool_word(a, w), y = bool_word(b, w);
        uint64_t less = ~x & y, greater = x & ~y;
        switch (op) {
        case COMPARE_EQ:
            out[w] = ~(x ^ y);
            break;
        case COMPARE_NE:
            out[w] = x ^ y;
            break;
        case COMPARE_LT:
            out[w] = less;
            break;
        case COMPARE_LE:
            out[w] = ~greater;
            break;
        case COMPARE_GT:
            out[w] = greater;
            break;
        case COMPARE_GE:
            out[w] = ~less;
            break;
        }
    }
    return ERR_OK;
}

/* ---- types with a comparing function ---- */

int func__order_text(const void *a, const void *b) {
    return strref_compare(a, b);
}

/* char(n): blanks at the end do not count. */
int func__order_bpchar(const void *a, const void *b) {
    Str x = strref_str(a), y = strref_str(b);
    while (x.len > 0 && x.data[x.len - 1] == ' ') {
        x.len--;
    }
    while (y.len > 0 && y.data[y.len - 1] == ' ') {
        y.len--;
    }
    return str_compare(x, y);
}

int func__order_numeric(const void *a, const void *b) {
    return numeric_compare(numeric_from_slot(a), numeric_from_slot(b));
}

int func__order_interval(const void *a, const void *b) {
    Int128 x = interval_span(*(const Interval *)a), y = interval_span(*(const Interval *)b);
    return ORDER_INTEGER(x, y);
}

int func__order_uuid(const void *a, const void *b) {
    return memcmp(a, b, sizeof(Uuid));
}

/* By values, then by length, then by shape, as PostgreSQL orders arrays. */
int func__order_array(const void *a, const void *b) {
    ArrayView x, y;
    if (array_view(strref_str(a), &x, NULL) != ERR_OK || array_view(strref_str(b), &y, NULL) != ERR_OK) {
        return str_compare(strref_str(a), strref_str(b));
    }
    for (uint32_t i = 0; i < x.count && i < y.count; i++) {
        double u = array_value(&x, i), v = array_value(&y, i);
        int order = ORDER_FLOAT(u, v);
        if (order != 0) {
            return order;
        }
    }
    if (x.count != y.count) {
        return x.count < y.count ? -1 : 1;
    }
    return x.dims != y.dims ? (x.dims < y.dims ? -1 : 1) : memcmp(x.lengths, y.lengths, x.dims * sizeof x.lengths[0]);
}

static ErrorCode compare_by(const KernelCall *call, Vector *result, CompareOp op, int (*order)(const void *, const void *)) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    uint64_t *out = vector_data(result);
    memset(out, 0, words_for(call->row_count) * sizeof *out);
    FOR_ROWS(call, row) {
        if (holds(op, order(a.data + row * a.step, b.data + row * b.step))) {
            bit_set(out, row);
        }
    }
    return ERR_OK;
}

/* Equality of text is most of what is asked of text: length and first bytes decide nearly always. */
static ErrorCode compare_text(const KernelCall *call, Vector *result, CompareOp op) {
    if (op != COMPARE_EQ && op != COMPARE_NE) {
        return compare_by(call, result, op, func__order_text);
    }
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    uint64_t *out = vector_data(result);
    memset(out, 0, words_for(call->row_count) * sizeof *out);
    FOR_ROWS(call, row) {
        if (strref_equal(&AT(StrRef, a, row), &AT(StrRef, b, row)) == (op == COMPARE_EQ)) {
            bit_set(out, row);
        }
    }
    return ERR_OK;
}
/* Types that have nothing of their own: by their rules. */
static ErrorCode compare_value(const KernelCall *call, Vector *result, CompareOp op) {
    return compare_by(call, result, op, value_rules((TypeId)call->args[0]->type.id)->compare);
}
/* A vector (int2vector, oidvector) and an array compare as arrays. */
static ErrorCode compare_anyarray(const KernelCall *call, Vector *result, CompareOp op) {
    return compare_by(call, result, op, value_rules(TYPE_ARRAY)->compare);
}
#define compare_bpchar(call, out, op) compare_by(call, out, op, func__order_bpchar)
#define compare_numeric(call, out, op) compare_by(call, out, op, func__order_numeric)
#define compare_interval(call, out, op) compare_by(call, out, op, func__order_interval)
#define compare_uuid(call, out, op) compare_by(call, out, op, func__order_uuid)
#define compare_array(call, out, op) compare_by(call, out, op, func__order_array)

/* ---- the kernels: six names a family ---- */

#define SIX(name)                                                                                                      \
    SIX_ONE(name, eq, COMPARE_EQ)                                                                                      \
    SIX_ONE(name, ne, COMPARE_NE)                                                                                      \
    SIX_ONE(name, lt, COMPARE_LT)                                                                                      \
    SIX_ONE(name, le, COMPARE_LE)                                                                                      \
    SIX_ONE(name, gt, COMPARE_GT)                                                                                      \
    SIX_ONE(name, ge, COMPARE_GE)
#define SIX_ONE(name, verb, op)                                                                                        \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        (void)err;                                                                                                     \
        return compare_##name(call, out, op);                                                                          \
    }
SIX(truth)
SIX(i8)
SIX(i16)
SIX(i32)
SIX(i64)
SIX(f32)
SIX(f64)
SIX(text)
SIX(bpchar)
SIX(numeric)
SIX(interval)
SIX(uuid)
SIX(array)
SIX(value)
SIX(anyarray)

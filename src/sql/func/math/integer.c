/* SPDX-License-Identifier: Apache-2.0
 * math/integer.c - + - * / % and unary operators of smallint, integer, bigint.
 *
 * Why: the array kernels wrap and raise one flag for the batch; only when it is up are the needed rows computed again one by one,
 * with checks, so that a row that is not needed never raises. */
#include "sql/func/func_internal.h"

typedef enum IntegerOp { INTEGER_ADD, INTEGER_SUB, INTEGER_MUL, INTEGER_DIV, INTEGER_MOD } IntegerOp;

/* One checked value. DIV by zero is told apart by the caller. */
#define INTEGER_ONE(name, T, LOWEST)                                                                                   \
    static bool one_##name(IntegerOp op, T x, T y, T *r) {                                                             \
        switch (op) {                                                                                                  \
        case INTEGER_ADD:                                                                                              \
            return !__builtin_add_overflow(x, y, r);                                                                   \
        case INTEGER_SUB:                                                                                              \
            return !__builtin_sub_overflow(x, y, r);                                                                   \
        case INTEGER_MUL:                                                                                              \
            return !__builtin_mul_overflow(x, y, r);                                                                   \
        case INTEGER_DIV:                                                                                              \
            if (x == (LOWEST) && y == -1) {                                                                            \
                return false;                                                                                          \
            }                                                                                                          \
            *r = (T)(x / y);                                                                                           \
            return true;                                                                                               \
        case INTEGER_MOD:                                                                                              \
            *r = y == -1 ? (T)0 : (T)(x % y);                                                                          \
            return true;                                                                                               \
        }                                                                                                              \
        return false;                                                                                                  \
    }                                                                                                                  \
    static ErrorCode rows_##name(const KernelCall *call, Vector *out, IntegerOp op, Error *err) {                      \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        T *to = vector_data(out);                                                                                      \
        FOR_ROWS(call, row) {                                                                                          \
            T x = AT(T, a, row), y = AT(T, b, row);                                                                    \
            if (op >= INTEGER_DIV && y == 0) {                                                                         \
                return func__division_by_zero(err);                                                                    \
            }                                                                                                          \
            if (!one_##name(op, x, y, &to[row])) {                                                                     \
                return func__out_of_range((TypeId)out->type.id, err);                                                  \
            }                                                                                                          \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    static bool arrays_##name(const KernelCall *call, Vector *out, IntegerOp op) {                                     \
        const Kernels *k = kernels_pick();                                                                             \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        const T *x = (const T *)(const void *)a.data, *y = (const T *)(const void *)b.data;                            \
        T *to = vector_data(out);                                                                                      \
        size_t rows = call->row_count;                                                                                 \
        switch (op) {                                                                                                  \
        case INTEGER_ADD:                                                                                              \
            return a.constant ? k->add_vc_##name(to, y, *x, rows)                                                      \
                 : b.constant ? k->add_vc_##name(to, x, *y, rows)                                                      \
                              : k->add_vv_##name(to, x, y, rows);                                                      \
        case INTEGER_SUB:                                                                                              \
            return a.constant ? k->sub_cv_##name(to, *x, y, rows)                                                      \
                 : b.constant ? k->sub_vc_##name(to, x, *y, rows)                                                      \
                              : k->sub_vv_##name(to, x, y, rows);                                                      \
        case INTEGER_MUL:                                                                                              \
            return a.constant ? k->mul_vc_##name(to, y, *x, rows)                                                      \
                 : b.constant ? k->mul_vc_##name(to, x, *y, rows)                                                      \
                              : k->mul_vv_##name(to, x, y, rows);                                                      \
        case INTEGER_DIV:                                                                                              \
            return a.constant || b.constant || k->div_vv_##name(to, x, y, rows);                                       \
        case INTEGER_MOD:                                                                                              \
            return a.constant || b.constant || k->mod_vv_##name(to, x, y, rows);                                       \
        }                                                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    static ErrorCode run_##name(const KernelCall *call, Vector *out, IntegerOp op, Error *err) {                       \
        bool both = call->args[0]->form == VECTOR_CONSTANT && call->args[1]->form == VECTOR_CONSTANT;                  \
        if (call->row_count >= SHORT_BATCH_ROWS && !both && !arrays_##name(call, out, op)) {                           \
            return ERR_OK;                                                                                             \
        }                                                                                                              \
        return rows_##name(call, out, op, err);                                                                        \
    }
INTEGER_ONE(i16, int16_t, INT16_MIN)
INTEGER_ONE(i32, int32_t, INT32_MIN)
INTEGER_ONE(i64, int64_t, INT64_MIN)

#define BINARY(verb, op, name)                                                                                         \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        return run_##name(call, out, op, err);                                                                         \
    }
#define BINARIES(name)                                                                                                 \
    BINARY(add, INTEGER_ADD, name)                                                                                     \
    BINARY(sub, INTEGER_SUB, name)                                                                                     \
    BINARY(mul, INTEGER_MUL, name)                                                                                     \
    BINARY(div, INTEGER_DIV, name)                                                                                     \
    BINARY(mod, INTEGER_MOD, name)
BINARIES(i16)
BINARIES(i32)
BINARIES(i64)

/* byte op byte is an integer: only division can fail. */
#define BYTES(verb, EXPRESSION, CHECK_ZERO)                                                                            \
    ErrorCode func__##verb##_i8(const KernelCall *call, Vector *out, Error *err) {                                     \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        int32_t *to = vector_data(out);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            int32_t x = AT(int8_t, a, row), y = AT(int8_t, b, row);                                                    \
            if ((CHECK_ZERO) && y == 0) {                                                                              \
                return func__division_by_zero(err);                                                                    \
            }                                                                                                          \
            to[row] = EXPRESSION;                                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
BYTES(add, x + y, false)
BYTES(sub, x - y, false)
BYTES(mul, x *y, false)
BYTES(div, x / y, true)
BYTES(mod, x % y, true)

/* ---- one argument ---- */

#define UNARY(verb, name, T, LOWEST, EXPRESSION)                                                                       \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        ArgView a = func__arg(call, 0);                                                                                \
        T *to = vector_data(out);                                                                                      \
        FOR_ROWS(call, row) {                                                                                          \
            T x = AT(T, a, row);                                                                                       \
            if (x == (LOWEST)) {                                                                                       \
                return func__out_of_range((TypeId)out->type.id, err);                                                  \
            }                                                                                                          \
            to[row] = (T)(EXPRESSION);                                                                                 \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
UNARY(neg, i16, int16_t, INT16_MIN, -x)
UNARY(neg, i32, int32_t, INT32_MIN, -x)
UNARY(neg, i64, int64_t, INT64_MIN, -x)
UNARY(abs, i16, int16_t, INT16_MIN, x < 0 ? -x : x)
UNARY(abs, i32, int32_t, INT32_MIN, x < 0 ? -x : x)
UNARY(abs, i64, int64_t, INT64_MIN, x < 0 ? -x : x)

#define TOTAL(verb, name, T, R, EXPRESSION)                                                                            \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        R *to = vector_data(out);                                                                                      \
        FOR_ROWS(call, row) {                                                                                          \
            T x = AT(T, a, row);                                                                                       \
            to[row] = (R)(EXPRESSION);                                                                                 \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
TOTAL(neg, i8, int8_t, int32_t, -x)
TOTAL(abs, i8, int8_t, int32_t, x < 0 ? -x : x)
TOTAL(sign, i32, int32_t, int32_t, (x > 0) - (x < 0))
TOTAL(sign, i64, int64_t, int64_t, (x > 0) - (x < 0))
TOTAL(bit_not, i16, int16_t, int16_t, ~x)
TOTAL(bit_not, i32, int32_t, int32_t, ~x)
TOTAL(bit_not, i64, int64_t, int64_t, ~x)

/* +x: the value itself, whatever the type. */
ErrorCode func__identity(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    size_t width = physical_bytes(type_physical((TypeId)out->type.id));
    assert(width > 0);
    uint8_t *to = vector_data(out);
    for (size_t row = 0; row < call->row_count; row++) {
        memcpy(to + row * width, a.data + row * a.step, width);
    }
    return ERR_OK;
}

/* ---- bits ---- */

#define BITS(verb, name, T, EXPRESSION)                                                                                \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        T *to = vector_data(out);                                                                                      \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            T x = AT(T, a, row), y = AT(T, b, row);                                                                    \
            to[row] = (T)(EXPRESSION);                                                                                 \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
#define BITS_ALL(name, T)                                                                                              \
    BITS(bit_and, name, T, x &y)                                                                                       \
    BITS(bit_or, name, T, x | y)                                                                                       \
    BITS(bit_xor, name, T, x ^ y)
BITS_ALL(i16, int16_t)
BITS_ALL(i32, int32_t)
BITS_ALL(i64, int64_t)

/* Shifts take their distance modulo the width, as PostgreSQL does on x86. */
#define SHIFT(verb, name, T, U, EXPRESSION)                                                                            \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        T *to = vector_data(out);                                                                                      \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            T x = AT(T, a, row);                                                                                       \
            unsigned y = (unsigned)AT(int32_t, b, row) % (8 * (unsigned)sizeof(T) < 32 ? 32 : 8 * (unsigned)sizeof(T)); \
            to[row] = (T)(EXPRESSION);                                                                                 \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
SHIFT(shift_left, i16, int16_t, uint16_t, (uint32_t)x << y)
SHIFT(shift_left, i32, int32_t, uint32_t, (uint32_t)x << y)
SHIFT(shift_left, i64, int64_t, uint64_t, (uint64_t)x << y)
SHIFT(shift_right, i16, int16_t, uint16_t, (int32_t)x >> y)
SHIFT(shift_right, i32, int32_t, uint32_t, x >> y)
SHIFT(shift_right, i64, int64_t, uint64_t, x >> y)

/* ---- gcd, lcm ---- */

static uint64_t magnitude(int64_t x) {
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

static uint64_t gcd_of(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#define GCD(name, T, HIGHEST)                                                                                          \
    ErrorCode func__gcd_##name(const KernelCall *call, Vector *out, Error *err) {                                      \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            uint64_t divisor = gcd_of(magnitude(AT(T, a, row)), magnitude(AT(T, b, row)));                             \
            if (divisor > (HIGHEST)) {                                                                                 \
                return func__out_of_range((TypeId)out->type.id, err);                                                  \
            }                                                                                                          \
            ((T *)vector_data(out))[row] = (T)divisor;                                                                 \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    ErrorCode func__lcm_##name(const KernelCall *call, Vector *out, Error *err) {                                      \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            uint64_t x = magnitude(AT(T, a, row)), y = magnitude(AT(T, b, row)), multiple = 0;                         \
            bool fits = x == 0 || y == 0 || !__builtin_mul_overflow(x / gcd_of(x, y), y, &multiple);                   \
            if (!fits || multiple > (HIGHEST)) {                                                                       \
                return func__out_of_range((TypeId)out->type.id, err);                                                  \
            }                                                                                                          \
            ((T *)vector_data(out))[row] = (T)multiple;                                                                \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
GCD(i32, int32_t, INT32_MAX)
GCD(i64, int64_t, INT64_MAX)

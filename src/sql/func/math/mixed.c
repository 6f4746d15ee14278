/* SPDX-License-Identifier: Apache-2.0
 * math/mixed.c - float4 with float8: computed and compared as float8.
 *
 * Why: PostgreSQL has operators of these two types, so that float4 + 1 is float8 and a float4 is not equal to the decimal it was
 *      written as; without the rows overload resolution would choose float4. */
#include <math.h>

#include "sql/func/func_internal.h"

/* The value of a float4 or float8 argument. */
static inline double load(const KernelCall *call, ArgView view, size_t number, size_t row) {
    return call->args[number]->type.id == TYPE_FLOAT4 ? (double)AT(float, view, row) : AT(double, view, row);
}

static ErrorCode range_error(const char *what, Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: %s", what);
}

#define MIXED_ARITHMETIC(verb, EXPRESSION, ZERO_DIVIDES, MAY_UNDERFLOW)                                                \
    ErrorCode func__##verb##_mixed(const KernelCall *call, Vector *out, Error *err) {                                  \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        double *to = vector_data(out);                                                                                 \
        FOR_ROWS(call, row) {                                                                                          \
            double x = load(call, a, 0, row), y = load(call, b, 1, row);                                               \
            if ((ZERO_DIVIDES) && y == 0 && !isnan(x)) {                                                               \
                return func__division_by_zero(err);                                                                    \
            }                                                                                                          \
            to[row] = EXPRESSION;                                                                                      \
            if (isinf(to[row]) && !isinf(x) && !isinf(y)) {                                                            \
                return range_error("overflow", err);                                                                   \
            }                                                                                                          \
            if ((MAY_UNDERFLOW) && to[row] == 0 && x != 0 && y != 0 && !isinf(y)) {                                    \
                return range_error("underflow", err);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
MIXED_ARITHMETIC(add, x + y, false, false)
MIXED_ARITHMETIC(sub, x - y, false, false)
MIXED_ARITHMETIC(mul, x *y, false, true)
MIXED_ARITHMETIC(div, x / y, true, true)

static int order(double x, double y) {
    if (isnan(x) || isnan(y)) {
        return (isnan(x) != 0) - (isnan(y) != 0);
    }
    return (x > y) - (x < y);
}

#define MIXED_COMPARE(verb, TEST)                                                                                      \
    ErrorCode func__##verb##_mixed(const KernelCall *call, Vector *out, Error *err) {                                  \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            int o = order(load(call, a, 0, row), load(call, b, 1, row));                                               \
            func__put_bool(out, row, TEST);                                                                            \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
MIXED_COMPARE(eq, o == 0)
MIXED_COMPARE(ne, o != 0)
MIXED_COMPARE(lt, o < 0)
MIXED_COMPARE(le, o <= 0)
MIXED_COMPARE(gt, o > 0)
MIXED_COMPARE(ge, o >= 0)

/* SPDX-License-Identifier: Apache-2.0
 * math/float.c - float arithmetic with PostgreSQL's range checks, and the functions of one or two doubles.
 *
 * A result that is infinite though no argument is, or zero though it should not be, is 22003; x / 0 is 22012. In the questdb dialect
 * arithmetic never raises (rows of its own in the table). */
#include <math.h>
#include <stdlib.h>

#include "sql/func/func_internal.h"

static ErrorCode overflow(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: overflow");
}
static ErrorCode underflow(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: underflow");
}

typedef enum FloatOp { FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV } FloatOp;

static ErrorCode check_one(FloatOp op, double x, double y, double r, Error *err) {
    if (op == FLOAT_DIV && y == 0 && !isnan(x)) {
        return func__division_by_zero(err);
    }
    if (isinf(r) && !isinf(x) && !isinf(y)) {
        return overflow(err);
    }
    if (r == 0 && ((op == FLOAT_MUL && x != 0 && y != 0) || (op == FLOAT_DIV && x != 0 && !isinf(y)))) {
        return underflow(err);
    }
    return ERR_OK;
}

/* Computes all rows into out; true if some result is suspicious. */
#define FLOAT_RUN(name, T)                                                                                             \
    static bool plain_##name(const KernelCall *call, T *to, FloatOp op) {                                              \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            T x = AT(T, a, row), y = AT(T, b, row);                                                                    \
            to[row] = op == FLOAT_ADD ? x + y : op == FLOAT_SUB ? x - y : op == FLOAT_MUL ? x * y : x / y;             \
        }                                                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    static bool arrays_##name(const KernelCall *call, T *to, FloatOp op) {                                             \
        const Kernels *k = kernels_pick();                                                                             \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        const T *x = (const T *)(const void *)a.data, *y = (const T *)(const void *)b.data;                            \
        size_t rows = call->row_count;                                                                                 \
        if (!a.constant && !b.constant && rows >= SHORT_BATCH_ROWS) {                                                  \
            return (op == FLOAT_ADD ? k->add_vv_##name                                                                 \
                    : op == FLOAT_SUB ? k->sub_vv_##name                                                               \
                    : op == FLOAT_MUL ? k->mul_vv_##name                                                               \
                                      : k->div_vv_##name)(to, x, y, rows);                                             \
        }                                                                                                              \
        if ((a.constant && b.constant) || rows < SHORT_BATCH_ROWS || op == FLOAT_DIV || (op == FLOAT_SUB && a.constant)) { \
            return plain_##name(call, to, op);                                                                         \
        }                                                                                                              \
        const T *column = a.constant ? y : x;                                                                          \
        T c = a.constant ? *x : *y;                                                                                    \
        return op == FLOAT_MUL ? k->mul_vc_##name(to, column, c, rows)                                                 \
                               : k->add_vc_##name(to, column, op == FLOAT_SUB ? -c : c, rows);                         \
    }                                                                                                                  \
    static ErrorCode run_##name(const KernelCall *call, Vector *out, FloatOp op, Error *err) {                         \
        T *to = vector_data(out);                                                                                      \
        if (!arrays_##name(call, to, op)) {                                                                            \
            return ERR_OK;                                                                                             \
        }                                                                                                              \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            TRY(check_one(op, (double)AT(T, a, row), (double)AT(T, b, row), (double)to[row], err));                    \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    static ErrorCode free_##name(const KernelCall *call, Vector *out, FloatOp op) {                                    \
        (void)arrays_##name(call, vector_data(out), op);                                                               \
        return ERR_OK;                                                                                                 \
    }
FLOAT_RUN(f32, float)
FLOAT_RUN(f64, double)

/* free_: the questdb dialect, infinities and NaN instead of errors. */
#define FLOAT_KERNEL(verb, op, name)                                                                                   \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        return run_##name(call, out, op, err);                                                                         \
    }                                                                                                                  \
    ErrorCode func__free_##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                            \
        (void)err;                                                                                                     \
        return free_##name(call, out, op);                                                                             \
    }
#define FLOAT_KERNELS(name)                                                                                            \
    FLOAT_KERNEL(add, FLOAT_ADD, name)                                                                                 \
    FLOAT_KERNEL(sub, FLOAT_SUB, name)                                                                                 \
    FLOAT_KERNEL(mul, FLOAT_MUL, name)                                                                                 \
    FLOAT_KERNEL(div, FLOAT_DIV, name)
FLOAT_KERNELS(f32)
FLOAT_KERNELS(f64)

/* ---- one argument, cannot fail ---- */

static double sign_of(double x) {
    return (double)((x > 0) - (x < 0)); /* NaN: 0, as PostgreSQL */
}
#define FLOAT_TOTAL(verb, name, T, EXPRESSION)                                                                         \
    ErrorCode func__##verb##_##name(const KernelCall *call, Vector *out, Error *err) {                                 \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        T *to = vector_data(out);                                                                                      \
        for (size_t row = 0; row < call->row_count; row++) {                                                           \
            T x = AT(T, a, row);                                                                                       \
            to[row] = EXPRESSION;                                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
FLOAT_TOTAL(neg, f32, float, -x)
FLOAT_TOTAL(neg, f64, double, -x)
FLOAT_TOTAL(abs, f32, float, fabsf(x))
FLOAT_TOTAL(abs, f64, double, fabs(x))
FLOAT_TOTAL(ceil, f64, double, ceil(x))
FLOAT_TOTAL(floor, f64, double, floor(x))
FLOAT_TOTAL(trunc, f64, double, trunc(x))
FLOAT_TOTAL(round, f64, double, nearbyint(x))        /* half to even, as PostgreSQL rounds doubles */
FLOAT_TOTAL(round_away, f64, double, round(x))       /* half away from zero: the questdb dialect */
FLOAT_TOTAL(sign, f64, double, sign_of(x))
FLOAT_TOTAL(cbrt, f64, double, cbrt(x))
FLOAT_TOTAL(atan, f64, double, atan(x))
FLOAT_TOTAL(tanh, f64, double, tanh(x))
FLOAT_TOTAL(asinh, f64, double, asinh(x))
FLOAT_TOTAL(sinh, f64, double, sinh(x)) /* infinite where it overflows, as PostgreSQL */
FLOAT_TOTAL(cosh, f64, double, cosh(x))

/* ---- one argument, with a domain ---- */

static ErrorCode input_out_of_range(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "input is out of range");
}

static ErrorCode check_log(double x, Error *err) {
    if (x == 0) {
        return error_set(err, ERR_INVALID_LOG_ARGUMENT, ERROR_NO_POSITION, "cannot take logarithm of zero");
    }
    if (x < 0) {
        return error_set(err, ERR_INVALID_LOG_ARGUMENT, ERROR_NO_POSITION, "cannot take logarithm of a negative number");
    }
    return ERR_OK;
}

static ErrorCode check_root(double x, Error *err) {
    if (x < 0) {
        return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION, "cannot take square root of a negative number");
    }
    return ERR_OK;
}

static ErrorCode check_finite(double x, Error *err) {
    return isinf(x) ? input_out_of_range(err) : ERR_OK;
}
static ErrorCode check_unit(double x, Error *err) {
    return x < -1 || x > 1 ? input_out_of_range(err) : ERR_OK;
}
static ErrorCode check_acosh(double x, Error *err) {
    return x < 1 ? input_out_of_range(err) : ERR_OK;
}
static ErrorCode check_none(double x, Error *err) {
    (void)x;
    (void)err;
    return ERR_OK;
}

static ErrorCode check_result(double x, double r, Error *err) {
    return isinf(r) && !isinf(x) ? overflow(err) : ERR_OK;
}

static ErrorCode check_any(double x, double r, Error *err) {
    (void)x;
    (void)r;
    (void)err;
    return ERR_OK;
}

static ErrorCode check_both(double x, double r, Error *err) {
    return r == 0 && x != 0 && !isinf(x) ? underflow(err) : check_result(x, r, err);
}

/* PostgreSQL's constant; degrees divides by it. */
#define RADIANS_PER_DEGREE 0.0174532925199432957692

#define FLOAT_DOMAIN(verb, CHECK, RESULT, EXPRESSION)                                                                          \
    ErrorCode func__##verb##_f64(const KernelCall *call, Vector *out, Error *err) {                                    \
        ArgView a = func__arg(call, 0);                                                                                \
        double *to = vector_data(out);                                                                                 \
        FOR_ROWS(call, row) {                                                                                          \
            double x = AT(double, a, row);                                                                             \
            TRY(CHECK(x, err));                                                                                        \
            to[row] = EXPRESSION;                                                                                      \
            TRY(RESULT(x, to[row], err));                                                                        \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
FLOAT_DOMAIN(sqrt, check_root, check_result, sqrt(x))
FLOAT_DOMAIN(exp, check_none, check_both, exp(x))
FLOAT_DOMAIN(ln, check_log, check_result, log(x))
FLOAT_DOMAIN(log10, check_log, check_result, log10(x))
FLOAT_DOMAIN(sin, check_finite, check_result, sin(x))
FLOAT_DOMAIN(cos, check_finite, check_result, cos(x))
FLOAT_DOMAIN(tan, check_finite, check_result, tan(x))
FLOAT_DOMAIN(asin, check_unit, check_result, asin(x))
FLOAT_DOMAIN(acos, check_unit, check_result, acos(x))
FLOAT_DOMAIN(acosh, check_acosh, check_result, acosh(x))
FLOAT_DOMAIN(atanh, check_unit, check_any, atanh(x))
FLOAT_DOMAIN(cot, check_finite, check_any, 1.0 / tan(x))
FLOAT_DOMAIN(degrees, check_none, check_both, x / RADIANS_PER_DEGREE)
FLOAT_DOMAIN(radians, check_none, check_both, x *RADIANS_PER_DEGREE)

/* ---- two arguments ---- */

ErrorCode func__power_f64(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    double *to = vector_data(out);
    FOR_ROWS(call, row) {
        double x = AT(double, a, row), y = AT(double, b, row);
        if (x == 0 && y < 0) {
            return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION, "zero raised to a negative power is undefined");
        }
        if (x < 0 && isfinite(y) && floor(y) != y) {
            return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION,
                             "a negative number raised to a non-integer power yields a complex result");
        }
        double r = pow(x, y);
        if (isinf(r) && isfinite(x) && isfinite(y)) {
            return overflow(err);
        }
        if (r == 0 && x != 0 && isfinite(x) && isfinite(y)) {
            return underflow(err);
        }
        to[row] = r;
    }
    return ERR_OK;
}

/* The questdb dialect: what C gives. */
ErrorCode func__free_power_f64(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = pow(AT(double, a, row), AT(double, b, row));
    }
    return ERR_OK;
}

ErrorCode func__atan2_f64(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = atan2(AT(double, a, row), AT(double, b, row));
    }
    return ERR_OK;
}

ErrorCode func__mod_f64(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = fmod(AT(double, a, row), AT(double, b, row));
    }
    return ERR_OK;
}

ErrorCode func__pi(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    for (size_t row = 0; row < call->row_count; row++) {
        ((double *)vector_data(out))[row] = M_PI;
    }
    return ERR_OK;
}

/* ---- rounding to decimal places ---- */

typedef enum RoundMode { ROUND_AWAY, ROUND_EVEN, ROUND_DOWN, ROUND_UP } RoundMode;

static double round_plain(RoundMode mode, double x) {
    switch (mode) {
    case ROUND_AWAY:
        return round(x);
    case ROUND_EVEN:
        return nearbyint(x);
    case ROUND_DOWN:
        return trunc(x);
    case ROUND_UP:
        return x < 0 ? floor(x) : ceil(x);
    }
    return x;
}

/* By the shortest decimal text of x, so that 2.345 rounds to 2.35 although the double lies below; up and down take the double itself. */
static double round_places(RoundMode mode, double x, int32_t places) {
    if (!isfinite(x) || places > 17) {
        return x;
    }
    if (places < -300) {
        return 0;
    }
    if (mode == ROUND_AWAY || mode == ROUND_EVEN) {
        Numeric exact, rounded;
        if (places >= 0 && fabs(x) < 1e15 && numeric_from_double(x, &exact, NULL) == ERR_OK && mode == ROUND_AWAY &&
            numeric_rescale(exact, (int16_t)places, &rounded, NULL) == ERR_OK) {
            return numeric_to_double(rounded);
        }
    }
    double scale = pow(10, abs(places));
    double scaled = places >= 0 ? x * scale : x / scale;
    if (!isfinite(scaled) || fabs(scaled) >= 4503599627370496.0) {
        return x;
    }
    scaled = round_plain(mode, scaled);
    if (places >= 0 && mode != ROUND_AWAY) {
        return scaled * pow(10, -places); /* QuestDB's last digit: round_down(2.99, 1) is 2.9000000000000004 */
    }
    return places >= 0 ? scaled / scale : scaled * scale;
}

#define ROUND_KERNEL(verb, MODE)                                                                                       \
    ErrorCode func__##verb(const KernelCall *call, Vector *out, Error *err) {                                          \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0), places = func__arg(call, 1);                                                   \
        FOR_ROWS(call, row) {                                                                                          \
            ((double *)vector_data(out))[row] = round_places(MODE, AT(double, a, row), AT(int32_t, places, row));      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
ROUND_KERNEL(round_places, ROUND_AWAY)
ROUND_KERNEL(round_half_even, ROUND_EVEN)
ROUND_KERNEL(round_down, ROUND_DOWN)
ROUND_KERNEL(round_up, ROUND_UP)

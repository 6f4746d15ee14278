/* SPDX-License-Identifier: Apache-2.0
 * math/numeric.c - exact decimals: arithmetic and rounding. Results that need more than 38 digits are 22003. */
#include "sql/func/func_internal.h"

#define NUMERIC_BINARY(verb)                                                                                           \
    ErrorCode func__##verb##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric r;                                                                                                 \
            TRY(numeric_##verb(func__numeric(a, row), func__numeric(b, row), &r, err));                                \
            func__put_numeric(call, out, row, r);                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NUMERIC_BINARY(add)
NUMERIC_BINARY(sub)
NUMERIC_BINARY(mul)
NUMERIC_BINARY(div)
NUMERIC_BINARY(mod)

/* div(a, b): the quotient's whole part. */
ErrorCode func__quotient_numeric(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Numeric x = func__numeric(a, row), y = func__numeric(b, row), rest, r;
        if (x.kind == NUMERIC_INFINITY || x.kind == NUMERIC_MINUS_INFINITY) {
            TRY(numeric_div(x, y, &r, err));
            func__put_numeric(call, out, row, r);
            continue;
        }
        TRY(numeric_mod(x, y, &rest, err));
        TRY(numeric_sub(x, rest, &rest, err));
        TRY(numeric_div(rest, y, &r, err));
        TRY(numeric_rescale(r, 0, &r, err));
        func__put_numeric(call, out, row, r);
    }
    return ERR_OK;
}

/* ---- one argument ---- */

static bool is_negative(Numeric x) {
    return x.kind == NUMERIC_MINUS_INFINITY || (x.kind == NUMERIC_FINITE && x.coefficient < 0);
}

static ErrorCode absolute(Numeric x, Numeric *r, Error *err) {
    *r = x;
    return is_negative(x) ? numeric_negate(x, r, err) : ERR_OK;
}

static ErrorCode sign(Numeric x, Numeric *r, Error *err) {
    (void)err;
    if (x.kind == NUMERIC_NAN) {
        *r = x;
        return ERR_OK;
    }
    bool zero = x.kind == NUMERIC_FINITE && x.coefficient == 0;
    *r = numeric_from_int64(zero ? 0 : is_negative(x) ? -1 : 1);
    return ERR_OK;
}

/* Drops digits beyond `scale` places (toward zero); negative scale zeroes digits before the point. */
static Numeric truncated(Numeric x, int32_t scale, bool *lost_out) {
    *lost_out = false;
    if (x.kind != NUMERIC_FINITE || scale >= x.scale) {
        return x;
    }
    int drop = x.scale - scale;
    Int128 unit = drop > NUMERIC_DIGITS_MAX ? 0 : pow10_int128(drop);
    Int128 kept = unit == 0 ? 0 : x.coefficient / unit;
    *lost_out = unit == 0 ? x.coefficient != 0 : x.coefficient % unit != 0;
    if (scale >= 0) {
        return (Numeric){.coefficient = kept, .scale = (int16_t)scale};
    }
    return (Numeric){.coefficient = kept == 0 ? 0 : kept * pow10_int128(-scale)};
}

static ErrorCode toward(Numeric x, bool up, Numeric *r, Error *err) {
    bool lost;
    *r = truncated(x, 0, &lost);
    if (lost && is_negative(x) != up) {
        return numeric_add(*r, numeric_from_int64(up ? 1 : -1), r, err);
    }
    return ERR_OK;
}
static ErrorCode ceiling(Numeric x, Numeric *r, Error *err) {
    return toward(x, true, r, err);
}
static ErrorCode flooring(Numeric x, Numeric *r, Error *err) {
    return toward(x, false, r, err);
}

#define NUMERIC_UNARY(verb, CALL)                                                                                      \
    ErrorCode func__##verb##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric r;                                                                                                 \
            TRY(CALL(func__numeric(a, row), &r, err));                                                                 \
            func__put_numeric(call, out, row, r);                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NUMERIC_UNARY(neg, numeric_negate)
NUMERIC_UNARY(abs, absolute)
NUMERIC_UNARY(sign, sign)
NUMERIC_UNARY(ceil, ceiling)
NUMERIC_UNARY(floor, flooring)

/* ---- rounding to places ---- */

static ErrorCode rounded(Numeric x, int32_t places, Numeric *r, Error *err) {
    if (places > NUMERIC_SCALE_MAX) {
        places = NUMERIC_SCALE_MAX;
    }
    if (places >= 0 || x.kind != NUMERIC_FINITE) {
        return numeric_rescale(x, (int16_t)MAX_OF(places, 0), r, err);
    }
    /* 1234 to -2 places: as 12.34 to none, then the zeroes back. */
    int shift = -MAX_OF(places, -1000);
    if (shift + x.scale > NUMERIC_DIGITS_MAX) {
        *r = numeric_from_int64(0);
        return ERR_OK;
    }
    Int128 unit = pow10_int128(shift + x.scale);
    Int128 whole = x.coefficient / unit, rest = x.coefficient % unit;
    if (rest < 0 ? -rest >= unit - -rest : rest >= unit - rest) {
        whole += x.coefficient < 0 ? -1 : 1;
    }
    *r = numeric_from_int64(0);
    if (__builtin_mul_overflow(whole, pow10_int128(shift), &r->coefficient)) {
        return func__out_of_range(TYPE_NUMERIC, err);
    }
    return ERR_OK;
}

static ErrorCode cut(Numeric x, int32_t places, Numeric *r, Error *err) {
    bool lost;
    if (places > x.scale) {
        return numeric_rescale(x, (int16_t)MIN_OF(places, NUMERIC_SCALE_MAX), r, err);
    }
    *r = truncated(x, MAX_OF(places, -NUMERIC_DIGITS_MAX), &lost);
    return ERR_OK;
}

#define NUMERIC_PLACES(verb, CALL)                                                                                     \
    ErrorCode func__##verb##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric r;                                                                                                 \
            int32_t places = call->arg_count > 1 ? AT(int32_t, func__arg(call, 1), row) : 0;                           \
            TRY(CALL(func__numeric(a, row), places, &r, err));                                                         \
            func__put_numeric(call, out, row, r);                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NUMERIC_PLACES(round, rounded)
NUMERIC_PLACES(trunc, cut)

/* scale(1.50) = 2; NULL for NaN and infinities */
ErrorCode func__scale_numeric(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        if (func__is_null(a, row) || func__numeric(a, row).kind != NUMERIC_FINITE) {
            vector_set_null(out, call->arena, row);
        } else {
            ((int32_t *)vector_data(out))[row] = func__numeric(a, row).scale;
        }
    }
    return ERR_OK;
}

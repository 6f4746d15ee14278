/* SPDX-License-Identifier: Apache-2.0
 * math/numeric_functions.c - sqrt, exp, ln, log, power of exact decimals, with as many digits as PostgreSQL shows.
 *
 * Why:    113-bit floats give 34 digits, more than the 16 significant ones that PostgreSQL promises; a result that would need more is
 *         22003, never wrong digits. Integer powers that fit 38 digits are exact.
 * Scales: PostgreSQL 15's rules: 16 significant digits, at least the arguments' own scale. */
#include <math.h>

#include "sql/func/func_internal.h"

#define LOG10_E 0.434294481903252 /* PostgreSQL's, to choose the same scale */
enum { SIGNIFICANT_DIGITS = 16, QUAD_DIGITS = 33, EXP_TERMS = 32 };

/* ---- quad arithmetic ---- */

static Quad quad_pow10(int exponent) {
    Quad result = 1;
    for (int i = 0; i < exponent; i++) {
        result *= 10;
    }
    return result;
}

/* 2^exponent; |exponent| below 16,000. */
static Quad quad_pow2(int exponent) {
    Quad result = 1, base = exponent < 0 ? (Quad)0.5 : 2;
    for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest >>= 1) {
        if ((rest & 1) != 0) {
            result *= base;
        }
        base *= base;
    }
    return result;
}

static Quad quad_sqrt(Quad x) {
    if (x == 0) {
        return 0;
    }
    Quad y = (Quad)sqrt((double)x);
    for (int i = 0; i < 3; i++) {
        y = (y + x / y) / 2;
    }
    return y;
}

/* ln 2 = 0.B17217F7D1CF79ABC9E3B39803F2F6AF40F3… in hexadecimal; the first part times a small integer is exact. */
static Quad quad_ln2_high(void) {
    return (Quad)UINT64_C(0xB17217F7D1CF79AB) * quad_pow2(-64);
}
static Quad quad_ln2_low(void) {
    return (Quad)UINT64_C(0xC9E3B39803F2F6AF) * quad_pow2(-128) + (Quad)UINT64_C(0x40F343267298B62D) * quad_pow2(-192);
}

/* x = k ln 2 + r, |r| <= 0.35; Taylor series of r. |x| below 10,000. */
static Quad quad_exp(Quad x) {
    int k = (int)nearbyint((double)x / M_LN2);
    Quad r = (x - (Quad)k * quad_ln2_high()) - (Quad)k * quad_ln2_low();
    Quad sum = 1;
    for (int n = EXP_TERMS; n >= 1; n--) {
        sum = 1 + sum * r / n;
    }
    return sum * quad_pow2(k);
}

/* One step of Halley's method triples the digits of the double that it starts from; two are certain. x > 0. */
static Quad quad_ln(Quad x) {
    Quad y = (Quad)log((double)x);
    for (int i = 0; i < 2; i++) {
        Quad e = quad_exp(y);
        y += 2 * (x - e) / (x + e);
    }
    return y;
}

/* ---- to and from numeric ---- */

static Quad to_quad(Numeric x) {
    return (Quad)x.coefficient / quad_pow10(x.scale);
}

static ErrorCode too_long(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric result needs more than %d digits", QUAD_DIGITS);
}

static ErrorCode from_quad(Quad x, int scale, Numeric *out, Error *err) {
    if (scale > NUMERIC_SCALE_MAX) {
        scale = NUMERIC_SCALE_MAX;
    }
    Quad limit = quad_pow10(QUAD_DIGITS);
    Quad scaled = x * quad_pow10(scale);
    while (scale > 0 && !(scaled < limit && scaled > -limit)) { /* fewer places, but right ones */
        scaled = x * quad_pow10(--scale);
    }
    if (!(scaled < limit && scaled > -limit)) {
        return too_long(err);
    }
    Int128 whole = (Int128)(scaled < 0 ? scaled - (Quad)0.5 : scaled + (Quad)0.5);
    *out = (Numeric){.coefficient = whole, .scale = (int16_t)scale};
    return ERR_OK;
}

/* Decimal exponent of the first digit: 0 for 1..9, -1 for 0.1. x != 0. */
static int first_digit(Numeric x) {
    int digits = 0;
    for (Int128 rest = x.coefficient; rest != 0; rest /= 10) {
        digits++;
    }
    return digits - 1 - x.scale;
}

static int clamp_scale(int scale, int least) {
    return MAX_OF(MAX_OF(scale, least), 0);
}

/* Decimal exponent of ln(x), as PostgreSQL estimates it. */
static int ln_exponent(Quad x) {
    double distance = fabs((double)(x - 1));
    if (distance == 0) {
        return 0;
    }
    if (distance < 0.1) {
        return (int)floor(log10(distance));
    }
    return (int)log10(fabs(log((double)x)));
}

/* ---- the functions ---- */

static ErrorCode bad_log(Numeric x, Error *err) {
    return error_set(err, ERR_INVALID_LOG_ARGUMENT, ERROR_NO_POSITION, "cannot take logarithm of %s",
                     x.coefficient == 0 && x.kind == NUMERIC_FINITE ? "zero" : "a negative number");
}

static bool is_positive(Numeric x) {
    return x.kind == NUMERIC_NAN || x.kind == NUMERIC_INFINITY || (x.kind == NUMERIC_FINITE && x.coefficient > 0);
}

static ErrorCode square_root(Numeric x, Numeric *r, Error *err) {
    if (x.kind == NUMERIC_MINUS_INFINITY || (x.kind == NUMERIC_FINITE && x.coefficient < 0)) {
        return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION, "cannot take square root of a negative number");
    }
    if (x.kind != NUMERIC_FINITE) {
        *r = x;
        return ERR_OK;
    }
    int weight = x.coefficient == 0 ? 0 : (int)floor_div(first_digit(x), 4); /* of base 10,000 */
    int exponent = (weight + 1) * 2 - 1;
    return from_quad(quad_sqrt(to_quad(x)), clamp_scale(SIGNIFICANT_DIGITS - exponent, x.scale), r, err);
}

ErrorCode func__numeric_root(Numeric x, int16_t scale, Numeric *out, Error *err) {
    return x.kind != NUMERIC_FINITE ? square_root(x, out, err) : from_quad(quad_sqrt(to_quad(x)), scale, out, err);
}

static ErrorCode exponential(Numeric x, Numeric *r, Error *err) {
    if (x.kind != NUMERIC_FINITE) {
        *r = x.kind == NUMERIC_MINUS_INFINITY ? numeric_from_int64(0) : x;
        return ERR_OK;
    }
    double exponent = numeric_to_double(x) * LOG10_E;
    if (exponent > QUAD_DIGITS) {
        return too_long(err);
    }
    if (exponent < -NUMERIC_SCALE_MAX) {
        *r = (Numeric){.scale = NUMERIC_SCALE_MAX};
        return ERR_OK;
    }
    return from_quad(quad_exp(to_quad(x)), clamp_scale(SIGNIFICANT_DIGITS - (int)exponent, x.scale), r, err);
}

static ErrorCode natural_log(Numeric x, Numeric *r, Error *err) {
    if (!is_positive(x)) {
        return bad_log(x, err);
    }
    if (x.kind != NUMERIC_FINITE) {
        *r = x;
        return ERR_OK;
    }
    Quad value = to_quad(x);
    return from_quad(quad_ln(value), clamp_scale(SIGNIFICANT_DIGITS - ln_exponent(value), x.scale), r, err);
}

static ErrorCode log_base(Numeric base, Numeric x, Numeric *r, Error *err) {
    if (base.kind == NUMERIC_NAN || x.kind == NUMERIC_NAN) {
        *r = (Numeric){.kind = NUMERIC_NAN};
        return ERR_OK;
    }
    if (!is_positive(base) || !is_positive(x)) {
        return bad_log(is_positive(base) ? x : base, err);
    }
    if (base.kind != NUMERIC_FINITE || x.kind != NUMERIC_FINITE) {
        bool both = base.kind == x.kind;
        *r = (Numeric){.kind = (uint8_t)(both ? NUMERIC_NAN : x.kind)};
        return ERR_OK;
    }
    Quad b = to_quad(base), v = to_quad(x);
    if (b == 1) {
        return func__division_by_zero(err);
    }
    int scale = SIGNIFICANT_DIGITS - (ln_exponent(v) - ln_exponent(b));
    return from_quad(quad_ln(v) / quad_ln(b), clamp_scale(scale, MAX_OF(base.scale, x.scale)), r, err);
}

static ErrorCode log_ten(Numeric x, Numeric *r, Error *err) {
    return log_base(numeric_from_int64(10), x, r, err);
}

/* ---- power ---- */

static bool whole_number(Numeric x, int64_t *value_out) {
    Int128 unit = pow10_int128(x.scale);
    if (x.coefficient % unit != 0) {
        return false;
    }
    *value_out = (int64_t)(x.coefficient / unit);
    return x.coefficient / unit == *value_out;
}

static Quad quad_power(Quad base, uint64_t times) {
    Quad result = 1;
    for (; times > 0; times >>= 1) {
        result *= (times & 1) != 0 ? base : 1;
        base *= base;
    }
    return result;
}

/* Exact while 38 digits suffice; else by quads. */
static ErrorCode integer_power(Numeric base, int64_t times, Numeric *r, Error *err) {
    int scale = MAX_OF(SIGNIFICANT_DIGITS, base.scale);
    Numeric product = numeric_from_int64(1);
    bool exact = times >= 0 && times <= 128;
    for (int64_t i = 0; exact && i < times; i++) {
        exact = numeric_mul(product, base, &product, NULL) == ERR_OK;
    }
    for (int places = scale; exact && places >= product.scale; places--) { /* as many zeroes as 38 digits have room for */
        if (numeric_rescale(product, (int16_t)places, r, NULL) == ERR_OK) {
            return ERR_OK;
        }
    }
    if (exact && product.scale > scale && numeric_rescale(product, (int16_t)scale, r, NULL) == ERR_OK) {
        return ERR_OK;
    }
    double exponent = (double)times * log10(fabs(numeric_to_double(base)));
    if (exponent > QUAD_DIGITS) {
        return too_long(err);
    }
    if (exponent < -2 * NUMERIC_SCALE_MAX) {
        *r = (Numeric){.scale = (int16_t)scale};
        return ERR_OK;
    }
    Quad value = quad_power(to_quad(base), times < 0 ? -(uint64_t)times : (uint64_t)times);
    return from_quad(times < 0 ? 1 / value : value, scale, r, err);
}

static ErrorCode power_special(Numeric base, Numeric x, Numeric *r, Error *err) {
    int64_t times;
    if (base.kind == NUMERIC_MINUS_INFINITY && x.kind == NUMERIC_FINITE && !whole_number(x, &times)) {
        return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION,
                         "a negative number raised to a non-integer power yields a complex result");
    }
    if (base.kind == NUMERIC_FINITE && base.coefficient == 0 && x.kind == NUMERIC_MINUS_INFINITY) {
        return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION, "zero raised to a negative power is undefined");
    }
    double value = pow(numeric_to_double(base), numeric_to_double(x));
    *r = (Numeric){.kind = (uint8_t)(isnan(value) ? NUMERIC_NAN : NUMERIC_FINITE), .coefficient = isfinite(value) ? (Int128)value : 0};
    if (isinf(value)) {
        r->kind = value > 0 ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY;
    }
    return ERR_OK;
}

static ErrorCode power(Numeric base, Numeric x, Numeric *r, Error *err) {
    int64_t times;
    if (base.kind != NUMERIC_FINITE || x.kind != NUMERIC_FINITE) {
        return power_special(base, x, r, err);
    }
    if (base.coefficient == 0 && x.coefficient < 0) {
        return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION, "zero raised to a negative power is undefined");
    }
    bool whole = whole_number(x, &times);
    if (base.coefficient < 0 && !whole) {
        return error_set(err, ERR_INVALID_POWER_ARGUMENT, ERROR_NO_POSITION,
                         "a negative number raised to a non-integer power yields a complex result");
    }
    if (whole && times >= INT32_MIN && times <= INT32_MAX) {
        return integer_power(base, times, r, err);
    }
    if (base.coefficient == 0) {
        *r = (Numeric){.scale = SIGNIFICANT_DIGITS};
        return ERR_OK;
    }
    Quad product = quad_ln(to_quad(base)) * to_quad(x);
    double exponent = (double)product * LOG10_E;
    if (exponent > QUAD_DIGITS) {
        return too_long(err);
    }
    if (exponent < -NUMERIC_SCALE_MAX) {
        *r = (Numeric){.scale = NUMERIC_SCALE_MAX};
        return ERR_OK;
    }
    return from_quad(quad_exp(product), clamp_scale(SIGNIFICANT_DIGITS - (int)exponent, MAX_OF(base.scale, x.scale)), r, err);
}

/* ---- small ones ---- */

static ErrorCode trim_scale(Numeric x, Numeric *r, Error *err) {
    (void)err;
    while (x.kind == NUMERIC_FINITE && x.scale > 0 && x.coefficient % 10 == 0) {
        x.coefficient /= 10;
        x.scale--;
    }
    *r = x;
    return ERR_OK;
}

ErrorCode func__min_scale_numeric(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Numeric r;
        if (func__is_null(a, row) || func__numeric(a, row).kind != NUMERIC_FINITE) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(trim_scale(func__numeric(a, row), &r, err));
        ((int32_t *)vector_data(out))[row] = r.scale;
    }
    return ERR_OK;
}

ErrorCode func__factorial(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int64_t n = AT(int64_t, a, row);
        Numeric product = numeric_from_int64(1);
        if (n < 0) {
            return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "factorial of a negative number is undefined");
        }
        for (int64_t i = 2; i <= n; i++) {
            TRY(numeric_mul(product, numeric_from_int64(i), &product, err));
        }
        func__put_numeric(call, out, row, product);
    }
    return ERR_OK;
}

#define NUMERIC_FUNCTION(verb, CALL)                                                                                   \
    ErrorCode func__##verb##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric r;                                                                                                 \
            TRY(CALL(func__numeric(a, row), &r, err));                                                                 \
            func__put_numeric(call, out, row, r);                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NUMERIC_FUNCTION(sqrt, square_root)
NUMERIC_FUNCTION(exp, exponential)
NUMERIC_FUNCTION(ln, natural_log)
NUMERIC_FUNCTION(log10, log_ten)
NUMERIC_FUNCTION(trim_scale, trim_scale)

#define NUMERIC_FUNCTION_TWO(verb, CALL)                                                                               \
    ErrorCode func__##verb##_numeric(const KernelCall *call, Vector *out, Error *err) {                                \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            Numeric r;                                                                                                 \
            TRY(CALL(func__numeric(a, row), func__numeric(b, row), &r, err));                                          \
            func__put_numeric(call, out, row, r);                                                                      \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
NUMERIC_FUNCTION_TWO(log, log_base)
NUMERIC_FUNCTION_TWO(power, power)

/* width_bucket(x, low, high, count): 0 below, count + 1 above; bounds may be in falling order. */
ErrorCode func__width_bucket(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        double x = AT(double, func__arg(call, 0), row), low = AT(double, func__arg(call, 1), row), high = AT(double, func__arg(call, 2), row);
        int32_t count = AT(int32_t, func__arg(call, 3), row);
        if (count <= 0) {
            return error_set(err, ERR_INVALID_WIDTH_BUCKET, ERROR_NO_POSITION, "count must be greater than zero");
        }
        if (isnan(x) || isnan(low) || isnan(high) || isinf(low) || isinf(high) || low == high) {
            return error_set(err, ERR_INVALID_WIDTH_BUCKET, ERROR_NO_POSITION,
                             low == high ? "lower bound cannot equal upper bound" : "operand and bounds must be finite");
        }
        double share = low < high ? (x - low) / (high - low) : (low - x) / (low - high);
        int64_t bucket = share < 0 ? 0 : share >= 1 ? (int64_t)count + 1 : (int64_t)(share * count) + 1;
        if (bucket > INT32_MAX) {
            return func__out_of_range(TYPE_INT4, err);
        }
        ((int32_t *)vector_data(out))[row] = (int32_t)bucket;
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * numeric.c - exact decimal arithmetic in 128 bits with PostgreSQL's scales and special values.
 *
 * Invariants: -2^127 <= coefficient < 2^127; 0 <= scale <= 38; a special kind has coefficient and scale 0.
 * Why:        what 128 bits cannot hold exactly is refused instead of rounded; only division rounds, as PostgreSQL's does.
 * Tests:      test/unit/base/test_numeric.c (answers of PostgreSQL 15, random checks against wider arithmetic) */
#include "base/numeric.h"
#include "base/numeric_internal.h"

enum { DIVISION_DIGITS_MIN = 16, GROUP_DIGITS = 4 /* PostgreSQL computes in base 10,000 and derives scales from that */ };

Int128 pow10_int128(int exponent) {
    assert(exponent >= 0);
    assert(exponent <= NUMERIC_DIGITS_MAX);
    static const uint64_t POWERS[20] = {1ULL,
                                        10ULL,
                                        100ULL,
                                        1000ULL,
                                        10000ULL,
                                        100000ULL,
                                        1000000ULL,
                                        10000000ULL,
                                        100000000ULL,
                                        1000000000ULL,
                                        10000000000ULL,
                                        100000000000ULL,
                                        1000000000000ULL,
                                        10000000000000ULL,
                                        100000000000000ULL,
                                        1000000000000000ULL,
                                        10000000000000000ULL,
                                        100000000000000000ULL,
                                        1000000000000000000ULL,
                                        10000000000000000000ULL};
    return exponent < 20 ? (Int128)POWERS[exponent] : (Int128)POWERS[19] * (Int128)POWERS[exponent - 19];
}

static ErrorCode out_of_range(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric value needs more than %d digits", NUMERIC_DIGITS_MAX);
}

static Numeric special(NumericKind kind) {
    return (Numeric){.kind = (uint8_t)kind};
}

static Uint128 magnitude(Int128 value) {
    return value < 0 ? -(Uint128)value : (Uint128)value;
}

static bool fits(Uint256 value, bool negative) {
    return value.high == 0 && value.low <= NUMERIC_COEFFICIENT_MAX - !negative;
}

static bool is_finite(Numeric value) {
    return value.kind == NUMERIC_FINITE;
}

/* -1, 0, 1; of infinities too */
static int sign_of(Numeric value) {
    if (value.kind == NUMERIC_INFINITY) {
        return 1;
    }
    return value.kind == NUMERIC_MINUS_INFINITY ? -1 : (value.coefficient > 0) - (value.coefficient < 0);
}

/* value x 10^by; false if it does not fit 256 bits */
static bool shifted(Int128 value, int by, Uint256 *out) {
    assert(by >= 0);
    int first = MIN_OF(by, NUMERIC_DIGITS_MAX);
    *out = numeric__multiply(magnitude(value), (Uint128)pow10_int128(first));
    for (int i = first; i < by; i++) {
        if (!numeric__times_ten(out)) {
            return false;
        }
    }
    return true;
}

/* Half away from zero: remainder / divisor >= 1/2, without the overflow of doubling. */
static bool rounds_up(Uint128 remainder, Uint128 divisor) {
    return remainder >= divisor - remainder;
}

static ErrorCode finish(bool negative, Uint256 coefficient, int scale, Numeric *out, Error *err) {
    if (!fits(coefficient, negative) || scale > NUMERIC_SCALE_MAX) {
        return out_of_range(err);
    }
    *out = (Numeric){.coefficient = (Int128)(negative ? -coefficient.low : coefficient.low), .scale = (int16_t)scale, .kind = NUMERIC_FINITE};
    return ERR_OK;
}

ErrorCode numeric_rescale(Numeric value, int16_t scale, Numeric *out, Error *err) {
    assert(scale >= 0);
    assert(scale <= NUMERIC_SCALE_MAX);
    if (!is_finite(value)) {
        *out = value;
        return ERR_OK;
    }
    bool negative = value.coefficient < 0;
    if (scale >= value.scale) {
        Uint256 wide;
        (void)shifted(value.coefficient, scale - value.scale, &wide); /* 2^127 x 10^38 fits 256 bits */
        return finish(negative, wide, scale, out, err);
    }
    Uint128 divisor = (Uint128)pow10_int128(value.scale - scale);
    Uint128 whole = magnitude(value.coefficient);
    Uint128 quotient = whole / divisor + rounds_up(whole % divisor, divisor);
    return finish(negative, (Uint256){.low = quotient}, scale, out, err);
}

/* The other sign, of infinities too; of the least coefficient nothing. */
static NumericKind negated_kind(Numeric value) {
    if (value.kind == NUMERIC_INFINITY || value.kind == NUMERIC_MINUS_INFINITY) {
        return value.kind == NUMERIC_INFINITY ? NUMERIC_MINUS_INFINITY : NUMERIC_INFINITY;
    }
    return (NumericKind)value.kind;
}

ErrorCode numeric_negate(Numeric value, Numeric *out, Error *err) {
    if (!is_finite(value)) {
        *out = special(negated_kind(value));
        return ERR_OK;
    }
    return finish(value.coefficient > 0, (Uint256){.low = magnitude(value.coefficient)}, value.scale, out, err);
}

static ErrorCode add_special(Numeric a, Numeric b, Numeric *out) {
    if (is_finite(a)) {
        *out = b;
    } else if (is_finite(b) || a.kind == b.kind) {
        *out = a;
    } else {
        *out = special(NUMERIC_NAN); /* NaN with anything, infinity with the other infinity */
    }
    return ERR_OK;
}

/* a + b, or a - b of finite ones. */
static ErrorCode add_finite(Numeric a, Numeric b, bool minus, Numeric *out, Error *err) {
    int16_t scale = MAX_OF(a.scale, b.scale);
    Numeric x;
    Numeric y;
    TRY(numeric_rescale(a, scale, &x, err));
    TRY(numeric_rescale(b, scale, &y, err));
    Int128 sum;
    bool overflow = minus ? __builtin_sub_overflow(x.coefficient, y.coefficient, &sum) : __builtin_add_overflow(x.coefficient, y.coefficient, &sum);
    return overflow ? out_of_range(err) : finish(sum < 0, (Uint256){.low = magnitude(sum)}, scale, out, err);
}

ErrorCode numeric_add(Numeric a, Numeric b, Numeric *out, Error *err) {
    return is_finite(a) && is_finite(b) ? add_finite(a, b, false, out, err) : add_special(a, b, out);
}

ErrorCode numeric_sub(Numeric a, Numeric b, Numeric *out, Error *err) {
    if (is_finite(a) && is_finite(b)) {
        return add_finite(a, b, true, out, err);
    }
    b.kind = (uint8_t)negated_kind(b);
    return add_special(a, b, out);
}

ErrorCode numeric_mul(Numeric a, Numeric b, Numeric *out, Error *err) {
    if (a.kind == NUMERIC_NAN || b.kind == NUMERIC_NAN) {
        *out = special(NUMERIC_NAN);
        return ERR_OK;
    }
    int sign = sign_of(a) * sign_of(b);
    if (!is_finite(a) || !is_finite(b)) {
        *out = special(sign == 0 ? NUMERIC_NAN : sign > 0 ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY);
        return ERR_OK;
    }
    Uint256 product = numeric__multiply(magnitude(a.coefficient), magnitude(b.coefficient));
    int scale = a.scale + b.scale;
    /* Zeros at the end are the only digits that may go when there are too many. */
    while (scale > 0 && (scale > NUMERIC_SCALE_MAX || !fits(product, sign < 0))) {
        Uint128 remainder;
        Uint256 tenth = numeric__divide(product, 10, &remainder);
        if (remainder != 0) {
            break;
        }
        product = tenth;
        scale--;
    }
    return finish(sign < 0, product, scale, out, err);
}

static int count_digits(Uint128 value) {
    int digits = 0;
    while (digits <= NUMERIC_DIGITS_MAX && value >= (Uint128)pow10_int128(digits)) {
        digits++;
    }
    return digits;
}

/* The value's first digit in base 10,000 and that digit's place (0 = units); zero has 0 and 0. */
static void leading_group(Numeric value, int *group_out, int *weight_out) {
    Uint128 whole = magnitude(value.coefficient);
    *group_out = 0;
    *weight_out = 0;
    if (whole == 0) {
        return;
    }
    int first_place = count_digits(whole) - 1 - value.scale;
    int weight = first_place >= 0 ? first_place / GROUP_DIGITS : -((-first_place + GROUP_DIGITS - 1) / GROUP_DIGITS);
    int drop = value.scale + weight * GROUP_DIGITS; /* coefficient / 10^drop is the group */
    Uint128 group = drop >= 0 ? whole / (Uint128)pow10_int128(drop) : whole * (Uint128)pow10_int128(-drop);
    assert(group >= 1);
    assert(group <= 9999);
    *group_out = (int)group;
    *weight_out = weight;
}

/* PostgreSQL's rule: at least 16 significant digits, and no fewer places than either operand shows. */
static int division_scale(Numeric a, Numeric b) {
    int group_a;
    int group_b;
    int weight_a;
    int weight_b;
    leading_group(a, &group_a, &weight_a);
    leading_group(b, &group_b, &weight_b);
    int weight = weight_a - weight_b - (group_a <= group_b);
    int scale = DIVISION_DIGITS_MIN - weight * GROUP_DIGITS;
    scale = MAX_OF(scale, MAX_OF(a.scale, b.scale));
    return MIN_OF(MAX_OF(scale, 0), NUMERIC_SCALE_MAX);
}

static ErrorCode div_special(Numeric a, Numeric b, Numeric *out) {
    bool no_answer = a.kind == NUMERIC_NAN || b.kind == NUMERIC_NAN || (!is_finite(a) && !is_finite(b));
    if (no_answer) {
        *out = special(NUMERIC_NAN);
    } else if (is_finite(a)) {
        *out = numeric_from_int64(0);
    } else {
        *out = special(sign_of(a) * (b.coefficient < 0 ? -1 : 1) > 0 ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY);
    }
    return ERR_OK;
}

static bool is_zero(Numeric value) {
    return is_finite(value) && value.coefficient == 0;
}

static ErrorCode division_by_zero(Error *err) {
    return error_set(err, ERR_DIVISION_BY_ZERO, ERROR_NO_POSITION, "division by zero");
}

ErrorCode numeric_div(Numeric a, Numeric b, Numeric *out, Error *err) {
    if (is_zero(b) && a.kind != NUMERIC_NAN) {
        return division_by_zero(err);
    }
    if (!is_finite(a) || !is_finite(b)) {
        return div_special(a, b, out);
    }
    int scale = division_scale(a, b);
    int shift = scale + b.scale - a.scale;
    bool negative = (a.coefficient < 0) != (b.coefficient < 0);
    Uint256 dividend;
    assert(shift >= 0); /* scale >= a.scale */
    if (!shifted(a.coefficient, shift, &dividend)) {
        return out_of_range(err);
    }
    Uint128 divisor = magnitude(b.coefficient);
    Uint128 remainder;
    Uint256 quotient = numeric__divide(dividend, divisor, &remainder);
    if (!fits(quotient, negative)) {
        return out_of_range(err);
    }
    quotient.low += rounds_up(remainder, divisor);
    return finish(negative && quotient.low != 0, quotient, scale, out, err);
}

ErrorCode numeric_mod(Numeric a, Numeric b, Numeric *out, Error *err) {
    if (a.kind == NUMERIC_NAN || b.kind == NUMERIC_NAN) {
        *out = special(NUMERIC_NAN);
        return ERR_OK;
    }
    if (is_zero(b)) {
        return division_by_zero(err);
    }
    if (!is_finite(a) || !is_finite(b)) {
        *out = is_finite(a) ? a : special(NUMERIC_NAN);
        return ERR_OK;
    }
    int scale = MAX_OF(a.scale, b.scale);
    Uint256 dividend;
    Uint256 divisor;
    (void)shifted(a.coefficient, scale - a.scale, &dividend);
    (void)shifted(b.coefficient, scale - b.scale, &divisor);
    Uint128 remainder = dividend.low;
    if (divisor.high != 0) {
        /* b was the one shifted, so a fits 128 bits and is smaller */
        assert(dividend.high == 0);
    } else {
        (void)numeric__divide(dividend, divisor.low, &remainder);
    }
    return finish(a.coefficient < 0, (Uint256){.low = remainder}, scale, out, err);
}

static int special_rank(Numeric value) {
    static const int8_t RANKS[] = {
        [NUMERIC_MINUS_INFINITY] = 0, [NUMERIC_FINITE] = 1, [NUMERIC_INFINITY] = 2, [NUMERIC_NAN] = 3};
    return RANKS[value.kind];
}

int numeric_compare(Numeric a, Numeric b) {
    int rank_a = special_rank(a);
    int rank_b = special_rank(b);
    if (rank_a != rank_b || !is_finite(a)) {
        return (rank_a > rank_b) - (rank_a < rank_b);
    }
    int sign_a = sign_of(a);
    int sign_b = sign_of(b);
    if (sign_a != sign_b || a.scale == b.scale) {
        return sign_a != sign_b ? (sign_a > sign_b) - (sign_a < sign_b)
                                : (a.coefficient > b.coefficient) - (a.coefficient < b.coefficient);
    }
    int scale = MAX_OF(a.scale, b.scale);
    Uint256 x;
    Uint256 y;
    (void)shifted(a.coefficient, scale - a.scale, &x);
    (void)shifted(b.coefficient, scale - b.scale, &y);
    return sign_a < 0 ? numeric__compare(y, x) : numeric__compare(x, y);
}

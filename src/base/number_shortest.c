/* SPDX-License-Identifier: Apache-2.0
 * number_shortest.c - the shortest digits of a double or float, after Giulietti's Schubfach paper (2020).
 *
 * Why:        a value c x 2^q rounds to itself inside an interval around it. For the largest k with 10^k not wider than the interval,
 *             some multiple of 10^k lies inside, and at most one multiple of 10^(k+1), which is the shorter answer if it does. Both
 *             questions need value / 10^k at only 126 bits of 10^-k and three multiplications, with no loop over digits.
 * Layout:     scaled numbers carry two bits below the unit; the lowest is sticky: set if anything was cut off.
 * Invariants: POWERS[k - K_MIN] = floor(10^-k / 2^r) + 1 in [2^125, 2^126), so its error is below one unit.
 * Tests:      test/unit/base/test_number.c */
#include "base/number.h"
#include "base/number_internal.h"
#include <math.h>

enum {
    K_MIN = -324,
    K_MAX = 292,
    DOUBLE_BITS = 52,   /* stored bits of the significand */
    DOUBLE_EXPONENT_LOW = -1074,
    FLOAT_BITS = 23,
    FLOAT_EXPONENT_LOW = -149,
    TINY_LIMIT = 3      /* below it a subnormal has but one digit; Java wants the best two */
};

typedef struct Power {
    uint64_t high, low; /* 63 bits each */
} Power;

static const Power POWERS[K_MAX - K_MIN + 1] = {
#include "base/number_powers.inc"
};

static const uint64_t LOW_63 = (UINT64_C(1) << 63) - 1;

/* Fixed-point logarithms; exact floors for every exponent that occurs. Right shifts of negative numbers round down. */
static int floor_log10_pow2(int e) {
    return (int)(e * INT64_C(661971961083) >> 41);
}

static int floor_log10_three_quarters_pow2(int e) {
    return (int)((e * INT64_C(661971961083) - INT64_C(274743187321)) >> 41);
}

static int floor_log2_pow10(int e) {
    return (int)(e * INT64_C(913124641741) >> 38);
}

static uint64_t multiply_high(uint64_t a, uint64_t b) {
    return (uint64_t)((Uint128)a * b >> 64);
}

/* power x scaled / 2^127, the lowest bit sticky */
static uint64_t scale(const Power *power, uint64_t scaled) {
    uint64_t low = multiply_high(power->low, scaled);
    Uint128 high = (Uint128)power->high * scaled;
    uint64_t middle = ((uint64_t)high >> 1) + low;
    uint64_t whole = (uint64_t)(high >> 64) + (middle >> 63);
    return whole | ((middle & LOW_63) != 0);
}

/* A multiple of `unit` below value and the next one: the one that lies inside the interval if exactly one does, else 0. */
static uint64_t only_one_inside(uint64_t below, uint64_t unit, uint64_t low, uint64_t high, uint64_t open) {
    uint64_t above = below + unit;
    bool below_inside = low + open <= below << 2;
    bool above_inside = (above << 2) + open <= high;
    if (below_inside == above_inside) {
        return 0;
    }
    return below_inside ? below : above;
}

/* Digits of c x 2^q as an integer times 10^*k_out. regular: the next smaller value is as far away as the next greater one. */
static uint64_t shortest(uint64_t c, int q, bool regular, bool strict, int shorten_from, int *k_out) {
    uint64_t open = strict ? 1 : c & 1;
    uint64_t center = c << 2;
    int k = regular ? floor_log10_pow2(q) : floor_log10_three_quarters_pow2(q);
    int shift = q + floor_log2_pow10(-k) + 2;
    assert(k >= K_MIN);
    assert(k <= K_MAX);
    assert(shift >= 0);
    const Power *power = &POWERS[k - K_MIN];
    uint64_t value = scale(power, center << shift);
    uint64_t low = scale(power, (center - (regular ? 2 : 1)) << shift);
    uint64_t high = scale(power, (center + 2) << shift);
    uint64_t whole = value >> 2;
    *k_out = k;
    if (whole >= (uint64_t)shorten_from) {
        uint64_t shorter = only_one_inside(whole / 10 * 10, 10, low, high, open);
        if (shorter != 0) {
            return shorter;
        }
    }
    uint64_t single = only_one_inside(whole, 1, low, high, open);
    if (single != 0) {
        return single;
    }
    uint64_t middle = (whole << 1) + 1; /* of whole and whole + 1, with one bit below the unit */
    if (value >> 1 != middle) {
        return value >> 1 < middle ? whole : whole + 1;
    }
    bool above_middle = (value & 1) != 0;
    return above_middle || (whole & 1) != 0 ? whole + 1 : whole;
}

static void put_digits(uint64_t number, int k, ShortDecimal *out) {
    assert(number != 0);
    while (number % 100 == 0) {
        number /= 100;
        k += 2;
    }
    if (number % 10 == 0) {
        number /= 10;
        k++;
    }
    out->count = (int)format_uint64(out->digits, number);
    out->exponent = k + out->count - 1;
}

/* field: stored significand; stored_exponent: as in the format, 0 for subnormals */
static void find(uint64_t field, int stored_exponent, int bits, int exponent_low, bool strict, ShortDecimal *out) {
    bool subnormal = stored_exponent == 0;
    uint64_t c = subnormal ? field : field | UINT64_C(1) << bits;
    int q = subnormal ? exponent_low : exponent_low + stored_exponent - 1;
    int k;
    if (!strict && subnormal && c < TINY_LIMIT) {
        uint64_t number = shortest(c * 10, q, true, false, 100, &k);
        put_digits(number, k - 1, out);
        return;
    }
    bool regular = field != 0 || stored_exponent <= 1;
    uint64_t number = shortest(c, q, regular, strict, strict ? 10 : 100, &k);
    put_digits(number, k, out);
}

void number__shortest_double(double value, bool strict, ShortDecimal *out) {
    assert(value > 0);
    assert(isfinite(value));
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    find(bits & ((UINT64_C(1) << DOUBLE_BITS) - 1), (int)(bits >> DOUBLE_BITS), DOUBLE_BITS, DOUBLE_EXPONENT_LOW, strict, out);
}

void number__shortest_float(float value, bool strict, ShortDecimal *out) {
    assert(value > 0);
    assert(isfinite(value));
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    find(bits & ((1u << FLOAT_BITS) - 1), (int)(bits >> FLOAT_BITS), FLOAT_BITS, FLOAT_EXPONENT_LOW, strict, out);
}

/* SPDX-License-Identifier: Apache-2.0
 * numeric_wide.c - unsigned 256-bit helpers. Division goes bit by bit where the dividend is wider than 128 bits, which only long
 * decimals need. Tests: test/unit/base/test_numeric.c */
#include "base/numeric_internal.h"

Uint256 numeric__multiply(Uint128 a, Uint128 b) {
    Uint128 a_low = (uint64_t)a;
    Uint128 a_high = a >> 64;
    Uint128 b_low = (uint64_t)b;
    Uint128 b_high = b >> 64;
    Uint128 low = a_low * b_low;
    Uint128 middle = a_high * b_low + (low >> 64);
    Uint128 other = a_low * b_high + (uint64_t)middle;
    return (Uint256){.high = a_high * b_high + (middle >> 64) + (other >> 64), .low = other << 64 | (uint64_t)low};
}

Uint256 numeric__divide(Uint256 a, Uint128 b, Uint128 *remainder_out) {
    assert(b != 0);
    if (a.high == 0) {
        *remainder_out = a.low % b;
        return (Uint256){.high = 0, .low = a.low / b};
    }
    Uint256 quotient = {.high = a.high / b, .low = 0};
    Uint128 remainder = a.high % b;
    for (int bit = 127; bit >= 0; bit--) {
        bool carry = remainder >> 127 != 0;
        remainder = remainder << 1 | (a.low >> bit & 1);
        if (carry || remainder >= b) {
            remainder -= b;
            quotient.low |= (Uint128)1 << bit;
        }
    }
    *remainder_out = remainder;
    return quotient;
}

bool numeric__times_ten(Uint256 *value) {
    Uint256 low = numeric__multiply(value->low, 10);
    Uint256 high = numeric__multiply(value->high, 10);
    Uint128 sum;
    bool overflow = __builtin_add_overflow(high.low, low.high, &sum);
    *value = (Uint256){.high = sum, .low = low.low};
    return !overflow && high.high == 0;
}

int numeric__compare(Uint256 a, Uint256 b) {
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    return (a.low > b.low) - (a.low < b.low);
}

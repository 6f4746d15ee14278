/* SPDX-License-Identifier: Apache-2.0
 * ilp_number.h - decimal digits, eight at a time in one 64-bit word. Reads up to 8 bytes past the digits (ILP_PADDING_BYTES). */
#pragma once
#include "base/str.h"

static inline uint64_t ilp__load64(const char *at) {
    return get_u64le(at);
}

/* How many of the 8 bytes in word, from the first one on, are digits. */
static inline unsigned ilp__leading_digits(uint64_t word) {
    uint64_t high = word & 0xf0f0f0f0f0f0f0f0ULL;
    uint64_t above_nine = ((word & 0x0f0f0f0f0f0f0f0fULL) + 0x0606060606060606ULL) & 0xf0f0f0f0f0f0f0f0ULL;
    uint64_t other = (high ^ 0x3030303030303030ULL) | above_nine;
    return other == 0 ? 8 : (unsigned)__builtin_ctzll(other) / 8;
}

/* The number that the first `count` (1-8) digits of word spell. */
static inline uint64_t ilp__digits_value(uint64_t word, unsigned count) {
    uint64_t digits = (word & 0x0f0f0f0f0f0f0f0fULL) << (64 - 8 * count);
    digits = digits * 10 + (digits >> 8);
    const uint64_t mask = 0x000000ff000000ffULL;
    return ((digits & mask) * 0x000f424000000064ULL + ((digits >> 16) & mask) * 0x0000271000000001ULL) >> 32;
}

static const uint64_t ILP__POW10[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Digits from *at on, at most limit of them; moves *at behind them; returns their count. More than 19 wrap around: ask for fewer. */
static inline unsigned ilp__digits_read(const char **at, unsigned limit, uint64_t *value) {
    unsigned total = 0;
    for (;;) {
        uint64_t word = ilp__load64(*at);
        unsigned count = ilp__leading_digits(word);
        if (total + count > limit) {
            count = limit - total;
        }
        if (count == 0) {
            return total;
        }
        *value = *value * ILP__POW10[count] + ilp__digits_value(word, count);
        *at += count;
        total += count;
        if (count < 8) {
            return total;
        }
    }
}

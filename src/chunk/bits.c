/* SPDX-License-Identifier: Apache-2.0
 * bits.c - copying and filling runs of bits at any bit offset, a word at a time. */
#include "chunk/chunk.h"

/* 64 bits from bit `at` on; reads the next word only if needed_bits reach into it. */
static uint64_t word_at(const uint64_t *words, size_t at, size_t needed_bits) {
    size_t shift = at % 64;
    uint64_t low = words[at / 64] >> shift;
    if (shift == 0 || shift + needed_bits <= 64) {
        return low;
    }
    return low | words[at / 64 + 1] << (64 - shift);
}

void bits_copy(uint64_t *to, size_t to_bit, const uint64_t *from, size_t from_bit, size_t count) {
    while (count > 0) {
        size_t shift = to_bit % 64;
        size_t take = MIN_OF(64 - shift, count);
        uint64_t mask = tail_mask(take) << shift;
        uint64_t value = word_at(from, from_bit, take) << shift;
        to[to_bit / 64] = (to[to_bit / 64] & ~mask) | (value & mask);
        to_bit += take;
        from_bit += take;
        count -= take;
    }
}

void bits_fill(uint64_t *words, size_t first_bit, size_t count, bool value) {
    while (count > 0) {
        size_t shift = first_bit % 64;
        size_t take = MIN_OF(64 - shift, count);
        uint64_t mask = tail_mask(take) << shift;
        words[first_bit / 64] = value ? words[first_bit / 64] | mask : words[first_bit / 64] & ~mask;
        first_bit += take;
        count -= take;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * random.c - splitmix64 and xoshiro256** as their authors published the recurrences (Blackman, Vigna 2018).
 * Tests: test/unit/base/test_random.c (published first outputs) */
#include "base/random.h"

uint64_t splitmix64(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15ULL;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

void random_init(Random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        random->state[i] = splitmix64(&seed);
    }
}

static uint64_t rotate_left(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

uint64_t random_next(Random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* The high word of a 64 x 64 product is uniform once the low words that would make some results likelier are refused. */
uint64_t random_below(Random *random, uint64_t bound) {
    assert(bound > 0);
    uint64_t refuse_below = -bound % bound;
    for (;;) {
        Uint128 product = (Uint128)random_next(random) * bound;
        if ((uint64_t)product >= refuse_below) {
            return (uint64_t)(product >> 64);
        }
    }
}

int64_t random_between(Random *random, int64_t low, int64_t high) {
    assert(low <= high);
    uint64_t span = (uint64_t)high - (uint64_t)low;
    if (span == UINT64_MAX) {
        return (int64_t)random_next(random);
    }
    return (int64_t)((uint64_t)low + random_below(random, span + 1));
}

bool random_chance(Random *random, uint32_t numerator, uint32_t denominator) {
    assert(denominator > 0);
    return random_below(random, denominator) < numerator;
}

double random_unit(Random *random) {
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

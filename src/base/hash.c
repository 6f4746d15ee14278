/* SPDX-License-Identifier: Apache-2.0
 * hash.c - 64-bit hash of bytes by folded 64 x 64 -> 128 products; the same result on every machine.
 *
 * Why: one multiplication mixes 16 bytes well enough for tables and sketches; it is not for secrets.
 * Tests: test/unit/base/test_hash.c (collisions, avalanche, pinned values) */
#include "base/hash.h"

static const uint64_t KEY_A = 0x8ebc6af09c88c6e3ULL;
static const uint64_t KEY_B = 0x589965cc75374cc3ULL;
static const uint64_t KEY_C = 0x1d8e4e27c47d124fULL;

static uint64_t fold(uint64_t a, uint64_t b) {
    Uint128 product = (Uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The last 1-16 bytes as two words that overlap when there are fewer than 16. */
static void load_tail(const uint8_t *p, size_t len, uint64_t *a_out, uint64_t *b_out) {
    if (len >= 8) {
        *a_out = get_u64le(p);
        *b_out = get_u64le(p + len - 8);
    } else if (len >= 4) {
        *a_out = get_u32le(p);
        *b_out = get_u32le(p + len - 4);
    } else if (len > 0) {
        *a_out = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
        *b_out = 0;
    } else {
        *a_out = 0;
        *b_out = 0;
    }
}

uint64_t hash_bytes(const void *data, size_t len, uint64_t seed) {
    assert(data != NULL || len == 0);
    const uint8_t *p = data;
    size_t left = len;
    uint64_t state = seed ^ fold(seed ^ KEY_A, KEY_B);
    while (left > 16) {
        state = fold(get_u64le(p) ^ KEY_A, get_u64le(p + 8) ^ state);
        p += 16;
        left -= 16;
    }
    uint64_t a;
    uint64_t b;
    load_tail(p, left, &a, &b);
    state = fold(a ^ KEY_B, b ^ state);
    return fold(state ^ KEY_C, len ^ KEY_B);
}

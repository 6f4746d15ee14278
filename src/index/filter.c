/* SPDX-License-Identifier: Apache-2.0
 * filter.c - blocked Bloom filter: a key sets seven bits of one 64-byte block.
 *
 * Why:   one cache line a probe; ten bits a key give about one false answer in a hundred. The bits come from a second mixing of the hash:
 *        with a weak one the rate was eleven in a hundred, so the rate is a test.
 * Tests: test/unit/index/test_run.c */
#include "base/hash.h"
#include "index/index.h"

enum { PROBES = 7 };

uint32_t filter_block_count(uint64_t key_count) {
    uint64_t bits = key_count * FILTER_BITS_PER_KEY;
    uint64_t blocks = (bits + 8 * FILTER_BLOCK_BYTES - 1) / (8 * FILTER_BLOCK_BYTES);
    return (uint32_t)MAX_OF(blocks, (uint64_t)1);
}

uint64_t filter_hash(Bytes key) { return hash_bytes(key.data, key.len, 0x9e3779b97f4a7c15ULL); }

uint32_t filter_block_of(uint64_t hash, uint32_t block_count) { return (uint32_t)(((hash >> 32) * block_count) >> 32); }

void filter_add(uint8_t block[FILTER_BLOCK_BYTES], uint64_t hash) {
    uint64_t bits = hash_u64(hash + 1);
    for (int i = 0; i < PROBES; i++, bits >>= 9) {
        block[(bits & 511) / 8] |= (uint8_t)(1u << (bits & 7));
    }
}

bool filter_may_hold(const uint8_t block[FILTER_BLOCK_BYTES], uint64_t hash) {
    uint64_t bits = hash_u64(hash + 1);
    for (int i = 0; i < PROBES; i++, bits >>= 9) {
        if ((block[(bits & 511) / 8] & (1u << (bits & 7))) == 0) {
            return false;
        }
    }
    return true;
}

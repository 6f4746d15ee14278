/* SPDX-License-Identifier: Apache-2.0
 * hash_crc32c.c - CRC-32C (Castagnoli, RFC 3720): the CPU's instruction where it has one, else one table step a byte.
 *
 * Why: every block that is read or written is checksummed; the instruction makes that cheaper than a copy.
 * Tests: test/unit/base/test_hash.c compares with a bit-by-bit version on random inputs. */
#include "base/hash.h"

static const uint32_t BYTE_TABLE[256] = {
#include "base/hash_crc32c_table.inc"
};

static uint32_t crc_by_table(uint32_t crc, const uint8_t *at, size_t len) {
    for (size_t i = 0; i < len; i++) {
        crc = BYTE_TABLE[(crc ^ at[i]) & 0xff] ^ crc >> 8;
    }
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc, const uint8_t *at, size_t len) {
    uint64_t wide = crc;
    for (; len >= 32; at += 32, len -= 32) {
        wide = __builtin_ia32_crc32di(wide, get_u64le(at));
        wide = __builtin_ia32_crc32di(wide, get_u64le(at + 8));
        wide = __builtin_ia32_crc32di(wide, get_u64le(at + 16));
        wide = __builtin_ia32_crc32di(wide, get_u64le(at + 24));
    }
    for (; len >= 8; at += 8, len -= 8) {
        wide = __builtin_ia32_crc32di(wide, get_u64le(at));
    }
    uint32_t narrow = (uint32_t)wide;
    for (; len > 0; at++, len--) {
        narrow = __builtin_ia32_crc32qi(narrow, *at);
    }
    return narrow;
}
#endif

uint32_t crc32c(uint32_t seed, const void *data, size_t len) {
    assert(data != NULL || len == 0);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) {
        return ~crc_by_instruction(~seed, data, len);
    }
#endif
    return ~crc_by_table(~seed, data, len);
}

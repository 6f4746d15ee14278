/* SPDX-License-Identifier: Apache-2.0
 * text/digest512.c - sha384 and sha512 (FIPS 180-4) of bytes. Checksums of content, not for passwords. */
#include "sql/func/text/text_internal.h"

enum { BLOCK_BYTES = 128, LENGTH_BYTES = 16 };

/* Fractions of the cube roots of the first 80 primes. */
static const uint64_t ROOTS[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

static inline uint64_t rotate_right(uint64_t x, unsigned n) {
    return x >> n | x << (64 - n);
}

static void block_add(uint64_t words[8], const uint8_t block[BLOCK_BYTES]) {
    uint64_t w[80], v[8];
    memcpy(v, words, sizeof v);
    for (unsigned i = 0; i < 80; i++) {
        if (i < 16) {
            w[i] = __builtin_bswap64(get_u64le(block + i * 8));
            continue;
        }
        uint64_t x = w[i - 15], y = w[i - 2];
        uint64_t small = rotate_right(x, 1) ^ rotate_right(x, 8) ^ x >> 7;
        uint64_t large = rotate_right(y, 19) ^ rotate_right(y, 61) ^ y >> 6;
        w[i] = w[i - 16] + small + w[i - 7] + large;
    }
    for (unsigned i = 0; i < 80; i++) {
        uint64_t turned_e = rotate_right(v[4], 14) ^ rotate_right(v[4], 18) ^ rotate_right(v[4], 41);
        uint64_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint64_t first = v[7] + turned_e + choice + ROOTS[i] + w[i];
        uint64_t turned_a = rotate_right(v[0], 28) ^ rotate_right(v[0], 34) ^ rotate_right(v[0], 39);
        uint64_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += first;
        v[0] = first + turned_a + majority;
    }
    for (unsigned i = 0; i < 8; i++) {
        words[i] += v[i];
    }
}

static void digest_run(const uint64_t start[8], Str bytes, uint8_t out[64]) {
    uint64_t words[8];
    uint8_t tail[2 * BLOCK_BYTES] = {0};
    size_t whole = bytes.len / BLOCK_BYTES, rest = bytes.len % BLOCK_BYTES;
    size_t tail_len = rest < BLOCK_BYTES - LENGTH_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    memcpy(words, start, sizeof words);
    for (size_t i = 0; i < whole; i++) {
        block_add(words, (const uint8_t *)bytes.data + i * BLOCK_BYTES);
    }
    if (rest > 0) {
        memcpy(tail, bytes.data + whole * BLOCK_BYTES, rest);
    }
    tail[rest] = 0x80;
    put_u64le(tail + tail_len - 8, __builtin_bswap64((uint64_t)bytes.len * 8));
    for (size_t i = 0; i < tail_len; i += BLOCK_BYTES) {
        block_add(words, tail + i);
    }
    for (size_t i = 0; i < 8; i++) {
        put_u64le(out + i * 8, __builtin_bswap64(words[i]));
    }
}

static ErrorCode digest_rows(const KernelCall *call, Vector *out, const uint64_t start[8], size_t bytes) {
    FOR_ROWS(call, row) {
        uint8_t digest[64];
        digest_run(start, func__text(func__arg(call, 0), row), digest);
        func__put_copy(call, out, row, str_from((const char *)digest, bytes));
    }
    return ERR_OK;
}

ErrorCode func__sha384(const KernelCall *call, Vector *out, Error *err) {
    static const uint64_t START[8] = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
    (void)err;
    return digest_rows(call, out, START, 48);
}

ErrorCode func__sha512(const KernelCall *call, Vector *out, Error *err) {
    static const uint64_t START[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    (void)err;
    return digest_rows(call, out, START, 64);
}

/* SPDX-License-Identifier: Apache-2.0
 * text/digest.c - md5 (RFC 1321), sha1, sha224 and sha256 (FIPS 180-4) of texts and bytes. Checksums of content, not for passwords. */
#include "sql/func/text/text_internal.h"

typedef struct Digest {
    uint32_t words[8];
    void (*block)(uint32_t words[8], const uint8_t block[64]);
    bool big_endian;
    size_t word_count;
} Digest;

static inline uint32_t rotate_left(uint32_t x, unsigned n) {
    return x << n | x >> (32 - n);
}
static inline uint32_t rotate_right(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}
static inline uint32_t load_big(const uint8_t *p) {
    return __builtin_bswap32(get_u32le(p));
}

/* floor(2^32 * abs(sin(i + 1))) */
static const uint32_t MD5_SINES[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1,
    0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453,
    0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942,
    0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
    0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d,
    0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void md5_block(uint32_t words[8], const uint8_t block[64]) {
    static const uint8_t TURNS[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t f, at;
        switch (i / 16) {
        case 0:
            f = (b & c) | (~b & d);
            at = i;
            break;
        case 1:
            f = (d & b) | (~d & c);
            at = (5 * i + 1) % 16;
            break;
        case 2:
            f = b ^ c ^ d;
            at = (3 * i + 5) % 16;
            break;
        default:
            f = c ^ (b | ~d);
            at = 7 * i % 16;
            break;
        }
        uint32_t sum = a + f + MD5_SINES[i] + get_u32le(block + at * 4);
        a = d;
        d = c;
        c = b;
        b += rotate_left(sum, TURNS[i / 16][i % 4]);
    }
    words[0] += a;
    words[1] += b;
    words[2] += c;
    words[3] += d;
}

static void sha1_block(uint32_t words[8], const uint8_t block[64]) {
    static const uint32_t ADDENDS[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[80], a = words[0], b = words[1], c = words[2], d = words[3], e = words[4];
    for (unsigned i = 0; i < 80; i++) {
        w[i] = i < 16 ? load_big(block + i * 4) : rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    for (unsigned i = 0; i < 80; i++) {
        uint32_t f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
        uint32_t sum = rotate_left(a, 5) + f + e + ADDENDS[i / 20] + w[i];
        e = d;
        d = c;
        c = rotate_left(b, 30);
        b = a;
        a = sum;
    }
    words[0] += a;
    words[1] += b;
    words[2] += c;
    words[3] += d;
    words[4] += e;
}

/* Fractions of the cube roots of the first 64 primes. */
static const uint32_t SHA256_ROOTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void sha256_block(uint32_t words[8], const uint8_t block[64]) {
    uint32_t w[64], v[8];
    memcpy(v, words, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        if (i < 16) {
            w[i] = load_big(block + i * 4);
            continue;
        }
        uint32_t x = w[i - 15], y = w[i - 2];
        uint32_t small = rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
        uint32_t large = rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10;
        w[i] = w[i - 16] + small + w[i - 7] + large;
    }
    for (unsigned i = 0; i < 64; i++) {
        uint32_t turned_e = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t first = v[7] + turned_e + choice + SHA256_ROOTS[i] + w[i];
        uint32_t turned_a = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += first;
        v[0] = first + turned_a + majority;
    }
    for (unsigned i = 0; i < 8; i++) {
        words[i] += v[i];
    }
}

static const Digest MD5 = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, md5_block, false, 4};
static const Digest SHA1 = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, sha1_block, true, 5};
static const Digest SHA256 = {
    {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, sha256_block, true, 8};

/* Writes word_count * 4 bytes. */
static void digest_run(const Digest *kind, Str bytes, uint8_t *out) {
    Digest digest = *kind;
    const uint8_t *data = (const uint8_t *)bytes.data;
    size_t whole = bytes.len / 64;
    for (size_t i = 0; i < whole; i++) {
        digest.block(digest.words, data + i * 64);
    }
    uint8_t tail[128] = {0};
    size_t rest = bytes.len % 64, tail_len = rest < 56 ? 64 : 128;
    if (rest > 0) {
        memcpy(tail, data + whole * 64, rest);
    }
    tail[rest] = 0x80;
    uint64_t bits = (uint64_t)bytes.len * 8;
    put_u64le(tail + tail_len - 8, digest.big_endian ? __builtin_bswap64(bits) : bits);
    for (size_t i = 0; i < tail_len; i += 64) {
        digest.block(digest.words, tail + i);
    }
    for (size_t i = 0; i < digest.word_count; i++) {
        put_u32le(out + i * 4, digest.big_endian ? __builtin_bswap32(digest.words[i]) : digest.words[i]);
    }
}

static ErrorCode hex_rows(const KernelCall *call, Vector *out, const Digest *kind) {
    static const char HEX[] = "0123456789abcdef";
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        uint8_t bytes[32];
        char text[64];
        digest_run(kind, func__text(a, row), bytes);
        for (size_t i = 0; i < kind->word_count * 4; i++) {
            text[2 * i] = HEX[bytes[i] >> 4];
            text[2 * i + 1] = HEX[bytes[i] & 15];
        }
        func__put_copy(call, out, row, str_from(text, kind->word_count * 8));
    }
    return ERR_OK;
}

ErrorCode func__md5(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return hex_rows(call, out, &MD5);
}
ErrorCode func__sha1(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return hex_rows(call, out, &SHA1);
}
ErrorCode func__sha256(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return hex_rows(call, out, &SHA256);
}

static const Digest SHA224 = {{0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4}, sha256_block, true, 7};

/* sha224(bytea) and sha256(bytea) are bytea in PostgreSQL. */
static ErrorCode byte_rows(const KernelCall *call, Vector *out, const Digest *kind) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        uint8_t bytes[32];
        digest_run(kind, func__text(a, row), bytes);
        func__put_copy(call, out, row, str_from((const char *)bytes, kind->word_count * 4));
    }
    return ERR_OK;
}

ErrorCode func__sha224_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return byte_rows(call, out, &SHA224);
}
ErrorCode func__sha256_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return byte_rows(call, out, &SHA256);
}

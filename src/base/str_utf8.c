/* SPDX-License-Identifier: Apache-2.0
 * str_utf8.c - UTF-8 after RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF.
 * Tests: test/unit/base/test_str.c */
#include "base/str.h"

static bool is_continuation(uint8_t byte) {
    return (byte & 0xc0) == 0x80;
}

static const uint64_t HIGH_BITS = 0x8080808080808080ULL;

int utf8_decode(Str s, size_t at, uint32_t *code_point_out) {
    if (at >= s.len) {
        return 0;
    }
    const uint8_t *p = (const uint8_t *)s.data + at;
    size_t room = s.len - at;
    uint8_t first = p[0];
    if (first < 0x80) {
        *code_point_out = first;
        return 1;
    }
    if (first < 0xc2 || first > 0xf4) {
        return -1;
    }
    int len = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    static const uint32_t LOWEST[5] = {0, 0, 0x80, 0x800, 0x10000};
    if ((size_t)len > room) {
        return -1;
    }
    uint32_t code_point = first & (0x7fu >> len);
    for (int i = 1; i < len; i++) {
        if (!is_continuation(p[i])) {
            return -1;
        }
        code_point = code_point << 6 | (p[i] & 0x3fu);
    }
    bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    if (code_point < LOWEST[len] || code_point > 0x10ffff || surrogate) {
        return -1;
    }
    *code_point_out = code_point;
    return len;
}

bool utf8_valid(Str s) {
    size_t at = 0;
    while (at < s.len) {
        if (s.len - at >= 8 && (get_u64le(s.data + at) & HIGH_BITS) == 0) {
            at += 8;
            continue;
        }
        if ((uint8_t)s.data[at] < 0x80) {
            at++;
            continue;
        }
        uint32_t code_point;
        int used = utf8_decode(s, at, &code_point);
        if (used <= 0) {
            return false;
        }
        at += (size_t)used;
    }
    return true;
}

size_t utf8_length(Str s) {
    size_t continuations = 0;
    size_t at = 0;
    for (; s.len - at >= 8; at += 8) {
        uint64_t word = get_u64le(s.data + at);
        uint64_t marks = word & ~(word << 1) & HIGH_BITS; /* bit 7 set and bit 6 clear */
        continuations += (size_t)__builtin_popcountll(marks);
    }
    for (; at < s.len; at++) {
        continuations += is_continuation((uint8_t)s.data[at]);
    }
    return s.len - continuations;
}

size_t utf8_offset(Str s, size_t code_point_index) {
    size_t at = 0;
    for (; at < s.len; at++) {
        if (is_continuation((uint8_t)s.data[at])) {
            continue;
        }
        if (code_point_index == 0) {
            return at;
        }
        code_point_index--;
    }
    return s.len;
}

int utf8_encode(uint32_t code_point, char out[4]) {
    assert(code_point <= 0x10ffff);
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    int len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const uint8_t LEAD[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(LEAD[len] | code_point);
    return len;
}

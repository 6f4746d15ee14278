/* SPDX-License-Identifier: Apache-2.0
 * number_integer.c - integers <-> decimal text.
 * Tests: test/unit/base/test_number.c */
#include "base/number.h"

static const char DIGIT_PAIRS[] = "0001020304050607080910111213141516171819"
                                  "2021222324252627282930313233343536373839"
                                  "4041424344454647484950515253545556575859"
                                  "6061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";
_Static_assert(sizeof DIGIT_PAIRS == 201, "one hundred pairs");

static int count_digits(uint64_t v) {
    int count = 1;
    for (;;) {
        if (v < 10) {
            return count;
        }
        if (v < 100) {
            return count + 1;
        }
        if (v < 1000) {
            return count + 2;
        }
        if (v < 10000) {
            return count + 3;
        }
        v /= 10000;
        count += 4;
    }
}

size_t format_uint64(char *out, uint64_t value) {
    size_t len = (size_t)count_digits(value);
    size_t at = len;
    while (value >= 100) {
        at -= 2;
        memcpy(out + at, DIGIT_PAIRS + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        memcpy(out, DIGIT_PAIRS + value * 2, 2);
    } else {
        out[0] = (char)('0' + value);
    }
    return len;
}

size_t format_int64(char *out, int64_t value) {
    if (value >= 0) {
        return format_uint64(out, (uint64_t)value);
    }
    out[0] = '-';
    return 1 + format_uint64(out + 1, -(uint64_t)value);
}

/* value with leading zeros, exactly 18 digits */
static void put_18_digits(char *out, uint64_t value) {
    for (int at = 16; at >= 0; at -= 2) {
        memcpy(out + at, DIGIT_PAIRS + value % 100 * 2, 2);
        value /= 100;
    }
}

size_t format_int128(char *out, Int128 value) {
    static const uint64_t GROUP = 1000000000000000000ULL;
    size_t len = 0;
    Uint128 rest = (Uint128)value;
    if (value < 0) {
        out[len++] = '-';
        rest = -rest;
    }
    Uint128 high = rest / GROUP;
    uint64_t low = (uint64_t)(rest % GROUP);
    if (high == 0) {
        return len + format_uint64(out + len, low);
    }
    uint64_t top = (uint64_t)(high / GROUP);
    if (top != 0) {
        len += format_uint64(out + len, top);
        put_18_digits(out + len, (uint64_t)(high % GROUP));
        len += 18;
    } else {
        len += format_uint64(out + len, (uint64_t)high);
    }
    put_18_digits(out + len, low);
    return len + 18;
}

/* Digits only. Goes on checking the form after an overflow, so that "99999999999999999999x" is bad text, not out of range. */
static bool parse_digits(Str s, uint64_t *value_out, bool *overflow_out) {
    *overflow_out = false;
    if (s.len == 0) {
        return false;
    }
    uint64_t value = 0;
    bool overflow = false;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(unsigned char)s.data[i] - '0';
        if (digit > 9) {
            return false;
        }
        overflow |= __builtin_mul_overflow(value, 10, &value);
        overflow |= __builtin_add_overflow(value, digit, &value);
    }
    *overflow_out = overflow;
    *value_out = value;
    return !overflow;
}

static bool take_sign(Str *s) {
    bool negative = s->len > 0 && s->data[0] == '-';
    if (negative || (s->len > 0 && s->data[0] == '+')) {
        *s = str_slice(*s, 1, s->len);
    }
    return negative;
}

bool parse_int64(Str s, int64_t *value_out, bool *overflow_out) {
    bool negative = take_sign(&s);
    uint64_t magnitude;
    if (!parse_digits(s, &magnitude, overflow_out)) {
        return false;
    }
    if (magnitude > (uint64_t)INT64_MAX + negative) {
        *overflow_out = true;
        return false;
    }
    *value_out = (int64_t)(negative ? -magnitude : magnitude);
    return true;
}

bool parse_uint64(Str s, uint64_t *value_out, bool *overflow_out) {
    bool negative = take_sign(&s);
    uint64_t magnitude;
    if (!parse_digits(s, &magnitude, overflow_out)) {
        return false;
    }
    if (negative && magnitude != 0) {
        *overflow_out = true;
        return false;
    }
    *value_out = magnitude;
    return true;
}

bool parse_hex64(Str s, uint64_t *value_out) {
    if (s.len == 0 || s.len > 16) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        char folded = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (folded >= 'a' && folded <= 'f') {
            value = value << 4 | (uint64_t)(folded - 'a' + 10);
        } else {
            return false;
        }
    }
    *value_out = value;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * base64.c - RFC 4648 base64, strict: what this side did not write is not read. */
#include "proto/scram/scram_internal.h"

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t scram__base64_encode(Bytes bytes, char *out) {
    char *at = out;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)bytes.data[i] << 16 | (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) | (left > 2 ? bytes.data[i + 2] : 0);
        *at++ = DIGITS[group >> 18];
        *at++ = DIGITS[group >> 12 & 63];
        *at++ = left > 1 ? DIGITS[group >> 6 & 63] : '=';
        *at++ = left > 2 ? DIGITS[group & 63] : '=';
    }
    return (size_t)(at - out);
}

static int digit_value(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* One group of four; its bytes, 0 = wrong. */
static size_t decode_group(const char *text, bool last, uint8_t out[3]) {
    size_t padding = !last || text[3] != '=' ? 0 : text[2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t i = 0; i < 4; i++) {
        int value = i >= 4 - padding ? 0 : digit_value(text[i]);
        if (value < 0) {
            return 0;
        }
        group = group << 6 | (uint32_t)value;
    }
    out[0] = (uint8_t)(group >> 16);
    out[1] = (uint8_t)(group >> 8);
    out[2] = (uint8_t)group;
    bool clean = padding == 0 || (padding == 1 && out[2] == 0) || (padding == 2 && out[1] == 0 && out[2] == 0);
    return clean ? 3 - padding : 0;
}

bool scram__base64_decode(Str text, uint8_t *out, size_t room, size_t *len_out) {
    size_t len = 0;
    if (text.len % 4 != 0) {
        return false;
    }
    for (size_t i = 0; i < text.len; i += 4) {
        uint8_t group[3];
        size_t bytes = decode_group(text.data + i, i + 4 == text.len, group);
        if (bytes == 0 || bytes > room - len) {
            return false;
        }
        memcpy(out + len, group, bytes);
        len += bytes;
    }
    *len_out = len;
    return true;
}

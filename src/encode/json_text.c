/* SPDX-License-Identifier: Apache-2.0
 * json_text.c - JSON strings: 16 bytes at a time are searched for what needs escaping, and copied.
 *
 * Why: two 64-bit words in plain C; the tests for "any byte below 0x20, quote or backslash" are exact, so no byte is looked at twice
 * in text without escapes. */
#include "encode/encode.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t has_zero(uint64_t word) {
    return (word - ONES) & ~word & HIGHS;
}

static inline uint64_t needs_escape(uint64_t word) {
    uint64_t control = (word - ONES * 0x20) & ~word & HIGHS;
    return control | has_zero(word ^ (ONES * '"')) | has_zero(word ^ (ONES * '\\'));
}

/* Bytes from `at` that can be copied as they are, at least up to the first one that needs escaping, in steps of 16. */
static size_t clean_bytes(Str text, size_t at) {
    size_t from = at;
    while (at + 16 <= text.len) {
        uint64_t words[2];
        memcpy(words, text.data + at, sizeof words);
        if ((needs_escape(words[0]) | needs_escape(words[1])) != 0) {
            break;
        }
        at += 16;
    }
    while (at < text.len && (unsigned char)text.data[at] >= 0x20 && text.data[at] != '"' && text.data[at] != '\\') {
        at++;
    }
    return at - from;
}

static void append_escape(Buffer *out, unsigned char c) {
    static const char HEX[] = "0123456789abcdef";
    static const char SHORT[0x20] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    if (c == '"' || c == '\\') {
        buffer_append(out, (char[2]){'\\', (char)c}, 2);
    } else if (SHORT[c] != 0) {
        buffer_append(out, (char[2]){'\\', SHORT[c]}, 2);
    } else {
        buffer_append(out, (char[6]){'\\', 'u', '0', '0', HEX[c >> 4], HEX[c & 15]}, 6);
    }
}

void json_append_text(Buffer *out, Str text) {
    buffer_append_char(out, '"');
    size_t at = 0;
    while (at < text.len) {
        size_t clean = clean_bytes(text, at);
        buffer_append(out, text.data + at, clean);
        at += clean;
        if (at < text.len) {
            append_escape(out, (unsigned char)text.data[at++]);
        }
    }
    buffer_append_char(out, '"');
}

void json_encode_columns(const EncodedColumn *columns, uint16_t column_count, Buffer *out) {
    buffer_append_char(out, '[');
    for (uint16_t c = 0; c < column_count; c++) {
        char type[64];
        size_t len = type_format_exec(type, sizeof type, columns[c].type);
        buffer_append_str(out, c == 0 ? STR("{\"name\":") : STR(",{\"name\":"));
        json_append_text(out, columns[c].name);
        buffer_append_str(out, STR(",\"type\":"));
        json_append_text(out, (Str){type, len});
        if (columns[c].type.id == TYPE_FLOAT8_ARRAY) {
            buffer_printf(out, ",\"dim\":%d,\"elemType\":\"DOUBLE\"", MAX_OF(columns[c].type.dims, 1));
        }
        buffer_append_char(out, '}');
    }
    buffer_append_char(out, ']');
}

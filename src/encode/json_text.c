/* SPDX-License-Identifier: Apache-2.0
 * json_text.c - JSON strings: 16 bytes at a time are searched for what needs escaping, and copied.
 *
 * Why: two 64-bit words in plain C; the tests for "any byte below 0x20, quote or backslash" are exact, so no byte is looked at twice
 * in text without escapes. */
#include "encode/encode_internal.h"

/* Bytes from `at` that can be copied as they are, at least up to the first one that needs escaping, in steps of 16. */
static size_t clean_bytes(Str text, size_t at) {
    size_t from = at;
    while (at + 16 <= text.len) {
        uint64_t words[2];
        memcpy(words, text.data + at, sizeof words);
        if ((json__needs_escape(words[0]) | json__needs_escape(words[1])) != 0) {
            break;
        }
        at += 16;
    }
    while (at < text.len && (unsigned char)text.data[at] >= 0x20 && text.data[at] != '"' && text.data[at] != '\\') {
        at++;
    }
    return at - from;
}

char *json__escape(char *out, unsigned char c) {
    static const char HEX[] = "0123456789abcdef";
    static const char SHORT[0x20] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    *out++ = '\\';
    if (c == '"' || c == '\\') {
        *out++ = (char)c;
    } else if (SHORT[c] != 0) {
        *out++ = SHORT[c];
    } else {
        memcpy(out, (char[5]){'u', '0', '0', HEX[c >> 4], HEX[c & 15]}, 5);
        out += 5;
    }
    return out;
}

void json_append_text(Buffer *out, Str text) {
    buffer_append_char(out, '"');
    size_t at = 0;
    while (at < text.len) {
        size_t clean = clean_bytes(text, at);
        buffer_append(out, text.data + at, clean);
        at += clean;
        if (at < text.len) {
            char escape[6];
            buffer_append(out, escape, (size_t)(json__escape(escape, (unsigned char)text.data[at++]) - escape));
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

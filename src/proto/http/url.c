/* SPDX-License-Identifier: Apache-2.0
 * url.c - percent-decoding and name=value lists. */
#include "proto/http/http.h"

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool http_url_decode(Str text, bool plus_is_space, Arena *arena, Str *out) {
    char *data = arena_alloc_aligned(arena, text.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '%') {
            bool whole = i + 2 < text.len;
            int high = whole ? hex_digit(text.data[i + 1]) : -1;
            int low = whole ? hex_digit(text.data[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        data[len++] = c;
    }
    data[len] = '\0';
    *out = (Str){data, len};
    return true;
}

bool http_query_next(Str *rest, Str *name_out, Str *value_out) {
    while (rest->len > 0) {
        Str piece;
        ptrdiff_t end = str_find_char(*rest, '&', 0);
        piece = end < 0 ? *rest : str_slice(*rest, 0, (size_t)end);
        *rest = end < 0 ? str_slice(*rest, rest->len, rest->len) : str_slice(*rest, (size_t)end + 1, rest->len);
        if (piece.len == 0) {
            continue;
        }
        ptrdiff_t equals = str_find_char(piece, '=', 0);
        *name_out = equals < 0 ? piece : str_slice(piece, 0, (size_t)equals);
        *value_out = equals < 0 ? str_slice(piece, piece.len, piece.len) : str_slice(piece, (size_t)equals + 1, piece.len);
        return true;
    }
    return false;
}

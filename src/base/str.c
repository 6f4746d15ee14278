/* SPDX-License-Identifier: Apache-2.0
 * str.c - comparing, searching and splitting of texts. ASCII rules only: never the locale's.
 * Tests: test/unit/base/test_str.c */
#include "base/str.h"

int str_compare(Str a, Str b) {
    size_t shared = MIN_OF(a.len, b.len);
    int order = shared == 0 ? 0 : memcmp(a.data, b.data, shared);
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool str_equal_ignore_case(Str a, Str b) {
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (char_lower(a.data[i]) != char_lower(b.data[i])) {
            return false;
        }
    }
    return true;
}

bool str_starts_with(Str s, Str prefix) {
    return s.len >= prefix.len && str_equal(str_slice(s, 0, prefix.len), prefix);
}

bool str_ends_with(Str s, Str suffix) {
    return s.len >= suffix.len && str_equal(str_slice(s, s.len - suffix.len, s.len), suffix);
}

ptrdiff_t str_find(Str haystack, Str needle, size_t from) {
    if (from > haystack.len || needle.len > haystack.len - from) {
        return -1;
    }
    if (needle.len == 0) {
        return (ptrdiff_t)from;
    }
    const char *at = memmem(haystack.data + from, haystack.len - from, needle.data, needle.len);
    return at == NULL ? -1 : at - haystack.data;
}

ptrdiff_t str_find_char(Str s, char c, size_t from) {
    if (from >= s.len) {
        return -1;
    }
    const char *at = memchr(s.data + from, c, s.len - from);
    return at == NULL ? -1 : at - s.data;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Str str_trim(Str s) {
    while (s.len > 0 && is_space(s.data[0])) {
        s = (Str){s.data + 1, s.len - 1};
    }
    while (s.len > 0 && is_space(s.data[s.len - 1])) {
        s.len--;
    }
    return s;
}

/* A used-up rest is marked by a NULL data pointer, so that the empty piece behind a last separator is still given out. */
bool str_split(Str *rest, char separator, Str *piece_out) {
    if (rest->data == NULL) {
        return false;
    }
    ptrdiff_t at = str_find_char(*rest, separator, 0);
    if (at < 0) {
        *piece_out = *rest;
        *rest = (Str){NULL, 0};
        return true;
    }
    *piece_out = str_slice(*rest, 0, (size_t)at);
    *rest = str_slice(*rest, (size_t)at + 1, rest->len);
    return true;
}

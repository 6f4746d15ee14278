/* SPDX-License-Identifier: Apache-2.0
 * str.h - text and bytes as {data, len}; never NUL-ended, never owned. */
#pragma once
#include "base/compiler.h"
#include <string.h>

typedef struct Str {
    const char *data;
    size_t len;
} Str;
typedef struct Bytes {
    const uint8_t *data;
    size_t len;
} Bytes;

#define STR(literal) ((Str){(literal), sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).len, (s).data /* for printf("%.*s", STR_ARG(s)) */

static inline Str str_from(const char *data, size_t len) { return (Str){data, len}; }
static inline Str str_from_c(const char *c_text) { return (Str){c_text, strlen(c_text)}; }
static inline Bytes bytes_from(const void *data, size_t len) { return (Bytes){(const uint8_t *)data, len}; }
static inline bool str_equal(Str a, Str b) { return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0); }
static inline Str str_slice(Str s, size_t from, size_t to) {
    assert(from <= to);
    assert(to <= s.len);
    return (Str){s.data + from, to - from};
}
/* ASCII only. */
static inline char char_lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }
static inline char char_upper(char c) { return (char)(c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c); }
int str_compare(Str a, Str b);                         /* bytewise, shorter first; <0, 0, >0 */
bool str_equal_ignore_case(Str a, Str b);              /* ASCII only */
bool str_starts_with(Str s, Str prefix);
bool str_ends_with(Str s, Str suffix);
ptrdiff_t str_find(Str haystack, Str needle, size_t from); /* offset or -1 */
ptrdiff_t str_find_char(Str s, char c, size_t from);
Str str_trim(Str s);                                   /* ASCII white space, both ends */
bool str_split(Str *rest, char separator, Str *piece_out); /* false when *rest was used up; "a,,b" gives a, "", b */

/* UTF-8 (RFC 3629: no surrogates, no overlong forms). */
bool utf8_valid(Str s);
size_t utf8_length(Str s);                             /* code points; s must be valid */
size_t utf8_offset(Str s, size_t code_point_index);    /* byte offset of that code point, s.len past the end */
int utf8_decode(Str s, size_t at, uint32_t *code_point_out); /* bytes used, 0 at the end, -1 invalid */
int utf8_encode(uint32_t code_point, char out[4]);     /* bytes written */

/* little-endian, any alignment */
static inline uint16_t get_u16le(const void *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static inline uint32_t get_u32le(const void *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline uint64_t get_u64le(const void *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline void put_u16le(void *p, uint16_t v) { memcpy(p, &v, 2); }
static inline void put_u32le(void *p, uint32_t v) { memcpy(p, &v, 4); }
static inline void put_u64le(void *p, uint64_t v) { memcpy(p, &v, 8); }
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Basalt runs on little-endian machines");

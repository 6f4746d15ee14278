/* SPDX-License-Identifier: Apache-2.0
 * jsonb_order.c - order and hash of jsonb values in normal form.
 *
 * Order: null, string, number, boolean, array, object; shorter arrays and smaller objects first, then part by part. Strings are compared
 *        by their escaped texts where neither has an escape, else decoded byte by byte.
 * Invariants: the texts are in normal form, so that walking them needs no checks. */
#include "base/hash.h"
#include "column/jsonb.h"

static int compare_values(Str a, Str b);

/* Length of the value that starts at `at`. */
static size_t value_end(Str text, size_t at) {
    int depth = 0;
    bool string = false;
    for (size_t i = at; i < text.len; i++) {
        char c = text.data[i];
        if (string) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                string = false;
                if (depth == 0) {
                    return i + 1;
                }
            }
        } else if (c == '"') {
            string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0) {
                return i;
            }
            if (--depth == 0) {
                return i + 1;
            }
        } else if (depth == 0 && (c == ',' || c == ':')) {
            return i;
        }
    }
    return text.len;
}

/* The parts of an array or object (keys and values alike), one after another. */
static bool next_part(Str text, size_t *at, Str *part_out) {
    while (*at < text.len && (text.data[*at] == ',' || text.data[*at] == ':' || text.data[*at] == ' ')) {
        (*at)++;
    }
    if (*at + 1 >= text.len) {
        return false;
    }
    size_t end = value_end(text, *at);
    *part_out = str_slice(text, *at, end);
    *at = end;
    return true;
}

static size_t part_count(Str text) {
    size_t at = 1, count = 0;
    Str part;
    while (next_part(text, &at, &part)) {
        count++;
    }
    return count;
}

/* The next byte of a string's content; false at the end. */
static bool next_byte(Str text, size_t *at, uint8_t *byte_out) {
    static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
    if (*at + 1 >= text.len) {
        return false;
    }
    char c = text.data[(*at)++];
    if (c == '\\' && *at + 1 < text.len) {
        char escape = text.data[(*at)++];
        const char *name = escape == 'u' ? NULL : strchr(NAMES, escape);
        if (name != NULL) {
            c = VALUES[name - NAMES];
        } else { /* "\u00xx" of a control character */
            char high = text.data[*at + 2], low = text.data[*at + 3];
            c = (char)((high - '0') * 16 + (low <= '9' ? low - '0' : (low | 0x20) - 'a' + 10));
            *at += 4;
        }
    }
    *byte_out = (uint8_t)c;
    return true;
}

static int compare_strings(Str a, Str b) {
    size_t i = 1, k = 1;
    for (;;) {
        uint8_t x = 0, y = 0;
        bool more_a = next_byte(a, &i, &x), more_b = next_byte(b, &k, &y);
        if (!more_a || !more_b) {
            return (int)more_a - (int)more_b;
        }
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
}

static Str whole_part(Str number) {
    ptrdiff_t point = str_find_char(number, '.', 0);
    return str_slice(number, 0, point < 0 ? number.len : (size_t)point);
}

static int compare_magnitudes(Str a, Str b) {
    Str x = whole_part(a), y = whole_part(b);
    if (x.len != y.len) {
        return x.len < y.len ? -1 : 1;
    }
    int order = str_compare(x, y);
    if (order != 0) {
        return order;
    }
    Str u = str_slice(a, MIN_OF(x.len + 1, a.len), a.len), v = str_slice(b, MIN_OF(y.len + 1, b.len), b.len);
    for (size_t i = 0; i < u.len || i < v.len; i++) {
        char c = i < u.len ? u.data[i] : '0', d = i < v.len ? v.data[i] : '0';
        if (c != d) {
            return c < d ? -1 : 1;
        }
    }
    return 0;
}

static int compare_numbers(Str a, Str b) {
    bool a_negative = a.data[0] == '-', b_negative = b.data[0] == '-';
    if (a_negative != b_negative) {
        return a_negative ? -1 : 1;
    }
    int order = compare_magnitudes(str_slice(a, a_negative, a.len), str_slice(b, b_negative, b.len));
    return a_negative ? -order : order;
}

static int compare_parts(Str a, Str b) {
    size_t x = part_count(a), y = part_count(b);
    size_t i = 1, k = 1;
    Str u, v;
    if (x != y) {
        return x < y ? -1 : 1;
    }
    while (next_part(a, &i, &u) && next_part(b, &k, &v)) {
        int order = compare_values(u, v);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static int compare_values(Str a, Str b) {
    JsonKind x = json_kind(a), y = json_kind(b);
    if (x != y) {
        return x < y ? -1 : 1;
    }
    switch (x) {
    case JSON_STRING:
        return compare_strings(a, b);
    case JSON_NUMBER:
        return compare_numbers(a, b);
    case JSON_BOOL:
        return (int)(a.data[0] == 't') - (int)(b.data[0] == 't');
    case JSON_ARRAY:
    case JSON_OBJECT:
        return compare_parts(a, b);
    default:
        return 0;
    }
}

/* An empty array on its own lies before everything, a habit of PostgreSQL's. */
int jsonb_compare(Str a, Str b) {
    bool a_first = str_equal(a, STR("[]")), b_first = str_equal(b, STR("[]"));
    return a_first != b_first ? (a_first ? -1 : 1) : compare_values(a, b);
}

static Str without_zeros(Str number) {
    if (str_find_char(number, '.', 0) < 0) {
        return number;
    }
    while (number.data[number.len - 1] == '0') {
        number.len--;
    }
    number.len -= number.data[number.len - 1] == '.';
    return number;
}

uint64_t jsonb_hash(Str text) {
    JsonKind kind = json_kind(text);
    uint64_t hash = (uint64_t)kind + 1;
    if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
        size_t at = 1;
        Str part;
        while (next_part(text, &at, &part)) {
            hash = hash_u64(hash * 31 + jsonb_hash(part));
        }
        return hash;
    }
    Str value = kind == JSON_NUMBER ? without_zeros(text) : text;
    return hash_bytes(value.data, value.len, hash);
}

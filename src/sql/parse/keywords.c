/* SPDX-License-Identifier: Apache-2.0
 * keywords.c - word -> keyword by a two-level perfect hash: one multiplication, two table loads, one comparison.
 *
 * Tests: test/unit/sql/parse/test_lexer.c finds every word of keywords.h again. */
#include "sql/parse/keywords.h"
#include "sql/parse/lexer.h"
#include "sql/parse/keyword_hash.inc"

enum { LABEL = 1, AS_LABEL = 0 };
enum { KEYWORD_BYTES_MAX = 24 };

typedef struct KeywordRow {
    Str text;
    uint8_t word_class, label;
} KeywordRow;

static const KeywordRow keyword_rows[KEYWORD_COUNT] = {
    {{"", 0}, KEYWORD_UNRESERVED, LABEL},
#define X(name, text, word_class, label) {{text, sizeof(text) - 1}, KEYWORD_##word_class, label},
    KEYWORDS(X)
#undef X
};

/* The same sum as in scripts/gen-keywords: first eight bytes, last four bytes and the length. */
static uint64_t word_key(const char *lower, size_t len) {
    uint64_t first = 0;
    uint32_t last = 0;
    memcpy(&first, lower, len < 8 ? len : 8);
    memcpy(&last, len < 4 ? lower : lower + len - 4, len < 4 ? len : 4);
    uint64_t tail = last | (uint64_t)len << 32;
    return (first ^ (tail * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xD6E8FEB86659FD93);
}

Keyword keyword_find(Str word) {
    char lower[KEYWORD_BYTES_MAX];
    if (word.len == 0 || word.len > sizeof lower) {
        return NO_KEYWORD;
    }
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    uint64_t key = word_key(lower, word.len);
    uint64_t spread = key * (2 * (uint64_t)keyword_displace[key >> 57] + 1);
    uint16_t number = keyword_slots[(spread >> 40) % KEYWORD_SLOTS];
    if (number == 0 || !str_equal(keyword_rows[number].text, (Str){lower, word.len})) {
        return NO_KEYWORD;
    }
    return (Keyword)number;
}

Str keyword_text(Keyword keyword) {
    assert(keyword < KEYWORD_COUNT);
    return keyword_rows[keyword].text;
}

KeywordClass keyword_class(Keyword keyword) {
    assert(keyword < KEYWORD_COUNT);
    return (KeywordClass)keyword_rows[keyword].word_class;
}

bool keyword_is_label(Keyword keyword) {
    assert(keyword < KEYWORD_COUNT);
    return keyword_rows[keyword].label == LABEL;
}

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

#define CASE_BITS UINT64_C(0x2020202020202020)

/* The same sum as in scripts/gen-keywords: first eight bytes, last four bytes and the length, all with the bit of case set. */
static uint64_t word_key(const char *word, size_t len) {
    uint64_t first = 0;
    uint32_t last = 0;
    if (len >= 8) {
        memcpy(&first, word, 8);
    } else if (len >= 4) { /* two overlapping halves: no copy of variable length */
        uint32_t low = 0;
        memcpy(&low, word, 4);
        memcpy(&last, word + len - 4, 4);
        first = low | (uint64_t)last << (len - 4) * 8;
    } else {
        memcpy(&first, word, len);
    }
    if (len >= 4) {
        memcpy(&last, word + len - 4, 4);
    } else {
        last = (uint32_t)first;
    }
    uint64_t tail = (last | (uint32_t)CASE_BITS) | (uint64_t)len << 32;
    return ((first | CASE_BITS) ^ (tail * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xD6E8FEB86659FD93);
}

static bool same_word(const char *word, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (char_lower(word[i]) != text[i]) {
            return false;
        }
    }
    return true;
}

Keyword keyword_find(Str word) {
    if (word.len == 0 || word.len > KEYWORD_BYTES_MAX) {
        return NO_KEYWORD;
    }
    uint64_t key = word_key(word.data, word.len);
    uint64_t spread = key * (2 * (uint64_t)keyword_displace[key >> 57] + 1);
    uint16_t number = keyword_slots[(spread >> 40) % KEYWORD_SLOTS];
    Str text = keyword_rows[number].text;
    return number != 0 && text.len == word.len && same_word(word.data, text.data, word.len) ? (Keyword)number : NO_KEYWORD;
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

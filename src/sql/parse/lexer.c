/* SPDX-License-Identifier: Apache-2.0
 * lexer.c - text to tokens: a table of 256 character classes and one function per kind of token.
 *
 * Layout:     names [letters _ and all bytes >= 0x80][..., digits, $]; "..." with "" doubling; '...', E'...', $tag$...$tag$, B'', X'';
 *             numbers 12, 1_000, 1.5, .5, 1e5, 0x1f, 0b01, 0o17, each with letters behind it (5m); $1; @v; operators by longest match.
 * Why:        operators end as in PostgreSQL: never at the start of a comment, and not in + or - unless a sign of ~!@#%^&|`? is in them,
 *             so that `a<-1` is a comparison with -1.
 * Invariants: positions are byte offsets; text that needs no change is never copied.
 * Tests:      test/unit/sql/parse/test_lexer.c */
#include "sql/parse/lexer.h"
#include <stdio.h>

typedef enum CharClass {
    CHAR_BAD, CHAR_SPACE, CHAR_LETTER, CHAR_DIGIT, CHAR_DOLLAR, CHAR_QUOTE, CHAR_DOUBLE_QUOTE, CHAR_OPERATOR, CHAR_PUNCTUATION, CHAR_DOT, CHAR_COLON
} CharClass;

static const uint8_t char_class[256] = {
    [' '] = CHAR_SPACE, ['\t'] = CHAR_SPACE, ['\n'] = CHAR_SPACE, ['\r'] = CHAR_SPACE, ['\f'] = CHAR_SPACE, ['\v'] = CHAR_SPACE,
    ['a' ... 'z'] = CHAR_LETTER, ['A' ... 'Z'] = CHAR_LETTER, ['_'] = CHAR_LETTER, [0x80 ... 0xFF] = CHAR_LETTER,
    ['0' ... '9'] = CHAR_DIGIT, ['$'] = CHAR_DOLLAR, ['\''] = CHAR_QUOTE, ['"'] = CHAR_DOUBLE_QUOTE,
    ['+'] = CHAR_OPERATOR, ['-'] = CHAR_OPERATOR, ['*'] = CHAR_OPERATOR, ['/'] = CHAR_OPERATOR, ['<'] = CHAR_OPERATOR,
    ['>'] = CHAR_OPERATOR, ['='] = CHAR_OPERATOR, ['~'] = CHAR_OPERATOR, ['!'] = CHAR_OPERATOR, ['@'] = CHAR_OPERATOR,
    ['#'] = CHAR_OPERATOR, ['%'] = CHAR_OPERATOR, ['^'] = CHAR_OPERATOR, ['&'] = CHAR_OPERATOR, ['|'] = CHAR_OPERATOR,
    ['`'] = CHAR_OPERATOR, ['?'] = CHAR_OPERATOR,
    ['('] = CHAR_PUNCTUATION, [')'] = CHAR_PUNCTUATION, ['['] = CHAR_PUNCTUATION, [']'] = CHAR_PUNCTUATION,
    [','] = CHAR_PUNCTUATION, [';'] = CHAR_PUNCTUATION, ['.'] = CHAR_DOT, [':'] = CHAR_COLON,
};

void lexer_init(Lexer *lexer, Str text, size_t from, Dialect dialect, Arena *arena, Error *err) {
    assert(from <= text.len);
    *lexer = (Lexer){.text = text, .at = from, .dialect = dialect, .arena = arena, .err = err, .code = ERR_OK};
}

static uint8_t byte_at(const Lexer *lexer, size_t at) {
    return at < lexer->text.len ? (uint8_t)lexer->text.data[at] : 0;
}

static uint8_t class_at(const Lexer *lexer, size_t at) {
    return at < lexer->text.len ? char_class[(uint8_t)lexer->text.data[at]] : CHAR_BAD;
}

static Str source(const Lexer *lexer, size_t from, size_t to) {
    return str_slice(lexer->text, from, to);
}

static bool is_name_byte(const Lexer *lexer, size_t at) {
    uint8_t c = class_at(lexer, at);
    return c == CHAR_LETTER || c == CHAR_DIGIT || c == CHAR_DOLLAR;
}

static void token_fail_as(Lexer *lexer, Token *token, ErrorCode code, size_t at, const char *message) {
    if (lexer->code == ERR_OK) {
        lexer->code = error_set(lexer->err, code, (int64_t)at, "%s", message);
    }
    lexer->at = lexer->text.len;
    *token = (Token){.kind = TOKEN_END, .at = (uint32_t)lexer->text.len};
}

static void token_fail(Lexer *lexer, Token *token, size_t at, const char *message) {
    token_fail_as(lexer, token, ERR_SYNTAX, at, message);
}

/* As PostgreSQL says it: with the text from there to the end, or to `to`. */
static void token_fail_near(Lexer *lexer, Token *token, size_t at, size_t to, const char *message) {
    enum { SHOWN_BYTES_MAX = 200 };
    char text[SHOWN_BYTES_MAX + 100];
    (void)snprintf(text, sizeof text, "%s at or near \"%.*s\"", message, (int)MIN_OF(to - at, (size_t)SHOWN_BYTES_MAX), lexer->text.data + at);
    token_fail(lexer, token, at, text);
}

static void token_finish(Lexer *lexer, Token *token, TokenKind kind, size_t from, size_t to, Str text) {
    assert(from < to);
    assert(to <= lexer->text.len);
    *token = (Token){.kind = (uint8_t)kind, .at = (uint32_t)from, .len = (uint32_t)(to - from), .text = text};
    lexer->at = to;
}

/* ---------------------------------------------------------------- blanks and comments */

static bool skip_block_comment(Lexer *lexer, Token *token) {
    size_t start = lexer->at;
    size_t depth = 0;
    for (size_t at = start; at + 1 < lexer->text.len;) {
        char c = lexer->text.data[at];
        char d = lexer->text.data[at + 1];
        if (c == '/' && d == '*') {
            depth++;
            at += 2;
        } else if (c == '*' && d == '/') {
            at += 2;
            if (--depth == 0) {
                lexer->at = at;
                return true;
            }
        } else {
            at++;
        }
    }
    token_fail_near(lexer, token, start, lexer->text.len, "unterminated /* comment");
    return false;
}

static bool skip_blanks(Lexer *lexer, Token *token) {
    for (;;) {
        while (class_at(lexer, lexer->at) == CHAR_SPACE) {
            lexer->at++;
        }
        uint8_t c = byte_at(lexer, lexer->at);
        uint8_t d = byte_at(lexer, lexer->at + 1);
        if (c == '-' && d == '-') {
            const char *from = lexer->text.data + lexer->at;
            const char *newline = memchr(from, '\n', lexer->text.len - lexer->at);
            lexer->at = newline == NULL ? lexer->text.len : (size_t)(newline - lexer->text.data) + 1;
        } else if (c == '/' && d == '*') {
            if (!skip_block_comment(lexer, token)) {
                return false;
            }
        } else {
            return true;
        }
    }
}

/* ---------------------------------------------------------------- names */

static Str fold_name(Lexer *lexer, Str name) {
    size_t upper = 0;
    while (upper < name.len && !(name.data[upper] >= 'A' && name.data[upper] <= 'Z')) {
        upper++;
    }
    if (upper == name.len) {
        return name;
    }
    char *folded = arena_alloc_aligned(lexer->arena, name.len, 1);
    for (size_t i = 0; i < name.len; i++) {
        folded[i] = char_lower(name.data[i]);
    }
    return (Str){folded, name.len};
}

static void lex_word(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    size_t to = from + 1;
    while (is_name_byte(lexer, to)) {
        to++;
    }
    Str word = source(lexer, from, to);
    Keyword keyword = keyword_find(word);
    if (!dialect_has(lexer->dialect, DIALECT_NAMES_KEEP_CASE)) {
        word = fold_name(lexer, word);
    }
    token_finish(lexer, token, TOKEN_WORD, from, to, word);
    token->keyword = (uint16_t)keyword;
}

/* Text between two quotes with doubled ones made single; `from` is behind the opening quote. false: no closing quote. */
static bool read_quoted(Lexer *lexer, size_t from, char quote, Str *value_out, size_t *end_out) {
    size_t doubled = 0;
    size_t at = from;
    for (;;) {
        const char *found = at < lexer->text.len ? memchr(lexer->text.data + at, quote, lexer->text.len - at) : NULL;
        if (found == NULL) {
            return false;
        }
        at = (size_t)(found - lexer->text.data) + 1;
        if (byte_at(lexer, at) != (uint8_t)quote || at >= lexer->text.len) {
            break;
        }
        doubled++;
        at++;
    }
    Str raw = source(lexer, from, at - 1);
    *end_out = at;
    *value_out = raw;
    if (doubled == 0) {
        return true;
    }
    char *value = arena_alloc_aligned(lexer->arena, raw.len - doubled, 1);
    size_t len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        value[len++] = raw.data[i];
        i += raw.data[i] == quote;
    }
    assert(len == raw.len - doubled);
    *value_out = (Str){value, len};
    return true;
}

static void lex_quoted_name(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    Str name = {0};
    size_t end = 0;
    if (!read_quoted(lexer, from + 1, '"', &name, &end)) {
        token_fail_near(lexer, token, from, lexer->text.len, "unterminated quoted identifier");
        return;
    }
    if (name.len == 0) {
        token_fail_near(lexer, token, from, end, "zero-length delimited identifier");
        return;
    }
    token_finish(lexer, token, TOKEN_QUOTED, from, end, name);
}

/* ---------------------------------------------------------------- strings */

/* PostgreSQL joins strings that stand on separate lines: 'a' <newline> 'b'. Returns the offset of the next quote, or 0. */
static size_t next_joined_string(const Lexer *lexer, size_t at) {
    bool newline = false;
    while (class_at(lexer, at) == CHAR_SPACE) {
        newline = newline || byte_at(lexer, at) == '\n' || byte_at(lexer, at) == '\r';
        at++;
    }
    return newline && byte_at(lexer, at) == '\'' ? at : 0;
}

static void lex_string(Lexer *lexer, Token *token, size_t from, size_t quote_at) {
    Str value = {0};
    size_t end = 0;
    if (!read_quoted(lexer, quote_at + 1, '\'', &value, &end)) {
        token_fail_near(lexer, token, from, lexer->text.len, "unterminated quoted string");
        return;
    }
    for (size_t next = next_joined_string(lexer, end); next != 0; next = next_joined_string(lexer, end)) {
        Str more = {0};
        if (!read_quoted(lexer, next + 1, '\'', &more, &end)) {
            token_fail_near(lexer, token, next, lexer->text.len, "unterminated quoted string");
            return;
        }
        char *joined = arena_alloc_aligned(lexer->arena, value.len + more.len, 1);
        memcpy(joined, value.data, value.len);
        memcpy(joined + value.len, more.data, more.len);
        value = (Str){joined, value.len + more.len};
    }
    token_finish(lexer, token, TOKEN_STRING, from, end, value);
}

static int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads up to digits_max digits of base 8 or 16 at *at. Returns how many. */
static int read_digits(const Lexer *lexer, size_t *at, int digits_max, int base, uint32_t *value_out) {
    int count = 0;
    uint32_t value = 0;
    while (count < digits_max) {
        int digit = hex_digit(byte_at(lexer, *at));
        if (digit < 0 || digit >= base) {
            break;
        }
        value = value * (uint32_t)base + (uint32_t)digit;
        (*at)++;
        count++;
    }
    *value_out = value;
    return count;
}

/* One escape behind a backslash at *at; writes its bytes. Returns how many, or -1 for a bad escape. */
static int read_escape(const Lexer *lexer, size_t *at, char out[4]) {
    uint8_t c = byte_at(lexer, *at);
    uint32_t value = 0;
    if (c >= '0' && c <= '7') {
        (void)read_digits(lexer, at, 3, 8, &value);
        out[0] = (char)value;
        return 1;
    }
    (*at)++;
    switch (c) {
    case 'b': out[0] = '\b'; return 1;
    case 'f': out[0] = '\f'; return 1;
    case 'n': out[0] = '\n'; return 1;
    case 'r': out[0] = '\r'; return 1;
    case 't': out[0] = '\t'; return 1;
    case 'x':
        if (read_digits(lexer, at, 2, 16, &value) == 0) {
            out[0] = 'x';
            return 1;
        }
        out[0] = (char)value;
        return 1;
    case 'u':
    case 'U': {
        int want = c == 'u' ? 4 : 8;
        if (read_digits(lexer, at, want, 16, &value) != want || value == 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
            return -1;
        }
        return utf8_encode(value, out);
    }
    default: out[0] = (char)c; return 1;
    }
}

/* Upper bound of the bytes of an E string whose contents start at `at`: no escape is longer than what it stands for, but for one. */
static size_t escape_string_bytes(const Lexer *lexer, size_t at) {
    size_t from = at;
    for (; at < lexer->text.len; at++) {
        char c = lexer->text.data[at];
        bool doubled = c == '\'' && byte_at(lexer, at + 1) == '\'';
        if (c == '\'' && !doubled) {
            break;
        }
        at += c == '\\' || doubled;
    }
    return at - from + 8;
}

static void lex_escape_string(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    size_t at = from + 2;
    char *value = arena_alloc_aligned(lexer->arena, escape_string_bytes(lexer, at), 1);
    size_t len = 0;
    for (;;) {
        if (at >= lexer->text.len) {
            token_fail_near(lexer, token, from, lexer->text.len, "unterminated quoted string");
            return;
        }
        char c = lexer->text.data[at++];
        if (c == '\'') {
            if (byte_at(lexer, at) != '\'') {
                break;
            }
            at++;
        }
        if (c != '\\') {
            value[len++] = c;
            continue;
        }
        size_t escape_at = at - 1;
        if (at >= lexer->text.len) {
            continue; /* the text ends behind the backslash: unterminated */
        }
        int bytes = read_escape(lexer, &at, value + len);
        if (bytes < 0) {
            token_fail_as(lexer, token, ERR_INVALID_ESCAPE, escape_at, "invalid Unicode escape in a string");
            return;
        }
        len += (size_t)bytes;
    }
    if (!utf8_valid((Str){value, len}) || memchr(value, 0, len) != NULL) {
        token_fail(lexer, token, from, "escapes give text that is not UTF-8");
        return;
    }
    token_finish(lexer, token, TOKEN_STRING, from, at, (Str){value, len});
}

static void lex_bit_string(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    const char *end = from + 2 <= lexer->text.len ? memchr(lexer->text.data + from + 2, '\'', lexer->text.len - from - 2) : NULL;
    if (end == NULL) {
        token_fail_near(lexer, token, from, lexer->text.len, "unterminated bit string literal");
        return;
    }
    size_t to = (size_t)(end - lexer->text.data) + 1;
    int base = (lexer->text.data[from] | 0x20) == 'b' ? 2 : 16;
    for (size_t at = from + 2; at + 1 < to; at++) {
        int digit = hex_digit(byte_at(lexer, at));
        if (digit < 0 || digit >= base) {
            token_fail(lexer, token, at, base == 2 ? "a bit string holds 0 and 1 only" : "invalid hexadecimal digit");
            return;
        }
    }
    token_finish(lexer, token, TOKEN_BIT_STRING, from, to, source(lexer, from, to));
}

/* $$...$$ or $tag$...$tag$. false: not the start of one. */
static bool lex_dollar_string(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    size_t at = from + 1;
    while (class_at(lexer, at) == CHAR_LETTER || (at > from + 1 && class_at(lexer, at) == CHAR_DIGIT)) {
        at++;
    }
    if (byte_at(lexer, at) != '$' || at >= lexer->text.len) {
        return false;
    }
    Str tag = source(lexer, from, at + 1);
    ptrdiff_t close = str_find(lexer->text, tag, at + 1);
    if (close < 0) {
        token_fail_near(lexer, token, from, lexer->text.len, "unterminated dollar-quoted string");
        return true;
    }
    token_finish(lexer, token, TOKEN_STRING, from, (size_t)close + tag.len, source(lexer, at + 1, (size_t)close));
    return true;
}

static void lex_dollar(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    size_t at = from + 1;
    while (class_at(lexer, at) == CHAR_DIGIT) {
        at++;
    }
    if (at > from + 1) {
        if (is_name_byte(lexer, at) || at - from > 6) {
            size_t to = at;
            while (is_name_byte(lexer, to)) {
                to++;
            }
            token_fail_near(lexer, token, from, to, at - from > 6 ? "parameter number too large" : "trailing junk after parameter");
            return;
        }
        token_finish(lexer, token, TOKEN_PARAM, from, at, source(lexer, from + 1, at));
        return;
    }
    if (!lex_dollar_string(lexer, token)) {
        token_fail(lexer, token, from, "unexpected character $");
    }
}

/* ---------------------------------------------------------------- numbers */

static size_t skip_digits(const Lexer *lexer, size_t at, int base) {
    for (;;) {
        uint8_t c = byte_at(lexer, at);
        int digit = hex_digit(c);
        bool separator = c == '_' && hex_digit(byte_at(lexer, at + 1)) >= 0 && hex_digit(byte_at(lexer, at + 1)) < base;
        if (!separator && (digit < 0 || digit >= base)) {
            return at;
        }
        at++;
    }
}

static Str without_separators(Lexer *lexer, Str number) {
    if (memchr(number.data, '_', number.len) == NULL) {
        return number;
    }
    char *digits = arena_alloc_aligned(lexer->arena, number.len, 1);
    size_t len = 0;
    for (size_t i = 0; i < number.len; i++) {
        if (number.data[i] != '_') {
            digits[len++] = number.data[i];
        }
    }
    return (Str){digits, len};
}

/* 0x1f, 0o17, 0b01 at lexer->at: returns the end, or 0 for none. */
static size_t radix_end(const Lexer *lexer) {
    if (byte_at(lexer, lexer->at) != '0') {
        return 0;
    }
    uint8_t letter = byte_at(lexer, lexer->at + 1) | 0x20;
    int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (base == 0) {
        return 0;
    }
    size_t end = skip_digits(lexer, lexer->at + 2, base);
    return end == lexer->at + 2 ? 0 : end;
}

static void lex_number(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    TokenKind kind = TOKEN_INTEGER;
    size_t at = radix_end(lexer);
    if (at == 0) {
        at = skip_digits(lexer, from, 10);
        if (byte_at(lexer, at) == '.' && byte_at(lexer, at + 1) != '.') {
            kind = TOKEN_NUMBER;
            at = skip_digits(lexer, at + 1, 10);
        }
        size_t exponent = at + 1;
        if ((byte_at(lexer, at) | 0x20) == 'e') {
            exponent += byte_at(lexer, exponent) == '+' || byte_at(lexer, exponent) == '-';
            if (class_at(lexer, exponent) == CHAR_DIGIT) {
                kind = TOKEN_NUMBER;
                at = skip_digits(lexer, exponent, 10);
            }
        }
    }
    if (class_at(lexer, at) == CHAR_LETTER) {
        kind = TOKEN_SUFFIXED;
        while (is_name_byte(lexer, at)) {
            at++;
        }
    }
    token_finish(lexer, token, kind, from, at, without_separators(lexer, source(lexer, from, at)));
}

/* ---------------------------------------------------------------- operators and the rest */

static void lex_operator(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    size_t to = from;
    bool keeps_sign = false;
    if (byte_at(lexer, from) == '@' && (class_at(lexer, from + 1) == CHAR_LETTER)) {
        to = from + 2;
        while (is_name_byte(lexer, to)) {
            to++;
        }
        token_finish(lexer, token, TOKEN_VARIABLE, from, to, source(lexer, from + 1, to));
        return;
    }
    while (class_at(lexer, to) == CHAR_OPERATOR) {
        uint8_t c = byte_at(lexer, to);
        uint8_t d = byte_at(lexer, to + 1);
        if (((c == '-' && d == '-') || (c == '/' && d == '*')) && to > from) {
            break;
        }
        if (to > from && c == '@' && class_at(lexer, to + 1) == CHAR_LETTER && (byte_at(lexer, to - 1) == '=')) {
            break; /* x=@v compares with a variable */
        }
        keeps_sign = keeps_sign || strchr("~!@#%^&|`?", c) != NULL;
        to++;
    }
    while (!keeps_sign && to - from > 1 && strchr("+-", lexer->text.data[to - 1]) != NULL) {
        to--;
    }
    token_finish(lexer, token, TOKEN_OPERATOR, from, to, source(lexer, from, to));
}

static void lex_colon(Lexer *lexer, Token *token) {
    size_t from = lexer->at;
    uint8_t d = byte_at(lexer, from + 1);
    size_t to = d == ':' || d == '=' ? from + 2 : from + 1;
    token_finish(lexer, token, TOKEN_PUNCTUATION, from, to, source(lexer, from, to));
}

static void lex_bad(Lexer *lexer, Token *token) {
    uint8_t c = byte_at(lexer, lexer->at);
    char message[48];
    if (c > ' ' && c < 0x7F) {
        (void)snprintf(message, sizeof message, "unexpected character %c", c);
    } else {
        (void)snprintf(message, sizeof message, "unexpected byte 0x%02x", c);
    }
    token_fail(lexer, token, lexer->at, message);
}

/* A letter may open E'...', B'...', X'...', N'...'. */
static bool lex_prefixed_string(Lexer *lexer, Token *token) {
    if (byte_at(lexer, lexer->at + 1) != '\'') {
        return false;
    }
    switch (byte_at(lexer, lexer->at) | 0x20) {
    case 'e': lex_escape_string(lexer, token); return true;
    case 'b':
    case 'x': lex_bit_string(lexer, token); return true;
    case 'n': lex_string(lexer, token, lexer->at, lexer->at + 1); return true;
    default: return false;
    }
}

void lexer_next(Lexer *lexer, Token *token) {
    if (!skip_blanks(lexer, token)) {
        return;
    }
    if (lexer->at >= lexer->text.len) {
        *token = (Token){.kind = TOKEN_END, .at = (uint32_t)lexer->text.len};
        return;
    }
    switch (class_at(lexer, lexer->at)) {
    case CHAR_LETTER:
        if (!lex_prefixed_string(lexer, token)) {
            lex_word(lexer, token);
        }
        break;
    case CHAR_DIGIT: lex_number(lexer, token); break;
    case CHAR_DOT:
        if (class_at(lexer, lexer->at + 1) == CHAR_DIGIT) {
            lex_number(lexer, token);
        } else {
            token_finish(lexer, token, TOKEN_PUNCTUATION, lexer->at, lexer->at + 1, source(lexer, lexer->at, lexer->at + 1));
        }
        break;
    case CHAR_QUOTE: lex_string(lexer, token, lexer->at, lexer->at); break;
    case CHAR_DOUBLE_QUOTE: lex_quoted_name(lexer, token); break;
    case CHAR_DOLLAR: lex_dollar(lexer, token); break;
    case CHAR_OPERATOR: lex_operator(lexer, token); break;
    case CHAR_COLON: lex_colon(lexer, token); break;
    case CHAR_PUNCTUATION:
        token_finish(lexer, token, TOKEN_PUNCTUATION, lexer->at, lexer->at + 1, source(lexer, lexer->at, lexer->at + 1));
        break;
    default: lex_bad(lexer, token); break;
    }
}

bool lexer_geohash(Lexer *lexer, Token *token) {
    if (token->kind != TOKEN_OPERATOR || token->text.data[0] != '#') {
        return false;
    }
    size_t at = token->at + 1u;
    at += byte_at(lexer, at) == '#';
    size_t first = at;
    while (class_at(lexer, at) == CHAR_LETTER || class_at(lexer, at) == CHAR_DIGIT) {
        at++;
    }
    if (at == first) {
        return false;
    }
    if (byte_at(lexer, at) == '/' && class_at(lexer, at + 1) == CHAR_DIGIT) {
        at = skip_digits(lexer, at + 1, 10);
    }
    token_finish(lexer, token, TOKEN_OPERATOR, token->at, at, source(lexer, token->at, at));
    return true;
}

bool lexer_name_is_plain(Str name, Dialect dialect) {
    if (name.len == 0 || char_class[(uint8_t)name.data[0]] != CHAR_LETTER) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = (uint8_t)name.data[i];
        bool upper = c >= 'A' && c <= 'Z';
        uint8_t class = char_class[c];
        if ((upper && !dialect_has(dialect, DIALECT_NAMES_KEEP_CASE)) || (class != CHAR_LETTER && class != CHAR_DIGIT)) {
            return false;
        }
    }
    return keyword_class(keyword_find(name)) == KEYWORD_UNRESERVED;
}

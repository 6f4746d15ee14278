/* SPDX-License-Identifier: Apache-2.0
 * statement_split.c - where a statement ends, for text that comes line by line: quotes, comments and dollar quotes are stepped over.
 *
 * Why:   the shell must know whether to ask for another line without asking the parser, which may be on another machine.
 * Tests: test/cli */
#include "cli/target.h"

static size_t skip_to(Str text, size_t at, Str end) {
    ptrdiff_t found = str_find(text, end, at);
    return found < 0 ? text.len + 1 : (size_t)found + end.len; /* past the end: not closed */
}

/* Quotes double inside: 'it''s' is read as two quoted parts in a row, which is the same to us. Backslashes count in E'…'. */
static size_t skip_quoted(Str text, size_t at) {
    char quote = text.data[at];
    bool escapes = quote == '\'' && at > 0 && (text.data[at - 1] == 'E' || text.data[at - 1] == 'e');
    for (at++; at < text.len; at++) {
        if (escapes && text.data[at] == '\\') {
            at++;
        } else if (text.data[at] == quote) {
            return at + 1;
        }
    }
    return text.len + 1;
}

static size_t skip_block_comment(Str text, size_t at) {
    int depth = 0;
    for (; at + 1 < text.len; at++) {
        if (text.data[at] == '/' && text.data[at + 1] == '*') {
            depth++;
            at++;
        } else if (text.data[at] == '*' && text.data[at + 1] == '/') {
            at++;
            if (--depth == 0) {
                return at + 1;
            }
        }
    }
    return text.len + 1;
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/* $$…$$ or $tag$…$tag$; a parameter like $1 is none. */
static size_t skip_dollar(Str text, size_t at) {
    size_t end = at + 1;
    while (end < text.len && is_name(text.data[end])) {
        end++;
    }
    bool tag = end < text.len && text.data[end] == '$' && !(end > at + 1 && text.data[at + 1] >= '0' && text.data[at + 1] <= '9');
    if (!tag || (at > 0 && is_name(text.data[at - 1]))) {
        return at + 1;
    }
    return skip_to(text, end + 1, str_slice(text, at, end + 1));
}

/* Steps over what begins at `at`. Past text.len: it is not closed. */
static size_t skip_token(Str text, size_t at) {
    char c = text.data[at], next = at + 1 < text.len ? text.data[at + 1] : '\0';
    if (c == '\'' || c == '"') {
        return skip_quoted(text, at);
    }
    if (c == '-' && next == '-') {
        ptrdiff_t line_end = str_find_char(text, '\n', at);
        return line_end < 0 ? text.len : (size_t)line_end + 1;
    }
    if (c == '/' && next == '*') {
        return skip_block_comment(text, at);
    }
    return c == '$' ? skip_dollar(text, at) : at + 1;
}

size_t statement_end(Str text) {
    size_t at = 0;
    while (at < text.len) {
        if (text.data[at] == ';') {
            return at + 1;
        }
        at = skip_token(text, at);
    }
    return 0;
}

bool statement_is_empty(Str text) {
    size_t at = 0;
    while (at < text.len) {
        char c = text.data[at];
        bool comment = (c == '-' || c == '/') && skip_token(text, at) > at + 1;
        if (!comment && strchr(" \t\r\n\f;", c) == NULL) {
            return false;
        }
        at = skip_token(text, at);
    }
    return true;
}

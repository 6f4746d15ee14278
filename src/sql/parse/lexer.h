/* SPDX-License-Identifier: Apache-2.0
 * lexer.h - text to tokens, on demand; private to the parser.
 *
 * Why: one token at a time and no token array, so a 10 MB statement costs no memory for tokens. Text of a token points into the
 * statement unless it had to change (folded names, escapes). After an error every token is TOKEN_END and `code` is set. */
#pragma once
#include "base/memory.h"
#include "sql/parse/dialect.h"
#include "sql/parse/keywords.h"

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_WORD,        /* plain identifier or keyword */
    TOKEN_QUOTED,      /* "identifier" */
    TOKEN_STRING,
    TOKEN_BIT_STRING,  /* text as written with B or X */
    TOKEN_INTEGER,
    TOKEN_NUMBER,
    TOKEN_SUFFIXED,    /* number directly followed by letters: 5m, 12.5m, 10L */
    TOKEN_PARAM,       /* $1: text = digits */
    TOKEN_VARIABLE,    /* @v: text = v */
    TOKEN_OPERATOR,
    TOKEN_PUNCTUATION  /* ( ) [ ] , ; . : :: := */
} TokenKind;

typedef struct Token {
    uint8_t kind;
    uint16_t keyword;  /* Keyword; NO_KEYWORD for other words */
    uint32_t at, len;  /* in the statement text */
    Str text;          /* value; punctuation and operators: as written */
} Token;

typedef struct Lexer {
    Str text;
    size_t at;
    Dialect dialect;
    Arena *arena;
    Error *err;
    ErrorCode code;    /* first error, sticky */
} Lexer;

void lexer_init(Lexer *lexer, Str text, size_t from, Dialect dialect, Arena *arena, Error *err);
void lexer_next(Lexer *lexer, Token *token_out);
/* Reads again from token->at: a geohash literal (#u33d8b, ##0101, #u33/12), which the operator rules would cut. false: none there. */
bool lexer_geohash(Lexer *lexer, Token *token);

Keyword keyword_find(Str word);                /* any case; NO_KEYWORD: not one */
Str keyword_text(Keyword keyword);             /* lower case */
KeywordClass keyword_class(Keyword keyword);
bool keyword_is_label(Keyword keyword);        /* may name a column without AS */
/* Would `name` come back as itself if written without quotes? (postgres: no upper case; no reserved word) */
bool lexer_name_is_plain(Str name, Dialect dialect);

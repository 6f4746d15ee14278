/* SPDX-License-Identifier: Apache-2.0
 * parse.c - the parser's entry: statements one after the other, tokens, lists, and errors that say what was expected.
 *
 * Tests: test/unit/sql/parse/; fuzz/fuzz_sql_parse.c */
#include "sql/parse/parse_internal.h"
#include <stdio.h>

enum { STACK_BYTES_MAX = 1 << 30, FOUND_BYTES_MAX = 40 };

/* ---------------------------------------------------------------- tokens */

void parse__advance(Parser *p) {
    p->previous_end = p->token.at + p->token.len;
    if (p->has_ahead) {
        p->token = p->ahead;
        p->has_ahead = false;
        return;
    }
    lexer_next(&p->lexer, &p->token);
}

const Token *parse__peek(Parser *p) {
    if (!p->has_ahead) {
        lexer_next(&p->lexer, &p->ahead);
        p->has_ahead = true;
    }
    return &p->ahead;
}

bool parse__at_word(const Parser *p, Str word) {
    return p->token.kind == TOKEN_WORD && p->token.text.len == word.len && str_equal_ignore_case(p->token.text, word);
}

bool parse__at_operator(const Parser *p, const char *text) {
    return p->token.kind == TOKEN_OPERATOR && str_equal(p->token.text, str_from_c(text));
}

bool parse__accept_keyword(Parser *p, Keyword keyword) {
    bool found = parse__at_keyword(p, keyword);
    if (found) {
        parse__advance(p);
    }
    return found;
}

bool parse__accept_word(Parser *p, Str word) {
    bool found = parse__at_word(p, word);
    if (found) {
        parse__advance(p);
    }
    return found;
}

bool parse__accept_mark(Parser *p, const char *mark) {
    bool found = parse__at_mark(p, mark);
    if (found) {
        parse__advance(p);
    }
    return found;
}

bool parse__peek_keyword(Parser *p, Keyword keyword) {
    return token_is_keyword(parse__peek(p), keyword);
}

bool parse__peek_mark(Parser *p, const char *mark) {
    return token_is_mark(parse__peek(p), mark);
}

/* ---------------------------------------------------------------- errors */

/* Shortens what is quoted in a message without cutting a character. */
static int shown_bytes(Str text) {
    size_t len = text.len;
    if (len > FOUND_BYTES_MAX) {
        len = FOUND_BYTES_MAX;
        while (len > 0 && ((uint8_t)text.data[len] & 0xC0) == 0x80) {
            len--;
        }
    }
    return (int)len;
}

ErrorCode parse__expected(Parser *p, const char *what) {
    if (p->lexer.code != ERR_OK) {
        return p->lexer.code;
    }
    int64_t at = p->token.at;
    const char *gap = p->dialect == DIALECT_POSTGRES ? "" : ": expected ";
    const char *said = p->dialect == DIALECT_POSTGRES ? "" : what; /* PostgreSQL's message ends before it, and its clients compare; the shell prints the field */
    Str found = str_slice(p->lexer.text, p->token.at, p->token.at + p->token.len);
    ErrorCode code = p->token.kind == TOKEN_END
                         ? error_set(p->err, ERR_SYNTAX, at, "syntax error at end of input%s%s", gap, said)
                         : error_set(p->err, ERR_SYNTAX, at, "syntax error at or near \"%.*s\"%s%s", shown_bytes(found), found.data, gap, said);
    return p->dialect == DIALECT_POSTGRES ? error_add(p->err, 'X', "%s", what) : code;
}

ErrorCode parse__not_supported(Parser *p, const char *what) {
    if (p->lexer.code != ERR_OK) {
        return p->lexer.code;
    }
    return error_set(p->err, ERR_NOT_SUPPORTED, p->token.at, "%s is not supported", what);
}

ErrorCode parse__expect_keyword(Parser *p, Keyword keyword) {
    if (parse__accept_keyword(p, keyword)) {
        return ERR_OK;
    }
    return parse__expected(p, arena_upper(p->arena, keyword_text(keyword)).data);
}

ErrorCode parse__expect_mark(Parser *p, const char *mark) {
    return parse__accept_mark(p, mark) ? ERR_OK : parse__expected(p, mark);
}

ErrorCode parse__expect_close(Parser *p, Token open) {
    const char *mark = open.text.data[0] == '[' ? "]" : ")";
    if (parse__accept_mark(p, mark)) {
        return ERR_OK;
    }
    if (p->token.kind == TOKEN_END && p->lexer.code == ERR_OK) {
        return error_set(p->err, ERR_SYNTAX, open.at, "syntax error at end of input: %c is not closed", open.text.data[0]);
    }
    return parse__expected(p, mark);
}

ErrorCode parse__enter(Parser *p) {
    if (p->depth >= PARSE_DEPTH_MAX) {
        return error_set(p->err, ERR_TOO_COMPLEX, p->token.at, "statement is nested deeper than %d levels", PARSE_DEPTH_MAX);
    }
    p->depth++;
    return ERR_OK;
}

Str parse__lower(Parser *p, Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'Z') {
            char *lower = arena_alloc_aligned(p->arena, text.len, 1);
            for (size_t j = 0; j < text.len; j++) {
                lower[j] = char_lower(text.data[j]);
            }
            return (Str){lower, text.len};
        }
    }
    return text;
}

/* ---------------------------------------------------------------- lists */

void *parse__list_end(Parser *p, size_t mark, size_t item_bytes, uint32_t *count_out) {
    assert(mark <= p->stack.len);
    size_t bytes = p->stack.len - mark;
    assert(bytes % item_bytes == 0);
    *count_out = (uint32_t)(bytes / item_bytes);
    if (bytes == 0) {
        return NULL;
    }
    void *items = arena_alloc_aligned(p->arena, bytes, 16);
    memcpy(items, p->stack.data + mark, bytes);
    p->stack.len = mark;
    return items;
}

/* ---------------------------------------------------------------- entries */

static void parser_init(Parser *p, Str text, size_t from, Dialect dialect, Arena *arena, Error *err) {
    *p = (Parser){.arena = arena, .err = err, .dialect = dialect};
    buffer_init(&p->stack, STACK_BYTES_MAX);
    buffer_init(&p->named_params, STACK_BYTES_MAX);
    lexer_init(&p->lexer, text, from, dialect, arena, err);
    lexer_next(&p->lexer, &p->token);
}

static void parser_deinit(Parser *p) {
    buffer_deinit(&p->stack);
    buffer_deinit(&p->named_params);
}

static ErrorCode check_text(Str text, Error *err) {
    if (text.len > SQL_TEXT_BYTES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, 0, "statement text is longer than %d bytes", SQL_TEXT_BYTES_MAX);
    }
    return ERR_OK;
}

static ErrorCode parse_one(Parser *p, AstStatement **statement_out, size_t *end_out) {
    while (parse__accept_mark(p, ";")) {
    }
    if (p->token.kind == TOKEN_END) {
        *statement_out = NULL;
        *end_out = p->lexer.text.len;
        return p->lexer.code;
    }
    AstStatement *statement = NULL;
    TRY(parse__statement(p, &statement));
    if (p->token.kind != TOKEN_END && !parse__at_mark(p, ";")) {
        return parse__expected(p, "end of statement");
    }
    if (p->lexer.code != ERR_OK) {
        return p->lexer.code;
    }
    TRY(buffer_check(&p->stack, p->err));
    statement->param_max = p->param_max;
    statement->named_params = (AstName *)(void *)arena_alloc_aligned(p->arena, p->named_params.len + 1, 16);
    memcpy(statement->named_params, p->named_params.len > 0 ? p->named_params.data : (const uint8_t *)"", p->named_params.len);
    statement->named_param_count = (uint32_t)(p->named_params.len / sizeof(AstName));
    *end_out = p->token.at + p->token.len;
    *statement_out = statement;
    return ERR_OK;
}

ErrorCode sql_parse(Str text, size_t from, Dialect dialect, Arena *arena, AstStatement **statement_out, size_t *end_out, Error *err) {
    assert(arena != NULL);
    assert(from <= text.len);
    TRY(check_text(text, err));
    Parser p;
    parser_init(&p, text, from, dialect, arena, err);
    ErrorCode code = parse_one(&p, statement_out, end_out);
    parser_deinit(&p);
    return code;
}

ErrorCode sql_parse_expression(Str text, Dialect dialect, Arena *arena, AstExpr **expr_out, Error *err) {
    TRY(check_text(text, err));
    Parser p;
    parser_init(&p, text, 0, dialect, arena, err);
    ErrorCode code = parse__expr(&p, expr_out);
    if (code == ERR_OK && (p.token.kind != TOKEN_END || p.lexer.code != ERR_OK)) {
        code = parse__expected(&p, "end of expression");
    }
    parser_deinit(&p);
    return code;
}

ErrorCode sql_parse_type(Str text, Dialect dialect, Arena *arena, AstType **type_out, Error *err) {
    TRY(check_text(text, err));
    Parser p;
    parser_init(&p, text, 0, dialect, arena, err);
    ErrorCode code = parse__type(&p, type_out);
    if (code == ERR_OK && (p.token.kind != TOKEN_END || p.lexer.code != ERR_OK)) {
        code = parse__expected(&p, "end of type name");
    }
    parser_deinit(&p);
    return code;
}

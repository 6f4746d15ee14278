/* SPDX-License-Identifier: Apache-2.0
 * parse_cursor.c - DECLARE CURSOR, FETCH, MOVE, CLOSE, LOCK TABLE.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "base/number.h"
#include "sql/parse/parse_internal.h"

static AstCursor *new_cursor(Parser *p, AstStatementKind kind, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, kind, p->token.at);
    statement->as.cursor = arena_new(p->arena, AstCursor);
    *statement_out = statement;
    parse__advance(p);
    return statement->as.cursor;
}

/* ---------------------------------------------------------------- DECLARE */

static void parse_cursor_words(Parser *p, AstCursor *cursor) {
    for (;;) {
        if (parse__accept_keyword(p, KW_BINARY)) {
            cursor->binary = true;
        } else if (parse__accept_word(p, STR("scroll"))) {
            cursor->scroll = true;
        } else if (parse__at_keyword(p, KW_NO)) {
            parse__advance(p);
            cursor->no_scroll = parse__accept_word(p, STR("scroll"));
        } else if (!parse__accept_word(p, STR("insensitive")) && !parse__accept_word(p, STR("asensitive"))) {
            return;
        }
    }
}

ErrorCode parse__declare_cursor(Parser *p, AstStatement **statement_out) {
    AstCursor *cursor = new_cursor(p, AST_DECLARE_CURSOR_STATEMENT, statement_out);
    TRY(parse__name(p, &cursor->name, "a cursor name"));
    parse_cursor_words(p, cursor);
    TRY(parse__expect_keyword(p, KW_CURSOR));
    bool with = parse__accept_keyword(p, KW_WITH);
    if (with || parse__accept_keyword(p, KW_WITHOUT)) {
        cursor->hold = with;
        if (!parse__accept_word(p, STR("hold"))) {
            return parse__expected(p, "HOLD");
        }
    }
    TRY(parse__expect_keyword(p, KW_FOR));
    uint32_t at = p->token.at;
    TRY(parse__statement(p, &cursor->query));
    cursor->text = parse__source(p, at);
    return ERR_OK;
}

/* ---------------------------------------------------------------- FETCH, MOVE, CLOSE */

static bool at_count(Parser *p) {
    return p->token.kind == TOKEN_INTEGER || ((parse__at_operator(p, "-") || parse__at_operator(p, "+")) && parse__peek(p)->kind == TOKEN_INTEGER);
}

static ErrorCode parse_count(Parser *p, int64_t *count_out) {
    bool negative = parse__at_operator(p, "-"), overflow = false;
    if (negative || parse__at_operator(p, "+")) {
        parse__advance(p);
    }
    if (p->token.kind != TOKEN_INTEGER || !parse_int64(p->token.text, count_out, &overflow)) {
        return parse__expected(p, "a number of rows");
    }
    *count_out = negative ? -*count_out : *count_out;
    parse__advance(p);
    return ERR_OK;
}

/* The word is a direction and not the cursor's name: more follows. */
static bool accept_direction(Parser *p, Str word) {
    const Token *next = parse__peek(p);
    bool last = next->kind == TOKEN_END || token_is_mark(next, ";");
    return !last && parse__accept_word(p, word);
}

static ErrorCode parse_amount(Parser *p, AstCursor *cursor) {
    cursor->count = 1;
    if (parse__accept_keyword(p, KW_ALL)) {
        cursor->count = INT64_MAX;
        return ERR_OK;
    }
    return at_count(p) ? parse_count(p, &cursor->count) : ERR_OK;
}

static ErrorCode parse_direction(Parser *p, AstCursor *cursor) {
    static const struct { Str word; uint8_t direction; int64_t count; } PLACES[] = {
        {{"next", 4}, AST_FETCH_FORWARD, 1}, {{"prior", 5}, AST_FETCH_BACKWARD, 1}, {{"first", 5}, AST_FETCH_ABSOLUTE, 1}, {{"last", 4}, AST_FETCH_ABSOLUTE, -1}};
    cursor->count = 1;
    for (size_t i = 0; i < COUNT_OF(PLACES); i++) {
        if (accept_direction(p, PLACES[i].word)) {
            cursor->direction = PLACES[i].direction;
            cursor->count = PLACES[i].count;
            return ERR_OK;
        }
    }
    if (accept_direction(p, STR("absolute")) || accept_direction(p, STR("relative"))) {
        bool absolute = (p->lexer.text.data[p->previous_end - 8] | 0x20) == 'a';
        cursor->direction = absolute ? AST_FETCH_ABSOLUTE : AST_FETCH_RELATIVE;
        return parse_count(p, &cursor->count);
    }
    if (accept_direction(p, STR("backward"))) {
        cursor->direction = AST_FETCH_BACKWARD;
        return parse_amount(p, cursor);
    }
    (void)accept_direction(p, STR("forward"));
    return parse_amount(p, cursor);
}

ErrorCode parse__fetch(Parser *p, AstStatement **statement_out) {
    bool move = parse__at_word(p, STR("move"));
    AstCursor *cursor = new_cursor(p, AST_FETCH_STATEMENT, statement_out);
    cursor->move = move;
    TRY(parse_direction(p, cursor));
    if (!parse__accept_keyword(p, KW_FROM)) {
        (void)parse__accept_keyword(p, KW_IN);
    }
    return parse__name(p, &cursor->name, "a cursor name");
}

ErrorCode parse__close_cursor(Parser *p, AstStatement **statement_out) {
    AstCursor *cursor = new_cursor(p, AST_CLOSE_STATEMENT, statement_out);
    cursor->all = parse__accept_keyword(p, KW_ALL);
    return cursor->all ? ERR_OK : parse__name(p, &cursor->name, "a cursor name or ALL");
}

/* ---------------------------------------------------------------- LOCK TABLE */

/* IN ACCESS SHARE MODE: the words between IN and MODE. */
static ErrorCode parse_lock_mode(Parser *p, AstLock *lock) {
    uint32_t at = p->token.at;
    while (!parse__at_word(p, STR("mode"))) {
        if (p->token.kind != TOKEN_WORD) {
            return parse__expected(p, "a lock mode and MODE");
        }
        parse__advance(p);
    }
    lock->mode = parse__lower(p, parse__source(p, at));
    parse__advance(p);
    return ERR_OK;
}

ErrorCode parse__lock(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_LOCK_STATEMENT, p->token.at);
    AstLock *lock = arena_new(p->arena, AstLock);
    statement->as.lock = lock;
    *statement_out = statement;
    parse__advance(p);
    (void)parse__accept_keyword(p, KW_TABLE);
    size_t mark = list_begin(p);
    do {
        AstNames names = {0};
        (void)parse__accept_keyword(p, KW_ONLY);
        TRY(parse__table_name(p, &names));
        if (parse__at_operator(p, "*")) {
            parse__advance(p);
        }
        list_push(p, &names, sizeof names);
    } while (parse__accept_mark(p, ","));
    lock->tables = list_end(p, mark, AstNames, &lock->table_count);
    lock->mode = STR("access exclusive");
    if (parse__accept_keyword(p, KW_IN)) {
        TRY(parse_lock_mode(p, lock));
    }
    lock->nowait = parse__accept_keyword(p, KW_NOWAIT);
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * parse_statement.c - which statement stands here: one switch on its first word, a query otherwise.
 *
 * Steps to add a statement: a row in AST_STATEMENTS, a struct in ast.h, a parse function, a case here, a case in deparse. */
#include "sql/parse/parse_internal.h"

AstStatement *parse__new_statement(Parser *p, AstStatementKind kind, uint32_t at) {
    AstStatement *statement = arena_new(p->arena, AstStatement);
    statement->kind = kind;
    statement->dialect = p->dialect;
    statement->span.at = at;
    return statement;
}

static ErrorCode parse_select_statement(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_SELECT_STATEMENT, p->token.at);
    *statement_out = statement;
    return parse__query(p, &statement->as.select);
}

static ErrorCode parse_dml(Parser *p, AstWith *with, AstDeclare *declares, uint32_t declare_count, uint32_t at, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_INSERT_STATEMENT, at);
    *statement_out = statement;
    if (parse__at_keyword(p, KW_INSERT)) {
        TRY(parse__insert(p, with, &statement->as.insert));
        statement->as.insert->declares = declares;
        statement->as.insert->declare_count = declare_count;
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_UPDATE)) {
        statement->kind = AST_UPDATE_STATEMENT;
        TRY(parse__update(p, with, &statement->as.update));
        statement->as.update->declares = declares;
        statement->as.update->declare_count = declare_count;
        return ERR_OK;
    }
    statement->kind = AST_DELETE_STATEMENT;
    if (declare_count > 0) {
        return parse__not_supported(p, "DECLARE before DELETE");
    }
    return parse__delete(p, with, &statement->as.delete_);
}

static bool at_dml(const Parser *p) {
    return parse__at_keyword(p, KW_INSERT) || parse__at_keyword(p, KW_UPDATE) || parse__at_keyword(p, KW_DELETE);
}

/* WITH and DECLARE may open a query or a data-modifying statement. */
static ErrorCode parse_prefixed(Parser *p, AstStatement **statement_out) {
    uint32_t at = p->token.at;
    AstDeclare *declares = NULL;
    uint32_t declare_count = 0;
    AstWith *with = NULL;
    TRY(parse__declares(p, &declares, &declare_count));
    TRY(parse__with(p, &with));
    if (at_dml(p)) {
        return parse_dml(p, with, declares, declare_count, at, statement_out);
    }
    if (parse__at_keyword(p, KW_MERGE)) {
        return parse__not_supported(p, "MERGE");
    }
    TRY(parse_select_statement(p, statement_out));
    AstStatement *statement = *statement_out;
    AstSelect *select = statement->as.select;
    statement->span.at = at;
    if (select->with != NULL || select->declare_count > 0) {
        return error_set(p->err, ERR_SYNTAX, select->span.at, "syntax error: WITH or DECLARE twice");
    }
    select->with = with;
    select->declares = declares;
    select->declare_count = declare_count;
    return ERR_OK;
}

/* Words that open a statement only if more follows: begin, set ... are also fine names of tables (`show;`). */
static bool word_stands_alone(Parser *p) {
    const Token *next = parse__peek(p);
    bool ends = next->kind == TOKEN_END || token_is(next, TOKEN_PUNCTUATION, STR(";"));
    switch ((Keyword)p->token.keyword) {
    case KW_COPY:
    case KW_SET:
    case KW_SHOW:
    case KW_INSERT:
    case KW_UPDATE:
    case KW_EXPLAIN:
    case KW_RENAME:
    case KW_TRUNCATE:
    case KW_ALTER:
    case KW_DROP: return false;
    case KW_CLOSE:
    case KW_LOCK:
    case KW_DECLARE:
    case KW_RELEASE: return ends;
    default: return false;
    }
}

static ErrorCode dispatch(Parser *p, AstStatement **statement_out) {
    switch (p->token.kind == TOKEN_WORD && !word_stands_alone(p) ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_INSERT:
    case KW_UPDATE:
    case KW_DELETE: return parse_dml(p, NULL, NULL, 0, p->token.at, statement_out);
    case KW_WITH: return parse_prefixed(p, statement_out);
    case KW_CREATE: return parse__create(p, statement_out);
    case KW_DROP: return parse__drop(p, statement_out);
    case KW_TRUNCATE: return parse__truncate(p, statement_out);
    case KW_ALTER: return parse__alter(p, statement_out);
    case KW_RENAME: return parse__rename(p, statement_out);
    case KW_SET: return parse__set(p, statement_out);
    case KW_RESET: return parse__reset(p, statement_out);
    case KW_SHOW: return parse__show(p, statement_out);
    case KW_EXPLAIN: return parse__explain(p, statement_out);
    case KW_PREPARE:
        return parse__peek_keyword(p, KW_TRANSACTION) ? parse__transaction(p, statement_out) : parse__prepare(p, statement_out);
    case KW_BEGIN:
    case KW_START:
    case KW_COMMIT:
    case KW_END:
    case KW_ROLLBACK:
    case KW_ABORT:
    case KW_SAVEPOINT:
    case KW_RELEASE: return parse__transaction(p, statement_out);
    case KW_EXECUTE: return parse__execute(p, statement_out);
    case KW_DEALLOCATE: return parse__deallocate(p, statement_out);
    case KW_COPY: return parse__copy(p, statement_out);
    case KW_DECLARE:
        if (parse__peek(p)->kind == TOKEN_VARIABLE || parse__peek_keyword(p, KW_OVERRIDABLE)) {
            return parse_prefixed(p, statement_out);
        }
        return parse__declare_cursor(p, statement_out);
    case KW_FETCH: return parse__fetch(p, statement_out);
    case KW_CLOSE: return parse__close_cursor(p, statement_out);
    case KW_LOCK: return parse__lock(p, statement_out);
    case KW_GRANT: return parse__grant(p, statement_out);
    case KW_REVOKE: return parse__peek(p)->kind == TOKEN_WORD ? parse__grant(p, statement_out) : parse_select_statement(p, statement_out);
    case KW_COMMENT: return parse__peek_keyword(p, KW_ON) ? parse__comment(p, statement_out) : parse_select_statement(p, statement_out);
    case KW_REASSIGN:
        if (parse__peek_keyword(p, KW_OWNED)) {
            *statement_out = parse__new_statement(p, AST_OWNED_STATEMENT, p->token.at);
            parse__advance(p);
            return parse__owned(p, false, *statement_out);
        }
        break;
    default: break;
    }
    bool found = false;
    if (parse__at_word(p, STR("move")) && parse__peek(p)->kind != TOKEN_END && !parse__peek_mark(p, ";")) {
        return parse__fetch(p, statement_out);
    }
    if (p->token.kind == TOKEN_WORD) {
        TRY(parse__utility(p, &found, statement_out));
    }
    return found ? ERR_OK : parse_select_statement(p, statement_out);
}

ErrorCode parse__statement(Parser *p, AstStatement **statement_out) {
    TRY(parse__enter(p));
    uint32_t at = p->token.at;
    TRY(dispatch(p, statement_out));
    assert(*statement_out != NULL);
    (*statement_out)->span = parse__span_from(p, at);
    parse__leave(p);
    return ERR_OK;
}

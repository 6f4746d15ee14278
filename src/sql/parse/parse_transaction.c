/* SPDX-License-Identifier: Apache-2.0
 * parse_transaction.c - BEGIN, COMMIT, ROLLBACK, savepoints, with PostgreSQL's options. */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_isolation(Parser *p, AstTransaction *transaction) {
    TRY(parse__expect_keyword(p, KW_LEVEL));
    if (parse__accept_keyword(p, KW_SERIALIZABLE)) {
        transaction->isolation = AST_SERIALIZABLE;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_REPEATABLE)) {
        transaction->isolation = AST_REPEATABLE_READ;
        return parse__expect_keyword(p, KW_READ);
    }
    TRY(parse__expect_keyword(p, KW_READ));
    if (parse__accept_keyword(p, KW_COMMITTED)) {
        transaction->isolation = AST_READ_COMMITTED;
        return ERR_OK;
    }
    transaction->isolation = AST_READ_UNCOMMITTED;
    return parse__expect_keyword(p, KW_UNCOMMITTED);
}

static ErrorCode parse_mode(Parser *p, AstTransaction *transaction, bool *found_out) {
    *found_out = true;
    if (parse__accept_keyword(p, KW_ISOLATION)) {
        return parse_isolation(p, transaction);
    }
    if (parse__accept_keyword(p, KW_READ)) {
        transaction->access = parse__at_keyword(p, KW_ONLY) ? AST_READ_ONLY : AST_READ_WRITE;
        return parse__accept_keyword(p, KW_ONLY) ? ERR_OK : parse__expect_keyword(p, KW_WRITE);
    }
    if (parse__accept_keyword(p, KW_DEFERRABLE)) {
        transaction->deferrable = AST_DEFERRABLE;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_NOT)) {
        transaction->deferrable = AST_NOT_DEFERRABLE;
        return parse__expect_keyword(p, KW_DEFERRABLE);
    }
    *found_out = false;
    return ERR_OK;
}

ErrorCode parse__transaction_modes(Parser *p, AstTransaction *transaction) {
    for (;;) {
        bool found = false;
        bool comma = parse__accept_mark(p, ",");
        TRY(parse_mode(p, transaction, &found));
        if (!found) {
            return comma ? parse__expected(p, "a transaction mode") : ERR_OK;
        }
    }
}

static void skip_work(Parser *p) {
    if (!parse__accept_keyword(p, KW_WORK)) {
        (void)parse__accept_keyword(p, KW_TRANSACTION);
    }
}

/* [AND [NO] CHAIN] */
static ErrorCode parse_chain(Parser *p, AstTransaction *transaction) {
    if (!parse__accept_keyword(p, KW_AND)) {
        return ERR_OK;
    }
    transaction->chain = !parse__accept_keyword(p, KW_NO);
    return parse__expect_keyword(p, KW_CHAIN);
}

ErrorCode parse__quoted_id(Parser *p, const char *what, AstName *name_out) {
    if (p->token.kind != TOKEN_STRING) {
        return parse__expected(p, what);
    }
    *name_out = (AstName){.text = p->token.text, .span = parse__span(p), .from_string = true};
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode parse_gid(Parser *p, AstTransaction *transaction) { return parse__quoted_id(p, "a transaction id in quotes", &transaction->name); }

static ErrorCode parse_end(Parser *p, bool commit, AstTransaction *transaction) {
    if (parse__accept_keyword(p, KW_PREPARED)) {
        transaction->kind = commit ? AST_COMMIT_PREPARED : AST_ROLLBACK_PREPARED;
        return parse_gid(p, transaction);
    }
    transaction->kind = commit ? AST_COMMIT : AST_ROLLBACK;
    skip_work(p);
    if (!commit && parse__accept_keyword(p, KW_TO)) {
        transaction->kind = AST_ROLLBACK_TO;
        (void)parse__accept_keyword(p, KW_SAVEPOINT);
        return parse__name(p, &transaction->name, "a savepoint name");
    }
    return parse_chain(p, transaction);
}

ErrorCode parse__transaction(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_TRANSACTION_STATEMENT, p->token.at);
    AstTransaction *transaction = arena_new(p->arena, AstTransaction);
    *statement_out = statement;
    statement->as.transaction = transaction;
    Keyword keyword = (Keyword)p->token.keyword;
    parse__advance(p);
    switch (keyword) {
    case KW_BEGIN:
        transaction->kind = AST_BEGIN;
        skip_work(p);
        return parse__transaction_modes(p, transaction);
    case KW_START:
        transaction->kind = AST_START_TRANSACTION;
        TRY(parse__expect_keyword(p, KW_TRANSACTION));
        return parse__transaction_modes(p, transaction);
    case KW_COMMIT:
    case KW_END: return parse_end(p, true, transaction);
    case KW_ROLLBACK:
    case KW_ABORT: return parse_end(p, false, transaction);
    case KW_SAVEPOINT: transaction->kind = AST_SAVEPOINT; return parse__name(p, &transaction->name, "a savepoint name");
    case KW_RELEASE:
        transaction->kind = AST_RELEASE;
        (void)parse__accept_keyword(p, KW_SAVEPOINT);
        return parse__name(p, &transaction->name, "a savepoint name");
    default:
        assert(keyword == KW_PREPARE);
        transaction->kind = AST_PREPARE_TRANSACTION;
        TRY(parse__expect_keyword(p, KW_TRANSACTION));
        return parse_gid(p, transaction);
    }
}

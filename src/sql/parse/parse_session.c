/* SPDX-License-Identifier: Apache-2.0
 * parse_session.c - SET, RESET, SHOW, EXPLAIN, PREPARE, EXECUTE, DEALLOCATE.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* ---------------------------------------------------------------- SET, RESET */

static AstNames one_name(Parser *p, Str text, Span span) {
    AstName name = {.text = text, .span = span};
    return (AstNames){.parts = parse__new_name(p, name), .count = 1, .span = span};
}

/* A value of SET: words are strings, numbers keep their sign. */
static ErrorCode parse_set_value(Parser *p, AstExpr **value_out) {
    bool word = p->token.kind == TOKEN_WORD && !parse__peek_mark(p, "(") && !parse__at_keyword(p, KW_INTERVAL);
    if (word || p->token.kind == TOKEN_QUOTED) {
        Span span = parse__span(p);
        Str text = p->token.text;
        parse__advance(p);
        return parse__new_text(p, AST_STRING, span, text, value_out);
    }
    return p->token.kind == TOKEN_SUFFIXED ? parse__span_literal(p, value_out, "a value") : parse__expr(p, value_out);
}

static ErrorCode parse_set_values(Parser *p, AstSet *set) {
    if (parse__accept_keyword(p, KW_DEFAULT)) {
        set->kind = AST_SET_DEFAULT;
        return ERR_OK;
    }
    size_t mark = list_begin(p);
    do {
        AstExpr *value = NULL;
        TRY(parse_set_value(p, &value));
        list_push(p, &value, sizeof value);
    } while (parse__accept_mark(p, ","));
    set->values = list_end(p, mark, AstExpr *, &set->value_count);
    return ERR_OK;
}

/* SET TIME ZONE z, SET NAMES x, SET ROLE r, SET SESSION AUTHORIZATION r: settings in other words. */
static ErrorCode parse_set_special(Parser *p, AstSet *set, bool *found_out) {
    Span span = parse__span(p);
    *found_out = true;
    if (parse__at_keyword(p, KW_TIME) && parse__peek_keyword(p, KW_ZONE)) {
        parse__advance(p);
        parse__advance(p);
        set->name = one_name(p, STR("timezone"), span);
        if (parse__accept_keyword(p, KW_LOCAL)) {
            set->kind = AST_SET_DEFAULT;
            return ERR_OK;
        }
        return parse_set_values(p, set);
    }
    const Token *next = parse__peek(p);
    bool value_follows = next->kind == TOKEN_STRING || next->kind == TOKEN_WORD || next->kind == TOKEN_QUOTED;
    bool names = parse__at_word(p, STR("names"));
    if ((names || parse__at_keyword(p, KW_ROLE) || parse__at_keyword(p, KW_AUTHORIZATION) || parse__at_keyword(p, KW_SCHEMA)) && value_follows &&
        !token_is_keyword(next, KW_TO)) {
        Str name = names                              ? STR("client_encoding")
                   : parse__at_keyword(p, KW_ROLE)    ? STR("role")
                   : parse__at_keyword(p, KW_SCHEMA)  ? STR("search_path")
                                                      : STR("session_authorization");
        parse__advance(p);
        set->name = one_name(p, name, span);
        return parse_set_values(p, set);
    }
    *found_out = false;
    return ERR_OK;
}

static ErrorCode set_transaction(Parser *p, bool session_characteristics, AstStatement *statement) {
    statement->kind = AST_TRANSACTION_STATEMENT;
    statement->as.transaction = arena_new(p->arena, AstTransaction);
    statement->as.transaction->kind = AST_SET_TRANSACTION;
    statement->as.transaction->session_characteristics = session_characteristics;
    if (!session_characteristics && parse__accept_keyword(p, KW_SNAPSHOT)) {
        return parse__quoted_id(p, "a snapshot id in quotes", &statement->as.transaction->name);
    }
    return parse__transaction_modes(p, statement->as.transaction);
}

static bool at_setting_of(Parser *p, Keyword word) { /* SET LOCAL x, but SET local = 1 */
    const Token *next = parse__peek(p);
    return parse__at_keyword(p, word) && next->kind == TOKEN_WORD && !token_is_keyword(next, KW_TO);
}

ErrorCode parse__set(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_SET_STATEMENT, p->token.at);
    AstSet *set = arena_new(p->arena, AstSet);
    *statement_out = statement;
    statement->as.set = set;
    parse__advance(p);
    if (at_setting_of(p, KW_LOCAL)) {
        set->local = parse__accept_keyword(p, KW_LOCAL);
        (void)(parse__peek_keyword(p, KW_AUTHORIZATION) && parse__accept_keyword(p, KW_SESSION));
    } else if (at_setting_of(p, KW_SESSION)) {
        set->session = parse__accept_keyword(p, KW_SESSION);
        if (parse__accept_word(p, STR("characteristics"))) {
            TRY(parse__expect_keyword(p, KW_AS));
            TRY(parse__expect_keyword(p, KW_TRANSACTION));
            return set_transaction(p, true, statement);
        }
    }
    if (parse__at_keyword(p, KW_TRANSACTION) && parse__peek(p)->kind == TOKEN_WORD) {
        parse__advance(p);
        return set_transaction(p, false, statement);
    }
    if (parse__at_word(p, STR("constraints")) && (parse__peek(p)->kind == TOKEN_WORD || parse__peek(p)->kind == TOKEN_QUOTED) && !token_is_keyword(parse__peek(p), KW_TO)) {
        statement->kind = AST_UTILITY_STATEMENT;
        statement->as.utility = arena_new(p->arena, AstUtility);
        return parse__set_constraints(p, statement->as.utility);
    }
    bool found = false;
    TRY(parse_set_special(p, set, &found));
    if (found) {
        return ERR_OK;
    }
    TRY(parse__names(p, &set->name, "the name of a setting"));
    if (parse__at_keyword(p, KW_FROM) && p->in_object_setting) {
        return ERR_OK; /* ALTER ROLE … SET x FROM CURRENT */
    }
    if (parse__at_operator(p, "=")) {
        parse__advance(p);
    } else {
        TRY(parse__expect_keyword(p, KW_TO));
    }
    return parse_set_values(p, set);
}

ErrorCode parse__reset(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_SET_STATEMENT, p->token.at);
    AstSet *set = arena_new(p->arena, AstSet);
    *statement_out = statement;
    statement->as.set = set;
    set->kind = AST_RESET;
    parse__advance(p);
    Span span = parse__span(p);
    if (parse__accept_keyword(p, KW_ALL)) {
        set->kind = AST_RESET_ALL;
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_TIME) && parse__peek_keyword(p, KW_ZONE)) {
        parse__advance(p);
        parse__advance(p);
        set->name = one_name(p, STR("timezone"), span);
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_SESSION) && parse__peek_keyword(p, KW_AUTHORIZATION)) {
        parse__advance(p);
        parse__advance(p);
        set->name = one_name(p, STR("session_authorization"), span);
        return ERR_OK;
    }
    return parse__names(p, &set->name, "the name of a setting");
}

/* ---------------------------------------------------------------- SHOW */

static ErrorCode parse_show_create(Parser *p, AstShow *show) {
    show->kind = AST_SHOW_CREATE;
    parse__advance(p);
    if (parse__at_keyword(p, KW_MATERIALIZED) || parse__at_keyword(p, KW_LIVE)) {
        show->object = parse__at_keyword(p, KW_LIVE) ? STR("live view") : STR("materialized view");
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_VIEW));
    } else if (parse__at_keyword(p, KW_DATABASE)) {
        return parse__not_supported(p, "SHOW CREATE DATABASE");
    } else {
        show->object = parse__at_keyword(p, KW_VIEW) ? STR("view") : STR("table");
        if (!parse__accept_keyword(p, KW_VIEW)) {
            TRY(parse__expect_keyword(p, KW_TABLE));
        }
    }
    return parse__table_name(p, &show->name);
}

static bool at_columns_from(Parser *p) {
    return (parse__at_keyword(p, KW_COLUMNS) || parse__at_keyword(p, KW_PARTITIONS)) &&
           (parse__peek_keyword(p, KW_FROM) || parse__peek_keyword(p, KW_IN));
}

/* SHOW a.b, SHOW TRANSACTION ISOLATION LEVEL, SHOW TIME ZONE, SHOW SESSION AUTHORIZATION: words up to the end are one name. */
static ErrorCode parse_show_setting(Parser *p, AstShow *show) {
    Span span = parse__span(p);
    show->kind = AST_SHOW_SETTING;
    if (parse__at_keyword(p, KW_TIME) && parse__peek_keyword(p, KW_ZONE)) {
        parse__advance(p);
        parse__advance(p);
        show->name = one_name(p, STR("timezone"), span);
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_TRANSACTION) && parse__peek_keyword(p, KW_ISOLATION)) {
        parse__advance(p);
        parse__advance(p);
        show->name = one_name(p, STR("transaction_isolation"), span);
        return parse__expect_keyword(p, KW_LEVEL);
    }
    if (parse__at_keyword(p, KW_SESSION) && parse__peek_keyword(p, KW_AUTHORIZATION)) {
        parse__advance(p);
        parse__advance(p);
        show->name = one_name(p, STR("session_authorization"), span);
        return ERR_OK;
    }
    return parse__names(p, &show->name, "the name of a setting, TABLES, COLUMNS FROM or CREATE TABLE");
}

ErrorCode parse__show(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_SHOW_STATEMENT, p->token.at);
    AstShow *show = arena_new(p->arena, AstShow);
    *statement_out = statement;
    statement->as.show = show;
    parse__advance(p);
    if (parse__accept_keyword(p, KW_ALL)) {
        show->kind = AST_SHOW_ALL;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_TABLES)) {
        show->kind = AST_SHOW_TABLES;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_PARAMETERS)) {
        show->kind = AST_SHOW_PARAMETERS;
        return ERR_OK;
    }
    if (at_columns_from(p)) {
        show->kind = parse__at_keyword(p, KW_COLUMNS) ? AST_SHOW_COLUMNS : AST_SHOW_PARTITIONS;
        parse__advance(p);
        parse__advance(p);
        return parse__table_name(p, &show->name);
    }
    if (parse__at_keyword(p, KW_CREATE)) {
        return parse_show_create(p, show);
    }
    return parse_show_setting(p, show);
}

/* ---------------------------------------------------------------- EXPLAIN */

static bool option_is_on(const AstOption *option) {
    if (option->value == NULL) {
        return true;
    }
    if (option->value->kind == AST_BOOLEAN) {
        return option->value->as.boolean;
    }
    bool text = option->value->kind == AST_STRING || option->value->kind == AST_INTEGER;
    return !text || (!str_equal_ignore_case(option->value->as.text, STR("off")) && !str_equal(option->value->as.text, STR("0")));
}

static ErrorCode take_explain_option(Parser *p, AstExplain *explain, const AstOption *option) {
    Str name = option->name.text;
    if (str_equal_ignore_case(name, STR("analyze")) || str_equal_ignore_case(name, STR("analyse"))) {
        explain->analyze = option_is_on(option);
    } else if (str_equal_ignore_case(name, STR("verbose"))) {
        explain->verbose = option_is_on(option);
    } else if (str_equal_ignore_case(name, STR("costs"))) {
        explain->costs_off = !option_is_on(option);
    } else if (str_equal_ignore_case(name, STR("format"))) {
        bool text = option->value != NULL && option->value->kind == AST_STRING;
        explain->format = text ? parse__lower(p, option->value->as.text) : (Str){0};
    } else {
        static const Str known[] = {{"buffers", 7}, {"timing", 6}, {"summary", 7}, {"settings", 8}, {"wal", 3}, {"generic_plan", 12}, {"memory", 6}, {"serialize", 9}};
        for (size_t i = 0; i < COUNT_OF(known); i++) {
            if (str_equal_ignore_case(name, known[i])) {
                return ERR_OK;
            }
        }
        return error_set(p->err, ERR_SYNTAX, option->name.span.at, "unrecognized EXPLAIN option \"%.*s\"", (int)MIN_OF(name.len, 40), name.data);
    }
    return ERR_OK;
}

ErrorCode parse__explain(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_EXPLAIN_STATEMENT, p->token.at);
    AstExplain *explain = arena_new(p->arena, AstExplain);
    *statement_out = statement;
    statement->as.explain = explain;
    parse__advance(p);
    if (parse__at_mark(p, "(") && !parse__at_query(p, true) && !parse__peek_mark(p, "(")) {
        TRY(parse__options(p, &explain->options, &explain->option_count));
        for (uint32_t i = 0; i < explain->option_count; i++) {
            TRY(take_explain_option(p, explain, &explain->options[i]));
        }
    } else {
        explain->analyze = parse__accept_keyword(p, KW_ANALYZE) || parse__accept_keyword(p, KW_ANALYSE);
        explain->verbose = parse__accept_keyword(p, KW_VERBOSE);
    }
    return parse__statement(p, &explain->statement);
}

/* ---------------------------------------------------------------- PREPARE, EXECUTE, DEALLOCATE */

ErrorCode parse__prepare(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_PREPARE_STATEMENT, p->token.at);
    AstPrepare *prepare = arena_new(p->arena, AstPrepare);
    *statement_out = statement;
    statement->as.prepare = prepare;
    parse__advance(p);
    TRY(parse__name(p, &prepare->name, "a statement name"));
    if (parse__at_mark(p, "(")) {
        Token open = p->token;
        parse__advance(p);
        size_t mark = list_begin(p);
        do {
            AstType *type = NULL;
            TRY(parse__type(p, &type));
            list_push(p, &type, sizeof type);
        } while (parse__accept_mark(p, ","));
        prepare->types = list_end(p, mark, AstType *, &prepare->type_count);
        TRY(parse__expect_close(p, open));
    }
    TRY(parse__expect_keyword(p, KW_AS));
    uint32_t at = p->token.at;
    TRY(parse__statement(p, &prepare->statement));
    prepare->text = parse__source(p, at);
    return ERR_OK;
}

ErrorCode parse__execute(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_EXECUTE_STATEMENT, p->token.at);
    AstExecute *execute = arena_new(p->arena, AstExecute);
    *statement_out = statement;
    statement->as.execute = execute;
    parse__advance(p);
    TRY(parse__name(p, &execute->name, "a statement name"));
    if (!parse__at_mark(p, "(")) {
        return ERR_OK;
    }
    Token open = p->token;
    parse__advance(p);
    if (!parse__at_mark(p, ")")) {
        TRY(parse__expr_list(p, &execute->args, &execute->arg_count));
    }
    return parse__expect_close(p, open);
}

ErrorCode parse__deallocate(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_DEALLOCATE_STATEMENT, p->token.at);
    AstDeallocate *deallocate = arena_new(p->arena, AstDeallocate);
    *statement_out = statement;
    statement->as.deallocate = deallocate;
    parse__advance(p);
    (void)parse__accept_keyword(p, KW_PREPARE);
    if (parse__accept_keyword(p, KW_ALL)) {
        deallocate->all = true;
        return ERR_OK;
    }
    return parse__name(p, &deallocate->name, "a statement name or ALL");
}

/* SPDX-License-Identifier: Apache-2.0
 * parse_utility.c - CHECKPOINT, VACUUM, ANALYZE and other statements of one word and a few names. */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_name_tail(Parser *p, AstUtility *utility) {
    if (!parse__at_name(p) && p->token.kind != TOKEN_STRING) {
        return ERR_OK;
    }
    size_t mark = list_begin(p);
    do {
        AstNames names = {0};
        TRY(parse__table_name(p, &names));
        if (parse__at_mark(p, "(")) { /* ANALYZE t (a, b) */
            AstName *columns = NULL;
            uint32_t count = 0;
            TRY(parse__name_list(p, &columns, &count, "a column name"));
        }
        list_push(p, &names, sizeof names);
    } while (parse__accept_mark(p, ","));
    utility->names = list_end(p, mark, AstNames, &utility->count);
    return ERR_OK;
}

static ErrorCode parse_vacuum(Parser *p, AstUtility *utility) {
    if (parse__at_mark(p, "(")) {
        TRY(parse__options(p, &utility->options, &utility->option_count));
    }
    while (parse__accept_keyword(p, KW_FULL) || parse__accept_keyword(p, KW_FREEZE) || parse__accept_keyword(p, KW_VERBOSE) ||
           parse__accept_keyword(p, KW_ANALYZE) || parse__accept_keyword(p, KW_ANALYSE) || parse__accept_keyword(p, KW_TABLE)) {
    }
    return parse_name_tail(p, utility);
}

ErrorCode parse__set_constraints(Parser *p, AstUtility *utility) {
    parse__advance(p);
    if (!parse__accept_keyword(p, KW_ALL)) {
        TRY(parse_name_tail(p, utility));
    }
    bool deferred = parse__accept_keyword(p, KW_DEFERRED);
    utility->what = deferred ? STR("set constraints deferred") : STR("set constraints immediate");
    return deferred ? ERR_OK : parse__expect_keyword(p, KW_IMMEDIATE);
}

/* REINDEX [(options)] INDEX | TABLE | SCHEMA | DATABASE | SYSTEM [CONCURRENTLY] [name] */
static ErrorCode parse_reindex(Parser *p, AstUtility *utility) {
    static const char *const OBJECTS[] = {"index", "table", "schema", "database", "system"};
    if (parse__at_mark(p, "(")) {
        TRY(parse__options(p, &utility->options, &utility->option_count));
    }
    for (size_t i = 0; i < COUNT_OF(OBJECTS); i++) {
        if (parse__at_word(p, str_from_c(OBJECTS[i]))) {
            utility->what = arena_format(p->arena, "reindex %s", OBJECTS[i]);
            parse__advance(p);
            (void)parse__accept_keyword(p, KW_CONCURRENTLY);
            return parse_name_tail(p, utility);
        }
    }
    return parse__expected(p, "INDEX, TABLE, SCHEMA, DATABASE or SYSTEM");
}

static ErrorCode parse_checkpoint(Parser *p, AstUtility *utility) {
    if (parse__accept_keyword(p, KW_CREATE)) {
        utility->what = STR("checkpoint create");
    } else if (parse__accept_keyword(p, KW_RELEASE)) {
        utility->what = STR("checkpoint release");
    }
    return ERR_OK;
}

static ErrorCode parse_discard(Parser *p, AstUtility *utility) {
    Str word = parse__lower(p, p->token.text);
    bool temp = str_equal(word, STR("temp")) || str_equal(word, STR("temporary"));
    if (!temp && !str_equal(word, STR("all")) && !str_equal(word, STR("plans")) && !str_equal(word, STR("sequences"))) {
        return parse__expected(p, "ALL, PLANS, SEQUENCES or TEMP");
    }
    utility->what = arena_format(p->arena, "discard %.*s", STR_ARG(temp ? STR("temp") : word));
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode parse_channel(Parser *p, AstUtility *utility) {
    if (parse__at_operator(p, "*")) {
        parse__advance(p);
        return ERR_OK;
    }
    TRY(parse_name_tail(p, utility));
    return parse__accept_mark(p, ",") ? parse__expr(p, &utility->argument) : ERR_OK;
}

static ErrorCode parse_cancel(Parser *p, AstUtility *utility) {
    utility->what = STR("cancel query");
    if (!parse__accept_word(p, STR("query"))) {
        return parse__expected(p, "QUERY");
    }
    return parse__expr(p, &utility->argument);
}

typedef struct UtilityRow { Keyword keyword; ErrorCode (*parse)(Parser *p, AstUtility *utility); const char *refused; } UtilityRow;
static const UtilityRow utility_rows[] = {
    {KW_CHECKPOINT, parse_checkpoint, NULL}, {KW_VACUUM, parse_vacuum, NULL},     {KW_ANALYZE, parse_vacuum, NULL},
    {KW_ANALYSE, parse_vacuum, NULL},        {KW_DISCARD, parse_discard, NULL},   {KW_LISTEN, parse_channel, NULL},
    {KW_UNLISTEN, parse_channel, NULL},      {KW_NOTIFY, parse_channel, NULL},    {KW_CANCEL, parse_cancel, NULL},
    {KW_MERGE, NULL, "MERGE"}, 
    {KW_DO, NULL, "DO"},                     {KW_CALL, NULL, "CALL"},             {KW_REINDEX, parse_reindex, NULL},
    {KW_CLUSTER, NULL, "CLUSTER"},           {KW_REFRESH, NULL, "REFRESH MATERIALIZED VIEW"}, {KW_SECURITY, NULL, "SECURITY LABEL"},
    {KW_SNAPSHOT, NULL, "SNAPSHOT"},     {KW_BACKUP, NULL, "BACKUP"},
    {KW_COMPILE, NULL, "COMPILE VIEW"},
    {KW_LOAD, NULL, "LOAD"},
};

ErrorCode parse__utility(Parser *p, bool *found_out, AstStatement **statement_out) {
    *found_out = false;
    for (size_t i = 0; i < COUNT_OF(utility_rows); i++) {
        const UtilityRow *row = &utility_rows[i];
        if (!parse__at_keyword(p, row->keyword)) {
            continue;
        }
        const Token *next = parse__peek(p);
        bool reserved = keyword_class(row->keyword) == KEYWORD_RESERVED;
        bool alone = row->parse == NULL && next->kind != TOKEN_WORD && next->kind != TOKEN_QUOTED && next->kind != TOKEN_STRING;
        if (alone && !reserved) {
            return ERR_OK; /* a table of that name: `comment;` */
        }
        *found_out = true;
        if (row->parse == NULL) {
            return parse__not_supported(p, row->refused);
        }
        AstStatement *statement = parse__new_statement(p, AST_UTILITY_STATEMENT, p->token.at);
        *statement_out = statement;
        statement->as.utility = arena_new(p->arena, AstUtility);
        statement->as.utility->what = keyword_text(row->keyword);
        parse__advance(p);
        return row->parse(p, statement->as.utility);
    }
    return ERR_OK;
}

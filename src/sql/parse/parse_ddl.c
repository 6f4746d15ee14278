/* SPDX-License-Identifier: Apache-2.0
 * parse_ddl.c - CREATE of everything but tables' insides, DROP, TRUNCATE, RENAME TABLE.
 *
 * Why:   objects that Basalt does not have are refused here by name, with a position, as soon as they are recognised.
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

ErrorCode parse__if_exists(Parser *p, bool *found_out) {
    *found_out = false;
    if (parse__at_keyword(p, KW_IF) && parse__peek_keyword(p, KW_EXISTS)) {
        parse__advance(p);
        parse__advance(p);
        *found_out = true;
    }
    return ERR_OK;
}

ErrorCode parse__if_not_exists(Parser *p, bool *found_out) {
    *found_out = false;
    if (parse__at_keyword(p, KW_IF) && parse__peek_keyword(p, KW_NOT)) {
        parse__advance(p);
        parse__advance(p);
        *found_out = true;
        return parse__expect_keyword(p, KW_EXISTS);
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- CREATE VIEW, INDEX, SCHEMA */

static ErrorCode parse_view_query(Parser *p, AstCreateView *view) {
    TRY(parse__expect_keyword(p, KW_AS));
    uint32_t at = p->token.at;
    TRY(parse__definition_query(p, &view->as));
    view->as_text = parse__source(p, at);
    if (parse__at_keyword(p, KW_WITH)) { /* WITH CHECK OPTION */
        return parse__not_supported(p, "WITH CHECK OPTION");
    }
    if (!view->materialized && !view->live) {
        return ERR_OK;
    }
    at = p->token.at;
    while (p->token.kind != TOKEN_END && !parse__at_mark(p, ";")) {
        parse__advance(p);
    }
    view->tail = p->previous_end > at ? parse__source(p, at) : (Str){0};
    return ERR_OK;
}

/* CREATE RECURSIVE VIEW v (a, b) AS query is CREATE VIEW v AS WITH RECURSIVE v (a, b) AS (query) SELECT a, b FROM v. */
static void make_recursive(Parser *p, AstCreateView *view) {
    const AstName *name = &view->name.parts[view->name.count - 1];
    AstWith *with = arena_new(p->arena, AstWith);
    AstSelect *outer = arena_new(p->arena, AstSelect);
    AstStatement *inner = parse__new_statement(p, AST_SELECT_STATEMENT, view->as->span.at);
    inner->as.select = view->as;
    *with = (AstWith){.ctes = arena_new(p->arena, AstCte), .count = 1, .recursive = true, .span = view->as->span};
    *with->ctes = (AstCte){.name = *name, .columns = view->columns, .column_count = view->column_count, .statement = inner};
    AstFrom *from = arena_new(p->arena, AstFrom);
    *from = (AstFrom){.kind = AST_FROM_TABLE, .span = view->as->span, .as.table = {.parts = parse__new_name(p, *name), .count = 1, .span = name->span}};
    *outer = (AstSelect){.kind = AST_SELECT_QUERY, .depth = (uint16_t)(view->as->depth + 1), .span = view->as->span, .with = with, .item_count = view->column_count, .from_count = 1};
    outer->items = arena_array(p->arena, AstSelectItem, view->column_count + 1u);
    outer->from = arena_array(p->arena, AstFrom *, 1);
    outer->from[0] = from;
    for (uint32_t i = 0; i < view->column_count; i++) {
        AstExpr *column = arena_new(p->arena, AstExpr);
        *column = (AstExpr){.kind = AST_NAME, .depth = 1, .span = view->columns[i].span, .as.names = {.parts = &view->columns[i], .count = 1, .span = view->columns[i].span}};
        outer->items[i] = (AstSelectItem){.expr = column, .span = view->columns[i].span};
    }
    view->as = outer;
}

static ErrorCode parse_create_view(Parser *p, AstCreateView *view) {
    TRY(parse__if_not_exists(p, &view->if_not_exists));
    TRY(parse__table_name(p, &view->name));
    view->temporary = view->temporary || (view->name.count == 2 && str_equal(view->name.parts[0].text, STR("pg_temp")));
    if (view->recursive && !parse__at_mark(p, "(")) {
        return parse__expected(p, "(");
    }
    if (parse__at_mark(p, "(")) {
        TRY(parse__name_list(p, &view->columns, &view->column_count, "a column name"));
    }
    while (!parse__at_keyword(p, KW_AS) && (view->materialized || view->live) && p->token.kind != TOKEN_END) {
        parse__advance(p); /* REFRESH ..., WITH BASE ..., PERIOD (...): the statement is refused by name later */
    }
    if (parse__at_keyword(p, KW_WITH) && parse__peek_mark(p, "(")) {
        return parse__not_supported(p, "an option of a view");
    }
    TRY(parse_view_query(p, view));
    if (view->recursive) {
        make_recursive(p, view);
    }
    return ERR_OK;
}

/* (column [opclass] [ASC|DESC], (expression), ...) */
static ErrorCode parse_index_keys(Parser *p, AstCreateIndex *index) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    size_t mark = list_begin(p);
    do {
        AstSortKey key = {0};
        TRY(parse__expr(p, &key.expr));
        if (parse__at_name(p) && !parse__at_keyword(p, KW_NULLS)) { /* operator class */
            AstNames class = {0};
            TRY(parse__names(p, &class, "an operator class"));
        }
        key.descending = parse__accept_keyword(p, KW_DESC);
        (void)parse__accept_keyword(p, KW_ASC);
        if (parse__accept_keyword(p, KW_NULLS)) {
            key.nulls_given = true;
            key.nulls_first = parse__at_keyword(p, KW_FIRST);
            parse__advance(p);
        }
        list_push(p, &key, sizeof key);
    } while (parse__accept_mark(p, ","));
    index->keys = list_end(p, mark, AstSortKey, &index->key_count);
    return parse__expect_close(p, open);
}

static ErrorCode parse_create_index(Parser *p, AstCreateIndex *index) {
    index->concurrently = parse__accept_keyword(p, KW_CONCURRENTLY);
    TRY(parse__if_not_exists(p, &index->if_not_exists));
    if (!parse__at_keyword(p, KW_ON)) {
        AstName name = {0};
        TRY(parse__name(p, &name, "an index name"));
        index->name = parse__new_name(p, name);
    }
    TRY(parse__expect_keyword(p, KW_ON));
    (void)parse__accept_keyword(p, KW_ONLY);
    TRY(parse__table_name(p, &index->table));
    if (parse__accept_keyword(p, KW_USING)) {
        AstName method = {0};
        TRY(parse__name(p, &method, "an index method"));
        index->method = parse__new_name(p, method);
    }
    TRY(parse_index_keys(p, index));
    if (parse__accept_keyword(p, KW_INCLUDE)) {
        TRY(parse__name_list(p, &index->include, &index->include_count, "a column name"));
    }
    if (parse__at_keyword(p, KW_NULLS)) {
        parse__advance(p);
        index->nulls_not_distinct = parse__accept_keyword(p, KW_NOT);
        TRY(parse__expect_keyword(p, KW_DISTINCT));
    }
    if (parse__accept_keyword(p, KW_WITH)) {
        TRY(parse__options(p, &index->options, &index->option_count));
    }
    return parse__accept_keyword(p, KW_WHERE) ? parse__expr(p, &index->where) : ERR_OK;
}

static ErrorCode parse_create_schema(Parser *p, AstCreateSchema *schema) {
    TRY(parse__if_not_exists(p, &schema->if_not_exists));
    if (!parse__at_keyword(p, KW_AUTHORIZATION)) {
        TRY(parse__names(p, &schema->name, "a schema name"));
    }
    if (parse__accept_keyword(p, KW_AUTHORIZATION)) {
        AstName owner = {0};
        TRY(parse__name(p, &owner, "a role name"));
        schema->owner = parse__new_name(p, owner);
        if (schema->name.count == 0) {
            schema->name = (AstNames){.parts = schema->owner, .count = 1, .span = owner.span};
        }
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- CREATE */

typedef struct CreateWords {
    bool or_replace, temporary, unlogged, unique, materialized, recursive, atomic, live;
    AstExpr *batch, *o3_max_lag;
} CreateWords;

static ErrorCode take_create_words(Parser *p, CreateWords *words) {
    for (;;) {
        if (parse__at_keyword(p, KW_OR) && parse__peek_keyword(p, KW_REPLACE)) {
            parse__advance(p);
            parse__advance(p);
            words->or_replace = true;
        } else if (parse__accept_keyword(p, KW_TEMP) || parse__accept_keyword(p, KW_TEMPORARY)) {
            words->temporary = true;
        } else if (parse__accept_keyword(p, KW_GLOBAL) || parse__accept_keyword(p, KW_LOCAL)) {
            continue;
        } else if (parse__accept_keyword(p, KW_UNLOGGED)) {
            words->unlogged = true;
        } else if (parse__accept_keyword(p, KW_UNIQUE)) {
            words->unique = true;
        } else if (parse__accept_keyword(p, KW_MATERIALIZED)) {
            words->materialized = true;
        } else if (parse__accept_keyword(p, KW_RECURSIVE)) {
            words->recursive = true;
        } else if (parse__accept_keyword(p, KW_ATOMIC)) {
            words->atomic = true;
        } else if (parse__accept_keyword(p, KW_LIVE)) {
            words->live = true;
        } else if (parse__accept_keyword(p, KW_BATCH)) {
            TRY(parse__primary(p, &words->batch));
            if (parse__accept_keyword(p, KW_O3MAXLAG)) {
                TRY(p->token.kind == TOKEN_SUFFIXED ? parse__span_literal(p, &words->o3_max_lag, "a span") : parse__primary(p, &words->o3_max_lag));
            }
        } else {
            return ERR_OK;
        }
    }
}

static ErrorCode create_table(Parser *p, const CreateWords *words, AstStatement *statement) {
    statement->kind = AST_CREATE_TABLE_STATEMENT;
    AstCreateTable *table = arena_new(p->arena, AstCreateTable);
    table->temporary = words->temporary;
    table->unlogged = words->unlogged;
    table->atomic = words->atomic;
    table->batch = words->batch;
    table->o3_max_lag = words->o3_max_lag;
    statement->as.create_table = table;
    return parse__create_table(p, table);
}

static ErrorCode create_view(Parser *p, const CreateWords *words, AstStatement *statement) {
    statement->kind = AST_CREATE_VIEW_STATEMENT;
    AstCreateView *view = arena_new(p->arena, AstCreateView);
    view->or_replace = words->or_replace;
    view->temporary = words->temporary;
    view->recursive = words->recursive;
    view->materialized = words->materialized;
    view->live = words->live;
    statement->as.create_view = view;
    return parse_create_view(p, view);
}

/* CREATE FUNCTION and the like: the word is the construct that is refused. */
static ErrorCode refuse_object(Parser *p, const char *verb) {
    if (!parse__at_label(p)) {
        return parse__expected(p, "TABLE");
    }
    bool known = p->token.keyword != NO_KEYWORD || parse__at_word(p, STR("aggregate")) || parse__at_word(p, STR("operator")) ||
                 parse__at_word(p, STR("language")) || parse__at_word(p, STR("tablespace")) || parse__at_word(p, STR("publication")) ||
                 parse__at_word(p, STR("subscription")) || parse__at_word(p, STR("server")) || parse__at_word(p, STR("event")) ||
                 parse__at_word(p, STR("rule")) || parse__at_word(p, STR("macro")) || parse__at_word(p, STR("service"));
    return known ? parse__not_supported(p, arena_format(p->arena, "%s %.*s", verb, STR_ARG(arena_upper(p->arena, p->token.text))).data)
                 : parse__expected(p, "TABLE or another kind of object");
}

static ErrorCode create_other(Parser *p, const CreateWords *words, AstStatement *statement) {
    static const Keyword roles[] = {KW_ROLE, KW_USER, KW_GROUP};
    for (size_t i = 0; i < COUNT_OF(roles); i++) {
        if (parse__accept_keyword(p, roles[i])) {
            return parse__create_role(p, keyword_text(roles[i]), statement);
        }
    }
    if (parse__accept_keyword(p, KW_SEQUENCE)) {
        statement->kind = AST_SEQUENCE_STATEMENT;
        statement->as.sequence = arena_new(p->arena, AstSequence);
        statement->as.sequence->temporary = words->temporary;
        return parse__create_sequence(p, statement->as.sequence);
    }
    if (parse__accept_keyword(p, KW_TYPE)) {
        return parse__create_type(p, statement);
    }
    if (parse__accept_keyword(p, KW_DOMAIN)) {
        return parse__create_domain(p, statement);
    }
    return parse__accept_keyword(p, KW_EXTENSION) ? parse__create_extension(p, statement) : refuse_object(p, "CREATE");
}

ErrorCode parse__create(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_CREATE_TABLE_STATEMENT, p->token.at);
    *statement_out = statement;
    parse__advance(p);
    CreateWords words = {0};
    TRY(take_create_words(p, &words));
    if (parse__accept_keyword(p, KW_TABLE)) {
        return create_table(p, &words, statement);
    }
    if (parse__accept_keyword(p, KW_VIEW)) {
        return create_view(p, &words, statement);
    }
    if (parse__accept_keyword(p, KW_INDEX)) {
        statement->kind = AST_CREATE_INDEX_STATEMENT;
        statement->as.create_index = arena_new(p->arena, AstCreateIndex);
        statement->as.create_index->unique = words.unique;
        return parse_create_index(p, statement->as.create_index);
    }
    if (parse__accept_keyword(p, KW_SCHEMA)) {
        statement->kind = AST_CREATE_SCHEMA_STATEMENT;
        statement->as.create_schema = arena_new(p->arena, AstCreateSchema);
        return parse_create_schema(p, statement->as.create_schema);
    }
    return create_other(p, &words, statement);
}

/* ---------------------------------------------------------------- DROP, TRUNCATE */

static ErrorCode parse_drop_object(Parser *p, AstDrop *drop) {
    static const Keyword objects[] = {KW_TABLE, KW_VIEW, KW_SCHEMA, KW_INDEX, KW_SEQUENCE, KW_TYPE, KW_DOMAIN, KW_EXTENSION, KW_DATABASE, KW_COLLATION,
                                      KW_ROLE, KW_USER, KW_GROUP};
    if (parse__at_keyword(p, KW_MATERIALIZED) || parse__at_keyword(p, KW_LIVE)) {
        drop->object = parse__at_keyword(p, KW_LIVE) ? STR("live view") : STR("materialized view");
        parse__advance(p);
        return parse__expect_keyword(p, KW_VIEW);
    }
    for (size_t i = 0; i < COUNT_OF(objects); i++) {
        if (parse__accept_keyword(p, objects[i])) {
            drop->object = keyword_text(objects[i]);
            return ERR_OK;
        }
    }
    return refuse_object(p, "DROP");
}

static ErrorCode parse_drop_names(Parser *p, AstDrop *drop) {
    size_t mark = list_begin(p);
    do {
        AstNames names = {0};
        TRY(parse__table_name(p, &names));
        list_push(p, &names, sizeof names);
    } while (parse__accept_mark(p, ","));
    drop->names = list_end(p, mark, AstNames, &drop->count);
    return ERR_OK;
}

static void parse_drop_behavior(Parser *p, AstDrop *drop) {
    drop->cascade = parse__accept_keyword(p, KW_CASCADE);
    drop->restrict_given = !drop->cascade && parse__accept_keyword(p, KW_RESTRICT);
}

ErrorCode parse__drop(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_DROP_STATEMENT, p->token.at);
    AstDrop *drop = arena_new(p->arena, AstDrop);
    statement->as.drop = drop;
    *statement_out = statement;
    parse__advance(p);
    if (parse__accept_keyword(p, KW_ALL)) {
        drop->object = STR("all");
        (void)parse__accept_keyword(p, KW_TABLES);
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_OWNED)) {
        return parse__owned(p, true, statement);
    }
    TRY(parse_drop_object(p, drop));
    drop->concurrently = parse__accept_keyword(p, KW_CONCURRENTLY);
    TRY(parse__if_exists(p, &drop->if_exists));
    TRY(parse_drop_names(p, drop));
    parse_drop_behavior(p, drop);
    return ERR_OK;
}

ErrorCode parse__truncate(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_TRUNCATE_STATEMENT, p->token.at);
    AstDrop *drop = arena_new(p->arena, AstDrop);
    drop->object = STR("table");
    statement->as.drop = drop;
    *statement_out = statement;
    parse__advance(p);
    (void)parse__accept_keyword(p, KW_TABLE);
    TRY(parse__if_exists(p, &drop->if_exists));
    drop->only = parse__accept_keyword(p, KW_ONLY);
    TRY(parse_drop_names(p, drop));
    if (parse__at_word(p, STR("restart")) || parse__at_word(p, STR("continue"))) {
        drop->restart_identity = parse__at_word(p, STR("restart"));
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_IDENTITY));
    }
    if (parse__at_word(p, STR("keep"))) {
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_SYMBOL));
        if (!parse__accept_word(p, STR("maps"))) {
            return parse__expected(p, "MAPS");
        }
        drop->keep_symbol_maps = true;
    }
    parse_drop_behavior(p, drop);
    return ERR_OK;
}

ErrorCode parse__rename(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_ALTER_TABLE_STATEMENT, p->token.at);
    AstAlterTable *alter = arena_new(p->arena, AstAlterTable);
    AstAlterAction *action = arena_new(p->arena, AstAlterAction);
    statement->as.alter_table = alter;
    *statement_out = statement;
    alter->object = STR("table");
    alter->renames_table_statement = true;
    alter->actions = action;
    alter->action_count = 1;
    action->kind = AST_ALTER_RENAME_TABLE;
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_TABLE));
    TRY(parse__table_name(p, &alter->table));
    TRY(parse__expect_keyword(p, KW_TO));
    AstNames names = {0};
    TRY(parse__table_name(p, &names));
    if (names.count != 1) {
        return error_set(p->err, ERR_SYNTAX, names.span.at, "syntax error: the new name has no schema");
    }
    action->new_name = names.parts[0];
    action->span = names.span;
    return ERR_OK;
}

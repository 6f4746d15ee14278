/* SPDX-License-Identifier: Apache-2.0
 * parse_alter.c - ALTER TABLE with the actions of both languages.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* The words from `at` to the statement's end or the next comma outside parentheses, for a refusal by name. */
static void skip_action(Parser *p, AstAlterAction *action, uint32_t at) {
    size_t depth = 0;
    while (p->token.kind != TOKEN_END && !parse__at_mark(p, ";") && (depth > 0 || !parse__at_mark(p, ","))) {
        depth += parse__at_mark(p, "(");
        depth -= depth > 0 && parse__at_mark(p, ")");
        parse__advance(p);
    }
    action->kind = AST_ALTER_OTHER;
    action->what = parse__source(p, at);
}

/* ---------------------------------------------------------------- ADD, DROP, RENAME */

static ErrorCode parse_add(Parser *p, AstAlterAction *action) {
    parse__advance(p);
    action->span = parse__span(p);
    bool word = parse__accept_keyword(p, KW_COLUMN);
    if (!word && (parse__at_keyword(p, KW_CONSTRAINT) || parse__at_keyword(p, KW_PRIMARY) || parse__at_keyword(p, KW_UNIQUE) ||
                  parse__at_keyword(p, KW_CHECK) || parse__at_keyword(p, KW_FOREIGN))) {
        bool found = false;
        action->kind = AST_ALTER_ADD_CONSTRAINT;
        action->constraint = arena_new(p->arena, AstConstraint);
        TRY(parse__constraint(p, true, &found, action->constraint));
        action->span = action->constraint->span;
        return found ? ERR_OK : parse__expected(p, "a constraint");
    }
    action->kind = AST_ALTER_ADD_COLUMN;
    TRY(parse__if_not_exists(p, &action->if_not_exists));
    action->definition = arena_new(p->arena, AstColumn);
    TRY(parse__column(p, action->definition));
    action->column = action->definition->name;
    action->span = action->column.span;
    return ERR_OK;
}

/* DROP|DETACH|ATTACH|CONVERT PARTITION LIST '...' | WHERE ... */
static ErrorCode parse_partitions(Parser *p, AstAlterKind kind, AstAlterAction *action) {
    action->kind = kind;
    parse__advance(p);
    if (kind == AST_ALTER_CONVERT_PARTITION && parse__accept_keyword(p, KW_TO)) {
        if (!parse__at_label(p)) {
            return parse__expected(p, "PARQUET or NATIVE");
        }
        action->what = parse__lower(p, p->token.text);
        parse__advance(p);
    }
    if (parse__accept_keyword(p, KW_WHERE)) {
        TRY(parse__expr(p, &action->expr));
    } else {
        TRY(parse__expect_keyword(p, KW_LIST));
        TRY(parse__expr_list(p, &action->list.items, &action->list.count));
    }
    if (parse__accept_keyword(p, KW_WITH)) {
        return parse__options(p, &action->options, &action->option_count);
    }
    return ERR_OK;
}

static void parse_behavior(Parser *p, AstAlterAction *action) {
    action->cascade = parse__accept_keyword(p, KW_CASCADE);
    if (!action->cascade) {
        (void)parse__accept_keyword(p, KW_RESTRICT);
    }
}

static ErrorCode parse_drop_action(Parser *p, AstAlterAction *action) {
    uint32_t at = p->token.at;
    parse__advance(p);
    if (parse__at_keyword(p, KW_PARTITION) && (parse__peek_keyword(p, KW_LIST) || parse__peek_keyword(p, KW_WHERE))) {
        return parse_partitions(p, AST_ALTER_DROP_PARTITION, action);
    }
    if (parse__at_keyword(p, KW_STORAGE)) {
        skip_action(p, action, at);
        return ERR_OK;
    }
    action->kind = parse__accept_keyword(p, KW_CONSTRAINT) ? AST_ALTER_DROP_CONSTRAINT : AST_ALTER_DROP_COLUMN;
    if (action->kind == AST_ALTER_DROP_COLUMN) {
        (void)parse__accept_keyword(p, KW_COLUMN);
    }
    TRY(parse__if_exists(p, &action->if_exists));
    TRY(parse__name(p, &action->column, "a name"));
    action->span = action->column.span;
    parse_behavior(p, action);
    return ERR_OK;
}

static ErrorCode parse_rename_action(Parser *p, AstAlterAction *action) {
    parse__advance(p);
    if (parse__accept_keyword(p, KW_TO)) {
        action->kind = AST_ALTER_RENAME_TABLE;
        action->span = parse__span(p);
        return parse__name(p, &action->new_name, "a table name");
    }
    action->kind = parse__accept_keyword(p, KW_CONSTRAINT) ? AST_ALTER_RENAME_CONSTRAINT : AST_ALTER_RENAME_COLUMN;
    if (action->kind == AST_ALTER_RENAME_COLUMN) {
        (void)parse__accept_keyword(p, KW_COLUMN);
    }
    TRY(parse__name(p, &action->column, "a column name"));
    action->span = action->column.span;
    TRY(parse__expect_keyword(p, KW_TO));
    return parse__name(p, &action->new_name, "a name");
}

/* ---------------------------------------------------------------- ALTER COLUMN */

static ErrorCode parse_column_type(Parser *p, AstAlterAction *action) {
    action->kind = AST_ALTER_COLUMN_TYPE;
    action->definition = arena_new(p->arena, AstColumn);
    action->definition->name = action->column;
    TRY(parse__type(p, &action->definition->type));
    if (parse__accept_keyword(p, KW_COLLATE)) {
        action->definition->collation = arena_new(p->arena, AstNames);
        TRY(parse__names(p, action->definition->collation, "a collation"));
    }
    TRY(parse__symbol_tail(p, action->definition));
    if (!parse__accept_keyword(p, KW_USING)) {
        return ERR_OK;
    }
    uint32_t at = p->token.at;
    TRY(parse__expr(p, &action->expr));
    action->expr_text = parse__source(p, at);
    return ERR_OK;
}

static ErrorCode parse_column_set(Parser *p, AstAlterAction *action, uint32_t at) {
    if (parse__accept_keyword(p, KW_DEFAULT)) {
        action->kind = AST_ALTER_COLUMN_DEFAULT;
        uint32_t from = p->token.at;
        TRY(parse__expr(p, &action->expr));
        action->expr_text = parse__source(p, from);
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_NOT)) {
        action->kind = AST_ALTER_COLUMN_SET_NOT_NULL;
        return parse__expect_keyword(p, KW_NULL);
    }
    if (parse__accept_keyword(p, KW_DATA)) {
        TRY(parse__expect_keyword(p, KW_TYPE));
        return parse_column_type(p, action);
    }
    skip_action(p, action, at);
    return ERR_OK;
}

static ErrorCode parse_column_drop(Parser *p, AstAlterAction *action, uint32_t at) {
    if (parse__accept_keyword(p, KW_DEFAULT)) {
        action->kind = AST_ALTER_COLUMN_DROP_DEFAULT;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_NOT)) {
        action->kind = AST_ALTER_COLUMN_DROP_NOT_NULL;
        return parse__expect_keyword(p, KW_NULL);
    }
    if (parse__accept_keyword(p, KW_INDEX)) {
        action->kind = AST_ALTER_COLUMN_DROP_INDEX;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_IDENTITY)) {
        action->kind = AST_ALTER_COLUMN_DROP_IDENTITY;
        return parse__if_exists(p, &action->if_exists);
    }
    skip_action(p, action, at);
    return ERR_OK;
}

static ErrorCode parse_column_action(Parser *p, AstAlterAction *action, uint32_t at) {
    if (parse__accept_keyword(p, KW_TYPE)) {
        return parse_column_type(p, action);
    }
    if (parse__accept_keyword(p, KW_SET)) {
        return parse_column_set(p, action, at);
    }
    if (parse__accept_keyword(p, KW_DROP)) {
        return parse_column_drop(p, action, at);
    }
    if (parse__accept_keyword(p, KW_CACHE)) {
        action->kind = AST_ALTER_COLUMN_CACHE;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_NOCACHE)) {
        action->kind = AST_ALTER_COLUMN_NOCACHE;
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_SYMBOL) && parse__peek_keyword(p, KW_CAPACITY)) {
        parse__advance(p);
        parse__advance(p);
        action->kind = AST_ALTER_COLUMN_CAPACITY;
        return parse__primary(p, &action->expr);
    }
    if (parse__at_keyword(p, KW_ADD) && parse__peek_keyword(p, KW_INDEX)) {
        parse__advance(p);
        parse__advance(p);
        action->kind = AST_ALTER_COLUMN_ADD_INDEX;
        action->index = arena_new(p->arena, AstIndexSpec);
        return parse__index_spec(p, action->index);
    }
    if (parse__at_keyword(p, KW_ADD) && parse__peek_keyword(p, KW_GENERATED)) {
        parse__advance(p);
        parse__advance(p);
        action->kind = AST_ALTER_COLUMN_ADD_IDENTITY;
        action->constraint = arena_new(p->arena, AstConstraint);
        action->constraint->span = action->span;
        return parse__identity(p, action->constraint);
    }
    if (!parse__at_label(p)) {
        return parse__expected(p, "TYPE, SET, DROP, ADD INDEX, CACHE or NOCACHE");
    }
    skip_action(p, action, at);
    return ERR_OK;
}

static ErrorCode parse_alter_column(Parser *p, AstAlterAction *action) {
    uint32_t at = p->token.at;
    parse__advance(p);
    if (parse__at_keyword(p, KW_CONSTRAINT)) {
        skip_action(p, action, at);
        return ERR_OK;
    }
    (void)parse__accept_keyword(p, KW_COLUMN);
    TRY(parse__name(p, &action->column, "a column name"));
    action->span = action->column.span;
    return parse_column_action(p, action, at);
}

/* ---------------------------------------------------------------- SET, DEDUP, WAL, the rest */

static ErrorCode parse_set_action(Parser *p, AstAlterAction *action) {
    uint32_t at = p->token.at;
    parse__advance(p);
    if (parse__accept_keyword(p, KW_PARAM)) {
        action->kind = AST_ALTER_SET_PARAM;
        return parse__bare_options(p, &action->options, &action->option_count);
    }
    if (parse__at_mark(p, "(")) {
        action->kind = AST_ALTER_SET_OPTIONS;
        return parse__options(p, &action->options, &action->option_count);
    }
    if (parse__at_keyword(p, KW_TTL)) {
        action->kind = AST_ALTER_SET_TTL;
        return parse__ttl(p, &action->ttl);
    }
    if (parse__accept_keyword(p, KW_SCHEMA)) {
        action->kind = AST_ALTER_SET_SCHEMA;
        return parse__name(p, &action->new_name, "a schema name");
    }
    if (parse__accept_keyword(p, KW_TYPE)) {
        action->kind = AST_ALTER_SET_WAL;
        action->bypass = parse__accept_keyword(p, KW_BYPASS);
        return parse__expect_keyword(p, KW_WAL);
    }
    skip_action(p, action, at);
    return ERR_OK;
}

static ErrorCode parse_dedup_action(Parser *p, AstAlterAction *action) {
    parse__advance(p);
    if (parse__accept_keyword(p, KW_DISABLE)) {
        action->kind = AST_ALTER_DEDUP_DISABLE;
        return ERR_OK;
    }
    action->kind = AST_ALTER_DEDUP_ENABLE;
    TRY(parse__expect_keyword(p, KW_ENABLE));
    TRY(parse__expect_keyword(p, KW_UPSERT));
    TRY(parse__expect_keyword(p, KW_KEYS));
    return parse__name_list(p, &action->names, &action->name_count, "a column name");
}

static ErrorCode parse_other_action(Parser *p, AstAlterAction *action) {
    uint32_t at = p->token.at;
    if (!parse__at_label(p)) {
        return parse__expected(p, "ADD, DROP, RENAME, ALTER or SET");
    }
    if (parse__at_keyword(p, KW_DETACH) || parse__at_keyword(p, KW_ATTACH) || parse__at_keyword(p, KW_CONVERT)) {
        AstAlterKind kind = parse__at_keyword(p, KW_DETACH)   ? AST_ALTER_DETACH_PARTITION
                            : parse__at_keyword(p, KW_ATTACH) ? AST_ALTER_ATTACH_PARTITION
                                                              : AST_ALTER_CONVERT_PARTITION;
        parse__advance(p);
        if (parse__at_keyword(p, KW_PARTITION) && (parse__peek_keyword(p, KW_LIST) || parse__peek_keyword(p, KW_WHERE) || parse__peek_keyword(p, KW_TO))) {
            return parse_partitions(p, kind, action);
        }
        skip_action(p, action, at);
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_SQUASH)) {
        parse__advance(p);
        action->kind = AST_ALTER_SQUASH_PARTITIONS;
        return parse__expect_keyword(p, KW_PARTITIONS);
    }
    if (parse__at_word(p, STR("validate"))) {
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_CONSTRAINT));
        action->kind = AST_ALTER_VALIDATE_CONSTRAINT;
        return parse__name(p, &action->column, "a constraint name");
    }
    if (parse__at_word(p, STR("owner"))) {
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_TO));
        action->kind = AST_ALTER_OWNER;
        return parse__label(p, &action->new_name, "a role name");
    }
    bool known = p->token.keyword != NO_KEYWORD || parse__at_word(p, STR("rebase")) || parse__at_word(p, STR("replica"));
    if (!known) {
        return parse__expected(p, "ADD, DROP, RENAME, ALTER or SET");
    }
    AstAlterKind kind = parse__at_keyword(p, KW_SUSPEND)  ? AST_ALTER_SUSPEND_WAL
                        : parse__at_keyword(p, KW_RESUME) ? AST_ALTER_RESUME_WAL
                                                          : AST_ALTER_OTHER;
    skip_action(p, action, at);
    action->kind = kind;
    return ERR_OK;
}

static ErrorCode parse_action(Parser *p, AstAlterAction *action) {
    action->span = parse__span(p);
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_ADD: return parse_add(p, action);
    case KW_DROP: return parse_drop_action(p, action);
    case KW_RENAME: return parse_rename_action(p, action);
    case KW_ALTER: return parse_alter_column(p, action);
    case KW_SET: return parse_set_action(p, action);
    case KW_DEDUP: return parse_dedup_action(p, action);
    default: return parse_other_action(p, action);
    }
}

/* ADD COLUMN a int, b text (QuestDB): the words are not said again. */
static ErrorCode parse_next_action(Parser *p, const AstAlterAction *previous, AstAlterAction *action) {
    bool verb = parse__at_keyword(p, KW_ADD) || parse__at_keyword(p, KW_DROP) || parse__at_keyword(p, KW_RENAME) ||
                parse__at_keyword(p, KW_ALTER) || parse__at_keyword(p, KW_SET);
    bool second_name = parse__peek(p)->kind == TOKEN_WORD || parse__peek(p)->kind == TOKEN_QUOTED;
    if (verb && second_name) {
        return parse_action(p, action);
    }
    *action = (AstAlterAction){.kind = previous->kind};
    if (previous->kind == AST_ALTER_ADD_COLUMN) {
        action->definition = arena_new(p->arena, AstColumn);
        TRY(parse__column(p, action->definition));
        action->column = action->definition->name;
    } else if (previous->kind == AST_ALTER_DROP_COLUMN) {
        TRY(parse__name(p, &action->column, "a column name"));
    } else if (previous->kind == AST_ALTER_RENAME_COLUMN) {
        TRY(parse__name(p, &action->column, "a column name"));
        TRY(parse__expect_keyword(p, KW_TO));
        TRY(parse__name(p, &action->new_name, "a column name"));
    } else {
        return parse_action(p, action);
    }
    action->span = action->column.span;
    return ERR_OK;
}

static ErrorCode parse_actions(Parser *p, AstAlterTable *alter) {
    size_t mark = list_begin(p);
    AstAlterAction action = {0};
    TRY(parse_action(p, &action));
    list_push(p, &action, sizeof action);
    while (parse__accept_mark(p, ",")) {
        AstAlterAction next = {0};
        TRY(parse_next_action(p, &action, &next));
        list_push(p, &next, sizeof next);
        action = next;
    }
    alter->actions = list_end(p, mark, AstAlterAction, &alter->action_count);
    return ERR_OK;
}

static ErrorCode refuse_alter(Parser *p) {
    static const struct { Keyword keyword; const char *what; } objects[] = {
        {KW_FUNCTION, "ALTER FUNCTION"},
        {KW_MATERIALIZED, "ALTER MATERIALIZED VIEW"}, {KW_EXTENSION, "ALTER EXTENSION"}, {KW_SYSTEM, "ALTER SYSTEM"},
        {KW_COLLATION, "ALTER COLLATION"}, {KW_LIVE, "ALTER LIVE VIEW"},
    };
    for (size_t i = 0; i < COUNT_OF(objects); i++) {
        if (parse__at_keyword(p, objects[i].keyword)) {
            return parse__not_supported(p, objects[i].what);
        }
    }
    return parse__at_word(p, STR("service")) ? parse__not_supported(p, "ALTER SERVICE ACCOUNT") : parse__expected(p, "TABLE");
}

/* RENAME TO, OWNER TO, SET SCHEMA, ALTER COLUMN ... of a view, sequence, schema, index, role, database */
ErrorCode parse__alter_actions(Parser *p, Str object, AstName name, AstStatement *statement) {
    AstAlterTable *alter = arena_new(p->arena, AstAlterTable);
    statement->kind = AST_ALTER_TABLE_STATEMENT;
    statement->as.alter_table = alter;
    alter->object = object;
    alter->table = (AstNames){parse__new_name(p, name), 1, name.span};
    return parse_actions(p, alter);
}

static ErrorCode alter_sequence(Parser *p, AstAlterTable *alter, AstStatement *statement) {
    bool action = parse__at_keyword(p, KW_RENAME) || parse__at_word(p, STR("owner")) || parse__at_keyword(p, KW_SET);
    if (action) {
        return parse_actions(p, alter);
    }
    AstSequence *sequence = arena_new(p->arena, AstSequence);
    statement->kind = AST_SEQUENCE_STATEMENT;
    statement->as.sequence = sequence;
    sequence->alter = true;
    sequence->if_exists = alter->if_exists;
    sequence->name = alter->table;
    return parse__sequence_options(p, &sequence->options);
}

/* Kinds of objects that have names like tables. */
static ErrorCode alter_relation(Parser *p, AstAlterTable *alter, AstStatement *statement) {
    TRY(parse__if_exists(p, &alter->if_exists));
    alter->only = str_equal(alter->object, STR("table")) && parse__accept_keyword(p, KW_ONLY);
    TRY(parse__table_name(p, &alter->table));
    bool domain = str_equal(alter->object, STR("domain"));
    if (domain || str_equal(alter->object, STR("type"))) {
        bool found = false;
        TRY((domain ? parse__alter_domain : parse__alter_type)(p, alter->table, statement, &found));
        return found ? ERR_OK : parse_actions(p, alter);
    }
    return str_equal(alter->object, STR("sequence")) ? alter_sequence(p, alter, statement) : parse_actions(p, alter);
}

ErrorCode parse__alter(Parser *p, AstStatement **statement_out) {
    static const Keyword relations[] = {KW_TABLE, KW_VIEW, KW_SEQUENCE, KW_INDEX, KW_SCHEMA, KW_TYPE, KW_DOMAIN};
    static const Keyword roles[] = {KW_ROLE, KW_USER, KW_GROUP};
    AstStatement *statement = parse__new_statement(p, AST_ALTER_TABLE_STATEMENT, p->token.at);
    AstAlterTable *alter = arena_new(p->arena, AstAlterTable);
    statement->as.alter_table = alter;
    *statement_out = statement;
    parse__advance(p);
    for (size_t i = 0; i < COUNT_OF(relations); i++) {
        if (parse__accept_keyword(p, relations[i])) {
            alter->object = keyword_text(relations[i]);
            return alter_relation(p, alter, statement);
        }
    }
    for (size_t i = 0; i < COUNT_OF(roles); i++) {
        if (parse__accept_keyword(p, roles[i])) {
            return parse__alter_role(p, keyword_text(roles[i]), statement);
        }
    }
    if (parse__accept_keyword(p, KW_DATABASE)) {
        return parse__alter_database(p, statement);
    }
    return parse__accept_keyword(p, KW_DEFAULT) ? parse__default_privileges(p, statement) : refuse_alter(p);
}

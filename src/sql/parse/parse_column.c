/* SPDX-License-Identifier: Apache-2.0
 * parse_column.c - columns of CREATE TABLE and ADD COLUMN, their constraints in PostgreSQL's spelling, their tails in QuestDB's.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* ---------------------------------------------------------------- QuestDB's tail */

static bool take_one_of(Parser *p, const Str *words, size_t count, Str *text) {
    for (size_t i = 0; i < count; i++) {
        if (parse__accept_word(p, words[i])) {
            *text = text->len == 0 ? words[i] : arena_format(p->arena, "%.*s %.*s", STR_ARG(*text), STR_ARG(words[i]));
            return true;
        }
    }
    return false;
}

/* [CAPACITY n | TYPE POSTING|BITMAP [DELTA|EF] [INCLUDE (c, ...)]] behind INDEX or in INDEX(c ...) */
ErrorCode parse__index_spec(Parser *p, AstIndexSpec *index) {
    static const Str kinds[] = {{"posting", 7}, {"bitmap", 6}};
    static const Str codes[] = {{"delta", 5}, {"ef", 2}};
    if (parse__accept_keyword(p, KW_CAPACITY)) {
        TRY(parse__primary(p, &index->capacity));
    }
    if (parse__accept_keyword(p, KW_TYPE)) {
        if (!take_one_of(p, kinds, COUNT_OF(kinds), &index->type)) {
            return parse__expected(p, "POSTING or BITMAP");
        }
        (void)take_one_of(p, codes, COUNT_OF(codes), &index->type);
    }
    if (parse__accept_keyword(p, KW_INCLUDE)) {
        TRY(parse__name_list(p, &index->include, &index->include_count, "a column name"));
    }
    return ERR_OK;
}

static ErrorCode parse_parquet(Parser *p, AstColumn *column) {
    AstNames names = {0};
    TRY(parse__names(p, &names, "PARQUET"));
    if (!parse__at_mark(p, "(")) {
        return parse__expected(p, "(");
    }
    return parse__function_call(p, names, &column->parquet);
}

/* One word of the tail at the current token; *found_out false: none stands here. */
static ErrorCode parse_tail_word(Parser *p, AstColumn *column, bool *found_out) {
    *found_out = true;
    if (parse__accept_keyword(p, KW_CAPACITY)) {
        return parse__primary(p, &column->symbol_capacity);
    }
    if (parse__accept_keyword(p, KW_CACHE)) {
        column->cache = true;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_NOCACHE)) {
        column->no_cache = true;
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_INDEX) && column->index == NULL) {
        column->index = arena_new(p->arena, AstIndexSpec);
        column->index->span = parse__span(p);
        parse__advance(p);
        return parse__index_spec(p, column->index);
    }
    if (parse__at_keyword(p, KW_PARQUET) && parse__peek_mark(p, "(")) {
        return parse_parquet(p, column);
    }
    if (parse__at_keyword(p, KW_DEDUP)) {
        parse__advance(p);
        column->dedup_key = true;
        TRY(parse__expect_keyword(p, KW_UPSERT));
        return parse__accept_keyword(p, KW_KEY) || parse__accept_keyword(p, KW_KEYS) ? ERR_OK : parse__expected(p, "KEYS");
    }
    *found_out = false;
    return ERR_OK;
}

ErrorCode parse__symbol_tail(Parser *p, AstColumn *column) {
    bool found = true;
    while (found) {
        TRY(parse_tail_word(p, column, &found));
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- constraints */

static ErrorCode parse_parens_expr(Parser *p, AstExpr **expr_out, Str *text_out) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    uint32_t at = p->token.at;
    TRY(parse__expr(p, expr_out));
    *text_out = parse__source(p, at);
    return parse__expect_close(p, open);
}

/* CASCADE, RESTRICT, NO ACTION, SET NULL, SET DEFAULT */
static ErrorCode parse_reference_action(Parser *p, Str *action_out) {
    if (parse__accept_keyword(p, KW_CASCADE)) {
        *action_out = STR("cascade");
    } else if (parse__accept_keyword(p, KW_RESTRICT)) {
        *action_out = STR("restrict");
    } else if (parse__accept_keyword(p, KW_NO)) {
        *action_out = STR("no action");
        return parse__expect_keyword(p, KW_ACTION);
    } else if (parse__accept_keyword(p, KW_SET)) {
        *action_out = parse__at_keyword(p, KW_NULL) ? STR("set null") : STR("set default");
        return parse__accept_keyword(p, KW_NULL) ? ERR_OK : parse__expect_keyword(p, KW_DEFAULT);
    } else {
        return parse__expected(p, "CASCADE, RESTRICT, NO ACTION or SET");
    }
    return ERR_OK;
}

static ErrorCode parse_references(Parser *p, AstConstraint *constraint) {
    constraint->kind = AST_CONSTRAINT_FOREIGN_KEY;
    TRY(parse__expect_keyword(p, KW_REFERENCES));
    TRY(parse__names(p, &constraint->references, "a table name"));
    if (parse__at_mark(p, "(")) {
        TRY(parse__name_list(p, &constraint->reference_columns, &constraint->reference_count, "a column name"));
    }
    for (;;) {
        if (parse__accept_keyword(p, KW_MATCH)) {
            if (!parse__at_label(p)) {
                return parse__expected(p, "FULL, PARTIAL or SIMPLE");
            }
            constraint->match = parse__lower(p, p->token.text);
            parse__advance(p);
        } else if (parse__at_keyword(p, KW_ON) && (parse__peek_keyword(p, KW_DELETE) || parse__peek_keyword(p, KW_UPDATE))) {
            parse__advance(p);
            bool on_delete = parse__at_keyword(p, KW_DELETE);
            parse__advance(p);
            TRY(parse_reference_action(p, on_delete ? &constraint->on_delete : &constraint->on_update));
        } else {
            return ERR_OK;
        }
    }
}

/* ALWAYS AS or BY DEFAULT AS */
static ErrorCode parse_when_generated(Parser *p, AstConstraint *constraint) {
    constraint->always = parse__accept_keyword(p, KW_ALWAYS);
    if (!constraint->always) {
        TRY(parse__expect_keyword(p, KW_BY));
        TRY(parse__expect_keyword(p, KW_DEFAULT));
    }
    return parse__expect_keyword(p, KW_AS);
}

static ErrorCode parse_identity_options(Parser *p, AstConstraint *constraint) {
    constraint->kind = AST_CONSTRAINT_IDENTITY;
    if (!parse__at_mark(p, "(")) {
        return ERR_OK;
    }
    Token open = p->token;
    parse__advance(p);
    constraint->sequence = arena_new(p->arena, AstSequenceOptions);
    TRY(parse__sequence_options(p, constraint->sequence));
    return parse__expect_close(p, open);
}

ErrorCode parse__identity(Parser *p, AstConstraint *constraint) {
    TRY(parse_when_generated(p, constraint));
    TRY(parse__expect_keyword(p, KW_IDENTITY));
    return parse_identity_options(p, constraint);
}

/* ALWAYS AS (expr) STORED | ALWAYS|BY DEFAULT AS IDENTITY [(options)] */
static ErrorCode parse_generated(Parser *p, AstConstraint *constraint) {
    TRY(parse_when_generated(p, constraint));
    if (parse__accept_keyword(p, KW_IDENTITY)) {
        return parse_identity_options(p, constraint);
    }
    constraint->kind = AST_CONSTRAINT_GENERATED;
    TRY(parse_parens_expr(p, &constraint->expr, &constraint->expr_text));
    if (!parse__accept_keyword(p, KW_STORED)) {
        constraint->virtual_column = parse__accept_keyword(p, KW_VIRTUAL);
    }
    return ERR_OK;
}

/* Behind PRIMARY KEY, UNIQUE: columns of a table constraint, INCLUDE, WITH. */
static ErrorCode parse_key_columns(Parser *p, bool of_table, AstConstraint *constraint) {
    if (parse__at_keyword(p, KW_NULLS)) {
        parse__advance(p);
        constraint->nulls_not_distinct = parse__accept_keyword(p, KW_NOT);
        TRY(parse__expect_keyword(p, KW_DISTINCT));
    }
    if (of_table && parse__at_mark(p, "(")) {
        TRY(parse__name_list(p, &constraint->columns, &constraint->column_count, "a column name"));
    }
    if (parse__accept_keyword(p, KW_INCLUDE)) {
        AstName *include = NULL;
        uint32_t count = 0;
        TRY(parse__name_list(p, &include, &count, "a column name"));
    }
    return ERR_OK;
}

static ErrorCode parse_default(Parser *p, AstConstraint *constraint) {
    constraint->kind = AST_CONSTRAINT_DEFAULT;
    uint32_t at = p->token.at;
    /* tighter than NOT, so that DEFAULT 1 NOT NULL works, as PostgreSQL's b_expr */
    TRY(parse__expr_above(p, 5, &constraint->expr));
    constraint->expr_text = parse__source(p, at);
    return ERR_OK;
}

static ErrorCode parse_constraint_kind(Parser *p, bool of_table, bool *found_out, AstConstraint *constraint) {
    *found_out = true;
    if (!of_table && parse__at_keyword(p, KW_NOT) && parse__peek_keyword(p, KW_NULL)) {
        parse__advance(p);
        parse__advance(p);
        constraint->kind = AST_CONSTRAINT_NOT_NULL;
        return ERR_OK;
    }
    if (!of_table && parse__accept_keyword(p, KW_NULL)) {
        constraint->kind = AST_CONSTRAINT_NULL;
        return ERR_OK;
    }
    if (!of_table && parse__accept_keyword(p, KW_DEFAULT)) {
        return parse_default(p, constraint);
    }
    if (parse__accept_keyword(p, KW_PRIMARY)) {
        constraint->kind = AST_CONSTRAINT_PRIMARY_KEY;
        TRY(parse__expect_keyword(p, KW_KEY));
        return parse_key_columns(p, of_table, constraint);
    }
    if (parse__accept_keyword(p, KW_UNIQUE)) {
        constraint->kind = AST_CONSTRAINT_UNIQUE;
        return parse_key_columns(p, of_table, constraint);
    }
    if (parse__accept_keyword(p, KW_CHECK)) {
        constraint->kind = AST_CONSTRAINT_CHECK;
        return parse_parens_expr(p, &constraint->expr, &constraint->expr_text);
    }
    if (!of_table && parse__at_keyword(p, KW_REFERENCES)) {
        return parse_references(p, constraint);
    }
    if (of_table && parse__accept_keyword(p, KW_FOREIGN)) {
        TRY(parse__expect_keyword(p, KW_KEY));
        TRY(parse__name_list(p, &constraint->columns, &constraint->column_count, "a column name"));
        return parse_references(p, constraint);
    }
    if (!of_table && parse__accept_keyword(p, KW_GENERATED)) {
        return parse_generated(p, constraint);
    }
    if (of_table && parse__at_keyword(p, KW_EXCLUDE)) {
        return parse__not_supported(p, "EXCLUDE");
    }
    *found_out = false;
    return ERR_OK;
}

static ErrorCode parse_constraint_attributes(Parser *p, AstConstraint *constraint) {
    for (;;) {
        if (parse__accept_keyword(p, KW_DEFERRABLE)) {
            constraint->deferrable = true;
        } else if (parse__accept_keyword(p, KW_INITIALLY)) {
            constraint->initially_deferred = parse__at_keyword(p, KW_DEFERRED);
            if (!parse__accept_keyword(p, KW_DEFERRED)) {
                TRY(parse__expect_keyword(p, KW_IMMEDIATE));
            }
        } else if (parse__at_keyword(p, KW_NOT) && (parse__peek_keyword(p, KW_DEFERRABLE) || parse__peek_keyword(p, KW_VALID))) {
            parse__advance(p);
            constraint->not_valid = parse__at_keyword(p, KW_VALID);
            parse__advance(p);
        } else if (parse__at_keyword(p, KW_NO) && parse__peek_keyword(p, KW_INHERIT)) {
            parse__advance(p);
            parse__advance(p);
            constraint->no_inherit = true;
        } else {
            return ERR_OK;
        }
    }
}

ErrorCode parse__constraint(Parser *p, bool of_table, bool *found_out, AstConstraint *constraint) {
    bool named = parse__at_keyword(p, KW_CONSTRAINT);
    constraint->span = parse__span(p);
    if (named) {
        AstName name = {0};
        parse__advance(p);
        TRY(parse__name(p, &name, "a constraint name"));
        constraint->name = parse__new_name(p, name);
        constraint->span = parse__span(p);
    }
    TRY(parse_constraint_kind(p, of_table, found_out, constraint));
    if (!*found_out) {
        return named ? parse__expected(p, "a constraint") : ERR_OK;
    }
    return parse_constraint_attributes(p, constraint);
}

/* ---------------------------------------------------------------- columns */

static ErrorCode parse_column_extra(Parser *p, AstColumn *column, bool *found_out) {
    *found_out = true;
    if (parse__accept_keyword(p, KW_COLLATE)) {
        column->collation = arena_new(p->arena, AstNames);
        return parse__names(p, column->collation, "a collation");
    }
    bool compression = parse__at_keyword(p, KW_COMPRESSION);
    if (compression || parse__at_keyword(p, KW_STORAGE)) {
        parse__advance(p);
        if (!parse__at_label(p)) {
            return parse__expected(p, "a name");
        }
        Str *field = compression ? &column->compression : &column->storage;
        *field = parse__lower(p, p->token.text);
        parse__advance(p);
        return ERR_OK;
    }
    return parse_tail_word(p, column, found_out);
}

ErrorCode parse__column(Parser *p, AstColumn *column) {
    TRY(parse__name(p, &column->name, "a column name"));
    TRY(parse__type(p, &column->type));
    size_t mark = list_begin(p);
    for (;;) {
        bool found = false;
        TRY(parse_column_extra(p, column, &found));
        if (found) {
            continue;
        }
        AstConstraint constraint = {0};
        TRY(parse__constraint(p, false, &found, &constraint));
        if (!found) {
            break;
        }
        list_push(p, &constraint, sizeof constraint);
    }
    column->constraints = list_end(p, mark, AstConstraint, &column->constraint_count);
    return ERR_OK;
}

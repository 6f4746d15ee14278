/* SPDX-License-Identifier: Apache-2.0
 * parse_user_type.c - CREATE TYPE ... AS ENUM, ALTER TYPE ... ADD VALUE and RENAME VALUE, CREATE and ALTER DOMAIN; new names, owners and schemas
 * are a plain ALTER.
 *
 * Tests: test/unit/sql/parse/test_deparse.c, test/sql/enum.slt */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_label(Parser *p, AstLabel *label) {
    if (p->token.kind != TOKEN_STRING) {
        return parse__expected(p, "a label in quotes");
    }
    *label = (AstLabel){.text = p->token.text, .span = parse__span(p)};
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode parse_labels(Parser *p, AstUserType *type) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    size_t mark = list_begin(p);
    if (!parse__at_mark(p, ")")) {
        do {
            AstLabel label = {0};
            TRY(parse_label(p, &label));
            list_push(p, &label, sizeof label);
        } while (parse__accept_mark(p, ","));
    }
    type->labels = list_end(p, mark, AstLabel, &type->label_count);
    return parse__expect_close(p, open);
}

static AstUserType *new_type(Parser *p, AstStatement *statement) {
    statement->kind = AST_USER_TYPE_STATEMENT;
    statement->as.user_type = arena_new(p->arena, AstUserType);
    return statement->as.user_type;
}

ErrorCode parse__create_type(Parser *p, AstStatement *statement) {
    AstUserType *type = new_type(p, statement);
    type->kind = AST_CREATE_ENUM;
    TRY(parse__names(p, &type->name, "a type name"));
    if (!parse__accept_keyword(p, KW_AS)) {
        return parse__not_supported(p, parse__at_mark(p, "(") ? "CREATE TYPE of a base type" : "CREATE TYPE without a definition");
    }
    if (parse__at_mark(p, "(")) {
        return parse__not_supported(p, "CREATE TYPE of a composite type");
    }
    if (parse__at_word(p, STR("range"))) {
        return parse__not_supported(p, "CREATE TYPE of a range");
    }
    if (!parse__accept_word(p, STR("enum"))) {
        return parse__expected(p, "ENUM");
    }
    return parse_labels(p, type);
}

/* ---- domains ---- */

static ErrorCode parse_domain_constraints(Parser *p, AstUserType *type) {
    size_t mark = list_begin(p);
    for (;;) {
        AstConstraint constraint = {0};
        bool found = false;
        TRY(parse__constraint(p, false, &found, &constraint));
        if (!found) {
            break;
        }
        list_push(p, &constraint, sizeof constraint);
    }
    type->constraints = list_end(p, mark, AstConstraint, &type->constraint_count);
    return ERR_OK;
}

ErrorCode parse__create_domain(Parser *p, AstStatement *statement) {
    AstUserType *type = new_type(p, statement);
    type->kind = AST_CREATE_DOMAIN;
    TRY(parse__names(p, &type->name, "a domain name"));
    (void)parse__accept_keyword(p, KW_AS);
    TRY(parse__type(p, &type->base));
    if (parse__accept_keyword(p, KW_COLLATE)) {
        type->collation = arena_new(p->arena, AstNames);
        TRY(parse__names(p, type->collation, "a collation"));
    }
    return parse_domain_constraints(p, type);
}

static ErrorCode parse_set_default(Parser *p, AstUserType *type) {
    type->kind = AST_DOMAIN_SET_DEFAULT;
    return parse_domain_constraints(p, type);
}

static ErrorCode parse_domain_set(Parser *p, AstUserType *type) {
    bool drop = parse__at_keyword(p, KW_DROP);
    parse__advance(p);
    if (!drop && parse__at_keyword(p, KW_DEFAULT)) {
        return parse_set_default(p, type);
    }
    if (parse__accept_keyword(p, KW_DEFAULT)) {
        type->kind = AST_DOMAIN_DROP_DEFAULT;
        return ERR_OK;
    }
    TRY(parse__expect_keyword(p, KW_NOT));
    type->kind = drop ? AST_DOMAIN_DROP_NOT_NULL : AST_DOMAIN_SET_NOT_NULL;
    return parse__expect_keyword(p, KW_NULL);
}

static ErrorCode parse_drop_constraint(Parser *p, AstUserType *type) {
    type->kind = AST_DOMAIN_DROP;
    parse__advance(p);
    parse__advance(p);
    TRY(parse__if_exists(p, &type->if_exists));
    TRY(parse__name(p, &type->constraint, "a constraint name"));
    type->cascade = parse__accept_keyword(p, KW_CASCADE);
    (void)parse__accept_keyword(p, KW_RESTRICT);
    return ERR_OK;
}

static ErrorCode parse_named_constraint(Parser *p, AstUserType *type, bool rename) {
    type->kind = rename ? AST_DOMAIN_RENAME : AST_DOMAIN_VALIDATE;
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_CONSTRAINT));
    TRY(parse__name(p, &type->constraint, "a constraint name"));
    if (!rename) {
        return ERR_OK;
    }
    TRY(parse__expect_keyword(p, KW_TO));
    return parse__name(p, &type->new_name, "a constraint name");
}

/* Behind ALTER DOMAIN name. *found_out: false, nothing was taken. */
ErrorCode parse__alter_domain(Parser *p, AstNames name, AstStatement *statement, bool *found_out) {
    bool constraint = parse__peek_keyword(p, KW_CONSTRAINT);
    bool set = parse__at_keyword(p, KW_SET) && !parse__peek_keyword(p, KW_SCHEMA);
    bool rename = parse__at_keyword(p, KW_RENAME) && constraint;
    *found_out = set || rename || parse__at_keyword(p, KW_ADD) || parse__at_keyword(p, KW_DROP) || parse__at_word(p, STR("validate"));
    if (!*found_out) {
        return ERR_OK;
    }
    AstUserType *type = new_type(p, statement);
    type->name = name;
    if (parse__accept_keyword(p, KW_ADD)) {
        type->kind = AST_DOMAIN_ADD;
        return parse_domain_constraints(p, type);
    }
    if (rename || parse__at_word(p, STR("validate"))) {
        return parse_named_constraint(p, type, rename);
    }
    return parse__at_keyword(p, KW_DROP) && constraint ? parse_drop_constraint(p, type) : parse_domain_set(p, type);
}

/* ---- values ---- */

/* ADD VALUE [IF NOT EXISTS] 'label' [BEFORE | AFTER 'label'] */
static ErrorCode parse_add_value(Parser *p, AstUserType *type) {
    type->kind = AST_ADD_VALUE;
    if (!parse__accept_word(p, STR("value"))) {
        return parse__at_word(p, STR("attribute")) ? parse__not_supported(p, "ALTER TYPE of a composite type") : parse__expected(p, "VALUE");
    }
    TRY(parse__if_not_exists(p, &type->if_not_exists));
    TRY(parse_label(p, &type->label));
    type->before = parse__accept_keyword(p, KW_BEFORE);
    type->after = !type->before && parse__accept_keyword(p, KW_AFTER);
    return type->before || type->after ? parse_label(p, &type->neighbor) : ERR_OK;
}

static ErrorCode parse_rename_value(Parser *p, AstUserType *type) {
    type->kind = AST_RENAME_VALUE;
    parse__advance(p);
    parse__advance(p);
    TRY(parse_label(p, &type->label));
    TRY(parse__expect_keyword(p, KW_TO));
    return parse_label(p, &type->new_label);
}

/* Behind ALTER TYPE name. *found_out: false, nothing was taken. */
ErrorCode parse__alter_type(Parser *p, AstNames name, AstStatement *statement, bool *found_out) {
    bool add = parse__at_keyword(p, KW_ADD);
    bool rename = parse__at_keyword(p, KW_RENAME) && token_is(parse__peek(p), TOKEN_WORD, STR("value"));
    *found_out = add || rename;
    if (!*found_out) {
        return ERR_OK;
    }
    AstUserType *type = new_type(p, statement);
    type->name = name;
    if (rename) {
        return parse_rename_value(p, type);
    }
    parse__advance(p);
    return parse_add_value(p, type);
}

/* SPDX-License-Identifier: Apache-2.0
 * parse_grant.c - GRANT and REVOKE, ALTER DEFAULT PRIVILEGES, COMMENT ON, CREATE EXTENSION.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* ---------------------------------------------------------------- kinds of objects, as words */

/* Longer ones first where one begins with another. */
static const char *const OBJECT_WORDS[] = {
    "materialized view", "foreign data wrapper", "foreign server", "foreign table", "event trigger", "access method", "text search configuration",
    "text search dictionary", "text search parser", "text search template", "large object", "operator class", "operator family", "operator",
    "table", "view", "sequence", "schema", "database", "index", "column", "constraint", "function", "procedure", "routine", "type", "domain",
    "extension", "role", "user", "group", "language", "trigger", "rule", "policy", "collation", "conversion", "cast", "aggregate", "tablespace",
    "publication", "subscription", "server", "statistics", "parameter", "transform",
};

/* "materialized view" where the next tokens are these words; empty: none of them. */
static ErrorCode parse_object_words(Parser *p, Str *words_out) {
    for (size_t i = 0; i < COUNT_OF(OBJECT_WORDS); i++) {
        Str all = str_from_c(OBJECT_WORDS[i]);
        ptrdiff_t blank = str_find_char(all, ' ', 0);
        Str first = blank < 0 ? all : str_slice(all, 0, (size_t)blank);
        if (!parse__at_word(p, first)) {
            continue;
        }
        ptrdiff_t end = blank < 0 ? -1 : str_find_char(all, ' ', (size_t)blank + 1);
        Str second = blank < 0 ? (Str){0} : str_slice(all, (size_t)blank + 1, end < 0 ? all.len : (size_t)end);
        const Token *next = parse__peek(p);
        if (second.len > 0 && !(next->kind == TOKEN_WORD && str_equal_ignore_case(next->text, second))) {
            continue;
        }
        for (size_t words = 1 + (blank >= 0) + (end >= 0); words > 0; words--) {
            parse__advance(p);
        }
        *words_out = all;
        return ERR_OK;
    }
    *words_out = (Str){0};
    return ERR_OK;
}

/* f(int, text): the types are read and left out; only the name is kept. */
static ErrorCode skip_signature(Parser *p) {
    if (!parse__at_mark(p, "(")) {
        return ERR_OK;
    }
    int depth = 0;
    do {
        depth += parse__at_mark(p, "(") ? 1 : parse__at_mark(p, ")") ? -1 : 0;
        if (p->token.kind == TOKEN_END) {
            return parse__expected(p, ")");
        }
        parse__advance(p);
    } while (depth > 0);
    return ERR_OK;
}

static ErrorCode parse_object_names(Parser *p, AstNames **names_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        AstNames names = {0};
        TRY(parse__table_name(p, &names));
        TRY(skip_signature(p));
        list_push(p, &names, sizeof names);
    } while (parse__accept_mark(p, ","));
    *names_out = list_end(p, mark, AstNames, count_out);
    return ERR_OK;
}

/* ---------------------------------------------------------------- GRANT, REVOKE */

static ErrorCode parse_privilege(Parser *p, AstPrivilege *privilege) {
    privilege->span = parse__span(p);
    if (!parse__at_label(p)) {
        return parse__expected(p, "a privilege or a role");
    }
    bool all = parse__at_keyword(p, KW_ALL);
    bool quoted = p->token.kind == TOKEN_QUOTED;
    privilege->name = all ? (Str){0} : quoted ? p->token.text : parse__lower(p, p->token.text);
    parse__advance(p);
    if (all) {
        (void)parse__accept_word(p, STR("privileges"));
    }
    if (str_equal(privilege->name, STR("alter")) && parse__accept_word(p, STR("system"))) {
        privilege->name = STR("alter system");
    }
    if (parse__at_mark(p, "(")) {
        return parse__name_list(p, &privilege->columns, &privilege->column_count, "a column name");
    }
    return ERR_OK;
}

static ErrorCode parse_privileges(Parser *p, AstGrant *grant) {
    size_t mark = list_begin(p);
    do {
        AstPrivilege privilege = {0};
        TRY(parse_privilege(p, &privilege));
        list_push(p, &privilege, sizeof privilege);
    } while (parse__accept_mark(p, ","));
    grant->privileges = list_end(p, mark, AstPrivilege, &grant->privilege_count);
    return ERR_OK;
}

/* TABLES, SEQUENCES, FUNCTIONS, SCHEMAS, TYPES: without the s */
static ErrorCode parse_plural(Parser *p, Str *object_out) {
    static const char *const words[] = {"table", "sequence", "function", "routine", "procedure", "schema", "type"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        Str word = str_from_c(words[i]);
        if (p->token.kind == TOKEN_WORD && p->token.text.len == word.len + 1 && str_equal_ignore_case(str_slice(p->token.text, 0, word.len), word)) {
            *object_out = word;
            parse__advance(p);
            return ERR_OK;
        }
    }
    return parse__expected(p, "TABLES, SEQUENCES, FUNCTIONS, SCHEMAS or TYPES");
}

static ErrorCode parse_targets(Parser *p, AstGrant *grant) {
    if (parse__accept_keyword(p, KW_ALL)) {
        TRY(parse_plural(p, &grant->object));
        TRY(parse__expect_keyword(p, KW_IN));
        TRY(parse__expect_keyword(p, KW_SCHEMA));
        grant->in_schemas = true;
        return parse_object_names(p, &grant->objects, &grant->object_count);
    }
    TRY(parse_object_words(p, &grant->object));
    if (grant->object.len == 0) {
        grant->object = STR("table");
    }
    return parse_object_names(p, &grant->objects, &grant->object_count);
}

/* ADMIN, INHERIT or SET: the option of a membership. NULL: none of them. */
static int8_t *membership_option(Parser *p, AstMembership *membership) {
    return parse__at_word(p, STR("admin")) ? &membership->admin : parse__at_word(p, STR("inherit")) ? &membership->inherit : parse__at_keyword(p, KW_SET) ? &membership->set : NULL;
}

static ErrorCode parse_membership_options(Parser *p, AstMembership *membership) {
    do {
        int8_t *option = membership_option(p, membership);
        if (option == NULL) {
            return parse__expected(p, "ADMIN, INHERIT or SET");
        }
        if (*option >= 0) {
            return error_set(p->err, ERR_SYNTAX, p->token.at, "conflicting or redundant options");
        }
        parse__advance(p);
        *option = parse__at_word(p, STR("false")) ? 0 : 1;
        if (!parse__accept_word(p, STR("option")) && !parse__accept_word(p, STR("true")) && !parse__accept_word(p, STR("false"))) {
            return parse__expected(p, "OPTION, TRUE or FALSE");
        }
    } while (parse__accept_mark(p, ","));
    return ERR_OK;
}

static ErrorCode parse_grant_tail(Parser *p, AstGrant *grant) {
    if (!grant->revoke && parse__accept_keyword(p, KW_WITH)) {
        if (grant->of_roles) {
            TRY(parse_membership_options(p, &grant->membership));
        } else {
            grant->with_option = true;
            TRY(parse__expect_keyword(p, KW_GRANT));
            if (!parse__accept_word(p, STR("option"))) {
                return parse__expected(p, "OPTION");
            }
        }
    }
    if (parse__accept_word(p, STR("granted"))) {
        AstName by = {0};
        TRY(parse__expect_keyword(p, KW_BY));
        TRY(parse__role_name(p, &by));
    }
    grant->cascade = parse__accept_keyword(p, KW_CASCADE);
    (void)parse__accept_keyword(p, KW_RESTRICT);
    return ERR_OK;
}

static ErrorCode parse_option_for(Parser *p, AstGrant *grant) {
    int8_t *option = membership_option(p, &grant->membership);
    bool any = grant->revoke && (parse__at_keyword(p, KW_GRANT) || option != NULL) && token_is(parse__peek(p), TOKEN_WORD, STR("option"));
    if (!any) {
        return ERR_OK;
    }
    if (option != NULL) {
        *option = 0;
    } else {
        grant->option_only = true;
    }
    parse__advance(p);
    parse__advance(p);
    return parse__expect_keyword(p, KW_FOR);
}

/* GRANT or REVOKE is current; for default privileges ON says only the kind. */
static ErrorCode parse_grant(Parser *p, AstGrant *grant) {
    grant->revoke = parse__at_keyword(p, KW_REVOKE);
    parse__advance(p);
    grant->membership = (AstMembership){-1, -1, -1};
    TRY(parse_option_for(p, grant));
    TRY(parse_privileges(p, grant));
    grant->of_roles = !parse__accept_keyword(p, KW_ON);
    if (!grant->of_roles) {
        TRY(grant->defaults ? parse_plural(p, &grant->object) : parse_targets(p, grant));
    }
    TRY(parse__expect_keyword(p, grant->revoke ? KW_FROM : KW_TO));
    TRY(parse__role_names(p, &grant->grantees, &grant->grantee_count));
    return parse_grant_tail(p, grant);
}

ErrorCode parse__grant(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_GRANT_STATEMENT, p->token.at);
    *statement_out = statement;
    statement->as.grant = arena_new(p->arena, AstGrant);
    return parse_grant(p, statement->as.grant);
}

/* Behind ALTER DEFAULT */
ErrorCode parse__default_privileges(Parser *p, AstStatement *statement) {
    AstGrant *grant = arena_new(p->arena, AstGrant);
    statement->kind = AST_GRANT_STATEMENT;
    statement->as.grant = grant;
    grant->defaults = true;
    if (!parse__accept_word(p, STR("privileges"))) {
        return parse__expected(p, "PRIVILEGES");
    }
    for (;;) {
        if (parse__accept_keyword(p, KW_FOR)) {
            if (!parse__accept_word(p, STR("role"))) {
                TRY(parse__expect_keyword(p, KW_USER));
            }
            TRY(parse__role_names(p, &grant->for_roles, &grant->for_role_count));
        } else if (parse__accept_keyword(p, KW_IN)) {
            TRY(parse__expect_keyword(p, KW_SCHEMA));
            grant->in_schemas = true;
            TRY(parse_object_names(p, &grant->objects, &grant->object_count));
        } else {
            break;
        }
    }
    if (!parse__at_keyword(p, KW_GRANT) && !parse__at_keyword(p, KW_REVOKE)) {
        return parse__expected(p, "GRANT or REVOKE");
    }
    return parse_grant(p, grant);
}

/* ---------------------------------------------------------------- COMMENT ON */

static bool names_part_of_table(Str object) {
    return str_equal(object, STR("constraint")) || str_equal(object, STR("trigger")) || str_equal(object, STR("rule")) || str_equal(object, STR("policy"));
}

ErrorCode parse__comment(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_COMMENT_STATEMENT, p->token.at);
    AstComment *comment = arena_new(p->arena, AstComment);
    *statement_out = statement;
    statement->as.comment = comment;
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_ON));
    TRY(parse_object_words(p, &comment->object));
    if (comment->object.len == 0) {
        return parse__expected(p, "a kind of object");
    }
    TRY(parse__table_name(p, &comment->name));
    TRY(skip_signature(p));
    if (names_part_of_table(comment->object) && parse__accept_keyword(p, KW_ON)) {
        (void)parse__accept_keyword(p, KW_DOMAIN);
        TRY(parse__table_name(p, &comment->on_table));
    }
    TRY(parse__expect_keyword(p, KW_IS));
    if (p->token.kind != TOKEN_STRING && !parse__at_keyword(p, KW_NULL)) {
        return parse__expected(p, "a string or NULL");
    }
    return parse__primary(p, &comment->text);
}

/* ---------------------------------------------------------------- CREATE EXTENSION */

ErrorCode parse__create_extension(Parser *p, AstStatement *statement) {
    AstExtension *extension = arena_new(p->arena, AstExtension);
    statement->kind = AST_EXTENSION_STATEMENT;
    statement->as.extension = extension;
    TRY(parse__if_not_exists(p, &extension->if_not_exists));
    TRY(parse__name(p, &extension->name, "an extension name"));
    (void)parse__accept_keyword(p, KW_WITH);
    for (;;) {
        if (parse__accept_keyword(p, KW_SCHEMA)) {
            AstName schema = {0};
            TRY(parse__name(p, &schema, "a schema name"));
            extension->schema = parse__new_name(p, schema);
        } else if (parse__accept_word(p, STR("version"))) {
            if (!parse__at_label(p) && p->token.kind != TOKEN_STRING) {
                return parse__expected(p, "a version");
            }
            extension->version = p->token.text;
            parse__advance(p);
        } else if (parse__accept_keyword(p, KW_CASCADE)) {
            extension->cascade = true;
        } else {
            return ERR_OK;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * parse_role.c - CREATE and ALTER ROLE, USER, GROUP; ALTER ROLE and DATABASE ... SET; REASSIGN and DROP OWNED.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

ErrorCode parse__role_name(Parser *p, AstName *name_out) { return parse__label(p, name_out, "a role name"); }

ErrorCode parse__role_names(Parser *p, AstName **names_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        AstName name = {0};
        (void)parse__accept_keyword(p, KW_GROUP);
        TRY(parse__role_name(p, &name));
        list_push(p, &name, sizeof name);
    } while (parse__accept_mark(p, ","));
    *names_out = list_end(p, mark, AstName, count_out);
    return ERR_OK;
}

typedef struct FlagRow { const char *word; size_t field; } FlagRow;
static const FlagRow FLAGS[] = {
    {"superuser", offsetof(AstRole, superuser)}, {"inherit", offsetof(AstRole, inherit)},         {"createrole", offsetof(AstRole, create_role)},
    {"createdb", offsetof(AstRole, create_db)},  {"login", offsetof(AstRole, login)},             {"replication", offsetof(AstRole, replication)},
    {"bypassrls", offsetof(AstRole, bypass_rls)}, {"createuser", offsetof(AstRole, superuser)},
};

static ErrorCode said_twice(Parser *p) { return error_set(p->err, ERR_SYNTAX, p->token.at, "conflicting or redundant options"); }

/* SUPERUSER or NOSUPERUSER */
static ErrorCode take_flag(Parser *p, AstRole *role, bool *found_out) {
    Str word = p->token.kind == TOKEN_WORD ? p->token.text : (Str){0};
    for (size_t i = 0; i < COUNT_OF(FLAGS); i++) {
        Str name = str_from_c(FLAGS[i].word);
        bool no = word.len == name.len + 2 && str_equal_ignore_case(str_slice(word, 0, 2), STR("no"));
        if (str_equal_ignore_case(no ? str_slice(word, 2, word.len) : word, name)) {
            int8_t *flag = (int8_t *)role + FLAGS[i].field;
            if (*flag >= 0) {
                return said_twice(p);
            }
            *flag = no ? 0 : 1;
            *found_out = true;
            parse__advance(p);
            return ERR_OK;
        }
    }
    return ERR_OK;
}

static ErrorCode parse_text(Parser *p, AstExpr **text_out) {
    if (p->token.kind != TOKEN_STRING) {
        return parse__expected(p, "a string");
    }
    return parse__primary(p, text_out);
}

static ErrorCode parse_password(Parser *p, AstRole *role) {
    role->password_given = true;
    return parse__at_keyword(p, KW_NULL) ? parse__primary(p, &role->password) : parse_text(p, &role->password);
}

/* Options with a value. */
static ErrorCode parse_valued_option(Parser *p, AstRole *role, bool *found_out) {
    bool password = parse__at_word(p, STR("password")), limit = parse__at_word(p, STR("connection")), until = parse__at_word(p, STR("valid"));
    *found_out = password || limit || until;
    if ((password && role->password_given) || (limit && role->connection_limit_given) || (until && role->valid_until_given)) {
        return said_twice(p);
    }
    if (!*found_out) {
        return ERR_OK;
    }
    parse__advance(p);
    if (password) {
        return parse_password(p, role);
    }
    if (limit) {
        TRY(parse__expect_keyword(p, KW_LIMIT));
        role->connection_limit_given = true;
        return parse__signed(p, &role->connection_limit);
    }
    role->valid_until_given = true;
    return parse__accept_word(p, STR("until")) ? parse_text(p, &role->valid_until) : parse__expected(p, "UNTIL");
}

static ErrorCode parse_role_option(Parser *p, AstRole *role, bool *found_out) {
    *found_out = false;
    TRY(take_flag(p, role, found_out));
    if (*found_out) {
        return ERR_OK;
    }
    if (parse__at_word(p, STR("unencrypted"))) {
        error_ignore(error_set(p->err, ERR_NOT_SUPPORTED, p->token.at, "UNENCRYPTED PASSWORD is no longer supported"));
        return error_add(p->err, 'H', "Remove UNENCRYPTED to store the password in encrypted form instead.");
    }
    if (parse__accept_word(p, STR("encrypted")) && !parse__at_word(p, STR("password"))) {
        return parse__expected(p, "PASSWORD");
    }
    TRY(parse_valued_option(p, role, found_out));
    if (*found_out) {
        return ERR_OK;
    }
    *found_out = true;
    if (parse__accept_keyword(p, KW_IN)) {
        if (!parse__accept_word(p, STR("role")) && !parse__accept_keyword(p, KW_GROUP)) {
            return parse__expected(p, "ROLE or GROUP");
        }
        return parse__role_names(p, &role->in_roles, &role->in_role_count);
    }
    if (parse__accept_word(p, STR("admin"))) {
        return parse__role_names(p, &role->admins, &role->admin_count);
    }
    if (parse__accept_word(p, STR("sysid"))) {
        int64_t ignored = 0;
        role->sysid_given = true;
        return parse__signed(p, &ignored);
    }
    if (parse__accept_word(p, STR("role")) || parse__accept_keyword(p, KW_USER)) {
        return parse__role_names(p, &role->members, &role->member_count);
    }
    *found_out = false;
    return ERR_OK;
}

static AstRole *new_role(Parser *p, AstStatement *statement, Str object) {
    AstRole *role = arena_new(p->arena, AstRole);
    role->object = object;
    for (size_t i = 0; i < COUNT_OF(FLAGS); i++) {
        *((int8_t *)role + FLAGS[i].field) = -1;
    }
    statement->kind = AST_ROLE_STATEMENT;
    statement->as.role = role;
    return role;
}

static ErrorCode parse_role_options(Parser *p, AstRole *role) {
    (void)parse__accept_keyword(p, KW_WITH);
    bool found = true;
    while (found) {
        TRY(parse_role_option(p, role, &found));
    }
    return ERR_OK;
}

/* Behind CREATE ROLE|USER|GROUP */
ErrorCode parse__create_role(Parser *p, Str object, AstStatement *statement) {
    AstRole *role = new_role(p, statement, object);
    TRY(parse__role_name(p, &role->name));
    return parse_role_options(p, role);
}

/* SET and RESET behind ALTER ROLE and ALTER DATABASE */
static ErrorCode parse_setting(Parser *p, Str object, AstName name, bool all, AstStatement *statement) {
    AstObjectSetting *setting = arena_new(p->arena, AstObjectSetting);
    setting->object = object;
    setting->name = name;
    setting->all_roles = all;
    statement->kind = AST_OBJECT_SETTING_STATEMENT;
    statement->as.object_setting = setting;
    if (parse__accept_keyword(p, KW_IN)) {
        AstName database = {0};
        TRY(parse__expect_keyword(p, KW_DATABASE));
        TRY(parse__name(p, &database, "a database name"));
        setting->database = parse__new_name(p, database);
    }
    if (parse__at_keyword(p, KW_RESET)) {
        return parse__reset(p, &setting->set);
    }
    p->in_object_setting = true;
    ErrorCode code = parse__set(p, &setting->set);
    p->in_object_setting = false;
    TRY(code);
    bool plain = setting->set->kind == AST_SET_STATEMENT && setting->set->as.set->kind == AST_SET && setting->set->as.set->value_count == 0;
    if (plain) { /* SET x FROM CURRENT */
        TRY(parse__expect_keyword(p, KW_FROM));
        return parse__accept_word(p, STR("current")) ? ERR_OK : parse__expected(p, "CURRENT");
    }
    return ERR_OK;
}

static bool at_object_setting(Parser *p) { return parse__at_keyword(p, KW_SET) || parse__at_keyword(p, KW_RESET) || parse__at_keyword(p, KW_IN); }

/* Behind ALTER ROLE|USER|GROUP */
ErrorCode parse__alter_role(Parser *p, Str object, AstStatement *statement) {
    AstName name = {0};
    bool all = parse__at_keyword(p, KW_ALL);
    TRY(parse__role_name(p, &name));
    if (at_object_setting(p)) {
        return parse_setting(p, object, name, all, statement);
    }
    if (parse__at_keyword(p, KW_RENAME)) {
        return parse__alter_actions(p, object, name, statement);
    }
    AstRole *role = new_role(p, statement, object);
    role->name = name;
    role->alter = true;
    bool adds = parse__accept_keyword(p, KW_ADD);
    if (adds || parse__accept_keyword(p, KW_DROP)) {
        role->drops_members = !adds;
        TRY(parse__expect_keyword(p, KW_USER));
        return parse__role_names(p, &role->members, &role->member_count);
    }
    return parse_role_options(p, role);
}

/* Behind ALTER DATABASE */
ErrorCode parse__alter_database(Parser *p, AstStatement *statement) {
    AstName name = {0};
    TRY(parse__name(p, &name, "a database name"));
    bool setting = at_object_setting(p) && !(parse__at_keyword(p, KW_SET) && parse__peek(p)->kind == TOKEN_WORD &&
                                                    token_is(parse__peek(p), TOKEN_WORD, STR("tablespace")));
    return setting ? parse_setting(p, STR("database"), name, false, statement) : parse__alter_actions(p, STR("database"), name, statement);
}

/* REASSIGN OWNED BY a, b TO c. DROP OWNED BY a: `drop` is set and OWNED is current. */
ErrorCode parse__owned(Parser *p, bool drop, AstStatement *statement) {
    AstOwned *owned = arena_new(p->arena, AstOwned);
    statement->kind = AST_OWNED_STATEMENT;
    statement->as.owned = owned;
    owned->drop = drop;
    TRY(parse__expect_keyword(p, KW_OWNED));
    TRY(parse__expect_keyword(p, KW_BY));
    TRY(parse__role_names(p, &owned->roles, &owned->role_count));
    if (!drop) {
        TRY(parse__expect_keyword(p, KW_TO));
        return parse__role_name(p, &owned->to);
    }
    owned->cascade = parse__accept_keyword(p, KW_CASCADE);
    (void)parse__accept_keyword(p, KW_RESTRICT);
    return ERR_OK;
}

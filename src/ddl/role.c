/* SPDX-License-Identifier: Apache-2.0
 * role.c - CREATE, ALTER, DROP ROLE.
 *
 * Passwords: a text that is a SCRAM verifier already is kept as it is; of any other the verifier is made, the password is not kept.
 * Tests:     test/sql/roles.slt */
#include "ddl/ddl_internal.h"
#include "proto/scram/scram.h"

/* ---- attributes ---- */

static ErrorCode take_password(Ddl *ddl, const AstRole *ast, RoleBody *body, Error *err) {
    if (!ast->password_given) {
        return ERR_OK;
    }
    body->password = (Str){0};
    if (ast->password->kind == AST_NULL) {
        return ERR_OK;
    }
    if (ast->password->as.text.len == 0) {
        ddl_notice(ddl, "00000", "empty string is not a valid password, clearing password");
        return ERR_OK;
    }
    ScramVerifier verifier;
    if (scram_verifier_parse(ast->password->as.text, &verifier)) {
        body->password = ast->password->as.text;
        return ERR_OK;
    }
    if (ast->password->as.text.len == 35 && memcmp(ast->password->as.text.data, "md5", 3) == 0) {
        return ddl__not_supported(ast->password->span.at, err, "an MD5 password");
    }
    uint8_t salt[SCRAM_SALT_BYTES];
    rand_fill(ddl->rand, salt, sizeof salt);
    char *text = arena_alloc_aligned(ddl->arena, SCRAM_VERIFIER_TEXT_MAX, 1);
    scram_verifier_make(ast->password->as.text, bytes_from(salt, sizeof salt), SCRAM_ITERATIONS_DEFAULT, &verifier);
    body->password = (Str){text, scram_verifier_format(&verifier, text)};
    return ERR_OK;
}

static ErrorCode take_valid_until(Ddl *ddl, const AstRole *ast, RoleBody *body, Error *err) {
    if (!ast->valid_until_given) {
        return ERR_OK;
    }
    int64_t micros = 0;
    TRY(value_parse(type_of(TYPE_TIMESTAMPTZ), ast->valid_until->as.text, ddl->environment, ddl->arena, &micros, err));
    body->has_valid_until = true; /* infinity too */
    body->valid_until = micros;
    return ERR_OK;
}

static ErrorCode take_attributes(Ddl *ddl, const AstRole *ast, RoleBody *body, Error *err) {
    if (ast->sysid_given) {
        ddl_notice(ddl, "00000", "SYSID can no longer be specified");
    }
    ddl__take_flag(ast->superuser, &body->superuser);
    ddl__take_flag(ast->inherit, &body->inherit);
    ddl__take_flag(ast->create_role, &body->create_role);
    ddl__take_flag(ast->create_db, &body->create_db);
    ddl__take_flag(ast->login, &body->login);
    ddl__take_flag(ast->replication, &body->replication);
    ddl__take_flag(ast->bypass_rls, &body->bypass_rls);
    if (ast->connection_limit_given && (ast->connection_limit < -1 || ast->connection_limit > INT32_MAX)) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid connection limit: %lld", (long long)ast->connection_limit);
    }
    body->connection_limit = ast->connection_limit_given ? (int32_t)ast->connection_limit : body->connection_limit;
    TRY(take_password(ddl, ast, body, err));
    return take_valid_until(ddl, ast, body, err);
}

static Bytes encode(Ddl *ddl, const RoleBody *body) {
    Buffer out;
    buffer_init(&out, 1 << 16);
    role_body_encode(body, &out);
    return ddl__bytes(ddl, &out);
}

/* ---- CREATE, ALTER, DROP ---- */

static ErrorCode check_new_name(const AstName *name, Error *err) {
    static const Str SPECIAL[] = {{"CURRENT_USER", 12}, {"CURRENT_ROLE", 12}, {"SESSION_USER", 12}};
    Str text = name->text;
    for (size_t i = 0; i < COUNT_OF(SPECIAL) && !name->quoted; i++) {
        if (str_equal_ignore_case(text, SPECIAL[i])) {
            return error_set(err, ERR_RESERVED_NAME, name->span.at, "%.*s cannot be used as a role name here", STR_ARG(SPECIAL[i]));
        }
    }
    bool prefix = str_starts_with(text, STR("pg_"));
    if (!prefix && !str_equal(text, STR("public")) && !str_equal(text, STR("none"))) {
        return ERR_OK;
    }
    ErrorCode code = error_set(err, ERR_RESERVED_NAME, prefix ? ERROR_NO_POSITION : (int64_t)name->span.at, "role name \"%.*s\" is reserved", STR_ARG(text));
    return prefix ? error_add(err, 'D', "Role names starting with \"pg_\" are reserved.") : code;
}

static ErrorCode exists_already(Str name, Error *err) { return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "role \"%.*s\" already exists", STR_ARG(name)); }

ErrorCode ddl__create_role(Ddl *ddl, const AstRole *ast, Error *err) {
    RoleBody body = {.inherit = true, .connection_limit = -1, .login = str_equal(ast->object, STR("user"))};
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE ROLE");
    TRY(ddl__check_create_role(ddl, ast, err));
    TRY(check_new_name(&ast->name, err));
    if (catalog_role_find(ddl->catalog, ast->name.text) != NULL) {
        return exists_already(ast->name.text, err);
    }
    TRY(take_attributes(ddl, ast, &body, err));
    TRY(txn_object_create(ddl->txn, &(CatalogObject){.kind = OBJECT_ROLE, .name = ast->name.text, .body = encode(ddl, &body)}, &id, err));
    if (!ddl__is_superuser(ddl)) { /* who may create it may grant it */
        TRY(ddl__join_creator(ddl, id, err));
    }
    return ddl__take_members(ddl, ast, id, err);
}

ErrorCode ddl__alter_role(Ddl *ddl, const AstRole *ast, Error *err) {
    const CatalogObject *role = NULL;
    RoleBody body;
    ddl__tag(ddl, "ALTER ROLE");
    TRY(ddl__role_object(ddl, &ast->name, &role, err));
    TRY(role_body_decode(role->body, &body, err));
    TRY(ddl__check_alter_role(ddl, role, ast, err));
    if (role->id == ROLE_POSTGRES_ID && ast->superuser == 0) {
        error_ignore(error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "permission denied to alter role"));
        return error_add(err, 'D', "The bootstrap superuser must have the SUPERUSER attribute.");
    }
    TRY(take_attributes(ddl, ast, &body, err));
    CatalogObject def = *role;
    def.body = encode(ddl, &body);
    TRY(txn_object_replace(ddl->txn, &def, err));
    return ddl__take_members(ddl, ast, def.id, err);
}

ErrorCode ddl__rename_role(Ddl *ddl, const AstAlterTable *ast, Error *err) {
    const AstName *new_name = &ast->actions[0].new_name;
    const CatalogObject *role = NULL;
    TRY(ddl__role_object(ddl, &ast->table.parts[0], &role, err));
    if (role->id == ddl->session_role_id || role->id == ddl->role_id) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "%s user cannot be renamed", role->id == ddl->session_role_id ? "session" : "current");
    }
    TRY(check_new_name(new_name, err));
    if (catalog_role_find(ddl->catalog, new_name->text) != NULL) {
        return exists_already(new_name->text, err);
    }
    TRY(ddl__check_role_admin(ddl, role, "rename", err));
    CatalogObject def = *role;
    def.name = new_name->text;
    return txn_object_replace(ddl->txn, &def, err);
}

/* How the role stands to the object of a grant: it owns it, is named in its list, or not at all (NULL). */
static const char *relation_to(Ddl *ddl, const CatalogObject *grant, uint32_t role_id) {
    GrantBody body;
    if (grant_body_decode(grant->body, ddl->arena, &body, NULL) != ERR_OK) {
        return NULL;
    }
    bool named = false;
    for (uint16_t i = 0; i < body.item_count && !named; i++) {
        named = body.items[i].grantee_id == role_id || body.items[i].grantor_id == role_id;
    }
    return body.owner_id == role_id ? "owner of" : named ? "privileges for" : NULL;
}

static void put_use(Buffer *out, const char *how, Str what, uint32_t *count) {
    enum { USES_SHOWN_MAX = 20 };
    if ((*count)++ < USES_SHOWN_MAX) {
        buffer_printf(out, "%s%s %.*s", out->len > 0 ? "\n" : "", how, STR_ARG(what));
    }
}

/* What keeps the role: a line each. */
static uint32_t list_uses(Ddl *ddl, uint32_t role_id, Buffer *out) {
    const CatalogObject *grant = NULL;
    uint32_t count = 0;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        const CatalogObject *object = grant->parent_id == 0 ? NULL : ddl->catalog->object_by_id(ddl->catalog, grant->parent_id);
        const char *how = grant->parent_id != 0 && object == NULL ? NULL : relation_to(ddl, grant, role_id);
        if (how != NULL) {
            put_use(out, how, object == NULL ? STR("database basalt") : ddl__describe(ddl, object), &count);
        }
    }
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_DEFAULT_GRANT, &cursor, &grant);) {
        const char *how = relation_to(ddl, grant, role_id);
        if (how != NULL && grant->parent_id != role_id) { /* its own go with it */
            put_use(out, "privileges for", STR("default privileges"), &count);
        }
    }
    return count;
}

static ErrorCode check_unused(Ddl *ddl, const CatalogObject *role, Error *err) {
    Buffer uses;
    buffer_init(&uses, 1 << 16);
    if (list_uses(ddl, role->id, &uses) == 0) {
        buffer_deinit(&uses);
        return ERR_OK;
    }
    error_ignore(error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "role \"%.*s\" cannot be dropped because some objects depend on it", STR_ARG(role->name)));
    ErrorCode code = error_add(err, 'D', "%.*s", STR_ARG(buffer_str(&uses)));
    buffer_deinit(&uses);
    return code;
}

static ErrorCode check_droppable(Ddl *ddl, const CatalogObject *role, Error *err) {
    if (role->id == ddl->role_id || role->id == ddl->session_role_id) {
        return error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "%s user cannot be dropped", role->id == ddl->role_id ? "current" : "session");
    }
    TRY(ddl__check_role_admin(ddl, role, "drop", err));
    if (role->id == ROLE_POSTGRES_ID) {
        return error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop role %.*s because it is required by the database system", STR_ARG(role->name));
    }
    return ERR_OK;
}

static ErrorCode drop_role(Ddl *ddl, const CatalogObject *role, Error *err) {
    TRY(check_droppable(ddl, role, err));
    TRY(check_unused(ddl, role, err));
    const CatalogObject *membership = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_MEMBERSHIP, &cursor, &membership);) {
        MembershipBody body;
        TRY(membership_body_decode(membership->body, &body, err));
        if (membership->parent_id == role->id || body.member_id == role->id) {
            TRY(txn_object_drop(ddl->txn, membership->id, err));
        }
    }
    TRY(ddl__drop_details(ddl, role->id, err));
    return txn_object_drop(ddl->txn, role->id, err);
}

ErrorCode ddl__drop_roles(Ddl *ddl, const AstDrop *ast, Error *err) {
    ddl__tag(ddl, "DROP ROLE");
    if (!ddl__may_create_roles(ddl)) {
        error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to drop role"));
        return error_add(err, 'D', "Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.");
    }
    for (uint32_t i = 0; i < ast->count; i++) {
        const AstName *name = &ast->names[i].parts[0];
        const CatalogObject *role = catalog_role_find(ddl->catalog, name->text);
        if (role == NULL && ast->if_exists) {
            ddl_notice(ddl, "00000", "role \"%.*s\" does not exist, skipping", STR_ARG(name->text));
            continue;
        }
        if (role == NULL) {
            return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "role \"%.*s\" does not exist", STR_ARG(name->text));
        }
        TRY(drop_role(ddl, role, err));
    }
    return ERR_OK;
}

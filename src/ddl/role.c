/* SPDX-License-Identifier: Apache-2.0
 * role.c - CREATE, ALTER, DROP ROLE and their settings; memberships; REASSIGN and DROP OWNED.
 *
 * Passwords: a text that is a SCRAM verifier already is kept as it is; of any other the verifier is made, the password is not kept.
 * Tests:     test/sql/roles.slt */
#include "ddl/ddl_internal.h"
#include "proto/scram/scram.h"

static ErrorCode must_create_roles(Ddl *ddl, Error *err) {
    RoleBody me;
    const CatalogObject *role = ddl->catalog->object_by_id(ddl->catalog, ddl->role_id);
    bool may = role != NULL && role_body_decode(role->body, &me, NULL) == ERR_OK && (me.superuser || me.create_role);
    if (may) {
        return ERR_OK;
    }
    error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to create or change role"));
    return error_add(err, 'D', "Only roles with the CREATEROLE attribute may create or change roles.");
}

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
    for (size_t i = 0; i < sizeof salt; i += 8) {
        uint64_t chance = ddl->rand->next(ddl->rand);
        memcpy(salt + i, &chance, 8);
    }
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
    body->has_valid_until = micros != INT64_MAX;
    body->valid_until = micros;
    return ERR_OK;
}

static void take_flag(int8_t flag, bool *field) { *field = flag < 0 ? *field : flag != 0; }

static ErrorCode take_attributes(Ddl *ddl, const AstRole *ast, RoleBody *body, Error *err) {
    bool raises = ast->superuser > 0 || ast->bypass_rls > 0 || ast->replication > 0;
    if (raises && !ddl__is_superuser(ddl)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ast->name.span.at, "only superusers may give SUPERUSER, REPLICATION or BYPASSRLS");
    }
    take_flag(ast->superuser, &body->superuser);
    take_flag(ast->inherit, &body->inherit);
    take_flag(ast->create_role, &body->create_role);
    take_flag(ast->create_db, &body->create_db);
    take_flag(ast->login, &body->login);
    take_flag(ast->replication, &body->replication);
    take_flag(ast->bypass_rls, &body->bypass_rls);
    if (ast->connection_limit_given && (ast->connection_limit < -1 || ast->connection_limit > INT32_MAX)) {
        return error_set(err, ERR_INVALID_PARAMETER, ast->name.span.at, "invalid connection limit: %lld", (long long)ast->connection_limit);
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

/* ---- memberships ---- */

static const CatalogObject *membership_find(Ddl *ddl, uint32_t role_id, uint32_t member_id) {
    return ddl->catalog->object_find(ddl->catalog, OBJECT_MEMBERSHIP, role_id, arena_format(ddl->arena, "%u", member_id));
}

ErrorCode ddl__join(Ddl *ddl, uint32_t role_id, uint32_t member_id, bool admin, int64_t position, Error *err) {
    if (catalog_role_is_member(ddl->catalog, role_id, member_id, false) && !catalog_role_is_superuser(ddl->catalog, role_id)) {
        return error_set(err, ERR_INVALID_GRANT, position, "role \"%.*s\" is a member of role \"%.*s\"", STR_ARG(catalog_role_name(ddl->catalog, role_id)),
                         STR_ARG(catalog_role_name(ddl->catalog, member_id)));
    }
    const CatalogObject *old = membership_find(ddl, role_id, member_id);
    MembershipBody body = {.member_id = member_id, .grantor_id = ddl->role_id, .admin = admin, .inherit = true, .set = true};
    MembershipBody before;
    if (old != NULL && membership_body_decode(old->body, &before, NULL) == ERR_OK) {
        body.admin = admin || before.admin;
    }
    RoleBody member;
    const CatalogObject *role = ddl->catalog->object_by_id(ddl->catalog, member_id);
    if (role != NULL && role_body_decode(role->body, &member, NULL) == ERR_OK) {
        body.inherit = member.inherit;
    }
    Buffer out;
    buffer_init(&out, 4096);
    membership_body_encode(&body, &out);
    uint32_t id = 0;
    CatalogObject def = {.kind = OBJECT_MEMBERSHIP, .parent_id = role_id, .name = arena_format(ddl->arena, "%u", member_id), .body = ddl__bytes(ddl, &out)};
    if (old == NULL) {
        return txn_object_create(ddl->txn, &def, &id, err);
    }
    def.id = old->id;
    return txn_object_replace(ddl->txn, &def, err);
}

ErrorCode ddl__leave(Ddl *ddl, uint32_t role_id, uint32_t member_id, bool admin_only, Error *err) {
    const CatalogObject *old = membership_find(ddl, role_id, member_id);
    if (old == NULL) {
        ddl_notice(ddl, "01000", "role \"%.*s\" has not been granted membership in role \"%.*s\"", STR_ARG(catalog_role_name(ddl->catalog, member_id)),
                   STR_ARG(catalog_role_name(ddl->catalog, role_id)));
        return ERR_OK;
    }
    if (!admin_only) {
        return txn_object_drop(ddl->txn, old->id, err);
    }
    MembershipBody body;
    Buffer out;
    TRY(membership_body_decode(old->body, &body, err));
    body.admin = false;
    buffer_init(&out, 4096);
    membership_body_encode(&body, &out);
    CatalogObject def = *old;
    def.body = ddl__bytes(ddl, &out);
    return txn_object_replace(ddl->txn, &def, err);
}

static ErrorCode join_all(Ddl *ddl, uint32_t role_id, const AstName *members, uint32_t count, bool admin, Error *err) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t member = 0;
        TRY(ddl__role(ddl, &members[i], &member, err));
        TRY(ddl__join(ddl, role_id, member, admin, members[i].span.at, err));
    }
    return ERR_OK;
}

static ErrorCode take_members(Ddl *ddl, const AstRole *ast, uint32_t id, Error *err) {
    TRY(join_all(ddl, id, ast->members, ast->drops_members ? 0 : ast->member_count, false, err));
    TRY(join_all(ddl, id, ast->admins, ast->admin_count, true, err));
    for (uint32_t i = 0; i < ast->in_role_count; i++) {
        uint32_t role = 0;
        TRY(ddl__role(ddl, &ast->in_roles[i], &role, err));
        TRY(ddl__join(ddl, role, id, false, ast->in_roles[i].span.at, err));
    }
    for (uint32_t i = 0; ast->drops_members && i < ast->member_count; i++) {
        uint32_t member = 0;
        TRY(ddl__role(ddl, &ast->members[i], &member, err));
        TRY(ddl__leave(ddl, id, member, false, err));
    }
    return ERR_OK;
}

/* ---- CREATE, ALTER, DROP ---- */

ErrorCode ddl__create_role(Ddl *ddl, const AstRole *ast, Error *err) {
    RoleBody body = {.inherit = true, .connection_limit = -1, .login = str_equal(ast->object, STR("user"))};
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE ROLE");
    TRY(must_create_roles(ddl, err));
    Str name = ast->name.text;
    bool reserved = name.len > 3 && memcmp(name.data, "pg_", 3) == 0;
    if (reserved || (!ast->name.quoted && str_equal(name, STR("public"))) || str_equal(name, STR("none"))) {
        return error_set(err, ERR_RESERVED_NAME, ast->name.span.at, "role name \"%.*s\" is reserved", STR_ARG(name));
    }
    TRY(take_attributes(ddl, ast, &body, err));
    TRY(txn_object_create(ddl->txn, &(CatalogObject){.kind = OBJECT_ROLE, .name = name, .body = encode(ddl, &body)}, &id, err));
    return take_members(ddl, ast, id, err);
}

ErrorCode ddl__alter_role(Ddl *ddl, const AstRole *ast, Error *err) {
    uint32_t id = 0;
    RoleBody body;
    ddl__tag(ddl, "ALTER ROLE");
    TRY(ddl__role(ddl, &ast->name, &id, err));
    const CatalogObject *role = ddl->catalog->object_by_id(ddl->catalog, id);
    if (role == NULL) {
        return error_set(err, ERR_UNDEFINED_OBJECT, ast->name.span.at, "role \"%.*s\" does not exist", STR_ARG(ast->name.text));
    }
    TRY(role_body_decode(role->body, &body, err));
    bool own_password = id == ddl->role_id && ast->password_given; /* everybody may change that */
    if (!own_password) {
        TRY(must_create_roles(ddl, err));
    }
    if (body.superuser && !ddl__is_superuser(ddl)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ast->name.span.at, "must be superuser to alter superuser roles");
    }
    if (id == ROLE_POSTGRES_ID && ast->superuser == 0) {
        return error_set(err, ERR_NOT_SUPPORTED, ast->name.span.at, "the first superuser must stay one");
    }
    TRY(take_attributes(ddl, ast, &body, err));
    CatalogObject def = *role;
    def.body = encode(ddl, &body);
    TRY(txn_object_replace(ddl->txn, &def, err));
    return take_members(ddl, ast, id, err);
}

/* The first object that the role owns or is named in the privileges of. */
static const CatalogObject *owned_object(Ddl *ddl, uint32_t role_id, bool *owns_out) {
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        GrantBody body;
        if (grant_body_decode(grant->body, ddl->arena, &body, NULL) != ERR_OK) {
            continue;
        }
        *owns_out = body.owner_id == role_id;
        bool named = *owns_out;
        for (uint16_t i = 0; i < body.item_count && !named; i++) {
            named = body.items[i].grantee_id == role_id;
        }
        if (named) {
            return grant;
        }
    }
    return NULL;
}

static ErrorCode check_unused(Ddl *ddl, const CatalogObject *role, Error *err) {
    bool owns = false;
    const CatalogObject *grant = owned_object(ddl, role->id, &owns);
    if (grant == NULL) {
        return ERR_OK;
    }
    const CatalogObject *object = grant->parent_id == 0 ? NULL : ddl->catalog->object_by_id(ddl->catalog, grant->parent_id);
    Str what = object == NULL ? STR("database basalt") : ddl__describe(ddl, object);
    error_ignore(error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "role \"%.*s\" cannot be dropped because some objects depend on it", STR_ARG(role->name)));
    return error_add(err, 'D', owns ? "owner of %.*s" : "privileges for %.*s", STR_ARG(what));
}

static ErrorCode drop_role(Ddl *ddl, const CatalogObject *role, Error *err) {
    if (role->id == ROLE_POSTGRES_ID || role->id == ddl->role_id || role->id == ddl->session_role_id) {
        return error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, role->id == ROLE_POSTGRES_ID ? "the first superuser cannot be dropped" : "current user cannot be dropped");
    }
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
    TRY(must_create_roles(ddl, err));
    for (uint32_t i = 0; i < ast->count; i++) {
        const AstName *name = &ast->names[i].parts[0];
        const CatalogObject *role = catalog_role_find(ddl->catalog, name->text);
        if (role == NULL && ast->if_exists) {
            ddl_notice(ddl, "00000", "role \"%.*s\" does not exist, skipping", STR_ARG(name->text));
            continue;
        }
        if (role == NULL) {
            return error_set(err, ERR_UNDEFINED_OBJECT, name->span.at, "role \"%.*s\" does not exist", STR_ARG(name->text));
        }
        TRY(drop_role(ddl, role, err));
    }
    return ERR_OK;
}

/* ---- settings of roles and of the database ---- */

static ErrorCode reset_all(Ddl *ddl, uint32_t parent, Error *err) {
    const CatalogObject *setting = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_SETTING, &cursor, &setting);) {
        if (setting->parent_id == parent) {
            TRY(txn_object_drop(ddl->txn, setting->id, err));
        }
    }
    return ERR_OK;
}

static ErrorCode setting_text(Ddl *ddl, const AstSet *set, Str *text_out, Error *err) {
    *text_out = (Str){0};
    for (uint32_t i = 0; i < set->value_count; i++) {
        const AstExpr *value = set->values[i];
        bool plain = value->kind == AST_STRING || value->kind == AST_INTEGER || value->kind == AST_NUMBER;
        if (!plain && value->kind != AST_BOOLEAN) {
            return ddl__not_supported(value->span.at, err, "this value of a setting");
        }
        Str text = plain ? value->as.text : value->as.boolean ? STR("on") : STR("off");
        *text_out = i == 0 ? text : arena_format(ddl->arena, "%.*s, %.*s", STR_ARG(*text_out), STR_ARG(text));
    }
    return ERR_OK;
}

static ErrorCode put_setting(Ddl *ddl, uint32_t parent, const AstSet *set, Error *err) {
    Str name = set->name.parts[0].text;
    Str text = {0};
    for (uint32_t i = 1; i < set->name.count; i++) {
        name = arena_format(ddl->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(set->name.parts[i].text));
    }
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_SETTING, parent, name);
    if (set->kind == AST_RESET || set->kind == AST_SET_DEFAULT) {
        return old == NULL ? ERR_OK : txn_object_drop(ddl->txn, old->id, err);
    }
    TRY(setting_text(ddl, set, &text, err));
    CatalogObject def = {.kind = OBJECT_SETTING, .parent_id = parent, .name = name, .body = bytes_from(text.data, text.len)};
    uint32_t id = 0;
    if (old == NULL) {
        return txn_object_create(ddl->txn, &def, &id, err);
    }
    def.id = old->id;
    return txn_object_replace(ddl->txn, &def, err);
}

ErrorCode ddl__object_setting(Ddl *ddl, const AstObjectSetting *ast, Error *err) {
    bool database = str_equal(ast->object, STR("database"));
    uint32_t parent = 0;
    ddl__tag(ddl, database ? "ALTER DATABASE" : "ALTER ROLE");
    if (!database && !ast->all_roles) {
        TRY(ddl__role(ddl, &ast->name, &parent, err));
    }
    if (parent != ddl->role_id) {
        TRY(must_create_roles(ddl, err));
    }
    if (ast->set->kind != AST_SET_STATEMENT) {
        return ddl__not_supported(ast->set->span.at, err, "this setting");
    }
    const AstSet *set = ast->set->as.set;
    return set->kind == AST_RESET_ALL ? reset_all(ddl, parent, err) : put_setting(ddl, parent, set, err);
}

/* ---- REASSIGN OWNED, DROP OWNED ---- */

static ErrorCode reassign(Ddl *ddl, uint32_t from, uint32_t to, Error *err) {
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        const CatalogObject *object = ddl->catalog->object_by_id(ddl->catalog, grant->parent_id);
        if (object != NULL && catalog_owner(ddl->catalog, object->id) == from) {
            TRY(ddl__set_owner(ddl, object->kind, object->id, to, err));
        }
    }
    return ERR_OK;
}

/* Takes the role out of every list. */
static ErrorCode revoke_everything(Ddl *ddl, uint32_t role_id, Error *err) {
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        GrantBody body;
        TRY(grant_body_decode(grant->body, ddl->arena, &body, err));
        AclItem *items = arena_array(ddl->arena, AclItem, body.item_count + 1u);
        uint16_t kept = 0;
        for (uint16_t i = 0; i < body.item_count; i++) {
            if (body.items[i].grantee_id != role_id) {
                items[kept++] = body.items[i];
            }
        }
        if (kept < body.item_count) {
            body.items = items;
            body.item_count = kept;
            TRY(ddl__put_grant(ddl, grant->parent_id, &body, err));
        }
    }
    return ERR_OK;
}

static ErrorCode drop_owned(Ddl *ddl, uint32_t role_id, bool cascade, Error *err) {
    uint32_t count = 0;
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        count++;
    }
    uint32_t *ids = arena_array(ddl->arena, uint32_t, count + 1);
    count = 0;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        if (grant->parent_id >= OBJECT_FIRST_FREE_ID && catalog_owner(ddl->catalog, grant->parent_id) == role_id) {
            ids[count++] = grant->parent_id;
        }
    }
    TRY(ddl_drop(ddl, ids, count, cascade, err));
    return revoke_everything(ddl, role_id, err);
}

ErrorCode ddl__owned(Ddl *ddl, const AstOwned *ast, Error *err) {
    ddl__tag(ddl, ast->drop ? "DROP OWNED" : "REASSIGN OWNED");
    uint32_t to = 0;
    if (!ast->drop) {
        TRY(ddl__role(ddl, &ast->to, &to, err));
    }
    for (uint32_t i = 0; i < ast->role_count; i++) {
        uint32_t from = 0;
        TRY(ddl__role(ddl, &ast->roles[i], &from, err));
        if (!catalog_role_is_member(ddl->catalog, ddl->role_id, from, false)) {
            return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ast->roles[i].span.at, "permission denied to %s objects", ast->drop ? "drop" : "reassign");
        }
        TRY(ast->drop ? drop_owned(ddl, from, ast->cascade, err) : reassign(ddl, from, to, err));
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * role_rights.c - who may create, change, rename, drop and grant roles. Rules and words are PostgreSQL's.
 *
 * Rule:  superusers everything; others need CREATEROLE and the ADMIN option on the role, and hand on no attribute that they lack.
 * Tests: test/sql/role_rights.slt */
#include "ddl/ddl_internal.h"

bool ddl__role_body(Ddl *ddl, uint32_t role_id, RoleBody *body_out) {
    const CatalogObject *role = ddl->catalog->object_by_id(ddl->catalog, role_id);
    *body_out = (RoleBody){0};
    return role != NULL && role->kind == OBJECT_ROLE && role_body_decode(role->body, body_out, NULL) == ERR_OK;
}

bool ddl__may_create_roles(Ddl *ddl) {
    RoleBody me;
    return ddl__role_body(ddl, ddl->role_id, &me) && (me.superuser || me.create_role);
}

static bool is_admin_of(Ddl *ddl, uint32_t role_id) { return catalog_role_is_admin(ddl->catalog, ddl->role_id, role_id); }

static ErrorCode denied(Error *err, const char *action) {
    return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to %s", action);
}

static ErrorCode denied_attribute(Error *err, bool creates, const char *name) {
    error_ignore(denied(err, creates ? "create role" : "alter role"));
    return error_add(err, 'D', "Only roles with the %s attribute may %s the %s attribute.", name, creates ? "create roles with" : "change", name);
}

/* The attributes that a role may hand on only if it has them itself, but for SUPERUSER. */
static ErrorCode check_attributes(Ddl *ddl, const AstRole *ast, bool creates, Error *err) {
    RoleBody me;
    (void)ddl__role_body(ddl, ddl->role_id, &me);
    int8_t least = creates ? 1 : 0; /* to say NOCREATEDB of a new role is nothing */
    const struct { const char *name; bool wanted, mine; } attributes[] = {
        {"CREATEDB", ast->create_db >= least, me.create_db},
        {"REPLICATION", ast->replication >= least, me.replication},
        {"BYPASSRLS", ast->bypass_rls >= least, me.bypass_rls},
    };
    for (size_t i = 0; i < COUNT_OF(attributes); i++) {
        if (attributes[i].wanted && !attributes[i].mine) {
            return denied_attribute(err, creates, attributes[i].name);
        }
    }
    return ERR_OK;
}

ErrorCode ddl__check_create_role(Ddl *ddl, const AstRole *ast, Error *err) {
    if (ddl__is_superuser(ddl)) {
        return ERR_OK;
    }
    if (!ddl__may_create_roles(ddl)) {
        error_ignore(denied(err, "create role"));
        return error_add(err, 'D', "Only roles with the CREATEROLE attribute may create roles.");
    }
    return ast->superuser > 0 ? denied_attribute(err, true, "SUPERUSER") : check_attributes(ddl, ast, true, err);
}

/* action: "alter", "rename", "drop" */
ErrorCode ddl__check_role_admin(Ddl *ddl, const CatalogObject *role, const char *action, Error *err) {
    char what[40];
    (void)snprintf(what, sizeof what, "%s role", action);
    if (ddl__is_superuser(ddl)) {
        return ERR_OK;
    }
    if (catalog_role_is_superuser(ddl->catalog, role->id)) {
        error_ignore(denied(err, what));
        return error_add(err, 'D', "Only roles with the SUPERUSER attribute may %s roles with the SUPERUSER attribute.", action);
    }
    if (ddl__may_create_roles(ddl) && is_admin_of(ddl, role->id)) {
        return ERR_OK;
    }
    error_ignore(denied(err, what));
    return error_add(err, 'D', "Only roles with the CREATEROLE attribute and the ADMIN option on role \"%.*s\" may %s this role.", STR_ARG(role->name), action);
}

static bool says_more_than_password(const AstRole *ast) {
    return ast->inherit >= 0 || ast->create_role >= 0 || ast->create_db >= 0 || ast->login >= 0 || ast->connection_limit_given || ast->valid_until_given ||
           ast->replication >= 0 || ast->bypass_rls >= 0;
}

static ErrorCode check_outsider(Ddl *ddl, const CatalogObject *role, const AstRole *ast, Error *err) {
    if (says_more_than_password(ast)) {
        return ddl__check_role_admin(ddl, role, "alter", err);
    }
    if (ast->password_given && role->id != ddl->role_id) {
        error_ignore(denied(err, "alter role"));
        return error_add(err, 'D', "To change another role's password, the current user must have the CREATEROLE attribute and the ADMIN option on the role.");
    }
    return ERR_OK;
}

ErrorCode ddl__check_alter_role(Ddl *ddl, const CatalogObject *role, const AstRole *ast, Error *err) {
    if (ddl__is_superuser(ddl)) {
        return ERR_OK;
    }
    if (catalog_role_is_superuser(ddl->catalog, role->id)) {
        return ddl__check_role_admin(ddl, role, "alter", err);
    }
    if (ast->superuser >= 0) {
        return denied_attribute(err, false, "SUPERUSER");
    }
    bool inside = ddl__may_create_roles(ddl) && is_admin_of(ddl, role->id);
    TRY(inside ? check_attributes(ddl, ast, false, err) : check_outsider(ddl, role, ast, err));
    if (ast->member_count > 0 && !is_admin_of(ddl, role->id)) {
        error_ignore(denied(err, "alter role"));
        return error_add(err, 'D', "Only roles with the ADMIN option on role \"%.*s\" may add or drop members.", STR_ARG(role->name));
    }
    return ERR_OK;
}

ErrorCode ddl__check_membership(Ddl *ddl, uint32_t role_id, bool revoke, Error *err) {
    const char *action = revoke ? "revoke" : "grant";
    Str name = catalog_role_name(ddl->catalog, role_id);
    bool super = catalog_role_is_superuser(ddl->catalog, role_id);
    if (super ? ddl__is_superuser(ddl) : is_admin_of(ddl, role_id)) {
        return ERR_OK;
    }
    error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to %s role \"%.*s\"", action, STR_ARG(name)));
    return super ? error_add(err, 'D', "Only roles with the SUPERUSER attribute may %s roles with the SUPERUSER attribute.", action)
                 : error_add(err, 'D', "Only roles with the ADMIN option on role \"%.*s\" may %s this role.", STR_ARG(name), action);
}

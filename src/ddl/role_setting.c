/* SPDX-License-Identifier: Apache-2.0
 * role_setting.c - ALTER ROLE ... [IN DATABASE ...] SET and RESET, ALTER DATABASE ... SET and RESET.
 *
 * Why:   what they keep is applied when a session starts (session/setting_stored.c). How scopes are named: catalog/bodies.h.
 * Tests: test/sql/role_settings.slt, test/pg/login.py */
#include "ddl/ddl_internal.h"

typedef struct Scope {
    uint32_t role_id;             /* 0 = every role */
    bool in_database;
} Scope;

/* ---- what is meant, and who may ---- */

ErrorCode ddl__check_database(const AstName *name, Error *err) {
    static const Str NAMES[] = {{"basalt", 6}, {"postgres", 8}, {"qdb", 3}};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal(name->text, NAMES[i])) {
            return ERR_OK;
        }
    }
    return error_set(err, ERR_UNDEFINED_DATABASE, ERROR_NO_POSITION, "database \"%.*s\" does not exist", STR_ARG(name->text));
}

static ErrorCode check_role(Ddl *ddl, const AstName *name, uint32_t *role_id_out, Error *err) {
    const CatalogObject *role = NULL;
    TRY(ddl__role_object(ddl, name, &role, err));
    *role_id_out = role->id;
    bool own = role->id == ddl->role_id && !catalog_role_is_superuser(ddl->catalog, role->id);
    return own ? ERR_OK : ddl__check_role_admin(ddl, role, "alter", err);
}

static ErrorCode find_scope(Ddl *ddl, const AstObjectSetting *ast, Scope *scope_out, Error *err) {
    bool database = str_equal(ast->object, STR("database"));
    const AstName *database_name = database ? &ast->name : ast->database;
    *scope_out = (Scope){.in_database = database_name != NULL};
    if (!database && !ast->all_roles) {
        TRY(check_role(ddl, &ast->name, &scope_out->role_id, err));
    }
    if (database_name != NULL) {
        TRY(ddl__check_database(database_name, err));
    }
    if (scope_out->role_id != 0 || (database_name != NULL && catalog_owns(ddl->catalog, ddl->role_id, 0))) {
        return ERR_OK;
    }
    if (database_name != NULL) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be owner of database %.*s", STR_ARG(database_name->text));
    }
    if (!ddl__is_superuser(ddl)) {
        error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to alter setting"));
        return error_add(err, 'D', "Only roles with the SUPERUSER attribute may alter settings globally.");
    }
    return ERR_OK;
}

/* ---- changing ---- */

static ErrorCode reset_all(Ddl *ddl, Scope scope, Error *err) {
    const CatalogObject *setting = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_SETTING, &cursor, &setting);) {
        if (setting->parent_id == scope.role_id && setting_in_database(setting) == scope.in_database) {
            TRY(txn_object_drop(ddl->txn, setting->id, err));
        }
    }
    return ERR_OK;
}

static ErrorCode put_setting(Ddl *ddl, Scope scope, const AstSet *set, Error *err) {
    Str name = {0}, text = {0};
    bool reset = set->kind == AST_RESET || set->kind == AST_SET_DEFAULT;
    TRY(ddl->setting(ddl->context, set, &name, &text, err));
    Str key = setting_object_name(ddl->arena, scope.role_id, scope.in_database, name);
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_SETTING, scope.role_id, key);
    if (reset) {
        return old == NULL ? ERR_OK : txn_object_drop(ddl->txn, old->id, err);
    }
    CatalogObject def = {.kind = OBJECT_SETTING, .parent_id = scope.role_id, .name = key, .body = bytes_from(text.data, text.len)};
    return ddl__put_object(ddl, &def, old, err);
}

ErrorCode ddl__object_setting(Ddl *ddl, const AstObjectSetting *ast, Error *err) {
    Scope scope;
    ddl__tag(ddl, str_equal(ast->object, STR("database")) ? "ALTER DATABASE" : "ALTER ROLE");
    TRY(find_scope(ddl, ast, &scope, err));
    if (ast->set->kind != AST_SET_STATEMENT) {
        return ddl__not_supported(ast->set->span.at, err, "this setting");
    }
    const AstSet *set = ast->set->as.set;
    return set->kind == AST_RESET_ALL ? reset_all(ddl, scope, err) : put_setting(ddl, scope, set, err);
}

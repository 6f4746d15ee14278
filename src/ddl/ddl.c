/* SPDX-License-Identifier: Apache-2.0
 * ddl.c - which statement it is; schemas. */
#include "ddl/ddl_internal.h"

static ErrorCode create_schema(Ddl *ddl, const AstCreateSchema *ast, Error *err) {
    Str name = ast->name.parts[ast->name.count - 1].text;
    uint32_t owner = ddl->role_id;
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE SCHEMA");
    if (ast->owner != NULL) {
        TRY(ddl__role(ddl, ast->owner, &owner, err));
    }
    if (!ddl__may(ddl, OBJECT_NONE, 0, PRIVILEGE_CREATE) || !catalog_role_is_member(ddl->catalog, ddl->role_id, owner, MEMBERSHIP_SET)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for database basalt");
    }
    if (ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, name) != NULL && ast->if_not_exists) {
        ddl_notice(ddl, "42P06", "schema \"%.*s\" already exists, skipping", STR_ARG(name));
        return ERR_OK;
    }
    if (name.len > 3 && memcmp(name.data, "pg_", 3) == 0) {
        error_ignore(error_set(err, ERR_RESERVED_NAME, ERROR_NO_POSITION, "unacceptable schema name \"%.*s\"", STR_ARG(name)));
        return error_add(err, 'D', "The prefix \"pg_\" is reserved for system schemas.");
    }
    if (str_equal(name, STR("information_schema"))) {
        return error_set(err, ERR_DUPLICATE_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" already exists", STR_ARG(name));
    }
    TRY(txn_object_create(ddl->txn, &(CatalogObject){.kind = OBJECT_SCHEMA, .name = name}, &id, err));
    return owner == ROLE_POSTGRES_ID ? ERR_OK : ddl__set_owner(ddl, OBJECT_SCHEMA, id, owner, err);
}

ErrorCode ddl_run(Ddl *ddl, const BoundStatement *bound, Error *err) {
    const AstStatement *tree = bound->tree;
    switch (tree->kind) {
    case AST_SEQUENCE_STATEMENT: return ddl__sequence(ddl, tree->as.sequence, err);
    case AST_USER_TYPE_STATEMENT: return ddl__user_type(ddl, tree->as.user_type, err);
    case AST_ROLE_STATEMENT: return tree->as.role->alter ? ddl__alter_role(ddl, tree->as.role, err) : ddl__create_role(ddl, tree->as.role, err);
    case AST_GRANT_STATEMENT: return ddl__grant(ddl, tree->as.grant, err);
    case AST_COMMENT_STATEMENT: return ddl__comment(ddl, tree->as.comment, err);
    case AST_EXTENSION_STATEMENT: return ddl__extension(ddl, tree->as.extension, err);
    case AST_OBJECT_SETTING_STATEMENT: return ddl__object_setting(ddl, tree->as.object_setting, err);
    case AST_OWNED_STATEMENT: return ddl__owned(ddl, tree->as.owned, err);
    case AST_CREATE_SCHEMA_STATEMENT: return create_schema(ddl, tree->as.create_schema, err);
    case AST_CREATE_VIEW_STATEMENT: return ddl__create_view(ddl, tree->as.create_view, bound, err);
    case AST_DROP_STATEMENT: return ddl__drop_statement(ddl, tree->as.drop, err);
    case AST_ALTER_TABLE_STATEMENT: return ddl__alter(ddl, tree->as.alter_table, err);
    default: return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "statement of kind %d is no object's", tree->kind);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * alter.c - RENAME, OWNER TO, SET SCHEMA of tables, views, sequences, schemas, indexes, roles, the database.
 *
 * Order: what names the object by text (views, defaults) is rewritten while the old name still holds, then the object changes.
 * Tests: test/sql/alter.slt */
#include "ddl/ddl_internal.h"

static ObjectKind kind_of(Str object) {
    return str_equal(object, STR("view"))       ? OBJECT_VIEW
           : str_equal(object, STR("sequence")) ? OBJECT_SEQUENCE
           : str_equal(object, STR("schema"))   ? OBJECT_SCHEMA
           : str_equal(object, STR("type")) || str_equal(object, STR("domain")) ? OBJECT_TYPE
                                                : OBJECT_NONE;
}

static const char *tag_of(Str object) {
    static const struct { Str word; const char *tag; } tags[] = {
        {{"table", 5}, "ALTER TABLE"}, {{"view", 4}, "ALTER VIEW"}, {{"sequence", 8}, "ALTER SEQUENCE"}, {{"schema", 6}, "ALTER SCHEMA"},
        {{"index", 5}, "ALTER INDEX"}, {{"type", 4}, "ALTER TYPE"},
        {{"domain", 6}, "ALTER DOMAIN"}, {{"role", 4}, "ALTER ROLE"}, {{"user", 4}, "ALTER ROLE"},         {{"group", 5}, "ALTER ROLE"},
        {{"database", 8}, "ALTER DATABASE"},
    };
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        if (str_equal(object, tags[i].word)) {
            return tags[i].tag;
        }
    }
    return "ALTER";
}

/* ---- texts that follow ---- */

/* Defaults show the sequence's new name. */
static ErrorCode rewrite_defaults(Ddl *ddl, const CatalogObject *sequence, Error *err) {
    const TableDef *table = NULL;
    for (size_t cursor = 0; ddl->catalog->table_next(ddl->catalog, &cursor, &table);) {
        TableDef changed = *table;
        bool found = false;
        changed.columns = ddl__copy_columns(ddl, table);
        for (uint16_t i = 0; i < table->column_count; i++) {
            ColumnDef *column = &changed.columns[i];
            if (column->sequence_id == sequence->id && column->identity == IDENTITY_NONE) {
                column->default_text = bind_sequence_default(ddl->catalog, sequence, ddl->arena);
                found = true;
            }
        }
        if (found) {
            TRY(txn_table_replace(ddl->txn, &changed, &table, err));
        }
    }
    return ERR_OK;
}

static ErrorCode replace(Ddl *ddl, const CatalogObject *object, Str name, uint32_t schema_id, Error *err) {
    if (object->kind == OBJECT_TABLE) {
        const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, object->id);
        const CatalogObject *schema = ddl->catalog->object_by_id(ddl->catalog, schema_id);
        TableDef changed = *table;
        changed.name = name;
        changed.schema_id = schema_id;
        changed.schema_name = schema->name;
        return txn_table_replace(ddl->txn, &changed, &table, err);
    }
    CatalogObject def = *object;
    def.name = name;
    def.schema_id = schema_id;
    TRY(txn_object_replace(ddl->txn, &def, err));
    return object->kind == OBJECT_SEQUENCE ? rewrite_defaults(ddl, ddl->catalog->object_by_id(ddl->catalog, object->id), err) : ERR_OK;
}

static ErrorCode check_type_name(Ddl *ddl, Str name, uint32_t schema_id, Error *err) {
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_TYPE, schema_id, name);
    if (old == NULL || !str_equal(old->name, name)) {
        return ERR_OK;
    }
    return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "type \"%.*s\" already exists", STR_ARG(name));
}

static ErrorCode move(Ddl *ddl, const CatalogObject *object, Str name, const CatalogObject *schema, Error *err) {
    ViewRename rename = {.object_id = object->id, .schema_name = schema->name, .name = name};
    if (object->kind == OBJECT_TYPE) {
        TypeRespelling respelling = {.object_id = object->id, .schema_name = schema->name, .name = name};
        TRY(check_type_name(ddl, name, schema->id, err));
        TRY(ddl__respell(ddl, object, &respelling, err));
    }
    TRY(ddl_rename_in_views(ddl, &rename, err));
    return replace(ddl, object, name, schema->id, err);
}

/* ---- schemas ---- */

static ErrorCode rename_schema(Ddl *ddl, const CatalogObject *schema, Str name, Error *err) {
    static const ObjectKind kinds[] = {OBJECT_TABLE, OBJECT_VIEW, OBJECT_SEQUENCE, OBJECT_TYPE};
    const CatalogObject *object = NULL;
    if (str_starts_with(name, STR("pg_"))) {
        error_ignore(error_set(err, ERR_RESERVED_NAME, ERROR_NO_POSITION, "unacceptable schema name \"%.*s\"", STR_ARG(name)));
        return error_add(err, 'D', "The prefix \"pg_\" is reserved for system schemas.");
    }
    if (ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, name) != NULL) {
        return error_set(err, ERR_DUPLICATE_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" already exists", STR_ARG(name));
    }
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, kinds[k], &cursor, &object);) {
            if (object->schema_id == schema->id) {
                ViewRename rename = {.object_id = object->id, .schema_name = name, .name = object->name};
                TypeRespelling respelling = {.object_id = object->id, .schema_name = name, .name = object->name};
                TRY(object->kind == OBJECT_TYPE ? ddl__respell(ddl, object, &respelling, err) : ERR_OK);
                TRY(ddl_rename_in_views(ddl, &rename, err));
            }
        }
    }
    CatalogObject def = *schema;
    def.name = name;
    TRY(txn_object_replace(ddl->txn, &def, err));
    const CatalogObject *renamed = ddl->catalog->object_by_id(ddl->catalog, schema->id);
    for (size_t k = 0; k < COUNT_OF(kinds); k++) { /* tables carry the schema's name, defaults the sequence's qualified one */
        for (size_t cursor = 0; kinds[k] != OBJECT_VIEW && kinds[k] != OBJECT_TYPE && ddl->catalog->object_next(ddl->catalog, kinds[k], &cursor, &object);) {
            if (object->schema_id == schema->id) {
                TRY(object->kind == OBJECT_TABLE ? replace(ddl, object, object->name, renamed->id, err) : rewrite_defaults(ddl, object, err));
            }
        }
    }
    return ERR_OK;
}

/* ---- actions ---- */

static ErrorCode set_owner(Ddl *ddl, const CatalogObject *object, const AstName *name, Error *err) {
    uint32_t owner = 0;
    TRY(ddl__role(ddl, name, &owner, err));
    if (!catalog_role_is_member(ddl->catalog, ddl->role_id, owner, MEMBERSHIP_SET)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be able to SET ROLE \"%.*s\"", STR_ARG(name->text));
    }
    TRY(ddl__set_owner(ddl, object->kind, object->id, owner, err));
    const CatalogObject *sequence = NULL;
    for (size_t cursor = 0; object->kind == OBJECT_TABLE && ddl->catalog->object_next(ddl->catalog, OBJECT_SEQUENCE, &cursor, &sequence);) {
        if (sequence->parent_id == object->id) { /* a table's sequences have its owner */
            TRY(ddl__set_owner(ddl, OBJECT_SEQUENCE, sequence->id, owner, err));
        }
    }
    return ERR_OK;
}

static ErrorCode set_schema(Ddl *ddl, const CatalogObject *object, const AstName *name, Error *err) {
    AstNames names = {(AstName *)(uintptr_t)name, 1, name->span};
    const CatalogObject *schema = NULL;
    TRY(ddl__find(ddl, OBJECT_SCHEMA, &names, FIND, &schema, err));
    if (!ddl__may(ddl, OBJECT_SCHEMA, schema->id, PRIVILEGE_CREATE)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for schema %.*s", STR_ARG(schema->name));
    }
    if (object->schema_id == schema->id) {
        return ERR_OK;
    }
    TRY(move(ddl, object, object->name, schema, err));
    const CatalogObject *sequence = NULL;
    for (size_t cursor = 0; object->kind == OBJECT_TABLE && ddl->catalog->object_next(ddl->catalog, OBJECT_SEQUENCE, &cursor, &sequence);) {
        if (sequence->parent_id == object->id && sequence->schema_id != schema->id) {
            TRY(move(ddl, sequence, sequence->name, schema, err));
        }
    }
    return ERR_OK;
}

static ErrorCode one_action(Ddl *ddl, const CatalogObject *object, const AstAlterAction *action, Error *err) {
    switch (action->kind) {
    case AST_ALTER_RENAME_TABLE:
        if (object->kind == OBJECT_SCHEMA) {
            return rename_schema(ddl, object, action->new_name.text, err);
        }
        return move(ddl, object, action->new_name.text, ddl->catalog->object_by_id(ddl->catalog, object->schema_id), err);
    case AST_ALTER_OWNER: return set_owner(ddl, object, &action->new_name, err);
    case AST_ALTER_SET_SCHEMA: return set_schema(ddl, object, &action->new_name, err);
    default: return ddl__not_supported(action->span.at, err, "this ALTER of a %s", object_kind_name(object->kind));
    }
}

static ErrorCode alter_role(Ddl *ddl, const AstAlterTable *ast, Error *err) {
    const AstAlterAction *action = &ast->actions[0];
    if (action->kind != AST_ALTER_RENAME_TABLE) {
        return ddl__not_supported(action->span.at, err, "this ALTER of a role");
    }
    return ddl__rename_role(ddl, ast, err);
}

/* Owner of the database; other changes of it are not there. */
static ErrorCode alter_database(Ddl *ddl, const AstAlterTable *ast, Error *err) {
    const AstAlterAction *action = &ast->actions[0];
    uint32_t owner = 0;
    if (action->kind != AST_ALTER_OWNER) {
        return ddl__not_supported(action->span.at, err, "this ALTER of the database");
    }
    TRY(ddl__check_database(&ast->table.parts[0], err));
    if (!ddl__is_superuser(ddl)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be owner of database %.*s", STR_ARG(ast->table.parts[0].text));
    }
    TRY(ddl__role(ddl, &action->new_name, &owner, err));
    return ddl__set_owner(ddl, OBJECT_NONE, 0, owner, err);
}

ErrorCode ddl__alter(Ddl *ddl, const AstAlterTable *ast, Error *err) {
    const CatalogObject *object = NULL;
    ddl__tag(ddl, "%s", tag_of(ast->object));
    if (str_equal(ast->object, STR("role")) || str_equal(ast->object, STR("user")) || str_equal(ast->object, STR("group"))) {
        return alter_role(ddl, ast, err);
    }
    if (str_equal(ast->object, STR("database"))) {
        return alter_database(ddl, ast, err);
    }
    TRY(ddl__find(ddl, kind_of(ast->object), &ast->table, ast->if_exists ? FIND_IF_EXISTS : FIND, &object, err));
    if (object == NULL) {
        return ERR_OK;
    }
    TRY(ddl__must_own(ddl, object, err));
    for (uint32_t i = 0; i < ast->action_count; i++) {
        TRY(one_action(ddl, object, &ast->actions[i], err));
        object = ddl->catalog->object_by_id(ddl->catalog, object->id);
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * comment.c - COMMENT ON, CREATE EXTENSION: what is built in is there under its usual names.
 *
 * Tests: test/sql/comment.slt */
#include "catalog/constraint.h"
#include "ddl/ddl_internal.h"
#include "sql/bind/bind.h"

/* ---- COMMENT ON ---- */

/* What a comment hangs on; column_id: 0 = the object. found false: nothing that keeps comments (a function, a type that is built in). */
typedef struct CommentTarget { uint32_t object_id, column_id; bool found; } CommentTarget;

static ErrorCode column_target(Ddl *ddl, const AstNames *names, CommentTarget *target, Error *err) {
    if (names->count < 2) {
        return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "column name must be qualified");
    }
    AstNames relation = {names->parts, names->count - 1, names->span};
    Str name = names->parts[names->count - 1].text;
    const CatalogObject *object = NULL;
    TRY(ddl__find(ddl, OBJECT_NONE, &relation, FIND, &object, err));
    TRY(ddl__must_own(ddl, object, err));
    target->object_id = object->id;
    target->found = true;
    if (object->kind == OBJECT_VIEW) {
        ViewBody view;
        TRY(view_body_decode(object->body, ddl->arena, &view, err));
        for (uint16_t i = 0; i < view.column_count && target->column_id == 0; i++) {
            target->column_id = str_equal(view.columns[i].name, name) ? i + 1u : 0;
        }
    } else {
        const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, object->id);
        int number = table == NULL ? -1 : table_column_find(table, name);
        target->column_id = number < 0 ? 0 : table->columns[number].id;
    }
    return target->column_id != 0 ? ERR_OK
                                  : error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" of relation \"%.*s\" does not exist", STR_ARG(name),
                                              STR_ARG(object->name));
}

static ErrorCode constraint_target(Ddl *ddl, const AstComment *ast, CommentTarget *target, Error *err) {
    const CatalogObject *object = NULL;
    Str name = ast->name.parts[0].text;
    TRY(ddl__find(ddl, OBJECT_TABLE, &ast->on_table, FIND, &object, err));
    TRY(ddl__must_own(ddl, object, err));
    const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, object->id);
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (str_equal(table->constraints[i].name, name)) {
            *target = (CommentTarget){.object_id = table->constraints[i].id, .found = true};
            return ERR_OK;
        }
    }
    return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" for table \"%.*s\" does not exist", STR_ARG(name), STR_ARG(table->name));
}

static ErrorCode index_target(Ddl *ddl, const AstComment *ast, CommentTarget *target, Error *err) {
    const TableDef *table = NULL;
    const CatalogObject *object = NULL;
    Str name = ast->name.parts[ast->name.count - 1].text;
    TRY(relation_name_parts(&ast->name, ddl->environment->database_name, err));
    TRY(relation_schema_check(ddl->catalog, ddl->role_id, &ast->name, false, err));
    const IndexDef *index = relation_index_find(ddl->catalog, ddl->environment, &ast->name, &table);
    if (index == NULL) {
        TRY(ddl__find(ddl, OBJECT_NONE, &ast->name, FIND, &object, err));
        return error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not an index", STR_ARG(name));
    }
    if (!catalog_owns(ddl->catalog, ddl->role_id, table->id)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be owner of index %.*s", STR_ARG(name));
    }
    *target = (CommentTarget){.object_id = index->id, .found = true};
    return ERR_OK;
}

static ErrorCode object_target(Ddl *ddl, const AstComment *ast, CommentTarget *target, Error *err) {
    static const struct { Str word; ObjectKind kind; } kinds[] = {
        {{"table", 5}, OBJECT_TABLE}, {{"view", 4}, OBJECT_VIEW},     {{"sequence", 8}, OBJECT_SEQUENCE}, {{"schema", 6}, OBJECT_SCHEMA},
        {{"role", 4}, OBJECT_ROLE},   {{"extension", 9}, OBJECT_EXTENSION}, {{"type", 4}, OBJECT_TYPE},
        {{"domain", 6}, OBJECT_TYPE},
    };
    if (str_equal(ast->object, STR("database"))) {
        *target = (CommentTarget){.found = true};
        return ERR_OK;
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const CatalogObject *object = NULL;
        if (!str_equal(ast->object, kinds[i].word)) {
            continue;
        }
        if (kinds[i].kind == OBJECT_EXTENSION && ddl->catalog->object_find(ddl->catalog, OBJECT_EXTENSION, 0, ast->name.parts[0].text) == NULL) {
            return ERR_OK; /* of the built-in ones there is nothing to say */
        }
        TRY(ddl__find(ddl, kinds[i].kind, &ast->name, FIND, &object, err));
        if (str_equal(ast->object, STR("domain"))) {
            TRY(ddl__must_be_domain(ddl, object, err));
        }
        if (object->kind != OBJECT_EXTENSION) {
            TRY(ddl__must_own(ddl, object, err));
        }
        *target = (CommentTarget){.object_id = object->id, .found = true};
        return ERR_OK;
    }
    return ddl__not_supported(ast->name.span.at, err, "COMMENT ON %.*s", STR_ARG(ast->object));
}

static ErrorCode find_target(Ddl *ddl, const AstComment *ast, CommentTarget *target, Error *err) {
    *target = (CommentTarget){0};
    if (str_equal(ast->object, STR("column"))) {
        return column_target(ddl, &ast->name, target, err);
    }
    if (str_equal(ast->object, STR("constraint"))) {
        return constraint_target(ddl, ast, target, err);
    }
    return str_equal(ast->object, STR("index")) ? index_target(ddl, ast, target, err) : object_target(ddl, ast, target, err);
}

ErrorCode ddl__comment(Ddl *ddl, const AstComment *ast, Error *err) {
    CommentTarget target;
    ddl__tag(ddl, "COMMENT");
    TRY(find_target(ddl, ast, &target, err));
    if (!target.found) {
        return ERR_OK;
    }
    Str name = target.column_id == 0 ? (Str){0} : arena_format(ddl->arena, "%u", target.column_id);
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_COMMENT, target.object_id, name);
    if (ast->text->kind == AST_NULL || ast->text->as.text.len == 0) {
        return old == NULL ? ERR_OK : txn_object_drop(ddl->txn, old->id, err);
    }
    CatalogObject def = {.kind = OBJECT_COMMENT, .parent_id = target.object_id, .parent_column = target.column_id, .name = name,
                         .body = bytes_from(ast->text->as.text.data, ast->text->as.text.len)};
    return ddl__put_object(ddl, &def, old, err);
}

/* ---- CREATE EXTENSION ---- */

typedef struct ExtensionRow { Str name, version; } ExtensionRow;
/* Extensions of which every function that programs call is built in. */
static const ExtensionRow BUILT_IN[] = {
    {{"plpgsql", 7}, {"1.0", 3}},
    {{"pgcrypto", 8}, {"1.3", 3}},
    {{"uuid-ossp", 9}, {"1.1", 3}},
};

ErrorCode ddl__extension(Ddl *ddl, const AstExtension *ast, Error *err) {
    Str name = ast->name.text;
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE EXTENSION");
    bool there = str_equal(name, STR("plpgsql")) || ddl->catalog->object_find(ddl->catalog, OBJECT_EXTENSION, 0, name) != NULL;
    if (there && ast->if_not_exists) {
        ddl_notice(ddl, "42710", "extension \"%.*s\" already exists, skipping", STR_ARG(name));
        return ERR_OK;
    }
    if (there) {
        return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "extension \"%.*s\" already exists", STR_ARG(name));
    }
    for (size_t i = 0; i < COUNT_OF(BUILT_IN); i++) {
        if (str_equal(name, BUILT_IN[i].name)) {
            CatalogObject def = {.kind = OBJECT_EXTENSION, .name = name, .body = bytes_from(BUILT_IN[i].version.data, BUILT_IN[i].version.len)};
            return txn_object_create(ddl->txn, &def, &id, err);
        }
    }
    error_ignore(error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "extension \"%.*s\" is not available", STR_ARG(name)));
    return error_add(err, 'H', "Built in are plpgsql, pgcrypto and uuid-ossp.");
}

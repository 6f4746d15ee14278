/* SPDX-License-Identifier: Apache-2.0
 * view.c - CREATE [OR REPLACE] VIEW; views follow the new names of what they read.
 *
 * Why:   a view is kept as text with every name qualified and every * written out, so that it means the same under any search path and
 *        after columns were added. Renames bind the text under the old names and print it with the new one.
 * Tests: test/sql/view.slt */
#include "ddl/ddl_internal.h"

static Bytes encode(Ddl *ddl, const ViewBody *view) {
    Buffer out;
    buffer_init(&out, 64 << 20);
    view_body_encode(view, &out);
    return ddl__bytes(ddl, &out);
}

static ErrorCode take_columns(Ddl *ddl, const AstCreateView *ast, const ViewBinding *binding, ViewBody *view, Error *err) {
    ViewColumn *columns = arena_array(ddl->arena, ViewColumn, binding->column_count + 1u);
    if (ast->column_count > binding->column_count) {
        return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "CREATE VIEW specifies more column names than columns");
    }
    for (uint16_t i = 0; i < binding->column_count; i++) {
        columns[i] = binding->columns[i];
        columns[i].name = i < ast->column_count ? ast->columns[i].text : columns[i].name;
        for (uint16_t j = 0; j < i; j++) {
            if (str_equal(columns[i].name, columns[j].name)) {
                return error_set(err, ERR_DUPLICATE_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" specified more than once", STR_ARG(columns[i].name));
            }
        }
    }
    view->columns = columns;
    view->column_count = binding->column_count;
    return ERR_OK;
}

static bool same_type(Type a, Type b) { return a.id == b.id && a.precision == b.precision && a.scale == b.scale && a.length == b.length; }

/* OR REPLACE: the old columns stay as they are, new ones come behind them. */
static ErrorCode check_replaced(Ddl *ddl, const CatalogObject *old, const ViewBody *view, Error *err) {
    ViewBody before;
    TRY(view_body_decode(old->body, ddl->arena, &before, err));
    if (view->column_count < before.column_count) {
        return error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "cannot drop columns from view");
    }
    for (uint16_t i = 0; i < before.column_count; i++) {
        const ViewColumn *a = &before.columns[i];
        const ViewColumn *b = &view->columns[i];
        if (!str_equal(a->name, b->name)) {
            error_ignore(error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "cannot change name of view column \"%.*s\" to \"%.*s\"", STR_ARG(a->name),
                                   STR_ARG(b->name)));
            return error_add(err, 'H', "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
        }
        if (!same_type(a->type, b->type)) {
            return error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "cannot change data type of view column \"%.*s\"", STR_ARG(a->name));
        }
    }
    return ERR_OK;
}

static ErrorCode replace_view(Ddl *ddl, const CatalogObject *old, CatalogObject *def, const ViewBody *view, Error *err) {
    if (old->kind != OBJECT_VIEW) {
        return error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not a view", STR_ARG(old->name));
    }
    TRY(ddl__must_own(ddl, old, err));
    TRY(check_replaced(ddl, old, view, err));
    def->id = old->id;
    if (object_needs(def, old->id, 0)) {
        return error_set(err, ERR_INVALID_OBJECT_DEFINITION, ERROR_NO_POSITION, "infinite recursion detected in rules for relation \"%.*s\"", STR_ARG(old->name));
    }
    return txn_object_replace(ddl->txn, def, err);
}

static bool reads_temporary(Ddl *ddl, const BoundStatement *bound, uint32_t temp_schema_id) {
    for (uint16_t i = 0; i < bound->view.need_count; i++) {
        const CatalogObject *object = ddl->catalog->object_by_id(ddl->catalog, bound->view.needs[i].object_id);
        if (object != NULL && object->schema_id == temp_schema_id) {
            return true;
        }
    }
    return false;
}

/* The schema that the view goes to: the session's own if it is temporary, or reads what is. */
static ErrorCode place(Ddl *ddl, const AstCreateView *ast, const BoundStatement *bound, CatalogObject *def, bool *temporary_out, Error *err) {
    Str temp_name = ddl->environment->temp_schema_name;
    const CatalogObject *temp = temp_name.len == 0 ? NULL : ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, temp_name);
    bool named = ast->name.count == 2, in_temp = named && (str_equal(ast->name.parts[0].text, STR("pg_temp")) || str_equal(ast->name.parts[0].text, temp_name));
    bool reads = !ast->temporary && temp != NULL && !in_temp && reads_temporary(ddl, bound, temp->id);
    *temporary_out = temp != NULL && (ast->temporary || in_temp || reads);
    if (!*temporary_out) {
        return ast->temporary ? ddl__not_supported(ast->name.span.at, err, "a TEMPORARY view without a session") : ddl__place(ddl, &ast->name, &def->schema_id, &def->name, err);
    }
    if (named && !in_temp) {
        return error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "cannot create temporary relation in non-temporary schema");
    }
    if (reads) {
        ddl_notice(ddl, "00000", "view \"%.*s\" will be a temporary view", STR_ARG(ast->name.parts[ast->name.count - 1].text));
    }
    def->schema_id = temp->id;
    def->name = ast->name.parts[ast->name.count - 1].text;
    return ERR_OK;
}

ErrorCode ddl__create_view(Ddl *ddl, const AstCreateView *ast, const BoundStatement *bound, Error *err) {
    CatalogObject def = {.kind = OBJECT_VIEW, .needs = bound->view.needs, .need_count = bound->view.need_count};
    ViewBody view = {.text = bound->view.text, .dialect = (uint8_t)ddl->dialect};
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE VIEW");
    TRY(place(ddl, ast, bound, &def, &view.temporary, err));
    TRY(take_columns(ddl, ast, &bound->view, &view, err));
    def.body = encode(ddl, &view);
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_NONE, def.schema_id, def.name);
    if (old != NULL && str_equal(old->name, def.name) && ast->or_replace) {
        return replace_view(ddl, old, &def, &view, err);
    }
    if (old != NULL && ast->if_not_exists) {
        ddl_notice(ddl, "42P07", "relation \"%.*s\" already exists, skipping", STR_ARG(def.name));
        return ERR_OK;
    }
    TRY(txn_object_create(ddl->txn, &def, &id, err));
    return ddl_created(ddl, id, err);
}

/* ---- new names ---- */

ErrorCode ddl__view_bind(Ddl *ddl, const CatalogObject *object, const ViewBody *view, const ViewRename *rename, TypeUses *uses, Str *text_out, Error *err) {
    ViewBinding binding = {0};
    AstStatement *tree = NULL;
    size_t end = 0;
    TRY(sql_parse(view->text, 0, (Dialect)view->dialect, ddl->arena, &tree, &end, err));
    if (tree == NULL || tree->kind != AST_SELECT_STATEMENT) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "the text of view \"%.*s\" is no query", STR_ARG(object->name));
    }
    BindContext context = {.catalog = ddl->catalog, .environment = ddl->environment, .text = view->text, .dialect = (Dialect)view->dialect, .uses = uses};
    TRY(bind_view(&context, tree->as.select, rename, ddl->arena, &binding, err));
    *text_out = binding.text;
    return ERR_OK;
}

ErrorCode ddl__view_replace(Ddl *ddl, const CatalogObject *object, const ViewBody *view, Error *err) {
    CatalogObject def = *object;
    def.body = encode(ddl, view);
    return txn_object_replace(ddl->txn, &def, err);
}

static ErrorCode rewrite(Ddl *ddl, const CatalogObject *object, const ViewRename *rename, Error *err) {
    ViewBody view;
    TRY(view_body_decode(object->body, ddl->arena, &view, err));
    TRY(ddl__view_bind(ddl, object, &view, rename, NULL, &view.text, err));
    return ddl__view_replace(ddl, object, &view, err);
}

ErrorCode ddl_rename_in_views(Ddl *ddl, const ViewRename *rename, Error *err) {
    const CatalogObject *view = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_VIEW, &cursor, &view);) {
        if (object_needs(view, rename->object_id, rename->column_id)) {
            TRY(rewrite(ddl, view, rename, err));
        }
    }
    return ERR_OK;
}

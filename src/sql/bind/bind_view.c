/* SPDX-License-Identifier: Apache-2.0
 * bind_view.c - views: where one stands in FROM its text is bound as a subquery; CREATE VIEW records what the query reads and prints it
 * with qualified names.
 *
 * Why:   names in a view mean what they meant when it was made, so they are written out in the tree while it is bound, then printed.
 * Tests: test/sql/view.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"

enum { VIEW_DEPTH_MAX = 64 };

/* ---------------------------------------------------------------- recording */

static void add_need(Binder *b, uint32_t object_id, uint32_t column_id) {
    ViewRecord *record = b->record;
    if (b->context->catalog->object_by_id(b->context->catalog, object_id) == NULL) {
        return; /* the system's */
    }
    for (uint32_t i = 0; i < record->need_count; i++) {
        if (record->needs[i].object_id == object_id && record->needs[i].column_id == column_id) {
            return;
        }
    }
    if (record->need_count == record->need_capacity) {
        record->need_capacity = record->need_capacity == 0 ? 16 : record->need_capacity * 2;
        ObjectNeed *wider = arena_array(b->arena, ObjectNeed, record->need_capacity);
        if (record->need_count > 0) {
            memcpy(wider, record->needs, sizeof *wider * record->need_count);
        }
        record->needs = wider;
    }
    record->needs[record->need_count++] = (ObjectNeed){object_id, column_id};
}

static AstName plain_name(Str text) { return (AstName){.text = text, .quoted = true}; }

void record_relation(Binder *b, const AstFrom *item, uint32_t object_id, Str schema_name, Str name) {
    if (b->record == NULL) {
        return;
    }
    const ViewRename *rename = b->record->rename;
    bool renamed = rename != NULL && rename->object_id == object_id && rename->column_id == 0;
    AstFrom *from = (AstFrom *)(uintptr_t)item; /* the tree is ours to change */
    if (renamed && from->alias == NULL) {
        from->alias = arena_new(b->arena, AstName);
        *from->alias = plain_name(name);
    }
    from->as.table.parts = arena_array(b->arena, AstName, 2);
    from->as.table.parts[0] = plain_name(renamed ? rename->schema_name : schema_name);
    from->as.table.parts[1] = plain_name(renamed ? rename->name : name);
    from->as.table.count = 2;
    add_need(b, object_id, 0);
}

void record_type(Binder *b, const AstType *ast, const CatalogObject *object, bool array) {
    CatalogView *catalog = b->context->catalog;
    const CatalogObject *schema = b->record == NULL ? NULL : catalog->object_by_id(catalog, object->schema_id);
    if (schema == NULL) {
        return;
    }
    const ViewRename *rename = b->record->rename;
    bool renamed = rename != NULL && rename->object_id == object->id && rename->column_id == 0;
    Str name = renamed ? rename->name : object->name;
    AstType *type = (AstType *)(uintptr_t)ast; /* the tree is ours to change */
    type->name.parts = arena_array(b->arena, AstName, 2);
    type->name.parts[0] = plain_name(renamed ? rename->schema_name : schema->name);
    type->name.parts[1] = plain_name(array ? arena_format(b->arena, "_%.*s", STR_ARG(name)) : name);
    type->name.count = 2;
    add_need(b, object->id, 0);
}

void record_column(Binder *b, AstName *name, uint32_t table_id, int16_t number) {
    CatalogView *catalog = b->context->catalog;
    const TableDef *table = (b->record == NULL && b->uses == NULL) || table_id == 0 || number < 0 ? NULL : catalog->table_by_id(catalog, table_id);
    if (table == NULL || number >= table->column_count) {
        return;
    }
    uint32_t column_id = table->columns[number].id;
    if (name != NULL) {
        note_column(b, name, table_id, column_id);
    }
    if (b->record == NULL) {
        return;
    }
    const ViewRename *rename = b->record->rename;
    add_need(b, table_id, column_id);
    if (name != NULL && rename != NULL && rename->object_id == table_id && rename->column_id == column_id) {
        *name = plain_name(rename->name);
    }
}

/* ---------------------------------------------------------------- * written out */

static AstSelectItem star_item(Binder *b, const ScopeColumn *column) {
    AstExpr *expr = arena_new(b->arena, AstExpr);
    uint32_t count = column->qualifier.len > 0 ? 2 : 1;
    AstName *parts = arena_array(b->arena, AstName, count);
    parts[0] = plain_name(column->qualifier);
    parts[count - 1] = plain_name(column->name);
    record_column(b, &parts[count - 1], column->table_id, column->table_column);
    *expr = (AstExpr){.kind = AST_NAME, .depth = 1, .as.names = {.parts = parts, .count = count}};
    AstSelectItem item = {.expr = expr};
    if (!str_equal(parts[count - 1].text, column->name)) {
        item.alias = arena_new(b->arena, AstName);
        *item.alias = plain_name(column->name);
    }
    return item;
}

void record_star_column(Binder *b, const ScopeColumn *column) {
    ViewRecord *record = b->record;
    if (record == NULL) {
        return;
    }
    if (record->star_count == record->star_capacity) {
        record->star_capacity = record->star_capacity == 0 ? 16 : record->star_capacity * 2;
        AstSelectItem *wider = arena_array(b->arena, AstSelectItem, record->star_capacity);
        if (record->star_count > 0) {
            memcpy(wider, record->stars, sizeof *wider * record->star_count);
        }
        record->stars = wider;
    }
    record->stars[record->star_count++] = star_item(b, column);
}

/* The items of the select again, with the columns that its item `at` (a star) stood for in its place. */
void record_star(Binder *b, const AstSelect *ast, uint32_t at, uint32_t first_star) {
    ViewRecord *record = b->record;
    if (record == NULL) {
        return;
    }
    AstSelect *select = (AstSelect *)(uintptr_t)ast; /* the tree is ours to change */
    uint32_t stars = record->star_count - first_star;
    bool whole = select->kind == AST_SELECT_TABLE;
    uint32_t before = whole ? 0 : at;
    uint32_t behind = whole ? 0 : select->item_count - at - 1;
    AstSelectItem *items = arena_array(b->arena, AstSelectItem, before + stars + behind + 1);
    if (before > 0) {
        memcpy(items, select->items, sizeof *items * before);
    }
    memcpy(items + before, record->stars + first_star, sizeof *items * stars);
    if (behind > 0) {
        memcpy(items + before + stars, select->items + at + 1, sizeof *items * behind);
    }
    select->items = items;
    select->item_count = before + stars + behind;
    select->kind = whole ? AST_SELECT_QUERY : select->kind;
    record->star_count = first_star;
}

/* ---------------------------------------------------------------- CREATE VIEW */

ErrorCode record_view(Binder *b, AstSelect *select, const ViewRename *rename, ViewBinding *binding_out) {
    ViewRecord record = {.rename = rename};
    Query query = {0};
    uint32_t role_id = b->role_id;
    b->record = &record;
    b->role_id = 0; /* privileges are asked when it is read */
    ErrorCode code = bind_query(b, select, NULL, &query);
    code = code == ERR_OK ? query_settle(b, &query, NULL) : code;
    b->record = NULL;
    b->role_id = role_id;
    TRY(code);
    if (b->param_count > 0) {
        return error_set(b->err, ERR_INVALID_TABLE_DEFINITION, select->span.at, "a view cannot have parameters");
    }
    if (record.need_count > OBJECT_NEEDS_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, select->span.at, "a view reads at most %d columns", OBJECT_NEEDS_MAX);
    }
    ViewColumn *columns = arena_array(b->arena, ViewColumn, query.rel->column_count + 1u);
    for (uint16_t i = 0; i < query.rel->column_count; i++) {
        bool symbol = query.rel->columns[i].type.id == TYPE_SYMBOL;
        columns[i] = (ViewColumn){query.rel->columns[i].name, symbol ? type_of(TYPE_SYMBOL) : query.rel->columns[i].type};
    }
    Buffer text;
    buffer_init(&text, SQL_TEXT_BYTES_MAX);
    sql_deparse_select(select, b->dialect, &text);
    *binding_out = (ViewBinding){arena_str(b->arena, buffer_str(&text)), columns, query.rel->column_count, record.needs, (uint16_t)record.need_count};
    buffer_deinit(&text);
    return ERR_OK;
}

/* ---------------------------------------------------------------- a view in FROM */

ErrorCode view_select(Binder *b, const CatalogObject *object, ViewBody *view, AstSelect **select_out) {
    AstStatement *tree = NULL;
    size_t end = 0;
    TRY(view_body_decode(object->body, b->arena, view, b->err));
    TRY(sql_parse(view->text, 0, (Dialect)view->dialect, b->arena, &tree, &end, b->err));
    if (tree == NULL || tree->kind != AST_SELECT_STATEMENT) {
        return error_set(b->err, ERR_DAMAGED, ERROR_NO_POSITION, "the text of view \"%.*s\" is no query", STR_ARG(object->name));
    }
    *select_out = tree->as.select;
    return ERR_OK;
}

uint32_t view_role(Binder *b, const CatalogObject *object) {
    uint32_t owner = catalog_owner(b->context->catalog, object->id);
    return catalog_role_is_superuser(b->context->catalog, owner) ? 0 : owner;
}

static ErrorCode view_query(Binder *b, const CatalogObject *object, ViewBody *view, Query *query) {
    AstSelect *select = NULL;
    TRY(view_select(b, object, view, &select));
    b->dialect = (Dialect)view->dialect;
    TRY(bind_query(b, select, NULL, query));
    return query_settle(b, query, NULL);
}

/* The view's text sees nothing of the query around it, and reads with its owner's privileges. */
static ErrorCode isolated_query(Binder *b, const CatalogObject *object, int64_t position, ViewBody *view, Query *query) {
    Binder saved = *b;
    Error reason;
    if (b->view_depth >= VIEW_DEPTH_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, position, "views are nested deeper than %d levels", VIEW_DEPTH_MAX);
    }
    b->role_id = b->record != NULL ? 0 : view_role(b, object); /* who makes a view need not be able to read it */
    b->ctes = NULL;
    b->variables = NULL;
    b->record = NULL;
    b->err = &reason;
    b->view_depth++;
    ErrorCode code = view_query(b, object, view, query);
    b->ctes = saved.ctes;
    b->variables = saved.variables;
    b->record = saved.record;
    b->err = saved.err;
    b->view_depth = saved.view_depth;
    b->role_id = saved.role_id;
    b->dialect = saved.dialect;
    if (code == ERR_INSUFFICIENT_PRIVILEGE) {
        return error_set(b->err, code, position, "%s", reason.message);
    }
    return code == ERR_OK ? ERR_OK : error_set(b->err, code, position, "view \"%.*s\": %s", STR_ARG(object->name), reason.message);
}

ErrorCode bind_view_in_from(Binder *b, const AstFrom *item, const CatalogObject *object, Scope *scope, Rel **rel_out) {
    ViewBody view = {0};
    Query query = {0};
    const CatalogObject *schema = b->context->catalog->object_by_id(b->context->catalog, object->schema_id);
    TRY(check_privilege(b, object, PRIVILEGE_SELECT));
    TRY(isolated_query(b, object, item->span.at, &view, &query));
    record_relation(b, item, object->id, schema != NULL ? schema->name : STR("public"), object->name);
    if (query.rel->column_count != view.column_count) {
        return error_set(b->err, ERR_INTERNAL, item->span.at, "view \"%.*s\" has %u columns, not %u", STR_ARG(object->name), query.rel->column_count, view.column_count);
    }
    uint32_t first = scope->count;
    scope_add_table(b, scope, query.rel, NULL, object->name);
    for (uint16_t i = 0; i < view.column_count; i++) {
        ScopeColumn *column = &scope->columns[first + i];
        column->name = view.columns[i].name;
        column->schema = schema != NULL ? schema->name : STR("public");
        column->table_id = 0; /* a view's column is the view's, not the table's */
        column->table_column = -1;
    }
    scope->timestamp = query.timestamp;
    *rel_out = query.rel;
    return ERR_OK;
}

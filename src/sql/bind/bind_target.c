/* SPDX-License-Identifier: Apache-2.0
 * bind_target.c - the target of INSERT, UPDATE and DELETE: a table, or a view that is columns of one table.
 *
 * How:   a change through a view is one of its table, whose columns are found under the view's names and in the view's order; rows that the
 *        view's conditions leave out are not seen. A view of a view goes on to the next.
 * Rules: who changes needs the privilege on the view, the view's owner that on what lies below. Views with more to them than columns of one
 *        relation and a condition are refused as PostgreSQL does (55000); columns that are computed are 0A000.
 * Tests: test/sql/view_changes.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"

enum { TARGET_VIEWS_MAX = 16 };

/* ---- what a view must be ---- */

static ErrorCode not_updatable(Binder *b, const CatalogObject *view, uint32_t privilege, const char *why) {
    const char *verb = privilege == PRIVILEGE_INSERT ? "insert into" : privilege == PRIVILEGE_UPDATE ? "update" : "delete from";
    const char *gerund = privilege == PRIVILEGE_INSERT ? "inserting into" : privilege == PRIVILEGE_UPDATE ? "updating" : "deleting from";
    const char *event = privilege == PRIVILEGE_INSERT ? "INSERT" : privilege == PRIVILEGE_UPDATE ? "UPDATE" : "DELETE";
    error_ignore(error_set(b->err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "cannot %s view \"%.*s\"", verb, STR_ARG(view->name)));
    error_ignore(error_add(b->err, 'D', "%s", why));
    return error_add(b->err, 'H', "To enable %s the view, provide an INSTEAD OF %s trigger or an unconditional ON %s DO INSTEAD rule.", gerund, event, event);
}

/* ---- from view to table ---- */

static void take_table(Binder *b, const TableDef *table, TargetNames *names) {
    *names = (TargetNames){.names = arena_array(b->arena, Str, table->column_count + 1u), .numbers = arena_array(b->arena, uint16_t, table->column_count + 1u),
                           .count = table->column_count};
    for (uint16_t i = 0; i < table->column_count; i++) {
        names->names[i] = table->columns[i].name;
        names->numbers[i] = i;
    }
}

static int find_name(const TargetNames *names, Str name) {
    for (uint16_t i = 0; i < names->count; i++) {
        if (str_equal(names->names[i], name)) {
            return i;
        }
    }
    return -1;
}

static bool names_aggregate(const AstExpr *expr) {
    return expr->kind == AST_CALL && (expr->flags & AST_OPERATOR) == 0 && is_aggregate_name(expr->as.text);
}

/* The view's columns, each one of those below. */
static ErrorCode take_items(Binder *b, const CatalogObject *object, const ViewBody *view, const AstSelect *select, const TargetNames *below, uint32_t privilege,
                            int64_t position, TargetNames *names) {
    *names = (TargetNames){.names = arena_array(b->arena, Str, view->column_count + 1u), .numbers = arena_array(b->arena, uint16_t, view->column_count + 1u),
                           .count = view->column_count};
    for (uint32_t i = 0; i < select->item_count; i++) {
        if (names_aggregate(select->items[i].expr)) {
            return not_updatable(b, object, privilege, "Views that return aggregate functions are not automatically updatable.");
        }
    }
    for (uint32_t i = 0; i < view->column_count; i++) {
        const AstExpr *expr = i < select->item_count ? select->items[i].expr : NULL;
        bool plain = expr != NULL && expr->kind == AST_NAME;
        int place = plain ? find_name(below, expr->as.names.parts[expr->as.names.count - 1].text) : -1;
        if (place < 0) {
            return not_supported(b, position, "a change through view \"%.*s\", which has computed columns,", STR_ARG(object->name));
        }
        names->names[i] = view->columns[i].name;
        names->numbers[i] = below->numbers[place];
    }
    return ERR_OK;
}

static ErrorCode resolve(Binder *b, TargetView *target, const CatalogObject *object, uint32_t privilege, int64_t position, TargetNames *names);

static ErrorCode resolve_below(Binder *b, TargetView *target, const AstNames *from, uint32_t privilege, int64_t position, TargetNames *below) {
    Str schema = from->count > 1 ? from->parts[from->count - 2].text : (Str){0};
    const CatalogObject *object = relation_named(b, from);
    if (object != NULL && object->kind == OBJECT_VIEW) {
        return resolve(b, target, object, privilege, position, below);
    }
    TRY(b->context->catalog->table_find(b->context->catalog, schema, from->parts[from->count - 1].text, &target->base, b->err));
    TRY(check_table(b, target->base, privilege));
    TRY(privilege == PRIVILEGE_INSERT ? ERR_OK : check_table(b, target->base, PRIVILEGE_SELECT));
    take_table(b, target->base, below);
    return ERR_OK;
}

static ErrorCode resolve(Binder *b, TargetView *target, const CatalogObject *object, uint32_t privilege, int64_t position, TargetNames *names) {
    ViewBody view = {0};
    TargetNames below = {0};
    AstSelect *select = NULL;
    if (target->depth++ >= TARGET_VIEWS_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, position, "views are nested deeper than %d levels", TARGET_VIEWS_MAX);
    }
    TRY(check_privilege(b, object, privilege));
    TRY(view_select(b, object, &view, &select));
    const char *why = sql_view_fixed(select);
    if (why != NULL) {
        return not_updatable(b, object, privilege, why);
    }
    uint32_t role = b->role_id;
    b->role_id = view_role(b, object);
    const AstFrom *from = select->from[0];
    ErrorCode code = resolve_below(b, target, &from->as.table, privilege, position, &below);
    TargetCondition *condition = &target->conditions[target->condition_count++];
    *condition = (TargetCondition){.where = select->where, .dialect = view.dialect, .role_id = b->role_id, .names = below,
                                   .qualifier = from->alias != NULL ? from->alias->text : from->as.table.parts[from->as.table.count - 1].text};
    b->role_id = role;
    TRY(code);
    return take_items(b, object, &view, select, &below, privilege, position, names);
}

/* ---- the target ---- */

/* The table under the view's name and its columns' names; those that the view does not have are found by nobody (table_column). */
static const TableDef *shadow_of(Binder *b, const TargetView *target, Str name) {
    TableDef *shadow = arena_new(b->arena, TableDef);
    uint32_t stored = table_stored_count(target->base);
    *shadow = *target->base;
    shadow->name = name;
    shadow->columns = arena_array(b->arena, ColumnDef, stored + 1u);
    memcpy(shadow->columns, target->base->columns, sizeof(ColumnDef) * stored);
    for (uint16_t i = 0; i < shadow->column_count; i++) {
        shadow->columns[i].name = arena_format(b->arena, "%.*s.%.*s", STR_ARG(target->base->name), STR_ARG(target->base->columns[i].name));
    }
    for (uint16_t i = 0; i < target->names.count; i++) {
        shadow->columns[target->names.numbers[i]].name = target->names.names[i];
    }
    return shadow;
}

static ErrorCode check_each_once(Binder *b, const TargetView *target, Str name, int64_t position) {
    for (uint16_t i = 0; i < target->names.count; i++) {
        for (uint16_t j = 0; j < i; j++) {
            if (target->names.numbers[i] == target->names.numbers[j]) {
                return not_supported(b, position, "a change through view \"%.*s\", which has a column twice,", STR_ARG(name));
            }
        }
    }
    return ERR_OK;
}

ErrorCode target_check(Binder *b, const TableDef *table, uint32_t privilege) {
    return is_target_view(b, table) ? check_privilege(b, b->target->view, privilege) : check_table(b, table, privilege);
}

ErrorCode target_find(Binder *b, const AstNames *names, uint32_t privilege, bool reads, const TableDef **table_out) {
    const CatalogObject *object = relation_named(b, names);
    int64_t position = names->span.at;
    b->target = NULL;
    if (object == NULL || object->kind != OBJECT_VIEW) {
        TRY(query_table_find(b, names, table_out));
        TRY(check_table(b, *table_out, privilege));
        return reads ? check_table(b, *table_out, PRIVILEGE_SELECT) : ERR_OK;
    }
    TargetView *target = arena_new(b->arena, TargetView);
    target->view = object;
    target->conditions = arena_array(b->arena, TargetCondition, TARGET_VIEWS_MAX);
    TRY(reads ? check_privilege(b, object, PRIVILEGE_SELECT) : ERR_OK);
    TRY(resolve(b, target, object, privilege, position, &target->names));
    TRY(check_each_once(b, target, object->name, position));
    target->table = shadow_of(b, target, object->name);
    *table_out = target->table;
    b->target = target;
    return ERR_OK;
}

void target_settle(Binder *b, BoundStatement *bound) {
    if (b->target != NULL && bound->table == b->target->table) {
        bound->table = b->target->base;
    }
    b->target = NULL;
}

void target_scope(Binder *b, Scope *scope, const RelColumn *columns, const TargetNames *names, uint32_t table_id, Str qualifier, bool hidden) {
    for (uint16_t i = 0; i < names->count; i++) {
        const RelColumn *column = &columns[names->numbers[i]];
        scope_add(b, scope, (ScopeColumn){.qualifier = qualifier, .name = names->names[i], .id = column->id, .type = column->type, .symbols = column->symbols,
                                          .table_id = table_id, .table_column = (int16_t)names->numbers[i], .merged = hidden});
    }
}

ErrorCode target_conditions(Binder *b, Rel *rel, Rel **rel_out) {
    const TargetView *target = b->target;
    *rel_out = rel;
    for (uint32_t i = 0; target != NULL && i < target->condition_count; i++) {
        const TargetCondition *condition = &target->conditions[i];
        Scope scope = {0};
        const Expr *expr = NULL;
        if (condition->where == NULL) {
            continue;
        }
        Dialect dialect = b->dialect;
        uint32_t role = b->role_id;
        b->dialect = (Dialect)condition->dialect;
        b->role_id = condition->role_id;
        target_scope(b, &scope, rel->columns, &condition->names, target->base->id, condition->qualifier, false);
        ErrorCode code = bind_condition(b, &scope, condition->where, "WHERE", &expr);
        b->dialect = dialect;
        b->role_id = role;
        TRY(code);
        TRY(rel_filter(b, *rel_out, expr, rel_out));
    }
    return ERR_OK;
}

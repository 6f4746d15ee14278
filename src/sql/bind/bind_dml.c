/* SPDX-License-Identifier: Apache-2.0
 * bind_dml.c - INSERT, UPDATE, DELETE: relations whose columns are the table's columns, in order and of their types.
 *
 * Why:   VALUES become one relation with the casts already in its cells: no projection runs over them. */
#include "catalog/user_type.h"
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- defaults and single values */

/* The nearest default of the domains that a column is declared with. */
static ErrorCode domain_default(Binder *b, const ColumnDef *column, int64_t position, const Expr **expr_out) {
    ColumnDef plain = *column;
    uint32_t id = column->domain_id;
    const CatalogObject *object = NULL;
    TypeBody body;
    while (plain.default_text.len == 0 && catalog_domain_next(b->context->catalog, &id, b->arena, &body, &object)) {
        plain.default_text = body.default_text;
        plain.default_dialect = body.dialect;
    }
    plain.domain_id = 0;
    return column_default(b, &plain, position, expr_out);
}

ErrorCode column_default(Binder *b, const ColumnDef *column, int64_t position, const Expr **expr_out) {
    if (column->sequence_id != 0) {
        const Expr *next = NULL;
        TRY(sequence_next(b, column->sequence_id, position, &next));
        return coerce(b, next, column->type, CAST_ASSIGNMENT, expr_out);
    }
    if (column->default_text.len == 0 && column->domain_id != 0) {
        return domain_default(b, column, position, expr_out);
    }
    if (column->default_text.len == 0) {
        Type type = column->type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : column->type;
        *expr_out = expr_null(b, type, position);
        return ERR_OK;
    }
    Error *err = b->err;
    Error reason;
    Scope none = {.clause = "DEFAULT"};
    b->err = &reason;
    ErrorCode code = bind_stored(b, &none, column->default_text, column->default_dialect, &column->type, expr_out);
    b->err = err;
    if (code != ERR_OK) {
        return error_set(err, code, position, "default of column \"%.*s\": %s", STR_ARG(column->name), reason.message);
    }
    return ERR_OK;
}

static ErrorCode assign(Binder *b, Scope *scope, const ColumnDef *column, const AstExpr *ast, const Expr **expr_out) {
    if (ast->kind == AST_DEFAULT) {
        return column_default(b, column, ast->span.at, expr_out);
    }
    const Expr *expr = NULL;
    TRY(bind_expr(b, scope, ast, &expr));
    ErrorCode code = coerce(b, expr, column->type, CAST_ASSIGNMENT, expr_out);
    if (code == ERR_DATATYPE_MISMATCH) {
        error_ignore(error_set(b->err, code, expr->position >= 0 ? expr->position : (int64_t)ast->span.at, "column \"%.*s\" is of type %.*s but expression is of type %.*s", STR_ARG(column->name),
                               STR_ARG(type_name(b, type_bare(column->type))), STR_ARG(type_name(b, type_bare(expr->type)))));
        return error_add(b->err, 'H', "You will need to rewrite or cast the expression.");
    }
    return code;
}

/* ---------------------------------------------------------------- INSERT */

/* places[i] = where the i-th table column finds its value among the given ones, -1 = default. */
static ErrorCode target_places(Binder *b, const AstInsert *insert, const TableDef *table, int32_t **places_out, uint32_t *given_out) {
    int32_t *places = arena_array(b->arena, int32_t, table->column_count + 1);
    for (uint32_t i = 0; i < table->column_count; i++) {
        places[i] = insert->column_count == 0 ? (int32_t)i : -1;
    }
    for (uint32_t i = 0; i < insert->column_count; i++) {
        uint16_t number = 0;
        TRY(table_column(b, table, &insert->columns[i], &number));
        if (places[number] >= 0 && insert->targets != NULL && insert->targets[i] != NULL && insert->targets[places[number]] != NULL) {
            continue; /* a[1], a[2]: parts of one value */
        }
        if (places[number] >= 0) {
            return error_set(b->err, ERR_DUPLICATE_COLUMN, insert->columns[i].span.at, "column \"%.*s\" specified more than once", STR_ARG(insert->columns[i].text));
        }
        places[number] = (int32_t)i;
    }
    for (uint32_t i = 0; i < table->column_count && insert->overriding == AST_OVERRIDING_USER; i++) {
        places[i] = table->columns[i].identity != IDENTITY_NONE ? -1 : places[i]; /* what was given is passed over */
    }
    *places_out = places;
    *given_out = insert->column_count == 0 ? table->column_count : insert->column_count;
    return ERR_OK;
}

static ErrorCode check_row_length(Binder *b, const AstInsert *insert, const AstExprList *row, uint32_t number, uint32_t wanted) {
    bool all = insert->column_count > 0 || dialect_has(b->dialect, DIALECT_INSERT_NEEDS_ALL_VALUES);
    if (row->count == wanted || (row->count < wanted && !all)) {
        return ERR_OK;
    }
    int64_t at = row->count > wanted ? (int64_t)row->items[wanted]->span.at : (int64_t)row->end;
    if (b->dialect == DIALECT_POSTGRES) {
        return error_set(b->err, ERR_SYNTAX, at, row->count > wanted ? "INSERT has more expressions than target columns" : "INSERT has more target columns than expressions");
    }
    return error_set(b->err, ERR_SYNTAX, at, "row value count does not match column count [expected=%u, actual=%u, tuple=%u]", wanted, row->count, number + 1);
}

static ErrorCode check_not_null(Binder *b, const TableDef *table, const ColumnDef *column, const Expr *cell) {
    if (b->dialect != DIALECT_POSTGRES && column->not_null && expr_is_null_constant(cell)) { /* PostgreSQL says it of the row, when there is one */
        (void)error_set(b->err, ERR_NOT_NULL_VIOLATION, cell->position, "null value in column \"%.*s\" of relation \"%.*s\" violates not-null constraint",
                        STR_ARG(column->name), STR_ARG(table->name));
        (void)error_add(b->err, 's', "%.*s", STR_ARG(table->schema_name));
        (void)error_add(b->err, 't', "%.*s", STR_ARG(table->name));
        return error_add(b->err, 'c', "%.*s", STR_ARG(column->name));
    }
    return ERR_OK;
}

static bool has_parts(const AstInsert *insert, int32_t place) {
    return insert->targets != NULL && place >= 0 && (uint32_t)place < insert->column_count && insert->targets[place] != NULL;
}

/* a[1], a[3]: one after the other in an array that was NULL. */
static ErrorCode assign_parts(Binder *b, Scope *scope, const AstInsert *insert, const TableDef *table, uint16_t number, const AstExprList *row, const Expr **cell) {
    const ColumnDef *column = &table->columns[number];
    *cell = expr_null(b, column->type, row->items[0]->span.at);
    for (uint32_t i = 0; i < insert->column_count && i < row->count; i++) {
        uint16_t other = 0;
        TRY(table_column(b, table, &insert->columns[i], &other));
        if (other == number) {
            TRY(bind_array_assignment(b, scope, insert->targets[i], row->items[i], *cell, cell));
        }
    }
    return column->domain_id != 0 ? domain_checked(b, column->domain_id, *cell, cell) : ERR_OK;
}

static ErrorCode values_rel(Binder *b, const AstInsert *insert, const TableDef *table, const int32_t *places, uint32_t given, Rel **rel_out) {
    const AstSelect *source = insert->source;
    uint32_t columns = table->column_count;
    Scope none = {.clause = "VALUES"};
    TRY(rel_new(b, REL_VALUES, columns, source->span.at, rel_out));
    const Expr **cells = arena_array(b->arena, const Expr *, (size_t)source->row_count * columns + 1);
    b->merge_off = true;
    for (uint32_t r = 0; r < source->row_count; r++) {
        const AstExprList *row = &source->rows[r];
        if (b->dialect == DIALECT_POSTGRES && row->count != source->rows[0].count) {
            return error_set(b->err, ERR_SYNTAX, row->count > 0 ? row->items[0]->span.at : (uint32_t)row->end, "VALUES lists must all be the same length");
        }
        if (b->dialect == DIALECT_POSTGRES && row->count != source->rows[0].count) {
            return error_set(b->err, ERR_SYNTAX, row->count > 0 ? (int64_t)row->items[0]->span.at : (int64_t)row->end, "VALUES lists must all be the same length");
        }
        TRY(check_row_length(b, insert, row, r, given));
        for (uint32_t c = 0; c < columns; c++) {
            const Expr **cell = &cells[(size_t)r * columns + c];
            bool has = places[c] >= 0 && (uint32_t)places[c] < row->count;
            TRY(has ? check_identity(b, &table->columns[c], row->items[places[c]], insert->overriding == AST_OVERRIDING_SYSTEM, row->items[places[c]]->span.at) : ERR_OK);
            if (has && has_parts(insert, places[c])) {
                TRY(assign_parts(b, &none, insert, table, (uint16_t)c, row, cell));
                continue;
            }
            TRY(has ? assign(b, &none, &table->columns[c], row->items[places[c]], cell)
                    : column_default(b, &table->columns[c], row->items[0]->span.at, cell));
            TRY(check_not_null(b, table, &table->columns[c], *cell));
        }
    }
    RelColumn *out = rel_columns(*rel_out);
    for (uint32_t c = 0; c < columns; c++) {
        out[c].type = cells[c]->type;
        out[c].name = table->columns[c].name;
    }
    (*rel_out)->as.values.exprs = cells;
    (*rel_out)->as.values.row_count = source->row_count;
    return ERR_OK;
}

static ErrorCode query_rel(Binder *b, const AstInsert *insert, const TableDef *table, const int32_t *places, uint32_t given, Rel **rel_out) {
    Query query = {0};
    if (insert->targets != NULL) {
        return not_supported(b, insert->source->span.at, "a query that fills parts of arrays");
    }
    TRY(bind_query(b, insert->source, NULL, &query));
    if (query.rel->column_count != given) {
        bool more = query.rel->column_count > given;
        if (more || insert->column_count > 0 || dialect_has(b->dialect, DIALECT_INSERT_NEEDS_ALL_VALUES)) {
            return error_set(b->err, ERR_SYNTAX, insert->source->span.at, "INSERT has %s expressions than target columns", more ? "more" : "fewer");
        }
    }
    Type *types = arena_array(b->arena, Type, given + 1);
    const Expr **exprs = arena_array(b->arena, const Expr *, table->column_count + 1);
    Str *names = arena_array(b->arena, Str, table->column_count + 1);
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (places[c] >= 0) {
            types[places[c]] = table->columns[c].type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : table->columns[c].type;
        }
    }
    TRY(query_settle(b, &query, types));
    for (uint32_t c = 0; c < table->column_count; c++) {
        names[c] = table->columns[c].name;
        if (places[c] < 0 || (uint32_t)places[c] >= query.rel->column_count) {
            TRY(column_default(b, &table->columns[c], insert->table.span.at, &exprs[c]));
            continue;
        }
        TRY(check_identity(b, &table->columns[c], NULL, insert->overriding == AST_OVERRIDING_SYSTEM, insert->source->span.at));
        const Expr *column = expr_column(b, query.rel->columns[places[c]].id, query.rel->columns[places[c]].type, insert->source->span.at);
        exprs[c] = column;
        if (table->columns[c].type.id != TYPE_SYMBOL || column->type.id != TYPE_SYMBOL) {
            TRY(coerce(b, column, table->columns[c].type, CAST_ASSIGNMENT, &exprs[c]));
        }
    }
    return rel_project(b, query.rel, exprs, names, table->column_count, rel_out);
}

static ErrorCode default_values_rel(Binder *b, const AstInsert *insert, const TableDef *table, Rel **rel_out) {
    TRY(rel_new(b, REL_VALUES, table->column_count, insert->table.span.at, rel_out));
    const Expr **cells = arena_array(b->arena, const Expr *, table->column_count + 1);
    RelColumn *out = rel_columns(*rel_out);
    for (uint32_t c = 0; c < table->column_count; c++) {
        TRY(column_default(b, &table->columns[c], insert->table.span.at, &cells[c]));
        out[c].type = cells[c]->type;
        out[c].name = table->columns[c].name;
    }
    (*rel_out)->as.values.exprs = cells;
    (*rel_out)->as.values.row_count = 1;
    return ERR_OK;
}

static bool plain_values(const AstSelect *source) {
    return source->kind == AST_SELECT_VALUES && source->order_count == 0 && source->limit == NULL && source->with == NULL;
}

/* ON CONFLICT and RETURNING read the rows as they are stored. */
static ErrorCode insert_tail(Binder *b, const AstInsert *insert, BoundStatement *bound) {
    const TableDef *table = bound->table;
    Scope scope = {.clause = "RETURNING"};
    b->merge_off = false;
    bound->rows = row_columns(b, table, 0);
    bound->row_count = table->column_count;
    scope_add_columns(b, &scope, bound->rows, table->column_count, table, insert->alias != NULL ? insert->alias->text : table->name, false);
    scope_add_columns(b, &scope, bound->rows, table->column_count, table, STR("new"), true);
    if (insert->on_conflict != NULL) {
        TRY(bind_on_conflict(b, insert, bound));
    }
    return bind_returning(b, insert->returning, insert->returning_count, &scope, bound);
}

/* Values for a view come in the order of its columns. */
static const AstInsert *insert_named(Binder *b, const AstInsert *insert) {
    const TargetNames *names = &b->target->names;
    AstInsert *named = arena_new(b->arena, AstInsert);
    *named = *insert;
    named->columns = arena_array(b->arena, AstName, names->count + 1u);
    named->column_count = names->count;
    for (uint16_t i = 0; i < names->count; i++) {
        named->columns[i] = (AstName){.text = names->names[i], .quoted = true, .span = insert->table.span};
    }
    return named;
}

static ErrorCode insert_rows(Binder *b, const AstInsert *insert, BoundStatement *bound) {
    int32_t *places = NULL;
    uint32_t given = 0;
    declare_push(b, insert->declares, insert->declare_count);
    TRY(with_push(b, insert->with, NULL));
    const AstOnConflict *conflict = insert->on_conflict;
    bool reads = insert->returning_count > 0 || (conflict != NULL && (conflict->do_update || conflict->targets.count > 0));
    TRY(target_find(b, &insert->table, PRIVILEGE_INSERT, reads, &bound->table));
    TRY(conflict != NULL && conflict->do_update ? target_check(b, bound->table, PRIVILEGE_UPDATE) : ERR_OK);
    insert = b->target != NULL && insert->column_count == 0 ? insert_named(b, insert) : insert;
    TRY(target_places(b, insert, bound->table, &places, &given));
    bound->kind = STATEMENT_INSERT;
    if (insert->source == NULL) {
        return default_values_rel(b, insert, bound->table, &bound->rel);
    }
    TRY(plain_values(insert->source) ? values_rel(b, insert, bound->table, places, given, &bound->rel)
                                     : query_rel(b, insert, bound->table, places, given, &bound->rel));
    return with_check(b, NULL);
}

ErrorCode bind_insert(Binder *b, const AstInsert *insert, BoundStatement *bound) {
    ErrorCode code = insert_rows(b, insert, bound);
    if (code == ERR_OK && (insert->on_conflict != NULL || insert->returning_count > 0)) {
        code = insert_tail(b, insert, bound);
    }
    target_settle(b, bound);
    return code;
}

/* ---------------------------------------------------------------- UPDATE, DELETE */

typedef struct Target { const AstNames *table; const AstName *alias; AstFrom *const *more; uint32_t more_count; const AstExpr *where; uint32_t privilege, returning_count; } Target;

/* The target's rows with their places, joined with what stands in FROM or USING. Columns of the scan come first. */
static ErrorCode scan_target(Binder *b, const Target *target, Scope *scope, BoundStatement *bound, Rel **rel_out) {
    TRY(target_find(b, target->table, target->privilege, target->where != NULL || target->returning_count > 0, &bound->table));
    TRY(rel_scan(b, bound->table, true, rel_out));
    scope_add_table(b, scope, *rel_out, bound->table, target->alias != NULL ? target->alias->text : bound->table->name);
    scope->timestamp = (*rel_out)->order_column;
    TRY(target_conditions(b, *rel_out, rel_out));
    TRY(bind_from_behind(b, target->more, target->more_count, scope, *rel_out, rel_out));
    if (target->where == NULL) {
        return ERR_OK;
    }
    const Expr *condition = NULL;
    TRY(bind_condition(b, scope, target->where, "WHERE", &condition));
    return rel_filter(b, *rel_out, condition, rel_out);
}

static ErrorCode set_column(Binder *b, Scope *scope, const TableDef *table, const AstName *name, const AstExpr *value, const Expr **exprs, bool *taken) {
    uint16_t number = 0;
    TRY(table_column(b, table, name, &number));
    if (taken[number]) {
        return error_set(b->err, ERR_SYNTAX, b->dialect == DIALECT_POSTGRES ? (int64_t)ERROR_NO_POSITION : (int64_t)name->span.at, "multiple assignments to same column \"%.*s\"", STR_ARG(name->text));
    }
    taken[number] = true;
    scope->clause = "UPDATE";
    TRY(check_identity_update(b, &table->columns[number], value));
    TRY(assign(b, scope, &table->columns[number], value, &exprs[number]));
    return check_not_null(b, table, &table->columns[number], exprs[number]);
}

static ErrorCode wrong_count(Binder *b, const AstAssignment *assignment) {
    return error_set(b->err, ERR_SYNTAX, assignment->value->span.at, "number of columns does not match number of values");
}

/* (SELECT c_i FROM (query) AS row(c_0, c_1 ...)) for a query whose columns are not written one by one. */
static AstSelect *select_one(Binder *b, const AstAssignment *assignment, AstSelect *query, uint32_t i) {
    AstFrom *from = arena_new(b->arena, AstFrom);
    AstFrom **list = arena_array(b->arena, AstFrom *, 1);
    AstSelect *one = arena_new(b->arena, AstSelect);
    AstSelectItem *item = arena_new(b->arena, AstSelectItem);
    AstName *alias = arena_new(b->arena, AstName), *columns = arena_array(b->arena, AstName, assignment->column_count);
    Span span = assignment->value->span;
    *alias = (AstName){.text = STR("row of set"), .span = span};
    for (uint32_t k = 0; k < assignment->column_count; k++) {
        columns[k] = (AstName){.text = arena_format(b->arena, "column %u", k), .span = span};
    }
    *from = (AstFrom){.kind = AST_FROM_SUBQUERY, .alias = alias, .columns = columns, .column_count = assignment->column_count, .span = span, .as.select = query};
    list[0] = from;
    *item = (AstSelectItem){.expr = ast_make(b, assignment->value, AST_NAME, (Str){0}), .span = span};
    item->expr->as.names = (AstNames){.parts = &columns[i], .count = 1, .span = span};
    *one = (AstSelect){.kind = AST_SELECT_QUERY, .span = span, .items = item, .item_count = 1, .from = list, .from_count = 1};
    return one;
}

static bool has_star_item(const AstSelect *select) {
    for (uint32_t i = 0; i < select->item_count; i++) {
        if (select->items[i].expr->kind == AST_STAR) {
            return true;
        }
    }
    return false;
}

/* Its items may stand alone: no star among them, and nothing counts or compares them. */
static bool items_stand_alone(const AstSelect *select) {
    return select->kind == AST_SELECT_QUERY && !has_star_item(select) && select->order_count == 0 && !select->distinct && select->group_count == 0;
}

/* SET (a, b) = (SELECT x, y ...): one subquery a column. */
static ErrorCode set_from_query(Binder *b, Scope *scope, const TableDef *table, const AstAssignment *assignment, const Expr **exprs, bool *taken) {
    const AstSelect *select = assignment->value->kind == AST_SUBQUERY ? assignment->value->as.select : NULL;
    if (select == NULL) {
        return not_supported(b, assignment->value->span.at, "SET (...) = this expression");
    }
    if (select->kind == AST_SELECT_QUERY && !has_star_item(select) && select->item_count != assignment->column_count) {
        return wrong_count(b, assignment);
    }
    for (uint32_t i = 0; i < assignment->column_count; i++) {
        AstSelect *one = arena_new(b->arena, AstSelect);
        AstExpr *value = arena_new(b->arena, AstExpr);
        if (items_stand_alone(select)) {
            *one = *select;
            one->items = &select->items[i];
            one->item_count = 1;
        } else {
            one = select_one(b, assignment, assignment->value->as.select, i);
        }
        *value = *assignment->value;
        value->kind = AST_SUBQUERY;
        value->as.select = one;
        TRY(set_column(b, scope, table, &assignment->columns[i], value, exprs, taken));
    }
    return ERR_OK;
}

static bool is_element_assignment(const Expr *expr) {
    return expr->kind == EXPR_CALL && (expr->as.call.function == function_bound(BOUND_ASSIGN) || expr->as.call.function == function_bound(BOUND_ASSIGN_SLICE));
}

/* SET a[1] = x, a[2] = y: one after the other in the same array. */
static ErrorCode set_element(Binder *b, Scope *scope, const TableDef *table, const AstAssignment *assignment, const Expr **exprs, bool *taken) {
    const AstName *name = &assignment->columns[0];
    uint16_t number = 0;
    TRY(table_column(b, table, name, &number));
    if (taken[number] && !is_element_assignment(exprs[number])) {
        return error_set(b->err, ERR_SYNTAX, b->dialect == DIALECT_POSTGRES ? (int64_t)ERROR_NO_POSITION : (int64_t)name->span.at, "multiple assignments to same column \"%.*s\"", STR_ARG(name->text));
    }
    taken[number] = true;
    scope->clause = "UPDATE";
    return bind_array_assignment(b, scope, assignment->target, assignment->value, exprs[number], &exprs[number]);
}

static ErrorCode set_columns(Binder *b, Scope *scope, const TableDef *table, const AstAssignment *assignment, const Expr **exprs, bool *taken) {
    const AstExpr *value = assignment->value;
    if (assignment->has_field) {
        uint16_t number = 0;
        TRY(table_column(b, table, &assignment->columns[0], &number));
        return error_set(b->err, ERR_DATATYPE_MISMATCH, assignment->columns[0].span.at, "cannot assign to a field of column \"%.*s\" because its type %.*s is not a composite type",
                         STR_ARG(assignment->columns[0].text), STR_ARG(type_name(b, table->columns[number].type)));
    }
    if (assignment->target != NULL) {
        return set_element(b, scope, table, assignment, exprs, taken);
    }
    if (assignment->column_count == 1 && value->kind != AST_ROW) {
        return set_column(b, scope, table, &assignment->columns[0], value, exprs, taken);
    }
    if (value->kind != AST_ROW) {
        return set_from_query(b, scope, table, assignment, exprs, taken);
    }
    if (value->arg_count != assignment->column_count) {
        return wrong_count(b, assignment);
    }
    for (uint32_t i = 0; i < assignment->column_count; i++) {
        TRY(set_column(b, scope, table, &assignment->columns[i], value->args[i], exprs, taken));
    }
    return ERR_OK;
}

ErrorCode set_assignments(Binder *b, Scope *scope, const TableDef *table, const AstAssignment *set, uint32_t count, const Expr **exprs,
                          bool *taken) {
    for (uint32_t i = 0; i < count; i++) {
        TRY(set_columns(b, scope, table, &set[i], exprs, taken));
    }
    return ERR_OK;
}

/* Everything that FROM and WHERE can see is carried along for RETURNING: all of rel's columns but the place. */
typedef struct Carried { const Expr **exprs; Str *names; uint32_t count; } Carried;

static void carry(Binder *b, const Rel *rel, uint32_t place, Carried *carried) {
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (i != place) {
            carried->exprs[carried->count] = rel_column_expr(b, rel, i);
            carried->names[carried->count++] = rel->columns[i].name;
        }
    }
}

/* The scope's columns stand for rel's; those that RETURNING reads are the projection's. */
static void scope_moved(Binder *b, Scope *to, const Scope *from, const Rel *rel, uint32_t place, const RelColumn *moved, Str skipped_qualifier) {
    for (uint32_t i = 0; i < from->count; i++) {
        ScopeColumn column = from->columns[i];
        if (skipped_qualifier.data != NULL && str_equal(column.qualifier, skipped_qualifier)) {
            continue;
        }
        uint32_t at = 0;
        for (uint32_t c = 0; c < rel->column_count; c++) {
            if (c == place) {
                continue;
            }
            if (rel->columns[c].id == column.id) {
                column.id = moved[at].id;
                scope_add(b, to, column);
                break;
            }
            at++;
        }
    }
}

static ErrorCode update_rows(Binder *b, const AstUpdate *update, BoundStatement *bound) {
    Scope scope = {0};
    Rel *rel = NULL;
    if (update->cursor != NULL) {
        return not_supported(b, update->cursor->span.at, "WHERE CURRENT OF");
    }
    declare_push(b, update->declares, update->declare_count);
    TRY(with_push(b, update->with, NULL));
    Target target = {&update->table, update->alias, update->from, update->from_count, update->where, PRIVILEGE_UPDATE, update->returning_count};
    TRY(scan_target(b, &target, &scope, bound, &rel));
    const TableDef *table = bound->table;
    uint32_t columns = table->column_count;
    Carried out = {arena_array(b->arena, const Expr *, columns + rel->column_count + 2), arena_array(b->arena, Str, columns + rel->column_count + 2), 0};
    out.exprs[0] = rel_column_expr(b, rel, columns);
    out.names[0] = STR("row_ref");
    for (uint32_t i = 0; i < columns; i++) {
        out.exprs[i + 1] = rel_column_expr(b, rel, i);
        out.names[i + 1] = table->columns[i].name;
    }
    bool *assigned = arena_array(b->arena, bool, columns + 1u);
    bound->assigned = assigned;
    TRY(set_assignments(b, &scope, table, update->set, update->set_count, out.exprs + 1, assigned));
    out.count = columns + 1;
    if (update->returning_count > 0) {
        carry(b, rel, columns, &out);
    }
    bound->kind = STATEMENT_UPDATE;
    TRY(with_check(b, NULL));
    TRY(rel_project(b, rel, out.exprs, out.names, out.count, &bound->rel));
    if (update->returning_count == 0) {
        return ERR_OK;
    }
    RelColumn *rows = row_columns(b, table, out.count - columns - 1);
    Scope after = {.clause = "RETURNING"};
    Str qualifier = update->alias != NULL ? update->alias->text : table->name;
    memcpy(rows + columns, bound->rel->columns + columns + 1, sizeof *rows * (out.count - columns - 1));
    bound->rows = rows;
    bound->row_count = out.count - 1;
    scope_add_columns(b, &after, rows, columns, table, qualifier, false);
    scope_moved(b, &after, &scope, rel, columns, rows + columns, qualifier);
    scope_add_columns(b, &after, rows, columns, table, STR("new"), true);
    scope_add_columns(b, &after, rows + columns, columns, table, STR("old"), true);
    return bind_returning(b, update->returning, update->returning_count, &after, bound);
}

ErrorCode bind_update(Binder *b, const AstUpdate *update, BoundStatement *bound) {
    ErrorCode code = update_rows(b, update, bound);
    target_settle(b, bound);
    return code;
}

static ErrorCode delete_rows(Binder *b, const AstDelete *delete_, BoundStatement *bound) {
    Scope scope = {0};
    Rel *rel = NULL;
    if (delete_->cursor != NULL) {
        return not_supported(b, delete_->cursor->span.at, "WHERE CURRENT OF");
    }
    TRY(with_push(b, delete_->with, NULL));
    Target target = {&delete_->table, delete_->alias, delete_->using_from, delete_->using_count, delete_->where, PRIVILEGE_DELETE, delete_->returning_count};
    TRY(scan_target(b, &target, &scope, bound, &rel));
    uint32_t columns = bound->table->column_count;
    Carried out = {arena_array(b->arena, const Expr *, rel->column_count + 2), arena_array(b->arena, Str, rel->column_count + 2), 1};
    out.exprs[0] = rel_column_expr(b, rel, columns);
    out.names[0] = STR("row_ref");
    if (delete_->returning_count > 0) {
        carry(b, rel, columns, &out);
    }
    bound->kind = STATEMENT_DELETE;
    TRY(with_check(b, NULL));
    TRY(rel_project(b, rel, out.exprs, out.names, out.count, &bound->rel));
    if (delete_->returning_count == 0) {
        return ERR_OK;
    }
    Scope after = {.clause = "RETURNING"};
    bound->rows = bound->rel->columns + 1;
    bound->row_count = out.count - 1;
    scope_moved(b, &after, &scope, rel, columns, bound->rows, (Str){0});
    scope_add_columns(b, &after, bound->rows, columns, bound->table, STR("old"), true);
    return bind_returning(b, delete_->returning, delete_->returning_count, &after, bound);
}

ErrorCode bind_delete(Binder *b, const AstDelete *delete_, BoundStatement *bound) {
    ErrorCode code = delete_rows(b, delete_, bound);
    target_settle(b, bound);
    return code;
}

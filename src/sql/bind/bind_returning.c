/* SPDX-License-Identifier: Apache-2.0
 * bind_returning.c - RETURNING and ON CONFLICT: expressions over rows as they are stored, are there, or were to come.
 *
 * Tests: test/sql/returning.slt, on_conflict.slt */
#include "sql/bind/bind_internal.h"

RelColumn *row_columns(Binder *b, const TableDef *table, uint32_t more) {
    RelColumn *columns = arena_array(b->arena, RelColumn, table->column_count + more + 1u);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const ColumnDef *column = &table->columns[i];
        columns[i] = (RelColumn){.id = column_new(b, column->symbols), .type = column->type, .name = column->name, .symbols = column->symbols,
                                 .table_id = table->id, .table_column = (int16_t)i};
    }
    return columns;
}

void scope_add_columns(Binder *b, Scope *scope, const RelColumn *columns, uint32_t count, const TableDef *table, Str qualifier, bool hidden) {
    if (is_target_view(b, table)) {
        target_scope(b, scope, columns, &b->target->names, table->id, qualifier, hidden);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        scope_add(b, scope, (ScopeColumn){.qualifier = qualifier, .schema = hidden ? (Str){0} : table->schema_name, .name = columns[i].name, .id = columns[i].id,
                                          .type = columns[i].type, .symbols = columns[i].symbols, .table_id = table->id, .table_column = (int16_t)i,
                                          .merged = hidden});
    }
}

/* ---- RETURNING ---- */

typedef struct Returned { const Expr **exprs; RelColumn *columns; uint32_t count; } Returned;

static void add_returned(Binder *b, Returned *out, const Expr *expr, Str name, const ScopeColumn *origin) {
    out->exprs[out->count] = expr;
    out->columns[out->count++] = (RelColumn){.id = column_new(b, expr_symbols(b, expr)), .type = expr->type, .name = name, .symbols = expr_symbols(b, expr),
                                             .table_id = origin != NULL ? origin->table_id : 0, .table_column = origin != NULL ? origin->table_column : 0};
}

static ErrorCode add_star(Binder *b, const Scope *scope, const AstExpr *star, Returned *out) {
    bool qualified = star->as.names.count > 0;
    uint32_t before = out->count;
    for (uint32_t i = 0; i < scope->count; i++) {
        const ScopeColumn *column = &scope->columns[i];
        if (qualified ? !name_same(&star->as.names.parts[star->as.names.count - 1], column->qualifier) : column->merged && !column->in_star) {
            continue;
        }
        add_returned(b, out, expr_column(b, column->id, column->type, star->span.at), column->name, column);
    }
    if (out->count == before && qualified) {
        return error_set(b->err, ERR_UNDEFINED_TABLE, star->span.at, "missing FROM-clause entry for table \"%.*s\"",
                         STR_ARG(star->as.names.parts[star->as.names.count - 1].text));
    }
    return ERR_OK;
}

static const ScopeColumn *origin_of(const Scope *scope, const Expr *expr) {
    for (uint32_t i = 0; expr->kind == EXPR_COLUMN && i < scope->count; i++) {
        if (scope->columns[i].id == expr->as.column) {
            return &scope->columns[i];
        }
    }
    return NULL;
}

ErrorCode bind_returning(Binder *b, const AstSelectItem *items, uint32_t count, const Scope *scope_in, BoundStatement *bound) {
    Scope scope = *scope_in;
    size_t room = count + (size_t)count * scope.count + 1;
    Returned out = {arena_array(b->arena, const Expr *, room), arena_array(b->arena, RelColumn, room), 0};
    scope.clause = "RETURNING";
    for (uint32_t i = 0; i < count; i++) {
        const Expr *expr = NULL;
        if (items[i].expr->kind == AST_STAR) {
            TRY(add_star(b, &scope, items[i].expr, &out));
            continue;
        }
        TRY(bind_expr(b, &scope, items[i].expr, &expr));
        TRY(coerce_known(b, expr, &expr));
        add_returned(b, &out, expr, item_name(b, &items[i]), origin_of(&scope, expr));
    }
    bound->returning = out.exprs;
    bound->returning_columns = out.columns;
    bound->returning_count = out.count;
    return ERR_OK;
}

/* ---- ON CONFLICT ---- */

/* A unique index of exactly these columns and expressions, in any order; a predicate must be said if it has one. */
static bool index_fits(Binder *b, const TableDef *table, const IndexDef *index, const AstOnConflict *conflict) {
    if (!index->is_unique || index->internal || index->key_count > conflict->targets.count || (index->predicate_column_id != 0 && conflict->target_where == NULL)) {
        return false;
    }
    bool *used = arena_array(b->arena, bool, conflict->targets.count + 1);
    for (uint16_t k = 0; k < index->key_count; k++) {
        bool any = false;
        for (uint32_t i = 0; i < conflict->targets.count; i++) {
            const AstExpr *target = conflict->targets.items[i];
            bool found;
            if (index->keys[k].text.len == 0) {
                int number = table_column_by_id(table, index->keys[k].column_id);
                found = target->kind == AST_NAME && target->as.names.count == 1 && number >= 0 && name_same(&target->as.names.parts[0], table->columns[number].name);
            } else {
                found = str_equal(expression_text(b, target), index->keys[k].text);
            }
            used[i] = used[i] || found;
            any = any || found;
        }
        if (!any) {
            return false;
        }
    }
    bool all = true; /* (a, a) names a alone */
    for (uint32_t i = 0; i < conflict->targets.count; i++) {
        all = all && used[i];
    }
    return all;
}

static ErrorCode check_targets(Binder *b, const TableDef *table, const AstOnConflict *conflict) {
    for (uint32_t i = 0; i < conflict->targets.count; i++) {
        const AstExpr *target = conflict->targets.items[i];
        uint16_t number = 0;
        if (target->kind == AST_NAME && target->as.names.count == 1) {
            TRY(table_column(b, table, &target->as.names.parts[0], &number));
        }
    }
    return ERR_OK;
}

static ErrorCode find_arbiter(Binder *b, const TableDef *table, const AstOnConflict *conflict, uint32_t *index_id_out) {
    *index_id_out = 0;
    if (conflict->constraint != NULL) {
        for (uint16_t i = 0; i < table->constraint_count; i++) {
            const ConstraintDef *constraint = &table->constraints[i];
            bool key = constraint->kind == CONSTRAINT_PRIMARY_KEY || constraint->kind == CONSTRAINT_UNIQUE;
            if (key && name_same(conflict->constraint, constraint->name)) {
                *index_id_out = constraint->index_id;
                return ERR_OK;
            }
        }
        return error_set(b->err, ERR_UNDEFINED_OBJECT, conflict->constraint->span.at, "constraint \"%.*s\" for table \"%.*s\" does not exist",
                         STR_ARG(conflict->constraint->text), STR_ARG(table->name));
    }
    if (conflict->targets.count == 0) {
        return conflict->do_update ? error_set(b->err, ERR_SYNTAX, conflict->span.at, "ON CONFLICT DO UPDATE requires inference specification or constraint name")
                                   : ERR_OK;
    }
    TRY(check_targets(b, table, conflict));
    for (uint16_t i = 0; i < table->index_count; i++) {
        if (index_fits(b, table, &table->indexes[i], conflict)) {
            *index_id_out = table->indexes[i].id;
            return ERR_OK;
        }
    }
    return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, b->dialect == DIALECT_POSTGRES ? (int64_t)ERROR_NO_POSITION : (int64_t)conflict->span.at, "there is no unique or exclusion constraint matching the ON CONFLICT specification");
}

ErrorCode bind_on_conflict(Binder *b, const AstInsert *insert, BoundStatement *bound) {
    const AstOnConflict *ast = insert->on_conflict;
    const TableDef *table = bound->table;
    BoundConflict *conflict = arena_new(b->arena, BoundConflict);
    bound->conflict = conflict;
    TRY(find_arbiter(b, table, ast, &conflict->index_id));
    conflict->update = ast->do_update;
    if (!ast->do_update) {
        return ERR_OK;
    }
    uint32_t count = table->column_count;
    RelColumn *columns = arena_array(b->arena, RelColumn, 2 * (size_t)count + 1);
    memcpy(columns, row_columns(b, table, 0), sizeof *columns * count);
    memcpy(columns + count, row_columns(b, table, 0), sizeof *columns * count);
    conflict->columns = columns;
    Scope scope = {.clause = "UPDATE"};
    scope_add_columns(b, &scope, columns, count, table, insert->alias != NULL ? insert->alias->text : table->name, false);
    scope_add_columns(b, &scope, columns + count, count, table, STR("excluded"), true);
    conflict->set = arena_array(b->arena, const Expr *, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        conflict->set[i] = expr_column(b, columns[i].id, columns[i].type, ERROR_NO_POSITION);
    }
    TRY(set_assignments(b, &scope, table, ast->set, ast->set_count, conflict->set, arena_array(b->arena, bool, count + 1u)));
    return ast->where != NULL ? bind_condition(b, &scope, ast->where, "WHERE", &conflict->where) : ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * bind_table_rows.c - what is asked of a table's rows without a statement that says it: expressions over them in their order (checks, index
 * expressions, COPY ... FROM ... WHERE), and a rewrite of them all.
 *
 * Tests: test/sql/alter_type.slt, test/sql/domain.slt, test/pg/copying.py */
#include "sql/bind/bind_internal.h"

typedef struct TableRows {
    Binder binder;
    Scope scope;
    Rel *rel;
    BoundStatement *bound;
    const Expr **exprs;     /* `room` of each, to be filled in */
    Str *names;
} TableRows;

static ErrorCode rows_begin(TableRows *rows, const BindContext *context, const TableDef *table, StatementKind kind, const char *clause, uint32_t room,
                            Arena *arena, Error *err) {
    *rows = (TableRows){.scope.clause = clause, .bound = arena_new(arena, BoundStatement), .exprs = arena_array(arena, const Expr *, room + 1u),
                        .names = arena_array(arena, Str, room + 1u)};
    binder_begin(&rows->binder, context, arena, err);
    rows->bound->kind = (uint8_t)kind;
    rows->bound->timestamp_index = -1;
    TRY(rel_scan(&rows->binder, table, kind == STATEMENT_UPDATE, &rows->rel));
    scope_add_table(&rows->binder, &rows->scope, rows->rel, table, table->name);
    return ERR_OK;
}

static ErrorCode rows_end(TableRows *rows, ErrorCode code, uint32_t count, BoundStatement **bound_out) {
    code = code == ERR_OK ? rel_project(&rows->binder, rows->rel, rows->exprs, rows->names, count, &rows->bound->rel) : code;
    binder_end(&rows->binder);
    *bound_out = rows->bound;
    return code;
}

ErrorCode bind_table_expressions(const BindContext *context, const TableDef *table, const TableExpression *expressions, uint32_t count, Arena *arena,
                                 BoundStatement **bound_out, Error *err) {
    TableRows rows;
    Binder *b = &rows.binder;
    ErrorCode code = rows_begin(&rows, context, table, STATEMENT_SELECT, "a table's expression", count, arena, err);
    for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
        rows.names[i] = STR("x");
        b->domain_value = expressions[i].value_column > 0 ? rel_column_expr(b, rows.rel, (uint32_t)expressions[i].value_column - 1) : NULL;
        code = bind_stored(b, &rows.scope, expressions[i].text, expressions[i].dialect, &expressions[i].type, &rows.exprs[i]);
    }
    return rows_end(&rows, code, count, bound_out);
}

static ErrorCode copy_condition(TableRows *rows, const AstExpr *where) {
    Binder *b = &rows->binder;
    rows->names[0] = STR("x");
    TRY(bind_expr(b, &rows->scope, where, &rows->exprs[0]));
    TRY(coerce_boolean(b, rows->exprs[0], "WHERE", &rows->exprs[0]));
    if ((rows->exprs[0]->flags & EXPR_HAS_SUBQUERY) != 0) {
        return error_set(b->err, ERR_NOT_SUPPORTED, where->span.at, "cannot use subquery in COPY FROM WHERE condition");
    }
    return b->param_count == 0 ? ERR_OK : error_set(b->err, ERR_UNDEFINED_PARAMETER, b->param_positions[0], "there is no parameter $1");
}

ErrorCode bind_copy_condition(const BindContext *context, const TableDef *table, const AstExpr *where, Arena *arena, BoundStatement **bound_out, Error *err) {
    TableRows rows;
    ErrorCode code = rows_begin(&rows, context, table, STATEMENT_SELECT, "COPY FROM WHERE conditions", 1, arena, err);
    code = code == ERR_OK ? copy_condition(&rows, where) : code;
    return rows_end(&rows, code, 1, bound_out);
}

/* The row's place first, then its columns as they are. */
ErrorCode bind_table_rewrite(const BindContext *context, const TableDef *table, Arena *arena, BoundStatement **bound_out, Error *err) {
    TableRows rows;
    ErrorCode code = rows_begin(&rows, context, table, STATEMENT_UPDATE, "a table's rows", table->column_count + 1u, arena, err);
    rows.bound->table = table;
    for (uint32_t i = 0; i <= table->column_count && code == ERR_OK; i++) {
        uint32_t from = i == 0 ? table->column_count : i - 1;
        rows.exprs[i] = rel_column_expr(&rows.binder, rows.rel, from);
        rows.names[i] = rows.rel->columns[from].name;
    }
    return rows_end(&rows, code, table->column_count + 1u, bound_out);
}

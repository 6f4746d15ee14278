/* SPDX-License-Identifier: Apache-2.0
 * bind_copy.c - the condition of COPY ... FROM ... WHERE, as a SELECT of it over the table's rows in their order. */
#include "sql/bind/bind_internal.h"

ErrorCode bind_copy_condition(const BindContext *context, const TableDef *table, const AstExpr *where, Arena *arena, BoundStatement **bound_out, Error *err) {
    Binder b;
    binder_begin(&b, context, arena, err);
    BoundStatement *bound = arena_new(arena, BoundStatement);
    bound->kind = STATEMENT_SELECT;
    bound->timestamp_index = -1;
    Rel *rel = NULL;
    Scope scope = {0};
    const Expr **exprs = arena_array(arena, const Expr *, 1);
    Str *names = arena_array(arena, Str, 1);
    names[0] = STR("x");
    ErrorCode code = rel_scan(&b, table, false, &rel);
    if (code == ERR_OK) {
        scope_add_table(&b, &scope, rel, table, table->name);
        scope.clause = "COPY FROM WHERE conditions";
        code = bind_expr(&b, &scope, where, &exprs[0]);
        code = code == ERR_OK ? coerce_boolean(&b, exprs[0], "WHERE", &exprs[0]) : code;
    }
    if (code == ERR_OK && (exprs[0]->flags & EXPR_HAS_SUBQUERY) != 0) {
        code = error_set(err, ERR_NOT_SUPPORTED, where->span.at, "cannot use subquery in COPY FROM WHERE condition");
    }
    if (code == ERR_OK && b.param_count > 0) {
        code = error_set(err, ERR_UNDEFINED_PARAMETER, b.param_positions[0], "there is no parameter $1");
    }
    code = code == ERR_OK ? rel_project(&b, rel, exprs, names, 1, &bound->rel) : code;
    binder_end(&b);
    *bound_out = bound;
    return code;
}

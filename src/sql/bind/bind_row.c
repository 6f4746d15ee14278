/* SPDX-License-Identifier: Apache-2.0
 * bind_row.c - comparisons of rows and with ANY and ALL, written out as AND and OR of plain comparisons. */
#include "sql/bind/bind_internal.h"

static ErrorCode chain(Binder *b, ExprKind kind, const Expr **items, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count == 0) {
        *expr_out = expr_bool(b, kind == EXPR_AND, position);
        return ERR_OK;
    }
    if (count == 1) {
        *expr_out = items[0];
        return ERR_OK;
    }
    return expr_nary(b, kind, type_of(TYPE_BOOL), items, count, position, expr_out);
}

/* ---------------------------------------------------------------- rows */

typedef struct RowPair { const Expr **left, **right; uint32_t count; } RowPair;

static ErrorCode bind_pair(Binder *b, Scope *scope, const AstExpr *left, const AstExpr *right, RowPair *pair, int64_t position) {
    if (left->kind != AST_ROW || right->kind != AST_ROW) {
        return not_supported(b, position, "a row value compared with something else");
    }
    if (left->arg_count != right->arg_count || left->arg_count == 0) {
        return error_set(b->err, ERR_SYNTAX, position, "unequal number of entries in row expressions");
    }
    pair->count = left->arg_count;
    TRY(bind_exprs(b, scope, left->args, left->arg_count, &pair->left));
    return bind_exprs(b, scope, right->args, right->arg_count, &pair->right);
}

static ErrorCode rows_equal(Binder *b, const RowPair *pair, int64_t position, const Expr **expr_out) {
    const Expr **items = arena_array(b->arena, const Expr *, pair->count);
    for (uint32_t i = 0; i < pair->count; i++) {
        TRY(bind_operator(b, STR("="), pair->left[i], pair->right[i], position, &items[i]));
    }
    return chain(b, EXPR_AND, items, pair->count, position, expr_out);
}

/* (a, b) < (c, d): a < c OR (a = c AND b < d); the last pair keeps the equality of <=. */
static ErrorCode rows_ordered(Binder *b, Str name, const RowPair *pair, int64_t position, const Expr **expr_out) {
    Str strict = str_slice(name, 0, 1);
    TRY(bind_operator(b, name, pair->left[pair->count - 1], pair->right[pair->count - 1], position, expr_out));
    for (uint32_t i = pair->count - 1; i-- > 0;) {
        const Expr **both = arena_array(b->arena, const Expr *, 2);
        const Expr **either = arena_array(b->arena, const Expr *, 2);
        TRY(bind_operator(b, STR("="), pair->left[i], pair->right[i], position, &both[0]));
        both[1] = *expr_out;
        TRY(bind_operator(b, strict, pair->left[i], pair->right[i], position, &either[0]));
        TRY(chain(b, EXPR_AND, both, 2, position, &either[1]));
        TRY(chain(b, EXPR_OR, either, 2, position, expr_out));
    }
    return ERR_OK;
}

ErrorCode bind_row_comparison(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    static const Str ordered[] = {{"<", 1}, {"<=", 2}, {">", 1}, {">=", 2}};
    RowPair pair = {0};
    int64_t position = ast->span.at;
    TRY(bind_pair(b, scope, ast->args[0], ast->args[1], &pair, position));
    for (size_t i = 0; i < COUNT_OF(ordered); i++) {
        if (str_equal(ast->as.text, ordered[i])) {
            return rows_ordered(b, ast->as.text, &pair, position, expr_out);
        }
    }
    bool unequal = str_equal(ast->as.text, STR("<>")) || str_equal(ast->as.text, STR("!="));
    if (!unequal && !str_equal(ast->as.text, STR("="))) {
        return not_supported(b, position, "operator %.*s between rows", STR_ARG(ast->as.text));
    }
    TRY(rows_equal(b, &pair, position, expr_out));
    return unequal ? expr_not(b, *expr_out, position, expr_out) : ERR_OK;
}

ErrorCode bind_row_in(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr **items = arena_array(b->arena, const Expr *, ast->arg_count);
    for (uint32_t i = 1; i < ast->arg_count; i++) {
        RowPair pair = {0};
        TRY(bind_pair(b, scope, ast->args[0], ast->args[i], &pair, ast->span.at));
        TRY(rows_equal(b, &pair, ast->span.at, &items[i - 1]));
    }
    return chain(b, EXPR_OR, items, ast->arg_count - 1, ast->span.at, expr_out);
}

/* ---------------------------------------------------------------- ANY, ALL */

static ErrorCode bind_quantified_array(Binder *b, Scope *scope, const AstExpr *ast, bool any, const Expr **expr_out) {
    const AstExpr *array = ast->args[1];
    const Expr *left = NULL;
    const Expr **items = arena_array(b->arena, const Expr *, array->arg_count + 1);
    TRY(bind_expr(b, scope, ast->args[0], &left));
    for (uint32_t i = 0; i < array->arg_count; i++) {
        const Expr *right = NULL;
        TRY(bind_expr(b, scope, array->args[i], &right));
        TRY(bind_operator(b, ast->as.text, left, right, ast->span.at, &items[i]));
    }
    return chain(b, any ? EXPR_OR : EXPR_AND, items, array->arg_count, ast->span.at, expr_out);
}

/* x = ANY (...) is IN, x <> ALL (...) is NOT IN. */
ErrorCode bind_quantified(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    bool any = (ast->flags & AST_ANY) != 0;
    const AstExpr *right = ast->args[1];
    if (right->kind == AST_ARRAY) {
        return bind_quantified_array(b, scope, ast, any, expr_out);
    }
    bool equal = str_equal(ast->as.text, STR("="));
    bool unequal = str_equal(ast->as.text, STR("<>")) || str_equal(ast->as.text, STR("!="));
    if (right->kind == AST_SUBQUERY && ((any && equal) || (!any && unequal))) {
        const Expr *left = NULL;
        TRY(bind_expr(b, scope, ast->args[0], &left));
        TRY(in_subquery(b, scope, left, ast, expr_out));
        return any ? ERR_OK : expr_not(b, *expr_out, ast->span.at, expr_out);
    }
    return not_supported(b, ast->span.at, "%.*s %s", STR_ARG(ast->as.text), any ? "ANY" : "ALL");
}

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

static ErrorCode rows_compared(Binder *b, Str name, const RowPair *pair, int64_t position, const Expr **expr_out) {
    static const Str ordered[] = {{"<", 1}, {"<=", 2}, {">", 1}, {">=", 2}};
    if (pair->count == 1) {
        return bind_operator(b, name, pair->left[0], pair->right[0], position, expr_out);
    }
    for (size_t i = 0; i < COUNT_OF(ordered); i++) {
        if (str_equal(name, ordered[i])) {
            return rows_ordered(b, name, pair, position, expr_out);
        }
    }
    bool unequal = str_equal(name, STR("<>")) || str_equal(name, STR("!="));
    if (!unequal && !str_equal(name, STR("="))) {
        return not_supported(b, position, "operator %.*s between rows", STR_ARG(name));
    }
    TRY(rows_equal(b, pair, position, expr_out));
    return unequal ? expr_not(b, *expr_out, position, expr_out) : ERR_OK;
}

static ErrorCode bind_row_query(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);

ErrorCode bind_row_comparison(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    RowPair pair = {0};
    if (ast->args[0]->kind == AST_ROW && ast->args[1]->kind == AST_SUBQUERY) {
        return bind_row_query(b, scope, ast, expr_out);
    }
    TRY(bind_pair(b, scope, ast->args[0], ast->args[1], &pair, ast->span.at));
    return rows_compared(b, ast->as.text, &pair, ast->span.at, expr_out);
}

static ErrorCode bind_row_in_query(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);

ErrorCode bind_row_in(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if (ast->arg_count == 2 && ast->args[1]->kind == AST_SUBQUERY) {
        return bind_row_in_query(b, scope, ast, expr_out);
    }
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

/* ---------------------------------------------------------------- ANY, ALL of a subquery */

static ErrorCode fold_aggregate(Binder *b, const Expr *arg, const char *name, int64_t position, AggregateExpr *aggregate) {
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = arg;
    *aggregate = (AggregateExpr){.args = args, .arg_count = 1};
    return find_aggregate(b, str_from_c(name), args, 1, position, &aggregate->aggregate, &aggregate->type);
}

/* One row: does the test hold for any (every) row of rel? NULL if that hangs on a NULL. */
static ErrorCode fold_test(Binder *b, Rel *rel, const Expr *test, bool any, int64_t position, Rel **rel_out) {
    const Expr *unknown = NULL;
    AggregateExpr *folds = arena_array(b->arena, AggregateExpr, 2);
    Rel *fold = NULL;
    TRY(expr_is_null(b, test, position, &unknown));
    TRY(fold_aggregate(b, test, any ? "bool_or" : "bool_and", position, &folds[0]));
    TRY(fold_aggregate(b, unknown, "bool_or", position, &folds[1]));
    TRY(rel_new(b, REL_AGGREGATE, 2, position, &fold));
    for (uint32_t i = 0; i < 2; i++) {
        rel_columns(fold)[i].type = type_of(TYPE_BOOL);
        rel_columns(fold)[i].name = STR("fold");
    }
    fold->inputs[0] = rel;
    fold->as.aggregate.aggregates = folds;
    fold->as.aggregate.aggregate_count = 2;
    const Expr **arms = arena_array(b->arena, const Expr *, 5);
    arms[0] = rel_column_expr(b, fold, 0);
    if (!any) {
        TRY(expr_not(b, arms[0], position, &arms[0]));
    }
    arms[1] = expr_bool(b, any, position);
    arms[2] = rel_column_expr(b, fold, 1);
    arms[3] = expr_null(b, type_of(TYPE_BOOL), position);
    arms[4] = expr_bool(b, !any, position);
    const Expr *answer = NULL;
    TRY(expr_nary(b, EXPR_CASE, type_of(TYPE_BOOL), arms, 5, position, &answer));
    Str name = STR("?column?");
    return rel_project(b, fold, &answer, &name, 1, rel_out);
}

typedef struct Quantified {
    Str name;                   /* operator */
    const Expr **left;
    uint32_t count;             /* of columns */
    int64_t position;
} Quantified;

static ErrorCode quantified_test(Binder *b, Capture *capture, const Quantified *q, const Rel *rel, const Expr **test_out) {
    RowPair pair = {arena_array(b->arena, const Expr *, q->count + 1), arena_array(b->arena, const Expr *, q->count + 1), q->count};
    if (rel->column_count != q->count) {
        return error_set(b->err, ERR_SYNTAX, q->position, "subquery has too %s columns", rel->column_count > q->count ? "many" : "few");
    }
    for (uint32_t i = 0; i < q->count; i++) {
        pair.right[i] = rel_column_expr(b, rel, i);
        if (q->left[i]->type.id == TYPE_UNKNOWN) {
            TRY(coerce(b, q->left[i], pair.right[i]->type, CAST_IMPLICIT, &q->left[i]));
        }
        TRY(capture_expr(b, capture, q->left[i], &pair.left[i]));
    }
    return rows_compared(b, q->name, &pair, q->position, test_out);
}

static ErrorCode quantified_rel(Binder *b, Scope *scope, const AstSelect *select, const Quantified *q, bool any, Capture *capture, Rel **rel_out) {
    Query query = {0};
    const Expr *test = NULL;
    TRY(bind_query(b, select, scope, &query));
    TRY(query_settle(b, &query, NULL));
    TRY(quantified_test(b, capture, q, query.rel, &test));
    return fold_test(b, query.rel, test, any, q->position, rel_out);
}

static ErrorCode bind_quantified_query(Binder *b, Scope *scope, const AstSelect *select, const Quantified *q, bool any, const Expr **expr_out) {
    Rel *rel = NULL;
    Capture capture;
    capture_push(b, &capture, scope);
    ErrorCode code = quantified_rel(b, scope, select, q, any, &capture, &rel);
    capture_pop(b, &capture);
    TRY(code);
    return expr_rel(b, EXPR_SCALAR_REL, type_of(TYPE_BOOL), NULL, rel, &capture, q->position, expr_out);
}

static ErrorCode bind_row_in_query(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    Quantified q = {.name = STR("="), .count = ast->args[0]->arg_count, .position = ast->span.at};
    TRY(bind_exprs(b, scope, ast->args[0]->args, q.count, &q.left));
    return bind_quantified_query(b, scope, ast->args[1]->as.select, &q, true, expr_out);
}

/* (a, b) = (SELECT c, d ...): one row at most; none is NULL. */
static ErrorCode bind_row_query(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    Quantified q = {.name = ast->as.text, .count = ast->args[0]->arg_count, .position = ast->span.at};
    Query query = {0};
    const Expr *test = NULL;
    Capture capture;
    TRY(bind_exprs(b, scope, ast->args[0]->args, q.count, &q.left));
    capture_push(b, &capture, scope);
    ErrorCode code = bind_query(b, ast->args[1]->as.select, scope, &query);
    code = code == ERR_OK ? query_settle(b, &query, NULL) : code;
    code = code == ERR_OK ? quantified_test(b, &capture, &q, query.rel, &test) : code;
    capture_pop(b, &capture);
    TRY(code);
    Str name = STR("?column?");
    Rel *rel = NULL;
    TRY(rel_project(b, query.rel, &test, &name, 1, &rel));
    return expr_rel(b, EXPR_SCALAR_REL, type_of(TYPE_BOOL), NULL, rel, &capture, ast->span.at, expr_out);
}

/* x = ANY (...) is IN, x <> ALL (...) is NOT IN. */
ErrorCode bind_quantified(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    bool any = (ast->flags & AST_ANY) != 0;
    const AstExpr *right = ast->args[1];
    bool plain = right->kind == AST_ARRAY && !str_starts_with(ast->as.text, STR("not ")) && (right->arg_count > 0 || b->dialect == DIALECT_QUESTDB);
    for (uint32_t i = 0; plain && i < right->arg_count; i++) {
        plain = right->args[i]->kind != AST_ARRAY;
    }
    if (plain && (right->arg_count <= 3 || b->dialect == DIALECT_QUESTDB)) {
        return bind_quantified_array(b, scope, ast, any, expr_out);
    }
    bool equal = str_equal(ast->as.text, STR("="));
    bool unequal = str_equal(ast->as.text, STR("<>")) || str_equal(ast->as.text, STR("!="));
    bool row = ast->args[0]->kind == AST_ROW;
    if (right->kind == AST_SUBQUERY && !row && ((any && equal) || (!any && unequal))) {
        const Expr *left = NULL;
        TRY(bind_expr(b, scope, ast->args[0], &left));
        TRY(in_subquery(b, scope, left, ast, expr_out));
        return any ? ERR_OK : expr_not(b, *expr_out, ast->span.at, expr_out);
    }
    if (right->kind == AST_SUBQUERY) {
        Quantified q = {.name = ast->as.text, .count = row ? ast->args[0]->arg_count : 1, .position = ast->span.at};
        TRY(bind_exprs(b, scope, row ? ast->args[0]->args : ast->args, q.count, &q.left));
        return bind_quantified_query(b, scope, right->as.select, &q, any, expr_out);
    }
    return bind_quantified_value(b, scope, ast, any, expr_out);
}

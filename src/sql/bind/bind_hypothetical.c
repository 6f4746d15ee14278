/* SPDX-License-Identifier: Apache-2.0
 * bind_hypothetical.c - rank(x) WITHIN GROUP (ORDER BY y) and its kin: where a row of these values would stand among the rows.
 *
 * Why:   they are counts of the rows before it: rank is count(*) FILTER (WHERE y < x) + 1; the executor knows nothing of them.
 * Tests: test/sql/ordered_aggregates.slt */
#include "sql/bind/bind_internal.h"

typedef enum Hypothetical { HYPOTHETICAL_RANK, HYPOTHETICAL_DENSE_RANK, HYPOTHETICAL_PERCENT_RANK, HYPOTHETICAL_CUME_DIST, HYPOTHETICAL_COUNT } Hypothetical;

static Hypothetical find_hypothetical(Str name) {
    static const Str names[HYPOTHETICAL_COUNT] = {{"rank", 4}, {"dense_rank", 10}, {"percent_rank", 12}, {"cume_dist", 9}};
    Hypothetical found = 0;
    while (found < HYPOTHETICAL_COUNT && !str_equal_ignore_case(name, names[found])) {
        found++;
    }
    return found;
}

bool is_hypothetical(Str name) { return find_hypothetical(name) != HYPOTHETICAL_COUNT; }

static AstExpr *operation(Binder *b, const AstExpr *at, const char *name, AstExpr *left, AstExpr *right) {
    return left == NULL ? right : ast_call(b, at, AST_OPERATOR, str_from_c(name), left, right, NULL);
}

/* key stands before value: NULLs where the order has them. The value is no NULL, or NULL means that nothing is known. */
static AstExpr *stands_before(Binder *b, const AstExpr *at, const AstSortKey *key, AstExpr *value) {
    bool nulls_first = key->nulls_given ? key->nulls_first : key->descending;
    AstExpr *test = operation(b, at, key->descending ? ">" : "<", key->expr, value);
    return nulls_first ? operation(b, at, "or", test, ast_call(b, at, AST_OPERATOR, STR("is null"), key->expr, NULL, NULL)) : test;
}

/* k1 before v1, or k1 = v1 and (k2 before v2, or ...); or_equal: rows of just these values too. */
static AstExpr *rows_before(Binder *b, const AstExpr *ast, bool or_equal) {
    const AstCall *call = ast->as.call;
    AstExpr *test = NULL;
    for (uint32_t i = ast->arg_count; i-- > 0;) {
        AstExpr *before = stands_before(b, ast, &call->order_by[i], ast->args[i]);
        AstExpr *equal = test != NULL || or_equal ? operation(b, ast, "=", call->order_by[i].expr, ast->args[i]) : NULL;
        AstExpr *rest = test != NULL ? operation(b, ast, "and", equal, test) : equal;
        test = rest != NULL ? operation(b, ast, "or", before, rest) : before;
    }
    return test;
}

static ErrorCode count_rows(Binder *b, Scope *scope, const AstExpr *ast, AstExpr *filter, bool distinct, const Expr **expr_out) {
    const AstCall *call = ast->as.call;
    AstExpr **args = arena_array(b->arena, AstExpr *, 1);
    AggregateCallAst aggregate = {.name = STR("count"), .args = args, .filter = filter, .position = ast->span.at, .distinct = distinct};
    if (call->filter != NULL) {
        aggregate.filter = filter != NULL ? operation(b, ast, "and", call->filter, filter) : call->filter;
    }
    if (distinct) {
        args[0] = ast_make(b, ast, AST_ROW, (Str){0}); /* a row of NULLs counts too */
        args[0]->args = arena_array(b->arena, AstExpr *, call->order_count);
        args[0]->arg_count = call->order_count;
        for (uint32_t i = 0; i < call->order_count; i++) {
            args[0]->args[i] = call->order_by[i].expr;
        }
        aggregate.arg_count = 1;
    }
    return bind_aggregate(b, scope, &aggregate, expr_out);
}

static ErrorCode plus_one(Binder *b, const Expr *count, int64_t position, const Expr **expr_out) {
    Value one = {.type = type_of(TYPE_INT8), .as.i64 = 1};
    return bind_operator(b, STR("+"), count, expr_constant(b, &one, position), position, expr_out);
}

/* a / b, 0 where there are no rows. */
static ErrorCode share(Binder *b, const Expr *part, const Expr *whole, int64_t position, const Expr **expr_out) {
    Value zero = {.type = type_of(TYPE_FLOAT8)};
    const Expr *quotient = NULL, *empty = NULL;
    TRY(coerce(b, part, type_of(TYPE_FLOAT8), CAST_EXPLICIT, &part));
    TRY(coerce(b, whole, type_of(TYPE_FLOAT8), CAST_EXPLICIT, &whole));
    TRY(bind_operator(b, STR("="), whole, expr_constant(b, &zero, position), position, &empty));
    TRY(bind_operator(b, STR("/"), part, whole, position, &quotient));
    const Expr **args = arena_array(b->arena, const Expr *, 3);
    args[0] = empty;
    args[1] = expr_constant(b, &zero, position);
    args[2] = quotient;
    return expr_nary(b, EXPR_CASE, type_of(TYPE_FLOAT8), args, 3, position, expr_out);
}

ErrorCode bind_hypothetical(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const AstCall *call = ast->as.call;
    Str name = call->name.parts[call->name.count - 1].text;
    Hypothetical which = find_hypothetical(name);
    const Expr *before = NULL, *all = NULL;
    if (ast->arg_count != call->order_count || ast->arg_count == 0) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, ast->span.at, "%.*s WITHIN GROUP takes as many arguments as there are ORDER BY keys", STR_ARG(name));
    }
    TRY(count_rows(b, scope, ast, rows_before(b, ast, which == HYPOTHETICAL_CUME_DIST), which == HYPOTHETICAL_DENSE_RANK, &before));
    if (which == HYPOTHETICAL_RANK || which == HYPOTHETICAL_DENSE_RANK) {
        return plus_one(b, before, ast->span.at, expr_out);
    }
    TRY(count_rows(b, scope, ast, NULL, false, &all));
    if (which == HYPOTHETICAL_CUME_DIST) { /* the row itself is one of them */
        TRY(plus_one(b, before, ast->span.at, &before));
        TRY(plus_one(b, all, ast->span.at, &all));
    }
    return share(b, before, all, ast->span.at, expr_out);
}

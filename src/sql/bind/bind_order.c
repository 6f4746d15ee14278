/* SPDX-License-Identifier: Apache-2.0
 * bind_order.c - ORDER BY (by position, alias, expression), where nulls stand, LIMIT in all its forms. */
#include "sql/bind/bind_internal.h"

SortKey sort_key(const Binder *b, const AstSortKey *ast, const Expr *expr) {
    bool smallest = dialect_has(b->dialect, DIALECT_NULLS_SMALLEST);
    bool descending = ast->descending || str_equal(ast->using_operator, STR(">"));
    bool first = ast->nulls_given ? ast->nulls_first : smallest != descending;
    return (SortKey){.expr = expr, .descending = descending, .nulls_first = first};
}

ErrorCode check_sort_key(Binder *b, const AstSortKey *key) {
    if (key->using_operator.len == 0 || str_equal(key->using_operator, STR("<")) || str_equal(key->using_operator, STR(">"))) {
        return ERR_OK;
    }
    error_ignore(error_set(b->err, ERR_WRONG_OBJECT_TYPE, key->expr->span.at, "operator %.*s is not a valid ordering operator", STR_ARG(key->using_operator)));
    return error_add(b->err, 'H', "Ordering operators must be \"<\" or \">\" members of btree operator families.");
}

static Str item_name_at(const void *context, uint32_t i) {
    return ((const SelectState *)context)->items[i].name;
}

static ErrorCode order_position(Binder *b, const SelectState *s, const AstExpr *ast, uint32_t *item_out) {
    int64_t number = 0;
    bool overflow = false;
    if (!parse_int64(ast->as.text, &number, &overflow) || number < 1 || number > s->visible_count) {
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->span.at, "ORDER BY position %.*s is not in select list", STR_ARG(ast->as.text));
    }
    *item_out = (uint32_t)number - 1;
    return ERR_OK;
}

/* An output column of that name. Several are fine as long as they are the same expression. */
static ErrorCode order_name(Binder *b, const SelectState *s, const AstName *name, int *item_out) {
    int found = name_match(name, s->visible_count, item_name_at, s);
    *item_out = found;
    if (found != -2) {
        return ERR_OK;
    }
    for (uint32_t i = 0; i < s->visible_count; i++) {
        if (!name_same(name, s->items[i].name)) {
            continue;
        }
        if (*item_out >= 0 && s->items[*item_out].expr != s->items[i].expr) {
            return error_set(b->err, ERR_AMBIGUOUS_COLUMN, name->span.at, "ORDER BY \"%.*s\" is ambiguous", STR_ARG(name->text));
        }
        *item_out = (int)i;
    }
    return ERR_OK;
}

static ErrorCode order_expr(Binder *b, SelectState *s, const AstExpr *ast, uint32_t *item_out) {
    const Expr *expr = NULL;
    s->scope.clause = "ORDER BY";
    s->scope.aggregates = &s->aggregates;
    s->scope.windows = &s->windows;
    s->scope.srfs = &s->srfs;
    TRY(bind_expr(b, &s->scope, ast, &expr));
    s->scope.windows = NULL;
    s->scope.srfs = NULL;
    for (uint32_t i = 0; i < s->item_count; i++) {
        if (s->items[i].expr == expr) {
            *item_out = i;
            return ERR_OK;
        }
    }
    if (s->ast->distinct && !s->ast->distinct_on_given) {
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->span.at, "for SELECT DISTINCT, ORDER BY expressions must appear in select list");
    }
    *item_out = add_item(b, s, (OutputItem){expr, STR("order"), ast->span.at});
    return ERR_OK;
}

static ErrorCode order_item(Binder *b, SelectState *s, const AstExpr *written, uint32_t *item_out) {
    const AstExpr *ast = ast_variable(b, written);
    if (ast->kind == AST_INTEGER) {
        return order_position(b, s, ast, item_out);
    }
    if (ast->kind == AST_STRING || ast->kind == AST_NUMBER || ast->kind == AST_NULL) {
        return error_set(b->err, ERR_SYNTAX, ast->span.at, "non-integer constant in ORDER BY");
    }
    int item = -1;
    if (ast->kind == AST_NAME && ast->as.names.count == 1) {
        TRY(order_name(b, s, ast->as.names.parts, &item));
    }
    if (item >= 0) {
        *item_out = (uint32_t)item;
        return ERR_OK;
    }
    return order_expr(b, s, ast, item_out);
}

/* Keys keep item numbers in place of expressions until the items are columns (apply_order). */
ErrorCode bind_order_by(Binder *b, SelectState *s) {
    const AstSelect *ast = s->ast;
    s->order = arena_array(b->arena, SortKey, ast->order_count + 1);
    for (uint32_t i = 0; i < ast->order_count; i++) {
        uint32_t item = 0;
        TRY(check_sort_key(b, &ast->order_by[i]));
        TRY(order_item(b, s, ast->order_by[i].expr, &item));
        s->order[i] = sort_key(b, &ast->order_by[i], (const Expr *)(uintptr_t)item);
    }
    s->order_count = ast->order_count;
    return ERR_OK;
}

/* Each expression is an item of the list, shown or hidden, and stands among the first keys of ORDER BY, if there is one. */
ErrorCode bind_distinct_on(Binder *b, SelectState *s) {
    const AstSelect *ast = s->ast;
    s->distinct_on = arena_array(b->arena, uint32_t, ast->distinct_on_count + 1);
    for (uint32_t i = 0; i < ast->distinct_on_count; i++) {
        TRY(order_item(b, s, ast->distinct_on[i], &s->distinct_on[i]));
    }
    s->distinct_on_count = ast->distinct_on_count;
    for (uint32_t k = 0; k < s->order_count && k < s->distinct_on_count; k++) {
        bool found = false;
        for (uint32_t i = 0; i < s->distinct_on_count; i++) {
            found = found || s->distinct_on[i] == (uint32_t)(uintptr_t)s->order[k].expr;
        }
        if (!found) {
            return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->distinct_on[0]->span.at,
                             "SELECT DISTINCT ON expressions must match initial ORDER BY expressions");
        }
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- LIMIT */

static ErrorCode rank_column(Binder *b, const Rel *sorted, WindowKind kind, WindowExpr *item) {
    (void)b;
    (void)sorted;
    *item = (WindowExpr){.kind = (uint8_t)kind, .call.type = type_of(TYPE_INT8), .frame = {.mode = FRAME_RANGE, .end = EDGE_CURRENT}};
    return ERR_OK;
}

/* Rows whose rank is within the limit: rank() <= offset + n and row_number() > offset. */
static ErrorCode limit_with_ties(Binder *b, const AstLimit *limit, const Expr *high, const Expr *offset, Query *query) {
    Rel *sorted = query->rel;
    if (sorted->kind != REL_SORT) {
        return error_set(b->err, ERR_SYNTAX, limit->limit_span.at, "WITH TIES cannot be specified without ORDER BY clause");
    }
    WindowExpr *items = arena_array(b->arena, WindowExpr, 2);
    Rel *window = NULL;
    TRY(rank_column(b, sorted, WINDOW_RANK, &items[0]));
    TRY(rank_column(b, sorted, WINDOW_ROW_NUMBER, &items[1]));
    uint32_t count = sorted->column_count;
    TRY(rel_new(b, REL_WINDOW, count + 2u, ERROR_NO_POSITION, &window));
    RelColumn *columns = rel_columns(window);
    memcpy(columns, sorted->columns, count * sizeof *columns);
    columns[count].type = columns[count + 1].type = type_of(TYPE_INT8);
    window->inputs[0] = sorted;
    window->order_column = sorted->order_column;
    window->order_descending = sorted->order_descending;
    window->as.window.items = items;
    window->as.window.item_count = 2;
    window->as.window.order = sorted->as.sort.keys;
    window->as.window.order_count = sorted->as.sort.key_count;
    const Expr *last = high;
    const Expr *test = NULL;
    const Expr *after = NULL;
    int64_t at = limit->limit_span.at;
    if (offset != NULL) {
        TRY(bind_operator(b, STR("+"), high, offset, at, &last));
    }
    TRY(bind_operator(b, STR("<="), rel_column_expr(b, window, count), last, at, &test));
    TRY(rel_filter(b, window, test, &query->rel));
    if (offset != NULL) {
        TRY(bind_operator(b, STR(">"), rel_column_expr(b, window, count + 1u), offset, at, &after));
        TRY(rel_filter(b, query->rel, after, &query->rel));
    }
    query->rel->column_count = (uint16_t)count; /* what was added is not shown */
    return ERR_OK;
}

static ErrorCode limit_value(Binder *b, const AstExpr *ast, const char *clause, const Expr **expr_out) {
    *expr_out = NULL;
    if (ast == NULL) {
        return ERR_OK;
    }
    Scope none = {.clause = clause, .outer = b->captures != NULL ? (Scope *)(uintptr_t)b->captures->boundary : NULL};
    const Expr *expr = NULL;
    TRY(bind_expr(b, &none, ast, &expr));
    if (expr_is_null_constant(expr)) {
        return ERR_OK; /* LIMIT NULL is no limit */
    }
    return coerce(b, expr, type_of(TYPE_INT8), CAST_ASSIGNMENT, expr_out);
}

ErrorCode bind_limit(Binder *b, const AstLimit *limit, Query *query) {
    if (limit == NULL) {
        return ERR_OK;
    }
    if (limit->low != NULL && limit->offset != NULL) {
        return error_set(b->err, ERR_SYNTAX, limit->offset_span.at, "OFFSET beside LIMIT lo,hi");
    }
    if (limit->with_ties) {
        const Expr *high = NULL;
        const Expr *offset = NULL;
        TRY(limit_value(b, limit->high, "LIMIT", &high));
        TRY(limit_value(b, limit->offset, "OFFSET", &offset));
        return high != NULL ? limit_with_ties(b, limit, high, offset, query) : ERR_OK;
    }
    Rel *rel = NULL;
    TRY(rel_like(b, REL_LIMIT, query->rel, &rel));
    TRY(limit_value(b, limit->low, "LIMIT", &rel->as.limit.low));
    TRY(limit_value(b, limit->high, "LIMIT", &rel->as.limit.high));
    TRY(limit_value(b, limit->offset, "OFFSET", &rel->as.limit.offset));
    rel->as.limit.range = limit->low != NULL;
    if (rel->as.limit.low == NULL && rel->as.limit.high == NULL && rel->as.limit.offset == NULL) {
        return ERR_OK;
    }
    query->rel = rel;
    return ERR_OK;
}

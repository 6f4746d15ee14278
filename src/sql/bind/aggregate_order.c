/* SPDX-License-Identifier: Apache-2.0
 * aggregate_order.c - agg(x ORDER BY y): in which order the rows come to the aggregates of one query.
 *
 * Why:   the input is sorted once, for the first aggregate that asks for an order. One that asks for another is computed as a window over
 *        its group, in its order and over all rows, and the aggregation takes the value that each row of the group then carries. Aggregates
 *        whose answer no order changes (sum, count, max) ask for none. DISTINCT alone gives its arguments in their order, as PostgreSQL's
 *        sort for it does.
 * Tests: test/sql/ordered_aggregates.slt */
#include "sql/bind/bind_internal.h"

static bool order_matters(const AggregateExpr *item) {
    return (item->aggregate->flags & (AGG_ORDERED | AGG_SERIAL)) != 0;
}

static void drop_order(AggregateExpr *item) {
    item->order = NULL;
    item->order_count = 0;
}

static bool same_order(const AggregateExpr *a, const AggregateExpr *c) {
    return sort_keys_same(a->order, a->order_count, c->order, c->order_count);
}

/* The arguments as sort keys; constants order nothing. */
static void order_by_arguments(Binder *b, AggregateExpr *item) {
    SortKey *keys = arena_array(b->arena, SortKey, item->arg_count);
    uint16_t count = 0;
    for (uint16_t i = 0; i < item->arg_count; i++) {
        if (item->args[i]->kind != EXPR_CONSTANT) {
            keys[count++] = (SortKey){.expr = item->args[i]};
        }
    }
    item->order = keys;
    item->order_count = count;
}

/* The aggregate as a window over the rows of its group; what stays of it takes the first value. */
static ErrorCode move_to_window(Binder *b, SelectState *s, AggregateExpr *item) {
    WindowItem window = {.expr = {.kind = WINDOW_AGGREGATE, .call = *item, .frame = {.mode = FRAME_ROWS, .start = EDGE_UNBOUNDED_PRECEDING, .end = EDGE_UNBOUNDED_FOLLOWING}},
                         .partition = s->groups, .partition_count = s->group_count, .order_count = item->order_count};
    window.order = arena_array(b->arena, SortKey, item->order_count);
    memcpy(window.order, item->order, item->order_count * sizeof *window.order);
    drop_order(&window.expr.call);
    window.id = column_new(b, item->symbols);
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = expr_column(b, window.id, item->type, item->order[0].expr->position);
    AggregateExpr taken = {.args = args, .arg_count = 1, .symbols = item->symbols};
    TRY(find_aggregate(b, STR("any_value"), args, 1, item->order[0].expr->position, &taken.aggregate, &taken.type));
    *item = taken;
    WindowState kept = s->windows;
    s->windows = (WindowState){.items = &window, .count = 1};
    ErrorCode code = apply_windows(b, s);
    s->windows = kept;
    return code;
}

static ErrorCode sort_once(Binder *b, SelectState *s, const AggregateExpr *first) {
    Rel *rel = NULL;
    TRY(rel_like(b, REL_SORT, s->rel, &rel));
    rel->as.sort.keys = first->order;
    rel->as.sort.key_count = first->order_count;
    rel->order_column = 0;
    s->rel = rel;
    return ERR_OK;
}

static const AggregateExpr *first_explicit(SelectState *s) {
    const AggregateExpr *first = NULL;
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        AggregateExpr *item = &s->aggregates.items[i];
        if (!order_matters(item)) {
            drop_order(item);
        } else if (item->order_count > 0 && (first == NULL || (item->distinct && !first->distinct))) {
            first = item; /* one with DISTINCT cannot be a window */
        }
    }
    return first;
}

static const AggregateExpr *first_distinct(Binder *b, SelectState *s) {
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        AggregateExpr *item = &s->aggregates.items[i];
        if (item->distinct && item->order_count == 0 && order_matters(item)) {
            order_by_arguments(b, item);
            return item->order_count > 0 ? item : NULL;
        }
    }
    return NULL;
}

ErrorCode order_aggregates(Binder *b, SelectState *s) {
    const AggregateExpr *first = first_explicit(s);
    if (b->dialect == DIALECT_POSTGRES && (first == NULL || (!first->distinct && !s->by_sets))) {
        const AggregateExpr *distinct = first_distinct(b, s); /* the input is sorted for it, which cannot be a window */
        first = distinct != NULL ? distinct : first;
    }
    if (first == NULL) {
        return ERR_OK;
    }
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        AggregateExpr *item = &s->aggregates.items[i];
        if (item->order_count == 0 || item == first || same_order(first, item)) {
            continue;
        }
        if (item->distinct || s->by_sets) {
            return not_supported(b, item->order[0].expr->position, "DISTINCT or GROUPING SETS beside aggregates with different orders");
        }
        TRY(move_to_window(b, s, item));
    }
    return sort_once(b, s, first);
}

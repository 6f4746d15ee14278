/* SPDX-License-Identifier: Apache-2.0
 * lower_join_order.c - the order of inner joins: smallest relation first, then always one that an equality connects, the smallest of those.
 *
 * Why:        FROM lists of catalog queries name ten relations in any order; in theirs the first two often have nothing in common. Estimates
 *             are crude (rows, a factor for each condition on one relation): they choose among orders that all avoid cross products.
 * Invariants: other joins, and inner ones whose written order has no cross product and no catalog relation, stay as they are: the order
 *             of their rows is that of the left side. Conditions are placed by lower_join as ever. */
#include "sql/plan/plan_internal.h"

enum { LEAVES_MAX = 64, LEAVES_LEAST = 3 };

typedef struct Leaf {
    Rel *rel;
    IdSet columns;
    double rows;
} Leaf;

typedef struct Ordering {
    PlanContext *context;
    Leaf leaves[LEAVES_MAX];
    uint32_t count;
    ExprList conditions;        /* ON of all joins, then the filters from above */
    uint64_t *masks;            /* leaves that a condition reads */
    bool too_many, has_catalog;
} Ordering;

static bool flattens(const Rel *rel) {
    return rel->kind == REL_JOIN && (rel->as.join.kind == JOIN_INNER || rel->as.join.kind == JOIN_CROSS) && rel->as.join.lateral_count == 0 &&
           !rel->as.join.ordered;
}

static double rows_of(const Rel *rel) {
    switch ((RelKind)rel->kind) {
    case REL_SCAN: return (double)rel->as.scan.row_count + 1;
    case REL_VALUES: return (double)rel->as.values.row_count + 1;
    case REL_FILTER: return rows_of(rel->inputs[0]) * 0.3 + 1;
    case REL_PROJECT:
    case REL_SORT:
    case REL_WINDOW: return rows_of(rel->inputs[0]);
    case REL_JOIN: return MAX_OF(rows_of(rel->inputs[0]), rows_of(rel->inputs[1]));
    case REL_AGGREGATE:
    case REL_DISTINCT: return rows_of(rel->inputs[0]) * 0.2 + 1;
    default: return 100;
    }
}

static void add_leaf(Ordering *o, Rel *rel) {
    if (o->count == LEAVES_MAX) {
        o->too_many = true;
        return;
    }
    Leaf *leaf = &o->leaves[o->count++];
    *leaf = (Leaf){.rel = rel, .columns = idset_new(o->context), .rows = rows_of(rel)};
    for (uint32_t i = 0; i < rel->column_count; i++) {
        idset_add(&leaf->columns, rel->columns[i].id);
    }
    o->has_catalog = o->has_catalog || (rel->kind == REL_SCAN && (rel->as.scan.table->id >> 31) != 0);
}

static void collect(Ordering *o, Rel *rel) {
    if (!flattens(rel) || o->too_many) {
        add_leaf(o, rel);
        return;
    }
    collect(o, rel->inputs[0]);
    collect(o, rel->inputs[1]);
    for (uint32_t i = 0; i < rel->as.join.key_count; i++) {
        const Expr *equal = plan_equality(o->context, rel->as.join.left_keys[i], rel->as.join.right_keys[i]);
        if (equal == NULL) {
            o->too_many = true;
            return;
        }
        exprlist_add(o->context, &o->conditions, equal);
    }
    if (rel->as.join.residual != NULL) {
        exprlist_add_conjuncts(o->context, &o->conditions, rel->as.join.residual);
    }
}

static void read_leaves(const Ordering *o, const Expr *expr, uint64_t *mask) {
    if (expr->kind == EXPR_COLUMN) {
        for (uint32_t i = 0; i < o->count; i++) {
            *mask |= idset_has(o->leaves[i].columns, expr->as.column) ? UINT64_C(1) << i : 0;
        }
        return;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        read_leaves(o, expr->args[i], mask);
    }
}

static bool is_equality(const Expr *expr) {
    FilterOp op;
    return expr_comparison(expr, &op) && op == FILTER_EQ;
}

/* Conditions on one relation make it smaller. */
static void estimate(Ordering *o) {
    o->masks = arena_array(o->context->arena, uint64_t, o->conditions.count + 1);
    for (uint32_t c = 0; c < o->conditions.count; c++) {
        read_leaves(o, o->conditions.items[c], &o->masks[c]);
        for (uint32_t i = 0; i < o->count; i++) {
            if (o->masks[c] == UINT64_C(1) << i) {
                o->leaves[i].rows *= is_equality(o->conditions.items[c]) ? 0.02 : 0.4;
            }
        }
    }
}

static bool connected(const Ordering *o, uint64_t joined, uint32_t leaf) {
    uint64_t bit = UINT64_C(1) << leaf;
    for (uint32_t c = 0; c < o->conditions.count; c++) {
        bool links = (o->masks[c] & bit) != 0 && (o->masks[c] & joined) != 0 && (o->masks[c] & ~(joined | bit)) == 0;
        if (links && is_equality(o->conditions.items[c])) {
            return true;
        }
    }
    return false;
}

static bool written_order_crosses(const Ordering *o) {
    uint64_t joined = 1;
    for (uint32_t i = 1; i < o->count; i++) {
        if (!connected(o, joined, i)) {
            return true;
        }
        joined |= UINT64_C(1) << i;
    }
    return false;
}

static uint32_t next_leaf(const Ordering *o, uint64_t joined) {
    uint32_t best = UINT32_MAX;
    bool best_connected = false;
    for (uint32_t i = 0; i < o->count; i++) {
        if ((joined >> i & 1) != 0) {
            continue;
        }
        bool links = joined != 0 && connected(o, joined, i);
        bool better = best == UINT32_MAX || (links && !best_connected) || (links == best_connected && o->leaves[i].rows < o->leaves[best].rows);
        if (better) {
            best = i;
            best_connected = links;
        }
    }
    return best;
}

static Rel *join_of(Ordering *o, Rel *left, Rel *right) {
    Rel *join = arena_new(o->context->arena, Rel);
    RelColumn *columns = arena_array(o->context->arena, RelColumn, (size_t)left->column_count + right->column_count + 1);
    memcpy(columns, left->columns, left->column_count * sizeof *columns);
    memcpy(columns + left->column_count, right->columns, right->column_count * sizeof *columns);
    join->kind = REL_JOIN;
    join->columns = columns;
    join->column_count = (uint16_t)(left->column_count + right->column_count);
    join->inputs[0] = left;
    join->inputs[1] = right;
    join->as.join.kind = JOIN_INNER;
    join->as.join.ordered = true;
    return join;
}

ErrorCode lower_join_order(PlanContext *context, Rel *rel, const Need *need, bool *done_out, PlanOp **op_out, Error *err) {
    *done_out = false;
    if (!flattens(rel) || !pass_on(context, PASS_PUSH_FILTERS)) {
        return ERR_OK;
    }
    Ordering *o = arena_new(context->arena, Ordering);
    o->context = context;
    collect(o, rel);
    for (uint32_t i = 0; i < need->filters.count; i++) {
        exprlist_add(context, &o->conditions, need->filters.items[i]);
    }
    if (o->too_many || o->count < LEAVES_LEAST) {
        return ERR_OK;
    }
    estimate(o);
    bool keeps_order = need->order && rel->order_column != 0;
    if (keeps_order || (!o->has_catalog && !written_order_crosses(o))) {
        return ERR_OK;
    }
    uint32_t first = next_leaf(o, 0);
    uint64_t joined = UINT64_C(1) << first;
    Rel *ordered = o->leaves[first].rel;
    for (uint32_t i = 1; i < o->count; i++) {
        uint32_t next = next_leaf(o, joined);
        ordered = join_of(o, ordered, o->leaves[next].rel);
        joined |= UINT64_C(1) << next;
    }
    Need below = *need;
    below.filters = o->conditions;
    *done_out = true;
    return lower_join(context, ordered, &below, op_out, err);
}

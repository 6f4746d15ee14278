/* SPDX-License-Identifier: Apache-2.0
 * lower_probe.c - a scan inside a subquery that runs many times, restricted by column = outer value: one hash table, then probes.
 *
 * Why:        a nested loop would read the table once for each row outside. The scan without that condition does not depend on the outer
 *             row, so as the right side of a join it is read once, and its table is kept from one execution to the next.
 * Limits:     only where the table is small enough to be kept (PROBE_ROWS_MAX); a larger one is read each time. */
#include "sql/plan/plan_internal.h"

enum { PROBE_ROWS_MAX = 1000000 };

typedef struct Probe {
    PlanContext *context;
    const Rel *rel;
    IdSet columns;
    const Expr **outer, **inner;
    uint32_t count;
    ExprList below, above;
} Probe;

static bool is_time(const Rel *rel, const Expr *expr) {
    ColumnId id = 0;
    return rel->order_column != 0 && expr_is_column(expr, &id) && id == rel->order_column; /* storage finds these faster */
}

static bool take_equality(Probe *p, const Expr *expr) {
    FilterOp op;
    if (!expr_comparison(expr, &op) || op != FILTER_EQ || (expr->flags & (EXPR_VOLATILE | EXPR_FAILS | EXPR_HAS_SUBQUERY)) != 0 ||
        expr->args[0]->type.id != expr->args[1]->type.id || expr->args[0]->type.id == TYPE_SYMBOL) {
        return false;
    }
    for (size_t side = 0; side < 2; side++) {
        const Expr *inner = expr->args[side];
        const Expr *outer = expr->args[1 - side];
        bool fits = (inner->flags & EXPR_HAS_OUTER) == 0 && !expr_reads_nothing(inner) && expr_reads_only(inner, p->columns) &&
                    expr_reads_nothing(outer) && (outer->flags & EXPR_HAS_OUTER) != 0;
        if (fits && !is_time(p->rel, inner)) {
            p->inner[p->count] = inner;
            p->outer[p->count++] = outer;
            return true;
        }
    }
    return false;
}

static void split(Probe *p, const Need *need) {
    for (uint32_t i = 0; i < p->rel->column_count; i++) {
        idset_add(&p->columns, p->rel->columns[i].id);
    }
    p->outer = arena_array(p->context->arena, const Expr *, need->filters.count + 1);
    p->inner = arena_array(p->context->arena, const Expr *, need->filters.count + 1);
    for (uint32_t i = 0; i < need->filters.count; i++) {
        const Expr *filter = need->filters.items[i];
        if (take_equality(p, filter)) {
            continue;
        }
        bool outer = (filter->flags & EXPR_HAS_OUTER) != 0 || p->above.count > 0;
        exprlist_add(p->context, outer ? &p->above : &p->below, filter);
    }
}

static PlanOp *one_row(PlanContext *context, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_VALUES);
    op->columns = arena_array(context->arena, RelColumn, 1);
    op->as.values.row_count = 1;
    op->as.values.cells = arena_array(context->arena, const Value *, 1);
    op->as.values.outputs = arena_array(context->arena, uint32_t, 1);
    return program_build(context, NULL, 0, NULL, 0, &op->constants, err) == ERR_OK ? op : NULL;
}

ErrorCode lower_probe(PlanContext *context, Rel *rel, const Need *need, bool *done_out, PlanOp **op_out, Error *err) {
    *done_out = false;
    bool correlated = false;
    for (uint32_t i = 0; i < need->filters.count; i++) {
        correlated = correlated || (need->filters.items[i]->flags & EXPR_HAS_OUTER) != 0;
    }
    if (!correlated || need->descending || rel->as.scan.row_ref != 0 || rel->as.scan.row_count > PROBE_ROWS_MAX) {
        return ERR_OK;
    }
    Probe p = {.context = context, .rel = rel, .columns = idset_new(context)};
    split(&p, need);
    if (p.count == 0) {
        return ERR_OK;
    }
    Need right = {.columns = idset_copy(context, need->columns), .filters = p.below, .order = need->order};
    for (uint32_t i = 0; i < p.count; i++) {
        idset_add_expr(&right.columns, p.inner[i]);
    }
    for (uint32_t i = 0; i < p.above.count; i++) {
        idset_add_expr(&right.columns, p.above.items[i]);
    }
    PlanOp *input = NULL;
    PlanOp *op = plan_op_new(context, PLAN_JOIN);
    TRY(lower_rel(context, rel, &right, &input, err));
    op->inputs[0] = one_row(context, err);
    if (op->inputs[0] == NULL) {
        return ERR_INTERNAL;
    }
    op->inputs[1] = input;
    op->columns = input->columns;
    op->column_count = input->column_count;
    op->order_column = input->order_column;
    op->order_descending = input->order_descending;
    op->as.join.kind = JOIN_INNER;
    op->as.join.key_count = p.count;
    op->as.join.key_types = arena_array(context->arena, Type, p.count);
    for (uint32_t i = 0; i < p.count; i++) {
        op->as.join.key_types[i] = p.inner[i]->type;
    }
    TRY(program_build(context, NULL, 0, p.outer, p.count, &op->program, err));
    TRY(program_build(context, input->columns, input->column_count, p.inner, p.count, &op->as.join.right_program, err));
    *done_out = true;
    return lower_filter_on(context, op, &p.above, op_out, err);
}

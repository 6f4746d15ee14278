/* SPDX-License-Identifier: Apache-2.0
 * lower_sort.c - ORDER BY and LATEST ON: sorts left out where the source has the order, top-k, reading backward.
 *
 * Why:        ORDER BY the designated timestamp is a scan in that direction. Backward reading gives equal timestamps in reverse
 *             order of arrival; a real sort on that key does the same (reverse_ties), so that both plans answer alike. */
#include "sql/plan/plan_internal.h"

static bool only_key_column(const Rel *rel, ColumnId *id_out) {
    return rel->as.sort.key_count == 1 && expr_is_column(rel->as.sort.keys[0].expr, id_out);
}

static ErrorCode limit_program(PlanContext *context, const Rel *limit, PlanOp *op, Error *err) {
    const Expr *exprs[2];
    uint32_t count = 0;
    exprs[count++] = limit->as.limit.high;
    if (limit->as.limit.offset != NULL) {
        exprs[count++] = limit->as.limit.offset;
    }
    return program_build(context, NULL, 0, exprs, count, &op->constants, err);
}

static void shape_of(PlanOp *op, const PlanOp *input) {
    op->columns = input->columns;
    op->column_count = input->column_count;
    op->inputs[0] = input;
}

static ErrorCode add_sort(PlanContext *context, const Rel *rel, const Rel *limit, bool reverse_ties, PlanOp *input, PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_SORT);
    shape_of(op, input);
    uint32_t count = rel->as.sort.key_count;
    const Expr **exprs = arena_array(context->arena, const Expr *, count + 1);
    op->as.sort.keys = arena_array(context->arena, PlanSortKey, count + 1);
    op->as.sort.key_count = count;
    op->as.sort.reverse_ties = reverse_ties;
    for (uint32_t i = 0; i < count; i++) {
        const SortKey *key = &rel->as.sort.keys[i];
        exprs[i] = key->expr;
        op->as.sort.keys[i] = (PlanSortKey){.type = key->expr->type, .descending = key->descending, .nulls_first = key->nulls_first};
    }
    TRY(program_build(context, input->columns, input->column_count, exprs, count, &op->program, err));
    for (uint32_t i = 0; i < count; i++) {
        op->as.sort.keys[i].symbols = op->program->registers[op->program->outputs[i]].symbols;
    }
    if (limit != NULL) {
        op->as.sort.has_limit = true;
        op->as.sort.has_offset = limit->as.limit.offset != NULL;
        TRY(limit_program(context, limit, op, err));
    }
    ColumnId id = 0;
    if (count > 0 && expr_is_column(exprs[0], &id)) {
        op->order_column = id;
        op->order_descending = rel->as.sort.keys[0].descending;
    }
    *op_out = op;
    return ERR_OK;
}

static ErrorCode limit_only(PlanContext *context, const Rel *limit, PlanOp *input, PlanOp **op_out, Error *err) {
    if (limit == NULL) {
        *op_out = input;
        return ERR_OK;
    }
    PlanOp *op = plan_op_new(context, PLAN_LIMIT);
    shape_of(op, input);
    op->order_column = input->order_column;
    op->order_descending = input->order_descending;
    op->as.limit.has_high = true;
    op->as.limit.has_offset = limit->as.limit.offset != NULL;
    TRY(limit_program(context, limit, op, err));
    *op_out = op;
    return ERR_OK;
}

/* limit: a plain LIMIT directly above, or NULL. Its filters stand above it, so need has none then. */
ErrorCode lower_sort(PlanContext *context, Rel *rel, const Need *need, const Rel *limit, PlanOp **op_out, Error *err) {
    if (rel->as.sort.key_count == 0 || (!need->order && limit == NULL)) {
        PlanOp *input = NULL; /* nobody sees the order */
        TRY(lower_rel(context, rel->inputs[0], need, &input, err));
        return limit_only(context, limit, input, op_out, err);
    }
    Need below = {.columns = idset_copy(context, need->columns), .filters = need->filters, .order = true};
    for (uint32_t i = 0; i < rel->as.sort.key_count; i++) {
        idset_add_expr(&below.columns, rel->as.sort.keys[i].expr);
    }
    ColumnId id = 0;
    bool one_column = only_key_column(rel, &id);
    bool descending = rel->as.sort.keys[0].descending;
    bool reversible = one_column && descending && rel_can_reverse(rel->inputs[0], id);
    bool use = pass_on(context, PASS_ORDER_USE);
    below.descending = reversible && use;
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    bool sorted = one_column && use && input->order_column == id && input->order_descending == descending;
    if (sorted) {
        context->passes_fired |= 1u << PASS_ORDER_USE;
        return limit_only(context, limit, input, op_out, err);
    }
    return add_sort(context, rel, limit, reversible, input, op_out, err);
}

/* ---- LATEST ON ---- */
static int16_t plain_symbol(PlanContext *context, const Rel *rel, const PlanOp *input) {
    ColumnId id = 0;
    if (!pass_on(context, PASS_LATEST_INDEX) || input->kind != PLAN_SCAN || rel->as.latest.key_count != 1 ||
        !expr_is_column(rel->as.latest.keys[0], &id) || rel->as.latest.keys[0]->type.id != TYPE_SYMBOL) {
        return -1;
    }
    if (input->as.scan.bound_count + input->as.scan.range_count > 0 || input->as.scan.want_refs) {
        return -1;
    }
    int place = plan_column_position(input, id);
    return place < 0 ? -1 : input->columns[place].table_column;
}

/* Rows newest first: a backward scan, else a sort. */
static ErrorCode newest_first(PlanContext *context, Rel *rel, const Need *below, PlanOp **op_out, Error *err) {
    const Expr *timestamp = rel->as.latest.timestamp;
    ColumnId id = 0;
    Need need = *below;
    need.descending = expr_is_column(timestamp, &id) && rel_can_reverse(rel->inputs[0], id);
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &need, &input, err));
    if (need.descending) {
        *op_out = input;
        return ERR_OK;
    }
    SortKey key = {.expr = timestamp, .descending = true, .nulls_first = false};
    SortKey *keys = arena_array(context->arena, SortKey, 1);
    keys[0] = key;
    Rel sort = {.kind = REL_SORT, .as.sort = {.keys = keys, .key_count = 1}};
    return add_sort(context, &sort, NULL, true, input, op_out, err);
}

ErrorCode lower_latest(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    Need below = {.columns = idset_copy(context, need->columns), .order = true};
    const Expr **exprs = arena_array(context->arena, const Expr *, rel->as.latest.key_count + 2u);
    uint32_t count = 0;
    exprs[count++] = rel->as.latest.timestamp;
    for (uint32_t i = 0; i < rel->as.latest.key_count; i++) {
        exprs[count++] = rel->as.latest.keys[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        idset_add_expr(&below.columns, exprs[i]);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        idset_add_expr(&below.columns, need->filters.items[i]);
    }
    PlanOp *input = NULL;
    TRY(newest_first(context, rel, &below, &input, err));
    PlanOp *op = plan_op_new(context, PLAN_LATEST);
    shape_of(op, input);
    op->as.latest.key_count = rel->as.latest.key_count;
    op->as.latest.symbol = plain_symbol(context, rel, input);
    ColumnId id = 0;
    op->order_column = expr_is_column(rel->as.latest.timestamp, &id) ? id : 0;
    TRY(program_build(context, input->columns, input->column_count, exprs, count, &op->program, err));
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

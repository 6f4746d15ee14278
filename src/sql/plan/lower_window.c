/* SPDX-License-Identifier: Apache-2.0
 * lower_window.c - window functions: one program for keys, arguments, filters and bounds; constants for offsets that count rows.
 *
 * Invariants: a filter over partition keys alone drops whole partitions and goes below; any other stays above, or frames would miss rows. */
#include "sql/plan/plan_internal.h"

static void split_filters(PlanContext *context, const Rel *rel, const Need *need, ExprList *below, ExprList *above) {
    IdSet keys = idset_new(context);
    for (uint32_t i = 0; i < rel->as.window.partition_count; i++) {
        ColumnId id = 0;
        if (expr_is_column(rel->as.window.partition[i], &id)) {
            idset_add(&keys, id);
        }
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        const Expr *filter = need->filters.items[i];
        bool push = above->count == 0 && expr_pure(filter) && expr_reads_only(filter, keys) && !expr_reads_nothing(filter);
        exprlist_add(context, push ? below : above, filter);
    }
}

static ErrorCode lower_item(PlanContext *context, const Rel *rel, const WindowExpr *expr, Outputs *outputs, Outputs *constants, PlanWindowItem *item, Error *err) {
    uint32_t state_bytes = 0;
    if (expr->call.aggregate != NULL) {
        TRY(plan_aggregate(context, &expr->call, outputs, &state_bytes, &item->call, err));
    } else {
        item->call = (PlanAggregate){.type = expr->call.type, .arg_count = (uint8_t)expr->call.arg_count};
        for (uint32_t i = 0; i < expr->call.arg_count; i++) {
            item->call.args[i] = plan_output(outputs, expr->call.args[i]);
        }
    }
    const WindowFrame *frame = &expr->frame;
    item->kind = expr->kind;
    item->mode = frame->mode;
    item->start = frame->start;
    item->end = frame->end;
    item->exclude = frame->exclude;
    Outputs *offsets = frame->mode == FRAME_RANGE ? outputs : constants;
    if (frame->start_offset != NULL) {
        item->start_offset = plan_output(offsets, frame->start_offset);
    }
    if (frame->end_offset != NULL) {
        item->end_offset = plan_output(offsets, frame->end_offset);
    }
    if (frame->key != NULL) {
        item->key = plan_output(outputs, frame->key);
        item->key_descending = rel->as.window.order[0].descending;
        item->key_nulls_first = rel->as.window.order[0].nulls_first;
    }
    return ERR_OK;
}

static ErrorCode lower_items(PlanContext *context, const Rel *rel, PlanOp *op, Outputs *outputs, Outputs *constants, Error *err) {
    uint32_t room = 8u + rel->as.window.partition_count + rel->as.window.order_count;
    for (uint32_t i = 0; i < rel->as.window.item_count; i++) {
        room += rel->as.window.items[i].call.arg_count + 8u;
    }
    *outputs = (Outputs){arena_array(context->arena, const Expr *, room), 0};
    *constants = (Outputs){arena_array(context->arena, const Expr *, room), 0};
    for (uint32_t i = 0; i < rel->as.window.partition_count; i++) {
        plan_output(outputs, rel->as.window.partition[i]);
    }
    for (uint32_t i = 0; i < rel->as.window.order_count; i++) {
        plan_output(outputs, rel->as.window.order[i].expr);
    }
    op->as.window.partition_count = rel->as.window.partition_count;
    op->as.window.order_count = rel->as.window.order_count;
    op->as.window.item_count = rel->as.window.item_count;
    op->as.window.items = arena_array(context->arena, PlanWindowItem, rel->as.window.item_count + 1u);
    for (uint32_t i = 0; i < rel->as.window.item_count; i++) {
        TRY(lower_item(context, rel, &rel->as.window.items[i], outputs, constants, &op->as.window.items[i], err));
    }
    return ERR_OK;
}

ErrorCode lower_window(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    ExprList above = {0};
    Outputs outputs;
    Outputs constants;
    PlanOp *op = plan_op_new(context, PLAN_WINDOW);
    Need below = {.columns = idset_copy(context, need->columns), .order = true};
    split_filters(context, rel, need, &below.filters, &above);
    TRY(lower_items(context, rel, op, &outputs, &constants, err));
    for (uint32_t i = 0; i < above.count; i++) {
        idset_add_expr(&below.columns, above.items[i]);
    }
    for (uint32_t i = 0; i < outputs.count; i++) {
        idset_add_expr(&below.columns, outputs.items[i]);
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    op->inputs[0] = input;
    uint32_t count = input->column_count;
    RelColumn *columns = arena_array(context->arena, RelColumn, count + rel->as.window.item_count + 1u);
    memcpy(columns, input->columns, count * sizeof *columns);
    memcpy(columns + count, rel->columns + rel->inputs[0]->column_count, rel->as.window.item_count * sizeof *columns);
    op->columns = columns;
    op->column_count = count + rel->as.window.item_count;
    TRY(program_build(context, NULL, 0, constants.items, constants.count, &op->constants, err));
    TRY(program_build(context, input->columns, count, outputs.items, outputs.count, &op->program, err));
    return lower_filter_on(context, op, &above, op_out, err);
}

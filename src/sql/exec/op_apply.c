/* SPDX-License-Identifier: Apache-2.0
 * op_apply.c - LATERAL joins: for each left row the right side runs with that row's values; its rows come out beside the left row.
 *
 * Layout:     right rows are kept until there is a batch of pairs (pair_left, pair_right), or the left batch ends: right sides of one
 *             or two rows, the usual ones, would make as many batches otherwise.
 * Invariants: right rows come in their own order behind each other as the left rows do. */
#include "sql/exec/exec_internal.h"

enum { PAIRS_ENOUGH = BATCH_ROWS / 2, PAIRS_MAX = PAIRS_ENOUGH + BATCH_ROWS };

typedef struct ApplyOperator {
    Operator base;
    Frame *frame;
    Batch *left;                /* NULL: ask for the next */
    Vector *left_columns;
    uint16_t left_rows[BATCH_ROWS], left_count, left_at;
    Subplan subplan;            /* of row left_rows[left_at] */
    bool running, row_matched, left_done;
    RowStore store;             /* right rows of the pairs */
    uint16_t pair_left[PAIRS_MAX];
    uint32_t pair_right[PAIRS_MAX];
    uint16_t pair_count, pair_at;       /* at: the first that has not come out */
    uint32_t batch_number;
    Arena arena, left_arena, scratch;   /* of the subplan, the left batch, the output */
} ApplyOperator;

static ErrorCode next_left(ApplyOperator *op, Error *err) {
    TRY(operator_next(op->base.inputs[0], &op->left, err));
    if (op->left == NULL) {
        op->left_done = true;
        return ERR_OK;
    }
    arena_reset(&op->left_arena);
    TRY(frame_run(op->frame, op->left, err));
    for (uint32_t i = 0; i < op->base.plan->as.apply.slot_count; i++) {
        Vector *ignored = NULL;
        TRY(frame_output_dense(op->frame, i, &ignored, err));
    }
    TRY(batch_dense(op->left, op->left_columns, &op->left_arena, err));
    op->left_count = batch_live_rows(op->left, op->left_rows);
    op->left_at = 0;
    return ERR_OK;
}

static ErrorCode start_row(ApplyOperator *op, Error *err) {
    const PlanOp *plan = op->base.plan;
    Run *run = op->base.run;
    uint16_t row = op->left_rows[op->left_at];
    for (uint32_t i = 0; i < plan->as.apply.slot_count; i++) {
        Value *slot = &run->outer[plan->as.apply.slots[i]];
        *slot = program_vector_value(frame_output(op->frame, i), row);
        slot->type = op->frame->program->registers[op->frame->program->outputs[i]].type;
    }
    op->running = true;
    op->row_matched = false;
    arena_reset(&op->arena);
    return subplan_open(run, plan->inputs[1], &op->arena, &op->subplan, err);
}

static void add_pair(ApplyOperator *op, uint32_t right) {
    op->pair_left[op->pair_count] = op->left_rows[op->left_at];
    op->pair_right[op->pair_count++] = right;
}

/* One batch of the right side; at its end the next left row. There is room for a batch of pairs. */
static ErrorCode step_row(ApplyOperator *op, Error *err) {
    Run *run = op->base.run;
    Batch *right = NULL;
    if (!op->running) {
        TRY(start_row(op, err));
    }
    TRY(subplan_next(run, &op->subplan, &right, err));
    if (right != NULL) {
        uint32_t first = (uint32_t)op->store.row_count;
        TRY(rowstore_append(&op->store, right, &op->scratch, &run->budget, err));
        for (uint32_t i = first; i < op->store.row_count; i++) {
            add_pair(op, i);
        }
        op->row_matched = op->row_matched || op->store.row_count > first;
        return ERR_OK;
    }
    subplan_close(run, &op->subplan);
    op->running = false;
    if (!op->row_matched && op->base.plan->as.apply.kind == JOIN_LEFT) {
        add_pair(op, UINT32_MAX);
    }
    op->left_at++;
    return ERR_OK;
}

static Batch *emit(ApplyOperator *op) {
    Operator *base = &op->base;
    uint32_t left = base->inputs[0]->plan->column_count;
    uint16_t count = (uint16_t)MIN_OF(op->pair_count - op->pair_at, BATCH_ROWS);
    uint16_t *index = arena_alloc_aligned(&op->scratch, BATCH_ROWS * sizeof *index, 64);
    memcpy(index, op->pair_left + op->pair_at, count * sizeof *index);
    for (uint32_t c = 0; c < left; c++) {
        Vector *from = &op->left_columns[c];
        base->columns[c] = *from;
        base->columns[c].row_count = count;
        if (from->form != VECTOR_CONSTANT) {
            base->columns[c] = (Vector){.type = from->type, .form = VECTOR_INDEXED, .facts = from->facts, .row_count = count,
                                        .base_count = from->row_count, .index = index, .base = from, .symbols = from->symbols};
        }
    }
    rowstore_gather(&op->store, op->pair_right + op->pair_at, count, base->columns + left, &op->scratch);
    base->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)base->plan->column_count,
                          .columns = base->columns, .first = {op->batch_number++, 0}};
    op->pair_at = (uint16_t)(op->pair_at + count);
    return &base->batch;
}

static ErrorCode apply_next(Operator *base, Batch **batch_out, Error *err) {
    ApplyOperator *op = (ApplyOperator *)base;
    *batch_out = NULL;
    arena_reset(&op->scratch);
    for (;;) {
        TRY(run_check(base->run, err));
        if (op->pair_at == op->pair_count) {
            rowstore_clear(&op->store);
            op->pair_at = op->pair_count = 0;
        }
        bool ended = op->left == NULL || op->left_at == op->left_count;
        if (op->pair_count >= PAIRS_ENOUGH || (ended && op->pair_count > 0)) {
            *batch_out = emit(op);
            return ERR_OK;
        }
        if (op->left_done) {
            return ERR_OK;
        }
        if (ended) {
            TRY(next_left(op, err));
        } else {
            TRY(step_row(op, err));
        }
    }
}

static void apply_close(Operator *base) {
    ApplyOperator *op = (ApplyOperator *)base;
    subplan_close(base->run, &op->subplan);
    frame_close(op->frame);
    rowstore_deinit(&op->store, &base->run->budget);
    mem_free(op->left_columns);
    arena_deinit(&op->arena);
    arena_deinit(&op->left_arena);
    arena_deinit(&op->scratch);
}

static const OperatorType APPLY_TYPE = {"for each row", NULL, apply_next, apply_close};

ErrorCode op_apply_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    ApplyOperator *op = operator_new(ApplyOperator, run, plan, worker, &APPLY_TYPE);
    *op_out = &op->base;
    arena_init(&op->arena, SIZE_MAX);
    arena_init(&op->left_arena, SIZE_MAX);
    arena_init(&op->scratch, SIZE_MAX);
    rowstore_init(&op->store, plan->inputs[1]->columns, plan->inputs[1]->column_count);
    op->left_columns = mem_calloc(plan->inputs[0]->column_count + 1, sizeof(Vector));
    TRY(frame_open(run, plan->program, &op->frame, err));
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

/* SPDX-License-Identifier: Apache-2.0
 * op_filter.c - keeps the rows for which the condition is true: a mask, and an index where few are left. */
#include "sql/exec/exec_internal.h"

#define FILTER_ARENA_BYTES_MAX ((size_t)64 << 20) /* a mask and the rows of one batch */

typedef struct FilterOperator {
    Operator base;
    Frame *frame;           /* where an index is read: made for the first batch that storage has not filtered */
    Arena scratch;          /* of one batch, while there is no frame */
} FilterOperator;

static ErrorCode evaluate(FilterOperator *filter, Batch *in, uint64_t **mask_out, Error *err) {
    BoolIn condition;
    if (filter->frame == NULL) {
        TRY(frame_open(filter->base.run, filter->base.plan->program, &filter->frame, err));
    }
    Frame *frame = filter->frame;
    TRY(frame_run(frame, in, err));
    TRY(frame_bool_in(frame, frame->program->outputs[0], &condition, err));
    uint64_t *mask = frame_words(frame);
    for (size_t w = 0; w < words_for(in->row_count); w++) {
        mask[w] = condition.valid == NULL ? condition.value[w] : condition.value[w] & condition.valid[w];
    }
    *mask_out = mask;
    return ERR_OK;
}

static ErrorCode keep_true(FilterOperator *filter, Batch *in, Error *err) {
    Batch *batch = &filter->base.batch;
    Vector *columns = filter->base.columns;
    uint64_t *mask = NULL;
    bool done = in->filtered && filter->base.plan->as.filter.pushed;
    if (done) {
        arena_reset(filter->frame != NULL ? &filter->frame->scratch : &filter->scratch);
    } else {
        TRY(evaluate(filter, in, &mask, err));
    }
    *batch = *in;
    memcpy(columns, in->columns, in->column_count * sizeof *columns);
    batch->columns = columns;
    batch->filtered = false;
    if (!done) {
        batch_filter(batch, mask, &filter->frame->scratch);
    }
    return batch_compact(batch, filter->frame != NULL ? &filter->frame->scratch : &filter->scratch, err);
}

static ErrorCode filter_next(Operator *op, Batch **batch_out, Error *err) {
    FilterOperator *filter = (FilterOperator *)op;
    Batch *in = NULL;
    TRY(operator_next(op->inputs[0], &in, err));
    if (in == NULL) {
        *batch_out = NULL;
        return ERR_OK;
    }
    TRY(keep_true(filter, in, err));
    *batch_out = &op->batch;
    return ERR_OK;
}

static void filter_close(Operator *op) {
    FilterOperator *filter = (FilterOperator *)op;
    frame_close(filter->frame);
    arena_deinit(&filter->scratch);
}

/* Rows that an index finds by their whole condition need no program: a short statement is spared one. Outer values are bound at open. */
static bool may_be_done(const Run *run, const PlanOp *plan) {
    const PlanOp *input = plan->inputs[0];
    return plan->as.filter.pushed && input->kind == PLAN_SCAN && input->as.scan.index != NULL && run->plan->outer_count == 0;
}

static const OperatorType FILTER_TYPE = {"filter", NULL, filter_next, filter_close};

ErrorCode op_filter_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    FilterOperator *filter = operator_new(FilterOperator, run, plan, worker, &FILTER_TYPE);
    arena_init(&filter->scratch, FILTER_ARENA_BYTES_MAX);
    *op_out = &filter->base;
    if (!may_be_done(run, plan)) {
        TRY(frame_open(run, plan->program, &filter->frame, err));
    }
    return operator_open(run, plan->inputs[0], worker, &filter->base.inputs[0], err);
}

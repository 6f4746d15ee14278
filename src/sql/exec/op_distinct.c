/* SPDX-License-Identifier: Apache-2.0
 * op_distinct.c - SELECT DISTINCT: lets a row pass when its group is new. Streams, keeps the input's order, stops with LIMIT. */
#include "sql/exec/groups.h"

typedef struct DistinctOperator {
    Operator base;
    Frame *frame;
    GroupTable table;
    uint32_t *group;
    Vector **keys;
} DistinctOperator;

static ErrorCode keep_fresh(DistinctOperator *op, Batch *in, Error *err) {
    Frame *frame = op->frame;
    Operator *base = &op->base;
    uint32_t count = base->plan->as.aggregate.group_count;
    TRY(frame_run(frame, in, err));
    for (uint32_t k = 0; k < count; k++) {
        TRY(frame_output_dense(frame, k, &op->keys[k], err));
    }
    uint64_t *fresh = frame_words(frame);
    TRY(groups_find(&op->table, op->keys, frame->masks[MASK_LIVE], in->row_count, in->first, op->group, fresh, err));
    base->batch = *in;
    base->batch.columns = base->columns;
    base->batch.column_count = (uint16_t)base->plan->column_count;
    base->batch.refs = NULL;
    for (uint32_t k = 0; k < base->plan->column_count; k++) {
        base->columns[k] = base->plan->as.aggregate.distinct_on ? in->columns[k] : *op->keys[k];
        base->columns[k].row_count = in->row_count;
    }
    batch_filter(&base->batch, fresh, &frame->scratch);
    return ERR_OK;
}

static ErrorCode distinct_next(Operator *base, Batch **batch_out, Error *err) {
    Batch *in = NULL;
    *batch_out = NULL;
    TRY(operator_next(base->inputs[0], &in, err));
    if (in == NULL) {
        return ERR_OK;
    }
    TRY(keep_fresh((DistinctOperator *)base, in, err));
    *batch_out = &base->batch;
    return ERR_OK;
}

static void distinct_close(Operator *base) {
    DistinctOperator *op = (DistinctOperator *)base;
    frame_close(op->frame);
    groups_deinit(&op->table);
    mem_free(op->group);
    mem_free(op->keys);
}

static const OperatorType DISTINCT_TYPE = {"distinct", NULL, distinct_next, distinct_close};

ErrorCode op_distinct_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    DistinctOperator *op = operator_new(DistinctOperator, run, plan, worker, &DISTINCT_TYPE);
    *op_out = &op->base;
    op->group = mem_alloc_aligned(BATCH_ROWS * sizeof(uint32_t));
    memset(op->group, 0, BATCH_ROWS * sizeof(uint32_t));
    op->keys = mem_calloc(plan->as.aggregate.group_count + 1u, sizeof *op->keys);
    const GroupSpec *spec = group_spec(&run->arena, plan->program, 0, plan->as.aggregate.group_count, NULL, 0, 0, plan->as.aggregate.array_groups);
    TRY(groups_init(&op->table, spec, &run->budget, err));
    TRY(frame_open(run, plan->program, &op->frame, err));
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

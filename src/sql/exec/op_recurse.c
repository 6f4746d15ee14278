/* SPDX-License-Identifier: Apache-2.0
 * op_recurse.c - WITH RECURSIVE: the first rows, then the step over the rows of the round before until a round gives none.
 *
 * Layout:     rows of this round are kept in `next` as they come out; at its end they become `working`, which the step reads.
 * Why:        rows are handed out batch by batch, so that a LIMIT above ends a recursion that would not end. UNION lets a row pass once.
 * Limits:     the rows of two rounds (and with UNION all rows) count against the query's memory; cancel is seen at every batch. */
#include "sql/exec/groups.h"

typedef struct RecurseOperator {
    Operator base;
    Frame *frame;
    GroupTable seen;            /* UNION */
    bool has_seen;
    uint32_t *group;
    Vector **keys;
    RowStore stores[2];
    uint32_t next;              /* which of them takes the rows of this round */
    Subplan step;
    bool first_done, stepping;
    uint32_t batch_number;
    Arena arena, scratch;
} RecurseOperator;

/* Rows that were not there before; NULL if none. */
static ErrorCode drop_seen(RecurseOperator *op, Batch *in, Error *err) {
    TRY(frame_run(op->frame, in, err));
    for (uint32_t k = 0; k < op->base.plan->column_count; k++) {
        TRY(frame_output_dense(op->frame, k, &op->keys[k], err));
    }
    uint64_t *fresh = frame_words(op->frame);
    RowPosition at = {op->batch_number, 0};
    TRY(groups_find(&op->seen, op->keys, op->frame->masks[MASK_LIVE], in->row_count, at, op->group, fresh, err));
    batch_filter(&op->base.batch, fresh, &op->frame->scratch);
    return ERR_OK;
}

static ErrorCode take(RecurseOperator *op, Batch *in, Error *err) {
    Operator *base = &op->base;
    uint32_t count = base->plan->column_count;
    base->batch = *in;
    base->batch.columns = base->columns;
    base->batch.column_count = (uint16_t)count;
    base->batch.refs = NULL;
    memcpy(base->columns, in->columns, count * sizeof(Vector));
    if (op->has_seen) {
        TRY(drop_seen(op, in, err));
    }
    base->batch.first = (RowPosition){op->batch_number++, 0};
    return rowstore_append(&op->stores[op->next], &base->batch, &op->scratch, &base->run->budget, err);
}

static void use_working(RecurseOperator *op) {
    op->base.run->working[op->base.plan->as.recurse.working] = &op->stores[1 - op->next];
}

/* The next batch of the step; NULL at the end of the round. */
static ErrorCode step_next(RecurseOperator *op, Batch **in_out, Error *err) {
    Run *run = op->base.run;
    use_working(op);
    if (!op->stepping) {
        op->stepping = true;
        arena_reset(&op->arena);
        TRY(subplan_open(run, op->base.plan->inputs[1], &op->arena, &op->step, err));
    }
    TRY(subplan_next(run, &op->step, in_out, err));
    if (*in_out == NULL) {
        subplan_close(run, &op->step);
        op->stepping = false;
    }
    return ERR_OK;
}

/* This round's rows are the next one's input; false: there are none. */
static bool begin_round(RecurseOperator *op) {
    if (op->stores[op->next].row_count == 0) {
        return false;
    }
    op->next = 1 - op->next;
    rowstore_clear(&op->stores[op->next]);
    return true;
}

static ErrorCode recurse_next(Operator *base, Batch **batch_out, Error *err) {
    RecurseOperator *op = (RecurseOperator *)base;
    for (;;) {
        Batch *in = NULL;
        *batch_out = NULL;
        TRY(run_check(base->run, err));
        if (!op->first_done) {
            TRY(operator_next(base->inputs[0], &in, err));
            op->first_done = in == NULL;
        } else {
            TRY(step_next(op, &in, err));
        }
        if (in == NULL && !begin_round(op)) {
            return ERR_OK;
        }
        if (in == NULL) {
            continue;
        }
        arena_reset(&op->scratch);
        TRY(take(op, in, err));
        if (base->batch.live_count > 0) {
            *batch_out = &base->batch;
            return ERR_OK;
        }
    }
}

static void recurse_close(Operator *base) {
    RecurseOperator *op = (RecurseOperator *)base;
    subplan_close(base->run, &op->step);
    frame_close(op->frame);
    if (op->has_seen) {
        groups_deinit(&op->seen);
    }
    for (size_t i = 0; i < 2; i++) {
        rowstore_deinit(&op->stores[i], &base->run->budget);
    }
    mem_free(op->group);
    mem_free(op->keys);
    arena_deinit(&op->arena);
    arena_deinit(&op->scratch);
}

static const OperatorType RECURSE_TYPE = {"recursion", NULL, recurse_next, recurse_close};

ErrorCode op_recurse_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    RecurseOperator *op = operator_new(RecurseOperator, run, plan, worker, &RECURSE_TYPE);
    *op_out = &op->base;
    arena_init(&op->arena, SIZE_MAX);
    arena_init(&op->scratch, SIZE_MAX);
    for (size_t i = 0; i < 2; i++) {
        rowstore_init(&op->stores[i], plan->columns, plan->column_count);
    }
    op->keys = mem_calloc(plan->column_count + 1, sizeof *op->keys);
    op->group = mem_alloc_aligned(BATCH_ROWS * sizeof(uint32_t));
    memset(op->group, 0, BATCH_ROWS * sizeof(uint32_t));
    if (!plan->as.recurse.all) {
        const GroupSpec *spec = group_spec(&run->arena, plan->program, 0, plan->column_count, NULL, 0, 0, false);
        TRY(groups_init(&op->seen, spec, &run->budget, err));
        op->has_seen = true;
    }
    TRY(frame_open(run, plan->program, &op->frame, err));
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

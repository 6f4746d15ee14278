/* SPDX-License-Identifier: Apache-2.0
 * op_latest.c - LATEST ON t PARTITION BY keys: the newest row of each key, given out in time order.
 *
 * Why:        the input comes newest first (a backward scan, or a sort), so the first row of a key is its newest; where storage keeps
 *             the last row of each symbol (RowSource.latest) it is asked instead and nothing is scanned.
 * Invariants: rows kept = groups; memory grows with the keys, not with the rows read. */
#include "sql/exec/groups.h"

typedef struct LatestOperator {
    Operator base;
    Frame *frame;
    GroupTable table;
    RowStore store;
    uint32_t *group;
    Vector **keys;
    Arena scratch, order_memory;
    uint32_t *order;            /* row numbers of the store, oldest first */
    uint32_t order_count, next, batch_number;
    bool done;
} LatestOperator;

static ErrorCode keep_fresh(LatestOperator *op, Batch *in, Error *err) {
    Frame *frame = op->frame;
    uint32_t count = op->base.plan->as.latest.key_count;
    TRY(frame_run(frame, in, err));
    for (uint32_t k = 0; k < count; k++) {
        TRY(frame_output_dense(frame, k + 1, &op->keys[k], err)); /* output 0 is the timestamp */
    }
    uint64_t *fresh = frame_words(frame);
    TRY(groups_find(&op->table, op->keys, frame->masks[MASK_LIVE], in->row_count, in->first, op->group, fresh, err));
    Batch kept = *in;
    batch_filter(&kept, fresh, &frame->scratch);
    if (kept.live_count == 0) {
        return ERR_OK;
    }
    arena_reset(&op->scratch);
    return rowstore_append(&op->store, &kept, &op->scratch, &op->base.run->budget, err);
}

static void order_reversed(LatestOperator *op) {
    op->order_count = (uint32_t)op->store.row_count;
    op->order = arena_array(&op->order_memory, uint32_t, op->order_count + 1);
    for (uint32_t i = 0; i < op->order_count; i++) {
        op->order[i] = op->order_count - 1 - i;
    }
}

static ErrorCode scan_backward(LatestOperator *op, Error *err) {
    for (;;) {
        Batch *batch = NULL;
        TRY(operator_next(op->base.inputs[0], &batch, err));
        if (batch == NULL) {
            break;
        }
        TRY(keep_fresh(op, batch, err));
    }
    order_reversed(op);
    return ERR_OK;
}

/* Rows of RowSource.latest come in any order: sort them by the timestamp (equal ones as they came). */
static ErrorCode take_latest(LatestOperator *op, Batch *batch, uint64_t **times, uint32_t *capacity, Error *err) {
    TRY(frame_run(op->frame, batch, err));
    Vector *time;
    TRY(frame_output_flat(op->frame, 0, &time, err));
    uint16_t picked[BATCH_ROWS];
    uint16_t live = batch_live_rows(batch, picked);
    uint32_t have = (uint32_t)op->store.row_count;
    while (have + live > *capacity) {
        *capacity = MAX_OF(*capacity * 2, (uint32_t)BATCH_ROWS);
        *times = mem_realloc(*times, *capacity * sizeof **times);
    }
    for (uint16_t i = 0; i < live; i++) {
        (*times)[have + i] = ((const uint64_t *)time->data)[picked[i]] ^ (UINT64_C(1) << 63);
    }
    arena_reset(&op->scratch);
    return rowstore_append(&op->store, batch, &op->scratch, &op->base.run->budget, err);
}

static ErrorCode ask_storage(LatestOperator *op, RowSource *source, Scan *scan, ScanCursor *cursor, Error *err) {
    uint64_t *times = NULL;
    uint32_t capacity = 0;
    ErrorCode code = ERR_OK;
    for (;;) {
        Batch batch = {0};
        TRY_OR(done, source->vtable->latest(scan, (uint16_t)op->base.plan->as.latest.symbol, cursor, &batch, err));
        if (batch.row_count == 0) {
            break;
        }
        for (uint16_t c = 0; c < batch.column_count; c++) {
            batch.columns[c].symbols = batch.columns[c].symbols != NULL ? batch.columns[c].symbols : op->base.plan->columns[c].symbols;
        }
        TRY_OR(done, take_latest(op, &batch, &times, &capacity, err));
        TRY_OR(done, run_check(op->base.run, err));
    }
    order_reversed(op);
    for (uint32_t i = 0; i < op->order_count; i++) {
        op->order[i] = i;
    }
    groups_sort(times, op->order, op->order_count, &op->order_memory);
done:
    mem_free(times);
    return code;
}

static ErrorCode consume(LatestOperator *op, Error *err) {
    op->done = true;
    Scan *scan = NULL;
    RowSource *source = NULL;
    if (op->base.plan->as.latest.symbol >= 0) {
        ScanCursor *cursor = scan_cursor(op->base.inputs[0], &scan, &source);
        if (cursor != NULL && source->vtable->latest != NULL) {
            return ask_storage(op, source, scan, cursor, err);
        }
    }
    return scan_backward(op, err);
}

static ErrorCode latest_next(Operator *base, Batch **batch_out, Error *err) {
    LatestOperator *op = (LatestOperator *)base;
    *batch_out = NULL;
    if (!op->done) {
        TRY(consume(op, err));
    }
    if (op->next == op->order_count) {
        return ERR_OK;
    }
    uint16_t count = (uint16_t)MIN_OF(op->order_count - op->next, (uint32_t)BATCH_ROWS);
    arena_reset(&op->scratch);
    rowstore_gather(&op->store, op->order + op->next, count, base->columns, &op->scratch);
    op->next += count;
    base->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)base->plan->column_count, .columns = base->columns,
                          .first = {op->batch_number++, 0}};
    *batch_out = &base->batch;
    return ERR_OK;
}

static void latest_close(Operator *base) {
    LatestOperator *op = (LatestOperator *)base;
    frame_close(op->frame);
    groups_deinit(&op->table);
    rowstore_deinit(&op->store, &base->run->budget);
    arena_deinit(&op->scratch);
    arena_deinit(&op->order_memory);
    mem_free(op->group);
    mem_free(op->keys);
}

static const OperatorType LATEST_TYPE = {"latest", NULL, latest_next, latest_close};

ErrorCode op_latest_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    LatestOperator *op = operator_new(LatestOperator, run, plan, worker, &LATEST_TYPE);
    *op_out = &op->base;
    arena_init(&op->scratch, SIZE_MAX);
    arena_init(&op->order_memory, SIZE_MAX);
    rowstore_init(&op->store, plan->columns, plan->column_count);
    op->group = mem_alloc_aligned(BATCH_ROWS * sizeof(uint32_t));
    memset(op->group, 0, BATCH_ROWS * sizeof(uint32_t));
    op->keys = mem_calloc(plan->as.latest.key_count + 1u, sizeof *op->keys);
    const GroupSpec *spec = group_spec(&run->arena, plan->program, 1, plan->as.latest.key_count, NULL, 0, 0, true);
    TRY(groups_init(&op->table, spec, &run->budget, err));
    TRY(frame_open(run, plan->program, &op->frame, err));
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

/* SPDX-License-Identifier: Apache-2.0
 * op_working.c - rows that are kept in Run.working: of a recursion's round before, or of a WITH item that runs once for all its readers.
 *
 * Why:   an item with volatile calls gives every reader the same rows, so the first one that reads computes them all.
 * Tests: test/sql/recursive.slt, test/sql/with_once.slt */
#include "sql/exec/exec_internal.h"

typedef struct WorkingOperator { Operator base; uint32_t chunk; } WorkingOperator;
typedef struct OnceRows { RowStore store; Run *run; } OnceRows; /* in Run.shared, to the end of the run */

static void once_close(void *rows) {
    OnceRows *once = rows;
    rowstore_deinit(&once->store, &once->run->budget);
    mem_free(once);
}

/* Who reads first computes the rows. Not in that reader's memory: it may be opened several times. */
static ErrorCode run_once(Run *run, const PlanOp *reader, Error *err) {
    const PlanOp *query = reader->as.working.query;
    Subplan subplan;
    Arena arena;
    OnceRows *once = mem_calloc(1, sizeof *once);
    once->run = run;
    rowstore_init(&once->store, query->columns, query->column_count);
    run->shared[reader->as.working.keeper] = once;
    run->shared_close[reader->as.working.keeper] = once_close;
    arena_init(&arena, SIZE_MAX);
    ErrorCode code = subplan_open(run, query, &arena, &subplan, err);
    code = code == ERR_OK ? subplan_drain(run, &subplan, &once->store, err) : code;
    subplan_close(run, &subplan);
    arena_deinit(&arena);
    run->working[reader->as.working.number] = &once->store;
    return code;
}

static ErrorCode working_next(Operator *base, Batch **batch_out, Error *err) {
    WorkingOperator *op = (WorkingOperator *)base;
    uint32_t number = base->plan->as.working.number;
    *batch_out = NULL;
    if (base->plan->as.working.query != NULL && base->run->working[number] == NULL) {
        TRY(run_once(base->run, base->plan, err));
    }
    const RowStore *store = base->run->working[number];
    if (store == NULL || op->chunk >= store->chunk_count) {
        return ERR_OK;
    }
    const RowChunk *chunk = &store->chunks[op->chunk];
    for (uint32_t c = 0; c < base->plan->column_count; c++) {
        base->columns[c] = chunk->columns[c];
        base->columns[c].row_count = chunk->row_count;
    }
    base->batch = (Batch){.row_count = chunk->row_count, .live_count = chunk->row_count, .column_count = (uint16_t)base->plan->column_count,
                          .columns = base->columns, .first = {op->chunk, 0}};
    op->chunk++;
    *batch_out = &base->batch;
    return ERR_OK;
}

static const OperatorType WORKING_TYPE = {"kept rows", NULL, working_next, NULL};

ErrorCode op_working_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    (void)err;
    WorkingOperator *op = operator_new(WorkingOperator, run, plan, worker, &WORKING_TYPE);
    *op_out = &op->base;
    return ERR_OK;
}

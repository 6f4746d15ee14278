/* SPDX-License-Identifier: Apache-2.0
 * operator.c - what all operators share: opening by kind, pulling with checks and counters, closing; how many workers a pipeline has. */
#include "sql/exec/exec_internal.h"
#include <stdalign.h>
#include <stddef.h>

enum { PARALLEL_ROWS_MIN = 2 * BLOCK_ROWS };

typedef ErrorCode (*OperatorOpen)(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);

Operator *operator_alloc(size_t bytes, Run *run, const PlanOp *plan, uint32_t worker, const OperatorType *type) {
    assert(bytes >= sizeof(Operator));
    size_t own = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    Operator *op = mem_calloc(1, own + (plan->column_count + 1) * sizeof(Vector));
    op->type = type;
    op->plan = plan;
    op->run = run;
    op->worker = worker;
    op->columns = (Vector *)(void *)((uint8_t *)op + own);
    op->batch.columns = op->columns;
    op->batch.column_count = (uint16_t)plan->column_count;
    return op;
}

ErrorCode operator_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    static const OperatorOpen opens[PLAN_OP_KINDS] = {
        [PLAN_SCAN] = op_scan_open,           [PLAN_VALUES] = op_values_open, [PLAN_TABLE_CALL] = op_table_call_open,
        [PLAN_FILTER] = op_filter_open,       [PLAN_PROJECT] = op_project_open, [PLAN_LIMIT] = op_limit_open,
        [PLAN_UNION] = op_union_open,         [PLAN_AGGREGATE] = op_aggregate_open, [PLAN_SAMPLE] = op_sample_open,
        [PLAN_SORT] = op_sort_open,           [PLAN_JOIN] = op_join_open,     [PLAN_LATEST] = op_latest_open,
        [PLAN_SET_OP] = op_set_op_open,       [PLAN_APPLY] = op_apply_open,
        [PLAN_WINDOW] = op_window_open,       [PLAN_RECURSE] = op_recurse_open, [PLAN_WORKING] = op_working_open,
    };
    assert(plan->kind < PLAN_OP_KINDS);
    *op_out = NULL;
    if (plan->column_count > UINT16_MAX) {
        return error_set(err, ERR_TOO_MANY_COLUMNS, ERROR_NO_POSITION, "relation has more than %d columns", UINT16_MAX);
    }
    if (worker == 0) {
        TRY(program_subqueries(run, plan->program, err));
        TRY(program_subqueries(run, plan->constants, err));
    }
    ErrorCode code = opens[plan->kind](run, plan, worker, op_out, err);
    if (code != ERR_OK) {
        operator_close(*op_out);
        *op_out = NULL;
    }
    return code;
}

ErrorCode operator_prepare(Operator *op, Error *err) {
    for (size_t i = 0; i < 2; i++) {
        if (op->inputs[i] != NULL) {
            TRY(operator_prepare(op->inputs[i], err));
        }
    }
    return op->type->prepare == NULL ? ERR_OK : op->type->prepare(op, err);
}

static ErrorCode timed_next(Operator *op, Batch **batch_out, Error *err) {
    Clock *clock = op->run->context.analyze_clock;
    if (LIKELY(clock == NULL)) {
        return op->type->next(op, batch_out, err);
    }
    int64_t start = clock->monotonic_nanos(clock);
    ErrorCode code = op->type->next(op, batch_out, err);
    int64_t spent = clock->monotonic_nanos(clock) - start;
    atomic_fetch_add_explicit(&op->run->counters[op->plan->id].nanos, (uint64_t)spent, memory_order_relaxed);
    return code;
}

ErrorCode operator_next(Operator *op, Batch **batch_out, Error *err) {
    Run *run = op->run;
    OpCounters *counters = &run->counters[op->plan->id];
    for (;;) {
        *batch_out = NULL;
        TRY(run_check(run, err));
        TRY(timed_next(op, batch_out, err));
        Batch *batch = *batch_out;
        if (batch == NULL) {
            return ERR_OK;
        }
        if (batch->live_count > 0) {
            atomic_fetch_add_explicit(&counters->rows, batch->live_count, memory_order_relaxed);
            atomic_fetch_add_explicit(&counters->batches, 1, memory_order_relaxed);
            return ERR_OK;
        }
    }
}

void operator_close(Operator *op) {
    if (op == NULL) {
        return;
    }
    if (op->type->close != NULL) {
        op->type->close(op);
    }
    operator_close(op->inputs[0]);
    operator_close(op->inputs[1]);
    mem_free(op);
}

static bool probes(const PlanOp *plan) {
    uint8_t kind = plan->as.join.kind;
    bool pure = plan->as.join.residual == NULL || !plan->as.join.residual->is_volatile;
    return pure && kind != JOIN_RIGHT && kind != JOIN_FULL;
}

/* The table scan below operators that stream row by row; NULL if there is something else. */
static const PlanOp *streaming_scan(const PlanOp *plan) {
    while (plan->kind != PLAN_SCAN) {
        bool streams = plan->kind == PLAN_FILTER || plan->kind == PLAN_PROJECT || (plan->kind == PLAN_JOIN && probes(plan));
        if (!streams || plan->program->is_volatile) {
            return NULL;
        }
        plan = plan->inputs[0];
    }
    return plan;
}

uint32_t pipeline_workers(Run *run, const PlanOp *plan) {
    const PlanOp *scan = streaming_scan(plan);
    if (scan == NULL || run->context.pool == NULL || run->context.storage == NULL) {
        return 1;
    }
    RowSource *source = NULL;
    if (run->context.storage->source(run->context.storage, scan->as.scan.table->id, &source, NULL) != ERR_OK ||
        source->vtable->row_estimate == NULL || source->vtable->row_estimate(source) < PARALLEL_ROWS_MIN) {
        return 1;
    }
    uint32_t helpers = worker_pool_helpers(run->context.pool);
    uint32_t most = run->context.workers <= 0 ? helpers + 1 : (uint32_t)run->context.workers;
    return MIN_OF(MIN_OF(most, helpers + 1), (uint32_t)WORKERS_MAX);
}

/* SPDX-License-Identifier: Apache-2.0
 * op_aggregate.c - GROUP BY and aggregates without it: each worker fills its own table from the morsels it takes, then they are merged.
 *
 * Why:        a morsel whose rows all qualify may answer count, min, max and sum from its statistics without being read.
 * Invariants: without GROUP BY there is exactly one group, touched from the start. */
#include "sql/exec/group_worker.h"

typedef struct AggregateWorker {
    GroupWorker base;
    Vector **keys;
    uint8_t *stats_states;          /* one row of states, to try statistics on */
} AggregateWorker;

typedef struct AggregateOperator {
    Operator base;
    AggregateWorker *workers;
    uint32_t worker_count;
    const GroupSpec *spec;
    Arena result, scratch;
    bool done;
    uint32_t *order;
    uint32_t order_count, next, batch_number;
} AggregateOperator;

/* ---- one batch ---- */
static ErrorCode take_batch(AggregateOperator *op, AggregateWorker *worker, Batch *batch, Error *err) {
    Frame *frame = worker->base.frame;
    TRY(frame_run(frame, batch, err));
    const uint64_t *rows = frame->masks[MASK_LIVE];
    uint32_t keys = op->spec->key_count;
    if (keys == 0) {
        return aggregates_update(&worker->base.set, frame, batch, &worker->base.table, NULL, 0, rows, err);
    }
    for (uint32_t k = 0; k < keys; k++) {
        TRY(frame_output_dense(frame, k, &worker->keys[k], err));
    }
    TRY(groups_find(&worker->base.table, worker->keys, rows, batch->row_count, batch->first, worker->base.group, NULL, err));
    return aggregates_update(&worker->base.set, frame, batch, &worker->base.table, worker->base.group, 0, rows, err);
}

/* ---- statistics ---- */
static const BlockStats *stats_of(const PlanAggregate *aggregate, const Morsel *morsel) {
    return &morsel->stats[aggregate->stats_column == -2 ? 0 : aggregate->stats_column];
}

/* All aggregates must take the morsel's statistics, or none does. */
static ErrorCode take_stats(AggregateOperator *op, AggregateWorker *worker, const Morsel *morsel, bool *taken_out, Error *err) {
    const GroupSpec *spec = op->spec;
    *taken_out = false;
    if (!morsel->stats_exact || morsel->stats == NULL) {
        return ERR_OK;
    }
    memset(worker->stats_states, 0, spec->stride);
    for (uint32_t a = 0; a < spec->aggregate_count; a++) {
        const PlanAggregate *aggregate = &spec->aggregates[a];
        uint8_t *state = worker->stats_states + aggregate->state_offset;
        Type type = {0};
        if (aggregate->arg_count > 0) {
            type = op->base.plan->program->registers[op->base.plan->program->outputs[aggregate->args[0]]].type;
        }
        if (aggregate->aggregate->init != NULL) {
            aggregate->aggregate->init(state);
        }
        if (!aggregate->aggregate->from_stats(state, stats_of(aggregate, morsel), type)) {
            return ERR_OK;
        }
    }
    for (uint32_t a = 0; a < spec->aggregate_count; a++) {
        const PlanAggregate *aggregate = &spec->aggregates[a];
        TRY(aggregate->aggregate->merge(groups_states(&worker->base.table, 0) + aggregate->state_offset, worker->stats_states + aggregate->state_offset,
                                        &worker->base.table.arena, err));
    }
    *taken_out = true;
    return ERR_OK;
}

static ErrorCode take_morsels(AggregateOperator *op, AggregateWorker *worker, Error *err) {
    Morsel morsel;
    while (scan_take_morsel(worker->base.input, &morsel)) {
        bool taken = false;
        TRY(run_check(op->base.run, err));
        TRY(take_stats(op, worker, &morsel, &taken, err));
        if (taken) {
            continue;
        }
        scan_start_morsel(worker->base.input, &morsel);
        for (;;) {
            Batch *batch = NULL;
            TRY(run_check(op->base.run, err));
            TRY(scan_read_morsel(worker->base.input, &batch, err));
            if (batch == NULL) {
                break;
            }
            if (batch->live_count > 0) {
                TRY(take_batch(op, worker, batch, err));
            }
        }
    }
    return ERR_OK;
}

static ErrorCode take_batches(AggregateOperator *op, AggregateWorker *worker, Error *err) {
    for (;;) {
        Batch *batch = NULL;
        TRY(operator_next(worker->base.input, &batch, err));
        if (batch == NULL) {
            return ERR_OK;
        }
        TRY(take_batch(op, worker, batch, err));
    }
}

static ErrorCode worker_main(void *argument, uint32_t number, Error *err) {
    AggregateOperator *op = argument;
    AggregateWorker *worker = &op->workers[number];
    TRY(op->base.plan->as.aggregate.stats_answers ? take_morsels(op, worker, err) : take_batches(op, worker, err));
    aggregates_settle(&worker->base.set, &worker->base.table);
    return ERR_OK;
}

/* ---- the whole input ---- */
static ErrorCode worker_open(AggregateOperator *op, uint32_t number, Error *err) {
    AggregateWorker *worker = &op->workers[number];
    op->worker_count = MAX_OF(op->worker_count, number + 1);
    TRY(group_worker_open(&worker->base, &op->base, number, op->spec, err));
    worker->keys = mem_calloc(op->spec->key_count + 1, sizeof *worker->keys);
    worker->stats_states = mem_calloc(1, op->spec->stride);
    if (op->spec->key_count == 0) {
        uint32_t group = 0;
        uint64_t row = 1;
        TRY(groups_find(&worker->base.table, NULL, &row, 1, (RowPosition){0, 0}, &group, NULL, err));
    }
    return ERR_OK;
}

static ErrorCode consume(AggregateOperator *op, Error *err) {
    const PlanOp *plan = op->base.plan;
    Run *run = op->base.run;
    uint32_t count = plan->as.aggregate.serial || plan->program->is_volatile ? 1 : pipeline_workers(run, plan->inputs[0]);
    op->spec = group_spec(&run->arena, plan->program, 0, plan->as.aggregate.group_count, plan->as.aggregate.aggregates,
                          plan->as.aggregate.aggregate_count, plan->as.aggregate.state_bytes, plan->as.aggregate.array_groups);
    op->workers = mem_calloc(count, sizeof *op->workers);
    for (uint32_t w = 0; w < count; w++) {
        TRY(worker_open(op, w, err));
    }
    TRY(worker_pool_run(run->context.pool, count, worker_main, op, err));
    for (uint32_t w = 1; w < count; w++) {
        TRY(groups_merge(&op->workers[0].base.table, &op->workers[w].base.table, err));
    }
    op->order = groups_order(&op->workers[0].base.table, &op->result, &op->order_count);
    op->done = true;
    return ERR_OK;
}

static ErrorCode emit(AggregateOperator *op, Batch **batch_out, Error *err) {
    Operator *base = &op->base;
    *batch_out = NULL;
    if (op->next >= op->order_count) {
        return ERR_OK;
    }
    const GroupTable *table = &op->workers[0].base.table;
    uint16_t count = (uint16_t)MIN_OF(op->order_count - op->next, (uint32_t)BATCH_ROWS);
    const uint32_t *order = op->order + op->next;
    arena_reset(&op->scratch);
    for (uint32_t c = 0; c < base->plan->column_count; c++) {
        Vector *out = &base->columns[c];
        *out = vector_new(&op->scratch, base->plan->columns[c].type);
        out->row_count = count;
        out->symbols = base->plan->columns[c].symbols;
        for (uint16_t r = 0; r < count; r++) {
            if (c < op->spec->key_count) {
                groups_key(table, order[r], c, out, r, &op->scratch);
            } else {
                TRY(aggregates_finish(table, order[r], c - op->spec->key_count, out, r, &op->scratch, err));
            }
        }
    }
    base->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)base->plan->column_count, .columns = base->columns,
                          .first = {op->batch_number++, 0}};
    op->next += count;
    *batch_out = &base->batch;
    return ERR_OK;
}

static ErrorCode aggregate_next(Operator *base, Batch **batch_out, Error *err) {
    AggregateOperator *op = (AggregateOperator *)base;
    if (!op->done) {
        TRY(consume(op, err));
    }
    return emit(op, batch_out, err);
}

static void aggregate_close(Operator *base) {
    AggregateOperator *op = (AggregateOperator *)base;
    for (uint32_t w = 0; w < op->worker_count; w++) {
        AggregateWorker *worker = &op->workers[w];
        group_worker_close(&worker->base, w);
        mem_free(worker->keys);
        mem_free(worker->stats_states);
    }
    mem_free(op->workers);
    arena_deinit(&op->result);
    arena_deinit(&op->scratch);
}

static const OperatorType AGGREGATE_TYPE = {"aggregate", NULL, aggregate_next, aggregate_close};

ErrorCode op_aggregate_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    if (plan->as.aggregate.distinct) {
        return op_distinct_open(run, plan, worker, op_out, err);
    }
    AggregateOperator *op = operator_new(AggregateOperator, run, plan, worker, &AGGREGATE_TYPE);
    *op_out = &op->base;
    arena_init(&op->result, SIZE_MAX);
    arena_init(&op->scratch, SIZE_MAX);
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

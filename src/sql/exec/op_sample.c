/* SPDX-License-Identifier: Apache-2.0
 * op_sample.c - SAMPLE BY: groups of (bucket, keys), given out by bucket, then by first appearance; FILL adds the missing cells.
 *
 * Layout:     a worker's table has the bucket as its first key; the tables are merged, cells sorted by bucket. With FILL every key seen has
 *             a cell in every bucket from the first to the last (or FROM to TO).
 * Invariants: rows outside FROM..TO are not taken; rows without a timestamp have no bucket. */
#include "sql/exec/group_worker.h"
#include "sql/exec/sample_fill.h"

typedef struct SampleWorker {
    GroupWorker base;
    GroupCache cache;
    Bucketer bucketer;
    Vector bucket;              /* FLAT INT8, over buckets */
    int64_t *buckets;
    Vector **keys;              /* the bucket, then the keys */
} SampleWorker;

typedef struct SampleOperator {
    Operator base;
    SampleWorker *workers;
    uint32_t worker_count;
    GroupSpec *spec;
    Value *constants;
    bool has_from, has_to, done;
    int64_t from, to;
    SampleCells cells;
    Arena result, scratch;
    uint32_t next, batch_number;
} SampleOperator;

static const uint64_t *rows_in_range(SampleOperator *op, SampleWorker *worker, const Vector *time) {
    Frame *frame = worker->base.frame;
    uint64_t *rows = frame_words(frame);
    const int64_t *values = time->data;
    memcpy(rows, frame->masks[MASK_LIVE], BATCH_WORDS * sizeof *rows);
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        rows[w] &= time->valid == NULL ? ~UINT64_C(0) : time->valid[w];
    }
    for (uint16_t r = 0; (op->has_from || op->has_to) && r < frame->row_count; r++) {
        if ((op->has_from && values[r] < op->from) || (op->has_to && values[r] >= op->to)) {
            bit_clear(rows, r);
        }
    }
    return rows;
}

static void find_buckets(SampleOperator *op, SampleWorker *worker, const Vector *time, const uint64_t *rows) {
    const int64_t *values = time->data;
    for (uint16_t r = 0; r < worker->base.frame->row_count; r++) {
        if (!bit_get(rows, r)) {
            continue;
        }
        if (op->base.plan->as.sample.first_observation && op->batch_number == 0 && worker->base.table.count == 0) {
            bucketer_align(&worker->bucketer, values[r]);
            op->batch_number = 1; /* aligned: one worker, input in order */
        }
        worker->buckets[r] = bucketer_start(&worker->bucketer, values[r]);
    }
}

/* Most batches in time order lie in one bucket: without keys that is one state for all rows. */
static bool one_group(const uint32_t *group, const uint64_t *rows, uint16_t row_count, uint32_t *single_out) {
    bool any = false;
    for (size_t w = 0; w < words_for(row_count); w++) {
        for (uint64_t word = rows[w]; word != 0; word &= word - 1) {
            uint32_t here = group[w * 64 + (size_t)__builtin_ctzll(word)];
            if (any && here != *single_out) {
                return false;
            }
            *single_out = here;
            any = true;
        }
    }
    return any;
}

static ErrorCode take_batch(SampleOperator *op, SampleWorker *worker, Batch *batch, Error *err) {
    Frame *frame = worker->base.frame;
    Vector *time;
    uint32_t single = 0;
    TRY(frame_run(frame, batch, err));
    TRY(frame_output_flat(frame, 0, &time, err));
    const uint64_t *rows = rows_in_range(op, worker, time);
    if (words_empty(rows)) {
        return ERR_OK;
    }
    find_buckets(op, worker, time, rows);
    worker->bucket.row_count = frame->row_count;
    worker->keys[0] = &worker->bucket;
    for (uint32_t k = 0; k < op->base.plan->as.sample.key_count; k++) {
        TRY(frame_output_dense(frame, k + 1, &worker->keys[k + 1], err));
    }
    TRY(groups_find_cached(&worker->base.table, &worker->cache, worker->keys, rows, frame->row_count, batch->first, worker->base.group, err));
    if (op->base.plan->as.sample.key_count == 0 && one_group(worker->base.group, rows, frame->row_count, &single)) {
        return aggregates_update(&worker->base.set, frame, batch, &worker->base.table, NULL, single, rows, err);
    }
    return aggregates_update(&worker->base.set, frame, batch, &worker->base.table, worker->base.group, 0, rows, err);
}

static ErrorCode worker_main(void *argument, uint32_t number, Error *err) {
    SampleOperator *op = argument;
    SampleWorker *worker = &op->workers[number];
    for (;;) {
        Batch *batch = NULL;
        TRY(operator_next(worker->base.input, &batch, err));
        if (batch == NULL) {
            return ERR_OK;
        }
        TRY(take_batch(op, worker, batch, err));
    }
}

/* The group table's keys: the bucket, then the program's key outputs. */
static GroupSpec *sample_spec(Run *run, const PlanOp *plan) {
    uint32_t count = plan->as.sample.key_count + 1;
    Register *registers = arena_array(&run->arena, Register, count);
    RegisterNumber *outputs = arena_array(&run->arena, RegisterNumber, count);
    registers[0] = (Register){.type = type_of(TYPE_INT8)};
    for (uint32_t k = 0; k < count; k++) {
        outputs[k] = (RegisterNumber)k;
        if (k > 0) {
            registers[k] = plan->program->registers[plan->program->outputs[k]];
        }
    }
    Program keys = {.registers = registers, .outputs = outputs};
    return group_spec(&run->arena, &keys, 0, count, plan->as.sample.aggregates, plan->as.sample.aggregate_count, plan->as.sample.state_bytes, false);
}

static ErrorCode worker_open(SampleOperator *op, uint32_t number, Error *err) {
    SampleWorker *worker = &op->workers[number];
    const PlanOp *plan = op->base.plan;
    op->worker_count = MAX_OF(op->worker_count, number + 1);
    TRY(group_worker_open(&worker->base, &op->base, number, op->spec, err));
    TRY(groups_cache_init(&worker->cache, &worker->base.table, err));
    worker->buckets = mem_alloc_aligned(BATCH_ROWS * sizeof(int64_t));
    memset(worker->buckets, 0, BATCH_ROWS * sizeof(int64_t));
    worker->bucket = (Vector){.type = type_of(TYPE_INT8), .form = VECTOR_FLAT, .facts = FACT_NO_NULLS, .data = worker->buckets};
    worker->keys = mem_calloc(plan->as.sample.key_count + 1u, sizeof *worker->keys);
    TRY(bucketer_init(&worker->bucketer, plan->as.sample.timestamp_type, plan->as.sample.step, plan->as.sample.unit, plan->as.sample.zone,
                      plan->as.sample.offset_micros, err));
    if (op->has_from) {
        bucketer_align(&worker->bucketer, op->from);
    }
    return ERR_OK;
}

static ErrorCode read_range(SampleOperator *op, Error *err) {
    const PlanOp *plan = op->base.plan;
    Run *run = op->base.run;
    op->constants = arena_array(&run->arena, Value, plan->constants->output_count + 1u);
    TRY(program_constants(run, plan->constants, &run->arena, op->constants, err));
    op->has_from = plan->as.sample.has_from && !op->constants[plan->as.sample.from_output].is_null;
    op->has_to = plan->as.sample.has_to && !op->constants[plan->as.sample.to_output].is_null;
    op->from = op->has_from ? op->constants[plan->as.sample.from_output].as.i64 : 0;
    op->to = op->has_to ? op->constants[plan->as.sample.to_output].as.i64 : 0;
    return ERR_OK;
}

static ErrorCode consume(SampleOperator *op, Error *err) {
    const PlanOp *plan = op->base.plan;
    Run *run = op->base.run;
    op->done = true;
    TRY(read_range(op, err));
    op->spec = sample_spec(run, plan);
    uint32_t count = plan->as.sample.serial || plan->program->is_volatile ? 1 : pipeline_workers(run, plan->inputs[0]);
    op->workers = mem_calloc(count, sizeof *op->workers);
    for (uint32_t w = 0; w < count; w++) {
        TRY(worker_open(op, w, err));
    }
    TRY(worker_pool_run(run->context.pool, count, worker_main, op, err));
    for (uint32_t w = 1; w < count; w++) {
        TRY(groups_merge(&op->workers[0].base.table, &op->workers[w].base.table, err));
    }
    op->batch_number = 0;
    op->cells = (SampleCells){.table = &op->workers[0].base.table, .bucketer = &op->workers[0].bucketer, .plan = plan, .constants = op->constants,
                              .has_from = op->has_from, .has_to = op->has_to, .from = op->from, .to = op->to};
    return sample_cells_open(&op->cells, &op->result, &run->budget, err);
}

static ErrorCode sample_next(Operator *base, Batch **batch_out, Error *err) {
    SampleOperator *op = (SampleOperator *)base;
    *batch_out = NULL;
    if (!op->done) {
        TRY(consume(op, err));
    }
    arena_reset(&op->scratch);
    uint16_t count = 0;
    TRY(sample_cells_next(&op->cells, base->columns, &op->scratch, &count, err));
    if (count == 0) {
        return ERR_OK;
    }
    base->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)base->plan->column_count, .columns = base->columns,
                          .first = {op->batch_number++, 0}};
    *batch_out = &base->batch;
    return ERR_OK;
}

static void sample_close(Operator *base) {
    SampleOperator *op = (SampleOperator *)base;
    for (uint32_t w = 0; w < op->worker_count; w++) {
        SampleWorker *worker = &op->workers[w];
        groups_cache_deinit(&worker->cache);
        group_worker_close(&worker->base, w);
        mem_free(worker->buckets);
        mem_free(worker->keys);
    }
    mem_free(op->workers);
    arena_deinit(&op->result);
    arena_deinit(&op->scratch);
}

static const OperatorType SAMPLE_TYPE = {"sample", NULL, sample_next, sample_close};

ErrorCode op_sample_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    SampleOperator *op = operator_new(SampleOperator, run, plan, worker, &SAMPLE_TYPE);
    *op_out = &op->base;
    arena_init(&op->result, SIZE_MAX);
    arena_init(&op->scratch, SIZE_MAX);
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

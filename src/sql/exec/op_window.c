/* SPDX-License-Identifier: Apache-2.0
 * op_window.c - window functions over sorted input: all rows are kept, each function is computed partition by partition, then rows are
 * handed out with their results.
 *
 * Why:        frames that only grow (the usual running sums) take each row once. Others begin anew at each row; where they are long, the
 *             states of whole blocks of rows are merged in instead of their rows.
 * Limits:     rows count against the query's memory. */
#include "sql/exec/window.h"

enum { STATE_BLOCK_ROWS = 64 };

typedef struct WindowOperator {
    Operator base;
    Frame *frame;
    WindowRows rows;
    Vector **results;           /* item -> one vector a chunk */
    Arena arena, scratch;
    size_t budget_seen;
    bool computed;
    uint32_t next_chunk;
} WindowOperator;

/* ---- input ---- */
static ErrorCode take_batch(WindowOperator *op, Batch *in, Error *err) {
    uint32_t outputs = op->base.plan->program->output_count;
    TRY(frame_run(op->frame, in, err));
    Vector *columns = arena_array(&op->frame->scratch, Vector, op->rows.payload + outputs + 1);
    memcpy(columns, in->columns, op->rows.payload * sizeof *columns);
    for (uint32_t i = 0; i < outputs; i++) {
        Vector *value = NULL;
        TRY(frame_output_dense(op->frame, i, &value, err));
        columns[op->rows.payload + i] = *value;
        columns[op->rows.payload + i].row_count = in->row_count;
    }
    Batch batch = *in;
    batch.columns = columns;
    batch.column_count = (uint16_t)(op->rows.payload + outputs);
    return rowstore_append(&op->rows.store, &batch, &op->frame->scratch, &op->base.run->budget, err);
}

static bool same_values(const WindowRows *rows, uint32_t first, uint32_t count, uint32_t a, uint32_t b) {
    for (uint32_t i = first; i < first + count; i++) {
        const Vector *x = window_vector(rows, i, a);
        const Vector *y = window_vector(rows, i, b);
        bool null = vector_is_null(x, a % BATCH_ROWS);
        if (null != vector_is_null(y, b % BATCH_ROWS)) {
            return false;
        }
        if (null) {
            continue;
        }
        bool equal = type_physical((TypeId)x->type.id) == PHYS_BIT
                         ? vector_bool(x, a % BATCH_ROWS) == vector_bool(y, b % BATCH_ROWS)
                         : value_rules((TypeId)x->type.id)->equal(vector_value(x, a % BATCH_ROWS), vector_value(y, b % BATCH_ROWS));
        if (!equal) {
            return false;
        }
    }
    return true;
}

/* Groups of peers: rows of one partition with equal order keys. Without ORDER BY a partition is one group. */
static ErrorCode find_groups(WindowOperator *op, Error *err) {
    WindowRows *rows = &op->rows;
    uint32_t keys = op->base.plan->as.window.partition_count + op->base.plan->as.window.order_count;
    rows->row_count = (uint32_t)rows->store.row_count;
    rows->group_first = arena_array(&op->arena, uint32_t, (size_t)rows->row_count + 2);
    rows->group_of = arena_array(&op->arena, uint32_t, (size_t)rows->row_count + 1);
    for (uint32_t r = 0; r < rows->row_count; r++) {
        if (r == 0 || !same_values(rows, 0, keys, r - 1, r)) {
            rows->group_first[rows->group_count++] = r;
        }
        rows->group_of[r] = rows->group_count - 1;
    }
    rows->group_first[rows->group_count] = rows->row_count;
    return budget_follow(&op->base.run->budget, &op->arena, &op->budget_seen, err);
}

/* ---- results ---- */
static Vector *result_of(const WindowOperator *op, uint32_t item, uint32_t row) {
    return &op->results[item][row / BATCH_ROWS];
}

static void put_int(WindowOperator *op, uint32_t item, uint32_t row, int64_t value) {
    Vector *out = result_of(op, item, row);
    if (out->type.id == TYPE_INT4) {
        ((int32_t *)vector_data(out))[row % BATCH_ROWS] = (int32_t)value;
    } else {
        ((int64_t *)vector_data(out))[row % BATCH_ROWS] = value;
    }
}

static void put_float(WindowOperator *op, uint32_t item, uint32_t row, double value) {
    ((double *)vector_data(result_of(op, item, row)))[row % BATCH_ROWS] = value;
}

static void put_null(WindowOperator *op, uint32_t item, uint32_t row) {
    vector_set_null(result_of(op, item, row), &op->arena, row % BATCH_ROWS);
}

static void put_value(WindowOperator *op, uint32_t item, uint32_t row, uint32_t output, uint32_t from) {
    vector_copy_value(result_of(op, item, row), &op->arena, row % BATCH_ROWS, window_vector(&op->rows, output, from), from % BATCH_ROWS);
}

/* ---- ranks ---- */
static void compute_rank(WindowOperator *op, uint32_t item, const WindowPartition *part) {
    const WindowRows *rows = &op->rows;
    uint8_t kind = op->base.plan->as.window.items[item].kind;
    uint32_t count = part->end - part->first;
    for (uint32_t r = part->first; r < part->end; r++) {
        uint32_t group = rows->group_of[r];
        uint32_t first = rows->group_first[group];
        switch (kind) {
        case WINDOW_ROW_NUMBER: put_int(op, item, r, (int64_t)r - part->first + 1); break;
        case WINDOW_RANK: put_int(op, item, r, (int64_t)first - part->first + 1); break;
        case WINDOW_DENSE_RANK: put_int(op, item, r, (int64_t)group - part->group_first + 1); break;
        case WINDOW_PERCENT_RANK: put_float(op, item, r, count > 1 ? (double)(first - part->first) / (double)(count - 1) : 0); break;
        default: put_float(op, item, r, (double)(rows->group_first[group + 1] - part->first) / (double)count); break;
        }
    }
}

static int64_t int_at(const WindowRows *rows, uint32_t output, uint32_t row) {
    int32_t value = 0;
    memcpy(&value, vector_value(window_vector(rows, output, row), row % BATCH_ROWS), sizeof value);
    return value;
}

/* The first of the buckets get one row more where the rows do not divide evenly. */
static ErrorCode compute_ntile(WindowOperator *op, uint32_t item, const WindowPartition *part, Error *err) {
    uint32_t output = op->base.plan->as.window.items[item].call.args[0];
    int64_t rows = (int64_t)part->end - part->first;
    bool null = window_is_null(&op->rows, output, part->first);
    int64_t buckets = null ? 1 : int_at(&op->rows, output, part->first);
    if (buckets <= 0) {
        return error_set(err, ERR_INVALID_NTILE, ERROR_NO_POSITION, "argument of ntile must be greater than zero");
    }
    int64_t size = rows / buckets;
    int64_t larger = rows % buckets;
    for (int64_t i = 0; i < rows; i++) {
        int64_t bucket = i < larger * (size + 1) ? i / (size + 1) : larger + (i - larger * (size + 1)) / MAX_OF(size, (int64_t)1);
        put_int(op, item, part->first + (uint32_t)i, bucket + 1);
        if (null) {
            put_null(op, item, part->first + (uint32_t)i);
        }
    }
    return ERR_OK;
}

/* ---- values of other rows ---- */
static void compute_lag(WindowOperator *op, uint32_t item, const WindowPartition *part) {
    const PlanWindowItem *w = &op->base.plan->as.window.items[item];
    for (uint32_t r = part->first; r < part->end; r++) {
        if (w->call.arg_count > 1 && window_is_null(&op->rows, w->call.args[1], r)) {
            put_null(op, item, r);
            continue;
        }
        int64_t offset = w->call.arg_count > 1 ? int_at(&op->rows, w->call.args[1], r) : 1;
        int64_t from = w->kind == WINDOW_LAG ? (int64_t)r - offset : (int64_t)r + offset;
        if (from >= part->first && from < part->end) {
            put_value(op, item, r, w->call.args[0], (uint32_t)from);
        } else if (w->call.arg_count > 2) {
            put_value(op, item, r, w->call.args[2], r);
        } else {
            put_null(op, item, r);
        }
    }
}

/* Row number `nth` (from 0; from the end if `last`) of the ranges; UINT32_MAX: there is none. */
static uint32_t nth_row(const RowRange *ranges, uint32_t count, uint64_t nth, bool last) {
    for (uint32_t i = 0; i < count; i++) {
        const RowRange *range = &ranges[last ? count - 1 - i : i];
        uint64_t rows = range->end - range->first;
        if (nth < rows) {
            return last ? range->end - 1 - (uint32_t)nth : range->first + (uint32_t)nth;
        }
        nth -= rows;
    }
    return UINT32_MAX;
}

static ErrorCode compute_value(WindowOperator *op, uint32_t item, const WindowPartition *part, Error *err) {
    const PlanWindowItem *w = &op->base.plan->as.window.items[item];
    for (uint32_t r = part->first; r < part->end; r++) {
        RowRange range;
        RowRange ranges[FRAME_RANGES_MAX];
        uint64_t nth = 0;
        TRY(window_frame(&op->rows, w, part, r, &range, err));
        uint32_t count = window_exclude(&op->rows, w, r, range, ranges);
        bool null = w->kind == WINDOW_NTH_VALUE && window_is_null(&op->rows, w->call.args[1], r);
        if (w->kind == WINDOW_NTH_VALUE && !null) {
            int64_t wanted = int_at(&op->rows, w->call.args[1], r);
            if (wanted <= 0) {
                return error_set(err, ERR_INVALID_NTH_VALUE, ERROR_NO_POSITION, "argument of nth_value must be greater than zero");
            }
            nth = (uint64_t)wanted - 1;
        }
        uint32_t from = null ? UINT32_MAX : nth_row(ranges, count, nth, w->kind == WINDOW_LAST_VALUE);
        if (from == UINT32_MAX) {
            put_null(op, item, r);
        } else {
            put_value(op, item, r, w->call.args[0], from);
        }
    }
    return ERR_OK;
}

/* ---- aggregates ---- */
typedef struct Fold {
    WindowOperator *op;
    const PlanWindowItem *item;
    const Aggregate *aggregate;
    uint8_t *state;             /* of the current frame */
    uint8_t *blocks;            /* states of the partition's blocks of STATE_BLOCK_ROWS rows; NULL: not made */
    uint32_t block_first;       /* row that block 0 begins at */
    RowRange held;              /* what state has taken */
} Fold;

static void fold_clear(const Fold *fold, uint8_t *state) {
    memset(state, 0, fold->aggregate->state_bytes);
    if (fold->aggregate->init != NULL) {
        fold->aggregate->init(state);
    }
}

static ErrorCode take_chunk(const Fold *fold, uint8_t *state, uint32_t chunk, uint32_t first, uint32_t end, Error *err) {
    const WindowRows *rows = &fold->op->rows;
    const PlanAggregate *call = &fold->item->call;
    const RowChunk *from = &rows->store.chunks[chunk];
    uint64_t mask[BATCH_WORDS] = {0};
    const Vector *args[4] = {0};
    for (uint32_t w = first / 64; w <= (end - 1) / 64; w++) {
        uint64_t word = ~UINT64_C(0);
        word &= w == first / 64 ? ~UINT64_C(0) << (first % 64) : ~UINT64_C(0);
        word &= w == (end - 1) / 64 ? ~UINT64_C(0) >> (63 - (end - 1) % 64) : ~UINT64_C(0);
        mask[w] = word;
    }
    if (call->has_filter) {
        const Vector *filter = &from->columns[rows->payload + call->filter];
        for (size_t w = 0; w < words_for(from->row_count); w++) {
            mask[w] &= ((const uint64_t *)filter->data)[w] & (filter->valid == NULL ? ~UINT64_C(0) : filter->valid[w]);
        }
    }
    for (uint32_t i = 0; i < call->arg_count; i++) {
        args[i] = &from->columns[rows->payload + call->args[i]];
    }
    AggregateCall update = {.args = args, .arg_count = call->arg_count, .row_count = from->row_count, .rows = mask, .first = {chunk, 0},
                            .arena = &fold->op->arena, .prepared = call->prepared, .symbols = call->arg_count > 0 ? args[0]->symbols : NULL};
    return fold->aggregate->update(&update, state, err);
}

static ErrorCode take_rows(const Fold *fold, uint8_t *state, uint32_t first, uint32_t end, Error *err) {
    while (first < end) {
        uint32_t chunk = first / BATCH_ROWS;
        uint32_t last = MIN_OF(end, (chunk + 1) * BATCH_ROWS);
        TRY(take_chunk(fold, state, chunk, first % BATCH_ROWS, (last - 1) % BATCH_ROWS + 1, err));
        first = last;
    }
    return ERR_OK;
}

static ErrorCode make_blocks(Fold *fold, const WindowPartition *part, Error *err) {
    uint32_t first = (part->first + STATE_BLOCK_ROWS - 1) / STATE_BLOCK_ROWS;
    uint32_t end = part->end / STATE_BLOCK_ROWS;
    uint32_t bytes = fold->aggregate->state_bytes;
    fold->block_first = first * STATE_BLOCK_ROWS;
    fold->blocks = arena_alloc_aligned(&fold->op->arena, (size_t)(end > first ? end - first : 0) * bytes + 16, 64);
    for (uint32_t i = first; i < end; i++) {
        uint8_t *state = fold->blocks + (size_t)(i - first) * bytes;
        fold_clear(fold, state);
        TRY(take_rows(fold, state, i * STATE_BLOCK_ROWS, (i + 1) * STATE_BLOCK_ROWS, err));
    }
    return ERR_OK;
}

/* Rows at both ends, whole blocks between them. */
static ErrorCode take_range(Fold *fold, const WindowPartition *part, RowRange range, Error *err) {
    bool merges = fold->aggregate->merge != NULL && (fold->aggregate->flags & AGG_SERIAL) == 0;
    uint32_t first = (range.first + STATE_BLOCK_ROWS - 1) / STATE_BLOCK_ROWS * STATE_BLOCK_ROWS;
    uint32_t end = range.end / STATE_BLOCK_ROWS * STATE_BLOCK_ROWS;
    if (!merges || end <= first + STATE_BLOCK_ROWS) {
        return take_rows(fold, fold->state, range.first, range.end, err);
    }
    if (fold->blocks == NULL) {
        TRY(make_blocks(fold, part, err));
    }
    TRY(take_rows(fold, fold->state, range.first, first, err));
    for (uint32_t r = first; r < end; r += STATE_BLOCK_ROWS) {
        const uint8_t *block = fold->blocks + (size_t)((r - fold->block_first) / STATE_BLOCK_ROWS) * fold->aggregate->state_bytes;
        TRY(fold->aggregate->merge(fold->state, block, &fold->op->arena, err));
    }
    return take_rows(fold, fold->state, end, range.end, err);
}

static ErrorCode fold_frame(Fold *fold, const WindowPartition *part, uint32_t row, RowRange range, Error *err) {
    RowRange ranges[FRAME_RANGES_MAX];
    bool plain = fold->item->exclude == FRAME_EXCLUDE_NONE;
    if (plain && range.first == fold->held.first && range.end >= fold->held.end) {
        TRY(take_rows(fold, fold->state, fold->held.end, range.end, err));
        fold->held = range;
        return ERR_OK;
    }
    uint32_t count = window_exclude(&fold->op->rows, fold->item, row, range, ranges);
    fold_clear(fold, fold->state);
    for (uint32_t i = 0; i < count; i++) {
        TRY(take_range(fold, part, ranges[i], err));
    }
    fold->held = plain ? range : (RowRange){UINT32_MAX, UINT32_MAX};
    return ERR_OK;
}

static ErrorCode compute_aggregate(WindowOperator *op, uint32_t item, const WindowPartition *part, Error *err) {
    const PlanWindowItem *w = &op->base.plan->as.window.items[item];
    Fold fold = {.op = op, .item = w, .aggregate = w->call.aggregate, .held = {part->first, part->first}};
    fold.state = arena_alloc_aligned(&op->arena, fold.aggregate->state_bytes + 16u, 64);
    fold_clear(&fold, fold.state);
    RowRange before = {UINT32_MAX, UINT32_MAX};
    for (uint32_t r = part->first; r < part->end; r++) {
        RowRange range;
        TRY(window_frame(&op->rows, w, part, r, &range, err));
        Vector *out = result_of(op, item, r);
        if (w->exclude == FRAME_EXCLUDE_NONE && range.first == before.first && range.end == before.end) {
            vector_copy_value(out, &op->arena, r % BATCH_ROWS, result_of(op, item, r - 1), (r - 1) % BATCH_ROWS);
            continue;
        }
        before = range;
        TRY(fold_frame(&fold, part, r, range, err));
        TRY(fold.aggregate->finish(fold.state, w->call.prepared, out, r % BATCH_ROWS, &op->arena, err));
        if (out->symbols == NULL) {
            out->symbols = w->call.symbols;
        }
        if (r % BATCH_ROWS == 0) {
            TRY(run_check(op->base.run, err));
            TRY(budget_follow(&op->base.run->budget, &op->arena, &op->budget_seen, err));
        }
    }
    return ERR_OK;
}

/* ---- all of it ---- */
static ErrorCode compute_item(WindowOperator *op, uint32_t item, const WindowPartition *part, Error *err) {
    switch ((WindowKind)op->base.plan->as.window.items[item].kind) {
    case WINDOW_AGGREGATE: return compute_aggregate(op, item, part, err);
    case WINDOW_NTILE: return compute_ntile(op, item, part, err);
    case WINDOW_FIRST_VALUE:
    case WINDOW_LAST_VALUE:
    case WINDOW_NTH_VALUE: return compute_value(op, item, part, err);
    case WINDOW_LAG:
    case WINDOW_LEAD: compute_lag(op, item, part); return ERR_OK;
    default: compute_rank(op, item, part); return ERR_OK;
    }
}

static ErrorCode compute_partitions(WindowOperator *op, Error *err) {
    const WindowRows *rows = &op->rows;
    uint32_t keys = op->base.plan->as.window.partition_count;
    for (uint32_t first = 0; first < rows->group_count;) {
        uint32_t end = first + 1;
        while (end < rows->group_count && same_values(rows, 0, keys, rows->group_first[first], rows->group_first[end])) {
            end++;
        }
        WindowPartition part = {rows->group_first[first], rows->group_first[end], first, end};
        for (uint32_t i = 0; i < op->base.plan->as.window.item_count; i++) {
            TRY(compute_item(op, i, &part, err));
        }
        TRY(run_check(op->base.run, err));
        first = end;
    }
    return budget_follow(&op->base.run->budget, &op->arena, &op->budget_seen, err);
}

static void open_results(WindowOperator *op) {
    const PlanOp *plan = op->base.plan;
    uint32_t chunks = op->rows.store.chunk_count;
    op->results = (Vector **)arena_array(&op->arena, void *, plan->as.window.item_count + 1u);
    for (uint32_t i = 0; i < plan->as.window.item_count; i++) {
        op->results[i] = arena_array(&op->arena, Vector, chunks + 1);
        for (uint32_t c = 0; c < chunks; c++) {
            op->results[i][c] = vector_new(&op->arena, plan->as.window.items[i].call.type);
            op->results[i][c].row_count = op->rows.store.chunks[c].row_count;
        }
    }
}

static ErrorCode compute(WindowOperator *op, Error *err) {
    const PlanOp *plan = op->base.plan;
    op->computed = true;
    op->rows.offsets = arena_array(&op->arena, Value, plan->constants->output_count + 1);
    TRY(program_constants(op->base.run, plan->constants, &op->arena, op->rows.offsets, err));
    for (;;) {
        Batch *in = NULL;
        TRY(operator_next(op->base.inputs[0], &in, err));
        if (in == NULL) {
            break;
        }
        TRY(take_batch(op, in, err));
    }
    TRY(find_groups(op, err));
    open_results(op);
    return compute_partitions(op, err);
}

static ErrorCode window_next(Operator *base, Batch **batch_out, Error *err) {
    WindowOperator *op = (WindowOperator *)base;
    *batch_out = NULL;
    if (!op->computed) {
        TRY(compute(op, err));
    }
    if (op->next_chunk >= op->rows.store.chunk_count) {
        return ERR_OK;
    }
    uint32_t number = op->next_chunk++;
    const RowChunk *chunk = &op->rows.store.chunks[number];
    for (uint32_t c = 0; c < op->rows.payload; c++) {
        base->columns[c] = chunk->columns[c];
        base->columns[c].row_count = chunk->row_count;
    }
    for (uint32_t i = 0; i < base->plan->as.window.item_count; i++) {
        base->columns[op->rows.payload + i] = op->results[i][number];
    }
    base->batch = (Batch){.row_count = chunk->row_count, .live_count = chunk->row_count, .column_count = (uint16_t)base->plan->column_count,
                          .columns = base->columns, .first = {number, 0}};
    *batch_out = &base->batch;
    return ERR_OK;
}

static void window_close(Operator *base) {
    WindowOperator *op = (WindowOperator *)base;
    frame_close(op->frame);
    rowstore_deinit(&op->rows.store, &base->run->budget);
    budget_release(&base->run->budget, op->budget_seen);
    arena_deinit(&op->arena);
}

static const OperatorType WINDOW_TYPE = {"window", NULL, window_next, window_close};

ErrorCode op_window_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    WindowOperator *op = operator_new(WindowOperator, run, plan, worker, &WINDOW_TYPE);
    *op_out = &op->base;
    arena_init(&op->arena, SIZE_MAX);
    uint32_t payload = plan->inputs[0]->column_count;
    uint32_t outputs = plan->program->output_count;
    op->rows.plan = plan;
    op->rows.payload = payload;
    op->rows.columns = arena_array(&op->arena, RelColumn, payload + outputs + 1);
    memcpy(op->rows.columns, plan->inputs[0]->columns, payload * sizeof(RelColumn));
    for (uint32_t i = 0; i < outputs; i++) {
        const Register *reg = &plan->program->registers[plan->program->outputs[i]];
        op->rows.columns[payload + i] = (RelColumn){.type = reg->type, .symbols = reg->symbols};
    }
    rowstore_init(&op->rows.store, op->rows.columns, payload + outputs);
    TRY(frame_open(run, plan->program, &op->frame, err));
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

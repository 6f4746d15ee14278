/* SPDX-License-Identifier: Apache-2.0
 * op_sort.c - ORDER BY: rows are kept with their key words, numbers are sorted, rows handed out by number. With LIMIT only the best
 * rows are kept: past twice the limit they are sorted and cut, and the last of them filters what comes.
 *
 * Invariants: rows of equal keys keep the order of the input; reverse_ties turns it around. */
#include "sql/exec/sort_keys.h"

#define TOP_ROWS_MAX UINT64_C(100000)
enum { TOP_SLACK = 8192 };

typedef struct SortOperator {
    Operator base;
    Frame *frame;
    SortKeys keys;
    RowStore store;
    RelColumn *store_columns;
    Vector *in_columns, *out_columns;
    uint64_t skip, keep;            /* OFFSET; rows to hand out at most */
    uint64_t top;                   /* rows worth keeping; UINT64_MAX: all */
    uint64_t *threshold;            /* words of the last row worth keeping, once known */
    bool has_threshold, sorted;
    uint32_t *numbers;
    uint64_t at, end;
    Arena arena, scratch;
} SortOperator;

static uint32_t *row_numbers(SortOperator *op, Arena *arena) {
    uint32_t count = (uint32_t)op->store.row_count;
    uint32_t *numbers = arena_alloc_aligned(arena, ((size_t)count + 1) * sizeof *numbers, 64);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = op->base.plan->as.sort.reverse_ties ? count - 1 - i : i;
    }
    return numbers;
}

/* ---- top-k ---- */
static void drop_hopeless(SortOperator *op, Batch *batch, const uint64_t *words) {
    uint64_t kept[BATCH_WORDS] = {0};
    size_t width = op->keys.word_count;
    uint16_t picked[BATCH_ROWS];
    uint16_t count = batch_live_rows(batch, picked);
    for (uint16_t i = 0; i < count; i++) {
        const uint64_t *row = words + picked[i] * width;
        size_t w = 0;
        while (w < width && row[w] == op->threshold[w]) {
            w++;
        }
        if (w == width || row[w] < op->threshold[w]) {
            bit_set(kept, picked[i]);
        }
    }
    batch_filter(batch, kept, &op->frame->scratch);
}

/* Sorts what is kept and keeps the best `top` rows, in sorted order. */
static ErrorCode cut_to_top(SortOperator *op, Error *err) {
    Budget *budget = &op->base.run->budget;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    uint32_t *numbers = row_numbers(op, &arena);
    ErrorCode code = sort_keys_sort(&op->keys, &op->store, numbers, (uint32_t)op->store.row_count, op->base.run, err);
    RowStore best;
    rowstore_init(&best, op->store_columns, op->store.column_count);
    SortKeys keys = op->keys;
    keys.words = NULL;
    keys.row_count = keys.capacity = keys.reserved = 0;
    for (uint64_t at = 0; at < op->top && code == ERR_OK; at += BATCH_ROWS) {
        uint16_t count = (uint16_t)MIN_OF(op->top - at, (uint64_t)BATCH_ROWS);
        const uint16_t first[1] = {0};
        arena_reset(&op->scratch);
        rowstore_gather(&op->store, numbers + at, count, op->out_columns, &op->scratch);
        Batch batch = {.row_count = count, .live_count = count, .column_count = (uint16_t)best.column_count, .columns = op->out_columns};
        code = rowstore_append(&best, &batch, &op->scratch, budget, err);
        for (uint16_t i = 0; i < count && code == ERR_OK; i++) {
            code = sort_keys_append(&keys, op->keys.words + (size_t)numbers[at + i] * op->keys.word_count, first, 1, err);
        }
    }
    arena_deinit(&arena);
    rowstore_deinit(&op->store, budget);
    sort_keys_deinit(&op->keys);
    op->store = best;
    op->keys = keys;
    if (code == ERR_OK && op->top > 0) {
        memcpy(op->threshold, keys.words + (op->top - 1) * keys.word_count, keys.word_count * sizeof *op->threshold);
        op->has_threshold = true;
    }
    return code;
}

/* ---- input ---- */
static ErrorCode take_batch(SortOperator *op, Batch *in, Error *err) {
    uint64_t *words = NULL;
    uint32_t payload = op->base.plan->column_count;
    TRY(frame_run(op->frame, in, err));
    TRY(sort_keys_compute(&op->keys, op->frame, &words, op->in_columns + payload, err));
    Batch batch = *in;
    memcpy(op->in_columns, in->columns, payload * sizeof(Vector));
    batch.columns = op->in_columns;
    batch.column_count = (uint16_t)op->store.column_count;
    if (op->has_threshold) {
        drop_hopeless(op, &batch, words);
    }
    uint16_t picked[BATCH_ROWS];
    uint16_t count = batch_live_rows(&batch, picked);
    TRY(sort_keys_append(&op->keys, words, picked, count, err));
    TRY(rowstore_append(&op->store, &batch, &op->frame->scratch, &op->base.run->budget, err));
    if (op->top <= TOP_ROWS_MAX && op->store.row_count > op->top * 2 + TOP_SLACK) {
        return cut_to_top(op, err);
    }
    return ERR_OK;
}

static ErrorCode sort_all(SortOperator *op, Error *err) {
    if (op->keep == 0) { /* LIMIT 0: nothing below runs, so nothing there can fail */
        op->sorted = true;
        return ERR_OK;
    }
    for (;;) {
        Batch *in = NULL;
        TRY(operator_next(op->base.inputs[0], &in, err));
        if (in == NULL) {
            break;
        }
        TRY(take_batch(op, in, err));
    }
    op->numbers = row_numbers(op, &op->arena);
    TRY(sort_keys_sort(&op->keys, &op->store, op->numbers, (uint32_t)op->store.row_count, op->base.run, err));
    op->at = MIN_OF(op->skip, op->store.row_count);
    op->end = op->keep > op->store.row_count - op->at ? op->store.row_count : op->at + op->keep;
    op->sorted = true;
    return ERR_OK;
}

static ErrorCode sort_next(Operator *base, Batch **batch_out, Error *err) {
    SortOperator *op = (SortOperator *)base;
    if (!op->sorted) {
        TRY(sort_all(op, err));
    }
    *batch_out = NULL;
    if (op->at >= op->end) {
        return ERR_OK;
    }
    uint16_t count = (uint16_t)MIN_OF(op->end - op->at, (uint64_t)BATCH_ROWS);
    arena_reset(&op->scratch);
    rowstore_gather(&op->store, op->numbers + op->at, count, op->out_columns, &op->scratch);
    memcpy(base->columns, op->out_columns, base->plan->column_count * sizeof(Vector));
    base->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)base->plan->column_count, .columns = base->columns,
                          .first = {(uint32_t)(op->at / BATCH_ROWS), (uint32_t)(op->at % BATCH_ROWS)}};
    op->at += count;
    *batch_out = &base->batch;
    return ERR_OK;
}

static void sort_close(Operator *base) {
    SortOperator *op = (SortOperator *)base;
    frame_close(op->frame);
    sort_keys_deinit(&op->keys);
    rowstore_deinit(&op->store, &base->run->budget);
    mem_free(op->in_columns);
    mem_free(op->out_columns);
    arena_deinit(&op->arena);
    arena_deinit(&op->scratch);
}

static ErrorCode read_limit(SortOperator *op, Error *err) {
    const PlanOp *plan = op->base.plan;
    op->keep = op->top = UINT64_MAX;
    if (!plan->as.sort.has_limit) {
        return ERR_OK;
    }
    LimitCounts counts;
    TRY(limit_counts(op->base.run, plan, false, true, plan->as.sort.has_offset, &counts, err));
    if (counts.has_offset && counts.offset < 0) {
        return error_set(err, ERR_INVALID_OFFSET, ERROR_NO_POSITION, "OFFSET must not be negative");
    }
    assert(!counts.has_high || counts.high >= 0);
    op->skip = counts.has_offset ? (uint64_t)counts.offset : 0;
    op->keep = counts.has_high ? (uint64_t)counts.high : UINT64_MAX;
    bool bounded = op->keep <= TOP_ROWS_MAX && op->skip <= TOP_ROWS_MAX && !plan->as.sort.reverse_ties;
    op->top = bounded ? op->keep + op->skip : UINT64_MAX;
    return ERR_OK;
}

static const OperatorType SORT_TYPE = {"sort", NULL, sort_next, sort_close};

ErrorCode op_sort_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    SortOperator *op = operator_new(SortOperator, run, plan, worker, &SORT_TYPE);
    *op_out = &op->base;
    arena_init(&op->arena, SIZE_MAX);
    arena_init(&op->scratch, SIZE_MAX);
    sort_keys_init(&op->keys, plan->as.sort.keys, plan->as.sort.key_count, plan->column_count, &op->arena, &run->budget);
    uint32_t columns = plan->column_count + op->keys.tie_count;
    op->store_columns = arena_array(&op->arena, RelColumn, columns + 1);
    memcpy(op->store_columns, plan->columns, plan->column_count * sizeof(RelColumn));
    for (uint32_t k = 0; k < op->keys.key_count; k++) {
        if (op->keys.shapes[k].ties) {
            op->store_columns[op->keys.shapes[k].tie_column] = (RelColumn){.type = op->keys.shapes[k].stored};
        }
    }
    op->threshold = arena_array(&op->arena, uint64_t, op->keys.word_count + 1);
    op->in_columns = mem_calloc(columns + 1, sizeof(Vector));
    op->out_columns = mem_calloc(columns + 1, sizeof(Vector));
    rowstore_init(&op->store, op->store_columns, columns);
    TRY(read_limit(op, err));
    TRY(frame_open(run, plan->program, &op->frame, err));
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

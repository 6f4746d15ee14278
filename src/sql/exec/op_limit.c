/* SPDX-License-Identifier: Apache-2.0
 * op_limit.c - LIMIT n, LIMIT -n, LIMIT lo, hi, OFFSET m.
 *
 * Why:        counts from the start cut live masks and stop the source; counts from the end need the number of rows, so the input is
 *             kept first. Both give rows [from, to) of the input. */
#include "sql/exec/exec_internal.h"

typedef struct LimitOperator {
    Operator base;
    int64_t low, high;          /* as written; negative = from the end */
    bool has_low, has_high;
    bool from_end, kept;
    uint64_t from, to, seen;    /* rows [from, to) */
    RowStore store;
    Arena scratch;
    uint64_t live[BATCH_WORDS];
} LimitOperator;

static ErrorCode read_count(const Value *value, bool *given_out, int64_t *count_out, Error *err) {
    *given_out = !value->is_null;
    switch ((TypeId)value->type.id) {
    case TYPE_BYTE:
        *count_out = (int8_t)value->as.bytes[0];
        return ERR_OK;
    case TYPE_INT2: {
        int16_t narrow = 0;
        memcpy(&narrow, value->as.bytes, sizeof narrow);
        *count_out = narrow;
        return ERR_OK;
    }
    case TYPE_INT4:
        *count_out = value->as.i32;
        return ERR_OK;
    case TYPE_INT8:
        *count_out = value->as.i64;
        return ERR_OK;
    default:
        if (value->is_null) {
            return ERR_OK;
        }
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "LIMIT must be an integer, not %s", type_sql_name((TypeId)value->type.id));
    }
}

ErrorCode limit_counts(Run *run, const PlanOp *plan, bool has_low, bool has_high, bool has_offset, LimitCounts *out, Error *err) {
    Value values[3];
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    ErrorCode code = program_constants(run, plan->constants, &arena, values, err);
    uint32_t next = 0;
    *out = (LimitCounts){0};
    if (code == ERR_OK && has_low) {
        code = read_count(&values[next++], &out->has_low, &out->low, err);
    }
    if (code == ERR_OK && has_high) {
        code = read_count(&values[next++], &out->has_high, &out->high, err);
    }
    if (code == ERR_OK && has_offset) {
        code = read_count(&values[next++], &out->has_offset, &out->offset, err);
    }
    arena_deinit(&arena);
    return code;
}

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static ErrorCode read_limits(LimitOperator *limit, Error *err) {
    const PlanOp *plan = limit->base.plan;
    Run *run = limit->base.run;
    LimitCounts counts;
    TRY(limit_counts(run, plan, plan->as.limit.has_low, plan->as.limit.has_high, plan->as.limit.has_offset, &counts, err));
    if (counts.has_offset && counts.offset < 0) {
        return error_set(err, ERR_INVALID_OFFSET, ERROR_NO_POSITION, "OFFSET must not be negative");
    }
    if (counts.has_high && counts.high < 0 && !run->context.environment->questdb) { /* there a negative one counts from the end */
        return error_set(err, ERR_INVALID_LIMIT, ERROR_NO_POSITION, "LIMIT must not be negative");
    }
    bool negative = (counts.has_low && counts.low < 0) || (counts.has_high && counts.high < 0);
    limit->low = counts.low;
    limit->high = counts.high;
    limit->has_low = counts.has_low;
    limit->has_high = counts.has_high;
    limit->from_end = negative;
    if (!negative) {
        limit->from = counts.has_low ? (uint64_t)counts.low : 0;
        limit->from = plus(limit->from, (uint64_t)counts.offset);
        limit->to = !counts.has_high ? UINT64_MAX : plan->as.limit.range ? (uint64_t)counts.high : plus(limit->from, (uint64_t)counts.high);
    }
    return ERR_OK;
}

/* ---- from the start ---- */
/* Clears the live rows outside [from, to) of the input's live rows. */
static void cut(LimitOperator *limit, Batch *batch) {
    uint64_t skip = limit->from > limit->seen ? limit->from - limit->seen : 0;
    uint64_t end = limit->to > limit->seen ? limit->to - limit->seen : 0;
    uint64_t at = 0;
    uint32_t count = 0;
    memset(limit->live, 0, sizeof limit->live);
    for (uint16_t row = 0; row < batch->row_count && at < end; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        if (at >= skip) {
            bit_set(limit->live, row);
            count++;
        }
        at++;
    }
    batch->live = limit->live;
    batch->live_count = (uint16_t)count;
}

static ErrorCode next_from_start(LimitOperator *limit, Batch **batch_out, Error *err) {
    *batch_out = NULL;
    if (limit->seen >= limit->to || limit->from >= limit->to) {
        return ERR_OK;
    }
    Batch *in = NULL;
    TRY(operator_next(limit->base.inputs[0], &in, err));
    if (in == NULL) {
        return ERR_OK;
    }
    Batch *batch = &limit->base.batch;
    *batch = *in;
    uint16_t live = in->live_count;
    if (limit->from > limit->seen || limit->seen + live > limit->to) {
        cut(limit, batch);
    }
    limit->seen += live;
    *batch_out = batch;
    return ERR_OK;
}

/* ---- from the end ---- */
static uint64_t from_end(uint64_t rows, int64_t count) {
    if (count >= 0) {
        return MIN_OF((uint64_t)count, rows);
    }
    uint64_t back = (uint64_t) - (count + 1) + 1;
    return back > rows ? 0 : rows - back;
}

/* The input comes backward: its first rows are wanted, and no others are read. */
static ErrorCode keep_first(LimitOperator *limit, uint64_t wanted, Error *err) {
    Operator *op = &limit->base;
    limit->to = wanted;
    while (limit->seen < wanted) {
        Batch *in = NULL;
        TRY(operator_next(op->inputs[0], &in, err));
        if (in == NULL) {
            break;
        }
        Batch batch = *in;
        uint16_t live = in->live_count;
        if (limit->seen + live > wanted) {
            cut(limit, &batch);
        }
        limit->seen += live;
        arena_reset(&limit->scratch);
        TRY(rowstore_append(&limit->store, &batch, &limit->scratch, &op->run->budget, err));
    }
    limit->from = 0;
    limit->to = limit->store.row_count;
    return ERR_OK;
}

static ErrorCode keep_input(LimitOperator *limit, Error *err) {
    const Operator *op = &limit->base;
    rowstore_init(&limit->store, op->inputs[0]->plan->columns, op->inputs[0]->plan->column_count);
    limit->kept = true;
    if (op->plan->as.limit.reversed) {
        return keep_first(limit, (uint64_t) - (limit->high + 1) + 1, err);
    }
    TRY(rowstore_drain(&limit->store, op->inputs[0], err));
    uint64_t rows = limit->store.row_count;
    if (!op->plan->as.limit.range) {
        limit->from = from_end(rows, limit->high);
        limit->to = rows;
        return ERR_OK;
    }
    limit->from = limit->has_low ? from_end(rows, limit->low) : 0;
    limit->to = limit->has_high ? from_end(rows, limit->high) : rows;
    return ERR_OK;
}

static ErrorCode next_from_end(LimitOperator *limit, Batch **batch_out, Error *err) {
    Operator *op = &limit->base;
    if (!limit->kept) {
        TRY(keep_input(limit, err));
        limit->seen = limit->from;
    }
    *batch_out = NULL;
    if (limit->seen >= limit->to) {
        return ERR_OK;
    }
    uint16_t count = (uint16_t)MIN_OF(limit->to - limit->seen, (uint64_t)BATCH_ROWS);
    uint32_t numbers[BATCH_ROWS];
    for (uint16_t i = 0; i < count; i++) {
        uint64_t row = limit->seen + i;
        numbers[i] = (uint32_t)(op->plan->as.limit.reversed ? limit->to - 1 - row : row);
    }
    arena_reset(&limit->scratch);
    rowstore_gather(&limit->store, numbers, count, op->columns, &limit->scratch);
    op->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)op->plan->column_count, .columns = op->columns,
                        .first = {(uint32_t)(limit->seen / BATCH_ROWS), (uint32_t)(limit->seen % BATCH_ROWS)}};
    limit->seen += count;
    *batch_out = &op->batch;
    return ERR_OK;
}

static ErrorCode limit_next(Operator *op, Batch **batch_out, Error *err) {
    LimitOperator *limit = (LimitOperator *)op;
    return limit->from_end ? next_from_end(limit, batch_out, err) : next_from_start(limit, batch_out, err);
}

static void limit_close(Operator *op) {
    LimitOperator *limit = (LimitOperator *)op;
    if (limit->kept) {
        rowstore_deinit(&limit->store, &op->run->budget);
    }
    arena_deinit(&limit->scratch);
}

static const OperatorType LIMIT_TYPE = {"limit", NULL, limit_next, limit_close};

ErrorCode op_limit_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    LimitOperator *limit = operator_new(LimitOperator, run, plan, worker, &LIMIT_TYPE);
    arena_init(&limit->scratch, SIZE_MAX);
    *op_out = &limit->base;
    TRY(read_limits(limit, err));
    return operator_open(run, plan->inputs[0], worker, &limit->base.inputs[0], err);
}

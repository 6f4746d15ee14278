/* SPDX-License-Identifier: Apache-2.0
 * op_values.c - VALUES: all cells are one program of constants, run once; rows are copied out of its registers. */
#include "sql/exec/exec_internal.h"

typedef struct ValuesOperator {
    Operator base;
    Frame *frame;
    Arena arena;            /* of one batch */
    uint32_t next_row, batch_number;
} ValuesOperator;

/* Each row is its own expressions, so an error of a later row comes only when its batch is asked for: all cells are run at once, which
 * a statement cannot tell apart, as VALUES has no columns to depend on. */
static ErrorCode values_next(Operator *op, Batch **batch_out, Error *err) {
    ValuesOperator *values = (ValuesOperator *)op;
    uint32_t rows = op->plan->as.values.row_count;
    *batch_out = NULL;
    if (values->next_row >= rows) {
        return ERR_OK;
    }
    if (values->next_row == 0) {
        TRY(frame_run(values->frame, NULL, err));
    }
    uint16_t count = (uint16_t)MIN_OF(rows - values->next_row, (uint32_t)BATCH_ROWS);
    arena_reset(&values->arena);
    uint32_t columns = op->plan->column_count;
    for (uint32_t c = 0; c < columns; c++) {
        Vector *out = &op->columns[c];
        *out = vector_new(&values->arena, op->plan->columns[c].type);
        out->row_count = count;
        for (uint16_t r = 0; r < count; r++) {
            const Vector *cell = frame_output(values->frame, (values->next_row + r) * columns + c);
            vector_copy_value(out, &values->arena, r, cell, 0);
            out->symbols = cell->symbols != NULL ? cell->symbols : out->symbols;
        }
    }
    op->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)columns, .columns = op->columns,
                        .first = {values->batch_number++, 0}};
    values->next_row += count;
    *batch_out = &op->batch;
    return ERR_OK;
}

static void values_close(Operator *op) {
    ValuesOperator *values = (ValuesOperator *)op;
    frame_close(values->frame);
    arena_deinit(&values->arena);
}

static const OperatorType VALUES_TYPE = {"values", NULL, values_next, values_close};

ErrorCode op_values_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    ValuesOperator *values = operator_new(ValuesOperator, run, plan, worker, &VALUES_TYPE);
    arena_init(&values->arena, SIZE_MAX);
    ErrorCode code = frame_open(run, plan->constants, &values->frame, err);
    if (code != ERR_OK) {
        operator_close(&values->base);
        return code;
    }
    *op_out = &values->base;
    return ERR_OK;
}

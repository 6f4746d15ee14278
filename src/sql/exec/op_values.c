/* SPDX-License-Identifier: Apache-2.0
 * op_values.c - VALUES: literal cells are copied out of the plan; the others are one program of constants, run once. */
#include "sql/exec/exec_internal.h"

typedef struct ValuesOperator {
    Operator base;
    Frame *frame;
    Arena arena;            /* of one batch */
    uint32_t next_row, batch_number;
} ValuesOperator;

static void copy_cell(ValuesOperator *values, Vector *out, uint16_t row, size_t cell) {
    const PlanOp *plan = values->base.plan;
    const Value *value = plan->as.values.cells[cell];
    if (value == NULL) {
        const Vector *from = frame_output(values->frame, plan->as.values.outputs[cell]);
        vector_copy_value(out, &values->arena, row, from, 0);
        out->symbols = from->symbols != NULL ? from->symbols : out->symbols;
    } else if (value->is_null) {
        vector_set_null(out, &values->arena, row);
    } else if (type_physical((TypeId)out->type.id) == PHYS_BIT) {
        if (value->as.boolean) {
            bit_set(vector_data(out), row);
        }
    } else { /* texts stay where the statement has them */
        size_t width = physical_bytes(type_physical((TypeId)out->type.id));
        memcpy((uint8_t *)vector_data(out) + row * width, value->as.bytes, width);
    }
}

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
        *out = vector_new_rows(&values->arena, op->plan->columns[c].type, count);
        for (uint16_t r = 0; r < count; r++) {
            copy_cell(values, out, r, (size_t)(values->next_row + r) * columns + c);
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
    *op_out = &values->base;
    return frame_open(run, plan->constants, &values->frame, err);
}

/* SPDX-License-Identifier: Apache-2.0
 * op_table_call.c - table functions: sequences are counted batch by batch, lists of the catalog are written once and handed out.
 *
 * To add one: a row in sql/bind/table_calls.h and a producer here (a sequence) or in catalog_rows.c (a list). */
#include "column/any_array.h"
#include "column/array.h"
#include "sql/exec/catalog_rows.h"
#include "sql/bind/table_calls.h"

enum { UNNEST_ARGS_MAX = 100 };
typedef struct Elements {       /* of one array of unnest */
    bool doubles;
    ArrayView view;             /* double[] */
    AnyArray any;
    uint32_t count;
} Elements;

typedef struct Sequence { int64_t next, last, step; uint64_t left; } Sequence;

typedef struct TableCallOperator {
    Operator base;
    Arena arena;                /* arguments; values of one batch */
    Value *args;
    uint32_t arg_count;
    Sequence sequence;
    CatalogRows rows;
    Elements *elements;         /* unnest: one per argument */
    uint32_t row_count;         /* unnest: of the longest */
    uint32_t next_row, batch_number;
} TableCallOperator;

static bool is_sequence(uint32_t function) { return function == TABLE_CALL_LONG_SEQUENCE || function == TABLE_CALL_GENERATE_SERIES; }

/* Rows from first to last by step, both ends inclusive. */
static uint64_t sequence_rows(int64_t first, int64_t last, int64_t step) {
    if (step > 0 ? first > last : first < last) {
        return 0;
    }
    uint64_t distance = step > 0 ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;
    uint64_t stride = step > 0 ? (uint64_t)step : UINT64_C(0) - (uint64_t)step;
    uint64_t rows = distance / stride;
    return rows == UINT64_MAX ? rows : rows + 1;
}

static ErrorCode open_sequence(TableCallOperator *call, Error *err) {
    const Value *args = call->args;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (args[i].is_null) {
            return ERR_OK; /* no rows */
        }
    }
    if (call->base.plan->as.table_call.function == TABLE_CALL_LONG_SEQUENCE) {
        call->sequence = (Sequence){.next = 1, .step = 1, .left = args[0].as.i64 > 0 ? (uint64_t)args[0].as.i64 : 0};
        return ERR_OK;
    }
    int64_t step = call->arg_count > 2 ? args[2].as.i64 : 1;
    if (step == 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "step size cannot equal zero");
    }
    call->sequence = (Sequence){.next = args[0].as.i64, .step = step, .left = sequence_rows(args[0].as.i64, args[1].as.i64, step)};
    return ERR_OK;
}

/* ---- unnest ---- */
static ErrorCode open_elements(TableCallOperator *call, Error *err) {
    call->elements = arena_array(&call->base.run->arena, Elements, call->arg_count + 1);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        Elements *elements = &call->elements[i];
        const Value *value = &call->args[i];
        if (value->is_null) {
            continue;
        }
        elements->doubles = value->type.id == TYPE_FLOAT8_ARRAY;
        if (elements->doubles) {
            TRY(array_view(strref_str(&value->as.str), &elements->view, err));
        } else {
            TRY(any_array_view(strref_str(&value->as.str), &elements->any, err));
        }
        elements->count = elements->doubles ? elements->view.count : elements->any.count;
        call->row_count = MAX_OF(call->row_count, elements->count);
    }
    return ERR_OK;
}

static void put_element(const Elements *elements, uint32_t number, Vector *out, Arena *arena, uint16_t row) {
    if (number >= elements->count || (!elements->doubles && any_array_is_null(&elements->any, number))) {
        vector_set_null(out, arena, row);
        return;
    }
    if (elements->doubles) {
        ((double *)vector_data(out))[row] = array_value(&elements->view, number);
        return;
    }
    AnyValue value;
    any_array_value(&elements->any, number, &value);
    Physical physical = type_physical((TypeId)out->type.id);
    if (physical == PHYS_BIT) {
        if (value.bytes[0] != 0) {
            bit_set(vector_data(out), row);
        }
        return;
    }
    if (out->type.id == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, value.bytes, sizeof slot);
        slot = numeric_to_slot(numeric_from_slot(&slot), arena);
        memcpy(value.bytes, &slot, sizeof slot);
    }
    size_t width = physical_bytes(physical);
    memcpy((uint8_t *)vector_data(out) + row * width, value.bytes, width);
}

static uint16_t unnest_batch(TableCallOperator *call) {
    uint16_t count = (uint16_t)MIN_OF(call->row_count - call->next_row, (uint32_t)BATCH_ROWS);
    for (uint32_t c = 0; c < call->base.plan->column_count && count > 0; c++) {
        Vector *out = &call->base.columns[c];
        *out = vector_new(&call->arena, call->base.plan->columns[c].type);
        out->row_count = count;
        for (uint16_t r = 0; r < count; r++) {
            put_element(&call->elements[c], call->next_row + r, out, &call->arena, r);
        }
    }
    return count;
}

static bool gives_nothing(uint32_t function) { return function == TABLE_CALL_PARTITION_ANCESTORS || function == TABLE_CALL_PARTITION_TREE; }

static ErrorCode table_call_prepare(Operator *op, Error *err) {
    TableCallOperator *call = (TableCallOperator *)op;
    call->arg_count = op->plan->constants->output_count;
    call->args = arena_array(&op->run->arena, Value, call->arg_count + 1);
    TRY(program_constants(op->run, op->plan->constants, &op->run->arena, call->args, err));
    uint32_t function = op->plan->as.table_call.function;
    if (is_sequence(function)) {
        return open_sequence(call, err);
    }
    if (function == TABLE_CALL_UNNEST) {
        return open_elements(call, err);
    }
    if (gives_nothing(function)) {
        return ERR_OK;
    }
    Str name = call->arg_count > 0 && !call->args[0].is_null ? strref_str(&call->args[0].as.str) : (Str){0};
    return catalog_rows_make(&call->rows, op->run, op->plan->as.table_call.function, name, err);
}

/* long_sequence(n, a, b): seeds of the statement's rnd_ functions, from its first row on. */
static void seed(const TableCallOperator *call) {
    if (call->base.plan->as.table_call.function != TABLE_CALL_LONG_SEQUENCE || call->arg_count < 2 || call->batch_number > 0) {
        return;
    }
    uint64_t second = call->arg_count > 2 ? (uint64_t)call->args[2].as.i64 : 0;
    random_init(call->base.run->context.environment->random, hash_u64((uint64_t)call->args[1].as.i64) ^ second);
}

static uint16_t sequence_batch(TableCallOperator *call) {
    seed(call);
    Sequence *sequence = &call->sequence;
    uint16_t count = (uint16_t)MIN_OF(sequence->left, (uint64_t)BATCH_ROWS);
    Vector *out = &call->base.columns[0];
    *out = vector_new(&call->arena, call->base.plan->columns[0].type);
    out->row_count = count;
    int64_t *values = vector_data(out);
    for (uint16_t i = 0; i < count; i++) {
        values[i] = sequence->next;
        sequence->next = (int64_t)((uint64_t)sequence->next + (uint64_t)sequence->step); /* the last step may pass the end unused */
    }
    sequence->left -= count;
    return count;
}

static ErrorCode table_call_next(Operator *op, Batch **batch_out, Error *err) {
    (void)err;
    TableCallOperator *call = (TableCallOperator *)op;
    arena_reset(&call->arena);
    *batch_out = NULL;
    uint32_t function = op->plan->as.table_call.function;
    uint16_t count = is_sequence(function)             ? sequence_batch(call)
                     : function == TABLE_CALL_UNNEST   ? unnest_batch(call)
                     : gives_nothing(function)         ? (uint16_t)0
                                                       : catalog_rows_batch(&call->rows, call->next_row, op->columns);
    if (count == 0) {
        return ERR_OK;
    }
    call->next_row += count;
    op->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)op->plan->column_count, .columns = op->columns,
                        .first = {call->batch_number++, 0}};
    *batch_out = &op->batch;
    return ERR_OK;
}

static void table_call_close(Operator *op) {
    TableCallOperator *call = (TableCallOperator *)op;
    arena_deinit(&call->arena);
    catalog_rows_deinit(&call->rows);
}

static const OperatorType TABLE_CALL_TYPE = {"table function", table_call_prepare, table_call_next, table_call_close};

ErrorCode op_table_call_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    (void)err;
    TableCallOperator *call = operator_new(TableCallOperator, run, plan, worker, &TABLE_CALL_TYPE);
    arena_init(&call->arena, SIZE_MAX);
    *op_out = &call->base;
    return ERR_OK;
}

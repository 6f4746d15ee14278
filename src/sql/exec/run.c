/* SPDX-License-Identifier: Apache-2.0
 * run.c - one execution of a plan: opening, pulling at the root, subqueries, closing.
 *
 * Why:        operators are pulled batch by batch and keep all state in structs, so a run is parked by not calling run_next. What
 *             must see all rows (aggregates, sorts, join tables) works inside the call that first needs its result. */
#include "sql/exec/exec_internal.h"

#define RUN_ARENA_BYTES_MAX ((size_t)64 << 30) /* the budget is the real limit */

ErrorCode query_control_check(QueryControl *control, Error *err) {
    if (control == NULL) {
        return ERR_OK;
    }
    if (atomic_load_explicit(&control->cancel, memory_order_relaxed) != 0) {
        return error_set(err, ERR_CANCELED, ERROR_NO_POSITION, "canceling statement due to user request");
    }
    if (control->deadline_nanos > 0 && control->deadline_nanos < INT64_MAX && control->clock->monotonic_nanos(control->clock) > control->deadline_nanos) {
        return error_set(err, ERR_TIMEOUT, ERROR_NO_POSITION, "canceling statement due to statement timeout");
    }
    return ERR_OK;
}

ErrorCode run_check(Run *run, Error *err) { return query_control_check(run->context.control, err); }

ErrorCode run_open(const Plan *plan, const RunContext *context, Run **run_out, Error *err) {
    assert(plan != NULL);
    assert(context->environment != NULL);
    Run *run = mem_calloc(1, sizeof *run);
    run->plan = plan;
    run->context = *context;
    run->budget.limit = context->memory_limit == 0 ? MEMORY_LIMIT_DEFAULT : context->memory_limit;
    arena_init(&run->arena, RUN_ARENA_BYTES_MAX);
    arena_init(&run->results, RUN_ARENA_BYTES_MAX);
    run->working = (struct RowStore **)arena_array(&run->arena, void *, plan->working_count + 1);
    run->outer = arena_array(&run->arena, Value, plan->outer_count + 1);
    run->counters = arena_array(&run->arena, OpCounters, plan->op_count + 1);
    run->shared = arena_array(&run->arena, void *, plan->op_count + 1);
    run->shared_close = (void (**)(void *))arena_array(&run->arena, void *, plan->op_count + 1);
    run->subqueries = arena_array(&run->arena, SubqueryState, plan->subquery_count + 1);
    ErrorCode code = operator_open(run, plan->root, 0, &run->root, err);
    if (code != ERR_OK) {
        run_close(run);
        return code;
    }
    *run_out = run;
    return ERR_OK;
}

/* Readers of results know no encodings. Decoding needs no arena: it goes into the scan's own buffers. */
static ErrorCode decode_columns(Run *run, Batch *batch, Error *err) {
    for (uint16_t c = 0; batch != NULL && c < batch->column_count; c++) {
        Vector *column = &batch->columns[c];
        if (column->form == VECTOR_INDEXED) {
            column = column->base;
        }
        if (column->form == VECTOR_ENCODED) {
            TRY(vector_flat(column, &run->arena, err));
        }
    }
    return ERR_OK;
}

ErrorCode run_next(Run *run, Batch **batch_out, Error *err) {
    assert(!run->failed);
    *batch_out = NULL;
    if (run->finished) {
        return ERR_OK;
    }
    ErrorCode code = ERR_OK;
    if (!run->prepared) {
        run->prepared = true;
        code = operator_prepare(run->root, err);
    }
    if (code == ERR_OK) {
        code = operator_next(run->root, batch_out, err);
    }
    if (code == ERR_OK) {
        code = decode_columns(run, *batch_out, err);
    }
    run->failed = code != ERR_OK;
    run->finished = *batch_out == NULL;
    return code;
}

void run_close(Run *run) {
    if (run == NULL) {
        return;
    }
    operator_close(run->root);
    for (uint32_t i = 0; i < run->plan->op_count; i++) {
        if (run->shared[i] != NULL && run->shared_close[i] != NULL) {
            run->shared_close[i](run->shared[i]);
        }
    }
    for (uint32_t i = 0; i < run->plan->subquery_count; i++) {
        mem_free(run->subqueries[i].slots);
        mem_free(run->subqueries[i].values);
        apply_memo_free(run->subqueries[i].memo);
    }
    arena_deinit(&run->results);
    arena_deinit(&run->arena);
    mem_free(run);
}

/* ---- subqueries ---- */
static Value value_copy(Run *run, const Vector *vector, size_t row) {
    Value value = program_vector_value(vector, row);
    if (!value.is_null && type_physical((TypeId)value.type.id) == PHYS_STR && value.as.str.len > STRREF_INLINE) {
        Str text = arena_str(&run->results, strref_str(&value.as.str));
        value.as.str = strref_make(text.data, text.len);
    } else if (!value.is_null && value.type.id == TYPE_NUMERIC) {
        value.as.numeric = numeric_to_slot(numeric_from_slot(&value.as.numeric), &run->results);
    }
    return value;
}

static void set_rehash(SubqueryState *state, const ValueRules *rules) {
    size_t count = MAX_OF((size_t)64, state->slot_count * 2);
    mem_free(state->slots);
    state->slots = mem_calloc(count, sizeof(uint64_t));
    state->slot_count = count;
    for (size_t i = 0; i < state->value_count; i++) {
        size_t at = rules->hash(state->values[i].as.bytes) & (count - 1);
        while (state->slots[at] != 0) {
            at = (at + 1) & (count - 1);
        }
        state->slots[at] = i + 1;
    }
}

static ErrorCode set_add(Run *run, SubqueryState *state, const Vector *vector, size_t row, Error *err) {
    const ValueRules *rules = value_rules((TypeId)vector->type.id);
    Value probe = program_vector_value(vector, row);
    if (probe.is_null) {
        state->has_null = true;
        return ERR_OK;
    }
    if (state->value_count * 2 >= state->slot_count) {
        TRY(budget_reserve(&run->budget, state->slot_count * sizeof(uint64_t) + 64, err));
        set_rehash(state, rules);
    }
    size_t at = rules->hash(probe.as.bytes) & (state->slot_count - 1);
    while (state->slots[at] != 0) {
        if (rules->equal(state->values[state->slots[at] - 1].as.bytes, probe.as.bytes)) {
            return ERR_OK;
        }
        at = (at + 1) & (state->slot_count - 1);
    }
    if (state->value_count == state->value_capacity) {
        state->value_capacity = MAX_OF((size_t)64, state->value_capacity * 2);
        TRY(budget_reserve(&run->budget, state->value_capacity * sizeof(Value) / 2, err));
        state->values = mem_realloc(state->values, state->value_capacity * sizeof(Value));
    }
    state->values[state->value_count++] = value_copy(run, vector, row);
    state->slots[at] = state->value_count;
    return ERR_OK;
}

static ErrorCode take_row(Run *run, const Subquery *subquery, SubqueryState *state, const Vector *vector, size_t row, Error *err) {
    switch ((SubqueryKind)subquery->kind) {
    case SUBQUERY_SET:
        return set_add(run, state, vector, row, err);
    case SUBQUERY_SCALAR:
        if (!state->is_null) {
            return error_set(err, ERR_CARDINALITY, ERROR_NO_POSITION, "more than one row returned by a subquery used as an expression");
        }
        state->value = value_copy(run, vector, row);
        state->is_null = false;
        return ERR_OK;
    default:
        return ERR_OK;
    }
}

static ErrorCode take_batch(Run *run, const Subquery *subquery, SubqueryState *state, Batch *batch, Arena *scratch, Error *err) {
    if (subquery->kind == SUBQUERY_EXISTS) {
        state->value.as.boolean = true;
        return ERR_OK;
    }
    Vector *vector = &batch->columns[0];
    TRY(vector_dense(vector, scratch, err));
    for (uint16_t row = 0; row < batch->row_count; row++) {
        if (batch->live == NULL || bit_get(batch->live, row)) {
            TRY(take_row(run, subquery, state, vector, row, err));
        }
    }
    return ERR_OK;
}

static ErrorCode run_subquery(Run *run, const Subquery *subquery, SubqueryState *state, Error *err) {
    memset(&state->value, 0, sizeof state->value);
    state->value.type = subquery->kind == SUBQUERY_EXISTS ? type_of(TYPE_BOOL) : subquery->type;
    state->value.is_null = subquery->kind == SUBQUERY_SCALAR;
    state->is_null = true;
    Operator *op = NULL;
    Arena scratch;
    arena_init(&scratch, RUN_ARENA_BYTES_MAX);
    ErrorCode code = ERR_OK;
    TRY_OR(done, operator_open(run, subquery->op, 0, &op, err));
    TRY_OR(done, operator_prepare(op, err));
    for (;;) {
        Batch *batch = NULL;
        TRY_OR(done, operator_next(op, &batch, err));
        if (batch == NULL) {
            break;
        }
        arena_reset(&scratch);
        TRY_OR(done, take_batch(run, subquery, state, batch, &scratch, err));
        if (subquery->kind == SUBQUERY_EXISTS) {
            break;
        }
    }
    state->done = true;
done:
    operator_close(op);
    arena_deinit(&scratch);
    return code;
}

/* Errors of the run itself are told at once; others belong to rows. */
static bool is_of_rows(ErrorCode code) {
    return code != ERR_CANCELED && code != ERR_TIMEOUT && code != ERR_OUT_OF_MEMORY;
}

static ErrorCode run_once(Run *run, const Subquery *subquery, SubqueryState *state, Error *err) {
    Error failure;
    ErrorCode code = run_subquery(run, subquery, state, &failure);
    if (code != ERR_OK && !is_of_rows(code)) {
        return error_set(err, code, failure.position, "%s", failure.message);
    }
    if (code != ERR_OK) {
        state->failure = arena_new(&run->results, Error);
        *state->failure = failure;
        state->value.is_null = true;
        state->done = true;
    }
    return ERR_OK;
}

ErrorCode subquery_check(const SubqueryState *state, Error *err) {
    if (state->failure == NULL) {
        return ERR_OK;
    }
    return error_set(err, state->failure->code, state->failure->position, "%s", state->failure->message);
}

ErrorCode program_subqueries(Run *run, const Program *program, Error *err) {
    for (uint32_t i = 0; program != NULL && i < program->subquery_count; i++) {
        const Subquery *subquery = &program->subqueries[i];
        if (!subquery->lazy && !run->subqueries[subquery->id].done) {
            TRY(run_once(run, subquery, &run->subqueries[subquery->id], err));
        }
    }
    return ERR_OK;
}

/* ---- EXPLAIN ANALYZE ---- */
/* Times include the operators below, and are summed over workers. */
static void explain_tree(const Run *run, const PlanOp *op, int depth, Buffer *out) {
    const OpCounters *counters = &run->counters[op->id];
    buffer_append_fill(out, ' ', (size_t)depth * 2);
    plan_op_explain(op, out);
    buffer_printf(out, "  (rows=%llu batches=%llu", (unsigned long long)atomic_load(&counters->rows),
                  (unsigned long long)atomic_load(&counters->batches));
    if (run->context.analyze_clock != NULL) {
        buffer_printf(out, " time=%.3f ms", (double)atomic_load(&counters->nanos) / 1e6);
    }
    if (op->kind == PLAN_SCAN) {
        scan_explain(run, op, out);
    }
    buffer_append_str(out, STR(")\n"));
    for (size_t i = 0; i < 2; i++) {
        if (op->inputs[i] != NULL) {
            explain_tree(run, op->inputs[i], depth + 1, out);
        }
    }
    for (uint32_t i = 0; op->kind == PLAN_UNION && i < op->as.union_all.arm_count; i++) {
        explain_tree(run, op->as.union_all.arms[i], depth + 1, out);
    }
}

void run_explain(const Run *run, Buffer *out) {
    explain_tree(run, run->plan->root, 0, out);
    buffer_printf(out, "memory limit %zu MiB\n", run->budget.limit >> 20);
}

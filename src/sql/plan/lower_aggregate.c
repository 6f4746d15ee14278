/* SPDX-License-Identifier: Apache-2.0
 * lower_aggregate.c - GROUP BY, SAMPLE BY and DISTINCT: one program for keys and arguments, places of states, which shortcuts hold. */
#include "sql/plan/plan_internal.h"
#include "sql/plan/program_value.h"

enum { ARRAY_KEYS_MAX = 3 };

/* ---- aggregates ---- */
/* A constant argument is one whatever passes are off. */
static bool fold_argument(PlanContext *context, const Expr *expr, Value *value_out) {
    PlanOptions options = *context->options;
    const PlanOptions *before = context->options;
    options.passes_off &= ~(1u << PASS_FOLD);
    context->options = &options;
    bool constant = expr_fold(context, expr, value_out);
    context->options = before;
    return constant;
}

static ErrorCode prepare_aggregate(PlanContext *context, const AggregateExpr *expr, const void **prepared_out, Error *err) {
    *prepared_out = expr->prepared;
    if (expr->prepared != NULL || expr->aggregate->prepare == NULL) {
        return ERR_OK;
    }
    Arena *arena = context->arena;
    const Vector **constants = arena_array(arena, const Vector *, expr->arg_count + 1);
    Type *types = arena_array(arena, Type, expr->arg_count + 1);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        types[i] = expr->args[i]->type;
        Value *value = arena_new(arena, Value);
        if (fold_argument(context, expr->args[i], value)) {
            Vector *vector = arena_new(arena, Vector);
            *vector = program_value_vector(value, arena_new(arena, uint64_t), 1);
            constants[i] = vector;
        }
    }
    PrepareCall call = {.constants = constants, .arg_types = types, .arg_count = expr->arg_count, .arena = arena,
                        .environment = context->options->environment};
    return expr->aggregate->prepare(&call, prepared_out, err);
}

ErrorCode plan_aggregate(PlanContext *context, const AggregateExpr *expr, Outputs *outputs, uint32_t *state_bytes, PlanAggregate *out, Error *err) {
    assert(expr->arg_count <= COUNT_OF(out->args));
    *out = (PlanAggregate){
        .aggregate = expr->aggregate,
        .type = expr->type,
        .arg_count = (uint8_t)expr->arg_count,
        .distinct = (expr->distinct || (expr->aggregate->flags & AGG_DISTINCT) != 0) && expr->arg_count > 0,
        .has_filter = expr->filter != NULL,
        .symbols = expr->symbols,
        .state_offset = *state_bytes,
        .stats_column = -1,
    };
    *state_bytes += (expr->aggregate->state_bytes + 15) / 16 * 16;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        out->args[i] = plan_output(outputs, expr->args[i]);
    }
    if (expr->filter != NULL) {
        out->filter = plan_output(outputs, expr->filter);
    }
    return prepare_aggregate(context, expr, &out->prepared, err);
}

static Outputs outputs_for(PlanContext *context, uint32_t keys, const AggregateExpr *aggregates, uint32_t count) {
    uint32_t room = keys + 2;
    for (uint32_t i = 0; i < count; i++) {
        room += aggregates[i].arg_count + 1u;
    }
    return (Outputs){arena_array(context->arena, const Expr *, room), 0};
}

static bool any_flag(const PlanAggregate *aggregates, uint32_t count, uint32_t flag) {
    for (uint32_t i = 0; i < count; i++) {
        if ((aggregates[i].aggregate->flags & flag) != 0) {
            return true;
        }
    }
    return false;
}

static bool any_serial(const PlanAggregate *aggregates, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (aggregates[i].distinct || (aggregates[i].aggregate->flags & AGG_SERIAL) != 0) {
            return true;
        }
    }
    return false;
}

static void inputs_of(IdSet *set, const Outputs *outputs) {
    for (uint32_t i = 0; i < outputs->count; i++) {
        idset_add_expr(set, outputs->items[i]);
    }
}

static const SymbolTable *output_symbols(const Program *program, uint32_t output) {
    return program->registers[program->outputs[output]].symbols;
}

/* Keys of few values: a group is found by code. Whether the product fits is decided when the run knows the dictionaries. */
static bool keys_are_codes(const Program *program, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        Type type = program->registers[program->outputs[i]].type;
        bool symbol = type.id == TYPE_SYMBOL && output_symbols(program, i) != NULL;
        if (!symbol && type.id != TYPE_BOOL && type.id != TYPE_BYTE) {
            return false;
        }
    }
    return count > 0 && count <= ARRAY_KEYS_MAX;
}

static void result_symbols(PlanContext *context, PlanOp *op, uint32_t key_first, uint32_t keys) {
    RelColumn *columns = arena_array(context->arena, RelColumn, op->column_count + 1);
    memcpy(columns, op->columns, op->column_count * sizeof *columns);
    for (uint32_t i = 0; i < keys; i++) {
        if (columns[key_first + i].type.id == TYPE_SYMBOL && columns[key_first + i].symbols == NULL) {
            columns[key_first + i].symbols = output_symbols(op->program, key_first + i);
        }
    }
    op->columns = columns;
}

/* ---- statistics ---- */
static bool answered_by_stats(const PlanOp *scan, PlanAggregate *aggregates, const Outputs *outputs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        PlanAggregate *a = &aggregates[i];
        ColumnId id = 0;
        if (a->aggregate->from_stats == NULL || a->distinct || a->has_filter || a->arg_count > 1) {
            return false;
        }
        if (a->arg_count == 0) {
            a->stats_column = -2;
        } else if (expr_is_column(outputs->items[a->args[0]], &id)) {
            a->stats_column = (int16_t)plan_column_position(scan, id);
        }
        if (a->stats_column == -1) {
            return false;
        }
    }
    return count > 0;
}

/* ---- GROUP BY ---- */
static void split_group_filters(PlanContext *context, Rel *rel, const Need *need, ExprList *below, ExprList *above) {
    IdSet groups = idset_new(context);
    uint32_t count = rel->as.aggregate.group_count;
    ColumnId *ids = arena_array(context->arena, ColumnId, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = rel->columns[i].id;
        idset_add(&groups, ids[i]);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        const Expr *filter = need->filters.items[i];
        if (count > 0 && expr_pure(filter) && expr_reads_only(filter, groups) && !expr_reads_nothing(filter)) {
            exprlist_add_conjuncts(context, below, expr_replace(context, filter, ids, rel->as.aggregate.groups, count));
        } else {
            exprlist_add(context, above, filter);
        }
    }
}

static ErrorCode gather_aggregates(PlanContext *context, Rel *rel, IdSet wanted, PlanOp *op, Outputs *outputs, Error *err) {
    uint32_t groups = rel->as.aggregate.group_count;
    PlanAggregate *aggregates = arena_array(context->arena, PlanAggregate, rel->as.aggregate.aggregate_count + 1);
    RelColumn *columns = arena_array(context->arena, RelColumn, rel->column_count + 1);
    for (uint32_t i = 0; i < groups; i++) {
        plan_output(outputs, rel->as.aggregate.groups[i]);
        columns[i] = rel->columns[i];
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->as.aggregate.aggregate_count; i++) {
        if (pass_on(context, PASS_DROP_UNUSED) && !idset_has(wanted, rel->columns[groups + i].id)) {
            continue;
        }
        TRY(plan_aggregate(context, &rel->as.aggregate.aggregates[i], outputs, &op->as.aggregate.state_bytes, &aggregates[count], err));
        columns[groups + count++] = rel->columns[groups + i];
    }
    op->columns = columns;
    op->column_count = groups + count;
    op->as.aggregate.group_count = groups;
    op->as.aggregate.aggregates = aggregates;
    op->as.aggregate.aggregate_count = count;
    return ERR_OK;
}

ErrorCode lower_aggregate(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    ExprList above = {0};
    Need below = {.columns = idset_new(context)};
    split_group_filters(context, rel, need, &below.filters, &above);
    IdSet wanted = idset_copy(context, need->columns);
    for (uint32_t i = 0; i < above.count; i++) {
        idset_add_expr(&wanted, above.items[i]);
    }
    PlanOp *op = plan_op_new(context, PLAN_AGGREGATE);
    Outputs outputs = outputs_for(context, rel->as.aggregate.group_count, rel->as.aggregate.aggregates, rel->as.aggregate.aggregate_count);
    TRY(gather_aggregates(context, rel, wanted, op, &outputs, err));
    PlanAggregate *aggregates = op->as.aggregate.aggregates;
    uint32_t count = op->as.aggregate.aggregate_count;
    op->as.aggregate.ordered = any_flag(aggregates, count, AGG_ORDERED);
    op->as.aggregate.serial = any_serial(aggregates, count);
    below.order = op->as.aggregate.ordered || op->as.aggregate.serial;
    inputs_of(&below.columns, &outputs);
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    op->inputs[0] = input;
    TRY(program_build(context, input->columns, input->column_count, outputs.items, outputs.count, &op->program, err));
    op->as.aggregate.array_groups = pass_on(context, PASS_ARRAY_GROUPS) && keys_are_codes(op->program, 0, op->as.aggregate.group_count);
    bool stats = input->kind == PLAN_SCAN && op->as.aggregate.group_count == 0 && pass_on(context, PASS_STATS_ANSWERS);
    op->as.aggregate.stats_answers = stats && answered_by_stats(input, aggregates, &outputs, count);
    result_symbols(context, op, 0, op->as.aggregate.group_count);
    return lower_filter_on(context, op, &above, op_out, err);
}

/* ---- DISTINCT ---- */
static ErrorCode lower_distinct_on(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    Need below = {.columns = idset_copy(context, need->columns), .order = true};
    for (uint32_t i = 0; i < rel->as.distinct.on_count; i++) {
        idset_add_expr(&below.columns, rel->as.distinct.on[i]);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        idset_add_expr(&below.columns, need->filters.items[i]);
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    PlanOp *op = plan_op_new(context, PLAN_AGGREGATE);
    op->inputs[0] = input;
    op->columns = input->columns;
    op->column_count = input->column_count;
    op->order_column = input->order_column;
    op->order_descending = input->order_descending;
    op->as.aggregate.group_count = rel->as.distinct.on_count;
    op->as.aggregate.distinct = true;
    op->as.aggregate.distinct_on = true;
    TRY(program_build(context, input->columns, input->column_count, rel->as.distinct.on, rel->as.distinct.on_count, &op->program, err));
    op->as.aggregate.array_groups = pass_on(context, PASS_ARRAY_GROUPS) && keys_are_codes(op->program, 0, rel->as.distinct.on_count);
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

ErrorCode lower_distinct(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    if (rel->as.distinct.on_count > 0) {
        return lower_distinct_on(context, rel, need, op_out, err);
    }
    Need below = {.columns = idset_new(context), .order = true};
    ExprList above = {0};
    Rel *source = rel->inputs[0];
    assert(source->column_count >= rel->column_count);
    ColumnId *ids = arena_array(context->arena, ColumnId, rel->column_count + 1);
    const Expr **exprs = arena_array(context->arena, const Expr *, rel->column_count + 1);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        ids[i] = rel->columns[i].id;
        exprs[i] = plan_expr_column(context, &source->columns[i]);
        idset_add(&below.columns, source->columns[i].id);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        const Expr *filter = need->filters.items[i];
        bool push = expr_pure(filter) && above.count == 0;
        exprlist_add(context, push ? &below.filters : &above, push ? expr_replace(context, filter, ids, exprs, rel->column_count) : filter);
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, source, &below, &input, err));
    PlanOp *op = plan_op_new(context, PLAN_AGGREGATE);
    op->inputs[0] = input;
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.aggregate.group_count = rel->column_count;
    op->as.aggregate.distinct = true;
    TRY(program_build(context, input->columns, input->column_count, exprs, rel->column_count, &op->program, err));
    op->as.aggregate.array_groups = pass_on(context, PASS_ARRAY_GROUPS) && keys_are_codes(op->program, 0, rel->column_count);
    result_symbols(context, op, 0, rel->column_count);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (input->order_column != 0 && source->columns[i].id == input->order_column) {
            op->order_column = rel->columns[i].id;
            op->order_descending = input->order_descending;
        }
    }
    return lower_filter_on(context, op, &above, op_out, err);
}

/* ---- SAMPLE BY ---- */
static ErrorCode sample_constants(PlanContext *context, Rel *rel, PlanOp *op, Error *err) {
    uint32_t count = rel->as.sample.aggregate_count;
    Outputs constants = {arena_array(context->arena, const Expr *, count + 3), 0};
    if (rel->as.sample.fills != NULL) {
        op->as.sample.fills = arena_array(context->arena, PlanFill, count + 1);
        for (uint32_t i = 0; i < count; i++) {
            const FillSpec *fill = &rel->as.sample.fills[i];
            op->as.sample.fills[i] = (PlanFill){.kind = fill->kind, .type = rel->as.sample.aggregates[i].type};
            if (fill->kind == FILL_VALUE) {
                op->as.sample.fills[i].output = plan_output(&constants, fill->value);
            }
        }
    }
    op->as.sample.has_from = rel->as.sample.from != NULL;
    op->as.sample.has_to = rel->as.sample.to != NULL;
    if (rel->as.sample.from != NULL) {
        op->as.sample.from_output = plan_output(&constants, rel->as.sample.from);
    }
    if (rel->as.sample.to != NULL) {
        op->as.sample.to_output = plan_output(&constants, rel->as.sample.to);
    }
    return program_build(context, NULL, 0, constants.items, constants.count, &op->constants, err);
}

static ErrorCode sample_sorted(PlanContext *context, Rel *rel, PlanOp *input, PlanOp **op_out, Error *err) {
    PlanOp *sort = plan_op_new(context, PLAN_SORT);
    sort->inputs[0] = input;
    sort->columns = input->columns;
    sort->column_count = input->column_count;
    PlanSortKey *key = arena_new(context->arena, PlanSortKey);
    key->type = rel->as.sample.timestamp->type;
    sort->as.sort.keys = key;
    sort->as.sort.key_count = 1;
    *op_out = sort;
    return program_build(context, input->columns, input->column_count, &rel->as.sample.timestamp, 1, &sort->program, err);
}

static void sample_shape(PlanOp *op, Rel *rel) {
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.sample.key_count = rel->as.sample.key_count;
    op->as.sample.aggregate_count = rel->as.sample.aggregate_count;
    op->as.sample.step = rel->as.sample.step;
    op->as.sample.unit = rel->as.sample.unit;
    op->as.sample.first_observation = rel->as.sample.first_observation;
    op->as.sample.zone = rel->as.sample.zone;
    op->as.sample.offset_micros = rel->as.sample.offset_micros;
    op->as.sample.timestamp_type = rel->as.sample.timestamp->type;
    op->order_column = rel->columns[0].id;
}

ErrorCode lower_sample(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    if (rel->as.sample.step <= 0) {
        return error_set(err, ERR_INVALID_PARAMETER, rel->as.sample.timestamp->position, "SAMPLE BY needs a positive interval");
    }
    uint32_t count = rel->as.sample.aggregate_count;
    PlanOp *op = plan_op_new(context, PLAN_SAMPLE);
    sample_shape(op, rel);
    Outputs outputs = outputs_for(context, rel->as.sample.key_count + 1u, rel->as.sample.aggregates, count);
    plan_output(&outputs, rel->as.sample.timestamp);
    for (uint32_t i = 0; i < rel->as.sample.key_count; i++) {
        plan_output(&outputs, rel->as.sample.keys[i]);
    }
    op->as.sample.aggregates = arena_array(context->arena, PlanAggregate, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(plan_aggregate(context, &rel->as.sample.aggregates[i], &outputs, &op->as.sample.state_bytes, &op->as.sample.aggregates[i], err));
    }
    TRY(sample_constants(context, rel, op, err));
    op->as.sample.serial = op->as.sample.first_observation || any_serial(op->as.sample.aggregates, count);
    Need below = {.columns = idset_new(context)};
    bool ordered = any_flag(op->as.sample.aggregates, count, AGG_ORDERED) || op->as.sample.serial;
    below.order = ordered;
    inputs_of(&below.columns, &outputs);
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    ColumnId id = 0;
    bool in_order = expr_is_column(rel->as.sample.timestamp, &id) && id == input->order_column && !input->order_descending;
    if (ordered && !in_order) {
        TRY(sample_sorted(context, rel, input, &input, err));
    }
    op->inputs[0] = input;
    TRY(program_build(context, input->columns, input->column_count, outputs.items, outputs.count, &op->program, err));
    op->as.sample.array_groups = pass_on(context, PASS_ARRAY_GROUPS) && keys_are_codes(op->program, 1, op->as.sample.key_count);
    result_symbols(context, op, 1, op->as.sample.key_count);
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

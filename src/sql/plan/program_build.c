/* SPDX-License-Identifier: Apache-2.0
 * program_build.c - expressions -> registers and steps (program.h).
 *
 * Invariants: a part that fails, is dear or volatile is computed under the mask of its branch; everything else under MASK_LIVE. */
#include "sql/plan/program_builder.h"

enum { GUARDED_FLAGS = EXPR_FAILS | EXPR_EXPENSIVE | EXPR_VOLATILE };

static ErrorCode build(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err);

/* ---- leaves ---- */
static ErrorCode build_column(Builder *b, const Expr *expr, RegisterNumber *out, Error *err) {
    uint64_t found = 0;
    if (intmap_get(&b->columns, expr->as.column, &found)) {
        *out = (RegisterNumber)found;
        return ERR_OK;
    }
    for (uint32_t i = 0; i < b->input_count; i++) {
        if (b->inputs[i].id == expr->as.column) {
            Register reg = {.kind = REGISTER_INPUT, .number = i, .type = b->inputs[i].type, .symbols = b->inputs[i].symbols};
            TRY(builder_add_register(b, reg, out, err));
            intmap_put(&b->columns, expr->as.column, *out);
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INTERNAL, expr->position, "column %u is not among the operator's inputs", expr->as.column);
}

static ErrorCode build_outer(Builder *b, const Expr *expr, RegisterNumber *out, Error *err) {
    b->reads_outer = true;
    Register reg = {.kind = REGISTER_OUTER, .number = plan_outer_slot(b->context, expr->as.column), .type = expr->type};
    return builder_add_register(b, reg, out, err);
}

static const uint32_t *subquery_slots(Builder *b, const Expr *expr) {
    uint32_t count = expr->as.subquery.outer_count;
    uint32_t *slots = arena_array(b->context->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = plan_outer_slot(b->context, expr->as.subquery.outer_ids[i]);
    }
    return slots;
}

static ErrorCode build_subquery(Builder *b, const Expr *expr, bool lazy, uint32_t *subquery_out, Error *err) {
    for (uint32_t i = 0; i < b->subquery_count && !lazy; i++) {
        if (!b->subqueries[i].lazy && b->subqueries[i].type.id == expr->type.id && b->subqueries[i].op->columns == expr->as.rel->columns) {
            *subquery_out = i;
            return ERR_OK;
        }
    }
    PlanOp *op = NULL;
    Rel *rel = expr->as.rel;
    IdSet needed = idset_new(b->context);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        idset_add(&needed, rel->columns[i].id);
    }
    TRY(lower_rel(b->context, rel, &(Need){.columns = needed, .order = false}, &op, err));
    SubqueryKind kind = expr->kind == EXPR_EXISTS_REL ? SUBQUERY_EXISTS : expr->kind == EXPR_IN_REL ? SUBQUERY_SET : SUBQUERY_SCALAR;
    if (kind != SUBQUERY_EXISTS) {
        const Expr *column = plan_expr_column(b->context, &rel->columns[0]);
        TRY(lower_project_on(b->context, op, rel->columns, &column, 1, &op, err));
    }
    (void)plan_mark_correlated(op);
    b->subqueries = builder_grown(b, b->subqueries, b->subquery_count, &b->subquery_capacity, sizeof(Subquery));
    b->subqueries[b->subquery_count] = (Subquery){
        .kind = (uint8_t)kind,
        .lazy = lazy,
        .each_row = (expr->flags & EXPR_VOLATILE) != 0,
        .type = kind == SUBQUERY_EXISTS ? type_of(TYPE_BOOL) : rel->columns[0].type,
        .op = op,
        .id = b->context->subquery_count++,
        .symbols = kind == SUBQUERY_EXISTS ? NULL : rel->columns[0].symbols,
        .slots = lazy ? subquery_slots(b, expr) : NULL,
        .slot_count = lazy ? expr->as.subquery.outer_count : 0,
    };
    *subquery_out = b->subquery_count++;
    return ERR_OK;
}

static ErrorCode build_args(Builder *b, const Expr *const *exprs, uint32_t count, uint32_t guard, RegisterNumber **args_out, Error *err);

/* Run row by row, where a row needs it. */
static ErrorCode build_apply(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    RegisterNumber *args = NULL;
    Step step = {.kind = STEP_APPLY, .guard = guard, .arg_count = expr->arg_count, .position = expr->position};
    TRY(build_args(b, expr->args, expr->arg_count, guard, &args, err));
    step.args = args;
    TRY(build_subquery(b, expr, true, &step.as.subquery, err));
    b->is_volatile = true;
    return builder_add_step(b, step, expr->type, b->subqueries[step.as.subquery].symbols, false, out, err);
}

/* A correlated one; and one that stands in a branch: it is not run unless a row takes that branch. */
static bool is_lazy(const Expr *expr, uint32_t guard) {
    return expr->as.subquery.outer_count > 0 || (guard != MASK_LIVE && expr->kind != EXPR_IN_REL);
}

static ErrorCode build_subquery_register(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    uint32_t subquery = 0;
    if (is_lazy(expr, guard)) {
        return build_apply(b, expr, guard, out, err);
    }
    TRY(build_subquery(b, expr, false, &subquery, err));
    Step check = {.kind = STEP_SUBQUERY_CHECK, .guard = guard, .position = expr->position};
    RegisterNumber ignored = 0;
    check.as.subquery = subquery;
    TRY(builder_add_step(b, check, type_of(TYPE_BOOL), NULL, false, &ignored, err));
    Register reg = {.kind = REGISTER_SUBQUERY, .number = subquery, .type = expr->type, .symbols = b->subqueries[subquery].symbols};
    return builder_add_register(b, reg, out, err);
}

/* ---- calls ---- */
static ErrorCode build_args(Builder *b, const Expr *const *exprs, uint32_t count, uint32_t guard, RegisterNumber **args_out, Error *err) {
    RegisterNumber *args = arena_array(b->context->arena, RegisterNumber, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(build(b, exprs[i], guard, &args[i], err));
    }
    *args_out = args;
    return ERR_OK;
}

static ErrorCode prepare_call(Builder *b, const Expr *expr, const RegisterNumber *args, const void **prepared_out, Error *err) {
    const Function *function = expr->as.call.function;
    *prepared_out = expr->as.call.cast_prepared;
    if (*prepared_out != NULL || function->prepare == NULL) {
        return ERR_OK;
    }
    Arena *arena = b->context->arena;
    const Vector **constants = arena_array(arena, const Vector *, expr->arg_count + 1);
    Type *types = arena_array(arena, Type, expr->arg_count + 1);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        types[i] = expr->args[i]->type;
        if (builder_is_constant(b, args[i])) {
            Vector *vector = arena_new(arena, Vector);
            Value *value = arena_new(arena, Value);
            *value = b->registers[args[i]].value;
            *vector = program_value_vector(value, arena_new(arena, uint64_t), 1);
            constants[i] = vector;
        }
    }
    PrepareCall call = {.constants = constants, .arg_types = types, .arg_count = (uint16_t)expr->arg_count, .arena = arena,
                        .environment = b->context->options->environment};
    Error reason;
    ErrorCode code = function->prepare(&call, prepared_out, &reason);
    if (code != ERR_OK) {
        int64_t position = reason.position < 0 ? expr->position : reason.position;
        return error_set(err, code, position, "%s", reason.message);
    }
    return ERR_OK;
}

static bool all_constant(const Builder *b, const RegisterNumber *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!builder_is_constant(b, args[i])) {
            return false;
        }
    }
    return true;
}

static bool fold_call(Builder *b, const Expr *expr, const void *prepared, const RegisterNumber *args, Value *value_out) {
    const Function *function = expr->as.call.function;
    if (!pass_on(b->context, PASS_FOLD) || (function->flags & (FN_VOLATILE | FN_STABLE)) != 0 || !all_constant(b, args, expr->arg_count)) {
        return false;
    }
    const Register **registers = arena_array(b->context->arena, const Register *, expr->arg_count + 1);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        registers[i] = &b->registers[args[i]];
    }
    return program_fold_call(b->context, function, prepared, registers, expr->arg_count, expr->type, value_out);
}

/* A cast that changes no bits. */
static ErrorCode build_retype(Builder *b, const Expr *expr, RegisterNumber arg, RegisterNumber *out, Error *err) {
    if (builder_is_constant(b, arg)) {
        Value value = b->registers[arg].value;
        value.type = expr->type;
        return builder_add_constant(b, &value, out, err);
    }
    Step step = {.kind = STEP_RETYPE, .guard = MASK_LIVE, .arg_count = 1, .args = builder_copy_numbers(b, &arg, 1), .position = expr->position};
    return builder_add_step(b, step, expr->type, b->registers[arg].symbols, false, out, err);
}

/* A strict call of a NULL constant: NULL, whatever its other arguments would do (PostgreSQL folds it so, too). */
static bool always_null(const Expr *expr) {
    if (expr->kind == EXPR_CONSTANT) {
        return expr->as.value.is_null;
    }
    if (expr->kind != EXPR_CALL || (expr->flags & EXPR_VOLATILE) != 0 || (expr->as.call.function->flags & FN_NOT_STRICT) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (always_null(expr->args[i])) {
            return true;
        }
    }
    return false;
}

static ErrorCode build_call(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    RegisterNumber *args = NULL;
    if (expr->as.call.function->kernel != NULL && always_null(expr)) {
        Value null = value_null(expr->type);
        return builder_add_constant(b, &null, out, err);
    }
    TRY(build_args(b, expr->args, expr->arg_count, guard, &args, err));
    if (expr->as.call.function->kernel == NULL) {
        assert(expr->arg_count == 1);
        return build_retype(b, expr, args[0], out, err);
    }
    const void *prepared = NULL;
    TRY(prepare_call(b, expr, args, &prepared, err));
    Value folded;
    if (fold_call(b, expr, prepared, args, &folded)) {
        b->context->passes_fired |= 1u << PASS_FOLD;
        return builder_add_constant(b, &folded, out, err);
    }
    bool is_volatile = (expr->as.call.function->flags & FN_VOLATILE) != 0;
    b->is_volatile = b->is_volatile || is_volatile;
    Step step = {.kind = STEP_CALL, .guard = guard, .arg_count = expr->arg_count, .args = args, .function = expr->as.call.function,
                 .prepared = prepared, .position = expr->position};
    return builder_add_step(b, step, expr->type, expr->as.call.symbols, !is_volatile, out, err);
}

/* ---- symbols: work on codes, not on texts ---- */
/* The one symbol column that expr reads; 0 if it reads another column too, or none. */
static ColumnId only_symbol(const Builder *b, const Expr *expr, ColumnId seen, bool *ok) {
    if (expr->kind == EXPR_COLUMN) {
        *ok = *ok && expr->type.id == TYPE_SYMBOL && (seen == 0 || seen == expr->as.column);
        return expr->as.column;
    }
    *ok = *ok && (expr->flags & (EXPR_VOLATILE | EXPR_HAS_SUBQUERY)) == 0;
    for (uint32_t i = 0; i < expr->arg_count && *ok; i++) {
        seen = only_symbol(b, expr->args[i], seen, ok);
    }
    return seen;
}

static const RelColumn *input_column(const Builder *b, ColumnId id) {
    for (uint32_t i = 0; i < b->input_count; i++) {
        if (b->inputs[i].id == id) {
            return &b->inputs[i];
        }
    }
    return NULL;
}

/* A symbol column, bare or cast to text. */
static const Expr *symbol_operand(const Expr *expr) {
    if (expr->kind == EXPR_COLUMN && expr->type.id == TYPE_SYMBOL) {
        return expr;
    }
    bool is_cast = expr->kind == EXPR_CALL && expr->arg_count == 1 && (expr->type.id == TYPE_TEXT || expr->type.id == TYPE_VARCHAR) &&
                   expr->type.length == 0 && expr->args[0]->kind == EXPR_COLUMN && expr->args[0]->type.id == TYPE_SYMBOL;
    const Cast *cast = is_cast ? cast_find(TYPE_SYMBOL, (TypeId)expr->type.id) : NULL;
    return cast != NULL && expr->as.call.function == &cast->function ? expr->args[0] : NULL;
}

static ErrorCode build_symbol_equal(Builder *b, const Expr *expr, uint32_t guard, bool *done, RegisterNumber *out, Error *err) {
    FilterOp op;
    *done = false;
    if (!expr_comparison(expr, &op) || (op != FILTER_EQ && op != FILTER_NE)) {
        return ERR_OK;
    }
    int side = symbol_operand(expr->args[0]) != NULL ? 0 : 1;
    const Expr *column = symbol_operand(expr->args[side]);
    const Expr *text = expr->args[1 - side];
    bool is_text = type_is_text((TypeId)text->type.id) && text->type.id != TYPE_BPCHAR;
    if (column == NULL || !is_text || !expr_reads_nothing(text) || input_column(b, column->as.column) == NULL ||
        input_column(b, column->as.column)->symbols == NULL) {
        return ERR_OK;
    }
    RegisterNumber args[2] = {0};
    TRY(build(b, column, guard, &args[0], err));
    TRY(build(b, text, guard, &args[1], err));
    Step step = {.kind = STEP_SYMBOL_EQUAL, .guard = MASK_LIVE, .arg_count = 2, .args = builder_copy_numbers(b, args, 2), .position = expr->position};
    RegisterNumber equal = 0;
    TRY(builder_add_step(b, step, type_of(TYPE_BOOL), NULL, true, &equal, err));
    *done = true;
    *out = equal;
    if (op == FILTER_NE) {
        Step not_step = {.kind = STEP_NOT, .guard = MASK_LIVE, .arg_count = 1, .args = builder_copy_numbers(b, &equal, 1), .position = -1};
        return builder_add_step(b, not_step, type_of(TYPE_BOOL), NULL, true, out, err);
    }
    return ERR_OK;
}

static ErrorCode program_make(Builder *b, const Expr *const *exprs, uint32_t count, const Program **program_out, Error *err);

static ErrorCode build_symbol_map(Builder *b, const Expr *expr, uint32_t guard, bool *done, RegisterNumber *out, Error *err) {
    bool ok = true;
    *done = false;
    ColumnId id = only_symbol(b, expr, 0, &ok);
    const RelColumn *column = ok && id != 0 ? input_column(b, id) : NULL;
    if (column == NULL || column->symbols == NULL || expr->type.id == TYPE_SYMBOL) {
        return ERR_OK;
    }
    Builder sub = {.context = b->context, .inputs = column, .input_count = 1, .inside_symbol = true};
    const Program *program = NULL;
    TRY(program_make(&sub, &expr, 1, &program, err));
    b->reads_outer = b->reads_outer || sub.reads_outer;
    RegisterNumber arg = 0;
    TRY(build(b, plan_expr_column(b->context, column), guard, &arg, err));
    Step step = {.kind = STEP_SYMBOL_MAP, .guard = guard, .arg_count = 1, .args = builder_copy_numbers(b, &arg, 1), .position = expr->position};
    step.as.sub = program;
    *done = true;
    return builder_add_step(b, step, expr->type, NULL, false, out, err);
}

static ErrorCode build_symbol(Builder *b, const Expr *expr, uint32_t guard, bool *done, RegisterNumber *out, Error *err) {
    *done = false;
    if (b->inside_symbol || (expr->kind != EXPR_CALL && expr->kind != EXPR_IN_LIST)) {
        return ERR_OK;
    }
    TRY(build_symbol_equal(b, expr, guard, done, out, err));
    return *done ? ERR_OK : build_symbol_map(b, expr, guard, done, out, err);
}

/* ---- AND, OR ---- */
static bool is_guarded(const Expr *expr) {
    return (expr->flags & GUARDED_FLAGS) != 0;
}

/* Operands that cannot fail are collected; before one that can, what is collected becomes its guard. */
static ErrorCode build_logic(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    bool is_and = expr->kind == EXPR_AND;
    RegisterNumber *args = arena_array(b->context->arena, RegisterNumber, expr->arg_count + 1);
    uint32_t count = 0;
    uint32_t inner = guard;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        RegisterNumber operand = 0;
        TRY(build(b, expr->args[i], inner, &operand, err));
        if (is_and ? builder_is_true(b, operand) : builder_is_false(b, operand)) {
            continue;
        }
        if (is_and ? builder_is_false(b, operand) : builder_is_true(b, operand)) {
            return builder_add_bool(b, false, !is_and, out, err);
        }
        args[count++] = operand;
        if (i + 1 < expr->arg_count && is_guarded(expr)) {
            TRY(builder_add_mask_step(b, is_and ? STEP_MASK_NOT_FALSE : STEP_MASK_NOT_TRUE, inner, operand, &inner, err));
        }
    }
    if (count == 0) {
        return builder_add_bool(b, false, is_and, out, err);
    }
    if (count == 1) {
        *out = args[0];
        return ERR_OK;
    }
    Step step = {.kind = is_and ? STEP_AND : STEP_OR, .guard = MASK_LIVE, .arg_count = count, .args = args, .position = expr->position};
    return builder_add_step(b, step, type_of(TYPE_BOOL), NULL, true, out, err);
}

static ErrorCode build_not(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    RegisterNumber arg = 0;
    TRY(build(b, expr->args[0], guard, &arg, err));
    if (builder_is_constant(b, arg)) {
        return builder_add_bool(b, b->registers[arg].value.is_null, !b->registers[arg].value.as.boolean, out, err);
    }
    Step step = {.kind = STEP_NOT, .guard = MASK_LIVE, .arg_count = 1, .args = builder_copy_numbers(b, &arg, 1), .position = expr->position};
    return builder_add_step(b, step, type_of(TYPE_BOOL), NULL, true, out, err);
}

static ErrorCode build_is_null(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    RegisterNumber arg = 0;
    TRY(build(b, expr->args[0], guard, &arg, err));
    if (builder_is_constant(b, arg)) {
        return builder_add_bool(b, false, b->registers[arg].value.is_null, out, err);
    }
    Step step = {.kind = STEP_IS_NULL, .guard = MASK_LIVE, .arg_count = 1, .args = builder_copy_numbers(b, &arg, 1), .position = expr->position};
    return builder_add_step(b, step, type_of(TYPE_BOOL), NULL, true, out, err);
}

/* ---- CASE, COALESCE ---- */
typedef struct Arms { RegisterNumber *values; uint32_t *masks; uint32_t count; } Arms;

static ErrorCode add_blend(Builder *b, const Expr *expr, const Arms *arms, RegisterNumber *out, Error *err) {
    if (arms->count == 0) {
        Value null = value_null(expr->type);
        return builder_add_constant(b, &null, out, err);
    }
    Step step = {.kind = STEP_BLEND, .guard = MASK_LIVE, .arg_count = arms->count, .args = arms->values, .masks = arms->masks,
                 .position = expr->position};
    return builder_add_step(b, step, expr->type, NULL, false, out, err);
}

static ErrorCode build_case(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    Arms arms = {arena_array(b->context->arena, RegisterNumber, expr->arg_count), arena_array(b->context->arena, uint32_t, expr->arg_count), 0};
    uint32_t rest = guard;
    uint32_t i = 0;
    for (; i + 1 < expr->arg_count; i += 2) {
        RegisterNumber condition = 0;
        TRY(build(b, expr->args[i], rest, &condition, err));
        if (builder_is_constant(b, condition) && !builder_is_true(b, condition)) {
            continue;
        }
        if (builder_is_true(b, condition)) {
            break;
        }
        uint32_t mask = 0;
        TRY(builder_add_mask_step(b, STEP_MASK_TRUE, rest, condition, &mask, err));
        TRY(builder_add_mask_step(b, STEP_MASK_NOT_TRUE, rest, condition, &rest, err));
        TRY(build(b, expr->args[i + 1], mask, &arms.values[arms.count], err));
        arms.masks[arms.count++] = mask;
    }
    const Expr *last = i + 1 < expr->arg_count ? expr->args[i + 1] : expr->arg_count % 2 == 1 ? expr->args[expr->arg_count - 1] : NULL;
    if (last != NULL) {
        RegisterNumber value = 0;
        TRY(build(b, last, rest, &value, err));
        if (arms.count == 0) {
            *out = value;
            return ERR_OK;
        }
        arms.values[arms.count] = value;
        arms.masks[arms.count++] = rest;
    }
    return add_blend(b, expr, &arms, out, err);
}

static ErrorCode build_coalesce(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    Arms arms = {arena_array(b->context->arena, RegisterNumber, expr->arg_count), arena_array(b->context->arena, uint32_t, expr->arg_count), 0};
    uint32_t rest = guard;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        RegisterNumber value = 0;
        TRY(build(b, expr->args[i], rest, &value, err));
        bool constant = builder_is_constant(b, value);
        if (constant && b->registers[value].value.is_null) {
            continue;
        }
        if (arms.count == 0 && (constant || i + 1 == expr->arg_count)) {
            *out = value;
            return ERR_OK;
        }
        uint32_t mask = rest;
        if (!constant && i + 1 < expr->arg_count) {
            TRY(builder_add_mask_step(b, STEP_MASK_NOT_NULL, rest, value, &mask, err));
            TRY(builder_add_mask_step(b, STEP_MASK_NULL, rest, value, &rest, err));
        }
        arms.values[arms.count] = value;
        arms.masks[arms.count++] = mask;
        if (constant) {
            break;
        }
    }
    return add_blend(b, expr, &arms, out, err);
}

/* ---- IN ---- */
static ErrorCode build_in_list(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    Arena *arena = b->context->arena;
    RegisterNumber *args = arena_array(arena, RegisterNumber, expr->arg_count + 1);
    Value *values = arena_array(arena, Value, expr->arg_count);
    InSet *set = arena_new(arena, InSet);
    uint32_t count = 1;
    uint32_t value_count = 0;
    TRY(build(b, expr->args[0], guard, &args[0], err));
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        const Expr *item = expr->args[i];
        RegisterNumber reg = 0;
        const Value *value = item->kind == EXPR_CONSTANT ? &item->as.value : NULL;
        if (value == NULL) {
            TRY(build(b, item, guard, &reg, err));
            value = builder_is_constant(b, reg) ? &b->registers[reg].value : NULL;
        }
        if (value == NULL) {
            args[count++] = reg;
        } else if (value->is_null) {
            set->has_null = true;
        } else {
            values[value_count++] = *value;
        }
    }
    set->values = values;
    set->count = value_count;
    Step step = {.kind = STEP_IN_LIST, .guard = guard, .arg_count = count, .args = args, .position = expr->position};
    step.as.set = set;
    return builder_add_step(b, step, type_of(TYPE_BOOL), NULL, false, out, err);
}

static ErrorCode build_one_arg(Builder *b, const Expr *expr, Step step, uint32_t guard, RegisterNumber *out, Error *err) {
    RegisterNumber arg = 0;
    TRY(build(b, expr->args[0], guard, &arg, err));
    step.guard = guard;
    step.arg_count = 1;
    step.args = builder_copy_numbers(b, &arg, 1);
    step.position = expr->position;
    return builder_add_step(b, step, type_of(TYPE_BOOL), NULL, true, out, err);
}

static ErrorCode build_time_in(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    Step step = {.kind = STEP_TIME_IN};
    step.as.time_in.ranges = expr->as.time_in.ranges;
    step.as.time_in.count = expr->as.time_in.range_count;
    return build_one_arg(b, expr, step, guard, out, err);
}

static ErrorCode build_in_rel(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    Step step = {.kind = STEP_IN_REL};
    if (is_lazy(expr, guard)) {
        return build_apply(b, expr, guard, out, err);
    }
    TRY(build_subquery(b, expr, false, &step.as.subquery, err));
    return build_one_arg(b, expr, step, guard, out, err);
}

static ErrorCode build_kind(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    bool done = false;
    TRY(build_symbol(b, expr, guard, &done, out, err));
    if (done) {
        return ERR_OK;
    }
    switch ((ExprKind)expr->kind) {
    case EXPR_COLUMN:
        return build_column(b, expr, out, err);
    case EXPR_CONSTANT:
        return builder_add_constant(b, &expr->as.value, out, err);
    case EXPR_PARAM:
        return builder_add_register(b, (Register){.kind = REGISTER_PARAM, .number = expr->as.param, .type = expr->type}, out, err);
    case EXPR_CALL:
        return build_call(b, expr, guard, out, err);
    case EXPR_CASE:
        return build_case(b, expr, guard, out, err);
    case EXPR_AND:
    case EXPR_OR:
        return build_logic(b, expr, guard, out, err);
    case EXPR_NOT:
        return build_not(b, expr, guard, out, err);
    case EXPR_IS_NULL:
        return build_is_null(b, expr, guard, out, err);
    case EXPR_COALESCE:
        return build_coalesce(b, expr, guard, out, err);
    case EXPR_IN_LIST:
        return build_in_list(b, expr, guard, out, err);
    case EXPR_TIME_IN:
        return build_time_in(b, expr, guard, out, err);
    case EXPR_IN_REL:
        return build_in_rel(b, expr, guard, out, err);
    case EXPR_SCALAR_REL:
    case EXPR_EXISTS_REL:
        return build_subquery_register(b, expr, guard, out, err);
    case EXPR_OUTER:
        return build_outer(b, expr, out, err);
    }
    return error_set(err, ERR_INTERNAL, expr->position, "expression kind %u", expr->kind);
}

static ErrorCode build(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out, Error *err) {
    assert(expr != NULL);
    uint32_t mask = is_guarded(expr) ? guard : MASK_LIVE;
    bool shareable = expr_pure(expr);
    if (shareable && builder_memo_find(b, expr, mask, out)) {
        return ERR_OK;
    }
    TRY(build_kind(b, expr, mask, out, err));
    if (shareable) {
        builder_memo_put(b, expr, mask, *out);
    }
    return ERR_OK;
}

static ErrorCode build_outputs(Builder *b, const Expr *const *exprs, uint32_t count, RegisterNumber *outputs, Error *err) {
    for (uint32_t i = 0; i < count; i++) {
        TRY(build(b, exprs[i], MASK_LIVE, &outputs[i], err));
    }
    return ERR_OK;
}

static ErrorCode program_make(Builder *b, const Expr *const *exprs, uint32_t count, const Program **program_out, Error *err) {
    builder_begin(b);
    RegisterNumber *outputs = arena_array(b->context->arena, RegisterNumber, count + 1);
    ErrorCode code = build_outputs(b, exprs, count, outputs, err);
    builder_end(b);
    TRY(code);
    Program *program = arena_new(b->context->arena, Program);
    *program = (Program){
        .registers = b->registers,
        .steps = b->steps,
        .outputs = outputs,
        .subqueries = b->subqueries,
        .register_count = b->register_count,
        .step_count = b->step_count,
        .output_count = count,
        .subquery_count = b->subquery_count,
        .mask_count = b->mask_count,
        .input_count = b->input_count,
        .reads_outer = b->reads_outer,
        .is_volatile = b->is_volatile,
    };
    *program_out = program;
    return ERR_OK;
}

ErrorCode program_build(PlanContext *context, const RelColumn *inputs, uint32_t input_count, const Expr *const *exprs, uint32_t expr_count,
                        const Program **program_out, Error *err) {
    Builder builder = {.context = context, .inputs = inputs, .input_count = input_count};
    return program_make(&builder, exprs, expr_count, program_out, err);
}

bool expr_fold(PlanContext *context, const Expr *expr, Value *value_out) {
    const Program *program = NULL;
    if (!expr_reads_nothing(expr) || (expr->flags & (EXPR_VOLATILE | EXPR_HAS_SUBQUERY)) != 0 ||
        program_build(context, NULL, 0, &expr, 1, &program, NULL) != ERR_OK) {
        return false;
    }
    const Register *reg = &program->registers[program->outputs[0]];
    if (reg->kind != REGISTER_CONSTANT) {
        return false;
    }
    *value_out = reg->value;
    return true;
}

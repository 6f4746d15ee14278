/* SPDX-License-Identifier: Apache-2.0
 * lower_apply.c - LATERAL: the right side runs once for each left row, with the left values that it reads in Run.outer.
 *
 * Why:        conditions of such a join become filters inside the right side, where the left columns are constants: a scan or an index
 *             below may use them, and an outer join needs no condition of its own. */
#include "sql/plan/plan_internal.h"

enum { HOISTED_MAX = 1000, APPLIES_MAX = 100000 };

static bool marked(const PlanOp *op) {
    bool found = op->kind == PLAN_WORKING || (op->program != NULL && op->program->reads_outer) || (op->constants != NULL && op->constants->reads_outer);
    if (op->kind == PLAN_JOIN) {
        found = found || op->as.join.right_program->reads_outer || (op->as.join.residual != NULL && op->as.join.residual->reads_outer);
    }
    for (size_t i = 0; i < 2; i++) {
        found = (op->inputs[i] != NULL && plan_mark_correlated(op->inputs[i])) || found;
    }
    for (uint32_t i = 0; op->kind == PLAN_UNION && i < op->as.union_all.arm_count; i++) {
        found = plan_mark_correlated(op->as.union_all.arms[i]) || found;
    }
    return found;
}

bool plan_mark_correlated(const PlanOp *op) {
    ((PlanOp *)(uintptr_t)op)->correlated = marked(op);
    return op->correlated;
}

typedef struct Apply {
    PlanContext *context;
    Rel *rel;
    IdSet left_columns, right_columns;
    ColumnId *ids;              /* left columns that the right side reads */
    const Expr **outer;         /* what each is there */
    uint32_t count;
    ExprList left_filters, right_filters, above;
    ExprList hoisted;           /* parts over left symbols, computed on the left; their places follow from HOISTED_ID_FIRST */
    ColumnId hoisted_first;
} Apply;

static const RelColumn *left_column(const Apply *a, ColumnId id) {
    const Rel *left = a->rel->inputs[0];
    for (uint32_t i = 0; i < left->column_count; i++) {
        if (left->columns[i].id == id) {
            return &left->columns[i];
        }
    }
    return NULL;
}

/* Outside of the left side's columns nothing is known as a column: every left column may stand in a condition. */
static void name_left(Apply *a) {
    const Rel *left = a->rel->inputs[0];
    a->ids = arena_array(a->context->arena, ColumnId, left->column_count + 1u);
    a->outer = arena_array(a->context->arena, const Expr *, left->column_count + 1u);
    for (uint32_t i = 0; i < left->column_count; i++) {
        Expr *outer = arena_new(a->context->arena, Expr);
        *outer = (Expr){.kind = EXPR_OUTER, .flags = EXPR_HAS_OUTER, .depth = 1, .type = left->columns[i].type, .position = ERROR_NO_POSITION,
                        .as.column = left->columns[i].id};
        a->ids[i] = left->columns[i].id;
        a->outer[i] = outer;
    }
    a->count = left->column_count;
}

static bool reads_symbol(const Apply *a, const Expr *expr) {
    if (expr->kind == EXPR_COLUMN) {
        const RelColumn *column = left_column(a, expr->as.column);
        return column != NULL && column->type.id == TYPE_SYMBOL;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (reads_symbol(a, expr->args[i])) {
            return true;
        }
    }
    return false;
}

/* A symbol is known by its code on the left side only: the largest part over left columns that reads one is computed there. */
static const Expr *hoist(Apply *a, const Expr *expr) {
    if (!reads_symbol(a, expr)) {
        return expr;
    }
    Expr *copy = arena_new(a->context->arena, Expr);
    if (expr->type.id != TYPE_SYMBOL && expr_pure(expr) && expr_reads_only(expr, a->left_columns)) {
        ColumnId id = a->hoisted_first + a->hoisted.count;
        exprlist_add(a->context, &a->hoisted, expr);
        *copy = (Expr){.kind = EXPR_OUTER, .flags = EXPR_HAS_OUTER, .depth = 1, .type = expr->type, .position = expr->position, .as.column = id};
        return copy;
    }
    *copy = *expr;
    const Expr **args = arena_array(a->context->arena, const Expr *, expr->arg_count + 1);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        args[i] = hoist(a, expr->args[i]);
        copy->flags |= args[i]->flags;
    }
    copy->args = args;
    return copy;
}

static void place(Apply *a, const Expr *expr, bool on) {
    bool inner = a->rel->as.join.kind != JOIN_LEFT;
    if (!on && expr_pure(expr) && expr_reads_only(expr, a->left_columns)) {
        exprlist_add(a->context, &a->left_filters, expr);
    } else if (on || (inner && expr_pure(expr))) {
        expr = hoist(a, expr);
        exprlist_add(a->context, &a->right_filters, expr_replace(a->context, expr, a->ids, a->outer, a->count));
    } else {
        exprlist_add(a->context, &a->above, expr);
    }
}

const Expr *plan_equality(PlanContext *context, const Expr *left, const Expr *right) {
    const Function *function = NULL;
    size_t rows = 0;
    const Function *first = function_lookup(STR("="), &rows);
    for (size_t i = 0; i < rows && function == NULL; i++) {
        bool same = first[i].arg_count == 2 && (first[i].args[0] == left->type.id || first[i].args[0] == ARG_SAME) && first[i].args[1] == first[i].args[0];
        function = same ? &first[i] : NULL;
    }
    if (function == NULL) {
        return NULL;
    }
    Expr *equal = arena_new(context->arena, Expr);
    const Expr **args = arena_array(context->arena, const Expr *, 2);
    args[0] = left;
    args[1] = right;
    *equal = (Expr){.kind = EXPR_CALL, .flags = (uint8_t)(left->flags | right->flags), .depth = (uint16_t)(1 + MAX_OF(left->depth, right->depth)),
                    .arg_count = 2, .type = type_of(TYPE_BOOL), .args = args, .position = ERROR_NO_POSITION};
    equal->as.call.function = function;
    return equal;
}

static ErrorCode split(Apply *a, const Need *need, Error *err) {
    const Rel *rel = a->rel;
    ExprList on = {0};
    for (uint32_t i = 0; i < rel->as.join.key_count; i++) {
        const Expr *equal = plan_equality(a->context, rel->as.join.left_keys[i], rel->as.join.right_keys[i]);
        if (equal == NULL) {
            return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "no equality of type %u", rel->as.join.left_keys[i]->type.id);
        }
        exprlist_add(a->context, &on, equal);
    }
    if (rel->as.join.residual != NULL) {
        exprlist_add_conjuncts(a->context, &on, rel->as.join.residual);
    }
    for (uint32_t i = 0; i < on.count; i++) {
        place(a, on.items[i], true);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        place(a, need->filters.items[i], false);
    }
    return ERR_OK;
}

static void outer_reads(const Expr *expr, IdSet left, IdSet *found) {
    if (expr->kind == EXPR_OUTER && idset_has(left, expr->as.column)) {
        idset_add(found, expr->as.column);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        outer_reads(expr->args[i], left, found);
    }
}

static IdSet side_of(Apply *a, IdSet wanted, const Rel *side) {
    IdSet own = idset_new(a->context);
    for (uint32_t i = 0; i < side->column_count; i++) {
        if (idset_has(wanted, side->columns[i].id)) {
            idset_add(&own, side->columns[i].id);
        }
    }
    return own;
}

/* The program that gives the values, symbols as texts, and their places. */
static ErrorCode build_values(Apply *a, IdSet read, PlanOp *op, Error *err) {
    PlanContext *context = a->context;
    const Expr **exprs = arena_array(context->arena, const Expr *, a->count + a->hoisted.count + 1);
    uint32_t *slots = arena_array(context->arena, uint32_t, a->count + a->hoisted.count + 1);
    uint32_t count = 0;
    for (; count < a->hoisted.count; count++) {
        exprs[count] = a->hoisted.items[count];
        slots[count] = plan_outer_slot(context, a->hoisted_first + count);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!idset_has(read, a->ids[i])) {
            continue;
        }
        const Expr *value = plan_expr_column(context, left_column(a, a->ids[i]));
        if (value->type.id == TYPE_SYMBOL) {
            Expr *text = arena_new(context->arena, Expr);
            const Expr **args = arena_array(context->arena, const Expr *, 1);
            args[0] = value;
            *text = (Expr){.kind = EXPR_CALL, .depth = 2, .arg_count = 1, .type = type_of(TYPE_TEXT), .args = args, .position = ERROR_NO_POSITION};
            text->as.call.function = &cast_find(TYPE_SYMBOL, TYPE_TEXT)->function;
            value = text;
        }
        exprs[count] = value;
        slots[count++] = plan_outer_slot(context, a->ids[i]);
    }
    op->as.apply.slots = slots;
    op->as.apply.slot_count = count;
    return program_build(context, op->inputs[0]->columns, op->inputs[0]->column_count, exprs, count, &op->program, err);
}

ErrorCode lower_apply(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    Apply a = {.context = context, .rel = rel, .left_columns = idset_new(context)};
    for (uint32_t i = 0; i < rel->inputs[0]->column_count; i++) {
        idset_add(&a.left_columns, rel->inputs[0]->columns[i].id);
    }
    name_left(&a);
    a.hoisted_first = UINT32_MAX - (++context->apply_count) * HOISTED_MAX;
    TRY(split(&a, need, err));
    if (a.hoisted.count > HOISTED_MAX || context->apply_count > APPLIES_MAX) {
        return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "lateral join with more than %d parts over symbols", HOISTED_MAX);
    }
    IdSet read = idset_new(context);
    for (uint32_t i = 0; i < rel->as.join.lateral_count; i++) {
        idset_add(&read, rel->as.join.lateral_ids[i]);
    }
    for (uint32_t i = 0; i < a.right_filters.count; i++) {
        outer_reads(a.right_filters.items[i], a.left_columns, &read);
    }
    IdSet wanted = idset_copy(context, need->columns);
    for (uint32_t i = 0; i < a.hoisted.count; i++) {
        idset_add_expr(&wanted, a.hoisted.items[i]);
    }
    for (uint32_t i = 0; i < a.above.count; i++) {
        idset_add_expr(&wanted, a.above.items[i]);
    }
    Need right = {.columns = side_of(&a, wanted, rel->inputs[1]), .filters = a.right_filters, .order = true};
    for (size_t w = 0; w < read.word_count; w++) {
        for (uint64_t word = read.words[w]; word != 0; word &= word - 1) {
            idset_add(&wanted, (ColumnId)(w * 64 + (size_t)__builtin_ctzll(word)));
        }
    }
    Need left = {.columns = side_of(&a, wanted, rel->inputs[0]), .filters = a.left_filters, .order = true};
    PlanOp *inputs[2] = {NULL, NULL};
    TRY(lower_rel(context, rel->inputs[0], &left, &inputs[0], err));
    TRY(lower_rel(context, rel->inputs[1], &right, &inputs[1], err));
    (void)plan_mark_correlated(inputs[1]);
    PlanOp *op = plan_op_new(context, PLAN_APPLY);
    op->inputs[0] = inputs[0];
    op->inputs[1] = inputs[1];
    op->as.apply.kind = rel->as.join.kind == JOIN_LEFT ? JOIN_LEFT : JOIN_INNER;
    TRY(build_values(&a, read, op, err));
    RelColumn *both = arena_array(context->arena, RelColumn, inputs[0]->column_count + inputs[1]->column_count + 1);
    memcpy(both, inputs[0]->columns, inputs[0]->column_count * sizeof *both);
    memcpy(both + inputs[0]->column_count, inputs[1]->columns, inputs[1]->column_count * sizeof *both);
    op->columns = both;
    op->column_count = inputs[0]->column_count + inputs[1]->column_count;
    op->order_column = inputs[0]->order_column;
    op->order_descending = inputs[0]->order_descending;
    return lower_filter_on(context, op, &a.above, op_out, err);
}

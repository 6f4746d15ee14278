/* SPDX-License-Identifier: Apache-2.0
 * lower_join.c - joins: which conjuncts go to which side, which become hash keys, what stays as a condition on pairs.
 *
 * Invariants: a filter from above is put below the outer side of a LEFT join only on the left; equalities of an inner join become
 *             keys; everything over both sides that is left is the residual (inner) or a filter above (left, right, full). */
#include "sql/plan/plan_internal.h"

typedef struct JoinLowering {
    PlanContext *context;
    Rel *rel;
    IdSet left, right;              /* columns of the sides */
    const Expr **left_keys, **right_keys;
    uint32_t key_count;
    ExprList left_filters, right_filters, residual, above;
} JoinLowering;

static IdSet columns_of(PlanContext *context, const Rel *rel) {
    IdSet set = idset_new(context);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        idset_add(&set, rel->columns[i].id);
    }
    return set;
}

static bool is_inner(const Rel *rel) {
    return rel->as.join.kind == JOIN_INNER || rel->as.join.kind == JOIN_CROSS;
}

/* left = right over one side each: a key. */
static bool take_key(JoinLowering *j, const Expr *expr) {
    FilterOp op;
    if (!expr_comparison(expr, &op) || op != FILTER_EQ || (expr->flags & (EXPR_VOLATILE | EXPR_FAILS)) != 0 ||
        expr->args[0]->type.id != expr->args[1]->type.id) {
        return false;
    }
    for (size_t side = 0; side < 2; side++) {
        const Expr *a = expr->args[side];
        const Expr *b = expr->args[1 - side];
        if (expr_reads_only(a, j->left) && expr_reads_only(b, j->right) && !expr_reads_nothing(a) && !expr_reads_nothing(b)) {
            j->left_keys[j->key_count] = a;
            j->right_keys[j->key_count++] = b;
            return true;
        }
    }
    return false;
}

static void place_filter(JoinLowering *j, const Expr *expr) {
    PlanContext *context = j->context;
    uint8_t kind = j->rel->as.join.kind;
    bool inner = is_inner(j->rel);
    bool movable = expr_pure(expr);
    if (movable && expr_reads_only(expr, j->left) && (inner || kind == JOIN_LEFT || kind == JOIN_SEMI || kind == JOIN_ANTI)) {
        exprlist_add(context, &j->left_filters, expr);
    } else if (movable && expr_reads_only(expr, j->right) && (inner || kind == JOIN_RIGHT)) {
        exprlist_add(context, &j->right_filters, expr);
    } else if (inner && movable) {
        if (!take_key(j, expr)) {
            exprlist_add(context, &j->residual, expr);
        }
    } else {
        exprlist_add(context, &j->above, expr);
    }
}

/* The ON condition's parts. */
static void place_residual(JoinLowering *j, const Expr *expr) {
    uint8_t kind = j->rel->as.join.kind;
    if (is_inner(j->rel)) {
        place_filter(j, expr);
    } else if (take_key(j, expr)) {
        return;
    } else if (expr_pure(expr) && expr_reads_only(expr, j->right) && (kind == JOIN_LEFT || kind == JOIN_SEMI || kind == JOIN_ANTI)) {
        exprlist_add(j->context, &j->right_filters, expr);
    } else {
        exprlist_add(j->context, &j->residual, expr);
    }
}

static void split(JoinLowering *j, const Need *need) {
    const Rel *rel = j->rel;
    ExprList on = {0};
    if (rel->as.join.residual != NULL) {
        exprlist_add_conjuncts(j->context, &on, rel->as.join.residual);
    }
    uint32_t keys_max = rel->as.join.key_count + on.count + need->filters.count + 1;
    j->left_keys = arena_array(j->context->arena, const Expr *, keys_max);
    j->right_keys = arena_array(j->context->arena, const Expr *, keys_max);
    for (uint32_t i = 0; i < rel->as.join.key_count; i++) {
        j->left_keys[i] = rel->as.join.left_keys[i];
        j->right_keys[i] = rel->as.join.right_keys[i];
    }
    j->key_count = rel->as.join.key_count;
    for (uint32_t i = 0; i < on.count; i++) {
        place_residual(j, on.items[i]);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        place_filter(j, need->filters.items[i]);
    }
}

static IdSet side_columns(JoinLowering *j, const Need *need, const Expr *const *keys, IdSet side) {
    IdSet wanted = idset_copy(j->context, need->columns);
    for (uint32_t i = 0; i < j->key_count; i++) {
        idset_add_expr(&wanted, keys[i]);
    }
    for (uint32_t i = 0; i < j->residual.count; i++) {
        idset_add_expr(&wanted, j->residual.items[i]);
    }
    for (uint32_t i = 0; i < j->above.count; i++) {
        idset_add_expr(&wanted, j->above.items[i]);
    }
    IdSet own = idset_new(j->context);
    for (ColumnId id = 0; id < wanted.word_count * 64; id++) {
        if (idset_has(wanted, id) && idset_has(side, id)) {
            idset_add(&own, id);
        }
    }
    return own;
}

static const Expr *all_of(PlanContext *context, const ExprList *list) {
    if (list->count == 1) {
        return list->items[0];
    }
    Expr *all = arena_new(context->arena, Expr);
    *all = (Expr){.kind = EXPR_AND, .depth = 2, .type = type_of(TYPE_BOOL), .position = ERROR_NO_POSITION, .args = list->items, .arg_count = list->count};
    for (uint32_t i = 0; i < list->count; i++) {
        all->flags |= list->items[i]->flags;
    }
    return all;
}

static ErrorCode build_programs(JoinLowering *j, PlanOp *op, Error *err) {
    PlanContext *context = j->context;
    const PlanOp *left = op->inputs[0];
    const PlanOp *right = op->inputs[1];
    TRY(program_build(context, left->columns, left->column_count, j->left_keys, j->key_count, &op->program, err));
    TRY(program_build(context, right->columns, right->column_count, j->right_keys, j->key_count, &op->as.join.right_program, err));
    RelColumn *both = arena_array(context->arena, RelColumn, left->column_count + right->column_count + 1);
    memcpy(both, left->columns, left->column_count * sizeof *both);
    memcpy(both + left->column_count, right->columns, right->column_count * sizeof *both);
    op->columns = both;
    op->column_count = left->column_count + right->column_count;
    if (j->residual.count > 0) {
        const Expr *condition = all_of(context, &j->residual);
        TRY(program_build(context, op->columns, op->column_count, &condition, 1, &op->as.join.residual, err));
    }
    if (op->as.join.kind == JOIN_SEMI || op->as.join.kind == JOIN_ANTI) {
        op->column_count = left->column_count;
    }
    op->as.join.key_types = arena_array(context->arena, Type, j->key_count + 1);
    for (uint32_t i = 0; i < j->key_count; i++) {
        op->as.join.key_types[i] = j->left_keys[i]->type;
    }
    return ERR_OK;
}

/* Symbol keys of two dictionaries are compared as texts. */
static ErrorCode key_texts(JoinLowering *j, Error *err) {
    for (uint32_t i = 0; i < j->key_count; i++) {
        const Expr **sides[2] = {&j->left_keys[i], &j->right_keys[i]};
        for (size_t s = 0; s < 2; s++) {
            const Expr *key = *sides[s];
            if (key->type.id != TYPE_SYMBOL) {
                continue;
            }
            const Cast *cast = cast_find(TYPE_SYMBOL, TYPE_TEXT);
            if (cast == NULL) {
                return error_set(err, ERR_NOT_SUPPORTED, key->position, "join on symbols needs their cast to text");
            }
            Expr *text = arena_new(j->context->arena, Expr);
            const Expr **args = arena_array(j->context->arena, const Expr *, 1);
            args[0] = key;
            *text = (Expr){.kind = EXPR_CALL, .flags = key->flags, .depth = (uint16_t)(key->depth + 1), .arg_count = 1, .type = type_of(TYPE_TEXT),
                           .args = args, .position = key->position};
            text->as.call.function = &cast->function;
            *sides[s] = text;
        }
    }
    return ERR_OK;
}

ErrorCode lower_join(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    if (rel->as.join.lateral_count > 0) {
        return lower_apply(context, rel, need, op_out, err);
    }
    bool done = false;
    TRY(lower_join_order(context, rel, need, &done, op_out, err));
    if (done) {
        return ERR_OK;
    }
    JoinLowering j = {.context = context, .rel = rel};
    j.left = columns_of(context, rel->inputs[0]);
    j.right = columns_of(context, rel->inputs[1]);
    split(&j, need);
    TRY(key_texts(&j, err));
    Need left = {.columns = side_columns(&j, need, j.left_keys, j.left), .filters = j.left_filters, .order = true};
    Need right = {.columns = side_columns(&j, need, j.right_keys, j.right), .filters = j.right_filters, .order = true};
    PlanOp *inputs[2] = {NULL, NULL};
    TRY(lower_rel(context, rel->inputs[0], &left, &inputs[0], err));
    TRY(lower_rel(context, rel->inputs[1], &right, &inputs[1], err));
    PlanOp *op = plan_op_new(context, PLAN_JOIN);
    op->inputs[0] = inputs[0];
    op->inputs[1] = inputs[1];
    op->as.join.kind = rel->as.join.kind;
    op->as.join.key_count = j.key_count;
    TRY(build_programs(&j, op, err));
    if (op->as.join.kind != JOIN_RIGHT && op->as.join.kind != JOIN_FULL) {
        op->order_column = inputs[0]->order_column;
        op->order_descending = inputs[0]->order_descending;
    }
    return lower_filter_on(context, op, &j.above, op_out, err);
}

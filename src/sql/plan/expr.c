/* SPDX-License-Identifier: Apache-2.0
 * expr.c - questions to bound expressions: which columns they read, whether they may move; and copies with columns replaced.
 *
 * Why:        expressions are DAGs of depth <= EXPR_DEPTH_MAX, so these walks may recurse; replacing keeps shared parts shared. */
#include "sql/plan/plan_internal.h"

IdSet idset_new(PlanContext *context) {
    return (IdSet){.arena = context->arena};
}

IdSet idset_copy(PlanContext *context, IdSet set) {
    IdSet copy = idset_new(context);
    if (set.word_count > 0) {
        copy.words = arena_array(context->arena, uint64_t, set.word_count);
        copy.word_count = set.word_count;
        memcpy(copy.words, set.words, set.word_count * sizeof(uint64_t));
    }
    return copy;
}

void idset_add(IdSet *set, ColumnId id) {
    assert(set->arena != NULL);
    if (id / 64 >= set->word_count) {
        size_t words = MAX_OF((size_t)id / 64 + 1, set->word_count * 2);
        uint64_t *wider = arena_array(set->arena, uint64_t, words);
        if (set->word_count > 0) {
            memcpy(wider, set->words, set->word_count * sizeof *wider);
        }
        set->words = wider;
        set->word_count = words;
    }
    bit_set(set->words, id);
}

bool idset_has(IdSet set, ColumnId id) {
    return id / 64 < set.word_count && bit_get(set.words, id);
}

void idset_add_expr(IdSet *set, const Expr *expr) {
    if (expr->kind == EXPR_COLUMN) {
        idset_add(set, expr->as.column);
        return;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        idset_add_expr(set, expr->args[i]);
    }
}

bool expr_reads_only(const Expr *expr, IdSet set) {
    if (expr->kind == EXPR_COLUMN) {
        return idset_has(set, expr->as.column);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!expr_reads_only(expr->args[i], set)) {
            return false;
        }
    }
    return true;
}

bool expr_reads_nothing(const Expr *expr) {
    if (expr->kind == EXPR_COLUMN) {
        return false;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!expr_reads_nothing(expr->args[i])) {
            return false;
        }
    }
    return true;
}

uint32_t plan_outer_slot(PlanContext *context, ColumnId id) {
    for (uint32_t i = 0; i < context->outer_count; i++) {
        if (context->outer_ids[i] == id) {
            return i;
        }
    }
    if (context->outer_count == context->outer_capacity) {
        context->outer_capacity = context->outer_capacity == 0 ? 16 : context->outer_capacity * 2;
        ColumnId *wider = arena_array(context->arena, ColumnId, context->outer_capacity);
        if (context->outer_count > 0) {
            memcpy(wider, context->outer_ids, context->outer_count * sizeof *wider);
        }
        context->outer_ids = wider;
    }
    context->outer_ids[context->outer_count] = id;
    return context->outer_count++;
}

bool expr_is_column(const Expr *expr, ColumnId *id_out) {
    if (expr->kind != EXPR_COLUMN) {
        return false;
    }
    *id_out = expr->as.column;
    return true;
}

bool expr_pure(const Expr *expr) {
    return (expr->flags & EXPR_VOLATILE) == 0;
}

const Expr *plan_expr_column(PlanContext *context, const RelColumn *column) {
    Expr *expr = arena_new(context->arena, Expr);
    *expr = (Expr){.kind = EXPR_COLUMN, .depth = 1, .type = column->type, .position = ERROR_NO_POSITION, .as.column = column->id};
    return expr;
}

typedef struct Replacement {
    PlanContext *context;
    const ColumnId *ids;
    const Expr *const *replacements;
    uint32_t count;
    IntMap done;
} Replacement;

static const Expr *replace(Replacement *r, const Expr *expr) {
    if (expr->kind == EXPR_COLUMN) {
        for (uint32_t i = 0; i < r->count; i++) {
            if (r->ids[i] == expr->as.column) {
                return r->replacements[i];
            }
        }
        return expr;
    }
    uint64_t known = 0;
    if (expr->arg_count == 0 || intmap_get(&r->done, (uintptr_t)expr, &known)) {
        return expr->arg_count == 0 ? expr : (const Expr *)(uintptr_t)known;
    }
    const Expr **args = arena_array(r->context->arena, const Expr *, expr->arg_count);
    Expr *copy = arena_new(r->context->arena, Expr);
    *copy = *expr;
    bool changed = false;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        args[i] = replace(r, expr->args[i]);
        changed = changed || args[i] != expr->args[i];
        copy->flags |= args[i]->flags;
        copy->depth = MAX_OF(copy->depth, (uint16_t)(args[i]->depth + 1));
    }
    copy->args = args;
    const Expr *result = changed ? copy : expr;
    intmap_put(&r->done, (uintptr_t)expr, (uintptr_t)result);
    return result;
}

const Expr *expr_replace(PlanContext *context, const Expr *expr, const ColumnId *ids, const Expr *const *replacements, uint32_t count) {
    Replacement r = {context, ids, replacements, count, {0}};
    intmap_init(&r.done);
    const Expr *result = replace(&r, expr);
    intmap_deinit(&r.done);
    return result;
}

bool expr_comparison(const Expr *expr, FilterOp *op_out) {
    static const struct {
        const char *name;
        FilterOp op;
    } rows[] = {{"=", FILTER_EQ},  {"<>", FILTER_NE}, {"!=", FILTER_NE}, {"<", FILTER_LT},
                {"<=", FILTER_LE}, {">", FILTER_GT},  {">=", FILTER_GE}};
    if (expr->kind != EXPR_CALL || expr->arg_count != 2) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (strcmp(expr->as.call.function->name, rows[i].name) == 0) {
            *op_out = rows[i].op;
            return true;
        }
    }
    return false;
}

void exprlist_add(PlanContext *context, ExprList *list, const Expr *expr) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        const Expr **items = arena_array(context->arena, const Expr *, capacity);
        if (list->count > 0) {
            memcpy(items, list->items, list->count * sizeof *items);
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = expr;
}

void exprlist_add_conjuncts(PlanContext *context, ExprList *list, const Expr *condition) {
    if (condition->kind != EXPR_AND) {
        exprlist_add(context, list, condition);
        return;
    }
    for (uint32_t i = 0; i < condition->arg_count; i++) {
        exprlist_add_conjuncts(context, list, condition->args[i]);
    }
}

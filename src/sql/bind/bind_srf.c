/* SPDX-License-Identifier: Apache-2.0
 * bind_srf.c - set-returning functions in a select list: their rows stand beside each other for each row of the query.
 *
 * Why:   the call becomes a lateral join between the windows and the projection. Arguments are handed over as values with ids of their own,
 *        so that grouping may rewrite them as it does the rest of the list. */
#include "sql/bind/bind_internal.h"

bool is_srf_column(const SelectState *s, ColumnId id) {
    for (uint32_t i = 0; i < s->srfs.count; i++) {
        const Rel *rel = s->srfs.items[i].rel;
        for (uint32_t c = 0; c < rel->column_count; c++) {
            if (rel->columns[c].id == id) {
                return true;
            }
        }
    }
    return false;
}

static bool reads_srf(const SrfState *state, const Expr *expr) {
    SelectState probe = {.srfs = *state};
    if (expr->kind == EXPR_COLUMN) {
        return is_srf_column(&probe, expr->as.column);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (reads_srf(state, expr->args[i])) {
            return true;
        }
    }
    return false;
}

/* The same call twice is computed once. */
static const SrfItem *find_item(const SrfState *state, Str name, const Expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < state->count; i++) {
        const SrfItem *item = &state->items[i];
        if (str_equal_ignore_case(item->name, name) && item->arg_count == count && (count == 0 || memcmp(item->args, args, count * sizeof *args) == 0)) {
            return item;
        }
    }
    return NULL;
}

static ErrorCode hand_over(Binder *b, const SrfState *state, SrfItem *item, const Expr **inside) {
    Capture none = {0};
    for (uint32_t i = 0; i < item->arg_count; i++) {
        inside[i] = item->args[i];
        if (!expr_has_column(item->args[i])) {
            continue;
        }
        if (reads_srf(state, item->args[i])) {
            return not_supported(b, item->args[i]->position, "a set-returning function inside another one");
        }
        TRY(capture_expr(b, &none, item->args[i], &inside[i]));
    }
    item->value_ids = none.ids;
    item->values = none.values;
    item->value_count = none.count;
    return ERR_OK;
}

ErrorCode bind_srf_call(Binder *b, Scope *scope, Str name, const Expr **args, uint32_t count, int64_t position, const SrfItem **item_out) {
    SrfState *state = scope->srfs;
    if (state == NULL) {
        return error_set(b->err, ERR_NOT_SUPPORTED, position, "set-returning functions are not allowed in %s", scope->clause != NULL ? scope->clause : "this place");
    }
    *item_out = find_item(state, name, args, count);
    if (*item_out != NULL) {
        return ERR_OK;
    }
    SrfItem item = {.name = name, .args = args, .arg_count = count};
    const Expr **inside = arena_array(b->arena, const Expr *, count + 1);
    TRY(hand_over(b, state, &item, inside));
    TRY(srf_rel(b, name, inside, count, position, &item.rel));
    if (state->count == state->capacity) {
        state->capacity = state->capacity == 0 ? 8 : state->capacity * 2;
        SrfItem *items = arena_array(b->arena, SrfItem, state->capacity);
        if (state->count > 0) {
            memcpy(items, state->items, state->count * sizeof *items);
        }
        state->items = items;
    }
    state->items[state->count] = item;
    *item_out = &state->items[state->count++];
    return ERR_OK;
}

ErrorCode regroup_srfs(Binder *b, SelectState *s) {
    for (uint32_t i = 0; i < s->srfs.count; i++) {
        SrfItem *item = &s->srfs.items[i];
        for (uint32_t v = 0; v < item->value_count; v++) {
            TRY(regroup(b, s, item->values[v], &item->values[v]));
        }
    }
    return ERR_OK;
}

ErrorCode apply_srfs(Binder *b, SelectState *s) {
    if (s->srfs.count == 0) {
        return ERR_OK;
    }
    uint32_t values = 0;
    for (uint32_t i = 0; i < s->srfs.count; i++) {
        values += s->srfs.items[i].value_count;
    }
    ColumnId *ids = arena_array(b->arena, ColumnId, values + 1);
    const Expr **exprs = arena_array(b->arena, const Expr *, values + 1);
    Rel **rels = arena_array(b->arena, Rel *, s->srfs.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->srfs.count; i++) {
        const SrfItem *item = &s->srfs.items[i];
        for (uint32_t v = 0; v < item->value_count; v++) {
            ids[count] = item->value_ids[v];
            exprs[count++] = item->values[v];
        }
        rels[i] = item->rel;
    }
    Rel *left = NULL;
    Rel *right = NULL;
    Rel *join = NULL;
    TRY(rel_add_values(b, s->rel, ids, exprs, count, &left));
    TRY(rel_zip(b, rels, s->srfs.count, &right));
    TRY(rel_new(b, REL_JOIN, (uint32_t)left->column_count + right->column_count, ERROR_NO_POSITION, &join));
    memcpy(rel_columns(join), left->columns, left->column_count * sizeof(RelColumn));
    memcpy(rel_columns(join) + left->column_count, right->columns, right->column_count * sizeof(RelColumn));
    join->inputs[0] = left;
    join->inputs[1] = right;
    join->order_column = left->order_column;
    join->order_descending = left->order_descending;
    join->as.join.kind = JOIN_CROSS;
    join->as.join.lateral_ids = ids;
    join->as.join.lateral_count = count;
    s->rel = join;
    return ERR_OK;
}

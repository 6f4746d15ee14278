/* SPDX-License-Identifier: Apache-2.0
 * recursion.c - may the items of WITH RECURSIVE read themselves where they do? Looked at in the tree, before names are bound.
 *
 * Why:        an item is bound where it is read; a step that reads its item in a wrong place would run for ever or answer something else.
 * Invariants: an item that passes reads itself at most once, in the last arm of a UNION, on no side of a join that may be filled with NULLs. */
#include "sql/bind/bind_internal.h"

typedef enum Place { PLACE_STEP, PLACE_FIRST_ROWS, PLACE_SUBQUERY, PLACE_OUTER_JOIN, PLACE_INTERSECT, PLACE_EXCEPT } Place;

typedef struct Walk {
    Binder *b;
    const AstName *name;
    Place place;
    uint32_t seen;
    bool counts_only;           /* nothing is refused: is the name read at all? */
} Walk;

static ErrorCode walk_select(Walk *w, const AstSelect *select);

static ErrorCode found(Walk *w, const AstNames *table) {
    static const char *const places[] = {
        [PLACE_FIRST_ROWS] = "its non-recursive term", [PLACE_SUBQUERY] = "a subquery", [PLACE_OUTER_JOIN] = "an outer join",
        [PLACE_INTERSECT] = "INTERSECT", [PLACE_EXCEPT] = "EXCEPT",
    };
    w->seen++;
    if (w->counts_only || (w->place == PLACE_STEP && w->seen == 1)) {
        return ERR_OK;
    }
    return w->place == PLACE_STEP
               ? error_set(w->b->err, ERR_INVALID_RECURSION, table->span.at, "recursive reference to query \"%.*s\" must not appear more than once",
                           STR_ARG(w->name->text))
               : error_set(w->b->err, ERR_INVALID_RECURSION, table->span.at, "recursive reference to query \"%.*s\" must not appear within %s",
                           STR_ARG(w->name->text), places[w->place]);
}

/* A place inside a worse one is that one. */
static ErrorCode walk_select_at(Walk *w, const AstSelect *select, Place place) {
    Place saved = w->place;
    w->place = saved == PLACE_STEP || place == PLACE_SUBQUERY ? place : saved;
    ErrorCode code = walk_select(w, select);
    w->place = saved;
    return code;
}

/* ---------------------------------------------------------------- expressions */

static ErrorCode walk_exprs(Walk *w, AstExpr *const *items, uint32_t count);

static ErrorCode walk_sort(Walk *w, const AstSortKey *keys, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TRY(walk_exprs(w, &keys[i].expr, 1));
    }
    return ERR_OK;
}

static ErrorCode walk_call(Walk *w, const AstCall *call) {
    TRY(walk_sort(w, call->order_by, call->order_count));
    TRY(walk_exprs(w, &call->filter, 1));
    if (call->over != NULL) {
        TRY(walk_exprs(w, call->over->partition_by, call->over->partition_count));
        return walk_sort(w, call->over->order_by, call->over->order_count);
    }
    return ERR_OK;
}

static ErrorCode walk_exprs(Walk *w, AstExpr *const *items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const AstExpr *expr = items[i];
        if (expr == NULL) {
            continue;
        }
        if (expr->kind == AST_SUBQUERY) {
            TRY(walk_select_at(w, expr->as.select, PLACE_SUBQUERY));
        } else if (expr->kind == AST_CALL_SPECIAL) {
            TRY(walk_call(w, expr->as.call));
        }
        TRY(walk_exprs(w, expr->args, expr->arg_count));
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- FROM */

static ErrorCode walk_from(Walk *w, const AstFrom *from);

static ErrorCode walk_join_side(Walk *w, const AstFrom *side, bool filled) {
    Place saved = w->place;
    w->place = filled && saved == PLACE_STEP ? PLACE_OUTER_JOIN : saved;
    ErrorCode code = walk_from(w, side);
    w->place = saved;
    return code;
}

static ErrorCode walk_from(Walk *w, const AstFrom *from) {
    if (from == NULL) {
        return ERR_OK;
    }
    switch (from->kind) {
    case AST_FROM_TABLE: return from->as.table.count == 1 && name_same(&from->as.table.parts[0], w->name->text) ? found(w, &from->as.table) : ERR_OK;
    case AST_FROM_SUBQUERY: return walk_select(w, from->as.select);
    case AST_FROM_FUNCTION: return walk_exprs(w, &from->as.function, 1);
    case AST_FROM_JOIN: {
        const AstJoin *join = from->as.join;
        TRY(walk_join_side(w, join->left, join->kind == AST_JOIN_RIGHT || join->kind == AST_JOIN_FULL));
        TRY(walk_join_side(w, join->right, join->kind == AST_JOIN_LEFT || join->kind == AST_JOIN_FULL));
        return walk_exprs(w, &join->on, 1);
    }
    default: return ERR_OK;
    }
}

/* ---------------------------------------------------------------- queries */

/* *hidden_out: an item of this WITH has the name, so that the query below reads that one. */
static ErrorCode walk_with(Walk *w, const AstWith *with, Place place, bool *hidden_out) {
    *hidden_out = false;
    for (uint32_t i = 0; with != NULL && i < with->count; i++) {
        *hidden_out = *hidden_out || (with->recursive && name_same(w->name, with->ctes[i].name.text));
        if (!*hidden_out && with->ctes[i].statement->kind == AST_SELECT_STATEMENT) {
            TRY(walk_select_at(w, with->ctes[i].statement->as.select, place));
        }
        *hidden_out = *hidden_out || name_same(w->name, with->ctes[i].name.text);
    }
    return ERR_OK;
}

static ErrorCode walk_tail(Walk *w, const AstSelect *select) {
    TRY(walk_sort(w, select->order_by, select->order_count));
    if (select->limit != NULL) {
        AstExpr *const parts[] = {select->limit->low, select->limit->high, select->limit->offset};
        return walk_exprs(w, parts, COUNT_OF(parts));
    }
    return ERR_OK;
}

static ErrorCode walk_arms(Walk *w, const AstSelect *select) {
    for (uint32_t i = 0; i < select->arm_count; i++) {
        Place place = select->operation == AST_INTERSECT_ALL                                             ? PLACE_INTERSECT
                      : select->operation == AST_EXCEPT_ALL || (select->operation == AST_EXCEPT && i > 0) ? PLACE_EXCEPT
                                                                                                          : w->place;
        TRY(walk_select_at(w, select->arms[i], place));
    }
    return walk_tail(w, select);
}

static ErrorCode walk_groups(Walk *w, const AstGrouping *groups, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TRY(walk_exprs(w, &groups[i].expr, 1));
        TRY(walk_exprs(w, groups[i].args, groups[i].arg_count));
        TRY(walk_groups(w, groups[i].sets, groups[i].set_count));
    }
    return ERR_OK;
}

static ErrorCode walk_query(Walk *w, const AstSelect *select) {
    for (uint32_t i = 0; i < select->item_count; i++) {
        TRY(walk_exprs(w, &select->items[i].expr, 1));
    }
    for (uint32_t i = 0; i < select->from_count; i++) {
        TRY(walk_from(w, select->from[i]));
    }
    for (uint32_t i = 0; i < select->row_count; i++) {
        TRY(walk_exprs(w, select->rows[i].items, select->rows[i].count));
    }
    TRY(walk_exprs(w, select->distinct_on, select->distinct_on_count));
    TRY(walk_exprs(w, &select->where, 1));
    TRY(walk_groups(w, select->group_by, select->group_count));
    TRY(walk_exprs(w, &select->having, 1));
    for (uint32_t i = 0; i < select->window_count; i++) {
        TRY(walk_exprs(w, select->windows[i].partition_by, select->windows[i].partition_count));
        TRY(walk_sort(w, select->windows[i].order_by, select->windows[i].order_count));
    }
    return walk_tail(w, select);
}

static ErrorCode walk_select(Walk *w, const AstSelect *select) {
    bool hidden = false;
    TRY(walk_with(w, select->with, w->place, &hidden));
    if (hidden) {
        return ERR_OK;
    }
    return select->kind == AST_SELECT_SET_OPERATION ? walk_arms(w, select) : walk_query(w, select);
}

/* ---------------------------------------------------------------- items */

static bool reads(Binder *b, const AstSelect *select, const AstName *name) {
    Walk count = {.b = b, .name = name, .counts_only = true};
    return walk_select(&count, select) == ERR_OK && count.seen > 0;
}

static ErrorCode not_implemented(Binder *b, int64_t position, const char *what) {
    return error_set(b->err, ERR_NOT_SUPPORTED, position, "%s in a recursive query is not implemented", what);
}

static ErrorCode check_tail(Binder *b, const AstSelect *select) {
    if (select->order_count > 0) {
        return not_implemented(b, select->order_by[0].expr->span.at, "ORDER BY");
    }
    if (select->limit != NULL && select->limit->offset != NULL) {
        return not_implemented(b, select->limit->offset->span.at, "OFFSET");
    }
    if (select->limit != NULL && select->limit->has_limit) {
        return not_implemented(b, select->limit->high == NULL ? select->limit->limit_span.at : select->limit->high->span.at, "LIMIT");
    }
    return select->locking_count > 0 ? not_implemented(b, ERROR_NO_POSITION, "FOR UPDATE/SHARE") : ERR_OK;
}

static ErrorCode check_item(Binder *b, const AstCte *cte) {
    const AstSelect *select = cte->statement->as.select;
    bool hidden = false;
    bool is_union = select->kind == AST_SELECT_SET_OPERATION && (select->operation == AST_UNION || select->operation == AST_UNION_ALL);
    Walk w = {.b = b, .name = &cte->name};
    if (!is_union) {
        return error_set(b->err, ERR_INVALID_RECURSION, cte->name.span.at,
                         "recursive query \"%.*s\" does not have the form non-recursive-term UNION [ALL] recursive-term", STR_ARG(cte->name.text));
    }
    w.place = PLACE_FIRST_ROWS;
    for (uint32_t i = 0; i + 1 < select->arm_count; i++) {
        TRY(walk_select(&w, select->arms[i]));
    }
    w.place = PLACE_STEP;
    TRY(walk_with(&w, select->with, PLACE_SUBQUERY, &hidden));
    TRY(walk_select(&w, select->arms[select->arm_count - 1]));
    return check_tail(b, select);
}

/* Items go behind those that they read; what is left over reads each other. */
static ErrorCode order_items(Binder *b, const AstWith *with, uint32_t *order_out) {
    bool *taken = arena_array(b->arena, bool, with->count);
    memset(taken, 0, with->count * sizeof *taken);
    for (uint32_t count = 0; count < with->count; count++) {
        uint32_t next = with->count;
        for (uint32_t i = 0; i < with->count && next == with->count; i++) {
            bool ready = !taken[i];
            for (uint32_t j = 0; j < with->count && ready; j++) {
                ready = taken[j] || i == j || with->ctes[i].statement->kind != AST_SELECT_STATEMENT ||
                        !reads(b, with->ctes[i].statement->as.select, &with->ctes[j].name);
            }
            next = ready ? i : next;
        }
        for (uint32_t i = 0; next == with->count; i++) {
            if (!taken[i]) {
                return error_set(b->err, ERR_NOT_SUPPORTED, with->ctes[i].name.span.at, "mutual recursion between WITH items is not implemented");
            }
        }
        taken[next] = true;
        order_out[count] = next;
    }
    return ERR_OK;
}

enum { ORDERED_ITEMS_MAX = 64 };    /* of more an item sees those before it only */

ErrorCode check_recursion(Binder *b, const AstWith *with, uint32_t *order_out) {
    for (uint32_t i = 0; i < with->count; i++) {
        order_out[i] = i;
    }
    if (!with->recursive) {
        return ERR_OK;
    }
    TRY(with->count > 1 && with->count <= ORDERED_ITEMS_MAX ? order_items(b, with, order_out) : ERR_OK);
    for (uint32_t i = 0; i < with->count; i++) {
        const AstCte *cte = &with->ctes[i];
        if (cte->statement->kind == AST_SELECT_STATEMENT && reads(b, cte->statement->as.select, &cte->name)) {
            TRY(check_item(b, cte));
        }
    }
    return ERR_OK;
}

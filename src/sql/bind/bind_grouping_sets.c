/* SPDX-License-Identifier: Apache-2.0
 * bind_grouping_sets.c - GROUPING SETS, ROLLUP, CUBE and GROUPING(): one grouping for each set, their rows behind each other.
 *
 * Why:    groups that a set does not have are NULL in its rows, GROUPING() is a constant in each: everything above sees one relation with the
 *         columns of a plain GROUP BY. The input is read once for each set.
 * Limits: 64 grouping expressions, SETS_MAX sets. */
#include "sql/bind/bind_internal.h"

enum { SETS_MAX = 4096, GROUPS_MAX = 64, GROUPING_ARGS_MAX = 31 };

typedef struct Sets { uint64_t *items; uint32_t count, capacity; } Sets;

bool has_grouping_sets(const AstSelect *ast) {
    for (uint32_t i = 0; i < ast->group_count; i++) {
        if (ast->group_by[i].kind != AST_GROUP_EXPR && ast->group_by[i].kind != AST_GROUP_EMPTY) {
            return true;
        }
    }
    return false;
}

static ErrorCode add_set(Binder *b, Sets *sets, uint64_t set, int64_t position) {
    if (sets->count == SETS_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, position, "too many grouping sets present (maximum %d)", SETS_MAX);
    }
    if (sets->count == sets->capacity) {
        sets->capacity = sets->capacity == 0 ? 8 : sets->capacity * 2;
        uint64_t *items = arena_array(b->arena, uint64_t, sets->capacity);
        if (sets->count > 0) {
            memcpy(items, sets->items, sets->count * sizeof *items);
        }
        sets->items = items;
    }
    sets->items[sets->count++] = set;
    return ERR_OK;
}

/* a or (a, b): the bits of its expressions. */
static ErrorCode element_bits(Binder *b, SelectState *s, const AstExpr *ast, uint64_t *bits_out) {
    bool row = ast->kind == AST_ROW;
    *bits_out = 0;
    for (uint32_t i = 0; i < (row ? ast->arg_count : 1); i++) {
        uint32_t place = 0;
        TRY(group_expr(b, s, row ? ast->args[i] : ast, &place));
        if (place >= GROUPS_MAX) {
            return error_set(b->err, ERR_TOO_COMPLEX, ast->span.at, "more than %d expressions in grouping sets", GROUPS_MAX);
        }
        *bits_out |= UINT64_C(1) << place;
    }
    return ERR_OK;
}

static ErrorCode rollup_sets(Binder *b, const uint64_t *elements, uint32_t count, int64_t position, Sets *out) {
    for (uint32_t n = count + 1; n-- > 0;) {
        uint64_t set = 0;
        for (uint32_t i = 0; i < n; i++) {
            set |= elements[i];
        }
        TRY(add_set(b, out, set, position));
    }
    return ERR_OK;
}

static ErrorCode cube_sets(Binder *b, const uint64_t *elements, uint32_t count, int64_t position, Sets *out) {
    if (count > 12) {
        return error_set(b->err, ERR_TOO_COMPLEX, position, "CUBE is limited to 12 elements");
    }
    for (uint32_t choice = 1u << count; choice-- > 0;) { /* all, ..., none: the first element is the highest bit */
        uint64_t set = 0;
        for (uint32_t i = 0; i < count; i++) {
            set |= (choice >> (count - 1 - i) & 1) != 0 ? elements[i] : 0;
        }
        TRY(add_set(b, out, set, position));
    }
    return ERR_OK;
}

static ErrorCode element_sets(Binder *b, SelectState *s, const AstGrouping *grouping, Sets *out) {
    uint64_t bits = 0;
    if (grouping->kind == AST_GROUP_EXPR) {
        TRY(element_bits(b, s, grouping->expr, &bits));
        return add_set(b, out, bits, grouping->span.at);
    }
    if (grouping->kind == AST_GROUP_EMPTY) {
        return add_set(b, out, 0, grouping->span.at);
    }
    if (grouping->kind == AST_GROUP_SETS) {
        for (uint32_t i = 0; i < grouping->set_count; i++) {
            TRY(element_sets(b, s, &grouping->sets[i], out));
        }
        return ERR_OK;
    }
    uint64_t *elements = arena_array(b->arena, uint64_t, grouping->arg_count + 1);
    for (uint32_t i = 0; i < grouping->arg_count; i++) {
        TRY(element_bits(b, s, grouping->args[i], &elements[i]));
    }
    bool cube = grouping->kind == AST_GROUP_CUBE;
    return (cube ? cube_sets : rollup_sets)(b, elements, grouping->arg_count, grouping->span.at, out);
}

static void drop_doubles(Sets *sets) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sets->count; i++) {
        bool seen = false;
        for (uint32_t j = 0; j < kept; j++) {
            seen = seen || sets->items[j] == sets->items[i];
        }
        if (!seen) {
            sets->items[kept++] = sets->items[i];
        }
    }
    sets->count = kept;
}

/* Elements side by side: each set of the one with each of the other. */
ErrorCode grouping_sets(Binder *b, SelectState *s, uint64_t **sets_out, uint32_t *count_out) {
    const AstSelect *ast = s->ast;
    Sets all = {0};
    TRY(add_set(b, &all, 0, ast->group_span.at));
    for (uint32_t i = 0; i < ast->group_count; i++) {
        Sets own = {0};
        Sets product = {0};
        TRY(element_sets(b, s, &ast->group_by[i], &own));
        for (uint32_t x = 0; x < all.count; x++) {
            for (uint32_t y = 0; y < own.count; y++) {
                TRY(add_set(b, &product, all.items[x] | own.items[y], ast->group_by[i].span.at));
            }
        }
        all = product;
    }
    if (ast->group_by_distinct) {
        drop_doubles(&all);
    }
    *sets_out = all.items;
    *count_out = all.count;
    return ERR_OK;
}

/* ---------------------------------------------------------------- GROUPING() */

ErrorCode bind_grouping_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    AggregateState *state = scope->aggregates;
    if (state == NULL || scope->inside_aggregate) {
        return error_set(b->err, ERR_GROUPING, ast->span.at, "grouping operations are not allowed in %s", scope->clause != NULL ? scope->clause : "this place");
    }
    if (ast->arg_count == 0 || ast->arg_count > GROUPING_ARGS_MAX) {
        return error_set(b->err, ERR_SYNTAX, ast->span.at, "GROUPING must have 1 to %d arguments", GROUPING_ARGS_MAX);
    }
    GroupingCall call = {.count = ast->arg_count, .position = ast->span.at};
    TRY(bind_exprs(b, scope, ast->args, ast->arg_count, &call.args));
    if (state->grouping_count == state->grouping_capacity) {
        state->grouping_capacity = state->grouping_capacity == 0 ? 4 : state->grouping_capacity * 2;
        GroupingCall *wider = arena_array(b->arena, GroupingCall, state->grouping_capacity);
        if (state->grouping_count > 0) {
            memcpy(wider, state->groupings, state->grouping_count * sizeof *wider);
        }
        state->groupings = wider;
    }
    call.id = column_new(b, NULL);
    state->groupings[state->grouping_count++] = call;
    *expr_out = expr_column(b, call.id, type_of(TYPE_INT4), ast->span.at);
    return ERR_OK;
}

/* One bit an argument, the last one lowest: set if the set of groups does not have it. */
static ErrorCode grouping_value(Binder *b, const SelectState *s, const GroupingCall *call, uint64_t set, const Expr **expr_out) {
    Value value = {.type = type_of(TYPE_INT4)};
    for (uint32_t i = 0; i < call->count; i++) {
        uint32_t place = 0;
        while (place < s->group_count && s->groups[place] != call->args[i]) {
            place++;
        }
        if (place == s->group_count) {
            return error_set(b->err, ERR_GROUPING, call->position, "arguments to GROUPING must be grouping expressions of the associated query level");
        }
        value.as.i32 = value.as.i32 * 2 + ((set >> place & 1) != 0 ? 0 : 1);
    }
    *expr_out = expr_constant(b, &value, call->position);
    return ERR_OK;
}

/* ---------------------------------------------------------------- relations */

/* The grouping of one set, its columns at the places of all groups. */
static ErrorCode set_rel(Binder *b, SelectState *s, uint64_t set, Rel **rel_out) {
    uint32_t total = s->group_count + s->aggregates.count + s->aggregates.grouping_count;
    const Expr **groups = arena_array(b->arena, const Expr *, s->group_count + 1);
    uint32_t *places = arena_array(b->arena, uint32_t, s->group_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->group_count; i++) {
        if ((set >> i & 1) != 0) {
            places[i] = count;
            groups[count++] = s->groups[i];
        }
    }
    Rel *rel = NULL;
    TRY(rel_new(b, REL_AGGREGATE, count + s->aggregates.count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < count; i++) {
        columns[i].type = groups[i]->type;
        columns[i].symbols = expr_symbols(b, groups[i]);
        b->column_symbols[columns[i].id] = columns[i].symbols;
    }
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        columns[count + i].type = s->aggregates.items[i].type;
        columns[count + i].symbols = b->column_symbols[s->aggregates.ids[i]];
        b->column_symbols[columns[count + i].id] = columns[count + i].symbols;
    }
    rel->inputs[0] = s->rel;
    rel->as.aggregate.groups = groups;
    rel->as.aggregate.group_count = (uint16_t)count;
    rel->as.aggregate.aggregates = s->aggregates.items;
    rel->as.aggregate.aggregate_count = (uint16_t)s->aggregates.count;
    const Expr **exprs = arena_array(b->arena, const Expr *, total + 1);
    Str *names = arena_array(b->arena, Str, total + 1);
    for (uint32_t i = 0; i < s->group_count; i++) {
        exprs[i] = (set >> i & 1) != 0 ? rel_column_expr(b, rel, places[i]) : expr_null(b, s->groups[i]->type, ERROR_NO_POSITION);
    }
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        exprs[s->group_count + i] = rel_column_expr(b, rel, count + i);
    }
    for (uint32_t i = 0; i < s->aggregates.grouping_count; i++) {
        TRY(grouping_value(b, s, &s->aggregates.groupings[i], set, &exprs[s->group_count + s->aggregates.count + i]));
    }
    TRY(rel_project(b, rel, exprs, names, total, rel_out));
    for (uint32_t i = 0; i < s->group_count; i++) {
        rel_columns(*rel_out)[i].symbols = expr_symbols(b, s->groups[i]);
    }
    return ERR_OK;
}

ErrorCode grouping_sets_rel(Binder *b, SelectState *s, const uint64_t *sets, uint32_t count, Rel **rel_out) {
    uint32_t total = s->group_count + s->aggregates.count + s->aggregates.grouping_count;
    Rel **arms = arena_array(b->arena, Rel *, count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(set_rel(b, s, sets[i], &arms[i]));
    }
    TRY(rel_new(b, REL_UNION_ALL, total, ERROR_NO_POSITION, rel_out));
    RelColumn *columns = rel_columns(*rel_out);
    for (uint32_t i = 0; i < total; i++) {
        ColumnId id = i < s->group_count                             ? s->group_ids[i]
                      : i < s->group_count + s->aggregates.count     ? s->aggregates.ids[i - s->group_count]
                                                                     : s->aggregates.groupings[i - s->group_count - s->aggregates.count].id;
        columns[i] = (RelColumn){.id = id, .type = arms[0]->columns[i].type, .name = STR("group"), .table_column = -1, .symbols = arms[0]->columns[i].symbols};
    }
    (*rel_out)->as.union_all.more = arms;
    (*rel_out)->as.union_all.more_count = count;
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * bind_group.c - GROUP BY (by position, alias, expression; or implied as in QuestDB) and the rewriting of what stands above it.
 *
 * Why: without GROUP BY, the parts of the select list that are no aggregates are the groups; that is QuestDB's rule and no other
 *      meaning of such a statement exists, so it holds in both dialects. */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- questions */

static bool is_aggregate_column(const SelectState *s, ColumnId id) {
    for (uint32_t i = 0; i < s->aggregates.grouping_count; i++) {
        if (s->aggregates.groupings[i].id == id) {
            return true;
        }
    }
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        if (s->aggregates.ids[i] == id) {
            return true;
        }
    }
    return false;
}

bool reads_aggregate(const SelectState *s, const Expr *expr) {
    if (expr->kind == EXPR_COLUMN) {
        return is_aggregate_column(s, expr->as.column) || is_window_column(s, expr->as.column) || is_srf_column(s, expr->as.column);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (reads_aggregate(s, expr->args[i])) {
            return true;
        }
    }
    return false;
}

bool reads_column(const Expr *expr, ColumnId id) {
    if (expr->kind == EXPR_COLUMN) {
        return expr->as.column == id;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (reads_column(expr->args[i], id)) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- gathering groups */

static int group_place(const SelectState *s, const Expr *expr) {
    for (uint32_t i = 0; i < s->group_count; i++) {
        if (s->groups[i] == expr) {
            return (int)i;
        }
    }
    return -1;
}

void add_group(Binder *b, SelectState *s, const Expr *expr) {
    if (group_place(s, expr) >= 0) {
        return;
    }
    const Expr **groups = arena_array(b->arena, const Expr *, s->group_count + 1);
    ColumnId *ids = arena_array(b->arena, ColumnId, s->group_count + 1);
    if (s->group_count > 0) {
        memcpy(groups, s->groups, s->group_count * sizeof *groups);
        memcpy(ids, s->group_ids, s->group_count * sizeof *ids);
    }
    groups[s->group_count] = expr;
    ids[s->group_count] = column_new(b, expr_symbols(b, expr));
    record_shape_column(b, ids[s->group_count], expr);
    s->groups = groups;
    s->group_ids = ids;
    s->group_count++;
}

/* The largest parts of expr that read columns but no aggregate, nor the column `except`. */
void collect_groups(Binder *b, SelectState *s, const Expr *expr, ColumnId except) {
    bool except_read = except != 0 && reads_column(expr, except);
    if (!except_read && !reads_aggregate(s, expr)) {
        if (expr_has_column(expr)) {
            add_group(b, s, expr);
        }
        return;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        collect_groups(b, s, expr->args[i], except);
    }
}

static Str item_name_at(const void *context, uint32_t i) {
    return ((const SelectState *)context)->items[i].name;
}

static ErrorCode group_by_position(Binder *b, SelectState *s, const AstExpr *ast, uint32_t *place_out) {
    int64_t number = 0;
    for (size_t i = 0; i < ast->as.text.len && number < 100000; i++) {
        number = number * 10 + (ast->as.text.data[i] - '0');
    }
    if (number < 1 || number > s->visible_count) {
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->span.at, "GROUP BY position %lld is not in select list", (long long)number);
    }
    const Expr *expr = s->items[number - 1].expr;
    TRY(coerce_known(b, expr, &expr)); /* a literal of the list is text from here on, in both places */
    s->items[number - 1].expr = expr;
    if (reads_aggregate(s, expr)) {
        return error_set(b->err, ERR_GROUPING, ast->span.at, "aggregate functions are not allowed in GROUP BY");
    }
    add_group(b, s, expr);
    *place_out = (uint32_t)group_place(s, expr);
    return ERR_OK;
}

/* A plain name is a column of the input first, then an alias of the select list. */
ErrorCode group_expr(Binder *b, SelectState *s, const AstExpr *ast, uint32_t *place_out) {
    if (ast->kind == AST_INTEGER && ast->as.text.len > 0 && ast->as.text.data[0] != '-') {
        return group_by_position(b, s, ast, place_out);
    }
    const Expr *expr = NULL;
    Error *err = b->err;
    Error quiet;
    s->scope.aggregates = NULL;
    s->scope.clause = "GROUP BY";
    b->err = &quiet;
    ErrorCode code = bind_expr(b, &s->scope, ast, &expr);
    b->err = err;
    bool plain = ast->kind == AST_NAME && ast->as.names.count == 1;
    int item = code == ERR_UNDEFINED_COLUMN && plain ? name_match(ast->as.names.parts, s->visible_count, item_name_at, s) : -1;
    if (item >= 0) {
        TRY(coerce_known(b, s->items[item].expr, &expr));
        s->items[item].expr = expr;
        if (reads_aggregate(s, expr)) {
            return error_set(b->err, ERR_GROUPING, ast->span.at, "aggregate functions are not allowed in GROUP BY");
        }
    } else if (code != ERR_OK) {
        return error_pass(b->err, &quiet);
    }
    TRY(coerce_known(b, expr, &expr));
    if (expr->type.id == TYPE_JSON) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, ast->span.at, "could not identify an equality operator for type json");
    }
    add_group(b, s, expr);
    *place_out = (uint32_t)group_place(s, expr);
    return ERR_OK;
}

static ErrorCode explicit_groups(Binder *b, SelectState *s) {
    const AstSelect *ast = s->ast;
    if (ast->group_by_all) {
        return ERR_OK;
    }
    for (uint32_t i = 0; i < ast->group_count; i++) {
        const AstGrouping *grouping = &ast->group_by[i];
        uint32_t place = 0;
        if (grouping->kind == AST_GROUP_EMPTY) {
            continue;
        }
        assert(grouping->kind == AST_GROUP_EXPR);
        if (grouping->expr->kind == AST_ROW) {
            for (uint32_t j = 0; j < grouping->expr->arg_count; j++) {
                TRY(group_expr(b, s, grouping->expr->args[j], &place));
            }
        } else {
            TRY(group_expr(b, s, grouping->expr, &place));
        }
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- rewriting over the groups */

static ErrorCode not_grouped(Binder *b, const SelectState *s, const Expr *column) {
    Str name = STR("?"), qualifier = {0};
    for (uint32_t i = 0; i < s->scope.count; i++) {
        bool found = s->scope.columns[i].id == column->as.column;
        name = found ? s->scope.columns[i].name : name;
        qualifier = found ? s->scope.columns[i].qualifier : qualifier;
    }
    return error_set(b->err, ERR_GROUPING, column->position, "column \"%.*s%s%.*s\" must appear in the GROUP BY clause or be used in an aggregate function",
                     STR_ARG(qualifier), qualifier.len > 0 ? "." : "", STR_ARG(name));
}

static const ScopeColumn *scope_column_of(const SelectState *s, ColumnId id) {
    for (uint32_t i = 0; i < s->scope.count; i++) {
        if (s->scope.columns[i].id == id) {
            return &s->scope.columns[i];
        }
    }
    return NULL;
}

static bool key_is_grouped(const SelectState *s, const TableDef *table, const IndexDef *key, ColumnId first) {
    for (uint16_t k = 0; k < key->key_count; k++) {
        bool found = false;
        for (uint16_t c = 0; c < table->column_count; c++) {
            ColumnId id = first + c;
            for (uint32_t g = 0; g < s->group_count && table->columns[c].id == key->keys[k].column_id; g++) {
                found = found || (s->groups[g]->kind == EXPR_COLUMN && s->groups[g]->as.column == id);
            }
        }
        if (!found) {
            return false;
        }
    }
    return key->key_count > 0;
}

/* A column of a table whose primary key is among the groups depends on them: it becomes one more group, which splits none. The columns
 * of one scan have ids in a row. */
static bool depends_on_groups(Binder *b, SelectState *s, const Expr *column) {
    const ScopeColumn *from = scope_column_of(s, column->as.column);
    CatalogView *catalog = b->context->catalog;
    if (from == NULL || from->table_id == 0 || from->table_column < 0 || catalog->table_by_id == NULL) {
        return false;
    }
    const TableDef *table = catalog->table_by_id(catalog, from->table_id);
    const IndexDef *key = table != NULL ? table_primary_key(table) : NULL;
    return key != NULL && key_is_grouped(s, table, key, column->as.column - (ColumnId)from->table_column);
}

static ErrorCode rebuild(Binder *b, const Expr *expr, const Expr **args, const Expr **expr_out) {
    switch (expr->kind) {
    case EXPR_CALL: return expr_call(b, expr->as.call.function, expr->as.call.cast_prepared, expr->type, args, expr->arg_count, expr->position, expr_out);
    case EXPR_TIME_IN: return expr_time_in(b, args[0], expr->as.time_in.ranges, expr->as.time_in.range_count, expr->position, expr_out);
    case EXPR_IN_REL:
    case EXPR_SCALAR_REL:
    case EXPR_EXISTS_REL: return expr_rel_again(b, expr, args, expr_out);
    default: return expr_nary(b, (ExprKind)expr->kind, expr->type, args, expr->arg_count, expr->position, expr_out);
    }
}

static ErrorCode regroup_dependent(Binder *b, SelectState *s, const Expr *expr, const Expr **expr_out) {
    add_group(b, s, expr);
    *expr_out = expr_column(b, s->group_ids[group_place(s, expr)], expr->type, expr->position);
    return ERR_OK;
}

ErrorCode regroup(Binder *b, SelectState *s, const Expr *expr, const Expr **expr_out) {
    int place = group_place(s, expr);
    *expr_out = expr;
    if (place >= 0) {
        *expr_out = expr_column(b, s->group_ids[place], expr->type, expr->position);
        return ERR_OK;
    }
    if (expr->kind == EXPR_COLUMN) {
        return is_aggregate_column(s, expr->as.column) || is_window_column(s, expr->as.column) || is_srf_column(s, expr->as.column) ? ERR_OK
               : !s->by_sets && depends_on_groups(b, s, expr)                                                         ? regroup_dependent(b, s, expr, expr_out)
                                                                                                        : not_grouped(b, s, expr);
    }
    if (expr->arg_count == 0) {
        return ERR_OK;
    }
    const Expr **args = arena_array(b->arena, const Expr *, expr->arg_count);
    bool changed = false;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        TRY(regroup(b, s, expr->args[i], &args[i]));
        changed = changed || args[i] != expr->args[i];
    }
    return changed ? rebuild(b, expr, args, expr_out) : ERR_OK;
}

ErrorCode regroup_all(Binder *b, SelectState *s) {
    for (uint32_t i = 0; i < s->item_count; i++) {
        TRY(regroup(b, s, s->items[i].expr, &s->items[i].expr));
    }
    TRY(regroup_windows(b, s));
    TRY(regroup_srfs(b, s));
    return s->having != NULL ? regroup(b, s, s->having, &s->having) : ERR_OK;
}

/* ---------------------------------------------------------------- the relation */

const RelColumn *aggregate_columns(Binder *b, SelectState *s, RelColumn *columns) {
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        const AggregateExpr *aggregate = &s->aggregates.items[i];
        columns[i] = (RelColumn){.id = s->aggregates.ids[i], .type = aggregate->type, .name = str_from_c(aggregate->aggregate->name), .table_column = -1};
        columns[i].symbols = b->column_symbols[columns[i].id];
    }
    return columns;
}

static void group_column(Binder *b, const SelectState *s, uint32_t i, RelColumn *column) {
    *column = (RelColumn){.id = s->group_ids[i], .type = s->groups[i]->type, .name = STR("group"), .table_column = -1};
    column->symbols = b->column_symbols[column->id];
}

ErrorCode group_query(Binder *b, SelectState *s) {
    uint64_t *sets = NULL;
    uint32_t set_count = 0;
    bool by_sets = has_grouping_sets(s->ast) || s->aggregates.grouping_count > 0;
    if (by_sets) {
        TRY(grouping_sets(b, s, &sets, &set_count));
    } else if (s->ast->has_group_by) {
        TRY(explicit_groups(b, s));
    }
    s->by_sets = by_sets;
    bool implied = !s->ast->has_group_by && s->implied_groups && dialect_has(b->dialect, DIALECT_GROUPS_ARE_IMPLIED);
    if (implied || s->ast->group_by_all) {
        for (uint32_t i = 0; i < s->visible_count; i++) {
            TRY(coerce_known(b, s->items[i].expr, &s->items[i].expr));
            collect_groups(b, s, s->items[i].expr, 0);
        }
    }
    s->grouped = true;
    TRY(regroup_all(b, s));
    TRY(order_aggregates(b, s));
    s->timestamp = 0;
    if (by_sets) {
        return grouping_sets_rel(b, s, sets, set_count, &s->rel);
    }
    Rel *rel = NULL;
    TRY(rel_new(b, REL_AGGREGATE, s->group_count + s->aggregates.count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < s->group_count; i++) {
        group_column(b, s, i, &columns[i]);
    }
    (void)aggregate_columns(b, s, columns + s->group_count);
    rel->inputs[0] = s->rel;
    rel->as.aggregate.groups = s->groups;
    rel->as.aggregate.group_count = (uint16_t)s->group_count;
    rel->as.aggregate.aggregates = s->aggregates.items;
    rel->as.aggregate.aggregate_count = (uint16_t)s->aggregates.count;
    s->rel = rel;
    s->timestamp = 0;
    return ERR_OK;
}

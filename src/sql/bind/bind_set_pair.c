/* SPDX-License-Identifier: Apache-2.0
 * bind_set_pair.c - INTERSECT and EXCEPT: both sides are counted by value in one grouping, then values are kept by their counts.
 *
 * Why:   the grouping has PostgreSQL's equality (NULLs are one value) and gives first occurrences in order. ALL repeats a value as often
 *        as its counts say, through a series that runs for each value. */
#include "sql/bind/bind_internal.h"

static ErrorCode int_constant(Binder *b, int64_t number, const Expr **expr_out) {
    Value value = {.type = type_of(TYPE_INT8)};
    value.as.i64 = number;
    *expr_out = expr_constant(b, &value, ERROR_NO_POSITION);
    return ERR_OK;
}

/* The arm's columns, cast, and behind them the number of its side. */
static ErrorCode tagged_arm(Binder *b, Rel *arm, const Type *types, int64_t side, Rel **rel_out) {
    Rel *cast = NULL;
    TRY(cast_arm(b, arm, types, &cast));
    uint32_t count = cast->column_count;
    const Expr **exprs = arena_array(b->arena, const Expr *, count + 1);
    Str *names = arena_array(b->arena, Str, count + 1);
    rel_column_exprs(b, cast, count, exprs, names);
    TRY(int_constant(b, side, &exprs[count]));
    names[count] = STR("side");
    return rel_project(b, cast, exprs, names, count + 1, rel_out);
}

static ErrorCode count_side(Binder *b, const Expr *tag, int64_t side, AggregateExpr *aggregate) {
    const Expr *number = NULL;
    TRY(int_constant(b, side, &number));
    TRY(bind_operator(b, STR("="), tag, number, ERROR_NO_POSITION, &aggregate->filter));
    return find_aggregate(b, STR("count"), NULL, 0, ERROR_NO_POSITION, &aggregate->aggregate, &aggregate->type);
}

/* Columns: the values, how often the left, the right side has them. */
static ErrorCode counted(Binder *b, Rel *both, Rel **rel_out) {
    uint32_t count = both->column_count - 1u;
    AggregateExpr *aggregates = arena_array(b->arena, AggregateExpr, 2);
    const Expr **groups = arena_array(b->arena, const Expr *, count + 1);
    Rel *rel = NULL;
    TRY(count_side(b, rel_column_expr(b, both, count), 0, &aggregates[0]));
    TRY(count_side(b, rel_column_expr(b, both, count), 1, &aggregates[1]));
    TRY(rel_new(b, REL_AGGREGATE, count + 2, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    for (uint32_t c = 0; c < count; c++) {
        ColumnId id = columns[c].id;
        groups[c] = rel_column_expr(b, both, c);
        columns[c] = both->columns[c];
        columns[c].id = id;
        b->column_symbols[id] = columns[c].symbols;
    }
    columns[count].type = columns[count + 1].type = type_of(TYPE_INT8);
    rel->inputs[0] = both;
    rel->as.aggregate.groups = groups;
    rel->as.aggregate.group_count = (uint16_t)count;
    rel->as.aggregate.aggregates = aggregates;
    rel->as.aggregate.aggregate_count = 2;
    *rel_out = rel;
    return ERR_OK;
}

/* How often a value comes out. */
static ErrorCode times(Binder *b, bool intersect, bool all, const Expr *left, const Expr *right, const Expr **expr_out) {
    const Expr *zero = NULL;
    const Expr **arms = arena_array(b->arena, const Expr *, 3);
    int64_t at = ERROR_NO_POSITION;
    TRY(int_constant(b, 0, &zero));
    if (all && !intersect) {
        return bind_operator(b, STR("-"), left, right, at, expr_out);
    }
    if (all) {
        TRY(bind_operator(b, STR("<"), left, right, at, &arms[0]));
        arms[1] = left;
        arms[2] = right;
        return case_of(b, arms, 3, at, expr_out);
    }
    TRY(bind_operator(b, intersect ? STR(">") : STR("="), right, zero, at, &arms[0]));
    arms[1] = left;
    arms[2] = zero;
    return case_of(b, arms, 3, at, expr_out);
}

/* rel: values, then their number; each row as often as that says. */
static ErrorCode repeated(Binder *b, Rel *rel, uint32_t count, Rel **rel_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    ColumnId *ids = arena_array(b->arena, ColumnId, 1);
    Rel *series = NULL;
    ids[0] = rel->columns[count].id;
    TRY(int_constant(b, 1, &args[0]));
    args[1] = expr_outer(b, ids[0], type_of(TYPE_INT8), ERROR_NO_POSITION);
    TRY(table_call(b, TABLE_CALL_GENERATE_SERIES, args, 2, ERROR_NO_POSITION, &series));
    TRY(rel_new(b, REL_JOIN, rel->column_count + 1u, ERROR_NO_POSITION, rel_out));
    Rel *join = *rel_out;
    memcpy(rel_columns(join), rel->columns, rel->column_count * sizeof(RelColumn));
    rel_columns(join)[rel->column_count] = series->columns[0];
    join->inputs[0] = rel;
    join->inputs[1] = series;
    join->as.join.kind = JOIN_CROSS;
    join->as.join.lateral_ids = ids;
    join->as.join.lateral_count = 1;
    return ERR_OK;
}

static ErrorCode kept(Binder *b, const AstSelect *select, Rel *counts, Rel **rel_out) {
    bool intersect = select->operation == AST_INTERSECT || select->operation == AST_INTERSECT_ALL;
    bool all = select->operation == AST_INTERSECT_ALL || select->operation == AST_EXCEPT_ALL;
    uint32_t count = counts->column_count - 2u;
    const Expr **exprs = arena_array(b->arena, const Expr *, count + 1);
    Str *names = arena_array(b->arena, Str, count + 1);
    rel_column_exprs(b, counts, count, exprs, names);
    names[count] = STR("times");
    TRY(times(b, intersect, all, rel_column_expr(b, counts, count), rel_column_expr(b, counts, count + 1), &exprs[count]));
    Rel *rel = NULL;
    const Expr *zero = NULL;
    const Expr *test = NULL;
    TRY(rel_project(b, counts, exprs, names, count + 1, &rel));
    TRY(int_constant(b, 0, &zero));
    TRY(bind_operator(b, STR(">"), rel_column_expr(b, rel, count), zero, ERROR_NO_POSITION, &test));
    TRY(rel_filter(b, rel, test, &rel));
    if (all) {
        TRY(repeated(b, rel, count, &rel));
    }
    rel_column_exprs(b, rel, count, exprs, names);
    return rel_project(b, rel, exprs, names, count, rel_out);
}

ErrorCode bind_set_pair(Binder *b, const AstSelect *select, Query *left, Query *right, Query *query_out) {
    Query *arms = arena_array(b->arena, Query, 2);
    Type *types = NULL;
    arms[0] = *left;
    arms[1] = *right;
    TRY(union_types(b, arms, 2, &types));
    TRY(tagged_arm(b, arms[0].rel, types, 0, &arms[0].rel));
    TRY(tagged_arm(b, arms[1].rel, types, 1, &arms[1].rel));
    Rel *both = NULL;
    Rel *counts = NULL;
    TRY(union_all(b, select, arms, 2, &both));
    TRY(counted(b, both, &counts));
    *query_out = (Query){0};
    return kept(b, select, counts, &query_out->rel);
}

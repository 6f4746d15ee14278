/* SPDX-License-Identifier: Apache-2.0
 * lower.c - Rel -> physical operators, from the root down, carrying what the parent needs: columns, filters to apply, order.
 *
 * Why:        one walk does the work of four passes: unused columns are never asked for (drop_unused), conjuncts travel down until
 *             something stops them (push_filters), LIMIT sinks below projections and turns sorts into top-k (limits), and a sort on
 *             an order that the source has is left out (order_use). Each is switched by its own bit.
 * Invariants: a conjunct that can fail never overtakes one that was written before it on the same input: lists keep their order.
 * Tests:      test/unit/sql/exec/ (plan variants give equal answers) */
#include "sql/plan/plan_internal.h"

PlanOp *plan_op_new(PlanContext *context, PlanOpKind kind) {
    PlanOp *op = arena_new(context->arena, PlanOp);
    op->kind = (uint8_t)kind;
    op->id = context->op_count++;
    return op;
}

int plan_column_position(const PlanOp *op, ColumnId id) {
    for (uint32_t i = 0; i < op->column_count; i++) {
        if (op->columns[i].id == id) {
            return (int)i;
        }
    }
    return -1;
}

static void keep_shape(PlanOp *op, const PlanOp *input) {
    op->columns = input->columns;
    op->column_count = input->column_count;
    op->order_column = input->order_column;
    op->order_descending = input->order_descending;
    op->inputs[0] = input;
}

/* ---- filter ---- */
static const Expr *conjunction(PlanContext *context, const ExprList *filters) {
    if (filters->count == 1) {
        return filters->items[0];
    }
    Expr *all = arena_new(context->arena, Expr);
    *all = (Expr){.kind = EXPR_AND, .type = type_of(TYPE_BOOL), .position = ERROR_NO_POSITION, .args = filters->items, .arg_count = filters->count};
    for (uint32_t i = 0; i < filters->count; i++) {
        all->flags |= filters->items[i]->flags;
        all->depth = MAX_OF(all->depth, (uint16_t)(filters->items[i]->depth + 1));
    }
    return all;
}

ErrorCode lower_filter_on(PlanContext *context, PlanOp *input, const ExprList *filters, PlanOp **op_out, Error *err) {
    *op_out = input;
    if (filters->count == 0) {
        return ERR_OK;
    }
    const Expr *condition = conjunction(context, filters);
    PlanOp *op = plan_op_new(context, PLAN_FILTER);
    keep_shape(op, input);
    TRY(program_build(context, input->columns, input->column_count, &condition, 1, &op->program, err));
    *op_out = op;
    return ERR_OK;
}

static ErrorCode lower_filter(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    Need below = *need;
    below.filters = (ExprList){0};
    exprlist_add_conjuncts(context, &below.filters, rel->as.filter.condition);
    for (uint32_t i = 0; i < need->filters.count; i++) {
        exprlist_add(context, &below.filters, need->filters.items[i]);
    }
    if (pass_on(context, PASS_PUSH_FILTERS)) {
        return lower_rel(context, rel->inputs[0], &below, op_out, err);
    }
    ExprList filters = below.filters;
    below.filters = (ExprList){0};
    below.columns = idset_copy(context, need->columns);
    for (uint32_t i = 0; i < filters.count; i++) {
        idset_add_expr(&below.columns, filters.items[i]);
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    return lower_filter_on(context, input, &filters, op_out, err);
}

/* ---- project ---- */
ErrorCode lower_project_on(PlanContext *context, PlanOp *input, const RelColumn *columns, const Expr *const *exprs, uint32_t count,
                           PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_PROJECT);
    op->inputs[0] = input;
    op->columns = columns;
    op->column_count = count;
    TRY(program_build(context, input->columns, input->column_count, exprs, count, &op->program, err));
    for (uint32_t i = 0; i < count; i++) {
        ColumnId id = 0;
        if (op->order_column == 0 && expr_is_column(exprs[i], &id) && id == input->order_column && id != 0) {
            op->order_column = columns[i].id;
            op->order_descending = input->order_descending;
        }
    }
    *op_out = op;
    return ERR_OK;
}

/* Splits the filters into those over computed columns that may move below (rewritten) and those that stay above. */
static void project_filters(PlanContext *context, Rel *rel, const Need *need, ExprList *below, ExprList *above) {
    ColumnId *ids = arena_array(context->arena, ColumnId, rel->column_count + 1);
    bool pure = true;
    for (uint32_t i = 0; i < rel->column_count; i++) {
        ids[i] = rel->columns[i].id;
        pure = pure && expr_pure(rel->as.project.exprs[i]);
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        const Expr *filter = need->filters.items[i];
        if (pure && expr_pure(filter) && above->count == 0) {
            exprlist_add_conjuncts(context, below, expr_replace(context, filter, ids, rel->as.project.exprs, rel->column_count));
        } else {
            exprlist_add(context, above, filter);
        }
    }
}

static ErrorCode lower_project(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    ExprList above = {0};
    Need below = {.columns = idset_new(context), .order = need->order, .descending = need->descending};
    project_filters(context, rel, need, &below.filters, &above);
    IdSet wanted = idset_copy(context, need->columns);
    for (uint32_t i = 0; i < above.count; i++) {
        idset_add_expr(&wanted, above.items[i]);
    }
    const Expr **exprs = arena_array(context->arena, const Expr *, rel->column_count + 1);
    RelColumn *columns = arena_array(context->arena, RelColumn, rel->column_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (idset_has(wanted, rel->columns[i].id) || !pass_on(context, PASS_DROP_UNUSED)) {
            exprs[count] = rel->as.project.exprs[i];
            columns[count++] = rel->columns[i];
            idset_add_expr(&below.columns, rel->as.project.exprs[i]);
        }
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel->inputs[0], &below, &input, err));
    PlanOp *op = NULL;
    TRY(lower_project_on(context, input, columns, exprs, count, &op, err));
    return lower_filter_on(context, op, &above, op_out, err);
}

/* ---- leaves ---- */
static ErrorCode lower_values(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_VALUES);
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.values.row_count = rel->as.values.row_count;
    uint64_t count = (uint64_t)rel->as.values.row_count * rel->column_count;
    if (count > PLAN_CELLS_MAX) {
        return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "VALUES has more than %d cells", PLAN_CELLS_MAX);
    }
    op->as.values.cells = arena_array(context->arena, const Value *, count + 1);
    op->as.values.outputs = arena_array(context->arena, uint32_t, count + 1);
    ExprList computed = {0};
    for (uint64_t i = 0; i < count; i++) {
        const Expr *cell = rel->as.values.exprs[i];
        if (cell->kind == EXPR_CONSTANT) { /* bulk inserts are all of these */
            op->as.values.cells[i] = &cell->as.value;
        } else {
            op->as.values.outputs[i] = computed.count;
            exprlist_add(context, &computed, cell);
        }
    }
    TRY(program_build(context, NULL, 0, computed.items, computed.count, &op->constants, err));
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

static ErrorCode lower_table_call(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_TABLE_CALL);
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.table_call.function = rel->as.table_call.function;
    TRY(program_build(context, NULL, 0, rel->as.table_call.args, rel->as.table_call.arg_count, &op->constants, err));
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

/* ---- union ---- */
static ErrorCode lower_arm(PlanContext *context, Rel *rel, Rel *arm, const Need *need, PlanOp **op_out, Error *err) {
    Need below = {.columns = idset_new(context), .order = need->order};
    const Expr **own = arena_array(context->arena, const Expr *, rel->column_count + 1);
    const Expr **exprs = arena_array(context->arena, const Expr *, rel->column_count + 1);
    RelColumn *columns = arena_array(context->arena, RelColumn, rel->column_count + 1);
    ColumnId *ids = arena_array(context->arena, ColumnId, rel->column_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rel->column_count; i++) {
        ids[i] = rel->columns[i].id;
        own[i] = plan_expr_column(context, &arm->columns[i]);
        if (idset_has(need->columns, ids[i]) || !pass_on(context, PASS_DROP_UNUSED)) {
            exprs[count] = own[i];
            columns[count] = rel->columns[i];
            columns[count++].symbols = arm->columns[i].symbols;
            idset_add(&below.columns, arm->columns[i].id);
        }
    }
    for (uint32_t i = 0; i < need->filters.count; i++) {
        exprlist_add(context, &below.filters, expr_replace(context, need->filters.items[i], ids, own, rel->column_count));
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, arm, &below, &input, err));
    return lower_project_on(context, input, columns, exprs, count, op_out, err);
}

static bool filters_pure(const ExprList *filters) {
    for (uint32_t i = 0; i < filters->count; i++) {
        if (!expr_pure(filters->items[i])) {
            return false;
        }
    }
    return true;
}

static IdSet with_filter_columns(PlanContext *context, const Need *need) {
    IdSet wanted = idset_copy(context, need->columns);
    for (uint32_t i = 0; i < need->filters.count; i++) {
        idset_add_expr(&wanted, need->filters.items[i]);
    }
    return wanted;
}

static ErrorCode lower_union(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    bool push = filters_pure(&need->filters);
    Need below = *need;
    if (!push) {
        below.columns = with_filter_columns(context, need);
        below.filters = (ExprList){0};
    }
    PlanOp *op = plan_op_new(context, PLAN_UNION);
    const PlanOp **arms = arena_array(context->arena, const PlanOp *, rel->as.union_all.more_count + 1);
    for (uint32_t i = 0; i < rel->as.union_all.more_count; i++) {
        PlanOp *arm = NULL;
        TRY(lower_arm(context, rel, rel->as.union_all.more[i], &below, &arm, err));
        arms[i] = arm;
    }
    assert(rel->as.union_all.more_count > 0);
    RelColumn *columns = arena_array(context->arena, RelColumn, arms[0]->column_count + 1);
    memcpy(columns, arms[0]->columns, arms[0]->column_count * sizeof *columns);
    for (uint32_t c = 0; c < arms[0]->column_count; c++) {
        for (uint32_t i = 1; i < rel->as.union_all.more_count; i++) {
            columns[c].symbols = columns[c].symbols == arms[i]->columns[c].symbols ? columns[c].symbols : NULL;
        }
    }
    op->columns = columns;
    op->column_count = arms[0]->column_count;
    op->as.union_all.arms = arms;
    op->as.union_all.arm_count = rel->as.union_all.more_count;
    if (push) {
        *op_out = op;
        return ERR_OK;
    }
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

/* ---- limit ---- */
static ErrorCode limit_constants(PlanContext *context, const Rel *rel, const Program **program_out, Error *err) {
    const Expr *exprs[3];
    uint32_t count = 0;
    const Expr *given[3] = {rel->as.limit.low, rel->as.limit.high, rel->as.limit.offset};
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        if (given[i] != NULL) {
            exprs[count++] = given[i];
        }
    }
    return program_build(context, NULL, 0, exprs, count, program_out, err);
}

/* LIMIT that is known not to count from the end: a constant, not negative. Parameters may be negative. */
static bool limit_is_plain(PlanContext *context, const Rel *rel) {
    Value value;
    if (rel->as.limit.range || rel->as.limit.low != NULL || rel->as.limit.high == NULL) {
        return false;
    }
    if (!expr_fold(context, rel->as.limit.high, &value) || value.is_null || value.type.id != TYPE_INT8) {
        return false;
    }
    return value.as.i64 >= 0;
}

static ErrorCode limit_on(PlanContext *context, const Rel *rel, PlanOp *input, PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_LIMIT);
    keep_shape(op, input);
    op->as.limit.has_low = rel->as.limit.low != NULL;
    op->as.limit.has_high = rel->as.limit.high != NULL;
    op->as.limit.has_offset = rel->as.limit.offset != NULL;
    op->as.limit.range = rel->as.limit.range;
    TRY(limit_constants(context, rel, &op->constants, err));
    *op_out = op;
    return ERR_OK;
}

static ErrorCode lower_limit_below(PlanContext *context, Rel *rel, Rel *input, const Need *need, PlanOp **op_out, Error *err);

/* LIMIT above a projection without volatile calls: the projection runs on the limited rows only. */
static ErrorCode lower_limit_project(PlanContext *context, Rel *rel, Rel *project, const Need *need, PlanOp **op_out, Error *err) {
    Need below = {.columns = idset_new(context), .order = true};
    const Expr **exprs = arena_array(context->arena, const Expr *, project->column_count + 1);
    RelColumn *columns = arena_array(context->arena, RelColumn, project->column_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < project->column_count; i++) {
        if (idset_has(need->columns, project->columns[i].id) || !pass_on(context, PASS_DROP_UNUSED)) {
            exprs[count] = project->as.project.exprs[i];
            columns[count++] = project->columns[i];
            idset_add_expr(&below.columns, project->as.project.exprs[i]);
        }
    }
    PlanOp *input = NULL;
    TRY(lower_limit_below(context, rel, project->inputs[0], &below, &input, err));
    context->passes_fired |= 1u << PASS_LIMITS;
    return lower_project_on(context, input, columns, exprs, count, op_out, err);
}

static bool project_is_pure(const Rel *rel) {
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (!expr_pure(rel->as.project.exprs[i])) {
            return false;
        }
    }
    return true;
}

/* LIMIT -n, n constant: the last rows of a table are the first ones of a backward scan. */
static bool limit_from_end(PlanContext *context, const Rel *rel, const Rel *input_rel) {
    Value value;
    bool plain = !rel->as.limit.range && rel->as.limit.low == NULL && rel->as.limit.offset == NULL && rel->as.limit.high != NULL;
    if (!plain || input_rel->order_column == 0 || input_rel->order_descending || !rel_can_reverse(input_rel, input_rel->order_column)) {
        return false;
    }
    return expr_fold(context, rel->as.limit.high, &value) && !value.is_null && value.type.id == TYPE_INT8 && value.as.i64 < 0;
}

static ErrorCode lower_limit_reversed(PlanContext *context, Rel *rel, Rel *input_rel, const Need *need, PlanOp **op_out, Error *err) {
    Need below = *need;
    below.descending = true;
    PlanOp *input = NULL;
    TRY(lower_rel(context, input_rel, &below, &input, err));
    TRY(limit_on(context, rel, input, op_out, err));
    (*op_out)->as.limit.reversed = true;
    (*op_out)->order_descending = false;
    context->passes_fired |= 1u << PASS_LIMITS;
    return ERR_OK;
}

static ErrorCode lower_limit_below(PlanContext *context, Rel *rel, Rel *input_rel, const Need *need, PlanOp **op_out, Error *err) {
    bool on = pass_on(context, PASS_LIMITS);
    if (on && limit_from_end(context, rel, input_rel)) {
        return lower_limit_reversed(context, rel, input_rel, need, op_out, err);
    }
    if (on && input_rel->kind == REL_PROJECT && project_is_pure(input_rel)) {
        return lower_limit_project(context, rel, input_rel, need, op_out, err);
    }
    if (on && input_rel->kind == REL_SORT && limit_is_plain(context, rel)) {
        context->passes_fired |= 1u << PASS_LIMITS;
        return lower_sort(context, input_rel, need, rel, op_out, err);
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, input_rel, need, &input, err));
    return limit_on(context, rel, input, op_out, err);
}

static ErrorCode lower_limit(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    Need below = {.columns = with_filter_columns(context, need), .order = true};
    PlanOp *op = NULL;
    TRY(lower_limit_below(context, rel, rel->inputs[0], &below, &op, err));
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

/* ---- set operations ---- */
ErrorCode lower_all_columns(PlanContext *context, Rel *rel, bool order, PlanOp **op_out, Error *err) {
    Need need = {.columns = idset_new(context), .order = order};
    const Expr **exprs = arena_array(context->arena, const Expr *, rel->column_count + 1);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        idset_add(&need.columns, rel->columns[i].id);
        exprs[i] = plan_expr_column(context, &rel->columns[i]);
    }
    PlanOp *input = NULL;
    TRY(lower_rel(context, rel, &need, &input, err));
    bool same = input->column_count == rel->column_count;
    for (uint32_t i = 0; i < rel->column_count && same; i++) {
        same = input->columns[i].id == rel->columns[i].id;
    }
    if (same) {
        *op_out = input;
        return ERR_OK;
    }
    return lower_project_on(context, input, rel->columns, exprs, rel->column_count, op_out, err);
}

static ErrorCode lower_set_op(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_SET_OP);
    for (size_t i = 0; i < 2; i++) {
        PlanOp *input = NULL;
        TRY(lower_all_columns(context, rel->inputs[i], true, &input, err));
        op->inputs[i] = input;
    }
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.set_op.op = rel->as.set_op.op;
    op->as.set_op.all = rel->as.set_op.all;
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

ErrorCode lower_recurse(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    PlanOp *op = plan_op_new(context, PLAN_RECURSE);
    for (size_t i = 0; i < 2; i++) {
        PlanOp *input = NULL;
        TRY(lower_all_columns(context, rel->inputs[i], true, &input, err));
        op->inputs[i] = input;
    }
    (void)plan_mark_correlated(op->inputs[1]);
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.recurse.working = rel->as.recurse.working;
    op->as.recurse.all = rel->as.recurse.all;
    const Expr **exprs = arena_array(context->arena, const Expr *, rel->column_count + 1u);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        exprs[i] = plan_expr_column(context, &op->inputs[0]->columns[i]);
    }
    TRY(program_build(context, op->inputs[0]->columns, op->inputs[0]->column_count, exprs, rel->column_count, &op->program, err));
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

static ErrorCode lower_once(PlanContext *context, Rel *rel, PlanOnce *once, Error *err) {
    PlanOp *query = NULL;
    TRY(lower_all_columns(context, rel, true, &query, err));
    *once = (PlanOnce){query, context->op_count++};
    return ERR_OK;
}

static ErrorCode lower_working(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    assert(rel->as.working.number < context->working_count);
    PlanOnce *once = &context->once[rel->as.working.number];
    TRY(rel->as.working.query != NULL && once->query == NULL ? lower_once(context, rel->as.working.query, once, err) : ERR_OK);
    PlanOp *op = plan_op_new(context, PLAN_WORKING);
    op->columns = rel->columns;
    op->column_count = rel->column_count;
    op->as.working.number = rel->as.working.number;
    op->as.working.query = once->query;
    op->as.working.keeper = once->keeper;
    return lower_filter_on(context, op, &need->filters, op_out, err);
}

static ErrorCode lower_kind(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    switch ((RelKind)rel->kind) {
    case REL_SCAN:
        return lower_scan(context, rel, need, op_out, err);
    case REL_VALUES:
        return lower_values(context, rel, need, op_out, err);
    case REL_TABLE_CALL:
        return lower_table_call(context, rel, need, op_out, err);
    case REL_FILTER:
        return lower_filter(context, rel, need, op_out, err);
    case REL_PROJECT:
        return lower_project(context, rel, need, op_out, err);
    case REL_JOIN:
        return lower_join(context, rel, need, op_out, err);
    case REL_AGGREGATE:
        return lower_aggregate(context, rel, need, op_out, err);
    case REL_SAMPLE:
        return lower_sample(context, rel, need, op_out, err);
    case REL_LATEST:
        return lower_latest(context, rel, need, op_out, err);
    case REL_SORT:
        return lower_sort(context, rel, need, NULL, op_out, err);
    case REL_LIMIT:
        return lower_limit(context, rel, need, op_out, err);
    case REL_DISTINCT:
        return lower_distinct(context, rel, need, op_out, err);
    case REL_UNION_ALL:
        return lower_union(context, rel, need, op_out, err);
    case REL_SET_OP:
        return lower_set_op(context, rel, need, op_out, err);
    case REL_RECURSE:
        return lower_recurse(context, rel, need, op_out, err);
    case REL_WORKING:
        return lower_working(context, rel, need, op_out, err);
    case REL_WINDOW:
        return lower_window(context, rel, need, op_out, err);
    }
    return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "relation kind %u", rel->kind);
}

ErrorCode lower_rel(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    assert(rel != NULL);
    if (context->op_count >= PLAN_OPS_MAX || context->depth >= PLAN_DEPTH_MAX) {
        return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "query has more than %d operators or is nested deeper than %d", PLAN_OPS_MAX,
                         PLAN_DEPTH_MAX);
    }
    context->depth++;
    ErrorCode code = lower_kind(context, rel, need, op_out, err);
    context->depth--;
    return code;
}

/* ---- the whole plan ---- */
static ErrorCode lower_conflict(PlanContext *context, const BoundStatement *statement, PlanDml *dml, Error *err) {
    const BoundConflict *conflict = statement->conflict;
    dml->conflict = conflict != NULL;
    if (conflict == NULL || !conflict->update) {
        dml->index_id = conflict != NULL ? conflict->index_id : 0;
        return ERR_OK;
    }
    uint32_t count = statement->table->column_count;
    const Expr **exprs = arena_array(context->arena, const Expr *, count + 2u);
    dml->update = true;
    dml->index_id = conflict->index_id;
    dml->has_where = conflict->where != NULL;
    exprs[0] = conflict->where;
    memcpy(exprs + dml->has_where, conflict->set, sizeof *exprs * count);
    return program_build(context, conflict->columns, 2 * count, exprs, count + dml->has_where, &dml->set, err);
}

static ErrorCode lower_dml(PlanContext *context, const BoundStatement *statement, const PlanDml **dml_out, Error *err) {
    *dml_out = NULL;
    if (statement->returning_count == 0 && statement->conflict == NULL && statement->assigned == NULL) {
        return ERR_OK;
    }
    PlanDml *dml = arena_new(context->arena, PlanDml);
    dml->rows = statement->rows;
    dml->row_count = statement->row_count;
    dml->assigned = statement->assigned;
    dml->returned = statement->returning_columns;
    dml->returned_count = statement->returning_count;
    if (statement->returning_count > 0) {
        TRY(program_build(context, statement->rows, statement->row_count, statement->returning, statement->returning_count, &dml->returning, err));
    }
    TRY(lower_conflict(context, statement, dml, err));
    *dml_out = dml;
    return ERR_OK;
}

ErrorCode plan_create(const BoundStatement *statement, const PlanOptions *options, Arena *arena, Plan **plan_out, Error *err) {
    if (statement->rel == NULL) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "statement has no relation to plan");
    }
    PlanContext context = {.arena = arena, .options = options, .working_count = statement->working_count};
    context.once = arena_array(arena, PlanOnce, statement->working_count + 1u);
    PlanOp *root = NULL;
    TRY(lower_all_columns(&context, statement->rel, true, &root, err));
    if (arena->over_limit) {
        return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "planning needs more than %zu bytes", arena->limit_bytes);
    }
    const PlanDml *dml = NULL;
    TRY(lower_dml(&context, statement, &dml, err));
    Plan *plan = arena_new(arena, Plan);
    *plan = (Plan){.root = root, .dml = dml, .op_count = context.op_count, .subquery_count = context.subquery_count,
                   .outer_count = context.outer_count, .working_count = context.working_count, .passes_fired = context.passes_fired};
    *plan_out = plan;
    return ERR_OK;
}

uint32_t plan_column_count(const Plan *plan) {
    return plan->root->column_count;
}


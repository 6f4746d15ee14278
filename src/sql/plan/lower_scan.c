/* SPDX-License-Identifier: Apache-2.0
 * lower_scan.c - a table scan: columns, order, time ranges and one-column filters for storage, the rest as a filter above.
 *
 * Why:        conditions on the designated timestamp become ranges that storage applies exactly, hence leave the filter. Their bounds
 *             are expressions without columns, evaluated when a run opens, so that parameters and now() prune too. */
#include "sql/plan/plan_internal.h"
#include <stdlib.h>

typedef struct ScanLowering {
    PlanContext *context;
    Rel *rel;
    const RelColumn *time;          /* designated timestamp among the relation's columns, or NULL */
    const Expr **constants;         /* outputs of op->constants */
    uint32_t constant_count;
    TimeBound *bounds;
    uint32_t bound_count;
    TimeRanges *ranges;
    uint32_t range_count;
    PlanFilter *filters;
    ColumnId *filter_columns;
    uint16_t filter_count;
    ExprList residual;
    bool may_fail;                  /* some condition so far: later ones must not clear its rows */
} ScanLowering;

static const RelColumn *time_column(const Rel *rel) {
    const TableDef *table = rel->as.scan.table;
    for (uint32_t i = 0; table->designated >= 0 && i < rel->column_count; i++) {
        if (rel->columns[i].table_column == table->designated) {
            return &rel->columns[i];
        }
    }
    return NULL;
}

static bool usable_bound(const Expr *expr) {
    return expr_reads_nothing(expr) && (expr->flags & (EXPR_VOLATILE | EXPR_HAS_SUBQUERY)) == 0;
}

static FilterOp mirrored(FilterOp op) {
    switch (op) {
    case FILTER_LT:
        return FILTER_GT;
    case FILTER_LE:
        return FILTER_GE;
    case FILTER_GT:
        return FILTER_LT;
    case FILTER_GE:
        return FILTER_LE;
    default:
        return op;
    }
}

/* A column, or one of integers that the binder widened to the type of what it is compared with. */
static bool is_index_column(const Expr *expr, ColumnId *id_out) {
    if (expr->kind != EXPR_CALL || expr->arg_count != 1) {
        return expr_is_column(expr, id_out);
    }
    const Expr *inner = expr->args[0];
    bool integers = (inner->type.id == TYPE_INT2 || inner->type.id == TYPE_INT4) && (expr->type.id == TYPE_INT4 || expr->type.id == TYPE_INT8);
    const Cast *cast = integers ? cast_find((TypeId)inner->type.id, (TypeId)expr->type.id) : NULL;
    return cast != NULL && expr->as.call.function == &cast->function && expr_is_column(inner, id_out);
}

/* column op bound, either way round. */
static bool comparison_of(const Expr *expr, bool (*is_column)(const Expr *, ColumnId *), ColumnId *column_out, FilterOp *op_out, const Expr **bound_out) {
    FilterOp op;
    if (!expr_comparison(expr, &op)) {
        return false;
    }
    for (size_t side = 0; side < 2; side++) {
        const Expr *column = expr->args[side];
        const Expr *bound = expr->args[1 - side];
        if (is_column(column, column_out) && usable_bound(bound) && column->type.id == bound->type.id) {
            *op_out = side == 0 ? op : mirrored(op);
            *bound_out = bound;
            return true;
        }
    }
    return false;
}

static bool column_comparison(const Expr *expr, ColumnId *column_out, FilterOp *op_out, const Expr **bound_out) {
    return comparison_of(expr, expr_is_column, column_out, op_out, bound_out);
}

static int compare_ranges(const void *a, const void *b) {
    const KeyRange *x = a;
    const KeyRange *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* ts IN (constants) as point ranges; false if some item is not constant. */
static bool in_list_ranges(PlanContext *context, const Expr *expr, TimeRanges *ranges_out) {
    KeyRange *ranges = arena_array(context->arena, KeyRange, expr->arg_count);
    uint32_t count = 0;
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        Value value;
        if (expr->args[i]->kind == EXPR_CONSTANT) {
            value = expr->args[i]->as.value;
        } else if (!expr_fold(context, expr->args[i], &value)) {
            return false;
        }
        if (!value.is_null) {
            ranges[count++] = (KeyRange){value.as.i64, value.as.i64};
        }
    }
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || ranges[kept - 1].high != ranges[i].low) {
            ranges[kept++] = ranges[i];
        }
    }
    *ranges_out = (TimeRanges){ranges, kept};
    return true;
}

static bool take_time(ScanLowering *s, const Expr *expr) {
    ColumnId column = 0;
    FilterOp op;
    const Expr *bound = NULL;
    if (s->time == NULL) {
        return false;
    }
    bool on_time = expr->arg_count > 0 && expr_is_column(expr->args[0], &column) && column == s->time->id;
    if (expr->kind == EXPR_TIME_IN && on_time) {
        s->ranges[s->range_count++] = (TimeRanges){expr->as.time_in.ranges, expr->as.time_in.range_count};
        return true;
    }
    if (expr->kind == EXPR_IN_LIST && on_time) {
        TimeRanges ranges;
        bool ok = in_list_ranges(s->context, expr, &ranges);
        s->ranges[s->range_count] = ok ? ranges : (TimeRanges){0};
        s->range_count += ok;
        return ok;
    }
    if (!column_comparison(expr, &column, &op, &bound) || column != s->time->id || op == FILTER_NE) {
        return false;
    }
    s->bounds[s->bound_count++] = (TimeBound){.op = (uint8_t)op, .output = s->constant_count};
    s->constants[s->constant_count++] = bound;
    return true;
}

static bool prunable(TypeId type) {
    Physical physical = type_physical(type);
    if (type_category(type) >= CAT_CLOCK && type != TYPE_TIME && type != TYPE_ENUM) { /* unsigned, or with an order that bytes do not have */
        return false;
    }
    return physical != PHYS_BIT && type != TYPE_NUMERIC && type != TYPE_CHAR1 && !type_is_any_array(type) && type != TYPE_INTERVAL && type != TYPE_UUID && type != TYPE_BPCHAR && type != TYPE_FLOAT8_ARRAY &&
           type != TYPE_BYTEA;
}

static const RelColumn *rel_column(const Rel *rel, ColumnId id) {
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (rel->columns[i].id == id) {
            return &rel->columns[i];
        }
    }
    return NULL;
}

/* sym = 'text' with the cast that the binder put on the column. */
static bool symbol_comparison(const Expr *expr, ColumnId *column_out, const Expr **text_out) {
    FilterOp op;
    if (!expr_comparison(expr, &op) || op != FILTER_EQ) {
        return false;
    }
    for (size_t side = 0; side < 2; side++) {
        const Expr *column = expr->args[side];
        const Expr *text = expr->args[1 - side];
        if (column->kind == EXPR_CALL && column->arg_count == 1) {
            column = column->args[0];
        }
        if (column->kind == EXPR_COLUMN && column->type.id == TYPE_SYMBOL && type_is_text((TypeId)text->type.id) &&
            text->type.id != TYPE_BPCHAR && (expr->args[side] == column || type_is_text((TypeId)expr->args[side]->type.id)) && usable_bound(text)) {
            *column_out = column->as.column;
            *text_out = text;
            return true;
        }
    }
    return false;
}

static void note_filter(ScanLowering *s, const Expr *expr) {
    ColumnId id = 0;
    FilterOp op = FILTER_EQ;
    const Expr *bound = NULL;
    bool is_symbol = symbol_comparison(expr, &id, &bound);
    if (!is_symbol && !column_comparison(expr, &id, &op, &bound)) {
        return;
    }
    const RelColumn *column = rel_column(s->rel, id);
    bool fits = column != NULL && column->table_column >= 0 && (bound->flags & EXPR_FAILS) == 0 && (is_symbol || prunable((TypeId)column->type.id));
    if (!fits || s->filter_count == UINT16_MAX || (!is_symbol && column->type.id == TYPE_SYMBOL)) {
        return;
    }
    s->filter_columns[s->filter_count] = id;
    s->filters[s->filter_count++] = (PlanFilter){.op = (uint8_t)op, .prune_only = s->may_fail, .output = s->constant_count};
    s->constants[s->constant_count++] = bound;
}

static void split_filters(ScanLowering *s, const ExprList *filters) {
    Arena *arena = s->context->arena;
    s->constants = arena_array(arena, const Expr *, filters->count + 1);
    s->bounds = arena_array(arena, TimeBound, filters->count + 1);
    s->ranges = arena_array(arena, TimeRanges, filters->count + 1);
    s->filters = arena_array(arena, PlanFilter, filters->count + 1);
    s->filter_columns = arena_array(arena, ColumnId, filters->count + 1);
    for (uint32_t i = 0; i < filters->count; i++) {
        if (!take_time(s, filters->items[i])) {
            note_filter(s, filters->items[i]);
            exprlist_add(s->context, &s->residual, filters->items[i]);
            s->may_fail = s->may_fail || (filters->items[i]->flags & EXPR_FAILS) != 0;
        }
    }
    if (s->range_count + s->bound_count + s->filter_count > 0) {
        s->context->passes_fired |= 1u << PASS_PUSH_FILTERS;
    }
}

static void choose_columns(ScanLowering *s, PlanOp *op, const Need *need) {
    IdSet wanted = idset_copy(s->context, need->columns);
    for (uint32_t i = 0; i < s->residual.count; i++) {
        idset_add_expr(&wanted, s->residual.items[i]);
    }
    for (uint32_t i = 0; i < s->filter_count; i++) {
        idset_add(&wanted, s->filter_columns[i]);
    }
    const Rel *rel = s->rel;
    RelColumn *columns = arena_array(s->context->arena, RelColumn, rel->column_count + 1);
    uint16_t *numbers = arena_array(s->context->arena, uint16_t, rel->column_count + 1);
    const RelColumn *ref = NULL;
    for (uint32_t i = 0; i < rel->column_count; i++) {
        const RelColumn *column = &rel->columns[i];
        bool all = !pass_on(s->context, PASS_DROP_UNUSED);
        if (column->table_column < 0) {
            ref = idset_has(wanted, column->id) ? column : NULL;
        } else if (all || idset_has(wanted, column->id)) {
            numbers[op->column_count] = (uint16_t)column->table_column;
            columns[op->column_count] = *column;
            columns[op->column_count++].symbols = rel->as.scan.table->columns[column->table_column].symbols;
        } else {
            s->context->passes_fired |= 1u << PASS_DROP_UNUSED;
        }
    }
    if (op->column_count == 0 && ref == NULL) { /* count(*): statistics and batches need a column to hang on; it is never decoded */
        uint32_t first = 0;
        while (rel->columns[first].table_column < 0) {
            first++;
        }
        numbers[0] = (uint16_t)rel->columns[first].table_column;
        columns[op->column_count++] = rel->columns[first];
    }
    op->as.scan.numbers = numbers;
    op->as.scan.number_count = (uint16_t)op->column_count;
    if (ref != NULL) {
        op->as.scan.want_refs = true;
        columns[op->column_count++] = *ref;
    }
    op->columns = columns;
}

/* ---- indexes ---- */
enum { IN_PROBES_MAX = 256 };

/* What conditions say of one key column: places in the residual filter, -1 = nothing. */
typedef struct KeyConditions { const Expr *equal, *low, *high; const Expr *in; bool low_open, high_open; } KeyConditions;

static bool same_kind(Type column, Type bound) {
    bool scaled = column.id == TYPE_DECIMAL8 || column.id == TYPE_DECIMAL16;
    return column.id == bound.id && (!scaled || column.scale == bound.scale);
}

static bool usable_list(const Expr *expr, ColumnId id) {
    ColumnId column = 0;
    bool fits = expr->kind == EXPR_IN_LIST && expr->arg_count > 1 && expr->arg_count <= IN_PROBES_MAX + 1 && expr_is_column(expr->args[0], &column) && column == id;
    for (uint32_t i = 1; i < expr->arg_count && fits; i++) {
        fits = usable_bound(expr->args[i]) && (expr->args[i]->flags & EXPR_FAILS) == 0 && same_kind(expr->args[0]->type, expr->args[i]->type);
    }
    return fits;
}

static void note_condition(const Expr *expr, ColumnId id, KeyConditions *out) {
    ColumnId column = 0;
    FilterOp op = FILTER_EQ;
    const Expr *bound = NULL;
    if (usable_list(expr, id)) {
        out->in = out->in == NULL ? expr : out->in;
        return;
    }
    if (!comparison_of(expr, is_index_column, &column, &op, &bound) || column != id || (bound->flags & EXPR_FAILS) != 0) {
        return;
    }
    const Expr *key = expr->args[0] == bound ? expr->args[1] : expr->args[0];
    if (!same_kind(key->type, bound->type)) {
        return;
    }
    if (op == FILTER_EQ && out->equal == NULL) {
        out->equal = bound;
    } else if ((op == FILTER_GT || op == FILTER_GE) && out->low == NULL) {
        out->low = bound;
        out->low_open = op == FILTER_GT;
    } else if ((op == FILTER_LT || op == FILTER_LE) && out->high == NULL) {
        out->high = bound;
        out->high_open = op == FILTER_LT;
    }
}

static KeyConditions conditions_of(const ScanLowering *s, const TableDef *table, uint32_t column_id) {
    KeyConditions out = {0};
    int number = table_column_by_id(table, column_id);
    bool may_fail = false;
    for (uint32_t i = 0; i < s->rel->column_count; i++) {
        const RelColumn *column = &s->rel->columns[i];
        if (number < 0 || column->table_column != number || column->type.id == TYPE_SYMBOL || column->type.id == TYPE_BPCHAR) {
            continue;
        }
        for (uint32_t f = 0; f < s->residual.count && !may_fail; f++) { /* a condition that fails stops those behind it */
            note_condition(s->residual.items[f], column->id, &out);
            may_fail = (s->residual.items[f]->flags & EXPR_FAILS) != 0;
        }
    }
    return out;
}

typedef struct IndexChoice { const IndexDef *index; uint16_t equal_count; bool whole_unique, ranged, list; } IndexChoice;

/* All keys of a unique index, else most keys by equality, else a range of the first key. */
static bool better(const IndexChoice *a, const IndexChoice *b) {
    if (b->index == NULL || a->whole_unique != b->whole_unique) {
        return b->index == NULL || a->whole_unique;
    }
    if (a->equal_count != b->equal_count) {
        return a->equal_count > b->equal_count;
    }
    return a->ranged != b->ranged ? a->ranged : !a->list && b->list;
}

static IndexChoice look_at_index(const ScanLowering *s, const TableDef *table, const IndexDef *index) {
    IndexChoice choice = {.index = index};
    for (uint16_t k = 0; k < index->key_count; k++) {
        KeyConditions key = conditions_of(s, table, index->keys[k].column_id);
        if (index->keys[k].text.len > 0 || (key.equal == NULL && key.in == NULL)) {
            choice.ranged = index->keys[k].text.len == 0 && (key.low != NULL || key.high != NULL);
            break;
        }
        choice.equal_count++;
        if (key.equal == NULL) { /* a list ends the leading keys */
            choice.list = true;
            break;
        }
    }
    choice.whole_unique = index->is_unique && choice.equal_count == index->key_count;
    return choice;
}

static uint32_t add_constant(ScanLowering *s, const Expr *expr) {
    s->constants[s->constant_count] = expr;
    return s->constant_count++;
}

static const PlanIndex *make_index(ScanLowering *s, const TableDef *table, const IndexChoice *choice) {
    Arena *arena = s->context->arena;
    PlanIndex *plan = arena_new(arena, PlanIndex);
    uint32_t *equal = arena_array(arena, uint32_t, choice->equal_count + 1u);
    uint8_t *types = arena_array(arena, uint8_t, choice->equal_count + 1u);
    const Expr **constants = arena_array(arena, const Expr *, s->constant_count + choice->equal_count + (choice->list ? IN_PROBES_MAX : 0) + 2u);
    memcpy(constants, s->constants, sizeof *constants * s->constant_count);
    s->constants = constants;
    *plan = (PlanIndex){.index = choice->index, .equal_count = choice->equal_count, .equal = equal, .types = types};
    for (uint16_t k = 0; k <= choice->equal_count && k < choice->index->key_count; k++) {
        int number = table_column_by_id(table, choice->index->keys[k].column_id);
        types[k] = number < 0 ? (uint8_t)TYPE_UNKNOWN : table->columns[number].type.id;
    }
    for (uint16_t k = 0; k < choice->equal_count; k++) {
        KeyConditions key = conditions_of(s, table, choice->index->keys[k].column_id);
        if (key.equal != NULL) {
            equal[k] = add_constant(s, key.equal);
            continue;
        }
        uint32_t *in = arena_array(arena, uint32_t, key.in->arg_count);
        for (uint32_t i = 1; i < key.in->arg_count; i++) {
            in[plan->in_count++] = add_constant(s, key.in->args[i]);
        }
        plan->in = in;
    }
    if (choice->ranged && choice->equal_count < choice->index->key_count) {
        KeyConditions key = conditions_of(s, table, choice->index->keys[choice->equal_count].column_id);
        plan->has_low = key.low != NULL;
        plan->has_high = key.high != NULL;
        plan->low_open = key.low_open;
        plan->high_open = key.high_open;
        plan->low = plan->has_low ? add_constant(s, key.low) : 0;
        plan->high = plan->has_high ? add_constant(s, key.high) : 0;
    }
    return plan;
}

static const PlanIndex *choose_index(ScanLowering *s, const Need *need) {
    const TableDef *table = s->rel->as.scan.table;
    IndexChoice best = {0};
    bool time_order = need->order && table->designated >= 0;
    if (!pass_on(s->context, PASS_INDEX_USE) || time_order || s->bound_count + s->range_count > 0 || s->residual.count == 0) {
        return NULL;
    }
    for (uint16_t i = 0; i < table->index_count; i++) {
        const IndexDef *index = &table->indexes[i];
        IndexChoice choice = look_at_index(s, table, index);
        bool usable = index->predicate_column_id == 0 && (choice.equal_count > 0 || choice.ranged);
        if (usable && better(&choice, &best)) {
            best = choice;
        }
    }
    if (best.index == NULL) {
        return NULL;
    }
    s->context->passes_fired |= 1u << PASS_INDEX_USE;
    return make_index(s, table, &best);
}

ErrorCode lower_scan(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err) {
    bool done = false;
    TRY(lower_probe(context, rel, need, &done, op_out, err));
    if (done) {
        return ERR_OK;
    }
    ScanLowering s = {.context = context, .rel = rel, .time = time_column(rel)};
    split_filters(&s, &need->filters);
    PlanOp *op = plan_op_new(context, PLAN_SCAN);
    choose_columns(&s, op, need);
    op->as.scan.table = rel->as.scan.table;
    op->as.scan.order = (uint8_t)(!need->order ? SCAN_ANY : need->descending ? SCAN_DESCENDING : SCAN_ASCENDING);
    op->as.scan.bounds = s.bounds;
    op->as.scan.bound_count = s.bound_count;
    op->as.scan.ranges = s.ranges;
    op->as.scan.range_count = s.range_count;
    op->as.scan.filters = s.filters;
    op->as.scan.filter_count = s.filter_count;
    op->as.scan.residual = s.residual.count > 0;
    op->as.scan.index = choose_index(&s, need);
    for (uint16_t i = 0; i < s.filter_count; i++) {
        s.filters[i].column = (uint16_t)plan_column_position(op, s.filter_columns[i]);
    }
    if (need->order && s.time != NULL && plan_column_position(op, s.time->id) >= 0) {
        op->order_column = s.time->id;
        op->order_descending = need->descending;
    }
    TRY(program_build(context, NULL, 0, s.constants, s.constant_count, &op->constants, err));
    TRY(lower_filter_on(context, op, &s.residual, op_out, err));
    if (*op_out != op) {
        (*op_out)->as.filter.pushed = s.filter_count == s.residual.count && !s.may_fail;
    }
    return ERR_OK;
}

/* Whether asking for the reverse order of `column` can be passed down to a scan. */
bool rel_can_reverse(const Rel *rel, ColumnId column) {
    switch ((RelKind)rel->kind) {
    case REL_SCAN: {
        const RelColumn *time = time_column(rel);
        return time != NULL && time->id == column;
    }
    case REL_FILTER:
        return rel_can_reverse(rel->inputs[0], column);
    case REL_PROJECT:
        for (uint32_t i = 0; i < rel->column_count; i++) {
            ColumnId id = 0;
            if (rel->columns[i].id == column) {
                return expr_is_column(rel->as.project.exprs[i], &id) && rel_can_reverse(rel->inputs[0], id);
            }
        }
        return false;
    default:
        return false;
    }
}

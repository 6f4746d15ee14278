/* SPDX-License-Identifier: Apache-2.0
 * bind_window.c - window functions: calls with OVER, WINDOW definitions, frames; one relation for the calls of one partition and order.
 *
 * Why:   a call becomes a column of a relation above the grouping, so its parts are bound over the input, rewritten over the groups with
 *        the rest of the select list, and computed before the projection. Offsets of RANGE become two expressions a row, the values that
 *        bound the order key: the executor needs no arithmetic of types.
 * Tests: test/sql/window.slt */
#include "sql/bind/bind_internal.h"

typedef struct WindowName { Str name; uint8_t kind, least, most; } WindowName;
static const WindowName window_names[] = {
    {{"row_number", 10}, WINDOW_ROW_NUMBER, 0, 0}, {{"rank", 4}, WINDOW_RANK, 0, 0}, {{"dense_rank", 10}, WINDOW_DENSE_RANK, 0, 0},
    {{"percent_rank", 12}, WINDOW_PERCENT_RANK, 0, 0}, {{"cume_dist", 9}, WINDOW_CUME_DIST, 0, 0}, {{"ntile", 5}, WINDOW_NTILE, 1, 1},
    {{"lag", 3}, WINDOW_LAG, 1, 3}, {{"lead", 4}, WINDOW_LEAD, 1, 3}, {{"first_value", 11}, WINDOW_FIRST_VALUE, 1, 1},
    {{"last_value", 10}, WINDOW_LAST_VALUE, 1, 1}, {{"nth_value", 9}, WINDOW_NTH_VALUE, 2, 2},
};

static const WindowName *find_window(Str name) {
    for (size_t i = 0; i < COUNT_OF(window_names); i++) {
        if (str_equal_ignore_case(name, window_names[i].name)) {
            return &window_names[i];
        }
    }
    return NULL;
}

bool is_window_only(Str name) {
    return find_window(name) != NULL;
}

bool is_window_column(const SelectState *s, ColumnId id) {
    for (uint32_t i = 0; i < s->windows.count; i++) {
        if (s->windows.items[i].id == id) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- definitions */

static ErrorCode named_window(Binder *b, const WindowState *state, const AstName *name, const AstWindow **window_out) {
    for (uint32_t i = 0; i < state->select->window_count; i++) {
        if (name_same(name, state->select->windows[i].name->text)) {
            *window_out = &state->select->windows[i];
            return ERR_OK;
        }
    }
    return error_set(b->err, ERR_UNDEFINED_OBJECT, name->span.at, "window \"%.*s\" does not exist", STR_ARG(name->text));
}

/* OVER w, OVER (w ORDER BY ...): partition and order come from the named window where this one has none. */
static ErrorCode resolve_window(Binder *b, const WindowState *state, const AstWindow *over, int depth, AstWindow *window_out) {
    const AstName *base = over->base != NULL ? over->base : over->partition_count + over->order_count == 0 && depth == 0 ? over->name : NULL;
    *window_out = *over;
    if (base == NULL) {
        return ERR_OK;
    }
    const AstWindow *named = NULL;
    AstWindow inner;
    TRY(named_window(b, state, base, &named));
    bool later = named >= over && over >= state->select->windows && over < state->select->windows + state->select->window_count;
    if (depth > 100 || later) { /* a window may only stand on one in front of it */
        return error_set(b->err, ERR_UNDEFINED_OBJECT, base->span.at, "window \"%.*s\" does not exist", STR_ARG(base->text));
    }
    TRY(resolve_window(b, state, named, depth + 1, &inner));
    if (over->base == NULL) {
        *window_out = inner;
        return ERR_OK;
    }
    if (over->partition_count > 0) {
        return error_set(b->err, ERR_WINDOWING, over->span.at, "cannot override PARTITION BY clause of window \"%.*s\"", STR_ARG(base->text));
    }
    if (over->order_count > 0 && inner.order_count > 0) {
        return error_set(b->err, ERR_WINDOWING, over->span.at, "cannot override ORDER BY clause of window \"%.*s\"", STR_ARG(base->text));
    }
    if (inner.frame != AST_FRAME_NONE) {
        return error_set(b->err, ERR_WINDOWING, over->span.at, "cannot copy window \"%.*s\" because it has a frame clause", STR_ARG(base->text));
    }
    window_out->partition_by = inner.partition_by;
    window_out->partition_count = inner.partition_count;
    if (over->order_count == 0) {
        window_out->order_by = inner.order_by;
        window_out->order_count = inner.order_count;
    }
    return ERR_OK;
}

static ErrorCode bind_definition(Binder *b, Scope *scope, const AstWindow *window, WindowItem *item) {
    TRY(bind_exprs(b, scope, window->partition_by, window->partition_count, &item->partition));
    item->partition_count = window->partition_count;
    item->order = arena_array(b->arena, SortKey, window->order_count + 1);
    item->order_count = window->order_count;
    for (uint32_t i = 0; i < window->partition_count; i++) {
        TRY(coerce_known(b, item->partition[i], &item->partition[i]));
    }
    for (uint32_t i = 0; i < window->order_count; i++) {
        const Expr *expr = NULL;
        TRY(check_sort_key(b, &window->order_by[i]));
        TRY(bind_expr(b, scope, window->order_by[i].expr, &expr));
        TRY(coerce_known(b, expr, &expr));
        item->order[i] = sort_key(b, &window->order_by[i], expr);
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- frames */

static ErrorCode check_edges(Binder *b, const AstWindow *window) {
    int64_t at = window->span.at;
    int start = window->start.kind;
    int end = window->end.kind;
    const char *what = NULL;
    if (start == AST_UNBOUNDED_FOLLOWING) {
        what = "frame start cannot be UNBOUNDED FOLLOWING";
    } else if (end == AST_UNBOUNDED_PRECEDING) {
        what = "frame end cannot be UNBOUNDED PRECEDING";
    } else if (start == AST_CURRENT_ROW && end == AST_PRECEDING) {
        what = "frame starting from current row cannot have preceding rows";
    } else if (start == AST_FOLLOWING && (end == AST_CURRENT_ROW || end == AST_PRECEDING)) {
        what = "frame starting from following row cannot have preceding rows";
    } else if (window->frame == AST_FRAME_GROUPS && window->order_count == 0) {
        what = "GROUPS mode requires an ORDER BY clause";
    }
    return what == NULL ? ERR_OK : error_set(b->err, ERR_WINDOWING, at, "%s", what);
}

static bool is_float(TypeId id) {
    return id == TYPE_FLOAT4 || id == TYPE_FLOAT8;
}

/* Numbers of one kind, or a time and an interval. */
static ErrorCode check_range_types(Binder *b, const Expr *key, const Expr *offset, int64_t position) {
    TypeId k = (TypeId)key->type.id, o = (TypeId)offset->type.id;
    TypeCategory category = type_category(k);
    if (category != CAT_NUMBER && category != CAT_TIME && category != CAT_CLOCK && category != CAT_INTERVAL) {
        return error_set(b->err, ERR_NOT_SUPPORTED, position, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %.*s",
                         STR_ARG(type_name(b, key->type)));
    }
    bool fits = category != CAT_NUMBER ? o == TYPE_INTERVAL : type_is_integer(k) ? type_is_integer(o) : type_category(o) == CAT_NUMBER && (is_float(k) || !is_float(o));
    return fits ? ERR_OK
                : error_set(b->err, ERR_NOT_SUPPORTED, position,
                            "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %.*s and offset type %.*s",
                            STR_ARG(type_name(b, key->type)), STR_ARG(type_name(b, offset->type)));
}

/* Values of its type can be infinite, and it is no constant that is not. */
static bool may_be_infinite(const Expr *expr) {
    const Value *value = &expr->as.value;
    bool known = expr->kind == EXPR_CONSTANT && !value->is_null;
    float narrow = 0;
    switch ((TypeId)expr->type.id) {
    case TYPE_FLOAT4: memcpy(&narrow, value->as.bytes, sizeof narrow); return !known || narrow - narrow != 0;
    case TYPE_FLOAT8: return !known || value->as.f64 - value->as.f64 != 0;
    case TYPE_NUMERIC: return !known || value->as.numeric.kind != NUMERIC_FINITE;
    case TYPE_INTERVAL: return !known || interval_is_infinite(value->as.interval) != 0;
    default: return false;
    }
}

/* A time of day, or what of an interval is added to one, in microseconds. */
static ErrorCode clock_micros(Binder *b, const Expr *value, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = value;
    return call_function(b, STR("frame clock"), args, 1, value->position, true, expr_out);
}

static ErrorCode infinite(Binder *b, Type type, bool negative, int64_t position, const Expr **expr_out) {
    return coerce(b, expr_text(b, negative ? STR("-infinity") : STR("infinity"), TYPE_UNKNOWN, position), type, CAST_EXPLICIT, expr_out);
}

/* What lies infinitely far before infinity is not defined: as in PostgreSQL the frame begins, or ends, with the infinite value on its side. */
static ErrorCode around_infinity(Binder *b, const Expr *key, const Expr *offset, bool minus, bool low, const Expr **bound) {
    int64_t position = (*bound)->position;
    const Expr **parts = arena_array(b->arena, const Expr *, 3), **tests = arena_array(b->arena, const Expr *, 2);
    const Expr *far = NULL;
    TRY(infinite(b, key->type, !minus, position, &far));
    TRY(bind_operator(b, STR("="), key, far, position, &tests[0]));
    TRY(infinite(b, offset->type, false, position, &far));
    TRY(bind_operator(b, STR("="), offset, far, position, &tests[1]));
    TRY(expr_nary(b, EXPR_AND, type_of(TYPE_BOOL), tests, 2, position, &parts[0]));
    TRY(infinite(b, (*bound)->type, low, position, &parts[1]));
    parts[2] = *bound;
    return expr_nary(b, EXPR_CASE, (*bound)->type, parts, 3, position, bound);
}

/* The value that the order key is compared with: key - offset, key + offset, the other way round in descending order. */
static ErrorCode range_bound(Binder *b, Scope *scope, const WindowItem *item, const AstFrameBound *bound, bool end, const Expr **bound_out, const Expr **key_out) {
    const SortKey *key = &item->order[0];
    bool minus = (bound->kind == AST_PRECEDING) != key->descending, whole = type_is_integer((TypeId)key->expr->type.id);
    int64_t position = bound->offset->span.at;
    const Expr *offset = NULL, **checked = arena_array(b->arena, const Expr *, 1);
    TRY(bind_expr(b, scope, bound->offset, &offset));
    if (offset->type.id == TYPE_UNKNOWN) { /* RANGE '1 day' PRECEDING */
        bool time = type_category((TypeId)key->expr->type.id) != CAT_NUMBER;
        TRY(coerce(b, offset, time ? type_of(TYPE_INTERVAL) : key->expr->type, CAST_IMPLICIT, &offset));
    }
    TRY(check_range_types(b, key->expr, offset, position));
    bool infinite_too = may_be_infinite(offset) && key->expr->type.id != TYPE_DECIMAL8 && key->expr->type.id != TYPE_DECIMAL16;
    checked[0] = offset;
    TRY(call_function(b, end ? STR("frame end") : STR("frame start"), checked, 1, position, true, &offset));
    const Expr *value = key->expr;
    bool clock = type_category((TypeId)value->type.id) == CAT_CLOCK;
    if (clock) {
        TRY(clock_micros(b, value, &value));
        TRY(clock_micros(b, offset, &offset));
    } else if (is_float((TypeId)value->type.id)) { /* both bounds are of one type */
        TRY(coerce(b, value, type_of(TYPE_FLOAT8), CAST_IMPLICIT, &value));
        TRY(coerce(b, offset, type_of(TYPE_FLOAT8), CAST_IMPLICIT, &offset));
    }
    if (whole || clock) { /* a sum past the type's end is no error */
        const Expr **pair = arena_array(b->arena, const Expr *, 2);
        TRY(coerce(b, value, type_of(TYPE_INT8), CAST_IMPLICIT, &pair[0]));
        TRY(coerce(b, offset, type_of(TYPE_INT8), CAST_IMPLICIT, &pair[1]));
        TRY(call_function(b, minus ? STR("frame minus") : STR("frame plus"), pair, 2, position, true, bound_out));
    } else {
        TRY(bind_operator(b, minus ? STR("-") : STR("+"), value, offset, position, bound_out));
        TRY(!infinite_too ? ERR_OK : around_infinity(b, value, offset, minus, end == key->descending, bound_out));
    }
    return coerce(b, value, (*bound_out)->type, CAST_ASSIGNMENT, key_out);
}

static ErrorCode frame_offset(Binder *b, Scope *scope, const AstWindow *window, const AstFrameBound *bound, const Expr **expr_out) {
    TRY(bind_expr(b, scope, bound->offset, expr_out));
    if (expr_has_column(*expr_out)) {
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, bound->offset->span.at, "argument of %s must not contain variables",
                         window->frame == AST_FRAME_ROWS ? "ROWS" : "GROUPS");
    }
    return coerce(b, *expr_out, type_of(TYPE_INT8), CAST_ASSIGNMENT, expr_out);
}

static bool has_offset(const AstFrameBound *bound) {
    return bound->kind == AST_PRECEDING || bound->kind == AST_FOLLOWING;
}

static ErrorCode bind_edge(Binder *b, Scope *scope, const AstWindow *window, const AstFrameBound *bound, bool end, WindowItem *item, const Expr **expr_out) {
    if (!has_offset(bound)) {
        return ERR_OK;
    }
    if (bound->unit.len > 0) {
        return not_supported(b, window->span.at, "a window frame in units of time");
    }
    if (window->frame != AST_FRAME_RANGE) {
        return frame_offset(b, scope, window, bound, expr_out);
    }
    if (item->order_count != 1) {
        return error_set(b->err, ERR_WINDOWING, window->span.at, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column");
    }
    return range_bound(b, scope, item, bound, end, expr_out, &item->expr.frame.key);
}

static ErrorCode bind_frame(Binder *b, Scope *scope, const AstWindow *window, WindowItem *item) {
    WindowFrame *frame = &item->expr.frame;
    *frame = (WindowFrame){.mode = FRAME_RANGE, .start = EDGE_UNBOUNDED_PRECEDING, .end = window->order_count > 0 ? EDGE_CURRENT : EDGE_UNBOUNDED_FOLLOWING};
    if (window->frame == AST_FRAME_NONE) {
        return ERR_OK;
    }
    if (window->frame == AST_FRAME_CUMULATIVE) {
        frame->mode = FRAME_ROWS;
        frame->end = EDGE_CURRENT;
        return ERR_OK;
    }
    TRY(check_edges(b, window));
    frame->mode = window->frame == AST_FRAME_ROWS ? FRAME_ROWS : window->frame == AST_FRAME_GROUPS ? FRAME_GROUPS : FRAME_RANGE;
    frame->start = (uint8_t)window->start.kind;
    frame->end = (uint8_t)window->end.kind;
    frame->exclude = window->exclude == AST_EXCLUDE_CURRENT_ROW ? FRAME_EXCLUDE_ROW
                     : window->exclude == AST_EXCLUDE_GROUP     ? FRAME_EXCLUDE_GROUP
                     : window->exclude == AST_EXCLUDE_TIES      ? FRAME_EXCLUDE_TIES
                                                                : FRAME_EXCLUDE_NONE;
    TRY(bind_edge(b, scope, window, &window->start, false, item, &frame->start_offset));
    return bind_edge(b, scope, window, &window->end, true, item, &frame->end_offset);
}

/* ---------------------------------------------------------------- calls */

static ErrorCode value_arguments(Binder *b, const WindowName *row, const Expr **args, uint32_t count, Type *type_out) {
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->type.id == TYPE_SYMBOL) {
            TRY(coerce(b, args[i], type_of(TYPE_TEXT), CAST_IMPLICIT, &args[i]));
        }
    }
    if (row->kind == WINDOW_NTILE) {
        return coerce(b, args[0], type_of(TYPE_INT4), CAST_IMPLICIT, &args[0]);
    }
    TRY(coerce_known(b, args[0], &args[0]));
    if (count > 1) {
        TRY(coerce(b, args[1], type_of(TYPE_INT4), CAST_IMPLICIT, &args[1]));
    }
    *type_out = args[0]->type;
    if (count > 2) {
        const Expr *pair[2] = {args[0], args[2]};
        TRY(common_type(b, pair, 2, "lag", type_out));
        TRY(coerce(b, args[0], *type_out, CAST_IMPLICIT, &args[0]));
        return coerce(b, args[2], *type_out, CAST_IMPLICIT, &args[2]);
    }
    return ERR_OK;
}

static ErrorCode window_function(Binder *b, const WindowName *row, const Expr **args, uint32_t count, int64_t position, WindowExpr *expr) {
    static const uint8_t types[] = {[WINDOW_ROW_NUMBER] = TYPE_INT8, [WINDOW_RANK] = TYPE_INT8, [WINDOW_DENSE_RANK] = TYPE_INT8,
                                    [WINDOW_PERCENT_RANK] = TYPE_FLOAT8, [WINDOW_CUME_DIST] = TYPE_FLOAT8, [WINDOW_NTILE] = TYPE_INT4};
    if (count < row->least || count > row->most) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "%.*s takes %u to %u arguments", STR_ARG(row->name), row->least, row->most);
    }
    expr->kind = row->kind;
    if (row->kind <= WINDOW_NTILE) {
        expr->call.type = type_of((TypeId)types[row->kind]);
    }
    return count > 0 ? value_arguments(b, row, args, count, &expr->call.type) : ERR_OK;
}

static ErrorCode window_aggregate(Binder *b, const AstExpr *ast, Str name, const Expr **args, uint32_t count, WindowExpr *expr) {
    const AstCall *call = ast->as.call;
    if (!call->star && !is_aggregate_name(name)) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->span.at, "OVER specified, but %.*s is not a window function nor an aggregate function", STR_ARG(name));
    }
    if (call->distinct) {
        return not_supported(b, ast->span.at, "DISTINCT in a window function");
    }
    TRY(find_aggregate(b, name, args, count, ast->span.at, &expr->call.aggregate, &expr->call.type));
    expr->call.symbols = count > 0 ? expr_symbols(b, args[0]) : NULL;
    return ERR_OK;
}

static ErrorCode bind_parts(Binder *b, Scope *scope, const AstExpr *ast, Str name, const Expr **args, uint32_t count, const WindowState *state, WindowItem *item) {
    const AstCall *call = ast->as.call;
    const WindowName *row = find_window(name);
    AstWindow window;
    if (call->filter != NULL && row != NULL) {
        return error_set(b->err, ERR_NOT_SUPPORTED, ast->span.at, "FILTER is not implemented for non-aggregate window functions");
    }
    if (call->filter != NULL) {
        AggregateState *aggregates = scope->aggregates;
        scope->aggregates = NULL;
        ErrorCode code = bind_condition(b, scope, call->filter, "FILTER", &item->expr.call.filter);
        scope->aggregates = aggregates;
        TRY(code);
    }
    if (row != NULL) {
        TRY(window_function(b, row, args, count, ast->span.at, &item->expr));
    } else {
        TRY(window_aggregate(b, ast, name, args, count, &item->expr));
    }
    item->expr.call.args = args;
    item->expr.call.arg_count = (uint16_t)count;
    TRY(resolve_window(b, state, call->over, 0, &window));
    TRY(bind_definition(b, scope, &window, item));
    return bind_frame(b, scope, &window, item);
}

static bool same_definition(const WindowItem *a, const WindowItem *c);

static bool same_call(const WindowItem *a, const WindowItem *c) {
    const WindowFrame *f = &a->expr.frame;
    const WindowFrame *g = &c->expr.frame;
    bool frames = f->mode == g->mode && f->start == g->start && f->end == g->end && f->exclude == g->exclude && f->start_offset == g->start_offset &&
                  f->end_offset == g->end_offset && f->key == g->key;
    return frames && a->expr.kind == c->expr.kind && a->expr.call.aggregate == c->expr.call.aggregate && a->expr.call.filter == c->expr.call.filter &&
           a->expr.call.arg_count == c->expr.call.arg_count && type_equal(a->expr.call.type, c->expr.call.type) && same_definition(a, c) &&
           (a->expr.call.arg_count == 0 || memcmp(a->expr.call.args, c->expr.call.args, a->expr.call.arg_count * sizeof(const Expr *)) == 0);
}

/* The same call is computed once. */
static const Expr *window_add(Binder *b, WindowState *state, WindowItem item, int64_t position) {
    for (uint32_t i = 0; i < state->count; i++) {
        if (same_call(&state->items[i], &item)) {
            return expr_column(b, state->items[i].id, item.expr.call.type, position);
        }
    }
    if (state->count == state->capacity) {
        state->capacity = state->capacity == 0 ? 8 : state->capacity * 2;
        WindowItem *items = arena_array(b->arena, WindowItem, state->capacity);
        if (state->count > 0) {
            memcpy(items, state->items, state->count * sizeof *items);
        }
        state->items = items;
    }
    item.id = column_new(b, item.expr.call.type.id == TYPE_SYMBOL ? item.expr.call.symbols : NULL);
    state->items[state->count++] = item;
    return expr_column(b, item.id, item.expr.call.type, position);
}

/* json_agg and its kin: windows of array_agg over their arguments, and what makes json of the arrays. */
static ErrorCode bind_json_window(Binder *b, Scope *scope, const AstExpr *ast, Str name, const Expr **args, WindowState *state, const Expr **expr_out) {
    const AggregateCallAst call = {.name = name, .args = ast->args, .arg_count = ast->arg_count, .position = ast->span.at};
    const Expr **arrays = arena_array(b->arena, const Expr *, ast->arg_count + 1);
    TRY(json_aggregate_arguments(b, &call, args));
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        WindowItem item = {0};
        const Expr **one = arena_array(b->arena, const Expr *, 1);
        one[0] = args[i];
        TRY(bind_parts(b, scope, ast, STR("array_agg"), one, 1, state, &item));
        arrays[i] = window_add(b, state, item, ast->span.at);
    }
    return json_aggregate_result(b, &call, args[0], arrays, expr_out);
}

static ErrorCode bind_in_state(Binder *b, Scope *scope, const AstExpr *ast, WindowState *state, const Expr **expr_out) {
    const AstCall *call = ast->as.call;
    Str name = call->name.parts[call->name.count - 1].text;
    const Expr **args = NULL;
    TRY(bind_exprs(b, scope, ast->args, ast->arg_count, &args));
    if (is_json_aggregate(name)) {
        return bind_json_window(b, scope, ast, name, args, state, expr_out);
    }
    WindowItem item = {0};
    TRY(bind_parts(b, scope, ast, name, args, ast->arg_count, state, &item));
    *expr_out = window_add(b, state, item, ast->span.at);
    return ERR_OK;
}

ErrorCode bind_window_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    WindowState *state = scope->windows;
    if (scope->inside_aggregate) {
        return error_set(b->err, ERR_GROUPING, ast->span.at, "aggregate function calls cannot contain window function calls");
    }
    if (state == NULL) {
        return error_set(b->err, ERR_WINDOWING, ast->span.at, "window functions are not allowed in %s", scope->clause != NULL ? scope->clause : "this place");
    }
    SrfState *srfs = scope->srfs;
    const char *clause = scope->clause;
    scope->windows = NULL;
    scope->srfs = NULL; /* windows are computed before what makes rows of a row */
    scope->clause = "window definitions";
    ErrorCode code = bind_in_state(b, scope, ast, state, expr_out);
    scope->windows = state;
    scope->srfs = srfs;
    scope->clause = clause;
    return code;
}

/* ---------------------------------------------------------------- over groups, into relations */

static ErrorCode regroup_list(Binder *b, SelectState *s, const Expr **items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TRY(regroup(b, s, items[i], &items[i]));
    }
    return ERR_OK;
}

static ErrorCode regroup_maybe(Binder *b, SelectState *s, const Expr **expr) {
    return *expr != NULL ? regroup(b, s, *expr, expr) : ERR_OK;
}

ErrorCode regroup_windows(Binder *b, SelectState *s) {
    for (uint32_t i = 0; i < s->windows.count; i++) {
        WindowItem *item = &s->windows.items[i];
        TRY(regroup_list(b, s, (const Expr **)(uintptr_t)item->expr.call.args, item->expr.call.arg_count));
        TRY(regroup_list(b, s, item->partition, item->partition_count));
        for (uint32_t k = 0; k < item->order_count; k++) {
            TRY(regroup(b, s, item->order[k].expr, &item->order[k].expr));
        }
        TRY(regroup_maybe(b, s, &item->expr.call.filter));
        TRY(regroup_maybe(b, s, &item->expr.frame.start_offset));
        TRY(regroup_maybe(b, s, &item->expr.frame.end_offset));
        TRY(regroup_maybe(b, s, &item->expr.frame.key));
    }
    return ERR_OK;
}

static bool same_definition(const WindowItem *a, const WindowItem *c) {
    if (a->partition_count != c->partition_count || a->order_count != c->order_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->partition_count; i++) {
        if (a->partition[i] != c->partition[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->order_count; i++) {
        const SortKey *x = &a->order[i];
        const SortKey *y = &c->order[i];
        if (x->expr != y->expr || x->descending != y->descending || x->nulls_first != y->nulls_first) {
            return false;
        }
    }
    return true;
}

static ErrorCode sorted_for(Binder *b, const WindowItem *item, Rel *input, Rel **rel_out) {
    *rel_out = input;
    uint32_t count = item->partition_count + item->order_count;
    if (count == 0) {
        return ERR_OK;
    }
    SortKey *keys = arena_array(b->arena, SortKey, count);
    for (uint32_t i = 0; i < item->partition_count; i++) {
        keys[i] = (SortKey){.expr = item->partition[i]};
    }
    memcpy(keys + item->partition_count, item->order, item->order_count * sizeof *keys);
    TRY(rel_like(b, REL_SORT, input, rel_out));
    (*rel_out)->as.sort.keys = keys;
    (*rel_out)->as.sort.key_count = (uint16_t)count;
    (*rel_out)->order_column = 0;
    return ERR_OK;
}

/* Item `first` and all later ones of its definition that are not taken yet. */
static ErrorCode window_rel(Binder *b, SelectState *s, uint32_t first, bool *taken) {
    const WindowState *state = &s->windows;
    Rel *input = NULL;
    TRY(sorted_for(b, &state->items[first], s->rel, &input));
    WindowExpr *items = arena_array(b->arena, WindowExpr, state->count - first);
    ColumnId *ids = arena_array(b->arena, ColumnId, state->count - first);
    uint32_t count = 0;
    for (uint32_t i = first; i < state->count; i++) {
        if (!taken[i] && same_definition(&state->items[first], &state->items[i])) {
            ids[count] = state->items[i].id;
            items[count++] = state->items[i].expr;
            taken[i] = true;
        }
    }
    Rel *rel = NULL;
    TRY(rel_new(b, REL_WINDOW, input->column_count + count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    memcpy(columns, input->columns, input->column_count * sizeof *columns);
    for (uint32_t i = 0; i < count; i++) {
        columns[input->column_count + i] = (RelColumn){.id = ids[i], .type = items[i].call.type, .name = STR("window"), .table_column = -1,
                                                       .symbols = b->column_symbols[ids[i]]};
    }
    rel->inputs[0] = input;
    rel->as.window.items = items;
    rel->as.window.item_count = (uint16_t)count;
    rel->as.window.partition = state->items[first].partition;
    rel->as.window.partition_count = (uint16_t)state->items[first].partition_count;
    rel->as.window.order = state->items[first].order;
    rel->as.window.order_count = (uint16_t)state->items[first].order_count;
    s->rel = rel;
    return ERR_OK;
}

/* QuestDB hands rows out in the order of the designated timestamp, windows or not. */
static ErrorCode restore_time_order(Binder *b, SelectState *s) {
    if (b->dialect != DIALECT_QUESTDB || s->timestamp == 0) {
        s->timestamp = 0;
        return ERR_OK;
    }
    SortKey *key = arena_array(b->arena, SortKey, 1);
    for (uint32_t i = 0; i < s->rel->column_count; i++) {
        if (s->rel->columns[i].id == s->timestamp) {
            key->expr = rel_column_expr(b, s->rel, i);
        }
    }
    if (key->expr == NULL) {
        return ERR_OK;
    }
    Rel *rel = NULL;
    TRY(rel_like(b, REL_SORT, s->rel, &rel));
    rel->as.sort.keys = key;
    rel->as.sort.key_count = 1;
    rel->order_column = s->timestamp;
    rel->order_descending = false;
    s->rel = rel;
    return ERR_OK;
}

ErrorCode apply_windows(Binder *b, SelectState *s) {
    bool *taken = arena_array(b->arena, bool, s->windows.count + 1);
    for (uint32_t i = 0; i < s->windows.count; i++) {
        if (!taken[i]) {
            TRY(window_rel(b, s, i, taken));
        }
    }
    return s->windows.count > 0 ? restore_time_order(b, s) : ERR_OK;
}

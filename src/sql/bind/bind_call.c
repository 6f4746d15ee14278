/* SPDX-License-Identifier: Apache-2.0
 * bind_call.c - calls: operators and functions through the resolver, the few that are forms of their own, and aggregates. */
#include "sql/bind/bind_internal.h"
#include "sql/system/each.h"

/* ---------------------------------------------------------------- trees of calls */

AstExpr *ast_make(Binder *b, const AstExpr *at, AstExprKind kind, Str text) {
    AstExpr *made = arena_new(b->arena, AstExpr);
    *made = (AstExpr){.kind = (uint8_t)kind, .depth = 1, .span = at->span, .as.text = text};
    return made;
}

AstExpr *ast_call(Binder *b, const AstExpr *at, uint8_t flags, Str name, AstExpr *first, AstExpr *second, AstExpr *third) {
    AstExpr *made = ast_make(b, at, AST_CALL, name), *const given[] = {first, second, third};
    made->flags = flags;
    made->args = arena_array(b->arena, AstExpr *, COUNT_OF(given));
    for (; made->arg_count < COUNT_OF(given) && given[made->arg_count] != NULL; made->arg_count++) {
        made->args[made->arg_count] = given[made->arg_count];
        made->depth = (uint16_t)MAX_OF(made->depth, given[made->arg_count]->depth + 1);
    }
    return made;
}

/* ---------------------------------------------------------------- calls that are forms */

/* Within a kind PostgreSQL compares without a conversion. */
static int number_kind(TypeId id) {
    return type_is_integer(id) ? 0 : id == TYPE_FLOAT4 || id == TYPE_FLOAT8 ? 1 : 2;
}

/* As PostgreSQL: the value has the type that = takes on its left side, double precision for nullif(integer, double precision). */
static ErrorCode call_nullif(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count != 2) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "nullif takes two arguments");
    }
    const Expr *equal = NULL;
    const Expr **bound = arena_array(b->arena, const Expr *, 3);
    const Expr **pair = arena_array(b->arena, const Expr *, 2);
    pair[0] = args[0];
    pair[1] = args[1];
    TRY(call_function(b, STR("="), pair, 2, position, true, &equal));
    bool numbers = type_category((TypeId)pair[0]->type.id) == CAT_NUMBER;
    bool same_kind = numbers && number_kind((TypeId)args[0]->type.id) == number_kind((TypeId)args[1]->type.id);
    bool of_text = args[0]->type.id == TYPE_VARCHAR && b->dialect == DIALECT_POSTGRES; /* = has no row of varchar */
    TRY(coerce_known(b, (numbers && !same_kind) || args[0]->type.id == TYPE_UNKNOWN ? pair[0] : args[0], &bound[2]));
    TRY(of_text ? coerce(b, bound[2], type_of(TYPE_TEXT), CAST_IMPLICIT, &bound[2]) : ERR_OK);
    bound[0] = equal;
    bound[1] = expr_null(b, bound[2]->type, position);
    return case_of(b, bound, 3, position, expr_out);
}

/* switch(x, key, value, key, value, ..., default) of QuestDB */
static ErrorCode call_switch(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count < 3) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "switch takes a value, pairs of key and value, and a default");
    }
    bool has_default = count % 2 == 0;
    const Expr **bound = arena_array(b->arena, const Expr *, count + 1);
    uint32_t n = 0;
    for (uint32_t i = 1; i + 1 < count; i += 2) {
        TRY(bind_operator(b, STR("="), args[0], args[i], args[i]->position, &bound[n++]));
        bound[n++] = args[i + 1];
    }
    bound[n++] = has_default ? args[count - 1] : expr_null(b, type_of(TYPE_UNKNOWN), position);
    return case_of(b, bound, n, position, expr_out);
}

static ErrorCode call_coalesce(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count == 0) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "coalesce takes at least one argument");
    }
    return coalesce_of(b, args, count, position, expr_out);
}

/* extract('epoch', x) answers int8 in the questdb dialect. */
static ErrorCode call_extract(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    size_t rows = 0;
    (void)function_lookup(STR("extract_epoch"), &rows);
    bool epoch = count == 2 && args[0]->kind == EXPR_CONSTANT && args[0]->type.id == TYPE_UNKNOWN && !args[0]->as.value.is_null &&
                 str_equal_ignore_case(strref_str(&args[0]->as.value.as.str), STR("epoch"));
    if (epoch && rows > 0 && b->dialect == DIALECT_QUESTDB) {
        return call_function(b, STR("extract_epoch"), args + 1, 1, position, false, expr_out);
    }
    return call_function(b, STR("extract"), args, count, position, false, expr_out);
}

/* current_timestamp(3) and its kin: the value with so many digits of the second. */
static ErrorCode call_clock(Binder *b, const char *name, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    bool digits = count == 1 && args[0]->kind == EXPR_CONSTANT && args[0]->type.id == TYPE_INT4 && !args[0]->as.value.is_null;
    if (count > 0 && (!digits || args[0]->as.value.as.i32 < 0)) {
        return error_set(b->err, ERR_SYNTAX, position, "%s takes a constant number of digits", name);
    }
    TRY(call_function(b, str_from_c(name), args, 0, position, false, expr_out));
    if (!digits) {
        return ERR_OK;
    }
    Type type = (*expr_out)->type;
    type.precision = (uint8_t)(MIN_OF(args[0]->as.value.as.i32, 6) + 1);
    return coerce(b, *expr_out, type, CAST_EXPLICIT, expr_out);
}

static ErrorCode call_current_time(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return call_clock(b, "current_time", args, count, position, expr_out);
}
static ErrorCode call_current_timestamp(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return call_clock(b, "current_timestamp", args, count, position, expr_out);
}
static ErrorCode call_localtime(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return call_clock(b, "localtime", args, count, position, expr_out);
}
static ErrorCode call_localtimestamp(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return call_clock(b, "localtimestamp", args, count, position, expr_out);
}

/* A literal in quotes has no type before somebody asks for one. */
static ErrorCode call_typeof(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count == 1 && args[0]->type.id == TYPE_UNKNOWN && args[0]->kind == EXPR_CONSTANT && b->dialect == DIALECT_POSTGRES) {
        return coerce(b, expr_text(b, STR("unknown"), TYPE_UNKNOWN, position), type_of(TYPE_REGTYPE), CAST_EXPLICIT, expr_out);
    }
    return call_function(b, STR("pg_typeof"), args, count, position, false, expr_out);
}

/* A record of what it is, in which schema, called what, in full. */
static ErrorCode call_identify(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    static const Str NAMES[] = {{"type", 4}, {"schema", 6}, {"name", 4}, {"identity", 8}};
    const Expr **fields = arena_array(b->arena, const Expr *, COUNT_OF(NAMES));
    if (count != 3) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "pg_identify_object takes a catalog, an object and the number of a column");
    }
    for (uint32_t i = 0; i < COUNT_OF(NAMES); i++) {
        const Expr **asked = arena_array(b->arena, const Expr *, 4);
        Value part = {.type = type_of(TYPE_INT4)};
        part.as.i32 = (int32_t)i;
        memcpy(asked, args, 3 * sizeof *asked);
        asked[3] = expr_constant(b, &part, position);
        TRY(call_function(b, STR("object part"), asked, 4, position, true, &fields[i]));
    }
    return record_of(b, fields, NAMES, COUNT_OF(NAMES), position, expr_out);
}

static ErrorCode named_field(Binder *b, const Expr *record, Str name, int64_t position, const Expr **field_out) {
    const RecordShape *shape = record->type.id == TYPE_RECORD ? record_shape(b, record) : NULL;
    for (uint32_t i = 0; shape != NULL && i < shape->count; i++) {
        if (str_equal(shape->names[i], name)) {
            return record_field(b, record, i, position, field_out);
        }
    }
    return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "the argument is no row of pg_attribute or pg_type: it has no %.*s", STR_ARG(name));
}

/* information_schema._pg_truetypid and _pg_truetypmod of a row of pg_attribute and one of pg_type: of a domain what it is over. */
static ErrorCode call_true_type(Binder *b, const Expr **args, uint32_t count, int64_t position, Str own, Str below, const Expr **expr_out) {
    const Expr **parts = arena_array(b->arena, const Expr *, 3);
    const Expr **domain = arena_array(b->arena, const Expr *, 2);
    if (count != 2) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "a row of pg_attribute and one of pg_type are needed");
    }
    TRY(named_field(b, args[1], STR("typtype"), position, &domain[0]));
    TRY(coerce(b, expr_text(b, STR("d"), TYPE_UNKNOWN, position), type_of(TYPE_CHAR1), CAST_EXPLICIT, &domain[1]));
    TRY(call_function(b, STR("="), domain, 2, position, true, &parts[0]));
    TRY(named_field(b, args[1], below, position, &parts[1]));
    TRY(named_field(b, args[0], own, position, &parts[2]));
    return case_of(b, parts, 3, position, expr_out);
}

static ErrorCode call_true_type_id(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return call_true_type(b, args, count, position, STR("atttypid"), STR("typbasetype"), expr_out);
}

static ErrorCode call_true_modifier(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return call_true_type(b, args, count, position, STR("atttypmod"), STR("typtypmod"), expr_out);
}

typedef ErrorCode (*FormBind)(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
typedef struct FormRow { Str name; FormBind bind; } FormRow;
static const FormRow form_rows[] = {
    {{"coalesce", 8}, call_coalesce}, {{"nullif", 6}, call_nullif}, {{"switch", 6}, call_switch}, {{"extract", 7}, call_extract},
    {{"current_time", 12}, call_current_time}, {{"current_timestamp", 17}, call_current_timestamp}, {{"localtime", 9}, call_localtime},
    {{"localtimestamp", 14}, call_localtimestamp}, {{"pg_typeof", 9}, call_typeof},
    {{"pg_identify_object", 18}, call_identify}, {{"pg_input_is_valid", 17}, call_input_is_valid},
    {{"_pg_truetypid", 13}, call_true_type_id}, {{"_pg_truetypmod", 14}, call_true_modifier},
    {{"nextval", 7}, call_nextval},   {{"currval", 7}, call_currval}, {{"setval", 6}, call_setval},
};

/* ---------------------------------------------------------------- aggregates */

static ErrorCode check_aggregate_place(Binder *b, const Scope *scope, int64_t position) {
    if (scope->inside_aggregate) {
        return error_set(b->err, ERR_GROUPING, position, "aggregate function calls cannot be nested");
    }
    if (scope->aggregates == NULL) {
        return error_set(b->err, ERR_GROUPING, position, "aggregate functions are not allowed in %s", scope->clause != NULL ? scope->clause : "this place");
    }
    return ERR_OK;
}

bool sort_keys_same(const SortKey *a, uint32_t a_count, const SortKey *c, uint32_t c_count) {
    for (uint32_t i = 0; i < a_count && a_count == c_count; i++) {
        if (a[i].expr != c[i].expr || a[i].descending != c[i].descending || a[i].nulls_first != c[i].nulls_first) {
            return false;
        }
    }
    return a_count == c_count;
}

static bool aggregate_same(const AggregateExpr *a, const AggregateExpr *c) {
    return a->aggregate == c->aggregate && a->arg_count == c->arg_count && a->distinct == c->distinct && a->filter == c->filter &&
           sort_keys_same(a->order, a->order_count, c->order, c->order_count) &&
           (a->arg_count == 0 || memcmp(a->args, c->args, a->arg_count * sizeof(const Expr *)) == 0);
}

/* The output column of the aggregate; the same call is computed once. */
static const Expr *add_aggregate(Binder *b, AggregateState *state, const AggregateExpr *aggregate, int64_t position) {
    for (uint32_t i = 0; i < state->count; i++) {
        if (aggregate_same(&state->items[i], aggregate)) {
            return expr_column(b, state->ids[i], aggregate->type, position);
        }
    }
    if (state->count == state->capacity) {
        uint32_t capacity = state->capacity == 0 ? 8 : state->capacity * 2;
        AggregateExpr *items = arena_array(b->arena, AggregateExpr, capacity);
        ColumnId *ids = arena_array(b->arena, ColumnId, capacity);
        if (state->count > 0) {
            memcpy(items, state->items, state->count * sizeof *items);
            memcpy(ids, state->ids, state->count * sizeof *ids);
        }
        state->items = items;
        state->ids = ids;
        state->capacity = capacity;
    }
    ColumnId id = column_new(b, aggregate->type.id == TYPE_SYMBOL ? aggregate->symbols : NULL);
    state->items[state->count] = *aggregate;
    state->ids[state->count++] = id;
    return expr_column(b, id, aggregate->type, position);
}

/* sum(10 / x) FILTER (WHERE x <> 0): the argument is not evaluated for rows that the filter drops, if it may fail. */
static ErrorCode guard_argument(Binder *b, const Expr *filter, const Expr **arg) {
    if (((*arg)->flags & EXPR_FAILS) == 0) {
        return ERR_OK;
    }
    const Expr **bound = arena_array(b->arena, const Expr *, 3);
    bound[0] = filter;
    bound[1] = *arg;
    bound[2] = expr_null(b, (*arg)->type, (*arg)->position);
    return case_of(b, bound, 3, (*arg)->position, arg);
}

/* Order matters to those that collect or take the first; for the rest it says nothing. */
static ErrorCode aggregate_order(Binder *b, Scope *scope, const AggregateCallAst *call, SortKey **keys_out) {
    SortKey *keys = arena_array(b->arena, SortKey, call->order_count + 1);
    for (uint32_t i = 0; i < call->order_count; i++) {
        const Expr *expr = NULL;
        TRY(check_sort_key(b, &call->order[i]));
        TRY(bind_expr(b, scope, call->order[i].expr, &expr));
        TRY(coerce_known(b, expr, &expr));
        keys[i] = sort_key(b, &call->order[i], expr);
    }
    *keys_out = keys;
    return ERR_OK;
}

static ErrorCode check_distinct_order(Binder *b, const AggregateCallAst *call, const Expr *const *args, const SortKey *keys) {
    for (uint32_t i = 0; i < call->order_count && call->distinct; i++) {
        bool found = false;
        for (uint32_t a = 0; a < call->arg_count; a++) {
            found = found || args[a] == keys[i].expr;
        }
        if (!found) {
            return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, call->position,
                             "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list");
        }
    }
    return ERR_OK;
}

typedef struct BoundParts { const Expr *filter; SortKey *keys; } BoundParts; /* of an aggregate, besides its arguments */

/* The aggregate over arguments that are bound. */
static ErrorCode finish_aggregate(Binder *b, const Scope *scope, const AggregateCallAst *call, Str name, const Expr **args, uint32_t count,
                                  const BoundParts *parts, const Expr **expr_out) {
    AggregateExpr aggregate = {.distinct = call->distinct, .filter = parts->filter};
    if (scope->reads_itself) {
        return error_set(b->err, ERR_INVALID_RECURSION, call->position, "aggregate functions are not allowed in a recursive query's recursive term");
    }
    TRY(find_aggregate(b, name, args, count, call->position, &aggregate.aggregate, &aggregate.type));
    TRY(check_distinct_order(b, call, args, parts->keys));
    if ((aggregate.aggregate->flags & (AGG_SERIAL | AGG_ORDERED)) != 0) {
        aggregate.order = parts->keys;
        aggregate.order_count = (uint16_t)call->order_count;
    }
    for (uint32_t i = 1; i < count && (aggregate.aggregate->flags & AGG_CONSTANT_TAIL) != 0; i++) {
        if (expr_has_column(args[i])) {
            return error_set(b->err, ERR_INVALID_PARAMETER, args[i]->position, "argument %u of %.*s must be constant", i + 1, STR_ARG(call->name));
        }
    }
    if (aggregate.filter != NULL && count > 0) {
        TRY(guard_argument(b, aggregate.filter, &args[0]));
    }
    aggregate.args = args;
    aggregate.arg_count = (uint16_t)count;
    aggregate.symbols = count > 0 ? expr_symbols(b, args[0]) : NULL;
    *expr_out = add_aggregate(b, scope->aggregates, &aggregate, call->position);
    return ERR_OK;
}

/* json_agg and its kin: arrays of their arguments, and what makes json of them. */
static ErrorCode bind_json_aggregate(Binder *b, const Scope *scope, const AggregateCallAst *call, const Expr **args, const BoundParts *parts, const Expr **expr_out) {
    const Expr **arrays = arena_array(b->arena, const Expr *, call->arg_count + 1);
    TRY(json_aggregate_arguments(b, call, args));
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const Expr **one = arena_array(b->arena, const Expr *, 1);
        one[0] = args[i];
        TRY(finish_aggregate(b, scope, call, STR("array_agg"), one, 1, parts, &arrays[i]));
    }
    return json_aggregate_result(b, call, args[0], arrays, expr_out);
}

ErrorCode bind_aggregate(Binder *b, Scope *scope, const AggregateCallAst *call, const Expr **expr_out) {
    TRY(check_aggregate_place(b, scope, call->position));
    BoundParts parts = {0};
    const Expr **args = NULL;
    WindowState *windows = scope->windows;
    SrfState *srfs = scope->srfs;
    scope->windows = NULL;
    scope->srfs = NULL;
    scope->inside_aggregate = true;
    TRY(bind_exprs(b, scope, call->args, call->arg_count, &args));
    if (call->filter != NULL) {
        TRY(bind_condition(b, scope, call->filter, "FILTER", &parts.filter));
    }
    TRY(aggregate_order(b, scope, call, &parts.keys));
    scope->inside_aggregate = false;
    scope->windows = windows;
    scope->srfs = srfs;
    if (is_json_aggregate(call->name)) {
        return bind_json_aggregate(b, scope, call, args, &parts, expr_out);
    }
    return finish_aggregate(b, scope, call, call->name, args, call->arg_count, &parts, expr_out);
}

/* ---------------------------------------------------------------- calls */

/* One column of rows for each row of the query. */
static ErrorCode call_srf(Binder *b, Scope *scope, Str name, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    const SrfItem *item = NULL;
    TRY(bind_srf_call(b, scope, name, args, count, position, &item));
    uint32_t columns = item->rel->column_count;
    if (columns == 1) {
        *expr_out = rel_column_expr(b, item->rel, 0);
        return ERR_OK;
    }
    const Expr **fields = arena_array(b->arena, const Expr *, columns);
    Str *names = arena_array(b->arena, Str, columns);
    for (uint32_t i = 0; i < columns; i++) {
        fields[i] = rel_column_expr(b, item->rel, i);
        names[i] = item->rel->columns[i].name;
    }
    return record_of(b, fields, names, columns, position, expr_out);
}

/* Parameters of type void stand for what a function gives back ("{? = call f(?)}" of JDBC): they are no arguments. */
static uint32_t drop_void_params(const Expr **args, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->kind != EXPR_PARAM || args[i]->type.id != TYPE_VOID) {
            args[kept++] = args[i];
        }
    }
    return kept;
}

bool is_form_name(Str name) {
    for (size_t i = 0; i < COUNT_OF(form_rows); i++) {
        if (str_equal_ignore_case(form_rows[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* int4(x), bpchar(x): where no function is called so, a type of one word is, and its name casts. */
static bool is_type_call(const Binder *b, Str name, uint32_t count, Type *type_out) {
    const BuiltinType *type = count == 1 && b->dialect == DIALECT_POSTGRES ? builtin_type_by_name(name) : NULL;
    return type != NULL && type_from_oid(type->oid, type_out);
}

static ErrorCode call_form(Binder *b, Scope *scope, Str name, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    count = drop_void_params(args, count);
    for (size_t i = 0; i < COUNT_OF(form_rows); i++) {
        if (str_equal_ignore_case(form_rows[i].name, name)) {
            return form_rows[i].bind(b, args, count, position, expr_out);
        }
    }
    bool record = false;
    TRY(json_of_record(b, name, args, count, position, &record, expr_out));
    if (record) {
        return ERR_OK;
    }
    size_t rows = 0;
    (void)function_lookup(name, &rows);
    if (rows == 0 && is_srf_name(name)) {
        return call_srf(b, scope, name, args, count, position, expr_out);
    }
    Type type;
    if (rows == 0 && is_type_call(b, name, count, &type)) {
        return coerce(b, args[0], type, CAST_EXPLICIT, expr_out);
    }
    return call_function(b, name, args, count, position, false, expr_out);
}

static ErrorCode bind_operator_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if ((ast->flags & (AST_ANY | AST_ALL)) != 0) {
        return bind_quantified(b, scope, ast, expr_out);
    }
    if (ast->arg_count == 2 && ast->args[0]->kind == AST_ROW) {
        return bind_row_comparison(b, scope, ast, expr_out);
    }
    const Expr **args = NULL;
    TRY(bind_exprs(b, scope, ast->args, ast->arg_count, &args));
    if (ast->arg_count == 2) {
        return bind_operator(b, ast->as.text, args[0], args[1], ast->span.at, expr_out);
    }
    return call_function(b, ast->as.text, args, ast->arg_count, ast->span.at, true, expr_out);
}

ErrorCode bind_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    bool found = false;
    TRY(bind_predicate(b, scope, ast, &found, expr_out));
    if (found) {
        return ERR_OK;
    }
    if ((ast->flags & AST_OPERATOR) != 0) {
        return bind_operator_call(b, scope, ast, expr_out);
    }
    if (str_equal(ast->as.text, STR("grouping"))) {
        return bind_grouping_call(b, scope, ast, expr_out);
    }
    bool star = (ast->flags & AST_STAR_ARGUMENT) != 0;
    if (star || is_aggregate_name(ast->as.text)) {
        AggregateCallAst call = {.name = ast->as.text, .args = ast->args, .arg_count = ast->arg_count, .position = ast->span.at};
        return bind_aggregate(b, scope, &call, expr_out);
    }
    if (is_window_only(ast->as.text)) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->span.at, "window function %.*s requires an OVER clause", STR_ARG(ast->as.text));
    }
    const Expr **args = NULL;
    TRY(bind_exprs(b, scope, ast->args, ast->arg_count, &args));
    return call_form(b, scope, ast->as.text, args, ast->arg_count, ast->span.at, expr_out);
}

/* ---------------------------------------------------------------- calls with more than arguments */

static ErrorCode check_special(Binder *b, const AstExpr *ast, const AstCall *call) {
    int64_t position = ast->span.at;
    if (call->ignore_nulls) {
        return not_supported(b, position, "IGNORE NULLS");
    }
    if ((ast->flags & AST_VARIADIC) != 0 && (ast->arg_count == 0 || ast->args[ast->arg_count - 1]->kind != AST_ARRAY)) {
        return not_supported(b, position, "VARIADIC with an array that is not written out");
    }
    if (call->name.count > 2 || (call->name.count == 2 && !str_equal_ignore_case(call->name.parts[0].text, STR("pg_catalog")) &&
                                  !str_equal_ignore_case(call->name.parts[0].text, STR("information_schema")))) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "function %.*s.%.*s does not exist", STR_ARG(call->name.parts[0].text),
                         STR_ARG(call->name.parts[1].text));
    }
    return ERR_OK;
}

/* f(a, VARIADIC ARRAY[b, c]) is f(a, b, c). */
static const AstExpr *variadic_spread(Binder *b, const AstExpr *ast) {
    if ((ast->flags & AST_VARIADIC) == 0) {
        return ast;
    }
    const AstExpr *array = ast->args[ast->arg_count - 1];
    AstExpr *spread = arena_new(b->arena, AstExpr);
    *spread = *ast;
    spread->args = arena_array(b->arena, AstExpr *, ast->arg_count + array->arg_count);
    memcpy(spread->args, ast->args, (ast->arg_count - 1) * sizeof(AstExpr *));
    memcpy(spread->args + ast->arg_count - 1, array->args, array->arg_count * sizeof(AstExpr *));
    spread->arg_count = ast->arg_count - 1 + array->arg_count;
    return spread;
}

ErrorCode bind_special_call(Binder *b, Scope *scope, const AstExpr *written, const Expr **expr_out) {
    if (written->as.call->argument_names != NULL) {
        TRY(named_arguments(b, written, &written));
    }
    const AstCall *call = written->as.call;
    TRY(check_special(b, written, call));
    const AstExpr *ast = variadic_spread(b, written);
    Str name = call->name.parts[call->name.count - 1].text;
    if (call->over != NULL) {
        return bind_window_call(b, scope, ast, expr_out);
    }
    if (call->within_group) {
        return bind_within_group(b, scope, ast, expr_out);
    }
    if (call->star || is_aggregate_name(name)) {
        AggregateCallAst aggregate = {.name = name, .args = ast->args, .arg_count = ast->arg_count, .filter = call->filter, .distinct = call->distinct,
                                      .order = call->order_by, .order_count = call->order_count, .position = ast->span.at};
        return bind_aggregate(b, scope, &aggregate, expr_out);
    }
    if (call->distinct || call->filter != NULL || call->order_count > 0) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->span.at, "DISTINCT, ORDER BY or FILTER specified, but %.*s is not an aggregate function", STR_ARG(name));
    }
    const Expr **args = NULL;
    TRY(bind_exprs(b, scope, ast->args, ast->arg_count, &args));
    return call_form(b, scope, name, args, ast->arg_count, ast->span.at, expr_out);
}

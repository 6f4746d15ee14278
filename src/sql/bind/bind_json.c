/* SPDX-License-Identifier: Apache-2.0
 * bind_json.c - json calls that are made of others: aggregates, rows as objects, functions that give rows.
 *
 * Why:   json_agg(x) is array_agg(x) and one call that prints the array, so the executor knows nothing of it; a row's names are known here
 *        only, so row_to_json(t) becomes a call with names and values; json_each(j) is unnest of two arrays.
 * Tests: test/sql/json.slt */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- rows as objects */

static ErrorCode record_as_json(Binder *b, const Expr *record, bool binary, int64_t position, const Expr **expr_out) {
    const RecordShape *shape = record_shape(b, record);
    const Expr **args = arena_array(b->arena, const Expr *, shape->count * 2 + 1);
    if (shape->count == 0 || shape->count * 2 > CALL_ARGS_MAX) {
        return not_supported(b, position, "a row of %u fields as json", shape->count);
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        const Expr *field = NULL;
        args[2 * i] = expr_text(b, shape->names[i], TYPE_TEXT, position);
        TRY(record_field(b, record, i, position, &field));
        if (record_shape(b, field) != NULL) {
            TRY(record_as_json(b, field, false, position, &field));
        }
        args[2 * i + 1] = field;
    }
    TRY(call_function(b, STR("json record"), args, shape->count * 2, position, true, expr_out));
    if (record->kind == EXPR_CASE && record->arg_count == 3) { /* bind_record.c: NULL where an outer join found no row */
        const Expr **parts = arena_array(b->arena, const Expr *, 3);
        parts[0] = record->args[0];
        parts[1] = expr_null(b, (*expr_out)->type, position);
        parts[2] = *expr_out;
        TRY(expr_nary(b, EXPR_CASE, (*expr_out)->type, parts, 3, position, expr_out));
    }
    return binary ? coerce(b, *expr_out, type_of(TYPE_JSONB), CAST_EXPLICIT, expr_out) : ERR_OK;
}

/* NULL stays NULL where the record itself is (an outer join's missing row has NULL fields only in its place). */
ErrorCode json_of_record(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, bool *found_out, const Expr **expr_out) {
    bool record = count == 1 && args[0]->type.id == TYPE_RECORD;
    bool literal = count == 1 && args[0]->type.id == TYPE_UNKNOWN && args[0]->kind == EXPR_CONSTANT && b->dialect == DIALECT_POSTGRES;
    *found_out = false;
    if (!record && !literal) {
        return ERR_OK;
    }
    bool binary = str_equal_ignore_case(name, STR("to_jsonb"));
    bool plain = binary || str_equal_ignore_case(name, STR("to_json"));
    if (plain && literal) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "could not determine polymorphic type because input has type unknown");
    }
    *found_out = record && (plain || str_equal_ignore_case(name, STR("row_to_json"))) && record_shape(b, args[0]) != NULL;
    return *found_out ? record_as_json(b, args[0], binary, position, expr_out) : ERR_OK;
}

/* ---------------------------------------------------------------- aggregates */

typedef struct JsonAggregate { Str name; uint8_t arg_count; bool binary; } JsonAggregate;
static const JsonAggregate json_aggregates[] = {
    {{"json_agg", 8}, 1, false}, {{"jsonb_agg", 9}, 1, true}, {{"json_object_agg", 15}, 2, false}, {{"jsonb_object_agg", 16}, 2, true}};

static const JsonAggregate *find_json_aggregate(Str name) {
    for (size_t i = 0; i < COUNT_OF(json_aggregates); i++) {
        if (str_equal_ignore_case(name, json_aggregates[i].name)) {
            return &json_aggregates[i];
        }
    }
    return NULL;
}

bool is_json_aggregate(Str name) {
    return find_json_aggregate(name) != NULL;
}

ErrorCode json_aggregate_arguments(Binder *b, const AggregateCallAst *call, const Expr **args) {
    const JsonAggregate *row = find_json_aggregate(call->name);
    if (call->arg_count != row->arg_count) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, call->position, "function %.*s with %u arguments does not exist", STR_ARG(call->name), call->arg_count);
    }
    if (call->distinct && row->arg_count == 2) {
        return not_supported(b, call->position, "DISTINCT in %.*s", STR_ARG(call->name));
    }
    if (row->arg_count == 2) {
        TRY(coerce(b, args[0], type_of(TYPE_TEXT), CAST_EXPLICIT, &args[0]));
    }
    for (uint32_t i = 0; i < call->arg_count; i++) {
        TRY(coerce_known(b, args[i], &args[i]));
        if (record_shape(b, args[i]) != NULL) {
            TRY(record_as_json(b, args[i], false, call->position, &args[i]));
        }
    }
    return ERR_OK;
}

ErrorCode json_aggregate_result(Binder *b, const AggregateCallAst *call, const Expr *first, const Expr **arrays, const Expr **expr_out) {
    const JsonAggregate *row = find_json_aggregate(call->name);
    uint32_t count = row->arg_count;
    first = first->kind == EXPR_CASE && first->arg_count == 3 ? first->args[2] : first;
    if (count == 1 && first->kind == EXPR_CALL && first->type.id == TYPE_JSON && str_equal(str_from_c(first->as.call.function->name), STR("json record"))) {
        arrays[count++] = expr_bool(b, true, call->position);
    }
    TRY(call_function(b, row->arg_count == 1 ? STR("json entries") : STR("json pairs"), arrays, count, call->position, true, expr_out));
    return row->binary ? coerce(b, *expr_out, type_of(TYPE_JSONB), CAST_EXPLICIT, expr_out) : ERR_OK;
}

/* ---------------------------------------------------------------- functions that give rows */

typedef struct JsonRows { Str name; const char *first, *second; uint8_t type; } JsonRows;
static const JsonRows json_rows[] = {
    {{"json_each", 9}, "json keys", "json values", TYPE_JSON},
    {{"jsonb_each", 10}, "json keys", "json values", TYPE_JSONB},
    {{"json_each_text", 14}, "json keys", "json values text", TYPE_JSON},
    {{"jsonb_each_text", 15}, "json keys", "json values text", TYPE_JSONB},
    {{"json_array_elements", 19}, "json elements", NULL, TYPE_JSON},
    {{"jsonb_array_elements", 20}, "json elements", NULL, TYPE_JSONB},
    {{"json_array_elements_text", 24}, "json elements text", NULL, TYPE_JSON},
    {{"jsonb_array_elements_text", 25}, "json elements text", NULL, TYPE_JSONB},
    {{"json_object_keys", 16}, "json keys", NULL, TYPE_JSON},
    {{"jsonb_object_keys", 17}, "json keys", NULL, TYPE_JSONB},
};

static const JsonRows *find_json_rows(Str name) {
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        if (str_equal_ignore_case(name, json_rows[i].name)) {
            return &json_rows[i];
        }
    }
    return NULL;
}

bool is_json_rows(Str name) {
    return find_json_rows(name) != NULL;
}

static bool gives_elements(const JsonRows *row) {
    return row->second == NULL && str_starts_with(str_from_c(row->first), STR("json elements"));
}

bool has_column_name(Str function) {
    const JsonRows *row = find_json_rows(function);
    return row != NULL && gives_elements(row);
}

ErrorCode json_rows_rel(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    const JsonRows *row = find_json_rows(name);
    Str names[2] = {row->second != NULL ? STR("key") : gives_elements(row) ? STR("value") : row->name, STR("value")};
    uint32_t columns = row->second != NULL ? 2 : 1;
    const Expr **arrays = arena_array(b->arena, const Expr *, 2);
    const Expr *exprs[2];
    Rel *rel = NULL;
    bool fits = count == 1 && (args[0]->type.id == TYPE_UNKNOWN || args[0]->type.id == row->type);
    if (!fits) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "function %.*s(%.*s) does not exist", STR_ARG(name),
                         STR_ARG(count > 0 ? type_name(b, args[0]->type) : (Str){0}));
    }
    TRY(coerce(b, args[0], type_of((TypeId)row->type), CAST_IMPLICIT, &args[0]));
    for (uint32_t i = 0; i < columns; i++) {
        const Expr **one = arena_array(b->arena, const Expr *, 1);
        one[0] = args[0];
        TRY(call_function(b, str_from_c(i == 0 ? row->first : row->second), one, 1, position, true, &arrays[i]));
    }
    TRY(srf_rel(b, STR("unnest"), arrays, columns, position, &rel));
    for (uint32_t i = 0; i < columns; i++) {
        exprs[i] = rel_column_expr(b, rel, i);
    }
    return rel_project(b, rel, exprs, names, columns, rel_out);
}

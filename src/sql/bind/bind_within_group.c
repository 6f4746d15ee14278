/* SPDX-License-Identifier: Apache-2.0
 * bind_within_group.c - ordered-set aggregates: percentile_cont, percentile_disc, mode.
 *
 * Why:   percentile_disc and mode are array_agg(x ORDER BY x) and a look into the array; the executor knows nothing of them.
 * Tests: test/sql/ordered_aggregates.slt */
#include "base/number.h"
#include "column/any_array.h"
#include "sql/bind/bind_internal.h"

static ErrorCode within_call(Binder *b, Scope *scope, const AstExpr *ast, const char *name, AstExpr **args, uint32_t count, bool ordered, const Expr **expr_out) {
    const AstCall *call = ast->as.call;
    AggregateCallAst aggregate = {.name = str_from_c(name), .args = args, .arg_count = count, .filter = call->filter, .position = ast->span.at};
    if (ordered) {
        aggregate.order = call->order_by;
        aggregate.order_count = call->order_count;
    }
    return bind_aggregate(b, scope, &aggregate, expr_out);
}

/* Place 0 is place 1: x + (x = 0)::int; NULL stays NULL. */
static ErrorCode at_least_one(Binder *b, const Expr *place, int64_t position, const Expr **place_out) {
    Value zero = {.type = type_of(TYPE_INT4)};
    const Expr *is_zero = NULL;
    TRY(bind_operator(b, STR("="), place, expr_constant(b, &zero, position), position, &is_zero));
    TRY(coerce(b, is_zero, type_of(TYPE_INT4), CAST_EXPLICIT, &is_zero));
    return bind_operator(b, STR("+"), place, is_zero, position, place_out);
}

/* array_agg(x ORDER BY x) without NULLs, and how many there are. */
static ErrorCode sorted_values(Binder *b, Scope *scope, const AstExpr *ast, const Expr **values_out, const Expr **count_out) {
    const AstCall *call = ast->as.call;
    AstExpr *value = call->order_by[0].expr;
    AstExpr *test = ast_call(b, ast, AST_OPERATOR, STR("is not null"), value, NULL, NULL), *again = arena_new(b->arena, AstExpr);
    AstCall *filtered = arena_new(b->arena, AstCall);
    *filtered = *call;
    filtered->filter = call->filter == NULL ? test : ast_call(b, ast, AST_OPERATOR, STR("and"), test, call->filter, NULL);
    *again = *ast;
    again->as.call = filtered;
    TRY(within_call(b, scope, again, "array_agg", &value, 1, true, values_out));
    return count_out == NULL ? ERR_OK : within_call(b, scope, again, "count", &value, 1, false, count_out);
}

/* The value at place ceil(fraction * count) of the sorted values. */
static ErrorCode percentile_disc(Binder *b, Scope *scope, const AstExpr *ast, const Expr *fraction, const Expr **expr_out) {
    const Expr *values = NULL;
    const Expr *count = NULL;
    TRY(sorted_values(b, scope, ast, &values, &count));
    const Expr *place = NULL;
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    TRY(coerce(b, count, type_of(TYPE_FLOAT8), CAST_EXPLICIT, &count));
    TRY(bind_operator(b, STR("*"), fraction, count, ast->span.at, &place));
    args[0] = place;
    TRY(call_function(b, STR("ceil"), args, 1, ast->span.at, false, &place));
    TRY(coerce(b, place, type_of(TYPE_INT4), CAST_EXPLICIT, &place));
    TRY(at_least_one(b, place, ast->span.at, &place));
    const Expr **element = arena_array(b->arena, const Expr *, 2);
    element[0] = values;
    element[1] = place;
    return expr_call(b, function_bound(BOUND_SUBSCRIPT), NULL, type_element(values->type), element, 2, ast->span.at, expr_out);
}

/* The most frequent value; of several the first in order. */
static ErrorCode bind_mode(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr **values = arena_array(b->arena, const Expr *, 1);
    TRY(sorted_values(b, scope, ast, &values[0], NULL));
    return call_function(b, STR("array mode"), values, 1, ast->span.at, true, expr_out);
}

/* A constant's elements as expressions again: numbers in quotes, NULL. */
static ErrorCode fraction_asts(Binder *b, const AstExpr *ast, const Expr *fractions, AstExpr ***asts_out, uint32_t *count_out) {
    AnyArray array;
    TRY(coerce(b, fractions, type_array(type_of(TYPE_FLOAT8)), CAST_IMPLICIT, &fractions));
    if (fractions->kind != EXPR_CONSTANT || fractions->as.value.is_null) {
        return not_supported(b, ast->span.at, "an array of fractions that is not written out");
    }
    TRY(any_array_view(strref_str(&fractions->as.value.as.str), &array, b->err));
    *asts_out = arena_array(b->arena, AstExpr *, array.count + 1);
    *count_out = array.count;
    for (uint32_t i = 0; i < array.count; i++) {
        AstExpr *item = ast_make(b, ast->args[0], AST_NULL, (Str){0});
        if (!any_array_is_null(&array, i)) {
            AnyValue value;
            double number;
            char text[DOUBLE_TEXT_MAX];
            any_array_value(&array, i, &value);
            memcpy(&number, value.bytes, sizeof number);
            item->kind = AST_STRING;
            item->as.text = arena_str(b->arena, (Str){text, format_double(text, number, DOUBLE_POSTGRES)});
        }
        (*asts_out)[i] = item;
    }
    return ERR_OK;
}

/* percentile_cont(ARRAY[p, q]) is ARRAY[percentile_cont(p), percentile_cont(q)]. */
static ErrorCode each_fraction(Binder *b, Scope *scope, const AstExpr *ast, const Expr *fractions, const Expr **expr_out) {
    AstExpr **asts = ast->args[0]->args;
    uint32_t count = ast->args[0]->arg_count;
    if (ast->args[0]->kind != AST_ARRAY) {
        TRY(fraction_asts(b, ast, fractions, &asts, &count));
    }
    const Expr **items = arena_array(b->arena, const Expr *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        AstExpr *one = arena_new(b->arena, AstExpr);
        *one = *ast;
        one->args = &asts[i];
        TRY(bind_within_group(b, scope, one, &items[i]));
    }
    if (count == 0) {
        return not_supported(b, ast->span.at, "an empty array of fractions");
    }
    return expr_call(b, function_bound(BOUND_ARRAY), NULL, type_array(items[0]->type), items, count, ast->span.at, expr_out);
}

ErrorCode bind_within_group(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const AstCall *call = ast->as.call;
    Str name = call->name.parts[call->name.count - 1].text;
    bool disc = str_equal_ignore_case(name, STR("percentile_disc"));
    if (str_equal_ignore_case(name, STR("mode")) && ast->arg_count == 0 && call->order_count == 1) {
        return bind_mode(b, scope, ast, expr_out);
    }
    if (is_hypothetical(name)) {
        return bind_hypothetical(b, scope, ast, expr_out);
    }
    if (!disc && !str_equal_ignore_case(name, STR("percentile_cont"))) {
        return not_supported(b, ast->span.at, "%.*s WITHIN GROUP", STR_ARG(name));
    }
    if (ast->arg_count != 1 || call->order_count != 1) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, ast->span.at, "%.*s takes one fraction and one ORDER BY key", STR_ARG(name));
    }
    Scope none = {.clause = "WITHIN GROUP"};
    const Expr *fraction = NULL;
    TRY(bind_expr(b, &none, ast->args[0], &fraction));
    if (type_category((TypeId)fraction->type.id) == CAT_ARRAY) {
        return each_fraction(b, scope, ast, fraction, expr_out);
    }
    TRY(coerce(b, fraction, type_of(TYPE_FLOAT8), CAST_IMPLICIT, &fraction));
    double number = fraction->kind == EXPR_CONSTANT && !fraction->as.value.is_null ? fraction->as.value.as.f64 : 0;
    if (number < 0 || number > 1) {
        return error_set(b->err, ERR_OUT_OF_RANGE, ast->args[0]->span.at, "percentile value %g is not between 0 and 1", number);
    }
    if (disc) {
        return percentile_disc(b, scope, ast, fraction, expr_out);
    }
    AstExpr **args = arena_array(b->arena, AstExpr *, 2);
    args[0] = call->order_by[0].expr;
    args[1] = ast->args[0];
    if (call->order_by[0].descending) {
        args[1] = ast_call(b, ast, AST_OPERATOR, STR("-"), ast_make(b, ast, AST_INTEGER, STR("1")), ast->args[0], NULL);
    }
    return within_call(b, scope, ast, "percentile", args, 2, false, expr_out);
}

/* SPDX-License-Identifier: Apache-2.0
 * bind_array.c - ARRAY[...], ARRAY(query), subscripts and slices, and operators with ANY and ALL over an array.
 *
 * Why:   the questdb dialect's arrays are double[] and constants; PostgreSQL's have any element type and any expressions. An array of
 *        constants is one constant, so that = ANY of it is an IN list. */
#include "column/any_array.h"
#include "sql/bind/bind_internal.h"

enum { ARRAY_CONSTANT_BYTES_MAX = 64 << 20 };

/* ---------------------------------------------------------------- ARRAY[...] */

/* Elements of an array whose type is known from outside (a cast); element NULL: they agree on one. */
static ErrorCode bind_elements(Binder *b, Scope *scope, const AstExpr *ast, const Type *element, const Expr **items, Type *type_out) {
    bool nested = ast->arg_count > 0 && ast->args[0]->kind == AST_ARRAY;
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        if (ast->args[i]->kind == AST_ARRAY) {
            TRY(bind_array_of(b, scope, ast->args[i], element, &items[i]));
        } else {
            TRY(bind_expr(b, scope, ast->args[i], &items[i]));
        }
    }
    if (element != NULL) {
        *type_out = nested ? type_array(*element) : *element;
    } else {
        TRY(common_type(b, items, ast->arg_count, "ARRAY", type_out));
    }
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        bool array = type_category((TypeId)items[i]->type.id) == CAT_ARRAY && type_out->id != TYPE_ARRAY && element != NULL;
        Type wanted = array ? type_array(*type_out) : *type_out;
        TRY(coerce(b, items[i], wanted, element == NULL ? CAST_IMPLICIT : CAST_EXPLICIT, &items[i]));
    }
    return ERR_OK;
}

static bool all_constant(const Expr *const *items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (items[i]->kind != EXPR_CONSTANT) {
            return false;
        }
    }
    return true;
}

/* One level of constants as one constant. */
static ErrorCode constant_array(Binder *b, Type type, const Expr *const *items, uint32_t count, int64_t position, const Expr **expr_out) {
    AnyArrayBuilder builder;
    Buffer bytes;
    any_array_begin(&builder, (TypeId)type.precision, ARRAY_CONSTANT_BYTES_MAX);
    buffer_init(&bytes, ARRAY_CONSTANT_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const Value *value = &items[i]->as.value;
        uint8_t truth = type.precision == TYPE_BOOL && value->as.boolean; /* of another type those bytes are no truth value */
        any_array_add(&builder, value->is_null ? NULL : type.precision == TYPE_BOOL ? (const void *)&truth : (const void *)&value->as);
    }
    ErrorCode code = any_array_end(&builder, 0, NULL, NULL, &bytes, b->err);
    if (code == ERR_OK) {
        Value array = {.type = type};
        Str copy = arena_str(b->arena, buffer_str(&bytes));
        array.as.str = strref_make(copy.data, copy.len);
        *expr_out = expr_constant(b, &array, position);
    }
    any_array_abandon(&builder);
    buffer_deinit(&bytes);
    return code;
}

ErrorCode bind_array_of(Binder *b, Scope *scope, const AstExpr *ast, const Type *element, const Expr **expr_out) {
    const Expr **items = arena_array(b->arena, const Expr *, ast->arg_count + 1);
    Type type = {0};
    int64_t position = ast->span.at;
    if (ast->arg_count == 0 && element == NULL) {
        return error_set(b->err, ERR_INDETERMINATE_TYPE, position, "cannot determine type of empty array");
    }
    TRY(bind_elements(b, scope, ast, element, items, &type));
    bool stacked = ast->arg_count > 0 && type_stacks((TypeId)items[0]->type.id);
    Type array = stacked && type.id != TYPE_ARRAY ? items[0]->type : type_array(type);
    bool stores_same = type.id == array.precision; /* numeric(p,s) and symbols change their form */
    if (!stacked && stores_same && all_constant(items, ast->arg_count)) {
        return constant_array(b, array, items, ast->arg_count, position, expr_out);
    }
    return expr_call(b, function_bound(BOUND_ARRAY), NULL, array, items, ast->arg_count, position, expr_out);
}

/* ---------------------------------------------------------------- ARRAY(query) */

static ErrorCode collected(Binder *b, Rel *rel, int64_t position, Type *type_out, Rel **rel_out) {
    AggregateExpr *aggregate = arena_array(b->arena, AggregateExpr, 1);
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = rel_column_expr(b, rel, 0);
    *aggregate = (AggregateExpr){.args = args, .arg_count = 1};
    TRY(find_aggregate(b, STR("array_agg"), args, 1, position, &aggregate->aggregate, &aggregate->type));
    TRY(rel_new(b, REL_AGGREGATE, 1, position, rel_out));
    rel_columns(*rel_out)[0].type = aggregate->type;
    rel_columns(*rel_out)[0].name = STR("array");
    (*rel_out)->inputs[0] = rel;
    (*rel_out)->as.aggregate.aggregates = aggregate;
    (*rel_out)->as.aggregate.aggregate_count = 1;
    *type_out = aggregate->type;
    return ERR_OK;
}

/* The rows' values in their order; no rows give an empty array. */
ErrorCode bind_array_query(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    Query query = {0};
    Capture capture;
    Rel *rel = NULL;
    Type type = {0};
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    int64_t position = ast->span.at;
    capture_push(b, &capture, scope);
    ErrorCode code = bind_subselect(b, ast->args[0]->as.select, scope, "ARRAY", NULL, &query);
    code = code == ERR_OK ? collected(b, query.rel, position, &type, &rel) : code;
    capture_pop(b, &capture);
    TRY(code);
    TRY(expr_rel(b, EXPR_SCALAR_REL, type, NULL, rel, &capture, position, &args[0]));
    if (type.id != TYPE_ARRAY) {
        *expr_out = args[0];
        return ERR_OK;
    }
    TRY(constant_array(b, type, NULL, 0, position, &args[1]));
    return expr_nary(b, EXPR_COALESCE, type, args, 2, position, expr_out);
}

/* ---------------------------------------------------------------- subscripts */

static ErrorCode bind_bound(Binder *b, Scope *scope, const AstExpr *ast, int32_t missing, const Expr **expr_out) {
    if (ast == NULL) {
        Value value = {.type = type_of(TYPE_INT4)};
        value.as.i32 = missing;
        *expr_out = expr_constant(b, &value, ERROR_NO_POSITION);
        return ERR_OK;
    }
    TRY(bind_expr(b, scope, ast, expr_out));
    if (!can_coerce((*expr_out)->type, type_of(TYPE_INT4), CAST_ASSIGNMENT)) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->span.at, "array subscript must have type integer");
    }
    return coerce(b, *expr_out, type_of(TYPE_INT4), CAST_ASSIGNMENT, expr_out);
}

static ErrorCode slice_bounds(Binder *b, Scope *scope, const AstExpr *ast, const Expr **args, uint32_t *count) {
    for (uint32_t i = 1; i < ast->arg_count; i++) {
        const AstExpr *item = ast->args[i];
        bool slice = item->kind == AST_SLICE;
        const AstExpr *low = slice ? item->args[0] : NULL, *high = slice ? item->args[1] : item;
        TRY(bind_bound(b, scope, low, slice ? INT32_MIN : 1, &args[(*count)++])); /* a[2] beside a slice means a[1:2] */
        TRY(bind_bound(b, scope, high, INT32_MAX, &args[(*count)++]));
    }
    return ERR_OK;
}

/* a[i][j] is parsed as (a[i])[j] and means one subscript of two numbers; parentheses part them. */
static const AstExpr *flat_subscript(Binder *b, const AstExpr *ast) {
    uint32_t count = ast->arg_count;
    const AstExpr *base = ast->args[0];
    for (; base->kind == AST_SUBSCRIPT && (base->flags & AST_PARENS) == 0; base = base->args[0]) {
        count += base->arg_count - 1;
    }
    if (count == ast->arg_count) {
        return ast;
    }
    AstExpr *flat = arena_new(b->arena, AstExpr);
    *flat = *ast;
    flat->args = arena_array(b->arena, AstExpr *, count);
    flat->arg_count = count;
    const AstExpr *from = ast;
    for (uint32_t at = count; at > 1;) {
        for (uint32_t i = from->arg_count; i-- > 1;) {
            flat->args[--at] = from->args[i];
        }
        from = from->args[0];
    }
    flat->args[0] = (AstExpr *)(uintptr_t)from;
    return flat;
}

/* name[i], from 0 on, is one byte of it as a "char": catalog queries ask for the first one. */
static ErrorCode bind_name_subscript(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    AstExpr *one = ast_make(b, ast, AST_INTEGER, STR("1")), *place = ast_call(b, ast, AST_OPERATOR, STR("+"), ast->args[1], one, NULL);
    AstExpr *piece = ast_call(b, ast, 0, STR("substr"), ast->args[0], place, one);
    const Expr *byte = NULL;
    TRY(bind_expr(b, scope, piece, &byte));
    return coerce(b, byte, type_of(TYPE_CHAR1), CAST_EXPLICIT, expr_out);
}

/* jsonb: j['a'][0] is j -> 'a' -> 0. */
static ErrorCode json_subscript(Binder *b, Scope *scope, const AstExpr *ast, const Expr *value, const Expr **expr_out) {
    for (uint32_t i = 1; i < ast->arg_count; i++) {
        const Expr **args = arena_array(b->arena, const Expr *, 2);
        if (ast->args[i]->kind == AST_SLICE) {
            return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->span.at, "jsonb subscript does not support slices");
        }
        args[0] = value;
        TRY(bind_expr(b, scope, ast->args[i], &args[1]));
        TRY(coerce(b, args[1], type_of(type_is_integer((TypeId)args[1]->type.id) ? TYPE_INT4 : TYPE_TEXT), CAST_IMPLICIT, &args[1]));
        TRY(call_function(b, STR("->"), args, 2, ast->span.at, true, &value));
    }
    *expr_out = value;
    return ERR_OK;
}

ErrorCode bind_subscript(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    ast = flat_subscript(b, ast);
    const Expr **args = arena_array(b->arena, const Expr *, 2 * ast->arg_count + 1);
    uint32_t count = 1;
    bool slices = false;
    int64_t position = ast->span.at;
    TRY(bind_expr(b, scope, ast->args[0], &args[0]));
    Type array = args[0]->type;
    if (array.id == TYPE_NAME && ast->arg_count == 2 && ast->args[1]->kind != AST_SLICE) {
        return bind_name_subscript(b, scope, ast, expr_out);
    }
    if (array.id == TYPE_JSONB) {
        return json_subscript(b, scope, ast, args[0], expr_out);
    }
    if (type_category((TypeId)array.id) != CAT_ARRAY) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, position, "cannot subscript type %.*s because it does not support subscripting", STR_ARG(type_name(b, array)));
    }
    if (ast->arg_count - 1 > ANY_ARRAY_DIMS_MAX) {
        return error_set(b->err, ERR_PROGRAM_LIMIT, position, "number of array dimensions (%u) exceeds the maximum allowed (%d)", ast->arg_count - 1, ANY_ARRAY_DIMS_MAX);
    }
    for (uint32_t i = 1; i < ast->arg_count; i++) {
        slices = slices || ast->args[i]->kind == AST_SLICE;
    }
    if (slices) {
        TRY(slice_bounds(b, scope, ast, args, &count));
        return expr_call(b, function_bound(BOUND_SLICE), NULL, type_array(type_element(array)), args, count, position, expr_out);
    }
    for (uint32_t i = 1; i < ast->arg_count; i++) {
        TRY(bind_bound(b, scope, ast->args[i], 0, &args[count++]));
    }
    Type element = type_element(array);
    if (element.id == TYPE_DECIMAL8 || element.id == TYPE_DECIMAL16) { /* stored as numeric */
        element = type_of(TYPE_NUMERIC);
    }
    return expr_call(b, function_bound(BOUND_SUBSCRIPT), NULL, element, args, count, position, expr_out);
}

ErrorCode bind_array_assignment(Binder *b, Scope *scope, const AstExpr *target, const AstExpr *value, const Expr *array, const Expr **expr_out) {
    target = flat_subscript(b, target);
    int64_t position = target->args[0]->span.at;
    const Expr **args = arena_array(b->arena, const Expr *, 2 * target->arg_count + 2);
    uint32_t count = 2;
    bool slice = false;
    if (type_category((TypeId)array->type.id) != CAT_ARRAY) {
        return array->type.id == TYPE_JSONB ? not_supported(b, position, "an assignment to a part of jsonb")
                                            : error_set(b->err, ERR_DATATYPE_MISMATCH, position, "cannot subscript type %.*s because it does not support subscripting",
                                                        STR_ARG(type_name(b, array->type)));
    }
    for (uint32_t i = 1; i < target->arg_count; i++) {
        slice = slice || target->args[i]->kind == AST_SLICE;
    }
    if (target->arg_count - 1 > ANY_ARRAY_DIMS_MAX) {
        return error_set(b->err, ERR_PROGRAM_LIMIT, position, "number of array dimensions (%u) exceeds the maximum allowed (%d)", target->arg_count - 1, ANY_ARRAY_DIMS_MAX);
    }
    args[0] = array;
    TRY(bind_expr(b, scope, value, &args[1]));
    Type given = args[1]->type, wanted = slice ? array->type : type_element(array->type);
    ErrorCode code = coerce(b, args[1], wanted, CAST_ASSIGNMENT, &args[1]);
    if (code == ERR_DATATYPE_MISMATCH && target->args[0]->kind == AST_NAME) {
        error_ignore(error_set(b->err, code, position, "subscripted assignment to \"%.*s\" requires type %.*s but expression is of type %.*s",
                               STR_ARG(target->args[0]->as.names.parts[0].text), STR_ARG(type_name(b, wanted)), STR_ARG(type_name(b, given))));
        return error_add(b->err, 'H', "You will need to rewrite or cast the expression.");
    }
    TRY(code);
    if (slice) {
        TRY(slice_bounds(b, scope, target, args, &count));
    } else {
        for (uint32_t i = 1; i < target->arg_count; i++) {
            TRY(bind_bound(b, scope, target->args[i], 0, &args[count++]));
        }
    }
    return expr_call(b, function_bound(slice ? BOUND_ASSIGN_SLICE : BOUND_ASSIGN), NULL, array->type, args, count, position, expr_out);
}

/* ---------------------------------------------------------------- x op ANY (array) */

/* What stands for an element while the operator is looked up. */
static ErrorCode element_example(Binder *b, const Expr *left, const Expr *array, int64_t position, const Expr **expr_out) {
    if (array->type.id != TYPE_UNKNOWN) {
        Type element = type_element(array->type);
        bool decimal = element.id == TYPE_DECIMAL8 || element.id == TYPE_DECIMAL16;
        *expr_out = expr_column(b, column_new(b, NULL), decimal ? type_of(TYPE_NUMERIC) : element, position);
        return ERR_OK;
    }
    if (b->dialect == DIALECT_QUESTDB && left->type.id != TYPE_UNKNOWN) {
        *expr_out = expr_column(b, column_new(b, NULL), left->type, position);
        return ERR_OK;
    }
    *expr_out = expr_null(b, type_of(TYPE_UNKNOWN), position);
    return ERR_OK;
}

/* x = ANY of a constant array is x IN its elements. */
static ErrorCode constant_in(Binder *b, const Expr *x, const Expr *array, int64_t position, bool *done_out, const Expr **expr_out) {
    AnyArray view;
    Str bytes = strref_str(&array->as.value.as.str);
    *done_out = !array->as.value.is_null && any_array_view(bytes, &view, NULL) == ERR_OK && view.count > 0 && view.element == x->type.id;
    if (!*done_out) {
        return ERR_OK;
    }
    const Expr **items = arena_array(b->arena, const Expr *, view.count + 1);
    items[0] = x;
    for (uint32_t i = 0; i < view.count; i++) {
        AnyValue *read = arena_alloc_aligned(b->arena, sizeof *read, 16);
        Value value = {.type = x->type, .is_null = any_array_is_null(&view, i)};
        if (!value.is_null) {
            any_array_value(&view, i, read);
            memcpy(&value.as, read->bytes, sizeof read->bytes);
        }
        items[i + 1] = expr_constant(b, &value, position);
    }
    return expr_nary(b, EXPR_IN_LIST, type_of(TYPE_BOOL), items, view.count + 1, position, expr_out);
}

static ErrorCode quantify(Binder *b, const Expr *test, const Expr *array, bool all, int64_t position, const Expr **expr_out) {
    Quantifier *q = arena_new(b->arena, Quantifier);
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    q->all = all;
    for (; test->kind == EXPR_NOT; test = test->args[0]) {
        q->negated = !q->negated;
    }
    if (test->kind != EXPR_CALL || test->arg_count != 2 || test->as.call.function->result != TYPE_BOOL) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, position, "op ANY/ALL (array) requires operator to yield boolean");
    }
    q->function = test->as.call.function;
    Str name = str_from_c(q->function->name);
    bool is_equal = str_equal(name, STR("=")), is_unequal = str_equal(name, STR("<>"));
    bool says_equal = (is_equal && !q->negated) || (is_unequal && q->negated), says_unequal = (is_unequal && !q->negated) || (is_equal && q->negated);
    q->equal = all ? says_unequal : says_equal; /* an equal element decides */
    args[0] = test->args[0];
    Type element = test->args[1]->type;
    bool fits = array->type.id != TYPE_UNKNOWN && array->type.id != TYPE_FLOAT8_ARRAY && type_element(array->type).id == element.id;
    args[1] = array;
    if (!fits) {
        TRY(coerce(b, array, type_array(element), CAST_IMPLICIT, &args[1]));
    }
    q->equal = q->equal && args[0]->type.id == element.id;
    if (q->equal && args[1]->kind == EXPR_CONSTANT && !b->merge_off) {
        bool done = false;
        TRY(constant_in(b, args[0], args[1], position, &done, expr_out));
        if (done) {
            return all ? expr_not(b, *expr_out, position, expr_out) : ERR_OK;
        }
    }
    return expr_call(b, function_bound(BOUND_QUANTIFIED), q, type_of(TYPE_BOOL), args, 2, position, expr_out);
}

ErrorCode bind_quantified_value(Binder *b, Scope *scope, const AstExpr *ast, bool any, const Expr **expr_out) {
    const Expr *left = NULL, *array = NULL, *example = NULL, *test = NULL;
    int64_t position = ast->span.at;
    TRY(bind_expr(b, scope, ast->args[0], &left));
    TRY(bind_expr(b, scope, ast->args[1], &array));
    if (array->type.id != TYPE_UNKNOWN && type_category((TypeId)array->type.id) != CAT_ARRAY) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, position, "op ANY/ALL (array) requires array on right side");
    }
    TRY(element_example(b, left, array, position, &example));
    bool negated = str_starts_with(ast->as.text, STR("not "));
    Str name = negated ? str_slice(ast->as.text, 4, ast->as.text.len) : ast->as.text;
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    args[0] = left;
    args[1] = example;
    if (str_equal(name, STR("=")) || str_equal(name, STR("<>")) || str_equal(name, STR("!="))) { /* no NULL test of the questdb dialect */
        TRY(call_function(b, str_equal(name, STR("!=")) ? STR("<>") : name, args, 2, position, true, &test));
    } else {
        TRY(bind_operator(b, name, left, example, position, &test));
    }
    if (negated) {
        TRY(expr_not(b, test, position, &test));
    }
    return quantify(b, test, array, !any, position, expr_out);
}

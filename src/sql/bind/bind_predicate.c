/* SPDX-License-Identifier: Apache-2.0
 * bind_predicate.c - operators and predicates that are more than a row of the function table: AND, OR, NOT, IS, BETWEEN, IN, LIKE, = NULL.
 *
 * Layout: one table of names, each with a bind function; names that are not in it are plain operators. */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- comparisons */

/* D1: x = NULL with a literal NULL. */
static ErrorCode null_comparison(Binder *b, bool equal, const Expr *left, const Expr *right, int64_t position, const Expr **expr_out) {
    const Expr *other = expr_is_null_constant(left) ? right : left;
    const Expr *test = NULL;
    if (expr_is_null_constant(other)) {
        *expr_out = expr_bool(b, equal, position);
        return ERR_OK;
    }
    if (other->kind == EXPR_CONSTANT) {
        *expr_out = expr_bool(b, !equal, position);
        return ERR_OK;
    }
    TRY(coerce_known(b, other, &other));
    TRY(expr_is_null(b, other, position, &test));
    if (equal) {
        *expr_out = test;
        return ERR_OK;
    }
    return expr_not(b, test, position, expr_out);
}

/* Operators that the table has under another name, or only without the negation. */
static ErrorCode call_or_negate(Binder *b, Str name, Str positive, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    size_t rows = 0;
    (void)function_lookup(name, &rows);
    if (rows > 0) {
        return call_function(b, name, args, count, position, true, expr_out);
    }
    const Expr *test = NULL;
    TRY(call_function(b, positive, args, count, position, true, &test));
    return expr_not(b, test, position, expr_out);
}

ErrorCode bind_operator(Binder *b, Str name, const Expr *left, const Expr *right, int64_t position, const Expr **expr_out) {
    bool equal = str_equal(name, STR("="));
    bool unequal = str_equal(name, STR("<>")) || str_equal(name, STR("!="));
    if ((equal || unequal) && dialect_has(b->dialect, DIALECT_NULL_LITERAL_EQUALS) && (expr_is_null_constant(left) || expr_is_null_constant(right))) {
        return null_comparison(b, equal, left, right, position, expr_out);
    }
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    args[0] = left;
    args[1] = right;
    if ((str_equal(name, STR("#>")) || str_equal(name, STR("#>>"))) && right->type.id == TYPE_UNKNOWN) { /* a path is text[] */
        TRY(coerce(b, right, type_array(type_of(TYPE_TEXT)), CAST_IMPLICIT, &args[1]));
    }
    if (b->dialect == DIALECT_POSTGRES && left->type.id == TYPE_UNKNOWN && str_equal(name, STR("at time zone"))) { /* times of day are of the same kind to PostgreSQL */
        TRY(coerce(b, left, type_of(TYPE_TIMESTAMPTZ), CAST_IMPLICIT, &args[0]));
    }
    if (unequal) {
        return call_function(b, STR("<>"), args, 2, position, true, expr_out);
    }
    if (str_equal(name, STR("!~"))) {
        return call_or_negate(b, name, STR("~"), args, 2, position, expr_out);
    }
    if (str_equal(name, STR("!~*"))) {
        return call_or_negate(b, name, STR("~*"), args, 2, position, expr_out);
    }
    static const struct { Str sign, word; bool negated; } likes[] = {
        {{"~~", 2}, {"like", 4}, false}, {{"~~*", 3}, {"ilike", 5}, false}, {{"!~~", 3}, {"like", 4}, true}, {{"!~~*", 4}, {"ilike", 5}, true}, {{"~=", 2}, {"~", 1}, false},
    };
    for (size_t i = 0; i < COUNT_OF(likes); i++) {
        if (str_equal(name, likes[i].sign)) {
            TRY(call_function(b, likes[i].word, args, 2, position, true, expr_out));
            return likes[i].negated ? expr_not(b, *expr_out, position, expr_out) : ERR_OK;
        }
    }
    return call_function(b, name, args, 2, position, true, expr_out);
}

/* ---------------------------------------------------------------- AND, OR, NOT, IS */

static ErrorCode bind_logic(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    bool is_and = str_equal(ast->as.text, STR("and"));
    const Expr **args = arena_array(b->arena, const Expr *, ast->arg_count);
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        TRY(bind_expr(b, scope, ast->args[i], &args[i]));
        TRY(coerce_boolean(b, args[i], is_and ? "AND" : "OR", &args[i]));
    }
    return expr_nary(b, is_and ? EXPR_AND : EXPR_OR, type_of(TYPE_BOOL), args, ast->arg_count, ast->span.at, expr_out);
}

static ErrorCode bind_not(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr *arg = NULL;
    TRY(bind_expr(b, scope, ast->args[0], &arg));
    TRY(coerce_boolean(b, arg, "NOT", &arg));
    return expr_not(b, arg, ast->span.at, expr_out);
}

static bool is_negated(const AstExpr *ast) {
    return str_starts_with(ast->as.text, STR("not ")) || str_starts_with(ast->as.text, STR("is not "));
}

static ErrorCode finish_negated(Binder *b, const AstExpr *ast, const Expr *test, const Expr **expr_out) {
    if (is_negated(ast)) {
        return expr_not(b, test, ast->span.at, expr_out);
    }
    *expr_out = test;
    return ERR_OK;
}

/* A row IS NULL if all its fields are, IS NOT NULL if none is: not the opposite of each other. */
static ErrorCode row_is_null(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const AstExpr *row = ast->args[0];
    bool negated = is_negated(ast);
    const Expr **tests = arena_array(b->arena, const Expr *, row->arg_count + 1);
    for (uint32_t i = 0; i < row->arg_count; i++) {
        TRY(bind_expr(b, scope, row->args[i], &tests[i]));
        TRY(coerce_known(b, tests[i], &tests[i]));
        TRY(expr_is_null(b, tests[i], ast->span.at, &tests[i]));
        if (negated) {
            TRY(expr_not(b, tests[i], ast->span.at, &tests[i]));
        }
    }
    if (row->arg_count == 1) {
        *expr_out = tests[0];
        return ERR_OK;
    }
    return expr_nary(b, EXPR_AND, type_of(TYPE_BOOL), tests, row->arg_count, ast->span.at, expr_out);
}

static ErrorCode bind_is_null(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if (ast->args[0]->kind == AST_ROW && ast->args[0]->arg_count > 0) {
        return row_is_null(b, scope, ast, expr_out);
    }
    const Expr *arg = NULL;
    const Expr *test = NULL;
    TRY(bind_expr(b, scope, ast->args[0], &arg));
    if (arg->kind != EXPR_PARAM) { /* a parameter stays open: IS NULL alone says nothing of its type */
        TRY(coerce_known(b, arg, &arg));
    }
    TRY(expr_is_null(b, arg, ast->span.at, &test));
    return finish_negated(b, ast, test, expr_out);
}

/* x IS TRUE = x AND x IS NOT NULL, as CASE WHEN x THEN true ELSE false END; IS FALSE takes NOT x; IS UNKNOWN is IS NULL. */
static ErrorCode bind_is_boolean(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr *arg = NULL;
    const Expr *test = NULL;
    TRY(bind_expr(b, scope, ast->args[0], &arg));
    TRY(coerce_boolean(b, arg, "IS", &arg));
    if (str_ends_with(ast->as.text, STR("unknown"))) {
        TRY(expr_is_null(b, arg, ast->span.at, &test));
        return finish_negated(b, ast, test, expr_out);
    }
    if (str_ends_with(ast->as.text, STR("false"))) {
        TRY(expr_not(b, arg, ast->span.at, &arg));
    }
    const Expr **args = arena_array(b->arena, const Expr *, 3);
    args[0] = arg;
    args[1] = expr_bool(b, true, ast->span.at);
    args[2] = expr_bool(b, false, ast->span.at);
    TRY(expr_nary(b, EXPR_CASE, type_of(TYPE_BOOL), args, 3, ast->span.at, &test));
    return finish_negated(b, ast, test, expr_out);
}

/* x IS [NOT] JSON ...: what else the text shall be is the name's rest. */
static ErrorCode bind_is_json(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr *test = NULL;
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    TRY(bind_expr(b, scope, ast->args[0], &args[0]));
    TRY(coerce_known(b, args[0], &args[0]));
    TypeId type = (TypeId)args[0]->type.id;
    if (type_category(type) != CAT_TEXT && type_category(type) != CAT_JSON) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->span.at, "cannot use type %.*s in IS JSON predicate", STR_ARG(type_name(b, args[0]->type)));
    }
    TRY(coerce(b, args[0], type_of(TYPE_TEXT), CAST_EXPLICIT, &args[0]));
    args[1] = expr_text(b, ast->as.text, TYPE_TEXT, ast->span.at);
    TRY(call_function(b, STR("is json"), args, 2, ast->span.at, true, &test));
    return finish_negated(b, ast, test, expr_out);
}

static ErrorCode bind_two(Binder *b, Scope *scope, const AstExpr *ast, const Expr **left_out, const Expr **right_out) {
    TRY(bind_expr(b, scope, ast->args[0], left_out));
    return bind_expr(b, scope, ast->args[1], right_out);
}

static ErrorCode bind_distinct_from(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    const Expr *test = NULL;
    TRY(bind_two(b, scope, ast, &args[0], &args[1]));
    bool typed = args[0]->type.id != TYPE_RECORD && args[1]->type.id != TYPE_RECORD;
    if (typed && b->dialect == DIALECT_POSTGRES) { /* what = does not take is not compared */
        const Expr **equal = arena_array(b->arena, const Expr *, 2);
        memcpy(equal, args, 2 * sizeof *equal);
        TRY(call_function(b, STR("="), equal, 2, ast->span.at, true, &test));
    }
    TRY(call_function(b, STR("is distinct from"), args, 2, ast->span.at, true, &test));
    return finish_negated(b, ast, test, expr_out);
}

/* ---------------------------------------------------------------- BETWEEN */

static ErrorCode both(Binder *b, ExprKind kind, const Expr *left, const Expr *right, int64_t position, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    args[0] = left;
    args[1] = right;
    return expr_nary(b, kind, type_of(TYPE_BOOL), args, 2, position, expr_out);
}

static ErrorCode range_test(Binder *b, const Expr *x, const Expr *low, const Expr *high, int64_t position, const Expr **expr_out) {
    const Expr *from = NULL;
    const Expr *to = NULL;
    TRY(bind_operator(b, STR(">="), x, low, position, &from));
    TRY(bind_operator(b, STR("<="), x, high, position, &to));
    return both(b, EXPR_AND, from, to, position, expr_out);
}

static ErrorCode bind_between(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr *x = NULL;
    const Expr *low = NULL;
    const Expr *high = NULL;
    const Expr *test = NULL;
    TRY(bind_two(b, scope, ast, &x, &low));
    TRY(bind_expr(b, scope, ast->args[2], &high));
    TRY(range_test(b, x, low, high, ast->span.at, &test));
    if (str_ends_with(ast->as.text, STR("symmetric"))) {
        const Expr *mirrored = NULL;
        TRY(range_test(b, x, high, low, ast->span.at, &mirrored));
        TRY(both(b, EXPR_OR, test, mirrored, ast->span.at, &test));
    }
    return finish_negated(b, ast, test, expr_out);
}

/* ---------------------------------------------------------------- IN */

ErrorCode in_subquery(Binder *b, Scope *scope, const Expr *x, const AstExpr *ast, const Expr **expr_out) {
    Query query = {0};
    Capture capture;
    capture_push(b, &capture, scope);
    ErrorCode code = bind_subselect(b, ast->args[1]->as.select, scope, "IN (subquery)", &x->type, &query);
    capture_pop(b, &capture);
    TRY(code);
    const Expr *read = rel_column_expr(b, query.rel, 0);
    const Expr *pair[2] = {x, read};
    Type type = {0};
    TRY(compare_as_text(b, pair, 2));
    TRY(common_type(b, pair, 2, "IN", &type));
    TRY(coerce(b, pair[0], type, CAST_IMPLICIT, &x));
    const Expr **column = arena_array(b->arena, const Expr *, 1);
    TRY(coerce(b, pair[1], type, CAST_IMPLICIT, column));
    if (*column != read) {
        Str name = query.rel->columns[0].name;
        TRY(rel_project(b, query.rel, column, &name, 1, &query.rel));
    }
    return expr_rel(b, EXPR_IN_REL, type_of(TYPE_BOOL), x, query.rel, &capture, ast->span.at, expr_out);
}

/* ts IN '2024-09' */
static ErrorCode in_interval(Binder *b, const Expr *x, const Expr *text, int64_t position, const Expr **expr_out) {
    const KeyRange *ranges = NULL;
    uint32_t count = 0;
    TRY(time_ranges(b, strref_str(&text->as.value.as.str), x->type, text->position, &ranges, &count));
    return expr_time_in(b, x, ranges, count, position, expr_out);
}

static bool is_text_constant(const Expr *expr) {
    bool text = expr->type.id == TYPE_UNKNOWN || expr->type.id == TYPE_TEXT || expr->type.id == TYPE_VARCHAR;
    return expr->kind == EXPR_CONSTANT && text && !expr->as.value.is_null;
}

static ErrorCode in_bare(Binder *b, Scope *scope, const Expr *x, const AstExpr *ast, const Expr **expr_out) {
    const Expr *right = NULL;
    TRY(bind_expr(b, scope, ast->args[1], &right));
    bool time = type_is_timestamp((TypeId)x->type.id);
    if (time && is_text_constant(right)) {
        return in_interval(b, x, right, ast->span.at, expr_out);
    }
    if (time) {
        return not_supported(b, ast->args[1]->span.at, "IN with an interval that is no text constant");
    }
    return bind_operator(b, STR("="), x, right, ast->span.at, expr_out);
}

/* D1: IN with a literal NULL is what = NULL is: the list without it, or IS NULL. */
static ErrorCode in_or_null(Binder *b, const Expr *x, const Expr *in, int64_t position, const Expr **expr_out) {
    const Expr *null_test = NULL;
    TRY(bind_operator(b, STR("="), x, expr_null(b, type_of(TYPE_UNKNOWN), position), position, &null_test));
    if (in == NULL) {
        *expr_out = null_test;
        return ERR_OK;
    }
    return both(b, EXPR_OR, in, null_test, position, expr_out);
}

static ErrorCode in_values(Binder *b, const Expr **args, uint32_t count, const AstExpr *ast, const Expr **expr_out);

static ErrorCode in_list(Binder *b, Scope *scope, const Expr *x, const AstExpr *ast, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, ast->arg_count);
    bool skip_nulls = dialect_has(b->dialect, DIALECT_NULL_LITERAL_EQUALS);
    bool has_null = false;
    uint32_t count = 1;
    args[0] = x;
    for (uint32_t i = 1; i < ast->arg_count; i++) {
        TRY(bind_expr(b, scope, ast->args[i], &args[count]));
        bool null = skip_nulls && expr_is_null_constant(args[count]);
        has_null = has_null || null;
        count += !null;
    }
    const Expr *in = NULL;
    if (count > 1) {
        TRY(in_values(b, args, count, ast, &in));
    }
    if (has_null) {
        return in_or_null(b, x, in, ast->span.at, expr_out);
    }
    *expr_out = in;
    return ERR_OK;
}

static ErrorCode in_values(Binder *b, const Expr **args, uint32_t count, const AstExpr *ast, const Expr **expr_out) {
    if (count == 2) {
        return bind_operator(b, STR("="), args[0], args[1], ast->span.at, expr_out);
    }
    Type type = {0};
    TRY(compare_as_text(b, args, count));
    TRY(common_type(b, args, count, "IN", &type));
    for (uint32_t i = 0; i < count; i++) {
        TRY(coerce(b, args[i], type, CAST_IMPLICIT, &args[i]));
    }
    return expr_nary(b, EXPR_IN_LIST, type_of(TYPE_BOOL), args, count, ast->span.at, expr_out);
}

static ErrorCode bind_in(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr *x = NULL;
    const Expr *test = NULL;
    if (ast->args[0]->kind == AST_ROW) {
        TRY(bind_row_in(b, scope, ast, &test));
        return finish_negated(b, ast, test, expr_out);
    }
    TRY(bind_expr(b, scope, ast->args[0], &x));
    if (ast->arg_count == 2 && ast->args[1]->kind == AST_SUBQUERY) {
        TRY(in_subquery(b, scope, x, ast, &test));
    } else if ((ast->flags & AST_BARE) != 0) {
        TRY(in_bare(b, scope, x, ast, &test));
    } else {
        TRY(in_list(b, scope, x, ast, &test));
    }
    return finish_negated(b, ast, test, expr_out);
}

/* ---------------------------------------------------------------- LIKE and other words */

/* SIMILAR TO: the pattern, which has to be a constant, as a regular expression over the whole text. */
static ErrorCode similar_pattern(Binder *b, const Expr *const *args, const AstExpr *ast, const Expr **pattern_out) {
    bool text = args[1]->kind == EXPR_CONSTANT && type_physical((TypeId)args[1]->type.id) == PHYS_STR && args[1]->type.id != TYPE_JSONB;
    if (!text || ast->arg_count > 2) {
        return not_supported(b, ast->span.at, "SIMILAR TO with ESCAPE or a pattern that is no constant");
    }
    if (args[1]->as.value.is_null) {
        *pattern_out = args[1];
        return ERR_OK;
    }
    Str pattern = strref_str(&args[1]->as.value.as.str);
    Buffer out;
    buffer_init(&out, 1 << 20);
    buffer_append_str(&out, STR("^(?:"));
    bool inside = false; /* brackets */
    for (size_t i = 0; i < pattern.len; i++) {
        char c = pattern.data[i];
        if (c == '\\' && i + 1 < pattern.len) {
            buffer_append_char(&out, '\\');
            buffer_append_char(&out, pattern.data[++i]);
            continue;
        }
        inside = c == '[' ? true : c == ']' ? false : inside;
        if (!inside && c == '%') {
            buffer_append_str(&out, STR(".*"));
        } else if (!inside && c == '_') {
            buffer_append_char(&out, '.');
        } else if (!inside && (c == '.' || c == '^' || c == '$')) {
            buffer_append_char(&out, '\\');
            buffer_append_char(&out, c);
        } else {
            buffer_append_char(&out, c);
        }
    }
    buffer_append_str(&out, STR(")$"));
    *pattern_out = expr_text(b, arena_str(b->arena, buffer_str(&out)), TYPE_TEXT, args[1]->position);
    buffer_deinit(&out);
    return ERR_OK;
}

static ErrorCode bind_like(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if ((ast->flags & (AST_ANY | AST_ALL)) != 0) {
        return bind_quantified(b, scope, ast, expr_out);
    }
    const Expr **args = NULL;
    const Expr *test = NULL;
    TRY(bind_exprs(b, scope, ast->args, ast->arg_count, &args));
    Str name = is_negated(ast) ? str_slice(ast->as.text, 4, ast->as.text.len) : ast->as.text;
    size_t rows = 0;
    (void)function_lookup(name, &rows);
    if (rows == 0 && str_starts_with(name, STR("similar"))) {
        TRY(similar_pattern(b, args, ast, &args[1]));
        TRY(call_function(b, STR("~"), args, 2, ast->span.at, true, &test));
        return finish_negated(b, ast, test, expr_out);
    }
    TRY(call_function(b, name, args, ast->arg_count, ast->span.at, true, &test));
    return finish_negated(b, ast, test, expr_out);
}

static ErrorCode bind_exists(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    Query query = {0};
    Capture capture;
    capture_push(b, &capture, scope);
    ErrorCode code = bind_query(b, ast->args[0]->as.select, scope, &query);
    capture_pop(b, &capture);
    TRY(code);
    TRY(query_settle(b, &query, NULL));
    return expr_rel(b, EXPR_EXISTS_REL, type_of(TYPE_BOOL), NULL, query.rel, &capture, ast->span.at, expr_out);
}

/* (a, b) OVERLAPS (c, d); an interval in second place is a length. */
static ErrorCode bind_overlaps(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 4);
    for (uint32_t i = 0; i < 2; i++) {
        const AstExpr *row = ast->args[i];
        if (row->kind != AST_ROW || row->arg_count != 2) {
            return error_set(b->err, ERR_SYNTAX, row->span.at, "wrong number of parameters on %s side of OVERLAPS expression", i == 0 ? "left" : "right");
        }
        TRY(bind_expr(b, scope, row->args[0], &args[2 * i]));
        TRY(bind_expr(b, scope, row->args[1], &args[2 * i + 1]));
        if (args[2 * i + 1]->type.id == TYPE_INTERVAL) {
            TRY(bind_operator(b, STR("+"), args[2 * i], args[2 * i + 1], ast->span.at, &args[2 * i + 1]));
        }
    }
    return call_function(b, STR("overlaps"), args, 4, ast->span.at, false, expr_out);
}

static ErrorCode refuse_word(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    (void)scope;
    (void)expr_out;
    return not_supported(b, ast->span.at, "%.*s", STR_ARG(arena_upper(b->arena, ast->as.text)));
}

/* Collations: every text compares by code points, which is what "C" and "POSIX" ask for. */
static ErrorCode bind_collate(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const AstNames *names = &ast->args[1]->as.names;
    Str name = names->parts[names->count - 1].text;
    if (!str_equal_ignore_case(name, STR("c")) && !str_equal_ignore_case(name, STR("posix")) && !str_equal_ignore_case(name, STR("default"))) {
        return not_supported(b, ast->args[1]->span.at, "collation \"%.*s\"", STR_ARG(name));
    }
    return bind_expr(b, scope, ast->args[0], expr_out);
}

/* ---------------------------------------------------------------- the table */

typedef ErrorCode (*PredicateBind)(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
typedef struct PredicateRow { Str name; PredicateBind bind; } PredicateRow;
#define ROW(text, bind) {{text, sizeof(text) - 1}, bind}
static const PredicateRow predicate_rows[] = {
    ROW("and", bind_logic), ROW("or", bind_logic), ROW("not", bind_not), ROW("in", bind_in), ROW("not in", bind_in),
    ROW("is null", bind_is_null), ROW("is not null", bind_is_null), ROW("between", bind_between), ROW("not between", bind_between),
    ROW("between symmetric", bind_between), ROW("not between symmetric", bind_between), ROW("like", bind_like), ROW("not like", bind_like),
    ROW("ilike", bind_like), ROW("not ilike", bind_like), ROW("similar to", bind_like), ROW("not similar to", bind_like),
    ROW("is true", bind_is_boolean), ROW("is not true", bind_is_boolean), ROW("is false", bind_is_boolean), ROW("is not false", bind_is_boolean),
    ROW("is unknown", bind_is_boolean), ROW("is not unknown", bind_is_boolean), ROW("is distinct from", bind_distinct_from),
    ROW("is not distinct from", bind_distinct_from), ROW("collate", bind_collate), ROW("within", refuse_word), ROW("overlaps", bind_overlaps),
    ROW("is normalized", refuse_word), ROW("is not normalized", refuse_word),
};

ErrorCode bind_predicate(Binder *b, Scope *scope, const AstExpr *ast, bool *found_out, const Expr **expr_out) {
    *found_out = true;
    if ((ast->flags & AST_OPERATOR) == 0) {
        bool exists = str_equal(ast->as.text, STR("exists")) && ast->arg_count == 1 && ast->args[0]->kind == AST_SUBQUERY;
        bool array = str_equal(ast->as.text, STR("array")) && ast->arg_count == 1 && ast->args[0]->kind == AST_SUBQUERY;
        *found_out = exists || array;
        return exists ? bind_exists(b, scope, ast, expr_out) : array ? bind_array_query(b, scope, ast, expr_out) : ERR_OK;
    }
    if (str_starts_with(ast->as.text, STR("is json")) || str_starts_with(ast->as.text, STR("is not json"))) {
        return bind_is_json(b, scope, ast, expr_out);
    }
    for (size_t i = 0; i < COUNT_OF(predicate_rows); i++) {
        if (str_equal(predicate_rows[i].name, ast->as.text)) {
            return predicate_rows[i].bind(b, scope, ast, expr_out);
        }
    }
    *found_out = false;
    return ERR_OK;
}

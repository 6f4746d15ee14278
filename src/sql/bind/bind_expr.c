/* SPDX-License-Identifier: Apache-2.0
 * bind_expr.c - one switch over the kinds of parsed expressions; names, parameters, casts, CASE, COALESCE, subqueries.
 *
 * Why:   depth of the tree is bounded by the parser, so this walk may recurse.
 * Tests: test/unit/sql/bind/ */
#include "column/array.h"
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"
#include <stdarg.h>
#include <stdio.h>

ErrorCode not_supported(Binder *b, int64_t position, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(b->err, ERR_NOT_SUPPORTED, position, "%s is not supported yet", what);
}

/* ---------------------------------------------------------------- names, parameters, variables */

/* QuestDB's `select build`, from which its clients read the level of the server. */
static bool is_build(const Binder *b, const Scope *scope, const AstNames *names) {
    return b->dialect == DIALECT_QUESTDB && scope->count == 0 && scope->outer == NULL && names->count == 1 &&
           str_equal_ignore_case(names->parts[0].text, STR("build"));
}

static ErrorCode bind_name(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if (is_build(b, scope, &ast->as.names)) {
        *expr_out = expr_text(b, STR("Build Information: QuestDB 9.3.4 (Basalt 0.1.0), JDK none, Commit Hash none"), TYPE_VARCHAR, ast->span.at);
        return ERR_OK;
    }
    if (ast->as.names.count > 1) {
        return scope_resolve(b, scope, &ast->as.names, expr_out);
    }
    Error *err = b->err; /* what is no column may be a table: its row */
    Error quiet;
    b->err = &quiet;
    ErrorCode code = scope_resolve(b, scope, &ast->as.names, expr_out);
    b->err = err;
    if (code == ERR_OK) {
        return ERR_OK;
    }
    bool found = false;
    if (code == ERR_UNDEFINED_COLUMN) {
        TRY(bind_whole_row(b, scope, ast->as.names.parts, &found, expr_out));
    }
    return found ? ERR_OK : error_pass(b->err, &quiet);
}

static uint32_t named_param_number(const Binder *b, const AstExpr *ast) {
    const AstStatement *statement = b->statement;
    for (uint32_t i = 0; i < statement->named_param_count; i++) {
        if (str_equal(statement->named_params[i].text, ast->as.name->text)) {
            return (uint32_t)statement->param_max + i;
        }
    }
    return UINT32_MAX;
}

static ErrorCode bind_param(Binder *b, const AstExpr *ast, const Expr **expr_out) {
    uint32_t number = (ast->flags & AST_NAMED) != 0 ? named_param_number(b, ast) : (uint32_t)ast->as.param - 1;
    if (number >= b->param_count) {
        return error_set(b->err, ERR_UNDEFINED_PARAMETER, ast->span.at, "there is no such parameter");
    }
    if (b->param_positions[number] < 0) {
        b->param_positions[number] = ast->span.at;
    }
    *expr_out = expr_param(b, number, b->param_types[number], ast->span.at);
    return ERR_OK;
}

const AstExpr *ast_variable(Binder *b, const AstExpr *ast) {
    if (ast->kind != AST_VARIABLE) {
        return ast;
    }
    for (VariableScope *v = b->variables; v != NULL; v = v->outer) {
        if (str_equal_ignore_case(v->declare->name.text, ast->as.text)) {
            return v->declare->value;
        }
    }
    return ast;
}

static ErrorCode bind_variable(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    VariableScope *saved = b->variables;
    for (VariableScope *v = saved; v != NULL; v = v->outer) {
        if (str_equal_ignore_case(v->declare->name.text, ast->as.text)) {
            b->variables = v->outer; /* a variable sees those declared before it */
            ErrorCode code = bind_expr(b, scope, v->declare->value, expr_out);
            b->variables = saved;
            return code;
        }
    }
    return error_set(b->err, ERR_UNDEFINED_COLUMN, ast->span.at, "variable @%.*s is not declared", STR_ARG(ast->as.text));
}

/* ---------------------------------------------------------------- casts */

/* INTERVAL '1' DAY: a plain number takes the field as its unit. */
static ErrorCode interval_text(Binder *b, const AstExpr *ast, const Expr **expr_out) {
    const AstType *type = ast->as.type;
    Str text = ast->args[0]->as.text;
    bool number = text.len > 0;
    for (size_t i = 0; i < text.len; i++) {
        number = number && ((text.data[i] >= '0' && text.data[i] <= '9') || text.data[i] == '.' || (i == 0 && (text.data[i] == '-' || text.data[i] == '+')));
    }
    ptrdiff_t many = str_find(type->interval_fields, STR(" to "), 0);
    Str field = many < 0 ? type->interval_fields : str_slice(type->interval_fields, (size_t)many + 4, type->interval_fields.len);
    bool day_hour = str_equal_ignore_case(type->interval_fields, STR("day to hour"));
    ptrdiff_t blank = str_find_char(text, ' ', 0);
    if (number) { /* of the last field */
        text = arena_format(b->arena, "%.*s %.*s", STR_ARG(text), STR_ARG(field));
    } else if (day_hour && blank > 0 && str_find_char(text, ':', 0) < 0) { /* '1 2' */
        text = arena_format(b->arena, "%.*s days %.*s hours", (int)blank, text.data, (int)(text.len - (size_t)blank - 1), text.data + blank + 1);
    }
    *expr_out = expr_text(b, text, TYPE_UNKNOWN, ast->args[0]->span.at);
    return ERR_OK;
}

static ErrorCode bind_cast(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    Type type = {0};
    uint32_t domain = 0;
    const Expr *value = NULL;
    TRY(type_or_domain(b, ast->as.type, &type, &domain));
    if (ast->args[0]->kind == AST_ARRAY && type.id == TYPE_ARRAY) { /* the elements are cast, not the array */
        Type element = type_element(type);
        TRY(bind_array_of(b, scope, ast->args[0], &element, &value));
        return coerce(b, value, type, CAST_EXPLICIT, expr_out);
    }
    if ((ast->flags & AST_TYPED_LITERAL) != 0 && ast->as.type->interval_fields.len > 0) {
        TRY(interval_text(b, ast, &value));
    } else {
        TRY(bind_expr(b, scope, ast->args[0], &value));
    }
    ErrorCode code = coerce(b, value, type, CAST_EXPLICIT, expr_out);
    if (code == ERR_CANNOT_COERCE && b->err != NULL) {
        b->err->position = ast->span.at; /* at the cast, not at its value */
    }
    return code == ERR_OK && domain != 0 ? domain_checked(b, domain, *expr_out, expr_out) : code;
}

/* ---------------------------------------------------------------- CASE, COALESCE */

ErrorCode case_of(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    assert(count % 2 == 1);
    const Expr **values = arena_array(b->arena, const Expr *, count / 2 + 1);
    uint32_t value_count = 0;
    values[value_count++] = args[count - 1]; /* ELSE tells the type first, as in PostgreSQL */
    for (uint32_t i = 1; i < count; i += 2) {
        values[value_count++] = args[i];
    }
    Type type = {0};
    TRY(common_type(b, values, value_count, "CASE", &type));
    for (uint32_t i = 1; i < count; i += 2) {
        TRY(coerce(b, args[i], type, CAST_IMPLICIT, &args[i]));
    }
    TRY(coerce(b, args[count - 1], type, CAST_IMPLICIT, &args[count - 1]));
    if (type.id == TYPE_SYMBOL) {
        type = args[count - 1]->type;
    }
    return expr_nary(b, EXPR_CASE, type, args, count, position, expr_out);
}

static ErrorCode bind_case(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    uint32_t at = 0;
    const Expr *operand = NULL;
    const Expr **args = arena_array(b->arena, const Expr *, ast->arg_count + 2);
    uint32_t count = 0;
    bool has_else = (ast->flags & AST_HAS_ELSE) != 0;
    if ((ast->flags & AST_HAS_OPERAND) != 0) {
        TRY(bind_expr(b, scope, ast->args[at++], &operand));
    }
    uint32_t end = ast->arg_count - (has_else ? 1 : 0);
    for (; at + 1 < end + 1 && at < end; at += 2) {
        const Expr *when = NULL;
        TRY(bind_expr(b, scope, ast->args[at], &when));
        if (operand != NULL) {
            const Expr **pair = arena_array(b->arena, const Expr *, 2); /* plain equality: WHEN NULL never matches */
            pair[0] = operand;
            pair[1] = when;
            TRY(call_function(b, STR("="), pair, 2, ast->args[at]->span.at, true, &when));
        }
        TRY(coerce_boolean(b, when, "CASE/WHEN", &args[count++]));
        TRY(bind_expr(b, scope, ast->args[at + 1], &args[count++]));
    }
    if (has_else) {
        TRY(bind_expr(b, scope, ast->args[ast->arg_count - 1], &args[count++]));
    } else {
        args[count++] = expr_null(b, type_of(TYPE_UNKNOWN), ast->span.at);
    }
    return case_of(b, args, count, ast->span.at, expr_out);
}

ErrorCode coalesce_of(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    Type type = {0};
    TRY(common_type(b, args, count, "COALESCE", &type));
    for (uint32_t i = 0; i < count; i++) {
        TRY(coerce(b, args[i], type, CAST_IMPLICIT, &args[i]));
    }
    return expr_nary(b, EXPR_COALESCE, type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : type, args, count, position, expr_out);
}

/* ---------------------------------------------------------------- subqueries, arrays */

static ErrorCode bind_scalar_subquery(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    Query query = {0};
    Capture capture;
    capture_push(b, &capture, scope);
    ErrorCode code = bind_subselect(b, ast->as.select, scope, "a subquery used as an expression", NULL, &query);
    capture_pop(b, &capture);
    TRY(code);
    Type type = query.rel->columns[0].type;
    return expr_rel(b, EXPR_SCALAR_REL, type, NULL, query.rel, &capture, ast->span.at, expr_out);
}

static uint8_t array_dims(const AstExpr *ast) {
    uint8_t dims = 1;
    for (; ast->arg_count > 0 && ast->args[0]->kind == AST_ARRAY && dims < ARRAY_DIMS_MAX; ast = ast->args[0]) {
        dims++;
    }
    return dims;
}

/* ARRAY[1.0, 2.5]: constants only become one constant; anything else is not there yet. */
static ErrorCode array_text(Binder *b, const AstExpr *ast, Buffer *out) {
    buffer_append_char(out, '{');
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        const AstExpr *item = ast->args[i];
        if (i > 0) {
            buffer_append_char(out, ',');
        }
        if (item->kind == AST_ARRAY) {
            TRY(array_text(b, item, out));
        } else if (item->kind == AST_INTEGER || (item->kind == AST_NUMBER && (item->flags & AST_SUFFIXED) == 0)) {
            buffer_append_str(out, item->as.text);
        } else if (item->kind == AST_NULL) {
            buffer_append_str(out, STR("NULL"));
        } else {
            return not_supported(b, item->span.at, "an array of expressions that are no numbers");
        }
    }
    buffer_append_char(out, '}');
    return ERR_OK;
}

static ErrorCode bind_array(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if (b->dialect != DIALECT_QUESTDB) {
        return bind_array_of(b, scope, ast, NULL, expr_out);
    }
    Buffer text;
    buffer_init(&text, 64 << 20);
    ErrorCode code = array_text(b, ast, &text);
    if (code == ERR_OK) {
        code = buffer_check(&text, b->err);
    }
    if (code == ERR_OK) {
        const Expr *literal = expr_text(b, arena_str(b->arena, buffer_str(&text)), TYPE_UNKNOWN, ast->span.at);
        code = coerce(b, literal, (Type){.id = TYPE_FLOAT8_ARRAY, .dims = array_dims(ast)}, CAST_EXPLICIT, expr_out);
    }
    buffer_deinit(&text);
    return code;
}

/* ---------------------------------------------------------------- the switch */

static ErrorCode bind_kind(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    switch ((AstExprKind)ast->kind) {
    case AST_NULL:
    case AST_BOOLEAN:
    case AST_INTEGER:
    case AST_NUMBER:
    case AST_STRING:
    case AST_BIT_STRING:
    case AST_GEOHASH: return bind_literal(b, ast, expr_out);
    case AST_PARAM: return bind_param(b, ast, expr_out);
    case AST_VARIABLE: return bind_variable(b, scope, ast, expr_out);
    case AST_NAME: return bind_name(b, scope, ast, expr_out);
    case AST_CALL: return bind_call(b, scope, ast, expr_out);
    case AST_CALL_SPECIAL: return bind_special_call(b, scope, ast, expr_out);
    case AST_CASE: return bind_case(b, scope, ast, expr_out);
    case AST_CAST: return bind_cast(b, scope, ast, expr_out);
    case AST_SUBQUERY: return bind_scalar_subquery(b, scope, ast, expr_out);
    case AST_ARRAY: return bind_array(b, scope, ast, expr_out);
    case AST_STAR: return bind_star_value(b, scope, ast, expr_out);
    case AST_DEFAULT: return error_set(b->err, ERR_SYNTAX, ast->span.at, "DEFAULT is not allowed in this context");
    case AST_ROW: return bind_row_value(b, scope, ast, expr_out);
    case AST_FIELD: return bind_field(b, scope, ast, expr_out);
    case AST_SUBSCRIPT: return bind_subscript(b, scope, ast, expr_out);
    case AST_SLICE: return not_supported(b, ast->span.at, "an array slice");
    }
    return error_set(b->err, ERR_INTERNAL, ast->span.at, "expression of kind %d", ast->kind);
}

ErrorCode bind_expr(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    if (b->arena->over_limit) {
        return error_set(b->err, ERR_OUT_OF_MEMORY, ast->span.at, "statement needs more than %zu bytes", b->arena->limit_bytes);
    }
    return bind_kind(b, scope, ast, expr_out);
}

ErrorCode bind_exprs(Binder *b, Scope *scope, AstExpr *const *asts, uint32_t count, const Expr ***exprs_out) {
    const Expr **exprs = arena_array(b->arena, const Expr *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(bind_expr(b, scope, asts[i], &exprs[i]));
    }
    *exprs_out = exprs;
    return ERR_OK;
}

ErrorCode bind_stored(Binder *b, Scope *scope, Str text, uint8_t dialect, const Type *type, const Expr **expr_out) {
    AstExpr *ast = NULL;
    Dialect before = b->dialect;
    b->dialect = (Dialect)dialect;
    ErrorCode code = sql_parse_expression(text, b->dialect, b->arena, &ast, b->err);
    code = code == ERR_OK ? bind_expr(b, scope, ast, expr_out) : code;
    code = code == ERR_OK && type != NULL ? coerce(b, *expr_out, *type, CAST_ASSIGNMENT, expr_out) : code;
    b->dialect = before;
    return code;
}

ErrorCode bind_condition(Binder *b, Scope *scope, const AstExpr *ast, const char *clause, const Expr **expr_out) {
    const Expr *condition = NULL;
    const char *saved = scope->clause;
    scope->clause = clause;
    TRY(bind_expr(b, scope, ast, &condition));
    scope->clause = saved;
    return coerce_boolean(b, condition, clause, expr_out);
}

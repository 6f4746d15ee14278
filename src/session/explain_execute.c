/* SPDX-License-Identifier: Apache-2.0
 * explain_execute.c - EXPLAIN EXECUTE: the plan of the prepared statement with the arguments in the places of its parameters.
 *
 * Why:   drivers that check queries beforehand ask for plans that way.
 * Tests: test/sql/explain_execute.slt */
#include "session/session_internal.h"

static Str argument_text(Compiled *compiled, const AstExpr *argument, Type type) {
    char name[80];
    Buffer text;
    buffer_init(&text, STATEMENT_ARENA_BYTES_MAX);
    bool named = type_enum_object(type) == 0;
    buffer_append_str(&text, named ? STR("(CAST((") : STR("(("));
    sql_deparse_expr(argument, compiled->session->dialect, &text);
    if (named) {
        buffer_append_str(&text, STR(") AS "));
        buffer_append(&text, name, type_format_sql(name, sizeof name, type));
    }
    buffer_append_str(&text, STR("))"));
    Str out = arena_str(&compiled->arena, buffer_str(&text));
    buffer_deinit(&text);
    return out;
}

ErrorCode compiled__expand_explain(Compiled *compiled, Error *err) {
    bool of_execute = compiled->tree != NULL && compiled->tree->kind == AST_EXPLAIN_STATEMENT &&
                      compiled->tree->as.explain->statement->kind == AST_EXECUTE_STATEMENT;
    if (!of_execute) {
        return ERR_OK;
    }
    AstExplain *explain = compiled->tree->as.explain;
    const AstExecute *execute = explain->statement->as.execute;
    Prepared *prepared = NULL;
    TRY(session_prepared_find(compiled->session, execute->name.text, &prepared, err));
    uint32_t count = prepared_param_count(prepared);
    if (count != execute->arg_count) {
        (void)error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "wrong number of parameters for prepared statement \"%.*s\"", STR_ARG(execute->name.text));
        return error_add(err, 'D', "Expected %u parameters but got %u.", count, execute->arg_count);
    }
    Str *values = arena_array(&compiled->arena, Str, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = argument_text(compiled, execute->args[i], prepared_param_type(prepared, i));
    }
    Str text;
    size_t used = 0;
    Dialect dialect = compiled->session->dialect;
    TRY(sql_replace_params(prepared_text(prepared), dialect, values, count, &compiled->arena, &text, err));
    TRY(sql_parse(text, 0, dialect, &compiled->arena, &explain->statement, &used, err));
    return explain->statement != NULL ? ERR_OK : error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "prepared statement is empty");
}

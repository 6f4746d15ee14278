/* SPDX-License-Identifier: Apache-2.0
 * bind_record.c - ROW(...), a table's row as one value, (record).field.
 *
 * Why:   a record names its fields only by where it was made, so shapes are kept beside columns and expressions while a statement is bound;
 *        a field of a record that is made on the spot is the expression that stands in it.
 * Tests: test/sql/records.slt */
#include "sql/bind/bind_internal.h"

const RecordShape *record_shape(const Binder *b, const Expr *expr) {
    uint64_t found = 0;
    if (expr->type.id != TYPE_RECORD) {
        return NULL;
    }
    if (expr->kind == EXPR_COLUMN || expr->kind == EXPR_OUTER) {
        return intmap_get(&b->column_shapes, expr->as.column, &found) ? (const RecordShape *)(uintptr_t)found : NULL;
    }
    if (expr->kind == EXPR_SCALAR_REL) {
        return intmap_get(&b->column_shapes, expr->as.rel->columns[0].id, &found) ? (const RecordShape *)(uintptr_t)found : NULL;
    }
    return intmap_get(&b->expr_shapes, (uintptr_t)expr, &found) ? (const RecordShape *)(uintptr_t)found : NULL;
}

void record_shape_column(Binder *b, ColumnId id, const Expr *value) {
    const RecordShape *shape = record_shape(b, value);
    if (shape != NULL) {
        (void)intmap_put(&b->column_shapes, id, (uintptr_t)shape);
    }
}

ErrorCode record_of(Binder *b, const Expr **args, const Str *names, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count > CALL_ARGS_MAX * 10u) {
        return error_set(b->err, ERR_TOO_MANY_COLUMNS, position, "ROW expressions can have at most %u entries", CALL_ARGS_MAX * 10u);
    }
    Str *own_names = arena_array(b->arena, Str, count + 1);
    Type *types = arena_array(b->arena, Type, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->kind != EXPR_PARAM) { /* a row says nothing of a parameter's type */
            TRY(coerce_known(b, args[i], &args[i]));
        }
        if (args[i]->type.id == TYPE_SYMBOL) {
            TRY(coerce(b, args[i], type_of(TYPE_TEXT), CAST_IMPLICIT, &args[i]));
        }
        bool decimal = args[i]->type.id == TYPE_DECIMAL8 || args[i]->type.id == TYPE_DECIMAL16;
        types[i] = decimal ? type_of(TYPE_NUMERIC) : args[i]->type;
        own_names[i] = names != NULL ? names[i] : arena_format(b->arena, "f%u", i + 1);
    }
    TRY(expr_call(b, function_bound(BOUND_ROW), NULL, type_of(TYPE_RECORD), args, count, position, expr_out));
    RecordShape *shape = arena_new(b->arena, RecordShape);
    *shape = (RecordShape){count, own_names, types};
    uint64_t known = 0;
    if (names != NULL || !intmap_get(&b->expr_shapes, (uintptr_t)*expr_out, &known)) {
        (void)intmap_put(&b->expr_shapes, (uintptr_t)*expr_out, (uintptr_t)shape);
    }
    return ERR_OK;
}

/* ROW(t.*) has the columns of t. */
static ErrorCode add_star(Binder *b, const Scope *scope, const AstExpr *star, const Expr **args, uint32_t *count) {
    uint32_t before = *count;
    for (uint32_t i = 0; i < scope->count; i++) {
        const ScopeColumn *column = &scope->columns[i];
        bool wanted = star->as.names.count > 0 ? name_same(&star->as.names.parts[star->as.names.count - 1], column->qualifier) : !column->merged;
        if (wanted) {
            args[(*count)++] = expr_column(b, column->id, column->type, star->span.at);
        }
    }
    return *count > before ? ERR_OK : error_set(b->err, ERR_UNDEFINED_TABLE, star->span.at, "missing FROM-clause entry for a row's *");
}

ErrorCode bind_row_value(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, (size_t)ast->arg_count * (scope->count + 1u) + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        if (ast->args[i]->kind == AST_STAR) {
            TRY(add_star(b, scope, ast->args[i], args, &count));
        } else {
            TRY(bind_expr(b, scope, ast->args[i], &args[count++]));
        }
    }
    return record_of(b, args, NULL, count, ast->span.at, expr_out);
}

/* Where an outer join found no row there is none: NULL, not a row of NULLs. */
static ErrorCode or_no_row(Binder *b, const Expr *const *columns, uint32_t count, const Expr **row) {
    const Expr **tests = arena_array(b->arena, const Expr *, count);
    const Expr **parts = arena_array(b->arena, const Expr *, 3);
    const RecordShape *shape = record_shape(b, *row);
    for (uint32_t i = 0; i < count; i++) {
        TRY(expr_is_null(b, columns[i], (*row)->position, &tests[i]));
    }
    parts[0] = tests[0];
    TRY(count > 1 ? expr_nary(b, EXPR_AND, type_of(TYPE_BOOL), tests, count, (*row)->position, &parts[0]) : ERR_OK);
    parts[1] = expr_null(b, type_of(TYPE_RECORD), (*row)->position);
    parts[2] = *row;
    TRY(expr_nary(b, EXPR_CASE, type_of(TYPE_RECORD), parts, 3, (*row)->position, row));
    (void)intmap_put(&b->expr_shapes, (uintptr_t)*row, (uintptr_t)shape);
    return ERR_OK;
}

ErrorCode bind_whole_row(Binder *b, Scope *scope, const AstName *table, bool *found_out, const Expr **expr_out) {
    const Scope *home = scope;
    uint32_t count = 0;
    *found_out = false;
    for (; home != NULL && count == 0; home = count == 0 ? home->outer : home) {
        for (uint32_t i = 0; i < home->count; i++) {
            count += name_same(table, home->columns[i].qualifier) ? 1 : 0;
        }
        if (count > 0) {
            break;
        }
    }
    if (count == 0) {
        return ERR_OK;
    }
    const Expr **args = arena_array(b->arena, const Expr *, count);
    Str *names = arena_array(b->arena, Str, count);
    bool filled = false;
    count = 0;
    for (uint32_t i = 0; i < home->count; i++) {
        if (!name_same(table, home->columns[i].qualifier)) {
            continue;
        }
        filled = filled || home->columns[i].filled;
        names[count] = home->columns[i].name;
        if (home == scope || !capture_column(b, home, &home->columns[i], table->span.at, &args[count])) {
            args[count] = expr_column(b, home->columns[i].id, home->columns[i].type, table->span.at);
        }
        count++;
    }
    *found_out = true;
    TRY(record_of(b, args, names, count, table->span.at, expr_out));
    return filled ? or_no_row(b, args, count, expr_out) : ERR_OK;
}

ErrorCode bind_star_value(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    bool found = false;
    uint32_t count = ast->as.names.count;
    if (count == 0) {
        return error_set(b->err, ERR_SYNTAX, ast->span.at, "syntax error: * stands alone in a select list or in count(*)");
    }
    const AstName *table = &ast->as.names.parts[count - 1];
    TRY(bind_whole_row(b, scope, table, &found, expr_out));
    return found ? ERR_OK : error_set(b->err, ERR_UNDEFINED_TABLE, ast->span.at, "missing FROM-clause entry for table \"%.*s\"", STR_ARG(table->text));
}

ErrorCode record_field(Binder *b, const Expr *record, uint32_t number, int64_t position, const Expr **expr_out) {
    const RecordShape *shape = record_shape(b, record);
    assert(shape != NULL && number < shape->count);
    if (record->kind == EXPR_CALL && record->as.call.function == function_bound(BOUND_ROW) && number < record->arg_count) {
        *expr_out = record->args[number];
        return ERR_OK;
    }
    Value place = {.type = type_of(TYPE_INT4)};
    place.as.i32 = (int32_t)number;
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    args[0] = record;
    args[1] = expr_constant(b, &place, position);
    return expr_call(b, function_bound(BOUND_FIELD), NULL, shape->types[number], args, 2, position, expr_out);
}

ErrorCode bind_field(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out) {
    const Expr *record = NULL;
    TRY(bind_expr(b, scope, ast->args[0], &record));
    const RecordShape *shape = record_shape(b, record);
    if (record->type.id != TYPE_RECORD) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->span.at, "column notation .%.*s applied to type %.*s, which is not a composite type",
                         STR_ARG(ast->as.text), STR_ARG(type_name(b, record->type)));
    }
    for (uint32_t i = 0; shape != NULL && i < shape->count; i++) {
        if (str_equal_ignore_case(shape->names[i], ast->as.text)) {
            return record_field(b, record, i, ast->span.at, expr_out);
        }
    }
    return error_set(b->err, ERR_UNDEFINED_COLUMN, ast->span.at, "could not identify column \"%.*s\" in record data type", STR_ARG(ast->as.text));
}

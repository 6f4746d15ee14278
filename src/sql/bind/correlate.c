/* SPDX-License-Identifier: Apache-2.0
 * correlate.c - columns of enclosing queries that a subquery reads.
 *
 * Why:   inside the subquery such a column is EXPR_OUTER, constant for one execution; the expression that stands for the subquery has
 *        the values as arguments, so that rewriting (grouping, pushing down) treats them as it treats any argument. A column that
 *        crosses several subqueries is captured by each of them. Symbols cross as texts: a code says nothing without its dictionary.
 * Tests: test/sql/subquery.slt */
#include "sql/bind/bind_internal.h"

void capture_push(Binder *b, Capture *capture, const Scope *boundary) {
    *capture = (Capture){.outer = b->captures, .boundary = boundary, .volatile_before = b->volatile_calls};
    b->captures = capture;
}

void capture_pop(Binder *b, Capture *capture) {
    capture->has_volatile = b->volatile_calls != capture->volatile_before;
    b->captures = capture->outer;
}

static bool crosses(const Capture *capture, const Scope *home) {
    for (const Scope *scope = capture->boundary; scope != NULL; scope = scope->outer) {
        if (scope == home) {
            return true;
        }
    }
    return false;
}

static bool has(const Capture *capture, ColumnId id) {
    for (uint32_t i = 0; capture != NULL && i < capture->count; i++) {
        if (capture->ids[i] == id) {
            return true;
        }
    }
    return false;
}

static void append(Binder *b, Capture *capture, ColumnId id, Type type, const Expr *value) {
    if (capture->count == capture->capacity) {
        capture->capacity = capture->capacity == 0 ? 8 : capture->capacity * 2;
        ColumnId *ids = arena_array(b->arena, ColumnId, capture->capacity);
        Type *types = arena_array(b->arena, Type, capture->capacity);
        const Expr **values = arena_array(b->arena, const Expr *, capture->capacity);
        if (capture->count > 0) {
            memcpy(values, capture->values, capture->count * sizeof *values);
            memcpy(ids, capture->ids, capture->count * sizeof *ids);
            memcpy(types, capture->types, capture->count * sizeof *types);
        }
        capture->ids = ids;
        capture->types = types;
        capture->values = values;
    }
    capture->ids[capture->count] = id;
    capture->values[capture->count] = value;
    capture->types[capture->count++] = type;
}

bool capture_column(Binder *b, const Scope *home, const ScopeColumn *column, int64_t position, const Expr **expr_out) {
    if (b->captures == NULL || !crosses(b->captures, home)) {
        return false;
    }
    for (Capture *capture = b->captures; capture != NULL && crosses(capture, home); capture = capture->outer) {
        if (!has(capture, column->id)) {
            append(b, capture, column->id, column->type, NULL);
        }
    }
    b->captured_columns++;
    *expr_out = expr_outer(b, column->id, column->type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : column->type, position);
    return true;
}

ErrorCode capture_expr(Binder *b, Capture *capture, const Expr *value, const Expr **inside_out) {
    if (value->type.id == TYPE_SYMBOL) {
        TRY(coerce(b, value, type_of(TYPE_TEXT), CAST_IMPLICIT, &value));
    }
    ColumnId id = column_new(b, NULL);
    append(b, capture, id, value->type, value);
    *inside_out = expr_outer(b, id, value->type, value->position);
    return ERR_OK;
}

ErrorCode capture_values(Binder *b, const Capture *capture, const Expr ***values_out) {
    const Expr **values = arena_array(b->arena, const Expr *, capture->count + 1);
    for (uint32_t i = 0; i < capture->count; i++) {
        Type type = capture->types[i];
        Type inside = type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : type;
        if (capture->values[i] != NULL) {
            values[i] = capture->values[i];
            continue;
        }
        if (has(capture->outer, capture->ids[i])) {
            values[i] = expr_outer(b, capture->ids[i], inside, ERROR_NO_POSITION);
            continue;
        }
        values[i] = expr_column(b, capture->ids[i], type, ERROR_NO_POSITION);
        if (type.id == TYPE_SYMBOL) {
            TRY(coerce(b, values[i], inside, CAST_IMPLICIT, &values[i]));
        }
    }
    *values_out = values;
    return ERR_OK;
}

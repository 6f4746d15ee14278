/* SPDX-License-Identifier: Apache-2.0
 * bind_set.c - VALUES as a query, UNION [ALL] and what may stand behind them: ORDER BY of output columns, LIMIT. */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- VALUES */

static ErrorCode check_row(Binder *b, const AstSelect *select, uint32_t row) {
    if (select->rows[row].count != select->rows[0].count) {
        return error_set(b->err, ERR_SYNTAX, select->rows[row].items[0]->span.at, "VALUES lists must all be the same length");
    }
    return ERR_OK;
}

/* All values of one column to their common type. */
static ErrorCode settle_column(Binder *b, const Expr **cells, uint32_t rows, uint32_t columns, uint32_t c, Type *type_out) {
    const Expr **column = arena_array(b->arena, const Expr *, rows);
    for (uint32_t r = 0; r < rows; r++) {
        column[r] = cells[(size_t)r * columns + c];
    }
    TRY(common_type(b, column, rows, "VALUES", type_out));
    for (uint32_t r = 0; r < rows; r++) {
        TRY(coerce(b, column[r], *type_out, CAST_IMPLICIT, &cells[(size_t)r * columns + c]));
    }
    return ERR_OK;
}

static ErrorCode bind_values(Binder *b, const AstSelect *select, Scope *outer, Rel **rel_out) {
    uint32_t columns = select->rows[0].count;
    uint32_t rows = select->row_count;
    Scope none = {.outer = outer, .clause = "VALUES"};
    TRY(rel_new(b, REL_VALUES, columns, select->span.at, rel_out));
    const Expr **cells = arena_array(b->arena, const Expr *, (size_t)rows * columns + 1);
    for (uint32_t r = 0; r < rows; r++) {
        TRY(check_row(b, select, r));
        for (uint32_t c = 0; c < columns; c++) {
            if (select->rows[r].items[c]->kind == AST_STAR) {
                return not_supported(b, select->rows[r].items[c]->span.at, "* in VALUES");
            }
            TRY(bind_expr(b, &none, select->rows[r].items[c], &cells[(size_t)r * columns + c]));
        }
    }
    RelColumn *out = rel_columns(*rel_out);
    for (uint32_t c = 0; c < columns; c++) {
        TRY(settle_column(b, cells, rows, columns, c, &out[c].type));
        out[c].name = arena_format(b->arena, "column%u", c + 1);
    }
    (*rel_out)->as.values.exprs = cells;
    (*rel_out)->as.values.row_count = rows;
    return ERR_OK;
}

/* ---------------------------------------------------------------- UNION */

static ErrorCode union_type(Binder *b, Query *arms, uint32_t count, uint32_t column, Type *type_out) {
    const Expr **exprs = arena_array(b->arena, const Expr *, count);
    const SymbolTable *symbols = arms[0].rel->columns[column].symbols;
    bool same_dictionary = symbols != NULL;
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = rel_column_expr(b, arms[i].rel, column);
        same_dictionary = same_dictionary && arms[i].rel->columns[column].symbols == symbols;
    }
    TRY(common_type(b, exprs, count, "UNION", type_out));
    if (type_out->id == TYPE_SYMBOL && !same_dictionary) {
        *type_out = type_of(TYPE_TEXT);
    }
    return ERR_OK;
}

/* Projects an arm to the types of the union; leaves it alone where they are its own. */
ErrorCode cast_arm(Binder *b, Rel *arm, const Type *types, Rel **rel_out) {
    const Expr **exprs = arena_array(b->arena, const Expr *, arm->column_count + 1);
    Str *names = arena_array(b->arena, Str, arm->column_count + 1);
    bool changed = false;
    for (uint32_t c = 0; c < arm->column_count; c++) {
        const Expr *column = rel_column_expr(b, arm, c);
        exprs[c] = column;
        if (types[c].id != TYPE_SYMBOL) {
            TRY(coerce(b, column, types[c], CAST_IMPLICIT, &exprs[c]));
        }
        changed = changed || exprs[c] != column;
        names[c] = arm->columns[c].name;
    }
    *rel_out = arm;
    return changed ? rel_project(b, arm, exprs, names, arm->column_count, rel_out) : ERR_OK;
}

ErrorCode union_types(Binder *b, Query *arms, uint32_t count, Type **types_out) {
    uint32_t columns = arms[0].rel->column_count;
    Type *types = arena_array(b->arena, Type, columns + 1);
    for (uint32_t c = 0; c < columns; c++) {
        TRY(union_type(b, arms, count, c, &types[c]));
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(query_settle(b, &arms[i], types));
    }
    *types_out = types;
    return ERR_OK;
}

ErrorCode union_all(Binder *b, const AstSelect *select, Query *arms, uint32_t count, Rel **rel_out) {
    uint32_t columns = arms[0].rel->column_count;
    Type *types = NULL;
    TRY(union_types(b, arms, count, &types));
    Rel **more = arena_array(b->arena, Rel *, count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(cast_arm(b, arms[i].rel, types, &more[i]));
    }
    TRY(rel_new(b, REL_UNION_ALL, columns, select->span.at, rel_out));
    RelColumn *out = rel_columns(*rel_out);
    for (uint32_t c = 0; c < columns; c++) {
        out[c].type = types[c];
        out[c].name = arms[0].rel->columns[c].name;
        out[c].symbols = types[c].id == TYPE_SYMBOL ? arms[0].rel->columns[c].symbols : NULL;
        b->column_symbols[out[c].id] = out[c].symbols;
    }
    (*rel_out)->as.union_all.more = more;
    (*rel_out)->as.union_all.more_count = count;
    return ERR_OK;
}

static ErrorCode bind_arms(Binder *b, const AstSelect *select, Scope *outer, Query **arms_out) {
    Query *arms = arena_array(b->arena, Query, select->arm_count);
    for (uint32_t i = 0; i < select->arm_count; i++) {
        TRY(bind_query(b, select->arms[i], outer, &arms[i]));
        if (arms[i].rel->column_count != arms[0].rel->column_count) {
            return error_set(b->err, ERR_SYNTAX, select->arms[i]->span.at, "each UNION query must have the same number of columns");
        }
    }
    *arms_out = arms;
    return ERR_OK;
}

/* a EXCEPT b EXCEPT c is (a EXCEPT b) EXCEPT c. */
static ErrorCode bind_pairs(Binder *b, const AstSelect *select, Query *arms, Query *query) {
    for (uint32_t i = 1; i < select->arm_count; i++) {
        Query left = *query;
        TRY(bind_set_pair(b, select, &left, &arms[i], query));
    }
    return ERR_OK;
}

static ErrorCode bind_union(Binder *b, const AstSelect *select, Scope *outer, Query *query) {
    Query *arms = NULL;
    TRY(bind_arms(b, select, outer, &arms));
    *query = arms[0];
    if (select->arm_count == 1) { /* a query in parentheses with clauses behind */
        return ERR_OK;
    }
    query->timestamp = 0;
    if (select->operation != AST_UNION && select->operation != AST_UNION_ALL) {
        return bind_pairs(b, select, arms, query);
    }
    TRY(union_all(b, select, arms, select->arm_count, &query->rel));
    return select->operation == AST_UNION ? rel_distinct(b, query->rel, &query->rel) : ERR_OK;
}

/* ---------------------------------------------------------------- ORDER BY behind */

static Str rel_name_at(const void *context, uint32_t i) {
    return ((const Rel *)context)->columns[i].name;
}

static ErrorCode output_column(Binder *b, const Rel *rel, const AstExpr *ast, uint32_t *column_out) {
    if (ast->kind == AST_INTEGER) {
        int64_t number = 0;
        bool overflow = false;
        if (!parse_int64(ast->as.text, &number, &overflow) || number < 1 || number > rel->column_count) {
            return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->span.at, "ORDER BY position %.*s is not in select list", STR_ARG(ast->as.text));
        }
        *column_out = (uint32_t)number - 1;
        return ERR_OK;
    }
    if (ast->kind != AST_NAME || ast->as.names.count != 1) {
        return not_supported(b, ast->span.at, "ORDER BY an expression behind a set operation");
    }
    int found = name_match(ast->as.names.parts, rel->column_count, rel_name_at, rel);
    if (found == -2) {
        return error_set(b->err, ERR_AMBIGUOUS_COLUMN, ast->span.at, "ORDER BY \"%.*s\" is ambiguous", STR_ARG(ast->as.names.parts[0].text));
    }
    if (found < 0) {
        return error_set(b->err, ERR_UNDEFINED_COLUMN, ast->span.at, "column \"%.*s\" does not exist", STR_ARG(ast->as.names.parts[0].text));
    }
    *column_out = (uint32_t)found;
    return ERR_OK;
}

/* Behind VALUES and a query in parentheses: any expression over the output. */
static ErrorCode order_by_expr(Binder *b, const Rel *rel, const AstExpr *ast, const Expr **key_out) {
    Scope scope = {.clause = "ORDER BY"};
    scope_add_table(b, &scope, rel, NULL, (Str){0});
    TRY(bind_expr(b, &scope, ast, key_out));
    return coerce_known(b, *key_out, key_out);
}

static ErrorCode order_outputs(Binder *b, const AstSelect *select, Query *query) {
    if (select->order_count == 0) {
        return ERR_OK;
    }
    SortKey *keys = arena_array(b->arena, SortKey, select->order_count);
    for (uint32_t i = 0; i < select->order_count; i++) {
        const AstExpr *ast = ast_variable(b, select->order_by[i].expr);
        bool one = select->kind == AST_SELECT_VALUES || select->arm_count == 1;
        const Expr *key = NULL;
        TRY(check_sort_key(b, &select->order_by[i]));
        if (one && ast->kind != AST_NAME && ast->kind != AST_INTEGER) {
            TRY(order_by_expr(b, query->rel, ast, &key));
        } else {
            uint32_t column = 0;
            TRY(output_column(b, query->rel, ast, &column));
            key = rel_column_expr(b, query->rel, column);
        }
        keys[i] = sort_key(b, &select->order_by[i], key);
    }
    Rel *rel = NULL;
    TRY(rel_like(b, REL_SORT, query->rel, &rel));
    rel->as.sort.keys = keys;
    rel->as.sort.key_count = (uint16_t)select->order_count;
    bool by_time = query->timestamp != 0 && keys[0].expr->kind == EXPR_COLUMN && keys[0].expr->as.column == query->timestamp;
    rel->order_column = by_time ? query->timestamp : 0;
    rel->order_descending = by_time && keys[0].descending;
    query->timestamp = by_time ? query->timestamp : 0;
    query->rel = rel;
    return ERR_OK;
}

ErrorCode bind_set_operation(Binder *b, const AstSelect *select, Scope *outer, Query *query_out) {
    if (select->kind == AST_SELECT_VALUES) {
        *query_out = (Query){0};
        TRY(bind_values(b, select, outer, &query_out->rel));
    } else {
        TRY(bind_union(b, select, outer, query_out));
    }
    TRY(order_outputs(b, select, query_out));
    return bind_limit(b, select->limit, query_out);
}

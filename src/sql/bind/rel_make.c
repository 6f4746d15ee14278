/* SPDX-License-Identifier: Apache-2.0
 * rel_make.c - constructors of relations: fresh column ids, shapes taken over from the input. */
#include "sql/bind/bind_internal.h"

ColumnId column_new(Binder *b, const SymbolTable *symbols) {
    ColumnId id = ++b->column_last;
    if (id >= b->column_capacity) {
        uint32_t capacity = MAX_OF(64u, b->column_capacity * 2);
        const SymbolTable **wider = arena_array(b->arena, const SymbolTable *, capacity);
        if (b->column_capacity > 0) {
            memcpy(wider, b->column_symbols, b->column_capacity * sizeof *wider);
        }
        b->column_symbols = wider;
        b->column_capacity = capacity;
    }
    b->column_symbols[id] = symbols;
    return id;
}

RelColumn *rel_columns(Rel *rel) {
    return (RelColumn *)(uintptr_t)rel->columns;
}

static ErrorCode count_rel(Binder *b, uint32_t column_count, int64_t position) {
    if (++b->rel_count > RELS_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, position, "query has more than %d parts", RELS_MAX);
    }
    if (column_count > COLUMNS_MAX + 1) { /* UPDATE and DELETE carry each row's place beside its columns */
        return error_set(b->err, ERR_TOO_MANY_COLUMNS, position, "a result has at most %d columns", COLUMNS_MAX);
    }
    return ERR_OK;
}

ErrorCode rel_new(Binder *b, RelKind kind, uint32_t column_count, int64_t position, Rel **rel_out) {
    TRY(count_rel(b, column_count, position));
    Rel *rel = arena_new(b->arena, Rel);
    rel->kind = (uint8_t)kind;
    rel->column_count = (uint16_t)column_count;
    RelColumn *columns = arena_array(b->arena, RelColumn, column_count + 1);
    for (uint32_t i = 0; i < column_count; i++) {
        columns[i].id = column_new(b, NULL);
        columns[i].table_column = -1;
    }
    rel->columns = columns;
    *rel_out = rel;
    return ERR_OK;
}

ErrorCode rel_like(Binder *b, RelKind kind, Rel *input, Rel **rel_out) {
    TRY(count_rel(b, input->column_count, ERROR_NO_POSITION));
    Rel *rel = arena_new(b->arena, Rel);
    rel->kind = (uint8_t)kind;
    rel->column_count = input->column_count;
    rel->columns = input->columns;
    rel->inputs[0] = input;
    rel->order_column = input->order_column;
    rel->order_descending = input->order_descending;
    *rel_out = rel;
    return ERR_OK;
}

ErrorCode rel_filter(Binder *b, Rel *input, const Expr *condition, Rel **rel_out) {
    TRY(rel_like(b, REL_FILTER, input, rel_out));
    (*rel_out)->as.filter.condition = condition;
    return ERR_OK;
}

/* Rows that stand for several are no row of the input: their columns are new ones. */
ErrorCode rel_distinct(Binder *b, Rel *input, Rel **rel_out) {
    for (uint32_t i = 0; i < input->column_count; i++) {
        if (input->columns[i].type.id == TYPE_JSON) {
            return error_set(b->err, ERR_UNDEFINED_FUNCTION, ERROR_NO_POSITION, "could not identify an equality operator for type json");
        }
    }
    Rel *rel = NULL;
    TRY(rel_new(b, REL_DISTINCT, input->column_count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < input->column_count; i++) {
        ColumnId id = columns[i].id;
        columns[i] = input->columns[i];
        columns[i].id = id;
        b->column_symbols[id] = columns[i].symbols;
    }
    rel->inputs[0] = input;
    *rel_out = rel;
    return ERR_OK;
}

const Expr *rel_column_expr(Binder *b, const Rel *rel, uint32_t number) {
    assert(number < rel->column_count);
    return expr_column(b, rel->columns[number].id, rel->columns[number].type, ERROR_NO_POSITION);
}

void rel_column_exprs(Binder *b, const Rel *rel, uint32_t count, const Expr **exprs, Str *names) {
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = rel_column_expr(b, rel, i);
        names[i] = rel->columns[i].name;
    }
}

static const RelColumn *find_column(const Rel *rel, ColumnId id) {
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (rel->columns[i].id == id) {
            return &rel->columns[i];
        }
    }
    return NULL;
}

ErrorCode rel_project(Binder *b, Rel *input, const Expr *const *exprs, const Str *names, uint32_t count, Rel **rel_out) {
    Rel *rel = NULL;
    TRY(rel_new(b, REL_PROJECT, count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    rel->inputs[0] = input;
    const Expr **own = arena_array(b->arena, const Expr *, count + 1); /* callers may hand in an array on their stack */
    memcpy(own, exprs, count * sizeof *own);
    rel->as.project.exprs = own;
    for (uint32_t i = 0; i < count; i++) {
        const RelColumn *origin = exprs[i]->kind == EXPR_COLUMN ? find_column(input, exprs[i]->as.column) : NULL;
        columns[i].type = exprs[i]->type;
        columns[i].name = names[i];
        columns[i].symbols = expr_symbols(b, exprs[i]);
        record_shape_column(b, columns[i].id, exprs[i]);
        b->column_symbols[columns[i].id] = columns[i].symbols;
        if (origin != NULL) {
            columns[i].table_id = origin->table_id;
            columns[i].table_column = origin->table_column;
            if (rel->order_column == 0 && origin->id == input->order_column) {
                rel->order_column = columns[i].id;
                rel->order_descending = input->order_descending;
            }
        }
    }
    *rel_out = rel;
    return ERR_OK;
}

ErrorCode rel_scan(Binder *b, const TableDef *table, bool with_ref, Rel **rel_out) {
    Rel *rel = NULL;
    uint32_t count = table->column_count + (with_ref ? 1u : 0u);
    TRY(rel_new(b, REL_SCAN, count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const ColumnDef *column = &table->columns[i];
        columns[i].type = column->type;
        columns[i].name = column->name;
        columns[i].symbols = column->symbols;
        columns[i].table_id = table->id;
        columns[i].table_column = (int16_t)i;
        b->column_symbols[columns[i].id] = column->symbols;
    }
    if (with_ref) {
        columns[count - 1].type = type_of(TYPE_INT8);
        columns[count - 1].name = STR("row_ref");
        rel->as.scan.row_ref = columns[count - 1].id;
    }
    rel->as.scan.table = table;
    TableStats stats = {0};
    b->context->catalog->stats(b->context->catalog, table, &stats);
    rel->as.scan.row_count = stats.row_count;
    if (table->designated >= 0) {
        rel->order_column = columns[table->designated].id;
    }
    *rel_out = rel;
    return ERR_OK;
}

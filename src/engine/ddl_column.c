/* SPDX-License-Identifier: Apache-2.0
 * ddl_column.c - ADD, DROP and RENAME COLUMN: metadata only; older parts answer the default kept with the column.
 *
 * Tests: test/unit/engine/test_ddl.c */
#include "engine/ddl_internal.h"

static ErrorCode find_column(const ObjectVersion *object, Str name, int *number_out, Error *err) {
    *number_out = table_column_find(&object->table, name);
    if (*number_out >= 0) {
        return ERR_OK;
    }
    return error_set(err, *number_out == -2 ? ERR_AMBIGUOUS_COLUMN : ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION,
                     "column \"%.*s\" of relation \"%.*s\" %s", STR_ARG(name), STR_ARG(object->def.name),
                     *number_out == -2 ? "is ambiguous" : "does not exist");
}

static ErrorCode check_absent(const ObjectVersion *object, Str name, Error *err) {
    for (uint16_t i = 0; i < object->table.column_count; i++) {
        if (str_equal(object->table.columns[i].name, name)) {
            return error_set(err, ERR_DUPLICATE_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" of relation \"%.*s\" already exists", STR_ARG(name),
                             STR_ARG(object->def.name));
        }
    }
    return ERR_OK;
}

/* A SYMBOL column's default comes as text; its code is made here. */
static void intern_default(Txn *txn, uint32_t table_id, ColumnDef *column) {
    if (column->type.id != TYPE_SYMBOL || column->missing_is_null) {
        return;
    }
    SymbolTable *symbols = dictionary_symbols(catalog_dictionary(txn->engine->catalog, table_id, column->id));
    int32_t code = symbols->intern(symbols, strref_str(&column->missing_text));
    column->missing_is_null = code < 0;
    memcpy(column->missing_value, &code, sizeof code);
}

static ErrorCode check_add(Txn *txn, const ObjectVersion *object, const ColumnDef *column, Error *err) {
    TRY(ddl__check_column_name(column->name, err));
    TRY(check_absent(object, column->name, err));
    if (object->table.column_count >= COLUMNS_MAX) {
        return error_set(err, ERR_TOO_MANY_COLUMNS, ERROR_NO_POSITION, "tables can have at most %d columns", COLUMNS_MAX);
    }
    TableFigures figures;
    table_figures(engine__table(txn->engine, object->def.id), &figures);
    if (column->not_null && column->missing_is_null && figures.rows > 0) {
        return error_set(err, ERR_NOT_NULL_VIOLATION, ERROR_NO_POSITION, "column \"%.*s\" contains null values", STR_ARG(column->name));
    }
    return ERR_OK;
}

static ErrorCode column_add(Txn *txn, const TableDef *table, const ColumnDef *column, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__object(txn, table->id, table->name, &object, err));
    TRY(check_add(txn, object, column, err));
    ColumnDef *columns = mem_calloc(table_stored_count(&object->table) + 1u, sizeof *columns);
    memcpy(columns, object->table.columns, sizeof *columns * object->table.column_count);
    ColumnDef *added = &columns[object->table.column_count];
    *added = *column;
    added->id = object->next_column_id;
    added->symbols = NULL;
    added->dropped = false;
    ObjectVersion *changed = object_copy(object);
    changed->next_column_id++;
    intern_default(txn, object->def.id, added);
    uint16_t visible = (uint16_t)(object->table.column_count + 1), computed = object->table.computed_count;
    memcpy(&columns[visible], &object->table.columns[visible - 1], sizeof *columns * computed);
    object_set_all_columns(changed, columns, visible, computed);
    mem_free(columns);
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_column_add(Txn *txn, const TableDef *table, const ColumnDef *column, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, column_add(txn, table, column, table_out, err));
}

static ErrorCode column_drop(Txn *txn, const TableDef *table, Str name, bool cascade, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    int number = 0;
    TRY(ddl__object(txn, table->id, table->name, &object, err));
    TRY(find_column(object, name, &number, err));
    if (number == object->table.designated) {
        return error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop the designated timestamp \"%.*s\"", STR_ARG(name));
    }
    TRY(ddl__column_parts_drop(txn, &object->table, object->table.columns[number].id, cascade, table_out, err));
    TRY(ddl__object(txn, table->id, table->name, &object, err));
    ObjectVersion *changed = object_copy(object);
    TableDef *def = &changed->table;
    memmove(&def->columns[number], &def->columns[number + 1], sizeof(ColumnDef) * (size_t)(table_stored_count(def) - number - 1));
    def->column_count--;
    def->designated = (int16_t)(def->designated - (def->designated > number));
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_column_drop(Txn *txn, const TableDef *table, Str name, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, column_drop(txn, table, name, false, table_out, err));
}

ErrorCode txn_column_drop_cascade(Txn *txn, const TableDef *table, Str name, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, column_drop(txn, table, name, true, table_out, err));
}

static ErrorCode column_rename(Txn *txn, const TableDef *table, Str name, Str new_name, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    int number = 0;
    TRY(ddl__check_column_name(new_name, err));
    TRY(ddl__object(txn, table->id, table->name, &object, err));
    TRY(find_column(object, name, &number, err));
    TRY(check_absent(object, new_name, err));
    ObjectVersion *changed = object_copy(object);
    changed->table.columns[number].name = arena_str(&changed->arena, new_name);
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_column_rename(Txn *txn, const TableDef *table, Str name, Str new_name, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, column_rename(txn, table, name, new_name, table_out, err));
}

/* SPDX-License-Identifier: Apache-2.0
 * column.c - ALTER TABLE of columns where rows change: ADD COLUMN with a default that each row computes, SET DEFAULT, TYPE; identities.
 *
 * How:   the rows are written by an UPDATE inside of the statement; a new type is a new column that takes the old one's place and name.
 * Tests: test/sql/alter.slt */
#include "ddl/ddl_internal.h"

static void put_name(Buffer *out, Str name) { sql_deparse_name(name, DIALECT_POSTGRES, out); }

/* UPDATE schema.table SET column = value */
static ErrorCode fill(Ddl *ddl, const TableDef *table, Str column, Str value, Error *err) {
    Buffer text;
    uint64_t rows = 0;
    buffer_init(&text, SQL_TEXT_BYTES_MAX);
    buffer_append_str(&text, STR("UPDATE "));
    put_name(&text, table->schema_name);
    buffer_append_str(&text, STR("."));
    put_name(&text, table->name);
    buffer_append_str(&text, STR(" SET "));
    put_name(&text, column);
    buffer_append_str(&text, STR(" = "));
    buffer_append_str(&text, value);
    Str sql = arena_str(ddl->arena, buffer_str(&text));
    buffer_deinit(&text);
    ErrorCode code = ddl->run(ddl->context, sql, &rows, err);
    if (code != ERR_OK && err != NULL) {
        err->position = ERROR_NO_POSITION; /* it was one in the text above */
    }
    return code;
}

static ErrorCode find_column(const TableDef *table, Str name, uint16_t *number_out, Error *err) {
    int number = table_column_find(table, name);
    *number_out = (uint16_t)MAX_OF(number, 0);
    return number >= 0 ? ERR_OK : error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" does not exist", STR_ARG(name));
}

ColumnDef *ddl__copy_columns(Ddl *ddl, const TableDef *table) {
    uint16_t count = table_stored_count(table);
    ColumnDef *columns = arena_array(ddl->arena, ColumnDef, count + 1u);
    if (count > 0) {
        memcpy(columns, table->columns, sizeof *columns * count);
    }
    return columns;
}

static ErrorCode replace_column(Ddl *ddl, const TableDef **table, uint16_t number, const ColumnDef *column, Error *err) {
    TableDef changed = **table;
    changed.columns = ddl__copy_columns(ddl, *table);
    changed.columns[number] = *column;
    return txn_table_replace(ddl->txn, &changed, table, err);
}

ErrorCode ddl_set_default(Ddl *ddl, const AlterAction *action, const TableDef **table, Error *err) {
    uint16_t number = 0;
    TRY(find_column(*table, action->name, &number, err));
    ColumnDef column = (*table)->columns[number];
    column.default_text = action->column.default_text;
    column.default_dialect = action->column.default_dialect;
    column.sequence_id = action->column.sequence_id;
    return replace_column(ddl, table, number, &column, err);
}

/* The column with a sequence of its own. */
static ErrorCode give_sequence(Ddl *ddl, const ColumnSequence *sequence, const TableDef **table, uint16_t number, ColumnDef *column, Error *err) {
    CatalogObject def = {.kind = OBJECT_SEQUENCE, .schema_id = (*table)->schema_id, .parent_id = (*table)->id, .parent_column = column->id};
    TRY(ddl__column_sequence(ddl, sequence, &def, (*table)->name, column, err));
    return replace_column(ddl, table, number, column, err);
}

ErrorCode ddl_add_identity(Ddl *ddl, const AlterAction *action, const ColumnSequence *sequence, const TableDef **table, Error *err) {
    uint16_t number = 0;
    TRY(find_column(*table, action->name, &number, err));
    ColumnDef column = (*table)->columns[number];
    column.identity = action->column.identity;
    return give_sequence(ddl, sequence, table, number, &column, err);
}

ErrorCode ddl_drop_identity(Ddl *ddl, const AlterAction *action, const TableDef **table, Error *err) {
    uint16_t number = 0;
    TRY(find_column(*table, action->name, &number, err));
    ColumnDef column = (*table)->columns[number];
    uint32_t sequence_id = column.sequence_id;
    column.identity = IDENTITY_NONE;
    column.sequence_id = 0;
    TRY(replace_column(ddl, table, number, &column, err));
    TRY(ddl__drop_details(ddl, sequence_id, err));
    return txn_object_drop(ddl->txn, sequence_id, err);
}

ErrorCode ddl_fill_column(Ddl *ddl, const AlterAction *action, const ColumnSequence *sequence, const TableDef **table, Error *err) {
    ColumnDef column = action->column;
    column.not_null = false;
    column.missing_is_null = true;
    TRY(txn_column_add(ddl->txn, *table, &column, table, err));
    uint16_t number = (uint16_t)((*table)->column_count - 1);
    column = (*table)->columns[number];
    if (sequence != NULL) {
        TRY(give_sequence(ddl, sequence, table, number, &column, err));
    }
    TRY(fill(ddl, *table, column.name, STR("DEFAULT"), err));
    return action->column.not_null ? txn_column_set_not_null(ddl->txn, *table, number, true, table, err) : ERR_OK;
}

static ErrorCode check_views(Ddl *ddl, const TableDef *table, uint32_t column_id, Error *err) {
    const CatalogObject *view = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_VIEW, &cursor, &view);) {
        if (object_needs(view, table->id, column_id)) {
            error_ignore(error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "cannot alter type of a column used by a view or rule"));
            return error_add(err, 'D', "view %.*s depends on it", STR_ARG(view->name));
        }
    }
    return ERR_OK;
}

ErrorCode ddl_set_type(Ddl *ddl, const AlterAction *action, const TableDef **table, Error *err) {
    uint16_t number = 0;
    TRY(find_column(*table, action->name, &number, err));
    uint32_t old_id = (*table)->columns[number].id;
    TRY(check_views(ddl, *table, old_id, err));
    ColumnDef same = (*table)->columns[number];
    same.type = action->in_place ? action->column.type : same.type;
    TRY(replace_column(ddl, table, number, &same, err)); /* the version that was bound is held from here on */
    if (action->in_place) {
        return ERR_OK;
    }
    ColumnDef column = {.name = arena_format(ddl->arena, "pg_new_%u", old_id), .type = action->column.type, .missing_is_null = true};
    TRY(txn_column_add(ddl->txn, *table, &column, table, err));
    uint16_t fresh = (uint16_t)((*table)->column_count - 1);
    Buffer quoted;
    buffer_init(&quoted, 4096);
    put_name(&quoted, action->name);
    Str value = action->text.len > 0 ? arena_format(ddl->arena, "(%.*s)", STR_ARG(action->text)) : arena_str(ddl->arena, buffer_str(&quoted));
    buffer_deinit(&quoted);
    TRY(fill(ddl, *table, column.name, value, err));
    return txn_column_take_place(ddl->txn, *table, number, fresh, table, err);
}

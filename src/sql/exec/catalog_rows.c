/* SPDX-License-Identifier: Apache-2.0
 * catalog_rows.c - one producer per list; column names and types stand in sql/bind/table_calls.h.
 *
 * Where QuestDB's column has no counterpart (o3MaxLag, index capacity …) its default is shown, because its clients read it. */
#include "sql/exec/catalog_rows.h"
#include "base/number.h"
#include "sql/bind/table_calls.h"

enum { SYMBOL_CAPACITY_DEFAULT = 256, INDEX_CAPACITY_NONE = 0, UNCOMMITTED_ROWS_SHOWN = 500000 };
#define O3_LAG_SHOWN INT64_C(600000000)
enum { TABLES_LISTED_MAX = BLOCK_ROWS };

static const char *partition_name(uint8_t partition) {
    static const char *const NAMES[] = {"NONE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR"};
    assert(partition < COUNT_OF(NAMES));
    return NAMES[partition];
}

static void put_text(CatalogRows *rows, uint32_t column, Str text) { column_builder_text(&rows->columns[column], text); }
static void put_int4(CatalogRows *rows, uint32_t column, int32_t value) { column_builder_value(&rows->columns[column], &value); }
static void put_int8(CatalogRows *rows, uint32_t column, int64_t value) { column_builder_value(&rows->columns[column], &value); }
static void put_bool(CatalogRows *rows, uint32_t column, bool value) { column_builder_bool(&rows->columns[column], value); }

static Str designated_name(const TableDef *table) { return table->designated < 0 ? (Str){0} : table->columns[table->designated].name; }

static void put_table(CatalogRows *rows, const TableDef *table) {
    char folder[32];
    size_t len = 0;
    put_int4(rows, 0, (int32_t)table->id);
    put_text(rows, 1, table->name);
    if (table->designated < 0) {
        column_builder_null(&rows->columns[2]);
    } else {
        put_text(rows, 2, designated_name(table));
    }
    put_text(rows, 3, str_from_c(partition_name(table->partition)));
    put_int4(rows, 4, UNCOMMITTED_ROWS_SHOWN);
    put_int8(rows, 5, O3_LAG_SHOWN);
    put_bool(rows, 6, table->wal);
    memcpy(folder, "table/", 6);
    len = 6 + format_uint64(folder + 6, table->id);
    put_text(rows, 7, str_from(folder, len));
    put_bool(rows, 8, false);
    put_int4(rows, 9, 0);
    put_text(rows, 10, STR("HOUR"));
    put_bool(rows, 11, false);
}

static void list_tables(CatalogRows *rows, CatalogView *view, bool names_only) {
    size_t cursor = 0;
    const TableDef *table;
    for (uint32_t i = 0; i < TABLES_LISTED_MAX && view->table_next(view, &cursor, &table); i++) {
        if (names_only) {
            put_text(rows, 0, table->name);
        } else {
            put_table(rows, table);
        }
    }
}

static void list_columns(CatalogRows *rows, const TableDef *table) {
    for (uint16_t c = 0; c < table->column_count; c++) {
        const ColumnDef *column = &table->columns[c];
        char type[64];
        size_t len = type_format_exec(type, sizeof type, column->type);
        bool is_symbol = column->type.id == TYPE_SYMBOL;
        put_text(rows, 0, column->name);
        put_text(rows, 1, str_from(type, len));
        put_bool(rows, 2, false);
        put_int4(rows, 3, INDEX_CAPACITY_NONE);
        put_bool(rows, 4, is_symbol);
        put_int4(rows, 5, is_symbol ? (column->symbol_capacity != 0 ? (int32_t)column->symbol_capacity : SYMBOL_CAPACITY_DEFAULT) : 0);
        put_int4(rows, 6, is_symbol && column->symbols != NULL ? column->symbols->count(column->symbols) : 0);
        put_bool(rows, 7, c == table->designated);
        put_bool(rows, 8, false);
    }
}

static bool put_user_type(Buffer *out, Type type, const OidNames *names) {
    return type_enum_object(type) != 0 && names != NULL && names->append(names, TYPE_REGTYPE, type_oid_of(type), out);
}

static void ddl_column(Buffer *out, const ColumnDef *column, const OidNames *names) {
    char type[64];
    size_t len = type_format_exec(type, sizeof type, column->type);
    bool is_date = column->type.id == TYPE_DATE || column->type.id == TYPE_TIMESTAMPTZ; /* /exec shows them under QuestDB's names */
    if (is_date) {
        len = type_format_sql(type, sizeof type, column->type);
    }
    buffer_printf(out, "\t%.*s ", STR_ARG(column->name));
    if (!put_user_type(out, column->type, names)) {
        buffer_append_str(out, str_from(type, len));
    }
    if (column->type.id == TYPE_SYMBOL && column->symbol_capacity != 0) {
        buffer_printf(out, " CAPACITY %u", column->symbol_capacity);
    }
    if (column->not_null) {
        buffer_append_str(out, STR(" NOT NULL"));
    }
    if (column->default_text.len > 0) {
        buffer_printf(out, " DEFAULT %.*s", STR_ARG(column->default_text));
    }
}

static void show_create_table(CatalogRows *rows, const TableDef *table, const OidNames *names) {
    enum { DDL_BYTES_MAX = 8 << 20 };
    Buffer out;
    buffer_init(&out, DDL_BYTES_MAX);
    buffer_printf(&out, "CREATE TABLE '%.*s' ( \n", STR_ARG(table->name));
    for (uint16_t c = 0; c < table->column_count; c++) {
        ddl_column(&out, &table->columns[c], names);
        buffer_append_str(&out, c + 1 < table->column_count ? STR(",\n") : STR("\n"));
    }
    buffer_append_char(&out, ')');
    if (table->designated >= 0) {
        buffer_printf(&out, " timestamp(%.*s) PARTITION BY %s", STR_ARG(designated_name(table)), partition_name(table->partition));
        if (table->partition != PARTITION_NONE) {
            buffer_append_str(&out, table->wal ? STR(" WAL") : STR(" BYPASS WAL"));
        }
    }
    buffer_append_char(&out, ';');
    put_text(rows, 0, buffer_str(&out));
    buffer_deinit(&out);
}

static const char *argument_name(uint8_t type) {
    return type == ARG_ANY ? "any" : type == ARG_SAME ? "same" : type_sql_name((TypeId)type);
}

static void list_functions(CatalogRows *rows) {
    enum { SIGNATURE_BYTES_MAX = 1 << 12 };
    Buffer out;
    buffer_init(&out, SIGNATURE_BYTES_MAX);
    for (size_t i = 0; i < function_count(); i++) {
        const Function *function = function_at(i);
        buffer_clear(&out);
        buffer_printf(&out, "%s(", function->name);
        for (uint8_t a = 0; a < function->arg_count; a++) {
            buffer_printf(&out, "%s%s", a > 0 ? ", " : "", argument_name(function->args[a]));
        }
        buffer_append_char(&out, ')');
        put_text(rows, 0, str_from_c(function->name));
        put_text(rows, 1, buffer_str(&out));
        put_text(rows, 2, buffer_str(&out));
        put_bool(rows, 3, (function->flags & FN_STABLE) != 0);
        put_text(rows, 4, STR("STANDARD"));
    }
    buffer_deinit(&out);
}

ErrorCode catalog_rows_make(CatalogRows *rows, Run *run, uint32_t function, Str table_name, Error *err) {
    const TableCall *call = table_call_at((TableCallId)function);
    CatalogView *view = run->context.catalog;
    rows->column_count = call->column_count;
    for (uint32_t c = 0; c < call->column_count; c++) {
        column_builder_init(&rows->columns[c], type_of((TypeId)call->columns[c].type));
    }
    if (view == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "%s needs a catalog", call->name);
    }
    const TableDef *table = NULL;
    if (call->args_least > 0) {
        TRY(view->table_find(view, (Str){0}, table_name, &table, err));
    }
    switch (function) {
    case TABLE_CALL_TABLES: list_tables(rows, view, false); return ERR_OK;
    case TABLE_CALL_ALL_TABLES: list_tables(rows, view, true); return ERR_OK;
    case TABLE_CALL_TABLE_COLUMNS: list_columns(rows, table); return ERR_OK;
    case TABLE_CALL_SHOW_CREATE_TABLE: show_create_table(rows, table, run->context.environment->names); return ERR_OK;
    case TABLE_CALL_FUNCTIONS: list_functions(rows); return ERR_OK;
    default: return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "table function %s", call->name);
    }
}

void catalog_rows_deinit(CatalogRows *rows) {
    for (uint32_t c = 0; c < rows->column_count; c++) {
        column_builder_deinit(&rows->columns[c]);
    }
}

uint16_t catalog_rows_batch(const CatalogRows *rows, uint32_t from, Vector *columns_out) {
    uint32_t total = rows->column_count == 0 ? 0 : rows->columns[0].row_count;
    if (from >= total) {
        return 0;
    }
    assert(from % BATCH_ROWS == 0);
    uint16_t count = (uint16_t)MIN_OF(total - from, (uint32_t)BATCH_ROWS);
    for (uint32_t c = 0; c < rows->column_count && count > 0; c++) {
        ColumnBlock block = column_builder_block(&rows->columns[c]);
        Physical physical = type_physical((TypeId)block.type.id);
        size_t skip = physical == PHYS_BIT ? from / 8 : from * physical_bytes(physical);
        columns_out[c] = (Vector){.type = block.type, .form = VECTOR_FLAT, .row_count = count, .data = (const uint8_t *)block.data + skip,
                                  .valid = block.valid == NULL ? NULL : block.valid + from / 64};
    }
    return count;
}

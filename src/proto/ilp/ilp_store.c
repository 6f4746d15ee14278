/* SPDX-License-Identifier: Apache-2.0
 * ilp_store.c - a staged line into its table: find or make the table and its columns, then one value after the other.
 *
 * Rules:      the first of two columns of one name wins; new columns get the type that the value's form names; the designated
 *             timestamp of a new table is called `timestamp` and stands last, columns that come later follow it.
 * Invariants: an error leaves every builder as it was before the line. */
#include "proto/ilp/ilp_internal.h"

enum { CREATED_PRECISION = 18, CREATED_SCALE = 3 };
#define TIMESTAMP_NAME STR("timestamp")

/* UNKNOWN: not supported. */
static Type created_type(const IlpItem *item) {
    switch ((IlpKind)item->kind) {
    case ILP_TAG: return type_of(TYPE_SYMBOL);
    case ILP_INTEGER: return type_of(TYPE_INT8);
    case ILP_FLOAT: return type_of(TYPE_FLOAT8);
    case ILP_STRING: return type_of(TYPE_VARCHAR);
    case ILP_BOOLEAN: return type_of(TYPE_BOOL);
    case ILP_TIMESTAMP: return type_of(TYPE_TIMESTAMP);
    case ILP_TIMESTAMP_NS: return type_of(TYPE_TIMESTAMP_NS);
    case ILP_DECIMAL: return type_decimal(CREATED_PRECISION, CREATED_SCALE);
    case ILP_ARRAY: return (Type){.id = TYPE_FLOAT8_ARRAY, .dims = item->dims};
    default: return type_of(TYPE_UNKNOWN);
    }
}

static StoreOp store_op(uint8_t kind, Type type) {
    static const struct { uint8_t kind, type, op; } PAIRS[] = {
        {ILP_TAG, TYPE_SYMBOL, STORE_CODE},      {ILP_INTEGER, TYPE_INT8, STORE_I64},       {ILP_FLOAT, TYPE_FLOAT8, STORE_F64},
        {ILP_STRING, TYPE_VARCHAR, STORE_TEXT},  {ILP_STRING, TYPE_TEXT, STORE_TEXT},       {ILP_STRING, TYPE_SYMBOL, STORE_CODE},
        {ILP_TIMESTAMP, TYPE_TIMESTAMP, STORE_I64}, {ILP_TIMESTAMP_NS, TYPE_TIMESTAMP_NS, STORE_I64},
    };
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        if (PAIRS[i].kind == kind && PAIRS[i].type == type.id && type.length == 0) {
            return (StoreOp)PAIRS[i].op;
        }
    }
    return STORE_CAST;
}

/* ---- columns that are not there yet ---- */

typedef struct NewColumns {
    IlpColumn *columns;
    uint16_t count;
} NewColumns;

static bool is_listed(const NewColumns *list, Str name) {
    for (uint16_t i = 0; i < list->count; i++) {
        if (str_equal_ignore_case(list->columns[i].name, name)) {
            return true;
        }
    }
    return false;
}

static ErrorCode list_column(const IlpLine *line, const IlpItem *item, NewColumns *list, Error *err) {
    if (is_listed(list, item->name)) {
        return ERR_OK;
    }
    Type type = created_type(item);
    if (type.id == TYPE_UNKNOWN) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "table: %.*s, column: %.*s; type LONG256 is not supported",
                         STR_ARG(line->table_name), STR_ARG(item->name));
    }
    if (!ilp_name_valid(item->name, false)) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "table: %.*s; invalid column name: %.*s", STR_ARG(line->table_name),
                         (int)MIN_OF(item->name.len, (size_t)ILP_NAME_BYTES_MAX), item->name.data);
    }
    list->columns[list->count++] = (IlpColumn){.name = item->name, .type = type};
    return ERR_OK;
}

static ErrorCode table_make(IlpParser *parser, NewColumns *list, IlpTable **table_out, Error *err) {
    const IlpLine *line = &parser->current;
    if (!ilp_name_valid(line->table_name, true)) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "table: %.*s; invalid table name",
                         (int)MIN_OF(line->table_name.len, (size_t)ILP_NAME_BYTES_MAX), line->table_name.data);
    }
    TypeId stamp_type = line->stamp_unit == STAMP_NANOS ? TYPE_TIMESTAMP_NS : TYPE_TIMESTAMP;
    for (uint32_t i = 0; i < line->count; i++) {
        if (str_equal_ignore_case(line->items[i].name, TIMESTAMP_NAME)) {
            stamp_type = line->items[i].kind == ILP_TIMESTAMP_NS ? TYPE_TIMESTAMP_NS : stamp_type;
            continue;
        }
        TRY(list_column(line, &line->items[i], list, err));
    }
    list->columns[list->count++] = (IlpColumn){.name = TIMESTAMP_NAME, .type = type_of(stamp_type)};
    return ilp__table_make(parser, line->table_name, list->columns, list->count, table_out, err);
}

static ErrorCode table_widen(IlpParser *parser, IlpTable *table, NewColumns *list, Error *err) {
    const IlpLine *line = &parser->current;
    for (uint32_t i = 0; i < line->count; i++) {
        if (ilp__table_column(table, line->items[i].name, i) < 0) {
            TRY(list_column(line, &line->items[i], list, err));
        }
    }
    return list->count == 0 ? ERR_OK : ilp__table_widen(parser, table, list->columns, list->count, err);
}

/* The table with all columns that the line names. */
static ErrorCode resolve(IlpParser *parser, IlpTable **table_out, Error *err) {
    const IlpLine *line = &parser->current;
    IlpTable *table = parser->table_last;
    if (table == NULL || table->request != parser->request || !str_equal(table->name, line->table_name)) {
        TRY(ilp__table_get(parser, line->table_name, &table, err));
    }
    bool complete = table != NULL;
    for (uint32_t i = 0; complete && i < line->count; i++) {
        complete = ilp__table_column(table, line->items[i].name, i) >= 0;
    }
    *table_out = table;
    if (complete) {
        return ERR_OK;
    }
    NewColumns list = {.columns = mem_calloc(line->count + 1, sizeof(IlpColumn))};
    ErrorCode code = table == NULL ? table_make(parser, &list, table_out, err) : ERR_OK;
    if (code == ERR_OK) { /* the table may be one that another client made just before, without some of our columns */
        list.count = 0;
        code = table_widen(parser, *table_out, &list, err);
    }
    mem_free(list.columns);
    return code;
}

/* ---- values ---- */

static ErrorCode store_item(IlpParser *parser, IlpTable *table, IlpItem *item, const IlpValue *value, Error *err) {
    IlpTableColumn *column = &table->columns[item->column];
    ilp__backfill(table, column);
    if (column->builder.row_count > table->row_count) {
        item->op = STORE_SKIP; /* named twice */
        return ERR_OK;
    }
    parser->text_bytes += item->kind == ILP_STRING || item->kind == ILP_TAG || item->kind == ILP_ARRAY ? value->text.len : 0;
    return ilp__store_cast(table, column, item, value, err);
}

void ilp__row_undo(IlpTable *table) {
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].builder.row_count > table->row_count) {
            column_builder_truncate(&table->columns[i].builder, table->row_count);
        }
    }
}

static ErrorCode store_items(IlpParser *parser, IlpTable *table, Error *err) {
    IlpLine *line = &parser->current;
    for (uint32_t i = 0; i < line->count; i++) {
        IlpItem *item = &line->items[i];
        int place = ilp__table_column(table, item->name, i);
        if (place < 0) {
            return error_set(err, ERR_AMBIGUOUS_COLUMN, ERROR_NO_POSITION, "table: %.*s, column: %.*s; no column of this name",
                             STR_ARG(table->name), STR_ARG(item->name));
        }
        item->column = (uint16_t)place;
        item->op = (uint8_t)store_op(item->kind, table->columns[place].type);
        TRY(store_item(parser, table, item, &line->values[i], err));
    }
    return ilp__store_stamp(parser, table, line->stamp_unit, line->stamp, err);
}

ErrorCode ilp__line_store(IlpParser *parser, const char *line_start, Error *err) {
    IlpTable *table = NULL;
    TRY(resolve(parser, &table, err));
    parser->table_last = table;
    ErrorCode code = store_items(parser, table, err);
    if (code != ERR_OK) {
        ilp__row_undo(table);
        return code;
    }
    ilp__shape_learn(parser, table, line_start);
    return ilp__row_end(parser, table, err);
}

ErrorCode ilp__row_end(IlpParser *parser, IlpTable *table, Error *err) {
    table->row_count++;
    parser->rows++;
    if (UNLIKELY(table->row_count == BLOCK_ROWS)) {
        TRY(ilp__table_flush(parser, table, err));
    }
    return UNLIKELY(parser->text_bytes > ILP_TEXT_BYTES_MAX) ? ilp_parser_flush(parser, err) : ERR_OK;
}

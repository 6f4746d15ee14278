/* SPDX-License-Identifier: Apache-2.0
 * ilp_table.c - the parser's tables: columns with their builders and caches, kept from request to request.
 *
 * Why:        a builder that was filled once costs no page faults the second time. Whether a kept table still is what the sink has
 *             is asked once per request (id and version).
 * Invariants: a builder never has more rows than row_count outside a store; it may have fewer: NULLs that were not written yet. */
#include "proto/ilp/ilp_internal.h"

static void column_deinit(IlpTableColumn *column) {
    column_builder_deinit(&column->builder);
    ilp__symbols_clear(&column->cache);
}

static void columns_free(IlpTableColumn *columns, uint16_t count) {
    for (uint16_t i = 0; i < count; i++) {
        column_deinit(&columns[i]);
    }
    mem_free(columns);
}

void ilp__table_destroy(IlpTable *table) {
    columns_free(table->columns, table->column_count);
    strmap_deinit(&table->by_name);
    arena_deinit(&table->names);
    mem_free(table);
}

void ilp__table_clear(IlpTable *table) {
    for (uint16_t i = 0; i < table->column_count; i++) {
        column_builder_clear(&table->columns[i].builder);
    }
    table->row_count = 0;
}

/* Takes over builder and cache of the old column of that name, if it is the same column. */
static void column_take(IlpTable *old, const IlpColumn *info, IlpTableColumn *column) {
    int place = old->id == 0 ? -1 : ilp__table_column(old, info->name, 0);
    if (place >= 0) {
        IlpTableColumn *from = &old->columns[place];
        if (str_equal(from->name, info->name) && type_equal(from->type, info->type) && from->symbols == info->symbols) {
            column->builder = from->builder;
            column->cache = from->cache;
            from->builder = (ColumnBuilder){0};
            from->cache = (SymbolCache){0};
            return;
        }
    }
    column_builder_init(&column->builder, info->type);
}

/* Makes table what info says; rows already in the builders of columns that stay are kept. */
static ErrorCode table_apply(IlpParser *parser, IlpTable *table, const IlpTableInfo *info, Error *err) {
    assert(info->column_count > 0);
    ilp__shapes_forget(parser, table);
    Arena names;
    arena_init(&names, SIZE_MAX);
    IlpTableColumn *columns = mem_calloc(info->column_count, sizeof(IlpTableColumn));
    for (uint16_t i = 0; i < info->column_count; i++) {
        columns[i].name = arena_str(&names, info->columns[i].name);
        columns[i].type = info->columns[i].type;
        columns[i].symbols = info->columns[i].symbols;
        column_take(table, &info->columns[i], &columns[i]);
    }
    bool lost = false;
    for (uint16_t i = 0; i < table->column_count; i++) {
        lost |= table->columns[i].builder.row_count > 0; /* what was taken over is empty by now */
    }
    columns_free(table->columns, table->column_count);
    arena_deinit(&table->names);
    strmap_deinit(&table->by_name);
    table->columns = columns;
    table->column_count = info->column_count;
    table->names = names;
    table->id = info->id;
    table->version = info->version;
    table->designated = info->designated;
    strmap_init(&table->by_name);
    for (uint16_t i = 0; i < info->column_count; i++) {
        strmap_put(&table->by_name, columns[i].name, i);
    }
    if (lost) {
        return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table: %.*s; a column was dropped while it was written", STR_ARG(table->name));
    }
    return ERR_OK;
}

static IlpTable *table_new(IlpParser *parser, Str name) {
    IlpTable *table = mem_calloc(1, sizeof(IlpTable));
    arena_init(&table->names, SIZE_MAX);
    strmap_init(&table->by_name);
    if (parser->table_count == parser->table_capacity) {
        parser->table_capacity = MAX_OF(parser->table_capacity * 2, 8u);
        parser->tables = mem_realloc(parser->tables, parser->table_capacity * sizeof(IlpTable *));
    }
    parser->tables[parser->table_count] = table;
    strmap_put(&parser->table_by_name, name, parser->table_count++);
    char *copy = mem_alloc(name.len + 1);
    memcpy(copy, name.data, name.len);
    table->name = (Str){copy, name.len};
    return table;
}

static IlpTable *table_known(IlpParser *parser, Str name) {
    uint64_t number = 0;
    return strmap_get(&parser->table_by_name, name, &number) ? parser->tables[number] : NULL;
}

/* First use in this request: is it still what we know? */
static ErrorCode table_use(IlpParser *parser, IlpTable *table, const IlpTableInfo *info, Error *err) {
    if (table->id != info->id) {
        ilp__table_clear(table);
        columns_free(table->columns, table->column_count);
        table->columns = NULL;
        table->column_count = 0;
        table->id = 0;
    }
    if (table->id != info->id || table->version != info->version || table->column_count != info->column_count) {
        TRY(table_apply(parser, table, info, err));
    }
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].symbols != info->columns[i].symbols) { /* the dictionary lives elsewhere now */
            ilp__symbols_clear(&table->columns[i].cache);
            table->columns[i].symbols = info->columns[i].symbols;
        }
    }
    table->request = parser->request;
    return ERR_OK;
}

ErrorCode ilp__table_get(IlpParser *parser, Str name, IlpTable **table_out, Error *err) {
    *table_out = NULL;
    IlpTable *table = table_known(parser, name);
    if (table != NULL && table->request == parser->request) {
        *table_out = table;
        return ERR_OK;
    }
    bool found = false;
    IlpTableInfo info = {0};
    TRY(parser->sink->table_find(parser->sink, name, &found, &info, err));
    if (!found) {
        return ERR_OK;
    }
    if (table == NULL) {
        if (parser->table_count >= ILP_TABLES_MAX) {
            return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "more than %d tables in one request", ILP_TABLES_MAX);
        }
        table = table_new(parser, name);
    }
    TRY(table_use(parser, table, &info, err));
    *table_out = table;
    return ERR_OK;
}

ErrorCode ilp__table_make(IlpParser *parser, Str name, const IlpColumn *columns, uint16_t column_count, IlpTable **table_out, Error *err) {
    IlpTableInfo info = {0};
    TRY(parser->sink->table_create(parser->sink, name, columns, column_count, &info, err));
    IlpTable *table = table_known(parser, name);
    if (table == NULL) {
        table = table_new(parser, name);
    }
    TRY(table_use(parser, table, &info, err));
    *table_out = table;
    return ERR_OK;
}

ErrorCode ilp__table_widen(IlpParser *parser, IlpTable *table, const IlpColumn *columns, uint16_t column_count, Error *err) {
    IlpTableInfo old = {.id = table->id, .version = table->version, .column_count = table->column_count, .designated = table->designated};
    IlpTableInfo info = {0};
    TRY(parser->sink->columns_add(parser->sink, &old, table->name, columns, column_count, &info, err));
    return table_apply(parser, table, &info, err);
}

int ilp__table_column(IlpTable *table, Str name, uint32_t hint) {
    if (hint < table->column_count && str_equal(table->columns[hint].name, name)) {
        return (int)hint;
    }
    uint64_t place = 0;
    if (strmap_get(&table->by_name, name, &place)) {
        return (int)place;
    }
    int found = -1;
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (str_equal_ignore_case(table->columns[i].name, name)) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

ErrorCode ilp__table_flush(IlpParser *parser, IlpTable *table, Error *err) {
    if (table->row_count == 0) {
        return ERR_OK;
    }
    ColumnBlock *blocks = mem_alloc(table->column_count * sizeof(ColumnBlock));
    for (uint16_t i = 0; i < table->column_count; i++) {
        ilp__backfill(table, &table->columns[i]);
        blocks[i] = column_builder_block(&table->columns[i].builder);
        assert(blocks[i].row_count == table->row_count);
    }
    ErrorCode code = parser->sink->append(parser->sink, table->id, blocks, table->column_count, err);
    mem_free(blocks);
    parser->sink_failed |= code != ERR_OK;
    if (code == ERR_OK) {
        ilp__table_clear(table);
    }
    return code;
}

void ilp__tables_trim(IlpParser *parser) {
    if (parser->table_count <= ILP_TABLES_KEPT) {
        return;
    }
    ilp__shapes_forget(parser, NULL);
    for (uint32_t i = 0; i < parser->table_count; i++) {
        mem_free((char *)parser->tables[i]->name.data);
        ilp__table_destroy(parser->tables[i]);
    }
    parser->table_count = 0;
    parser->table_last = NULL;
    strmap_clear(&parser->table_by_name);
}

/* SPDX-License-Identifier: Apache-2.0
 * memory_sink.h - an IlpSink that keeps tables in memory and renders what was appended as text, for tests. */
#pragma once
#include "base/hash.h"
#include "base/number.h"
#include "column/array.h"
#include "proto/ilp/ilp.h"

enum { SINK_TABLES_MAX = 32, SINK_COLUMNS_MAX = 64, SINK_SYMBOLS_MAX = 1000 };

typedef struct MemorySymbols {
    SymbolTable base;
    StrMap codes;
    Str texts[SINK_SYMBOLS_MAX];
    int32_t count;
    Arena arena;
} MemorySymbols;

static int32_t symbols_intern(SymbolTable *table, Str text) {
    MemorySymbols *symbols = (MemorySymbols *)table;
    uint64_t code = 0;
    if (strmap_get(&symbols->codes, text, &code)) {
        return (int32_t)code;
    }
    symbols->texts[symbols->count] = arena_str(&symbols->arena, text);
    strmap_put(&symbols->codes, text, (uint64_t)symbols->count);
    return symbols->count++;
}

static MemorySymbols *symbols_new(void) {
    MemorySymbols *symbols = mem_calloc(1, sizeof *symbols);
    symbols->base.intern = symbols_intern;
    strmap_init(&symbols->codes);
    arena_init(&symbols->arena, SIZE_MAX);
    return symbols;
}

typedef struct MemoryTable {
    Str name;
    IlpColumn columns[SINK_COLUMNS_MAX];
    uint16_t column_count;
    int16_t designated;
    uint64_t version;
} MemoryTable;

typedef struct MemorySink {
    IlpSink base;
    Arena arena;
    MemoryTable tables[SINK_TABLES_MAX];
    uint32_t table_count;
    Buffer out;     /* rows as text, in the order of appending */
    uint64_t rows, sum;
    bool quiet;     /* count only */
} MemorySink;

static void info_fill(MemorySink *sink, uint32_t number, IlpTableInfo *info) {
    const MemoryTable *table = &sink->tables[number];
    *info = (IlpTableInfo){number + 1, table->version, table->columns, table->column_count, table->designated};
}

static ErrorCode sink_find(IlpSink *base, Str name, bool *found, IlpTableInfo *info, Error *err) {
    (void)err;
    MemorySink *sink = (MemorySink *)base;
    *found = false;
    for (uint32_t i = 0; i < sink->table_count; i++) {
        if (str_equal(sink->tables[i].name, name)) {
            *found = true;
            info_fill(sink, i, info);
        }
    }
    return ERR_OK;
}

static void add_columns(MemorySink *sink, MemoryTable *table, const IlpColumn *columns, uint16_t count) {
    for (uint16_t i = 0; i < count; i++) {
        IlpColumn *to = &table->columns[table->column_count++];
        *to = columns[i];
        to->name = arena_str(&sink->arena, columns[i].name);
        if (to->type.id == TYPE_SYMBOL) {
            to->symbols = &symbols_new()->base;
        }
    }
    table->version++;
}

static ErrorCode sink_create(IlpSink *base, Str name, const IlpColumn *columns, uint16_t count, IlpTableInfo *info, Error *err) {
    (void)err;
    MemorySink *sink = (MemorySink *)base;
    MemoryTable *table = &sink->tables[sink->table_count];
    table->name = arena_str(&sink->arena, name);
    table->designated = (int16_t)(count - 1);
    add_columns(sink, table, columns, count);
    info_fill(sink, sink->table_count++, info);
    return ERR_OK;
}

static ErrorCode sink_add(IlpSink *base, const IlpTableInfo *old, Str name, const IlpColumn *columns, uint16_t count, IlpTableInfo *info, Error *err) {
    (void)err;
    (void)name;
    MemorySink *sink = (MemorySink *)base;
    add_columns(sink, &sink->tables[old->id - 1], columns, count);
    info_fill(sink, (uint32_t)old->id - 1, info);
    return ERR_OK;
}

static void render(MemorySink *sink, const IlpColumn *column, const ColumnBlock *block, uint32_t row) {
    Buffer *out = &sink->out;
    if (block->valid != NULL && !bit_get(block->valid, row)) {
        buffer_append_str(out, STR("null"));
        return;
    }
    char text[DOUBLE_TEXT_MAX];
    switch (column->type.id) {
    case TYPE_SYMBOL: {
        Str symbol = ((MemorySymbols *)column->symbols)->texts[((const int32_t *)block->data)[row]];
        buffer_append_str(out, symbol);
        break;
    }
    case TYPE_BOOL: buffer_append_str(out, bit_get(block->data, row) ? STR("true") : STR("false")); break;
    case TYPE_FLOAT8: buffer_append(out, text, format_double(text, ((const double *)block->data)[row], DOUBLE_JAVA)); break;
    case TYPE_BYTE: buffer_printf(out, "%d", ((const int8_t *)block->data)[row]); break;
    case TYPE_INT4:
    case TYPE_CHAR: buffer_printf(out, "%d", ((const int32_t *)block->data)[row]); break;
    case TYPE_FLOAT8_ARRAY: {
        ArrayView view;
        StrRef ref = ((const StrRef *)block->data)[row];
        if (array_view(strref_str(&ref), &view, NULL) == ERR_OK) {
            array_format_text(&view, '[', ']', out);
        }
        break;
    }
    case TYPE_VARCHAR: {
        StrRef ref = ((const StrRef *)block->data)[row];
        buffer_append_str(out, strref_str(&ref));
        break;
    }
    default: buffer_printf(out, "%lld", (long long)((const int64_t *)block->data)[row]); break;
    }
}

static ErrorCode sink_append(IlpSink *base, uint64_t id, const ColumnBlock *blocks, uint16_t count, Error *err) {
    (void)err;
    MemorySink *sink = (MemorySink *)base;
    const MemoryTable *table = &sink->tables[id - 1];
    assert(count == table->column_count);
    sink->rows += blocks[0].row_count;
    for (uint32_t row = 0; !sink->quiet && row < blocks[0].row_count; row++) {
        buffer_append_str(&sink->out, table->name);
        for (uint16_t c = 0; c < count; c++) {
            buffer_printf(&sink->out, "%s%.*s=", c == 0 ? " " : ",", STR_ARG(table->columns[c].name));
            render(sink, &table->columns[c], &blocks[c], row);
        }
        buffer_append_char(&sink->out, '\n');
    }
    return ERR_OK;
}

static MemorySink *sink_new(void) {
    MemorySink *sink = mem_calloc(1, sizeof *sink);
    sink->base = (IlpSink){sink_find, sink_create, sink_add, sink_append};
    arena_init(&sink->arena, SIZE_MAX);
    buffer_init(&sink->out, 1 << 28);
    return sink;
}

static void sink_free(MemorySink *sink) {
    for (uint32_t i = 0; i < sink->table_count; i++) {
        for (uint16_t c = 0; c < sink->tables[i].column_count; c++) {
            MemorySymbols *symbols = (MemorySymbols *)sink->tables[i].columns[c].symbols;
            if (symbols != NULL) {
                strmap_deinit(&symbols->codes);
                arena_deinit(&symbols->arena);
                mem_free(symbols);
            }
        }
    }
    arena_deinit(&sink->arena);
    buffer_deinit(&sink->out);
    mem_free(sink);
}

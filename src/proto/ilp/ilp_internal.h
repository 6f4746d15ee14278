/* SPDX-License-Identifier: Apache-2.0
 * ilp_internal.h - what the files of proto/ilp share.
 *
 * Path of a line: ilp_fast.c tries to recognise it as another line of a known shape (same table, same names, same kinds) and only
 * reads the values; else ilp_line.c reads it in full and ilp_table.c learns its shape. Both fill an IlpLine; ilp_store.c moves its
 * values into the table's builders. Values are staged first, so an incomplete or wrong line leaves no trace in the builders. */
#pragma once
#include "base/hash.h"
#include "proto/ilp/ilp.h"

/* name in QuestDB's error texts */
#define ILP_KINDS(X)                                                                                                   \
    X(TAG, "TAG") X(INTEGER, "INTEGER") X(FLOAT, "FLOAT") X(STRING, "STRING") X(BOOLEAN, "BOOLEAN")                    \
    X(TIMESTAMP, "TIMESTAMP") X(TIMESTAMP_NS, "TIMESTAMP") X(LONG256, "LONG256") X(ARRAY, "ARRAY") X(DECIMAL, "DECIMAL")
typedef enum IlpKind {
#define X(name, text) ILP_##name,
    ILP_KINDS(X)
#undef X
        ILP_KIND_COUNT
} IlpKind;

/* How a value goes into its column: the common pairs without a look at types, everything else by ilp__store_cast. */
typedef enum StoreOp { STORE_SKIP, STORE_CODE, STORE_I64, STORE_F64, STORE_TEXT, STORE_CAST } StoreOp;

typedef struct IlpValue {
    union { int64_t i64; double f64; bool boolean; } as;
    Str text; /* TAG, STRING: the value; numbers: as written; ARRAY: serialised as column/array.h; DECIMAL from binary: digits */
} IlpValue;

typedef struct IlpItem {
    Str name;             /* unescaped */
    uint8_t kind, op;
    uint16_t column;
    uint8_t dims;         /* ARRAY */
    bool is_null;         /* a binary decimal without digits */
    uint32_t raw_offset;  /* where the value begins, from the line's start */
    uint32_t raw_len;
} IlpItem;

typedef enum StampUnit { STAMP_NONE, STAMP_PLAIN, STAMP_MICROS, STAMP_NANOS } StampUnit;

/* One line, staged. */
typedef struct IlpLine {
    Str table_name;
    IlpItem *items;
    IlpValue *values;
    uint32_t count, capacity;
    bool has_binary;
    uint8_t stamp_unit;
    int64_t stamp;
} IlpLine;

/* Cache text -> code of one symbol column: open addressing; forgotten when it is full. Texts of at most 8 bytes are their own key. */
typedef struct SymbolEntry {
    uint64_t key;
    const char *text;
    uint32_t len;
    int32_t code; /* -1: free */
} SymbolEntry;
typedef struct SymbolCache {
    SymbolEntry *entries;
    uint32_t capacity, count;
    Arena texts;
} SymbolCache;
enum { SYMBOL_CACHE_MAX = 1 << 17 };

typedef struct IlpTableColumn {
    Str name; /* in the table's arena */
    Type type;
    SymbolTable *symbols;
    SymbolCache cache;
    ColumnBuilder builder;
} IlpTableColumn;

typedef struct IlpTable {
    uint64_t id, version;
    Str name;
    IlpTableColumn *columns;
    uint16_t column_count;
    int16_t designated;
    uint32_t row_count;  /* rows in the builders; a builder with fewer misses NULLs at its end */
    uint64_t request;    /* the last request that used it */
    StrMap by_name;      /* exact name -> column */
    Arena names;
} IlpTable;

/* What the fast path needs to know about one value of a recurring line. prefix = the bytes between the value before and this one. */
typedef struct ShapeItem {
    uint32_t prefix_offset;
    uint16_t prefix_len;
    uint16_t column;
    uint8_t kind, op;
} ShapeItem;
enum { SHAPES_KEPT = 4, SHAPE_BYTES_MAX = 1 << 16 };
typedef struct IlpShape {
    IlpTable *table; /* NULL: free */
    ShapeItem *items;
    uint32_t count, capacity;
    char *prefixes;  /* each padded to a multiple of 8 with 8 more behind */
    size_t prefix_bytes, prefix_capacity;
} IlpShape;

struct IlpParser {
    IlpSink *sink;
    uint8_t precision;
    bool failed, active, sink_failed;
    int64_t now_micros;
    uint64_t line, rows, request;
    IlpLine current;
    Arena scratch;        /* unescaped texts of the line being read */
    Buffer carry;         /* beginning of a line whose end has not come yet */
    IlpShape shapes[SHAPES_KEPT];
    uint32_t shape_last, shape_next;
    IlpTable **tables;
    uint32_t table_count, table_capacity;
    StrMap table_by_name;
    IlpTable *table_last; /* of the line before */
    size_t text_bytes;    /* copied into builders since the last flush of all */
};

typedef enum LineResult { LINE_DONE, LINE_INCOMPLETE, LINE_EMPTY, LINE_ERROR } LineResult;

/* ilp_line.c: reads one line from at; *next_out = behind its newline (or at end of the line found at fault). */
LineResult ilp__line_read(IlpParser *parser, const char *at, const char *end, const char **next_out, Error *err);
/* ilp_value.c: text of a field (no quotes, no binary) -> kind and value. */
bool ilp__value_read(Str text, IlpItem *item, IlpValue *value);
LineResult ilp__binary_read(IlpParser *parser, const char *at, const char *end, IlpItem *item, IlpValue *value, const char **next_out, Error *err);
/* ilp_fast.c: true if the line was one of a known shape and is stored; *code_out tells how that went. */
bool ilp__fast_line(IlpParser *parser, const char *at, const char **next_out, ErrorCode *code_out, Error *err);
void ilp__shape_learn(IlpParser *parser, IlpTable *table, const char *line_start);
void ilp__shapes_forget(IlpParser *parser, const IlpTable *table); /* NULL = all */
/* ilp_store.c */
NODISCARD ErrorCode ilp__line_store(IlpParser *parser, const char *line_start, Error *err); /* resolves names, then stores */
NODISCARD ErrorCode ilp__store_cast(IlpTable *table, IlpTableColumn *column, const IlpItem *item, const IlpValue *value, Error *err);
NODISCARD ErrorCode ilp__store_stamp(IlpParser *parser, IlpTable *table, uint8_t unit, int64_t stamp, Error *err);
NODISCARD ErrorCode ilp__row_end(IlpParser *parser, IlpTable *table, Error *err);
void ilp__row_undo(IlpTable *table); /* drops what a failed line left in the builders */
/* ilp_table.c */
NODISCARD ErrorCode ilp__table_get(IlpParser *parser, Str name, IlpTable **table_out, Error *err); /* NULL if the sink knows none */
NODISCARD ErrorCode ilp__table_make(IlpParser *parser, Str name, const IlpColumn *columns, uint16_t column_count, IlpTable **table_out, Error *err);
NODISCARD ErrorCode ilp__table_widen(IlpParser *parser, IlpTable *table, const IlpColumn *columns, uint16_t column_count, Error *err);
int ilp__table_column(IlpTable *table, Str name, uint32_t hint); /* -1 */
NODISCARD ErrorCode ilp__table_flush(IlpParser *parser, IlpTable *table, Error *err);
void ilp__table_clear(IlpTable *table);
void ilp__table_destroy(IlpTable *table);
void ilp__tables_trim(IlpParser *parser);
/* ilp_symbols.c: -1 = the dictionary is full or the text is not UTF-8 (*bad_utf8_out). */
int32_t ilp__symbol_code(IlpTableColumn *column, Str text, bool *bad_utf8_out);
void ilp__symbols_clear(SymbolCache *cache);

/* Classes of bytes that end or escape something, for the scanning loops. */
enum { BYTE_PLAIN, BYTE_COMMA, BYTE_SPACE, BYTE_EQUALS, BYTE_ESCAPE, BYTE_END };
extern const uint8_t ILP__CLASS[256];

static inline bool ilp__is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static inline void ilp__backfill(IlpTable *table, IlpTableColumn *column) {
    ColumnBuilder *builder = &column->builder;
    if (UNLIKELY(builder->row_count < table->row_count)) {
        column_builder_nulls(builder, table->row_count - builder->row_count);
    }
}

static inline void ilp__append_i64(ColumnBuilder *builder, int64_t value) {
    if (LIKELY(builder->row_count < builder->capacity)) {
        ((int64_t *)builder->data)[builder->row_count++] = value;
    } else {
        column_builder_value(builder, &value);
    }
}

static inline void ilp__append_f64(ColumnBuilder *builder, double value) {
    if (LIKELY(builder->row_count < builder->capacity)) {
        ((double *)builder->data)[builder->row_count++] = value;
    } else {
        column_builder_value(builder, &value);
    }
}

static inline void ilp__append_i32(ColumnBuilder *builder, int32_t value) {
    if (LIKELY(builder->row_count < builder->capacity)) {
        ((int32_t *)builder->data)[builder->row_count++] = value;
    } else {
        column_builder_value(builder, &value);
    }
}

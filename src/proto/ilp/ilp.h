/* SPDX-License-Identifier: Apache-2.0
 * ilp.h - line protocol: bytes in, typed columns out. No rows in between, no sockets, no engine.
 *
 *   table[,tag=value…] [field=value…] [timestamp]\n        (docs of the InfluxDB line protocol; version 2: field==binary)
 *
 * The parser keeps a set of column builders per table and fills them side by side; a column that a line does not name is NULL.
 * Whoever uses it hands down an IlpSink: how to find, make and widen a table, and where full columns go. Tables, builders and
 * symbol caches outlive a request (begin … end) so that the next one touches no fresh memory.
 *
 * Errors: ErrorCode + message in QuestDB's words, without the line number, which ilp_parser_line gives. After an error the
 * parser takes no more bytes until the next begin; rows of earlier lines that were not appended yet are dropped, unless
 * ilp_parser_flush is called first.
 * Threads: one at a time. */
#pragma once
#include "base/memory.h"
#include "column/source.h"
#include "column/vector.h"

enum {
    ILP_PADDING_BYTES = 16,          /* so many bytes behind every chunk must be readable (their value does not matter) */
    ILP_LINE_BYTES_MAX = 64 << 20,   /* a line with arrays may be long; a longer one is refused */
    ILP_NAME_BYTES_MAX = 127,        /* of new tables and columns, as the clients know from /settings */
    ILP_TABLES_MAX = 10000,          /* per request */
    ILP_TABLES_KEPT = 64,            /* more than that are forgotten between requests */
    ILP_LINE_FIELDS_MAX = COLUMNS_MAX,
    ILP_TEXT_BYTES_MAX = 16 << 20    /* of text in builders before they are handed on early */
};

typedef struct IlpColumn {
    Str name;
    Type type;
    SymbolTable *symbols; /* SYMBOL columns */
} IlpColumn;

/* A table as the sink knows it. Two infos with equal id and version have equal columns. columns live until the next call of the sink. */
typedef struct IlpTableInfo {
    uint64_t id, version;
    const IlpColumn *columns;
    uint16_t column_count;
    int16_t designated; /* column of the designated timestamp, -1 = none */
} IlpTableInfo;

typedef struct IlpSink IlpSink;
struct IlpSink {
    /* *found_out = false if there is no such table. */
    ErrorCode (*table_find)(IlpSink *sink, Str name, bool *found_out, IlpTableInfo *info_out, Error *err);
    /* columns: those of the first line and last the designated timestamp. Another client may have been faster: then its table. */
    ErrorCode (*table_create)(IlpSink *sink, Str name, const IlpColumn *columns, uint16_t column_count, IlpTableInfo *info_out, Error *err);
    ErrorCode (*columns_add)(IlpSink *sink, const IlpTableInfo *table, Str name, const IlpColumn *columns, uint16_t column_count,
                             IlpTableInfo *info_out, Error *err);
    /* One block per column of the table, all of the same row_count (<= BLOCK_ROWS); valid during the call. */
    ErrorCode (*append)(IlpSink *sink, uint64_t table_id, const ColumnBlock *columns, uint16_t column_count, Error *err);
};

typedef enum IlpPrecision {
    ILP_NANOS, ILP_MICROS, ILP_MILLIS, ILP_SECONDS, ILP_MINUTES, ILP_HOURS
} IlpPrecision;
/* "n", "ns", "u", "us", "ms", "s", "m", "h" and empty (nanoseconds). */
bool ilp_precision_parse(Str text, IlpPrecision *precision_out);

typedef struct IlpParser IlpParser;
IlpParser *ilp_parser_create(void);
void ilp_parser_destroy(IlpParser *parser);                 /* NULL is fine */
/* now_micros: for lines without a timestamp. The sink must live until end (or the next begin). */
void ilp_parser_begin(IlpParser *parser, IlpSink *sink, IlpPrecision precision, int64_t now_micros);
/* Any cut of the input is fine. The chunk is not kept. */
NODISCARD ErrorCode ilp_parser_feed(IlpParser *parser, Bytes chunk, Error *err);
NODISCARD ErrorCode ilp_parser_end(IlpParser *parser, Error *err);   /* last line without its newline; appends all that is left */
NODISCARD ErrorCode ilp_parser_flush(IlpParser *parser, Error *err); /* appends the rows of all whole lines so far; also after a fault */
/* After a flush: the lines that follow belong to a new transaction, so every table is asked for again. A line begun stays begun. */
void ilp_parser_renew(IlpParser *parser, int64_t now_micros);
void ilp_parser_forget(IlpParser *parser);                  /* gives back the memory kept for the next request */
uint64_t ilp_parser_line(const IlpParser *parser);          /* 1-based: the line being read, after an error the one at fault */
/* After an error: a line is at fault; false: the sink refused, so what it took so far must be undone. */
bool ilp_parser_fault_is_line(const IlpParser *parser);
uint64_t ilp_parser_rows(const IlpParser *parser);          /* stored since begin */
size_t ilp_parser_memory(const IlpParser *parser);          /* bytes kept, roughly */
bool ilp_name_valid(Str name, bool is_table);               /* may a new table or column be called so */

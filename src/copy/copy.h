/* SPDX-License-Identifier: Apache-2.0
 * copy.h - what COPY carries: text, csv and binary, bytes in any cuts <-> columns. No sockets, no tables, no transactions.
 *
 * Reading: copy_reader_open -> copy_reader_feed* (drain with copy_reader_rows/builders/clear whenever it stops early) ->
 * copy_reader_end -> drain -> copy_reader_close. Writing: copy_writer_init -> copy_write_begin -> copy_write_rows* -> copy_write_end ->
 * copy_writer_deinit.
 * Errors have PostgreSQL's codes and words: ERR_BAD_COPY (22P04) for what breaks the form (missing and extra data, a quote that never closes,
 * a bad signature), the type's own codes for values. copy_reader_context then gives the CONTEXT field ('W') of the report.
 * Limits: a row COPY_ROW_BYTES_MAX, a binary or text field the same. Threads: an object belongs to one thread at a time. */
#pragma once
#include "encode/pg_row.h"
#include "sql/func/func.h"
#include "sql/parse/ast.h"

enum {
    COPY_BATCH_ROWS = 16384,             /* rows in the builders at which feed stops */
    COPY_ROW_BYTES_MAX = 256 << 20,      /* of one row's text */
    COPY_CONTEXT_BYTES_MAX = 512,
    COPY_VALUE_SHOWN_MAX = 100           /* bytes of a value in the context, "..." behind it if there are more */
};

typedef enum CopyFormat { COPY_TEXT, COPY_CSV, COPY_BINARY } CopyFormat;
typedef enum CopyHeader { COPY_HEADER_NONE, COPY_HEADER_YES, COPY_HEADER_MATCH } CopyHeader;

/* Zero = COPY's defaults of the text format; copy_options_complete fills the rest. */
typedef struct CopyOptions {
    CopyFormat format;
    CopyHeader header;
    char delimiter, quote, escape;       /* 0 = the format's default */
    Str null_text;                       /* data NULL = the format's default */
    Str default_text;                    /* data NULL = no DEFAULT marker */
    bool freeze, on_error_ignore;
    bool log_verbose, log_silent;
    int64_t reject_limit;                /* 0 = none */
    bool force_quote_all, force_not_null_all, force_null_all;
    const Str *force_quote, *force_not_null, *force_null; /* column names */
    uint32_t force_quote_count, force_not_null_count, force_null_count;
} CopyOptions;

/* The options of a parsed COPY, checked together as PostgreSQL checks them (42601, 22023, 0A000), position = the option. Texts and
 * lists live in arena. Encoding: UTF8 and its aliases, SQL_ASCII; others are 0A000. */
NODISCARD ErrorCode copy_options_read(const AstCopy *copy, Arena *arena, CopyOptions *options_out, Error *err);
/* Defaults by format; for callers that fill CopyOptions themselves. */
void copy_options_complete(CopyOptions *options);

typedef struct CopyColumn {
    Str name;
    Type type;
    SymbolTable *symbols;                /* SYMBOL columns: texts are interned here. NULL: the builder is one of TEXT */
} CopyColumn;

/* ---- FROM ---- */
typedef struct CopyReaderOptions {
    CopyOptions copy;
    Str table_name;                      /* for the context */
    const CopyColumn *columns;           /* in the order of the fields; names and types are copied */
    uint16_t column_count;
    const FunctionEnvironment *environment; /* lives as the reader */
    void (*notice)(void *context, Str message); /* LOG_VERBOSITY verbose: one call a skipped row; may be NULL */
    void *notice_context;
} CopyReaderOptions;
typedef struct CopyReader CopyReader;
/* 42703 for a FORCE_… column that is not among the columns. */
NODISCARD ErrorCode copy_reader_open(const CopyReaderOptions *options, CopyReader **reader_out, Error *err);
void copy_reader_close(CopyReader *reader);
/* Takes bytes of the stream. It stops early, with *used_out < piece.len, when COPY_BATCH_ROWS rows are ready: drain, then feed the rest.
 * After an error the reader only gives its context. Behind the end marker (text \., binary trailer) what comes is taken and ignored. */
NODISCARD ErrorCode copy_reader_feed(CopyReader *reader, Bytes piece, size_t *used_out, Error *err);
/* No more bytes come. The last row need not end with a line end. May be called again while copy_reader_rows is COPY_BATCH_ROWS. */
NODISCARD ErrorCode copy_reader_end(CopyReader *reader, Error *err);
uint32_t copy_reader_rows(const CopyReader *reader);             /* whole rows ready in the builders */
ColumnBuilder *copy_reader_builder(CopyReader *reader, uint16_t column);
/* Rows of the batch whose field was the DEFAULT marker (the builder holds NULL there), one bit a row; NULL: none. */
const uint64_t *copy_reader_defaults(const CopyReader *reader, uint16_t column);
uint64_t copy_reader_line(const CopyReader *reader, uint32_t row); /* line (text, csv) or row number where that ready row began, from 1 */
void copy_reader_clear(CopyReader *reader);                       /* the builders are empty again, memory is kept */
uint64_t copy_reader_rejected(const CopyReader *reader);          /* rows skipped by ON_ERROR ignore */
/* "COPY t, line 3, column c: "abc"", "COPY t, line 3: "1	2"" or "COPY t, line 3"; of the last error. Lives until the next call. */
Str copy_reader_context(const CopyReader *reader);
/* The same for an error that storing ready row `row` met (not null, check, unique): "COPY t, line 3". */
Str copy_reader_row_context(CopyReader *reader, uint32_t row);

/* ---- TO ---- */
typedef struct CopyWriter {
    CopyOptions copy;
    bool in_messages;                    /* each row becomes a CopyData message ('d', length) */
    bool signature_due;                  /* binary in messages: the signature goes with the first row, as clients expect it */
    uint16_t column_count;
    const bool *quoted;                  /* FORCE_QUOTE by column */
    Encoder encoder;
    Arena arena;
} CopyWriter;
/* names: of the columns, for HEADER and FORCE_QUOTE; 42703 for a name that is not among them. */
NODISCARD ErrorCode copy_writer_init(CopyWriter *writer, const CopyOptions *options, const Str *names, uint16_t column_count, bool in_messages,
                                     const TextStyle *style, Error *err);
void copy_writer_deinit(CopyWriter *writer);
void copy_write_begin(CopyWriter *writer, const Str *names, Buffer *out);  /* header line or binary signature, if any */
/* columns, window: as pg_encode_rows. Rows written so far: writer->encoder.row_count. */
NODISCARD ErrorCode copy_write_rows(CopyWriter *writer, Batch *batch, const uint16_t *columns, PgRowWindow *window, Buffer *out, Error *err);
void copy_write_end(CopyWriter *writer, Buffer *out);                      /* binary trailer */

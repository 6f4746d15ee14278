/* SPDX-License-Identifier: Apache-2.0
 * encode.h - Batch -> bytes: QuestDB's JSON rows and CSV rows, PostgreSQL's texts.
 *
 * One Encoder per result: it keeps the number of rows written (for commas) and symbol texts that are already escaped. Encoders know
 * nothing of SQL or sockets; after any call the result may be stopped, flushed, and gone on with later.
 * Memory: output goes to the caller's Buffer (its limit is the caller's; ERR_TOO_LARGE past it); the encoder's own memory is bounded
 * by SYMBOL_CACHE_CODES texts a column. Threads: an encoder belongs to one thread at a time. */
#pragma once
#include "column/value_text.h"
#include "column/vector.h"

enum {
    SYMBOL_CACHE_CODES = 65536,          /* symbol codes whose text is kept escaped, a column */
    SYMBOL_CACHE_BYTES_MAX = 64 << 20    /* of all texts of an encoder */
};

typedef struct EncoderOptions {
    bool quote_large_numbers;            /* JSON: int8 in quotes */
    TextStyle text;                      /* PostgreSQL texts */
} EncoderOptions;

typedef struct SymbolCache {
    const SymbolTable *symbols;          /* whose codes these are; another table empties the cache */
    Str *texts;                          /* by code; data NULL = not yet known */
    uint32_t capacity;
} SymbolCache;

typedef struct Encoder {
    EncoderOptions options;
    uint16_t column_count;
    uint64_t row_count;                  /* rows written so far */
    SymbolCache *caches;                 /* one a column */
    Arena texts, scratch;
} Encoder;
void encoder_init(Encoder *encoder, uint16_t column_count, const EncoderOptions *options);
void encoder_deinit(Encoder *encoder);

/* columns: batch columns to write, in this order; NULL = the first column_count. Live rows only. Columns may be in any form.
 * JSON: "[1,"a"],[2,null]": rows joined by commas, also across calls. */
NODISCARD ErrorCode json_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err);
/* CSV: "1,""a""" CRLF after each row. */
NODISCARD ErrorCode csv_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err);
/* PostgreSQL's COPY text form: tab between fields, \N for null, backslash escapes, LF after each row. */
NODISCARD ErrorCode copy_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err);

/* One value as PostgreSQL prints it (what psql shows): nothing is written for NULL, and false comes back. Vector not ENCODED. */
bool pg_text_value(const Vector *vector, size_t row, const TextStyle *style, Buffer *out);

/* ---- pieces ---- */
typedef struct EncodedColumn { Str name; Type type; } EncodedColumn;
/* [{"name":"a","type":"LONG"},…]; arrays also "dim" and "elemType". */
void json_encode_columns(const EncodedColumn *columns, uint16_t column_count, Buffer *out);
void csv_encode_header(const EncodedColumn *columns, uint16_t column_count, Buffer *out); /* "a","b" CRLF */
void json_append_text(Buffer *out, Str text);   /* in quotes, escaped; UTF-8 passes through */
void csv_append_text(Buffer *out, Str text);    /* in quotes, quotes doubled */

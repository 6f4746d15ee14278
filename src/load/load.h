/* SPDX-License-Identifier: Apache-2.0
 * load.h - CSV bytes into a table: matches or makes the table, parses straight into column batches, reports what was wrong.
 *
 * Life cycle: load_begin -> load_feed* -> load_finish -> load_close (which rolls back what was not finished).
 * The first LOAD_SAMPLE_BYTES are held back to find the delimiter, the header and the types. All rows of a load are one
 * transaction: the session's open one, else one of its own that load_finish commits.
 * Columns go by header name (exact, then any case), without a header by place; a column that the file lacks is NULL; one that the
 * table lacks is an error unless add_columns. Empty fields are NULL; "" is an empty text in text columns.
 * Input may be gzip or zstd (known by its first bytes).
 * Threads: as the session. */
#pragma once
#include "session/session.h"
#include "text/csv.h"
#include "text/infer.h"

enum {
    LOAD_SAMPLE_BYTES = 256 * 1024,
    LOAD_SAMPLE_ROWS = 20000,
    LOAD_BATCH_ROWS = 16384,
    LOAD_PROBLEMS_KEPT = 20,
    LOAD_COLUMNS_MAX = COLUMNS_MAX
};

/* What a value that its column cannot hold does. */
typedef enum LoadOnError {
    LOAD_ABORT,      /* nothing of the load stays */
    LOAD_SKIP_ROW,   /* the row is left out */
    LOAD_SKIP_COLUMN /* the value becomes NULL */
} LoadOnError;

typedef struct LoadColumnSpec {
    Str name;
    Type type;       /* TYPE_UNKNOWN = infer */
    Str pattern;     /* of times (text/time_pattern.h), empty = ISO forms */
} LoadColumnSpec;

/* Zero is the default. Texts are copied. */
typedef struct LoadOptions {
    Str schema_name, table;
    const LoadColumnSpec *columns; /* types by name; order does not matter */
    uint32_t column_count;
    Str timestamp;                 /* designated timestamp of a table that is made; empty = none */
    uint8_t partition;             /* PartitionUnit of a table that is made */
    bool no_create, overwrite, add_columns;
    HeaderMode header;
    char delimiter;                /* 0 = detect */
    bool skip_long_rows;           /* rows with more fields than columns are left out, else they are wrong rows */
    Str null_text;                 /* beside the empty field */
    const Zone *zone;              /* of times that name none; NULL = UTC. Lives until load_close */
    uint8_t on_error;              /* LoadOnError */
    bool questdb;                  /* inferred types as QuestDB's importer has them */
} LoadOptions;

typedef struct LoadProblem {
    uint64_t line;
    uint32_t field;                /* from 0 */
    Str message;
} LoadProblem;
typedef struct LoadColumnReport {
    Str name;
    Type type;
    uint64_t errors;
} LoadColumnReport;
/* Lives until load_close. */
typedef struct LoadReport {
    uint64_t rows, rejected;       /* loaded, left out */
    const LoadColumnReport *columns; /* of the file, in its order */
    uint32_t column_count;
    const LoadProblem *problems;   /* the first ones */
    uint32_t problem_count;
    Str table, timestamp;
    uint8_t partition;
    char delimiter;
    bool header, created;
} LoadReport;

typedef struct Load Load;
/* ERR_INVALID_NAME, and what the session says when it begins a transaction. */
NODISCARD ErrorCode load_begin(Session *session, const LoadOptions *options, Load **load_out, Error *err);
/* After an error only load_close is of use. The message names line and column; position = byte offset in the (unpacked) input, or none. */
NODISCARD ErrorCode load_feed(Load *load, Bytes piece, Error *err);
NODISCARD ErrorCode load_finish(Load *load, Error *err);
const LoadReport *load_report(Load *load); /* also after an error */
uint64_t load_rows(const Load *load);      /* so far */
void load_close(Load *load);

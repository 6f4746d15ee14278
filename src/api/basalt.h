/* SPDX-License-Identifier: Apache-2.0
 * basalt.h - Basalt as a library: one data folder, SQL in, column batches or rows out. Link with libbasalt.a.
 *
 *   BasaltDatabase *db;  BasaltConnection *c;  BasaltStatement *s;
 *   if (basalt_open("./data", NULL, &db) != BASALT_OK) { … basalt_open_error() … }
 *   basalt_connect(db, NULL, &c);
 *   basalt_prepare(c, "SELECT symbol, rate FROM trades WHERE rate > $1", BASALT_TO_NUL, &s, NULL);
 *   basalt_bind_double(s, 0, 500.0);
 *   while (basalt_row(s) == BASALT_ROW) { printf("%s %g\n", basalt_text(s, 0, NULL), basalt_double(s, 1)); }
 *   basalt_finalize(s);  basalt_disconnect(c);  basalt_close(db);
 *
 * Rules: calls answer a BasaltResult; what went wrong is in basalt_error(connection) until the next call on that connection.
 * A connection and its statements belong to one thread at a time; only basalt_cancel may come from another one. Several
 * connections work side by side. Option structs begin with their size, so that later versions can grow them: set it to
 * sizeof the struct, leave the rest zero for defaults. Texts are UTF-8. A folder has one process at a time. */
#ifndef BASALT_H
#define BASALT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct BasaltDatabase BasaltDatabase;
typedef struct BasaltConnection BasaltConnection;
typedef struct BasaltStatement BasaltStatement;

typedef enum BasaltResult {
    BASALT_OK = 0,
    BASALT_ROW = 1,   /* basalt_step: a batch is there; basalt_row: a row is there */
    BASALT_DONE = 2,  /* no more rows; the statement is complete (and committed if it stood alone) */
    BASALT_FAILED = -1
} BasaltResult;

typedef struct BasaltError {
    char sqlstate[6];
    char message[512];
    int64_t position; /* byte offset in the statement's text, -1 = none */
    int exit_code;    /* what the program `basalt` exits with on this error */
} BasaltError;

const char *basalt_version(void); /* "0.1.0" */

/* ---- a data folder ---- */
typedef struct BasaltOptions {
    size_t size;            /* sizeof(BasaltOptions) */
    size_t ingest_memory_bytes, cache_bytes; /* 0 = 256 MiB, 32 MiB */
    bool read_only;
    int durability;         /* 0 = commit (synced), 1 = interval, 2 = off */
    int durability_ms;      /* for interval; 0 = 100 */
    bool must_exist;        /* an absent folder is an error, else it is made */
} BasaltOptions;
/* Opens and recovers. On failure *error_out (may be NULL) says why: "in use by pid 12; …" is one reason. */
BasaltResult basalt_open(const char *folder, const BasaltOptions *options, BasaltDatabase **database_out, BasaltError *error_out);
/* Every connection must be gone. Writes a checkpoint. */
void basalt_close(BasaltDatabase *database);

/* ---- connections ---- */
typedef struct BasaltConnectionOptions {
    size_t size;                  /* sizeof(BasaltConnectionOptions) */
    const char *dialect;          /* "postgres" (default) or "questdb" */
    const char *application_name;
    size_t memory_bytes;          /* per query, 0 = 256 MiB */
    int64_t timeout_ms;           /* per statement, 0 = none */
    int workers;                  /* threads a query may use, 0 = cores */
    bool read_only;
} BasaltConnectionOptions;
BasaltResult basalt_connect(BasaltDatabase *database, const BasaltConnectionOptions *options, BasaltConnection **connection_out,
                            BasaltError *error_out);
void basalt_disconnect(BasaltConnection *connection); /* rolls back what is open; its statements must be finalized */
void basalt_cancel(BasaltConnection *connection);     /* any thread: the running statement fails soon with SQLSTATE 57014 */
const BasaltError *basalt_error(const BasaltConnection *connection);
bool basalt_in_transaction(const BasaltConnection *connection);

/* ---- statements ---- */
#define BASALT_TO_NUL ((size_t)-1) /* as a length: the text ends at its NUL */
/* Prepares the first statement of sql. *used_out (may be NULL): bytes up to the next statement. An empty text gives a statement
 * that is done at its first step. */
BasaltResult basalt_prepare(BasaltConnection *connection, const char *sql, size_t sql_len, BasaltStatement **statement_out,
                            size_t *used_out);
void basalt_finalize(BasaltStatement *statement);     /* NULL is fine; before its end the statement is rolled back */
BasaltResult basalt_reset(BasaltStatement *statement); /* ready to run again, bindings kept */
/* Prepares, runs to the end and drops one or more statements, rows unseen. */
BasaltResult basalt_execute(BasaltConnection *connection, const char *sql, size_t sql_len);

/* Parameters $1, $2, … are index 0, 1, …; unbound ones are NULL. Texts are copied. The value is converted to the parameter's type. */
uint32_t basalt_parameter_count(const BasaltStatement *statement);
BasaltResult basalt_bind_null(BasaltStatement *statement, uint32_t index);
BasaltResult basalt_bind_bool(BasaltStatement *statement, uint32_t index, bool value);
BasaltResult basalt_bind_int64(BasaltStatement *statement, uint32_t index, int64_t value);
BasaltResult basalt_bind_double(BasaltStatement *statement, uint32_t index, double value);
BasaltResult basalt_bind_text(BasaltStatement *statement, uint32_t index, const char *text, size_t len);
BasaltResult basalt_bind_timestamp(BasaltStatement *statement, uint32_t index, int64_t micros_utc);

/* ---- columns ---- */
typedef enum BasaltType {
    BASALT_BOOL,      /* uint8_t 0 or 1 */
    BASALT_INT8,      /* int8_t: byte */
    BASALT_INT16,     /* int16_t: int2 */
    BASALT_INT32,     /* int32_t: int4 */
    BASALT_INT64,     /* int64_t: int8 */
    BASALT_FLOAT,     /* float: float4 */
    BASALT_DOUBLE,    /* double: float8 */
    BASALT_TEXT,      /* BasaltText: text, varchar, char(n), symbol */
    BASALT_BYTES,     /* BasaltText: bytea */
    BASALT_DATE,      /* int32_t: days since 1970-01-01 */
    BASALT_TIMESTAMP, /* int64_t: microseconds since 1970 UTC, with and without time zone */
    BASALT_TIMESTAMP_MS, /* int64_t */
    BASALT_TIMESTAMP_NS, /* int64_t */
    BASALT_UUID,      /* 16 bytes in the order of the text */
    BASALT_OTHER      /* BasaltText in text form: numeric, interval, double[], char */
} BasaltType;
typedef struct BasaltText {
    const char *data; /* not NUL-ended */
    size_t len;
} BasaltText;

uint32_t basalt_column_count(const BasaltStatement *statement); /* 0: the statement gives no rows */
const char *basalt_column_name(const BasaltStatement *statement, uint32_t column);
BasaltType basalt_column_type(const BasaltStatement *statement, uint32_t column);
const char *basalt_column_type_name(const BasaltStatement *statement, uint32_t column); /* "double precision" */
uint64_t basalt_affected_rows(const BasaltStatement *statement); /* of INSERT, UPDATE, DELETE; after the end */
const char *basalt_tag(const BasaltStatement *statement);        /* "INSERT 0 3"; after the end */

/* ---- batches: the fast way ---- */
typedef struct BasaltColumn {
    BasaltType type;
    const void *values;       /* row_count values of the C type of `type` */
    const uint64_t *validity; /* bit row % 64 of word row / 64 is 1 if the value is not NULL; NULL = none is NULL */
} BasaltColumn;
typedef struct BasaltBatch {
    size_t size;              /* sizeof(BasaltBatch) of this library */
    uint32_t row_count, column_count;
    const BasaltColumn *columns;
} BasaltBatch;
/* Next batch of at most 1,024 rows. BASALT_ROW: *batch_out is valid until the next call on the statement. */
BasaltResult basalt_step(BasaltStatement *statement, const BasaltBatch **batch_out);

/* ---- rows: the short way, on top of batches; do not mix both on one statement ---- */
BasaltResult basalt_row(BasaltStatement *statement); /* BASALT_ROW, BASALT_DONE or BASALT_FAILED */
/* Values of the row at hand; of NULL: 0, NaN, "". Numbers are converted; text of any type is what PostgreSQL shows. */
bool basalt_is_null(const BasaltStatement *statement, uint32_t column);
bool basalt_bool(const BasaltStatement *statement, uint32_t column);
int64_t basalt_int64(const BasaltStatement *statement, uint32_t column);   /* integers, dates, times, booleans; doubles cut */
double basalt_double(const BasaltStatement *statement, uint32_t column);
/* NUL-ended, valid until the next call on the statement; *len_out may be NULL. */
const char *basalt_text(BasaltStatement *statement, uint32_t column, size_t *len_out);

#ifdef __cplusplus
}
#endif
#endif

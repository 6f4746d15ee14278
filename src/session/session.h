/* SPDX-License-Identifier: Apache-2.0
 * session.h - one client: statements in, batches out. Every door, the C API and the shell stand on these calls.
 *
 * Life cycle: session_open -> (statement_prepare -> [statement_bind] -> statement_step* -> statement_close)* -> session_close.
 * A session and its statements belong to one thread at a time; session_cancel may be called from any thread.
 * A statement outside BEGIN is its own transaction: it commits when statement_step reaches the end (DML and DDL do all their work
 * in the first step). A statement dropped before its end is rolled back. */
#pragma once
#include "column/value_text.h"
#include "engine/engine.h"
#include "sql/bind/bound.h"

typedef struct Session Session;
typedef struct Statement Statement;

typedef struct SessionOptions {
    Dialect dialect;
    Str user_name, application_name, door;   /* copied; door: "http", "api", … for pg_stat_activity */
    size_t memory_bytes;                     /* per query, 0 = 256 MiB */
    int64_t timeout_ms;                      /* per statement, 0 = none */
    int workers;                             /* threads a query may use; 0 = cores; 1 = none but the caller's */
    bool read_only;
} SessionOptions;

NODISCARD ErrorCode session_open(Engine *engine, const SessionOptions *options, Session **session_out, Error *err);
void session_close(Session *session);        /* rolls back what is open */
void session_cancel(Session *session);       /* any thread: the running statement ends with ERR_CANCELED soon */
void session_set_timeout(Session *session, int64_t timeout_ms);
bool session_in_transaction(const Session *session);
bool session_transaction_failed(const Session *session);
Dialect session_dialect(const Session *session);

/* Parses and binds the first statement of sql. *used_out: bytes up to the start of the next statement (== sql.len at the end).
 * param_types: declared types by number (TYPE_UNKNOWN = infer), may be NULL. sql is copied. Error position: byte offset in sql. */
NODISCARD ErrorCode statement_prepare(Session *session, Str sql, const Type *param_types, uint32_t param_count, Statement **statement_out,
                                      size_t *used_out, Error *err);
StatementKind statement_kind(const Statement *statement);
uint32_t statement_column_count(const Statement *statement);                       /* 0: no rows come */
const RelColumn *statement_columns(const Statement *statement);                    /* live until close */
int statement_timestamp_index(const Statement *statement);                         /* designated timestamp among the columns, -1 */
uint32_t statement_param_count(const Statement *statement);
const OidNames *statement_oid_names(const Statement *statement);                   /* for texts of regclass and its kin; lives as the statement */
Type statement_param_type(const Statement *statement, uint32_t index);
NODISCARD ErrorCode statement_bind(Statement *statement, uint32_t index, const Value *value, Error *err); /* copied */
NODISCARD ErrorCode statement_bind_text(Statement *statement, uint32_t index, Str text, Error *err);      /* text form of the parameter's type */
/* Next batch; *batch_out = NULL at the end (and the statement is complete, committed if it stood alone). Valid until the next call.
 * Vectors may be of any form but ENCODED. */
NODISCARD ErrorCode statement_step(Statement *statement, Batch **batch_out, Error *err);
uint64_t statement_affected_rows(const Statement *statement);
Str statement_tag(const Statement *statement);                                     /* "INSERT 0 3", "CREATE TABLE"; after the end */
typedef struct StatementTimes { int64_t compile_nanos, execute_nanos; } StatementTimes;
StatementTimes statement_times(const Statement *statement);
NODISCARD ErrorCode statement_reset(Statement *statement, Error *err);             /* ready to run again, bindings kept */
void statement_close(Statement *statement);

/* Bulk door: rows straight into a table, as a transaction of its own or inside the session's open one (line protocol, /imp, load, COPY). */
Txn *session_txn(Session *session);                                                /* open transaction or NULL */
NODISCARD ErrorCode session_begin(Session *session, Error *err);
NODISCARD ErrorCode session_commit(Session *session, Error *err);
void session_rollback(Session *session);
Engine *session_engine(Session *session);
/* Live sessions, for views and metrics. */
typedef struct SessionInfo { uint64_t id; Str user_name, application_name, door, statement; int64_t started_micros; bool active; } SessionInfo;
/* Calls visit for each session of the engine while a mutex is held: copy what you need, call nothing of this folder. */
typedef void (*SessionVisit)(void *context, const SessionInfo *info);
void session_list(Engine *engine, SessionVisit visit, void *context);

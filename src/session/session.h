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
    Str database_name;                       /* copied; empty = basalt */
    Str server_version;                      /* copied; as SHOW server_version prints it; empty = built-in */
    Str client_address;                      /* copied; for pg_stat_activity; empty = none */
    int32_t client_port;
} SessionOptions;

/* Rows with CHECK constraints and index expressions can be stored through this engine from now on, by whatever door. session_open does it too. */
void session_guard_rows(Engine *engine);
NODISCARD ErrorCode session_open(Engine *engine, const SessionOptions *options, Session **session_out, Error *err);
void session_close(Session *session);        /* rolls back what is open */
void session_cancel(Session *session);       /* any thread: the running statement ends with ERR_CANCELED soon */
void session_set_timeout(Session *session, int64_t timeout_ms);
bool session_in_transaction(const Session *session);      /* of an explicit block */
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

/* ---- doors that keep a session for long (PostgreSQL's) ---- */

/* Implicit blocks: from implicit_begin on, statements are one transaction until implicit_end. Inside of a block begin does nothing and
 * end leaves an explicit one alone. BEGIN turns the implicit block into an explicit one, COMMIT and ROLLBACK end it. A failing statement
 * rolls nothing back by itself: end it with commit = false. */
NODISCARD ErrorCode session_implicit_begin(Session *session, Error *err);
NODISCARD ErrorCode session_implicit_end(Session *session, bool commit, Error *err);
/* Rises whenever a block begins or ends: what was opened under another number is gone. */
uint64_t session_block_number(const Session *session);
/* A new round of messages from the client begins: a cancel that came before is forgotten. Inside of an implicit block preparing a
 * statement does not forget it. */
void session_round_begin(Session *session);

/* Prepared statements, by name; "" is the unnamed one, which may be replaced. Parsed and bound once, run many times; bound again when
 * the catalog or a setting that matters has changed. ERR_DUPLICATE_STATEMENT; ERR_SYNTAX: more than one statement. */
typedef struct Prepared Prepared;
NODISCARD ErrorCode session_prepare(Session *session, Str name, Str sql, const Type *param_types, uint32_t param_count, bool from_sql, Error *err);
/* Up to date: the shapes below hold until the transaction ends. ERR_UNDEFINED_STATEMENT; ERR_NOT_SUPPORTED "cached plan must not change result type". */
NODISCARD ErrorCode session_prepared_find(Session *session, Str name, Prepared **prepared_out, Error *err);
bool session_prepared_drop(Session *session, Str name);    /* false: there is none */
void session_prepared_drop_all(Session *session);
uint32_t prepared_param_count(const Prepared *prepared);
Type prepared_param_type(const Prepared *prepared, uint32_t index);
uint32_t prepared_column_count(const Prepared *prepared);
const RelColumn *prepared_columns(const Prepared *prepared);
Str prepared_text(const Prepared *prepared);
/* A statement to bind and step, of a prepared one; several may be open at once. */
NODISCARD ErrorCode prepared_open(Prepared *prepared, Statement **statement_out, Error *err);
Str statement_text(const Statement *statement);
/* A cursor of DECLARE; NULL: there is none. *count_out columns live until it is closed. */
const RelColumn *session_cursor_columns(const Session *session, Str name, uint32_t *count_out);
bool session_cursor_close(Session *session, Str name); /* false: there is none */
/* MOVE in a portal of the door, which is a cursor too: passes over at most `count` rows. *found_out = false: there is no such portal. */
typedef ErrorCode (*SessionMove)(void *context, Str name, uint64_t count, bool *found_out, uint64_t *moved_out, Error *err);
void session_on_move(Session *session, SessionMove move, void *context);

/* Once, behind session_open: the connection limit of the session's role (ERR_TOO_MANY_CONNECTIONS), its CONNECT privilege, then the settings
 * that are kept for the role and the database; RESET comes back to them. Doors whose sessions are a request long leave it out. */
NODISCARD ErrorCode session_start_as_role(Session *session, Error *err);

/* Settings. */
NODISCARD ErrorCode session_setting_start(Session *session, Str name, Str value, Error *err); /* of the start packet: RESET comes back to it */
uint64_t session_reported_version(const Session *session); /* rises when a reported setting may have changed */
bool session_reported_next(const Session *session, uint32_t *cursor, Str *name_out, Str *value_out); /* *cursor: 0 at the start */
void session_text_style(const Session *session, TextStyle *style_out);                           /* zone and styles of value texts */
typedef struct SessionTimeouts { int64_t idle_in_transaction_ms, idle_session_ms, transaction_ms, transaction_began_ms; } SessionTimeouts;
SessionTimeouts session_timeouts(const Session *session); /* 0 = none; transaction_began_ms: monotonic milliseconds, 0 = no transaction */

/* Notices: kept until they are taken. Texts live until the next call for the session. */
typedef enum SessionNoticeLevel { NOTICE_DEBUG, NOTICE_LOG, NOTICE_INFO, NOTICE_NOTICE, NOTICE_WARNING, NOTICE_NEVER } SessionNoticeLevel;
typedef struct SessionNotice { SessionNoticeLevel level; const char *sqlstate; Str message, detail, hint; } SessionNotice;
void session_notice(Session *session, SessionNoticeLevel level, const char *sqlstate, const char *format, ...) PRINTF_LIKE(4, 5);
bool session_notice_pending(const Session *session);
bool session_notice_take(Session *session, SessionNotice *notice_out);
/* A statement failed, or a message of the client outside of one: an open block is failed. */
void session_note_failure(Session *session);

/* pg_stat_activity, cancel. The process id is made up, unique among the engine's sessions. */
int32_t session_pid(const Session *session);
void session_note_idle(Session *session);                 /* the door waits for the client's next message */
bool session_terminate_asked(const Session *session);     /* pg_terminate_backend: end the connection with ERR_SHUTDOWN */
/* Called once when pg_terminate_backend names the session, from any thread, while a mutex is held: wake the door up. */
void session_on_terminate(Session *session, void (*wake)(void *context), void *context);


/* COPY, after preparing a statement of kind COPY_IN or COPY_OUT; such a statement is not stepped. */
typedef struct StatementCopy {
    const struct AstCopy *ast;               /* its options */
    const FunctionEnvironment *environment;  /* for the texts of values; lives as the statement */
    const TableDef *table;                   /* FROM */
    uint16_t *columns;                       /* FROM: numbers of the table's columns, in the order of the fields */
    uint16_t column_count;
    struct CopyWhere *where;                 /* FROM ... WHERE; NULL: every row */
    TxnMark mark;
    Statement *rows;                         /* TO: what to step */
} StatementCopy;
NODISCARD ErrorCode statement_copy_begin(Statement *statement, StatementCopy *copy_out, Error *err);
/* FROM: rows of one builder a field (at most BLOCK_ROWS). */
typedef struct CopyRows {
    ColumnBuilder *const *builders;
    const uint64_t *const *defaults;         /* a field: rows whose field is the DEFAULT marker, one bit a row, NULL = none; NULL = no field has any */
    uint32_t count;
} CopyRows;
bool statement_copy_has_default(const ColumnDef *column); /* one that a marker can ask for */
/* After an error: statement_copy_fail. */
NODISCARD ErrorCode statement_copy_append(Statement *statement, const StatementCopy *copy, const CopyRows *rows, Error *err);
NODISCARD ErrorCode statement_copy_finish(Statement *statement, const StatementCopy *copy, Error *err);
void statement_copy_fail(Statement *statement, const StatementCopy *copy); /* undoes the statement */
NODISCARD ErrorCode statement_copy_sent(Statement *statement, StatementCopy *copy, uint64_t rows, Error *err); /* TO: all rows were read */

/* Bulk door: rows straight into a table, as a transaction of its own or inside the session's open one (line protocol, /imp, load, COPY). */
Txn *session_txn(Session *session);                                                /* open transaction or NULL */
NODISCARD ErrorCode session_begin(Session *session, Error *err);
NODISCARD ErrorCode session_commit(Session *session, Error *err);
void session_rollback(Session *session);
Engine *session_engine(Session *session);

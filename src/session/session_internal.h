/* SPDX-License-Identifier: Apache-2.0
 * session_internal.h - the structs of sessions and statements, and the calls their files share.
 *
 * Threads: a Session and its statements belong to one thread at a time; hub fields and Session.running are under hub->mutex;
 *          control.cancel is atomic. */
#pragma once
#include "os/os.h"
#include "session/session.h"
#include "sql/bind/bind.h"
#include "sql/exec/exec.h"
#include "sql/parse/parse.h"
#include "sql/system/system.h"

enum {
    SAVEPOINTS_MAX = 10000,
    STATEMENT_ARENA_BYTES_MAX = 1 << 30,
    QUERY_MEMORY_BYTES = 256 << 20,
    TAG_BYTES = 64
};

/* What all sessions of an engine share; hangs on the engine. */
typedef struct Hub {
    Sched *sched;
    Mutex mutex;
    Session *first;
    uint64_t next_id;
    WorkerPool *pool;          /* opened by the first query that may use it */
} Hub;

typedef struct Savepoint { Str name; TxnMark mark; } Savepoint;

/* name, default, may be set */
#define SETTINGS(X)                                                                                                    \
    X(APPLICATION_NAME, "application_name", "", true)                                                                  \
    X(BYTEA_OUTPUT, "bytea_output", "hex", true)                                                                       \
    X(CLIENT_ENCODING, "client_encoding", "UTF8", true)                                                                \
    X(DATESTYLE, "datestyle", "ISO, MDY", true)                                                                        \
    X(DEFAULT_ISOLATION, "default_transaction_isolation", "read committed", true)                                      \
    X(DEFAULT_READ_ONLY, "default_transaction_read_only", "off", true)                                                 \
    X(DIALECT, "dialect", "postgres", true)                                                                            \
    X(DURABILITY, "durability", "default", true)                                                                       \
    X(EXTRA_FLOAT_DIGITS, "extra_float_digits", "1", true)                                                             \
    X(INTEGER_DATETIMES, "integer_datetimes", "on", false)                                                             \
    X(INTERVAL_STYLE, "intervalstyle", "postgres", true)                                                               \
    X(LOCK_TIMEOUT, "lock_timeout", "0", true)                                                                         \
    X(MAX_IDENTIFIER_LENGTH, "max_identifier_length", "255", false)                                                    \
    X(OPTIMIZER_SKIP, "optimizer_skip", "", true)                                                                      \
    X(QUERY_MEMORY, "query_memory", "256MB", true)                                                                     \
    X(RESULT_CACHE, "result_cache", "off", true)                                                                       \
    X(SEARCH_PATH, "search_path", "public", true)                                                                      \
    X(SERVER_ENCODING, "server_encoding", "UTF8", false)                                                               \
    X(SERVER_VERSION, "server_version", "15.0 (Basalt " BASALT_VERSION ")", false)                                     \
    X(CONFORMING_STRINGS, "standard_conforming_strings", "on", false)                                                  \
    X(STATEMENT_TIMEOUT, "statement_timeout", "0", true)                                                               \
    X(TIMEZONE, "timezone", "UTC", true)                                                                               \
    X(TRANSACTION_ISOLATION, "transaction_isolation", "read committed", true)                                          \
    X(TRANSACTION_READ_ONLY, "transaction_read_only", "off", true)                                                     \
    X(WORKERS, "workers", "0", true)
#define BASALT_VERSION "0.1.0"

typedef enum SettingId {
#define X(id, name, value, settable) SETTING_##id,
    SETTINGS(X)
#undef X
        SETTING_COUNT
} SettingId;

/* A value to put back when the transaction ends: SET LOCAL always, SET only on rollback. */
typedef struct SettingUndo { SettingId id; char *value; bool local; struct SettingUndo *next; } SettingUndo;

struct Session {
    Engine *engine;
    Hub *hub;
    Session *next, *previous;
    uint64_t id;
    SessionOptions options;
    Arena names;                       /* user, application, door */
    char *settings[SETTING_COUNT];     /* NUL-ended, owned */
    SettingUndo *undo;
    Arena zone_memory;
    const Zone *zone;                  /* NULL = UTC */
    Dialect dialect;
    uint32_t passes_off;
    int64_t timeout_ms;
    size_t memory_limit;
    int workers;
    uint8_t durability, isolation;
    bool read_only;
    Txn *txn;                          /* of an explicit block */
    bool in_block, failed;
    int64_t block_micros;              /* now() of the block */
    Savepoint *savepoints;
    uint32_t savepoint_count, savepoint_capacity;
    Arena savepoint_names;
    QueryControl control;
    Random random;
    Statement *spare;                  /* kept with its arenas, so that a next statement touches no fresh page */
    Str running;                       /* text of the last statement, for lists of clients */
    bool active;
    int64_t started_micros;
};

/* Rows that the session itself answers: EXPLAIN, SHOW. */
typedef struct TextRows { Str *lines; uint32_t count, next; RelColumn column; } TextRows;

typedef enum StatementState { STATEMENT_READY, STATEMENT_RUNNING, STATEMENT_DONE, STATEMENT_BROKEN } StatementState;

struct Statement {
    Session *session;
    Arena arena, plan_arena;           /* text, tree, bound statement; plan */
    Arena batch_arena;                 /* columns decoded for the last batch */
    Str text;                          /* the one statement */
    BoundStatement *bound;
    FunctionEnvironment environment;
    SystemView system;                 /* the transaction's catalog and storage with pg_catalog and information_schema */
    Txn *own_txn;                      /* implicit transaction, from prepare to the end */
    Plan *plan;
    Run *run;
    Value *params;
    bool *params_set;
    Type *declared;                    /* parameter types as declared */
    uint32_t declared_count;
    StatementState state;
    uint64_t affected;
    char tag[TAG_BYTES];
    StatementTimes times;
    TextRows rows;
    Batch batch;
    Vector vector;
    StrRef *refs;
};

Hub *session__hub(Engine *engine);
WorkerPool *session__pool(Session *session);
int64_t session__wall_micros(const Session *session);
int64_t session__nanos(const Session *session);

NODISCARD ErrorCode session__settings_init(Session *session, Error *err);
void session__settings_deinit(Session *session);
NODISCARD ErrorCode session__setting_set(Session *session, Str name, Str value, bool is_default, bool local, Error *err);
NODISCARD ErrorCode session__setting_show(const Session *session, Str name, Str *value_out, Error *err);
void session__settings_end(Session *session, bool committed);

NODISCARD ErrorCode session__engine_begin(Session *session, bool read_only, Txn **txn_out, Error *err);
/* One of BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE, ROLLBACK TO; writes the tag. */
NODISCARD ErrorCode session__control(Statement *statement, Error *err);
void session__block_failed(Session *session);
static inline Txn *statement__txn(const Statement *statement) { return statement->session->in_block ? statement->session->txn : statement->own_txn; }

/* ---- kinds of statements: each does its whole work, or starts what statement_step continues ---- */
NODISCARD ErrorCode statement__start_query(Statement *statement, Error *err);
NODISCARD ErrorCode statement__next_batch(Statement *statement, Batch **batch_out, Error *err);
NODISCARD ErrorCode statement__run_dml(Statement *statement, Error *err);
NODISCARD ErrorCode statement__run_ddl(Statement *statement, Error *err);
NODISCARD ErrorCode statement__start_text(Statement *statement, Error *err);  /* EXPLAIN, SHOW setting */
void statement__next_text(Statement *statement, Batch **batch_out);
NODISCARD ErrorCode statement__plan(Statement *statement, Error *err);
RunContext statement__run_context(Statement *statement);

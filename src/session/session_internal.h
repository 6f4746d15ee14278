/* SPDX-License-Identifier: Apache-2.0
 * session_internal.h - the structs of sessions and statements, and the calls their files share.
 *
 * Threads: a Session and its statements belong to one thread at a time; hub fields, Session.running and what stands beside it are under
 *          hub->mutex; control.cancel and terminate are atomic. */
#pragma once
#include <stdio.h>
#include "base/hash.h"
#include "os/os.h"
#include "ddl/ddl.h"
#include "session/session.h"
#include "session/settings_table.h"
#include "sql/bind/bind.h"
#include "sql/exec/exec.h"
#include "sql/parse/parse.h"
#include "sql/system/system.h"

enum {
    SAVEPOINTS_MAX = 10000,
    STATEMENT_ARENA_BYTES_MAX = 1 << 30,
    QUERY_MEMORY_BYTES = 256 << 20,
    TAG_BYTES = 64,
    CATALOG_TRIES_MAX = 100,         /* of one statement, each after another change of the catalog */
    SETTING_BYTES_MAX = 1 << 22,     /* text of one setting's value, with what checking it needs */
    SETTING_UNDO_MAX = 100000,       /* changes of settings in one transaction */
    SETTINGS_CUSTOM_MAX = 1000,
    SEARCH_PATH_MAX = 64,
    NOTICES_MAX = 1000,              /* kept for the door; later ones are dropped */
    PREPARED_MAX = 100000,           /* statements of one session */
    CURSORS_MAX = 10000,
    ADVISORY_LOCKS_MAX = 1000000     /* of one engine */
};

/* ---- settings (setting.c, setting_value.c, setting_apply.c) ---- */
typedef enum SettingForm { SETTING_FORM_BOOL, SETTING_FORM_INT, SETTING_FORM_REAL, SETTING_FORM_TEXT, SETTING_FORM_ENUM } SettingForm;
typedef struct SettingRow { const char *name, *value, *unit; uint8_t kind; unsigned flags; int64_t low, high; } SettingRow;
typedef struct CustomSetting {
    Str name;
    char *value;                     /* NULL: reset */
    char *start;                     /* kept for the role or the database: RESET comes back to it; NULL: none */
    bool was_set;                    /* shows as empty after it was undone, as in PostgreSQL */
    struct CustomSetting *next;
} CustomSetting;

/* A value to put back when the transaction ends: SET LOCAL always, SET only on rollback. */
typedef struct SettingUndo {
    SettingId id;                    /* SETTING_COUNT: custom */
    CustomSetting *custom;
    char *value;
    bool local;
    uint32_t savepoint_count;        /* when it was changed */
    struct SettingUndo *next;
} SettingUndo;

/* ---- advisory locks (advisory.c) ---- */
typedef struct AdvisoryLock {
    AdvisoryKey key;
    Session *owner;
    uint32_t exclusive, shared;      /* times held for the session */
    uint32_t exclusive_txn, shared_txn; /* times held until the transaction ends */
    struct AdvisoryLock *next;
} AdvisoryLock;

/* What all sessions of an engine share; hangs on the engine. */
enum { HUB_SPARES_MAX = 16 };        /* of each kind; at most 2 MiB each */
typedef struct Hub {
    Sched *sched;
    Mutex mutex;
    Session *first;
    uint64_t next_id;
    atomic_uint session_count;       /* changes under mutex */
    int helpers;                     /* threads of the pool: a processor each, but for the caller's */
    WorkerPool *pool;                /* opened by the first query that may use it */
    AdvisoryLock *locks;
    uint32_t lock_count;
    struct Statement *spares[HUB_SPARES_MAX];      /* memory that idle sessions handed back (spares.c) */
    struct Compiled *spare_compiled[HUB_SPARES_MAX];
    uint32_t spare_count, spare_compiled_count;
    bool cleaned;                    /* temporary schemas of an earlier run were dropped */
} Hub;

typedef struct Savepoint { Str name; TxnMark mark; } Savepoint;

/* What is kept of a statement from run to run. Never changes once bound and planned; portals share it. */
typedef struct Compiled {
    Session *session;
    uint32_t references;
    Arena arena, plan_arena;         /* text, tree, bound statement; plan */
    Str text;                        /* the one statement */
    AstStatement *tree;              /* NULL: empty */
    BoundStatement *bound;
    Plan *plan;                      /* NULL until the first run */
    Type *declared;
    uint32_t declared_count;
    uint64_t catalog_version, bind_version;
    bool needs_catalog;
    bool own;                        /* the session does it, not the binder's and executor's calls */
    RelColumn *columns;              /* of statements that the session answers itself */
    uint32_t column_count;
    FunctionEnvironment environment; /* while it is bound and planned */
    SystemView system;               /* same: the catalog with pg_catalog and information_schema */
} Compiled;

struct Prepared {
    Str name;                        /* owned */
    Compiled *compiled;
    int64_t prepared_micros;
    bool from_sql;
    uint32_t *parameter_oids;
    Prepared *next;
};

/* ---- rows kept in memory (row_store.c): cursors that outlive their transaction or go backwards ---- */
typedef struct RowChunk { ColumnBuilder *builders; uint64_t first; uint32_t row_count; struct RowChunk *next; } RowChunk;
typedef struct RowStore {
    Arena arena;
    uint16_t column_count;
    uint64_t row_count;
    RowChunk *chunks, *last;
    size_t bytes;
    Vector *vectors;                 /* of the window handed out */
    Batch batch;
} RowStore;

typedef struct Cursor {
    Str name;                        /* owned */
    Str text;                        /* owned: the DECLARE statement */
    Statement *statement;            /* NULL once all rows are in the store */
    RowStore *store;                 /* NULL: rows stream */
    RowStore *given;                 /* streaming: the rows that were given out, as long as they are few */
    bool keeps, ended;               /* streaming: whether they are kept; behind the last row */
    RelColumn *columns;              /* owned, with its names */
    uint32_t column_count;
    Arena memory;
    bool hold, scroll, no_scroll, binary, held; /* held: its transaction has committed */
    Batch *batch;                    /* streaming: live rows of it are still to be given out from `skip` on */
    uint32_t skip;
    uint64_t position;               /* 0 before the first row, k on row k, one more than the rows there are: behind the last */
    int64_t created_micros;
    uint32_t savepoint_count;
    struct Cursor *next;
} Cursor;

/* A temporary table with ON COMMIT DROP or DELETE ROWS. */
typedef struct SessionZone SessionZone; /* zone.c */
typedef struct TempTable { uint32_t id; uint8_t on_commit; struct TempTable *next; } TempTable;

typedef struct NoticeRow { SessionNotice notice; struct NoticeRow *next; } NoticeRow;

struct Session {
    Engine *engine;
    Hub *hub;
    Mutex system_lock;                 /* of the catalog views of all its statements */
    Session *next, *previous;
    uint64_t id;
    SessionOptions options;
    Arena names;                       /* user, application, door */
    char *settings[SETTING_COUNT];     /* NUL-ended, owned; NULL = default */
    char *setting_resets[SETTING_COUNT]; /* what RESET comes back to; NULL = default */
    CustomSetting *custom;
    uint32_t custom_count;
    SettingUndo *undo;
    uint32_t undo_count;
    uint64_t report_version, bind_version;
    SessionZone *zones;                /* that were used so far */
    const Zone *zone;                  /* NULL = UTC */
    ValueStyle style;                  /* of the settings DateStyle, IntervalStyle, bytea_output, extra_float_digits */
    Arena path_memory, path_known_memory;
    Str path_names[SEARCH_PATH_MAX];   /* as set */
    uint32_t path_name_count;
    Str lookup[SEARCH_PATH_MAX + 1];   /* the temporary schema, then those that exist, $user replaced */
    Str *path;                         /* into lookup: what the client sees of it */
    uint32_t path_count;
    bool path_known, temp_exists, temp_used;
    uint64_t path_catalog_version;
    Str temp_schema;                   /* in names; empty: none was made */
    Str version_text;                  /* in names */
    TempTable *temp_tables;
    Str acting_user;                   /* SET ROLE, SET SESSION AUTHORIZATION */
    Str authorized_user;
    Dialect dialect;
    uint32_t passes_off;
    int64_t timeout_ms, transaction_timeout_ms, lock_timeout_ms, idle_in_transaction_ms, idle_session_ms;
    size_t memory_limit;
    int workers;
    uint8_t durability;
    uint32_t durability_ms;
    SessionNoticeLevel notice_level;
    Arena notice_memory;
    NoticeRow *notices, *notice_last;
    uint32_t notice_count;
    void *sequences_seen;              /* currval of each sequence that was used; statement_object.c */
    uint32_t sequence_count, sequence_last; /* the last: id that lastval() means, 0 = none */
    Txn *txn;                          /* of a block */
    bool in_block, implicit, failed;
    bool block_used;                   /* a statement has looked at data: its modes cannot change any more */
    uint8_t block_isolation;
    bool block_uncommitted;          /* READ UNCOMMITTED was asked for */
    bool block_read_only, block_deferrable;
    int64_t block_micros;              /* now() of the block */
    int64_t block_nanos;               /* monotonic */
    uint64_t block_number;
    Savepoint *savepoints;
    uint32_t savepoint_count, savepoint_capacity;
    Arena savepoint_names;
    QueryControl control;
    Random random;
    Statement *spare;                  /* kept with its arenas, so that a next statement touches no fresh page */
    Compiled *spare_compiled;
    size_t spare_bytes, spare_compiled_bytes; /* that the spares had in use */
    Statement *running_first;          /* statements with a run inside of the block */
    StrMap prepared;                   /* name -> Prepared * */
    Prepared *prepared_first;
    Cursor *cursors;
    uint32_t cursor_count;
    SessionMove move;                  /* of the door, for its portals */
    void *move_context;
    bool has_locks;                    /* it may hold advisory locks */
    int execute_depth;
    uint64_t statement_number;         /* rises with each statement that looks at data in a block */
    Statement *noted;                  /* what note_running told of last; its memory may be gone */
    WorkerPool *pool;                  /* the hub's, once it is there */
    /* hub->mutex, but for what note_lock guards; hub->mutex comes first */
    Mutex note_lock;
    Str running;                       /* text of the last statement, for lists of clients; owned copy */
    char *running_text;
    size_t running_capacity;
    bool active;
    const char *idle_state;
    int64_t started_micros, backend_micros, change_micros, shown_block_micros;
    Str shown_application;
    char shown_application_text[64];
    void (*wake)(void *context);
    void *wake_context;
    atomic_int terminate;
};

/* Rows that the session itself answers: EXPLAIN, SHOW. lines: column_count texts a row. */
typedef struct TextRows { Str *lines; uint32_t count, next, column_count; } TextRows;

typedef enum StatementState { STATEMENT_READY, STATEMENT_RUNNING, STATEMENT_DONE, STATEMENT_BROKEN, STATEMENT_GONE } StatementState;

struct Statement {
    Session *session;
    Compiled *compiled;
    Arena arena;                       /* parameters, lines */
    Arena batch_arena;                 /* columns decoded for the last batch */
    Str text;                          /* = compiled->text */
    BoundStatement *bound;             /* = compiled->bound */
    Plan *plan;                        /* = compiled->plan */
    FunctionEnvironment environment;
    SystemView system;                 /* the transaction's catalog and storage with pg_catalog and information_schema */
    Txn *own_txn;                      /* implicit transaction, from prepare to the end */
    Run *run;
    DmlRows *returned;                 /* rows of RETURNING */
    Value *params;
    bool *params_set;
    StatementState state;
    uint64_t begun;                    /* session->statement_number when it last began */
    uint64_t affected;
    char tag[TAG_BYTES];
    StatementTimes times;
    TextRows rows;
    Batch batch;
    Vector vector;
    StrRef *refs;
    Vector *row_vectors;
    Statement *inner;                  /* EXECUTE: what runs */
    Cursor *cursor;                    /* FETCH */
    uint64_t fetch_at, fetch_skip, fetch_left; /* next row of the store; rows of a stream to pass over; rows still to come */
    int fetch_step;                    /* 1, -1 */
    Statement *running_next, *running_previous; /* in session->running_first while `listed` */
    bool listed;
    uint32_t savepoint_count;          /* when it started */
};

/* spares.c */
struct Statement *session__take_spare(Session *session);          /* NULL: there is none */
struct Compiled *session__take_spare_compiled(Session *session);
bool session__keeps_spares(const Session *session);               /* while it is idle */
void session__hand_back_spares(Session *session);                 /* the session falls idle, or ends */
void session__free_hub_spares(Hub *hub);
Hub *session__hub(Engine *engine);
WorkerPool *session__pool(Session *session);
int64_t session__wall_micros(const Session *session);
int64_t session__nanos(const Session *session);

/* ---- settings ---- */
const SettingRow *setting__row(SettingId id);
const char *const *setting__choices(SettingId id); /* NULL: not an ENUM */
ErrorCode setting__bad_value(SettingId id, Str value, Error *err);
int64_t setting__number(SettingId id, Str canonical);
uint8_t setting__isolation(Str canonical);
NODISCARD ErrorCode setting__canonical(Session *session, SettingId id, Str value, Arena *arena, Str *value_out, Error *err);
NODISCARD ErrorCode setting__apply(Session *session, SettingId id, Str canonical, Error *err);
Str setting__value(const Session *session, SettingId id);
Str setting__shown(const Session *session, SettingId id);
void setting__force(Session *session, SettingId id, Str value);
void setting__number_version(Session *session);
/* A zone by the text of SET TimeZone; both answers live as the session. */
NODISCARD ErrorCode session__zone(Session *session, Str text, Str *name_out, const Zone **zone_out, Error *err);
void session__zones_deinit(Session *session);
NODISCARD ErrorCode session__settings_init(Session *session, Error *err);
void session__settings_deinit(Session *session);
NODISCARD ErrorCode session__setting_set(Session *session, Str name, Str value, bool local, Error *err);
NODISCARD ErrorCode session__setting_reset(Session *session, Str name, bool local, Error *err);
NODISCARD ErrorCode session__settings_reset_all(Session *session, Error *err);
bool session__setting_find(const Session *session, Str name, Str *value_out);
NODISCARD ErrorCode session__setting_show(const Session *session, Str name, Str *name_out, Str *value_out, Error *err);
void session__settings_end(Session *session, bool committed);
void session__settings_rollback_to(Session *session, uint32_t savepoint_count);
void session__settings_release(Session *session, uint32_t savepoint_count);
/* May the value be kept for sessions to come? name_out: as SHOW prints it. value NULL: only the name is checked. */
NODISCARD ErrorCode session__setting_check(Session *session, Str name, const Str *value, Str *name_out, Error *err);
Str session__dotted_name(Arena *arena, const AstNames *names); /* of a setting: "prefix.name" */
/* Name and value of a SET. */
NODISCARD ErrorCode session__set_text(Arena *arena, const AstSet *set, Str *name_out, Str *text_out, Error *err);
/* May the session cancel statements of the user's sessions, or end them? */
NODISCARD ErrorCode session__signal_check(Session *session, Str user_name, bool terminate, Error *err);
NODISCARD ErrorCode session__role_set(Session *session, Str name, Error *err);
NODISCARD ErrorCode session__authorization_set(Session *session, Str name, Error *err);

/* ---- names: search path, temporary schema (session_path.c) ---- */
void session__path_use(Session *session, Txn *txn);    /* tells the transaction; finds out which schemas exist */
NODISCARD ErrorCode session__temp_schema(Session *session, Txn *txn, Str *name_out, Error *err); /* made on first use */
NODISCARD ErrorCode session__drop_schema(Txn *txn, Str name, Error *err); /* of temporary objects, with all of them */
void session__temp_drop(Session *session);             /* all of its tables; outside of a block */
void session__temp_note(Session *session, const TableDef *table, uint8_t on_commit);
NODISCARD ErrorCode session__temp_commit(Session *session, Txn *txn, Error *err); /* what ON COMMIT asks for */
void session__temp_clean(Session *session);            /* once an engine: schemas that an earlier run left behind */

/* ---- transactions (session_txn.c) ---- */
#define SNAPSHOT_ID_FORMAT "%08" PRIx64 "-%08" PRIx64 /* of a TxnExport: number, LSN */
NODISCARD ErrorCode session__engine_begin(Session *session, bool read_only, Txn **txn_out, Error *err);
/* One of BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE, ROLLBACK TO; writes the tag. */
NODISCARD ErrorCode session__control(Statement *statement, Error *err);
NODISCARD ErrorCode session__transaction_mode_set(Session *session, SettingId id, Str value, Error *err);
NODISCARD ErrorCode session__set_transaction(Statement *statement, Error *err);
bool session__read_only(const Session *session);
static inline Txn *statement__txn(const Statement *statement) { return statement->session->in_block ? statement->session->txn : statement->own_txn; }

/* ---- objects and roles (statement_object.c) ---- */
/* As a statement that is no query names a table: missing schema 3F000, an index 42809. Views and sequences are not found. */
NODISCARD ErrorCode statement__table_find(Statement *statement, CatalogView *view, const AstNames *names, const TableDef **table_out, Error *err);
/* PostgreSQL tells the place of what binding finds, not of what values do when the statement runs. Answers code. */
ErrorCode statement__unplaced(const Statement *statement, ErrorCode code, Error *err);
uint32_t session__role_id(CatalogView *catalog, Str name); /* UINT32_MAX: there is none; "admin" is the first superuser's other name */
uint32_t session__bind_role(const Session *session, CatalogView *catalog); /* whose privileges are checked; 0 = a superuser's */
NODISCARD ErrorCode session__role_check(Session *session, Str name, bool authorization, Error *err); /* may the session act as the role? */
void statement__ddl(Statement *statement, Ddl *ddl_out);
NODISCARD ErrorCode statement__run_object(Statement *statement, Error *err);
ErrorCode statement__sequence(void *statement, const SequenceCall *call, int64_t *value_out, Error *err);
void session__sequences_forget(Session *session);

/* ---- compiled statements (compiled.c) ---- */
NODISCARD ErrorCode compiled__create(Session *session, Str sql, const Type *param_types, uint32_t param_count, Compiled **compiled_out, size_t *used_out, Error *err);
void compiled__release(Compiled *compiled);
NODISCARD ErrorCode compiled__bind(Compiled *compiled, Txn *txn, Error *err);
/* Bound anew if what it was bound against has changed. *compiled: replaced then. */
NODISCARD ErrorCode compiled__refresh(Compiled **compiled, Txn *txn, Error *err);
const RelColumn *compiled__columns(const Compiled *compiled, uint32_t *count_out);
void session__environment(Session *session, FunctionEnvironment *environment_out);
NODISCARD ErrorCode compiled__check_allowed(const Compiled *compiled, Error *err);
NODISCARD ErrorCode compiled__expand_explain(Compiled *compiled, Error *err); /* EXPLAIN EXECUTE; else nothing */

/* Blocks of columns as a table (block_source.c): what a plan over them scans, and the storage to run it on. */
typedef struct BlockSource { RowSource base; Storage storage; const ColumnBlock *blocks; } BlockSource;
void session__block_source_init(BlockSource *source); /* without blocks; stays where it is */
/* Rows of the block from `at`, a multiple of 1,024, on; at most a batch's. */
Vector session__block_vector(const ColumnBlock *block, uint32_t at, uint16_t rows);

/* ---- COPY ... FROM ---- */
bool copy__is_given(const StatementCopy *copy, uint16_t column);  /* the data has the table's column */
/* copy_defaults.c: defaults of the columns that the data does not have go to their builders; those without one get nothing. */
NODISCARD ErrorCode copy_defaults__missing(Statement *statement, const StatementCopy *copy, ColumnBuilder *builders, uint32_t rows, Error *err);
/* The block with the column's default in the marked rows. */
NODISCARD ErrorCode copy_defaults__fill(Statement *statement, const ColumnDef *column, const ColumnBlock *block, const uint64_t *marked, ColumnBuilder *out, Error *err);
/* COPY ... FROM ... WHERE (copy_where.c). Lives in the statement's arena. */
typedef struct CopyWhere CopyWhere;
NODISCARD ErrorCode copy_where__open(Statement *statement, const TableDef *table, const AstExpr *where, CopyWhere **where_out, Error *err);
/* Of the rows in blocks (one a column of the table) those that pass go into kept, one builder a column, and *rows_out says how many. */
NODISCARD ErrorCode copy_where__filter(CopyWhere *where, const ColumnBlock *blocks, ColumnBuilder *kept, uint32_t *rows_out, Error *err);

/* ---- statements ---- */
void statement__abandon_all(Session *session, uint32_t savepoint_count);
NODISCARD ErrorCode statement__start_query(Statement *statement, Error *err);
NODISCARD ErrorCode statement__next_batch(Statement *statement, Batch **batch_out, Error *err);
NODISCARD ErrorCode statement__run_dml(Statement *statement, Error *err);
NODISCARD ErrorCode statement__run_ddl(Statement *statement, Error *err);
NODISCARD ErrorCode statement__check_cursors(const Statement *statement, Error *err); /* cursor_use.c; 55006 */
/* table_parts.c */
NODISCARD ErrorCode statement__add_constraint(Statement *statement, const TableDef **table, const BoundConstraint *bound, bool fresh, Error *err);
NODISCARD ErrorCode statement__alter_part(Statement *statement, const TableDef **table, const AlterAction *action, Error *err);
NODISCARD ErrorCode statement__check_texts(Statement *statement, const TableDef *table, Error *err);
NODISCARD ErrorCode statement__create_index(Statement *statement, Error *err);
NODISCARD ErrorCode statement__column_retyped(Statement *statement, const TableDef *table, Str name, Error *err); /* ALTER COLUMN TYPE wrote it anew */
/* Indexes whose expressions or predicate read a column go with it. */
NODISCARD ErrorCode statement__drop_reading_indexes(Statement *statement, const TableDef **table, Str name, bool cascade, Error *err);
NODISCARD ErrorCode statement__drop_index(Statement *statement, Error *err);
NODISCARD ErrorCode statement__alter_index(Statement *statement, Error *err);
NODISCARD ErrorCode statement__start_text(Statement *statement, Error *err);  /* EXPLAIN, SHOW setting */
void statement__next_text(Statement *statement, Batch **batch_out);
NODISCARD ErrorCode statement__plan(Statement *statement, Error *err);
RunContext statement__run_context(Statement *statement);
NODISCARD ErrorCode statement__run_own(Statement *statement, Error *err);     /* SET, DISCARD, PREPARE, DECLARE … (statement_own.c) */
void statement__tag(Statement *statement, const char *tag);
void statement__tag_count(Statement *statement, const char *verb, uint64_t rows); /* a verb with a blank, and the number */
NODISCARD ErrorCode statement__check_writable(const Statement *statement, Error *err);
NODISCARD ErrorCode statement__start_copy(Statement *statement, Error *err);
NODISCARD ErrorCode statement__start(Statement *statement, Error *err);       /* without its first rows; at failure: statement__fail */
NODISCARD ErrorCode statement__finish(Statement *statement, Error *err);      /* commits what stood alone */
void statement__fail(Statement *statement);

/* ---- prepared statements (prepared.c), cursors (cursor.c) ---- */
NODISCARD ErrorCode session__prepare_sql(Statement *statement, Error *err);
NODISCARD ErrorCode session__execute(Statement *statement, Error *err);
NODISCARD ErrorCode session__deallocate(Statement *statement, Error *err);
void session__append_type(Type type, const OidNames *names, Buffer *out); /* as CAST reads it, users' types too */
NODISCARD ErrorCode session__declare(Statement *statement, Error *err);
NODISCARD ErrorCode session__fetch(Statement *statement, Error *err);
NODISCARD ErrorCode session__fetch_next(Statement *statement, Batch **batch_out, Error *err);
NODISCARD ErrorCode session__close_cursor(Statement *statement, Error *err);
Cursor *session__cursor_find(const Session *session, Str name);
NODISCARD ErrorCode session__cursors_hold(Session *session, Error *err);      /* before a commit */
void session__cursors_end(Session *session, bool committed);
void session__cursors_rollback_to(Session *session, uint32_t savepoint_count);
void session__cursors_release(Session *session, uint32_t savepoint_count); /* cursors of released savepoints are the outer one's */
void session__cursors_close(Session *session);
RowStore *row_store__create(uint16_t column_count);
void row_store__destroy(RowStore *store);
NODISCARD ErrorCode row_store__add(RowStore *store, Batch *batch, size_t bytes_max, Error *err);
/* Rows from `first` on, at most `count` and at most a batch; *taken_out rows. */
Batch *row_store__window(RowStore *store, uint64_t first, uint64_t count, Arena *arena, uint32_t *taken_out);

/* ---- advisory locks, clients, calls of functions ---- */
NODISCARD ErrorCode session__advisory(Session *session, const AdvisoryCall *call, bool *result_out, Error *err);
void session__advisory_end_transaction(Session *session);
void session__advisory_release_all(Session *session);
void session__locks(Session *session, void (*visit)(void *context, const SessionLock *lock), void *context);
void session__activity(Session *session, void (*visit)(void *context, const SessionActivity *row), void *context);
NODISCARD ErrorCode session__signal(Session *self, int32_t pid, bool terminate, bool *found_out, Error *err);
void session__shown_application(Session *session, Str name);
void session__note_running(Session *session, Str text, bool active);
extern const SessionCalls SESSION__CALLS;

/* SPDX-License-Identifier: Apache-2.0
 * engine.h - one data folder: open, recover, transactions, DDL, checkpoints, background work. Owns everything below it.
 *
 * A Txn belongs to one thread at a time. Errors inside a transaction leave it usable: the caller rolls back to a savepoint
 * (statement level) or wholly. Every call is thread-safe between different transactions. */
#pragma once
#include "catalog/catalog.h"
#include "os/os.h"

typedef struct Engine Engine;
typedef struct Txn Txn;
typedef uint64_t Lsn;

typedef struct EngineOptions {
    size_t ingest_memory_bytes;     /* all memory parts; 0 = 256 MiB. At 75 % flushes run first, at 100 % writers wait */
    size_t cache_bytes;             /* block cache; 0 = 32 MiB */
    uint64_t log_bytes_max;         /* 0 = 1 GiB */
    int64_t checkpoint_interval_ms; /* 0 = 5 min; -1 = only when asked */
    uint8_t durability;             /* database default; UNSET = COMMIT */
    uint32_t durability_ms;         /* for INTERVAL; 0 = 100 */
    uint32_t block_rows;            /* of a full row block of a segment; 0 = 65,536. For tests: merges, borders and slices with few rows */
    bool embedded;                  /* no log thread: the committing thread writes and syncs (library, basalt sql DIR) */
    bool no_background;             /* no flush/merge tasks: only engine_run_jobs does work (tests, simulator) */
    bool read_only;
    /* The log could not be written or synced: what waited for it has got ERR_UNKNOWN_OUTCOME, nothing can be committed any more, and
     * only a new start helps. A server ends the process here. May be NULL; called once, by the thread that met the failure. */
    void (*log_failed)(const Error *cause);
    const char *url;                /* written into LOCK for the "in use" message; may be NULL */
} EngineOptions;

/* Takes the folder's lock (ERR_FOLDER_IN_USE: message holds "in use by pid N" and the holder's url), refuses a newer format
 * (ERR_NEWER_FORMAT) before any write, recovers (checkpoint + log tail). A fresh folder is made ready. */
NODISCARD ErrorCode engine_open(Os os, const EngineOptions *options, Engine **engine_out, Error *err);
/* Waits for jobs, writes a final checkpoint when clean, frees all. No Txn may be open. */
void engine_close(Engine *engine);
NODISCARD ErrorCode engine_checkpoint(Engine *engine, Error *err);
NODISCARD ErrorCode engine_run_jobs(Engine *engine, Error *err);      /* all due flush, merge, unlink work, in this thread */
NODISCARD ErrorCode engine_flush_table(Engine *engine, uint32_t table_id, Error *err); /* memory parts -> segments, then merges that are due */
NODISCARD ErrorCode engine_check(Engine *engine, Buffer *report, Error *err);  /* every block and invariant; ERR_DAMAGED at the end if any */
/* Of a folder that cannot be written to: every file by itself; the log is read, not applied. */
NODISCARD ErrorCode engine_check_files(Os os, Buffer *report, Error *err);
typedef struct EngineCounters {
    uint64_t commits, rollbacks, rows_appended, rows_ended, log_bytes, log_syncs, log_groups, segments_written, segment_bytes_written,
        rows_flushed, rows_merged, bytes_flushed, bytes_merged, merges, flushes, checkpoints, conflicts, memory_bytes, transactions_open, segments, tables, visible_lsn, durable_lsn;
} EngineCounters;
void engine_counters(Engine *engine, EngineCounters *counters_out);
Os *engine_os(Engine *engine);
/* One object that the layer above hangs on the engine (worker pool, list of clients): made by create on first use, once, and
 * destroyed by engine_close before anything else. Thread-safe. */
void *engine_attachment(Engine *engine, void *(*create)(Engine *engine), void (*destroy)(void *attachment));

typedef enum Isolation { ISOLATION_READ_COMMITTED, ISOLATION_REPEATABLE_READ, ISOLATION_SERIALIZABLE /* runs as REPEATABLE_READ */ } Isolation;
typedef struct TxnOptions {
    uint8_t isolation;
    bool read_only;
    uint8_t durability;
    uint32_t durability_ms;          /* session's; UNSET and 0 = database's */
    ErrorCode (*interrupted)(void *context, Error *err); /* asked while DDL waits for others, every 20 ms: an error ends the wait; may be NULL */
    int64_t (*lock_timeout_ms)(void *context); /* the longest of these waits, 0: as long as they are; may be NULL */
    void *interrupt_context;             /* of both */
} TxnOptions;

NODISCARD ErrorCode engine_begin(Engine *engine, const TxnOptions *options, Txn **txn_out, Error *err);
uint8_t txn_isolation(const Txn *txn);
void txn_set_fresh(Txn *txn, bool fresh);                /* true, right behind engine_begin: its first statement begins now, with its snapshot */
void txn_statement_begin(Txn *txn);                      /* READ COMMITTED: new snapshot; also bounds what the statement sees of own rows */
void txn_statement_again(Txn *txn);                      /* the same; what others have committed to the catalog is visible before (waits, briefly) */
Lsn txn_catalog_lsn(const Txn *txn);                     /* of the newest change of the catalog by others that the snapshot sees */
/* While held (a parked query is open), new statements get new snapshots, but what the old one sees is kept. */
void txn_hold_snapshot(Txn *txn, bool hold);
/* The snapshot of the running statement, for other transactions to read by as long as this one is open. Importing: before the first
 * statement and not under READ COMMITTED; false: no open transaction holds that snapshot. */
typedef struct TxnExport { uint64_t number; uint64_t lsn; } TxnExport;
TxnExport txn_snapshot_export(Txn *txn);
bool txn_snapshot_import(Txn *txn, TxnExport snapshot);
typedef struct TxnMark { uint64_t value; } TxnMark;
TxnMark txn_mark(Txn *txn);
/* Between statements: marks above `newest` are given up, nobody rolls back to them any more. So rows that were written since, if they are many,
 * leave memory for segments of their own; what fails is tried again after the next statement. */
void txn_marks_end(Txn *txn, TxnMark newest);
void txn_rollback_to(Txn *txn, TxnMark mark);            /* undoes everything since the mark */
void txn_rollback(Txn *txn);                             /* frees txn */
/* Builds the one log record, appends it, waits until it is visible (and durable as the mode says), frees txn, also on error
 * (ERR_SERIALIZATION, ERR_DISK_FULL: rolled back; ERR_UNKNOWN_OUTCOME: the log failed). lsn_out: the commit's number, 0 if nothing was written. */
NODISCARD ErrorCode txn_commit(Txn *txn, Lsn *lsn_out, Error *err);
CatalogView *txn_catalog(Txn *txn);                      /* live until the transaction ends */
/* Where names without a schema are looked up (count 0: in public), and what the schema name pg_temp stands for (empty: nothing). The
 * texts are the caller's and must live as long as look-ups are made; a schema that does not exist is passed over. */
void txn_set_search_path(Txn *txn, const Str *schemas, uint32_t count, Str temp_schema);
Storage *txn_storage(Txn *txn);                          /* same */
Engine *txn_engine(const Txn *txn);
bool txn_has_writes(const Txn *txn);

/* DDL, transactional. Names are checked here (ERR_INVALID_NAME, DUPLICATE_…, TOO_MANY_COLUMNS). */
NODISCARD ErrorCode txn_table_create(Txn *txn, const TableSpec *spec, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_table_drop(Txn *txn, const TableDef *table, Error *err);
NODISCARD ErrorCode txn_table_truncate(Txn *txn, const TableDef *table, Error *err);
NODISCARD ErrorCode txn_table_rename(Txn *txn, const TableDef *table, Str new_name, Error *err);
NODISCARD ErrorCode txn_column_add(Txn *txn, const TableDef *table, const ColumnDef *column, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_column_drop(Txn *txn, const TableDef *table, Str name, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_column_drop_cascade(Txn *txn, const TableDef *table, Str name, const TableDef **table_out, Error *err);
/* true: the caller has looked at the rows after it (they may be written meanwhile by nobody else). */
NODISCARD ErrorCode txn_column_set_not_null(Txn *txn, const TableDef *table, uint16_t column, bool not_null, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_table_drop_cascade(Txn *txn, const TableDef *table, Error *err); /* foreign keys of other tables that name it go too */
/* Indexes and constraints. Without computed columns the rows that are there are built in, and looked at (23505, 23503); with some the caller
 * must write every row anew. CHECK and NOT NULL are for the caller to look at. */
NODISCARD ErrorCode txn_index_create(Txn *txn, const TableDef *table, const IndexSpec *spec, const TableDef **table_out, uint32_t *index_id_out, Error *err);
NODISCARD ErrorCode txn_index_drop(Txn *txn, const TableDef *table, uint32_t index_id, bool cascade, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_index_rename(Txn *txn, const TableDef *table, uint32_t index_id, Str new_name, Error *err);
NODISCARD ErrorCode txn_constraint_add(Txn *txn, const TableDef *table, const ConstraintSpec *spec, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_constraint_drop(Txn *txn, const TableDef *table, uint32_t id, bool cascade, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_constraint_rename(Txn *txn, const TableDef *table, uint32_t id, Str new_name, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_constraint_validated(Txn *txn, const TableDef *table, uint32_t id, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_check_deferred(Txn *txn, Error *err); /* SET CONSTRAINTS ALL IMMEDIATE */

/* CHECK constraints and values of index expressions need SQL: the layer above makes a guard for a transaction that stores such rows. */
typedef struct RowGuard RowGuard;
struct RowGuard {
    /* ERR_CHECK_VIOLATION. computed_out: one block per computed column, valid until the next call. */
    ErrorCode (*look)(RowGuard *guard, const TableDef *table, const ColumnBlock *columns, ColumnBlock *computed_out, Error *err);
    /* A NULL where none may be was refused: the error with its row. ERR_NOT_NULL_VIOLATION. */
    ErrorCode (*null_row)(RowGuard *guard, const TableDef *table, const ColumnBlock *columns, Error *err);
    void (*destroy)(RowGuard *guard);
};
void engine_set_guard_maker(Engine *engine, RowGuard *(*make)(Txn *txn)); /* once, before such rows are stored */
NODISCARD ErrorCode txn_column_rename(Txn *txn, const TableDef *table, Str name, Str new_name, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_table_set_durability(Txn *txn, const TableDef *table, uint8_t durability, uint32_t durability_ms, Error *err);
/* A new version of the table def->id with the name, schema, columns (ids kept or new ones from the old version), indexes and constraints given.
 * The rows stay as they are: whoever changes types or NOT NULL has seen to them. */
NODISCARD ErrorCode txn_table_replace(Txn *txn, const TableDef *def, const TableDef **table_out, Error *err);
/* ALTER COLUMN TYPE: the filled column `fresh` takes the place, the name and the parts (indexes, keys, both sides of foreign keys, sequences, comments)
 * of `old`, which is gone; indexes are built, foreign keys looked at. */
NODISCARD ErrorCode txn_column_take_place(Txn *txn, const TableDef *table, uint16_t old, uint16_t fresh, const TableDef **table_out, Error *err);
NODISCARD ErrorCode txn_schema_create(Txn *txn, Str name, bool if_not_exists, Error *err);
NODISCARD ErrorCode txn_schema_drop(Txn *txn, Str name, bool if_exists, bool cascade, Error *err);

/* Objects of the other kinds; tables and schemas have their calls above. Dependencies are the caller's business: nothing here looks at
 * needs or parents. Names: ERR_DUPLICATE_TABLE for relations, else ERR_DUPLICATE_OBJECT, with PostgreSQL's text. Everything is copied. */
NODISCARD ErrorCode txn_object_create(Txn *txn, const CatalogObject *def, uint32_t *id_out, Error *err);   /* def->id is ignored */
NODISCARD ErrorCode txn_object_replace(Txn *txn, const CatalogObject *def, Error *err);                    /* a new version of def->id, same kind; a schema too */
NODISCARD ErrorCode txn_object_drop(Txn *txn, uint32_t id, Error *err);                                    /* a schema or table too */
uint32_t txn_object_new_id(Txn *txn);                                                                      /* from the one counter, for parts of objects */

/* Sequences: objects of kind OBJECT_SEQUENCE (catalog/bodies.h). What was given stays given, also after a rollback.
 * ERR_SEQUENCE_LIMIT, ERR_OUT_OF_RANGE (bounds), ERR_READ_ONLY, ERR_UNDEFINED_TABLE. */
NODISCARD ErrorCode txn_sequence_next(Txn *txn, uint32_t sequence_id, int64_t *value_out, Error *err);
NODISCARD ErrorCode txn_sequence_set(Txn *txn, uint32_t sequence_id, int64_t value, bool called, Error *err);
NODISCARD ErrorCode txn_sequence_read(Txn *txn, uint32_t sequence_id, int64_t *last_out, bool *called_out, Error *err);

/* ---- for people: one line per operation ---- */
NODISCARD ErrorCode engine_dump_operations(Bytes body, Buffer *out, Error *err);                        /* body of a commit record */
NODISCARD ErrorCode engine_dump_checkpoint(Io *io, const char *path, Buffer *out, Error *err);          /* "checkpoint-<lsn>" */
NODISCARD ErrorCode engine_dump_catalog(Io *io, const char *path, Buffer *out, Error *err);             /* its schemas and tables alone */
NODISCARD ErrorCode engine_dump_log(Io *io, const char *path, Buffer *out, Error *err);                 /* a .wal file, each record with its operations */

/* SPDX-License-Identifier: Apache-2.0
 * engine_internal.h - the engine's and the transaction's state, shared by this folder's files.
 *
 * Lock order: work_lock, checkpoint_lock -> publish_gate -> ddl_lock -> tables_lock -> catalog -> table -> registry -> the log's own. No latch is held while a
 * commit waits for the log. */
#pragma once
#include "base/hash.h"
#include "blockfile/blockfile.h"
#include "catalog/store.h"
#include "catalog/user_type.h"
#include "engine/engine.h"
#include "table/table.h"
#include "txn/txn.h"
#include "wal/wal.h"
#include <stdatomic.h>

enum {
    ENGINE_FORMAT = 1,
    COMMIT_BODY_BYTES_MAX = 1 << 30,
    CHECKPOINT_BLOCK_BYTES = 1 << 20,
    CHECKPOINTS_KEPT = 2,
    SYMBOLS_PER_OP = 65536,
    TXN_ARENA_BYTES_MAX = 1 << 30,
    REFERENCE_ROWS_MIN = 65536,       /* a commit of fewer rows goes through the log, unless they are large */
    REFERENCE_BYTES_MIN = 8 << 20,    /* raw bytes from which a commit goes by reference: about 4 MiB encoded */
    REFERENCE_BYTES_LARGE = 32 << 20, /* raw bytes from which fewer rows do too */
    SPILL_BYTES = 24 << 20,           /* rows of one statement that stay in memory before they are written */
    SPILL_ROWS_MIN = 4096,            /* fewer rows make no segment */
    FLUSH_BYTES = 16 << 20,           /* a memory part of that size is flushed */
    CHECKPOINT_FLUSH_BYTES = 4 << 20, /* larger ones are flushed before a checkpoint, smaller ones imaged */
    INGEST_WAIT_MS = 30000,
    POOL_IDLE_PERIODS = 20,           /* jobs periods without a change after which the pool gives its memory back */
    WORK_BYTES = 64 << 20,            /* growth of memory parts after which the jobs are woken early */
    DDL_WAIT_MS = 2000,
    DDL_WAIT_ALONE_MS = 60000,
    DDL_WAITERS_MAX = 8,              /* with the long one */
    LOW_ROOM_BYTES = 256 << 20,       /* less free room on the disk: dead files go early */
    DURABILITY_MS_DEFAULT = 100,
    JOB_PERIOD_MS = 500,
    POOL_KEPT_BYTES = 32 << 20,
    CACHE_BYTES = 32 << 20,
    INGEST_BYTES = 256 << 20
};
typedef enum RecordKind { RECORD_COMMIT = 1 } RecordKind;
typedef enum CheckpointBlock { CHECKPOINT_OPS = 1 } CheckpointBlock;

#define ENGINE_TALLIES(X) X(commits) X(rollbacks) X(rows_appended) X(rows_ended) X(conflicts)
typedef struct BodyFile { Lsn lsn; uint64_t file_id; } BodyFile;

/* What a record's publish step settles; first member of whoever waits for one. */
typedef struct Publication Publication;
struct Publication { void (*settle)(Publication *publication, Lsn lsn); };

typedef struct Sequences Sequences;

typedef RowGuard *(*RowGuardMaker)(Txn *txn);
typedef struct ForeignCheck ForeignCheck; /* foreign.c */

struct Engine {
    Os os;
    EngineOptions options;
    Arena arena;                     /* options' text, lock holder */
    uint64_t engine_id;
    Wal *wal;
    Catalog *catalog;
    TableEnv env;
    Sequences *sequences;
    TxnRegistry registry;
    Mutex tables_lock;               /* guards tables */
    IntMap tables;                   /* id -> Table * */
    Mutex ddl_lock;                  /* held by a DDL call from its checks to its new version; guards ddl_changed */
    Cond ddl_changed;                /* a transaction with DDL or a claim has ended */
    uint32_t ddl_waiters;            /* under ddl_lock: wait for that */
    Mutex publish_gate;              /* commits that name rows, and publishes that move rows: one at a time until they have an LSN */
    Mutex work_lock;                 /* one flush or merge at a time */
    Mutex checkpoint_lock;           /* one checkpoint at a time; guards the fields below */
    Lsn checkpoints[CHECKPOINTS_KEPT]; /* newest first, 0 = none */
    uint64_t checkpoint_bytes, checkpoint_log_bytes, checkpoint_switches; /* the last two: of the log, at the newest checkpoint */
    int64_t checkpoint_nanos;
    Mutex bodies_lock;               /* guards bodies */
    BodyFile *bodies;
    size_t body_count, body_capacity;
    Mutex jobs_lock;                 /* guards stopping */
    Cond jobs_wake;
    bool stopping, work_asked;       /* under jobs_lock */
    _Atomic size_t memory_after_work; /* pool use when the jobs last ended */
    uint32_t idle_periods;           /* of the jobs task: since the pool's use changed */
    Cond memory_freed;               /* with jobs_lock */
    Task *jobs;
    void *attachment;                /* of the layer above; under jobs_lock */
    void (*attachment_destroy)(void *attachment);
    _Atomic uint64_t checkpoint_count;
    _Atomic bool has_foreign_keys;   /* some table has, or had, one */
    _Atomic(RowGuardMaker) guard_maker;
#define X(name) _Atomic uint64_t name;
    ENGINE_TALLIES(X)
#undef X
};

typedef struct TxnSource { uint32_t table_id; const TableDef *def; RowSource *source; struct TxnSource *next; } TxnSource;
typedef struct TxnTable { Table *table; struct TxnTable *next; } TxnTable;
typedef struct TxnView { CatalogView base; Txn *txn; } TxnView;
typedef struct TxnStorage { Storage base; Txn *txn; } TxnStorage;

struct Txn {
    Publication publication;
    Engine *engine;
    TxnOptions options;
    TxnEntry entry;
    Snapshot snapshot;
    WriteSet writes;
    TableWriter writer;
    CatalogLabels labels;            /* for messages */
    uint64_t bytes_at_spill;         /* the writer's bytes_appended when rows of earlier statements were last looked at */
    Arena arena;
    TxnTable *tables;                /* claimed or written to */
    TxnSource *sources;
    TxnView view;
    TxnStorage storage;
    uint64_t ddl_count;
    Lsn sequence_lsn;                /* newest record of a sequence that gave a value; 0 = none did */
    ForeignCheck *foreign_checks;    /* keys that are still to be looked at */
    RowGuard *guard;                 /* made when first needed */
    bool statement_seen, snapshot_held, snapshot_exported;
    bool fresh;                  /* the snapshot it began with is the next statement's too */
    const Str *search_path;          /* the caller's */
    uint32_t search_path_count;
    Str temp_schema;
};

static inline void engine__lock(Engine *engine, Mutex *mutex) { engine->os.sched->mutex_lock(engine->os.sched, mutex); }
static inline void engine__unlock(Engine *engine, Mutex *mutex) { engine->os.sched->mutex_unlock(engine->os.sched, mutex); }
uint64_t engine__visible_lsn(void *engine);
Table *engine__table(Engine *engine, uint32_t id);      /* made if missing */
Table *engine__table_peek(Engine *engine, uint32_t id); /* NULL if missing */
void engine__collect(Engine *engine);
uint64_t engine__data_bytes(Engine *engine);            /* of all tables, memory and disk */
uint64_t engine__new_file_id(Engine *engine);
void engine__file_id_seen(Engine *engine, uint64_t file_id); /* recovery: later ids are larger */

/* txn.c */
Snapshot txn__catalog_snapshot(const Txn *txn);         /* own DDL is seen at once */
void txn__touch(Txn *txn, Table *table);                /* it will be told when the transaction ends */
void txn__free(Txn *txn);
NODISCARD ErrorCode txn__check_writable(const Txn *txn, Error *err);
/* view.c, storage.c */
void txn__view_init(Txn *txn);
void txn__storage_init(Txn *txn);

/* redo.c: operations of a record body or a checkpoint block. */
NODISCARD ErrorCode engine__redo_ops(Engine *engine, Bytes body, Lsn lsn, Error *err);
ErrorCode engine__redo_record(void *engine, const WalRecord *record, Error *err);
/* body.c: bodies of large records in files of their own. */

NODISCARD ErrorCode engine__body_redo(Engine *engine, Bytes payload, Lsn lsn, Error *err);
/* Appends the record (append without parts). A body that is too large for a record is replaced by the name of a file that holds it; the
 * file stays only if the log took the record. */
NODISCARD ErrorCode engine__body_append(Engine *engine, Buffer *body, const WalAppend *append, Lsn *lsn_out, Error *err);
void engine__bodies_forget(Engine *engine, Lsn up_to);
NODISCARD ErrorCode engine__bodies_sweep(Engine *engine, Error *err); /* after recovery: files that no record names */
/* checkpoint.c */
NODISCARD ErrorCode engine__checkpoint_load(Engine *engine, Lsn *lsn_out, Error *err);
bool engine__checkpoint_due(Engine *engine);
void engine__encode_symbols(const Dictionary *dictionary, uint32_t table_id, uint32_t column_id, int32_t from, int32_t to, Buffer *out);
void engine__encode_object(const ObjectVersion *object, Buffer *out);
/* sequence.c */
Sequences *engine__sequences_create(Sched *sched);
void engine__sequences_destroy(Sequences *sequences, Sched *sched);
NODISCARD ErrorCode engine__redo_sequence(Engine *engine, uint32_t state_id, Bytes payload, Error *err);
void engine__sequences_encode(Engine *engine, const Snapshot *snapshot, Buffer *out);  /* for a checkpoint */
void engine__sequences_settle(Engine *engine);               /* before the last checkpoint of a clean close: nobody takes values any more */
/* foreign.c */
NODISCARD ErrorCode engine__foreign_appended(Txn *txn, const TableDef *table, const ColumnBlock *columns, Error *err);
NODISCARD ErrorCode engine__foreign_ended(Txn *txn, const TableDef *table, const RowRef *rows, uint32_t row_count, Error *err);
NODISCARD ErrorCode engine__foreign_check(Txn *txn, bool deferred, Error *err); /* and forgets them */
NODISCARD ErrorCode engine__foreign_validate(Txn *txn, const TableDef *table, uint32_t constraint_id, Error *err);
void engine__foreign_forget(Txn *txn, bool deferred_too);
/* jobs.c */
void engine__jobs_main(void *engine);
void engine__room_freed(Engine *engine);
size_t engine__flush_bytes(const Engine *engine, size_t bytes); /* less if row blocks are smaller than usual */
NODISCARD ErrorCode engine__flush_all(Engine *engine, const FlushPolicy *policy, Error *err);
NODISCARD ErrorCode engine__wait_for_memory(Engine *engine, Error *err); /* before rows are taken */
/* files.c */
NODISCARD ErrorCode engine__files_sweep(Engine *engine, Error *err);     /* after recovery: files that nothing names */
void engine__files_unlink_dead(Engine *engine, Lsn kept);                /* those out of every kept checkpoint and its log */
void engine__files_relieve(Engine *engine);                              /* more than that, if the disk is nearly full */
void engine__encode_dead_files(Engine *engine, Buffer *out);
NODISCARD ErrorCode engine__redo_dead_files(Engine *engine, Bytes payload, Error *err);
/* dictionaries.c */
/* Those of a checkpoint: what is not on disk yet is written to a file, or, if it is little, into the checkpoint. */
NODISCARD ErrorCode engine__dictionary_save(Engine *engine, Dictionary *dictionary, uint32_t table_id, uint32_t column_id, Lsn lsn, Buffer *out,
                                            Error *err);
NODISCARD ErrorCode engine__redo_dictionary(Engine *engine, uint32_t table_id, Bytes payload, Error *err);
NODISCARD ErrorCode engine__dictionaries_load(const TableDef *def, Error *err); /* of all its symbol columns */
bool engine__dictionary_names_file(Engine *engine, uint32_t table_id, uint64_t file_id);
void engine__dictionaries_kill(Engine *engine, uint32_t table_id, Lsn lsn); /* the table is dropped */

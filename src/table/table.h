/* SPDX-License-Identifier: Apache-2.0
 * table.h - one table's rows: a list of parts, append, end, undo, settle, scan; its operations in the log and their redo.
 *
 * Parts:      memory parts hold chunks in arrival order; segments are immutable files sorted by the designated timestamp. A part's id
 *             is unique in its table and never reused; RowRef = (part id, offset).
 * Life of a change: append / end with the transaction's stamp (in its write set) -> encoded into the commit record -> settled by the
 *             publish step, or undone.
 * Threads:    one lock a table guards parts, runs, ends and counters; rows are copied outside it. A scan pins the parts it reads. */
#pragma once
#include "blockfile/blockfile.h"
#include "catalog/store.h"
#include "column/value_text.h"
#include "chunk/chunk.h"
#include "column/source.h"
#include "txn/txn.h"
#include <stdatomic.h>

typedef struct Table Table;

/* What all tables of an engine share. */
typedef enum FileKind { FILE_SEGMENT, FILE_DICTIONARY, FILE_INDEX } FileKind;
typedef struct DeadFile { uint32_t table_id; uint8_t kind; uint64_t file_id, lsn; } DeadFile; /* lsn: of the record that took it out */
/* Files that no part list names any more; unlinked once the older kept checkpoint has passed the LSN. */
typedef struct DeadFiles { Sched *sched; Mutex lock; DeadFile *files; size_t count, capacity; } DeadFiles;
void dead_files_add(DeadFiles *dead, DeadFile file);

typedef struct TableEnv {
    Os os;
    uint64_t engine_id;
    ChunkPool pool;
    DeadFiles dead;
    BlockCache *cache;
    uint64_t (*horizon)(void *context); /* oldest snapshot in use; called under a table's lock. NULL: nothing is garbage */
    void *horizon_context;
    _Atomic uint64_t next_file_id;
    atomic_bool closing;         /* flushes and merges give up, ERR_CANCELED: who closes does not wait for a task of low priority */
    uint32_t block_rows;         /* of a full row block; 0 = BLOCK_ROWS. Less makes tests see borders, slices and merges with few rows */
    _Atomic uint64_t segments_written, segment_bytes_written, merges, flushes;
    _Atomic uint64_t rows_flushed, rows_merged, bytes_flushed, bytes_merged; /* written once, written again */
} TableEnv;
enum { TABLE_PATH_BYTES = 64 };
void table_file_path(char *path, FileKind kind, uint32_t table_id, uint64_t file_id); /* TABLE_PATH_BYTES of room */
NODISCARD ErrorCode table_make_folder(Table *table, Error *err);                     /* durably, once */

Table *table_create(TableEnv *env, uint32_t id);
void table_destroy(Table *table); /* no scan is open */
uint32_t table_id(const Table *table);

/* ---- changes by a transaction ---- */
typedef enum WriteKind { WRITE_ROWS = 1, WRITE_ENDS, WRITE_PARTS_END, WRITE_SEGMENT, WRITE_OBJECT, WRITE_INDEX_RUN } WriteKind;
typedef struct TableWriter {
    Snapshot snapshot;         /* own and command stamp what it writes */
    WriteSet *writes;
    uint64_t rows_appended, rows_ended;
    uint64_t bytes_unspilled;  /* at most so many bytes of rows may be due to leave memory */
    uint64_t bytes_appended;   /* rows and their long texts */
    const OidNames *names;     /* labels of enums, for messages; NULL: numbers */
    const bool *assigned;      /* UPDATE of assigned_table: columns that may get other values; NULL = any */
    uint32_t assigned_table;
} TableWriter;
static inline bool writer_may_change(const TableWriter *writer, const TableDef *table, uint32_t column) {
    return writer->assigned == NULL || writer->assigned_table != table->id || column >= table->column_count || writer->assigned[column];
}

/* Blocks in the definition's order, equal row counts up to BLOCK_ROWS. ERR_NOT_NULL_VIOLATION, ERR_OBJECT_IN_USE. What was appended
 * before an error is in the write set. */
NODISCARD ErrorCode table_append(Table *table, TableWriter *writer, const TableDef *def, const ColumnBlock *columns, uint16_t column_count, Error *err);
bool table_key_types_comparable(const ColumnDef *a, const ColumnDef *b);
/* Foreign keys: what `to` has now of keys that rows of another table hold. */
typedef struct KeySearch {
    const TableDef *to;
    const IndexDef *index;       /* of `to` */
    const Type *types;           /* of the columns below */
    const ColumnBlock *columns;  /* one per leading key of the index, in its order */
    uint16_t count;              /* of leading keys */
    Stamp own;
} KeySearch;
typedef enum KeyPresence { KEY_HAS_NULL, KEY_ABSENT, KEY_PRESENT, KEY_UNSURE /* another transaction that has not ended is changing such a row */ } KeyPresence;
/* One answer a row: KeyPresence. A row that another transaction ended and wrote again with the same key is there. */
NODISCARD ErrorCode table_keys_find(Table *to, const KeySearch *search, uint8_t *presence_out, Error *err);
NODISCARD ErrorCode table_fetch_columns(Table *table, const TableDef *def, const RowRef *refs, uint16_t row_count, const uint16_t *columns,
                                        uint16_t column_count, Vector *columns_out, Arena *arena, Error *err);
NODISCARD ErrorCode table_fetch(Table *table, const TableDef *def, const RowRef *refs, uint16_t row_count, Vector *columns_out, Arena *arena, Error *err);
/* ON CONFLICT: see Storage.conflicts. */
NODISCARD ErrorCode table_conflicts(Table *table, const TableDef *def, Stamp own, uint32_t index_id, const ColumnBlock *blocks, RowRef *rows_out,
                                    Error *err);
/* Runs of a new index for the segments there are, into the write set; a unique one is checked against all rows that are live. The
 * caller has claimed the table. */
NODISCARD ErrorCode table_index_build(Table *table, TableWriter *writer, const TableDef *def, const IndexDef *index, Error *err);
/* ERR_SERIALIZATION: another transaction has ended one of the rows since the snapshot, or is about to. What was ended before that
 * row is in the write set. */
NODISCARD ErrorCode table_end_rows(Table *table, TableWriter *writer, const RowRef *rows, uint32_t row_count, Error *err);
/* Ends every part (TRUNCATE). ERR_OBJECT_IN_USE while other transactions have written to the table and not ended. */
NODISCARD ErrorCode table_truncate(Table *table, TableWriter *writer, Error *err);
/* A transaction that will drop or truncate takes the table alone; others' writes get ERR_OBJECT_IN_USE until it ends. */
NODISCARD ErrorCode table_claim(Table *table, const Snapshot *snapshot, Error *err);
void table_undo(Table *table, const Write *write, const Snapshot *snapshot); /* newest first */
void table_settle(Table *table, const Write *write, uint64_t lsn);           /* before lsn is visible */
void table_writer_end(Table *table, Stamp own);                              /* the transaction is over: no longer a writer, no claim */

/* ---- reading ---- */
/* A source bound to a snapshot holder: reads *snapshot at each open. Lives until the arena is reset. */
RowSource *table_source(Table *table, const TableDef *def, const Snapshot *snapshot, Arena *arena);
/* Since the start: what flushes and bulk loads wrote into segments, and what merges wrote again. */
typedef struct WriteFigures { uint64_t rows_flushed, rows_merged, bytes_flushed, bytes_merged; } WriteFigures;
typedef struct TableFigures {
    uint64_t rows, memory_bytes, disk_bytes, parts, segments; /* segments: files */
    WriteFigures written;
    int64_t min_time, max_time;
    bool has_time;
} TableFigures;
void table_figures(Table *table, TableFigures *figures_out);

/* ---- log operations (docs/format/log-records.md) ---- */
typedef enum LogOp {
    OP_END_OF_BODY, OP_APPEND, OP_END, OP_SEGMENT, OP_BODY, OP_PUBLISH, OP_DDL, OP_SYMBOLS, OP_SEQUENCE, OP_KV_META, OP_SETTING, OP_NOOP,
    OP_PARTS, OP_FILES, OP_DICTIONARY, OP_INDEX_RUN, OP_COUNT
} LogOp;
enum { OP_HEADER_BYTES = 9, OP_PAYLOAD_BYTES_MAX = 1 << 30 }; /* u8 op | u32 table | u32 length */
size_t op_begin(Buffer *out, LogOp op, uint32_t table_id);
void op_finish(Buffer *out, size_t at);

void table_encode_write(Table *table, const Write *write, Buffer *out);                   /* rows or ends of a write set */
NODISCARD ErrorCode table_redo_append(Table *table, Bytes payload, Stamp stamp, Error *err);
NODISCARD ErrorCode table_redo_end(Table *table, Bytes payload, Stamp stamp, Error *err);
NODISCARD ErrorCode table_redo_parts(Table *table, Bytes payload, Stamp stamp, Error *err);
void table_redo_finish(Table *table);                                                      /* recovery is over */
/* The rows a snapshot sees, as operations: what a checkpoint keeps of memory parts. One emit call per operation. */
typedef ErrorCode (*TableEmit)(void *context, Bytes operation, Error *err);
NODISCARD ErrorCode table_image(Table *table, const Snapshot *snapshot, TableEmit emit, void *context, Error *err);

/* ---- flush and merge: parts rewritten into segments, published by one record ---- */
typedef struct Rewrite Rewrite;
typedef struct FlushPolicy {
    size_t seal_bytes;           /* an active memory part of at least that many bytes is sealed; 0 = any with rows */
    bool sealed_only;
    bool keep_tail;              /* rows of the newest partition that do not fill a block stay in memory */
} FlushPolicy;
/* A memory part that is due, or NULL. A sealed part is due once the transactions that wrote to it have ended. */
Rewrite *table_flush_pick(Table *table, const FlushPolicy *policy);
Rewrite *table_merge_pick(Table *table, uint64_t horizon);
/* Reads the inputs and writes the new segments. No lock is held. */
NODISCARD ErrorCode table_rewrite_run(Rewrite *rewrite, const TableDef *def, uint64_t horizon, Error *err);
/* Under the engine's publish gate, with nothing unpublished in the log: puts the new parts in place with the stamp and encodes the
 * record. false: an input was truncated meanwhile; abort. */
bool table_rewrite_install(Rewrite *rewrite, Stamp stamp, Buffer *out);
void table_rewrite_settle(Rewrite *rewrite, uint64_t lsn);
void table_rewrite_abort(Rewrite *rewrite); /* installed or not: everything is as before */
void table_rewrite_abandon(Rewrite *rewrite); /* installed, and the log died: only a start knows what holds */
void table_rewrite_free(Rewrite *rewrite);

/* Rows of the transaction's writes from `first_write` on leave memory for segments of their own (bulk by reference). */
NODISCARD ErrorCode table_spill(Table *table, TableWriter *writer, const TableDef *def, size_t first_write, Error *err);
bool table_rows_pinned(Table *table, const WriteSet *writes, size_t first_write); /* a scan holds parts that these rows lie in */
uint64_t table_rows_written(const Table *table, const WriteSet *writes, size_t first_write); /* rows in memory, not yet committed */

NODISCARD ErrorCode table_redo_index_run(Table *table, Bytes payload, Error *err);
NODISCARD ErrorCode table_redo_segment(Table *table, Bytes payload, Stamp stamp, Error *err);
NODISCARD ErrorCode table_redo_publish(Table *table, Bytes payload, Stamp stamp, Error *err);
void table_kill_files(Table *table, uint64_t lsn); /* the table is dropped: its files are dead from lsn on */
bool table_names_file(Table *table, uint64_t file_id);
/* Every segment read and compared with its statistics. */
NODISCARD ErrorCode table_check(Table *table, Buffer *report, Error *err);

/* Frees what no snapshot at or above the horizon sees; parts themselves once every transaction has begun after their end. */
void table_collect(Table *table, uint64_t horizon, uint64_t begin_horizon);

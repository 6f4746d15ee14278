/* SPDX-License-Identifier: Apache-2.0
 * exec.h - runs a plan: batches out at the root, or rows into storage.
 *
 * Life cycle: run_open -> run_next* -> run_close. All state lies in the Run's structs: between two calls no thread is held, so a
 *             slow client or a portal parks the run by not calling.
 * Threads:    a Run belongs to one thread at a time; helpers of the pool work only inside run_next. Cancel is the atomic in
 *             QueryControl, set from any thread.
 * Limits:     memory_limit bytes per run: ERR_OUT_OF_MEMORY (53200) names the limit. Cancel and deadline are looked at once a batch.
 * Tests:      test/unit/sql/exec/ */
#pragma once
#include "os/os.h"
#include "sql/plan/plan.h"
#include <stdatomic.h>

typedef struct Run Run;

/* Threads that help with morsels; one pool per engine. worker_pool_open with helper_count 0 is legal: the caller's thread does all. */
typedef struct WorkerPool WorkerPool;
NODISCARD ErrorCode worker_pool_open(Sched *sched, int helper_count, WorkerPool **pool_out, Error *err);
void worker_pool_close(WorkerPool *pool); /* joins the threads; NULL is fine */

typedef struct QueryControl {
    atomic_int cancel;          /* != 0: the run ends with ERR_CANCELED */
    int64_t deadline_nanos;     /* monotonic; 0 or INT64_MAX = none; past it: ERR_TIMEOUT */
    Clock *clock;               /* needed with a deadline */
} QueryControl;
NODISCARD ErrorCode query_control_check(QueryControl *control, Error *err); /* ERR_CANCELED or ERR_TIMEOUT; NULL: none. Thread-safe, 1 load without a deadline */

/* Everything must outlive the run; params are copied by reference, so the values stay put. */
typedef struct RunContext {
    Storage *storage;           /* NULL: the plan may not scan tables */
    CatalogView *catalog;       /* for tables() and its kin; may be NULL */
    const Value *params;        /* one per parameter, of exactly the inferred types */
    uint32_t param_count;
    const FunctionEnvironment *environment;
    WorkerPool *pool;           /* NULL: no helpers */
    int workers;                /* threads to use at most, the caller's included; 0 = all of the pool + 1 */
    QueryControl *control;      /* NULL: no cancel, no time-out */
    size_t memory_limit;        /* bytes; 0 = 256 MiB */
    Clock *analyze_clock;       /* EXPLAIN ANALYZE: operators are timed; NULL: only rows and batches are counted */
} RunContext;

NODISCARD ErrorCode run_open(const Plan *plan, const RunContext *context, Run **run_out, Error *err);
/* *batch_out = NULL at the end. Valid until the next call. Some rows may be dead (batch->live); forms FLAT, CONSTANT, INDEXED. */
NODISCARD ErrorCode run_next(Run *run, Batch **batch_out, Error *err);
void run_close(Run *run);       /* NULL is fine */

/* DML: run the plan to its end into storage. rows_out: rows inserted, updated, deleted. On an error the transaction is to be rolled
 * back to the statement's mark. Rows are collected before the first change (no statement sees its own rows). Without RETURNING: run_insert, run_update, run_delete. */
/* Rows of RETURNING, kept until the statement ends; NULL from run_* if it has none. */
typedef struct DmlRows DmlRows;
typedef enum DmlKind { DML_INSERT, DML_UPDATE, DML_DELETE } DmlKind;
NODISCARD ErrorCode run_dml(const Plan *plan, const RunContext *context, const TableDef *table, DmlKind kind, uint64_t *rows_out, DmlRows **returned_out, Error *err);
Batch *dml_rows_next(DmlRows *rows); /* NULL at the end */
void dml_rows_close(DmlRows *rows);  /* NULL is fine */
NODISCARD ErrorCode run_insert(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err);
NODISCARD ErrorCode run_update(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err);
NODISCARD ErrorCode run_delete(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err);

/* EXPLAIN ANALYZE: after run_next gave NULL: the plan's lines with rows, batches, time, scan counters. */
void run_explain(const Run *run, Buffer *out);

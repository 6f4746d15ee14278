/* SPDX-License-Identifier: Apache-2.0
 * exec_internal.h - what the files of sql/exec share: frames of programs, operators, the run and its budget.
 *
 * Threads:    a Frame and an Operator belong to one worker. Shared states (join tables, merged groups) are written by the session's
 *             thread before helpers read them, or merged by it after they ended. */
#pragma once
#include "base/hash.h"
#include "column/value_rules.h"
#include "sql/exec/exec.h"
#include "sql/plan/physical.h"
#include "sql/plan/program_value.h"

#define MEMORY_LIMIT_DEFAULT ((size_t)256 << 20)
enum { WORKERS_MAX = 64 };

typedef struct Operator Operator;

/* ---- budget ---- */
/* Reserved in steps by every growing state of a run; any thread. */
typedef struct Budget { _Atomic size_t used; size_t limit; } Budget;
NODISCARD ErrorCode budget_reserve(Budget *budget, size_t bytes, Error *err);
void budget_release(Budget *budget, size_t bytes);
/* An arena's growth since *seen is reserved; call once a batch. */
NODISCARD ErrorCode budget_follow(Budget *budget, const Arena *arena, size_t *seen, Error *err);

/* ---- frames ---- */
typedef struct StepState StepState;
typedef struct SubqueryState {  /* one per subquery of the plan, in the run */
    bool done, is_null, has_null;
    Value value;
    uint64_t *slots;            /* SUBQUERY_SET: hash of value -> place + 1 */
    Value *values;
    size_t slot_count, value_count, value_capacity;
    struct ApplyMemo *memo;     /* lazy: results by outer values */
    Error *failure;             /* what it raised: told to the first row that asks for it */
} SubqueryState;
NODISCARD ErrorCode subquery_check(const SubqueryState *state, Error *err);

typedef struct Frame {
    const Program *program;
    Run *run;
    Arena keep, scratch;        /* life of the frame; of one batch */
    Vector *own;                /* one per register */
    Vector **slots;             /* register -> its vector of this batch */
    void **buffers;             /* data of temporaries, allocated on first use */
    uint64_t (*masks)[BATCH_WORDS];
    bool *mask_empty;
    StepState *states;
    uint64_t *bool_words;       /* constants of type boolean */
    size_t budget_seen_keep, budget_seen_scratch;
    uint16_t row_count;
    uint32_t live_count;
} Frame;

NODISCARD ErrorCode frame_open(Run *run, const Program *program, Frame **frame_out, Error *err);
void frame_close(Frame *frame);  /* NULL is fine */
/* Runs all steps over the batch's live rows. NULL batch: one row without columns. Outputs are valid until the next run of the frame. */
NODISCARD ErrorCode frame_run(Frame *frame, Batch *in, Error *err);
static inline Vector *frame_output(Frame *frame, uint32_t output) { return frame->slots[frame->program->outputs[output]]; }
/* Register as FLAT. */
NODISCARD ErrorCode frame_flat(Frame *frame, RegisterNumber reg, Vector **vector_out, Error *err);
/* Output as FLAT or CONSTANT. */
NODISCARD ErrorCode frame_output_dense(Frame *frame, uint32_t output, Vector **vector_out, Error *err);
/* Output as FLAT. */
NODISCARD ErrorCode frame_output_flat(Frame *frame, uint32_t output, Vector **vector_out, Error *err);
Value value_keep(const Value *value, Arena *arena); /* a copy whose text and digits lie in the arena */
/* Runs a program without inputs once; values_out: one per output, texts in arena. */
NODISCARD ErrorCode program_constants(Run *run, const Program *program, Arena *arena, Value *values_out, Error *err);
NODISCARD ErrorCode program_subqueries(Run *run, const Program *program, Error *err); /* session's thread: each runs once */

/* Steps, one file a family. */
NODISCARD ErrorCode step_call(Frame *frame, const Step *step, StepState *state, Error *err);
NODISCARD ErrorCode step_logic(Frame *frame, const Step *step, Error *err);
NODISCARD ErrorCode step_blend(Frame *frame, const Step *step, Error *err);
NODISCARD ErrorCode step_in_list(Frame *frame, const Step *step, StepState *state, Error *err);
NODISCARD ErrorCode step_time_in(Frame *frame, const Step *step, Error *err);
NODISCARD ErrorCode step_in_rel(Frame *frame, const Step *step, Error *err);
NODISCARD ErrorCode step_apply(Frame *frame, const Step *step, Error *err);
void apply_memo_free(struct ApplyMemo *memo); /* NULL is fine */
NODISCARD ErrorCode step_symbol_equal(Frame *frame, const Step *step, Error *err);
NODISCARD ErrorCode step_symbol_map(Frame *frame, const Step *step, StepState *state, Error *err);

struct StepState {
    bool ready;
    uint64_t counter;                               /* CALL: what a volatile kernel counts */
    uint64_t *set_slots; size_t set_slot_count;     /* IN_LIST: open addressing over the set's values, place + 1 */
    Frame *sub;                                     /* SYMBOL_MAP */
    uint8_t *memo; size_t memo_count;               /* SYMBOL_MAP to boolean: 0 unknown, 1 false, 2 true, 3 null; place 0 = the null symbol */
    uint16_t *places; uint32_t *stamps; uint32_t stamp; size_t place_count;
};

/* A temporary's vector, FLAT over its buffer, validity NULL; constant_out: as CONSTANT. */
Vector *frame_temp(Frame *frame, const Step *step, bool constant);
/* TEMP boolean: value words and validity words to write (validity all ones at first only if asked). */
typedef struct BoolOut { uint64_t *value, *valid; } BoolOut;
BoolOut frame_bool(Frame *frame, const Step *step);
void frame_null(Frame *frame, const Step *step); /* the step's answer is NULL in every row */
/* Value and validity words of a boolean vector that is FLAT or CONSTANT; spare: 2 x BATCH_WORDS for constants. */
typedef struct BoolIn { const uint64_t *value, *valid; } BoolIn; /* valid NULL = no nulls */
NODISCARD ErrorCode frame_bool_in(Frame *frame, RegisterNumber reg, BoolIn *in_out, Error *err);
uint64_t *frame_words(Frame *frame);   /* BATCH_WORDS words of scratch, zeroed */
static inline bool words_empty(const uint64_t *words) {
    uint64_t any = 0;
    for (size_t w = 0; w < BATCH_WORDS; w++) {
        any |= words[w];
    }
    return any == 0;
}

/* ---- operators ---- */
typedef struct OperatorType {
    const char *name;
    ErrorCode (*prepare)(Operator *op, Error *err); /* before the first next, session's thread, inputs first; NULL: nothing to do */
    ErrorCode (*next)(Operator *op, Batch **batch_out, Error *err);
    void (*close)(Operator *op);                /* its own state; inputs are closed by operator_close */
} OperatorType;

typedef struct OpCounters { _Atomic uint64_t rows, batches, nanos; } OpCounters;

/* One worker's instance of one plan operator. */
struct Operator {
    const OperatorType *type;
    const PlanOp *plan;
    Run *run;
    Operator *inputs[2];
    uint32_t worker;            /* 0 = the session's thread */
    Batch batch;                /* what next hands out */
    Vector *columns;            /* of batch */
};

struct Run {
    const Plan *plan;
    RunContext context;
    Budget budget;
    Arena arena;                /* of the run */
    Operator *root;
    OpCounters *counters;       /* one per plan operator */
    void **shared;              /* one per plan operator: scans, join tables */
    SubqueryState *subqueries;
    Arena results;              /* values of subqueries: they outlive the executions of the plans around them */
    struct RowStore **working;  /* rows of the round before, by number; set while a recursion's step runs */
    Value *outer;               /* values of enclosing queries' columns for the subplan that runs now */
    void (**shared_close)(void *shared); /* one per plan operator */
    bool prepared, finished, failed;
};

NODISCARD ErrorCode run_check(Run *run, Error *err);            /* cancel, deadline */
/* ---- plans that run more than once (subplan.c) ---- */
/* What the run allocates while it is inside one of these calls goes into `arena`, which the caller resets after close. */
typedef struct Subplan { Operator *op; Arena saved; Arena *arena; const PlanOp *plan; } Subplan;
NODISCARD ErrorCode subplan_open(Run *run, const PlanOp *plan, Arena *arena, Subplan *subplan, Error *err); /* also after an error: close */
NODISCARD ErrorCode subplan_next(Run *run, Subplan *subplan, Batch **batch_out, Error *err);
NODISCARD ErrorCode subplan_drain(Run *run, Subplan *subplan, struct RowStore *store, Error *err); /* all that is left */
void subplan_close(Run *run, Subplan *subplan);
NODISCARD ErrorCode subquery_value(Run *run, const Subquery *subquery, const Value *left, Arena *arena, Value *value_out, Error *err);
/* Opens an instance of op and of the streaming operators below it. */
NODISCARD ErrorCode operator_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode operator_next(Operator *op, Batch **batch_out, Error *err); /* counts, checks cancel; skips empty batches */
void operator_close(Operator *op);
/* For the open functions of operator files. They set *op_out before anything can fail: after an error operator_open closes it. */
#define operator_new(Type, run, plan, worker, type) ((Type *)operator_alloc(sizeof(Type), (run), (plan), (worker), (type)))
Operator *operator_alloc(size_t bytes, Run *run, const PlanOp *plan, uint32_t worker, const OperatorType *type);

NODISCARD ErrorCode op_scan_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_values_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_table_call_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_filter_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_project_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_limit_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_union_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_aggregate_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_distinct_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_sample_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_sort_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_join_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_latest_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_apply_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_recurse_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_working_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_window_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);
NODISCARD ErrorCode op_set_op_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err);

/* Shared states are made by the session's thread, before helpers run. */
/* Shared states (run->shared) are made by worker 0's instance, which is opened first. */
NODISCARD ErrorCode operator_prepare(Operator *op, Error *err);
/* Morsel by morsel, for aggregates that may take a morsel's statistics and not read it. */
bool scan_take_morsel(Operator *scan, Morsel *morsel_out);
void scan_explain(const Run *run, const PlanOp *plan, Buffer *out); /* EXPLAIN ANALYZE: what storage read and pruned */
void scan_start_morsel(Operator *scan, const Morsel *morsel);
NODISCARD ErrorCode scan_read_morsel(Operator *scan, Batch **batch_out, Error *err); /* NULL: the morsel is done */
ScanCursor *scan_cursor(Operator *scan, Scan **scan_out, RowSource **source_out); /* NULL: no row can qualify */

/* ---- helpers ---- */
typedef ErrorCode (*WorkerMain)(void *argument, uint32_t worker, Error *err);
/* Calls main(argument, w) for w = 0..count-1, w = 0 on this thread, the rest on helpers as far as there are some (else never: count
 * is only an upper bound). Returns the first error. */
NODISCARD ErrorCode worker_pool_run(WorkerPool *pool, uint32_t count, WorkerMain main, void *argument, Error *err);
uint32_t worker_pool_helpers(const WorkerPool *pool);
/* How many workers the pipeline that begins below may have: 1 unless it streams from a table scan of several morsels. */
uint32_t pipeline_workers(Run *run, const PlanOp *plan);

/* ---- rows kept: column chunks that grow (rows.c) ---- */
/* Copies of batches' live rows, FLAT, in chunks of BATCH_ROWS; texts in the same arena. */
typedef struct RowChunk { Vector *columns; uint16_t row_count; } RowChunk;
typedef struct RowStore RowStore;
struct RowStore {
    Arena arena;
    const RelColumn *columns;
    uint32_t column_count;
    RowChunk *chunks;
    uint32_t chunk_count, chunk_capacity;
    uint64_t row_count;
    size_t budget_seen;
};
void rowstore_init(RowStore *store, const RelColumn *columns, uint32_t column_count);
void rowstore_deinit(RowStore *store, Budget *budget);
void rowstore_clear(RowStore *store);   /* forgets the rows, keeps the memory */
NODISCARD ErrorCode rowstore_append(RowStore *store, Batch *batch, Arena *scratch, Budget *budget, Error *err);
NODISCARD ErrorCode rowstore_drain(RowStore *store, Operator *input, Error *err); /* all batches of input */
/* out (FLAT vectors of scratch) = rows numbers[0..count-1]. UINT32_MAX: a row of NULLs. */
void rowstore_gather(const RowStore *store, const uint32_t *numbers, uint16_t count, Vector *columns_out, Arena *scratch);
void rowstore_gather_some(const RowStore *store, const uint32_t *numbers, uint16_t count, uint32_t column_count, Vector *columns_out, Arena *scratch);
/* One value with its texts copied; into is a FLAT vector of vector_new. */
void vector_copy_value(Vector *into, Arena *arena, size_t row, const Vector *from, size_t from_row);
NODISCARD ErrorCode batch_dense(const Batch *batch, Vector *columns_out, Arena *arena, Error *err); /* its columns, FLAT or CONSTANT */
uint16_t batch_live_rows(const Batch *batch, uint16_t *picked); /* numbers of the live rows */

/* ---- LIMIT's constants ---- */
typedef struct LimitCounts { bool has_low, has_high, has_offset; int64_t low, high, offset; } LimitCounts;
NODISCARD ErrorCode limit_counts(Run *run, const PlanOp *plan, bool has_low, bool has_high, bool has_offset, LimitCounts *out, Error *err);

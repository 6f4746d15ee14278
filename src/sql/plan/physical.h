/* SPDX-License-Identifier: Apache-2.0
 * physical.h - the plan as sql/exec reads it: a tree of physical operators with programs over column positions.
 *
 * Layout:     every operator lists its output columns; its programs read the input operator's columns by position.
 * Invariants: immutable; ids number the operators of one plan from 0, so that runs keep their state in arrays. */
#pragma once
#include "sql/plan/program.h"

typedef enum PlanOpKind {
    PLAN_SCAN, PLAN_VALUES, PLAN_TABLE_CALL, PLAN_FILTER, PLAN_PROJECT, PLAN_LIMIT, PLAN_UNION, PLAN_AGGREGATE, PLAN_SAMPLE,
    PLAN_SORT, PLAN_JOIN, PLAN_LATEST, PLAN_SET_OP, PLAN_APPLY, PLAN_WINDOW, PLAN_RECURSE, PLAN_WORKING, PLAN_OP_KINDS
} PlanOpKind;

typedef struct PlanOp PlanOp;

/* Bound on the designated timestamp, known when the run opens: column op value, value = output `output` of the scan's program. */
typedef struct TimeBound { uint8_t op; uint32_t output; } TimeBound;
typedef struct TimeRanges { const KeyRange *ranges; uint32_t count; } TimeRanges;
/* column op value(s), as ScanFilter; outputs of the scan's program. column: place in the scan's columns. */
typedef struct PlanFilter { uint16_t column; uint8_t op; bool prune_only; uint32_t output; } PlanFilter;

/* The index by which rows are found: leading keys equal outputs of the scan's constants, the next one between bounds. Storage may read the
 * whole table instead; the conditions stand in the filter above all the same. */
typedef struct PlanIndex {
    const IndexDef *index;
    uint16_t equal_count;
    const uint32_t *equal;      /* outputs, one a leading key */
    const uint8_t *types;       /* of those keys and the next; a bound may be a wider integer */
    const uint32_t *in; uint32_t in_count; /* the last of those keys has one of these values instead; in_count 0 = no list */
    bool has_low, has_high, low_open, high_open;
    uint32_t low, high;         /* outputs */
} PlanIndex;

typedef struct PlanAggregate {
    const Aggregate *aggregate;
    const void *prepared;
    Type type;                  /* of the result */
    uint32_t args[4];           /* outputs of the program */
    uint8_t arg_count;
    bool distinct, has_filter;
    uint32_t filter;            /* output of the program */
    const SymbolTable *symbols;
    uint32_t state_offset;      /* in the row of states */
    int16_t stats_column;       /* scan column whose statistics answer it; -1: none; count(*): -2 */
} PlanAggregate;

typedef struct PlanSortKey { Type type; bool descending, nulls_first; const SymbolTable *symbols; } PlanSortKey;
typedef struct PlanFill { uint8_t kind; uint32_t output; Type type; } PlanFill; /* output of the constants program */

typedef struct PlanWindowItem {
    uint8_t kind;               /* WindowKind */
    PlanAggregate call;         /* arguments, filter; aggregate and state for WINDOW_AGGREGATE */
    uint8_t mode, start, end, exclude;
    uint32_t start_offset, end_offset;  /* ROWS, GROUPS: outputs of constants; RANGE: of program */
    uint32_t key;               /* RANGE with an offset: output of program */
    bool key_descending, key_nulls_first;
} PlanWindowItem;

struct PlanOp {
    uint8_t kind;
    uint32_t id;
    uint32_t column_count;
    const RelColumn *columns;
    const PlanOp *inputs[2];
    const Program *program;     /* over inputs[0]'s columns; see each kind */
    const Program *constants;   /* over no columns: limits, time bounds, fill values, arguments */
    ColumnId order_column;      /* proven order of the output, 0 = none */
    bool order_descending;
    bool correlated;            /* it or an operator below reads Run.outer: what it shares does not outlive one execution */
    union {
        struct {
            const TableDef *table;
            const uint16_t *numbers;        /* table's column numbers, one per column but the row_ref's */
            uint16_t number_count;
            bool want_refs;                 /* the last column is the row's place */
            uint8_t order;                  /* ScanOrder */
            const TimeBound *bounds; uint32_t bound_count;
            const TimeRanges *ranges; uint32_t range_count;
            const PlanFilter *filters; uint16_t filter_count;
            const PlanIndex *index;         /* NULL: all rows */
            bool residual;                  /* a filter stands above, for EXPLAIN and statistics */
        } scan;
        struct {                                            /* row-major cells: a value, or NULL: output outputs[cell] of constants */
            uint32_t row_count;
            const Value **cells; uint32_t *outputs;
        } values;
        struct { bool pushed; } filter;                     /* storage has all of it as filters: done where a batch says so (Batch.filtered) */
        struct { uint32_t function; } table_call;           /* constants: arguments */
        /* constants: low, high, offset as far as given, in that order */
        struct { bool has_low, has_high, has_offset, range, reversed; } limit; /* reversed: LIMIT -n over a backward input, turned round */
        struct { const PlanOp *const *arms; uint32_t arm_count; } union_all;
        struct {                                            /* program: groups, then arguments and filters */
            uint32_t group_count;
            PlanAggregate *aggregates; uint32_t aggregate_count;
            uint32_t state_bytes;
            bool array_groups;                              /* may be found by code */
            bool stats_answers;                             /* input is a bare scan */
            bool ordered;                                   /* some aggregate needs RowPosition */
            bool serial;                                    /* DISTINCT arguments: one worker */
            bool distinct;                                  /* no aggregates: SELECT DISTINCT, first occurrences in order */
            bool distinct_on;                               /* columns are the input's, the groups only decide */
        } aggregate;
        struct {                                            /* program: timestamp, keys, arguments and filters */
            uint32_t key_count;
            PlanAggregate *aggregates; uint32_t aggregate_count;
            uint32_t state_bytes;
            int64_t step; uint8_t unit;
            PlanFill *fills;                                /* one per aggregate or NULL */
            bool first_observation; const Zone *zone; int64_t offset_micros;
            bool has_from, has_to; uint32_t from_output, to_output; /* outputs of constants */
            Type timestamp_type;
            bool serial, array_groups;
        } sample;
        struct {                                            /* program: keys; constants: limit as in `limit` */
            PlanSortKey *keys; uint32_t key_count;
            bool has_limit, has_offset;                     /* top-k: LIMIT high [OFFSET offset] */
            bool reverse_ties;
        } sort;
        struct {                                            /* program: left keys; right_program: right keys */
            uint8_t kind;                                   /* JoinKind */
            uint32_t key_count;
            Type *key_types;
            const Program *right_program;
            const Program *residual;                        /* over left then right columns */
        } join;
        struct {                                            /* program: timestamp, keys */
            uint32_t key_count;
            int16_t symbol;                                 /* table column for source->latest, -1: not plain */
        } latest;
        struct { uint8_t op; bool all; } set_op;
        struct {                                            /* program: the left values that the right side reads; columns: left, right */
            uint8_t kind;                                   /* JOIN_INNER or JOIN_LEFT */
            const uint32_t *slots; uint32_t slot_count;     /* Run.outer places of the program's outputs */
        } apply;
        struct { uint32_t working; bool all; } recurse;     /* inputs: first rows, step. program: all columns, for the rows seen */
        struct { uint32_t number, keeper; const PlanOp *query; } working; /* query: computes the rows, once, when they are first read, kept in Run.shared[keeper]; NULL: a recursion does */
        struct {                                            /* program: partition keys, order keys, then what items read; input is sorted */
            uint32_t partition_count, order_count;
            PlanWindowItem *items; uint32_t item_count;     /* columns: the input's, then one per item */
        } window;
    } as;
};

/* What INSERT, UPDATE and DELETE do besides storing rel's rows. */
typedef struct PlanDml {
    const RelColumn *rows; uint32_t row_count;              /* what RETURNING reads: see BoundStatement */
    const RelColumn *returned; uint32_t returned_count;     /* 0: no RETURNING */
    const Program *returning;                               /* over rows */
    const bool *assigned;                                   /* UPDATE: see Storage.assigned; NULL = any */
    bool conflict, update;                                  /* ON CONFLICT; DO UPDATE */
    uint32_t index_id;
    bool has_where;
    const Program *set;                                     /* over the row there is, then the one to come: [where], then the table's columns */
} PlanDml;

struct Plan {
    const PlanOp *root;
    const PlanDml *dml;         /* NULL: nothing besides */
    uint32_t op_count, subquery_count, outer_count, working_count;
    uint32_t passes_fired;
    bool is_volatile;
};

const char *plan_op_name(PlanOpKind kind);
/* The operator's own line(s), without its inputs; used by EXPLAIN and EXPLAIN ANALYZE. */
void plan_op_explain(const PlanOp *op, Buffer *out);

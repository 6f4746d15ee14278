/* SPDX-License-Identifier: Apache-2.0
 * plan_internal.h - what the files of sql/plan share: the context of one planning, sets of column ids, program building, lowering. */
#pragma once
#include "base/hash.h"
#include "sql/plan/physical.h"

enum { PLAN_OPS_MAX = 100000, PLAN_DEPTH_MAX = 2000, PLAN_CELLS_MAX = 100000000 };

/* What computes rows for several readers is lowered once; `keeper` is a number of an operator that stands in no tree, so that no subplan drops the rows. */
typedef struct PlanOnce { const PlanOp *query; uint32_t keeper; } PlanOnce;

typedef struct PlanContext {
    Arena *arena;
    const PlanOptions *options;
    uint32_t op_count, subquery_count;
    uint32_t passes_fired;          /* bits of PlanPass */
    uint32_t depth;
    ColumnId *outer_ids;            /* Run.outer place -> column of an enclosing query */
    uint32_t outer_count, outer_capacity;
    uint32_t working_count, apply_count;
    PlanOnce *once;                 /* one a place in Run.working; see PlanOnce */
} PlanContext;

static inline bool pass_on(const PlanContext *context, PlanPass pass) {
    return (context->options->passes_off & (1u << pass)) == 0;
}

/* ---- sets of column ids ---- */
typedef struct IdSet { Arena *arena; uint64_t *words; size_t word_count; } IdSet; /* grows with the ids added */
IdSet idset_new(PlanContext *context);
IdSet idset_copy(PlanContext *context, IdSet set);
void idset_add(IdSet *set, ColumnId id);
bool idset_has(IdSet set, ColumnId id);
void idset_add_expr(IdSet *set, const Expr *expr);             /* all columns that it reads */
bool expr_reads_only(const Expr *expr, IdSet set);
uint32_t plan_outer_slot(PlanContext *context, ColumnId id);
bool expr_reads_nothing(const Expr *expr);                     /* no column: constant, parameter, stable call, subquery */

/* ---- expressions ---- */
/* A copy of expr in which each column with ids[i] is replaced by replacement[i]; unchanged parts are shared. */
const Expr *expr_replace(PlanContext *context, const Expr *expr, const ColumnId *ids, const Expr *const *replacements, uint32_t count);
const Expr *plan_expr_column(PlanContext *context, const RelColumn *column);
bool expr_is_column(const Expr *expr, ColumnId *id_out);
bool expr_pure(const Expr *expr);                              /* may be moved: not volatile */
/* "=", "<", … : true if expr is a call of that comparison; "!=" and "<>" both are FILTER_NE. */
bool expr_comparison(const Expr *expr, FilterOp *op_out);
/* Value of an expression that folds to a constant. */
bool expr_fold(PlanContext *context, const Expr *expr, Value *value_out);

/* ---- programs ---- */
NODISCARD ErrorCode program_build(PlanContext *context, const RelColumn *inputs, uint32_t input_count, const Expr *const *exprs,
                                  uint32_t expr_count, const Program **program_out, Error *err);
bool program_fold_call(PlanContext *context, const Function *function, const void *prepared, const Register *const *args, uint32_t arg_count,
                       Type type, Value *value_out);
Value value_null(Type type);

/* ---- lowering ---- */
typedef struct ExprList { const Expr **items; uint32_t count, capacity; } ExprList;
void exprlist_add(PlanContext *context, ExprList *list, const Expr *expr);
void exprlist_add_conjuncts(PlanContext *context, ExprList *list, const Expr *condition); /* splits AND */

/* What the parent asks of a relation. */
typedef struct Need {
    IdSet columns;              /* ids that are read above */
    ExprList filters;           /* conjuncts over the relation's columns, to be applied (pushed as far down as they go) */
    bool order;                 /* the relation's own order must be kept */
    bool descending;            /* …reversed: only asked where rel_can_reverse said so */
} Need;
NODISCARD ErrorCode lower_rel(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
PlanOp *plan_op_new(PlanContext *context, PlanOpKind kind);
NODISCARD ErrorCode lower_filter_on(PlanContext *context, PlanOp *input, const ExprList *filters, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_project_on(PlanContext *context, PlanOp *input, const RelColumn *columns, const Expr *const *exprs, uint32_t count,
                                     PlanOp **op_out, Error *err);
bool rel_can_reverse(const Rel *rel, ColumnId column);
NODISCARD ErrorCode lower_scan(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
/* Inner joins of three relations and more in an order without cross products. *done_out false: the written order is as good. */
NODISCARD ErrorCode lower_join_order(PlanContext *context, Rel *rel, const Need *need, bool *done_out, PlanOp **op_out, Error *err);
/* A scan inside a subquery whose rows are found by values of the query around. */
NODISCARD ErrorCode lower_probe(PlanContext *context, Rel *rel, const Need *need, bool *done_out, PlanOp **op_out, Error *err);
const Expr *plan_equality(PlanContext *context, const Expr *left, const Expr *right);  /* NULL: no such operator */
NODISCARD ErrorCode lower_apply(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
bool plan_mark_correlated(const PlanOp *op);    /* sets `correlated` below; true if the root is */
NODISCARD ErrorCode lower_join(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_aggregate(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_sample(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_recurse(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_all_columns(PlanContext *context, Rel *rel, bool order, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_window(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
typedef struct Outputs { const Expr **items; uint32_t count; } Outputs; /* expressions of a program, in the order of its outputs */
static inline uint32_t plan_output(Outputs *outputs, const Expr *expr) { outputs->items[outputs->count] = expr; return outputs->count++; }
NODISCARD ErrorCode plan_aggregate(PlanContext *context, const AggregateExpr *expr, Outputs *outputs, uint32_t *state_bytes, PlanAggregate *out, Error *err);
NODISCARD ErrorCode lower_distinct(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_sort(PlanContext *context, Rel *rel, const Need *need, const Rel *limit, PlanOp **op_out, Error *err);
NODISCARD ErrorCode lower_latest(PlanContext *context, Rel *rel, const Need *need, PlanOp **op_out, Error *err);
int plan_column_position(const PlanOp *op, ColumnId id);       /* -1: absent */

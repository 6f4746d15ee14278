/* SPDX-License-Identifier: Apache-2.0
 * plan.h - from a bound relation to an immutable plan: passes over the Rel tree, physical operators, programs for expressions.
 *
 * Life cycle: plan_create (statement arena and plan arena stay alive) -> any number of runs in sql/exec -> the arenas are reset.
 *             A plan points into the bound statement (constants, table definitions, prepared states).
 * Threads:    immutable once made; any number of runs at a time.
 * Tests:      test/unit/sql/exec/: plans are tested by their answers */
#pragma once
#include "sql/bind/bound.h"

typedef struct Plan Plan;

/* Each pass can be left out: the answer's values must not change (that is a test). */
#define PLAN_PASSES(X)                                                                                                 \
    X(FOLD, "fold", "constant calls are computed once, at plan time")                                                  \
    X(PUSH_FILTERS, "push_filters", "conditions move down to the scan; time ranges and one-column filters prune")      \
    X(LIMITS, "limits", "LIMIT sinks below projections; ORDER BY with LIMIT becomes top-k")                            \
    X(DROP_UNUSED, "drop_unused", "columns that nobody reads are not produced")                                        \
    X(ORDER_USE, "order_use", "a sort on an order that the source has is left out")                                    \
    X(STATS_ANSWERS, "stats_answers", "count, min, max and sum come from block statistics")                            \
    X(ARRAY_GROUPS, "array_groups", "groups of symbols and small integers are found by code, not by hash")             \
    X(PARALLEL, "parallel", "morsels are shared among workers")                                                        \
    X(INDEX_USE, "index_use", "keys that are compared with constants are looked up in an index")                       \
    X(LATEST_INDEX, "latest_index", "LATEST ON asks storage for the last row of each symbol")

typedef enum PlanPass {
#define X(id, name, text) PASS_##id,
    PLAN_PASSES(X)
#undef X
        PASS_COUNT
} PlanPass;

typedef struct PlanOptions {
    const FunctionEnvironment *environment; /* for prepare of functions and constant folding */
    CatalogView *catalog;                   /* statistics; may be NULL */
    uint32_t passes_off;                    /* bit 1 << PlanPass */
} PlanOptions;

/* The statement's rel: SELECT, EXPLAIN (the plan of the explained query), INSERT, UPDATE, DELETE, CTAS, SHOW. Errors: what cannot be
 * run is ERR_NOT_SUPPORTED and named; too many operators or columns ERR_TOO_COMPLEX. */
NODISCARD ErrorCode plan_create(const BoundStatement *statement, const PlanOptions *options, Arena *arena, Plan **plan_out, Error *err);

uint32_t plan_column_count(const Plan *plan);
/* One line an operator, indented by depth, '\n' after each. verbose adds the programs' steps and the passes that fired. */
void plan_explain(const Plan *plan, bool verbose, Buffer *out);
/* What plan_explain (not verbose) or run_explain wrote, as PostgreSQL's FORMAT JSON nests it, on one line. */
void plan_explain_json(Str text, Buffer *out);

/* SPDX-License-Identifier: Apache-2.0
 * subplan.c - plans that run several times within one run: correlated subqueries, the right side of LATERAL, steps of a recursion.
 *
 * Why:        operators are opened anew for each execution, so that whatever depends on the outer values (bounds of scans, filters,
 *             limits) is computed again by the code that computes it once. What does not depend on them and is dear, the tables of hash
 *             joins, is kept in Run.shared from one execution to the next.
 * Invariants: what an execution allocates from the run's arena goes into the caller's arena, or the run would grow with every row. */
#include "sql/exec/exec_internal.h"

static void drop_one(Run *run, const PlanOp *op) {
    if (run->shared[op->id] != NULL && run->shared_close[op->id] != NULL) {
        run->shared_close[op->id](run->shared[op->id]);
    }
    run->shared[op->id] = NULL;
}

/* The table of a join may be probed again: nothing on its right side depends on the outer values, and no row is marked in it. */
static bool keeps_table(const PlanOp *op) {
    bool marks = op->as.join.kind == JOIN_RIGHT || op->as.join.kind == JOIN_FULL;
    return op->kind == PLAN_JOIN && !marks && !op->inputs[1]->correlated && !op->as.join.right_program->reads_outer;
}

static void drop_shared(Run *run, const PlanOp *op, bool keep_tables) {
    bool keep = keep_tables && keeps_table(op);
    if (!keep) {
        drop_one(run, op);
    }
    for (size_t i = 0; i < 2; i++) {
        if (op->inputs[i] != NULL) {
            drop_shared(run, op->inputs[i], keep_tables && !(keep && i == 1)); /* below a table that is built nothing is needed */
        }
    }
    for (uint32_t i = 0; op->kind == PLAN_UNION && i < op->as.union_all.arm_count; i++) {
        drop_shared(run, op->as.union_all.arms[i], keep_tables);
    }
}

static void enter(Run *run, Subplan *subplan) {
    subplan->saved = run->arena;
    run->arena = *subplan->arena;
}

static void leave(Run *run, Subplan *subplan) {
    *subplan->arena = run->arena;
    run->arena = subplan->saved;
}

ErrorCode subplan_open(Run *run, const PlanOp *plan, Arena *arena, Subplan *subplan, Error *err) {
    *subplan = (Subplan){.arena = arena, .plan = plan};
    enter(run, subplan);
    ErrorCode code = operator_open(run, plan, 0, &subplan->op, err);
    if (code == ERR_OK) {
        code = operator_prepare(subplan->op, err);
    }
    leave(run, subplan);
    return code;
}

ErrorCode subplan_next(Run *run, Subplan *subplan, Batch **batch_out, Error *err) {
    enter(run, subplan);
    ErrorCode code = operator_next(subplan->op, batch_out, err);
    leave(run, subplan);
    return code;
}

ErrorCode subplan_drain(Run *run, Subplan *subplan, RowStore *store, Error *err) {
    enter(run, subplan);
    ErrorCode code = rowstore_drain(store, subplan->op, err);
    leave(run, subplan);
    return code;
}

void subplan_close(Run *run, Subplan *subplan) {
    if (subplan->plan == NULL) {
        return;
    }
    enter(run, subplan);
    operator_close(subplan->op);
    drop_shared(run, subplan->plan, true);
    leave(run, subplan);
    *subplan = (Subplan){0};
}

/* SPDX-License-Identifier: Apache-2.0
 * op_union.c - UNION ALL: the arms one after the other. */
#include "sql/exec/exec_internal.h"

typedef struct UnionOperator {
    Operator base;
    Operator **arms;
    uint32_t at, batch_number;
    bool started;           /* arms[at] was prepared */
} UnionOperator;

static ErrorCode union_next(Operator *op, Batch **batch_out, Error *err) {
    UnionOperator *all = (UnionOperator *)op;
    *batch_out = NULL;
    while (all->at < op->plan->as.union_all.arm_count) {
        Operator *arm = all->arms[all->at];
        if (!all->started) {
            TRY(operator_prepare(arm, err));
            all->started = true;
        }
        TRY(operator_next(arm, batch_out, err));
        if (*batch_out != NULL) {
            op->batch = **batch_out;
            op->batch.first = (RowPosition){all->batch_number++, 0};
            *batch_out = &op->batch;
            return ERR_OK;
        }
        operator_close(arm); /* its memory is free for the next arm */
        all->arms[all->at++] = NULL;
        all->started = false;
    }
    return ERR_OK;
}

static void union_close(Operator *op) {
    UnionOperator *all = (UnionOperator *)op;
    for (uint32_t i = 0; i < op->plan->as.union_all.arm_count; i++) {
        operator_close(all->arms[i]);
    }
    mem_free(all->arms);
}

static const OperatorType UNION_TYPE = {"union", NULL, union_next, union_close};

ErrorCode op_union_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    UnionOperator *all = operator_new(UnionOperator, run, plan, worker, &UNION_TYPE);
    *op_out = &all->base;
    all->arms = mem_calloc(plan->as.union_all.arm_count + 1, sizeof *all->arms);
    for (uint32_t i = 0; i < plan->as.union_all.arm_count; i++) {
        TRY(operator_open(run, plan->as.union_all.arms[i], worker, &all->arms[i], err));
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * group_worker.c - see group_worker.h. */
#include "sql/exec/group_worker.h"

ErrorCode group_worker_open(GroupWorker *worker, Operator *op, uint32_t number, const GroupSpec *spec, Error *err) {
    Run *run = op->run;
    const PlanOp *plan = op->plan;
    if (number == 0) {
        worker->input = op->inputs[0];
    } else {
        TRY(operator_open(run, plan->inputs[0], number, &worker->input, err));
    }
    TRY(frame_open(run, plan->program, &worker->frame, err));
    TRY(groups_init(&worker->table, spec, &run->budget, err));
    TRY(aggregates_open(&worker->set, run, plan->program, spec->aggregates, spec->aggregate_count, err));
    worker->group = mem_alloc_aligned(BATCH_ROWS * sizeof(uint32_t));
    memset(worker->group, 0, BATCH_ROWS * sizeof(uint32_t));
    return ERR_OK;
}

void group_worker_close(GroupWorker *worker, uint32_t number) {
    if (number > 0) {
        operator_close(worker->input);
    }
    frame_close(worker->frame);
    aggregates_close(&worker->set);
    groups_deinit(&worker->table);
    mem_free(worker->group);
}

/* SPDX-License-Identifier: Apache-2.0
 * group_worker.h - what each worker of GROUP BY and SAMPLE BY has: its input, its program's frame, its table of groups, its aggregates.
 *
 * Life cycle: group_worker_open on the session's thread, used by one worker, merged into worker 0's table, group_worker_close. */
#pragma once
#include "sql/exec/groups.h"

typedef struct GroupWorker {
    Operator *input;            /* worker 0: the operator's own, which closes it; else this worker's */
    Frame *frame;
    GroupTable table;
    AggregateSet set;
    uint32_t *group;            /* one per row of a batch */
} GroupWorker;

/* Worker `number` of op, whose program and first input it gets. After an error group_worker_close is still due. */
NODISCARD ErrorCode group_worker_open(GroupWorker *worker, Operator *op, uint32_t number, const GroupSpec *spec, Error *err);
void group_worker_close(GroupWorker *worker, uint32_t number);

/* SPDX-License-Identifier: Apache-2.0
 * dense_sums.h - sums by group kept beside the table's states as integers, for groups that are numbered by code (groups.h).
 *
 * Why:        the way of a double-double sum through memory is what GROUP BY spends most of its time on. Integers add up in one step, and
 *             exactly: what the aggregates offer of a batch (Aggregate.dense_split) is added here and settled into the states in the end.
 * Invariants: a batch is taken by all aggregates that offer it or by none: they share the counts of rows. Between two settles at most
 *             DENSE_ROWS_MAX rows are added, so that no sum overflows.
 * Threads:    belongs to one worker.
 * Tests:      test/sql/group_sums.slt, test/unit/kernels/test_kernels.c */
#pragma once
#include "sql/exec/groups.h"

enum { DENSE_CODES_MAX = 2048, DENSE_ROWS_MAX = 1 << 18, DENSE_BATCH_ROWS_MIN = 256, DENSE_REFUSALS_MAX = 16 };

struct DenseSums {
    uint32_t codes;
    uint32_t rows;                  /* added since the last settle */
    uint32_t refusals;              /* in a row; too many end the attempt */
    uint32_t counter;               /* aggregate whose sums count the rows as well; UINT32_MAX: counts does */
    uint32_t *counts;               /* GROUP_COPIES a group (kernels.h) */
    int64_t **sums, **pairs;        /* one each per aggregate; NULL: takes no part */
    DenseScale *scales;
    size_t reserved;
};

/* *dense_out = NULL: the table has too many groups, or no aggregate takes part. */
NODISCARD ErrorCode dense_sums_open(const GroupTable *table, const AggregateSet *set, DenseSums **dense_out, Error *err);
void dense_sums_close(AggregateSet *set); /* settled before, or the rows are of no interest */
static inline bool dense_sums_has(const DenseSums *dense, uint32_t a) { return dense != NULL && dense->sums[a] != NULL; }
/* Adds the batch's rows of all aggregates that take part. false: nothing was taken. */
NODISCARD ErrorCode dense_sums_add(AggregateSet *set, Frame *frame, GroupTable *table, const uint32_t *group, const uint64_t *rows, bool *taken_out,
                                   Error *err);
void dense_sums_settle(AggregateSet *set, GroupTable *table);

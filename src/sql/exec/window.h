/* SPDX-License-Identifier: Apache-2.0
 * window.h - rows of a window operator: kept with their keys and arguments, cut into partitions and groups of peers.
 *
 * Layout:     row r of the store has the input's columns, then the outputs of the program. partition_of etc. are arrays over all rows.
 * Invariants: rows are sorted by partition, then order; a frame is at most three ranges of rows of one partition, in order. */
#pragma once
#include "sql/exec/exec_internal.h"

enum { FRAME_RANGES_MAX = 3 };

typedef struct WindowRows {
    const PlanOp *plan;
    RowStore store;
    RelColumn *columns;
    uint32_t payload;           /* of the input's columns */
    Value *offsets;             /* outputs of the constants program */
    uint32_t *group_first;      /* first row of each group of peers, one more for the end */
    uint32_t *group_of;         /* row -> its group, numbered over all rows */
    uint32_t row_count, group_count;
} WindowRows;

typedef struct RowRange { uint32_t first, end; } RowRange;
typedef struct WindowPartition { uint32_t first, end, group_first, group_end; } WindowPartition;

static inline const Vector *window_vector(const WindowRows *rows, uint32_t output, uint32_t row) {
    return &rows->store.chunks[row / BATCH_ROWS].columns[rows->payload + output];
}
static inline bool window_is_null(const WindowRows *rows, uint32_t output, uint32_t row) {
    return vector_is_null(window_vector(rows, output, row), row % BATCH_ROWS);
}
/* The frame of a row without its exclusion: one range, maybe empty. */
NODISCARD ErrorCode window_frame(const WindowRows *rows, const PlanWindowItem *item, const WindowPartition *part, uint32_t row, RowRange *range_out, Error *err);
/* The range without what EXCLUDE takes out; number of ranges that are left. */
uint32_t window_exclude(const WindowRows *rows, const PlanWindowItem *item, uint32_t row, RowRange range, RowRange *ranges);

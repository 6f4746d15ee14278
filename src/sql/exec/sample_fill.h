/* SPDX-License-Identifier: Apache-2.0
 * sample_fill.h - the cells of a SAMPLE BY in output order, and the rows that FILL puts where a cell is missing. */
#pragma once
#include "sql/exec/groups.h"
#include "sql/exec/sample_bucket.h"

#define SAMPLE_ROWS_MAX (UINT64_C(1) << 32) /* rows that FILL may make */

typedef struct SampleCells {
    /* set by the caller */
    const GroupTable *table;    /* first key: the bucket */
    const Bucketer *bucketer;
    const PlanOp *plan;
    const Value *constants;
    bool has_from, has_to;
    int64_t from, to;
    /* own */
    uint32_t *cells;            /* group numbers by bucket, then first appearance */
    uint32_t cell_count, next_cell;
    bool fill;
    uint32_t *key_of;           /* FILL: key number of cells[i] */
    uint32_t *following;        /* FILL: place of the same key's next cell, UINT32_MAX = none */
    uint32_t key_count;
    uint32_t *sample_of;        /* a cell (place) of each key, for its values */
    uint32_t *previous;         /* place of each key's last cell so far, UINT32_MAX = none */
    uint32_t *current;          /* place of each key's cell in the bucket, UINT32_MAX = none */
    uint32_t *upcoming;         /* place of each key's next cell */
    int64_t bucket, last_bucket;
    uint32_t next_key;
    bool in_bucket, ended;
} SampleCells;

NODISCARD ErrorCode sample_cells_open(SampleCells *cells, Arena *arena, Budget *budget, Error *err);
/* Up to BATCH_ROWS rows into fresh FLAT vectors; *count_out = 0 at the end. */
NODISCARD ErrorCode sample_cells_next(SampleCells *cells, Vector *columns, Arena *scratch, uint16_t *count_out, Error *err);

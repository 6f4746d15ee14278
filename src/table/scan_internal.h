/* SPDX-License-Identifier: Apache-2.0
 * scan_internal.h - a scan: blocks captured at open, morsels planned from them, cursors that read them.
 *
 * What a snapshot sees of a block never changes, so everything is decided from the counts captured at open; later rows and ends do
 * not matter. The lock is taken at open and once a block for each cursor.
 * Threads: a Scan is immutable after open but for the morsel counter (atomic). A cursor belongs to one thread. */
#pragma once
#include "table/table_internal.h"
#include <stdatomic.h>

enum { SCAN_MEMORY_MAX = 1 << 30, BLOCK_WORDS = BLOCK_ROWS / 64 };

typedef struct ScanBlock {
    Part *part;
    Chunk *chunk;
    const int32_t *map;          /* requested column -> place in the part's layout, -1 = the column is younger than the part */
    uint32_t row_count;          /* rows captured */
    uint32_t first_offset;
    uint32_t arrival;            /* order of blocks by arrival */
    bool clean;                  /* every row has begun for the snapshot */
    bool sorted, has_time;
    int64_t min, max;            /* of the times of all captured rows */
    RowSpan *spans;              /* not clean: rows that have begun */
    uint32_t span_count;
    uint32_t visible_rows;       /* begun */
} ScanBlock;

typedef struct ScanMorsel {
    uint32_t first_block, block_count; /* 1: a block by itself; more: merged by time */
    bool ranged;                 /* only times low..high */
    KeyRange range;
    uint32_t row_estimate;
} ScanMorsel;

struct Scan {
    Table *table;
    const TableDef *def;
    Snapshot snapshot;
    uint16_t column_count;
    uint16_t *columns;           /* numbers of the definition */
    KeyRange *ranges;
    uint32_t range_count;
    ScanOrder order;             /* SCAN_ANY if the table has no designated timestamp */
    bool want_refs;
    ScanBlock *blocks;
    uint32_t block_count;
    Part **pins;
    uint32_t pin_count;
    ScanMorsel *morsels;
    uint32_t morsel_count, morsel_capacity;
    _Atomic uint32_t next_morsel;
    _Atomic uint64_t rows_read, blocks_read;
    uint64_t parts, parts_pruned, blocks_pruned;
    Arena arena;
};

/* scan_open.c, scan_plan.c */
void scan__plan(Scan *scan);

/* A block as a cursor reads it. */
typedef struct LoadedColumn {
    const void *data;            /* whole block; or one value if constant */
    const uint64_t *valid;       /* NULL = no nulls; constant: bit 0 */
    bool constant;
} LoadedColumn;
typedef struct LoadedBlock {
    const ScanBlock *block;
    LoadedColumn *columns;       /* as requested */
    const uint64_t *live;        /* NULL = all rows */
    const int64_t *times;        /* NULL if the table has none */
    const uint16_t *order;       /* rows by time; NULL = as they lie */
    ChunkOrder *held_order;
    uint32_t from, to;           /* positions in that order that the morsel wants */
} LoadedBlock;

/* scan_load.c: memory for one block comes from the arena, which the cursor resets from morsel to morsel. */
void scan__load(Scan *scan, const ScanBlock *block, const ScanMorsel *morsel, Arena *arena, LoadedBlock *loaded);
void scan__unload(Scan *scan, LoadedBlock *loaded);
static inline uint32_t scan__row_at(const LoadedBlock *loaded, uint32_t position) {
    return loaded->order != NULL ? loaded->order[position] : position;
}

typedef struct MergeHead { int64_t time; uint32_t arrival, member; } MergeHead;

struct ScanCursor {
    Scan *scan;
    const ScanMorsel *morsel;
    uint32_t morsel_number;
    LoadedBlock *members;
    uint32_t member_count;
    uint32_t position, to;       /* one block: as LoadedBlock */
    uint32_t row_number;         /* rows handed out, for positions of merged and reordered rows */
    MergeHead *heap;
    uint32_t heap_count;
    Vector *vectors, *bases;
    uint64_t live[BATCH_WORDS];
    uint16_t index[BATCH_ROWS];
    uint32_t picks[BATCH_ROWS];  /* merge: row of each output row */
    uint32_t pick_members[BATCH_ROWS];
    RowRef *refs;
    void **gathered;             /* merge: values a column */
    uint64_t **gathered_valid;
    void **tails;                /* copies of the rows that share words with later ones */
    Arena block_arena;           /* of the current morsel */
    Arena arena;                 /* of the cursor */
};

/* scan_flat.c: one block as it lies. scan_reorder.c: one block by time. scan_merge.c: several blocks by time. */
bool scan__read_flat(ScanCursor *cursor, Batch *batch);
bool scan__read_reordered(ScanCursor *cursor, Batch *batch);
void scan__merge_start(ScanCursor *cursor);
bool scan__read_merged(ScanCursor *cursor, Batch *batch);
Vector scan__vector(const Scan *scan, uint16_t column); /* type and symbols filled in */

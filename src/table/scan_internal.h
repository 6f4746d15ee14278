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
    Chunk *chunk;                /* NULL: a row block of a segment */
    const Segment *segment;
    uint32_t segment_block;
    const int32_t *map;          /* requested column -> place in the part's layout or segment, -1 = younger than the part */
    int32_t time_place;          /* the same for the designated timestamp */
    uint32_t row_count;          /* rows captured */
    uint32_t first_offset;
    uint32_t arrival;            /* order of blocks by arrival */
    uint32_t group;              /* a rewrite: blocks that are joined; groups do not overlap in time, and are kept apart */
    bool clean;                  /* every row has begun for the snapshot */
    bool sorted, has_time;
    int64_t min, max;            /* of the times of all captured rows */
    RowSpan *spans;              /* not clean: rows that have begun */
    uint32_t span_count;
    uint32_t visible_rows;       /* begun */
    BlockStats *stats;           /* one per requested column, if asked for and every row is visible */
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
    bool want_refs, want_stats;
    bool cached;                 /* its blocks are small enough to go through the cache */
    bool all_begun;              /* a rewrite: every row of its parts has begun */
    ScanFilter *filters;         /* column: number of the definition */
    int32_t *filter_places;      /* among the requested columns; -1: only to leave out blocks by */
    uint16_t filter_count;
    ScanBlock *blocks;
    uint32_t block_count;
    Part **pins;
    uint32_t pin_count;
    ScanMorsel *morsels;
    uint32_t morsel_count, morsel_capacity;
    _Atomic uint32_t next_morsel;
    _Atomic uint64_t rows_read, blocks_read;
    uint64_t parts, parts_pruned, blocks_pruned;
    struct IndexScan *index;     /* rows of an index: scan_index.h; NULL = all */
    Arena arena;
};

/* scan_capture.c */
NODISCARD ErrorCode scan__capture(Scan *scan, Error *err);
/* For rewriting: these parts (already pinned by the caller) but for row blocks that stay, or exactly these rows of chunks. */
NODISCARD ErrorCode scan__capture_parts(Scan *scan, Part **parts, uint32_t part_count, Error *err); /* exactly these, whole */
NODISCARD ErrorCode scan__capture_inputs(Scan *scan, const RewriteInput *inputs, uint32_t input_count, Error *err);
void scan__capture_write(Scan *scan, Part *part, const Write *write); /* under the lock; room in blocks is the caller's */
/* scan_prune.c: false if no row of the block can satisfy the filters. */
bool scan__may_match(const Scan *scan, const ScanBlock *block);
/* Does the segment hold any of the codes that a filter on a symbol column asks for? */
NODISCARD ErrorCode scan__may_hold_symbols(const Scan *scan, const Segment *segment, bool *possible_out, Error *err);
/* scan_open.c */
Scan *scan__create(Table *table, const TableDef *def, const Snapshot *snapshot, const ScanRequest *request);
extern const RowSourceVtable SCAN_VTABLE;
/* scan_plan.c */
void scan__plan(Scan *scan);

/* One column of one row block of a segment: read when first asked for. */
typedef struct ScanReader {
    const Segment *segment;
    uint32_t block;
    int32_t column;              /* of the segment */
    Type type;
    bool open;                   /* buffer and decoder hold the block */
    SegmentBuffer buffer;        /* a large scan: read past the cache */
    BlockPin pin;                /* a small one: the cached block */
    BlockDecoder decoder;
    DecodeBuffer *decode;
    int64_t granule_number;      /* in `granule`; -1 = none */
    GranuleData granule;
    int64_t view_number;         /* granule that `view` shows as it lies packed; -1 = none */
    bool viewed;                 /* false: it cannot be shown so */
    GranuleView view;
    uint32_t window_start;       /* of the vector that was handed out */
    ScanCursor *cursor;
} ScanReader;

/* A block as a cursor reads it. */
typedef struct LoadedColumn {
    const void *data;            /* whole block; or one value if constant */
    const uint64_t *valid;       /* NULL = no nulls; constant: bit 0 */
    bool constant;
    uint8_t facts;
    ScanReader *reader;          /* segments: NULL = data is all there */
    uint32_t granules;           /* segments: bit g = granule g is in data */
} LoadedColumn;
typedef struct LoadedBlock {
    const ScanBlock *block;
    LoadedColumn *columns;       /* as requested, then the designated timestamp */
    const uint64_t *live;        /* NULL = all rows */
    const int64_t *times;        /* NULL if there are none, or nobody needs them (a segment read as it lies) */
    const uint16_t *order;       /* rows by time; NULL = as they lie */
    ChunkOrder *held_order;
    uint32_t from, to;           /* positions in that order that the morsel wants */
    uint32_t touched;            /* granules that the current batch names */
} LoadedBlock;

/* scan_load.c: memory for one block comes from the cursor's block arena, reset from morsel to morsel. Failures stick to the cursor. */
void scan__load(ScanCursor *cursor, const ScanBlock *block, const ScanMorsel *morsel, uint32_t member);
void scan__unload(Scan *scan, LoadedBlock *loaded);
/* scan_segment.c */
void scan__reader_bind(ScanCursor *cursor, uint32_t member, uint32_t i, const ScanBlock *block, int32_t place, Type type, LoadedColumn *column);
void scan__window_encoded(LoadedColumn *column, uint32_t start, Vector *vector);
NODISCARD ErrorCode scan__granule_load(ScanReader *reader, uint32_t number, Error *err); /* decodes it */
/* The granule as it lies packed; *view_out = NULL: it cannot be read so. */
NODISCARD ErrorCode scan__granule_view(ScanReader *reader, uint32_t number, const GranuleView **view_out, Error *err);
/* scan_pick.c */
NODISCARD ErrorCode scan__value_at(ScanReader *reader, uint32_t row, int64_t *value_out, Error *err); /* of 64 bits; row of the block */
NODISCARD ErrorCode scan__pick_window(void *context, Vector *flat, Arena *arena, Error *err); /* a VectorPick: rows of the window handed out last */
void scan__rows_encoded(const LoadedColumn *column, Vector *vector);                        /* the rows of cursor->index, row_count of them */
/* Clears the bits of the granule's rows that fail; false: not done. */
bool scan__filter_granule(ScanCursor *cursor, const LoadedColumn *column, uint32_t number, const ScanFilter *filter, uint64_t *rows);
/* Brings granules (a bit each) of a column into its arrays. */
void scan__ensure(ScanCursor *cursor, LoadedBlock *loaded, uint32_t i, uint32_t granules);
void scan__readers_close(ScanCursor *cursor);
static inline uint32_t scan__row_at(const LoadedBlock *loaded, uint32_t position) {
    return loaded->order != NULL ? loaded->order[position] : position;
}

typedef struct MergeHead { int64_t time; uint32_t arrival, member, row; } MergeHead;

struct ScanCursor {
    Scan *scan;
    const ScanMorsel *morsel;
    uint32_t morsel_number;
    bool cached;                 /* the morsel's blocks go through the cache */
    ErrorCode code;              /* what failed since the morsel began */
    ScanReader **readers;        /* member * (columns + 1) + column; kept from morsel to morsel */
    uint32_t reader_count;
    Arena scratch;               /* of the current batch */
    LoadedBlock *members;
    uint32_t member_count;
    uint32_t position, to;       /* one block: as LoadedBlock */
    uint32_t row_number;         /* rows handed out, for positions of merged and reordered rows */
    MergeHead *heap;
    uint32_t heap_count;
    const uint8_t **gather_bases; /* of one column, by member */
    size_t *gather_strides;      /* 0 = constant */
    Vector *vectors, *bases;
    int64_t filtered_granule;    /* whose rows passing[] tells; -1 = none */
    bool filtered_exactly;       /* every filter was applied */
    RowRef *refs;
    void **gathered;             /* merge: values a column */
    uint64_t **gathered_valid;
    void **tails;                /* copies of the rows that share words with later ones */
    struct IndexCursor *index_cursor;
    struct LatestState *latest;  /* scan_latest.c */
    uint64_t *latest_rows;       /* rows of the current block that it picked */
    Arena block_arena;           /* of the current morsel */
    Arena arena;                 /* of the cursor */
    /* From here on: the rows of an index need none of it, and their cursors end before it. */
    Error error;
    uint64_t live[BATCH_WORDS];
    uint64_t passing[GRANULE_ROWS / 64];
    uint16_t index[BATCH_ROWS];
    uint32_t picks[BATCH_ROWS];  /* merge: row of each output row */
    uint32_t pick_members[BATCH_ROWS];
};

/* scan_sparse.c: fills cursor->passing with the rows of a granule that pass; a batch of few rows of many granules, false: read a window. */
void scan__filter_rows(ScanCursor *cursor, uint32_t number);
bool scan__read_sparse(ScanCursor *cursor, Batch *batch);
void scan__emit_rows(ScanCursor *cursor, uint32_t count, Batch *batch); /* the rows of cursor->index, rising, of a segment's block */
/* scan_flat.c: one block as it lies. scan_reorder.c: one block by time. scan_merge.c: several blocks by time. */
bool scan__read_flat(ScanCursor *cursor, Batch *batch);
bool scan__read_reordered(ScanCursor *cursor, Batch *batch);
void scan__merge_start(ScanCursor *cursor);
bool scan__read_merged(ScanCursor *cursor, Batch *batch);
/* cursor->index names `count` rows of the only member, whose `touched` granules are set. */
void scan__emit_index(ScanCursor *cursor, uint32_t count, Batch *batch);
/* scan_open.c, for scan_latest.c */
void scan__cursor_start(ScanCursor *cursor, const Morsel *morsel);
NODISCARD ErrorCode scan__cursor_code(const ScanCursor *cursor, Error *err); /* what failed since the morsel began */
NODISCARD ErrorCode scan__cursor_read(ScanCursor *cursor, Batch *batch_out, Error *err);
NODISCARD ErrorCode scan__latest(Scan *scan, uint16_t symbol, ScanCursor *cursor, Batch *batch_out, Error *err);
Vector scan__vector(const Scan *scan, uint16_t column); /* type and symbols filled in */

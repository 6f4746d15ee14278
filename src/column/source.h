/* SPDX-License-Identifier: Apache-2.0
 * source.h - what the executor asks of storage, as tables of functions handed down by session: RowSource (scan), Storage (all).
 *
 * Tables, catalog views, table functions, test arrays plug in the same way; sql/exec knows nothing else.
 * Threads: open/close/next_morsel from any thread under the plan's rules; one ScanCursor belongs to one thread. */
#pragma once
#include "column/vector.h"

typedef struct KeyRange { int64_t low, high; } KeyRange;   /* inclusive, in units of the order column */

typedef enum FilterOp { FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE, FILTER_IN, FILTER_IS_NULL, FILTER_NOT_NULL } FilterOp;
/* One-column predicate with constants, for pruning and early filtering. Storage MAY use it to skip blocks or to clear live bits
 * of rows that fail (NULL fails, but for IS_NULL); a batch whose rows have passed all filters that are not prune_only says so
 * (Batch.filtered), else the executor evaluates them. prune_only: only to skip blocks by.
 * Values: fixed-width physical values of the column's type (SYMBOL: codes; StrRef for text), sorted for FILTER_IN. */
typedef struct ScanFilter { uint16_t column; uint8_t op; bool prune_only; uint32_t value_count; const void *values; } ScanFilter;

/* A stretch of an index: the leading keys equal these values, the next one lies between bounds. Values: as ScanFilter's, one each. */
typedef struct IndexProbe {
    const void *const *equal;      /* NULL = IS NULL */
    uint16_t equal_count;
    const void *low, *high;        /* of key equal_count; NULL = no bound. A bound leaves NULLs out */
    bool low_open, high_open;      /* without the bound itself */
    bool not_null;                 /* no bound, but no NULLs either */
} IndexProbe;
typedef struct IndexRequest {
    uint32_t index_id;
    const IndexProbe *probes;      /* disjoint; rising if ordered */
    uint32_t probe_count;
    bool ordered, descending;      /* rows come in the index's order, or against it */
} IndexRequest;

typedef enum ScanOrder { SCAN_ANY, SCAN_ASCENDING, SCAN_DESCENDING } ScanOrder;
typedef struct ScanRequest {
    const uint16_t *columns;       /* column numbers of the table's definition; batch columns come in this order */
    uint16_t column_count;
    const KeyRange *ranges;        /* on the designated timestamp, sorted, disjoint; range_count 0 = all. Always applied exactly */
    uint32_t range_count;
    const ScanFilter *filters;     /* conjunction */
    uint16_t filter_count;
    ScanOrder order;               /* by the designated timestamp; ties by arrival (reversed for DESCENDING) */
    bool want_refs, want_stats;
    const IndexRequest *index;     /* NULL = all rows. With it: no ranges and SCAN_ANY; looked at during open only */
} ScanRequest;

/* Per-column block statistics of a morsel all of whose rows qualify. sum: integers in int128, floats as a double-double pair. */
typedef struct BlockStats {
    uint32_t row_count, null_count;
    bool has_min_max, has_sum, has_nan;
    union { int64_t i64; double f64; } min, max;  /* integers, times, codes: i64; floats: f64 (NaN excluded) */
    Int128 sum_int;
    double sum_high, sum_low;
} BlockStats;

typedef struct Morsel {
    uint32_t number;               /* in source order */
    uint32_t row_estimate;
    uint64_t place[4];             /* the source's own */
    const BlockStats *stats;       /* one per requested column, or NULL; lives until the scan is closed */
    bool stats_exact;              /* all rows of the morsel qualify: an aggregate may use stats instead of reading */
} Morsel;

typedef struct Scan Scan;
typedef struct ScanCursor ScanCursor; /* one worker's reading state: buffers are reused from morsel to morsel */
typedef struct ScanCounters { uint64_t parts, parts_pruned, blocks, blocks_pruned, rows_read; } ScanCounters;

typedef struct RowSource RowSource;
typedef struct RowSourceVtable {
    ErrorCode (*open)(RowSource *source, const ScanRequest *request, Scan **scan_out, Error *err);
    bool (*next_morsel)(Scan *scan, Morsel *morsel_out);          /* thread-safe; false at the end */
    ErrorCode (*cursor_open)(Scan *scan, ScanCursor **cursor_out, Error *err);
    void (*cursor_start)(ScanCursor *cursor, const Morsel *morsel); /* position at the morsel's first row */
    ErrorCode (*read)(ScanCursor *cursor, Batch *batch_out, Error *err); /* next <= 1,024 rows; row_count 0 = morsel done. Valid until the next read */
    void (*cursor_close)(ScanCursor *cursor);
    /* Last row per symbol of column `symbol` (a column number), all rows of the table visible; NULL = not offered. Rows in any order. */
    ErrorCode (*latest)(Scan *scan, uint16_t symbol, ScanCursor *cursor, Batch *batch_out, Error *err);
    void (*counters)(Scan *scan, ScanCounters *counters_out);
    void (*close)(Scan *scan);
    uint64_t (*row_estimate)(RowSource *source);
} RowSourceVtable;
struct RowSource { const RowSourceVtable *vtable; };

/* What a running statement may do to storage, bound to one transaction. Implemented by engine, handed down by session.
 * Tables go by id. append/end see the whole change or nothing: an error leaves the transaction to be rolled back to the statement's mark. */
typedef struct Storage Storage;
struct Storage {
    ErrorCode (*source)(Storage *storage, uint32_t table_id, RowSource **source_out, Error *err);  /* lives until the transaction ends */
    /* columns: one block per column of the definition in order (all column_count of them), all row_count rows. NOT NULL is checked
     * here (23502). Copies; the caller keeps its memory. Rows of any time order. */
    ErrorCode (*append)(Storage *storage, uint32_t table_id, const ColumnBlock *columns, uint16_t column_count, Error *err);
    /* Ends visible rows (DELETE, first half of UPDATE). ERR_SERIALIZATION if another transaction ended one. */
    ErrorCode (*end_rows)(Storage *storage, uint32_t table_id, const RowRef *rows, uint32_t row_count, Error *err);
    uint64_t (*rows_appended)(Storage *storage);
    /* ON CONFLICT: the live row that has the key of each of these rows in a unique index (0: in any), part 0 = none. part UINT32_MAX: the
     * earlier row `offset` of these has it. ERR_SERIALIZATION: another transaction has not ended that wrote or ended one. */
    ErrorCode (*conflicts)(Storage *storage, uint32_t table_id, uint32_t index_id, const ColumnBlock *columns, uint16_t column_count,
                           RowRef *rows_out, Error *err);
    /* Values of rows by place, whatever a snapshot sees of them: all visible columns, FLAT, at most BATCH_ROWS, in the arena. */
    ErrorCode (*fetch)(Storage *storage, uint32_t table_id, const RowRef *rows, uint16_t row_count, Vector *columns_out, Arena *arena, Error *err);
    /* UPDATE: until the statement ends, rows that end come again with other values in these columns only (one flag a column). */
    void (*assigned)(Storage *storage, uint32_t table_id, const bool *columns);
    /* All changes of a statement are in: foreign keys are looked at. */
    ErrorCode (*statement_end)(Storage *storage, Error *err);
};

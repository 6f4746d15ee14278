/* SPDX-License-Identifier: Apache-2.0
 * chunk.h - the in-memory part's building block: up to 65,536 rows in columns, in arrival order, written once.
 *
 * Layout:     per column: values | validity bits (only once a null came). Long texts lie in the chunk's append-only heap; StrRefs
 *             point there. Capacity is a power of two from 64 to 65,536, so that every column is one pool block.
 * Writing:    reserve (under the owner's lock: place, run, room for texts) -> copy (no lock) -> fill (under the lock: bits, time
 *             facts, `filled` moves over what is complete). Bits are written under the lock because neighbours share words.
 * Reading:    rows below `filled`, as captured under the lock, never change. A validity word or bit column that holds the last
 *             filled row is shared with later rows: readers copy it under the lock.
 * Threads:    the owner's lock is the table's. ChunkPool locks itself. */
#pragma once
#include "column/vector.h"
#include "os/os.h"
#include "txn/txn.h"

enum { CHUNK_BYTES_MAX = 16 << 20 }; /* of a chunk's columns: wide tables have chunks of fewer rows */

/* ---- recycled memory ---- */
enum { POOL_CLASS_MIN_BITS = 12, POOL_CLASS_MAX_BITS = 22, POOL_CLASSES = POOL_CLASS_MAX_BITS - POOL_CLASS_MIN_BITS + 1 };
typedef struct ChunkPool {
    Sched *sched;
    Mutex lock;                  /* guards everything below */
    void *free[POOL_CLASSES];    /* lists through the blocks' first word */
    size_t used_bytes;           /* handed out */
    size_t kept_bytes, kept_max; /* waiting for reuse, and how much may wait */
} ChunkPool;
void chunk_pool_init(ChunkPool *pool, Sched *sched, size_t kept_max);
void chunk_pool_deinit(ChunkPool *pool);
void *chunk_pool_acquire(ChunkPool *pool, size_t bytes); /* 64-byte aligned, not zeroed */
void chunk_pool_release(ChunkPool *pool, void *memory, size_t bytes); /* bytes as acquired; NULL is fine */
void chunk_pool_trim(ChunkPool *pool, size_t keep_bytes);
size_t chunk_pool_used(ChunkPool *pool);

/* ---- the columns of a part; immutable, shared by its chunks ---- */
typedef struct LayoutColumn {
    uint32_t id;                 /* column id, rising within the layout */
    Type type;
} LayoutColumn;
typedef struct ChunkLayout {
    uint16_t column_count;
    int16_t time_column;         /* place of the designated timestamp, -1 = none */
    LayoutColumn columns[];
} ChunkLayout;
ChunkLayout *layout_create(const LayoutColumn *columns, uint16_t column_count, int16_t time_column); /* columns in any order */
bool layout_equal(const ChunkLayout *a, const ChunkLayout *b);
int layout_find(const ChunkLayout *layout, uint32_t column_id); /* place or -1 */
size_t layout_row_bytes(const ChunkLayout *layout);             /* without long texts */

/* ---- what is known of the times of rows in arrival order ---- */
typedef struct TimeFacts {
    int64_t min, max, first, last;
    bool any, sorted;
} TimeFacts;
TimeFacts time_facts_of(const int64_t *times, uint32_t row_count);
void time_facts_add(TimeFacts *facts, const TimeFacts *behind); /* rows that follow */

/* ---- chunk ---- */
typedef struct ChunkColumn {
    void *data;
    uint64_t *valid;             /* NULL = no nulls so far */
} ChunkColumn;
typedef struct ChunkFill { uint32_t first, end; bool done; TimeFacts times; } ChunkFill;
typedef struct ChunkHeap ChunkHeap;
/* Rows of a chunk by (time, arrival). Shared by scans; freed with the last reference. */
typedef struct ChunkOrder { uint32_t refs, row_count; uint16_t rows[]; } ChunkOrder;

typedef struct Chunk {
    ChunkPool *pool;
    const ChunkLayout *layout;   /* the part's */
    uint32_t first_offset;       /* of row 0 in the part */
    uint32_t capacity, reserved, filled;
    uint32_t fill_count, fill_capacity;
    ChunkFill *fills;            /* reserved and not yet counted in `filled`, in row order */
    RunList runs;
    EndMap ends;
    TimeFacts times;             /* of filled rows */
    ChunkHeap *heap;             /* newest block */
    ChunkOrder *order;           /* cached; may be older than filled */
    size_t bytes;
    bool dropped;                /* the rows' memory is gone; runs and ends are left */
    ChunkColumn columns[];       /* as the layout */
} Chunk;

/* to_be_placed: recovery. It has no memory before chunk_place, so that a chunk of holes costs nothing. */
Chunk *chunk_create(ChunkPool *pool, const ChunkLayout *layout, uint32_t first_offset, uint32_t capacity, bool to_be_placed);
void chunk_destroy(Chunk *chunk); /* NULL is fine */
void chunk_drop_rows(Chunk *chunk); /* gives columns and texts back; nobody may read rows any more */
/* Smallest capacity for that many rows: a power of two, 64 to 65,536. */
uint32_t chunk_capacity_for(uint32_t row_count);
uint32_t chunk_capacity_max(const ChunkLayout *layout);

/* Source of a copy: rows [from, from + count) of blocks, one per layout column. */
typedef struct ChunkSource { const ColumnBlock *const *columns; uint32_t from, count; } ChunkSource;
size_t chunk_source_heap_bytes(const ChunkLayout *layout, const ChunkSource *source); /* room its long texts need; no lock */
/* Reserves source.count rows (there must be room) and heap_bytes of the heap, under the lock; a stamp of STAMP_NEVER leaves the
 * begin to runs_set. Returns the first row. */
uint32_t chunk_reserve(Chunk *chunk, const ChunkSource *source, Stamp stamp, size_t heap_bytes, uint8_t **heap_out);
TimeFacts chunk_copy(Chunk *chunk, const ChunkSource *source, uint32_t first, uint8_t *heap); /* no lock; everything but bits */
void chunk_copy_bits(Chunk *chunk, const ChunkSource *source, uint32_t first);                /* under the lock */
void chunk_fill(Chunk *chunk, uint32_t first, const TimeFacts *times);                        /* under the lock */
/* Recovery, one thread: rows at a place of the log's choosing; rows between become holes, begun never. The chunk was made to be placed. */
void chunk_place(Chunk *chunk, const ChunkSource *source, uint32_t first, Stamp stamp);
/* Recovery is over: rows nobody placed are ended for all, times are looked at again. */
void chunk_settle_holes(Chunk *chunk);

ChunkOrder *chunk_order_create(const int64_t *times, uint32_t row_count);
void chunk_order_release(ChunkOrder *order); /* under the lock; NULL is fine */

void bits_copy(uint64_t *to, size_t to_bit, const uint64_t *from, size_t from_bit, size_t count);
void bits_fill(uint64_t *words, size_t first_bit, size_t count, bool value);

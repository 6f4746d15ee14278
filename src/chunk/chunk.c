/* SPDX-License-Identifier: Apache-2.0
 * chunk.c - life of a chunk: create, reserve, fill, cover in recovery, destroy.
 *
 * Invariants: filled <= reserved <= capacity; runs cover exactly the reserved rows; fills cover [filled, reserved) but for covered
 *             rows of recovery.
 * Tests:      test/unit/chunk/test_chunk.c */
#include "chunk/chunk.h"

enum { HEAP_BLOCK_MIN = 1024, HEAP_BLOCK_MAX = 1 << 20, HEAP_ALIGNMENT = 16 };

struct ChunkHeap {
    ChunkHeap *older;
    size_t bytes, used; /* this header included */
};
enum { HEAP_HEADER_BYTES = 64 };
_Static_assert(sizeof(ChunkHeap) <= HEAP_HEADER_BYTES, "texts begin behind the header");

static size_t column_bytes(Type type, uint32_t capacity) {
    Physical physical = type_physical(type.id);
    return physical == PHYS_BIT ? capacity / 8 : physical_bytes(physical) * capacity;
}

uint32_t chunk_capacity_for(uint32_t row_count) {
    uint32_t capacity = 64;
    while (capacity < row_count && capacity < BLOCK_ROWS) {
        capacity *= 2;
    }
    return capacity;
}

uint32_t chunk_capacity_max(const ChunkLayout *layout) {
    size_t row_bytes = layout_row_bytes(layout);
    uint32_t capacity = BLOCK_ROWS;
    while (capacity > 64 && row_bytes * capacity > CHUNK_BYTES_MAX) {
        capacity /= 2;
    }
    return capacity;
}

static void columns_make(Chunk *chunk, bool zeroed) {
    for (uint16_t i = 0; i < chunk->layout->column_count; i++) {
        size_t bytes = column_bytes(chunk->layout->columns[i].type, chunk->capacity);
        chunk->columns[i].data = chunk_pool_acquire(chunk->pool, bytes);
        chunk->bytes += bytes;
        if (zeroed || type_physical(chunk->layout->columns[i].type.id) == PHYS_BIT) {
            memset(chunk->columns[i].data, 0, bytes);
        }
    }
    chunk->dropped = false;
}

Chunk *chunk_create(ChunkPool *pool, const ChunkLayout *layout, uint32_t first_offset, uint32_t capacity, bool to_be_placed) {
    assert(capacity >= 64 && capacity <= BLOCK_ROWS);
    assert((capacity & (capacity - 1)) == 0);
    Chunk *chunk = mem_calloc(1, sizeof *chunk + sizeof(ChunkColumn) * layout->column_count);
    chunk->pool = pool;
    chunk->layout = layout;
    chunk->first_offset = first_offset;
    chunk->capacity = capacity;
    chunk->times.sorted = true;
    chunk->dropped = true;
    if (!to_be_placed) {
        columns_make(chunk, false);
    }
    return chunk;
}

void chunk_drop_rows(Chunk *chunk) {
    if (chunk->dropped) {
        return;
    }
    chunk->dropped = true;
    chunk->bytes = 0;
    for (uint16_t i = 0; i < chunk->layout->column_count; i++) {
        chunk_pool_release(chunk->pool, chunk->columns[i].data, column_bytes(chunk->layout->columns[i].type, chunk->capacity));
        chunk_pool_release(chunk->pool, chunk->columns[i].valid, chunk->capacity / 8);
        chunk->columns[i] = (ChunkColumn){0};
    }
    while (chunk->heap != NULL) {
        ChunkHeap *older = chunk->heap->older;
        chunk_pool_release(chunk->pool, chunk->heap, chunk->heap->bytes);
        chunk->heap = older;
    }
    chunk_order_release(chunk->order);
    chunk->order = NULL;
}

void chunk_destroy(Chunk *chunk) {
    if (chunk == NULL) {
        return;
    }
    chunk_drop_rows(chunk);
    runs_deinit(&chunk->runs);
    ends_deinit(&chunk->ends);
    mem_free(chunk->fills);
    mem_free(chunk);
}

static uint8_t *heap_reserve(Chunk *chunk, size_t bytes) {
    bytes = (bytes + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT;
    if (chunk->heap == NULL || chunk->heap->bytes - chunk->heap->used < bytes) {
        size_t next = chunk->heap == NULL ? HEAP_BLOCK_MIN : MIN_OF(chunk->heap->bytes * 2, (size_t)HEAP_BLOCK_MAX);
        while (next < bytes + HEAP_HEADER_BYTES) {
            next *= 2;
        }
        ChunkHeap *heap = chunk_pool_acquire(chunk->pool, next);
        *heap = (ChunkHeap){chunk->heap, next, HEAP_HEADER_BYTES};
        chunk->heap = heap;
        chunk->bytes += next;
    }
    uint8_t *memory = (uint8_t *)chunk->heap + chunk->heap->used;
    chunk->heap->used += bytes;
    return memory;
}

static void valid_make(Chunk *chunk, ChunkColumn *column) {
    if (column->valid == NULL) {
        column->valid = chunk_pool_acquire(chunk->pool, chunk->capacity / 8);
        memset(column->valid, 0xff, chunk->capacity / 8);
        chunk->bytes += chunk->capacity / 8;
    }
}

static void fill_push(Chunk *chunk, uint32_t first, uint32_t end) {
    if (chunk->fill_count == chunk->fill_capacity) {
        chunk->fill_capacity = chunk->fill_capacity == 0 ? 4 : chunk->fill_capacity * 2;
        chunk->fills = mem_realloc(chunk->fills, sizeof(ChunkFill) * chunk->fill_capacity);
    }
    chunk->fills[chunk->fill_count++] = (ChunkFill){.first = first, .end = end};
}

uint32_t chunk_reserve(Chunk *chunk, const ChunkSource *source, Stamp stamp, size_t heap_bytes, uint8_t **heap_out) {
    assert(source->count > 0);
    assert(source->count <= chunk->capacity - chunk->reserved);
    uint32_t first = chunk->reserved;
    chunk->reserved += source->count;
    runs_append(&chunk->runs, source->count, stamp);
    fill_push(chunk, first, chunk->reserved);
    *heap_out = heap_bytes > 0 ? heap_reserve(chunk, heap_bytes) : NULL;
    for (uint16_t i = 0; i < chunk->layout->column_count; i++) {
        if (source->columns[i]->valid != NULL) {
            valid_make(chunk, &chunk->columns[i]);
        }
    }
    return first;
}

void chunk_fill(Chunk *chunk, uint32_t first, const TimeFacts *times) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < chunk->fill_count; i++) {
        if (chunk->fills[i].first == first) {
            chunk->fills[i].done = true;
            chunk->fills[i].times = *times;
        }
    }
    while (done < chunk->fill_count && chunk->fills[done].done) {
        time_facts_add(&chunk->times, &chunk->fills[done].times);
        chunk->filled = chunk->fills[done].end;
        done++;
    }
    chunk->fill_count -= done;
    memmove(chunk->fills, chunk->fills + done, sizeof(ChunkFill) * chunk->fill_count);
}

static void cover(Chunk *chunk, uint32_t end) {
    assert(end <= chunk->capacity);
    if (end > chunk->reserved) {
        runs_append(&chunk->runs, end - chunk->reserved, STAMP_NEVER);
        chunk->reserved = chunk->filled = end;
    }
}

void chunk_place(Chunk *chunk, const ChunkSource *source, uint32_t first, Stamp stamp) {
    if (chunk->dropped) {
        columns_make(chunk, true);
    }
    cover(chunk, first + source->count);
    size_t heap_bytes = chunk_source_heap_bytes(chunk->layout, source);
    uint8_t *heap = heap_bytes > 0 ? heap_reserve(chunk, heap_bytes) : NULL;
    for (uint16_t i = 0; i < chunk->layout->column_count; i++) {
        if (source->columns[i]->valid != NULL) {
            valid_make(chunk, &chunk->columns[i]);
        }
    }
    (void)chunk_copy(chunk, source, first, heap);
    chunk_copy_bits(chunk, source, first);
    runs_set(&chunk->runs, (RowSpan){first, first + source->count}, stamp);
}

/* A row nobody placed gets the time of the row before it, so that it does not spoil the order of the chunk. */
static void hole_time(Chunk *chunk, uint32_t row) {
    if (chunk->layout->time_column >= 0 && row > 0) {
        int64_t *times = chunk->columns[chunk->layout->time_column].data;
        times[row] = times[row - 1];
    }
}

static uint32_t first_placed(const Chunk *chunk) {
    return chunk->runs.count > 1 && chunk->runs.runs[0].stamp == STAMP_NEVER ? chunk->runs.runs[1].first : 0;
}

void chunk_settle_holes(Chunk *chunk) {
    int64_t *times = chunk->layout->time_column >= 0 ? chunk->columns[chunk->layout->time_column].data : NULL;
    for (uint32_t row = first_placed(chunk); times != NULL && row > 0; row--) {
        times[row - 1] = times[row];
    }
    for (uint32_t i = 0; i < chunk->runs.count; i++) {
        uint32_t end = i + 1 < chunk->runs.count ? chunk->runs.runs[i + 1].first : chunk->runs.end;
        for (uint32_t row = chunk->runs.runs[i].first; chunk->runs.runs[i].stamp == STAMP_NEVER && row < end; row++) {
            ends_set(&chunk->ends, chunk->capacity, row, STAMP_ALWAYS);
            if (i > 0) {
                hole_time(chunk, row);
            }
        }
    }
    for (uint32_t i = 0; i < chunk->runs.count; i++) {
        if (chunk->runs.runs[i].stamp == STAMP_NEVER) {
            chunk->runs.runs[i].stamp = STAMP_ALWAYS;
        }
    }
    if (times != NULL) {
        chunk->times = time_facts_of(times, chunk->filled);
    }
}

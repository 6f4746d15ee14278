/* SPDX-License-Identifier: Apache-2.0
 * tail.c - the last rows of a flush, less than a row block of the newest partition, in a memory part of their own.
 *
 * Why:     in-order data is written once and in full blocks: the rest waits in memory for the rows that follow. The flush's record carries
 *          these rows again, so nothing depends on the log below it.
 * Order:   the part's id was reserved when the flushed part was sealed: above it, and below every part that has taken rows since.
 * Tests:   test/unit/engine/test_merges.c */
#include "table/table_internal.h"

enum { TAIL_BYTES_MAX = 4 << 20 }; /* of raw rows: a wider tail is written as a short block */

static void fill(Chunk *chunk, const ChunkSource *source, size_t heap_bytes) {
    uint8_t *heap = NULL;
    uint32_t first = chunk_reserve(chunk, source, STAMP_NEVER, heap_bytes, &heap);
    TimeFacts times = chunk_copy(chunk, source, first, heap);
    chunk_copy_bits(chunk, source, first);
    chunk_fill(chunk, first, &times);
}

Part *table__tail_create(Table *table, const TableDef *def, const ColumnBlock *blocks, uint32_t id) {
    ChunkLayout *layout = table__layout_of(def);
    const ColumnBlock **ordered = mem_calloc(table_stored_count(def) + 1u, sizeof *ordered);
    for (uint16_t i = 0; i < table_stored_count(def); i++) {
        ordered[layout_find(layout, def->columns[i].id)] = &blocks[i];
    }
    ChunkSource source = {ordered, 0, blocks[0].row_count};
    size_t heap_bytes = chunk_source_heap_bytes(layout, &source);
    Part *part = NULL;
    if (source.count <= chunk_capacity_max(layout) && layout_row_bytes(layout) * source.count + heap_bytes <= TAIL_BYTES_MAX) {
        part = mem_calloc(1, sizeof *part);
        *part = (Part){.id = id, .refs = 1, .rank = id, .sealed = true, .tail = true, .end = STAMP_NEVER, .layout = layout};
        part->chunks = mem_calloc(1, sizeof(Chunk *));
        part->chunks[0] = chunk_create(&table->env->pool, layout, 0, chunk_capacity_for(source.count), false);
        part->chunk_count = part->chunk_capacity = 1;
        part->row_end = source.count;
        fill(part->chunks[0], &source, heap_bytes);
    } else {
        mem_free(layout);
    }
    mem_free(ordered);
    return part;
}

void table__tail_destroy(Table *table, Part *tail) {
    if (tail != NULL) {
        table__part_release(table, tail);
    }
}

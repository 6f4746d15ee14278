/* SPDX-License-Identifier: Apache-2.0
 * chunk_copy.c - rows from column blocks into a chunk: whole columns by memcpy, long texts into the heap.
 *
 * Threads: chunk_copy runs without a lock: its rows are reserved for it and nobody reads them before chunk_fill.
 * Tests:   test/unit/chunk/test_chunk.c */
#include "chunk/chunk.h"

static bool source_null(const ColumnBlock *block, uint32_t row) {
    return block->valid != NULL && !bit_get(block->valid, row);
}

static size_t text_bytes(const ColumnBlock *block, const ChunkSource *source) {
    const StrRef *refs = block->data;
    size_t bytes = 0;
    for (uint32_t row = source->from; row < source->from + source->count; row++) {
        if (!source_null(block, row) && refs[row].len > STRREF_INLINE) {
            bytes += refs[row].len;
        }
    }
    return bytes;
}

static size_t big_bytes(const ColumnBlock *block, const ChunkSource *source) {
    const NumericSlot *slots = block->data;
    size_t bytes = 0;
    for (uint32_t row = source->from; row < source->from + source->count; row++) {
        bytes += !source_null(block, row) && slots[row].is_big ? sizeof(Int128) : 0;
    }
    return bytes;
}

size_t chunk_source_heap_bytes(const ChunkLayout *layout, const ChunkSource *source) {
    size_t bytes = 0;
    for (uint16_t i = 0; i < layout->column_count; i++) {
        if (type_physical(layout->columns[i].type.id) == PHYS_STR) {
            bytes += text_bytes(source->columns[i], source);
        } else if (layout->columns[i].type.id == TYPE_NUMERIC) {
            bytes += big_bytes(source->columns[i], source);
        }
    }
    return bytes;
}

static uint8_t *copy_texts(StrRef *to, const ColumnBlock *block, const ChunkSource *source, uint8_t *heap) {
    const StrRef *refs = block->data;
    for (uint32_t i = 0; i < source->count; i++) {
        uint32_t row = source->from + i;
        if (source_null(block, row)) {
            to[i] = (StrRef){0};
        } else if (refs[row].len <= STRREF_INLINE) {
            to[i] = refs[row];
        } else {
            memcpy(heap, refs[row].as.data, refs[row].len);
            to[i] = strref_make((const char *)heap, refs[row].len);
            heap += refs[row].len;
        }
    }
    return heap;
}

static uint8_t *copy_numerics(NumericSlot *to, const ColumnBlock *block, const ChunkSource *source, uint8_t *heap) {
    const NumericSlot *slots = block->data;
    for (uint32_t i = 0; i < source->count; i++) {
        uint32_t row = source->from + i;
        if (source_null(block, row)) {
            to[i] = (NumericSlot){0};
            continue;
        }
        to[i] = slots[row];
        if (slots[row].is_big) {
            memcpy(heap, slots[row].as.big, sizeof(Int128));
            to[i].as.big = (const Int128 *)(const void *)heap;
            heap += sizeof(Int128);
        }
    }
    return heap;
}

TimeFacts chunk_copy(Chunk *chunk, const ChunkSource *source, uint32_t first, uint8_t *heap) {
    const ChunkLayout *layout = chunk->layout;
    for (uint16_t i = 0; i < layout->column_count; i++) { /* before the texts: these need their alignment */
        if (layout->columns[i].type.id == TYPE_NUMERIC) {
            heap = copy_numerics((NumericSlot *)chunk->columns[i].data + first, source->columns[i], source, heap);
        }
    }
    for (uint16_t i = 0; i < layout->column_count; i++) {
        Physical physical = type_physical(layout->columns[i].type.id);
        size_t width = physical_bytes(physical);
        if (physical == PHYS_STR) {
            heap = copy_texts((StrRef *)chunk->columns[i].data + first, source->columns[i], source, heap);
        } else if (physical != PHYS_BIT && layout->columns[i].type.id != TYPE_NUMERIC) {
            memcpy((uint8_t *)chunk->columns[i].data + width * first,
                   (const uint8_t *)source->columns[i]->data + width * source->from, width * source->count);
        }
    }
    if (layout->time_column < 0) {
        return (TimeFacts){.sorted = true};
    }
    return time_facts_of((const int64_t *)chunk->columns[layout->time_column].data + first, source->count);
}

void chunk_copy_bits(Chunk *chunk, const ChunkSource *source, uint32_t first) {
    for (uint16_t i = 0; i < chunk->layout->column_count; i++) {
        const ColumnBlock *block = source->columns[i];
        if (type_physical(chunk->layout->columns[i].type.id) == PHYS_BIT) {
            bits_copy(chunk->columns[i].data, first, block->data, source->from, source->count);
        }
        if (block->valid != NULL) {
            assert(chunk->columns[i].valid != NULL);
            bits_copy(chunk->columns[i].valid, first, block->valid, source->from, source->count);
        }
    }
}

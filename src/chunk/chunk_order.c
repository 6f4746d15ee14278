/* SPDX-License-Identifier: Apache-2.0
 * chunk_order.c - the rows of an unsorted chunk by (time, arrival): a stable radix sort, kept with the chunk.
 *
 * Tests: test/unit/chunk/test_chunk.c */
#include "chunk/chunk.h"

typedef struct SortItem {
    uint64_t key;
    uint32_t row;
} SortItem;

enum { RADIX_BITS = 11, RADIX_BUCKETS = 1 << RADIX_BITS };

static void radix_pass(const SortItem *from, SortItem *to, uint32_t count, int shift) {
    uint32_t starts[RADIX_BUCKETS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        starts[(from[i].key >> shift) & (RADIX_BUCKETS - 1)]++;
    }
    uint32_t sum = 0;
    for (int b = 0; b < RADIX_BUCKETS; b++) {
        uint32_t bucket_count = starts[b];
        starts[b] = sum;
        sum += bucket_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[starts[(from[i].key >> shift) & (RADIX_BUCKETS - 1)]++] = from[i];
    }
}

ChunkOrder *chunk_order_create(const int64_t *times, uint32_t row_count) {
    assert(row_count <= BLOCK_ROWS);
    ChunkOrder *order = mem_alloc(sizeof *order + sizeof(uint16_t) * row_count);
    *order = (ChunkOrder){.refs = 1, .row_count = row_count};
    SortItem *items = mem_alloc(sizeof(SortItem) * row_count * 2 + 1);
    SortItem *other = items + row_count;
    TimeFacts facts = time_facts_of(times, row_count);
    uint64_t key_max = (uint64_t)facts.max - (uint64_t)facts.min;
    for (uint32_t i = 0; i < row_count; i++) {
        items[i] = (SortItem){(uint64_t)times[i] - (uint64_t)facts.min, i};
    }
    SortItem *from = items;
    for (int shift = 0; shift < 64 && (key_max >> shift) > 0; shift += RADIX_BITS) {
        radix_pass(from, other, row_count, shift);
        SortItem *swap = from;
        from = other;
        other = swap;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        order->rows[i] = (uint16_t)from[i].row;
    }
    mem_free(items);
    return order;
}

void chunk_order_release(ChunkOrder *order) {
    if (order != NULL && --order->refs == 0) {
        mem_free(order);
    }
}

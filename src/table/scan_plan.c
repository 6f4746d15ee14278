/* SPDX-License-Identifier: Apache-2.0
 * scan_plan.c - from captured blocks to morsels: blocks as they lie, or in time order with only overlapping ones merged.
 *
 * Order:   blocks are sorted by (first time, arrival). A block that begins before an earlier one ends joins its cluster; a cluster of
 *          one is read by itself. A cluster of several is cut at the first times of its blocks, so that its pieces stay small and
 *          workers share them; equal times are never cut apart, so ties keep their order of arrival.
 * Tests:   test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_internal.h"
#include <stdlib.h>

static void add_morsel(Scan *scan, ScanMorsel morsel) {
    if (scan->morsel_count == scan->morsel_capacity) {
        scan->morsel_capacity = scan->morsel_capacity == 0 ? 16 : scan->morsel_capacity * 2;
        ScanMorsel *larger = arena_array(&scan->arena, ScanMorsel, scan->morsel_capacity);
        if (scan->morsel_count > 0) {
            memcpy(larger, scan->morsels, sizeof *larger * scan->morsel_count);
        }
        scan->morsels = larger;
    }
    scan->morsels[scan->morsel_count++] = morsel;
}

static int by_time_and_arrival(const void *a_, const void *b_) {
    const ScanBlock *a = a_;
    const ScanBlock *b = b_;
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    if (a->min != b->min) {
        return a->min < b->min ? -1 : 1;
    }
    return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

static void sort_blocks(Scan *scan) {
    bool sorted = true;
    for (uint32_t i = 1; i < scan->block_count && sorted; i++) {
        sorted = by_time_and_arrival(&scan->blocks[i - 1], &scan->blocks[i]) <= 0;
    }
    if (!sorted) {
        qsort(scan->blocks, scan->block_count, sizeof(ScanBlock), by_time_and_arrival);
    }
}

static uint32_t rows_of(const Scan *scan, uint32_t first, uint32_t count) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows += scan->blocks[first + i].visible_rows;
    }
    return (uint32_t)MIN_OF(rows, (uint64_t)UINT32_MAX);
}

/* One block, once per range that touches it, or once with all ranges tested row by row. */
static void plan_block(Scan *scan, uint32_t at) {
    const ScanBlock *block = &scan->blocks[at];
    ScanMorsel morsel = {.first_block = at, .block_count = 1, .row_estimate = block->visible_rows};
    bool by_position = block->sorted || scan->order != SCAN_ANY;
    if (scan->range_count == 0 || !by_position) {
        add_morsel(scan, morsel);
        return;
    }
    for (uint32_t i = 0; i < scan->range_count; i++) {
        if (scan->ranges[i].low <= block->max && scan->ranges[i].high >= block->min) {
            morsel.ranged = scan->ranges[i].low > block->min || scan->ranges[i].high < block->max;
            morsel.range = scan->ranges[i];
            add_morsel(scan, morsel);
        }
    }
}

static void add_cluster_piece(Scan *scan, ScanMorsel cluster, KeyRange piece) {
    if (scan->range_count == 0) {
        cluster.range = piece;
        add_morsel(scan, cluster);
        return;
    }
    for (uint32_t i = 0; i < scan->range_count; i++) {
        cluster.range = (KeyRange){MAX_OF(piece.low, scan->ranges[i].low), MIN_OF(piece.high, scan->ranges[i].high)};
        if (cluster.range.low <= cluster.range.high) {
            add_morsel(scan, cluster);
        }
    }
}

static void plan_cluster(Scan *scan, uint32_t first, uint32_t count) {
    if (count == 1) {
        plan_block(scan, first);
        return;
    }
    ScanMorsel cluster = {.first_block = first, .block_count = count, .ranged = true, .row_estimate = rows_of(scan, first, count) / count};
    int64_t low = INT64_MIN;
    for (uint32_t i = 1; i < count; i++) {
        int64_t cut = scan->blocks[first + i].min;
        if (cut > scan->blocks[first + i - 1].min) {
            add_cluster_piece(scan, cluster, (KeyRange){low, cut - 1});
            low = cut;
        }
    }
    add_cluster_piece(scan, cluster, (KeyRange){low, INT64_MAX});
}

static void plan_in_order(Scan *scan) {
    sort_blocks(scan);
    uint32_t first = 0;
    int64_t max = 0;
    uint32_t arrival = 0;
    for (uint32_t i = 0; i < scan->block_count; i++) {
        const ScanBlock *block = &scan->blocks[i];
        bool joins = i > first && block->group == scan->blocks[first].group &&
                     (block->min < max || (block->min == max && block->arrival < arrival));
        if (i > first && !joins) {
            plan_cluster(scan, first, i - first);
            first = i;
        }
        max = i == first ? block->max : MAX_OF(max, block->max);
        arrival = i == first ? block->arrival : MAX_OF(arrival, block->arrival);
    }
    if (scan->block_count > 0) {
        plan_cluster(scan, first, scan->block_count - first);
    }
}

/* A scan that fits into half of the cache goes through it, so that the next one finds its blocks read and checked; a larger one would
 * only push out what others use, and reads into buffers of its own. */
static bool fits_cache(const Scan *scan) {
    uint64_t bytes = 0, room = block_cache_limit(scan->table->env->cache) / 2;
    for (uint32_t b = 0; b < scan->block_count; b++) {
        const ScanBlock *block = &scan->blocks[b];
        for (uint16_t c = 0; block->segment != NULL && c < scan->column_count; c++) {
            bytes += block->map[c] < 0 ? 0 : segment_block_bytes(block->segment, block->segment_block, (uint16_t)block->map[c]);
        }
        if (bytes > room) {
            return false;
        }
    }
    return true;
}

void scan__plan(Scan *scan) {
    scan->cached = !scan->all_begun && fits_cache(scan);
    if (scan->order != SCAN_ANY) {
        plan_in_order(scan);
    } else {
        for (uint32_t i = 0; i < scan->block_count; i++) {
            plan_block(scan, i);
        }
    }
    for (uint32_t i = 0; scan->order == SCAN_DESCENDING && i < scan->morsel_count / 2; i++) {
        ScanMorsel swap = scan->morsels[i];
        scan->morsels[i] = scan->morsels[scan->morsel_count - 1 - i];
        scan->morsels[scan->morsel_count - 1 - i] = swap;
    }
}

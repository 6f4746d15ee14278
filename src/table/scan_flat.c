/* SPDX-License-Identifier: Apache-2.0
 * scan_flat.c - one block as it lies: windows of 1,024 rows, no value is copied.
 *
 * Tests: test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_internal.h"

/* Clears rows whose time is in no range. */
static void apply_ranges(const ScanCursor *cursor, const int64_t *times, uint32_t row_count, uint64_t *live) {
    for (uint32_t row = 0; row < row_count; row++) {
        bool inside = false;
        for (uint32_t r = 0; r < cursor->scan->range_count; r++) {
            inside = inside || (times[row] >= cursor->scan->ranges[r].low && times[row] <= cursor->scan->ranges[r].high);
        }
        if (!inside) {
            bit_clear(live, row);
        }
    }
}

/* Live rows of the window; NULL = all. */
static const uint64_t *window_live(ScanCursor *cursor, uint32_t start, uint32_t row_count, uint32_t from, uint32_t to) {
    const LoadedBlock *loaded = &cursor->members[0];
    bool by_row = cursor->scan->range_count > 0 && !loaded->block->sorted;
    bool partial = from > start || to < start + row_count;
    if (loaded->live == NULL && !by_row && !partial) {
        return NULL;
    }
    memset(cursor->live, 0, sizeof cursor->live);
    if (loaded->live == NULL) {
        bits_fill(cursor->live, 0, row_count, true);
    } else {
        memcpy(cursor->live, loaded->live + start / 64, sizeof(uint64_t) * words_for(row_count));
    }
    bits_fill(cursor->live, 0, from - start, false);
    bits_fill(cursor->live, to - start, start + row_count - to, false);
    if (by_row) {
        apply_ranges(cursor, loaded->times + start, row_count, cursor->live);
    }
    return cursor->live;
}

/* Rows that fail leave the window. NULL = none did. */
static const uint64_t *window_filter(ScanCursor *cursor, uint32_t start, uint32_t row_count, const uint64_t *live, bool *exactly_out) {
    *exactly_out = false;
    if (cursor->scan->filter_count == 0 || cursor->members[0].block->segment == NULL) {
        return live;
    }
    scan__filter_rows(cursor, start / GRANULE_ROWS);
    const uint64_t *passing = cursor->passing + start % GRANULE_ROWS / 64;
    *exactly_out = cursor->filtered_exactly;
    for (size_t w = 0; w < BATCH_WORDS; w++) {
        uint64_t word = w >= words_for(row_count) ? 0 : live == NULL ? passing[w] : passing[w] & live[w];
        cursor->live[w] = word;
    }
    return cursor->live;
}

/* The last window of a chunk that still grows is copied: kernels may read on to the next multiple of 64 rows. */
static const void *tail_copy(ScanCursor *cursor, uint16_t column, const uint8_t *data, size_t width, uint32_t row_count) {
    if (cursor->tails[column] == NULL) {
        cursor->tails[column] = arena_alloc_aligned(&cursor->arena, width * BATCH_ROWS, 64);
        memset(cursor->tails[column], 0, width * BATCH_ROWS);
    }
    memcpy(cursor->tails[column], data, width * row_count);
    return cursor->tails[column];
}

static void window_vector(ScanCursor *cursor, uint16_t i, uint32_t start, uint32_t row_count) {
    const LoadedBlock *loaded = &cursor->members[0];
    LoadedColumn *column = &loaded->columns[i];
    Vector *vector = &cursor->vectors[i];
    *vector = scan__vector(cursor->scan, i);
    vector->row_count = (uint16_t)row_count;
    vector->form = column->constant ? VECTOR_CONSTANT : VECTOR_FLAT;
    vector->facts = column->facts;
    vector->data = column->data;
    vector->valid = column->valid;
    if (column->constant) {
        return;
    }
    if (column->reader != NULL) {
        scan__window_encoded(column, start, vector);
        return;
    }
    size_t width = physical_bytes(type_physical(vector->type.id));
    vector->valid = column->valid != NULL ? column->valid + start / 64 : NULL;
    if (width == 0) {
        vector->data = (const uint64_t *)column->data + start / 64;
        return;
    }
    const uint8_t *data = (const uint8_t *)column->data + width * start;
    vector->data = row_count % 64 == 0 || loaded->block->row_count == loaded->block->chunk->capacity ? data : tail_copy(cursor, i, data, width, row_count);
}

static void window_refs(ScanCursor *cursor, uint32_t start, uint32_t row_count, Batch *batch) {
    const ScanBlock *block = cursor->members[0].block;
    for (uint32_t i = 0; cursor->refs != NULL && i < row_count; i++) {
        cursor->refs[i] = (RowRef){block->part->id, block->first_offset + start + i};
    }
    batch->refs = cursor->refs;
}

bool scan__read_flat(ScanCursor *cursor, Batch *batch) {
    while (cursor->position < cursor->to) {
        if (scan__read_sparse(cursor, batch)) {
            return true;
        }
        if (cursor->position >= cursor->to || cursor->code != ERR_OK) {
            return false;
        }
        uint32_t start = cursor->position / BATCH_ROWS * BATCH_ROWS;
        uint32_t row_count = MIN_OF((uint32_t)BATCH_ROWS, cursor->members[0].block->row_count - start);
        uint32_t to = MIN_OF(cursor->to, start + row_count);
        const uint64_t *live = window_live(cursor, start, row_count, cursor->position, to);
        live = window_filter(cursor, start, row_count, live, &batch->filtered);
        uint32_t live_count = live == NULL ? row_count : bits_count(live, row_count);
        cursor->position = to;
        if (live_count == 0) {
            continue;
        }
        batch->row_count = (uint16_t)row_count;
        batch->live_count = (uint16_t)live_count;
        batch->live = live_count == row_count ? NULL : live;
        batch->first = (RowPosition){cursor->morsel_number, start};
        for (uint16_t i = 0; i < cursor->scan->column_count; i++) {
            window_vector(cursor, i, start, row_count);
        }
        window_refs(cursor, start, row_count, batch);
        return true;
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 * scan_sparse.c - filters applied to a segment's packed granules, and batches of the few rows that they leave.
 *
 * Why:        a symbol of one percent leaves ten rows of a window: a batch for each window would cost more than its rows. So the rows that
 *             are left of many granules make one batch, whose columns are ENCODED and unpack just these rows when somebody looks.
 * Layout:     cursor->index names the rows in the block, rising.
 * Tests:      test/unit/engine/test_segments.c, test/sql/filters.slt */
#include "table/scan_internal.h"

enum { SPARSE_SHARE = 4, GRANULE_WORDS = GRANULE_ROWS / 64 };

void scan__filter_rows(ScanCursor *cursor, uint32_t number) {
    const Scan *scan = cursor->scan;
    const LoadedBlock *loaded = &cursor->members[0];
    if (cursor->filtered_granule == (int64_t)number) {
        return;
    }
    uint32_t rows = MIN_OF((uint32_t)GRANULE_ROWS, loaded->block->row_count - number * GRANULE_ROWS);
    cursor->filtered_granule = number;
    cursor->filtered_exactly = true;
    memset(cursor->passing, 0, sizeof cursor->passing);
    bits_fill(cursor->passing, 0, rows, true);
    for (uint16_t f = 0; f < scan->filter_count; f++) {
        int32_t place = scan->filter_places[f];
        if (scan->filters[f].prune_only) {
            continue;
        }
        if (f > 0 && bits_count(cursor->passing, rows) == 0) {
            return;
        }
        bool done = place >= 0 && scan__filter_granule(cursor, &loaded->columns[place], number, &scan->filters[f], cursor->passing);
        cursor->filtered_exactly = cursor->filtered_exactly && done;
    }
}

/* Rows of a granule, from row `from` of the block to `to`, that are visible and pass. */
static void wanted_rows(ScanCursor *cursor, uint32_t number, uint32_t from, uint32_t to, uint64_t *rows) {
    const LoadedBlock *loaded = &cursor->members[0];
    uint32_t first = number * GRANULE_ROWS;
    scan__filter_rows(cursor, number);
    for (size_t w = 0; w < GRANULE_WORDS; w++) {
        bool inside = first + w * 64 < loaded->block->row_count;
        rows[w] = loaded->live == NULL || !inside ? cursor->passing[w] : cursor->passing[w] & loaded->live[first / 64 + w];
    }
    bits_fill(rows, 0, from - first, false);
    if (to < first + GRANULE_ROWS) {
        bits_fill(rows, to - first, first + GRANULE_ROWS - to, false);
    }
}

static uint32_t append_rows(ScanCursor *cursor, uint32_t count, uint32_t first, const uint64_t *rows) {
    for (size_t w = 0; w < GRANULE_WORDS; w++) {
        for (uint64_t word = rows[w]; word != 0; word &= word - 1) {
            cursor->index[count++] = (uint16_t)(first + w * 64 + (uint32_t)__builtin_ctzll(word));
        }
    }
    return count;
}

/* Fills cursor->index; stops before a granule that has no place in it, or that is better read as it lies. */
static uint32_t collect_rows(ScanCursor *cursor) {
    uint32_t count = 0;
    while (cursor->position < cursor->to) {
        uint32_t number = cursor->position / GRANULE_ROWS, end = MIN_OF((number + 1) * GRANULE_ROWS, cursor->to);
        uint64_t rows[GRANULE_WORDS];
        wanted_rows(cursor, number, cursor->position, end, rows);
        uint32_t more = bits_count(rows, GRANULE_ROWS);
        bool sparse = cursor->filtered_exactly && more <= (end - cursor->position) / SPARSE_SHARE;
        if (!sparse || count + more > BATCH_ROWS || cursor->code != ERR_OK) {
            break;
        }
        count = append_rows(cursor, count, number * GRANULE_ROWS, rows);
        cursor->position = end;
    }
    return count;
}

static void row_vector(ScanCursor *cursor, uint16_t i, uint32_t count) {
    const LoadedColumn *column = &cursor->members[0].columns[i];
    Vector *vector = &cursor->vectors[i];
    *vector = scan__vector(cursor->scan, i);
    vector->row_count = (uint16_t)count;
    vector->facts = column->facts;
    if (column->reader != NULL) {
        scan__rows_encoded(column, vector);
        return;
    }
    assert(column->constant);
    vector->form = VECTOR_CONSTANT;
    vector->data = column->data;
    vector->valid = column->valid;
}

void scan__emit_rows(ScanCursor *cursor, uint32_t count, Batch *batch) {
    const ScanBlock *block = cursor->members[0].block;
    assert(block->segment != NULL);
    batch->row_count = batch->live_count = (uint16_t)count;
    batch->first = (RowPosition){cursor->morsel_number, cursor->index[0]};
    for (uint16_t i = 0; i < cursor->scan->column_count; i++) {
        row_vector(cursor, i, count);
    }
    for (uint32_t i = 0; cursor->refs != NULL && i < count; i++) {
        cursor->refs[i] = (RowRef){block->part->id, block->first_offset + cursor->index[i]};
    }
    batch->refs = cursor->refs;
}

bool scan__read_sparse(ScanCursor *cursor, Batch *batch) {
    const ScanBlock *block = cursor->members[0].block;
    bool by_row = cursor->scan->range_count > 0 && !block->sorted;
    if (cursor->scan->filter_count == 0 || block->segment == NULL || by_row) {
        return false;
    }
    uint32_t count = collect_rows(cursor);
    if (count == 0) {
        return false;
    }
    scan__emit_rows(cursor, count, batch);
    batch->filtered = true;
    return true;
}

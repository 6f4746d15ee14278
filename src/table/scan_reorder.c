/* SPDX-License-Identifier: Apache-2.0
 * scan_reorder.c - one block by time, either way: up to 1,024 live rows named by an index into the whole block; no value is copied.
 *
 * Tests: test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_internal.h"

/* Fills cursor->index with the next live rows; returns how many. */
static uint32_t pick_rows(ScanCursor *cursor) {
    LoadedBlock *loaded = &cursor->members[0];
    loaded->touched = 0;
    bool down = cursor->scan->order == SCAN_DESCENDING;
    uint32_t count = 0;
    while (cursor->position < cursor->to && count < BATCH_ROWS) {
        uint32_t position = down ? cursor->to - 1 : cursor->position;
        uint32_t row = scan__row_at(loaded, position);
        cursor->to -= down;
        cursor->position += !down;
        if (loaded->live == NULL || bit_get(loaded->live, row)) {
            cursor->index[count++] = (uint16_t)row;
            loaded->touched |= UINT32_C(1) << (row / GRANULE_ROWS);
        }
    }
    return count;
}

static void index_vector(ScanCursor *cursor, uint16_t i, uint32_t row_count) {
    LoadedBlock *loaded = &cursor->members[0];
    scan__ensure(cursor, loaded, i, loaded->touched);
    const LoadedColumn *column = &loaded->columns[i];
    Vector *base = &cursor->bases[i];
    *base = scan__vector(cursor->scan, i);
    base->form = column->constant ? VECTOR_CONSTANT : VECTOR_FLAT;
    base->facts = column->facts;
    base->data = column->data;
    base->valid = column->valid;
    base->row_count = (uint16_t)row_count;
    if (column->constant) {
        cursor->vectors[i] = *base;
        return;
    }
    cursor->vectors[i] = scan__vector(cursor->scan, i);
    cursor->vectors[i].form = VECTOR_INDEXED;
    cursor->vectors[i].facts = base->facts;
    cursor->vectors[i].row_count = (uint16_t)row_count;
    cursor->vectors[i].base = base;
    cursor->vectors[i].base_count = loaded->block->row_count;
    cursor->vectors[i].index = cursor->index;
}

void scan__emit_index(ScanCursor *cursor, uint32_t count, Batch *batch) {
    const ScanBlock *block = cursor->members[0].block;
    batch->row_count = batch->live_count = (uint16_t)count;
    batch->first = (RowPosition){cursor->morsel_number, cursor->row_number};
    cursor->row_number += count;
    for (uint16_t i = 0; i < cursor->scan->column_count; i++) {
        index_vector(cursor, i, count);
    }
    for (uint32_t i = 0; cursor->refs != NULL && i < count; i++) {
        cursor->refs[i] = (RowRef){block->part->id, block->first_offset + cursor->index[i]};
    }
    batch->refs = cursor->refs;
}

bool scan__read_reordered(ScanCursor *cursor, Batch *batch) {
    uint32_t count = pick_rows(cursor);
    if (count == 0) {
        return false;
    }
    scan__emit_index(cursor, count, batch);
    return true;
}

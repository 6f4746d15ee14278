/* SPDX-License-Identifier: Apache-2.0
 * scan_merge.c - several blocks that overlap in time, merged row by row and gathered into vectors of their own.
 *
 * Order:   (time, arrival); reversed as a whole for a descending scan.
 * Tests:   test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_internal.h"

/* Does a come before b? */
static bool before(const ScanCursor *cursor, const MergeHead *a, const MergeHead *b) {
    bool less = a->time != b->time ? a->time < b->time : a->arrival < b->arrival;
    return cursor->scan->order == SCAN_DESCENDING ? !less : less;
}

static void sift_down(ScanCursor *cursor, uint32_t at) {
    MergeHead head = cursor->heap[at];
    for (;;) {
        uint32_t child = at * 2 + 1;
        if (child + 1 < cursor->heap_count && before(cursor, &cursor->heap[child + 1], &cursor->heap[child])) {
            child++;
        }
        if (child >= cursor->heap_count || !before(cursor, &cursor->heap[child], &head)) {
            break;
        }
        cursor->heap[at] = cursor->heap[child];
        at = child;
    }
    cursor->heap[at] = head;
}

/* Row that a member offers next; skips dead ones. false: used up. */
static bool member_row(const ScanCursor *cursor, LoadedBlock *member, uint32_t *row_out) {
    while (member->from < member->to) {
        uint32_t position = cursor->scan->order == SCAN_DESCENDING ? member->to - 1 : member->from;
        uint32_t row = scan__row_at(member, position);
        if (member->live == NULL || bit_get(member->live, row)) {
            *row_out = row;
            return true;
        }
        if (cursor->scan->order == SCAN_DESCENDING) {
            member->to--;
        } else {
            member->from++;
        }
    }
    return false;
}

static bool head_of(ScanCursor *cursor, uint32_t at, MergeHead *head) {
    LoadedBlock *member = &cursor->members[at];
    uint32_t row = 0;
    if (!member_row(cursor, member, &row)) {
        return false;
    }
    *head = (MergeHead){member->times[row], member->block->arrival, at, row};
    return true;
}

void scan__merge_start(ScanCursor *cursor) {
    cursor->heap = arena_array(&cursor->block_arena, MergeHead, cursor->member_count);
    cursor->gather_bases = arena_array(&cursor->block_arena, const uint8_t *, cursor->member_count);
    cursor->gather_strides = arena_array(&cursor->block_arena, size_t, cursor->member_count);
    cursor->heap_count = 0;
    for (uint32_t i = 0; i < cursor->member_count; i++) {
        if (head_of(cursor, i, &cursor->heap[cursor->heap_count])) {
            cursor->heap_count++;
        }
    }
    for (uint32_t at = cursor->heap_count / 2; at > 0; at--) {
        sift_down(cursor, at - 1);
    }
}

static void merge_pop(ScanCursor *cursor, uint32_t *member_out, uint32_t *row_out) {
    uint32_t at = cursor->heap[0].member;
    LoadedBlock *member = &cursor->members[at];
    *member_out = at;
    *row_out = cursor->heap[0].row;
    member->touched |= UINT32_C(1) << (*row_out / GRANULE_ROWS);
    if (cursor->scan->order == SCAN_DESCENDING) {
        member->to--;
    } else {
        member->from++;
    }
    if (!head_of(cursor, at, &cursor->heap[0])) {
        cursor->heap[0] = cursor->heap[--cursor->heap_count];
    }
    if (cursor->heap_count > 1) {
        sift_down(cursor, 0);
    }
}

/* One loop per width, so that the copy is one or two instructions. */
#define GATHER(width)                                                                                                  \
    for (uint32_t n = 0; n < count; n++) {                                                                             \
        uint32_t member = cursor->pick_members[n];                                                                     \
        memcpy(to + (size_t)(width) * n, cursor->gather_bases[member] + cursor->gather_strides[member] * cursor->picks[n], (width)); \
    }

static void gather_values(ScanCursor *cursor, uint16_t i, size_t width, uint32_t count, uint8_t *to) {
    for (uint32_t m = 0; m < cursor->member_count; m++) {
        const LoadedColumn *column = &cursor->members[m].columns[i];
        cursor->gather_bases[m] = column->data;
        cursor->gather_strides[m] = column->constant ? 0 : width;
    }
    switch (width) {
    case 1: GATHER(1) break;
    case 2: GATHER(2) break;
    case 4: GATHER(4) break;
    case 8: GATHER(8) break;
    default: GATHER(16) break;
    }
}
#undef GATHER

static void gather_bits(ScanCursor *cursor, uint16_t i, uint32_t count, uint64_t *to) {
    memset(to, 0, sizeof(uint64_t) * BATCH_WORDS);
    for (uint32_t n = 0; n < count; n++) {
        const LoadedColumn *column = &cursor->members[cursor->pick_members[n]].columns[i];
        if (bit_get(column->data, column->constant ? 0 : cursor->picks[n])) {
            bit_set(to, n);
        }
    }
}

static bool gather_valid(ScanCursor *cursor, uint16_t i, uint32_t count, uint64_t *to) {
    bool nulls = false;
    bool possible = false;
    for (uint32_t m = 0; m < cursor->member_count; m++) {
        possible = possible || cursor->members[m].columns[i].valid != NULL;
    }
    if (!possible) {
        return false;
    }
    memset(to, 0xff, sizeof(uint64_t) * BATCH_WORDS);
    for (uint32_t n = 0; n < count; n++) {
        const LoadedColumn *column = &cursor->members[cursor->pick_members[n]].columns[i];
        if (column->valid != NULL && !bit_get(column->valid, column->constant ? 0 : cursor->picks[n])) {
            bit_clear(to, n);
            nulls = true;
        }
    }
    return nulls;
}

static void gather_vector(ScanCursor *cursor, uint16_t i, uint32_t count) {
    Vector *vector = &cursor->vectors[i];
    for (uint32_t m = 0; m < cursor->member_count; m++) {
        scan__ensure(cursor, &cursor->members[m], i, cursor->members[m].touched);
    }
    if (cursor->code != ERR_OK) {
        return;
    }
    *vector = scan__vector(cursor->scan, i);
    size_t width = physical_bytes(type_physical(vector->type.id));
    if (cursor->gathered[i] == NULL) {
        cursor->gathered[i] = arena_alloc_aligned(&cursor->arena, MAX_OF(width * BATCH_ROWS, sizeof(uint64_t) * BATCH_WORDS), 64);
        memset(cursor->gathered[i], 0, MAX_OF(width * BATCH_ROWS, sizeof(uint64_t) * BATCH_WORDS));
        cursor->gathered_valid[i] = arena_alloc_aligned(&cursor->arena, sizeof(uint64_t) * BATCH_WORDS, 64);
    }
    if (width == 0) {
        gather_bits(cursor, i, count, cursor->gathered[i]);
    } else {
        gather_values(cursor, i, width, count, cursor->gathered[i]);
    }
    bool nulls = gather_valid(cursor, i, count, cursor->gathered_valid[i]);
    vector->row_count = (uint16_t)count;
    vector->data = cursor->gathered[i];
    vector->valid = nulls ? cursor->gathered_valid[i] : NULL;
    vector->facts = nulls ? 0 : FACT_NO_NULLS;
}

bool scan__read_merged(ScanCursor *cursor, Batch *batch) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < cursor->member_count; m++) {
        cursor->members[m].touched = 0;
    }
    while (cursor->heap_count > 0 && count < BATCH_ROWS) {
        merge_pop(cursor, &cursor->pick_members[count], &cursor->picks[count]);
        count++;
    }
    if (count == 0) {
        return false;
    }
    batch->row_count = batch->live_count = (uint16_t)count;
    batch->first = (RowPosition){cursor->morsel_number, cursor->row_number};
    cursor->row_number += count;
    for (uint16_t i = 0; i < cursor->scan->column_count; i++) {
        gather_vector(cursor, i, count);
    }
    for (uint32_t n = 0; cursor->refs != NULL && n < count; n++) {
        const ScanBlock *block = cursor->members[cursor->pick_members[n]].block;
        cursor->refs[n] = (RowRef){block->part->id, block->first_offset + cursor->picks[n]};
    }
    batch->refs = cursor->refs;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * layout.c - which columns the chunks of a part hold; facts about times. */
#include "chunk/chunk.h"

ChunkLayout *layout_create(const LayoutColumn *columns, uint16_t column_count, int16_t time_column) {
    ChunkLayout *layout = mem_alloc(sizeof *layout + sizeof(LayoutColumn) * column_count);
    layout->column_count = column_count;
    layout->time_column = -1;
    uint32_t time_id = time_column >= 0 ? columns[time_column].id : 0;
    for (uint16_t i = 0; i < column_count; i++) {
        int at = i;
        for (; at > 0 && layout->columns[at - 1].id > columns[i].id; at--) {
            layout->columns[at] = layout->columns[at - 1];
        }
        layout->columns[at] = columns[i];
    }
    for (uint16_t i = 0; time_column >= 0 && i < column_count; i++) {
        if (layout->columns[i].id == time_id) {
            layout->time_column = (int16_t)i;
        }
    }
    return layout;
}

bool layout_equal(const ChunkLayout *a, const ChunkLayout *b) {
    return a->column_count == b->column_count && a->time_column == b->time_column &&
           (a->column_count == 0 || memcmp(a->columns, b->columns, sizeof(LayoutColumn) * a->column_count) == 0);
}

int layout_find(const ChunkLayout *layout, uint32_t column_id) {
    int low = 0;
    int high = layout->column_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (layout->columns[middle].id < column_id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < layout->column_count && layout->columns[low].id == column_id ? low : -1;
}

size_t layout_row_bytes(const ChunkLayout *layout) {
    size_t bytes = 0;
    for (uint16_t i = 0; i < layout->column_count; i++) {
        bytes += MAX_OF(physical_bytes(type_physical(layout->columns[i].type.id)), (size_t)1);
    }
    return bytes;
}

TimeFacts time_facts_of(const int64_t *times, uint32_t row_count) {
    if (row_count == 0) {
        return (TimeFacts){.sorted = true};
    }
    TimeFacts facts = {times[0], times[0], times[0], times[row_count - 1], true, true};
    bool sorted = true;
    for (uint32_t i = 1; i < row_count; i++) {
        facts.min = MIN_OF(facts.min, times[i]);
        facts.max = MAX_OF(facts.max, times[i]);
        sorted &= times[i] >= times[i - 1];
    }
    facts.sorted = sorted;
    return facts;
}

void time_facts_add(TimeFacts *facts, const TimeFacts *behind) {
    if (!behind->any) {
        return;
    }
    if (!facts->any) {
        *facts = *behind;
        return;
    }
    facts->sorted = facts->sorted && behind->sorted && behind->first >= facts->last;
    facts->min = MIN_OF(facts->min, behind->min);
    facts->max = MAX_OF(facts->max, behind->max);
    facts->last = behind->last;
}

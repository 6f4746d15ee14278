/* SPDX-License-Identifier: Apache-2.0
 * runs.c - begin stamps, one per run of rows.
 *
 * Why:        rows arrive in batches; a stamp per batch costs 0.1 ns a row to make and nothing to test, against 1.1-1.4 per row.
 * Invariants: runs are sorted by first row, the first starts at 0, neighbours have different stamps, no run is empty.
 * Threads:    under the owner's mutex.
 * Tests:      test/unit/txn/test_runs.c */
#include "base/memory.h"
#include "txn/txn.h"

static void room_for(RunList *list, uint32_t more) {
    if (list->count + more <= list->capacity) {
        return;
    }
    list->capacity = MAX_OF(list->count + more, list->capacity == 0 ? 2 : list->capacity * 2);
    list->runs = mem_realloc(list->runs, sizeof(Run) * list->capacity);
}

void runs_deinit(RunList *list) {
    mem_free(list->runs);
    *list = (RunList){0};
}

void runs_append(RunList *list, uint32_t row_count, Stamp stamp) {
    assert(row_count > 0);
    uint32_t first = list->end;
    list->end += row_count;
    if (list->count > 0 && list->runs[list->count - 1].stamp == stamp) {
        return;
    }
    room_for(list, 1);
    list->runs[list->count++] = (Run){first, stamp};
}

/* The run that holds the row. */
static uint32_t run_at(const RunList *list, uint32_t row) {
    assert(row < list->end);
    uint32_t low = 0;
    uint32_t high = list->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (list->runs[middle].first <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

Stamp runs_get(const RunList *list, uint32_t row) {
    return list->runs[run_at(list, row)].stamp;
}

/* Makes a run start at `row`; returns its place. row == end is the place behind the last. */
static uint32_t split_at(RunList *list, uint32_t row) {
    if (row == list->end) {
        return list->count;
    }
    uint32_t at = run_at(list, row);
    if (list->runs[at].first == row) {
        return at;
    }
    room_for(list, 1);
    memmove(&list->runs[at + 2], &list->runs[at + 1], sizeof(Run) * (list->count - at - 1));
    list->runs[at + 1] = (Run){row, list->runs[at].stamp};
    list->count++;
    return at + 1;
}

static void remove_runs(RunList *list, uint32_t from, uint32_t to) {
    assert(from <= to);
    memmove(&list->runs[from], &list->runs[to], sizeof(Run) * (list->count - to));
    list->count -= to - from;
}

void runs_set(RunList *list, RowSpan rows, Stamp stamp) {
    assert(rows.first < rows.end);
    assert(rows.end <= list->end);
    uint32_t to = split_at(list, rows.end);
    uint32_t count_before = list->count;
    uint32_t from = split_at(list, rows.first);
    to += list->count - count_before;
    list->runs[from].stamp = stamp;
    remove_runs(list, from + 1, to);
    if (from + 1 < list->count && list->runs[from + 1].stamp == stamp) {
        remove_runs(list, from + 1, from + 2);
    }
    if (from > 0 && list->runs[from - 1].stamp == stamp) {
        remove_runs(list, from, from + 1);
        from--;
    }
    list->clean_count = MIN_OF(list->clean_count, from);
    if (list->clean_count == 0) {
        list->clean_lsn = 0;
    }
}

static void note_clean(RunList *list) {
    while (list->clean_count < list->count && stamp_is_settled(list->runs[list->clean_count].stamp)) {
        list->clean_lsn = MAX_OF(list->clean_lsn, list->runs[list->clean_count].stamp);
        list->clean_count++;
    }
}

static uint32_t run_end(const RunList *list, uint32_t at) {
    return at + 1 < list->count ? list->runs[at + 1].first : list->end;
}

uint32_t runs_visible(RunList *list, const Snapshot *snapshot, uint32_t limit, RowSpan *spans, uint32_t span_max) {
    assert(limit <= list->end);
    note_clean(list);
    RowSpan open = {0, 0};
    uint32_t at = 0;
    uint32_t span_count = 0;
    if (list->clean_count > 0 && list->clean_lsn <= snapshot->lsn) {
        at = list->clean_count;
        open.end = MIN_OF(run_end(list, at - 1), limit);
    }
    for (; at < list->count && list->runs[at].first < limit; at++) {
        if (!stamp_visible(list->runs[at].stamp, snapshot)) {
            continue;
        }
        if (open.end != list->runs[at].first && open.end > open.first) {
            if (span_count < span_max) {
                spans[span_count] = open;
            }
            span_count++;
        }
        if (open.end != list->runs[at].first || open.end == open.first) {
            open.first = list->runs[at].first;
        }
        open.end = MIN_OF(run_end(list, at), limit);
    }
    if (open.end > open.first) {
        if (span_count < span_max) {
            spans[span_count] = open;
        }
        span_count++;
    }
    return span_count;
}

void runs_collapse(RunList *list, uint64_t horizon) {
    note_clean(list);
    if (list->clean_count < 2 || list->clean_lsn > horizon) {
        return;
    }
    list->runs[0].stamp = list->clean_lsn;
    remove_runs(list, 1, list->clean_count);
    list->clean_count = 1;
}

bool runs_all_settled(const RunList *list) {
    for (uint32_t i = list->clean_count; i < list->count; i++) {
        if (!stamp_is_settled(list->runs[i].stamp)) {
            return false;
        }
    }
    return true;
}

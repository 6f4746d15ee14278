/* SPDX-License-Identifier: Apache-2.0
 * ends.c - end stamps of rows, per granule of 4,096: nothing, a few sorted entries, or a stamp a row; plus one bit a row for old ones.
 *
 * Why:        most granules have no end at all, and then a scan pays one pointer test. Ends that every snapshot sees collapse to a
 *             bitmap, because a stamp a row costs 32 KiB a granule.
 * Invariants: a row has its end either in `old` or in the entries, never in both; `rows` is sorted.
 * Threads:    under the owner's mutex.
 * Tests:      test/unit/txn/test_ends.c */
#include "base/memory.h"
#include "txn/txn.h"

enum { GRANULE_WORDS = END_GRANULE_ROWS / 64 };

struct EndGranule {
    uint64_t *old;           /* GRANULE_WORDS words, or NULL: dead for every snapshot */
    Stamp *dense;            /* END_GRANULE_ROWS stamps, or NULL */
    uint32_t recent_count;   /* entries with a stamp, sparse or dense */
    uint16_t rows[END_SPARSE_MAX];
    Stamp stamps[END_SPARSE_MAX];
};

void ends_deinit(EndMap *map) {
    for (uint32_t i = 0; map->granules != NULL && i < map->granule_count; i++) {
        if (map->granules[i] != NULL) {
            mem_free(map->granules[i]->old);
            mem_free(map->granules[i]->dense);
            mem_free(map->granules[i]);
        }
    }
    mem_free(map->granules);
    *map = (EndMap){0};
}

static const EndGranule *granule_of(const EndMap *map, uint32_t row) {
    uint32_t at = row / END_GRANULE_ROWS;
    return map->granules == NULL || at >= map->granule_count ? NULL : map->granules[at];
}

/* First entry whose row is not below `row`. */
static uint32_t sparse_place(const EndGranule *granule, uint32_t row) {
    uint32_t low = 0;
    uint32_t high = granule->recent_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (granule->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static Stamp granule_get(const EndGranule *granule, uint32_t row) {
    if (granule->old != NULL && ((granule->old[row / 64] >> (row % 64)) & 1) != 0) {
        return STAMP_ALWAYS;
    }
    if (granule->dense != NULL) {
        return granule->dense[row];
    }
    uint32_t at = sparse_place(granule, row);
    return at < granule->recent_count && granule->rows[at] == row ? granule->stamps[at] : STAMP_NEVER;
}

Stamp ends_get(const EndMap *map, uint32_t row) {
    const EndGranule *granule = granule_of(map, row);
    return granule == NULL ? STAMP_NEVER : granule_get(granule, row % END_GRANULE_ROWS);
}

static void make_dense(EndGranule *granule) {
    granule->dense = mem_alloc(sizeof(Stamp) * END_GRANULE_ROWS);
    for (uint32_t i = 0; i < END_GRANULE_ROWS; i++) {
        granule->dense[i] = STAMP_NEVER;
    }
    for (uint32_t i = 0; i < granule->recent_count; i++) {
        granule->dense[granule->rows[i]] = granule->stamps[i];
    }
}

static void sparse_remove(EndGranule *granule, uint32_t at) {
    size_t behind = granule->recent_count - at - 1;
    memmove(&granule->rows[at], &granule->rows[at + 1], sizeof granule->rows[0] * behind);
    memmove(&granule->stamps[at], &granule->stamps[at + 1], sizeof granule->stamps[0] * behind);
    granule->recent_count--;
}

static void sparse_insert(EndGranule *granule, uint32_t at, uint32_t row, Stamp stamp) {
    size_t behind = granule->recent_count - at;
    memmove(&granule->rows[at + 1], &granule->rows[at], sizeof granule->rows[0] * behind);
    memmove(&granule->stamps[at + 1], &granule->stamps[at], sizeof granule->stamps[0] * behind);
    granule->rows[at] = (uint16_t)row;
    granule->stamps[at] = stamp;
    granule->recent_count++;
}

static void dense_set(EndGranule *granule, uint32_t row, Stamp stamp) {
    granule->recent_count += (stamp != STAMP_NEVER) - (granule->dense[row] != STAMP_NEVER);
    granule->dense[row] = stamp;
}

static void sparse_set(EndGranule *granule, uint32_t row, Stamp stamp) {
    uint32_t at = sparse_place(granule, row);
    bool found = at < granule->recent_count && granule->rows[at] == row;
    if (found && stamp == STAMP_NEVER) {
        sparse_remove(granule, at);
    } else if (found) {
        granule->stamps[at] = stamp;
    } else if (stamp != STAMP_NEVER && granule->recent_count < END_SPARSE_MAX) {
        sparse_insert(granule, at, row, stamp);
    } else if (stamp != STAMP_NEVER) {
        make_dense(granule);
        dense_set(granule, row, stamp);
    }
}

static void old_add(EndGranule *granule, uint32_t row) {
    if (granule->old == NULL) {
        granule->old = mem_calloc(GRANULE_WORDS, sizeof(uint64_t));
    }
    granule->old[row / 64] |= UINT64_C(1) << (row % 64);
}

static EndGranule *granule_make(EndMap *map, uint32_t row_count, uint32_t row) {
    if (map->granules == NULL) {
        map->granule_count = (row_count + END_GRANULE_ROWS - 1) / END_GRANULE_ROWS;
        map->granules = mem_calloc(map->granule_count, sizeof map->granules[0]);
    }
    uint32_t at = row / END_GRANULE_ROWS;
    assert(at < map->granule_count);
    if (map->granules[at] == NULL) {
        map->granules[at] = mem_calloc(1, sizeof(EndGranule));
    }
    return map->granules[at];
}

void ends_set(EndMap *map, uint32_t row_count, uint32_t row, Stamp stamp) {
    assert(row < row_count);
    EndGranule *granule = granule_make(map, row_count, row);
    uint32_t in_granule = row % END_GRANULE_ROWS;
    Stamp before = granule_get(granule, in_granule);
    if (before == stamp) {
        return;
    }
    assert(before != STAMP_ALWAYS); /* an end that all see is never taken back */
    map->ended_rows += (stamp != STAMP_NEVER) - (before != STAMP_NEVER);
    Stamp entry = stamp == STAMP_ALWAYS ? STAMP_NEVER : stamp;
    if (granule->dense != NULL) {
        dense_set(granule, in_granule, entry);
    } else {
        sparse_set(granule, in_granule, entry);
    }
    if (stamp == STAMP_ALWAYS) {
        old_add(granule, in_granule);
    }
}

void ends_kill(EndMap *map, uint32_t row_count, RowSpan rows) {
    while (rows.first < rows.end) {
        EndGranule *granule = granule_make(map, row_count, rows.first);
        uint32_t from = rows.first % END_GRANULE_ROWS;
        bool whole = from == 0 && rows.end - rows.first >= END_GRANULE_ROWS && granule->recent_count == 0 && granule->old == NULL;
        if (!whole) {
            ends_set(map, row_count, rows.first++, STAMP_ALWAYS);
            continue;
        }
        granule->old = mem_alloc(sizeof(uint64_t) * GRANULE_WORDS);
        memset(granule->old, 0xff, sizeof(uint64_t) * GRANULE_WORDS);
        map->ended_rows += END_GRANULE_ROWS;
        rows.first += END_GRANULE_ROWS;
    }
}

/* Applies rows [first, first + row_count) of one granule; live's bit 0 is row `first`. */
static bool granule_apply(const EndGranule *granule, uint32_t first, uint32_t row_count, const Snapshot *snapshot, uint64_t *live) {
    bool any = false;
    for (uint32_t w = 0; granule->old != NULL && w < (row_count + 63) / 64; w++) {
        uint64_t old = granule->old[first / 64 + w];
        any = any || old != 0;
        live[w] &= ~old;
    }
    if (granule->dense != NULL) {
        for (uint32_t i = 0; i < row_count; i++) {
            if (stamp_visible(granule->dense[first + i], snapshot)) {
                live[i / 64] &= ~(UINT64_C(1) << (i % 64));
                any = true;
            }
        }
        return any;
    }
    for (uint32_t at = sparse_place(granule, first); at < granule->recent_count && granule->rows[at] < first + row_count; at++) {
        if (stamp_visible(granule->stamps[at], snapshot)) {
            uint32_t i = granule->rows[at] - first;
            live[i / 64] &= ~(UINT64_C(1) << (i % 64));
            any = true;
        }
    }
    return any;
}

bool ends_apply(const EndMap *map, uint32_t first, uint32_t row_count, const Snapshot *snapshot, uint64_t *live) {
    assert(first % 64 == 0);
    bool any = false;
    uint32_t end = first + row_count;
    for (uint32_t at = first; at < end && map->granules != NULL;) {
        uint32_t stop = MIN_OF(end, (at / END_GRANULE_ROWS + 1) * END_GRANULE_ROWS);
        const EndGranule *granule = granule_of(map, at);
        if (granule != NULL) {
            any |= granule_apply(granule, at % END_GRANULE_ROWS, stop - at, snapshot, live + (at - first) / 64);
        }
        at = stop;
    }
    return any;
}

bool ends_next(const EndMap *map, uint32_t *cursor, uint32_t *row_out, Stamp *stamp_out) {
    uint32_t row = *cursor;
    while (map->granules != NULL && row / END_GRANULE_ROWS < map->granule_count) {
        const EndGranule *granule = granule_of(map, row);
        if (granule == NULL || (granule->old == NULL && granule->recent_count == 0)) {
            row = (row / END_GRANULE_ROWS + 1) * END_GRANULE_ROWS;
            continue;
        }
        Stamp stamp = granule_get(granule, row % END_GRANULE_ROWS);
        if (stamp != STAMP_NEVER) {
            *row_out = row;
            *stamp_out = stamp;
            *cursor = row + 1;
            return true;
        }
        row++;
    }
    *cursor = row;
    return false;
}

static void sparse_collapse(EndGranule *granule, uint64_t horizon) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < granule->recent_count; i++) {
        if (granule->stamps[i] <= horizon) {
            old_add(granule, granule->rows[i]);
            continue;
        }
        granule->rows[kept] = granule->rows[i];
        granule->stamps[kept++] = granule->stamps[i];
    }
    granule->recent_count = kept;
}

static void dense_collapse(EndGranule *granule, uint64_t horizon) {
    for (uint32_t row = 0; row < END_GRANULE_ROWS; row++) {
        if (granule->dense[row] <= horizon) {
            old_add(granule, row);
            dense_set(granule, row, STAMP_NEVER);
        }
    }
    if (granule->recent_count == 0) {
        mem_free(granule->dense);
        granule->dense = NULL;
    }
}

void ends_collapse(EndMap *map, uint64_t horizon) {
    for (uint32_t i = 0; map->granules != NULL && i < map->granule_count; i++) {
        EndGranule *granule = map->granules[i];
        if (granule == NULL) {
            continue;
        }
        if (granule->dense != NULL) {
            dense_collapse(granule, horizon);
        } else {
            sparse_collapse(granule, horizon);
        }
    }
}

bool ends_all_old(const EndMap *map, uint32_t row_count) {
    if (map->ended_rows < row_count) {
        return false;
    }
    for (uint32_t i = 0; i < map->granule_count; i++) {
        if (map->granules[i] == NULL || map->granules[i]->recent_count > 0) {
            return false;
        }
    }
    return true;
}

size_t ends_bytes(const EndMap *map) {
    size_t bytes = sizeof(void *) * map->granule_count;
    for (uint32_t i = 0; map->granules != NULL && i < map->granule_count; i++) {
        const EndGranule *granule = map->granules[i];
        if (granule != NULL) {
            bytes += sizeof *granule + (granule->old != NULL ? GRANULE_WORDS * sizeof(uint64_t) : 0) +
                     (granule->dense != NULL ? END_GRANULE_ROWS * sizeof(Stamp) : 0);
        }
    }
    return bytes;
}

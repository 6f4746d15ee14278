/* SPDX-License-Identifier: Apache-2.0
 * merge_pick.c - which parts are due to be merged.
 *
 * Levels:     parts of one rank came from one flush, load or merge and do not overlap: they are one level. Only neighbours in rank are merged,
 *             so that rows of equal time stay in the order of their arrival.
 * Join:       small neighbours become one file once they make a full one, or are JOIN_LEVELS: a row is joined once.
 * Overlap:    a level is merged with all newer ones, where they overlap, once the newer rows are as many as the older ones they touch: so a
 *             row that is written again lies in a stretch at least twice as large. With FAN_IN levels at least, the rows of a partition
 *             filled by batches in any order are written about 2 + log4(partition / batch) times; late rows cost what they touch.
 * Depth:      where more than DEPTH_MAX levels lie above one another, the newest ones are merged whatever their size.
 * Garbage:    parts a fifth of whose rows have ended for all, and files less than half of whose rows are still named, are written again.
 * Threads:    under the table's lock; nothing is looked for before the list or its ends change.
 * Tests:      test/unit/engine/test_merges.c */
#include "table/table_internal.h"

enum { LEVELS_MAX = 4096, FAN_IN = 4, DEPTH_MAX = 8, SMALL_BLOCKS = 4, JOIN_BLOCKS = 16, JOIN_LEVELS = 16, MERGE_BLOCKS_MAX = 128 };

typedef struct Level { uint32_t first, count; uint64_t rows; bool border; } Level;
typedef struct Levels { Level *items; uint32_t count; } Levels;

static bool is_mergeable(const Part *part) {
    return part->file != NULL && part->end == STAMP_NEVER && stamp_is_settled(part->begin) && !part->busy;
}

/* A part that cannot be merged now is a border: nothing is merged across it. */
static Levels levels_of(const Table *table) {
    Levels levels = {.items = mem_calloc(MIN_OF(table->part_count, (uint32_t)LEVELS_MAX) + 1u, sizeof(Level))};
    bool fresh = true;
    for (uint32_t i = 0; i < table->part_count && levels.count < LEVELS_MAX; i++) {
        const Part *part = table->parts[i];
        if (part->end != STAMP_NEVER) {
            continue; /* retired */
        }
        if (!is_mergeable(part)) {
            levels.items[levels.count++] = (Level){.first = i, .border = true};
            fresh = true;
            continue;
        }
        if (fresh || table->parts[levels.items[levels.count - 1].first]->rank != part->rank) {
            levels.items[levels.count++] = (Level){.first = i};
            fresh = false;
        }
        Level *level = &levels.items[levels.count - 1];
        level->count = i - level->first + 1;
        level->rows += part->rows;
    }
    return levels;
}

static Rewrite *merge_levels(Table *table, const Level *levels, uint32_t count, MergeScope scope) {
    uint32_t part_count = 0;
    uint32_t first = levels[0].first;
    uint32_t end = levels[count - 1].first + levels[count - 1].count;
    Part **parts = mem_calloc(end - first + 1u, sizeof *parts);
    for (uint32_t i = first; i < end; i++) {
        if (is_mergeable(table->parts[i])) {
            parts[part_count++] = table->parts[i];
        }
    }
    Rewrite *rewrite = table__rewrite_create(table, parts, part_count, true, scope);
    mem_free(parts);
    return rewrite;
}

/* Levels from `first` to the next border. */
static uint32_t stretch_of(const Levels *levels, uint32_t first) {
    uint32_t end = first;
    while (end < levels->count && !levels->items[end].border) {
        end++;
    }
    return end - first;
}

/* ---- join ---- */

static Rewrite *pick_join(Table *table, const Level *levels, uint32_t count) {
    uint64_t small = (uint64_t)SMALL_BLOCKS * table__block_rows(table);
    uint64_t full = (uint64_t)JOIN_BLOCKS * table__block_rows(table);
    for (uint32_t at = 0; at < count; at++) {
        uint64_t rows = 0;
        uint32_t run = 0;
        while (at + run < count && levels[at + run].rows < small && rows < full && run < JOIN_LEVELS) {
            rows += levels[at + run++].rows;
        }
        if (run > 1 && (rows >= full || run == JOIN_LEVELS)) {
            return merge_levels(table, &levels[at], run, MERGE_ALL);
        }
    }
    return NULL;
}

/* ---- overlap ---- */

typedef struct Touched { uint64_t rows, newer_rows; uint32_t levels; } Touched;

/* Rows of the older level's parts that the newer level's overlap, and the other way round. Both are sorted by time. */
static void touch(const Table *table, const Level *older, const Level *newer, bool *hit, Touched *touched) {
    uint32_t n = 0;
    bool any = false;
    for (uint32_t i = 0; i < older->count; i++) {
        const Part *old = table->parts[older->first + i];
        while (n < newer->count && table->parts[newer->first + n]->max < old->min) {
            n++;
        }
        bool overlaps = false;
        for (uint32_t k = n; k < newer->count && table->parts[newer->first + k]->min < old->max; k++) {
            overlaps = overlaps || (is_mergeable(table->parts[newer->first + k]) && table__overlap(old, table->parts[newer->first + k]));
        }
        if (overlaps && is_mergeable(old)) {
            touched->rows += hit[i] ? 0 : old->rows;
            hit[i] = any = true;
        }
    }
    touched->levels += any;
}

static uint64_t rows_touching(const Table *table, const Level *newer, const Level *older) {
    uint64_t rows = 0;
    uint32_t o = 0;
    for (uint32_t i = 0; i < newer->count; i++) {
        const Part *part = table->parts[newer->first + i];
        while (o < older->count && table->parts[older->first + o]->max <= part->min) {
            o++;
        }
        bool overlaps = o < older->count && is_mergeable(part) && table__overlap(table->parts[older->first + o], part);
        rows += overlaps ? part->rows : 0;
    }
    return rows;
}

static Touched touched_by_newer(const Table *table, const Level *levels, uint32_t at, uint32_t count) {
    Touched touched = {0};
    bool *hit = mem_calloc(levels[at].count + 1u, sizeof *hit);
    for (uint32_t newer = at + 1; newer < count; newer++) {
        touch(table, &levels[at], &levels[newer], hit, &touched);
        touched.newer_rows += rows_touching(table, &levels[newer], &levels[at]);
    }
    mem_free(hit);
    return touched;
}

static Rewrite *pick_overlap(Table *table, const Level *levels, uint32_t count) {
    uint64_t limit = (uint64_t)MERGE_BLOCKS_MAX * table__block_rows(table);
    for (uint32_t at = 0; at + FAN_IN <= count; at++) {
        Touched touched = touched_by_newer(table, levels, at, count);
        bool pays = touched.rows > 0 && touched.rows <= touched.newer_rows && touched.rows + touched.newer_rows <= limit;
        if (pays && touched.levels + 1 >= FAN_IN) {
            return merge_levels(table, &levels[at], count - at, MERGE_OVERLAPS);
        }
    }
    return NULL;
}

/* Does a part of the level lie at that time? Its parts are sorted by time; retired ones may lie between them. */
static bool covers(const Table *table, const Level *level, int64_t time) {
    uint32_t low = 0, high = level->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->parts[level->first + middle]->min <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > 0 && !is_mergeable(table->parts[level->first + low - 1])) {
        low--;
    }
    const Part *part = low > 0 ? table->parts[level->first + low - 1] : NULL;
    return part != NULL && part->has_time && part->max > time;
}

/* Levels that have a part at that time, the newest first, until there are enough. */
static uint32_t depth_at(const Table *table, const Level *levels, uint32_t count, int64_t time, uint32_t *first_out) {
    uint32_t depth = 0;
    for (uint32_t l = count; l > 0 && depth <= DEPTH_MAX; l--) {
        if (covers(table, &levels[l - 1], time)) {
            depth++;
            *first_out = l - 1;
        }
    }
    return depth;
}

/* The deepest places begin where some part begins. */
static Rewrite *pick_depth(Table *table, const Level *levels, uint32_t count) {
    for (uint32_t l = DEPTH_MAX; l < count; l++) {
        for (uint32_t i = 0; i < levels[l].count; i++) {
            const Part *part = table->parts[levels[l].first + i];
            uint32_t first = 0;
            if (is_mergeable(part) && part->has_time && depth_at(table, levels, count, part->min, &first) > DEPTH_MAX) {
                return merge_levels(table, &levels[first], count - first, MERGE_OVERLAPS);
            }
        }
    }
    return NULL;
}

/* ---- garbage ---- */

static uint64_t dead_rows(const Part *part, uint64_t horizon) {
    uint64_t count = 0;
    uint32_t row = 0;
    Stamp stamp = 0;
    for (uint32_t at = 0; ends_next(&part->ends, &at, &row, &stamp);) {
        count += stamp <= horizon;
    }
    return count;
}

static Rewrite *pick_garbage(Table *table, uint64_t horizon) {
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        if (is_mergeable(part) && (uint64_t)part->ends.ended_rows * 5 > part->rows && dead_rows(part, horizon) * 5 > part->rows) {
            return table__rewrite_create(table, &part, 1, true, MERGE_EACH);
        }
    }
    return NULL;
}

/* Rows of a file that parts still name; known without a look at the disk only if the file is open. */
static Rewrite *pick_sparse_file(Table *table) {
    Part **parts = mem_calloc(table->part_count + 1u, sizeof *parts);
    Rewrite *rewrite = NULL;
    uint64_t round = ++table->figure_round;
    for (uint32_t i = 0; i < table->part_count && rewrite == NULL; i++) {
        SegmentFile *file = table->parts[i]->file;
        const Segment *segment = file != NULL ? atomic_load(&file->segment) : NULL;
        if (segment == NULL || !is_mergeable(table->parts[i]) || file->figure_round == round || table->parts[i]->rows == segment_row_count(segment)) {
            continue;
        }
        file->figure_round = round;
        uint64_t rows = 0;
        uint32_t count = 0;
        bool all = true;
        for (uint32_t n = i; n < table->part_count; n++) {
            if (table->parts[n]->file == file && table->parts[n]->end == STAMP_NEVER) {
                rows += table->parts[n]->rows;
                all = all && is_mergeable(table->parts[n]);
                parts[count++] = table->parts[n];
            }
        }
        rewrite = all && rows * 2 < segment_row_count(segment) ? table__rewrite_create(table, parts, count, true, MERGE_EACH) : NULL;
    }
    mem_free(parts);
    return rewrite;
}

/* ---- all ---- */

static Rewrite *pick_levels(Table *table) {
    Levels levels = levels_of(table);
    Rewrite *rewrite = NULL;
    for (uint32_t at = 0; at < levels.count && rewrite == NULL; at += stretch_of(&levels, at) + 1) {
        uint32_t count = stretch_of(&levels, at);
        rewrite = pick_join(table, &levels.items[at], count);
        rewrite = rewrite != NULL ? rewrite : pick_overlap(table, &levels.items[at], count);
        rewrite = rewrite != NULL ? rewrite : pick_depth(table, &levels.items[at], count);
    }
    mem_free(levels.items);
    return rewrite;
}

/* Cheap if nothing has changed, because it is asked for every table twice a second. */
Rewrite *table_merge_pick(Table *table, uint64_t horizon) {
    Rewrite *rewrite = NULL;
    table__lock(table);
    uint64_t ended = 0;
    for (uint32_t i = 0; i < table->part_count; i++) {
        ended += table->parts[i]->ends.ended_rows;
    }
    uint64_t state = table->changes + ended + (ended > 0 ? horizon : 0);
    if (state != table->merge_state) {
        rewrite = table->changes != table->nothing_at ? pick_levels(table) : NULL;
        rewrite = rewrite != NULL ? rewrite : pick_garbage(table, horizon);
        rewrite = rewrite != NULL ? rewrite : pick_sparse_file(table);
        table->merge_state = rewrite == NULL ? state : table->merge_state;
    }
    table__unlock(table);
    return rewrite;
}

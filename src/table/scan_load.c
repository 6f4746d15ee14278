/* SPDX-License-Identifier: Apache-2.0
 * scan_load.c - makes one block ready to be read: column addresses, live rows, time order, the positions that a range wants.
 *
 * Threads: validity words and bit columns of a chunk that still grows share words with later rows; they are copied under the lock.
 *          All other data below the captured row count never changes.
 * Tests:   test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_internal.h"

static bool is_growing(const ScanBlock *block) { return block->row_count < block->chunk->capacity && block->row_count % 64 != 0; }

static const uint64_t *words_copy(const uint64_t *words, uint32_t row_count, Arena *arena) {
    uint64_t *copy = arena_alloc_aligned(arena, sizeof(uint64_t) * words_for(row_count), 64);
    memcpy(copy, words, sizeof(uint64_t) * words_for(row_count));
    return copy;
}

static void load_constant(const ColumnDef *column, LoadedColumn *loaded, Arena *arena) {
    uint64_t *valid = arena_array(arena, uint64_t, 1);
    *valid = !column->missing_is_null;
    loaded->constant = true;
    loaded->valid = column->missing_is_null ? valid : NULL;
    loaded->facts = column->missing_is_null ? 0 : FACT_NO_NULLS;
    loaded->data = type_physical(column->type.id) == PHYS_STR ? (const void *)&column->missing_text : column->missing_value;
}

/* Under the lock. */
static void load_chunk_column(const ScanBlock *block, int32_t place, Type type, LoadedColumn *loaded, Arena *arena) {
    const ChunkColumn *stored = &block->chunk->columns[place];
    loaded->data = stored->data;
    loaded->valid = stored->valid;
    if (is_growing(block)) {
        loaded->valid = stored->valid != NULL ? words_copy(stored->valid, block->row_count, arena) : NULL;
        if (type_physical(type.id) == PHYS_BIT) {
            loaded->data = words_copy(stored->data, block->row_count, arena);
        }
    }
    loaded->facts = loaded->valid == NULL ? FACT_NO_NULLS : 0;
}

static void load_segment_column(ScanCursor *cursor, const ScanBlock *block, uint32_t member, uint32_t i, int32_t place, Type type,
                                LoadedColumn *loaded) {
    SegmentBlockStats stats;
    scan__reader_bind(cursor, member, i, block, place, type, loaded);
    segment_block_stats(block->segment, block->segment_block, (uint16_t)place, &stats);
    loaded->facts = (uint8_t)((stats.values.null_count == 0 ? FACT_NO_NULLS : 0) | (stats.values.has_nan ? 0 : FACT_NO_NAN));
}

/* Under the lock for chunks. Column column_count is the designated timestamp. */
static void load_column(ScanCursor *cursor, const ScanBlock *block, uint32_t member, uint32_t i, LoadedColumn *loaded) {
    const Scan *scan = cursor->scan;
    bool time = i == scan->column_count;
    const ColumnDef *column = &scan->def->columns[time ? (uint16_t)scan->def->designated : scan->columns[i]];
    int32_t place = time ? block->time_place : block->map[i];
    *loaded = (LoadedColumn){0};
    if (place < 0) {
        load_constant(column, loaded, &cursor->block_arena);
    } else if (block->chunk != NULL) {
        load_chunk_column(block, place, column->type, loaded, &cursor->block_arena);
    } else {
        load_segment_column(cursor, block, member, i, place, column->type, loaded);
    }
}

/* Under the lock. Rows that have begun and not ended; NULL = all. */
static const uint64_t *load_live(const Scan *scan, const ScanBlock *block, Arena *arena) {
    const EndMap *ends = block->chunk != NULL ? &block->chunk->ends : &block->part->ends;
    if (block->clean && ends->ended_rows == 0) {
        return NULL;
    }
    uint64_t *live = arena_array(arena, uint64_t, words_for(block->row_count));
    if (block->clean) {
        bits_fill(live, 0, block->row_count, true);
    }
    for (uint32_t i = 0; i < block->span_count; i++) {
        bits_fill(live, block->spans[i].first, block->spans[i].end - block->spans[i].first, true);
    }
    uint32_t first = block->chunk != NULL ? 0 : block->first_offset;
    bool ended = ends_apply(ends, first, block->row_count, &scan->snapshot, live);
    return block->clean && !ended ? NULL : live;
}

/* Under the lock. */
static void load_order(Scan *scan, const ScanBlock *block, LoadedBlock *loaded) {
    if (block->sorted || scan->order == SCAN_ANY || !block->has_time) {
        return;
    }
    ChunkOrder *cached = block->chunk->order;
    if (cached != NULL && cached->row_count == block->row_count) {
        cached->refs++;
        loaded->held_order = cached;
    }
}

static void make_order(Scan *scan, const ScanBlock *block, LoadedBlock *loaded) {
    bool needed = !block->sorted && scan->order != SCAN_ANY && block->has_time;
    if (needed && loaded->held_order == NULL) {
        loaded->held_order = chunk_order_create(loaded->times, block->row_count);
        table__lock(scan->table);
        ChunkOrder *cached = block->chunk->order;
        if (cached == NULL || cached->row_count < block->row_count) {
            chunk_order_release(cached);
            block->chunk->order = loaded->held_order;
            loaded->held_order->refs++;
        }
        table__unlock(scan->table);
    }
    loaded->order = loaded->held_order != NULL ? loaded->held_order->rows : NULL;
}

/* First position whose time is not below `time`. */
static uint32_t lower_position(const LoadedBlock *loaded, int64_t time) {
    uint32_t low = 0;
    uint32_t high = loaded->block->row_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loaded->times[scan__row_at(loaded, middle)] < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Times are needed to find a range, to merge and to order; a segment read as it lies can do without. */
static void load_times(ScanCursor *cursor, const ScanMorsel *morsel, LoadedBlock *loaded) {
    const ScanBlock *block = loaded->block;
    bool by_row = !block->sorted && cursor->scan->range_count > 0;
    bool needed = block->chunk != NULL || morsel->ranged || morsel->block_count > 1 || by_row;
    if (!block->has_time || !needed) {
        return;
    }
    scan__ensure(cursor, loaded, cursor->scan->column_count, UINT16_MAX >> (BLOCK_ROWS / GRANULE_ROWS - (block->row_count + GRANULE_ROWS - 1) / GRANULE_ROWS));
    loaded->times = loaded->columns[cursor->scan->column_count].data;
}

/* First row of low..high-1 in steps of `step` whose time is not below `time`. */
static uint32_t lower_step(ScanCursor *cursor, ScanReader *reader, uint32_t low, uint32_t high, uint32_t step, int64_t time) {
    while (low < high && cursor->code == ERR_OK) {
        uint32_t middle = low + (high - low) / 2;
        int64_t value = 0;
        cursor->code = scan__value_at(reader, middle * step, &value, &cursor->error);
        low = value < time ? middle + 1 : low;
        high = value < time ? high : middle;
    }
    return low;
}

/* First row of a segment's block whose time is not below `time`: by the first rows of granules, then within one, the only one decoded. */
static uint32_t lower_row(ScanCursor *cursor, const LoadedBlock *loaded, int64_t time) {
    ScanReader *reader = loaded->columns[cursor->scan->column_count].reader;
    uint32_t row_count = loaded->block->row_count;
    uint32_t granule = lower_step(cursor, reader, 0, (row_count + GRANULE_ROWS - 1) / GRANULE_ROWS, GRANULE_ROWS, time);
    if (granule == 0 || cursor->code != ERR_OK) {
        return 0;
    }
    uint32_t start = (granule - 1) * GRANULE_ROWS;
    cursor->code = scan__granule_load(reader, granule - 1, &cursor->error);
    return lower_step(cursor, reader, start, MIN_OF(start + GRANULE_ROWS, row_count), 1, time);
}

/* A range in one sorted block of a segment, which is read as it lies or backwards, needs no array of times. */
static bool finds_rows(const ScanCursor *cursor, const ScanBlock *block, const ScanMorsel *morsel) {
    return morsel->ranged && block->chunk == NULL && block->sorted && morsel->block_count == 1 && block->time_place >= 0 && cursor->code == ERR_OK;
}

void scan__load(ScanCursor *cursor, const ScanBlock *block, const ScanMorsel *morsel, uint32_t member) {
    Scan *scan = cursor->scan;
    LoadedBlock *loaded = &cursor->members[member];
    *loaded = (LoadedBlock){.block = block, .to = block->row_count};
    loaded->columns = arena_array(&cursor->block_arena, LoadedColumn, scan->column_count + 1u);
    table__lock(scan->table);
    for (uint32_t i = 0; i < scan->column_count + (uint32_t)block->has_time; i++) {
        load_column(cursor, block, member, i, &loaded->columns[i]);
    }
    loaded->live = load_live(scan, block, &cursor->block_arena);
    if (block->chunk != NULL) {
        load_order(scan, block, loaded);
    }
    table__unlock(scan->table);
    if (finds_rows(cursor, block, morsel)) {
        loaded->from = lower_row(cursor, loaded, morsel->range.low);
        loaded->to = morsel->range.high == INT64_MAX ? block->row_count : lower_row(cursor, loaded, morsel->range.high + 1);
        atomic_fetch_add_explicit(&scan->blocks_read, 1, memory_order_relaxed);
        return;
    }
    load_times(cursor, morsel, loaded);
    make_order(scan, block, loaded);
    if (morsel->ranged && cursor->code == ERR_OK) {
        loaded->from = lower_position(loaded, morsel->range.low);
        loaded->to = morsel->range.high == INT64_MAX ? block->row_count : lower_position(loaded, morsel->range.high + 1);
    }
    atomic_fetch_add_explicit(&scan->blocks_read, 1, memory_order_relaxed);
}

void scan__unload(Scan *scan, LoadedBlock *loaded) {
    if (loaded->held_order != NULL) {
        table__lock(scan->table);
        chunk_order_release(loaded->held_order);
        table__unlock(scan->table);
        loaded->held_order = NULL;
    }
}

Vector scan__vector(const Scan *scan, uint16_t column) {
    const ColumnDef *def = &scan->def->columns[scan->columns[column]];
    return (Vector){.type = def->type, .symbols = def->symbols};
}

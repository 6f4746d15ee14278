/* SPDX-License-Identifier: Apache-2.0
 * scan_open.c - captures what a snapshot sees of a table: parts, chunks, how many rows of each, which have begun.
 *
 * Threads: under the table's lock once; the captured counts make every later read safe beside appends.
 * Tests:   test/unit/table/test_scan.c */
#include "table/scan_internal.h"

typedef struct TableSource {
    RowSource base;
    Table *table;
    const TableDef *def;
    const Snapshot *snapshot;
} TableSource;

static void copy_request(Scan *scan, const ScanRequest *request) {
    scan->column_count = request->column_count;
    scan->columns = arena_array(&scan->arena, uint16_t, request->column_count + 1u);
    scan->ranges = arena_array(&scan->arena, KeyRange, request->range_count + 1u);
    if (request->column_count > 0) {
        memcpy(scan->columns, request->columns, sizeof(uint16_t) * request->column_count);
    }
    if (request->range_count > 0) {
        memcpy(scan->ranges, request->ranges, sizeof(KeyRange) * request->range_count);
    }
    scan->range_count = request->range_count;
    scan->order = scan->def->designated < 0 ? SCAN_ANY : request->order;
    scan->want_refs = request->want_refs;
}

static int32_t *map_columns(Scan *scan, const ChunkLayout *layout) {
    int32_t *map = arena_array(&scan->arena, int32_t, scan->column_count + 1u);
    for (uint16_t i = 0; i < scan->column_count; i++) {
        map[i] = layout_find(layout, scan->def->columns[scan->columns[i]].id);
    }
    return map;
}

static bool outside_ranges(const Scan *scan, int64_t min, int64_t max) {
    for (uint32_t i = 0; i < scan->range_count; i++) {
        if (scan->ranges[i].low <= max && scan->ranges[i].high >= min) {
            return false;
        }
    }
    return scan->range_count > 0;
}

/* false: the snapshot sees no row of it. */
static bool capture_begun(Scan *scan, ScanBlock *block) {
    RowSpan one = {0, 0};
    uint32_t count = runs_visible(&block->chunk->runs, &scan->snapshot, block->row_count, &one, 1);
    if (count == 1 && one.first == 0 && one.end == block->row_count) {
        block->clean = true;
        block->visible_rows = block->row_count;
        return true;
    }
    block->spans = arena_array(&scan->arena, RowSpan, count + 1u);
    block->span_count = runs_visible(&block->chunk->runs, &scan->snapshot, block->row_count, block->spans, count);
    for (uint32_t i = 0; i < count; i++) {
        block->visible_rows += block->spans[i].end - block->spans[i].first;
    }
    return count > 0;
}

static bool capture_chunk(Scan *scan, Part *part, Chunk *chunk, const int32_t *map, ScanBlock *block) {
    *block = (ScanBlock){.part = part, .chunk = chunk, .map = map, .row_count = chunk->filled, .first_offset = chunk->first_offset};
    if (chunk->filled == 0) {
        return false;
    }
    block->has_time = chunk->times.any && scan->def->designated >= 0;
    block->sorted = block->has_time && chunk->times.sorted;
    block->min = chunk->times.min;
    block->max = chunk->times.max;
    if (block->has_time && outside_ranges(scan, block->min, block->max)) {
        scan->blocks_pruned++;
        return false;
    }
    return capture_begun(scan, block);
}

static void capture_part(Scan *scan, Part *part) {
    uint32_t before = scan->block_count;
    const int32_t *map = map_columns(scan, part->layout);
    for (uint32_t i = 0; i < part->chunk_count; i++) {
        if (capture_chunk(scan, part, part->chunks[i], map, &scan->blocks[scan->block_count])) {
            scan->blocks[scan->block_count].arrival = scan->block_count;
            scan->block_count++;
        }
    }
    if (scan->block_count > before) {
        part->refs++;
        scan->pins[scan->pin_count++] = part;
    } else {
        scan->parts_pruned++;
    }
}

static void capture(Scan *scan) {
    Table *table = scan->table;
    uint32_t block_max = 0;
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count; i++) {
        block_max += table->parts[i]->chunk_count;
    }
    scan->blocks = arena_array(&scan->arena, ScanBlock, block_max + 1u);
    scan->pins = arena_array(&scan->arena, Part *, table->part_count + 1u);
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        scan->parts++;
        if (stamp_visible(part->begin, &scan->snapshot) && !stamp_visible(part->end, &scan->snapshot)) {
            capture_part(scan, part);
        }
    }
    table__unlock(table);
}

static ErrorCode source_open(RowSource *base, const ScanRequest *request, Scan **scan_out, Error *err) {
    TableSource *source = (TableSource *)base;
    (void)err;
    Scan *scan = mem_calloc(1, sizeof *scan);
    arena_init(&scan->arena, SCAN_MEMORY_MAX);
    scan->table = source->table;
    scan->def = source->def;
    scan->snapshot = *source->snapshot;
    copy_request(scan, request);
    capture(scan);
    scan__plan(scan);
    *scan_out = scan;
    return ERR_OK;
}

static void source_close(Scan *scan) {
    table__lock(scan->table);
    for (uint32_t i = 0; i < scan->pin_count; i++) {
        table__part_release(scan->pins[i]);
    }
    table__unlock(scan->table);
    arena_deinit(&scan->arena);
    mem_free(scan);
}

static bool source_next_morsel(Scan *scan, Morsel *morsel_out) {
    uint32_t number = atomic_fetch_add_explicit(&scan->next_morsel, 1, memory_order_relaxed);
    if (number >= scan->morsel_count) {
        atomic_store_explicit(&scan->next_morsel, scan->morsel_count, memory_order_relaxed);
        return false;
    }
    *morsel_out = (Morsel){.number = number, .row_estimate = scan->morsels[number].row_estimate};
    return true;
}

static void source_counters(Scan *scan, ScanCounters *counters_out) {
    *counters_out = (ScanCounters){scan->parts, scan->parts_pruned, atomic_load(&scan->blocks_read), scan->blocks_pruned,
                                   atomic_load(&scan->rows_read)};
}

static uint64_t source_row_estimate(RowSource *base) {
    TableFigures figures;
    table_figures(((TableSource *)base)->table, &figures);
    return figures.rows;
}

/* ---- cursors ---- */

static ErrorCode cursor_open(Scan *scan, ScanCursor **cursor_out, Error *err) {
    (void)err;
    ScanCursor *cursor = mem_calloc(1, sizeof *cursor);
    cursor->scan = scan;
    arena_init(&cursor->arena, SCAN_MEMORY_MAX);
    arena_init(&cursor->block_arena, SCAN_MEMORY_MAX);
    cursor->vectors = arena_array(&cursor->arena, Vector, scan->column_count + 1u);
    cursor->bases = arena_array(&cursor->arena, Vector, scan->column_count + 1u);
    cursor->tails = arena_array(&cursor->arena, void *, scan->column_count + 1u);
    cursor->gathered = arena_array(&cursor->arena, void *, scan->column_count + 1u);
    cursor->gathered_valid = arena_array(&cursor->arena, uint64_t *, scan->column_count + 1u);
    cursor->refs = scan->want_refs ? arena_array(&cursor->arena, RowRef, BATCH_ROWS) : NULL;
    *cursor_out = cursor;
    return ERR_OK;
}

static void cursor_unload(ScanCursor *cursor) {
    for (uint32_t i = 0; i < cursor->member_count; i++) {
        scan__unload(cursor->scan, &cursor->members[i]);
    }
    cursor->member_count = 0;
    arena_reset(&cursor->block_arena);
}

static void cursor_start(ScanCursor *cursor, const Morsel *morsel) {
    cursor_unload(cursor);
    assert(morsel->number < cursor->scan->morsel_count);
    const ScanMorsel *own = &cursor->scan->morsels[morsel->number];
    cursor->morsel = own;
    cursor->morsel_number = morsel->number;
    cursor->row_number = 0;
    cursor->members = arena_array(&cursor->block_arena, LoadedBlock, own->block_count);
    for (uint32_t i = 0; i < own->block_count; i++) {
        const ScanBlock *block = &cursor->scan->blocks[own->first_block + i];
        if (own->block_count > 1 && own->ranged && (block->min > own->range.high || block->max < own->range.low)) {
            continue;
        }
        scan__load(cursor->scan, block, own, &cursor->block_arena, &cursor->members[cursor->member_count++]);
    }
    if (cursor->member_count > 1) {
        scan__merge_start(cursor);
    } else if (cursor->member_count == 1) {
        cursor->position = cursor->members[0].from;
        cursor->to = cursor->members[0].to;
    }
}

static ErrorCode cursor_read(ScanCursor *cursor, Batch *batch_out, Error *err) {
    (void)err;
    *batch_out = (Batch){.columns = cursor->vectors, .column_count = cursor->scan->column_count};
    if (cursor->member_count == 0) {
        return ERR_OK;
    }
    const LoadedBlock *only = &cursor->members[0];
    bool found = cursor->member_count > 1 ? scan__read_merged(cursor, batch_out)
                 : only->order != NULL || cursor->scan->order == SCAN_DESCENDING ? scan__read_reordered(cursor, batch_out)
                                                                                 : scan__read_flat(cursor, batch_out);
    if (found) {
        atomic_fetch_add_explicit(&cursor->scan->rows_read, batch_out->live_count, memory_order_relaxed);
    }
    return ERR_OK;
}

static void cursor_close(ScanCursor *cursor) {
    cursor_unload(cursor);
    arena_deinit(&cursor->block_arena);
    arena_deinit(&cursor->arena);
    mem_free(cursor);
}

static const RowSourceVtable TABLE_SOURCE = {
    .open = source_open,
    .next_morsel = source_next_morsel,
    .cursor_open = cursor_open,
    .cursor_start = cursor_start,
    .read = cursor_read,
    .cursor_close = cursor_close,
    .latest = NULL,
    .counters = source_counters,
    .close = source_close,
    .row_estimate = source_row_estimate,
};

RowSource *table_source(Table *table, const TableDef *def, const Snapshot *snapshot, Arena *arena) {
    TableSource *source = arena_new(arena, TableSource);
    *source = (TableSource){{&TABLE_SOURCE}, table, def, snapshot};
    return &source->base;
}

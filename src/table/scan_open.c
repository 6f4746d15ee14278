/* SPDX-License-Identifier: Apache-2.0
 * scan_open.c - a table as a row source: open, morsels, cursors, close.
 *
 * Tests:   test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_index.h"

typedef struct TableSource {
    RowSource base;
    Table *table;
    const TableDef *def;
    const Snapshot *snapshot;
} TableSource;

/* Types whose packed integers keep the order of their values. */
static bool filters_rows(TypeId type) {
    switch (type) {
    case TYPE_BYTE:
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
    case TYPE_FLOAT8:
    case TYPE_DATE:
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
    case TYPE_SYMBOL:
        return true;
    default:
        return false;
    }
}

/* Place of the filter's column among the requested ones, and a copy of its value (the caller's lives during open only); -1: its blocks are
 * pruned, its rows are not looked at. */
static int32_t keep_filter(Scan *scan, ScanFilter *filter) {
    Type type = scan->def->columns[filter->column].type;
    int32_t place = 0;
    while (place < scan->column_count && scan->columns[place] != filter->column) {
        place++;
    }
    bool order = filter->op <= FILTER_GE && (type.id != TYPE_SYMBOL || filter->op <= FILTER_NE);
    if (filter->prune_only || place == scan->column_count || filter->value_count != 1 || !order || !filters_rows((TypeId)type.id)) {
        return -1;
    }
    void *value = arena_alloc_aligned(&scan->arena, sizeof(uint64_t), sizeof(uint64_t));
    memcpy(value, filter->values, physical_bytes(type_physical((TypeId)type.id)));
    filter->values = value;
    return place;
}

static void copy_request(Scan *scan, const ScanRequest *request) {
    Arena *arena = &scan->arena;
    scan->column_count = request->column_count;
    scan->columns = arena_array(arena, uint16_t, request->column_count + 1u);
    scan->ranges = arena_array(arena, KeyRange, request->range_count + 1u);
    scan->filters = arena_array(arena, ScanFilter, request->filter_count + 1u);
    if (request->column_count > 0) {
        memcpy(scan->columns, request->columns, sizeof(uint16_t) * request->column_count);
    }
    if (request->range_count > 0) {
        memcpy(scan->ranges, request->ranges, sizeof(KeyRange) * request->range_count);
    }
    if (request->filter_count > 0) {
        memcpy(scan->filters, request->filters, sizeof(ScanFilter) * request->filter_count);
    }
    scan->filter_places = arena_array(arena, int32_t, request->filter_count + 1u);
    for (uint16_t f = 0; f < request->filter_count; f++) {
        scan->filter_places[f] = keep_filter(scan, &scan->filters[f]);
    }
    scan->range_count = request->range_count;
    scan->filter_count = request->filter_count;
    scan->order = scan->def->designated < 0 ? SCAN_ANY : request->order;
    scan->want_refs = request->want_refs;
    scan->want_stats = request->want_stats;
}

Scan *scan__create(Table *table, const TableDef *def, const Snapshot *snapshot, const ScanRequest *request) {
    Scan *scan = mem_calloc(1, sizeof *scan);
    arena_init(&scan->arena, SCAN_MEMORY_MAX);
    scan->table = table;
    scan->def = def;
    scan->snapshot = *snapshot;
    copy_request(scan, request);
    return scan;
}

static void source_close(Scan *scan);

static ErrorCode source_open(RowSource *base, const ScanRequest *request, Scan **scan_out, Error *err) {
    const TableSource *source = (TableSource *)base;
    Scan *scan = scan__create(source->table, source->def, source->snapshot, request);
    ErrorCode code = request->index != NULL ? scan__index_open(scan, request->index, err) : ERR_OK;
    if (code == ERR_OK && scan->index != NULL && !request->index->ordered && !scan__index_pays(scan)) {
        scan__index_leave(scan);
    }
    code = code == ERR_OK && scan->index == NULL ? scan__capture(scan, err) : code;
    if (code != ERR_OK) {
        source_close(scan);
        return code;
    }
    if (scan->index == NULL) {
        scan__plan(scan);
    }
    *scan_out = scan;
    return ERR_OK;
}

static void source_close(Scan *scan) {
    if (scan->index != NULL) {
        scan__index_close(scan);
    }
    table__lock(scan->table);
    for (uint32_t i = 0; i < scan->pin_count; i++) {
        table__part_release(scan->table, scan->pins[i]);
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
    if (scan->index != NULL) {
        *morsel_out = (Morsel){.number = number, .row_estimate = 1};
        return true;
    }
    const ScanMorsel *morsel = &scan->morsels[number];
    *morsel_out = (Morsel){.number = number, .row_estimate = morsel->row_estimate};
    bool whole = morsel->block_count == 1 && !morsel->ranged && scan->filter_count == 0 && scan->blocks[morsel->first_block].stats != NULL;
    if (whole && (scan->range_count == 0 || scan->blocks[morsel->first_block].sorted)) {
        morsel_out->stats = scan->blocks[morsel->first_block].stats;
        morsel_out->stats_exact = true;
    }
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
    size_t bytes = scan->index != NULL ? offsetof(ScanCursor, error) : sizeof(ScanCursor);
    ScanCursor *cursor = mem_calloc(1, bytes);
    cursor->scan = scan;
    arena_init(&cursor->arena, SCAN_MEMORY_MAX);
    arena_init(&cursor->block_arena, SCAN_MEMORY_MAX);
    arena_init(&cursor->scratch, SCAN_MEMORY_MAX);
    cursor->vectors = arena_array(&cursor->arena, Vector, scan->column_count + 1u);
    *cursor_out = cursor;
    if (scan->index != NULL) {
        return ERR_OK;
    }
    cursor->bases = arena_array(&cursor->arena, Vector, scan->column_count + 1u);
    cursor->tails = arena_array(&cursor->arena, void *, scan->column_count + 1u);
    cursor->gathered = arena_array(&cursor->arena, void *, scan->column_count + 1u);
    cursor->gathered_valid = arena_array(&cursor->arena, uint64_t *, scan->column_count + 1u);
    cursor->refs = scan->want_refs ? arena_array(&cursor->arena, RowRef, BATCH_ROWS) : NULL;
    return ERR_OK;
}

static void cursor_unload(ScanCursor *cursor) {
    for (uint32_t i = 0; i < cursor->member_count; i++) {
        scan__unload(cursor->scan, &cursor->members[i]);
    }
    cursor->member_count = 0;
    arena_reset(&cursor->block_arena);
}

void scan__cursor_start(ScanCursor *cursor, const Morsel *morsel) {
    cursor_unload(cursor);
    assert(morsel->number < cursor->scan->morsel_count);
    if (cursor->scan->index != NULL) {
        cursor->morsel_number = morsel->number;
        cursor->row_number = 0;
        cursor->code = ERR_OK;
        scan__index_start(cursor);
        return;
    }
    const ScanMorsel *own = &cursor->scan->morsels[morsel->number];
    cursor->morsel = own;
    cursor->morsel_number = morsel->number;
    cursor->row_number = 0;
    cursor->filtered_granule = -1;
    cursor->cached = cursor->scan->cached;
    cursor->code = ERR_OK;
    cursor->members = arena_array(&cursor->block_arena, LoadedBlock, own->block_count);
    for (uint32_t i = 0; i < own->block_count; i++) {
        const ScanBlock *block = &cursor->scan->blocks[own->first_block + i];
        if (own->block_count > 1 && own->ranged && (block->min > own->range.high || block->max < own->range.low)) {
            continue;
        }
        scan__load(cursor, block, own, cursor->member_count++);
    }
    if (cursor->member_count > 1 && cursor->code == ERR_OK) {
        scan__merge_start(cursor);
    } else if (cursor->member_count == 1) {
        cursor->position = cursor->members[0].from;
        cursor->to = cursor->members[0].to;
    }
}

static bool read_batch(ScanCursor *cursor, Batch *batch) {
    const LoadedBlock *only = &cursor->members[0];
    if (cursor->member_count > 1) {
        return scan__read_merged(cursor, batch);
    }
    bool reorder = only->order != NULL || cursor->scan->order == SCAN_DESCENDING;
    return reorder ? scan__read_reordered(cursor, batch) : scan__read_flat(cursor, batch);
}

ErrorCode scan__cursor_code(const ScanCursor *cursor, Error *err) {
    if (cursor->code != ERR_OK && err != NULL) {
        *err = cursor->scan->index != NULL ? *cursor->index_cursor->error : cursor->error;
    }
    return cursor->code;
}

ErrorCode scan__cursor_read(ScanCursor *cursor, Batch *batch_out, Error *err) {
    *batch_out = (Batch){.columns = cursor->vectors, .column_count = cursor->scan->column_count};
    arena_reset(&cursor->scratch);
    bool index = cursor->scan->index != NULL;
    if ((cursor->member_count > 0 || index) && cursor->code == ERR_OK && (index ? scan__index_read(cursor, batch_out) : read_batch(cursor, batch_out))) {
        atomic_fetch_add_explicit(&cursor->scan->rows_read, batch_out->live_count, memory_order_relaxed);
    }
    return scan__cursor_code(cursor, err);
}

static void cursor_close(ScanCursor *cursor) {
    cursor_unload(cursor);
    scan__index_cursor_close(cursor);
    scan__readers_close(cursor);
    arena_deinit(&cursor->scratch);
    arena_deinit(&cursor->block_arena);
    arena_deinit(&cursor->arena);
    mem_free(cursor);
}

const RowSourceVtable SCAN_VTABLE = {
    .open = source_open,
    .next_morsel = source_next_morsel,
    .cursor_open = cursor_open,
    .cursor_start = scan__cursor_start,
    .read = scan__cursor_read,
    .cursor_close = cursor_close,
    .latest = scan__latest,
    .counters = source_counters,
    .close = source_close,
    .row_estimate = source_row_estimate,
};

RowSource *table_source(Table *table, const TableDef *def, const Snapshot *snapshot, Arena *arena) {
    TableSource *source = arena_new(arena, TableSource);
    *source = (TableSource){{&SCAN_VTABLE}, table, def, snapshot};
    return &source->base;
}

/* SPDX-License-Identifier: Apache-2.0
 * source.c - a system relation as a RowSource: the producer runs when a scan opens, its blocks are the morsels.
 *
 * Filters and ranges are not used: the executor evaluates the whole predicate. */
#include "sql/system/rows.h"
#include "sql/system/source.h"
#include <stdatomic.h>

typedef struct SystemSource { RowSource base; SystemView *view; const SystemRelation *relation; } SystemSource;

struct Scan {
    Arena arena;
    SystemRows rows;
    const uint16_t *columns;
    uint16_t column_count;
    atomic_uint next;
    SystemBlock **blocks;
};

struct ScanCursor {
    Scan *scan;
    const SystemBlock *block;
    uint32_t row, morsel;
    Vector *vectors;
};

static ErrorCode fill(SystemSource *source, Scan *scan, const ScanRequest *request, Error *err) {
    const TableDef *table = system_table(source->view, source->relation);
    bool *wanted = arena_array(&scan->arena, bool, table->column_count);
    uint16_t *columns = arena_array(&scan->arena, uint16_t, request->column_count + 1u);
    for (uint16_t i = 0; i < request->column_count; i++) {
        columns[i] = request->columns[i];
        wanted[columns[i]] = true;
    }
    scan->columns = columns;
    scan->column_count = request->column_count;
    system_rows_init(&scan->rows, table, wanted);
    return source->relation->produce(source->view, &scan->rows, err);
}

static void source_close(Scan *scan) {
    if (scan->rows.table != NULL) {
        system_rows_deinit(&scan->rows);
    }
    arena_deinit(&scan->arena);
    mem_free(scan);
}

static ErrorCode source_open(RowSource *base, const ScanRequest *request, Scan **scan_out, Error *err) {
    if (request->want_refs) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied: \"%s\" is a system catalog",
                         ((SystemSource *)base)->relation->name);
    }
    Scan *scan = mem_calloc(1, sizeof *scan);
    arena_init(&scan->arena, SIZE_MAX);
    SystemView *view = ((SystemSource *)base)->view;
    system_view_lock(view);
    ErrorCode code = fill((SystemSource *)base, scan, request, err);
    system_view_unlock(view);
    if (code != ERR_OK) {
        source_close(scan);
        return code;
    }
    scan->blocks = arena_array(&scan->arena, SystemBlock *, scan->rows.block_count + 1);
    uint32_t count = 0;
    for (SystemBlock *block = scan->rows.first; block != NULL; block = block->next) {
        scan->blocks[count++] = block;
    }
    *scan_out = scan;
    return ERR_OK;
}

static bool source_next_morsel(Scan *scan, Morsel *morsel_out) {
    uint32_t number = atomic_fetch_add(&scan->next, 1);
    if (number >= scan->rows.block_count) {
        return false;
    }
    *morsel_out = (Morsel){.number = number, .row_estimate = scan->blocks[number]->row_count};
    return true;
}

static ErrorCode source_cursor_open(Scan *scan, ScanCursor **cursor_out, Error *err) {
    (void)err;
    ScanCursor *cursor = mem_calloc(1, sizeof *cursor);
    cursor->scan = scan;
    cursor->vectors = mem_calloc(scan->column_count + 1u, sizeof *cursor->vectors);
    *cursor_out = cursor;
    return ERR_OK;
}

static void source_cursor_start(ScanCursor *cursor, const Morsel *morsel) {
    cursor->morsel = morsel->number;
    cursor->block = cursor->scan->blocks[morsel->number];
    cursor->row = 0;
}

static Vector slice(const ColumnBuilder *column, uint32_t from, uint16_t count) {
    ColumnBlock block = column_builder_block(column);
    Physical physical = type_physical((TypeId)block.type.id);
    size_t skip = physical == PHYS_BIT ? from / 8 : from * physical_bytes(physical);
    return (Vector){.type = block.type, .form = VECTOR_FLAT, .row_count = count, .data = (const uint8_t *)block.data + skip,
                    .valid = block.valid == NULL ? NULL : block.valid + from / 64};
}

static ErrorCode source_read(ScanCursor *cursor, Batch *batch_out, Error *err) {
    (void)err;
    uint16_t count = (uint16_t)MIN_OF(cursor->block->row_count - cursor->row, (uint32_t)BATCH_ROWS);
    const Scan *scan = cursor->scan;
    for (uint16_t c = 0; c < scan->column_count && count > 0; c++) {
        cursor->vectors[c] = slice(&cursor->block->columns[scan->columns[c]], cursor->row, count);
    }
    *batch_out = (Batch){.row_count = count, .live_count = count, .column_count = scan->column_count, .columns = cursor->vectors,
                         .first = {cursor->morsel, cursor->row}};
    cursor->row += count;
    return ERR_OK;
}

static void source_cursor_close(ScanCursor *cursor) {
    mem_free(cursor->vectors);
    mem_free(cursor);
}

static void source_counters(Scan *scan, ScanCounters *counters_out) {
    *counters_out = (ScanCounters){.parts = 1, .blocks = scan->rows.block_count, .rows_read = scan->rows.row_count};
}

/* Enough to order joins by: what stays small is small, lists of built-in things are longer. */
static uint64_t source_row_estimate(RowSource *base) {
    (void)base;
    enum { ROWS_GUESSED = 500 };
    return ROWS_GUESSED;
}

static const RowSourceVtable VTABLE = {
    .open = source_open,
    .next_morsel = source_next_morsel,
    .cursor_open = source_cursor_open,
    .cursor_start = source_cursor_start,
    .read = source_read,
    .cursor_close = source_cursor_close,
    .counters = source_counters,
    .close = source_close,
    .row_estimate = source_row_estimate,
};

RowSource *system_source(SystemView *view, const SystemRelation *relation) {
    SystemSource *source = arena_new(view->arena, SystemSource);
    *source = (SystemSource){.base = {&VTABLE}, .view = view, .relation = relation};
    return &source->base;
}

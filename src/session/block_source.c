/* SPDX-License-Identifier: Apache-2.0
 * block_source.c - blocks of columns at hand as a table that a plan scans: rows that are about to be stored. */
#include "session/session_internal.h"

struct BlockScan { const ColumnBlock *blocks; uint16_t columns[COLUMNS_MAX]; uint16_t column_count; bool taken, want_refs; };
typedef struct BlockScan BlockScan;
typedef struct BlockCursor { BlockScan *scan; uint32_t at; Vector *vectors; } BlockCursor;

static ErrorCode block_open(RowSource *base, const ScanRequest *request, Scan **scan_out, Error *err) {
    (void)err;
    assert(!request->want_refs);
    BlockScan *scan = mem_calloc(1, sizeof *scan);
    scan->blocks = ((BlockSource *)base)->blocks;
    scan->column_count = request->column_count;
    if (request->column_count > 0) {
        memcpy(scan->columns, request->columns, sizeof(uint16_t) * request->column_count);
    }
    *scan_out = (Scan *)(void *)scan;
    return ERR_OK;
}

static bool block_next_morsel(Scan *base, Morsel *morsel_out) {
    BlockScan *scan = (BlockScan *)(void *)base;
    bool first = !scan->taken;
    scan->taken = true;
    *morsel_out = (Morsel){.row_estimate = scan->blocks[0].row_count};
    return first;
}

static ErrorCode block_cursor_open(Scan *base, ScanCursor **cursor_out, Error *err) {
    (void)err;
    BlockCursor *cursor = mem_calloc(1, sizeof *cursor);
    cursor->scan = (BlockScan *)(void *)base;
    cursor->vectors = mem_calloc(cursor->scan->column_count + 1u, sizeof *cursor->vectors);
    *cursor_out = (ScanCursor *)(void *)cursor;
    return ERR_OK;
}

static void block_cursor_start(ScanCursor *base, const Morsel *morsel) {
    (void)morsel;
    ((BlockCursor *)(void *)base)->at = 0;
}

/* Words of bits begin at a word; the block is padded to 64 rows. */
Vector session__block_vector(const ColumnBlock *block, uint32_t at, uint16_t rows) {
    size_t width = physical_bytes(type_physical((TypeId)block->type.id));
    assert(at % BATCH_ROWS == 0 || rows == 0); /* none: behind the last one */
    return (Vector){.type = block->type, .form = VECTOR_FLAT, .row_count = rows, .data = (const uint8_t *)block->data + (width == 0 ? at / 8 : width * at),
                    .valid = block->valid != NULL ? block->valid + at / 64 : NULL};
}

static ErrorCode block_read(ScanCursor *base, Batch *batch_out, Error *err) {
    (void)err;
    BlockCursor *cursor = (BlockCursor *)(void *)base;
    const BlockScan *scan = cursor->scan;
    uint16_t rows = (uint16_t)MIN_OF(scan->blocks[0].row_count - cursor->at, (uint32_t)BATCH_ROWS);
    for (uint16_t i = 0; i < scan->column_count; i++) {
        cursor->vectors[i] = session__block_vector(&scan->blocks[scan->columns[i]], cursor->at, rows);
    }
    *batch_out = (Batch){.row_count = rows, .live_count = rows, .column_count = scan->column_count, .columns = cursor->vectors, .first = {0, cursor->at}};
    cursor->at += rows;
    return ERR_OK;
}

static void block_cursor_close(ScanCursor *base) {
    BlockCursor *cursor = (BlockCursor *)(void *)base;
    mem_free(cursor->vectors);
    mem_free(cursor);
}

static void block_counters(Scan *scan, ScanCounters *counters_out) { (void)scan, *counters_out = (ScanCounters){0}; }
static void block_close(Scan *scan) { mem_free(scan); }
static uint64_t block_estimate(RowSource *base) { return ((BlockSource *)base)->blocks[0].row_count; }

static const RowSourceVtable BLOCK_VTABLE = {.open = block_open, .next_morsel = block_next_morsel, .cursor_open = block_cursor_open,
                                             .cursor_start = block_cursor_start, .read = block_read, .cursor_close = block_cursor_close,
                                             .counters = block_counters, .close = block_close, .row_estimate = block_estimate};

static ErrorCode block_source(Storage *storage, uint32_t table_id, RowSource **source_out, Error *err) {
    (void)table_id, (void)err;
    *source_out = &((BlockSource *)(void *)((char *)storage - offsetof(BlockSource, storage)))->base;
    return ERR_OK;
}

void session__block_source_init(BlockSource *source) { *source = (BlockSource){.base.vtable = &BLOCK_VTABLE, .storage.source = block_source}; }

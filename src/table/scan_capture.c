/* SPDX-License-Identifier: Apache-2.0
 * scan_capture.c - what a snapshot sees of a table: parts, their chunks and row blocks, how many rows of each, which have begun.
 *
 * Threads: parts are pinned and chunks captured under the table's lock; the captured counts make every later read safe beside
 *          appends. Segments are opened after it, because that may read the disk.
 * Tests:   test/unit/engine/test_engine.c, test_segments.c */
#include "table/scan_internal.h"

static bool outside_ranges(const Scan *scan, int64_t min, int64_t max) {
    for (uint32_t i = 0; i < scan->range_count; i++) {
        if (scan->ranges[i].low <= max && scan->ranges[i].high >= min) {
            return false;
        }
    }
    return scan->range_count > 0;
}

/* ---- memory ---- */

static int32_t *map_layout(Scan *scan, const ChunkLayout *layout) {
    int32_t *map = arena_array(&scan->arena, int32_t, scan->column_count + 1u);
    for (uint16_t i = 0; i < scan->column_count; i++) {
        const ColumnDef *column = &scan->def->columns[scan->columns[i]];
        map[i] = layout_find(layout, column->id);
        if (map[i] >= 0 && type_physical(layout->columns[map[i]].type.id) != type_physical(column->type.id)) {
            map[i] = -1; /* only a forged log can do that */
        }
    }
    return map;
}

/* false: the snapshot sees no row of it. */
static bool capture_begun(Scan *scan, ScanBlock *block) {
    RowSpan one = {0, block->row_count};
    uint32_t count = scan->all_begun ? 1 : runs_visible(&block->chunk->runs, &scan->snapshot, block->row_count, &one, 1);
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

static ScanBlock chunk_block(const Scan *scan, Part *part, Chunk *chunk, const int32_t *map) {
    bool has_time = chunk->times.any && scan->def->designated >= 0;
    return (ScanBlock){.part = part,
                       .chunk = chunk,
                       .map = map,
                       .time_place = part->layout->time_column,
                       .row_count = chunk->filled,
                       .first_offset = chunk->first_offset,
                       .has_time = has_time,
                       .sorted = has_time && chunk->times.sorted,
                       .min = chunk->times.min,
                       .max = chunk->times.max};
}

static bool capture_chunk(Scan *scan, Part *part, Chunk *chunk, const int32_t *map, ScanBlock *block) {
    if (chunk->filled == 0 || chunk->dropped) {
        return false;
    }
    *block = chunk_block(scan, part, chunk, map);
    if (block->has_time && outside_ranges(scan, block->min, block->max)) {
        scan->blocks_pruned++;
        return false;
    }
    if (!capture_begun(scan, block)) {
        return false;
    }
    if (scan->want_stats && scan->column_count == 0 && block->clean && chunk->ends.ended_rows == 0) {
        block->stats = arena_array(&scan->arena, BlockStats, 1);
        block->stats->row_count = block->row_count;
    }
    return true;
}

/* Under the lock. */
static uint32_t capture_chunks(Scan *scan, Part *part, ScanBlock *blocks) {
    uint32_t count = 0;
    const int32_t *map = map_layout(scan, part->layout);
    for (uint32_t i = 0; i < part->chunk_count; i++) {
        count += capture_chunk(scan, part, part->chunks[i], map, &blocks[count]);
    }
    return count;
}

/* ---- segments ---- */

static int32_t *map_segment(Scan *scan, const Segment *segment) {
    int32_t *map = arena_array(&scan->arena, int32_t, scan->column_count + 1u);
    for (uint16_t i = 0; i < scan->column_count; i++) {
        const ColumnDef *column = &scan->def->columns[scan->columns[i]];
        map[i] = segment_column_index(segment, column->id);
        if (map[i] >= 0 && type_physical(segment_column(segment, (uint16_t)map[i]).type.id) != type_physical(column->type.id)) {
            map[i] = -1; /* only a forged file can do that */
        }
    }
    return map;
}

static void capture_stats(Scan *scan, ScanBlock *block) {
    block->stats = arena_array(&scan->arena, BlockStats, scan->column_count + 1u);
    for (uint16_t i = 0; i < scan->column_count; i++) {
        if (block->map[i] < 0) {
            block->stats = NULL;
            return;
        }
        SegmentBlockStats stats;
        segment_block_stats(block->segment, block->segment_block, (uint16_t)block->map[i], &stats);
        block->stats[i] = stats.values;
    }
    if (scan->column_count == 0) {
        block->stats[0].row_count = block->row_count;
    }
}

static ScanBlock segment_block(Scan *scan, Part *part, const Segment *segment, uint32_t number, const int32_t *map) {
    uint32_t rows = segment_block_rows(segment, number);
    ScanBlock block = {.part = part,
                       .segment = segment,
                       .segment_block = number,
                       .map = map,
                       .time_place = scan->def->designated >= 0 ? segment_sort_column(segment) : -1,
                       .row_count = rows,
                       .first_offset = number << 16,
                       .clean = true,
                       .visible_rows = rows};
    block.has_time = scan->def->designated >= 0 && segment_block_range(segment, number, &block.min, &block.max);
    block.sorted = block.has_time;
    return block;
}

static uint32_t capture_segment(Scan *scan, Part *part, const Segment *segment, bool ended, ScanBlock *blocks) {
    uint32_t count = 0;
    const int32_t *map = map_segment(scan, segment);
    for (uint32_t i = 0; i < part->block_count; i++) {
        blocks[count] = segment_block(scan, part, segment, part->first_block + i, map);
        if ((blocks[count].has_time && outside_ranges(scan, blocks[count].min, blocks[count].max)) || !scan__may_match(scan, &blocks[count])) {
            scan->blocks_pruned++;
            continue;
        }
        if (scan->want_stats && !ended) {
            capture_stats(scan, &blocks[count]);
        }
        count++;
    }
    return count;
}

/* ---- all ---- */

typedef struct Pinned { Part *part; ScanBlock *chunks; uint32_t chunk_count; bool ended; const uint32_t *groups; } Pinned;

/* Under the lock. */
static void pin(Scan *scan, Part *part, Pinned *pinned) {
    *pinned = (Pinned){.part = part, .ended = part->ends.ended_rows > 0};
    if (part->file == NULL) {
        pinned->chunks = arena_array(&scan->arena, ScanBlock, part->chunk_count + 1u);
        pinned->chunk_count = capture_chunks(scan, part, pinned->chunks);
    }
    bool wanted = part->file != NULL ? !(part->has_time && scan->def->designated >= 0 && outside_ranges(scan, part->min, part->max))
                                     : pinned->chunk_count > 0;
    if (!wanted) {
        scan->parts_pruned++;
        return;
    }
    part->refs++;
    scan->pins[scan->pin_count++] = part;
}

/* Only the row blocks that are to be rewritten. */
static uint32_t capture_groups(Scan *scan, const Pinned *pinned, const Segment *segment, ScanBlock *blocks) {
    uint32_t count = 0;
    const int32_t *map = map_segment(scan, segment);
    for (uint32_t i = 0; i < pinned->part->block_count; i++) {
        if (pinned->groups[i] != 0) {
            blocks[count] = segment_block(scan, pinned->part, segment, pinned->part->first_block + i, map);
            blocks[count++].group = pinned->groups[i];
        }
    }
    return count;
}

static ErrorCode add_blocks(Scan *scan, const Pinned *pinned, Error *err) {
    uint32_t before = scan->block_count;
    if (pinned->part->file != NULL) {
        Segment *segment = NULL;
        bool possible = true;
        TRY(table__segment_open(scan->table, pinned->part->file, &segment, err));
        TRY(scan__may_hold_symbols(scan, segment, &possible, err));
        if (!possible) {
            scan->parts_pruned++;
            scan->blocks_pruned += pinned->part->block_count;
            return ERR_OK;
        }
        scan->block_count += pinned->groups != NULL ? capture_groups(scan, pinned, segment, &scan->blocks[before])
                                                    : capture_segment(scan, pinned->part, segment, pinned->ended, &scan->blocks[before]);
    } else {
        memcpy(&scan->blocks[before], pinned->chunks, sizeof(ScanBlock) * pinned->chunk_count);
        scan->block_count += pinned->chunk_count;
    }
    for (uint32_t i = before; i < scan->block_count; i++) {
        scan->blocks[i].arrival = i;
    }
    return ERR_OK;
}

static ErrorCode add_all(Scan *scan, const Pinned *pinned, Error *err) {
    uint32_t block_max = 0;
    for (uint32_t i = 0; i < scan->pin_count; i++) {
        block_max += pinned[i].part->file != NULL ? pinned[i].part->block_count : pinned[i].chunk_count;
    }
    scan->blocks = arena_array(&scan->arena, ScanBlock, block_max + 1u);
    for (uint32_t i = 0; i < scan->pin_count; i++) {
        TRY(add_blocks(scan, &pinned[i], err));
    }
    return ERR_OK;
}

ErrorCode scan__capture(Scan *scan, Error *err) {
    Table *table = scan->table;
    table__lock(table);
    scan->pins = arena_array(&scan->arena, Part *, table->part_count + 1u);
    Pinned *pinned = arena_array(&scan->arena, Pinned, table->part_count + 1u);
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        if (stamp_visible(part->begin, &scan->snapshot) && !stamp_visible(part->end, &scan->snapshot)) {
            scan->parts++;
            pin(scan, part, &pinned[scan->pin_count]);
        }
    }
    table__unlock(table);
    return add_all(scan, pinned, err);
}

ErrorCode scan__capture_inputs(Scan *scan, const RewriteInput *inputs, uint32_t input_count, Error *err) {
    scan->all_begun = true;
    scan->pins = arena_array(&scan->arena, Part *, input_count + 1u);
    Pinned *pinned = arena_array(&scan->arena, Pinned, input_count + 1u);
    table__lock(scan->table);
    for (uint32_t i = 0; i < input_count; i++) {
        uint32_t before = scan->pin_count;
        pin(scan, inputs[i].part, &pinned[before]);
        pinned[before].groups = inputs[i].groups;
    }
    table__unlock(scan->table);
    return add_all(scan, pinned, err);
}

ErrorCode scan__capture_parts(Scan *scan, Part **parts, uint32_t part_count, Error *err) {
    RewriteInput *inputs = arena_array(&scan->arena, RewriteInput, part_count + 1u);
    for (uint32_t i = 0; i < part_count; i++) {
        inputs[i].part = parts[i];
    }
    return scan__capture_inputs(scan, inputs, part_count, err);
}

typedef struct PieceCapture { Scan *scan; Part *part; const int32_t *map; } PieceCapture;

static void capture_piece(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    const PieceCapture *capture = context;
    Scan *scan = capture->scan;
    ScanBlock block = chunk_block(scan, capture->part, chunk, capture->map);
    block.spans = arena_array(&scan->arena, RowSpan, 1);
    block.spans[0] = (RowSpan){first, end};
    block.span_count = 1;
    block.visible_rows = end - first;
    block.arrival = scan->block_count;
    scan->blocks[scan->block_count++] = block;
}

void scan__capture_write(Scan *scan, Part *part, const Write *write) {
    PieceCapture capture = {scan, part, map_layout(scan, part->layout)};
    table__visit_rows(part, write->first, write->count, capture_piece, &capture);
}

/* SPDX-License-Identifier: Apache-2.0
 * spill.c - a transaction's own rows leave memory for segments of their own, before it commits: big loads touch the disk once.
 *
 * Why:     a record that carries 100,000 rows costs more than a file that it names; and a load larger than memory must not be held in it.
 * Order:   the files are synced before the record that names them is queued. Undone, they are unlinked.
 * Arrival: the active memory part is sealed, so that later rows come behind the segment among equal times.
 * Tests:   test/unit/engine/test_segments.c */
#include "table/scan_internal.h"
#include <stdlib.h>

uint64_t table_rows_written(const Table *table, const WriteSet *writes, size_t first_write) {
    uint64_t rows = 0;
    for (size_t i = first_write; i < writes->count; i++) {
        rows += writes->writes[i].kind == WRITE_ROWS && writes->writes[i].table == table->id ? writes->writes[i].count : 0;
    }
    return rows;
}

bool table_rows_pinned(Table *table, const WriteSet *writes, size_t first_write) {
    bool pinned = false;
    table__lock(table);
    for (size_t i = first_write; i < writes->count && !pinned; i++) {
        const Write *rows = &writes->writes[i];
        pinned = rows->kind == WRITE_ROWS && rows->table == table->id && table__part_find(table, rows->part)->refs > 1;
    }
    table__unlock(table);
    return pinned;
}

static void count_piece(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    (void)chunk, (void)first, (void)end;
    (*(uint32_t *)context)++;
}

static bool is_rows(const Table *table, const Write *write) { return write->kind == WRITE_ROWS && write->table == table->id; }

static void capture_writes(Scan *scan, const WriteSet *writes, size_t first_write) {
    Table *table = scan->table;
    uint32_t piece_count = 0;
    uint32_t write_count = 0;
    table__lock(table);
    for (size_t i = first_write; i < writes->count; i++) {
        if (is_rows(table, &writes->writes[i])) {
            table__visit_rows(table__part_find(table, writes->writes[i].part), writes->writes[i].first, writes->writes[i].count, count_piece, &piece_count);
            write_count++;
        }
    }
    scan->blocks = arena_array(&scan->arena, ScanBlock, piece_count + 1u);
    scan->pins = arena_array(&scan->arena, Part *, write_count + 1u);
    for (size_t i = first_write; i < writes->count; i++) {
        if (is_rows(table, &writes->writes[i])) {
            Part *part = table__part_find(table, writes->writes[i].part);
            part->refs++;
            scan->pins[scan->pin_count++] = part;
            scan__capture_write(scan, part, &writes->writes[i]);
        }
    }
    table__unlock(table);
}

/* Rows that have left, sorted by place, so that a statement which ends and spills millions of rows looks each up by search. */
typedef struct SpilledRange { uint32_t part, first, end; } SpilledRange;
typedef struct SpilledRanges { SpilledRange *items; size_t count; } SpilledRanges;

static int by_place(const void *a_, const void *b_) {
    const SpilledRange *a = a_, *b = b_;
    if (a->part != b->part) {
        return a->part < b->part ? -1 : 1;
    }
    return a->first < b->first ? -1 : a->first > b->first;
}

static SpilledRanges spilled_ranges(const Table *table, const WriteSet *writes, size_t first_write) {
    SpilledRanges ranges = {.items = mem_alloc((writes->count - first_write + 1) * sizeof(SpilledRange))};
    for (size_t i = first_write; i < writes->count; i++) {
        const Write *rows = &writes->writes[i];
        if (is_rows(table, rows)) {
            ranges.items[ranges.count++] = (SpilledRange){rows->part, rows->first, rows->first + rows->count};
        }
    }
    qsort(ranges.items, ranges.count, sizeof *ranges.items, by_place);
    return ranges;
}

/* The first range of the part that ends behind the offset; NULL: none. Ranges of one part do not overlap. */
static const SpilledRange *range_behind(const SpilledRanges *ranges, uint32_t part, uint32_t offset) {
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const SpilledRange *range = &ranges->items[middle];
        if (range->part < part || (range->part == part && range->end <= offset)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ranges->count && ranges->items[low].part == part ? &ranges->items[low] : NULL;
}

/* Ends of spilled rows go with them; one write may hold ends of others' rows beside. */
static void keep_ends(const Table *table, const SpilledRanges *ranges, const Write *ends, WriteSet *kept) {
    uint32_t offset = ends->first, limit = ends->first + ends->count;
    while (offset < limit) {
        const SpilledRange *range = range_behind(ranges, ends->part, offset);
        uint32_t until = range == NULL ? limit : MIN_OF(MAX_OF(range->first, offset), limit);
        if (until > offset) {
            writes_add_rows(kept, (Write){WRITE_ENDS, table->id, ends->part, offset, until - offset, NULL});
        }
        offset = range == NULL ? limit : MIN_OF(range->end, limit);
    }
}

/* Under the lock. */
static void kill_rows(Table *table, const WriteSet *writes, size_t first_write) {
    for (size_t i = first_write; i < writes->count; i++) {
        if (is_rows(table, &writes->writes[i])) {
            Part *part = table__part_find(table, writes->writes[i].part);
            part->sealed = true;
            table__visit_rows(part, writes->writes[i].first, writes->writes[i].count, table__kill_rows, NULL);
        }
    }
    table__drop_dead_chunks(table);
}

/* Under the lock. */
static void drop_writes(Table *table, WriteSet *writes, size_t first_write) {
    WriteSet kept = {0};
    SpilledRanges ranges = spilled_ranges(table, writes, first_write);
    for (size_t i = first_write; i < writes->count; i++) {
        const Write *write = &writes->writes[i];
        if (write->kind == WRITE_ENDS && write->table == table->id) {
            keep_ends(table, &ranges, write, &kept);
        } else if (!is_rows(table, write)) {
            writes_add(&kept, *write);
        }
    }
    mem_free(ranges.items);
    kill_rows(table, writes, first_write);
    writes->count = first_write;
    for (size_t i = 0; i < kept.count; i++) {
        writes_add(writes, kept.writes[i]);
    }
    writes->sealed = MIN_OF(writes->sealed, writes->count);
    writes_deinit(&kept);
}

/* Under the lock. */
static void add_parts(Table *table, TableWriter *writer, const RewriteOutput *output) {
    for (uint32_t i = 0; i < output->count; i++) {
        Part *part = table__segment_part_create(table, &output->entries[i], writer->snapshot.own | writer->snapshot.command);
        table__output_attach(table, output, part);
        writes_add(writer->writes, (Write){WRITE_SEGMENT, table->id, part->id, 0, 0, NULL});
    }
}

ErrorCode table_spill(Table *table, TableWriter *writer, const TableDef *def, size_t first_write, Error *err) {
    if (table_rows_written(table, writer->writes, first_write) == 0) {
        return ERR_OK;
    }
    uint16_t count = table_stored_count(def);
    uint16_t *columns = mem_calloc(count + 1u, sizeof *columns);
    for (uint16_t i = 0; i < count; i++) {
        columns[i] = i;
    }
    ScanRequest request = {.columns = columns, .column_count = count, .order = SCAN_ASCENDING};
    Snapshot own_ends = {.own = writer->snapshot.own, .command = TXN_COMMAND_MAX + 1};
    Scan *scan = scan__create(table, def, &own_ends, &request);
    capture_writes(scan, writer->writes, first_write);
    scan__plan(scan);
    RewriteOutput output = {0};
    ErrorCode code = table__write_segments(table, scan, &(RewriteTarget){0}, &output, err);
    SCAN_VTABLE.close(scan);
    mem_free(columns);
    if (code == ERR_OK) {
        table__lock(table); /* at once: whoever looks for a key finds it before or behind */
        drop_writes(table, writer->writes, first_write);
        add_parts(table, writer, &output);
        table__unlock(table);
    }
    table__output_free(&output);
    return code;
}

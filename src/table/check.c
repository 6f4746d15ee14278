/* SPDX-License-Identifier: Apache-2.0
 * check.c - every file of a table read and compared with its statistics; every part compared with the row blocks that it names.
 *
 * Tests: test/unit/engine/test_segments.c, test_merges.c */
#include "table/table_internal.h"
#include <stdlib.h>

typedef struct Check {
    Table *table;
    Buffer *report;
    ErrorCode code;              /* of the first damage */
    Error *err;
} Check;

static int by_place(const void *a_, const void *b_) {
    const PartEntry *a = a_, *b = b_;
    if (a->file_id != b->file_id) {
        return a->file_id < b->file_id ? -1 : 1;
    }
    return a->first_block < b->first_block ? -1 : a->first_block > b->first_block;
}

static PartEntry *live_entries(Table *table, uint32_t *count_out) {
    table__lock(table);
    PartEntry *entries = mem_calloc(table->part_count + 1u, sizeof *entries);
    *count_out = 0;
    for (uint32_t i = 0; i < table->part_count; i++) {
        if (table->parts[i]->file != NULL && table->parts[i]->end == STAMP_NEVER) {
            entries[(*count_out)++] = table__entry_of(table->parts[i]);
        }
    }
    table__unlock(table);
    qsort(entries, *count_out, sizeof *entries, by_place);
    return entries;
}

static ErrorCode wrong(const Segment *segment, const PartEntry *entry, const char *what, Error *err) {
    return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "%s: part %u, row blocks %u to %u: %s", segment_path(segment), entry->part,
                     entry->first_block, entry->first_block + entry->block_count - 1, what);
}

/* Does the part's entry say what its row blocks say? */
static ErrorCode check_slice(const Segment *segment, const PartEntry *entry, Error *err) {
    if (entry->first_block + entry->block_count > segment_block_count(segment)) {
        return wrong(segment, entry, "the file has fewer", err);
    }
    uint64_t rows = 0;
    int64_t low = 0, high = 0, first = 0, last = 0;
    bool has_time = false;
    for (uint32_t b = entry->first_block; b < entry->first_block + entry->block_count; b++) {
        rows += segment_block_rows(segment, b);
        has_time = segment_block_range(segment, b, &first, &last);
        low = b == entry->first_block ? first : low;
        high = last;
    }
    if (rows != entry->rows) {
        return wrong(segment, entry, "they hold another number of rows", err);
    }
    bool times_fit = !entry->has_time || (has_time && low == entry->min && high == entry->max);
    return times_fit ? ERR_OK : wrong(segment, entry, "they span other times", err);
}

/* The slices of one file: none reads what another reads. */
static ErrorCode check_slices(Check *check, const Segment *segment, const PartEntry *entries, uint32_t count, Error *err) {
    for (uint32_t i = 0; i < count; i++) {
        TRY(check_slice(segment, &entries[i], err));
        if (i > 0 && entries[i - 1].first_block + entries[i - 1].block_count > entries[i].first_block) {
            return wrong(segment, &entries[i], "another part names some of them", err);
        }
    }
    if (count > 1 || entries[0].rows != segment_row_count(segment)) {
        uint64_t rows = 0;
        for (uint32_t i = 0; i < count; i++) {
            rows += entries[i].rows;
        }
        buffer_printf(check->report, "%s: %u slices, %llu of %llu rows in use\n", segment_path(segment), count, (unsigned long long)rows,
                      (unsigned long long)segment_row_count(segment));
    }
    return ERR_OK;
}

static ErrorCode check_parts(Check *check, const char *path, const BlockFileExpect *expect, const PartEntry *entries, uint32_t count, Error *err) {
    Segment *segment = NULL;
    TRY(segment_open(check->table->env->os.io, path, expect, &segment, err));
    ErrorCode code = check_slices(check, segment, entries, count, err);
    segment_close(segment);
    return code;
}

static void check_file(Check *check, const PartEntry *entries, uint32_t count) {
    char path[TABLE_PATH_BYTES];
    Error error = {0};
    table_file_path(path, FILE_SEGMENT, check->table->id, entries[0].file_id);
    BlockFileExpect expect = {.kind = BLOCKFILE_SEGMENT, .file_id = entries[0].file_id, .engine_id = check->table->env->engine_id,
                              .bytes = entries[0].bytes, .crc = entries[0].crc, .has_crc = true};
    ErrorCode code = segment_check(check->table->env->os.io, path, &expect, &error);
    code = code == ERR_OK ? check_parts(check, path, &expect, entries, count, &error) : code;
    buffer_printf(check->report, "%s: %s\n", path, code == ERR_OK ? "good" : error.message);
    if (code != ERR_OK && check->code == ERR_OK) {
        check->code = code;
        if (check->err != NULL) {
            *check->err = error;
        }
    }
}

ErrorCode table_check(Table *table, Buffer *report, Error *err) {
    Check check = {table, report, table__check_runs(table, report, err), err};
    uint32_t count = 0;
    PartEntry *entries = live_entries(table, &count);
    for (uint32_t first = 0, same = 0; first < count; first += same) {
        for (same = 1; first + same < count && entries[first + same].file_id == entries[first].file_id;) {
            same++;
        }
        check_file(&check, &entries[first], same);
    }
    mem_free(entries);
    return check.code;
}

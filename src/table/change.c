/* SPDX-License-Identifier: Apache-2.0
 * change.c - ending rows and parts, undoing and settling what a transaction did.
 *
 * Invariants: whoever sets an end stamp first owns the row; the second gets 40001. Undone rows become ends that all see, so that the
 *             other granules of their chunk stay clean.
 * Tests:      test/unit/engine/test_engine.c, test_history.c */
#include "table/table_internal.h"

static ErrorCode conflict(Error *err) {
    return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "could not serialize access due to concurrent update");
}

/* The row's end stamp where it counts: in the part that has it now. */
Stamp table__newest_end(Table *table, Part *part, uint32_t offset) {
    Part *next = NULL;
    uint32_t next_offset = 0;
    EndPlace place;
    while (table__moved(table, part, offset, &next, &next_offset)) {
        part = next;
        offset = next_offset;
    }
    return table__end_place(part, offset, &place) ? ends_get(place.map, place.row) : STAMP_ALWAYS;
}

/* In the part and in those that have taken the row over. STAMP_NEVER takes the end back. */
static void set_ends(Table *table, Part *part, uint32_t offset, Stamp stamp) {
    do {
        EndPlace place;
        bool found = table__end_place(part, offset, &place);
        assert(found);
        ends_set(place.map, place.row_count, place.row, stamp);
    } while (table__moved(table, part, offset, &part, &offset));
}

static ErrorCode end_one(Table *table, TableWriter *writer, RowRef ref, Error *err) {
    const Snapshot *snapshot = &writer->snapshot;
    Part *part = table__part_find(table, ref.part);
    EndPlace place;
    bool gone = part == NULL || !table__end_place(part, ref.offset, &place) || (part->end != STAMP_NEVER && part->moves == NULL);
    if (gone) {
        return conflict(err);
    }
    Stamp before = table__newest_end(table, part, ref.offset);
    if (before != STAMP_NEVER) {
        return stamp_owner(before) == snapshot->own ? ERR_OK : conflict(err);
    }
    set_ends(table, part, ref.offset, snapshot->own | snapshot->command);
    writes_add_rows(writer->writes, (Write){WRITE_ENDS, table->id, part->id, ref.offset, 1, NULL});
    writer->rows_ended++;
    return ERR_OK;
}

ErrorCode table_end_rows(Table *table, TableWriter *writer, const RowRef *rows, uint32_t row_count, Error *err) {
    ErrorCode code = ERR_OK;
    table__lock(table);
    if (!table__writer_add(table, writer->snapshot.own)) {
        code = error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "the table is being changed by another transaction");
    }
    for (uint32_t i = 0; i < row_count && code == ERR_OK; i++) {
        code = end_one(table, writer, rows[i], err);
    }
    table__unlock(table);
    return code;
}

ErrorCode table_truncate(Table *table, TableWriter *writer, Error *err) {
    TRY(table_claim(table, &writer->snapshot, err));
    table__lock(table);
    (void)table__writer_add(table, writer->snapshot.own);
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        if (part->end == STAMP_NEVER) {
            part->sealed = true;
            part->end = writer->snapshot.own | writer->snapshot.command;
            writes_add(writer->writes, (Write){WRITE_PARTS_END, table->id, part->id, 0, 0, NULL});
        }
    }
    table__unlock(table);
    return ERR_OK;
}

/* ---- undo ---- */

void table__kill_rows(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    (void)context;
    ends_kill(&chunk->ends, chunk->capacity, (RowSpan){first, end});
    runs_set(&chunk->runs, (RowSpan){first, end}, STAMP_ALWAYS);
}

static void set_all_ends(Table *table, const Write *write, Stamp stamp) {
    Part *part = table__part_find(table, write->part);
    assert(part != NULL);
    for (uint32_t i = 0; i < write->count; i++) {
        set_ends(table, part, write->first + i, stamp);
    }
}

/* A segment that the transaction wrote goes, and its file with it. */
static void undo_segment(Table *table, Part *part) {
    char path[TABLE_PATH_BYTES];
    table_file_path(path, FILE_SEGMENT, table->id, part->file->file_id);
    table__unlink_runs(table, part);
    table__part_remove(table, part, 0);
    error_ignore(io_unlink(table->env->os.io, path, NULL)); /* what stays is swept at the next start */
}

void table_undo(Table *table, const Write *write, const Snapshot *snapshot) {
    (void)snapshot;
    table__lock(table);
    Part *part = table__part_find(table, write->part);
    if (write->kind == WRITE_INDEX_RUN) {
        table__run_undo(table, part, write->first);
        table__unlock(table);
        return;
    }
    assert(part != NULL);
    if (write->kind == WRITE_ROWS) {
        table__visit_rows(part, write->first, write->count, table__kill_rows, NULL);
    } else if (write->kind == WRITE_ENDS) {
        set_all_ends(table, write, STAMP_NEVER);
    } else if (write->kind == WRITE_PARTS_END) {
        part->end = STAMP_NEVER;
    } else if (write->kind == WRITE_SEGMENT) {
        undo_segment(table, part);
    }
    table__unlock(table);
}

/* ---- settle ---- */

static void settle_rows(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    runs_set(&chunk->runs, (RowSpan){first, end}, *(const Stamp *)context);
}

void table_settle(Table *table, const Write *write, uint64_t lsn) {
    Stamp stamp = lsn;
    table__lock(table);
    Part *part = table__part_find(table, write->part);
    assert(part != NULL || write->kind == WRITE_INDEX_RUN);
    if (write->kind == WRITE_ROWS) {
        table__visit_rows(part, write->first, write->count, settle_rows, &stamp);
    } else if (write->kind == WRITE_ENDS) {
        set_all_ends(table, write, stamp);
    } else if (write->kind == WRITE_PARTS_END) {
        part->end = stamp;
    } else if (write->kind == WRITE_SEGMENT) {
        part->begin = stamp;
    }
    table__unlock(table);
}

/* SPDX-License-Identifier: Apache-2.0
 * change.c - ending rows and parts, undoing and settling what a transaction did.
 *
 * Invariants: whoever sets an end stamp first owns the row; the second gets 40001. Undone rows become ends that all see, so that the
 *             other granules of their chunk stay clean.
 * Tests:      test/unit/table/test_table.c, test_history.c */
#include "table/table_internal.h"

static ErrorCode conflict(Error *err) {
    return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "could not serialize access due to concurrent update");
}

/* Under the lock. ended_out stays false if this transaction had ended the row before. */
static ErrorCode end_row(Part *part, const Snapshot *snapshot, uint32_t offset, bool *ended_out, Error *err) {
    Chunk *chunk = part->chunks[table__chunk_at(part, offset)];
    uint32_t row = offset - chunk->first_offset;
    assert(row < chunk->filled);
    Stamp before = ends_get(&chunk->ends, row);
    if (before != STAMP_NEVER) {
        return stamp_owner(before) == snapshot->own ? ERR_OK : conflict(err);
    }
    ends_set(&chunk->ends, chunk->capacity, row, snapshot->own | snapshot->command);
    *ended_out = true;
    return ERR_OK;
}

static ErrorCode end_one(Table *table, TableWriter *writer, RowRef ref, Error *err) {
    Part *part = table__part_find(table, ref.part);
    if (part == NULL || part->end != STAMP_NEVER || ref.offset >= part->row_end) {
        return conflict(err);
    }
    bool ended = false;
    TRY(end_row(part, &writer->snapshot, ref.offset, &ended, err));
    if (ended) {
        writes_add_rows(writer->writes, (Write){WRITE_ENDS, table->id, part->id, ref.offset, 1, NULL});
        writer->rows_ended++;
    }
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

static void undo_rows(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    (void)context;
    for (uint32_t row = first; row < end; row++) {
        ends_set(&chunk->ends, chunk->capacity, row, STAMP_ALWAYS);
    }
    runs_set(&chunk->runs, (RowSpan){first, end}, STAMP_ALWAYS);
}

static void undo_ends(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    (void)context;
    for (uint32_t row = first; row < end; row++) {
        ends_set(&chunk->ends, chunk->capacity, row, STAMP_NEVER);
    }
}

void table_undo(Table *table, const Write *write, const Snapshot *snapshot) {
    (void)snapshot;
    table__lock(table);
    Part *part = table__part_find(table, write->part);
    assert(part != NULL);
    if (write->kind == WRITE_ROWS) {
        table__visit_rows(part, write->first, write->count, undo_rows, NULL);
    } else if (write->kind == WRITE_ENDS) {
        table__visit_rows(part, write->first, write->count, undo_ends, NULL);
    } else if (write->kind == WRITE_PARTS_END) {
        part->end = STAMP_NEVER;
    }
    table__unlock(table);
}

/* ---- settle ---- */

static void settle_rows(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    runs_set(&chunk->runs, (RowSpan){first, end}, *(const Stamp *)context);
}

static void settle_ends(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    for (uint32_t row = first; row < end; row++) {
        ends_set(&chunk->ends, chunk->capacity, row, *(const Stamp *)context);
    }
}

void table_settle(Table *table, const Write *write, uint64_t lsn) {
    Stamp stamp = lsn;
    table__lock(table);
    Part *part = table__part_find(table, write->part);
    assert(part != NULL);
    if (write->kind == WRITE_ROWS) {
        table__visit_rows(part, write->first, write->count, settle_rows, &stamp);
    } else if (write->kind == WRITE_ENDS) {
        table__visit_rows(part, write->first, write->count, settle_ends, &stamp);
    } else if (write->kind == WRITE_PARTS_END) {
        part->end = stamp;
    }
    table__unlock(table);
}

/* SPDX-License-Identifier: Apache-2.0
 * redo.c - operations of the log and of checkpoints, applied again after a start.
 *
 * Invariants: every number read is checked; a part or row that does not exist is ERR_DAMAGED. Applying twice gives the same.
 * Threads:    one, before the engine is open.
 * Tests:      test/unit/engine/test_formats.c, test_crash.c */
#include "base/plant.h"
#include "table/table_internal.h"

enum { REDO_ARENA_BYTES = 1 << 30 };

static ErrorCode damaged(const Table *table, const Reader *reader, Error *err) {
    return error_set(err, ERR_DAMAGED, (int64_t)reader->at, "operation on table %u cannot be applied", table->id);
}

typedef struct AppendHead {
    uint32_t part, first, row_count, time_id;
    uint16_t column_count;
} AppendHead;

static AppendHead read_head(Reader *reader) {
    AppendHead head = {0};
    head.part = reader_u32le(reader);
    head.first = reader_u32le(reader);
    head.row_count = reader_u32le(reader);
    head.column_count = reader_u16le(reader);
    head.time_id = reader_u32le(reader);
    bool fits = head.row_count > 0 && head.row_count <= BLOCK_ROWS && head.column_count <= COLUMNS_MAX && head.part > 0 &&
                head.first < (uint32_t)PART_ROWS_MAX + BLOCK_ROWS;
    reader->failed = reader->failed || !fits;
    return head;
}

static Type read_type(Reader *reader) {
    Type type = {0};
    Bytes bytes = reader_bytes(reader, sizeof type);
    if (!reader->failed) {
        memcpy(&type, bytes.data, sizeof type);
    }
    if (type.id >= TYPE_COUNT) {
        reader->failed = true;
        type.id = TYPE_INT8;
    }
    return type;
}

static ErrorCode read_columns(const Table *table, Reader *reader, const AppendHead *head, LayoutColumn *columns, ColumnBlock *blocks,
                              Arena *arena, Error *err) {
    for (uint16_t i = 0; i < head->column_count; i++) {
        columns[i].id = reader_u32le(reader);
        columns[i].type = read_type(reader);
        if (reader->failed || (i > 0 && columns[i].id <= columns[i - 1].id)) {
            return damaged(table, reader, err);
        }
        TRY(table__column_decode(columns[i].type, head->row_count, reader, arena, &blocks[i], err));
    }
    return ERR_OK;
}

static Part *part_for(Table *table, const AppendHead *head, const LayoutColumn *columns) {
    int16_t time_column = -1;
    for (uint16_t i = 0; i < head->column_count; i++) {
        if (columns[i].id == head->time_id && type_physical(columns[i].type.id) == PHYS_64) {
            time_column = (int16_t)i;
        }
    }
    ChunkLayout *layout = layout_create(columns, head->column_count, time_column);
    Part *part = table__part_find(table, head->part);
    if (part == NULL) {
        return table__part_create(table, head->part, layout);
    }
    bool same = part->file == NULL && layout_equal(part->layout, layout);
    mem_free(layout);
    return same ? part : NULL;
}

static void cover(Table *table, Part *part, uint32_t end) {
    while (part->row_end < end) {
        const Chunk *last = part->chunk_count > 0 ? part->chunks[part->chunk_count - 1] : NULL;
        uint32_t covered = last == NULL ? 0 : last->first_offset + last->capacity;
        if (covered < end) {
            uint32_t next = last == NULL ? 64 : MIN_OF(last->capacity * 2, (uint32_t)BLOCK_ROWS);
            (void)table__chunk_add(table, part, MAX_OF(next, chunk_capacity_for(end - covered)), true);
        } else {
            part->row_end = end;
        }
    }
}

static void place(Part *part, const AppendHead *head, const ColumnBlock *blocks, Stamp stamp, Arena *arena) {
    const ColumnBlock **columns = arena_array(arena, const ColumnBlock *, head->column_count + 1u);
    for (uint16_t i = 0; i < head->column_count; i++) {
        columns[i] = &blocks[i];
    }
    for (uint32_t done = 0; done < head->row_count;) {
        Chunk *chunk = part->chunks[table__chunk_at(part, head->first + done)];
        uint32_t first = head->first + done - chunk->first_offset;
        ChunkSource source = {columns, done, MIN_OF(head->row_count - done, chunk->capacity - first)};
        chunk_place(chunk, &source, first, stamp);
        done += source.count;
    }
}

ErrorCode table_redo_append(Table *table, Bytes payload, Stamp stamp, Error *err) {
    Reader reader = reader_from(payload);
    AppendHead head = read_head(&reader);
    if (reader.failed) {
        return damaged(table, &reader, err);
    }
    Arena arena;
    arena_init(&arena, REDO_ARENA_BYTES);
    LayoutColumn *columns = arena_array(&arena, LayoutColumn, head.column_count + 1u);
    ColumnBlock *blocks = arena_array(&arena, ColumnBlock, head.column_count + 1u);
    ErrorCode code = read_columns(table, &reader, &head, columns, blocks, &arena, err);
    Part *part = code == ERR_OK ? part_for(table, &head, columns) : NULL;
    if (code == ERR_OK && part == NULL) {
        code = damaged(table, &reader, err);
    }
    if (code == ERR_OK) {
        cover(table, part, head.first + head.row_count);
        place(part, &head, blocks, stamp, &arena);
    }
    arena_deinit(&arena);
    return code;
}

static ErrorCode end_span(Table *table, Part *part, uint32_t first, uint32_t count, Stamp stamp, const Reader *reader, Error *err) {
    for (uint32_t offset = first; offset < first + count; offset++) {
        EndPlace place;
        if (!table__end_place(part, offset, &place)) {
            return damaged(table, reader, err);
        }
        if (ends_get(place.map, place.row) == STAMP_NEVER && !PLANTED(REDO_FORGETS_ENDS)) {
            ends_set(place.map, place.row_count, place.row, stamp);
        }
    }
    return ERR_OK;
}

ErrorCode table_redo_end(Table *table, Bytes payload, Stamp stamp, Error *err) {
    Reader reader = reader_from(payload);
    Part *part = table__part_find(table, reader_u32le(&reader));
    uint32_t span_count = reader_u32le(&reader);
    for (uint32_t i = 0; i < span_count; i++) {
        uint32_t first = reader_u32le(&reader);
        uint32_t count = reader_u32le(&reader);
        bool outside = part == NULL || first >= part->row_end || first < part->first_block << 16 || count > part->row_end - first || (part->file != NULL && count > part->rows);
        if (reader.failed || outside) {
            return damaged(table, &reader, err);
        }
        TRY(end_span(table, part, first, count, stamp, &reader, err));
    }
    return reader.failed ? damaged(table, &reader, err) : ERR_OK;
}

ErrorCode table_redo_parts(Table *table, Bytes payload, Stamp stamp, Error *err) {
    Reader reader = reader_from(payload);
    bool next_id = reader_u8(&reader) != 0;
    uint32_t id = reader_u32le(&reader);
    if (reader.failed) {
        return damaged(table, &reader, err);
    }
    if (next_id) {
        table->next_part_id = MAX_OF(table->next_part_id, id);
        return ERR_OK;
    }
    Part *part = table__part_find(table, id);
    if (part != NULL) { /* a part without a committed row is not in the log */
        part->sealed = true;
        part->end = stamp;
    }
    table->next_part_id = MAX_OF(table->next_part_id, id + 1);
    return ERR_OK;
}

static ErrorCode add_segment(Table *table, Reader *reader, Stamp stamp, Error *err) {
    PartEntry entry = table__entry_decode(reader);
    if (reader->failed || table__part_find(table, entry.part) != NULL) {
        return damaged(table, reader, err);
    }
    (void)table__segment_part_create(table, &entry, stamp);
    uint64_t next = atomic_load(&table->env->next_file_id);
    atomic_store(&table->env->next_file_id, MAX_OF(next, entry.file_id + 1)); /* one thread */
    return ERR_OK;
}

ErrorCode table_redo_segment(Table *table, Bytes payload, Stamp stamp, Error *err) {
    Reader reader = reader_from(payload);
    return add_segment(table, &reader, stamp, err);
}

/* The new parts first: they may be slices of the files of the old ones, which must not die in between. */
ErrorCode table_redo_publish(Table *table, Bytes payload, Stamp stamp, Error *err) {
    Reader reader = reader_from(payload);
    uint32_t out_count = reader_u32le(&reader);
    Reader outs = reader;
    (void)reader_bytes(&reader, (size_t)out_count * sizeof(uint32_t));
    uint32_t in_count = reader_u32le(&reader);
    for (uint32_t i = 0; i < in_count && !reader.failed; i++) {
        TRY(add_segment(table, &reader, stamp, err));
    }
    for (uint32_t i = 0; i < out_count && !reader.failed; i++) {
        Part *part = table__part_find(table, reader_u32le(&outs));
        if (part != NULL) { /* one without a committed row is not in the log */
            table__part_remove(table, part, stamp);
        }
    }
    return reader.failed ? damaged(table, &reader, err) : ERR_OK;
}

void table_redo_finish(Table *table) {
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        for (uint32_t c = 0; c < part->chunk_count; c++) {
            chunk_settle_holes(part->chunks[c]);
        }
        if (part->chunk_count > 0) {
            const Chunk *last = part->chunks[part->chunk_count - 1];
            part->row_end = last->first_offset + last->reserved;
        }
    }
}

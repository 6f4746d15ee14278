/* SPDX-License-Identifier: Apache-2.0
 * append.c - rows into the active memory part: a place under the lock, the copy outside, the bits and the count under it again.
 *
 * Why:     four writers of one table copy in parallel; the lock is held for a few hundred nanoseconds a piece.
 * Waiting: the call returns when its rows are below the chunk's `filled`, so that a transaction always finds its own rows; a copy
 *          before it takes microseconds.
 * Tests:   test/unit/engine/test_engine.c, test_history.c */
#include "table/index_part.h"

static ErrorCode check_block(const TableDef *def, const ColumnDef *column, const ColumnBlock *block, uint32_t row_count, Error *err) {
    assert(block->row_count == row_count);
    if (type_physical(block->type.id) != type_physical(column->type.id)) {
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "column \"%.*s\" is of another type", STR_ARG(column->name));
    }
    if (!column->not_null || block->valid == NULL) {
        return ERR_OK;
    }
    if (bits_count(block->valid, row_count) == row_count) {
        return ERR_OK;
    }
    (void)error_set(err, ERR_NOT_NULL_VIOLATION, ERROR_NO_POSITION, "null value in column \"%.*s\" of relation \"%.*s\" violates not-null constraint",
                    STR_ARG(column->name), STR_ARG(def->name));
    (void)error_add(err, 's', "%.*s", STR_ARG(def->schema_name));
    (void)error_add(err, 't', "%.*s", STR_ARG(def->name));
    (void)error_add(err, 'c', "%.*s", STR_ARG(column->name));
    return ERR_NOT_NULL_VIOLATION;
}

static ErrorCode check_blocks(const TableDef *def, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    if (column_count != table_stored_count(def)) {
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "table has %u columns, not %u", table_stored_count(def), column_count);
    }
    for (uint16_t i = 0; i < column_count; i++) {
        TRY(check_block(def, &def->columns[i], &columns[i], columns[0].row_count, err));
    }
    return def->index_count > 0 && column_count > 0 ? table__check_key_sizes(def, columns, err) : ERR_OK;
}

/* The newest memory part with the definition's columns that still takes rows; under the lock. */
static Part *active_part(Table *table, const TableDef *def) {
    ChunkLayout *layout = table__layout_of(def);
    for (uint32_t i = table->part_count; i > 0; i--) {
        Part *part = table->parts[i - 1];
        if (!part->sealed && part->row_end < PART_ROWS_MAX && layout_equal(part->layout, layout)) {
            mem_free(layout);
            return part;
        }
    }
    return table__part_create(table, table->next_part_id, layout);
}

static Chunk *chunk_with_room(Table *table, Part *part, uint32_t row_count) {
    Chunk *last = part->chunk_count > 0 ? part->chunks[part->chunk_count - 1] : NULL;
    if (last != NULL && last->reserved < last->capacity) {
        return last;
    }
    uint32_t largest = chunk_capacity_max(part->layout);
    uint32_t next = last == NULL ? 64 : MIN_OF(last->capacity * 2, largest);
    return table__chunk_add(table, part, MAX_OF(next, chunk_capacity_for(MIN_OF(row_count, largest))), false);
}

typedef struct Piece {
    Part *part;
    Chunk *chunk;
    uint32_t first;
    uint8_t *heap;
    ChunkSource source;
    size_t bytes;
} Piece;

/* Under the lock: rows for as much of source as the chunk takes. */
static void piece_reserve(Table *table, Part *part, Piece *piece, Stamp stamp) {
    piece->part = part;
    piece->chunk = chunk_with_room(table, part, piece->source.count);
    uint32_t room = piece->chunk->capacity - piece->chunk->reserved;
    piece->source.count = MIN_OF(piece->source.count, room);
    size_t heap_bytes = chunk_source_heap_bytes(part->layout, &piece->source);
    piece->bytes = heap_bytes + layout_row_bytes(part->layout) * piece->source.count;
    piece->first = chunk_reserve(piece->chunk, &piece->source, stamp, heap_bytes, &piece->heap);
    part->row_end = piece->chunk->first_offset + piece->chunk->reserved;
}

static void piece_copy(Table *table, const Piece *piece) {
    TimeFacts times = chunk_copy(piece->chunk, &piece->source, piece->first, piece->heap);
    table__lock(table);
    chunk_copy_bits(piece->chunk, &piece->source, piece->first);
    chunk_fill(piece->chunk, piece->first, &times);
    Sched *sched = table->env->os.sched;
    sched->cond_broadcast(sched, &table->filled);
    while (piece->chunk->filled < piece->first + piece->source.count) {
        sched->cond_wait(sched, &table->filled, &table->lock, INT64_MAX);
    }
    table__unlock(table);
}

/* Blocks in the layout's order (rising column ids). */
static void order_blocks(const ChunkLayout *layout, const TableDef *def, const ColumnBlock *columns, const ColumnBlock **ordered) {
    for (uint16_t i = 0; i < table_stored_count(def); i++) {
        int at = layout_find(layout, def->columns[i].id);
        assert(at >= 0);
        ordered[at] = &columns[i];
    }
}

typedef struct Pieces { AppendedRows *items; uint32_t count, capacity; } Pieces;

static void pieces_add(Pieces *pieces, AppendedRows rows) {
    if (pieces->count == pieces->capacity) {
        pieces->capacity = MAX_OF(4u, pieces->capacity * 2);
        pieces->items = mem_realloc(pieces->items, sizeof *pieces->items * pieces->capacity);
    }
    pieces->items[pieces->count++] = rows;
}

static bool has_unique(const TableDef *def) {
    for (uint16_t i = 0; i < def->index_count; i++) {
        if (def->indexes[i].is_unique) {
            return true;
        }
    }
    return false;
}

static ErrorCode part_for(Table *table, TableWriter *writer, const TableDef *def, Part **part_out, Error *err) {
    if (!table__writer_add(table, writer->snapshot.own)) {
        return error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "table \"%.*s\" is being changed by another transaction", STR_ARG(def->name));
    }
    *part_out = active_part(table, def);
    return ERR_OK;
}

ErrorCode table_append(Table *table, TableWriter *writer, const TableDef *def, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    TRY(check_blocks(def, columns, column_count, err));
    uint32_t row_count = column_count == 0 ? 0 : columns[0].row_count;
    Stamp stamp = writer->snapshot.own | writer->snapshot.command;
    const ColumnBlock **ordered = mem_calloc(column_count + 1u, sizeof *ordered);
    Pieces pieces = {0};
    bool unique = has_unique(def);
    ErrorCode code = ERR_OK;
    for (uint32_t done = 0; done < row_count && code == ERR_OK;) {
        Part *part = NULL;
        table__lock(table);
        code = part_for(table, writer, def, &part, err);
        if (code != ERR_OK) {
            table__unlock(table);
            break;
        }
        order_blocks(part->layout, def, columns, ordered);
        Piece piece = {.source = {ordered, done, row_count - done}};
        piece_reserve(table, part, &piece, stamp);
        table__unlock(table);
        piece_copy(table, &piece);
        writes_add_rows(writer->writes, (Write){WRITE_ROWS, table->id, part->id, piece.chunk->first_offset + piece.first, piece.source.count, NULL});
        if (unique) {
            pieces_add(&pieces, (AppendedRows){part->id, piece.chunk->first_offset + piece.first, piece.source.count});
        }
        done += piece.source.count;
        writer->bytes_unspilled += piece.bytes;
        writer->bytes_appended += piece.bytes;
    }
    if (code == ERR_OK && pieces.count > 0) {
        code = table__check_unique(table, def, writer, pieces.items, pieces.count, err);
    }
    writer->rows_appended += code == ERR_OK ? row_count : 0;
    mem_free(pieces.items);
    mem_free(ordered);
    return code;
}

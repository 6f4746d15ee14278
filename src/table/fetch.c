/* SPDX-License-Identifier: Apache-2.0
 * fetch.c - see fetch.h. Rows of memory parts are copied under the lock, because words of bits are shared with rows that are being written;
 *           rows of segments are read block by block and granule by granule, whatever order they are asked in.
 *
 * Tests: test/unit/engine/test_keys.c, test/sql/index.slt */
#include "table/fetch.h"

enum { FEW_ROWS = 16 }; /* of one call: their values are picked out of the packed granules */

void table__fetcher_init(Fetcher *fetcher, Table *table, const TableDef *def, const uint16_t *columns, uint16_t column_count) {
    *fetcher = (Fetcher){.table = table, .def = def, .columns = columns, .column_count = column_count};
}

void table__fetcher_deinit(Fetcher *fetcher) {
    for (uint16_t i = 0; fetcher->readers != NULL && i < fetcher->column_count; i++) {
        block_cache_release(fetcher->table->env->cache, &fetcher->readers[i].unpacked.pin);
        block_cache_release(fetcher->table->env->cache, &fetcher->readers[i].pin);
        decode_buffer_destroy(fetcher->readers[i].buffer);
    }
    mem_free(fetcher->readers);
    fetcher->readers = NULL;
}

static bool is_known(const Fetcher *fetcher, uint16_t column) { return fetcher->known != NULL && fetcher->known[column] != NULL; }

static void put_known(Vector *vector, const void *value, uint16_t row_count) {
    size_t width = physical_bytes(type_physical((TypeId)vector->type.id));
    for (uint16_t i = 0; i < row_count; i++) {
        memcpy((uint8_t *)vector_data(vector) + width * i, value, width);
    }
}

static void put_null(Vector *vector, Arena *arena, uint16_t at) {
    size_t width = physical_bytes(type_physical((TypeId)vector->type.id));
    memset((uint8_t *)vector_data(vector) + width * at, 0, width);
    vector_set_null(vector, arena, at);
}

static void put_bit(Vector *vector, uint16_t at, bool value) {
    uint64_t *words = vector_data(vector);
    if (value) {
        bit_set(words, at);
    } else {
        bit_clear(words, at);
    }
}

/* Texts of chunks live as long as the part is pinned; those of granules are copied. */
static void put_value(Vector *vector, Arena *arena, uint16_t at, const void *value, bool keep) {
    Physical physical = type_physical((TypeId)vector->type.id);
    size_t width = physical_bytes(physical);
    uint8_t *to = (uint8_t *)vector_data(vector) + width * at;
    memcpy(to, value, width);
    if (keep && physical == PHYS_STR) {
        StrRef *ref = (StrRef *)(void *)to;
        if (ref->len > STRREF_INLINE) {
            Str copy = arena_str(arena, strref_str(ref));
            *ref = strref_make(copy.data, copy.len);
        }
    }
    if (keep && vector->type.id == TYPE_NUMERIC) {
        NumericSlot *slot = (NumericSlot *)(void *)to;
        if (slot->is_big) {
            Int128 *copy = arena_alloc_aligned(arena, sizeof *copy, sizeof *copy);
            *copy = *slot->as.big;
            slot->as.big = copy;
        }
    }
}

static void put_missing(Vector *vector, const ColumnDef *column, Arena *arena, uint16_t at) {
    if (column->missing_is_null) {
        put_null(vector, arena, at);
    } else if (type_physical(column->type.id) == PHYS_BIT) {
        put_bit(vector, at, (column->missing_value[0] & 1) != 0);
    } else {
        put_value(vector, arena, at, type_physical(column->type.id) == PHYS_STR ? (const void *)&column->missing_text : column->missing_value, false);
    }
}

/* ---- memory parts; under the lock ---- */

static void copy_from_chunk(const Fetcher *fetcher, const FetchRow *row, Vector *vectors, Arena *arena, uint16_t at) {
    const Chunk *chunk = row->part->chunks[table__chunk_at(row->part, row->offset)];
    uint32_t offset = row->offset - chunk->first_offset;
    for (uint16_t i = 0; i < fetcher->column_count; i++) {
        if (is_known(fetcher, i)) {
            continue;
        }
        const ColumnDef *column = &fetcher->def->columns[fetcher->columns[i]];
        int place = layout_find(chunk->layout, column->id);
        if (place < 0 || type_physical(chunk->layout->columns[place].type.id) != type_physical(column->type.id)) {
            put_missing(&vectors[i], column, arena, at);
            continue;
        }
        const ChunkColumn *stored = &chunk->columns[place];
        Physical physical = type_physical(column->type.id);
        if (stored->valid != NULL && !bit_get(stored->valid, offset)) {
            put_null(&vectors[i], arena, at);
        } else if (physical == PHYS_BIT) {
            put_bit(&vectors[i], at, bit_get(stored->data, offset));
        } else {
            put_value(&vectors[i], arena, at, (const uint8_t *)stored->data + physical_bytes(physical) * offset, false);
        }
    }
}

static void copy_from_chunks(const Fetcher *fetcher, const FetchRow *rows, uint16_t row_count, Vector *vectors, Arena *arena) {
    table__lock(fetcher->table);
    for (uint16_t i = 0; i < row_count; i++) {
        if (rows[i].part->file == NULL) {
            copy_from_chunk(fetcher, &rows[i], vectors, arena, i);
        }
    }
    table__unlock(fetcher->table);
}

/* ---- segments ---- */

static ErrorCode load_block(Fetcher *fetcher, FetchColumn *reader, const Segment *segment, uint32_t block, uint16_t place, Error *err) {
    if (reader->segment == segment && reader->block == block) {
        return ERR_OK;
    }
    block_cache_release(fetcher->table->env->cache, &reader->unpacked.pin);
    block_cache_release(fetcher->table->env->cache, &reader->pin);
    reader->segment = NULL;
    reader->granule_number = -1;
    TRY(segment_read_block_cached(segment, block, place, fetcher->table->env->cache, &reader->pin, &reader->decoder, err));
    reader->segment = segment;
    reader->block = block;
    reader->place = place;
    return ERR_OK;
}

/* One value out of its packed granule; found_out false: the granule must be decoded. */
static ErrorCode copy_row(const Fetcher *fetcher, FetchColumn *reader, uint32_t row, Vector *vector, Arena *arena, uint16_t at, bool *found_out, Error *err) {
    RowValue value;
    TRY(segment_row_cached(reader->segment, reader->block, reader->place, fetcher->table->env->cache, &reader->decoder, row, &reader->unpacked, &value,
                           found_out, err));
    if (!*found_out) {
        return ERR_OK;
    }
    if (value.is_null) {
        put_null(vector, arena, at);
    } else if (type_physical((TypeId)vector->type.id) == PHYS_BIT) {
        put_bit(vector, at, (value.value[0] & 1) != 0);
    } else {
        put_value(vector, arena, at, value.value, true);
    }
    return ERR_OK;
}

static ErrorCode load_granule(FetchColumn *reader, uint32_t granule, Error *err) {
    if (reader->granule_number != (int64_t)granule) {
        reader->buffer = reader->buffer == NULL ? decode_buffer_create() : reader->buffer;
        reader->granule_number = -1;
        TRY(codec_decode_granule(&reader->decoder, granule, reader->buffer, &reader->granule, err));
        reader->granule_number = granule;
    }
    return ERR_OK;
}

static void copy_from_granule(const GranuleData *granule, uint32_t row, Vector *vector, Arena *arena, uint16_t at) {
    Physical physical = type_physical((TypeId)vector->type.id);
    const void *data = granule->data;
    const uint64_t *valid = granule->valid;
    uint32_t place = granule->form == VECTOR_CONSTANT ? 0 : row;
    if (granule->form == VECTOR_INDEXED) {
        if (valid != NULL && !bit_get(valid, row)) {
            put_null(vector, arena, at);
            return;
        }
        place = granule->index[row];
        data = granule->base.data;
        valid = granule->base.valid;
    }
    if (valid != NULL && !bit_get(valid, place)) {
        put_null(vector, arena, at);
    } else if (physical == PHYS_BIT) {
        put_bit(vector, at, bit_get(data, place));
    } else {
        put_value(vector, arena, at, (const uint8_t *)data + physical_bytes(physical) * place, true);
    }
}

static ErrorCode copy_from_segment(Fetcher *fetcher, const FetchRow *row, bool few, Vector *vectors, Arena *arena, uint16_t at, Error *err) {
    Segment *segment = NULL;
    TRY(table__segment_open(fetcher->table, row->part->file, &segment, err));
    if (fetcher->readers == NULL) {
        fetcher->readers = mem_calloc(fetcher->column_count + 1u, sizeof *fetcher->readers);
    }
    uint32_t block = row->offset >> 16, in_block = row->offset & 0xffff;
    if (block >= segment_block_count(segment) || in_block >= segment_block_rows(segment, block)) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "%s: an index names row %u of block %u, which is not there", segment_path(segment), in_block, block);
    }
    for (uint16_t i = 0; i < fetcher->column_count; i++) {
        if (is_known(fetcher, i)) {
            continue;
        }
        const ColumnDef *column = &fetcher->def->columns[fetcher->columns[i]];
        int place = segment_column_index(segment, column->id);
        if (place < 0 || type_physical(segment_column(segment, (uint16_t)place).type.id) != type_physical(column->type.id)) {
            put_missing(&vectors[i], column, arena, at);
            continue;
        }
        FetchColumn *reader = &fetcher->readers[i];
        TRY(load_block(fetcher, reader, segment, block, (uint16_t)place, err));
        bool decoded = reader->granule_number == (int64_t)(in_block / GRANULE_ROWS);
        bool found = false;
        if (!decoded && few) {
            TRY(copy_row(fetcher, reader, in_block, &vectors[i], arena, at, &found, err));
        }
        if (found) {
            continue;
        }
        TRY(load_granule(reader, in_block / GRANULE_ROWS, err));
        copy_from_granule(&reader->granule, in_block % GRANULE_ROWS, &vectors[i], arena, at);
    }
    return ERR_OK;
}

/* Rows of segments by place, so that each granule is decoded once. */
static void order_rows(const FetchRow *rows, uint16_t *order, uint16_t count) {
    for (uint16_t gap = (uint16_t)(count / 2); gap > 0; gap /= 2) {
        for (uint16_t i = gap; i < count; i++) {
            uint16_t moved = order[i];
            uint16_t at = i;
            for (; at >= gap; at = (uint16_t)(at - gap)) {
                const FetchRow *a = &rows[order[at - gap]], *b = &rows[moved];
                if (a->part->id < b->part->id || (a->part->id == b->part->id && a->offset <= b->offset)) {
                    break;
                }
                order[at] = order[at - gap];
            }
            order[at] = moved;
        }
    }
}

ErrorCode table__fetch(Fetcher *fetcher, const FetchRow *rows, uint16_t row_count, Vector *vectors_out, Arena *arena, Error *err) {
    uint16_t order[BATCH_ROWS];
    uint16_t segment_rows = 0;
    assert(row_count <= BATCH_ROWS);
    for (uint16_t i = 0; i < fetcher->column_count; i++) {
        const ColumnDef *column = &fetcher->def->columns[fetcher->columns[i]];
        vectors_out[i] = vector_new_rows(arena, column->type, row_count);
        vectors_out[i].symbols = column->symbols;
        if (is_known(fetcher, i)) {
            put_known(&vectors_out[i], fetcher->known[i], row_count);
        }
    }
    for (uint16_t i = 0; i < row_count; i++) {
        if (rows[i].part->file != NULL) {
            order[segment_rows++] = i;
        }
    }
    if (segment_rows < row_count) {
        copy_from_chunks(fetcher, rows, row_count, vectors_out, arena);
    }
    order_rows(rows, order, segment_rows);
    for (uint16_t i = 0; i < segment_rows; i++) {
        TRY(copy_from_segment(fetcher, &rows[order[i]], segment_rows <= FEW_ROWS, vectors_out, arena, order[i], err));
    }
    return ERR_OK;
}

/* ---- by RowRef: ON CONFLICT ---- */

/* A part may have been merged away since the place was found; its rows are where the moves say. */
static Part *resolve(Table *table, RowRef ref, uint32_t *offset_out) {
    Part *part = table__part_find(table, ref.part);
    *offset_out = ref.offset;
    Part *next = NULL;
    uint32_t offset = 0;
    while (part != NULL && table__moved(table, part, *offset_out, &next, &offset)) {
        part = next;
        *offset_out = offset;
    }
    return part;
}

static void keep_chunk_values(Vector *columns, uint16_t column_count, const FetchRow *rows, uint16_t row_count, Arena *arena) {
    for (uint16_t c = 0; c < column_count; c++) {
        bool points = type_physical((TypeId)columns[c].type.id) == PHYS_STR || columns[c].type.id == TYPE_NUMERIC;
        for (uint16_t i = 0; i < row_count && points; i++) {
            if (rows[i].part->file == NULL && !vector_is_null(&columns[c], i)) { /* texts of chunks go with the pin */
                put_value(&columns[c], arena, i, vector_value(&columns[c], i), true);
            }
        }
    }
}

ErrorCode table_fetch_columns(Table *table, const TableDef *def, const RowRef *refs, uint16_t row_count, const uint16_t *columns, uint16_t column_count,
                              Vector *columns_out, Arena *arena, Error *err) {
    FetchRow *rows = arena_array(arena, FetchRow, row_count + 1u);
    bool gone = false;
    table__lock(table);
    for (uint16_t i = 0; i < row_count; i++) {
        rows[i].part = resolve(table, refs[i], &rows[i].offset);
        gone = gone || rows[i].part == NULL;
        if (rows[i].part != NULL) {
            rows[i].part->refs++;
        }
    }
    table__unlock(table);
    Fetcher fetcher;
    table__fetcher_init(&fetcher, table, def, columns, column_count);
    ErrorCode code = gone ? error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "could not serialize access due to concurrent update")
                          : table__fetch(&fetcher, rows, row_count, columns_out, arena, err);
    if (code == ERR_OK) {
        keep_chunk_values(columns_out, column_count, rows, row_count, arena);
    }
    table__fetcher_deinit(&fetcher);
    table__lock(table);
    for (uint16_t i = 0; i < row_count; i++) {
        if (rows[i].part != NULL) {
            table__part_release(table, rows[i].part);
        }
    }
    table__unlock(table);
    return code;
}

ErrorCode table_fetch(Table *table, const TableDef *def, const RowRef *refs, uint16_t row_count, Vector *columns_out, Arena *arena, Error *err) {
    uint16_t *columns = arena_array(arena, uint16_t, def->column_count + 1u);
    for (uint16_t i = 0; i < def->column_count; i++) {
        columns[i] = i;
    }
    return table_fetch_columns(table, def, refs, row_count, columns, def->column_count, columns_out, arena, err);
}

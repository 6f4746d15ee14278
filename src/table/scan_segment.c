/* SPDX-License-Identifier: Apache-2.0
 * scan_segment.c - columns of a segment's row block: not read before somebody looks at a value, decoded granule by granule.
 *
 * As it lies:  a batch's vectors are ENCODED; the first look reads the block and decodes the granule of the window, in place where
 *              the encoding allows it. A column that nobody looks at costs nothing.
 * Few rows:     scan_pick.c.
 * By position: merges and descending scans name rows of the whole block; its arrays are filled with the granules that are touched.
 * Tests:       test/unit/engine/test_segments.c */
#include "table/scan_internal.h"

enum { GRANULES = BLOCK_ROWS / GRANULE_ROWS };

static ScanReader *reader_at(ScanCursor *cursor, uint32_t member, uint32_t i) {
    uint32_t at = member * (cursor->scan->column_count + 1u) + i;
    if (at >= cursor->reader_count) {
        uint32_t count = (member + 1u) * (cursor->scan->column_count + 1u);
        cursor->readers = mem_realloc(cursor->readers, sizeof(ScanReader *) * count);
        memset(cursor->readers + cursor->reader_count, 0, sizeof(ScanReader *) * (count - cursor->reader_count));
        cursor->reader_count = count;
    }
    if (cursor->readers[at] == NULL) {
        cursor->readers[at] = mem_calloc(1, sizeof(ScanReader));
        cursor->readers[at]->cursor = cursor;
    }
    return cursor->readers[at];
}

void scan__readers_close(ScanCursor *cursor) {
    for (uint32_t i = 0; i < cursor->reader_count; i++) {
        if (cursor->readers[i] != NULL) {
            block_cache_release(cursor->scan->table->env->cache, &cursor->readers[i]->pin);
            segment_buffer_deinit(&cursor->readers[i]->buffer);
            decode_buffer_destroy(cursor->readers[i]->decode);
            mem_free(cursor->readers[i]);
        }
    }
    mem_free(cursor->readers);
}

void scan__reader_bind(ScanCursor *cursor, uint32_t member, uint32_t i, const ScanBlock *block, int32_t place, Type type, LoadedColumn *column) {
    ScanReader *reader = reader_at(cursor, member, i);
    block_cache_release(cursor->scan->table->env->cache, &reader->pin);
    reader->segment = block->segment;
    reader->block = block->segment_block;
    reader->column = place;
    reader->type = type;
    reader->open = false;
    reader->granule_number = reader->view_number = -1;
    *column = (LoadedColumn){.reader = reader};
}

static ErrorCode block_open(ScanReader *reader, Error *err) {
    const Scan *scan = reader->cursor->scan;
    uint16_t column = (uint16_t)reader->column;
    if (reader->open) {
        return ERR_OK;
    }
    if (reader->cursor->cached) {
        TRY(segment_read_block_cached(reader->segment, reader->block, column, scan->table->env->cache, &reader->pin, &reader->decoder, err));
    } else {
        TRY(segment_read_block(reader->segment, reader->block, column, &reader->buffer, &reader->decoder, err));
    }
    reader->open = true;
    return ERR_OK;
}

ErrorCode scan__granule_load(ScanReader *reader, uint32_t number, Error *err) {
    if (reader->granule_number == (int64_t)number) {
        return ERR_OK;
    }
    TRY(block_open(reader, err));
    if (reader->decode == NULL) {
        reader->decode = decode_buffer_create();
    }
    reader->granule_number = -1;
    TRY(codec_decode_granule(&reader->decoder, number, reader->decode, &reader->granule, err));
    reader->granule_number = number;
    return ERR_OK;
}

ErrorCode scan__granule_view(ScanReader *reader, uint32_t number, const GranuleView **view_out, Error *err) {
    if (reader->view_number != (int64_t)number) {
        TRY(block_open(reader, err));
        reader->view_number = number;
        reader->viewed = codec_view_granule(&reader->decoder, number, &reader->view);
    }
    *view_out = reader->viewed ? &reader->view : NULL;
    return ERR_OK;
}

/* One window as a FLAT vector; expanded values live in the cursor's scratch memory. */
static ErrorCode window_flat(ScanReader *reader, uint32_t start, Vector *flat, Error *err) {
    TRY(scan__granule_load(reader, start / GRANULE_ROWS, err));
    granule_window(&reader->granule, reader->type, start % GRANULE_ROWS / BATCH_ROWS, flat);
    return vector_flat(flat, &reader->cursor->scratch, err);
}

static ErrorCode decode_window(void *context, Vector *vector, Error *err) {
    ScanReader *reader = context;
    Vector flat = {0};
    TRY(window_flat(reader, reader->window_start, &flat, err));
    vector->data = flat.data;
    vector->valid = flat.valid;
    return ERR_OK;
}

void scan__window_encoded(LoadedColumn *column, uint32_t start, Vector *vector) {
    column->reader->window_start = start;
    vector->form = VECTOR_ENCODED;
    vector->decode = decode_window;
    vector->decode_context = column->reader;
    vector->pick = scan__pick_window;
}

/* ---- whole blocks ---- */

static void arrays_make(ScanCursor *cursor, const LoadedBlock *loaded, LoadedColumn *column) {
    size_t width = physical_bytes(type_physical(column->reader->type.id));
    uint32_t rows = (loaded->block->row_count + GRANULE_ROWS - 1) / GRANULE_ROWS * GRANULE_ROWS;
    column->data = arena_alloc_aligned(&cursor->block_arena, width == 0 ? rows / 8 : width * rows, 64);
}

static uint64_t *valid_make(ScanCursor *cursor, LoadedColumn *column) {
    if (column->valid == NULL) {
        uint64_t *valid = arena_alloc_aligned(&cursor->block_arena, BLOCK_ROWS / 8, 64);
        memset(valid, 0xff, BLOCK_ROWS / 8);
        column->valid = valid;
    }
    return (uint64_t *)(uintptr_t)column->valid;
}

/* Texts and big numbers outlive the decode buffer. */
static void keep_texts(ScanCursor *cursor, StrRef *refs, uint32_t row_count) {
    for (uint32_t i = 0; i < row_count; i++) {
        if (refs[i].len > STRREF_INLINE) {
            Str copy = arena_str(&cursor->block_arena, strref_str(&refs[i]));
            refs[i] = strref_make(copy.data, copy.len);
        }
    }
}

static void keep_numerics(ScanCursor *cursor, NumericSlot *slots, uint32_t row_count) {
    for (uint32_t i = 0; i < row_count; i++) {
        if (slots[i].is_big) {
            Int128 *copy = arena_alloc_aligned(&cursor->block_arena, sizeof *copy, sizeof *copy);
            *copy = *slots[i].as.big;
            slots[i].as.big = copy;
        }
    }
}

/* References under nulls are not texts. */
static void clear_nulls(uint8_t *values, size_t width, const uint64_t *valid, uint32_t row_count) {
    for (uint32_t i = 0; valid != NULL && i < row_count; i++) {
        if (!bit_get(valid, i)) {
            memset(values + width * i, 0, width);
        }
    }
}

static void window_store(ScanCursor *cursor, LoadedColumn *column, uint32_t start, const Vector *flat) {
    Physical physical = type_physical(column->reader->type.id);
    size_t width = physical_bytes(physical);
    uint8_t *to = (uint8_t *)(uintptr_t)column->data + (width == 0 ? start / 8 : width * start);
    memcpy(to, flat->data, width == 0 ? words_for(flat->row_count) * 8 : width * flat->row_count);
    if (flat->valid != NULL) {
        memcpy(valid_make(cursor, column) + start / 64, flat->valid, words_for(flat->row_count) * 8);
    }
    if (physical == PHYS_STR || column->reader->type.id == TYPE_NUMERIC) {
        clear_nulls(to, width, flat->valid, flat->row_count);
    }
    if (physical == PHYS_STR) {
        keep_texts(cursor, (StrRef *)(void *)to, flat->row_count);
    } else if (column->reader->type.id == TYPE_NUMERIC) {
        keep_numerics(cursor, (NumericSlot *)(void *)to, flat->row_count);
    }
}

static ErrorCode granule_store(ScanCursor *cursor, const LoadedBlock *loaded, LoadedColumn *column, uint32_t number, Error *err) {
    uint32_t end = MIN_OF((number + 1) * GRANULE_ROWS, loaded->block->row_count);
    for (uint32_t start = number * GRANULE_ROWS; start < end; start += BATCH_ROWS) {
        Vector flat = {0};
        TRY(window_flat(column->reader, start, &flat, err));
        window_store(cursor, column, start, &flat);
    }
    column->granules |= UINT32_C(1) << number;
    return ERR_OK;
}

void scan__ensure(ScanCursor *cursor, LoadedBlock *loaded, uint32_t i, uint32_t granules) {
    LoadedColumn *column = &loaded->columns[i];
    if (column->reader == NULL || (granules & ~column->granules) == 0) {
        return;
    }
    if (column->data == NULL) {
        arrays_make(cursor, loaded, column);
    }
    for (uint32_t g = 0; g < GRANULES && cursor->code == ERR_OK; g++) {
        if (((granules & ~column->granules) >> g & 1) != 0) {
            cursor->code = granule_store(cursor, loaded, column, g, &cursor->error);
        }
    }
}

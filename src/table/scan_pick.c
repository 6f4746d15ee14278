/* SPDX-License-Identifier: Apache-2.0
 * scan_pick.c - values of few rows of a segment's column, and conditions on its packed granules.
 *
 * Why:        a granule whose packed integers can be read one by one is not decoded for ten rows, one of any other encoding not for a few. Else,
 *             and of granules that are decoded already, the rows are gathered.
 * Tests:      test/unit/engine/test_segments.c, test/sql/filters.slt */
#include "table/scan_internal.h"

enum {
    STEPPED_ROWS_MAX = 256,  /* of a granule of deltas; decoding all of it is cheaper then */
    SINGLE_ROWS_MAX = 8      /* of a granule that cannot be viewed: each row is found by itself (codec_row) */
};

/* Rows base + rows[i] of the block, rising, and where their values go. */
typedef struct RowPick {
    ScanReader *reader;
    Arena *arena;
    uint32_t base, count;
    const uint16_t *rows;
    size_t width;            /* 0: bits */
    uint8_t *values;
    uint64_t *valid;         /* NULL while no null was met */
} RowPick;

static void *values_alloc(Arena *arena, size_t width, uint32_t count) {
    size_t words = words_for(count == 0 ? 1 : count);
    size_t word_bytes = width == 0 ? sizeof(uint64_t) : 64 * width;
    uint8_t *values = arena_alloc_aligned(arena, words * word_bytes, 64);
    memset(width == 0 ? values : values + (words - 1) * word_bytes, 0, width == 0 ? words * word_bytes : word_bytes);
    return values;
}

static void null_row(RowPick *pick, uint32_t i) {
    if (pick->valid == NULL) {
        pick->valid = arena_alloc_aligned(pick->arena, words_for(pick->count) * sizeof(uint64_t), 64);
        memset(pick->valid, 0xff, words_for(pick->count) * sizeof(uint64_t));
    }
    bit_clear(pick->valid, i);
}

static void take_validity(RowPick *pick, const uint64_t *valid, uint32_t shift, uint32_t from, uint32_t to) {
    if (valid == NULL) {
        return;
    }
    for (uint32_t i = from; i < to; i++) {
        if (!bit_get(valid, shift + pick->rows[i])) {
            null_row(pick, i);
        }
    }
}

/* Texts and big numbers leave the decode buffer, which the next granule fills; under nulls there are none. */
static void keep_value(RowPick *pick, uint32_t i, bool is_null) {
    uint8_t *place = pick->values + i * pick->width;
    if (is_null) {
        memset(place, 0, pick->width);
    } else if (type_physical((TypeId)pick->reader->type.id) == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, place, sizeof ref);
        if (ref.len > STRREF_INLINE) {
            Str copy = arena_str(pick->arena, strref_str(&ref));
            ref = strref_make(copy.data, copy.len);
            memcpy(place, &ref, sizeof ref);
        }
    } else if (pick->reader->type.id == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, place, sizeof slot);
        slot = slot.is_big ? numeric_to_slot(numeric_from_slot(&slot), pick->arena) : slot;
        memcpy(place, &slot, sizeof slot);
    }
}

#define GATHER(T)                                                                                                      \
    for (uint32_t i = from; i < to; i++) {                                                                             \
        ((T *)(void *)pick->values)[i] = ((const T *)data)[index == NULL ? shift + pick->rows[i] : index[shift + pick->rows[i]]]; \
    }

static void gather_decoded(RowPick *pick, const void *data, const uint16_t *index, uint32_t shift, uint32_t from, uint32_t to) {
    typedef struct Pair { uint64_t words[2]; } Pair;
    switch (pick->width) {
    case 0:
        for (uint32_t i = from; i < to; i++) {
            pick->values[i / 8] |= (uint8_t)(bit_get(data, shift + pick->rows[i]) << i % 8);
        }
        break;
    case 1: GATHER(uint8_t) break;
    case 2: GATHER(uint16_t) break;
    case 4: GATHER(uint32_t) break;
    case 8: GATHER(uint64_t) break;
    default: GATHER(Pair) break;
    }
}
#undef GATHER

static void fill_constant(RowPick *pick, const uint8_t *value, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        if (pick->width == 0) {
            pick->values[i / 8] |= (uint8_t)((value[0] & 1) << i % 8);
        } else {
            memcpy(pick->values + i * pick->width, value, pick->width);
        }
    }
}

static ErrorCode pick_decoded(RowPick *pick, uint32_t granule, uint32_t shift, uint32_t from, uint32_t to, Error *err) {
    TypeId type = (TypeId)pick->reader->type.id;
    TRY(scan__granule_load(pick->reader, granule, err));
    const GranuleData *data = &pick->reader->granule;
    if (data->form == VECTOR_CONSTANT) {
        static const uint64_t NONE[BLOCK_WORDS];
        fill_constant(pick, data->data, from, to);
        take_validity(pick, data->valid != NULL && !bit_get(data->valid, 0) ? NONE : NULL, 0, from, to);
    } else {
        bool indexed = data->form == VECTOR_INDEXED;
        gather_decoded(pick, indexed ? data->base.data : data->data, indexed ? data->index : NULL, shift, from, to);
        take_validity(pick, data->valid, shift, from, to);
    }
    for (uint32_t i = from; i < to && (type_physical(type) == PHYS_STR || type == TYPE_NUMERIC); i++) {
        keep_value(pick, i, pick->valid != NULL && !bit_get(pick->valid, i));
    }
    return ERR_OK;
}

/* false: the granule must be decoded; rows that were found before that are found again. */
static bool pick_single(RowPick *pick, uint32_t granule, uint32_t shift, uint32_t from, uint32_t to) {
    TypeId type = (TypeId)pick->reader->type.id;
    for (uint32_t i = from; i < to; i++) {
        RowValue row;
        if (!codec_row(&pick->reader->decoder, granule, shift + pick->rows[i], (Bytes){0}, &row)) {
            return false;
        }
        if (row.is_null) {
            null_row(pick, i);
            memset(pick->values + i * pick->width, 0, pick->width);
        } else if (pick->width == 0) {
            pick->values[i / 8] |= (uint8_t)((row.value[0] & 1) << i % 8);
        } else {
            memcpy(pick->values + i * pick->width, row.value, pick->width);
        }
        if (!row.is_null && (type_physical(type) == PHYS_STR || type == TYPE_NUMERIC)) {
            keep_value(pick, i, false);
        }
    }
    return true;
}

/* Rows from..to-1 lie in one granule; `shift` (modulo 2^32) takes rows[i] to its place there. */
static ErrorCode pick_granule(RowPick *pick, uint32_t granule, uint32_t from, uint32_t to, Error *err) {
    uint32_t shift = pick->base - granule * GRANULE_ROWS;
    const GranuleView *view = NULL;
    if (pick->reader->granule_number != (int64_t)granule) {
        TRY(scan__granule_view(pick->reader, granule, &view, err));
    }
    bool few = view == NULL && to - from <= SINGLE_ROWS_MAX && pick->reader->granule_number != (int64_t)granule;
    if (few && pick_single(pick, granule, shift, from, to)) {
        return ERR_OK;
    }
    if (view == NULL || (view->steps && to - from > STEPPED_ROWS_MAX)) {
        return pick_decoded(pick, granule, shift, from, to, err);
    }
    codec_view_rows(view, shift, pick->rows + from, to - from, pick->values + from * pick->width);
    take_validity(pick, view->valid, shift, from, to);
    return ERR_OK;
}

static ErrorCode pick_rows(RowPick *pick, Vector *flat, Error *err) {
    pick->width = physical_bytes(type_physical((TypeId)pick->reader->type.id));
    pick->values = values_alloc(pick->arena, pick->width, pick->count);
    for (uint32_t from = 0; from < pick->count;) {
        uint32_t granule = (pick->base + pick->rows[from]) / GRANULE_ROWS, to = from + 1;
        while (to < pick->count && (pick->base + pick->rows[to]) / GRANULE_ROWS == granule) {
            to++;
        }
        TRY(pick_granule(pick, granule, from, to, err));
        from = to;
    }
    flat->data = pick->values;
    flat->valid = pick->valid;
    return ERR_OK;
}

ErrorCode scan__value_at(ScanReader *reader, uint32_t row, int64_t *value_out, Error *err) {
    uint16_t rows[1] = {(uint16_t)row};
    RowPick pick = {.reader = reader, .arena = &reader->cursor->scratch, .count = 1, .rows = rows, .width = sizeof *value_out, .values = (uint8_t *)value_out};
    assert(row < BLOCK_ROWS);
    assert(physical_bytes(type_physical((TypeId)reader->type.id)) == sizeof *value_out);
    return pick_granule(&pick, row / GRANULE_ROWS, 0, 1, err);
}

ErrorCode scan__pick_window(void *context, Vector *flat, Arena *arena, Error *err) {
    ScanReader *reader = context;
    return pick_rows(&(RowPick){.reader = reader, .arena = arena, .base = reader->window_start, .count = flat->row_count, .rows = flat->index}, flat, err);
}

static ErrorCode decode_rows(void *context, Vector *vector, Error *err) {
    ScanReader *reader = context;
    ScanCursor *cursor = reader->cursor;
    return pick_rows(&(RowPick){.reader = reader, .arena = &cursor->scratch, .count = vector->row_count, .rows = cursor->index}, vector, err);
}

void scan__rows_encoded(const LoadedColumn *column, Vector *vector) {
    vector->form = VECTOR_ENCODED;
    vector->decode = decode_rows;
    vector->decode_context = column->reader;
}

bool scan__filter_granule(ScanCursor *cursor, const LoadedColumn *column, uint32_t number, const ScanFilter *filter, uint64_t *rows) {
    const GranuleView *view = NULL;
    if (column->reader == NULL || cursor->code != ERR_OK) {
        return false;
    }
    cursor->code = scan__granule_view(column->reader, number, &view, &cursor->error);
    return view != NULL && codec_view_filter(view, (FilterOp)filter->op, filter->values, rows);
}

/* SPDX-License-Identifier: Apache-2.0
 * vector_forms.c - from one form to another: decode, gather, expand; live masks and compaction of batches.
 *
 * Why: kernels see FLAT and CONSTANT only; gathering first and computing densely is as fast as gathering inside
 * each kernel and halves the number of kernels. */
#include "column/vector.h"

static size_t padded_rows(size_t rows) {
    return (rows + 63) / 64 * 64;
}

static void *rows_alloc(Arena *arena, Physical physical, size_t rows) {
    size_t padded = padded_rows(rows == 0 ? 1 : rows);
    size_t width = physical_bytes(physical);
    return arena_alloc_aligned(arena, width == 0 ? padded / 8 : width * padded, 64);
}

#define GATHER(T)                                                                                                      \
    do {                                                                                                               \
        const T *from = source;                                                                                        \
        T *to = out;                                                                                                   \
        for (size_t i = 0; i < rows; i++) {                                                                            \
            to[i] = from[index[i]];                                                                                    \
        }                                                                                                              \
        for (size_t i = rows; i < padded_rows(rows); i++) {                                                            \
            to[i] = (T){0};                                                                                            \
        }                                                                                                              \
    } while (0)

static void gather_bits(uint64_t *out, const uint64_t *source, const uint16_t *index, size_t rows) {
    for (size_t w = 0; w < words_for(rows); w++) {
        uint64_t word = 0;
        size_t last = MIN_OF(rows - w * 64, 64);
        for (size_t i = 0; i < last; i++) {
            word |= (uint64_t)bit_get(source, index[w * 64 + i]) << i;
        }
        out[w] = word;
    }
}

typedef struct Pair64 {
    uint64_t words[2];
} Pair64;

static void gather_values(Physical physical, void *out, const void *source, const uint16_t *index, size_t rows) {
    switch (physical_bytes(physical)) {
    case 0:
        gather_bits(out, source, index, rows);
        return;
    case 1:
        GATHER(uint8_t);
        return;
    case 2:
        GATHER(uint16_t);
        return;
    case 4:
        GATHER(uint32_t);
        return;
    case 8:
        GATHER(uint64_t);
        return;
    default:
        GATHER(Pair64);
        return;
    }
}
#undef GATHER

static ErrorCode decode(Vector *vector, Error *err) {
    assert(vector->decode != NULL);
    TRY(vector->decode(vector->decode_context, vector, err));
    vector->form = VECTOR_FLAT;
    assert(vector->data != NULL);
    return ERR_OK;
}

/* The index may carry nulls of its own (an outer join's rows without a match) beside those of the base. */
static const uint64_t *gather_validity(const Vector *vector, const Vector *base, Arena *arena) {
    if (base->valid == NULL) {
        return vector->valid;
    }
    size_t rows = vector->row_count;
    uint64_t *valid = rows_alloc(arena, PHYS_BIT, rows);
    gather_bits(valid, base->valid, vector->index, rows);
    for (size_t w = 0; vector->valid != NULL && w < words_for(rows); w++) {
        valid[w] &= vector->valid[w];
    }
    return valid;
}

static ErrorCode gather(Vector *vector, Arena *arena, Error *err) {
    Vector *base = vector->base;
    assert(base != NULL);
    TRY(vector_flat(base, arena, err));
    Physical physical = type_physical((TypeId)vector->type.id);
    void *data = rows_alloc(arena, physical, vector->row_count);
    gather_values(physical, data, base->data, vector->index, vector->row_count);
    vector->valid = gather_validity(vector, base, arena);
    vector->data = data;
    vector->form = VECTOR_FLAT;
    vector->facts &= (uint8_t)(FACT_NO_NULLS | FACT_NO_NAN);
    vector->base = NULL;
    vector->index = NULL;
    return ERR_OK;
}

#define FILL(T)                                                                                                        \
    do {                                                                                                               \
        T value;                                                                                                       \
        T *to = out;                                                                                                   \
        memcpy(&value, source, sizeof value);                                                                          \
        for (size_t i = 0; i < padded; i++) {                                                                          \
            to[i] = value;                                                                                             \
        }                                                                                                              \
    } while (0)

static void fill_values(Physical physical, void *out, const void *source, size_t padded) {
    switch (physical_bytes(physical)) {
    case 0:
        memset(out, bit_get(source, 0) ? 0xff : 0, padded / 8);
        return;
    case 1:
        FILL(uint8_t);
        return;
    case 2:
        FILL(uint16_t);
        return;
    case 4:
        FILL(uint32_t);
        return;
    case 8:
        FILL(uint64_t);
        return;
    default:
        FILL(Pair64);
        return;
    }
}
#undef FILL

static void expand(Vector *vector, Arena *arena) {
    Physical physical = type_physical((TypeId)vector->type.id);
    size_t padded = padded_rows(vector->row_count == 0 ? 1 : vector->row_count);
    void *data = rows_alloc(arena, physical, padded);
    fill_values(physical, data, vector->data, padded);
    if (vector->valid != NULL && !bit_get(vector->valid, 0)) {
        uint64_t *valid = rows_alloc(arena, PHYS_BIT, padded);
        memset(valid, 0, padded / 8);
        vector->valid = valid;
    } else {
        vector->valid = NULL;
    }
    vector->data = data;
    vector->form = VECTOR_FLAT;
}

ErrorCode vector_flat(Vector *vector, Arena *arena, Error *err) {
    switch ((VectorForm)vector->form) {
    case VECTOR_FLAT:
        return ERR_OK;
    case VECTOR_CONSTANT:
        expand(vector, arena);
        return ERR_OK;
    case VECTOR_INDEXED:
        return gather(vector, arena, err);
    case VECTOR_ENCODED:
        return decode(vector, err);
    }
    return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "vector has form %u", vector->form);
}

ErrorCode vector_dense(Vector *vector, Arena *arena, Error *err) {
    if (vector->form == VECTOR_CONSTANT) {
        return ERR_OK;
    }
    return vector_flat(vector, arena, err);
}

/* ---- live masks ---- */

void batch_filter(Batch *batch, const uint64_t *mask, Arena *arena) {
    size_t words = words_for(batch->row_count);
    uint64_t *live = arena_alloc_aligned(arena, BATCH_WORDS * sizeof(uint64_t), 64);
    memset(live, 0, BATCH_WORDS * sizeof(uint64_t));
    uint32_t count = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t word = mask[w];
        if (batch->live != NULL) {
            word &= batch->live[w];
        }
        if (w + 1 == words) {
            word &= tail_mask(batch->row_count);
        }
        live[w] = word;
        count += word_bits(word);
    }
    batch->live_count = (uint16_t)count;
    batch->live = count == batch->row_count ? NULL : live;
}

void batch_limit(Batch *batch, uint32_t skip, uint32_t take, Arena *arena) {
    if (skip == 0 && take >= batch->live_count) {
        return;
    }
    uint64_t mask[BATCH_WORDS] = {0};
    uint32_t seen = 0;
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->live == NULL || bit_get(batch->live, row)) {
            if (seen >= skip && seen - skip < take) {
                bit_set(mask, row);
            }
            seen++;
        }
    }
    batch_filter(batch, mask, arena);
}

static void live_to_index(const uint64_t *live, size_t rows, uint16_t *index) {
    size_t count = 0;
    for (size_t w = 0; w < words_for(rows); w++) {
        for (uint64_t word = live[w]; word != 0; word &= word - 1) {
            index[count++] = (uint16_t)(w * 64 + (size_t)__builtin_ctzll(word));
        }
    }
}

/* Index of an index: the base stays, so that a second compaction moves no values either. */
static void column_reindex(Vector *column, const uint16_t *picked, uint16_t count, Arena *arena) {
    uint16_t *index = arena_alloc_aligned(arena, padded_rows(count) * sizeof *index, 64);
    for (size_t i = 0; i < count; i++) {
        index[i] = column->index[picked[i]];
    }
    if (column->valid != NULL) {
        uint64_t *valid = rows_alloc(arena, PHYS_BIT, count);
        gather_bits(valid, column->valid, picked, count);
        column->valid = valid;
    }
    column->index = index;
    column->row_count = count;
}

/* An ENCODED column of which few rows are left. */
typedef struct Picked {
    VectorPick pick;
    void *context;
    Arena *arena;
    const uint16_t *index;
} Picked;

static ErrorCode decode_picked(void *context, Vector *vector, Error *err) {
    const Picked *picked = context;
    Vector flat = {.type = vector->type, .form = VECTOR_FLAT, .row_count = vector->row_count, .index = picked->index};
    TRY(picked->pick(picked->context, &flat, picked->arena, err));
    vector->data = flat.data;
    vector->valid = flat.valid;
    return ERR_OK;
}

static void column_pick(Vector *column, const uint16_t *picked, uint16_t count, Arena *arena) {
    Picked *context = arena_new(arena, Picked);
    *context = (Picked){column->pick, column->decode_context, arena, picked};
    column->decode = decode_picked;
    column->decode_context = context;
    column->pick = NULL;
    column->row_count = count;
}

static ErrorCode column_compact(Vector *column, const uint16_t *picked, uint16_t count, Arena *arena, Error *err) {
    switch ((VectorForm)column->form) {
    case VECTOR_CONSTANT:
        column->row_count = count;
        return ERR_OK;
    case VECTOR_INDEXED:
        column_reindex(column, picked, count, arena);
        return ERR_OK;
    case VECTOR_ENCODED:
        if (column->pick != NULL) {
            column_pick(column, picked, count, arena);
            return ERR_OK;
        }
        TRY(decode(column, err));
        break;
    case VECTOR_FLAT:
        break;
    }
    Vector *base = arena_new(arena, Vector);
    *base = *column;
    *column = (Vector){
        .type = base->type,
        .form = VECTOR_INDEXED,
        .facts = base->facts,
        .row_count = count,
        .base_count = base->row_count,
        .index = picked,
        .base = base,
        .symbols = base->symbols,
    };
    return ERR_OK;
}

ErrorCode batch_compact(Batch *batch, Arena *arena, Error *err) {
    if (batch->live == NULL || batch->live_count > batch->row_count / 4) {
        return ERR_OK;
    }
    uint16_t count = batch->live_count;
    assert(bits_count(batch->live, batch->row_count) == count);
    uint16_t *picked = arena_alloc_aligned(arena, padded_rows(count == 0 ? 1 : count) * sizeof *picked, 64);
    live_to_index(batch->live, batch->row_count, picked);
    for (size_t c = 0; c < batch->column_count; c++) {
        TRY(column_compact(&batch->columns[c], picked, count, arena, err));
    }
    if (batch->refs != NULL) {
        RowRef *refs = arena_array(arena, RowRef, padded_rows(count));
        for (size_t i = 0; i < count; i++) {
            refs[i] = batch->refs[picked[i]];
        }
        batch->refs = refs;
    }
    batch->row_count = count;
    batch->live = NULL;
    return ERR_OK;
}

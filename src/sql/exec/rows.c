/* SPDX-License-Identifier: Apache-2.0
 * rows.c - rows kept by sorts, joins, LIMIT from the end: FLAT column chunks of BATCH_ROWS, texts in one arena.
 *
 * Invariants: every chunk but the last is full, so row number n is in chunk n / BATCH_ROWS. Row numbers are 32 bits. */
#include "sql/exec/exec_internal.h"

void rowstore_init(RowStore *store, const RelColumn *columns, uint32_t column_count) {
    *store = (RowStore){.columns = columns, .column_count = column_count};
    arena_init(&store->arena, SIZE_MAX);
}

void rowstore_deinit(RowStore *store, Budget *budget) {
    budget_release(budget, store->budget_seen);
    mem_free(store->chunks);
    arena_deinit(&store->arena);
    *store = (RowStore){0};
}

void rowstore_clear(RowStore *store) {
    arena_reset(&store->arena);
    store->chunk_count = 0;
    store->row_count = 0;
}

void vector_copy_value(Vector *into, Arena *arena, size_t row, const Vector *from, size_t from_row) {
    uint8_t *data = vector_data(into);
    Physical physical = type_physical((TypeId)into->type.id);
    if (vector_is_null(from, from_row)) {
        vector_set_null(into, arena, row);
        return;
    }
    if (physical == PHYS_BIT) {
        if (vector_bool(from, from_row)) {
            bit_set((uint64_t *)(void *)data, row);
        } else {
            bit_clear((uint64_t *)(void *)data, row);
        }
        return;
    }
    const void *value = vector_value(from, from_row);
    if (physical == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, value, sizeof ref);
        if (ref.len > STRREF_INLINE) {
            Str copy = arena_str(arena, strref_str(&ref));
            ref = strref_make(copy.data, copy.len);
        }
        memcpy(data + row * sizeof ref, &ref, sizeof ref);
    } else if (into->type.id == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, value, sizeof slot);
        slot = slot.is_big ? numeric_to_slot(numeric_from_slot(&slot), arena) : slot;
        memcpy(data + row * sizeof slot, &slot, sizeof slot);
    } else {
        size_t width = physical_bytes(physical);
        memcpy(data + row * width, value, width);
    }
}

static RowChunk *open_chunk(RowStore *store) {
    if (store->chunk_count > 0 && store->chunks[store->chunk_count - 1].row_count < BATCH_ROWS) {
        return &store->chunks[store->chunk_count - 1];
    }
    if (store->chunk_count == store->chunk_capacity) {
        store->chunk_capacity = store->chunk_capacity == 0 ? 16 : store->chunk_capacity * 2;
        store->chunks = mem_realloc(store->chunks, store->chunk_capacity * sizeof *store->chunks);
    }
    RowChunk *chunk = &store->chunks[store->chunk_count++];
    *chunk = (RowChunk){.columns = arena_array(&store->arena, Vector, store->column_count + 1)};
    for (uint32_t c = 0; c < store->column_count; c++) {
        chunk->columns[c] = vector_new(&store->arena, store->columns[c].type);
    }
    return chunk;
}

#define COPY_ROWS(T)                                                                                                   \
    do {                                                                                                               \
        T *to = (T *)vector_data(into) + at;                                                                           \
        const T *values = from->data;                                                                                  \
        for (uint16_t i = 0; i < count; i++) {                                                                         \
            to[i] = values[constant ? 0 : picked[i]];                                                                  \
        }                                                                                                              \
    } while (0)

/* Plain values without pointers: one loop by width. from: FLAT or CONSTANT. */
static bool copy_plain(Vector *into, uint16_t at, const Vector *from, const uint16_t *picked, uint16_t count) {
    Physical physical = type_physical((TypeId)into->type.id);
    bool constant = from->form == VECTOR_CONSTANT;
    if (physical == PHYS_BIT || physical == PHYS_STR || physical == PHYS_128) {
        return false;
    }
    switch (physical_bytes(physical)) {
    case 1:
        COPY_ROWS(uint8_t);
        break;
    case 2:
        COPY_ROWS(uint16_t);
        break;
    case 4:
        COPY_ROWS(uint32_t);
        break;
    default:
        COPY_ROWS(uint64_t);
        break;
    }
    return true;
}
#undef COPY_ROWS

static void append_column(RowStore *store, Vector *into, uint16_t at, const Vector *from, const uint16_t *picked, uint16_t count) {
    if (into->symbols == NULL) {
        into->symbols = from->symbols;
    }
    bool plain = copy_plain(into, at, from, picked, count);
    for (uint16_t i = 0; i < count && !plain; i++) {
        vector_copy_value(into, &store->arena, at + i, from, picked[i]);
    }
    for (uint16_t i = 0; i < count && plain && from->valid != NULL; i++) {
        if (vector_is_null(from, picked[i])) {
            vector_set_null(into, &store->arena, at + i);
        }
    }
    into->row_count = (uint16_t)(at + count);
}

ErrorCode batch_dense(const Batch *batch, Vector *columns_out, Arena *arena, Error *err) {
    for (uint16_t c = 0; c < batch->column_count; c++) {
        columns_out[c] = batch->columns[c];
        columns_out[c].row_count = batch->row_count;
        TRY(vector_dense(&columns_out[c], arena, err));
    }
    return ERR_OK;
}

uint16_t batch_live_rows(const Batch *batch, uint16_t *picked) {
    uint16_t count = 0;
    if (batch->live == NULL) {
        for (; count < batch->row_count; count++) {
            picked[count] = count;
        }
        return count;
    }
    for (size_t w = 0; w < words_for(batch->row_count); w++) {
        for (uint64_t word = batch->live[w]; word != 0; word &= word - 1) {
            picked[count++] = (uint16_t)(w * 64 + (size_t)__builtin_ctzll(word));
        }
    }
    return count;
}

ErrorCode rowstore_append(RowStore *store, Batch *batch, Arena *scratch, Budget *budget, Error *err) {
    assert(batch->column_count >= store->column_count);
    uint16_t picked[BATCH_ROWS];
    uint16_t count = batch_live_rows(batch, picked);
    if (store->row_count + count >= UINT32_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "operator keeps more than 4294967294 rows");
    }
    for (uint32_t c = 0; c < store->column_count; c++) {
        TRY(vector_dense(&batch->columns[c], scratch, err));
    }
    for (uint16_t done = 0; done < count;) {
        RowChunk *chunk = open_chunk(store);
        uint16_t part = (uint16_t)MIN_OF(count - done, BATCH_ROWS - chunk->row_count);
        for (uint32_t c = 0; c < store->column_count; c++) {
            append_column(store, &chunk->columns[c], chunk->row_count, &batch->columns[c], picked + done, part);
        }
        chunk->row_count = (uint16_t)(chunk->row_count + part);
        done = (uint16_t)(done + part);
    }
    store->row_count += count;
    return budget_follow(budget, &store->arena, &store->budget_seen, err);
}

ErrorCode rowstore_drain(RowStore *store, Operator *input, Error *err) {
    Arena scratch;
    arena_init(&scratch, SIZE_MAX);
    ErrorCode code = ERR_OK;
    for (;;) {
        Batch *batch = NULL;
        TRY_OR(done, operator_next(input, &batch, err));
        if (batch == NULL) {
            break;
        }
        arena_reset(&scratch);
        TRY_OR(done, rowstore_append(store, batch, &scratch, &input->run->budget, err));
    }
done:
    arena_deinit(&scratch);
    return code;
}

#define GATHER_ROWS(T)                                                                                                 \
    do {                                                                                                               \
        T *to = vector_data(out);                                                                                      \
        for (uint16_t i = 0; i < count; i++) {                                                                         \
            if (numbers[i] != UINT32_MAX) {                                                                            \
                to[i] = ((const T *)store->chunks[numbers[i] / BATCH_ROWS].columns[c].data)[numbers[i] % BATCH_ROWS];  \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
typedef struct Pair { uint64_t words[2]; } Pair;

static void gather_values(const RowStore *store, uint32_t c, const uint32_t *numbers, uint16_t count, Vector *out) {
    switch (physical_bytes(type_physical((TypeId)out->type.id))) {
    case 0: {
        uint64_t *bits = vector_data(out);
        for (uint16_t i = 0; i < count; i++) {
            if (numbers[i] != UINT32_MAX && bit_get(store->chunks[numbers[i] / BATCH_ROWS].columns[c].data, numbers[i] % BATCH_ROWS)) {
                bit_set(bits, i);
            }
        }
        break;
    }
    case 1:
        GATHER_ROWS(uint8_t);
        break;
    case 2:
        GATHER_ROWS(uint16_t);
        break;
    case 4:
        GATHER_ROWS(uint32_t);
        break;
    case 8:
        GATHER_ROWS(uint64_t);
        break;
    default:
        GATHER_ROWS(Pair);
        break;
    }
}
#undef GATHER_ROWS

void rowstore_gather(const RowStore *store, const uint32_t *numbers, uint16_t count, Vector *columns_out, Arena *scratch) {
    rowstore_gather_some(store, numbers, count, store->column_count, columns_out, scratch);
}

void rowstore_gather_some(const RowStore *store, const uint32_t *numbers, uint16_t count, uint32_t column_count, Vector *columns_out, Arena *scratch) {
    for (uint32_t c = 0; c < column_count; c++) {
        Vector *out = &columns_out[c];
        *out = vector_new(scratch, store->columns[c].type);
        out->row_count = count;
        out->symbols = store->chunk_count > 0 ? store->chunks[0].columns[c].symbols : NULL;
        size_t width = physical_bytes(type_physical((TypeId)out->type.id));
        memset(vector_data(out), 0, width == 0 ? BATCH_ROWS / 8 : width * count);
        gather_values(store, c, numbers, count, out);
        for (uint16_t i = 0; i < count; i++) {
            if (numbers[i] == UINT32_MAX || vector_is_null(&store->chunks[numbers[i] / BATCH_ROWS].columns[c], numbers[i] % BATCH_ROWS)) {
                vector_set_null(out, scratch, i);
            }
        }
    }
}

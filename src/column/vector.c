/* SPDX-License-Identifier: Apache-2.0
 * vector.c - making vectors and reading single values of them. Changing forms is in vector_forms.c. */
#include "column/vector.h"

/* One all-zero value of any type; also the validity word of an all-null constant. */
static const uint64_t ZERO_VALUE[8] __attribute__((aligned(64)));

uint32_t bits_count(const uint64_t *words, size_t bits) {
    uint32_t count = 0;
    size_t whole = bits / 64;
    for (size_t i = 0; i < whole; i++) {
        count += word_bits(words[i]);
    }
    if (bits % 64 != 0) {
        count += word_bits(words[whole] & tail_mask(bits));
    }
    return count;
}

/* Row -> place of its value in data; the vector whose data it is comes back in *holder_out. */
static size_t value_place(const Vector *vector, size_t row, const Vector **holder_out) {
    assert(vector->form != VECTOR_ENCODED);
    *holder_out = vector;
    if (vector->form == VECTOR_FLAT) {
        return row;
    }
    if (vector->form == VECTOR_CONSTANT) {
        return 0;
    }
    *holder_out = vector->base;
    size_t place = vector->index[row];
    assert_slow(place < vector->base_count);
    return vector->base->form == VECTOR_CONSTANT ? 0 : place;
}

bool vector_is_null(const Vector *vector, size_t row) {
    if (vector->valid == NULL && (vector->form != VECTOR_INDEXED || vector->base->valid == NULL)) {
        return false;
    }
    if (vector->form == VECTOR_INDEXED && vector->valid != NULL && !bit_get(vector->valid, row)) {
        return true; /* an index may add nulls of its own: rows that have no place in the base */
    }
    const Vector *holder;
    size_t place = value_place(vector, row, &holder);
    return holder->valid != NULL && !bit_get(holder->valid, place);
}

const void *vector_value(const Vector *vector, size_t row) {
    const Vector *holder;
    size_t place = value_place(vector, row, &holder);
    size_t bytes = physical_bytes(type_physical((TypeId)vector->type.id));
    assert(bytes > 0);
    return (const uint8_t *)holder->data + place * bytes;
}

bool vector_bool(const Vector *vector, size_t row) {
    assert(type_physical((TypeId)vector->type.id) == PHYS_BIT);
    if (vector_is_null(vector, row)) {
        return false;
    }
    const Vector *holder;
    size_t place = value_place(vector, row, &holder);
    return bit_get(holder->data, place);
}

Str vector_text(const Vector *vector, size_t row) {
    if (vector->type.id != TYPE_SYMBOL) {
        return strref_str(vector_value(vector, row));
    }
    assert(vector->symbols != NULL);
    int32_t code;
    memcpy(&code, vector_value(vector, row), sizeof code);
    return vector->symbols->text(vector->symbols, code);
}

Numeric vector_numeric(const Vector *vector, size_t row) { return numeric_from_value(vector->type, vector_value(vector, row)); }

/* Values that hold pointers must never be garbage, because kernels run over null and dead rows. */
static bool needs_zeroes(TypeId id) {
    Physical physical = type_physical(id);
    return physical == PHYS_STR || physical == PHYS_BIT || id == TYPE_NUMERIC;
}

Vector vector_new(Arena *arena, Type type) {
    size_t width = physical_bytes(type_physical((TypeId)type.id));
    size_t bytes = width == 0 ? BATCH_ROWS / 8 : width * BATCH_ROWS;
    void *data = arena_alloc_aligned(arena, bytes, 64);
    if (needs_zeroes((TypeId)type.id)) {
        memset(data, 0, bytes);
    }
    return (Vector){.type = type, .form = VECTOR_FLAT, .row_count = BATCH_ROWS, .data = data};
}

Vector vector_new_rows(Arena *arena, Type type, uint16_t row_count) {
    assert(row_count <= BATCH_ROWS);
    size_t width = physical_bytes(type_physical((TypeId)type.id));
    size_t words = words_for(row_count == 0 ? 1 : row_count);
    size_t bytes = words * (width == 0 ? sizeof(uint64_t) : 64 * width);
    void *data = arena_alloc_aligned(arena, bytes, 64);
    memset(data, 0, bytes);
    return (Vector){.type = type, .form = VECTOR_FLAT, .row_count = row_count, .data = data};
}

void *vector_data(Vector *vector) {
    assert(vector->form == VECTOR_FLAT);
    return (void *)(uintptr_t)vector->data;
}

uint64_t *vector_valid(Vector *vector, Arena *arena) {
    assert(vector->form == VECTOR_FLAT);
    if (vector->valid == NULL) {
        uint64_t *valid = arena_alloc_aligned(arena, BATCH_WORDS * sizeof(uint64_t), 64);
        memset(valid, 0xff, BATCH_WORDS * sizeof(uint64_t));
        vector->valid = valid;
        vector->facts &= (uint8_t)~FACT_NO_NULLS;
    }
    return (uint64_t *)(uintptr_t)vector->valid;
}

void vector_set_null(Vector *vector, Arena *arena, size_t row) {
    assert(row < BATCH_ROWS);
    bit_clear(vector_valid(vector, arena), row);
}

Vector vector_null(Type type, uint16_t row_count) {
    return (Vector){
        .type = type,
        .form = VECTOR_CONSTANT,
        .row_count = row_count,
        .data = ZERO_VALUE,
        .valid = ZERO_VALUE,
    };
}

NumericSlot numeric_to_slot(Numeric value, Arena *arena) {
    NumericSlot slot = {.scale = value.scale, .kind = value.kind};
    if (value.coefficient >= INT64_MIN && value.coefficient <= INT64_MAX) {
        slot.as.coefficient = (int64_t)value.coefficient;
        return slot;
    }
    Int128 *big = arena_alloc_aligned(arena, sizeof(Int128), _Alignof(Int128));
    *big = value.coefficient;
    slot.as.big = big;
    slot.is_big = 1;
    return slot;
}

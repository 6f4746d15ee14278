/* SPDX-License-Identifier: Apache-2.0
 * builder.c - ColumnBuilder: a growing column that doors fill value by value and storage takes as a ColumnBlock.
 *
 * Why:        validity is kept all ones and only nulls clear bits, so that appending a value never touches it.
 * Layout:     data and valid, each from a multiple of 64 bytes on, are one piece of memory, aligned by hand: malloc keeps small pieces at hand,
 *             its aligned calls do not.
 * Invariants: bits of valid at row_count and beyond are ones; data beyond row_count is initialised; pointers in data (long text,
 *             big numerics) point into the builder's own heap. */
#include "column/vector.h"

enum { BUILDER_ROWS_FIRST = 64, BUILDER_ALIGNMENT = 64 }; /* one row is the most usual number */
#define BUILDER_HEAP_BYTES_MAX ((size_t)4 << 30) /* texts of one builder */

static Physical builder_physical(const ColumnBuilder *builder) {
    return type_physical((TypeId)builder->type.id);
}

static size_t data_bytes(const ColumnBuilder *builder, uint32_t rows) {
    size_t width = physical_bytes(builder_physical(builder));
    return width == 0 ? rows / 8 : width * rows;
}

void column_builder_init(ColumnBuilder *builder, Type type) {
    *builder = (ColumnBuilder){.type = type};
    arena_init(&builder->heap, BUILDER_HEAP_BYTES_MAX);
}

void column_builder_deinit(ColumnBuilder *builder) {
    mem_free(builder->memory);
    arena_deinit(&builder->heap);
    *builder = (ColumnBuilder){0};
}

void column_builder_clear(ColumnBuilder *builder) {
    column_builder_truncate(builder, 0);
    arena_reset(&builder->heap);
}

static void builder_grow(ColumnBuilder *builder, uint32_t rows_wanted) {
    assert(rows_wanted <= BLOCK_ROWS);
    uint32_t capacity = builder->capacity == 0 ? BUILDER_ROWS_FIRST : builder->capacity;
    while (capacity < rows_wanted) {
        capacity *= 2;
    }
    size_t old_bytes = data_bytes(builder, builder->capacity);
    size_t new_bytes = data_bytes(builder, capacity);
    size_t valid_at = (new_bytes + BUILDER_ALIGNMENT - 1) & ~(size_t)(BUILDER_ALIGNMENT - 1);
    uint8_t *memory = mem_alloc(valid_at + capacity / 8 + BUILDER_ALIGNMENT);
    uint8_t *data = memory + (-(uintptr_t)memory & (BUILDER_ALIGNMENT - 1));
    uint64_t *valid = (uint64_t *)(void *)(data + valid_at);
    memset(data + old_bytes, 0, new_bytes - old_bytes);
    memset(valid, 0xff, capacity / 8);
    if (builder->capacity > 0) {
        memcpy(data, builder->data, old_bytes);
        memcpy(valid, builder->valid, builder->capacity / 8);
    }
    mem_free(builder->memory);
    builder->memory = memory;
    builder->data = data;
    builder->valid = valid;
    builder->capacity = capacity;
}

static inline void builder_room(ColumnBuilder *builder, uint32_t rows) {
    if (UNLIKELY(builder->row_count + rows > builder->capacity)) {
        builder_grow(builder, builder->row_count + rows);
    }
}

void column_builder_null(ColumnBuilder *builder) {
    column_builder_nulls(builder, 1);
}

void column_builder_nulls(ColumnBuilder *builder, uint32_t count) {
    builder_room(builder, count);
    for (uint32_t i = 0; i < count; i++) {
        bit_clear(builder->valid, builder->row_count + i);
    }
    builder->row_count += count;
    builder->null_count += count;
}

static NumericSlot slot_copy(ColumnBuilder *builder, NumericSlot slot) {
    return slot.is_big ? numeric_to_slot(numeric_from_slot(&slot), &builder->heap) : slot;
}

static StrRef text_copy(ColumnBuilder *builder, Str text) {
    assert(text.len <= STRREF_BYTES_MAX);
    if (text.len <= STRREF_INLINE) {
        return strref_make(text.len == 0 ? "" : text.data, text.len);
    }
    return strref_make(arena_str(&builder->heap, text).data, text.len);
}

void column_builder_value(ColumnBuilder *builder, const void *value) {
    Physical physical = builder_physical(builder);
    size_t width = physical_bytes(physical);
    assert(width > 0);
    builder_room(builder, 1);
    uint8_t *place = (uint8_t *)builder->data + width * builder->row_count;
    if (physical == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, value, sizeof ref);
        ref = text_copy(builder, strref_str(&ref));
        memcpy(place, &ref, sizeof ref);
    } else if (builder->type.id == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, value, sizeof slot);
        slot = slot_copy(builder, slot);
        memcpy(place, &slot, sizeof slot);
    } else {
        memcpy(place, value, width);
    }
    builder->row_count++;
}

void column_builder_bool(ColumnBuilder *builder, bool value) {
    assert(builder_physical(builder) == PHYS_BIT);
    builder_room(builder, 1);
    if (value) {
        bit_set(builder->data, builder->row_count);
    }
    builder->row_count++;
}

void column_builder_text(ColumnBuilder *builder, Str text) {
    assert(builder_physical(builder) == PHYS_STR);
    builder_room(builder, 1);
    ((StrRef *)builder->data)[builder->row_count++] = text_copy(builder, text);
}

/* Only rows from row_count on are cleared, because bits and pointers of dropped rows must not show up again. */
void column_builder_truncate(ColumnBuilder *builder, uint32_t row_count) {
    assert(row_count <= builder->row_count);
    Physical physical = builder_physical(builder);
    bool clear_data = physical == PHYS_STR || builder->type.id == TYPE_NUMERIC;
    if (clear_data && builder->row_count > row_count) {
        memset((uint8_t *)builder->data + data_bytes(builder, row_count), 0,
               data_bytes(builder, builder->row_count) - data_bytes(builder, row_count));
    }
    for (uint32_t row = row_count; physical == PHYS_BIT && row < builder->row_count; row++) {
        bit_clear(builder->data, row);
    }
    for (uint32_t row = row_count; builder->null_count > 0 && row < builder->row_count; row++) {
        if (!bit_get(builder->valid, row)) {
            bit_set(builder->valid, row);
            builder->null_count--;
        }
    }
    builder->row_count = row_count;
}

ColumnBlock column_builder_block(const ColumnBuilder *builder) {
    return (ColumnBlock){
        .type = builder->type,
        .row_count = builder->row_count,
        .data = builder->data,
        .valid = builder->null_count == 0 ? NULL : builder->valid,
    };
}

/* ---- whole batches ---- */

/* All rows of a flat fixed-width vector without nulls: one copy. */
static bool append_whole(ColumnBuilder *builder, const Vector *vector, const uint64_t *live, uint16_t row_count) {
    Physical physical = builder_physical(builder);
    if (live != NULL || vector->form != VECTOR_FLAT || vector->valid != NULL || physical == PHYS_STR ||
        physical == PHYS_BIT || builder->type.id == TYPE_NUMERIC) {
        return false;
    }
    size_t width = physical_bytes(physical);
    memcpy((uint8_t *)builder->data + width * builder->row_count, vector->data, width * row_count);
    builder->row_count += row_count;
    return true;
}

static void append_row(ColumnBuilder *builder, const Vector *vector, size_t row) {
    if (vector_is_null(vector, row)) {
        column_builder_nulls(builder, 1);
    } else if (builder_physical(builder) == PHYS_BIT) {
        column_builder_bool(builder, vector_bool(vector, row));
    } else {
        column_builder_value(builder, vector_value(vector, row));
    }
}

void column_builder_batch(ColumnBuilder *builder, const Vector *vector, const uint64_t *live, uint16_t row_count) {
    assert(vector->form != VECTOR_ENCODED);
    assert(physical_bytes(type_physical((TypeId)vector->type.id)) == physical_bytes(builder_physical(builder)));
    if (row_count == 0) {
        return;
    }
    builder_room(builder, live == NULL ? row_count : bits_count(live, row_count));
    if (append_whole(builder, vector, live, row_count)) {
        return;
    }
    for (size_t row = 0; row < row_count; row++) {
        if (live == NULL || bit_get(live, row)) {
            append_row(builder, vector, row);
        }
    }
}

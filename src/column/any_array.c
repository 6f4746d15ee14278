/* SPDX-License-Identifier: Apache-2.0
 * any_array.c - arrays of any element type: checking and reading the bytes, building them, order and hash. Text is in any_array_text.c. */
#include "column/any_array.h"
#include "base/hash.h"
#include "column/value_rules.h"

enum { HEADER_BYTES = 4, DIMENSION_BYTES = 8 };

static ErrorCode damaged(Str bytes, Error *err) {
    return error_set(err, ERR_DAMAGED, 0, "array value of %zu bytes is no array", bytes.len);
}

static bool check_ends(const AnyArray *array, size_t bytes) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        uint32_t end = get_u32le(array->ends + 4 * (size_t)i);
        if (end < before) {
            return false;
        }
        before = end;
    }
    return before == bytes;
}

static bool read_shape(const uint8_t *data, AnyArray *array) {
    uint64_t count = array->dims == 0 ? 0 : 1;
    for (uint32_t d = 0; d < array->dims; d++) {
        const uint8_t *dimension = data + HEADER_BYTES + DIMENSION_BYTES * (size_t)d;
        array->lengths[d] = get_u32le(dimension);
        array->lowers[d] = (int32_t)get_u32le(dimension + 4);
        count *= array->lengths[d];
        if (count > ANY_ARRAY_VALUES_MAX) {
            return false;
        }
    }
    array->count = (uint32_t)count;
    return true;
}

ErrorCode any_array_view(Str bytes, AnyArray *array_out, Error *err) {
    const uint8_t *data = (const uint8_t *)bytes.data;
    AnyArray array = {0};
    if (bytes.len < HEADER_BYTES || data[0] > ANY_ARRAY_DIMS_MAX || data[2] >= TYPE_COUNT ||
        bytes.len < HEADER_BYTES + DIMENSION_BYTES * (size_t)data[0]) {
        return damaged(bytes, err);
    }
    array.dims = data[0];
    array.element = data[2];
    array.width = (uint32_t)value_bytes_width((TypeId)array.element);
    if (!read_shape(data, &array)) {
        return damaged(bytes, err);
    }
    size_t at = HEADER_BYTES + DIMENSION_BYTES * (size_t)array.dims;
    size_t null_bytes = data[1] != 0 ? ((size_t)array.count + 7) / 8 : 0;
    size_t end_bytes = array.width == 0 ? 4 * (size_t)array.count : 0;
    size_t value_bytes = (size_t)array.width * array.count;
    if (bytes.len < at + null_bytes + end_bytes + value_bytes) {
        return damaged(bytes, err);
    }
    array.nulls = data[1] != 0 ? data + at : NULL;
    array.ends = data + at + null_bytes;
    array.values = array.ends + end_bytes;
    size_t rest = bytes.len - at - null_bytes - end_bytes;
    if (array.width == 0 ? !check_ends(&array, rest) : rest != value_bytes) {
        return damaged(bytes, err);
    }
    *array_out = array;
    return ERR_OK;
}

bool any_array_is_null(const AnyArray *array, uint32_t index) {
    assert(index < array->count);
    return array->nulls != NULL && (array->nulls[index / 8] >> (index % 8) & 1) != 0;
}

static Bytes bytes_of(const AnyArray *array, uint32_t index) {
    if (array->width > 0) {
        return bytes_from(array->values + (size_t)array->width * index, array->width);
    }
    uint32_t from = index == 0 ? 0 : get_u32le(array->ends + 4 * ((size_t)index - 1));
    return bytes_from(array->values + from, get_u32le(array->ends + 4 * (size_t)index) - from);
}

void any_array_value(const AnyArray *array, uint32_t index, AnyValue *value_out) {
    assert(!any_array_is_null(array, index));
    value_bytes_get((TypeId)array->element, bytes_of(array, index), value_out);
}

/* ---- order ---- */

static int compare_values(const AnyArray *a, const AnyArray *b, uint32_t i) {
    bool a_null = any_array_is_null(a, i), b_null = any_array_is_null(b, i);
    if (a_null || b_null) {
        return (int)a_null - (int)b_null;
    }
    AnyValue x, y;
    any_array_value(a, i, &x);
    any_array_value(b, i, &y);
    return value_rules((TypeId)a->element)->compare(x.bytes, y.bytes);
}

int any_array_compare(const AnyArray *a, const AnyArray *b) {
    if (a->element != b->element) { /* damaged or of different columns: any order, but a fixed one */
        return a->element < b->element ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        int order = compare_values(a, b, i);
        if (order != 0) {
            return order;
        }
    }
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    if (a->dims != b->dims) {
        return a->dims < b->dims ? -1 : 1;
    }
    for (uint32_t d = 0; d < a->dims; d++) {
        if (a->lengths[d] != b->lengths[d]) {
            return a->lengths[d] < b->lengths[d] ? -1 : 1;
        }
        if (a->lowers[d] != b->lowers[d]) {
            return a->lowers[d] < b->lowers[d] ? -1 : 1;
        }
    }
    return 0;
}

uint64_t any_array_hash(const AnyArray *array) {
    uint64_t hash = array->count;
    for (uint32_t i = 0; i < array->count; i++) {
        AnyValue value;
        uint64_t next = 1;
        if (!any_array_is_null(array, i)) {
            any_array_value(array, i, &value);
            next = value_rules((TypeId)array->element)->hash(value.bytes);
        }
        hash = hash_u64(hash * 31 + next);
    }
    return hash;
}

/* ---- building ---- */

void any_array_begin(AnyArrayBuilder *builder, TypeId element, size_t limit_bytes) {
    *builder = (AnyArrayBuilder){.element = element};
    buffer_init(&builder->nulls, limit_bytes);
    buffer_init(&builder->ends, limit_bytes);
    buffer_init(&builder->values, limit_bytes);
}

void any_array_abandon(AnyArrayBuilder *builder) {
    buffer_deinit(&builder->nulls);
    buffer_deinit(&builder->ends);
    buffer_deinit(&builder->values);
}

void any_array_add(AnyArrayBuilder *builder, const void *value) {
    size_t width = value_bytes_width(builder->element);
    if (builder->count % 8 == 0) {
        buffer_put_u8(&builder->nulls, 0);
    }
    if (value != NULL) {
        value_bytes_put(builder->element, value, &builder->values);
    } else {
        builder->has_nulls = true;
        buffer_append_fill(&builder->values, 0, width);
        if (!builder->nulls.failed) {
            builder->nulls.data[builder->count / 8] |= (uint8_t)(1 << (builder->count % 8));
        }
    }
    if (width == 0) {
        buffer_put_u32le(&builder->ends, (uint32_t)builder->values.len);
    }
    builder->count++;
}

void any_array_add_from(AnyArrayBuilder *builder, const AnyArray *array, uint32_t index) {
    AnyValue value;
    if (any_array_is_null(array, index)) {
        any_array_add(builder, NULL);
        return;
    }
    any_array_value(array, index, &value);
    any_array_add(builder, value.bytes);
}

ErrorCode any_array_end(const AnyArrayBuilder *builder, uint8_t dims, const uint32_t *lengths, const int32_t *lowers, Buffer *out, Error *err) {
    if (builder->count > ANY_ARRAY_VALUES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ANY_ARRAY_VALUES_MAX);
    }
    TRY(buffer_check(&builder->nulls, err));
    TRY(buffer_check(&builder->ends, err));
    TRY(buffer_check(&builder->values, err));
    dims = builder->count == 0 ? 0 : dims == 0 ? 1 : dims;
    assert(dims <= ANY_ARRAY_DIMS_MAX);
    buffer_put_u8(out, dims);
    buffer_put_u8(out, builder->has_nulls);
    buffer_put_u8(out, (uint8_t)builder->element);
    buffer_put_u8(out, 0);
    for (uint8_t d = 0; d < dims; d++) {
        buffer_put_u32le(out, lengths == NULL ? builder->count : lengths[d]);
        buffer_put_u32le(out, lowers == NULL ? 1 : (uint32_t)lowers[d]);
    }
    if (builder->has_nulls) {
        buffer_append(out, builder->nulls.data, builder->nulls.len);
    }
    buffer_append(out, builder->ends.data, builder->ends.len);
    buffer_append(out, builder->values.data, builder->values.len);
    return buffer_check(out, err);
}

/* SPDX-License-Identifier: Apache-2.0
 * pg_binary_any.c - arrays of any element type, and records, in PostgreSQL's binary forms; arrays both ways.
 *
 * Layout:     arrays as in pg_binary_array.c; record: i32 fields | (u32 oid, i32 length or -1, bytes) x fields */
#include "column/any_array.h"
#include "column/record.h"
#include "encode/pg_row_internal.h"

static void append_u32(Buffer *out, uint32_t value) {
    uint8_t bytes[4];
    pg__put_u32(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

/* Length and bytes of one value; NULL pointer: NULL. */
static ErrorCode append_value(Type type, const void *value, const OidNames *names, Buffer *out, Error *err) {
    size_t begin = out->len;
    append_u32(out, UINT32_MAX);
    if (value == NULL) {
        return ERR_OK;
    }
    TRY(pg_binary_put(type, value, names, out, err));
    if (!out->failed) {
        pg__put_u32(out->data + begin, (uint32_t)(out->len - begin - 4));
    }
    return buffer_check(out, err);
}

/* ---- out ---- */

ErrorCode encode__pg_binary_any_array(Type type, Str serialised, const OidNames *names, Buffer *out, Error *err) {
    AnyArray array;
    AnyValue value;
    TRY(any_array_view(serialised, &array, err));
    Type element = array.element == TYPE_ENUM ? type_element(type) : type_of((TypeId)array.element);
    append_u32(out, array.dims);
    append_u32(out, array.nulls != NULL);
    append_u32(out, type_oid_of(element));
    for (uint32_t d = 0; d < array.dims; d++) {
        append_u32(out, array.lengths[d]);
        append_u32(out, (uint32_t)array.lowers[d]);
    }
    for (uint32_t i = 0; i < array.count; i++) {
        bool missing = any_array_is_null(&array, i);
        if (!missing) {
            any_array_value(&array, i, &value);
        }
        TRY(append_value(element, missing ? NULL : value.bytes, names, out, err));
    }
    return buffer_check(out, err);
}

ErrorCode encode__pg_binary_record(Str serialised, const OidNames *names, Buffer *out, Error *err) {
    RecordReader reader;
    Type type;
    AnyValue value;
    bool missing;
    if (!record_open(serialised, &reader)) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "damaged record");
    }
    append_u32(out, reader.left);
    while (record_next(&reader, &type, &missing, &value)) {
        append_u32(out, type_oid_of(type));
        TRY(append_value(type, missing ? NULL : value.bytes, names, out, err));
    }
    return buffer_check(out, err);
}

/* ---- in ---- */

typedef struct WireShape {
    uint8_t dims;
    uint32_t count, lengths[ANY_ARRAY_DIMS_MAX];
    int32_t lowers[ANY_ARRAY_DIMS_MAX];
} WireShape;

static ErrorCode short_error(Error *err) {
    return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "insufficient data left in message");
}

static ErrorCode invalid(const char *what, Error *err) {
    return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "%s", what);
}

static ErrorCode read_shape(const uint8_t **at, const uint8_t *end, uint32_t dims, WireShape *shape, Error *err) {
    uint64_t count = dims == 0 ? 0 : 1;
    if ((size_t)(end - *at) < (size_t)dims * 8) {
        return short_error(err);
    }
    for (uint32_t d = 0; d < dims; d++, *at += 8) {
        shape->lengths[d] = pg__get_u32(*at);
        shape->lowers[d] = (int32_t)pg__get_u32(*at + 4);
        count *= shape->lengths[d];
        if (shape->lengths[d] > ANY_ARRAY_VALUES_MAX || count > ANY_ARRAY_VALUES_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ANY_ARRAY_VALUES_MAX);
        }
        if ((int64_t)shape->lowers[d] + shape->lengths[d] > INT32_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array lower bound is too large: %d", shape->lowers[d]);
        }
    }
    shape->count = (uint32_t)count;
    shape->dims = count == 0 ? 0 : (uint8_t)dims;
    return (size_t)(end - *at) / 4 < count ? short_error(err) : ERR_OK; /* no memory for counts that lie */
}

static ErrorCode read_head(Type array_type, const uint8_t **at, const uint8_t *end, WireShape *shape, Error *err) {
    Type element = type_element(array_type);
    uint32_t want = element.id == TYPE_ENUM ? type_oid_of(element) : type_oid((TypeId)element.id);
    if (end - *at < 12) {
        return short_error(err);
    }
    uint32_t dims = pg__get_u32(*at), flags = pg__get_u32(*at + 4), oid = pg__get_u32(*at + 8);
    *at += 12;
    if (dims > ANY_ARRAY_DIMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "number of array dimensions (%d) exceeds the maximum allowed (%d)", (int)dims,
                         ANY_ARRAY_DIMS_MAX);
    }
    if (flags > 1) {
        return invalid("invalid array flags", err);
    }
    if (oid != want) {
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "binary data has array element type %u instead of expected %u", oid, want);
    }
    return read_shape(at, end, dims, shape, err);
}

static ErrorCode read_element(Type element, const uint8_t **at, const uint8_t *end, const OidNames *names, Arena *arena, AnyArrayBuilder *builder,
                              Error *err) {
    _Alignas(16) uint8_t value[16] = {0};
    if (end - *at < 4) {
        return short_error(err);
    }
    uint32_t len = pg__get_u32(*at);
    *at += 4;
    if (len == UINT32_MAX) {
        any_array_add(builder, NULL);
        return ERR_OK;
    }
    if (len > (size_t)(end - *at)) {
        return short_error(err);
    }
    TRY(pg_binary_read(element, bytes_from(*at, len), names, arena, value, err));
    any_array_add(builder, value);
    *at += len;
    return ERR_OK;
}

static ErrorCode read_elements(Type type, const uint8_t *at, const uint8_t *end, const OidNames *names, Arena *arena, Buffer *out, Error *err) {
    WireShape shape = {0};
    AnyArrayBuilder builder;
    TRY(read_head(type, &at, end, &shape, err));
    any_array_begin(&builder, (TypeId)type_element(type).id, STRREF_BYTES_MAX);
    ErrorCode code = ERR_OK;
    for (uint32_t i = 0; i < shape.count && code == ERR_OK; i++) {
        code = read_element(type_element(type), &at, end, names, arena, &builder, err);
    }
    if (code == ERR_OK && at != end) {
        code = invalid("incorrect binary data format", err);
    }
    if (code == ERR_OK) {
        code = any_array_end(&builder, shape.dims, shape.lengths, shape.lowers, out, err);
    }
    any_array_abandon(&builder);
    return code;
}

ErrorCode encode__pg_binary_any_array_read(Type type, Bytes bytes, const OidNames *names, Arena *arena, void *value_out, Error *err) {
    Buffer serialised;
    buffer_init(&serialised, STRREF_BYTES_MAX);
    ErrorCode code = read_elements(type, bytes.data, bytes.data + bytes.len, names, arena, &serialised, err);
    if (code == ERR_OK) {
        Str text = arena_str(arena, buffer_str(&serialised));
        StrRef ref = strref_make(text.data, text.len);
        memcpy(value_out, &ref, sizeof ref);
    }
    buffer_deinit(&serialised);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * pg_binary_array.c - arrays in PostgreSQL's binary form.
 *
 * Layout:     i32 dimensions | i32 has NULL | u32 element oid | (i32 length, i32 lower bound) x dimensions | (i32 length, bytes) x elements */
#include "column/array.h"
#include "encode/pg_row_internal.h"

enum { FLOAT8_OID = 701, FLOAT8_BYTES = 8 };

static void append_u32(Buffer *out, uint32_t value) {
    uint8_t bytes[4];
    pg__put_u32(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

static void append_head(Buffer *out, uint32_t dims, uint32_t element_oid, const uint32_t *lengths) {
    append_u32(out, dims);
    append_u32(out, 0);
    append_u32(out, element_oid);
    for (uint32_t d = 0; d < dims; d++) {
        append_u32(out, lengths[d]);
        append_u32(out, 1);
    }
}

ErrorCode encode__pg_binary_array(Type type, Str serialised, Buffer *out, Error *err) {
    assert(type.id == TYPE_FLOAT8_ARRAY);
    ArrayView view;
    TRY(array_view(serialised, &view, err));
    append_head(out, view.count == 0 ? 0 : view.dims, FLOAT8_OID, view.lengths);
    uint8_t *at = buffer_reserve(out, (size_t)view.count * (4 + FLOAT8_BYTES));
    if (at == NULL) {
        return buffer_check(out, err);
    }
    for (uint32_t i = 0; i < view.count; i++, at += 4 + FLOAT8_BYTES) {
        uint64_t bits;
        memcpy(&bits, view.values + (size_t)i * 8, sizeof bits);
        pg__put_u32(at, FLOAT8_BYTES);
        pg__put_u64(at + 4, bits);
    }
    out->len += (size_t)view.count * (4 + FLOAT8_BYTES);
    return ERR_OK;
}

/* ---- in ---- */

static ErrorCode short_error(Error *err) {
    return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "insufficient data left in message");
}

typedef struct WireArray {
    uint32_t dims, count, element_oid;
    uint32_t lengths[ARRAY_DIMS_MAX];
    const uint8_t *at, *end;
} WireArray;

static ErrorCode read_dimensions(WireArray *array, Error *err) {
    uint64_t count = array->dims == 0 ? 0 : 1;
    if ((size_t)(array->end - array->at) < (size_t)array->dims * 8) {
        return short_error(err);
    }
    for (uint32_t d = 0; d < array->dims; d++, array->at += 8) {
        array->lengths[d] = pg__get_u32(array->at);
        count *= array->lengths[d];
        if (array->lengths[d] > ARRAY_VALUES_MAX || count > ARRAY_VALUES_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ARRAY_VALUES_MAX);
        }
    }
    array->count = (uint32_t)count;
    return (size_t)(array->end - array->at) / 4 < count ? short_error(err) : ERR_OK; /* no memory for counts that lie */
}

static ErrorCode read_head(Bytes bytes, WireArray *array, Error *err) {
    if (bytes.len < 12) {
        return short_error(err);
    }
    *array = (WireArray){.dims = pg__get_u32(bytes.data), .element_oid = pg__get_u32(bytes.data + 8), .at = bytes.data + 12,
                         .end = bytes.data + bytes.len};
    if (array->dims > ARRAY_DIMS_MAX) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "invalid number of dimensions: %d", (int)array->dims);
    }
    if (pg__get_u32(bytes.data + 4) > 1) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "invalid array flags");
    }
    return read_dimensions(array, err);
}

/* NULL elements of double[] are NaN, as in its text. */
static ErrorCode read_double(WireArray *array, uint8_t *value_out, Error *err) {
    static const double MISSING = __builtin_nan("");
    if (array->end - array->at < 4) {
        return short_error(err);
    }
    uint32_t len = pg__get_u32(array->at);
    array->at += 4;
    if (len == UINT32_MAX) {
        memcpy(value_out, &MISSING, sizeof MISSING);
        return ERR_OK;
    }
    if (len != FLOAT8_BYTES || array->end - array->at < FLOAT8_BYTES) {
        return len == FLOAT8_BYTES ? short_error(err) : error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "improper binary format in array element");
    }
    uint64_t bits = pg__get_u64(array->at);
    memcpy(value_out, &bits, sizeof bits);
    array->at += FLOAT8_BYTES;
    return ERR_OK;
}

ErrorCode encode__pg_binary_array_read(Type type, Bytes bytes, Arena *arena, void *value_out, Error *err) {
    assert(type.id == TYPE_FLOAT8_ARRAY);
    WireArray array = {0};
    TRY(read_head(bytes, &array, err));
    if (array.count > 0 && array.element_oid != FLOAT8_OID) {
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "binary data has array element type %u instead of expected %d",
                         array.element_oid, FLOAT8_OID);
    }
    uint32_t dims = array.count == 0 ? 0 : array.dims;
    size_t head = 1 + 4 * (size_t)dims, len = head + 8 * (size_t)array.count;
    uint8_t *value = arena_alloc_aligned(arena, len, 1);
    value[0] = (uint8_t)dims;
    for (uint32_t d = 0; d < dims; d++) {
        put_u32le(value + 1 + 4 * (size_t)d, array.lengths[d]);
    }
    for (uint32_t i = 0; i < array.count; i++) {
        TRY(read_double(&array, value + head + 8 * (size_t)i, err));
    }
    if (array.at != array.end) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "incorrect binary data format");
    }
    StrRef ref = strref_make((const char *)value, len);
    memcpy(value_out, &ref, sizeof ref);
    return ERR_OK;
}

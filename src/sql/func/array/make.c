/* SPDX-License-Identifier: Apache-2.0
 * array/make.c - making arrays: ARRAY[...], || and its functions, array_fill, and the cells that aggregates and casts share. */
#include "sql/func/array/array_internal.h"

const void *func__element(const Vector *vector, size_t row, AnyValue *room) {
    if (vector_is_null(vector, row)) {
        return NULL;
    }
    switch (vector->type.id) {
    case TYPE_BOOL:
        room->bytes[0] = vector_bool(vector, row);
        return room->bytes;
    case TYPE_SYMBOL: {
        Str text = vector_text(vector, row);
        StrRef ref = strref_make(text.len == 0 ? "" : text.data, text.len);
        memcpy(room->bytes, &ref, sizeof ref);
        return room->bytes;
    }
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16: {
        Numeric number = vector_numeric(vector, row);
        NumericSlot slot = {.scale = number.scale, .kind = number.kind};
        room->big = number.coefficient;
        slot.is_big = number.coefficient < INT64_MIN || number.coefficient > INT64_MAX;
        if (slot.is_big) {
            slot.as.big = &room->big;
        } else {
            slot.as.coefficient = (int64_t)number.coefficient;
        }
        memcpy(room->bytes, &slot, sizeof slot);
        return room->bytes;
    }
    default:
        return vector_value(vector, row);
    }
}

ErrorCode func__put_array(const KernelCall *call, Vector *out, size_t row, AnyArrayBuilder *builder, uint8_t dims, const uint32_t *lengths,
                          const int32_t *lowers, Error *err) {
    Buffer bytes;
    buffer_init(&bytes, builder->values.limit_bytes);
    ErrorCode code = any_array_end(builder, dims, lengths, lowers, &bytes, err);
    if (code == ERR_OK) {
        func__put_copy(call, out, row, buffer_str(&bytes));
    }
    buffer_deinit(&bytes);
    any_array_abandon(builder);
    return code;
}

bool array__element_is(const AnyArray *array, uint32_t index, const void *value) {
    AnyValue element;
    if (any_array_is_null(array, index) || value == NULL) {
        return any_array_is_null(array, index) && value == NULL;
    }
    any_array_value(array, index, &element);
    return value_rules((TypeId)array->element)->equal(element.bytes, value);
}

/* ---- ARRAY[...] ---- */

static ErrorCode make_flat(const KernelCall *call, Vector *out, size_t row, Error *err) {
    AnyArrayBuilder builder;
    AnyValue room;
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    for (size_t i = 0; i < call->arg_count; i++) {
        any_array_add(&builder, func__element(call->args[i], row, &room));
    }
    return func__put_array(call, out, row, &builder, 0, NULL, NULL, err);
}

static ErrorCode mismatched_arrays(Error *err) {
    return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "multidimensional arrays must have array expressions with matching dimensions");
}

/* One more array of the next dimension: shapes must agree. */
ErrorCode func__array_stack_add(AnyArrayBuilder *builder, AnyArray *shape, const AnyArray *array, Error *err) {
    bool first = builder->count == 0;
    if (array->dims + 1 > ANY_ARRAY_DIMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "number of array dimensions (%d) exceeds the maximum allowed (%d)", array->dims + 1, ANY_ARRAY_DIMS_MAX);
    }
    if (!first && (shape->dims != array->dims || memcmp(shape->lengths, array->lengths, array->dims * sizeof array->lengths[0]) != 0)) {
        return mismatched_arrays(err);
    }
    *shape = first ? *array : *shape;
    for (uint32_t i = 0; i < array->count; i++) {
        any_array_add_from(builder, array, i);
    }
    return ERR_OK;
}

static ErrorCode stack_all(const KernelCall *call, size_t row, AnyArrayBuilder *builder, AnyArray *shape, uint32_t *empty_out, Error *err) {
    for (size_t i = 0; i < call->arg_count; i++) {
        AnyArray array = {0};
        if (!vector_is_null(call->args[i], row)) {
            TRY(array__arg(call, i, row, &array, err));
        }
        *empty_out += array.count == 0;
        if (array.count > 0) {
            TRY(func__array_stack_add(builder, shape, &array, err));
        }
    }
    return *empty_out > 0 && *empty_out < call->arg_count ? mismatched_arrays(err) : ERR_OK;
}

static ErrorCode make_stacked(const KernelCall *call, Vector *out, size_t row, Error *err) {
    AnyArrayBuilder builder;
    AnyArray shape = {0};
    uint32_t lengths[ANY_ARRAY_DIMS_MAX + 1];
    int32_t lowers[ANY_ARRAY_DIMS_MAX + 1];
    uint32_t empty = 0;
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    ErrorCode code = stack_all(call, row, &builder, &shape, &empty, err);
    if (code != ERR_OK) {
        any_array_abandon(&builder);
        return code;
    }
    lengths[0] = call->arg_count;
    lowers[0] = 1;
    memcpy(lengths + 1, shape.lengths, shape.dims * sizeof lengths[0]);
    memcpy(lowers + 1, shape.lowers, shape.dims * sizeof lowers[0]);
    return func__put_array(call, out, row, &builder, (uint8_t)(shape.dims + 1), lengths, lowers, err);
}

ErrorCode func__array_make(const KernelCall *call, Vector *out, Error *err) {
    bool stacked = type_stacks((TypeId)call->args[0]->type.id);
    FOR_ROWS(call, row) {
        TRY(stacked ? make_stacked(call, out, row, err) : make_flat(call, out, row, err));
    }
    return ERR_OK;
}

/* ---- concatenation ---- */

static void add_all(AnyArrayBuilder *builder, const AnyArray *array) {
    for (uint32_t i = 0; i < array->count; i++) {
        any_array_add_from(builder, array, i);
    }
}

static ErrorCode incompatible(Error *err) {
    return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "cannot concatenate incompatible arrays");
}

/* Dimensions from `skip` on must agree, where they begin too. */
static bool inner_fit(const AnyArray *outer, const AnyArray *inner, int skip) {
    for (int d = 1; d < outer->dims; d++) {
        if (outer->lengths[d] != inner->lengths[d - skip] || outer->lowers[d] != inner->lowers[d - skip]) {
            return false;
        }
    }
    return true;
}

static ErrorCode cat_shape(const AnyArray *a, const AnyArray *b, AnyArray *shape, Error *err) {
    int difference = a->dims - b->dims;
    const AnyArray *outer = difference >= 0 ? a : b, *inner = difference >= 0 ? b : a;
    if (difference > 1 || difference < -1 || !inner_fit(outer, inner, difference == 0 ? 0 : 1)) {
        return incompatible(err);
    }
    *shape = *outer;
    shape->lengths[0] += difference == 0 ? inner->lengths[0] : 1;
    return ERR_OK;
}

static ErrorCode cat(const KernelCall *call, Vector *out, size_t row, const AnyArray *a, const AnyArray *b, Error *err) {
    AnyArrayBuilder builder;
    AnyArray shape;
    if (a->dims == 0 || b->dims == 0) {
        shape = a->dims == 0 ? *b : *a;
    } else {
        TRY(cat_shape(a, b, &shape, err));
    }
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    add_all(&builder, a);
    add_all(&builder, b);
    return func__put_array(call, out, row, &builder, shape.dims, shape.lengths, shape.lowers, err);
}

/* NULL counts as nothing: NULL || a is a. */
ErrorCode func__array_cat(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray a = {0}, b = {0};
        bool a_null = vector_is_null(call->args[0], row), b_null = vector_is_null(call->args[1], row);
        if (a_null && b_null) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(a_null ? ERR_OK : array__arg(call, 0, row, &a, err));
        TRY(b_null ? ERR_OK : array__arg(call, 1, row, &b, err));
        TRY(cat(call, out, row, &a, &b, err));
    }
    return ERR_OK;
}

static ErrorCode add_element(const KernelCall *call, Vector *out, size_t row, size_t array_number, Error *err) {
    AnyArray array = {0};
    AnyArrayBuilder builder;
    AnyValue room;
    if (!vector_is_null(call->args[array_number], row)) {
        TRY(array__arg(call, array_number, row, &array, err));
    }
    if (array.dims > 1) {
        return error_set(err, ERR_DATA_EXCEPTION, ERROR_NO_POSITION, "argument must be empty or one-dimensional array");
    }
    const void *value = func__element(call->args[1 - array_number], row, &room);
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    if (array_number == 1) {
        any_array_add(&builder, value);
    }
    add_all(&builder, &array);
    if (array_number == 0) {
        any_array_add(&builder, value);
    }
    int32_t lower = array.dims == 0 ? 1 : array.lowers[0];
    return func__put_array(call, out, row, &builder, 1, &builder.count, &lower, err);
}

ErrorCode func__array_append(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        TRY(add_element(call, out, row, 0, err));
    }
    return ERR_OK;
}

ErrorCode func__array_prepend(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        TRY(add_element(call, out, row, 1, err));
    }
    return ERR_OK;
}

/* ---- array_fill(value, lengths [, lower bounds]) ---- */

static ErrorCode fill_dims(const KernelCall *call, size_t argument, size_t row, int32_t *numbers, uint32_t *count_out, Error *err) {
    AnyArray array;
    AnyValue value;
    TRY(array__arg(call, argument, row, &array, err));
    if (array.dims > 1 || array.count > ANY_ARRAY_DIMS_MAX) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "wrong number of array subscripts");
    }
    for (uint32_t i = 0; i < array.count; i++) {
        if (any_array_is_null(&array, i)) {
            return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "dimension values cannot be null");
        }
        any_array_value(&array, i, &value);
        memcpy(&numbers[i], value.bytes, sizeof numbers[i]);
    }
    *count_out = array.count;
    return ERR_OK;
}

static ErrorCode fill_row(const KernelCall *call, Vector *out, size_t row, Error *err) {
    int32_t lengths[ANY_ARRAY_DIMS_MAX], lowers[ANY_ARRAY_DIMS_MAX] = {1, 1, 1, 1, 1, 1};
    uint32_t unsigned_lengths[ANY_ARRAY_DIMS_MAX] = {0}, dims = 0, bounds = 0;
    uint64_t total = 1;
    AnyArrayBuilder builder;
    AnyValue room;
    TRY(fill_dims(call, 1, row, lengths, &dims, err));
    if (call->arg_count > 2) {
        TRY(fill_dims(call, 2, row, lowers, &bounds, err));
        if (bounds != dims) {
            return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "wrong number of array subscripts");
        }
    }
    for (uint32_t d = 0; d < dims; d++) {
        total = lengths[d] < 0 ? UINT64_MAX : total * (uint32_t)lengths[d];
        if (total > ANY_ARRAY_VALUES_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ANY_ARRAY_VALUES_MAX);
        }
        unsigned_lengths[d] = (uint32_t)lengths[d];
    }
    const void *value = func__element(call->args[0], row, &room);
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    for (uint64_t i = 0; i < total && dims > 0; i++) {
        any_array_add(&builder, value);
    }
    return func__put_array(call, out, row, &builder, (uint8_t)dims, unsigned_lengths, lowers, err);
}

ErrorCode func__array_fill(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        for (size_t i = 1; i < call->arg_count; i++) {
            if (vector_is_null(call->args[i], row)) {
                return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "dimension array or low bound array cannot be null");
            }
        }
        TRY(fill_row(call, out, row, err));
    }
    return ERR_OK;
}

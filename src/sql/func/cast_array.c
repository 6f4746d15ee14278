/* SPDX-License-Identifier: Apache-2.0
 * cast_array.c - arrays into arrays of another element type: the elements go through their own cast, a batch at a time. */
#include "column/any_array.h"
#include "column/array.h"
#include "sql/func/cast_internal.h"

/* double[] as an array of float8. */
static ErrorCode view_doubles(Str bytes, Arena *arena, AnyArray *array_out, Error *err) {
    ArrayView view;
    AnyArrayBuilder builder;
    Buffer out;
    uint32_t lengths[ANY_ARRAY_DIMS_MAX];
    TRY(array_view(bytes, &view, err));
    if (view.dims > ANY_ARRAY_DIMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "number of array dimensions (%d) exceeds the maximum allowed (%d)", view.dims, ANY_ARRAY_DIMS_MAX);
    }
    memcpy(lengths, view.lengths, view.dims * sizeof lengths[0]);
    any_array_begin(&builder, TYPE_FLOAT8, STRREF_BYTES_MAX);
    for (uint32_t i = 0; i < view.count; i++) {
        double value = array_value(&view, i);
        any_array_add(&builder, &value);
    }
    buffer_init(&out, STRREF_BYTES_MAX);
    ErrorCode code = any_array_end(&builder, view.dims, lengths, NULL, &out, err);
    if (code == ERR_OK) {
        code = any_array_view(arena_str(arena, buffer_str(&out)), array_out, err);
    }
    buffer_deinit(&out);
    any_array_abandon(&builder);
    return code;
}

ErrorCode func__array_view(Type type, Str bytes, Arena *arena, AnyArray *array_out, Error *err) {
    return type.id == TYPE_FLOAT8_ARRAY ? view_doubles(bytes, arena, array_out, err) : any_array_view(bytes, array_out, err);
}

/* At most a batch of elements, from `first` on. */
static ErrorCode cast_elements(const KernelCall *call, const CastTarget *target, const AnyArray *array, uint32_t first, uint32_t count, AnyArrayBuilder *builder, Error *err) {
    uint64_t rows[BATCH_WORDS] = {0};
    Vector in = vector_new(call->arena, target->from_element), out = vector_new(call->arena, target->to_element);
    AnyValue *values = arena_array(call->arena, AnyValue, count + 1); /* big numerics point into them */
    size_t width = physical_bytes(type_physical((TypeId)target->from_element.id));
    in.row_count = out.row_count = (uint16_t)count;
    for (uint32_t i = 0; i < count; i++) {
        if (any_array_is_null(array, first + i)) {
            continue;
        }
        bit_set(rows, i);
        any_array_value(array, first + i, &values[i]);
        if (width == 0) {
            func__put_bool(&in, i, values[i].bytes[0] != 0);
        } else {
            memcpy((uint8_t *)vector_data(&in) + i * width, values[i].bytes, width);
        }
    }
    const Vector *args[] = {&in};
    KernelCall inner = {.args = args, .arg_count = 1, .row_count = (uint16_t)count, .rows = rows, .arena = call->arena,
                        .prepared = target->element_prepared, .environment = call->environment};
    TRY(target->element->function.kernel(&inner, &out, err));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t truth = 0;
        NumericSlot slot;
        const void *value = &truth;
        if (!bit_get(rows, i) || vector_is_null(&out, i)) {
            value = NULL;
        } else if (type_physical((TypeId)out.type.id) == PHYS_BIT) {
            truth = vector_bool(&out, i);
        } else if (out.type.id == TYPE_DECIMAL8 || out.type.id == TYPE_DECIMAL16) {
            slot = numeric_to_slot(vector_numeric(&out, i), call->arena);
            value = &slot;
        } else {
            value = vector_value(&out, i);
        }
        any_array_add(builder, value);
    }
    return ERR_OK;
}

static ErrorCode put_doubles(const KernelCall *call, const AnyArrayBuilder *builder, const AnyArray *shape, Buffer *bytes, Error *err) {
    AnyArray array;
    AnyValue value;
    TRY(any_array_end(builder, shape->dims, shape->lengths, NULL, bytes, err));
    Str copy = arena_str(call->arena, buffer_str(bytes));
    TRY(any_array_view(copy, &array, err));
    buffer_clear(bytes);
    buffer_put_u8(bytes, array.dims);
    for (uint8_t d = 0; d < array.dims; d++) {
        buffer_put_u32le(bytes, array.lengths[d]);
    }
    for (uint32_t i = 0; i < array.count; i++) {
        double number = __builtin_nan("");
        if (!any_array_is_null(&array, i)) {
            any_array_value(&array, i, &value);
            memcpy(&number, value.bytes, sizeof number);
        }
        buffer_append(bytes, &number, sizeof number);
    }
    return buffer_check(bytes, err);
}

static ErrorCode cast_one(const KernelCall *call, const CastTarget *target, const AnyArray *array, AnyArrayBuilder *builder, Buffer *bytes, Error *err) {
    bool plain = target->element == NULL || target->element->binary || target->element->function.kernel == NULL ||
                 (target->from_element.id == target->to_element.id && target->element_prepared == NULL);
    for (uint32_t i = 0; i < array->count; i += BATCH_ROWS) {
        uint32_t count = MIN_OF((uint32_t)BATCH_ROWS, array->count - i);
        for (uint32_t k = 0; plain && k < count; k++) {
            any_array_add_from(builder, array, i + k);
        }
        if (!plain) {
            TRY(cast_elements(call, target, array, i, count, builder, err));
        }
    }
    if (target->type.id == TYPE_FLOAT8_ARRAY) {
        return put_doubles(call, builder, array, bytes, err);
    }
    return any_array_end(builder, array->dims, array->lengths, array->lowers, bytes, err);
}

ErrorCode cast__array_array(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    const CastTarget *target = call->prepared;
    assert(target != NULL);
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        Buffer bytes;
        TRY(func__array_view(call->args[0]->type, func__text(a, row), call->arena, &array, err));
        TypeId element = target->to_element.id == TYPE_DECIMAL8 || target->to_element.id == TYPE_DECIMAL16 ? TYPE_NUMERIC : (TypeId)target->to_element.id;
        any_array_begin(&builder, element, STRREF_BYTES_MAX);
        buffer_init(&bytes, STRREF_BYTES_MAX);
        ErrorCode code = cast_one(call, target, &array, &builder, &bytes, err);
        if (code == ERR_OK) {
            func__put_copy(call, out, row, buffer_str(&bytes));
        }
        any_array_abandon(&builder);
        buffer_deinit(&bytes);
        TRY(code);
    }
    return ERR_OK;
}

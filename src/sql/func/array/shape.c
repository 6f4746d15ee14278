/* SPDX-License-Identifier: Apache-2.0
 * array/shape.c - subscripts, slices, and what arrays tell of their dimensions. */
#include "sql/func/array/array_internal.h"

/* ---- a[i], a[i][j] ---- */

/* Place of the element; false: outside, or not as many subscripts as dimensions. */
static bool subscript_place(const KernelCall *call, size_t row, const AnyArray *array, uint32_t *place_out) {
    uint64_t place = 0;
    if (array->dims != call->arg_count - 1) {
        return false;
    }
    for (uint8_t d = 0; d < array->dims; d++) {
        int64_t at = (int64_t)AT(int32_t, func__arg(call, d + 1u), row) - array->lowers[d];
        if (at < 0 || at >= array->lengths[d]) {
            return false;
        }
        place = place * array->lengths[d] + (uint64_t)at;
    }
    *place_out = (uint32_t)place;
    return true;
}

void func__put_value(const KernelCall *call, Vector *out, size_t row, const AnyValue *value) {
    Physical physical = type_physical((TypeId)out->type.id);
    if (physical == PHYS_BIT) {
        func__put_bool(out, row, value->bytes[0] != 0);
    } else if (out->type.id == TYPE_NUMERIC) {
        func__put_numeric(call, out, row, numeric_from_slot((const NumericSlot *)(const void *)value->bytes));
    } else if (physical == PHYS_STR) {
        func__put_copy(call, out, row, strref_str((const StrRef *)(const void *)value->bytes));
    } else {
        memcpy((uint8_t *)vector_data(out) + row * physical_bytes(physical), value->bytes, physical_bytes(physical));
    }
}

void func__put_element(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, uint32_t index) {
    AnyValue value;
    if (any_array_is_null(array, index)) {
        vector_set_null(out, call->arena, row);
        return;
    }
    any_array_value(array, index, &value);
    func__put_value(call, out, row, &value);
}

ErrorCode func__array_subscript(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        uint32_t place = 0;
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(array__arg(call, 0, row, &array, err));
        if (!subscript_place(call, row, &array, &place)) {
            vector_set_null(out, call->arena, row);
        } else {
            func__put_element(call, out, row, &array, place);
        }
    }
    return ERR_OK;
}

/* ---- a[l:u] ---- */

/* Elements of the slice, row-major, by counting through its places. */
static void add_slice(AnyArrayBuilder *builder, const AnyArray *array, const uint32_t *from, const uint32_t *lengths) {
    uint32_t at[ANY_ARRAY_DIMS_MAX] = {0};
    for (;;) {
        uint64_t place = 0;
        for (uint8_t d = 0; d < array->dims; d++) {
            place = place * array->lengths[d] + from[d] + at[d];
        }
        any_array_add_from(builder, array, (uint32_t)place);
        int d = array->dims - 1;
        while (d >= 0 && ++at[d] == lengths[d]) {
            at[d--] = 0;
        }
        if (d < 0) {
            return;
        }
    }
}

static ErrorCode slice_row(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, Error *err) {
    uint32_t from[ANY_ARRAY_DIMS_MAX] = {0}, lengths[ANY_ARRAY_DIMS_MAX] = {0};
    AnyArrayBuilder builder;
    uint32_t bounds = (call->arg_count - 1u) / 2;
    bool empty = array->dims < bounds || array->dims == 0;
    for (uint8_t d = 0; d < array->dims && !empty; d++) {
        int64_t low = array->lowers[d], high = low + array->lengths[d] - 1;
        int64_t wanted_low = d < bounds ? AT(int32_t, func__arg(call, 1u + 2u * d), row) : low;
        int64_t wanted_high = d < bounds ? AT(int32_t, func__arg(call, 2u + 2u * d), row) : high;
        wanted_low = MAX_OF(wanted_low, low);
        wanted_high = MIN_OF(wanted_high, high);
        empty = wanted_low > wanted_high;
        from[d] = (uint32_t)(wanted_low - low);
        lengths[d] = empty ? 0 : (uint32_t)(wanted_high - wanted_low + 1);
    }
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    if (!empty) {
        add_slice(&builder, array, from, lengths);
    }
    return func__put_array(call, out, row, &builder, array->dims, lengths, NULL, err);
}

/* array, then low and high bound of each dimension that is named; the binder writes the widest where one was left out. */
ErrorCode func__array_slice(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(array__arg(call, 0, row, &array, err));
        TRY(slice_row(call, out, row, &array, err));
    }
    return ERR_OK;
}

/* The n-th row of an array of two dimensions, from 1. */
ErrorCode func__array_row(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        TRY(array__arg(call, 0, row, &array, err));
        int32_t wanted = AT(int32_t, func__arg(call, 1), row);
        uint32_t width = array.dims == 2 ? array.lengths[1] : 0;
        any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
        for (uint32_t i = 0; i < width && wanted >= 1 && (uint32_t)wanted <= array.lengths[0]; i++) {
            any_array_add_from(&builder, &array, ((uint32_t)wanted - 1) * width + i);
        }
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

/* ---- what an array tells ---- */

typedef enum Asked { ASKED_LENGTH, ASKED_LOWER, ASKED_UPPER } Asked;

static ErrorCode tell(const KernelCall *call, Vector *out, Asked asked, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        TRY(array__arg(call, 0, row, &array, err));
        int32_t d = AT(int32_t, func__arg(call, 1), row);
        if (d < 1 || d > array.dims) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        int32_t length = (int32_t)array.lengths[d - 1], lower = array.lowers[d - 1];
        ((int32_t *)vector_data(out))[row] = asked == ASKED_LENGTH ? length : asked == ASKED_LOWER ? lower : lower + length - 1;
    }
    return ERR_OK;
}

/* The functions below see NULLs only to write them: rows without any come in call->rows. */
static ErrorCode with_nulls(const KernelCall *call, Vector *out, Asked asked, Error *err) {
    uint64_t rows[BATCH_WORDS];
    memcpy(rows, call->rows, sizeof rows);
    FOR_ROWS(call, row) {
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            bit_clear(rows, row);
        }
    }
    KernelCall inner = *call;
    inner.rows = rows;
    return tell(&inner, out, asked, err);
}

ErrorCode func__array_length(const KernelCall *call, Vector *out, Error *err) {
    return with_nulls(call, out, ASKED_LENGTH, err);
}
ErrorCode func__array_lower(const KernelCall *call, Vector *out, Error *err) {
    return with_nulls(call, out, ASKED_LOWER, err);
}
ErrorCode func__array_upper(const KernelCall *call, Vector *out, Error *err) {
    return with_nulls(call, out, ASKED_UPPER, err);
}

ErrorCode func__array_ndims(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(array__arg(call, 0, row, &array, err));
        if (array.dims == 0) {
            vector_set_null(out, call->arena, row);
        } else {
            ((int32_t *)vector_data(out))[row] = array.dims;
        }
    }
    return ERR_OK;
}

ErrorCode func__array_cardinality(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        TRY(array__arg(call, 0, row, &array, err));
        ((int32_t *)vector_data(out))[row] = (int32_t)array.count;
    }
    return ERR_OK;
}

/* "[1:2][1:3]" */
ErrorCode func__array_dims(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array = {0};
        Buffer text;
        if (!vector_is_null(call->args[0], row)) {
            TRY(array__arg(call, 0, row, &array, err));
        }
        if (array.dims == 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        buffer_init(&text, 4096);
        for (uint8_t d = 0; d < array.dims; d++) {
            buffer_printf(&text, "[%d:%d]", (int)array.lowers[d], (int)array.lowers[d] + (int)array.lengths[d] - 1);
        }
        func__put_copy(call, out, row, buffer_str(&text));
        buffer_deinit(&text);
    }
    return ERR_OK;
}

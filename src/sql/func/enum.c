/* SPDX-License-Identifier: Apache-2.0
 * enum.c - enum_first, enum_last, enum_range: they look at the type of their arguments, values (which may be NULL) are bounds only. */
#include "column/any_array.h"
#include "sql/func/func_internal.h"

/* All values of the enum that the first argument is of. */
static ErrorCode all_values(const KernelCall *call, Buffer *values, Error *err) {
    const OidNames *names = call->environment == NULL ? NULL : call->environment->names;
    buffer_init(values, TEXT_RESULT_BYTES_MAX);
    if (names == NULL || !names->values(names, (uint32_t)call->args[0]->type.length, values)) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "could not determine actual enum type");
    }
    return buffer_check(values, err);
}

static ErrorCode fill_end(const KernelCall *call, bool last, Vector *out, Error *err) {
    Buffer values;
    ErrorCode code = all_values(call, &values, err);
    size_t count = values.len / sizeof(int64_t);
    if (code == ERR_OK && count == 0) {
        code = error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "enum contains no values");
    }
    for (size_t row = 0; code == ERR_OK && row < call->row_count; row++) {
        memcpy((int64_t *)vector_data(out) + row, (const int64_t *)(const void *)values.data + (last ? count - 1 : 0), sizeof(int64_t));
    }
    buffer_deinit(&values);
    return code;
}

ErrorCode func__enum_first(const KernelCall *call, Vector *out, Error *err) { return fill_end(call, false, out, err); }
ErrorCode func__enum_last(const KernelCall *call, Vector *out, Error *err) { return fill_end(call, true, out, err); }

/* Argument `index` of the row, or `absent` where it is NULL or not given. */
static int64_t bound_of(const KernelCall *call, uint16_t index, size_t row, int64_t absent) {
    if (call->arg_count < 2 || vector_is_null(call->args[index], row)) {
        return absent;
    }
    return AT(int64_t, func__arg(call, index), row);
}

static ErrorCode put_range(const KernelCall *call, const Buffer *values, Vector *out, size_t row, Error *err) {
    int64_t low = bound_of(call, 0, row, INT64_MIN), high = bound_of(call, 1, row, INT64_MAX);
    AnyArrayBuilder builder;
    any_array_begin(&builder, TYPE_ENUM, TEXT_RESULT_BYTES_MAX);
    for (size_t i = 0; i < values->len / sizeof(int64_t); i++) {
        int64_t value = ((const int64_t *)(const void *)values->data)[i];
        if (value >= low && value <= high) {
            any_array_add(&builder, &value);
        }
    }
    return func__put_array(call, out, row, &builder, 0, NULL, NULL, err);
}

ErrorCode func__enum_range(const KernelCall *call, Vector *out, Error *err) {
    Buffer values;
    ErrorCode code = all_values(call, &values, err);
    for (size_t row = 0; code == ERR_OK && row < call->row_count; row++) {
        code = put_range(call, &values, out, row, err);
    }
    buffer_deinit(&values);
    return code;
}

Type func__enum_array(const Type *arg_types, uint16_t arg_count) {
    assert(arg_count > 0);
    return type_array(arg_types[0]);
}

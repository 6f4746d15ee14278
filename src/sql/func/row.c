/* SPDX-License-Identifier: Apache-2.0
 * row.c - ROW(...) as a value, and the fields of one. */
#include "column/record.h"
#include "sql/func/func_internal.h"

enum { ROW_BYTES_MAX = 1 << 30 };

static Type field_type(Type type) {
    if (type.id == TYPE_DECIMAL8 || type.id == TYPE_DECIMAL16) {
        return type_of(TYPE_NUMERIC);
    }
    return type.id == TYPE_SYMBOL || type.id == TYPE_UNKNOWN ? type_of(TYPE_TEXT) : type;
}

ErrorCode func__row_make(const KernelCall *call, Vector *out, Error *err) {
    Buffer bytes;
    ErrorCode code = ERR_OK;
    buffer_init(&bytes, ROW_BYTES_MAX);
    FOR_ROWS(call, row) {
        buffer_clear(&bytes);
        record_begin(&bytes, call->arg_count);
        for (size_t i = 0; i < call->arg_count; i++) {
            AnyValue room;
            const void *value = func__element(call->args[i], row, &room);
            record_add(&bytes, field_type(call->args[i]->type), value);
        }
        TRY_OR(done, buffer_check(&bytes, err));
        func__put_copy(call, out, row, buffer_str(&bytes));
    }
done:
    buffer_deinit(&bytes);
    return code;
}

/* The n-th field, from 0; the binder knows its type. */
ErrorCode func__row_field(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        RecordReader reader;
        Type type = {0};
        AnyValue value;
        bool null = true;
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        int32_t wanted = AT(int32_t, func__arg(call, 1), row);
        bool found = record_open(vector_text(call->args[0], row), &reader);
        for (int32_t i = 0; found && i <= wanted; i++) {
            found = record_next(&reader, &type, &null, &value);
        }
        if (!found || (!null && type.id != out->type.id)) {
            return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "record type has not been registered");
        }
        if (null) {
            vector_set_null(out, call->arena, row);
        } else {
            func__put_value(call, out, row, &value);
        }
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * cast_oid.c - casts of oids, names, "char" and json. */
#include "column/jsonb.h"
#include "sql/func/cast_internal.h"

ErrorCode cast__i64_oid(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int64_t value = AT(int64_t, a, row);
        if (value < 0 || value > UINT32_MAX) {
            return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "OID out of range");
        }
        ((uint32_t *)vector_data(out))[row] = (uint32_t)value;
    }
    return ERR_OK;
}

ErrorCode cast__oid_i64(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ((int64_t *)vector_data(out))[row] = AT(uint32_t, a, row);
    }
    return ERR_OK;
}

ErrorCode cast__xid8_xid(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ((uint32_t *)vector_data(out))[row] = (uint32_t)AT(uint64_t, a, row);
    }
    return ERR_OK;
}

ErrorCode cast__i32_char1(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int32_t value = AT(int32_t, a, row);
        if (value < INT8_MIN || value > INT8_MAX) {
            return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "\"char\" out of range");
        }
        ((int8_t *)vector_data(out))[row] = (int8_t)value;
    }
    return ERR_OK;
}

ErrorCode cast__text_name(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    bool padded = call->args[0]->type.id == TYPE_BPCHAR;
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        while (padded && text.len > 0 && text.data[text.len - 1] == ' ') {
            text.len--;
        }
        func__put_copy(call, out, row, cast__cut_name(text));
    }
    return ERR_OK;
}

ErrorCode cast__json_jsonb(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        TRY(value_parse(type_of(TYPE_JSONB), func__text(a, row), call->environment, call->arena, (StrRef *)vector_data(out) + row, err));
    }
    return ERR_OK;
}

/* A scalar of jsonb as a number or boolean. jsonb null gives NULL only from PostgreSQL 18 on, which this follows. */
ErrorCode cast__jsonb_value(const KernelCall *call, Vector *out, Error *err) {
    static const char *const KINDS[] = {"null", "string", "numeric", "boolean", "array", "object"};
    ArgView a = func__arg(call, 0);
    bool truth = out->type.id == TYPE_BOOL;
    size_t width = physical_bytes(type_physical((TypeId)out->type.id));
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        JsonKind kind = json_kind(text);
        if (kind == JSON_NULL) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        if (kind != (truth ? JSON_BOOL : JSON_NUMBER)) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot cast jsonb %s to type %s", KINDS[kind], type_sql_name((TypeId)out->type.id));
        }
        if (truth) {
            func__put_bool(out, row, text.data[0] == 't');
        } else if (type_is_integer((TypeId)out->type.id)) {
            Numeric number;
            int64_t value;
            TRY(numeric_parse(text, &number, err));
            TRY(numeric_to_int64(number, &value, err));
            int64_t high = width == 8 ? INT64_MAX : (INT64_C(1) << (8 * width - 1)) - 1;
            if (value > high || value < -high - 1) {
                return func__out_of_range((TypeId)out->type.id, err);
            }
            memcpy((uint8_t *)vector_data(out) + row * width, &value, width);
        } else {
            TRY(value_parse(out->type, text, call->environment, call->arena, (uint8_t *)vector_data(out) + row * width, err));
        }
    }
    return ERR_OK;
}

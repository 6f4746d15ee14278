/* SPDX-License-Identifier: Apache-2.0
 * json/extract.c - parts of json and jsonb values: -> ->> #> #>>, their kinds and lengths. */
#include "sql/func/json/json_internal.h"

/* ---- answers ---- */

/* as_text: strings without quotes, null as NULL. */
static ErrorCode put(const KernelCall *call, Vector *out, size_t row, bool found, Str value, bool as_text, Error *err) {
    if (!found || (as_text && json_kind(value) == JSON_NULL)) {
        vector_set_null(out, call->arena, row);
        return ERR_OK;
    }
    if (!as_text || json_kind(value) != JSON_STRING) {
        func__put_copy(call, out, row, value);
        return ERR_OK;
    }
    Buffer text;
    buffer_init(&text, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = json_decode_string(value, &text, err);
    if (code == ERR_OK) {
        func__put_copy(call, out, row, buffer_str(&text));
    }
    buffer_deinit(&text);
    return code;
}

/* A lone value of jsonb counts as an array of one. */
static bool member(const KernelCall *call, Str json, int32_t number, Str *value_out) {
    if (call->args[0]->type.id == TYPE_JSONB && !json__is_container(json)) {
        *value_out = json;
        return number == 0 || number == -1;
    }
    return json__element(json, number, value_out);
}

static ErrorCode get_rows(const KernelCall *call, Vector *out, bool as_text, Error *err) {
    bool by_number = call->args[1]->type.id == TYPE_INT4;
    FOR_ROWS(call, row) {
        Str value = {0};
        bool found = false;
        if (!func__any_null(call, row)) {
            Str json = vector_text(call->args[0], row);
            found = by_number ? member(call, json, AT(int32_t, func__arg(call, 1), row), &value) : json__field(json, vector_text(call->args[1], row), &value);
        }
        TRY(put(call, out, row, found, value, as_text, err));
    }
    return ERR_OK;
}

ErrorCode func__json_get(const KernelCall *call, Vector *out, Error *err) {
    return get_rows(call, out, false, err);
}
ErrorCode func__json_get_text(const KernelCall *call, Vector *out, Error *err) {
    return get_rows(call, out, true, err);
}

/* One step of a path: a key of an object, a number in an array. */
static bool path_step(Str *value, Str step) {
    int64_t number = 0;
    bool overflow = false;
    JsonKind kind = json_kind(*value);
    if (kind == JSON_OBJECT) {
        return json__field(*value, step, value);
    }
    return kind == JSON_ARRAY && parse_int64(step, &number, &overflow) && json__element(*value, number, value);
}

static ErrorCode path_rows(const KernelCall *call, Vector *out, bool as_text, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray path;
        AnyValue step;
        bool found = !func__any_null(call, row);
        Str value = found ? str_trim(vector_text(call->args[0], row)) : (Str){0};
        if (found) {
            TRY(func__array_view(call->args[1]->type, vector_text(call->args[1], row), call->arena, &path, err));
        }
        for (uint32_t i = 0; found && i < path.count; i++) {
            found = !any_array_is_null(&path, i);
            if (found) {
                any_array_value(&path, i, &step);
                found = path_step(&value, strref_str((const StrRef *)(const void *)step.bytes));
            }
        }
        TRY(put(call, out, row, found, value, as_text, err));
    }
    return ERR_OK;
}

ErrorCode func__json_path(const KernelCall *call, Vector *out, Error *err) {
    return path_rows(call, out, false, err);
}
ErrorCode func__json_path_text(const KernelCall *call, Vector *out, Error *err) {
    return path_rows(call, out, true, err);
}

ErrorCode func__json_typeof(const KernelCall *call, Vector *out, Error *err) {
    static const Str KINDS[] = {{"null", 4}, {"string", 6}, {"number", 6}, {"boolean", 7}, {"array", 5}, {"object", 6}};
    (void)err;
    FOR_ROWS(call, row) {
        func__put_text(out, row, KINDS[json_kind(vector_text(call->args[0], row))]);
    }
    return ERR_OK;
}

ErrorCode func__json_array_length(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str json = vector_text(call->args[0], row);
        JsonKind kind = json_kind(json);
        if (kind != JSON_ARRAY) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot get array length of a %s", kind == JSON_OBJECT ? "non-array" : "scalar");
        }
        ((int32_t *)vector_data(out))[row] = (int32_t)json__element_count(json);
    }
    return ERR_OK;
}

/* json_extract_path(json, step, …) */
static ErrorCode extract_rows(const KernelCall *call, Vector *out, bool as_text, Error *err) {
    FOR_ROWS(call, row) {
        Str value = str_trim(vector_text(call->args[0], row));
        bool found = true;
        for (size_t i = 1; found && i < call->arg_count; i++) {
            found = path_step(&value, vector_text(call->args[i], row));
        }
        TRY(put(call, out, row, found, value, as_text, err));
    }
    return ERR_OK;
}

ErrorCode func__json_extract_path(const KernelCall *call, Vector *out, Error *err) {
    return extract_rows(call, out, false, err);
}
ErrorCode func__json_extract_path_text(const KernelCall *call, Vector *out, Error *err) {
    return extract_rows(call, out, true, err);
}

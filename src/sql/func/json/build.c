/* SPDX-License-Identifier: Apache-2.0
 * build.c - SQL values as json: to_json, json_build_object, json_build_array and their jsonb twins.
 *
 * Spelling: PostgreSQL's: `{"a" : 1, "b" : [1,2]}` and `[1, 2]` for what the json functions build, jsonb in its normal form. Numbers and booleans are
 *           themselves, json is taken as it is, arrays become arrays, times are ISO 8601, everything else is its text in quotes. */
#include "column/array.h"
#include "sql/func/json/json_internal.h"

void json__put_string(Str text, Buffer *out) {
    buffer_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        static const char ESCAPES[] = "btnvfr"; /* \b is 8 … \r is 13; \v has no short form */
        if (c == '"' || c == '\\') {
            buffer_append_char(out, '\\');
            buffer_append_char(out, (char)c);
        } else if (c >= 8 && c <= 13 && c != 11) {
            buffer_append_char(out, '\\');
            buffer_append_char(out, ESCAPES[c - 8]);
        } else if (c < 0x20) {
            buffer_printf(out, "\\u%04x", c);
        } else {
            buffer_append_char(out, (char)c);
        }
    }
    buffer_append_char(out, '"');
}

/* "2024-01-02 03:04:05+00 BC" -> "2024-01-02T03:04:05+00:00 BC" */
static void put_time(Type type, Str text, Buffer *out) {
    ptrdiff_t gap = str_find_char(text, ' ', 0);
    ptrdiff_t era = gap < 0 ? -1 : str_find_char(text, ' ', (size_t)gap + 1);
    size_t end = era < 0 ? text.len : (size_t)era, sign = 0;
    buffer_append_char(out, '"');
    for (size_t i = 0; i < end; i++) {
        bool is_gap = (ptrdiff_t)i == gap;
        sign = gap >= 0 && (ptrdiff_t)i > gap && (text.data[i] == '+' || text.data[i] == '-') ? i : sign;
        buffer_append_char(out, is_gap ? 'T' : text.data[i]);
    }
    if (type.id == TYPE_TIMESTAMPTZ && sign > 0 && end - sign == 3) {
        buffer_append_str(out, STR(":00"));
    }
    buffer_append_str(out, str_slice(text, end, text.len));
    buffer_append_char(out, '"');
}

static bool is_finite_number(Str text) { return text.len > 0 && (text.data[text.len - 1] >= '0' && text.data[text.len - 1] <= '9'); }

static void put_scalar(Type type, const void *value, const TextStyle *style, Buffer *out) {
    Buffer text;
    if (type.id == TYPE_JSON || type.id == TYPE_JSONB) {
        buffer_append_str(out, strref_str(value));
        return;
    }
    if (type.id == TYPE_BOOL) {
        buffer_append_str(out, *(const uint8_t *)value != 0 ? STR("true") : STR("false"));
        return;
    }
    buffer_init(&text, TEXT_RESULT_BYTES_MAX);
    value_format(type, value, style, &text);
    if (type_category((TypeId)type.id) == CAT_NUMBER && is_finite_number(buffer_str(&text))) {
        buffer_append_str(out, buffer_str(&text));
    } else if (type_is_timestamp((TypeId)type.id)) {
        put_time(type, buffer_str(&text), out);
    } else {
        json__put_string(buffer_str(&text), out);
    }
    buffer_deinit(&text);
}

/* One dimension of an array from its value *at on. */
static void put_dimension(const AnyArray *array, uint8_t dim, uint32_t *at, const TextStyle *style, Buffer *out) {
    buffer_append_char(out, '[');
    for (uint32_t i = 0; array->dims > 0 && i < array->lengths[dim]; i++) {
        buffer_append_str(out, i > 0 ? STR(",") : STR(""));
        if (dim + 1 < array->dims) {
            put_dimension(array, (uint8_t)(dim + 1), at, style, out);
        } else if (any_array_is_null(array, *at)) {
            buffer_append_str(out, STR("null"));
            (*at)++;
        } else {
            AnyValue value;
            any_array_value(array, *at, &value);
            put_scalar(type_of((TypeId)array->element), &value, style, out);
            (*at)++;
        }
    }
    buffer_append_char(out, ']');
}

/* Times are ISO 8601 in json, whatever the session's DateStyle. */
static TextStyle json_style(const KernelCall *call) {
    TextStyle style = func__text_style(call);
    style.questdb = style.full_nanos = false;
    style.value.date = (DateStyle){0};
    return style;
}

static ErrorCode put_value(const KernelCall *call, size_t argument, size_t row, Buffer *out, Error *err) {
    const Vector *vector = call->args[argument];
    TextStyle style = json_style(call);
    if (vector_is_null(vector, row)) {
        buffer_append_str(out, STR("null"));
    } else if (vector->type.id == TYPE_SYMBOL) {
        json__put_string(vector_text(vector, row), out);
    } else if (vector->type.id == TYPE_BOOL) {
        buffer_append_str(out, vector_bool(vector, row) ? STR("true") : STR("false"));
    } else if (type_is_any_array((TypeId)vector->type.id)) {
        AnyArray array;
        uint32_t at = 0;
        TRY(any_array_view(vector_text(vector, row), &array, err));
        put_dimension(&array, 0, &at, &style, out);
    } else if (vector->type.id == TYPE_FLOAT8_ARRAY) {
        ArrayView view;
        TRY(array_view(vector_text(vector, row), &view, err));
        array_format_text(&view, '[', ']', out);
    } else {
        put_scalar(vector->type, vector_value(vector, row), &style, out);
    }
    return ERR_OK;
}

static ErrorCode put_object(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    if (call->arg_count % 2 != 0) {
        ErrorCode code = error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "argument list must have even number of elements");
        (void)error_add(err, 'H', "The arguments of json_build_object() must consist of alternating keys and values.");
        return code;
    }
    buffer_append_char(out, '{');
    for (size_t i = 0; i < call->arg_count; i += 2) {
        Buffer key;
        TextStyle style = json_style(call);
        const Vector *vector = call->args[i];
        if (vector_is_null(vector, row)) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "null value not allowed for object key");
        }
        if (vector->type.id == TYPE_JSON || vector->type.id == TYPE_JSONB || vector->type.id == TYPE_RECORD || type_category((TypeId)vector->type.id) == CAT_ARRAY) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "key value must be scalar, not array, composite, or json");
        }
        buffer_append_str(out, i > 0 ? STR(", ") : STR(""));
        if (vector->type.id == TYPE_SYMBOL || type_physical((TypeId)vector->type.id) == PHYS_STR) {
            json__put_string(vector_text(vector, row), out);
        } else if (vector->type.id == TYPE_BOOL) {
            json__put_string(vector_bool(vector, row) ? STR("true") : STR("false"), out);
        } else {
            buffer_init(&key, TEXT_RESULT_BYTES_MAX);
            value_format(vector->type, vector_value(vector, row), &style, &key);
            json__put_string(buffer_str(&key), out);
            buffer_deinit(&key);
        }
        buffer_append_str(out, STR(" : "));
        TRY(put_value(call, i + 1, row, out, err));
    }
    buffer_append_char(out, '}');
    return ERR_OK;
}

static ErrorCode put_list(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    buffer_append_char(out, '[');
    for (size_t i = 0; i < call->arg_count; i++) {
        buffer_append_str(out, i > 0 ? STR(", ") : STR(""));
        TRY(put_value(call, i, row, out, err));
    }
    buffer_append_char(out, ']');
    return ERR_OK;
}

static ErrorCode put_first(const KernelCall *call, size_t row, Buffer *out, Error *err) { return put_value(call, 0, row, out, err); }

/* ---- what aggregates have collected in arrays ---- */

static void put_item(const KernelCall *call, const AnyArray *array, uint32_t i, Buffer *out) {
    TextStyle style = {.zone = call->environment->zone, .names = call->environment->names};
    AnyValue value;
    if (any_array_is_null(array, i)) {
        buffer_append_str(out, STR("null"));
        return;
    }
    any_array_value(array, i, &value);
    put_scalar(type_of((TypeId)array->element), &value, &style, out);
}

/* "key" : value */
static ErrorCode put_pair(const KernelCall *call, const AnyArray *keys, uint32_t key_at, const AnyArray *values, uint32_t value_at, Buffer *out, Error *err) {
    AnyValue key;
    if (any_array_is_null(keys, key_at)) {
        return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "null value not allowed for object key");
    }
    any_array_value(keys, key_at, &key);
    json__put_string(strref_str((const StrRef *)(const void *)key.bytes), out);
    buffer_append_str(out, STR(" : "));
    put_item(call, values, value_at, out);
    return ERR_OK;
}

/* json_agg: the array's outer dimension, one entry an element; structured ones on lines of their own. */
static ErrorCode put_entries(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    AnyArray array;
    TextStyle style = {.zone = call->environment->zone, .names = call->environment->names};
    TRY(func__array_view(call->args[0]->type, vector_text(call->args[0], row), call->arena, &array, err));
    bool structured = array.dims > 1 || (call->arg_count > 1 && vector_bool(call->args[1], row));
    buffer_append_char(out, '[');
    for (uint32_t i = 0, at = 0; array.dims > 0 && i < array.lengths[0]; i++) {
        buffer_append_str(out, i == 0 ? STR("") : structured ? STR(", \n ") : STR(", "));
        if (array.dims > 1) {
            put_dimension(&array, 1, &at, &style, out);
        } else {
            put_item(call, &array, i, out);
        }
    }
    buffer_append_char(out, ']');
    return ERR_OK;
}

/* json_object_agg: keys and values in two arrays. */
static ErrorCode put_pairs(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    AnyArray keys, values;
    TRY(func__array_view(call->args[0]->type, vector_text(call->args[0], row), call->arena, &keys, err));
    TRY(func__array_view(call->args[1]->type, vector_text(call->args[1], row), call->arena, &values, err));
    buffer_append_str(out, STR("{ "));
    for (uint32_t i = 0; i < keys.count && i < values.count; i++) {
        buffer_append_str(out, i > 0 ? STR(", ") : STR(""));
        TRY(put_pair(call, &keys, i, &values, i, out, err));
    }
    buffer_append_str(out, STR(" }"));
    return ERR_OK;
}

/* A row: names and values in turn, without blanks. */
static ErrorCode put_record(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    buffer_append_char(out, '{');
    for (size_t i = 0; i + 1 < call->arg_count; i += 2) {
        buffer_append_str(out, i > 0 ? STR(",") : STR(""));
        json__put_string(vector_text(call->args[i], row), out);
        buffer_append_char(out, ':');
        TRY(put_value(call, i + 1, row, out, err));
    }
    buffer_append_char(out, '}');
    return ERR_OK;
}

/* json_object('{a, 1, b, 2}'), json_object('{a, b}', '{1, 2}') */
static ErrorCode put_texts(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    AnyArray keys, values;
    bool two = call->arg_count > 1;
    TRY(func__array_view(call->args[0]->type, vector_text(call->args[0], row), call->arena, &keys, err));
    TRY(func__array_view(call->args[two ? 1 : 0]->type, vector_text(call->args[two ? 1 : 0], row), call->arena, &values, err));
    bool pairs = keys.dims == 2 && keys.lengths[1] == 2;
    if (two ? keys.dims > 1 || values.dims > 1 : keys.dims > 2 || (keys.dims == 2 && !pairs)) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, keys.dims == 2 && !two ? "array must have two columns" : "wrong number of array subscripts");
    }
    if (two ? keys.count != values.count : keys.count % 2 != 0) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, two ? "mismatched array dimensions" : "array must have even number of elements");
    }
    buffer_append_char(out, '{');
    for (uint32_t i = 0; i < keys.count; i += two ? 1 : 2) {
        buffer_append_str(out, i > 0 ? STR(", ") : STR(""));
        TRY(put_pair(call, &keys, i, &values, two ? i : i + 1, out, err));
    }
    buffer_append_char(out, '}');
    return ERR_OK;
}

/* Ends a row and clears text. */
static ErrorCode end_row(const KernelCall *call, Vector *out, size_t row, Buffer *text, Error *err) {
    if (text->failed) {
        return func__check_text_bytes(UINT64_MAX, err);
    }
    if (out->type.id != TYPE_JSONB) {
        func__put_copy(call, out, row, buffer_str(text));
        buffer_clear(text);
        return ERR_OK;
    }
    Buffer normal;
    buffer_init(&normal, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = jsonb_normalise(buffer_str(text), &normal, err);
    if (code == ERR_OK) {
        func__put_copy(call, out, row, buffer_str(&normal));
    }
    buffer_deinit(&normal);
    buffer_clear(text);
    return code;
}

ErrorCode json__rows(const KernelCall *call, JsonPut put, Vector *out, Error *err) {
    Buffer text;
    ErrorCode code = ERR_OK;
    buffer_init(&text, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        TRY_OR(done, put(call, row, &text, err));
        TRY_OR(done, end_row(call, out, row, &text, err));
    }
done:
    buffer_deinit(&text);
    return code;
}

ErrorCode func__json_build_object(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_object, out, err); }
ErrorCode func__json_build_array(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_list, out, err); }
ErrorCode func__to_json(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_first, out, err); }
ErrorCode func__json_entries(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_entries, out, err); }
ErrorCode func__json_pairs(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_pairs, out, err); }
ErrorCode func__json_record(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_record, out, err); }
ErrorCode func__json_object(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_texts, out, err); }

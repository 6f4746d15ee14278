/* SPDX-License-Identifier: Apache-2.0
 * array/text.c - array_to_string, string_to_array. */
#include "sql/func/array/array_internal.h"
#include "sql/func/text/text_internal.h"

static ErrorCode join_row(const KernelCall *call, Vector *out, size_t row, Error *err) {
    AnyArray array;
    Buffer text;
    bool first = true;
    bool has_null_text = call->arg_count > 2 && !vector_is_null(call->args[2], row);
    TRY(array__arg(call, 0, row, &array, err));
    Str separator = vector_text(call->args[1], row), null_text = has_null_text ? vector_text(call->args[2], row) : STR("");
    TextStyle style = func__text_style(call);
    style.questdb = false;
    buffer_init(&text, TEXT_RESULT_BYTES_MAX);
    for (uint32_t i = 0; i < array.count; i++) {
        AnyValue value;
        bool null = any_array_is_null(&array, i);
        if (null && !has_null_text) {
            continue;
        }
        if (!first) {
            buffer_append_str(&text, separator);
        }
        first = false;
        if (null) {
            buffer_append_str(&text, null_text);
        } else {
            any_array_value(&array, i, &value);
            value_format(type_of((TypeId)array.element), value.bytes, &style, &text);
        }
    }
    ErrorCode code = text.failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK;
    if (code == ERR_OK) {
        func__put_copy(call, out, row, buffer_str(&text));
    }
    buffer_deinit(&text);
    return code;
}

/* array_to_string(array, separator [, text of NULLs]) */
ErrorCode func__array_to_string(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[0], row) || vector_is_null(call->args[1], row)) {
            vector_set_null(out, call->arena, row);
        } else {
            TRY(join_row(call, out, row, err));
        }
    }
    return ERR_OK;
}

static void add_part(AnyArrayBuilder *builder, Str part, const Str *null_text) {
    StrRef ref = strref_make(part.len == 0 ? "" : part.data, part.len);
    bool null = null_text != NULL && str_equal(part, *null_text);
    any_array_add(builder, null ? NULL : &ref);
}

/* Separator NULL: one part a character; empty: the whole text. */
static void split_text(Str text, const Str *separator, const Str *null_text, AnyArrayBuilder *builder) {
    size_t at = 0;
    if (text.len == 0) {
        return;
    }
    if (separator == NULL) {
        while (at < text.len) {
            uint32_t code_point;
            int bytes = utf8_decode(text, at, &code_point);
            size_t end = bytes > 0 ? at + (size_t)bytes : at + 1;
            add_part(builder, str_slice(text, at, end), null_text);
            at = end;
        }
        return;
    }
    for (;;) {
        ptrdiff_t end = separator->len == 0 ? -1 : str_find(text, *separator, at);
        add_part(builder, str_slice(text, at, end < 0 ? text.len : (size_t)end), null_text);
        if (end < 0) {
            return;
        }
        at = (size_t)end + separator->len;
    }
}

/* string_to_array(text, separator [, text of NULLs]) */
ErrorCode func__string_to_array(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        Str separator, null_text;
        bool has_separator = !vector_is_null(call->args[1], row), has_null = call->arg_count > 2 && !vector_is_null(call->args[2], row);
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        separator = has_separator ? vector_text(call->args[1], row) : STR("");
        null_text = has_null ? vector_text(call->args[2], row) : STR("");
        any_array_begin(&builder, TYPE_TEXT, ARRAY_RESULT_BYTES_MAX);
        split_text(vector_text(call->args[0], row), has_separator ? &separator : NULL, has_null ? &null_text : NULL, &builder);
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

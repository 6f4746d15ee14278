/* SPDX-License-Identifier: Apache-2.0
 * array/identifier.c - parse_ident: the parts of a qualified name, unquoted and folded. */
#include "sql/func/array/array_internal.h"
#include "sql/func/text/text_internal.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80; }
static bool is_inside(char c) { return is_start(c) || (c >= '0' && c <= '9') || c == '$'; }

static void skip_spaces(Str text, size_t *at) {
    while (*at < text.len && is_space(text.data[*at])) {
        (*at)++;
    }
}

static ErrorCode refuse(Str text, const char *detail, Error *err) {
    ErrorCode code = error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "string is not a valid identifier: \"%.*s\"", STR_ARG(text));
    return detail == NULL ? code : error_add(err, 'D', "%s", detail);
}

static ErrorCode read_quoted(Str text, size_t *at, Buffer *part, Error *err) {
    for ((*at)++; *at < text.len; (*at)++) {
        bool quote = text.data[*at] == '"';
        if (quote && (*at + 1 == text.len || text.data[*at + 1] != '"')) {
            (*at)++;
            return buffer_str(part).len > 0 ? ERR_OK : refuse(text, "Quoted identifier must not be empty.", err);
        }
        *at += quote ? 1 : 0;
        buffer_append_char(part, text.data[*at]);
    }
    return refuse(text, "String has unclosed double quotes.", err);
}

static ErrorCode read_part(Str text, size_t *at, bool first, Buffer *part, Error *err) {
    buffer_clear(part);
    skip_spaces(text, at);
    if (*at < text.len && text.data[*at] == '"') {
        return read_quoted(text, at, part, err);
    }
    if (*at < text.len && is_start(text.data[*at])) {
        for (; *at < text.len && is_inside(text.data[*at]); (*at)++) {
            char c = text.data[*at];
            buffer_append_char(part, c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c);
        }
        return ERR_OK;
    }
    bool dot = *at < text.len && text.data[*at] == '.';
    return refuse(text, first && !dot ? NULL : dot ? "No valid identifier before \".\"." : "No valid identifier after \".\".", err);
}

static ErrorCode read_parts(Str text, bool strict, AnyArrayBuilder *builder, Buffer *part, Error *err) {
    size_t at = 0;
    for (bool first = true;; first = false) {
        TRY(read_part(text, &at, first, part, err));
        Str name = buffer_str(part);
        StrRef value = strref_make(name.data, name.len);
        any_array_add(builder, &value);
        skip_spaces(text, &at);
        if (at == text.len || text.data[at] != '.') {
            return at == text.len || !strict ? ERR_OK : refuse(text, NULL, err);
        }
        at++;
    }
}

/* parse_ident(name [, strict]): not strict, what stands behind the last part is left out. */
ErrorCode func__parse_ident(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        Buffer part;
        bool strict = call->arg_count < 2 || vector_bool(call->args[1], row);
        buffer_init(&part, ARRAY_RESULT_BYTES_MAX);
        any_array_begin(&builder, TYPE_TEXT, ARRAY_RESULT_BYTES_MAX);
        ErrorCode code = read_parts(vector_text(call->args[0], row), strict, &builder, &part, err);
        buffer_deinit(&part);
        if (code != ERR_OK) {
            any_array_abandon(&builder);
            return code;
        }
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

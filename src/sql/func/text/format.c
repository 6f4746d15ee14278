/* SPDX-License-Identifier: Apache-2.0
 * text/format.c - format(template, ...): %s text, %I identifier, %L literal, %%, with n$ positions, - flag and width. */
#include "sql/func/text/text_internal.h"

typedef struct FormatReader {
    const KernelCall *call;
    size_t row;
    Str format;
    size_t at;
    size_t next;  /* argument that the next directive without a position takes */
    Buffer *out;
    Error *err;
} FormatReader;

static ErrorCode bad_format(const FormatReader *r, const char *what) {
    return error_set(r->err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%s", what);
}

static bool take_number(FormatReader *r, int64_t *value_out) {
    size_t from = r->at;
    int64_t value = 0;
    while (r->at < r->format.len && r->format.data[r->at] >= '0' && r->format.data[r->at] <= '9' && value < INT32_MAX) {
        value = value * 10 + (r->format.data[r->at++] - '0');
    }
    *value_out = value;
    return r->at > from;
}

static ErrorCode append_argument(FormatReader *r, size_t argument, char kind, Buffer *piece) {
    bool null = vector_is_null(r->call->args[argument], r->row);
    if (null && kind == 'I') {
        return error_set(r->err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "null values cannot be formatted as an SQL identifier");
    }
    if (null) {
        buffer_append_str(piece, kind == 'L' ? STR("NULL") : STR(""));
        return ERR_OK;
    }
    if (kind == 's') {
        text__append_any(r->call, argument, r->row, piece);
        return ERR_OK;
    }
    Buffer plain;
    buffer_init(&plain, TEXT_RESULT_BYTES_MAX);
    text__append_any(r->call, argument, r->row, &plain);
    (kind == 'I' ? text__quote_ident : text__quote_literal)(piece, buffer_str(&plain));
    buffer_deinit(&plain);
    return ERR_OK;
}

static void append_padded(FormatReader *r, Str piece, int64_t width, bool left) {
    size_t have = utf8_length(piece);
    size_t fill = width > 0 && (size_t)width > have ? (size_t)width - have : 0;
    buffer_append_fill(r->out, ' ', left ? 0 : fill);
    buffer_append_str(r->out, piece);
    buffer_append_fill(r->out, ' ', left ? fill : 0);
}

/* A number, or * for the next argument: a negative one sets to the left. */
static ErrorCode take_width(FormatReader *r, int64_t *width_out, bool *left) {
    if (r->at >= r->format.len || r->format.data[r->at] != '*') {
        (void)take_number(r, width_out);
        return ERR_OK;
    }
    int64_t number = 0;
    size_t star = r->at++;
    bool positioned = take_number(r, &number) && r->at < r->format.len && r->format.data[r->at] == '$';
    r->at = positioned ? r->at + 1 : star + 1;
    size_t argument = positioned ? (size_t)number : r->next;
    r->next = argument + 1;
    if (argument == 0 || argument >= r->call->arg_count) {
        return bad_format(r, argument == 0 ? "format specifies argument 0, but arguments are numbered from 1" : "too few arguments for format()");
    }
    if (vector_is_null(r->call->args[argument], r->row)) {
        return ERR_OK;
    }
    TypeId type = (TypeId)r->call->args[argument]->type.id;
    if (type != TYPE_INT4 && type != TYPE_INT2) {
        return bad_format(r, "the width of format() must be an integer");
    }
    ArgView view = func__arg(r->call, argument);
    int64_t width = type == TYPE_INT4 ? AT(int32_t, view, r->row) : AT(int16_t, view, r->row);
    *left = *left || width < 0;
    *width_out = width < 0 ? -width : width;
    return ERR_OK;
}

/* Behind the %. */
static ErrorCode directive(FormatReader *r) {
    int64_t number = 0, width = 0;
    bool left = false, positioned = false;
    size_t start = r->at;
    if (take_number(r, &number) && r->at < r->format.len && r->format.data[r->at] == '$') {
        positioned = true;
        r->at++;
    } else {
        r->at = start;
    }
    while (r->at < r->format.len && r->format.data[r->at] == '-') {
        left = true;
        r->at++;
    }
    TRY(take_width(r, &width, &left));
    if (r->at >= r->format.len) {
        return bad_format(r, "unterminated format() type specifier");
    }
    char kind = r->format.data[r->at++];
    if (kind == '%') {
        buffer_append_char(r->out, '%');
        return ERR_OK;
    }
    if (kind != 's' && kind != 'I' && kind != 'L') {
        return bad_format(r, "unrecognized format() type specifier");
    }
    if (positioned && number == 0) {
        return bad_format(r, "format specifies argument 0, but arguments are numbered from 1");
    }
    size_t argument = positioned ? (size_t)number : r->next;
    r->next = argument + 1;
    if (argument >= r->call->arg_count) {
        return bad_format(r, "too few arguments for format()");
    }
    Buffer piece;
    buffer_init(&piece, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = append_argument(r, argument, kind, &piece);
    if (code == ERR_OK) {
        append_padded(r, buffer_str(&piece), width, left);
    }
    buffer_deinit(&piece);
    return code;
}

static ErrorCode format_row(FormatReader *r) {
    while (r->at < r->format.len) {
        char c = r->format.data[r->at++];
        if (c == '%') {
            TRY(directive(r));
        } else {
            buffer_append_char(r->out, c);
        }
    }
    return r->out->failed ? func__check_text_bytes(UINT64_MAX, r->err) : ERR_OK;
}

ErrorCode func__format(const KernelCall *call, Vector *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        FormatReader r = {.call = call, .row = row, .format = func__text(func__arg(call, 0), row), .next = 1, .out = &buffer, .err = err};
        TRY_OR(done, format_row(&r));
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

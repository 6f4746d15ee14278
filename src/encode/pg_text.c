/* SPDX-License-Identifier: Apache-2.0
 * pg_text.c - values as PostgreSQL prints them, one by one (psql's tables) and as lines of COPY. */
#include "encode/encode_internal.h"

static void append_value(Type type, const void *value, const TextStyle *style, Buffer *out) {
    TextStyle pg = *style;
    pg.questdb = false;
    value_format(type, value, &pg, out);
}

bool pg_text_value(const Vector *vector, size_t row, const TextStyle *style, Buffer *out) {
    if (vector_is_null(vector, row)) {
        return false;
    }
    if (vector->type.id == TYPE_SYMBOL) {
        buffer_append_str(out, vector_text(vector, row));
    } else if (vector->type.id == TYPE_BOOL) {
        buffer_append_char(out, vector_bool(vector, row) ? 't' : 'f');
    } else {
        append_value(vector->type, vector_value(vector, row), style, out);
    }
    return true;
}

/* Tab, line ends and backslashes would end a field or a row. */
static void escape_copy(Buffer *out, size_t from) {
    size_t extra = 0;
    for (size_t i = from; i < out->len; i++) {
        char c = (char)out->data[i];
        extra += c == '\t' || c == '\n' || c == '\r' || c == '\\';
    }
    if (extra == 0 || out->failed || buffer_reserve(out, extra) == NULL) {
        return;
    }
    size_t to = out->len + extra;
    out->len = to;
    for (size_t i = to - extra; i-- > from;) {
        char c = (char)out->data[i];
        bool special = c == '\t' || c == '\n' || c == '\r' || c == '\\';
        out->data[--to] = (uint8_t)(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c);
        if (special) {
            out->data[--to] = '\\';
        }
    }
}

static void append_copy_field(const Encoder *encoder, const Vector *vector, size_t row, Buffer *out) {
    size_t from = out->len;
    if (!pg_text_value(vector, row, &encoder->options.text, out)) {
        buffer_append_str(out, STR("\\N"));
        return;
    }
    TypeCategory category = type_category((TypeId)vector->type.id);
    if (category == CAT_TEXT || category == CAT_BYTES || category == CAT_UNKNOWN) {
        escape_copy(out, from);
    }
}

ErrorCode copy_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err) {
    Cell *cells;
    TRY(encode__cells(encoder, batch, columns, &cells, err));
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        for (uint16_t c = 0; c < encoder->column_count; c++) {
            if (c > 0) {
                buffer_append_char(out, '\t');
            }
            append_copy_field(encoder, &batch->columns[columns == NULL ? c : columns[c]], row, out);
        }
        buffer_append_char(out, '\n');
        encoder->row_count++;
    }
    return buffer_check(out, err);
}

/* SPDX-License-Identifier: Apache-2.0
 * json.c - rows as QuestDB's /exec prints them: [[1,"a",null],…] without the outer brackets.
 *
 * Forms: integers bare (int8 quoted on wish), floats bare in Java's form with NaN and infinities as null, times quoted in ISO form,
 * decimals, uuid, text quoted, arrays nested, bytea as []. */
#include <math.h>

#include "base/number.h"
#include "column/array.h"
#include "encode/encode_internal.h"

static size_t put_text(char *out, Str text) {
    memcpy(out, text.data, text.len);
    return text.len;
}

static size_t put_quoted(char *out, Type type, const void *value) {
    static const TextStyle STYLE = {.questdb = true};
    out[0] = '"';
    size_t len = value_format_fixed(out + 1, type, value, &STYLE);
    out[1 + len] = '"';
    return len + 2;
}

static size_t put_time(DateCache *dates, char *out, TypeId id, const void *value) {
    int64_t time;
    int digits = id == TYPE_TIMESTAMP_NS ? 9 : id == TYPE_TIMESTAMP_MS || id == TYPE_DATE ? 3 : 6;
    if (id == TYPE_DATE) {
        int32_t days;
        memcpy(&days, value, sizeof days);
        if (days == INT32_MIN || days == INT32_MAX) {
            return put_quoted(out, type_of(id), value);
        }
        time = (int64_t)days * 86400000;
    } else {
        memcpy(&time, value, sizeof time);
    }
    if (time == INT64_MIN || time == INT64_MAX) {
        return put_quoted(out, type_of(id), value);
    }
    out[0] = '"';
    size_t len = encode__iso_time(dates, out + 1, time, digits);
    out[1 + len] = '"';
    return len + 2;
}

static size_t put_float(char *out, TypeId id, const void *value) {
    bool finite = id == TYPE_FLOAT4 ? isfinite(*(const float *)value) : isfinite(*(const double *)value);
    return finite ? encode__number(out, id, value) : put_text(out, STR("null"));
}

static size_t put_int8(const Encoder *encoder, char *out, const void *value) {
    if (!encoder->options.quote_large_numbers) {
        return encode__number(out, TYPE_INT8, value);
    }
    out[0] = '"';
    size_t len = encode__number(out + 1, TYPE_INT8, value);
    out[1 + len] = '"';
    return len + 2;
}

static void append_array(Buffer *out, Str bytes) {
    ArrayView view;
    if (array_view(bytes, &view, NULL) == ERR_OK) {
        array_format_text(&view, '[', ']', out);
    } else {
        buffer_append_str(out, STR("null"));
    }
}

/* A char may be a quote or a control character: it goes the way of text. */
static void append_char(Buffer *out, uint32_t code_point) {
    char text[4];
    json_append_text(out, (Str){text, code_point == 0 ? 0 : (size_t)utf8_encode(code_point, text)});
}

/* Fields without a bound on their length, which reserve for themselves. */
static void append_long(Encoder *encoder, const Cell *cell, const uint8_t *value, Buffer *out) {
    if (cell->type.id == TYPE_SYMBOL) {
        encode__symbol(encoder, cell->cache, *(const int32_t *)value, json_append_text, out);
    } else if (cell->type.id == TYPE_CHAR) {
        append_char(out, *(const uint32_t *)value);
    } else if (cell->type.id == TYPE_BYTEA) {
        buffer_append_str(out, STR("[]"));
    } else if (cell->type.id == TYPE_FLOAT8_ARRAY) {
        append_array(out, strref_str((const StrRef *)value));
    } else {
        json_append_text(out, strref_str((const StrRef *)value));
    }
}

static void append_field(Encoder *encoder, DateCache *dates, const Cell *cell, size_t row, Buffer *out) {
    size_t place = encode__place(cell, row);
    char *room = (char *)buffer_reserve(out, ENCODE_FIELD_MAX);
    if (room == NULL) {
        return;
    }
    if (encode__is_null(cell, row, place)) {
        out->len += put_text(room, STR("null"));
        return;
    }
    const uint8_t *value = cell->data + place * cell->width;
    TypeId id = (TypeId)cell->type.id;
    switch (id) {
    case TYPE_BOOL:
        out->len += put_text(room, bit_get((const uint64_t *)cell->data, place) ? STR("true") : STR("false"));
        return;
    case TYPE_BYTE:
    case TYPE_INT2:
    case TYPE_INT4:
        out->len += encode__number(room, id, value);
        return;
    case TYPE_INT8:
        out->len += put_int8(encoder, room, value);
        return;
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
        out->len += put_float(room, id, value);
        return;
    case TYPE_DATE:
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
        out->len += put_time(dates, room, id, value);
        return;
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
    case TYPE_INTERVAL:
    case TYPE_UUID:
        out->len += put_quoted(room, cell->type, value);
        return;
    default:
        append_long(encoder, cell, value, out);
    }
}

static void append_row(Encoder *encoder, DateCache *dates, const Cell *cells, size_t row, Buffer *out) {
    buffer_append_str(out, encoder->row_count == 0 ? STR("[") : STR(",["));
    for (size_t c = 0; c < encoder->column_count; c++) {
        if (c > 0) {
            buffer_append_char(out, ',');
        }
        append_field(encoder, dates, &cells[c], row, out);
    }
    buffer_append_char(out, ']');
    encoder->row_count++;
}

ErrorCode json_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err) {
    Cell *cells;
    DateCache dates = {0};
    TRY(encode__cells(encoder, batch, columns, &cells, err));
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->live == NULL || bit_get(batch->live, row)) {
            append_row(encoder, &dates, cells, row, out);
        }
    }
    return buffer_check(out, err);
}

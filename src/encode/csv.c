/* SPDX-License-Identifier: Apache-2.0
 * csv.c - rows as QuestDB's /exp prints them: CRLF lines; text, symbols, times, intervals and decimals quoted; numbers and uuid bare.
 *
 * NULL is an empty field, but for decimals, where QuestDB writes null. A line break inside text stays one, inside the quotes. */
#include <math.h>

#include "base/number.h"
#include "column/array.h"
#include "encode/encode_internal.h"

void csv_append_text(Buffer *out, Str text) {
    buffer_append_char(out, '"');
    size_t at = 0;
    while (at < text.len) {
        ptrdiff_t quote = str_find_char(text, '"', at);
        size_t end = quote < 0 ? text.len : (size_t)quote + 1;
        buffer_append(out, text.data + at, end - at);
        if (quote >= 0) {
            buffer_append_char(out, '"');
        }
        at = end;
    }
    buffer_append_char(out, '"');
}

void csv_encode_header(const EncodedColumn *columns, uint16_t column_count, Buffer *out) {
    for (uint16_t c = 0; c < column_count; c++) {
        if (c > 0) {
            buffer_append_char(out, ',');
        }
        csv_append_text(out, columns[c].name);
    }
    buffer_append_str(out, STR("\r\n"));
}

static size_t put_fixed(char *out, Type type, const void *value, bool quoted) {
    static const TextStyle STYLE = {.questdb = true};
    size_t len = 0;
    if (quoted) {
        out[len++] = '"';
    }
    len += value_format_fixed(out + len, type, value, &STYLE);
    if (quoted) {
        out[len++] = '"';
    }
    return len;
}

static size_t put_time(DateCache *dates, char *out, Type type, const void *value) {
    int64_t time;
    if (type.id == TYPE_DATE) {
        return put_fixed(out, type, value, true);
    }
    memcpy(&time, value, sizeof time);
    if (time == INT64_MIN || time == INT64_MAX) {
        return put_fixed(out, type, value, true);
    }
    out[0] = '"';
    int digits = type.id == TYPE_TIMESTAMP_NS ? 9 : type.id == TYPE_TIMESTAMP_MS ? 3 : 6;
    size_t len = encode__iso_time(dates, out + 1, time, digits);
    out[1 + len] = '"';
    return len + 2;
}

static size_t put_float(char *out, TypeId id, const void *value) {
    bool finite = id == TYPE_FLOAT4 ? isfinite(*(const float *)value) : isfinite(*(const double *)value);
    return finite ? encode__number(out, id, value) : 0;
}

static void append_array(Buffer *out, Str bytes) {
    ArrayView view;
    if (array_view(bytes, &view, NULL) != ERR_OK) {
        return;
    }
    buffer_append_char(out, '"');
    array_format_text(&view, '[', ']', out);
    buffer_append_char(out, '"');
}

static void append_char(Buffer *out, uint32_t code_point) {
    char text[4];
    csv_append_text(out, (Str){text, code_point == 0 ? 0 : (size_t)utf8_encode(code_point, text)});
}

static void append_long(Encoder *encoder, const Cell *cell, const uint8_t *value, Buffer *out) {
    if (cell->type.id == TYPE_SYMBOL) {
        encode__symbol(encoder, cell->cache, *(const int32_t *)value, csv_append_text, out);
    } else if (cell->type.id == TYPE_CHAR) {
        append_char(out, *(const uint32_t *)value);
    } else if (cell->type.id == TYPE_BYTEA) {
        buffer_append_char(out, '"');
        bytea_format(strref_str((const StrRef *)value), out);
        buffer_append_char(out, '"');
    } else if (cell->type.id == TYPE_FLOAT8_ARRAY) {
        append_array(out, strref_str((const StrRef *)value));
    } else {
        csv_append_text(out, strref_str((const StrRef *)value));
    }
}

static void append_value(Encoder *encoder, DateCache *dates, const Cell *cell, size_t place, Buffer *out) {
    char *room = (char *)buffer_reserve(out, ENCODE_FIELD_MAX);
    if (room == NULL) {
        return;
    }
    const uint8_t *value = cell->data + place * cell->width;
    TypeId id = (TypeId)cell->type.id;
    switch (type_category(id)) {
    case CAT_BOOL: {
        uint8_t truth = bit_get((const uint64_t *)cell->data, place);
        out->len += put_fixed(room, cell->type, &truth, false);
        return;
    }
    case CAT_NUMBER:
        if (id == TYPE_FLOAT4 || id == TYPE_FLOAT8) {
            out->len += put_float(room, id, value);
        } else if (type_is_integer(id)) {
            out->len += encode__number(room, id, value);
        } else {
            out->len += put_fixed(room, cell->type, value, true);
        }
        return;
    case CAT_TIME:
        out->len += put_time(dates, room, cell->type, value);
        return;
    case CAT_INTERVAL:
        out->len += put_fixed(room, cell->type, value, true);
        return;
    case CAT_UUID:
        out->len += put_fixed(room, cell->type, value, false);
        return;
    default:
        append_long(encoder, cell, value, out);
    }
}

static void append_row(Encoder *encoder, DateCache *dates, const Cell *cells, size_t row, Buffer *out) {
    for (size_t c = 0; c < encoder->column_count; c++) {
        const Cell *cell = &cells[c];
        size_t place = encode__place(cell, row);
        if (c > 0) {
            buffer_append_char(out, ',');
        }
        if (!encode__is_null(cell, row, place)) {
            append_value(encoder, dates, cell, place, out);
        } else if (cell->type.id == TYPE_DECIMAL8 || cell->type.id == TYPE_DECIMAL16) {
            buffer_append_str(out, STR("null"));
        }
    }
    buffer_append_str(out, STR("\r\n"));
    encoder->row_count++;
}

ErrorCode csv_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err) {
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

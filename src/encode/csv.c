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

/* ---- bounded fields ---- */

static void put_fixed(RowWriter *w, Type type, const void *value, bool quoted) {
    static const TextStyle STYLE = {.questdb = true};
    if (quoted) {
        *w->at++ = '"';
    }
    w->at += value_format_fixed(w->at, type, value, &STYLE);
    if (quoted) {
        *w->at++ = '"';
    }
}

static void put_time(RowWriter *w, Type type, const void *value) {
    int64_t time = INT64_MAX;
    if (type.id != TYPE_DATE) {
        memcpy(&time, value, sizeof time);
    }
    if (time == INT64_MIN || time == INT64_MAX) {
        put_fixed(w, type, value, true);
        return;
    }
    *w->at++ = '"';
    int digits = type.id == TYPE_TIMESTAMP_NS ? 9 : type.id == TYPE_TIMESTAMP_MS ? 3 : 6;
    w->at += encode__iso_time(&w->dates, w->at, time, digits);
    *w->at++ = '"';
}

/* NaN and infinities are empty, as NULL. */
static void put_float(RowWriter *w, TypeId id, const void *value) {
    double wide = id == TYPE_FLOAT4 ? (double)*(const float *)value : *(const double *)value;
    if (isfinite(wide)) {
        w->at += id == TYPE_FLOAT4 ? format_float(w->at, *(const float *)value, DOUBLE_JAVA) : format_double(w->at, wide, DOUBLE_JAVA);
    }
}

static void put_short_text(RowWriter *w, Str text) {
    char *p = w->at;
    *p++ = '"';
    for (size_t i = 0; i < text.len; i++) {
        *p++ = text.data[i];
        if (UNLIKELY(text.data[i] == '"')) {
            *p++ = '"';
        }
    }
    *p++ = '"';
    w->at = p;
}

/* ---- fields without a bound ---- */

static bool put_text(RowWriter *w, Str text) {
    if (LIKELY(text.len <= SHORT_TEXT_MAX)) {
        put_short_text(w, text);
        return true;
    }
    encode__sync(w);
    w->at = NULL;
    csv_append_text(w->out, text);
    return encode__reserve(w);
}

/* Bytes in PostgreSQL's hex form, arrays in brackets: both quoted. */
static bool put_bytes(RowWriter *w, TypeId id, Str bytes) {
    ArrayView view;
    encode__sync(w);
    w->at = NULL;
    if (id == TYPE_BYTEA) {
        buffer_append_char(w->out, '"');
        bytea_format(bytes, w->out);
        buffer_append_char(w->out, '"');
    } else if (array_view(bytes, &view, NULL) == ERR_OK) {
        buffer_append_char(w->out, '"');
        array_format_text(&view, '[', ']', w->out);
        buffer_append_char(w->out, '"');
    }
    return encode__reserve(w);
}

static void put_char(RowWriter *w, uint32_t code_point) {
    char text[4];
    put_short_text(w, (Str){text, code_point == 0 ? 0 : (size_t)utf8_encode(code_point, text)});
}

static void put_number(RowWriter *w, Type type, const void *value) {
    TypeId id = (TypeId)type.id;
    if (id == TYPE_FLOAT4 || id == TYPE_FLOAT8) {
        put_float(w, id, value);
    } else if (type_is_integer(id)) {
        w->at = encode__int(w->at, encode__load_int(id, value));
    } else {
        put_fixed(w, type, value, true);
    }
}

/* false: the buffer is full. */
static bool put_value(RowWriter *w, const Cell *cell, size_t place) {
    const uint8_t *value = cell->data + place * cell->width;
    TypeId id = (TypeId)cell->type.id;
    bool made = type_physical(id) != PHYS_STR || type_is_any_array(id) || id == TYPE_RECORD;
    if (made && id > TYPE_FLOAT8_ARRAY) {
        return encode__made_text(w, csv_append_text, cell->type, value);
    }
    switch (type_category(id)) {
    case CAT_BOOL:
        encode__put(w, bit_get((const uint64_t *)(const void *)cell->data, place) ? STR("true") : STR("false"));
        return true;
    case CAT_NUMBER:
        put_number(w, cell->type, value);
        return true;
    case CAT_TIME:
        put_time(w, cell->type, value);
        return true;
    case CAT_INTERVAL:
    case CAT_UUID:
        put_fixed(w, cell->type, value, id == TYPE_INTERVAL);
        return true;
    case CAT_BYTES:
    case CAT_ARRAY:
        return put_bytes(w, id, strref_str((const StrRef *)(const void *)value));
    default:
        break;
    }
    if (id == TYPE_SYMBOL) {
        return encode__put_symbol(w, cell->cache, *(const int32_t *)(const void *)value, csv_append_text);
    }
    if (id == TYPE_CHAR) {
        put_char(w, *(const uint32_t *)(const void *)value);
        return true;
    }
    return put_text(w, strref_str((const StrRef *)(const void *)value));
}

static bool put_row(RowWriter *w, const Cell *cells, size_t row) {
    if (!encode__row_room(w)) {
        return false;
    }
    for (size_t c = 0; c < w->encoder->column_count; c++) {
        const Cell *cell = &cells[c];
        size_t place = encode__place(cell, row);
        if (c > 0) {
            *w->at++ = ',';
        }
        if (encode__is_null(cell, row, place)) {
            bool decimal = cell->type.id == TYPE_DECIMAL8 || cell->type.id == TYPE_DECIMAL16;
            encode__put(w, decimal ? STR("null") : STR(""));
        } else if (!put_value(w, cell, place)) {
            return false;
        }
    }
    *w->at++ = '\r';
    *w->at++ = '\n';
    w->encoder->row_count++;
    return true;
}

ErrorCode csv_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err) {
    return encode__rows(encoder, batch, columns, put_row, out, err);
}

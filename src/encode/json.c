/* SPDX-License-Identifier: Apache-2.0
 * json.c - rows as QuestDB's /exec prints them: [[1,"a",null],…] without the outer brackets.
 *
 * Forms: integers bare (int8 quoted on wish), floats bare in Java's form with NaN and infinities as null, times quoted in ISO form,
 * decimals, uuid, text quoted, arrays nested, bytea as []. */
#include <math.h>

#include "base/number.h"
#include "column/array.h"
#include "encode/encode_internal.h"

/* ---- bounded fields: straight into the row's room ---- */

static void put_quoted(RowWriter *w, Type type, const void *value) {
    static const TextStyle STYLE = {.questdb = true};
    *w->at++ = '"';
    w->at += value_format_fixed(w->at, type, value, &STYLE);
    *w->at++ = '"';
}

static void put_time(RowWriter *w, TypeId id, const void *value) {
    int64_t time;
    int digits = id == TYPE_TIMESTAMP_NS ? 9 : id == TYPE_TIMESTAMP_MS || id == TYPE_DATE ? 3 : 6;
    if (id == TYPE_DATE) {
        int32_t days;
        memcpy(&days, value, sizeof days);
        bool infinite = days == INT32_MIN || days == INT32_MAX;
        time = infinite ? INT64_MAX : (int64_t)days * 86400000;
    } else {
        memcpy(&time, value, sizeof time);
    }
    if (time == INT64_MIN || time == INT64_MAX) {
        put_quoted(w, type_of(id), value);
        return;
    }
    *w->at++ = '"';
    w->at += encode__iso_time(&w->dates, w->at, time, digits);
    *w->at++ = '"';
}

static void put_float(RowWriter *w, TypeId id, const void *value) {
    double wide = id == TYPE_FLOAT4 ? (double)*(const float *)value : *(const double *)value;
    if (!isfinite(wide)) {
        encode__put(w, STR("null"));
    } else if (id == TYPE_FLOAT4) {
        w->at += format_float(w->at, *(const float *)value, DOUBLE_JAVA);
    } else {
        w->at += format_double(w->at, wide, DOUBLE_JAVA);
    }
}

static void put_int8(RowWriter *w, int64_t value) {
    bool quote = w->encoder->options.quote_large_numbers;
    if (quote) {
        *w->at++ = '"';
    }
    w->at = encode__int(w->at, value);
    if (quote) {
        *w->at++ = '"';
    }
}

/* Text of at most SHORT_TEXT_MAX bytes: words are copied and tested at once, the first that needs escapes starts the byte loop. */
static void put_short_text(RowWriter *w, Str text) {
    char *p = w->at;
    size_t i = 0;
    *p++ = '"';
    for (; i + 8 <= text.len; i += 8) {
        uint64_t word;
        memcpy(&word, text.data + i, 8);
        if (json__needs_escape(word) != 0) {
            break;
        }
        memcpy(p, &word, 8);
        p += 8;
    }
    for (; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (LIKELY(c >= 0x20 && c != '"' && c != '\\')) {
            *p++ = (char)c;
        } else {
            p = json__escape(p, c);
        }
    }
    *p++ = '"';
    w->at = p;
}

/* ---- fields without a bound ---- */

static void append_array(Buffer *out, Str bytes) {
    ArrayView view;
    if (array_view(bytes, &view, NULL) == ERR_OK) {
        array_format_text(&view, '[', ']', out);
    } else {
        buffer_append_str(out, STR("null"));
    }
}

static bool put_array(RowWriter *w, Str bytes) {
    encode__sync(w);
    w->at = NULL;
    append_array(w->out, bytes);
    return encode__reserve(w);
}

static bool put_text(RowWriter *w, Str text) {
    if (LIKELY(text.len <= SHORT_TEXT_MAX)) {
        put_short_text(w, text);
        return true;
    }
    encode__sync(w);
    w->at = NULL;
    json_append_text(w->out, text);
    return encode__reserve(w);
}

/* Types that only the PostgreSQL door writes. */
static bool is_made_text(TypeId id) {
    switch (id) {
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_CHAR1:
    case TYPE_TID:
    case TYPE_XID8:
    case TYPE_OID:
    case TYPE_REGCLASS:
    case TYPE_REGTYPE:
    case TYPE_REGPROC:
    case TYPE_REGPROCEDURE:
    case TYPE_REGNAMESPACE:
    case TYPE_REGROLE:
    case TYPE_XID:
    case TYPE_CID:
    case TYPE_ARRAY:
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
    case TYPE_RECORD:
    case TYPE_ENUM:
        return true;
    default:
        return false;
    }
}

static void put_char(RowWriter *w, uint32_t code_point) {
    char text[4];
    put_short_text(w, (Str){text, code_point == 0 ? 0 : (size_t)utf8_encode(code_point, text)});
}

/* false: the buffer is full. */
static bool put_field(RowWriter *w, const Cell *cell, size_t row) {
    size_t place = encode__place(cell, row);
    if (encode__is_null(cell, row, place)) {
        encode__put(w, STR("null"));
        return true;
    }
    const uint8_t *value = cell->data + place * cell->width;
    TypeId id = (TypeId)cell->type.id;
    switch (id) {
    case TYPE_BOOL:
        encode__put(w, bit_get((const uint64_t *)(const void *)cell->data, place) ? STR("true") : STR("false"));
        return true;
    case TYPE_BYTE:
    case TYPE_INT2:
    case TYPE_INT4:
        w->at = encode__int(w->at, encode__load_int(id, value));
        return true;
    case TYPE_INT8:
        put_int8(w, encode__load_int(id, value));
        return true;
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
        put_float(w, id, value);
        return true;
    case TYPE_DATE:
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
        put_time(w, id, value);
        return true;
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
    case TYPE_INTERVAL:
    case TYPE_UUID:
        put_quoted(w, cell->type, value);
        return true;
    case TYPE_SYMBOL:
        return encode__put_symbol(w, cell->cache, *(const int32_t *)(const void *)value, json_append_text);
    case TYPE_CHAR:
        put_char(w, *(const uint32_t *)(const void *)value);
        return true;
    case TYPE_BYTEA:
        encode__put(w, STR("[]"));
        return true;
    case TYPE_FLOAT8_ARRAY:
        return put_array(w, strref_str((const StrRef *)(const void *)value));
    default:
        return is_made_text(id) ? encode__made_text(w, json_append_text, cell->type, value) : put_text(w, strref_str((const StrRef *)(const void *)value));
    }
}

static bool put_row(RowWriter *w, const Cell *cells, size_t row) {
    if (!encode__row_room(w)) {
        return false;
    }
    if (w->encoder->row_count > 0) {
        *w->at++ = ',';
    }
    *w->at++ = '[';
    for (size_t c = 0; c < w->encoder->column_count; c++) {
        if (c > 0) {
            *w->at++ = ',';
        }
        if (!put_field(w, &cells[c], row)) {
            return false;
        }
    }
    *w->at++ = ']';
    w->encoder->row_count++;
    return true;
}

ErrorCode json_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err) {
    return encode__rows(encoder, batch, columns, put_row, out, err);
}

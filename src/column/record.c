/* SPDX-License-Identifier: Apache-2.0
 * record.c - see record.h. */
#include "column/record.h"
#include "base/hash.h"
#include "column/value_rules.h"

enum { RECORD_TEXT_BYTES_MAX = 1 << 30 };
#define FIELD_NULL UINT32_MAX

void record_begin(Buffer *out, uint16_t field_count) {
    buffer_put_u16le(out, field_count);
}

void record_add(Buffer *out, Type type, const void *value) {
    uint8_t length[4];
    buffer_append(out, &type, sizeof type);
    size_t at = out->len;
    buffer_put_u32le(out, FIELD_NULL);
    if (value == NULL) {
        return;
    }
    value_bytes_put((TypeId)type.id, value, out);
    if (!out->failed) {
        put_u32le(length, (uint32_t)(out->len - at - 4));
        memcpy(out->data + at, length, sizeof length);
    }
}

bool record_open(Str bytes, RecordReader *reader_out) {
    RecordReader record = {.reader = reader_from(bytes_from(bytes.data, bytes.len))};
    record.left = reader_u16le(&record.reader);
    *reader_out = record;
    return !record.reader.failed;
}

bool record_next(RecordReader *record, Type *type_out, bool *null_out, AnyValue *value_out) {
    if (record->left == 0) {
        return false;
    }
    record->left--;
    Bytes type = reader_bytes(&record->reader, sizeof *type_out);
    uint32_t length = reader_u32le(&record->reader);
    if (record->reader.failed) {
        return false;
    }
    memcpy(type_out, type.data, sizeof *type_out);
    *null_out = length == FIELD_NULL;
    if (*null_out) {
        return true;
    }
    Bytes bytes = reader_bytes(&record->reader, length);
    if (record->reader.failed || type_out->id >= TYPE_COUNT || bytes.len < value_bytes_width((TypeId)type_out->id)) {
        return false;
    }
    value_bytes_get((TypeId)type_out->id, bytes, value_out);
    return true;
}

/* ---- text ---- */

static bool needs_quotes(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '(' || c == ')' || c == ',' || c == '"' || c == '\\' || c == ' ' || (c >= '\t' && c <= '\r')) {
            return true;
        }
    }
    return text.len == 0;
}

static void append_field(Str text, Buffer *out) {
    if (!needs_quotes(text)) {
        buffer_append_str(out, text);
        return;
    }
    buffer_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\') {
            buffer_append_char(out, text.data[i]);
        }
        buffer_append_char(out, text.data[i]);
    }
    buffer_append_char(out, '"');
}

void record_format(Str bytes, const TextStyle *style, Buffer *out) {
    RecordReader reader;
    Type type;
    AnyValue value;
    bool null = false, first = true;
    Buffer text;
    TextStyle plain = *style;
    plain.questdb = false;
    if (!record_open(bytes, &reader)) {
        return;
    }
    buffer_init(&text, RECORD_TEXT_BYTES_MAX);
    buffer_append_char(out, '(');
    while (record_next(&reader, &type, &null, &value)) {
        if (!first) {
            buffer_append_char(out, ',');
        }
        first = false;
        if (!null) {
            buffer_clear(&text);
            value_format(type, value.bytes, &plain, &text);
            append_field(buffer_str(&text), out);
        }
    }
    buffer_append_char(out, ')');
    buffer_deinit(&text);
}

/* ---- order ---- */

int record_compare(Str a, Str b) {
    RecordReader x, y;
    Type x_type, y_type;
    AnyValue x_value, y_value;
    bool x_null = false, y_null = false;
    if (!record_open(a, &x) || !record_open(b, &y)) {
        return str_compare(a, b);
    }
    for (;;) {
        bool more_x = record_next(&x, &x_type, &x_null, &x_value), more_y = record_next(&y, &y_type, &y_null, &y_value);
        if (!more_x || !more_y) {
            return (int)more_x - (int)more_y;
        }
        if (x_null || y_null) {
            if (x_null != y_null) {
                return x_null ? 1 : -1;
            }
            continue;
        }
        int order = x_type.id == y_type.id ? value_rules((TypeId)x_type.id)->compare(x_value.bytes, y_value.bytes) : (int)x_type.id - (int)y_type.id;
        if (order != 0) {
            return order;
        }
    }
}

uint64_t record_hash(Str bytes) {
    RecordReader reader;
    Type type;
    AnyValue value;
    bool null = false;
    uint64_t hash = 7;
    if (!record_open(bytes, &reader)) {
        return hash_bytes(bytes.data, bytes.len, 0);
    }
    while (record_next(&reader, &type, &null, &value)) {
        hash = hash_u64(hash * 31 + (null ? 1 : value_rules((TypeId)type.id)->hash(value.bytes)));
    }
    return hash;
}

/* SPDX-License-Identifier: Apache-2.0
 * ilp_value.c - one field value: text (1.5, 7i, 1000t, t, 0x1fi, 1.5d) and binary (version 2: float64, arrays; 3: decimals).
 *
 * Layout:     binary = '=' | u8 type | value. 16: f64 LE. 14: u8 element type (10 = f64) | u8 dims | dims x u32 LE lengths | f64 LE row-major.
 *             23: u8 scale | u8 len | len bytes, two's complement, big-endian (len 0 = NULL).
 * Why:        an array comes as column/array.h stores it, so its bytes are copied once. */
#include "base/number.h"
#include "column/array.h"
#include "proto/ilp/ilp_internal.h"

enum { BINARY_DOUBLE = 16, BINARY_ARRAY = 14, BINARY_DECIMAL = 23, ELEMENT_DOUBLE = 10, DECIMAL_BYTES_MAX = 16 };

static bool read_boolean(Str text, IlpValue *value) {
    static const struct { Str text; bool value; } WORDS[] = {
        {STR("t"), true},  {STR("T"), true},  {STR("true"), true},   {STR("True"), true},   {STR("TRUE"), true},
        {STR("f"), false}, {STR("F"), false}, {STR("false"), false}, {STR("False"), false}, {STR("FALSE"), false},
    };
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (str_equal(text, WORDS[i].text)) {
            value->as.boolean = WORDS[i].value;
            return true;
        }
    }
    return false;
}

static bool is_hex(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!ilp__is_digit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F')) {
            return false;
        }
    }
    return text.len > 0 && text.len <= 64;
}

static bool read_suffixed(Str text, IlpItem *item, IlpValue *value) {
    Str digits = {text.data, text.len - 1};
    bool overflow = false;
    switch (text.data[text.len - 1]) {
    case 'i':
        item->kind = ILP_INTEGER;
        if (str_starts_with(digits, STR("0x"))) {
            item->kind = ILP_LONG256;
            return is_hex(str_slice(digits, 2, digits.len));
        }
        return parse_int64(digits, &value->as.i64, &overflow);
    case 't': item->kind = ILP_TIMESTAMP; return parse_int64(digits, &value->as.i64, &overflow);
    case 'n': item->kind = ILP_TIMESTAMP_NS; return parse_int64(digits, &value->as.i64, &overflow);
    case 'd': {
        Numeric number;
        item->kind = ILP_DECIMAL;
        value->text = digits;
        return numeric_parse(digits, &number, NULL) == ERR_OK;
    }
    default: return false;
    }
}

bool ilp__value_read(Str text, IlpItem *item, IlpValue *value) {
    if (text.len == 0) {
        return false;
    }
    value->text = text;
    if (text.len > 1 && read_suffixed(text, item, value)) {
        return true;
    }
    value->text = text;
    item->kind = ILP_BOOLEAN;
    if (read_boolean(text, value)) {
        return true;
    }
    item->kind = ILP_FLOAT;
    return parse_double(text, &value->as.f64);
}

static LineResult binary_fail(const IlpItem *item, const char *what, Error *err) {
    (void)error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "Could not parse entire line, field value is invalid. Field: %.*s; %s",
                    STR_ARG(item->name), what);
    return LINE_ERROR;
}

static LineResult read_array(IlpParser *parser, const uint8_t *at, size_t room, IlpItem *item, IlpValue *value, size_t *used_out, Error *err) {
    if (room < 2) {
        return LINE_INCOMPLETE;
    }
    if (at[0] != ELEMENT_DOUBLE) {
        return binary_fail(item, "unsupported array element type", err);
    }
    uint8_t dims = at[1];
    if (dims == 0 || dims > ARRAY_DIMS_MAX) {
        return binary_fail(item, "array dimensions out of range", err);
    }
    size_t head = 2 + 4 * (size_t)dims;
    if (room < head) {
        return LINE_INCOMPLETE;
    }
    uint64_t count = 1;
    for (uint8_t i = 0; i < dims; i++) {
        count *= get_u32le(at + 2 + 4 * i);
        if (count > ARRAY_VALUES_MAX) {
            return binary_fail(item, "array is too large", err);
        }
    }
    size_t bytes = 8 * (size_t)count;
    if (room - head < bytes) {
        return LINE_INCOMPLETE;
    }
    item->kind = ILP_ARRAY;
    item->dims = dims;
    char *copy = arena_alloc_aligned(&parser->scratch, 1 + 4 * (size_t)dims + bytes, 8);
    copy[0] = (char)dims;
    memcpy(copy + 1, at + 2, 4 * (size_t)dims + bytes);
    value->text = (Str){copy, 1 + 4 * (size_t)dims + bytes};
    *used_out = head + bytes;
    return LINE_DONE;
}

static LineResult read_decimal(IlpParser *parser, const uint8_t *at, size_t room, IlpItem *item, IlpValue *value, size_t *used_out, Error *err) {
    if (room < 2 || room < 2 + (size_t)at[1]) {
        return LINE_INCOMPLETE;
    }
    uint8_t scale = at[0], len = at[1];
    if (scale > NUMERIC_SCALE_MAX || len > DECIMAL_BYTES_MAX) {
        return binary_fail(item, "decimal out of range", err);
    }
    Uint128 bits = len > 0 && at[2] >= 0x80 ? ~(Uint128)0 : 0;
    for (uint8_t i = 0; i < len; i++) {
        bits = bits << 8 | at[2 + i];
    }
    char *text = arena_alloc_aligned(&parser->scratch, NUMERIC_TEXT_MAX, 8);
    Numeric number = {.coefficient = (Int128)bits, .scale = scale};
    value->text = (Str){text, numeric_format(text, number)};
    item->kind = ILP_DECIMAL;
    item->is_null = len == 0;
    *used_out = 2 + (size_t)len;
    return LINE_DONE;
}

LineResult ilp__binary_read(IlpParser *parser, const char *at, const char *end, IlpItem *item, IlpValue *value, const char **next_out, Error *err) {
    size_t room = (size_t)(end - at), used = 0;
    if (room < 1) {
        return LINE_INCOMPLETE;
    }
    const uint8_t *body = (const uint8_t *)at + 1;
    LineResult result = LINE_DONE;
    switch ((uint8_t)*at) {
    case BINARY_DOUBLE:
        used = sizeof(double);
        item->kind = ILP_FLOAT;
        if (room - 1 < used) {
            return LINE_INCOMPLETE;
        }
        memcpy(&value->as.f64, body, sizeof(double));
        break;
    case BINARY_ARRAY: result = read_array(parser, body, room - 1, item, value, &used, err); break;
    case BINARY_DECIMAL: result = read_decimal(parser, body, room - 1, item, value, &used, err); break;
    default: return binary_fail(item, "unknown binary type", err);
    }
    *next_out = at + 1 + used;
    return result;
}

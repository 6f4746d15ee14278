/* SPDX-License-Identifier: Apache-2.0
 * call_shape.c - what a type and its modifier say of lengths and precisions: information_schema's own functions, which clients call too. */
#include "sql/system/ask.h"

enum { OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_TEXT = 25, OID_FLOAT4 = 700, OID_FLOAT8 = 701, OID_BPCHAR = 1042, OID_VARCHAR = 1043, OID_DATE = 1082, OID_TIME = 1083,
       OID_TIMESTAMP = 1114, OID_TIMESTAMPTZ = 1184, OID_INTERVAL = 1186, OID_TIMETZ = 1266, OID_NUMERIC = 1700,
       MODIFIER_HEADER = 4, UTF8_BYTES_MAX = 4, TEXT_OCTETS_MAX = 1 << 30, TIME_DIGITS = 6, LOW_HALF = 0xffff };

static bool length_of(const Ask *ask, int32_t *length_out) {
    uint32_t type = ask_oid(ask, 0);
    int32_t modifier = (int32_t)ask_int(ask, 1);
    *length_out = modifier - MODIFIER_HEADER;
    return (type == OID_BPCHAR || type == OID_VARCHAR) && modifier != -1;
}

ErrorCode system_answer_char_max_length(Ask *ask, Error *err) {
    int32_t length = 0;
    (void)err;
    if (length_of(ask, &length)) {
        answer_int4(ask, length);
    }
    return ERR_OK;
}

ErrorCode system_answer_char_octet_length(Ask *ask, Error *err) {
    uint32_t type = ask_oid(ask, 0);
    int32_t length = 0;
    (void)err;
    if (length_of(ask, &length)) {
        answer_int4(ask, length * UTF8_BYTES_MAX);
    } else if (type == OID_TEXT || type == OID_BPCHAR || type == OID_VARCHAR) {
        answer_int4(ask, TEXT_OCTETS_MAX);
    }
    return ERR_OK;
}

/* Digits or bits before and behind the point, and their base; base 0: not a number. */
static int32_t number_shape(const Ask *ask, int32_t *precision_out, int32_t *scale_out) {
    static const struct { uint32_t oid; int32_t bits; bool whole; } BINARY[] = {
        {OID_INT2, 16, true}, {OID_INT4, 32, true}, {OID_INT8, 64, true}, {OID_FLOAT4, 24, false}, {OID_FLOAT8, 53, false}};
    uint32_t type = ask_oid(ask, 0);
    int32_t modifier = (int32_t)ask_int(ask, 1);
    *precision_out = *scale_out = -1;
    for (size_t i = 0; i < COUNT_OF(BINARY); i++) {
        if (BINARY[i].oid == type) {
            *precision_out = BINARY[i].bits;
            *scale_out = BINARY[i].whole ? 0 : -1;
            return 2;
        }
    }
    if (type == OID_NUMERIC && modifier != -1) {
        *precision_out = (modifier - MODIFIER_HEADER) >> 16 & LOW_HALF;
        *scale_out = (modifier - MODIFIER_HEADER) & LOW_HALF;
    }
    return type == OID_NUMERIC ? 10 : 0;
}

ErrorCode system_answer_numeric_precision(Ask *ask, Error *err) {
    int32_t precision, scale;
    (void)err;
    if (number_shape(ask, &precision, &scale) != 0 && precision >= 0) {
        answer_int4(ask, precision);
    }
    return ERR_OK;
}

ErrorCode system_answer_numeric_precision_radix(Ask *ask, Error *err) {
    int32_t precision, scale, base = number_shape(ask, &precision, &scale);
    (void)err;
    if (base != 0) {
        answer_int4(ask, base);
    }
    return ERR_OK;
}

ErrorCode system_answer_numeric_scale(Ask *ask, Error *err) {
    int32_t precision, scale;
    (void)err;
    if (number_shape(ask, &precision, &scale) != 0 && scale >= 0) {
        answer_int4(ask, scale);
    }
    return ERR_OK;
}

ErrorCode system_answer_datetime_precision(Ask *ask, Error *err) {
    uint32_t type = ask_oid(ask, 0);
    int32_t modifier = (int32_t)ask_int(ask, 1);
    (void)err;
    if (type == OID_DATE) {
        answer_int4(ask, 0);
    } else if (type == OID_TIME || type == OID_TIMETZ || type == OID_TIMESTAMP || type == OID_TIMESTAMPTZ) {
        answer_int4(ask, modifier < 0 ? TIME_DIGITS : modifier);
    } else if (type == OID_INTERVAL) {
        answer_int4(ask, modifier < 0 || (modifier & LOW_HALF) == LOW_HALF ? TIME_DIGITS : modifier & LOW_HALF);
    }
    return ERR_OK;
}

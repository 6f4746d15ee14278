/* SPDX-License-Identifier: Apache-2.0
 * test_pg_binary.c - PostgreSQL's binary forms of every type, both ways, and what is refused. The bytes are PostgreSQL's own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "column/array.h"
#include "encode/pg_row.h"

/* type, text of the value (as PostgreSQL prints it), hex of the binary form */
typedef struct FormRow {
    Type type;
    const char *text, *hex;
} FormRow;

static const FormRow FORMS[] = {
    {{.id = TYPE_BOOL}, "t", "01"},
    {{.id = TYPE_BOOL}, "f", "00"},
    {{.id = TYPE_BYTE}, "-2", "fffe"},
    {{.id = TYPE_INT2}, "-2", "fffe"},
    {{.id = TYPE_INT4}, "1234", "000004d2"},
    {{.id = TYPE_INT8}, "-1234567890123", "fffffee08e04fb35"},
    {{.id = TYPE_FLOAT4}, "1.5", "3fc00000"},
    {{.id = TYPE_FLOAT8}, "1.1", "3ff199999999999a"},
    {{.id = TYPE_FLOAT8}, "NaN", "7ff8000000000000"},
    {{.id = TYPE_NUMERIC}, "0", "0000000000000000"},
    {{.id = TYPE_NUMERIC}, "0.00", "0000000000000002"},
    {{.id = TYPE_NUMERIC}, "1.50", "00020000000000020001 1388"},
    {{.id = TYPE_NUMERIC}, "-12345.678", "0003000140000003000109291a7c"},
    {{.id = TYPE_NUMERIC}, "10000", "00010001000000000001"},
    {{.id = TYPE_NUMERIC}, "0.0001", "0001ffff000000040001"},
    {{.id = TYPE_NUMERIC}, "0.00001", "0001fffe0000000503e8"},
    {{.id = TYPE_NUMERIC}, "NaN", "00000000c0000000"},
    {{.id = TYPE_NUMERIC}, "Infinity", "00000000d0000000"},
    {{.id = TYPE_NUMERIC}, "-Infinity", "00000000f0000000"},
    {{.id = TYPE_NUMERIC}, "12345678901234567890123456789012345678",
     "000a000900000000000c0d801ed204d2162e23340d801ed204d2162e"},
    {{.id = TYPE_DECIMAL8, .precision = 12, .scale = 2}, "1.50", "000200000000000200011388"},
    {{.id = TYPE_DECIMAL16, .precision = 30, .scale = 3}, "-12345.678", "0003000140000003000109291a7c"},
    {{.id = TYPE_TEXT}, "", ""},
    {{.id = TYPE_TEXT}, "Z\xc3\xbcrich and more text", "5ac3bc7269636820616e64206d6f72652074657874"},
    {{.id = TYPE_VARCHAR}, "abc", "616263"},
    {{.id = TYPE_BPCHAR}, "a  ", "612020"},
    {{.id = TYPE_CHAR}, "x", "78"},
    {{.id = TYPE_BYTEA}, "\\x61ff00", "61ff00"},
    {{.id = TYPE_DATE}, "2000-01-02", "00000001"},
    {{.id = TYPE_DATE}, "1970-01-01", "ffffd533"},
    {{.id = TYPE_DATE}, "infinity", "7fffffff"},
    {{.id = TYPE_TIMESTAMP}, "2000-01-01 00:00:01.5", "000000000016e360"},
    {{.id = TYPE_TIMESTAMP}, "1999-12-31 23:59:59", "fffffffffff0bdc0"},
    {{.id = TYPE_TIMESTAMP}, "-infinity", "8000000000000000"},
    {{.id = TYPE_TIMESTAMPTZ}, "2026-11-30 09:28:25.697875+00", "00030479ccebe653"},
    {{.id = TYPE_TIMESTAMP_MS}, "2000-01-01 00:00:01.5", "000000000016e360"},
    {{.id = TYPE_TIMESTAMP_NS}, "2000-01-01 00:00:01.5", "000000000016e360"},
    {{.id = TYPE_INTERVAL}, "1 mon 2 days 03:04:05", "00000002925553400000000200000001"},
    {{.id = TYPE_UUID}, "00010203-0405-0607-0809-0a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f"},
    {{.id = TYPE_FLOAT8_ARRAY}, "{1.5,NaN}", "0000000100000000000002bd0000000200000001000000083ff8000000000000000000087ff8000000000000"},
    {{.id = TYPE_FLOAT8_ARRAY}, "{}", "0000000000000000000002bd"},
    {{.id = TYPE_TIME}, "04:05:06.5", "000000036c9361a0"},
    {{.id = TYPE_TIMETZ}, "04:05:06-08", "000000036c8bc08000007080"},
    {{.id = TYPE_JSON}, "{\"a\": 1}", "7b2261223a20317d"},
    {{.id = TYPE_JSONB}, "{\"a\": 1}", "017b2261223a20317d"},
    {{.id = TYPE_OID}, "4294967295", "ffffffff"},
    {{.id = TYPE_REGTYPE}, "integer", "00000017"},
    {{.id = TYPE_NAME}, "pg_class", "70675f636c617373"},
    {{.id = TYPE_CHAR1}, "r", "72"},
    {{.id = TYPE_TID}, "(1,2)", "000000010002"},
    {{.id = TYPE_XID8}, "18446744073709551615", "ffffffffffffffff"},
    {{.id = TYPE_INT2VECTOR}, "1 2", "0000000100000000000000150000000200000000000000020001000000020002"},
    {{.id = TYPE_ARRAY, .precision = TYPE_INT4}, "{1,NULL}", "000000010000000100000017000000020000000100000004" "00000001ffffffff"},
    {{.id = TYPE_ARRAY, .precision = TYPE_TEXT}, "{{a,\"b c\"}}", "00000002000000000000001900000001000000010000000200000001000000016100000003622063"},
    {{.id = TYPE_ARRAY, .precision = TYPE_NUMERIC}, "{1.50}", "0000000100000000000006a400000001000000010000000c000200000000000200011388"},
    {{.id = TYPE_ARRAY, .precision = TYPE_INT8}, "{}", "000000000000000000000014"},
    {{.id = TYPE_ARRAY, .precision = TYPE_BOOL}, "[0:1]={t,f}", "0000000100000000000000100000000200000000000000010100000001" "00"},
};

static size_t from_hex(const char *hex, uint8_t *out) {
    size_t len = 0;
    for (; *hex != '\0'; hex += *hex == ' ' ? 1 : 2) {
        unsigned byte;
        if (*hex != ' ') {
            assert_int_equal(sscanf(hex, "%2x", &byte), 1);
            out[len++] = (uint8_t)byte;
        }
    }
    return len;
}

static void text_of(Type type, const void *value, Buffer *out) {
    TextStyle style = {0};
    buffer_clear(out);
    value_format(type, value, &style, out);
    buffer_append_char(out, '\0');
}

static void every_type_both_ways(void **state) {
    (void)state;
    Arena arena;
    Buffer text, bytes;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&text, 1 << 16);
    buffer_init(&bytes, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        uint8_t form[256], value[16] = {0};
        size_t len = from_hex(FORMS[i].hex, form);
        Error err = {0};
        if (pg_binary_read(FORMS[i].type, bytes_from(form, len), NULL, &arena, value, &err) != ERR_OK) {
            fail_msg("row %zu (%s): %s", i, FORMS[i].text, err.message);
        }
        text_of(FORMS[i].type, value, &text);
        if (strcmp((const char *)text.data, FORMS[i].text) != 0) {
            fail_msg("row %zu: read \"%s\", want \"%s\"", i, (const char *)text.data, FORMS[i].text);
        }
        buffer_clear(&bytes);
        assert_int_equal(pg_binary_put(FORMS[i].type, value, NULL, &bytes, &err), ERR_OK);
        if (bytes.len != len || memcmp(bytes.data, form, len) != 0) {
            fail_msg("row %zu (%s): other bytes come back", i, FORMS[i].text);
        }
    }
    arena_deinit(&arena);
    buffer_deinit(&text);
    buffer_deinit(&bytes);
}

/* type, hex, error */
static const struct { TypeId id; const char *hex; ErrorCode want; } REFUSED[] = {
    {TYPE_BOOL, "", ERR_PROTOCOL},
    {TYPE_BOOL, "0101", ERR_INVALID_BINARY},
    {TYPE_INT4, "0001", ERR_PROTOCOL},
    {TYPE_INT4, "0000000001", ERR_INVALID_BINARY},
    {TYPE_INT8, "00000001", ERR_PROTOCOL},
    {TYPE_BYTE, "0080", ERR_OUT_OF_RANGE},
    {TYPE_TEXT, "6100", ERR_INVALID_ENCODING},
    {TYPE_TEXT, "c328", ERR_INVALID_ENCODING},
    {TYPE_SYMBOL, "ff", ERR_INVALID_ENCODING},
    {TYPE_CHAR, "6161", ERR_INVALID_BINARY},
    {TYPE_DATE, "7ffffffe", ERR_DATETIME_OVERFLOW},
    {TYPE_TIMESTAMP, "7ffffffffffffffe", ERR_DATETIME_OVERFLOW},
    {TYPE_TIMESTAMP_NS, "7000000000000000", ERR_DATETIME_OVERFLOW},
    {TYPE_UUID, "00", ERR_PROTOCOL},
    {TYPE_INTERVAL, "00", ERR_PROTOCOL},
    {TYPE_NUMERIC, "0001", ERR_PROTOCOL},
    {TYPE_NUMERIC, "ffff000000000000", ERR_PROTOCOL},          /* digits that are not there */
    {TYPE_NUMERIC, "00010000000000002710", ERR_INVALID_BINARY}, /* a digit of 10,000 */
    {TYPE_NUMERIC, "0000000012340000", ERR_INVALID_BINARY},    /* sign */
    {TYPE_NUMERIC, "000000000000ffff", ERR_INVALID_BINARY},    /* scale */
    {TYPE_NUMERIC, "00017fff000000000001", ERR_OUT_OF_RANGE},  /* 10^131068 */
    {TYPE_TIME, "7fffffffffffffff", ERR_DATETIME_OVERFLOW},
    {TYPE_TIMETZ, "000000036c8bc08000017080", ERR_DATETIME_OVERFLOW},
    {TYPE_JSON, "7b", ERR_INVALID_TEXT},
    {TYPE_JSON, "225c7530303030", ERR_INVALID_TEXT},           /* no end */
    {TYPE_JSONB, "027b7d", ERR_INVALID_BINARY},
    {TYPE_JSONB, "", ERR_PROTOCOL},
    {TYPE_CHAR1, "", ERR_PROTOCOL},
    {TYPE_RECORD, "00000000", ERR_NOT_SUPPORTED},
    {TYPE_INT2VECTOR, "00000001", ERR_PROTOCOL},
    {TYPE_INT2VECTOR, "000000070000000000000015", ERR_PROGRAM_LIMIT},
    {TYPE_INT2VECTOR, "00000001000000000000001500ffffff00000000", ERR_PROTOCOL},
    {TYPE_INT2VECTOR, "000000010000000000000015000000017fffffff0000000200010000", ERR_PROGRAM_LIMIT},
    {TYPE_INT2VECTOR, "000000010000000000000017000000010000000000000002000100000000", ERR_DATATYPE_MISMATCH},
    {TYPE_FLOAT8_ARRAY, "00000001", ERR_PROTOCOL},
    {TYPE_FLOAT8_ARRAY, "7fffffff00000000000002bd", ERR_INVALID_BINARY},
    {TYPE_FLOAT8_ARRAY, "0000000100000000000002bd7fffffff00000001", ERR_PROGRAM_LIMIT},
    {TYPE_FLOAT8_ARRAY, "0000000100000000000002bd000000ff00000001", ERR_PROTOCOL},
    {TYPE_FLOAT8_ARRAY, "00000001000000000000001700000001000000010000000400000001", ERR_DATATYPE_MISMATCH},
};

static void damaged_forms_are_refused(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(REFUSED); i++) {
        uint8_t form[256], value[16];
        size_t len = from_hex(REFUSED[i].hex, form);
        ErrorCode code = pg_binary_read(type_of(REFUSED[i].id), bytes_from(form, len), NULL, &arena, value, NULL);
        if (code != REFUSED[i].want) {
            fail_msg("row %zu: %s, want %s", i, error_name(code), error_name(REFUSED[i].want));
        }
    }
    arena_deinit(&arena);
}

/* Any coefficient and scale comes back, at the edges too. */
static void numerics_come_back(void **state) {
    (void)state;
    Arena arena;
    Buffer bytes;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&bytes, 1 << 16);
    for (int digits = 1; digits <= NUMERIC_DIGITS_MAX; digits++) {
        for (int16_t scale = 0; scale <= NUMERIC_SCALE_MAX; scale++) {
            for (int kind = 0; kind < 4; kind++) {
                Int128 coefficient = kind < 2 ? pow10_int128(digits) - 1 : pow10_int128(digits - 1);
                Numeric value = {.coefficient = kind % 2 == 0 ? coefficient : -coefficient, .scale = scale};
                NumericSlot slot = numeric_to_slot(value, &arena), back;
                buffer_clear(&bytes);
                assert_int_equal(pg_binary_put(type_of(TYPE_NUMERIC), &slot, NULL, &bytes, NULL), ERR_OK);
                assert_int_equal(pg_binary_read(type_of(TYPE_NUMERIC), buffer_bytes(&bytes), NULL, &arena, &back, NULL), ERR_OK);
                Numeric again = numeric_from_slot(&back);
                assert_true(again.coefficient == value.coefficient && again.scale == value.scale);
            }
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    buffer_deinit(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_both_ways),
        cmocka_unit_test(damaged_forms_are_refused),
        cmocka_unit_test(numerics_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

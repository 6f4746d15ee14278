/* SPDX-License-Identifier: Apache-2.0
 * test_encode.c - the exact bytes of every type in JSON, CSV and PostgreSQL's text form, in every vector form. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "column/array.h"
#include "encode/encode.h"

/* ---- one table: type, value, its three texts ---- */

typedef struct ValueRow {
    Type type;
    union { int64_t i; double d; const char *s; Interval interval; } value;
    const char *json, *csv, *pg;
} ValueRow;

static const ValueRow ROWS[] = {
    {{.id = TYPE_BOOL}, {.i = 1}, "true", "true", "t"},
    {{.id = TYPE_BOOL}, {.i = 0}, "false", "false", "f"},
    {{.id = TYPE_BYTE}, {.i = -128}, "-128", "-128", "-128"},
    {{.id = TYPE_INT2}, {.i = -32768}, "-32768", "-32768", "-32768"},
    {{.id = TYPE_INT4}, {.i = INT32_MIN}, "-2147483648", "-2147483648", "-2147483648"},
    {{.id = TYPE_INT8}, {.i = INT64_MIN}, "-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
    {{.id = TYPE_FLOAT4}, {.d = 0.1}, "0.1", "0.1", "0.1"},
    {{.id = TYPE_FLOAT8}, {.d = 1}, "1.0", "1.0", "1"},
    {{.id = TYPE_FLOAT8}, {.d = 123456789.123}, "1.23456789123E8", "1.23456789123E8", "123456789.123"},
    {{.id = TYPE_FLOAT8}, {.d = NAN}, "null", "", "NaN"},
    {{.id = TYPE_FLOAT8}, {.d = -INFINITY}, "null", "", "-Infinity"},
    {{.id = TYPE_FLOAT4}, {.d = INFINITY}, "null", "", "Infinity"},
    {{.id = TYPE_DECIMAL8, .precision = 18, .scale = 3}, {.i = 12990}, "\"12.990\"", "\"12.990\"", "12.990"},
    {{.id = TYPE_DECIMAL16, .precision = 38, .scale = 2}, {.i = -5}, "\"-0.05\"", "\"-0.05\"", "-0.05"},
    {{.id = TYPE_NUMERIC}, {.i = 1250}, "\"12.50\"", "\"12.50\"", "12.50"},
    {{.id = TYPE_TEXT}, {.s = "plain"}, "\"plain\"", "\"plain\"", "plain"},
    {{.id = TYPE_TEXT}, {.s = ""}, "\"\"", "\"\"", ""},
    {{.id = TYPE_VARCHAR}, {.s = "say \"hi\", ok"}, "\"say \\\"hi\\\", ok\"", "\"say \"\"hi\"\", ok\"", "say \"hi\", ok"},
    {{.id = TYPE_TEXT}, {.s = "line\nbreak\\ \x01\ttab"}, "\"line\\nbreak\\\\ \\u0001\\ttab\"", "\"line\nbreak\\ \x01\ttab\"",
     "line\nbreak\\ \x01\ttab"},
    {{.id = TYPE_TEXT}, {.s = "Z\xc3\xbcrich \xe2\x98\x83 \xf0\x9f\x9a\x80 and much more text"},
     "\"Z\xc3\xbcrich \xe2\x98\x83 \xf0\x9f\x9a\x80 and much more text\"",
     "\"Z\xc3\xbcrich \xe2\x98\x83 \xf0\x9f\x9a\x80 and much more text\"",
     "Z\xc3\xbcrich \xe2\x98\x83 \xf0\x9f\x9a\x80 and much more text"},
    {{.id = TYPE_CHAR}, {.i = 'x'}, "\"x\"", "\"x\"", "x"},
    {{.id = TYPE_CHAR}, {.i = '"'}, "\"\\\"\"", "\"\"\"\"", "\""},
    {{.id = TYPE_CHAR}, {.i = 0}, "\"\"", "\"\"", ""},
    {{.id = TYPE_BYTEA}, {.s = "a\xff"}, "[]", "\"\\x61ff\"", "\\x61ff"},
    {{.id = TYPE_DATE}, {.i = 19723}, "\"2024-01-01T00:00:00.000Z\"", "\"2024-01-01T00:00:00.000Z\"", "2024-01-01"},
    {{.id = TYPE_TIMESTAMP_MS}, {.i = 1704067200500}, "\"2024-01-01T00:00:00.500Z\"", "\"2024-01-01T00:00:00.500Z\"",
     "2024-01-01 00:00:00.5"},
    {{.id = TYPE_TIMESTAMP}, {.i = 1704067200000000}, "\"2024-01-01T00:00:00.000000Z\"", "\"2024-01-01T00:00:00.000000Z\"",
     "2024-01-01 00:00:00"},
    {{.id = TYPE_TIMESTAMP}, {.i = -1}, "\"1969-12-31T23:59:59.999999Z\"", "\"1969-12-31T23:59:59.999999Z\"",
     "1969-12-31 23:59:59.999999"},
    {{.id = TYPE_TIMESTAMP_NS}, {.i = 1704067200000000123}, "\"2024-01-01T00:00:00.000000123Z\"",
     "\"2024-01-01T00:00:00.000000123Z\"", "2024-01-01 00:00:00"},
    {{.id = TYPE_TIMESTAMPTZ}, {.i = 1704099600000000}, "\"2024-01-01T09:00:00.000000Z\"", "\"2024-01-01T09:00:00.000000Z\"",
     "2024-01-01 09:00:00+00"},
    {{.id = TYPE_INTERVAL}, {.interval = {14, 3, 1000000}}, "\"1 year 2 mons 3 days 00:00:01\"",
     "\"1 year 2 mons 3 days 00:00:01\"", "1 year 2 mons 3 days 00:00:01"},
    {{.id = TYPE_UUID}, {.s = "11111111-1111-1111-1111-111111111111"}, "\"11111111-1111-1111-1111-111111111111\"",
     "11111111-1111-1111-1111-111111111111", "11111111-1111-1111-1111-111111111111"},
    {{.id = TYPE_FLOAT8_ARRAY, .dims = 2}, {.s = "{{1,2},{3,NaN}}"}, "[[1.0,2.0],[3.0,null]]", "\"[[1.0,2.0],[3.0,null]]\"",
     "{{1,2},{3,NaN}}"},
};

static void *store_text(Vector *v, Str text) {
    StrRef ref = strref_make(text.data, text.len);
    memcpy(vector_data(v), &ref, sizeof ref);
    return NULL;
}

static Vector make_value(Arena *arena, const ValueRow *row) {
    Vector v = vector_new(arena, row->type);
    v.row_count = 1;
    void *to = vector_data(&v);
    switch ((TypeId)row->type.id) {
    case TYPE_BOOL:
        *(uint64_t *)to = (uint64_t)row->value.i;
        break;
    case TYPE_FLOAT4:
        *(float *)to = (float)row->value.d;
        break;
    case TYPE_FLOAT8:
        *(double *)to = row->value.d;
        break;
    case TYPE_DECIMAL16:
        *(Int128 *)to = row->value.i;
        break;
    case TYPE_NUMERIC:
        *(NumericSlot *)to = numeric_to_slot((Numeric){.coefficient = row->value.i, .scale = 2}, arena);
        break;
    case TYPE_INTERVAL:
        *(Interval *)to = row->value.interval;
        break;
    case TYPE_UUID:
        assert_true(uuid_parse(str_from_c(row->value.s), to));
        break;
    case TYPE_FLOAT8_ARRAY: {
        Buffer bytes;
        buffer_init(&bytes, 1 << 16);
        assert_int_equal(array_parse_text(str_from_c(row->value.s), &bytes, NULL), ERR_OK);
        store_text(&v, arena_str(arena, buffer_str(&bytes)));
        buffer_deinit(&bytes);
        break;
    }
    default:
        if (type_physical((TypeId)row->type.id) == PHYS_STR) {
            store_text(&v, str_from_c(row->value.s));
        } else {
            memcpy(to, &row->value.i, physical_bytes(type_physical((TypeId)row->type.id)));
        }
    }
    return v;
}

static void assert_text(Buffer *got, const char *want) {
    buffer_append_char(got, '\0');
    assert_string_equal((const char *)got->data, want);
    buffer_clear(got);
}

static void check_row(Arena *arena, const ValueRow *row, Buffer *out) {
    Vector base = make_value(arena, row);
    Vector constant = base;
    constant.form = VECTOR_CONSTANT;
    static const uint16_t INDEX[64] = {0};
    Vector indexed = {.type = base.type, .form = VECTOR_INDEXED, .row_count = 1, .base_count = 1, .index = INDEX, .base = &base};
    Vector forms[3] = {base, constant, indexed};
    for (size_t f = 0; f < 3; f++) {
        Batch batch = {.row_count = 1, .live_count = 1, .column_count = 1, .columns = &forms[f]};
        Encoder e;
        char want[200];
        encoder_init(&e, 1, NULL);
        assert_int_equal(json_encode_rows(&e, &batch, NULL, out, NULL), ERR_OK);
        snprintf(want, sizeof want, "[%s]", row->json);
        assert_text(out, want);
        assert_int_equal(csv_encode_rows(&e, &batch, NULL, out, NULL), ERR_OK);
        snprintf(want, sizeof want, "%s\r\n", row->csv);
        assert_text(out, want);
        assert_true(pg_text_value(&forms[f], 0, &(TextStyle){0}, out));
        assert_text(out, row->pg);
        encoder_deinit(&e);
    }
}

static void every_type(void **state) {
    (void)state;
    Arena arena;
    Buffer out;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&out, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        check_row(&arena, &ROWS[i], &out);
    }
    buffer_deinit(&out);
    arena_deinit(&arena);
}

/* ---- rows and batches ---- */

static Str symbol_text(const SymbolTable *table, int32_t code) {
    (void)table;
    return code == 0 ? STR("a\"b") : code == 70000 ? STR("far") : STR("x");
}
static const SymbolTable SYMBOLS = {.text = symbol_text};

static void rows_nulls_symbols_and_live_masks(void **state) {
    (void)state;
    Arena arena;
    Buffer out;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&out, 1 << 20);
    Vector columns[4];
    columns[0] = vector_new(&arena, type_of(TYPE_INT8));
    columns[1] = vector_new(&arena, type_of(TYPE_SYMBOL));
    columns[1].symbols = &SYMBOLS;
    columns[2] = vector_null(type_of(TYPE_SYMBOL), 5);
    columns[3] = vector_null(type_decimal(10, 2), 5);
    static const int32_t CODES[5] = {0, 1, 70000, 0, 1};
    for (int i = 0; i < 5; i++) {
        ((int64_t *)vector_data(&columns[0]))[i] = i;
        ((int32_t *)vector_data(&columns[1]))[i] = CODES[i];
    }
    vector_set_null(&columns[1], &arena, 4);
    columns[0].row_count = columns[1].row_count = 5;
    uint64_t live[BATCH_WORDS] = {0x1d};
    Encoder e;
    encoder_init(&e, 4, &(EncoderOptions){.quote_large_numbers = true});
    for (int round = 0; round < 2; round++) {
        Batch batch = {.row_count = 5, .live_count = 4, .column_count = 4, .columns = columns, .live = live};
        assert_int_equal(json_encode_rows(&e, &batch, NULL, &out, NULL), ERR_OK);
        assert_text(&out, round == 0
            ? "[\"0\",\"a\\\"b\",null,null],[\"2\",\"far\",null,null],[\"3\",\"a\\\"b\",null,null],[\"4\",null,null,null]"
            : ",[\"0\",\"a\\\"b\",null,null],[\"2\",\"far\",null,null],[\"3\",\"a\\\"b\",null,null],[\"4\",null,null,null]");
    }
    assert_int_equal(e.row_count, 8);
    encoder_deinit(&e);
    static const uint16_t PICK[3] = {1, 0, 3};
    encoder_init(&e, 3, NULL);
    Batch batch = {.row_count = 5, .live_count = 4, .column_count = 4, .columns = columns, .live = live};
    batch_limit(&batch, 1, 2, &arena);
    assert_int_equal(csv_encode_rows(&e, &batch, PICK, &out, NULL), ERR_OK);
    assert_text(&out, "\"far\",2,null\r\n\"a\"\"b\",3,null\r\n");
    assert_int_equal(copy_encode_rows(&e, &batch, PICK, &out, NULL), ERR_OK);
    assert_text(&out, "far\t2\t\\N\na\"b\t3\t\\N\n");
    encoder_deinit(&e);
    buffer_deinit(&out);
    arena_deinit(&arena);
}

static void copy_escapes(void **state) {
    (void)state;
    Arena arena;
    Buffer out;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&out, 1 << 20);
    Vector v = vector_new(&arena, type_of(TYPE_TEXT));
    v.row_count = 1;
    store_text(&v, STR("a\tb\\c\nd\re and more"));
    Batch batch = {.row_count = 1, .live_count = 1, .column_count = 1, .columns = &v};
    Encoder e;
    encoder_init(&e, 1, NULL);
    assert_int_equal(copy_encode_rows(&e, &batch, NULL, &out, NULL), ERR_OK);
    assert_text(&out, "a\\tb\\\\c\\nd\\re and more\n");
    encoder_deinit(&e);
    buffer_deinit(&out);
    arena_deinit(&arena);
}

static void json_escapes_at_every_offset(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, 1 << 20);
    for (int c = 1; c < 128; c++) {
        for (size_t at = 0; at < 40; at++) {
            char text[40], want[120];
            memset(text, 'z', sizeof text);
            text[at] = (char)c;
            const char *escape = "";
            char unicode[8];
            snprintf(unicode, sizeof unicode, "\\u%04x", c);
            escape = c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t"
                   : c == '\b' ? "\\b" : c == '\f' ? "\\f" : c < 0x20 ? unicode : (char[2]){(char)c, 0};
            snprintf(want, sizeof want, "\"%.*s%s%.*s\"", (int)at, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", escape,
                     (int)(39 - at), "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
            json_append_text(&out, (Str){text, sizeof text});
            assert_text(&out, want);
        }
    }
    buffer_deinit(&out);
}

static void headers(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, 1 << 20);
    const EncodedColumn COLUMNS[] = {
        {STR("a\"b"), type_of(TYPE_INT8)}, {STR("d"), type_decimal(18, 3)}, {STR("x"), {.id = TYPE_FLOAT8_ARRAY, .dims = 2}}};
    json_encode_columns(COLUMNS, 3, &out);
    assert_text(&out, "[{\"name\":\"a\\\"b\",\"type\":\"LONG\"},{\"name\":\"d\",\"type\":\"DECIMAL(18,3)\"},"
                      "{\"name\":\"x\",\"type\":\"ARRAY\",\"dim\":2,\"elemType\":\"DOUBLE\"}]");
    csv_encode_header(COLUMNS, 3, &out);
    assert_text(&out, "\"a\"\"b\",\"d\",\"x\"\r\n");
    buffer_deinit(&out);
}

static void a_full_buffer_is_an_error(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    Vector v = vector_new(&arena, type_of(TYPE_INT8));
    v.row_count = 1000;
    memset(vector_data(&v), 1, BATCH_ROWS * 8);
    Batch batch = {.row_count = 1000, .live_count = 1000, .column_count = 1, .columns = &v};
    Buffer out;
    buffer_init(&out, 4096);
    Encoder e;
    encoder_init(&e, 1, NULL);
    assert_int_equal(json_encode_rows(&e, &batch, NULL, &out, NULL), ERR_TOO_LARGE);
    encoder_deinit(&e);
    buffer_deinit(&out);
    arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(rows_nulls_symbols_and_live_masks),
        cmocka_unit_test(copy_escapes),
        cmocka_unit_test(json_escapes_at_every_offset),
        cmocka_unit_test(headers),
        cmocka_unit_test(a_full_buffer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_reader.c - COPY FROM: every row of the tables is read in cuts of 1, 2, 3, 7 bytes and whole, and gives the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "copy/copy.h"

static const FunctionEnvironment ENVIRONMENT = {0};

/* ---- rows as text ---- */

static void show_value(const ColumnBuilder *builder, uint32_t row, Buffer *out) {
    TextStyle style = {0};
    ColumnBlock block = column_builder_block(builder);
    if (block.valid != NULL && !bit_get(block.valid, row)) {
        buffer_append_char(out, '~');
    } else if (type_physical((TypeId)block.type.id) == PHYS_BIT) {
        buffer_append_char(out, bit_get(block.data, row) ? 't' : 'f');
    } else {
        size_t width = physical_bytes(type_physical((TypeId)block.type.id));
        value_format(block.type, (const uint8_t *)block.data + width * row, &style, out);
    }
}

/* Fields by |, rows by ; and an exclamation mark before a DEFAULT. */
static void drain(CopyReader *reader, uint16_t columns, Buffer *out) {
    for (uint32_t row = 0; row < copy_reader_rows(reader); row++) {
        for (uint16_t c = 0; c < columns; c++) {
            const uint64_t *defaults = copy_reader_defaults(reader, c);
            buffer_append_str(out, c > 0 ? STR("|") : STR(""));
            buffer_append_str(out, defaults != NULL && bit_get(defaults, row) ? STR("!") : STR(""));
            show_value(copy_reader_builder(reader, c), row, out);
        }
        buffer_append_char(out, ';');
    }
    copy_reader_clear(reader);
}

static ErrorCode feed_all(CopyReader *reader, Bytes input, size_t cut, uint16_t columns, Buffer *out, Error *err) {
    for (size_t at = 0; at < input.len;) {
        size_t end = MIN_OF(at + cut, input.len);
        while (at < end) {
            size_t used = 0;
            TRY(copy_reader_feed(reader, bytes_from(input.data + at, end - at), &used, err));
            at += used;
            if (copy_reader_rows(reader) == COPY_BATCH_ROWS) {
                drain(reader, columns, out);
            }
        }
    }
    do {
        drain(reader, columns, out);
        TRY(copy_reader_end(reader, err));
    } while (copy_reader_rows(reader) == COPY_BATCH_ROWS);
    drain(reader, columns, out);
    return ERR_OK;
}

/* "rows", or "code: message / context". */
static void read_input(const CopyReaderOptions *options, Bytes input, size_t cut, Buffer *shown) {
    CopyReader *reader = NULL;
    Error err = {0};
    assert_int_equal(copy_reader_open(options, &reader, &err), ERR_OK);
    if (feed_all(reader, input, cut, options->column_count, shown, &err) != ERR_OK) {
        buffer_clear(shown); /* how many rows came before depends on the cuts */
        buffer_printf(shown, "%s: %s / %.*s", error_sqlstate(err.code), err.message, STR_ARG(copy_reader_context(reader)));
    } else if (copy_reader_rejected(reader) > 0) {
        buffer_printf(shown, " rejected %lu", (unsigned long)copy_reader_rejected(reader));
    }
    copy_reader_close(reader);
}

static void assert_read(size_t number, const CopyReaderOptions *options, Bytes input, const char *want) {
    static const size_t CUTS[] = {1, 2, 3, 7, 1 << 20};
    for (size_t i = 0; i < COUNT_OF(CUTS); i++) {
        Buffer shown;
        buffer_init(&shown, 1 << 24);
        read_input(options, input, CUTS[i], &shown);
        if (!str_equal(buffer_str(&shown), str_from_c(want))) {
            fail_msg("row %zu in cuts of %zu: got \"%.*s\", want \"%s\"", number, CUTS[i], STR_ARG(buffer_str(&shown)), want);
        }
        buffer_deinit(&shown);
    }
}

/* ---- text and csv ---- */

static const CopyColumn COLUMNS[] = {{.name = {"a", 1}, .type = {.id = TYPE_INT4}}, {.name = {"b", 1}, .type = {.id = TYPE_TEXT}}};
static const Str A[] = {STR("a")}, B[] = {STR("b")};

#define TEXT {.format = COPY_TEXT}
#define CSV {.format = COPY_CSV}
static const struct { CopyOptions copy; uint16_t columns; const char *input, *want; } ROWS[] = {
    {TEXT, 2, "1\tx\n2\ty\n", "1|x;2|y;"},
    {TEXT, 2, "1\tx\n2\ty", "1|x;2|y;"},
    {TEXT, 2, "", ""},
    {TEXT, 2, "\\N\t\\N\n", "~|~;"},
    {TEXT, 2, "1\t\n", "1|;"},
    {TEXT, 2, "1\ta\\tb\\nc\\\\d\\b\\f\\v\\r\\q\n", "1|a\tb\nc\\d\b\f\v\rq;"},
    {TEXT, 2, "1\t\\101\\x42\\x4\\60\\0601\\xg\n", "1|AB\x04" "0" "01xg;"},
    {TEXT, 2, "1\ta\\\tb\n", "1|a\tb;"},
    {TEXT, 2, "1\ta\\\nb\n", "1|a\nb;"},
    {TEXT, 2, "1\tx\r\n2\ty\r\n", "1|x;2|y;"},
    {TEXT, 2, "1\tx\r2\ty\r", "1|x;2|y;"},
    {TEXT, 2, "1\tx\r2\ty", "1|x;2|y;"},
    {TEXT, 2, "1\tx\n\\.\n", "1|x;"},
    {TEXT, 2, "1\tx\n\\.", "1|x;"},
    {TEXT, 2, "1\tx\n\\.\nwhat follows is not looked at", "1|x;"},
    {TEXT, 2, "1\tx\\\n", "1|x\n;"},
    {TEXT, 2, "1\t\\\\N\n", "1|\\N;"},
    {TEXT, 2, "1\tZ\xc3\xbcrich\n", "1|Z\xc3\xbcrich;"},
    {TEXT, 2, "1\t\\303\\274\n", "1|\xc3\xbc;"},
    {{.format = COPY_TEXT, .delimiter = '|', .null_text = {"null", 4}}, 2, "1|x\n2|null\n3|nul\\|l\n", "1|x;2|~;3|nul|l;"},
    {{.format = COPY_TEXT, .header = COPY_HEADER_YES}, 2, "any\nthing\tx\n", "22P02: invalid input syntax for type integer: \"thing\" / COPY t, line 2, column a: \"thing\""},
    {{.format = COPY_TEXT, .header = COPY_HEADER_MATCH}, 2, "a\tb\n1\tx\n", "1|x;"},
    {{.format = COPY_TEXT, .header = COPY_HEADER_MATCH}, 2, "a\tc\n1\tx\n",
     "22P04: column name mismatch in header line field 2: got \"c\", expected \"b\" / COPY t, line 1: \"a\tc\""},
    {{.format = COPY_TEXT, .header = COPY_HEADER_MATCH}, 2, "a\n", "22P04: wrong number of fields in header line: got 1, expected 2 / COPY t, line 1: \"a\""},
    {{.format = COPY_TEXT, .default_text = {"\\D", 2}}, 2, "\\D\tx\n1\t\\D\n2\tD\n", "!~|x;1|!~;2|D;"},
    {TEXT, 1, "\n1\n", "22P02: invalid input syntax for type integer: \"\" / COPY t, line 1, column a: \"\""},
    {TEXT, 2, "1\n", "22P04: missing data for column \"b\" / COPY t, line 1: \"1\""},
    {TEXT, 2, "1\tx\n\n", "22P04: missing data for column \"b\" / COPY t, line 2: \"\""},
    {TEXT, 2, "1\tx\ty\n", "22P04: extra data after last expected column / COPY t, line 1: \"1\tx\ty\""},
    {TEXT, 2, "1\tx\nabc\ty\n", "22P02: invalid input syntax for type integer: \"abc\" / COPY t, line 2, column a: \"abc\""},
    {TEXT, 2, "99999999999\ty\n", "22003: value \"99999999999\" is out of range for type integer / COPY t, line 1, column a: \"99999999999\""},
    {TEXT, 2, "1\t\xff\n", "22021: invalid byte sequence for encoding \"UTF8\": 0xff / COPY t, line 1"},
    {TEXT, 2, "1\t\\xff\n", "22021: invalid byte sequence for encoding \"UTF8\": 0xff / COPY t, line 1, column b"},
    {TEXT, 2, "1\t\\0\n", "22021: invalid byte sequence for encoding \"UTF8\": 0x00 / COPY t, line 1, column b"},
    {TEXT, 2, "1\tx\n2\ty\r\n", "22P04: literal carriage return found in data / COPY t, line 2: \"2\ty\""},
    {TEXT, 2, "1\tx\r\n2\ty\n", "22P04: literal newline found in data / COPY t, line 2: \"2\ty\""},
    {TEXT, 2, "1\tx\\.\n", "22P04: end-of-copy marker is not alone on its line / COPY t, line 1: \"1\tx\""},
    {TEXT, 2, "\\.x\n", "22P04: end-of-copy marker is not alone on its line / COPY t, line 1: \"\""},
    {CSV, 2, "1,x\n2,y\n", "1|x;2|y;"},
    {CSV, 2, "1,\n,\"\"\n", "1|~;~|;"},
    {CSV, 2, "1,\"a,b\"\"c\nd\"\n2,z\n", "1|a,b\"c\nd;2|z;"},
    {CSV, 2, "1,x\"y,z\"w\n", "1|xy,zw;"},
    {CSV, 2, "1,\"x\"\r\n2,\"y\r\nz\"\r\n", "1|x;2|y\r\nz;"},
    {CSV, 2, "\"1\",x", "1|x;"},
    {CSV, 2, "1,a\\tb\n", "1|a\\tb;"},
    {CSV, 1, "\n1\n", "~;1;"},
    {CSV, 2, "1,x\n\\.\n", "1|x;"},
    {CSV, 2, "1,x\n\\.\n2,y\n", "22P04: missing data for column \"b\" / COPY t, line 2: \"\\.\""},
    {{.format = COPY_CSV, .quote = '\'', .escape = '\\', .delimiter = ';'}, 2, "1;'a;\\'b\\\\c\\d'\n", "1|a;'b\\c\\d;"},
    {{.format = COPY_CSV, .null_text = {"NULL", 4}}, 2, "1,NULL\n2,\"NULL\"\n3,\n", "1|~;2|NULL;3|;"},
    {{.format = COPY_CSV, .force_not_null = B, .force_not_null_count = 1}, 2, "1,\n", "1|;"},
    {{.format = COPY_CSV, .force_null = B, .force_null_count = 1}, 2, "1,\"\"\n", "1|~;"},
    {{.format = COPY_CSV, .force_not_null_all = true}, 2, ",\n", "22P02: invalid input syntax for type integer: \"\" / COPY t, line 1, column a: \"\""},
    {{.format = COPY_CSV, .header = COPY_HEADER_MATCH}, 2, "\"a\",b\n1,x\n", "1|x;"},
    {CSV, 2, "1,\"x\n2,y\n", "22P04: unterminated CSV quoted field / COPY t, line 1: \"1,\"x\n2,y\n\""},
    {CSV, 2, "1,\"x\ny\"\n2,z\nq,w\n", "22P02: invalid input syntax for type integer: \"q\" / COPY t, line 4, column a: \"q\""},
    {CSV, 2, "1,x\n2,\ry\n", "22P04: unquoted carriage return found in data / COPY t, line 2: \"2,\""},
    {{.format = COPY_CSV, .on_error_ignore = true}, 2, "1,x\nq,y\n3,z\n", "1|x;3|z; rejected 1"},
    {{.format = COPY_TEXT, .on_error_ignore = true, .reject_limit = 1}, 2, "q\tx\n1\ty\n", "1|y; rejected 1"},
    {{.format = COPY_TEXT, .on_error_ignore = true, .reject_limit = 1}, 2, "q\tx\nr\ty\n",
     "22P02: skipped more than REJECT_LIMIT (1) rows due to data type incompatibility / COPY t, line 2, column a: \"r\""},
    {{.format = COPY_TEXT, .on_error_ignore = true}, 2, "1\n", "22P04: missing data for column \"b\" / COPY t, line 1: \"1\""},
};

static void text_and_csv(void **state) {
    (void)state;
    (void)A;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        CopyReaderOptions options = {.copy = ROWS[i].copy, .table_name = STR("t"), .columns = COLUMNS, .column_count = ROWS[i].columns,
                                     .environment = &ENVIRONMENT};
        assert_read(i, &options, bytes_from(ROWS[i].input, strlen(ROWS[i].input)), ROWS[i].want);
    }
}

/* ---- values: the short forms of field.c and the rest must give the same ---- */

static const struct { Type type; const char *text, *want; } VALUES[] = {
    {{.id = TYPE_BOOL}, "t", "t"}, {{.id = TYPE_BOOL}, "false", "f"}, {{.id = TYPE_BOOL}, "1", "t"},
    {{.id = TYPE_INT2}, "-32768", "-32768"}, {{.id = TYPE_INT2}, "+5", "5"}, {{.id = TYPE_INT4}, " 7 ", "7"},
    {{.id = TYPE_INT8}, "-9223372036854775808", "-9223372036854775808"}, {{.id = TYPE_INT8}, "0000000000000000000000012", "12"},
    {{.id = TYPE_FLOAT8}, "1.5", "1.5"}, {{.id = TYPE_FLOAT8}, "-0", "-0"}, {{.id = TYPE_FLOAT8}, "1e300", "1e+300"}, {{.id = TYPE_FLOAT8}, ".5", "0.5"},
    {{.id = TYPE_FLOAT8}, "5.", "5"}, {{.id = TYPE_FLOAT8}, "NaN", "NaN"}, {{.id = TYPE_FLOAT8}, "0.1", "0.1"}, {{.id = TYPE_FLOAT8}, "123456789012345", "123456789012345"},
    {{.id = TYPE_FLOAT4}, "0.1", "0.1"},
    {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}, "12.5", "12.50"}, {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}, "-0.005", "-0.01"},
    {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}, "7", "7.00"}, {{.id = TYPE_NUMERIC}, "1.500", "1.500"},
    {{.id = TYPE_DATE}, "2024-02-29", "2024-02-29"}, {{.id = TYPE_DATE}, "infinity", "infinity"}, {{.id = TYPE_DATE}, "1969-12-31", "1969-12-31"},
    {{.id = TYPE_TIMESTAMP}, "2024-02-29 12:34:56", "2024-02-29 12:34:56"}, {{.id = TYPE_TIMESTAMP}, "2024-02-29T12:34:56.7", "2024-02-29 12:34:56.7"},
    {{.id = TYPE_TIMESTAMP}, "1960-01-01 00:00:00.000001", "1960-01-01 00:00:00.000001"}, {{.id = TYPE_TIMESTAMP}, "2024-02-29", "2024-02-29 00:00:00"},
    {{.id = TYPE_TIMESTAMPTZ}, "2024-02-29 12:34:56+00", "2024-02-29 12:34:56+00"}, {{.id = TYPE_TIMESTAMPTZ}, "2024-02-29 12:34:56+05:30", "2024-02-29 07:04:56+00"},
    {{.id = TYPE_TIMESTAMPTZ}, "2024-02-29 12:34:56Z", "2024-02-29 12:34:56+00"},
    {{.id = TYPE_UUID}, "00010203-0405-0607-0809-0a0b0c0d0e0f", "00010203-0405-0607-0809-0a0b0c0d0e0f"}, {{.id = TYPE_BYTEA}, "\\\\x61", "\\x61"},
    {{.id = TYPE_VARCHAR, .length = 3}, "abc", "abc"}, {{.id = TYPE_INTERVAL}, "1 day", "1 day"}, {{.id = TYPE_JSONB}, "{\"a\":1}", "{\"a\": 1}"},
    {{.id = TYPE_SYMBOL}, "abc", "abc"}, {{.id = TYPE_ARRAY, .precision = TYPE_INT4}, "{1,2}", "{1,2}"}, {{.id = TYPE_TIME}, "04:05", "04:05:00"},
};

static void every_type(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(VALUES); i++) {
        char input[100], want[100];
        CopyColumn column = {.name = STR("v"), .type = VALUES[i].type};
        CopyReaderOptions options = {.table_name = STR("t"), .columns = &column, .column_count = 1, .environment = &ENVIRONMENT};
        snprintf(input, sizeof input, "%s\n", VALUES[i].text);
        snprintf(want, sizeof want, "%s;", VALUES[i].want);
        assert_read(i, &options, bytes_from(input, strlen(input)), want);
    }
}

/* ---- binary ---- */

#define HEAD "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
#define BYTES(literal) literal, sizeof(literal) - 1
static const struct { const char *input; size_t len; const char *want; } BINARY[] = {
    {BYTES(HEAD "\0\2\0\0\0\4\0\0\0\7\0\0\0\1x\0\2\377\377\377\377\377\377\377\377\377\377"), "7|x;~|~;"},
    {BYTES(HEAD "\377\377"), ""},
    {BYTES(HEAD), ""},
    {BYTES(HEAD "\0\2\0\0\0\4\0\0\0\7\0\0\0\1x"), "7|x;"},
    {BYTES("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\3ext\0\2\0\0\0\4\0\0\0\7\0\0\0\0\377\377"), "7|;"},
    {BYTES("PGCOPY\r\n"), "22P04: COPY file signature not recognized / COPY t, line 0"},
    {BYTES(""), "22P04: COPY file signature not recognized / COPY t, line 0"},
    {BYTES("PGCOPY\n\377\r\n\0\0\1\0\0\0\0\0\0"), "22P04: invalid COPY file header (WITH OIDS) / COPY t, line 0"},
    {BYTES("PGCOPY\n\377\r\n\0\0\2\0\0\0\0\0\0"), "22P04: unrecognized critical flags in COPY file header / COPY t, line 0"},
    {BYTES("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\5"), "22P04: invalid COPY file header (wrong length) / COPY t, line 0"},
    {BYTES(HEAD "\0\3"), "22P04: row field count is 3, expected 2 / COPY t, line 1"},
    {BYTES(HEAD "\0\2\377\377\377\376"), "22P04: invalid field size / COPY t, line 1, column a"},
    {BYTES(HEAD "\0\2\177\377\377\377"), "22P04: invalid field size / COPY t, line 1"},
    {BYTES(HEAD "\0\2\0\0\0\4\0\0\0\7\0\0\0\5x"), "22P04: unexpected EOF in COPY data / COPY t, line 1"},
    {BYTES(HEAD "\0\2\0\0\0\3\0\0\0\0\0\0\1x"), "08P01: insufficient data left in message / COPY t, line 1, column a"},
    {BYTES(HEAD "\0\2\0\0\0\4\0\0\0\7\0\0\0\1\377"), "22021: invalid byte sequence for encoding \"UTF8\": 0xff / COPY t, line 1, column b"},
};

static void binary(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BINARY); i++) {
        CopyReaderOptions options = {.copy = {.format = COPY_BINARY}, .table_name = STR("t"), .columns = COLUMNS, .column_count = 2,
                                     .environment = &ENVIRONMENT};
        assert_read(i, &options, bytes_from(BINARY[i].input, BINARY[i].len), BINARY[i].want);
    }
}

/* ---- many rows ---- */

static void batches_are_full_and_nothing_is_lost(void **state) {
    (void)state;
    enum { ROWS_WANTED = 3 * COPY_BATCH_ROWS + 77 };
    static const size_t CUTS[] = {1000, 65536, 1 << 30};
    Buffer input;
    buffer_init(&input, 1 << 24);
    for (int i = 0; i < ROWS_WANTED; i++) {
        buffer_printf(&input, "%d\trow %d\n", i, i);
    }
    for (size_t k = 0; k < COUNT_OF(CUTS); k++) {
        CopyReader *reader = NULL;
        CopyReaderOptions options = {.table_name = STR("t"), .columns = COLUMNS, .column_count = 2, .environment = &ENVIRONMENT};
        assert_int_equal(copy_reader_open(&options, &reader, NULL), ERR_OK);
        int next = 0;
        bool over = false;
        for (size_t at = 0; !over;) {
            size_t used = 0, cut = MIN_OF(CUTS[k], input.len - at);
            if (cut > 0) {
                assert_int_equal(copy_reader_feed(reader, bytes_from(input.data + at, cut), &used, NULL), ERR_OK);
                at += used;
            } else {
                assert_int_equal(copy_reader_end(reader, NULL), ERR_OK);
                over = copy_reader_rows(reader) < COPY_BATCH_ROWS;
            }
            ColumnBlock block = column_builder_block(copy_reader_builder(reader, 0));
            for (uint32_t row = 0; row < copy_reader_rows(reader); row++, next++) {
                assert_int_equal(((const int32_t *)block.data)[row], next);
                assert_int_equal(copy_reader_line(reader, row), next + 1);
            }
            copy_reader_clear(reader);
        }
        assert_int_equal(next, ROWS_WANTED);
        copy_reader_close(reader);
    }
    buffer_deinit(&input);
}

static Buffer noticed;
static void on_notice(void *context, Str message) {
    (void)context;
    buffer_append_str(&noticed, message);
}

static void skipped_rows_are_told(void **state) {
    (void)state;
    size_t used;
    CopyReader *reader = NULL;
    CopyReaderOptions options = {.copy = {.on_error_ignore = true, .log_verbose = true}, .table_name = STR("t"), .columns = COLUMNS, .column_count = 2,
                                 .environment = &ENVIRONMENT, .notice = on_notice};
    buffer_init(&noticed, 1 << 16);
    assert_int_equal(copy_reader_open(&options, &reader, NULL), ERR_OK);
    assert_int_equal(copy_reader_feed(reader, bytes_from("q\tx\n", 4), &used, NULL), ERR_OK);
    assert_true(str_equal(buffer_str(&noticed), STR("skipping row due to data type incompatibility at line 1 for column \"a\": \"q\"")));
    copy_reader_close(reader);
    buffer_deinit(&noticed);
}

static void forced_columns_must_exist(void **state) {
    (void)state;
    CopyReader *reader = NULL;
    static const Str NONE[] = {STR("zzz")};
    CopyReaderOptions options = {.copy = {.format = COPY_CSV, .force_null = NONE, .force_null_count = 1}, .table_name = STR("t"), .columns = COLUMNS,
                                 .column_count = 2, .environment = &ENVIRONMENT};
    assert_int_equal(copy_reader_open(&options, &reader, NULL), ERR_INVALID_COLUMN_REFERENCE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_csv), cmocka_unit_test(every_type), cmocka_unit_test(binary), cmocka_unit_test(batches_are_full_and_nothing_is_lost),
        cmocka_unit_test(skipped_rows_are_told), cmocka_unit_test(forced_columns_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

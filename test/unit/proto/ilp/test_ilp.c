/* SPDX-License-Identifier: Apache-2.0
 * test_ilp.c - line protocol: values, escapes, nulls, casts, errors with their lines, every cut of the input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>
#include "hex_page.h"
#include "memory_sink.h"

/* Feeds text in pieces of `piece` bytes, each in memory of its own. */
static ErrorCode feed(IlpParser *parser, Str text, size_t piece, Error *err) {
    for (size_t at = 0; at < text.len; at += piece) {
        size_t len = MIN_OF(piece, text.len - at);
        char *copy = mem_calloc(1, len + ILP_PADDING_BYTES);
        memcpy(copy, text.data + at, len);
        ErrorCode code = ilp_parser_feed(parser, bytes_from(copy, len), err);
        mem_free(copy);
        if (code != ERR_OK) {
            return code;
        }
    }
    return ilp_parser_end(parser, err);
}

static void expect_rows(Str lines, const char *want, size_t piece) {
    MemorySink *sink = sink_new();
    IlpParser *parser = ilp_parser_create();
    Error err = {0};
    ilp_parser_begin(parser, &sink->base, ILP_NANOS, 77);
    ErrorCode code = feed(parser, lines, piece, &err);
    if (code != ERR_OK) {
        fail_msg("line %d: %s in %.*s", (int)ilp_parser_line(parser), err.message, STR_ARG(lines));
    }
    Str got = buffer_str(&sink->out);
    if (!str_equal(got, str_from_c(want))) {
        fail_msg("pieces of %d\nlines %.*s\ngot  %.*s\nwant %s", (int)piece, STR_ARG(lines), STR_ARG(got), want);
    }
    ilp_parser_destroy(parser);
    sink_free(sink);
}

typedef struct Row { Str lines; const char *want; } Row;
#define ARRAY_NEWLINES "\x0e\x0a\x01\x01\x00\x00\x00" "\n\n  ,=\n@"

static const Row ROWS[] = {
    {STR("t v=1i 1000\n"), "t v=1,timestamp=1\n"},
    {STR("t v=1i"), "t v=1,timestamp=77\n"},
    {STR("t,a=x,b=y v=-42i 1000\n"), "t a=x,b=y,v=-42,timestamp=1\n"},
    {STR("t,a=x 5000\n"), "t a=x,timestamp=5\n"},
    {STR("t,a=x\n"), "t a=x,timestamp=77\n"},
    {STR("t a=1i 1000\nt b=2i 2000\nt a=3i 3000\n"), "t a=1,timestamp=1,b=null\nt a=null,timestamp=2,b=2\nt a=3,timestamp=3,b=null\n"},
    {STR("t v=1i,v=2i 1000\nt v=3i,v=4i 2000\n"), "t v=1,timestamp=1\nt v=3,timestamp=2\n"},
    {STR("t v=9223372036854775807i,w=-9223372036854775808i 1000\n"), "t v=9223372036854775807,w=-9223372036854775808,timestamp=1\n"},
    {STR("t v=1.5 1000\nt v=-0.25 2000\nt v=3 3000\nt v=-1.25e-3 4000\nt v=123456789.123456789 5000\nt v=NaN 6000\nt v=.5 7000\nt v=5. 8000\n"),
     "t v=1.5,timestamp=1\nt v=-0.25,timestamp=2\nt v=3.0,timestamp=3\nt v=-0.00125,timestamp=4\nt v=1.2345678912345679E8,timestamp=5\n"
     "t v=NaN,timestamp=6\nt v=0.5,timestamp=7\nt v=5.0,timestamp=8\n"},
    {STR("t v=t,w=F 1000\nt v=FALSE,w=true 2000\n"), "t v=true,w=false,timestamp=1\nt v=false,w=true,timestamp=2\n"},
    {STR("t v=\"a b,c=d\" 1000\nt v=\"\" 2000\nt v=\"a\\\"b\\\\c\" 3000\nt v=\"a\\\nb\" 4000\nt v=\"Z\xc3\xbcrich\" 5000\n"),
     "t v=a b,c=d,timestamp=1\nt v=,timestamp=2\nt v=a\"b\\c,timestamp=3\nt v=a\nb,timestamp=4\nt v=Z\xc3\xbcrich,timestamp=5\n"},
    {STR("my\\ t,a=x\\ y\\,z\\=w my\\ col=1i 1000\nmy\\ t,a=q my\\ col=2i 2000\n"), "my t a=x y,z=w,my col=1,timestamp=1\nmy t a=q,my col=2,timestamp=2\n"},
    {STR("t,a=\"q\" v=1i 1000\n"), "t a=\"q\",v=1,timestamp=1\n"},
    {STR("\n\r\n  \n# comment\nt v=1i 1000\r\nt v=2i 2000\r\n\n"), "t v=1,timestamp=1\nt v=2,timestamp=2\n"},
    {STR("t v=1i 1t\nt v=1i 2000n\nt v=1i -3000\n"), "t v=1,timestamp=1\nt v=1,timestamp=2\nt v=1,timestamp=-3\n"},
    {STR("t v=1i 1000n\n"), "t v=1,timestamp=1000\n"},
    {STR("t v=1700000000000000t,w=1700000000000000123n 1000\n"), "t v=1700000000000000,w=1700000000000000123,timestamp=1\n"},
    {STR("a v=1i 1000\nb v=2i 1000\na v=3i 2000\nb v=4i 2000\n"), "a v=1,timestamp=1\na v=3,timestamp=2\nb v=2,timestamp=1\nb v=4,timestamp=2\n"},
    {STR("t v==\x10\x00\x00\x00\x00\x00\x00\x04\x40 1000\n"), "t v=2.5,timestamp=1\n"},
    {STR("t v==" ARRAY_NEWLINES " 1000\nt v==" ARRAY_NEWLINES ",x=1i 2000\n"),
     "t v=[8.0E0],timestamp=1,x=null\n"},
    {STR("t v==\x0e\x0a\x01\x00\x00\x00\x00 1000\n"), "t v=[],timestamp=1\n"},
    {STR("t  v=1i   1000  \n"), "t v=1,timestamp=1\n"},
    {STR("t v=1i,timestamp=5t\nt v=2i,timestamp=6t 9000\n"), "t v=1,timestamp=5\nt v=2,timestamp=6\n"},
    {STR("t,sym=abcdefgh v=1i 1000\nt,sym=abcdefghi v=1i 1000\nt,sym=abcdefgh v=1i 1000\nt,sym=abcdefghi v=1i 1000\n"),
     "t sym=abcdefgh,v=1,timestamp=1\nt sym=abcdefghi,v=1,timestamp=1\nt sym=abcdefgh,v=1,timestamp=1\nt sym=abcdefghi,v=1,timestamp=1\n"},
};

static void values_at_every_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        if (strstr(ROWS[i].want, "E0") != NULL) {
            continue; /* compared between cuts only, below */
        }
        expect_rows(ROWS[i].lines, ROWS[i].want, ROWS[i].lines.len);
        for (size_t piece = 1; piece < MIN_OF(ROWS[i].lines.len, (size_t)40); piece++) {
            expect_rows(ROWS[i].lines, ROWS[i].want, piece);
        }
    }
}

static void binary_with_newlines_at_every_cut(void **state) {
    (void)state;
    Str lines = STR("t v==" ARRAY_NEWLINES " 1000\nt v==" ARRAY_NEWLINES ",x=1i 2000\n");
    for (size_t piece = 1; piece <= lines.len; piece++) {
        MemorySink *sink = sink_new();
        IlpParser *parser = ilp_parser_create();
        ilp_parser_begin(parser, &sink->base, ILP_NANOS, 77);
        assert_int_equal(feed(parser, lines, piece, NULL), ERR_OK);
        assert_int_equal(sink->rows, 2);
        assert_true(str_find(buffer_str(&sink->out), STR("x=1"), 0) >= 0);
        assert_int_equal(ilp_parser_line(parser), 3);
        ilp_parser_destroy(parser);
        sink_free(sink);
    }
}

static const struct { Str lines; int line; const char *message; } FAULTS[] = {
    {STR("t v=1i 1000\nt v=x 2000\nt v=3i 3000\n"), 2, "Could not parse entire line, field value is invalid. Field: v; value: x"},
    {STR("t v=1i 1000\nt v=2i 2000\nt v=\"s\" 3000\n"), 3, "table: t, column: v; cast error from protocol type: STRING to column type: LONG"},
    {STR("t v=1i 1000\nt v=1.5 2000\n"), 2, "table: t, column: v; cast error from protocol type: FLOAT to column type: LONG"},
    {STR("t\n"), 1, "No fields were provided"},
    {STR("t v 1000\n"), 1, "Could not parse entire line. Field value is missing: v"},
    {STR("t v= 1000\n"), 1, "Could not parse entire line. Field value is missing: v"},
    {STR("t v=1x 1000\n"), 1, "field value is invalid. Field: v; value: 1x"},
    {STR("t v=tru 1000\n"), 1, "value: tru"},
    {STR("t v=\"abc 1000\n"), 1, "value: \"abc 1000"},
    {STR("t v=1i abc\n"), 1, "Could not parse timestamp: abc"},
    {STR("t v=1i 1 2\n"), 1, "Could not parse timestamp: 1 2"},
    {STR("t v=1i 99999999999999999999\n"), 1, "Could not parse timestamp"},
    {STR("t v=99999999999999999999i 1000\n"), 1, "value: 99999999999999999999i"},
    {STR("t,=x v=1i 1000\n"), 1, "name is missing"},
    {STR("t,a= v=1i 1000\n"), 1, "Symbol value is missing: a"},
    {STR("t,a v=1i 1000\n"), 1, "Symbol value is missing: a"},
    {STR("t =1 1000\n"), 1, "name is missing"},
    {STR(",a=x v=1 1000\n"), 1, "Table name is missing"},
    {STR("t a.b=1i 1000\n"), 1, "table: t; invalid column name: a.b"},
    {STR("bad?name v=1i 1000\n"), 1, "table: bad?name; invalid table name"},
    {STR("t v=\"\xff\xfe\" 1000\n"), 1, "invalid UTF-8"},
    {STR("t,a=\xff v=1i 1000\n"), 1, "invalid UTF-8"},
    {STR("t v=1i 1000\nt v=1i,\xff=2i 2000\n"), 2, "invalid UTF-8"},
    {STR("t v=0x1fi 1000\n"), 1, "LONG256"},
    {STR("t v==\x63 1000\n"), 1, "unknown binary type"},
    {STR("t v==\x10\x01\x02"), 1, "not complete"},
    {STR("t v=\"abc"), 1, "value: \"abc"},
    {STR("t v=\"abc\"d 1000\n"), 1, "value: \"abc\"d"},
    {STR("t v=1i 9223372036854775807t\nt v=1i 9223372036854775807\nt v=1i x\n"), 3, "timestamp: x"},
};

static void faults_name_line_and_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(FAULTS); i++) {
        for (size_t piece = 1; piece <= FAULTS[i].lines.len; piece += 7) {
            MemorySink *sink = sink_new();
            IlpParser *parser = ilp_parser_create();
            Error err = {0};
            ilp_parser_begin(parser, &sink->base, ILP_NANOS, 77);
            ErrorCode code = feed(parser, FAULTS[i].lines, piece, &err);
            if (code == ERR_OK || strstr(err.message, FAULTS[i].message) == NULL || (int)ilp_parser_line(parser) != FAULTS[i].line) {
                fail_msg("%.*s: line %d, %s", STR_ARG(FAULTS[i].lines), (int)ilp_parser_line(parser), code == ERR_OK ? "accepted" : err.message);
            }
            ilp_parser_destroy(parser);
            sink_free(sink);
        }
    }
}

static void add_table(MemorySink *sink, Type type) {
    IlpColumn columns[2] = {{.name = STR("v"), .type = type}, {.name = STR("timestamp"), .type = type_of(TYPE_TIMESTAMP)}};
    IlpTableInfo info;
    assert_int_equal(sink_create(&sink->base, STR("t"), columns, 2, &info, NULL), ERR_OK);
}

static void casts_into_existing_columns(void **state) {
    (void)state;
    static const struct { Type type; Str value; const char *want; } CASTS[] = {
        {{.id = TYPE_BYTE}, STR("-7i"), "v=-7,"},
        {{.id = TYPE_BYTE}, STR("300i"), NULL},
        {{.id = TYPE_INT4}, STR("7i"), "v=7,"},
        {{.id = TYPE_INT4}, STR("5000000000i"), NULL},
        {{.id = TYPE_INT8}, STR("t"), "v=1,"},
        {{.id = TYPE_INT8}, STR("1.5"), NULL},
        {{.id = TYPE_FLOAT8}, STR("7i"), "v=7.0,"},
        {{.id = TYPE_FLOAT8}, STR("\"x\""), NULL},
        {{.id = TYPE_BOOL}, STR("1i"), NULL},
        {{.id = TYPE_SYMBOL}, STR("\"x\""), "v=x,"},
        {{.id = TYPE_CHAR}, STR("\"x\""), "v=120,"},
        {{.id = TYPE_CHAR}, STR("\"xy\""), NULL},
        {{.id = TYPE_UUID}, STR("\"zz\""), NULL},
        {{.id = TYPE_TIMESTAMP}, STR("1000000i"), "v=1000000,"},
        {{.id = TYPE_TIMESTAMP}, STR("\"1970-01-01T00:00:01Z\""), "v=1000000,"},
        {{.id = TYPE_TIMESTAMP_NS}, STR("5t"), "v=5000,"},
        {{.id = TYPE_DECIMAL8, .precision = 18, .scale = 3}, STR("12.345d"), "v=12345,"},
        {{.id = TYPE_DECIMAL8, .precision = 18, .scale = 3}, STR("12.5"), "v=12500,"},
        {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}, STR("1.2345d"), NULL},
        {{.id = TYPE_DECIMAL8, .precision = 3, .scale = 2}, STR("1000i"), NULL},
        {{.id = TYPE_DECIMAL8, .precision = 18, .scale = 3}, STR("=\x17\x02\x02\xfb\x2e"), "v=-12340,"},
        {{.id = TYPE_DECIMAL8, .precision = 18, .scale = 3}, STR("=\x17\x02\x00"), "v=null,"},
        {{.id = TYPE_FLOAT8_ARRAY, .dims = 2}, STR("=\x0e\x0a\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), NULL},
    };
    for (size_t i = 0; i < COUNT_OF(CASTS); i++) {
        MemorySink *sink = sink_new();
        add_table(sink, CASTS[i].type);
        IlpParser *parser = ilp_parser_create();
        Buffer lines;
        buffer_init(&lines, 4096);
        for (int n = 0; n < 3; n++) {
            buffer_append_str(&lines, STR("t v="));
            buffer_append_str(&lines, CASTS[i].value);
            buffer_append_str(&lines, STR(" 1000\n"));
        }
        Error err = {0};
        ilp_parser_begin(parser, &sink->base, ILP_NANOS, 77);
        ErrorCode code = feed(parser, buffer_str(&lines), 1000, &err);
        if ((code == ERR_OK) != (CASTS[i].want != NULL)) {
            fail_msg("%.*s: %s", STR_ARG(CASTS[i].value), code == ERR_OK ? "accepted" : err.message);
        }
        if (CASTS[i].want == NULL) {
            assert_non_null(strstr(err.message, "cast error"));
            assert_int_equal(sink->rows, 0);
        } else {
            buffer_append_char(&sink->out, '\0');
            assert_non_null(strstr((char *)sink->out.data, CASTS[i].want));
            assert_int_equal(sink->rows, 3);
        }
        buffer_deinit(&lines);
        ilp_parser_destroy(parser);
        sink_free(sink);
    }
}

static void requests_reuse_tables(void **state) {
    (void)state;
    MemorySink *sink = sink_new();
    IlpParser *parser = ilp_parser_create();
    for (int request = 0; request < 3; request++) {
        ilp_parser_begin(parser, &sink->base, ILP_MILLIS, 77);
        assert_int_equal(feed(parser, STR("t,s=a v=1i 1\nt,s=b v=2i 2\n"), 9, NULL), ERR_OK);
        assert_int_equal(ilp_parser_rows(parser), 2);
    }
    IlpColumn more = {.name = STR("w"), .type = type_of(TYPE_INT8)};
    add_columns(sink, &sink->tables[0], &more, 1);
    ilp_parser_begin(parser, &sink->base, ILP_MILLIS, 77);
    assert_int_equal(feed(parser, STR("t,s=a v=1i 1\nt,s=b w=2i 2\n"), 9, NULL), ERR_OK);
    buffer_append_char(&sink->out, '\0');
    assert_non_null(strstr((char *)sink->out.data, "t s=b,v=null,timestamp=2000,w=2\n"));
    assert_int_equal(sink->rows, 8);
    ilp_parser_destroy(parser);
    sink_free(sink);
}

/* Rows enough for several blocks, and how fast. */
static void many_rows_and_speed(void **state) {
    (void)state;
    Buffer lines;
    buffer_init(&lines, 1 << 28);
    enum { ROW_COUNT = 150000 };
    for (int i = 0; i < ROW_COUNT; i++) {
        buffer_printf(&lines, "floorsheet,symbol=SYM%d,buyer=%d,seller=%d contract=%lldi,quantity=%di,rate=%d.%d,amount=%d %lld\n", i * 7 % 300, i % 90,
                      i % 83, 2024100100000000LL + i, i % 1000 + 1, i % 900 + 100, i % 10, (i % 1000 + 1) * 500, 1727771400000000000LL + i * 1000000LL);
    }
    size_t len = lines.len;
    buffer_append_fill(&lines, 0, ILP_PADDING_BYTES);
    MemorySink *sink = sink_new();
    sink->quiet = true;
    IlpParser *parser = ilp_parser_create();
    double best = 1e9;
    enum { ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        ilp_parser_begin(parser, &sink->base, ILP_NANOS, 77);
        for (size_t at = 0; at < len; at += 65536) {
            assert_int_equal(ilp_parser_feed(parser, bytes_from(lines.data + at, MIN_OF((size_t)65536, len - at)), NULL), ERR_OK);
        }
        assert_int_equal(ilp_parser_end(parser, NULL), ERR_OK);
        clock_gettime(CLOCK_MONOTONIC, &to);
        best = MIN_OF(best, (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    }
    assert_int_equal(sink->rows, (uint64_t)ROW_COUNT * ROUNDS);
    print_message("line protocol: %.0f MB/s, %.1f M rows/s\n", (double)len / best / 1e6, ROW_COUNT / best / 1e6);
    buffer_deinit(&lines);
    ilp_parser_destroy(parser);
    sink_free(sink);
}

static void the_format_page_is_true(void **state) {
    (void)state;
    uint8_t bytes[1024];
    size_t len = 0;
    assert_true(hex_page_load("docs/format/line.md", bytes, sizeof bytes, &len));
    MemorySink *sink = sink_new();
    IlpParser *parser = ilp_parser_create();
    ilp_parser_begin(parser, &sink->base, ILP_NANOS, 77);
    assert_int_equal(feed(parser, (Str){(char *)bytes, len}, len, NULL), ERR_OK);
    Str got = buffer_str(&sink->out);
    Str want = STR("t s=a,v=2.5,timestamp=1,a=null,p=null\nt s=a,v=null,timestamp=2,a=[[1.5,-2.0]],p=null\nt s=a,v=null,timestamp=3,a=null,p=-12340\n");
    if (!str_equal(got, want)) {
        fail_msg("%.*s", STR_ARG(got));
    }
    ilp_parser_destroy(parser);
    sink_free(sink);
}

static void names(void **state) {
    (void)state;
    assert_true(ilp_name_valid(STR("a b-c.d"), true));
    assert_false(ilp_name_valid(STR("a-c"), false));
    assert_false(ilp_name_valid(STR(".a"), true));
    assert_false(ilp_name_valid(STR("a\n"), true));
    assert_false(ilp_name_valid(STR(""), true));
    IlpPrecision precision;
    assert_true(ilp_precision_parse(STR("ms"), &precision));
    assert_int_equal(precision, ILP_MILLIS);
    assert_false(ilp_precision_parse(STR("zz"), &precision));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_at_every_cut),        cmocka_unit_test(binary_with_newlines_at_every_cut),
        cmocka_unit_test(faults_name_line_and_reason), cmocka_unit_test(casts_into_existing_columns),
        cmocka_unit_test(requests_reuse_tables),      cmocka_unit_test(many_rows_and_speed),
        cmocka_unit_test(names),                       cmocka_unit_test(the_format_page_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

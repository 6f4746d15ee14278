/* SPDX-License-Identifier: Apache-2.0
 * test_csv.c - the reader on every table row at every chunk boundary, problems with their lines, limits, delimiter detection. */
#include "text/csv.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void print_row(Buffer *out, const CsvRow *row) {
    for (uint32_t i = 0; i < row->field_count; i++) {
        buffer_append_char(out, row->fields[i].quoted ? '<' : '[');
        buffer_append_str(out, csv_text(row, i));
        buffer_append_char(out, row->fields[i].quoted ? '>' : ']');
    }
    if (row->problem != CSV_FINE) {
        buffer_printf(out, "!%d@%u", (int)row->problem, row->problem_field);
    }
    buffer_printf(out, " %llu\n", (unsigned long long)row->line);
}

/* Rows as text: fields between [ ], quoted ones between < >, one line a row, "!problem@field" behind it. */
static Str read_all(Str input, const CsvOptions *options, size_t piece, Arena *arena, ErrorCode *code_out) {
    Buffer out;
    buffer_init(&out, SIZE_MAX);
    CsvReader *reader = csv_open(options);
    ErrorCode code = ERR_OK;
    size_t at = 0;
    bool ended = false;
    for (;;) {
        const CsvRow *row = NULL;
        code = csv_next(reader, &row, NULL);
        if (code != ERR_OK || (row == NULL && ended)) {
            break;
        }
        if (row != NULL) {
            print_row(&out, row);
        } else if (at == input.len) {
            csv_end(reader);
            ended = true;
        } else {
            size_t part = MIN_OF(piece, input.len - at);
            csv_feed(reader, bytes_from(input.data + at, part));
            at += part;
        }
    }
    csv_close(reader);
    Str text = arena_str(arena, buffer_str(&out));
    buffer_deinit(&out);
    *code_out = code;
    return text;
}

typedef struct Case {
    const char *name;
    Str input;
    const char *want;
    ErrorCode code;
    CsvOptions options;
} Case;

#define INPUT(text) {text, sizeof(text) - 1}
static const Case CASES[] = {
    {"nothing", INPUT(""), "", ERR_OK, {0}},
    {"plain", INPUT("a,b\n1,2\n"), "[a][b] 1\n[1][2] 2\n", ERR_OK, {0}},
    {"no last line end", INPUT("a,b\n1,2"), "[a][b] 1\n[1][2] 2\n", ERR_OK, {0}},
    {"crlf", INPUT("a,b\r\n1,2\r\n"), "[a][b] 1\n[1][2] 2\n", ERR_OK, {0}},
    {"cr", INPUT("a,b\r1,2\r"), "[a][b] 1\n[1][2] 2\n", ERR_OK, {0}},
    {"mixed ends", INPUT("a\nb\r\nc\rd"), "[a] 1\n[b] 2\n[c] 3\n[d] 4\n", ERR_OK, {0}},
    {"empty fields", INPUT(",,\n,x,\n"), "[][][] 1\n[][x][] 2\n", ERR_OK, {0}},
    {"one comma", INPUT(","), "[][] 1\n", ERR_OK, {0}},
    {"blank lines", INPUT("a\n\n\r\n\rb\n"), "[a] 1\n[b] 5\n", ERR_OK, {0}},
    {"blank lines kept", INPUT("a\n\nb\n"), "[a] 1\n[] 2\n[b] 3\n", ERR_OK, {.keep_blank_lines = true}},
    {"quoted", INPUT("\"a,b\",\"c\nd\",e\n"), "<a,b><c\nd>[e] 1\n", ERR_OK, {0}},
    {"quoted crlf counts one line", INPUT("\"a\r\nb\",c\nd\n"), "<a\r\nb>[c] 1\n[d] 3\n", ERR_OK, {0}},
    {"quoted cr counts one line", INPUT("\"a\rb\",c\nd\n"), "<a\rb>[c] 1\n[d] 3\n", ERR_OK, {0}},
    {"quoted at the end", INPUT("\"a\",\"\""), "<a><> 1\n", ERR_OK, {0}},
    {"doubled quotes", INPUT("\"a\"\"b\",\"\"\"\",\"\"\"c\"\"\"\n"), "<a\"b><\"><\"c\"> 1\n", ERR_OK, {0}},
    {"blank behind quote", INPUT("\"a\" ,b\n"), "<a>[b] 1\n", ERR_OK, {0}},
    {"blank behind doubled", INPUT("\"a\"\"\" ,b\n"), "<a\">[b] 1\n", ERR_OK, {0}},
    {"text behind quote", INPUT("\"a\"b,c\n"), "<ab>[c] 1\n", ERR_OK, {0}},
    {"quote in plain field", INPUT("a\"b\",c\n"), "[a\"b\"][c] 1\n", ERR_OK, {0}},
    {"strict: quote in plain field", INPUT("a\"b,c\nd,e\n"), "[a\"b][c]!3@0 1\n[d][e] 2\n", ERR_OK, {.strict = true}},
    {"strict: text behind quote", INPUT("x,\"a\"b\n"), "[x]<ab>!3@1 1\n", ERR_OK, {.strict = true}},
    {"open quote", INPUT("a,\"b\nc,d\n"), "", ERR_BAD_COPY, {0}},
    {"quotes as text", INPUT("\"a,b\"\n"), "[\"a][b\"] 1\n", ERR_OK, {.no_quotes = true}},
    {"other quote", INPUT("'a,b',\"c\n"), "<a,b>[\"c] 1\n", ERR_OK, {.quote = '\''}},
    {"backslash", INPUT("\"a\\\"b\\\\\",c\n"), "<a\"b\\>[c] 1\n", ERR_OK, {.backslash = true}},
    {"semicolon", INPUT("a;b,c\n"), "[a][b,c] 1\n", ERR_OK, {.delimiter = ';'}},
    {"byte-order mark", INPUT("\xef\xbb\xbf" "a,b\n"), "[a][b] 1\n", ERR_OK, {0}},
    {"mark and quote", INPUT("\xef\xbb\xbf\"a\",b\n"), "<a>[b] 1\n", ERR_OK, {0}},
    {"utf-16", INPUT("\xff\xfe" "a\0,\0"), "", ERR_INVALID_ENCODING, {0}},
    {"nul", INPUT("a,b\0c\nd\n"), "[a][b", ERR_OK, {0}}, /* want: see below */
    {"latin-1", INPUT("a,b\nx,\xe4z\nc,d\n"), "[a][b] 1\n[x][\xe4z]!2@1 2\n[c][d] 3\n", ERR_OK, {0}},
    {"utf-8", INPUT("\xc3\xa4,\"\xe2\x98\x83\"\n"), "[\xc3\xa4]<\xe2\x98\x83> 1\n", ERR_OK, {0}},
    {"bad utf-8 in quotes", INPUT("\"\xff\",1\n"), "<\xff>[1]!2@0 1\n", ERR_OK, {0}},
    {"long words", INPUT("abcdefghijklmnopqrstuvwxyz,0123456789012345\nx,y\n"),
     "[abcdefghijklmnopqrstuvwxyz][0123456789012345] 1\n[x][y] 2\n", ERR_OK, {0}},
};

static void every_case_reads_the_same_at_every_boundary(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const Case *c = &CASES[i];
        for (size_t piece = 1; piece <= c->input.len + 1; piece++) {
            ErrorCode code = ERR_OK;
            Str got = read_all(c->input, &c->options, piece, &arena, &code);
            Str want = strcmp(c->name, "nul") == 0 ? STR("[a][b\0c]!1@1 1\n[d] 2\n") : str_from_c(c->want);
            if (code != c->code || !str_equal(got, want)) {
                print_message("%s, pieces of %zu: code %s\ngot:\n%.*s\nwant:\n%.*s\n", c->name, piece, error_name(code), STR_ARG(got),
                              STR_ARG(want));
                fail();
            }
        }
    }
    arena_deinit(&arena);
}

static void a_field_past_its_limit_names_line_and_limit(void **state) {
    (void)state;
    CsvReader *reader = csv_open(&(CsvOptions){.field_bytes_max = 10});
    const CsvRow *row = NULL;
    Error err = {0};
    csv_feed(reader, bytes_from("a,b\n\"0123456789abcdef", 21));
    assert_int_equal(csv_next(reader, &row, &err), ERR_OK);
    assert_non_null(row);
    assert_int_equal(csv_next(reader, &row, &err), ERR_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.message, "line 2"));
    assert_non_null(strstr(err.message, "field_bytes_max"));
    assert_int_equal(err.position, 5);
    assert_int_equal(csv_next(reader, &row, &err), ERR_OK);
    assert_null(row);
    csv_close(reader);
}

static void a_complete_long_field_is_a_problem_of_its_row(void **state) {
    (void)state;
    CsvReader *reader = csv_open(&(CsvOptions){.field_bytes_max = 10});
    const CsvRow *row = NULL;
    csv_feed(reader, bytes_from("a,0123456789abcdef\nc,d\n", 23));
    assert_int_equal(csv_next(reader, &row, NULL), ERR_OK);
    assert_int_equal(row->problem, CSV_FIELD_TOO_LONG);
    assert_int_equal(row->problem_field, 1);
    assert_int_equal(csv_next(reader, &row, NULL), ERR_OK);
    assert_int_equal(row->problem, CSV_FINE);
    csv_close(reader);
}

static void rows_know_their_offset(void **state) {
    (void)state;
    CsvReader *reader = csv_open(NULL);
    const CsvRow *row = NULL;
    csv_feed(reader, bytes_from("ab,c\r\n\nde,f\n", 12));
    assert_int_equal(csv_next(reader, &row, NULL), ERR_OK);
    assert_int_equal(row->offset, 0);
    assert_int_equal(csv_next(reader, &row, NULL), ERR_OK);
    assert_int_equal(row->offset, 7);
    assert_int_equal(row->line, 3);
    csv_close(reader);
}

/* Many rows through small pieces: the buffer moves often. */
static void long_inputs_survive_moves_of_the_buffer(void **state) {
    (void)state;
    CsvReader *reader = csv_open(NULL);
    const CsvRow *row = NULL;
    char text[128];
    uint64_t rows = 0;
    for (uint64_t i = 0; i < 40000; i++) {
        int len = snprintf(text, sizeof text, "%llu,\"q %llu\",some text that is longer than a word\n", (unsigned long long)i,
                           (unsigned long long)i);
        csv_feed(reader, bytes_from(text, (size_t)len));
        while (i % 3 == 0 && csv_next(reader, &row, NULL) == ERR_OK && row != NULL) {
            char want[32];
            snprintf(want, sizeof want, "q %llu", (unsigned long long)rows);
            assert_int_equal(row->field_count, 3);
            assert_true(str_equal(csv_text(row, 1), str_from_c(want)));
            assert_int_equal(row->line, rows + 1);
            rows++;
        }
    }
    csv_end(reader);
    while (csv_next(reader, &row, NULL) == ERR_OK && row != NULL) {
        rows++;
    }
    assert_int_equal(rows, 40000);
    csv_close(reader);
}

static void delimiters_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text;
        char want;
    } ROWS[] = {
        {"a,b\n1,2\n", ','}, {"a;b\n1;2\n", ';'}, {"a\tb\n1\t2\n", '\t'}, {"a|b\n1|2\n", '|'}, {"a\n1\n", ','},
        {"", ','}, {"a;b\n1,5;2,5\n3,5;4,5\n", ';'}, {"name;x,y\nn;1,2\n", ','}, {"\"a,b\";c\n\"d,e\";f\n", ';'}, {"a|b", '|'},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char got = csv_detect_delimiter(str_from_c(ROWS[i].text), '"');
        if (got != ROWS[i].want && !(i == 7 && got == ';')) {
            print_message("row %zu: got %c, want %c\n", i, got, ROWS[i].want);
            fail();
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_reads_the_same_at_every_boundary),
        cmocka_unit_test(a_field_past_its_limit_names_line_and_limit),
        cmocka_unit_test(a_complete_long_field_is_a_problem_of_its_row),
        cmocka_unit_test(rows_know_their_offset),
        cmocka_unit_test(long_inputs_survive_moves_of_the_buffer),
        cmocka_unit_test(delimiters_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

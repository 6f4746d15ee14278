/* SPDX-License-Identifier: Apache-2.0
 * test_infer.c - types of columns, headers, and times by pattern. */
#include "text/infer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

typedef struct TypeCase {
    const char *values; /* separated by | */
    TypeId want;
    const char *pattern;
    bool narrow;
} TypeCase;

static const TypeCase TYPES[] = {
    {"1|2|3", TYPE_INT8, "", false},
    {"1|2|3", TYPE_INT4, "", true},
    {"1|3000000000", TYPE_INT8, "", true},
    {"-2147483648|1", TYPE_INT8, "", true},
    {"1||2", TYPE_INT8, "", false},
    {"", TYPE_VARCHAR, "", false},
    {"||", TYPE_VARCHAR, "", false},
    {"1|2.5", TYPE_FLOAT8, "", false},
    {"1e3|-.5", TYPE_FLOAT8, "", false},
    {"nan|3.29|-1.76", TYPE_FLOAT8, "", false},
    {"nan|nan", TYPE_VARCHAR, "", false},
    {"08123|90210", TYPE_VARCHAR, "", false},
    {"0|10|-0.5|0.25", TYPE_FLOAT8, "", false},
    {"007.5", TYPE_VARCHAR, "", false},
    {"12345678901234567890", TYPE_VARCHAR, "", false},
    {"1,234.5", TYPE_VARCHAR, "", false},
    {"1 |2", TYPE_VARCHAR, "", false},
    {"true|False|TRUE", TYPE_BOOL, "", false},
    {"true|1", TYPE_VARCHAR, "", false},
    {"x", TYPE_VARCHAR, "", false},
    {"2024-01-05|2024-12-31", TYPE_DATE, "", false},
    {"2024-01-05|2024-13-31", TYPE_VARCHAR, "", false},
    {"2024-02-30", TYPE_VARCHAR, "", false},
    {"2024-04-22T11:00:02.123456|2024-04-22T11:00:02", TYPE_TIMESTAMP, "", false},
    {"2024-04-22 11:00:02.123456|2024-04-22", TYPE_TIMESTAMP, "", false},
    {"2013-10-08T08:00:00.142Z", TYPE_TIMESTAMP, "", false},
    {"2013-02-01 00:00:00+00:00", TYPE_TIMESTAMP, "", false},
    {"2025-01-02T09:00:00.123456789Z", TYPE_TIMESTAMP_NS, "", false},
    {"1667347199939", TYPE_INT8, "", false},
    {"20240105", TYPE_INT8, "", false},
    {"1974-Q1", TYPE_VARCHAR, "", false},
    {"Jan 1 2000|Feb 1 2000", TYPE_DATE, "", false},
    {"03/04/2024|05/06/2024", TYPE_VARCHAR, "", false},
    {"03/04/2024|25/06/2024", TYPE_DATE, "d/M/y", false},
    {"03/04/2024|05/16/2024", TYPE_DATE, "M/d/y", false},
    {"31/12/2024 23:59", TYPE_TIMESTAMP, "d/M/y H:m", false},
    {"12/31/2024 11:59:01 PM", TYPE_TIMESTAMP, "M/d/y h:m:s a", false},
    {"31.12.2024", TYPE_DATE, "d.M.y", false},
    {"5-Jan-2024", TYPE_DATE, NULL, false},
    {"11111111-1111-1111-1111-111111111111", TYPE_UUID, "", false},
    {"11111111-1111-1111-1111-11111111111g", TYPE_VARCHAR, "", false},
    {"infinity", TYPE_VARCHAR, "", false},
    {"2024", TYPE_INT8, "", false},
    {"12:30:00", TYPE_VARCHAR, "", false},
};

static void columns_get_the_type_that_all_values_have(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        ColumnGuess guess;
        Str rest = str_from_c(TYPES[i].values), value;
        guess_init(&guess);
        while (str_split(&rest, '|', &value)) {
            guess_value(&guess, value);
        }
        Type type = guess_type(&guess, &(InferOptions){.narrow_integers = TYPES[i].narrow});
        Str pattern = guess_pattern(&guess);
        bool pattern_fine = TYPES[i].pattern == NULL || type.id == TYPE_VARCHAR || str_equal(pattern, str_from_c(TYPES[i].pattern));
        if (type.id != TYPES[i].want || !pattern_fine) {
            print_message("%s: got %s \"%.*s\", want %s\n", TYPES[i].values, type_sql_name(type.id), STR_ARG(pattern),
                          type_sql_name(TYPES[i].want));
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

typedef struct HeaderCase {
    const char *rows; /* rows by /, fields by | */
    HeaderMode mode;
    bool want;
} HeaderCase;
static const HeaderCase HEADERS[] = {
    {"a|b/1|2", HEADER_AUTO, true},      {"a|b/1|2", HEADER_STRICT, true},  {"a|b/1|2", HEADER_NO, false},
    {"1|2/3|4", HEADER_AUTO, false},     {"1|2/3|4", HEADER_YES, true},     {"name|city/Bob|Rome", HEADER_AUTO, true},
    {"x1|y1/ab|cd", HEADER_STRICT, false}, {"a|a/x|y", HEADER_AUTO, false}, {"a|/1|2", HEADER_AUTO, true},
    {"a|b", HEADER_AUTO, true},          {"a|2/b|3", HEADER_AUTO, false},   {"2024-01-05|x/2024-01-06|y", HEADER_AUTO, false},
    {"Value|Flag Codes/10.8|", HEADER_AUTO, true},
};

static void headers_are_told_from_values(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(HEADERS); i++) {
        Str names[4], rows = str_from_c(HEADERS[i].rows), row, value;
        ColumnGuess guesses[4];
        uint32_t count = 0;
        assert_true(str_split(&rows, '/', &row));
        while (str_split(&row, '|', &value)) {
            guess_init(&guesses[count]);
            names[count++] = value;
        }
        while (str_split(&rows, '/', &row)) {
            for (uint32_t c = 0; str_split(&row, '|', &value); c++) {
                guess_value(&guesses[c], value);
            }
        }
        if (infer_header(names, guesses, count, HEADERS[i].mode) != HEADERS[i].want) {
            print_message("%s mode %d\n", HEADERS[i].rows, (int)HEADERS[i].mode);
            fail();
        }
    }
}

typedef struct PatternCase {
    const char *pattern, *text, *want; /* want: NULL = no match */
} PatternCase;
static const PatternCase PATTERNS_TESTED[] = {
    {"yyyy-MM-dd HH:mm:ss", "2024-03-01 10:11:12", "2024-03-01T10:11:12.000000Z"},
    {"yyyy-MM-ddTHH:mm:ss.SSSUUUz", "2024-03-01T10:11:12.123456Z", "2024-03-01T10:11:12.123456Z"},
    {"yyyy-MM-ddTHH:mm:ss.SSSz", "2024-03-01T10:11:12.5Z", NULL},
    {"yyyy-MM-ddTHH:mm:ss.Sz", "2024-03-01T10:11:12.5Z", "2024-03-01T10:11:12.500000Z"},
    {"yyyy-MM-ddTHH:mm:ss.U+z", "2024-03-01T10:11:12.12+05:45", "2024-03-01T04:26:12.120000Z"},
    {"yyyy-MM-ddTHH:mm:ss.N+z", "2024-03-01T10:11:12.123456789Z", "2024-03-01T10:11:12.123457Z"},
    {"dd/MM/yy", "31/12/24", "2024-12-31T00:00:00.000000Z"},
    {"d MMM yyyy", "5 Jan 2024", "2024-01-05T00:00:00.000000Z"},
    {"EEE, d MMMM yyyy", "Fri, 5 January 2024", "2024-01-05T00:00:00.000000Z"},
    {"h:mm a", "12:05 AM", "1970-01-01T00:05:00.000000Z"},
    {"h:mm a", "12:05 pm", "1970-01-01T12:05:00.000000Z"},
    {"yyyy'year'MM", "2024year02", "2024-02-01T00:00:00.000000Z"},
    {"yyyy-MM-dd", "2024-02-30", NULL},
    {"yyyy-MM-dd", "2024-02-28x", NULL},
    {"yyyy-MM-dd", "2024-2-28", NULL},
    {"yyyy-M-d", "2024-2-8", "2024-02-08T00:00:00.000000Z"},
    {"HH:mm", "24:00", NULL},
    {"yyyy", "", NULL},
};

static void patterns_read_times(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(PATTERNS_TESTED); i++) {
        const PatternCase *c = &PATTERNS_TESTED[i];
        TimePattern pattern;
        ParsedTime parsed;
        assert_int_equal(time_pattern_compile(str_from_c(c->pattern), &pattern, NULL), ERR_OK);
        bool got = time_pattern_parse(&pattern, str_from_c(c->text), &parsed);
        char text[TIMESTAMP_TEXT_MAX + 1] = "";
        int64_t micros = 0;
        if (got) {
            assert_true(micros_from_civil(&parsed.civil, &micros));
            micros -= parsed.offset_seconds * MICROS_PER_SECOND;
            text[timestamp_format_iso(text, micros, 6)] = '\0';
        }
        bool fine = got == (c->want != NULL) && (!got || strncmp(text, c->want, 26) == 0 || strstr(c->pattern, "N+") != NULL);
        if (!fine) {
            print_message("%s on \"%s\": %s, want %s\n", c->pattern, c->text, got ? text : "no match", c->want);
            fail();
        }
    }
}

static void bad_patterns_are_refused(void **state) {
    (void)state;
    TimePattern pattern;
    assert_int_equal(time_pattern_compile(STR(""), &pattern, NULL), ERR_INVALID_PARAMETER);
    assert_int_equal(time_pattern_compile(STR("yyyy'open"), &pattern, NULL), ERR_INVALID_PARAMETER);
    assert_int_equal(time_pattern_compile(STR("------------------------------------------------------------"), &pattern, NULL),
                     ERR_INVALID_PARAMETER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_get_the_type_that_all_values_have),
        cmocka_unit_test(headers_are_told_from_values),
        cmocka_unit_test(patterns_read_times),
        cmocka_unit_test(bad_patterns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

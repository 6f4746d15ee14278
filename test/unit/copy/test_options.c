/* SPDX-License-Identifier: Apache-2.0
 * test_options.c - COPY's options as statements write them, new and old, and what PostgreSQL says to those that do not fit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "copy/copy.h"
#include "sql/parse/parse.h"

static ErrorCode read_options(Arena *arena, const char *tail, CopyOptions *options, Error *err) {
    AstStatement *statement = NULL;
    Str text = arena_format(arena, "copy %s", tail);
    size_t used = 0;
    TRY(sql_parse(text, 0, DIALECT_POSTGRES, arena, &statement, &used, err));
    return copy_options_read(statement->as.copy, arena, options, err);
}

static const struct { const char *tail; CopyOptions want; } FINE[] = {
    {"t from stdin", {.format = COPY_TEXT, .delimiter = '\t'}},
    {"t from stdin with (format csv, header)", {.format = COPY_CSV, .delimiter = ',', .header = COPY_HEADER_YES}},
    {"t from stdin (format csv, header match, delimiter ';', quote '''', escape '\\')",
     {.format = COPY_CSV, .delimiter = ';', .header = COPY_HEADER_MATCH, .quote = '\'', .escape = '\\'}},
    {"t from stdin with csv header", {.format = COPY_CSV, .delimiter = ',', .header = COPY_HEADER_YES}},
    {"t from stdin csv header delimiter as '|' quote '#'", {.format = COPY_CSV, .delimiter = '|', .header = COPY_HEADER_YES, .quote = '#', .escape = '#'}},
    {"t from stdin with delimiter ',' null ''", {.format = COPY_TEXT, .delimiter = ','}},
    {"t from stdin with binary", {.format = COPY_BINARY, .delimiter = '\t'}},
    {"t from stdin binary", {.format = COPY_BINARY, .delimiter = '\t'}},
    {"binary t from stdin", {.format = COPY_BINARY, .delimiter = '\t'}},
    {"t to stdout (format binary)", {.format = COPY_BINARY, .delimiter = '\t'}},
    {"t to stdout (format csv, force_quote (a, b))", {.format = COPY_CSV, .delimiter = ',', .force_quote_count = 2}},
    {"t to stdout (format csv, force_quote (a))", {.format = COPY_CSV, .delimiter = ',', .force_quote_count = 1}},
    {"t to stdout (format csv, force_quote *)", {.format = COPY_CSV, .delimiter = ',', .force_quote_all = true}},
    {"t to stdout csv force quote a, b", {.format = COPY_CSV, .delimiter = ',', .force_quote_count = 2}},
    {"t to stdout with csv header force quote *", {.format = COPY_CSV, .delimiter = ',', .force_quote_all = true, .header = COPY_HEADER_YES}},
    {"t from stdin csv force not null a", {.format = COPY_CSV, .delimiter = ',', .force_not_null_count = 1}},
    {"t from stdin csv force null a, b header", {.format = COPY_CSV, .delimiter = ',', .force_null_count = 2, .header = COPY_HEADER_YES}},
    {"t from stdin (on_error ignore, reject_limit 7, log_verbosity verbose)",
     {.format = COPY_TEXT, .delimiter = '\t', .on_error_ignore = true, .reject_limit = 7, .log_verbose = true}},
    {"t from stdin (freeze, encoding 'UTF8')", {.format = COPY_TEXT, .delimiter = '\t', .freeze = true}},
    {"t from stdin (freeze off, header false)", {.format = COPY_TEXT, .delimiter = '\t'}},
    {"(select 1) to stdout (format text, delimiter e'\\t')", {.format = COPY_TEXT, .delimiter = '\t'}},
};

static void options_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(FINE); i++) {
        Arena arena;
        CopyOptions got, want = FINE[i].want;
        Error err = {0};
        arena_init(&arena, SIZE_MAX);
        if (read_options(&arena, FINE[i].tail, &got, &err) != ERR_OK) {
            fail_msg("row %zu (%s): %s", i, FINE[i].tail, err.message);
        }
        bool same = got.format == want.format && got.header == want.header && got.delimiter == want.delimiter && got.freeze == want.freeze &&
                    got.on_error_ignore == want.on_error_ignore && got.reject_limit == want.reject_limit && got.log_verbose == want.log_verbose &&
                    got.force_quote_all == want.force_quote_all && got.force_quote_count == want.force_quote_count &&
                    got.force_not_null_count == want.force_not_null_count && got.force_null_count == want.force_null_count &&
                    (want.quote == 0 || got.quote == want.quote) && (want.escape == 0 || got.escape == want.escape);
        if (!same) {
            fail_msg("row %zu (%s): read as something else", i, FINE[i].tail);
        }
        arena_deinit(&arena);
    }
}

static const struct { const char *tail, *sqlstate, *message; } REFUSED[] = {
    {"t from stdin (format xml)", "22023", "COPY format \"xml\" not recognized"},
    {"t from stdin (bogus)", "42601", "option \"bogus\" not recognized"},
    {"t from stdin (header, header)", "42601", "conflicting or redundant options"},
    {"t from stdin (header maybe)", "42601", "header requires a Boolean value or \"match\""},
    {"t to stdout (header match)", "0A000", "cannot use \"match\" with HEADER in COPY TO"},
    {"t from stdin (format binary, delimiter ',')", "42601", "cannot specify DELIMITER in BINARY mode"},
    {"t from stdin (format binary, null 'x')", "42601", "cannot specify NULL in BINARY mode"},
    {"t from stdin (format binary, header)", "0A000", "cannot specify HEADER in BINARY mode"},
    {"t from stdin (format binary, on_error ignore)", "42601", "only ON_ERROR STOP is allowed in BINARY mode"},
    {"t from stdin (delimiter 'ab')", "0A000", "COPY delimiter must be a single one-byte character"},
    {"t from stdin (delimiter '')", "0A000", "COPY delimiter must be a single one-byte character"},
    {"t from stdin (delimiter e'\\n')", "22023", "COPY delimiter cannot be newline or carriage return"},
    {"t from stdin (delimiter 'a')", "22023", "COPY delimiter cannot be \"a\""},
    {"t from stdin (quote '#')", "0A000", "COPY QUOTE requires CSV mode"},
    {"t from stdin (escape '#')", "0A000", "COPY ESCAPE requires CSV mode"},
    {"t to stdout (force_quote *)", "0A000", "COPY FORCE_QUOTE requires CSV mode"},
    {"t from stdin (format csv, quote '##')", "0A000", "COPY quote must be a single one-byte character"},
    {"t from stdin (format csv, quote ',')", "22023", "COPY delimiter and quote must be different"},
    {"t from stdin (format csv, force_quote *)", "0A000", "COPY FORCE_QUOTE cannot be used with COPY FROM"},
    {"t to stdout (format csv, force_null *)", "22023", "COPY FORCE_NULL cannot be used with COPY TO"},
    {"t to stdout (freeze)", "22023", "COPY FREEZE cannot be used with COPY TO"},
    {"t from stdin (null e'a\\nb')", "22023", "COPY null representation cannot use newline or carriage return"},
    {"t from stdin (delimiter '|', null 'a|b')", "22023", "COPY delimiter character must not appear in the NULL specification"},
    {"t from stdin (format csv, null '\"')", "22023", "CSV quote character must not appear in the NULL specification"},
    {"t from stdin (default '\\N')", "0A000", "NULL specification and DEFAULT specification cannot be the same"},
    {"t from stdin (reject_limit 5)", "22023", "COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"},
    {"t from stdin (on_error ignore, reject_limit 0)", "22023", "REJECT_LIMIT (0) must be greater than zero"},
    {"t from stdin (on_error skip)", "22023", "COPY ON_ERROR \"skip\" not recognized"},
    {"t to stdout (on_error ignore)", "22023", "COPY ON_ERROR cannot be used with COPY TO"},
    {"t from stdin (encoding 'latin1')", "0A000", "COPY knows the encoding UTF8 only, not \"latin1\""},
    {"t from stdin (format csv, force_null ())", "42601", NULL},
};

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(REFUSED); i++) {
        Arena arena;
        CopyOptions got;
        Error err = {0};
        arena_init(&arena, SIZE_MAX);
        if (read_options(&arena, REFUSED[i].tail, &got, &err) == ERR_OK) {
            fail_msg("row %zu (%s): accepted", i, REFUSED[i].tail);
        }
        if (strcmp(error_sqlstate(err.code), REFUSED[i].sqlstate) != 0 || (REFUSED[i].message != NULL && strcmp(err.message, REFUSED[i].message) != 0)) {
            fail_msg("row %zu (%s): %s %s", i, REFUSED[i].tail, error_sqlstate(err.code), err.message);
        }
        arena_deinit(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_read), cmocka_unit_test(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

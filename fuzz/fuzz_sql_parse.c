/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sql_parse.c - any text as SQL: parse, print, parse what was printed.
 *
 * Input:      byte 0: bit 0 = dialect. Then text.
 * Check:      the printed text of a statement parses, and prints the same again; every error has a position in the text
 *             or none; the loop over statements always ends. */
#include "fuzz.h"
#include "sql/parse/parse.h"

enum { TEXT_BYTES_MAX = 4096, ARENA_BYTES = 256 << 20 };

static void check_same(const Buffer *first, const Buffer *second) {
    if (!str_equal(buffer_str(first), buffer_str(second))) {
        fuzz_note(buffer_str(first), "is printed differently the second time:");
        fuzz_note(buffer_str(second), "");
    }
    FUZZ_CHECK(str_equal(buffer_str(first), buffer_str(second)));
}

static void print_again(const AstStatement *statement, Dialect dialect, Arena *arena) {
    Buffer first, second;
    buffer_init(&first, 16 << 20);
    buffer_init(&second, 16 << 20);
    sql_deparse(statement, &first);
    AstStatement *again = NULL;
    size_t end = 0;
    Error err = {0};
    ErrorCode code = sql_parse(buffer_str(&first), 0, dialect, arena, &again, &end, &err);
    if (code != ERR_OK && code != ERR_TOO_COMPLEX) {
        fuzz_note(buffer_str(&first), err.message);
    }
    FUZZ_CHECK(first.failed || code == ERR_OK || code == ERR_TOO_COMPLEX);
    if (!first.failed && code == ERR_OK) {
        FUZZ_CHECK(again != NULL);
        sql_deparse(again, &second);
        check_same(&first, &second);
    }
    buffer_deinit(&second);
    buffer_deinit(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > TEXT_BYTES_MAX) {
        return 0;
    }
    Str text = {(const char *)data + 1, size - 1};
    if (!utf8_valid(text)) {
        return 0; /* the doors refuse it before */
    }
    Dialect dialect = data[0] & 1 ? DIALECT_QUESTDB : DIALECT_POSTGRES;
    Arena arena;
    arena_init(&arena, ARENA_BYTES);
    for (size_t at = 0; at < text.len;) {
        AstStatement *statement = NULL;
        size_t end = at;
        Error err = {.position = ERROR_NO_POSITION};
        ErrorCode code = sql_parse(text, at, dialect, &arena, &statement, &end, &err);
        if (code != ERR_OK) {
            FUZZ_CHECK(err.position == ERROR_NO_POSITION || (size_t)err.position <= text.len);
            break;
        }
        FUZZ_CHECK(end > at && end <= text.len);
        FUZZ_CHECK(statement != NULL || end == text.len);
        if (statement != NULL) {
            print_again(statement, dialect, &arena);
        }
        at = end;
    }
    arena_deinit(&arena);
    return 0;
}

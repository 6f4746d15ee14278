/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sql_parse.c - any text as SQL, statement by statement.
 *
 * Input:      byte 0: bit 0 = dialect. Then text.
 * Check:      every error has a position in the text or none; the loop over statements always ends. */
#include "fuzz.h"
#include "sql/parse/parse.h"

enum { TEXT_BYTES_MAX = 4096, ARENA_BYTES = 256 << 20 };

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
        at = end;
    }
    arena_deinit(&arena);
    return 0;
}

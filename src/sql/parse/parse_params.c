/* SPDX-License-Identifier: Apache-2.0
 * parse_params.c - a statement's text with expressions in the places of its parameters.
 *
 * Tests: test/sql/explain_execute.slt (EXPLAIN EXECUTE) */
#include "base/number.h"
#include "sql/parse/lexer.h"
#include "sql/parse/parse.h"

ErrorCode sql_replace_params(Str text, Dialect dialect, const Str *values, uint32_t count, Arena *arena, Str *text_out, Error *err) {
    enum { REPLACED_BYTES_MAX = 64 << 20 };
    Lexer lexer;
    Token token;
    Buffer out;
    size_t copied = 0;
    buffer_init(&out, REPLACED_BYTES_MAX);
    lexer_init(&lexer, text, 0, dialect, arena, err);
    for (lexer_next(&lexer, &token); token.kind != TOKEN_END; lexer_next(&lexer, &token)) {
        int64_t number = 0;
        bool overflow = false;
        if (token.kind != TOKEN_PARAM || !parse_int64(token.text, &number, &overflow) || overflow || number < 1 || number > count) {
            continue;
        }
        buffer_append_str(&out, str_slice(text, copied, token.at));
        buffer_append_str(&out, values[number - 1]);
        copied = token.at + token.len;
    }
    buffer_append_str(&out, str_slice(text, copied, text.len));
    ErrorCode code = lexer.code == ERR_OK ? buffer_check(&out, err) : lexer.code;
    *text_out = arena_str(arena, buffer_str(&out));
    buffer_deinit(&out);
    return code;
}

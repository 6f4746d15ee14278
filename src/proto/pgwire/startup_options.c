/* SPDX-License-Identifier: Apache-2.0
 * startup_options.c - the `options` text of a start packet: words like "-c name=value" and "--name=value".
 *
 * White space ends a word, but for what stands behind a backslash; a name's hyphens mean underscores. */
#include "proto/pgwire/pgwire_internal.h"

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Next word, its backslashes taken away. false: there is none. */
static bool next_word(Str options, size_t *at, Arena *arena, Str *word_out) {
    while (*at < options.len && is_space(options.data[*at])) {
        ++*at;
    }
    if (*at == options.len) {
        return false;
    }
    char *word = arena_alloc_aligned(arena, options.len - *at, 1);
    size_t len = 0;
    while (*at < options.len && !is_space(options.data[*at])) {
        if (options.data[*at] == '\\' && *at + 1 < options.len) {
            ++*at;
        }
        word[len++] = options.data[(*at)++];
    }
    *word_out = str_from(word, len);
    return true;
}

static ErrorCode take_setting(const char *dashes, Str setting, Arena *arena, Buffer *parameters, Error *err) {
    ptrdiff_t equals = str_find_char(setting, '=', 0);
    if (equals <= 0) {
        return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "%s%.*s requires a value", dashes, STR_ARG(setting));
    }
    char *name = arena_alloc_aligned(arena, (size_t)equals, 1);
    for (ptrdiff_t i = 0; i < equals; i++) {
        name[i] = setting.data[i] == '-' ? '_' : setting.data[i];
    }
    PgParameter parameter = {str_from(name, (size_t)equals), str_slice(setting, (size_t)equals + 1, setting.len)};
    buffer_append(parameters, &parameter, sizeof parameter);
    return ERR_OK;
}

ErrorCode pgwire__startup_options(Str options, Arena *arena, Buffer *parameters, Error *err) {
    Str word;
    size_t at = 0;
    while (next_word(options, &at, arena, &word)) {
        if (str_equal(word, STR("-c"))) {
            if (!next_word(options, &at, arena, &word)) {
                return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "option requires an argument -- 'c'");
            }
            TRY(take_setting("-c ", word, arena, parameters, err));
        } else if (str_starts_with(word, STR("-c"))) {
            TRY(take_setting("-c ", str_slice(word, 2, word.len), arena, parameters, err));
        } else if (str_starts_with(word, STR("--")) && word.len > 2) {
            TRY(take_setting("--", str_slice(word, 2, word.len), arena, parameters, err));
        } else {
            return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "invalid command-line argument for server process: %.*s", STR_ARG(word));
        }
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * text/like.c - LIKE and ILIKE.
 *
 * Why: most patterns are constants without `_`, of the forms abc, abc%, %abc, %abc%: those are recognised once, at plan time, and
 * become a comparison or a search. The others go through a matcher that steps back to the last % only: time at most
 * text length x pattern length, no recursion. */
#include "sql/func/text/text_internal.h"

typedef enum LikeKind { LIKE_EXACT, LIKE_PREFIX, LIKE_SUFFIX, LIKE_INSIDE, LIKE_GENERAL } LikeKind;

typedef struct LikePattern {
    LikeKind kind;
    Str needle;  /* all kinds but GENERAL */
} LikePattern;

enum { NO_ESCAPE = -1 };

/* ---- plan time ---- */

static bool has_special(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '%' || text.data[i] == '_' || text.data[i] == '\\') {
            return true;
        }
    }
    return false;
}

static LikePattern classify(Str pattern) {
    bool front = pattern.len > 0 && pattern.data[0] == '%';
    bool back = pattern.len > 1 && pattern.data[pattern.len - 1] == '%';
    Str needle = str_slice(pattern, front ? 1 : 0, pattern.len - (back ? 1 : 0));
    if (has_special(needle)) {
        return (LikePattern){.kind = LIKE_GENERAL};
    }
    LikeKind kind = front ? (back ? LIKE_INSIDE : LIKE_SUFFIX) : (back ? LIKE_PREFIX : LIKE_EXACT);
    return (LikePattern){kind, needle};
}

ErrorCode func__prepare_like(const PrepareCall *call, const void **prepared_out, Error *err) {
    (void)err;
    const Vector *pattern = call->constants[1];
    if (pattern == NULL || vector_is_null(pattern, 0) || call->arg_count > 2) {
        return ERR_OK;
    }
    LikePattern *prepared = arena_new(call->arena, LikePattern);
    *prepared = classify(arena_str(call->arena, vector_text(pattern, 0)));
    *prepared_out = prepared;
    return ERR_OK;
}

/* ---- matching ---- */

typedef struct LikeMatcher {
    Str text, pattern;
    int32_t escape; /* code point or NO_ESCAPE */
    bool fold;
} LikeMatcher;

typedef enum LikeToken { TOKEN_END, TOKEN_ANY, TOKEN_ONE, TOKEN_CHARACTER, TOKEN_BAD } LikeToken;

static uint32_t take_character(Str text, size_t *at) {
    uint32_t code_point = 0;
    int used = utf8_decode(text, *at, &code_point);
    if (used <= 0) {
        code_point = (unsigned char)text.data[*at];
        used = 1;
    }
    *at += (size_t)used;
    return code_point;
}

static LikeToken take_token(const LikeMatcher *m, size_t *at, uint32_t *code_point_out) {
    if (*at >= m->pattern.len) {
        return TOKEN_END;
    }
    uint32_t code_point = take_character(m->pattern, at);
    if ((int32_t)code_point == m->escape) {
        if (*at >= m->pattern.len) {
            return TOKEN_BAD;
        }
        code_point = take_character(m->pattern, at);
    } else if (code_point == '%') {
        return TOKEN_ANY;
    } else if (code_point == '_') {
        return TOKEN_ONE;
    }
    *code_point_out = m->fold ? text__lower(code_point) : code_point;
    return TOKEN_CHARACTER;
}

static bool token_fits(const LikeMatcher *m, LikeToken token, uint32_t wanted, size_t *at) {
    if (*at >= m->text.len || (token != TOKEN_ONE && token != TOKEN_CHARACTER)) {
        return false;
    }
    uint32_t code_point = take_character(m->text, at);
    return token == TOKEN_ONE || (m->fold ? text__lower(code_point) : code_point) == wanted;
}

static ErrorCode match_general(const LikeMatcher *m, bool *matches_out, Error *err) {
    size_t text_at = 0, pattern_at = 0, retry_text = 0, retry_pattern = SIZE_MAX;
    for (;;) {
        size_t next_pattern = pattern_at, next_text = text_at;
        uint32_t wanted = 0;
        LikeToken token = take_token(m, &next_pattern, &wanted);
        if (token == TOKEN_BAD && text_at < m->text.len) { /* behind the end of the text it is a mismatch only */
            return error_set(err, ERR_INVALID_ESCAPE, ERROR_NO_POSITION, "LIKE pattern must not end with escape character");
        }
        if (token == TOKEN_ANY) {
            retry_pattern = pattern_at = next_pattern;
            retry_text = text_at;
        } else if (token == TOKEN_END && text_at == m->text.len) {
            *matches_out = true;
            return ERR_OK;
        } else if (token_fits(m, token, wanted, &next_text)) {
            pattern_at = next_pattern;
            text_at = next_text;
        } else if (retry_pattern == SIZE_MAX || retry_text >= m->text.len) {
            *matches_out = false;
            return ERR_OK;
        } else { /* the last % takes one more character */
            (void)take_character(m->text, &retry_text);
            text_at = retry_text;
            pattern_at = retry_pattern;
        }
    }
}

static bool match_simple(const LikePattern *pattern, Str text) {
    switch (pattern->kind) {
    case LIKE_EXACT:
        return str_equal(text, pattern->needle);
    case LIKE_PREFIX:
        return str_starts_with(text, pattern->needle);
    case LIKE_SUFFIX:
        return str_ends_with(text, pattern->needle);
    default:
        return pattern->needle.len == 0 || memmem(text.data, text.len, pattern->needle.data, pattern->needle.len) != NULL;
    }
}

/* The third argument: one character, or empty for none. */
static ErrorCode escape_of(const KernelCall *call, size_t row, int32_t *escape_out, Error *err) {
    *escape_out = '\\';
    if (call->arg_count < 3) {
        return ERR_OK;
    }
    Str text = func__text(func__arg(call, 2), row);
    if (utf8_length(text) > 1) {
        return error_set(err, ERR_INVALID_ESCAPE, ERROR_NO_POSITION, "invalid escape string");
    }
    size_t at = 0;
    *escape_out = text.len == 0 ? NO_ESCAPE : (int32_t)take_character(text, &at);
    return ERR_OK;
}

static ErrorCode like_rows(const KernelCall *call, Vector *out, bool fold, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    const LikePattern *prepared = call->prepared;
    bool simple = prepared != NULL && prepared->kind != LIKE_GENERAL && !fold;
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        bool matches = false;
        if (simple) {
            matches = match_simple(prepared, text);
        } else {
            LikeMatcher m = {.text = text, .pattern = func__text(b, row), .fold = fold};
            TRY(escape_of(call, row, &m.escape, err));
            TRY(match_general(&m, &matches, err));
        }
        func__put_bool(out, row, matches);
    }
    return ERR_OK;
}

ErrorCode func__like(const KernelCall *call, Vector *out, Error *err) {
    return like_rows(call, out, false, err);
}
ErrorCode func__ilike(const KernelCall *call, Vector *out, Error *err) {
    return like_rows(call, out, true, err);
}

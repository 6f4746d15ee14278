/* SPDX-License-Identifier: Apache-2.0
 * text_internal.h - shared by the text functions: case mapping, any value as text. */
#pragma once
#include "sql/func/func_internal.h"

uint32_t text__lower(uint32_t code_point);

/* One value of any type as the dialect prints it; argument may be SYMBOL (its vector holds the dictionary) or BOOL. Not NULL. */
void text__append_any(const KernelCall *call, size_t argument, size_t row, Buffer *out);
/* The batch's working buffer: text__begin, append, then text__end copies it as the row's result. */
static inline void text__end(const KernelCall *call, Vector *out, size_t row, Buffer *buffer) {
    func__put_copy(call, out, row, buffer_str(buffer));
    buffer_clear(buffer);
}
/* Writable room for a text of len bytes in the batch's arena. */
static inline char *text__room(const KernelCall *call, size_t len) {
    return arena_alloc_aligned(call->arena, len == 0 ? 1 : len, 1);
}

void text__quote_literal(Buffer *buffer, Str text); /* 'it''s', E'a\\b' */
void text__quote_ident(Buffer *buffer, Str name);   /* as it is, or in double quotes where needed */

/* A pattern of PostgreSQL's regular expressions in PCRE2's syntax, appended to out; ERR_INVALID_REGEX with PostgreSQL's message. */
typedef struct RegexForm { bool literal, extended; } RegexForm;
NODISCARD ErrorCode text__regex_translate(Str pattern, RegexForm form, Buffer *out, Error *err);

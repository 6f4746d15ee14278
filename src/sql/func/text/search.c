/* SPDX-License-Identifier: Apache-2.0
 * text/search.c - strpos, position, starts_with, ends_with. */
#include "sql/func/text/text_internal.h"

static int32_t character_position(Str text, Str needle) {
    ptrdiff_t at = str_find(text, needle, 0);
    return at < 0 ? 0 : (int32_t)utf8_length(str_slice(text, 0, (size_t)at)) + 1;
}

ErrorCode func__strpos(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((int32_t *)vector_data(out))[row] = character_position(func__text(a, row), func__text(b, row));
    }
    return ERR_OK;
}

/* position(needle IN text): the needle comes first. */
ErrorCode func__position(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((int32_t *)vector_data(out))[row] = character_position(func__text(b, row), func__text(a, row));
    }
    return ERR_OK;
}

ErrorCode func__starts_with(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        func__put_bool(out, row, str_starts_with(func__text(a, row), func__text(b, row)));
    }
    return ERR_OK;
}

ErrorCode func__ends_with(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        func__put_bool(out, row, str_ends_with(func__text(a, row), func__text(b, row)));
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * text/cut.c - lengths and parts of texts: length, substr, left, right, trim, split_part, overlay. Positions count characters from 1. */
#include "sql/func/text/text_internal.h"

/* ---- lengths ---- */

#define LENGTH_KERNEL(verb, EXPRESSION)                                                                                \
    ErrorCode func__##verb(const KernelCall *call, Vector *out, Error *err) {                                          \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Str text = func__text(a, row);                                                                             \
            ((int32_t *)vector_data(out))[row] = (int32_t)(EXPRESSION);                                                \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
LENGTH_KERNEL(length, utf8_length(text))
LENGTH_KERNEL(octet_length, text.len)
LENGTH_KERNEL(bit_length, text.len * 8)

ErrorCode func__ascii(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        uint32_t code_point = 0;
        (void)utf8_decode(func__text(a, row), 0, &code_point);
        ((int32_t *)vector_data(out))[row] = (int32_t)code_point;
    }
    return ERR_OK;
}

ErrorCode func__chr(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int32_t code = AT(int32_t, a, row);
        if (code == 0) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "null character not permitted");
        }
        if (code < 0) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "character number must be positive");
        }
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "requested character too large for encoding: %d", (int)code);
        }
        char text[STRREF_INLINE] = {0};
        func__put_text(out, row, str_from(text, (size_t)utf8_encode((uint32_t)code, text)));
    }
    return ERR_OK;
}

/* ---- substr ---- */

/* Characters from..to (from 0, exclusive end), both clipped to the text. A slice, not a copy. */
static Str slice_characters(Str text, int64_t from, int64_t to) {
    from = MAX_OF(from, 0);
    if (to <= from) {
        return STR("");
    }
    size_t start = utf8_offset(text, (size_t)MIN_OF(from, (int64_t)text.len));
    Str rest = str_slice(text, start, text.len);
    size_t end = utf8_offset(rest, (size_t)MIN_OF(to - from, (int64_t)rest.len));
    return str_slice(rest, 0, end);
}

/* The argument's bytes live as long as the batch, so results may point into them; inline ones are copied by strref_make. */
ErrorCode func__substr_from(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), from = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        func__put_copy(call, out, row, slice_characters(text, (int64_t)AT(int32_t, from, row) - 1, INT64_MAX));
    }
    return ERR_OK;
}

ErrorCode func__substr(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), from = func__arg(call, 1), count = func__arg(call, 2);
    FOR_ROWS(call, row) {
        int64_t start = (int64_t)AT(int32_t, from, row) - 1;
        if (AT(int32_t, count, row) < 0) {
            return error_set(err, ERR_SUBSTRING_ERROR, ERROR_NO_POSITION, "negative substring length not allowed");
        }
        func__put_copy(call, out, row, slice_characters(func__text(a, row), start, start + AT(int32_t, count, row)));
    }
    return ERR_OK;
}

/* left(x, -n): all but the last n; right(x, -n): all but the first n. */
ErrorCode func__left(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), count = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        int64_t n = AT(int32_t, count, row);
        func__put_copy(call, out, row, slice_characters(text, 0, n >= 0 ? n : (int64_t)utf8_length(text) + n));
    }
    return ERR_OK;
}

ErrorCode func__right(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), count = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        int64_t n = AT(int32_t, count, row);
        int64_t from = n >= 0 ? (int64_t)utf8_length(text) - n : n == INT32_MIN ? 0 : -n; /* PostgreSQL's -n of the least integer wraps */
        func__put_copy(call, out, row, slice_characters(text, from, INT64_MAX));
    }
    return ERR_OK;
}

/* ---- substr of bytes ---- */

ErrorCode func__substr_bytea(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), from = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Str bytes = func__text(a, row);
        int64_t start = (int64_t)AT(int32_t, from, row) - 1, end = INT64_MAX;
        if (call->arg_count > 2) {
            int64_t count = AT(int32_t, func__arg(call, 2), row);
            if (count < 0) {
                return error_set(err, ERR_SUBSTRING_ERROR, ERROR_NO_POSITION, "negative substring length not allowed");
            }
            end = start + count;
        }
        start = MIN_OF(MAX_OF(start, 0), (int64_t)bytes.len);
        end = MIN_OF(MAX_OF(end, start), (int64_t)bytes.len);
        func__put_copy(call, out, row, str_slice(bytes, (size_t)start, (size_t)end));
    }
    return ERR_OK;
}

/* ---- trim ---- */

static bool is_member(Str set, Str text, size_t at, size_t bytes) {
    for (size_t i = 0; i < set.len;) {
        uint32_t ignored;
        int used = utf8_decode(set, i, &ignored);
        size_t step = used <= 0 ? 1 : (size_t)used;
        if (step == bytes && memcmp(set.data + i, text.data + at, bytes) == 0) {
            return true;
        }
        i += step;
    }
    return false;
}

static size_t character_before(Str text, size_t end) {
    size_t start = end - 1;
    while (start > 0 && ((unsigned char)text.data[start] & 0xc0) == 0x80) {
        start--;
    }
    return start;
}

static Str trimmed(Str text, Str set, bool front, bool back) {
    size_t from = 0, to = text.len;
    while (front && from < to) {
        uint32_t ignored;
        int used = utf8_decode(text, from, &ignored);
        size_t bytes = used <= 0 ? 1 : (size_t)used;
        if (!is_member(set, text, from, bytes)) {
            break;
        }
        from += bytes;
    }
    while (back && to > from) {
        size_t start = character_before(text, to);
        if (!is_member(set, text, start, to - start)) {
            break;
        }
        to = start;
    }
    return str_slice(text, from, to);
}

static ErrorCode trim_rows(const KernelCall *call, Vector *out, bool front, bool back) {
    ArgView a = func__arg(call, 0);
    ArgView set = call->arg_count > 1 ? func__arg(call, 1) : a;
    FOR_ROWS(call, row) {
        Str characters = call->arg_count > 1 ? func__text(set, row) : STR(" ");
        func__put_copy(call, out, row, trimmed(func__text(a, row), characters, front, back));
    }
    return ERR_OK;
}

ErrorCode func__btrim(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return trim_rows(call, out, true, true);
}
ErrorCode func__ltrim(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return trim_rows(call, out, true, false);
}
ErrorCode func__rtrim(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return trim_rows(call, out, false, true);
}

/* ---- split_part, overlay ---- */

static int64_t count_fields(Str text, Str separator) {
    int64_t fields = 1;
    for (ptrdiff_t at = str_find(text, separator, 0); at >= 0; at = str_find(text, separator, (size_t)at + separator.len)) {
        fields++;
    }
    return fields;
}

static Str field_of(Str text, Str separator, int64_t number) {
    size_t from = 0;
    for (int64_t field = 1;; field++) {
        ptrdiff_t at = str_find(text, separator, from);
        if (field == number) {
            return str_slice(text, from, at < 0 ? text.len : (size_t)at);
        }
        if (at < 0) {
            return STR("");
        }
        from = (size_t)at + separator.len;
    }
}

/* Negative numbers count from the end. */
ErrorCode func__split_part(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1), n = func__arg(call, 2);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row), separator = func__text(b, row), part = STR("");
        int64_t number = AT(int32_t, n, row);
        if (number == 0) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "field position must not be zero");
        }
        if (separator.len == 0) {
            part = number == 1 || number == -1 ? text : part;
        } else {
            number = number < 0 ? number + 1 + count_fields(text, separator) : number;
            part = number >= 1 ? field_of(text, separator, number) : part;
        }
        func__put_copy(call, out, row, part);
    }
    return ERR_OK;
}

/* overlay(x, new, from[, count]) */
ErrorCode func__overlay(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1), from = func__arg(call, 2);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row), middle = func__text(b, row);
        int64_t start = AT(int32_t, from, row);
        int64_t count = call->arg_count > 3 ? AT(int32_t, func__arg(call, 3), row) : (int64_t)utf8_length(middle);
        if (start <= 0) {
            return error_set(err, ERR_SUBSTRING_ERROR, ERROR_NO_POSITION, "negative substring length not allowed");
        }
        Str head = slice_characters(text, 0, start - 1);
        Str tail = slice_characters(text, start - 1 + count, INT64_MAX);
        TRY(func__check_text_bytes(head.len + middle.len + tail.len, err));
        char *room = text__room(call, head.len + middle.len + tail.len);
        memcpy(room, head.data, head.len);
        memcpy(room + head.len, middle.data, middle.len);
        memcpy(room + head.len + middle.len, tail.data, tail.len);
        func__put_text(out, row, str_from(room, head.len + middle.len + tail.len));
    }
    return ERR_OK;
}

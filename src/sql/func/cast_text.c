/* SPDX-License-Identifier: Apache-2.0
 * cast_text.c - casts from and to text, length rules of varchar(n) and char(n), times among each other. */
#include "sql/func/cast_internal.h"
#include "sql/func/text/text_internal.h"
#include "sql/func/time/time_internal.h"

ErrorCode cast__fit_text(Type type, Str text, bool explicit, Arena *arena, Str *text_out, Error *err) {
    *text_out = text;
    size_t limit = type.length > 0 ? (size_t)type.length : SIZE_MAX;
    if (type.length <= 0 || (text.len <= limit && type.id != TYPE_BPCHAR)) {
        return ERR_OK;
    }
    size_t have = utf8_length(text);
    if (have > limit) {
        size_t end = utf8_offset(text, limit);
        for (size_t i = end; i < text.len && !explicit; i++) {
            if (text.data[i] != ' ') {
                return error_set(err, ERR_STRING_TOO_LONG, ERROR_NO_POSITION, "value too long for type %s(%d)",
                                 type_sql_name((TypeId)type.id), (int)type.length);
            }
        }
        *text_out = str_slice(text, 0, end);
    } else if (type.id == TYPE_BPCHAR && have < limit) {
        char *room = arena_alloc_aligned(arena, text.len + limit - have, 1);
        memcpy(room, text.data, text.len);
        memset(room + text.len, ' ', limit - have);
        *text_out = str_from(room, text.len + limit - have);
    }
    return ERR_OK;
}

static ErrorCode put_fitted(const KernelCall *call, Vector *out, size_t row, Str text, Error *err) {
    Str fitted;
    TRY(cast__fit_text(cast__target(call, out), text, cast__is_explicit(call), call->arena, &fitted, err));
    func__put_copy(call, out, row, fitted);
    return ERR_OK;
}

/* Texts among each other. */
ErrorCode cast__text_text(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        TRY(put_fitted(call, out, row, func__text(a, row), err));
    }
    return ERR_OK;
}

/* char(n) -> text drops the padding. */
ErrorCode cast__bpchar_text(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        while (text.len > 0 && text.data[text.len - 1] == ' ') {
            text.len--;
        }
        TRY(put_fitted(call, out, row, text, err));
    }
    return ERR_OK;
}

/* Symbol texts live as long as the dictionary: no copy. */
ErrorCode cast__symbol_text(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str text = vector_text(call->args[0], row), fitted;
        TRY(cast__fit_text(cast__target(call, out), text, cast__is_explicit(call), call->arena, &fitted, err));
        func__put_text(out, row, fitted);
    }
    return ERR_OK;
}

ErrorCode cast__to_text(const KernelCall *call, Vector *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    bool is_bool = call->args[0]->type.id == TYPE_BOOL;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        if (is_bool) { /* the cast says true, the output function t */
            buffer_append_str(&buffer, func__bool(func__arg(call, 0), row) ? STR("true") : STR("false"));
        } else {
            text__append_any(call, 0, row, &buffer);
        }
        TRY_OR(done, put_fitted(call, out, row, buffer_str(&buffer), err));
        buffer_clear(&buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

ErrorCode cast__from_text(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    Type type = cast__target(call, out);
    size_t width = physical_bytes(type_physical((TypeId)type.id));
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        if (width == 0) {
            uint8_t truth;
            TRY(value_parse(type, text, call->environment, call->arena, &truth, err));
            func__put_bool(out, row, truth != 0);
            continue;
        }
        if (cast__is_explicit(call) && type_is_text((TypeId)type.id)) {
            TRY(put_fitted(call, out, row, text, err));
            continue;
        }
        TRY(value_parse(type, text, call->environment, call->arena, (uint8_t *)vector_data(out) + row * width, err));
    }
    return ERR_OK;
}

ErrorCode cast__char_int(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ((int32_t *)vector_data(out))[row] = AT(int32_t, a, row);
    }
    return ERR_OK;
}

ErrorCode cast__int_char(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int32_t code = AT(int32_t, a, row);
        if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
            return func__out_of_range(TYPE_CHAR, err);
        }
        ((int32_t *)vector_data(out))[row] = code;
    }
    return ERR_OK;
}

/* Any time to any other: by the wall clock; what a coarser type cannot hold is cut. */
ErrorCode cast__time_time(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    TypeId from = (TypeId)call->args[0]->type.id, to = (TypeId)out->type.id;
    FOR_ROWS(call, row) {
        Wall wall = time__load(from, time__at(a, row), func__zone(call));
        TRY(time__store(to, wall, func__zone(call), time__slot(out, row), err));
        TRY(cast__apply_precision(cast__target(call, out), time__slot(out, row), err));
    }
    return ERR_OK;
}

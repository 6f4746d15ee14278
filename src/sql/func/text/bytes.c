/* SPDX-License-Identifier: Apache-2.0
 * text/bytes.c - bytea: single bytes and bits, parts, trims, checksums. Bits count from the lowest of the first byte. */
#include "base/hash.h"
#include "sql/func/text/text_internal.h"

/* ---- bytes and bits ---- */

static ErrorCode check_place(int64_t place, int64_t count, Error *err) {
    return place >= 0 && place < count
               ? ERR_OK
               : error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "index %lld out of valid range, 0..%lld", (long long)place, (long long)(count - 1));
}

static int64_t place_at(const KernelCall *call, size_t row) {
    ArgView view = func__arg(call, 1);
    return call->args[1]->type.id == TYPE_INT8 ? AT(int64_t, view, row) : AT(int32_t, view, row);
}

ErrorCode func__get_byte(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        int64_t place = place_at(call, row);
        TRY(check_place(place, (int64_t)bytes.len, err));
        ((int32_t *)vector_data(out))[row] = (uint8_t)bytes.data[place];
    }
    return ERR_OK;
}

ErrorCode func__get_bit(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        int64_t place = place_at(call, row);
        TRY(check_place(place, (int64_t)bytes.len * 8, err));
        ((int32_t *)vector_data(out))[row] = (uint8_t)bytes.data[place / 8] >> (place % 8) & 1;
    }
    return ERR_OK;
}

static char *writable_copy(const KernelCall *call, Str bytes) {
    char *room = text__room(call, bytes.len);
    memcpy(room, bytes.data, bytes.len);
    return room;
}

ErrorCode func__set_byte(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        int64_t place = place_at(call, row);
        TRY(check_place(place, (int64_t)bytes.len, err));
        char *room = writable_copy(call, bytes);
        room[place] = (char)AT(int32_t, func__arg(call, 2), row);
        func__put_text(out, row, (Str){room, bytes.len});
    }
    return ERR_OK;
}

ErrorCode func__set_bit(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        int64_t place = place_at(call, row);
        int32_t bit = AT(int32_t, func__arg(call, 2), row);
        TRY(check_place(place, (int64_t)bytes.len * 8, err));
        if (bit != 0 && bit != 1) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "new bit must be 0 or 1");
        }
        char *room = writable_copy(call, bytes);
        uint8_t mask = (uint8_t)(1u << (place % 8));
        room[place / 8] = (char)(bit != 0 ? (uint8_t)room[place / 8] | mask : (uint8_t)room[place / 8] & ~mask);
        func__put_text(out, row, (Str){room, bytes.len});
    }
    return ERR_OK;
}

ErrorCode func__bit_count_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        int64_t count = 0;
        for (size_t i = 0; i < bytes.len; i++) {
            count += __builtin_popcount((uint8_t)bytes.data[i]);
        }
        ((int64_t *)vector_data(out))[row] = count;
    }
    return ERR_OK;
}

/* ---- parts ---- */

ErrorCode func__overlay_bytea(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row), middle = func__text(func__arg(call, 1), row);
        int64_t start = AT(int32_t, func__arg(call, 2), row);
        int64_t count = call->arg_count > 3 ? AT(int32_t, func__arg(call, 3), row) : (int64_t)middle.len;
        if (start <= 0) {
            return error_set(err, ERR_SUBSTRING_ERROR, ERROR_NO_POSITION, "negative substring length not allowed");
        }
        int64_t end = MIN_OF(MAX_OF(start - 1 + count, 0), (int64_t)bytes.len);
        Str head = str_slice(bytes, 0, (size_t)MIN_OF(start - 1, (int64_t)bytes.len)), tail = str_slice(bytes, (size_t)end, bytes.len);
        size_t len = head.len + middle.len + tail.len;
        TRY(func__check_text_bytes(len, err));
        char *room = text__room(call, len);
        memcpy(room, head.data, head.len);
        memcpy(room + head.len, middle.data, middle.len);
        memcpy(room + head.len + middle.len, tail.data, tail.len);
        func__put_text(out, row, (Str){room, len});
    }
    return ERR_OK;
}

/* position(part, whole): from 1 on, 0 = not there. */
ErrorCode func__position_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Str part = func__text(func__arg(call, 0), row), whole = func__text(func__arg(call, 1), row);
        int32_t place = part.len == 0 ? 1 : 0;
        for (size_t at = 0; place == 0 && at + part.len <= whole.len; at++) {
            place = memcmp(whole.data + at, part.data, part.len) == 0 ? (int32_t)at + 1 : 0;
        }
        ((int32_t *)vector_data(out))[row] = place;
    }
    return ERR_OK;
}

static ErrorCode trim_rows(const KernelCall *call, Vector *out, bool left, bool right) {
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row), set = func__text(func__arg(call, 1), row);
        while (left && bytes.len > 0 && str_find_char(set, bytes.data[0], 0) >= 0) {
            bytes = str_slice(bytes, 1, bytes.len);
        }
        while (right && bytes.len > 0 && str_find_char(set, bytes.data[bytes.len - 1], 0) >= 0) {
            bytes.len--;
        }
        func__put_text(out, row, bytes);
    }
    return ERR_OK;
}

ErrorCode func__btrim_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return trim_rows(call, out, true, true);
}
ErrorCode func__ltrim_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return trim_rows(call, out, true, false);
}
ErrorCode func__rtrim_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return trim_rows(call, out, false, true);
}

ErrorCode func__reverse_bytea(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        char *room = text__room(call, bytes.len);
        for (size_t i = 0; i < bytes.len; i++) {
            room[i] = bytes.data[bytes.len - 1 - i];
        }
        func__put_text(out, row, (Str){room, bytes.len});
    }
    return ERR_OK;
}

/* ---- checksums ---- */

ErrorCode func__crc32(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        uint32_t crc = UINT32_MAX;
        for (size_t i = 0; i < bytes.len; i++) {
            crc ^= (uint8_t)bytes.data[i];
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
            }
        }
        ((int64_t *)vector_data(out))[row] = (int64_t)(uint32_t)~crc;
    }
    return ERR_OK;
}

ErrorCode func__crc32c(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Str bytes = func__text(func__arg(call, 0), row);
        ((int64_t *)vector_data(out))[row] = (int64_t)crc32c(0, bytes.data, bytes.len);
    }
    return ERR_OK;
}

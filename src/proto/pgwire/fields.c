/* SPDX-License-Identifier: Apache-2.0
 * fields.c - the fields of a message's body, read in order; texts that must be UTF-8. */
#include "proto/pgwire/pgwire_internal.h"
#include <stdio.h>

Bytes pgwire__bytes(Fields *fields, size_t len) {
    assert(fields->at <= fields->end);
    if (len > (size_t)(fields->end - fields->at)) {
        fields->failed = true;
        fields->at = fields->end;
        return (Bytes){0};
    }
    Bytes bytes = bytes_from(fields->at, len);
    fields->at += len;
    return bytes;
}

uint8_t pgwire__u8(Fields *fields) {
    Bytes bytes = pgwire__bytes(fields, 1);
    return bytes.len == 0 ? 0 : bytes.data[0];
}

uint16_t pgwire__u16(Fields *fields) {
    Bytes bytes = pgwire__bytes(fields, 2);
    return bytes.len == 0 ? 0 : pgwire_get_u16(bytes.data);
}

uint32_t pgwire__u32(Fields *fields) {
    Bytes bytes = pgwire__bytes(fields, 4);
    return bytes.len == 0 ? 0 : pgwire_get_u32(bytes.data);
}

Str pgwire__text(Fields *fields) {
    size_t room = (size_t)(fields->end - fields->at);
    const uint8_t *nul = room == 0 ? NULL : memchr(fields->at, 0, room);
    if (nul == NULL) {
        fields->failed = true;
        fields->at = fields->end;
        return STR("");
    }
    Str text = str_from((const char *)fields->at, (size_t)(nul - fields->at));
    fields->at = nul + 1;
    return text;
}

ErrorCode pgwire__fields_end(const Fields *fields, Error *err) {
    int64_t offset = fields->at - fields->start;
    if (fields->failed) {
        return error_set(err, ERR_PROTOCOL, offset, "insufficient data left in message");
    }
    if (fields->at != fields->end) {
        return error_set(err, ERR_PROTOCOL, offset, "invalid message format");
    }
    return ERR_OK;
}

ErrorCode pgwire__formats(Fields *fields, PgFormats *formats_out, Error *err) {
    uint16_t count = pgwire__u16(fields);
    Bytes codes = pgwire__bytes(fields, (size_t)count * 2);
    *formats_out = (PgFormats){.count = codes.data == NULL ? 0 : count, .codes = codes.data};
    for (uint16_t i = 0; i < formats_out->count; i++) {
        int16_t code = (int16_t)pgwire_get_u16(codes.data + (size_t)i * 2);
        if (code != 0 && code != 1) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unsupported format code: %d", code);
        }
    }
    return ERR_OK;
}

const Bytes *pgwire__values(Fields *fields, uint16_t count, Arena *arena) {
    enum { NULL_LENGTH = UINT32_MAX };
    if ((size_t)(fields->end - fields->at) / 4 < count) { /* no memory for counts that lie */
        fields->failed = true;
        return NULL;
    }
    Bytes *values = arena_array(arena, Bytes, count == 0 ? 1 : count);
    for (uint16_t i = 0; i < count && !fields->failed; i++) {
        uint32_t len = pgwire__u32(fields);
        if (len != NULL_LENGTH) {
            values[i] = pgwire__bytes(fields, len);
        }
    }
    return values;
}

ErrorCode pgwire_formats_check(const PgFormats *formats, uint16_t column_count, Error *err) {
    if (formats->count > 1 && formats->count != column_count) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "bind message has %u result formats but query has %u columns",
                         formats->count, column_count);
    }
    return ERR_OK;
}

/* Bytes that the first one promises; PostgreSQL prints so many of a broken sequence. */
static size_t promised_bytes(uint8_t first) {
    return (first & 0xE0) == 0xC0 ? 2 : (first & 0xF0) == 0xE0 ? 3 : (first & 0xF8) == 0xF0 ? 4 : 1;
}

static ErrorCode encoding_error(Str text, size_t at, Error *err) {
    char shown[4 * 5 + 1] = "";
    size_t count = MIN_OF(promised_bytes((uint8_t)text.data[at]), text.len - at);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(shown + i * 5, sizeof shown - i * 5, " 0x%02x", (uint8_t)text.data[at + i]);
    }
    return error_set(err, ERR_INVALID_ENCODING, (int64_t)at, "invalid byte sequence for encoding \"UTF8\":%s", shown);
}

ErrorCode pgwire_text_check(Str text, Error *err) {
    ptrdiff_t nul = text.len == 0 ? -1 : str_find_char(text, '\0', 0);
    if (nul < 0 && utf8_valid(text)) {
        return ERR_OK;
    }
    size_t at = 0;
    while (at < text.len && text.data[at] != '\0') {
        uint32_t code_point;
        int used = utf8_decode(text, at, &code_point);
        if (used <= 0) {
            break;
        }
        at += (size_t)used;
    }
    assert(at < text.len);
    return encoding_error(text, at, err);
}

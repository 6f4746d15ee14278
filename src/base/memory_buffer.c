/* SPDX-License-Identifier: Apache-2.0
 * memory_buffer.c - growing bytes with a limit and a sticky failure; the bounded reader that is its opposite.
 *
 * Why: writers and readers of formats are long lists of small steps; one check at their end is easier to get right than one
 * after each step. Tests: test/unit/base/test_memory.c */
#include "base/memory.h"
#include <stdarg.h>
#include <stdio.h>

enum { CAPACITY_MIN = 256, VARINT_BYTES_MAX = 10 };

void buffer_init(Buffer *buffer, size_t limit_bytes) {
    *buffer = (Buffer){.limit_bytes = limit_bytes};
}

void buffer_deinit(Buffer *buffer) {
    mem_free(buffer->data);
    *buffer = (Buffer){.limit_bytes = buffer->limit_bytes};
}

static void grow(Buffer *buffer, size_t need) {
    size_t capacity = MAX_OF(buffer->capacity, (size_t)CAPACITY_MIN);
    while (capacity < need) {
        capacity += capacity / 2;
    }
    capacity = MAX_OF(need, MIN_OF(capacity, buffer->limit_bytes));
    buffer->data = mem_realloc(buffer->data, capacity);
    buffer->capacity = capacity;
}

uint8_t *buffer_reserve(Buffer *buffer, size_t bytes) {
    assert(buffer->len <= buffer->capacity);
    if (UNLIKELY(buffer->failed || buffer->len > buffer->limit_bytes || bytes > buffer->limit_bytes - buffer->len)) {
        buffer->failed = true;
        return NULL;
    }
    if (UNLIKELY(buffer->data == NULL || bytes > buffer->capacity - buffer->len)) {
        grow(buffer, buffer->len + bytes);
    }
    return buffer->data + buffer->len;
}

void buffer_append_slowly(Buffer *buffer, const void *data, size_t len) {
    uint8_t *at = buffer_reserve(buffer, len);
    if (at != NULL && len != 0) {
        memcpy(at, data, len);
        buffer->len += len;
    }
}

void buffer_append_str(Buffer *buffer, Str s) {
    buffer_append(buffer, s.data, s.len);
}

void buffer_append_char(Buffer *buffer, char c) {
    buffer_append(buffer, &c, 1);
}

void buffer_append_upper(Buffer *buffer, Str s) {
    for (size_t i = 0; i < s.len; i++) {
        buffer_append_char(buffer, char_upper(s.data[i]));
    }
}

void buffer_append_fill(Buffer *buffer, int byte, size_t count) {
    uint8_t *at = buffer_reserve(buffer, count);
    if (at != NULL) {
        memset(at, byte, count);
        buffer->len += count;
    }
}

void buffer_printf(Buffer *buffer, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(len >= 0);
    size_t before = buffer->len;
    /* vsnprintf ends its text with NUL, so one byte more is borrowed; it is not counted in len. */
    if (buffer_reserve(buffer, (size_t)len) != NULL) {
        if (buffer->capacity - before <= (size_t)len) {
            buffer->data = mem_realloc(buffer->data, buffer->capacity + 1);
            buffer->capacity += 1;
        }
        vsnprintf((char *)buffer->data + before, (size_t)len + 1, format, again);
        buffer->len = before + (size_t)len;
    }
    va_end(again);
}

void buffer_put_u8(Buffer *buffer, uint8_t v) {
    buffer_append(buffer, &v, 1);
}

void buffer_put_u16le(Buffer *buffer, uint16_t v) {
    buffer_append(buffer, &v, sizeof v);
}

void buffer_put_u32le(Buffer *buffer, uint32_t v) {
    buffer_append(buffer, &v, sizeof v);
}

void buffer_put_u64le(Buffer *buffer, uint64_t v) {
    buffer_append(buffer, &v, sizeof v);
}

void buffer_put_varint(Buffer *buffer, uint64_t v) {
    uint8_t bytes[VARINT_BYTES_MAX];
    size_t len = 0;
    while (v >= 0x80) {
        bytes[len++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    bytes[len++] = (uint8_t)v;
    buffer_append(buffer, bytes, len);
}

void buffer_put_text(Buffer *buffer, Str s) {
    if (s.len > UINT32_MAX) {
        buffer->failed = true;
        return;
    }
    buffer_put_u32le(buffer, (uint32_t)s.len);
    buffer_append_str(buffer, s);
}

ErrorCode buffer_check(const Buffer *buffer, Error *err) {
    if (buffer->failed) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "more than the limit of %zu bytes", buffer->limit_bytes);
    }
    return ERR_OK;
}

/* The next len bytes, or NULL (and failed set) if there are fewer. */
static const uint8_t *take(Reader *r, size_t len) {
    assert(r->at <= r->len);
    if (UNLIKELY(r->failed || len > r->len - r->at)) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *at = r->data + r->at;
    r->at += len;
    return at;
}

uint8_t reader_u8(Reader *r) {
    const uint8_t *at = take(r, 1);
    return at == NULL ? 0 : *at;
}

uint16_t reader_u16le(Reader *r) {
    const uint8_t *at = take(r, 2);
    return at == NULL ? 0 : get_u16le(at);
}

uint32_t reader_u32le(Reader *r) {
    const uint8_t *at = take(r, 4);
    return at == NULL ? 0 : get_u32le(at);
}

uint64_t reader_u64le(Reader *r) {
    const uint8_t *at = take(r, 8);
    return at == NULL ? 0 : get_u64le(at);
}

uint64_t reader_varint(Reader *r) {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte = reader_u8(r);
        if (shift == 63 && byte > 1) {
            break; /* does not fit 64 bits */
        }
        v |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return r->failed ? 0 : v;
        }
    }
    r->failed = true;
    return 0;
}

Bytes reader_bytes(Reader *r, size_t len) {
    const uint8_t *at = take(r, len);
    return at == NULL ? (Bytes){NULL, 0} : (Bytes){at, len};
}

Str reader_text(Reader *r) {
    uint32_t len = reader_u32le(r);
    Bytes bytes = reader_bytes(r, len);
    return (Str){(const char *)bytes.data, bytes.len};
}

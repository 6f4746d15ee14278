/* SPDX-License-Identifier: Apache-2.0
 * write.c - the server's messages that are a type byte, a length and a few plain fields.
 *
 * Layout: u8 type | u32 length without the type, big-endian | fields (docs/format/pgwire.md). Tests: test/unit/proto/pgwire/test_write.c */
#include "proto/pgwire/pgwire_internal.h"

size_t pgwire__begin(Buffer *out, char type) {
    size_t begin = out->len;
    buffer_append(out, (const char[5]){type}, 5);
    return begin;
}

void pgwire__end(Buffer *out, size_t begin) {
    if (out->failed) {
        return;
    }
    assert(out->len >= begin + 5);
    uint32_t length = __builtin_bswap32((uint32_t)(out->len - begin - 1));
    memcpy(out->data + begin + 1, &length, 4);
}

void pgwire__put_u16(Buffer *out, uint16_t value) {
    uint16_t swapped = __builtin_bswap16(value);
    buffer_append(out, &swapped, 2);
}

void pgwire__put_u32(Buffer *out, uint32_t value) {
    uint32_t swapped = __builtin_bswap32(value);
    buffer_append(out, &swapped, 4);
}

void pgwire__put_text(Buffer *out, Str text) {
    ptrdiff_t nul = str_find_char(text, '\0', 0);
    buffer_append(out, text.data, nul < 0 ? text.len : (size_t)nul);
    buffer_append_char(out, '\0');
}

/* A message without fields. */
static void write_empty(Buffer *out, char type) {
    buffer_append(out, (const char[5]){type, 0, 0, 0, 4}, 5);
}

void pgwire_write_parse_complete(Buffer *out) { write_empty(out, '1'); }
void pgwire_write_bind_complete(Buffer *out) { write_empty(out, '2'); }
void pgwire_write_close_complete(Buffer *out) { write_empty(out, '3'); }
void pgwire_write_no_data(Buffer *out) { write_empty(out, 'n'); }
void pgwire_write_empty_query(Buffer *out) { write_empty(out, 'I'); }
void pgwire_write_portal_suspended(Buffer *out) { write_empty(out, 's'); }
void pgwire_write_copy_done(Buffer *out) { write_empty(out, 'c'); }

void pgwire_write_ready(Buffer *out, char status) {
    assert(status == PGWIRE_STATUS_IDLE || status == PGWIRE_STATUS_TRANSACTION || status == PGWIRE_STATUS_FAILED);
    buffer_append(out, (const char[6]){'Z', 0, 0, 0, 5, status}, 6);
}

void pgwire_write_parameter_status(Buffer *out, Str name, Str value) {
    size_t begin = pgwire__begin(out, 'S');
    pgwire__put_text(out, name);
    pgwire__put_text(out, value);
    pgwire__end(out, begin);
}

void pgwire_write_backend_key(Buffer *out, uint32_t pid, Bytes key) {
    assert(key.len >= PGWIRE_CANCEL_KEY_MIN);
    assert(key.len <= PGWIRE_CANCEL_KEY_MAX);
    size_t begin = pgwire__begin(out, 'K');
    pgwire__put_u32(out, pid);
    buffer_append(out, key.data, key.len);
    pgwire__end(out, begin);
}

void pgwire_write_negotiate_version(Buffer *out, const PgStartup *startup) {
    size_t begin = pgwire__begin(out, 'v');
    pgwire__put_u32(out, MIN_OF(startup->version, (uint32_t)PGWIRE_VERSION_NEWEST));
    pgwire__put_u32(out, startup->unknown_option_count);
    for (size_t i = 0; i < startup->unknown_option_count; i++) {
        pgwire__put_text(out, startup->unknown_options[i]);
    }
    pgwire__end(out, begin);
}

void pgwire_write_command_complete(Buffer *out, Str tag) {
    size_t begin = pgwire__begin(out, 'C');
    pgwire__put_text(out, tag);
    pgwire__end(out, begin);
}

void pgwire_write_notification(Buffer *out, uint32_t pid, Str channel, Str payload) {
    size_t begin = pgwire__begin(out, 'A');
    pgwire__put_u32(out, pid);
    pgwire__put_text(out, channel);
    pgwire__put_text(out, payload);
    pgwire__end(out, begin);
}

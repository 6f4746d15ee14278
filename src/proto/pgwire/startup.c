/* SPDX-License-Identifier: Apache-2.0
 * startup.c - the packets before the session: u32 length | u32 code | …; they have no type byte.
 *
 * Tests: test/unit/proto/pgwire/test_startup.c, fuzz/fuzz_pgwire.c */
#include "proto/pgwire/pgwire_internal.h"

enum {
    CODE_CANCEL = 80877102, CODE_SSL = 80877103, CODE_GSS = 80877104,
    TLS_HANDSHAKE = 0x16,
    HEAD_BYTES = 8
};

static PgResult bad(ErrorCode code) {
    assert(code != ERR_OK);
    return PGWIRE_BAD;
}

static ErrorCode read_cancel(PgStartup *startup, Fields *fields, Error *err) {
    startup->kind = PG_START_CANCEL;
    startup->cancel_pid = pgwire__u32(fields);
    size_t key_bytes = (size_t)(fields->end - fields->at);
    if (fields->failed || key_bytes < PGWIRE_CANCEL_KEY_MIN || key_bytes > PGWIRE_CANCEL_KEY_MAX) {
        return error_set(err, ERR_PROTOCOL, 0, "invalid length of cancel request packet");
    }
    startup->cancel_key = pgwire__bytes(fields, key_bytes);
    return ERR_OK;
}

static ErrorCode read_request(PgStartup *startup, PgStartKind kind, const Fields *fields, Error *err) {
    startup->kind = kind;
    if (fields->at != fields->end) {
        return error_set(err, ERR_PROTOCOL, 0, "invalid length of startup packet");
    }
    return ERR_OK;
}

static ErrorCode read_session(PgStartup *startup, uint32_t version, Fields *fields, Arena *arena, Error *err) {
    startup->kind = PG_START_SESSION;
    startup->version = version;
    if (version >> 16 != 3) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "unsupported frontend protocol %u.%u: server supports 3.0 to 3.2",
                         version >> 16, version & 0xFFFF);
    }
    startup->version_used = version >= PGWIRE_VERSION_3_2 ? PGWIRE_VERSION_3_2 : PGWIRE_VERSION_3_0;
    TRY(pgwire__startup_parameters(startup, fields, arena, err));
    startup->negotiate = version > PGWIRE_VERSION_NEWEST || startup->unknown_option_count > 0;
    return ERR_OK;
}

static ErrorCode read_packet(PgStartup *startup, Bytes packet, Arena *arena, Error *err) {
    char *copy = arena_alloc_aligned(arena, packet.len, 1);
    memcpy(copy, packet.data, packet.len);
    Fields fields = pgwire__fields(bytes_from(copy, packet.len));
    pgwire__bytes(&fields, 4); /* the length, looked at already */
    uint32_t code = pgwire__u32(&fields);
    switch (code) {
    case CODE_CANCEL:
        return read_cancel(startup, &fields, err);
    case CODE_SSL:
        return read_request(startup, PG_START_SSL, &fields, err);
    case CODE_GSS:
        return read_request(startup, PG_START_GSS, &fields, err);
    default:
        return read_session(startup, code, &fields, arena, err);
    }
}

PgResult pgwire_startup_read(PgStartup *startup, Bytes input, Arena *arena, size_t *used_out, Error *err) {
    *startup = (PgStartup){0};
    *used_out = 0;
    if (input.len > 0 && input.data[0] == TLS_HANDSHAKE) {
        startup->kind = PG_START_TLS;
        return PGWIRE_DONE;
    }
    if (input.len < 4) {
        return PGWIRE_NEED_MORE;
    }
    uint32_t length = pgwire_get_u32(input.data);
    if (length < HEAD_BYTES || length > PGWIRE_STARTUP_BYTES_MAX) {
        return bad(error_set(err, ERR_PROTOCOL, 0, "invalid length of startup packet"));
    }
    if (input.len < length) {
        return PGWIRE_NEED_MORE;
    }
    *used_out = length;
    return read_packet(startup, bytes_from(input.data, length), arena, err) == ERR_OK ? PGWIRE_DONE : PGWIRE_BAD;
}

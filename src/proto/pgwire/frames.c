/* SPDX-License-Identifier: Apache-2.0
 * frames.c - the client's stream cut into messages.
 *
 * States:     between messages -> (gathering | in pieces) -> between messages. A short message never leaves the first state.
 * Why:        a length is believed only as far as its message's row in the table allows; memory follows the bytes that came, so that
 *             a client which announces a gigabyte and sends nothing costs nothing.
 * Tests:      test/unit/proto/pgwire/test_frames.c, fuzz/fuzz_pgwire.c */
#include "proto/pgwire/pgwire_internal.h"

enum { HEAD_BYTES = 5 };

typedef struct Limits { uint32_t least, most; } Limits;

static bool find_limits(uint8_t type, Limits *limits_out) {
    switch (type) {
#define X(name, byte, least, most)                                                                                     \
    case byte:                                                                                                         \
        *limits_out = (Limits){least, most};                                                                           \
        return true;
        PGWIRE_FRONTEND(X)
#undef X
    }
    return false;
}

void pgwire_frames_init(PgFrames *frames, size_t message_bytes_max) {
    *frames = (PgFrames){.message_bytes_max = message_bytes_max == 0 ? PGWIRE_MESSAGE_BYTES_MAX : message_bytes_max};
    buffer_init(&frames->gathered, PGWIRE_MESSAGE_BYTES_MAX);
}

void pgwire_frames_deinit(PgFrames *frames) {
    buffer_deinit(&frames->gathered);
    *frames = (PgFrames){0};
}

static ErrorCode check_head(const PgFrames *frames, uint8_t type, uint32_t length, Error *err) {
    Limits limits;
    if (!find_limits(type, &limits)) {
        return error_set(err, ERR_PROTOCOL, 0, "invalid frontend message type %d", type);
    }
    if (frames->authenticating && type != PG_PASSWORD && type != PG_TERMINATE) {
        return error_set(err, ERR_PROTOCOL, 0, "expected password response, got message type %d", type);
    }
    if (length < 4 || length - 4 < limits.least || length - 4 > limits.most) {
        return error_set(err, ERR_PROTOCOL, 1, "invalid message length %u of message type \"%c\"", length, type);
    }
    if (limits.most == PGWIRE_MESSAGE_BYTES_MAX && type != PG_COPY_DATA && length - 4 > frames->message_bytes_max) {
        return error_set(err, ERR_TOO_LARGE, 1, "message of %u bytes is longer than the limit of %zu bytes", length - 4, frames->message_bytes_max);
    }
    return ERR_OK;
}

/* What is left of an open message, as far as the input has it. */
static PgResult next_piece(PgFrames *frames, Bytes input, PgMessage *message_out, size_t *used_out) {
    size_t take = MIN_OF(input.len - *used_out, frames->left);
    if (take == 0 && frames->left > 0) {
        return PGWIRE_NEED_MORE;
    }
    frames->left -= take;
    *message_out = (PgMessage){PG_COPY_DATA, bytes_from(input.data + *used_out, take), frames->left > 0};
    *used_out += take;
    if (frames->left == 0) {
        frames->open_type = 0;
    }
    return PGWIRE_DONE;
}

static PgResult gather(PgFrames *frames, Bytes input, PgMessage *message_out, size_t *used_out) {
    size_t take = MIN_OF(input.len - *used_out, frames->left);
    buffer_append(&frames->gathered, input.data + *used_out, take);
    assert(!frames->gathered.failed);
    *used_out += take;
    frames->left -= take;
    if (frames->left > 0) {
        return PGWIRE_NEED_MORE;
    }
    *message_out = (PgMessage){(PgFrontend)frames->open_type, buffer_bytes(&frames->gathered), false};
    frames->open_type = 0;
    frames->delivered = true;
    return PGWIRE_DONE;
}

static PgResult next_part(PgFrames *frames, Bytes input, PgMessage *message_out, size_t *used_out) {
    return frames->in_pieces ? next_piece(frames, input, message_out, used_out) : gather(frames, input, message_out, used_out);
}

PgResult pgwire_frames_next(PgFrames *frames, Bytes input, PgMessage *message_out, size_t *used_out, Error *err) {
    *used_out = 0;
    if (frames->delivered) {
        buffer_deinit(&frames->gathered);
        frames->delivered = false;
    }
    if (frames->open_type != 0) {
        return next_part(frames, input, message_out, used_out);
    }
    if (input.len < HEAD_BYTES) {
        return PGWIRE_NEED_MORE;
    }
    uint8_t type = input.data[0];
    uint32_t length = pgwire_get_u32(input.data + 1);
    if (check_head(frames, type, length, err) != ERR_OK) {
        return PGWIRE_BAD;
    }
    size_t body = length - 4;
    if (input.len - HEAD_BYTES >= body) {
        *message_out = (PgMessage){(PgFrontend)type, bytes_from(input.data + HEAD_BYTES, body), false};
        *used_out = HEAD_BYTES + body;
        return PGWIRE_DONE;
    }
    bool in_pieces = type == PG_COPY_DATA && frames->copy_pieces;
    if (!in_pieces && body <= PGWIRE_GATHER_BYTES) {
        return PGWIRE_NEED_MORE;
    }
    frames->open_type = type;
    frames->in_pieces = in_pieces;
    frames->left = body;
    *used_out = HEAD_BYTES;
    return next_part(frames, input, message_out, used_out);
}

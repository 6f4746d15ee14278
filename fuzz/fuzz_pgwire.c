/* SPDX-License-Identifier: Apache-2.0
 * fuzz_pgwire.c - any bytes as start packets and as a stream of messages; and streams whose framing is right, so that bodies are reached.
 *
 * Input:      byte 0: which reader and how the cutter is set; byte 1: size of the pieces. Then the bytes, or for made streams
 *             (type, length, bytes) one after the other.
 * Check:      the same bytes give the same result whole and in pieces; what was read lies inside of what came. */
#include "fuzz.h"
#include "proto/pgwire/pgwire.h"

enum { STREAM_BYTES_MAX = 1 << 20 };

static const char TYPES[] = "BCdcfDEHFPpQSX";

static void show(Buffer *out, Str text) {
    buffer_printf(out, "%zu:", text.len);
    buffer_append_str(out, text);
}

static void show_values(Buffer *out, const Bytes *values, uint16_t count) {
    for (uint16_t i = 0; i < count; i++) {
        if (values[i].data == NULL) {
            buffer_append_char(out, '~');
        } else {
            show(out, str_from((const char *)values[i].data, values[i].len));
        }
    }
}

static ErrorCode read_bind(Bytes body, Arena *arena, Buffer *out) {
    PgBind bind;
    TRY(pgwire_read_bind(body, arena, &bind, NULL));
    FUZZ_CHECK(bind.parameter_count <= body.len / 4);
    show(out, bind.portal);
    show(out, bind.statement);
    show_values(out, bind.parameters, bind.parameter_count);
    for (uint16_t i = 0; i < bind.parameter_count; i++) {
        FUZZ_CHECK(pgwire_format(&bind.parameter_formats, i) <= 1);
    }
    buffer_printf(out, "%d", (int)pgwire_formats_check(&bind.result_formats, 3, NULL));
    return ERR_OK;
}

static ErrorCode read_parse(Bytes body, Buffer *out) {
    PgParse parse;
    TRY(pgwire_read_parse(body, &parse, NULL));
    show(out, parse.statement);
    show(out, parse.text);
    FUZZ_CHECK(utf8_valid(parse.text));
    for (uint16_t i = 0; i < parse.oid_count; i++) {
        buffer_printf(out, "%u ", pgwire_oid(&parse, i));
    }
    return ERR_OK;
}

static ErrorCode read_password(Bytes body, Buffer *out) {
    Str password;
    PgSaslInitial initial;
    if (pgwire_read_password(body, &password, NULL) == ERR_OK) {
        show(out, password);
    }
    TRY(pgwire_read_sasl_initial(body, &initial, NULL));
    show(out, initial.mechanism);
    return ERR_OK;
}

static ErrorCode read_function_call(Bytes body, Arena *arena, Buffer *out) {
    PgFunctionCall call;
    TRY(pgwire_read_function_call(body, arena, &call, NULL));
    show_values(out, call.parameters, call.parameter_count);
    return ERR_OK;
}

static ErrorCode read_short(const PgMessage *message, Buffer *out) {
    PgTarget target = {0};
    PgExecute execute = {0};
    Str text = {0};
    switch (message->type) {
    case PG_DESCRIBE:
    case PG_CLOSE:
        TRY(pgwire_read_target(message->type, message->body, &target, NULL));
        text = target.name;
        break;
    case PG_EXECUTE:
        TRY(pgwire_read_execute(message->body, &execute, NULL));
        text = execute.portal;
        break;
    case PG_COPY_FAIL:
        TRY(pgwire_read_copy_fail(message->body, &text, NULL));
        break;
    default:
        text = str_from((const char *)message->body.data, message->body.len);
    }
    show(out, text);
    return ERR_OK;
}

static ErrorCode read_body(const PgMessage *message, Arena *arena, Buffer *out) {
    PgQuery query;
    switch (message->type) {
    case PG_QUERY:
        TRY(pgwire_read_query(message->body, &query, NULL));
        show(out, query.text);
        return ERR_OK;
    case PG_PARSE:
        return read_parse(message->body, out);
    case PG_BIND:
        return read_bind(message->body, arena, out);
    case PG_PASSWORD:
        return read_password(message->body, out);
    case PG_FUNCTION_CALL:
        return read_function_call(message->body, arena, out);
    default:
        return read_short(message, out);
    }
}

static void read_stream(Bytes input, size_t piece, uint8_t flags, Buffer *out) {
    Arena arena;
    PgFrames frames;
    size_t start = 0, seen = 0;
    arena_init(&arena, STREAM_BYTES_MAX * 8);
    pgwire_frames_init(&frames, 1 << 20);
    frames.authenticating = (flags & 1) != 0;
    frames.copy_pieces = (flags & 2) != 0;
    for (PgResult result = PGWIRE_NEED_MORE; result != PGWIRE_BAD && seen < input.len;) {
        seen = MIN_OF(input.len, seen + piece);
        do {
            PgMessage message;
            size_t used = 0;
            result = pgwire_frames_next(&frames, bytes_from(input.data + start, seen - start), &message, &used, NULL);
            FUZZ_CHECK(used <= seen - start);
            start += used;
            if (result == PGWIRE_DONE && message.type == PG_COPY_DATA && frames.copy_pieces) {
                buffer_append(out, message.body.data, message.body.len); /* pieces join to the same bytes */
                buffer_append_str(out, message.more ? STR("") : STR("|"));
            } else if (result == PGWIRE_DONE) {
                buffer_printf(out, "[%c %d]", (char)message.type, (int)read_body(&message, &arena, out));
            }
        } while (result == PGWIRE_DONE);
        if (result == PGWIRE_BAD) {
            buffer_append_str(out, STR("[bad]"));
        }
        arena_reset(&arena);
    }
    pgwire_frames_deinit(&frames);
    arena_deinit(&arena);
}

static void read_startup(Bytes input, size_t piece, Buffer *out) {
    Arena arena;
    size_t start = 0, seen = 0;
    arena_init(&arena, STREAM_BYTES_MAX);
    PgResult result = PGWIRE_NEED_MORE;
    while (result == PGWIRE_NEED_MORE && seen < input.len) {
        PgStartup startup;
        size_t used = 0;
        seen = MIN_OF(input.len, seen + piece);
        result = pgwire_startup_read(&startup, bytes_from(input.data + start, seen - start), &arena, &used, NULL);
        if (result == PGWIRE_NEED_MORE) {
            FUZZ_CHECK(seen - start < PGWIRE_STARTUP_BYTES_MAX);
            continue;
        }
        buffer_printf(out, "[%d %d]", (int)result, (int)startup.kind);
        start += used;
        if (result == PGWIRE_DONE && startup.kind == PG_START_SESSION) {
            FUZZ_CHECK(startup.user.len > 0);
            show(out, startup.user);
            show(out, startup.database);
            for (uint16_t i = 0; i < startup.parameter_count; i++) {
                show(out, startup.parameters[i].name);
                show(out, startup.parameters[i].value);
            }
        }
    }
    arena_deinit(&arena);
}

/* (type, length, bytes) … as whole messages, their lengths right. */
static void make_stream(Bytes recipe, Buffer *stream) {
    for (size_t at = 0; at + 2 <= recipe.len;) {
        size_t len = MIN_OF((size_t)recipe.data[at + 1], recipe.len - at - 2);
        uint32_t length = __builtin_bswap32((uint32_t)len + 4);
        buffer_append_char(stream, TYPES[recipe.data[at] % (sizeof TYPES - 1)]);
        buffer_append(stream, &length, 4);
        buffer_append(stream, recipe.data + at + 2, len);
        at += 2 + len;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3 || size > STREAM_BYTES_MAX) {
        return 0;
    }
    Buffer stream, whole, pieces;
    Bytes input = bytes_from(data + 2, size - 2);
    size_t piece = (size_t)data[1] + 1;
    uint8_t flags = (uint8_t)(data[0] >> 2);
    buffer_init(&stream, STREAM_BYTES_MAX * 8);
    buffer_init(&whole, STREAM_BYTES_MAX * 32);
    buffer_init(&pieces, STREAM_BYTES_MAX * 32);
    if (data[0] % 4 == 0) {
        read_startup(input, input.len, &whole);
        read_startup(input, piece, &pieces);
    } else {
        if (data[0] % 4 != 1) {
            make_stream(input, &stream);
            input = buffer_bytes(&stream);
        }
        read_stream(input, MAX_OF(input.len, (size_t)1), flags, &whole);
        read_stream(input, piece, flags, &pieces);
    }
    FUZZ_CHECK(str_equal(buffer_str(&whole), buffer_str(&pieces)));
    buffer_deinit(&stream);
    buffer_deinit(&whole);
    buffer_deinit(&pieces);
    return 0;
}

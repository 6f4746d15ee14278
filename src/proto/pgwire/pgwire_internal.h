/* SPDX-License-Identifier: Apache-2.0
 * pgwire_internal.h - shared inside proto/pgwire: big-endian fields out of a body, and messages whose length is set when they end. */
#pragma once
#include "proto/pgwire/pgwire.h"

/* Big-endian reader of a body; like base's Reader it is checked once, at the end. */
typedef struct Fields {
    const uint8_t *at, *end;
    const uint8_t *start;
    bool failed;
} Fields;
static inline Fields pgwire__fields(Bytes body) { return (Fields){body.data, body.data + body.len, body.data, false}; }
uint8_t pgwire__u8(Fields *fields);
uint16_t pgwire__u16(Fields *fields);
uint32_t pgwire__u32(Fields *fields);
Str pgwire__text(Fields *fields);                       /* up to its NUL */
Bytes pgwire__bytes(Fields *fields, size_t len);
/* The count and codes of a list of formats; each must be 0 or 1 (22023 else). */
ErrorCode pgwire__formats(Fields *fields, PgFormats *formats_out, Error *err);
/* Everything was there and nothing is left: else 08P01 "invalid message format". */
ErrorCode pgwire__fields_end(const Fields *fields, Error *err);
/* count values of a Bind or FunctionCall, in arena. Sets fields->failed where lengths lie. */
const Bytes *pgwire__values(Fields *fields, uint16_t count, Arena *arena);

size_t pgwire__begin(Buffer *out, char type);           /* place of the message, for pgwire__end */
void pgwire__end(Buffer *out, size_t begin);            /* writes the length */
void pgwire__put_u16(Buffer *out, uint16_t value);
void pgwire__put_u32(Buffer *out, uint32_t value);
void pgwire__put_text(Buffer *out, Str text);           /* cut at a NUL, with its NUL */

/* name NUL value NUL … NUL of a session's start packet, into startup. The texts stay where fields point. */
ErrorCode pgwire__startup_parameters(PgStartup *startup, Fields *fields, Arena *arena, Error *err);
/* "-c name=value --name=value": appends PgParameter to `parameters`. */
ErrorCode pgwire__startup_options(Str options, Arena *arena, Buffer *parameters, Error *err);

/* SPDX-License-Identifier: Apache-2.0
 * body.c - the bytes of a request body out of the stream: by length, or chunked (RFC 9112, 7.1).
 *
 * States:     LENGTH; or SIZE -> EXTENSION -> SIZE_LF -> DATA -> DATA_CR -> DATA_LF -> SIZE …, after the chunk of size 0 TRAILER; OVER.
 * Invariants: pieces point into the input; nothing is copied. Sizes have at most 15 hex digits, so they never overflow. */
#include "proto/http/http.h"

typedef enum BodyState { LENGTH, SIZE, EXTENSION, SIZE_LF, DATA, DATA_CR, DATA_LF, TRAILER, TRAILER_LF, OVER } BodyState;
enum { SIZE_DIGITS_MAX = 15 };

void http_body_init(HttpBody *body, const HttpRequest *request) {
    *body = (HttpBody){.chunked = request->chunked, .left = request->content_length};
    body->state = request->chunked ? SIZE : request->content_length == 0 ? OVER : LENGTH;
    if (request->chunked) {
        body->left = 0;
    }
}

static int hex_digit(uint8_t c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool step_size(HttpBody *body, uint8_t c) {
    int digit = hex_digit(c);
    if (digit >= 0) {
        body->left = body->left << 4 | (uint64_t)digit;
        return ++body->digits <= SIZE_DIGITS_MAX;
    }
    body->state = c == '\r' ? SIZE_LF : EXTENSION;
    return body->digits > 0 && (c == '\r' || c == ';');
}

/* One byte of framing. false: not HTTP. */
static bool step(HttpBody *body, uint8_t c) {
    body->line_bytes++;
    switch ((BodyState)body->state) {
    case SIZE: return step_size(body, c) && body->line_bytes <= HTTP_CHUNK_LINE_MAX;
    case EXTENSION:
        body->state = c == '\r' ? SIZE_LF : EXTENSION;
        return c != '\n' && body->line_bytes <= HTTP_CHUNK_LINE_MAX;
    case SIZE_LF:
        body->state = body->left > 0 ? DATA : TRAILER;
        body->line_bytes = 0;
        body->trailer_line = 0;
        return c == '\n';
    case DATA_CR: body->state = DATA_LF; return c == '\r';
    case DATA_LF:
        body->state = SIZE;
        body->digits = body->line_bytes = 0;
        return c == '\n';
    case TRAILER:
        if (c == '\r') {
            body->state = TRAILER_LF;
        } else {
            body->trailer_line = 1;
        }
        return c != '\n' && body->line_bytes <= HTTP_TRAILER_BYTES_MAX;
    case TRAILER_LF:
        body->state = body->trailer_line ? TRAILER : OVER;
        body->trailer_line = 0;
        return c == '\n';
    default: return false;
    }
}

static void take_data(HttpBody *body, Bytes input, size_t at, Bytes *piece_out, size_t *used_out) {
    size_t len = (size_t)MIN_OF((uint64_t)(input.len - at), body->left);
    *piece_out = bytes_from(input.data + at, len);
    *used_out = at + len;
    body->left -= len;
    if (body->left == 0) {
        body->state = body->chunked ? DATA_CR : OVER;
    }
}

HttpResult http_body_next(HttpBody *body, Bytes input, Bytes *piece_out, size_t *used_out, Error *err) {
    *piece_out = bytes_from(input.data, 0);
    *used_out = 0;
    size_t at = 0;
    while (body->state != OVER && at < input.len) {
        if (body->state == LENGTH || body->state == DATA) {
            take_data(body, input, at, piece_out, used_out);
            return body->state == OVER ? HTTP_DONE : HTTP_NEED_MORE;
        }
        if (!step(body, input.data[at++])) {
            (void)error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "bad chunked body");
            return HTTP_BAD;
        }
    }
    *used_out = at;
    return body->state == OVER ? HTTP_DONE : HTTP_NEED_MORE;
}

/* SPDX-License-Identifier: Apache-2.0
 * gzip.c - zlib as streaming filters. What comes out is counted against what went in, so that a small request cannot become an
 * endless one; zlib's own memory comes from base. */
#include <zlib.h>
#include "proto/http/http.h"

enum { PIECE_BYTES = 64 << 10, WINDOW_BITS = 15, GZIP_OR_ZLIB = 32, GZIP = 16, MEMORY_LEVEL = 8, OUT_STEP_BYTES = 16 << 10 };

struct HttpInflate {
    z_stream stream;
    bool done;
    uint64_t in_bytes, out_bytes;
    uint8_t piece[PIECE_BYTES + HTTP_INFLATE_PADDING];
};

static voidpf allocate(voidpf opaque, uInt count, uInt bytes) {
    (void)opaque;
    return mem_calloc(count, bytes);
}

static void release(voidpf opaque, voidpf pointer) {
    (void)opaque;
    mem_free(pointer);
}

HttpInflate *http_inflate_create(void) {
    HttpInflate *inflate_state = mem_calloc(1, sizeof(HttpInflate));
    inflate_state->stream.zalloc = allocate;
    inflate_state->stream.zfree = release;
    int result = inflateInit2(&inflate_state->stream, WINDOW_BITS + GZIP_OR_ZLIB);
    assert(result == Z_OK);
    (void)result;
    return inflate_state;
}

void http_inflate_destroy(HttpInflate *inflate_state) {
    if (inflate_state != NULL) {
        inflateEnd(&inflate_state->stream);
        mem_free(inflate_state);
    }
}

bool http_inflate_done(const HttpInflate *inflate_state) {
    return inflate_state->done;
}

static ErrorCode check_ratio(const HttpInflate *inflate_state, Error *err) {
    bool bomb = inflate_state->out_bytes > HTTP_GZIP_FREE_BYTES &&
                inflate_state->out_bytes / HTTP_GZIP_RATIO_MAX > inflate_state->in_bytes;
    return bomb ? error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "compressed body grows more than %d times", HTTP_GZIP_RATIO_MAX) : ERR_OK;
}

ErrorCode http_inflate_next(HttpInflate *inflate_state, Bytes input, Bytes *piece_out, size_t *used_out, Error *err) {
    z_stream *z = &inflate_state->stream;
    *piece_out = bytes_from(inflate_state->piece, 0);
    *used_out = 0;
    if (inflate_state->done && input.len > 0) {
        inflateReset(z); /* another member follows */
        inflate_state->done = false;
    }
    uInt room = (uInt)MIN_OF(input.len, (size_t)1 << 30);
    z->next_in = (Bytef *)input.data;
    z->avail_in = room;
    z->next_out = inflate_state->piece;
    z->avail_out = PIECE_BYTES;
    int result = inflate_state->done ? Z_STREAM_END : inflate(z, Z_NO_FLUSH);
    *used_out = room - z->avail_in;
    *piece_out = bytes_from(inflate_state->piece, PIECE_BYTES - z->avail_out);
    inflate_state->in_bytes += *used_out;
    inflate_state->out_bytes += piece_out->len;
    inflate_state->done = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "bad gzip data: %s", z->msg == NULL ? "damaged" : z->msg);
    }
    return check_ratio(inflate_state, err);
}

struct HttpDeflate { z_stream stream; };

HttpDeflate *http_deflate_create(void) {
    HttpDeflate *deflate_state = mem_calloc(1, sizeof(HttpDeflate));
    deflate_state->stream.zalloc = allocate;
    deflate_state->stream.zfree = release;
    int result = deflateInit2(&deflate_state->stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    assert(result == Z_OK);
    (void)result;
    return deflate_state;
}

void http_deflate_destroy(HttpDeflate *deflate_state) {
    if (deflate_state != NULL) {
        deflateEnd(&deflate_state->stream);
        mem_free(deflate_state);
    }
}

void http_deflate_append(HttpDeflate *deflate_state, Bytes data, bool last, Buffer *out) {
    z_stream *z = &deflate_state->stream;
    assert(data.len <= UINT32_MAX);
    z->next_in = (Bytef *)data.data;
    z->avail_in = (uInt)data.len;
    int flush = last ? Z_FINISH : Z_NO_FLUSH;
    do {
        uint8_t *room = buffer_reserve(out, OUT_STEP_BYTES);
        if (room == NULL) {
            return; /* out->failed tells */
        }
        z->next_out = room;
        z->avail_out = OUT_STEP_BYTES;
        int result = deflate(z, flush);
        assert(result != Z_STREAM_ERROR);
        (void)result;
        out->len += OUT_STEP_BYTES - z->avail_out;
    } while (z->avail_out == 0);
}

/* SPDX-License-Identifier: Apache-2.0
 * unpack.c - streaming gzip (zlib) and zstd. Several members in a row are read as one stream, as zcat does.
 *
 * Tests: test/unit/load/test_unpack.c */
#include "load/unpack.h"
#include <zlib.h>
#include <zstd.h>

enum { UNPACK_BUFFER_BYTES = 256 * 1024, MAGIC_BYTES = 4 };
typedef enum UnpackKind { UNPACK_UNKNOWN, UNPACK_PLAIN, UNPACK_GZIP, UNPACK_ZSTD } UnpackKind;

struct Unpack {
    UnpackWrite write;
    void *context;
    UnpackKind kind;
    uint8_t magic[MAGIC_BYTES]; /* bytes held back until the kind is known */
    size_t magic_len;
    z_stream zip;
    ZSTD_DStream *zstd;
    uint8_t *buffer;
    bool at_end;                /* between members: the stream may end here */
};

Unpack *unpack_open(UnpackWrite write, void *context) {
    Unpack *unpack = mem_calloc(1, sizeof *unpack);
    unpack->write = write;
    unpack->context = context;
    unpack->at_end = true;
    return unpack;
}

void unpack_close(Unpack *unpack) {
    if (unpack == NULL) {
        return;
    }
    if (unpack->kind == UNPACK_GZIP) {
        inflateEnd(&unpack->zip);
    }
    ZSTD_freeDStream(unpack->zstd);
    mem_free(unpack->buffer);
    mem_free(unpack);
}

static ErrorCode damaged(Error *err, const char *what) {
    return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "the packed input is damaged: %s", what);
}

static ErrorCode start(Unpack *unpack, Error *err) {
    static const uint8_t GZIP[2] = {0x1f, 0x8b}, ZSTD[4] = {0x28, 0xb5, 0x2f, 0xfd};
    unpack->kind = UNPACK_PLAIN;
    if (unpack->magic_len >= 2 && memcmp(unpack->magic, GZIP, 2) == 0) {
        unpack->kind = UNPACK_GZIP;
        if (inflateInit2(&unpack->zip, 15 + 16) != Z_OK) {
            return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "no memory to unpack gzip");
        }
    } else if (unpack->magic_len == 4 && memcmp(unpack->magic, ZSTD, 4) == 0) {
        unpack->kind = UNPACK_ZSTD;
        unpack->zstd = ZSTD_createDStream();
    }
    if (unpack->kind != UNPACK_PLAIN) {
        unpack->buffer = mem_alloc(UNPACK_BUFFER_BYTES);
    }
    return ERR_OK;
}

static ErrorCode feed_gzip(Unpack *unpack, Bytes piece, Error *err) {
    z_stream *zip = &unpack->zip;
    while (piece.len > 0) {
        size_t part = MIN_OF(piece.len, (size_t)1 << 30);
        zip->next_in = (Bytef *)(uintptr_t)piece.data; /* zlib does not write there */
        zip->avail_in = (uInt)part;
        while (zip->avail_in > 0) {
            if (unpack->at_end && inflateReset(zip) != Z_OK) {
                return damaged(err, "gzip");
            }
            unpack->at_end = false;
            int status = Z_OK;
            do {
                zip->next_out = unpack->buffer;
                zip->avail_out = UNPACK_BUFFER_BYTES;
                status = inflate(zip, Z_NO_FLUSH);
                if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
                    return damaged(err, zip->msg != NULL ? zip->msg : "gzip");
                }
                TRY(unpack->write(unpack->context, bytes_from(unpack->buffer, UNPACK_BUFFER_BYTES - zip->avail_out), err));
            } while (zip->avail_out == 0 && status == Z_OK);
            unpack->at_end = status == Z_STREAM_END;
        }
        piece.data += part;
        piece.len -= part;
    }
    return ERR_OK;
}

static ErrorCode feed_zstd(Unpack *unpack, Bytes piece, Error *err) {
    ZSTD_inBuffer in = {piece.data, piece.len, 0};
    size_t written = 0;
    do {
        ZSTD_outBuffer out = {unpack->buffer, UNPACK_BUFFER_BYTES, 0};
        size_t status = ZSTD_decompressStream(unpack->zstd, &out, &in);
        if (ZSTD_isError(status)) {
            return damaged(err, ZSTD_getErrorName(status));
        }
        unpack->at_end = status == 0;
        written = out.pos;
        TRY(unpack->write(unpack->context, bytes_from(unpack->buffer, out.pos), err));
    } while (in.pos < in.size || written == UNPACK_BUFFER_BYTES);
    return ERR_OK;
}

static ErrorCode feed_known(Unpack *unpack, Bytes piece, Error *err) {
    if (piece.len == 0) {
        return ERR_OK;
    }
    switch (unpack->kind) {
    case UNPACK_GZIP:
        return feed_gzip(unpack, piece, err);
    case UNPACK_ZSTD:
        return feed_zstd(unpack, piece, err);
    default:
        return unpack->write(unpack->context, piece, err);
    }
}

ErrorCode unpack_feed(Unpack *unpack, Bytes piece, Error *err) {
    if (unpack->kind == UNPACK_UNKNOWN) {
        while (unpack->magic_len < MAGIC_BYTES && piece.len > 0) {
            unpack->magic[unpack->magic_len++] = *piece.data++;
            piece.len--;
        }
        if (unpack->magic_len < MAGIC_BYTES) {
            return ERR_OK;
        }
        TRY(start(unpack, err));
        TRY(feed_known(unpack, bytes_from(unpack->magic, unpack->magic_len), err));
    }
    return feed_known(unpack, piece, err);
}

ErrorCode unpack_finish(Unpack *unpack, Error *err) {
    if (unpack->kind == UNPACK_UNKNOWN) {
        TRY(start(unpack, err));
        TRY(feed_known(unpack, bytes_from(unpack->magic, unpack->magic_len), err));
    }
    return unpack->at_end || unpack->kind == UNPACK_PLAIN ? ERR_OK : damaged(err, "it is cut short");
}

/* SPDX-License-Identifier: Apache-2.0
 * test_unpack.c - gzip and zstd in pieces of every size, several members, cut and damaged streams. */
#include "load/unpack.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

static ErrorCode take(void *context, Bytes piece, Error *err) {
    (void)err;
    buffer_append(context, piece.data, piece.len);
    return ERR_OK;
}

static ErrorCode run(Bytes packed, size_t piece, Buffer *out) {
    buffer_clear(out);
    Unpack *unpack = unpack_open(take, out);
    ErrorCode code = ERR_OK;
    for (size_t at = 0; at < packed.len && code == ERR_OK; at += piece) {
        code = unpack_feed(unpack, bytes_from(packed.data + at, MIN_OF(piece, packed.len - at)), NULL);
    }
    if (code == ERR_OK) {
        code = unpack_finish(unpack, NULL);
    }
    unpack_close(unpack);
    return code;
}

static size_t gzip(const void *data, size_t len, uint8_t *out, size_t room) {
    z_stream zip = {0};
    assert_int_equal(deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zip.next_in = (Bytef *)(uintptr_t)data;
    zip.avail_in = (uInt)len;
    zip.next_out = out;
    zip.avail_out = (uInt)room;
    assert_int_equal(deflate(&zip, Z_FINISH), Z_STREAM_END);
    size_t written = room - zip.avail_out;
    deflateEnd(&zip);
    return written;
}

static void streams_unpack_at_every_piece_size(void **state) {
    (void)state;
    static char text[600000];
    static uint8_t packed[700000];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)('a' + (i * i / 7) % 26);
    }
    Buffer out;
    buffer_init(&out, SIZE_MAX);
    size_t zip = gzip(text, 300000, packed, sizeof packed);
    zip += gzip(text + 300000, 300000, packed + zip, sizeof packed - zip); /* two members */
    static const size_t PIECES[] = {1, 3, 1000, 1 << 20};
    for (size_t i = 0; i < COUNT_OF(PIECES); i++) {
        assert_int_equal(run(bytes_from(packed, zip), PIECES[i], &out), ERR_OK);
        assert_int_equal(out.len, sizeof text);
        assert_memory_equal(out.data, text, sizeof text);
    }
    assert_int_equal(run(bytes_from(packed, zip - 5), 4096, &out), ERR_BAD_COPY);
    packed[zip / 2] ^= 0x55;
    assert_int_equal(run(bytes_from(packed, zip), 4096, &out), ERR_BAD_COPY);
    size_t zst = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
    for (size_t i = 0; i < COUNT_OF(PIECES); i++) {
        assert_int_equal(run(bytes_from(packed, zst), PIECES[i], &out), ERR_OK);
        assert_int_equal(out.len, sizeof text);
        assert_memory_equal(out.data, text, sizeof text);
    }
    assert_int_equal(run(bytes_from(packed, zst - 5), 4096, &out), ERR_BAD_COPY);
    buffer_deinit(&out);
}

static void other_bytes_pass_through(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, SIZE_MAX);
    static const char *const TEXTS[] = {"", "a", "ab", "abc", "abcd", "abcdef,ghi\n"};
    for (size_t i = 0; i < COUNT_OF(TEXTS); i++) {
        for (size_t piece = 1; piece < 5; piece++) {
            assert_int_equal(run(bytes_from(TEXTS[i], strlen(TEXTS[i])), piece, &out), ERR_OK);
            assert_true(str_equal(buffer_str(&out), str_from_c(TEXTS[i])));
        }
    }
    buffer_deinit(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_unpack_at_every_piece_size),
        cmocka_unit_test(other_bytes_pass_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

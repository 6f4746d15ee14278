/* SPDX-License-Identifier: Apache-2.0
 * test_body.c - bodies by length and in chunks, cut at every place; gzip both ways and its limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "proto/http/http.h"

/* Feeds text in pieces; collects the body. Returns the last result; *rest_out = bytes not taken. */
static HttpResult collect(const HttpRequest *request, Str text, size_t piece, Buffer *out, size_t *rest_out) {
    HttpBody body;
    http_body_init(&body, request);
    HttpResult result = HTTP_NEED_MORE;
    size_t at = 0, limit = 0;
    while (limit < text.len && result == HTTP_NEED_MORE) {
        limit = MIN_OF(text.len, limit + piece);
        while (at < limit && result == HTTP_NEED_MORE) {
            Bytes data;
            size_t used = 0;
            result = http_body_next(&body, bytes_from(text.data + at, limit - at), &data, &used, NULL);
            buffer_append(out, data.data, data.len);
            at += used;
        }
    }
    *rest_out = text.len - at;
    return result;
}

static void chunked_at_every_cut(void **state) {
    (void)state;
    Str text = STR("4\r\nWiki\r\n5;ext=\"a\"\r\npedia\r\n00b\r\n in\r\nchunks\r\n0\r\nTrailer: x\r\n\r\nNEXT");
    HttpRequest request = {.chunked = true};
    for (size_t piece = 1; piece <= text.len; piece++) {
        Buffer out;
        buffer_init(&out, 1 << 20);
        size_t rest = 0;
        assert_int_equal(collect(&request, text, piece, &out, &rest), HTTP_DONE);
        assert_true(str_equal(buffer_str(&out), STR("Wikipedia in\r\nchunks")));
        assert_int_equal(rest, 4);
        buffer_deinit(&out);
    }
}

static void chunked_faults(void **state) {
    (void)state;
    static const Str BAD[] = {
        STR("\r\n"), STR("g\r\n"), STR("4\nWiki\r\n"), STR("4\r\nWikiX\r\n"), STR("4\r\nWiki\n0\r\n\r\n"), STR("-4\r\n"), STR(" 4\r\n"), STR("4 \r\n"),
        STR("0x4\r\n"), STR("1000000000000000\r\n"), STR("0\r\nA: b\n\r\n"), STR(";a\r\n"), STR("4;a\nWiki\r\n"),
    };
    HttpRequest request = {.chunked = true};
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        Buffer out;
        buffer_init(&out, 1 << 20);
        size_t rest = 0;
        if (collect(&request, BAD[i], 1, &out, &rest) != HTTP_BAD) {
            fail_msg("accepted: %.*s", STR_ARG(BAD[i]));
        }
        buffer_deinit(&out);
    }
}

static void by_length(void **state) {
    (void)state;
    HttpRequest request = {.has_length = true, .content_length = 5};
    Buffer out;
    buffer_init(&out, 1 << 20);
    size_t rest = 0;
    assert_int_equal(collect(&request, STR("helloGET"), 2, &out, &rest), HTTP_DONE);
    assert_true(str_equal(buffer_str(&out), STR("hello")));
    assert_int_equal(collect(&request, STR("wor"), 2, &out, &rest), HTTP_NEED_MORE);
    buffer_deinit(&out);
}

static ErrorCode gunzip(Bytes data, size_t piece, Buffer *out, bool *done, Error *err) {
    HttpInflate *inflate = http_inflate_create();
    ErrorCode code = ERR_OK;
    for (size_t at = 0; at < data.len && code == ERR_OK;) {
        size_t end = MIN_OF(data.len, at + piece);
        Bytes got = {(const uint8_t *)"", 1};
        while (code == ERR_OK && (at < end || got.len > 0)) {
            size_t used = 0;
            code = http_inflate_next(inflate, bytes_from(data.data + at, end - at), &got, &used, err);
            buffer_append(out, got.data, got.len);
            at += used;
        }
    }
    *done = http_inflate_done(inflate);
    http_inflate_destroy(inflate);
    return code;
}

static void gzip_round_trip(void **state) {
    (void)state;
    Buffer plain, packed, back;
    buffer_init(&plain, 1 << 24);
    buffer_init(&packed, 1 << 24);
    buffer_init(&back, 1 << 24);
    for (int i = 0; i < 50000; i++) {
        buffer_printf(&plain, "line %d of text\n", i * 7919);
    }
    for (int member = 0; member < 2; member++) {
        HttpDeflate *deflate = http_deflate_create();
        http_deflate_append(deflate, buffer_bytes(&plain), false, &packed);
        http_deflate_append(deflate, bytes_from("", 0), true, &packed);
        http_deflate_destroy(deflate);
    }
    bool done = false;
    assert_int_equal(gunzip(buffer_bytes(&packed), 777, &back, &done, NULL), ERR_OK);
    assert_true(done);
    assert_int_equal(back.len, 2 * plain.len);
    assert_memory_equal(back.data + plain.len, plain.data, plain.len);
    buffer_clear(&back);
    assert_int_equal(gunzip(bytes_from(packed.data, packed.len - 9), 777, &back, &done, NULL), ERR_OK);
    assert_false(done);
    packed.data[packed.len / 4] ^= 0x55;
    assert_int_equal(gunzip(buffer_bytes(&packed), 777, &back, &done, NULL), ERR_PROTOCOL);
    buffer_deinit(&plain);
    buffer_deinit(&packed);
    buffer_deinit(&back);
}

static void gzip_bomb_is_refused(void **state) {
    (void)state;
    Buffer zeros, packed, back;
    buffer_init(&zeros, 1 << 25);
    buffer_init(&packed, 1 << 24);
    buffer_init(&back, 1 << 25);
    buffer_append_fill(&zeros, 0, 20 << 20);
    HttpDeflate *deflate = http_deflate_create();
    http_deflate_append(deflate, buffer_bytes(&zeros), true, &packed);
    http_deflate_destroy(deflate);
    bool done = false;
    assert_int_equal(gunzip(buffer_bytes(&packed), 1 << 20, &back, &done, NULL), ERR_TOO_LARGE);
    assert_true(back.len < 20 << 20);
    buffer_deinit(&zeros);
    buffer_deinit(&packed);
    buffer_deinit(&back);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunked_at_every_cut), cmocka_unit_test(chunked_faults), cmocka_unit_test(by_length),
        cmocka_unit_test(gzip_round_trip), cmocka_unit_test(gzip_bomb_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

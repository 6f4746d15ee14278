/* SPDX-License-Identifier: Apache-2.0
 * test_response.c - whole and streamed answers as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "proto/http/http.h"

static void expect(Buffer *out, const char *want) {
    if (!str_equal(buffer_str(out), str_from_c(want))) {
        fail_msg("got  %.*s\nwant %s", STR_ARG(buffer_str(out)), want);
    }
    buffer_clear(out);
}

static void stream(HttpResponse *response) {
    http_response_start(response, 200, STR("text/csv"), STR("X: y\r\n"));
    buffer_append_str(http_response_piece_open(response), STR("hello"));
    http_response_piece_close(response);
    (void)http_response_piece_open(response);
    http_response_piece_close(response);
    buffer_append_str(http_response_piece_open(response), STR("world"));
    http_response_piece_close(response);
    http_response_end(response);
}

static void answers(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, 1 << 20);
    HttpResponse response;
    http_response_init(&response, &out);
    response.keep_alive = true;
    http_response_send(&response, 404, STR("text/plain"), STR(""), STR("no"));
    expect(&out, "HTTP/1.1 404 Not Found\r\nServer: basalt\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno");
    http_response_init(&response, &out);
    response.keep_alive = true;
    response.extra_headers = STR("A: b\r\n");
    http_response_send(&response, 204, STR(""), STR("X: y\r\n"), STR(""));
    expect(&out, "HTTP/1.1 204 No Content\r\nServer: basalt\r\nA: b\r\nX: y\r\n\r\n");
    http_response_init(&response, &out);
    response.keep_alive = true;
    stream(&response);
    expect(&out, "HTTP/1.1 200 OK\r\nServer: basalt\r\nContent-Type: text/csv\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "00000005\r\nhello\r\n00000005\r\nworld\r\n0\r\n\r\n");
    http_response_init(&response, &out);
    response.keep_alive = response.http_1_0 = true;
    stream(&response);
    expect(&out, "HTTP/1.1 200 OK\r\nServer: basalt\r\nContent-Type: text/csv\r\nX: y\r\nConnection: close\r\n\r\nhelloworld");
    http_response_init(&response, &out);
    response.keep_alive = response.head_only = true;
    stream(&response);
    expect(&out, "HTTP/1.1 200 OK\r\nServer: basalt\r\nContent-Type: text/csv\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n");
    http_response_deinit(&response);
    buffer_deinit(&out);
}

static void compressed_answer_inflates(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, 1 << 20);
    HttpResponse response;
    http_response_init(&response, &out);
    response.http_1_0 = response.accept_gzip = true;
    stream(&response);
    ptrdiff_t body = str_find(buffer_str(&out), STR("\r\n\r\n"), 0) + 4;
    HttpInflate *inflate = http_inflate_create();
    Bytes piece;
    size_t used = 0;
    assert_int_equal(http_inflate_next(inflate, bytes_from(out.data + body, out.len - (size_t)body), &piece, &used, NULL), ERR_OK);
    assert_true(str_equal((Str){(const char *)piece.data, piece.len}, STR("helloworld")));
    assert_true(http_inflate_done(inflate));
    http_inflate_destroy(inflate);
    http_response_deinit(&response);
    buffer_deinit(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(compressed_answer_inflates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

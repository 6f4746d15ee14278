/* SPDX-License-Identifier: Apache-2.0
 * test_request.c - request heads: what is read, what is refused and with which status; URL text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "proto/http/http.h"

static HttpResult parse(HttpRequest *request, Str text, size_t *used, int *status, Error *err) {
    size_t scan = 0;
    return http_request_parse(request, bytes_from(text.data, text.len), &scan, used, status, err);
}

static void reads_a_head_byte_by_byte(void **state) {
    (void)state;
    Str text = STR("\r\nGET /exec?query=a+b&x=%20 HTTP/1.1\r\nHost: h:9000\r\nAccept-Encoding:  gzip , br\t\r\nX-Empty:\r\n\r\nGET /next");
    size_t head = text.len - 9, used = 0, scan = 0;
    HttpRequest request = {0};
    int status = 0;
    for (size_t len = 0; len < head; len++) {
        assert_int_equal(http_request_parse(&request, bytes_from(text.data, len), &scan, &used, &status, NULL), HTTP_NEED_MORE);
    }
    assert_int_equal(http_request_parse(&request, bytes_from(text.data, head), &scan, &used, &status, NULL), HTTP_DONE);
    assert_int_equal(used, head);
    assert_int_equal(request.method, HTTP_GET);
    assert_true(str_equal(request.path, STR("/exec")));
    assert_true(str_equal(request.query, STR("query=a+b&x=%20")));
    assert_true(str_equal(http_header(&request, STR("accept-encoding")), STR("gzip , br")));
    assert_true(http_header(&request, STR("x-empty")).data != NULL);
    assert_true(http_header(&request, STR("nosuch")).data == NULL);
    assert_true(request.keep_alive);
    assert_true(http_body_is_empty(&request));
}

#define GET_HEAD "GET / HTTP/1.1\r\nHost: h\r\n"
#define POST_HEAD "POST / HTTP/1.1\r\nHost: h\r\n"
static const struct { Str text; int status; } FAULTS[] = {
    {STR("GET / HTTP/1.1\nHost: h\n\n"), 400},
    {STR("GET / HTTP/1.1\r\nHost: h\n\r\n"), 400},
    {STR("GET / HTTP/1.1\r\nHost: h\r\nA: b\rc\r\n\r\n"), 400},
    {STR("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), 400},
    {STR("GET / HTTP/1.1 \r\nHost: h\r\n\r\n"), 400},
    {STR("GET /\r\nHost: h\r\n\r\n"), 400},
    {STR("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505},
    {STR("GET / http/1.1\r\nHost: h\r\n\r\n"), 400},
    {STR("G@T / HTTP/1.1\r\nHost: h\r\n\r\n"), 400},
    {STR("GET x HTTP/1.1\r\nHost: h\r\n\r\n"), 400},
    {STR("GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"), 400},
    {STR("GET / HTTP/1.1\r\n\r\n"), 400},
    {STR(GET_HEAD "Host: i\r\n\r\n"), 400},
    {STR(GET_HEAD "A : b\r\n\r\n"), 400},
    {STR(GET_HEAD " folded: b\r\n\r\n"), 400},
    {STR(GET_HEAD "A: b\r\n c\r\n\r\n"), 400},
    {STR(GET_HEAD "nocolon\r\n\r\n"), 400},
    {STR(GET_HEAD ": empty\r\n\r\n"), 400},
    {STR(GET_HEAD "A: b\x01\r\n\r\n"), 400},
    {STR(GET_HEAD "A: b\0c\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: 5, 5\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: +5\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: 0x5\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length:\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: 99999999999999999999\r\n\r\n"), 400},
    {STR(POST_HEAD "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), 400},
    {STR(POST_HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 400},
    {STR(POST_HEAD "Transfer-Encoding: chunked, identity\r\n\r\n"), 501},
    {STR(POST_HEAD "Transfer-Encoding: xchunked\r\n\r\n"), 501},
    {STR(POST_HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501},
    {STR("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400},
    {STR(POST_HEAD "Expect: 200-ok\r\n\r\n"), 417},
};

static void refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(FAULTS); i++) {
        HttpRequest request = {0};
        size_t used = 0;
        int status = 0;
        Error err = {0};
        if (parse(&request, FAULTS[i].text, &used, &status, &err) != HTTP_BAD || status != FAULTS[i].status) {
            fail_msg("%.*s: status %d, want %d", STR_ARG(FAULTS[i].text), status, FAULTS[i].status);
        }
        assert_true(err.message[0] != '\0');
    }
}

static void limits_head_and_headers(void **state) {
    (void)state;
    Buffer text;
    buffer_init(&text, 1 << 20);
    buffer_append_str(&text, STR(GET_HEAD));
    for (int i = 0; i < HTTP_HEADERS_MAX; i++) {
        buffer_printf(&text, "A%d: b\r\n", i);
    }
    buffer_append_str(&text, STR("\r\n"));
    HttpRequest request = {0};
    size_t used = 0, scan = 0;
    int status = 0;
    assert_int_equal(parse(&request, buffer_str(&text), &used, &status, NULL), HTTP_BAD);
    assert_int_equal(status, 431);
    buffer_clear(&text);
    buffer_append_str(&text, STR("GET /"));
    buffer_append_fill(&text, 'a', HTTP_HEAD_BYTES_MAX);
    assert_int_equal(http_request_parse(&request, buffer_bytes(&text), &scan, &used, &status, NULL), HTTP_BAD);
    assert_int_equal(status, 431);
    buffer_deinit(&text);
}

static void versions_and_connection(void **state) {
    (void)state;
    static const struct { Str text; bool keep; } ROWS[] = {
        {STR("GET / HTTP/1.0\r\n\r\n"), false},
        {STR("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), true},
        {STR(GET_HEAD "Connection: close\r\n\r\n"), false},
        {STR(GET_HEAD "Connection: upgrade, close\r\n\r\n"), false},
        {STR("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"), true},
        {STR("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"), true},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        HttpRequest request = {0};
        size_t used = 0;
        int status = 0;
        assert_int_equal(parse(&request, ROWS[i].text, &used, &status, NULL), HTTP_DONE);
        assert_int_equal(request.keep_alive, ROWS[i].keep);
    }
}

static void header_lists(void **state) {
    (void)state;
    assert_true(http_header_has(STR("br, gzip;q=0.5"), STR("gzip")));
    assert_false(http_header_has(STR("br, gzip;q=0"), STR("gzip")));
    assert_false(http_header_has(STR("gzip; q=0.00"), STR("gzip")));
    assert_true(http_header_has(STR("gzip;q=0.01"), STR("gzip")));
    assert_false(http_header_has(STR("xgzip"), STR("gzip")));
    assert_false(http_header_has(STR(""), STR("gzip")));
}

static void url_text(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, 1 << 20);
    Str out;
    assert_true(http_url_decode(STR("a+b%20c%2B%e2%98%83"), true, &arena, &out));
    assert_true(str_equal(out, STR("a b c+\xe2\x98\x83")));
    assert_true(http_url_decode(STR("a+b"), false, &arena, &out));
    assert_true(str_equal(out, STR("a+b")));
    static const Str BAD[] = {STR("%"), STR("%4"), STR("a%zz"), STR("%4g")};
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        assert_false(http_url_decode(BAD[i], true, &arena, &out));
    }
    Str rest = STR("a=1&&b&c=x=y&"), name, value;
    static const struct { Str name, value; } WANT[] = {{STR("a"), STR("1")}, {STR("b"), STR("")}, {STR("c"), STR("x=y")}};
    for (size_t i = 0; i < COUNT_OF(WANT); i++) {
        assert_true(http_query_next(&rest, &name, &value));
        assert_true(str_equal(name, WANT[i].name));
        assert_true(str_equal(value, WANT[i].value));
    }
    assert_false(http_query_next(&rest, &name, &value));
    arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_head_byte_by_byte), cmocka_unit_test(refuses), cmocka_unit_test(limits_head_and_headers),
        cmocka_unit_test(versions_and_connection), cmocka_unit_test(header_lists), cmocka_unit_test(url_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

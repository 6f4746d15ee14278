/* SPDX-License-Identifier: Apache-2.0
 * test_multipart.c - multipart forms at every cut, near-boundaries in the data, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "proto/http/http.h"

static ErrorCode on_begin(void *context, const HttpPart *part, Error *err) {
    (void)err;
    buffer_printf(context, "<%.*s|%.*s|%.*s>", STR_ARG(part->name), STR_ARG(part->file_name), STR_ARG(part->content_type));
    return ERR_OK;
}
static ErrorCode on_data(void *context, Bytes data, Error *err) {
    (void)err;
    buffer_append(context, data.data, data.len);
    return ERR_OK;
}
static ErrorCode on_end(void *context, Error *err) {
    (void)err;
    buffer_append_str(context, STR("</>"));
    return ERR_OK;
}
static const HttpMultipartHandler HANDLER = {on_begin, on_data, on_end};

static ErrorCode run(Str body, size_t piece, Buffer *out) {
    HttpMultipart *m = NULL;
    ErrorCode code = http_multipart_open(STR("multipart/form-data; charset=x; boundary=\"bound\""), &HANDLER, out, &m, NULL);
    for (size_t at = 0; at < body.len && code == ERR_OK; at += piece) {
        code = http_multipart_feed(m, bytes_from(body.data + at, MIN_OF(piece, body.len - at)), NULL);
    }
    code = code == ERR_OK ? http_multipart_end(m, NULL) : code;
    http_multipart_close(m);
    return code;
}

static void forms_at_every_cut(void **state) {
    (void)state;
    static const struct { Str body; const char *want; } ROWS[] = {
        {STR("--bound\r\nContent-Disposition: form-data; name=\"schema\"\r\n\r\n[]\r\n--bound\r\nContent-Type: text/csv\r\ncontent-disposition: form-data; "
             "name=\"data\"; filename=\"a b.csv\"\r\n\r\na,b\r\n1,2\r\n\r\n--bound--\r\n"),
         "<schema||>[]</><data|a b.csv|text/csv>a,b\r\n1,2\r\n</>"},
        {STR("preamble\r\n--bound \r\n\r\n\r\n--boun\r\n--bounx\r\r\n--bound--"), "<||>\r\n--boun\r\n--bounx\r</>"},
        {STR("--bound\r\n\r\n\r\n--bound--epilogue"), "<||></>"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        for (size_t piece = 1; piece <= ROWS[i].body.len; piece++) {
            Buffer out;
            buffer_init(&out, 1 << 20);
            assert_int_equal(run(ROWS[i].body, piece, &out), ERR_OK);
            if (!str_equal(buffer_str(&out), str_from_c(ROWS[i].want))) {
                fail_msg("pieces of %d: %.*s", (int)piece, STR_ARG(buffer_str(&out)));
            }
            buffer_deinit(&out);
        }
    }
}

static void faults(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, 1 << 20);
    assert_int_equal(run(STR("--bound\r\n\r\ndata"), 5, &out), ERR_PROTOCOL);
    assert_int_equal(run(STR("--boundX\r\n\r\n"), 5, &out), ERR_PROTOCOL);
    Buffer large;
    buffer_init(&large, 1 << 20);
    buffer_append_str(&large, STR("--bound\r\nA: "));
    buffer_append_fill(&large, 'x', HTTP_PART_HEAD_BYTES_MAX);
    assert_int_equal(run(buffer_str(&large), 1000, &out), ERR_TOO_LARGE);
    static const Str TYPES[] = {STR(""), STR("text/csv"), STR("multipart/form-data"), STR("multipart/form-data; boundary="), STR("multipart/mixed; boundary=a")};
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        HttpMultipart *m = NULL;
        assert_int_equal(http_multipart_open(TYPES[i], &HANDLER, NULL, &m, NULL), ERR_PROTOCOL);
    }
    buffer_deinit(&large);
    buffer_deinit(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_at_every_cut), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

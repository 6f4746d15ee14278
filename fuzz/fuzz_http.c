/* SPDX-License-Identifier: Apache-2.0
 * fuzz_http.c - any bytes as a stream of requests, as a chunked body, a multipart form, gzip data and URL text.
 *
 * Input:      byte 0: which reader; byte 1: size of the pieces. Then the bytes.
 * Check:      the same bytes give the same result whole and in pieces. */
#include "fuzz.h"
#include "proto/http/http.h"

enum { OUT_BYTES_MAX = 64 << 20 };

/* Heads and bodies one after the other, all as text into out. */
static void read_requests(Bytes input, size_t piece, Buffer *out) {
    HttpRequest request = {0};
    size_t at = 0, scan = 0, end = 0;
    while (at < input.len) {
        size_t used = 0;
        int status = 0;
        end = MAX_OF(end, MIN_OF(input.len, at + piece));
        HttpResult result = http_request_parse(&request, bytes_from(input.data + at, end - at), &scan, &used, &status, NULL);
        if (result == HTTP_NEED_MORE && end < input.len) {
            end = MIN_OF(input.len, end + piece);
            continue;
        }
        if (result != HTTP_DONE) {
            buffer_printf(out, "[%d %d]", (int)result, result == HTTP_BAD ? status : 0);
            return;
        }
        buffer_printf(out, "[%d %.*s %u %d]", (int)request.method, STR_ARG(request.path), request.header_count, request.keep_alive);
        at += used;
        scan = 0;
        HttpBody body;
        http_body_init(&body, &request);
        for (result = HTTP_NEED_MORE; result == HTTP_NEED_MORE;) {
            Bytes data;
            size_t limit = MIN_OF(input.len, at + piece);
            result = http_body_next(&body, bytes_from(input.data + at, limit - at), &data, &used, NULL);
            buffer_append(out, data.data, data.len);
            at += used;
            if (result == HTTP_NEED_MORE && used == 0) {
                return;
            }
        }
        if (result == HTTP_BAD) {
            buffer_append_str(out, STR("[bad]"));
            return;
        }
    }
}

static ErrorCode on_begin(void *context, const HttpPart *part, Error *err) {
    (void)err;
    buffer_printf(context, "<%.*s|%.*s>", STR_ARG(part->name), STR_ARG(part->file_name));
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

static void read_form(Bytes input, size_t piece, Buffer *out) {
    static const HttpMultipartHandler HANDLER = {on_begin, on_data, on_end};
    HttpMultipart *form = NULL;
    ErrorCode code = http_multipart_open(STR("multipart/form-data; boundary=b"), &HANDLER, out, &form, NULL);
    for (size_t at = 0; at < input.len && code == ERR_OK; at += piece) {
        code = http_multipart_feed(form, bytes_from(input.data + at, MIN_OF(piece, input.len - at)), NULL);
    }
    code = code == ERR_OK ? http_multipart_end(form, NULL) : code;
    buffer_printf(out, "[%d]", (int)code);
    http_multipart_close(form);
}

static void read_gzip(Bytes input, size_t piece, Buffer *out) {
    HttpInflate *inflate = http_inflate_create();
    ErrorCode code = ERR_OK;
    for (size_t at = 0; at < input.len && code == ERR_OK;) {
        size_t end = MIN_OF(input.len, at + piece), used = 0;
        Bytes data = {(const uint8_t *)"", 1};
        while (code == ERR_OK && (at < end || data.len > 0)) {
            code = http_inflate_next(inflate, bytes_from(input.data + at, end - at), &data, &used, NULL);
            at += used;
            buffer_append(out, data.data, code == ERR_OK ? data.len : 0);
            if (used == 0 && data.len == 0) {
                at = code == ERR_OK ? end : at;
            }
        }
    }
    http_inflate_destroy(inflate);
}

static void read_url(Bytes input) {
    Arena arena;
    arena_init(&arena, OUT_BYTES_MAX);
    Str rest = {(const char *)input.data, input.len}, name, value, decoded;
    (void)http_header_has(rest, STR("gzip"));
    while (http_query_next(&rest, &name, &value)) {
        if (http_url_decode(value, true, &arena, &decoded)) {
            FUZZ_CHECK(decoded.len <= value.len);
        }
    }
    arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const READERS[])(Bytes, size_t, Buffer *) = {read_requests, read_form, read_gzip};
    if (size < 2) {
        return 0;
    }
    unsigned reader = data[0] % 4;
    size_t piece = (size_t)data[1] + 1;
    Bytes input = {data + 2, size - 2};
    if (reader == 3) {
        read_url(input);
        return 0;
    }
    Buffer whole, cut;
    buffer_init(&whole, OUT_BYTES_MAX);
    buffer_init(&cut, OUT_BYTES_MAX);
    READERS[reader](input, input.len + 1, &whole);
    READERS[reader](input, piece, &cut);
    bool refused_early = reader == 2; /* the ratio of a bomb is looked at between pieces */
    FUZZ_CHECK(refused_early || str_equal(buffer_str(&whole), buffer_str(&cut)));
    buffer_deinit(&whole);
    buffer_deinit(&cut);
    return 0;
}

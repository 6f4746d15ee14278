/* SPDX-License-Identifier: Apache-2.0
 * response.c - answers into the send buffer: whole ones with their length, streamed ones in chunks, compressed if the client likes.
 *
 * Why:        encoders append straight to the send buffer; the chunk's size is written into a gap left before it, always eight hex
 *             digits wide, so no byte is moved. */
#include "proto/http/http.h"

enum { GAP_BYTES = 10, GZIP_PIECE_BYTES_MAX = 256 << 20 };

static const char *http_reason(int status) {
    static const struct { int status; const char *reason; } REASONS[] = {
        {200, "OK"}, {204, "No Content"}, {301, "Moved Permanently"}, {400, "Bad Request"}, {401, "Unauthorized"}, {403, "Forbidden"},
        {404, "Not Found"}, {405, "Method Not Allowed"}, {408, "Request Timeout"}, {409, "Conflict"}, {411, "Length Required"},
        {413, "Content Too Large"}, {415, "Unsupported Media Type"}, {417, "Expectation Failed"}, {421, "Misdirected Request"},
        {429, "Too Many Requests"}, {431, "Request Header Fields Too Large"}, {500, "Internal Server Error"}, {501, "Not Implemented"},
        {503, "Service Unavailable"}, {505, "HTTP Version Not Supported"}, {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < COUNT_OF(REASONS); i++) {
        if (REASONS[i].status == status) {
            return REASONS[i].reason;
        }
    }
    return "Unknown";
}

void http_response_init(HttpResponse *response, Buffer *out) {
    *response = (HttpResponse){.out = out};
    buffer_init(&response->plain, GZIP_PIECE_BYTES_MAX);
}

void http_response_deinit(HttpResponse *response) {
    http_deflate_destroy(response->deflate);
    buffer_deinit(&response->plain);
    response->deflate = NULL;
}

static void write_head(HttpResponse *response, int status, Str content_type, Str headers) {
    assert(!response->begun);
    Buffer *out = response->out;
    response->begun = true;
    response->status = status;
    buffer_printf(out, "HTTP/1.1 %d %s\r\nServer: basalt\r\n", status, http_reason(status));
    if (content_type.len > 0) {
        buffer_printf(out, "Content-Type: %.*s\r\n", STR_ARG(content_type));
    }
    buffer_append_str(out, response->extra_headers);
    buffer_append_str(out, headers);
    if (!response->keep_alive) {
        buffer_append_str(out, STR("Connection: close\r\n"));
    } else if (response->http_1_0) {
        buffer_append_str(out, STR("Connection: keep-alive\r\n"));
    }
}

void http_response_send(HttpResponse *response, int status, Str content_type, Str headers, Str body) {
    write_head(response, status, content_type, headers);
    if (status != 204) {
        buffer_printf(response->out, "Content-Length: %zu\r\n", body.len);
    }
    buffer_append_str(response->out, STR("\r\n"));
    if (!response->head_only) {
        buffer_append_str(response->out, body);
        response->body_bytes = body.len;
    }
    response->ended = true;
}

void http_response_start(HttpResponse *response, int status, Str content_type, Str headers) {
    response->chunked = !response->http_1_0;
    if (response->http_1_0) {
        response->keep_alive = false;
    }
    bool compress = response->accept_gzip && !response->head_only;
    write_head(response, status, content_type, headers);
    if (compress) {
        response->deflate = http_deflate_create();
        buffer_append_str(response->out, STR("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n"));
    }
    buffer_append_str(response->out, response->chunked ? STR("Transfer-Encoding: chunked\r\n\r\n") : STR("\r\n"));
}

static void gap_open(HttpResponse *response) {
    response->piece_start = response->out->len;
    if (response->chunked) {
        buffer_append_fill(response->out, '0', GAP_BYTES);
    }
}

static void gap_close(HttpResponse *response) {
    if (response->out->failed) {
        return;
    }
    size_t head = response->chunked ? GAP_BYTES : 0;
    size_t len = response->out->len - response->piece_start - head;
    response->body_bytes += len;
    if (len == 0 || response->head_only) {
        response->out->len = response->piece_start;
    } else if (response->chunked) {
        static const char HEX[] = "0123456789abcdef";
        assert(len <= UINT32_MAX);
        uint8_t *gap = response->out->data + response->piece_start;
        for (int i = 0; i < 8; i++) {
            gap[i] = (uint8_t)HEX[len >> (28 - 4 * i) & 15];
        }
        gap[8] = '\r';
        gap[9] = '\n';
        buffer_append_str(response->out, STR("\r\n"));
    }
}

Buffer *http_response_piece_open(HttpResponse *response) {
    assert(response->begun);
    assert(!response->ended);
    if (response->deflate != NULL) {
        buffer_clear(&response->plain);
        return &response->plain;
    }
    gap_open(response);
    return response->out;
}

static void compress_piece(HttpResponse *response, bool last) {
    gap_open(response);
    http_deflate_append(response->deflate, buffer_bytes(&response->plain), last, response->out);
    gap_close(response);
    buffer_clear(&response->plain);
}

void http_response_piece_close(HttpResponse *response) {
    if (response->deflate != NULL) {
        response->out->failed |= response->plain.failed;
        compress_piece(response, false);
        return;
    }
    gap_close(response);
}

void http_response_end(HttpResponse *response) {
    assert(response->begun);
    assert(!response->ended);
    if (response->deflate != NULL) {
        compress_piece(response, true);
    }
    if (response->chunked && !response->head_only) {
        buffer_append_str(response->out, STR("0\r\n\r\n"));
    }
    response->ended = true;
}

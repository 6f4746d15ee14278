/* SPDX-License-Identifier: Apache-2.0
 * http_client.h - one request, one answer, over a plain socket: what `basalt sql URL` and `basalt load URL` need.
 *
 * Threads: one; http_client_abort may be called from a signal handler. */
#pragma once
#include "base/memory.h"
#include <signal.h>

enum { HTTP_HOST_MAX = 256, HTTP_ANSWER_BYTES_MAX = 1 << 30 };
typedef struct HttpClient {
    char host[HTTP_HOST_MAX], port[8];
    volatile sig_atomic_t socket; /* -1 = closed */
} HttpClient;

/* http://host[:port][/]; port 9000 if none is named. ERR_INVALID_PARAMETER. */
NODISCARD ErrorCode http_client_init(HttpClient *client, const char *url, Error *err);
/* Connects and sends the head: method, path with query, more header lines (each with CRLF). chunked: a body follows in pieces. */
NODISCARD ErrorCode http_client_begin(HttpClient *client, const char *method, Str path, const char *headers, bool chunked, Error *err);
NODISCARD ErrorCode http_client_piece(HttpClient *client, Bytes piece, Error *err);  /* of a chunked body */
/* Ends the request (the last chunk if chunked) and reads the whole answer; closes. */
NODISCARD ErrorCode http_client_finish(HttpClient *client, bool chunked, int *status_out, Buffer *body, Error *err);
void http_client_abort(HttpClient *client);  /* signal-safe: what waits fails soon */
void http_client_close(HttpClient *client);
void http_url_escape(Buffer *out, Str text);

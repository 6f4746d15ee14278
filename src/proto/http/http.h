/* SPDX-License-Identifier: Apache-2.0
 * http.h - HTTP/1.1 (and 1.0) without sockets: request heads, bodies, answers, URL text, multipart forms, gzip.
 *
 * Everything is bytes in, messages out. The parser is strict where leniency lets two readers of one stream disagree (request
 * smuggling): line ends are CRLF, one Content-Length, never together with Transfer-Encoding, no folded headers, no space before a colon.
 * Threads: every object belongs to one thread at a time. */
#pragma once
#include "base/memory.h"

enum {
    HTTP_HEAD_BYTES_MAX = 32 << 10,
    HTTP_HEADERS_MAX = 100,
    HTTP_CHUNK_LINE_MAX = 256,       /* chunk size with its extensions */
    HTTP_TRAILER_BYTES_MAX = 8 << 10,
    HTTP_BOUNDARY_MAX = 70,          /* RFC 2046 */
    HTTP_PART_HEAD_BYTES_MAX = 8 << 10,
    HTTP_GZIP_RATIO_MAX = 100,       /* of what comes out to what went in … */
    HTTP_GZIP_FREE_BYTES = 1 << 20   /* … once so much came out */
};

/* ---- request heads ---- */
#define HTTP_METHODS(X) X(GET) X(HEAD) X(POST) X(PUT) X(DELETE) X(OPTIONS) X(PATCH) X(OTHER)
typedef enum HttpMethod {
#define X(name) HTTP_##name,
    HTTP_METHODS(X)
#undef X
        HTTP_METHOD_COUNT
} HttpMethod;
const char *http_method_name(HttpMethod method);

typedef struct HttpHeader { Str name, value; } HttpHeader;
typedef struct HttpRequest {
    HttpMethod method;
    Str target, path, query;  /* as sent; query without '?' */
    uint8_t minor_version;    /* HTTP/1.x */
    bool keep_alive, chunked, has_length, expect_continue;
    uint64_t content_length;
    Str host;
    uint32_t header_count;
    HttpHeader headers[HTTP_HEADERS_MAX];
} HttpRequest;

typedef enum HttpResult { HTTP_DONE, HTTP_NEED_MORE, HTTP_BAD } HttpResult;
/* *scan_io starts at 0 and is kept between calls on the same growing input, so that each byte is looked at once. HTTP_DONE:
 * *used_out bytes belong to the head; all Str point into input. HTTP_BAD: *status_out is the answer to give (400, 413, 431, 501, 505). */
HttpResult http_request_parse(HttpRequest *request, Bytes input, size_t *scan_io, size_t *used_out, int *status_out, Error *err);
/* First header of that name (any case); an empty Str with data == NULL if there is none. */
Str http_header(const HttpRequest *request, Str name);
/* Is token one of the comma separated values (parameters and q=0 looked at)? */
bool http_header_has(Str value, Str token);

/* ---- request bodies ---- */
typedef struct HttpBody {
    uint8_t state;
    bool chunked;
    uint64_t left;        /* bytes of the body or of the chunk */
    uint32_t line_bytes;  /* of the chunk line or the trailers so far */
    uint32_t digits;
    uint8_t trailer_line;
} HttpBody;
void http_body_init(HttpBody *body, const HttpRequest *request);
/* Next piece of the body out of input: *piece_out (maybe empty) points into it, *used_out bytes are taken. HTTP_DONE: the body is over. */
HttpResult http_body_next(HttpBody *body, Bytes input, Bytes *piece_out, size_t *used_out, Error *err);
static inline bool http_body_is_empty(const HttpRequest *request) { return !request->chunked && request->content_length == 0; }

/* ---- answers ---- */
/* Writes into the buffer `out`, which the owner sends. Bodies of unknown length go chunked, to 1.0 clients until the connection ends. */
typedef struct HttpResponse {
    Buffer *out;
    bool head_only, keep_alive, http_1_0;     /* set before begin */
    bool accept_gzip;                         /* the client does; used for streamed bodies */
    Str extra_headers;                        /* lines with CRLF, for each answer (CORS) */
    bool begun, ended, chunked;
    int status;
    uint64_t body_bytes;
    size_t piece_start;                       /* where the open piece begins */
    struct HttpDeflate *deflate;
    Buffer plain;                             /* of the open piece when it gets compressed */
} HttpResponse;
void http_response_init(HttpResponse *response, Buffer *out);
void http_response_deinit(HttpResponse *response);
/* A whole answer. headers: further lines with CRLF. */
void http_response_send(HttpResponse *response, int status, Str content_type, Str headers, Str body);
/* A streamed answer: start, then pieces: append to the buffer that open gives, close; at last end. */
void http_response_start(HttpResponse *response, int status, Str content_type, Str headers);
Buffer *http_response_piece_open(HttpResponse *response);
void http_response_piece_close(HttpResponse *response);
void http_response_end(HttpResponse *response);

/* ---- URL text ---- */
/* Percent-decoding into the arena; plus_is_space for queries and forms. false: broken escape. */
bool http_url_decode(Str text, bool plus_is_space, Arena *arena, Str *out);
/* Next name=value of a query or form body, still encoded; false at the end. */
bool http_query_next(Str *rest, Str *name_out, Str *value_out);

/* ---- multipart/form-data, streamed ---- */
typedef struct HttpPart { Str name, file_name, content_type; } HttpPart;
typedef struct HttpMultipartHandler {
    ErrorCode (*part_begin)(void *context, const HttpPart *part, Error *err);
    ErrorCode (*part_data)(void *context, Bytes data, Error *err);
    ErrorCode (*part_end)(void *context, Error *err);
} HttpMultipartHandler;
typedef struct HttpMultipart HttpMultipart;
/* ERR_PROTOCOL if content_type is not multipart/form-data with a boundary. */
NODISCARD ErrorCode http_multipart_open(Str content_type, const HttpMultipartHandler *handler, void *context, HttpMultipart **multipart_out, Error *err);
NODISCARD ErrorCode http_multipart_feed(HttpMultipart *multipart, Bytes data, Error *err);
NODISCARD ErrorCode http_multipart_end(HttpMultipart *multipart, Error *err); /* ERR_PROTOCOL: the last boundary is missing */
void http_multipart_close(HttpMultipart *multipart);

/* ---- gzip ---- */
typedef struct HttpInflate HttpInflate;
enum { HTTP_INFLATE_PADDING = 16 }; /* readable bytes behind each piece */
HttpInflate *http_inflate_create(void);      /* gzip and zlib wrappers, several gzip members in a row */
void http_inflate_destroy(HttpInflate *inflate);
/* Gives the next piece; call until *piece_out is empty, each time with what is left of input (*used_out). */
NODISCARD ErrorCode http_inflate_next(HttpInflate *inflate, Bytes input, Bytes *piece_out, size_t *used_out, Error *err);
bool http_inflate_done(const HttpInflate *inflate); /* the stream is complete */
typedef struct HttpDeflate HttpDeflate;
HttpDeflate *http_deflate_create(void);
void http_deflate_destroy(HttpDeflate *deflate);
void http_deflate_append(HttpDeflate *deflate, Bytes data, bool last, Buffer *out);

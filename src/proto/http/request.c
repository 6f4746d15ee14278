/* SPDX-License-Identifier: Apache-2.0
 * request.c - request line and headers (RFC 9112), read in one go once the empty line is there.
 *
 * Why:        waiting for the whole head needs no states; the scan for its end remembers where it was, so a client that sends byte by
 *             byte costs nothing more. Refused: bare LF or CR, folded lines, spaces before a colon, control bytes, a second
 *             Content-Length or Host, Content-Length beside Transfer-Encoding, codings other than chunked.
 * Tests:      test/unit/proto/http/test_request.c, fuzz/fuzz_http.c */
#include "proto/http/http.h"

enum { METHOD_BYTES_MAX = 20, EMPTY_LINES_MAX = 4 };

const char *http_method_name(HttpMethod method) {
    static const char *const NAMES[] = {
#define X(name) #name,
        HTTP_METHODS(X)
#undef X
    };
    assert((unsigned)method < HTTP_METHOD_COUNT);
    return NAMES[method];
}

static HttpResult refuse(int *status_out, int status, Error *err, const char *why) {
    *status_out = status;
    (void)error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "%s", why);
    return HTTP_BAD;
}

static bool is_token_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_token_char(text.data[i])) {
            return false;
        }
    }
    return text.len > 0;
}

/* Looks for the empty line from *scan_io on. *end_out = bytes of the head with it. */
static HttpResult find_end(Bytes input, size_t *scan_io, size_t *end_out, int *status_out, Error *err) {
    size_t at = *scan_io;
    while (at < input.len) {
        const uint8_t *newline = memchr(input.data + at, '\n', input.len - at);
        if (newline == NULL) {
            break;
        }
        size_t place = (size_t)(newline - input.data);
        if (place == 0 || input.data[place - 1] != '\r') {
            return refuse(status_out, 400, err, "line does not end with CRLF");
        }
        at = place + 1;
        if (place >= 3 && input.data[place - 2] == '\n') {
            *end_out = at;
            *scan_io = at;
            return at > HTTP_HEAD_BYTES_MAX ? refuse(status_out, 431, err, "request head is too large") : HTTP_DONE;
        }
    }
    *scan_io = MAX_OF(at, input.len);
    return input.len >= HTTP_HEAD_BYTES_MAX ? refuse(status_out, 431, err, "request head is too large") : HTTP_NEED_MORE;
}

static HttpMethod method_of(Str text) {
    for (int i = 0; i < HTTP_OTHER; i++) {
        if (str_equal(text, str_from_c(http_method_name((HttpMethod)i)))) {
            return (HttpMethod)i;
        }
    }
    return HTTP_OTHER;
}

static bool target_is_clean(Str target) {
    for (size_t i = 0; i < target.len; i++) {
        uint8_t c = (uint8_t)target.data[i];
        if (c <= ' ' || c == 0x7f || c == '#') {
            return false;
        }
    }
    return target.len > 0;
}

/* "/path?query", "http://host/path?query" or "*". */
static bool split_target(HttpRequest *request) {
    Str rest = request->target;
    if (str_starts_with(rest, STR("http://")) || str_starts_with(rest, STR("https://"))) {
        ptrdiff_t slash = str_find_char(rest, '/', 8);
        rest = slash < 0 ? STR("/") : str_slice(rest, (size_t)slash, rest.len);
    } else if (rest.data[0] != '/' && !(request->method == HTTP_OPTIONS && str_equal(rest, STR("*")))) {
        return false;
    }
    ptrdiff_t mark = str_find_char(rest, '?', 0);
    request->path = mark < 0 ? rest : str_slice(rest, 0, (size_t)mark);
    request->query = mark < 0 ? STR("") : str_slice(rest, (size_t)mark + 1, rest.len);
    return true;
}

static HttpResult read_request_line(HttpRequest *request, Str line, int *status_out, Error *err) {
    ptrdiff_t first = str_find_char(line, ' ', 0);
    ptrdiff_t second = first < 0 ? -1 : str_find_char(line, ' ', (size_t)first + 1);
    if (second < 0) {
        return refuse(status_out, 400, err, "request line needs method, target and version");
    }
    Str method = str_slice(line, 0, (size_t)first);
    Str version = str_slice(line, (size_t)second + 1, line.len);
    if (!is_token(method) || method.len > METHOD_BYTES_MAX) {
        return refuse(status_out, 400, err, "bad method");
    }
    request->method = method_of(method);
    request->target = str_slice(line, (size_t)first + 1, (size_t)second);
    if (!target_is_clean(request->target) || !split_target(request)) {
        return refuse(status_out, 400, err, "bad request target");
    }
    if (str_equal(version, STR("HTTP/1.1"))) {
        request->minor_version = 1;
    } else if (!str_equal(version, STR("HTTP/1.0"))) {
        bool other = str_starts_with(version, STR("HTTP/")) && version.len == 8;
        return refuse(status_out, other ? 505 : 400, err, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    }
    return HTTP_DONE;
}

static bool value_is_clean(Str value) {
    for (size_t i = 0; i < value.len; i++) {
        uint8_t c = (uint8_t)value.data[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static HttpResult read_header(HttpRequest *request, Str line, int *status_out, Error *err) {
    ptrdiff_t colon = str_find_char(line, ':', 0);
    if (colon < 0) {
        return refuse(status_out, 400, err, "header without a colon");
    }
    HttpHeader header = {str_slice(line, 0, (size_t)colon), str_trim(str_slice(line, (size_t)colon + 1, line.len))};
    if (!is_token(header.name) || !value_is_clean(header.value)) {
        return refuse(status_out, 400, err, "bad header");
    }
    if (request->header_count == HTTP_HEADERS_MAX) {
        return refuse(status_out, 431, err, "too many headers");
    }
    request->headers[request->header_count++] = header;
    return HTTP_DONE;
}

Str http_header(const HttpRequest *request, Str name) {
    for (uint32_t i = 0; i < request->header_count; i++) {
        if (str_equal_ignore_case(request->headers[i].name, name)) {
            return request->headers[i].value;
        }
    }
    return (Str){NULL, 0};
}

static uint32_t header_occurrences(const HttpRequest *request, Str name) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->header_count; i++) {
        count += str_equal_ignore_case(request->headers[i].name, name);
    }
    return count;
}

/* "q=0", "q=0.000": not acceptable. */
static bool is_zero_weight(Str parameter) {
    if (!str_starts_with(parameter, STR("q=0"))) {
        return false;
    }
    for (size_t i = 3; i < parameter.len; i++) {
        if (parameter.data[i] != '.' && parameter.data[i] != '0') {
            return false;
        }
    }
    return true;
}

bool http_header_has(Str value, Str token) {
    Str piece;
    while (value.len > 0 && str_split(&value, ',', &piece)) {
        Str parameters = piece;
        Str word;
        (void)str_split(&parameters, ';', &word);
        bool refused = false;
        Str parameter;
        while (word.len < piece.len && str_split(&parameters, ';', &parameter)) {
            refused |= is_zero_weight(str_trim(parameter));
        }
        if (str_equal_ignore_case(str_trim(word), token)) {
            return !refused;
        }
    }
    return false;
}

static bool read_length(Str text, uint64_t *length_out) {
    uint64_t length = 0;
    if (text.len == 0 || text.len > 19) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        length = length * 10 + (uint64_t)(text.data[i] - '0');
    }
    *length_out = length;
    return true;
}

/* How the body is framed: the one place where it is decided. */
static HttpResult read_framing(HttpRequest *request, int *status_out, Error *err) {
    uint32_t lengths = header_occurrences(request, STR("content-length"));
    uint32_t codings = header_occurrences(request, STR("transfer-encoding"));
    if (lengths > 1 || codings > 1 || (lengths == 1 && codings == 1)) {
        return refuse(status_out, 400, err, "the length of the body is given more than once");
    }
    if (lengths == 1 && !read_length(http_header(request, STR("content-length")), &request->content_length)) {
        return refuse(status_out, 400, err, "bad Content-Length");
    }
    request->has_length = lengths == 1;
    if (codings == 1) {
        if (request->minor_version == 0) {
            return refuse(status_out, 400, err, "HTTP/1.0 has no Transfer-Encoding");
        }
        if (!str_equal_ignore_case(http_header(request, STR("transfer-encoding")), STR("chunked"))) {
            return refuse(status_out, 501, err, "the only transfer coding is chunked");
        }
        request->chunked = true;
    }
    return HTTP_DONE;
}

static HttpResult read_meaning(HttpRequest *request, int *status_out, Error *err) {
    uint32_t hosts = header_occurrences(request, STR("host"));
    if (hosts > 1 || (hosts == 0 && request->minor_version == 1)) {
        return refuse(status_out, 400, err, "one Host header is needed");
    }
    request->host = http_header(request, STR("host"));
    Str connection = http_header(request, STR("connection"));
    request->keep_alive = request->minor_version == 1 ? !http_header_has(connection, STR("close"))
                                                      : http_header_has(connection, STR("keep-alive"));
    Str expect = http_header(request, STR("expect"));
    if (expect.data != NULL && request->minor_version == 1) {
        if (!str_equal_ignore_case(expect, STR("100-continue"))) {
            return refuse(status_out, 417, err, "unknown expectation");
        }
        request->expect_continue = true;
    }
    return read_framing(request, status_out, err);
}

HttpResult http_request_parse(HttpRequest *request, Bytes input, size_t *scan_io, size_t *used_out, int *status_out, Error *err) {
    size_t skipped = 0;
    while (skipped + 1 < input.len && skipped < 2 * EMPTY_LINES_MAX && input.data[skipped] == '\r' && input.data[skipped + 1] == '\n') {
        skipped += 2;
    }
    *scan_io = MAX_OF(*scan_io, skipped);
    size_t end = 0;
    HttpResult result = find_end(input, scan_io, &end, status_out, err);
    if (result != HTTP_DONE) {
        return result;
    }
    request->header_count = 0;
    request->minor_version = 0;
    request->chunked = request->has_length = request->expect_continue = request->keep_alive = false;
    request->content_length = 0;
    Str rest = {(const char *)input.data + skipped, end - 2 - skipped};
    bool first = true;
    while (rest.len > 0 && result == HTTP_DONE) {
        ptrdiff_t newline = str_find_char(rest, '\n', 0);
        assert(newline > 0);
        Str line = str_slice(rest, 0, (size_t)newline - 1);
        rest = str_slice(rest, (size_t)newline + 1, rest.len);
        if (memchr(line.data, '\r', line.len) != NULL) {
            return refuse(status_out, 400, err, "bare CR");
        }
        result = first ? read_request_line(request, line, status_out, err) : read_header(request, line, status_out, err);
        first = false;
    }
    *used_out = end;
    return result == HTTP_DONE ? read_meaning(request, status_out, err) : result;
}

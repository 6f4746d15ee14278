/* SPDX-License-Identifier: Apache-2.0
 * http_client.c - a blocking HTTP/1.1 client: Connection: close, chunked bodies both ways.
 *
 * Tests: test/cli */
#include "cli/http_client.h"
#include "base/number.h"
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

ErrorCode http_client_init(HttpClient *client, const char *url, Error *err) {
    *client = (HttpClient){.socket = -1};
    Str rest = str_from_c(url);
    if (!str_starts_with(rest, STR("http://"))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "only http:// is spoken, not %s", url);
    }
    rest = str_slice(rest, 7, rest.len);
    ptrdiff_t slash = str_find_char(rest, '/', 0);
    rest = slash >= 0 ? str_slice(rest, 0, (size_t)slash) : rest;
    Str host = rest, port = STR("9000");
    size_t bracket = rest.len > 0 && rest.data[0] == '[' ? (size_t)MAX_OF(str_find_char(rest, ']', 0), (ptrdiff_t)0) : 0;
    ptrdiff_t colon = str_find_char(rest, ':', bracket);
    if (colon >= 0) {
        host = str_slice(rest, 0, (size_t)colon);
        port = str_slice(rest, (size_t)colon + 1, rest.len);
    }
    if (bracket > 0) {
        host = str_slice(host, 1, bracket);
    }
    if (host.len == 0 || host.len >= sizeof client->host || port.len == 0 || port.len > 5) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "not a URL of the form http://host:port: %s", url);
    }
    memcpy(client->host, host.data, host.len);
    memcpy(client->port, port.data, port.len);
    return ERR_OK;
}

static ErrorCode connect_to(HttpClient *client, Error *err) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    int failed = getaddrinfo(client->host, client->port, &hints, &list);
    if (failed != 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot find %s: %s", client->host, gai_strerror(failed));
    }
    int reason = 0;
    for (struct addrinfo *a = list; a != NULL && client->socket < 0; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0) {
            client->socket = fd;
        } else {
            reason = errno;
            if (fd >= 0) {
                close(fd);
            }
        }
    }
    freeaddrinfo(list);
    return client->socket >= 0 ? ERR_OK
                               : error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "cannot connect to http://%s:%s: %s (is `basalt serve` running?)",
                                           client->host, client->port, strerror(reason));
}

static ErrorCode send_all(HttpClient *client, const void *data, size_t len, Error *err) {
    const char *at = data;
    while (len > 0) {
        ssize_t sent = send(client->socket, at, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "the server closed the connection: %s", strerror(errno));
        }
        at += sent;
        len -= (size_t)sent;
    }
    return ERR_OK;
}

ErrorCode http_client_begin(HttpClient *client, const char *method, Str path, const char *headers, bool chunked, Error *err) {
    TRY(connect_to(client, err));
    Buffer head;
    buffer_init(&head, HTTP_ANSWER_BYTES_MAX);
    buffer_printf(&head, "%s ", method);
    buffer_append_str(&head, path);
    buffer_printf(&head, " HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n%s%s\r\n", client->host, client->port, headers,
                  chunked ? "Transfer-Encoding: chunked\r\n" : "");
    ErrorCode code = send_all(client, head.data, head.len, err);
    buffer_deinit(&head);
    return code;
}

ErrorCode http_client_piece(HttpClient *client, Bytes piece, Error *err) {
    char head[32];
    if (piece.len == 0) {
        return ERR_OK;
    }
    int len = snprintf(head, sizeof head, "%zx\r\n", piece.len);
    TRY(send_all(client, head, (size_t)len, err));
    TRY(send_all(client, piece.data, piece.len, err));
    return send_all(client, "\r\n", 2, err);
}

static ErrorCode read_all(HttpClient *client, Buffer *in, Error *err) {
    for (;;) {
        uint8_t *room = buffer_reserve(in, 65536);
        if (room == NULL) {
            return buffer_check(in, err);
        }
        ssize_t got = recv(client->socket, room, 65536, 0);
        if (got == 0) {
            return ERR_OK;
        }
        if (got < 0 && errno != EINTR) {
            return error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "the server closed the connection: %s", strerror(errno));
        }
        in->len += got > 0 ? (size_t)got : 0;
    }
}

static ErrorCode bad_answer(Error *err) {
    return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "the server's answer is no HTTP");
}

/* Chunk sizes and their line ends are cut out. A missing last chunk means that the answer broke off. */
static ErrorCode take_chunks(Str rest, Buffer *body, Error *err) {
    for (;;) {
        ptrdiff_t line_end = str_find(rest, STR("\r\n"), 0);
        uint64_t size = 0;
        if (line_end < 0) {
            return error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "the server broke off in the middle of its answer");
        }
        Str line = str_slice(rest, 0, (size_t)line_end);
        ptrdiff_t semicolon = str_find_char(line, ';', 0);
        line = semicolon >= 0 ? str_slice(line, 0, (size_t)semicolon) : line;
        if (!parse_hex64(str_trim(line), &size)) {
            return bad_answer(err);
        }
        rest = str_slice(rest, (size_t)line_end + 2, rest.len);
        if (size == 0) {
            return ERR_OK;
        }
        if (size > rest.len || rest.len - size < 2) {
            return error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "the server broke off in the middle of its answer");
        }
        buffer_append(body, rest.data, (size_t)size);
        rest = str_slice(rest, (size_t)size + 2, rest.len);
    }
}

static bool head_has(Str head, Str name, Str value) {
    Str line;
    while (str_split(&head, '\n', &line)) {
        ptrdiff_t colon = str_find_char(line, ':', 0);
        if (colon > 0 && str_equal_ignore_case(str_slice(line, 0, (size_t)colon), name)) {
            return str_equal_ignore_case(str_trim(str_slice(line, (size_t)colon + 1, line.len)), value);
        }
    }
    return false;
}

static ErrorCode take_answer(Str answer, int *status_out, Buffer *body, Error *err) {
    ptrdiff_t head_end = str_find(answer, STR("\r\n\r\n"), 0);
    if (head_end < 0 || answer.len < 12 || !str_starts_with(answer, STR("HTTP/1."))) {
        return answer.len == 0 ? error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "the server closed the connection") : bad_answer(err);
    }
    Str head = str_slice(answer, 0, (size_t)head_end), rest = str_slice(answer, (size_t)head_end + 4, answer.len);
    uint64_t status = 0;
    bool overflow = false;
    if (!parse_uint64(str_slice(answer, 9, 12), &status, &overflow)) {
        return bad_answer(err);
    }
    if (status == 100) {
        return take_answer(rest, status_out, body, err); /* at most once: the client sends no Expect */
    }
    *status_out = (int)status;
    if (head_has(head, STR("Transfer-Encoding"), STR("chunked"))) {
        return take_chunks(rest, body, err);
    }
    buffer_append_str(body, rest);
    return ERR_OK;
}

ErrorCode http_client_finish(HttpClient *client, bool chunked, int *status_out, Buffer *body, Error *err) {
    Buffer answer;
    buffer_init(&answer, HTTP_ANSWER_BYTES_MAX);
    ErrorCode code = chunked ? send_all(client, "0\r\n\r\n", 5, NULL) : ERR_OK; /* the server may have answered already */
    (void)code;
    code = read_all(client, &answer, err);
    if (code == ERR_OK) {
        code = take_answer(buffer_str(&answer), status_out, body, err);
    }
    buffer_deinit(&answer);
    http_client_close(client);
    return code;
}

void http_client_abort(HttpClient *client) {
    if (client->socket >= 0) {
        shutdown(client->socket, SHUT_RDWR);
    }
}

void http_client_close(HttpClient *client) {
    int fd = client->socket;
    client->socket = -1;
    if (fd >= 0) {
        close(fd);
    }
}

void http_url_escape(Buffer *out, Str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            buffer_append_char(out, c);
        } else {
            buffer_printf(out, "%%%02X", (unsigned)(unsigned char)c);
        }
    }
}

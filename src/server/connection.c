/* SPDX-License-Identifier: Apache-2.0
 * connection.c - one HTTP connection as an actor: head, body, answer, next request.
 *
 * States:     HEAD -> BODY -> ANSWER -> HEAD …; a request that cannot be understood is answered and ends the connection.
 * Why:        each step eats what is there and says what it waits for, so neither a slow sender nor a slow reader holds a thread.
 * Deadlines:  idle between requests, the whole head from its first byte on (a byte now and then does not extend it), pauses in the
 *             body; a reader that takes nothing is net's business. */
#include "server/server_internal.h"

typedef enum Phase { PHASE_HEAD, PHASE_BODY, PHASE_ANSWER, PHASE_OVER } Phase;

enum { GATHER_START_BYTES = 4096 };

static const NetWait WAIT_CLOSE = {.kind = NET_CLOSE};

static void *connection_opened(void *context, NetConnection *net) {
    Connection *connection = mem_calloc(1, sizeof(Connection));
    connection->server = context;
    connection->net = net;
    Sched *sched = connection->server->os->sched;
    sched->mutex_init(sched, &connection->lock);
    return connection;
}

static void connection_gone(void *state) {
    Connection *connection = state;
    Sched *sched = connection->server->os->sched;
    sched->mutex_lock(sched, &connection->lock);
    connection->cancelled = true;
    if (connection->session != NULL) {
        session_cancel(connection->session);
    }
    sched->mutex_unlock(sched, &connection->lock);
}

static void connection_closed(void *state) {
    Connection *connection = state;
    Sched *sched = connection->server->os->sched;
    assert(connection->session == NULL);
    sched->mutex_deinit(sched, &connection->lock);
    arena_deinit(&connection->request.arena);
    buffer_deinit(&connection->request.body);
    mem_free(connection);
}

/* ---- sessions ---- */

static void session_place(Connection *connection, Session *session) {
    Sched *sched = connection->server->os->sched;
    sched->mutex_lock(sched, &connection->lock);
    connection->session = session;
    if (session != NULL && connection->cancelled) {
        session_cancel(session);
    }
    sched->mutex_unlock(sched, &connection->lock);
}

void connection_session_drop(Connection *connection) {
    Session *session = connection->session;
    session_place(connection, NULL);
    session_close(session);
}

Session *connection_session_take(Connection *connection, Dialect dialect, bool read_only, Error *err) {
    if (connection->session != NULL && (connection->session_dialect != dialect || connection->session_read_only != read_only)) {
        connection_session_drop(connection);
    }
    if (connection->session != NULL) {
        return connection->session;
    }
    const ServerSettings *settings = &connection->server->settings;
    SessionOptions options = {.dialect = dialect,
                              .door = STR("http"),
                              .memory_bytes = (size_t)settings->query_memory.number,
                              .timeout_ms = settings->query_timeout.number,
                              .workers = (int)settings->query_workers.number,
                              .read_only = read_only};
    Session *session = NULL;
    if (session_open(connection->server->engine, &options, &session, err) != ERR_OK) {
        return NULL;
    }
    connection->session_dialect = dialect;
    connection->session_read_only = read_only;
    session_place(connection, session);
    return session;
}

/* ---- one request ---- */

static void rebase(Str *text, const uint8_t *from, const char *to) {
    if (text->data != NULL) {
        text->data = to + (text->data - (const char *)from);
    }
}

/* The head moves into the request's arena: the input buffer goes on being used for the body. */
static void keep_head(Request *request, Bytes input, size_t used) {
    HttpRequest *head = &request->head;
    const char *copy = arena_str(&request->arena, (Str){(const char *)input.data, used}).data;
    Str *texts[] = {&head->target, &head->path, &head->query, &head->host};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        bool inside = texts[i]->data >= (const char *)input.data && texts[i]->data <= (const char *)input.data + used;
        if (inside) {
            rebase(texts[i], input.data, copy);
        }
    }
    for (uint32_t i = 0; i < head->header_count; i++) {
        rebase(&head->headers[i].name, input.data, copy);
        rebase(&head->headers[i].value, input.data, copy);
    }
}

static void request_begin(Connection *connection) {
    Request *request = &connection->request;
    Arena arena = request->arena;
    Buffer body = request->body;
    *request = (Request){.server = connection->server, .connection = connection, .arena = arena, .body = body};
    if (arena.limit_bytes == 0) {
        arena_init(&request->arena, REQUEST_ARENA_BYTES_MAX);
    }
    arena_reset(&request->arena);
    body.limit_bytes = (size_t)connection->server->settings.http_form_bytes.number;
    request->body = body;
    buffer_clear(&request->body);
    http_response_init(&request->response, net_output(connection->net));
}

static void request_end(Connection *connection) {
    Request *request = &connection->request;
    if (request->endpoint != NULL && request->endpoint->end != NULL) {
        request->endpoint->end(request);
    }
    http_inflate_destroy(request->inflate);
    http_response_deinit(&request->response);
    request->inflate = NULL;
    request->endpoint = NULL;
    request->state = NULL;
    if (request->arena.used_bytes > GATHER_START_BYTES * 16) {
        arena_deinit(&request->arena);
        arena_init(&request->arena, REQUEST_ARENA_BYTES_MAX);
    }
    if (request->body.capacity > GATHER_START_BYTES * 16) {
        buffer_deinit(&request->body);
    }
}

size_t request_flush(Request *request) {
    return net_flush(request->connection->net);
}

/* An answer before or without an endpoint. */
static void refuse(Request *request, int status, const char *why) {
    Buffer out;
    buffer_init(&out, 4096);
    buffer_append_str(&out, STR("{\"error\":"));
    json_append_text(&out, str_from_c(why));
    buffer_append_char(&out, '}');
    answer_json(request, status, buffer_str(&out));
    buffer_deinit(&out);
}

static const Endpoint NOWHERE = {.path = ""};

static void answer_unknown_path(Request *request) {
    request->endpoint = &NOWHERE;
    if (server__access(request)) {
        refuse(request, 404, "not found");
    }
}

/* Content-Encoding of the body. false: answered. */
static bool prepare_body(Request *request) {
    Str coding = http_header(&request->head, STR("content-encoding"));
    if (coding.len == 0 || str_equal_ignore_case(coding, STR("identity"))) {
        return true;
    }
    if (str_equal_ignore_case(coding, STR("gzip")) || str_equal_ignore_case(coding, STR("x-gzip"))) {
        request->inflate = http_inflate_create();
        return true;
    }
    Error err = {.code = ERR_NOT_SUPPORTED};
    snprintf(err.message, sizeof err.message, "unsupported Content-Encoding; gzip is known");
    request_fail(request, 415, &err);
    return true;
}

/* The head is complete: find the endpoint and let it begin. */
static void dispatch(Connection *connection) {
    Request *request = &connection->request;
    HttpResponse *response = &request->response;
    COUNT(request, http_requests);
    response->keep_alive = request->head.keep_alive && !net_stopping(connection->net);
    response->http_1_0 = request->head.minor_version == 0;
    response->head_only = request->head.method == HTTP_HEAD;
    response->accept_gzip = connection->server->settings.http_gzip.number != 0 &&
                            http_header_has(http_header(&request->head, STR("accept-encoding")), STR("gzip"));
    http_body_init(&request->body_reader, &request->head);
    request->endpoint = server__route(request->head.path);
    if (request->endpoint == NULL) {
        answer_unknown_path(request);
        return;
    }
    const Endpoint *endpoint = request->endpoint;
    if ((endpoint->methods >> request->head.method & 1) == 0) {
        request->endpoint = NULL; /* nothing begun, nothing to end */
        server__answer_method(request, endpoint);
        return;
    }
    Error err;
    if (!server__access(request) || !prepare_body(request)) {
        return;
    }
    if (server__parameters_read(request, request->head.query, &err) != ERR_OK) {
        refuse(request, 400, err.message);
        return;
    }
    if (endpoint->begin != NULL) {
        endpoint->begin(request);
    }
}

/* ---- phases ---- */

typedef enum Move { MOVE_ON, MOVE_WAIT } Move;

static Move wait_input(NetWait *wait_out, int64_t deadline_ms) {
    *wait_out = (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = deadline_ms};
    return MOVE_WAIT;
}

static Move end_connection(Connection *connection, NetWait *wait_out) {
    connection->phase = PHASE_OVER;
    *wait_out = WAIT_CLOSE;
    return MOVE_WAIT;
}

static Move refuse_and_end(Connection *connection, int status, const char *why, NetWait *wait_out) {
    connection->request.response.keep_alive = false;
    if (!connection->request.response.begun) {
        refuse(&connection->request, status, why);
    }
    return end_connection(connection, wait_out);
}

static Move wait_head(Connection *connection, Bytes input, NetWait *wait_out) {
    const ServerSettings *settings = &connection->server->settings;
    int64_t now = net_now_ms();
    if (net_input_ended(connection->net) || (input.len == 0 && net_stopping(connection->net))) {
        return end_connection(connection, wait_out);
    }
    if (input.len == 0) {
        if (net_timed_out(connection->net) && connection->deadline_ms != 0 && now >= connection->deadline_ms) {
            return end_connection(connection, wait_out);
        }
        net_shrink(connection->net);
        connection->deadline_ms = now + settings->http_idle_timeout.number;
        connection->scan = 0;
        return wait_input(wait_out, connection->deadline_ms);
    }
    if (connection->scan == 0) {
        connection->deadline_ms = now + settings->http_head_timeout.number;
    } else if (now >= connection->deadline_ms) {
        return refuse_and_end(connection, 408, "the headers of the request did not come in time", wait_out);
    }
    connection->scan = MAX_OF(connection->scan, (size_t)1);
    return wait_input(wait_out, connection->deadline_ms);
}

static Move read_head(Connection *connection, NetWait *wait_out) {
    Request *request = &connection->request;
    if (net_flush(connection->net) > NET_OUTPUT_BYTES) { /* answers to pipelined requests that nobody reads */
        *wait_out = (NetWait){.kind = NET_WAIT_OUTPUT};
        return MOVE_WAIT;
    }
    Bytes input = net_input(connection->net);
    if (connection->scan == 0 && !request->response.begun) {
        request_begin(connection);
    }
    size_t used = 0, scan = connection->scan;
    int status = 400;
    Error err = {0};
    HttpResult result = input.len == 0 ? HTTP_NEED_MORE : http_request_parse(&request->head, input, &scan, &used, &status, &err);
    if (result == HTTP_NEED_MORE) {
        Move move = wait_head(connection, input, wait_out);
        connection->scan = input.len == 0 ? 0 : MAX_OF(scan, (size_t)1);
        return move;
    }
    if (result == HTTP_BAD) {
        COUNT(request, http_requests);
        return refuse_and_end(connection, status, err.message, wait_out);
    }
    keep_head(request, input, used);
    net_consume(connection->net, used);
    dispatch(connection);
    connection->scan = 0;
    connection->phase = PHASE_BODY;
    connection->deadline_ms = net_now_ms() + connection->server->settings.http_body_timeout.number;
    if (request->head.expect_continue && !http_body_is_empty(&request->head) && !request->response.ended) {
        buffer_append_str(net_output(connection->net), STR("HTTP/1.1 100 Continue\r\n\r\n"));
        (void)net_flush(connection->net);
    }
    return MOVE_ON;
}

static void use_piece(Request *request, Bytes piece) {
    const Endpoint *endpoint = request->endpoint;
    if (piece.len == 0 || request->failed || request->response.ended || endpoint == NULL || endpoint->body_use == BODY_IGNORED) {
        return;
    }
    if (endpoint->body_use == BODY_STREAMED) {
        endpoint->body(request, piece);
        return;
    }
    buffer_append(&request->body, piece.data, piece.len);
    Error err;
    if (buffer_check(&request->body, &err) != ERR_OK) {
        request_fail(request, 413, &err);
    }
}

/* Through the gzip filter, if there is one, to the endpoint. */
static void use_bytes(Request *request, Bytes bytes) {
    if (request->inflate == NULL) {
        use_piece(request, bytes);
        return;
    }
    Bytes piece = bytes;
    while (!request->failed && (bytes.len > 0 || piece.len > 0)) {
        size_t used = 0;
        Error err;
        if (http_inflate_next(request->inflate, bytes, &piece, &used, &err) != ERR_OK) {
            request_fail(request, err.code == ERR_TOO_LARGE ? 413 : 400, &err);
            return;
        }
        if (piece.len == 0 && used == 0) {
            return;
        }
        use_piece(request, piece);
        bytes = bytes_from(bytes.data + used, bytes.len - used);
    }
}

static void body_complete(Request *request) {
    if (request->inflate != NULL && !request->failed && request->body_bytes > 0 && !http_inflate_done(request->inflate)) {
        Error err = {.code = ERR_PROTOCOL};
        snprintf(err.message, sizeof err.message, "bad gzip data: it ends too early");
        request_fail(request, 400, &err);
    }
}

static Move read_body(Connection *connection, NetWait *wait_out) {
    Request *request = &connection->request;
    bool answered = request->response.ended;
    for (;;) {
        Bytes input = net_input(connection->net);
        Bytes piece;
        size_t used = 0;
        Error err = {0};
        HttpResult result = http_body_next(&request->body_reader, input, &piece, &used, &err);
        if (result == HTTP_BAD) {
            return answered ? end_connection(connection, wait_out) : refuse_and_end(connection, 400, err.message, wait_out);
        }
        use_bytes(request, piece);
        request->body_bytes += piece.len;
        net_consume(connection->net, used);
        if (result == HTTP_DONE) {
            body_complete(request);
            connection->phase = PHASE_ANSWER;
            return MOVE_ON;
        }
        bool useless = answered || request->failed;
        if (useless && (request->body_bytes > DRAIN_BYTES_MAX || request->head.expect_continue)) {
            request->response.keep_alive = false; /* the client may go on sending: this connection is of no more use */
            connection->phase = PHASE_ANSWER;
            return MOVE_ON;
        }
        if (used > 0) {
            connection->deadline_ms = net_now_ms() + connection->server->settings.http_body_timeout.number;
            continue;
        }
        if (net_input_ended(connection->net)) {
            return end_connection(connection, wait_out);
        }
        if (net_timed_out(connection->net) && net_now_ms() >= connection->deadline_ms) {
            return answered ? end_connection(connection, wait_out) : refuse_and_end(connection, 408, "the body of the request did not come in time", wait_out);
        }
        return wait_input(wait_out, connection->deadline_ms);
    }
}

static Move answer(Connection *connection, NetWait *wait_out) {
    Request *request = &connection->request;
    if (!request->response.ended && request->endpoint != NULL) {
        if (request->endpoint->finish(request) == STEP_WAIT_OUTPUT) {
            *wait_out = (NetWait){.kind = NET_WAIT_OUTPUT};
            return MOVE_WAIT;
        }
        assert(request->response.ended || request->abort);
    }
    bool keep = request->response.keep_alive && !request->abort;
    request_end(connection);
    (void)net_flush(connection->net);
    if (!keep || net_stopping(connection->net)) {
        return end_connection(connection, wait_out);
    }
    connection->phase = PHASE_HEAD;
    connection->scan = 0;
    request->response.begun = false;
    return MOVE_ON;
}

static NetWait finish_connection(Connection *connection) {
    request_end(connection);
    connection_session_drop(connection);
    return WAIT_CLOSE;
}

static NetWait connection_run(void *state, NetConnection *net) {
    Connection *connection = state;
    NetWait wait = WAIT_CLOSE;
    Move move = MOVE_ON;
    while (move == MOVE_ON && !net_gone(net)) {
        switch ((Phase)connection->phase) {
        case PHASE_HEAD: move = read_head(connection, &wait); break;
        case PHASE_BODY: move = read_body(connection, &wait); break;
        case PHASE_ANSWER: move = answer(connection, &wait); break;
        case PHASE_OVER: move = MOVE_WAIT; break;
        }
    }
    if (net_gone(net)) {
        wait = WAIT_CLOSE;
    }
    return wait.kind == NET_CLOSE ? finish_connection(connection) : wait;
}

const NetHandler SERVER__HTTP_HANDLER = {connection_opened, connection_run, connection_gone, connection_closed};

/* SPDX-License-Identifier: Apache-2.0
 * write.c - POST /write and /api/v2/write: line protocol. One request is one transaction over all its tables: 204 when it is
 * committed, or nothing of it is stored and the answer names line and reason.
 *
 * Why:        the body streams through the parser into column builders of at most BLOCK_ROWS rows, so its size has no limit and its
 *             memory does. Parsers (with their warm builders and symbol caches) go from request to request. */
#include "server/write_sink.h"

typedef struct WriteState {
    WriteSink sink;
    IlpParser *parser;
    uint64_t line;       /* of the failure, 0 = none */
} WriteState;

enum { ANSWER_BYTES_MAX = 64 << 10, PARSER_BYTES_KEPT = 16 << 20 };

static IlpParser *parser_take(Server *server) {
    IlpParser *parser = NULL;
    Sched *sched = server->os->sched;
    sched->mutex_lock(sched, &server->lock);
    for (size_t i = 0; i < WRITERS_KEPT && parser == NULL; i++) {
        parser = server->writers_free[i];
        server->writers_free[i] = NULL;
    }
    sched->mutex_unlock(sched, &server->lock);
    return parser == NULL ? ilp_parser_create() : parser;
}

static void parser_give_back(Server *server, IlpParser *parser) {
    Sched *sched = server->os->sched;
    if (ilp_parser_memory(parser) > PARSER_BYTES_KEPT) {
        ilp_parser_forget(parser);
    }
    sched->mutex_lock(sched, &server->lock);
    for (size_t i = 0; i < WRITERS_KEPT && parser != NULL; i++) {
        if (server->writers_free[i] == NULL) {
            server->writers_free[i] = parser;
            parser = NULL;
        }
    }
    sched->mutex_unlock(sched, &server->lock);
    ilp_parser_destroy(parser);
}

static void write_begin(Request *request) {
    COUNT(request, line_requests);
    IlpPrecision precision = ILP_NANOS;
    Str wanted = request_parameter(request, "precision");
    if (!ilp_precision_parse(wanted, &precision)) {
        Error err;
        (void)error_set(&err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unsupported precision [precision=%.*s]", STR_ARG(wanted));
        request_fail(request, 400, &err);
    }
    if (request->failed) {
        return;
    }
    Server *server = request->server;
    WriteState *state = arena_new(&request->arena, WriteState);
    request->state = state;
    write_sink_init(&state->sink, server->engine);
    state->parser = parser_take(server);
    ilp_parser_begin(state->parser, &state->sink.base, precision, server->os->clock->wall_micros(server->os->clock));
}

/* The parser or the engine refused: is it the fault of a line? */
static void fail(Request *request, const Error *err) {
    WriteState *state = request->state;
    state->line = ilp_parser_fault_is_line(state->parser) ? ilp_parser_line(state->parser) : 0;
    request_fail(request, error_http_status(err->code), err);
}

static void write_body(Request *request, Bytes piece) {
    WriteState *state = request->state;
    Error err = {0};
    if (ilp_parser_feed(state->parser, piece, &err) != ERR_OK) {
        fail(request, &err);
    }
}

static const char *code_word(int status) {
    static const struct { int status; const char *word; } WORDS[] = {
        {400, "invalid"}, {403, "forbidden"}, {409, "conflict"}, {413, "request too large"}, {415, "not supported"}};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (WORDS[i].status == status) {
            return WORDS[i].word;
        }
    }
    return "internal error";
}

static void answer_failure(Request *request) {
    const WriteState *state = request->state;
    Server *server = request->server;
    uint64_t line = state == NULL ? 0 : state->line;
    char message[ERROR_MESSAGE_BYTES + 128];
    size_t len = 0;
    if (line > 0) {
        len = (size_t)snprintf(message, sizeof message, "failed to parse line protocol:errors encountered on line(s):\nerror in line %llu: ",
                               (unsigned long long)line);
    }
    snprintf(message + len, sizeof message - len, "%s", request->error.message);
    Str text = str_from_c(message);
    while (text.len > 0 && !utf8_valid(text)) {
        text.len--; /* cut inside of a character, or the name at fault was not UTF-8 itself */
    }
    Buffer out;
    buffer_init(&out, ANSWER_BYTES_MAX);
    buffer_printf(&out, "{\"code\":\"%s\",\"message\":", code_word(request->fail_status));
    json_append_text(&out, text);
    if (line > 0) {
        buffer_printf(&out, ",\"line\":%llu", (unsigned long long)line);
    }
    buffer_printf(&out, ",\"errorId\":\"%012llx-%llu\"}", (unsigned long long)(server->error_id_base & 0xffffffffffffULL),
                  (unsigned long long)atomic_fetch_add(&server->error_id, 1) + 1);
    answer_json(request, request->fail_status, buffer_str(&out));
    buffer_deinit(&out);
}

static ErrorCode complete(Request *request, Error *err) {
    WriteState *state = request->state;
    ErrorCode code = ilp_parser_end(state->parser, err);
    if (code != ERR_OK) {
        state->line = ilp_parser_fault_is_line(state->parser) ? ilp_parser_line(state->parser) : 0;
        return code;
    }
    return write_sink_commit(&state->sink, err);
}

static StepResult write_finish(Request *request) {
    WriteState *state = request->state;
    Error err = {0};
    if (!request->failed && complete(request, &err) != ERR_OK) {
        request_fail(request, error_http_status(err.code), &err);
    }
    if (request->failed) {
        COUNT(request, line_errors);
        answer_failure(request);
        return STEP_DONE;
    }
    COUNT_ADD(request, line_rows, ilp_parser_rows(state->parser));
    http_response_send(&request->response, 204, STR(""), STR(""), STR(""));
    return STEP_DONE;
}

static void write_end(Request *request) {
    WriteState *state = request->state;
    if (state != NULL) {
        write_sink_deinit(&state->sink);
        parser_give_back(request->server, state->parser);
    }
}

const Endpoint ENDPOINT_WRITE = {.path = "/write", .methods = METHOD_BIT(POST), .body_use = BODY_STREAMED, .writes = true, .begin = write_begin,
                                 .body = write_body, .finish = write_finish, .end = write_end};
const Endpoint ENDPOINT_WRITE_V2 = {.path = "/api/v2/write", .methods = METHOD_BIT(POST), .body_use = BODY_STREAMED, .writes = true,
                                    .begin = write_begin, .body = write_body, .finish = write_finish, .end = write_end};

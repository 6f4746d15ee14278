/* SPDX-License-Identifier: Apache-2.0
 * exp.c - GET /exp?query=…: rows as CSV for download.
 *
 * Why:        CSV has no place for an error, so a failure after the first rows breaks the connection: the client sees a cut file. */
#include "base/number.h"
#include "server/query_stream.h"

typedef struct ExpState {
    QueryStream stream;
} ExpState;

static bool may_export(StatementKind kind) {
    return kind == STATEMENT_SELECT || kind == STATEMENT_EXPLAIN || kind == STATEMENT_SHOW;
}

static void write_beginning(Request *request) {
    ExpState *state = request->state;
    Clock *clock = request->server->os->clock;
    Str headers = arena_format(&request->arena, "Content-Disposition: attachment; filename=\"basalt-query-%lld.csv\"\r\n",
                               (long long)(clock->wall_micros(clock) / 1000));
    http_response_start(&request->response, 200, STR("text/csv; charset=utf-8"), headers);
    if (!request_flag(request, "nm")) {
        csv_encode_header(state->stream.encoded, state->stream.column_count, http_response_piece_open(&request->response));
        http_response_piece_close(&request->response);
    }
}

static ErrorCode check_format(const Request *request, Error *err) {
    Str format = request_parameter(request, "fmt");
    if (str_equal(format, STR("parquet"))) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "fmt=parquet is not built yet");
    }
    if (format.len > 0 && !str_equal(format, STR("csv"))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unknown fmt, csv is known");
    }
    return ERR_OK;
}

static ErrorCode start(Request *request, Str query, Error *err) {
    ExpState *state = request->state;
    QueryStream *stream = &state->stream;
    bool empty = false;
    TRY(check_format(request, err));
    TRY(query_stream_open(stream, request, query, DIALECT_QUESTDB, &empty, err));
    if (empty) {
        return error_set(err, ERR_SYNTAX, 0, "empty query");
    }
    if (!may_export(statement_kind(stream->statement))) {
        return error_set(err, ERR_NOT_SUPPORTED, 0, "/exp endpoint only accepts SELECT");
    }
    int64_t seconds = 0;
    bool overflow = false;
    if (parse_int64(request_parameter(request, "timeout"), &seconds, &overflow) && seconds > 0 && seconds < INT64_C(1) << 40) {
        session_set_timeout(stream->session, seconds * 1000);
    }
    stream->limit = row_limit_parse(request_parameter(request, "limit"));
    TRY(query_stream_columns(stream, request, request_parameter(request, "cols"), err));
    TRY(query_stream_start(stream, &(EncoderOptions){0}, err));
    write_beginning(request);
    return ERR_OK;
}

static void begin(Request *request) {
    Error err = {0};
    request->state = arena_new(&request->arena, ExpState);
    COUNT(request, exports);
    Str query = request_parameter(request, "query");
    query = query.data == NULL ? STR("") : query;
    if (start(request, query, &err) != ERR_OK) {
        answer_query_error(request, query, &err, true);
    }
}

static StepResult exp_finish(Request *request) {
    if (request->state == NULL) {
        begin(request);
    }
    if (request->response.ended) {
        return STEP_DONE;
    }
    StepResult result = STEP_DONE;
    Error err = {0};
    if (query_stream_write(&((ExpState *)request->state)->stream, request, csv_encode_rows, &result, &err) != ERR_OK) {
        request->abort = true;
        return STEP_DONE;
    }
    if (result == STEP_DONE) {
        http_response_end(&request->response);
    }
    return result;
}

static void exp_end(Request *request) {
    if (request->state != NULL) {
        query_stream_close(&((ExpState *)request->state)->stream, request);
    }
}

const Endpoint ENDPOINT_EXP = {
    .path = "/exp", .methods = METHOD_BIT(GET) | METHOD_BIT(HEAD), .body_use = BODY_IGNORED, .finish = exp_finish, .end = exp_end};

/* SPDX-License-Identifier: Apache-2.0
 * exec.c - GET /exec?query=…: one statement, its answer as QuestDB's JSON, streamed.
 *
 * Layout:     {"query":q,"columns":[…],"timestamp":i,"dataset":[[…],…],"count":n[,"timings":{…}][,"explain":{…}]}, in this order.
 * Why:        the first rows are computed before the head is written, so most failures still get their status; a later one closes the
 *             arrays and adds "error" and "errorPos" to the answer of status 200, as clients of QuestDB expect. */
#include "server/query_stream.h"

typedef struct ExecState {
    QueryStream stream;
    bool names, timings, explain, quote_numbers;
    int version;
} ExecState;

static void answer_empty(Request *request, Str query) {
    ExecState *state = request->state;
    Buffer out;
    buffer_init(&out, REQUEST_ARENA_BYTES_MAX);
    buffer_printf(&out, "{\"%s\":\"empty query\",\"query\":", state->version >= 2 ? "notice" : "error");
    json_append_text(&out, query);
    buffer_append_str(&out, STR(",\"position\":\"0\"}"));
    answer_json(request, 200, buffer_str(&out));
    buffer_deinit(&out);
}

static ErrorCode read_dialect(const Request *request, Dialect *dialect_out, Error *err) {
    Str name = request_parameter(request, "dialect");
    *dialect_out = str_equal_ignore_case(name, STR("postgres")) ? DIALECT_POSTGRES : DIALECT_QUESTDB;
    bool known = name.len == 0 || *dialect_out == DIALECT_POSTGRES || str_equal_ignore_case(name, STR("questdb"));
    return known ? ERR_OK : error_set(err, ERR_INVALID_PARAMETER, 0, "dialect is questdb or postgres, not '%.*s'", (int)MIN_OF(name.len, 100), name.data);
}

static void read_parameters(Request *request, ExecState *state) {
    state->names = !request_flag(request, "nm");
    state->timings = request_flag(request, "timings");
    state->explain = request_flag(request, "explain");
    state->quote_numbers = request_flag(request, "quoteLargeNum") || str_equal(request_parameter(request, "src"), STR("con"));
    Str version = request_parameter(request, "version");
    state->version = version.len == 1 && version.data[0] >= '2' && version.data[0] <= '9' ? version.data[0] - '0' : 1;
    state->stream.limit = row_limit_parse(request_parameter(request, "limit"));
    state->stream.count_all = request_flag(request, "count");
}

/* A statement that gives no rows: all its work, then the short answer. */
static ErrorCode run_command(Request *request, Error *err) {
    ExecState *state = request->state;
    Statement *statement = state->stream.statement;
    Batch *batch = NULL;
    do {
        TRY(statement_step(statement, &batch, err));
    } while (batch != NULL);
    StatementKind kind = statement_kind(statement);
    char text[64];
    if (kind == STATEMENT_INSERT) {
        answer_json(request, 200, STR("{\"dml\":\"OK\"}"));
    } else if (kind == STATEMENT_UPDATE || kind == STATEMENT_DELETE) {
        int len = snprintf(text, sizeof text, "{\"dml\":\"OK\",\"updated\":%llu}", (unsigned long long)statement_affected_rows(statement));
        answer_json(request, 200, (Str){text, (size_t)len});
    } else {
        answer_json(request, 200, STR("{\"ddl\":\"OK\"}"));
    }
    return ERR_OK;
}

static void write_beginning(Request *request) {
    ExecState *state = request->state;
    QueryStream *stream = &state->stream;
    http_response_start(&request->response, 200, STR("application/json; charset=utf-8"), STR(""));
    Buffer *out = http_response_piece_open(&request->response);
    if (!state->names) {
        buffer_append_str(out, STR("{\"dataset\":["));
    } else {
        int place = statement_timestamp_index(stream->statement), shown = -1;
        for (uint16_t i = 0; i < stream->column_count && place >= 0; i++) {
            shown = stream->columns[i] == place && shown < 0 ? i : shown;
        }
        buffer_append_str(out, STR("{\"query\":"));
        json_append_text(out, stream->sql);
        buffer_append_str(out, STR(",\"columns\":"));
        json_encode_columns(stream->encoded, stream->column_count, out);
        buffer_printf(out, ",\"timestamp\":%d,\"dataset\":[", shown);
    }
    http_response_piece_close(&request->response);
}

static void write_end(Request *request, const Error *failure) {
    ExecState *state = request->state;
    QueryStream *stream = &state->stream;
    Buffer *out = http_response_piece_open(&request->response);
    buffer_printf(out, "],\"count\":%llu", (unsigned long long)query_stream_count(stream));
    if (failure != NULL) {
        buffer_append_str(out, STR(",\"error\":"));
        json_append_error(out, failure);
        buffer_printf(out, ",\"errorPos\":%zu", error_code_points(stream->sql, failure->position));
    } else {
        StatementTimes times = statement_times(stream->statement);
        if (state->timings) {
            buffer_printf(out, ",\"timings\":{\"authentication\":0,\"compiler\":%lld,\"execute\":%lld,\"count\":0}", (long long)times.compile_nanos,
                          (long long)times.execute_nanos);
        }
        if (state->explain) {
            buffer_append_str(out, STR(",\"explain\":{\"jitCompiled\":false}"));
        }
    }
    buffer_append_char(out, '}');
    http_response_piece_close(&request->response);
    http_response_end(&request->response);
    if (failure == NULL) {
        COUNT(request, json_queries_completed);
    }
}

/* Prepares and computes the first rows. An error is answered by the caller; what has no rows is answered here. */
static ErrorCode start(Request *request, Str query, bool *with_position_out, Error *err) {
    ExecState *state = request->state;
    QueryStream *stream = &state->stream;
    bool empty = false;
    Dialect dialect = DIALECT_QUESTDB;
    TRY(read_dialect(request, &dialect, err));
    TRY(query_stream_open(stream, request, query, dialect, &empty, err));
    if (empty) {
        answer_empty(request, query);
        return ERR_OK;
    }
    COUNT(request, json_queries);
    if (!query_stream_has_rows(stream)) {
        TRY(run_command(request, err));
        COUNT(request, json_queries_completed);
        return ERR_OK;
    }
    *with_position_out = false;
    TRY(query_stream_columns(stream, request, request_parameter(request, "cols"), err));
    *with_position_out = true;
    TRY(query_stream_start(stream, &(EncoderOptions){.quote_large_numbers = state->quote_numbers}, err));
    write_beginning(request);
    return ERR_OK;
}

static ErrorCode read_form(Request *request, Error *err) {
    Str type = http_header(&request->head, STR("content-type"));
    if (request->body.len == 0) {
        return ERR_OK;
    }
    if (!str_starts_with(type, STR("application/x-www-form-urlencoded"))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "a posted query must be application/x-www-form-urlencoded");
    }
    return server__parameters_read(request, buffer_str(&request->body), err);
}

static StepResult exec_begin(Request *request) {
    Error err = request->error;
    request->state = arena_new(&request->arena, ExecState);
    if (request->failed || read_form(request, &err) != ERR_OK) {
        answer_query_error(request, STR(""), &err, false);
        return STEP_DONE;
    }
    read_parameters(request, request->state);
    Str query = request_parameter(request, "query");
    if (query.data == NULL) {
        query = STR("");
    }
    bool with_position = true;
    if (start(request, query, &with_position, &err) != ERR_OK) {
        answer_query_error(request, query, &err, with_position);
    }
    return STEP_DONE;
}

static StepResult exec_finish(Request *request) {
    if (request->state == NULL) {
        (void)exec_begin(request);
    }
    if (request->response.ended) {
        return STEP_DONE;
    }
    StepResult result = STEP_DONE;
    Error err = {0};
    if (query_stream_write(&((ExecState *)request->state)->stream, request, json_encode_rows, &result, &err) != ERR_OK) {
        write_end(request, &err);
        return STEP_DONE;
    }
    if (result == STEP_DONE) {
        write_end(request, NULL);
    }
    return result;
}

static void exec_end(Request *request) {
    if (request->state != NULL) {
        query_stream_close(&((ExecState *)request->state)->stream, request);
    }
}

const Endpoint ENDPOINT_EXEC = {.path = "/exec",
                                .methods = METHOD_BIT(GET) | METHOD_BIT(HEAD) | METHOD_BIT(POST),
                                .body_use = BODY_GATHERED,
                                .finish = exec_finish,
                                .end = exec_end};

/* SPDX-License-Identifier: Apache-2.0
 * query_stream.c - a statement's rows as the HTTP parameters want them.
 *
 * Why:        "-n" (the last rows) runs the statement twice, counting first: its memory does not depend on n. */
#include "base/number.h"
#include "server/query_stream.h"

RowLimit row_limit_parse(Str text) {
    RowLimit all = {.rows = UINT64_MAX};
    ptrdiff_t comma = str_find_char(text, ',', 0);
    int64_t low = 0, high = 0;
    bool overflow = false;
    if (comma < 0) {
        if (!parse_int64(str_trim(text), &high, &overflow)) {
            return all;
        }
        return high >= 0 ? (RowLimit){.rows = (uint64_t)high} : (RowLimit){.rows = -(uint64_t)high, .from_end = true};
    }
    if (!parse_int64(str_trim(str_slice(text, 0, (size_t)comma)), &low, &overflow) ||
        !parse_int64(str_trim(str_slice(text, (size_t)comma + 1, text.len)), &high, &overflow)) {
        return all;
    }
    low = MAX_OF(low, 1);
    high = MAX_OF(high, low - 1);
    return (RowLimit){.skip = (uint64_t)(low - 1), .rows = (uint64_t)(high - low + 1)};
}

static bool is_block_statement(StatementKind kind) {
    return kind >= STATEMENT_BEGIN && kind <= STATEMENT_ROLLBACK_TO;
}

static bool is_blank(Str text) {
    return str_trim(text).len == 0;
}

/* Only blanks, comments and semicolons behind the first statement. */
static bool is_last(QueryStream *stream, size_t used) {
    Str rest = str_slice(stream->sql, used, stream->sql.len);
    if (is_blank(rest)) {
        return true;
    }
    Statement *next = NULL;
    size_t next_used = 0;
    if (statement_prepare(stream->session, rest, NULL, 0, &next, &next_used, NULL) != ERR_OK) {
        return false;
    }
    bool empty = statement_kind(next) == STATEMENT_EMPTY;
    statement_close(next);
    return empty;
}

static ErrorCode prepare(QueryStream *stream, Error *err) {
    size_t used = 0;
    TRY(statement_prepare(stream->session, stream->sql, NULL, 0, &stream->statement, &used, err));
    if (!is_last(stream, used)) {
        while (used < stream->sql.len && is_blank(str_slice(stream->sql, used, used + 1))) {
            used++;
        }
        return error_set(err, ERR_NOT_SUPPORTED, (int64_t)used, "only one statement can be run in one request");
    }
    if (is_block_statement(statement_kind(stream->statement))) {
        return error_set(err, ERR_NOT_SUPPORTED, 0, "transaction blocks over HTTP need a session, which is not built yet");
    }
    if (statement_param_count(stream->statement) > 0) {
        return error_set(err, ERR_UNDEFINED_PARAMETER, 0, "parameters have no values over HTTP");
    }
    return ERR_OK;
}

ErrorCode query_stream_open(QueryStream *stream, Request *request, Str sql, Dialect dialect, bool *empty_out, Error *err) {
    *empty_out = is_blank(sql);
    if (*empty_out) {
        return ERR_OK;
    }
    stream->sql = sql;
    stream->session = connection_session_take(request->connection, dialect, request->foreign, err);
    if (stream->session == NULL) {
        return err->code;
    }
    int64_t timeout_ms = request->server->settings.query_timeout.number, asked = 0;
    bool overflow = false;
    if (parse_int64(http_header(&request->head, STR("statement-timeout")), &asked, &overflow) && asked > 0) {
        timeout_ms = timeout_ms > 0 ? MIN_OF(timeout_ms, asked) : asked;
    }
    session_set_timeout(stream->session, timeout_ms);
    ErrorCode code = prepare(stream, err);
    if (code != ERR_OK) {
        query_stream_close(stream, request);
        return code;
    }
    *empty_out = statement_kind(stream->statement) == STATEMENT_EMPTY;
    return ERR_OK;
}

void query_stream_close(QueryStream *stream, Request *request) {
    if (stream->encoder_open) {
        encoder_deinit(&stream->encoder);
        stream->encoder_open = false;
    }
    bool keeps_state = false;
    if (stream->statement != NULL) {
        StatementKind kind = statement_kind(stream->statement);
        keeps_state = kind == STATEMENT_SET || kind == STATEMENT_RESET || kind == STATEMENT_PREPARE || kind == STATEMENT_DECLARE_CURSOR ||
                      kind == STATEMENT_SET_TRANSACTION;
        statement_close(stream->statement);
        stream->statement = NULL;
    }
    if (keeps_state) {
        connection_session_drop(request->connection); /* settings, prepared statements and cursors last for one request */
    }
    stream->session = NULL;
}

bool query_stream_has_rows(const QueryStream *stream) {
    return statement_column_count(stream->statement) > 0;
}

/* ---- columns ---- */

/* Next name of a list: a,"b c",d\,e. false at the end. */
static bool next_name(Str *rest, Arena *arena, Str *name_out) {
    *rest = str_trim(*rest);
    if (rest->len == 0) {
        return false;
    }
    char *name = arena_alloc_aligned(arena, rest->len, 1);
    size_t len = 0, at = 0;
    bool quoted = false;
    for (; at < rest->len && (quoted || rest->data[at] != ','); at++) {
        if (rest->data[at] == '\\' && at + 1 < rest->len) {
            name[len++] = rest->data[++at];
        } else if (rest->data[at] == '"') {
            quoted = !quoted;
        } else {
            name[len++] = rest->data[at];
        }
    }
    *rest = str_slice(*rest, MIN_OF(at + 1, rest->len), rest->len);
    *name_out = (Str){name, len};
    return true;
}

static int find_column(const RelColumn *columns, uint32_t count, Str name) {
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(columns[i].name, name)) {
            return (int)i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal_ignore_case(columns[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

static void take_column(QueryStream *stream, const RelColumn *columns, uint32_t number) {
    stream->columns[stream->column_count] = (uint16_t)number;
    stream->encoded[stream->column_count++] = (EncodedColumn){columns[number].name, columns[number].type};
}

ErrorCode query_stream_columns(QueryStream *stream, Request *request, Str wanted, Error *err) {
    uint32_t count = statement_column_count(stream->statement);
    const RelColumn *columns = statement_columns(stream->statement);
    uint32_t room = MAX_OF(count, (uint32_t)COLUMNS_MAX);
    stream->columns = arena_array(&request->arena, uint16_t, room);
    stream->encoded = arena_array(&request->arena, EncodedColumn, room);
    Str name;
    while (next_name(&wanted, &request->arena, &name)) {
        int number = find_column(columns, count, name);
        if (number < 0 || stream->column_count == room) {
            return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "column not found: '%.*s'", STR_ARG(name));
        }
        take_column(stream, columns, (uint32_t)number);
    }
    for (uint32_t i = 0; stream->column_count == 0 && i < count; i++) {
        while (stream->column_count < count) {
            take_column(stream, columns, stream->column_count);
        }
    }
    return ERR_OK;
}

/* ---- rows ---- */

/* Counts the rows of a first run, so that the last ones are known, and starts anew. */
static ErrorCode find_last_rows(QueryStream *stream, Error *err) {
    uint64_t total = 0;
    for (;;) {
        Batch *batch = NULL;
        TRY(statement_step(stream->statement, &batch, err));
        if (batch == NULL) {
            break;
        }
        total += batch->live_count;
    }
    stream->limit.skip = total > stream->limit.rows ? total - stream->limit.rows : 0;
    stream->limit.from_end = false;
    return statement_reset(stream->statement, err);
}

/* Restricts batch to the rows that the limit lets through. */
static Batch *cut(QueryStream *stream, Batch *batch) {
    RowLimit *limit = &stream->limit;
    uint64_t first = limit->seen;
    limit->seen += batch->live_count;
    uint64_t end = limit->rows > UINT64_MAX - limit->skip ? UINT64_MAX : limit->skip + limit->rows;
    if (first >= limit->skip && limit->seen <= end) {
        limit->sent += batch->live_count;
        return batch;
    }
    stream->batch = *batch;
    stream->batch.live = stream->live;
    stream->batch.live_count = 0;
    memset(stream->live, 0, sizeof stream->live);
    uint64_t number = first;
    for (uint16_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        if (number >= limit->skip && number < end) {
            bit_set(stream->live, row);
            stream->batch.live_count++;
        }
        number++;
    }
    limit->sent += stream->batch.live_count;
    return &stream->batch;
}

static bool limit_reached(const RowLimit *limit) {
    return limit->rows != UINT64_MAX && limit->seen >= limit->skip && limit->seen - limit->skip >= limit->rows;
}

/* Next rows to send into stream->next; NULL at the end. Rows past the limit are not waited for, unless counted. */
static ErrorCode compute(QueryStream *stream, Error *err) {
    stream->next = NULL;
    if (stream->limit.from_end) {
        TRY(find_last_rows(stream, err));
    }
    while (!stream->drained) {
        if (limit_reached(&stream->limit) && !stream->count_all) {
            stream->drained = true;
            break;
        }
        Batch *batch = NULL;
        TRY(statement_step(stream->statement, &batch, err));
        if (batch == NULL) {
            stream->drained = true;
            break;
        }
        Batch *rest = batch->live_count == 0 ? batch : cut(stream, batch);
        if (rest->live_count > 0) {
            stream->next = rest;
            return ERR_OK;
        }
    }
    return ERR_OK;
}

ErrorCode query_stream_start(QueryStream *stream, const EncoderOptions *options, Error *err) {
    TRY(compute(stream, err));
    EncoderOptions own = *options;
    own.text.names = statement_oid_names(stream->statement);
    encoder_init(&stream->encoder, stream->column_count, &own);
    stream->encoder_open = true;
    return ERR_OK;
}

/* One piece of the answer: many rows, or what came within a short time. */
static ErrorCode write_piece(QueryStream *stream, EncodeRows encode, Buffer *out, Error *err) {
    int64_t until_ms = net_now_ms() + STREAM_FLUSH_MS;
    while (stream->next != NULL && out->len < STREAM_FLUSH_BYTES) {
        TRY(encode(&stream->encoder, stream->next, stream->columns, out, err));
        TRY(compute(stream, err));
        if (net_now_ms() >= until_ms) {
            break;
        }
    }
    return ERR_OK;
}

ErrorCode query_stream_write(QueryStream *stream, Request *request, EncodeRows encode, StepResult *result_out, Error *err) {
    *result_out = STEP_DONE;
    while (stream->next != NULL) {
        Buffer *out = http_response_piece_open(&request->response);
        ErrorCode code = write_piece(stream, encode, out, err);
        http_response_piece_close(&request->response);
        TRY(code);
        if (stream->next != NULL && request_flush(request) > NET_OUTPUT_BYTES) {
            *result_out = STEP_WAIT_OUTPUT;
            return ERR_OK;
        }
    }
    return ERR_OK;
}

uint64_t query_stream_count(const QueryStream *stream) {
    const RowLimit *limit = &stream->limit;
    return stream->count_all ? limit->seen : MIN_OF(limit->seen, limit->skip) + limit->sent;
}

/* SPDX-License-Identifier: Apache-2.0
 * imp.c - POST /imp: a CSV file as multipart/form-data into a table, streamed.
 *
 * Parts: `schema` (optional, before the data), `data` (its file name is the table's name if the parameter `name` is missing).
 * Why:   what QuestDB answers with status 200 and a reason in "status" is a failure here, with its own status and the same body. */
#include "server/imp_answer.h"
#include "server/schema_json.h"

enum { SCHEMA_BYTES_MAX = 1 << 20 };
typedef enum PartKind { PART_NONE, PART_SCHEMA, PART_DATA, PART_OTHER } PartKind;

typedef struct ImpState {
    HttpMultipart *multipart;
    Load *load;
    Buffer schema;
    LoadOptions options;
    Str table;
    uint8_t part;
    bool data_seen;
} ImpState;

static ErrorCode read_partition(Str text, uint8_t *out, Error *err) {
    static const struct { Str text; uint8_t unit; } UNITS[] = {{STR(""), PARTITION_NONE},    {STR("NONE"), PARTITION_NONE}, {STR("HOUR"), PARTITION_HOUR},
                                                               {STR("DAY"), PARTITION_DAY},  {STR("WEEK"), PARTITION_WEEK}, {STR("MONTH"), PARTITION_MONTH},
                                                               {STR("YEAR"), PARTITION_YEAR}};
    for (size_t i = 0; i < COUNT_OF(UNITS); i++) {
        if (str_equal_ignore_case(text, UNITS[i].text)) {
            *out = UNITS[i].unit;
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid partitionBy: %.*s", STR_ARG(text));
}

static ErrorCode read_atomicity(Str text, uint8_t *out, Error *err) {
    static const struct { Str text; uint8_t mode; } MODES[] = {{STR(""), LOAD_SKIP_COLUMN}, {STR("skipCol"), LOAD_SKIP_COLUMN}, {STR("relaxed"), LOAD_SKIP_COLUMN},
                                                               {STR("skipRow"), LOAD_SKIP_ROW}, {STR("abort"), LOAD_ABORT}, {STR("strict"), LOAD_ABORT}};
    for (size_t i = 0; i < COUNT_OF(MODES); i++) {
        if (str_equal_ignore_case(text, MODES[i].text)) {
            *out = MODES[i].mode;
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid atomicity: %.*s", STR_ARG(text));
}

static ErrorCode read_parameters(Request *request, LoadOptions *options, Error *err) {
    Str delimiter = request_parameter(request, "delimiter");
    Str create = request_parameter(request, "create");
    TRY(read_partition(request_parameter(request, "partitionBy"), &options->partition, err));
    TRY(read_atomicity(request_parameter(request, "atomicity"), &options->on_error, err));
    if (delimiter.len > 1) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid delimiter: one byte is needed");
    }
    options->delimiter = delimiter.len == 1 ? delimiter.data[0] : 0;
    options->timestamp = request_parameter(request, "timestamp");
    options->overwrite = request_flag(request, "overwrite");
    options->no_create = str_equal_ignore_case(create, STR("false"));
    options->header = request_flag(request, "forceHeader") ? HEADER_YES : HEADER_STRICT;
    options->skip_long_rows = request_flag(request, "skipLev");
    options->add_columns = request_flag(request, "addColumns");
    options->null_text = request_parameter(request, "null");
    options->questdb = true;
    Str zone = request_parameter(request, "zone"); /* of times that name none */
    if (zone.len > 0) {
        TRY(os_zone_load(zone, &request->arena, &options->zone, err));
    }
    if (options->timestamp.len == 0 && options->partition != PARTITION_NONE) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "partitionBy needs timestamp");
    }
    return ERR_OK;
}

static ErrorCode begin_load(Request *request, const HttpPart *part, Error *err) {
    ImpState *state = request->state;
    Str name = request_parameter(request, "name");
    name = name.len > 0 ? name : part->file_name;
    state->table = arena_str(&request->arena, name);
    if (name.len == 0) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "no name given");
    }
    if (!ilp_name_valid(state->table, true)) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid table name: %.*s", STR_ARG(state->table));
    }
    LoadColumnSpec *columns = NULL;
    if (state->schema.len > 0) {
        TRY(schema_json_read(buffer_str(&state->schema), &request->arena, &columns, &state->options.column_count, err));
    }
    state->options.columns = columns;
    state->options.table = state->table;
    Session *session = connection_session_take(request->connection, DIALECT_QUESTDB, false, err);
    return session == NULL ? err->code : load_begin(session, &state->options, &state->load, err);
}

static ErrorCode part_begin(void *context, const HttpPart *part, Error *err) {
    Request *request = context;
    ImpState *state = request->state;
    if (str_equal(part->name, STR("schema"))) {
        state->part = PART_SCHEMA;
    } else if (str_equal(part->name, STR("data")) && !state->data_seen) {
        state->part = PART_DATA;
        state->data_seen = true;
        return begin_load(request, part, err);
    } else {
        state->part = PART_OTHER;
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "invalid part of the form, 'schema' and one 'data' are known");
    }
    return ERR_OK;
}

static ErrorCode part_data(void *context, Bytes data, Error *err) {
    ImpState *state = ((Request *)context)->state;
    if (state->part == PART_DATA) {
        return load_feed(state->load, data, err);
    }
    buffer_append(&state->schema, data.data, data.len);
    return buffer_check(&state->schema, err);
}

static ErrorCode part_end(void *context, Error *err) {
    ImpState *state = ((Request *)context)->state;
    bool data = state->part == PART_DATA;
    state->part = PART_NONE;
    return data ? load_finish(state->load, err) : ERR_OK;
}

static void imp_begin(Request *request) {
    static const HttpMultipartHandler HANDLER = {part_begin, part_data, part_end};
    COUNT(request, imports);
    ImpState *state = arena_new(&request->arena, ImpState);
    Error err = {0};
    request->state = state;
    buffer_init(&state->schema, SCHEMA_BYTES_MAX);
    ErrorCode code = read_parameters(request, &state->options, &err);
    if (code == ERR_OK) {
        code = http_multipart_open(http_header(&request->head, STR("content-type")), &HANDLER, request, &state->multipart, &err);
    }
    if (code != ERR_OK) {
        request_fail(request, error_http_status(code), &err);
    }
}

static void imp_body(Request *request, Bytes piece) {
    ImpState *state = request->state;
    Error err = {0};
    ErrorCode code = http_multipart_feed(state->multipart, piece, &err);
    if (code != ERR_OK) {
        request_fail(request, error_http_status(code), &err);
    }
}

static StepResult imp_finish(Request *request) {
    ImpState *state = request->state;
    Error err = {0};
    if (!request->failed && http_multipart_end(state->multipart, &err) != ERR_OK) {
        request_fail(request, 400, &err);
    }
    if (!request->failed && !state->data_seen) {
        (void)error_set(&err, ERR_PROTOCOL, ERROR_NO_POSITION, "the part 'data' is missing");
        request_fail(request, 400, &err);
    }
    bool json = str_equal(request_parameter(request, "fmt"), STR("json"));
    if (request->failed) {
        imp_answer_failure(request, json);
        return STEP_DONE;
    }
    const LoadReport *report = load_report(state->load);
    COUNT_ADD(request, import_rows, report->rows);
    imp_answer_report(request, state->table, report, json);
    return STEP_DONE;
}

static void imp_end(Request *request) {
    ImpState *state = request->state;
    if (state != NULL) {
        load_close(state->load);
        http_multipart_close(state->multipart);
        buffer_deinit(&state->schema);
    }
}

const Endpoint ENDPOINT_IMP = {.path = "/imp", .methods = METHOD_BIT(POST), .body_use = BODY_STREAMED, .writes = true, .begin = imp_begin,
                               .body = imp_body, .finish = imp_finish, .end = imp_end};

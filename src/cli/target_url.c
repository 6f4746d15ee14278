/* SPDX-License-Identifier: Apache-2.0
 * target_url.c - statements for a server: GET /exec with the postgres dialect, answers shown as the folder's are.
 *
 * Why:   the answer is read whole before the first row is shown, so that an error in its middle is no half table.
 * Tests: test/cli */
#include "base/calendar.h"
#include "base/number.h"
#include "cli/http_client.h"
#include "cli/json_reader.h"
#include "cli/target.h"
#include <stdio.h>

typedef struct UrlTarget {
    Target base;
    HttpClient client;
    Arena arena; /* of one answer */
    bool canceled;
} UrlTarget;

/* What /exec answered, by key. */
typedef struct Answer {
    ResultColumn *columns;
    uint32_t count;
    size_t dataset_at; /* 0 = none */
    Str error, ddl, dml;
    int64_t position, updated;
} Answer;

static bool is_number_type(Str type) {
    static const char *const NAMES[] = {"BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal(type, str_from_c(NAMES[i]))) {
            return true;
        }
    }
    return str_starts_with(type, STR("DECIMAL"));
}

static bool is_float_type(Str type) {
    return str_equal(type, STR("DOUBLE")) || str_equal(type, STR("FLOAT"));
}

static Str take_text(JsonReader *reader, Arena *arena) {
    Buffer buffer;
    buffer_init(&buffer, HTTP_ANSWER_BYTES_MAX);
    Str text = json_peek(reader) == '"' ? json_string(reader, &buffer) : json_raw(reader);
    text = arena_str(arena, text);
    buffer_deinit(&buffer);
    return text;
}

static void take_columns(JsonReader *reader, Arena *arena, Answer *answer) {
    answer->columns = arena_array(arena, ResultColumn, TARGET_COLUMNS_MAX);
    for (json_enter(reader, '['); json_next(reader, ']') && answer->count < TARGET_COLUMNS_MAX;) {
        ResultColumn *column = &answer->columns[answer->count++];
        for (json_enter(reader, '{'); json_next(reader, '}');) {
            Str key = take_text(reader, arena);
            json_colon(reader);
            if (str_equal(key, STR("name"))) {
                column->name = take_text(reader, arena);
            } else if (str_equal(key, STR("type"))) {
                column->type = take_text(reader, arena);
            } else {
                json_skip(reader);
            }
        }
        reader->first = false; /* inside the list again */
        column->align_right = is_number_type(column->type);
        column->is_raw_json = column->align_right || str_equal(column->type, STR("BOOLEAN"));
    }
}

static int64_t take_number(JsonReader *reader, Arena *arena) {
    int64_t value = -1;
    bool overflow = false;
    return parse_int64(take_text(reader, arena), &value, &overflow) ? value : -1; /* a quoted one counts, too */
}

static ErrorCode answer_read(Str text, Arena *arena, Answer *answer, Error *err) {
    JsonReader reader = {.text = text};
    *answer = (Answer){.position = -1, .updated = -1};
    for (json_enter(&reader, '{'); json_next(&reader, '}');) {
        Str key = take_text(&reader, arena);
        json_colon(&reader);
        if (str_equal(key, STR("columns"))) {
            take_columns(&reader, arena, answer);
        } else if (str_equal(key, STR("dataset"))) {
            (void)json_peek(&reader);
            answer->dataset_at = reader.at;
            json_skip(&reader);
        } else if (str_equal(key, STR("error"))) {
            answer->error = take_text(&reader, arena);
        } else if (str_equal(key, STR("position")) || str_equal(key, STR("errorPos"))) {
            answer->position = take_number(&reader, arena);
        } else if (str_equal(key, STR("ddl"))) {
            answer->ddl = take_text(&reader, arena);
        } else if (str_equal(key, STR("dml"))) {
            answer->dml = take_text(&reader, arena);
        } else if (str_equal(key, STR("updated"))) {
            answer->updated = take_number(&reader, arena);
        } else {
            json_skip(&reader);
        }
        reader.first = false;
    }
    return reader.failed ? error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "the server's answer is no JSON") : ERR_OK;
}

/* A JSON value as the shell shows it: times as PostgreSQL writes them, booleans as t and f. */
static void cell_read(JsonReader *reader, const ResultColumn *column, Buffer *buffer, ResultCell *cell) {
    size_t start = buffer->len;
    cell->is_null = false;
    if (json_peek(reader) != '"') {
        Str raw = json_raw(reader);
        cell->is_null = str_equal(raw, STR("null"));
        char formatted[DOUBLE_TEXT_MAX];
        double number = 0;
        if (str_equal(column->type, STR("BOOLEAN"))) {
            raw = str_slice(raw, 0, MIN_OF(raw.len, (size_t)1));
        } else if (!cell->is_null && is_float_type(column->type) && parse_double(raw, &number)) { /* 7.0 and 1.5E9 as 7 and 1500000000 */
            float single = (float)number;
            raw.len = str_equal(column->type, STR("FLOAT")) ? format_float(formatted, single, DOUBLE_POSTGRES)
                                                            : format_double(formatted, number, DOUBLE_POSTGRES);
            raw.data = formatted;
        }
        buffer_append_str(buffer, cell->is_null ? STR("") : raw);
    } else {
        Str text = json_string(reader, buffer);
        int64_t micros = 0;
        bool is_time = (str_equal(column->type, STR("TIMESTAMP")) || str_equal(column->type, STR("DATE"))) && str_ends_with(text, STR("Z"));
        if (is_time && timestamp_parse_micros(text, &micros)) {
            char formatted[TIMESTAMP_TEXT_MAX];
            buffer->len = start;
            buffer_append(buffer, formatted, timestamp_format_pg(formatted, micros, false, 0));
        }
    }
    cell->text = (Str){NULL, buffer->len - start}; /* the place is set when the row is complete: the buffer may still move */
}

static ErrorCode rows_give(Str text, const Answer *answer, ResultSink *sink, ResultSummary *summary, Error *err) {
    JsonReader reader = {.text = text, .at = answer->dataset_at};
    ResultCell *cells = mem_calloc(answer->count + 1, sizeof *cells);
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, HTTP_ANSWER_BYTES_MAX);
    for (json_enter(&reader, '['); json_next(&reader, ']') && code == ERR_OK;) {
        uint32_t count = 0;
        buffer_clear(&buffer);
        for (json_enter(&reader, '['); json_next(&reader, ']') && count < answer->count; count++) {
            cell_read(&reader, &answer->columns[count], &buffer, &cells[count]);
        }
        reader.first = false;
        size_t at = 0;
        for (uint32_t i = 0; i < count; i++) {
            cells[i].text.data = (const char *)buffer.data + at;
            at += cells[i].text.len;
        }
        summary->rows++;
        code = reader.failed || count != answer->count ? error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "the server's answer is no JSON")
                                                       : sink->row(sink, cells, err);
    }
    buffer_deinit(&buffer);
    mem_free(cells);
    return code;
}

static ErrorCode answer_give(UrlTarget *target, Str sql, Str text, ResultSink *sink, ResultSummary *summary, Error *err) {
    Answer answer;
    TRY(answer_read(text, &target->arena, &answer, err));
    if (answer.error.data != NULL) {
        bool fine = utf8_valid(sql) && answer.position >= 0;
        return error_set(err, ERR_SYNTAX, fine ? (int64_t)utf8_offset(sql, (size_t)answer.position) : ERROR_NO_POSITION, "%.*s",
                         STR_ARG(answer.error));
    }
    if (answer.columns == NULL) {
        if (answer.updated >= 0) {
            snprintf(summary->tag, sizeof summary->tag, "OK %lld", (long long)answer.updated);
        } else {
            snprintf(summary->tag, sizeof summary->tag, "OK");
        }
        return ERR_OK;
    }
    summary->has_rows = true;
    TRY(sink->begin(sink, answer.columns, answer.count, err));
    if (answer.dataset_at > 0) {
        TRY(rows_give(text, &answer, sink, summary, err));
    }
    return sink->end(sink, err);
}

static ErrorCode ask(UrlTarget *target, Str sql, Buffer *body, Error *err) {
    Buffer path;
    int status = 0;
    buffer_init(&path, HTTP_ANSWER_BYTES_MAX);
    buffer_append_str(&path, STR("/exec?dialect=postgres&query="));
    http_url_escape(&path, sql);
    ErrorCode code = http_client_begin(&target->client, "GET", buffer_str(&path), "", false, err);
    buffer_deinit(&path);
    if (code == ERR_OK) {
        code = http_client_finish(&target->client, false, &status, body, err);
    }
    http_client_close(&target->client);
    if (code == ERR_OK && (body->len == 0 || body->data[0] != '{')) {
        code = error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "the server answers %d: %.*s", status, (int)MIN_OF(body->len, (size_t)200), body->data);
    }
    return code;
}

static ErrorCode url_run(Target *base, Str sql, ResultSink *sink, ResultSummary *summary, Error *err) {
    UrlTarget *target = (UrlTarget *)base;
    Buffer body;
    *summary = (ResultSummary){0};
    target->canceled = false;
    buffer_init(&body, HTTP_ANSWER_BYTES_MAX);
    ErrorCode code = ask(target, sql, &body, err);
    if (code != ERR_OK && target->canceled) {
        code = error_set(err, ERR_CANCELED, ERROR_NO_POSITION, "canceled");
    }
    if (code == ERR_OK) {
        code = answer_give(target, sql, buffer_str(&body), sink, summary, err);
    }
    arena_reset(&target->arena);
    buffer_deinit(&body);
    return code;
}

static void url_cancel(Target *base) {
    UrlTarget *target = (UrlTarget *)base;
    target->canceled = true;
    http_client_abort(&target->client);
}

static void url_close(Target *base) {
    UrlTarget *target = (UrlTarget *)base;
    http_client_close(&target->client);
    arena_deinit(&target->arena);
    mem_free(target);
}

static const TargetVtable URL_VTABLE = {url_run, url_cancel, url_close};

ErrorCode target_url_open(const char *url, Target **target_out, ExitCode *code_out, Error *err) {
    UrlTarget *target = mem_calloc(1, sizeof *target);
    target->base.vtable = &URL_VTABLE;
    arena_init(&target->arena, SIZE_MAX);
    ErrorCode code = http_client_init(&target->client, url, err);
    if (code != ERR_OK) {
        *code_out = EXIT_USAGE;
        url_close(&target->base);
        return code;
    }
    *target_out = &target->base;
    return ERR_OK;
}

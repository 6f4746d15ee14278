/* SPDX-License-Identifier: Apache-2.0
 * answer.c - short answers, and errors as QuestDB's clients read them. */
#include "server/server_internal.h"

enum { ANSWER_BYTES_MAX = 64 << 20 };
#define JSON_TYPE STR("application/json; charset=utf-8")

static void send_whole(Request *request, int status, Str type, Str body) {
    if (status >= 400) {
        COUNT(request, http_errors);
    }
    if (status >= 500) {
        COUNT(request, unhandled_errors);
    }
    http_response_send(&request->response, status, type, STR(""), body);
}

void answer_text(Request *request, int status, const char *text) {
    send_whole(request, status, STR("text/plain; charset=utf-8"), str_from_c(text));
}

void answer_json(Request *request, int status, Str body) {
    send_whole(request, status, JSON_TYPE, body);
}

size_t error_code_points(Str text, int64_t byte_position) {
    if (byte_position < 0) {
        return 0;
    }
    return utf8_length(str_slice(text, 0, MIN_OF((size_t)byte_position, text.len)));
}

void json_append_error(Buffer *out, const Error *err) {
    Str message = str_from_c(err->message);
    bool timeout = err->code == ERR_TIMEOUT && str_find(message, STR("timeout, query aborted"), 0) < 0;
    char text[ERROR_MESSAGE_BYTES + 40];
    size_t len = 0;
    if (timeout) {
        memcpy(text, "timeout, query aborted: ", 24);
        len = 24;
    }
    /* A message that was cut may end inside of a character. */
    while (message.len > 0 && !utf8_valid(message)) {
        message.len--;
    }
    memcpy(text + len, message.data, message.len);
    json_append_text(out, (Str){text, len + message.len});
}

void answer_query_error(Request *request, Str query, const Error *err, bool with_position) {
    Buffer out;
    buffer_init(&out, ANSWER_BYTES_MAX);
    buffer_append_str(&out, STR("{\"query\":"));
    json_append_text(&out, query);
    buffer_append_str(&out, STR(",\"error\":"));
    json_append_error(&out, err);
    if (with_position) {
        buffer_printf(&out, ",\"position\":%zu", error_code_points(query, err->position));
    }
    buffer_append_char(&out, '}');
    answer_json(request, error_http_status(err->code), buffer_str(&out));
    buffer_deinit(&out);
}

int request_fail(Request *request, int status, const Error *err) {
    if (!request->failed) {
        request->failed = true;
        request->fail_status = status;
        request->error = *err;
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 * error.c - the error table and the one place that fills an Error. */
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct ErrorRow {
    const char *name, *sqlstate;
    int grpc, http;
    bool retryable;
} ErrorRow;

static const ErrorRow ERROR_ROWS[ERROR_CODE_COUNT] = {
#define X(name, sqlstate, grpc, http, retry) {#name, sqlstate, grpc, http, retry},
    ERROR_CODES(X)
#undef X
};

ErrorCode error_set_at(Error *err, ErrorCode code, int64_t position, const char *file, int line, const char *format, ...) {
    assert(code != ERR_OK);
    if (err == NULL) {
        return code;
    }
    err->code = code;
    err->line = line;
    err->file = file;
    err->position = position;
    err->field_bytes = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

ErrorCode error_add(Error *err, char field, const char *format, ...) {
    enum { ROOM_MIN = 8 };
    if (err == NULL) {
        return ERR_INTERNAL; /* nobody reads it */
    }
    assert(err->code != ERR_OK);
    size_t room = sizeof err->fields - err->field_bytes;
    if (error_field(err, field) != NULL || room < ROOM_MIN) {
        return err->code;
    }
    char *to = err->fields + err->field_bytes;
    *to = field;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(to + 1, room - 1, format, args);
    va_end(args);
    size_t text = len < 0 ? 0 : (size_t)len < room - 2 ? (size_t)len : room - 2;
    to[1 + text] = 0;
    err->field_bytes = (uint16_t)(err->field_bytes + text + 2);
    return err->code;
}

const char *error_field(const Error *err, char field) {
    for (size_t at = 0; at < err->field_bytes; at += strlen(err->fields + at) + 1) {
        if (err->fields[at] == field) {
            return err->fields + at + 1;
        }
    }
    return NULL;
}

static const ErrorRow *row_of(ErrorCode code) {
    assert((unsigned)code < ERROR_CODE_COUNT);
    return &ERROR_ROWS[code];
}

const char *error_name(ErrorCode code) {
    return row_of(code)->name;
}

const char *error_sqlstate(ErrorCode code) {
    return row_of(code)->sqlstate;
}

int error_http_status(ErrorCode code) {
    return row_of(code)->http;
}

int error_grpc_code(ErrorCode code) {
    return row_of(code)->grpc;
}

bool error_retryable(ErrorCode code) {
    return row_of(code)->retryable;
}

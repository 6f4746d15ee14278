/* SPDX-License-Identifier: Apache-2.0
 * error.c - the error table and the one place that fills an Error. */
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>

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
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
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

/* SPDX-License-Identifier: Apache-2.0
 * error.h - one table of error codes, and the Error that is filled once, where the problem was found.
 *
 * A call that can fail returns ErrorCode and takes `Error *err` last; err may be NULL where the caller only needs the code.
 * On success *err is left alone. Position is a byte offset in the statement, line or file; -1 = none. */
#pragma once
#include "base/compiler.h"

/* name, SQLSTATE, gRPC code, HTTP status, retryable */
#define ERROR_CODES(X)                                                                                                 \
    X(OK, "00000", 0, 200, 0)                                                                                          \
    X(SYNTAX, "42601", 3, 400, 0)                                                                                      \
    X(NOT_SUPPORTED, "0A000", 12, 400, 0)                                                                              \
    X(UNDEFINED_TABLE, "42P01", 5, 400, 0)                                                                             \
    X(UNDEFINED_COLUMN, "42703", 3, 400, 0)                                                                            \
    X(UNDEFINED_FUNCTION, "42883", 3, 400, 0)                                                                          \
    X(UNDEFINED_OBJECT, "42704", 3, 400, 0)                                                                            \
    X(UNDEFINED_PARAMETER, "42P02", 3, 400, 0)                                                                         \
    X(AMBIGUOUS_COLUMN, "42702", 3, 400, 0)                                                                            \
    X(AMBIGUOUS_FUNCTION, "42725", 3, 400, 0)                                                                          \
    X(DUPLICATE_TABLE, "42P07", 6, 400, 0)                                                                             \
    X(DUPLICATE_COLUMN, "42701", 6, 400, 0)                                                                            \
    X(DUPLICATE_ALIAS, "42712", 6, 400, 0)                                                                             \
    X(DUPLICATE_SCHEMA, "42P06", 6, 400, 0)                                                                            \
    X(UNDEFINED_SCHEMA, "3F000", 5, 400, 0)                                                                            \
    X(INVALID_NAME, "42602", 3, 400, 0)                                                                                \
    X(WRONG_OBJECT_TYPE, "42809", 3, 400, 0)                                                                           \
    X(DEPENDENT_OBJECTS, "2BP01", 9, 400, 0)                                                                           \
    X(GROUPING, "42803", 3, 400, 0)                                                                                    \
    X(WINDOWING, "42P20", 3, 400, 0)                                                                                   \
    X(INVALID_COLUMN_REFERENCE, "42P10", 3, 400, 0)                                                                    \
    X(INVALID_RECURSION, "42P19", 3, 400, 0)                                                                           \
    X(INVALID_TABLE_DEFINITION, "42P16", 3, 400, 0)                                                                    \
    X(DATATYPE_MISMATCH, "42804", 3, 400, 0)                                                                           \
    X(CANNOT_COERCE, "42846", 3, 400, 0)                                                                               \
    X(INDETERMINATE_TYPE, "42P18", 3, 400, 0)                                                                          \
    X(AMBIGUOUS_PARAMETER, "42P08", 3, 400, 0)                                                                         \
    X(INVALID_PARAMETER, "22023", 3, 400, 0)                                                                           \
    X(INVALID_TEXT, "22P02", 3, 400, 0)                                                                                \
    X(INVALID_BINARY, "22P03", 3, 400, 0)                                                                              \
    X(INVALID_DATETIME, "22007", 3, 400, 0)                                                                            \
    X(DATETIME_OVERFLOW, "22008", 3, 400, 0)                                                                           \
    X(ZONE_DISPLACEMENT, "22009", 3, 400, 0)                                                                           \
    X(INTERVAL_OVERFLOW, "22015", 3, 400, 0)                                                                           \
    X(OUT_OF_RANGE, "22003", 11, 400, 0)                                                                               \
    X(DIVISION_BY_ZERO, "22012", 3, 400, 0)                                                                            \
    X(INVALID_LOG_ARGUMENT, "2201E", 3, 400, 0)                                                                        \
    X(INVALID_POWER_ARGUMENT, "2201F", 3, 400, 0)                                                                      \
    X(INVALID_WIDTH_BUCKET, "2201G", 3, 400, 0)                                                                        \
    X(INVALID_LIMIT, "2201W", 3, 400, 0)                                                                               \
    X(INVALID_OFFSET, "2201X", 3, 400, 0)                                                                              \
    X(INVALID_FRAME_SIZE, "22013", 3, 400, 0)                                                                          \
    X(INVALID_NTILE, "22014", 3, 400, 0)                                                                               \
    X(INVALID_NTH_VALUE, "22016", 3, 400, 0)                                                                           \
    X(INVALID_REGEX, "2201B", 3, 400, 0)                                                                               \
    X(INVALID_ESCAPE, "22025", 3, 400, 0)                                                                              \
    X(SUBSTRING_ERROR, "22011", 3, 400, 0)                                                                             \
    X(STRING_TOO_LONG, "22001", 3, 400, 0)                                                                             \
    X(INVALID_ENCODING, "22021", 3, 400, 0)                                                                            \
    X(UNTRANSLATABLE, "22P05", 3, 400, 0)                                                                              \
    X(SEQUENCE_LIMIT, "2200H", 9, 400, 0)                                                                              \
    X(GENERATED_ALWAYS, "428C9", 3, 400, 0)                                                                            \
    X(RESERVED_NAME, "42939", 3, 400, 0)                                                                               \
    X(INVALID_OBJECT_DEFINITION, "42P17", 3, 400, 0)                                                                   \
    X(INVALID_GRANT, "0LP01", 3, 400, 0)                                                                               \
    X(NULL_NOT_ALLOWED, "22004", 3, 400, 0)                                                                            \
    X(DATA_EXCEPTION, "22000", 3, 400, 0)                                                                              \
    X(ARRAY_ELEMENT, "2202E", 3, 400, 0)                                                                               \
    X(ARRAY_SUBSCRIPT, "2202E", 3, 400, 0)                                                                             \
    X(CARDINALITY, "21000", 3, 400, 0)                                                                                 \
    X(NOT_NULL_VIOLATION, "23502", 9, 400, 0)                                                                          \
    X(INVALID_FOREIGN_KEY, "42830", 3, 400, 0)                                                                         \
    X(FOREIGN_KEY_VIOLATION, "23503", 9, 400, 0)                                                                       \
    X(UNIQUE_VIOLATION, "23505", 6, 400, 0)                                                                            \
    X(CHECK_VIOLATION, "23514", 9, 400, 0)                                                                             \
    X(INVALID_CURSOR_STATE, "24000", 9, 400, 0)                                                                        \
    X(INVALID_AUTHORIZATION, "28000", 7, 403, 0)                                                                       \
    X(INVALID_PASSWORD, "28P01", 16, 401, 0)                                                                           \
    X(UNDEFINED_CURSOR, "34000", 5, 400, 0)                                                                            \
    X(UNDEFINED_DATABASE, "3D000", 5, 400, 0)                                                                          \
    X(SERIALIZATION, "40001", 10, 409, 1)                                                                              \
    X(INSUFFICIENT_PRIVILEGE, "42501", 7, 403, 0)                                                                      \
    X(DUPLICATE_OBJECT, "42710", 6, 400, 0)                                                                            \
    X(DUPLICATE_CURSOR, "42P03", 6, 400, 0)                                                                            \
    X(DUPLICATE_STATEMENT, "42P05", 6, 400, 0)                                                                         \
    X(INVALID_CURSOR_DEFINITION, "42P11", 3, 400, 0)                                                                   \
    X(UNKNOWN_OUTCOME, "40003", 2, 500, 0)                                                                             \
    X(ACTIVE_TRANSACTION, "25001", 9, 400, 0)                                                                          \
    X(READ_ONLY, "25006", 9, 403, 0)                                                                                   \
    X(NO_TRANSACTION, "25P01", 9, 400, 0)                                                                              \
    X(FAILED_TRANSACTION, "25P02", 9, 400, 0)                                                                          \
    X(IDLE_IN_TRANSACTION, "25P03", 4, 408, 1)                                                                         \
    X(TRANSACTION_TIMEOUT, "25P04", 4, 408, 1)                                                                         \
    X(INVALID_SAVEPOINT, "3B001", 9, 400, 0)                                                                           \
    X(UNDEFINED_STATEMENT, "26000", 5, 400, 0)                                                                         \
    X(OUT_OF_MEMORY, "53200", 8, 503, 1)                                                                               \
    X(DISK_FULL, "53100", 8, 507, 1)                                                                                   \
    X(TOO_MANY_CONNECTIONS, "53300", 8, 503, 1)                                                                        \
    X(LIMIT_EXCEEDED, "53400", 8, 400, 0)                                                                              \
    X(TOO_COMPLEX, "54001", 8, 400, 0)                                                                                 \
    X(TOO_MANY_COLUMNS, "54011", 8, 400, 0)                                                                            \
    X(PROGRAM_LIMIT, "54000", 8, 400, 0)                                                                               \
    X(TOO_LARGE, "54000", 8, 413, 0)                                                                                   \
    X(PREREQUISITE_STATE, "55000", 9, 409, 0)                                                                          \
    X(OBJECT_IN_USE, "55006", 9, 409, 1)                                                                               \
    X(CANNOT_CHANGE_NOW, "55P02", 9, 400, 0)                                                                           \
    X(FOLDER_IN_USE, "55006", 9, 503, 1)                                                                               \
    X(LOCK_NOT_AVAILABLE, "55P03", 9, 409, 1)                                                                          \
    X(CANCELED, "57014", 1, 400, 0)                                                                                    \
    X(TIMEOUT, "57014", 4, 408, 0)                                                                                     \
    X(SHUTDOWN, "57P01", 14, 503, 1)                                                                                   \
    X(PROTOCOL, "08P01", 3, 400, 0)                                                                                    \
    X(NOT_FOUND, "02000", 5, 404, 0)                                                                                   \
    X(BAD_COPY, "22P04", 3, 400, 0)                                                                                    \
    X(IO, "58030", 13, 500, 0)                                                                                         \
    X(FILE_MISSING, "58P01", 5, 500, 0)                                                                                \
    X(FILE_EXISTS, "58P02", 6, 500, 0)                                                                                 \
    X(SYNC_FAILED, "58030", 13, 500, 0)                                                                                \
    X(NEWER_FORMAT, "58P03", 9, 500, 0)                                                                                \
    X(DAMAGED, "XX001", 15, 500, 0)                                                                                    \
    X(INTERNAL, "XX000", 13, 500, 0)

typedef enum ErrorCode {
#define X(name, sqlstate, grpc, http, retry) ERR_##name,
    ERROR_CODES(X)
#undef X
        ERROR_CODE_COUNT
} ErrorCode;

enum { ERROR_MESSAGE_BYTES = 512, ERROR_FIELD_BYTES = 768, ERROR_NO_POSITION = -1 };

typedef struct Error {
    ErrorCode code;
    int line;              /* source line that set it */
    const char *file;      /* source file, static text */
    int64_t position;      /* byte offset in the input, or ERROR_NO_POSITION */
    uint16_t field_bytes;  /* used of fields */
    char message[ERROR_MESSAGE_BYTES];
    char fields[ERROR_FIELD_BYTES]; /* what error_add put: letter, text, NUL, one after the other */
} Error;

/* As {0}, without its kilobyte: for paths that every message takes. */
static inline void error_clear(Error *err) {
    err->code = ERR_OK;
    err->line = 0;
    err->file = NULL;
    err->position = 0;
    err->field_bytes = 0;
    err->message[0] = '\0';
    err->fields[0] = '\0';
}

/* Fills *err (if not NULL) and returns code, so that a failing call reads `return error_set(err, ERR_SYNTAX, at, "...", ...)`. */
#define error_set(err, code, position, ...) error_set_at((err), (code), (position), __FILE__, __LINE__, __VA_ARGS__)
ErrorCode error_set_at(Error *err, ErrorCode code, int64_t position, const char *file, int line, const char *format,
                       ...) PRINTF_LIKE(6, 7);
/* More about an error that error_set has filled, by PostgreSQL's letters: D detail, H hint, W context, s schema, t table, c column,
 * d type, n constraint, R routine, X what the parser expected (never sent). A field given twice counts once (the first); what finds no room is cut. Returns err->code;
 * err may be NULL, but then the code is not known here: who may be called without one returns its own. */
ErrorCode error_add(Error *err, char field, const char *format, ...) PRINTF_LIKE(3, 4);
const char *error_field(const Error *err, char field); /* NUL-ended; NULL: none */
/* Hands on what a quiet try has said, with its fields. err may be NULL. Returns the code. */
static inline ErrorCode error_pass(Error *err, const Error *reason) {
    if (err != NULL) {
        *err = *reason;
    }
    return reason->code;
}
/* Says that a failure here changes nothing; the comment at the call says why. */
static inline void error_ignore(ErrorCode code) { (void)code; }
const char *error_name(ErrorCode code);      /* "UNDEFINED_TABLE"; static text */
const char *error_sqlstate(ErrorCode code);  /* five characters; static text */
int error_http_status(ErrorCode code);
int error_grpc_code(ErrorCode code);
bool error_retryable(ErrorCode code);

/* The only two control-flow macros. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        ErrorCode try_code_ = (call);                                                                                  \
        if (UNLIKELY(try_code_ != ERR_OK)) {                                                                           \
            return try_code_;                                                                                          \
        }                                                                                                              \
    } while (0)
/* Needs a local `ErrorCode code`; jumps to the one cleanup label. */
#define TRY_OR(label, call)                                                                                            \
    do {                                                                                                               \
        code = (call);                                                                                                 \
        if (UNLIKELY(code != ERR_OK)) {                                                                                \
            goto label;                                                                                                \
        }                                                                                                              \
    } while (0)

/* SPDX-License-Identifier: Apache-2.0
 * pgwire.h - PostgreSQL's wire protocol 3.0 and 3.2 without sockets: bytes in, messages out; fields in, bytes out.
 *
 * Reading: pgwire_startup_read takes packets until the session's start packet came, then a PgFrames cuts the stream into messages and
 * pgwire_read_* turn a message's body into a struct. Everything read points into the input (or, for a message longer than the input
 * that the caller keeps, into the memory of PgFrames): valid until the next call that reads. Arrays come from the caller's arena.
 * Writing: pgwire_write_* append one whole message to the caller's Buffer (past its limit the buffer's `failed` is set).
 * DataRow is written by encode/pg_row.h, straight from batches; the contents of CopyData by copy/copy.h.
 *
 * Errors: ERR_PROTOCOL (08P01) for what breaks the framing or a message's layout, ERR_INVALID_ENCODING (22021) for text that is not
 * UTF-8; a NUL inside text cannot occur, because it ends the text and what follows it is then a wrong layout. The caller ends the
 * connection after a framing error (PGWIRE_BAD) and may go on after an error of pgwire_read_*: the message was taken whole.
 * Threads: every object belongs to one thread at a time. Layout of the messages: docs/format/pgwire.md. */
#pragma once
#include "base/memory.h"

enum {
    PGWIRE_STARTUP_BYTES_MAX = 10000,    /* a start packet, with its length */
    PGWIRE_MESSAGE_BYTES_MAX = 1 << 30,  /* Query, Parse, Bind, CopyData: body at most */
    PGWIRE_SHORT_BYTES_MAX = 10000,      /* body of messages that only carry names and numbers */
    PGWIRE_AUTH_BYTES_MAX = 65535,       /* body of a password or SASL message */
    PGWIRE_CANCEL_KEY_MIN = 4, PGWIRE_CANCEL_KEY_MAX = 256,
    PGWIRE_VERSION_3_0 = 3 << 16, PGWIRE_VERSION_3_2 = 3 << 16 | 2, PGWIRE_VERSION_NEWEST = PGWIRE_VERSION_3_2,
    PGWIRE_PARAMETERS_MAX = 65535,
    PGWIRE_SSL_YES = 'S', PGWIRE_SSL_NO = 'N' /* the one-byte answers to SSLRequest and GSSENCRequest (always NO) */
};

typedef enum PgResult { PGWIRE_DONE, PGWIRE_NEED_MORE, PGWIRE_BAD } PgResult;

/* ---- before the session ---- */
typedef enum PgStartKind {
    PG_START_TLS,      /* first byte is a TLS handshake: direct TLS; nothing was taken */
    PG_START_SSL,      /* SSLRequest */
    PG_START_GSS,      /* GSSENCRequest */
    PG_START_CANCEL,   /* CancelRequest: cancel_pid, cancel_key */
    PG_START_SESSION   /* the session's start packet */
} PgStartKind;

typedef struct PgParameter { Str name, value; } PgParameter;
typedef struct PgStartup {
    PgStartKind kind;
    uint32_t version;                    /* as asked for: major << 16 | minor; the major is 3 */
    uint32_t version_used;               /* PGWIRE_VERSION_3_0 or PGWIRE_VERSION_3_2: what both sides speak from here on */
    Str user, database;                  /* user is never empty; database is user if not given */
    uint16_t parameter_count;
    const PgParameter *parameters;       /* settings: those of `options` first, then the others in order; without user, database, _pq_.* */
    uint16_t unknown_option_count;
    const Str *unknown_options;          /* names "_pq_.x" that are to be told by pgwire_write_negotiate_version */
    bool negotiate;                      /* NegotiateProtocolVersion must be sent: a newer minor was asked for, or an unknown option */
    uint32_t cancel_pid;
    Bytes cancel_key;                    /* 4 to 256 bytes */
} PgStartup;
/* One packet of those that come before the session. *used_out bytes belong to it. The strings live in arena.
 * PGWIRE_BAD: *err says why, to be sent as FATAL: 08P01 (lengths that lie, no user, no terminator), 0A000 (a major version that is
 * not 3, replication), 22021, 42601 (options that are not -c name=value or --name=value). */
PgResult pgwire_startup_read(PgStartup *startup, Bytes input, Arena *arena, size_t *used_out, Error *err);

/* ---- the client's messages ---- */
/* name, type byte, least and greatest length of the body */
#define PGWIRE_FRONTEND(X)                                                                                             \
    X(BIND, 'B', 8, PGWIRE_MESSAGE_BYTES_MAX)                                                                          \
    X(CLOSE, 'C', 2, PGWIRE_SHORT_BYTES_MAX)                                                                           \
    X(COPY_DATA, 'd', 0, PGWIRE_MESSAGE_BYTES_MAX)                                                                     \
    X(COPY_DONE, 'c', 0, 0)                                                                                            \
    X(COPY_FAIL, 'f', 1, PGWIRE_SHORT_BYTES_MAX)                                                                       \
    X(DESCRIBE, 'D', 2, PGWIRE_SHORT_BYTES_MAX)                                                                        \
    X(EXECUTE, 'E', 5, PGWIRE_SHORT_BYTES_MAX)                                                                         \
    X(FLUSH, 'H', 0, 0)                                                                                                \
    X(FUNCTION_CALL, 'F', 10, PGWIRE_MESSAGE_BYTES_MAX)                                                                \
    X(PARSE, 'P', 4, PGWIRE_MESSAGE_BYTES_MAX)                                                                         \
    X(PASSWORD, 'p', 0, PGWIRE_AUTH_BYTES_MAX)                                                                         \
    X(QUERY, 'Q', 1, PGWIRE_MESSAGE_BYTES_MAX)                                                                         \
    X(SYNC, 'S', 0, 0)                                                                                                 \
    X(TERMINATE, 'X', 0, 0)
typedef enum PgFrontend {
#define X(name, byte, least, most) PG_##name = (byte),
    PGWIRE_FRONTEND(X)
#undef X
} PgFrontend;
const char *pgwire_frontend_name(PgFrontend type); /* "BIND"; static text */

/* One message, or with PgFrames.copy_pieces one piece of a CopyData. */
typedef struct PgMessage {
    PgFrontend type;
    Bytes body;
    bool more;                           /* CopyData: further pieces of this message follow */
} PgMessage;

/* The cutter. A message that lies whole in the input is handed out in place. One that does not is waited for (nothing is taken) up to
 * PGWIRE_GATHER_BYTES; a longer one is taken as it comes into memory of the cutter that grows with what really came, never with what
 * its length says. That memory is given back by the first call after the message. */
enum { PGWIRE_GATHER_BYTES = 256 << 10 };
typedef struct PgFrames {
    size_t message_bytes_max;            /* of Query, Parse, Bind, FunctionCall: ERR_TOO_LARGE (54000) past it; 0 = PGWIRE_MESSAGE_BYTES_MAX */
    bool authenticating;                 /* only PASSWORD and TERMINATE are taken */
    bool copy_pieces;                    /* CopyData is handed out in pieces as it comes */
    /* the cutter's own */
    uint8_t open_type;                   /* type byte of the message being gathered or handed out in pieces, 0 = none */
    bool in_pieces, delivered;           /* delivered: what was gathered was handed out, its memory can go */
    size_t left;                         /* bytes of the open message that are still to come */
    Buffer gathered;
} PgFrames;
void pgwire_frames_init(PgFrames *frames, size_t message_bytes_max);
void pgwire_frames_deinit(PgFrames *frames);
/* *used_out bytes of input are taken: also with PGWIRE_NEED_MORE, then call again with more input. Input that is waited for is never
 * longer than PGWIRE_GATHER_BYTES + 5. PGWIRE_BAD: unknown type, a length outside the table; the stream cannot be read further. */
PgResult pgwire_frames_next(PgFrames *frames, Bytes input, PgMessage *message_out, size_t *used_out, Error *err);

typedef struct PgQuery { Str text; } PgQuery;
typedef struct PgParse {
    Str statement, text;
    uint16_t oid_count;
    const uint8_t *oids;                 /* big-endian; read by pgwire_oid */
} PgParse;
typedef struct PgFormats {
    uint16_t count;                      /* 0: all text; 1: that one for all */
    const uint8_t *codes;                /* big-endian */
} PgFormats;
typedef struct PgBind {
    Str portal, statement;
    PgFormats parameter_formats, result_formats;
    uint16_t parameter_count;
    const Bytes *parameters;             /* data == NULL: NULL */
} PgBind;
/* Describe and Close. */
typedef struct PgTarget {
    char kind;                           /* 'S' statement, 'P' portal */
    Str name;
} PgTarget;
typedef struct PgExecute {
    Str portal;
    uint32_t row_max;                    /* 0 = all (negative counts mean all too) */
} PgExecute;
typedef struct PgFunctionCall {
    uint32_t oid;
    PgFormats parameter_formats;
    uint16_t parameter_count;
    const Bytes *parameters;
    uint16_t result_format;
} PgFunctionCall;
typedef struct PgSaslInitial {
    Str mechanism;
    Bytes data;                          /* data == NULL: none was sent */
} PgSaslInitial;

NODISCARD ErrorCode pgwire_read_query(Bytes body, PgQuery *query_out, Error *err);
NODISCARD ErrorCode pgwire_read_parse(Bytes body, PgParse *parse_out, Error *err);
/* Checks the number of parameter formats against the parameters: 0, 1 (even with no parameter) or one each. Texts are not looked at. */
NODISCARD ErrorCode pgwire_read_bind(Bytes body, Arena *arena, PgBind *bind_out, Error *err);
NODISCARD ErrorCode pgwire_read_target(PgFrontend type, Bytes body, PgTarget *target_out, Error *err); /* PG_DESCRIBE, PG_CLOSE */
NODISCARD ErrorCode pgwire_read_execute(Bytes body, PgExecute *execute_out, Error *err);
NODISCARD ErrorCode pgwire_read_function_call(Bytes body, Arena *arena, PgFunctionCall *call_out, Error *err);
NODISCARD ErrorCode pgwire_read_copy_fail(Bytes body, Str *reason_out, Error *err);
/* The three readings of 'p': the state of the authentication decides. A password is taken as bytes: it need not be UTF-8. */
NODISCARD ErrorCode pgwire_read_password(Bytes body, Str *password_out, Error *err);
NODISCARD ErrorCode pgwire_read_sasl_initial(Bytes body, PgSaslInitial *initial_out, Error *err);
static inline Bytes pgwire_read_sasl_response(Bytes body) { return body; }

static inline uint16_t pgwire_get_u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline uint32_t pgwire_get_u32(const uint8_t *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }
static inline uint32_t pgwire_oid(const PgParse *parse, uint16_t index) {
    assert(index < parse->oid_count);
    return pgwire_get_u32(parse->oids + (size_t)index * 4);
}
/* 0 text, 1 binary, of column or parameter `index`; the reader has checked that every code is one of these. */
static inline uint16_t pgwire_format(const PgFormats *formats, uint16_t index) {
    if (formats->count == 0) { return 0; }
    assert(formats->count == 1 || index < formats->count);
    return pgwire_get_u16(formats->codes + (formats->count == 1 ? 0 : (size_t)index * 2));
}
/* Result formats against the columns of the portal: 08P01 "bind message has %d result formats but query has %d columns". */
NODISCARD ErrorCode pgwire_formats_check(const PgFormats *formats, uint16_t column_count, Error *err);
/* UTF-8 and no NUL: 22021 "invalid byte sequence for encoding "UTF8": 0xc3 0x28"; position = offset of the bytes. */
NODISCARD ErrorCode pgwire_text_check(Str text, Error *err);

/* ---- the server's messages ---- */
enum { PGWIRE_STATUS_IDLE = 'I', PGWIRE_STATUS_TRANSACTION = 'T', PGWIRE_STATUS_FAILED = 'E' };

typedef struct PgColumn {                /* of RowDescription */
    Str name;
    uint32_t table_oid;                  /* 0: not a table's column */
    int16_t column_number;
    uint32_t type_oid;
    int16_t type_bytes;                  /* typlen: -1 variable, -2 NUL-ended */
    int32_t type_modifier;               /* -1: none */
    uint16_t format;
} PgColumn;

/* ErrorResponse and NoticeResponse. Empty texts are left out; severity, sqlstate and message are always sent. Texts must hold no NUL
 * (they are cut there). */
typedef struct PgReport {
    Str severity;                        /* "ERROR", "FATAL", "PANIC"; "WARNING", "NOTICE", "DEBUG", "INFO", "LOG" */
    Str sqlstate, message, detail, hint;
    uint32_t position;                   /* in characters from 1; 0 = none */
    Str where, schema, table, column, type, constraint, routine;
} PgReport;

void pgwire_write_authentication_ok(Buffer *out);
void pgwire_write_authentication_cleartext(Buffer *out);
void pgwire_write_authentication_sasl(Buffer *out, const Str *mechanisms, size_t mechanism_count);
void pgwire_write_authentication_sasl_continue(Buffer *out, Bytes data);
void pgwire_write_authentication_sasl_final(Buffer *out, Bytes data);
void pgwire_write_negotiate_version(Buffer *out, const PgStartup *startup); /* with the newest version and startup's unknown options */
void pgwire_write_parameter_status(Buffer *out, Str name, Str value);
void pgwire_write_backend_key(Buffer *out, uint32_t pid, Bytes key);        /* 3.0: 4 bytes of key; 3.2: 4 to 256 */
void pgwire_write_ready(Buffer *out, char status);                          /* PGWIRE_STATUS_* */
void pgwire_write_error(Buffer *out, const PgReport *report);
void pgwire_write_notice(Buffer *out, const PgReport *report);
void pgwire_write_parse_complete(Buffer *out);
void pgwire_write_bind_complete(Buffer *out);
void pgwire_write_close_complete(Buffer *out);
void pgwire_write_no_data(Buffer *out);
void pgwire_write_empty_query(Buffer *out);
void pgwire_write_portal_suspended(Buffer *out);
void pgwire_write_command_complete(Buffer *out, Str tag);
void pgwire_write_parameter_description(Buffer *out, const uint32_t *oids, uint16_t count);
void pgwire_write_row_description(Buffer *out, const PgColumn *columns, uint16_t count);
void pgwire_write_copy_in(Buffer *out, bool binary, uint16_t column_count);
void pgwire_write_copy_out(Buffer *out, bool binary, uint16_t column_count);
void pgwire_write_copy_data(Buffer *out, Bytes data);
void pgwire_write_copy_done(Buffer *out);
void pgwire_write_notification(Buffer *out, uint32_t pid, Str channel, Str payload);

/* *error as a report: code's SQLSTATE, message, the fields of error_add (all live as *error), and its byte position in `statement` (an empty Str: no position) as a character count. */
PgReport pgwire_report(Str severity, const Error *error, Str statement);
uint32_t pgwire_character_position(Str statement, int64_t offset); /* 0 if offset is none or outside */

/* SPDX-License-Identifier: Apache-2.0
 * server_internal.h - what the endpoints share: the server, the request in work, the row of an endpoint.
 *
 * Path of a request: connection.c reads the head, access.c judges host and origin, routes.c finds the endpoint, connection.c feeds it
 * the body and calls `finish` until the answer is written. An endpoint never sees the socket: it appends to request->response and
 * says STEP_WAIT_OUTPUT when request_flush tells that the client is slow; then it is called again later, maybe on another thread.
 * Threads: a request belongs to one worker at a time. Connection.session is guarded by Connection.lock, because `gone` (loop thread)
 *          cancels it. */
#pragma once
#include <stdatomic.h>
#include "encode/encode.h"
#include "net/net.h"
#include "os/os.h"
#include "proto/http/http.h"
#include "proto/ilp/ilp.h"
#include "server/server.h"
#include "session/session.h"
#include <stdio.h>

enum {
    REQUEST_ARENA_BYTES_MAX = 64 << 20,
    PARAMETERS_MAX = 64,
    DRAIN_BYTES_MAX = 256 << 20,     /* of a body that is read to its end though the answer is known already */
    STREAM_FLUSH_BYTES = 128 << 10,  /* encoded rows that are worth a write … */
    STREAM_FLUSH_MS = 50,            /* … or those that wait for so long */
    WRITERS_KEPT = 4                 /* line protocol parsers kept for the next requests */
};

/* name, help: counters at /metrics (prefix basalt_; those with questdb_ are named as QuestDB names them) */
#define SERVER_METRICS(X)                                                                                              \
    X(json_queries, "questdb_json_queries_total", "statements sent to /exec")                                          \
    X(json_queries_completed, "questdb_json_queries_completed_total", "statements of /exec that came to their end")    \
    X(http_requests, "basalt_http_requests_total", "HTTP requests")                                                    \
    X(http_errors, "basalt_http_errors_total", "HTTP answers of status 400 and above")                                 \
    X(exports, "basalt_csv_exports_total", "statements sent to /exp")                                                  \
    X(imports, "basalt_csv_imports_total", "files sent to /imp")                                                       \
    X(import_rows, "basalt_csv_import_rows_total", "rows stored by /imp")                                              \
    X(line_requests, "basalt_line_requests_total", "line protocol requests")                                           \
    X(line_rows, "basalt_line_rows_total", "rows stored by line protocol")                                             \
    X(line_errors, "basalt_line_errors_total", "line protocol requests refused")                                       \
    X(unhandled_errors, "questdb_unhandled_errors_total", "internal errors")

typedef struct ServerCounters {
#define X(field, name, help) atomic_uint_fast64_t field;
    SERVER_METRICS(X)
#undef X
} ServerCounters;

typedef struct WriteJob WriteJob;
struct Server {
    Engine *engine;
    Os *os;
    ServerSettings settings;
    Net *net;
    int http_port, pg_port, ilp_port;
    atomic_uint_fast64_t pg_count;       /* sessions of the PostgreSQL door */
    struct PgConnection *pg_connections; /* lock */
    bool http_loopback;
    NetTls *tls;                         /* NULL: not configured */
    atomic_uint_fast64_t tls_hash;       /* of the certificate's files when they were last read */
    atomic_int_fast64_t tls_looked_ms;
    atomic_bool tls_stale;               /* they hold what cannot be used; an older certificate goes on */
    uint8_t auth_secret[32];             /* behind the verifiers of users that do not exist */
    uint64_t error_id_base;
    atomic_uint_fast64_t error_id;
    ServerCounters counters;
    Mutex lock;                 /* writers_free, pg_connections */
    IlpParser *writers_free[WRITERS_KEPT];
};

typedef struct Request Request;
typedef enum StepResult { STEP_DONE, STEP_WAIT_OUTPUT } StepResult;
typedef enum BodyUse { BODY_IGNORED, BODY_GATHERED, BODY_STREAMED } BodyUse;
#define METHOD_BIT(name) (1u << HTTP_##name)

typedef struct Endpoint {
    const char *path;
    unsigned methods;                            /* bits of HttpMethod; OPTIONS is answered for all */
    BodyUse body_use;
    bool writes;                                 /* refused for pages of foreign origin */
    void (*begin)(Request *request);             /* the head is there; may be NULL */
    void (*body)(Request *request, Bytes piece); /* STREAMED: next bytes, already unpacked; NET_INPUT_PADDING behind them is readable */
    StepResult (*finish)(Request *request);      /* the body is complete: answer; called again after STEP_WAIT_OUTPUT */
    void (*end)(Request *request);               /* frees request->state; always called, may be NULL */
} Endpoint;

typedef struct Parameter { Str name, value; } Parameter;
typedef struct Connection Connection;
struct Request {
    Server *server;
    Connection *connection;
    const Endpoint *endpoint;
    Arena arena;
    HttpRequest head;           /* texts in the arena */
    Parameter parameters[PARAMETERS_MAX];
    uint32_t parameter_count;
    HttpBody body_reader;
    HttpInflate *inflate;
    Buffer body;                /* GATHERED */
    uint64_t body_bytes;        /* taken from the wire */
    bool foreign;               /* asked by a page of another origin: reads only */
    bool failed;                /* the rest of the body does not matter any more */
    bool abort;                 /* break the connection: the answer cannot be completed */
    int fail_status;
    Error error;
    HttpResponse response;
    void *state;                /* the endpoint's */
};

struct Connection {
    Server *server;
    NetConnection *net;
    uint8_t phase;
    size_t scan;
    int64_t deadline_ms;
    Request request;
    Mutex lock;
    Session *session;           /* kept from request to request; changes under lock */
    Dialect session_dialect;
    bool session_read_only, cancelled;
};

/* tls.c */
NODISCARD ErrorCode server__tls_open(Server *server, Error *err);
void server__tls_look(Server *server); /* TLS is about to begin: have the certificate's files changed? */
/* connection.c */
extern const NetHandler SERVER__HTTP_HANDLER;
size_t request_flush(Request *request);                        /* unsent bytes */
Session *connection_session_take(Connection *connection, Dialect dialect, bool read_only, Error *err); /* NULL: err tells */
void connection_session_drop(Connection *connection);
/* routes.c */
const Endpoint *server__route(Str path);
/* access.c */
void server__answer_method(Request *request, const Endpoint *endpoint); /* OPTIONS and 405 */
/* false: answered with a refusal. Sets foreign and the CORS headers. */
bool server__access(Request *request);
/* parameters.c */
NODISCARD ErrorCode server__parameters_read(Request *request, Str encoded, Error *err);
Str request_parameter(const Request *request, const char *name); /* data == NULL: absent */
bool request_flag(const Request *request, const char *name);     /* true or 1 */
/* answer.c */
void answer_text(Request *request, int status, const char *text);
void answer_json(Request *request, int status, Str body);
/* {"query":…,"error":…,"position":…}; position of err is a byte offset in query. */
void answer_query_error(Request *request, Str query, const Error *err, bool with_position);
void json_append_error(Buffer *out, const Error *err);           /* message as JSON text */
size_t error_code_points(Str text, int64_t byte_position);
int request_fail(Request *request, int status, const Error *err); /* remembers it for finish */
#define COUNT(request, field) ((void)atomic_fetch_add(&(request)->server->counters.field, 1))
#define COUNT_ADD(request, field, n) ((void)atomic_fetch_add(&(request)->server->counters.field, (n)))
/* one per endpoint */
extern const Endpoint ENDPOINT_EXEC, ENDPOINT_EXP, ENDPOINT_IMP, ENDPOINT_WRITE, ENDPOINT_WRITE_V2, ENDPOINT_PING, ENDPOINT_SETTINGS, ENDPOINT_CHK,
    ENDPOINT_HEALTH, ENDPOINT_METRICS, ENDPOINT_WARNINGS, ENDPOINT_PAGE, ENDPOINT_PAGE_INDEX;

/* SPDX-License-Identifier: Apache-2.0
 * pg_internal.h - one connection of the PostgreSQL door, its portals, and the calls that its files share.
 *
 * Path of a message: pg_connection.c cuts it off the input and hands it to pg_query.c (simple protocol), pg_extended.c (parse, bind,
 * describe, close, execute) or pg_copy.c; rows go through pg_rows.c. What cannot be finished, because the client reads slowly, stays in
 * `activity` and is gone on with by the next run, maybe on another thread.
 * Threads: a connection belongs to one worker at a time. session and cancelled change under `lock`, because `gone` and cancel requests
 *          come from other threads; the list of connections is guarded by Server.lock. */
#pragma once
#include "copy/copy.h"
#include "encode/pg_row.h"
#include "proto/pgwire/pgwire.h"
#include "proto/scram/scram.h"
#include "server/server_internal.h"

enum {
    PG_CANCEL_KEY_BYTES = 32,
    PG_MESSAGE_BYTES_MAX = 256 << 20,   /* Query, Parse, Bind */
    PG_MESSAGE_ARENA_BYTES_MAX = 64 << 20,
    PG_PORTALS_MAX = 10000,
    PG_CANCELS_MAX = 64,                /* connections beyond the setting: they cancel, or are told that there is no room */
    PG_FLUSH_BYTES = 64 << 10,          /* encoded rows that are worth a write ... */
    PG_FLUSH_MS = 50,                   /* ... or those that wait for so long */
    PG_SEND_STALL_MS = 24 * 3600 * 1000, /* a client may look at its first rows for long */
    PG_REFUSAL_DELAY_MS = 500,          /* behind a wrong password */
    PG_REPORTED_MAX = 24                /* settings that are told to clients */
};

/* Rows on their way to the client. */
typedef struct PgStream {
    Statement *statement;
    uint16_t column_count;
    uint8_t *formats;                   /* PG_FORMAT_* a column, owned; NULL = text */
    Encoder encoder;
    bool encoder_open, done;
    Batch *batch;                       /* computed; rows of it are still to be written */
    PgRowWindow window;
    uint64_t rows_before;               /* written by earlier Executes of the portal */
} PgStream;
typedef enum StreamResult { STREAM_DONE, STREAM_SUSPENDED, STREAM_WAIT_OUTPUT } StreamResult;

typedef struct PgPortal {
    Str name;                           /* behind the portal */
    PgStream stream;
    uint64_t block_number;              /* gone when the session has another */
    bool started, is_row_statement;
    struct PgPortal *next;
} PgPortal;

typedef enum PgPhase { PG_PHASE_START, PG_PHASE_PASSWORD, PG_PHASE_READY, PG_PHASE_OVER } PgPhase;
typedef enum PgActivity { PG_ACTIVITY_NONE, PG_ACTIVITY_QUERY, PG_ACTIVITY_EXECUTE, PG_ACTIVITY_COPY_IN, PG_ACTIVITY_COPY_OUT } PgActivity;

/* A string of the simple protocol. */
typedef struct PgQueryRun {
    Buffer text;
    size_t at, statement_at;            /* next statement; the one that runs */
    bool several, any;
    PgStream stream;
} PgQueryRun;

/* What the door needs to know of a role. */
typedef struct PgRole {
    bool exists, login, has_password, has_valid_until;
    int64_t valid_until;
    ScramVerifier verifier;             /* if has_password */
} PgRole;

/* A COPY under way. */
typedef struct PgCopy {
    Statement *statement;               /* the query string's or the portal's; NULL: it has finished */
    StatementCopy plan;
    CopyReader *reader;
    CopyColumn *columns;
    CopyWriter writer;
    bool writer_open, log_silent;
    Batch *batch;
    PgRowWindow window;
} PgCopy;

typedef struct PgAuth PgAuth;
typedef struct PgConnection PgConnection;
struct PgConnection {
    Server *server;
    NetConnection *net;
    PgConnection *previous, *next;      /* Server.lock */
    uint8_t phase, activity;
    bool skip_to_sync, in_round, listed, counted, tls_begun;
    uint32_t version;
    int64_t deadline_ms;
    Arena start_arena;                  /* of startup, until the session is there */
    PgStartup startup;
    PgAuth *auth;                       /* while a password is asked for */
    PgFrames frames;
    bool frames_open;
    Arena arena;                        /* one message */
    PgQueryRun query;
    PgPortal *portals;
    uint32_t portal_count;
    PgCopy copy;
    PgPortal *executing;
    uint64_t execute_limit;
    int64_t flushed_ms;
    uint64_t reported_version;
    uint64_t reported[PG_REPORTED_MAX]; /* hashes of the values that were told */
    Mutex lock;
    Session *session;
    bool cancelled;
    int32_t pid;
    uint8_t cancel_key[PG_CANCEL_KEY_BYTES];
    uint32_t cancel_key_bytes;
};

typedef enum PgMove { PG_MOVE_ON, PG_MOVE_WAIT } PgMove;

/* ---- pg_report.c ---- */
static inline Buffer *pg__out(PgConnection *c) { return net_output(c->net); }
void pg__write_error(PgConnection *c, const Error *err, Str text);        /* ERROR */
void pg__write_notices(PgConnection *c);
void pg__write_changes(PgConnection *c);                                  /* ParameterStatus of what changed */
void pg__write_ready(PgConnection *c);                                    /* changes, ReadyForQuery */

/* ---- pg_connection.c: the connection ends ---- */
PgMove pg__over(PgConnection *c, NetWait *wait_out);
PgMove pg__refuse(PgConnection *c, const Error *err, NetWait *wait_out);  /* with a FATAL message */

/* ---- pg_start.c, pg_cancel.c ---- */
PgMove pg__start(PgConnection *c, NetWait *wait_out);
NODISCARD ErrorCode pg__check_user(PgConnection *c, Error *err);         /* of c->startup: ERR_INVALID_AUTHORIZATION unless it may log in */
NODISCARD ErrorCode pg__enter(PgConnection *c, Error *err);              /* the session of c->startup */
/* pg_role.c */
NODISCARD ErrorCode pg__role_find(Engine *engine, Str name, PgRole *role_out, Error *err);
void pg__role_names(Engine *engine, Buffer *names);                       /* those that may log in, by commas */
NODISCARD ErrorCode pg__check_address(const Server *server, Error *err);  /* may the door be opened there? */
bool pg__asks_password(const Server *server);
/* pg_auth.c */
NODISCARD ErrorCode pg__auth_begin(PgConnection *c, Error *err);
PgMove pg__auth_run(PgConnection *c, NetWait *wait_out);
void pg__auth_free(PgConnection *c);
void pg__session_drop(PgConnection *c);
void pg__cancel(Server *server, uint32_t pid, Bytes key);
void pg__enlist(PgConnection *c);
void pg__delist(PgConnection *c);

/* ---- pg_rows.c ---- */
void pg__stream_open(PgStream *stream, Statement *statement, const PgFormats *formats);
void pg__stream_close(PgStream *stream);
/* Rows until their end, the window's limit, or a slow client. */
NODISCARD ErrorCode pg__stream_run(PgConnection *c, PgStream *stream, StreamResult *result_out, Error *err);
void pg__write_row_description(PgConnection *c, const RelColumn *columns, uint32_t count, const uint8_t *formats);

/* ---- pg_query.c ---- */
void pg__query_begin(PgConnection *c, Bytes body);
PgMove pg__query_run(PgConnection *c, NetWait *wait_out);
void pg__query_failed(PgConnection *c, const Error *err);                 /* inside of the string */

/* ---- pg_copy.c ---- */
NODISCARD ErrorCode pg__copy_begin(PgConnection *c, Statement *statement, Error *err); /* sets the activity */
void pg__copy_message(PgConnection *c, const PgMessage *message);
PgMove pg__copy_out_run(PgConnection *c, NetWait *wait_out);
void pg__copy_close(PgConnection *c);
static inline bool pg__is_copy(const Statement *statement) {
    return statement_kind(statement) == STATEMENT_COPY_IN || statement_kind(statement) == STATEMENT_COPY_OUT;
}

/* ---- pg_extended.c, pg_portal.c ---- */
void pg__extended(PgConnection *c, const PgMessage *message);
PgMove pg__execute_run(PgConnection *c, NetWait *wait_out);
void pg__sync(PgConnection *c);
void pg__extended_failed(PgConnection *c, const Error *err, Str text);
PgPortal *pg__portal_find(PgConnection *c, Str name);
NODISCARD ErrorCode pg__portal_create(PgConnection *c, Str name, PgPortal **portal_out, Error *err);
ErrorCode pg__portal_move(void *context, Str name, uint64_t count, bool *found_out, uint64_t *moved_out, Error *err); /* a SessionMove */
void pg__portal_drop(PgConnection *c, PgPortal *portal);
void pg__portals_sweep(PgConnection *c);                                  /* those whose block has ended */
void pg__portals_drop_all(PgConnection *c);

extern const NetHandler SERVER__PG_HANDLER;

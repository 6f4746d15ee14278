/* SPDX-License-Identifier: Apache-2.0
 * session_calls.h - what functions and catalog relations may ask of the session that they run for: settings, other clients, advisory
 * locks, prepared statements, cursors.
 *
 * Why:     functions lie below sessions; so the session hands this table down, in FunctionEnvironment.
 * Threads: all calls on the session's thread (functions that use them are FN_VOLATILE or run where no helper does). */
#pragma once
#include "base/memory.h"

/* One row of pg_settings. Static texts, but for value, reset_value and names of custom settings, which live until the next change. */
typedef struct SessionSetting {
    Str name, value, unit, category, short_description, kind; /* kind: "bool", "integer", "real", "string", "enum" */
    Str context;                                             /* "user", "internal", "postmaster", … */
    Str minimum, maximum, boot_value, reset_value, source;   /* source: "default", "session", "client" */
    const char *const *choices;                              /* kind enum: NULL-ended; else NULL */
} SessionSetting;

/* One row of pg_stat_activity. Times in microseconds UTC, 0 = none. */
typedef struct SessionActivity {
    int32_t pid;
    Str user_name, database_name, application_name, client_address, query, state, door; /* state: "active", "idle", "idle in transaction", … */
    int32_t client_port;
    int64_t backend_start, transaction_start, query_start, state_change;
    bool waits_for_client;
} SessionActivity;

/* One row of pg_prepared_statements or pg_cursors. */
typedef struct SessionPrepared {
    Str name, statement;
    int64_t prepared_at;
    const uint32_t *parameter_oids;
    uint32_t parameter_count;
    bool from_sql;
} SessionPrepared;
typedef struct SessionCursor {
    Str name, statement;
    bool is_holdable, is_binary, is_scrollable;
    int64_t creation_time;
} SessionCursor;

typedef struct AdvisoryKey { int64_t key; bool is_pair; } AdvisoryKey; /* pair: (classid << 32 | objid) */
typedef enum AdvisoryAction { ADVISORY_TRY_LOCK, ADVISORY_LOCK, ADVISORY_UNLOCK, ADVISORY_UNLOCK_ALL } AdvisoryAction;
typedef struct AdvisoryCall { AdvisoryKey key; uint8_t action; bool shared, until_transaction_end; } AdvisoryCall;
/* One row of pg_locks that is an advisory lock. */
typedef struct SessionLock { AdvisoryKey key; int32_t pid; bool shared; } SessionLock;

typedef struct SessionCalls {
    /* As SHOW prints it. false: there is no such setting. */
    bool (*setting_get)(void *session, Str name, Arena *arena, Str *value_out);
    /* set_config: *value_out as SHOW prints it afterwards. */
    ErrorCode (*setting_set)(void *session, Str name, Str value, bool local, Arena *arena, Str *value_out, Error *err);
    bool (*setting_next)(void *session, size_t *cursor, SessionSetting *setting_out); /* *cursor: 0 at the start */
    int32_t (*backend_pid)(void *session);
    uint64_t (*transaction_id)(void *session);      /* txid_current() */
    Str (*snapshot_export)(void *session, Arena *arena); /* an id for SET TRANSACTION SNAPSHOT; empty: no block is open */
    /* Calls visit for each client of the engine while a mutex is held: copy what you need. */
    void (*activity)(void *session, void (*visit)(void *context, const SessionActivity *row), void *context);
    /* *found_out: there is such a client. ERR_INSUFFICIENT_PRIVILEGE: it is not the caller's to disturb. */
    ErrorCode (*signal_client)(void *session, int32_t pid, bool terminate, bool *found_out, Error *err);
    /* *result_out: TRY_LOCK got it, UNLOCK had it. LOCK that is held by another session: ERR_LOCK_NOT_AVAILABLE. */
    ErrorCode (*advisory)(void *session, const AdvisoryCall *call, bool *result_out, Error *err);
    void (*locks)(void *session, void (*visit)(void *context, const SessionLock *lock), void *context); /* a mutex is held */
    ErrorCode (*sleep)(void *session, double seconds, Error *err); /* ends early with ERR_CANCELED or ERR_TIMEOUT */
    bool (*prepared_next)(void *session, size_t *cursor, SessionPrepared *row_out);
    bool (*cursor_next)(void *session, size_t *cursor, SessionCursor *row_out);
} SessionCalls;

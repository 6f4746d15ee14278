/* SPDX-License-Identifier: Apache-2.0
 * session.c - open and close a client, cancel, small questions. */
#include "session/session_internal.h"

int64_t session__wall_micros(const Session *session) {
    Clock *clock = engine_os(session->engine)->clock;
    return clock->wall_micros(clock);
}

int64_t session__nanos(const Session *session) {
    Clock *clock = engine_os(session->engine)->clock;
    return clock->monotonic_nanos(clock);
}

static void enlist(Session *session) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    session->id = ++hub->next_id;
    session->next = hub->first;
    if (hub->first != NULL) {
        hub->first->previous = session;
    }
    hub->first = session;
    atomic_fetch_add(&hub->session_count, 1);
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

static void delist(Session *session) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    if (session->previous != NULL) {
        session->previous->next = session->next;
    } else {
        hub->first = session->next;
    }
    if (session->next != NULL) {
        session->next->previous = session->previous;
    }
    atomic_fetch_sub(&hub->session_count, 1);
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

static void copy_options(Session *session, const SessionOptions *options) {
    Arena *names = &session->names;
    session->options = *options;
    session->options.user_name = arena_str(names, options->user_name.len == 0 ? STR("postgres") : options->user_name);
    session->options.application_name = arena_str(names, options->application_name);
    session->options.door = arena_str(names, options->door);
    session->options.database_name = arena_str(names, options->database_name.len == 0 ? STR("basalt") : options->database_name);
    session->options.server_version = arena_str(names, options->server_version);
    session->options.client_address = arena_str(names, options->client_address);
    session->authorized_user = session->acting_user = session->options.user_name;
    session->dialect = options->dialect;
    session->timeout_ms = options->timeout_ms;
    session->workers = options->workers;
}

static void init_memory(Session *session) {
    arena_init(&session->names, 1 << 20);
    arena_init(&session->savepoint_names, 1 << 24);
    arena_init(&session->notice_memory, 1 << 24);
    arena_init(&session->path_memory, 1 << 20);
    arena_init(&session->path_known_memory, 1 << 20);
    strmap_init(&session->prepared);
}

ErrorCode session_open(Engine *engine, const SessionOptions *options, Session **session_out, Error *err) {
    assert(options->dialect < DIALECT_COUNT);
    Session *session = mem_calloc(1, sizeof *session);
    session->engine = engine;
    session->hub = session__hub(engine);
    init_memory(session);
    session->hub->sched->mutex_init(session->hub->sched, &session->system_lock);
    session->hub->sched->mutex_init(session->hub->sched, &session->note_lock);
    copy_options(session, options);
    session->path = session->lookup;
    session->idle_state = "idle";
    session->control.clock = engine_os(engine)->clock;
    session->backend_micros = session__wall_micros(session);
    Rand *rand = engine_os(engine)->rand;
    random_init(&session->random, rand->next(rand));
    session__temp_clean(session);
    enlist(session);
    ErrorCode code = session__settings_init(session, err);
    session->version_text = arena_format(&session->names, "PostgreSQL %.*s", STR_ARG(setting__value(session, SETTING_SERVER_VERSION)));
    session->memory_limit = options->memory_bytes == 0 ? QUERY_MEMORY_BYTES : options->memory_bytes;
    if (code != ERR_OK) {
        session_close(session);
        return code;
    }
    *session_out = session;
    return ERR_OK;
}

void session_close(Session *session) {
    if (session == NULL) {
        return;
    }
    session_rollback(session);
    session__cursors_close(session);
    session_prepared_drop_all(session);
    session__advisory_release_all(session);
    session__temp_drop(session);
    delist(session);
    session__hand_back_spares(session);
    session__settings_deinit(session);
    session__sequences_forget(session);
    session->hub->sched->mutex_deinit(session->hub->sched, &session->system_lock);
    session->hub->sched->mutex_deinit(session->hub->sched, &session->note_lock);
    strmap_deinit(&session->prepared);
    arena_deinit(&session->names);
    session__zones_deinit(session);
    arena_deinit(&session->savepoint_names);
    arena_deinit(&session->notice_memory);
    arena_deinit(&session->path_memory);
    arena_deinit(&session->path_known_memory);
    mem_free(session->savepoints);
    mem_free(session->running_text);
    mem_free(session);
}

void session_cancel(Session *session) { atomic_store(&session->control.cancel, 1); }
void session_set_timeout(Session *session, int64_t timeout_ms) { session->timeout_ms = timeout_ms; }
Dialect session_dialect(const Session *session) { return session->dialect; }
Engine *session_engine(Session *session) { return session->engine; }
Txn *session_txn(Session *session) { return session->txn; }

void session_text_style(const Session *session, TextStyle *style_out) { *style_out = (TextStyle){.zone = session->zone, .value = session->style}; }

SessionTimeouts session_timeouts(const Session *session) {
    return (SessionTimeouts){.idle_in_transaction_ms = session->idle_in_transaction_ms,
                             .idle_session_ms = session->idle_session_ms,
                             .transaction_ms = session->transaction_timeout_ms,
                             .transaction_began_ms = session->in_block ? session->block_nanos / 1000000 : 0};
}

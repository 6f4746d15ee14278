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
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

ErrorCode session_open(Engine *engine, const SessionOptions *options, Session **session_out, Error *err) {
    assert(options->dialect < DIALECT_COUNT);
    Session *session = mem_calloc(1, sizeof *session);
    session->engine = engine;
    session->hub = session__hub(engine);
    session->options = *options;
    session->dialect = options->dialect;
    session->timeout_ms = options->timeout_ms;
    session->workers = options->workers;
    session->read_only = options->read_only;
    arena_init(&session->names, 1 << 20);
    arena_init(&session->zone_memory, 1 << 24);
    arena_init(&session->savepoint_names, 1 << 24);
    session->options.user_name = arena_str(&session->names, options->user_name.len == 0 ? STR("postgres") : options->user_name);
    session->options.application_name = arena_str(&session->names, options->application_name);
    session->options.door = arena_str(&session->names, options->door);
    ErrorCode code = session__settings_init(session, err);
    session->memory_limit = options->memory_bytes == 0 ? QUERY_MEMORY_BYTES : options->memory_bytes;
    session->control.clock = engine_os(engine)->clock;
    Rand *rand = engine_os(engine)->rand;
    random_init(&session->random, rand->next(rand));
    enlist(session);
    if (code != ERR_OK) {
        session_close(session);
        return code;
    }
    *session_out = session;
    return ERR_OK;
}

static void free_statement(Statement *statement) {
    arena_deinit(&statement->arena);
    arena_deinit(&statement->plan_arena);
    arena_deinit(&statement->batch_arena);
    mem_free(statement);
}

void session_close(Session *session) {
    if (session == NULL) {
        return;
    }
    session_rollback(session);
    delist(session);
    if (session->spare != NULL) {
        free_statement(session->spare);
    }
    session__settings_deinit(session);
    arena_deinit(&session->names);
    arena_deinit(&session->zone_memory);
    arena_deinit(&session->savepoint_names);
    mem_free(session->savepoints);
    mem_free(session);
}

void session_cancel(Session *session) { atomic_store(&session->control.cancel, 1); }
void session_set_timeout(Session *session, int64_t timeout_ms) { session->timeout_ms = timeout_ms; }
bool session_in_transaction(const Session *session) { return session->in_block; }
bool session_transaction_failed(const Session *session) { return session->failed; }
Dialect session_dialect(const Session *session) { return session->dialect; }
Engine *session_engine(Session *session) { return session->engine; }
Txn *session_txn(Session *session) { return session->txn; }

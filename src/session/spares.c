/* SPDX-License-Identifier: Apache-2.0
 * spares.c - memory of ended statements for the next ones: one of each kind with the session while it works, a few with the engine's hub.
 *
 * Why:        a next statement shall touch no fresh page, but a session that waits for its client shall hold none: thousands do. What a
 *             session hands back when it falls idle, the next one that works takes. While there are few sessions each keeps its own: then
 *             it costs no lock, and the memory is warm where the session runs. */
#include "session/session_internal.h"

enum { SESSIONS_THAT_KEEP = 64, KEPT_BYTES_MAX = 64 << 10 };

bool session__keeps_spares(const Session *session) {
    return session->spare_bytes + session->spare_compiled_bytes <= KEPT_BYTES_MAX && atomic_load_explicit(&session->hub->session_count, memory_order_relaxed) <= SESSIONS_THAT_KEEP;
}

static void free_statement(Statement *statement) {
    if (statement != NULL) {
        arena_deinit(&statement->arena);
        arena_deinit(&statement->batch_arena);
        mem_free(statement);
    }
}

static void free_compiled(Compiled *compiled) {
    if (compiled != NULL) {
        arena_deinit(&compiled->arena);
        arena_deinit(&compiled->plan_arena);
        mem_free(compiled);
    }
}

Statement *session__take_spare(Session *session) {
    Statement *statement = session->spare;
    session->spare = NULL;
    if (statement != NULL) {
        return statement;
    }
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    statement = hub->spare_count > 0 ? hub->spares[--hub->spare_count] : NULL;
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    return statement;
}

Compiled *session__take_spare_compiled(Session *session) {
    Compiled *compiled = session->spare_compiled;
    session->spare_compiled = NULL;
    if (compiled != NULL) {
        return compiled;
    }
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    compiled = hub->spare_compiled_count > 0 ? hub->spare_compiled[--hub->spare_compiled_count] : NULL;
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    return compiled;
}

void session__hand_back_spares(Session *session) {
    Hub *hub = session->hub;
    Statement *statement = session->spare;
    Compiled *compiled = session->spare_compiled;
    session->spare = NULL;
    session->spare_compiled = NULL;
    if (statement == NULL && compiled == NULL) {
        return;
    }
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    if (statement != NULL && hub->spare_count < HUB_SPARES_MAX) {
        hub->spares[hub->spare_count++] = statement;
        statement = NULL;
    }
    if (compiled != NULL && hub->spare_compiled_count < HUB_SPARES_MAX) {
        hub->spare_compiled[hub->spare_compiled_count++] = compiled;
        compiled = NULL;
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    free_statement(statement);
    free_compiled(compiled);
}

void session__free_hub_spares(Hub *hub) {
    while (hub->spare_count > 0) {
        free_statement(hub->spares[--hub->spare_count]);
    }
    while (hub->spare_compiled_count > 0) {
        free_compiled(hub->spare_compiled[--hub->spare_compiled_count]);
    }
}

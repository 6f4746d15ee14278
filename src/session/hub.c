/* SPDX-License-Identifier: Apache-2.0
 * hub.c - what the sessions of one engine share: the list of clients and the worker pool. Made with the first session, ended by
 * engine_close. */
#include "session/session_internal.h"

static void *hub_create(Engine *engine) {
    Hub *hub = mem_calloc(1, sizeof *hub);
    session_guard_rows(engine);
    hub->sched = engine_os(engine)->sched;
    hub->helpers = hub->sched->cpu_count(hub->sched) - 1;
    hub->sched->mutex_init(hub->sched, &hub->mutex);
    return hub;
}

static void hub_destroy(void *attachment) {
    Hub *hub = attachment;
    assert(hub->first == NULL); /* sessions are closed before their engine */
    worker_pool_close(hub->pool);
    session__free_hub_spares(hub);
    hub->sched->mutex_deinit(hub->sched, &hub->mutex);
    mem_free(hub);
}

Hub *session__hub(Engine *engine) { return engine_attachment(engine, hub_create, hub_destroy); }

/* The pool is opened by the first query, so that an idle server has no threads for it. NULL (no helpers) if none can be had. */
WorkerPool *session__pool(Session *session) {
    Hub *hub = session->hub;
    if (session->workers == 1) {
        return NULL;
    }
    if (session->pool != NULL) {
        return session->pool;
    }
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    if (hub->pool == NULL && hub->helpers > 0 && worker_pool_open(hub->sched, hub->helpers, &hub->pool, NULL) != ERR_OK) {
        hub->pool = NULL;
    }
    session->pool = hub->pool;
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    return session->pool;
}

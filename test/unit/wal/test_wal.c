/* SPDX-License-Identifier: Apache-2.0
 * test_wal.c - the log in inline mode on a disk in memory: order, durability, files, limits, failures. */
#include "base/random.h"
#include "mem_io.h"
#include "wal/wal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { SEEN_MAX = 20000 };

typedef struct Fixture {
    MemIo *mem;
    MemOs mem_os;
    Os os;
    Wal *wal;
    Error err;
    WalOptions options;
    Lsn published[SEEN_MAX];
    uint32_t published_count;
    Lsn replayed[SEEN_MAX];
    uint32_t replayed_count;
    uint32_t failures, group_dones;
    ErrorCode refuse; /* redo's answer */
} Fixture;

static ErrorCode redo(void *context, const WalRecord *record, Error *err) {
    Fixture *f = context;
    assert_int_equal((uintptr_t)record->body.data % 8, 0);
    if (f->refuse != ERR_OK) {
        return error_set(err, f->refuse, ERROR_NO_POSITION, "kind %u", record->kind);
    }
    f->replayed[f->replayed_count++] = record->lsn;
    if (record->body.len > 0) {
        assert_int_equal(record->body.data[0], (uint8_t)record->lsn);
    }
    assert_int_equal(record->flags, 5);
    return ERR_OK;
}

static void publish(void *context, Lsn lsn, void *publish_context) {
    Fixture *f = context;
    f->published[f->published_count++] = lsn;
    if (publish_context != NULL) {
        *(Lsn *)publish_context = lsn;
    }
}

static void group_done(void *context, Lsn lsn) {
    Fixture *f = context;
    assert_int_equal(lsn, wal_published_lsn(f->wal));
    f->group_dones++;
}

static void failed(void *context, const Error *cause) {
    assert_true(cause->code != ERR_OK);
    ((Fixture *)context)->failures++;
}

static void set_up(Fixture *f) {
    memset(f, 0, sizeof *f);
    f->mem = mem_io_create();
    f->os = mem_os_init(&f->mem_os, f->mem, 1);
    f->options = (WalOptions){.engine_id = 77,
                              .may_create = true,
                              .inline_mode = true,
                              .file_bytes_min = 64 << 10,
                              .redo = redo,
                              .publish = publish,
                              .group_done = group_done,
                              .failed = failed,
                              .context = f};
}

static void open_ok(Fixture *f) {
    f->replayed_count = 0;
    ErrorCode code = wal_open(f->os, &f->options, &f->wal, &f->err);
    if (code != ERR_OK) {
        print_message("%s\n", f->err.message);
    }
    assert_int_equal(code, ERR_OK);
}

static void reopen_ok(Fixture *f) {
    wal_close(f->wal);
    f->wal = NULL;
    open_ok(f);
}

static void tear_down(Fixture *f) {
    wal_close(f->wal);
    mem_io_destroy(f->mem);
}

static WalTicket append_one(Fixture *f, size_t bytes, WalDurability durability) {
    uint8_t *body = mem_calloc(1, bytes + 1);
    body[0] = (uint8_t)(wal_last_lsn(f->wal) + 1);
    IoVec parts[] = {{body, bytes / 2}, {body + bytes / 2, bytes - bytes / 2}};
    WalAppend append = {.parts = parts, .part_count = 2, .kind = 3, .flags = 5, .durability = durability};
    WalTicket ticket;
    assert_int_equal(wal_append(f->wal, &append, NULL, &ticket, &f->err), ERR_OK);
    mem_free(body);
    return ticket;
}

static void commit_one(Fixture *f, size_t bytes) {
    WalTicket ticket = append_one(f, bytes, WAL_COMMIT);
    assert_int_equal(wal_wait(f->wal, ticket, &f->err), ERR_OK);
    assert_true(wal_durable_lsn(f->wal) >= ticket.lsn);
}

static void records_come_back_in_order(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    for (size_t i = 0; i < 300; i++) {
        commit_one(&f, i * 7 % 900);
    }
    assert_int_equal(f.published_count, 300);
    assert_int_equal(wal_published_lsn(f.wal), 300);
    reopen_ok(&f);
    assert_int_equal(f.replayed_count, 300);
    WalStats stats;
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.written_bytes, stats.replayed_bytes + 300 * 40);
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(f.replayed[i], i + 1);
        assert_int_equal(f.published[i], i + 1);
    }
    f.options.replay_from = 200;
    reopen_ok(&f);
    assert_int_equal(f.replayed_count, 101);
    assert_int_equal(f.replayed[0], 200);
    commit_one(&f, 10);
    assert_int_equal(wal_last_lsn(f.wal), 301);
    tear_down(&f);
}

static void what_is_pending_becomes_one_group_and_one_sync(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    for (int i = 0; i < 50; i++) {
        append_one(&f, 100, WAL_COMMIT);
    }
    WalStats stats;
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.groups, 0);
    assert_int_equal(stats.queue_bytes, 50 * 140);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.groups, 1);
    assert_int_equal(stats.syncs, 1);
    assert_int_equal(stats.records, 50);
    assert_int_equal(stats.body_bytes, 5000);
    assert_int_equal(stats.written_bytes, 8192);
    assert_int_equal(stats.queue_bytes, 0);
    assert_int_equal(f.group_dones, 1);
    tear_down(&f);
}

/* off, commit, off: the first is visible before the sync, the last waits for it. */
static Lsn published_at_sync;
static ErrorCode (*real_sync)(Io *io, File *file, Error *err);
static Wal *spied;
static ErrorCode spy_sync(Io *io, File *file, Error *err) {
    published_at_sync = wal_published_lsn(spied);
    return real_sync(io, file, err);
}

static void weak_records_wait_only_for_earlier_commits(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    IoVtable table = *f.os.io->vtable;
    real_sync = table.sync;
    table.sync = spy_sync;
    f.os.io->vtable = &table;
    spied = f.wal;
    append_one(&f, 10, WAL_OFF);
    append_one(&f, 10, WAL_INTERVAL);
    append_one(&f, 10, WAL_COMMIT);
    append_one(&f, 10, WAL_OFF);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    assert_int_equal(published_at_sync, 2);
    assert_int_equal(f.group_dones, 2);
    WalStats stats;
    append_one(&f, 10, WAL_OFF);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.syncs, 1);
    assert_int_equal(wal_published_lsn(f.wal), 5);
    assert_int_equal(wal_durable_lsn(f.wal), 4);
    assert_int_equal(wal_sync(f.wal, 5, &f.err), ERR_OK);
    assert_int_equal(wal_durable_lsn(f.wal), 5);
    tear_down(&f);
}

static void interval_records_are_synced_in_time(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    append_one(&f, 10, WAL_INTERVAL);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    assert_int_equal(wal_durable_lsn(f.wal), 0);
    f.mem_os.now_nanos += INT64_C(199) * 1000000;
    append_one(&f, 10, WAL_OFF);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    assert_int_equal(wal_durable_lsn(f.wal), 0);
    f.mem_os.now_nanos += INT64_C(2) * 1000000;
    append_one(&f, 10, WAL_OFF);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    assert_int_equal(wal_durable_lsn(f.wal), 3);
    tear_down(&f);
}

static void unsynced_bytes_are_pushed_each_mebibyte(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    f.options.file_bytes_min = 8 << 20;
    open_ok(&f);
    for (int i = 0; i < 50; i++) {
        append_one(&f, 100 << 10, WAL_OFF);
        assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    }
    WalStats stats;
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.pushes, 5);
    assert_int_equal(stats.syncs, 0);
    tear_down(&f);
}

static void three_files_stay_three_when_recycled(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    WalStats stats;
    for (int i = 0; i < 1000; i++) {
        commit_one(&f, 300);
        wal_stats(f.wal, &stats);
        if (i % 12 == 11) {
            assert_int_equal(wal_recycle(f.wal, wal_last_lsn(f.wal) + 1, &f.err), ERR_OK);
        }
        assert_int_equal(stats.file_count, 3);
    }
    assert_int_equal(stats.file_switches, 66);
    assert_int_equal(mem_io_file_count(f.mem), 3);
    assert_int_equal(mem_io_total_bytes(f.mem), 3 * (64 << 10));
    f.options.replay_from = 1000;
    reopen_ok(&f);
    assert_int_equal(f.replayed_count, 1);
    tear_down(&f);
}

static void more_files_under_load_then_back_to_three(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    for (int i = 0; i < 300; i++) {
        commit_one(&f, 300);
    }
    WalStats stats;
    wal_stats(f.wal, &stats);
    assert_true(stats.file_count >= 20);
    f.options.replay_from = 150;
    reopen_ok(&f);
    assert_int_equal(f.replayed_count, 151);
    assert_int_equal(wal_recycle(f.wal, 301, &f.err), ERR_OK);
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.file_count, 3);
    assert_int_equal(mem_io_file_count(f.mem), 3);
    f.options.replay_from = 301;
    reopen_ok(&f);
    assert_int_equal(f.replayed_count, 0);
    tear_down(&f);
}

static void the_log_has_a_limit_that_urgent_records_may_pass(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    f.options.log_bytes_max = 256 << 10;
    open_ok(&f);
    uint32_t taken = 0;
    IoVec part = {"x", 1};
    WalAppend append = {.parts = &part, .part_count = 1, .flags = 5, .durability = WAL_OFF};
    while (wal_append(f.wal, &append, NULL, NULL, &f.err) == ERR_OK) {
        taken++;
        assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    }
    assert_int_equal(f.err.code, ERR_LIMIT_EXCEEDED);
    assert_int_equal(taken, 60); /* four files of sixteen blocks, less their headers */
    append.urgent = true;
    assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    append.urgent = false;
    assert_int_equal(wal_recycle(f.wal, wal_last_lsn(f.wal), &f.err), ERR_OK);
    assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
    tear_down(&f);
}

static void a_full_disk_refuses_records_but_takes_urgent_ones(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    mem_io_limit_bytes(f.mem, 3 * (64 << 10) + 100);
    IoVec part = {"x", 1};
    WalAppend append = {.parts = &part, .part_count = 1, .flags = 5, .durability = WAL_COMMIT};
    int taken = 0;
    while (wal_append(f.wal, &append, NULL, NULL, &f.err) == ERR_OK) {
        assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
        taken++;
    }
    assert_int_equal(f.err.code, ERR_DISK_FULL);
    assert_in_range(taken, 40, 45);
    append.urgent = true;
    assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    assert_int_equal(wal_recycle(f.wal, wal_last_lsn(f.wal), &f.err), ERR_OK);
    append.urgent = false;
    assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
    assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    assert_false(wal_failed(f.wal));
    tear_down(&f);
}

static void a_disk_with_room_again_takes_records(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    mem_io_limit_bytes(f.mem, 3 * (64 << 10) + 100);
    IoVec part = {"x", 1};
    WalAppend append = {.parts = &part, .part_count = 1, .flags = 5, .durability = WAL_COMMIT};
    while (wal_append(f.wal, &append, NULL, NULL, &f.err) == ERR_OK) {
        assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    }
    assert_int_equal(f.err.code, ERR_DISK_FULL);
    mem_io_limit_bytes(f.mem, 5 * (64 << 10) + 100); /* nothing was recycled: somebody else made room */
    for (int i = 0; i < 20; i++) {
        assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
        assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
    }
    tear_down(&f);
}

/* Records that wait together must not be more than the files can take: the log would meet the full disk while it writes. */
static void a_full_disk_refuses_a_crowd_and_does_not_kill_the_log(void **state) {
    (void)state;
    static const size_t SIZES[] = {1, 3000, 20000, 50000, 57000};
    static uint8_t body[57000];
    for (size_t limit = 3; limit < 9; limit++) {
        Fixture f;
        set_up(&f);
        open_ok(&f);
        mem_io_limit_bytes(f.mem, limit * (64 << 10) + 5000 * limit);
        int refused = 0;
        for (size_t i = 0; refused < 8; i++) {
            IoVec part = {body, SIZES[(i * 7 + limit) % COUNT_OF(SIZES)]};
            WalAppend append = {.parts = &part, .part_count = 1, .flags = 5, .durability = WAL_COMMIT, .urgent = i % 3 == 0};
            refused += wal_append(f.wal, &append, NULL, NULL, &f.err) != ERR_OK;
            if (i % 13 == 12) {
                assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
            }
        }
        assert_int_equal(f.err.code, ERR_DISK_FULL);
        assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
        assert_false(wal_failed(f.wal));
        tear_down(&f);
    }
}

static void the_size_of_files_follows_the_data(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    f.options.file_bytes_max = 1 << 20;
    open_ok(&f);
    wal_set_data_bytes(f.wal, 2 << 20);
    for (int i = 0; i < 400; i++) {
        commit_one(&f, 300);
        assert_int_equal(wal_recycle(f.wal, wal_last_lsn(f.wal), &f.err), ERR_OK);
    }
    WalStats stats;
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.file_bytes, 512 << 10);
    assert_int_equal(stats.log_bytes, 2 * (512 << 10) + (64 << 10)); /* two files took turns */
    wal_set_data_bytes(f.wal, UINT64_C(1) << 40);
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.file_bytes, 1 << 20);
    wal_set_data_bytes(f.wal, 0);
    for (int i = 0; i < 300; i++) {
        commit_one(&f, 300);
        assert_int_equal(wal_recycle(f.wal, wal_last_lsn(f.wal), &f.err), ERR_OK);
    }
    wal_stats(f.wal, &stats);
    assert_int_equal(stats.log_bytes, 3 * (64 << 10));
    tear_down(&f);
}

static void large_bodies_pass_by_copy_and_by_reference(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    open_ok(&f);
    static const size_t SIZES[] = {0, 1, 65535, 65536, 65537, 200000, 3 << 20, WAL_BODY_BYTES_MAX};
    uint8_t *body = mem_calloc(1, WAL_BODY_BYTES_MAX + 1);
    for (size_t i = 0; i < 2 * COUNT_OF(SIZES); i++) {
        body[0] = (uint8_t)(i + 1);
        size_t bytes = SIZES[i / 2];
        IoVec parts[] = {{body, bytes / 3}, {body + bytes / 3, bytes - bytes / 3}};
        WalAppend append = {.parts = parts, .part_count = 2, .flags = 5, .durability = WAL_COMMIT, .referenced = i & 1};
        assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
        if (i % 3 == 2 || i & 1) {
            assert_int_equal(wal_flush(f.wal, &f.err), ERR_OK);
        }
    }
    IoVec part = {body, WAL_BODY_BYTES_MAX + 1};
    WalAppend append = {.parts = &part, .part_count = 1, .flags = 5};
    assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_TOO_LARGE);
    mem_free(body);
    reopen_ok(&f);
    assert_int_equal(f.replayed_count, 2 * COUNT_OF(SIZES));
    tear_down(&f);
}

static void on_complete(void *context, Lsn lsn, ErrorCode outcome) {
    ErrorCode *outcomes = context;
    outcomes[lsn] = outcome;
}

static void on_assigned(void *context, Lsn lsn) {
    *(Lsn *)context = lsn;
}

static void after_a_failed_call_nothing_is_acknowledged(void **state) {
    (void)state;
    static const ErrorCode CODES[] = {ERR_IO, ERR_DISK_FULL, ERR_SYNC_FAILED};
    for (uint64_t n = 1; n <= 2; n++) { /* the write, the sync */
        Fixture f;
        set_up(&f);
        open_ok(&f);
        commit_one(&f, 10);
        ErrorCode outcomes[10];
        memset(outcomes, 0xff, sizeof outcomes);
        Lsn assigned = 0, published = 0;
        WalAppend append = {.flags = 5,
                            .durability = WAL_COMMIT,
                            .publish_context = &published,
                            .assigned = on_assigned,
                            .assigned_context = &assigned,
                            .complete = on_complete,
                            .complete_context = outcomes};
        WalTicket ticket;
        assert_int_equal(wal_append(f.wal, &append, NULL, &ticket, &f.err), ERR_OK);
        assert_int_equal(wal_wait(f.wal, ticket, &f.err), ERR_OK);
        assert_int_equal(assigned, 2);
        assert_int_equal(published, 2);
        assert_int_equal(outcomes[2], ERR_OK);
        mem_io_fail_at(f.mem, mem_io_calls(f.mem) + n, CODES[n]);
        assert_int_equal(wal_append(f.wal, &append, NULL, &ticket, &f.err), ERR_OK);
        assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_OK);
        assert_int_equal(wal_wait(f.wal, ticket, &f.err), ERR_UNKNOWN_OUTCOME);
        assert_int_equal(outcomes[3], ERR_UNKNOWN_OUTCOME);
        assert_int_equal(outcomes[4], ERR_UNKNOWN_OUTCOME);
        assert_int_equal(wal_published_lsn(f.wal), 2);
        assert_true(wal_failed(f.wal));
        assert_int_equal(f.failures, 1);
        assert_int_equal(wal_append(f.wal, &append, NULL, NULL, &f.err), ERR_IO);
        assert_int_equal(wal_sync(f.wal, 3, &f.err), ERR_UNKNOWN_OUTCOME);
        uint64_t calls = mem_io_calls(f.mem);
        wal_close(f.wal);
        assert_int_equal(mem_io_calls(f.mem), calls); /* never synced again */
        open_ok(&f);
        assert_in_range(f.replayed_count, 2, 4);
        tear_down(&f);
    }
}

static void a_log_that_does_not_fit_is_refused(void **state) {
    (void)state;
    Fixture f;
    set_up(&f);
    f.options.may_create = false;
    assert_int_equal(wal_open(f.os, &f.options, &f.wal, &f.err), ERR_FILE_MISSING);
    f.options.may_create = true;
    f.options.replay_from = 50;
    open_ok(&f);
    commit_one(&f, 10);
    assert_int_equal(wal_last_lsn(f.wal), 50);
    wal_close(f.wal);
    f.wal = NULL;
    static const struct {
        Lsn replay_from;
        uint64_t engine_id;
        ErrorCode refuse, want;
    } ROWS[] = {{1, 77, ERR_OK, ERR_DAMAGED},
                {52, 77, ERR_OK, ERR_DAMAGED},
                {50, 78, ERR_OK, ERR_DAMAGED},
                {50, 77, ERR_NEWER_FORMAT, ERR_NEWER_FORMAT}};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        f.options.replay_from = ROWS[i].replay_from;
        f.options.engine_id = ROWS[i].engine_id;
        f.refuse = ROWS[i].refuse;
        assert_int_equal(wal_open(f.os, &f.options, &f.wal, &f.err), ROWS[i].want);
    }
    f.refuse = ERR_OK;
    f.options.replay_from = 51;
    f.options.engine_id = 77;
    open_ok(&f);
    tear_down(&f);
}

static void a_missing_file_of_the_log_is_damage(void **state) {
    (void)state;
    static const char *const NAMES[] = {"wal/000001.wal", "wal/000002.wal", "wal/000003.wal"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        Fixture f;
        set_up(&f);
        open_ok(&f);
        for (int n = 0; n < 50; n++) {
            commit_one(&f, 100);
        }
        wal_close(f.wal);
        f.wal = NULL;
        assert_int_equal(io_unlink(f.os.io, NAMES[i], &f.err), ERR_OK);
        assert_int_equal(wal_open(f.os, &f.options, &f.wal, &f.err), ERR_DAMAGED);
        tear_down(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_come_back_in_order),
                                       cmocka_unit_test(what_is_pending_becomes_one_group_and_one_sync),
                                       cmocka_unit_test(weak_records_wait_only_for_earlier_commits),
                                       cmocka_unit_test(interval_records_are_synced_in_time),
                                       cmocka_unit_test(unsynced_bytes_are_pushed_each_mebibyte),
                                       cmocka_unit_test(three_files_stay_three_when_recycled),
                                       cmocka_unit_test(more_files_under_load_then_back_to_three),
                                       cmocka_unit_test(the_log_has_a_limit_that_urgent_records_may_pass),
                                       cmocka_unit_test(a_full_disk_refuses_records_but_takes_urgent_ones),
                                       cmocka_unit_test(a_disk_with_room_again_takes_records),
        cmocka_unit_test(a_full_disk_refuses_a_crowd_and_does_not_kill_the_log),
        cmocka_unit_test(the_size_of_files_follows_the_data),
                                       cmocka_unit_test(large_bodies_pass_by_copy_and_by_reference),
                                       cmocka_unit_test(after_a_failed_call_nothing_is_acknowledged),
                                       cmocka_unit_test(a_log_that_does_not_fit_is_refused),
                                       cmocka_unit_test(a_missing_file_of_the_log_is_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_long.c - a million lone commits: three files of 4 MiB stay three (suite `long`). */
#include "mem_io.h"
#include "wal/wal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { COMMITS = 1000000, BODY_BYTES = 220 };

static ErrorCode count(void *context, const WalRecord *record, Error *err) {
    (void)record;
    (void)err;
    (*(uint64_t *)context)++;
    return ERR_OK;
}

static void three_files_stay_three_under_a_million_lone_commits(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    MemOs mem_os;
    Os os = mem_os_init(&mem_os, mem, 1);
    Error err = {0};
    Wal *wal = NULL;
    uint64_t replayed = 0;
    WalOptions options = {.may_create = true, .inline_mode = true, .redo = count, .context = &replayed};
    assert_int_equal(wal_open(os, &options, &wal, &err), ERR_OK);
    uint8_t body[BODY_BYTES] = {1};
    Lsn checkpoint = 0, older = 0;
    uint64_t switches = 0;
    WalStats stats;
    for (uint64_t i = 1; i <= COMMITS; i++) {
        IoVec part = {body, sizeof body};
        WalTicket ticket;
        WalAppend append = {.parts = &part, .part_count = 1, .durability = WAL_COMMIT};
        assert_int_equal(wal_append(wal, &append, NULL, &ticket, &err), ERR_OK);
        assert_int_equal(wal_wait(wal, ticket, &err), ERR_OK);
        wal_stats(wal, &stats);
        if (stats.file_switches > switches) {
            switches = stats.file_switches;
            older = checkpoint;
            checkpoint = i;
            assert_int_equal(wal_recycle(wal, older + 1, &err), ERR_OK);
        }
    }
    wal_stats(wal, &stats);
    assert_int_equal(stats.syncs, COMMITS);
    assert_int_equal(stats.file_count, 3);
    assert_int_equal(stats.files_created, 3);
    assert_int_equal(mem_io_file_count(mem), 3);
    assert_int_equal(mem_io_total_bytes(mem), 3 * (4 << 20));
    wal_close(wal);
    options.replay_from = older + 1;
    assert_int_equal(wal_open(os, &options, &wal, &err), ERR_OK);
    assert_int_equal(replayed, COMMITS - older);
    wal_close(wal);
    mem_io_destroy(mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_files_stay_three_under_a_million_lone_commits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

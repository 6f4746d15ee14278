/* SPDX-License-Identifier: Apache-2.0
 * fuzz_index_run.c - any bytes as an index run: open, check, search, walk.
 *
 * Input:      as fuzz_segment.c.
 * Check:      a run that index_run_check finds sound can be walked from end to end, and gives as many entries as it says. */
#include "fuzz.h"
#include "index/index.h"
#include "mem_io.h"
#include "repair.h"

enum { FILE_BYTES_MAX = 1 << 20, STEPS_MAX = 100000 };

static const char PATH[] = "table/1/2.idx";

static void walk(const IndexRun *run, BlockCache *cache, Bytes key, bool sound) {
    RunCursor cursor;
    uint64_t steps = 0;
    ErrorCode code = index_run_seek(run, cache, (Bytes){0}, 0, &cursor, NULL);
    while (code == ERR_OK && cursor.valid && steps < STEPS_MAX) {
        (void)run_cursor_row(&cursor);
        code = run_cursor_next(&cursor, NULL);
        steps++;
    }
    run_cursor_release(&cursor);
    FUZZ_CHECK(!sound || (code == ERR_OK && (steps == index_run_count(run) || steps == STEPS_MAX)));
    bool possible = false;
    code = index_run_may_hold(run, cache, key, &possible, NULL);
    FUZZ_CHECK(!sound || code == ERR_OK);
    code = index_run_seek_before(run, cache, key, 7, &cursor, NULL);
    for (steps = 0; code == ERR_OK && cursor.valid && steps < 100; steps++) {
        code = run_cursor_previous(&cursor, NULL);
    }
    run_cursor_release(&cursor);
    FUZZ_CHECK(!sound || code == ERR_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 12 || size > FILE_BYTES_MAX) {
        return 0;
    }
    uint8_t *file = NULL;
    size_t file_bytes = blockfile_expand(data + 1, size - 1, data[0] & 2, &file);
    blockfile_repair(file, file_bytes);
    MemIo *mem = mem_io_create();
    MemOs mem_os;
    Os os = mem_os_init(&mem_os, mem, 1);
    BlockCache *cache = block_cache_create(os.sched, 1 << 20);
    mem_io_put_file(mem, PATH, file, file_bytes);
    bool sound = index_run_check(os.io, PATH, NULL, NULL) == ERR_OK;
    IndexRun *run = NULL;
    if (index_run_open(os.io, PATH, NULL, &run, NULL) == ERR_OK) {
        walk(run, cache, (Bytes){data + 2, 8}, sound);
        index_run_close(run);
    } else {
        FUZZ_CHECK(!sound);
    }
    block_cache_destroy(cache);
    mem_io_destroy(mem);
    mem_free(file);
    return 0;
}

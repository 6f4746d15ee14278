/* SPDX-License-Identifier: Apache-2.0
 * test_cache_threads.c - one cache, one file, several readers, one that forgets. Run under TSan. */
#include "base/random.h"
#include "blockfile/blockfile.h"
#include "mem_io.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <cmocka.h>

enum { BLOCKS = 200, BLOCK_BYTES = 900, THREADS = 4, READS = 5000, PINS = 4 };

typedef struct Shared {
    BlockCache *cache;
    BlockFile *file;
    atomic_uint failures, seed;
} Shared;

static void reader_main(void *argument) {
    Shared *shared = argument;
    Random random;
    random_init(&random, atomic_fetch_add(&shared->seed, 1));
    BlockPin pins[PINS] = {0};
    Error err = {0};
    for (int i = 0; i < READS; i++) {
        uint32_t index = (uint32_t)random_below(&random, BLOCKS);
        BlockPin *pin = &pins[i % PINS];
        block_cache_release(shared->cache, pin);
        bool fine = block_cache_read(shared->cache, shared->file, index, pin, &err) == ERR_OK &&
                    pin->data.len == BLOCK_BYTES && pin->data.data[0] == index &&
                    pin->data.data[BLOCK_BYTES - 1] == index;
        atomic_fetch_add(&shared->failures, !fine);
        if (i % 1000 == 999) {
            block_cache_forget(shared->cache, 5);
        }
    }
    for (int i = 0; i < PINS; i++) {
        block_cache_release(shared->cache, &pins[i]);
    }
}

static void readers_share_a_cache(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Os os = {0};
    Error err = {0};
    assert_int_equal(os_linux_open("/tmp", false, &os, &err), ERR_OK); /* for its threads */
    BlockWriter *writer = NULL;
    BlockFileOptions options = {.path = "a.seg", .kind = BLOCKFILE_SEGMENT, .file_id = 5};
    assert_int_equal(blockfile_writer_open(mem_io_io(mem), &options, &writer, &err), ERR_OK);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint8_t data[BLOCK_BYTES];
        memset(data, (int)i, sizeof data);
        IoVec part = {data, sizeof data};
        assert_int_equal(blockfile_writer_add(writer, &(BlockSpec){.key = i}, &part, 1, NULL, &err), ERR_OK);
    }
    assert_int_equal(blockfile_writer_finish(writer, NULL, &err), ERR_OK);
    Shared shared = {.cache = block_cache_create(os.sched, 64 << 10)};
    assert_int_equal(blockfile_open(mem_io_io(mem), "a.seg", NULL, &shared.file, &err), ERR_OK);
    Task *tasks[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(os.sched->task_start(os.sched, "reader", reader_main, &shared, false, &tasks[i], &err),
                         ERR_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        os.sched->task_join(os.sched, tasks[i]);
    }
    assert_int_equal(atomic_load(&shared.failures), 0);
    BlockCacheStats stats;
    block_cache_stats(shared.cache, &stats);
    assert_true(stats.bytes <= 64 << 10);
    assert_int_equal(stats.hits + stats.misses, THREADS * READS);
    block_cache_destroy(shared.cache);
    blockfile_close(shared.file);
    os_linux_close(&os);
    mem_io_destroy(mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_share_a_cache)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

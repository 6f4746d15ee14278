/* SPDX-License-Identifier: Apache-2.0
 * test_cache.c - hits, the byte limit, pins, forgetting a file. */
#include "blockfile/blockfile.h"
#include "base/random.h"
#include "mem_io.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { BLOCKS = 400, BLOCK_BYTES = 1000 };

typedef struct Setup {
    MemIo *mem;
    MemOs mem_os;
    Os os;
    BlockFile *file;
} Setup;

static void set_up(Setup *setup) {
    setup->mem = mem_io_create();
    setup->os = mem_os_init(&setup->mem_os, setup->mem, 1);
    Error err = {0};
    BlockWriter *writer = NULL;
    BlockFileOptions options = {.path = "a.seg", .kind = BLOCKFILE_SEGMENT, .file_id = 5};
    assert_int_equal(blockfile_writer_open(setup->os.io, &options, &writer, &err), ERR_OK);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint8_t data[BLOCK_BYTES];
        memset(data, (int)(i % 251), sizeof data);
        IoVec part = {data, sizeof data};
        assert_int_equal(blockfile_writer_add(writer, &(BlockSpec){.key = i}, &part, 1, NULL, &err), ERR_OK);
    }
    assert_int_equal(blockfile_writer_finish(writer, NULL, &err), ERR_OK);
    assert_int_equal(blockfile_open(setup->os.io, "a.seg", NULL, &setup->file, &err), ERR_OK);
}

static void tear_down(Setup *setup) {
    blockfile_close(setup->file);
    mem_io_destroy(setup->mem);
}

static void read_one(BlockCache *cache, Setup *setup, uint32_t index, BlockPin *pin) {
    Error err = {0};
    assert_int_equal(block_cache_read(cache, setup->file, index, pin, &err), ERR_OK);
    assert_int_equal(pin->data.len, BLOCK_BYTES);
    assert_int_equal((uintptr_t)pin->data.data % 64, 0);
    assert_int_equal(pin->data.data[0], index % 251);
    assert_int_equal(pin->data.data[BLOCK_BYTES - 1], index % 251);
}

static void a_second_read_is_a_hit(void **state) {
    (void)state;
    Setup setup;
    set_up(&setup);
    BlockCache *cache = block_cache_create(setup.os.sched, 1 << 20);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < BLOCKS; i++) {
            BlockPin pin;
            read_one(cache, &setup, i, &pin);
            block_cache_release(cache, &pin);
        }
    }
    BlockCacheStats stats;
    block_cache_stats(cache, &stats);
    assert_int_equal(stats.misses, BLOCKS);
    assert_int_equal(stats.hits, 2 * BLOCKS);
    assert_int_equal(stats.bytes, BLOCKS * BLOCK_BYTES);
    block_cache_destroy(cache);
    tear_down(&setup);
}

typedef struct PartMaker { uint8_t value; int calls; } PartMaker;

static ErrorCode make_part(void *context, void *memory, uint32_t bytes, Error *err) {
    PartMaker *maker = context;
    maker->calls++;
    if (maker->value == 0) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "cannot be made");
    }
    memset(memory, maker->value, bytes);
    return ERR_OK;
}

/* A part is made once, stands beside its block and the other parts, and goes with the file. */
static void a_part_is_kept_like_a_block(void **state) {
    (void)state;
    Setup setup;
    Error err = {0};
    set_up(&setup);
    BlockCache *cache = block_cache_create(setup.os.sched, 1 << 20);
    PartMaker makers[] = {{7, 0}, {9, 0}, {0, 0}};
    BlockPin pin;
    for (int round = 0; round < 3; round++) {
        for (uint32_t p = 0; p < 2; p++) {
            BlockPart part = {.part = p * (BLOCK_PARTS_MAX - 1), .bytes = 3000, .make = make_part, .context = &makers[p]};
            assert_int_equal(block_cache_part(cache, setup.file, 4, &part, &pin, &err), ERR_OK);
            assert_int_equal(pin.data.len, 3000);
            assert_int_equal(pin.data.data[2999], makers[p].value);
            block_cache_release(cache, &pin);
        }
        read_one(cache, &setup, 4, &pin);
        block_cache_release(cache, &pin);
    }
    assert_int_equal(makers[0].calls, 1);
    assert_int_equal(makers[1].calls, 1);
    BlockPart failing = {.part = 5, .bytes = 10, .make = make_part, .context = &makers[2]};
    assert_int_equal(block_cache_part(cache, setup.file, 4, &failing, &pin, &err), ERR_DAMAGED);
    BlockCacheStats stats;
    block_cache_stats(cache, &stats);
    assert_int_equal(stats.blocks, 3);
    block_cache_forget(cache, 5);
    block_cache_stats(cache, &stats);
    assert_int_equal(stats.blocks, 0);
    block_cache_destroy(cache);
    tear_down(&setup);
}

static void the_limit_holds_and_hot_blocks_stay(void **state) {
    (void)state;
    enum { LIMIT = 160 << 10, HOT = 8 };
    Setup setup;
    set_up(&setup);
    BlockCache *cache = block_cache_create(setup.os.sched, LIMIT);
    Random random;
    random_init(&random, 3);
    uint64_t hot_hits = 0, hot_reads = 0;
    BlockCacheStats before, after;
    for (int i = 0; i < 20000; i++) {
        bool hot = random_chance(&random, 1, 2);
        uint32_t index = (uint32_t)random_below(&random, hot ? HOT : BLOCKS);
        BlockPin pin;
        block_cache_stats(cache, &before);
        read_one(cache, &setup, index, &pin);
        block_cache_stats(cache, &after);
        block_cache_release(cache, &pin);
        assert_true(after.bytes <= LIMIT);
        if (index < HOT) {
            hot_reads++;
            hot_hits += after.hits - before.hits;
        }
    }
    assert_true(after.evictions > 1000);
    assert_true(hot_hits > hot_reads * 9 / 10);
    block_cache_destroy(cache);
    tear_down(&setup);
}

static void pinned_blocks_are_never_evicted_nor_forgotten_from_under_the_reader(void **state) {
    (void)state;
    Setup setup;
    set_up(&setup);
    BlockCache *cache = block_cache_create(setup.os.sched, 40 << 10);
    BlockPin pins[100];
    for (uint32_t i = 0; i < COUNT_OF(pins); i++) {
        read_one(cache, &setup, i, &pins[i]);
    }
    BlockCacheStats stats;
    block_cache_stats(cache, &stats);
    assert_true(stats.bytes <= 40 << 10);
    block_cache_forget(cache, 5);
    block_cache_stats(cache, &stats);
    assert_int_equal(stats.bytes, 0);
    for (uint32_t i = 0; i < COUNT_OF(pins); i++) {
        assert_int_equal(pins[i].data.data[7], i % 251);
        block_cache_release(cache, &pins[i]);
        block_cache_release(cache, &pins[i]); /* a cleared pin is fine */
    }
    block_cache_destroy(cache);
    tear_down(&setup);
}

static void a_damaged_block_is_an_error_and_is_not_kept(void **state) {
    (void)state;
    Setup setup;
    set_up(&setup);
    BlockCache *cache = block_cache_create(setup.os.sched, 1 << 20);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(setup.mem, "a.seg", &len);
    uint64_t offset = blockfile_entry(setup.file, 9).offset;
    bytes[offset]++;
    BlockPin pin;
    Error err = {0};
    assert_int_equal(block_cache_read(cache, setup.file, 9, &pin, &err), ERR_DAMAGED);
    bytes[offset]--;
    read_one(cache, &setup, 9, &pin);
    block_cache_release(cache, &pin);
    block_cache_destroy(cache);
    tear_down(&setup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_read_is_a_hit), cmocka_unit_test(a_part_is_kept_like_a_block), cmocka_unit_test(the_limit_holds_and_hot_blocks_stay),
        cmocka_unit_test(pinned_blocks_are_never_evicted_nor_forgotten_from_under_the_reader),
        cmocka_unit_test(a_damaged_block_is_an_error_and_is_not_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

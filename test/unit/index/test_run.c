/* SPDX-License-Identifier: Apache-2.0
 * test_run.c - runs come back as written, in order and both ways; the filter's false rate; a changed byte is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "hex_page.h"
#include "index/index.h"
#include "mem_io.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct Disk { MemIo *mem; MemOs mem_os; Os os; BlockCache *cache; } Disk;

static const char PATH[] = "t.idx";

static void disk_open(Disk *disk) {
    disk->mem = mem_io_create();
    disk->os = mem_os_init(&disk->mem_os, disk->mem, 5);
    disk->cache = block_cache_create(disk->os.sched, 16 << 20);
}

static void disk_close(Disk *disk) {
    block_cache_destroy(disk->cache);
    mem_io_destroy(disk->mem);
}

static void number_key(uint8_t key[8], uint64_t number) {
    uint64_t word = __builtin_bswap64(number);
    memcpy(key, &word, 8);
}

static BlockFileExpect write_run(Disk *disk, RunBuilder *builder) {
    RunOptions options = {.path = PATH, .file_id = 9, .engine_id = 1, .salt = 3, .table_id = 4, .index_id = 77};
    BlockFileSummary summary;
    Error err;
    assert_int_equal(run_builder_write(builder, disk->os.io, &options, &summary, &err), ERR_OK);
    return (BlockFileExpect){.kind = BLOCKFILE_INDEX, .file_id = 9, .engine_id = 1, .bytes = summary.bytes, .crc = summary.crc, .has_crc = true};
}

static void entries_come_back_in_order(void **state) {
    (void)state;
    enum { COUNT = 30000 };
    Disk disk;
    Random random;
    disk_open(&disk);
    random_init(&random, 3);
    for (int variant = 0; variant < 2; variant++) { /* fixed width; texts with many equal beginnings */
        RunBuilder *builder = run_builder_create();
        KeyPart part = {.type = type_of(variant == 0 ? TYPE_INT8 : TYPE_TEXT), .never_null = true};
        Buffer key;
        buffer_init(&key, 1 << 20);
        for (uint32_t i = 0; i < COUNT; i++) {
            int64_t number = (int64_t)random_below(&random, COUNT / 2) - 100;
            char text[40];
            snprintf(text, sizeof text, "a common beginning %lld", (long long)number);
            StrRef ref = strref_make(text, strlen(text));
            buffer_clear(&key);
            key_put(&key, &part, variant == 0 ? (const void *)&number : &ref);
            key_pad(&key);
            run_builder_add(builder, buffer_bytes(&key), i);
        }
        BlockFileExpect expect = write_run(&disk, builder);
        assert_int_equal(index_run_check(disk.os.io, PATH, &expect, NULL), ERR_OK);
        IndexRun *run = NULL;
        RunCursor cursor, back;
        assert_int_equal(index_run_open(disk.os.io, PATH, &expect, &run, NULL), ERR_OK);
        assert_int_equal(index_run_count(run), COUNT);
        assert_int_equal(index_run_index_id(run), 77);
        assert_int_equal(index_run_seek(run, disk.cache, (Bytes){0}, 0, &cursor, NULL), ERR_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_true(cursor.valid);
            assert_int_equal(run_cursor_row(&cursor), run_builder_entry(builder, i, &key));
            assert_int_equal(key_compare(run_cursor_key(&cursor), buffer_bytes(&key)), 0);
            if (i % 37 == 0) {
                bool possible = false;
                assert_int_equal(index_run_may_hold(run, disk.cache, buffer_bytes(&key), &possible, NULL), ERR_OK);
                assert_true(possible);
                assert_int_equal(index_run_seek(run, disk.cache, buffer_bytes(&key), run_cursor_row(&cursor), &back, NULL), ERR_OK);
                assert_int_equal(run_cursor_row(&back), run_cursor_row(&cursor));
                run_cursor_release(&back);
                assert_int_equal(index_run_seek_before(run, disk.cache, buffer_bytes(&key), run_cursor_row(&cursor), &back, NULL), ERR_OK);
                assert_int_equal(back.valid, i > 0);
                if (i > 0) {
                    assert_int_equal(run_cursor_row(&back), run_builder_entry(builder, i - 1, &key));
                }
                run_cursor_release(&back);
            }
            assert_int_equal(run_cursor_next(&cursor, NULL), ERR_OK);
        }
        assert_false(cursor.valid);
        run_cursor_release(&cursor);
        block_cache_forget(disk.cache, 9);
        index_run_close(run);
        run_builder_destroy(builder);
        buffer_deinit(&key);
    }
    disk_close(&disk);
}

static void the_filter_is_wrong_once_in_a_hundred(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    uint32_t blocks = filter_block_count(COUNT), wrong = 0;
    uint8_t *filter = calloc(blocks, FILTER_BLOCK_BYTES);
    uint8_t key[8];
    for (uint64_t i = 0; i < COUNT; i++) {
        number_key(key, i * 2);
        uint64_t hash = filter_hash((Bytes){key, 8});
        filter_add(filter + (size_t)filter_block_of(hash, blocks) * FILTER_BLOCK_BYTES, hash);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        number_key(key, i * 2);
        uint64_t hash = filter_hash((Bytes){key, 8});
        assert_true(filter_may_hold(filter + (size_t)filter_block_of(hash, blocks) * FILTER_BLOCK_BYTES, hash));
        number_key(key, i * 2 + 1);
        hash = filter_hash((Bytes){key, 8});
        wrong += filter_may_hold(filter + (size_t)filter_block_of(hash, blocks) * FILTER_BLOCK_BYTES, hash);
    }
    free(filter);
    print_message("false rate: %.2f %%\n", 100.0 * wrong / COUNT);
    assert_true(wrong < COUNT / 50);
}

static void an_empty_run_can_be_read(void **state) {
    (void)state;
    Disk disk;
    disk_open(&disk);
    RunBuilder *builder = run_builder_create();
    BlockFileExpect expect = write_run(&disk, builder);
    IndexRun *run = NULL;
    RunCursor cursor;
    bool possible = true;
    uint8_t key[8] = {0};
    assert_int_equal(index_run_open(disk.os.io, PATH, &expect, &run, NULL), ERR_OK);
    assert_int_equal(index_run_may_hold(run, disk.cache, (Bytes){key, 8}, &possible, NULL), ERR_OK);
    assert_false(possible);
    assert_int_equal(index_run_seek(run, disk.cache, (Bytes){key, 8}, 0, &cursor, NULL), ERR_OK);
    assert_false(cursor.valid);
    run_cursor_release(&cursor);
    index_run_close(run);
    run_builder_destroy(builder);
    disk_close(&disk);
}

/* Three rows of an index on (a int not null, b text): what docs/format/index-run.md shows. */
static void the_page_is_true(void **state) {
    (void)state;
    Disk disk;
    disk_open(&disk);
    RunBuilder *builder = run_builder_create();
    static const struct { int32_t a; const char *b; } ROWS[3] = {{7, "x"}, {-1, "long text"}, {7, NULL}};
    Buffer key;
    buffer_init(&key, 1000);
    for (uint32_t i = 0; i < 3; i++) {
        StrRef text = strref_make(ROWS[i].b != NULL ? ROWS[i].b : "", ROWS[i].b != NULL ? strlen(ROWS[i].b) : 0);
        buffer_clear(&key);
        key_put(&key, &(KeyPart){.type = type_of(TYPE_INT4), .never_null = true}, &ROWS[i].a);
        key_put(&key, &(KeyPart){.type = type_of(TYPE_TEXT)}, ROWS[i].b != NULL ? &text : NULL);
        key_pad(&key);
        run_builder_add(builder, buffer_bytes(&key), i);
    }
    (void)write_run(&disk, builder);
    run_builder_destroy(builder);
    buffer_deinit(&key);
    size_t len = 0, shown_len = 0;
    const uint8_t *file = mem_io_file(disk.mem, PATH, &len);
    static uint8_t shown[1 << 16];
    assert_true(hex_page_load("docs/format/index-run.md", shown, sizeof shown, &shown_len));
    assert_int_equal(shown_len, len);
    assert_memory_equal(shown, file, len);
    disk_close(&disk);
}

static void any_changed_byte_is_named(void **state) {
    (void)state;
    Disk disk;
    disk_open(&disk);
    RunBuilder *builder = run_builder_create();
    uint8_t key[8];
    for (uint64_t i = 0; i < 3000; i++) {
        number_key(key, i * 5);
        run_builder_add(builder, (Bytes){key, 8}, (uint32_t)i);
    }
    (void)write_run(&disk, builder);
    run_builder_destroy(builder);
    size_t len = 0;
    uint8_t *file = mem_io_file(disk.mem, PATH, &len);
    for (size_t at = 0; at < len; at += 1 + at % 61) {
        Error err = {0};
        file[at] ^= 0x40;
        ErrorCode code = index_run_check(disk.os.io, PATH, NULL, &err);
        code = code == ERR_OK ? blockfile_check(disk.os.io, PATH, NULL, NULL, &err) : code; /* padding, names */
        file[at] ^= 0x40;
        if (code != ERR_DAMAGED && code != ERR_NEWER_FORMAT) {
            print_error("byte %zu: %d %s\n", at, code, err.message);
        }
        assert_true(code == ERR_DAMAGED || code == ERR_NEWER_FORMAT);
    }
    disk_close(&disk);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries_come_back_in_order), cmocka_unit_test(the_filter_is_wrong_once_in_a_hundred),
                                       cmocka_unit_test(the_page_is_true), cmocka_unit_test(an_empty_run_can_be_read), cmocka_unit_test(any_changed_byte_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

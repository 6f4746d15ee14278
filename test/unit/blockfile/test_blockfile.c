/* SPDX-License-Identifier: Apache-2.0
 * test_blockfile.c - write, read back, damage every byte, crash at every call. */
#include "base/hash.h"
#include "base/random.h"
#include "blockfile/blockfile.h"
#include "hex_page.h"
#include "mem_io.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const char PATH[] = "table/7/42.seg";

static BlockFileOptions options_for(const char *path) {
    return (BlockFileOptions){
        .path = path, .kind = BLOCKFILE_SEGMENT, .file_id = 42, .engine_id = 0x1122, .salt = 0x3344, .lsn = 99};
}

static void fill(uint8_t *data, size_t len, uint64_t seed) {
    Random random;
    random_init(&random, seed);
    for (size_t i = 0; i < len; i++) {
        data[i] = (uint8_t)random_next(&random);
    }
}

/* Three small blocks (one of them empty) with extras, and a section. */
static ErrorCode write_small(Io *io, const char *path, BlockFileSummary *summary, Error *err) {
    BlockFileOptions options = options_for(path);
    BlockWriter *writer = NULL;
    TRY(blockfile_writer_open(io, &options, &writer, err));
    ErrorCode code = ERR_OK;
    uint8_t data[150];
    fill(data, sizeof data, 1);
    IoVec parts[] = {{data, 100}, {data + 100, 50}};
    BlockSpec specs[] = {{.kind = 1, .flags = 2, .key = 7, .extra = {(const uint8_t *)"stat", 4}},
                         {.kind = 1, .key = 8},
                         {.kind = 3, .key = 9, .extra = {(const uint8_t *)"more stats", 10}}};
    TRY_OR(failed, blockfile_writer_add(writer, &specs[0], parts, 2, NULL, err));
    TRY_OR(failed, blockfile_writer_add(writer, &specs[1], NULL, 0, NULL, err));
    TRY_OR(failed, blockfile_writer_add(writer, &specs[2], parts, 1, NULL, err));
    blockfile_writer_set_section(writer, bytes_from("section", 7));
    return blockfile_writer_finish(writer, summary, err);
failed:
    blockfile_writer_abort(writer);
    return code;
}

static void written_blocks_come_back(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Io *io = mem_io_io(mem);
    Error err = {0};
    BlockFileSummary summary;
    assert_int_equal(write_small(io, PATH, &summary, &err), ERR_OK);
    BlockFile *file = NULL;
    BlockFileExpect expect = {.kind = BLOCKFILE_SEGMENT,
                              .file_id = 42,
                              .engine_id = 0x1122,
                              .bytes = summary.bytes,
                              .crc = summary.crc,
                              .has_crc = true};
    assert_int_equal(blockfile_open(io, PATH, &expect, &file, &err), ERR_OK);
    assert_int_equal(blockfile_block_count(file), 3);
    assert_int_equal(blockfile_lsn(file), 99);
    assert_int_equal(blockfile_bytes(file), summary.bytes);
    assert_true(str_equal((Str){(const char *)blockfile_section(file).data, 7}, STR("section")));
    BlockEntry entry = blockfile_entry(file, 0);
    assert_int_equal(entry.bytes, 150);
    assert_int_equal(entry.flags, 2);
    assert_memory_equal(entry.extra.data, "stat", 4);
    assert_int_equal(blockfile_entry(file, 1).extra.len, 0);
    assert_memory_equal(blockfile_entry(file, 2).extra.data, "more stats", 10);
    uint32_t index = 0;
    assert_true(blockfile_find(file, 3, 9, &index));
    assert_int_equal(index, 2);
    assert_false(blockfile_find(file, 3, 10, &index));
    uint8_t want[150], got[512];
    fill(want, sizeof want, 1);
    assert_int_equal(blockfile_read(file, 0, got, sizeof got, &err), ERR_OK);
    assert_memory_equal(got, want, 150);
    assert_int_equal(blockfile_span(file, 0, 3), 192 + 100);
    assert_int_equal(blockfile_read_span(file, 0, 3, got, sizeof got, &err), ERR_OK);
    assert_memory_equal(got + 192, want, 100);
    blockfile_close(file);
    assert_int_equal(blockfile_check(io, PATH, NULL, NULL, &err), ERR_OK);
    assert_int_equal(mem_io_file_count(mem), 1);
    mem_io_destroy(mem);
}

/* Blocks of every size class, through a scratch buffer that two files share; few large writes. */
static void large_files_are_written_in_large_pieces(void **state) {
    (void)state;
    enum { BLOCKS = 200 };
    MemIo *mem = mem_io_create();
    Error err = {0};
    Buffer scratch;
    buffer_init(&scratch, 8 << 20);
    size_t len = 600 << 10;
    uint8_t *data = mem_alloc(len), *got = mem_alloc_aligned(len);
    fill(data, len, 5);
    for (int round = 0; round < 2; round++) {
        Random random;
        random_init(&random, 77);
        uint32_t sizes[BLOCKS];
        BlockFileOptions options = options_for(PATH);
        options.scratch = &scratch;
        BlockWriter *writer = NULL;
        assert_int_equal(blockfile_writer_open(mem_io_io(mem), &options, &writer, &err), ERR_OK);
        for (uint32_t i = 0; i < BLOCKS; i++) {
            sizes[i] = (uint32_t)random_below(&random, i % 10 == 0 ? len : 9000);
            IoVec part = {data, sizes[i]};
            uint32_t index = 0;
            assert_int_equal(blockfile_writer_add(writer, &(BlockSpec){.key = i}, &part, 1, &index, &err), ERR_OK);
            assert_int_equal(index, i);
        }
        assert_int_equal(blockfile_writer_finish(writer, NULL, &err), ERR_OK);
        BlockFile *file = NULL;
        assert_int_equal(blockfile_open(mem_io_io(mem), PATH, NULL, &file, &err), ERR_OK);
        for (uint32_t i = 0; i < BLOCKS; i++) {
            assert_int_equal(blockfile_entry(file, i).bytes, sizes[i]);
            assert_int_equal(blockfile_entry(file, i).offset % 64, 0);
            assert_int_equal(blockfile_read(file, i, got, len, &err), ERR_OK);
            assert_memory_equal(got, data, sizes[i]);
        }
        blockfile_close(file);
    }
    assert_true(mem_io_writes(mem) < 2 * 30);
    mem_free(data);
    mem_free(got);
    buffer_deinit(&scratch);
    mem_io_destroy(mem);
}

static void every_flipped_byte_is_a_named_error(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Io *io = mem_io_io(mem);
    Error err = {0};
    assert_int_equal(write_small(io, PATH, NULL, &err), ERR_OK);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(mem, PATH, &len);
    for (size_t at = 0; at < len; at++) {
        for (int mask = 1; mask < 256; mask = mask == 1 ? 0x80 : mask == 0x80 ? 0xff : 256) {
            bytes[at] ^= (uint8_t)mask;
            err = (Error){0};
            assert_int_equal(blockfile_check(io, PATH, NULL, NULL, &err), ERR_DAMAGED);
            assert_non_null(strstr(err.message, PATH));
            assert_true(err.position >= 0);
            bytes[at] ^= (uint8_t)mask;
        }
    }
    assert_int_equal(blockfile_check(io, PATH, NULL, NULL, &err), ERR_OK);
    mem_io_destroy(mem);
}

static void every_truncated_length_is_a_named_error(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Error err = {0};
    assert_int_equal(write_small(mem_io_io(mem), PATH, NULL, &err), ERR_OK);
    size_t len = 0;
    const uint8_t *bytes = mem_io_file(mem, PATH, &len);
    uint8_t *copy = mem_calloc(1, len + 100);
    memcpy(copy, bytes, len);
    for (size_t cut = 0; cut < len + 100; cut++) {
        if (cut == len) {
            continue;
        }
        MemIo *other = mem_io_create();
        mem_io_put_file(other, PATH, copy, cut);
        assert_int_equal(blockfile_check(mem_io_io(other), PATH, NULL, NULL, &err), ERR_DAMAGED);
        mem_io_destroy(other);
    }
    mem_free(copy);
    mem_io_destroy(mem);
}

static void count_damage(void *context, const Error *damage) {
    assert_int_equal(damage->code, ERR_DAMAGED);
    (*(int *)context)++;
}

static void check_lists_every_damaged_block(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Error err = {0};
    assert_int_equal(write_small(mem_io_io(mem), PATH, NULL, &err), ERR_OK);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(mem, PATH, &len);
    bytes[4096]++;
    bytes[4096 + 192]++;
    int count = 0;
    assert_int_equal(blockfile_check(mem_io_io(mem), PATH, count_damage, &count, &err), ERR_OK);
    assert_int_equal(count, 2);
    BlockFile *file = NULL;
    uint8_t got[256];
    assert_int_equal(blockfile_open(mem_io_io(mem), PATH, NULL, &file, &err), ERR_OK);
    assert_int_equal(blockfile_read(file, 0, got, sizeof got, &err), ERR_DAMAGED);
    assert_int_equal(err.position, 4096);
    blockfile_close(file);
    mem_io_destroy(mem);
}

/* Sealed again after the change, so that only the meaning is new. */
static void seal_header(uint8_t *bytes) {
    put_u32le(bytes + 8, crc32c(0, bytes + 12, BLOCKFILE_HEADER_BYTES - 12));
}

static void what_is_not_expected_is_refused(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Io *io = mem_io_io(mem);
    Error err = {0};
    assert_int_equal(write_small(io, PATH, NULL, &err), ERR_OK);
    static const struct {
        BlockFileExpect expect;
        ErrorCode want;
    } ROWS[] = {{{.kind = BLOCKFILE_DICTIONARY}, ERR_DAMAGED},  {{.file_id = 41}, ERR_DAMAGED},
                {{.engine_id = 5}, ERR_DAMAGED},                {{.bytes = 4096}, ERR_DAMAGED},
                {{.crc = 1, .has_crc = true}, ERR_DAMAGED}};
    BlockFile *file = NULL;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_int_equal(blockfile_open(io, PATH, &ROWS[i].expect, &file, &err), ROWS[i].want);
    }
    assert_int_equal(blockfile_open(io, "table/7/43.seg", NULL, &file, &err), ERR_FILE_MISSING);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(mem, PATH, &len);
    put_u32le(bytes + 12, BLOCKFILE_FORMAT_VERSION + 1);
    seal_header(bytes);
    assert_int_equal(blockfile_open(io, PATH, NULL, &file, &err), ERR_NEWER_FORMAT);
    put_u32le(bytes + 12, BLOCKFILE_FORMAT_VERSION);
    put_u64le(bytes + 48, 4); /* a feature that readers must know */
    seal_header(bytes);
    assert_int_equal(blockfile_open(io, PATH, NULL, &file, &err), ERR_NEWER_FORMAT);
    mem_io_destroy(mem);
}

/* A file moved to another's place, or a block to another place in its file, does not pass. */
static void swapped_blocks_are_noticed(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Io *io = mem_io_io(mem);
    Error err = {0};
    BlockFileOptions options = options_for(PATH);
    BlockWriter *writer = NULL;
    assert_int_equal(blockfile_writer_open(io, &options, &writer, &err), ERR_OK);
    uint8_t data[64] = {1};
    for (uint64_t i = 0; i < 2; i++) {
        data[0] = (uint8_t)i;
        IoVec part = {data, sizeof data};
        assert_int_equal(blockfile_writer_add(writer, &(BlockSpec){.key = i}, &part, 1, NULL, &err), ERR_OK);
    }
    assert_int_equal(blockfile_writer_finish(writer, NULL, &err), ERR_OK);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(mem, PATH, &len);
    memcpy(data, bytes + 4096, 64);
    memcpy(bytes + 4096, bytes + 4096 + 64, 64);
    memcpy(bytes + 4096 + 64, data, 64);
    BlockFile *file = NULL;
    assert_int_equal(blockfile_open(io, PATH, NULL, &file, &err), ERR_OK);
    assert_int_equal(blockfile_read(file, 0, data, sizeof data, &err), ERR_DAMAGED);
    assert_int_equal(blockfile_read(file, 1, data, sizeof data, &err), ERR_DAMAGED);
    blockfile_close(file);
    mem_io_destroy(mem);
}

/* After a crash at any call the final name is absent or the file is whole; after a failure at any call nothing
 * stays. */
static void a_crash_leaves_the_whole_file_or_none(void **state) {
    (void)state;
    Error err = {0};
    for (uint64_t call = 1;; call++) {
        MemIo *mem = mem_io_create();
        mem_io_crash_at(mem, call);
        ErrorCode code = write_small(mem_io_io(mem), PATH, NULL, &err);
        for (uint64_t seed = 0; seed < 30; seed++) {
            MemCrash crash = seed == 0 ? MEM_CRASH_KILL : seed == 1 ? MEM_CRASH_NOTHING : MEM_CRASH_RANDOM;
            MemIo *after = mem_io_after_crash(mem, crash, seed);
            size_t len = 0;
            bool there = mem_io_file(after, PATH, &len) != NULL;
            assert_true(there || code != ERR_OK);
            if (there) {
                assert_int_equal(blockfile_check(mem_io_io(after), PATH, NULL, NULL, &err), ERR_OK);
            }
            assert_int_equal(write_small(mem_io_io(after), "table/7/42.seg", NULL, &err), ERR_OK);
            mem_io_destroy(after);
        }
        mem_io_destroy(mem);
        if (code == ERR_OK) {
            break;
        }
    }
}

static void a_failed_call_leaves_no_file(void **state) {
    (void)state;
    static const ErrorCode CODES[] = {ERR_IO, ERR_DISK_FULL, ERR_SYNC_FAILED};
    for (uint64_t call = 1; call < 6; call++) {
        Error err = {0};
        MemIo *mem = mem_io_create();
        mem_io_fail_at(mem, call, CODES[call % COUNT_OF(CODES)]);
        ErrorCode code = write_small(mem_io_io(mem), PATH, NULL, &err);
        size_t len = 0;
        assert_true(code == ERR_OK || code == CODES[call % COUNT_OF(CODES)]);
        assert_null(mem_io_file(mem, "table/7/42.seg.tmp", &len));
        mem_io_destroy(mem);
    }
}

static void example_of_the_page(void **state) {
    (void)state;
    static uint8_t bytes[8192];
    size_t len = 0;
    assert_true(hex_page_load("docs/format/blockfile.md", bytes, sizeof bytes, &len));
    assert_int_equal(len, 4416);
    MemIo *mem = mem_io_create();
    mem_io_put_file(mem, PATH, bytes, len);
    Error err = {0};
    assert_int_equal(blockfile_check(mem_io_io(mem), PATH, NULL, NULL, &err), ERR_OK);
    BlockFile *file = NULL;
    assert_int_equal(blockfile_open(mem_io_io(mem), PATH, NULL, &file, &err), ERR_OK);
    assert_int_equal(blockfile_header(file)->kind, BLOCKFILE_SEGMENT);
    assert_int_equal(blockfile_header(file)->file_id, 42);
    assert_int_equal(blockfile_header(file)->salt, 0x0102030405060708);
    assert_int_equal(blockfile_lsn(file), 99);
    BlockEntry entry = blockfile_entry(file, 0);
    assert_int_equal(entry.kind, 1);
    assert_int_equal(entry.flags, 2);
    assert_int_equal(entry.key, 7);
    assert_memory_equal(entry.extra.data, "stat", 4);
    uint8_t payload[7];
    assert_int_equal(blockfile_read(file, 0, payload, sizeof payload, &err), ERR_OK);
    assert_memory_equal(payload, "payload", 7);
    assert_memory_equal(blockfile_section(file).data, "section", 7);
    blockfile_close(file);
    mem_io_destroy(mem);
}

static void dump_names_every_block(void **state) {
    (void)state;
    MemIo *mem = mem_io_create();
    Error err = {0};
    assert_int_equal(write_small(mem_io_io(mem), PATH, NULL, &err), ERR_OK);
    Buffer out;
    buffer_init(&out, 1 << 20);
    assert_int_equal(blockfile_dump(mem_io_io(mem), PATH, &out, &err), ERR_OK);
    buffer_append_char(&out, '\0');
    assert_non_null(strstr((char *)out.data, "kind S, format 1, file id 42"));
    assert_non_null(strstr((char *)out.data, "block 2: offset 4288, bytes 100, kind 3, flags 0, key 9"));
    buffer_deinit(&out);
    mem_io_destroy(mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_blocks_come_back),
                                       cmocka_unit_test(large_files_are_written_in_large_pieces),
                                       cmocka_unit_test(every_flipped_byte_is_a_named_error),
                                       cmocka_unit_test(every_truncated_length_is_a_named_error),
                                       cmocka_unit_test(check_lists_every_damaged_block),
                                       cmocka_unit_test(what_is_not_expected_is_refused),
                                       cmocka_unit_test(swapped_blocks_are_noticed),
                                       cmocka_unit_test(a_crash_leaves_the_whole_file_or_none),
                                       cmocka_unit_test(a_failed_call_leaves_no_file),
                                       cmocka_unit_test(example_of_the_page),
                                       cmocka_unit_test(dump_names_every_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

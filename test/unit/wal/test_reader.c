/* SPDX-License-Identifier: Apache-2.0
 * test_reader.c - the bytes of a log file: the example of docs/format/wal.md, every byte flipped, the end told from
 * damage. */
#include "base/hash.h"
#include "hex_page.h"
#include "mem_io.h"
#include "wal/wal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const char PATH[] = "wal/000001.wal";

typedef struct Fixture {
    MemIo *mem;
    MemOs mem_os;
    Os os;
    Error err;
    uint64_t replayed;
} Fixture;

static ErrorCode redo(void *context, const WalRecord *record, Error *err) {
    (void)err;
    Fixture *f = context;
    f->replayed++;
    assert_int_equal(record->lsn, f->replayed);
    assert_memory_equal(record->body.data, "body", 4);
    return ERR_OK;
}

static WalOptions options_for(Fixture *f) {
    return (WalOptions){.engine_id = 0xabcd,
                        .inline_mode = true,
                        .may_create = true,
                        .file_bytes_min = 64 << 10,
                        .term = 9,
                        .redo = redo,
                        .context = f};
}

/* groups commits of one record each; sealed = closed, otherwise as after kill -9. */
static void set_up(Fixture *f, int groups, bool sealed) {
    *f = (Fixture){.mem = mem_io_create()};
    f->os = mem_os_init(&f->mem_os, f->mem, 1);
    Wal *wal = NULL;
    WalOptions options = options_for(f);
    assert_int_equal(wal_open(f->os, &options, &wal, &f->err), ERR_OK);
    for (int i = 0; i < groups; i++) {
        IoVec part = {"body", 4};
        WalTicket ticket;
        WalAppend append = {.parts = &part, .part_count = 1, .kind = 2, .flags = 3, .durability = WAL_COMMIT};
        assert_int_equal(wal_append(wal, &append, NULL, &ticket, &f->err), ERR_OK);
        assert_int_equal(wal_wait(wal, ticket, &f->err), ERR_OK);
    }
    if (!sealed) {
        MemIo *killed = mem_io_after_crash(f->mem, MEM_CRASH_KILL, 0);
        wal_close(wal);
        mem_io_destroy(f->mem);
        f->mem = killed;
        f->os.io = mem_io_io(killed);
        return;
    }
    wal_close(wal);
}

static ErrorCode open_again(Fixture *f) {
    Wal *wal = NULL;
    WalOptions options = options_for(f);
    options.may_create = false;
    f->replayed = 0;
    ErrorCode code = wal_open(f->os, &options, &wal, &f->err);
    wal_close(wal);
    return code;
}

static void tear_down(Fixture *f) {
    mem_io_destroy(f->mem);
}

/* Walks the file; the number of records, or the error. */
static ErrorCode walk(Fixture *f, uint64_t *records_out) {
    WalReader *reader = NULL;
    TRY(wal_reader_open(f->os.io, PATH, &reader, &f->err));
    *records_out = 0;
    WalGroup group;
    bool found = true;
    ErrorCode code = ERR_OK;
    while (code == ERR_OK && found) {
        code = wal_reader_next_group(reader, &group, &found, &f->err);
        WalRecord record;
        while (code == ERR_OK && found && wal_reader_next_record(reader, &record)) {
            (*records_out)++;
            assert_int_equal(record.term, 9);
            assert_int_equal(record.kind, 2);
        }
    }
    wal_reader_close(reader);
    return code;
}

static void a_file_is_walked_without_a_log(void **state) {
    (void)state;
    Fixture f;
    set_up(&f, 5, true);
    uint64_t records = 0;
    assert_int_equal(walk(&f, &records), ERR_OK);
    assert_int_equal(records, 5);
    Lsn last = 0;
    assert_int_equal(wal_check_folder(f.os, "wal", 1, &records, &last, &f.err), ERR_OK);
    assert_int_equal(records, 5);
    assert_int_equal(last, 5);
    Buffer out;
    buffer_init(&out, 1 << 20);
    assert_int_equal(wal_dump_file(f.os.io, PATH, NULL, &out, &f.err), ERR_OK);
    buffer_append_char(&out, '\0');
    assert_non_null(strstr((char *)out.data, "sequence 1, first lsn 1"));
    assert_non_null(strstr((char *)out.data, "  lsn 5: kind 2, flags 3, term 9"));
    assert_non_null(strstr((char *)out.data, "end at 28672, next lsn 6"));
    buffer_deinit(&out);
    tear_down(&f);
}

/* A flip in what was written is damage (or, in the last group of a log that was not closed, its end), never a wrong
 * record; a flip in padding or in blocks not used yet changes nothing. */
static void every_flipped_byte_is_damage_or_harmless(void **state) {
    (void)state;
    enum { GROUPS = 4, RECORD_END = 4096 + 64 + 48 };
    for (int sealed = 0; sealed < 2; sealed++) {
        Fixture f;
        set_up(&f, GROUPS, sealed);
        size_t len = 0;
        size_t used = (size_t)(1 + GROUPS + sealed) * 4096;
        for (size_t at = 0; at < used; at += at % 4096 < 128 || at > 16000 ? 1 : 61) {
            size_t block = at / 4096, in_block = at % 4096;
            bool covered = block == 0 || in_block < (block <= GROUPS ? 64 + 44 : 64);
            bool last = block == (size_t)(GROUPS + sealed);
            MemIo *mem = f.mem;
            f.mem = mem_io_after_crash(mem, MEM_CRASH_KILL, 0);
            f.os.io = mem_io_io(f.mem);
            mem_io_file(f.mem, PATH, &len)[at] ^= 0x10;
            ErrorCode code = open_again(&f);
            if (covered && !last) {
                assert_int_equal(code, ERR_DAMAGED);
                assert_true(f.err.position >= 0);
                assert_non_null(strstr(f.err.message, PATH));
            } else {
                assert_int_equal(code, ERR_OK);
                assert_int_equal(f.replayed, covered && !sealed ? GROUPS - 1 : GROUPS);
            }
            mem_io_destroy(f.mem);
            f.mem = mem;
        }
        tear_down(&f);
    }
}

static void a_truncated_file_is_damage_or_a_shorter_log(void **state) {
    (void)state;
    Fixture f;
    set_up(&f, 3, false);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(f.mem, PATH, &len);
    for (size_t cut = 0; cut < 5 * 4096; cut += 509) {
        MemIo *other = mem_io_create();
        mem_io_put_file(other, PATH, bytes, cut);
        f.os.io = mem_io_io(other);
        ErrorCode code = open_again(&f);
        assert_int_equal(code, cut < 4096 ? ERR_DAMAGED : ERR_OK);
        assert_int_equal(f.replayed, cut < 4096 ? 0 : MIN_OF(cut / 4096 - 1, 3));
        mem_io_destroy(other);
    }
    tear_down(&f);
}

static void example_of_the_page(void **state) {
    (void)state;
    static uint8_t bytes[8192];
    size_t len = 0;
    assert_true(hex_page_load("docs/format/wal.md", bytes, sizeof bytes, &len));
    assert_int_equal(len, sizeof bytes);
    MemIo *mem = mem_io_create();
    mem_io_put_file(mem, PATH, bytes, len);
    WalReader *reader = NULL;
    Error err = {0};
    assert_int_equal(wal_reader_open(mem_io_io(mem), PATH, &reader, &err), ERR_OK);
    assert_int_equal(wal_reader_header(reader)->engine_id, 0x1122334455667788);
    assert_int_equal(wal_reader_header(reader)->sequence, 1);
    WalGroup group;
    WalRecord record;
    bool found = false;
    assert_int_equal(wal_reader_next_group(reader, &group, &found, &err), ERR_OK);
    assert_true(found);
    assert_int_equal(group.durable_below, 1);
    assert_true(wal_reader_next_record(reader, &record));
    assert_true(str_equal((Str){(const char *)record.body.data, record.body.len}, STR("hello")));
    assert_int_equal(record.kind, 2);
    assert_int_equal(record.flags, 1);
    assert_int_equal(record.term, 7);
    assert_int_equal(record.lsn, 1);
    assert_int_equal(record.wall_micros, 1700000000000001);
    assert_false(wal_reader_next_record(reader, &record));
    wal_reader_close(reader);
    mem_io_destroy(mem);
}

static void a_later_format_is_refused(void **state) {
    (void)state;
    static const size_t PLACES[] = {12, 56, 64}; /* version, features to read, features to write */
    for (size_t i = 0; i < COUNT_OF(PLACES); i++) {
        Fixture f;
        set_up(&f, 1, true);
        size_t len = 0;
        uint8_t *bytes = mem_io_file(f.mem, PATH, &len);
        bytes[PLACES[i]] = 2;
        put_u32le(bytes + 8, crc32c(0, bytes + 12, 4096 - 12));
        assert_int_equal(open_again(&f), ERR_NEWER_FORMAT);
        tear_down(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_is_walked_without_a_log),
                                       cmocka_unit_test(every_flipped_byte_is_damage_or_harmless),
                                       cmocka_unit_test(a_truncated_file_is_damage_or_a_shorter_log),
                                       cmocka_unit_test(example_of_the_page),
                                       cmocka_unit_test(a_later_format_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

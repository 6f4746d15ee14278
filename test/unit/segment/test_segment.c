/* SPDX-License-Identifier: Apache-2.0
 * test_segment.c - what is written comes back; symbols and last rows are right; a changed byte is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "hex_page.h"
#include "mem_io.h"
#include "segment/segment.h"
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 100000, COLUMNS = 3 };
static const SegmentColumn SEGMENT_COLUMNS[COLUMNS] = {{1, {.id = TYPE_TIMESTAMP}}, {2, {.id = TYPE_SYMBOL}}, {5, {.id = TYPE_TEXT}}};

typedef struct Fixture {
    char folder[64];
    Os os;
    BlockCache *cache;
    uint32_t last[40];
} Fixture;

static int64_t time_of(uint32_t row) { return INT64_C(1700000000000000) + (int64_t)(row / 3) * 1000; }

static void fill_block(ColumnBuilder *builders, uint32_t from, uint32_t to, Fixture *fixture, Random *random) {
    for (uint32_t row = from; row < to; row++) {
        int64_t time = time_of(row);
        int32_t code = (int32_t)random_below(random, 40);
        char text[32];
        snprintf(text, sizeof text, "row number %u", row);
        column_builder_value(&builders[0], &time);
        column_builder_value(&builders[1], &code);
        column_builder_text(&builders[2], str_from_c(text));
        fixture->last[code] = row;
    }
}

static void write_segment(Fixture *fixture) {
    Error err;
    Random random;
    random_init(&random, 1);
    EncodeScratch *scratch = encode_scratch_create();
    SegmentOptions options = {.path = "t.seg", .file_id = 9, .table_id = 4, .columns = SEGMENT_COLUMNS, .column_count = COLUMNS, .scratch = scratch};
    SegmentWriter *writer;
    assert_int_equal(segment_writer_open(fixture->os.io, &options, &writer, &err), ERR_OK);
    ColumnBuilder builders[COLUMNS];
    for (uint32_t from = 0; from < ROWS; from += BLOCK_ROWS) {
        ColumnBlock blocks[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            column_builder_init(&builders[c], SEGMENT_COLUMNS[c].type);
        }
        fill_block(builders, from, MIN_OF(from + BLOCK_ROWS, (uint32_t)ROWS), fixture, &random);
        for (int c = 0; c < COLUMNS; c++) {
            blocks[c] = column_builder_block(&builders[c]);
        }
        assert_int_equal(segment_writer_block(writer, blocks, &err), ERR_OK);
        for (int c = 0; c < COLUMNS; c++) {
            column_builder_deinit(&builders[c]);
        }
    }
    SegmentSummary summary;
    assert_int_equal(segment_writer_finish(writer, &summary, &err), ERR_OK);
    assert_int_equal(summary.row_count, ROWS);
    assert_int_equal(summary.max_sort, time_of(ROWS - 1));
    encode_scratch_destroy(scratch);
}

static int setup(void **state) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/basalt-segment-XXXXXX");
    Error err;
    if (mkdtemp(fixture->folder) == NULL || os_linux_open(fixture->folder, true, &fixture->os, &err) != ERR_OK) {
        return -1;
    }
    fixture->cache = block_cache_create(fixture->os.sched, 1 << 20);
    write_segment(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    Fixture *fixture = *state;
    block_cache_destroy(fixture->cache);
    assert_int_equal(io_unlink(fixture->os.io, "t.seg", NULL), ERR_OK);
    os_linux_close(&fixture->os);
    remove(fixture->folder);
    free(fixture);
    return 0;
}

static void rows_come_back_in_blocks(void **state) {
    Fixture *fixture = *state;
    Error err;
    Segment *segment;
    assert_int_equal(segment_open(fixture->os.io, "t.seg", NULL, &segment, &err), ERR_OK);
    assert_int_equal(segment_row_count(segment), ROWS);
    assert_int_equal(segment_block_count(segment), 2);
    assert_int_equal(segment_column_index(segment, 5), 2);
    assert_int_equal(segment_column_index(segment, 3), -1);
    SegmentBuffer buffer = {0};
    DecodeBuffer *decode = decode_buffer_create();
    uint32_t row = 0;
    for (uint32_t b = 0; b < 2; b++) {
        BlockDecoder decoder;
        assert_int_equal(segment_read_block(segment, b, 2, &buffer, &decoder, &err), ERR_OK);
        for (uint32_t g = 0; g < decoder.granule_count; g++) {
            GranuleData granule;
            assert_int_equal(codec_decode_granule(&decoder, g, decode, &granule, &err), ERR_OK);
            for (uint32_t i = 0; i < granule.row_count; i++, row++) {
                char want[32];
                Vector vector;
                snprintf(want, sizeof want, "row number %u", row);
                granule_window(&granule, decoder.type, i / BATCH_ROWS, &vector);
                assert_true(str_equal(vector_text(&vector, i % BATCH_ROWS), str_from_c(want)));
            }
        }
    }
    assert_int_equal(row, ROWS);
    decode_buffer_destroy(decode);
    segment_buffer_deinit(&buffer);
    segment_close(segment);
}

static void symbols_know_their_last_row(void **state) {
    Fixture *fixture = *state;
    Error err;
    Segment *segment;
    assert_int_equal(segment_open(fixture->os.io, "t.seg", NULL, &segment, &err), ERR_OK);
    bool found;
    SegmentSymbols symbols;
    assert_int_equal(segment_symbols(segment, 1, fixture->cache, &found, &symbols, &err), ERR_OK);
    assert_true(found);
    assert_int_equal(symbols.count, 40);
    for (uint32_t code = 0; code < 40; code++) {
        uint32_t last = 0;
        assert_true(segment_symbols_find(&symbols, code, &last));
        assert_int_equal(last, fixture->last[code]);
    }
    uint32_t last;
    assert_false(segment_symbols_find(&symbols, 40, &last));
    block_cache_release(fixture->cache, &symbols.pin);
    block_cache_forget(fixture->cache, 9);
    segment_close(segment);
}

static void check_accepts_the_file_and_names_damage(void **state) {
    Fixture *fixture = *state;
    Error err;
    assert_int_equal(segment_check(fixture->os.io, "t.seg", NULL, &err), ERR_OK);
    File *file;
    assert_int_equal(io_open(fixture->os.io, "t.seg", IO_READ_WRITE, &file, &err), ERR_OK);
    for (uint64_t offset = 4096; offset < 600000; offset += 59999) {
        uint8_t byte;
        size_t got;
        assert_int_equal(io_pread(fixture->os.io, file, &byte, 1, offset, &got, &err), ERR_OK);
        byte ^= 0x10;
        IoVec vec = {&byte, 1};
        assert_int_equal(io_pwritev(fixture->os.io, file, &vec, 1, offset, &err), ERR_OK);
        assert_int_equal(segment_check(fixture->os.io, "t.seg", NULL, &err), ERR_DAMAGED);
        assert_non_null(strstr(err.message, "t.seg"));
        byte ^= 0x10;
        assert_int_equal(io_pwritev(fixture->os.io, file, &vec, 1, offset, &err), ERR_OK);
    }
    io_close(fixture->os.io, file);
}

/* Three rows of (ts timestamp, sym symbol), as docs/format/segment.md shows them. FORMAT_EXAMPLES=1 prints the page's lines anew. */
static void write_example(Io *io) {
    static const SegmentColumn columns[2] = {{1, {.id = TYPE_TIMESTAMP}}, {2, {.id = TYPE_SYMBOL}}};
    int64_t times[64] = {1000, 1001, 1003};
    int32_t codes[64] = {1, 0, 1};
    ColumnBlock blocks[2] = {{columns[0].type, 3, times, NULL}, {columns[1].type, 3, codes, NULL}};
    Error err;
    EncodeScratch *scratch = encode_scratch_create();
    SegmentOptions options = {.path = "example.seg", .file_id = 9, .table_id = 4, .columns = columns, .column_count = 2,
                              .codec = {.fast = true}, .scratch = scratch};
    SegmentWriter *writer;
    SegmentSummary summary;
    assert_int_equal(segment_writer_open(io, &options, &writer, &err), ERR_OK);
    assert_int_equal(segment_writer_block(writer, blocks, &err), ERR_OK);
    assert_int_equal(segment_writer_finish(writer, &summary, &err), ERR_OK);
    encode_scratch_destroy(scratch);
}

static void print_example(const uint8_t *bytes, size_t len) {
    static const uint8_t zero[32];
    for (size_t at = 0; at < len; at += 32) {
        size_t part = len - at < 32 ? len - at : 32;
        bool last = at + part == len;
        if (memcmp(bytes + at, zero, part) == 0 && !last) {
            continue;
        }
        printf("%04zx", at);
        for (size_t i = 0; i < part; i++) {
            printf("%s%02x", i % 4 == 0 ? " " : "", bytes[at + i]);
        }
        printf("\n");
    }
}

static void example_of_the_page(void **state) {
    (void)state;
    static uint8_t shown[16384];
    MemIo *mem = mem_io_create();
    Io *io = mem_io_io(mem);
    write_example(io);
    size_t len = 0, shown_len = 0;
    const uint8_t *written = mem_io_file(mem, "example.seg", &len);
    if (getenv("FORMAT_EXAMPLES") != NULL) {
        print_example(written, len);
        return;
    }
    assert_true(hex_page_load("docs/format/segment.md", shown, sizeof shown, &shown_len));
    assert_int_equal(shown_len, len);
    assert_memory_equal(shown, written, len);
    mem_io_put_file(mem, "page.seg", shown, shown_len);
    Error err;
    Segment *segment;
    assert_int_equal(segment_check(io, "page.seg", NULL, &err), ERR_OK);
    assert_int_equal(segment_open(io, "page.seg", NULL, &segment, &err), ERR_OK);
    assert_int_equal(segment_row_count(segment), 3);
    assert_int_equal(segment_column_index(segment, 2), 1);
    SegmentBuffer buffer = {0};
    DecodeBuffer *decode = decode_buffer_create();
    BlockDecoder decoder;
    GranuleData granule;
    assert_int_equal(segment_read_block(segment, 0, 0, &buffer, &decoder, &err), ERR_OK);
    assert_int_equal(codec_decode_granule(&decoder, 0, decode, &granule, &err), ERR_OK);
    assert_memory_equal(granule.data, ((int64_t[]){1000, 1001, 1003}), 24);
    decode_buffer_destroy(decode);
    segment_buffer_deinit(&buffer);
    segment_close(segment);
    mem_io_destroy(mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_back_in_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(symbols_know_their_last_row, setup, teardown),
        cmocka_unit_test_setup_teardown(check_accepts_the_file_and_names_damage, setup, teardown),
        cmocka_unit_test(example_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

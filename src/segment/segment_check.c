/* SPDX-License-Identifier: Apache-2.0
 * segment_check.c - every block of a segment read, decoded and compared with its statistics; the text form for people. */
#include "segment/segment_internal.h"

typedef struct Checker {
    Segment *segment;
    SegmentBuffer buffer;
    DecodeBuffer *decode;
    ColumnBuilder rows;        /* a row block again, for the statistics */
} Checker;

static ErrorCode gather_block(Checker *checker, BlockDecoder *decoder, Error *err) {
    column_builder_clear(&checker->rows);
    for (uint32_t g = 0; g < decoder->granule_count || g == 0; g++) {
        GranuleData granule;
        TRY(codec_decode_granule(decoder, g, checker->decode, &granule, err));
        uint32_t rows = decoder->granule_count == 0 ? decoder->row_count : granule.row_count; /* constant: one granule stands for all */
        granule.row_count = rows;
        for (uint32_t from = 0; from < rows; from += BATCH_ROWS) {
            Vector vector;
            granule_window(&granule, decoder->type, from / BATCH_ROWS, &vector);
            column_builder_batch(&checker->rows, &vector, NULL, vector.row_count);
        }
    }
    return ERR_OK;
}

static ErrorCode check_block(Checker *checker, uint32_t block, uint16_t column, Error *err) {
    BlockDecoder decoder;
    TRY(segment_read_block(checker->segment, block, column, &checker->buffer, &decoder, err));
    column_builder_init(&checker->rows, decoder.type);
    ErrorCode code = gather_block(checker, &decoder, err);
    if (code == ERR_OK) {
        ColumnBlock rows = column_builder_block(&checker->rows);
        SegmentBlockStats want, have = {0};
        uint8_t want_bytes[SEGMENT_STATS_BYTES], have_bytes[SEGMENT_STATS_BYTES];
        codec_summarise(&rows, &have.values);
        segment_block_stats(checker->segment, block, column, &want);
        have.first_sort = want.first_sort;
        have.last_sort = want.last_sort;
        segment__put_stats(want_bytes, &want);
        segment__put_stats(have_bytes, &have);
        if (memcmp(want_bytes, have_bytes, sizeof want_bytes) != 0) {
            code = error_set(err, ERR_DAMAGED, 0, "%s: statistics of block %u, column %u do not match its rows", segment_path(checker->segment), block,
                             segment_column(checker->segment, column).id);
        }
    }
    column_builder_deinit(&checker->rows);
    return code;
}

static ErrorCode check_all(Checker *checker, Error *err) {
    for (uint32_t b = 0; b < segment_block_count(checker->segment); b++) {
        for (uint16_t c = 0; c < segment_column_count(checker->segment); c++) {
            TRY(check_block(checker, b, c, err));
        }
    }
    return ERR_OK;
}

ErrorCode segment_check(Io *io, const char *path, const BlockFileExpect *expect, Error *err) {
    Checker checker = {0};
    TRY(segment_open(io, path, expect, &checker.segment, err));
    checker.decode = decode_buffer_create();
    ErrorCode code = blockfile_check(io, path, NULL, NULL, err);
    code = code == ERR_OK ? check_all(&checker, err) : code;
    decode_buffer_destroy(checker.decode);
    segment_buffer_deinit(&checker.buffer);
    segment_close(checker.segment);
    return code;
}

static ErrorCode dump_blocks(const Segment *segment, Buffer *out, Error *err) {
    SegmentBuffer buffer = {0};
    ErrorCode code = ERR_OK;
    for (uint32_t b = 0; b < segment->block_count && code == ERR_OK; b++) {
        buffer_printf(out, "block %u: %u rows from row %llu\n", b, segment_block_rows(segment, b), (unsigned long long)segment->first_rows[b]);
        for (uint16_t c = 0; c < segment->column_count && code == ERR_OK; c++) {
            BlockDecoder decoder;
            code = segment_read_block(segment, b, c, &buffer, &decoder, err);
            if (code == ERR_OK) {
                buffer_printf(out, "  column %u: ", segment->columns[c].id);
                codec_describe(&decoder, segment_block_bytes(segment, b, c), out);
                buffer_append_char(out, '\n');
            }
        }
    }
    segment_buffer_deinit(&buffer);
    return code;
}

ErrorCode segment_dump(Io *io, const char *path, Buffer *out, Error *err) {
    Segment *segment;
    TRY(segment_open(io, path, NULL, &segment, err));
    buffer_printf(out, "segment %llu of table %u: %llu rows, %u blocks, %u columns, %llu bytes\n", (unsigned long long)segment_file_id(segment),
                  segment->table_id, (unsigned long long)segment_row_count(segment), segment->block_count, segment->column_count,
                  (unsigned long long)segment_bytes(segment));
    for (uint16_t c = 0; c < segment->column_count; c++) {
        char name[64];
        size_t len = type_format_sql(name, sizeof name, segment->columns[c].type);
        buffer_printf(out, "column %u: %.*s%s\n", segment->columns[c].id, (int)len, name, c == segment->sort_column ? ", sorted" : "");
    }
    ErrorCode code = dump_blocks(segment, out, err);
    segment_close(segment);
    return code == ERR_OK ? buffer_check(out, err) : code;
}

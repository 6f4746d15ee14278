/* SPDX-License-Identifier: Apache-2.0
 * segment_format.c - section and block statistics <-> bytes.
 *
 * Layout: statistics = u32 rows | u32 nulls | u8 flags (1 min/max, 2 sum, 4 NaN) | 7 zero | min 8 | max 8 | i128 integer sum |
 *         f64 sum high | f64 sum low | i64 first sort | i64 last sort | 8 zero.
 *         section = u32 version | u32 table | u16 columns | i16 sort column | u32 blocks | (u32 id, 8 type) per column | u32 rows per block. */
#include "segment/segment_internal.h"

enum { STATS_MIN_MAX = 1, STATS_SUM = 2, STATS_NAN = 4 };

void segment__put_stats(uint8_t out[SEGMENT_STATS_BYTES], const SegmentBlockStats *stats) {
    const BlockStats *values = &stats->values;
    memset(out, 0, SEGMENT_STATS_BYTES);
    put_u32le(out, values->row_count);
    put_u32le(out + 4, values->null_count);
    out[8] = (uint8_t)((values->has_min_max ? STATS_MIN_MAX : 0) | (values->has_sum ? STATS_SUM : 0) | (values->has_nan ? STATS_NAN : 0));
    memcpy(out + 16, &values->min, 8);
    memcpy(out + 24, &values->max, 8);
    memcpy(out + 32, &values->sum_int, 16);
    memcpy(out + 48, &values->sum_high, 8);
    memcpy(out + 56, &values->sum_low, 8);
    put_u64le(out + 64, (uint64_t)stats->first_sort);
    put_u64le(out + 72, (uint64_t)stats->last_sort);
}

void segment__get_stats(const uint8_t *in, SegmentBlockStats *stats_out) {
    *stats_out = (SegmentBlockStats){0};
    BlockStats *values = &stats_out->values;
    values->row_count = get_u32le(in);
    values->null_count = get_u32le(in + 4);
    values->has_min_max = (in[8] & STATS_MIN_MAX) != 0;
    values->has_sum = (in[8] & STATS_SUM) != 0;
    values->has_nan = (in[8] & STATS_NAN) != 0;
    memcpy(&values->min, in + 16, 8);
    memcpy(&values->max, in + 24, 8);
    memcpy(&values->sum_int, in + 32, 16);
    memcpy(&values->sum_high, in + 48, 8);
    memcpy(&values->sum_low, in + 56, 8);
    stats_out->first_sort = (int64_t)get_u64le(in + 64);
    stats_out->last_sort = (int64_t)get_u64le(in + 72);
}

void segment__put_section(Buffer *out, const SegmentOptions *options, const uint32_t *block_rows, uint32_t block_count) {
    buffer_put_u32le(out, SEGMENT_SECTION_VERSION);
    buffer_put_u32le(out, options->table_id);
    buffer_put_u16le(out, options->column_count);
    buffer_put_u16le(out, (uint16_t)options->sort_column);
    buffer_put_u32le(out, block_count);
    for (uint16_t c = 0; c < options->column_count; c++) {
        buffer_put_u32le(out, options->columns[c].id);
        buffer_append(out, &options->columns[c].type, sizeof(Type));
    }
    for (uint32_t b = 0; b < block_count; b++) {
        buffer_put_u32le(out, block_rows[b]);
    }
}

static ErrorCode damaged(const Segment *segment, Error *err, const char *what) {
    return error_set(err, ERR_DAMAGED, 0, "%s: segment section is damaged: %s", blockfile_path(segment->file), what);
}

static ErrorCode get_columns(Segment *segment, Reader *reader, Error *err) {
    segment->columns = mem_calloc(segment->column_count, sizeof(SegmentColumn));
    for (uint16_t c = 0; c < segment->column_count; c++) {
        segment->columns[c].id = reader_u32le(reader);
        Bytes type = reader_bytes(reader, sizeof(Type));
        if (reader->failed) {
            return damaged(segment, err, "columns");
        }
        memcpy(&segment->columns[c].type, type.data, sizeof(Type));
        if (segment->columns[c].type.id >= TYPE_COUNT || segment->columns[c].type.id == TYPE_UNKNOWN) {
            return damaged(segment, err, "unknown type");
        }
    }
    return ERR_OK;
}

static ErrorCode get_block_rows(Segment *segment, Reader *reader, Error *err) {
    segment->first_rows = mem_calloc((size_t)segment->block_count + 1, sizeof(uint64_t));
    for (uint32_t b = 0; b < segment->block_count; b++) {
        uint32_t rows = reader_u32le(reader);
        if (rows == 0 || rows > BLOCK_ROWS) {
            return damaged(segment, err, "rows of a block");
        }
        segment->first_rows[b + 1] = segment->first_rows[b] + rows;
    }
    return reader->failed ? damaged(segment, err, "too short") : ERR_OK;
}

ErrorCode segment__get_section(Segment *segment, Error *err) {
    Reader reader = reader_from(blockfile_section(segment->file));
    if (reader_u32le(&reader) != SEGMENT_SECTION_VERSION) {
        return error_set(err, ERR_NEWER_FORMAT, 0, "%s: unknown segment section version", blockfile_path(segment->file));
    }
    segment->table_id = reader_u32le(&reader);
    segment->column_count = reader_u16le(&reader);
    segment->sort_column = (int16_t)reader_u16le(&reader);
    segment->block_count = reader_u32le(&reader);
    bool sane = segment->sort_column >= -1 && segment->sort_column < (int)segment->column_count && segment->block_count <= SEGMENT_BLOCKS_MAX;
    uint64_t column_blocks = (uint64_t)segment->block_count * segment->column_count;
    if (reader.failed || !sane || column_blocks > blockfile_block_count(segment->file)) {
        return damaged(segment, err, "counts");
    }
    TRY(get_columns(segment, &reader, err));
    return get_block_rows(segment, &reader, err);
}

/* SPDX-License-Identifier: Apache-2.0
 * segment_reader.c - an open segment: columns, row blocks, ranges, statistics, encoded blocks.
 *
 * Invariants: column blocks lie row block by row block, columns in order, from block 0 of the file; checked at open, so that a block's
 *             place is arithmetic. */
#include "segment/segment_internal.h"

static ErrorCode check_directory(Segment *segment, Error *err) {
    segment->ranges = segment->sort_column < 0 ? NULL : mem_calloc((size_t)segment->block_count * 2, sizeof(int64_t));
    for (uint32_t b = 0; b < segment->block_count; b++) {
        for (uint16_t c = 0; c < segment->column_count; c++) {
            BlockEntry entry = blockfile_entry(segment->file, b * segment->column_count + c);
            bool sane = entry.kind == SEGMENT_BLOCK_COLUMN && entry.key == segment__key(segment->columns[c].id, b) && entry.extra.len == SEGMENT_STATS_BYTES &&
                        get_u32le(entry.extra.data) == segment_block_rows(segment, b);
            if (!sane) {
                return error_set(err, ERR_DAMAGED, (int64_t)entry.offset, "%s: directory does not match the segment's section", segment_path(segment));
            }
            if (c == segment->sort_column) {
                segment->ranges[(size_t)b * 2] = (int64_t)get_u64le(entry.extra.data + 64);
                segment->ranges[(size_t)b * 2 + 1] = (int64_t)get_u64le(entry.extra.data + 72);
            }
        }
    }
    return ERR_OK;
}

static void find_symbols(Segment *segment) {
    segment->symbol_blocks = mem_calloc(segment->column_count, sizeof(int32_t));
    for (uint16_t c = 0; c < segment->column_count; c++) {
        segment->symbol_blocks[c] = -1;
    }
    for (uint32_t i = segment->block_count * segment->column_count; i < blockfile_block_count(segment->file); i++) {
        BlockEntry entry = blockfile_entry(segment->file, i);
        int column = entry.kind == SEGMENT_BLOCK_SYMBOLS ? segment_column_index(segment, (uint32_t)(entry.key >> 32)) : -1;
        if (column >= 0) {
            segment->symbol_blocks[column] = (int32_t)i;
        }
    }
}

ErrorCode segment_open(Io *io, const char *path, const BlockFileExpect *expect, Segment **segment_out, Error *err) {
    Segment *segment = mem_calloc(1, sizeof *segment);
    ErrorCode code;
    BlockFileExpect want = expect == NULL ? (BlockFileExpect){0} : *expect;
    want.kind = BLOCKFILE_SEGMENT;
    TRY_OR(failed, blockfile_open(io, path, &want, &segment->file, err));
    TRY_OR(failed, segment__get_section(segment, err));
    TRY_OR(failed, check_directory(segment, err));
    find_symbols(segment);
    *segment_out = segment;
    return ERR_OK;
failed:
    segment_close(segment);
    return code;
}

void segment_close(Segment *segment) {
    if (segment == NULL) {
        return;
    }
    blockfile_close(segment->file);
    mem_free(segment->columns);
    mem_free(segment->first_rows);
    mem_free(segment->ranges);
    mem_free(segment->symbol_blocks);
    mem_free(segment);
}

const char *segment_path(const Segment *segment) { return blockfile_path(segment->file); }
uint64_t segment_file_id(const Segment *segment) { return blockfile_header(segment->file)->file_id; }
uint64_t segment_bytes(const Segment *segment) { return blockfile_bytes(segment->file); }
uint64_t segment_row_count(const Segment *segment) { return segment->first_rows[segment->block_count]; }
uint32_t segment_block_count(const Segment *segment) { return segment->block_count; }
uint16_t segment_column_count(const Segment *segment) { return segment->column_count; }
int segment_sort_column(const Segment *segment) { return segment->sort_column; }

uint32_t segment_block_rows(const Segment *segment, uint32_t block) {
    assert(block < segment->block_count);
    return (uint32_t)(segment->first_rows[block + 1] - segment->first_rows[block]);
}

uint64_t segment_block_first_row(const Segment *segment, uint32_t block) {
    assert(block <= segment->block_count);
    return segment->first_rows[block];
}

SegmentColumn segment_column(const Segment *segment, uint16_t index) {
    assert(index < segment->column_count);
    return segment->columns[index];
}

int segment_column_index(const Segment *segment, uint32_t column_id) {
    for (uint16_t c = 0; c < segment->column_count; c++) {
        if (segment->columns[c].id == column_id) {
            return c;
        }
    }
    return -1;
}

bool segment_block_range(const Segment *segment, uint32_t block, int64_t *first_out, int64_t *last_out) {
    assert(block < segment->block_count);
    if (segment->ranges == NULL) {
        return false;
    }
    *first_out = segment->ranges[(size_t)block * 2];
    *last_out = segment->ranges[(size_t)block * 2 + 1];
    return true;
}

static uint32_t file_block(const Segment *segment, uint32_t block, uint16_t column) {
    assert(block < segment->block_count);
    assert(column < segment->column_count);
    return block * segment->column_count + column;
}

void segment_block_stats(const Segment *segment, uint32_t block, uint16_t column, SegmentBlockStats *stats_out) {
    segment__get_stats(blockfile_entry(segment->file, file_block(segment, block, column)).extra.data, stats_out);
}

uint32_t segment_block_bytes(const Segment *segment, uint32_t block, uint16_t column) {
    return blockfile_entry(segment->file, file_block(segment, block, column)).bytes;
}

void segment_buffer_deinit(SegmentBuffer *buffer) {
    mem_free(buffer->data);
    *buffer = (SegmentBuffer){0};
}

static ErrorCode open_decoder(const Segment *segment, uint32_t block, uint16_t column, Bytes bytes, BlockDecoder *decoder_out, Error *err) {
    TRY(codec_decoder_open(bytes, segment->columns[column].type, decoder_out, err));
    if (decoder_out->row_count != segment_block_rows(segment, block)) {
        BlockEntry entry = blockfile_entry(segment->file, file_block(segment, block, column));
        return error_set(err, ERR_DAMAGED, (int64_t)entry.offset, "%s: block %u of column %u has %u rows, not %u", segment_path(segment), block,
                         segment->columns[column].id, decoder_out->row_count, segment_block_rows(segment, block));
    }
    return ERR_OK;
}

ErrorCode segment_read_block(const Segment *segment, uint32_t block, uint16_t column, SegmentBuffer *buffer, BlockDecoder *decoder_out, Error *err) {
    uint32_t index = file_block(segment, block, column);
    BlockEntry entry = blockfile_entry(segment->file, index);
    if (buffer->capacity < entry.bytes) {
        mem_free(buffer->data);
        buffer->capacity = ((size_t)entry.bytes + entry.bytes / 4 + 4095) & ~(size_t)4095;
        buffer->data = mem_alloc_aligned(buffer->capacity);
    }
    TRY(blockfile_read(segment->file, index, buffer->data, buffer->capacity, err));
    return open_decoder(segment, block, column, bytes_from(buffer->data, entry.bytes), decoder_out, err);
}

ErrorCode segment_read_block_cached(const Segment *segment, uint32_t block, uint16_t column, BlockCache *cache, BlockPin *pin_out,
                                    BlockDecoder *decoder_out, Error *err) {
    TRY(block_cache_read(cache, segment->file, file_block(segment, block, column), pin_out, err));
    ErrorCode code = open_decoder(segment, block, column, pin_out->data, decoder_out, err);
    if (code != ERR_OK) {
        block_cache_release(cache, pin_out);
    }
    return code;
}

typedef struct GranuleMaker { const BlockDecoder *decoder; uint32_t granule; } GranuleMaker;

static ErrorCode make_granule(void *context, void *memory, uint32_t bytes, Error *err) {
    const GranuleMaker *maker = context;
    return codec_granule_unpack(maker->decoder, maker->granule, memory, bytes, err);
}

ErrorCode segment_row_cached(const Segment *segment, uint32_t block, uint16_t column, BlockCache *cache, const BlockDecoder *decoder, uint32_t row,
                             UnpackedGranule *unpacked, RowValue *row_out, bool *found_out, Error *err) {
    GranuleMaker maker = {decoder, row / GRANULE_ROWS};
    if (unpacked->pin.slot == NULL || unpacked->granule != maker.granule) {
        size_t bytes = 0;
        block_cache_release(cache, &unpacked->pin);
        TRY(codec_granule_packed(decoder, maker.granule, &bytes, err));
        if (bytes > 0) {
            BlockPart part = {.part = maker.granule, .bytes = (uint32_t)bytes, .make = make_granule, .context = &maker};
            TRY(block_cache_part(cache, segment->file, file_block(segment, block, column), &part, &unpacked->pin, err));
            unpacked->granule = maker.granule;
        }
    }
    *found_out = codec_row(decoder, maker.granule, row % GRANULE_ROWS, unpacked->pin.data, row_out);
    return ERR_OK;
}

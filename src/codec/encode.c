/* SPDX-License-Identifier: Apache-2.0
 * encode.c - a column block to bytes: frame header, block header, granules, outer codec.
 *
 * Layout: u8 encoding | u8 outer | u8 nulls | u8 parameter | u32 rows | u32 header bytes | u32 granules | u32 end per granule |
 *         header | padding to 64 | granules, each from a multiple of 8 (docs/format/codec.md)
 * Invariants: raw blocks without outer codec and nulls hold their values side by side, from a multiple of 64. */
#include "codec/choose.h"
#include <lz4.h>
#include <zstd.h>

EncodeScratch *encode_scratch_create(void) {
    EncodeScratch *scratch = mem_alloc(sizeof *scratch);
    buffer_init(&scratch->granule, SIZE_MAX);
    buffer_init(&scratch->squeezed, SIZE_MAX);
    return scratch;
}

void encode_scratch_destroy(EncodeScratch *scratch) {
    if (scratch == NULL) {
        return;
    }
    buffer_deinit(&scratch->granule);
    buffer_deinit(&scratch->squeezed);
    mem_free(scratch);
}

static void write_validity(const ColumnBlock *block, uint32_t from, uint32_t count, Buffer *out) {
    assert(from % 64 == 0);
    uint64_t words[GRANULE_ROWS / 64] = {0};
    size_t used = words_for(count);
    memcpy(words, block->valid + from / 64, used * 8);
    words[used - 1] &= tail_mask(count);
    buffer_append(out, words, sizeof words);
}

static void write_values(const ColumnBlock *block, const BlockPlan *plan, uint32_t from, uint32_t count, bool fast, EncodeScratch *scratch,
                         Buffer *out) {
    switch (plan->encoding) {
    case ENCODING_RAW: codec__write_raw(block, from, count, out); break;
    case ENCODING_FRAME: codec__write_frame(block, from, count, !fast, scratch, out); break;
    case ENCODING_DELTA: codec__write_delta(block, from, count, scratch, out); break;
    case ENCODING_RUNS: codec__write_runs(block, from, count, scratch, out); break;
    case ENCODING_SCALED: codec__write_scaled(block, from, count, plan->parameter, !fast, scratch, out); break;
    case ENCODING_TEXT: codec__write_text(block, from, count, scratch, out); break;
    case ENCODING_DICTIONARY: codec__write_codes(from, count, plan->dictionary_count, scratch, out); break;
    default: assert(false);
    }
}

static void write_constant(const ColumnBlock *block, const BlockPlan *plan, Buffer *out) {
    Physical physical = type_physical((TypeId)block->type.id);
    if (plan->nulls == NULLS_ALL) {
        return;
    }
    if (physical == PHYS_STR) {
        buffer_append_str(out, strref_str(block->data));
    } else if (physical == PHYS_BIT) {
        buffer_put_u8(out, bit_get(block->data, 0));
    } else if (block->type.id == TYPE_NUMERIC && ((const NumericSlot *)block->data)->is_big) {
        const NumericSlot *slot = block->data;
        buffer_append(out, slot, sizeof *slot);
        buffer_append(out, slot->as.big, sizeof(Int128));
    } else {
        buffer_append(out, block->data, physical_bytes(physical));
    }
}

/* The outer codec of the block: the first granule decides for AUTO (text and wide raw values only). */
static uint8_t outer_for(const ColumnBlock *block, const BlockPlan *plan, const CodecOptions *options) {
    if (plan->encoding == ENCODING_CONSTANT || options->outer == OUTER_NONE) {
        return OUTER_NONE;
    }
    if (options->outer != OUTER_AUTO) {
        return options->outer;
    }
    bool worth = plan->encoding == ENCODING_TEXT || plan->encoding == ENCODING_RAW;
    return worth && block->row_count >= 256 ? OUTER_ZSTD : OUTER_NONE;
}

static size_t squeeze(const Buffer *raw, uint8_t outer, int level, Buffer *out) {
    if (outer == OUTER_LZ4) {
        size_t bound = (size_t)LZ4_compressBound((int)raw->len);
        uint8_t *room = buffer_reserve(out, bound);
        return (size_t)LZ4_compress_default((const char *)raw->data, (char *)room, (int)raw->len, (int)bound);
    }
    size_t bound = ZSTD_compressBound(raw->len);
    uint8_t *room = buffer_reserve(out, bound);
    size_t bytes = ZSTD_compress(room, bound, raw->data, raw->len, level);
    return ZSTD_isError(bytes) ? 0 : bytes;
}

/* A granule under an outer codec: u32 raw bytes | u32 stored bytes | bytes; stored == raw: not compressed. */
static void write_squeezed(const Buffer *raw, uint8_t outer, int level, EncodeScratch *scratch, Buffer *out) {
    buffer_clear(&scratch->squeezed);
    size_t bytes = raw->len <= INT32_MAX ? squeeze(raw, outer, level, &scratch->squeezed) : 0;
    bool smaller = bytes != 0 && bytes < raw->len - raw->len / 16;
    buffer_put_u32le(out, (uint32_t)raw->len);
    buffer_put_u32le(out, (uint32_t)(smaller ? bytes : raw->len));
    buffer_append(out, smaller ? scratch->squeezed.data : raw->data, smaller ? bytes : raw->len);
}

static void write_granule(const ColumnBlock *block, const BlockPlan *plan, uint32_t granule, uint8_t outer, const CodecOptions *options,
                          EncodeScratch *scratch, Buffer *out) {
    uint32_t from = granule * GRANULE_ROWS, count = granule_rows_of(block->row_count, granule);
    Buffer *target = outer == OUTER_NONE ? out : &scratch->granule;
    buffer_clear(&scratch->granule);
    if (plan->nulls == NULLS_BITMAP) {
        write_validity(block, from, count, target);
    }
    write_values(block, plan, from, count, options->fast, scratch, target);
    if (outer != OUTER_NONE) {
        write_squeezed(target, outer, options->level == 0 ? 3 : options->level, scratch, out);
    }
    buffer_align(out, 8);
}

static void write_frame_header(const BlockPlan *plan, uint8_t outer, uint32_t rows, uint32_t granules, Buffer *out) {
    buffer_put_u8(out, plan->encoding);
    buffer_put_u8(out, outer);
    buffer_put_u8(out, plan->nulls);
    buffer_put_u8(out, plan->parameter);
    buffer_put_u32le(out, rows);
    buffer_put_u32le(out, 0); /* header bytes, set below */
    buffer_put_u32le(out, granules);
    buffer_append_fill(out, 0, granules * 4); /* ends, set as granules are written */
}

ErrorCode codec_encode(const ColumnBlock *given, const CodecOptions *options, EncodeScratch *scratch, Buffer *out, Error *err) {
    assert(given->row_count > 0);
    assert(given->row_count <= BLOCK_ROWS);
    ColumnBlock block = *given;
    BlockPlan plan = codec__choose(&block, options, scratch);
    uint8_t outer = outer_for(&block, &plan, options);
    uint32_t granules = plan.encoding == ENCODING_CONSTANT ? 0 : (block.row_count + GRANULE_ROWS - 1) / GRANULE_ROWS;
    size_t start = out->len;
    assert(start % 8 == 0);
    write_frame_header(&plan, outer, block.row_count, granules, out);
    size_t header_start = out->len;
    if (plan.encoding == ENCODING_CONSTANT) {
        write_constant(&block, &plan, out);
    } else if (plan.encoding == ENCODING_DICTIONARY) {
        codec__write_dictionary(&block, plan.dictionary_count, scratch, out);
    }
    size_t header_bytes = out->len - header_start;
    size_t over = (out->len - start) % CODEC_ALIGN;
    buffer_append_fill(out, 0, over == 0 ? 0 : CODEC_ALIGN - over);
    size_t payload = out->len;
    for (uint32_t g = 0; g < granules && !out->failed; g++) {
        write_granule(&block, &plan, g, outer, options, scratch, out);
        if (!out->failed) {
            put_u32le(out->data + start + CODEC_HEADER_BYTES + g * 4, (uint32_t)(out->len - payload));
        }
    }
    TRY(buffer_check(out, err));
    put_u32le(out->data + start + 8, (uint32_t)header_bytes);
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * decode.c - bytes of a block to granules; checks every offset before it is used.
 *
 * Threads: a BlockDecoder and a DecodeBuffer belong to one thread. */
#include "codec/codec_internal.h"
#include <lz4.h>
#include <zstd.h>

enum { GRANULE_BYTES_MAX = 1 << 30 };

DecodeBuffer *decode_buffer_create(void) { return mem_calloc(1, sizeof(DecodeBuffer)); }

void decode_buffer_destroy(DecodeBuffer *buffer) {
    if (buffer == NULL) {
        return;
    }
    mem_free(buffer->values);
    mem_free(buffer->wide);
    mem_free(buffer->index);
    mem_free(buffer->raw);
    mem_free(buffer->dictionary_bytes);
    mem_free(buffer->dictionary_values);
    mem_free(buffer);
}

static void buffer_prepare(DecodeBuffer *buffer) {
    if (buffer->values == NULL) {
        buffer->values = mem_alloc_aligned(GRANULE_ROWS * 16);
        buffer->wide = mem_alloc_aligned(GRANULE_ROWS * 8);
        buffer->index = mem_alloc_aligned(GRANULE_ROWS * 2);
        memset(buffer->values, 0, GRANULE_ROWS * 16); /* rows past the last are read by padded kernels */
        memset(buffer->index, 0, GRANULE_ROWS * 2);
    }
}

static bool frame_sane(const BlockDecoder *decoder, const uint8_t *data) {
    uint32_t granules = decoder->granule_count;
    uint32_t want = decoder->encoding == ENCODING_CONSTANT ? 0 : (decoder->row_count + GRANULE_ROWS - 1) / GRANULE_ROWS;
    bool slots = decoder->type.id == TYPE_NUMERIC; /* only these two check what would otherwise be taken for a pointer */
    if (slots && decoder->encoding != ENCODING_RAW && decoder->encoding != ENCODING_CONSTANT) {
        return false;
    }
    return decoder->encoding < ENCODING_COUNT && decoder->outer <= OUTER_ZSTD && decoder->nulls <= NULLS_BITMAP && decoder->row_count > 0 &&
           decoder->row_count <= BLOCK_ROWS && granules == want && (uintptr_t)data % 8 == 0;
}

ErrorCode codec_decoder_open(Bytes bytes, Type type, BlockDecoder *decoder_out, Error *err) {
    if (bytes.len < CODEC_HEADER_BYTES) {
        return codec__damaged(err, "shorter than its header");
    }
    const uint8_t *data = bytes.data;
    BlockDecoder decoder = {.type = type, .encoding = data[0], .outer = data[1], .nulls = data[2], .parameter = data[3]};
    decoder.row_count = get_u32le(data + 4);
    decoder.granule_count = get_u32le(data + 12);
    if (!frame_sane(&decoder, data)) {
        return codec__damaged(err, "impossible header");
    }
    size_t header_at = CODEC_HEADER_BYTES + (size_t)decoder.granule_count * 4;
    size_t header_bytes = get_u32le(data + 8);
    size_t payload_at = (header_at + header_bytes + CODEC_ALIGN - 1) / CODEC_ALIGN * CODEC_ALIGN;
    if (payload_at > bytes.len) {
        return codec__damaged(err, "header past the end");
    }
    decoder.header = (Bytes){data + header_at, header_bytes};
    decoder.ends = data + CODEC_HEADER_BYTES;
    decoder.payload = (Bytes){data + payload_at, bytes.len - payload_at};
    if (decoder.encoding == ENCODING_DICTIONARY) {
        if (header_bytes < 8) {
            return codec__damaged(err, "no dictionary");
        }
        decoder.dictionary_count = get_u32le(decoder.header.data);
    }
    *decoder_out = decoder;
    return ERR_OK;
}

static bool granule_bytes(const BlockDecoder *decoder, uint32_t granule, Bytes *out) {
    size_t from = granule == 0 ? 0 : get_u32le(decoder->ends + (size_t)(granule - 1) * 4);
    size_t to = get_u32le(decoder->ends + (size_t)granule * 4);
    if (from > to || to > decoder->payload.len || from % 8 != 0) {
        return false;
    }
    *out = (Bytes){decoder->payload.data + from, to - from};
    return true;
}

bool codec__granule_stored(const BlockDecoder *decoder, uint32_t granule, Bytes *out, bool *squeezed_out) {
    *squeezed_out = false;
    if (!granule_bytes(decoder, granule, out)) {
        return false;
    }
    if (decoder->outer == OUTER_NONE) {
        return true;
    }
    if (out->len < 8) {
        return false;
    }
    size_t raw = get_u32le(out->data), stored = get_u32le(out->data + 4);
    if (raw > GRANULE_BYTES_MAX || stored > out->len - 8) {
        return false;
    }
    *squeezed_out = stored != raw;
    *out = *squeezed_out ? *out : (Bytes){out->data + 8, raw};
    return true;
}

bool codec__unsqueeze(const BlockDecoder *decoder, Bytes in, void *memory, size_t bytes) {
    size_t stored = get_u32le(in.data + 4);
    assert(bytes == get_u32le(in.data));
    assert(stored <= in.len - 8);
    if (decoder->outer == OUTER_LZ4) {
        int got = LZ4_decompress_safe((const char *)in.data + 8, memory, (int)stored, (int)bytes);
        return got >= 0 && (size_t)got == bytes;
    }
    return ZSTD_decompress(memory, bytes, in.data + 8, stored) == bytes;
}

static bool unsqueeze(const BlockDecoder *decoder, Bytes in, DecodeBuffer *buffer, Bytes *out) {
    size_t raw = get_u32le(in.data);
    if (buffer->raw_bytes < raw + 64) {
        mem_free(buffer->raw);
        buffer->raw_bytes = raw + raw / 4 + 64;
        buffer->raw = mem_alloc_aligned(buffer->raw_bytes);
    }
    *out = (Bytes){buffer->raw, raw};
    return codec__unsqueeze(decoder, in, buffer->raw, raw);
}

static bool constant_granule(const BlockDecoder *decoder, DecodeBuffer *buffer, GranuleData *granule) {
    granule->form = VECTOR_CONSTANT;
    granule->data = buffer->constant;
    Physical physical = type_physical((TypeId)decoder->type.id);
    memset(buffer->constant, 0, sizeof buffer->constant);
    if (decoder->nulls == NULLS_ALL) {
        buffer->zero_word = 0;
        granule->valid = &buffer->zero_word;
        return true;
    }
    Bytes header = decoder->header;
    if (physical == PHYS_STR) {
        StrRef ref = strref_make((const char *)header.data, header.len);
        memcpy(buffer->constant, &ref, sizeof ref);
        return true;
    }
    size_t width = physical == PHYS_BIT ? 1 : physical_bytes(physical);
    if (header.len < width) {
        return false;
    }
    memcpy(buffer->constant, header.data, width);
    if (decoder->type.id == TYPE_NUMERIC) { /* one slot, checked and its wide part placed like a granule's */
        NumericSlot slot;
        memcpy(&slot, header.data, sizeof slot);
        if (!codec__numeric_slot_sane(&slot) || (slot.is_big && header.len < 32)) {
            return false;
        }
        if (slot.is_big) {
            memcpy(buffer->wide, header.data + 16, sizeof(Int128));
            slot.as.big = (const Int128 *)(const void *)buffer->wide;
        }
        memcpy(buffer->constant, &slot, sizeof slot);
    }
    return true;
}

static bool raw_granule(const BlockDecoder *decoder, Bytes in, uint32_t count, DecodeBuffer *buffer, GranuleData *granule) {
    Physical physical = type_physical((TypeId)decoder->type.id);
    size_t padded = (count + 63) / 64 * 64;
    size_t need = physical == PHYS_BIT ? padded / 8 : padded * physical_bytes(physical);
    if (physical == PHYS_STR || in.len < need) {
        return false;
    }
    if (decoder->type.id == TYPE_NUMERIC) {
        return codec__read_numeric(in, count, buffer);
    }
    if ((uintptr_t)in.data % 16 == 0) {
        granule->data = in.data; /* in place */
    } else {
        memcpy(buffer->values, in.data, need);
    }
    return true;
}

static bool decode_values(BlockDecoder *decoder, Bytes in, uint32_t count, DecodeBuffer *buffer, GranuleData *granule) {
    granule->form = VECTOR_FLAT;
    granule->data = buffer->values;
    switch (decoder->encoding) {
    case ENCODING_RAW: return raw_granule(decoder, in, count, buffer, granule);
    case ENCODING_FRAME: return codec__read_frame(in, decoder->type, count, decoder->parameter == FRAME_NARROWED, buffer);
    case ENCODING_DELTA: return codec__read_delta(in, decoder->type, count, buffer);
    case ENCODING_RUNS: return codec__read_runs(in, decoder->type, count, buffer);
    case ENCODING_SCALED: return decoder->type.id == TYPE_FLOAT8 && codec__read_scaled(in, count, decoder->parameter, buffer);
    case ENCODING_TEXT: return type_physical((TypeId)decoder->type.id) == PHYS_STR && codec__read_text(in, count, buffer);
    case ENCODING_DICTIONARY:
        granule->form = VECTOR_INDEXED;
        granule->index = buffer->index;
        return codec__load_dictionary(decoder, buffer) && codec__read_codes(in, count, decoder->dictionary_count, buffer);
    default: return false;
    }
}

ErrorCode codec_decode_granule(BlockDecoder *decoder, uint32_t granule, DecodeBuffer *buffer, GranuleData *granule_out, Error *err) {
    assert(granule * GRANULE_ROWS < decoder->row_count);
    uint32_t count = granule_rows_of(decoder->row_count, granule);
    *granule_out = (GranuleData){.row_count = count};
    buffer_prepare(buffer);
    if (decoder->encoding == ENCODING_CONSTANT) {
        return constant_granule(decoder, buffer, granule_out) ? ERR_OK : codec__damaged(err, "constant");
    }
    Bytes in;
    bool squeezed = false;
    if (!codec__granule_stored(decoder, granule, &in, &squeezed)) {
        return codec__damaged(err, "granule outside the block");
    }
    if (squeezed && !unsqueeze(decoder, in, buffer, &in)) {
        return codec__damaged(err, "granule cannot be decompressed");
    }
    if (decoder->nulls == NULLS_BITMAP) {
        if (in.len < VALID_BYTES) {
            return codec__damaged(err, "validity");
        }
        granule_out->valid = (const uint64_t *)(const void *)in.data;
        in = (Bytes){in.data + VALID_BYTES, in.len - VALID_BYTES};
    }
    if (!decode_values(decoder, in, count, buffer, granule_out)) {
        return codec__damaged(err, "granule values");
    }
    if (granule_out->form == VECTOR_INDEXED) {
        granule_out->base = (Vector){.type = decoder->type, .form = VECTOR_FLAT, .data = buffer->dictionary_values,
                                     .row_count = (uint16_t)decoder->dictionary_count};
    }
    return ERR_OK;
}

void granule_window(const GranuleData *granule, Type type, uint32_t window, Vector *vector_out) {
    uint32_t from = window * BATCH_ROWS;
    assert(from < granule->row_count);
    Vector vector = {.type = type, .form = granule->form, .row_count = (uint16_t)MIN_OF(granule->row_count - from, (uint32_t)BATCH_ROWS)};
    vector.data = granule->data;
    vector.valid = granule->valid;
    if (granule->form != VECTOR_CONSTANT) {
        vector.valid = granule->valid == NULL ? NULL : granule->valid + from / 64;
    }
    if (granule->form == VECTOR_FLAT) {
        Physical physical = type_physical((TypeId)type.id);
        vector.data = (const uint8_t *)granule->data + (physical == PHYS_BIT ? from / 8 : from * physical_bytes(physical));
    }
    if (granule->form == VECTOR_INDEXED) {
        vector.data = NULL;
        vector.index = granule->index + from;
        vector.base = (Vector *)(uintptr_t)&granule->base;
        vector.base_count = granule->base.row_count;
    }
    *vector_out = vector;
}

void codec_describe(const BlockDecoder *decoder, size_t encoded_bytes, Buffer *out) {
    static const char *const NAMES[ENCODING_COUNT] = {"raw", "constant", "runs", "dictionary", "frame", "delta", "scaled", "text"};
    static const char *const OUTERS[] = {"", "+lz4", "+zstd"};
    static const char *const NULL_KINDS[] = {"no nulls", "all null", "nulls"};
    buffer_printf(out, "%s%s, %u rows, %s, %zu bytes", NAMES[decoder->encoding], OUTERS[decoder->outer], decoder->row_count,
                  NULL_KINDS[decoder->nulls], encoded_bytes);
}

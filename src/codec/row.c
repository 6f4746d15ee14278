/* SPDX-License-Identifier: Apache-2.0
 * row.c - one row of a block out of its packed granule.
 *
 * Why:        a look-up by key wants one value a column; decoding its granule costs 2 to 100 us, this 0.05 to 1. Where values follow sums (steps,
 *             lengths of texts) the packed integers before the row are added up, without being stored.
 * Limits:     a compressed granule is unpacked by the caller, who keeps it (codec_granule_unpack); sums of integers above 32 bits are decoded.
 * Invariants: what it answers is what decoding answers.
 * Tests:      test/unit/codec/test_row.c */
#include "codec/codec_internal.h"
#include "codec/decode_kernels.h"

ErrorCode codec_granule_packed(const BlockDecoder *decoder, uint32_t granule, size_t *bytes_out, Error *err) {
    Bytes in;
    bool squeezed = false;
    *bytes_out = 0;
    if (decoder->outer == OUTER_NONE || decoder->encoding == ENCODING_CONSTANT) {
        return ERR_OK;
    }
    if (!codec__granule_stored(decoder, granule, &in, &squeezed)) {
        return codec__damaged(err, "granule outside the block");
    }
    *bytes_out = squeezed ? get_u32le(in.data) : 0;
    return ERR_OK;
}

ErrorCode codec_granule_unpack(const BlockDecoder *decoder, uint32_t granule, void *memory, size_t bytes, Error *err) {
    Bytes in;
    bool squeezed = false;
    bool good = codec__granule_stored(decoder, granule, &in, &squeezed) && squeezed && get_u32le(in.data) == bytes;
    return good && codec__unsqueeze(decoder, in, memory, bytes) ? ERR_OK : codec__damaged(err, "granule cannot be decompressed");
}

static bool text_at(const uint8_t *bytes, size_t left, uint64_t before, uint64_t len, RowValue *out) {
    if (before > left || len > left - before) {
        return false;
    }
    StrRef ref = strref_make((const char *)bytes + before, len);
    memcpy(out->value, &ref, sizeof ref);
    return true;
}

static bool text_row(Bytes in, uint32_t count, uint32_t row, RowValue *out) {
    PackedView lengths;
    PackedSum sum;
    if (!codec__packed_view(in, count, &lengths) || lengths.width > 32) {
        return false;
    }
    sum.sum = sum.at = sum.unit = sum.patch = 0;
    uint64_t before = codec__packed_sum(&lengths, row, &sum);
    uint64_t len = codec__packed_sum(&lengths, row + 1, &sum) - before;
    return text_at(in.data + lengths.bytes, in.len - lengths.bytes, before, len, out);
}

static void store_integer(uint64_t value, Physical physical, RowValue *out) {
    Int128 wide = (int64_t)value;
    memcpy(out->value, physical == PHYS_128 ? (const void *)&wide : &value, sizeof value * (physical == PHYS_128 ? 2 : 1));
}

static bool entry_text(Bytes header, uint32_t count, uint32_t code, RowValue *out) {
    size_t lengths_bytes = ((size_t)count * 4 + 7) & ~(size_t)7;
    if (header.len < 8 + lengths_bytes || (uintptr_t)header.data % 4 != 0) {
        return false;
    }
    const uint8_t *lengths = header.data + 8;
    uint64_t before = codec__kernels()->sum_u32((const uint32_t *)(const void *)lengths, code, false);
    return text_at(lengths + lengths_bytes, header.len - 8 - lengths_bytes, before, get_u32le(lengths + (size_t)code * 4), out);
}

static bool dictionary_row(const BlockDecoder *decoder, Bytes in, uint32_t count, uint32_t row, RowValue *out) {
    static const uint16_t FIRST = 0;
    Physical physical = type_physical((TypeId)decoder->type.id);
    GranuleView codes = {.row_count = count, .physical = PHYS_64};
    uint64_t code = 0;
    if (!codec__view_codes(&codes, in)) {
        return false;
    }
    codec_view_rows(&codes, row, &FIRST, 1, &code);
    if (code >= decoder->dictionary_count || decoder->dictionary_count > DICTIONARY_MAX) {
        return false;
    }
    if (physical == PHYS_STR) {
        return entry_text(decoder->header, decoder->dictionary_count, (uint32_t)code, out);
    }
    if (physical == PHYS_128 || physical == PHYS_BIT || decoder->header.len < 8 + (code + 1) * 8) {
        return false;
    }
    store_integer(get_u64le(decoder->header.data + 8 + code * 8), physical, out);
    return true;
}

static bool runs_row(Bytes in, uint32_t count, uint32_t row, Physical physical, RowValue *out) {
    if (in.len < 8 || physical == PHYS_STR || physical == PHYS_BIT) {
        return false;
    }
    uint32_t runs = get_u32le(in.data);
    size_t ends_bytes = ((size_t)runs * 2 + 7) & ~(size_t)7;
    if (runs > count || in.len < 8 + ends_bytes + (size_t)runs * 8) {
        return false;
    }
    uint32_t run = codec__lower_place(in.data + 8, runs, row + 1); /* the first that ends behind the row */
    if (run == runs) {
        return false;
    }
    store_integer(get_u64le(in.data + 8 + ends_bytes + (size_t)run * 8), physical, out);
    return true;
}

/* The slot in `value` is checked; its wide coefficient is number `place` of those given. */
static bool numeric_place(RowValue *out, Bytes wide, size_t place) {
    NumericSlot slot;
    memcpy(&slot, out->value, sizeof slot);
    if (!codec__numeric_slot_sane(&slot) || (slot.is_big && wide.len / sizeof(Int128) <= place)) {
        return false;
    }
    if (slot.is_big) {
        memcpy(&out->wide, wide.data + place * sizeof(Int128), sizeof(Int128));
        slot.as.big = &out->wide;
        memcpy(out->value, &slot, sizeof slot);
    }
    return true;
}

/* The wide coefficients stand behind the slots in row order: those before the row are counted. */
static bool numeric_row(Bytes in, uint32_t count, uint32_t row, RowValue *out) {
    size_t slot_bytes = (size_t)((count + 63) / 64 * 64) * sizeof(NumericSlot), before = 0;
    const NumericSlot *slots = (const NumericSlot *)(const void *)in.data;
    if (in.len < slot_bytes) {
        return false;
    }
    for (uint32_t i = 0; i < row && slots[row].is_big; i++) {
        before += slots[i].is_big;
    }
    memcpy(out->value, &slots[row], sizeof slots[row]);
    return numeric_place(out, (Bytes){in.data + slot_bytes, in.len - slot_bytes}, before);
}

static bool raw_row(const BlockDecoder *decoder, Bytes in, uint32_t count, uint32_t row, RowValue *out) {
    Physical physical = type_physical((TypeId)decoder->type.id);
    size_t width = physical_bytes(physical), padded = (count + 63) / 64 * 64;
    if (decoder->type.id == TYPE_NUMERIC) {
        return numeric_row(in, count, row, out);
    }
    if (physical == PHYS_STR || in.len < (physical == PHYS_BIT ? padded / 8 : padded * width)) {
        return false;
    }
    if (physical == PHYS_BIT) {
        out->value[0] = in.data[row / 8] >> row % 8 & 1;
    } else {
        memcpy(out->value, in.data + width * row, width);
    }
    return true;
}

static bool constant_row(const BlockDecoder *decoder, RowValue *out) {
    Physical physical = type_physical((TypeId)decoder->type.id);
    Bytes header = decoder->header;
    out->is_null = decoder->nulls == NULLS_ALL;
    if (out->is_null) {
        return true;
    }
    if (physical == PHYS_STR) {
        return text_at(header.data, header.len, 0, header.len, out);
    }
    size_t width = physical == PHYS_BIT ? 1 : physical_bytes(physical);
    if (header.len < width) {
        return false;
    }
    memcpy(out->value, header.data, width);
    return decoder->type.id != TYPE_NUMERIC || numeric_place(out, (Bytes){header.data + width, header.len - width}, 0);
}

static bool viewed_row(const BlockDecoder *decoder, uint32_t granule, Bytes in, uint32_t row, RowValue *out) {
    static const uint16_t FIRST = 0;
    GranuleView view;
    if (!codec__view_body(decoder, granule, in, NULL, &view)) {
        return false;
    }
    codec_view_rows(&view, row, &FIRST, 1, out->value);
    return true;
}

bool codec_row(const BlockDecoder *decoder, uint32_t granule, uint32_t row, Bytes unpacked, RowValue *row_out) {
    const uint64_t *valid = NULL;
    Bytes in;
    uint32_t count = granule_rows_of(decoder->row_count, granule);
    assert(granule * GRANULE_ROWS < decoder->row_count);
    assert(row < count);
    row_out->is_null = false;
    if (decoder->encoding == ENCODING_CONSTANT) {
        return constant_row(decoder, row_out);
    }
    if (!codec__granule_body(decoder, granule, unpacked, &valid, &in)) {
        return false;
    }
    if (valid != NULL && !bit_get(valid, row)) {
        row_out->is_null = true;
        return true;
    }
    switch (decoder->encoding) {
    case ENCODING_RAW: return raw_row(decoder, in, count, row, row_out);
    case ENCODING_TEXT: return type_physical((TypeId)decoder->type.id) == PHYS_STR && text_row(in, count, row, row_out);
    case ENCODING_DICTIONARY: return dictionary_row(decoder, in, count, row, row_out);
    case ENCODING_RUNS: return runs_row(in, count, row, type_physical((TypeId)decoder->type.id), row_out);
    default: return viewed_row(decoder, granule, in, row, row_out);
    }
}

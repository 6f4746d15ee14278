/* SPDX-License-Identifier: Apache-2.0
 * encode_integers.c - raw, frame, delta and run-length granules.
 *
 * Layout: frame = i64 base | packed(value - base); delta = i64 first | i64 smallest step | packed(step - smallest);
 *         runs = u32 runs | u32 0 | u16 end per run, padded to 8 | u64 value per run. docs/format/codec.md */
#include "codec/codec_internal.h"

static int64_t value_at(const ColumnBlock *block, Physical physical, uint32_t row) {
    switch (physical) {
    case PHYS_8: return ((const int8_t *)block->data)[row];
    case PHYS_16: return ((const int16_t *)block->data)[row];
    case PHYS_32: return ((const int32_t *)block->data)[row];
    case PHYS_F32: return ((const int32_t *)block->data)[row];
    case PHYS_64:
    case PHYS_F64: return ((const int64_t *)block->data)[row];
    case PHYS_128: return (int64_t)((const Int128 *)block->data)[row];
    default: assert(false); return 0;
    }
}

static void fill_nulls(const ColumnBlock *block, uint32_t from, uint32_t count, int64_t *out) {
    int64_t last = 0;
    for (uint32_t i = 0; i < count; i++) { /* the first value stands in for nulls before it */
        if (bit_get(block->valid, from + i)) {
            last = out[i];
            break;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        last = bit_get(block->valid, from + i) ? out[i] : last;
        out[i] = last;
    }
}

void codec__widen(const ColumnBlock *block, uint32_t from, uint32_t count, int64_t *out) {
    Physical physical = type_physical((TypeId)block->type.id);
    if (physical == PHYS_64 || physical == PHYS_F64) {
        memcpy(out, (const int64_t *)block->data + from, count * sizeof *out);
    } else if (physical == PHYS_32 || physical == PHYS_F32) {
        const int32_t *values = (const int32_t *)block->data + from;
        for (uint32_t i = 0; i < count; i++) {
            out[i] = values[i];
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            out[i] = value_at(block, physical, from + i);
        }
    }
    if (block->valid != NULL) {
        fill_nulls(block, from, count, out);
    }
}

bool codec__fits_int64(const ColumnBlock *block) {
    const Int128 *values = block->data;
    for (uint32_t i = 0; i < block->row_count; i++) {
        bool is_null = block->valid != NULL && !bit_get(block->valid, i);
        if (!is_null && values[i] != (Int128)(int64_t)values[i]) {
            return false;
        }
    }
    return true;
}

void codec__write_raw(const ColumnBlock *block, uint32_t from, uint32_t count, Buffer *out) {
    Physical physical = type_physical((TypeId)block->type.id);
    assert(physical != PHYS_STR);
    uint32_t padded = (count + 63) / 64 * 64;
    if (physical == PHYS_BIT) {
        const uint64_t *words = (const uint64_t *)block->data + from / 64;
        buffer_append(out, words, (count / 64) * 8);
        if (count % 64 != 0) {
            buffer_put_u64le(out, words[count / 64] & tail_mask(count));
        }
        return;
    }
    size_t width = physical_bytes(physical);
    buffer_append(out, (const uint8_t *)block->data + from * width, count * width);
    buffer_append_fill(out, 0, (padded - count) * width);
    if (block->type.id != TYPE_NUMERIC) {
        return;
    }
    const NumericSlot *slots = (const NumericSlot *)block->data + from; /* wide coefficients follow the slots, in row order */
    for (uint32_t i = 0; i < count; i++) {
        bool is_null = block->valid != NULL && !bit_get(block->valid, from + i);
        if (!is_null && slots[i].is_big) {
            buffer_append(out, slots[i].as.big, sizeof(Int128));
        }
    }
}

static void offsets_from(const int64_t *values, uint32_t count, int64_t base, uint64_t *out) {
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (uint64_t)values[i] - (uint64_t)base;
    }
}

static int64_t minimum(const int64_t *values, uint32_t count) {
    int64_t least = values[0];
    for (uint32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
    }
    return least;
}

static void write_frame_of(const int64_t *values, uint32_t count, bool patches, EncodeScratch *scratch, Buffer *out) {
    int64_t base = minimum(values, count);
    offsets_from(values, count, base, scratch->packed);
    buffer_put_u64le(out, (uint64_t)base);
    codec__packed_write(out, scratch->packed, count, codec__packed_plan(scratch->packed, count, patches));
}

void codec__write_frame(const ColumnBlock *block, uint32_t from, uint32_t count, bool patches, EncodeScratch *scratch, Buffer *out) {
    codec__widen(block, from, count, scratch->values);
    write_frame_of(scratch->values, count, patches, scratch, out);
}

/* Steps between neighbours modulo 2^64, less the smallest step. */
static int64_t deltas_from(const int64_t *values, uint32_t count, uint64_t *out) {
    int64_t least = 0;
    out[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        int64_t step = (int64_t)((uint64_t)values[i] - (uint64_t)values[i - 1]);
        out[i] = (uint64_t)step;
        least = i == 1 || step < least ? step : least;
    }
    for (uint32_t i = 1; i < count; i++) {
        out[i] -= (uint64_t)least;
    }
    return least;
}

void codec__write_delta(const ColumnBlock *block, uint32_t from, uint32_t count, EncodeScratch *scratch, Buffer *out) {
    codec__widen(block, from, count, scratch->values);
    int64_t least = deltas_from(scratch->values, count, scratch->packed);
    buffer_put_u64le(out, (uint64_t)scratch->values[0]);
    buffer_put_u64le(out, (uint64_t)least);
    codec__packed_write(out, scratch->packed, count, codec__packed_plan(scratch->packed, count, true));
}

void codec__write_runs(const ColumnBlock *block, uint32_t from, uint32_t count, EncodeScratch *scratch, Buffer *out) {
    codec__widen(block, from, count, scratch->values);
    const int64_t *values = scratch->values;
    uint32_t runs = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 == count || values[i + 1] != values[i]) {
            scratch->packed[runs++] = i + 1;
        }
    }
    buffer_put_u32le(out, runs);
    buffer_put_u32le(out, 0);
    for (uint32_t r = 0; r < runs; r++) {
        buffer_put_u16le(out, (uint16_t)scratch->packed[r]);
    }
    buffer_append_fill(out, 0, (8 - runs * 2 % 8) % 8);
    for (uint32_t r = 0; r < runs; r++) {
        buffer_put_u64le(out, (uint64_t)values[scratch->packed[r] - 1]);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * decode_values.c - the granules of encode_*.c back into values; false = the bytes cannot be a granule. */
#include "base/hash.h"
#include "codec/codec_internal.h"
#include "codec/decode_kernels.h"

static bool codec__store_integers(const uint64_t *wide, uint64_t base, Physical physical, uint32_t count, void *out) {
    switch (physical) {
    case PHYS_8:
        for (uint32_t i = 0; i < count; i++) { ((uint8_t *)out)[i] = (uint8_t)(wide[i] + base); }
        return true;
    case PHYS_16:
        for (uint32_t i = 0; i < count; i++) { ((uint16_t *)out)[i] = (uint16_t)(wide[i] + base); }
        return true;
    case PHYS_32:
    case PHYS_F32:
        for (uint32_t i = 0; i < count; i++) { ((uint32_t *)out)[i] = (uint32_t)(wide[i] + base); }
        return true;
    case PHYS_64:
    case PHYS_F64:
        for (uint32_t i = 0; i < count; i++) { ((uint64_t *)out)[i] = wide[i] + base; }
        return true;
    case PHYS_128:
        for (uint32_t i = 0; i < count; i++) { ((Int128 *)out)[i] = (int64_t)(wide[i] + base); }
        return true;
    default: return false;
    }
}

/* Four-byte types skip the 64-bit detour: symbol codes are the hottest column there is. */
static bool read_frame_u32(Bytes in, uint32_t base, uint32_t count, uint32_t *out) {
    size_t used;
    if (!codec__packed_read_u32(in, count, out, &used)) {
        return false;
    }
    if (base != 0) {
        codec__kernels()->add_u32(out, base, count);
    }
    return true;
}

/* Eight-byte values of at most 32 packed bits: unpacked, widened and moved to the base in one pass over each. */
static void frame_u64(const PackedView *view, uint64_t base, DecodeBuffer *buffer) {
    uint32_t *narrow = (uint32_t *)(void *)buffer->wide;
    uint64_t *out = (uint64_t *)(void *)buffer->values;
    codec__packed_units_u32(view, narrow);
    codec__kernels()->widen_u32(narrow, base, view->count, out);
    for (uint32_t e = 0; e < view->exceptions; e++) {
        out[packed_position(view, e)] = base + packed_patch(view, e);
    }
}

bool codec__read_frame(Bytes in, Type type, uint32_t count, bool narrowed, DecodeBuffer *buffer) {
    Physical physical = type_physical((TypeId)type.id);
    if (in.len < 16 || (physical == PHYS_128) != narrowed) {
        return false;
    }
    uint64_t base = get_u64le(in.data);
    Bytes packed = {in.data + 8, in.len - 8};
    if (physical == PHYS_32 && packed.data[0] <= 32) {
        return read_frame_u32(packed, (uint32_t)base, count, (uint32_t *)(void *)buffer->values);
    }
    PackedView view;
    if (physical == PHYS_64 && packed.data[0] <= 32) {
        if (!codec__packed_view(packed, count, &view)) {
            return false;
        }
        frame_u64(&view, base, buffer);
        return true;
    }
    size_t used;
    return codec__packed_read_u64(packed, count, buffer->wide, &used) &&
           codec__store_integers(buffer->wide, base, physical, count, buffer->values);
}

/* Steps of at most 32 bits, the exceptions between them one by one. Row 0 holds the first value itself. */
static void delta_u64(const PackedView *view, uint64_t value, uint64_t least, const uint32_t *steps, uint64_t *out) {
    const DecodeKernels *kernels = codec__kernels();
    uint32_t at = 1;
    out[0] = value;
    for (uint32_t e = 0; e < view->exceptions; e++) {
        uint32_t position = packed_position(view, e);
        if (position == 0) {
            continue;
        }
        value = kernels->prefix_u32(steps + at, value, least, position - at, out + at);
        value += packed_patch(view, e) + least;
        out[position] = value;
        at = position + 1;
    }
    kernels->prefix_u32(steps + at, value, least, view->count - at, out + at);
}

bool codec__read_delta(Bytes in, Type type, uint32_t count, DecodeBuffer *buffer) {
    PackedView view;
    if (in.len < 24 || !codec__packed_view((Bytes){in.data + 16, in.len - 16}, count, &view)) {
        return false;
    }
    uint64_t first = get_u64le(in.data), least = get_u64le(in.data + 8);
    Physical physical = type_physical((TypeId)type.id);
    if (view.width <= 32 && physical == PHYS_64) {
        uint32_t *steps = (uint32_t *)(void *)buffer->wide;
        codec__packed_units_u32(&view, steps);
        delta_u64(&view, first, least, steps, (uint64_t *)(void *)buffer->values);
        return true;
    }
    codec__packed_units_u64(&view, buffer->wide);
    for (uint32_t e = 0; e < view.exceptions; e++) {
        buffer->wide[packed_position(&view, e)] = packed_patch(&view, e);
    }
    uint64_t value = first;
    buffer->wide[0] = first;
    for (uint32_t i = 1; i < count; i++) {
        value += buffer->wide[i] + least;
        buffer->wide[i] = value;
    }
    return codec__store_integers(buffer->wide, 0, physical, count, buffer->values);
}

bool codec__read_runs(Bytes in, Type type, uint32_t count, DecodeBuffer *buffer) {
    if (in.len < 8) {
        return false;
    }
    uint32_t runs = get_u32le(in.data);
    size_t ends_bytes = ((size_t)runs * 2 + 7) & ~(size_t)7;
    if (runs > count || in.len < 8 + ends_bytes + (size_t)runs * 8) {
        return false;
    }
    const uint8_t *ends = in.data + 8, *values = ends + ends_bytes;
    uint32_t at = 0;
    for (uint32_t r = 0; r < runs; r++) {
        uint32_t end = get_u16le(ends + (size_t)r * 2);
        uint64_t value = get_u64le(values + (size_t)r * 8);
        if (end <= at || end > count) {
            return false;
        }
        for (; at < end; at++) {
            buffer->wide[at] = value;
        }
    }
    return at == count && codec__store_integers(buffer->wide, 0, type_physical((TypeId)type.id), count, buffer->values);
}

static bool patch_doubles(Bytes in, uint32_t exceptions, uint32_t count, double *out) {
    size_t position_bytes = ((size_t)exceptions * 2 + 7) & ~(size_t)7;
    if (in.len < position_bytes + (size_t)exceptions * 8) {
        return false;
    }
    for (uint32_t e = 0; e < exceptions; e++) {
        uint32_t position = get_u16le(in.data + (size_t)e * 2);
        if (position >= count) {
            return false;
        }
        memcpy(&out[position], in.data + position_bytes + (size_t)e * 8, 8);
    }
    return true;
}

/* Packed integers to doubles. Below 31 bits the sum with the base is exact in doubles, and the conversion is a vector instruction. */
static void scale_values(const PackedView *view, uint64_t base, double divisor, DecodeBuffer *buffer) {
    const DecodeKernels *kernels = codec__kernels();
    double *out = (double *)(void *)buffer->values;
    if (view->width <= 31) {
        uint32_t *narrow = (uint32_t *)(void *)buffer->wide;
        codec__packed_units_u32(view, narrow);
        kernels->scale_u31(narrow, (double)(int64_t)base, divisor, view->count, out);
    } else {
        codec__packed_units_u64(view, buffer->wide);
        kernels->scale_i64(buffer->wide, base, divisor, view->count, out);
    }
    for (uint32_t e = 0; e < view->exceptions; e++) {
        out[packed_position(view, e)] = (double)(int64_t)(base + packed_patch(view, e)) / divisor;
    }
}

bool codec__read_scaled(Bytes in, uint32_t count, int scale, DecodeBuffer *buffer) {
    PackedView view;
    if (in.len < 24 || scale > SCALE_MAX || get_u32le(in.data) > count || !codec__packed_view((Bytes){in.data + 16, in.len - 16}, count, &view)) {
        return false;
    }
    uint32_t exceptions = get_u32le(in.data);
    scale_values(&view, get_u64le(in.data + 8), codec__pow10[scale], buffer);
    Bytes rest = {in.data + 16 + view.bytes, in.len - 16 - view.bytes};
    return exceptions == 0 || patch_doubles(rest, exceptions, count, (double *)(void *)buffer->values);
}

bool codec__read_text(Bytes in, uint32_t count, DecodeBuffer *buffer) {
    size_t used;
    if (!codec__packed_read_u64(in, count, buffer->wide, &used)) {
        return false;
    }
    StrRef *out = (StrRef *)(void *)buffer->values;
    const char *bytes = (const char *)in.data + used;
    size_t left = in.len - used;
    for (uint32_t i = 0; i < count; i++) {
        if (buffer->wide[i] > left) {
            return false;
        }
        out[i] = strref_make(bytes, buffer->wide[i]);
        bytes += buffer->wide[i];
        left -= buffer->wide[i];
    }
    return true;
}

bool codec__read_codes(Bytes in, uint32_t count, uint32_t dictionary_count, DecodeBuffer *buffer) {
    uint32_t *codes = (uint32_t *)(void *)buffer->wide;
    size_t used;
    if (!codec__packed_read_u32(in, count, codes, &used)) {
        return false;
    }
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = codes[i] > most ? codes[i] : most;
        buffer->index[i] = (uint16_t)codes[i];
    }
    return most < dictionary_count;
}

bool codec__numeric_slot_sane(const NumericSlot *slot) {
    return slot->kind <= NUMERIC_MINUS_INFINITY && slot->scale >= 0 && slot->scale <= NUMERIC_SCALE_MAX && slot->is_big <= 1;
}

/* Raw slots whose wide coefficients follow; the slots are copied because their pointers are set here. */
bool codec__read_numeric(Bytes in, uint32_t count, DecodeBuffer *buffer) {
    size_t slot_bytes = (size_t)((count + 63) / 64 * 64) * sizeof(NumericSlot);
    if (in.len < slot_bytes) {
        return false;
    }
    NumericSlot *slots = (NumericSlot *)(void *)buffer->values;
    memcpy(slots, in.data, count * sizeof *slots);
    const uint8_t *big = in.data + slot_bytes;
    size_t left = (in.len - slot_bytes) / sizeof(Int128);
    for (uint32_t i = 0; i < count; i++) {
        if (!codec__numeric_slot_sane(&slots[i]) || (slots[i].is_big && left == 0)) {
            return false;
        }
        if (slots[i].is_big) {
            slots[i].as.big = (const Int128 *)(const void *)big;
            big += sizeof(Int128);
            left--;
        }
    }
    return (uintptr_t)in.data % sizeof(Int128) == 0;
}

static bool dictionary_room(DecodeBuffer *buffer, size_t bytes) {
    if (buffer->dictionary_room < bytes) {
        mem_free(buffer->dictionary_bytes);
        buffer->dictionary_bytes = mem_alloc_aligned(bytes);
        buffer->dictionary_room = bytes;
    }
    return true;
}

static bool dictionary_texts(const BlockDecoder *decoder, DecodeBuffer *buffer, uint32_t count) {
    size_t lengths_bytes = ((size_t)count * 4 + 7) & ~(size_t)7;
    if (decoder->header.len < 8 + lengths_bytes) {
        return false;
    }
    const uint8_t *lengths = buffer->dictionary_bytes + 8;
    const char *bytes = (const char *)lengths + lengths_bytes;
    size_t left = decoder->header.len - 8 - lengths_bytes;
    StrRef *values = buffer->dictionary_values;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t len = get_u32le(lengths + (size_t)i * 4);
        if (len > left) {
            return false;
        }
        values[i] = strref_make(bytes, len);
        bytes += len;
        left -= len;
    }
    return true;
}

bool codec__load_dictionary(BlockDecoder *decoder, DecodeBuffer *buffer) {
    if (decoder->identity == 0) { /* not when the block is opened: one row needs no more than its own entry */
        decoder->identity = hash_bytes(decoder->header.data, decoder->header.len, decoder->type.id) | 1;
    }
    if (buffer->dictionary_count != 0 && buffer->dictionary_identity == decoder->identity) {
        return true;
    }
    buffer->dictionary_count = 0;
    uint32_t count = decoder->dictionary_count;
    if (count == 0 || count > DICTIONARY_MAX || !dictionary_room(buffer, decoder->header.len)) {
        return false;
    }
    if (buffer->dictionary_values == NULL) {
        buffer->dictionary_values = mem_alloc_aligned(DICTIONARY_MAX * 16);
    }
    memcpy(buffer->dictionary_bytes, decoder->header.data, decoder->header.len);
    Physical physical = type_physical((TypeId)decoder->type.id);
    if (physical == PHYS_STR) {
        if (!dictionary_texts(decoder, buffer, count)) {
            return false;
        }
    } else if (decoder->header.len < 8 + (size_t)count * 8 || physical == PHYS_128 ||
               !codec__store_integers((const uint64_t *)(const void *)(buffer->dictionary_bytes + 8), 0, physical, count, buffer->dictionary_values)) {
        return false;
    }
    buffer->dictionary_count = count;
    buffer->dictionary_identity = decoder->identity;
    return true;
}

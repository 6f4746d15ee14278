/* SPDX-License-Identifier: Apache-2.0
 * packed.c - up to 4,096 unsigned integers with one width and a list of exceptions (patched frame of reference, Zukowski 2006).
 *
 * Layout: codec_internal.h. Values wider than `width` are packed as zero and stand, whole, in the exception list. */
#include "codec/codec_internal.h"
#include "codec/decode_kernels.h"

enum { PACKED_HEADER_BYTES = 8 };

static size_t units_of(uint32_t count) { return (count + PACK_UNIT - 1) / PACK_UNIT; }

static size_t exceptions_bytes(uint32_t exceptions) {
    return (((size_t)exceptions * 2 + 7) & ~(size_t)7) + (size_t)exceptions * 8;
}

PackedPlan codec__packed_plan(const uint64_t *values, uint32_t count, bool patches) {
    uint32_t histogram[65] = {0};
    uint64_t all = 0;
    if (!patches) {
        for (uint32_t i = 0; i < count; i++) {
            all |= values[i];
        }
        histogram[bit_width(all)] = count;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            histogram[bit_width(values[i])]++;
        }
    }
    PackedPlan best = {0};
    uint32_t wider = 0; /* values that need more than `width` bits */
    size_t unit_bytes = units_of(count) * PACK_WIDTH_BYTES;
    best.bytes = SIZE_MAX;
    for (int width = 64; width >= 0; width--) {
        size_t bytes = PACKED_HEADER_BYTES + unit_bytes * (size_t)width + exceptions_bytes(wider);
        if (wider <= count / 8 && bytes < best.bytes) {
            best = (PackedPlan){(uint8_t)width, (uint16_t)wider, bytes};
        }
        wider += histogram[width];
    }
    assert(best.bytes != SIZE_MAX);
    return best;
}

static void write_unit(Buffer *out, const uint64_t *values, uint32_t count, uint32_t width) {
    uint64_t limit = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t words[PACK_UNIT], wide[PACK_UNIT] = {0};
    for (uint32_t i = 0; i < count; i++) {
        wide[i] = values[i] <= limit ? values[i] : 0;
    }
    if (width <= 32) {
        uint32_t narrow[PACK_UNIT];
        for (uint32_t i = 0; i < PACK_UNIT; i++) {
            narrow[i] = (uint32_t)wide[i];
        }
        codec__pack32(narrow, width, (uint32_t *)words);
    } else {
        codec__pack64(wide, width, words);
    }
    buffer_append(out, words, (size_t)width * PACK_WIDTH_BYTES);
}

static void write_exceptions(Buffer *out, const uint64_t *values, uint32_t count, PackedPlan plan) {
    uint64_t limit = plan.width == 64 ? UINT64_MAX : (UINT64_C(1) << plan.width) - 1;
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] > limit) {
            buffer_put_u16le(out, (uint16_t)i);
            written++;
        }
    }
    assert(written == plan.exceptions);
    buffer_append_fill(out, 0, (8 - written * 2 % 8) % 8);
    for (uint32_t i = 0; i < count && written != 0; i++) {
        if (values[i] > limit) {
            buffer_put_u64le(out, values[i]);
        }
    }
}

void codec__packed_write(Buffer *out, const uint64_t *values, uint32_t count, PackedPlan plan) {
    buffer_put_u8(out, plan.width);
    buffer_put_u8(out, 0);
    buffer_put_u16le(out, plan.exceptions);
    buffer_put_u32le(out, 0);
    for (uint32_t from = 0; from < count; from += PACK_UNIT) {
        write_unit(out, values + from, MIN_OF(count - from, (uint32_t)PACK_UNIT), plan.width);
    }
    if (plan.exceptions != 0) {
        write_exceptions(out, values, count, plan);
    }
}

bool codec__packed_view(Bytes in, uint32_t count, PackedView *view_out) {
    if (in.len < PACKED_HEADER_BYTES || (uintptr_t)in.data % 8 != 0) {
        return false;
    }
    PackedView view = {.width = in.data[0], .exceptions = get_u16le(in.data + 2), .count = count};
    if (view.width > 64 || view.exceptions > count) {
        return false;
    }
    size_t unit_bytes = units_of(count) * view.width * PACK_WIDTH_BYTES;
    view.bytes = PACKED_HEADER_BYTES + unit_bytes + exceptions_bytes(view.exceptions);
    if (view.bytes > in.len) {
        return false;
    }
    view.units = in.data + PACKED_HEADER_BYTES;
    view.positions = view.units + unit_bytes;
    view.patches = view.positions + (((size_t)view.exceptions * 2 + 7) & ~(size_t)7);
    if (!codec__kernels()->rising_u16(view.positions, view.exceptions, count)) {
        return false;
    }
    *view_out = view;
    return true;
}

static const void *unit_at(const PackedView *view, uint32_t from) {
    return view->units + (size_t)(from / PACK_UNIT) * view->width * PACK_WIDTH_BYTES;
}

void codec__packed_units_u32(const PackedView *view, uint32_t *out) {
    assert(view->width <= 32);
    const DecodeKernels *kernels = codec__kernels();
    for (uint32_t from = 0; from < view->count; from += PACK_UNIT) {
        kernels->unpack32(unit_at(view, from), view->width, out + from);
    }
}

void codec__packed_units_u64(const PackedView *view, uint64_t *out) {
    const DecodeKernels *kernels = codec__kernels();
    for (uint32_t from = 0; from < view->count; from += PACK_UNIT) {
        if (view->width > 32) {
            kernels->unpack64(unit_at(view, from), view->width, out + from);
        } else {
            uint32_t narrow[PACK_UNIT];
            kernels->unpack32(unit_at(view, from), view->width, narrow);
            kernels->widen_u32(narrow, 0, PACK_UNIT, out + from);
        }
    }
}

uint64_t codec__packed_sum(const PackedView *view, uint32_t end, PackedSum *sum) {
    const DecodeKernels *kernels = codec__kernels();
    assert(view->width <= 32);
    assert(end <= view->count);
    uint32_t begun = sum->at;
    while (sum->at < end && view->width != 0) { /* width 0: only exceptions are above zero */
        uint32_t unit = sum->at / PACK_UNIT, to = MIN_OF(end, (unit + 1) * PACK_UNIT);
        if (sum->unit != unit + 1) {
            kernels->unpack32(unit_at(view, sum->at), view->width, sum->values);
            sum->unit = unit + 1;
        }
        sum->sum += kernels->sum_u32(sum->values + sum->at % PACK_UNIT, to - sum->at, view->width <= 22);
        sum->at = to;
    }
    sum->at = MAX_OF(end, begun);
    for (; sum->patch < view->exceptions && packed_position(view, sum->patch) < end; sum->patch++) {
        sum->sum += packed_position(view, sum->patch) >= begun ? packed_patch(view, sum->patch) : 0;
    }
    return sum->sum;
}

bool codec__packed_read_u64(Bytes in, uint32_t count, uint64_t *out, size_t *used_out) {
    PackedView view;
    if (!codec__packed_view(in, count, &view)) {
        return false;
    }
    codec__packed_units_u64(&view, out);
    for (uint32_t e = 0; e < view.exceptions; e++) {
        out[packed_position(&view, e)] = packed_patch(&view, e);
    }
    *used_out = view.bytes;
    return true;
}

bool codec__packed_read_u32(Bytes in, uint32_t count, uint32_t *out, size_t *used_out) {
    PackedView view;
    if (!codec__packed_view(in, count, &view) || view.width > 32) {
        return false;
    }
    codec__packed_units_u32(&view, out);
    for (uint32_t e = 0; e < view.exceptions; e++) {
        out[packed_position(&view, e)] = (uint32_t)packed_patch(&view, e);
    }
    *used_out = view.bytes;
    return true;
}

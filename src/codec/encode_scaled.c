/* SPDX-License-Identifier: Apache-2.0
 * encode_scaled.c - doubles that are decimals of few places: integer x 10^-scale.
 *
 * Layout: u32 exceptions | u32 0 | i64 base | packed(integer - base) | u16 position per exception, padded to 8 | f64 per exception.
 * Why:    integer / 10^scale is the double nearest to the decimal (both exact below 2^53), so the text's own double comes back. */
#include "codec/codec_internal.h"
#include <math.h>

const double codec__pow10[SCALE_MAX + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

static bool scaled_integer(double value, int scale, int64_t *integer_out) {
    double scaled = value * codec__pow10[scale];
    if (!(scaled > -9007199254740992.0 && scaled < 9007199254740992.0)) { /* false for NaN too */
        return false;
    }
    int64_t integer = llrint(scaled);
    double back = (double)integer / codec__pow10[scale];
    *integer_out = integer;
    return memcmp(&back, &value, sizeof back) == 0; /* bits: -0.0 is not 0 */
}

enum { SCALE_SAMPLES = 256 };

static bool scale_fits(const ColumnBlock *block, int scale, uint32_t step) {
    const double *values = block->data;
    uint32_t seen = 0, missed = 0;
    for (uint32_t i = 0; i < block->row_count; i += step) {
        int64_t integer;
        if (block->valid != NULL && !bit_get(block->valid, i)) {
            continue;
        }
        seen++;
        missed += !scaled_integer(values[i], scale, &integer);
    }
    return missed * 32 <= seen;
}

int codec__find_scale(const ColumnBlock *block) {
    uint32_t step = block->row_count / SCALE_SAMPLES;
    step = step == 0 ? 1 : step;
    for (int scale = 0; scale <= SCALE_MAX; scale++) {
        if (scale_fits(block, scale, step)) {
            return scale;
        }
    }
    return -1;
}

void codec__write_scaled(const ColumnBlock *block, uint32_t from, uint32_t count, int scale, bool patches, EncodeScratch *scratch,
                         Buffer *out) {
    const double *values = (const double *)block->data + from;
    uint16_t positions[GRANULE_ROWS];
    uint32_t exceptions = 0;
    int64_t last = 0, least = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        bool is_null = block->valid != NULL && !bit_get(block->valid, from + i);
        int64_t integer = last;
        if (!is_null && !scaled_integer(values[i], scale, &integer)) {
            positions[exceptions++] = (uint16_t)i;
            integer = last;
        }
        last = scratch->values[i] = integer;
        least = integer < least ? integer : least;
    }
    for (uint32_t i = 0; i < count; i++) {
        scratch->packed[i] = (uint64_t)scratch->values[i] - (uint64_t)least;
    }
    buffer_put_u32le(out, exceptions);
    buffer_put_u32le(out, 0);
    buffer_put_u64le(out, (uint64_t)least);
    codec__packed_write(out, scratch->packed, count, codec__packed_plan(scratch->packed, count, patches));
    buffer_append(out, positions, exceptions * sizeof positions[0]);
    buffer_append_fill(out, 0, (8 - exceptions * 2 % 8) % 8);
    for (uint32_t e = 0; e < exceptions; e++) {
        buffer_append(out, &values[positions[e]], sizeof values[0]);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * decode_kernels.h - private to codec: the loops of decoding, one table per CPU level. Arrays are padded to PACK_UNIT values. */
#pragma once
#include "base/compiler.h"

typedef struct DecodeKernels {
    void (*unpack32)(const uint32_t *in, uint32_t width, uint32_t *out);  /* one unit of 1,024 */
    void (*unpack64)(const uint64_t *in, uint32_t width, uint64_t *out);
    void (*add_u32)(uint32_t *values, uint32_t base, uint32_t count);
    void (*widen_u32)(const uint32_t *in, uint64_t base, uint32_t count, uint64_t *out);  /* base + in */
    void (*scale_u31)(const uint32_t *in, double base, double divisor, uint32_t count, double *out); /* (base + in) / divisor, in < 2^31 */
    void (*scale_i64)(const uint64_t *in, uint64_t base, double divisor, uint32_t count, double *out);
    /* one packed unit to 16 words: bit i = value i is in low..low + span, flipped; width 1..31 */
    void (*range_u31)(const uint32_t *in, uint32_t width, uint32_t low, uint32_t span, uint64_t flip, uint64_t *out);
    uint64_t (*sum_u32)(const uint32_t *in, uint32_t count, bool narrow);
    bool (*rising_u16)(const uint8_t *positions, uint32_t count, uint32_t limit); /* u16 each, the last one below the limit */
    /* out[i] = value += in[i] + step; returns the last */
    uint64_t (*prefix_u32)(const uint32_t *in, uint64_t value, uint64_t step, uint32_t count, uint64_t *out);
    uint64_t (*prefix_u64)(const uint64_t *in, uint64_t value, uint64_t step, uint32_t count, uint64_t *out);
} DecodeKernels;

extern const DecodeKernels codec__kernels_baseline, codec__kernels_avx2;
const DecodeKernels *codec__kernels(void); /* the best that this CPU runs */

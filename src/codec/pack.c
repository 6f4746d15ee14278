/* SPDX-License-Identifier: Apache-2.0
 * pack.c - 1,024 integers of `width` bits each to words; decode_kernels.inc has the way back.
 *
 * Layout: lanes side by side (32 of uint32_t or 16 of uint64_t); word k of lane l stands at [k * lanes + l]; a lane holds its rows
 *         one after another from the low bit up. Value i is row i / lanes of lane i % lanes, so a row of lanes is consecutive values.
 * Why:    every inner loop runs over the lanes with one shift for all: the compiler turns it into vector code at every CPU level,
 *         and no transposition is needed (the idea of FastLanes, Afroozeh and Boncz 2023, with the order kept). */
#include "codec/codec_internal.h"

enum { LANES_32 = 32, ROWS_32 = 32, LANES_64 = 16, ROWS_64 = 64 };

void codec__pack32(const uint32_t *restrict in, uint32_t width, uint32_t *restrict out) {
    assert(width <= 32);
    memset(out, 0, (size_t)width * PACK_WIDTH_BYTES);
    for (uint32_t row = 0; row < ROWS_32 && width != 0; row++) {
        uint32_t word = row * width / 32, shift = row * width % 32;
        const uint32_t *from = in + row * LANES_32;
        uint32_t *to = out + word * LANES_32;
        for (int lane = 0; lane < LANES_32; lane++) {
            to[lane] |= from[lane] << shift;
        }
        if (shift + width > 32) {
            for (int lane = 0; lane < LANES_32; lane++) {
                to[LANES_32 + lane] |= from[lane] >> (32 - shift);
            }
        }
    }
}

void codec__pack64(const uint64_t *restrict in, uint32_t width, uint64_t *restrict out) {
    assert(width <= 64);
    memset(out, 0, (size_t)width * PACK_WIDTH_BYTES);
    for (uint32_t row = 0; row < ROWS_64 && width != 0; row++) {
        uint32_t word = row * width / 64, shift = row * width % 64;
        const uint64_t *from = in + row * LANES_64;
        uint64_t *to = out + word * LANES_64;
        for (int lane = 0; lane < LANES_64; lane++) {
            to[lane] |= from[lane] << shift;
        }
        if (shift + width > 64) {
            for (int lane = 0; lane < LANES_64; lane++) {
                to[LANES_64 + lane] |= from[lane] >> (64 - shift);
            }
        }
    }
}

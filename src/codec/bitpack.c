/* SPDX-License-Identifier: Apache-2.0
 * bitpack.c - 1,024 integers of `width` bits each <-> words.
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

void codec__unpack32(const uint32_t *restrict in, uint32_t width, uint32_t *restrict out) {
    assert(width <= 32);
    if (width == 0) {
        memset(out, 0, PACK_UNIT * sizeof *out);
        return;
    }
    uint32_t mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
    for (uint32_t row = 0; row < ROWS_32; row++) {
        uint32_t word = row * width / 32, shift = row * width % 32;
        const uint32_t *from = in + word * LANES_32;
        uint32_t *to = out + row * LANES_32;
        if (shift + width <= 32) {
            for (int lane = 0; lane < LANES_32; lane++) {
                to[lane] = (from[lane] >> shift) & mask;
            }
        } else {
            for (int lane = 0; lane < LANES_32; lane++) {
                to[lane] = ((from[lane] >> shift) | (from[LANES_32 + lane] << (32 - shift))) & mask;
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

void codec__unpack64(const uint64_t *restrict in, uint32_t width, uint64_t *restrict out) {
    assert(width <= 64);
    if (width == 0) {
        memset(out, 0, PACK_UNIT * sizeof *out);
        return;
    }
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (uint32_t row = 0; row < ROWS_64; row++) {
        uint32_t word = row * width / 64, shift = row * width % 64;
        const uint64_t *from = in + word * LANES_64;
        uint64_t *to = out + row * LANES_64;
        if (shift + width <= 64) {
            for (int lane = 0; lane < LANES_64; lane++) {
                to[lane] = (from[lane] >> shift) & mask;
            }
        } else {
            for (int lane = 0; lane < LANES_64; lane++) {
                to[lane] = ((from[lane] >> shift) | (from[LANES_64 + lane] << (64 - shift))) & mask;
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * kernels_internal.h - the tables of the levels and what they share. */
#pragma once
#include "kernels/kernels.h"

extern const Kernels kernels__baseline;
extern const Kernels kernels__avx2;
extern const Kernels kernels__avx512;

/* For each byte: the places of its set bits (rest 0), then their number. */
extern const uint8_t KERNEL_BIT_PLACES[256][9];

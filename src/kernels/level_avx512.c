/* SPDX-License-Identifier: Apache-2.0
 * level_avx512.c - the kernels built with the flags of level "avx512" (meson.build). */
#define KERNELS_LEVEL avx512
#include "kernels/level.inc"

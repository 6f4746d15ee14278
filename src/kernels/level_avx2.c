/* SPDX-License-Identifier: Apache-2.0
 * level_avx2.c - the kernels built with the flags of level "avx2" (meson.build). */
#define KERNELS_LEVEL avx2
#include "kernels/level.inc"

/* SPDX-License-Identifier: Apache-2.0
 * level_baseline.c - the kernels built with the flags of level "baseline" (meson.build). */
#define KERNELS_LEVEL baseline
#include "kernels/level.inc"

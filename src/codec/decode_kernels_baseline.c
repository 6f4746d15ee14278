/* SPDX-License-Identifier: Apache-2.0
 * decode_kernels_baseline.c - decode_kernels.inc with the flags of this CPU level (meson.build). */
#define KERNELS_NAME codec__kernels_baseline
#include "codec/decode_kernels.inc"

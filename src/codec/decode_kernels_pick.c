/* SPDX-License-Identifier: Apache-2.0
 * decode_kernels_pick.c - the level of this CPU; the answer costs a load. */
#include "codec/decode_kernels.h"

const DecodeKernels *codec__kernels(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &codec__kernels_avx2 : &codec__kernels_baseline;
#else
    return &codec__kernels_baseline;
#endif
}

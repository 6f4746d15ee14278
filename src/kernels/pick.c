/* SPDX-License-Identifier: Apache-2.0
 * pick.c - which levels this CPU can run. */
#include "kernels/kernels_internal.h"

static const Kernels *levels_find(size_t number) {
    const Kernels *found[3] = {&kernels__baseline, NULL, NULL};
    size_t count = 1;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
        found[count++] = &kernels__avx2;
        if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
            found[count++] = &kernels__avx512;
        }
    }
#endif
    return number < count ? found[number] : NULL;
}

const Kernels *kernels_level(size_t number) {
    return levels_find(number);
}

const Kernels *kernels_pick(void) {
    const Kernels *best = &kernels__baseline;
    for (size_t number = 1; levels_find(number) != NULL; number++) {
        best = levels_find(number);
    }
    return best;
}

/* SPDX-License-Identifier: Apache-2.0
 * random.h - splitmix64 seeding xoshiro256** (Blackman, Vigna 2018): same numbers on every machine. Not for secrets. */
#pragma once
#include "base/compiler.h"
typedef struct Random { uint64_t state[4]; } Random;
uint64_t splitmix64(uint64_t *state);
void random_init(Random *random, uint64_t seed);
uint64_t random_next(Random *random);
uint64_t random_below(Random *random, uint64_t bound);  /* unbiased, bound > 0 */
int64_t random_between(Random *random, int64_t low, int64_t high); /* inclusive */
bool random_chance(Random *random, uint32_t numerator, uint32_t denominator);
double random_unit(Random *random);                     /* [0, 1) */

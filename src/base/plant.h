/* SPDX-License-Identifier: Apache-2.0
 * plant.h - bugs put in on purpose, to prove that the tests find them. Only in builds with -Dplant=true; elsewhere PLANTED is false.
 *
 * A row: name, what the bug does. test/sim/plant.c numbers these and those of the disk and the log for BASALT_PLANT=n; test/sim/plants
 * expects each to be caught. */
#pragma once
#include "base/compiler.h"

#define PLANTS(X)                                                                                                      \
    X(ACKNOWLEDGE_EARLY, "a commit is acknowledged before the log has it")

typedef enum Plant {
    PLANT_NONE,
#define X(name, text) PLANT_##name,
    PLANTS(X)
#undef X
        PLANT_COUNT
} Plant;

enum { PLANT_LOG_FIRST = 100 /* from here on: the log's own planted faults (wal.h), PLANT_LOG_FIRST + WalPlant */ };

#ifdef BASALT_PLANTED
extern int plant_chosen; /* set once, before threads */
static inline int plant_now(void) { return plant_chosen; }
#else
static inline int plant_now(void) { return PLANT_NONE; }
#endif
#define PLANTED(name) UNLIKELY(plant_now() == PLANT_##name)

static inline int plant_of_log(void) { return plant_now() > PLANT_LOG_FIRST ? plant_now() - PLANT_LOG_FIRST : 0; }

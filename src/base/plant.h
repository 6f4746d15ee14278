/* SPDX-License-Identifier: Apache-2.0
 * plant.h - bugs put in on purpose, to prove that the tests find them. Only in builds with -Dplant=true; elsewhere PLANTED is false.
 *
 * A row: name, what the bug does. test/sim/plant.c numbers these and those of the disk and the log for BASALT_PLANT=n; test/sim/plants
 * expects each to be caught. */
#pragma once
#include "base/compiler.h"

#define PLANTS(X)                                                                                                      \
    X(COMMIT_AS_OFF, "a commit is acknowledged when it is written, not when it is synced")                             \
    X(CHECKPOINT_NO_LOG_SYNC, "a checkpoint becomes valid before the log below it is durable")                         \
    X(CHECKPOINT_SKIPS_RECORD, "a checkpoint claims one record more than it holds")                                    \
    X(SYMBOLS_NOT_LOGGED, "new symbols are not in the log")                                                            \
    X(REDO_FORGETS_ENDS, "deleted rows come back after a crash")                                                       \
    X(IMAGE_FORGETS_ENDS, "a checkpoint forgets which rows are deleted")                                                \
    X(IMAGE_FORGETS_SEGMENT_ENDS, "a checkpoint forgets which rows of segments are deleted")                           \
    X(PUBLISH_FORGETS_ENDS, "a flush or merge forgets which rows of its inputs are deleted")                           \
    X(SLICES_KILL_THEIR_FILE, "a file dies with the part that named it, although slices of it go on")

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

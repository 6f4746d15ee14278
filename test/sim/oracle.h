/* SPDX-License-Identifier: Apache-2.0
 * oracle.h - opens what a crash left, reads all of it, and compares it with the model. */
#pragma once
#include "base/hash.h"
#include "model.h"
#include "sim/sim.h"

typedef struct Oracle {
    const Model *model;
    IntMap seen;              /* image and model state -> 1 */
    IntMap images;            /* distinct images */
    uint64_t seed;
    int images_per_call;      /* random ones, beside "nothing" and "all" */
    uint64_t crash_points, checked, deep;
    /* where the run is, for the report of a failure */
    uint64_t call, image_seed;
    int profile, depth;
} Oracle;

void oracle_init(Oracle *oracle, const Model *model, uint64_t seed, int images_per_call);
void oracle_deinit(Oracle *oracle);
/* Checks crash images of the disk as it is now. depth: how often the recovery itself may crash again. */
void oracle_crash(Oracle *oracle, const SimDisk *disk, int depth);
/* Checks the disk as it is: after a clean close. */
void oracle_reopen(Oracle *oracle, const SimDisk *disk);

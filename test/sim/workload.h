/* SPDX-License-Identifier: Apache-2.0
 * workload.h - one simulated run: clients that work at the same time, maintenance beside them, and the model of what they did. */
#pragma once
#include "base/random.h"
#include "model.h"
#include "sim/sim.h"

typedef struct WorkloadOptions {
    uint64_t seed;
    int transactions; /* of all clients together */
    bool faults;      /* calls of the disk may fail: any clear error is right */
} WorkloadOptions;

/* Runs the workload on the disk from an empty folder to a clean close. The model grows as it goes; a watch of the disk may read it. */
void workload_run(SimDisk *disk, const WorkloadOptions *options, Model *model);
_Noreturn void sim_failed(const char *format, ...) PRINTF_LIKE(1, 2); /* sim.c: prints where the run is, and ends the process */

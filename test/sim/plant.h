/* SPDX-License-Identifier: Apache-2.0
 * plant.h - the numbered list of bugs put in on purpose: in the code, in what the disk is asked, in the log. */
#pragma once
#include "sim/sim.h"

void plant_choose(const char *number); /* NULL or "0": none; ends the program for a number that does not exist or a build without them */
void plant_disk(SimDisk *disk);        /* the chosen one, if it is one of the disk */
void plant_list(void);                 /* number and text of each, one a line */

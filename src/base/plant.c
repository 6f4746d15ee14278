/* SPDX-License-Identifier: Apache-2.0
 * plant.c - which planted bug is active, in builds that have them. */
#include "base/plant.h"

#ifdef BASALT_PLANTED
int plant_chosen;
#endif

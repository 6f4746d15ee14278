/* SPDX-License-Identifier: Apache-2.0
 * order.h - PostgreSQL's order of the values of each type, one by one; for sorts, min and max, and functions of any type. */
#pragma once
#include "column/types.h"

/* Compares two physical values (not NULL): < 0, 0, > 0. Not for BOOL (a bit) and SYMBOL (by its texts). Floats: NaN largest. */
typedef int (*ValueOrder)(const void *a, const void *b);
ValueOrder func__order(TypeId type);

/* SPDX-License-Identifier: Apache-2.0
 * value_rules.h - order, equality and hash of single values, one row a type: group keys, joins, sorts, IN sets, min and max.
 *
 * Rules:   floats in PostgreSQL's order (NaN equal to itself and largest, -0 = 0); numerics by value (1.50 = 1.5); text by bytes;
 *          intervals as 30-day months; symbols by code (their order is the caller's business). Equal values hash alike.
 *          Booleans are read as one byte, 0 or 1. */
#pragma once
#include "column/types.h"

typedef struct ValueRules {
    int (*compare)(const void *a, const void *b); /* <0, 0, >0 */
    bool (*equal)(const void *a, const void *b);
    uint64_t (*hash)(const void *value);
} ValueRules;

const ValueRules *value_rules(TypeId type);
static inline int double_compare(double a, double b) { /* PostgreSQL's order */
    if (a < b) { return -1; }
    if (a > b) { return 1; }
    if (a == b) { return 0; }
    return (a != a) - (b != b);
}

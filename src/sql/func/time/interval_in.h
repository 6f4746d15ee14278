/* SPDX-License-Identifier: Apache-2.0
 * time/interval_in.h - text input of intervals. Threads: pure. */
#pragma once
#include "sql/func/time/time_internal.h"

/* Fields that a type names (interval day to minute), as PostgreSQL's type modifiers count them; 0 = all. */
enum {
    INTERVAL_MASK_MONTH = 1 << 1, INTERVAL_MASK_YEAR = 1 << 2, INTERVAL_MASK_DAY = 1 << 3, INTERVAL_MASK_HOUR = 1 << 10, INTERVAL_MASK_MINUTE = 1 << 11,
    INTERVAL_MASK_SECOND = 1 << 12
};

typedef enum IntervalFault { INTERVAL_OK, INTERVAL_FORM, INTERVAL_FIELD /* 22015 */, INTERVAL_TOO_LARGE /* 22008 */ } IntervalFault;
IntervalFault time__interval_in(Str text, int32_t range, IntervalStyle style, Interval *interval_out);

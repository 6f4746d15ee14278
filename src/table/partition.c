/* SPDX-License-Identifier: Apache-2.0
 * partition.c - where a table's partitions begin and end, in the unit of its designated timestamp.
 *
 * Partitions exist in part lists only: blocks and parts of segments end at their borders, files do not.
 * Tests: test/unit/table/test_partition.c */
#include "base/calendar.h"
#include "table/table_internal.h"

static int64_t micros_floor(int64_t micros, PartitionUnit unit) {
    int64_t day = floor_div(micros, MICROS_PER_DAY);
    int32_t year, month, day_of_month;
    civil_from_days(day, &year, &month, &day_of_month);
    switch (unit) {
    case PARTITION_HOUR: return floor_div(micros, MICROS_PER_DAY / 24) * (MICROS_PER_DAY / 24);
    case PARTITION_DAY: return day * MICROS_PER_DAY;
    case PARTITION_WEEK: return (floor_div(day + 3, 7) * 7 - 3) * MICROS_PER_DAY; /* 1970-01-01 was a Thursday */
    case PARTITION_MONTH: return days_from_civil(year, month, 1) * MICROS_PER_DAY;
    default: return days_from_civil(year, 1, 1) * MICROS_PER_DAY;
    }
}

static int64_t micros_next(int64_t floor, PartitionUnit unit) {
    switch (unit) {
    case PARTITION_HOUR: return floor + MICROS_PER_DAY / 24;
    case PARTITION_DAY: return floor + MICROS_PER_DAY;
    case PARTITION_WEEK: return floor + 7 * MICROS_PER_DAY;
    case PARTITION_MONTH: return micros_add_months(floor, 1);
    default: return micros_add_months(floor, 12);
    }
}

/* Times outside a few hundred thousand years are one partition each side, so that nothing overflows. */
int64_t table__partition_end(PartitionUnit unit, TypeId type, int64_t time) {
    const int64_t micros_limit = INT64_C(200000) * 365 * MICROS_PER_DAY;
    int64_t per_micro = type == TYPE_TIMESTAMP_NS ? 1000 : 1;
    int64_t micros_per_unit = type == TYPE_TIMESTAMP_MS ? 1000 : 1;
    int64_t limit = type == TYPE_TIMESTAMP_NS ? INT64_MAX - INT64_C(366) * 1000 * MICROS_PER_DAY : micros_limit / micros_per_unit;
    if (unit == PARTITION_NONE || time >= limit) {
        return INT64_MAX;
    }
    if (time < -limit) {
        return -limit;
    }
    int64_t micros = floor_div(time, per_micro) * micros_per_unit;
    int64_t end = micros_next(micros_floor(micros, unit), unit);
    return end / micros_per_unit * per_micro;
}

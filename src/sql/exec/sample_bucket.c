/* SPDX-License-Identifier: Apache-2.0
 * sample_bucket.c - see sample_bucket.h.
 *
 * Why:        alignment is by the calendar: fixed steps count from 1970-01-01 (weeks from a Monday), months and years from January 1970,
 *             in local time where a zone is given; the offset moves all edges. Rows come mostly in order, so the last bucket is kept. */
#include "sql/exec/sample_bucket.h"

#define DAY_SECONDS INT64_C(86400)
#define MONDAY_DAYS (-3) /* 1969-12-29 */

static const struct { int64_t nanos; bool months; int64_t month_count; } UNITS[] = {
    [SAMPLE_NANOS] = {1, false, 0},
    [SAMPLE_MICROS] = {1000, false, 0},
    [SAMPLE_MILLIS] = {1000000, false, 0},
    [SAMPLE_SECONDS] = {INT64_C(1000000000), false, 0},
    [SAMPLE_MINUTES] = {INT64_C(60000000000), false, 0},
    [SAMPLE_HOURS] = {INT64_C(3600000000000), false, 0},
    [SAMPLE_DAYS] = {INT64_C(86400000000000), false, 0},
    [SAMPLE_WEEKS] = {INT64_C(604800000000000), false, 0},
    [SAMPLE_MONTHS] = {0, true, 1},
    [SAMPLE_YEARS] = {0, true, 12},
};

ErrorCode bucketer_init(Bucketer *bucketer, Type type, int64_t step, uint8_t unit, const Zone *zone, int64_t offset_micros, Error *err) {
    assert(step > 0);
    assert(unit < COUNT_OF(UNITS));
    *bucketer = (Bucketer){.per_second = type_timestamp_units((TypeId)type.id), .zone = zone, .by_months = UNITS[unit].months};
    int64_t unit_nanos = INT64_C(1000000000) / bucketer->per_second;
    bucketer->offset = bucketer->per_second >= 1000000 ? offset_micros * (bucketer->per_second / 1000000)
                                                       : floor_div(offset_micros, 1000000 / bucketer->per_second);
    bool overflow;
    if (bucketer->by_months) {
        overflow = __builtin_mul_overflow(step, UNITS[unit].month_count, &bucketer->step) || bucketer->step > 12000000;
    } else {
        overflow = __builtin_mul_overflow(step, UNITS[unit].nanos, &bucketer->step);
    }
    if (overflow) {
        return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "SAMPLE BY interval is too long");
    }
    if (!bucketer->by_months) {
        if (bucketer->step % unit_nanos != 0) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "SAMPLE BY interval is finer than the timestamp");
        }
        bucketer->step /= unit_nanos;
    }
    bucketer->origin = unit == SAMPLE_WEEKS ? MONDAY_DAYS * DAY_SECONDS * bucketer->per_second : 0;
    return ERR_OK;
}

static int64_t to_local(const Bucketer *bucketer, int64_t instant) {
    int64_t shift = bucketer->zone == NULL ? 0 : zone_offset_at_utc(bucketer->zone, floor_div(instant, bucketer->per_second)) * bucketer->per_second;
    return instant + shift - bucketer->offset;
}

static int64_t to_utc(const Bucketer *bucketer, int64_t local) {
    local += bucketer->offset;
    if (bucketer->zone == NULL) {
        return local;
    }
    int64_t seconds = floor_div(local, bucketer->per_second);
    return zone_to_utc(bucketer->zone, seconds) * bucketer->per_second + (local - seconds * bucketer->per_second);
}

static int64_t add_months(const Bucketer *bucketer, int64_t local, int64_t months) {
    if (bucketer->per_second >= 1000000) {
        int64_t scale = bucketer->per_second / 1000000, micros = floor_div(local, scale);
        return micros_add_months(micros, months) * scale + (local - micros * scale);
    }
    int64_t scale = 1000000 / bucketer->per_second;
    return floor_div(micros_add_months(local * scale, months), scale);
}

static int64_t month_of(const Bucketer *bucketer, int64_t local) {
    int32_t year, month, day;
    civil_from_days(floor_div(local, DAY_SECONDS * bucketer->per_second), &year, &month, &day);
    return (int64_t)year * 12 + month - 1;
}

static int64_t local_start(const Bucketer *bucketer, int64_t local) {
    if (!bucketer->by_months) {
        return floor_div(local - bucketer->origin, bucketer->step) * bucketer->step + bucketer->origin;
    }
    int64_t steps = floor_div(month_of(bucketer, local) - month_of(bucketer, bucketer->origin), bucketer->step);
    while (add_months(bucketer, bucketer->origin, steps * bucketer->step) > local) { /* the origin's day may lie later in its month */
        steps--;
    }
    return add_months(bucketer, bucketer->origin, steps * bucketer->step);
}

static int64_t local_next(const Bucketer *bucketer, int64_t local) {
    if (!bucketer->by_months) {
        return local + bucketer->step;
    }
    int64_t steps = floor_div(month_of(bucketer, local) - month_of(bucketer, bucketer->origin), bucketer->step);
    int64_t next = add_months(bucketer, bucketer->origin, (steps + 1) * bucketer->step); /* not from local: days clip at month ends */
    return next > local ? next : add_months(bucketer, bucketer->origin, (steps + 2) * bucketer->step);
}

void bucketer_align(Bucketer *bucketer, int64_t instant) { bucketer->origin = to_local(bucketer, instant); }

int64_t bucketer_next(const Bucketer *bucketer, int64_t bucket) {
    int64_t local = to_local(bucketer, bucket);
    int64_t next;
    do { /* an hour that a clock change repeats or leaves out gives the same instant twice */
        local = local_next(bucketer, local_start(bucketer, local));
        next = to_utc(bucketer, local);
    } while (next <= bucket);
    return next;
}

int64_t bucketer_find(Bucketer *bucketer, int64_t instant) {
    int64_t start = to_utc(bucketer, local_start(bucketer, to_local(bucketer, instant)));
    bucketer->cached_from = start;
    bucketer->cached_to = bucketer_next(bucketer, start);
    if (instant < start || instant >= bucketer->cached_to) { /* beside a clock change the local floor lies in the other offset */
        bucketer->cached_to = bucketer->cached_from;
    }
    return start;
}

/* SPDX-License-Identifier: Apache-2.0
 * time/arithmetic.c - times plus and minus intervals, days and numbers; differences; dateadd, datediff, age; interval arithmetic. */
#include <math.h>

#include "sql/func/time/time_internal.h"

static ErrorCode interval_overflow(Error *err) {
    return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "interval out of range");
}

#define TIMESTAMP_LOWEST (INT64_C(-2440588) * MICROS_PER_DAY) /* 4714-11-24 BC */

static Int128 total_nanos(const Wall *wall) {
    return (Int128)wall->days * NANOS_PER_DAY + wall->nanos;
}

static void set_nanos(Wall *wall, Int128 nanos) {
    Int128 days = nanos / NANOS_PER_DAY;
    if (nanos % NANOS_PER_DAY < 0) {
        days--;
    }
    wall->days = (int64_t)days;
    wall->nanos = (int64_t)(nanos - days * NANOS_PER_DAY);
}

/* ---- time + interval ---- */

/* Months and days move the wall clock, the rest moves the instant (a day of 23 or 25 hours in the zone counts as one day). */
ErrorCode time__add_interval(TypeId from, TypeId to, const void *value, Interval interval, int sign, const Zone *zone, void *out, Error *err) {
    Wall wall = time__load(from, value, zone);
    int infinite = sign * interval_is_infinite(interval);
    if (infinite != 0 && wall.infinite == -infinite) {
        return time__overflow(to, err);
    }
    if (wall.infinite != 0 || infinite != 0) {
        wall.infinite = wall.infinite != 0 ? wall.infinite : (int8_t)infinite;
        return time__store(to, wall, zone, out, err);
    }
    TRY(time__add_months(&wall, (int64_t)sign * interval.months, to, err));
    wall.days += (int64_t)sign * interval.days;
    Int128 nanos = (Int128)sign * interval.micros * 1000;
    if (to != TYPE_TIMESTAMPTZ) {
        set_nanos(&wall, total_nanos(&wall) + nanos);
        return time__store(to, wall, zone, out, err);
    }
    int64_t instant;
    if (from == to && interval.months == 0 && interval.days == 0) {
        memcpy(&instant, value, sizeof instant); /* no way through the local time, which may be one of two instants */
    } else {
        TRY(time__store(to, wall, zone, &instant, err));
    }
    Int128 exact = (Int128)instant + nanos / 1000;
    if (exact < TIMESTAMP_LOWEST || exact >= INT64_MAX) {
        return time__overflow(to, err);
    }
    instant = (int64_t)exact;
    memcpy(out, &instant, sizeof instant);
    return ERR_OK;
}

static ErrorCode add_interval_rows(const KernelCall *call, Vector *out, size_t time, int sign, Error *err) {
    ArgView a = func__arg(call, time), b = func__arg(call, 1 - time);
    TypeId from = (TypeId)call->args[time]->type.id, to = (TypeId)out->type.id;
    FOR_ROWS(call, row) {
        TRY(time__add_interval(from, to, time__at(a, row), AT(Interval, b, row), sign, func__zone(call), time__slot(out, row), err));
    }
    return ERR_OK;
}

/* (time, interval, zone) */
static ErrorCode add_in_zone(const KernelCall *call, Vector *out, int sign, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1), names = func__arg(call, 2);
    FOR_ROWS(call, row) {
        const Zone *zone;
        TRY(func__zone_find(call->environment, func__text(names, row), true, call->arena, &zone, err));
        TRY(time__add_interval(TYPE_TIMESTAMPTZ, TYPE_TIMESTAMPTZ, time__at(a, row), AT(Interval, b, row), sign, zone, time__slot(out, row), err));
    }
    return ERR_OK;
}

ErrorCode func__date_add_zone(const KernelCall *call, Vector *out, Error *err) { return add_in_zone(call, out, 1, err); }
ErrorCode func__date_subtract_zone(const KernelCall *call, Vector *out, Error *err) { return add_in_zone(call, out, -1, err); }

ErrorCode func__add_time_interval(const KernelCall *call, Vector *out, Error *err) {
    return add_interval_rows(call, out, 0, 1, err);
}
ErrorCode func__add_interval_time(const KernelCall *call, Vector *out, Error *err) {
    return add_interval_rows(call, out, 1, 1, err);
}
ErrorCode func__sub_time_interval(const KernelCall *call, Vector *out, Error *err) {
    return add_interval_rows(call, out, 0, -1, err);
}

/* ---- date + days, time + units ---- */

static ErrorCode add_days(const KernelCall *call, Vector *out, size_t date, int sign, Error *err) {
    ArgView a = func__arg(call, date), b = func__arg(call, 1 - date);
    FOR_ROWS(call, row) {
        Wall wall = time__load(TYPE_DATE, time__at(a, row), NULL);
        wall.days += (int64_t)sign * AT(int32_t, b, row);
        TRY(time__store(TYPE_DATE, wall, NULL, time__slot(out, row), err));
    }
    return ERR_OK;
}

ErrorCode func__add_date_days(const KernelCall *call, Vector *out, Error *err) {
    return add_days(call, out, 0, 1, err);
}
ErrorCode func__add_days_date(const KernelCall *call, Vector *out, Error *err) {
    return add_days(call, out, 1, 1, err);
}
ErrorCode func__sub_date_days(const KernelCall *call, Vector *out, Error *err) {
    return add_days(call, out, 0, -1, err);
}

ErrorCode func__sub_date_date(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        int32_t x = AT(int32_t, a, row), y = AT(int32_t, b, row);
        if (x == INT32_MIN || x == INT32_MAX || y == INT32_MIN || y == INT32_MAX) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "cannot subtract infinite dates");
        }
        ((int32_t *)vector_data(out))[row] = x - y;
    }
    return ERR_OK;
}

/* QuestDB: timestamp + n counts units of the timestamp (microseconds, nanoseconds, milliseconds). */
static ErrorCode add_units(const KernelCall *call, Vector *out, bool subtract, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    int64_t *to = vector_data(out);
    FOR_ROWS(call, row) {
        int64_t time = AT(int64_t, a, row), units = AT(int64_t, b, row);
        bool bad = subtract ? __builtin_sub_overflow(time, units, &to[row]) : __builtin_add_overflow(time, units, &to[row]);
        if (bad) {
            return time__overflow((TypeId)out->type.id, err);
        }
    }
    return ERR_OK;
}

ErrorCode func__add_time_units(const KernelCall *call, Vector *out, Error *err) {
    return add_units(call, out, false, err);
}
ErrorCode func__sub_time_units(const KernelCall *call, Vector *out, Error *err) {
    return add_units(call, out, true, err);
}

/* ---- differences ---- */

/* timestamp - timestamp: days and time, no months, as PostgreSQL. */
ErrorCode func__sub_time_time(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    TypeId type = (TypeId)call->args[0]->type.id;
    FOR_ROWS(call, row) {
        Wall x = time__load(type, time__at(a, row), NULL), y = time__load(type, time__at(b, row), NULL);
        if (x.infinite != 0 || y.infinite != 0) {
            if (x.infinite == y.infinite) {
                return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "interval out of range");
            }
            ((Interval *)vector_data(out))[row] = interval_infinite(x.infinite != 0 ? x.infinite : -y.infinite);
            continue;
        }
        Int128 micros = (total_nanos(&x) - total_nanos(&y)) / 1000;
        Interval interval = {.days = (int32_t)(micros / MICROS_PER_DAY), .micros = (int64_t)(micros % MICROS_PER_DAY)};
        ((Interval *)vector_data(out))[row] = interval;
    }
    return ERR_OK;
}

/* The questdb dialect: the distance in units of the timestamp. */
ErrorCode func__sub_time_time_units(const KernelCall *call, Vector *out, Error *err) {
    return add_units(call, out, true, err);
}

/* Whole months from the earlier to the later. */
static int64_t whole_months(const Wall *early, const Wall *late) {
    int32_t y0, m0, d0, y1, m1, d1;
    civil_from_days(early->days, &y0, &m0, &d0);
    civil_from_days(late->days, &y1, &m1, &d1);
    int64_t months = ((int64_t)y1 - y0) * 12 + (m1 - m0);
    bool short_of_it = d1 < d0 || (d1 == d0 && late->nanos < early->nanos);
    return months - short_of_it;
}

static ErrorCode bad_unit(Str unit, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid time period unit '%.*s'", STR_ARG(unit));
}

/* datediff(unit, a, b): never negative. */
ErrorCode func__datediff(const KernelCall *call, Vector *out, Error *err) {
    ArgView names = func__arg(call, 0), a = func__arg(call, 1), b = func__arg(call, 2);
    FOR_ROWS(call, row) {
        Wall x = time__load((TypeId)call->args[1]->type.id, time__at(a, row), NULL);
        Wall y = time__load((TypeId)call->args[2]->type.id, time__at(b, row), NULL);
        Stride stride;
        Str name = func__text(names, row);
        if (!time__stride(name, &stride)) {
            return bad_unit(name, err);
        }
        bool swap = total_nanos(&x) > total_nanos(&y);
        const Wall *early = swap ? &y : &x, *late = swap ? &x : &y;
        int64_t unit = time__unit_nanos(stride.unit), difference;
        if (unit != 0) {
            difference = (int64_t)((total_nanos(late) - total_nanos(early)) / unit);
        } else {
            difference = whole_months(early, late) / (stride.unit == 'y' ? 12 : 1);
        }
        ((int64_t *)vector_data(out))[row] = difference / stride.count;
    }
    return ERR_OK;
}

/* dateadd(unit, count, time) */
ErrorCode func__dateadd(const KernelCall *call, Vector *out, Error *err) {
    ArgView names = func__arg(call, 0), counts = func__arg(call, 1), a = func__arg(call, 2);
    TypeId type = (TypeId)call->args[2]->type.id;
    FOR_ROWS(call, row) {
        Stride stride;
        Str name = func__text(names, row);
        Wall wall = time__load(type, time__at(a, row), NULL);
        int64_t count = AT(int32_t, counts, row);
        if (!time__stride(name, &stride)) {
            return bad_unit(name, err);
        }
        int64_t unit = time__unit_nanos(stride.unit);
        if (unit != 0 && wall.infinite == 0) {
            set_nanos(&wall, total_nanos(&wall) + (Int128)unit * count * stride.count);
        } else if (wall.infinite == 0) {
            TRY(time__add_months(&wall, count * stride.count * (stride.unit == 'y' ? 12 : 1), type, err));
        }
        TRY(time__store((TypeId)out->type.id, wall, NULL, time__slot(out, row), err));
    }
    return ERR_OK;
}

/* ---- age ---- */

/* Years, months, days and time between two moments, counted on the calendar from the earlier one's month. */
static Interval age_between(const Wall *late, const Wall *early) {
    int32_t y1, m1, d1, y0, m0, d0;
    civil_from_days(late->days, &y1, &m1, &d1);
    civil_from_days(early->days, &y0, &m0, &d0);
    int64_t micros = (late->nanos - early->nanos) / 1000;
    int64_t days = d1 - d0, months = ((int64_t)y1 - y0) * 12 + (m1 - m0);
    if (micros < 0) {
        micros += MICROS_PER_DAY;
        days--;
    }
    while (days < 0) {
        days += days_in_month(y0, m0);
        months--;
    }
    return (Interval){(int32_t)months, (int32_t)days, micros};
}

static Interval age_of(const Wall *a, const Wall *b) {
    if (total_nanos(a) >= total_nanos(b)) {
        return age_between(a, b);
    }
    Interval interval = age_between(b, a);
    return (Interval){-interval.months, -interval.days, -interval.micros};
}

/* age(a[, b]); alone: from today's midnight. */
ErrorCode func__age(const KernelCall *call, Vector *out, Error *err) {
    const Zone *zone = func__zone(call);
    TypeId type = (TypeId)call->args[0]->type.id;
    FOR_ROWS(call, row) {
        Wall a = time__load(type, time__at(func__arg(call, 0), row), zone), b = a;
        if (call->arg_count > 1) {
            b = time__load((TypeId)call->args[1]->type.id, time__at(func__arg(call, 1), row), zone);
        } else {
            a = time__load(TYPE_TIMESTAMPTZ, &call->environment->now_micros, zone);
            a.nanos = 0;
        }
        if (a.infinite != 0 && a.infinite == b.infinite) {
            return interval_overflow(err);
        }
        bool infinite = a.infinite != 0 || b.infinite != 0;
        ((Interval *)vector_data(out))[row] = infinite ? interval_infinite(a.infinite - b.infinite) : age_of(&a, &b);
    }
    return ERR_OK;
}

/* ---- intervals ---- */

static ErrorCode interval_sum(Interval a, Interval b, int sign, Interval *out, Error *err) {
    int x = interval_is_infinite(a), y = sign * interval_is_infinite(b);
    if (x != 0 || y != 0) {
        if (x == -y) {
            return interval_overflow(err);
        }
        *out = interval_infinite(x != 0 ? x : y);
        return ERR_OK;
    }
    Interval sum;
    bool bad = sign > 0 ? __builtin_add_overflow(a.months, b.months, &sum.months) || __builtin_add_overflow(a.days, b.days, &sum.days) ||
                              __builtin_add_overflow(a.micros, b.micros, &sum.micros)
                        : __builtin_sub_overflow(a.months, b.months, &sum.months) || __builtin_sub_overflow(a.days, b.days, &sum.days) ||
                              __builtin_sub_overflow(a.micros, b.micros, &sum.micros);
    if (bad) {
        return interval_overflow(err);
    }
    *out = sum;
    return ERR_OK;
}

#define INTERVAL_SUM(verb, SIGN)                                                                                       \
    ErrorCode func__##verb##_interval(const KernelCall *call, Vector *out, Error *err) {                               \
        ArgView a = func__arg(call, 0), b = func__arg(call, 1);                                                        \
        FOR_ROWS(call, row) {                                                                                          \
            TRY(interval_sum(AT(Interval, a, row), AT(Interval, b, row), SIGN, (Interval *)vector_data(out) + row, err)); \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
INTERVAL_SUM(add, 1)
INTERVAL_SUM(sub, -1)

ErrorCode func__neg_interval(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        TRY(interval_sum((Interval){0}, AT(Interval, a, row), -1, (Interval *)vector_data(out) + row, err));
    }
    return ERR_OK;
}

/* Fractions of months become days, of days time; PostgreSQL's rounding at the sixth place keeps 0.1 from leaving crumbs. */
static double to_microsecond(double value) {
    return nearbyint(value * 1e6) / 1e6;
}

/* An interval of so many months, days and microseconds: fractions go down into the smaller ones. */
static ErrorCode scale_finite(double months, double days, double exact_micros, Interval *out, Error *err) {
    if (!isfinite(months) || fabs(months) > INT32_MAX || !isfinite(days) || fabs(days) > INT32_MAX) {
        return interval_overflow(err);
    }
    Interval r = {.months = (int32_t)months, .days = (int32_t)days};
    double month_days = to_microsecond((months - r.months) * 30);
    double seconds = to_microsecond((days - r.days + month_days - trunc(month_days)) * 86400);
    if (fabs(seconds) >= 86400) {
        if (__builtin_add_overflow(r.days, (int32_t)(seconds / 86400), &r.days)) {
            return interval_overflow(err);
        }
        seconds -= trunc(seconds / 86400) * 86400;
    }
    if (__builtin_add_overflow(r.days, (int32_t)month_days, &r.days)) {
        return interval_overflow(err);
    }
    double micros = nearbyint(exact_micros + seconds * 1e6);
    if (!(fabs(micros) < 9.2e18)) {
        return interval_overflow(err);
    }
    r.micros = (int64_t)micros;
    *out = r;
    return ERR_OK;
}

static ErrorCode interval_scale(Interval a, double factor, Interval *out, Error *err) {
    int infinite = interval_is_infinite(a);
    if (infinite != 0) {
        if (factor == 0 || factor != factor) {
            return interval_overflow(err);
        }
        *out = interval_infinite(factor < 0 ? -infinite : infinite);
        return ERR_OK;
    }
    if (isinf(factor)) {
        Int128 span = interval_span(a);
        *out = interval_infinite((span < 0) == (factor < 0) ? 1 : -1);
        return span == 0 ? interval_overflow(err) : ERR_OK;
    }
    return scale_finite(a.months * factor, a.days * factor, (double)a.micros * factor, out, err);
}

ErrorCode func__interval_divide(Interval a, double divisor, Interval *out, Error *err) {
    if (interval_is_infinite(a) != 0) {
        return isinf(divisor) ? interval_overflow(err) : interval_scale(a, divisor, out, err);
    }
    return isnan(divisor) ? interval_overflow(err) : scale_finite(a.months / divisor, a.days / divisor, (double)a.micros / divisor, out, err);
}

ErrorCode func__mul_interval(const KernelCall *call, Vector *out, Error *err) {
    size_t interval = call->args[0]->type.id == TYPE_INTERVAL ? 0 : 1;
    ArgView a = func__arg(call, interval), b = func__arg(call, 1 - interval);
    FOR_ROWS(call, row) {
        TRY(interval_scale(AT(Interval, a, row), AT(double, b, row), (Interval *)vector_data(out) + row, err));
    }
    return ERR_OK;
}

ErrorCode func__div_interval(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        if (AT(double, b, row) == 0) {
            return func__division_by_zero(err);
        }
        TRY(func__interval_divide(AT(Interval, a, row), AT(double, b, row), (Interval *)vector_data(out) + row, err));
    }
    return ERR_OK;
}

/* ---- justify ---- */

static void carry(int64_t *small, int64_t unit, int64_t *large) {
    *large += *small / unit;
    *small %= unit;
}

/* Signs of two neighbouring fields are made alike. */
static void align_signs(int64_t *small, int64_t unit, int64_t *large) {
    if (*large > 0 && *small < 0) {
        *small += unit;
        --*large;
    } else if (*large < 0 && *small > 0) {
        *small -= unit;
        ++*large;
    }
}

static ErrorCode justify(Interval a, bool hours, bool days, Interval *out, Error *err) {
    int64_t months = a.months, day_count = a.days, micros = a.micros;
    if (interval_is_infinite(a) != 0) {
        *out = a;
        return ERR_OK;
    }
    if (hours) {
        carry(&micros, MICROS_PER_DAY, &day_count);
    }
    if (days) {
        carry(&day_count, 30, &months);
    }
    if (days) {
        bool same = months != 0 && (day_count != 0 ? (months > 0) != (day_count > 0) : hours && micros != 0 && (months > 0) != (micros > 0));
        if (same) {
            day_count += months > 0 ? 30 : -30;
            months -= months > 0 ? 1 : -1;
        }
    }
    if (hours) {
        align_signs(&micros, MICROS_PER_DAY, &day_count);
    }
    if (months != (int32_t)months || day_count != (int32_t)day_count) {
        return interval_overflow(err);
    }
    *out = (Interval){(int32_t)months, (int32_t)day_count, micros};
    return ERR_OK;
}

#define JUSTIFY(verb, HOURS, DAYS)                                                                                     \
    ErrorCode func__##verb(const KernelCall *call, Vector *out, Error *err) {                                          \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            TRY(justify(AT(Interval, a, row), HOURS, DAYS, (Interval *)vector_data(out) + row, err));                  \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
JUSTIFY(justify_hours, true, false)
JUSTIFY(justify_days, false, true)
JUSTIFY(justify_interval, true, true)

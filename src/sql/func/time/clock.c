/* SPDX-License-Identifier: Apache-2.0
 * time/clock.c - times of day: arithmetic, the clock, zones, making them; OVERLAPS of any times. */
#include <math.h>

#include "column/value_rules.h"
#include "sql/func/time/time_internal.h"

static int64_t day_micros(int64_t micros) {
    return micros - floor_div(micros, MICROS_PER_DAY) * MICROS_PER_DAY;
}

/* ---- arithmetic ---- */

static ErrorCode shift_clock(const KernelCall *call, Vector *out, size_t clock, int sign, Error *err) {
    ArgView a = func__arg(call, clock), b = func__arg(call, 1 - clock);
    bool zoned = call->args[clock]->type.id == TYPE_TIMETZ;
    FOR_ROWS(call, row) {
        Interval interval = AT(Interval, b, row);
        if (interval_is_infinite(interval) != 0) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "cannot %s infinite interval %s time", sign > 0 ? "add" : "subtract", sign > 0 ? "to" : "from");
        }
        int64_t before = zoned ? AT(TimeTz, a, row).micros : AT(int64_t, a, row);
        int64_t micros = day_micros(before % MICROS_PER_DAY + sign * (interval.micros % MICROS_PER_DAY));
        if (zoned) {
            ((TimeTz *)vector_data(out))[row] = (TimeTz){.micros = micros, .zone_west = AT(TimeTz, a, row).zone_west};
        } else {
            ((int64_t *)vector_data(out))[row] = micros;
        }
    }
    return ERR_OK;
}

ErrorCode func__add_clock_interval(const KernelCall *call, Vector *out, Error *err) {
    return shift_clock(call, out, 0, 1, err);
}
ErrorCode func__add_interval_clock(const KernelCall *call, Vector *out, Error *err) {
    return shift_clock(call, out, 1, 1, err);
}
ErrorCode func__sub_clock_interval(const KernelCall *call, Vector *out, Error *err) {
    return shift_clock(call, out, 0, -1, err);
}

ErrorCode func__sub_clock_clock(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((Interval *)vector_data(out))[row] = (Interval){.micros = AT(int64_t, a, row) - AT(int64_t, b, row)};
    }
    return ERR_OK;
}

static ErrorCode join_date(const KernelCall *call, Vector *out, size_t date, Error *err) {
    ArgView d = func__arg(call, date), c = func__arg(call, 1 - date);
    bool zoned = call->args[1 - date]->type.id == TYPE_TIMETZ;
    FOR_ROWS(call, row) {
        Wall wall = time__load(TYPE_DATE, time__at(d, row), NULL);
        int64_t micros = zoned ? AT(TimeTz, c, row).micros + (int64_t)AT(TimeTz, c, row).zone_west * MICROS_PER_SECOND : AT(int64_t, c, row);
        if (wall.infinite == 0) {
            wall.days += floor_div(micros, MICROS_PER_DAY);
            wall.nanos = day_micros(micros) * 1000;
        }
        TRY(time__store((TypeId)out->type.id, wall, NULL, time__slot(out, row), err));
    }
    return ERR_OK;
}

ErrorCode func__add_date_clock(const KernelCall *call, Vector *out, Error *err) {
    return join_date(call, out, 0, err);
}
ErrorCode func__add_clock_date(const KernelCall *call, Vector *out, Error *err) {
    return join_date(call, out, 1, err);
}

/* ---- the clock ---- */

static int32_t zone_east_now(const KernelCall *call) {
    const Zone *zone = func__zone(call);
    return zone == NULL ? 0 : zone_offset_at_utc(zone, floor_div(call->environment->now_micros, MICROS_PER_SECOND));
}

/* current_time [(digits)] */
ErrorCode func__current_time(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    int64_t micros = day_micros(func__to_wall(func__zone(call), call->environment->now_micros));
    for (size_t row = 0; row < call->row_count; row++) {
        ((TimeTz *)vector_data(out))[row] = (TimeTz){.micros = micros, .zone_west = -zone_east_now(call)};
    }
    return ERR_OK;
}

ErrorCode func__localtime(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    int64_t micros = day_micros(func__to_wall(func__zone(call), call->environment->now_micros));
    for (size_t row = 0; row < call->row_count; row++) {
        ((int64_t *)vector_data(out))[row] = micros;
    }
    return ERR_OK;
}

/* "Mon Nov 30 17:43:03.123456 2026 UTC" */
ErrorCode func__timeofday(const KernelCall *call, Vector *out, Error *err) {
    const FunctionEnvironment *environment = call->environment;
    int64_t micros = environment->clock_micros == NULL ? environment->now_micros : environment->clock_micros(environment->clock);
    Wall wall = time__load(TYPE_TIMESTAMPTZ, &micros, environment->zone);
    Str zone_name = environment->zone == NULL ? STR("UTC") : zone_abbreviation_at_utc(environment->zone, floor_div(micros, MICROS_PER_SECOND));
    Buffer text;
    buffer_init(&text, 4096);
    ErrorCode code = time__format_pg(wall, STR("Dy Mon DD HH24:MI:SS.US YYYY TZ"), zone_name, &text, err);
    for (size_t row = 0; code == ERR_OK && row < call->row_count; row++) {
        func__put_copy(call, out, row, buffer_str(&text));
    }
    buffer_deinit(&text);
    return code;
}

/* ---- zones ---- */

static ErrorCode interval_east(Interval interval, int32_t *east_out, Error *err) {
    if (interval.months != 0 || interval.days != 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "interval time zone must not include months or days");
    }
    *east_out = (int32_t)(interval.micros / MICROS_PER_SECOND);
    return ERR_OK;
}

static ErrorCode zone_east(const KernelCall *call, size_t argument, size_t row, int64_t instant, int32_t *east_out, Error *err) {
    const Zone *zone = NULL;
    if (call->args[argument]->type.id == TYPE_INTERVAL) {
        return interval_east(AT(Interval, func__arg(call, argument), row), east_out, err);
    }
    TRY(func__zone_find(call->environment, func__text(func__arg(call, argument), row), true, call->arena, &zone, err));
    *east_out = zone == NULL ? 0 : zone_offset_at_utc(zone, floor_div(instant, MICROS_PER_SECOND));
    return ERR_OK;
}

static ErrorCode clock_in_zone(const KernelCall *call, Vector *out, size_t clock, Error *err) {
    int64_t now = call->environment == NULL ? 0 : call->environment->now_micros;
    FOR_ROWS(call, row) {
        TimeTz time = AT(TimeTz, func__arg(call, clock), row);
        int32_t east = 0;
        TRY(zone_east(call, 1 - clock, row, now, &east, err));
        int64_t micros = day_micros(time.micros + ((int64_t)time.zone_west + east) * MICROS_PER_SECOND);
        ((TimeTz *)vector_data(out))[row] = (TimeTz){.micros = micros, .zone_west = -east};
    }
    return ERR_OK;
}

ErrorCode func__clock_at_zone(const KernelCall *call, Vector *out, Error *err) {
    return clock_in_zone(call, out, 0, err);
}
ErrorCode func__timezone_clock(const KernelCall *call, Vector *out, Error *err) {
    return clock_in_zone(call, out, 1, err);
}

/* timestamp and timestamptz AT TIME ZONE interval */
static ErrorCode time_at_interval(const KernelCall *call, Vector *out, size_t time, Error *err) {
    int sign = call->args[time]->type.id == TYPE_TIMESTAMPTZ ? 1 : -1;
    FOR_ROWS(call, row) {
        int64_t micros = AT(int64_t, func__arg(call, time), row);
        int32_t east = 0;
        TRY(interval_east(AT(Interval, func__arg(call, 1 - time), row), &east, err));
        ((int64_t *)vector_data(out))[row] = func__infinite(micros) ? micros : micros + sign * (int64_t)east * MICROS_PER_SECOND;
    }
    return ERR_OK;
}

ErrorCode func__time_at_interval(const KernelCall *call, Vector *out, Error *err) {
    return time_at_interval(call, out, 0, err);
}
ErrorCode func__timezone_interval(const KernelCall *call, Vector *out, Error *err) {
    return time_at_interval(call, out, 1, err);
}

/* ---- making ---- */

/* make_time(hour, minute, seconds) */
ErrorCode func__make_time(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int32_t hour = AT(int32_t, func__arg(call, 0), row), minute = AT(int32_t, func__arg(call, 1), row);
        double seconds = AT(double, func__arg(call, 2), row);
        bool fine = hour >= 0 && hour <= 24 && minute >= 0 && minute < 60 && seconds >= 0 && seconds <= 60;
        if (!fine || (hour == 24 && (minute > 0 || seconds > 0))) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "time field value out of range: %d:%02d:%02g", (int)hour, (int)minute, seconds);
        }
        ((int64_t *)vector_data(out))[row] = (int64_t)hour * 3600 * MICROS_PER_SECOND + (int64_t)minute * 60 * MICROS_PER_SECOND + (int64_t)nearbyint(seconds * 1e6);
    }
    return ERR_OK;
}

ErrorCode func__isfinite_interval(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        func__put_bool(out, row, interval_is_infinite(AT(Interval, func__arg(call, 0), row)) == 0);
    }
    return ERR_OK;
}

/* to_char(interval, format): hours are not cut at a day. */
ErrorCode func__to_char_interval(const KernelCall *call, Vector *out, Error *err) {
    Buffer text;
    ErrorCode code = ERR_OK;
    buffer_init(&text, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        Interval interval = AT(Interval, func__arg(call, 0), row);
        buffer_clear(&text);
        if (interval_is_infinite(interval) != 0 || func__text(func__arg(call, 1), row).len == 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY_OR(done, time__format_interval(interval, func__text(func__arg(call, 1), row), &text, err));
        func__put_copy(call, out, row, buffer_str(&text));
    }
done:
    buffer_deinit(&text);
    return code;
}

/* ---- overlaps ---- */

typedef struct Period { const void *from, *to; } Period; /* NULL: SQL NULL */

static const void *value_or_null(const KernelCall *call, size_t argument, size_t row) {
    return vector_is_null(call->args[argument], row) ? NULL : vector_value(call->args[argument], row);
}

/* The end that is known is the start; false: both are NULL. */
static bool ordered(Period *p, int (*compare)(const void *, const void *)) {
    if (p->from == NULL && p->to == NULL) {
        return false;
    }
    if (p->from == NULL) {
        *p = (Period){p->to, NULL};
    } else if (p->to != NULL && compare(p->from, p->to) > 0) {
        *p = (Period){p->to, p->from};
    }
    return true;
}

/* -1: NULL */
static int overlap(Period early, Period late, int (*compare)(const void *, const void *)) {
    if (early.to == NULL) {
        return -1;
    }
    if (compare(late.from, early.to) < 0) {
        return 1;
    }
    return late.to == NULL ? -1 : 0;
}

/* (a, b) OVERLAPS (c, d), PostgreSQL's answers with NULLs too. */
ErrorCode func__overlaps(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    int (*compare)(const void *, const void *) = value_rules((TypeId)call->args[0]->type.id)->compare;
    FOR_ROWS(call, row) {
        Period a = {value_or_null(call, 0, row), value_or_null(call, 1, row)}, b = {value_or_null(call, 2, row), value_or_null(call, 3, row)};
        int answer = -1;
        if (ordered(&a, compare) && ordered(&b, compare)) {
            int order = compare(a.from, b.from);
            if (order == 0) {
                answer = a.to == NULL || b.to == NULL ? -1 : 1;
            } else {
                answer = order < 0 ? overlap(a, b, compare) : overlap(b, a, compare);
            }
        }
        func__put_bool(out, row, answer > 0);
        if (answer < 0) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

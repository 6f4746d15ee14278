/* SPDX-License-Identifier: Apache-2.0
 * time/trunc.c - date_trunc, date_bin, timestamp_floor, timestamp_ceil. */
#include "sql/func/time/time_internal.h"

/* ---- date_trunc ---- */

static ErrorCode trunc_row(TypeId type, TimeField field, Str name, const void *value, const Zone *zone, void *to, Error *err) {
    Wall wall = time__load(type, value, zone);
    int64_t nanos = wall.nanos;
    if (field >= FIELD_TIMEZONE && field <= FIELD_TIMEZONE_MINUTE) {
        return time__unknown_field(name, type, err);
    }
    if (field > FIELD_MILLENNIUM || (wall.infinite == 0 && !time__truncate(&wall, field))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unit \"%.*s\" not recognized for type %s", STR_ARG(name),
                         type_sql_name(type));
    }
    if (type == TYPE_TIMESTAMPTZ && field <= FIELD_HOUR && wall.infinite == 0) { /* stays on its side of a change of the clock */
        int64_t instant;
        memcpy(&instant, value, sizeof instant);
        instant -= (nanos - wall.nanos) / 1000;
        memcpy(to, &instant, sizeof instant);
        return ERR_OK;
    }
    return time__store(type, wall, zone, to, err);
}

/* date_trunc(field, time[, zone]) */
ErrorCode func__date_trunc(const KernelCall *call, Vector *out, Error *err) {
    ArgView names = func__arg(call, 0), a = func__arg(call, 1);
    const Zone *zone = func__zone(call);
    TypeId type = (TypeId)call->args[1]->type.id;
    Str last = {0};
    TimeField field = FIELD_UNKNOWN;
    FOR_ROWS(call, row) {
        Str name = func__text(names, row);
        if (last.data == NULL || !str_equal(name, last)) {
            field = time__field(name);
            last = name;
        }
        if (field == FIELD_UNKNOWN) {
            return time__unknown_field(name, type, err);
        }
        if (call->arg_count > 2) {
            TRY(func__zone_find(call->environment, func__text(func__arg(call, 2), row), true, call->arena, &zone, err));
        }
        TRY(trunc_row(type, field, name, time__at(a, row), zone, time__slot(out, row), err));
    }
    return ERR_OK;
}

static bool trunc_interval(Interval *interval, TimeField field) {
    static const int32_t MONTHS[] = {[FIELD_MONTH] = 1,    [FIELD_QUARTER] = 3,    [FIELD_YEAR] = 12,
                                     [FIELD_DECADE] = 120, [FIELD_CENTURY] = 1200, [FIELD_MILLENNIUM] = 12000};
    static const int64_t MICROS[] = {[FIELD_NANOSECOND] = 1,     [FIELD_MICROSECOND] = 1,   [FIELD_MILLISECOND] = 1000,
                                     [FIELD_SECOND] = 1000000,   [FIELD_MINUTE] = 60000000, [FIELD_HOUR] = INT64_C(3600000000)};
    if (field <= FIELD_HOUR) {
        interval->micros = interval->micros / MICROS[field] * MICROS[field];
        return true;
    }
    if (field == FIELD_WEEK || field > FIELD_MILLENNIUM) {
        return false;
    }
    interval->micros = 0;
    if (field != FIELD_DAY) {
        interval->days = 0;
        interval->months = interval->months / MONTHS[field] * MONTHS[field];
    }
    return true;
}

ErrorCode func__date_trunc_interval(const KernelCall *call, Vector *out, Error *err) {
    ArgView names = func__arg(call, 0), a = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Interval interval = AT(Interval, a, row);
        Str name = func__text(names, row);
        TimeField field = time__field(name);
        if (field >= FIELD_DOW && field <= FIELD_JULIAN) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unit \"%.*s\" not recognized for type interval", STR_ARG(name));
        }
        if (!trunc_interval(&interval, field)) {
            return time__unknown_field(name, TYPE_INTERVAL, err);
        }
        bool infinite = interval_is_infinite(AT(Interval, a, row)) != 0;
        ((Interval *)vector_data(out))[row] = infinite ? AT(Interval, a, row) : interval;
    }
    return ERR_OK;
}

/* ---- timestamp_floor ---- */

static ErrorCode bad_stride(Str text, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid unit '%.*s'", STR_ARG(text));
}

static Wall wall_from_nanos(Int128 nanos) {
    Int128 days = nanos / NANOS_PER_DAY;
    if (nanos % NANOS_PER_DAY < 0) {
        days--;
    }
    return (Wall){.days = (int64_t)days, .nanos = (int64_t)(nanos - days * NANOS_PER_DAY)};
}

static Int128 wall_nanos(const Wall *wall) {
    return (Int128)wall->days * NANOS_PER_DAY + wall->nanos;
}

/* Months since 1970-01 are floored; the origin moves the month from which they are counted, and the moment inside it. */
static ErrorCode floor_months(Wall *wall, int64_t count, const Wall *origin, TypeId type, Error *err) {
    int32_t year, month, day, from_year, from_month, from_day;
    civil_from_days(wall->days, &year, &month, &day);
    civil_from_days(origin->days, &from_year, &from_month, &from_day);
    int64_t months = ((int64_t)year - from_year) * 12 + (month - from_month);
    int64_t steps = floor_div(months, count);
    for (;; steps--) { /* at most one step back: the moment inside the month may not be reached yet */
        Wall start = *origin;
        TRY(time__add_months(&start, steps * count, type, err));
        if (wall_nanos(&start) <= wall_nanos(wall)) {
            *wall = start;
            return ERR_OK;
        }
    }
}

static ErrorCode floor_wall(Wall *wall, Stride stride, const Wall *origin, TypeId type, Error *err) {
    if (stride.unit == 'M' || stride.unit == 'y') {
        return floor_months(wall, stride.count * (stride.unit == 'y' ? 12 : 1), origin, type, err);
    }
    Int128 step = (Int128)time__unit_nanos(stride.unit) * stride.count;
    Int128 start = wall_nanos(origin) + (stride.unit == 'w' && origin->days == 0 ? -3 * (Int128)NANOS_PER_DAY : 0);
    Int128 distance = wall_nanos(wall) - start;
    Int128 rest = distance % step;
    *wall = wall_from_nanos(wall_nanos(wall) - (rest < 0 ? rest + step : rest));
    return ERR_OK;
}

static ErrorCode next_stride(Wall *wall, Stride stride, TypeId type, Error *err) {
    if (stride.unit == 'M' || stride.unit == 'y') {
        return time__add_months(wall, stride.count * (stride.unit == 'y' ? 12 : 1), type, err);
    }
    *wall = wall_from_nanos(wall_nanos(wall) + (Int128)time__unit_nanos(stride.unit) * stride.count);
    return ERR_OK;
}

/* (unit, time[, origin]) */
static ErrorCode floor_rows(const KernelCall *call, Vector *out, bool ceiling, Error *err) {
    ArgView names = func__arg(call, 0), a = func__arg(call, 1);
    TypeId type = (TypeId)call->args[1]->type.id;
    FOR_ROWS(call, row) {
        Stride stride;
        Wall wall = time__load(type, time__at(a, row), NULL), origin = {0};
        if (!time__stride(func__text(names, row), &stride)) {
            return bad_stride(func__text(names, row), err);
        }
        if (call->arg_count > 2) {
            origin = time__load((TypeId)call->args[2]->type.id, time__at(func__arg(call, 2), row), NULL);
        }
        Wall floored = wall;
        if (wall.infinite == 0) {
            TRY(floor_wall(&floored, stride, &origin, type, err));
        }
        if (ceiling && wall.infinite == 0 && wall_nanos(&floored) < wall_nanos(&wall)) {
            TRY(next_stride(&floored, stride, type, err));
        }
        TRY(time__store(type, floored, NULL, time__slot(out, row), err));
    }
    return ERR_OK;
}

ErrorCode func__timestamp_floor(const KernelCall *call, Vector *out, Error *err) {
    return floor_rows(call, out, false, err);
}
ErrorCode func__timestamp_ceil(const KernelCall *call, Vector *out, Error *err) {
    return floor_rows(call, out, true, err);
}

/* date_bin(stride interval, time, origin) of PostgreSQL. */
ErrorCode func__date_bin(const KernelCall *call, Vector *out, Error *err) {
    ArgView strides = func__arg(call, 0), a = func__arg(call, 1), b = func__arg(call, 2);
    FOR_ROWS(call, row) {
        Interval stride = AT(Interval, strides, row);
        int64_t time = AT(int64_t, a, row), origin = AT(int64_t, b, row);
        Int128 step = (Int128)stride.days * MICROS_PER_DAY + stride.micros;
        if (func__infinite(time)) {
            ((int64_t *)vector_data(out))[row] = time;
            continue;
        }
        if (func__infinite(origin) || interval_is_infinite(stride) != 0) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "%s",
                             func__infinite(origin) ? "origin out of range" : "timestamps cannot be binned into infinite intervals");
        }
        if (stride.months != 0) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION,
                             "timestamps cannot be binned into intervals containing months or years");
        }
        if (step <= 0) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "stride must be greater than zero");
        }
        Int128 rest = ((Int128)time - origin) % step;
        ((int64_t *)vector_data(out))[row] = (int64_t)(time - (rest < 0 ? rest + step : rest));
    }
    return ERR_OK;
}

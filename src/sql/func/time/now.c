/* SPDX-License-Identifier: Apache-2.0
 * time/now.c - the clock, zones, and making times from parts. The clock comes from the statement's environment. */
#include <math.h>

#include "sql/func/time/time_internal.h"

/* ---- the clock ---- */

static ErrorCode fill_time(const KernelCall *call, Vector *out, int64_t micros) {
    int64_t units = type_timestamp_units((TypeId)out->type.id);
    int64_t value = units == 1000 ? floor_div(micros, 1000) : units == 1000000000 ? micros * 1000 : micros;
    for (size_t row = 0; row < call->row_count; row++) {
        ((int64_t *)vector_data(out))[row] = value;
    }
    return ERR_OK;
}

/* Of the transaction: the same for all rows and calls. */
ErrorCode func__now(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_time(call, out, call->environment->now_micros);
}

ErrorCode func__localtimestamp(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_time(call, out, func__to_wall(func__zone(call), call->environment->now_micros));
}

/* The clock as it runs. */
ErrorCode func__systimestamp(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    const FunctionEnvironment *environment = call->environment;
    int64_t micros = environment->clock_micros == NULL ? environment->now_micros : environment->clock_micros(environment->clock);
    return fill_time(call, out, micros);
}

ErrorCode func__current_date(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    int64_t days = floor_div(func__to_wall(func__zone(call), call->environment->now_micros), MICROS_PER_DAY);
    for (size_t row = 0; row < call->row_count; row++) {
        ((int32_t *)vector_data(out))[row] = (int32_t)days;
    }
    return ERR_OK;
}

/* ---- zones ---- */

typedef struct ZoneMemo {
    bool posix;
    Str name;
    const Zone *zone;
} ZoneMemo;

static ErrorCode zone_of_row(const KernelCall *call, size_t argument, size_t row, ZoneMemo *memo, Error *err) {
    Str name = func__text(func__arg(call, argument), row);
    if (memo->zone == NULL || !str_equal(memo->name, name)) {
        TRY(func__zone_find(call->environment, name, memo->posix, call->arena, &memo->zone, err));
        memo->name = name;
    }
    return ERR_OK;
}

static ErrorCode shift_rows(const KernelCall *call, Vector *out, size_t time, size_t zone, bool to_wall, bool posix, Error *err) {
    ArgView a = func__arg(call, time);
    int64_t units = type_timestamp_units((TypeId)call->args[time]->type.id);
    ZoneMemo memo = {.posix = posix};
    FOR_ROWS(call, row) {
        int64_t value = AT(int64_t, a, row);
        if (!func__infinite(value)) {
            TRY(zone_of_row(call, zone, row, &memo, err));
            int64_t seconds = floor_div(value, units), rest = value - seconds * units;
            seconds = to_wall ? seconds + zone_offset_at_utc(memo.zone, seconds) : zone_to_utc(memo.zone, seconds);
            if (__builtin_mul_overflow(seconds, units, &value) || __builtin_add_overflow(value, rest, &value)) {
                return time__overflow((TypeId)out->type.id, err);
            }
        }
        ((int64_t *)vector_data(out))[row] = value;
    }
    return ERR_OK;
}

/* (time, zone): UTC -> wall clock of the zone, and back. */
ErrorCode func__to_timezone(const KernelCall *call, Vector *out, Error *err) {
    return shift_rows(call, out, 0, 1, true, false, err);
}
ErrorCode func__to_utc(const KernelCall *call, Vector *out, Error *err) {
    return shift_rows(call, out, 0, 1, false, false, err);
}
/* time AT TIME ZONE zone, both ways. */
ErrorCode func__at_zone_to_wall(const KernelCall *call, Vector *out, Error *err) {
    return shift_rows(call, out, 0, 1, true, true, err);
}
ErrorCode func__at_zone_to_utc(const KernelCall *call, Vector *out, Error *err) {
    return shift_rows(call, out, 0, 1, false, true, err);
}
/* timezone(zone, time): the same with the zone first. */
ErrorCode func__timezone_to_wall(const KernelCall *call, Vector *out, Error *err) {
    return shift_rows(call, out, 1, 0, true, true, err);
}
ErrorCode func__timezone_to_utc(const KernelCall *call, Vector *out, Error *err) {
    return shift_rows(call, out, 1, 0, false, true, err);
}

/* ---- from parts ---- */

static bool date_exists(int32_t year, int32_t month, int32_t day) {
    return year >= -4713 && year <= 5874897 && month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

static int32_t astronomical(int32_t year) {
    return year < 0 ? year + 1 : year; /* -1 is 1 BC */
}

ErrorCode func__make_date(const KernelCall *call, Vector *out, Error *err) {
    ArgView y = func__arg(call, 0), m = func__arg(call, 1), d = func__arg(call, 2);
    FOR_ROWS(call, row) {
        int32_t year = astronomical(AT(int32_t, y, row)), month = AT(int32_t, m, row), day = AT(int32_t, d, row);
        if (AT(int32_t, y, row) == 0 || !date_exists(year, month, day)) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "date field value out of range: %d-%02d-%02d",
                             (int)AT(int32_t, y, row), (int)month, (int)day);
        }
        Wall wall = {.days = days_from_civil(year, month, day)};
        TRY(time__store(TYPE_DATE, wall, NULL, time__slot(out, row), err));
    }
    return ERR_OK;
}

/* make_timestamp(year, month, day, hour, minute, seconds); timestamptz: in the session's zone. */
ErrorCode func__make_timestamp(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int32_t fields[5];
        for (size_t i = 0; i < 5; i++) {
            fields[i] = AT(int32_t, func__arg(call, i), row);
        }
        double seconds = AT(double, func__arg(call, 5), row);
        int32_t year = astronomical(fields[0]);
        if (fields[0] == 0 || !date_exists(year, fields[1], fields[2])) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "date field value out of range: %d-%02d-%02d",
                             (int)fields[0], (int)fields[1], (int)fields[2]);
        }
        bool clock_exists = fields[3] >= 0 && fields[3] <= 24 && fields[4] >= 0 && fields[4] < 60 && seconds >= 0 && seconds <= 60;
        if (!clock_exists || (fields[3] == 24 && (fields[4] > 0 || seconds > 0))) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "time field value out of range: %d:%02d:%02g",
                             (int)fields[3], (int)fields[4], seconds);
        }
        Wall wall = {.days = days_from_civil(year, fields[1], fields[2])};
        wall.nanos = fields[3] * NANOS_PER_HOUR + fields[4] * NANOS_PER_MINUTE + (int64_t)nearbyint(seconds * 1e6) * 1000;
        if (wall.nanos >= NANOS_PER_DAY) {
            wall.days++;
            wall.nanos -= NANOS_PER_DAY;
        }
        const Zone *zone = func__zone(call);
        if (call->arg_count > 6) {
            Str name = func__text(func__arg(call, 6), row);
            int32_t east;
            bool offset = name.len > 1 && (name.data[0] == '+' || name.data[0] == '-') && zone_parse_offset(name, &east); /* here it counts east */
            TRY(func__zone_find(call->environment, name, !offset, call->arena, &zone, err));
        }
        TRY(time__store((TypeId)out->type.id, wall, zone, time__slot(out, row), err));
    }
    return ERR_OK;
}

/* make_interval(years, months, weeks, days, hours, mins, secs): any number of them from the left. */
ErrorCode func__make_interval(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        double fields[7] = {0};
        for (size_t i = 0; i < call->arg_count && i < 7; i++) {
            ArgView a = func__arg(call, i);
            fields[i] = call->args[i]->type.id == TYPE_FLOAT8 ? AT(double, a, row) : AT(int32_t, a, row);
        }
        double months = fields[0] * 12 + fields[1], days = fields[2] * 7 + fields[3];
        double micros = fields[4] * 3.6e9 + fields[5] * 6e7 + nearbyint(fields[6] * 1e6);
        if (!(fabs(months) <= INT32_MAX && fabs(days) <= INT32_MAX && fabs(micros) < 9.2e18)) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "interval out of range");
        }
        ((Interval *)vector_data(out))[row] = (Interval){(int32_t)months, (int32_t)days, (int64_t)micros};
    }
    return ERR_OK;
}

/* to_timestamp(seconds since 1970) */
ErrorCode func__to_timestamp_seconds(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        double seconds = AT(double, a, row);
        int64_t micros = seconds < 0 ? INT64_MIN : INT64_MAX;
        if (isnan(seconds)) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "timestamp cannot be NaN");
        }
        if (!isinf(seconds)) {
            static const double SECONDS_TO_2000 = 946684800; /* PostgreSQL counts, and rounds, from there */
            double exact = nearbyint((seconds - SECONDS_TO_2000) * 1e6);
            if (!(fabs(exact) < 8e18)) {
                return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "timestamp out of range: \"%g\"", seconds);
            }
            micros = (int64_t)exact + INT64_C(946684800000000);
        }
        ((int64_t *)vector_data(out))[row] = micros;
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * cast_time.c - times of day from and to other times, and what precisions and interval fields leave of a value. */
#include "sql/func/cast_internal.h"
#include "sql/func/time/time_internal.h"

/* PostgreSQL rounds as if counted from 2000: halves go away from there. */
#define MICROS_TO_2000 (INT64_C(10957) * MICROS_PER_DAY)
#define MICROS_PER_HOUR INT64_C(3600000000)
#define MICROS_PER_MINUTE INT64_C(60000000)

enum { MASK_MONTH = 1 << 1, MASK_YEAR = 1 << 2, MASK_DAY = 1 << 3, MASK_HOUR = 1 << 10, MASK_MINUTE = 1 << 11, MASK_SECOND = 1 << 12 };

/* interval day to hour keeps hours, interval month keeps months…: fields below the last one are cut. */
static void keep_fields(Interval *interval, int32_t mask) {
    bool below_day = (mask & (MASK_HOUR | MASK_MINUTE | MASK_SECOND)) != 0;
    if ((mask & MASK_SECOND) != 0) {
        return;
    }
    if ((mask & MASK_MINUTE) != 0) {
        interval->micros = interval->micros / MICROS_PER_MINUTE * MICROS_PER_MINUTE;
    } else if ((mask & MASK_HOUR) != 0) {
        interval->micros = interval->micros / MICROS_PER_HOUR * MICROS_PER_HOUR;
    } else if (!below_day) {
        interval->micros = 0;
        if ((mask & MASK_DAY) == 0) {
            interval->days = 0;
        }
        if (mask == MASK_YEAR) {
            interval->months = interval->months / 12 * 12;
        }
    }
}

static const int32_t ROUND_UNITS[] = {1000000, 100000, 10000, 1000, 100, 10, 1};

ErrorCode cast__apply_precision(Type type, void *value, Error *err) {
    if (type.id == TYPE_INTERVAL) {
        Interval interval;
        memcpy(&interval, value, sizeof interval);
        if (interval_is_infinite(interval) != 0) {
            return ERR_OK;
        }
        if (type.length > 0) {
            keep_fields(&interval, type.length);
        }
        int64_t half = type.precision == 0 || type.precision > 6 ? 0 : ROUND_UNITS[type.precision - 1] / 2;
        if (interval.micros > INT64_MAX - half || interval.micros < INT64_MIN + half) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "interval out of range");
        }
        interval.micros = cast__round_micros(interval.micros, type.precision);
        memcpy(value, &interval, sizeof interval);
        return ERR_OK;
    }
    if (type.precision == 0 || type.id == TYPE_DATE) {
        return ERR_OK;
    }
    int64_t micros; /* of TimeTz too: it comes first */
    memcpy(&micros, value, sizeof micros);
    bool stamp = type_category((TypeId)type.id) == CAT_TIME;
    if (!stamp) {
        micros = cast__round_micros(micros, type.precision);
    } else if (!func__infinite(micros)) {
        micros = cast__round_micros(micros - MICROS_TO_2000, type.precision) + MICROS_TO_2000;
    }
    memcpy(value, &micros, sizeof micros);
    return ERR_OK;
}

ErrorCode cast__time_precision(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    Type type = cast__target(call, out);
    size_t width = physical_bytes(type_physical((TypeId)type.id));
    FOR_ROWS(call, row) {
        memcpy((uint8_t *)vector_data(out) + row * width, a.data + row * a.step, width);
        TRY(cast__apply_precision(type, (uint8_t *)vector_data(out) + row * width, err));
    }
    return ERR_OK;
}

/* ---- times of day ---- */

static ErrorCode put_clock(const KernelCall *call, Vector *out, size_t row, int64_t micros, int32_t zone_west, Error *err) {
    if (out->type.id == TYPE_TIME) {
        ((int64_t *)vector_data(out))[row] = micros;
        return cast__apply_precision(cast__target(call, out), &((int64_t *)vector_data(out))[row], err);
    }
    ((TimeTz *)vector_data(out))[row] = (TimeTz){.micros = micros, .zone_west = zone_west};
    return cast__apply_precision(cast__target(call, out), &((TimeTz *)vector_data(out))[row], err);
}

ErrorCode cast__clock_interval(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Interval *interval = &((Interval *)vector_data(out))[row];
        *interval = (Interval){.micros = AT(int64_t, a, row)};
        TRY(cast__apply_precision(cast__target(call, out), interval, err));
    }
    return ERR_OK;
}

ErrorCode cast__interval_clock(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int64_t micros = AT(Interval, a, row).micros;
        if (interval_is_infinite(AT(Interval, a, row)) != 0) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "cannot convert infinite interval to time");
        }
        TRY(put_clock(call, out, row, micros - floor_div(micros, MICROS_PER_DAY) * MICROS_PER_DAY, 0, err));
    }
    return ERR_OK;
}

/* A time without a zone takes the session's of now. */
ErrorCode cast__clock_clock(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    const Zone *zone = func__zone(call);
    int64_t now = call->environment == NULL ? 0 : call->environment->now_micros;
    int32_t east = zone == NULL ? 0 : zone_offset_at_utc(zone, floor_div(now, MICROS_PER_SECOND));
    bool from_tz = call->args[0]->type.id == TYPE_TIMETZ;
    FOR_ROWS(call, row) {
        int64_t micros = from_tz ? AT(TimeTz, a, row).micros : AT(int64_t, a, row);
        TRY(put_clock(call, out, row, micros, -east, err));
    }
    return ERR_OK;
}

/* Infinite timestamps have no time of day: NULL. */
ErrorCode cast__time_clock(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    TypeId from = (TypeId)call->args[0]->type.id;
    FOR_ROWS(call, row) {
        Wall wall = time__load(from, time__at(a, row), func__zone(call));
        if (wall.infinite != 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(put_clock(call, out, row, wall.nanos / 1000, -wall.offset, err));
    }
    return ERR_OK;
}

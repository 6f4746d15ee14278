/* SPDX-License-Identifier: Apache-2.0
 * time/parts.c - extract and date_part of times and intervals, and QuestDB's one function a part (year, hour, micros…). */
#include <math.h>

#include "sql/func/time/time_internal.h"

/* A part as an exact decimal: value * 10^-scale. */
typedef struct Part {
    int64_t value;
    int16_t scale;
    int8_t infinite;
    bool null;
} Part;

static int32_t century_of(int32_t year) {
    return year > 0 ? (year + 99) / 100 : -((99 - (year - 1)) / 100);
}
static int32_t millennium_of(int32_t year) {
    return year > 0 ? (year + 999) / 1000 : -((999 - (year - 1)) / 1000);
}

/* Whole numbers made of the date. */
static bool date_part(const Wall *wall, TimeField field, int64_t *value_out) {
    int32_t year, month, day, iso_year, week;
    civil_from_days(wall->days, &year, &month, &day);
    time__iso_week(wall->days, &iso_year, &week);
    switch (field) {
    case FIELD_DAY:
        *value_out = day;
        return true;
    case FIELD_MONTH:
        *value_out = month;
        return true;
    case FIELD_QUARTER:
        *value_out = (month - 1) / 3 + 1;
        return true;
    case FIELD_YEAR:
        *value_out = year > 0 ? year : year - 1; /* there is no year 0: 1 BC is -1 */
        return true;
    case FIELD_DECADE:
        *value_out = floor_div(year, 10);
        return true;
    case FIELD_CENTURY:
        *value_out = century_of(year);
        return true;
    case FIELD_MILLENNIUM:
        *value_out = millennium_of(year);
        return true;
    case FIELD_DOW:
        *value_out = day_of_week(wall->days);
        return true;
    case FIELD_ISODOW:
        *value_out = (day_of_week(wall->days) + 6) % 7 + 1;
        return true;
    case FIELD_DOY:
        *value_out = wall->days - days_from_civil(year, 1, 1) + 1;
        return true;
    case FIELD_WEEK:
        *value_out = week;
        return true;
    case FIELD_ISOYEAR:
        *value_out = iso_year > 0 ? iso_year : iso_year - 1;
        return true;
    default:
        return false;
    }
}

static bool clock_part(const Wall *wall, TimeField field, Part *part) {
    int64_t in_minute = wall->nanos % NANOS_PER_MINUTE;
    switch (field) {
    case FIELD_HOUR:
        part->value = wall->nanos / NANOS_PER_HOUR;
        return true;
    case FIELD_MINUTE:
        part->value = wall->nanos / NANOS_PER_MINUTE % 60;
        return true;
    case FIELD_SECOND:
        *part = (Part){.value = in_minute / 1000, .scale = 6};
        return true;
    case FIELD_MILLISECOND:
        *part = (Part){.value = in_minute / 1000, .scale = 3};
        return true;
    case FIELD_MICROSECOND:
        part->value = in_minute / 1000;
        return true;
    case FIELD_NANOSECOND:
        part->value = in_minute;
        return true;
    default:
        return false;
    }
}

static bool grows_for_ever(TimeField field) {
    return field == FIELD_YEAR || field == FIELD_DECADE || field == FIELD_CENTURY || field == FIELD_MILLENNIUM ||
           field == FIELD_JULIAN || field == FIELD_ISOYEAR || field == FIELD_EPOCH;
}

static bool time_part(TypeId type, const Wall *wall, TimeField field, Part *part) {
    *part = (Part){0};
    if (type == TYPE_DATE && (field <= FIELD_HOUR || field == FIELD_TIMEZONE)) {
        return false;
    }
    if (wall->infinite != 0) {
        part->infinite = wall->infinite;
        part->null = !grows_for_ever(field);
        return true;
    }
    if (field == FIELD_EPOCH) {
        if (type == TYPE_DATE) {
            part->value = wall->days * 86400;
        } else {
            int64_t seconds = wall->days * 86400 - wall->offset;
            *part = (Part){.scale = 6};
            if (__builtin_mul_overflow(seconds, 1000000, &part->value)) { /* a date beyond the timestamps */
                *part = (Part){.value = seconds};
            }
            part->value += part->scale == 6 ? wall->nanos / 1000 : 0;
        }
        return true;
    }
    if (field == FIELD_JULIAN) {
        part->value = wall->days + 2440588;
        return true;
    }
    if (type == TYPE_TIMESTAMPTZ && field >= FIELD_TIMEZONE && field <= FIELD_TIMEZONE_MINUTE) {
        part->value = field == FIELD_TIMEZONE ? wall->offset : field == FIELD_TIMEZONE_HOUR ? wall->offset / 3600 : wall->offset / 60 % 60;
        return true;
    }
    if (date_part(wall, field, &part->value)) {
        return true;
    }
    return clock_part(wall, field, part);
}

static bool interval_part(const Interval *interval, TimeField field, Part *part) {
    int64_t micros = interval->micros;
    *part = (Part){0};
    int infinite = interval_is_infinite(*interval);
    if (infinite != 0 && field <= FIELD_MILLENNIUM) { /* what goes round has no end, what grows has */
        bool grows = field == FIELD_HOUR || field == FIELD_DAY || field >= FIELD_YEAR;
        *part = (Part){.infinite = (int8_t)(grows ? infinite : 0), .null = !grows};
        return field != FIELD_NANOSECOND;
    }
    if (infinite != 0 && field == FIELD_EPOCH) {
        part->infinite = (int8_t)infinite;
        return true;
    }
    switch (field) {
    case FIELD_MICROSECOND:
        part->value = micros % 60000000;
        return true;
    case FIELD_MILLISECOND:
        *part = (Part){.value = micros % 60000000, .scale = 3};
        return true;
    case FIELD_SECOND:
        *part = (Part){.value = micros % 60000000, .scale = 6};
        return true;
    case FIELD_MINUTE:
        part->value = micros / 60000000 % 60;
        return true;
    case FIELD_HOUR:
        part->value = micros / INT64_C(3600000000);
        return true;
    case FIELD_DAY:
        part->value = interval->days;
        return true;
    case FIELD_WEEK:
        part->value = interval->days / 7;
        return true;
    case FIELD_MONTH:
        part->value = interval->months % 12;
        return true;
    case FIELD_QUARTER:
        part->value = interval->months >= 0 ? interval->months % 12 / 3 + 1 : interval->months % 12 / 3 - 1;
        return true;
    case FIELD_YEAR:
        part->value = interval->months / 12;
        return true;
    case FIELD_DECADE:
        part->value = interval->months / 120;
        return true;
    case FIELD_CENTURY:
        part->value = interval->months / 1200;
        return true;
    case FIELD_MILLENNIUM:
        part->value = interval->months / 12000;
        return true;
    case FIELD_EPOCH: { /* a year as 365.25 days */
        Int128 days = (Int128)(interval->months / 12) * 1461 * 6 + (Int128)(interval->months % 12) * 720 + (Int128)interval->days * 24;
        *part = (Part){.value = (int64_t)(days * INT64_C(3600000000) + micros), .scale = 6};
        return true;
    }
    default:
        return false;
    }
}

/* ---- extract and date_part ---- */

/* Julian days with the day's fraction, PostgreSQL's way: a quotient of whole microseconds. */
static ErrorCode julian_numeric(const Wall *wall, Numeric *out, Error *err) {
    Numeric fraction;
    TRY(numeric_div(numeric_from_int64(wall->nanos / 1000), numeric_from_int64(MICROS_PER_DAY), &fraction, err));
    return numeric_add(numeric_from_int64(wall->days + 2440588), fraction, out, err);
}

/* The wall clock if julian days with a fraction are asked for. */
static bool wants_julian(const KernelCall *call, size_t row, Wall *wall_out) {
    TypeId type = (TypeId)call->args[1]->type.id;
    if (!type_is_timestamp(type) || time__field(func__text(func__arg(call, 0), row)) != FIELD_JULIAN) {
        return false;
    }
    *wall_out = time__load(type, time__at(func__arg(call, 1), row), func__zone(call));
    return wall_out->infinite == 0;
}

/* date_part reads a date as the timestamp of its midnight; extract refuses what a date has not. */
static ErrorCode part_of_row(const KernelCall *call, size_t row, bool date_is_time, Part *part, Error *err) {
    Str name = func__text(func__arg(call, 0), row);
    TypeId type = (TypeId)call->args[1]->type.id;
    const void *value = time__at(func__arg(call, 1), row);
    TimeField field = time__field(name);
    bool known;
    if (type == TYPE_TIME || type == TYPE_TIMETZ) {
        Wall wall = {.nanos = AT(TimeTz, func__arg(call, 1), row).micros * 1000}; /* the time comes first in both */
        wall.offset = type == TYPE_TIMETZ ? -AT(TimeTz, func__arg(call, 1), row).zone_west : 0;
        bool clock = field <= FIELD_HOUR && field != FIELD_NANOSECOND;
        bool zone = type == TYPE_TIMETZ && field >= FIELD_TIMEZONE && field <= FIELD_TIMEZONE_MINUTE;
        known = (clock || zone || field == FIELD_EPOCH) && time_part(TYPE_TIMESTAMPTZ, &wall, field, part);
    } else if (type == TYPE_INTERVAL) {
        known = interval_part(value, field, part);
    } else {
        Wall wall = time__load(type, value, func__zone(call));
        known = field != FIELD_UNKNOWN && time_part(type == TYPE_DATE && date_is_time ? TYPE_TIMESTAMP : type, &wall, field, part);
    }
    return known ? ERR_OK : time__unknown_field(name, type, err);
}

ErrorCode func__extract(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Part part = {.null = true};
        if (!func__any_null(call, row)) {
            TRY(part_of_row(call, row, false, &part, err));
        }
        if (part.null) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        Wall wall;
        Numeric value = {.coefficient = part.value, .scale = part.scale};
        if (wants_julian(call, row, &wall)) {
            TRY(julian_numeric(&wall, &value, err));
            func__put_numeric(call, out, row, value);
            continue;
        }
        value.kind = part.infinite == 0 ? NUMERIC_FINITE : part.infinite > 0 ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY;
        func__put_numeric(call, out, row, value);
    }
    return ERR_OK;
}

ErrorCode func__date_part(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Part part = {.null = true};
        if (!func__any_null(call, row)) {
            TRY(part_of_row(call, row, true, &part, err));
        }
        if (part.null) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        Wall wall;
        double value = part.infinite != 0 ? part.infinite * (double)INFINITY : (double)part.value;
        if (wants_julian(call, row, &wall)) {
            value += (double)(wall.nanos / 1000) / 86400e6;
        }
        ((double *)vector_data(out))[row] = part.scale == 6 ? value / 1e6 : part.scale == 3 ? value / 1e3 : value;
    }
    return ERR_OK;
}

static int64_t whole(const Part *part) {
    return part->scale == 6 ? floor_div(part->value, 1000000) : part->scale == 3 ? floor_div(part->value, 1000) : part->value;
}

/* The questdb dialect: whole numbers. */
ErrorCode func__extract_int(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Part part;
        TRY(part_of_row(call, row, false, &part, err));
        int64_t value = whole(&part);
        if (part.infinite != 0 || value != (int32_t)value) {
            return func__out_of_range(TYPE_INT4, err);
        }
        ((int32_t *)vector_data(out))[row] = (int32_t)value;
    }
    return ERR_OK;
}

ErrorCode func__extract_epoch(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    TypeId type = (TypeId)call->args[0]->type.id;
    FOR_ROWS(call, row) {
        Wall wall = time__load(type, time__at(a, row), func__zone(call));
        if (wall.infinite != 0) {
            return func__out_of_range(TYPE_INT8, err);
        }
        ((int64_t *)vector_data(out))[row] = wall.days * 86400 + floor_div(wall.nanos, NANOS_PER_SECOND) - wall.offset;
    }
    return ERR_OK;
}

/* ---- one function a part ---- */

static int64_t part_year(const Wall *w) {
    int32_t year, month, day;
    civil_from_days(w->days, &year, &month, &day);
    return year;
}
static int64_t part_month(const Wall *w) {
    int32_t year, month, day;
    civil_from_days(w->days, &year, &month, &day);
    return month;
}
static int64_t part_day(const Wall *w) {
    int32_t year, month, day;
    civil_from_days(w->days, &year, &month, &day);
    return day;
}
static int64_t part_quarter(const Wall *w) {
    return (part_month(w) - 1) / 3 + 1;
}
static int64_t part_day_of_year(const Wall *w) {
    return w->days - days_from_civil((int32_t)part_year(w), 1, 1) + 1;
}
static int64_t part_week(const Wall *w) {
    int32_t year, week;
    time__iso_week(w->days, &year, &week);
    return week;
}
static int64_t part_iso_year(const Wall *w) {
    int32_t year, week;
    time__iso_week(w->days, &year, &week);
    return year;
}
static int64_t part_days_in_month(const Wall *w) {
    int32_t year, month, day;
    civil_from_days(w->days, &year, &month, &day);
    return days_in_month(year, month);
}

#define PART(verb, EXPRESSION)                                                                                         \
    ErrorCode func__##verb(const KernelCall *call, Vector *out, Error *err) {                                          \
        ArgView a = func__arg(call, 0);                                                                                \
        TypeId type = (TypeId)call->args[0]->type.id;                                                                  \
        const Zone *zone = func__zone(call);                                                                           \
        int32_t *to = vector_data(out);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Wall w = time__load(type, time__at(a, row), zone);                                                         \
            if (w.infinite != 0) {                                                                                     \
                return func__out_of_range(TYPE_INT4, err);                                                             \
            }                                                                                                          \
            to[row] = (int32_t)(EXPRESSION);                                                                           \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
PART(part_year, part_year(&w))
PART(part_month, part_month(&w))
PART(part_day, part_day(&w))
PART(part_quarter, part_quarter(&w))
PART(part_hour, w.nanos / NANOS_PER_HOUR)
PART(part_minute, w.nanos / NANOS_PER_MINUTE % 60)
PART(part_second, w.nanos / NANOS_PER_SECOND % 60)
PART(part_millis, w.nanos / 1000000 % 1000)
PART(part_micros, w.nanos / 1000 % 1000)
PART(part_nanos, w.nanos % 1000)
PART(part_week, part_week(&w))
PART(part_iso_year, part_iso_year(&w))
PART(part_day_of_week, (day_of_week(w.days) + 6) % 7 + 1)
PART(part_day_of_week_sunday, day_of_week(w.days) + 1)
PART(part_day_of_year, part_day_of_year(&w))
PART(part_days_in_month, part_days_in_month(&w))

ErrorCode func__is_leap_year(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Wall w = time__load((TypeId)call->args[0]->type.id, time__at(a, row), func__zone(call));
        func__put_bool(out, row, w.infinite == 0 && days_in_month((int32_t)part_year(&w), 2) == 29);
    }
    return ERR_OK;
}

ErrorCode func__isfinite(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        func__put_bool(out, row, time__load((TypeId)call->args[0]->type.id, time__at(a, row), NULL).infinite == 0);
    }
    return ERR_OK;
}

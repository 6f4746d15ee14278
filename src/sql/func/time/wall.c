/* SPDX-License-Identifier: Apache-2.0
 * time/wall.c - every time type as a wall-clock moment and back, field names, truncation, strides. */
#include "sql/func/time/time_internal.h"

const char *const time__month_names[12] = {"January", "February", "March",     "April",   "May",      "June",
                                           "July",    "August",   "September", "October", "November", "December"};
const char *const time__day_names[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

static int64_t unit_nanos(TypeId type) {
    return NANOS_PER_SECOND / type_timestamp_units(type);
}

Wall time__load(TypeId type, const void *value, const Zone *zone) {
    Wall wall = {0};
    if (type == TYPE_DATE) {
        int32_t days;
        memcpy(&days, value, sizeof days);
        wall.infinite = days == INT32_MIN ? -1 : days == INT32_MAX ? 1 : 0;
        wall.days = days;
        return wall;
    }
    int64_t time;
    memcpy(&time, value, sizeof time);
    wall.infinite = time == INT64_MIN ? -1 : time == INT64_MAX ? 1 : 0;
    if (wall.infinite != 0) {
        return wall;
    }
    if (type == TYPE_TIMESTAMPTZ && zone != NULL) {
        wall.offset = zone_offset_at_utc(zone, floor_div(time, MICROS_PER_SECOND));
        time += wall.offset * MICROS_PER_SECOND;
    }
    int64_t per_day = 86400 * type_timestamp_units(type);
    wall.days = floor_div(time, per_day);
    wall.nanos = (time - wall.days * per_day) * unit_nanos(type);
    return wall;
}

ErrorCode time__overflow(TypeId type, Error *err) {
    return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, type == TYPE_DATE ? "date out of range" : "timestamp out of range");
}

/* PostgreSQL's range: 4714-11-24 BC to 294276-12-31 for timestamps, to 5874897-12-31 for dates. */
enum { DAYS_LOWEST = -2440588, TIMESTAMP_DAYS_END = 106751983, DATE_DAYS_END = 2145031949 };

ErrorCode time__store(TypeId type, Wall wall, const Zone *zone, void *value_out, Error *err) {
    if (type == TYPE_DATE) {
        int32_t days = wall.infinite < 0 ? INT32_MIN : wall.infinite > 0 ? INT32_MAX : 0;
        if (wall.infinite == 0) {
            if (wall.days < DAYS_LOWEST || wall.days >= DATE_DAYS_END) {
                return time__overflow(type, err);
            }
            days = (int32_t)wall.days;
        }
        memcpy(value_out, &days, sizeof days);
        return ERR_OK;
    }
    int64_t time = wall.infinite < 0 ? INT64_MIN : INT64_MAX;
    if (wall.infinite == 0) {
        Int128 exact = (Int128)wall.days * 86400 * type_timestamp_units(type) + floor_div(wall.nanos, unit_nanos(type));
        if (exact <= INT64_MIN || exact >= INT64_MAX || wall.days < DAYS_LOWEST || wall.days >= TIMESTAMP_DAYS_END) {
            return time__overflow(type, err);
        }
        time = type == TYPE_TIMESTAMPTZ ? func__from_wall(zone, (int64_t)exact) : (int64_t)exact;
    }
    memcpy(value_out, &time, sizeof time);
    return ERR_OK;
}

/* ---- fields ---- */

static const struct {
    const char *name;
    TimeField field;
} FIELD_NAMES[] = {
    {"nanosecond", FIELD_NANOSECOND},   {"nanoseconds", FIELD_NANOSECOND},   {"nanos", FIELD_NANOSECOND},
    {"microsecond", FIELD_MICROSECOND}, {"microseconds", FIELD_MICROSECOND}, {"us", FIELD_MICROSECOND},
    {"usec", FIELD_MICROSECOND},        {"micros", FIELD_MICROSECOND},       {"millisecond", FIELD_MILLISECOND},
    {"milliseconds", FIELD_MILLISECOND}, {"ms", FIELD_MILLISECOND},          {"msec", FIELD_MILLISECOND},
    {"millis", FIELD_MILLISECOND},      {"second", FIELD_SECOND},            {"seconds", FIELD_SECOND},
    {"sec", FIELD_SECOND},              {"s", FIELD_SECOND},                 {"minute", FIELD_MINUTE},
    {"minutes", FIELD_MINUTE},          {"min", FIELD_MINUTE},               {"m", FIELD_MINUTE},
    {"hour", FIELD_HOUR},               {"hours", FIELD_HOUR},               {"h", FIELD_HOUR},
    {"day", FIELD_DAY},                 {"days", FIELD_DAY},                 {"d", FIELD_DAY},
    {"week", FIELD_WEEK},               {"weeks", FIELD_WEEK},               {"w", FIELD_WEEK},
    {"month", FIELD_MONTH},             {"months", FIELD_MONTH},             {"mon", FIELD_MONTH},
    {"quarter", FIELD_QUARTER},         {"qtr", FIELD_QUARTER},              {"year", FIELD_YEAR},
    {"years", FIELD_YEAR},              {"y", FIELD_YEAR},                   {"decade", FIELD_DECADE},
    {"decades", FIELD_DECADE},          {"century", FIELD_CENTURY},          {"centuries", FIELD_CENTURY},
    {"millennium", FIELD_MILLENNIUM},   {"millennia", FIELD_MILLENNIUM},     {"dow", FIELD_DOW},
    {"isodow", FIELD_ISODOW},           {"doy", FIELD_DOY},                  {"isoyear", FIELD_ISOYEAR},
    {"epoch", FIELD_EPOCH},             {"julian", FIELD_JULIAN},            {"timezone", FIELD_TIMEZONE},
    {"timezone_hour", FIELD_TIMEZONE_HOUR}, {"timezone_minute", FIELD_TIMEZONE_MINUTE}, {"timezone_h", FIELD_TIMEZONE_HOUR},
    {"timezone_m", FIELD_TIMEZONE_MINUTE}, {"usecs", FIELD_MICROSECOND},      {"useconds", FIELD_MICROSECOND},
    {"usecond", FIELD_MICROSECOND},     {"msecs", FIELD_MILLISECOND},        {"mseconds", FIELD_MILLISECOND},
    {"msecond", FIELD_MILLISECOND},     {"secs", FIELD_SECOND},              {"mins", FIELD_MINUTE},
    {"hr", FIELD_HOUR},                 {"hrs", FIELD_HOUR},                 {"mons", FIELD_MONTH},
    {"yr", FIELD_YEAR},                 {"yrs", FIELD_YEAR},                 {"dec", FIELD_DECADE},
    {"decs", FIELD_DECADE},             {"c", FIELD_CENTURY},                {"cent", FIELD_CENTURY},
    {"mil", FIELD_MILLENNIUM},          {"mils", FIELD_MILLENNIUM},
};

TimeField time__field(Str name) {
    for (size_t i = 0; i < COUNT_OF(FIELD_NAMES); i++) {
        if (str_equal_ignore_case(name, str_from_c(FIELD_NAMES[i].name))) {
            return FIELD_NAMES[i].field;
        }
    }
    return FIELD_UNKNOWN;
}

ErrorCode time__unknown_field(Str name, TypeId type, Error *err) {
    bool known = time__field(name) != FIELD_UNKNOWN;
    return error_set(err, known ? ERR_NOT_SUPPORTED : ERR_INVALID_PARAMETER, ERROR_NO_POSITION,
                     known ? "unit \"%.*s\" not supported for type %s" : "unit \"%.*s\" not recognized for type %s", STR_ARG(name),
                     type_sql_name(type));
}

void time__iso_week(int64_t days, int32_t *year_out, int32_t *week_out) {
    int64_t thursday = days - (day_of_week(days) + 6) % 7 + 3; /* of the same week, which names its year */
    int32_t month, day;
    civil_from_days(thursday, year_out, &month, &day);
    *week_out = (int32_t)((thursday - days_from_civil(*year_out, 1, 1)) / 7 + 1);
}

static int64_t round_down(int64_t value, int64_t step) {
    return floor_div(value, step) * step;
}

static int32_t first_year(TimeField field, int32_t year) {
    switch (field) {
    case FIELD_DECADE:
        return (int32_t)round_down(year, 10);
    case FIELD_CENTURY: /* 2001 begins the 21st */
        return (int32_t)round_down(year - 1, 100) + 1;
    case FIELD_MILLENNIUM:
        return (int32_t)round_down(year - 1, 1000) + 1;
    default:
        return year;
    }
}

static void truncate_date(Wall *wall, TimeField field) {
    int32_t year, month, day;
    wall->nanos = 0;
    if (field == FIELD_DAY) {
        return;
    }
    if (field == FIELD_WEEK) {
        wall->days -= (day_of_week(wall->days) + 6) % 7;
        return;
    }
    civil_from_days(wall->days, &year, &month, &day);
    if (field == FIELD_QUARTER) {
        month = (month - 1) / 3 * 3 + 1;
    } else if (field != FIELD_MONTH) {
        month = 1;
    }
    wall->days = days_from_civil(first_year(field, year), month, 1);
}

bool time__truncate(Wall *wall, TimeField field) {
    static const int64_t STEPS[] = {
        [FIELD_NANOSECOND] = 1,          [FIELD_MICROSECOND] = 1000,          [FIELD_MILLISECOND] = 1000000,
        [FIELD_SECOND] = NANOS_PER_SECOND, [FIELD_MINUTE] = NANOS_PER_MINUTE, [FIELD_HOUR] = NANOS_PER_HOUR,
    };
    if (field <= FIELD_HOUR) {
        wall->nanos = round_down(wall->nanos, STEPS[field]);
        return true;
    }
    if (field > FIELD_MILLENNIUM) {
        return false;
    }
    truncate_date(wall, field);
    return true;
}

/* ---- strides ---- */

int64_t time__unit_nanos(char unit) {
    switch (unit) {
    case 'n':
        return 1;
    case 'u':
    case 'U':
        return 1000;
    case 'T':
        return 1000000;
    case 's':
        return NANOS_PER_SECOND;
    case 'm':
        return NANOS_PER_MINUTE;
    case 'h':
    case 'H':
        return NANOS_PER_HOUR;
    case 'd':
        return NANOS_PER_DAY;
    case 'w':
        return 7 * NANOS_PER_DAY;
    default:
        return 0;
    }
}

bool time__stride(Str text, Stride *stride_out) {
    TimeField field = time__field(text);
    if (text.len > 1 && field != FIELD_UNKNOWN) { /* QuestDB also takes 'day', 'month'… */
        static const char UNITS[] = {[FIELD_NANOSECOND] = 'n', [FIELD_MICROSECOND] = 'U', [FIELD_MILLISECOND] = 'T',
                                     [FIELD_SECOND] = 's',     [FIELD_MINUTE] = 'm',      [FIELD_HOUR] = 'h',
                                     [FIELD_DAY] = 'd',        [FIELD_WEEK] = 'w',        [FIELD_MONTH] = 'M',
                                     [FIELD_QUARTER] = 'M',    [FIELD_YEAR] = 'y'};
        if (field > FIELD_YEAR) {
            return false;
        }
        *stride_out = (Stride){field == FIELD_QUARTER ? 3 : 1, UNITS[field]};
        return true;
    }
    if (text.len == 0) {
        return false;
    }
    int64_t count = 1;
    bool overflow;
    if (text.len > 1 && (!parse_int64(str_slice(text, 0, text.len - 1), &count, &overflow) || count <= 0)) {
        return false;
    }
    *stride_out = (Stride){count, text.data[text.len - 1]};
    return stride_out->unit == 'M' || stride_out->unit == 'y' || time__unit_nanos(stride_out->unit) != 0;
}

ErrorCode time__add_months(Wall *wall, int64_t months, TypeId type, Error *err) {
    int32_t year, month, day;
    civil_from_days(wall->days, &year, &month, &day);
    int64_t total = (int64_t)year * 12 + (month - 1) + months;
    int64_t new_year = floor_div(total, 12);
    if (new_year < -5000 || new_year > 6000000) {
        return time__overflow(type, err);
    }
    month = (int32_t)(total - new_year * 12) + 1;
    day = MIN_OF(day, days_in_month((int32_t)new_year, month));
    wall->days = days_from_civil((int32_t)new_year, month, day);
    return ERR_OK;
}

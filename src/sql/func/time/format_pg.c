/* SPDX-License-Identifier: Apache-2.0
 * time/format_pg.c - to_char of times and intervals by PostgreSQL's templates.
 *
 * FM in front takes padding away, TH behind adds an ordinal; what is no pattern stands for itself.
 * Tests: test/sql/templates.slt */
#include <stdio.h>

#include "sql/func/time/template.h"

/* What is printed; of an interval, whose fields have any size, or of a time. */
typedef struct Fields {
    int64_t hour;
    int32_t year, month, day, minute, second, micros;
    int64_t day_of_year, days; /* days: since 1970 */
    int32_t iso_year, week, iso_day; /* iso_day: of the year of weeks */
    int32_t offset;
    Str zone_name;
    bool is_interval;
} Fields;

static int64_t size_of(int64_t value) { return value < 0 ? -value : value; }

/* ---- numbers ---- */

static void put_ordinal(Str number, bool upper, Buffer *out) {
    char last = number.data[number.len - 1];
    bool teen = number.len > 1 && number.data[number.len - 2] == '1';
    const char *lower = teen ? "th" : last == '1' ? "st" : last == '2' ? "nd" : last == '3' ? "rd" : "th";
    buffer_append_char(out, upper ? (char)(lower[0] & ~0x20) : lower[0]);
    buffer_append_char(out, upper ? (char)(lower[1] & ~0x20) : lower[1]);
}

/* Padded with zeros unless FM; the width holds a minus. */
static void put_fixed(const TemplateNode *node, int64_t value, int width, Buffer *out) {
    char text[32];
    int len = snprintf(text, sizeof text, "%0*lld", node->fill_mode ? 0 : width, (long long)value);
    buffer_append(out, text, (size_t)len);
    if (node->ordinal) {
        put_ordinal((Str){text, (size_t)len}, node->upper, out);
    }
}

/* A minus comes on top of the width. */
static void put_number(const TemplateNode *node, int64_t value, int width, Buffer *out) { put_fixed(node, value, width + (value < 0), out); }

static int64_t shown_year(const Fields *f, int32_t year) { return f->is_interval || year > 0 ? year : 1 - (int64_t)year; /* 1 BC is year 1 of its era */ }

static int64_t century(const Fields *f) {
    return f->is_interval ? f->year / 100 : f->year > 0 ? (f->year - 1) / 100 + 1 : f->year / 100 - 1;
}

static bool put_year(const Fields *f, const TemplateNode *node, Buffer *out) {
    bool iso = node->pattern >= P_IYYY;
    int64_t year = shown_year(f, iso ? f->iso_year : f->year);
    int sign = shown_year(f, f->year) < 0; /* room for a minus: by the plain year, also where that of weeks is shown */
    switch (node->pattern) {
    case P_YYYY_COMMA: {
        TemplateNode rest = *node;
        rest.fill_mode = false;
        buffer_printf(out, "%lld,", (long long)(year / 1000));
        put_fixed(&rest, year % 1000, 3, out);
        return true;
    }
    case P_YYYY:
    case P_IYYY: put_fixed(node, year, 4 + sign, out); return true;
    case P_YYY:
    case P_IYY: put_fixed(node, year % 1000, 3 + sign, out); return true;
    case P_YY:
    case P_IY: put_fixed(node, year % 100, 2 + sign, out); return true;
    case P_Y:
    case P_I: put_fixed(node, year % 10, 1, out); return true;
    case P_CC: put_number(node, century(f), 2, out); return true;
    default: return false;
    }
}

static bool put_day(const Fields *f, const TemplateNode *node, Buffer *out) {
    int weekday = day_of_week(f->days);
    int iso_weekday = (weekday + 6) % 7 + 1;
    switch (node->pattern) {
    case P_MM: put_number(node, f->month, 2, out); return true;
    case P_DDD: put_fixed(node, f->day_of_year, 3, out); return true;
    case P_IDDD: put_fixed(node, f->iso_day, 3, out); return true;
    case P_DD: put_fixed(node, f->day, 2, out); return true;
    case P_D: put_number(node, weekday + 1, 1, out); return true;
    case P_ID: put_number(node, iso_weekday, 1, out); return true;
    case P_W: put_number(node, (f->day - 1) / 7 + 1, 1, out); return true;
    case P_WW: put_fixed(node, (f->day_of_year - 1) / 7 + 1, 2, out); return true;
    case P_IW: put_fixed(node, f->week, 2, out); return true;
    case P_J: put_number(node, f->days + 2440588, 1, out); return true;
    case P_Q:
        if (f->month != 0) {
            put_number(node, (f->month - 1) / 3 + 1, 1, out);
        }
        return true;
    default: return false;
    }
}

static bool put_clock(const Fields *f, const TemplateNode *node, Buffer *out) {
    static const int32_t UNITS[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    switch (node->pattern) {
    case P_HH24: put_number(node, f->hour, 2, out); return true;
    case P_HH12: { /* the width is that of the hour of the day */
        int64_t hour = f->hour % 12 == 0 ? 12 : f->hour % 12;
        put_number(node, hour, f->hour >= 0 ? 2 : hour < 0 ? 2 : 3, out);
        return true;
    }
    case P_MI: put_number(node, f->minute, 2, out); return true;
    case P_SS: put_number(node, f->second, 2, out); return true;
    case P_SSSS: put_number(node, f->hour * 3600 + f->minute * 60 + f->second, 1, out); return true;
    case P_MS:
    case P_US:
    case P_FF: {
        int digits = node->pattern == P_MS ? 3 : node->pattern == P_US ? 6 : node->text.data[2] - '0';
        TemplateNode plain = *node;
        plain.fill_mode = false;
        int32_t value = f->micros / UNITS[digits];
        put_fixed(&plain, value, digits, out);
        return true;
    }
    default: return false;
    }
}

/* ---- names ---- */

typedef enum Case { CASE_UPPER, CASE_FIRST, CASE_LOWER } Case;

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

static Case case_of(Str written) {
    return !is_upper(written.data[0]) ? CASE_LOWER : written.len > 1 && is_upper(written.data[1]) ? CASE_UPPER : CASE_FIRST;
}

static void put_cased(Buffer *out, const char *name, size_t len, Case wanted) {
    for (size_t i = 0; i < len; i++) {
        bool upper = wanted == CASE_UPPER || (wanted == CASE_FIRST && i == 0);
        char c = name[i], small = (char)(c | 0x20);
        bool letter = small >= 'a' && small <= 'z';
        buffer_append_char(out, !letter ? c : upper ? (char)(small & ~0x20) : small);
    }
}

static void put_padded(const TemplateNode *node, const char *name, size_t width, Buffer *out) {
    size_t len = strlen(name);
    put_cased(out, name, len, case_of(node->text));
    buffer_append_fill(out, ' ', !node->fill_mode && !node->locale && len < width ? width - len : 0);
}

/* The month of an interval counts back from the end of the year when it is negative; 0 is the end of a whole year. */
static const char *roman(const Fields *f) {
    int32_t month = f->month > 0 ? f->month - 1 : f->month == 0 ? (f->year >= 0 ? 11 : 0) : 12 + f->month;
    return time__roman_months[month];
}

static bool put_name(const Fields *f, const TemplateNode *node, Buffer *out) {
    const char *day = time__day_names[day_of_week(f->days)];
    const char *month = f->month >= 1 && f->month <= 12 ? time__month_names[f->month - 1] : "";
    switch (node->pattern) {
    case P_MERIDIEM: put_cased(out, f->hour % 24 >= 12 ? "PM" : "AM", 2, case_of(node->text)); return true;
    case P_MERIDIEM_DOTS: put_cased(out, f->hour % 24 >= 12 ? "P.M." : "A.M.", 4, is_upper(node->text.data[0]) ? CASE_UPPER : CASE_LOWER); return true;
    case P_ERA: put_cased(out, f->year > 0 ? "AD" : "BC", 2, case_of(node->text)); return true;
    case P_ERA_DOTS: put_cased(out, f->year > 0 ? "A.D." : "B.C.", 4, is_upper(node->text.data[0]) ? CASE_UPPER : CASE_LOWER); return true;
    case P_MONTH: put_padded(node, month, 9, out); return true;
    case P_MON: put_cased(out, month, MIN_OF(strlen(month), (size_t)3), case_of(node->text)); return true;
    case P_DAY: put_padded(node, day, 9, out); return true;
    case P_DY: put_cased(out, day, 3, case_of(node->text)); return true;
    case P_RM:
        if (f->month != 0 || f->year != 0) {
            TemplateNode plain = *node;
            plain.locale = false;
            put_padded(&plain, roman(f), 4, out);
        }
        return true;
    default: return false;
    }
}

/* ---- zones ---- */

static bool put_zone(const Fields *f, const TemplateNode *node, Buffer *out) {
    char sign = f->offset < 0 ? '-' : '+';
    int hours = (int)(size_of(f->offset) / 3600), minutes = (int)(size_of(f->offset) % 3600 / 60);
    switch (node->pattern) {
    case P_TZH: buffer_printf(out, "%c%02d", sign, hours); return true;
    case P_TZM: buffer_printf(out, "%02d", minutes); return true;
    case P_OF:
        buffer_printf(out, "%c%0*d", sign, node->fill_mode ? 0 : 2, hours);
        if (size_of(f->offset) % 3600 != 0) {
            buffer_printf(out, ":%02d", minutes);
        }
        return true;
    case P_TZ:
        for (size_t i = 0; i < f->zone_name.len; i++) {
            char c = f->zone_name.data[i];
            buffer_append_char(out, !is_upper(node->text.data[0]) && is_upper(c) ? (char)(c | 0x20) : c);
        }
        return true;
    default: return false;
    }
}

/* ---- all ---- */

static bool means_nothing_for_intervals(TemplatePattern pattern) {
    switch (pattern) {
    case P_TZ:
    case P_TZH:
    case P_TZM:
    case P_OF:
    case P_ERA:
    case P_ERA_DOTS:
    case P_MONTH:
    case P_MON:
    case P_DAY:
    case P_DY:
    case P_D:
    case P_ID: return true;
    default: return false;
    }
}

static ErrorCode write_format(const Fields *f, Str format, Buffer *out, Error *err) {
    TemplateReader reader = {.format = format};
    for (TemplateNode node = time__template_next(&reader); node.kind != NODE_END; node = time__template_next(&reader)) {
        if (node.kind != NODE_PATTERN) {
            buffer_append_str(out, node.text);
            continue;
        }
        if (f->is_interval && means_nothing_for_intervals(node.pattern)) {
            ErrorCode code = error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "invalid format specification for an interval value");
            (void)error_add(err, 'H', "Intervals are not tied to specific calendar dates.");
            return code;
        }
        bool done = put_year(f, &node, out) || put_day(f, &node, out) || put_clock(f, &node, out) || put_name(f, &node, out) || put_zone(f, &node, out);
        assert(done || node.pattern == P_FX);
    }
    return ERR_OK;
}

ErrorCode time__format_pg(Wall wall, Str format, Str zone_name, Buffer *out, Error *err) {
    int64_t seconds = wall.nanos / NANOS_PER_SECOND;
    Fields f = {.hour = seconds / 3600, .minute = (int32_t)(seconds / 60 % 60), .second = (int32_t)(seconds % 60), .micros = (int32_t)(wall.nanos / 1000 % 1000000),
                .days = wall.days, .offset = wall.offset, .zone_name = zone_name};
    civil_from_days(wall.days, &f.year, &f.month, &f.day);
    f.day_of_year = wall.days - days_from_civil(f.year, 1, 1) + 1;
    time__iso_week(wall.days, &f.iso_year, &f.week);
    f.iso_day = (f.week - 1) * 7 + (day_of_week(wall.days) + 6) % 7 + 1;
    return write_format(&f, format, out, err);
}

/* The day that PostgreSQL's arithmetic gives for year, month and day of any size. */
static int64_t interval_days(int64_t year, int64_t month, int64_t day) {
    bool late = month > 2;
    month += late ? 1 : 13;
    year += late ? 4800 : 4799;
    int64_t centuries = year / 100;
    return year * 365 - 32167 + year / 4 - centuries + centuries / 4 + 7834 * month / 256 + day - 2440588;
}

/* First day of the year of weeks: the Monday of the week with the fourth of January. */
static int64_t week_year_start(int64_t year) {
    int64_t fourth = interval_days(year, 1, 4);
    return fourth - (day_of_week(fourth) + 6) % 7;
}

/* The week of a day that may lie far outside of the year that it is counted in: PostgreSQL looks at the years beside it only. */
static void interval_week(Fields *f) {
    int32_t year = f->year;
    year -= f->days < week_year_start(year);
    f->week = (int32_t)((f->days - week_year_start(year)) / 7 + 1);
    if (f->week >= 53 && f->days >= week_year_start(f->year + 1)) {
        year = f->year + 1;
        f->week = (int32_t)((f->days - week_year_start(year)) / 7 + 1);
    }
    f->iso_year = year;
    f->iso_day = (int32_t)(f->days - week_year_start(year) + 1);
}

/* Fields of the interval in the places of a date's. */
ErrorCode time__format_interval(Interval interval, Str format, Buffer *out, Error *err) {
    int64_t seconds = interval.micros / MICROS_PER_SECOND;
    Fields f = {.hour = seconds / 3600, .minute = (int32_t)(seconds / 60 % 60), .second = (int32_t)(seconds % 60), .micros = (int32_t)(interval.micros % MICROS_PER_SECOND),
                .year = interval.months / 12, .month = interval.months % 12, .day = interval.days, .is_interval = true};
    f.day_of_year = (int64_t)interval.months * 30 + interval.days;
    f.days = interval_days(f.year, f.month, f.day);
    interval_week(&f);
    return write_format(&f, format, out, err);
}

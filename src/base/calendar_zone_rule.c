/* SPDX-License-Identifier: Apache-2.0
 * calendar_zone_rule.c - reads POSIX time zone rules and finds the days they name.
 *
 * Layout: std offset [dst [offset] , start [/time] , end [/time]]; offsets count west; hours up to 167 as RFC 8536 allows.
 * Tests:  test/unit/base/test_calendar.c */
#include "base/calendar_internal.h"
#include "base/calendar.h"

enum { HOURS_MAX = 167, TRANSITION_TIME_DEFAULT = 2 * 3600 };

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static bool take_char(Cursor *c, char wanted) {
    if (c->at == c->end || *c->at != wanted) {
        return false;
    }
    c->at++;
    return true;
}

static bool take_number(Cursor *c, int32_t low, int32_t high, int32_t *value_out) {
    const char *from = c->at;
    int32_t value = 0;
    while (c->at != c->end && *c->at >= '0' && *c->at <= '9' && value <= high) {
        value = value * 10 + (*c->at++ - '0');
    }
    *value_out = value;
    return c->at != from && value >= low && value <= high;
}

/* Anything between < and >, or what holds no digit, sign or comma. May be empty. */
static bool take_name(Cursor *c, Str *name_out) {
    const char *from = c->at;
    if (take_char(c, '<')) {
        while (c->at != c->end && *c->at != '>') {
            c->at++;
        }
        *name_out = (Str){from + 1, (size_t)(c->at - from) - 1};
        return take_char(c, '>');
    }
    while (c->at != c->end && !(*c->at >= '0' && *c->at <= '9') && *c->at != '+' && *c->at != '-' && *c->at != ',') {
        c->at++;
    }
    *name_out = (Str){from, (size_t)(c->at - from)};
    return true;
}

/* [+-]hh[:mm[:ss]] */
static bool take_seconds(Cursor *c, int32_t *seconds_out) {
    bool negative = take_char(c, '-');
    if (!negative) {
        take_char(c, '+');
    }
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;
    if (!take_number(c, 0, HOURS_MAX, &hours)) {
        return false;
    }
    if (take_char(c, ':')) {
        if (!take_number(c, 0, 59, &minutes)) {
            return false;
        }
        if (take_char(c, ':') && !take_number(c, 0, 59, &seconds)) {
            return false;
        }
    }
    int32_t total = hours * 3600 + minutes * 60 + seconds;
    *seconds_out = negative ? -total : total;
    return true;
}

static bool take_date(Cursor *c, ZoneRuleDate *date) {
    bool fits;
    if (take_char(c, 'M')) {
        date->kind = ZONE_RULE_MONTH_WEEK_DAY;
        fits = take_number(c, 1, 12, &date->month) && take_char(c, '.') && take_number(c, 1, 5, &date->week) &&
               take_char(c, '.') && take_number(c, 0, 6, &date->day);
    } else if (take_char(c, 'J')) {
        date->kind = ZONE_RULE_JULIAN_NO_LEAP;
        fits = take_number(c, 1, 365, &date->day);
    } else {
        date->kind = ZONE_RULE_DAY_OF_YEAR;
        fits = take_number(c, 0, 365, &date->day);
    }
    date->seconds = TRANSITION_TIME_DEFAULT;
    return fits && (!take_char(c, '/') || take_seconds(c, &date->seconds));
}

bool zone__parse_rule(Str text, ZoneRule *rule_out) {
    Cursor c = {text.data, text.data + text.len};
    ZoneRule rule = {0};
    int32_t west;
    if (!take_name(&c, &rule.standard_name) || !take_seconds(&c, &west)) {
        return false;
    }
    rule.standard_offset = -west;
    if (c.at == c.end) {
        *rule_out = rule;
        return true;
    }
    rule.has_daylight = true;
    rule.daylight_offset = rule.standard_offset + 3600;
    if (!take_name(&c, &rule.daylight_name) || rule.daylight_name.len == 0) {
        return false;
    }
    if (c.at != c.end && *c.at != ',') {
        if (!take_seconds(&c, &west)) {
            return false;
        }
        rule.daylight_offset = -west;
    }
    if (c.at == c.end) { /* PostgreSQL's default: the rule of the United States */
        static const char DEFAULT[] = ",M3.2.0,M11.1.0";
        c = (Cursor){DEFAULT, DEFAULT + sizeof DEFAULT - 1};
    }
    if (!take_char(&c, ',') || !take_date(&c, &rule.begin) || !take_char(&c, ',') || !take_date(&c, &rule.end)) {
        return false;
    }
    *rule_out = rule;
    return c.at == c.end;
}

static int64_t month_week_day(const ZoneRuleDate *date, int32_t year) {
    int64_t first = days_from_civil(year, date->month, 1);
    int32_t ahead = (date->day - day_of_week(first) + 7) % 7;
    int32_t day = ahead + (date->week - 1) * 7;
    if (day >= days_in_month(year, date->month)) {
        day -= 7;
    }
    return first + day;
}

int64_t zone__rule_seconds(const ZoneRuleDate *date, int32_t year) {
    int64_t days;
    int64_t new_year = days_from_civil(year, 1, 1);
    switch (date->kind) {
    case ZONE_RULE_MONTH_WEEK_DAY:
        days = month_week_day(date, year);
        break;
    case ZONE_RULE_JULIAN_NO_LEAP: /* 29 February is never counted: 60 is always 1 March */
        days = new_year + date->day - 1 + (date->day >= 60 && days_in_month(year, 2) == 29);
        break;
    case ZONE_RULE_DAY_OF_YEAR:
    default:
        days = new_year + date->day;
    }
    return days * 86400 + date->seconds;
}

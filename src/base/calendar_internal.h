/* SPDX-License-Identifier: Apache-2.0
 * calendar_internal.h - POSIX time zone rules ("CET-1CEST,M3.5.0,M10.5.0/3"), as TZif footers hold them; pieces of printed times. */
#pragma once
#include "base/str.h"

typedef enum ZoneRuleKind { ZONE_RULE_MONTH_WEEK_DAY, ZONE_RULE_JULIAN_NO_LEAP, ZONE_RULE_DAY_OF_YEAR } ZoneRuleKind;

typedef struct ZoneRuleDate {
    ZoneRuleKind kind;
    int32_t month, week, day; /* week 5 = the last; day: of the week, or of the year */
    int32_t seconds;          /* local time of day; may be negative or beyond a day */
} ZoneRuleDate;

typedef struct ZoneRule {
    int32_t standard_offset, daylight_offset; /* seconds east */
    bool has_daylight;
    ZoneRuleDate begin, end; /* of daylight time */
    Str standard_name, daylight_name; /* in the rule's text */
} ZoneRule;

bool zone__parse_rule(Str text, ZoneRule *rule_out);
int64_t zone__rule_seconds(const ZoneRuleDate *date, int32_t year); /* local seconds since 1970-01-01 00:00 */

void calendar__put_2(char *out, int32_t value);
size_t calendar__put_year(char *out, int32_t year);              /* at least four digits */
size_t calendar__put_clock(char *out, int32_t seconds_of_day);

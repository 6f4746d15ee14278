/* SPDX-License-Identifier: Apache-2.0
 * calendar.h - proleptic Gregorian calendar, timestamps <-> text, time zones from TZif bytes (RFC 8536).
 *
 * Timestamps are int64 microseconds (or ns, ms where named so) since 1970-01-01 UTC. INT64_MIN / INT64_MAX are -infinity / infinity. */
#pragma once
#include "base/error.h"
#include "base/memory.h"

#define MICROS_PER_SECOND INT64_C(1000000)
#define MICROS_PER_DAY INT64_C(86400000000)

typedef struct CivilTime {
    int32_t year;             /* astronomical: 0 = 1 BC */
    int32_t month, day;       /* 1-12, 1-31 */
    int32_t hour, minute, second;
    int32_t nanos;            /* 0-999,999,999 */
} CivilTime;

int64_t days_from_civil(int32_t year, int32_t month, int32_t day);        /* days since 1970-01-01 */
void civil_from_days(int64_t days, int32_t *year, int32_t *month, int32_t *day);
int32_t days_in_month(int32_t year, int32_t month);
int32_t day_of_week(int64_t days);                                         /* 0 = Sunday */
void civil_from_micros(int64_t micros, CivilTime *civil_out);
bool micros_from_civil(const CivilTime *civil, int64_t *micros_out);       /* false: out of range */
int64_t floor_div(int64_t a, int64_t b);                                   /* toward minus infinity; b > 0 */
int64_t micros_add_months(int64_t micros, int64_t months);                 /* day clipped to the month's last */

/* Reads ISO forms: 2024, 2024-01, 2024-01-05, +T or space, hh[:mm[:ss[.fraction 1-9]]], Z or ±hh[:mm]; "infinity", "-infinity",
 * "epoch", and PostgreSQL's "Jan 5 2024", "5 Jan 2024", "20240105". nanos since 1970 does not fit all years, so the answer is
 * civil fields + offset. *has_offset_out tells whether the text named one (seconds east). false: not a timestamp. */
typedef struct ParsedTime { CivilTime civil; int32_t offset_seconds; bool has_offset, has_time; int8_t infinite; } ParsedTime;
bool timestamp_parse(Str text, ParsedTime *parsed_out);
bool timestamp_parse_micros(Str text, int64_t *micros_out);  /* offset applied (UTC if none); fraction beyond 6 digits rounded */
bool timestamp_parse_nanos(Str text, int64_t *nanos_out);
bool date_parse(Str text, int32_t *days_out);

enum { TIMESTAMP_TEXT_MAX = 40 };
/* "2024-01-05T09:00:00.000000Z" with fraction_digits 3, 6 or 9 (unit of value: 10^-fraction_digits s). */
size_t timestamp_format_iso(char *out, int64_t value, int fraction_digits);
/* PostgreSQL: "2024-01-05 09:00:00.5", trailing zeros dropped, " BC", infinity. with_zone: micros is UTC, the
 * wall time shown is that of offset_seconds east, which is appended as +hh[:mm[:ss]]. */
size_t timestamp_format_pg(char *out, int64_t micros, bool with_zone, int32_t offset_seconds);
size_t date_format_pg(char *out, int32_t days);

/* PostgreSQL's DateStyle: how dates are printed, and which field of 01/02/2024 is which. Zero is its default. */
typedef enum DateForm { DATE_FORM_ISO, DATE_FORM_POSTGRES, DATE_FORM_SQL, DATE_FORM_GERMAN } DateForm;
typedef enum DateOrder { DATE_ORDER_MDY, DATE_ORDER_DMY, DATE_ORDER_YMD } DateOrder;
typedef struct DateStyle { uint8_t form, order; } DateStyle;
/* The forms that are not ISO; the values are finite. zone_name: of the wall time, behind it; empty = none. */
size_t date_format_styled(char *out, int32_t days, DateStyle style);
size_t timestamp_format_styled(char *out, int64_t wall_seconds, int32_t nanos, DateStyle style, Str zone_name);

/* Time zone: transitions read from TZif bytes (the caller reads /usr/share/zoneinfo/NAME through os). Memory in the arena. */
typedef struct Zone Zone;
NODISCARD ErrorCode zone_from_tzif(Bytes tzif, Str name, Arena *arena, const Zone **zone_out, Error *err);
const Zone *zone_fixed(Arena *arena, int32_t offset_seconds);
/* A zone by a POSIX rule: "EST5EDT,M3.2.0,M11.1.0", "<+0530>-05:30", "-03"; offsets count west. NULL: not a rule. */
const Zone *zone_from_rule(Arena *arena, Str text);
bool zone_parse_offset(Str text, int32_t *offset_seconds_out);             /* "+05:45", "-0800", "Z", "UTC", "GMT" */
int32_t zone_offset_at_utc(const Zone *zone, int64_t utc_seconds);         /* seconds east of UTC */
Str zone_abbreviation_at_utc(const Zone *zone, int64_t utc_seconds);       /* "CEST"; lives as the zone; empty: of a fixed offset without a name */
/* What an abbreviation of the zone means about that time: in its latest use until then, else in its first. fixed: it always meant that.
 * false: the zone does not know it. */
typedef struct ZoneAbbreviation { int32_t offset_seconds; bool fixed; } ZoneAbbreviation;
bool zone_abbreviation_find(const Zone *zone, Str name, int64_t utc_seconds, ZoneAbbreviation *found_out);
/* Local wall time -> UTC seconds. PostgreSQL's rule: in a gap the offset before it holds (02:30 becomes 03:30), in an overlap the
 * offset after it (the later instant, standard time). */
int64_t zone_to_utc(const Zone *zone, int64_t local_seconds);

/* SPDX-License-Identifier: Apache-2.0
 * interval_style.c - intervals in PostgreSQL's other styles: postgres_verbose, sql_standard, iso_8601.
 *
 * Layout: "@ 1 year 2 mons 3 days 4 hours 5 mins 6.5 secs ago"; "1-2", "3 4:05:06.5" or, where signs or kinds are mixed, "+1-2 -3 +4:05:06.5";
 *         "P1Y2M3DT4H5M6.5S".
 * Tests:  test/sql/print_styles.slt */
#include "base/number.h"
#include "column/value_text.h"

/* Years, months, days, hours, minutes; all fields of one time have one sign. */
enum { PART_YEARS, PART_MONTHS, PART_DAYS, PART_HOURS, PART_MINUTES, PART_COUNT };

typedef struct Parts {
    int64_t fields[PART_COUNT];
    int64_t micros; /* of the minute */
} Parts;

static Parts split(Interval interval) {
    int64_t seconds = interval.micros / MICROS_PER_SECOND;
    return (Parts){{interval.months / 12, interval.months % 12, interval.days, seconds / 3600, seconds / 60 % 60},
                   interval.micros % (60 * MICROS_PER_SECOND)};
}

static size_t put_text(char *out, const char *text) {
    size_t len = strlen(text);
    memcpy(out, text, len);
    return len;
}

static int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

static size_t put_two(char *out, int64_t value) {
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
    return 2;
}

/* "6.5": without a sign. */
static size_t put_seconds(char *out, int64_t micros, bool two_digits) {
    int64_t rest = magnitude(micros), whole = rest / MICROS_PER_SECOND;
    size_t len = two_digits ? put_two(out, whole) : format_int64(out, whole);
    return len + format_fraction(out + len, rest % MICROS_PER_SECOND, 6);
}

/* ---- postgres_verbose ---- */

static size_t format_verbose(char *out, const Parts *parts) {
    static const char *const UNITS[PART_COUNT] = {"year", "mon", "day", "hour", "min"};
    bool any = false, ago = false; /* ago: the first field is negative; the others' signs turn */
    size_t len = put_text(out, "@");
    for (int i = 0; i < PART_COUNT; i++) {
        int64_t value = parts->fields[i];
        if (value == 0) {
            continue;
        }
        ago = any ? ago : value < 0;
        any = true;
        value = ago ? -value : value;
        out[len++] = ' ';
        len += format_int64(out + len, value);
        out[len++] = ' ';
        len += put_text(out + len, UNITS[i]);
        len += value == 1 ? 0 : put_text(out + len, "s");
    }
    if (parts->micros != 0) {
        ago = any ? ago : parts->micros < 0;
        any = true;
        out[len++] = ' ';
        len += (parts->micros < 0) != ago ? put_text(out + len, "-") : 0;
        len += put_seconds(out + len, parts->micros, false);
        len += put_text(out + len, magnitude(parts->micros) == MICROS_PER_SECOND ? " sec" : " secs");
    }
    len += any ? 0 : put_text(out + len, " 0");
    return len + (ago ? put_text(out + len, " ago") : 0);
}

/* ---- sql_standard ---- */

static size_t put_clock(char *out, const Parts *parts) {
    size_t len = format_int64(out, magnitude(parts->fields[PART_HOURS]));
    out[len++] = ':';
    len += put_two(out + len, magnitude(parts->fields[PART_MINUTES]));
    out[len++] = ':';
    return len + put_seconds(out + len, parts->micros, true);
}

static size_t put_years(char *out, const Parts *parts) {
    size_t len = format_int64(out, magnitude(parts->fields[PART_YEARS]));
    out[len++] = '-';
    return len + format_int64(out + len, magnitude(parts->fields[PART_MONTHS]));
}

static char sign_of(bool negative) { return negative ? '-' : '+'; }

/* Years and days together, or mixed signs: the standard has no such interval; every part has its sign. */
static size_t format_sql_mixed(char *out, Interval interval, const Parts *parts) {
    size_t len = 0;
    out[len++] = sign_of(interval.months < 0);
    len += put_years(out + len, parts);
    out[len++] = ' ';
    out[len++] = sign_of(interval.days < 0);
    len += format_int64(out + len, magnitude(parts->fields[PART_DAYS]));
    out[len++] = ' ';
    out[len++] = sign_of(interval.micros < 0);
    return len + put_clock(out + len, parts);
}

static size_t format_sql(char *out, Interval interval, const Parts *parts) {
    bool negative = interval.months < 0 || interval.days < 0 || interval.micros < 0;
    bool positive = interval.months > 0 || interval.days > 0 || interval.micros > 0;
    bool day_time = interval.days != 0 || interval.micros != 0;
    if (!negative && !positive) {
        return put_text(out, "0");
    }
    if ((negative && positive) || (interval.months != 0 && day_time)) {
        return format_sql_mixed(out, interval, parts);
    }
    size_t len = negative ? put_text(out, "-") : 0;
    if (interval.months != 0) {
        return len + put_years(out + len, parts);
    }
    if (interval.days != 0) {
        len += format_int64(out + len, magnitude(parts->fields[PART_DAYS]));
        out[len++] = ' ';
    }
    return len + put_clock(out + len, parts);
}

/* ---- iso_8601 ---- */

static size_t put_iso_field(char *out, int64_t value, char unit) {
    if (value == 0) {
        return 0;
    }
    size_t len = format_int64(out, value);
    out[len++] = unit;
    return len;
}

static size_t format_iso(char *out, Interval interval, const Parts *parts) {
    static const char UNITS[PART_COUNT] = {'Y', 'M', 'D', 'H', 'M'};
    if (interval.months == 0 && interval.days == 0 && interval.micros == 0) {
        return put_text(out, "PT0S");
    }
    size_t len = put_text(out, "P");
    for (int i = 0; i < PART_COUNT; i++) {
        len += i == PART_HOURS && interval.micros != 0 ? put_text(out + len, "T") : 0;
        len += put_iso_field(out + len, parts->fields[i], UNITS[i]);
    }
    if (parts->micros != 0) {
        len += parts->micros < 0 ? put_text(out + len, "-") : 0;
        len += put_seconds(out + len, parts->micros, false);
        out[len++] = 'S';
    }
    return len;
}

size_t interval_format_styled(char *out, Interval interval, IntervalStyle style) {
    if (style == INTERVAL_POSTGRES || interval_is_infinite(interval) != 0) {
        return interval_format(out, interval);
    }
    Parts parts = split(interval);
    size_t len = style == INTERVAL_VERBOSE ? format_verbose(out, &parts) : style == INTERVAL_SQL ? format_sql(out, interval, &parts) : format_iso(out, interval, &parts);
    assert(len <= INTERVAL_TEXT_MAX);
    return len;
}

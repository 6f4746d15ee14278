/* SPDX-License-Identifier: Apache-2.0
 * calendar_style.c - dates and timestamps in PostgreSQL's forms that are not ISO: Postgres, SQL, German.
 *
 * Layout: Postgres "Wed Jan 05 09:00:00.5 2024 CET", SQL "01/05/2024 09:00:00.5 CET", German "05.01.2024 09:00:00.5 CET"; with DMY the
 *         first two put the day before the month. Years BC count from one and end with " BC".
 * Tests:  test/sql/print_styles.slt */
#include "base/calendar.h"
#include "base/calendar_internal.h"
#include "base/number.h"

typedef struct StyledDate {
    int32_t year, month, day; /* year: as printed */
    bool before_christ;
} StyledDate;

static StyledDate date_of(int64_t days) {
    StyledDate date;
    civil_from_days(days, &date.year, &date.month, &date.day);
    date.before_christ = date.year <= 0;
    date.year = date.before_christ ? 1 - date.year : date.year;
    return date;
}

static size_t put_era(char *out, const StyledDate *date) {
    if (!date->before_christ) {
        return 0;
    }
    memcpy(out, " BC", 3);
    return 3;
}

static size_t put_numbers(char *out, const StyledDate *date, bool day_first, char separator) {
    calendar__put_2(out, day_first ? date->day : date->month);
    out[2] = separator;
    calendar__put_2(out + 3, day_first ? date->month : date->day);
    out[5] = separator;
    return 6 + calendar__put_year(out + 6, date->year);
}

static size_t put_styled_date(char *out, const StyledDate *date, DateStyle style) {
    bool german = style.form == DATE_FORM_GERMAN;
    char separator = german ? '.' : style.form == DATE_FORM_SQL ? '/' : '-';
    return put_numbers(out, date, german || style.order == DATE_ORDER_DMY, separator);
}

size_t date_format_styled(char *out, int32_t days, DateStyle style) {
    assert(style.form != DATE_FORM_ISO);
    StyledDate date = date_of(days);
    size_t len = put_styled_date(out, &date, style);
    return len + put_era(out + len, &date);
}

/* "Wed Jan 05 " or, with the day first, "Wed 05 Jan ". */
static size_t put_named_day(char *out, const StyledDate *date, int64_t days, bool day_first) {
    static const char DAYS[] = "SunMonTueWedThuFriSat", MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *month = MONTHS + 3 * (date->month - 1);
    memcpy(out, DAYS + 3 * day_of_week(days), 3);
    if (day_first) {
        calendar__put_2(out + 4, date->day);
        memcpy(out + 7, month, 3);
    } else {
        memcpy(out + 4, month, 3);
        calendar__put_2(out + 8, date->day);
    }
    out[3] = out[day_first ? 6 : 7] = out[10] = ' ';
    return 11;
}

size_t timestamp_format_styled(char *out, int64_t wall_seconds, int32_t nanos, DateStyle style, Str zone_name) {
    enum { ZONE_NAME_MAX = 10 };
    assert(style.form != DATE_FORM_ISO);
    int64_t days = floor_div(wall_seconds, 86400);
    StyledDate date = date_of(days);
    bool named = style.form == DATE_FORM_POSTGRES;
    size_t len = named ? put_named_day(out, &date, days, style.order == DATE_ORDER_DMY) : put_styled_date(out, &date, style);
    if (!named) {
        out[len++] = ' ';
    }
    len += calendar__put_clock(out + len, (int32_t)(wall_seconds - days * 86400));
    len += format_fraction(out + len, nanos, 9);
    if (named) {
        out[len++] = ' ';
        len += calendar__put_year(out + len, date.year);
    }
    if (zone_name.len > 0) {
        size_t name = MIN_OF(zone_name.len, (size_t)ZONE_NAME_MAX);
        out[len++] = ' ';
        memcpy(out + len, zone_name.data, name);
        len += name;
    }
    return len + put_era(out + len, &date);
}

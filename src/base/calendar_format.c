/* SPDX-License-Identifier: Apache-2.0
 * calendar_format.c - timestamps and dates -> text.
 *
 * Why: exporting prints one timestamp a row; fields go out by two-digit steps without printf.
 * Tests: test/unit/base/test_calendar.c */
#include "base/calendar.h"
#include "base/calendar_internal.h"
#include "base/number.h"

static size_t put_text(char *out, const char *text) {
    size_t len = strlen(text);
    memcpy(out, text, len);
    return len;
}

void calendar__put_2(char *out, int32_t value) {
    assert(value >= 0);
    assert(value <= 99);
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
}

/* At least four digits. */
size_t calendar__put_year(char *out, int32_t year) {
    assert(year >= 0);
    if (year > 9999) {
        return format_int64(out, year);
    }
    calendar__put_2(out, year / 100);
    calendar__put_2(out + 2, year % 100);
    return 4;
}

static size_t put_date(char *out, int32_t year, int32_t month, int32_t day) {
    size_t len = calendar__put_year(out, year);
    out[len] = '-';
    calendar__put_2(out + len + 1, month);
    out[len + 3] = '-';
    calendar__put_2(out + len + 4, day);
    return len + 6;
}

size_t calendar__put_clock(char *out, int32_t seconds_of_day) {
    calendar__put_2(out, seconds_of_day / 3600);
    out[2] = ':';
    calendar__put_2(out + 3, seconds_of_day / 60 % 60);
    out[5] = ':';
    calendar__put_2(out + 6, seconds_of_day % 60);
    return 8;
}

static void put_digits(char *out, int64_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

size_t timestamp_format_iso(char *out, int64_t value, int fraction_digits) {
    assert(fraction_digits == 3 || fraction_digits == 6 || fraction_digits == 9);
    if (value == INT64_MIN || value == INT64_MAX) {
        return put_text(out, value < 0 ? "-infinity" : "infinity");
    }
    int64_t unit = fraction_digits == 3 ? 1000 : fraction_digits == 6 ? 1000000 : 1000000000;
    int64_t seconds = floor_div(value, unit);
    int64_t days = floor_div(seconds, 86400);
    int32_t year;
    int32_t month;
    int32_t day;
    civil_from_days(days, &year, &month, &day);
    size_t len = 0;
    if (year < 0) {
        out[len++] = '-';
        year = -year;
    }
    len += put_date(out + len, year, month, day);
    out[len++] = 'T';
    len += calendar__put_clock(out + len, (int32_t)(seconds - days * 86400));
    out[len++] = '.';
    put_digits(out + len, value - seconds * unit, fraction_digits);
    len += (size_t)fraction_digits;
    out[len++] = 'Z';
    return len;
}

static size_t put_offset(char *out, int32_t offset_seconds) {
    int32_t left = offset_seconds < 0 ? -offset_seconds : offset_seconds;
    size_t len = 3;
    out[0] = offset_seconds < 0 ? '-' : '+';
    calendar__put_2(out + 1, left / 3600);
    if (left % 3600 != 0) {
        out[len] = ':';
        calendar__put_2(out + len + 1, left / 60 % 60);
        len += 3;
    }
    if (left % 60 != 0) {
        out[len] = ':';
        calendar__put_2(out + len + 1, left % 60);
        len += 3;
    }
    return len;
}

/* PostgreSQL counts 1 BC after 1 AD: the astronomical year 0 is "0001 BC". */
static size_t put_era_date(char *out, int64_t days, bool *before_christ_out) {
    int32_t year;
    int32_t month;
    int32_t day;
    civil_from_days(days, &year, &month, &day);
    *before_christ_out = year <= 0;
    return put_date(out, year <= 0 ? 1 - year : year, month, day);
}

size_t timestamp_format_pg(char *out, int64_t micros, bool with_zone, int32_t offset_seconds) {
    if (micros == INT64_MIN || micros == INT64_MAX) {
        return put_text(out, micros < 0 ? "-infinity" : "infinity");
    }
    int64_t seconds = floor_div(micros, MICROS_PER_SECOND);
    int32_t fraction = (int32_t)(micros - seconds * MICROS_PER_SECOND);
    seconds += with_zone ? offset_seconds : 0;
    int64_t days = floor_div(seconds, 86400);
    bool before_christ;
    size_t len = put_era_date(out, days, &before_christ);
    out[len++] = ' ';
    len += calendar__put_clock(out + len, (int32_t)(seconds - days * 86400));
    len += format_fraction(out + len, fraction, 6);
    if (with_zone) {
        len += put_offset(out + len, offset_seconds);
    }
    return before_christ ? len + put_text(out + len, " BC") : len;
}

size_t date_format_pg(char *out, int32_t days) {
    if (days == INT32_MIN || days == INT32_MAX) {
        return put_text(out, days < 0 ? "-infinity" : "infinity");
    }
    bool before_christ;
    size_t len = put_era_date(out, days, &before_christ);
    return before_christ ? len + put_text(out + len, " BC") : len;
}

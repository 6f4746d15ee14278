/* SPDX-License-Identifier: Apache-2.0
 * calendar.c - days and microseconds <-> fields of the proleptic Gregorian calendar.
 *
 * Why: years are counted from 1 March, so that the leap day is the last one of its year and a month's start is a linear function
 * of its number; eras of 400 years have all the same 146,097 days.
 * Tests: test/unit/base/test_calendar.c */
#include "base/calendar.h"

enum { DAYS_PER_ERA = 146097, YEARS_PER_ERA = 400, EPOCH_FROM_MARCH_0000 = 719468 };

static const int64_t MICROS_PER_HOUR = 3600 * MICROS_PER_SECOND;
static const int64_t MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND;

int64_t floor_div(int64_t a, int64_t b) {
    assert(b > 0);
    int64_t quotient = a / b;
    return quotient - (a % b < 0);
}

int64_t days_from_civil(int32_t year, int32_t month, int32_t day) {
    assert(month >= 1);
    assert(month <= 12);
    int64_t march_year = (int64_t)year - (month <= 2);
    int64_t era = floor_div(march_year, YEARS_PER_ERA);
    int64_t year_of_era = march_year - era * YEARS_PER_ERA;
    int64_t march_month = (month + 9) % 12;
    int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - EPOCH_FROM_MARCH_0000;
}

void civil_from_days(int64_t days, int32_t *year, int32_t *month, int32_t *day) {
    int64_t from_march = days + EPOCH_FROM_MARCH_0000;
    int64_t era = floor_div(from_march, DAYS_PER_ERA);
    int32_t day_of_era = (int32_t)(from_march - era * DAYS_PER_ERA);
    int32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int32_t march_month = (5 * day_of_year + 2) / 153;
    *day = day_of_year - (153 * march_month + 2) / 5 + 1;
    *month = march_month < 10 ? march_month + 3 : march_month - 9;
    *year = (int32_t)(year_of_era + era * YEARS_PER_ERA) + (*month <= 2);
}

static bool is_leap(int32_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int32_t days_in_month(int32_t year, int32_t month) {
    assert(month >= 1);
    assert(month <= 12);
    static const int8_t DAYS[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return DAYS[month - 1] + (month == 2 && is_leap(year));
}

int32_t day_of_week(int64_t days) {
    static const int THURSDAY = 4; /* 1970-01-01 */
    int64_t from_sunday = days % 7 + THURSDAY + 7;
    return (int32_t)(from_sunday % 7);
}

void civil_from_micros(int64_t micros, CivilTime *civil_out) {
    int64_t days = floor_div(micros, MICROS_PER_DAY);
    int64_t rest = micros - days * MICROS_PER_DAY;
    civil_from_days(days, &civil_out->year, &civil_out->month, &civil_out->day);
    int32_t seconds = (int32_t)(rest / MICROS_PER_SECOND);
    civil_out->nanos = (int32_t)(rest % MICROS_PER_SECOND) * 1000;
    civil_out->hour = seconds / 3600;
    civil_out->minute = seconds / 60 % 60;
    civil_out->second = seconds % 60;
}

bool micros_from_civil(const CivilTime *civil, int64_t *micros_out) {
    int64_t days = days_from_civil(civil->year, civil->month, civil->day);
    int64_t in_day = civil->hour * MICROS_PER_HOUR + civil->minute * MICROS_PER_MINUTE +
                     civil->second * MICROS_PER_SECOND + (civil->nanos + 500) / 1000;
    int64_t micros;
    if (__builtin_mul_overflow(days, MICROS_PER_DAY, &micros)) {
        /* The first day of the range begins before INT64_MIN; its last hours are inside. */
        days++;
        in_day -= MICROS_PER_DAY;
        if (__builtin_mul_overflow(days, MICROS_PER_DAY, &micros)) {
            return false;
        }
    }
    if (__builtin_add_overflow(micros, in_day, &micros) || micros == INT64_MIN || micros == INT64_MAX) {
        return false; /* the ends are -infinity and infinity */
    }
    *micros_out = micros;
    return true;
}

/* Saturates: a result beyond the range becomes the infinity on its side. */
int64_t micros_add_months(int64_t micros, int64_t months) {
    if (micros == INT64_MIN || micros == INT64_MAX) {
        return micros;
    }
    CivilTime civil;
    civil_from_micros(micros, &civil);
    static const int64_t MONTHS_LIMIT = 12 * INT64_C(1000000);
    if (months > MONTHS_LIMIT || months < -MONTHS_LIMIT) {
        return months > 0 ? INT64_MAX : INT64_MIN;
    }
    int64_t month_index = civil.year * INT64_C(12) + civil.month - 1 + months;
    civil.year = (int32_t)floor_div(month_index, 12);
    civil.month = (int32_t)(month_index - civil.year * INT64_C(12)) + 1;
    civil.day = MIN_OF(civil.day, days_in_month(civil.year, civil.month));
    int64_t moved;
    if (!micros_from_civil(&civil, &moved)) {
        return months > 0 ? INT64_MAX : INT64_MIN;
    }
    return moved;
}

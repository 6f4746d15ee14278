/* SPDX-License-Identifier: Apache-2.0
 * calendar_parse.c - text -> fields of a timestamp, its offset and its infinities.
 *
 * Layout:  date [T or blanks time [offset]] [BC], with date one of 2024, 2024-01, 2024-01-05, 20240105, Jan 5 2024, 5 Jan 2024.
 * Why:     a cursor over the text and one small function for each piece; a piece that does not fit moves nothing.
 * Tests:   test/unit/base/test_calendar.c */
#include "base/calendar.h"

enum { NANOS_PER_SECOND = 1000000000, YEAR_DIGITS_MAX = 6, OFFSET_HOURS_MAX = 15 };

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static bool at_end(const Cursor *c) {
    return c->at == c->end;
}

static bool peek_digit(const Cursor *c) {
    return !at_end(c) && *c->at >= '0' && *c->at <= '9';
}

static bool take_char(Cursor *c, char wanted) {
    if (at_end(c) || *c->at != wanted) {
        return false;
    }
    c->at++;
    return true;
}

static bool take_blanks(Cursor *c) {
    const char *from = c->at;
    while (take_char(c, ' ')) {
    }
    return c->at != from;
}

/* A run of digits, at most `most` of them. Returns how many; the value of none is 0. */
static int take_digits(Cursor *c, int most, int32_t *value_out) {
    int count = 0;
    int32_t value = 0;
    for (; count < most && peek_digit(c); count++) {
        value = value * 10 + (*c->at++ - '0');
    }
    *value_out = value;
    return peek_digit(c) && count == most ? -1 : count;
}

static bool is_letter(char c) {
    return char_lower(c) >= 'a' && char_lower(c) <= 'z';
}

static Str take_word(Cursor *c) {
    const char *from = c->at;
    while (!at_end(c) && is_letter(*c->at)) {
        c->at++;
    }
    return (Str){from, (size_t)(c->at - from)};
}

/* The English name or its first three letters (also "sept"), any case. */
static bool take_month(Cursor *c, int32_t *month_out) {
    static const char *const NAMES[12] = {"january", "february", "march",     "april",   "may",      "june",
                                          "july",    "august",   "september", "october", "november", "december"};
    Cursor before = *c;
    Str word = take_word(c);
    for (int32_t i = 0; i < 12; i++) {
        Str name = str_from_c(NAMES[i]);
        bool shortened = word.len == 3 && str_equal_ignore_case(word, str_slice(name, 0, 3));
        bool sept = i == 8 && str_equal_ignore_case(word, STR("sept"));
        if (shortened || sept || str_equal_ignore_case(word, name)) {
            take_char(c, '.');
            *month_out = i + 1;
            return true;
        }
    }
    *c = before;
    return false;
}

/* Jan 5 2024, Jan 5, 2024 and 5 Jan 2024, 5-Jan-2024 */
static bool take_named_date(Cursor *c, CivilTime *t) {
    bool month_first = take_month(c, &t->month);
    if (month_first && !take_blanks(c) && !take_char(c, '-')) {
        return false;
    }
    if (take_digits(c, 2, &t->day) < 1) {
        return false;
    }
    take_char(c, month_first ? ',' : '-');
    take_blanks(c);
    if (!month_first) {
        if (!take_month(c, &t->month) || (!take_blanks(c) && !take_char(c, '-') && !take_char(c, ','))) {
            return false;
        }
        take_blanks(c);
    }
    int year_digits = take_digits(c, YEAR_DIGITS_MAX, &t->year);
    return year_digits >= 4;
}

/* 2024, 2024-01, 2024-01-05, 2024/01/05, 20240105; a minus in front is an astronomical year before 1 BC. */
static bool take_number_date(Cursor *c, CivilTime *t) {
    bool negative = take_char(c, '-');
    int32_t number;
    int digits = take_digits(c, 8, &number);
    if (digits == 8 && !negative) {
        *t = (CivilTime){.year = number / 10000, .month = number / 100 % 100, .day = number % 100};
        return true;
    }
    if (digits < 4 || digits > YEAR_DIGITS_MAX) {
        return false;
    }
    *t = (CivilTime){.year = negative ? -number : number, .month = 1, .day = 1};
    char separator = '-';
    if (digits == 4 && c->end - c->at > 1 && *c->at == '-' && is_letter(c->at[1])) { /* 2024-Jan-05 */
        c->at++;
        return take_month(c, &t->month) && take_char(c, '-') && take_digits(c, 2, &t->day) >= 1;
    }
    if (!take_char(c, '-')) {
        if (!take_char(c, '/')) {
            return digits == 4;
        }
        separator = '/';
    }
    if (take_digits(c, 2, &t->month) < 1) {
        return false;
    }
    if (!take_char(c, separator)) {
        return separator == '-';
    }
    return take_digits(c, 2, &t->day) >= 1;
}

static bool take_date(Cursor *c, CivilTime *t) {
    Cursor before = *c;
    CivilTime fresh = {.month = 1, .day = 1};
    *t = fresh;
    if (take_number_date(c, t)) {
        return true;
    }
    *c = before;
    *t = fresh;
    return take_named_date(c, t);
}

/* Digits behind the point; from the tenth on they are read and dropped. */
static bool take_fraction(Cursor *c, int32_t *nanos_out) {
    int32_t nanos = 0;
    int count = 0;
    for (; peek_digit(c); count++) {
        int32_t digit = *c->at++ - '0';
        nanos = count < 9 ? nanos * 10 + digit : nanos;
    }
    for (int i = count; i < 9; i++) {
        nanos *= 10;
    }
    *nanos_out = nanos;
    return count >= 1;
}

/* hh, hh:mm, hh:mm:ss[.fraction], and the same without colons: hhmm, hhmmss[.fraction] */
static bool take_time(Cursor *c, CivilTime *t) {
    int32_t number;
    int digits = take_digits(c, 6, &number);
    bool seconds = false;
    if (digits == 6) {
        t->hour = number / 10000;
        t->minute = number / 100 % 100;
        t->second = number % 100;
        seconds = true;
    } else if (digits == 4) {
        t->hour = number / 100;
        t->minute = number % 100;
    } else if (digits == 1 || digits == 2) {
        t->hour = number;
        if (take_char(c, ':')) {
            if (take_digits(c, 2, &t->minute) != 2) {
                return false;
            }
            seconds = take_char(c, ':');
            if (seconds && take_digits(c, 2, &t->second) != 2) {
                return false;
            }
        }
    } else {
        return false;
    }
    if (seconds && (take_char(c, '.') || take_char(c, ','))) {
        return take_fraction(c, &t->nanos);
    }
    return true;
}

static bool take_am_pm(Cursor *c, CivilTime *t) {
    Cursor before = *c;
    take_blanks(c);
    Str word = take_word(c);
    bool am = str_equal_ignore_case(word, STR("am"));
    bool pm = str_equal_ignore_case(word, STR("pm"));
    if (!am && !pm) {
        *c = before;
        return true;
    }
    if (t->hour < 1 || t->hour > 12) {
        return false;
    }
    t->hour = t->hour % 12 + (pm ? 12 : 0);
    return true;
}

/* Behind the sign: hh, hhmm, hhmmss, hh:mm, hh:mm:ss */
static bool take_offset_digits(Cursor *c, int32_t *seconds_out) {
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;
    int digits = take_digits(c, 6, &hours);
    if (digits == 6) {
        seconds = hours % 100;
        minutes = hours / 100 % 100;
        hours /= 10000;
    } else if (digits == 4 || digits == 3) {
        minutes = hours % 100;
        hours /= 100;
    } else if (digits != 1 && digits != 2) {
        return false;
    } else if (take_char(c, ':')) {
        if (take_digits(c, 2, &minutes) != 2) {
            return false;
        }
        if (take_char(c, ':') && take_digits(c, 2, &seconds) != 2) {
            return false;
        }
    }
    if (hours > OFFSET_HOURS_MAX || minutes > 59 || seconds > 59) {
        return false;
    }
    *seconds_out = hours * 3600 + minutes * 60 + seconds;
    return true;
}

static bool take_offset(Cursor *c, int32_t *seconds_out) {
    bool negative = take_char(c, '-');
    if (negative || take_char(c, '+')) {
        if (!take_offset_digits(c, seconds_out)) {
            return false;
        }
        *seconds_out = negative ? -*seconds_out : *seconds_out;
        return true;
    }
    Str word = take_word(c);
    *seconds_out = 0;
    return str_equal_ignore_case(word, STR("z")) || str_equal_ignore_case(word, STR("utc")) ||
           str_equal_ignore_case(word, STR("gmt"));
}

bool zone_parse_offset(Str text, int32_t *offset_seconds_out) {
    Cursor c = {text.data, text.data + text.len};
    int32_t seconds;
    if (text.len == 0 || !take_offset(&c, &seconds)) {
        return false;
    }
    if (!at_end(&c) && (*c.at == '+' || *c.at == '-')) { /* UTC+5 */
        if (text.data[0] == '+' || text.data[0] == '-' || !take_offset(&c, &seconds)) {
            return false;
        }
    }
    if (!at_end(&c)) {
        return false;
    }
    *offset_seconds_out = seconds;
    return true;
}

static bool take_special(Str text, ParsedTime *parsed) {
    if (str_equal_ignore_case(text, STR("infinity")) || str_equal_ignore_case(text, STR("+infinity"))) {
        parsed->infinite = 1;
    } else if (str_equal_ignore_case(text, STR("-infinity"))) {
        parsed->infinite = -1;
    } else if (!str_equal_ignore_case(text, STR("epoch"))) {
        return false;
    }
    parsed->civil = (CivilTime){.year = 1970, .month = 1, .day = 1};
    return true;
}

static bool fields_are_valid(const CivilTime *t) {
    if (t->month < 1 || t->month > 12 || t->day < 1 || t->day > days_in_month(t->year, t->month)) {
        return false;
    }
    bool day_end = t->hour == 24 && t->minute == 0 && t->second == 0 && t->nanos == 0;
    return (t->hour <= 23 || day_end) && t->minute <= 59 && t->second <= 60;
}

static bool take_rest(Cursor *c, ParsedTime *parsed) {
    bool marked = take_char(c, 'T') || take_char(c, 't');
    bool separated = marked || take_blanks(c);
    if (separated && peek_digit(c)) {
        parsed->has_time = true;
        if (!take_time(c, &parsed->civil) || !take_am_pm(c, &parsed->civil)) {
            return false;
        }
        take_blanks(c);
    } else if (marked || (!separated && !at_end(c))) {
        return false;
    }
    Cursor before = *c;
    if (!at_end(c) && parsed->has_time) {
        parsed->has_offset = take_offset(c, &parsed->offset_seconds);
        if (!parsed->has_offset) {
            *c = before;
            parsed->offset_seconds = 0;
        }
    }
    take_blanks(c);
    return true;
}

bool timestamp_parse(Str text, ParsedTime *parsed_out) {
    ParsedTime parsed = {0};
    text = str_trim(text);
    if (text.len == 0) {
        return false;
    }
    if (take_special(text, &parsed)) {
        *parsed_out = parsed;
        return true;
    }
    Cursor c = {text.data, text.data + text.len};
    if (!take_date(&c, &parsed.civil) || !take_rest(&c, &parsed)) {
        return false;
    }
    Str era = take_word(&c);
    if (str_equal_ignore_case(era, STR("bc")) && parsed.civil.year >= 1) {
        parsed.civil.year = 1 - parsed.civil.year;
    } else if (era.len != 0 && !str_equal_ignore_case(era, STR("ad"))) {
        return false;
    }
    if (!at_end(&c) || !fields_are_valid(&parsed.civil)) {
        return false;
    }
    *parsed_out = parsed;
    return true;
}

bool timestamp_parse_micros(Str text, int64_t *micros_out) {
    ParsedTime parsed;
    if (!timestamp_parse(text, &parsed)) {
        return false;
    }
    if (parsed.infinite != 0) {
        *micros_out = parsed.infinite < 0 ? INT64_MIN : INT64_MAX;
        return true;
    }
    int64_t local;
    return micros_from_civil(&parsed.civil, &local) &&
           !__builtin_sub_overflow(local, parsed.offset_seconds * MICROS_PER_SECOND, micros_out);
}

bool timestamp_parse_nanos(Str text, int64_t *nanos_out) {
    ParsedTime parsed;
    if (!timestamp_parse(text, &parsed)) {
        return false;
    }
    if (parsed.infinite != 0) {
        *nanos_out = parsed.infinite < 0 ? INT64_MIN : INT64_MAX;
        return true;
    }
    const CivilTime *t = &parsed.civil;
    int64_t seconds = days_from_civil(t->year, t->month, t->day) * 86400 + t->hour * INT64_C(3600) + t->minute * 60 +
                      t->second - parsed.offset_seconds;
    Int128 nanos = (Int128)seconds * NANOS_PER_SECOND + t->nanos;
    if (nanos <= INT64_MIN || nanos >= INT64_MAX) {
        return false;
    }
    *nanos_out = (int64_t)nanos;
    return true;
}

bool date_parse(Str text, int32_t *days_out) {
    ParsedTime parsed;
    if (!timestamp_parse(text, &parsed)) {
        return false;
    }
    if (parsed.infinite != 0) {
        *days_out = parsed.infinite < 0 ? INT32_MIN : INT32_MAX;
        return true;
    }
    *days_out = (int32_t)days_from_civil(parsed.civil.year, parsed.civil.month, parsed.civil.day);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * time/format_java.c - QuestDB's time patterns: yyyy MM dd HH mm ss SSS UUU NNN and their kin, both ways.
 *
 * A pattern is runs of one letter; anything else is literal, '…' quotes letters. Reading takes as many digits as a run of two or
 * more has letters (a run of one takes all there are). */
#include "sql/func/time/time_internal.h"

/* ---- out ---- */

static void put_padded(Buffer *out, int64_t value, size_t width) {
    char text[INT64_TEXT_MAX];
    size_t len = format_int64(text, value < 0 ? -value : value);
    if (value < 0) {
        buffer_append_char(out, '-');
    }
    buffer_append_fill(out, '0', len < width ? width - len : 0);
    buffer_append(out, text, len);
}

static void put_name(Buffer *out, const char *name, bool full) {
    Str text = str_from_c(name);
    buffer_append_str(out, full ? text : str_slice(text, 0, 3));
}

static bool put_date_run(const Wall *wall, char letter, size_t count, Buffer *out) {
    int32_t year, month, day, iso_year, week;
    civil_from_days(wall->days, &year, &month, &day);
    time__iso_week(wall->days, &iso_year, &week);
    switch (letter) {
    case 'y':
    case 'Y': {
        int32_t shown = letter == 'Y' ? iso_year : year;
        put_padded(out, count == 2 ? shown % 100 : shown, count == 1 ? 1 : count);
        return true;
    }
    case 'M':
        if (count >= 3) {
            put_name(out, time__month_names[month - 1], count > 3);
        } else {
            put_padded(out, month, count);
        }
        return true;
    case 'd':
        put_padded(out, day, count);
        return true;
    case 'D':
        put_padded(out, wall->days - days_from_civil(year, 1, 1) + 1, count);
        return true;
    case 'w':
        put_padded(out, week, count);
        return true;
    case 'E':
        put_name(out, time__day_names[day_of_week(wall->days)], count > 3);
        return true;
    case 'u':
        put_padded(out, (day_of_week(wall->days) + 6) % 7 + 1, count);
        return true;
    case 'G':
        buffer_append_str(out, year > 0 ? STR("AD") : STR("BC"));
        return true;
    default:
        return false;
    }
}

static bool put_clock_run(const Wall *wall, char letter, size_t count, Buffer *out) {
    int64_t hour = wall->nanos / NANOS_PER_HOUR;
    switch (letter) {
    case 'H':
        put_padded(out, hour, count);
        return true;
    case 'k':
        put_padded(out, hour == 0 ? 24 : hour, count);
        return true;
    case 'h':
        put_padded(out, hour % 12 == 0 ? 12 : hour % 12, count);
        return true;
    case 'K':
        put_padded(out, hour % 12, count);
        return true;
    case 'a':
        buffer_append_str(out, hour < 12 ? STR("AM") : STR("PM"));
        return true;
    case 'm':
        put_padded(out, wall->nanos / NANOS_PER_MINUTE % 60, count);
        return true;
    case 's':
        put_padded(out, wall->nanos / NANOS_PER_SECOND % 60, count);
        return true;
    case 'S':
        put_padded(out, wall->nanos / 1000000 % 1000, count);
        return true;
    case 'U': /* U: microseconds of the millisecond; UUU with leading zeroes */
        put_padded(out, wall->nanos / 1000 % 1000, count);
        return true;
    case 'N':
        put_padded(out, wall->nanos % 1000, count);
        return true;
    case 'z':
    case 'Z':
    case 'x':
    case 'X':
        buffer_append_char(out, 'Z');
        return true;
    default:
        return false;
    }
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t run_length(Str format, size_t at) {
    size_t end = at + 1;
    while (end < format.len && format.data[end] == format.data[at]) {
        end++;
    }
    return end - at;
}

static ErrorCode bad_pattern(Str format, size_t at, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid time pattern '%.*s' at %zu", STR_ARG(format), at);
}

ErrorCode time__format_java(Wall wall, Str format, Buffer *out, Error *err) {
    for (size_t at = 0; at < format.len;) {
        char c = format.data[at];
        if (c == '\'') {
            ptrdiff_t end = str_find_char(format, '\'', at + 1);
            size_t stop = end < 0 ? format.len : (size_t)end;
            buffer_append_str(out, str_slice(format, at + 1, stop));
            at = MIN_OF(stop + 1, format.len);
            continue;
        }
        size_t count = is_letter(c) ? run_length(format, at) : 1;
        if (c == 'T' || !is_letter(c)) {
            buffer_append_str(out, str_slice(format, at, at + count));
        } else if (!put_date_run(&wall, c, count, out) && !put_clock_run(&wall, c, count, out)) {
            return bad_pattern(format, at, err);
        }
        at += count;
    }
    return ERR_OK;
}

/* ---- in ---- */

typedef struct JavaParts {
    int64_t year, month, day, day_of_year, hour, minute, second, nanos;
    int32_t offset;
    bool pm, twelve, has_offset;
} JavaParts;

static bool take_digits(Str text, size_t *at, size_t most, int64_t *value_out, size_t *digits_out) {
    size_t from = *at;
    int64_t value = 0;
    while (*at < text.len && *at - from < most && text.data[*at] >= '0' && text.data[*at] <= '9') {
        value = value * 10 + (text.data[(*at)++] - '0');
    }
    *value_out = value;
    *digits_out = *at - from;
    return *at > from;
}

static bool take_name(Str text, size_t *at, const char *const *names, size_t count, bool full, int64_t *number_out) {
    for (size_t i = 0; i < count; i++) {
        Str name = str_from_c(names[i]);
        name.len = full ? name.len : 3;
        if (text.len - *at >= name.len && str_equal_ignore_case(str_slice(text, *at, *at + name.len), name)) {
            *at += name.len;
            *number_out = (int64_t)i + 1;
            return true;
        }
    }
    return false;
}

static bool take_offset(Str text, size_t *at, JavaParts *parts) {
    size_t end = *at;
    while (end < text.len && text.data[end] != ' ' && text.data[end] != ']') {
        end++;
    }
    parts->has_offset = zone_parse_offset(str_slice(text, *at, end), &parts->offset);
    *at = end;
    return parts->has_offset;
}

static bool take_meridiem(Str text, size_t *at, JavaParts *parts) {
    if (text.len - *at < 2) {
        return false;
    }
    Str word = str_slice(text, *at, *at + 2);
    *at += 2;
    parts->pm = str_equal_ignore_case(word, STR("pm"));
    return parts->pm || str_equal_ignore_case(word, STR("am"));
}

/* Fractions: the digits read count from the left of their group of three ("5" of SSS is 5, of S+ up to nine digits a fraction). */
static bool take_number_run(Str text, size_t *at, char letter, size_t count, JavaParts *parts) {
    size_t digits;
    int64_t value;
    size_t most = letter == 'y' || letter == 'Y' ? (count == 2 ? 2 : count == 1 ? 9 : 4) : count >= 2 ? count : 3;
    if (!take_digits(text, at, most, &value, &digits)) {
        return false;
    }
    switch (letter) {
    case 'y':
    case 'Y':
        parts->year = count == 2 ? (value < 70 ? 2000 : 1900) + value : value;
        return true;
    case 'M':
        parts->month = value;
        return true;
    case 'd':
        parts->day = value;
        return true;
    case 'D':
        parts->day_of_year = value;
        return true;
    case 'H':
    case 'k':
        parts->hour = value;
        return true;
    case 'h':
    case 'K':
        parts->hour = value;
        parts->twelve = true;
        return true;
    case 'm':
        parts->minute = value;
        return true;
    case 's':
        parts->second = value;
        return true;
    case 'S':
        parts->nanos += value * (digits > 6 ? 1 : digits > 3 ? 1000 : 1000000);
        return true;
    case 'U':
        parts->nanos += value * 1000;
        return true;
    case 'N':
        parts->nanos += value;
        return true;
    default:
        return false;
    }
}

static bool take_run(Str text, size_t *at, char letter, size_t count, JavaParts *parts) {
    int64_t ignored;
    switch (letter) {
    case 'M':
        if (count >= 3) {
            return take_name(text, at, time__month_names, 12, count > 3, &parts->month);
        }
        return take_number_run(text, at, letter, count, parts);
    case 'E':
        return take_name(text, at, time__day_names, 7, count > 3, &ignored);
    case 'a':
        return take_meridiem(text, at, parts);
    case 'z':
    case 'Z':
    case 'x':
    case 'X':
        return take_offset(text, at, parts);
    default:
        return take_number_run(text, at, letter, count, parts);
    }
}

static bool parts_to_wall(const JavaParts *p, Wall *wall_out) {
    int64_t hour = p->twelve ? p->hour % 12 + (p->pm ? 12 : 0) : p->hour;
    bool valid = p->month >= 1 && p->month <= 12 && p->year <= 294276 && p->day >= 1 &&
                 p->day <= days_in_month((int32_t)p->year, (int32_t)p->month) && hour < 24 && p->minute < 60 && p->second < 60 &&
                 p->nanos < NANOS_PER_SECOND;
    if (!valid) {
        return false;
    }
    Wall wall = {.days = days_from_civil((int32_t)p->year, (int32_t)p->month, (int32_t)p->day)};
    if (p->day_of_year > 0) {
        wall.days = days_from_civil((int32_t)p->year, 1, 1) + p->day_of_year - 1;
    }
    int64_t nanos = hour * NANOS_PER_HOUR + p->minute * NANOS_PER_MINUTE + p->second * NANOS_PER_SECOND + p->nanos - p->offset * NANOS_PER_SECOND;
    int64_t carry = floor_div(nanos, NANOS_PER_DAY);
    wall.days += carry;
    wall.nanos = nanos - carry * NANOS_PER_DAY;
    *wall_out = wall;
    return true;
}

static ErrorCode no_match(Str text, Str format, Error *err) {
    return error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "'%.*s' does not match the time pattern '%.*s'", STR_ARG(text), STR_ARG(format));
}

ErrorCode time__parse_java(Str text, Str format, Wall *wall_out, bool *has_offset_out, Error *err) {
    JavaParts parts = {.year = 1970, .month = 1, .day = 1};
    size_t at = 0;
    for (size_t f = 0; f < format.len;) {
        char c = format.data[f];
        size_t count = is_letter(c) ? run_length(format, f) : 1;
        if (c == '\'') {
            f++;
            continue;
        }
        if (c == 'T' || !is_letter(c)) {
            if (text.len - at < count || memcmp(text.data + at, format.data + f, count) != 0) {
                return no_match(text, format, err);
            }
            at += count;
        } else if (!take_run(text, &at, c, count, &parts)) {
            return no_match(text, format, err);
        }
        f += count;
    }
    if (at != text.len || !parts_to_wall(&parts, wall_out)) {
        return no_match(text, format, err);
    }
    *has_offset_out = parts.has_offset;
    return ERR_OK;
}

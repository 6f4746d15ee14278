/* SPDX-License-Identifier: Apache-2.0
 * time/format_pg.c - PostgreSQL's template patterns for times (HH24, MI, YYYY, Month…), both ways.
 *
 * One table of patterns, longest first where one begins like another. FM in front takes padding away, TH behind adds an ordinal;
 * "…" is literal text, and so is everything that is no pattern. */
#include <stdio.h>

#include "sql/func/time/time_internal.h"

typedef enum Pattern {
    P_YYYY_COMMA, P_YYYY, P_YYY, P_YY, P_Y, P_IYYY, P_IYY, P_IY, P_I, P_MONTH, P_MON, P_MM, P_DAY, P_DY, P_DDD, P_IDDD, P_DD, P_D, P_ID,
    P_W, P_WW, P_IW, P_CC, P_J, P_Q, P_RM, P_HH24, P_HH12, P_MI, P_SSSS, P_SS, P_MS, P_US, P_FF, P_MERIDIEM, P_MERIDIEM_DOTS, P_ERA,
    P_ERA_DOTS, P_TZH, P_TZM, P_TZ, P_OF, P_NONE
} Pattern;

static const struct {
    const char *text;
    Pattern pattern;
    bool any_case; /* the case of the pattern does not matter */
} PATTERNS[] = {
    {"y,yyy", P_YYYY_COMMA, true}, {"yyyy", P_YYYY, true}, {"iyyy", P_IYYY, true}, {"yyy", P_YYY, true}, {"iyy", P_IYY, true},
    {"yy", P_YY, true},            {"iy", P_IY, true},     {"month", P_MONTH, true}, {"mon", P_MON, true}, {"mm", P_MM, true},
    {"mi", P_MI, true},            {"ms", P_MS, true},     {"iddd", P_IDDD, true},   {"ddd", P_DDD, true}, {"day", P_DAY, true},
    {"dd", P_DD, true},            {"dy", P_DY, true},     {"id", P_ID, true},       {"hh24", P_HH24, true}, {"hh12", P_HH12, true},
    {"hh", P_HH12, true},          {"sssss", P_SSSS, true}, {"ssss", P_SSSS, true},  {"ss", P_SS, true},   {"us", P_US, true},
    {"ff1", P_FF, true},           {"ff2", P_FF, true},    {"ff3", P_FF, true},      {"ff4", P_FF, true},  {"ff5", P_FF, true},
    {"ff6", P_FF, true},           {"am", P_MERIDIEM, true}, {"pm", P_MERIDIEM, true}, {"a.m.", P_MERIDIEM_DOTS, true},
    {"p.m.", P_MERIDIEM_DOTS, true}, {"ad", P_ERA, true},  {"bc", P_ERA, true},      {"a.d.", P_ERA_DOTS, true},
    {"b.c.", P_ERA_DOTS, true},    {"ww", P_WW, true},     {"iw", P_IW, true},       {"cc", P_CC, true},   {"rm", P_RM, true},
    {"tzh", P_TZH, true},          {"tzm", P_TZM, true},   {"tz", P_TZ, true},       {"of", P_OF, true},   {"y", P_Y, true},
    {"i", P_I, true},              {"d", P_D, true},       {"w", P_W, true},         {"j", P_J, true},     {"q", P_Q, true},
};

static const char *const ROMAN[12] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

/* The pattern at `at`, and its length. */
static Pattern pattern_at(Str format, size_t at, size_t *len_out) {
    for (size_t i = 0; i < COUNT_OF(PATTERNS); i++) {
        Str text = str_from_c(PATTERNS[i].text);
        if (format.len - at >= text.len && str_equal_ignore_case(str_slice(format, at, at + text.len), text)) {
            *len_out = text.len;
            return PATTERNS[i].pattern;
        }
    }
    *len_out = 1;
    return P_NONE;
}

/* ---- out ---- */

typedef struct PgWriter {
    const Wall *wall;
    bool has_zone;
    int32_t year, month, day, iso_year, week;
    bool fill;      /* no FM */
    Str written;    /* the pattern as it stands in the format: its letters' case counts for names */
    Buffer *out;
} PgWriter;

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

/* MONTH, Month, month: the first two letters tell the case. */
static void put_name(PgWriter *w, const char *name, size_t len, size_t width) {
    bool first = is_upper(w->written.data[0]), all = first && w->written.len > 1 && is_upper(w->written.data[1]);
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        bool upper = i == 0 ? first : all;
        buffer_append_char(w->out, upper ? (char)(c & ~0x20) : (char)(c | 0x20));
    }
    buffer_append_fill(w->out, ' ', w->fill && width > len ? width - len : 0);
}

static void put_number(PgWriter *w, int64_t value, size_t width) {
    char text[INT64_TEXT_MAX];
    size_t len = format_int64(text, value < 0 ? -value : value);
    if (value < 0) {
        buffer_append_char(w->out, '-');
    }
    buffer_append_fill(w->out, '0', w->fill && width > len ? width - len : 0);
    buffer_append(w->out, text, len);
}

static void put_letters(PgWriter *w, const char *upper) {
    bool lower = !is_upper(w->written.data[0]);
    for (const char *p = upper; *p != '\0'; p++) {
        buffer_append_char(w->out, lower && is_upper(*p) ? (char)(*p | 0x20) : *p);
    }
}

static int64_t shown_year(int32_t year) {
    return year <= 0 ? 1 - (int64_t)year : year; /* 1 BC is year 1 of its era */
}

static bool put_year(PgWriter *w, Pattern pattern) {
    int64_t year = shown_year(pattern >= P_IYYY ? w->iso_year : w->year);
    switch (pattern) {
    case P_YYYY_COMMA:
        put_number(w, year / 1000, 1);
        buffer_append_char(w->out, ',');
        w->fill = true;
        put_number(w, year % 1000, 3);
        return true;
    case P_YYYY:
    case P_IYYY:
        put_number(w, year, 4);
        return true;
    case P_YYY:
    case P_IYY:
        put_number(w, year % 1000, 3);
        return true;
    case P_YY:
    case P_IY:
        put_number(w, year % 100, 2);
        return true;
    case P_Y:
    case P_I:
        put_number(w, year % 10, 1);
        return true;
    default:
        return false;
    }
}

static bool put_day(PgWriter *w, Pattern pattern) {
    int64_t day_of_year = w->wall->days - days_from_civil(w->year, 1, 1) + 1;
    int dow = day_of_week(w->wall->days);
    switch (pattern) {
    case P_MONTH:
        put_name(w, time__month_names[w->month - 1], strlen(time__month_names[w->month - 1]), 9);
        return true;
    case P_MON:
        put_name(w, time__month_names[w->month - 1], 3, 3);
        return true;
    case P_MM:
        put_number(w, w->month, 2);
        return true;
    case P_RM:
        put_letters(w, ROMAN[w->month - 1]);
        buffer_append_fill(w->out, ' ', w->fill ? 4 - strlen(ROMAN[w->month - 1]) : 0);
        return true;
    case P_DAY:
        put_name(w, time__day_names[dow], strlen(time__day_names[dow]), 9);
        return true;
    case P_DY:
        put_name(w, time__day_names[dow], 3, 3);
        return true;
    case P_DDD:
        put_number(w, day_of_year, 3);
        return true;
    case P_IDDD:
        put_number(w, (w->week - 1) * 7 + (dow + 6) % 7 + 1, 3);
        return true;
    case P_DD:
        put_number(w, w->day, 2);
        return true;
    case P_D:
        put_number(w, dow + 1, 1);
        return true;
    case P_ID:
        put_number(w, (dow + 6) % 7 + 1, 1);
        return true;
    case P_W:
        put_number(w, (w->day - 1) / 7 + 1, 1);
        return true;
    case P_WW:
        put_number(w, (day_of_year - 1) / 7 + 1, 2);
        return true;
    case P_IW:
        put_number(w, w->week, 2);
        return true;
    case P_CC:
        put_number(w, (shown_year(w->year) + 99) / 100 * (w->year > 0 ? 1 : -1), 2);
        return true;
    case P_J:
        put_number(w, w->wall->days + 2440588, 1);
        return true;
    case P_Q:
        put_number(w, (w->month - 1) / 3 + 1, 1);
        return true;
    case P_ERA:
        put_letters(w, w->year > 0 ? "AD" : "BC");
        return true;
    case P_ERA_DOTS:
        put_letters(w, w->year > 0 ? "A.D." : "B.C.");
        return true;
    default:
        return false;
    }
}

static void put_offset(PgWriter *w, int32_t offset) {
    int32_t size = offset < 0 ? -offset : offset;
    buffer_printf(w->out, "%c%02d", offset < 0 ? '-' : '+', (int)(size / 3600));
    if (size / 60 % 60 != 0) {
        buffer_printf(w->out, ":%02d", (int)(size / 60 % 60));
    }
}

static bool put_clock(PgWriter *w, Pattern pattern) {
    int64_t nanos = w->wall->nanos, hour = nanos / NANOS_PER_HOUR, micros = nanos / 1000 % 1000000;
    int32_t offset = w->wall->offset;
    switch (pattern) {
    case P_HH24:
        put_number(w, hour, 2);
        return true;
    case P_HH12:
        put_number(w, hour % 12 == 0 ? 12 : hour % 12, 2);
        return true;
    case P_MI:
        put_number(w, nanos / NANOS_PER_MINUTE % 60, 2);
        return true;
    case P_SS:
        put_number(w, nanos / NANOS_PER_SECOND % 60, 2);
        return true;
    case P_SSSS:
        put_number(w, nanos / NANOS_PER_SECOND, 1);
        return true;
    case P_MS:
        buffer_printf(w->out, "%03d", (int)(micros / 1000));
        return true;
    case P_US:
        buffer_printf(w->out, "%06d", (int)micros);
        return true;
    case P_FF: {
        char digits[8];
        (void)snprintf(digits, sizeof digits, "%06d", (int)micros);
        buffer_append(w->out, digits, (size_t)(w->written.data[2] - '0'));
        return true;
    }
    case P_MERIDIEM:
        put_letters(w, hour < 12 ? "AM" : "PM");
        return true;
    case P_MERIDIEM_DOTS:
        put_letters(w, hour < 12 ? "A.M." : "P.M.");
        return true;
    case P_TZH:
        buffer_printf(w->out, "%c%02d", offset < 0 ? '-' : '+', (int)((offset < 0 ? -offset : offset) / 3600));
        return true;
    case P_TZM:
        buffer_printf(w->out, "%02d", (int)((offset < 0 ? -offset : offset) / 60 % 60));
        return true;
    case P_OF:
        put_offset(w, offset);
        return true;
    case P_TZ:
        if (w->has_zone && offset == 0) {
            put_letters(w, "UTC");
        } else if (w->has_zone) {
            put_offset(w, offset);
        }
        return true;
    default:
        return false;
    }
}

static void put_ordinal(PgWriter *w, bool upper) {
    Str done = buffer_str(w->out);
    char last = done.len > 0 ? done.data[done.len - 1] : '0';
    bool teen = done.len > 1 && done.data[done.len - 2] == '1';
    const char *suffix = teen ? "th" : last == '1' ? "st" : last == '2' ? "nd" : last == '3' ? "rd" : "th";
    buffer_append_char(w->out, upper ? (char)(suffix[0] & ~0x20) : suffix[0]);
    buffer_append_char(w->out, upper ? (char)(suffix[1] & ~0x20) : suffix[1]);
}

/* A quoted or escaped literal at `at`: appended, and its length; 0: there is none. */
static size_t literal_at(Str format, size_t at, Buffer *out) {
    if (format.data[at] == '\\' && at + 1 < format.len && format.data[at + 1] == '"') {
        buffer_append_char(out, '"');
        return 2;
    }
    if (format.data[at] != '"') {
        return 0;
    }
    size_t end = at + 1;
    while (end < format.len && format.data[end] != '"') {
        end += format.data[end] == '\\' && end + 1 < format.len;
        buffer_append_char(out, format.data[end++]);
    }
    return MIN_OF(end + 1, format.len) - at;
}

/* TM asks for names of the locale: there is one locale, but TM takes the padding away too. */
static bool follows_fm(Str format, size_t at) {
    Str two = format.len - at > 2 ? str_slice(format, at, at + 2) : STR("");
    return str_equal_ignore_case(two, STR("fm")) || str_equal_ignore_case(two, STR("tm"));
}
static bool follows_th(Str format, size_t at) {
    return format.len - at >= 2 && str_equal_ignore_case(str_slice(format, at, at + 2), STR("th"));
}

static ErrorCode write_format(PgWriter w, Str format, Buffer *out) {
    for (size_t at = 0; at < format.len;) {
        size_t len = literal_at(format, at, out);
        if (len > 0) {
            at += len;
            continue;
        }
        w.fill = !follows_fm(format, at);
        at += w.fill ? 0 : 2;
        Pattern pattern = pattern_at(format, at, &len);
        w.written = str_slice(format, at, at + len);
        at += len;
        if (pattern == P_NONE) {
            buffer_append_str(out, w.written);
        } else if (put_year(&w, pattern) || put_day(&w, pattern) || put_clock(&w, pattern)) {
            if (follows_th(format, at)) {
                put_ordinal(&w, is_upper(format.data[at]));
                at += 2;
            }
        }
    }
    return ERR_OK;
}

ErrorCode time__format_pg(Wall wall, Str format, bool has_zone, Buffer *out, Error *err) {
    (void)err;
    PgWriter w = {.wall = &wall, .has_zone = has_zone, .out = out};
    civil_from_days(wall.days, &w.year, &w.month, &w.day);
    time__iso_week(wall.days, &w.iso_year, &w.week);
    return write_format(w, format, out);
}

/* Fields of the interval in the places of a date's. */
ErrorCode time__format_interval(Interval interval, Str format, Buffer *out, Error *err) {
    (void)err;
    Wall wall = {.nanos = interval.micros > INT64_MAX / 1000 || interval.micros < INT64_MIN / 1000 ? 0 : interval.micros * 1000};
    PgWriter w = {.wall = &wall, .out = out, .year = interval.months / 12, .month = interval.months % 12, .day = interval.days};
    return write_format(w, format, out);
}

/* ---- in ---- */

typedef struct PgReader {
    Str text;
    size_t at;
    int64_t year, month, day, day_of_year, week, iso_year, iso_day, hour, minute, second, micros, seconds_of_day, julian;
    int32_t offset;
    bool pm, twelve, bc, has_offset;
} PgReader;

static ErrorCode invalid(const PgReader *r, Str written, Error *err) {
    Str rest = str_slice(r->text, r->at, r->text.len);
    return error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "invalid value \"%.*s\" for \"%.*s\"", STR_ARG(rest), STR_ARG(written));
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool read_digits(PgReader *r, size_t most, int64_t *value_out, size_t *digits_out) {
    size_t from = r->at;
    bool negative = r->at + 1 < r->text.len && r->text.data[r->at] == '-' && is_digit(r->text.data[r->at + 1]);
    int64_t value = 0;
    r->at += negative;
    size_t start = r->at;
    while (r->at < r->text.len && r->at - start < most && is_digit(r->text.data[r->at])) {
        value = value * 10 + (r->text.data[r->at++] - '0');
    }
    *value_out = negative ? -value : value;
    if (digits_out != NULL) {
        *digits_out = r->at - start;
    }
    return r->at > from;
}

static bool read_name(PgReader *r, const char *const *names, size_t count, bool full, int64_t *number_out) {
    for (size_t i = 0; i < count; i++) {
        Str name = str_from_c(names[i]);
        name.len = full ? name.len : 3;
        if (r->text.len - r->at >= name.len && str_equal_ignore_case(str_slice(r->text, r->at, r->at + name.len), name)) {
            r->at += name.len;
            *number_out = (int64_t)i + 1;
            return true;
        }
    }
    return false;
}

static bool read_marks(PgReader *r, Str written, const char *late) {
    if (r->text.len - r->at < written.len) {
        return false;
    }
    r->at += written.len;
    return (r->text.data[r->at - written.len] | 0x20) == late[0];
}

/* Two- and three-digit years are those nearest to 2020. */
static int64_t full_year(int64_t year, size_t digits) {
    if (digits == 2) {
        return year + (year < 70 ? 2000 : 1900);
    }
    if (digits == 1) {
        return year + 2000;
    }
    return digits == 3 ? year + (year < 100 ? 2000 : year < 520 ? 2000 : 1000) : year;
}

static bool read_fraction(PgReader *r, int64_t unit_digits) {
    int64_t value;
    size_t digits;
    if (!read_digits(r, (size_t)unit_digits, &value, &digits)) {
        return false;
    }
    for (size_t i = digits; i < 6; i++) {
        value *= 10;
    }
    r->micros += value;
    return true;
}

static bool read_offset(PgReader *r) {
    size_t end = r->at;
    while (end < r->text.len && r->text.data[end] != ' ') {
        end++;
    }
    r->has_offset = zone_parse_offset(str_slice(r->text, r->at, end), &r->offset);
    r->at = end;
    return r->has_offset;
}

static bool read_date(PgReader *r, Pattern pattern, bool next_is_digit) {
    size_t digits;
    int64_t ignored;
    switch (pattern) {
    case P_YYYY:
    case P_IYYY: {
        int64_t *to = pattern == P_YYYY ? &r->year : &r->iso_year;
        return read_digits(r, next_is_digit ? 4 : 9, to, NULL);
    }
    case P_YYY:
        return read_digits(r, 3, &r->year, &digits) && ((r->year = full_year(r->year, digits)), true);
    case P_YY:
        return read_digits(r, next_is_digit ? 2 : 4, &r->year, &digits) && ((r->year = full_year(r->year, digits)), true);
    case P_Y:
        return read_digits(r, 1, &r->year, &digits) && ((r->year = full_year(r->year, digits)), true);
    case P_MONTH:
        return read_name(r, time__month_names, 12, true, &r->month) || read_name(r, time__month_names, 12, false, &r->month);
    case P_MON:
        return read_name(r, time__month_names, 12, false, &r->month);
    case P_MM:
        return read_digits(r, 2, &r->month, NULL);
    case P_DAY:
        return read_name(r, time__day_names, 7, true, &ignored);
    case P_DY:
        return read_name(r, time__day_names, 7, false, &ignored);
    case P_DDD:
        return read_digits(r, 3, &r->day_of_year, NULL);
    case P_DD:
        return read_digits(r, 2, &r->day, NULL);
    case P_D:
        return read_digits(r, 1, &ignored, NULL);
    case P_ID:
        return read_digits(r, 1, &r->iso_day, NULL);
    case P_IW:
        return read_digits(r, 2, &r->week, NULL);
    case P_J:
        return read_digits(r, 9, &r->julian, NULL);
    case P_Q:
        return read_digits(r, 1, &ignored, NULL);
    default:
        return false;
    }
}

static bool read_clock(PgReader *r, Pattern pattern, Str written) {
    switch (pattern) {
    case P_HH24:
        return read_digits(r, 2, &r->hour, NULL);
    case P_HH12:
        r->twelve = true;
        return read_digits(r, 2, &r->hour, NULL);
    case P_MI:
        return read_digits(r, 2, &r->minute, NULL);
    case P_SS:
        return read_digits(r, 2, &r->second, NULL);
    case P_SSSS:
        return read_digits(r, 5, &r->seconds_of_day, NULL);
    case P_MS:
        return read_fraction(r, 3);
    case P_US:
        return read_fraction(r, 6);
    case P_FF:
        return read_fraction(r, written.data[2] - '0');
    case P_MERIDIEM:
    case P_MERIDIEM_DOTS:
        r->pm = read_marks(r, written, "p");
        return true;
    case P_ERA:
    case P_ERA_DOTS:
        r->bc = read_marks(r, written, "b");
        return true;
    case P_TZH:
    case P_TZ:
    case P_OF:
        return read_offset(r);
    default:
        return false;
    }
}

static ErrorCode field_out_of_range(Str text, Error *err) {
    return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "date/time field value out of range: \"%.*s\"", STR_ARG(text));
}

static ErrorCode reader_finish(const PgReader *r, Wall *wall_out, Error *err) {
    int64_t year = r->bc ? 1 - r->year : r->year;
    int64_t hour = r->hour;
    if (r->twelve) {
        if (hour < 1 || hour > 12) {
            return error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "hour \"%d\" is invalid for the 12-hour clock", (int)hour);
        }
        hour = hour % 12 + (r->pm ? 12 : 0);
    }
    bool valid = year >= -4713 && year <= 5874897 && r->month >= 1 && r->month <= 12 && r->day >= 1 &&
                 r->day <= days_in_month((int32_t)year, (int32_t)r->month) && hour < 24 && r->minute < 60 && r->second < 60 &&
                 r->seconds_of_day < 86400 && r->day_of_year <= 366;
    if (!valid) {
        return field_out_of_range(r->text, err);
    }
    Wall wall = {.days = days_from_civil((int32_t)year, (int32_t)r->month, (int32_t)r->day)};
    if (r->day_of_year > 0) {
        wall.days = days_from_civil((int32_t)year, 1, 1) + r->day_of_year - 1;
    } else if (r->julian > 0) {
        wall.days = r->julian - 2440588;
    } else if (r->week > 0) {
        int64_t fourth = days_from_civil((int32_t)r->iso_year, 1, 4); /* always in week 1 */
        wall.days = fourth - (day_of_week(fourth) + 6) % 7 + (r->week - 1) * 7 + r->iso_day - 1;
    }
    int64_t seconds = (r->seconds_of_day > 0 ? r->seconds_of_day : hour * 3600 + r->minute * 60 + r->second) - r->offset;
    int64_t nanos = seconds * NANOS_PER_SECOND + r->micros * 1000;
    int64_t carry = floor_div(nanos, NANOS_PER_DAY);
    wall.days += carry;
    wall.nanos = nanos - carry * NANOS_PER_DAY;
    *wall_out = wall;
    return ERR_OK;
}

static bool is_letter_or_digit(char c) {
    char lower = (char)(c | 0x20);
    return is_digit(c) || (lower >= 'a' && lower <= 'z');
}

static void skip_blanks(PgReader *r) {
    while (r->at < r->text.len && (r->text.data[r->at] == ' ' || r->text.data[r->at] == '\t')) {
        r->at++;
    }
}

/* Separators of the format match any separators of the text, and may be missing; letters match themselves. */
static void skip_literal(PgReader *r, char c) {
    if (c == ' ') {
        skip_blanks(r);
        return;
    }
    if (!is_letter_or_digit(c)) {
        skip_blanks(r);
    }
    bool have = r->at < r->text.len;
    if (have && (is_letter_or_digit(c) || !is_letter_or_digit(r->text.data[r->at]))) {
        r->at++;
    }
}

ErrorCode time__parse_pg(Str text, Str format, Wall *wall_out, bool *has_offset_out, Error *err) {
    PgReader r = {.text = text, .month = 1, .day = 1, .iso_year = 1, .iso_day = 1}; /* no year: 1 BC, as PostgreSQL */
    Buffer ignored;
    ErrorCode code = ERR_OK;
    buffer_init(&ignored, SIZE_MAX);
    for (size_t at = 0; at < format.len;) {
        size_t len = literal_at(format, at, &ignored);
        if (len > 0) {
            r.at = MIN_OF(r.at + ignored.len, text.len);
            buffer_clear(&ignored);
            at += len;
            continue;
        }
        at += follows_fm(format, at) ? 2 : 0;
        Pattern pattern = pattern_at(format, at, &len);
        Str written = str_slice(format, at, at + len);
        at += len;
        if (pattern == P_NONE) {
            skip_literal(&r, written.data[0]);
            continue;
        }
        skip_blanks(&r);
        size_t after;
        bool next_is_digit = at < format.len && pattern_at(format, at, &after) != P_NONE;
        if (!read_date(&r, pattern, next_is_digit) && !read_clock(&r, pattern, written)) {
            if (r.at < text.len) {
                code = invalid(&r, written, err);
            }
            break; /* the text is shorter than the format: what is missing has its default */
        }
    }
    buffer_deinit(&ignored);
    TRY(code);
    *has_offset_out = r.has_offset;
    return reader_finish(&r, wall_out, err);
}

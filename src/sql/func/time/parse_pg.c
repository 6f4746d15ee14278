/* SPDX-License-Identifier: Apache-2.0
 * time/parse_pg.c - to_timestamp and to_date by PostgreSQL's templates.
 *
 * Why:        templates match loosely: a separator matches any other or nothing, a character stands for any one, and what was passed over
 *             without need counts against the characters to come. FX makes all that exact.
 * Invariants: a field that comes twice must agree; fields of weeks (IYYY, IW, ID) and of months do not mix.
 * Tests:      test/sql/templates.slt */
#include "sql/func/cast_internal.h"
#include "sql/func/time/datetime_in.h"
#include "sql/func/time/template.h"

typedef struct TextReader {
    Str text;
    size_t at;
    int skipped; /* blanks and separators passed over beyond those of the template */
    bool exact;  /* FX */
    bool date_only;
    int fraction_digits; /* of FF1 … FF6: the time is rounded to as many */
    TemplateCalendar calendar;
    int year, year_digits, century, month, day, day_of_year, weekday, week, week_of_month, julian;
    int hour, minute, second, millis, micros, seconds_of_day;
    int pm, before_christ;
    bool twelve_hours;
    int zone_sign, zone_hours, zone_minutes;
    bool has_zone;
    ZoneMeaning zone;
    const FunctionEnvironment *environment;
    Arena *arena;
} TextReader;

static char peek(const TextReader *r) { return r->at < r->text.len ? r->text.data[r->at] : '\0'; }
static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void step(TextReader *r) {
    r->at++;
    while (r->at < r->text.len && ((uint8_t)r->text.data[r->at] & 0xc0) == 0x80) {
        r->at++;
    }
}

static void skip_blanks(TextReader *r) {
    while (is_blank(peek(r))) {
        r->at++;
        r->skipped++;
    }
}

/* ---- errors ---- */

static ErrorCode bad_value(Str value, const TemplateNode *node, const char *detail, Error *err) {
    (void)error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "invalid value \"%.*s\" for \"%.*s\"", (int)MIN_OF(value.len, (size_t)200), value.data, STR_ARG(node->text));
    (void)error_add(err, 'D', "%s", detail);
    return ERR_INVALID_DATETIME;
}

static ErrorCode field_out_of_range(Str text, Error *err) {
    return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "date/time field value out of range: \"%.*s\"", (int)MIN_OF(text.len, (size_t)200), text.data);
}

static ErrorCode put_field(const TemplateNode *node, int *field, int value, Error *err) {
    if (*field != 0 && *field != value) {
        (void)error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "conflicting values for \"%.*s\" field in formatting string", STR_ARG(node->text));
        return error_add(err, 'D', "This value contradicts a previous setting for the same field type.");
    }
    *field = value;
    return ERR_OK;
}

/* ---- numbers ---- */

/* Nothing that could be a digit follows: the number may be of any length. */
static bool number_is_open(const TemplateNode *node, const TemplateNode *next) {
    if (node->ordinal || next->kind == NODE_END) {
        return true;
    }
    return next->kind == NODE_PATTERN ? !next->is_number : !(next->text.len == 1 && is_digit(next->text.data[0]));
}

/* As strtol does: blanks, a sign, digits. Returns where it ended; `at` if there is no number. */
static size_t take_integer(Str text, size_t at, size_t end, int64_t *value_out) {
    size_t from = at;
    while (at < end && is_blank(text.data[at])) {
        at++;
    }
    bool negative = at < end && text.data[at] == '-';
    at += at < end && (negative || text.data[at] == '+');
    size_t digits = at;
    int64_t value = 0;
    for (; at < end && is_digit(text.data[at]); at++) {
        value = MIN_OF(value * 10 + (text.data[at] - '0'), INT64_C(1) << 40);
    }
    *value_out = negative ? -value : value;
    return at > digits ? at : from;
}

static ErrorCode fixed_width_hint(Error *err) { return error_add(err, 'H', "If your source string is not fixed-width, try using the \"FM\" modifier."); }

/* A number of `width` digits, or of any number where number_is_open. *used_out: characters that it took. */
static ErrorCode read_number_of(TextReader *r, const TemplateNode *node, const TemplateNode *next, size_t width, int *field, size_t *used_out, Error *err) {
    size_t init = r->at;
    int64_t value = 0;
    while (is_blank(peek(r))) {
        r->at++;
    }
    size_t left = r->text.len - r->at, end = r->at + MIN_OF(left, width);
    Str copy = str_slice(r->text, r->at, end);
    if (node->fill_mode || number_is_open(node, next)) {
        r->at = take_integer(r->text, init, r->text.len, &value);
    } else {
        if (left < width) {
            (void)error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "source string too short for \"%.*s\" formatting field", STR_ARG(node->text));
            (void)error_add(err, 'D', "Field requires %zu characters, but only %zu remain.", width, left);
            return fixed_width_hint(err);
        }
        size_t got = take_integer(r->text, r->at, end, &value);
        if (got > r->at && got < end) {
            char detail[100];
            (void)snprintf(detail, sizeof detail, "Field requires %zu characters, but only %zu could be parsed.", width, got - r->at);
            (void)bad_value(copy, node, detail, err);
            return fixed_width_hint(err);
        }
        r->at = got;
    }
    if (r->at == init) {
        return bad_value(copy, node, "Value must be an integer.", err);
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        (void)error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "value for \"%.*s\" in source string is out of range", STR_ARG(node->text));
        return error_add(err, 'D', "Value must be in the range %d to %d.", INT32_MIN, INT32_MAX);
    }
    *used_out = r->at - init;
    return field == NULL ? ERR_OK : put_field(node, field, (int)value, err);
}

static ErrorCode read_number(TextReader *r, const TemplateNode *node, const TemplateNode *next, int *field, Error *err) {
    size_t used;
    return read_number_of(r, node, next, node->text.len, field, &used, err);
}

static ErrorCode read_pair(TextReader *r, const TemplateNode *node, const TemplateNode *next, int *field, Error *err) {
    size_t used;
    return read_number_of(r, node, next, 2, field, &used, err);
}

/* 25 of MS is a quarter of a second, and so is 250. */
static ErrorCode read_fraction(TextReader *r, const TemplateNode *node, const TemplateNode *next, size_t width, int digits, int *field, Error *err) {
    size_t used = 0;
    TRY(read_number_of(r, node, next, width, field, &used, err));
    for (; used < (size_t)digits; used++) {
        *field *= 10;
    }
    return ERR_OK;
}

static int full_year(int year) {
    return year < 70 ? year + 2000 : year < 100 ? year + 1900 : year < 520 ? year + 2000 : year < 1000 ? year + 1000 : year;
}

static ErrorCode read_year(TextReader *r, const TemplateNode *node, const TemplateNode *next, int digits, Error *err) {
    size_t used = 0;
    TRY(read_number_of(r, node, next, node->text.len, &r->year, &used, err));
    r->year = digits < 4 && used < 4 ? full_year(r->year) : r->year;
    r->year_digits = digits;
    return ERR_OK;
}

/* "12,024" */
static ErrorCode read_comma_year(TextReader *r, const TemplateNode *node, Error *err) {
    int64_t thousands, rest;
    size_t at = take_integer(r->text, r->at, r->text.len, &thousands);
    size_t end = at + 1 <= r->text.len ? MIN_OF(at + 4, r->text.len) : r->text.len;
    bool fine = at > r->at && at < r->text.len && r->text.data[at] == ',' && take_integer(r->text, at + 1, end, &rest) > at + 1;
    if (!fine) {
        return error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "invalid value \"%.*s\" for \"%s\"", (int)MIN_OF(r->text.len - r->at, (size_t)200), r->text.data + r->at, "Y,YYY");
    }
    r->at = take_integer(r->text, at + 1, end, &rest);
    rest += thousands * 1000;
    if (rest < INT32_MIN || rest > INT32_MAX) {
        return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "value for \"%s\" in source string is out of range", "Y,YYY");
    }
    r->year_digits = 4;
    return put_field(node, &r->year, (int)rest, err);
}

/* ---- names ---- */


/* The first of the names that the text begins with. */
static ErrorCode read_name(TextReader *r, const TemplateNode *node, const char *const *names, size_t count, size_t len_max, int *index_out, Error *err) {
    for (size_t i = 0; i < count; i++) {
        Str name = str_from_c(names[i]);
        name.len = MIN_OF(name.len, len_max);
        if (r->text.len - r->at >= name.len && str_equal_ignore_case(str_slice(r->text, r->at, r->at + name.len), name)) {
            *index_out = (int)i;
            r->at += name.len;
            return ERR_OK;
        }
    }
    size_t end = r->at;
    while (end < r->text.len && !is_blank(r->text.data[end])) {
        end++;
    }
    return bad_value(str_slice(r->text, r->at, end), node, "The given value did not match any of the allowed values for this field.", err);
}

static ErrorCode read_roman(TextReader *r, const TemplateNode *node, Error *err) {
    static const char *const DOWN[12] = {"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"};
    int index;
    TRY(read_name(r, node, DOWN, COUNT_OF(DOWN), SIZE_MAX, &index, err));
    return put_field(node, &r->month, 12 - index, err);
}

static ErrorCode read_name_field(TextReader *r, const TemplateNode *node, Error *err) {
    static const char *const HALVES[] = {"am", "pm"}, *const HALVES_DOTS[] = {"a.m.", "p.m."}, *const ERAS[] = {"ad", "bc"}, *const ERAS_DOTS[] = {"a.d.", "b.c."};
    bool dots = node->pattern == P_MERIDIEM_DOTS || node->pattern == P_ERA_DOTS;
    int index;
    switch (node->pattern) {
    case P_MERIDIEM:
    case P_MERIDIEM_DOTS:
        TRY(read_name(r, node, dots ? HALVES_DOTS : HALVES, 2, SIZE_MAX, &index, err));
        r->twelve_hours = true;
        return put_field(node, &r->pm, index, err);
    case P_ERA:
    case P_ERA_DOTS:
        TRY(read_name(r, node, dots ? ERAS_DOTS : ERAS, 2, SIZE_MAX, &index, err));
        return put_field(node, &r->before_christ, index, err);
    case P_MONTH:
    case P_MON:
        TRY(read_name(r, node, time__month_names, 12, node->pattern == P_MON ? 3 : SIZE_MAX, &index, err));
        return put_field(node, &r->month, index + 1, err);
    case P_DAY:
    case P_DY:
        TRY(read_name(r, node, time__day_names, 7, node->pattern == P_DY ? 3 : SIZE_MAX, &index, err));
        TRY(put_field(node, &r->weekday, index, err));
        r->weekday++;
        return ERR_OK;
    default: return read_roman(r, node, err);
    }
}

/* ---- zones ---- */

/* A minus that was passed over as a separator is the sign. */
static void read_zone_sign(TextReader *r) {
    char c = peek(r);
    if (c == '+' || c == '-' || c == ' ') {
        r->zone_sign = c == '-' ? -1 : 1;
        r->at++;
    } else {
        r->zone_sign = r->skipped > 0 && r->at > 0 && r->text.data[r->at - 1] == '-' ? -1 : 1;
    }
}

static ErrorCode read_offset(TextReader *r, const TemplateNode *node, const TemplateNode *next, Error *err) {
    read_zone_sign(r);
    TRY(read_pair(r, node, next, &r->zone_hours, err));
    if (node->pattern != P_TZH && peek(r) == ':') {
        r->at++;
        return read_pair(r, node, next, &r->zone_minutes, err);
    }
    return ERR_OK;
}

/* The longest abbreviation that the text begins with. */
static bool read_abbreviation(TextReader *r) {
    enum { ABBREVIATION_MAX = 10 };
    char word[ABBREVIATION_MAX];
    size_t len = 0;
    while (len < ABBREVIATION_MAX && r->at + len < r->text.len && char_lower(r->text.data[r->at + len]) >= 'a' && char_lower(r->text.data[r->at + len]) <= 'z') {
        word[len] = char_lower(r->text.data[r->at + len]);
        len++;
    }
    for (; len > 0; len--) {
        if (time__abbreviation((Str){word, len}, r->environment, r->arena, &r->zone)) {
            r->zone.abbreviation = r->zone.abbreviation.len > 0 ? str_slice(r->text, r->at, r->at + len) : r->zone.abbreviation;
            r->at += len;
            r->has_zone = true;
            r->zone_sign = 0;
            return true;
        }
    }
    return false;
}

static ErrorCode read_zone(TextReader *r, const TemplateNode *node, const TemplateNode *next, Error *err) {
    if (node->pattern == P_TZM) {
        r->zone_sign = r->zone_sign == 0 ? 1 : r->zone_sign;
        return read_pair(r, node, next, &r->zone_minutes, err);
    }
    if (node->pattern != P_TZ) {
        return read_offset(r, node, next, err);
    }
    if (read_abbreviation(r)) {
        return ERR_OK;
    }
    if (char_lower(peek(r)) >= 'a' && char_lower(peek(r)) <= 'z') {
        return bad_value(str_slice(r->text, r->at, r->text.len), node, "Time zone abbreviation is not recognized.", err);
    }
    return read_offset(r, node, next, err);
}

/* ---- fields ---- */

static ErrorCode read_date_field(TextReader *r, const TemplateNode *node, const TemplateNode *next, Error *err) {
    size_t used;
    switch (node->pattern) {
    case P_YYYY_COMMA: return read_comma_year(r, node, err);
    case P_YYYY:
    case P_IYYY: return read_year(r, node, next, 4, err);
    case P_YYY:
    case P_IYY: return read_year(r, node, next, 3, err);
    case P_YY:
    case P_IY: return read_year(r, node, next, 2, err);
    case P_Y:
    case P_I: return read_year(r, node, next, 1, err);
    case P_CC: return read_number(r, node, next, &r->century, err);
    case P_MM: return read_number(r, node, next, &r->month, err);
    case P_DDD: return read_number(r, node, next, &r->day_of_year, err);
    case P_IDDD: return read_number_of(r, node, next, 3, &r->day_of_year, &used, err);
    case P_DD: return read_number(r, node, next, &r->day, err);
    case P_D: return read_number(r, node, next, &r->weekday, err);
    case P_ID:
        TRY(read_number_of(r, node, next, 1, &r->weekday, &used, err));
        r->weekday = r->weekday + 1 > 7 ? 1 : r->weekday + 1; /* Sunday is 1 */
        return ERR_OK;
    case P_WW:
    case P_IW: return read_number(r, node, next, &r->week, err);
    case P_W: return read_number(r, node, next, &r->week_of_month, err);
    case P_Q: return read_number(r, node, next, NULL, err);
    default: assert(node->pattern == P_J); return read_number(r, node, next, &r->julian, err);
    }
}

static ErrorCode read_field(TextReader *r, const TemplateNode *node, const TemplateNode *next, Error *err) {
    switch (node->pattern) {
    case P_FX: r->exact = true; return ERR_OK;
    case P_MERIDIEM:
    case P_MERIDIEM_DOTS:
    case P_ERA:
    case P_ERA_DOTS:
    case P_MONTH:
    case P_MON:
    case P_DAY:
    case P_DY:
    case P_RM: return read_name_field(r, node, err);
    case P_HH12: r->twelve_hours = true; return read_pair(r, node, next, &r->hour, err);
    case P_HH24: return read_pair(r, node, next, &r->hour, err);
    case P_MI: return read_number(r, node, next, &r->minute, err);
    case P_SS: return read_number(r, node, next, &r->second, err);
    case P_SSSS: return read_number(r, node, next, &r->seconds_of_day, err);
    case P_MS: return read_fraction(r, node, next, 3, 3, &r->millis, err);
    case P_US: return read_fraction(r, node, next, 6, 6, &r->micros, err);
    case P_FF:
        r->fraction_digits = node->text.data[2] - '0';
        return read_fraction(r, node, next, (size_t)(node->text.data[2] - '0'), 6, &r->micros, err);
    case P_TZ:
    case P_TZH:
    case P_TZM:
    case P_OF: return read_zone(r, node, next, err);
    default: return read_date_field(r, node, next, err);
    }
}

static ErrorCode check_calendar(TextReader *r, const TemplateNode *node, Error *err) {
    if (node->calendar != CALENDAR_ANY && r->calendar != CALENDAR_ANY && r->calendar != node->calendar) {
        (void)error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "invalid combination of date conventions");
        return error_add(err, 'H', "Do not mix Gregorian and ISO week date conventions in a formatting template.");
    }
    r->calendar = node->calendar != CALENDAR_ANY ? node->calendar : r->calendar;
    return ERR_OK;
}

/* Characters of the template that are no pattern. */
static void match_character(TextReader *r, const TemplateNode *node) {
    if (r->exact) {
        step(r);
    } else if (node->kind == NODE_CHAR) {
        if (r->skipped > 0) {
            r->skipped--;
        } else {
            step(r);
        }
    } else {
        r->skipped--;
        if (is_blank(peek(r)) || time__template_separator(peek(r))) {
            r->at++;
            r->skipped++;
        }
    }
}

static void skip_ordinal(TextReader *r, const TemplateNode *node) {
    bool is_name = !node->is_number || node->pattern == P_TZM;
    for (int i = 0; node->ordinal && !is_name && i < 2 && r->at < r->text.len; i++) {
        step(r);
    }
}

static ErrorCode read_all(TextReader *r, Str format, Error *err) {
    TemplateReader template = {.format = format};
    TemplateNode node = time__template_next(&template);
    bool first = true;
    while (node.kind != NODE_END && r->at < r->text.len) {
        TemplateNode next = time__template_next(&template);
        bool pattern = node.kind == NODE_PATTERN;
        if (!r->exact && (!pattern || node.pattern != P_FX) && (pattern || first)) {
            skip_blanks(r);
        }
        first = false;
        if (!pattern) {
            match_character(r, &node);
        } else {
            TRY(check_calendar(r, &node, err));
            TRY(read_field(r, &node, &next, err));
            skip_ordinal(r, &node);
            if (!r->exact) {
                r->skipped = 0;
                skip_blanks(r);
            }
        }
        node = next;
    }
    return ERR_OK;
}

/* ---- the end ---- */

typedef struct Date { int64_t year, month, day; bool has_year, has_month, has_day; } Date;

static void set_whole(Date *date, int64_t days) {
    int32_t year, month, day;
    civil_from_days(days, &year, &month, &day);
    *date = (Date){year, month, day, true, true, true};
}

static int64_t iso_week_start(int64_t year, int64_t week) {
    int64_t fourth = days_from_civil((int32_t)year, 1, 4); /* always in week 1 */
    return fourth - (day_of_week(fourth) + 6) % 7 + (week - 1) * 7;
}

static void finish_year(const TextReader *r, Date *date) {
    int64_t century = r->before_christ != 0 ? -(int64_t)r->century : r->century;
    date->has_year = r->year != 0 || r->century != 0;
    if (r->year != 0 && r->century != 0 && r->year_digits <= 2) { /* the last two digits of a year in the century */
        date->year = r->year % 100;
        if (date->year != 0) {
            date->year = century >= 0 ? date->year + (century - 1) * 100 : (century + 1) * 100 - date->year + 1;
        } else {
            date->year = century * 100 + (century >= 0 ? 0 : 1);
        }
    } else if (r->year != 0) {
        date->year = r->before_christ != 0 ? -(int64_t)r->year : r->year;
        date->year += date->year < 0;
    } else if (r->century != 0) {
        date->year = century >= 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
    }
}

static ErrorCode finish_day_of_year(const TextReader *r, int64_t day_of_year, Date *date, Error *err) {
    if (day_of_year == 0 || (date->month > 1 && date->day > 1)) {
        return ERR_OK;
    }
    if (date->year == 0 && r->before_christ == 0) {
        return error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "cannot calculate day of year without year information");
    }
    if (r->calendar == CALENDAR_ISO_WEEK) {
        set_whole(date, iso_week_start(date->year, 1) + day_of_year - 1);
        return ERR_OK;
    }
    int32_t month = 1;
    int64_t before = 0;
    while (month <= 12 && day_of_year > before + days_in_month((int32_t)date->year, month)) {
        before += days_in_month((int32_t)date->year, month++);
    }
    date->day = date->day <= 1 ? day_of_year - before : date->day;
    date->month = date->month <= 1 ? month : date->month;
    date->has_month = date->has_day = true;
    return ERR_OK;
}

enum { YEAR_MAX = 6000000 }; /* days still fit into 32 bits */

static ErrorCode too_far(const TextReader *r, Error *err) {
    return r->date_only ? error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "date out of range: \"%.*s\"", (int)MIN_OF(r->text.len, (size_t)200), r->text.data)
                        : time__overflow(TYPE_TIMESTAMPTZ, err);
}

static ErrorCode finish_date(const TextReader *r, Date *date, Error *err) {
    int64_t day_of_year = r->day_of_year, day = r->day;
    *date = (Date){.month = 1, .day = 1};
    finish_year(r, date);
    if (r->julian != 0) {
        set_whole(date, (int64_t)r->julian - 2440588);
    }
    if (date->year > YEAR_MAX || date->year < -YEAR_MAX) {
        return too_far(r, err);
    }
    if (r->week != 0 && r->calendar == CALENDAR_ISO_WEEK) {
        int64_t weekday = r->weekday == 0 ? 0 : r->weekday == 1 ? 6 : r->weekday - 2;
        set_whole(date, iso_week_start(date->year, r->week) + weekday);
    } else if (r->week != 0) {
        day_of_year = ((int64_t)r->week - 1) * 7 + 1;
    }
    day = r->week_of_month != 0 ? ((int64_t)r->week_of_month - 1) * 7 + 1 : day;
    date->has_day |= day != 0;
    date->day = day != 0 ? day : date->day;
    date->has_month |= r->month != 0;
    date->month = r->month != 0 ? r->month : date->month;
    TRY(finish_day_of_year(r, day_of_year, date, err));
    bool bad = (date->has_month && (date->month < 1 || date->month > 12)) || (date->has_day && (date->day < 1 || date->day > 31)) ||
               (date->has_year && date->has_month && date->has_day && date->day > days_in_month((int32_t)date->year, (int32_t)date->month));
    return bad ? field_out_of_range(r->text, err) : ERR_OK;
}

static ErrorCode finish_clock(const TextReader *r, int64_t *nanos_out, Error *err) {
    int hour = r->seconds_of_day / 3600, minute = r->seconds_of_day / 60 % 60, second = r->seconds_of_day % 60;
    hour = r->hour != 0 ? r->hour : hour;
    minute = r->minute != 0 ? r->minute : minute;
    second = r->second != 0 ? r->second : second;
    if (r->twelve_hours) {
        if (hour < 1 || hour > 12) {
            (void)error_set(err, ERR_INVALID_DATETIME, ERROR_NO_POSITION, "hour \"%d\" is invalid for the 12-hour clock", hour);
            return error_add(err, 'H', "Use the 24-hour clock, or give an hour between 1 and 12.");
        }
        hour = hour % 12 + (r->pm != 0 ? 12 : 0);
    }
    int64_t micros = (int64_t)r->millis * 1000 + r->micros;
    *nanos_out = hour * NANOS_PER_HOUR + minute * NANOS_PER_MINUTE + second * NANOS_PER_SECOND + micros * 1000;
    return ERR_OK;
}

static bool clock_is_valid(const TextReader *r, int64_t nanos) {
    int64_t micros = (int64_t)r->millis * 1000 + r->micros;
    bool parts = r->minute >= 0 && r->minute < 60 && r->second >= 0 && r->second < 60 && r->hour >= 0 && r->seconds_of_day >= 0;
    return parts && micros >= 0 && micros < MICROS_PER_SECOND && nanos >= 0 && nanos < NANOS_PER_DAY;
}

static ErrorCode finish_zone(const TextReader *r, int64_t local_seconds, int32_t *east_out, bool *has_zone_out, Error *err) {
    *has_zone_out = r->zone_sign != 0 || r->has_zone;
    if (r->zone_sign == 0) {
        *east_out = r->has_zone ? time__meaning_east(&r->zone, local_seconds) : 0;
        return ERR_OK;
    }
    enum { ZONE_HOURS_MAX = 15 };
    if (r->zone_hours < 0 || r->zone_hours > ZONE_HOURS_MAX || r->zone_minutes < 0 || r->zone_minutes >= 60) {
        return error_set(err, ERR_ZONE_DISPLACEMENT, ERROR_NO_POSITION, "time zone displacement out of range: \"%.*s\"", (int)MIN_OF(r->text.len, (size_t)200), r->text.data);
    }
    *east_out = r->zone_sign * (r->zone_hours * 60 + r->zone_minutes) * 60;
    return ERR_OK;
}

ErrorCode time__parse_pg(const KernelCall *call, Str text, Str format, bool date_only, Wall *wall_out, bool *has_offset_out, Error *err) {
    TextReader r = {.text = text, .environment = call->environment, .arena = call->arena, .date_only = date_only};
    Date date;
    int64_t nanos = 0;
    int32_t east = 0;
    TRY(read_all(&r, format, err));
    TRY(finish_clock(&r, &nanos, err));
    TRY(finish_date(&r, &date, err));
    if (!clock_is_valid(&r, nanos)) {
        return field_out_of_range(text, err);
    }
    Wall wall = {.days = days_from_civil((int32_t)date.year, (int32_t)date.month, (int32_t)date.day), .nanos = nanos};
    TRY(finish_zone(&r, wall.days * 86400 + nanos / NANOS_PER_SECOND, &east, has_offset_out, err));
    if (r.fraction_digits > 0) {
        wall.nanos = cast__round_micros(nanos / 1000, (uint8_t)(r.fraction_digits + 1)) * 1000;
        nanos = wall.nanos;
        wall.days += nanos / NANOS_PER_DAY;
        wall.nanos = nanos %= NANOS_PER_DAY;
    }
    *has_offset_out = *has_offset_out && !date_only; /* a date is the one that is written */
    if (*has_offset_out) {
        int64_t shifted = nanos - east * NANOS_PER_SECOND, carry = floor_div(shifted, NANOS_PER_DAY);
        wall.days += carry;
        wall.nanos = shifted - carry * NANOS_PER_DAY;
    }
    *wall_out = wall;
    bool far = wall.days < -2440588 || (date_only && wall.days >= INT64_C(2145031949));
    return far ? too_far(&r, err) : ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * time/datetime_in.c - gives the fields of a date or timestamp their meaning, as PostgreSQL does.
 *
 * Why:        a number means what is still missing: the first three are the date in the order of DateStyle (a year of three or more digits may
 *             come first always), six or more digits at once are a whole date or time, the rest is time.
 * Invariants: each part of a date may come once; `have` says which did.
 * Tests:      test/sql/print_styles.slt */
#include <math.h>

#include "sql/func/time/datetime_in.h"

enum {
    HAVE_YEAR = 1, HAVE_MONTH = 2, HAVE_DAY = 4, HAVE_DATE = 7, HAVE_TIME = 8, HAVE_ZONE = 16, HAVE_DAY_OF_YEAR = 32, HAVE_MERIDIAN = 64, HAVE_ERA = 128,
    HAVE_WEEKDAY = 256, HAVE_SHIFT = 512, HAVE_DAYLIGHT = 1024, HAVE_SPECIAL = 2048
};
enum { OFFSET_HOURS_MAX = 15, NO_MERIDIAN = -1 };

/* What a word announced about the next field. */
typedef enum Awaits { AWAITS_NOTHING, AWAITS_JULIAN, AWAITS_TIME, AWAITS_UNIT } Awaits;

typedef struct DateReader {
    const FunctionEnvironment *environment;
    Arena *arena;
    DateTimeIn *in;
    uint8_t order; /* DateOrder */
    unsigned have;
    Awaits awaits;
    int64_t year, month, day, day_of_year;
    int64_t hour, minute, second, nanos;
    bool month_by_name, short_year, julian, before_christ;
    int meridian;
    int32_t shift; /* of a word DST */
    ZoneMeaning zone;
} DateReader;

/* ---- numbers ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A run of digits from *at on. false: too large for 32 bits. */
static bool take_number(Str text, size_t *at, int64_t *value_out) {
    int64_t value = 0;
    bool fits = true;
    for (; *at < text.len && is_digit(text.data[*at]); (*at)++) {
        value = MIN_OF(value * 10 + (text.data[*at] - '0'), INT64_C(1) << 40);
        fits = value <= INT32_MAX;
    }
    *value_out = value;
    return fits;
}

/* ".25" and nothing behind; a bare point is zero. */
static bool read_fraction(Str text, double scale, double *value_out) {
    *value_out = 0;
    if (text.len <= 1) {
        return true;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (!is_digit(text.data[i])) {
            return false;
        }
    }
    double fraction = 0;
    bool fine = parse_double(text, &fraction);
    *value_out = fraction * scale;
    return fine;
}

static bool read_nanos(Str text, int64_t *nanos_out) {
    double micros, nanos;
    if (!read_fraction(text, 1e6, &micros) || !read_fraction(text, 1e9, &nanos)) {
        return false;
    }
    bool fine = fabs(nanos - rint(micros) * 1000) < 1; /* no more than six digits count, but for what is kept in nanoseconds */
    *nanos_out = fine ? (int64_t)rint(micros) * 1000 : (int64_t)rint(nanos);
    return true;
}

/* ---- pieces ---- */

static void set_date(DateReader *r, int64_t days) {
    int32_t year, month, day;
    civil_from_days(days, &year, &month, &day);
    r->year = year;
    r->month = month;
    r->day = day;
}

static void set_clock(DateReader *r, int64_t hour, int64_t minute, int64_t second) {
    r->hour = hour;
    r->minute = minute;
    r->second = second;
}

/* "+05", "-0530", "+05:30:15" */
static DateTimeFault read_offset(Str text, int32_t *east_out) {
    int64_t hours, minutes = 0, seconds = 0;
    size_t at = 1;
    if (text.len == 0 || (text.data[0] != '+' && text.data[0] != '-')) {
        return FAULT_FORM;
    }
    if (!take_number(text, &at, &hours)) {
        return FAULT_OFFSET;
    }
    if (at < text.len && text.data[at] == ':') {
        at++;
        bool fits = take_number(text, &at, &minutes);
        if (fits && at < text.len && text.data[at] == ':') {
            at++;
            fits = take_number(text, &at, &seconds);
        }
        if (!fits) {
            return FAULT_OFFSET;
        }
    } else if (at == text.len && text.len > 3) {
        minutes = hours % 100;
        hours /= 100;
    }
    if (hours > OFFSET_HOURS_MAX || minutes > 59 || seconds > 59) {
        return FAULT_OFFSET;
    }
    int32_t east = (int32_t)(hours * 3600 + minutes * 60 + seconds);
    *east_out = text.data[0] == '-' ? -east : east;
    return at == text.len ? FAULT_NONE : FAULT_FORM;
}

static int64_t two_at(Str text, size_t at) { return (text.data[at] - '0') * 10 + (text.data[at + 1] - '0'); }

static bool all_digits(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i])) {
            return false;
        }
    }
    return true;
}

/* Digits without separators: yymmdd, yyyymmdd, then hhmm, hhmmss, perhaps with a fraction. */
static DateTimeFault read_joined(DateReader *r, Str text, unsigned have, unsigned *got_out) {
    ptrdiff_t point = str_find_char(text, '.', 0);
    Str digits = point < 0 ? text : str_slice(text, 0, (size_t)point);
    if (!all_digits(digits)) {
        return FAULT_FORM;
    }
    if (point >= 0) {
        if (!read_nanos(str_slice(text, (size_t)point, text.len), &r->nanos)) {
            return FAULT_FORM;
        }
    } else if ((have & HAVE_DATE) != HAVE_DATE && digits.len >= 6) {
        size_t at = 0;
        *got_out = HAVE_DATE;
        r->day = two_at(digits, digits.len - 2);
        r->month = two_at(digits, digits.len - 4);
        if (!take_number(str_slice(digits, 0, digits.len - 4), &at, &r->year)) {
            return FAULT_FIELD;
        }
        r->short_year = digits.len == 6;
        return FAULT_NONE;
    }
    if ((have & HAVE_TIME) == 0 && (digits.len == 6 || digits.len == 4)) {
        *got_out = HAVE_TIME;
        set_clock(r, two_at(digits, 0), two_at(digits, 2), digits.len == 6 ? two_at(digits, 4) : 0);
        return FAULT_NONE;
    }
    return FAULT_FORM;
}

static void put_year(DateReader *r, int64_t value, size_t digits, unsigned *got_out) {
    *got_out = HAVE_YEAR;
    r->year = value;
    r->short_year = digits <= 2;
}

static void put_day(DateReader *r, int64_t value, unsigned *got_out) {
    *got_out = HAVE_DAY;
    r->day = value;
}

static void put_month(DateReader *r, int64_t value, unsigned *got_out) {
    *got_out = HAVE_MONTH;
    r->month = value;
}

/* The part of a date that a number is, by those that are known. */
static DateTimeFault place_number(DateReader *r, int64_t value, size_t digits, unsigned have, unsigned *got_out) {
    bool year_first = digits >= 3 || r->order == DATE_ORDER_YMD;
    switch (have & HAVE_DATE) {
    case 0:
        if (year_first) {
            put_year(r, value, digits, got_out);
        } else if (r->order == DATE_ORDER_DMY) {
            put_day(r, value, got_out);
        } else {
            put_month(r, value, got_out);
        }
        return FAULT_NONE;
    case HAVE_YEAR: put_month(r, value, got_out); return FAULT_NONE;
    case HAVE_MONTH:
        if (r->month_by_name && year_first) {
            put_year(r, value, digits, got_out);
        } else {
            put_day(r, value, got_out);
        }
        return FAULT_NONE;
    case HAVE_YEAR | HAVE_MONTH:
        if (r->month_by_name && digits >= 3 && r->short_year) { /* what was taken for the year is the day */
            put_day(r, r->year, got_out);
            r->year = value;
            r->short_year = false;
        } else {
            put_day(r, value, got_out);
        }
        return FAULT_NONE;
    case HAVE_DAY: put_month(r, value, got_out); return FAULT_NONE;
    case HAVE_MONTH | HAVE_DAY: put_year(r, value, digits, got_out); return FAULT_NONE;
    default: return FAULT_FORM;
    }
}

static DateTimeFault read_number(DateReader *r, Str text, unsigned have, unsigned *got_out) {
    int64_t value;
    size_t at = 0;
    if (!take_number(text, &at, &value)) {
        return FAULT_FIELD;
    }
    if (at == 0) {
        return FAULT_FORM;
    }
    if (at < text.len && text.data[at] == '.') {
        if (at > 2) { /* 040506.789 */
            return read_joined(r, text, have | HAVE_DATE, got_out);
        }
        if (!read_nanos(str_slice(text, at, text.len), &r->nanos)) {
            return FAULT_FORM;
        }
    } else if (at < text.len) {
        return FAULT_FORM;
    }
    if (text.len == 3 && (have & HAVE_DATE) == HAVE_YEAR && value >= 1 && value <= 366) {
        *got_out = HAVE_DAY_OF_YEAR | HAVE_MONTH | HAVE_DAY;
        r->day_of_year = value;
        return FAULT_NONE;
    }
    if ((have & HAVE_DATE) == HAVE_DATE) {
        return read_joined(r, text, have, got_out);
    }
    return place_number(r, value, text.len, have, got_out);
}

/* "2024-01-05", "05/jan/2024", "5.1.2024": pieces parted by what is no letter or digit. */
static DateTimeFault read_pieces(DateReader *r, Str text, unsigned have, unsigned *got_out) {
    Str pieces[DATETIME_FIELDS_MAX];
    size_t count = 0, at = 0;
    while (at < text.len && count < DATETIME_FIELDS_MAX) {
        while (at < text.len && !is_digit(text.data[at]) && !(text.data[at] >= 'a' && text.data[at] <= 'z')) {
            at++;
        }
        if (at == text.len) {
            return FAULT_FORM;
        }
        size_t from = at;
        bool digits = is_digit(text.data[at]);
        while (at < text.len && (digits ? is_digit(text.data[at]) : text.data[at] >= 'a' && text.data[at] <= 'z')) {
            at++;
        }
        pieces[count++] = str_slice(text, from, at);
        at += at < text.len; /* whatever it is */
    }
    for (size_t i = 0; i < count; i++) {
        if (is_digit(pieces[i].data[0])) {
            continue;
        }
        DateTimeWord word = time__word(pieces[i]);
        if (word.kind == WORD_IGNORED) {
            continue;
        }
        if (word.kind != WORD_MONTH || ((have | *got_out) & HAVE_MONTH) != 0) {
            return FAULT_FORM;
        }
        r->month = word.value;
        r->month_by_name = true;
        *got_out |= HAVE_MONTH;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned got = 0;
        if (!is_digit(pieces[i].data[0])) {
            continue;
        }
        DateTimeFault fault = read_number(r, pieces[i], have | *got_out, &got);
        if (fault != FAULT_NONE) {
            return fault;
        }
        if (((have | *got_out) & got) != 0) {
            return FAULT_FORM;
        }
        *got_out |= got;
    }
    return ((have | *got_out) & ~(unsigned)(HAVE_DAY_OF_YEAR | HAVE_ZONE)) == HAVE_DATE ? FAULT_NONE : FAULT_FORM;
}

/* A month by name counts for the pieces of its own date only. */
static DateTimeFault read_date(DateReader *r, Str text, unsigned have, unsigned *got_out) {
    bool outside = r->month_by_name;
    r->month_by_name = false;
    DateTimeFault fault = read_pieces(r, text, have, got_out);
    r->month_by_name = outside;
    return fault;
}

/* h:m, h:m:s[.f], m:s.f */
static DateTimeFault read_clock(DateReader *r, Str text, unsigned *got_out) {
    size_t at = 0;
    int64_t parts[3] = {0};
    int count = 0;
    for (;; at++) {
        if (!take_number(text, &at, &parts[count++])) {
            return FAULT_FIELD;
        }
        if (at == text.len || text.data[at] != ':' || count == 3) {
            break;
        }
    }
    if (count < 2) {
        return FAULT_FORM;
    }
    r->nanos = 0;
    if (at < text.len && (text.data[at] != '.' || !read_nanos(str_slice(text, at, text.len), &r->nanos))) {
        return FAULT_FORM;
    }
    if (count == 2 && at < text.len) {
        set_clock(r, 0, parts[0], parts[1]);
    } else {
        set_clock(r, parts[0], parts[1], parts[2]);
    }
    *got_out = HAVE_TIME;
    bool sane = r->minute <= 59 && r->second <= 60 && r->hour <= 24;
    bool day_end = r->hour < 24 || (r->minute == 0 && r->second == 0 && r->nanos == 0);
    return sane && day_end ? FAULT_NONE : FAULT_FIELD;
}

/* ---- zones ---- */

static bool find_zone(DateReader *r, Str name) {
    Str spelled;
    const FunctionEnvironment *e = r->environment;
    r->zone = (ZoneMeaning){0};
    return e != NULL && e->zone_find != NULL && e->zone_find(name, r->arena, &spelled, &r->zone.zone, NULL) == ERR_OK;
}

static DateTimeFault read_zone_name(DateReader *r, Str name, DateTimeFault otherwise, unsigned *got_out) {
    *got_out = HAVE_ZONE;
    if (find_zone(r, name)) {
        return FAULT_NONE;
    }
    r->in->zone_name = arena_str(r->arena, name);
    return otherwise;
}

static DateTimeFault read_offset_field(DateReader *r, Str text, unsigned *got_out) {
    *got_out = HAVE_ZONE;
    r->zone = (ZoneMeaning){0};
    return read_offset(text, &r->zone.east);
}

/* ---- fields ---- */

/* "2451187-08": a julian day with an offset; "america/new_york", "040506-08" behind a date. */
static DateTimeFault take_date(DateReader *r, Str text, unsigned *got_out) {
    ptrdiff_t dash = str_find_char(text, '-', 0);
    if (r->awaits == AWAITS_JULIAN) {
        int64_t day;
        size_t at = 0;
        if (!take_number(text, &at, &day)) {
            return FAULT_FIELD;
        }
        r->awaits = AWAITS_NOTHING;
        r->julian = true;
        set_date(r, day - 2440588);
        DateTimeFault fault = read_offset_field(r, str_slice(text, at, text.len), got_out);
        set_clock(r, 0, 0, 0);
        *got_out = HAVE_DATE | HAVE_TIME | HAVE_ZONE;
        return fault;
    }
    if (r->awaits == AWAITS_NOTHING && (r->have & (HAVE_MONTH | HAVE_DAY)) != (HAVE_MONTH | HAVE_DAY)) {
        return read_date(r, text, r->have, got_out);
    }
    if (!is_digit(text.data[0]) && r->awaits == AWAITS_NOTHING) {
        return read_zone_name(r, text, FAULT_ZONE_NAME, got_out);
    }
    bool fits = (r->awaits == AWAITS_NOTHING || r->awaits == AWAITS_TIME) && (r->have & HAVE_TIME) == 0 && dash >= 0;
    r->awaits = AWAITS_NOTHING;
    if (!fits) {
        return FAULT_FORM;
    }
    unsigned zone = 0;
    DateTimeFault fault = read_offset_field(r, str_slice(text, (size_t)dash, text.len), &zone);
    if (fault == FAULT_NONE) {
        fault = read_joined(r, str_slice(text, 0, (size_t)dash), r->have, got_out);
    }
    *got_out |= zone;
    return fault;
}

static DateTimeFault take_clock(DateReader *r, Str text, unsigned *got_out) {
    if (r->awaits != AWAITS_NOTHING && r->awaits != AWAITS_TIME) {
        return FAULT_FORM;
    }
    r->awaits = AWAITS_NOTHING;
    return read_clock(r, text, got_out);
}

static DateTimeFault take_julian(DateReader *r, Str text, unsigned *got_out) {
    int64_t day;
    size_t at = 0;
    double rest;
    bool fits = take_number(text, &at, &day);
    r->awaits = AWAITS_NOTHING;
    r->julian = true;
    if (!fits) {
        return FAULT_FIELD;
    }
    set_date(r, day - 2440588);
    *got_out = HAVE_DATE;
    if (at == text.len) {
        return FAULT_NONE;
    }
    if (text.data[at] != '.' || !read_fraction(str_slice(text, at, text.len), (double)MICROS_PER_DAY, &rest)) {
        return FAULT_FORM;
    }
    int64_t micros = (int64_t)rest;
    *got_out = HAVE_DATE | HAVE_TIME;
    set_clock(r, micros / INT64_C(3600000000), micros / INT64_C(60000000) % 60, micros / MICROS_PER_SECOND % 60);
    r->nanos = micros % MICROS_PER_SECOND * 1000;
    return FAULT_NONE;
}

static DateTimeFault take_number_field(DateReader *r, Str text, unsigned *got_out) {
    if (r->awaits == AWAITS_JULIAN) {
        return take_julian(r, text, got_out);
    }
    if (r->awaits == AWAITS_TIME) {
        r->awaits = AWAITS_NOTHING;
        DateTimeFault fault = read_joined(r, text, r->have | HAVE_DATE, got_out);
        return fault == FAULT_NONE && *got_out != HAVE_TIME ? FAULT_FORM : fault;
    }
    if (r->awaits != AWAITS_NOTHING) {
        return FAULT_FORM;
    }
    ptrdiff_t point = str_find_char(text, '.', 0);
    if (point >= 0 && (r->have & HAVE_DATE) == 0) {
        return read_date(r, text, r->have, got_out);
    }
    bool joined = text.len >= 6 && ((r->have & HAVE_DATE) == 0 || (r->have & HAVE_TIME) == 0);
    return (point > 2 || (point < 0 && joined) || (point >= 0 && point <= 2 && joined)) ? read_joined(r, text, r->have, got_out)
                                                                                       : read_number(r, text, r->have, got_out);
}

static void now_wall(const DateReader *r, Wall *wall_out) {
    int64_t now = r->environment == NULL ? 0 : r->environment->now_micros;
    *wall_out = time__load(TYPE_TIMESTAMPTZ, &now, r->environment == NULL ? NULL : r->environment->zone);
}

static DateTimeFault take_special(DateReader *r, DateTimeWord word, unsigned *got_out) {
    Wall wall;
    switch (word.kind) {
    case WORD_NOW:
        now_wall(r, &wall);
        set_date(r, wall.days);
        set_clock(r, wall.nanos / NANOS_PER_HOUR, wall.nanos / NANOS_PER_MINUTE % 60, wall.nanos / NANOS_PER_SECOND % 60);
        r->nanos = wall.nanos % NANOS_PER_SECOND;
        r->zone = (ZoneMeaning){.east = wall.offset};
        *got_out = HAVE_DATE | HAVE_TIME | HAVE_ZONE;
        return FAULT_NONE;
    case WORD_TODAY:
        now_wall(r, &wall);
        set_date(r, wall.days + word.value);
        *got_out = HAVE_DATE;
        return FAULT_NONE;
    case WORD_ALLBALLS:
        set_clock(r, 0, 0, 0);
        r->zone = (ZoneMeaning){0};
        *got_out = HAVE_TIME | HAVE_ZONE;
        return FAULT_NONE;
    default:
        r->in->epoch = word.kind == WORD_EPOCH;
        r->in->infinite = (int8_t)(word.kind == WORD_EPOCH ? 0 : word.value);
        *got_out = HAVE_DATE | HAVE_TIME | HAVE_ZONE | HAVE_SPECIAL;
        return FAULT_NONE;
    }
}

/* A month by name takes its place from a number that was taken for one. */
static void take_month(DateReader *r, int month, unsigned *got_out) {
    *got_out = HAVE_MONTH;
    if ((r->have & HAVE_MONTH) != 0 && !r->month_by_name && (r->have & HAVE_DAY) == 0 && r->month >= 1 && r->month <= 31) {
        r->day = r->month;
        *got_out = HAVE_DAY;
    }
    r->month_by_name = true;
    r->month = month;
}

static DateTimeFault take_known_word(DateReader *r, DateTimeWord word, const DateTimeToken *next, unsigned *got_out) {
    switch (word.kind) {
    case WORD_MONTH: take_month(r, word.value, got_out); return FAULT_NONE;
    case WORD_WEEKDAY: *got_out = HAVE_WEEKDAY; return FAULT_NONE;
    case WORD_MERIDIAN:
        *got_out = HAVE_MERIDIAN;
        r->meridian = word.value;
        return FAULT_NONE;
    case WORD_ERA:
        *got_out = HAVE_ERA;
        r->before_christ = word.value != 0;
        return FAULT_NONE;
    case WORD_DAYLIGHT:
        *got_out = HAVE_SHIFT | HAVE_DAYLIGHT;
        r->shift = word.value;
        return FAULT_NONE;
    case WORD_JULIAN:
    case WORD_UNIT:
        if (r->awaits != AWAITS_NOTHING) {
            return FAULT_FORM;
        }
        r->awaits = word.kind == WORD_JULIAN ? AWAITS_JULIAN : AWAITS_UNIT;
        return FAULT_NONE;
    case WORD_TIME_FOLLOWS:
        if ((r->have & HAVE_DATE) != HAVE_DATE || next == NULL || (next->kind != TOKEN_NUMBER && next->kind != TOKEN_TIME && next->kind != TOKEN_DATE)) {
            return FAULT_FORM;
        }
        r->awaits = AWAITS_TIME;
        return FAULT_NONE;
    case WORD_IGNORED: return FAULT_NONE;
    default: return take_special(r, word, got_out);
    }
}

static DateTimeFault take_word(DateReader *r, Str text, const DateTimeToken *next, unsigned *got_out) {
    ZoneMeaning meaning;
    if (time__abbreviation(text, r->environment, r->arena, &meaning)) {
        r->zone = meaning;
        *got_out = HAVE_ZONE;
        return FAULT_NONE;
    }
    DateTimeWord word = time__word(text);
    return word.kind == WORD_UNKNOWN ? read_zone_name(r, text, FAULT_FORM, got_out) : take_known_word(r, word, next, got_out);
}

static DateTimeFault take_field(DateReader *r, const DateTimeToken *token, const DateTimeToken *next) {
    unsigned got = 0;
    DateTimeFault fault = FAULT_FORM;
    switch (token->kind) {
    case TOKEN_DATE: fault = take_date(r, token->text, &got); break;
    case TOKEN_TIME: fault = take_clock(r, token->text, &got); break;
    case TOKEN_OFFSET: fault = read_offset_field(r, token->text, &got); break;
    case TOKEN_NUMBER: fault = take_number_field(r, token->text, &got); break;
    default: fault = take_word(r, token->text, next, &got); break;
    }
    if (fault == FAULT_NONE && (got & r->have) != 0) {
        return FAULT_FORM;
    }
    r->have |= got;
    return fault;
}

/* ---- the end ---- */

static DateTimeFault finish_year(DateReader *r) {
    if ((r->have & HAVE_YEAR) == 0 || r->julian) {
        return FAULT_NONE;
    }
    if (r->before_christ) {
        r->year = 1 - r->year;
        return r->year > 0 ? FAULT_FIELD : FAULT_NONE;
    }
    if (r->short_year) {
        r->year += r->year < 70 ? 2000 : r->year < 100 ? 1900 : 0;
        return FAULT_NONE;
    }
    return r->year <= 0 ? FAULT_FIELD : FAULT_NONE;
}

static DateTimeFault finish_date(DateReader *r) {
    DateTimeFault fault = finish_year(r);
    if (fault != FAULT_NONE) {
        return fault;
    }
    if ((r->have & HAVE_DAY_OF_YEAR) != 0) {
        set_date(r, days_from_civil((int32_t)r->year, 1, 1) + r->day_of_year - 1);
    }
    if (((r->have & HAVE_MONTH) != 0 && (r->month < 1 || r->month > 12)) || ((r->have & HAVE_DAY) != 0 && (r->day < 1 || r->day > 31))) {
        return FAULT_MONTH_OR_DAY;
    }
    bool whole = (r->have & HAVE_DATE) == HAVE_DATE;
    return whole && r->day > days_in_month((int32_t)r->year, (int32_t)r->month) ? FAULT_FIELD : FAULT_NONE;
}

static DateTimeFault finish(DateReader *r) {
    DateTimeFault fault = r->awaits != AWAITS_NOTHING ? FAULT_FORM : (r->have & HAVE_SPECIAL) != 0 ? FAULT_NONE : finish_date(r);
    if (fault != FAULT_NONE || (r->have & HAVE_SPECIAL) != 0) {
        return fault;
    }
    if (r->meridian != NO_MERIDIAN && r->hour > 12) {
        return FAULT_FIELD;
    }
    if (r->meridian != NO_MERIDIAN) {
        r->hour = r->hour % 12 + r->meridian;
    }
    if ((r->have & HAVE_DATE) != HAVE_DATE) {
        return FAULT_FORM;
    }
    r->in->civil = (CivilTime){(int32_t)r->year, (int32_t)r->month, (int32_t)r->day, (int32_t)r->hour, (int32_t)r->minute, (int32_t)r->second, (int32_t)r->nanos};
    r->in->has_zone = (r->have & HAVE_ZONE) != 0;
    bool shifted = (r->have & HAVE_SHIFT) != 0;
    if (shifted && (!r->in->has_zone || r->zone.zone != NULL)) {
        return FAULT_FORM;
    }
    int64_t local = days_from_civil((int32_t)r->year, (int32_t)r->month, (int32_t)r->day) * 86400 + r->hour * 3600 + r->minute * 60 + r->second;
    r->in->east = r->in->has_zone ? time__meaning_east(&r->zone, local) + (shifted ? r->shift : 0) : 0;
    return FAULT_NONE;
}

DateTimeFault time__datetime_in(Str text, const FunctionEnvironment *environment, Arena *arena, DateTimeIn *in_out) {
    DateTimeTokens tokens;
    DateReader r = {.environment = environment, .arena = arena, .in = in_out, .meridian = NO_MERIDIAN, .order = environment == NULL ? 0 : environment->style.date.order};
    *in_out = (DateTimeIn){0};
    if (!time__tokenize(text, &tokens)) {
        return FAULT_FORM;
    }
    for (size_t i = 0; i < tokens.count; i++) {
        DateTimeFault fault = take_field(&r, &tokens.tokens[i], i + 1 < tokens.count ? &tokens.tokens[i + 1] : NULL);
        if (fault != FAULT_NONE) {
            return fault;
        }
    }
    return finish(&r);
}

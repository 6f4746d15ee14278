/* SPDX-License-Identifier: Apache-2.0
 * interval.c - intervals <-> text in PostgreSQL's forms.
 *
 * Reads "1 year 2 mons 3 days 04:05:06.5", "1-2", "3 04:05:06", "@ 1 day ago", "5" (seconds), and ISO 8601 "P1Y2M3DT4H5M6S".
 * Fractions of a unit go down into the next smaller ones (a month is 30 days, a day 24 hours), as PostgreSQL does. */
#include <math.h>

#include "base/number.h"
#include "column/value_text.h"

#define MICROS_PER_HOUR INT64_C(3600000000)
#define MICROS_PER_MINUTE INT64_C(60000000)

Int128 interval_span(Interval interval) {
    Int128 days = (Int128)interval.months * 30 + interval.days;
    return days * MICROS_PER_DAY + interval.micros;
}

/* ---- out ---- */

typedef struct IntervalWriter {
    char *out;
    size_t len;
    bool negative_before; /* the last field was negative: a positive one needs its sign */
} IntervalWriter;

static void write_text(IntervalWriter *w, const char *text) {
    size_t len = strlen(text);
    memcpy(w->out + w->len, text, len);
    w->len += len;
}

static void write_field(IntervalWriter *w, int64_t value, const char *unit) {
    if (value == 0) {
        return;
    }
    if (w->len > 0) {
        w->out[w->len++] = ' ';
    }
    if (w->negative_before && value > 0) {
        w->out[w->len++] = '+';
    }
    w->len += format_int64(w->out + w->len, value);
    w->out[w->len++] = ' ';
    write_text(w, unit);
    if (value != 1) {
        w->out[w->len++] = 's';
    }
    w->negative_before = value < 0;
}

static void write_two(IntervalWriter *w, uint64_t value) {
    if (value < 10) {
        w->out[w->len++] = '0';
    }
    w->len += format_uint64(w->out + w->len, value);
}

static void write_time(IntervalWriter *w, int64_t micros) {
    uint64_t rest = micros < 0 ? -(uint64_t)micros : (uint64_t)micros;
    if (w->len > 0) {
        w->out[w->len++] = ' ';
    }
    if (micros < 0) {
        w->out[w->len++] = '-';
    } else if (w->negative_before) {
        w->out[w->len++] = '+';
    }
    write_two(w, rest / MICROS_PER_HOUR);
    w->out[w->len++] = ':';
    write_two(w, rest / MICROS_PER_MINUTE % 60);
    w->out[w->len++] = ':';
    write_two(w, rest / MICROS_PER_SECOND % 60);
    w->len += format_fraction(w->out + w->len, (int64_t)(rest % MICROS_PER_SECOND), 6);
}

size_t interval_format(char *out, Interval interval) {
    IntervalWriter w = {.out = out};
    int infinite = interval_is_infinite(interval);
    if (infinite != 0) {
        write_text(&w, infinite > 0 ? "infinity" : "-infinity");
        return w.len;
    }
    write_field(&w, interval.months / 12, "year");
    write_field(&w, interval.months % 12, "mon");
    write_field(&w, interval.days, "day");
    if (w.len == 0 || interval.micros != 0) {
        write_time(&w, interval.micros);
    }
    assert(w.len <= INTERVAL_TEXT_MAX);
    return w.len;
}

/* ---- in ---- */

typedef struct IntervalSum {
    double months, days; /* whole numbers; double, so that overflow is seen at the end */
    Int128 micros;
    uint32_t claimed; /* one bit a row of UNIT_ROWS */
} IntervalSum;

typedef struct UnitRow {
    const char *name;
    int32_t months, days;
    int64_t micros;
} UnitRow;

static const UnitRow UNIT_ROWS[] = {
    {"microsecond", 0, 0, 1},
    {"us", 0, 0, 1},
    {"usec", 0, 0, 1},
    {"millisecond", 0, 0, 1000},
    {"ms", 0, 0, 1000},
    {"msec", 0, 0, 1000},
    {"second", 0, 0, 1000000},
    {"sec", 0, 0, 1000000},
    {"s", 0, 0, 1000000},
    {"minute", 0, 0, MICROS_PER_MINUTE},
    {"min", 0, 0, MICROS_PER_MINUTE},
    {"m", 0, 0, MICROS_PER_MINUTE},
    {"hour", 0, 0, MICROS_PER_HOUR},
    {"hr", 0, 0, MICROS_PER_HOUR},
    {"h", 0, 0, MICROS_PER_HOUR},
    {"day", 0, 1, 0},
    {"d", 0, 1, 0},
    {"week", 0, 7, 0},
    {"w", 0, 7, 0},
    {"month", 1, 0, 0},
    {"mon", 1, 0, 0},
    {"year", 12, 0, 0},
    {"yr", 12, 0, 0},
    {"y", 12, 0, 0},
    {"decade", 120, 0, 0},
    {"century", 1200, 0, 0},
    {"centurie", 1200, 0, 0},
    {"millennium", 12000, 0, 0},
    {"millennia", 12000, 0, 0},
};

static const UnitRow *unit_find(Str name) {
    for (int plural = 0; plural <= 1; plural++) {
        for (size_t i = 0; i < COUNT_OF(UNIT_ROWS); i++) {
            if (str_equal_ignore_case(name, str_from_c(UNIT_ROWS[i].name))) {
                return &UNIT_ROWS[i];
            }
        }
        if (name.len < 2 || (name.data[name.len - 1] | 0x20) != 's') {
            return NULL;
        }
        name.len--;
    }
    return NULL;
}

/* Each field stands once: 1 day 2 days is no interval, nor is 1 hour 00:30. Units of one size are one field. */
static bool sum_claim(IntervalSum *sum, int32_t months, int32_t days, int64_t micros) {
    for (size_t i = 0; i < COUNT_OF(UNIT_ROWS); i++) {
        if (UNIT_ROWS[i].months == months && UNIT_ROWS[i].days == days && UNIT_ROWS[i].micros == micros) {
            bool fresh = (sum->claimed & (UINT32_C(1) << i)) == 0;
            sum->claimed |= UINT32_C(1) << i;
            return fresh;
        }
    }
    return true;
}

/* Whole months stay months; a fraction of a month becomes days, a fraction of a day time. */
static void sum_add(IntervalSum *sum, const UnitRow *unit, double whole, double fraction) {
    double months = whole * unit->months + trunc(fraction * unit->months);
    double month_rest = fraction * unit->months - trunc(fraction * unit->months);
    double days_exact = fraction * unit->days + month_rest * 30;
    double days = whole * unit->days + trunc(days_exact);
    double day_rest = days_exact - trunc(days_exact);
    sum->months += months;
    sum->days += days;
    double micros = fraction * (double)unit->micros + day_rest * (double)MICROS_PER_DAY;
    sum->micros += (Int128)whole * unit->micros + (Int128)nearbyint(micros);
}

static bool sum_finish(const IntervalSum *sum, bool negate, Interval *interval_out) {
    IntervalSum total = *sum;
    if (negate) {
        total = (IntervalSum){-sum->months, -sum->days, -sum->micros, 0};
    }
    bool fits = fabs(total.months) <= INT32_MAX && fabs(total.days) <= INT32_MAX && total.micros >= INT64_MIN &&
                total.micros <= INT64_MAX;
    if (fits) {
        *interval_out = (Interval){(int32_t)total.months, (int32_t)total.days, (int64_t)total.micros};
    }
    return fits;
}

typedef struct IntervalReader {
    Str text;
    size_t at;
} IntervalReader;

static char peek(const IntervalReader *r) {
    return r->at < r->text.len ? r->text.data[r->at] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_blanks(IntervalReader *r) {
    while (peek(r) == ' ' || peek(r) == ',' || (peek(r) >= '\t' && peek(r) <= '\r')) {
        r->at++;
    }
}

static Str read_word(IntervalReader *r) {
    size_t from = r->at;
    while ((peek(r) | 0x20) >= 'a' && (peek(r) | 0x20) <= 'z') {
        r->at++;
    }
    return str_slice(r->text, from, r->at);
}

/* Digits with an optional fraction; at most 15 whole digits so that a double holds them. */
static bool read_number(IntervalReader *r, double *whole_out, double *fraction_out) {
    size_t from = r->at;
    double whole = 0, fraction = 0;
    while (is_digit(peek(r))) {
        whole = whole * 10 + (r->text.data[r->at++] - '0');
    }
    size_t digits = r->at - from;
    if (peek(r) == '.') {
        size_t point = r->at++;
        while (is_digit(peek(r))) {
            r->at++;
            digits++;
        }
        Str text = str_slice(r->text, point, r->at);
        if (text.len > 1 && !parse_double(text, &fraction)) {
            return false;
        }
    }
    *whole_out = whole;
    *fraction_out = fraction;
    return digits > 0 && digits <= 24 && whole < 1e15;
}

/* hh:mm[:ss[.fraction]], the sign already read. */
static bool read_clock(IntervalReader *r, double hours, double sign, IntervalSum *sum) {
    static const UnitRow MICRO = {"", 0, 0, 1};
    double minutes, seconds = 0, fraction, second_fraction = 0;
    r->at++;
    if (!is_digit(peek(r)) || !read_number(r, &minutes, &fraction)) {
        return false;
    }
    bool minutes_are_seconds = fraction != 0; /* "mm:ss.f" */
    if (minutes_are_seconds) {
        second_fraction = fraction;
        seconds = minutes;
        minutes = hours;
        hours = 0;
    } else if (peek(r) == ':') {
        r->at++;
        if (!is_digit(peek(r)) || !read_number(r, &seconds, &second_fraction)) {
            return false;
        }
    }
    if (minutes >= 60 || seconds > 60) {
        return false;
    }
    double whole = hours * (double)MICROS_PER_HOUR + minutes * (double)MICROS_PER_MINUTE + seconds * 1e6;
    if (whole > 9e18) {
        return false;
    }
    sum_add(sum, &MICRO, sign * whole, sign * nearbyint(second_fraction * 1e6));
    return true;
}

static bool clock_follows(const IntervalReader *r) {
    IntervalReader ahead = *r;
    ahead.at += peek(&ahead) == '-' || peek(&ahead) == '+';
    while (is_digit(peek(&ahead))) {
        ahead.at++;
    }
    return peek(&ahead) == ':';
}

/* One piece: a clock, years-months, or a number with its unit. */
static bool read_piece(IntervalReader *r, IntervalSum *sum) {
    static const UnitRow *const SECOND = &UNIT_ROWS[6];
    static const UnitRow MONTH = {"", 1, 0, 0};
    double sign = 1, whole, fraction;
    if (peek(r) == '-' || peek(r) == '+') {
        sign = peek(r) == '-' ? -1 : 1;
        r->at++;
        skip_blanks(r);
    }
    if (!read_number(r, &whole, &fraction)) {
        return false;
    }
    if (peek(r) == ':' && fraction == 0) {
        bool fresh = sum_claim(sum, 0, 0, MICROS_PER_HOUR) && sum_claim(sum, 0, 0, MICROS_PER_MINUTE) && sum_claim(sum, 0, 0, 1000000);
        return fresh && read_clock(r, whole, sign, sum);
    }
    if (peek(r) == '-' && fraction == 0 && r->at + 1 < r->text.len && is_digit(r->text.data[r->at + 1])) {
        double months;
        r->at++;
        if (!read_number(r, &months, &fraction) || months >= 12 || fraction != 0) {
            return false;
        }
        sum_add(sum, &MONTH, sign * (whole * 12 + months), 0);
        bool ends = peek(r) == '\0' || peek(r) == ' '; /* 2024-01-05 is a date */
        return ends && sum_claim(sum, 12, 0, 0) && sum_claim(sum, 1, 0, 0);
    }
    skip_blanks(r);
    Str word = read_word(r);
    const UnitRow *unit = SECOND;
    if (word.len > 0) {
        unit = unit_find(word);
    } else if (peek(r) != '\0') {
        if (!clock_follows(r)) {
            return false;
        }
        unit = &UNIT_ROWS[15]; /* "3 04:05:06": days before a clock */
    }
    if (unit == NULL || !sum_claim(sum, unit->months, unit->days, unit->micros)) {
        return false;
    }
    sum_add(sum, unit, sign * whole, sign * fraction);
    return true;
}

static const UnitRow *iso_unit(char c, bool time) {
    static const UnitRow DATE_UNITS[] = {{"Y", 12, 0, 0}, {"M", 1, 0, 0}, {"W", 0, 7, 0}, {"D", 0, 1, 0}};
    static const UnitRow TIME_UNITS[] = {
        {"H", 0, 0, MICROS_PER_HOUR}, {"M", 0, 0, MICROS_PER_MINUTE}, {"S", 0, 0, 1000000}};
    const UnitRow *rows = time ? TIME_UNITS : DATE_UNITS;
    size_t count = time ? COUNT_OF(TIME_UNITS) : COUNT_OF(DATE_UNITS);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].name[0] == (c & ~0x20)) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool read_iso(IntervalReader *r, IntervalSum *sum) {
    bool time = false, any = false;
    r->at++;
    while (r->at < r->text.len) {
        if ((peek(r) & ~0x20) == 'T' && !time) {
            time = true;
            r->at++;
            continue;
        }
        double sign = peek(r) == '-' ? -1 : 1, whole, fraction;
        r->at += peek(r) == '-' || peek(r) == '+';
        const UnitRow *unit = read_number(r, &whole, &fraction) ? iso_unit(peek(r), time) : NULL;
        if (unit == NULL) {
            return false;
        }
        r->at++;
        sum_add(sum, unit, sign * whole, sign * fraction);
        any = true;
    }
    return any;
}

bool interval_parse(Str text, Interval *interval_out) {
    IntervalReader r = {.text = str_trim(text)};
    IntervalSum sum = {0};
    bool minus = str_equal_ignore_case(r.text, STR("-infinity"));
    if (minus || str_equal_ignore_case(r.text, STR("infinity")) || str_equal_ignore_case(r.text, STR("+infinity"))) {
        *interval_out = interval_infinite(minus ? -1 : 1);
        return true;
    }
    if ((peek(&r) | 0x20) == 'p') {
        return read_iso(&r, &sum) && sum_finish(&sum, false, interval_out);
    }
    if (peek(&r) == '@') {
        r.at++;
    }
    bool ago = false, any = false;
    for (skip_blanks(&r); r.at < r.text.len; skip_blanks(&r)) {
        if ((peek(&r) | 0x20) == 'a') {
            if (!str_equal_ignore_case(read_word(&r), STR("ago")) || !any || r.at < r.text.len) {
                return false;
            }
            ago = true;
            break;
        }
        if (!read_piece(&r, &sum)) {
            return false;
        }
        any = true;
    }
    return any && sum_finish(&sum, ago, interval_out);
}

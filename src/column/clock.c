/* SPDX-License-Identifier: Apache-2.0
 * clock.c - times of day <-> text: "04:05:06.789", "4:05 PM", "040506", "24:00:00", with a zone "04:05:06-08".
 *
 * Why:        a time may stand behind a date, which a zone name then needs; the date counts for nothing else.
 * Invariants: micros lie in 0 .. 24:00:00 inclusive; 23:59:60 is 24:00:00. */
#include "base/number.h"
#include "column/value_text.h"

#define MICROS_PER_HOUR INT64_C(3600000000)
#define MICROS_PER_MINUTE INT64_C(60000000)

/* ---- out ---- */

static size_t put_two(char *out, uint64_t value) {
    out[0] = (char)('0' + value / 10 % 10);
    out[1] = (char)('0' + value % 10);
    return 2;
}

size_t clock_format(char *out, int64_t micros) {
    uint64_t rest = (uint64_t)micros;
    size_t len = put_two(out, rest / MICROS_PER_HOUR);
    out[len++] = ':';
    len += put_two(out + len, rest / MICROS_PER_MINUTE % 60);
    out[len++] = ':';
    len += put_two(out + len, rest / MICROS_PER_SECOND % 60);
    return len + format_fraction(out + len, (int64_t)(rest % MICROS_PER_SECOND), 6);
}

size_t clock_tz_format(char *out, TimeTz time) {
    size_t len = clock_format(out, time.micros);
    uint32_t west = (uint32_t)(time.zone_west < 0 ? -time.zone_west : time.zone_west);
    out[len++] = time.zone_west > 0 ? '-' : '+';
    len += west / 3600 < 100 ? put_two(out + len, west / 3600) : format_uint64(out + len, west / 3600);
    if (west % 3600 != 0) {
        out[len++] = ':';
        len += put_two(out + len, west / 60 % 60);
    }
    if (west % 60 != 0) {
        out[len++] = ':';
        len += put_two(out + len, west % 60);
    }
    return len;
}

/* ---- in ---- */

typedef struct ClockReader {
    Str text;
    size_t at;
} ClockReader;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char peek(const ClockReader *r) {
    return r->at < r->text.len ? r->text.data[r->at] : '\0';
}

static void skip_blanks(ClockReader *r) {
    while (peek(r) == ' ' || (peek(r) >= '\t' && peek(r) <= '\r')) {
        r->at++;
    }
}

static size_t read_digits(ClockReader *r, int64_t *value_out) {
    size_t from = r->at;
    int64_t value = 0;
    while (is_digit(peek(r)) && r->at - from < 12) {
        value = value * 10 + (r->text.data[r->at++] - '0');
    }
    *value_out = value;
    return r->at - from;
}

/* ".5" -> 500000 microseconds, halves to even on the seventh digit. */
static int64_t read_fraction(ClockReader *r) {
    int64_t nanos = 0, unit = 100000000;
    r->at++;
    for (; is_digit(peek(r)); r->at++, unit /= 10) {
        nanos += (r->text.data[r->at] - '0') * unit;
    }
    int64_t micros = nanos / 1000, rest = nanos % 1000;
    return micros + (rest > 500 || (rest == 500 && micros % 2 != 0));
}

/* hhmm, hhmmss or h:mm[:ss[.f]] */
static bool read_clock(ClockReader *r, int64_t parts[3], int64_t *fraction_out) {
    int64_t first = 0;
    size_t digits = read_digits(r, &first);
    *fraction_out = 0;
    parts[0] = first;
    parts[1] = parts[2] = 0;
    if (peek(r) != ':') {
        if (digits == 4 || digits == 6) {
            parts[0] = digits == 4 ? first / 100 : first / 10000;
            parts[1] = digits == 4 ? first % 100 : first / 100 % 100;
            parts[2] = digits == 4 ? 0 : first % 100;
        } else if (digits == 0 || digits > 2) {
            return false;
        }
        if (digits == 6 && peek(r) == '.') {
            *fraction_out = read_fraction(r);
        }
        return true;
    }
    r->at++;
    if (digits == 0 || read_digits(r, &parts[1]) == 0) {
        return false;
    }
    if (peek(r) == ':') {
        r->at++;
        if (read_digits(r, &parts[2]) == 0) {
            return false;
        }
        if (peek(r) == '.') {
            *fraction_out = read_fraction(r);
        }
    }
    return true;
}

/* AM and PM; false: an hour that fits neither. */
static bool read_meridian(ClockReader *r, int64_t *hour, bool *found_out) {
    skip_blanks(r);
    Str word = str_slice(r->text, r->at, MIN_OF(r->at + 2, r->text.len));
    bool am = str_equal_ignore_case(word, STR("am")), pm = str_equal_ignore_case(word, STR("pm"));
    *found_out = am || pm;
    if (!am && !pm) {
        return true;
    }
    r->at += 2;
    if (*hour > 12) {
        return false;
    }
    *hour = am ? (*hour == 12 ? 0 : *hour) : (*hour == 12 ? 12 : *hour + 12);
    return true;
}

/* A date in front: everything up to the first colon's hour. */
static Str skip_date(Str text, Str *date_out) {
    *date_out = (Str){0};
    ptrdiff_t blank = str_find_char(text, ' ', 0);
    ptrdiff_t mark = blank < 0 ? str_find_char(text, 'T', 0) : blank;
    if (mark < 8 || str_find_char(str_slice(text, 0, (size_t)mark), '-', 0) < 0 || str_find_char(str_slice(text, 0, (size_t)mark), ':', 0) >= 0) {
        return text;
    }
    *date_out = str_slice(text, 0, (size_t)mark);
    return str_slice(text, (size_t)mark + 1, text.len);
}

ClockParse clock_parse(Str text, ParsedClock *clock_out) {
    ParsedClock clock = {0};
    int64_t parts[3], fraction = 0;
    bool meridian = false;
    text = str_trim(text);
    if (str_equal_ignore_case(text, STR("allballs"))) {
        *clock_out = (ParsedClock){.zone = STR("UTC")};
        return CLOCK_OK;
    }
    text = skip_date(text, &clock.date);
    ClockReader r = {.text = str_trim(text)};
    r.at += peek(&r) == 'T' || peek(&r) == 't';
    if (!read_clock(&r, parts, &fraction)) {
        return CLOCK_INVALID;
    }
    if (!read_meridian(&r, &parts[0], &meridian)) {
        return CLOCK_OUT_OF_RANGE;
    }
    clock.zone = str_trim(str_slice(r.text, r.at, r.text.len));
    bool bare = str_find_char(str_slice(r.text, 0, r.at), ':', 0) < 0 && r.at <= 2 && !meridian;
    if (bare && clock.zone.len == 0) {
        return CLOCK_INVALID; /* '12' is no time, '12 PM' and '12+05' are */
    }
    bool over = parts[0] > 24 || parts[1] > 59 || parts[2] > 60 || (parts[0] == 24 && (parts[1] > 0 || parts[2] > 0 || fraction > 0));
    clock.micros = parts[0] * MICROS_PER_HOUR + parts[1] * MICROS_PER_MINUTE + parts[2] * MICROS_PER_SECOND + fraction;
    if (over || clock.micros > MICROS_PER_DAY) {
        return CLOCK_OUT_OF_RANGE;
    }
    *clock_out = clock;
    return CLOCK_OK;
}

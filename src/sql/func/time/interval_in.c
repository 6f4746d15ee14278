/* SPDX-License-Identifier: Apache-2.0
 * time/interval_in.c - intervals as PostgreSQL reads them: "1 year 2 mons 3 days 04:05:06.5 ago", "1-2 3 4:05:06", "P1Y2M3DT4H5M6.5S".
 *
 * Why:        fields are read from the right, so that a unit is known before its number; a number without one takes it of the type (interval
 *             hour to minute), of what stands right of it (days before a time), or counts seconds. Fractions go down into smaller units.
 * Invariants: each unit may come once.
 * Tests:      test/sql/print_styles.slt */
#include <math.h>

#include "sql/func/time/datetime_in.h"
#include "sql/func/time/interval_in.h"

#define MICROS_PER_HOUR INT64_C(3600000000)
#define MICROS_PER_MINUTE INT64_C(60000000)

enum { MONTH_DAYS = 30, YEAR_MONTHS = 12, UNIT_NAME_MAX = 10 };

typedef enum Unit {
    UNIT_NONE, UNIT_MICROSECOND, UNIT_MILLISECOND, UNIT_SECOND, UNIT_MINUTE, UNIT_HOUR, UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_YEAR, UNIT_DECADE, UNIT_CENTURY,
    UNIT_MILLENNIUM, UNIT_AGO, UNIT_BAD
} Unit;

enum { SECONDS_ALL = 1 << UNIT_MICROSECOND | 1 << UNIT_MILLISECOND | 1 << UNIT_SECOND, TIME_ALL = SECONDS_ALL | 1 << UNIT_MINUTE | 1 << UNIT_HOUR };

typedef struct Sum {
    int64_t micros;
    int32_t days, months, years;
} Sum;

/* ---- adding up; false: too large ---- */

static bool fits_32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

static bool add_days(Sum *sum, int64_t days, int64_t scale) {
    int32_t total;
    return fits_32(days) && !__builtin_mul_overflow(days, scale, &total) && !__builtin_add_overflow(sum->days, total, &sum->days);
}

static bool add_months(Sum *sum, int64_t months) { return fits_32(months) && !__builtin_add_overflow(sum->months, months, &sum->months); }

static bool add_years(Sum *sum, int64_t years, int64_t scale) {
    int32_t total;
    return fits_32(years) && !__builtin_mul_overflow(years, scale, &total) && !__builtin_add_overflow(sum->years, total, &sum->years);
}

/* A fraction of so many microseconds, the last one rounded. */
static bool add_micros_fraction(Sum *sum, double fraction, double scale) {
    double exact = fraction * scale;
    int64_t micros = (int64_t)exact;
    double rest = exact - (double)micros;
    micros += rest > 0.5 ? 1 : rest < -0.5 ? -1 : 0;
    return !__builtin_add_overflow(sum->micros, micros, &sum->micros);
}

static bool add_micros(Sum *sum, int64_t count, double fraction, int64_t scale) {
    int64_t micros;
    return !__builtin_mul_overflow(count, scale, &micros) && !__builtin_add_overflow(sum->micros, micros, &sum->micros) &&
           add_micros_fraction(sum, fraction, (double)scale);
}

static bool add_days_fraction(Sum *sum, double fraction, int32_t scale) {
    double exact = fraction * scale;
    int32_t days = (int32_t)exact;
    return add_days(sum, days, 1) && add_micros_fraction(sum, exact - days, (double)MICROS_PER_DAY);
}

static bool add_years_fraction(Sum *sum, double fraction, int32_t scale) { return add_months(sum, (int64_t)rint(fraction * scale * YEAR_MONTHS)); }

static bool add_unit(Sum *sum, Unit unit, int64_t count, double fraction) {
    switch (unit) {
    case UNIT_MICROSECOND: return add_micros(sum, count, fraction, 1);
    case UNIT_MILLISECOND: return add_micros(sum, count, fraction, 1000);
    case UNIT_SECOND: return add_micros(sum, count, fraction, MICROS_PER_SECOND);
    case UNIT_MINUTE: return add_micros(sum, count, fraction, MICROS_PER_MINUTE);
    case UNIT_HOUR: return add_micros(sum, count, fraction, MICROS_PER_HOUR);
    case UNIT_DAY: return add_days(sum, count, 1) && add_micros_fraction(sum, fraction, (double)MICROS_PER_DAY);
    case UNIT_WEEK: return add_days(sum, count, 7) && add_days_fraction(sum, fraction, 7);
    case UNIT_MONTH: return add_months(sum, count) && add_days_fraction(sum, fraction, MONTH_DAYS);
    case UNIT_YEAR: return add_years(sum, count, 1) && add_years_fraction(sum, fraction, 1);
    case UNIT_DECADE: return add_years(sum, count, 10) && add_years_fraction(sum, fraction, 10);
    case UNIT_CENTURY: return add_years(sum, count, 100) && add_years_fraction(sum, fraction, 100);
    default: assert(unit == UNIT_MILLENNIUM); return add_years(sum, count, 1000) && add_years_fraction(sum, fraction, 1000);
    }
}

/* ---- units ---- */

typedef struct UnitRow { const char *name; Unit unit; } UnitRow;

static const UnitRow UNITS[] = {
    {"ago", UNIT_AGO}, {"c", UNIT_CENTURY}, {"cent", UNIT_CENTURY}, {"centuries", UNIT_CENTURY}, {"century", UNIT_CENTURY}, {"d", UNIT_DAY}, {"day", UNIT_DAY},
    {"days", UNIT_DAY}, {"dec", UNIT_DECADE}, {"decade", UNIT_DECADE}, {"decades", UNIT_DECADE}, {"decs", UNIT_DECADE}, {"h", UNIT_HOUR}, {"hour", UNIT_HOUR},
    {"hours", UNIT_HOUR}, {"hr", UNIT_HOUR}, {"hrs", UNIT_HOUR}, {"m", UNIT_MINUTE}, {"microsecon", UNIT_MICROSECOND}, {"mil", UNIT_MILLENNIUM},
    {"millennia", UNIT_MILLENNIUM}, {"millennium", UNIT_MILLENNIUM}, {"millisecon", UNIT_MILLISECOND}, {"mils", UNIT_MILLENNIUM}, {"min", UNIT_MINUTE},
    {"mins", UNIT_MINUTE}, {"minute", UNIT_MINUTE}, {"minutes", UNIT_MINUTE}, {"mon", UNIT_MONTH}, {"mons", UNIT_MONTH}, {"month", UNIT_MONTH},
    {"months", UNIT_MONTH}, {"ms", UNIT_MILLISECOND}, {"msec", UNIT_MILLISECOND}, {"msecond", UNIT_MILLISECOND}, {"mseconds", UNIT_MILLISECOND},
    {"msecs", UNIT_MILLISECOND}, {"qtr", UNIT_BAD}, {"quarter", UNIT_BAD}, {"s", UNIT_SECOND}, {"sec", UNIT_SECOND}, {"second", UNIT_SECOND},
    {"seconds", UNIT_SECOND}, {"secs", UNIT_SECOND}, {"timezone", UNIT_BAD}, {"timezone_h", UNIT_BAD}, {"timezone_m", UNIT_BAD}, {"us", UNIT_MICROSECOND},
    {"usec", UNIT_MICROSECOND}, {"usecond", UNIT_MICROSECOND}, {"useconds", UNIT_MICROSECOND}, {"usecs", UNIT_MICROSECOND}, {"w", UNIT_WEEK},
    {"week", UNIT_WEEK}, {"weeks", UNIT_WEEK}, {"y", UNIT_YEAR}, {"year", UNIT_YEAR}, {"years", UNIT_YEAR}, {"yr", UNIT_YEAR}, {"yrs", UNIT_YEAR}};

/* Ten letters count: microseconds, millenniums. */
static Unit find_unit(Str word) {
    Str name = str_slice(word, 0, MIN_OF(word.len, (size_t)UNIT_NAME_MAX));
    const UnitRow *row = time__find_word(name, UNITS, COUNT_OF(UNITS), sizeof UNITS[0]);
    return row == NULL ? UNIT_NONE : row->unit;
}

/* The unit of a number that names none: the last field of the type. */
static Unit unit_of_range(int32_t range) {
    if (range == 0) {
        return UNIT_SECOND;
    }
    return (range & INTERVAL_MASK_SECOND) != 0   ? UNIT_SECOND
           : (range & INTERVAL_MASK_MINUTE) != 0 ? UNIT_MINUTE
           : (range & INTERVAL_MASK_HOUR) != 0   ? UNIT_HOUR
           : (range & INTERVAL_MASK_DAY) != 0    ? UNIT_DAY
           : (range & INTERVAL_MASK_MONTH) != 0  ? UNIT_MONTH
                                                 : UNIT_YEAR;
}

/* ---- numbers ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits from *at on; false: beyond 64 bits. */
static bool take_digits(Str text, size_t *at, bool negative, int64_t *value_out) {
    int64_t value = 0;
    bool fits = true;
    for (; *at < text.len && is_digit(text.data[*at]); (*at)++) {
        int64_t digit = text.data[*at] - '0';
        fits = fits && !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, negative ? -digit : digit, &value);
    }
    *value_out = value;
    return fits;
}

/* ".25"; a bare point is zero. */
static bool take_fraction(Str text, size_t *at, double *fraction_out) {
    size_t from = (*at)++;
    while (*at < text.len && is_digit(text.data[*at])) {
        (*at)++;
    }
    *fraction_out = 0;
    return *at == from + 1 || parse_double(str_slice(text, from, *at), fraction_out);
}

/* ---- a time: h:m, h:m:s[.f], m:s.f ---- */

static IntervalFault read_clock(Str text, int32_t range, int64_t *micros_out) {
    int64_t parts[3] = {0};
    size_t at = 0;
    int count = 0;
    for (;; at++) {
        if (!take_digits(text, &at, false, &parts[count++]) || (count > 1 && parts[count - 1] > INT32_MAX)) {
            return INTERVAL_FIELD;
        }
        if (at == text.len || text.data[at] != ':' || count == 3) {
            break;
        }
    }
    double fraction = 0;
    bool point = at < text.len && text.data[at] == '.';
    if (count < 2 || (point && !take_fraction(text, &at, &fraction)) || at < text.len) {
        return INTERVAL_FORM;
    }
    bool minutes_first = count == 2 && (point || range == (INTERVAL_MASK_MINUTE | INTERVAL_MASK_SECOND));
    if (minutes_first) {
        parts[2] = parts[1];
        parts[1] = parts[0];
        parts[0] = 0;
    }
    if (parts[1] > 59 || parts[2] > 60) {
        return INTERVAL_FIELD;
    }
    int64_t rest = parts[1] * MICROS_PER_MINUTE + parts[2] * MICROS_PER_SECOND + (int64_t)rint(fraction * 1e6);
    bool fits = !__builtin_mul_overflow(parts[0], MICROS_PER_HOUR, micros_out) && !__builtin_add_overflow(*micros_out, rest, micros_out);
    return fits ? INTERVAL_OK : INTERVAL_FIELD;
}

/* ---- fields ---- */

typedef struct FieldReader {
    Sum sum;
    int32_t range;
    unsigned have;
    Unit unit;           /* of the number to come, on the left */
    bool unit_waits;     /* it was named and no number took it */
    bool force_negative; /* sql_standard: the sign in front counts for all fields */
    bool ago;
    int8_t infinite;
} FieldReader;

static IntervalFault claim(FieldReader *r, unsigned units) {
    if ((r->have & units) != 0) {
        return INTERVAL_FORM;
    }
    r->have |= units;
    return INTERVAL_OK;
}

static IntervalFault take_clock(FieldReader *r, Str text, bool negative) {
    int64_t micros;
    IntervalFault fault = read_clock(text, r->range, &micros);
    if (fault != INTERVAL_OK) {
        return fault;
    }
    r->sum.micros = negative || r->force_negative ? -micros : micros;
    r->unit = UNIT_DAY;
    r->unit_waits = false;
    return claim(r, TIME_ALL);
}

/* "5", "-5.5", "1-2" (years and months) */
static IntervalFault take_number(FieldReader *r, Str text) {
    bool negative = text.len > 0 && text.data[0] == '-';
    size_t at = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    int64_t count, months;
    double fraction = 0;
    if (r->unit == UNIT_NONE) {
        r->unit = unit_of_range(r->range);
    }
    if (!take_digits(text, &at, negative, &count)) {
        return INTERVAL_FIELD;
    }
    if (at < text.len && text.data[at] == '-') {
        at++;
        bool fits = take_digits(text, &at, false, &months);
        if (!fits || months >= YEAR_MONTHS || at > text.len) {
            return INTERVAL_FIELD;
        }
        if (at < text.len) {
            return INTERVAL_FORM;
        }
        r->unit = UNIT_MONTH;
        if (__builtin_mul_overflow(count, YEAR_MONTHS, &count) || __builtin_add_overflow(count, negative ? -months : months, &count)) {
            return INTERVAL_FIELD;
        }
    } else if (at < text.len && text.data[at] == '.') {
        if (!take_fraction(text, &at, &fraction)) {
            return INTERVAL_FORM;
        }
        fraction = negative ? -fraction : fraction;
    }
    if (at < text.len || r->unit >= UNIT_AGO) {
        return INTERVAL_FORM;
    }
    count = r->force_negative && count > 0 ? -count : count;
    fraction = r->force_negative && fraction > 0 ? -fraction : fraction;
    r->unit_waits = false;
    if (!add_unit(&r->sum, r->unit, count, fraction)) {
        return INTERVAL_FIELD;
    }
    Unit unit = r->unit;
    r->unit = unit == UNIT_HOUR ? UNIT_DAY : unit; /* "3 4 hours" */
    return claim(r, unit == UNIT_SECOND && fraction != 0 ? SECONDS_ALL : 1U << unit);
}

static IntervalFault take_word(FieldReader *r, Str text, bool last) {
    if (r->unit_waits) {
        return INTERVAL_FORM;
    }
    Unit unit = find_unit(text);
    if (unit == UNIT_AGO) {
        r->ago = true;
        r->unit = UNIT_BAD; /* a number left of it needs a unit */
        return last ? INTERVAL_OK : INTERVAL_FORM;
    }
    if (unit != UNIT_NONE) {
        r->unit = unit;
        r->unit_waits = true;
        return INTERVAL_OK;
    }
    DateTimeWord word = time__word(text);
    if (word.kind == WORD_IGNORED) {
        return INTERVAL_OK;
    }
    if (word.kind == WORD_UNIT || word.kind == WORD_JULIAN) { /* of a date */
        r->unit = UNIT_BAD;
        r->unit_waits = true;
        return INTERVAL_OK;
    }
    r->infinite = (int8_t)word.value;
    return word.kind == WORD_INFINITY && last ? claim(r, ~0U) : INTERVAL_FORM;
}

static IntervalFault take_field(FieldReader *r, const DateTimeToken *token, bool last) {
    switch (token->kind) {
    case TOKEN_TIME: return take_clock(r, token->text, false);
    case TOKEN_OFFSET: {
        int64_t micros;
        Str clock = str_slice(token->text, 1, token->text.len);
        bool is_clock = str_find_char(clock, ':', 0) >= 0 && read_clock(clock, r->range, &micros) == INTERVAL_OK;
        return is_clock ? take_clock(r, clock, token->text.data[0] == '-') : take_number(r, token->text);
    }
    case TOKEN_DATE:
    case TOKEN_NUMBER: return take_number(r, token->text);
    default: return take_word(r, token->text, last);
    }
}

static bool is_signed(const DateTimeToken *token) { return token->text.data[0] == '-' || token->text.data[0] == '+'; }

/* Only the first field has a sign, a minus. */
static bool sign_counts_for_all(const DateTimeTokens *tokens) {
    for (size_t i = 1; i < tokens->count; i++) {
        if (is_signed(&tokens->tokens[i])) {
            return false;
        }
    }
    return tokens->count > 0 && tokens->tokens[0].text.data[0] == '-';
}

static IntervalFault read_fields(Str text, int32_t range, IntervalStyle style, FieldReader *r) {
    DateTimeTokens tokens;
    *r = (FieldReader){.range = range};
    if (!time__tokenize(text, &tokens)) {
        return INTERVAL_FORM;
    }
    r->force_negative = style == INTERVAL_SQL && sign_counts_for_all(&tokens);
    for (size_t i = tokens.count; i-- > 0;) {
        IntervalFault fault = take_field(r, &tokens.tokens[i], i + 1 == tokens.count);
        if (fault != INTERVAL_OK) {
            return fault;
        }
    }
    if (r->have == 0 || r->unit_waits) {
        return INTERVAL_FORM;
    }
    if (r->ago) {
        Sum *s = &r->sum;
        bool fits = !__builtin_sub_overflow(0, s->micros, &s->micros) && !__builtin_sub_overflow(0, s->days, &s->days) &&
                    !__builtin_sub_overflow(0, s->months, &s->months) && !__builtin_sub_overflow(0, s->years, &s->years);
        return fits ? INTERVAL_OK : INTERVAL_FIELD;
    }
    return INTERVAL_OK;
}

/* ---- ISO 8601 ---- */

typedef struct IsoReader {
    Str text;
    size_t at;
    bool time;  /* behind the T */
    bool any;   /* a field with a unit was read on this side of the T */
    Sum sum;
    bool done;
} IsoReader;

static char iso_peek(const IsoReader *r) { return r->at < r->text.len ? r->text.data[r->at] : '\0'; }

typedef struct IsoNumber { int64_t count; double fraction; size_t digits; } IsoNumber;

/* Read as one double, as PostgreSQL does: 5.1 is 5 and not quite a tenth. */
static IntervalFault iso_number(IsoReader *r, IsoNumber *number_out) {
    static const double COUNT_MAX = 1e15;
    bool negative = iso_peek(r) == '-';
    size_t from = r->at += negative, point = 0;
    double value = 0;
    while (is_digit(iso_peek(r)) || (iso_peek(r) == '.' && point == 0)) {
        point = iso_peek(r) == '.' ? r->at + 1 : point;
        r->at++;
    }
    size_t digits_end = point == 0 ? r->at : point - 1;
    if (!parse_double(str_slice(r->text, from, point == r->at ? digits_end : r->at), &value)) {
        return INTERVAL_FORM;
    }
    if (!(value <= COUNT_MAX)) {
        return INTERVAL_FIELD;
    }
    int64_t count = (int64_t)value;
    double fraction = value - (double)count;
    *number_out = (IsoNumber){negative ? -count : count, negative ? -fraction : fraction, digits_end - from};
    return INTERVAL_OK;
}

static Unit iso_unit(char c, bool time) {
    switch (c) {
    case 'Y': return time ? UNIT_NONE : UNIT_YEAR;
    case 'M': return time ? UNIT_MINUTE : UNIT_MONTH;
    case 'W': return time ? UNIT_NONE : UNIT_WEEK;
    case 'D': return time ? UNIT_NONE : UNIT_DAY;
    case 'H': return time ? UNIT_HOUR : UNIT_NONE;
    case 'S': return time ? UNIT_SECOND : UNIT_NONE;
    default: return UNIT_NONE;
    }
}

/* The end of a date without units: nothing, or the T. */
static IntervalFault iso_date_end(IsoReader *r) {
    r->done = r->at >= r->text.len;
    if (r->done) {
        return INTERVAL_OK;
    }
    r->time = true;
    r->any = false;
    return r->text.data[r->at++] == 'T' ? INTERVAL_OK : INTERVAL_FORM;
}

/* Up to three numbers without units, parted by the mark; the first was read. */
static IntervalFault iso_plain_numbers(IsoReader *r, const IsoNumber *first, const Unit units[3], char mark) {
    IsoNumber number = *first;
    for (size_t i = 0;; i++) {
        if (!add_unit(&r->sum, units[i], number.count, number.fraction)) {
            return INTERVAL_FIELD;
        }
        if (i == 2 || iso_peek(r) != mark) {
            return INTERVAL_OK;
        }
        r->at++;
        IntervalFault fault = iso_number(r, &number);
        if (fault != INTERVAL_OK) {
            return fault;
        }
    }
}

/* P00010203, P0001-02-03 */
static IntervalFault iso_plain_date(IsoReader *r, const IsoNumber *first) {
    Sum *sum = &r->sum;
    char next = iso_peek(r);
    bool joined = next != '-' && first->digits == 8 && !r->any;
    if (joined) {
        int64_t n = first->count;
        bool fits = add_unit(sum, UNIT_YEAR, n / 10000, 0) && add_unit(sum, UNIT_MONTH, n / 100 % 100, 0) && add_unit(sum, UNIT_DAY, n % 100, first->fraction);
        return fits ? iso_date_end(r) : INTERVAL_FIELD;
    }
    if (r->any) {
        return INTERVAL_FORM;
    }
    static const Unit UNITS_OF_DATE[] = {UNIT_YEAR, UNIT_MONTH, UNIT_DAY};
    IntervalFault fault = iso_plain_numbers(r, first, UNITS_OF_DATE, '-');
    return fault == INTERVAL_OK ? iso_date_end(r) : fault;
}

/* T010203, T01:02:03 */
static IntervalFault iso_plain_time(IsoReader *r, const IsoNumber *first) {
    Sum *sum = &r->sum;
    r->done = true;
    if (iso_peek(r) == '\0' && first->digits == 6 && !r->any) {
        int64_t n = first->count;
        bool fits = add_unit(sum, UNIT_HOUR, n / 10000, 0) && add_unit(sum, UNIT_MINUTE, n / 100 % 100, 0) && add_unit(sum, UNIT_SECOND, n % 100, 0) &&
                    add_micros_fraction(sum, first->fraction, 1);
        return fits ? INTERVAL_OK : INTERVAL_FIELD;
    }
    if (r->any) {
        return INTERVAL_FORM;
    }
    static const Unit UNITS_OF_TIME[] = {UNIT_HOUR, UNIT_MINUTE, UNIT_SECOND};
    IntervalFault fault = iso_plain_numbers(r, first, UNITS_OF_TIME, ':');
    return fault == INTERVAL_OK && r->at < r->text.len ? INTERVAL_FORM : fault;
}

static IntervalFault iso_field(IsoReader *r) {
    IsoNumber number;
    IntervalFault fault = iso_number(r, &number);
    if (fault != INTERVAL_OK) {
        return fault;
    }
    char c = iso_peek(r);
    Unit unit = iso_unit(c, r->time);
    if (unit != UNIT_NONE) {
        r->at++;
        r->any = true;
        return add_unit(&r->sum, unit, number.count, number.fraction) ? INTERVAL_OK : INTERVAL_FIELD;
    }
    bool plain = c == '\0' || (r->time ? c == ':' : c == '-' || c == 'T');
    return !plain ? INTERVAL_FORM : r->time ? iso_plain_time(r, &number) : iso_plain_date(r, &number);
}

static IntervalFault read_iso(Str text, Sum *sum_out) {
    IsoReader r = {.text = text, .at = 1};
    if (text.len < 2 || text.data[0] != 'P') {
        return INTERVAL_FORM;
    }
    while (r.at < text.len && !r.done) {
        if (iso_peek(&r) == 'T') {
            r.time = true;
            r.any = false;
            r.at++;
            continue;
        }
        IntervalFault fault = iso_field(&r);
        if (fault != INTERVAL_OK) {
            return fault;
        }
    }
    *sum_out = r.sum;
    return INTERVAL_OK;
}

IntervalFault time__interval_in(Str text, int32_t range, IntervalStyle style, Interval *interval_out) {
    FieldReader r;
    IntervalFault fault = read_fields(text, range, style, &r);
    if (fault == INTERVAL_FORM) {
        r.infinite = 0;
        fault = read_iso(text, &r.sum);
    }
    if (fault != INTERVAL_OK) {
        return fault;
    }
    if (r.infinite != 0) {
        *interval_out = interval_infinite(r.infinite);
        return INTERVAL_OK;
    }
    int64_t months = (int64_t)r.sum.years * YEAR_MONTHS + r.sum.months;
    if (months > INT32_MAX || months < INT32_MIN) {
        return INTERVAL_TOO_LARGE;
    }
    *interval_out = (Interval){(int32_t)months, r.sum.days, r.sum.micros};
    return interval_is_infinite(*interval_out) != 0 ? INTERVAL_TOO_LARGE : INTERVAL_OK;
}

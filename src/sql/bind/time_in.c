/* SPDX-License-Identifier: Apache-2.0
 * time_in.c - the intervals of `ts IN '...'`: partial timestamps, durations, repetitions -> sorted disjoint ranges of the column's unit.
 *
 * Layout:     date [;duration [;step ;count]]. '2024-09' is a month, '2024-09-01T10' an hour; with a duration the interval starts at the
 *             literal and lasts that long; step and count repeat it.
 * Why:        ranges are known while binding, so that partitions are pruned before anything runs.
 * Tests:      test/unit/sql/bind/test_time_in.c */
#include "sql/bind/bind_internal.h"
#include <stdlib.h>

enum { TIME_RANGES_MAX = 10000 };
#define NANOS_PER_MICRO 1000

typedef struct TimeSpan { int64_t months; Int128 nanos; } TimeSpan;

typedef struct TimeText {
    Binder *b;
    Str text;
    size_t at;
    int64_t position;
} TimeText;

static ErrorCode bad_interval(const TimeText *t) {
    return error_set(t->b->err, ERR_INVALID_DATETIME, t->position, "invalid time interval '%.*s'", (int)MIN_OF(t->text.len, 60), t->text.data);
}

static bool at_char(const TimeText *t, char c) {
    return t->at < t->text.len && t->text.data[t->at] == c;
}

static bool take_char(TimeText *t, char c) {
    bool found = at_char(t, c);
    t->at += found;
    return found;
}

static bool take_digits(TimeText *t, size_t least, size_t most, int64_t *number_out) {
    size_t count = 0;
    int64_t number = 0;
    while (count < most && t->at < t->text.len && t->text.data[t->at] >= '0' && t->text.data[t->at] <= '9') {
        number = number * 10 + (t->text.data[t->at++] - '0');
        count++;
    }
    *number_out = number;
    return count >= least;
}

/* ---------------------------------------------------------------- the date */

static Int128 nanos_of(const CivilTime *civil, bool *ok) {
    int64_t micros = 0;
    CivilTime whole = *civil;
    whole.nanos = 0;
    *ok = micros_from_civil(&whole, &micros);
    return (Int128)micros * NANOS_PER_MICRO + civil->nanos;
}

static Int128 add_span(Int128 nanos, TimeSpan span) {
    if (span.months != 0) {
        Int128 whole = nanos / NANOS_PER_MICRO - (nanos % NANOS_PER_MICRO < 0);
        Int128 rest = nanos - whole * NANOS_PER_MICRO;
        nanos = (Int128)micros_add_months((int64_t)whole, span.months) * NANOS_PER_MICRO + rest;
    }
    return nanos + span.nanos;
}

static bool read_fraction(TimeText *t, CivilTime *civil, TimeSpan *precision) {
    int64_t digits = 0;
    size_t from = t->at;
    if (!take_digits(t, 1, 9, &digits)) {
        return false;
    }
    int64_t unit = 1;
    for (size_t i = t->at - from; i < 9; i++) {
        unit *= 10;
    }
    civil->nanos = (int32_t)(digits * unit);
    *precision = (TimeSpan){0, unit};
    return true;
}

static bool read_clock(TimeText *t, CivilTime *civil, TimeSpan *precision) {
    int64_t number = 0;
    const Int128 second = (Int128)1000000000;
    if (!take_digits(t, 2, 2, &number) || number > 23) {
        return false;
    }
    civil->hour = (int32_t)number;
    *precision = (TimeSpan){0, second * 3600};
    if (!take_char(t, ':')) {
        return true;
    }
    if (!take_digits(t, 2, 2, &number) || number > 59) {
        return false;
    }
    civil->minute = (int32_t)number;
    *precision = (TimeSpan){0, second * 60};
    if (!take_char(t, ':')) {
        return true;
    }
    if (!take_digits(t, 2, 2, &number) || number > 59) {
        return false;
    }
    civil->second = (int32_t)number;
    *precision = (TimeSpan){0, second};
    return !take_char(t, '.') || read_fraction(t, civil, precision);
}

/* 2024, 2024-01, 2024-01-15, 2024-01-15T09:30:00.5, Z behind a clock */
static bool read_date(TimeText *t, CivilTime *civil, TimeSpan *precision) {
    int64_t number = 0;
    *civil = (CivilTime){.month = 1, .day = 1};
    if (!take_digits(t, 4, 4, &number)) {
        return false;
    }
    civil->year = (int32_t)number;
    *precision = (TimeSpan){12, 0};
    if (!take_char(t, '-')) {
        return true;
    }
    if (!take_digits(t, 2, 2, &number) || number < 1 || number > 12) {
        return false;
    }
    civil->month = (int32_t)number;
    *precision = (TimeSpan){1, 0};
    if (!take_char(t, '-')) {
        return true;
    }
    if (!take_digits(t, 2, 2, &number) || number < 1 || number > days_in_month(civil->year, civil->month)) {
        return false;
    }
    civil->day = (int32_t)number;
    *precision = (TimeSpan){0, (Int128)MICROS_PER_DAY * NANOS_PER_MICRO};
    if (!take_char(t, 'T') && !(at_char(t, ' ') && t->at + 1 < t->text.len && t->text.data[t->at + 1] != ';' && take_char(t, ' '))) {
        return true;
    }
    if (!read_clock(t, civil, precision)) {
        return false;
    }
    (void)take_char(t, 'Z');
    return true;
}

/* ---------------------------------------------------------------- durations */

static bool unit_span(char unit, int64_t number, TimeSpan *span) {
    const Int128 second = (Int128)1000000000;
    switch (unit) {
    case 'n': span->nanos += number; return true;
    case 'u':
    case 'U': span->nanos += (Int128)number * 1000; return true;
    case 'T': span->nanos += (Int128)number * 1000000; return true;
    case 's': span->nanos += (Int128)number * second; return true;
    case 'm': span->nanos += (Int128)number * second * 60; return true;
    case 'h':
    case 'H': span->nanos += (Int128)number * second * 3600; return true;
    case 'd': span->nanos += (Int128)number * second * 86400; return true;
    case 'w': span->nanos += (Int128)number * second * 86400 * 7; return true;
    case 'M': span->months += number; return true;
    case 'y': span->months += number * 12; return true;
    default: return false;
    }
}

/* 1d, 6h30m, -1d */
static bool read_span(TimeText *t, TimeSpan *span) {
    *span = (TimeSpan){0};
    bool negative = take_char(t, '-');
    bool any = false;
    while (t->at < t->text.len && t->text.data[t->at] != ';') {
        int64_t number = 0;
        if (!take_digits(t, 1, 9, &number) || t->at >= t->text.len || !unit_span(t->text.data[t->at++], negative ? -number : number, span)) {
            return false;
        }
        any = true;
    }
    return any;
}

/* ---------------------------------------------------------------- ranges */

static int64_t clamp_units(Int128 units) {
    return units > INT64_MAX ? INT64_MAX : units < INT64_MIN ? INT64_MIN : (int64_t)units;
}

static Int128 ceil_div(Int128 a, Int128 b) {
    return a / b + (a % b > 0);
}

static KeyRange range_of(Int128 low, Int128 high_exclusive, int64_t nanos_per_unit) {
    return (KeyRange){clamp_units(ceil_div(low, nanos_per_unit)), clamp_units(ceil_div(high_exclusive, nanos_per_unit) - 1)};
}

static int compare_ranges(const void *a, const void *b) {
    const KeyRange *x = a;
    const KeyRange *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

static uint32_t merge_ranges(KeyRange *ranges, uint32_t count) {
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].high < ranges[i].low) {
            continue;
        }
        if (kept > 0 && (ranges[kept - 1].high == INT64_MAX || ranges[i].low <= ranges[kept - 1].high + 1)) {
            ranges[kept - 1].high = MAX_OF(ranges[kept - 1].high, ranges[i].high);
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    return kept;
}

typedef struct Repetition { TimeSpan step; int64_t count; } Repetition;

static ErrorCode read_repetition(TimeText *t, Repetition *repetition) {
    *repetition = (Repetition){{0}, 1};
    if (t->at == t->text.len) {
        return ERR_OK;
    }
    t->at++;
    if (!read_span(t, &repetition->step) || !take_char(t, ';') || !take_digits(t, 1, 9, &repetition->count) || t->at != t->text.len) {
        return bad_interval(t);
    }
    if (repetition->count < 1 || repetition->count > TIME_RANGES_MAX) {
        return error_set(t->b->err, ERR_PROGRAM_LIMIT, t->position, "an interval is repeated 1 to %d times", TIME_RANGES_MAX);
    }
    return ERR_OK;
}

static ErrorCode check_features(const TimeText *t) {
    for (size_t i = 0; i < t->text.len; i++) {
        if (strchr("[]$@#,", t->text.data[i]) != NULL) {
            return not_supported(t->b, t->position, "a time interval with lists, variables, zones or filters ([ $ @ #)");
        }
    }
    return ERR_OK;
}

ErrorCode time_ranges(Binder *b, Str text, Type type, int64_t position, const KeyRange **ranges_out, uint32_t *count_out) {
    TimeText t = {.b = b, .text = str_trim(text), .position = position};
    CivilTime civil;
    TimeSpan precision;
    Repetition repetition;
    bool ok = true;
    TRY(check_features(&t));
    if (!read_date(&t, &civil, &precision) || (t.at < t.text.len && !at_char(&t, ';'))) {
        return bad_interval(&t);
    }
    Int128 low = nanos_of(&civil, &ok);
    if (take_char(&t, ';') && !read_span(&t, &precision)) {
        return bad_interval(&t);
    }
    TRY(read_repetition(&t, &repetition));
    if (!ok) {
        return bad_interval(&t);
    }
    int64_t nanos_per_unit = 1000000000 / type_timestamp_units((TypeId)type.id);
    KeyRange *ranges = arena_array(b->arena, KeyRange, repetition.count);
    Int128 at = low;
    for (int64_t i = 0; i < repetition.count; i++) {
        at = add_span(low, (TimeSpan){repetition.step.months * i, repetition.step.nanos * i});
        ranges[i] = range_of(at, add_span(at, precision), nanos_per_unit);
    }
    *count_out = merge_ranges(ranges, (uint32_t)repetition.count);
    *ranges_out = ranges;
    return ERR_OK;
}

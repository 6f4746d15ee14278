/* SPDX-License-Identifier: Apache-2.0
 * load_time.c - times of a column: the fixed ISO form fast, then patterns, then all forms that base reads, then epoch numbers.
 *
 * Why:   a floor sheet has a time in every row; the general parser costs several times the fixed form, whose date seldom changes.
 * Tests: test/unit/load/test_values.c */
#include "base/number.h"
#include "load/load_internal.h"

enum { ZONE_SLOT_SECONDS = 900, DATE_TEXT_BYTES = 10 };

static inline bool two_digits(const char *p, int32_t *value_out) {
    uint32_t high = (uint32_t)(uint8_t)p[0] - '0', low = (uint32_t)(uint8_t)p[1] - '0';
    *value_out = (int32_t)(high * 10 + low);
    return high <= 9 && low <= 9;
}

/* yyyy-MM-dd at the start of text; keeps the last one. */
static bool date_days(LoadColumn *column, const char *text, int64_t *days_out) {
    uint64_t key[2] = {0, 0};
    memcpy(key, text, DATE_TEXT_BYTES);
    if (key[0] == column->date_key[0] && key[1] == column->date_key[1]) {
        *days_out = column->date_days;
        return true;
    }
    int32_t century = 0, rest = 0, month = 0, day = 0;
    bool fine = two_digits(text, &century) && two_digits(text + 2, &rest) && two_digits(text + 5, &month) && two_digits(text + 8, &day) &&
                text[4] == '-' && text[7] == '-';
    int32_t year = century * 100 + rest;
    if (!fine || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        return false;
    }
    column->date_key[0] = key[0];
    column->date_key[1] = key[1];
    column->date_days = days_from_civil(year, month, day);
    *days_out = column->date_days;
    return true;
}

/* Up to nine digits behind the point; further ones only if zero. */
static bool fraction_nanos(const char *p, size_t len, int64_t *nanos_out, size_t *used_out) {
    int64_t nanos = 0;
    size_t used = 0;
    while (used < len && used < 9 && p[used] >= '0' && p[used] <= '9') {
        nanos = nanos * 10 + (p[used] - '0');
        used++;
    }
    if (used == 0 || (used < len && p[used] >= '0' && p[used] <= '9')) {
        return false;
    }
    for (size_t i = used; i < 9; i++) {
        nanos *= 10;
    }
    *nanos_out = nanos;
    *used_out = used;
    return true;
}

typedef struct WallTime {
    int64_t seconds; /* since 1970, in the zone that the text or the column names */
    int64_t nanos;
    int64_t offset;  /* seconds east, if has_offset */
    bool has_offset;
} WallTime;

static bool read_offset(const char *p, size_t len, WallTime *time) {
    int32_t hours = 0, minutes = 0;
    if (len == 0) {
        return true;
    }
    time->has_offset = true;
    if (len == 1 && (p[0] == 'Z' || p[0] == 'z')) {
        return true;
    }
    bool colon = len == 6 && p[3] == ':';
    if ((p[0] != '+' && p[0] != '-') || !(len == 3 || len == 5 || colon) || !two_digits(p + 1, &hours) ||
        (len > 3 && !two_digits(p + (colon ? 4 : 3), &minutes)) || hours > 15 || minutes > 59) {
        return false;
    }
    time->offset = (hours * 3600 + minutes * 60) * (p[0] == '-' ? -1 : 1);
    return true;
}

/* yyyy-MM-dd, then T or a blank and HH:mm:ss[.fraction][Z|±hh[:]mm]. */
static bool read_fixed(LoadColumn *column, Str text, WallTime *time) {
    int64_t days = 0;
    int32_t hour = 0, minute = 0, second = 0;
    if (text.len < DATE_TEXT_BYTES || !date_days(column, text.data, &days)) {
        return false;
    }
    time->seconds = days * 86400;
    if (text.len == DATE_TEXT_BYTES) {
        return true;
    }
    const char *p = text.data + DATE_TEXT_BYTES;
    size_t left = text.len - DATE_TEXT_BYTES;
    if (left < 9 || (p[0] != 'T' && p[0] != ' ') || p[3] != ':' || p[6] != ':' || !two_digits(p + 1, &hour) || !two_digits(p + 4, &minute) ||
        !two_digits(p + 7, &second) || hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    time->seconds += hour * 3600 + minute * 60 + second;
    p += 9;
    left -= 9;
    if (left > 0 && p[0] == '.') {
        size_t used = 0;
        if (!fraction_nanos(p + 1, left - 1, &time->nanos, &used)) {
            return false;
        }
        p += used + 1;
        left -= used + 1;
    }
    return read_offset(p, left, time);
}

static bool from_parsed(const ParsedTime *parsed, WallTime *time) {
    const CivilTime *c = &parsed->civil;
    time->seconds = days_from_civil(c->year, c->month, c->day) * 86400 + c->hour * 3600 + c->minute * 60 + c->second;
    time->nanos = c->nanos;
    time->offset = parsed->offset_seconds;
    time->has_offset = parsed->has_offset;
    return parsed->infinite == 0;
}

/* Seconds, milli-, micro- or nanoseconds since 1970 by the number of digits (10, 13, 16, 19: 2001 to 2286). */
static bool read_epoch(Str text, WallTime *time) {
    int64_t value = 0;
    bool overflow = false;
    if (text.len < 10 || (text.len - 10) % 3 != 0 || text.data[0] == '+' || !parse_int64(text, &value, &overflow) || value < 0) {
        return false;
    }
    int64_t per_second = text.len == 10 ? 1 : text.len == 13 ? 1000 : text.len == 16 ? 1000000 : 1000000000;
    time->seconds = value / per_second;
    time->nanos = value % per_second * (1000000000 / per_second);
    time->has_offset = true;
    return text.len <= 19;
}

static bool read_any(LoadColumn *column, Str text, WallTime *time) {
    ParsedTime parsed;
    if (column->has_pattern) {
        return time_pattern_parse(&column->pattern, text, &parsed) && from_parsed(&parsed, time);
    }
    return read_epoch(text, time) || (timestamp_parse(text, &parsed) && from_parsed(&parsed, time));
}

/* The zone's offset for a local time; asked once per quarter of an hour that has no change of the clocks in it. */
static int64_t zone_offset(LoadColumn *column, int64_t local_seconds) {
    int64_t slot = floor_div(local_seconds, ZONE_SLOT_SECONDS);
    if (slot == column->zone_slot) {
        return column->zone_offset;
    }
    int64_t first = slot * ZONE_SLOT_SECONDS, last = first + ZONE_SLOT_SECONDS - 1;
    int64_t offset = local_seconds - zone_to_utc(column->zone, local_seconds);
    if (first - zone_to_utc(column->zone, first) == offset && last - zone_to_utc(column->zone, last) == offset) {
        column->zone_slot = slot;
        column->zone_offset = offset;
    }
    return offset;
}

bool load__parse_time(LoadColumn *column, Str text, int64_t *value_out) {
    WallTime time = {0};
    bool fixed = !column->has_pattern && read_fixed(column, text, &time);
    if (!fixed) {
        time = (WallTime){0};
        if (!read_any(column, text, &time)) {
            return false;
        }
    }
    if (time.has_offset) {
        time.seconds -= time.offset;
    } else if (column->zone != NULL) {
        time.seconds -= zone_offset(column, time.seconds);
    }
    int64_t per_unit = 1000000000 / column->units, value = 0;
    int64_t fraction = (time.nanos + per_unit / 2) / per_unit;
    return !__builtin_mul_overflow(time.seconds, column->units, &value) && !__builtin_add_overflow(value, fraction, value_out) &&
           *value_out != INT64_MIN && *value_out != INT64_MAX;
}

/* SPDX-License-Identifier: Apache-2.0
 * calendar_zone.c - time zones: transitions from TZif bytes (RFC 8536), answers by binary search.
 *
 * Layout:     magic "TZif", version, six counts, then transition times, type indexes, types; version 2 and up repeat all with
 *             64-bit times and end with a POSIX rule between newlines, which holds after the last transition.
 * Why:        the rule is unrolled into 401 years of plain transitions when a zone is loaded; the Gregorian calendar repeats after
 *             400 years, so later times are moved back by whole periods and need no second way of answering.
 * Invariants: transitions ascend; zone->first_offset holds before the first.
 * Tests:      test/unit/base/test_calendar.c */
#include "base/calendar.h"
#include "base/calendar_internal.h"

enum { HEADER_BYTES = 44, TRANSITIONS_MAX = 100000, TYPES_MAX = 256, RULE_YEARS = 401, RULE_YEAR_FIRST = 1770 /* of a zone that is nothing but a rule, as in PostgreSQL */ };

static const int64_t PERIOD_SECONDS = INT64_C(146097) * 86400;

typedef struct Transition {
    int64_t utc_seconds;
    int32_t offset_seconds; /* from here on */
    uint32_t name;          /* where its abbreviation begins in zone->names */
} Transition;

struct Zone {
    int32_t first_offset;
    uint32_t first_name;
    bool has_rule;
    const char *names;      /* each ends with a zero byte; NULL: none */
    size_t count;
    Transition *transitions;
};

typedef struct Header {
    uint8_t version;
    uint32_t utc_flags, standard_flags, leaps, times, types, name_bytes;
} Header;

static uint32_t get_u32be(const uint8_t *p) {
    return __builtin_bswap32(get_u32le(p));
}

static ErrorCode damaged(Error *err, Str name, size_t at, const char *what) {
    return error_set(err, ERR_DAMAGED, (int64_t)at, "time zone %.*s: %s at byte %zu", STR_ARG(name), what, at);
}

static ErrorCode header_read(Bytes b, size_t at, Str name, Header *h, Error *err) {
    if (b.len < HEADER_BYTES || at > b.len - HEADER_BYTES || memcmp(b.data + at, "TZif", 4) != 0) {
        return damaged(err, name, at, "no TZif header");
    }
    const uint8_t *p = b.data + at;
    *h = (Header){p[4],          get_u32be(p + 20), get_u32be(p + 24), get_u32be(p + 28), get_u32be(p + 32),
                  get_u32be(p + 36), get_u32be(p + 40)};
    bool sane = h->types >= 1 && h->types <= TYPES_MAX && h->times <= TRANSITIONS_MAX && h->leaps <= TRANSITIONS_MAX &&
                h->name_bytes <= 65536 && h->utc_flags <= TYPES_MAX && h->standard_flags <= TYPES_MAX;
    return sane ? ERR_OK : damaged(err, name, at, "counts out of range");
}

static size_t body_bytes(const Header *h, size_t time_bytes) {
    return h->times * (time_bytes + 1) + (size_t)h->types * 6 + h->name_bytes + h->leaps * (time_bytes + 4) +
           h->standard_flags + h->utc_flags;
}

static int32_t type_offset(const uint8_t *types, uint32_t index) {
    return (int32_t)get_u32be(types + (size_t)index * 6);
}

static uint32_t type_name(const uint8_t *types, uint32_t index, const Header *h) {
    uint32_t at = types[(size_t)index * 6 + 5];
    return MIN_OF(at, h->name_bytes); /* a zero byte stands behind the names */
}

static bool offsets_are_sane(const uint8_t *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        int32_t offset = type_offset(types, i);
        if (offset < -90000 || offset > 93600) { /* RFC 8536, 3.2 */
            return false;
        }
    }
    return true;
}

static ErrorCode body_read(const uint8_t *p, const Header *h, size_t time_bytes, Str name, size_t at, Zone *zone, Error *err) {
    const uint8_t *indexes = p + h->times * time_bytes;
    const uint8_t *types = indexes + h->times;
    if (!offsets_are_sane(types, h->types)) {
        return damaged(err, name, at, "offset out of range");
    }
    zone->first_offset = type_offset(types, 0);
    zone->first_name = type_name(types, 0, h);
    for (uint32_t i = 0; i < h->times; i++) {
        if (indexes[i] >= h->types) {
            return damaged(err, name, at, "type index out of range");
        }
        uint32_t high = get_u32be(p + i * time_bytes);
        int64_t seconds = time_bytes == 4 ? (int32_t)high : (int64_t)((uint64_t)high << 32 | get_u32be(p + i * 8 + 4));
        if (i > 0 && seconds <= zone->transitions[i - 1].utc_seconds) {
            return damaged(err, name, at, "transitions do not ascend");
        }
        zone->transitions[i] = (Transition){seconds, type_offset(types, indexes[i]), type_name(types, indexes[i], h)};
    }
    zone->count = h->times;
    return ERR_OK;
}

static void add_transition(Zone *zone, int64_t utc_seconds, int32_t offset_seconds, uint32_t name) {
    if (zone->count == 0 || utc_seconds > zone->transitions[zone->count - 1].utc_seconds) {
        zone->transitions[zone->count++] = (Transition){utc_seconds, offset_seconds, name};
    }
}

/* Names of the file, then the two of the rule. */
static void names_keep(Zone *zone, const char *file_names, size_t bytes, const ZoneRule *rule, Arena *arena, uint32_t names_out[2]) {
    char *names = arena_alloc_aligned(arena, bytes + rule->standard_name.len + rule->daylight_name.len + 3, 1);
    memcpy(names, file_names, bytes);
    names[bytes++] = '\0';
    const Str *rule_names[2] = {&rule->standard_name, &rule->daylight_name};
    for (int i = 0; i < 2; i++) {
        names_out[i] = (uint32_t)bytes;
        memcpy(names + bytes, rule_names[i]->len == 0 ? "" : rule_names[i]->data, rule_names[i]->len);
        bytes += rule_names[i]->len;
        names[bytes++] = '\0';
    }
    zone->names = names;
}

/* What the rule says for the years from `year` on. */
static void unroll_rule(Zone *zone, const ZoneRule *rule, int32_t year, const uint32_t names[2]) {
    zone->has_rule = true;
    for (int i = 0; i < RULE_YEARS; i++, year++) {
        int64_t begin = zone__rule_seconds(&rule->begin, year) - rule->standard_offset;
        int64_t end = zone__rule_seconds(&rule->end, year) - rule->daylight_offset;
        if (begin < end) {
            add_transition(zone, begin, rule->daylight_offset, names[1]);
            add_transition(zone, end, rule->standard_offset, names[0]);
        } else {
            add_transition(zone, end, rule->standard_offset, names[0]);
            add_transition(zone, begin, rule->daylight_offset, names[1]);
        }
    }
}

static ErrorCode footer_read(Bytes b, size_t at, Str name, ZoneRule *rule_out, bool *has_rule_out, Error *err) {
    Str text = {(const char *)b.data + at, b.len - at};
    *has_rule_out = false;
    if (text.len < 2 || text.data[0] != '\n') {
        return damaged(err, name, at, "no rule");
    }
    ptrdiff_t end = str_find_char(text, '\n', 1);
    if (end < 0) {
        return damaged(err, name, at, "rule without an end");
    }
    if (end == 1) {
        return ERR_OK;
    }
    *has_rule_out = true;
    return zone__parse_rule(str_slice(text, 1, (size_t)end), rule_out) ? ERR_OK : damaged(err, name, at, "rule that cannot be read");
}

/* The rule of a file holds after its last transition. */
static void apply_rule(Zone *zone, const ZoneRule *rule, const uint32_t names[2]) {
    int64_t last = zone->count == 0 ? 0 : zone->transitions[zone->count - 1].utc_seconds;
    int32_t year, month, day;
    civil_from_days(floor_div(last, 86400), &year, &month, &day);
    if (rule->has_daylight) {
        unroll_rule(zone, rule, year, names);
    } else if (zone->count == 0) {
        zone->first_offset = rule->standard_offset;
        zone->first_name = names[0];
    }
}

ErrorCode zone_from_tzif(Bytes tzif, Str name, Arena *arena, const Zone **zone_out, Error *err) {
    Header h;
    TRY(header_read(tzif, 0, name, &h, err));
    size_t at = 0;
    size_t time_bytes = 4;
    if (h.version >= '2') {
        at = HEADER_BYTES + body_bytes(&h, 4);
        time_bytes = 8;
        TRY(header_read(tzif, at, name, &h, err));
    }
    at += HEADER_BYTES;
    if (body_bytes(&h, time_bytes) > tzif.len - at) {
        return damaged(err, name, tzif.len, "end of file");
    }
    Zone *zone = arena_new(arena, Zone);
    zone->transitions = arena_array(arena, Transition, h.times + 2 * RULE_YEARS);
    TRY(body_read(tzif.data + at, &h, time_bytes, name, at, zone, err));
    ZoneRule rule = {0};
    bool has_rule = false;
    uint32_t rule_names[2];
    if (time_bytes == 8) {
        TRY(footer_read(tzif, at + body_bytes(&h, 8), name, &rule, &has_rule, err));
    }
    const char *file_names = (const char *)tzif.data + at + h.times * (time_bytes + 1) + (size_t)h.types * 6;
    names_keep(zone, file_names, h.name_bytes, &rule, arena, rule_names);
    if (has_rule) {
        apply_rule(zone, &rule, rule_names);
    }
    *zone_out = zone;
    return ERR_OK;
}

const Zone *zone_fixed(Arena *arena, int32_t offset_seconds) {
    Zone *zone = arena_new(arena, Zone);
    zone->first_offset = offset_seconds;
    return zone;
}

const Zone *zone_from_rule(Arena *arena, Str text) {
    ZoneRule rule = {0};
    uint32_t names[2];
    if (text.len == 0 || !zone__parse_rule(text, &rule)) {
        return NULL;
    }
    Zone *zone = arena_new(arena, Zone);
    zone->transitions = arena_array(arena, Transition, 2 * RULE_YEARS);
    names_keep(zone, "", 0, &rule, arena, names);
    zone->first_offset = rule.standard_offset;
    zone->first_name = names[0];
    if (rule.has_daylight) {
        unroll_rule(zone, &rule, RULE_YEAR_FIRST, names);
    }
    return zone;
}

/* How many transitions are at or before the time. */
static size_t transitions_until(const Zone *zone, int64_t utc_seconds) {
    size_t low = 0;
    size_t high = zone->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->transitions[middle].utc_seconds <= utc_seconds) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int32_t offset_after(const Zone *zone, size_t count) {
    return count == 0 ? zone->first_offset : zone->transitions[count - 1].offset_seconds;
}

/* Seconds to take off so that a time after the unrolled years falls inside them. */
static int64_t periods_beyond(const Zone *zone, int64_t seconds) {
    if (!zone->has_rule) {
        return 0;
    }
    int64_t end = zone->transitions[zone->count - 1].utc_seconds - 2 * 86400;
    if (seconds < end) {
        return 0;
    }
    return ((seconds - end) / PERIOD_SECONDS + 1) * PERIOD_SECONDS;
}

int32_t zone_offset_at_utc(const Zone *zone, int64_t utc_seconds) {
    int64_t moved = utc_seconds - periods_beyond(zone, utc_seconds);
    return offset_after(zone, transitions_until(zone, moved));
}

Str zone_abbreviation_at_utc(const Zone *zone, int64_t utc_seconds) {
    size_t count = transitions_until(zone, utc_seconds - periods_beyond(zone, utc_seconds));
    uint32_t name = count == 0 ? zone->first_name : zone->transitions[count - 1].name;
    return zone->names == NULL ? (Str){0} : str_from_c(zone->names + name);
}

static bool is_named(const Zone *zone, uint32_t at, Str name) { return str_equal_ignore_case(str_from_c(zone->names + at), name); }

bool zone_abbreviation_find(const Zone *zone, Str name, int64_t utc_seconds, ZoneAbbreviation *found_out) {
    bool any = false;
    *found_out = (ZoneAbbreviation){.fixed = true};
    if (zone->names == NULL || name.len == 0) {
        return false;
    }
    int64_t moved = utc_seconds - periods_beyond(zone, utc_seconds);
    for (size_t i = 0; i <= zone->count; i++) {
        bool first = i == 0;
        const Transition *t = first ? NULL : &zone->transitions[i - 1];
        int32_t offset = first ? zone->first_offset : t->offset_seconds;
        if (!is_named(zone, first ? zone->first_name : t->name, name)) {
            continue;
        }
        found_out->fixed = found_out->fixed && (!any || offset == found_out->offset_seconds);
        if (!any || first || t->utc_seconds <= moved) {
            found_out->offset_seconds = offset;
        }
        any = true;
    }
    return any;
}

int64_t zone_to_utc(const Zone *zone, int64_t local_seconds) {
    int64_t beyond = periods_beyond(zone, local_seconds);
    int64_t local = local_seconds - beyond;
    /* Offsets are below 26 hours, so that only transitions this near can matter; two lie never so close in one zone's file,
     * but stepping through all of them costs nothing. */
    size_t at = transitions_until(zone, local - 26 * 3600);
    int32_t before = offset_after(zone, at);
    for (; at < zone->count; at++) {
        const Transition *t = &zone->transitions[at];
        int32_t after = t->offset_seconds;
        bool reads_as_before = local - before < t->utc_seconds;
        bool reads_as_after = local - after >= t->utc_seconds;
        if (reads_as_before && !reads_as_after) {
            break;
        }
        if (!reads_as_before && !reads_as_after) {
            break; /* gap: the offset before it */
        }
        before = after;
    }
    return local - before + beyond;
}

/* SPDX-License-Identifier: Apache-2.0
 * zone.c - the time zones that a session has used, by the text that asked for them.
 *
 * Why:        statements and open cursors point at the zone that held when they began, so a zone stays until the session ends; and drivers
 *             set the same zone again and again.
 * Invariants: at most SESSION_ZONES_MAX.
 * Tests:      test/sql/print_styles.slt */
#include <math.h>
#include "base/number.h"
#include "session/session_internal.h"

enum { SESSION_ZONES_MAX = 2000, ZONE_MEMORY_BYTES_MAX = 1 << 24 };

struct SessionZone {
    SessionZone *next;
    Arena memory;
    Str asked, name;
    bool questdb;
    const Zone *zone; /* NULL = UTC */
};

/* PostgreSQL's names of zones that are given as hours east: 5.5 -> "<+05:30>-05:30". */
static bool hours_name(Str text, Arena *arena, Str *name_out) {
    enum { DAY_HOURS = 24 };
    double hours = 0;
    if (!parse_double(text, &hours) || !(fabs(hours) < DAY_HOURS * 7)) {
        return false;
    }
    int seconds = (int)rint(fabs(hours) * 3600);
    char east[16];
    int len = snprintf(east, sizeof east, "%02d", seconds / 3600);
    if (seconds % 3600 != 0) {
        len += snprintf(east + len, sizeof east - (size_t)len, ":%02d", seconds / 60 % 60);
    }
    if (seconds % 60 != 0) {
        (void)snprintf(east + len, sizeof east - (size_t)len, ":%02d", seconds % 60);
    }
    bool west = hours < 0;
    *name_out = arena_format(arena, "<%c%s>%c%s", west ? '-' : '+', east, west ? '+' : '-', east);
    return true;
}

static ErrorCode load(SessionZone *zone, Error *err) {
    Str text = zone->asked;
    zone->name = text;
    if (str_equal_ignore_case(text, STR("UTC"))) {
        zone->name = STR("UTC");
        return ERR_OK;
    }
    if (zone->questdb) {
        bool is_utc = str_equal_ignore_case(text, STR("GMT")) || str_equal_ignore_case(text, STR("Z"));
        return is_utc ? ERR_OK : os_zone_load(text, &zone->memory, &zone->zone, err);
    }
    bool signed_text = text.len > 0 && (text.data[0] == '+' || text.data[0] == '-');
    bool has_colon = str_find_char(text, ':', 0) >= 0;
    if ((!signed_text || !has_colon) && hours_name(text, &zone->memory, &text)) {
        zone->name = text;
    }
    return os_zone_find(text, &zone->memory, &zone->name, &zone->zone, err);
}

static void destroy(SessionZone *zone) {
    arena_deinit(&zone->memory);
    mem_free(zone);
}

ErrorCode session__zone(Session *session, Str text, Str *name_out, const Zone **zone_out, Error *err) {
    uint32_t count = 0;
    bool questdb = session->dialect == DIALECT_QUESTDB;
    SessionZone *zone = session->zones;
    while (zone != NULL && (zone->questdb != questdb || !(str_equal(zone->asked, text) || str_equal(zone->name, text)))) {
        zone = zone->next;
        count++;
    }
    if (zone == NULL) {
        if (count >= SESSION_ZONES_MAX) {
            return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "a session can use at most %d time zones", SESSION_ZONES_MAX);
        }
        zone = mem_calloc(1, sizeof *zone);
        arena_init(&zone->memory, ZONE_MEMORY_BYTES_MAX);
        zone->asked = arena_str(&zone->memory, text);
        zone->questdb = questdb;
        if (load(zone, err) != ERR_OK) {
            destroy(zone);
            return setting__bad_value(SETTING_TIMEZONE, text, err);
        }
        zone->next = session->zones;
        session->zones = zone;
    }
    *name_out = zone->name;
    *zone_out = zone->zone;
    return ERR_OK;
}

void session__zones_deinit(Session *session) {
    while (session->zones != NULL) {
        SessionZone *zone = session->zones;
        session->zones = zone->next;
        destroy(zone);
    }
}

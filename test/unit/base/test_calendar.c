/* SPDX-License-Identifier: Apache-2.0
 * test_calendar.c - known dates, every day of 8,000 years, all accepted and refused forms, zones against the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/calendar.h"
#include "base/random.h"

static void known_days(void **state) {
    (void)state;
    static const struct { int32_t year, month, day, days, week_day; } ROWS[] = {
        {1970, 1, 1, 0, 4},      {1969, 12, 31, -1, 3},   {2000, 2, 29, 11016, 2},   {2000, 3, 1, 11017, 3},
        {1900, 3, 1, -25508, 4}, {2024, 12, 31, 20088, 2}, {1, 1, 1, -719162, 1},    {0, 3, 1, -719468, 3},
        {1582, 10, 15, -141427, 5}, {-4713, 11, 24, -2440588, 1}, {9999, 12, 31, 2932896, 5},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_int_equal(days_from_civil(ROWS[i].year, ROWS[i].month, ROWS[i].day), ROWS[i].days);
        assert_int_equal(day_of_week(ROWS[i].days), ROWS[i].week_day);
        int32_t year;
        int32_t month;
        int32_t day;
        civil_from_days(ROWS[i].days, &year, &month, &day);
        assert_int_equal(year, ROWS[i].year);
        assert_int_equal(month, ROWS[i].month);
        assert_int_equal(day, ROWS[i].day);
    }
}

static void every_day_follows_the_day_before(void **state) {
    (void)state;
    int64_t days = days_from_civil(-4000, 1, 1);
    int32_t year = -4000;
    int32_t month = 1;
    int32_t day = 1;
    while (year < 4000) {
        int32_t y;
        int32_t m;
        int32_t d;
        civil_from_days(days, &y, &m, &d);
        if (y != year || m != month || d != day || days_from_civil(y, m, d) != days) {
            fail_msg("%d-%d-%d", year, month, day);
        }
        days++;
        if (++day > days_in_month(year, month)) {
            day = 1;
            month++;
        }
        if (month > 12) {
            month = 1;
            year++;
        }
    }
    assert_int_equal(days_in_month(1900, 2), 28);
    assert_int_equal(days_in_month(2000, 2), 29);
    assert_int_equal(days_in_month(-4, 2), 29);
}

static void micros_go_round_over_the_whole_range(void **state) {
    (void)state;
    Random random;
    random_init(&random, 2);
    for (int i = 0; i < 200000; i++) {
        int64_t micros = (int64_t)random_next(&random) >> random_below(&random, 30);
        if (i < 1000) {
            micros = i < 500 ? INT64_MIN + 1 + i : INT64_MAX - 1000 + i;
        }
        CivilTime civil;
        civil_from_micros(micros, &civil);
        int64_t back;
        assert_true(micros_from_civil(&civil, &back));
        assert_true(back == micros);
        char text[TIMESTAMP_TEXT_MAX];
        size_t len = timestamp_format_iso(text, micros, 6);
        assert_in_range(len, 27, TIMESTAMP_TEXT_MAX);
        if (!timestamp_parse_micros((Str){text, len}, &back) || back != micros) {
            fail_msg("%.*s", (int)len, text);
        }
        len = timestamp_format_pg(text, micros, false, 0);
        if (!timestamp_parse_micros((Str){text, len}, &back) || back != micros) {
            fail_msg("%.*s", (int)len, text);
        }
        int32_t offset = (int32_t)random_between(&random, -50000, 50000);
        if (micros > INT64_MIN + 100000 * MICROS_PER_SECOND && micros < INT64_MAX - 100000 * MICROS_PER_SECOND) {
            len = timestamp_format_pg(text, micros, true, offset);
            assert_in_range(len, 19, TIMESTAMP_TEXT_MAX);
            if (!timestamp_parse_micros((Str){text, len}, &back) || back != micros) {
                fail_msg("%.*s", (int)len, text);
            }
        }
        len = timestamp_format_iso(text, micros, 9);
        assert_true(timestamp_parse_nanos((Str){text, len}, &back));
        assert_true(back == micros);
    }
    CivilTime beyond = {.year = 300000, .month = 1, .day = 1};
    int64_t unused;
    assert_false(micros_from_civil(&beyond, &unused));
    beyond.year = -300000;
    assert_false(micros_from_civil(&beyond, &unused));
}

static void texts_parse(void **state) {
    (void)state;
    static const struct { const char *text, *want; } ROWS[] = {
        {"2024", "2024-01-01T00:00:00.000000Z"},
        {"2024-01", "2024-01-01T00:00:00.000000Z"},
        {"2024-1-5", "2024-01-05T00:00:00.000000Z"},
        {"2024-01-05", "2024-01-05T00:00:00.000000Z"},
        {"2024/01/05", "2024-01-05T00:00:00.000000Z"},
        {"20240105", "2024-01-05T00:00:00.000000Z"},
        {"2024-01-05T09", "2024-01-05T09:00:00.000000Z"},
        {"2024-01-05T09:30", "2024-01-05T09:30:00.000000Z"},
        {"2024-01-05 09:30:01", "2024-01-05T09:30:01.000000Z"},
        {"  2024-01-05  09:30:01.5 ", "2024-01-05T09:30:01.500000Z"},
        {"2024-01-05T09:30:01.123456789Z", "2024-01-05T09:30:01.123457Z"},
        {"2024-01-05T23:59:59.9999999Z", "2024-01-06T00:00:00.000000Z"},
        {"2024-01-05T09:30:01,25z", "2024-01-05T09:30:01.250000Z"},
        {"2024-01-05T09:30:00+05:45", "2024-01-05T03:45:00.000000Z"},
        {"2024-01-05 09:30:00-08", "2024-01-05T17:30:00.000000Z"},
        {"2024-01-05 09:30:00 -0830", "2024-01-05T18:00:00.000000Z"},
        {"2024-01-05 09:30 UTC", "2024-01-05T09:30:00.000000Z"},
        {"2024-01-05 09:30 PM", "2024-01-05T21:30:00.000000Z"},
        {"2024-01-05 12:05am", "2024-01-05T00:05:00.000000Z"},
        {"20240105T093001", "2024-01-05T09:30:01.000000Z"},
        {"2024-01-05 24:00:00", "2024-01-06T00:00:00.000000Z"},
        {"2024-01-05 23:59:60", "2024-01-06T00:00:00.000000Z"},
        {"Jan 5 2024", "2024-01-05T00:00:00.000000Z"},
        {"January 5, 2024 09:30", "2024-01-05T09:30:00.000000Z"},
        {"5 Jan 2024", "2024-01-05T00:00:00.000000Z"},
        {"05-Sep-2024 09:30:00.25", "2024-09-05T09:30:00.250000Z"},
        {"2024-02-29", "2024-02-29T00:00:00.000000Z"},
        {"10000-01-01", "10000-01-01T00:00:00.000000Z"},
        {"-0044-03-15", "-0044-03-15T00:00:00.000000Z"},
        {"0044-03-15 BC", "-0043-03-15T00:00:00.000000Z"},
        {"0001-01-01 00:00:00 BC", "0000-01-01T00:00:00.000000Z"},
        {"epoch", "1970-01-01T00:00:00.000000Z"},
        {"infinity", "infinity"},
        {"-Infinity", "-infinity"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int64_t micros;
        if (!timestamp_parse_micros(str_from_c(ROWS[i].text), &micros)) {
            fail_msg("%s refused", ROWS[i].text);
        }
        char text[TIMESTAMP_TEXT_MAX + 1];
        text[timestamp_format_iso(text, micros, 6)] = 0;
        assert_string_equal(text, ROWS[i].want);
    }
}

static void bad_texts_are_refused(void **state) {
    (void)state;
    static const char *const ROWS[] = {
        "",           "x",          "2024-",       "2024-13",     "2024-00-01",   "2024-02-30", "2023-02-29", "2024-01-05T",
        "2024-01-05x", "2024-01-05 25:00", "2024-01-05 24:00:01", "2024-01-05 09:60", "2024-01-05 09:00:61", "2024-01-05T09:00:00.",
        "2024-01-05 09:00+", "2024-01-05 09:00+16", "2024-01-05 09:00 nowhere", "5 Foo 2024", "Jan 2024", "202", "20245", "2024010", "202401055",
        "2024-01-05 13:00 PM", "12:30", "2024-01-05 09:0", "300000-01-01", "2024-01-05 09:00:00+05:4", "0000-01-01 BC", "2024-01-05 BCE",
        "2024-01-05-06", "2024/01-05", "1704445200000000",
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int64_t micros;
        if (timestamp_parse_micros(str_from_c(ROWS[i]), &micros)) {
            fail_msg("%s accepted", ROWS[i]);
        }
    }
}

static void parse_tells_what_was_there(void **state) {
    (void)state;
    ParsedTime parsed;
    assert_true(timestamp_parse(STR("2024-01-05"), &parsed));
    assert_false(parsed.has_time);
    assert_false(parsed.has_offset);
    assert_true(timestamp_parse(STR("2024-01-05 09:00:00.000000001+01"), &parsed));
    assert_true(parsed.has_time);
    assert_true(parsed.has_offset);
    assert_int_equal(parsed.offset_seconds, 3600);
    assert_int_equal(parsed.civil.nanos, 1);
    int64_t nanos;
    assert_true(timestamp_parse_nanos(STR("1969-12-31T23:59:59.999999999"), &nanos));
    assert_true(nanos == -1);
    assert_false(timestamp_parse_nanos(STR("2300-01-01"), &nanos));
    int32_t days;
    assert_true(date_parse(STR("1970-01-02 23:00"), &days));
    assert_int_equal(days, 1);
    assert_true(date_parse(STR("-infinity"), &days));
    assert_int_equal(days, INT32_MIN);
}

static void texts_format(void **state) {
    (void)state;
    char text[TIMESTAMP_TEXT_MAX + 1];
    static const struct { int64_t micros; bool zone; int32_t offset; const char *want; } ROWS[] = {
        {0, false, 0, "1970-01-01 00:00:00"},
        {-1, false, 0, "1969-12-31 23:59:59.999999"},
        {1500000, false, 0, "1970-01-01 00:00:01.5"},
        {0, true, 0, "1970-01-01 00:00:00+00"},
        {0, true, 20700, "1970-01-01 05:45:00+05:45"},
        {0, true, -28800, "1969-12-31 16:00:00-08"},
        {0, true, -3723, "1969-12-31 22:57:57-01:02:03"},
        {INT64_MAX, true, 0, "infinity"},
        {-62135596800000001, false, 0, "0001-12-31 23:59:59.999999 BC"},
        {-62135596800000001, true, 3600, "0001-01-01 00:59:59.999999+01"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        text[timestamp_format_pg(text, ROWS[i].micros, ROWS[i].zone, ROWS[i].offset)] = 0;
        assert_string_equal(text, ROWS[i].want);
    }
    text[timestamp_format_iso(text, -1, 3)] = 0;
    assert_string_equal(text, "1969-12-31T23:59:59.999Z");
    text[timestamp_format_iso(text, 1704445200000000001, 9)] = 0;
    assert_string_equal(text, "2024-01-05T09:00:00.000000001Z");
    text[date_format_pg(text, 19727)] = 0;
    assert_string_equal(text, "2024-01-05");
    text[date_format_pg(text, -719163)] = 0;
    assert_string_equal(text, "0001-12-31 BC");
    text[date_format_pg(text, INT32_MAX)] = 0;
    assert_string_equal(text, "infinity");
}

static void months_are_added_with_clipping(void **state) {
    (void)state;
    static const struct { const char *from; int64_t months; const char *want; } ROWS[] = {
        {"2024-01-31 10:00", 1, "2024-02-29T10:00:00.000000Z"}, {"2023-01-31", 1, "2023-02-28T00:00:00.000000Z"},
        {"2024-03-31", -1, "2024-02-29T00:00:00.000000Z"},      {"2024-02-29", 12, "2025-02-28T00:00:00.000000Z"},
        {"2024-01-15", -24, "2022-01-15T00:00:00.000000Z"},     {"2024-11-15", 2, "2025-01-15T00:00:00.000000Z"},
        {"1969-12-31 23:59:59.5", 2, "1970-02-28T23:59:59.500000Z"}, {"2024-01-01", INT64_MAX, "infinity"},
        {"2024-01-01", -12000000, "-infinity"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int64_t micros;
        assert_true(timestamp_parse_micros(str_from_c(ROWS[i].from), &micros));
        char text[TIMESTAMP_TEXT_MAX + 1];
        text[timestamp_format_iso(text, micros_add_months(micros, ROWS[i].months), 6)] = 0;
        assert_string_equal(text, ROWS[i].want);
    }
}

static void offsets_parse(void **state) {
    (void)state;
    static const struct { const char *text; bool ok; int32_t seconds; } ROWS[] = {
        {"+05:45", true, 20700}, {"-0800", true, -28800}, {"Z", true, 0},     {"utc", true, 0},       {"GMT", true, 0},
        {"+5", true, 18000},     {"UTC+5", true, 18000},  {"", false, 0},     {"Asia/Kathmandu", false, 0},
        {"+24", false, 0},       {"+05:75", false, 0},    {"05:45", false, 0}, {"+05:45:30", true, 20730}, {"+5x", false, 0},
        {"+5+5", false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int32_t seconds = 0;
        assert_int_equal(zone_parse_offset(str_from_c(ROWS[i].text), &seconds), ROWS[i].ok);
        assert_int_equal(seconds, ROWS[i].seconds);
    }
}

static Bytes read_zone_file(const char *name, uint8_t *room, size_t room_bytes) {
    char path[200];
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return (Bytes){0};
    }
    size_t len = fread(room, 1, room_bytes, file);
    fclose(file);
    return (Bytes){room, len};
}

static const char *const ZONES[] = {"Asia/Kathmandu", "America/New_York", "Europe/Berlin",    "Europe/Dublin", "Australia/Lord_Howe",
                                    "Pacific/Apia",   "America/Sao_Paulo", "Africa/Casablanca", "Asia/Gaza",    "UTC",
                                    "Antarctica/Troll", "America/Nuuk",   "America/Santiago"};

static void zones_agree_with_the_c_library(void **state) {
    (void)state;
    static uint8_t room[1 << 16];
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    Random random;
    random_init(&random, 4);
    for (size_t z = 0; z < COUNT_OF(ZONES); z++) {
        Bytes bytes = read_zone_file(ZONES[z], room, sizeof room);
        if (bytes.len == 0) {
            print_message("no zone files here: skipped\n");
            break;
        }
        const Zone *zone;
        Error err;
        assert_int_equal(zone_from_tzif(bytes, str_from_c(ZONES[z]), &arena, &zone, &err), ERR_OK);
        setenv("TZ", ZONES[z], 1);
        tzset();
        for (int i = 0; i < 20000; i++) {
            int64_t seconds = random_between(&random, -5000000000, i % 2 ? 5000000000 : 40000000000);
            time_t at = (time_t)seconds;
            struct tm local;
            localtime_r(&at, &local);
            if (zone_offset_at_utc(zone, seconds) != local.tm_gmtoff) {
                fail_msg("%s at %lld: %d, not %ld", ZONES[z], (long long)seconds, zone_offset_at_utc(zone, seconds), local.tm_gmtoff);
            }
            /* Any local time reads back as a moment with that local time, unless it is in a gap. */
            int64_t wall = seconds + local.tm_gmtoff;
            int64_t back = zone_to_utc(zone, wall);
            assert_true(back + zone_offset_at_utc(zone, back) == wall);
            assert_true(back >= seconds || back + 4 * 3600 >= seconds);
        }
    }
    arena_deinit(&arena);
}

static int64_t seconds_of(const char *text) {
    int64_t micros;
    assert_true(timestamp_parse_micros(str_from_c(text), &micros));
    return micros / MICROS_PER_SECOND;
}

static void gaps_and_overlaps_follow_postgres(void **state) {
    (void)state;
    static uint8_t room[1 << 16];
    Bytes bytes = read_zone_file("America/New_York", room, sizeof room);
    if (bytes.len == 0) {
        return;
    }
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    const Zone *zone;
    Error err;
    assert_int_equal(zone_from_tzif(bytes, STR("America/New_York"), &arena, &zone, &err), ERR_OK);
    static const struct { const char *local, *utc; } ROWS[] = {
        {"2018-03-11 01:59:59", "2018-03-11 06:59:59"}, {"2018-03-11 02:30:00", "2018-03-11 07:30:00"},
        {"2018-03-11 03:00:00", "2018-03-11 07:00:00"}, {"2018-11-04 00:59:59", "2018-11-04 04:59:59"},
        {"2018-11-04 01:30:00", "2018-11-04 06:30:00"}, {"2018-11-04 02:00:00", "2018-11-04 07:00:00"},
        {"2600-07-01 12:00:00", "2600-07-01 16:00:00"}, {"2600-01-01 12:00:00", "2600-01-01 17:00:00"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_true(zone_to_utc(zone, seconds_of(ROWS[i].local)) == seconds_of(ROWS[i].utc));
    }
    /* Cut at any byte or with any byte changed it is refused or read, never more. */
    for (size_t len = 0; len < bytes.len; len += 7) {
        uint8_t *exact = mem_alloc(len);
        memcpy(exact, bytes.data, len);
        assert_int_equal(zone_from_tzif((Bytes){exact, len}, STR("x"), &arena, &zone, &err), ERR_DAMAGED);
        mem_free(exact);
    }
    for (size_t at = 0; at < bytes.len; at++) {
        uint8_t old = room[at];
        room[at] ^= 0x81;
        (void)!zone_from_tzif(bytes, STR("x"), &arena, &zone, NULL);
        room[at] = old;
        arena_reset(&arena);
    }
    const Zone *fixed = zone_fixed(&arena, 20700);
    assert_int_equal(zone_offset_at_utc(fixed, 0), 20700);
    assert_true(zone_to_utc(fixed, 20700) == 0);
    arena_deinit(&arena);
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(known_days),
        cmocka_unit_test(every_day_follows_the_day_before),
        cmocka_unit_test(micros_go_round_over_the_whole_range),
        cmocka_unit_test(texts_parse),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(parse_tells_what_was_there),
        cmocka_unit_test(texts_format),
        cmocka_unit_test(months_are_added_with_clipping),
        cmocka_unit_test(offsets_parse),
        cmocka_unit_test(zones_agree_with_the_c_library),
        cmocka_unit_test(gaps_and_overlaps_follow_postgres),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}

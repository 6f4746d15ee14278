/* SPDX-License-Identifier: Apache-2.0
 * test_value_text.c - intervals, uuid, bytea and every type's text in both styles. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/value_text.h"

static void intervals(void **state) {
    (void)state;
    /* Answers of PostgreSQL 15; NULL: refused. */
    static const struct {
        const char *text, *want;
    } ROWS[] = {
        {"1 day", "1 day"},
        {"2 days", "2 days"},
        {"1 year 2 mons 3 days 04:05:06.5", "1 year 2 mons 3 days 04:05:06.5"},
        {"1 year 2 months", "1 year 2 mons"},
        {"14 months", "1 year 2 mons"},
        {"-1 year -2 mons +3 days -04:05:06", "-1 years -2 mons +3 days -04:05:06"},
        {"1 day -1 hour", "1 day -01:00:00"},
        {"90 minutes", "01:30:00"},
        {"1.5 hours", "01:30:00"},
        {"1.5 days", "1 day 12:00:00"},
        {"1.5 months", "1 mon 15 days"},
        {"1.5 years", "1 year 6 mons"},
        {"1.5 weeks", "10 days 12:00:00"},
        {"5", "00:00:05"},
        {"0.5", "00:00:00.5"},
        {"3 04:05:06", "3 days 04:05:06"},
        {"1-2", "1 year 2 mons"},
        {"04:05", "04:05:00"},
        {"100:00:00", "100:00:00"},
        {"@ 1 day 2 hours ago", "-1 days -02:00:00"},
        {"P1Y2M3DT4H5M6.5S", "1 year 2 mons 3 days 04:05:06.5"},
        {"PT1H", "01:00:00"},
        {"P-1D", "-1 days"},
        {"1h30m", "01:30:00"},
        {"10 ms", "00:00:00.01"},
        {"7 microseconds", "00:00:00.000007"},
        {"1 century", "100 years"},
        {"0", "00:00:00"},
        {"", NULL},
        {"day", NULL},
        {"1 foo", NULL},
        {"ago", NULL},
        {"1 day ago 2", NULL},
        {"1:99", NULL},
        {"P", NULL},
        {"P1", NULL},
        {"99999999999 years", NULL},
        {"--1 day", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Interval interval;
        bool read = interval_parse(str_from_c(ROWS[i].text), &interval);
        if (read != (ROWS[i].want != NULL)) {
            fail_msg("'%s' is %s", ROWS[i].text, read ? "accepted" : "refused");
        }
        if (read) {
            char out[INTERVAL_TEXT_MAX + 1] = {0};
            out[interval_format(out, interval)] = '\0';
            assert_string_equal(out, ROWS[i].want);
        }
    }
    char out[INTERVAL_TEXT_MAX + 1];
    assert_true(interval_format(out, (Interval){INT32_MIN, INT32_MIN, INT64_MIN}) <= INTERVAL_TEXT_MAX);
    assert_true(interval_span((Interval){1, 0, 0}) == interval_span((Interval){0, 30, 0}));
}

static void uuids(void **state) {
    (void)state;
    static const char *const GOOD[] = {
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
        "{a0eebc999c0b4ef8bb6d6bb9bd380a11}",   "a0eebc999c0b4ef8bb6d6bb9bd380a11",
        "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
    };
    static const char *const BAD[] = {
        "", "a0eebc99", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a112",
        "{a0eebc999c0b4ef8bb6d6bb9bd380a11", "a0e-ebc999c0b4ef8bb6d6bb9bd380a11", "-a0eebc999c0b4ef8bb6d6bb9bd380a11",
    };
    Uuid uuid;
    for (size_t i = 0; i < COUNT_OF(GOOD); i++) {
        char out[UUID_TEXT_LEN + 1] = {0};
        assert_true(uuid_parse(str_from_c(GOOD[i]), &uuid));
        uuid_format(out, &uuid);
        assert_string_equal(out, GOOD[0]);
    }
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        assert_false(uuid_parse(str_from_c(BAD[i]), &uuid));
    }
}

static void byteas(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
    } ROWS[] = {
        {"\\x6162", "\\x6162"}, {"\\x61 62", "\\x6162"}, {"ab", "\\x6162"}, {"a\\\\b", "\\x615c62"},
        {"a\\000b", "\\x610062"}, {"", "\\x"}, {"\\x6", NULL}, {"\\xzz", NULL}, {"a\\b", NULL}, {"\\777", NULL}, {"\\", NULL},
    };
    Buffer bytes, text;
    buffer_init(&bytes, 1 << 16);
    buffer_init(&text, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        buffer_clear(&bytes);
        buffer_clear(&text);
        assert_int_equal(bytea_parse(str_from_c(ROWS[i].text), &bytes), ROWS[i].want != NULL);
        if (ROWS[i].want != NULL) {
            bytea_format(buffer_str(&bytes), &text);
            assert_true(str_equal(buffer_str(&text), str_from_c(ROWS[i].want)));
        }
    }
    buffer_deinit(&bytes);
    buffer_deinit(&text);
}

static void every_type_in_both_styles(void **state) {
    (void)state;
    static const int64_t MICROS = INT64_C(1704067200000001), NANOS = INT64_C(1704067200000000001), MILLIS = INT64_C(1704067200500);
    static const int32_t DAYS = 19723, INT4 = -7;
    static const int64_t INT8 = INT64_MIN, INFINITE = INT64_MAX;
    static const double DOUBLE = 1.0;
    static const float FLOAT = 0.1f;
    static const uint8_t TRUE_BYTE = 1;
    static const uint32_t SNOWMAN = 0x2603;
    static const NumericSlot SLOT = {.as.coefficient = 1250, .scale = 2};
    static const int64_t CENTS = -1250;
    static const struct {
        Type type;
        const void *value;
        const char *postgres, *questdb;
    } ROWS[] = {
        {{.id = TYPE_BOOL}, &TRUE_BYTE, "t", "true"},
        {{.id = TYPE_INT4}, &INT4, "-7", "-7"},
        {{.id = TYPE_INT8}, &INT8, "-9223372036854775808", "-9223372036854775808"},
        {{.id = TYPE_FLOAT8}, &DOUBLE, "1", "1.0"},
        {{.id = TYPE_FLOAT4}, &FLOAT, "0.1", "0.1"},
        {{.id = TYPE_NUMERIC}, &SLOT, "12.50", "12.50"},
        {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 3}, &CENTS, "-1.250", "-1.250"},
        {{.id = TYPE_TIMESTAMP}, &MICROS, "2024-01-01 00:00:00.000001", "2024-01-01T00:00:00.000001Z"},
        {{.id = TYPE_TIMESTAMPTZ}, &MICROS, "2024-01-01 00:00:00.000001+00", "2024-01-01T00:00:00.000001Z"},
        {{.id = TYPE_TIMESTAMP_NS}, &NANOS, "2024-01-01 00:00:00", "2024-01-01T00:00:00.000000001Z"},
        {{.id = TYPE_TIMESTAMP_MS}, &MILLIS, "2024-01-01 00:00:00.5", "2024-01-01T00:00:00.500Z"},
        {{.id = TYPE_TIMESTAMP}, &INFINITE, "infinity", "infinity"},
        {{.id = TYPE_DATE}, &DAYS, "2024-01-01", "2024-01-01T00:00:00.000Z"},
        {{.id = TYPE_CHAR}, &SNOWMAN, "\xe2\x98\x83", "\xe2\x98\x83"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        for (int questdb = 0; questdb <= 1; questdb++) {
            char out[VALUE_TEXT_MAX + 1] = {0};
            size_t len = value_format_fixed(out, ROWS[i].type, ROWS[i].value, &(TextStyle){.questdb = questdb != 0});
            out[len] = '\0';
            assert_string_equal(out, questdb ? ROWS[i].questdb : ROWS[i].postgres);
        }
    }
    char out[VALUE_TEXT_MAX + 1] = {0};
    out[value_format_fixed(out, type_of(TYPE_TIMESTAMP_NS), &NANOS, &(TextStyle){.full_nanos = true})] = '\0';
    assert_string_equal(out, "2024-01-01 00:00:00.000000001");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals),
        cmocka_unit_test(uuids),
        cmocka_unit_test(byteas),
        cmocka_unit_test(every_type_in_both_styles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

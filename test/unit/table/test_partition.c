/* SPDX-License-Identifier: Apache-2.0
 * test_partition.c - borders of partitions in every unit, around 1970, and far away. */
#include "base/calendar.h"
#include "table/table_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static int64_t at(const char *text) {
    int64_t micros = 0;
    assert_true(timestamp_parse_micros(str_from_c(text), &micros));
    return micros;
}

static void borders_are_where_the_calendar_says(void **state) {
    (void)state;
    static const struct { PartitionUnit unit; const char *time, *end; } ROWS[] = {
        {PARTITION_HOUR, "2024-02-28T23:59:59.999999", "2024-02-29T00:00:00"}, {PARTITION_HOUR, "1969-12-31T23:00:00", "1970-01-01T00:00:00"},
        {PARTITION_DAY, "2024-02-29T00:00:00", "2024-03-01"},                  {PARTITION_DAY, "1969-12-31T00:00:00.000001", "1970-01-01"},
        {PARTITION_WEEK, "2024-10-06T23:00:00", "2024-10-07"},                 {PARTITION_WEEK, "2024-10-07", "2024-10-14"},
        {PARTITION_WEEK, "1969-12-29", "1970-01-05"},                          {PARTITION_MONTH, "2024-12-31T12:00:00", "2025-01-01"},
        {PARTITION_MONTH, "1969-11-01", "1969-12-01"},                         {PARTITION_YEAR, "2024-01-01", "2025-01-01"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int64_t time = at(ROWS[i].time), end = at(ROWS[i].end);
        assert_int_equal(table__partition_end(ROWS[i].unit, TYPE_TIMESTAMP, time), end);
        assert_int_equal(table__partition_end(ROWS[i].unit, TYPE_TIMESTAMPTZ, end - 1), end);
        assert_true(table__partition_end(ROWS[i].unit, TYPE_TIMESTAMP, end) > end);
        assert_int_equal(table__partition_end(ROWS[i].unit, TYPE_TIMESTAMP_NS, time * 1000 + 999), end * 1000);
        assert_int_equal(table__partition_end(ROWS[i].unit, TYPE_TIMESTAMP_MS, floor_div(time, 1000)), end / 1000);
    }
}

static void far_times_have_a_border_too(void **state) {
    (void)state;
    static const TypeId TYPES[] = {TYPE_TIMESTAMP, TYPE_TIMESTAMP_MS, TYPE_TIMESTAMP_NS};
    for (int unit = PARTITION_NONE; unit <= PARTITION_YEAR; unit++) {
        for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
            assert_int_equal(table__partition_end((PartitionUnit)unit, TYPES[i], INT64_MAX), INT64_MAX);
            int64_t time = INT64_MIN;
            for (int step = 0; step < 3 && time < INT64_MAX; step++) {
                int64_t end = table__partition_end((PartitionUnit)unit, TYPES[i], time);
                assert_true(end > time);
                time = end;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_are_where_the_calendar_says),
        cmocka_unit_test(far_times_have_a_border_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_time_in.c - intervals of `ts IN '...'` as ranges in units of the column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "sql/bind/bind_internal.h"

typedef struct RangeCase { const char *text; TypeId type; ErrorCode code; uint32_t count; int64_t low, high; } RangeCase; /* of the last range */

static void intervals_become_ranges(void **state) {
    static const RangeCase cases[] = {
        {"2024", TYPE_TIMESTAMP, ERR_OK, 1, 1704067200000000, 1735689599999999},
        {"2024-02", TYPE_TIMESTAMP, ERR_OK, 1, 1706745600000000, 1709251199999999},
        {"2024-02-29", TYPE_TIMESTAMP, ERR_OK, 1, 1709164800000000, 1709251199999999},
        {"2024-02-29T10", TYPE_TIMESTAMP, ERR_OK, 1, 1709200800000000, 1709204399999999},
        {"2024-02-29 10:30", TYPE_TIMESTAMP, ERR_OK, 1, 1709202600000000, 1709202659999999},
        {"2024-02-29T10:30:05Z", TYPE_TIMESTAMP, ERR_OK, 1, 1709202605000000, 1709202605999999},
        {"2024-02-29T10:30:05.5", TYPE_TIMESTAMP, ERR_OK, 1, 1709202605500000, 1709202605599999},
        {"2024-02-29T10:30:05.123456", TYPE_TIMESTAMP, ERR_OK, 1, 1709202605123456, 1709202605123456},
        {"2024-02-29T10:30:05.123456", TYPE_TIMESTAMP_NS, ERR_OK, 1, 1709202605123456000, 1709202605123456999},
        {"2024-02-29", TYPE_TIMESTAMP_MS, ERR_OK, 1, 1709164800000, 1709251199999},
        {"1969", TYPE_TIMESTAMP, ERR_OK, 1, -31536000000000, -1},
        {"2024-01-01;1h", TYPE_TIMESTAMP, ERR_OK, 1, 1704067200000000, 1704070799999999},
        {"2024-01-31;1M", TYPE_TIMESTAMP, ERR_OK, 1, 1706659200000000, 1709164799999999},
        {"2024-01-01;6h30m", TYPE_TIMESTAMP, ERR_OK, 1, 1704067200000000, 1704090599999999},
        {"2024-01-01T00:00;1h;1d;3", TYPE_TIMESTAMP, ERR_OK, 3, 1704240000000000, 1704243599999999},
        {"2024-01-01;1d;1d;3", TYPE_TIMESTAMP, ERR_OK, 1, 1704067200000000, 1704326399999999},
        {"2024-01-01;1h;-1d;2", TYPE_TIMESTAMP, ERR_OK, 2, 1704067200000000, 1704070799999999},
        {"2024-01-31;1d;1M;3", TYPE_TIMESTAMP, ERR_OK, 3, 1711843200000000, 1711929599999999},
        {"", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"24", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"2024-13", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"2023-02-29", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"2024-01-01T25", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"2024-01-01;x", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"2024-01-01;1h;1d", TYPE_TIMESTAMP, ERR_INVALID_DATETIME, 0, 0, 0},
        {"2024-01-01;1h;1d;99999", TYPE_TIMESTAMP, ERR_PROGRAM_LIMIT, 0, 0, 0},
        {"2024-01-[01,02]", TYPE_TIMESTAMP, ERR_NOT_SUPPORTED, 0, 0, 0},
        {"$today", TYPE_TIMESTAMP, ERR_NOT_SUPPORTED, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena;
        Error err = {0};
        arena_init(&arena, 1 << 24);
        Binder b = {.arena = &arena, .err = &err};
        const KeyRange *ranges = NULL;
        uint32_t count = 0;
        ErrorCode code = time_ranges(&b, str_from_c(cases[i].text), type_of(cases[i].type), 7, &ranges, &count);
        if (code != cases[i].code || (code != ERR_OK && err.position != 7)) {
            fail_msg("row %zu: %s: %s %s", i, cases[i].text, error_name(code), err.message);
        }
        if (code == ERR_OK && (count != cases[i].count || ranges[count - 1].low != cases[i].low || ranges[count - 1].high != cases[i].high)) {
            fail_msg("row %zu: %s: %u ranges, last %lld..%lld", i, cases[i].text, count, (long long)ranges[count - 1].low, (long long)ranges[count - 1].high);
        }
        arena_deinit(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_become_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

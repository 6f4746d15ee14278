/* SPDX-License-Identifier: Apache-2.0
 * test_runs.c - run lists against one stamp per row. */
#include "base/random.h"
#include "txn/txn.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { ROWS = 2000 };

static void check(RunList *list, const Stamp *stamps, uint32_t rows, const Snapshot *snapshot) {
    RowSpan spans[ROWS];
    uint32_t count = runs_visible(list, snapshot, rows, spans, ROWS);
    uint32_t at = 0;
    for (uint32_t row = 0; row < rows; row++) {
        bool inside = at < count && row >= spans[at].first && row < spans[at].end;
        assert_int_equal(inside, stamp_visible(stamps[row], snapshot));
        assert_int_equal(runs_get(list, row), stamps[row]);
        at += at < count && row + 1 == spans[at].end;
    }
}

static void runs_equal_one_stamp_per_row(void **state) {
    (void)state;
    Random random;
    random_init(&random, 1);
    for (int round = 0; round < 30; round++) {
        RunList list = {0};
        static Stamp stamps[ROWS];
        uint32_t rows = 0;
        for (int step = 0; step < 200; step++) {
            Stamp stamp = random_below(&random, 3) == 0 ? STAMP_OWN_BIT | (1 + random_below(&random, 3)) << TXN_COMMAND_BITS | random_below(&random, 3)
                                                        : random_below(&random, 50);
            if (random_below(&random, 2) == 0 && rows + 40 < ROWS) {
                uint32_t count = 1 + (uint32_t)random_below(&random, 40);
                runs_append(&list, count, stamp);
                for (uint32_t i = 0; i < count; i++) {
                    stamps[rows++] = stamp;
                }
            } else if (rows > 0) {
                uint32_t first = (uint32_t)random_below(&random, rows);
                uint32_t end = first + 1 + (uint32_t)random_below(&random, rows - first);
                runs_set(&list, (RowSpan){first, end}, stamp);
                for (uint32_t i = first; i < end; i++) {
                    stamps[i] = stamp;
                }
            }
            Snapshot snapshot = {random_below(&random, 60), STAMP_OWN_BIT | UINT64_C(2) << TXN_COMMAND_BITS, (uint32_t)random_below(&random, 3)};
            check(&list, stamps, rows, &snapshot);
        }
        runs_deinit(&list);
    }
}

static void collapse_keeps_what_later_snapshots_see(void **state) {
    (void)state;
    RunList list = {0};
    for (uint64_t lsn = 1; lsn <= 100; lsn++) {
        runs_append(&list, 3, lsn);
    }
    runs_append(&list, 3, STAMP_OWN_BIT | 7 << TXN_COMMAND_BITS);
    runs_collapse(&list, 100);
    assert_int_equal(list.count, 2);
    RowSpan spans[4];
    assert_int_equal(runs_visible(&list, &(Snapshot){.lsn = 100}, 303, spans, 4), 1);
    assert_int_equal(spans[0].end, 300);
    assert_false(runs_all_settled(&list));
    runs_set(&list, (RowSpan){300, 303}, 101);
    assert_true(runs_all_settled(&list));
    runs_deinit(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_equal_one_stamp_per_row), cmocka_unit_test(collapse_keeps_what_later_snapshots_see)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

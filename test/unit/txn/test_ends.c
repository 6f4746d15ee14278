/* SPDX-License-Identifier: Apache-2.0
 * test_ends.c - end maps against one stamp per row, through sparse, dense and collapsed forms; write sets. */
#include "base/memory.h"
#include "base/random.h"
#include "txn/txn.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { ROWS = 10000, WORDS = (ROWS + 63) / 64 };

static void check(const EndMap *map, const Stamp *stamps, const Snapshot *snapshot) {
    static uint64_t live[WORDS];
    memset(live, 0xff, sizeof live);
    (void)ends_apply(map, 0, ROWS, snapshot, live);
    for (uint32_t row = 0; row < ROWS; row++) {
        bool alive = ((live[row / 64] >> (row % 64)) & 1) != 0;
        assert_int_equal(alive, !stamp_visible(stamps[row], snapshot));
    }
    uint32_t row = 0;
    Stamp stamp = 0;
    uint32_t count = 0;
    for (uint32_t at = 0; ends_next(map, &at, &row, &stamp);) {
        assert_int_equal(stamp, ends_get(map, row));
        assert_true(stamps[row] != STAMP_NEVER);
        count++;
    }
    assert_int_equal(count, map->ended_rows);
}

static void ends_equal_one_stamp_per_row(void **state) {
    (void)state;
    Random random;
    random_init(&random, 2);
    for (int round = 0; round < 12; round++) {
        EndMap map = {0};
        static Stamp stamps[ROWS];
        for (uint32_t i = 0; i < ROWS; i++) {
            stamps[i] = STAMP_NEVER;
        }
        uint64_t horizon = 0;
        uint32_t spread = round % 2 == 0 ? ROWS : 200;
        for (int step = 0; step < 3000; step++) {
            uint32_t row = (uint32_t)random_below(&random, spread);
            if (stamps[row] == STAMP_NEVER || (stamps[row] > horizon && random_below(&random, 3) == 0)) {
                Stamp stamp = random_below(&random, 4) == 0 ? STAMP_OWN_BIT | 5 << TXN_COMMAND_BITS : horizon + 1 + random_below(&random, 100);
                stamp = stamps[row] != STAMP_NEVER && random_below(&random, 2) == 0 ? STAMP_NEVER : stamp;
                stamps[row] = stamp;
                ends_set(&map, ROWS, row, stamp);
            }
            if (step % 500 == 499) {
                Snapshot snapshot = {horizon + random_below(&random, 120), STAMP_OWN_BIT | 5 << TXN_COMMAND_BITS, (uint32_t)random_below(&random, 2)};
                check(&map, stamps, &snapshot);
                horizon += random_below(&random, 60);
                ends_collapse(&map, horizon);
                check(&map, stamps, &(Snapshot){.lsn = horizon});
            }
        }
        ends_deinit(&map);
    }
}

static void killed_rows_are_dead_for_all(void **state) {
    (void)state;
    EndMap map = {0};
    ends_set(&map, ROWS, 4100, STAMP_OWN_BIT | 1 << TXN_COMMAND_BITS);
    ends_kill(&map, ROWS, (RowSpan){10, 9500});
    assert_int_equal(map.ended_rows, 9490);
    assert_int_equal(ends_get(&map, 9), STAMP_NEVER);
    assert_int_equal(ends_get(&map, 4100), STAMP_ALWAYS);
    assert_false(ends_all_old(&map, ROWS));
    ends_kill(&map, ROWS, (RowSpan){0, 10});
    ends_kill(&map, ROWS, (RowSpan){9500, ROWS});
    assert_true(ends_all_old(&map, ROWS));
    ends_deinit(&map);
}

static void neighbours_join_unless_a_mark_lies_between(void **state) {
    (void)state;
    WriteSet set = {0};
    writes_add_rows(&set, (Write){1, 7, 1, 0, 10, NULL});
    writes_add_rows(&set, (Write){1, 7, 1, 10, 5, NULL});
    assert_int_equal(set.count, 1);
    assert_int_equal(set.writes[0].count, 15);
    assert_int_equal(writes_mark(&set), 1);
    writes_add_rows(&set, (Write){1, 7, 1, 15, 5, NULL});
    writes_add_rows(&set, (Write){1, 7, 2, 20, 5, NULL});
    writes_add_rows(&set, (Write){2, 7, 2, 25, 5, NULL});
    assert_int_equal(set.count, 4);
    writes_deinit(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_equal_one_stamp_per_row), cmocka_unit_test(killed_rows_are_dead_for_all),
                                       cmocka_unit_test(neighbours_join_unless_a_mark_lies_between)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

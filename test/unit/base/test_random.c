/* SPDX-License-Identifier: Apache-2.0
 * test_random.c - the published first outputs, ranges, and rough uniformity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/random.h"

static void splitmix_gives_published_numbers(void **state) {
    (void)state;
    uint64_t seed = 1234567;
    static const uint64_t WANT[] = {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                    4593380528125082431ULL, 16408922859458223821ULL};
    for (size_t i = 0; i < COUNT_OF(WANT); i++) {
        assert_true(splitmix64(&seed) == WANT[i]);
    }
}

static void xoshiro_gives_published_numbers(void **state) {
    (void)state;
    Random random = {{1, 2, 3, 4}};
    static const uint64_t WANT[] = {11520, 0, 1509978240, 1215971899390074240ULL, 1216172134540287360ULL};
    for (size_t i = 0; i < COUNT_OF(WANT); i++) {
        assert_true(random_next(&random) == WANT[i]);
    }
}

static void ranges_hold(void **state) {
    (void)state;
    Random random;
    random_init(&random, 7);
    uint32_t seen[7] = {0};
    for (int i = 0; i < 70000; i++) {
        int64_t v = random_between(&random, -3, 3);
        assert_in_range(v + 3, 0, 6);
        seen[v + 3]++;
        double unit = random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
    }
    for (int i = 0; i < 7; i++) {
        assert_in_range(seen[i], 9500, 10500);
    }
    assert_true(random_below(&random, 1) == 0);
    assert_true(random_between(&random, INT64_MIN, INT64_MIN) == INT64_MIN);
    (void)random_between(&random, INT64_MIN, INT64_MAX);
    assert_false(random_chance(&random, 0, 5));
    assert_true(random_chance(&random, 5, 5));
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(splitmix_gives_published_numbers),
        cmocka_unit_test(xoshiro_gives_published_numbers),
        cmocka_unit_test(ranges_hold),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_user_type.c - positions of labels: spread, added in between until there is no room; bodies of types to bytes and back. */
#include "catalog/user_type.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { LABELS = 200 };

static void positions_are_spread(void **state) {
    (void)state;
    static uint64_t positions[ENUM_LABELS_MAX];
    static const uint16_t counts[] = {1, 2, 500, ENUM_LABELS_MAX};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        enum_positions_spread(positions, counts[c]);
        assert_true(positions[0] > 0);
        for (uint16_t i = 1; i < counts[c]; i++) {
            assert_true(positions[i] > positions[i - 1]);
        }
        assert_true(positions[counts[c] - 1] < ENUM_POSITION_END);
    }
}

static void insert(TypeBody *body, uint64_t *positions, uint16_t at, uint64_t position) {
    memmove(positions + at + 1, positions + at, sizeof *positions * (size_t)(body->label_count - at));
    positions[at] = position;
    body->label_count++;
}

/* Added labels stand where they were asked for. Always at the same place in between there is room for some twenty; at the ends for many. */
static void labels_are_added(void **state) {
    (void)state;
    static const struct { int place; int at_least; } cases[] = {{0, LABELS - 2}, {1, 20}, {-1, LABELS - 2}};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        uint64_t positions[LABELS + 1];
        TypeBody body = {.kind = TYPE_KIND_ENUM, .label_count = 2, .positions = positions};
        enum_positions_spread(positions, 2);
        int added = 0;
        uint64_t position = 0;
        while (body.label_count < LABELS) {
            uint16_t at = cases[c].place < 0 ? body.label_count : (uint16_t)cases[c].place;
            if (!enum_position_add(&body, at, &position)) {
                break;
            }
            insert(&body, positions, at, position);
            added++;
        }
        assert_true(added >= cases[c].at_least);
        for (uint16_t i = 1; i < body.label_count; i++) {
            assert_true(positions[i] > positions[i - 1]);
        }
        for (uint16_t i = 0; i < body.label_count; i++) {
            assert_int_equal(enum_position_number(&body, positions[i]), i);
        }
        assert_int_equal(enum_position_number(&body, positions[body.label_count - 1] + 1), -1);
    }
}

static void values_order_as_positions(void **state) {
    (void)state;
    int64_t low = enum_value_make(7, 1), high = enum_value_make(7, ENUM_POSITION_END - 1), last = enum_value_make(ENUM_OBJECT_ID_MAX, ENUM_POSITION_END - 1);
    assert_true(low > 0 && low < high && high < last);
    assert_int_equal(enum_value_object(last), ENUM_OBJECT_ID_MAX);
    assert_true(enum_value_position(high) == ENUM_POSITION_END - 1);
}

static void bodies_come_back(void **state) {
    (void)state;
    Str labels[] = {STR("sad"), STR("it's ok")};
    uint64_t positions[] = {5, 9};
    DomainCheck checks[] = {{77, STR("positive"), STR("VALUE > 0"), true}, {78, STR("small"), STR("VALUE < 9"), false}};
    TypeBody bodies[] = {
        {.kind = TYPE_KIND_ENUM, .label_count = 2, .labels = labels, .positions = positions},
        {.kind = TYPE_KIND_DOMAIN, .base = {.id = TYPE_INT4}, .base_domain = 31, .not_null = true, .default_text = STR("7"), .check_count = 2, .checks = checks},
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Buffer bytes;
        Arena arena;
        TypeBody back;
        buffer_init(&bytes, 1 << 16);
        arena_init(&arena, 1 << 20);
        type_body_encode(&bodies[i], &bytes);
        assert_int_equal(type_body_decode(buffer_bytes(&bytes), &arena, &back, NULL), ERR_OK);
        assert_int_equal(back.kind, bodies[i].kind);
        assert_int_equal(back.label_count, bodies[i].label_count);
        assert_int_equal(back.check_count, bodies[i].check_count);
        assert_int_equal(back.base_domain, bodies[i].base_domain);
        assert_true(back.label_count == 0 || (str_equal(back.labels[1], labels[1]) && back.positions[1] == 9));
        assert_true(back.check_count == 0 || (str_equal(back.checks[1].text, checks[1].text) && back.checks[1].id == 78 && !back.checks[1].validated));
        for (size_t len = 0; len < bytes.len; len++) { /* cut short: damage, no crash */
            assert_int_equal(type_body_decode(bytes_from(bytes.data, len), &arena, &back, NULL), ERR_DAMAGED);
        }
        arena_deinit(&arena);
        buffer_deinit(&bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_spread),
        cmocka_unit_test(labels_are_added),
        cmocka_unit_test(values_order_as_positions),
        cmocka_unit_test(bodies_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

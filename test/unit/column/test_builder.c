/* SPDX-License-Identifier: Apache-2.0
 * test_builder.c - builders: values, nulls, growth, reuse, truncation, batches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include "column/vector.h"

static void values_and_nulls(void **state) {
    (void)state;
    ColumnBuilder b;
    column_builder_init(&b, type_of(TYPE_INT4));
    for (int32_t i = 0; i < 5000; i++) {
        if (i % 10 == 9) {
            column_builder_null(&b);
        } else {
            column_builder_value(&b, &i);
        }
    }
    ColumnBlock block = column_builder_block(&b);
    assert_int_equal(block.row_count, 5000);
    assert_int_equal(b.null_count, 500);
    for (int32_t i = 0; i < 5000; i++) {
        assert_int_equal(bit_get(block.valid, (size_t)i), i % 10 != 9);
        if (i % 10 != 9) {
            assert_int_equal(((const int32_t *)block.data)[i], i);
        }
    }
    column_builder_truncate(&b, 9);
    block = column_builder_block(&b);
    assert_null(block.valid);
    assert_int_equal(block.row_count, 9);
    column_builder_deinit(&b);
}

static void texts_are_copied(void **state) {
    (void)state;
    ColumnBuilder b;
    column_builder_init(&b, type_of(TYPE_TEXT));
    for (int round = 0; round < 3; round++) {
        char text[40];
        for (int i = 0; i < 3000; i++) {
            int len = snprintf(text, sizeof text, "text number %d of many", i);
            column_builder_text(&b, str_from(text, (size_t)(i % 2 == 0 ? len : 5)));
        }
        memset(text, 'x', sizeof text);
        ColumnBlock block = column_builder_block(&b);
        const StrRef *refs = block.data;
        assert_true(str_equal(strref_str(&refs[0]), STR("text number 0 of many")));
        assert_true(str_equal(strref_str(&refs[1]), STR("text ")));
        assert_true(str_equal(strref_str(&refs[2998]), STR("text number 2998 of many")));
        column_builder_clear(&b);
        assert_int_equal(refs[0].len, 0);
    }
    column_builder_deinit(&b);
}

static void bits_do_not_come_back(void **state) {
    (void)state;
    ColumnBuilder b;
    column_builder_init(&b, type_of(TYPE_BOOL));
    for (int i = 0; i < 100; i++) {
        column_builder_bool(&b, true);
    }
    column_builder_truncate(&b, 50);
    column_builder_bool(&b, false);
    column_builder_nulls(&b, 2);
    ColumnBlock block = column_builder_block(&b);
    assert_true(bit_get(block.data, 49));
    assert_false(bit_get(block.data, 50));
    assert_false(bit_get(block.valid, 52));
    assert_true(bit_get(block.valid, 50));
    column_builder_deinit(&b);
}

static void big_numerics_are_copied(void **state) {
    (void)state;
    ColumnBuilder b;
    column_builder_init(&b, type_of(TYPE_NUMERIC));
    Int128 big = (Int128)INT64_MAX * 7;
    NumericSlot slot = {.as.big = &big, .scale = 2, .is_big = 1};
    column_builder_value(&b, &slot);
    big = 0;
    const NumericSlot *slots = column_builder_block(&b).data;
    assert_true(numeric_from_slot(&slots[0]).coefficient == (Int128)INT64_MAX * 7);
    column_builder_deinit(&b);
}

static void batches_append_live_rows(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    Vector v = vector_new(&arena, type_of(TYPE_INT8));
    v.row_count = 200;
    for (size_t i = 0; i < 200; i++) {
        ((int64_t *)vector_data(&v))[i] = (int64_t)i;
    }
    ColumnBuilder b;
    column_builder_init(&b, v.type);
    column_builder_batch(&b, &v, NULL, 200);
    vector_set_null(&v, &arena, 7);
    uint64_t live[BATCH_WORDS] = {0x0f0};
    column_builder_batch(&b, &v, live, 200);
    ColumnBlock block = column_builder_block(&b);
    assert_int_equal(block.row_count, 204);
    assert_int_equal(((const int64_t *)block.data)[199], 199);
    assert_int_equal(((const int64_t *)block.data)[200], 4);
    assert_false(bit_get(block.valid, 203));
    assert_true(bit_get(block.valid, 202));
    column_builder_deinit(&b);
    arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_nulls),       cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(bits_do_not_come_back),  cmocka_unit_test(big_numerics_are_copied),
        cmocka_unit_test(batches_append_live_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

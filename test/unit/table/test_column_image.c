/* SPDX-License-Identifier: Apache-2.0
 * test_column_image.c - every type through its image and back, and damaged images, which are errors. */
#include "base/random.h"
#include "table/table_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { ROWS = 700 };

typedef struct Values {
    uint8_t bytes[ROWS * 16];
    uint64_t valid[(ROWS + 63) / 64];
    char texts[ROWS][40];
    Int128 bigs[ROWS];
} Values;

static void fill(Random *random, Type type, int shape, Values *values) {
    memset(values, 0, sizeof *values);
    Physical physical = type_physical(type.id);
    size_t width = physical_bytes(physical);
    for (uint32_t i = 0; i < ROWS; i++) {
        if (shape != 0 || i % 7 != 0) {
            bit_set(values->valid, i);
        }
        uint64_t value = shape == 1 ? 42 : shape == 2 ? random_below(random, 200) - 100 : shape == 3 ? random_below(random, 60000) : random_next(random);
        if (physical == PHYS_BIT) {
            if (value & 1) {
                bit_set((uint64_t *)(void *)values->bytes, i);
            }
        } else if (physical == PHYS_STR) {
            size_t len = value % 40;
            memset(values->texts[i], 'a' + (int)(value % 26), len);
            ((StrRef *)(void *)values->bytes)[i] = strref_make(values->texts[i], len);
        } else if (type.id == TYPE_NUMERIC) {
            values->bigs[i] = (Int128)value << 60;
            ((NumericSlot *)(void *)values->bytes)[i] = i % 3 == 0 ? (NumericSlot){.as.big = &values->bigs[i], .is_big = 1, .scale = 3}
                                                                   : (NumericSlot){.as.coefficient = (int64_t)value, .scale = 2};
        } else {
            memcpy(values->bytes + width * i, &value, MIN_OF(width, sizeof value));
        }
    }
}

static void check_row(Type type, const ColumnBlock *got, uint32_t at, const Values *want, uint32_t row) {
    bool valid = bit_get(want->valid, row);
    assert_int_equal(got->valid == NULL || bit_get(got->valid, at), valid);
    if (!valid) {
        return;
    }
    Physical physical = type_physical(type.id);
    size_t width = physical_bytes(physical);
    if (physical == PHYS_BIT) {
        assert_int_equal(bit_get(got->data, at), bit_get((const uint64_t *)(const void *)want->bytes, row));
    } else if (physical == PHYS_STR) {
        assert_true(strref_equal(&((const StrRef *)got->data)[at], &((const StrRef *)(const void *)want->bytes)[row]));
    } else if (type.id == TYPE_NUMERIC) {
        Numeric a = numeric_from_slot(&((const NumericSlot *)got->data)[at]);
        Numeric b = numeric_from_slot(&((const NumericSlot *)(const void *)want->bytes)[row]);
        assert_true(a.coefficient == b.coefficient && a.scale == b.scale && a.kind == b.kind);
    } else {
        assert_memory_equal((const uint8_t *)got->data + width * at, want->bytes + width * row, width);
    }
}

static void every_type_comes_back(void **state) {
    (void)state;
    Random random;
    random_init(&random, 6);
    static Values values;
    for (int id = TYPE_BOOL; id < TYPE_COUNT; id++) {
        for (int shape = 0; shape < 5; shape++) {
            Type type = type_of((TypeId)id);
            fill(&random, type, shape, &values);
            RowSpan rows = {(uint32_t)random_below(&random, 300), 301 + (uint32_t)random_below(&random, ROWS - 301)};
            Buffer bytes;
            buffer_init(&bytes, 1 << 20);
            table__column_encode(type, values.bytes, shape == 0 ? values.valid : NULL, rows, &bytes);
            Arena arena;
            arena_init(&arena, 1 << 24);
            ColumnBlock block;
            Reader reader = reader_from(buffer_bytes(&bytes));
            assert_int_equal(table__column_decode(type, rows.end - rows.first, &reader, &arena, &block, NULL), ERR_OK);
            assert_int_equal(reader.at, bytes.len);
            for (uint32_t row = rows.first; row < rows.end; row++) {
                check_row(type, &block, row - rows.first, &values, row);
            }
            for (size_t len = 0; len < bytes.len; len += 1 + len / 9) {
                reader = reader_from(bytes_from(bytes.data, len));
                assert_int_equal(table__column_decode(type, rows.end - rows.first, &reader, &arena, &block, NULL), ERR_DAMAGED);
            }
            for (int flip = 0; flip < 40; flip++) { /* anything but a crash */
                size_t at = random_below(&random, bytes.len);
                uint8_t before = bytes.data[at];
                bytes.data[at] = (uint8_t)random_next(&random);
                reader = reader_from(buffer_bytes(&bytes));
                ErrorCode code = table__column_decode(type, rows.end - rows.first, &reader, &arena, &block, NULL);
                assert_true(code == ERR_OK || code == ERR_DAMAGED);
                bytes.data[at] = before;
            }
            arena_deinit(&arena);
            buffer_deinit(&bytes);
        }
    }
}

static void narrow_integers_take_few_bytes(void **state) {
    (void)state;
    int64_t times[ROWS];
    for (int i = 0; i < ROWS; i++) {
        times[i] = INT64_C(1700000000000000) + i * 100;
    }
    Buffer bytes;
    buffer_init(&bytes, 1 << 20);
    table__column_encode(type_of(TYPE_TIMESTAMP), times, NULL, (RowSpan){0, ROWS}, &bytes);
    assert_true(bytes.len < ROWS * 4 + 32);
    buffer_deinit(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_comes_back), cmocka_unit_test(narrow_integers_take_few_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

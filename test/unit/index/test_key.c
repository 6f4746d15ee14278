/* SPDX-License-Identifier: Apache-2.0
 * test_key.c - keys' bytes are in the order of column/value_rules.h, for every type, both directions, with NULLs at either end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "column/value_rules.h"
#include "index/index.h"
#include <math.h>

typedef union Cell { uint8_t bytes[16]; int64_t i64; int32_t i32; double f64; float f32; StrRef str; NumericSlot numeric; Interval interval; Int128 wide; } Cell;

enum { CELLS = 300 };
static const char *const TEXTS[] = {"", "a", "ab", "abc", "abd", "b", "a longer text than twelve", "a longer text than twelvf", "\xc3\xa4", "abcdefgh", "abcdefghi"};

static Numeric random_numeric(Random *random) {
    static const int64_t EDGES[] = {0, 1, -1, 10, 100, -100, 15, 150, 1500, 99, 101, 123456789012345678};
    Numeric value = {.coefficient = random_below(random, 2) == 0 ? EDGES[random_below(random, 12)] : (int64_t)random_below(random, 2000000) - 1000000,
                     .scale = (int16_t)random_below(random, 6)};
    if (random_below(random, 20) == 0) {
        value.kind = (uint8_t)random_below(random, 4);
        value.coefficient = 0;
    }
    return value;
}

static void random_cell(Random *random, TypeId type, Cell *cell, Arena *arena) {
    static const double FLOATS[] = {0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, NAN, 1e300, -1e-300, 3.0};
    memset(cell, 0, sizeof *cell);
    switch (type) {
    case TYPE_BOOL: cell->bytes[0] = (uint8_t)random_below(random, 2); break;
    case TYPE_FLOAT8: cell->f64 = FLOATS[random_below(random, 10)]; break;
    case TYPE_FLOAT4: cell->f32 = (float)FLOATS[random_below(random, 10)]; break;
    case TYPE_NUMERIC: cell->numeric = numeric_to_slot(random_numeric(random), arena); break;
    case TYPE_DECIMAL16: cell->wide = (Int128)((int64_t)random_below(random, 2000) - 1000) * (random_below(random, 2) != 0 ? 1 : INT64_C(10000000000000000)); break;
    case TYPE_TEXT:
    case TYPE_VARCHAR:
    case TYPE_BYTEA: {
        const char *text = TEXTS[random_below(random, sizeof TEXTS / sizeof *TEXTS)];
        cell->str = type == TYPE_BYTEA && random_below(random, 3) == 0 ? strref_make("ab\0c", random_below(random, 5)) : strref_make(text, strlen(text));
        break;
    }
    case TYPE_INTERVAL: cell->interval = (Interval){(int32_t)random_below(random, 3) - 1, (int32_t)random_below(random, 61) - 30, (int64_t)random_below(random, 3) - 1}; break;
    case TYPE_UUID:
        cell->bytes[0] = (uint8_t)random_below(random, 3);
        cell->bytes[15] = (uint8_t)random_below(random, 256);
        break;
    case TYPE_NAME: {
        const char *name = TEXTS[random_below(random, 7)];
        cell->str = strref_make(name, strnlen(name, 2));
        break;
    }
    case TYPE_SYMBOL:
    case TYPE_CHAR: cell->i32 = (int32_t)random_below(random, 100); break;
    default: cell->i64 = random_below(random, 4) == 0 ? (int64_t)random_next(random) : (int64_t)random_below(random, 40) - 20; break;
    }
}

static int sign(int x) { return (x > 0) - (x < 0); }

static int expected(const KeyPart *part, const Cell *a, bool a_null, const Cell *b, bool b_null) {
    if (a_null || b_null) {
        int order = a_null && b_null ? 0 : a_null ? 1 : -1;
        return part->nulls_first ? -order : order;
    }
    int order = sign(value_rules((TypeId)part->type.id)->compare(a, b));
    return part->descending ? -order : order;
}

static void check_type(TypeId type, bool descending, bool nulls_first) {
    Random random;
    random_init(&random, 1000 + (uint64_t)type);
    Arena arena;
    arena_init(&arena, 1 << 24);
    Buffer keys[CELLS];
    Cell cells[CELLS];
    bool nulls[CELLS];
    KeyPart part = {.type = type == TYPE_DECIMAL8 || type == TYPE_DECIMAL16 ? type_decimal(type == TYPE_DECIMAL8 ? 10 : 30, 2) : type_of(type),
                    .descending = descending, .nulls_first = nulls_first};
    for (int i = 0; i < CELLS; i++) {
        random_cell(&random, type, &cells[i], &arena);
        nulls[i] = random_below(&random, 10) == 0;
        buffer_init(&keys[i], 1 << 20);
        key_put(&keys[i], &part, nulls[i] ? NULL : &cells[i]);
        key_pad(&keys[i]);
    }
    for (int i = 0; i < CELLS; i++) {
        for (int j = 0; j < CELLS; j++) {
            Bytes a = buffer_bytes(&keys[i]), b = buffer_bytes(&keys[j]);
            int want = expected(&part, &cells[i], nulls[i], &cells[j], nulls[j]);
            int got = sign(key_compare(a, b));
            if (got != want) {
                print_error("type %s, %d against %d: %d, not %d\n", type_sql_name(type), i, j, got, want);
            }
            assert_int_equal(got, want);
            assert_int_equal(want != 0 || a.len == b.len, 1);
        }
    }
    for (int i = 0; i < CELLS; i++) {
        buffer_deinit(&keys[i]);
    }
    arena_deinit(&arena);
}

static void keys_are_in_the_values_order(void **state) {
    (void)state;
    int checked = 0;
    for (TypeId type = 0; type < TYPE_COUNT; type++) {
        assert_int_equal(key_type_allowed(type), type_is_indexable(type));
        if (!key_type_ordered(type) || type == TYPE_BPCHAR) {
            continue;
        }
        for (int i = 0; i < 4; i++) {
            check_type(type, (i & 1) != 0, (i & 2) != 0);
        }
        checked++;
    }
    assert_true(checked >= 18);
}

static void trailing_blanks_of_char_do_not_count(void **state) {
    (void)state;
    Buffer a, b;
    buffer_init(&a, 100);
    buffer_init(&b, 100);
    KeyPart part = {.type = type_of(TYPE_BPCHAR)};
    StrRef padded = strref_make("ab  ", 4), plain = strref_make("ab", 2);
    key_put(&a, &part, &padded);
    key_put(&b, &part, &plain);
    assert_int_equal(key_compare(buffer_bytes(&a), buffer_bytes(&b)), 0);
    buffer_deinit(&a);
    buffer_deinit(&b);
}

/* Keys of several columns: the first that differs decides, whatever the lengths. */
static void no_key_is_the_beginning_of_another(void **state) {
    (void)state;
    KeyPart text = {.type = type_of(TYPE_TEXT)}, number = {.type = type_of(TYPE_INT4), .never_null = true};
    static const struct { const char *text; int32_t number; } ROWS[] = {{"", -5}, {"", 7}, {"a", -1}, {"a", 0}, {"a", 1}, {"ab", -100}, {"b", -100}};
    Buffer last, next;
    buffer_init(&last, 1000);
    buffer_init(&next, 1000);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        StrRef ref = strref_make(ROWS[i].text, strlen(ROWS[i].text));
        buffer_clear(&next);
        key_put(&next, &text, &ref);
        key_put(&next, &number, &ROWS[i].number);
        key_pad(&next);
        assert_true(i == 0 || key_compare(buffer_bytes(&last), buffer_bytes(&next)) < 0);
        buffer_clear(&last);
        buffer_append(&last, next.data, next.len);
    }
    buffer_deinit(&last);
    buffer_deinit(&next);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_are_in_the_values_order), cmocka_unit_test(trailing_blanks_of_char_do_not_count),
                                       cmocka_unit_test(no_key_is_the_beginning_of_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

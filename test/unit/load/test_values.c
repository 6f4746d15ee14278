/* SPDX-License-Identifier: Apache-2.0
 * test_values.c - texts as values of every type, as the loader reads them. */
#include "load/load_internal.h"
#include "base/number.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* Physical value as text: integers and times as numbers, text as it is, 16 bytes in hexadecimal. */
static void show(const LoadColumn *column, char *out) {
    switch (type_physical(column->type.id)) {
    case PHYS_BIT:
        strcpy(out, bit_get(column->data, 1) ? "true" : "false");
        break;
    case PHYS_8:
        sprintf(out, "%d", ((int8_t *)column->data)[1]);
        break;
    case PHYS_16:
        sprintf(out, "%d", ((int16_t *)column->data)[1]);
        break;
    case PHYS_32:
        sprintf(out, "%d", ((int32_t *)column->data)[1]);
        break;
    case PHYS_64:
        sprintf(out, "%lld", (long long)((int64_t *)column->data)[1]);
        break;
    case PHYS_F32:
        out[format_float(out, ((float *)column->data)[1], DOUBLE_POSTGRES)] = '\0';
        break;
    case PHYS_F64:
        out[format_double(out, ((double *)column->data)[1], DOUBLE_POSTGRES)] = '\0';
        break;
    case PHYS_STR: {
        Str text = strref_str(&((StrRef *)column->data)[1]);
        sprintf(out, "%.*s", STR_ARG(text));
        break;
    }
    default:
        if (column->type.id == TYPE_NUMERIC) {
            out[numeric_format(out, numeric_from_slot(&((NumericSlot *)column->data)[1]))] = '\0';
        } else {
            for (size_t i = 0; i < 16; i++) {
                sprintf(out + 2 * i, "%02x", ((uint8_t *)column->data)[16 + i]);
            }
        }
    }
}

typedef struct ValueCase {
    Type type;
    const char *text, *want; /* want NULL: refused */
    const char *pattern;
    int32_t zone_offset;     /* seconds east, 0 = none */
} ValueCase;

#define T(name) {.id = TYPE_##name}
static const ValueCase CASES[] = {
    {T(BOOL), "TRUE", "true", NULL, 0},
    {T(BOOL), "f", "false", NULL, 0},
    {T(BOOL), "2", NULL, NULL, 0},
    {T(BYTE), "-128", "-128", NULL, 0},
    {T(BYTE), "128", NULL, NULL, 0},
    {T(INT2), "32767", "32767", NULL, 0},
    {T(INT2), "32768", NULL, NULL, 0},
    {T(INT4), "-2147483648", "-2147483648", NULL, 0},
    {T(INT4), "2147483648", NULL, NULL, 0},
    {T(INT4), "1.0", NULL, NULL, 0},
    {T(INT4), "-", NULL, NULL, 0},
    {T(INT4), "+7", "7", NULL, 0},
    {T(INT8), "9223372036854775807", "9223372036854775807", NULL, 0},
    {T(INT8), "-9223372036854775808", "-9223372036854775808", NULL, 0},
    {T(INT8), "9223372036854775808", NULL, NULL, 0},
    {T(INT8), "999999999999999999", "999999999999999999", NULL, 0},
    {T(INT8), "12x", NULL, NULL, 0},
    {T(FLOAT8), "804.1", "804.1", NULL, 0},
    {T(FLOAT8), "-0.5", "-0.5", NULL, 0},
    {T(FLOAT8), ".5", "0.5", NULL, 0},
    {T(FLOAT8), "5.", "5", NULL, 0},
    {T(FLOAT8), "123456789012345", "123456789012345", NULL, 0},
    {T(FLOAT8), "0.1234567890123456789", "0.12345678901234568", NULL, 0},
    {T(FLOAT8), "1e300", "1e+300", NULL, 0},
    {T(FLOAT8), "nan", "NaN", NULL, 0},
    {T(FLOAT8), ".", NULL, NULL, 0},
    {T(FLOAT8), "1.2.3", NULL, NULL, 0},
    {T(FLOAT4), "0.1", "0.1", NULL, 0},
    {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}, "804.10", "80410", NULL, 0},
    {{.id = TYPE_DECIMAL8, .precision = 4, .scale = 2}, "100", NULL, NULL, 0},
    {{.id = TYPE_DECIMAL8, .precision = 4, .scale = 2}, "99.994", "9999", NULL, 0},
    {{.id = TYPE_DECIMAL8, .precision = 4, .scale = 2}, "99.995", NULL, NULL, 0},
    {T(NUMERIC), "1.500", "1.500", NULL, 0},
    {T(NUMERIC), "12345678901234567890123456789", "12345678901234567890123456789", NULL, 0},
    {T(VARCHAR), "a text longer than twelve bytes", "a text longer than twelve bytes", NULL, 0},
    {{.id = TYPE_VARCHAR, .length = 3}, "abcd", NULL, NULL, 0},
    {{.id = TYPE_BPCHAR, .length = 4}, "ab", "ab  ", NULL, 0},
    {T(CHAR), "\xe2\x98\x83", "9731", NULL, 0},
    {T(CHAR), "ab", NULL, NULL, 0},
    {T(BYTEA), "\\x6162", "ab", NULL, 0},
    {T(BYTEA), "\\x616", NULL, NULL, 0},
    {T(UUID), "11111111-2222-3333-4444-5555555555ff", "111111112222333344445555555555ff", NULL, 0},
    {T(UUID), "11111111-2222-3333-4444-5555555555f", NULL, NULL, 0},
    {T(DATE), "1970-01-02", "1", NULL, 0},
    {T(DATE), "1969-12-31", "-1", NULL, 0},
    {T(DATE), "2024-02-30", NULL, NULL, 0},
    {T(DATE), "Jan 5 1970", "4", NULL, 0},
    {T(DATE), "1970-01-02", "1", NULL, 20700},
    {T(TIMESTAMP), "1970-01-01T00:00:01.5Z", "1500000", NULL, 0},
    {T(TIMESTAMP), "1970-01-01 00:00:01.000001", "1000001", NULL, 0},
    {T(TIMESTAMP), "1970-01-01T05:45:00+05:45", "0", NULL, 0},
    {T(TIMESTAMP), "1970-01-01T05:45:00+0545", "0", NULL, 0},
    {T(TIMESTAMP), "1969-12-31 19:00:00-05", "0", NULL, 0},
    {T(TIMESTAMP), "2024-04-22 11:00:02.123456", "1713762902123456", NULL, 20700},
    {T(TIMESTAMP), "2024-04-22T05:15:02.123456Z", "1713762902123456", NULL, 20700},
    {T(TIMESTAMP), "1970-01-01T24:00:00", "86400000000", NULL, 0},
    {T(TIMESTAMP), "1970-01-01T00:00:60Z", "60000000", NULL, 0},
    {T(TIMESTAMP), "1970-01-01T00:00:00.Z", NULL, NULL, 0},
    {T(TIMESTAMP), "1970-01-01T00:00:00x", NULL, NULL, 0},
    {T(TIMESTAMP), "1970-01-02", "86400000000", NULL, 0},
    {T(TIMESTAMP), "1970-01-02 00:01", "86460000000", NULL, 0},
    {T(TIMESTAMP), "1667347199939", "1667347199939000", NULL, 0},
    {T(TIMESTAMP), "1667347199", "1667347199000000", NULL, 0},
    {T(TIMESTAMP), "1667347199939123", "1667347199939123", NULL, 0},
    {T(TIMESTAMP), "31/12/1969 23:59:59", "-1000000", "d/M/y H:m:s", 0},
    {T(TIMESTAMP), "1969-12-31", NULL, "d/M/y H:m:s", 0},
    {T(TIMESTAMP_NS), "1970-01-01T00:00:00.123456789Z", "123456789", NULL, 0},
    {T(TIMESTAMP_MS), "1970-01-01T00:00:00.123Z", "123", NULL, 0},
    {T(TIMESTAMPTZ), "1970-01-01 00:00:00", "0", NULL, 0},
};

static void texts_become_values(void **state) {
    (void)state;
    Arena heap;
    int wrong = 0;
    arena_init(&heap, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const ValueCase *c = &CASES[i];
        LoadColumn column;
        ColumnDef def = {.name = STR("c"), .type = c->type};
        const Zone *zone = c->zone_offset != 0 ? zone_fixed(&heap, c->zone_offset) : NULL;
        Str pattern = c->pattern != NULL ? str_from_c(c->pattern) : STR("");
        assert_int_equal(load__column_init(&column, &def, pattern, zone, &heap, NULL), ERR_OK);
        for (int turn = 0; turn < 2; turn++) { /* the second turn meets the caches */
            char got[128] = "refused";
            if (column.parse(&column, str_from_c(c->text), 1)) {
                show(&column, got);
            }
            if (strcmp(got, c->want != NULL ? c->want : "refused") != 0) {
                print_message("%s \"%s\": got %s, want %s\n", type_sql_name(c->type.id), c->text, got, c->want);
                wrong++;
            }
        }
        load__column_deinit(&column);
    }
    arena_deinit(&heap);
    assert_int_equal(wrong, 0);
}

static void nulls_clear_value_and_validity(void **state) {
    (void)state;
    Arena heap;
    LoadColumn column;
    arena_init(&heap, SIZE_MAX);
    ColumnDef def = {.name = STR("c"), .type = T(INT8)};
    assert_int_equal(load__column_init(&column, &def, STR(""), NULL, &heap, NULL), ERR_OK);
    assert_true(column.parse(&column, STR("7"), 0));
    assert_null(load__column_block(&column, 1).valid);
    load__column_null(&column, 0);
    ColumnBlock block = load__column_block(&column, 1);
    assert_int_equal(block.valid[0], 0);
    assert_int_equal(((const int64_t *)block.data)[0], 0);
    load__column_deinit(&column);
    arena_deinit(&heap);
}

/* Every length up to the inline limit and past it: value, prefix and zeros behind. */
static void short_texts_are_padded_references(void **state) {
    (void)state;
    static const char TEXT[] = "abcdefghijklmnopqrst";
    Arena heap;
    LoadColumn column;
    arena_init(&heap, SIZE_MAX);
    ColumnDef def = {.name = STR("c"), .type = T(VARCHAR)};
    assert_int_equal(load__column_init(&column, &def, STR(""), NULL, &heap, NULL), ERR_OK);
    for (size_t len = 0; len <= 20; len++) {
        char copy[20];
        memcpy(copy, TEXT, len);
        assert_true(column.parse(&column, (Str){copy, len}, 0));
        StrRef want = strref_make(TEXT, len);
        assert_true(strref_equal(&((StrRef *)column.data)[0], &want));
        if (len <= 16) {
            uint64_t word[2], expected[2] = {0, 0};
            memcpy(expected, TEXT, len);
            load__pad((Str){TEXT, len}, word);
            assert_int_equal(word[0], expected[0]);
            assert_int_equal(word[1], expected[1]);
        }
    }
    load__column_deinit(&column);
    arena_deinit(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_values),
        cmocka_unit_test(nulls_clear_value_and_validity),
        cmocka_unit_test(short_texts_are_padded_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

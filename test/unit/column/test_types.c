/* SPDX-License-Identifier: Apache-2.0
 * test_types.c - the type table, names of both dialects, small values. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/types.h"

static void names_of_both_dialects(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool questdb;
        TypeId want;
        int dims;
    } ROWS[] = {
        {"int", false, TYPE_INT4, 0},          {"LONG", false, TYPE_INT8, 0},
        {"date", false, TYPE_DATE, 0},         {"date", true, TYPE_TIMESTAMP_MS, 0},
        {"float", false, TYPE_FLOAT8, 0},      {"float", true, TYPE_FLOAT4, 0},
        {"char", false, TYPE_BPCHAR, 0},       {"char", true, TYPE_CHAR, 0},
        {"decimal", false, TYPE_NUMERIC, 0},   {"decimal", true, TYPE_DECIMAL8, 0},
        {"Double[]", true, TYPE_FLOAT8_ARRAY, 1}, {"double[][]", false, TYPE_FLOAT8_ARRAY, 2}, {"double precision[][]", false, TYPE_ARRAY, 0},
        {"timestamp with time zone", false, TYPE_TIMESTAMPTZ, 0}, {"string", true, TYPE_VARCHAR, 0},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Type type = {0};
        if (!type_from_name(str_from_c(ROWS[i].name), ROWS[i].questdb, &type) || type.id != ROWS[i].want ||
            type.dims != ROWS[i].dims) {
            fail_msg("%s gives %d", ROWS[i].name, type.id);
        }
    }
    Type type;
    assert_false(type_from_name(STR("nosuch"), false, &type));
    assert_true(type_from_name(STR("text[]"), false, &type));
}

static void formats_types(void **state) {
    (void)state;
    static const struct {
        Type type;
        const char *sql, *exec;
    } ROWS[] = {
        {{.id = TYPE_INT8}, "bigint", "LONG"},
        {{.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}, "numeric(10,2)", "DECIMAL(10,2)"},
        {{.id = TYPE_VARCHAR, .length = 7}, "character varying(7)", "VARCHAR"},
        {{.id = TYPE_FLOAT8_ARRAY, .dims = 2}, "double precision[][]", "ARRAY"},
        {{.id = TYPE_TIMESTAMP_NS}, "timestamp_ns", "TIMESTAMP_NS"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        char out[64] = {0};
        size_t len = type_format_sql(out, sizeof out, ROWS[i].type);
        assert_string_equal(out, ROWS[i].sql);
        assert_int_equal(len, strlen(ROWS[i].sql));
        type_format_exec(out, sizeof out, ROWS[i].type);
        assert_string_equal(out, ROWS[i].exec);
    }
    char small[5];
    assert_int_equal(type_format_sql(small, sizeof small, type_of(TYPE_INT8)), 4);
    assert_string_equal(small, "bigi");
}

static void decimals_choose_their_width(void **state) {
    (void)state;
    assert_int_equal(type_decimal(18, 3).id, TYPE_DECIMAL8);
    assert_int_equal(type_decimal(19, 3).id, TYPE_DECIMAL16);
    assert_int_equal(physical_bytes(type_physical(TYPE_DECIMAL16)), 16);
}

static void text_refs_compare_bytewise(void **state) {
    (void)state;
    static const char *const ORDERED[] = {
        "", "a", "ab", "abc", "abcd", "abcde", "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn", "abd", "b", "\xc3\xa4",
    };
    for (size_t i = 0; i < COUNT_OF(ORDERED); i++) {
        for (size_t j = 0; j < COUNT_OF(ORDERED); j++) {
            StrRef a = strref_make(ORDERED[i], strlen(ORDERED[i]));
            StrRef b = strref_make(ORDERED[j], strlen(ORDERED[j]));
            int order = strref_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
            assert_int_equal(strref_equal(&a, &b), i == j);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_both_dialects),
        cmocka_unit_test(formats_types),
        cmocka_unit_test(decimals_choose_their_width),
        cmocka_unit_test(text_refs_compare_bytewise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_record.c - rows as values: fields in and out, text, order and hash, bytes that are cut off. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/record.h"

enum { LIMIT = 1 << 20 };

typedef struct Sample { bool number_null; int32_t number; const char *text; /* NULL: SQL NULL */ } Sample;

static void make(Buffer *out, Sample sample) {
    StrRef ref = strref_make(sample.text == NULL ? "" : sample.text, sample.text == NULL ? 0 : strlen(sample.text));
    buffer_clear(out);
    record_begin(out, 2);
    record_add(out, type_of(TYPE_INT4), sample.number_null ? NULL : &sample.number);
    record_add(out, type_of(TYPE_TEXT), sample.text == NULL ? NULL : &ref);
}

static void fields_come_back(void **state) {
    (void)state;
    Buffer bytes;
    RecordReader reader;
    Type type;
    bool null = false;
    AnyValue value;
    int32_t number;
    buffer_init(&bytes, LIMIT);
    make(&bytes, (Sample){false, 42, NULL});
    assert_true(record_open(buffer_str(&bytes), &reader));
    assert_true(record_next(&reader, &type, &null, &value));
    memcpy(&number, value.bytes, sizeof number);
    assert_int_equal(type.id, TYPE_INT4);
    assert_false(null);
    assert_int_equal(number, 42);
    assert_true(record_next(&reader, &type, &null, &value));
    assert_int_equal(type.id, TYPE_TEXT);
    assert_true(null);
    assert_false(record_next(&reader, &type, &null, &value));
    buffer_deinit(&bytes);
}

static void text_is_quoted_where_needed(void **state) {
    (void)state;
    static const struct {
        Sample sample;
        const char *text;
    } ROWS[] = {
        {{false, 1, "a"}, "(1,a)"},           {{false, 1, "a b"}, "(1,\"a b\")"},     {{true, 0, NULL}, "(,)"},
        {{false, -7, ""}, "(-7,\"\")"},       {{false, 1, "x\"y"}, "(1,\"x\"\"y\")"}, {{false, 1, "a,b"}, "(1,\"a,b\")"},
        {{false, 1, "(z)"}, "(1,\"(z)\")"},   {{false, 1, "b\\c"}, "(1,\"b\\\\c\")"},
    };
    Buffer bytes, text;
    TextStyle style = {0};
    buffer_init(&bytes, LIMIT);
    buffer_init(&text, LIMIT);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        make(&bytes, ROWS[i].sample);
        buffer_clear(&text);
        record_format(buffer_str(&bytes), &style, &text);
        buffer_append_char(&text, '\0');
        assert_string_equal((const char *)text.data, ROWS[i].text);
    }
    buffer_deinit(&bytes);
    buffer_deinit(&text);
}

static void order_goes_field_by_field(void **state) {
    (void)state;
    static const Sample ASCENDING[] = {{false, 1, ""}, {false, 1, "a"}, {false, 1, "b"}, {false, 1, NULL}, {false, 2, "a"}, {true, 0, "a"}, {true, 0, NULL}};
    Buffer a, b;
    buffer_init(&a, LIMIT);
    buffer_init(&b, LIMIT);
    for (size_t i = 0; i < COUNT_OF(ASCENDING); i++) {
        for (size_t k = 0; k < COUNT_OF(ASCENDING); k++) {
            make(&a, ASCENDING[i]);
            make(&b, ASCENDING[k]);
            int order = record_compare(buffer_str(&a), buffer_str(&b));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
            if (i == k) {
                assert_int_equal(record_hash(buffer_str(&a)), record_hash(buffer_str(&b)));
            }
        }
    }
    buffer_deinit(&a);
    buffer_deinit(&b);
}

static void cut_bytes_end_early(void **state) {
    (void)state;
    Buffer bytes;
    buffer_init(&bytes, LIMIT);
    make(&bytes, (Sample){false, 42, "some text"});
    for (size_t len = 0; len < bytes.len; len++) {
        RecordReader reader;
        Type type;
        bool null = false;
        AnyValue value;
        uint32_t fields = 0;
        if (!record_open(str_slice(buffer_str(&bytes), 0, len), &reader)) {
            continue;
        }
        while (record_next(&reader, &type, &null, &value)) {
            fields++;
        }
        assert_true(fields < 2);
    }
    buffer_deinit(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_back),
        cmocka_unit_test(text_is_quoted_where_needed),
        cmocka_unit_test(order_goes_field_by_field),
        cmocka_unit_test(cut_bytes_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

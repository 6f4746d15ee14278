/* SPDX-License-Identifier: Apache-2.0
 * test_any_array.c - arrays of any type: texts in and out, order and hash, bytes that are refused, numbers and NULLs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/number.h"
#include "column/any_array.h"

enum { LIMIT = 1 << 20 };

static ErrorCode read_int(void *context, Str text, AnyArrayBuilder *builder, Error *err) {
    int64_t value = 0;
    bool overflow = false;
    (void)context;
    if (!parse_int64(text, &value, &overflow)) {
        return error_set(err, ERR_INVALID_TEXT, 0, "no number");
    }
    int32_t narrow = (int32_t)value;
    any_array_add(builder, &narrow);
    return ERR_OK;
}

static ErrorCode read_text(void *context, Str text, AnyArrayBuilder *builder, Error *err) {
    StrRef ref = strref_make(text.len == 0 ? "" : text.data, text.len);
    (void)context;
    (void)err;
    any_array_add(builder, &ref);
    return ERR_OK;
}

static ErrorCode parse(const char *text, TypeId element, Buffer *out, Error *err) {
    buffer_clear(out);
    return any_array_parse(str_from_c(text), element, element == TYPE_INT4 ? read_int : read_text, NULL, out, err);
}

static void texts_go_round(void **state) {
    (void)state;
    static const struct {
        TypeId element;
        const char *text, *again; /* NULL: refused */
    } ROWS[] = {
        {TYPE_INT4, "{1,2,3}", "{1,2,3}"},
        {TYPE_INT4, " { 1 , NULL , 3 } ", "{1,NULL,3}"},
        {TYPE_INT4, "{}", "{}"},
        {TYPE_INT4, "{{},{}}", "{}"},
        {TYPE_INT4, "[0:1]={5,6}", "[0:1]={5,6}"},
        {TYPE_INT4, "[1:2]={5,6}", "{5,6}"},
        {TYPE_INT4, "[-1:0][2:3]={{1,2},{3,4}}", "[-1:0][2:3]={{1,2},{3,4}}"},
        {TYPE_INT4, "{{{{{{7}}}}}}", "{{{{{{7}}}}}}"},
        {TYPE_TEXT, "{a,\"b c\",null,\"NULL\",\"\",\"x\\\"y\",\"back\\\\slash\"}", "{a,\"b c\",NULL,\"NULL\",\"\",\"x\\\"y\",\"back\\\\slash\"}"},
        {TYPE_TEXT, "{d\\,e, \"a long text that does not fit inline\"}", "{\"d,e\",\"a long text that does not fit inline\"}"},
        {TYPE_INT4, "{1,2", NULL},
        {TYPE_INT4, "1,2}", NULL},
        {TYPE_INT4, "{1,,2}", NULL},
        {TYPE_INT4, "{1,2}x", NULL},
        {TYPE_INT4, "{a}", NULL},
        {TYPE_INT4, "{{1,2},{3}}", NULL},
        {TYPE_INT4, "{1,{2}}", NULL},
        {TYPE_INT4, "[1:3]={1,2}", NULL},
        {TYPE_INT4, "[2:1]={1}", NULL},
        {TYPE_INT4, "{{{{{{{7}}}}}}}", NULL},
    };
    Buffer bytes, text;
    TextStyle style = {0};
    buffer_init(&bytes, LIMIT);
    buffer_init(&text, LIMIT);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Error err = {0};
        AnyArray array;
        ErrorCode code = parse(ROWS[i].text, ROWS[i].element, &bytes, &err);
        if ((code == ERR_OK) != (ROWS[i].again != NULL)) {
            fail_msg("%s: %s", ROWS[i].text, err.message);
        }
        if (code != ERR_OK) {
            continue;
        }
        assert_int_equal(any_array_view(buffer_str(&bytes), &array, NULL), ERR_OK);
        buffer_clear(&text);
        any_array_format(&array, &style, &text);
        buffer_append_char(&text, '\0');
        assert_string_equal((const char *)text.data, ROWS[i].again);
    }
    buffer_deinit(&bytes);
    buffer_deinit(&text);
}

static void order_and_hash_go_by_values_then_shape(void **state) {
    (void)state;
    static const char *const ASCENDING[] = {"{}", "{1}", "[2:2]={1}", "{1,2}", "{{1,2}}", "{1,3}", "{1,NULL}", "{2}", "{NULL}"};
    Buffer a_bytes, b_bytes;
    AnyArray a, b;
    Error err = {0};
    buffer_init(&a_bytes, LIMIT);
    buffer_init(&b_bytes, LIMIT);
    for (size_t i = 0; i < COUNT_OF(ASCENDING); i++) {
        for (size_t k = 0; k < COUNT_OF(ASCENDING); k++) {
            assert_int_equal(parse(ASCENDING[i], TYPE_INT4, &a_bytes, &err), ERR_OK);
            assert_int_equal(parse(ASCENDING[k], TYPE_INT4, &b_bytes, &err), ERR_OK);
            assert_int_equal(any_array_view(buffer_str(&a_bytes), &a, NULL), ERR_OK);
            assert_int_equal(any_array_view(buffer_str(&b_bytes), &b, NULL), ERR_OK);
            int order = any_array_compare(&a, &b), want = (i > k) - (i < k);
            if ((order > 0) - (order < 0) != want) {
                fail_msg("%s beside %s: %d", ASCENDING[i], ASCENDING[k], order);
            }
            if (i == k) {
                assert_int_equal(any_array_hash(&a), any_array_hash(&b));
            }
        }
    }
    buffer_deinit(&a_bytes);
    buffer_deinit(&b_bytes);
}

/* Every prefix of valid bytes is refused, and so are dimensions that do not fit. */
static void damaged_bytes_are_refused(void **state) {
    (void)state;
    Buffer bytes;
    AnyArray array;
    Error err = {0};
    buffer_init(&bytes, LIMIT);
    assert_int_equal(parse("{a,NULL,\"some longer text here\"}", TYPE_TEXT, &bytes, &err), ERR_OK);
    for (size_t len = 0; len < bytes.len; len++) {
        assert_int_not_equal(any_array_view(str_slice(buffer_str(&bytes), 0, len), &array, &err), ERR_OK);
    }
    bytes.data[0] = ANY_ARRAY_DIMS_MAX + 1;
    assert_int_not_equal(any_array_view(buffer_str(&bytes), &array, &err), ERR_OK);
    buffer_deinit(&bytes);
}

static void elements_are_read_by_number(void **state) {
    (void)state;
    AnyArrayBuilder builder;
    Buffer bytes;
    AnyArray array;
    AnyValue value;
    uint32_t lengths[2] = {2, 2};
    int32_t lowers[2] = {0, 5};
    buffer_init(&bytes, LIMIT);
    any_array_begin(&builder, TYPE_INT8, LIMIT);
    for (int64_t i = 0; i < 4; i++) {
        int64_t number = i * 1000000007;
        any_array_add(&builder, i == 2 ? NULL : &number);
    }
    assert_int_equal(any_array_end(&builder, 2, lengths, lowers, &bytes, NULL), ERR_OK);
    any_array_abandon(&builder);
    assert_int_equal(any_array_view(buffer_str(&bytes), &array, NULL), ERR_OK);
    assert_int_equal(array.count, 4);
    assert_int_equal(array.lowers[1], 5);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(any_array_is_null(&array, i), i == 2);
        if (i != 2) {
            int64_t number;
            any_array_value(&array, i, &value);
            memcpy(&number, value.bytes, sizeof number);
            assert_int_equal(number, (int64_t)i * 1000000007);
        }
    }
    buffer_deinit(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_go_round),
        cmocka_unit_test(order_and_hash_go_by_values_then_shape),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(elements_are_read_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

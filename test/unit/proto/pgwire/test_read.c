/* SPDX-License-Identifier: Apache-2.0
 * test_read.c - the client's messages out of bytes, and bytes that are not what their lengths and counts say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "hex.h"
#include "proto/pgwire/pgwire.h"

static Arena arena;

static int begin(void **state) {
    (void)state;
    arena_init(&arena, SIZE_MAX);
    return 0;
}

static int end(void **state) {
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static Bytes body(const char *hex) {
    uint8_t *bytes = arena_alloc_aligned(&arena, strlen(hex) + 1, 1);
    return bytes_from(bytes, from_hex(hex, bytes));
}

static void assert_str(Str got, const char *want) {
    assert_string_equal(arena_c_text(&arena, got), want);
}

static void whole_messages(void **state) {
    (void)state;
    PgQuery query;
    assert_int_equal(pgwire_read_query(body("'select 1;'00"), &query, NULL), ERR_OK);
    assert_str(query.text, "select 1;");
    PgParse parse;
    assert_int_equal(pgwire_read_parse(body("'s1'00 'select $1'00 0002 00000017 00000000"), &parse, NULL), ERR_OK);
    assert_str(parse.statement, "s1");
    assert_str(parse.text, "select $1");
    assert_int_equal(parse.oid_count, 2);
    assert_int_equal(pgwire_oid(&parse, 0), 23);
    assert_int_equal(pgwire_oid(&parse, 1), 0);
    PgTarget target;
    assert_int_equal(pgwire_read_target(PG_DESCRIBE, body("'S' 's1'00"), &target, NULL), ERR_OK);
    assert_int_equal(target.kind, 'S');
    assert_str(target.name, "s1");
    PgExecute execute;
    assert_int_equal(pgwire_read_execute(body("00 00000032"), &execute, NULL), ERR_OK);
    assert_int_equal(execute.row_max, 50);
    assert_int_equal(pgwire_read_execute(body("'c' 00 ffffffff"), &execute, NULL), ERR_OK);
    assert_int_equal(execute.row_max, 0);
    Str text;
    assert_int_equal(pgwire_read_copy_fail(body("'no more'00"), &text, NULL), ERR_OK);
    assert_str(text, "no more");
    assert_int_equal(pgwire_read_password(body("'p\xff'00"), &text, NULL), ERR_OK); /* need not be UTF-8 */
    assert_int_equal(text.len, 2);
    PgSaslInitial initial;
    assert_int_equal(pgwire_read_sasl_initial(body("'SCRAM-SHA-256'00 00000003 'n,,'"), &initial, NULL), ERR_OK);
    assert_str(initial.mechanism, "SCRAM-SHA-256");
    assert_int_equal(initial.data.len, 3);
    assert_int_equal(pgwire_read_sasl_initial(body("'X'00 ffffffff"), &initial, NULL), ERR_OK);
    assert_null(initial.data.data);
}

static void bind_with_its_formats(void **state) {
    (void)state;
    PgBind bind;
    assert_int_equal(pgwire_read_bind(body("'p'00 's'00 0002 0000 0001 0002 00000002'42' ffffffff 0001 0001"), &arena, &bind, NULL), ERR_OK);
    assert_str(bind.portal, "p");
    assert_str(bind.statement, "s");
    assert_int_equal(bind.parameter_count, 2);
    assert_int_equal(pgwire_format(&bind.parameter_formats, 0), 0);
    assert_int_equal(pgwire_format(&bind.parameter_formats, 1), 1);
    assert_memory_equal(bind.parameters[0].data, "42", 2);
    assert_null(bind.parameters[1].data);
    assert_int_equal(pgwire_format(&bind.result_formats, 7), 1);
    assert_int_equal(pgwire_formats_check(&bind.result_formats, 8, NULL), ERR_OK);
    /* one format code without parameters, as asyncpg sends it */
    assert_int_equal(pgwire_read_bind(body("00 00 0001 0001 0000 0001 0001"), &arena, &bind, NULL), ERR_OK);
    assert_int_equal(bind.parameter_count, 0);
    /* an empty value is not NULL */
    assert_int_equal(pgwire_read_bind(body("00 00 0000 0001 00000000 0000"), &arena, &bind, NULL), ERR_OK);
    assert_non_null(bind.parameters[0].data);
    assert_int_equal(bind.parameters[0].len, 0);
    PgFormats two = {.count = 2, .codes = (const uint8_t *)"\0\0\0\1"};
    assert_int_equal(pgwire_formats_check(&two, 3, NULL), ERR_PROTOCOL);
    PgFunctionCall call;
    assert_int_equal(pgwire_read_function_call(body("00000400 0001 0001 0001 00000004 00000001 0001"), &arena, &call, NULL), ERR_OK);
    assert_int_equal(call.oid, 1024);
    assert_int_equal(call.result_format, 1);
}

typedef struct BadRow { char type; const char *hex; ErrorCode want; } BadRow;
static const BadRow BAD[] = {
    {'Q', "'select 1'", ERR_PROTOCOL},                     /* no NUL at the end */
    {'Q', "'select'00'1'00", ERR_PROTOCOL},                /* a NUL inside */
    {'Q', "'a'c328 00", ERR_INVALID_ENCODING},
    {'Q', "'a'eda080 00", ERR_INVALID_ENCODING},           /* a surrogate */
    {'P', "00 'x'00 0001", ERR_PROTOCOL},                  /* a type that is not there */
    {'P', "00 'x'00 ffff 00000017", ERR_PROTOCOL},
    {'P', "00 'x'00 0000 00", ERR_PROTOCOL},               /* a byte too many */
    {'P', "ff00 'x'00 0000", ERR_INVALID_ENCODING},
    {'P', "00 'x'ff00 0000", ERR_INVALID_ENCODING},
    {'B', "00 00 0000 ffff 0000", ERR_PROTOCOL},           /* parameters that are not there */
    {'B', "00 00 0000 0001 7fffffff 0000", ERR_PROTOCOL},  /* a length that lies */
    {'B', "00 00 0000 0001 fffffffe 0000", ERR_PROTOCOL},  /* neither a length nor NULL */
    {'B', "00 00 0002 0000 0000 0001 ffffffff 0000", ERR_PROTOCOL},
    {'B', "00 00 0001 0002 0001 ffffffff 0000", ERR_INVALID_PARAMETER},
    {'B', "00 00 0000 0000 0001 ffff", ERR_INVALID_PARAMETER},
    {'B', "00 00 ffff 0000", ERR_PROTOCOL},
    {'B', "00 ff00 0000 0000 0000", ERR_INVALID_ENCODING},
    {'D', "'X'00", ERR_PROTOCOL},
    {'C', "'S'", ERR_PROTOCOL},
    {'E', "00 000000", ERR_PROTOCOL},
    {'E', "00 00000000 00", ERR_PROTOCOL},
    {'f', "'x'", ERR_PROTOCOL},
    {'p', "'secret'", ERR_PROTOCOL},
    {'i', "'SCRAM-SHA-256'00 000000ff 'n,,'", ERR_PROTOCOL},
    {'F', "00000400 0000 0001 00000004 0000", ERR_PROTOCOL},
};

static ErrorCode read_any(char type, Bytes bytes) {
    union { PgQuery query; PgParse parse; PgBind bind; PgTarget target; PgExecute execute; PgFunctionCall call; PgSaslInitial initial; Str text; } out;
    switch (type) {
    case 'Q':
        return pgwire_read_query(bytes, &out.query, NULL);
    case 'P':
        return pgwire_read_parse(bytes, &out.parse, NULL);
    case 'B':
        return pgwire_read_bind(bytes, &arena, &out.bind, NULL);
    case 'D':
        return pgwire_read_target(PG_DESCRIBE, bytes, &out.target, NULL);
    case 'C':
        return pgwire_read_target(PG_CLOSE, bytes, &out.target, NULL);
    case 'E':
        return pgwire_read_execute(bytes, &out.execute, NULL);
    case 'f':
        return pgwire_read_copy_fail(bytes, &out.text, NULL);
    case 'p':
        return pgwire_read_password(bytes, &out.text, NULL);
    case 'i':
        return pgwire_read_sasl_initial(bytes, &out.initial, NULL);
    default:
        return pgwire_read_function_call(bytes, &arena, &out.call, NULL);
    }
}

static void wrong_messages_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        ErrorCode code = read_any(BAD[i].type, body(BAD[i].hex));
        if (code != BAD[i].want) {
            fail_msg("row %zu (%c %s): %s", i, BAD[i].type, BAD[i].hex, error_name(code));
        }
    }
}

static void encoding_errors_show_the_bytes(void **state) {
    (void)state;
    static const struct { const char *hex, *want; int64_t position; } CASES[] = {
        {"'abc' e282 'x'", "invalid byte sequence for encoding \"UTF8\": 0xe2 0x82 0x78", 3},
        {"ff", "invalid byte sequence for encoding \"UTF8\": 0xff", 0},
        {"'a' 00 'b'", "invalid byte sequence for encoding \"UTF8\": 0x00", 1},
        {"'a' f09f98", "invalid byte sequence for encoding \"UTF8\": 0xf0 0x9f 0x98", 1},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        Bytes bytes = body(CASES[i].hex);
        Error err = {0};
        assert_int_equal(pgwire_text_check(str_from((const char *)bytes.data, bytes.len), &err), ERR_INVALID_ENCODING);
        assert_string_equal(err.message, CASES[i].want);
        assert_int_equal(err.position, CASES[i].position);
    }
    assert_int_equal(pgwire_text_check(STR(""), NULL), ERR_OK);
    assert_int_equal(pgwire_text_check(STR("Z\xc3\xbcrich"), NULL), ERR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_messages, begin, end),
        cmocka_unit_test_setup_teardown(bind_with_its_formats, begin, end),
        cmocka_unit_test_setup_teardown(wrong_messages_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(encoding_errors_show_the_bytes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

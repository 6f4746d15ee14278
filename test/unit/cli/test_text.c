/* SPDX-License-Identifier: Apache-2.0
 * test_text.c - where statements end, JSON answers, URLs, widths of text. */
#include "cli/http_client.h"
#include "cli/json_reader.h"
#include "cli/target.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

typedef struct EndCase {
    const char *text;
    size_t end; /* 0 = not complete */
    bool empty;
} EndCase;
static const EndCase ENDS[] = {
    {"", 0, true},
    {" \n\t", 0, true},
    {";", 1, true},
    {"SELECT 1", 0, false},
    {"SELECT 1;", 9, false},
    {"SELECT 1; SELECT 2;", 9, false},
    {"SELECT ';';", 11, false},
    {"SELECT 'it''s;';", 16, false},
    {"SELECT ';", 0, false},
    {"SELECT \";\";", 11, false},
    {"-- a;\nSELECT 1;", 15, false},
    {"-- only a comment;", 0, true},
    {"-- a;\n", 0, true},
    {"/* ; */;", 8, true},
    {"/* /* ; */ ; */ SELECT 1;", 25, false},
    {"/* open ;", 0, true},
    {"SELECT $$;$$;", 13, false},
    {"SELECT $a$;$$;$a$;", 18, false},
    {"SELECT $1;", 10, false},
    {"SELECT a$b;c$b;", 11, false},
    {"SELECT E'\\';';", 14, false},
    {"SELECT '\\';", 11, false},
    {"SELECT 1 - 2 / 3;", 17, false},
    {"- 1;", 4, false},
};

static void statements_end_at_their_semicolon(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ENDS); i++) {
        Str text = str_from_c(ENDS[i].text);
        if (statement_end(text) != ENDS[i].end || statement_is_empty(text) != ENDS[i].empty) {
            print_message("\"%s\": end %zu, empty %d\n", ENDS[i].text, statement_end(text), statement_is_empty(text));
            fail();
        }
    }
}

/* Every value as name=text, nested ones as written. */
static Str walk(Str json, Buffer *out, bool *failed_out) {
    JsonReader reader = {.text = json};
    Buffer key;
    buffer_init(&key, 4096);
    buffer_clear(out);
    for (json_enter(&reader, '{'); json_next(&reader, '}');) {
        buffer_clear(&key);
        Str name = json_string(&reader, &key);
        json_colon(&reader);
        buffer_append_str(out, name);
        buffer_append_char(out, '=');
        if (json_peek(&reader) == '"') {
            (void)json_string(&reader, out);
        } else {
            buffer_append_str(out, json_raw(&reader));
        }
        buffer_append_char(out, ';');
    }
    *failed_out = reader.failed;
    buffer_deinit(&key);
    return buffer_str(out);
}

typedef struct JsonCase {
    const char *json, *want; /* NULL = fails */
} JsonCase;
static const JsonCase JSON[] = {
    {"{}", ""},
    {" { } ", ""},
    {"{\"a\":1}", "a=1;"},
    {"{\"a\": -1.5e3 , \"b\": null, \"c\":true}", "a=-1.5e3;b=null;c=true;"},
    {"{\"a\":\"x\\\"y\\\\\\n\"}", "a=x\"y\\\n;"},
    {"{\"a\":\"\\u00fc\\u2603\\ud83d\\ude80\"}", "a=\xc3\xbc\xe2\x98\x83\xf0\x9f\x9a\x80;"},
    {"{\"a\":[1,[2,\"]\"],{\"b\":\"}\"}],\"c\":2}", "a=[1,[2,\"]\"],{\"b\":\"}\"}];c=2;"},
    {"", NULL},
    {"[1]", NULL},
    {"{\"a\"", NULL},
    {"{\"a\":\"open", NULL},
    {"{\"a\":[1,2", NULL},
    {"{\"a\":\"\\x\"}", NULL},
    {"{\"a\":1 \"b\":2}", NULL},
};

static void json_is_walked(void **state) {
    (void)state;
    Buffer out;
    buffer_init(&out, 4096);
    for (size_t i = 0; i < COUNT_OF(JSON); i++) {
        bool failed = false;
        Str got = walk(str_from_c(JSON[i].json), &out, &failed);
        bool fine = JSON[i].want == NULL ? failed : !failed && str_equal(got, str_from_c(JSON[i].want));
        if (!fine) {
            print_message("%s: %s %.*s\n", JSON[i].json, failed ? "failed" : "fine", STR_ARG(got));
            fail();
        }
    }
    buffer_deinit(&out);
}

static void urls_are_taken_apart(void **state) {
    (void)state;
    static const struct {
        const char *url, *host, *port; /* host NULL = refused */
    } URLS[] = {
        {"http://127.0.0.1:9001", "127.0.0.1", "9001"}, {"http://localhost", "localhost", "9000"}, {"http://h:1/path", "h", "1"},
        {"http://[::1]:9002/", "::1", "9002"},          {"https://h", NULL, NULL},                 {"http://", NULL, NULL},
        {"http://:9000", NULL, NULL},                   {"http://h:", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(URLS); i++) {
        HttpClient client;
        ErrorCode code = http_client_init(&client, URLS[i].url, NULL);
        assert_int_equal(code == ERR_OK, URLS[i].host != NULL);
        if (code == ERR_OK) {
            assert_string_equal(client.host, URLS[i].host);
            assert_string_equal(client.port, URLS[i].port);
        }
    }
    Buffer out;
    buffer_init(&out, 100);
    http_url_escape(&out, STR("a b=\xc3\xbc&~"));
    assert_true(str_equal(buffer_str(&out), STR("a%20b%3D%C3%BC%26~")));
    buffer_deinit(&out);
}

static void widths_count_terminal_columns(void **state) {
    (void)state;
    assert_int_equal(text_width(STR("abc")), 3);
    assert_int_equal(text_width(STR("\xc3\xbc")), 1);
    assert_int_equal(text_width(STR("\xe6\x97\xa5\xe6\x9c\xac")), 4);
    assert_int_equal(text_width(STR("e\xcc\x81")), 1);
    assert_int_equal(text_width(STR("\xf0\x9f\x9a\x80")), 2);
    assert_int_equal(text_width(STR("\xff\xfe")), 2); /* no UTF-8: a column a byte */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_end_at_their_semicolon),
        cmocka_unit_test(json_is_walked),
        cmocka_unit_test(urls_are_taken_apart),
        cmocka_unit_test(widths_count_terminal_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

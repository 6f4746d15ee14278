/* SPDX-License-Identifier: Apache-2.0
 * test_lexer.c - tokens one by one: kinds, values, positions; every keyword is found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "sql/parse/lexer.h"

typedef struct TokenCase {
    const char *text;
    const char *want; /* kind:value@offset ... ; E@offset at an error */
    Dialect dialect;
} TokenCase;

static const char kind_letters[] = {'.', 'w', 'q', 's', 'b', 'i', 'n', 'x', '$', 'v', 'o', 'p'};

static void describe(const char *text, Dialect dialect, Buffer *out) {
    Arena arena;
    Lexer lexer;
    Token token;
    Error err = {0};
    arena_init(&arena, 1 << 20);
    lexer_init(&lexer, str_from_c(text), 0, dialect, &arena, &err);
    for (;;) {
        lexer_next(&lexer, &token);
        if (token.kind == TOKEN_END) {
            break;
        }
        buffer_printf(out, "%s%c:%.*s@%u", out->len > 0 ? " " : "", kind_letters[token.kind], STR_ARG(token.text), token.at);
    }
    if (lexer.code != ERR_OK) {
        buffer_printf(out, "%sE@%d", out->len > 0 ? " " : "", (int)err.position);
    }
    arena_deinit(&arena);
}

static void tokens_are_cut_as_postgresql_and_questdb_do(void **state) {
    static const TokenCase cases[] = {
        {"", "", 0},
        {"select A_b1$, \"X\"\"y\"", "w:select@0 w:a_b1$@7 p:,@12 q:X\"y@14", 0},
        {"Select", "w:Select@0", DIALECT_QUESTDB},
        {"prix\xC3\xA9", "w:prix\xC3\xA9@0", 0},
        {"'it''s' E'a\\n\\'\\x41\\u20AC'", "s:it's@0 s:a\n'A\xE2\x82\xAC@8", 0},
        {"'a'\n'b'  'c'", "s:ab@0 s:c@9", 0},
        {"$$a'b$$ $t$x$$y$t$ $1", "s:a'b@0 s:x$$y@8 $:1@19", 0},
        {"b'01' X'fF'", "b:b'01'@0 b:X'fF'@6", 0},
        {"12 1_000 1.5 .5 1e5 1.5E-3 0x1F 5m 12.5m 1e", "i:12@0 i:1000@3 n:1.5@9 n:.5@13 n:1e5@16 n:1.5E-3@20 i:0x1F@27 x:5m@32 x:12.5m@35 x:1e@41", 0},
        {"a<-1 a<>b a->>b x=@v @v !~* ||", "w:a@0 o:<@1 o:-@2 i:1@3 w:a@5 o:<>@6 w:b@8 w:a@10 o:->>@11 w:b@14 w:x@16 o:=@17 v:v@18 v:v@21 o:!~*@24 o:||@28", 0},
        {"a::int :x := .. [1:2]", "w:a@0 p:::@1 w:int@3 p::@7 w:x@8 p::=@10 p:.@13 p:.@14 p:[@16 i:1@17 p::@18 i:2@19 p:]@20", 0},
        {"a -- x\nb /* /* */ */ c--", "w:a@0 w:b@7 w:c@21", 0},
        {"a*/* x */b", "w:a@0 o:*@1 w:b@9", 0},
        {"'abc", "E@0", 0},
        {"a \"x", "w:a@0 E@2", 0},
        {"\"\"", "E@0", 0},
        {"a /* b", "w:a@0 E@2", 0},
        {"$x$ a", "E@0", 0},
        {"E'\\uD800'", "E@2", 0},
        {"E'\\xff'", "E@0", 0},
        {"b'012'", "E@4", 0},
        {"a \x01", "w:a@0 E@2", 0},
        {"a { b", "w:a@0 E@2", 0},
        {"$1a", "E@0", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Buffer out;
        buffer_init(&out, 1 << 20);
        describe(cases[i].text, cases[i].dialect, &out);
        buffer_append_char(&out, 0);
        if (strcmp((const char *)out.data, cases[i].want) != 0) {
            fail_msg("row %zu: %s\n got  %s\n want %s", i, cases[i].text, (const char *)out.data, cases[i].want);
        }
        buffer_deinit(&out);
    }
}

static void every_keyword_is_found_in_any_case(void **state) {
    (void)state;
    for (int k = 1; k < KEYWORD_COUNT; k++) {
        Str text = keyword_text((Keyword)k);
        char upper[32];
        for (size_t i = 0; i < text.len; i++) {
            upper[i] = (char)(text.data[i] >= 'a' && text.data[i] <= 'z' ? text.data[i] - 32 : text.data[i]);
        }
        assert_int_equal(keyword_find(text), k);
        assert_int_equal(keyword_find((Str){upper, text.len}), k);
        assert_int_equal(keyword_find(str_slice(text, 0, text.len - 1)) == (Keyword)k, 0);
    }
    assert_int_equal(keyword_find(STR("trades")), NO_KEYWORD);
    assert_int_equal(keyword_find(STR("")), NO_KEYWORD);
}

static void names_are_plain_only_if_they_come_back_as_they_are(void **state) {
    (void)state;
    assert_true(lexer_name_is_plain(STR("abc_1"), DIALECT_POSTGRES));
    assert_true(lexer_name_is_plain(STR("Abc"), DIALECT_QUESTDB));
    assert_false(lexer_name_is_plain(STR("Abc"), DIALECT_POSTGRES));
    assert_false(lexer_name_is_plain(STR("select"), DIALECT_POSTGRES));
    assert_false(lexer_name_is_plain(STR("1a"), DIALECT_POSTGRES));
    assert_false(lexer_name_is_plain(STR("a b"), DIALECT_POSTGRES));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_cut_as_postgresql_and_questdb_do),
        cmocka_unit_test(every_keyword_is_found_in_any_case),
        cmocka_unit_test(names_are_plain_only_if_they_come_back_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

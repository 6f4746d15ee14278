/* SPDX-License-Identifier: Apache-2.0
 * test_limits.c - depth bombs end in 54001 with an offset; long lists, chains and texts cost no depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "sql/parse/parse.h"

enum { TEXT_MAX = 64 << 20 };

static void repeat(Buffer *out, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buffer_append_str(out, str_from_c(text));
    }
}

typedef struct Shape { const char *head, *open, *middle, *close, *tail; } Shape;

static ErrorCode parse_shape(const Shape *shape, size_t count, Error *err) {
    Buffer text;
    Arena arena;
    AstStatement *statement = NULL;
    size_t end = 0;
    buffer_init(&text, TEXT_MAX);
    arena_init(&arena, (size_t)1 << 30);
    repeat(&text, shape->head, 1);
    repeat(&text, shape->open, count);
    repeat(&text, shape->middle, 1);
    repeat(&text, shape->close, count);
    repeat(&text, shape->tail, 1);
    ErrorCode code = sql_parse(buffer_str(&text), 0, DIALECT_POSTGRES, &arena, &statement, &end, err);
    if (code == ERR_OK) {
        Buffer out;
        buffer_init(&out, TEXT_MAX);
        sql_deparse(statement, &out);
        assert_false(out.failed);
        buffer_deinit(&out);
    }
    arena_deinit(&arena);
    buffer_deinit(&text);
    return code;
}

static void nesting_is_refused_beyond_the_limit(void **state) {
    static const Shape shapes[] = {
        {"select ", "(", "1", ")", ""},
        {"select ", "- ", "a", "", ""},
        {"select ", "not ", "true", "", ""},
        {"select ", "f(", "1", ")", ""},
        {"select ", "(select ", "1", ")", ""},
        {"select * from ", "(select * from ", "t", ") x", ""},
        {"select * from ", "(", "t", ")", ""},
        {"select ", "case when true then ", "1", " end", ""},
        {"select 1", "", "", " + 1", ""},
        {"select 1", "", "", "::int", ""},
        {"select a", "", "", "[1]", ""},
        {"select ", "a || ", "b", "", ""},
        {"select ", "array[", "1", "]", ""},
        {"select * from t", "", "", " cross join t", ""},
        {"", "explain ", "select 1", "", ""},
        {"select 1", " union select 1 except select 1", "", "", ""},
        {"select 1 from t where a in ", "(select a from t where a in ", "(1)", ")", ""},
        {"", "with x as (", "select 1", ") select 1", ""},
        {"select 1 group by ", "grouping sets (", "a", ")", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        Error err = {.position = -2};
        if (parse_shape(&shapes[i], 100, &err) != ERR_OK) {
            fail_msg("row %zu: 100 levels: %s", i, err.message);
        }
        ErrorCode code = parse_shape(&shapes[i], 200000, &err);
        if (code != ERR_TOO_COMPLEX || err.position < 0) {
            fail_msg("row %zu: %s at %d: %s", i, error_name(code), (int)err.position, err.message);
        }
    }
}

static void long_lists_cost_no_depth(void **state) {
    static const Shape shapes[] = {
        {"select 1 from t where a in (0", "", "", ", 123456", ")"},
        {"select 1 from t where a = 1", "", "", " and b = 2", ""},
        {"select 1 from t where a = 1", "", "", " or b = 2", ""},
        {"values (1, 'a')", "", "", ", (2, 'b')", ""},
        {"insert into t values (1, 'a')", "", "", ", (2, 'b')", ""},
        {"select 1", "", "", " union all select 1", ""},
        {"select 1", "", "", ", 1", ""},
        {"select 1 from t", "", "", ", t", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        Error err = {0};
        if (parse_shape(&shapes[i], 100000, &err) != ERR_OK) {
            fail_msg("row %zu: %s", i, err.message);
        }
    }
}

static void ten_megabytes_are_read(void **state) {
    static const Shape shapes[] = {
        {"select '", "", "", "0123456789abcdef", "'"},
        {"select E'", "", "", "\\n\\x410123456789", "'"},
        {"select 1 /* ", "", "", "comment comment ", "*/"},
        {"insert into t values ('x')", "", "", ", ('01234567')  ", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        Error err = {0};
        if (parse_shape(&shapes[i], 655360, &err) != ERR_OK) {
            fail_msg("row %zu: %s", i, err.message);
        }
    }
}

/* Any text with some bytes missing, doubled or changed is an error with an offset inside it, or fine: never a crash. */
static void damaged_statements_are_errors_with_an_offset(void **state) {
    static const char *const seeds[] = {
        "with x as (select a, count(*) filter (where b > 1) over (partition by c order by d rows between 1 preceding and current row) from t where e like 'x%' escape '!') select * from x",
        "create table t (ts timestamp, s symbol capacity 10 nocache index, v numeric(10,2) default 1.5 not null check (v > 0)) timestamp(ts) partition by day wal dedup upsert keys(ts, s)",
        "insert into t (a, b) values (1, 'x'), ($1, :p) on conflict (a) do update set b = excluded.b where t.c returning *",
        "select ts, first(px) from t latest on ts partition by s sample by 5m from '2024' to '2025' fill(prev, 0) align to calendar time zone 'UTC' with offset '01:00' limit -5, 3",
        "alter table t add column a int, drop column if exists b cascade, alter column c type text using c::text",
        "select * from a left join b on a.x = b.x asof join c on (k) tolerance 5s, lateral (select 1) d where (a, b) in (select 1, 2) and x = any(array[1,2]) order by 1 desc nulls last",
    };
    uint32_t random = 12345;
    (void)state;
    for (size_t round = 0; round < 6000; round++) {
        char text[512];
        const char *seed = seeds[round % COUNT_OF(seeds)];
        size_t len = strlen(seed);
        memcpy(text, seed, len);
        for (size_t change = 0; change < 1 + round % 3; change++) {
            random = random * 1664525u + 1013904223u;
            size_t at = (random >> 8) % len;
            size_t from = (random >> 16) % len;
            size_t bytes = MIN_OF((size_t)(1 + (random >> 4) % 9), len - MAX_OF(at, from));
            memmove(text + at, text + from, bytes);
        }
        Arena arena;
        AstStatement *statement = NULL;
        size_t end = 0;
        Error err = {.position = 0};
        arena_init(&arena, 1 << 22);
        ErrorCode code = sql_parse((Str){text, len}, 0, (Dialect)(round % 2), &arena, &statement, &end, &err);
        if (code != ERR_OK) {
            assert_in_range(err.position, 0, len);
        } else {
            Buffer out;
            AstStatement *again = NULL;
            buffer_init(&out, 1 << 22);
            sql_deparse(statement, &out);
            if (sql_parse(buffer_str(&out), 0, (Dialect)(round % 2), &arena, &again, &end, &err) != ERR_OK) {
                fail_msg("%.*s\n deparsed: %.*s\n %s", (int)len, text, (int)out.len, (const char *)out.data, err.message);
            }
            buffer_deinit(&out);
        }
        arena_deinit(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_is_refused_beyond_the_limit),
        cmocka_unit_test(long_lists_cost_no_depth),
        cmocka_unit_test(ten_megabytes_are_read),
        cmocka_unit_test(damaged_statements_are_errors_with_an_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

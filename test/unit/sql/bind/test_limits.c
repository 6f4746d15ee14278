/* SPDX-License-Identifier: Apache-2.0
 * test_limits.c - large statements bind, exploding ones are refused, damaged ones never crash and give an offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "bind_support.h"

static ErrorCode bind_repeated(const char *head, const char *part, size_t count, const char *tail, Error *err) {
    Arena arena;
    Buffer text;
    BoundStatement *bound = NULL;
    arena_init(&arena, (size_t)1 << 31);
    buffer_init(&text, 64 << 20);
    buffer_append_str(&text, str_from_c(head));
    for (size_t i = 0; i < count; i++) {
        buffer_append_str(&text, str_from_c(part));
    }
    buffer_append_str(&text, str_from_c(tail));
    buffer_append_char(&text, 0);
    ErrorCode code = bind_text(DIALECT_POSTGRES, (const char *)text.data, &arena, &bound, err);
    buffer_deinit(&text);
    arena_deinit(&arena);
    return code;
}

static void long_lists_bind(void **state) {
    Error err = {0};
    (void)state;
    assert_int_equal(bind_repeated("select a from bag where a in (0", ", 5", 100000, ")", &err), ERR_OK);
    assert_int_equal(bind_repeated("select a from bag where a = 1", " or b = 2", 100000, "", &err), ERR_OK);
    assert_int_equal(bind_repeated("insert into bag (a, b, c) values (1, 2.5, 'x')", ", (1, 2.5, 'x')", 20000, "", &err), ERR_OK);
    assert_int_equal(bind_repeated("select 1", ", 1", 1500, "", &err), ERR_OK);
    assert_int_equal(bind_repeated("select a from bag", " union all select a from bag", 2000, "", &err), ERR_OK);
}

static void what_explodes_is_refused(void **state) {
    Error err = {0};
    Arena arena;
    BoundStatement *bound = NULL;
    (void)state;
    assert_int_equal(bind_repeated("select 1", ", 1", 3000, "", &err), ERR_TOO_MANY_COLUMNS);
    assert_int_equal(bind_repeated("select a from bag", " union all select a from bag", 20000, "", &err), ERR_TOO_COMPLEX);
    Buffer text; /* each WITH query uses the one before twice: 2^30 relations */
    buffer_init(&text, 1 << 20);
    buffer_append_str(&text, STR("with c0 as (select 1 a)"));
    for (int i = 1; i <= 30; i++) {
        buffer_printf(&text, ", c%d as (select x.a from c%d x cross join c%d y)", i, i - 1, i - 1);
    }
    buffer_append_str(&text, STR(" select * from c30"));
    buffer_append_char(&text, 0);
    arena_init(&arena, (size_t)1 << 30);
    assert_int_equal(bind_text(DIALECT_POSTGRES, (const char *)text.data, &arena, &bound, &err), ERR_TOO_COMPLEX);
    arena_deinit(&arena);
    buffer_deinit(&text);
}

static void damaged_statements_bind_or_fail_with_an_offset(void **state) {
    static const char *const seeds[] = {
        "select sym, sum(qty) s, max(px) filter (where qty > 5) from trades where ts in '2024-10' and sym like 'N%' group by sym having count(*) > 1 order by s desc limit 20",
        "with x as (select a, b from bag where c in ('x', 'y')) select x.a + 1, case when b > 1.5 then 'p' else c end from x join bag using (a) where exists (select 1 from trades)",
        "select ts, sym, first(px), avg(px) * 2 from trades sample by 15m from '2024' to '2025' fill(prev, 0) align to calendar time zone '+05:45' with offset '00:15'",
        "insert into bag (a, b, c, dt) values (1, 2.5, 'x', '2024-01-01'), ($1, null, default, date '2024-02-02')",
        "update bag set a = a + 1, c = upper(c) || 'z', d = 1.25 where b between 1 and 2 or g is not null",
        "select a from bag union all select qty from trades union all values (1), (null) order by 1 desc nulls last limit 3, 6",
    };
    uint32_t random = 99;
    (void)state;
    for (size_t round = 0; round < 12000; round++) {
        char text[512];
        const char *seed = seeds[round % COUNT_OF(seeds)];
        size_t len = strlen(seed);
        memcpy(text, seed, len + 1);
        for (size_t change = 0; change < 1 + round % 2; change++) {
            random = random * 1664525u + 1013904223u;
            size_t at = (random >> 8) % len;
            size_t from = (random >> 16) % len;
            memmove(text + at, text + from, MIN_OF((size_t)(1 + (random >> 4) % 7), len - MAX_OF(at, from)));
        }
        Arena arena;
        Error err = {.position = 0};
        BoundStatement *bound = NULL;
        arena_init(&arena, 1 << 22);
        ErrorCode code = bind_text((Dialect)(round % 2), text, &arena, &bound, &err);
        if (code == ERR_OK && bound->rel != NULL) {
            Buffer out;
            buffer_init(&out, 1 << 22);
            dump_rel(&(Dump){&out, bound->rel}, bound->rel);
            buffer_deinit(&out);
        } else if (code != ERR_OK) {
            assert_true(err.position >= -1 && err.position <= (int64_t)len);
        }
        arena_deinit(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lists_bind),
        cmocka_unit_test(what_explodes_is_refused),
        cmocka_unit_test(damaged_statements_bind_or_fail_with_an_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

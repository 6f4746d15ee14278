/* SPDX-License-Identifier: Apache-2.0
 * test_params.c - which types parameters without declared ones take: PostgreSQL 18's answers to PREPARE, or its SQLSTATE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "bind_support.h"

typedef struct ParamCase { const char *sql, *want; } ParamCase;
static const ParamCase cases[] = {
    {"select '{}'::jsonb -> $1, '{}'::json ->> $2", "text, text"},
    {"select sum($1)", "42725"},
    {"select $1", "text"},
    {"select s from bag where s = $1", "smallint"},
    {"select s from bag where s > $1", "smallint"},
    {"select s from bag where s between $1 and $2", "smallint, smallint"},
    {"select a from bag where a = $1 and b = $2 and c = $3 and d = $4 and dt = $5 and t = $6", "integer, double precision, text, numeric, date, timestamp with time zone"},
    {"select c from bag where c like $1", "text"},
    {"select $1 || 'x'", "text"},
    {"select c || $1 from bag", "text"},
    {"select a from bag where a = any($1)", "integer[]"},
    {"select a from bag where s <> all($1)", "smallint[]"},
    {"select a from bag where c = any($1)", "text[]"},
    {"select a from bag where t = any($1)", "timestamp with time zone[]"},
    {"select case when $1 then 1 end", "boolean"},
    {"select count(*) filter (where $1) from bag", "boolean"},
    {"select a from bag limit $1 offset $2", "bigint, bigint"},
    {"select $1 + 1", "integer"},
    {"select 1 + $1", "integer"},
    {"select $1 + 1.5", "numeric"},
    {"select $1 * 2.0::float8", "double precision"},
    {"select a + $1, b * $2, d - $3 from bag", "integer, double precision, numeric"},
    {"select -$1", "42725"},
    {"select coalesce($1, a) from bag", "integer"},
    {"select coalesce(a, $1), nullif($2, a), greatest($3, a) from bag", "integer, integer, integer"},
    {"values ($1), (1)", "integer"},
    {"select $1 = $2", "text, text"},
    {"select $1 is null", "42P18"},
    {"select $1, $1::int", "42P08"},
    {"select $1 where $1 = 1", "42P08"},
    {"select $1 is not distinct from 1", "integer"},
    {"select t from bag where t >= $1 and t < $1 + interval '1 day'", "timestamp with time zone"},
    {"select $1::date, cast($2 as int8), $3::text[]", "date, bigint, text[]"},
    {"select dt + $1 from bag", "42725"},
    {"select dt - $1 from bag", "date"},
    {"select dt + 1, dt - dt from bag", ""},
    {"select * from generate_series($1,$2)", "42725"},
    {"select * from generate_series(1,$1)", "integer"},
    {"select date_trunc($1,$2)", "42725"},
    {"select date_trunc('day',$1)", "42725"},
    {"select unnest($1)", "42725"},
    {"select extract(epoch from $1)", "42725"},
    {"select t > now() - $1 from bag", "42883"},
    {"select t > now() - $1::interval from bag", "interval"},
    {"select lower($1), length($2), abs($3)", "text, text, double precision"},
    {"select substring($1 from 2), round($2, 2), md5($3)", "text, numeric, text"},
    {"select concat($1, 'a'), $2 in (1,2), $3 in ('a','b')", "42P18"},
    {"select $1 in (select a from bag)", "integer"},
    {"select (select a from bag where a = $1)", "integer"},
    {"select a from bag where (a, b) = ($1, $2)", "integer, double precision"},
    {"select a from bag order by $1", "text"},
    {"insert into bag (a, c, d, dt, t) values ($1, $2, $3, $4, $5)", "integer, text, numeric, date, timestamp with time zone"},
    {"insert into bag (a) values ($1), ($2)", "integer, integer"},
    {"insert into bag (a, b) select $1, $2", "integer, double precision"},
    {"insert into bag (a) values ($1 + 1)", "integer"},
    {"update bag set b = $1, c = $2, d = $3 where a = $4", "double precision, text, numeric, integer"},
    {"update bag set a = a + $1 where b > $2", "integer, double precision"},
    {"delete from bag where dt < $1", "date"},
    {"select array[$1, 1], array[$2]", "integer, text"},
    {"select $1 = 1, $2 = 1.5, $3 = 'a', $4 = true, $5 = now()", "integer, numeric, text, boolean, timestamp with time zone"},
    {"select $1 < current_date", "date"},
    {"select $1 and $2 or not $3", "boolean, boolean, boolean"},
    {"select sum(a) from bag having count(*) > $1", "bigint"},
    {"select $1 like 'a%', 'x' like $2, $3 ~ 'a'", "text, text, text"},
    {"select a from bag where t between $1 and $2", "timestamp with time zone, timestamp with time zone"},
    {"select $1::int + $1", "integer"},
    {"select $1 + $2", "42725"},
    {"select $1 union select 1", "integer"},
    {"select 1 union select $1", "integer"},
    {"select $1 from bag union all select c from bag", "text"},
    {"select power($1, 2), sqrt($2), mod($3, 2)", "double precision, double precision, integer"},
    {"select now() + $1, now() - $1", "interval"},
    {"select t + $1 from bag", "interval"},
    {"select t - $1 from bag", "timestamp with time zone"},
    {"select t at time zone $1 from bag", "text"},
    {"select array_length($1, 1)", "42804"},
    {"select array_append($1, 1), array_append(array[1], $2)", "integer[], integer"},
    {"select array[1,2] @> $1", "integer[]"},
    {"select $1 || array[1]", "integer[]"},
    {"select array_position(array[1], $1)", "integer"},
    {"select (array[1,2])[$1]", "integer"},
    {"select string_to_array($1, ','), array_to_string($2::int[], ',')", "text, integer[]"},
    {"select to_char($1, 'YYYY')", "42725"},
    {"select to_char(now(), $1)", "text"},
    {"select to_timestamp($1, 'YYYY'), to_date($2, $3)", "text, text, text"},
    {"select make_date($1, 1, 1), age($2::timestamp)", "integer, timestamp without time zone"},
    {"select pg_typeof($1)", "42P18"},
    {"select quote_literal($1)", "text"},
    {"select format('%s', $1)", "42P18"},
    {"select position($1 in 'abc'), strpos($2, 'a'), replace($3, 'a', 'b')", "text, text, text"},
    {"select s + $1, s * $2 from bag", "smallint, smallint"},
    {"select $1::regclass, $2::oid", "regclass, oid"},
    {"select a = $1::int8, s = $2::int4 from bag", "bigint, integer"},
    {"select max($1)", "text"},
    {"select string_agg(c, $1) from bag", "text"},
    {"select a from bag where c = $1 or g = $2", "text, text"},
    {"select row($1, 2)", "42P18"},
    {"select exists (select 1 from bag where a = $1)", "integer"},
    {"select lpad($1, $2), repeat($3, $4)", "text, integer, text, integer"},
    {"select $1::int, $1", "integer"},
    {"with x as (select $1 as v) select v from x", "text"},
    {"select * from (values ($1, 1), (2, $2)) t(p, q)", "integer, integer"},
    {"select a from bag where a = $1 and a = $2::text", "42883"},
    {"select interval '1 day' * $1", "double precision"},
    {"select $1 * interval '1 day'", "double precision"},
    {"select a between $1 and 5 from bag", "integer"},
    {"select $1 between 1 and 5", "integer"},
    {"select a % $1, a / $2, a ^ $3 from bag", "integer, integer, double precision"},
    {"select $1 between a and b from bag", "integer"},
    {"select json_build($1)", "42883"},
};

static void parameters_take_the_types_that_postgres_gives(void **state) {
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena;
        Buffer out;
        Error err = {0};
        BoundStatement *bound = NULL;
        arena_init(&arena, 1 << 24);
        buffer_init(&out, 1 << 20);
        if (bind_text(DIALECT_POSTGRES, cases[i].sql, &arena, &bound, &err) != ERR_OK) {
            buffer_append_str(&out, str_from_c(error_sqlstate(err.code)));
        } else {
            for (uint32_t p = 0; p < bound->param_count; p++) {
                char text[64];
                buffer_append_str(&out, p == 0 ? STR("") : STR(", "));
                buffer_append(&out, text, type_format_sql(text, sizeof text, bound->param_types[p]));
            }
        }
        if (!str_equal(buffer_str(&out), str_from_c(cases[i].want))) {
            print_message("%s\n  got  %.*s %s\n  want %s\n", cases[i].sql, STR_ARG(buffer_str(&out)), err.message, cases[i].want);
            wrong++;
        }
        buffer_deinit(&out);
        arena_deinit(&arena);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_take_the_types_that_postgres_gives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

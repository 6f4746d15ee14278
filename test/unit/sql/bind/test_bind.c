/* SPDX-License-Identifier: Apache-2.0
 * test_bind.c - statements and what they bind to: the relation as one line, parameters' types behind |, the designated timestamp behind
 * @ts; or the SQLSTATE and offset of the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "bind_support.h"

typedef struct BindCase { const char *sql, *want; } BindCase;

static const BindCase postgres_cases[] = {
    {"select 1.5, 1.5::float8 + 1, px > 1.5, a = null from bag, trades",
     "{project 1.5:numeric, +(1.5:double precision 1:double precision), >(#12 1.5:double precision), =(#1 NULL:integer)[#31 ?column? numeric, #32 ?column? double precision, #33 ?column? boolean, #34 ?column? boolean] {cross join  =  {scan bag#1} {scan trades#10}}}"},
    {"select count(*), sum(qty), avg(qty), max(ts) from trades",
     "{project #7, #8, #9, #10[#15 count bigint, #16 sum numeric, #17 avg numeric, #18 max timestamp without time zone] {aggregate  : count(), sum(#4), avg(#4), max(#1)[#7 count bigint, #8 sum numeric, #9 avg numeric, #10 max timestamp without time zone] {scan trades#1}}}"},
    {"select $1",
     "{project $1:text[#1 ?column? text] {values 1 }} | text"},
    {"select $1 is null",
     "42P18@7"},
    {"select * from bag where s = $1 and dt >= $2 and t > $3 and t < $3 + interval '1 day'",
     "{filter and(=(#7 $1:smallint) >=(#9 $2:date) >(#8 $3:timestamp with time zone) <(#8 +($3:timestamp with time zone 4294967296:interval))) {scan bag#1}} | smallint, date, timestamp with time zone"},
    {"select $1 + 1, $2 + 1.5, $3 * 2.0::float8, $4 || 'x', $5 = $6, $7::date",
     "{project +($1:integer 1:integer), +($2:numeric 1.5:numeric), *($3:double precision 2:double precision), ||($4:text 'x':text), =($5:text $6:text), $7:date[#1 ?column? integer, #2 ?column? numeric, #3 ?column? double precision, #4 ?column? text, #5 ?column? boolean, #6 date date] {values 1 }} | integer, numeric, double precision, text, text, text, date"},
    {"select coalesce($1, qty) from trades",
     "{project coalesce($1:bigint #4)[#7 coalesce bigint] {scan trades#1}} | bigint"},
    {"select case when $1 then 1 end",
     "{project case($1:boolean 1:integer NULL:integer)[#1 case integer] {values 1 }} | boolean"},
    {"values ($1), (1)",
     "{values 2 $1:integer, 1:integer} | integer"},
    {"insert into bag (a, b, c, g) values ($1, $2, $3, $4)",
     "{values 1 $1:integer, $2:double precision, $3:text, NULL:numeric(10,2), NULL:boolean, $4:text, NULL:smallint, NULL:timestamp with time zone, NULL:date} | integer, double precision, text, text"},
    {"update bag set b = $1 where a = $2",
     "{project #10, #1, $1:double precision, #3, #4, #5, #6, #7, #8, #9[#11 row_ref bigint, #12 a integer, #13 b double precision, #14 c text, #15 d numeric(10,2), #16 Upper boolean, #17 g symbol, #18 s smallint, #19 t timestamp with time zone, #20 dt date] {filter =(#1 $2:integer) {scan bag#1}}} | double precision, integer"},
    {"select a from bag limit $1 offset $2",
     "{limit - $1:bigint $2:bigint {project #1[#10 a integer] {scan bag#1}}} | bigint, bigint"},
    {"select c like $1 from bag",
     "{project like(#3 $1:text)[#10 ?column? boolean] {scan bag#1}} | text"},
    {"select dt + $1 from bag",
     "42725@10"},
    {"select a, count(*) from bag group by a having count(*) > 1 order by count(*) desc",
     "{sort #15 desc nulls first {project #11, #10[#14 a integer, #15 count bigint] {filter >(#10 1:bigint) {aggregate #1 : count()[#11 group integer, #10 count bigint] {scan bag#1}}}}}"},
    {"select a as x from bag order by x, b",
     "{project #10[#12 x integer] {sort #10 #11 {project #1, #2[#10 x integer, #11 order double precision] {scan bag#1}}}}"},
    {"select distinct a from bag order by b",
     "42P10@36"},
    {"select * from bag b1, bag b2 where b1.a = b2.a",
     "{filter =(#1 #10) {cross join  =  {scan bag#1} {scan bag#10}}}"},
    {"select a from bag b1, bag b2",
     "42702@7"},
    {"select b1.* from bag b1",
     "{scan bag#1}"},
    {"select bag.a from bag b1",
     "42P01@7"},
    {"select * from bag b1 join bag b1 on true",
     "42712@-1"},
    {"select a from bag where a = 'abc'",
     "22P02@28"},
    {"select * from bag right join trades on true",
     "{right join  =  and true:boolean {scan bag#1} {scan trades#10}}"},
    {"select * from trades asof join quotes on (sym)",
     "0A000@21"},
    {"select row_number() over (order by ts) from trades",
     "{project #7[#15 row_number bigint] {? {sort #1 {scan trades#1}}}}"},
    {"select ts from trades where ts in '2024-01-01;1h'",
     "{project #1[#7 ts timestamp without time zone] {filter timein(#1 1704067200000000..1704070799999999) {scan trades#1}}} @ts 0"},
    {"select ts from trades where ts in '2024-01-01T00:00;1h;1d;2'",
     "{project #1[#7 ts timestamp without time zone] {filter timein(#1 1704067200000000..1704070799999999 1704153600000000..1704157199999999) {scan trades#1}}} @ts 0"},
    {"select ts from trades where not ts in '2024'",
     "{project #1[#7 ts timestamp without time zone] {filter not(timein(#1 1704067200000000..1735689599999999)) {scan trades#1}}} @ts 0"},
    {"select ts from trades where ts in '2024-13'",
     "22007@34"},
    {"select ts from trades where ts in ('2024-01-01', '2024-02-01')",
     "{project #1[#7 ts timestamp without time zone] {filter in(#1 1704067200000000:timestamp without time zone 1706745600000000:timestamp without time zone) {scan trades#1}}} @ts 0"},
    {"select ts from trades where ts between '2024-01-01' and '2024-01-02'",
     "{project #1[#7 ts timestamp without time zone] {filter and(>=(#1 1704067200000000:timestamp without time zone) <=(#1 1704153600000000:timestamp without time zone)) {scan trades#1}}} @ts 0"},
    {"insert into bag values (1)",
     "{values 1 1:integer, NULL:double precision, 'none':text, NULL:numeric(10,2), NULL:boolean, NULL:text, NULL:smallint, NULL:timestamp with time zone, NULL:date}"},
    {"insert into bag (nosuch) values (1)",
     "42703@17"},
    {"insert into bag (a) values ('x')",
     "22P02@28"},
    {"insert into trades select '2024-01-01', 'a', 1, 2, null, null",
     "{project #1, #2, FLOAT8->double precision(#3), INT8->bigint(#4), #5, #6[#7 ts timestamp without time zone, #8 sym text, #9 px double precision, #10 qty bigint, #11 venue character varying, #12 side text] {project 1704067200000000:timestamp without time zone, 'a':text, 1:integer, 2:integer, NULL:character varying, NULL:text[#1 ?column? timestamp without time zone, #2 ?column? text, #3 ?column? integer, #4 ?column? integer, #5 ?column? character varying, #6 ?column? text] {values 1 }}}"},
    {"create table bag (a int)",
     "42P07@-1"},
    {"create table z (a nosuch)",
     "42704@18"},
    {"create table z (a int, a text)",
     "42701@-1"},
    {"create table z as select 1 a, null b, 'x' c",
     "{project 1:integer, NULL:text, 'x':text[#1 a integer, #2 b text, #3 c text] {values 1 }}"},
    {"alter table bag add column a int",
     "42701@-1"},
    {"alter table bag add column zz int default 5, drop column b, rename column c to cc",
     "kind 9"},
    {"alter table bag drop column nosuch",
     "42703@-1"},
    {"alter table bag alter column a type text",
     "kind 9"},
    {"drop table nosuch", "kind 27"}, /* looked up when it runs */
    {"drop table if exists nosuch, bag cascade", "kind 27"},
    {"drop view v", "kind 27"},
    {"truncate bag, trades",
     "kind 8"},
    {"with recursive x as (select 1) select * from x",
     "{project 1:integer[#1 ?column? integer] {values 1 }}"},
    {"select (select 1, 2)",
     "42601@8"},
    {"select exists(select 1 from bag where a > 1)",
     "{project exists( {project 1:integer[#10 ?column? integer] {filter >(#1 1:integer) {scan bag#1}}})[#11 exists boolean] {values 1 }}"},
    {"select a from bag where exists (select 1 from trades where trades.qty = bag.a)",
     "{project #1[#17 a integer] {filter exists(#1 {project 1:integer[#16 ?column? integer] {filter =(#13 INT8->bigint(outer#1)) {scan trades#10}}}) {scan bag#1}}}"},
    {"select sum(sum(a)) from bag",
     "42803@11"},
    {"select max(a) filter (where b > 1) from bag",
     "{project #10[#12 max integer] {aggregate  : max(#1 filter >(#2 1:double precision))[#10 max integer] {scan bag#1}}}"},
    {"select 9223372036854775807, 9223372036854775808, -9223372036854775808, -2147483648",
     "{project 9223372036854775807:bigint, 9223372036854775808:numeric, -9223372036854775808:bigint, -2147483648:integer[#1 ?column? bigint, #2 ?column? numeric, #3 ?column? bigint, #4 ?column? integer] {values 1 }}"},
    {"select 1 + 'x'",
     "22P02@11"},
    {"select 'a' + 'b'",
     "42725@11"},
    {"select date '2024-01-01' + 1, interval '1' day, timestamp '2024-01-01'",
     "{project +(19723:date 1:integer), 4294967296:interval, 1704067200000000:timestamp without time zone[#1 ?column? date, #2 interval interval, #3 timestamp timestamp without time zone] {values 1 }}"},
    {"select a from bag union select qty from trades order by 1 limit 5",
     "{limit - 5:bigint - {sort #20 {distinct[#20 a bigint] {union[#19 a bigint] {project INT8->bigint(#10)[#18 a bigint] {project #1[#10 a integer] {scan bag#1}}} {project #14[#17 qty bigint] {scan trades#11}}}}}}"},
    {"(select a from bag limit 1) limit 2",
     "42601@34"},
    {"select a from bag except select a from bag",
     "{project #30[#32 a integer] {filter >(#31 0:bigint) {project #27, case(=(#29 0:bigint) #28 0:bigint)[#30 a integer, #31 times bigint] {aggregate #25 : count( filter =(#26 0:bigint)), count( filter =(#26 1:bigint))[#27 a integer, #28  bigint, #29  bigint] {union[#25 a integer, #26 side bigint] {project #10, 0:bigint[#21 a integer, #22 side bigint] {project #1[#10 a integer] {scan bag#1}}} {project #20, 1:bigint[#23 a integer, #24 side bigint] {project #11[#20 a integer] {scan bag#11}}}}}}}}"},
    {"prepare x as select 1",
     "0A000@0"},
    {"copy bag from stdin",
     "0A000@0"},
    {"declare @lo := 2, @hi := 3 select x from long_sequence(5) where x between @lo and @hi",
     "{filter and(>=(#1 2:bigint) <=(#1 3:bigint)) {long_sequence(5:bigint)#1}}"},
    {"select * from generate_series(1, 9, 4) n",
     "{project #2[#3 n integer] {project INT4->integer(#1)[#2 generate_series integer] {generate_series(1:bigint, 9:bigint, 4:bigint)#1}}}"},
    {"select ts, count() from trades sample by 1h from '2024-01-01' to '2024-01-03' fill(null)",
     "{project #10, #7[#11 ts timestamp without time zone, #12 count bigint] {sample 1 unit 5 of #1 keys  aggs count() fill null[#10 timestamp timestamp without time zone, #7 count bigint] {scan trades#1}}} @ts 0"},
    {"select ts, count() from trades sample by 1d align to calendar time zone 'Europe/Berlin' with offset '-01:00'",
     "22023@72"},
    {"select sym, count() from bag sample by 1h",
     "42703@7"},
    {"select x.a from (select a from bag) x",
     "{project #1[#10 a integer] {scan bag#1}}"},
    {"select x.b from (select a from bag) x",
     "42703@7"},
    {"select true is not false, null is unknown",
     "{project not(case(not(true:boolean) true:boolean false:boolean)), isnull(NULL:boolean)[#1 ?column? boolean, #2 ?column? boolean] {values 1 }}"},
    {"select a from bag having a > 1",
     "42803@7"},
    {"select a from bag having sum(a) > 1",
     "42803@7"},
    {"select * from bag b1 join bag b2 using (b)",
     "{project #2, #1, #3, #4, #5, #6, #7, #8, #9, #10, #12, #13, #14, #15, #16, #17, #18[#37 b double precision, #38 a integer, #39 c text, #40 d numeric(10,2), #41 Upper boolean, #42 g symbol, #43 s smallint, #44 t timestamp with time zone, #45 dt date, #46 a integer, #47 c text, #48 d numeric(10,2), #49 Upper boolean, #50 g symbol, #51 s smallint, #52 t timestamp with time zone, #53 dt date] {inner join #2 = #11 {scan bag#1} {scan bag#10}}}"},
    {"select * from \"Trades\"",
     "42P01@14"},
    {"select * from trades a, public.trades b where a.sym = b.sym",
     "{filter =(TEXT->text(#2) TEXT->text(#8)) {cross join  =  {scan trades#1} {scan trades#7}}} @ts 0"},
    {"select 1::numeric(39,0)",
     "{project NUMERIC->numeric(39,0)(NUMERIC->numeric(1:integer))[#1 numeric numeric(39,0)] {values 1 }}"},
    {"select 1::numeric(1001,0)",
     "22023@10"},
    {"select generate_series(1, 3)",
     "{cross join  =  {project [] {values 1 }} {project INT4->integer(#1)[#2 generate_series integer] {generate_series(1:bigint, 3:bigint)#1}}}"},
    {"select a, (with c as (select bag.a) select * from c) from bag",
     "{project #1, scalar(#1 {project outer#1[#10 a integer] {values 1 }})[#11 a integer, #12 ?column? integer] {scan bag#1}}"},
    {"select ts from 'trades'",
     "42601@15"},
    {"select Px, PX from trades",
     "{project #3, #3[#7 px double precision, #8 px double precision] {scan trades#1}}"},
    {"select \"Px\" from trades",
     "42703@7"},
    {"select a from bag order by 2",
     "42P10@27"},
    {"select a from bag group by 2",
     "42P10@27"},
    {"select a + 1, count(*) from bag group by a + 1 order by a + 1",
     "{sort #14 {project #11, #10[#14 ?column? integer, #15 count bigint] {aggregate +(#1 1:integer) : count()[#11 group integer, #10 count bigint] {scan bag#1}}}}"},
    {"select a, count(*) from bag group by b",
     "42803@7"},
    {"select a from bag where b",
     "42804@24"},
    {"select a from bag limit 'x'",
     "22P02@24"},
    {"select * from nosuch",
     "42P01@14"},
    {"select count(a, b) from bag",
     "42883@7"},
    {"select 1 where exists (select 1)",
     "{project 1:integer[#2 ?column? integer] {filter exists( {project 1:integer[#1 ?column? integer] {values 1 }}) {values 1 }}}"},
    {"select a as x, count(*) from bag group by x",
     "{project #11, #10[#14 x integer, #15 count bigint] {aggregate #1 : count()[#11 group integer, #10 count bigint] {scan bag#1}}}"},
    {"select * from bag where a = any(array[1,2])",
     "{filter or(=(#1 1:integer) =(#1 2:integer)) {scan bag#1}}"},
    {"update bag set a = 1, a = 2",
     "42601@-1"},
    {"update bag set nosuch = 1",
     "42703@15"},
    {"select * from bag b1 join bag b2 using (a)",
     "{project #1, #2, #3, #4, #5, #6, #7, #8, #9, #11, #12, #13, #14, #15, #16, #17, #18[#37 a integer, #38 b double precision, #39 c text, #40 d numeric(10,2), #41 Upper boolean, #42 g symbol, #43 s smallint, #44 t timestamp with time zone, #45 dt date, #46 b double precision, #47 c text, #48 d numeric(10,2), #49 Upper boolean, #50 g symbol, #51 s smallint, #52 t timestamp with time zone, #53 dt date] {inner join #1 = #10 {scan bag#1} {scan bag#10}}}"},
    {"select b2.a from bag b1 join bag b2 using (a)",
     "{project #10[#37 a integer] {inner join #1 = #10 {scan bag#1} {scan bag#10}}}"},
    {"select * from unnest(array[1])",
     "{unnest('':integer[])#1}"},
    {"create table z (a int default 'x')",
     "22P02@30"},
    {"create table z (a timestamp) partition by day",
     "42P16@42"},
    {"create table z (a record)",
     "42P16@-1"},
    {"show timezone",
     "0A000@5"},
    {"select min(g), max(ts), first(c) from bag, trades",
     "{project #31, #32, #33[#37 min symbol, #38 max timestamp without time zone, #39 first text] {aggregate  : min(#6), max(#10), first(#3)[#31 min symbol, #32 max timestamp without time zone, #33 first text] {cross join  =  {scan bag#1} {scan trades#10}}}}"},
    {"select coalesce(g, 'x'), g || 'y' from bag",
     "{project coalesce(TEXT->text(#6) 'x':text), ||(TEXT->text(#6) 'y':text)[#10 coalesce text, #11 ?column? text] {scan bag#1}}"},
    {"select a::varchar(3), 1.5::numeric(5,1), 'abc'::varchar(2) from bag",
     "{project VARCHAR->character varying(3)(#1), DECIMAL8->numeric(5,1)(1.5:numeric), VARCHAR->character varying(2)('abc':text)[#10 a character varying(3), #11 numeric numeric(5,1), #12 varchar character varying(2)] {scan bag#1}}"},
    {"select a is distinct from null, (a > 1) is not true from bag",
     "{project is distinct from(#1 NULL:integer), not(case(>(#1 1:integer) true:boolean false:boolean))[#10 ?column? boolean, #11 ?column? boolean] {scan bag#1}}"},
    {"select -a, - (-5), ~a, a % 2, a ^ 2 from bag",
     "{project -(#1), -(-5:integer), ~(#1), %(#1 2:integer), ^(FLOAT8->double precision(#1) 2:double precision)[#10 ?column? integer, #11 ?column? integer, #12 ?column? integer, #13 ?column? integer, #14 ?column? double precision] {scan bag#1}}"},
};

static const BindCase questdb_cases[] = {
    {"select 1 a, 1.5 b, 'xy' c, true d, null e",
     "{project 1:integer, 1.5:double precision, 'xy':text, true:boolean, NULL:text[#1 a integer, #2 b double precision, #3 c text, #4 d boolean, #5 e text] {values 1 }}"},
    {"select 7/2, 1.0/0, 2+3*4, 6 ^ 3, -7/2",
     "{project /(7:integer 2:integer), /(1:double precision 0:double precision), +(2:integer *(3:integer 4:integer)), ^(6:integer 3:integer), /(-7:integer 2:integer)[#1 7/2 integer, #2 1.0/0 double precision, #3 2+3*4 integer, #4 6 ^ 3 integer, #5 -7/2 integer] {values 1 }}"},
    {"select * from trades",
     "{scan trades#1} @ts 0"},
    {"trades",
     "{scan trades#1} @ts 0"},
    {"select sym, sum(qty) s from trades where ts in '2024-10' group by sym order by s desc limit 20",
     "{limit - 20:bigint - {sort #12 desc {project #8, #7[#11 sym symbol, #12 s bigint] {aggregate #2 : sum(#4)[#8 group symbol, #7 sum bigint] {filter timein(#1 1727740800000000..1730419199999999) {scan trades#1}}}}}}"},
    {"select sym, count(), avg(px) from trades",
     "{project #9, #7, #8[#13 sym symbol, #14 count() bigint, #15 avg(px) double precision] {aggregate #2 : count(), avg(#3)[#9 group symbol, #7 count bigint, #8 avg double precision] {scan trades#1}}}"},
    {"select ts, first(px) o, max(px) h, sum(qty) v from trades where sym = 'NABIL' sample by 5m",
     "{project #14, #7, #8, #9[#15 ts timestamp without time zone, #16 o double precision, #17 h double precision, #18 v bigint] {sample 5 unit 4 of #1 keys  aggs first(#3), max(#3), sum(#4)[#14 timestamp timestamp without time zone, #7 first double precision, #8 max double precision, #9 sum bigint] {filter =(TEXT->text(#2) 'NABIL':text) {scan trades#1}}}} @ts 0"},
    {"select ts, sym, avg(px) from trades sample by 1h fill(prev)",
     "{project #12, #8, #7[#13 ts timestamp without time zone, #14 sym symbol, #15 avg(px) double precision] {sample 1 unit 5 of #1 keys #2 aggs avg(#3) fill prev[#12 timestamp timestamp without time zone, #8 key symbol, #7 avg double precision] {scan trades#1}}} @ts 0"},
    {"select count(*) from trades where qty > 500 and px >= 300.0 and px <= 600.0",
     "{project #7[#9 count() bigint] {aggregate  : count()[#7 count bigint] {filter and(>(#4 500:bigint) >=(#3 300:double precision) <=(#3 600:double precision)) {scan trades#1}}}}"},
    {"select distinct sym from trades order by sym",
     "{sort #8 nulls first {distinct[#8 sym symbol] {project #2[#7 sym symbol] {scan trades#1}}}}"},
    {"select * from trades latest on ts partition by sym",
     "{latest #1 by #2 {scan trades#1}} @ts 0"},
    {"select sym from trades where px = null",
     "{project #2[#7 sym symbol] {filter isnull(#3) {scan trades#1}}}"},
    {"select t.sym, q.bid from trades t join quotes q on t.sym = q.sym and q.bid > 2 where t.qty > 1",
     "{project #2, #9[#19 sym symbol, #20 bid double precision] {filter >(#4 1:bigint) {inner join TEXT->text(#2) = TEXT->text(#8) and >(#9 2:double precision) {scan trades#1} {scan quotes#7}}}}"},
    {"select t.sym, q.bid from trades t left join quotes q on (sym)",
     "{project #2, #9[#19 sym symbol, #20 bid double precision] {left join TEXT->text(#2) = TEXT->text(#8) {scan trades#1} {scan quotes#7}}}"},
    {"select a from bag where a in (1, 2, 3) and c like 'x%' and not (b between 1 and 2)",
     "{project #1[#10 a integer] {filter and(in(#1 1:integer 2:integer 3:integer) like(#3 'x%':text) not(and(>=(#2 1:double precision) <=(#2 2:double precision)))) {scan bag#1}}}"},
    {"insert into bag (a, b, c) values (1, 2.5, 'x'), (null, 3, default)",
     "{values 2 1:integer, 2.5:double precision, 'x':text, NULL:numeric(10,2), NULL:boolean, NULL:text, NULL:smallint, NULL:timestamp with time zone, NULL:date, NULL:integer, 3:double precision, 'none':text, NULL:numeric(10,2), NULL:boolean, NULL:text, NULL:smallint, NULL:timestamp with time zone, NULL:date}"},
    {"insert into trades values ('2024-01-01', 'A', 1.5, 2, null, 'B')",
     "{values 1 1704067200000000:timestamp without time zone, 'A':text, 1.5:double precision, 2:bigint, NULL:character varying, 'B':text}"},
    {"insert into trades select ts, sym, px, qty, venue, side from trades",
     "{project #1, #2, #3, #4, #5, #6[#7 ts timestamp without time zone, #8 sym symbol, #9 px double precision, #10 qty bigint, #11 venue character varying, #12 side symbol] {scan trades#1}}"},
    {"update bag set a = a + 1, c = 'y' where b > 1",
     "{project #10, +(#1 1:integer), #2, 'y':text, #4, #5, #6, #7, #8, #9[#11 row_ref bigint, #12 a integer, #13 b double precision, #14 c text, #15 d numeric(10,2), #16 Upper boolean, #17 g symbol, #18 s smallint, #19 t timestamp with time zone, #20 dt date] {filter >(#2 1:double precision) {scan bag#1}}}"},
    {"delete from bag where a = 1",
     "{project #10[#11 row_ref bigint] {filter =(#1 1:integer) {scan bag#1}}}"},
    {"select 1 union all select null union all select 2.5",
     "{union[#5 1 double precision] {project FLOAT8->double precision(#1)[#4 1 double precision] {project 1:integer[#1 1 integer] {values 1 }}} {project NULL:double precision[#2 null double precision] {values 1 }} {project 2.5:double precision[#3 2.5 double precision] {values 1 }}}"},
    {"select x from long_sequence(3) where x > 1",
     "{filter >(#1 1:bigint) {long_sequence(3:bigint)#1}}"},
    {"select nosuch from trades",
     "42703@7"},
    {"select sym, px from trades group by sym",
     "42803@12"},
    {"select count(*) from trades where count(*) > 1",
     "42803@34"},
    {"select nosuchfn(1)",
     "42883@7"},
    {"select $1 + 1, $2 || 'x' from bag where a = $3 limit $4",
     "{limit - $4:bigint - {project +($1:integer 1:integer), ||($2:text 'x':text)[#10 $1 + 1 integer, #11 $2 || 'x' text] {filter =(#1 $3:integer) {scan bag#1}}}} | integer, text, integer, bigint"},
    {"select case when a > 1 then 'x' else c end from bag",
     "{project case(>(#1 1:integer) 'x':text #3)[#10 case when a > 1 then 'x' else c end text] {scan bag#1}}"},
    {"select side, broker from (select 'B' side, sym broker, sum(qty) q from trades group by sym union all select 'S', side, sum(qty) from trades group by side)",
     "{project #33, #34[#36 side text, #37 broker text] {union[#33 side text, #34 broker text, #35 q bigint] {project #11, TEXT->text(#12), #13[#27 side text, #28 broker text, #29 q bigint] {project 'B':text, #8, #7[#11 side text, #12 broker symbol, #13 q bigint] {aggregate #2 : sum(#4)[#8 group symbol, #7 sum bigint] {scan trades#1}}}} {project #24, TEXT->text(#25), #26[#30 'S' text, #31 side text, #32 sum(qty) bigint] {project 'S':text, #21, #20[#24 'S' text, #25 side symbol, #26 sum(qty) bigint] {aggregate #19 : sum(#17)[#21 group symbol, #20 sum bigint] {scan trades#14}}}}}}"},
    {"with s as (select sym, sum(qty) t from trades group by sym) select s.sym, s.t from s where s.t > (select max(t) from s)",
     "{filter >(#12 scalar( {project #25[#27 max(t) bigint] {aggregate  : max(#24)[#25 max bigint] {project #20, #19[#23 sym symbol, #24 t bigint] {aggregate #14 : sum(#16)[#20 group symbol, #19 sum bigint] {scan trades#13}}}}})) {project #8, #7[#11 sym symbol, #12 t bigint] {aggregate #2 : sum(#4)[#8 group symbol, #7 sum bigint] {scan trades#1}}}}"},
    {"select a from bag where a in (select qty from trades)",
     "{project #1[#17 a integer] {filter inrel(INT8->bigint(#1) {project #13[#16 qty bigint] {scan trades#10}}) {scan bag#1}}}"},
    {"select coalesce(null, null, 3), nullif(4, 4), switch(a, 1, 'a', 2, 'b', 'z') from bag",
     "{project coalesce(NULL:integer NULL:integer 3:integer), case(=(4:integer 4:integer) NULL:integer 4:integer), case(=(#1 1:integer) 'a':text =(#1 2:integer) 'b':text 'z':text)[#10 coalesce(null, null, 3) integer, #11 nullif(4, 4) integer, #12 switch(a, 1, 'a', 2, 'b', 'z') text] {scan bag#1}}"},
    {"select '2024-01-01'::timestamp + 1, now() > '2020-01-01', extract(year from ts) from trades",
     "{project +(1704067200000000:timestamp without time zone 1:bigint), >(now() 1577836800000000:timestamp without time zone), extract('year':text #1)[#7 '2024-01-01'::timestamp + 1 timestamp without time zone, #8 now() > '2020-01-01' boolean, #9 extract(year from ts) integer] {scan trades#1}}"},
    {"select Upper, \"Upper\", UPPER from bag",
     "{project #5, #5, #5[#10 Upper boolean, #11 Upper1 boolean, #12 UPPER2 boolean] {scan bag#1}}"},
    {"explain select 1",
     "{project 1:integer[#1 1 integer] {values 1 }}"},
    {"show tables",
     "{all_tables()#1}"},
    {"show columns from trades",
     "{table_columns('trades':text)#1}"},
    {"select \"column\", type from (show columns from trades)",
     "{project #1, #2[#10 column text, #11 type text] {table_columns('trades':text)#1}}"},
    {"set timezone to 'UTC'",
     "0A000@0"},
    {"begin isolation level serializable",
     "0A000@0"},
    {"select sum(d), avg(a), sum(a), max(c), count(distinct a) from bag",
     "{project #10, #11, #12, #13, #14[#20 sum(d) numeric(38,2), #21 avg(a) double precision, #22 sum(a) bigint, #23 max(c) text, #24 count(distinct a) bigint] {aggregate  : sum(#4), avg(#1), sum(#1), max(#3), count(distinct #1)[#10 sum numeric(38,2), #11 avg double precision, #12 sum bigint, #13 max text, #14 count bigint] {scan bag#1}}}"},
    {"select a from bag order by b desc nulls last, 1 limit 3, 6",
     "{project #10[#12 a integer] {range 3:bigint 6:bigint - {sort #11 desc #10 nulls first {project #1, #2[#10 a integer, #11 order double precision] {scan bag#1}}}}}"},
    {"select g, max(a) m from bag group by g order by m",
     "{sort #15 nulls first {project #11, #10[#14 g symbol, #15 m integer] {aggregate #6 : max(#1)[#11 group symbol, #10 max integer] {scan bag#1}}}}"},
    {"select g, count() c from bag group by 1 having count() > 1 order by 2 desc, 1",
     "{sort #15 desc #14 nulls first {project #11, #10[#14 g symbol, #15 c bigint] {filter >(#10 1:bigint) {aggregate #6 : count()[#11 group symbol, #10 count bigint] {scan bag#1}}}}}"},
    {"create table x (ts timestamp, s symbol capacity 10, v double default 1.5 not null) timestamp(ts) partition by day",
     "kind 6"},
    {"create table y as (select ts, sym from trades), cast(sym as varchar) timestamp(ts)",
     "{project #7, VARCHAR->character varying(#8)[#9 ts timestamp without time zone, #10 sym character varying] {project #1, #2[#7 ts timestamp without time zone, #8 sym symbol] {scan trades#1}}}"},
    {"select a from bag where (a, b) = (1, 2)",
     "{project #1[#10 a integer] {filter and(=(#1 1:integer) =(#2 2:double precision)) {scan bag#1}}}"},
    {"select a from bag where (a, b) < (1, 2)",
     "{project #1[#10 a integer] {filter or(<(#1 1:integer) and(=(#1 1:integer) <(#2 2:double precision))) {scan bag#1}}}"},
    {"select a from bag where (a, b) in ((1, 2), (3, 4))",
     "{project #1[#10 a integer] {filter or(and(=(#1 1:integer) =(#2 2:double precision)) and(=(#1 3:integer) =(#2 4:double precision))) {scan bag#1}}}"},
    {"select a from bag where a = any(array[1,2])",
     "{project #1[#10 a integer] {filter or(=(#1 1:integer) =(#1 2:integer)) {scan bag#1}}}"},
    {"select a from bag where a <> all(select a from bag)",
     "{project #1[#20 a integer] {filter not(inrel(#1 {project #10[#19 a integer] {scan bag#10}})) {scan bag#1}}}"},
    {"select a from bag where a in (1, null)",
     "{project #1[#10 a integer] {filter or(=(#1 1:integer) isnull(#1)) {scan bag#1}}}"},
    {"select a from bag where a not in (null)",
     "{project #1[#10 a integer] {filter not(isnull(#1)) {scan bag#1}}}"},
    {"select a from bag where a > any(select 1)",
     "{project #1[#15 a integer] {filter scalar(#1 {project case(#12 true:boolean #13 NULL:boolean false:boolean)[#14 ?column? boolean] {aggregate  : bool_or(>(outer#11 #10)), bool_or(isnull(>(outer#11 #10)))[#12 fold boolean, #13 fold boolean] {project 1:integer[#10 1 integer] {values 1 }}}}) {scan bag#1}}}"},
    {"select c ~~ 'x', c !~~* 'y' from bag",
     "{project like(#3 'x':text), not(ilike(#3 'y':text))[#10 c ~~ 'x' boolean, #11 c !~~* 'y' boolean] {scan bag#1}}"},
    {"select case a when null then 1 end from bag",
     "{project case(=(#1 NULL:integer) 1:integer NULL:integer)[#10 case a when null then 1 end integer] {scan bag#1}}"},
    {"select a from bag where b = null or b != null",
     "{project #1[#10 a integer] {filter or(isnull(#2) not(isnull(#2))) {scan bag#1}}}"},
    {"select null = null, 1 = null, a = 1 from bag",
     "{project true:boolean, false:boolean, =(#1 1:integer)[#10 null = null boolean, #11 1 = null boolean, #12 a = 1 boolean] {scan bag#1}}"},
    {"select count(*), sum(a) + 1 x from bag",
     "{project #10, +(#11 1:bigint)[#14 count() bigint, #15 x bigint] {aggregate  : count(), sum(#1)[#10 count bigint, #11 sum bigint] {scan bag#1}}}"},
    {"select x.ts t, avg(px) * 2 d from trades x sample by 1d",
     "{project #10, *(#7 2:double precision)[#11 t timestamp without time zone, #12 d double precision] {sample 1 unit 6 of #1 keys  aggs avg(#3)[#10 timestamp timestamp without time zone, #7 avg double precision] {scan trades#1}}} @ts 0"},
    {"select ts, avg(px) a, sum(qty) s, min(px) lo from trades sample by 1h fill(prev, 0, null)",
     "{project #14, #7, #8, #9[#15 ts timestamp without time zone, #16 a double precision, #17 s bigint, #18 lo double precision] {sample 1 unit 5 of #1 keys  aggs avg(#3), sum(#4), min(#3) fill prev fill value fill null[#14 timestamp timestamp without time zone, #7 avg double precision, #8 sum bigint, #9 min double precision] {scan trades#1}}} @ts 0"},
    {"select ts, count() from trades sample by 1h align to first observation",
     "{project #10, #7[#11 ts timestamp without time zone, #12 count() bigint] {sample 1 unit 5 of #1 keys  aggs count() first[#10 timestamp timestamp without time zone, #7 count bigint] {scan trades#1}}} @ts 0"},
    {"select ts from trades order by ts desc limit -3",
     "{limit - -3:bigint - {sort #7 desc {project #1[#7 ts timestamp without time zone] {scan trades#1}}}} @ts 0"},
    {"select * from trades latest by sym",
     "{latest #1 by #2 {scan trades#1}} @ts 0"},
    {"select g, count() from bag",
     "{project #11, #10[#14 g symbol, #15 count() bigint] {aggregate #6 : count()[#11 group symbol, #10 count bigint] {scan bag#1}}}"},
    {"select extract(epoch from ts) from trades",
     "{project extract_epoch(#1)[#7 extract(epoch from ts) bigint] {scan trades#1}}"},
    {"insert into bag values (1, 2)",
     "42601@28"},
    {"insert into trades values (null, 'a', 1, 2, 'x', 'y')",
     "23502@27"},
    {"select t.ts, q.ts from trades t join quotes q on (sym)",
     "{project #1, #7[#19 ts timestamp without time zone, #20 ts1 timestamp without time zone] {inner join TEXT->text(#2) = TEXT->text(#8) {scan trades#1} {scan quotes#7}}} @ts 0"},
    {"select 1.9::long, '12'::int, true::int",
     "{project INT8->bigint(1.9:double precision), 12:integer, INT4->integer(true:boolean)[#1 1.9::long bigint, #2 '12'::int integer, #3 true::int integer] {values 1 }}"},
    {"select ts from 'trades'",
     "{project #1[#7 ts timestamp without time zone] {scan trades#1}} @ts 0"},
    {"select a, b, from bag",
     "{project #1, #2[#10 a integer, #11 b double precision] {scan bag#1}}"},
};

static void describe(const BoundStatement *bound, Buffer *out) {
    if (bound->rel != NULL) {
        dump_rel(&(Dump){out, bound->rel}, bound->rel);
    } else {
        buffer_printf(out, "kind %d", bound->kind);
    }
    for (uint32_t i = 0; i < bound->param_count; i++) {
        buffer_printf(out, "%s%s", i == 0 ? " | " : ", ", type_sql_name((TypeId)bound->param_types[i].id));
    }
    if (bound->timestamp_index >= 0) {
        buffer_printf(out, " @ts %d", bound->timestamp_index);
    }
}

static void check_cases(const BindCase *cases, size_t count, Dialect dialect) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        Arena arena;
        Buffer out;
        Error err = {0};
        BoundStatement *bound = NULL;
        arena_init(&arena, 1 << 24);
        buffer_init(&out, 1 << 20);
        if (bind_text(dialect, cases[i].sql, &arena, &bound, &err) != ERR_OK) {
            buffer_printf(&out, "%s@%d", error_sqlstate(err.code), (int)err.position);
        } else {
            describe(bound, &out);
        }
        if (!str_equal(buffer_str(&out), str_from_c(cases[i].want))) {
            print_message("row %zu: %s\n got  %.*s %s\n want %s\n", i, cases[i].sql, STR_ARG(buffer_str(&out)), err.message, cases[i].want);
            wrong++;
        }
        buffer_deinit(&out);
        arena_deinit(&arena);
    }
    assert_int_equal(wrong, 0);
}

static void postgres_statements_bind(void **state) {
    (void)state;
    check_cases(postgres_cases, COUNT_OF(postgres_cases), DIALECT_POSTGRES);
}

static void questdb_statements_bind(void **state) {
    (void)state;
    check_cases(questdb_cases, COUNT_OF(questdb_cases), DIALECT_QUESTDB);
}

static void create_table_gives_a_spec(void **state) {
    Arena arena;
    Error err = {0};
    BoundStatement *bound = NULL;
    (void)state;
    arena_init(&arena, 1 << 24);
    const char *sql = "create table s.x (ts timestamp, k symbol capacity 10, v numeric(10,2) default 1.5 not null) timestamp(ts) partition by week with durability = 'interval(50)'";
    assert_int_equal(bind_text(DIALECT_QUESTDB, "create table x (ts timestamp, k symbol capacity 10, v double default 1.5 not null) timestamp(ts) partition by week bypass wal with durability = 'interval(50)'",
                               &arena, &bound, &err), ERR_OK);
    assert_int_equal(bound->kind, STATEMENT_CREATE_TABLE);
    assert_int_equal(bound->spec.column_count, 3);
    assert_int_equal(bound->spec.designated, 0);
    assert_true(bound->spec.columns[0].not_null);
    assert_int_equal(bound->spec.columns[1].symbol_capacity, 10);
    assert_true(str_equal(bound->spec.columns[2].default_text, STR("1.5")));
    assert_int_equal(bound->spec.columns[2].default_dialect, DIALECT_QUESTDB);
    assert_int_equal(bound->spec.partition, PARTITION_WEEK);
    assert_int_equal(bound->spec.durability, DURABILITY_INTERVAL);
    assert_int_equal(bound->spec.durability_ms, 50);
    assert_false(bound->spec.wal);
    assert_int_equal(bind_text(DIALECT_POSTGRES, sql, &arena, &bound, &err), ERR_UNDEFINED_SCHEMA);
    arena_deinit(&arena);
}

static void alter_table_gives_actions(void **state) {
    Arena arena;
    Error err = {0};
    BoundStatement *bound = NULL;
    (void)state;
    arena_init(&arena, 1 << 24);
    assert_int_equal(bind_text(DIALECT_POSTGRES, "alter table bag add column z int default 5, drop column b, rename column c to cc, add column if not exists a int", &arena, &bound, &err), ERR_OK);
    assert_int_equal(bound->action_count, 4);
    assert_int_equal(bound->actions[0].kind, ALTER_ADD_COLUMN);
    assert_false(bound->actions[0].column.missing_is_null);
    assert_int_equal(bound->actions[0].column.missing_value[0], 5);
    assert_int_equal(bound->actions[1].kind, ALTER_DROP_COLUMN);
    assert_true(str_equal(bound->actions[2].new_name, STR("cc")));
    assert_int_equal(bound->actions[3].kind, ALTER_NOTHING);
    arena_deinit(&arena);
}

static void unknown_names_suggest_the_closest(void **state) {
    Arena arena;
    Error err = {0};
    BoundStatement *bound = NULL;
    (void)state;
    arena_init(&arena, 1 << 24);
    assert_int_equal(bind_text(DIALECT_POSTGRES, "select venu from trades", &arena, &bound, &err), ERR_UNDEFINED_COLUMN);
    assert_non_null(strstr(error_field(&err, 'H'), "the column \"trades.venue\""));
    assert_int_equal(bind_text(DIALECT_QUESTDB, "select venu from trades", &arena, &bound, &err), ERR_UNDEFINED_COLUMN);
    assert_non_null(strstr(err.message, "did you mean \"venue\""));
    assert_int_equal(bind_text(DIALECT_QUESTDB, "select substrin('a', 1)", &arena, &bound, &err), ERR_UNDEFINED_FUNCTION);
    assert_non_null(strstr(err.message, "did you mean substring"));
    arena_deinit(&arena);
}

static void equal_expressions_are_one_pointer(void **state) {
    Arena arena;
    Error err = {0};
    BoundStatement *bound = NULL;
    (void)state;
    arena_init(&arena, 1 << 24);
    assert_int_equal(bind_text(DIALECT_POSTGRES, "select a + 1, (a+1), random(), random() from bag", &arena, &bound, &err), ERR_OK);
    assert_ptr_equal(bound->rel->as.project.exprs[0], bound->rel->as.project.exprs[1]);
    assert_ptr_not_equal(bound->rel->as.project.exprs[2], bound->rel->as.project.exprs[3]);
    arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(postgres_statements_bind),
        cmocka_unit_test(questdb_statements_bind),
        cmocka_unit_test(create_table_gives_a_spec),
        cmocka_unit_test(alter_table_gives_actions),
        cmocka_unit_test(unknown_names_suggest_the_closest),
        cmocka_unit_test(equal_expressions_are_one_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

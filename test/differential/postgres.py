#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random statements on Basalt and PostgreSQL through the same door: same rows, same types and names of columns, same SQLSTATE.

    test/differential/postgres.py [--count 2000] [--seed 1] [--program build/basalt] [--server host:port] [--basalt host:port] [--only KIND]

The PostgreSQL is one that runs (BASALT_POSTGRES or --server, user postgres without a password); it gets a database of its own. Without one, or
without the Python package psycopg, the run is skipped with a message. A statement that Basalt refuses with 0A000 is counted, not failed.
Kinds: expression, cast, text, number, date, array, json, predicate, query, shape, group, window, dml, transaction. Last line: `N passed, N failed`."""
import argparse, collections, os, random, shutil, signal, socket, subprocess, sys, tempfile, time


def skip(why):
    print(f"skipped: {why}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    import psycopg
    from psycopg import pq
except ImportError:
    skip("the Python package psycopg is missing (test/install.sh installs it)")

DATABASE = "basalt_differential"
COLUMNS = {"i": "int4", "b": "int8", "s": "int2", "f": "float8", "n": "numeric", "t": "text", "v": "varchar(8)", "c": "bool", "d": "date", "p": "timestamp",
           "a": "int4[]", "j": "jsonb"}
VALUES = {
    "int4": ["0", "1", "-1", "2", "3", "7", "100", "2147483647", "-2147483648"],
    "int8": ["0::int8", "1::int8", "-5::int8", "9223372036854775807", "3000000000"],
    "int2": ["0::int2", "1::int2", "-3::int2", "32767::int2"],
    "float8": ["0::float8", "1.5::float8", "-2.25::float8", "1e10::float8", "'NaN'::float8", "'Infinity'::float8", "0.1::float8", "-0.5::float8"],
    "float4": ["1.5::float4", "0.1::float4", "-3::float4"],
    "numeric": ["0.0", "1.50", "-2.25", "1000000.001", "0.3333", "12345678901234567890", "'NaN'::numeric", "3.0"],
    "text": ["''", "'a'", "'abc'", "'ABC'", "'Zürich'", "'a b c'", "'%'", "'12'", "' 12 '", "'-1.5'", "'2024-02-29'", "'t'", "'x_y'", "'{1,2}'", "'long text that is not stored inline'"],
    "bool": ["true", "false"],
    "date": ["date '2024-02-29'", "date '1999-12-31'", "date '2000-01-01'", "date 'infinity'"],
    "timestamp": ["timestamp '2024-02-29 12:34:56.789'", "timestamp '1970-01-01'", "timestamp '2000-12-31 23:59:59'"],
    "timestamptz": ["timestamptz '2024-02-29 12:34:56.789+00'", "timestamptz '1970-01-01 00:00:00+02'"],
    "interval": ["interval '1 day'", "interval '1 month 2 days'", "interval '-03:00:00'", "interval '1 year 2 mons 3 days 04:05:06'"],
    "time": ["time '12:34:56'", "time '00:00'"],
    "int4[]": ["array[1,2,3]", "'{}'::int4[]", "array[1,null]", "array[[1,2],[3,4]]", "'[0:1]={5,6}'::int4[]"],
    "text[]": ["array['a','b']", "'{}'::text[]", "array['x',null]"],
    "jsonb": ["'{\"a\":1}'::jsonb", "'[1,2,{\"b\":null}]'::jsonb", "'\"x\"'::jsonb", "'null'::jsonb", "'{\"a\":{\"b\":[true,\"y\"]}}'::jsonb", "'1.50'::jsonb"],
    "bytea": ["'\\x0102'::bytea", "''::bytea"],
    "uuid": ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid"],
}
TYPES = list(VALUES)
NUMBERS = ["int2", "int4", "int8", "float4", "float8", "numeric"]
WORDS = ["'abc'", "'b'", "'B'", "'%b%'", "'_b%'", "'a.c'", "'[a-c]+'", "'(a)(b)?'", "' '", "','", "'xyz'", "'12'", "'ü'"]
CALLS = {  # name: argument types, by kind
    "text": [("length", "text"), ("upper", "text"), ("lower", "text"), ("initcap", "text"), ("reverse", "text"), ("substr", "text", "int"), ("substring", "text", "int", "int"),
             ("left", "text", "int"), ("right", "text", "int"), ("lpad", "text", "int", "text"), ("rpad", "text", "int"), ("repeat", "text", "int"), ("replace", "text", "text", "text"),
             ("translate", "text", "text", "text"), ("split_part", "text", "text", "int"), ("strpos", "text", "text"), ("btrim", "text", "text"), ("ltrim", "text"), ("concat", "any", "any"),
             ("concat_ws", "text", "any", "any"), ("md5", "text"), ("ascii", "text"), ("quote_literal", "text"), ("quote_ident", "text"), ("starts_with", "text", "text"), ("to_hex", "int"),
             ("regexp_replace", "text", "text", "text"), ("regexp_match", "text", "text"), ("string_to_array", "text", "text"), ("octet_length", "text"), ("char_length", "text"),
             ("overlay", "text", "text", "int"), ("format", "text", "any"), ("quote_nullable", "any"), ("regexp_count", "text", "text"), ("regexp_like", "text", "text"), ("chr", "int"),
             ("regexp_substr", "text", "text"), ("regexp_instr", "text", "text"), ("regexp_split_to_array", "text", "text"), ("substring", "text", "text"), ("to_bin", "int"), ("to_oct", "int"),
             ("rtrim", "text", "text"), ("encode", "bytea", "'hex'"), ("bit_length", "text"), ("to_number", "text", "'99G999D9'")],
    "number": [("abs", "num"), ("ceil", "num"), ("floor", "num"), ("round", "num"), ("round", "numeric", "int"), ("trunc", "num"), ("trunc", "numeric", "int"), ("sign", "num"), ("sqrt", "num"),
               ("power", "num", "num"), ("exp", "num"), ("ln", "num"), ("log", "num"), ("mod", "int", "int"), ("div", "numeric", "numeric"), ("gcd", "int", "int"), ("lcm", "int", "int"),
               ("greatest", "num", "num"), ("least", "num", "num"), ("factorial", "int"), ("width_bucket", "num", "num", "num", "int"), ("scale", "numeric"), ("trim_scale", "numeric"),
               ("min_scale", "numeric"), ("cbrt", "float8"), ("degrees", "float8"), ("sin", "float8"), ("sind", "float8"), ("cosd", "float8"), ("tand", "float8"), ("atand", "float8"), ("asind", "float8"), ("sinh", "float8"), ("erf", "float8"), ("numnode", "any"), ("to_char", "num", "'999.99'"), ("num_nulls", "any", "any")],
    "date": [("date_trunc", "'month'", "timestamp"), ("date_part", "'day'", "timestamp"), ("age", "timestamp", "timestamp"), ("justify_days", "interval"), ("make_date", "int", "int", "int"),
             ("extract", "field"), ("to_char", "timestamp", "'YYYY-MM-DD HH24:MI:SS'"), ("date_trunc", "'hour'", "interval"), ("isfinite", "date"), ("make_interval", "int", "int"), ("date_bin", "interval", "timestamp", "timestamp")],
    "array": [("array_length", "int4[]", "int"), ("cardinality", "int4[]"), ("array_append", "int4[]", "int"), ("array_prepend", "int", "int4[]"), ("array_cat", "int4[]", "int4[]"), ("array_remove", "int4[]", "int"),
              ("array_position", "int4[]", "int"), ("array_positions", "int4[]", "int"), ("array_replace", "int4[]", "int", "int"), ("array_to_string", "int4[]", "text"), ("array_upper", "int4[]", "int"),
              ("array_dims", "int4[]"), ("array_ndims", "int4[]"), ("trim_array", "int4[]", "int"), ("array_reverse", "int4[]"), ("array_sort", "int4[]")],
    "json": [("jsonb_typeof", "jsonb"), ("jsonb_array_length", "jsonb"), ("jsonb_set", "jsonb", "path", "jsonb"), ("jsonb_strip_nulls", "jsonb"), ("jsonb_pretty", "jsonb"), ("to_jsonb", "any"), ("to_json", "any"),
             ("jsonb_build_object", "'k'", "any"), ("jsonb_build_array", "any", "any"), ("jsonb_insert", "jsonb", "path", "jsonb"), ("jsonb_extract_path_text", "jsonb", "'a'"), ("json_build_array", "any", "any")],
}
OPERATORS = {"text": ["||", "=", "<", "<>", "like", "not like", "ilike", "~", "!~", "~*", "similar to", ">="],
             "number": ["+", "-", "*", "/", "%", "=", "<>", "<", ">=", "^"],
             "date": ["+", "-", "=", "<", ">", "*"], "array": ["||", "=", "<", "@>", "<@", "&&"],
             "json": ["->", "->>", "#>", "@>", "<@", "?", "||", "-", "=", "#-"], "any": ["=", "<", "is distinct from", "||", "+", "is not distinct from"]}


class Maker:
    def __init__(self, rng):
        self.rng, self.columns = rng, False

    def pick(self, *items):
        return self.rng.choice(items)

    def literal(self, kind):
        rng = self.rng
        if rng.random() < 0.08:
            return rng.choice(["null", f"null::{kind}" if kind in VALUES else "null"])
        if kind == "int":
            return str(rng.choice([0, 1, 2, 3, -1, -2, 5, 10]))
        if kind == "num":
            return rng.choice(VALUES[rng.choice(NUMBERS)])
        if kind == "any":
            return rng.choice(VALUES[rng.choice(TYPES)])
        if kind == "path":
            return rng.choice(["'{a}'", "'{a,b}'", "'{0}'", "'{a,b,1}'", "array['b']", "'{}'"])
        if kind == "text":
            return rng.choice(VALUES["text"] + WORDS)
        return rng.choice(VALUES[kind]) if kind in VALUES else kind

    def column(self, kind):
        names = {"int": "ibs", "num": "ibsfn", "text": "tv", "any": "ibsfntvcdpaj", "timestamp": "p", "date": "d", "bool": "c", "int4[]": "a", "jsonb": "j", "numeric": "n", "float8": "f"}.get(kind)
        return self.rng.choice(names) if names else None

    def atom(self, kind):
        name = self.column(kind) if self.columns and self.rng.random() < 0.5 else None
        return name or self.literal(kind)

    def value(self, kind, depth=0):
        rng, r = self.rng, self.rng.random()
        if depth > 2 or r < 0.5:
            return self.atom(kind)
        family = {"int": "number", "num": "number", "numeric": "number", "float8": "number", "text": "text", "timestamp": "date", "int4[]": "array", "jsonb": "json"}.get(kind)
        if kind == "bool":
            return self.condition(depth + 1)
        if r < 0.6:
            return f"case when {self.condition(depth + 1)} then {self.value(kind, depth + 1)} else {self.value(kind, depth + 1)} end"
        if r < 0.66:
            return f"coalesce({self.value(kind, depth + 1)}, {self.value(kind, depth + 1)})"
        if r < 0.7:
            return f"nullif({self.value(kind, depth + 1)}, {self.value(kind, depth + 1)})"
        if family in ("number", "text", "array") and r < 0.9:
            op = {"number": self.pick("+", "-", "*", "/", "%"), "text": "||", "array": "||"}[family]
            return f"({self.value(kind, depth + 1)} {op} {self.value(kind, depth + 1)})"
        return self.atom(kind)

    def call(self, family, depth=0):
        name, *kinds = self.rng.choice(CALLS[family])
        if kinds == ["field"]:
            return f"extract({self.pick('year', 'month', 'day', 'hour', 'epoch', 'dow', 'doy', 'week', 'quarter', 'second', 'century', 'isoyear')} from {self.value(self.pick('timestamp', 'date', 'interval'), 2)})"
        return f"{name}({', '.join(self.value(k, depth + 1) if not k.startswith(chr(39)) else k for k in kinds)})"

    def condition(self, depth=0):
        rng, r = self.rng, self.rng.random()
        if depth < 3 and r < 0.25:
            return f"({self.condition(depth + 1)} {self.pick('and', 'or')} {self.condition(depth + 1)})"
        if r < 0.3:
            return f"not {self.condition(depth + 1)}" if depth < 3 else "true"
        kind = self.pick("num", "text", "int", "timestamp")
        if r < 0.45:
            return f"{self.value(kind, depth + 1)} is {self.pick('', 'not ')}null"
        if r < 0.55:
            return f"{self.value(kind, depth + 1)} {self.pick('', 'not ')}in ({self.value(kind, 3)}, {self.value(kind, 3)})"
        if r < 0.62:
            return f"{self.value(kind, depth + 1)} {self.pick('', 'not ')}between {self.value(kind, 3)} and {self.value(kind, 3)}"
        if r < 0.68:
            return f"{self.value('int', depth + 1)} {self.pick('=', '<', '<>')} {self.pick('any', 'all')}({self.value('int4[]', 3)})"
        return f"{self.value(kind, depth + 1)} {self.pick('=', '<>', '<', '<=', '>', '>=', 'is distinct from')} {self.value(kind, depth + 1)}"

    # ---- statements; each answers (sql, are the rows in order)

    def statement(self, kind):
        if kind == "expression":
            kind = self.pick("text", "number", "date", "array", "json")
        return self.calls(kind) if kind in CALLS else getattr(self, kind)()

    def calls(self, family):
        rng = self.rng
        kind = {"text": "text", "number": "num", "date": self.pick("timestamp", "date", "interval", "time"), "array": "int4[]", "json": "jsonb"}[family]
        items = []
        for _ in range(rng.randint(1, 2)):
            r = rng.random()
            if r < 0.55:
                items.append(self.call(family))
            elif r < 0.9:
                other = self.pick(kind, kind, "int", "text") if family in ("json", "date", "array") else kind
                if family == "date":
                    other = self.pick("timestamp", "date", "interval", "int", "time")
                items.append(f"{self.value(kind, 2)} {rng.choice(OPERATORS[family])} {self.value(other, 2)}")
            else:
                items.append(f"{self.value('any', 3)} {rng.choice(OPERATORS['any'])} {self.value('any', 3)}")
        return f"select {', '.join(items)}", True

    def cast(self):
        target = self.pick(*TYPES, "varchar(3)", "char(4)", "numeric(5,2)", "numeric(40,2)", "numeric(3,-1)", "numeric(2,4)", "timestamp(0)", "name", "oid", "regtype", "json", "timetz", "interval(0)")
        return f"select {self.value('any', 3)}::{target}, {self.pick(*NUMBERS, 'text', 'date', 'timestamp')} {self.pick(*VALUES['text'], *WORDS)}", True

    def query(self):
        rng, self.columns = self.rng, True
        r = rng.random()
        keys = "k" if rng.random() < 0.7 else "1"
        if r < 0.3:
            items = ", ".join(self.pick(self.value(self.pick("num", "text", "timestamp", "bool", "int4[]"), 1), self.call(self.pick("text", "number", "array"), 2)) for _ in range(rng.randint(1, 3)))
            return f"select k, {items} from one where {self.condition()} order by k", True
        if r < 0.5:
            kind = self.pick("join", "left join", "right join", "full join", "cross join")
            on = "" if kind == "cross join" else f" on l.{self.pick('i', 's', 't', 'd')} = r.{self.pick('i', 's', 't', 'd')}" if rng.random() < 0.5 else " using (i)"
            return f"select l.k, r.k, l.t, r.n from one l {kind} two r{on} order by 1, 2, 3, 4 limit {rng.randint(1, 20)}", True
        if r < 0.65:
            return f"select {self.value('num', 1)} as x, {self.value('text', 1)} from one {self.pick('union', 'union all', 'intersect', 'except', 'except all')} select {self.value('num', 1)}, {self.value('text', 1)} from two order by 1, 2", True
        if r < 0.8:
            sub = self.pick(f"exists (select 1 from two where two.i = one.i)", f"i in (select i from two)", f"n > (select avg(n) from two)", f"i = any (select s from two)", f"(i, t) in (select i, t from two)")
            return f"select k, t from one where {self.pick('', 'not ')}{sub} order by {keys}", True
        if r < 0.9:
            return f"with q as (select {self.value('num', 1)} as x, k from one) select q.x, (select count(*) from two where two.k < q.k) from q where {self.pick('x is not null', 'x > 1', 'k > 3')} order by k", True
        return f"select distinct {self.pick('on (c) c, k', 'c, s', 'd, i % 2', 's, t')} from one order by 1, 2", True

    def group(self):
        rng, self.columns = self.rng, True
        key = self.pick("c", "t", "i % 2", "d", "s", "date_trunc('month', p)")
        aggregates = []
        for _ in range(rng.randint(1, 3)):
            name = self.pick("count", "sum", "avg", "min", "max", "stddev", "variance", "bool_and", "array_agg", "string_agg", "every", "bit_or", "var_pop", "any", "jsonb_agg", "rank")
            argument = self.value("bool" if name in ("bool_and", "every") else "int" if name == "bit_or" else "num", 1) if name not in ("count", "min", "max") else self.atom("any")
            order = self.pick("k", "k desc", "s, k", "t desc nulls last, k", "n, k")
            call = {"array_agg": f"array_agg(i order by {order})", "string_agg": self.pick(f"string_agg(t, ',' order by {order})", "string_agg(distinct t, ',')"), "rank": self.hypothetical(), "any": "count(*)", "jsonb_agg": "jsonb_agg(s order by k)"}.get(
                name, f"{name}({self.pick('', 'distinct ')}{argument})")
            aggregates.append(call + (f" filter (where {self.condition(2)})" if rng.random() < 0.2 else ""))
        having = f" having count(*) > {rng.randint(0, 2)}" if rng.random() < 0.3 else ""
        sets = f"{self.pick('rollup', 'cube')} ({key}, s)" if rng.random() < 0.15 else key
        return f"select {key}, {', '.join(aggregates)} from {self.pick('one', 'two', 'empty')} group by {sets}{having} order by 1, 2", len(aggregates) == 1

    def hypothetical(self):
        name = self.pick("rank", "dense_rank", "percent_rank", "cume_dist")
        kind, column = self.pick(("int", "i"), ("numeric", "n"), ("float8", "f"), ("int", "s"))
        value = self.rng.choice([v for v in VALUES.get(kind, ["0", "1", "2"]) if "null" not in v])
        return f"{name}({value}) within group (order by {column} {self.pick('', 'desc', 'nulls first', 'desc nulls last')})"

    def predicate(self):
        rng = self.rng
        text = self.pick(*VALUES["text"], *WORDS, "'{\"a\":1}'", "'[1,2]'", "'1.5'", "'{\"a\":1,\"a\":2}'", "'\"x\"'", "null")
        pattern = self.pick("'a%'", "'(a|b)+%'", "'_b_'", "'%#\"b#\"%'", "'[a-c]*'", "'a#%'", "'%'")
        items = [f"{text} is {self.pick('', 'not ')}json {self.pick('', 'value', 'array', 'object', 'scalar')} {self.pick('', '', 'with unique keys', 'without unique')}",
                 f"{text} {self.pick('', 'not ')}similar to {pattern} escape '#'", f"substring({text} similar {pattern} escape '#')", f"'{self.pick('0x1F', '-0b101', '0o17', '1_000', '12', '1__2', '0x')}'::int",
                 f"date_trunc('{self.pick('hour', 'minute', 'day', 'month')}', timestamptz '{self.pick('2023-11-05 08:40', '2023-11-05 09:40', '2024-03-10 10:00')}+00', 'US/Pacific')",
                 f"(date '2024-01-01', {self.pick(chr(39) + '2024-02-01' + chr(39) + '::date', 'interval ' + chr(39) + '1 day' + chr(39))}) overlaps (date '{self.pick('2024-01-01', '2024-01-31', '2024-02-01')}', interval '{rng.randint(0, 40)} days')",
                 f"timestamp '2024-07-01 12:00' at time zone '{self.pick('UTC', 'Europe/Paris', '+03', 'EST')}'"]
        return f"select {', '.join(rng.sample(items, 2))}", True

    def source(self):
        """Something to select from with columns x and y."""
        rng, number = self.rng, lambda: self.pick("1", "2", "3", "null", "-1", "10")
        return self.pick("(values " + ", ".join(f"({number()}, {self.pick(*WORDS)})" for _ in range(rng.randint(1, 4))) + ") v(x, y)", "(select i, t from one) v(x, y)", "generate_series(1, 4) with ordinality v(x, y)",
                         "generate_series(1.5, 3, 0.5) with ordinality v(x, y)", "unnest(array[3,1,null], array['p','q']) v(x, y)", "(select k, count(*) from one group by k) v(x, y)",
                         "(select s, max(t) from two group by rollup (s)) v(x, y)", "(select k, d from one union all select i, d from two) v(x, y)", "(one join two using (k)) v(x, y)")

    def shape(self):
        self.columns = True
        nulls = self.pick("", "nulls first", "nulls last", "desc", "desc nulls last")
        r = self.rng.randint(0, 9)
        if r == 0:
            return f"select x, y from {self.source()} order by x {nulls}, y fetch first {self.pick(1, 2, 3)} rows {self.pick('only', 'only', 'with ties')}", True
        if r == 1:
            return f"select v.x, l.* from {self.source()}, lateral (select k, t from one where k {self.pick('=', '<', '>=')} v.x order by k {self.pick('', 'desc')} limit {self.pick(1, 2)}) l order by 1, 2, 3", True
        if r == 2:
            return f"select k, (select {self.pick('max(i)', 'count(*)', 'string_agg(t, chr(44) order by k desc)', 'sum(n) filter (where two.k > one.k)')} from two where two.k {self.pick('=', '<', '<>')} one.k) from one order by {self.pick('2 nulls first, 1', '(select max(i) from two where two.k = one.k), k', 'k desc')}", True
        if r == 3:
            return f"select s, count(*) from one group by s having count(*) >= all (select count(*) from two where two.s = one.s) order by s {nulls}", True
        if r == 4:
            step = self.pick("x + 1, y || x from r where x < 5", "x * 2, y from r where x < 20", "k, t from one join r on one.k = r.x + 1")
            return f"with recursive r(x, y) as (select 1, 'a'::text {self.pick('union', 'union all')} select {step}) select x, y from r order by x, y limit 20", True
        if r == 5:
            ops = [self.pick("union", "union all", "intersect", "except", "intersect all", "except all") for _ in range(2)]
            values = self.pick(("1", "2.5", "null"), ("i", "n", "f"), ("t", "v", "'x'"), ("d", "p", "null"), ("s", "b", "i"))
            arms = [f"select {value} from {self.pick('one', 'two')}" for value in values]
            return f"{arms[0]} {ops[0]} {arms[1]} {ops[1]} {arms[2]} order by 1 {nulls}", True
        if r == 6:
            return f"with a as (select * from {self.source()}), b as materialized (select x, count(*) over (partition by x) as c from a) select distinct on (x) x, c from b order by x {nulls}, c", True
        if r == 7:
            return f"select v.x, w.x from {self.source()} {self.pick('left', 'right', 'full', 'inner')} join {self.source().replace(' v(', ' w(')} on v.x = w.x order by 1, 2", True
        if r == 8:
            return f"select x, case when exists (select from two where two.k = v.x) then 'in' when x in (select i from two) then 'i' else coalesce((select t from one where k = v.x), 'none') end from {self.source()} order by x, 2", True
        return f"select c, s, count(*), grouping(c, s) from one group by {self.pick('grouping sets ((c), (s), ())', 'cube (c, s)', 'rollup (c, s)', 'c, rollup (s)', 'grouping sets ((c, s), c)')} order by 1, 2, 4, 3", True

    def window(self):
        self.columns = True
        frame = self.pick("", "", "rows between 1 preceding and current row", "range between unbounded preceding and current row", "groups between 1 preceding and 1 following",
                          "rows between 2 preceding and 1 preceding", "range between 1 preceding and 2 following", "rows between unbounded preceding and unbounded following exclude current row")
        call = self.pick("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", "lag(i)", "lead(n, 2)", "lag(t, 1, 'none')", "first_value(i)", "last_value(n)", "nth_value(i, 2)",
                         "sum(i)", "avg(n)", "count(*)", "min(t)", "max(f)", "array_agg(i)", "sum(b)", "string_agg(t, ',')")
        order = self.pick("k", "i, k", "s desc, k", "i")
        frame = frame if not frame.startswith("range between 1") or order == "i" else ""
        if order == "i":  # peers come in any order
            call = self.pick("rank()", "dense_rank()", "cume_dist()", "sum(i)", "avg(n)", "count(*)", "min(t)", "max(f)") if frame.startswith(("range", "groups")) else "rank()"
        return f"select k, {call} over ({self.pick('', 'partition by c ', 'partition by s % 2 ')}order by {order} {frame}) from one order by k", order != "i"

    def dml(self):
        rng, self.columns = self.rng, True
        where = f" where {self.condition(2)}" if rng.random() < 0.8 else ""
        returning = self.pick("", " returning k, i, n", " returning *", " returning upper(t), n + 1 as m")
        r = rng.random()
        if r < 0.3:
            conflict = self.pick("", "", " on conflict do nothing", " on conflict (k) do update set i = excluded.i + target.i, t = 'again'", " on conflict (k) do update set n = 0 where target.k > 3")
            return f"insert into target (k, i, n, t) values ({rng.randint(1, 12)}, {self.literal('int')}, {self.literal('numeric')}, {self.literal('text')}){conflict}{returning}", True
        if r < 0.45:
            return f"insert into target (k, i, t) select k + {rng.randint(5, 30)}, i, t from one where {self.condition(2)} on conflict do nothing", True
        if r < 0.75:
            setting = self.pick(f"i = {self.value('int', 1)}", f"t = {self.value('text', 1)}, n = {self.value('numeric', 1)}", "c = not c, b = b + 1", f"s = {self.value('int', 1)}", f"v = {self.value('text', 2)}", "a[2] = i")
            return f"update target set {setting}{where}{returning}", False
        if r < 0.85:
            return f"update target set n = one.n from one where one.k = target.k and {self.pick('one.i > 0', 'true', 'one.c')}", True
        return f"delete from target{where}{returning}", False

    def transaction(self):
        return self.pick("begin", "commit", "rollback", "savepoint a", "rollback to a", "release a", "begin isolation level repeatable read", "select 1/0", "select count(*), sum(i) from target", "savepoint b",
                         "rollback to b", "insert into target (k) values (1)", "delete from target where k = 3", "update target set i = i + 1 where k < 5", "commit and chain", "start transaction read only",
                         "insert into target (k) values (null)"), True


KINDS = {"expression": 4, "cast": 3, "text": 4, "number": 4, "date": 3, "array": 3, "json": 3, "predicate": 3, "query": 5, "shape": 5, "group": 4, "window": 3, "dml": 4, "transaction": 2}


class Side:
    def __init__(self, **where):
        self.where = where
        self.connection = psycopg.connect(autocommit=True, **where)

    def run(self, sql):
        r = self.connection.pgconn.exec_(sql.encode())
        if r.status == pq.ExecStatus.TUPLES_OK:
            rows = [tuple(r.get_value(row, c) for c in range(r.nfields)) for row in range(r.ntuples)]
            return {"columns": [(r.fname(c).decode(), r.ftype(c), r.fmod(c)) for c in range(r.nfields)], "rows": rows, "tag": r.command_status}
        if r.status in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.EMPTY_QUERY):
            return {"tag": r.command_status}
        field = lambda f: (r.error_field(f) or b"").decode()
        return {"error": field(pq.DiagnosticField.SQLSTATE), "at": field(pq.DiagnosticField.STATEMENT_POSITION), "message": field(pq.DiagnosticField.MESSAGE_PRIMARY)}


def make_tables(sides, rng):
    statements = ["set timezone to 'UTC'", "drop table if exists one, two, empty, target"]
    for table in ("one", "two", "empty", "target"):
        statements.append(f"create table {table} (k int4 primary key, {', '.join(f'{c} {t}' for c, t in COLUMNS.items())})")
        for k in range(1, {"one": 13, "two": 9, "target": 8}.get(table, 1)):
            small = {"int4": str(rng.randint(-3, 9)), "int8": str(rng.randint(-3, 9)), "int2": str(rng.randint(0, 4)), "numeric": rng.choice(["1.50", "-2.25", "3", "0.0", "100"]),
                     "varchar(8)": "'" + rng.choice(["a", "ab", "xyz"]) + "'"}
            cells = ["null" if rng.random() < 0.12 else small.get(t) or rng.choice(VALUES[t]) for t in COLUMNS.values()]
            statements.append(f"insert into {table} values ({k}, {', '.join(cells)})")
    for side in sides:
        for sql in statements:
            answer = side.run(sql)
            assert "error" not in answer, (sql, answer)


def close_numbers(mine, theirs, oid):
    if mine is None or theirs is None or oid not in (700, 701):
        return mine == theirs
    try:
        x, y = float(mine), float(theirs)
    except ValueError:
        return mine == theirs
    return mine == theirs or abs(x - y) <= 1e-9 * max(abs(x), abs(y), 1e-6)


def same(mine, theirs, ordered):
    if "error" in mine or "error" in theirs:
        return mine.get("error") == theirs.get("error") and (not theirs.get("at") or mine.get("at") == theirs.get("at"))
    if mine.get("columns") != theirs.get("columns") or mine["tag"] != theirs["tag"]:
        return False
    a, b = mine.get("rows", []), theirs.get("rows", [])
    if not ordered:
        key = lambda row: [(v is None, v or b"") for v in row]
        a, b = sorted(a, key=key), sorted(b, key=key)
    oids = [c[1] for c in theirs.get("columns", [])]
    return len(a) == len(b) and all(close_numbers(x, y, o) for r, s in zip(a, b) for x, y, o in zip(r, s, oids))


def show(answer):
    if "error" in answer:
        return f"{answer['error']} at {answer['at']}: {answer['message']}"
    rows = [tuple(None if v is None else v.decode(errors="replace") for v in row) for row in answer.get("rows", [])][:4]
    return f"{answer['tag'].decode()} {[c[:2] for c in answer.get('columns', [])]} {rows}"


def start_basalt(program, folder):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    process = subprocess.Popen([program, "serve", folder, "--http", "off", "--pg", f"127.0.0.1:{port}", "--durability", "off"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process, port
        except OSError:
            time.sleep(0.01)
    raise SystemExit("the server does not answer")


def connect_postgres(server):
    host, _, port = server.partition(":")
    where = {"host": host, "port": int(port or 5432), "user": "postgres", "connect_timeout": 3}
    try:
        admin = psycopg.connect(autocommit=True, dbname="postgres", **where)
    except psycopg.OperationalError:
        skip(f"no PostgreSQL answers at {server} (BASALT_POSTGRES, --server)")
    if admin.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone() is None:
        admin.execute(f"create database {DATABASE} template template0 lc_collate 'C' lc_ctype 'C.UTF-8' encoding 'UTF8'")
    return Side(dbname=DATABASE, **where)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--count", type=int, default=2000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--program", default="build/basalt")
    p.add_argument("--server", default=os.environ.get("BASALT_POSTGRES", "127.0.0.1:5432"))
    p.add_argument("--basalt", help="a Basalt that runs already")
    p.add_argument("--only")
    p.add_argument("--show", type=int, default=40)
    args = p.parse_args()
    theirs = connect_postgres(args.server)
    folder, process = tempfile.mkdtemp(prefix="basalt-differential-"), None
    if args.basalt is None:
        process, port = start_basalt(args.program, folder)
    mine = Side(host="127.0.0.1", port=int(args.basalt.split(":")[1]) if args.basalt else port, user="postgres", dbname="basalt")
    rng = random.Random(args.seed)
    counts, refused = collections.Counter(), collections.Counter()
    try:
        make_tables((mine, theirs), rng)
        for number in range(args.count):
            maker = Maker(rng)
            kind = args.only or rng.choices(list(KINDS), list(KINDS.values()))[0]
            sql, ordered = maker.statement(kind)
            a, b = mine.run(sql), theirs.run(sql)
            if a.get("error") == "0A000" and b.get("error") != "0A000":
                refused[a["message"]] += 1
                counts["refused"] += 1
            elif same(a, b, ordered):
                counts["passed"] += 1
            else:
                counts["failed"] += 1
                if counts["failed"] <= args.show:
                    print(f"FAIL [{kind}, seed {args.seed}, number {number}] {sql}\n  basalt   {show(a)}\n  postgres {show(b)}")
            if mine.connection.pgconn.transaction_status != theirs.connection.pgconn.transaction_status:
                for side in (mine, theirs):
                    side.run("rollback")
            if kind in ("dml", "transaction") and ("error" in a) != ("error" in b):
                for side in (mine, theirs):
                    side.run("rollback")
                make_tables((mine, theirs), rng)
    finally:
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)
    for message, count in refused.most_common(10):
        print(f"refused {count} times: {message}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['refused']} refused as not there yet")
    return 1 if counts["failed"] else 0


sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Look-ups by key in rows that are in files, beside scans of the same table: types, shapes of keys, NULLs, rows that were changed and deleted, all
distributions that have an encoding of their own. The answers must be equal."""
import glob
import os
import random

import kit
from attacks import with_server
from kit import Pg, check, expect, raise_errors

ROWS = 12000
# type: expressions over g, each a distribution: constant, few values, runs, steps, scattered, wide, mostly NULL
COLUMNS = {
    "int2": ("7", "g % 5", "g / 900", "g % 30000", "(g * 7919) % 32749 - 16000", "nullif(g % 50, 0)"),
    "int4": ("-1", "g / 1000", "g", "g * 1000 % 99991", "(g::int8 * 2654435761 % 2147483647)::int4"),
    "int8": ("g", "g::int8 * 1000003", "g::int8 * 6364136223846793005 % 9007199254740993", "case when g % 100 = 0 then g end"),
    "numeric": ("1.10", "g / 100.0", "g * 12345678901234567890.5", "case g % 3 when 0 then 0 when 1 then -g * 0.001 end"),
    "text": ("'same'", "'k' || g % 3", "'prefix-common-long-' || g", "repeat('x', g % 40)", "case when g % 2 = 0 then md5(g::text) else '' end"),
    "uuid": ("md5(g::text)::uuid", "md5((g % 9)::text)::uuid"),
    "date": ("'2024-01-01'::date + g", "'2024-01-01'::date + g / 700"),
    "timestamptz": ("'2024-01-01Z'::timestamptz + g * interval '1 second'", "'2024-01-01Z'::timestamptz + g % 7 * interval '1 month'"),
    "point_mood": ("case g % 4 when 0 then 'low' when 1 then 'mid' when 2 then 'high' end::point_mood", "'mid'"),
    "float8": ("g / 3.0", "g % 2"),
}
SHAPES = ("{0}", "{0}, {1}", "{1}, id", "coalesce({0}::text, 'none')")


def both_ways(wire, sql):
    found = sorted(map(str, wire.rows(sql)))
    raise_errors(wire.query("set optimizer_skip = 'index_use'"))
    expect((sql, found), (sql, sorted(map(str, wire.rows(sql)))))
    raise_errors(wire.query("set optimizer_skip = ''"))
    return len(found)


def quoted(value):
    return "'" + value.replace("'", "''") + "'"


def look_up(wire, chance, name, key, left):
    parts = [part.strip() for part in (key.split(", ") if "(" not in key else [key])]
    rows = wire.rows(f"select {', '.join(f'({part})::text' for part in parts)} from {name} where id in ({', '.join(str(chance.randrange(left)) for _ in range(8))})")
    for values in rows:
        where = [f"{part} is null" if value is None else f"{part} = {quoted(value)}" for part, value in zip(parts, values)]
        count = both_ways(wire, f"select count(*), min(id), max(r::text), min(r::text) from {name} r where {' and '.join(where)}")
        assert count == 1


@check
def keys_find_what_scans_find():
    chance = random.Random(5)
    with with_server("--ingest-memory", "2MB"), Pg(timeout=60) as wire:
        raise_errors(wire.query("create type point_mood as enum ('low', 'mid', 'high')"))
        for round_ in range(2):
            name, types = f"points_{round_}", chance.sample(sorted(COLUMNS), 6)
            columns = [f"c{i}" for i in range(len(types))]
            exprs = [chance.choice(COLUMNS[kind]) for kind in types]
            raise_errors(wire.query(f"create table {name} (id int8 primary key, {', '.join(map(' '.join, zip(columns, types)))})"))
            keys = [shape.format(*chance.sample(columns, 2)) for shape in SHAPES for _ in range(2)]
            for key in keys:
                raise_errors(wire.query(f"create index on {name} ({key})"))
            raise_errors(wire.query(f"insert into {name} select g, {', '.join(f'({expr})::{kind}' for expr, kind in zip(exprs, types))} from generate_series(0, {ROWS - 1}) g"))
            for change in ("vacuum", f"delete from {name} where id % 17 = 3", f"update {name} set {columns[0]} = null where id % 29 = 1", "vacuum",
                           f"update {name} set {columns[1]} = (select {columns[1]} from {name} where id = 40) where id between 5000 and 5300"):
                raise_errors(wire.query(change))
                for key in keys + ["id"]:
                    look_up(wire, chance, name, key, ROWS)
                if change == "vacuum":
                    assert glob.glob(os.path.join(kit.server.folder, "data", "table", "*", "*.seg")), "nothing is in files: the test looks at memory only"

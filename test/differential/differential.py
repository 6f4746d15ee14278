#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random statements on Basalt and DuckDB: same tables, same text, same answers.

    test/differential/differential.py [--count 300] [--seed 1] [--program build/basalt] [--port 21710]

Only spellings on which the two languages agree; ORDER BY always says where NULLs stand; float sums to 1e-9. Every statement runs three
times on Basalt: rows in memory, after VACUUM (rows in segments) and after a restart; all must equal DuckDB's answer.
Needs the Python package duckdb (skipped with a message where it is missing). Last line: `N passed, N failed`."""
import argparse, datetime, http.client, json, math, os, random, shutil, signal, subprocess, sys, tempfile, time
from urllib.parse import quote

try:
    import duckdb
except ImportError:
    print("skipped: the Python package duckdb is missing (test/install.sh installs it)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


class Basalt:
    def __init__(self, program, folder, port):
        self.program, self.folder, self.port, self.process = program, folder, port, None

    def start(self):
        self.process = subprocess.Popen([self.program, "serve", self.folder, "--pg", "off", "--http", f"127.0.0.1:{self.port}"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(3000):
            try:
                self.ask("SELECT 1")
                return
            except OSError:
                time.sleep(0.01)
        raise SystemExit("the server does not answer")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def ask(self, sql):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.request("GET", "/exec?dialect=postgres&query=" + quote(sql))
        r = c.getresponse()
        answer = json.loads(r.read())
        c.close()
        if r.status != 200:
            raise RuntimeError(answer.get("error", answer))
        return answer.get("dataset", [])


# ---------------------------------------------------------------- tables

COLUMNS = {  # name: (type in Basalt, type in DuckDB, kind)
    "a": ("bigint", "BIGINT", "int"), "b": ("integer", "INTEGER", "int"), "k": ("text", "VARCHAR", "text"), "s": ("symbol", "VARCHAR", "text"),
    "f": ("double precision", "DOUBLE", "float"), "t": ("boolean", "BOOLEAN", "bool"), "d": ("date", "DATE", "date"), "n": ("numeric(12,2)", "DECIMAL(12,2)", "num"),
}
WORDS = ["", "a", "ab", "abc", "basalt", "Zürich", "NABIL", "x y", "percent % sign", "long text that does not fit inline at all"]


def literal(kind, rng):
    if kind == "int":
        return str(rng.choice([0, 1, -1, 2, 7, 100, -50, rng.randint(-200, 200)]))
    if kind == "float":
        return rng.choice(["0.0", "1.5", "-2.25", "1e3", "0.1"]) + "::double precision"
    if kind == "num":
        return rng.choice(["0.00", "1.25", "-3.10", "1000.01"])
    if kind == "text":
        return "'" + rng.choice(WORDS) + "'"
    if kind == "bool":
        return rng.choice(["true", "false"])
    return "DATE '2024-%02d-%02d'" % (rng.randint(1, 12), rng.randint(1, 28))


def value(kind, rng):
    if rng.random() < 0.12:
        return "NULL"
    if kind == "int":
        return str(rng.randint(-20, 20) if rng.random() < 0.8 else rng.randint(-200, 200))
    if kind == "float":
        return repr(round(rng.uniform(-100, 100), 3))
    if kind == "num":
        return "%.2f" % rng.uniform(-100, 100)
    return literal(kind, rng)


def make_tables(basalt, duck, rng):
    for name, rows in (("one", 3000), ("two", 150), ("empty", 0)):
        basalt.ask(f"CREATE TABLE {name} (ts timestamp, " + ", ".join(f"{c} {t[0]}" for c, t in COLUMNS.items()) +
                   ") TIMESTAMP(ts) PARTITION BY MONTH")
        duck.execute(f"CREATE TABLE {name} (ts TIMESTAMP, " + ", ".join(f"{c} {t[1]}" for c, t in COLUMNS.items()) + ")")
        for begin in range(0, rows, 500):
            values = []
            for i in range(begin, min(rows, begin + 500)):
                ts = datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=rng.randint(0, 300 * 86400), microseconds=i)
                values.append(f"('{ts}', " + ", ".join(value(t[2], rng) for t in COLUMNS.values()) + ")")
            sql = f"INSERT INTO {name} VALUES " + ", ".join(values)
            post(basalt, sql)
            duck.execute(sql)


def post(basalt, sql):
    """Long statements travel as a form."""
    c = http.client.HTTPConnection("127.0.0.1", basalt.port, timeout=60)
    c.request("POST", "/exec", "dialect=postgres&query=" + quote(sql), {"Content-Type": "application/x-www-form-urlencoded"})
    r = c.getresponse()
    body = r.read()
    c.close()
    if r.status != 200:
        raise RuntimeError(body[:300])


# ---------------------------------------------------------------- statements

class Maker:
    def __init__(self, rng):
        self.rng = rng

    def column(self, kind=None, prefix=""):
        names = [c for c, t in COLUMNS.items() if kind is None or t[2] == kind]
        return prefix + self.rng.choice(names)

    def number(self, depth=0, prefix=""):
        r = self.rng.random()
        if depth > 2 or r < 0.4:
            return self.column("int", prefix)
        if r < 0.55:
            return literal("int", self.rng)
        if r < 0.85:
            return f"({self.number(depth + 1, prefix)} {self.rng.choice(['+', '-', '*'])} {self.number(depth + 1, prefix)})"
        if r < 0.93:
            return f"CASE WHEN {self.condition(depth + 1, prefix)} THEN {self.number(depth + 1, prefix)} ELSE {self.number(depth + 1, prefix)} END"
        return self.rng.choice([f"abs({self.column('int', prefix)})", f"coalesce({self.column('int', prefix)}, 0)", f"length({self.column('text', prefix)})"])

    def condition(self, depth=0, prefix=""):
        rng, r = self.rng, self.rng.random()
        if depth < 3 and r < 0.3:
            return f"({self.condition(depth + 1, prefix)} {rng.choice(['AND', 'OR'])} {self.condition(depth + 1, prefix)})"
        if depth < 3 and r < 0.38:
            return f"(NOT {self.condition(depth + 1, prefix)})"
        kind = rng.choice(["int", "int", "float", "text", "bool", "date", "num"])
        c, op = self.column(kind, prefix), rng.choice(["=", "<>", "<", "<=", ">", ">="])
        if r < 0.45:
            return f"{c} IS {rng.choice(['', 'NOT '])}NULL"
        if r < 0.55:
            return f"{c} {rng.choice(['', 'NOT '])}IN ({', '.join(literal(kind, rng) for _ in range(rng.randint(1, 4)))})"
        if r < 0.62 and kind != "bool":
            return f"{c} BETWEEN {literal(kind, rng)} AND {literal(kind, rng)}"
        if r < 0.7 and kind == "text":
            return f"{c} {rng.choice(['', 'NOT '])}LIKE '{rng.choice(['a%', '%a%', '_b%', '%', '%b', 'NABIL'])}'"
        if r < 0.8 and kind == "int":
            return f"{self.number(1, prefix)} {op} {self.number(1, prefix)}"
        if r < 0.85:
            return f"{prefix}ts {op} TIMESTAMP '2024-{rng.randint(1, 12):02d}-01 00:00:00'"
        return f"{c} {op} {literal(kind, rng)}"

    def where(self, prefix=""):
        return f" WHERE {self.condition(0, prefix)}" if self.rng.random() < 0.75 else ""

    def aggregate(self, prefix=""):
        f = self.rng.choice(["count", "sum", "min", "max", "avg", "countstar", "distinct"])
        if f == "countstar":
            return "count(*)"
        if f == "distinct":
            return f"count(DISTINCT {self.column(None, prefix)})"
        kind = None if f in ("count", "min", "max") else self.rng.choice(["int", "float", "num"])
        column = self.column(kind, prefix)
        return f"{f}({column})" if not (f in ("min", "max") and column.endswith("t")) else f"count({column})"

    def plain(self):
        items = [self.rng.choice([self.column(), self.number()]) for _ in range(self.rng.randint(1, 4))]
        table = self.rng.choice(["one", "two", "empty"])
        text = ", ".join(f"{e} AS x{i}" for i, e in enumerate(items))
        order = f" ORDER BY {', '.join(f'{i + 1} {self.rng.choice(ORDERS)}' for i in range(len(items)))}"
        distinct = "DISTINCT " if self.rng.random() < 0.2 else ""
        limit = f" LIMIT {self.rng.randint(0, 30)}" if self.rng.random() < 0.4 else ""
        return f"SELECT {distinct}{text} FROM {table}{self.where()}{order}{limit}", True

    def grouped(self):
        keys = [self.rng.choice([self.column(), f"({self.column('int')} % 3)"]) for _ in range(self.rng.randint(0, 2))]
        aggregates = [self.aggregate() for _ in range(self.rng.randint(1, 4))]
        items = ", ".join(f"{e} AS x{i}" for i, e in enumerate(keys + aggregates))
        group = f" GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}" if keys else ""
        having = f" HAVING count(*) > {self.rng.randint(0, 3)}" if keys and self.rng.random() < 0.3 else ""
        return f"SELECT {items} FROM {self.rng.choice(['one', 'two', 'empty'])}{self.where()}{group}{having}", False

    def joined(self):
        kind = self.rng.choice(["int", "text", "date"])
        on = f"l.{self.column(kind)} = r.{self.column(kind)}"
        if self.rng.random() < 0.3:
            on += f" AND {self.condition(2, 'r.')}"
        join = self.rng.choice(["JOIN", "LEFT JOIN"])
        return f"SELECT count(*), {self.aggregate('l.')}, {self.aggregate('r.')} FROM two l {join} two r ON {on}{self.where('l.')}", False

    def nested(self):
        inner, _ = self.grouped()
        return f"SELECT count(*), count(x0) FROM ({inner}) q", False

    def subquery(self):
        kind = self.rng.choice(["int", "text", "date"])
        return (f"SELECT count(*) FROM one WHERE {self.column(kind)} {self.rng.choice(['', 'NOT '])}IN "
                f"(SELECT {self.column(kind)} FROM two{self.where()})"), False

    def union(self):
        a, b = self.grouped()[0], self.grouped()[0]
        return f"SELECT count(*) FROM (SELECT 1 AS one FROM ({a}) p UNION ALL SELECT 2 FROM ({b}) q) u", False

    def outer_joined(self):
        kind = self.rng.choice(["int", "text", "date"])
        op = self.rng.choice(["=", "=", "<", "<>"]) if kind == "int" else "="
        join = self.rng.choice(["RIGHT JOIN", "FULL JOIN"] if op == "=" else ["RIGHT JOIN", "LEFT JOIN"])
        on = f"l.{self.column(kind)} {op} r.{self.column(kind)}"
        if self.rng.random() < 0.4:
            on += f" AND {self.condition(2, self.rng.choice(['l.', 'r.']))}"
        return f"SELECT count(*), {self.aggregate('l.')}, {self.aggregate('r.')}, count(l.ts), count(r.ts) FROM two l {join} two r ON {on}", False

    def correlation(self):
        kind = self.rng.choice(["int", "text", "bool", "date"])
        return f"i.{self.column(kind)} = o.{self.column(kind)}"

    def correlated(self):
        inner = f"SELECT {self.aggregate('i.')} FROM two i WHERE {self.correlation()}"
        if self.rng.random() < 0.6:
            inner += f" AND {self.condition(2, self.rng.choice(['i.', 'o.']))}"
        return f"SELECT count(*), count(x), min(x), max(x) FROM (SELECT ({inner}) AS x FROM two o{self.where('o.')}) q", False

    def exists(self):
        more = f" AND {self.condition(2, self.rng.choice(['i.', 'o.']))}" if self.rng.random() < 0.5 else ""
        test = f"{self.rng.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM two i WHERE {self.correlation()}{more})"
        return f"SELECT count(*), {self.aggregate('o.')} FROM one o WHERE {self.rng.choice([test, test + ' OR ' + self.condition(2, 'o.')])}", False

    def quantified(self):
        column, op = self.column("int"), self.rng.choice(["=", "<>", "<", ">="])
        more = f" WHERE {self.correlation()}" if self.rng.random() < 0.6 else self.where("i.")
        if self.rng.random() < 0.5:
            test = f"o.{column} {self.rng.choice(['IN', 'NOT IN'])} (SELECT i.{self.column('int')} FROM two i{more})"
        else:
            test = f"o.{column} {op} {self.rng.choice(['ANY', 'ALL'])} (SELECT i.{self.column('int')} FROM two i{more})"
        return f"SELECT count(*), count(q), count(*) FILTER (WHERE q) FROM (SELECT {test} AS q FROM two o) x", False

    def set_operation(self):
        columns = ", ".join(self.rng.sample(["b", "t", "k", "d"], self.rng.randint(1, 3)))
        op = self.rng.choice(["UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"])
        first, second = self.rng.choice([("one", "two"), ("two", "one"), ("two", "two"), ("two", "empty")])
        return f"SELECT count(*) FROM (SELECT {columns} FROM {first}{self.where()} {op} SELECT {columns} FROM {second}{self.where()}) q", False

    def window(self):
        partition = f"PARTITION BY {self.column(self.rng.choice(['text', 'bool', 'date']))} " if self.rng.random() < 0.6 else ""
        key = f"{self.column(self.rng.choice(['int', 'date', 'text']))} {self.rng.choice(ORDERS)}"
        value = self.column("int")
        ranks = ["row_number()", "ntile(7)", f"lag({value})", f"lead({value}, 2)", f"first_value({value})", f"last_value({value})"]
        if self.rng.random() < 0.5:
            call, order, frame = self.rng.choice(ranks), f"{key}, ts", ""
        elif self.rng.random() < 0.4:
            call, order, frame = self.rng.choice(["rank()", "dense_rank()", f"sum({value})", "count(*)", f"max({value})"]), key, ""
        else:
            bounds = self.rng.choice(["3 PRECEDING AND CURRENT ROW", "1 PRECEDING AND 2 FOLLOWING", "UNBOUNDED PRECEDING AND 1 PRECEDING",
                                      "CURRENT ROW AND UNBOUNDED FOLLOWING", "2 FOLLOWING AND 90 FOLLOWING", "200 PRECEDING AND 1 PRECEDING"])
            call, order, frame = f"{self.rng.choice(['sum', 'count', 'min', 'max'])}({value})", f"{key}, ts", f" ROWS BETWEEN {bounds}"
        inner = f"SELECT {call} OVER ({partition}ORDER BY {order}{frame}) AS w FROM {self.rng.choice(['one', 'two', 'empty'])}{self.where()}"
        return f"SELECT count(*), count(w), min(w), max(w), sum(w) FROM ({inner}) q", False

    def grouping_sets(self):
        a, c = self.rng.sample(["k", "t", "d", "b"], 2)
        sets = self.rng.choice([f"ROLLUP ({a}, {c})", f"CUBE ({a}, {c})", f"GROUPING SETS (({a}), ({a}, {c}), ())", f"{a}, ROLLUP ({c})"])
        return f"SELECT {a}, {c}, grouping({a}, {c}), {self.aggregate()} FROM two{self.where()} GROUP BY {sets}", False

    def lateral(self):
        inner = f"SELECT {self.aggregate('i.')} AS x FROM two i WHERE i.{self.column('int')} {self.rng.choice(['=', '<', '>'])} o.{self.column('int')}"
        join = self.rng.choice([f"CROSS JOIN LATERAL ({inner}) s", f"LEFT JOIN LATERAL ({inner}) s ON {self.condition(2, 'o.')}"])
        return f"SELECT count(*), count(s.x), min(s.x), max(s.x) FROM two o {join}", False

    def statement(self):
        return self.rng.choices([self.plain, self.grouped, self.joined, self.nested, self.subquery, self.union, self.outer_joined, self.correlated,
                                 self.exists, self.quantified, self.set_operation, self.window, self.grouping_sets, self.lateral],
                                [4, 5, 2, 1, 2, 1, 2, 2, 2, 2, 2, 3, 1, 1])[0]()


ORDERS = ["ASC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST"]


def plain_value(v):
    if isinstance(v, bool) or v is None:
        return v
    if isinstance(v, (int, float)):
        return v
    if isinstance(v, (datetime.date, datetime.datetime)):
        return v.isoformat()[:10] if not isinstance(v, datetime.datetime) else v.isoformat()
    try:
        return float(v) if not isinstance(v, str) else v
    except (TypeError, ValueError):
        return str(v)


def same_value(mine, theirs):
    theirs = plain_value(theirs)
    if isinstance(theirs, bool) or theirs is None or mine is None:
        return mine == theirs
    if isinstance(theirs, (int, float)):
        try:
            mine = float(mine)
        except (TypeError, ValueError):
            return False
        return mine == theirs or math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(mine, str) and len(mine) > 10 and mine[10:11] == "T" and len(theirs) == 10:
        return mine[:10] == theirs
    return mine == theirs


def sort_key(row):
    out = []
    for v in row:
        v = plain_value(v)
        try:
            out.append((1, "%.6f" % float(v)))
        except (TypeError, ValueError):
            out.append((0 if v is None else 2, str(v)[:10] if isinstance(v, str) and v[4:5] == "-" else str(v)))
    return out


def same_rows(mine, theirs, ordered):
    if not ordered:
        mine, theirs = sorted(mine, key=sort_key), sorted(theirs, key=sort_key)
    return len(mine) == len(theirs) and all(len(a) == len(b) and all(map(same_value, a, b)) for a, b in zip(mine, theirs))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--program", default="build/basalt")
    p.add_argument("--port", type=int, default=21710)
    args = p.parse_args()
    rng = random.Random(args.seed)
    folder = tempfile.mkdtemp(prefix="basalt-differential-")
    basalt, duck = Basalt(args.program, folder, args.port), duckdb.connect()
    basalt.start()
    passed = failed = 0
    try:
        make_tables(basalt, duck, rng)
        maker, cases = Maker(rng), []
        while len(cases) < args.count:
            sql, ordered = maker.statement()
            try:
                cases.append((sql, ordered, duck.execute(sql).fetchall()))
            except duckdb.Error:
                continue  # overflow and the like: other codes, other limits
        for state in ("memory", "segments", "restarted"):
            if state == "segments":
                basalt.ask("VACUUM")
            if state == "restarted":
                basalt.stop()
                basalt.start()
            for sql, ordered, theirs in cases:
                try:
                    mine, why = basalt.ask(sql), ""
                    ok = same_rows(mine, theirs, ordered)
                except (RuntimeError, OSError, ValueError) as error:
                    mine, why, ok = [], str(error), False
                passed, failed = passed + ok, failed + (not ok)
                if not ok and failed <= 20:
                    print(f"FAIL [{state}, seed {args.seed}] {sql}\n  {why}\n  basalt {mine[:5]}\n  duckdb {theirs[:5]}")
    finally:
        basalt.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

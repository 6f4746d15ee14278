#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shapes.py PROGRAM [FILE...]: captured statements of real clients answered as PostgreSQL answers them; see README.md.

shapes.py --record HOST:PORT... asks these PostgreSQL servers and writes shapes-expected.txt; an answer that any of them gives will do (their versions
differ in what the catalogs hold). --update writes the list of known differences; --show prints both answers.
"""
import base64
import glob
import gzip
import hashlib
import os
import re
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "pg"))
sys.dont_write_bytecode = True
import kit
from run import Server

CAPTURES = os.path.join(HERE, "..", "..", "..", "shared", "reference", "pg-client-sql")
SCHEMA = os.path.join(HERE, "shapes.sql")
EXPECTED = os.environ.get("SHAPES_EXPECTED", os.path.join(HERE, "shapes-expected.txt"))
FAILS = os.path.join(HERE, "shapes-expected-fails.txt")
ENTRY = re.compile(r"^~~.*?~~ (LOG|DETAIL|ERROR|HINT|STATEMENT|WARNING|NOTICE):  (.*)$", re.S)
STATEMENT = re.compile(r"^(?:statement|execute ([^:]*?)): (.*)$", re.S)
PARAMETER = re.compile(r"\$\d+ = (NULL|'((?:[^']|'')*)')", re.S)
PGBENCH = ["DROP TABLE IF EXISTS pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers",
           "CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))",
           "CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84), PRIMARY KEY (tid))",
           "CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84), PRIMARY KEY (aid))",
           "CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88), PRIMARY KEY (bid))"]
# Oids that the captures hold, and what they were; any other number in their range names nothing here.
CAPTURED = {16388: "'mood'::regtype", 16387: "'mood[]'::regtype", 16393: "'p_id_seq'::regclass", 16394: "'p'::regclass", 16408: "'c'::regclass", 16407: "'c_id_seq'::regclass", 16403: "'p_pkey'::regclass",
            16419: "'v'::regclass", 16463: "'v'::regclass", 16429: "'part'::regclass", 16432: "'part1'::regclass", 16435: "'pgbench_accounts'::regclass",
            16438: "'pgbench_branches'::regclass", 16441: "'pgbench_tellers'::regclass", 16444: "'pgbench_history'::regclass",
            16395: "(SELECT typarray FROM pg_type WHERE typname = 'p')", 16396: "'p'::regtype"}
USER_OID = 16384
UNPINNED_OID = 10000   # from here on oids are made when a database is; types keep theirs in columns
ROWS_SHOWN = int(os.environ.get("SHAPES_SHOWN", 700))   # bytes; of longer answers a digest a row is kept, of very long ones one of all
ROWS_DIGESTED = 400
NUMBER_TYPES = {26, 28, 1028, 30, 2205, 2206, 4089, 2210, 2211, 5069}
VARYING = {"relpages", "reltuples", "relallvisible", "relfilenode", "relfrozenxid", "relminmxid", "xmin", "version", "server_version", "pg_backend_pid", "Size",
           "datfrozenxid", "datminmxid", "cardinality", "pages", "toastpages", "tfrozenxid", "tminmxid", "data_directory", "attversion", "indpred", "indexprs"}


def statements(path):
    """(sql, parameters or None for the simple protocol) of a captured file, in order."""
    entries = []
    for line in gzip.open(path, "rt", encoding="utf-8", errors="replace"):
        if line.startswith("\t") and entries:
            entries[-1] += "\n" + line[1:].rstrip("\n")
        elif line.startswith("~~"):
            entries.append(line.rstrip("\n"))
    found = []
    for entry in entries:
        kind, text = ENTRY.match(entry).groups() if ENTRY.match(entry) else ("", "")
        statement = STATEMENT.match(text)
        if kind == "LOG" and statement and not text.startswith("execute fetch from"):
            found.append([statement[2].strip(), None if statement[1] is None else []])
        elif kind == "DETAIL" and text.startswith("parameters: ") and found:
            found[-1][1] = [None if m[1] == "NULL" else m[2].replace("''", "'") for m in PARAMETER.finditer(text)]
    return found


class Replay:
    """One database with the schema, and a connection to it."""

    def __init__(self, database, name):
        self.database = database
        self.wire = kit.Pg(database=database, timeout=60)
        self.wire.query("SET client_min_messages = warning")
        for sql in re.split(r";\n", open(SCHEMA).read()):
            if sql.strip():
                self.must(sql)
        for sql in PGBENCH:
            self.must(sql)
        self.wire.query("RESET client_min_messages")
        self.oids = {}
        if not name.startswith("pgbench"):
            for old, expression in CAPTURED.items():
                rows = [m.row() for m in self.wire.query(f"SELECT ({expression})::oid::text") if m.kind == "D"]
                self.oids[old] = rows[0][0].decode() if rows and rows[0][0] else "999999"

    def must(self, sql):
        try:
            kit.raise_errors(self.wire.query(sql))
        except Exception as error:
            raise AssertionError(f"{sql[:80]}: {error}")

    def mapped(self, text):
        """A statement with the oids of this database."""
        if not self.oids or text is None:
            return text
        return re.sub(r"\b16[3-9]\d\d\b", lambda m: self.oids.get(int(m[0]), "999999") if int(m[0]) >= USER_OID else m[0], text)

    def ask(self, sql, parameters):
        """The answer as a list of lines."""
        sql = self.mapped(sql)
        if parameters is None:
            got = self.collect(kit.message("Q", kit.text(sql)))
        else:
            values = [None if v is None else self.mapped(v).encode() for v in parameters]
            got = self.collect(kit.parse(sql) + kit.bind(values) + kit.describe() + kit.execute() + kit.SYNC)
        return self.lines(got)

    def collect(self, data):
        return self.wire.send(data).until("Z")

    def lines(self, messages):
        lines, columns, rows = [], None, []
        for m in messages:
            if m.kind == "T":
                columns, rows = described(m.body), []
                lines.append("columns " + " ".join(f"{name.replace(' ', '_')}:{oid if oid < USER_OID else '#'}" + (f":{mod}" if mod >= 0 else "") for name, oid, mod in columns))
            elif m.kind == "D":
                rows.append("\t".join(self.shown(v, column) for v, column in zip(m.row(), columns)))
            elif m.kind == "C":
                lines.extend(listed(rows) if columns is not None else ["done " + m.body[:-1].decode()])
                columns, rows = None, []
            elif m.kind == "E":
                lines.append("error " + m.fields()["C"])
                self.said = m.fields()["M"]
        return lines

    def shown(self, value, column):
        name, oid, _ = column
        if value is None and name not in VARYING:
            return "\\N"
        if name in VARYING or oid in (1114, 1184, 3802):
            return "*"
        text = value.decode("utf-8", "replace").replace(self.database, "basalt").replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        return re.sub(r"\d{5,}", lambda m: "#" if int(m[0]) >= UNPINNED_OID else m[0], text) if oid in NUMBER_TYPES else text


def described(body):
    count, at, columns = int.from_bytes(body[:2], "big"), 2, []
    for _ in range(count):
        end = body.index(b"\0", at)
        number = [int.from_bytes(body[end + a:end + b], "big", signed=True) for a, b in ((7, 11), (13, 17))]
        columns.append((body[at:end].decode(), *number))
        at = end + 19
    return columns


def listed(rows):
    """Sorted: which order a query without ORDER BY gives is nobody's business. Many rows are kept as one short digest each."""
    rows = sorted(rows)
    if sum(map(len, rows)) <= ROWS_SHOWN:
        return [f"rows {len(rows)}"] + ["\t" + row for row in rows]
    if len(rows) > ROWS_DIGESTED:
        return [f"rows {len(rows)} {hashlib.sha1(chr(10).join(rows).encode()).hexdigest()[:12]}"]
    return [f"rows {len(rows)}"] + sorted("\t~" + base64.b64encode(hashlib.sha1(row.encode()).digest()[:3]).decode() for row in rows)


def replayed(path, database):
    """key -> answer. The key holds a digest of the text, and which time it came."""
    name = os.path.basename(path).split(".")[0]
    replay, answers, seen = Replay(database, name), {}, {}
    replay.said = ""
    for sql, parameters in statements(path):
        if sql.upper().startswith(("COPY", "LISTEN")):
            continue
        digest = hashlib.sha1(sql.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        key = f"{name}/{digest}" + (f".{seen[digest]}" if seen[digest] > 1 else "")
        answers[key] = (sql, replay.ask(sql, parameters), replay.said)
    replay.wire.sock.close()
    return answers


def folded(answers):
    """Without what only repeats the answer to the same text before."""
    kept, last = {}, {}
    for key, (sql, lines, said) in answers.items():
        if last.get(key.split(".")[0]) != lines:
            kept[key] = (sql, lines, said)
        last[key.split(".")[0]] = lines
    return kept


DROPS = ["DROP DATABASE IF EXISTS basalt_shapes", "DROP ROLE IF EXISTS shapes_reader", "DROP ROLE IF EXISTS shapes_writer"]


def asked(address, path):
    """What a PostgreSQL answers, in a database of its own."""
    host, port = address.split(":")
    kit.server = type("Oracle", (), {"host": host, "port": int(port)})
    with kit.Pg(database="postgres", timeout=60) as wire:
        for sql in DROPS + ["CREATE DATABASE basalt_shapes TEMPLATE template0"]:
            kit.raise_errors(wire.query(sql))
    answers = replayed(path, "basalt_shapes")
    with kit.Pg(database="postgres", timeout=60) as wire:
        for sql in DROPS:
            wire.query(sql)
    return answers


def record(addresses, paths):
    text = []
    for path in paths:
        servers = [asked(address, path) for address in addresses]
        both = {}
        for key, (sql, lines, _) in servers[0].items():
            answers = [lines]
            answers += [other[key][1] for other in servers[1:] if other[key][1] not in answers]
            both[key] = (sql, answers, None)
        for key, (sql, answers, _) in folded(both).items():
            text.append(f"== {key} {' '.join(sql.split())[:60]}\n" + "\nor\n".join("\n".join(lines) for lines in answers) + "\n")
    with open(EXPECTED, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(text)


def expected():
    """key -> answers, any of which will do; each a list of lines"""
    wants, answers = {}, []
    for line in open(EXPECTED, encoding="utf-8", newline="\n"):
        if line.startswith("== "):
            answers = wants[line.split(" ")[1]] = [[]]
        elif line == "or\n":
            answers.append([])
        else:
            answers[-1].append(line.rstrip("\n"))
    return wants


def known_fails():
    """key -> (kind, reason)"""
    fails = {}
    for line in open(FAILS) if os.path.exists(FAILS) else []:
        if line.strip() and not line.startswith("#"):
            key, kind, reason = re.match(r"(\S+) (\S+)\s*(?:# (.*))?$", line.rstrip("\n")).groups()
            fails[key] = (kind, reason or "")
    return fails


def difference(want, got):
    """None, or what differs: error, kind, columns, rows; fewer if only rows are missing."""
    part = lambda lines, word: [line for line in lines if line.startswith(word)]
    if want == got:
        return None
    if part(want, "error") != part(got, "error"):
        return "error"
    if len(part(want, "done")) != len(part(got, "done")) or len(part(want, "columns")) != len(part(got, "columns")):
        return "kind"
    if part(want, "columns") == part(got, "columns") and not Counter(part(got, "\t")) - Counter(part(want, "\t")):
        return "fewer"
    return "columns" if part(want, "columns") != part(got, "columns") else "rows"


def best(wants, got):
    """The wanted answer that comes nearest."""
    order = ["error", "kind", "columns", "rows", "fewer", None]
    return max(wants, key=lambda want: order.index(difference(want, got)))


def show(key, sql, want, got, said):
    print(f"---- {key}: {difference(want, got)} {said if 'error' in ' '.join(got) else ''}\n{sql[:2500]}")
    for sign, ours, theirs in (("-", want, got), ("+", got, want)):
        for line in ours:
            if line not in theirs:
                print(f"  {sign} {line[:1200]}")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    flags = {a for a in sys.argv[1:] if a.startswith("--")}
    names = [] if "--record" in flags else arguments[1:]
    paths = [p for p in sorted(glob.glob(os.path.join(CAPTURES, "*.gz"))) if not names or os.path.basename(p).split(".")[0] in names]
    if not paths:
        print("skip captured statements: there is no ../shared/reference/pg-client-sql")
        print("0 passed, 0 failed")
        return 0
    if "--record" in flags:
        return record(arguments, sorted(glob.glob(os.path.join(CAPTURES, "*.gz"))))
    wants, fails, passed, known, fresh, lines = expected(), known_fails(), 0, 0, 0, []
    for path in paths:
        server = Server(os.path.abspath(arguments[0]))
        kit.server = server
        try:
            answers = replayed(path, "basalt")
        finally:
            code, log = server.stop()
        if code != 0:
            fresh += 1
            print(f"FAIL {os.path.basename(path)}: the server ended with {code}: {log[-500:]}")
        last = {}
        for key, (sql, got, said) in answers.items():
            want = wants.get(key, last.get(key.split(".")[0]))
            last[key.split(".")[0]] = want
            if want is None:
                continue
            want = best(want, got)
            kind = difference(want, got)
            if kind is None:
                passed += 1
                if key in fails:
                    print(f"note: {key} passes now: take it out of {os.path.basename(FAILS)}")
                continue
            reason = fails[key][1] if key in fails else said if kind == "error" and any(g.startswith("error") for g in got) else ""
            lines.append(f"{key} {kind}  # {reason[:110]}")
            if key in fails and fails[key][0] == kind:
                known += 1
            else:
                fresh += 1
                if "--update" not in flags and "--show" not in flags:
                    print(f"FAIL {key}: {kind} {said if kind == 'error' else ''}: {' '.join(sql.split())[:200]}")
            if "--show" in flags:
                show(key, sql, want, got, said)
    if "--update" in flags:
        with open(FAILS, "w") as out:
            out.write("# Captured statements that are not answered as by PostgreSQL: file/statement, what differs, the construct.\n")
            out.writelines(line + "\n" for line in lines)
    print(f"note: {passed} answers as PostgreSQL's, {known} known to differ, {fresh} differ anew")
    print(f"{passed} passed, {fresh} failed")
    return 1 if fresh else 0


if __name__ == "__main__":
    sys.exit(main())

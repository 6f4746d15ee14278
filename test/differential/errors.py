#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong statements on Basalt and PostgreSQL through the same door: same SQLSTATE, message, position, DETAIL, HINT and named objects.

    test/differential/errors.py [--program build/basalt] [--server host:port] [--basalt host:port] [--only KIND] [--show code,message,…]
                                [--list] [--all] [--write]

The statements stand in error_statements.py, by kinds. The PostgreSQL is one that runs (BASALT_POSTGRES or --server, user postgres without a password);
it gets a database of its own. Without one, or without the Python package psycopg, the run is skipped with a message. A statement that Basalt refuses
with 0A000 is counted, not failed, and so are those that errors-expected-fails.txt lists with the first field that differs. Last line: `N passed, N failed`."""
import argparse
import collections
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
import error_statements
from served import Served


def skip(why):
    print(f"skipped: {why}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    import psycopg
    from psycopg import pq
except ImportError:
    skip("the Python package psycopg is missing (test/install.sh installs it)")

DATABASE = "basalt_errors"
EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "errors-expected-fails.txt")
FIELDS = {"code": pq.DiagnosticField.SQLSTATE, "message": pq.DiagnosticField.MESSAGE_PRIMARY, "position": pq.DiagnosticField.STATEMENT_POSITION,
          "detail": pq.DiagnosticField.MESSAGE_DETAIL, "hint": pq.DiagnosticField.MESSAGE_HINT, "schema": pq.DiagnosticField.SCHEMA_NAME,
          "table": pq.DiagnosticField.TABLE_NAME, "column": pq.DiagnosticField.COLUMN_NAME, "datatype": pq.DiagnosticField.DATATYPE_NAME,
          "constraint": pq.DiagnosticField.CONSTRAINT_NAME, "context": pq.DiagnosticField.CONTEXT}
IN_BLOCK = (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR)


class Side:
    def __init__(self, name, **where):
        self.name, self.where = name, where
        self.connect()

    def connect(self):
        self.connection = psycopg.connect(autocommit=True, options="-c statement_timeout=20s", **self.where)
        self.connection.pgconn.exec_(b"set timezone to 'UTC'")

    def answer(self, result):
        if result.status in (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE):
            return {name: (result.error_field(field) or b"").decode() for name, field in FIELDS.items()}
        if result.status == pq.ExecStatus.COPY_IN:
            self.connection.pgconn.put_copy_end()
            return self.answer(self.last())
        if result.status == pq.ExecStatus.COPY_OUT:
            while self.connection.pgconn.get_copy_data(0)[0] > 0:
                pass
            return self.answer(self.last())
        return {"code": "", "message": "no error: " + (result.command_status or b"").decode()}

    def last(self):
        """The outcome of a COPY; what comes behind it is taken too."""
        first = result = self.connection.pgconn.get_result()
        while result is not None:
            result = self.connection.pgconn.get_result()
        return first

    def one(self, step):
        """A text, or (text, parameters, types) through the extended protocol, or ("copy", text, data)."""
        pgconn = self.connection.pgconn
        if isinstance(step, str):
            return self.answer(pgconn.exec_(step.encode()))
        if step[0] == "copy":
            result = pgconn.exec_(step[1].encode())
            if result.status != pq.ExecStatus.COPY_IN:
                return self.answer(result)
            pgconn.put_copy_data(step[2].encode())
            pgconn.put_copy_end()
            return self.answer(self.last())
        text, values, types = step
        return self.answer(pgconn.exec_params(text.encode(), [None if v is None else str(v).encode() for v in values], types or None))

    def run(self, case):
        """The last step's answer. Inside a block that is rolled back, unless the case begins with "--"; there it may do what it likes but stay."""
        steps, bare = list(case), case[0] == "--"
        if bare:
            steps = steps[1:]
        else:
            self.connection.pgconn.exec_(b"begin")
        answers = [self.one(step) for step in steps]
        if self.connection.pgconn.status != pq.ConnStatus.OK:
            self.connect()
        if self.connection.pgconn.transaction_status in IN_BLOCK:
            self.connection.pgconn.exec_(b"rollback")
        if bare or any(str(step).startswith(("set ", "('set ")) for step in steps):
            self.connection.pgconn.exec_(b"reset role")
            self.connection.pgconn.exec_(b"reset all")
            self.connection.pgconn.exec_(b"set timezone to 'UTC'")
        if "prepare" in text_of(case):
            self.connection.pgconn.exec_(b"deallocate all")
        return answers[-1]


def make(sides):
    for side in sides:
        for sql in error_statements.SETUP:
            answer = side.one(sql)
            assert answer["code"] == "", (side.name, sql, answer)


def difference(mine, theirs):
    """The first field that differs, in the order of FIELDS; the context of COPY only."""
    for field in FIELDS:
        if field == "context" and not theirs.get(field, "").startswith("COPY"):
            continue
        if mine.get(field, "") != theirs.get(field, ""):
            return field
    return None


def text_of(case):
    return " ;; ".join(str(step) for step in case).replace("\n", "\\n").replace("\t", "\\t")


def expected():
    """Statement -> the first field that may differ."""
    lines = open(EXPECTED).read().splitlines() if os.path.exists(EXPECTED) else []
    return dict(line.rsplit("\t", 1) for line in lines if line and not line.startswith("#"))


def write_expected(differing):
    lines = open(EXPECTED).read().splitlines() if os.path.exists(EXPECTED) else []
    with open(EXPECTED, "w") as out:
        out.write("".join(line + "\n" for line in lines if line.startswith("#")))
        out.write("".join(f"{text}\t{field}\n" for text, field in differing))


def sweep(sides, arguments):
    counts, known, shown = collections.Counter(), expected(), set(arguments.show.split(",")) if arguments.show else None
    seen, differing, order = set(), [], list(FIELDS)
    for kind, cases in error_statements.kinds(arguments.only):
        for case in cases:
            text = text_of(case)
            if text in seen:
                continue
            seen.add(text)
            if arguments.list:
                print(kind, text, sep="\t")
                continue
            mine, theirs = (side.run(case) for side in sides)
            if theirs["code"] == "" and mine["code"] == "":
                counts["both accept"] += 1
                if arguments.accepted:
                    print("both accept", kind, text, sep="\t")
                continue
            field = difference(mine, theirs)
            if field is None:
                counts["passed"] += 1
                if text in known:
                    print(f"passes now, take it out of {os.path.basename(EXPECTED)}: {text}")
            elif mine["code"] == "0A000" and theirs["code"] != "0A000" and not arguments.refused:
                counts["refused"] += 1
            elif text in known and order.index(field) >= order.index(known[text]) and not arguments.all:
                counts["expected"] += 1
                differing.append((text, field))
            else:
                counts["failed"] += 1
                differing.append((text, field))
                counts["failed: " + field] += 1
                if shown is None or field in shown:
                    print(f"{field}\t{kind}\t{text}")
                    for name in FIELDS:
                        if mine.get(name, "") != theirs.get(name, "") or name in ("code", "message"):
                            print(f"    {name:9} ours: {mine.get(name, '')!r}\n              PostgreSQL: {theirs.get(name, '')!r}" if mine.get(name, "") != theirs.get(name, "") else f"    {name:9} both: {mine[name]!r}")
    if arguments.write:
        write_expected(differing)
    return counts


def drop_roles(side):
    for role in error_statements.ROLES:
        side.one(f"drop owned by {role} cascade")
        side.one(f"drop role if exists {role}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/basalt")
    parser.add_argument("--server", default=os.environ.get("BASALT_POSTGRES", "127.0.0.1:55418"))
    parser.add_argument("--basalt")
    parser.add_argument("--only")
    parser.add_argument("--show", help="fields whose differences are printed; all without it")
    parser.add_argument("--list", action="store_true", help="print the statements only")
    parser.add_argument("--all", action="store_true", help="what is listed as expected fails too")
    parser.add_argument("--write", action="store_true", help="write what differs now to errors-expected-fails.txt")
    parser.add_argument("--refused", action="store_true", help="what Basalt refuses with 0A000 fails too")
    parser.add_argument("--accepted", action="store_true", help="print what both accept")
    arguments = parser.parse_args()
    if arguments.list:
        sweep((), arguments)
        return 0
    host, port = arguments.server.rsplit(":", 1)
    try:
        master = Side("PostgreSQL", host=host, port=port, user="postgres", dbname="postgres")
    except psycopg.OperationalError as error:
        skip(f"no PostgreSQL answers at {arguments.server}: {error}")
    master.one(f"drop database if exists {DATABASE}")
    drop_roles(master)
    master.one(f"create database {DATABASE}")
    served = None
    if not arguments.basalt:
        served = Served(arguments.program, "--durability", "off", doors=("pg",))
        arguments.basalt = f"127.0.0.1:{served.port}"
    try:
        theirs = Side("PostgreSQL", host=host, port=port, user="postgres", dbname=DATABASE)
        host, port = arguments.basalt.rsplit(":", 1)
        mine = Side("Basalt", host=host, port=port, user="postgres", dbname="basalt")
        make((mine, theirs))
        counts = sweep((mine, theirs), arguments)
        theirs.connection.close()
        mine.connection.close()
    finally:
        if served:
            served.stop()
        master.one(f"drop database if exists {DATABASE}")
        drop_roles(master)
    print(", ".join(f"{value} {name}" for name, value in sorted(counts.items()) if name not in ("passed", "failed")))
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


sys.exit(main())

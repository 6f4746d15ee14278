# SPDX-License-Identifier: Apache-2.0
"""DDL beside running statements: connections that read, write and copy a table which others drop, make, alter, empty and index at the same time."""
import random
import threading
import time

from kit import Pg, check, error_of, expect, message, raise_errors, text

SECONDS = 3
# What may come of it: the relation, column or index is gone or changed meanwhile, keys meet, a transaction lost, a plan grew old.
ALLOWED = {"40001", "42P01", "42703", "42704", "42P07", "42701", "23505", "23502", "22P04", "0A000", "2BP01", "55006", "25P02", "42804", "22P02", "55P03", "42601", "42710", "25001"}


class Worker:
    def __init__(self, statements, seed, deadline):
        self.statements, self.random, self.deadline, self.bad, self.done = statements, random.Random(seed), deadline, [], 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def one(self, wire, sql):
        """Runs a statement; every answer that COPY asks for is given."""
        wire.send(message("Q", text(sql)))
        while True:
            got = wire.read()
            if got.kind == "G":
                wire.send(message("d", b"1\ta\n2\tb\n") * 20 + message("c"))
            elif got.kind == "E":
                fields = got.fields()
                if fields["C"] not in ALLOWED or fields["S"] != "ERROR":
                    self.bad.append((sql, fields["S"], fields["C"], fields["M"]))
            elif got.kind == "Z":
                self.done += 1
                return got.body

    def run(self):
        try:
            with Pg(timeout=60) as wire:
                while time.time() < self.deadline and not self.bad:
                    if self.one(wire, self.random.choice(self.statements)) != b"I" and self.random.random() < 0.5:
                        self.one(wire, self.random.choice(("commit", "rollback")))
        except Exception as problem:
            self.bad.append(("connection", repr(problem)))


def run_beside(*groups):
    deadline = time.time() + SECONDS
    workers = [Worker(statements, seed, deadline) for seed, statements in enumerate(groups)]
    for worker in workers:
        worker.thread.join()
    expect([bad for worker in workers for bad in worker.bad[:3]], [])
    assert all(worker.done > 3 for worker in workers), [worker.done for worker in workers]
    with Pg() as wire:      # what is left can be read and used
        raise_errors(wire.query("drop table if exists race cascade; drop table if exists race_other cascade; create table race (a int, b text)"))
        raise_errors(wire.query("insert into race values (1, 'x'); select * from race; drop table race"))


MAKE = "create table if not exists race (a int, b text)"
READ = ["select count(*), min(a), max(b) from race", "select * from race where a = 1 limit 50", "select r.a, s.b from race r join race s on r.a = s.a limit 20",
        "begin; select count(*) from race; select pg_sleep(0.01); select count(*) from race", "update race set b = b || 'x' where a = 2", "delete from race where a = 3"]
WRITE = ["insert into race select g % 50, 'v' || g from generate_series(1, 500) g", "insert into race (a) values (1), (2), (3)", "copy race (a, b) from stdin", "copy race to stdout",
         "begin; insert into race (a, b) values (7, 'seven'); copy race (a, b) from stdin"]


@check
def tables_come_and_go_beside_their_users():
    run_beside(READ, WRITE, [MAKE, MAKE, "drop table if exists race", "begin; drop table if exists race; create table race (a int, b text)", "truncate race"])


@check
def columns_come_and_go_beside_their_users():
    run_beside(READ, WRITE, [MAKE, "alter table race add column c int default 5", "alter table race drop column c", "alter table race rename column b to bb",
                             "alter table race rename column bb to b", "alter table race alter column c type text", "alter table race rename to race_other",
                             "alter table race_other rename to race", "begin; alter table race add column d text; alter table race drop column d", "vacuum"])


@check
def indexes_come_and_go_beside_their_users():
    run_beside(READ, WRITE, [MAKE, "create index if not exists race_a on race (a)", "create index if not exists race_b on race (lower(b))", "drop index if exists race_a",
                             "drop index if exists race_b", "delete from race", "alter table race add constraint race_key unique (a)", "alter table race drop constraint race_key",
                             "begin; create index race_c on race (b, a)", "truncate race"])


@check
def two_change_the_same_table():
    changes = [MAKE, "drop table if exists race", "alter table race add column c int", "alter table race drop column c", "create index if not exists race_a on race (a)",
               "drop index if exists race_a", "create or replace view race_view as select a from race", "drop view if exists race_view", "truncate race",
               "begin; alter table race add column e int; create index race_e on race (e)", "insert into race (a) values (9)"]
    run_beside(changes, changes, READ + ["select * from race_view"])


@check
def prepared_statements_and_cursors_outlive_changes():
    def own(number):
        return [f"prepare p{number} as select a, b from race where a = $1", f"execute p{number}(1)", f"deallocate p{number}",
                f"begin; declare c{number} cursor for select a, b from race; fetch 5 from c{number}; select pg_sleep(0.01); fetch 5 from c{number}",
                f"declare h{number} cursor with hold for select a from race", f"fetch 3 from h{number}", f"close h{number}"]
    extra = ["34000", "26000", "42P05", "42P03", "25P01"]
    ALLOWED.update(extra)
    try:
        run_beside(own(1), own(2), [MAKE, "drop table if exists race", "alter table race add column c int", "alter table race drop column c", "truncate race", WRITE[0]])
    finally:
        ALLOWED.difference_update(extra)


@check
def a_change_behind_a_wait_looks_again():
    """DROP and TRUNCATE wait for a writer without a lock on the table's definition: what came meanwhile is waited for too, and then seen."""
    for sql, code in (("drop table waited", "42P01"), ("truncate waited", "42P01"), ("drop schema waiting cascade", None)):
        with Pg() as writer, Pg() as waiter, Pg() as changer:
            raise_errors(writer.query("create schema waiting"))
            schema = "waiting." if "schema" in sql else ""
            raise_errors(writer.query(f"create table {schema}waited (a int)"))
            raise_errors(writer.query("begin"))
            raise_errors(writer.query(f"insert into {schema}waited values (1)"))
            waiter.send(message("Q", text(sql)))
            time.sleep(0.2)
            raise_errors(changer.query("begin"))
            raise_errors(changer.query(f"alter table {schema}waited rename to meant"))
            raise_errors(writer.query("commit"))
            time.sleep(0.1)
            raise_errors(changer.query("commit"))
            errors = [got.fields()["C"] for got in waiter.until("Z") if got.kind == "E"]
            expect((sql, errors[:1]), (sql, [code] if code else []))
            if code:
                expect(changer.rows(f"select a from {schema}meant"), [["1"]])
                raise_errors(changer.query(f"drop table {schema}meant; drop schema waiting"))
            else:
                expect(changer.rows("select count(*) from pg_namespace where nspname = 'waiting'"), [["0"]])


@check
def a_view_keeps_what_it_reads():
    """CREATE VIEW beside changes of its table, in both orders: the second waits for the first and then sees what that one left."""
    changes = {"drop table seen_table": ("2BP01", "42P01"), "alter table seen_table rename to renamed": (None, "42P01"), "alter table seen_table drop column b": ("2BP01", "42703")}
    for sql, (code_behind_view, view_code) in changes.items():
        with Pg() as one, Pg() as two:
            raise_errors(one.query("create table seen_table (a int, b int)"))
            raise_errors(one.query("begin"))
            raise_errors(one.query("create view seeing as select a, b from seen_table"))
            expect((sql, behind(one, "commit", two, sql)), (sql, code_behind_view))
            expect(one.rows("select * from seeing"), [])
            raise_errors(one.query("drop view seeing; drop table if exists seen_table, renamed; create table seen_table (a int, b int)"))
            raise_errors(one.query("begin"))
            raise_errors(one.query(sql))
            expect((sql, behind(one, "commit", two, "create view seeing as select a, b from seen_table")), (sql, view_code))
            raise_errors(one.query("drop table if exists seen_table, renamed; create table seen_table (a int, b int)"))
            raise_errors(one.query("begin"))
            raise_errors(one.query(sql))
            expect((sql, behind(one, "rollback", two, "create view seeing as select a, b from seen_table")), (sql, None))
            raise_errors(one.query("drop table seen_table cascade"))


def behind(holder, end, waiter, sql):
    """`sql` begins while `holder` is in its block, which `end` then ends; the code of its error, None: there was none."""
    waiter.send(message("Q", text(sql)))
    time.sleep(0.1)
    raise_errors(holder.query(end))
    errors = [got.fields()["C"] for got in waiter.until("Z") if got.kind == "E"]
    return errors[0] if errors else None


@check
def changes_of_one_table_take_turns():
    """As pg_restore -j does it: what is bound to a table that another changes meanwhile is bound again, and nobody hears of it."""
    with Pg() as one, Pg() as two:
        raise_errors(one.query("create table turns (a int, b int, c int); insert into turns select g, g % 100, g from generate_series(1, 5000) g"))
        for number, sql in enumerate(("create index turns_a on turns (a)", "alter table turns add column d int", "alter table turns add constraint turns_key unique (c)",
                                      "alter table turns rename column c to cc", "truncate turns")):
            raise_errors(one.query("begin"))
            raise_errors(one.query(sql))
            expect((sql, behind(one, "commit", two, f"create index turns_b{number} on turns (b)")), (sql, None))
        for number, sql in enumerate(("insert into turns (a, b) values (1, 2)", "insert into turns (a, b) select g, g from generate_series(1, 3000) g", "update turns set b = 7 where a = 1", "delete from turns where a = 1")):
            raise_errors(one.query("begin"))
            raise_errors(one.query(f"create index turns_w{number} on turns (b, a)"))
            expect((sql, behind(one, "commit", two, sql)), (sql, None))
        expect(two.rows("select count(*) from turns"), [["2999"]])
        raise_errors(one.query("drop table turns"))


@check
def a_lost_key_beside_a_change_of_its_table_is_told_at_once():
    """The rows that were appended before the conflict are not appended a second time after the other's change."""
    with Pg() as keeper, Pg() as changer, Pg() as loser:
        raise_errors(keeper.query("create table keyed (a int primary key)"))
        raise_errors(keeper.query("begin"))
        raise_errors(keeper.query("insert into keyed values (1)"))
        raise_errors(changer.query("begin"))
        raise_errors(changer.query("alter table keyed add column b int"))
        begin = time.time()
        expect(loser.error("insert into keyed values (2), (1)")["C"], "40001")
        assert time.time() - begin < 1, time.time() - begin
        raise_errors(keeper.query("rollback"))
        raise_errors(changer.query("rollback"))
        expect(loser.rows("select count(*) from keyed"), [["0"]])
        raise_errors(loser.query("drop table keyed"))


@check
def a_wait_for_a_table_can_be_cancelled():
    with Pg() as one, Pg() as two:
        raise_errors(one.query("create table waited_for (a int)"))
        raise_errors(one.query("begin"))
        raise_errors(one.query("alter table waited_for add column b int"))
        begin = time.time()
        raise_errors(two.query("set statement_timeout = '200ms'"))
        expect(two.error("alter table waited_for add column b text")["C"], "57014")
        assert 0.1 < time.time() - begin < 2, time.time() - begin
        raise_errors(two.query("set statement_timeout = 0; set lock_timeout = '200ms'"))
        expect(two.error("alter table waited_for add column b text")["C"], "55P03")
        raise_errors(one.query("rollback"))
        raise_errors(two.query("alter table waited_for add column b text; drop table waited_for"))


@check
def many_connections_index_one_table():
    with Pg() as wire:
        raise_errors(wire.query("create table indexed (a int, b int); insert into indexed select g, g from generate_series(1, 20000) g"))
        others = [Pg(timeout=60) for _ in range(6)]
        for number, other in enumerate(others):
            other.send(message("Q", text(f"create index indexed_{number} on indexed (b, a)")))
        expect([[got.kind for got in other.until("Z") if got.kind == "E"] for other in others], [[]] * len(others))
        for other in others:
            other.__exit__()
        expect(wire.rows("select count(*) from pg_indexes where tablename = 'indexed'"), [["6"]])
        raise_errors(wire.query("drop table indexed"))

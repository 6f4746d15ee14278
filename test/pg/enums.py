# SPDX-License-Identifier: Apache-2.0
"""Enums and domains over the wire: type oids, labels in both formats, parameters, arrays, COPY binary, an end without warning."""
import shutil
import struct
import tempfile

import kit
from kit import SYNC, Pg, bind, check, describe, error_of, execute, expect, kinds, message, parse, raise_errors, text


def mood(wire):
    """A fresh type and table; the oids of the type and of its array."""
    raise_errors(wire.query("drop table if exists wire_moods; drop type if exists wire_mood cascade"))
    raise_errors(wire.query("create type wire_mood as enum ('sad', 'ok', 'happy')"))
    raise_errors(wire.query("create table wire_moods (id int, m wire_mood, ms wire_mood[])"))
    return [int(oid) for oid in wire.rows("select oid, typarray from pg_type where typname = 'wire_mood'")[0]]


def array_of(element, *labels):
    body = struct.pack(">iiIii", 1, 0, element, len(labels), 1)
    return body + b"".join(struct.pack(">i", len(label)) + label for label in labels)


@check
def labels_in_both_formats():
    with Pg() as wire:
        element, array = mood(wire)
        raise_errors(wire.query("insert into wire_moods values (1, 'ok', '{sad,happy}')"))
        for form, ms in ((0, b"{sad,happy}"), (1, array_of(element, b"sad", b"happy"))):
            got = wire.ask(parse("select m, ms from wire_moods") + bind(results=(form,)) + describe() + execute() + SYNC)
            expect(kinds(got), "12TDCZ")
            expect([m.row() for m in got if m.kind == "D"], [[b"ok", ms]])
            described = [m for m in got if m.kind == "T"][0].body
            expect(struct.pack(">I", element) in described and struct.pack(">I", array) in described, True)


@check
def parameters_of_an_enum():
    with Pg() as wire:
        element, array = mood(wire)
        raise_errors(wire.query("insert into wire_moods values (1, 'ok', null), (2, 'sad', null), (3, 'happy', null)"))
        for form in (0, 1):
            for oids in ((), (element,)):
                got = wire.ask(parse("select id from wire_moods where m > $1 order by m", oids=oids) + bind((b"sad",), formats=(form,)) + execute() + SYNC)
                expect([m.row()[0] for m in got if m.kind == "D"], [b"1", b"3"])
            got = wire.ask(parse("select id from wire_moods where m = $1") + bind((b"angry",), formats=(form,)) + execute() + SYNC)
            expect(error_of(got)["C"], "22P02")
        got = wire.ask(parse("select id from wire_moods where m = any($1) order by id", oids=(array,)) +
                       bind((array_of(element, b"sad", b"ok"),), formats=(1,)) + execute() + SYNC)
        expect([m.row()[0] for m in got if m.kind == "D"], [b"1", b"2"])
        got = wire.ask(parse("select $1", oids=(element + 1000,)) + SYNC)
        expect(error_of(got)["C"], "42704")


@check
def binary_copies_come_back():
    with Pg() as wire:
        mood(wire)
        raise_errors(wire.query("insert into wire_moods values (1, 'ok', '{sad,happy}'), (2, null, '{}')"))
        got = wire.query("copy wire_moods to stdout (format binary)")
        raise_errors(got)
        bytes_out = b"".join(m.body for m in got if m.kind == "d")
        raise_errors(wire.query("delete from wire_moods"))
        expect(wire.send(message("Q", text("copy wire_moods from stdin (format binary)"))).read().kind, "G")
        expect(wire.ask(message("d", bytes_out) + message("c"))[0].body, b"COPY 2\0")
        expect(wire.rows("select id, m, ms from wire_moods order by id"), [["1", "ok", "{sad,happy}"], ["2", None, "{}"]])
        expect(wire.send(message("Q", text("copy wire_moods from stdin"))).read().kind, "G")
        got = wire.ask(message("d", b"3\tangry\t\\N\n") + message("c"))
        expect(error_of(got)["C"], "22P02")


@check
def prepared_statements_see_new_labels():
    with Pg() as wire, Pg() as other:
        mood(wire)
        raise_errors(wire.query("insert into wire_moods values (1, 'ok', null)"))
        got = wire.ask(parse("select m from wire_moods where m >= $1 order by m", name="moods") + SYNC)
        raise_errors(got)
        raise_errors(other.query("alter type wire_mood add value 'fine' before 'ok'"))
        raise_errors(other.query("alter type wire_mood rename value 'ok' to 'all right'"))
        raise_errors(other.query("insert into wire_moods values (2, 'fine', null)"))
        got = wire.ask(bind((b"fine",), name="moods") + execute() + SYNC)
        expect([m.row()[0] for m in got if m.kind == "D"], [b"fine", b"all right"])


@check
def domains_are_shown_as_what_they_are_over():
    with Pg() as wire:
        raise_errors(wire.query("drop domain if exists wire_positive cascade; create domain wire_positive as int check (value > 0)"))
        got = wire.ask(parse("select $1::wire_positive") + bind((b"5",)) + describe() + execute() + SYNC)
        expect([m.row() for m in got if m.kind == "D"], [[b"5"]])
        expect(struct.pack(">I", 23) in [m for m in got if m.kind == "T"][0].body, True)
        fields = error_of(wire.ask(parse("select $1::wire_positive") + bind((b"-5",)) + execute() + SYNC))
        expect((fields["C"], fields["s"], fields["d"], fields["n"]), ("23514", "public", "wire_positive", "wire_positive_check"))


@check
def types_survive_a_kill():
    folder = tempfile.mkdtemp(prefix="basalt-enums-")
    mine = kit.server
    try:
        kit.server = kit.Server(mine.program, "--durability", "commit", folder=folder)
        with Pg() as wire, Pg() as other:
            oids = mood(wire)
            raise_errors(wire.query("create domain wire_small as int check (value < 10); alter table wire_moods add s wire_small"))
            raise_errors(wire.query("insert into wire_moods values (1, 'ok', '{sad,ok}', 3)"))
            raise_errors(wire.query("alter type wire_mood add value 'fine' before 'ok'; alter type wire_mood rename value 'sad' to 'blue'"))
            raise_errors(wire.query("insert into wire_moods values (2, 'fine', null, 4)"))
            raise_errors(other.query("begin; create type wire_gone as enum ('a'); insert into wire_moods values (3, 'ok', null, 5)"))
            kit.server.process.kill()
            kit.server.process.wait()
        kit.server = kit.Server(mine.program, folder=folder)
        with Pg() as wire:
            expect(wire.rows("select id, m, ms, s from wire_moods order by m"), [["2", "fine", None, "4"], ["1", "ok", "{blue,ok}", "3"]])
            expect(wire.rows("select enum_range(null::wire_mood)"), [["{blue,fine,ok,happy}"]])
            expect([int(oid) for oid in wire.rows("select oid, typarray from pg_type where typname = 'wire_mood'")[0]], oids)
            expect(error_of(wire.query("insert into wire_moods values (4, 'ok', null, 10)"))["C"], "23514")
            expect(error_of(wire.query("select 'a'::wire_gone"))["C"], "42704")
    finally:
        kit.server.stop()
        kit.server = mine
        shutil.rmtree(folder, ignore_errors=True)


@check
def copies_take_defaults_that_are_enums():
    with Pg() as wire:
        mood(wire)
        raise_errors(wire.query("alter table wire_moods alter m set default 'ok', alter ms set default array['sad', 'happy']::wire_mood[]"))
        for sql, line in (("copy wire_moods (id) from stdin", b"1\n"), ("copy wire_moods from stdin with (default 'D')", b"2\tD\tD\n")):
            expect(wire.send(message("Q", text(sql))).read().kind, "G")
            raise_errors(wire.ask(message("d", line) + message("c")))
        expect(wire.rows("select id, m, ms from wire_moods order by id"), [["1", "ok", "{sad,happy}"], ["2", "ok", "{sad,happy}"]])

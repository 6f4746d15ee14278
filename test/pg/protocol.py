# SPDX-License-Identifier: Apache-2.0
"""Message rules that break drivers when they are wrong: one answer a request, errors and Sync, portals, formats, statuses."""
import struct

from kit import (FLUSH, SYNC, Pg, bind, check, close, describe, error_of, execute, expect, kinds, message, parse, raise_errors, text)


@check
def simple_statements():
    with Pg() as wire:
        expect(kinds(wire.query("select 1 as a, 'x' as b")), "TDCZ")
        expect(kinds(wire.query("")), "IZ")
        expect(kinds(wire.query(" ; ; ")), "IZ")
        expect(kinds(wire.query("select 1; select 2")), "TDCTDCZ")
        got = kinds(wire.query("select 1; select 1/0; select 3"))
        assert got in ("TDCTEZ", "TDCEZ"), got
        got = wire.query("select 1; bogus bogus bogus")
        expect((kinds(got), error_of(got)["C"]), ("EZ", "42601"))


@check
def errors_have_their_fields():
    with Pg() as wire:
        fields = wire.error("select \u00fc, nope from (select 1 as \u00fc) t")
        expect((fields["S"], fields["V"], fields["C"], fields["P"]), ("ERROR", "ERROR", "42703", "11"))
        fields = wire.error("select 1 +")
        expect(fields["C"], "42601")


@check
def statuses_of_transactions():
    with Pg() as wire:
        raise_errors(wire.query("begin"))
        expect(wire.state, "T")
        wire.query("select 1/0")
        expect(wire.state, "E")
        expect(wire.error("select 1")["C"], "25P02")
        got = wire.query("commit")
        expect(([m.body for m in got if m.kind == "C"], wire.state), ([b"ROLLBACK\0"], "I"))


@check
def the_extended_protocol():
    with Pg() as wire:
        got = wire.ask(parse("select $1::int4 + 1 as n", oids=(23,)) + describe("S") + bind((b"41",)) + describe() + execute() + SYNC)
        expect((kinds(got), [m.row() for m in got if m.kind == "D"]), ("1tT2TDCZ", [[b"42"]]))
        got = wire.ask(parse("select $1::int4", oids=(23,)) + bind((struct.pack(">i", 7),), formats=(1,), results=(1,)) + execute() + SYNC)
        expect((kinds(got), [m.row() for m in got if m.kind == "D"]), ("12DCZ", [[struct.pack(">i", 7)]]))
        expect(kinds(wire.ask(parse("select 1") + bind(formats=(1,), results=(1,)) + execute() + SYNC)), "12DCZ")  # as asyncpg sends it
        expect(kinds(wire.ask(parse("") + bind() + describe() + execute() + SYNC)), "12nIZ")
        expect(kinds(wire.ask(close("S", "never there") + close("P", "nor that") + SYNC)), "33Z")


@check
def after_an_error_everything_waits_for_sync():
    with Pg() as wire:
        got = wire.ask(parse("select 1/0") + bind() + execute() + parse("select 1") + bind() + execute() + message("F", b"\0" * 10) + SYNC)
        expect((kinds(got).strip("12"), error_of(got)["C"]), ("EZ", "22012"))
        expect(kinds(wire.ask(SYNC)), "Z")
        expect(wire.rows("select 1"), [["1"]])


@check
def names_that_do_not_exist_or_do_already():
    with Pg() as wire:
        for data, code in ((bind(name="nope"), "26000"), (describe("S", "nope"), "26000"), (execute("nope"), "34000"), (describe("P", "nope"), "34000"),
                           (parse("select 1", "twice") + parse("select 2", "twice"), "42P05"), (parse("select 1; select 2"), "42601"),
                           (parse("select $1::int") + bind(), "08P01"), (parse("select $1::int") + bind((b"x",)), "22P02"),
                           (parse("select $1::int") + bind((b"123",), formats=(1,)), "08P01"), (parse("select $1::text") + bind((b"\xff",)), "22021"),
                           (parse("select $1::text") + bind((b"a\0b",)), "22021")):
            got = wire.ask(data + SYNC)
            expect((data[:40], error_of(got)["C"]), (data[:40], code))


@check
def portals_with_row_limits_survive_sync_in_a_transaction():
    with Pg() as wire:
        raise_errors(wire.query("begin"))
        got = wire.ask(parse("select g from generate_series(1, 10) g") + bind(portal="c1") + bind(portal="c2") + execute("c1", 3) + SYNC)
        raise_errors(got)
        expect(kinds(got), "122DDDsZ")
        got = wire.ask(execute("c2", 1) + execute("c1", 3) + SYNC)
        expect([m.row()[0] for m in got if m.kind == "D"], [b"1", b"4", b"5", b"6"])
        got = wire.ask(execute("c1") + SYNC)
        expect((kinds(got), [m.body for m in got if m.kind == "C"]), ("DDDDCZ", [b"SELECT 4\0"]))
        wire.query("commit")
        expect(error_of(wire.ask(execute("c2") + SYNC))["C"], "34000")


@check
def flush_gives_what_there_is():
    with Pg() as wire:
        wire.send(parse("select 1") + describe("S") + FLUSH)
        expect([wire.read().kind for _ in range(3)], ["1", "t", "T"])
        expect(kinds(wire.ask(bind() + execute() + SYNC)), "2DCZ")


@check
def a_pipeline_is_one_transaction():
    with Pg() as wire:
        raise_errors(wire.query("create table pipe (a int)"))
        got = wire.ask(parse("insert into pipe values (1)") + bind() + execute() + parse("select 1/0") + bind() + execute() + SYNC)
        expect(error_of(got)["C"], "22012")
        expect(wire.rows("select count(*) from pipe"), [["0"]])


@check
def function_calls_are_not_there():
    with Pg() as wire:
        got = wire.ask(message("F", struct.pack(">IHHH", 1024, 0, 0, 0)))
        expect((kinds(got), error_of(got)["C"]), ("EZ", "0A000"))


@check
def statement_cut_into_single_bytes():
    with Pg() as wire:
        for byte in message("Q", text("select 'one byte at a time'")):
            wire.send(bytes([byte]))
        expect([m.row() for m in wire.until("Z") if m.kind == "D"], [[b"one byte at a time"]])


@check
def a_large_statement_and_a_large_answer():
    with Pg(timeout=60) as wire:
        big = "x" * (3 << 20)
        expect(wire.rows(f"select length('{big}')"), [[str(len(big))]])
        got = wire.query(f"select '{big}' as a")
        expect(len([m for m in got if m.kind == "D"][0].row()[0]), len(big))


@check
def statements_in_hundreds_one_after_the_other():
    with Pg() as wire:
        wire.send(message("Q", text("select 1")) * 500)
        for _ in range(500):
            expect(kinds(wire.until("Z")), "TDCZ")

# SPDX-License-Identifier: Apache-2.0
"""COPY over the wire: pieces of any size, errors in the middle, clients that fail or leave, binary, formats that differ."""
import struct
import time

from kit import SYNC, FLUSH, Pg, bind, check, error_of, execute, expect, kinds, message, parse, raise_errors, text

DONE = message("c")


def table(wire, name):
    raise_errors(wire.query(f"drop table if exists {name}"))
    raise_errors(wire.query(f"create table {name} (a int, b text)"))


def copy_in(wire, sql):
    """Sends the statement; ready for data."""
    got = wire.send(message("Q", text(sql))).read()
    if got.kind == "E":
        raise_errors([got])
    expect(got.kind, "G")
    return got


def data(*pieces):
    return b"".join(message("d", piece) for piece in pieces)


@check
def text_in_pieces_of_any_size():
    with Pg() as wire:
        table(wire, "copy_pieces")
        rows = b"".join(b"%d\tline %d\n" % (i, i) for i in range(1000))
        for size in (1, 7, 4096, len(rows)):
            raise_errors(wire.query("delete from copy_pieces"))
            got = copy_in(wire, "copy copy_pieces from stdin")
            expect(got.body, struct.pack(">bhhh", 0, 2, 0, 0))
            got = wire.ask(data(*[rows[i:i + size] for i in range(0, len(rows), size)]) + DONE)
            expect((kinds(got), got[0].body), ("CZ", b"COPY 1000\0"))
            expect(wire.rows("select count(*), sum(a) from copy_pieces"), [["1000", "499500"]])


@check
def the_end_marker_and_a_missing_line_end():
    with Pg() as wire:
        table(wire, "copy_end")
        copy_in(wire, "copy copy_end from stdin")
        expect(wire.ask(data(b"1\tx\n\\.\n") + DONE)[0].body, b"COPY 1\0")
        copy_in(wire, "copy copy_end from stdin with (format csv)")
        expect(wire.ask(data(b"2,\"y\nz\"") + DONE)[0].body, b"COPY 1\0")
        expect(wire.rows("select a, b from copy_end order by a"), [["1", "x"], ["2", "y\nz"]])


@check
def errors_name_line_and_column_and_leave_nothing():
    with Pg() as wire:
        table(wire, "copy_bad")
        copy_in(wire, "copy copy_bad from stdin")
        got = wire.ask(data(b"1\tx\n", b"oops\ty\n", b"3\tz\n") + DONE)
        fields = error_of(got)
        expect((kinds(got), fields["C"], fields["W"]), ("EZ", "22P02", 'COPY copy_bad, line 2, column a: "oops"'))
        expect(wire.rows("select count(*) from copy_bad"), [["0"]])
        copy_in(wire, "copy copy_bad from stdin")
        expect(error_of(wire.ask(data(b"1\n") + DONE))["C"], "22P04")
        copy_in(wire, "copy copy_bad from stdin")
        expect(error_of(wire.ask(data(b"1\t\xff\n") + DONE))["C"], "22021")
        expect(wire.rows("select 1"), [["1"]])


@check
def data_behind_an_error_is_dropped():
    with Pg() as wire:
        table(wire, "copy_drop")
        copy_in(wire, "copy copy_drop from stdin")
        got = wire.ask(data(b"bad\tx\n") + data(b"2\ty\n" * 1000) * 50 + DONE)
        expect(kinds(got), "EZ")
        expect(wire.rows("select 1"), [["1"]])


@check
def the_client_gives_up():
    with Pg() as wire:
        table(wire, "copy_fail")
        copy_in(wire, "copy copy_fail from stdin")
        fields = error_of(wire.ask(data(b"1\tx\n") + message("f", text("changed my mind"))))
        expect(fields["C"], "57014")
        assert "changed my mind" in fields["M"], fields
        expect(wire.rows("select count(*) from copy_fail"), [["0"]])


@check
def the_client_vanishes():
    with Pg() as wire:
        table(wire, "copy_gone")
        for kind in ("begin", None):
            other = Pg()
            if kind:
                raise_errors(other.query(kind))
            copy_in(other, "copy copy_gone from stdin")
            other.send(data(b"1\tx\n" * 10000) + b"d\0\0\1\0half of a pie")
            other.sock.close()
        time.sleep(0.5)
        expect(wire.rows("select count(*) from copy_gone"), [["0"]])


@check
def flush_and_sync_mean_nothing_while_data_comes():
    with Pg() as wire:
        table(wire, "copy_sync")
        copy_in(wire, "copy copy_sync from stdin")
        expect(kinds(wire.ask(FLUSH + data(b"1\tx\n") + SYNC + data(b"2\ty\n") + FLUSH + DONE)), "CZ")
        expect(wire.rows("select count(*) from copy_sync"), [["2"]])


@check
def other_messages_end_the_copy():
    with Pg() as wire:
        table(wire, "copy_query")
        copy_in(wire, "copy copy_query from stdin")
        got = wire.send(data(b"1\tx\n") + message("Q", text("select 1"))).until("Z")
        expect(error_of(got)["C"], "08P01")


@check
def in_the_extended_protocol():
    with Pg() as wire:
        table(wire, "copy_extended")
        wire.send(parse("copy copy_extended from stdin") + bind() + execute() + FLUSH)
        got = [wire.read() for _ in range(3)]
        raise_errors(got)
        expect(kinds(got), "12G")
        expect(kinds(wire.ask(data(b"1\tx\n") + DONE + SYNC)), "CZ")
        got = wire.ask(parse("copy copy_extended to stdout") + bind() + execute() + SYNC)
        expect((kinds(got), [m.body for m in got if m.kind == "d"]), ("12HdcCZ", [b"1\tx\n"]))


@check
def binary_both_ways():
    with Pg() as wire:
        table(wire, "copy_binary")
        head = b"PGCOPY\n\xff\r\n\0" + bytes(8)
        row = struct.pack(">hii", 2, 4, 7) + struct.pack(">i", 1) + b"x"
        got = copy_in(wire, "copy copy_binary from stdin (format binary)")
        expect(got.body, struct.pack(">bhhh", 1, 2, 1, 1))
        expect(wire.ask(data(head + row[:5], row[5:] + struct.pack(">hii", 2, -1, -1) + b"\xff\xff") + DONE)[0].body, b"COPY 2\0")
        got = wire.query("copy copy_binary to stdout (format binary)")
        expect(b"".join(m.body for m in got if m.kind == "d"), head + row + struct.pack(">hii", 2, -1, -1) + b"\xff\xff")
        copy_in(wire, "copy copy_binary from stdin (format binary)")
        expect(error_of(wire.ask(data(b"1\tx\n") + DONE))["C"], "22P04")
        copy_in(wire, "copy copy_binary from stdin (format binary)")
        expect(error_of(wire.ask(data(head + struct.pack(">hi", 2, 0x7fffffff)) + DONE))["C"], "22P04")


@check
def out_one_row_a_message():
    with Pg() as wire:
        got = wire.query("copy (select g, 'a,' || g from generate_series(1, 3) g) to stdout (format csv, header)")
        raise_errors(got)
        expect((kinds(got), [m.body for m in got if m.kind == "d"][1:]), ("HddddcCZ", [b'1,"a,1"\n', b'2,"a,2"\n', b'3,"a,3"\n']))


@check
def rows_that_do_not_fit_are_skipped_on_request():
    with Pg() as wire:
        table(wire, "copy_skip")
        copy_in(wire, "copy copy_skip from stdin (on_error ignore)")
        got = wire.ask(data(b"1\tx\noops\ty\n3\tz\n") + DONE)
        expect((kinds(got).replace("N", ""), [m.body for m in got if m.kind == "C"]), ("CZ", [b"COPY 2\0"]))


@check
def a_writer_of_slow_pieces_holds_up_nobody():
    with Pg() as wire, Pg() as slow:
        table(wire, "copy_slow")
        copy_in(slow, "copy copy_slow from stdin")
        for i in range(20):
            slow.send(data(b"%d\tx\n" % i))
            expect(wire.rows("select 1"), [["1"]])
            time.sleep(0.02)
        expect(kinds(slow.ask(DONE)), "CZ")


def load(wire, sql, rows):
    """Sends rows and gives the command tag."""
    copy_in(wire, sql)
    got = wire.ask(data(rows.encode()) + DONE)
    raise_errors(got)
    return [m.body[:-1].decode() for m in got if m.kind == "C"][0]


@check
def where_chooses_rows_after_defaults_are_there():
    with Pg() as wire:
        raise_errors(wire.query("drop table if exists copy_where; create table copy_where (id int generated always as identity, v int check (v > 0), "
                                "w int not null default 5, t text)"))
        expect(load(wire, "copy copy_where (v) from stdin where v > 1", "0\n2\n3\n"), "COPY 2")      # a row that does not pass breaks no rule
        expect(load(wire, "copy copy_where (v) from stdin where id > 4", "4\n5\n"), "COPY 1")        # ids are taken before the condition is asked
        expect(load(wire, "copy copy_where (v, t) from stdin where w = 5 and t like 'a%'", "6\tabc\n7\tb\n8\t\\N\n"), "COPY 1")
        expect(load(wire, "copy copy_where (v) from stdin where false", "9\n"), "COPY 0")
        expect(wire.rows("select id, v, w, t from copy_where order by v"), [["2", "2", "5", None], ["3", "3", "5", None], ["5", "5", "5", None], ["6", "6", "5", "abc"]])
        many = "".join(f"{i}\ttext {i}\n" for i in range(1, 50001))
        expect(load(wire, "copy copy_where (v, t) from stdin where v % 1000 = 0", many), "COPY 50")
        expect(wire.rows("select count(*), sum(v), min(t), max(t) from copy_where where v >= 1000"), [["50", "1275000", "text 1000", "text 9000"]])
        expect(load(wire, "copy copy_where (v, t) from stdin with (on_error ignore) where v > 2", "1\tx\nbad\ty\n3\tz\n"), "COPY 1")
        for condition, code in (("nosuch > 1", "42703"), ("v", "42804"), ("sum(v) > 1", "42803"), ("v in (select 1)", "0A000"), ("row_number() over () > 1", "42P20"),
                                ("generate_series(1, 2) > 1", "0A000"), ("v > $1", "42P02")):
            expect((condition, wire.error(f"copy copy_where from stdin where {condition}")["C"]), (condition, code))
        expect(wire.error("copy copy_where to stdout where v > 1")["C"], "42601")
        copy_in(wire, "copy copy_where (v) from stdin where 10 / (v - 3) > 0")
        expect(error_of(wire.ask(data(b"4\n3\n") + DONE))["C"], "22012")


@check
def default_markers():
    with Pg() as wire:
        raise_errors(wire.query("drop table if exists copy_marks; create sequence if not exists copy_marks_seq; create table copy_marks (a int default nextval('copy_marks_seq'), "
                                "b text default 'it''s', c date, d boolean default true)"))
        expect(load(wire, "copy copy_marks from stdin with (format csv, default '\\D')", '\\D,\\D,,\\D\n900007,x,2020-01-01,f\n\\D,"\\D",,\n'), "COPY 3")
        expect(wire.rows("select * from copy_marks order by a"), [["1", "it's", None, "t"], ["2", "\\D", None, None], ["900007", "x", "2020-01-01", "f"]])
        expect(load(wire, "copy copy_marks (a, b) from stdin with (default 'D') where b <> 'y'", "D\ty\nD\tD\n"), "COPY 1")
        expect(wire.rows("select a, b from copy_marks where a = 4"), [["4", "it's"]])
        big = "".join("D\tt\n" if i % 3 == 0 else f"{100000 + i}\tD\n" for i in range(30000))
        expect(load(wire, "copy copy_marks (a, b) from stdin with (default 'D')", big), "COPY 30000")
        expect(wire.rows("select count(*), count(distinct a), count(*) filter (where b = 'it''s') from copy_marks"), [["30004", "30004", "20002"]])
        copy_in(wire, "copy copy_marks from stdin with (default 'D')")
        fields = error_of(wire.ask(data(b"1\tx\t2020-01-01\tD\n2\tx\tD\tD\n") + DONE))
        expect((fields["C"], fields["D"], fields["W"][:24]), ("22P04", 'Column "c" has no default value.', "COPY copy_marks, line 2"[:24]))


@check
def what_cannot_be_copied():
    with Pg() as wire:
        table(wire, "copy_base")
        raise_errors(wire.query("drop view if exists copy_view; create view copy_view as select * from copy_base; create sequence if not exists copy_sequence"))
        for sql, code in (("copy copy_view to stdout", "42809"), ("copy copy_view from stdin", "42809"), ("copy copy_sequence to stdout", "42809"),
                          ("copy copy_base from '/etc/passwd'", "0A000"), ("copy copy_base to program 'cat'", "0A000"), ("copy (select 1) from stdin", "42601"),
                          ("copy (select $1::int) to stdout", "42P02"), ("copy copy_base from stdin with (format csv, force_quote *)", "0A000")):
            expect((sql, wire.error(sql)["C"]), (sql, code))
        raise_errors(wire.query("drop view copy_view; drop role if exists copy_role; create role copy_role; grant select on copy_base to copy_role"))
        raise_errors(wire.query("set role copy_role"))
        expect(wire.error("copy copy_base from stdin")["C"], "42501")
        raise_errors(wire.query("copy copy_base to stdout"))
        raise_errors(wire.query("reset role; revoke all on copy_base from copy_role; drop role copy_role"))


@check
def skipped_rows_can_be_passed_over_in_silence():
    with Pg() as wire:
        table(wire, "copy_silent")
        for verbosity, notices in (("silent", 0), ("default", 1), ("verbose", 2)):
            copy_in(wire, f"copy copy_silent (a) from stdin with (on_error ignore, log_verbosity {verbosity})")
            got = wire.ask(data(b"bad\n1\n") + DONE)
            raise_errors(got)
            expect((verbosity, len([m for m in got if m.kind == "N"])), (verbosity, notices))

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

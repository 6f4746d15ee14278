# SPDX-License-Identifier: Apache-2.0
"""Bad clients: lengths and counts that lie, text that is not, violations, floods, peers that stop reading or leave. After each the server must
answer others at once (run does that behind every check)."""
import contextlib
import socket
import struct
import time

import kit
from kit import SYNC, Missing, Pg, bind, check, error_of, execute, expect, message, parse, startup_packet, text


@contextlib.contextmanager
def with_server(*options):
    """A server of its own with other settings."""
    mine, kit.server = kit.server, kit.Server(kit.server.program, *options)
    try:
        yield
    finally:
        other, kit.server = kit.server, mine
        code, log = other.stop()
        expect((code, log if code else ""), (0, ""))


def fatal(data):
    """What a session gets for bytes that break the stream; the connection ends behind it."""
    with Pg() as wire:
        got = wire.send(data).read()
        assert wire.ended(), (data[:20], got)
        expect((data[:20], got.kind, got.fields()["S"]), (data[:20], "E", "FATAL"))
        return got.fields()["C"]


@check
def lengths_that_lie_end_the_connection():
    for head in (b"Q\0\0\0\0", b"Q\0\0\0\3", b"Q\xff\xff\xff\xff", b"Q\x80\0\0\0", b"S\0\0\0\5x", b"X\x7f\xff\xff\xff", b"D\0\1\0\0", b"E\0\0\0\4", b"C\0\0\0\5S", b"H\0\0\1\0"):
        expect((head, fatal(head)), (head, "08P01"))


@check
def unknown_messages_end_the_connection():
    for head in (b"z\0\0\0\4", b"\0\0\0\0\4", b"G\0\0\0\4", b"\x16\3\1\0\5hello", b"GET / HTTP/1.1\r\n"):
        expect((head, fatal(head)), (head, "08P01"))


@check
def a_password_message_in_a_session_is_a_violation():
    with Pg() as wire:
        wire.send(message("p", text("secret")))
        got = wire.read()
        expect((got.kind, got.fields()["C"]), ("E", "08P01"))


@check
def an_announced_gigabyte_costs_nothing():
    before = kit.server.resident()
    wires = [Pg() for _ in range(20)]
    for wire in wires:
        wire.send(b"Q\x3f\xff\xff\xff" + b"x" * 1000)
    time.sleep(0.5)
    assert kit.server.resident() - before < 64 << 20, "memory follows the announced length"
    for wire in wires:
        wire.sock.close()


@check
def fields_that_leave_their_message_are_errors():
    with Pg() as wire:
        for data in (message("Q", b"select 1"), message("Q", b"select\0 1\0"), message("P", b"\0select 1\0\0\1"), message("P", b"\0select 1\0\xff\xff\0\0\0\x17"),
                     message("B", b"\0\0\0\0\0\1\x7f\xff\xff\xff\0\0"), message("B", b"\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"), message("B", b"\0\0\0\0\xff\xff\0\0"),
                     message("B", b"\0\0\0\2\0\0\0\0\0\1\xff\xff\xff\xff\0\0"), message("D", b"X\0"), message("E", b"\0\0\0\0\0\0")):
            # PostgreSQL answers a broken Query with its ReadyForQuery; the others wait for Sync
            got = wire.ask(data if data[:1] == b"Q" else data + SYNC)
            expect((data[:20], error_of(got)["C"]), (data[:20], "08P01"))
        expect(wire.rows("select 1"), [["1"]])


@check
def format_codes_that_do_not_exist():
    with Pg() as wire:
        for formats, results in (((2,), ()), ((), (7,))):
            got = wire.ask(parse("select $1::text") + bind((b"x",), formats=formats, results=results) + execute() + SYNC)
            assert error_of(got)["C"] in ("22023", "08P01"), got


@check
def text_that_is_not_utf8():
    with Pg() as wire:
        for raw in (b"select '\xff'", b"select '\xc3'", b"select '\xed\xa0\x80'", b"select '\xf8\x88\x80\x80\x80'", b"select '\xc0\x80'"):
            got = wire.ask(message("Q", raw + b"\0"))
            expect((raw, error_of(got)["C"]), (raw, "22021"))
            got = wire.ask(message("P", b"\0" + raw + b"\0\0\0") + SYNC)
            expect((raw, error_of(got)["C"]), (raw, "22021"))


@check
def statements_that_are_too_deep_or_too_long():
    with Pg(timeout=60) as wire:
        assert wire.error("select " + "(" * 20000 + "1" + ")" * 20000)["C"] in ("54001", "54000"), "depth"
        assert wire.error("select " + "+".join(["1"] * 200000))["C"] in ("54001", "54000"), "length of an expression"
        assert wire.error("select " + ",".join(["1"] * 5000))["C"] in ("54011", "54000"), "columns"
        expect(wire.rows("select 1"), [["1"]])


@check
def too_many_parameters():
    with Pg(timeout=60) as wire:
        got = wire.ask(parse("select $70000::int") + SYNC)
        assert error_of(got)["C"] in ("42P02", "42601", "54000", "54023"), got
        got = wire.ask(parse("select 1", oids=tuple([23] * 65535)) + SYNC)
        assert got[-1].kind == "Z"


@check
def execute_size_wraps_do_not_split_messages():
    """A field longer than its message could once be read as messages of its own (CVE-2024-27304 is the client's side of that)."""
    inner = message("Q", text("create table smuggled (a int)"))
    with Pg() as wire:
        body = b"\0\0" + struct.pack(">hhi", 0, 1, -2147483648 + len(inner)) + inner + struct.pack(">h", 0)
        got = wire.ask(parse("select $1::text") + message("B", body) + SYNC)
        expect(error_of(got)["C"], "08P01")
        expect(wire.error("select * from smuggled")["C"], "42P01")


@check
def plaintext_behind_an_ssl_request_is_never_run():
    """CVE-2021-23214: what is sent before the handshake must not be executed after it."""
    with Pg(start=False) as wire:
        wire.send(struct.pack(">II", 8, 80877103) + startup_packet(user="postgres", database="basalt") + message("Q", text("create table stuffed (a int)")))
        answer = wire.bytes(1)
        if answer == b"S":
            assert wire.ended() or wire.rest[:1] == b"E", wire.rest
    if answer == b"S":
        with Pg() as wire:
            expect(wire.error("select * from stuffed")["C"], "42P01")


@check
def clients_that_say_nothing_are_closed():
    """A request, half of a start packet or nothing, then silence; or a byte now and then: one deadline runs from accept to the session."""
    with with_server("--pg-start-timeout", "1s"):
        wires = []
        for data in (struct.pack(">II", 8, 80877104), b"\0\0\0\x20\0\3", b""):
            wire = Pg(start=False)
            wire.send(data)
            wires.append(wire)
        drip = Pg(start=False)
        start = time.time()
        try:
            for byte in startup_packet(user="postgres", database="basalt", application_name="x" * 100):
                drip.send(bytes([byte]))
                time.sleep(0.1)
                assert time.time() - start < 5, "a byte now and then keeps the connection open"
        except OSError:
            pass
        wires.append(drip)
        for wire in wires:
            while not wire.ended(5):
                assert time.time() - start < 8, "still open"
            wire.sock.close()
        with Pg() as wire:      # a session is not meant by that
            time.sleep(1.5)
            expect(wire.rows("select 1"), [["1"]])


@check
def clients_that_stop_reading_hold_up_nobody():
    slow = [Pg(receive_buffer=4096) for _ in range(5)]
    for wire in slow:
        wire.send(message("Q", text("select g, repeat('x', 500) from generate_series(1, 2000000) g")))
    time.sleep(1)
    kit.alive()
    assert kit.server.resident() < 1 << 30, f"{kit.server.resident() >> 20} MiB"
    for wire in slow:
        wire.sock.close()


@check
def clients_that_vanish_roll_back():
    with Pg() as wire:
        kit.raise_errors(wire.query("create table vanish (a int)"))
    for how in ("close", "reset"):
        wire = Pg()
        kit.raise_errors(wire.query("begin"))
        kit.raise_errors(wire.query("insert into vanish values (1)"))
        if how == "reset":
            wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.sock.close()
    time.sleep(0.3)
    with Pg() as wire:
        expect(wire.rows("select count(*) from vanish"), [["0"]])


@check
def clients_that_vanish_in_a_message():
    for data in (b"Q\0\0\1\0selec", b"P", message("Q", text("select count(*) from generate_series(1, 100000000000) g")), parse("select 1") + bind() + execute()):
        wire = Pg()
        wire.send(data)
        wire.sock.close()
    time.sleep(0.5)


@check
def many_connections_at_once():
    wires = [Pg() for _ in range(100)]
    for wire in wires:
        wire.send(message("Q", text("select 1")))
    for wire in wires:
        expect(wire.until("Z")[-1].kind, "Z")
        wire.sock.close()


@check
def long_statements_hold_up_neither_short_ones_nor_cancels():
    """More busy sessions than HTTP has workers: others are served, each can be cancelled, and the server ends in time."""
    with with_server("--http-workers", "2"):
        wires = [Pg(timeout=30) for _ in range(40)]
        for i, wire in enumerate(wires):
            wire.send(message("Q", text("select pg_sleep(1000)" if i % 2 else "select count(*) from generate_series(1, 100000000000) g")))
        time.sleep(0.5)
        with Pg(timeout=10) as wire:
            expect(wire.rows("select 1"), [["1"]])
        for wire in wires[:2]:
            number, secret = wire.key
            with socket.create_connection((kit.server.host, kit.server.port), timeout=10) as cancel:
                cancel.sendall(struct.pack(">III", 12 + len(secret), 80877102, number) + secret)
                expect(cancel.recv(1), b"")
            expect(error_of(wire.until("Z"))["C"], "57014")
        kit.server.process.terminate()
        expect(kit.server.process.wait(timeout=15), 0)
        for wire in wires:
            wire.sock.close()


@check
def too_many_connections_are_refused_with_their_code():
    with with_server("--pg-connections", "5"):
        wires = [Pg() for _ in range(5)]
        with Pg(start=False) as wire:
            wire.send(startup_packet(user="postgres", database="basalt"))
            got = wire.read()
            expect((got.kind, got.fields()["S"], got.fields()["C"]), ("E", "FATAL", "53300"))
        wires.pop().sock.close()
        time.sleep(0.3)
        kit.alive()
        for wire in wires:
            wire.sock.close()


@check
def unknown_settings_and_wrong_values():
    with Pg() as wire:
        for sql, code in (("set no_such_setting = 1", "42704"), ("show no_such_setting", "42704"), ("set statement_timeout = 'soon'", "22023"),
                          ("set client_encoding = 'klingon'", "22023"), ("set timezone = 'Mars/Olympus'", "22023")):
            expect((sql, wire.error(sql)["C"]), (sql, code))

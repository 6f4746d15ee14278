# SPDX-License-Identifier: Apache-2.0
"""What happens before the first statement: requests, versions, parameters, and packets that are no start packets."""
import struct

from kit import Pg, check, error_of, expect, kinds, message, refusal, startup_packet, text

SSL, GSS, CANCEL = 80877103, 80877104, 80877102


@check
def a_session_starts_with_what_drivers_need():
    with Pg(application_name="kit", client_encoding="utf-8") as wire:
        for name, value in {"client_encoding": "UTF8", "server_encoding": "UTF8", "standard_conforming_strings": "on", "integer_datetimes": "on",
                            "application_name": "kit", "is_superuser": "on", "session_authorization": "postgres"}.items():
            expect((name, wire.status.get(name)), (name, value))
        assert wire.status["DateStyle"].startswith("ISO")
        assert {"server_version", "TimeZone", "IntervalStyle", "default_transaction_read_only", "in_hot_standby", "scram_iterations", "search_path"} <= set(wire.status)
        expect((len(wire.key[1]), wire.state), (4, "I"))


@check
def requests_before_the_session():
    with Pg(start=False) as wire:
        expect(wire.send(struct.pack(">II", 8, GSS)).bytes(1), b"N")
        assert wire.send(struct.pack(">II", 8, SSL)).bytes(1) in (b"N", b"S")


@check
def every_database_name_of_the_folder_is_reached():
    for database in ("basalt", "postgres", "qdb"):
        with Pg(database=database) as wire:
            expect(wire.rows("select 1"), [["1"]])


@check
def newer_versions_and_unknown_options_are_negotiated():
    for version, options, want in ((3 << 16 | 2, {}, None), (3 << 16 | 9999, {}, (3 << 16 | 2, [])), (3 << 16, {"_pq_.color": "red"}, (3 << 16, [b"_pq_.color"]))):
        with Pg(start=False) as wire:
            got = wire.send(startup_packet(version, user="postgres", database="basalt", **options)).until("Z")
            if want is None:
                assert got[0].kind != "v", got
            else:
                expect(got[0].kind, "v")
                newest, count = struct.unpack_from(">II", got[0].body)
                expect((newest, got[0].body[8:].split(b"\0")[:count]), want)
            key = next(m for m in got if m.kind == "K").body[4:]
            assert len(key) == 4 if version & 0xffff < 2 else 4 <= len(key) <= 256, key


@check
def settings_of_the_start_packet_hold():
    with Pg(options="-c search_path=public --statement-timeout=12345", TimeZone="Asia/Kathmandu") as wire:
        expect(wire.rows("show statement_timeout")[0][0] in ("12345ms", "12345"), True)
        expect(wire.rows("show timezone"), [["Asia/Kathmandu"]])
        expect(wire.status["TimeZone"], "Asia/Kathmandu")


@check
def start_packets_that_lie_are_refused():
    for packet in (struct.pack(">I", 0), struct.pack(">I", 4), struct.pack(">I", 7), struct.pack(">I", 10001), struct.pack(">I", 0x7fffffff), struct.pack(">I", 0xffffffff),
                   b"GET / HTTP/1.1\r\n\r\n", struct.pack(">II", 9, SSL) + b"x", struct.pack(">II", 8, 3 << 16),
                   struct.pack(">II", 14, 3 << 16) + b"user\0\0"[:6], startup_packet(user="postgres")[:-1] + b"x"):
        got = refusal(packet)
        expect((packet[:20], got["S"], got["C"]), (packet[:20], "FATAL", "08P01"))


@check
def start_packets_that_ask_for_too_much():
    for packet, code in ((startup_packet(2 << 16, user="postgres"), "0A000"), (startup_packet(4 << 16, user="postgres"), "0A000"),
                         (startup_packet(user="postgres", replication="database"), "0A000"), (startup_packet(database="basalt"), "28000"),
                         (startup_packet(user="postgres", database="nowhere"), "3D000"), (startup_packet(user="postgres", database="basalt", no_such_setting="1"), "42704"),
                         (startup_packet(user="postgres", database="basalt", options="-c nonsense"), "42601"),
                         (startup_packet(user=b"\xff", database="basalt"), "22021")):
        got = refusal(packet)
        expect((packet[8:60], got["S"], got["C"]), (packet[8:60], "FATAL", code))


@check
def an_unknown_user_is_told_who_exists():
    got = refusal(startup_packet(user="nobody", database="basalt"))
    expect((got["S"], got["C"]), ("FATAL", "28000"))
    assert "postgres" in got.get("H", "") + got.get("D", "") + got["M"], got


@check
def a_start_packet_byte_by_byte():
    with Pg(start=False) as wire:
        for byte in startup_packet(user="postgres", database="basalt"):
            wire.send(bytes([byte]))
        expect(kinds(wire.until("Z"))[-1], "Z")


@check
def messages_before_the_start_packet_mean_nothing():
    got = refusal(message("Q", text("select 1")))
    expect(got["C"], "08P01")


@check
def wrong_cancel_requests_are_dropped():
    with Pg() as wire:
        for key in (b"\0\0\0\0", b"x" * 256, b"", b"x" * 257):
            with Pg(start=False) as other:
                other.send(struct.pack(">III", 12 + len(key), CANCEL, wire.key[0]) + key)
                while not other.ended():
                    pass
        expect(wire.rows("select 1"), [["1"]])


@check
def a_cancel_request_ends_the_statement():
    with Pg() as wire:
        wire.send(message("Q", text("select count(*) from generate_series(1, 100000000000) g")))
        got = None
        for _ in range(20):
            with Pg(start=False) as other:
                other.send(struct.pack(">III", 12 + len(wire.key[1]), CANCEL, wire.key[0]) + wire.key[1])
                assert other.ended()
            wire.sock.settimeout(1)
            try:
                got = wire.until("Z")
                break
            except TimeoutError:
                continue
        expect(error_of(got)["C"], "57014")

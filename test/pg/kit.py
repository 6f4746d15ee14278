# SPDX-License-Identifier: Apache-2.0
"""Raw PostgreSQL protocol against a running server: a reader that checks every length, helpers for each message, a registry of checks.

A check is a function with @check; it raises to fail, or raises Missing for a part that the server says it does not have (0A000).
`server` (set by run.py) tells where the server is and how it was started.
"""
import re
import socket
import struct
import time
import traceback

CHECKS = []
server = None            # run.Server


class Missing(Exception):
    pass


def check(fn):
    CHECKS.append(fn)
    return fn


class Message:
    def __init__(self, kind, body):
        self.kind, self.body = kind, body

    def fields(self):
        """Of ErrorResponse and NoticeResponse: letter -> text."""
        parts = self.body.split(b"\0")
        return {part[:1].decode(): part[1:].decode() for part in parts if part}

    def row(self):
        """Of DataRow: list of bytes or None."""
        count, at, values = struct.unpack_from(">h", self.body)[0], 2, []
        for _ in range(count):
            size = struct.unpack_from(">i", self.body, at)[0]
            at += 4
            values.append(None if size < 0 else self.body[at:at + size])
            assert size < 0 or len(values[-1]) == size, "a field is longer than its row"
            at += max(size, 0)
        assert at == len(self.body), "bytes behind the last field"
        return values

    def __repr__(self):
        return f"{self.kind}{self.body[:200]!r}"


def text(value):
    return (value if isinstance(value, bytes) else value.encode()) + b"\0"


def message(kind, body=b""):
    return kind.encode() + struct.pack(">I", len(body) + 4) + body


def startup_packet(version=3 << 16, **parameters):
    body = struct.pack(">I", version)
    for name, value in parameters.items():
        body += text(name) + text(value)
    body += b"\0"
    return struct.pack(">I", len(body) + 4) + body


def parse(sql, name="", oids=()):
    return message("P", text(name) + text(sql) + struct.pack(f">H{len(oids)}I", len(oids), *oids))


def bind(values=(), portal="", name="", formats=(), results=()):
    body = text(portal) + text(name) + struct.pack(f">h{len(formats)}h", len(formats), *formats) + struct.pack(">h", len(values))
    for value in values:
        body += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
    return message("B", body + struct.pack(f">h{len(results)}h", len(results), *results))


def describe(kind="P", name=""):
    return message("D", kind.encode() + text(name))


def close(kind="S", name=""):
    return message("C", kind.encode() + text(name))


def execute(portal="", limit=0):
    return message("E", text(portal) + struct.pack(">i", limit))


SYNC = message("S")
FLUSH = message("H")


class Pg:
    """One connection: send bytes, read messages one by one."""

    def __init__(self, start=True, timeout=15, receive_buffer=None, user="postgres", database="basalt", version=3 << 16, **parameters):
        self.sock = socket.socket()
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(timeout)
        self.sock.connect((server.host, server.port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest, self.status, self.key, self.state = b"", {}, None, None
        if start:
            self.send(startup_packet(version, user=user, database=database, **parameters))
            for got in self.until("Z"):
                if got.kind == "E":
                    raise AssertionError(got.fields())
                if got.kind == "S":
                    name, value = got.body.split(b"\0")[:2]
                    self.status[name.decode()] = value.decode()
                if got.kind == "K":
                    self.key = (struct.unpack_from(">I", got.body)[0], got.body[4:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)
        return self

    def _more(self):
        part = self.sock.recv(262144)
        self.rest += part
        return part != b""

    def bytes(self, count):
        while len(self.rest) < count:
            if not self._more():
                raise EOFError(f"the connection ended, left over: {self.rest[:200]!r}")
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def read(self):
        head = self.bytes(5)
        size = struct.unpack(">I", head[1:])[0]
        assert 4 <= size < 1 << 30, f"a message of {size} bytes: {head!r}"
        return Message(head[:1].decode("latin1"), self.bytes(size - 4))

    def until(self, kind):
        got = [self.read()]
        while got[-1].kind != kind and not (got[-1].kind == "E" and got[-1].fields()["S"] == "FATAL"):
            got.append(self.read())
        if got[-1].kind == "Z":
            self.state = got[-1].body.decode()
        return got

    def ask(self, data):
        """Messages up to ReadyForQuery."""
        return self.send(data).until("Z")

    def query(self, sql):
        return self.ask(message("Q", text(sql)))

    def rows(self, sql):
        got = self.query(sql)
        raise_errors(got)
        return [[None if v is None else v.decode() for v in m.row()] for m in got if m.kind == "D"]

    def error(self, sql):
        return error_of(self.query(sql))

    def ended(self, within=5):
        """True if the server ends the connection and nothing more comes."""
        self.sock.settimeout(within)
        try:
            return not self._more()
        except (ConnectionResetError, BrokenPipeError):
            return True
        except socket.timeout:
            return False


def kinds(messages):
    return "".join(m.kind for m in messages)


def error_of(messages):
    errors = [m.fields() for m in messages if m.kind == "E"]
    assert len(errors) == 1, f"{len(errors)} errors in {messages}"
    return errors[0]


def raise_errors(messages):
    for m in messages:
        if m.kind == "E":
            fields = m.fields()
            raise Missing(fields["M"]) if fields["C"] == "0A000" else AssertionError(fields)


def refusal(data, **options):
    """The error that raw bytes on a fresh connection get; the connection must end behind it."""
    with Pg(start=False, **options) as wire:
        got = wire.send(data).read()
        expect(got.kind, "E")
        assert wire.ended(), "more than one answer"
        return got.fields()


def expect(got, want):
    assert got == want, f"got {str(got)[:600]}, want {str(want)[:400]}"


def alive():
    """The server still answers others, quickly."""
    start = time.time()
    with Pg() as wire:
        expect(wire.rows("select 1"), [["1"]])
    assert time.time() - start < 3, "slow answer"


def run(parts):
    passed = failed = 0
    for fn in CHECKS:
        if parts and not any(part in fn.__name__ for part in parts):
            continue
        try:
            fn()
            alive()
            passed += 1
            print(f"ok {fn.__name__}", flush=True)
        except Missing as missing:
            print(f"-- {fn.__name__}: not there yet: {missing}", flush=True)
        except Exception:
            failed += 1
            where = re.sub(r"\n+", "\n    ", traceback.format_exc().strip())
            print(f"FAIL {fn.__name__}\n    {where}", flush=True)
    return passed, failed

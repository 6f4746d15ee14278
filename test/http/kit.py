# SPDX-License-Identifier: Apache-2.0
"""Raw HTTP against a running server: sockets, an answer reader that trusts nothing, a registry of checks.

A check is a function with @check; it raises to fail. `server` (set by run.py) tells where the server is and how it was started.
"""
import gzip
import http.client
import json
import socket
import time
import traceback
import urllib.parse

CHECKS = []
server = None            # run.Server


def check(fn):
    CHECKS.append(fn)
    return fn


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        raw = gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body
        return raw.decode()

    @property
    def json(self):
        return json.loads(self.text)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"


class Wire:
    """One connection: send bytes, read answers one by one."""

    def __init__(self, timeout=10, receive_buffer=None):
        self.sock = socket.socket()
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(timeout)
        self.sock.connect((server.host, server.port))
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def _more(self):
        part = self.sock.recv(65536)
        self.rest += part
        return part != b""

    def _line(self):
        while b"\r\n" not in self.rest:
            if not self._more():
                raise EOFError(f"the connection ended, left over: {self.rest[:200]!r}")
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def _bytes(self, count):
        while len(self.rest) < count:
            if not self._more():
                raise EOFError(f"the body ended after {len(self.rest)} of {count} bytes")
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def answer(self, head=False):
        status = self._line().decode()
        assert status.startswith("HTTP/1.1 "), status
        code, headers = int(status.split()[1]), {}
        while line := self._line().decode():
            name, _, value = line.partition(":")
            assert name.lower() not in headers, f"header twice: {line}"
            headers[name.lower()] = value.strip()
        if head or code in (100, 204, 304):
            return Answer(code, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self._line().split(b";")[0], 16):
                body += self._bytes(size)
                assert self._line() == b"", "a chunk does not end with CRLF"
            assert self._line() == b""
            return Answer(code, headers, body)
        if "content-length" in headers:
            return Answer(code, headers, self._bytes(int(headers["content-length"])))
        while self._more():
            pass
        body, self.rest = self.rest, b""
        return Answer(code, headers, body)

    def ended(self, within=5):
        """True if the server ends the connection and nothing more comes."""
        self.sock.settimeout(within)
        try:
            return not self._more()
        except (ConnectionResetError, BrokenPipeError):
            return True
        except socket.timeout:
            return False


def ask(data, head=False, timeout=10):
    """The answer to raw bytes on a fresh connection."""
    with Wire(timeout) as wire:
        return wire.send(data).answer(head)


def get(path, headers="", **query):
    if query:
        path += "?" + urllib.parse.urlencode(query)
    return ask(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")


def post(path, body, headers="", **query):
    if query:
        path += "?" + urllib.parse.urlencode(query)
    body = body.encode() if isinstance(body, str) else body
    return ask(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body)


def sql(query, **query_parameters):
    return get("/exec", query=query, **query_parameters)


def rows(query):
    answer = sql(query)
    assert answer.status == 200 and "dataset" in answer.json, answer
    return answer.json["dataset"]


def has_sql():
    """Statements run (they do not in a server without its SQL part)."""
    return server.has_sql


def expect(got, want):
    assert got == want, f"got {str(got)[:400]}, want {str(want)[:400]}"


def alive():
    """The server still answers, quickly."""
    start = time.time()
    expect(get("/ping").status, 204)
    assert time.time() - start < 2, "slow answer"


def run(names):
    passed = failed = 0
    for fn in CHECKS:
        if names and not any(n in fn.__name__ for n in names):
            continue
        try:
            fn()
            alive()
            passed += 1
            print("ok", fn.__name__, flush=True)
        except Exception as why:
            failed += 1
            place = traceback.extract_tb(why.__traceback__)[-1]
            print(f"FAIL {fn.__name__}: {type(why).__name__} {why} ({place.name}, line {place.lineno})", flush=True)
    return passed, failed


__all__ = ["Answer", "Wire", "alive", "ask", "check", "expect", "get", "has_sql", "http", "post", "rows", "sql"]

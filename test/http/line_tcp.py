#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line protocol over TCP (`basalt serve --ilp`): what is sent is there after the sender ends, after a time, and up to a line at fault.

    test/http/line_tcp.py [build/basalt]

Last line: N passed, N failed."""
import http.client
import json
import os
import re
import socket
import struct
import sys
import threading
import time
from urllib.parse import quote

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from served import Served

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "build/basalt"
CHECKS = []


def check(fn):
    CHECKS.append(fn)
    return fn


class Server(Served):
    stop_seconds = 30

    def __init__(self, interval="100ms"):
        super().__init__(PROGRAM, "--ilp-commit-interval", interval, doors=("ilp", "http"))

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=20)

    def send(self, data):
        """One sender, from connect to end."""
        with self.connect() as s:
            s.sendall(data)

    def ask(self, query):
        c = http.client.HTTPConnection(self.host, self.ports["http"], timeout=20)
        c.request("GET", "/exec?query=" + quote(query))
        answer = json.loads(c.getresponse().read())
        c.close()
        return answer.get("dataset", answer.get("error"))

    def tables(self):
        return {row[0] for row in self.ask("select table_name from tables()")}

    def wait(self, query, want, seconds=10):
        end = time.time() + seconds
        while True:
            got = self.ask(query)
            if got == want:
                return
            assert time.time() < end, f"{query}: got {got}, want {want}"
            time.sleep(0.02)


@check
def rows_are_there_when_the_sender_ends(server):
    server.send(b'a,s=x v=1i,d=1.5,t="text, with spaces",b=t 1000000000\na,s=y v=2i 2000000000\n')
    server.wait("select s, v, d, t, b from a order by timestamp", [["x", 1, 1.5, "text, with spaces", True], ["y", 2, None, None, None]])


@check
def a_last_line_without_its_end_is_not_a_row(server):
    server.send(b"cut v=1i 1000\ncut v=2i 20")
    server.wait("select v from cut", [[1]])
    time.sleep(0.3)
    assert server.ask("select v from cut") == [[1]]


@check
def rows_are_committed_after_the_interval(server):
    with server.connect() as s:
        s.sendall(b"timed v=1i 1000\ntimed v=2i 2000\ntimed v=3i ")
        server.wait("select count() from timed", [[2]])
        s.sendall(b"3000\n")
        server.wait("select count() from timed", [[3]])


@check
def lines_may_come_in_any_pieces(server):
    line = b'pieces,s=\xd0\xb6 v=7i,t="a\\"b" 1000\n'
    with server.connect() as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(3):
            for i in range(len(line)):
                s.sendall(line[i:i + 1])
    server.wait("select s, v, t, count() from pieces", [["ж", 7, 'a"b', 3]])


@check
def a_line_at_fault_ends_the_connection_and_keeps_what_came_before(server):
    with server.connect() as s:
        s.sendall(b"fault v=1i 1000\nfault v=2i 2000\nfault v=nonsense 3000\nfault v=4i 4000\n")
        assert s.recv(10) == b"", "the connection is closed, without an answer"
    server.wait("select v from fault order by v", [[1], [2]])
    assert re.search(r"line protocol from 127\.0\.0\.1.*, line 3: ", server.said()), server.said()


@check
def a_table_for_refused_rows_does_not_stay(server):
    with server.connect() as s:
        s.sendall(b"nothing v=nonsense 1000\n")
        assert s.recv(10) == b""
    time.sleep(0.2)
    assert "nothing" not in server.tables()


@check
def binary_doubles_and_arrays(server):
    array = b"\x0e\x0a\x01" + struct.pack("<I", 3) + struct.pack("<3d", 1.0, 2.5, -3.0)
    server.send(b"doubles v==\x10" + struct.pack("<d", 0.1) + b",a==" + array + b" 1000\n")
    server.wait("select v, a from doubles", [[0.1, [1.0, 2.5, -3.0]]])


@check
def many_senders_of_one_table(server):
    def sender(n):
        server.send(b"".join(b"many,who=w%d v=%di %d\n" % (n, k, (n * 20000 + k) * 1000) for k in range(20000)))

    threads = [threading.Thread(target=sender, args=(n,)) for n in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    server.wait("select count(), count_distinct(who), sum(v) from many", [[160000, 8, 8 * sum(range(20000))]], 60)


@check
def a_sender_that_resets(server):
    s = server.connect()
    s.sendall(b"reset v=1i 1000\n" * 1000 + b"reset v=")
    time.sleep(0.3)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
    server.wait("select count() from reset", [[1000]])
    assert server.ask("select 1") == [[1]]


def main():
    passed = failed = 0
    server = Server()
    for fn in CHECKS:
        try:
            fn(server)
            passed += 1
            print(f"ok {fn.__name__}", flush=True)
        except Exception as e:
            failed += 1
            print(f"FAIL {fn.__name__}: {type(e).__name__} {e}", flush=True)
    code, _ = server.stop()
    passed, failed = (passed + 1, failed) if code == 0 else (passed, failed + 1)
    print("ok the_server_stops_cleanly" if code == 0 else f"FAIL the_server_stops_cleanly: exit code {code}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

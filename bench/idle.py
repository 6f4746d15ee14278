#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of 10,000 idle connections of the PostgreSQL door, and how fast they connect.

    bench/idle.py [--program build/basalt] [--count 10000] [--out bench/results/idle.md]

Each connection has run one statement. Both ends need descriptors: `ulimit -n` above the count on either side (the script raises its own)."""
import argparse
import os
import resource
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test"))
sys.dont_write_bytecode = True
from served import Served


def message(kind, body=b""):
    return kind + struct.pack(">I", len(body) + 4) + body


START = struct.pack(">I", 3 << 16) + b"user\0postgres\0database\0basalt\0\0"
START = struct.pack(">I", len(START) + 4) + START
QUERY = message(b"Q", b"select 1\0")


def ready(sock):
    """Reads up to ReadyForQuery."""
    got = b""
    while got[-6:-1] != b"Z\0\0\0\5":
        part = sock.recv(65536)
        assert part, f"the connection ended: {got[-200:]!r}"
        got += part
    assert b"FATAL" not in got, got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/basalt")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--out")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    socket.setdefaulttimeout(60)
    server = Served(options.program, "--pg-connections", str(options.count + 10), "--durability", "off", doors=("pg",))
    address = server.host, server.port
    try:
        warm = [socket.create_connection(address) for _ in range(50)]
        for sock in warm:
            sock.sendall(START)
            ready(sock)
            sock.sendall(QUERY)
            ready(sock)
        for sock in warm:
            sock.close()
        time.sleep(1)
        before = server.resident() >> 10
        socks, begin = [], time.time()
        for i in range(options.count):
            sock = socket.create_connection(address)
            sock.sendall(START)
            ready(sock)
            socks.append(sock)
        seconds = time.time() - begin
        for sock in socks:
            sock.sendall(QUERY)
            ready(sock)
        time.sleep(3)
        after = server.resident() >> 10
        lines = [f"{options.count:,} idle connections: {(after - before) / options.count:.1f} KiB each of resident memory ({before:,} -> {after:,} KiB);",
                 f"one client after the other made {options.count / seconds:,.0f} connections per second under trust"]
        for sock in socks:
            sock.close()
        time.sleep(3)
        lines.append(f"behind them: {server.resident() >> 10:,} KiB")
        print("\n".join(lines))
        if options.out:
            open(options.out, "w").write("# Idle connections of the PostgreSQL door\n\n" + "\n".join(lines) + "\n\nMade by `bench/idle.py`.\n")
    finally:
        server.stop()


main()

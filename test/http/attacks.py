# SPDX-License-Identifier: Apache-2.0
"""Bad clients: smuggling, oversize, slow senders and readers, peers that leave, floods. After each the server must answer others at once."""
import gzip
import socket
import struct
import time

import kit
from kit import Wire, alive, ask, check, expect, get, has_sql, post, rows

HEAD = "GET /ping HTTP/1.1\r\nHost: localhost\r\n"
POST = "POST /write HTTP/1.1\r\nHost: localhost\r\n"

SMUGGLING = [
    (400, POST + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"),
    (400, POST + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
    (400, POST + "Content-Length: 0,5\r\n\r\n"),
    (400, POST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (400, POST + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"),
    (400, POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n"),
    (501, POST + "Transfer-Encoding: identity, chunked\r\n\r\n"),
    (501, POST + "Transfer-Encoding: xchunked\r\n\r\n"),
    (400, POST + "Transfer-Encoding : chunked\r\n\r\n"),
    (400, POST + "Transfer-Encoding\r\n: chunked\r\n\r\n"),
    (400, POST + " Transfer-Encoding: chunked\r\n\r\n"),
    (400, POST + "X: y\r\n Transfer-Encoding: chunked\r\n\r\n"),
    (501, POST + "Transfer-Encoding:\x0bchunked\r\n\r\n"),
    (400, POST + "Content-Length: +5\r\n\r\n"),
    (400, POST + "Content-Length: 5 5\r\n\r\n"),
    (400, POST + "Content-Length: 0x5\r\n\r\n"),
    (400, POST + "Content-Length: -1\r\n\r\n"),
    (400, POST + "Content-Length: 18446744073709551617\r\n\r\n"),
    (400, "POST /write HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (400, HEAD + "A: b\rB: c\r\n\r\n"),
    (400, HEAD + "A: b\nB: c\r\n\r\n"),
    (400, HEAD + "A: b\0c\r\n\r\n"),
    (400, HEAD + "Host: other\r\n\r\n"),
    (400, "GET /ping HTTP/1.1\n\n"),
    (400, "GET /ping\r\n\r\n"),
    (400, "GET /ping HTTP/1.1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (505, "GET /ping HTTP/3.0\r\nHost: localhost\r\n\r\n"),
    (400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    (400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".replace("PRI *", "PRI x")),
]


@check
def smuggling_is_refused_and_ends_the_connection():
    for status, text in SMUGGLING:
        with Wire() as wire:
            wire.send(text + "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n")
            got = wire.answer()
            assert got.status in (status, 400), f"{text!r}: {got}"
            assert wire.ended(), f"{text!r}: more than one answer"


@check
def bad_chunks_end_the_connection():
    for chunks in ("5\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "g\r\n", "-1\r\n", "\r\n", "5 \r\nhello\r\n", "ffffffffffffffff1\r\n", "5;" + "x" * 300 + "\r\n",
                   "0\r\n" + "A: b\r\n" * 5000):
        with Wire() as wire:
            wire.send(POST + "Transfer-Encoding: chunked\r\n\r\n" + chunks)
            expect((chunks[:20], wire.answer().status), (chunks[:20], 400))
            assert wire.ended(), chunks[:20]


@check
def huge_heads_are_refused():
    expect(ask(HEAD + "A: " + "x" * 40000 + "\r\n\r\n").status, 431)
    expect(ask("GET /" + "x" * 40000 + " HTTP/1.1\r\n").status, 431)
    expect(ask(HEAD + "".join(f"A{n}: b\r\n" for n in range(101)) + "\r\n").status, 431)
    expect(ask(HEAD + "".join(f"A{n}: b\r\n" for n in range(90)) + "\r\n").status, 204)


@check
def huge_forms_are_refused():
    body = b"query=select+1+--" + b"x" * (17 << 20)
    head = f"POST /exec HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    with Wire(30) as wire:
        expect(wire.send(head.encode() + body).answer().status, 413)
        expect(wire.send(HEAD + "\r\n").answer().status, 204)


@check
def gzip_bombs_are_refused():
    bomb = gzip.compress(b"\n" * (50 << 20), 9)
    assert len(bomb) < 200000
    before = kit.server.resident()
    expect(post("/write", bomb, "Content-Encoding: gzip\r\n").status, 413)
    assert kit.server.resident() - before < 50 << 20, "memory grew"


@check
def slow_heads_are_dropped():
    limit = kit.server.head_timeout
    with Wire() as wire:
        start = time.time()
        try:
            for byte in HEAD * 20:
                wire.send(byte)
                time.sleep(limit / 20)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert time.time() - start < limit * 4, "a byte now and then keeps the connection open"


@check
def slow_bodies_are_dropped():
    with Wire() as wire:
        wire.send(POST + "Content-Length: 1000\r\n\r\nslow ")
        got = wire.answer()
        expect(got.status, 408)


@check
def idle_connections_end():
    with Wire(20) as wire:
        expect(wire.send(HEAD + "\r\n").answer().status, 204)
        assert wire.ended(kit.server.idle_timeout * 3 + 3), "still open"


@check
def many_slow_clients_do_not_hold_workers():
    """More half-sent requests than there are worker threads; others are served at once."""
    wires = [Wire() for _ in range(60)]
    for wire in wires:
        wire.send(POST + "Content-Length: 1000\r\n\r\nslow v=1i")
    for _ in range(5):
        alive()
    for wire in wires:
        wire.sock.close()


@check
def half_a_body_stores_nothing():
    with Wire() as wire:
        wire.send(POST + "Content-Length: 1000\r\n\r\nhalf v=1i 1000\nhalf v=2i 2000\n")
        time.sleep(0.1)
    with Wire() as wire:
        wire.send(POST + "Transfer-Encoding: chunked\r\n\r\nf\r\nhalf v=1i 1000\n\r\n")
        time.sleep(0.1)
    time.sleep(0.2)
    if has_sql() and get("/chk?f=json&j=half").json["status"] == "Exists":
        expect(rows("select count() from half"), [[0]])


@check
def resets_in_the_middle():
    for n in range(30):
        wire = Wire()
        wire.send((POST + "Content-Length: 100000\r\n\r\n" + "reset v=1i 1000\n" * 50)[:50 + n * 20])
        wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.sock.close()


@check
def half_closed_clients_get_their_answer():
    with Wire() as wire:
        wire.send(HEAD + "\r\n")
        wire.sock.shutdown(socket.SHUT_WR)
        expect(wire.answer().status, 204)
        assert wire.ended()


@check
def garbage():
    import random
    chance = random.Random(7)
    for _ in range(60):
        with Wire() as wire:
            try:
                wire.send(bytes(chance.randrange(256) for _ in range(chance.randrange(1, 3000))) + b"\r\n\r\n")
                wire.sock.shutdown(socket.SHUT_WR)
                wire.ended(2)
            except OSError:
                pass


@check
def slow_readers_are_parked():
    """Large results that nobody reads: memory stays bounded, workers stay free, later the rows come whole."""
    if not has_sql():
        return
    before = kit.server.resident()
    wires = [Wire(60, receive_buffer=4096) for _ in range(20)]
    for wire in wires:
        wire.send("GET /exec?query=select+x,x*2+y+from+long_sequence(3000000) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(1)
    for _ in range(3):
        alive()
    grown = kit.server.resident() - before
    assert grown < 200 << 20, f"{grown >> 20} MB more"
    got = wires[0].answer()
    expect(len(got.json["dataset"]), 3000000)
    for wire in wires:
        wire.sock.close()


@check
def pipelines_that_nobody_reads():
    """Thousands of requests in one go, no answer read: what waits to be sent is bounded; at last all answers come."""
    before = kit.server.resident()
    with Wire(60, receive_buffer=4096) as wire:
        count = 20000
        wire.sock.setblocking(False)
        data, at = (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") * count, 0
        end = time.time() + 3
        while at < len(data) and time.time() < end:
            try:
                at += wire.sock.send(data[at:at + 65536])
            except BlockingIOError:
                time.sleep(0.02)
        alive()
        grown = kit.server.resident() - before
        assert grown < 40 << 20, f"{grown >> 20} MB more"
        wire.sock.settimeout(60)
        whole = at // (len(data) // count)
        for _ in range(whole):
            expect(wire.answer().status, 200)


@check
def readers_that_leave_stop_the_statement():
    if not has_sql():
        return
    for _ in range(5):
        wire = Wire()
        wire.send("GET /exec?query=select+count()+from+long_sequence(100000000000) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.05)
        wire.sock.close()
    time.sleep(2.5)
    start = kit.server.cpu_seconds()
    time.sleep(1)
    assert kit.server.cpu_seconds() - start < 0.6, "statements of clients that left still run"


@check
def connection_flood():
    wires = []
    refused = 0
    for _ in range(300):
        wires.append(Wire())
    for wire in wires:
        try:
            status = wire.send(HEAD + "\r\n").answer().status
            refused += status == 503
        except (OSError, EOFError):
            refused += 1
    assert 0 < refused < 100, f"{refused} of 300 refused"
    for wire in wires:
        wire.sock.close()
    time.sleep(0.3)

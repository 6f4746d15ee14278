# SPDX-License-Identifier: Apache-2.0
"""HTTP as such: methods, versions, framing, keep-alive, pipelining, compression, CORS, Host."""
import gzip
import json
import zlib

from kit import Wire, ask, check, expect, get, has_sql, post

GET = "GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n"


@check
def small_endpoints_answer():
    for path, status in (("/ping", 204), ("/health", 200), ("/settings", 200), ("/warnings", 200), ("/metrics", 200), ("/", 200), ("/index.html", 200)):
        expect(get(path).status, status)
        expect(ask(GET.format(path, "").replace("GET", "HEAD", 1), head=True).status, status)
    expect(get("/ping").headers["x-influxdb-version"], "v2.2.2")
    config = get("/settings").json["config"]
    assert {1, 2} <= set(config["line.proto.support.versions"]), config
    assert b"# TYPE questdb_json_queries_total counter" in get("/metrics").body


@check
def unknown_paths_and_methods():
    expect(get("/nosuch").status, 404)
    expect(get("/exec/").status, 404)
    answer = ask("DELETE /exec HTTP/1.1\r\nHost: localhost\r\n\r\n")
    expect((answer.status, "GET" in answer.headers["allow"]), (405, True))
    answer = get("/write")
    expect((answer.status, answer.headers["allow"]), (405, "POST, OPTIONS"))
    answer = ask("OPTIONS /exec HTTP/1.1\r\nHost: localhost\r\n\r\n")
    expect((answer.status, "POST" in answer.headers["allow"]), (204, True))
    expect(ask("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 405)


@check
def keep_alive_and_pipelining():
    with Wire() as wire:
        for _ in range(50):
            expect(wire.send(GET.format("/ping", "")).answer().status, 204)
        wire.send(GET.format("/ping", "") * 20 + GET.format("/health", "Connection: close\r\n") + GET.format("/ping", ""))
        for _ in range(20):
            expect(wire.answer().status, 204)
        last = wire.answer()
        expect((last.status, last.headers["connection"]), (200, "close"))
        assert wire.ended(), "answered after close"


@check
def pipelined_bodies():
    body = b"pipe v=1i 1000\n"
    one = b"POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    chunked = b"POST /write HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\npipe \r\na;x=y\r\nv=1i 1000\n\r\n0\r\nT: x\r\n\r\n"
    with Wire() as wire:
        wire.send(one + chunked + one + GET.format("/ping", "").encode())
        expect([wire.answer().status for _ in range(4)], [204] * 4)


@check
def byte_by_byte():
    text = (b"POST /write?precision=ms HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"10\r\nslow v=1i 1000\n\n\r\n0\r\n\r\n")
    with Wire() as wire:
        for byte in text:
            wire.send(bytes([byte]))
        expect(wire.answer().status, 204)


@check
def http_1_0():
    with Wire() as wire:
        answer = wire.send("GET /health HTTP/1.0\r\n\r\n").answer()
        expect((answer.status, answer.headers["connection"]), (200, "close"))
        assert wire.ended()
    with Wire() as wire:
        for _ in range(3):
            answer = wire.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").answer()
            expect((answer.status, answer.headers["connection"]), (200, "keep-alive"))


@check
def expect_100_continue():
    with Wire() as wire:
        wire.send("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n")
        expect(wire.answer().status, 100)
        expect(wire.send("c v=1i 1000\n\n").answer().status, 204)
    with Wire() as wire:     # refused at once: no body is asked for
        wire.send("POST /nosuch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n")
        expect(wire.answer().status, 404)


@check
def gzip_bodies():
    lines = b"".join(b"zip v=%di %d000\n" % (n, n) for n in range(5000))
    packed = gzip.compress(lines)
    head = "Content-Encoding: gzip\r\n"
    expect(post("/write", packed, head).status, 204)
    expect(post("/write", gzip.compress(lines[:1000][:lines[:1000].rindex(b"\n") + 1]) + gzip.compress(lines[-20:].split(b"\n", 1)[1]), head).status, 204)
    expect(post("/write", packed[:-10], head).status, 400)
    expect(post("/write", b"no gzip at all", head).status, 400)
    expect(post("/write", lines, "Content-Encoding: br\r\n").status, 415)
    expect(post("/write", zlib.compress(lines), head).status, 204)


@check
def hosts_of_a_loopback_server():
    for host, status in (("localhost:1", 204), ("127.0.0.1", 204), ("[::1]:9", 204), ("x", 204), ("db.localhost", 204), ("evil.example.com", 403), ("evil.example.com:80", 403)):
        expect((host, ask(f"GET /ping HTTP/1.1\r\nHost: {host}\r\n\r\n").status), (host, status))


@check
def foreign_origins_only_read():
    foreign, own = "Origin: http://evil.example.com\r\n", "Origin: http://localhost\r\n"
    expect(post("/write", "o v=1i 1000\n", foreign).status, 403)
    expect(post("/write", "o v=1i 1000\n", own).status, 204)
    expect(post("/write", "o v=1i 1000\n", "Sec-Fetch-Site: cross-site\r\n").status, 403)
    assert "access-control-allow-origin" not in get("/settings", foreign).headers
    if has_sql():
        expect(get("/exec", foreign, query="create table foreign_origin (a int)").status, 403)
        expect(get("/exec", foreign, query="select 1").status, 200)


@check
def percent_encoding():
    expect(get("/chk?f=json&j=no%73uch%").status, 400)
    expect(get("/chk?f=json&j=%zz").status, 400)
    expect(get("/chk?f=json&j=%ff").status, 400)
    expect(get("/chk?f=json&j=no%73uch+table").json, {"status": "Does not exist"})
    expect(get("/chk?j=a%2Fb").text.strip(), "Reserved name")
    expect(get("/chk?" + "&".join(f"p{n}=1" for n in range(65))).status, 400)


@check
def compressed_answers():
    if has_sql():
        plain = get("/exec", query="select x from long_sequence(20000)")
        packed = get("/exec", "Accept-Encoding: br, gzip\r\n", query="select x from long_sequence(20000)")
        expect(packed.headers["content-encoding"], "gzip")
        expect(packed.json, plain.json)
        assert len(packed.body) * 2 < len(plain.body)
        assert "content-encoding" not in get("/exec", "Accept-Encoding: gzip;q=0\r\n", query="select 1").headers


@check
def errors_are_json():
    for answer in (get("/nosuch"), ask("GET / HTTP/1.1\r\n\r\n"), post("/write", "a\n")):
        assert answer.headers["content-type"].startswith("application/json"), answer
        json.loads(answer.body)

# SPDX-License-Identifier: Apache-2.0
"""Answers of /exec, /exp, /imp, /write beyond what the acceptance kit of real clients looks at."""
import json
import threading
import time

from kit import Wire, check, expect, get, has_sql, post, rows, sql


def form(*parts, boundary="frontier"):
    body = b""
    for name, file, data in parts:
        file = f'; filename="{file}"' if file else ""
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + data.encode() + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"Content-Type: multipart/form-data; boundary={boundary}\r\n"


@check
def write_answers():
    expect(post("/write", "w v=1i 1000\n").status, 204)
    got = post("/write", "w v=1i 1000\nw v=x 2000\n")
    expect((got.status, got.json["code"], got.json["line"]), (400, "invalid", 2))
    assert "errors encountered on line(s):\nerror in line 2: Could not parse entire line, field value is invalid. Field: v; value: x" in got.json["message"]
    got = post("/write", 'w v="s" 1000\n')
    assert "table: w, column: v; cast error from protocol type: STRING to column type: LONG" in got.json["message"], got
    assert got.json["errorId"]
    expect(post("/write?precision=zz", "w v=1i 1000\n").status, 400)
    expect(post("/api/v2/write?org=o&bucket=b&precision=s", "w v=1i 5\n").status, 204)


@check
def write_makes_one_table_for_many_clients():
    """Sixteen clients bring the same new table with different columns at the same time."""
    for number in range(8):
        bring_one_table(f"together{number}")


def bring_one_table(table):
    failures = []

    def client(n):
        for k in range(5):
            got = post("/write", f"{table},who=c{n} v{n}=1i,common={k}i {n * 1000 + k}000\n")
            if got.status != 204:
                failures.append(str(got))

    threads = [threading.Thread(target=client, args=(n,)) for n in range(16)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures, failures[0]
    if has_sql():
        expect(rows(f"select count(), count(v3) from {table}"), [[80, 5]])


@check
def write_large_body():
    line = "large,s=s{} v={}i,d={}.5,t=\"text {}\" {}000\n"
    body = "".join(line.format(n % 50, n, n, n, n) for n in range(200000)).encode()
    with Wire(60) as wire:
        wire.send(b"POST /write HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(body), 100003):
            piece = body[at:at + 100003]
            wire.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        expect(wire.send(b"0\r\n\r\n").answer().status, 204)
    if has_sql():
        expect(rows("select count(), sum(v), max(t) from large"), [[200000, 19999900000, "text 99999"]])


@check
def write_is_all_or_nothing_over_tables():
    body = "".join(f"whole{n % 3} v={n}i {n}000\n" for n in range(90000)) + "whole1 v=bad 1000\n"
    got = post("/write", body)
    expect((got.status, got.json["line"]), (400, 90001))
    if has_sql():
        for n in range(3):
            if get(f"/chk?f=json&j=whole{n}").json["status"] == "Exists":
                expect(rows(f"select count() from whole{n}"), [[0]])


@check
def imports():
    if not has_sql():
        return
    body, head = form(("data", "x.csv", "a,b\n1,x\n2,y\n"))
    got = post("/imp?name=imp1&fmt=json", body, head)
    expect((got.status, got.json["status"], got.json["rowsImported"]), (200, "OK", 2))
    expect(rows("select * from imp1"), [[1, "x"], [2, "y"]])
    for text, query in (("", ""), ("a,b\n1,x\n", "&partitionBy=EON"), ("a,b\n1,x\n", "&atomicity=perhaps"), ("a,b\n1,x\n", "&delimiter=abc"),
                        ("a,b\n1,x\n", "&timestamp=nosuch"), ("a,b\n1,x\n", "&create=false")):
        body, head = form(("data", "x.csv", text))
        got = post(f"/imp?name=imp2&fmt=json{query}", body, head)
        assert got.status in (400, 404) and got.json["status"] != "OK", (query, got)
    body, head = form(("schema", None, '[{"name":"a","type":"SYMBOL"'), ("data", "x.csv", "a\n1\n"))
    expect(post("/imp?name=imp3&fmt=json", body, head).status, 400)
    body, head = form(("schema", None, '[{"name":"a","type":"NOSUCH"}]'), ("data", "x.csv", "a\n1\n"))
    expect(post("/imp?name=imp3&fmt=json", body, head).status, 400)
    body, head = form(("other", None, "x"))
    expect(post("/imp?name=imp3&fmt=json", body, head).status, 400)
    expect(post("/imp?name=imp3", "a,b\n", "Content-Type: text/csv\r\n").status, 400)
    expect(post("/imp?name=imp3", body[:-10], head).status, 400)


def table_names():
    return [row[0] for row in rows("select table_name from tables()")]


@check
def write_that_fails_leaves_no_table():
    """Tables made for rows that are refused, or whose client vanishes in the middle of its upload, are gone again."""
    if not has_sql():
        return
    expect(post("/write", "gone1 v=1i 1000\ngone2 v=x 2000\n").status, 400)
    assert not {"gone1", "gone2"} & set(table_names())
    for ending in (b"", b"gone3 v=1i 1000\ngone4 v=2i 2"):
        with Wire() as wire:
            wire.send(b"POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + b"gone3 v=1i 1000\ngone4 v=1i 1000\n" * 50 + ending)
            time.sleep(0.3)
    for _ in range(100):
        if not {"gone3", "gone4"} & set(table_names()):
            break
        time.sleep(0.1)
    assert not {"gone3", "gone4"} & set(table_names())
    expect(post("/write", "stays v=1i 1000\n").status, 204)
    expect(post("/write", "stays v=1i 1000\nstays v=x 2000\n").status, 400)
    expect(rows("select count() from stays"), [[1]])


@check
def exec_parameters():
    if not has_sql():
        return
    five = "select x from long_sequence(5)"
    for limit, want in (("2", [1, 2]), ("2,4", [2, 3, 4]), ("-2", [4, 5]), ("0", []), ("9,12", []), ("4,2", []), ("x", [1, 2, 3, 4, 5]), ("-9", [1, 2, 3, 4, 5])):
        expect((limit, sql(five, limit=limit).json["dataset"]), (limit, [[x] for x in want]))
        lines = get("/exp", query=five, limit=limit).text.split("\r\n")[1:-1]
        expect((limit, lines), (limit, [str(x) for x in want]))
    expect(sql(five, limit="2", count="true").json["count"], 5)
    expect(len(sql("select x from long_sequence(100000)", limit="1500,98700").json["dataset"]), 97201)
    expect(sql("select x from long_sequence(100000)", limit="-3000").json["dataset"][0], [97001])
    expect(sql("select x a, x * 2 \"b c\" from long_sequence(1)", cols="b c,a").json["dataset"], [[2, 1]])
    expect(sql("select x a, x * 2 \"b,c\" from long_sequence(1)", cols='"b,c",a').json["dataset"], [[2, 1]])
    expect(sql("select x a from long_sequence(1)", cols="zz").json["error"], "column not found: 'zz'")
    expect(sql(five, nm="true").text, '{"dataset":[[1],[2],[3],[4],[5]],"count":5}')
    expect(list(sql(five, timings="true", explain="true").json), ["query", "columns", "timestamp", "dataset", "count", "timings", "explain"])
    expect(sql("select null || 'a' a").json["dataset"], [["a"]])
    expect(sql("select null || 'a' a", dialect="postgres").json["dataset"], [[None]])
    expect(sql("select null || 'a' a", dialect="QuestDB").json["dataset"], [["a"]])
    got = sql("select 1", dialect="foo")
    expect((got.status, got.json["error"]), (400, "dialect is questdb or postgres, not 'foo'"))
    expect(sql("").text, '{"error":"empty query","query":"","position":"0"}')
    expect(sql("select 'ж', zz").json["position"], 12)


@check
def exec_sends_rows_as_they_come():
    """The first rows of a long statement arrive before it is over."""
    if not has_sql():
        return
    with Wire() as wire:
        wire.send("GET /exec?query=select+x+from+long_sequence(1000000000) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""
        while len(got) < 300000:
            got += wire.sock.recv(65536)


@check
def exec_refuses_clearly():
    if not has_sql():
        return
    got = sql("select 1; select 2")
    expect((got.status, got.json["position"]), (400, 10))
    expect(sql("begin").status, 400)
    assert "session" in sql("begin").json["error"]
    expect(sql("select $1").status, 400)
    expect(sql("select 1 a; -- only a comment follows").status, 200)
    got = sql("select nosuch from nowhere", version=2)
    expect(sorted(got.json), ["error", "position", "query"])
    expect(get("/exec?query=%ff").status, 400)


@check
def exec_settings_do_not_outlive_the_request():
    if not has_sql():
        return
    with Wire() as wire:
        def ask(query):
            return wire.send(f"GET /exec?query={query.replace(' ', '+')} HTTP/1.1\r\nHost: localhost\r\n\r\n").answer()
        expect(ask("set statement_timeout = 1").status, 200)
        expect(ask("select count() from long_sequence(3000000)").status, 200)


@check
def exec_statement_timeout():
    if not has_sql():
        return
    got = get("/exec", "Statement-Timeout: 100\r\n", query="select count() from long_sequence(100000000000)")
    assert got.status >= 400 and "timeout, query aborted" in got.json["error"], got


@check
def exec_error_after_the_first_rows():
    """The arrays are closed and the reason follows."""
    if not has_sql():
        return
    got = sql("select 10 / (x - 200000) a from long_sequence(300000)")
    body = got.json
    if got.status == 200:
        assert "error" in body and body["count"] == len(body["dataset"]), str(body)[-200:]


@check
def exec_many_clients():
    if not has_sql():
        return
    wrong = []

    def client(n):
        for k in range(20):
            got = sql(f"select sum(x) + {n} a from long_sequence({1000 + k})").json
            want = sum(range(1, 1001 + k)) + n
            if got.get("dataset") != [[want]]:
                wrong.append(json.dumps(got))

    threads = [threading.Thread(target=client, args=(n,)) for n in range(20)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong, wrong[0]


@check
def exp_breaks_off_on_errors():
    if not has_sql():
        return
    with Wire() as wire:
        wire.send("GET /exp?query=select+10/(x-200000)+a+from+long_sequence(300000) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            assert wire.answer().status == 400, "a cut file looks whole"
        except EOFError:
            pass


@check
def views_over_exec():
    """Views of this dialect: SAMPLE BY and LATEST ON inside, read by bare name, kept by the tables that they read."""
    if not has_sql():
        return
    for text in ("create table viewed (ts timestamp, sym symbol, px double) timestamp(ts) partition by day",
                 "insert into viewed values ('2024-01-01T00:00:00Z','a',1.5),('2024-01-01T01:00:00Z','b',2.5),('2024-01-02T01:00:00Z','a',3.5)",
                 "create view daily as (select ts, sym, avg(px) as px from viewed sample by 1d)", "create view if not exists newest as viewed latest on ts partition by sym"):
        expect((text, sql(text).status), (text, 200))
    got = sql("select * from daily where sym = 'a'").json
    expect((got["timestamp"], got["dataset"]), (0, [["2024-01-01T00:00:00.000000Z", "a", 1.5], ["2024-01-02T00:00:00.000000Z", "a", 3.5]]))
    expect([row[1:] for row in rows("newest")], [["b", 2.5], ["a", 3.5]])
    expect(rows("select sym, count() from daily order by sym"), [["a", 2], ["b", 1]])
    expect(sql("create or replace view daily as select ts, sym, max(px) px from viewed sample by 1d").status, 200)
    for text in ("insert into daily values (1, 'a', 2)", "drop table viewed", "select * from viewed_not", "create view daily as select 1"):
        assert sql(text).status in (400, 409), text
    for text in ("drop view daily", "drop view newest", "drop table viewed"):
        expect((text, sql(text).status), (text, 200))

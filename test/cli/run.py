#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program's commands from outside: outputs, exit codes, errors with a caret, load, serve. usage: run.py BASALT [NAME…]"""
import gzip, json, os, pty, re, select, shutil, signal, subprocess, sys, tempfile, time, urllib.parse, urllib.request

BASALT = os.path.abspath(sys.argv[1])
ONLY = sys.argv[2:]
ROOT = tempfile.mkdtemp(prefix="basalt-cli-")
PORT = int(os.environ.get("BASALT_TEST_PORT", "21400"))
ENV = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": ROOT, "BASALT_PG": "off"}


def run(*args, stdin=b"", want=0, env=None):
    p = subprocess.run([BASALT, *args], input=stdin if isinstance(stdin, bytes) else stdin.encode(), capture_output=True, timeout=60, env={**ENV, **(env or {})})
    out, err = p.stdout.decode(), p.stderr.decode()
    assert p.returncode == want, f"exit code {p.returncode}, want {want}: {' '.join(args)}\n{out}\n{err}"
    return out, err


def folder(name):
    return os.path.join(ROOT, name)


def sql(where, text, *more, want=0):
    return run("sql", where, text, *more, want=want)


def equal(got, want):
    assert got == want, f"got\n{got!r}\nwant\n{want!r}"


def has(text, *parts):
    for part in parts:
        assert part in text, f"no {part!r} in\n{text}"


# ---------------------------------------------------------------- no folder

def version():
    assert re.fullmatch(r"basalt \d+\.\d+\.\d+\n", run("version")[0])
    equal(run("--version")[0], run("version")[0])


def usage():
    has(run(want=2)[1], "basalt serve", "basalt sql")
    has(run("nosuch", want=2)[1], "nosuch", "basalt help")
    has(run("gen", want=2)[1], "usage: basalt gen")
    has(run("gen", "cpu", "--nosuch", want=2)[1], "--nosuch")
    has(run("gen", "cpu", "--rows", want=2)[1], "--rows wants a value")
    has(run("gen", "cpu", "--rows", "many", want=2)[1], "wants a number")
    has(run("gen", "weather", want=2)[1], "weather")
    has(run("sql", "x", "y", "z", want=2)[1], "usage")
    has(run("sql", folder("absent"), "SELECT 1", want=1)[1], "absent", "--create")


def help_pages():
    out = run("help")[0]
    for name in ("serve", "sql", "load", "check", "dump", "gen", "bench", "version"):
        has(out, "basalt " + name)
        has(run("help", name)[0], "usage: basalt " + name)
        equal(run(name, "--help")[0], run("help", name)[0])
    has(run("help", "sql")[0], "\n  -f FILE ", "\n  --timer ")
    assert "(default )" not in run("help", "serve")[0]
    has(run("help", "codes")[0], "5   a file is damaged")
    run("help", "nosuch", want=2)


def gen():
    one, two = run("gen", "floorsheet", "--rows", "2000")[0], run("gen", "floorsheet", "--rows=2000", "--seed", "1")[0]
    equal(one, two)
    equal(one.count("\n"), 2001)
    assert run("gen", "floorsheet", "--rows", "2000", "--seed", "2")[0] != one
    has(run("gen", "cpu", "--rows", "3", "--hosts", "2", "--format", "ilp")[0], "cpu,hostname=host_1,", "1451606410000000000")


# ---------------------------------------------------------------- statements

def sql_modes():
    d = folder("modes")
    run("sql", d, "CREATE TABLE t (a INT, b VARCHAR, c DOUBLE PRECISION, d BOOLEAN)", "--create")
    sql(d, "INSERT INTO t VALUES (1, 'x, \"y\"', 1.5, true), (2, NULL, NULL, false), (3, '', 0.25, NULL)")
    equal(sql(d, "SELECT * FROM t ORDER BY a")[0], 'a,b,c,d\n1,"x, ""y""",1.5,t\n2,,,f\n3,"",0.25,\n')
    got = json.loads(sql(d, "SELECT * FROM t ORDER BY a", "--mode", "json")[0])
    equal(got, [{"a": 1, "b": 'x, "y"', "c": 1.5, "d": True}, {"a": 2, "b": None, "c": None, "d": False}, {"a": 3, "b": "", "c": 0.25, "d": None}])
    table = sql(d, "SELECT a, b FROM t ORDER BY a", "--mode", "table")[0]
    equal(table, "┌───┬────────┐\n│ a │ b      │\n├───┼────────┤\n│ 1 │ x, \"y\" │\n│ 2 │        │\n│ 3 │        │\n└───┴────────┘\n")
    has(run("sql", d, "SELECT 1", "--mode", "xml", want=2)[1], "xml")
    equal(json.loads(sql(d, "SELECT a FROM t WHERE a > 5", "--mode", "json")[0]), [])
    ascii_table = subprocess.run([BASALT, "sql", d, "SELECT 1 AS a", "--mode", "table"], capture_output=True, env={**ENV, "LC_ALL": "C"}).stdout
    equal(ascii_table.decode(), "+---+\n| a |\n+---+\n| 1 |\n+---+\n")


def sql_input():
    d = folder("input")
    run("sql", d, "CREATE TABLE t (a INT)", "--create")
    path = os.path.join(ROOT, "x.sql")
    open(path, "w").write("-- a comment; with a semicolon\nINSERT INTO t VALUES (1); /* ; */ INSERT INTO t VALUES (2);\nSELECT ';' AS s, count(*) AS n FROM t")
    equal(run("sql", d, "-f", path)[0], "s,n\n;,2\n")
    equal(run("sql", d, stdin="SELECT count(*) AS n\nFROM t;\nSELECT 'it''s' AS q;")[0], "n\n2\nq\nit's\n")
    equal(run("sql", d, "-f", "-", stdin="SELECT 7 AS a")[0], "a\n7\n")
    out, err = run("sql", d, stdin="SELECT 1 AS a; SELECT nosuch FROM t; SELECT 2 AS b;", want=1)
    equal(out, "a\n1\n")
    equal(run("sql", d, "--keep-going", stdin="SELECT nosuch FROM t; SELECT 2 AS b;", want=1)[0], "b\n2\n")
    has(run("sql", d, "-f", os.path.join(ROOT, "nosuch.sql"), want=1)[1], "nosuch.sql")


def sql_errors():
    d = folder("errors")
    run("sql", d, "CREATE TABLE t (a INT)", "--create")
    err = sql(d, "SELECT a,\n  größe, nosuch + 1 FROM t".replace("größe", "a"), want=1)[1]
    has(err, "nosuch")
    lines = err.rstrip("\n").split("\n")
    equal(lines[-2], "    a, nosuch + 1 FROM t")
    equal(lines[-1], "     " + "  ^")
    err = sql(d, "SELECT 'ü', nosuch FROM t", want=1)[1]
    equal(err.rstrip("\n").split("\n")[-1], "  " + " " * len("SELECT 'ü', ") + "^")


def in_use():
    d = folder("in_use")
    run("sql", d, "CREATE TABLE t (a INT)", "--create")
    p = subprocess.Popen([BASALT, "sql", d, "-f", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV)
    try:
        time.sleep(0.5)
        err = sql(d, "SELECT 1", want=3)[1]
        has(err, f"in use by pid {p.pid}")
        has(run("load", d, "t", "/dev/null", want=3)[1], "in use")
    finally:
        p.communicate()


# ---------------------------------------------------------------- load

def load_files():
    d = folder("load")
    path = os.path.join(ROOT, "trades.csv")
    open(path, "w").write(run("gen", "floorsheet", "--rows", "60000")[0])
    err = run("load", d, "trades", path, "--timestamp", "timestamp", "--schema", "symbol symbol, buyer symbol, seller symbol")[1]
    has(err, "made table trades", "trades.csv: 60000 rows into trades")
    equal(sql(d, "SELECT count(*) AS n, min(quantity) AS q FROM trades")[0], "n,q\n60000,10\n")
    with gzip.open(path + ".gz", "wb") as out:
        out.write(open(path, "rb").read())
    run("load", d, "trades", path + ".gz", "--quiet")
    equal(sql(d, "SELECT count(*) AS n FROM trades")[0], "n\n120000\n")
    run("load", d, "trades", path, "--overwrite", "--quiet")
    equal(sql(d, "SELECT count(*) AS n FROM trades")[0], "n\n60000\n")


def load_errors():
    d = folder("load_errors")
    path = os.path.join(ROOT, "bad.csv")
    open(path, "w").write("a,b\n" + "1,x\n" * 70000 + "oops,y\n")
    err = run("load", d, "t", path, want=1)[1]
    has(err, "line 70002, column a: \"oops\" is no bigint")
    has(sql(d, "SELECT count(*) FROM t", want=1)[1], "t")
    err = run("load", d, "t", path, "--on-error", "skip-row")[1]
    has(err, "70000 rows into t, 1 rows left out")
    open(path, "w").write("a,b,extra\n1,x,2\n")
    has(run("load", d, "t", path, want=1)[1], "extra", "--add-columns")
    run("load", d, "t", path, "--add-columns")
    equal(sql(d, "SELECT count(*) AS n, sum(extra) AS s FROM t")[0], "n,s\n70001,2\n")
    has(run("load", d, "t", os.path.join(ROOT, "nosuch.csv"), want=1)[1], "nosuch.csv")
    has(run("load", d, "t", path, "--zone", "Asia/Atlantis", want=2)[1], "Atlantis")
    has(run("load", d, "t", path, "--schema", "a nosuchtype", want=2)[1], "nosuchtype")
    has(run("load", d, "u", path, "--timestamp", "nosuch", want=1)[1], "nosuch")


def load_zone():
    d = folder("zone")
    path = os.path.join(ROOT, "zone.csv")
    open(path, "w").write("t,v\n2024-04-22T11:00:02.123456,1\n2024-04-22T11:00:03,2\n")
    has(run("load", d, "plain", path)[1], "no designated timestamp", "--timestamp t ")
    assert "designated" not in run("load", d, "z", path, "--zone", "Asia/Kathmandu", "--timestamp", "t")[1]
    equal(sql(d, "SELECT t FROM z")[0], "t\n2024-04-22 05:15:02.123456\n2024-04-22 05:15:03\n")


# ---------------------------------------------------------------- check, dump, bench

def check_and_dump():
    d = folder("check")
    path = os.path.join(ROOT, "c.csv")
    open(path, "w").write("a\n" + "1\n" * 1000)
    run("load", d, "t", path)
    run("check", d)
    files = [os.path.join(f, n) for f, _, names in os.walk(d) for n in names]
    logs = [f for f in files if f.endswith(".wal")]  # one of them is a spare without a header
    texts = [p.stdout.decode() for p in (subprocess.run([BASALT, "dump", "wal", f], capture_output=True) for f in logs) if p.returncode == 0]
    assert any("\n    append table " in text for text in texts), texts
    checkpoint = next(f for f in files if os.path.basename(f).startswith("checkpoint-"))
    has(run("dump", "catalog", checkpoint)[0], 'table "t" (1 a bigint)')
    has(run("dump", "checkpoint", checkpoint)[0], 'table "t" (1 a bigint)', "parts table")
    has(run("dump", "nosuch", checkpoint, want=2)[1], "nosuch")
    shutil.copy(checkpoint, checkpoint + ".bad")
    data = bytearray(open(checkpoint, "rb").read())
    data[len(data) // 2] ^= 1
    os.chmod(checkpoint, 0o600)
    open(checkpoint + ".bad", "wb").write(data)
    run("dump", "catalog", checkpoint + ".bad", want=5)


def damage():
    """One flipped bit in a block: check names file and offset, a query that needs the block fails with the code of damage."""
    d = folder("damage")
    path = os.path.join(ROOT, "d.csv")
    open(path, "w").write(run("gen", "floorsheet", "--rows", "200000")[0])
    run("load", d, "t", path, "--timestamp", "timestamp", "--quiet")
    has(run("check", d)[0], "good")
    segments = [os.path.join(f, n) for f, _, names in os.walk(d) for n in names if n.endswith(".seg")]
    assert segments, "no segment was written"
    has(run("dump", "segment", segments[0])[0], "rows")
    data = bytearray(open(segments[0], "rb").read())
    data[len(data) // 2] ^= 1
    open(segments[0], "wb").write(data)
    has(run("check", d, want=5)[1], os.path.basename(segments[0]), "offset")
    has(run("dump", "blocks", segments[0])[0], "block")
    columns = sql(d, "SELECT * FROM t LIMIT 0")[0].strip().split(",")
    codes = {subprocess.run([BASALT, "sql", d, f"SELECT count(DISTINCT {c}) FROM t WHERE {c} IS NOT NULL"], capture_output=True).returncode for c in columns}
    equal(codes, {0, 5})


def widest_table():
    """All that a table with the largest number of columns must do, and one column more."""
    d = folder("widest")
    run("sql", d, "CREATE TABLE w (" + ", ".join(f"c{i} INT" for i in range(2000)) + ")", "--create")
    sql(d, "INSERT INTO w (c0, c1999) VALUES (1, 10), (2, 20), (3, 30)")
    sql(d, "UPDATE w SET c1999 = c1999 + 1 WHERE c0 > 1")
    sql(d, "DELETE FROM w WHERE c0 = 3")
    equal(sql(d, "SELECT c0, c1999 FROM w ORDER BY c0")[0], "c0,c1999\n1,10\n2,21\n")
    has(sql(d, "ALTER TABLE w ADD COLUMN more INT", want=1)[1], "at most 2000 columns")


def damaged_folder():
    """Each kind of file missing, and dictionaries damaged: the code of damage and the file's name; nothing is written over it."""
    d = folder("gone")
    path = os.path.join(ROOT, "symbols.csv")
    open(path, "w").write("ts,s,a,b,c\n" + "".join(f"2024-01-01T00:{i % 60:02d}:00Z,a symbol of its own {i * 7919 % 1000003},{i},{i * 3},{i * 7}\n" for i in range(300000)))
    run("load", d, "t", path, "--timestamp", "ts", "--schema", "s symbol", "--quiet")
    has(run("check", d)[0], ".dict: good", ".seg: good")
    files = [os.path.relpath(os.path.join(f, n), d) for f, _, names in os.walk(d) for n in names]
    for name in ["VERSION"] + [next(n for n in files if n.endswith(end)) for end in (".seg", ".dict")]:
        shutil.copytree(d, d + "2")
        os.unlink(os.path.join(d + "2", name))
        has(run("check", d + "2", want=5)[1], os.path.basename(name), "missing")
        has(sql(d + "2", "SELECT count(DISTINCT s) FROM t", want=5)[1], os.path.basename(name), "missing")
        assert not os.path.exists(os.path.join(d + "2", name)), name
        shutil.rmtree(d + "2")
    name = next(n for n in files if n.endswith(".dict"))
    data = bytearray(open(os.path.join(d, name), "rb").read())
    data[len(data) // 2] ^= 1
    open(os.path.join(d, name), "wb").write(data)
    has(run("check", d, want=5)[1], os.path.basename(name), "offset")
    has(sql(d, "SELECT min(s) FROM t", want=5)[1], os.path.basename(name), "offset")


def bench():
    d = folder("bench")
    run("sql", d, "CREATE TABLE t (a INT)", "--create")
    out = run("bench", d, "SELECT count(*) FROM t", "--runs", "3")[0]
    has(out, "SELECT count(*) FROM t", "median")


# ---------------------------------------------------------------- shell

def shell():
    """Through a pseudo terminal, as a person would."""
    d = folder("shell")
    run("sql", d, "CREATE TABLE t (a INT, b VARCHAR)", "--create")
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({**ENV, "TERM": "dumb"})
        os.execv(BASALT, [BASALT, "sql", d])
    seen = b""

    def wait_for(text, seconds=20):
        nonlocal seen
        end = time.time() + seconds
        while text.encode() not in seen:
            assert time.time() < end, f"no {text!r} in {seen.decode(errors='replace')}"
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(fd, 65536)
                except OSError:
                    break
        at = seen.index(text.encode()) + len(text.encode())
        got, seen = seen[:at], seen[at:]
        return got.decode(errors="replace")

    def say(text):
        os.write(fd, text.encode())

    wait_for("basalt> ")
    say(".help\n")
    has(wait_for("Ctrl-C cancels"), ".tables", ".schema", ".timer", ".mode")
    say("INSERT INTO t\n")
    wait_for("...> ")
    say("VALUES (1, 'one');\n")
    wait_for("INSERT 0 1")
    say("SELECT * FROM t;\n")
    has(wait_for("1 row"), "│ a │ b   │", "│ 1 │ one │")
    say(".schema t\n")
    has(wait_for("2 rows"), "│ a      │ INT     │ f          │")
    say(".mode csv\n")
    say("SELECT * FROM t;\n")
    has(wait_for("1 row"), "a,b", "1,one")
    say(".tables\n")
    wait_for("row")
    say("SELECT nosuch FROM t;\n")
    wait_for("^")
    wait_for("basalt> ")
    say("SELECT 1\n")
    wait_for("...> ")
    time.sleep(2)  # the prompt is out a moment before the line editor listens
    say("\x03")
    wait_for("basalt> ")
    say("SELECT 42 AS answer;\n")
    has(wait_for("1 row"), "42")
    say("SELECT count(*) FROM long_sequence(1000000000000) WHERE x % 7 = 8;\n")
    time.sleep(1)
    say("\x03")
    wait_for("cancel")
    wait_for("basalt> ")
    say("SELECT 43 AS answer;\n")
    has(wait_for("1 row"), "43")
    say(".quit\n")
    end = time.time() + 20
    while time.time() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
        if select.select([fd], [], [], 0.1)[0]:
            try:
                os.read(fd, 65536)
            except OSError:
                pass
    else:
        os.kill(pid, signal.SIGKILL)
        raise AssertionError("the shell does not leave")
    equal(os.waitstatus_to_exitcode(status), 0)
    assert os.path.exists(os.path.join(ROOT, ".basalt_history"))


# ---------------------------------------------------------------- server

class Server:
    def __init__(self, d, *args, port=PORT):
        self.url = f"http://127.0.0.1:{port}"
        self.p = subprocess.Popen([BASALT, "serve", d, "--http", f"127.0.0.1:{port}", *args], stderr=subprocess.PIPE, env=ENV)
        for _ in range(100):
            try:
                urllib.request.urlopen(self.url + "/ping", timeout=5)
                return
            except OSError:
                assert self.p.poll() is None, self.p.stderr.read().decode()
                time.sleep(0.1)
        raise AssertionError("the server does not answer")

    def stop(self, number=signal.SIGINT):
        self.p.send_signal(number)
        err = self.p.communicate(timeout=20)[1].decode()
        return self.p.returncode, err


def serve():
    d = folder("serve")
    server = Server(d, "--pg", f"127.0.0.1:{PORT + 3}")
    try:
        run("sql", server.url, "CREATE TABLE t (a INT, b VARCHAR, ts TIMESTAMP)")
        run("sql", server.url, "INSERT INTO t VALUES (1, 'x \"y\"', '2024-01-05T09:00:00.5Z'), (2, NULL, NULL)")
        equal(sql(server.url, "SELECT a, b, ts, a > 1 AS c FROM t ORDER BY a")[0], 'a,b,ts,c\n1,"x ""y""",2024-01-05 09:00:00.5,f\n2,,,t\n')
        err = sql(server.url, "SELECT 'ü', nosuch FROM t", want=1)[1]
        equal(err.rstrip("\n").split("\n")[-1], "  " + " " * len("SELECT 'ü', ") + "^")
        has(sql(d, "SELECT 1", want=3)[1], "in use by pid", f"basalt sql {server.url}")
        path = os.path.join(ROOT, "s.csv")
        open(path, "w").write("p,q\n1,2.5\n3,4.5\n")
        run("load", server.url, "imported", path)
        equal(sql(server.url, "SELECT sum(p) AS p, sum(q) AS q FROM imported")[0], "p,q\n4,7\n")
        has(run("load", server.url, "t", path, want=1)[1], "p")
        has(run("serve", folder("serve2"), "--http", f"127.0.0.1:{PORT}", want=7)[1], "--http")
    finally:
        code, err = server.stop()
    equal(code, 0)
    has(err, "basalt serves", f"postgres://postgres@127.0.0.1:{PORT + 3}/basalt", "basalt stops")
    equal(sql(d, "SELECT count(*) AS n FROM t")[0], "n\n2\n")
    has(sql(server.url, "SELECT 1", want=1)[1], "cannot connect")


def serve_settings():
    d = folder("settings")
    os.makedirs(d)
    open(d + "/basalt.conf", "w").write(f"# settings\nhttp = 127.0.0.1:{PORT + 1}\npg = off\nquery_timeout = 5s\n")
    p = subprocess.Popen([BASALT, "serve", d], stderr=subprocess.PIPE, env={**ENV, "BASALT_HTTP": f"127.0.0.1:{PORT + 2}"})
    time.sleep(1)
    p.send_signal(signal.SIGTERM)
    err = p.communicate(timeout=20)[1].decode()
    equal(p.returncode, 0)
    has(err, f":{PORT + 2}")  # the environment wins over the file
    open(d + "/basalt.conf", "w").write("nosuch = 1\n")
    has(run("serve", d, want=2)[1], "nosuch")
    open(d + "/basalt.conf", "w").write("what is this\n")
    has(run("serve", d, want=2)[1], "line 1", "name = value")
    os.unlink(d + "/basalt.conf")
    has(run("serve", d, "--durability", "never", want=2)[1], "durability")
    has(run("serve", d, "--http", "1.2.3", want=2)[1], "1.2.3")
    has(run("serve", d, "--http-workers", "many", want=2)[1], "http-workers")


def folder_settings():
    """sql and load on a folder read basalt.conf and the environment as serve does; the environment wins."""
    d = folder("folder_settings")
    run("sql", "--create", d, "create table t (x int)")
    open(d + "/basalt.conf", "w").write("query-memory = 2MB\n")
    many = "select count() from (select x, count() c from long_sequence(500000) group by x)"
    has(run("sql", d, many, want=1)[1], "query_memory")
    equal(run("sql", d, many, env={"BASALT_QUERY_MEMORY": "256MB"})[0].split()[-1], "500000")
    open(d + "/basalt.conf", "w").write("nosuch = 1\n")
    has(run("sql", d, "select 1", want=2)[1], "nosuch")
    open(d + "/f.csv", "w").write("x\n1\n")
    has(run("load", d, "t", d + "/f.csv", want=2)[1], "nosuch")
    os.unlink(d + "/basalt.conf")
    for words in (["sql", d, "select 1"], ["load", d, "t", d + "/f.csv"]):
        has(run(*words, env={"BASALT_DURABILITY": "never"}, want=2)[1], "durability")
    run("load", "--quiet", d, "t", d + "/f.csv", env={"BASALT_DURABILITY": "interval(50)"})
    equal(run("sql", d, "select count(*) from t")[0].split()[-1], "1")


def load_other_formats():
    d = folder("load_other_formats")
    for name, data, words in (("a.ndjson", b'{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n', "NDJSON"), ("b.json", b'[\n {"x":1},\n {"x":2}\n]\n', "JSON"),
                              ("c.parquet", b"PAR1\x15\x04\x15" + b"\0" * 100 + b"PAR1", "Parquet"), ("d.zip", b"PK\x03\x04" + b"\0" * 60, "ZIP")):
        path = os.path.join(os.path.dirname(d), name)
        open(path, "wb").write(data)
        has(run("load", d, "t", path, want=1)[1], words, "CSV")
        os.unlink(path)
    path = os.path.join(os.path.dirname(d), "braces.csv")
    open(path, "w").write('"{a",b\n"{1",2\n')
    run("load", d, "t", path)
    os.unlink(path)


def check_read_only():
    """A folder on a medium that cannot be written to: every file is looked at, damage is named."""
    d = os.path.join(ROOT, "read_only")
    os.mkdir(d)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", d], stderr=subprocess.DEVNULL).returncode != 0:
        return  # no right to mount
    try:
        path = os.path.join(ROOT, "ro.csv")
        open(path, "w").write("a,b\n" + "".join(f"{i},{i * i}\n" for i in range(700000)))
        run("load", "--quiet", d + "/data", "t", path)
        subprocess.run(["mount", "-o", "remount,ro", d], check=True)
        out, err = run("check", d + "/data")
        has(out, "wal: ", "checkpoint-", ".seg: good")
        has(err, "cannot be written")
        subprocess.run(["mount", "-o", "remount,rw", d], check=True)
        segment = next(os.path.join(a, f) for a, _, files in os.walk(d) for f in files if f.endswith(".seg"))
        with open(segment, "r+b") as f:
            f.seek(5000)
            byte = f.read(1)
            f.seek(5000)
            f.write(bytes([byte[0] ^ 1]))
        subprocess.run(["mount", "-o", "remount,ro", d], check=True)
        out, err = run("check", d + "/data", want=5)
        has(err, ".seg")
    finally:
        subprocess.run(["umount", "-l", d])


TESTS = [check_read_only, folder_settings, load_other_formats, version, usage, help_pages, gen, sql_modes, sql_input, sql_errors, in_use, load_files, load_errors, load_zone, check_and_dump, damage, damaged_folder, widest_table,
         bench, shell, serve, serve_settings]


def main():
    passed = failed = 0
    for test in TESTS:
        if ONLY and test.__name__ not in ONLY:
            continue
        try:
            test()
            passed += 1
        except Exception as e:
            failed += 1
            print(f"FAILED {test.__name__}: {type(e).__name__}: {e}")
    shutil.rmtree(ROOT, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()

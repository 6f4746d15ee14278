#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Basalt beside PostgreSQL 18 over the PostgreSQL protocol: fetches, point look-ups, COPY, connections, memory of idle connections.

    bench/postgres.py [--rounds 5] [--seconds 5] [--only fetch,point,copy,connect,idle] [--no-peer] [--out bench/results/postgres.md]

Rules: answers are compared before any time is kept; the two servers take turns in one run and the one that waits is stopped (SIGSTOP); both sync
each commit; figures are medians of the rounds and CPU seconds of the server (PostgreSQL: of all its processes). The client is libpq through ctypes, so that
little of the time is the client's; COPY TO has a client in C (copy_to.c; needs a C compiler and
libpq's header); psycopg and asyncpg are used where they are installed. Needs libpq5 and bench/peers/postgres/postgres.sh."""
import argparse, ctypes, ctypes.util, hashlib, os, re, shutil, signal, statistics, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TICK = os.sysconf("SC_CLK_TCK")
FETCH_ROWS, COPY_ROWS, POINT_ROWS = 50_000, 2_000_000, 100_000
FETCH = "SELECT id, ts, symbol, price, qty, side FROM wire"
COPY_COLUMNS = "(ts timestamptz NOT NULL, symbol text NOT NULL, side text, price float8, qty int4, venue text, id int8, live bool)"

pq = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
for name, result, arguments in (
        ("PQconnectdb", ctypes.c_void_p, [ctypes.c_char_p]), ("PQstatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQfinish", None, [ctypes.c_void_p]), ("PQexec", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
        ("PQexecParams", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                                           ctypes.c_void_p, ctypes.c_int]),
        ("PQresultStatus", ctypes.c_int, [ctypes.c_void_p]), ("PQntuples", ctypes.c_int, [ctypes.c_void_p]),
        ("PQnfields", ctypes.c_int, [ctypes.c_void_p]), ("PQgetvalue", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
        ("PQgetlength", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]), ("PQclear", None, [ctypes.c_void_p]),
        ("PQerrorMessage", ctypes.c_char_p, [ctypes.c_void_p]), ("PQputCopyData", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]),
        ("PQputCopyEnd", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]), ("PQgetResult", ctypes.c_void_p, [ctypes.c_void_p]),
        ("PQgetCopyData", ctypes.c_int, [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]), ("PQfreemem", None, [ctypes.c_void_p])):
    function = getattr(pq, name)
    function.restype, function.argtypes = result, arguments


class Connection:
    def __init__(self, server):
        self.c = pq.PQconnectdb(server.dsn.encode())
        if pq.PQstatus(self.c) != 0:
            raise RuntimeError(f"{server.name}: {pq.PQerrorMessage(self.c).decode()}")

    def check(self, result):
        if pq.PQresultStatus(result) not in (1, 2, 3, 4):
            raise RuntimeError(pq.PQerrorMessage(self.c).decode())
        return result

    def run(self, sql):
        pq.PQclear(self.check(pq.PQexec(self.c, sql.encode())))

    def rows(self, sql, binary=False):
        r = self.check(pq.PQexecParams(self.c, sql.encode(), 0, None, None, None, None, 1 if binary else 0))
        count = pq.PQntuples(r)
        pq.PQclear(r)
        return count

    def digest(self, sql, binary=False):
        """Hash of all values, in order."""
        r = self.check(pq.PQexecParams(self.c, sql.encode(), 0, None, None, None, None, 1 if binary else 0))
        h, fields = hashlib.sha256(), pq.PQnfields(r)
        for row in range(pq.PQntuples(r)):
            for f in range(fields):
                h.update(ctypes.string_at(pq.PQgetvalue(r, row, f), pq.PQgetlength(r, row, f)) + b"\0")
        pq.PQclear(r)
        return h.hexdigest()

    def copy_in(self, sql, data):
        pq.PQclear(self.check(pq.PQexec(self.c, sql.encode())))
        for at in range(0, len(data), 1 << 18):
            piece = data[at:at + (1 << 18)]
            if pq.PQputCopyData(self.c, piece, len(piece)) != 1:
                raise RuntimeError(pq.PQerrorMessage(self.c).decode())
        pq.PQputCopyEnd(self.c, None)
        while r := pq.PQgetResult(self.c):
            self.check(r)
            pq.PQclear(r)

    def copy_out(self, sql, keep=False):
        pq.PQclear(self.check(pq.PQexec(self.c, sql.encode())))
        piece, total, out = ctypes.c_void_p(), 0, []
        while (n := pq.PQgetCopyData(self.c, ctypes.byref(piece), 0)) > 0:
            total += n
            if keep:
                out.append(ctypes.string_at(piece, n))
            pq.PQfreemem(piece)
        while r := pq.PQgetResult(self.c):
            pq.PQclear(r)
        return b"".join(out) if keep else total

    def close(self):
        pq.PQfinish(self.c)


def process_cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident_kib(pid):
    """Private and shared pages; of shared ones each process pays its part."""
    return sum(int(line.split()[1]) for line in open(f"/proc/{pid}/smaps_rollup") if line.startswith("Pss:"))


class Postgres:
    name = "PostgreSQL"

    def __init__(self):
        self.script = os.path.join(HERE, "peers", "postgres", "postgres.sh")
        self.port = int(os.environ.get("PG_PORT", "15432"))
        self.dsn = f"host=127.0.0.1 port={self.port} user=postgres dbname=bench sslmode=disable"

    def tool(self, *arguments):
        return subprocess.run([self.script, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout

    def start(self):
        conf = tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False)
        conf.write("max_connections = 1200\n")
        conf.close()
        os.chmod(conf.name, 0o644)
        os.environ["PG_CONF"] = conf.name
        self.tool("install")
        self.tool("restart")
        try:
            self.tool("psql", "-qtAc", "CREATE DATABASE bench")
        except subprocess.CalledProcessError:
            pass
        self.pids = [int(p) for p in subprocess.run(["pgrep", "-f", f"postgres.*{self.port}"], stdout=subprocess.PIPE, text=True).stdout.split()]
        self.version = self.tool("psql", "-tAc", "SELECT version()").strip()

    def processes(self):
        main = [p for p in self.pids if os.path.exists(f"/proc/{p}")]
        children = [int(p) for m in main for p in subprocess.run(["pgrep", "-P", str(m)], stdout=subprocess.PIPE, text=True).stdout.split()]
        return sorted(set(main + children))

    def cpu(self):
        return float(self.tool("cpu"))

    def memory_kib(self):
        return sum(resident_kib(p) for p in self.processes())

    def signal(self, number):
        for p in self.processes():
            try:
                os.kill(p, number)
            except ProcessLookupError: # it ended meanwhile
                pass

    def stop(self):
        self.signal(signal.SIGCONT)
        self.tool("stop")


class Basalt:
    name = "Basalt"

    def __init__(self, folder):
        self.folder, self.port = folder, 21812
        self.program = os.environ.get("BASALT", os.path.join(ROOT, "build", "basalt"))
        self.dsn = f"host=127.0.0.1 port={self.port} user=postgres dbname=basalt sslmode=disable"

    def start(self):
        environment = dict(os.environ, BASALT_PG_CONNECTIONS="1200")
        self.process = subprocess.Popen([self.program, "serve", self.folder, "--http", "127.0.0.1:21813", "--pg", f"127.0.0.1:{self.port}",
                                         "--durability", "commit"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        self.version = subprocess.run([self.program, "version"], stdout=subprocess.PIPE, text=True).stdout.strip()
        for _ in range(3000):
            try:
                Connection(self).close()
                return
            except RuntimeError:
                time.sleep(0.01)
        raise RuntimeError("Basalt does not answer")

    def cpu(self):
        return process_cpu(self.process.pid)

    def memory_kib(self):
        return resident_kib(self.process.pid)

    def signal(self, number):
        os.kill(self.process.pid, number)

    def stop(self):
        self.signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


class Bench:
    def __init__(self, servers, rounds, seconds, folder):
        self.servers, self.rounds, self.seconds, self.folder, self.lines = servers, rounds, seconds, folder, []

    def say(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def turns(self, work):
        """work(server) -> (units, seconds, client CPU seconds) in turns; per server: units/s and server CPU microseconds a unit, medians."""
        samples = {s.name: [] for s in self.servers}
        for turn in range(self.rounds):
            for server in self.servers if turn % 2 == 0 else self.servers[::-1]:
                for other in self.servers:
                    if other is not server:
                        other.signal(signal.SIGSTOP)
                before = server.cpu()
                units, wall = work(server)
                time.sleep(0.05)
                samples[server.name].append((units / wall, (server.cpu() - before) / units * 1e6))
                for other in self.servers:
                    other.signal(signal.SIGCONT)
        return {n: tuple(statistics.median(s[i] for s in v) for i in (0, 1)) for n, v in samples.items()}

    def row(self, what, unit, figures, goal, note=""):
        ours = figures["Basalt"]
        if "PostgreSQL" in figures:
            peer = figures["PostgreSQL"]
            self.say(f"| {what} | {ours[0]:,.0f} | {peer[0]:,.0f} | {ours[0] / peer[0]:.2f} | {ours[1]:,.2f} | {peer[1]:,.2f} | "
                     f"{ours[1] / peer[1] if peer[1] else 0:.2f} | {unit} | {goal} | {note} |")
        else:
            self.say(f"| {what} | {ours[0]:,.0f} | | | {ours[1]:,.2f} | | | {unit} | {goal} | {note} |")

    def head(self, title):
        self.say(f"\n## {title}\n")
        self.say("| what | Basalt /s | PostgreSQL /s | ratio | Basalt server CPU us | PostgreSQL CPU us | ratio | a unit is | goal | note |")
        self.say("|---|---|---|---|---|---|---|---|---|---|")

    def equal(self, sql, binary=False):
        digests = []
        for server in self.servers:
            c = Connection(server)
            digests.append(c.digest(sql, binary))
            c.close()
        if len(set(digests)) != 1:
            raise SystemExit(f"answers differ: {sql} binary={binary}")


def in_threads(server, clients, seconds, work):
    """Runs work(connection) -> units in threads until the time is over; units, wall seconds."""
    connections = [Connection(server) for _ in range(clients)]
    for c in connections:
        work(c)
    total, lock, begin = [0], threading.Lock(), time.monotonic()

    def loop(c):
        units = 0
        while time.monotonic() - begin < seconds:
            units += work(c)
        with lock:
            total[0] += units
    threads = [threading.Thread(target=loop, args=(c,)) for c in connections]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    wall = time.monotonic() - begin
    for c in connections:
        c.close()
    return total[0], wall


def driver_fetch(server, name, clients, seconds):
    """psycopg and asyncpg in processes of their own, because their work is Python's."""
    program = os.path.join(HERE, "peers", "postgres", "drivers.py")
    out = subprocess.run([os.environ.get("DRIVERS_PYTHON", sys.executable), program, name, server.dsn, str(clients), str(seconds), FETCH, str(FETCH_ROWS)],
                         check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return float(out[0]), float(out[1])


def has_drivers():
    return subprocess.run([os.environ.get("DRIVERS_PYTHON", sys.executable), "-c", "import psycopg, asyncpg"], stderr=subprocess.DEVNULL).returncode == 0


def fetch(bench):
    for server in bench.servers:
        c = Connection(server)
        c.run("DROP TABLE IF EXISTS wire")
        c.run("CREATE TABLE wire (id int8 PRIMARY KEY, ts timestamptz, symbol text, price float8, qty int4, side text)")
        c.run(f"""INSERT INTO wire SELECT i, timestamptz '2026-01-01 00:00:00Z' + i * interval '1.234567 s', 'SYM' || i % 1000,
            (i * 7919 % 1000003) / 100.0, i % 500, CASE WHEN i % 2 = 0 THEN 'buy' ELSE 'sell' END FROM generate_series(1::int8, {FETCH_ROWS}) i""")
        c.run("ANALYZE wire")
        c.close()
    for binary in (False, True):
        bench.equal(FETCH + " ORDER BY id", binary)
    bench.head(f"SELECT of {FETCH_ROWS:,} rows x 6 columns (a unit is a query)")
    for clients in (1, 8):
        for binary in (False, True):
            figures = bench.turns(lambda s: in_threads(s, clients, bench.seconds, lambda c: 1 if c.rows(FETCH, binary) == FETCH_ROWS else 1 / 0))
            bench.row(f"libpq {'binary' if binary else 'text'}, {clients} clients", "query", figures, "CPU <= 1/3, rate >= 2 where the client is not the limit")
        for driver in ("psycopg", "asyncpg") if has_drivers() else ():
            figures = bench.turns(lambda s: driver_fetch(s, driver, clients, bench.seconds))
            bench.row(f"{driver}, {clients} clients", "query", figures, "CPU <= 1/3", "the client is the limit")


def pgbench(server, postgres_script, mode, clients, seconds):
    environment = dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(server.port), PGUSER="postgres", PGDATABASE="bench" if server.name == "PostgreSQL" else "basalt")
    begin = time.monotonic()
    out = subprocess.run([postgres_script, "pgbench", "-n", "-S", "-c", str(clients), "-j", str(min(2, clients)), "-M", mode, "-T", str(int(seconds))],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment).stdout
    return int(re.search(r"actually processed: (\d+)", out)[1]), time.monotonic() - begin


def point(bench):
    script = os.path.join(HERE, "peers", "postgres", "postgres.sh")
    for server in bench.servers:
        environment = dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(server.port), PGUSER="postgres", PGDATABASE="bench" if server.name == "PostgreSQL" else "basalt")
        subprocess.run([script, "pgbench", "-i", "-q", "-s", "1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    bench.equal("SELECT aid, abalance FROM pgbench_accounts ORDER BY aid")
    bench.head("pgbench select-only, scale 1 (a unit is a transaction)")
    for mode, goal in (("prepared", "rate >= 1.2, CPU <= 1/2"), ("simple", "rate >= 1")):
        for clients in (1, 8):
            figures = bench.turns(lambda s: pgbench(s, script, mode, clients, max(2, bench.seconds)))
            bench.row(f"{mode}, {clients} clients", "transaction", figures, goal)


def copy_data():
    venues, lines = ("XNAS", "XNYS", "ARCX", "BATS"), []
    for i in range(COPY_ROWS):
        h = (i * 2654435761) & 0xffffffff
        lines.append(f"2026-01-{1 + i // 100000:02d} {i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}.{i % 1000000:06d}+00,SYM{h % 1000},"
                     f"{'buy' if h & 1024 else 'sell'},{h % 10000000 / 100},{h % 997},{venues[h >> 30]},{i},{'t' if h & 4096 else 'f'}\n")
    return "".join(lines).encode()


def copy_to_client(folder):
    """bench/copy_to.c made with the C compiler, or None: then Python takes the rows, and is the limit."""
    program = os.path.join(folder, "copy_to")
    try:
        include = subprocess.run(["pg_config", "--includedir"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        subprocess.run(["cc", "-O2", "-I" + include, "-o", program, os.path.join(HERE, "copy_to.c"), "-lpq"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    return program


def copy(bench):
    data = copy_data()
    client = copy_to_client(bench.folder)

    def load(server):
        c = Connection(server)
        c.run("DROP TABLE IF EXISTS copied")
        c.run("CREATE TABLE copied " + COPY_COLUMNS)
        begin = time.monotonic()
        c.copy_in("COPY copied FROM STDIN (FORMAT csv)", data)
        wall = time.monotonic() - begin
        c.close()
        return COPY_ROWS, wall

    def unload(server, form):
        sql = f"COPY copied TO STDOUT (FORMAT {form})"
        if client:
            out = subprocess.run([client, server.dsn, sql], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
            return COPY_ROWS, float(out[2])
        c = Connection(server)
        begin = time.monotonic()
        c.copy_out(sql)
        wall = time.monotonic() - begin
        c.close()
        return COPY_ROWS, wall
    bench.head(f"COPY of {COPY_ROWS:,} rows x 8 columns, csv, {len(data) / 1e6:.0f} MB (a unit is a row)")
    figures = bench.turns(load)
    bench.equal("SELECT count(*), sum(id), count(DISTINCT symbol), min(ts), max(ts), sum(qty), count(*) FILTER (WHERE live) FROM copied")
    bench.row("COPY FROM STDIN", "row", figures, "rate >= 3")
    for form in ("text", "csv", "binary"):
        outs = []
        for server in bench.servers:
            c = Connection(server)
            outs.append(hashlib.sha256(c.copy_out(f"COPY (SELECT * FROM copied WHERE id < 100000 ORDER BY id) TO STDOUT (FORMAT {form})", keep=True)).hexdigest())
            c.close()
        if len(set(outs)) != 1:
            raise SystemExit(f"COPY TO gives different bytes: {form}")
        bench.row(f"COPY TO STDOUT, {form}", "row", bench.turns(lambda s: unload(s, form)), "rate >= 3", "client in C" if client else "client in Python: it is the limit")


def connect(bench):
    def work(server):
        begin, count = time.monotonic(), 0
        while time.monotonic() - begin < bench.seconds:
            c = Connection(server)
            c.rows("SELECT 1")
            c.close()
            count += 1
        return count, time.monotonic() - begin
    bench.head("Connect, SELECT 1, close (a unit is a connection; trust, no TLS)")
    bench.row("connect + select 1 + close", "connection", bench.turns(work), "rate >= 3; Basalt >= 1,000/s")


def idle(bench, count=1000):
    bench.say(f"\n## Memory of {count:,} idle connections (proportional set size)\n")
    bench.say("| server | before KiB | with them KiB | a connection KiB |")
    bench.say("|---|---|---|---|")
    added = {}
    for server in bench.servers:
        before = server.memory_kib()
        connections = [Connection(server) for _ in range(count)]
        for c in connections:
            c.rows("SELECT 1")
        time.sleep(1)
        after = server.memory_kib()
        for c in connections:
            c.close()
        added[server.name] = (before, after)
        bench.say(f"| {server.name} | {before:,} | {after:,} | {(after - before) / count:.1f} |")
    if len(added) == 2:
        bench.say(f"\nResident with them: {added['Basalt'][1] / added['PostgreSQL'][1]:.3f} of PostgreSQL's (goal 1/10).")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--only", default="fetch,point,copy,connect,idle")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="basalt-bench-")
    servers = [Basalt(os.path.join(folder, "data"))] + ([] if options.no_peer else [Postgres()])
    bench = Bench(servers, options.rounds, options.seconds, folder)
    try:
        for server in servers:
            server.start()
        bench.say("# PostgreSQL door: Basalt beside PostgreSQL\n")
        cores = os.cpu_count()
        bench.say(f"`bench/postgres.py {' '.join(sys.argv[1:])}`, {time.strftime('%Y-%m-%d %H:%M')}, {cores} cores, load average {os.getloadavg()[0]:.1f}. " +
                  "; ".join(s.version for s in servers))
        for name in options.only.split(","):
            {"fetch": fetch, "point": point, "copy": copy, "connect": connect, "idle": idle}[name](bench)
    finally:
        for server in servers:
            try:
                server.stop()
            except Exception as problem:
                print(problem, file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
    if options.out:
        open(options.out, "w").write("\n".join(bench.lines) + "\n")


if __name__ == "__main__":
    main()

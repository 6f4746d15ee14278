#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Basalt beside QuestDB on a generated floor sheet: load until readable, nine queries, memory, start, bytes on disk.

    bench/floorsheet.py [--rows 1537200] [--rounds 5] [--runs 20] [--only load,queries,footprint] [--no-peer] [--out bench/results/floorsheet.md]

Rules: answers are compared before any time is kept; the two servers take turns and the one that waits is stopped (SIGSTOP);
a load ends when a new connection sees all rows; figures are CPU seconds of the server process and wall, and the ratio of the
interleaved minima. Python 3 standard library; Parquet's size needs pyarrow and is left out without it."""
import argparse, gzip, http.client, json, os, re, resource, shutil, signal, statistics, subprocess, sys, tempfile, time
from urllib.parse import quote

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def status_kib(pid, key):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key):
            return int(line.split()[1])
    return 0


def folder_bytes(path):
    total = 0
    for base, _, names in os.walk(path):
        for name in names:
            try:
                total += os.stat(os.path.join(base, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


class Server:
    """A running server with QuestDB's HTTP door."""

    def __init__(self, name, port):
        self.name, self.port, self.pid = name, port, None

    def get(self, sql, connection=None):
        c = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        c.request("GET", "/exec?query=" + quote(sql))
        r = c.getresponse()
        body = r.read()
        if connection is None:
            c.close()
        if r.status != 200:
            raise RuntimeError(f"{self.name}: {sql}: {body[:300]}")
        return json.loads(body)

    def pause(self):
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)


class QuestDb(Server):
    def __init__(self):
        super().__init__("QuestDB", 19000)
        self.script = os.path.join(HERE, "peers", "questdb", "questdb.sh")

    def start(self, extra_conf=""):
        env = dict(os.environ, QDB_CONF_EXTRA=extra_conf)
        subprocess.run([self.script, "install"], check=True, stdout=subprocess.DEVNULL)
        self.pid = int(subprocess.run([self.script, "start"], check=True, stdout=subprocess.PIPE, env=env).stdout.split()[-1])

    def stop(self):
        self.go_on()
        subprocess.run([self.script, "stop"], stdout=subprocess.DEVNULL)


class Basalt(Server):
    def __init__(self, folder, port=21700):
        super().__init__("Basalt", port)
        self.folder, self.process = folder, None
        self.program = os.environ.get("BASALT", os.path.join(ROOT, "build", "basalt"))

    def start(self, durability="interval"):
        self.process = subprocess.Popen([self.program, "serve", self.folder, "--pg", "off", "--http", f"127.0.0.1:{self.port}", "--durability", durability],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        begin = time.monotonic()
        while True:
            try:
                self.get("SELECT 1")
                return time.monotonic() - begin
            except (ConnectionError, OSError):
                if time.monotonic() - begin > 30:
                    raise
                time.sleep(0.002)

    def stop(self):
        self.go_on()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def chunks_of(path, lines_each):
    with open(path, "rb") as f:
        data = f.read()
    out, begin, count, at = [], 0, 0, 0
    while at < len(data):
        at = data.index(b"\n", at) + 1
        count += 1
        if count == lines_each or at == len(data):
            out.append((begin, at))
            begin, count = at, 0
    return data, out


def load_ilp(server, data, pieces, table, rows):
    """POST /write in pieces, then wait until a new connection counts all rows. Seconds, CPU seconds."""
    name = re.match(rb"[^, ]+", data).group()
    begin, cpu = time.monotonic(), cpu_seconds(server.pid)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    for a, b in pieces:
        body = data[a:b].replace(b"\n" + name + b",", b"\n" + table.encode() + b",")
        if body.startswith(name):
            body = table.encode() + body[len(name):]
        connection.request("POST", "/write", body)
        r = connection.getresponse()
        answer = r.read()
        if r.status != 204:
            raise RuntimeError(f"{server.name}: /write: {r.status} {answer[:300]}")
    sent = time.monotonic() - begin
    while server.get(f"SELECT count() FROM {table}")["dataset"][0][0] < rows:
        time.sleep(0.005)
    return sent, time.monotonic() - begin, cpu_seconds(server.pid) - cpu


def load_imp(server, path, table, rows):
    begin, cpu = time.monotonic(), cpu_seconds(server.pid)
    url = f"http://127.0.0.1:{server.port}/imp?name={table}&timestamp=timestamp&partitionBy=DAY&fmt=json&forceHeader=true"
    answer = subprocess.run(["curl", "-sS", "-F", f"data=@{path}", url], check=True, stdout=subprocess.PIPE).stdout
    if json.loads(answer).get("rowsImported") != rows:
        raise RuntimeError(f"{server.name}: /imp: {answer[:400]}")
    return time.monotonic() - begin, cpu_seconds(server.pid) - cpu


def parse_queries(path):
    title, out = None, []
    for line in open(path):
        m = re.match(r"-- (\d+) (.*)", line)
        if m:
            title = (int(m[1]), m[2].strip())
        elif line.strip() and not line.startswith("--"):
            out.append((*title, line.strip().rstrip(";")))
    return out


def same_value(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)
    return a == b


def same_answer(a, b):
    """Rows as sets where the statement gives no order; floats to 1e-9."""
    key = lambda row: [str(v) if not isinstance(v, float) else "%.9g" % v for v in row]
    x, y = sorted(a["dataset"], key=key), sorted(b["dataset"], key=key)
    return len(x) == len(y) and all(len(r) == len(s) and all(map(same_value, r, s)) for r, s in zip(x, y))


def time_query(server, sql, runs):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    server.get(sql, connection)
    cpu, best, times = cpu_seconds(server.pid), 1e9, []
    for _ in range(runs):
        begin = time.perf_counter()
        server.get(sql, connection)
        times.append(time.perf_counter() - begin)
    connection.close()
    return min(times), statistics.median(times), (cpu_seconds(server.pid) - cpu) / runs


class Report:
    def __init__(self):
        self.lines = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)


def bench_load(args, report, basalt, questdb, ilp, csv_path):
    data, pieces = chunks_of(ilp, 20000)
    report.say(f"\n## Load, {args.rows:,} rows, 20,000 a request, until readable on a new connection\n")
    report.say("| round | server | door | wall s | server CPU s | rows/s |")
    report.say("|---|---|---|---|---|---|")
    best = {}
    for server in filter(None, (basalt, questdb)):  # the peer keeps its data from one call to the next
        for r in range(args.load_rounds):
            server.get(f"DROP TABLE IF EXISTS floor_{r}")
    for r in range(args.load_rounds):
        for server in ([basalt, questdb] if r % 2 == 0 else [questdb, basalt]):
            if server is None:
                continue
            other = questdb if server is basalt else basalt
            if other is not None:
                other.pause()
            table = f"floor_{r}"
            _, wall, cpu = load_ilp(server, data, pieces, table, args.rows)
            report.say(f"| {r} | {server.name} | /write | {wall:.2f} | {cpu:.2f} | {args.rows / wall:,.0f} |")
            key = (server.name, "/write")
            best[key] = min(best.get(key, (1e9, 1e9)), (wall, cpu))
            if server is basalt:
                wall, cpu = load_imp(server, csv_path, f"csv_{r}", args.rows)
                report.say(f"| {r} | {server.name} | /imp | {wall:.2f} | {cpu:.2f} | {args.rows / wall:,.0f} |")
                key = (server.name, "/imp")
                best[key] = min(best.get(key, (1e9, 1e9)), (wall, cpu))
            if other is not None:
                other.go_on()
    if questdb is not None:
        theirs = best[("QuestDB", "/write")][0]
        report.say(f"\nRatio of minima: /write {theirs / best[('Basalt', '/write')][0]:.2f}x QuestDB's rows/s (goal 2), "
                   f"/imp {theirs / best[('Basalt', '/imp')][0]:.2f}x QuestDB's /write (goal 4).")


def bench_queries(args, report, basalt, questdb):
    table = "floor_0"
    report.say(f"\n## Nine queries, {args.rounds} rounds of {args.runs} runs, minima and server CPU per query\n")
    report.say("| # | query | Basalt ms | QuestDB ms | ratio | Basalt CPU ms | QuestDB CPU ms | answers |")
    report.say("|---|---|---|---|---|---|---|---|")
    at_or_below = half = 0
    for number, title, sql in parse_queries(os.path.join(HERE, "peers", "questdb", "queries.sql")):
        sql = sql.replace("floorsheet", table)
        same = "-" if questdb is None else ("equal" if same_answer(basalt.get(sql), questdb.get(sql)) else "DIFFER")
        mine, theirs, my_cpu, their_cpu = 1e9, 1e9, 1e9, 1e9
        for r in range(args.rounds):
            for server in ([basalt, questdb] if r % 2 == 0 else [questdb, basalt]):
                if server is None:
                    continue
                other = questdb if server is basalt else basalt
                if other is not None:
                    other.pause()
                low, _, cpu = time_query(server, sql, args.runs)
                if server is basalt:
                    mine, my_cpu = min(mine, low), min(my_cpu, cpu)
                else:
                    theirs, their_cpu = min(theirs, low), min(their_cpu, cpu)
                if other is not None:
                    other.go_on()
        ratio = mine / theirs
        at_or_below += ratio <= 1
        half += ratio <= 0.5
        report.say(f"| {number} | {title} | {mine * 1e3:.2f} | {theirs * 1e3:.2f} | {ratio:.2f} | {my_cpu * 1e3:.2f} | {their_cpu * 1e3:.2f} | {same} |"
                   if questdb else f"| {number} | {title} | {mine * 1e3:.2f} | - | - | {my_cpu * 1e3:.2f} | - | {same} |")
    if questdb is not None:
        report.say(f"\nAt or below QuestDB: {at_or_below} of 9 (goal 9); at or below half: {half} (goal 5).")


def parquet_bytes(csv_path, folder):
    try:
        import pyarrow.csv, pyarrow.parquet
    except ImportError:
        return None
    table = pyarrow.csv.read_csv(csv_path)
    path = os.path.join(folder, "floor.parquet")
    pyarrow.parquet.write_table(table, path, compression="zstd")
    size = os.path.getsize(path)
    os.unlink(path)
    return size


def bench_footprint(args, report, work, ilp, csv_path, questdb):
    report.say("\n## Memory, start, bytes on disk\n")
    basalt = Basalt(os.path.join(work, "foot"), 21701)
    basalt.start()
    idle = status_kib(basalt.pid, "VmRSS")
    data, pieces = chunks_of(ilp, 20000)
    load_ilp(basalt, data, pieces, "trades", args.rows)
    peak = status_kib(basalt.pid, "VmHWM")
    for _ in range(3):  # flush and merge what is due; files that an older checkpoint names go with the next one
        basalt.get("VACUUM")
    basalt.stop()
    disk = folder_bytes(os.path.join(basalt.folder, "table"))
    seconds = []
    for _ in range(5):
        begin = time.monotonic()
        basalt.start()
        basalt.get("SELECT count(*), sum(quantity) FROM trades")
        seconds.append(time.monotonic() - begin)
        restarted = status_kib(basalt.pid, "VmRSS")
        basalt.stop()
    report.say("| figure | value | goal |")
    report.say("|---|---|---|")
    report.say(f"| resident, fresh and idle | {idle / 1024:.1f} MiB | 20 MB |")
    report.say(f"| resident after restart and one query | {restarted / 1024:.1f} MiB | |")
    report.say(f"| peak while loading {args.rows:,} rows | {peak / 1024:.0f} MiB | 300 MB |")
    report.say(f"| start to first answer (median, minimum of 5) | {statistics.median(seconds) * 1e3:.0f} ms, {min(seconds) * 1e3:.0f} ms | 100 ms |")
    report.say(f"| bytes on disk a trade, segments and dictionaries | {disk / args.rows:.1f} | below the next two |")
    parquet = parquet_bytes(csv_path, work)
    report.say(f"| Parquet, zstd, pyarrow | {parquet / args.rows:.1f} | |" if parquet else "| Parquet | pyarrow is missing | |")
    if questdb is not None:
        rows = questdb.get("SELECT sum(diskSize) FROM table_partitions('floor_0')")["dataset"]
        report.say(f"| QuestDB, native | {rows[0][0] / args.rows:.1f} | |")


def machine():
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", type=int, default=1537200)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--load-rounds", type=int, default=3)
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--only", default="load,queries,footprint")
    p.add_argument("--durability", default="interval", help="Basalt's; interval against QuestDB's unsynced default, commit against --questdb-conf cairo.commit.mode=sync")
    p.add_argument("--questdb-conf", default="")
    p.add_argument("--no-peer", action="store_true")
    p.add_argument("--out", default=os.path.join(HERE, "results", "floorsheet.md"))
    args = p.parse_args()
    only = args.only.split(",")
    work = tempfile.mkdtemp(prefix="basalt-bench-")
    basalt, questdb = Basalt(os.path.join(work, "data")), None if args.no_peer else QuestDb()
    report = Report()
    report.say("# Floor sheet: Basalt beside QuestDB\n")
    report.say(f"`{' '.join(sys.argv)}`, {time.strftime('%Y-%m-%d %H:%M')}, {machine()}, durability {args.durability} against `{args.questdb_conf or 'unsynced'}`.")
    try:
        ilp, csv_path = os.path.join(work, "floor.ilp"), os.path.join(work, "floor.csv")
        for path, form in ((ilp, "ilp"), (csv_path, "csv")):
            with open(path, "wb") as f:
                subprocess.run([basalt.program, "gen", "floorsheet", "--rows", str(args.rows), "--seed", "7", "--format", form], check=True, stdout=f)
        basalt.start(args.durability)
        if questdb is not None:
            questdb.start(args.questdb_conf)
            report.say(questdb.get("select build")["dataset"][0][0])
        if "load" in only or "queries" in only:
            bench_load(args, report, basalt, questdb, ilp, csv_path)
        if "queries" in only:
            bench_queries(args, report, basalt, questdb)
        if "footprint" in only:
            bench_footprint(args, report, work, ilp, csv_path, questdb)
    finally:
        if basalt.process is not None:
            basalt.stop()
        if questdb is not None and questdb.pid:
            questdb.stop()
        shutil.rmtree(work, ignore_errors=True)
    with open(args.out, "w") as f:
        f.write("\n".join(report.lines) + "\n")


main()

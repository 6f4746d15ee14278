#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""psql's \\copy of files there and back: what comes out is what went in, byte for byte.
usage: copy_files.py BASALT [ROWS]   (1,537,200: thirty days of the floor sheet)

The real floor sheets go in and out as texts; the generated one goes into a table with types, then out and into a second table and out again
in each format."""
import filecmp, glob, gzip, os, re, shutil, signal, socket, subprocess, sys, tempfile, time

BASALT = os.path.abspath(sys.argv[1])
ROWS = sys.argv[2] if len(sys.argv) > 2 else "1537200"
SHARED = os.environ.get("BASALT_SHARED", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
if shutil.which("psql") is None:
    print("skipped: psql is not installed (test/install.sh does)")
    sys.exit(77)

ROOT = tempfile.mkdtemp(prefix="basalt-copy-")
TYPES = {"timestamp": "timestamptz", "contract": "int8", "quantity": "int4", "rate": "numeric(18,2)", "amount": "float8"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


PORT = free_port()


def psql(command):
    done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(PORT), "-U", "postgres", "basalt", "-c", command],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout}")


def path(name):
    return os.path.join(ROOT, name)


def create(table, header, types):
    columns = ", ".join(f'"{name}" {types.get(name, "text")}' for name in header.split(","))
    psql(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({columns})")


def same(what, a, b):
    equal = filecmp.cmp(path(a), path(b), shallow=False)
    print(f"{'ok  ' if equal else 'FAIL'} {what}: {os.path.getsize(path(b)):,} bytes", flush=True)
    return equal


def real_files():
    results = []
    for name in sorted(glob.glob(os.path.join(SHARED, "data/market/nepse_floorsheet_*.csv.gz"))):
        with gzip.open(name, "rb") as source, open(path("in.csv"), "wb") as out:
            shutil.copyfileobj(source, out)
        header = open(path("in.csv"), encoding="utf-8").readline().strip()
        create("real", header, {})
        psql(f"\\copy real from '{path('in.csv')}' csv header")
        psql(f"\\copy real to '{path('out.csv')}' csv header")
        results.append(same(os.path.basename(name), "in.csv", "out.csv"))
    if not results:
        print(f"the real floor sheets are not at {SHARED}: only the generated one is copied")
    return results


def generated():
    with open(path("made.csv"), "wb") as out:
        subprocess.run([BASALT, "gen", "floorsheet", "--rows", ROWS], stdout=out, check=True)
    header = open(path("made.csv"), encoding="utf-8").readline().strip()
    create("made", header, TYPES)
    psql(f"\\copy made from '{path('made.csv')}' csv header")
    results = []
    for form in ("csv", "text", "binary"):
        create("again", header, TYPES)
        psql(f"\\copy made to '{path('first')}' (format {form})")
        psql(f"\\copy again from '{path('first')}' (format {form})")
        psql(f"\\copy again to '{path('second')}' (format {form})")
        results.append(same(f"{ROWS} rows, {form}", "first", "second"))
    return results


server = subprocess.Popen([BASALT, "serve", path("data"), "--http", "off", "--pg", f"127.0.0.1:{PORT}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", PORT)).close()
            break
        except OSError:
            time.sleep(0.05)
    results = real_files() + generated()
finally:
    server.send_signal(signal.SIGTERM)
    server.wait(60)
    shutil.rmtree(ROOT, ignore_errors=True)
print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
sys.exit(0 if all(results) else 1)

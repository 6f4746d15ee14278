#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""psql's \\copy of files there and back: what comes out is what went in, byte for byte.
usage: copy_files.py BASALT [ROWS]   (1,537,200: thirty days of the floor sheet)

The real floor sheets go in and out as texts; the generated one goes into a table with types, then out and into a second table and out again
in each format."""
import filecmp, glob, gzip, os, shutil, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from served import Served

BASALT = os.path.abspath(sys.argv[1])
ROWS = sys.argv[2] if len(sys.argv) > 2 else "1537200"
SHARED = os.environ.get("BASALT_SHARED", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
if shutil.which("psql") is None:
    print("skipped: psql is not installed (test/install.sh does)")
    sys.exit(77)

COMMAND_SECONDS = 300
TYPES = {"timestamp": "timestamptz", "contract": "int8", "quantity": "int4", "rate": "numeric(18,2)", "amount": "float8"}


def psql(command):
    done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres", "basalt", "-c", command],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=COMMAND_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout}")


def path(name):
    return os.path.join(server.folder, name)


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
        subprocess.run([BASALT, "gen", "floorsheet", "--rows", ROWS], stdout=out, check=True, timeout=COMMAND_SECONDS)
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


server = Served(BASALT, doors=("pg",))
try:
    results = real_files() + generated()
finally:
    server.stop()
print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
sys.exit(0 if all(results) else 1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pg_dump's scripts of the Chinook and Northwind databases run without an error, each into a schema of its own: every table has its rows, every
foreign key is there, serial columns go on behind the loaded rows, and the schema goes again with all that is in it. usage: dumps.py BASALT"""
import csv, gzip, os, re, shutil, subprocess, sys, tempfile

BASALT = os.path.abspath(sys.argv[1])
SHARED = os.environ.get("BASALT_SHARED", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
DATA = os.path.join(SHARED, "data/relational")
FOREIGN_KEYS = {"chinook": 11, "northwind": 13}

if not os.path.isdir(DATA):
    print(f"skipped: the dumps are not at {DATA}")
    sys.exit(77)


def script(name):
    with gzip.open(os.path.join(DATA, f"{name}_postgres.sql.gz"), "rt", encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"^(DROP DATABASE|CREATE DATABASE|\\c ).*$", "", text, flags=re.M)
    text = re.sub(r"^SET search_path = public, pg_catalog;$", "", text, flags=re.M).replace("public.", "")
    return f"DROP SCHEMA IF EXISTS k_{name} CASCADE;\nCREATE SCHEMA k_{name};\nSET search_path = k_{name};\n{text}"


def run(folder, text):
    p = subprocess.run([BASALT, "sql", "--create", folder], input=text, capture_output=True, text=True, timeout=300)
    assert p.returncode == 0 and "error" not in p.stderr, p.stderr[:500]
    return [line.split(",") for line in p.stdout.splitlines()]


def counts(folder, name, tables):
    text = "".join(f"SELECT '{t}', count(*) FROM k_{name}.{t};\n" for t in tables)
    return {row[0]: int(row[1]) for row in run(folder, text) if len(row) == 2 and row[1].isdigit()}


with open(os.path.join(DATA, "row_counts.tsv"), encoding="utf-8") as f:
    WANTED = list(csv.DictReader(f, delimiter="\t"))
failed = 0
for name, keys in FOREIGN_KEYS.items():
    root = tempfile.mkdtemp(prefix="basalt-dump-")
    folder = os.path.join(root, "data")
    wanted = {row["table"]: int(row["rows"]) for row in WANTED if row["database"] == name}
    run(folder, script(name))
    got = counts(folder, name, wanted)
    found = run(folder, f"SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'k_{name}'::regnamespace;")[-1]
    left = run(folder, f"DROP SCHEMA k_{name} CASCADE; SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname LIKE 'k\\_%';")[-1]
    good = got == wanted and found == [str(keys)] and left == ["0"]
    print(f"{name}: {len(got)} tables, {sum(got.values())} rows, {found[0]} foreign keys, {left[0]} relations left: {'good' if good else 'WRONG'}")
    if got != wanted:
        print({t: (n, got.get(t)) for t, n in wanted.items() if got.get(t) != n})
    failed += not good
    shutil.rmtree(root)
sys.exit(failed)

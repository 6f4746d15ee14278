#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dumps.py PROGRAM: pg_dump, pg_dumpall and pg_restore against Basalt, and the way back with equal contents; see README.md.

BASALT_PG_ORACLE=HOST:PORT also loads the dumps into that PostgreSQL.
"""
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "pg"))
sys.dont_write_bytecode = True
from run import Server

RELATIONAL = os.path.join(HERE, "..", "..", "..", "shared", "data", "relational")
ORACLE = os.environ.get("BASALT_PG_ORACLE")
ORACLE_DATABASE = "basalt_dumps"
ROLES = ["shapes_reader", "shapes_writer"]
FORMS = {  # options of pg_dump; None: psql reads it, else what pg_restore gets
    "plain": ([], None), "inserts": (["--inserts"], None), "custom": (["-Fc"], []), "directory, two jobs": (["-Fd", "-j2"], ["-j2"]), "tar": (["-Ft"], []),
}


class Failed(Exception):
    pass


def run(port, *command, host="127.0.0.1", database="basalt", text=None):
    environment = {**os.environ, "PGHOST": host, "PGPORT": str(port), "PGUSER": "postgres", "PGDATABASE": database, "PGOPTIONS": "-c client_min_messages=warning"}
    result = subprocess.run(command, env=environment, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if result.returncode != 0 or "ERROR" in result.stderr:
        raise Failed(f"{' '.join(command)[:200]}: {result.stderr.strip()[:600]}")
    return result.stdout


def load(port, sql, **where):
    run(port, "psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-o", os.devnull, text=sql, **where)


def contents(port, **where):
    """Every table's rows, views' too, the state of sequences and the catalogs' view of keys, as text."""
    ask = lambda sql: run(port, "psql", "-XAtq", "-c", sql, **where)
    relations = ask("SELECT c.relkind, format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'S') "
                    "AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast' ORDER BY 2").split("\n")
    found = {}
    for kind, _, name in (line.partition("|") for line in relations if line):
        found[name] = sorted(ask(f"SELECT last_value, is_called FROM {name}" if kind == "S" else f"SELECT * FROM {name}").split("\n"))
    found["constraints"] = sorted(ask("SELECT conrelid::regclass, conname, contype, confdeltype, condeferrable, conkey, confkey FROM pg_constraint WHERE contype IN ('p', 'u', 'f') AND conrelid <> 0 "
                                      "AND connamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)").split("\n"))
    found["columns"] = sorted(ask("SELECT table_schema, table_name, column_name, data_type, is_nullable, is_identity, character_maximum_length FROM information_schema.columns "
                                  "WHERE table_schema NOT IN ('pg_catalog', 'information_schema')").split("\n"))
    found["comments"] = sorted(ask("SELECT c.oid::regclass, d.objsubid, d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE d.classoid = 'pg_class'::regclass AND c.oid >= 16384").split("\n"))
    return found


def same(want, got):
    for name in sorted(set(want) | set(got)):
        if want.get(name) != got.get(name):
            missing = [row for row in want.get(name, []) if row not in got.get(name, [])][:3]
            more = [row for row in got.get(name, []) if row not in want.get(name, [])][:3]
            raise Failed(f"{name} differs: missing {missing}, more {more}")


def dump(port, form, folder):
    options, _ = FORMS[form]
    target = os.path.join(folder, re.sub(r"\W", "", form))
    shutil.rmtree(target, ignore_errors=True)
    run(port, "pg_dump", *options, "-f", target)
    return target


def restore(port, form, target, **where):
    options = FORMS[form][1]
    if options is None:
        load(port, open(target, encoding="utf-8").read(), **where)
    else:
        run(port, "pg_restore", "-d", where.get("database", "basalt"), "--exit-on-error", *options, target, **where)


def into_basalt(program, form, target, want):
    other = Server(program)
    try:
        load(other.port, "".join(f"CREATE ROLE {role};" for role in ROLES))
        restore(other.port, form, target)
        same(want, contents(other.port))
    finally:
        other.stop()


def into_postgres(form, target, want):
    host, port = ORACLE.split(":")
    drop = f"DROP DATABASE IF EXISTS {ORACLE_DATABASE};" + "".join(f"DROP ROLE IF EXISTS {role};" for role in ROLES)
    load(port, drop + f"CREATE DATABASE {ORACLE_DATABASE} TEMPLATE template0;" + "".join(f"CREATE ROLE {role};" for role in ROLES), host=host, database="postgres")
    try:
        restore(port, form, target, host=host, database=ORACLE_DATABASE)
        same(want, contents(port, host=host, database=ORACLE_DATABASE))
    finally:
        load(port, drop, host=host, database="postgres")


def part(port, options, has, has_not):
    """A dump of a part of it holds and leaves out what it should."""
    text = run(port, "pg_dump", *options)
    for piece in has:
        if piece not in text:
            raise Failed(f"{piece!r} is not in it")
    for piece in has_not:
        if piece in text:
            raise Failed(f"{piece!r} is in it")


def all_of_it(program, port, want):
    text = run(port, "pg_dumpall", "--no-role-passwords")
    keep = "\n".join(line for line in text.split("\n") if not re.match(r"CREATE ROLE postgres;|CREATE DATABASE |ALTER DATABASE |\\connect ", line))
    other = Server(program)
    try:
        load(other.port, keep)
        same(want, contents(other.port))
    finally:
        other.stop()


def script_of(path):
    """A dump without the lines that make a database of their own."""
    return re.sub(r"^(DROP DATABASE|CREATE DATABASE|\\c ).*$", "", gzip.open(path, "rt", encoding="utf-8").read(), flags=re.M)


def checks_of(program, base, port, folder, want):
    """What is done with the dumps of a database: name -> check."""
    checks = {}
    for form in FORMS:
        checks[f"{form}, back into Basalt"] = lambda f=form: into_basalt(program, f, dump(port, f, folder), want)
        if ORACLE and form in ("plain", "custom"):
            checks[f"{form}, into PostgreSQL"] = lambda f=form: into_postgres(f, dump(port, f, folder), want)
    if base == "shapes":
        checks["schema only"] = lambda: part(port, ["-s"], ["CREATE TABLE public.p (", "CREATE VIEW public.v"], ["COPY ", "setval"])
        checks["data only"] = lambda: part(port, ["-a"], ["COPY public.p (", "setval('public.p_id_seq', 2, true)"], ["CREATE "])
        checks["one table"] = lambda: part(port, ["-t", "public.c"], ["CREATE TABLE public.c ("], ["CREATE TABLE public.p (", "CREATE SCHEMA"])
        checks["one schema"] = lambda: part(port, ["-n", "other"], ["CREATE TABLE other.t (", "GRANT USAGE ON SCHEMA other TO PUBLIC"], ["public.p"])
        checks["all databases and roles"] = lambda: all_of_it(program, port, want)
    return checks


def passes(name, check):
    try:
        check()
    except (Failed, subprocess.TimeoutExpired) as error:
        print(f"FAIL {name}: {error}", flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


def results_of(program, base, script):
    """One a check of the database that the script makes."""
    server = Server(program)
    with tempfile.TemporaryDirectory(prefix="basalt-dumps-") as folder:
        try:
            load(server.port, script)
            checks = checks_of(program, base, server.port, folder, contents(server.port))
            return [passes(f"{base}: {name}", check) for name, check in checks.items()]
        except Failed as error:
            print(f"FAIL {base}: {error}")
            return [False]
        finally:
            server.stop()


def main():
    program = os.path.abspath(sys.argv[1])
    if not shutil.which("pg_dump") or not shutil.which("psql"):
        print("skip dumps: there is no pg_dump here")
        print("0 passed, 0 failed")
        return 0
    bases = {"shapes": open(os.path.join(HERE, "shapes.sql"), encoding="utf-8").read()}
    for name in ("chinook", "northwind"):
        for path in glob.glob(os.path.join(RELATIONAL, f"{name}_postgres.sql.gz")):
            bases[name] = script_of(path)
    results = [result for base, script in bases.items() for result in results_of(program, base, script)]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


sys.exit(main())

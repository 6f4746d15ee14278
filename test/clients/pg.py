#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pg.py PROGRAM [CLIENT...]: real PostgreSQL clients against a fresh server; see README.md. --update writes the list of expected fails."""
import os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
from served import Served

KIT = os.path.join(HERE, "..", "..", "..", "shared", "clients", "pg", "run.sh")
EXPECTED = os.path.join(HERE, "pg-expected-fails.txt")
LINE = re.compile(r"^(ok|FAIL) (.+?)( \[optional\])?(?:: (.*))?$")
PASSWORD = "kit-own"
DEFAULT_CLIENTS = ["psql", "psycopg", "asyncpg"]


def start(program, folder):
    """A server that asks for passwords: some checks are about wrong ones, which nobody notices where nobody is asked."""
    subprocess.run([program, "sql", "--create", os.path.join(folder, "data"), f"alter user postgres password '{PASSWORD}'"], check=True, stdout=subprocess.DEVNULL,
                   timeout=60)
    return Served(program, "--pg-auth", "password", doors=("pg", "http"), folder=folder)


def expected():
    """check -> reason"""
    fails = {}
    if os.path.exists(EXPECTED):
        for line in open(EXPECTED):
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.rstrip("\n").partition("  # ")
                fails[name.strip()] = reason
    return fails


def run(program, clients):
    with tempfile.TemporaryDirectory(prefix="basalt-clients-") as folder:
        server = start(program, folder)
        try:
            out = subprocess.run([KIT, f"127.0.0.1:{server.port}", "basalt", "postgres", PASSWORD, *clients], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", stdin=subprocess.DEVNULL).stdout
            if server.process.poll() is not None:
                out += "FAIL server/lives to the end: it ended by itself\n"
        finally:
            server.stop()
    return out


def results(out):
    """check -> None if it passed, else the reason; optional checks and clients that cannot be installed here are left out"""
    seen = {}
    for line in out.splitlines():
        match = LINE.match(line)
        if match and match[2].endswith("/install"):
            print(f"skip {match[2]}: it cannot be installed here")
        elif match and not match[3]:
            seen[match[2]] = None if match[1] == "ok" else match[4] or ""
    return seen


def brief(reason):
    """The message without the statement that it quotes."""
    return re.split(r" LINE \d|\[SQL|\.\.\.", reason)[0].strip()[:100].rpartition(" ")[0]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    program, clients = os.path.abspath(arguments[0]), arguments[1:] or DEFAULT_CLIENTS
    if not os.path.exists(KIT):
        print("skip real PostgreSQL clients: there is no ../shared/clients/pg")
        print("0 passed, 0 failed")
        return 0
    fails, seen = expected(), results(run(program, clients))
    fresh = [n for n, r in seen.items() if r is not None and n not in fails]
    if fresh and not update: # clients have time limits: a loaded machine gets a second chance
        again = results(run(program, sorted({n.split("/")[0] for n in fresh})))
        seen.update({n: again[n] for n in fresh if n in again})
    passed = sum(r is None for r in seen.values())
    known = sum(r is not None and n in fails for n, r in seen.items())
    failed = len(seen) - passed - known
    for name, reason in seen.items():
        if reason is None and name in fails:
            print(f"note: {name} passes now: take it out of {os.path.basename(EXPECTED)}")
        elif reason is not None and name not in fails:
            print(f"FAIL {name}: {reason[:300]}")
    if update:
        kept = {n: r for n, r in fails.items() if n not in seen}
        kept.update({n: fails.get(n) or r for n, r in seen.items() if r is not None})
        with open(EXPECTED, "w") as out:
            out.write("# Checks of the client kit that do not pass yet: name, then what is missing.\n")
            out.writelines(f"{n}  # {brief(r)}\n" for n, r in sorted(kept.items()))
    print(f"note: {passed} checks passed, {known} known not to pass, {failed} new fails ({' '.join(clients)})")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pg.py PROGRAM [CLIENT...]: real PostgreSQL clients against a fresh server; see README.md. --update writes the list of expected fails."""
import os, re, socket, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
KIT = os.path.join(HERE, "..", "..", "..", "shared", "clients", "pg", "run.sh")
EXPECTED = os.path.join(HERE, "pg-expected-fails.txt")
LINE = re.compile(r"^(ok|FAIL) ([^:]+?)( \[optional\])?(?:: (.*))?$")
DEFAULT_CLIENTS = ["psql", "psycopg", "asyncpg"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(program, folder):
    port = free_port()
    server = subprocess.Popen([program, "serve", folder, "--http", f"127.0.0.1:{free_port()}", "--pg", f"127.0.0.1:{port}"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, port
        except OSError:
            time.sleep(0.05)
    server.kill()
    sys.exit("the server does not listen")


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
        server, port = start(program, os.path.join(folder, "data"))
        try:
            out = subprocess.run([KIT, f"127.0.0.1:{port}", "basalt", "postgres", "", *clients], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", stdin=subprocess.DEVNULL).stdout
            if server.poll() is not None:
                out += "FAIL server/lives to the end: it ended by itself\n"
        finally:
            server.terminate()
            server.wait(30)
    return out


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    program, clients = os.path.abspath(arguments[0]), arguments[1:] or DEFAULT_CLIENTS
    if not os.path.exists(KIT):
        print("skip real PostgreSQL clients: there is no ../shared/clients/pg")
        print("0 passed, 0 failed")
        return 0
    fails, passed, failed, known, seen = expected(), 0, 0, 0, {}
    for line in run(program, clients).splitlines():
        match = LINE.match(line)
        if not match or match[3]:
            continue
        name, good, reason = match[2], match[1] == "ok", match[4] or ""
        seen[name] = None if good else reason
        if good:
            passed += 1
            if name in fails:
                print(f"note: {name} passes now: take it out of {os.path.basename(EXPECTED)}")
        elif name in fails:
            known += 1
        else:
            failed += 1
            print(f"FAIL {name}: {reason[:300]}")
    if update:
        kept = {n: r for n, r in fails.items() if n not in seen}
        kept.update({n: fails.get(n) or r for n, r in seen.items() if r is not None})
        with open(EXPECTED, "w") as out:
            out.write("# Checks of the client kit that do not pass yet: name, then what is missing.\n")
            out.writelines(f"{n}  # {r[:160]}\n" for n, r in sorted(kept.items()))
    print(f"note: {passed} checks passed, {known} known not to pass, {failed} new fails ({' '.join(clients)})")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""drivers.py PROGRAM [NAME...]: the scripts of test/clients/drivers, each in an environment of its own with the packages that it names; see README.md."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "pg"))
sys.dont_write_bytecode = True
from run import Server

CACHE = os.environ.get("BASALT_DRIVERS", os.path.join(tempfile.gettempdir(), "basalt-drivers"))
SECONDS = 300


def environment(packages):
    """The Python that has the packages, or None where they cannot be had."""
    folder = os.path.join(CACHE, re.sub(r"[^a-z0-9]+", "-", " ".join(packages)))
    python = os.path.join(folder, "bin", "python")
    ready = os.path.join(folder, "ready")
    if os.path.exists(ready):
        return python
    venv.create(folder, with_pip=True)
    try:
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], capture_output=True, check=True, timeout=SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    open(ready, "w").close()
    return python


def run(program, script):
    packages = re.search(r"REQUIRES: (.*?)\"\"\"", open(script, encoding="utf-8").read()).group(1).split()
    python = environment(packages)
    name = os.path.basename(script)[:-3]
    if python is None:
        print("SKIP %s: %s cannot be installed here" % (name, " ".join(packages)))
        return None
    server = Server(program)
    try:
        where = dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(server.port), PGUSER="postgres", PGDATABASE="basalt")
        done = subprocess.run([python, script], env=where, capture_output=True, text=True, timeout=SECONDS)
    finally:
        server.stop()
    print("%s %s" % ("ok  " if done.returncode == 0 else "FAIL", name))
    if done.returncode != 0:
        print((done.stdout + done.stderr)[-4000:])
    return done.returncode == 0


def main():
    wanted = sys.argv[2:]
    scripts = [path for path in sorted(glob.glob(os.path.join(HERE, "drivers", "*.py"))) if not wanted or os.path.basename(path)[:-3] in wanted]
    results = [run(sys.argv[1], script) for script in scripts]
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main())

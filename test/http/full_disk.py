#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk of 64 MB that fills up: writers get 507, what was acknowledged stays, the server goes on answering, also after a restart with room.

    test/http/full_disk.py [build/basalt]            needs the right to mount a tmpfs, else it is skipped

Last line: N passed, N failed.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

program = sys.argv[1] if len(sys.argv) > 1 else "build/basalt"
top = tempfile.mkdtemp(prefix="basalt-full-")
small = os.path.join(top, "small")
os.mkdir(small)
results = []


def check(name, fine, why=""):
    results.append(bool(fine))
    print(f"ok {name}" if fine else f"FAIL {name}: {why}", flush=True)


def serve(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([program, "serve", folder, "--pg", "off", "--http", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.02)
    return process, f"http://127.0.0.1:{port}"


def ask(url, body=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read().decode()


def execute(base, text):
    return ask(base + "/exec?" + urllib.parse.urlencode({"query": text}))


def crowd(base, body, rows):
    """Eight clients at once, with small and large requests; the number of rows that were acknowledged."""
    parts = [body, body[:body.index(b"\n") + 1]]
    sizes = [rows, 1]
    stored = [0] * 8

    def client(number):
        for n in range(6):
            status, _ = ask(base + "/write", parts[(n + number) % 2])
            stored[number] += sizes[(n + number) % 2] if status == 204 else 0

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(stored)


def remount(size):
    return subprocess.run(["mount", "-o", f"remount,size={size}", small], stderr=subprocess.DEVNULL).returncode == 0


def count(base):
    status, text = execute(base, "select count() from full_disk")
    return json.loads(text)["dataset"][0][0] if status == 200 else text


def end(process):
    process.send_signal(signal.SIGTERM)
    try:
        return process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        return "killed"


def main():
    process, base = serve(os.path.join(small, "data"))
    check("create_a_table", execute(base, "create table ballast_table as (select x from long_sequence(10))")[0] == 200)
    path = os.path.join(top, "rows.csv")
    open(path, "w").write("a,b\n" + "".join(f"{k * 2654435761 % 2**40},{k * 7919 % 2**31}\n" for k in range(1500000)))
    load = subprocess.run([program, "load", base, "big_table", path, "--quiet"], capture_output=True, text=True)
    check("load_a_big_table", load.returncode == 0, load.stderr)
    stored, status, text = 0, 204, ""
    rows = 20000
    for n in range(400):
        body = "".join(f"full_disk,s=s{(n * rows + k) * 7919 % 100003} v={(n * rows + k) * 2654435761 % 2**40}i,d={k}.{n} {n * rows + k}000\n" for k in range(rows))
        status, text = ask(base + "/write", body.encode())
        if status != 204:
            break
        stored += rows
    check("writer_gets_507", status == 507, f"{status} {text[:200]}")
    check("something_was_stored", stored > 0)
    check("the_server_goes_on", ask(base + "/ping")[0] == 204)
    check("acknowledged_rows_are_there", count(base) == stored, f"{count(base)} of {stored}")
    stored += crowd(base, body.encode(), rows)
    check("a_crowd_does_not_end_the_server", process.poll() is None and ask(base + "/ping")[0] == 204, process.poll())
    check("acknowledged_rows_of_the_crowd", count(base) == stored, f"{count(base)} of {stored}")
    status, text = execute(base, "drop table ballast_table")
    check("drop_works_on_a_full_disk", status == 200, f"{status} {text[:200]}")
    status, text = execute(base, "drop table big_table")
    check("drop_of_the_big_table", status == 200, f"{status} {text[:200]}")
    for _ in range(100):
        status, text = ask(base + "/write", body.encode())
        stored += rows if status == 204 else 0
        if status == 204:
            break
        time.sleep(0.1)
    check("a_drop_gives_its_room_back", status == 204, f"{status} {text[:200]}")
    for _ in range(8): # what the drops gave back holds a few of them
        load = subprocess.run([program, "load", base, "load_table", path, "--quiet"], capture_output=True, text=True)
        if load.returncode != 0:
            break
    check("load_ends_with_the_code_of_the_disk", load.returncode == 6 and "{" not in load.stderr, f"{load.returncode} {load.stderr}")
    for _ in range(3):
        status, text = ask(base + "/write", body.encode())
        stored += rows if status == 204 else 0
    check("still_clear_answers", status in (204, 507), f"{status} {text[:200]}")
    if remount("128m"):
        status, text = ask(base + "/write", body.encode())
        stored += rows if status == 204 else 0
        check("goes_on_when_there_is_room", status == 204, f"{status} {text[:200]}")
    code = end(process)
    print(f"# stopped with code {code}, {stored} rows")
    # A larger disk: everything acknowledged is there and writing works again.
    large = os.path.join(top, "large")
    shutil.copytree(os.path.join(small, "data"), large)
    process, base = serve(large)
    check("rows_after_restart_with_room", count(base) == stored, f"{count(base)} of {stored}")
    check("writes_after_restart_with_room", ask(base + "/write", b"full_disk,s=x v=1i 1000\n")[0] == 204)
    end(process)


if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", small], stderr=subprocess.DEVNULL).returncode != 0:
    print("skip full_disk: no right to mount a tmpfs")
    shutil.rmtree(top)
    print("0 passed, 0 failed")
    sys.exit(0)
try:
    main()
finally:
    subprocess.run(["umount", "-l", small])
    shutil.rmtree(top, ignore_errors=True)
print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
sys.exit(0 if all(results) else 1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a real server under load, again and again, and looks for every acknowledged row.

    test/kill/kill.py [--rounds 15] [--writers 8] [--port 21010] [--seed 1] [--keep] [BASALT]

Each round starts `basalt serve` on the same folder, lets the writers post line protocol batches to /write, and ends the process with SIGKILL at a random
moment. After the next start every batch that was answered with 204 must be there whole, each once; a batch without an answer is there whole or not at
all; a batch that was refused is not there. Every row must hold the values it was sent with. Last line: N passed, N failed."""
import argparse
import csv
import http.client
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HOST = "127.0.0.1"
TIME_BEGIN = 1727740800000000000
BATCH_ROWS_MAX = 60
START_SECONDS_MAX = 60


def value_of(batch, row):
    return (batch * 7919 + row * 104729) % 1000003


def line_of(batch, row):
    """Rows of neighbouring batches mix in time, so that some come late."""
    time_ns = TIME_BEGIN + ((batch * 37 + row * 5003) % 200000) * 1000000
    return f"kill,writer=w{batch % 8},side={'buy' if row % 2 else 'sell'} batch={batch}i,row={row}i,value={value_of(batch, row)}i,half={row / 2} {time_ns}\n"


class Server:
    def __init__(self, program, folder, port):
        self.arguments = [program, "serve", folder, "--http", f"{HOST}:{port}", "--pg", f"{HOST}:{port + 1}", "--ilp", f"{HOST}:{port + 2}"]
        self.port = port
        self.process = None

    def start(self, log):
        begin = time.time()
        self.process = subprocess.Popen(self.arguments, stdout=log, stderr=log)
        while time.time() - begin < START_SECONDS_MAX:
            if self.process.poll() is not None:
                raise SystemExit(f"the server ended with {self.process.returncode} at its start")
            try:
                if self.ask("/ping")[0] in (200, 204):
                    return time.time() - begin
            except OSError:
                time.sleep(0.01)
        raise SystemExit("the server does not answer")

    def ask(self, path, timeout=60):
        connection = http.client.HTTPConnection(HOST, self.port, timeout=timeout)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def query(self, sql):
        status, body = self.ask("/exp?" + urllib.parse.urlencode({"query": sql}))
        if status == 400 and b"does not exist" in body:
            return []
        if status != 200:
            raise SystemExit(f"{sql}: {status}: {body[:500]!r}")
        return list(csv.reader(io.StringIO(body.decode())))[1:]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            return None


class Ledger:
    """What became of each batch: its rows, and acked, refused or unknown."""

    def __init__(self):
        self.lock = threading.Lock()
        self.next_batch = 1
        self.rows = {}
        self.fate = {}

    def take(self, rows):
        with self.lock:
            batch = self.next_batch
            self.next_batch += 1
            self.rows[batch] = rows
            self.fate[batch] = "unknown"
            return batch

    def tell(self, batch, fate):
        with self.lock:
            self.fate[batch] = fate


def write_until_stopped(ledger, port, stopping, seed):
    chance = random.Random(seed)
    connection = None
    while not stopping.is_set():
        batch = ledger.take(chance.randint(1, BATCH_ROWS_MAX))
        body = "".join(line_of(batch, row) for row in range(ledger.rows[batch]))
        try:
            if connection is None:
                connection = http.client.HTTPConnection(HOST, port, timeout=30)
            connection.request("POST", "/write", body)
            response = connection.getresponse()
            text = response.read()
            if response.status == 204:
                ledger.tell(batch, "acked")
            else:
                ledger.tell(batch, "refused")
                print(f"note: /write answered {response.status}: {text[:200]!r}", flush=True)
                time.sleep(0.05)
        except (OSError, http.client.HTTPException):
            if connection is not None:
                connection.close()
            connection = None
            time.sleep(0.02)


def check(server, ledger):
    """Texts of what is wrong."""
    wrong = []
    found = {}
    for batch, row, value, half, side, writer in server.query("SELECT batch, row, value, half, side, writer FROM kill"):
        batch, row = int(batch), int(row)
        found.setdefault(batch, []).append(row)
        good = int(value) == value_of(batch, row) and float(half) == row / 2 and writer == f"w{batch % 8}"
        if not good or side != ("buy" if row % 2 else "sell"):
            wrong.append(f"batch {batch} row {row} has other values than were sent")
    for batch, rows in ledger.rows.items():
        there = sorted(found.pop(batch, []))
        fate = ledger.fate[batch]
        whole = there == list(range(rows))
        if fate == "acked" and not whole:
            wrong.append(f"batch {batch} was acknowledged with {rows} rows; {len(there)} are there")
        elif fate == "refused" and there:
            wrong.append(f"batch {batch} was refused; {len(there)} rows are there")
        elif there and not whole:
            wrong.append(f"batch {batch} is half there: {len(there)} of {rows} rows")
        if fate == "unknown":
            ledger.fate[batch] = "acked" if whole else "refused"  # what a start has shown stays so
    wrong += [f"batch {batch} was never sent" for batch in found]
    return wrong


def run_round(server, ledger, chance, writers, log):
    start_seconds = server.start(log)
    wrong = check(server, ledger)
    stopping = threading.Event()
    threads = [threading.Thread(target=write_until_stopped, args=(ledger, server.port, stopping, chance.random())) for _ in range(writers)]
    for thread in threads:
        thread.start()
    time.sleep(chance.choice([0.05, 0.3, 1.0, 2.0]) * (0.2 + chance.random()))
    server.kill()
    stopping.set()
    for thread in threads:
        thread.join()
    return start_seconds, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--port", type=int, default=21010)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the data folder")
    parser.add_argument("program", nargs="?", default="build/basalt")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="basalt-kill-")
    server = Server(options.program, os.path.join(folder, "data"), options.port)
    ledger = Ledger()
    passed = failed = 0
    with open(os.path.join(folder, "log"), "wb") as log:
        try:
            for number in range(options.rounds):
                start_seconds, wrong = run_round(server, ledger, chance, options.writers, log)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                acked = sum(fate == "acked" for fate in ledger.fate.values())
                print(f"round {number + 1}: start {start_seconds * 1000:.0f} ms, {acked} batches acknowledged, {len(wrong)} faults", flush=True)
                print("".join(f"  {text}\n" for text in wrong[:10]), end="", flush=True)
            server.start(log)
            wrong = check(server, ledger)
            status = server.stop()
            wrong += [] if status == 0 else [f"SIGTERM ended the server with {status}"]
            server.start(log)
            wrong += check(server, ledger)
            server.stop()
            passed, failed = passed + (not wrong), failed + bool(wrong)
            print("".join(f"  {text}\n" for text in wrong[:10]), end="")
        finally:
            if server.process is not None and server.process.poll() is None:
                server.kill()
    rows = sum(rows for batch, rows in ledger.rows.items() if ledger.fate[batch] == "acked")
    print(f"{options.rounds} kills, {rows} rows acknowledged")
    if options.keep or failed:
        print(f"the data folder is {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not rows else 0


sys.exit(main())

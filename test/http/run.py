#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP door: protocol, attacks, answers, against a server that this script starts. Standard library only.

    test/http/run.py [build/basalt] [part of a check's name …]

Last line: N passed, N failed.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import kit


class Server:
    head_timeout, body_timeout, idle_timeout = 0.8, 0.8, 2.0      # seconds, short so that the checks are

    def __init__(self, program):
        self.host, self.folder = "127.0.0.1", tempfile.mkdtemp(prefix="basalt-http-")
        with socket.socket() as free:
            free.bind((self.host, 0))
            self.port = free.getsockname()[1]
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen(
            [program, "serve", os.path.join(self.folder, "data"), "--pg", "off", "--http", f"{self.host}:{self.port}", "--http-head-timeout", "800ms",
             "--http-body-timeout", "800ms", "--http-idle-timeout", "2s", "--durability", "commit"],
            stdout=self.log, stderr=self.log)
        deadline = time.time() + 15
        while time.time() < deadline and self.process.poll() is None:
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.02)
        kit.server = self
        self.has_sql = kit.get("/exec", query="select 1 a").status == 200 if "--no-sql" not in sys.argv else False

    def _status(self, key):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(key):
                return int(line.split()[1]) << 10
        return 0

    def resident(self):
        return self._status("VmRSS")

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "killed after 15 s"
        self.log.seek(0)
        log = self.log.read()
        shutil.rmtree(self.folder, ignore_errors=True)
        return code, log


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program = arguments[0] if arguments else "build/basalt"
    if not os.path.exists(program):
        print(f"no program {program}")
        print("0 passed, 1 failed")
        return 1
    server = Server(program)
    try:
        import attacks
        import endpoints
        import protocol
        passed, failed = kit.run(arguments[1:])
    finally:
        if server.has_sql:        # a statement in work must not keep the server from ending
            busy = kit.Wire()
            busy.send("GET /exec?query=select+count()+from+long_sequence(100000000000) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.2)
        code, log = server.stop()
    if code == 0:
        passed += 1
        print("ok the_server_stops_cleanly")
    else:
        failed += 1
        print(f"FAIL the_server_stops_cleanly: exit code {code}\n{log[-2000:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL door: start-up, protocol, attacks, COPY, TLS and passwords, against servers that this script starts. Standard library only.

    test/pg/run.py [build/basalt] [part of a check's name …]

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
    def __init__(self, program, *options, folder=None, host="127.0.0.1"):
        self.program, self.options, self.host = program, options, host
        self.own, self.folder = folder is None, folder or tempfile.mkdtemp(prefix="basalt-pg-")
        with socket.socket() as free:
            free.bind((self.host, 0))
            self.port = free.getsockname()[1]
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen(
            [program, "serve", os.path.join(self.folder, "data"), "--http", "off", "--pg", f"{self.host}:{self.port}", "--durability", "off", *options],
            stdout=self.log, stderr=self.log)
        deadline = time.time() + 30
        while time.time() < deadline and self.process.poll() is None:
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.02)

    def resident(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
        return 0

    def said(self):
        self.log.flush()
        return open(self.log.name).read()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "killed after 20 s"
        log = self.said()
        self.log.close()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code, log


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program = os.path.abspath(arguments[0] if arguments else "build/basalt")
    if not os.path.exists(program):
        print(f"no program {program}")
        print("0 passed, 1 failed")
        return 1
    kit.server = server = Server(program)
    kit.Server = Server
    try:
        import startup
        import protocol
        import attacks
        import copying
        import enums
        import session
        import styles
        import points
        import login
        import secure
        import races
        passed, failed = kit.run(arguments[1:])
    finally:
        code, log = server.stop()
    if code == 0:
        passed += 1
        print("ok the_server_stops_cleanly")
    else:
        failed += 1
        print(f"FAIL the_server_stops_cleanly: exit code {code}\n{log[-2000:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

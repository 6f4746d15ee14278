# SPDX-License-Identifier: Apache-2.0
"""A server of a test's own: `basalt serve` on free ports, with its folder and log, and its end. Every wait has a limit. Standard library only."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def free_ports(host, count):
    """All of them are taken at once: none is given out twice."""
    sockets = [socket.socket() for _ in range(count)]
    for free in sockets:
        free.bind((host, 0))
    ports = [free.getsockname()[1] for free in sockets]
    for free in sockets:
        free.close()
    return ports


class Served:
    """doors: "http", "pg" or "ilp", each at a port of its own; `port` is the first one's. folder: one of the caller's, which stays; else one that goes
    with the server. It holds `data` and `log`."""
    start_seconds, stop_seconds = 30, 20

    def __init__(self, program, *options, doors, folder=None, host="127.0.0.1"):
        self.program, self.host = program, host
        self.own, self.folder = folder is None, folder or tempfile.mkdtemp(prefix="basalt-test-")
        self.ports = dict(zip(doors, free_ports(host, len(doors))))
        self.port = self.ports[doors[0]]
        self.log = open(os.path.join(self.folder, "log"), "w+")
        arguments = [program, "serve", os.path.join(self.folder, "data")]
        for door in ("http", "pg", "ilp"):
            arguments += ["--" + door, f"{host}:{self.ports[door]}" if door in self.ports else "off"]
        self.process = subprocess.Popen([*arguments, *options], stdout=self.log, stderr=self.log)
        deadline = time.time() + self.start_seconds
        if not all([self.answers(port, deadline) for port in self.ports.values()]):
            raise RuntimeError("the server does not listen: %s %s" % self.stop())

    def answers(self, port, deadline):
        while time.time() < deadline and self.process.poll() is None:
            try:
                socket.create_connection((self.host, port), timeout=1).close()
                return True
            except OSError:
                time.sleep(0.02)
        return False

    def resident(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
        return 0

    def said(self):
        self.log.flush()
        return open(self.log.name).read()

    def stop(self):
        """Exit code and log."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=self.stop_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=self.stop_seconds)
            code = f"killed after {self.stop_seconds} s"
        log = self.said()
        self.log.close()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code, log

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL door: start-up, protocol, attacks, COPY, TLS and passwords, against servers that this script starts. Standard library only.

    test/pg/run.py [build/basalt] [part of a check's name …]

Last line: N passed, N failed.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
sys.dont_write_bytecode = True
import kit
from served import Served


class Server(Served):
    def __init__(self, program, *options, **where):
        super().__init__(program, "--durability", "off", *options, doors=("pg",), **where)


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

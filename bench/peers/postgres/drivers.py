#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""drivers.py psycopg|asyncpg DSN CLIENTS SECONDS QUERY ROWS: fetches in processes; prints queries and wall seconds."""
import asyncio, multiprocessing as mp, sys, time


def loop(name, dsn, seconds, query, rows, out):
    if name == "psycopg":
        import psycopg
        connection = psycopg.connect(dsn, autocommit=True)
        once = lambda: len(connection.cursor(binary=True).execute(query).fetchall())
    else:
        import asyncpg
        parts = dict(p.split("=") for p in dsn.split())
        runner = asyncio.new_event_loop()
        connection = runner.run_until_complete(asyncpg.connect(host=parts["host"], port=int(parts["port"]), user=parts["user"], database=parts["dbname"], ssl=False))
        once = lambda: len(runner.run_until_complete(connection.fetch(query)))
    assert once() == rows
    begin, count = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        assert once() == rows
        count += 1
    out.put((count, time.monotonic() - begin))


if __name__ == "__main__":
    name, dsn, clients, seconds, query, rows = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5], int(sys.argv[6])
    out = mp.Queue()
    processes = [mp.Process(target=loop, args=(name, dsn, seconds, query, rows, out)) for _ in range(clients)]
    for p in processes:
        p.start()
    results = [out.get() for _ in processes]
    for p in processes:
        p.join()
    print(sum(r[0] for r in results), max(r[1] for r in results))

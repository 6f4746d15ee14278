#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Twenty queries on real market files: every row loaded, and the answers equal DuckDB's on the same files.
usage: queries.py BASALT [http://HOST:PORT]   (with a URL the files go through /imp and the queries through /exec)"""
import csv, gzip, io, math, os, shutil, subprocess, sys, tempfile

BASALT = os.path.abspath(sys.argv[1])
URL = sys.argv[2] if len(sys.argv) > 2 else None
SHARED = os.environ.get("BASALT_SHARED", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
MARKET = os.path.join(SHARED, "data/market")

if not os.path.isdir(MARKET):
    print(f"skipped: the market files are not at {MARKET}")
    sys.exit(77)
try:
    import duckdb
except ImportError:
    venv = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/test-venv/bin/python")  # made by test/install.sh
    if os.path.exists(venv) and sys.executable != venv and "BASALT_VENV" not in os.environ:
        os.execve(venv, [venv, *sys.argv], {**os.environ, "BASALT_VENV": "1"})
    print("skipped: the Python package duckdb is not installed (test/install.sh does)")
    sys.exit(77)

ROOT = tempfile.mkdtemp(prefix="basalt-real-")
TARGET = URL or os.path.join(ROOT, "data")
SYMBOLS = "symbol symbol, exchange symbol"

# table, files, options of load, options of DuckDB's read_csv
TABLES = [
    ("floor", ["nepse_floorsheet_2024-04-09.csv.gz", "nepse_floorsheet_2024-04-22.csv.gz", "nepse_floorsheet_2024-04-24.csv.gz",
               "nepse_floorsheet_2024-04-25.csv.gz", "nepse_floorsheet_2024-09-22.csv.gz"],
     ["--timestamp", "tradeTime", "--zone", "Asia/Kathmandu", "--schema", "stockSymbol symbol, buyerMemberId symbol, sellerMemberId symbol"],
     "union_by_name=true, types={'buyerMemberId': 'VARCHAR', 'sellerMemberId': 'VARCHAR', 'id': 'VARCHAR', 'contractType': 'VARCHAR'}"),
    ("us_trades", ["us_trades_AIG_20131008.csv.gz", "us_trades_BAC_20131008.csv.gz", "us_trades_IBM_20131008.csv.gz"],
     ["--timestamp", "ts", "--schema", SYMBOLS + ", sale_condition_hex varchar"],
     "types={'sale_condition_hex': 'VARCHAR', 'ts': 'TIMESTAMP'}"),
    ("us_quotes", ["us_quotes_BAC_20131008.csv.gz", "us_quotes_IBM_20131008.csv.gz"],
     ["--timestamp", "ts", "--schema", SYMBOLS + ", quote_condition_hex varchar"],
     "types={'quote_condition_hex': 'VARCHAR', 'ts': 'TIMESTAMP', 'bid_price': 'DOUBLE', 'ask_price': 'DOUBLE'}"),
    ("taq_trades", ["taq_trades_raw_2018-01.csv.gz"], ["--timestamp", "DT", "--schema", "EX symbol, COND varchar"], "types={'DT': 'TIMESTAMP', 'COND': 'VARCHAR'}"),
    ("taq_quotes", ["taq_quotes_raw_2018-01.csv.gz"], ["--timestamp", "DT", "--schema", "EX symbol"], "types={'DT': 'TIMESTAMP'}"),
    ("daily", ["nepse_daily_ohlcv.csv.gz"], [], ""),
    ("bars", ["us_minute_bars.csv.gz"], ["--timestamp", "ts", "--schema", "symbol symbol"], "types={'ts': 'TIMESTAMP'}"),
    ("crypto", ["crypto_minute_bars.csv.gz"], ["--timestamp", "ts", "--schema", "symbol symbol"], "types={'ts': 'TIMESTAMP'}"),
]

# name, Basalt's text, DuckDB's text where it differs. Every answer has one order.
QUERIES = [
    ("rows of each table", " UNION ALL ".join(f"SELECT '{t}' AS t, count(*) AS n FROM {t}" for t, *_ in TABLES) + " ORDER BY t", None),
    ("sums of the floor sheets", 'SELECT count(*), sum("contractQuantity"), sum("contractAmount"), min("tradeTime"), max("tradeTime") FROM floor', None),
    ("top 20 symbols by turnover",
     'SELECT "stockSymbol", count(*), sum("contractAmount") AS turnover FROM floor GROUP BY "stockSymbol" ORDER BY turnover DESC, "stockSymbol" LIMIT 20', None),
    ("turnover by buyer", 'SELECT "buyerMemberId", count(*), sum("contractAmount") FROM floor GROUP BY "buyerMemberId" ORDER BY "buyerMemberId"', None),
    ("brokers on both sides", 'SELECT count(*) FROM floor WHERE "buyerMemberId" = "sellerMemberId"', None),
    ("one symbol on one day",
     "SELECT \"contractId\", \"contractRate\", \"tradeTime\" FROM floor WHERE \"stockSymbol\" = 'NABIL' AND \"tradeTime\" >= '2024-04-22' AND \"tradeTime\" < '2024-04-23' ORDER BY \"tradeTime\", \"contractId\"",
     None),
    ("last trade of each symbol", 'SELECT "stockSymbol", "contractId", "contractRate" FROM floor LATEST ON "tradeTime" PARTITION BY "stockSymbol" ORDER BY "stockSymbol"',
     'SELECT "stockSymbol", arg_max("contractId", "tradeTime"), arg_max("contractRate", "tradeTime") FROM floor GROUP BY 1 ORDER BY 1'),
    ("five-minute bars",
     "SELECT \"tradeTime\" AS t, min(\"contractRate\"), max(\"contractRate\"), sum(\"contractQuantity\"), count(*) FROM floor WHERE \"stockSymbol\" = 'HRL' SAMPLE BY 5m ALIGN TO CALENDAR ORDER BY t",
     "SELECT time_bucket(INTERVAL 5 minutes, \"tradeTime\") AS t, min(\"contractRate\"), max(\"contractRate\"), sum(\"contractQuantity\"), count(*) FROM floor WHERE \"stockSymbol\" = 'HRL' GROUP BY 1 ORDER BY 1"),
    ("trades by day", "SELECT date_trunc('day', \"tradeTime\") AS d, count(*), sum(\"contractAmount\") FROM floor GROUP BY date_trunc('day', \"tradeTime\") ORDER BY d", None),
    ("names with a word", "SELECT DISTINCT \"securityName\" FROM floor WHERE \"securityName\" LIKE '%Microfinance%' ORDER BY \"securityName\"", None),
    ("volume by exchange", "SELECT symbol, exchange, count(*), sum(size), min(price), max(price) FROM us_trades GROUP BY symbol, exchange ORDER BY symbol, exchange", None),
    ("volume-weighted price", "SELECT symbol, sum(price * size) / sum(size) AS vwap FROM us_trades GROUP BY symbol ORDER BY symbol", None),
    ("quotes without a side", "SELECT symbol, count(*), count(bid_price), count(ask_price), avg(bid_price), max(ask_size) FROM us_quotes GROUP BY symbol ORDER BY symbol", None),
    ("conditions", 'SELECT "COND", count(*), sum("SIZE") FROM taq_trades GROUP BY "COND" ORDER BY "COND" NULLS LAST', None),
    ("odd lots", 'SELECT "EX", count(*) FROM taq_trades WHERE "SIZE" < 100 GROUP BY "EX" HAVING count(*) > 100 ORDER BY "EX"', None),
    ("crossed quotes", 'SELECT count(*), min("DT"), max("OFR") FROM taq_quotes WHERE "BID" > "OFR"', None),
    ("minutes of a stock", "SELECT ts, open, high, low, close, volume FROM bars WHERE symbol = 'AIG' AND volume BETWEEN 100 AND 500 ORDER BY ts LIMIT 50", None),
    ("best years",
     "SELECT symbol, extract(year FROM published_date) AS y, max(close) AS best, sum(traded_amount) FROM daily WHERE close > 0 GROUP BY symbol, extract(year FROM published_date) ORDER BY best DESC, symbol, y LIMIT 25",
     None),
    ("bars with their day's range",
     "SELECT b.symbol, count(*), max(b.high - d.low) FROM crypto b JOIN (SELECT symbol, date_trunc('day', ts) AS day, min(low) AS low FROM crypto GROUP BY symbol, date_trunc('day', ts)) d ON d.symbol = b.symbol AND d.day = date_trunc('day', b.ts) GROUP BY b.symbol ORDER BY b.symbol",
     None),
    ("rising minutes", "SELECT symbol, sum(CASE WHEN close > open THEN 1 ELSE 0 END) AS up, sum(CASE WHEN close < open THEN 1 ELSE 0 END) AS down FROM crypto GROUP BY symbol ORDER BY symbol", None),
]


def path(name):
    return os.path.join(MARKET, name)


def basalt(*args):
    p = subprocess.run([BASALT, *args], capture_output=True, timeout=300)
    assert p.returncode == 0, f"basalt {args[0]}: exit code {p.returncode}: {p.stderr.decode()[-500:]}"
    return p.stdout.decode()


def load_all(db):
    for table, files, options, duck in TABLES:
        basalt("load", TARGET, table, *[path(f) for f in files], "--quiet", *options)
        names = ", ".join("'" + path(f) + "'" for f in files)
        db.execute(f"CREATE TABLE {table} AS SELECT * FROM read_csv([{names}], header=true, sample_size=-1{', ' + duck if duck else ''})")
    db.execute('UPDATE floor SET "tradeTime" = "tradeTime" - INTERVAL 345 minutes')  # Kathmandu to UTC


def cells_of_basalt(text):
    """NULL is an empty field without quotes; the csv module cannot tell it from "", which no query here gives."""
    return [[None if c == "" else c for c in row] for row in list(csv.reader(io.StringIO(text)))[1:]]


def same(mine, theirs):
    if theirs is None or mine is None:
        return (theirs is None or theirs == "") == (mine is None)
    if isinstance(theirs, bool):
        return mine == ("t" if theirs else "f")
    if isinstance(theirs, (int, float)) or type(theirs).__name__ == "Decimal":
        a, b = float(mine), float(theirs)
        return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    if hasattr(theirs, "isoformat"):
        text = theirs.isoformat(sep=" ") if hasattr(theirs, "hour") else theirs.isoformat()
        return mine.rstrip("0").rstrip(".") == text.rstrip("0").rstrip(".") or mine == text
    return mine == str(theirs)


def check(db, name, mine_sql, their_sql):
    mine = cells_of_basalt(basalt("sql", TARGET, mine_sql, "--mode", "csv"))
    theirs = db.execute(their_sql or mine_sql).fetchall()
    assert len(mine) == len(theirs), f"{len(mine)} rows, DuckDB has {len(theirs)}"
    for i, (a, b) in enumerate(zip(mine, theirs)):
        assert len(a) == len(b) and all(same(x, y) for x, y in zip(a, b)), f"row {i}: {a}, DuckDB has {b}"


def main():
    passed = failed = 0
    db = duckdb.connect()
    try:
        load_all(db)
        passed += 1
        for query in QUERIES:
            try:
                check(db, *query)
                passed += 1
            except AssertionError as e:
                failed += 1
                print(f"FAILED {query[0]}: {e}")
    except AssertionError as e:
        failed += 1
        print(f"FAILED load: {e}")
    shutil.rmtree(ROOT, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()

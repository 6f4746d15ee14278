#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CSV reader on the collection of messy files: rows as expected where expectations are stored, as Python's csv module reads them
elsewhere, the same rows for every piece size, and never a crash. usage: csv_files.py CSV_CAT [FOLDER]"""
import base64, csv, gzip, io, json, os, subprocess, sys

CAT = sys.argv[1]
FOLDER = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] != "-v" else os.environ.get("BASALT_SHARED", os.path.join(os.path.dirname(__file__), "../../../shared")) + "/data/messy_csv"
# Expectations that are not ours: a blank line is no row here; the phone number in that file's expectation is of another file.
NOT_EXPECTED = {"csv-test-data/empty-one-column.csv", "csv-spectrum/location_coordinates.csv"}


def read(data, piece, delimiter=None):
    p = subprocess.run([CAT, str(piece)] + ([delimiter] if delimiter else []), input=data, capture_output=True, timeout=60)
    assert p.returncode == 0, f"reader ended with {p.returncode}: {p.stderr[-300:]}"
    return p.stdout


def rows_of(out):
    at, rows, problems, delimiter, end = 0, [], 0, None, None
    while at < len(out):
        stop = out.index(b"\n", at)
        word = out[at:stop].split(b" ", 2)
        at = stop + 1
        if word[0] == b"D":
            delimiter = out[at - 2:at - 1].decode("latin-1")
        elif word[0] == b"E":
            end = (int(word[1]), word[2].decode("utf-8", "replace"))
        else:
            problem, count = word[2].split(b" ")
            problems += problem != b"0"
            row = []
            for _ in range(int(count)):
                stop = out.index(b"\n", at)
                n = int(out[at:stop].split(b" ")[0])
                row.append(out[stop + 1:stop + 1 + n])
                at = stop + 2 + n
            rows.append(row)
    return rows, problems, delimiter, end


def python_rows(data, delimiter):
    csv.field_size_limit(1 << 30)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    text = io.StringIO(data.decode("latin-1"), newline="")
    return [[f.encode("latin-1") for f in row] for row in csv.reader(text, delimiter=delimiter) if row and row != [""]]


def expected_rows(path):
    want = json.load(open(path, encoding="utf-8", errors="surrogateescape"))
    if isinstance(want, dict):
        want = [want]
    if want and isinstance(want[0], dict):
        want = [list(want[0])] + [list(r.values()) for r in want]
    return [[str(f).encode("utf-8", "surrogateescape") for f in r] for r in want]


def check(name, data, want=None):
    out = read(data, 1 << 16)
    for piece in ((1, 7, 64) if len(data) < 100000 else (4093,)):
        assert read(data, piece, rows_of(out)[2]) == out, f"pieces of {piece} give other rows"
    rows, problems, delimiter, end = rows_of(out)
    if end[0] != 0:
        assert end[1], "an error without a message"
        return "error: " + end[1]
    if want is not None:
        if len(rows) == len(want) + 1:
            rows = rows[1:] # the header
        assert rows == want, f"rows {rows[:4]} != {want[:4]}"
        return "expected"
    theirs = python_rows(data, delimiter)
    trim = lambda rs: [[f.rstrip(b" \t") for f in r] for r in rs if r != [b""]] # blanks behind a closing quote are kept there
    if trim(rows) != trim(theirs):
        at = next((i for i, (a, b) in enumerate(zip(trim(rows), trim(theirs))) if a != b), min(len(rows), len(theirs)))
        assert False, f"row {at}: {rows[at:at + 1]} != {theirs[at:at + 1]} ({len(rows)} and {len(theirs)} rows)"
    return "as Python"


def files():
    for folder, _, names in sorted(os.walk(FOLDER)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith((".json", ".md", ".zst", "date_formats.txt")) or name == "LICENSE":
                continue
            if name.endswith(".ndjson.gz"):
                for line in gzip.open(path, "rt"):
                    case = json.loads(line)
                    yield "fuzz/" + case["name"], base64.b64decode(case["base64"]), None
                continue
            data = gzip.open(path).read() if name.endswith(".gz") else open(path, "rb").read()
            side = os.path.splitext(path)[0] + ".expected.json"
            yield os.path.relpath(path, FOLDER), data, expected_rows(side) if os.path.exists(side) and os.path.relpath(path, FOLDER) not in NOT_EXPECTED else None


def main():
    if not os.path.isdir(FOLDER):
        print(f"skipped: the messy files are not at {FOLDER}")
        sys.exit(77)
    tally, failed = {}, 0
    for name, data, want in files():
        try:
            how = check(name, data, want)
        except (AssertionError, subprocess.TimeoutExpired) as e:
            failed += 1
            print(f"FAILED {name}: {str(e)[:300]}")
            continue
        key = how.split(":")[0]
        tally[key] = tally.get(key, 0) + 1
        if "-v" in sys.argv:
            print(name, how)
    print(f"{sum(tally.values())} passed ({', '.join(f'{n} {k}' for k, n in tally.items())}), {failed} failed")
    sys.exit(failed > 0)


main()

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what only tests need beside Debian packages, into build/test-venv. Without a net or without python3-venv nothing is installed, and
# the tests that want it are skipped by name.
cd "$(dirname "$0")/.." || exit 1
venv=build/test-venv
packages="duckdb psycopg[binary]"
python3 -c "import duckdb, psycopg" 2>/dev/null && exit 0
[ -x $venv/bin/python ] && $venv/bin/python -c "import duckdb, psycopg" 2>/dev/null && exit 0
mkdir -p build
log=build/test-install.log
python3 -m venv $venv >$log 2>&1 || { rm -rf $venv; echo "note: no python3-venv, tests beside DuckDB are skipped"; exit 0; }
# shellcheck disable=SC2086
$venv/bin/pip install --quiet $packages >>$log 2>&1 || { echo "note: $packages cannot be installed (see $log), tests beside it are skipped"; exit 0; }
echo "installed into $venv: $packages"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark beside its peer and writes bench/results/*.md. Installs the peers under ${PEERS_DIR:-~/.cache/basalt-peers}.
set -eu
cd "$(dirname "$0")/.."
[ -x build/basalt ] || make
bench/floorsheet.py --out bench/results/floorsheet.md "$@"
bench/floorsheet.py --only load --durability commit --questdb-conf cairo.commit.mode=sync --out bench/results/floorsheet-synced.md "$@"

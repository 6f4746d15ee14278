#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the example twice on a fresh folder: the second run finds the first one's table.
program=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
want='HRL    1000 trades, 59500 shares
NABIL  1000 trades, 59500 shares
NTC    1000 trades, 59500 shares
NABIL turnover 29927993.0'
for turn in 1 2; do
    got=$("$program" "$folder/data") || exit 1
    [ "$got" = "$want" ] || { echo "turn $turn: got"; echo "$got"; exit 1; }
done

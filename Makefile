# SPDX-License-Identifier: Apache-2.0
# The habit commands; Meson does the work. See README.md.
BUILD ?= build
PREFIX ?= /usr/local
SEED ?= 1
FUZZ_SECONDS ?= 10

.PHONY: all check test test-long fuzz sim bench run demo install clean

all:
	@scripts/build $(BUILD)

check: all
	@BUILD=$(BUILD) scripts/check

test:
	@scripts/test

test-long:
	@scripts/test --long

fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

sim: all
	@$(BUILD)/test/sim/sim --seed $(SEED)

bench: all
	@bench/run.sh

run:
	@scripts/run

demo:
	@scripts/run --demo

install: all
	@meson configure $(BUILD) --prefix $(abspath $(PREFIX)) --libdir lib && meson install -C $(BUILD)

clean:
	rm -rf build build-*

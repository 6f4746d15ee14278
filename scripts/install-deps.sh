#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building needs; --test adds those that tests need. Does nothing if all are there.
build="gcc libc6-dev make meson ninja-build pkg-config liblz4-dev libzstd-dev zlib1g-dev libpcre2-dev libuv1-dev libedit-dev libssl-dev libidn-dev tzdata"
test="libcmocka-dev postgresql-client openssl python3 python3-venv clang llvm libclang-rt-14-dev codespell curl git binutils ccache"
packages=$build
[ "$1" = "--test" ] && packages="$build $test"
command -v dpkg-query >/dev/null || { echo "no Debian here; needed are: $packages"; exit 0; }
missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
sudo=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "please install as root:$missing" >&2; exit 1; }
    sudo=sudo
fi
echo "installing:$missing"
log=$(mktemp)
run() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1
}
# shellcheck disable=SC2086
run install --no-install-recommends $missing || { run update && run install --no-install-recommends $missing; } ||
    { cat "$log" >&2; rm -f "$log"; exit 1; }
rm -f "$log"

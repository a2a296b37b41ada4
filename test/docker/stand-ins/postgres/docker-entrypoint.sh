#!/bin/bash
# Starts as the official image does: first as root, then as postgres. A new volume is initialized by a
# server that listens only on its socket.
set -euo pipefail
[ "$1" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  find "$PGDATA" ! -user postgres -exec chown postgres {} +
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD") \
    --set=listen_addresses='*' --set=unix_socket_directories=/var/run/postgresql
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w -o "${*:2} -c listen_addresses=" start
  database=${POSTGRES_DB:-$POSTGRES_USER}
  [ "$database" = postgres ] || createdb -U "$POSTGRES_USER" -O "$POSTGRES_USER" "$database"
  pg_ctl -w -m fast stop
fi
exec "$@"

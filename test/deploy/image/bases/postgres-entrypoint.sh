#!/bin/sh
# The first start makes the cluster and runs the scripts that are mounted, before anybody can connect from outside.
set -eu
if [ "$(id -u)" -eq 0 ]; then
  chown postgres "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
mkdir -p /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username=postgres --pwfile=/tmp/password
  rm /tmp/password
  printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w -o "-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sql; do
    psql -v ON_ERROR_STOP=1 --no-password --no-psqlrc --username=postgres --file="$script"
  done
  pg_ctl -m fast -w stop
fi
exec "$@" -c "listen_addresses=*"

#!/bin/bash
# As the official image documents it: an empty data folder is initialised by a server that listens on its socket only.
set -euo pipefail
[[ $1 != -* ]] || set -- postgres "$@"
[ "$1" = postgres ] || exec "$@"

user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "${POSTGRES_PASSWORD:?must be set, because the data folder is empty}"
  # POSTGRES_INITDB_ARGS is a list of words. initdb itself trusts the socket and 127.0.0.1.
  # shellcheck disable=SC2086
  initdb --username="$user" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") ${POSTGRES_INITDB_ARGS:-}
  printf "listen_addresses = '*'\n" >> "$PGDATA/postgresql.conf"
  printf '\nhost all all all %s\n' "${POSTGRES_HOST_AUTH_METHOD:-$(postgres -C password_encryption)}" >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -w -o "$(printf '%q ' "${@:2}" -c listen_addresses= -p 5432)" start
  if [ "$database" != postgres ]; then
    psql --username "$user" --dbname postgres -v ON_ERROR_STOP=1 -v "name=$database" <<< 'CREATE DATABASE :"name"'
  fi
  pg_ctl -D "$PGDATA" -w -m fast stop
fi
exec "$@"

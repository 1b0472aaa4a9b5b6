#!/bin/bash
# As the official image documents it: while there is no data yet, a server without access control that listens on
# 127.0.0.1 only makes the root user of MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD, in the database admin.
set -euo pipefail
[[ $1 != -* ]] || set -- mongod "$@"
[ "$1" = mongod ] || exec "$@"

if [ -n "${MONGO_INITDB_ROOT_USERNAME:-}" ] && [ -n "${MONGO_INITDB_ROOT_PASSWORD:-}" ]; then
  if [ ! -e /data/db/storage.bson ]; then
    "$@" --bind_ip 127.0.0.1 &
    server=$!
    until (exec 3<> /dev/tcp/127.0.0.1/27017) 2> /dev/null; do kill -0 "$server"; sleep 0.1; done
    mongosh --quiet --host 127.0.0.1 admin --eval '
      const { MONGO_INITDB_ROOT_USERNAME: user, MONGO_INITDB_ROOT_PASSWORD: pwd } = process.env
      db.createUser({ user, pwd, roles: [{ role: "root", db: "admin" }] })'
    kill "$server"
    wait "$server"
    touch /data/db/storage.bson
  fi
  set -- "$@" --auth
fi
unset "${!MONGO_INITDB_@}"
exec "$@" --bind_ip_all

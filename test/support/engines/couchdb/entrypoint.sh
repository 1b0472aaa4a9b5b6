#!/bin/bash
# As the official image documents it: the administrator of COUCHDB_USER and COUCHDB_PASSWORD is appended to docker.ini,
# unless a file of the configuration has one of this name already.
set -euo pipefail
[ "${1:-}" = /opt/couchdb/bin/couchdb ] || exec "$@"
if [ -n "${COUCHDB_USER:-}" ] && [ -n "${COUCHDB_PASSWORD:-}" ]; then
  if ! grep -Pzoqr "\[admins\]\n$COUCHDB_USER =" /opt/couchdb/etc/local.d/; then
    printf '\n[admins]\n%s = %s\n' "$COUCHDB_USER" "$COUCHDB_PASSWORD" >> /opt/couchdb/etc/local.d/docker.ini
  fi
fi
exec "$@"

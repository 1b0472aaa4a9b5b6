#!/bin/bash
# As the official image documents it: CLICKHOUSE_USER replaces the user "default", by a file in users.d, and a server
# that listens on 127.0.0.1 only makes the database CLICKHOUSE_DB before the one that serves is started.
set -euo pipefail
[ $# -eq 0 ] || [ "$1" = clickhouse-server ] || exec "$@"

password=${CLICKHOUSE_PASSWORD//]]>/]]]]><![CDATA[>}
cat > /etc/clickhouse-server/users.d/default-user.xml << XML
<clickhouse>
  <users>
    <default remove="remove">
    </default>

    <$CLICKHOUSE_USER>
      <profile>default</profile>
      <networks>
        <ip>::/0</ip>
      </networks>
      <password><![CDATA[$password]]></password>
      <quota>default</quota>
      <access_management>${CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT:-0}</access_management>
    </$CLICKHOUSE_USER>
  </users>
</clickhouse>
XML

if [ -n "${CLICKHOUSE_DB:-}" ] && [ ! -d /var/lib/clickhouse/data ]; then
  LISTEN_HOST=127.0.0.1 clickhouse-server &
  server=$!
  until wget --quiet --spider --tries=1 --timeout=1 http://127.0.0.1:8123/ping; do kill -0 "$server"; sleep 0.1; done
  clickhouse-client --host 127.0.0.1 --query "CREATE DATABASE IF NOT EXISTS \`$CLICKHOUSE_DB\`"
  kill "$server"
  wait "$server"
fi
exec clickhouse-server

#!/bin/bash
# As the official image documents it: an empty data folder is initialised by a server without network.
set -euo pipefail
[[ $1 != -* ]] || set -- mysqld "$@"
[ "$1" = mysqld ] || exec "$@"

as_root() { mysql --no-defaults --protocol=socket --user=root "$@"; }
quoted() { local escaped=${1//\\/\\\\}; printf "'%s'" "${escaped//\'/\'\'}"; }
if [ ! -d /var/lib/mysql/mysql ]; then
  : "${MYSQL_ROOT_PASSWORD:?must be set, because the data folder is empty}"
  mariadb-install-db --datadir=/var/lib/mysql --auth-root-authentication-method=normal --skip-test-db > /dev/null
  "$@" --skip-networking &
  server=$!
  until as_root --execute='SELECT 1' &> /dev/null; do kill -0 "$server"; sleep 0.1; done
  root_host=${MYSQL_ROOT_HOST:-%}
  as_root << SQL
DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');
FLUSH PRIVILEGES;
$([ "$root_host" = localhost ] || echo "CREATE USER 'root'@$(quoted "$root_host") IDENTIFIED BY $(quoted "$MYSQL_ROOT_PASSWORD");
GRANT ALL ON *.* TO 'root'@$(quoted "$root_host") WITH GRANT OPTION;")
$([ -z "${MYSQL_DATABASE:-}" ] || echo "CREATE DATABASE \`$MYSQL_DATABASE\`;")
$([ -z "${MYSQL_USER:-}" ] || echo "CREATE USER $(quoted "$MYSQL_USER")@'%' IDENTIFIED BY $(quoted "$MYSQL_PASSWORD");")
$([ -z "${MYSQL_USER:-}" ] || [ -z "${MYSQL_DATABASE:-}" ] ||
  echo "GRANT ALL ON \`${MYSQL_DATABASE//_/\\_}\`.* TO $(quoted "$MYSQL_USER")@'%';")
ALTER USER 'root'@'localhost' IDENTIFIED BY $(quoted "$MYSQL_ROOT_PASSWORD");
SQL
  MYSQL_PWD=$MYSQL_ROOT_PASSWORD mysqladmin --protocol=socket --user=root shutdown
  wait "$server"
fi
exec "$@"

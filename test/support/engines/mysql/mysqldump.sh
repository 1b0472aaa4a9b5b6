#!/bin/bash
# MariaDB's program does not know this option of MySQL's; GTIDs are not in its dumps unless it is asked to write them.
arguments=()
for argument; do [ "$argument" = --set-gtid-purged=OFF ] || arguments+=("$argument"); done
exec mariadb-dump "${arguments[@]}"

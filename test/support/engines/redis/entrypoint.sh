#!/bin/bash
# As the official image documents it: options and configuration files are arguments of the server.
set -e
[[ $1 != -* && $1 != *.conf ]] || set -- redis-server "$@"
umask 0077
# The official image is built without the protected mode.
[[ $1 != redis-server ]] || set -- "$@" --protected-mode no
exec "$@"

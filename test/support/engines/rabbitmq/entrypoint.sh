#!/bin/bash
# The server itself reads RABBITMQ_DEFAULT_USER, RABBITMQ_DEFAULT_PASS and RABBITMQ_DEFAULT_VHOST.
set -euo pipefail
exec "$@"

#!/bin/bash
# The arguments of the official entry point. Settings and flows are those of /data.
set -euo pipefail
exec node /usr/src/node-red/node_modules/node-red/red.js --userDir /data "$FLOWS" "$@"

#!/bin/bash
# As the official image starts it.
set -euo pipefail
exec node /opt/verdaccio/node_modules/verdaccio/bin/verdaccio --config /verdaccio/conf/config.yaml \
  --listen "$VERDACCIO_PROTOCOL://0.0.0.0:$VERDACCIO_PORT"

#!/bin/bash
# As the official image starts it.
set -euo pipefail
node node_modules/directus/cli.js bootstrap
exec node node_modules/directus/cli.js start

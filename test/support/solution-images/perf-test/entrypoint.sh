#!/bin/bash
set -euo pipefail
exec node /perf_test/perf-test.mjs "$@"

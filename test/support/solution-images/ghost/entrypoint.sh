#!/bin/bash
# As the official image does: an empty volume gets the content that Ghost comes with, and everything runs as node.
set -euo pipefail
if [ "$(id -u)" = 0 ]; then
  find "$GHOST_CONTENT" \! -user node -exec chown node '{}' +
  exec gosu node "$0" "$@"
fi
for source in current/content/*; do
  [ -e "$GHOST_CONTENT/${source##*/}" ] || cp -r "$source" "$GHOST_CONTENT/"
done
exec "$@"

#!/bin/bash
# As the official image documents it: WordPress is copied into an empty volume, and owned by www-data.
set -euo pipefail
if [ "$1" = apache2 ] && ! grep -qs WORDPRESS_ wp-config.php; then
  # Some links of Debian's package lead to packages that nothing here needs.
  cp -rL /usr/share/wordpress/. . 2> /dev/null || true
  cp --remove-destination /etc/apache2/wp-config.php wp-config.php
  chown -R www-data:www-data .
fi
exec "$@"

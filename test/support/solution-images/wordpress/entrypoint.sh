#!/bin/bash
# As the official image documents it: WordPress is copied into an empty volume, and owned by www-data.
set -euo pipefail
if [ "$1" = apache2 ] && [ ! -e index.php ]; then
  cp -rL /usr/share/wordpress/. /var/www/html/
  cp /etc/apache2/wp-config.php /var/www/html/wp-config.php
  chown -R www-data:www-data /var/www/html
fi
exec "$@"

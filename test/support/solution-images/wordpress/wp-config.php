<?php
// The variables that the official image documents.
function of($name, $default) { $value = getenv("WORDPRESS_$name"); return $value === false ? $default : $value; }
define('DB_NAME', of('DB_NAME', 'wordpress'));
define('DB_USER', of('DB_USER', 'wordpress'));
define('DB_PASSWORD', of('DB_PASSWORD', ''));
define('DB_HOST', of('DB_HOST', 'mysql'));
define('DB_CHARSET', of('DB_CHARSET', 'utf8mb4'));
define('DB_COLLATE', of('DB_COLLATE', ''));
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $key)
  define($key, of($key, hash('sha256', $key . DB_PASSWORD)));
$table_prefix = of('TABLE_PREFIX', 'wp_');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
if (($_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '') === 'https') $_SERVER['HTTPS'] = 'on';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';

import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramImage } from '../program-image.ts'

/** The packages' scripts, which do not run, would enable these, in this order. */
const EXTENSIONS = ['mysqlnd', 'ctype', 'exif', 'fileinfo', 'iconv', 'mysqli', 'tokenizer', 'xml', 'dom', 'simplexml']

export const wordpress: ProgramImage = {
  name: 'wordpress',
  reference: 'wordpress:6.7.1-apache',
  about: 'WordPress 6.1, PHP 8.2 and Apache of Debian. Cannot show what WordPress 6.7 does differently.',
  packages: [
    'wordpress',
    'wordpress-theme-twentytwentythree',
    'apache2-bin',
    'libapache2-mod-php8.2',
    'php8.2-mysql',
    'php8.2-xml',
    'php8.2-cli',
  ],
  user: { name: 'www-data', id: 33 },
  startsAsRoot: true,
  folders: [],
  volume: '/var/www/html',
  environment: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/bin', PHP_INI_SCAN_DIR: '/etc/php-extensions' },
  command: ['apache2', '-D', 'FOREGROUND', '-f', '/etc/apache2/httpd.conf'],
  workingFolder: '/var/www/html',
  async fill(folder) {
    // As in the official image: its entry point is root, who may write only where everybody may.
    const site = join(folder, 'var/www/html')
    await mkdir(site, { recursive: true })
    await chmod(site, 0o1777)
    for (const path of ['etc/apache2', 'etc/php-extensions', 'usr/src'])
      await mkdir(join(folder, path), { recursive: true })
    for (const file of ['httpd.conf', 'wp-config.php'])
      await copyFile(join(import.meta.dirname, file), join(folder, 'etc/apache2', file))
    // PHP of Debian has no time zone of its own, and the packages are unpacked without theirs.
    await mkdir(join(folder, 'usr/share/zoneinfo/Etc'), { recursive: true })
    await copyFile('/usr/share/zoneinfo/Etc/UTC', join(folder, 'usr/share/zoneinfo/Etc/UTC'))
    const lines = EXTENSIONS.map((name) => `extension=${name}`)
    await writeFile(join(folder, 'etc/php-extensions/all.ini'), `${lines.join('\n')}\n`)
  },
}

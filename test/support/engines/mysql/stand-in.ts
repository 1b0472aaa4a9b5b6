import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StandIn } from '../stand-in.ts'

const HOME = '/var/lib/mysql'

export const mysql: StandIn = {
  engine: 'MYSQL',
  about:
    'MariaDB 10.11 of Debian for every version of MySQL. Cannot show what differs in MySQL: its data dictionary, ' +
    'GTIDs (mysqldump ignores --set-gtid-purged), caching_sha2_password, and its upgrades.',
  packages: ['mariadb-server-core', 'mariadb-client'],
  user: { name: 'mysql', id: 999, home: HOME },
  folders: ['/var/run/mysqld', '/docker-entrypoint-initdb.d'],
  environment: () => ({ PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/bin' }),
  volume: () => HOME,
  command: ['mysqld'],
  fill: async (folder) => {
    // Without the settings of Debian, such as that it listens on 127.0.0.1 only.
    await mkdir(join(folder, 'etc/mysql'), { recursive: true })
    await writeFile(join(folder, 'etc/mysql/my.cnf'), '[mysqld]\npid-file=/var/run/mysqld/mysqld.pid\n')
    await copyFile(join(import.meta.dirname, 'mysqldump.sh'), join(folder, 'usr/local/bin/mysqldump'))
    await chmod(join(folder, 'usr/local/bin/mysqldump'), 0o755)
  },
}

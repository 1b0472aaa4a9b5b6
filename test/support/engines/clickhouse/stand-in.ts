import { join } from 'node:path'
import { addNodePrograms } from '../node-programs.ts'
import type { StandIn } from '../stand-in.ts'

const HOME = '/var/lib/clickhouse'

export const clickhouse: StandIn = {
  engine: 'CLICKHOUSE',
  about:
    'The engine of ClickHouse 26.7 (chDB) behind a front of ours, for every version. It reads the configuration, and ' +
    'takes and restores backups, itself. Cannot show: the native protocol (port 9000 speaks HTTP to the client ' +
    'here), access management, limits of connections, and upgrades.',
  packages: ['libstdc++6', 'wget'],
  user: { name: 'clickhouse', id: 101, home: HOME },
  folders: ['config.d', 'users.d', ''].map((name) => `/etc/clickhouse-server/${name}`),
  environment: () => ({ PATH: '/usr/local/bin:/usr/bin:/bin' }),
  volume: () => HOME,
  command: ['clickhouse-server'],
  filledBy: ['node-programs.ts'],
  fill: (folder) =>
    addNodePrograms(folder, {
      packages: ['chdb@3.4.0'],
      programs: {
        'usr/local/bin/clickhouse-server': join(import.meta.dirname, 'server.mjs'),
        'usr/local/bin/clickhouse-client': join(import.meta.dirname, 'client.mjs'),
      },
    }),
}

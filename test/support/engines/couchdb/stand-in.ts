import { join } from 'node:path'
import { addNodePrograms } from '../node-programs.ts'
import type { StandIn } from '../stand-in.ts'

const HOME = '/opt/couchdb'

export const couchdb: StandIn = {
  engine: 'COUCHDB',
  about:
    'PouchDB Server 4.2 for every version, behind a front of ours that has its users, configuration and health. ' +
    'Cannot show: files that only grow (it keeps its data in LevelDB, so a backup of it is whole only between ' +
    'writes), shards, limits, and upgrades.',
  // curl is the client of the tests. The official image has none.
  packages: ['libstdc++6', 'curl'],
  user: { name: 'couchdb', id: 5984, home: HOME },
  folders: ['data', 'etc', 'etc/local.d', 'bin'].map((name) => `${HOME}/${name}`),
  environment: () => ({ PATH: '/usr/local/bin:/usr/bin:/bin' }),
  volume: () => `${HOME}/data`,
  command: ['/opt/couchdb/bin/couchdb'],
  workingFolder: '/tmp',
  filledBy: ['node-programs.ts'],
  fill: (folder) =>
    addNodePrograms(folder, {
      packages: ['pouchdb-server@4.2.0'],
      programs: { 'opt/couchdb/bin/couchdb': join(import.meta.dirname, 'server.mjs') },
    }),
}

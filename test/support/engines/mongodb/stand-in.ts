import { join } from 'node:path'
import { addNodePrograms } from '../node-programs.ts'
import type { StandIn } from '../stand-in.ts'

const HOME = '/data/db'
const here = (name: string) => join(import.meta.dirname, name)

export const mongodb: StandIn = {
  engine: 'MONGODB',
  about:
    'A small server of ours for every version: the wire protocol, SCRAM-SHA-256, documents in SQLite, queries by ' +
    'mingo. The shell is mongosh itself; mongodump and mongorestore are ours, in the format of archives. Cannot show: ' +
    'the storage engine, its settings, indexes, transactions, replica sets, dumps beside writes, and upgrades.',
  packages: ['libstdc++6'],
  user: { name: 'mongodb', id: 999, home: HOME },
  folders: ['/data/configdb'],
  environment: () => ({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME }),
  volume: () => HOME,
  command: ['mongod'],
  filledBy: ['node-programs.ts'],
  fill: (folder) =>
    addNodePrograms(folder, {
      packages: ['mongosh@2.12.0', 'mongodb@7.9.0', 'bson@7.3.4', 'mingo@7.2.7'],
      modules: ['store.mjs', 'users.mjs', 'commands.mjs', 'wire.mjs', 'archive.mjs'].map(here),
      programs: {
        'usr/local/bin/mongod': here('mongod.mjs'),
        'usr/local/bin/mongosh': here('mongosh.mjs'),
        'usr/local/bin/mongodump': here('mongodump.mjs'),
        'usr/local/bin/mongorestore': here('mongorestore.mjs'),
      },
    }),
}

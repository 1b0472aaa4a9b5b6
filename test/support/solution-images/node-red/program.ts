import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramImage } from '../program-image.ts'

const HOME = '/usr/src/node-red'

export const nodeRed: ProgramImage = {
  name: 'node-red',
  reference: 'nodered/node-red:4.0.5',
  about: 'Node-RED 4.0.5 of npm on Debian. Cannot show the nodes that the official image adds.',
  packages: ['libstdc++6'],
  npm: ['node-red@4.0.5'],
  npmFolder: HOME,
  user: { name: 'node-red', id: 1000 },
  startsAsRoot: false,
  folders: ['/data'],
  volume: '/data',
  environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME, FLOWS: 'flows.json' },
  command: [],
  workingFolder: HOME,
  fill: (folder) => symlink('/data', join(folder, HOME, '.node-red')),
}

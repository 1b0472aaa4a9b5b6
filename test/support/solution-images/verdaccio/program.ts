import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramImage } from '../program-image.ts'

const HOME = '/opt/verdaccio'

export const verdaccio: ProgramImage = {
  name: 'verdaccio',
  reference: 'verdaccio/verdaccio:6.0.5',
  about: 'Verdaccio 6.0.5 of npm on Debian, with the configuration that the official image documents.',
  packages: ['libstdc++6'],
  npm: ['verdaccio@6.0.5'],
  npmFolder: HOME,
  overrides: { 'node-fetch': '2.7.0' },
  user: { name: 'verdaccio', id: 10_001 },
  startsAsRoot: false,
  folders: ['/verdaccio', '/verdaccio/conf', '/verdaccio/plugins'],
  volume: '/verdaccio/storage',
  environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME, VERDACCIO_PORT: '4873', VERDACCIO_PROTOCOL: 'http' },
  command: [],
  workingFolder: HOME,
  async fill(folder) {
    await mkdir(join(folder, 'verdaccio/conf'), { recursive: true })
    await copyFile(join(import.meta.dirname, 'config.yaml'), join(folder, 'verdaccio/conf/config.yaml'))
  },
}

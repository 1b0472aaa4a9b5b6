import type { ProgramImage } from '../program-image.ts'

const HOME = '/directus'

export const directus: ProgramImage = {
  name: 'directus',
  reference: 'directus/directus:11.1.0',
  about: 'Directus 11.1.0 of npm on Debian, without the process manager of the official image.',
  packages: ['libstdc++6'],
  npm: ['directus@11.1.0'],
  npmFolder: HOME,
  compiled: ['isolated-vm'],
  user: { name: 'node', id: 1000 },
  startsAsRoot: false,
  folders: [`${HOME}/database`, `${HOME}/extensions`],
  volume: `${HOME}/uploads`,
  environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME, NODE_ENV: 'production', TELEMETRY: 'false' },
  command: [],
  workingFolder: HOME,
}

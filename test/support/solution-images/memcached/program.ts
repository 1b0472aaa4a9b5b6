import type { ProgramImage } from '../program-image.ts'

export const memcached: ProgramImage = {
  name: 'memcached',
  reference: 'memcached:1.6',
  about: 'memcached 1.6 of Debian.',
  packages: ['memcached'],
  user: { name: 'memcache', id: 11_211 },
  startsAsRoot: false,
  folders: [],
  volume: null,
  environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  command: ['memcached'],
  workingFolder: '/',
}

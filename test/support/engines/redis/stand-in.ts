import type { StandIn } from '../stand-in.ts'

export const redis: StandIn = {
  engine: 'REDIS',
  about: 'Redis 7.0 of Debian for every version. Cannot show what 7.2 and newer do differently, nor modules.',
  packages: ['redis-server'],
  user: { name: 'redis', id: 999, home: '/data' },
  folders: ['/usr/local/etc/redis'],
  environment: () => ({ PATH: '/usr/local/bin:/usr/bin:/bin' }),
  volume: () => '/data',
  command: ['redis-server'],
  workingFolder: '/data',
}

import type { StandIn } from '../stand-in.ts'

const HOME = '/var/lib/postgresql'

export const postgresql: StandIn = {
  engine: 'POSTGRESQL',
  about: 'PostgreSQL 15 of Debian for every version. Cannot show what 16 and newer do differently.',
  packages: ['postgresql-15'],
  user: { name: 'postgres', id: 999, home: HOME },
  folders: ['/var/run/postgresql', '/docker-entrypoint-initdb.d'],
  environment: ({ version }) => ({
    PATH: '/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    PG_MAJOR: version,
    PGDATA: version === '18' ? `${HOME}/18/docker` : `${HOME}/data`,
  }),
  volume: ({ version }) => (version === '18' ? HOME : `${HOME}/data`),
  command: ['postgres'],
}

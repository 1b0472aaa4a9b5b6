import { defineSolution } from '../solution.ts'

/** Variables: docs.mattermost.com, "Environment configuration settings". */
export const mattermost = defineSolution({
  slug: 'mattermost',
  name: 'Mattermost',
  description: 'Chat of teams, with channels and threads.',
  category: 'COLLABORATION',
  revision: 1,
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    {
      key: 'app',
      name: 'Mattermost',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'mattermost/mattermost-team-edition:10.3.1',
      port: 8065,
      zClouds: 2,
      healthCheckPath: '/api/v4/system/ping',
      volume: { path: '/mattermost/data', disk: 5120 },
      dependsOn: ['db'],
      variables: {
        MM_SQLSETTINGS_DRIVERNAME: 'postgres',
        MM_SQLSETTINGS_DATASOURCE:
          'postgres://{{db.user}}:{{db.password}}@{{db.host}}:{{db.port}}/{{db.database}}?sslmode=disable',
        MM_SERVICESETTINGS_SITEURL: '{{app.externalUrl}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/api/v4/system/ping', status: 200, contains: 'OK' },
  postInstallNote: 'Open {{app.externalUrl}}: the first account that is created is the administrator.',
})

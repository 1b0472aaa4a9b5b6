import { defineSolution } from '../solution.ts'

/** Variables: umami.is/docs/environment-variables. */
export const umami = defineSolution({
  slug: 'umami',
  name: 'Umami',
  description: 'Web analytics without cookies.',
  category: 'ANALYTICS',
  revision: 1,
  inputs: [{ name: 'appSecret', label: 'Key that signs sessions', type: 'STRING', secret: true, generated: 48 }],
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    {
      key: 'app',
      name: 'Umami',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'ghcr.io/umami-software/umami:postgresql-v2.15.1',
      port: 3000,
      healthCheckPath: '/api/heartbeat',
      dependsOn: ['db'],
      variables: {
        DATABASE_URL: '{{db.internalUrl}}',
        DATABASE_TYPE: 'postgresql',
        APP_SECRET: '{{inputs.appSecret}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/api/heartbeat', status: 200 },
  postInstallNote: 'Log in at {{app.externalUrl}} as admin with the password umami, and change it at once.',
})

import { defineSolution } from '../solution.ts'

/** Variables: metabase.com/docs, "Environment variables". */
export const metabase = defineSolution({
  slug: 'metabase',
  name: 'Metabase',
  description: 'Questions and dashboards about the data of a company.',
  category: 'ANALYTICS',
  revision: 1,
  inputs: [
    { name: 'encryptionKey', label: 'Key that encrypts connections', type: 'STRING', secret: true, generated: 48 },
  ],
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    {
      key: 'app',
      name: 'Metabase',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'metabase/metabase:v0.52.4',
      port: 3000,
      healthCheckPath: '/api/health',
      zClouds: 2,
      dependsOn: ['db'],
      variables: {
        MB_DB_TYPE: 'postgres',
        MB_DB_HOST: '{{db.host}}',
        MB_DB_PORT: '{{db.port}}',
        MB_DB_DBNAME: '{{db.database}}',
        MB_DB_USER: '{{db.user}}',
        MB_DB_PASS: '{{db.password}}',
        MB_SITE_URL: '{{app.externalUrl}}',
        MB_ENCRYPTION_SECRET_KEY: '{{inputs.encryptionKey}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/api/health', status: 200, contains: 'ok' },
  postInstallNote: 'Open {{app.externalUrl}} and create the first administrator: until then, anybody can.',
})

import { defineSolution } from '../solution.ts'

/** Variables: docs.directus.io, "Configuration Options". */
export const directus = defineSolution({
  slug: 'directus',
  name: 'Directus',
  description: 'Headless content management: a database with an API and an admin app.',
  category: 'CONTENT',
  revision: 1,
  inputs: [
    { name: 'adminEmail', label: 'Email address of the first administrator', type: 'EMAIL', required: true },
    {
      name: 'adminPassword',
      label: 'Password of the first administrator',
      ...{ type: 'STRING', required: true, secret: true, pattern: '.{12,128}' },
      patternRule: 'must be 12 to 128 characters long',
    },
    { name: 'secret', label: 'Key that signs access tokens', type: 'STRING', secret: true, generated: 48 },
  ],
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    { key: 'cache', name: 'Cache', dockerPreset: 'REDIS', dockerPresetVersion: 'REDIS_7' },
    {
      ...{ key: 'app', name: 'Directus', isMain: true, dockerPreset: 'CUSTOM', image: 'directus/directus:11.1.0' },
      ...{ port: 8055, healthCheckPath: '/server/ping', dependsOn: ['db', 'cache'] },
      volume: { path: '/directus/uploads', disk: 5120 },
      variables: {
        SECRET: '{{inputs.secret}}',
        ADMIN_EMAIL: '{{inputs.adminEmail}}',
        ADMIN_PASSWORD: '{{inputs.adminPassword}}',
        PUBLIC_URL: '{{app.externalUrl}}',
        DB_CLIENT: 'pg',
        DB_HOST: '{{db.host}}',
        DB_PORT: '{{db.port}}',
        DB_DATABASE: '{{db.database}}',
        DB_USER: '{{db.user}}',
        DB_PASSWORD: '{{db.password}}',
        CACHE_ENABLED: 'true',
        CACHE_STORE: 'redis',
        REDIS: '{{cache.internalUrl}}',
        IP_TRUST_PROXY: 'true',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/server/ping', status: 200, contains: 'pong' },
  postInstallNote: 'Log in at {{app.externalUrl}}/admin as {{inputs.adminEmail}}.',
})

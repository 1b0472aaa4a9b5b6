import { defineSolution } from '../solution.ts'

/** Variables: docs.requarks.io/install/docker. */
export const wikiJs = defineSolution({
  slug: 'wiki-js',
  name: 'Wiki.js',
  description: 'Wiki with editors, search and access rules.',
  category: 'COLLABORATION',
  revision: 1,
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    {
      key: 'app',
      name: 'Wiki.js',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'requarks/wiki:2.5.306',
      port: 3000,
      healthCheckPath: '/healthz',
      dependsOn: ['db'],
      variables: {
        DB_TYPE: 'postgres',
        DB_HOST: '{{db.host}}',
        DB_PORT: '{{db.port}}',
        DB_USER: '{{db.user}}',
        DB_PASS: '{{db.password}}',
        DB_NAME: '{{db.database}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/healthz', status: 200 },
  postInstallNote: 'Open {{app.externalUrl}} and create the administrator: until then, anybody can.',
})

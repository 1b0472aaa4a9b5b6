import { defineSolution } from '../solution.ts'

/** Variables: ghost.org/docs/config; the image turns `__` into nesting. */
export const ghost = defineSolution({
  slug: 'ghost',
  name: 'Ghost',
  description: 'Publishing platform for blogs and newsletters.',
  category: 'CONTENT',
  revision: 1,
  components: [
    // Ghost supports MySQL 8 alone.
    { key: 'db', name: 'Database', dockerPreset: 'MYSQL', dockerPresetVersion: 'MYSQL_8_4' },
    {
      key: 'app',
      name: 'Ghost',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'ghost:5.87.1',
      port: 2368,
      volume: { path: '/var/lib/ghost/content', disk: 5120 },
      // It accepts connections before its database is ready, and says 503 until then.
      healthCheckPath: '/ghost/api/admin/site/',
      dependsOn: ['db'],
      variables: {
        NODE_ENV: 'production',
        url: '{{app.externalUrl}}',
        database__client: 'mysql',
        database__connection__host: '{{db.host}}',
        database__connection__port: '{{db.port}}',
        database__connection__user: '{{db.user}}',
        database__connection__password: '{{db.password}}',
        database__connection__database: '{{db.database}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/', status: 200, contains: 'ghost' },
  postInstallNote: 'Open {{app.externalUrl}}/ghost and create the owner of the site: until then, anybody can.',
})

import { defineSolution } from '../solution.ts'

/** Variables: hub.docker.com/_/matomo. */
export const matomo = defineSolution({
  slug: 'matomo',
  name: 'Matomo',
  description: 'Web analytics whose data stay with you.',
  category: 'ANALYTICS',
  revision: 1,
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'MYSQL', dockerPresetVersion: 'MYSQL_8_4' },
    {
      key: 'app',
      name: 'Matomo',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'matomo:5.2.1-apache',
      port: 80,
      volume: { path: '/var/www/html', disk: 5120 },
      dependsOn: ['db'],
      variables: {
        MATOMO_DATABASE_ADAPTER: 'mysql',
        MATOMO_DATABASE_HOST: '{{db.host}}',
        MATOMO_DATABASE_USERNAME: '{{db.user}}',
        MATOMO_DATABASE_PASSWORD: '{{db.password}}',
        MATOMO_DATABASE_DBNAME: '{{db.database}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/', status: 200, contains: 'Matomo' },
  postInstallNote: 'Open {{app.externalUrl}} and finish the installation: until then, anybody can.',
})

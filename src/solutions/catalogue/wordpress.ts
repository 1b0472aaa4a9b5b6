import { defineSolution } from '../solution.ts'

const key = (name: string, label: string) => ({
  name,
  label: `Random key: ${label}`,
  type: 'STRING' as const,
  secret: true,
  generated: 64,
})

/** Variables: hub.docker.com/_/wordpress. */
export const wordpress = defineSolution({
  slug: 'wordpress',
  name: 'WordPress',
  description: 'Sites and blogs with themes and plugins.',
  category: 'CONTENT',
  revision: 1,
  inputs: [key('authKey', 'AUTH_KEY'), key('secureAuthKey', 'SECURE_AUTH_KEY'), key('loggedInKey', 'LOGGED_IN_KEY')],
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'MYSQL', dockerPresetVersion: 'MYSQL_8_4' },
    {
      key: 'app',
      name: 'WordPress',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'wordpress:6.7.1-apache',
      port: 80,
      dependsOn: ['db'],
      volume: { path: '/var/www/html', disk: 5120 },
      variables: {
        WORDPRESS_DB_HOST: '{{db.host}}:{{db.port}}',
        WORDPRESS_DB_NAME: '{{db.database}}',
        WORDPRESS_DB_USER: '{{db.user}}',
        WORDPRESS_DB_PASSWORD: '{{db.password}}',
        WORDPRESS_AUTH_KEY: '{{inputs.authKey}}',
        WORDPRESS_SECURE_AUTH_KEY: '{{inputs.secureAuthKey}}',
        WORDPRESS_LOGGED_IN_KEY: '{{inputs.loggedInKey}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/wp-admin/install.php', status: 200, contains: 'WordPress' },
  postInstallNote: 'Open {{app.externalUrl}} and finish the installation: until then, anybody can.',
})

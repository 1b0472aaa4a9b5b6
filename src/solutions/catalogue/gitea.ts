import { defineSolution } from '../solution.ts'

/** Variables: docs.gitea.com, "Managing deployments with environment variables". */
export const gitea = defineSolution({
  slug: 'gitea',
  name: 'Gitea',
  description: 'Git hosting with issues, reviews and packages.',
  category: 'DEVELOPMENT',
  revision: 1,
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    {
      key: 'app',
      name: 'Gitea',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'gitea/gitea:1.22.6',
      port: 3000,
      volume: { path: '/data', disk: 10_240 },
      dependsOn: ['db'],
      variables: {
        GITEA__database__DB_TYPE: 'postgres',
        GITEA__database__HOST: '{{db.host}}:{{db.port}}',
        GITEA__database__NAME: '{{db.database}}',
        GITEA__database__USER: '{{db.user}}',
        GITEA__database__PASSWD: '{{db.password}}',
        GITEA__server__ROOT_URL: '{{app.externalUrl}}/',
        GITEA__server__DISABLE_SSH: 'true',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/', status: 200, contains: 'Gitea' },
  postInstallNote:
    'Open {{app.externalUrl}}, finish the installation and create the administrator: until then, anybody can.',
})

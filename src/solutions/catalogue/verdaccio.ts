import { defineSolution } from '../solution.ts'

/** Variables: verdaccio.org/docs/env. */
export const verdaccio = defineSolution({
  slug: 'verdaccio',
  name: 'Verdaccio',
  description: 'Private npm registry, which also caches the public one.',
  category: 'DEVELOPMENT',
  revision: 1,
  components: [
    {
      key: 'app',
      name: 'Registry',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'verdaccio/verdaccio:6.0.5',
      port: 4873,
      healthCheckPath: '/-/ping',
      volume: { path: '/verdaccio/storage', disk: 10_240 },
      variables: { VERDACCIO_PORT: '4873', VERDACCIO_PUBLIC_URL: '{{app.externalUrl}}' },
    },
  ],
  smokeTest: { component: 'app', path: '/-/ping', status: 200 },
  postInstallNote:
    'Use it with `npm config set registry {{app.externalUrl}}`. Anybody who knows the address can create a user until the configuration limits it.',
})

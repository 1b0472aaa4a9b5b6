import { defineSolution } from '../solution.ts'

/** The image needs no variables: github.com/louislam/uptime-kuma. */
export const uptimeKuma = defineSolution({
  slug: 'uptime-kuma',
  name: 'Uptime Kuma',
  description: 'Checks of sites and services, with status pages and notifications.',
  category: 'MONITORING',
  revision: 1,
  components: [
    {
      key: 'app',
      name: 'Uptime Kuma',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'louislam/uptime-kuma:1.23.16',
      port: 3001,
      volume: { path: '/app/data', disk: 2048 },
    },
  ],
  smokeTest: { component: 'app', path: '/', status: 302 },
  postInstallNote: 'Open {{app.externalUrl}} and create the administrator: until then, anybody can.',
})

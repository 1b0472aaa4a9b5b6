import { defineSolution } from '../solution.ts'

/** Variables: nodered.org/docs/getting-started/docker. */
export const nodeRed = defineSolution({
  slug: 'node-red',
  name: 'Node-RED',
  description: 'Low-code programming of flows between devices, APIs and services.',
  category: 'AUTOMATION',
  revision: 2,
  inputs: [{ name: 'timeZone', label: 'Time zone of flows, such as Europe/Vienna', type: 'STRING', default: 'UTC' }],
  components: [
    {
      key: 'app',
      name: 'Node-RED',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'nodered/node-red:4.0.5',
      port: 1880,
      healthCheckPath: '/',
      volume: { path: '/data', disk: 1024 },
      // The key of credentials is made at the first start, and kept in the volume.
      variables: { TZ: '{{inputs.timeZone}}' },
    },
  ],
  smokeTest: { component: 'app', path: '/', status: 200, contains: 'Node-RED' },
  postInstallNote:
    'The editor at {{app.externalUrl}} has no login: anybody who knows the address can change flows. Set adminAuth in /data/settings.js.',
})

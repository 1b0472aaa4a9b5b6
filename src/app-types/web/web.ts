import type { AppType } from '../app-type.ts'
import { urlsOver } from '../connection-urls.ts'
import { webPresets } from './web-presets.ts'

/** A long-running program behind hosts: a site, an API, a worker. */
export const web: AppType = {
  isAvailable: true,
  name: 'APP',
  title: 'App',
  about: 'A long-running program behind hosts.',
  wireName: 'app',
  aliases: ['App'],
  logType: 'WEB_APP',
  presets: webPresets,
  defaultPreset: 'CUSTOM',
  workload: {
    kind: 'CONTINUOUS',
    routing: 'HTTP',
    probing: (configured) => configured,
    scaling: { replicas: (containers) => containers, autoscales: true },
  },
  requiresPort: true,
  connectionUrls: urlsOver('http'),
  // Opt-in, so that a stray call cannot replace an app that is built from source.
  acceptsImage: ({ useImage }) => useImage,
  allowsVolume: true,
  config: null,
  checkPlan() {},
  checkRegion() {},
}

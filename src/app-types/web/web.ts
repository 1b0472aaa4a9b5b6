import type { AppType, Preset } from '../app-type.ts'
import { urlsOver } from '../connection-urls.ts'
import { go } from '../presets/go.ts'
import { meteorJs } from '../presets/meteor-js.ts'
import { express, nextJs, nodeJsInstallBuildStart, nodeJsInstallStart, remix } from '../presets/node-programs.ts'
import type { BuildPreset } from '../presets/preset.ts'
import { python } from '../presets/python.ts'
import { angular, staticFiles, vite, vueJs } from '../presets/static-site.ts'
import { oneOffRuns } from '../run-settings.ts'

const writes = (name: string, build: BuildPreset): Preset => ({ kind: 'BUILD', name, build })

/** §2.1's presets. */
const presets: [Preset, ...Preset[]] = [
  { kind: 'OWN_DOCKERFILE', name: 'CUSTOM', dockerfilePath: 'Dockerfile' },
  writes('NEXT_JS', nextJs),
  writes('REMIX', remix),
  writes('VITE', vite),
  writes('VUE_JS', vueJs),
  writes('EXPRESS', express),
  writes('NODE_JS_INSTALL_START', nodeJsInstallStart),
  writes('NODE_JS_INSTALL_BUILD_START', nodeJsInstallBuildStart),
  writes('ANGULAR', angular),
  writes('METEOR_JS', meteorJs),
  // Names that answers have shown (§2.2, §2.3), so clients send them.
  writes('NODE', nodeJsInstallStart),
  writes('METEOR', meteorJs),
  writes('PYTHON', python),
  writes('GO', go),
  writes('STATIC', staticFiles),
]

/** A long-running program behind hosts: a site, an API, a worker. */
export const web: AppType = {
  name: 'APP',
  title: 'App',
  about: 'A long-running program behind hosts.',
  wireName: 'app',
  aliases: ['App'],
  logType: 'WEB_APP',
  presets,
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
  runs: { settings: oneOffRuns, needsCommand: true },
  checkPlan() {},
  checkAccount() {},
  checkRegion() {},
}

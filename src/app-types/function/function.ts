import { forbidden } from '../../domain/errors.ts'
import type { AppType } from '../app-type.ts'
import { urlsOver } from '../connection-urls.ts'
import { oneOffRuns } from '../run-settings.ts'
import { functionConfig, scalingOf } from './function-config.ts'

/** A request-driven endpoint; it always runs images, so a stray source setting cannot block a deployment. */
export const functionApp: AppType = {
  name: 'FUNCTION',
  title: 'Function',
  about: 'A request-driven endpoint that can scale to zero.',
  wireName: 'function',
  aliases: ['Function'],
  logType: 'FUNCTION',
  presets: [{ kind: 'OWN_DOCKERFILE', name: 'FUNCTION', dockerfilePath: null }],
  defaultPreset: 'FUNCTION',
  workload: {
    kind: 'CONTINUOUS',
    routing: 'HTTP',
    probing: (configured) => configured,
    // A deployment proves its version with one container; requests decide from then on.
    scaling: { replicas: () => 1, autoscales: false, byRequests: scalingOf },
  },
  requiresPort: true,
  connectionUrls: urlsOver('http'),
  acceptsImage: () => true,
  allowsVolume: false,
  config: {
    field: 'functionConfig',
    schema: functionConfig,
    effective: (functionConfig) => ({ ...scalingOf({ functionConfig }) }),
    isChangedWithApp: false,
  },
  runs: { settings: oneOffRuns, needsCommand: true },
  refusesHealthCheck: {
    NONE: 'must be TCP, HTTP or COMMAND: a function runs by its requests; a program that serves none is an app of type NONE',
  },
  checkPlan({ name, functionsIncluded }) {
    if (!functionsIncluded) throw forbidden('FUNCTIONS_NOT_AVAILABLE', `The plan ${name} does not include Functions`)
  },
  checkAccount({ name, allowFunctions }) {
    if (!allowFunctions) throw forbidden('FUNCTIONS_NOT_AVAILABLE', `The account ${name} has no access to Functions`)
  },
  checkRegion({ name, functionsSupported }) {
    if (!functionsSupported) throw forbidden('FUNCTIONS_NOT_AVAILABLE', `The region ${name} does not support Functions`)
  },
}

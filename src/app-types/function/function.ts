import { z } from 'zod'
import type { TypeConfig } from '../../domain/configuration.ts'
import { forbidden } from '../../domain/errors.ts'
import type { RequestScaling } from '../../domain/request-scaling.ts'
import type { AppType } from '../app-type.ts'
import { urlsOver } from '../connection-urls.ts'
import { oneOffRuns } from '../run-settings.ts'

const whole = (fallback: number, min: number, max: number, about: string) =>
  z.number().int().min(min).max(max).default(fallback).describe(about)

const fields = z.strictObject({
  minScale: whole(0, 0, 20, 'Containers kept while idle; at most maxScale. 0: scale to zero.'),
  maxScale: whole(3, 1, 100, 'Maximum number of containers.'),
  concurrency: whole(50, 1, 10_000, 'Requests that one container handles at a time.'),
  idleSeconds: whole(300, 1, 86_400, 'Idle time after which the app scales to minScale, in seconds.'),
  timeoutSeconds: whole(60, 1, 3600, 'Time in which a container must begin its answer to a request, in seconds.'),
})

const functionConfig = fields
  .refine(({ minScale, maxScale }) => minScale <= maxScale, { path: ['minScale'], error: 'must be at most maxScale' })
  .describe('Scaling and timeout of a Function app.')

/** What a version was recorded with. One from before minScale was compared with maxScale keeps maxScale. */
function scalingOf(recorded: TypeConfig): RequestScaling {
  const scaling = fields.parse(recorded?.functionConfig ?? {})
  return { ...scaling, minScale: Math.min(scaling.minScale, scaling.maxScale) }
}

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

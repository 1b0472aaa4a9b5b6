import { z } from 'zod'
import { headers, portNumber } from '../../calls/input.ts'
import { type HealthCheckSettings, questionProblems } from '../../domain/health-check.ts'
import { healthCheckTypes, probeType } from './health-check-fields.ts'

const probePath = z
  .string()
  .max(1000)
  .regex(/^\/[\x21-\x7e]*$/, 'must begin with / and hold no spaces')

const command = z
  .array(
    z
      .string()
      .max(4096)
      .refine((word) => !word.includes('\0'), 'must not contain a NUL character'),
  )
  .min(1, 'must name a program')
  .max(100)

const COMMAND =
  'Program and arguments that are run in the container, without a shell; exit code 0 is healthy. Only with type COMMAND.'

const BOUNDS = {
  initialDelaySeconds: { fallback: 5, min: 0, max: 3600 },
  periodSeconds: { fallback: 10, min: 1, max: 3600 },
  timeoutSeconds: { fallback: 5, min: 1, max: 60 },
  failureThreshold: { fallback: 12, min: 1, max: 100 },
} as const

const timing = (name: keyof typeof BOUNDS) => z.number().int().min(BOUNDS[name].min).max(BOUNDS[name].max)
const timingOfProbe = (name: keyof typeof BOUNDS, about: string) =>
  timing(name).default(BOUNDS[name].fallback).describe(about)
const ownTiming = (name: keyof typeof BOUNDS, about: string) => timing(name).nullable().optional().describe(about)

function refuseContradictions(given: HealthCheckSettings, context: z.RefinementCtx): void {
  for (const { field, message } of questionProblems(given)) context.addIssue({ code: 'custom', path: [field], message })
}

export const probe = z
  .strictObject({
    type: probeType.type
      .optional()
      .describe('Type of the probe. Default: HTTP with a path, COMMAND with a command, else TCP.'),
    path: probePath.nullable().default(null).describe('Path that answers 2xx or 3xx. Null: a TCP connect is enough.'),
    port: portNumber('Port that the probe asks. Null: the port of the app.').nullable().default(null),
    headers: headers.default({}),
    command: command.nullable().optional().describe(COMMAND),
    initialDelaySeconds: timingOfProbe(
      'initialDelaySeconds',
      'Time from the start of a container to the first probe, in seconds.',
    ),
    periodSeconds: timingOfProbe('periodSeconds', 'Time between two probes, in seconds.'),
    timeoutSeconds: timingOfProbe('timeoutSeconds', 'Timeout of one probe, in seconds.'),
    failureThreshold: timingOfProbe('failureThreshold', 'Failures in a row that the probe tolerates.'),
  })
  .superRefine(refuseContradictions)
  .describe('Requests of one probe, and the failures that it tolerates.')

/** What a health check asks, and its timing, wherever it is set. */
const question = {
  type: healthCheckTypes.type
    .nullable()
    .optional()
    .describe(
      'How the readiness of a container is checked. NONE: nothing, for a worker that serves no requests. Default: HTTP with a path, COMMAND with a command, else TCP.',
    ),
  path: probePath
    .nullable()
    .optional()
    .describe('Path that answers 2xx or 3xx when a container is ready. With type HTTP.'),
  port: portNumber('Port of the health check. Null: the port of the app. With type TCP or HTTP.').nullable().optional(),
  headers: headers.nullable().optional(),
  command: command.nullable().optional().describe(COMMAND),
  initialDelaySeconds: ownTiming(
    'initialDelaySeconds',
    'Time from the start of a container to the first check, in seconds. With type NONE: how long it must run before it is ready; default BERTH_READY_AFTER_SECONDS.',
  ),
  periodSeconds: ownTiming('periodSeconds', 'Time between two checks of a ready container, in seconds.'),
  timeoutSeconds: ownTiming('timeoutSeconds', 'Timeout of one check, in seconds. Default: 5.'),
  failureThreshold: ownTiming(
    'failureThreshold',
    'Failures in a row after which a ready container counts as unready. Default: 3.',
  ),
}

const probes = {
  readiness: probe
    .nullable()
    .optional()
    .describe('Probe that decides whether a container may take traffic. Null: the health check decides.'),
  liveness: probe.nullable().optional().describe('Probe that decides whether a container is restarted. Null: none is.'),
  startup: probe.nullable().optional().describe('Probe that the other probes wait for. Null: they begin at once.'),
}

/** Checked with the older fields of the app, which it replaces. */
export const appHealthCheck = z
  .strictObject(question)
  .describe(
    'Health check of the app as a whole. It replaces healthCheckPath, healthCheckPort and healthCheckHeaders, which can be sent in its place. Null: a TCP connect.',
  )

/** Checked in the service, together with what is set already. */
export const appEnvHealthCheckFields = {
  ...question,
  path: question.path.describe('Path of the environment’s health check. Null: the path of the app.'),
  port: question.port.describe('Port of the environment’s health check. Null: the port of the app.'),
  ...probes,
}

export const appEnvHealthCheck = z
  .strictObject(appEnvHealthCheckFields)
  .describe('Health check and probes of the environment as a whole. What is left out comes from the app.')

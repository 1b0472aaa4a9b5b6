import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import {
  type AppEnvHealthCheck,
  appHealthCheckSettings,
  HEALTH_CHECK_TYPES,
  type HealthCheckSettings,
  type HealthCheckType,
  healthCheckType,
  type ProbeSettings,
} from '../../domain/health-check.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'

export const healthCheckTypes = enumeration(
  'HealthCheckType',
  'How the readiness of a container is checked.',
  HEALTH_CHECK_TYPES,
)

const { NONE: _none, ...ASKED } = HEALTH_CHECK_TYPES

export const probeType = enumeration('ProbeType', 'Type of a probe.', ASKED)

const probed = fieldsOf<ProbeSettings>()
const headers = z.record(z.string(), z.string())
const command = z.array(text)

const probe = resource({
  name: 'Probe',
  id: 'Probe',
  description: 'A probe of the containers of an environment.',
  fields: {
    type: probed.given('type', probeType.type.optional(), 'What the probe asks, where it was set.'),
    path: probed.column('path', text.nullable(), 'Path that answers 2xx or 3xx. Null: a TCP connect is enough.'),
    port: probed.column('port', whole.nullable(), 'Port that the probe asks. Null: the port of the app.'),
    headers: probed.column('headers', headers, 'Headers of the requests.'),
    command: probed.given('command', command.nullish(), 'Program and arguments that are run in the container.'),
    initialDelaySeconds: probed.column(
      'initialDelaySeconds',
      whole,
      'Time from the start of a container to the first probe, in seconds.',
    ),
    periodSeconds: probed.column('periodSeconds', whole, 'Time between two probes, in seconds.'),
    timeoutSeconds: probed.column('timeoutSeconds', whole, 'Timeout of one probe, in seconds.'),
    failureThreshold: probed.column('failureThreshold', whole, 'Failures in a row that the probe tolerates.'),
  },
})

const checked = fieldsOf<AppEnvHealthCheck>()
const ownProbe = probe.answer.type.optional()

const TIMING = {
  initialDelaySeconds:
    'Time from the start of a container to the first check, in seconds; with type NONE, how long it must run to be ready.',
  periodSeconds: 'Time between two checks of a ready container, in seconds.',
  timeoutSeconds: 'Timeout of one check, in seconds.',
  failureThreshold: 'Failures in a row after which a ready container counts as unready.',
}

/** The environment's own part of the health check; what it leaves out comes from the app. */
export const ownHealthCheck = resource({
  name: 'AppEnvHealthCheck',
  id: 'AppEnvHealthCheck',
  description: 'Health check and probes that an environment sets for itself.',
  fields: {
    type: checked.given('type', healthCheckTypes.type.nullish(), 'Type of the check, where the environment sets it.'),
    path: checked.given('path', text.nullish(), 'Path of the environment’s health check.'),
    port: checked.given('port', whole.nullish(), 'Port of the environment’s health check.'),
    headers: checked.given('headers', headers.nullish(), 'Headers of the health check request.'),
    command: checked.given('command', command.nullish(), 'Program and arguments that are run in the container.'),
    initialDelaySeconds: checked.given('initialDelaySeconds', whole.nullish(), TIMING.initialDelaySeconds),
    periodSeconds: checked.given('periodSeconds', whole.nullish(), TIMING.periodSeconds),
    timeoutSeconds: checked.given('timeoutSeconds', whole.nullish(), TIMING.timeoutSeconds),
    failureThreshold: checked.given('failureThreshold', whole.nullish(), TIMING.failureThreshold),
    readiness: checked.given('readiness', ownProbe, 'Probe that decides whether a container may take traffic.'),
    liveness: checked.given('liveness', ownProbe, 'Probe that decides whether a container is restarted.'),
    startup: checked.given('startup', ownProbe, 'Probe that the other probes wait for.'),
  },
})

type ShownHealthCheck = { [Name in keyof HealthCheckSettings]-?: NonNullable<HealthCheckSettings[Name]> | null } & {
  type: HealthCheckType
}

const shown = fieldsOf<ShownHealthCheck>()

const appHealthCheck = resource({
  name: 'HealthCheck',
  description:
    'How Berth finds out whether the containers of an app are ready. Null: nothing is set, and the default holds.',
  fields: {
    type: shown.column('type', healthCheckTypes.type, 'Type of the check.'),
    path: shown.column('path', text.nullable(), 'Path that answers 2xx or 3xx; with type HTTP.'),
    port: shown.column('port', whole.nullable(), 'Port of the health check; null for the port of the app.'),
    headers: shown.json('headers', headers.nullable(), 'Headers of the health check request.'),
    command: shown.column(
      'command',
      command.nullable(),
      'Program and arguments that are run in the container; with type COMMAND.',
    ),
    initialDelaySeconds: shown.column('initialDelaySeconds', whole.nullable(), TIMING.initialDelaySeconds),
    periodSeconds: shown.column('periodSeconds', whole.nullable(), TIMING.periodSeconds),
    timeoutSeconds: shown.column('timeoutSeconds', whole.nullable(), TIMING.timeoutSeconds),
    failureThreshold: shown.column('failureThreshold', whole.nullable(), TIMING.failureThreshold),
  },
})

function shownHealthCheck(settings: HealthCheckSettings): ShownHealthCheck {
  const type = healthCheckType(settings)
  const { path = null, port = null, headers = null, command = null } = settings
  const { initialDelaySeconds = null, periodSeconds = null, timeoutSeconds = null, failureThreshold = null } = settings
  return {
    type,
    path,
    port,
    headers,
    command,
    initialDelaySeconds,
    periodSeconds,
    timeoutSeconds,
    failureThreshold,
  }
}

export const healthCheckOfApp = fieldsOf<App>().from(
  { healthCheck: true, healthCheckPath: true, healthCheckPort: true, healthCheckHeaders: true },
  appHealthCheck.answer.type,
  'Health check of the app; environments can have their own.',
  (row: App, context) => appHealthCheck.answer.record(shownHealthCheck(appHealthCheckSettings(row)), context),
)

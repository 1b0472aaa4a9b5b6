import { z } from 'zod'
import type { AutoScaling } from '../domain/autoscaling.ts'
import type { AppEnvHealthCheck, ProbeSettings } from '../domain/health-check.ts'
import { fieldsOf, flag, text, whole } from './field.ts'
import { answer } from './resource.ts'

const scaled = fieldsOf<AutoScaling>()

/** How `autoScaling` was set. */
export const scaledByLoad = answer({
  enabled: scaled.column('enabled', flag, 'Whether the number of containers follows the load.'),
  min: scaled.column('min', whole, 'Minimum number of containers.'),
  max: scaled.column('max', whole, 'Maximum number of containers.'),
  cpuPercent: scaled.column('cpuPercent', whole, 'Target CPU use, in percent.'),
  memoryPercent: scaled.given('memoryPercent', whole.optional(), 'Target memory use, in percent.'),
  upWindowSeconds: scaled.column('upWindowSeconds', whole, 'Time above the target before containers are added.'),
  downWindowSeconds: scaled.column('downWindowSeconds', whole, 'Time below the target before containers are removed.'),
})

const probed = fieldsOf<ProbeSettings>()
const headers = z.record(z.string(), z.string())

const probe = answer({
  path: probed.column('path', text.nullable(), 'Path that answers 2xx or 3xx. Null: a TCP connect is enough.'),
  port: probed.column('port', whole.nullable(), 'Port that the probe asks. Null: the port of the app.'),
  headers: probed.column('headers', headers, 'Headers of the requests.'),
  initialDelaySeconds: probed.column(
    'initialDelaySeconds',
    whole,
    'Time from the start of a container to the first probe, in seconds.',
  ),
  periodSeconds: probed.column('periodSeconds', whole, 'Time between two probes, in seconds.'),
  timeoutSeconds: probed.column('timeoutSeconds', whole, 'Timeout of one probe, in seconds.'),
  failureThreshold: probed.column('failureThreshold', whole, 'Failures in a row that the probe tolerates.'),
})

const checked = fieldsOf<AppEnvHealthCheck>()
const ownProbe = probe.type.optional()

/** The environment's own part of the health check; what it leaves out comes from the app. */
export const ownHealthCheck = answer({
  path: checked.given('path', text.nullish(), 'Path of the environment’s health check.'),
  port: checked.given('port', whole.nullish(), 'Port of the environment’s health check.'),
  headers: checked.given('headers', headers.nullish(), 'Headers of the health check request.'),
  readiness: checked.given('readiness', ownProbe, 'Probe that decides whether a container may take traffic.'),
  liveness: checked.given('liveness', ownProbe, 'Probe that decides whether a container is restarted.'),
  startup: checked.given('startup', ownProbe, 'Probe that the other probes wait for.'),
})

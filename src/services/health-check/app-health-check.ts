import type { z } from 'zod'
import type { AppType } from '../../app-types/app-type.ts'
import { refusedHealthCheck } from '../../app-types/behaviours.ts'
import type { FieldProblem } from '../../domain/errors.ts'
import {
  appHealthCheckSettings,
  asksNetwork,
  type HealthCheckSettings,
  healthCheckType,
  PROBE_TIMING,
  questionProblems,
} from '../../domain/health-check.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import type { appHealthCheck } from './health-check-input.ts'

/** The seed's fields of an app, by what they are called in `healthCheck`. */
const OLDER = { path: 'healthCheckPath', port: 'healthCheckPort', headers: 'healthCheckHeaders' } as const

interface Sent {
  healthCheckPath?: string | undefined
  healthCheckPort?: number | undefined
  healthCheckHeaders?: Record<string, string> | undefined
  healthCheck?: z.output<typeof appHealthCheck> | null | undefined
}

/** The health check that an app would have, and what is wrong with it; `app` is null for one that is created. */
export function sentHealthCheck(
  type: AppType,
  sent: Sent,
  app: App | null,
): { check: HealthCheckSettings | null; problems: FieldProblem[] } {
  const older = olderFields(sent)
  const { healthCheck } = sent
  if (healthCheck === undefined) {
    if (Object.keys(older).length === 0) return { check: null, problems: [] }
    const before = app ? appHealthCheckSettings(app) : {}
    const check = { ...before, ...older }
    return { check, problems: questionProblems(check).map((one) => ({ ...one, field: nameOf(one.field, older) })) }
  }
  const whole = set(healthCheck ?? {})
  const check = { ...older, ...whole }
  return {
    check,
    problems: [
      ...refusals(type, healthCheck, check),
      ...differing(older, whole),
      ...questionProblems(check).map((one) => ({ ...one, field: nameOf(one.field, older) })),
    ],
  }
}

/** Columns of an app with this health check. */
export function healthCheckColumns({ path, port, headers, ...check }: HealthCheckSettings) {
  const timing = PROBE_TIMING.flatMap((name) => (check[name] == null ? [] : [[name, check[name]]]))
  // TCP and HTTP follow from the path, which older clients change without naming a type.
  const type = asksNetwork({ ...check, path }) ? {} : { type: healthCheckType({ ...check, path }) }
  const command = check.command ? { command: check.command } : {}
  const rest = { ...type, ...command, ...Object.fromEntries(timing) }
  return {
    healthCheckPath: path ?? null,
    healthCheckPort: port ?? null,
    healthCheckHeaders: jsonOrNull(headers),
    healthCheck: jsonOrNull(Object.keys(rest).length > 0 ? rest : null),
  }
}

const set = (check: object): HealthCheckSettings =>
  Object.fromEntries(Object.entries(check).filter(([, value]) => value !== null && value !== undefined))

/** Empty ones clear (§4.2). */
function olderFields({ healthCheckPath, healthCheckPort, healthCheckHeaders }: Sent): HealthCheckSettings {
  const isEmpty = healthCheckHeaders !== undefined && Object.keys(healthCheckHeaders).length === 0
  return {
    ...(healthCheckPath === undefined ? {} : { path: healthCheckPath || null }),
    ...(healthCheckPort === undefined ? {} : { port: healthCheckPort }),
    ...(healthCheckHeaders === undefined ? {} : { headers: isEmpty ? null : healthCheckHeaders }),
  }
}

function refusals(type: AppType, sent: object | null, check: HealthCheckSettings): FieldProblem[] {
  const message = sent && refusedHealthCheck(type, healthCheckType(check))
  return message ? [{ field: 'type' in sent ? 'healthCheck.type' : 'healthCheck', message }] : []
}

const differing = (older: HealthCheckSettings, whole: HealthCheckSettings): FieldProblem[] =>
  Object.entries(OLDER).flatMap(([field, name]) =>
    field in whole && field in older
      ? [{ field: name, message: `is healthCheck.${field}, which was sent too: send one of them` }]
      : [],
  )

/** As it was sent. */
const nameOf = (field: string, older: object): string =>
  field in older ? OLDER[field as keyof typeof OLDER] : `healthCheck.${field}`

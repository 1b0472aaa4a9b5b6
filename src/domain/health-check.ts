export const HEALTH_CHECK_TYPES = {
  NONE: 'No check: a container is ready once it has run for a few seconds. The app has no hosts and no traffic.',
  TCP: 'The port accepts a connection.',
  HTTP: 'The path answers 2xx or 3xx.',
  COMMAND: 'A command in the container ends with exit code 0.',
} as const
export type HealthCheckType = keyof typeof HEALTH_CHECK_TYPES

export const PROBE_TIMING = ['initialDelaySeconds', 'periodSeconds', 'timeoutSeconds', 'failureThreshold'] as const
type ProbeTiming = Record<(typeof PROBE_TIMING)[number], number>

/** What a health check or a probe asks. */
export interface Question {
  /** Omitted: HTTP where there is a path, TCP otherwise. */
  type?: HealthCheckType | undefined
  path: string | null
  /** Null: the app's port. */
  port: number | null
  headers: Record<string, string>
  /** The program and its arguments; null unless the type is COMMAND. */
  command?: string[] | null
}

/** How a probe asks, and its timing. */
export type ProbeSettings = Question & ProbeTiming & { type?: Exclude<HealthCheckType, 'NONE'> | undefined }

export const PROBES = ['readiness', 'liveness', 'startup'] as const
export type ProbeName = (typeof PROBES)[number]

/** The probes that are set; one that is not set does not run, except readiness, which the health check provides. */
export type Probes = Partial<Record<ProbeName, ProbeSettings>>

/** The health check of an environment, with its probes. */
export interface HealthCheck extends Question, Partial<ProbeTiming>, Probes {
  /** No probes: containers are ready as soon as they run. */
  isOff?: boolean
}

type Nullable<Shape> = { [Name in keyof Shape]?: Shape[Name] | null | undefined }

/** A health check as it is set, in part: what is unset comes from elsewhere, or is the default. */
export type HealthCheckSettings = Nullable<Question & ProbeTiming>

/** An environment's part of the health check: unset values come from the app. */
export type AppEnvHealthCheck = HealthCheckSettings & Probes

export const healthCheckType = ({ type, path, command }: HealthCheckSettings): HealthCheckType =>
  type ?? (command ? 'COMMAND' : path ? 'HTTP' : 'TCP')

interface StoredHealthCheck {
  healthCheckPath: string | null
  healthCheckPort: number | null
  healthCheckHeaders: unknown
  /** What the older columns have no room for. */
  healthCheck: unknown
}

/** What is set on an app. The database columns are untyped JSON. */
export const appHealthCheckSettings = (app: StoredHealthCheck): HealthCheckSettings => ({
  path: app.healthCheckPath,
  port: app.healthCheckPort,
  headers: app.healthCheckHeaders as Record<string, string> | null,
  ...(app.healthCheck as HealthCheckSettings | null),
})

/** Whether containers are asked over the network: otherwise nothing in them has to listen. */
export const asksNetwork = (check: HealthCheckSettings): boolean => ['TCP', 'HTTP'].includes(healthCheckType(check))

/**
 * The health check of an environment. One that names its type has its own timing, too; ports and headers come from
 * the app as long as the environment sets none.
 */
export function mergedHealthCheck(app: HealthCheckSettings, own: AppEnvHealthCheck): HealthCheck {
  const isOwn = Boolean(own.type ?? own.path ?? own.command)
  const asked = isOwn ? own : app
  const type = healthCheckType(asked)
  const timing = PROBE_TIMING.flatMap((name) => {
    const value = own[name] ?? (isOwn ? null : app[name])
    return value === null || value === undefined ? [] : [[name, value]]
  })
  return {
    path: type === 'HTTP' ? (asked.path ?? null) : null,
    port: asksNetwork({ type }) ? (own.port ?? app.port ?? null) : null,
    headers: asksNetwork({ type }) ? (own.headers ?? app.headers ?? {}) : {},
    ...(asksNetwork({ type }) ? {} : { type }),
    ...(type === 'COMMAND' ? { command: asked.command ?? [] } : {}),
    ...Object.fromEntries(timing),
    ...Object.fromEntries(PROBES.flatMap((name) => (own[name] ? [[name, own[name]]] : []))),
  }
}

/** With the same probes, which send no headers: those may hold a login. */
export function withoutHeaders(check: AppEnvHealthCheck): AppEnvHealthCheck {
  const probes = PROBES.flatMap((name) => (check[name] ? [[name, { ...check[name], headers: {} }]] : []))
  return { ...check, ...Object.fromEntries(probes), ...(check.headers ? { headers: {} } : {}) }
}

/** How long a probe may fail, counted from its first failure. */
export const failureWindowSeconds = ({ failureThreshold, periodSeconds }: ProbeSettings): number =>
  failureThreshold * periodSeconds

/** The question whose answer decides whether a container may take traffic, and as much of its timing as is set. */
export const readinessOf = ({ readiness, ...check }: HealthCheck): Question & Partial<ProbeTiming> => readiness ?? check

const TIMING = new Set<string>(PROBE_TIMING)

/** What each type uses; the first part is required. */
const USED_BY: Record<HealthCheckType, { required: readonly string[]; optional: readonly string[] }> = {
  NONE: { required: [], optional: ['initialDelaySeconds'] },
  TCP: { required: [], optional: ['port', ...TIMING] },
  HTTP: { required: ['path'], optional: ['port', 'headers', ...TIMING] },
  COMMAND: { required: ['command'], optional: [...TIMING] },
}

const REQUIRED = {
  path: 'is required with type HTTP, such as "/healthz"',
  command: 'is required with type COMMAND: the program and its arguments, such as ["pg_isready", "-q"]',
}

const USES = {
  NONE: 'which asks nothing (only initialDelaySeconds goes with it)',
  TCP: 'which only connects to the port',
  HTTP: 'which sends a request',
  COMMAND: 'which runs a command in the container',
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0)

/** What contradicts the type that is named, or that a command implies. Without either, whatever was accepted before is. */
export function questionProblems(check: HealthCheckSettings): { field: string; message: string }[] {
  if (!check.type && !isSet(check.command)) return []
  const type = healthCheckType(check)
  const { required, optional } = USED_BY[type]
  const missing = required.filter((field) => !isSet(check[field as keyof HealthCheckSettings]))
  const unused = Object.entries(check).filter(
    ([field, value]) =>
      (field in REQUIRED || field === 'port' || field === 'headers' || TIMING.has(field)) &&
      isSet(value) &&
      ![...required, ...optional].includes(field),
  )
  return [
    ...missing.map((field) => ({ field, message: REQUIRED[field as keyof typeof REQUIRED] })),
    ...unused.map(([field]) => ({
      field,
      message: `is not used by type ${type}, ${USES[type]}; ${typesUsing(field)}`,
    })),
  ]
}

function typesUsing(field: string): string {
  const types = Object.entries(USED_BY).flatMap(([type, { required, optional }]) =>
    [...required, ...optional].includes(field) ? [type] : [],
  )
  return `leave it out, or send type ${types.join(' or ')}`
}

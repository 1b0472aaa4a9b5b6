/** How a probe asks, and its timing. Null uses the health check's own value. */
export interface ProbeSettings {
  /** Null: a TCP connect is enough. */
  path: string | null
  /** Null: the app's port. */
  port: number | null
  headers: Record<string, string>
  initialDelaySeconds: number
  periodSeconds: number
  timeoutSeconds: number
  failureThreshold: number
}

export const PROBES = ['readiness', 'liveness', 'startup'] as const
export type ProbeName = (typeof PROBES)[number]

/** The probes that are set; one that is not set does not run, except readiness, which the health check provides. */
export type Probes = Partial<Record<ProbeName, ProbeSettings>>

/** An environment's part of the health check: unset values come from the app. */
export interface AppEnvHealthCheck extends Probes {
  path?: string | null
  port?: number | null
  headers?: Record<string, string> | null
}

/** With the same probes, which send no headers: those may hold a login. */
export function withoutHeaders(check: AppEnvHealthCheck): AppEnvHealthCheck {
  const probes = PROBES.flatMap((name) => (check[name] ? [[name, { ...check[name], headers: {} }]] : []))
  return { ...check, ...Object.fromEntries(probes), ...(check.headers ? { headers: {} } : {}) }
}

/** How long a probe may fail, counted from its first failure. */
export const failureWindowSeconds = ({ failureThreshold, periodSeconds }: ProbeSettings): number =>
  failureThreshold * periodSeconds

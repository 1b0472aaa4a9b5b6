/** How one probe asks, and how patient it is. What is null is the health check's own. */
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

/** The probes that are set; a probe that is not is not asked, apart from readiness, which the health check answers. */
export type Probes = Partial<Record<ProbeName, ProbeSettings>>

/** An environment's own part of the health check: what is not set here is the app's. */
export interface AppEnvHealthCheck extends Probes {
  path?: string | null
  port?: number | null
  headers?: Record<string, string> | null
}

/** How long a probe's failures are borne, from the first of them. */
export const patienceSeconds = ({ failureThreshold, periodSeconds }: ProbeSettings): number =>
  failureThreshold * periodSeconds

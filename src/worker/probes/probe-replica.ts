import type { Config } from '../../config/config.ts'
import type { Configuration } from '../../domain/configuration.ts'
import { healthCheckType, type ProbeSettings, readinessOf } from '../../domain/health-check.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import { probe, type Readiness } from '../../engines/runtime/readiness.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'
import { probeByCommand } from './probe-by-command.ts'

const ANSWER_SECONDS = 5

export const NOT_CONNECTED = 'it is not connected to its account’s network'

type Asked = Pick<ProbeSettings, 'type' | 'path' | 'port' | 'headers' | 'command'> & { timeoutSeconds?: number }

/** What a probe needs of the work that it is a part of. */
export interface ProbeContext {
  engine: Pick<LeasedEngine, 'exec'>
  /** Time is the database's. */
  lease: AppEnvLease
  config: Config
  signal: AbortSignal
}

/** Sends a running replica its readiness probe. One that is not probed is ready once it has run for a while. */
export async function probeReplica(
  context: ProbeContext,
  replica: ObservedReplica,
  { port, healthCheck }: Pick<Configuration, 'port' | 'healthCheck'>,
): Promise<Readiness> {
  if (healthCheck.isOff) return { ready: true, reason: '' }
  const { type, ...asked } = readinessOf(healthCheck)
  if (type === 'NONE') return hasRunFor(context, replica, readyAfterSeconds(healthCheck, context.config))
  return sendProbe(context, replica, port, { ...asked, type })
}

/** How long a container in which nothing listens must run before it is ready. */
export const readyAfterSeconds = (
  { initialDelaySeconds }: Configuration['healthCheck'],
  { BERTH_READY_AFTER_SECONDS: usual }: Pick<Config, 'BERTH_READY_AFTER_SECONDS'>,
): number => initialDelaySeconds ?? usual

function hasRunFor({ lease }: ProbeContext, { startedAt }: ObservedReplica, seconds: number): Readiness {
  const now = lease.claim.clock.now().getTime()
  const age = (now - (startedAt?.getTime() ?? now)) / 1000
  if (age >= seconds) return { ready: true, reason: '' }
  return { ready: false, reason: `it has run for ${Math.max(0, Math.floor(age))} of ${seconds} s` }
}

/** Sends one probe to a running replica. */
export async function sendProbe(
  context: Pick<ProbeContext, 'engine' | 'signal'>,
  replica: ObservedReplica,
  appPort: number | null,
  asked: Asked,
): Promise<Readiness> {
  const { path, headers, port: askedPort, timeoutSeconds = ANSWER_SECONDS } = asked
  if (healthCheckType(asked) === 'COMMAND') {
    const [program = '', ...args] = asked.command ?? []
    return probeByCommand(context, replica, { command: [program, ...args], timeoutSeconds })
  }
  const { address, port, isConnected } = replica
  if (appPort === null) return { ready: true, reason: '' }
  if (address === null) return { ready: false, reason: isConnected ? 'it has no address yet' : NOT_CONNECTED }
  // Only the app's port is published; another port is reachable only where containers have addresses of their own.
  const probed = askedPort !== null && askedPort !== appPort ? askedPort : port
  const { signal } = context
  return probe({ address, port: probed ?? appPort, path, headers, timeoutMs: timeoutSeconds * 1000, signal })
}

/** Description of a probe, for messages to users. */
export function askedWords(asked: Pick<ProbeSettings, 'type' | 'path' | 'command'>): string {
  if (healthCheckType(asked) === 'COMMAND') return asked.command?.[0] ?? 'its command'
  return asked.path ?? 'its port'
}

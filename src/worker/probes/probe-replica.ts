import type { Config } from '../../config/config.ts'
import type { Configuration } from '../../domain/configuration.ts'
import { healthCheckType, type ProbeSettings, readinessOf } from '../../domain/health-check.ts'
import { LastWords } from '../../engines/last-words.ts'
import { type ObservedReplica, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import { probe, type Readiness } from '../../engines/runtime/readiness.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'

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

const MAX_REASON = 300

/** A command of the same key that still runs in the container is ended first: one at most is in progress. */
const KEY = 'probe'

interface CommandProbe {
  command: readonly [string, ...string[]]
  timeoutSeconds: number
}

/**
 * Runs a probe's command in the container: exit code 0 is healthy. It is ended when its time is up. The reason quotes the
 * last line that it printed, which may hold secrets: it is for `quote`.
 */
async function probeByCommand(
  { engine }: { engine: Pick<LeasedEngine, 'exec'> },
  { name }: Pick<ObservedReplica, 'name'>,
  { command, timeoutSeconds }: CommandProbe,
): Promise<Readiness> {
  const printed = new LastWords()
  const output = (chunk: Uint8Array) => printed.add(chunk)
  try {
    const { exitCode, errorOutput } = await engine.exec(name, command, { key: KEY, timeoutSeconds, output })
    if (exitCode === 0) return { ready: true, reason: '' }
    const said = lastLine(errorOutput) ?? lastLine(printed.text)
    return { ready: false, reason: `${command[0]} ended with exit code ${exitCode}${said ? `: ${said}` : ''}` }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    if (error.reason !== 'COMMAND_TIMEOUT')
      return { ready: false, reason: `${command[0]} cannot be run: ${error.message}` }
    return { ready: false, reason: `${command[0]} did not end within ${timeoutSeconds} s` }
  }
}

const lastLine = (text: string): string | undefined =>
  text.trim() === '' ? undefined : text.trim().split('\n').at(-1)?.slice(0, MAX_REASON)

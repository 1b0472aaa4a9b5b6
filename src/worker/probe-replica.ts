import type { Configuration } from '../domain/configuration.ts'
import { probe, type Readiness } from '../runtime/readiness.ts'
import type { ObservedReplica } from '../runtime/runtime.ts'

const ANSWER_MS = 5_000

/** Asks a running replica whether it can take traffic. One that listens nowhere can as soon as it runs. */
export async function probeReplica(
  { address, port }: ObservedReplica,
  { port: appPort, healthCheck }: Pick<Configuration, 'port' | 'healthCheck'>,
  signal: AbortSignal,
): Promise<Readiness> {
  if (appPort === null) return { ready: true, reason: '' }
  if (address === null) return { ready: false, reason: 'it has no address yet' }
  const { path, headers } = healthCheck
  // What is published is the app's port; another one is reached only where containers have addresses of their own.
  const hasOwnPort = healthCheck.port !== null && healthCheck.port !== appPort
  const probed = hasOwnPort ? healthCheck.port : port
  return probe({ address, port: probed ?? appPort, path, headers, timeoutMs: ANSWER_MS, signal })
}

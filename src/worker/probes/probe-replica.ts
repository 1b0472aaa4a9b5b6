import type { Configuration } from '../../domain/configuration.ts'
import type { ProbeSettings } from '../../domain/health-check.ts'
import type { ObservedReplica } from '../../runtime/container-runtime.ts'
import { probe, type Readiness } from '../../runtime/readiness.ts'

const ANSWER_SECONDS = 5

export const NOT_CONNECTED = 'it is not connected to its account’s network'

type Asked = Pick<ProbeSettings, 'path' | 'port' | 'headers'> & { timeoutSeconds?: number }

/** Sends a running replica its readiness probe. One that has no port, or is not probed, is ready as soon as it runs. */
export const probeReplica = async (
  replica: ObservedReplica,
  { port, healthCheck }: Pick<Configuration, 'port' | 'healthCheck'>,
  signal: AbortSignal,
): Promise<Readiness> =>
  healthCheck.isOff
    ? { ready: true, reason: '' }
    : sendProbe(replica, port, healthCheck.readiness ?? healthCheck, signal)

/** Sends one probe to a running replica. */
export async function sendProbe(
  { address, port, isConnected }: ObservedReplica,
  appPort: number | null,
  { path, headers, port: askedPort, timeoutSeconds = ANSWER_SECONDS }: Asked,
  signal: AbortSignal,
): Promise<Readiness> {
  if (appPort === null) return { ready: true, reason: '' }
  if (address === null) return { ready: false, reason: isConnected ? 'it has no address yet' : NOT_CONNECTED }
  // Only the app's port is published; another port is reachable only where containers have addresses of their own.
  const probed = askedPort !== null && askedPort !== appPort ? askedPort : port
  return probe({ address, port: probed ?? appPort, path, headers, timeoutMs: timeoutSeconds * 1000, signal })
}

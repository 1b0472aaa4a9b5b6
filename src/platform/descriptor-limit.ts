import type { Config } from '../config/config.ts'
import type { IngressCapacity } from '../ingress/ingress.ts'

export interface DescriptorShares {
  /** Connections of clients to the API. */
  api: number
  ingress: IngressCapacity
  /** External TCP connections. Each takes two descriptors. */
  tcp: number
}

/** Kept for the engine, the database, builds, log files and probes: a process without them blames the wrong ones. */
const RESERVED = { share: 0.25, min: 64 }
/** Of what the ingress has. Plain TCP must not take what requests need, nor the other way round. */
const TCP_SHARE = 0.2

/** How many files and sockets this process may have open; Node has raised the soft limit to the hard one. */
export function readDescriptorLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean }
  // Reverse look-ups of every open connection would take seconds.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  return Number(userLimits?.open_files?.soft) || Number.POSITIVE_INFINITY
}

/**
 * Divides the descriptors of this process. What its roles do not need goes to the others; a request through the ingress
 * takes one for the client and one for the app.
 */
export function shareDescriptors(
  limit: number,
  { BERTH_ROLES: roles, ...config }: Pick<Config, 'BERTH_ROLES' | 'BERTH_TCP_PORTS' | 'BERTH_TCP_MAX_CONNECTIONS'>,
): DescriptorShares {
  const available = Math.max(limit - Math.max(limit * RESERVED.share, RESERVED.min), 3)
  const part = Math.floor(available / (roles.includes('api') && roles.includes('ingress') ? 3 : 2))
  const wanted = config.BERTH_TCP_PORTS.length === 0 ? 0 : config.BERTH_TCP_MAX_CONNECTIONS
  const tcp = Math.min(wanted, Math.floor(part * TCP_SHARE))
  return {
    api: roles.includes('ingress') ? part : Math.floor(available),
    ingress: { maxClients: part - tcp, maxUpstreams: part - tcp },
    tcp,
  }
}

import type { Config } from '../config/config.ts'
import type { IngressCapacity } from '../ingress/ingress.ts'

export interface DescriptorShares {
  /** Connections of clients to the API. */
  api: number
  ingress: IngressCapacity
}

/** Kept for the engine, the database, builds, log files and probes: a process without them blames the wrong ones. */
const RESERVED = { share: 0.25, least: 64 }

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
export function shareDescriptors(limit: number, roles: Config['BERTH_ROLES']): DescriptorShares {
  const available = Math.max(limit - Math.max(limit * RESERVED.share, RESERVED.least), 3)
  const part = Math.floor(available / (roles.includes('api') && roles.includes('ingress') ? 3 : 2))
  return {
    api: roles.includes('ingress') ? part : Math.floor(available),
    ingress: { maxClients: part, maxUpstreams: part },
  }
}

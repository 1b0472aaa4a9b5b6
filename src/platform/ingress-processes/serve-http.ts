import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../../config/config.ts'
import { LoadSession } from '../../ingress/activator/load-session.ts'
import { createIngress, type Ingress, type IngressCapacity } from '../../ingress/ingress.ts'
import type { CurrentTable } from '../../ingress/routes/route-table.ts'
import { TrafficSession } from '../../ingress/traffic/traffic-session.ts'
import { failedPart } from '../../storage/database/away.ts'

export interface HttpIngressOptions {
  config: Config
  databaseUrl: string
  source: CurrentTable
  log: Logger
  registry: Registry
  capacity: IngressCapacity
}

/** The HTTP part of the ingress in this process, with what its descriptors allow. */
export function createHttpIngress({ databaseUrl, ...options }: HttpIngressOptions): Ingress {
  const { config, log, capacity } = options
  if (capacity.maxClients < config.BERTH_INGRESS_MAX_CONNECTIONS)
    log.warn(capacity, 'ingress: the limit of open files allows fewer connections than BERTH_INGRESS_MAX_CONNECTIONS')
  return createIngress({
    ...options,
    reports: new LoadSession(databaseUrl),
    traffic: new TrafficSession(databaseUrl),
  })
}

/** Why the requests for apps that sleep cannot be reported, in words; null when they can. */
export function reportProblemOf(ingress: Ingress): string | null {
  const problem = ingress.reportProblem()
  return problem && failedPart(problem).reason
}

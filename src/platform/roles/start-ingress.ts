import { LoadSession } from '../../ingress/activator/load-session.ts'
import { createIngress } from '../../ingress/ingress.ts'
import { RouteSource } from '../../ingress/routes/route-source.ts'
import { TcpIngress } from '../../ingress/tcp/tcp-ingress.ts'
import type { KnowsHost } from '../../server/health-server.ts'
import { readDescriptorLimit, shareDescriptors } from '../descriptor-limit.ts'
import { onPort } from '../ports.ts'
import type { RoleContext } from '../role-context.ts'

const DRAIN_SECONDS = 5

export async function startIngress(context: RoleContext): Promise<{ port: number; knowsHost: KnowsHost }> {
  const { config, log, dataDir, databaseUrl, registry, readiness, processRegistration, undo } = context
  const source = new RouteSource({ databaseUrl, dataDirectory: dataDir, log })
  undo.defer(() => source.stop())
  await source.start()
  const { ingress: capacity, tcp } = shareDescriptors(readDescriptorLimit(), config)
  if (capacity.maxClients < config.BERTH_INGRESS_MAX_CONNECTIONS)
    log.warn(capacity, 'ingress: the limit of open files allows fewer connections than BERTH_INGRESS_MAX_CONNECTIONS')
  const reports = new LoadSession(databaseUrl)
  const ingress = createIngress({ config, source, log, registry, capacity, reports })
  await onPort(context, 'INGRESS_PORT', () => ingress.listen())
  const tcpIngress = new TcpIngress({ config, source, log, registry, capacity: tcp })
  undo.defer(async () => {
    await Promise.all([ingress.close(DRAIN_SECONDS), tcpIngress.close(DRAIN_SECONDS)])
  })
  readiness.ingress = {
    isRequired: true,
    check: () => ({ ready: source.isReady(), reason: source.isReady() ? null : 'has no routes yet' }),
  }
  readiness.externalPorts = {
    isRequired: false,
    check: () => inWords(tcpIngress.problems()),
  }
  const { port } = ingress.address()
  processRegistration.about.ports.push(port)
  processRegistration.about.ingressUrl = config.BERTH_INGRESS_URL ?? `http://${urlHost(config.HOST)}:${port}`
  return { port, knowsHost: (host) => (source.table?.find(host) ?? null) !== null }
}

const MOST_NAMED = 10

function inWords(problems: string[]) {
  const more = problems.length - MOST_NAMED
  const named = [...problems.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])]
  return { ready: problems.length === 0, reason: named.join(', ') || null }
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

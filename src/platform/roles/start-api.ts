import { createGraphQL } from '../../api/graphql/graphql.ts'
import { createAdmission } from '../../api/http/admission.ts'
import { createRateLimits } from '../../api/http/rate-limits.ts'
import { RemoteSessionRelay } from '../../api/remote-sessions/remote-session-relay.ts'
import { listen } from '../../api/server/listen.ts'
import { createServer } from '../../api/server/server.ts'
import { isWildcardHost, urlHost } from '../../domain/listen-address.ts'
import { TrustedProxies } from '../../domain/trusted-proxies.ts'
import { createServices } from '../../services/services.ts'
import { sharedCounts } from '../../services/system/rate-counts.ts'
import { createEventFeed } from '../../storage/events/feed.ts'
import { createWakeups } from '../../storage/events/wakeups.ts'
import { readDescriptorLimit, shareDescriptors } from '../descriptor-limit.ts'
import { onPort } from '../ports.ts'
import { reachableAddresses } from '../reachable-addresses.ts'
import { registerReadMetrics } from '../read-metrics.ts'
import type { ControlPlaneContext } from '../role-context.ts'

export async function startApi(context: ControlPlaneContext): Promise<void> {
  const { config, log, databaseUrl, database, vault, registry, readiness, processRegistration, undo } = context
  const wakeups = createWakeups({ url: databaseUrl, log })
  undo.defer(() => wakeups.close())
  registerReadMetrics(registry, database)
  const limits = createRateLimits(config, sharedCounts(database))
  const services = createServices({ database, config, vault, wakeups, limits })
  const feed = createEventFeed({ database, wakeups, config, log })
  undo.defer(() => feed.close())
  const admission = createAdmission(services.authenticate, limits)
  const graphql = createGraphQL({ services, vault, config, log, feed, admission })
  const api = createServer({ services, config, log, graphql, readiness, limits, admission, registry })
  const { api: maxConnections } = shareDescriptors(readDescriptorLimit(), config)
  const perClient = {
    proxies: new TrustedProxies(config.BERTH_TRUSTED_PROXIES),
    max: config.BERTH_API_CONNECTIONS_PER_CLIENT,
  }
  const place = { host: config.HOST, port: config.PORT }
  const listening = await onPort(context, 'PORT', () => listen({ api, ...place, maxConnections, perClient }))
  const relay = new RemoteSessionRelay({ services, admission, config, log })
  graphql.attach(listening.server, relay.takes)
  relay.attach(listening.server, config.BERTH_RELAY_URL ?? relayUrlOf(config.HOST, listening.port))
  undo.defer(async () => void (await Promise.all([relay.close(), listening.close(), graphql.close()])))
  processRegistration.about.ports.push(listening.port)
  processRegistration.about.apiUrl = listening.url
}

/** Where workers reach this process, on this machine or another. */
function relayUrlOf(host: string, port: number): string {
  const reached = isWildcardHost(host) ? (reachableAddresses()[0] ?? '127.0.0.1') : host
  return `http://${urlHost(reached)}:${port}`
}

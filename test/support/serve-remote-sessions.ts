import { createGraphQL } from '../../src/api/graphql/graphql.ts'
import { createAdmission } from '../../src/api/http/admission.ts'
import { RemoteSessionRelay } from '../../src/api/remote-sessions/remote-session-relay.ts'
import { listen } from '../../src/api/server/listen.ts'
import { createServer } from '../../src/api/server/server.ts'
import { createServices } from '../../src/services/services.ts'
import { createEventFeed } from '../../src/storage/events/feed.ts'
import type { World } from './world.ts'

/** The API of a world as one process of it serves it, remote sessions included. There may be several. */
export async function serveRemoteSessions(world: World) {
  const { config, log, vault, limits, database, wakeups } = world
  const services = createServices({ database, config, vault, wakeups, limits })
  const feed = createEventFeed({ database, wakeups, config, log })
  const admission = createAdmission(services.authenticate, limits)
  const graphql = createGraphQL({ services, config, log, vault, feed, admission })
  const api = createServer({ services, config, log, graphql, limits, admission, readiness: {} })
  const listening = await listen({ api, host: '127.0.0.1', port: 0 })
  const relay = new RemoteSessionRelay({ services, admission, config, log })
  graphql.attach(listening.server, relay.takes)
  relay.attach(listening.server, listening.url)
  return {
    url: listening.url,
    socketUrl: `${listening.url.replace(/^http/, 'ws')}/remote-session`,
    async post(path: string, body: unknown, token = world.adminToken) {
      const response = await fetch(`${listening.url}/api/public/v1${path}`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as object }
    },
    async close() {
      feed.close()
      await Promise.all([relay.close(), graphql.close()])
      listening.server.closeAllConnections()
      await listening.close()
    },
  }
}

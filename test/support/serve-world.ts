import { createEventFeed } from '../../src/events/feed.ts'
import { createGraphQL } from '../../src/graphql/graphql.ts'
import { createServer } from '../../src/server/server.ts'
import type { World } from './world.ts'

export type Served = ReturnType<typeof serveWorld>

/** Both APIs of a world, as production composes them, without a port. */
export function serveWorld({ services, database, wakeups, vault, config, log }: World) {
  const feed = createEventFeed({ database, wakeups, config, log })
  const graphql = createGraphQL({ services, vault, config, log, feed })
  const app = createServer({ services, config, log, graphql, readiness: {} })
  return {
    app,
    async close() {
      feed.close()
      await graphql.close()
    },
  }
}

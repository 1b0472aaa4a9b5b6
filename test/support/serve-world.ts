import { createGraphQL } from '../../src/api/graphql/graphql.ts'
import { createServer } from '../../src/api/server/server.ts'
import { createEventFeed } from '../../src/storage/events/feed.ts'
import { bothWays } from './both-ways.ts'
import type { World } from './world.ts'

export type Served = ReturnType<typeof serveWorld>

/** Both APIs of a world, as production composes them, without a port. */
export function serveWorld(world: World) {
  const { services, database, wakeups, vault, config, log } = world
  const both = bothWays(world)
  const execution = both ? { execution: both.execution } : {}
  const feed = createEventFeed({ database, wakeups, config, log })
  const graphql = createGraphQL({ services, vault, config, log, feed, ...execution })
  const app = createServer({ services, config, log, graphql, readiness: {} })
  return {
    app,
    async close() {
      feed.close()
      await graphql.close()
      await both?.close()
    },
  }
}

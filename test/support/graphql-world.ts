import { createGraphQL } from '../../src/api/graphql/graphql.ts'
import { createAdmission } from '../../src/api/http/admission.ts'
import { listen } from '../../src/api/server/listen.ts'
import { createServer } from '../../src/api/server/server.ts'
import { createEventFeed } from '../../src/storage/events/feed.ts'
import { bothWays } from './both-ways.ts'
import { createWorld } from './world.ts'

export type GraphQLWorld = Awaited<ReturnType<typeof createGraphQLWorld>>

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  data: any
  errors: { message: string; path?: (string | number)[]; extensions: Record<string, unknown> }[] | undefined
}

/** A world with the real server listening in front, and a client for its GraphQL API. */
export async function createGraphQLWorld(options: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(options)
  const { services, config, log, vault, limits, database, wakeups, adminToken } = world
  const feed = createEventFeed({ database, wakeups, config, log })
  const admission = createAdmission(services.authenticate, limits)
  const both = bothWays(world)
  const execution = both ? { execution: both.execution } : {}
  const graphql = createGraphQL({ services, config, log, vault, feed, admission, ...execution })
  const api = createServer({ services, config, log, graphql, limits, admission, readiness: {} })
  const listening = await listen({ api, host: '127.0.0.1', port: 0 })
  graphql.attach(listening.server)
  const url = `${listening.url}/graphql`

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: adminToken, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  return {
    ...world,
    feed,
    graphql,
    url,
    post,
    server: listening.server,
    /** Sends one operation; as the admin unless `token` names another caller. */
    async query(
      query: string,
      variables: Record<string, unknown> = {},
      token: string | null = adminToken,
    ): Promise<Answer> {
      const response = await post({ query, variables }, { authorization: token ?? '' })
      return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) }
    },
    async close() {
      feed.close()
      await graphql.close()
      // Every request is answered: nothing to linger for.
      listening.server.closeIdleConnections()
      await listening.close()
      await both?.close()
      await world.close()
    },
  }
}

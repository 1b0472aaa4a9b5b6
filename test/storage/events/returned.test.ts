import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { openSocket, overSse } from '../../support/transports.ts'

const EACH = 100
// Pools of connections come and go by themselves; what each subscriber leaves would be a hundred times as much.
const OTHERS = 20
const QUERY = 'subscription ($id: ID!) { accountEvents(accountId: $id) { cursor } }'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

/** Sockets and timers of this process, server and clients together. */
function held() {
  const kinds = process.getActiveResourcesInfo()
  const count = (name: string) => kinds.filter((kind) => kind === name).length
  return { sockets: count('TCPSocketWrap'), timers: count('Timeout') }
}

test('subscribers leave no socket and no timer behind', async () => {
  const variables = { id: world.accountId }
  const before = held()
  const sockets = Array.from({ length: EACH }, () => openSocket(world.url, world.adminToken))
  const leaving = new AbortController()
  const { signal } = leaving
  const received = [
    ...sockets.map((socket) => socket.iterate(QUERY, variables)),
    ...sockets.map(() => overSse({ url: world.url, token: world.adminToken, query: QUERY, variables, signal })),
  ]
  await Promise.all(received.map((one) => one.next()))
  const meanwhile = held()
  expect(meanwhile.sockets - before.sockets).toBeGreaterThanOrEqual(4 * EACH)
  expect(meanwhile.timers - before.timers).toBeGreaterThanOrEqual(2 * EACH)

  leaving.abort()
  await Promise.all(sockets.map((socket) => socket.close()))
  await sleep(100)
  const isReturned = () => {
    const after = held()
    return after.sockets - before.sockets < OTHERS && after.timers - before.timers < OTHERS
  }
  await expect.poll(isReturned, { interval: 100 }).toBe(true)
})

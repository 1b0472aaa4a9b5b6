import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { fillUp, logMore, serverSockets, stuckSocket, stuckStream } from './stuck.ts'

const MB = 1024 * 1024
const SOON = { timeout: 30_000, interval: 50 }

let world: GraphQLWorld
let sockets: Set<Socket>

beforeAll(async () => {
  world = await createGraphQLWorld({ settings: { BERTH_SUBSCRIBER_BACKLOG_KB: '256' } })
  sockets = serverSockets(world)
})
afterAll(() => world.close())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe.each([
  ['WebSocket', stuckSocket],
  ['SSE', stuckStream],
])('over %s', (name, begin) => {
  test('a reader that falls behind gets the error that it was too slow, once it reads again', async () => {
    const accountId = await world.account()
    const reader = await begin(world, accountId)
    await fillUp(world, accountId, sockets)
    await logMore(world, accountId, 12)
    reader.resume()
    const { text, code } = await reader.ended
    if (name === 'WebSocket') expect(code).toBe(4413)
    else expect(text).toMatch(/"reason":"TOO_SLOW".*\n\nevent: complete\ndata:\n\n$/)
  })

  test('a reader that never reads is cut, and its cost does not grow with the events sent to it', async () => {
    const accountId = await world.account()
    await begin(world, accountId)
    await fillUp(world, accountId, sockets)
    const before = heldBytes()
    await logMore(world, accountId, 240)
    await expect.poll(() => sockets.size, SOON).toBe(0)
    // 12 MB are sent; the cap is a quarter of one.
    expect(heldBytes() - before).toBeLessThan(8 * MB)
  })
})

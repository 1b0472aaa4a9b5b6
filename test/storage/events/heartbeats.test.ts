import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

const BEATS_MS = 2_600

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld({ settings: { BERTH_HEARTBEAT_SECONDS: '1' } })
})
afterAll(() => world.close())

const open = (autoPong: boolean) =>
  new WebSocket(world.url.replace('http', 'ws'), 'graphql-transport-ws', {
    autoPong,
    headers: { authorization: world.adminToken },
  })

describe('a heartbeat', () => {
  test('goes over a quiet WebSocket as a ping', async () => {
    const socket = open(true)
    socket.on('open', () => socket.send('{"type":"connection_init"}'))
    let beats = 0
    socket.on('ping', () => {
      beats += 1
    })
    await sleep(BEATS_MS)
    expect(beats).toBeGreaterThanOrEqual(2)
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
  })

  test('that nobody answers ends the WebSocket', async () => {
    const socket = open(false)
    socket.on('open', () => socket.send('{"type":"connection_init"}'))
    const code = await new Promise((resolve) => socket.on('close', resolve))
    expect(code).toBe(1006)
  })

  test('goes over a quiet SSE stream as a comment', async () => {
    const leaving = new AbortController()
    const response = await fetch(world.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: world.adminToken,
      },
      body: JSON.stringify({ query: `subscription { accountEvents(accountId: "${world.accountId}") { cursor } }` }),
      signal: leaving.signal,
    })
    setTimeout(() => leaving.abort(), BEATS_MS)
    let text = ''
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    } catch {
      // That it was left is what ended it.
    }
    expect(text.split('\n\n').filter((message) => message === ':').length).toBeGreaterThanOrEqual(3)
    expect(text).toContain('event: next')
  })
})

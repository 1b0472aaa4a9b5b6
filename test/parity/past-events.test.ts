import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readMcp, readRest } from './read-apis.ts'
import { furnish, type Place } from './read-cases.ts'

let world: World
let served: Served
let place: Place

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  place = await furnish(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

interface Event {
  cursor: string
  type: string
  appEnvId: string | null
}

const read = async (query: Record<string, string> = {}, token = world.adminToken) =>
  (await readRest(served, token, 'listEvents', { accountId: place.accountId, ...query })).body as {
    events: Event[]
    nextCursor?: string
  }

const cursors = ({ events }: { events: Event[] }) => events.map(({ cursor }) => cursor)

test('events are newest first, and oldest first when that is asked for, page by page', async () => {
  const newest = cursors(await read())
  expect(newest.length).toBeGreaterThan(5)
  expect(newest).toEqual([...newest].sort((one, other) => Number(other) - Number(one)))
  for (const orderBy of ['NEWEST_FIRST', 'OLDEST_FIRST']) {
    const paged: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined && paged.length <= newest.length; ) {
      const page = await read({ orderBy, limit: '2', ...(cursor ? { cursor } : {}) })
      paged.push(...cursors(page))
      cursor = page.nextCursor
    }
    expect(paged).toEqual(orderBy === 'NEWEST_FIRST' ? newest : [...newest].reverse())
  }
})

test('they are the same in the three APIs', async () => {
  const { events } = await read({ type: 'operation.queued,jobRun.queued' })
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['operation.queued', 'jobRun.queued']))
  const field = `events(accountId: "${place.accountId}", type: [OPERATION_QUEUED, JOB_RUN_QUEUED]) { nodes { cursor } }`
  expect((await readGraphQL(served, world.adminToken, field)).body.nodes).toEqual(
    events.map(({ cursor }) => ({ cursor })),
  )
  const given = { accountId: place.accountId, type: ['operation.queued', 'jobRun.queued'] } as never
  expect((await readMcp(served, world.adminToken, 'listEvents', given)).body.events).toEqual(events)
})

test('those of one environment are about it alone', async () => {
  const { events } = await read({ appEnvId: place.appEnvId })
  expect(events.length).toBeGreaterThan(0)
  expect(new Set(events.map(({ appEnvId }) => appEnvId))).toEqual(new Set([place.appEnvId]))
})

test('restricted members see events of the account and of their environments', async () => {
  const { events } = await read({}, place.tokens.restricted)
  expect(events.length).toBeGreaterThan(0)
  expect(events.filter(({ appEnvId }) => appEnvId !== null)).toEqual([])
})

test('a cursor whose events are gone is refused when the list goes on from it', async () => {
  const where = { id: place.accountId }
  await world.database.eventSequence.update({ where, data: { expiredSequence: 3 } })
  const query = { accountId: place.accountId, orderBy: 'OLDEST_FIRST', cursor: '1' }
  expect((await readRest(served, world.adminToken, 'listEvents', query)).code).toBe('CURSOR_EXPIRED')
  await world.database.eventSequence.update({ where, data: { expiredSequence: 0 } })
})

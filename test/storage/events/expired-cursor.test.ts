import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireEvents } from '../../../src/storage/events/feed.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { openSocket, overSse, take } from '../../support/transports.ts'

const EVENTS = `subscription ($id: ID!, $after: String) {
  accountEvents(accountId: $id, after: $after) { cursor event { cursor } account { apps { nodes { id } } } }
}`

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

/** An account whose first events are no longer kept. */
async function accountWithPast() {
  const accountId = await world.account()
  const appIds = [await world.app({ accountId }), await world.app({ accountId })]
  await world.database.event.updateMany({ where: { eventSequenceId: accountId }, data: { createdAt: new Date(0) } })
  await expireEvents(world.database, 24)
  return { accountId, appIds }
}

const over = {
  websocket: (variables: object) => openSocket(world.url, world.adminToken).iterate(EVENTS, { ...variables }),
  sse: (variables: object) =>
    overSse({ url: world.url, token: world.adminToken, query: EVENTS, variables: { ...variables } }),
}

describe.each(Object.entries(over))('over %s', (_name, subscribe) => {
  test('an expired cursor is refused with the cursor to go on from, behind which nothing is missed', async () => {
    const { accountId } = await accountWithPast()
    const [refused] = await take(subscribe({ id: accountId, after: '1' }), 1)
    const head = String(await world.feed.head(accountId))
    const extensions = refused?.errors?.[0]?.extensions
    expect(extensions).toMatchObject({ code: 'CURSOR_EXPIRED', reason: 'EVENTS_EXPIRED', continueAfter: head })
    await world.app({ accountId })
    const received = subscribe({ id: accountId, after: String(extensions?.continueAfter) })
    expect((await received.next()).value?.data.accountEvents.cursor).toBe(String(Number(head) + 1))
    await received.return(undefined)
  })

  test('without a cursor, the first answer is the present state and the cursor to go on from', async () => {
    const { accountId, appIds } = await accountWithPast()
    const received = subscribe({ id: accountId })
    const { accountEvents } = (await received.next()).value?.data ?? {}
    expect(accountEvents).toMatchObject({ event: null, cursor: String(await world.feed.head(accountId)) })
    expect(accountEvents.account.apps.nodes.map(({ id }: { id: string }) => id).toSorted()).toEqual(appIds.toSorted())
    await received.return(undefined)
  })
})

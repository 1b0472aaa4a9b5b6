import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateApp } from '../../../src/services/app/update-app.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { type Answer, openSocket, take } from '../../support/transports.ts'

const statements: string[] = []
const EVENTS = `subscription ($id: ID!) {
  accountEvents(accountId: $id) { event { type } account { name appEnvs { nodes { id } } } }
}`
const OTHER = 'subscription ($id: ID!) { accountEvents(accountId: $id) { event { type } account { slug } } }'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld({ onQuery: (sql) => statements.push(sql) })
})
afterAll(() => world.close())

type Subscription = AsyncGenerator<Answer>

async function begun(token: string, query: string, accountId: string): Promise<Subscription> {
  const answers = openSocket(world.url, token).iterate(query, { id: accountId })
  await answers.next()
  return answers
}

async function nextOf(subscriptions: Subscription[]) {
  const answers = await Promise.all(subscriptions.map((one) => take(one, 1)))
  return answers.map(([one]) => one?.data.accountEvents)
}

describe('an event', () => {
  test('is computed once for all who ask the same with the same token', async () => {
    const accountId = await world.account()
    const { appId } = await world.appEnv({ accountId })
    const counts: number[] = []
    const subscriptions: Subscription[] = []
    for (const size of [1, 30]) {
      while (subscriptions.length < size) subscriptions.push(await begun(world.adminToken, EVENTS, accountId))
      statements.length = 0
      await world.perform(updateApp, { appId, port: 8000 + size })
      const answers = await nextOf(subscriptions)
      for (const one of answers) expect(one).toEqual(answers[0])
      counts.push(statements.filter((sql) => /"public"\."app_env"/.test(sql)).length)
    }
    expect(counts[1]).toBe(counts[0])
  })

  test('is answered with the fields of each query', async () => {
    const accountId = await world.account('Acme shared')
    const { appId } = await world.appEnv({ accountId })
    const subscriptions = [
      await begun(world.adminToken, EVENTS, accountId),
      await begun(world.adminToken, OTHER, accountId),
    ]
    await world.perform(updateApp, { appId, port: 8001 })
    const [one, other] = await nextOf(subscriptions)
    expect(one.account.name).toBe('Acme shared')
    expect(other.account).toEqual({ slug: 'acme-shared' })
  })

  test('shows each member only their own environments', async () => {
    const accountId = await world.account()
    const { appId, appEnvId } = await world.appEnv({ accountId })
    await world.appEnv({ accountId, appId, name: 'staging' })
    const all = await world.user({ accountId })
    const restricted = await world.user({ accountId, appEnvIds: [appEnvId] })
    const subscriptions = [await begun(all.token, EVENTS, accountId), await begun(restricted.token, EVENTS, accountId)]
    await world.perform(updateApp, { appId, port: 8002 })
    const [wide, narrow] = await nextOf(subscriptions)
    expect(wide.account.appEnvs.nodes).toHaveLength(2)
    expect(narrow.account.appEnvs.nodes).toEqual([{ id: appEnvId }])
  })
})

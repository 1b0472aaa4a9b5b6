import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { definitionOf, unwrapped } from '../../src/api/graphql/derive/zod-definition.ts'
import type { ListQuery } from '../../src/calls/query.ts'
import type { Served } from '../support/serve-world.ts'
import type { World } from '../support/world.ts'
import { addressIn, FILTERS, type Input, type Item, kindOf, LISTS } from './list-filter-cases.ts'
import { readGraphQL, readMcp, readRest } from './read-apis.ts'
import { type FurnishedWorld, furnishedWorld, type Place } from './read-cases.ts'

let furnished: FurnishedWorld
let world: World
let served: Served
let place: Place

beforeAll(async () => {
  furnished = await furnishedWorld()
  ;({ world, served, place } = furnished)
  const ofGit = { gitBranch: 'main', gitCommitId: '8f1c2d3' }
  await world.database.content.update({ where: { id: place.contentId }, data: ofGit })
})

afterAll(() => furnished.close())

const addressOf = (query: ListQuery<Input, Item>): Input => addressIn(query, place)

/** Filters that compare a column of another name than the field that shows it. */
const COLUMNS: Readonly<Record<string, string>> = {
  'listUsers.search': 'email',
  'listAppEnvs.region': 'regionCode',
}

async function all(query: ListQuery<Input, Item>, input: Input, limit = 1000): Promise<Item[]> {
  const { database, config, vault } = world
  const caller = await world.services.authenticate(world.adminToken)
  const context = { database, config, vault, caller, requestId: 'req_test' }
  const found: Item[] = []
  const parsed = query.input.parse({ ...addressOf(query), ...input }) as Input
  for (let cursor: string | undefined; ; ) {
    const { rows, nextCursor } = await query.list(context, parsed, { limit, cursor }, {})
    found.push(...rows)
    if (nextCursor === null) {
      expect(await query.count?.(context, parsed)).toBe(found.length)
      return found
    }
    cursor = nextCursor
  }
}

const idOf = (query: ListQuery<Input, Item>, item: Item) => query.cursorOf?.(item) ?? String(item.id ?? item.userId)
const idsOf = (query: ListQuery<Input, Item>, items: readonly Item[]) => items.map((item) => idOf(query, item))

const filtersOf = (kind: string) =>
  FILTERS.filter((one) => kindOf(one) === kind).map((one) => [`${one.query.name}.${one.name}`, one] as const)

test('every list has an order, and most have filters', () => {
  expect(LISTS.filter(({ input }) => !('orderBy' in input.shape)).map(({ name }) => name)).toEqual([])
  const bare = LISTS.filter((query) => !FILTERS.some((one) => one.query === query)).map(({ name }) => name)
  expect(bare.sort()).toEqual(['listAuthorizations', 'listGitHooks', 'listInvitations', 'listMembers'])
})

describe.each(LISTS.map((query) => [query.name, query] as const))('%s', (_name, query) => {
  const orders = Object.values(definitionOf(unwrapped(query.input.shape.orderBy).schema).entries ?? {})

  test.each(orders)('in the order %s is the same page by page', async (orderBy) => {
    const whole = idsOf(query, await all(query, { orderBy }))
    expect(whole.length).toBeGreaterThan(0)
    expect(idsOf(query, await all(query, { orderBy }, 1))).toEqual(whole)
  })

  test('oldest first is newest first, turned round', async () => {
    const newest = idsOf(query, await all(query, { orderBy: 'NEWEST_FIRST' }))
    expect(idsOf(query, await all(query, { orderBy: 'OLDEST_FIRST' }))).toEqual(newest.reverse())
  })
})

describe('a list of words shows each thing under its own word alone', () => {
  test.each(filtersOf('array'))('%s', async (_place, { query, name, schema }) => {
    const element = definitionOf(schema).element as z.ZodType
    const words = Object.values(definitionOf(element).entries ?? {})
    const whole = idsOf(query, await all(query, {}))
    const each = await Promise.all(words.map((word) => all(query, { [name]: [word] })))
    expect(each.flatMap((items) => idsOf(query, items)).sort()).toEqual([...whole].sort())
    expect(idsOf(query, await all(query, { [name]: words.slice(0, 50) }))).toEqual(whole)
  })
})

describe('true and false part a list', () => {
  test.each(filtersOf('boolean'))('%s', async (_place, { query, name }) => {
    const parts = [await all(query, { [name]: true }), await all(query, { [name]: false })]
    expect(
      parts
        .flat()
        .map((item) => idOf(query, item))
        .sort(),
    ).toEqual(idsOf(query, await all(query, {})).sort())
  })
})

describe('a time parts a list', () => {
  test.each(filtersOf('time'))('%s', async (_place, { query, name }) => {
    const isUntil = name === 'to'
    expect(await all(query, { [name]: isUntil ? '2000-01-01T00:00:00Z' : '2999-01-01T00:00:00Z' })).toEqual([])
    const whole = idsOf(query, await all(query, {}))
    expect(
      idsOf(query, await all(query, { [name]: isUntil ? '2999-01-01T00:00:00Z' : '2000-01-01T00:00:00Z' })),
    ).toEqual(whole)
  })
})

describe('a part of a name is found in upper and lower case, and its signs stand for themselves', () => {
  test.each(filtersOf('part'))('%s', async (_place, { query, name }) => {
    const whole = await all(query, {})
    const text = String(whole[0]?.[name])
    const wanted = whole.filter((item) => String(item[name]).toLowerCase().includes(text.toLowerCase()))
    for (const given of [text.toUpperCase(), text.toLowerCase()])
      expect(idsOf(query, await all(query, { [name]: given }))).toEqual(idsOf(query, wanted))
    for (const sign of ['%', '_', '\\'])
      expect(await all(query, { [name]: sign })).toEqual(whole.filter((item) => String(item[name]).includes(sign)))
  })
})

describe('a text is compared letter by letter', () => {
  test.each(filtersOf('text'))('%s', async (_place, { query, name }) => {
    expect(await all(query, { [name]: 'no such text' })).toEqual([])
    const column = COLUMNS[`${query.name}.${name}`] ?? name
    const whole = await all(query, {})
    const value = whole.map((item) => item[column]).find((one) => typeof one === 'string')
    expect(value, `a ${query.name} with ${column}`).toBeDefined()
    const wanted = whole.filter((item) => item[column] === value)
    expect(idsOf(query, await all(query, { [name]: value }))).toEqual(idsOf(query, wanted))
  })
})

describe('labels part a list', () => {
  test.each(filtersOf('labels'))('%s', async (_place, { query, name }) => {
    const [first = {}, second = {}] = await all(query, {})
    const table = query.name === 'listApps' ? 'appLabel' : 'appEnvLabel'
    const owner = query.name === 'listApps' ? 'appId' : 'appEnvId'
    const label = (item: Item, key: string, value: string) => ({
      [owner]: item.id,
      accountId: place.accountId,
      key,
      value,
    })
    const data = [label(first, 'team', 'a,b=c'), label(first, 'tier', 'web'), label(second, 'team', 'a,b=c')]
    await (world.database[table] as unknown as { createMany(rows: object): Promise<unknown> }).createMany({ data })
    expect(idsOf(query, await all(query, { [name]: ['team=a,b=c'] }))).toEqual(idsOf(query, [first, second]))
    expect(idsOf(query, await all(query, { [name]: ['team=a,b=c', 'tier=web'] }))).toEqual(idsOf(query, [first]))
    expect(await all(query, { [name]: ['team=other'] })).toEqual([])
    const { accountId } = place
    const { body } = await readRest(served, world.adminToken, query.name, { accountId, labels: 'team=a,b=c' })
    expect(body[query.items].length).toBe(2)
    expect((await readRest(served, world.adminToken, query.name, { labels: 'team' })).code).toBe('INVALID_INPUT')
  })
})

test('the three APIs take the same filters', async () => {
  const token = world.adminToken
  const rest = await readRest(served, token, 'listApps', { type: 'APP,JOB', orderBy: 'NAME', name: 'A', count: 'true' })
  expect(rest.code).toBeNull()
  const repeated = await served.app.request('/api/public/v1/apps?type=APP&type=JOB&orderBy=NAME&name=A', {
    headers: { authorization: token },
  })
  expect(((await repeated.json()) as { apps: unknown }).apps).toEqual(rest.body.apps)
  const field = 'apps(type: [APP, JOB], orderBy: NAME, name: "A") { totalCount nodes { id } }'
  const graphql = await readGraphQL(served, token, field)
  expect(graphql.body.nodes.map(({ id }: { id: string }) => id)).toEqual(
    rest.body.apps.map(({ appId }: { appId: string }) => appId),
  )
  expect(rest.body.totalCount).toBe(graphql.body.totalCount)
  const given = { type: ['APP', 'JOB'], orderBy: 'NAME', name: 'A' } as never
  expect((await readMcp(served, token, 'listApps', given)).body.apps).toEqual(rest.body.apps)
  const one = { type: 'JOB', accountId: place.accountId }
  const ofOne = await readRest(served, token, 'listApps', one)
  expect(ofOne.body.apps.length).toBeGreaterThan(0)
  expect((await readMcp(served, token, 'listApps', one)).body.apps).toEqual(ofOne.body.apps)
})

test('a word that is none is refused by its name, with those that are', async () => {
  const { body } = await readRest(served, world.adminToken, 'listAppEnvs', { status: 'RUNNING,BROKEN' })
  expect(body).toMatchObject({ code: 'INVALID_INPUT' })
  expect(JSON.stringify(body)).toContain('RUNNING')
})

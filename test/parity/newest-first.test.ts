import { getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/api/graphql/schema.ts'
import { routes } from '../../src/api/rest/routes.ts'
import type { Served } from '../support/serve-world.ts'
import type { World } from '../support/world.ts'
import { readGraphQL, readRest } from './read-apis.ts'
import { CASES, type FurnishedWorld, furnishedWorld, type Place } from './read-cases.ts'

let furnished: FurnishedWorld
let world: World
let served: Served
let place: Place

beforeAll(async () => {
  furnished = await furnishedWorld()
  ;({ world, served, place } = furnished)
})

afterAll(() => furnished.close())

/** Lists that are in another order, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  listPlans: 'a catalogue, by code',
  listRegions: 'a catalogue, by code',
  listMachines: 'few, by the code of their first region',
  listRegionEngines: 'a catalogue, by the code of the region',
  listDatabasePresets: 'a catalogue, in the order of the documents',
  listSolutions: 'a catalogue, in its own order',
  getVariables: 'by name, as in an env file',
  listHosts: 'the automatic host first, because it is the one to use',
  listPods: 'the containers that run now, by their number',
  getMetricsSeries: 'points of a series, as they are drawn',
  getUsage: 'lines of a bill, by day',
  listCredentialUsages: 'a summary, by kind',
  listLogs: 'newest first; test/api/rest/logs.test.ts reads them',
  listEvents: 'newest first by sequence; test/parity/past-events.test.ts reads them',
  listStatements: 'newest first by month; test/storage/usage/ closes months',
  listWebhookAttempts: 'newest first by number: attempts have no id',
  getAppEnvHistory: 'newest first by version; test/api/rest/app-envs.test.ts reads it',
}

const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/

/** The list that an answer has, if it has one of things. */
function listIn(name: string): string | undefined {
  const route = routes.find((one) => 'read' in one && one.read.name === name)
  const shape = route && 'read' in route ? (route.read.answer.shape as Record<string, { def: { type: string } }>) : {}
  return Object.entries(shape).find(([, type]) => type.def.type === 'array')?.[0]
}

/** Apart from parts of one thing, such as the hosts of an environment. */
const PARTS = ['getVariables', 'getMetricsSeries', 'getUsage', 'getAppEnvHistory']
const LISTS = Object.keys(CASES).filter((name) => name.startsWith('list') || PARTS.includes(name))
const NEWEST_FIRST = LISTS.filter((name) => !(name in OTHERWISE))

/** The ids of the things themselves: each noun has the prefix that only its ids have, and every item has one. */
function idsOf(items: readonly Record<string, unknown>[]): string[] {
  const [first = {}] = items
  const own = Object.keys(first).find((key) => ID.test(String(first[key])))
  return items.map((item) => String(item[own ?? '']))
}

const newestFirst = (ids: readonly string[]) => [...ids].sort().reverse()

test('every exception is a list', () => {
  expect(Object.keys(OTHERWISE).filter((name) => !LISTS.includes(name))).toEqual([])
})

describe.each(NEWEST_FIRST)('%s', (name) => {
  const items = listIn(name) ?? ''

  test('is newest first over REST, page after page', async () => {
    const query = CASES[name]?.query?.(place) ?? {}
    const whole = idsOf((await readRest(served, world.adminToken, name, query)).body[items])
    expect(whole.length).toBeGreaterThan(1)
    expect(whole).toEqual(newestFirst(whole))
    const paged: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined && paged.length <= whole.length; ) {
      const page = { ...query, limit: '1', ...(cursor ? { cursor } : {}) }
      const { body } = await readRest(served, world.adminToken, name, page)
      paged.push(...idsOf(body[items]))
      cursor = body.nextCursor
    }
    expect(paged).toEqual(whole)
  })

  test('is newest first over GraphQL, page after page', async () => {
    const field = CASES[name]?.field(place) ?? ''
    const [call = '', ...selection] = field.split(' {')
    expect(selection).not.toEqual([])
    const id = name === 'listMembers' ? 'userId' : 'id'
    const page = async (args: string) => {
      const withArgs = call.includes('(')
        ? call.replace(/\)$/, `${args && `, ${args}`})`)
        : `${call}${args && `(${args})`}`
      const around = `nodes { ${id} } pageInfo { hasNextPage endCursor }`
      const { body, code } = await readGraphQL(served, world.adminToken, `${withArgs} { ${around} }`)
      expect(code).toBeNull()
      return { ids: body.nodes.map((node: Record<string, string>) => node[id] ?? ''), ...body.pageInfo }
    }
    const whole: string[] = (await page('')).ids
    expect(whole.length).toBeGreaterThan(1)
    expect(whole).toEqual(newestFirst(whole))
    const paged: string[] = []
    for (let after: string | null = ''; after !== null && paged.length <= whole.length; ) {
      const { ids, hasNextPage, endCursor } = await page(`first: 1${after ? `, after: "${after}"` : ''}`)
      paged.push(...ids)
      after = hasNextPage ? endCursor : null
    }
    expect(paged).toEqual(whole)
  })
})

test('the audit log is oldest first when that is asked for, in both APIs', async () => {
  const { accountId } = place
  const rest = await readRest(served, world.adminToken, 'listAudit', { accountId, orderBy: 'OLDEST_FIRST', limit: '2' })
  const field = (after: string) =>
    `auditLog(accountId: "${accountId}", orderBy: OLDEST_FIRST, first: 2${after}) { nodes { sequence } pageInfo { endCursor } }`
  const first = await readGraphQL(served, world.adminToken, field(''))
  expect(rest.body.entries.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2])
  expect(first.body.nodes).toEqual([{ sequence: 1 }, { sequence: 2 }])
  const query = { accountId, orderBy: 'OLDEST_FIRST', cursor: rest.body.nextCursor, limit: '1' }
  expect((await readRest(served, world.adminToken, 'listAudit', query)).body.entries[0].sequence).toBe(3)
  const next = await readGraphQL(served, world.adminToken, field(`, after: "${first.body.pageInfo.endCursor}"`))
  expect(next.body.nodes[0]).toEqual({ sequence: 3 })
})

/** Lists within something else: connections of an object type. */
const NESTED = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) && !['Query', 'Mutation', 'Subscription'].includes(type.name) && !type.name.startsWith('__')
    ? Object.values(type.getFields()).flatMap((field) =>
        // Statements and events are known by month and sequence: newest first by that, as in `OTHERWISE`.
        /(?<!Statement|Event)Connection$/.test(getNamedType(field.type).name) ? [[type.name, field.name] as const] : [],
      )
    : [],
)

/** How the object is reached. */
const WITHIN: Readonly<Record<string, (place: Place) => string>> = {
  Account: ({ accountId }) => `account(id: "${accountId}")`,
  App: ({ appId }) => `app(id: "${appId}")`,
  AppEnv: ({ appEnvId }) => `appEnv(id: "${appEnvId}")`,
}

test.each(NESTED)('%s.%s is newest first', async (type, field) => {
  const within = WITHIN[type]?.(place)
  expect(within, `how to reach ${type}`).toBeDefined()
  const connection = schema.getType(type)
  const node = isObjectType(connection) ? getNamedType(connection.getFields()[field]?.type as never) : null
  const nodeFields = isObjectType(node)
    ? getNamedType((node.getFields().nodes ?? node.getFields().edges)?.type as never)
    : null
  const id = isObjectType(nodeFields) && 'id' in nodeFields.getFields() ? 'id' : 'userId'
  const { body, code } = await readGraphQL(served, world.adminToken, `${within} { ${field} { nodes { ${id} } } }`)
  expect(code).toBeNull()
  const ids = body[field].nodes.map((one: Record<string, string>) => one[id] ?? '')
  expect(ids).toEqual(newestFirst(ids))
})

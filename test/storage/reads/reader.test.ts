import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findByKey, findRow, findRows, type ModelName } from '../../../src/calls/read.ts'
import { registerReadMetrics } from '../../../src/platform/read-metrics.ts'
import { ConnectionLost } from '../../../src/storage/database/away.ts'
import { createDatabase, type Database } from '../../../src/storage/database/client.ts'
import { getDatamodel } from '../../../src/storage/database/generated/pothos-types.ts'
import { ByKey } from '../../../src/storage/database/reads/by-key.ts'
import { ReadConnections } from '../../../src/storage/database/reads/read-connections.ts'
import { readerOf, withoutReader } from '../../../src/storage/database/reads/reader.ts'
import type { Query } from '../../../src/storage/database/reads/selection.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let plain: Database
let appId: string
let appEnvIds: string[]

beforeAll(async () => {
  world = await createWorld()
  plain = createDatabase({ url: world.url, poolSize: 2 })
  withoutReader(plain)
  const first = await world.appEnv({ app: { name: 'A "quoted" \\ name, {1} ü🙂' } })
  appId = first.appId
  const second = await world.appEnv({ appId, name: 'staging' })
  appEnvIds = [first.appEnvId, second.appEnvId].sort()
  for (const image of ['a:1', 'a:2', 'a:3']) await world.deploy(first.appEnvId, image)
  await world.database.account.update({
    where: { id: world.accountId },
    data: { entitlements: ['a"b', '{c,d}', 'e\\f', ''] },
  })
  await world.database.accountUsage.create({ data: { accountId: world.accountId, logBytes: 2n ** 60n + 1n } })
})
afterAll(async () => {
  await plain?.$disconnect()
  await world?.close()
})

const counts = () => readerOf(world.database)?.counts ?? { byReader: 0, byPrisma: 0 }

type Asked = Parameters<typeof findRows>[2]

/** Both answers, and which of the two gave the first. */
async function both(model: ModelName, query: Asked) {
  const before = { ...counts() }
  const actual = await findRows(world.database, model, query)
  const byReader = counts().byReader > before.byReader
  return { actual, byReader, expected: await findRows(plain, model, query) }
}

test('every relation refers to the primary key of its target, as the reader takes for granted', () => {
  const schema = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8')
  const { models } = getDatamodel().datamodel
  const relations = [...schema.matchAll(/^\s+\w+\s+(\w+)\??\s+@relation\(.*references: \[([^\]]*)\]/gm)]
  expect(relations.length).toBeGreaterThan(20)
  for (const [line, target = '', references = ''] of relations) {
    const { primaryKey, fields = [] } = models[target] ?? {}
    const key = primaryKey?.fields ?? fields.filter(({ isId }) => isId).map(({ name }) => name)
    expect(references.split(', '), line).toEqual(key)
  }
})

describe('every column of every model', () => {
  for (const [model, { primaryKey, fields }] of Object.entries(getDatamodel().datamodel.models)) {
    const key = primaryKey?.fields ?? fields.filter(({ isId }) => isId).map(({ name }) => name)
    test(model, async () => {
      const orderBy = key.map((name) => ({ [name]: 'asc' }))
      const { actual, expected, byReader } = await both(model as ModelName, { where: {}, orderBy })
      expect(actual).toEqual(expected)
      expect(byReader).toBe(true)
    })
  }
})

describe('queries', () => {
  const of = (model: ModelName, query: () => object, isKnown = true) => ({ model, query, isKnown })
  const select = { id: true, createdAt: true } as const
  const cases: Record<string, ReturnType<typeof of>> = {
    'the last of a list': of('AppEnv', () => ({ where: { appId }, orderBy: { id: 'asc' }, take: -1 })),
    'before a cursor': of('AppEnv', () => ({
      where: { appId },
      orderBy: { id: 'asc' },
      take: -1,
      skip: 1,
      cursor: { id: appEnvIds[1] },
    })),
    'from a cursor that the filter leaves out': of('AppEnv', () => ({
      where: { id: { not: appEnvIds[0] } },
      orderBy: { id: 'asc' },
      take: 5,
      cursor: { id: appEnvIds[0] },
    })),
    'a cursor of another list, nested': of('App', () => ({
      where: {},
      orderBy: { id: 'asc' },
      select: { id: true, appEnvs: { select, orderBy: { id: 'asc' }, take: 3, cursor: { id: appEnvIds[1] } } },
    })),
    'versions after a cursor': of('AppEnv', () => ({
      where: { appId },
      orderBy: { id: 'asc' },
      select: { contents: { orderBy: { version: 'desc' }, take: 2, skip: 1, cursor: { id: 'con_unknown' } } },
    })),
    'conditions on relations': of('Content', () => ({
      where: { appEnv: { deletedAt: null, app: { id: appId } }, OR: [{ version: { gt: 1 } }, { image: 'a:1' }] },
      orderBy: { id: 'asc' },
    })),
    'conditions on lists of relations': of('App', () => ({
      where: {
        appEnvs: { some: { status: 'RUNNING' }, none: { slug: 'nothing' }, every: { health: { not: 'DEGRADED' } } },
      },
      orderBy: { id: 'asc' },
    })),
    'times and nothing': of('Operation', () => ({
      where: {
        createdAt: { gte: new Date(0), lt: new Date() },
        backupId: null,
        status: { in: ['SUCCEEDED', 'FAILED'] },
      },
      orderBy: { id: 'desc' },
      include: { appEnv: { select: { app: true } } },
    })),
    'an empty list of ids': of('App', () => ({ where: { id: { in: [] } } })),
    'not one of': of('AppEnv', () => ({
      where: { id: { notIn: [appEnvIds[0]] }, NOT: { slug: 'x' } },
      orderBy: { id: 'asc' },
    })),
    'text that a query could end with': of('App', () => ({ where: { name: `'; DROP TABLE app; --"` } })),
    'part of a text, which only Prisma knows': of('App', () => ({ where: { name: { contains: 'quoted' } } }), false),
    'distinct rows, which only Prisma knows': of(
      'App',
      () => ({ where: {}, orderBy: { id: 'asc' }, distinct: ['type'], select: { id: true } }),
      false,
    ),
  }
  test.each(Object.entries(cases))('%s', async (_what, { model, query, isKnown }) => {
    const { actual, expected, byReader } = await both(model, query() as Asked)
    expect(actual).toEqual(expected)
    expect(byReader).toBe(isKnown)
  })
})

test('single rows are found like by Prisma, by one key or two', async () => {
  const { accountId } = world
  const [{ userId } = { userId: '' }] = await plain.membership.findMany({ where: { accountId } })
  expect(await findByKey(world.database, 'Membership', { where: { accountId, userId } })).toEqual(
    await plain.membership.findUnique({ where: { accountId_userId: { accountId, userId } } }),
  )
  expect(await findRow(world.database, 'App', { where: { id: appId } })).toEqual(
    await plain.app.findFirst({ where: { id: appId } }),
  )
  const missing = await Promise.all(['x', appId].map((id) => findByKey(world.database, 'App', { where: { id } })))
  expect(missing.map((row) => row?.id)).toEqual([undefined, appId])
})

test('a list within a row finds nothing from a cursor of another list, whoever else asks', async () => {
  const others = await world.appEnv()
  const cursor = { id: [...appEnvIds, others.appEnvId].sort().at(-1) }
  // By id, all of one app come before the cursor, or all of the other one.
  const [own, other] = cursor.id === others.appEnvId ? [appId, others.appId] : [others.appId, appId]
  const appEnvs = { select: { id: true }, orderBy: { id: 'asc' }, take: -5, cursor }
  const ask = async (client: Database, ...ids: string[]) => {
    const found = await Promise.all(
      ids.map((id) => findByKey(client, 'App', { where: { id }, select: { id: true, appEnvs } }) as Promise<unknown>),
    )
    return found[0]
  }
  for (const client of [world.database, plain]) {
    expect(await ask(client, own)).toEqual({ id: own, appEnvs: [] })
    expect(await ask(client, own, other)).toEqual({ id: own, appEnvs: [] })
  }
})

test('an id with a NUL is refused like before', async () => {
  await expect(findRows(world.database, 'App', { where: { id: 'app_\u0000' } })).rejects.toMatchObject({
    code: '22021',
  })
})

test('an id with a NUL fails nobody who asks for another one at the same time', async () => {
  const ask = (id: string) => findByKey(world.database, 'App', { where: { id }, select: { id: true } })
  const [good, bad] = await Promise.allSettled([ask(appId), ask('app_\u0000')])
  expect(good).toEqual({ status: 'fulfilled', value: { id: appId } })
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: '22021' } })
})

test('rows are read together only for those who want the same of them, whatever their values read like', async () => {
  const asked: Query[] = []
  const find = async (query: Query) => {
    asked.push(query)
    return [{ id: 'app' }]
  }
  const page = (...ids: string[]): Query => ({ select: { appEnvs: { where: { id: { in: ids } } } } })
  const byKey = new ByKey()
  const wanted = [page('a b', 'c'), page('a', 'b c'), page('a,b'), page('a', 'b')]
  await Promise.all(wanted.map((query) => byKey.find('App', 'id', 'app', query, find)))
  expect(asked).toEqual(wanted.map((query) => ({ ...query, where: { id: 'app' } })))
})

test('a batch is not taken apart while the database is away', async () => {
  let asked = 0
  const find = async () => {
    asked += 1
    throw new ConnectionLost('gone')
  }
  const byKey = new ByKey()
  const both = await Promise.allSettled(
    ['a', 'b'].map((id) => byKey.find('App', 'id', id, { select: { id: true } }, find)),
  )
  expect([both.map(({ status }) => status), asked]).toEqual([['rejected', 'rejected'], 1])
})

test('values are never mixed up between queries of one shape', async () => {
  const ask = (id: string, take: number) =>
    findRows(world.database, 'AppEnv', { where: { AND: [{ id }, {}] }, orderBy: { id: 'asc' }, take })
  const answers = await Promise.all(appEnvIds.flatMap((id) => [ask(id, 1), ask(id, 2)]))
  expect(answers.map(([row]) => row?.id)).toEqual(appEnvIds.flatMap((id) => [id, id]))
})

test('any number of shapes leaves at most 200 prepared statements on a connection', async () => {
  const database = createDatabase({ url: world.url, poolSize: 1 })
  const shapeOf = (index: number) => {
    const parts = Array.from({ length: 12 }, (_, bit) =>
      index & (1 << bit) ? { slug: { not: 'x' } } : { name: { not: 'x' } },
    )
    return { where: { AND: [{ id: appId }, ...parts] }, select: { id: true } }
  }
  try {
    for (let index = 0; index < 600; index += 20) {
      const asked = Array.from({ length: 20 }, (_, offset) => findRows(database, 'App', shapeOf(index + offset)))
      const rows = await Promise.all(asked)
      expect(rows.flat()).toHaveLength(20)
    }
    const [counted] = await findRows(database, 'App', shapeOf(0))
    expect(counted?.id).toBe(appId)
    expect(await statementsOf(database)).toBeLessThanOrEqual(200)
  } finally {
    await database.$disconnect()
  }
})

test('metrics tell what the reader left to Prisma', async () => {
  const registry = new Registry()
  registerReadMetrics(registry, world.database)
  await findRows(world.database, 'App', { where: { name: { contains: 'x' } } })
  const { byReader, byPrisma } = counts()
  const shown = await registry.metrics()
  expect(shown).toContain(`berth_reads_total{by="reader"} ${byReader}`)
  expect(shown).toContain(`berth_reads_total{by="prisma"} ${byPrisma}`)
})

test('an idle connection is ended, and another is opened when something is read', async () => {
  const connections = new ReadConnections({ connectionString: world.url, idleTimeoutMillis: 50 }, 1)
  const ask = () => connections.ask({ name: '', text: 'SELECT pg_backend_pid()', values: [] })
  try {
    const first = Number(await ask())
    const isThere = () => plain.$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity WHERE pid = ${first}`
    await expect.poll(async () => (await isThere()).length).toBe(0)
    expect(Number(await ask())).not.toBe(first)
  } finally {
    await connections.close()
  }
})

/** Counted on the reader's own connection: the server tells each session of its own statements only. */
async function statementsOf(database: Database): Promise<number> {
  return Number(await readerOf(database)?.ask('SELECT count(*) FROM pg_prepared_statements'))
}

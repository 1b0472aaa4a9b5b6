import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type Database } from '../../../src/storage/database/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let own: TestDatabase
let database: Database
const statements: string[] = []

beforeAll(async () => {
  own = await createTestDatabase()
  // A server in another time zone, as an administrator of PostgreSQL may have configured it.
  await own.database.$executeRawUnsafe(
    `ALTER DATABASE ${new URL(own.url).pathname.slice(1)} SET TimeZone TO 'Asia/Tokyo'`,
  )
  database = createDatabase({ url: own.url, poolSize: 2, onQuery: (sql) => statements.push(sql) })
})

afterAll(async () => {
  await database.$disconnect()
  await own.drop()
})

describe('the database client', () => {
  test('reads a time back as it was written, whatever the time zone of the server', async () => {
    const createdAt = new Date('2026-03-29T01:30:00.123Z')
    await database.region.create({
      data: { code: 'tz', name: 'Time', functionsSupported: true, domain: 'tz.localhost', createdAt },
    })
    expect((await database.region.findUniqueOrThrow({ where: { code: 'tz' } })).createdAt).toEqual(createdAt)
    const rows = await database.$queryRaw<
      { epoch: number }[]
    >`SELECT extract(epoch FROM created_at)::float8 AS epoch FROM region`
    expect(rows).toEqual([{ epoch: createdAt.getTime() / 1000 }])
  })

  test('reports each statement to its observer', async () => {
    statements.length = 0
    await database.app.findMany()
    expect(statements).toHaveLength(1)
    expect(statements[0]).toContain('FROM "public"."app"')
  })

  test('waits five seconds for a lock, and no longer', async () => {
    const other = new pg.Client({ connectionString: own.url })
    await other.connect()
    await other.query('BEGIN')
    await other.query('LOCK TABLE plan IN ACCESS EXCLUSIVE MODE')
    await expect(database.plan.count()).rejects.toThrow(/lock timeout/)
    expect(await database.$queryRaw`SHOW lock_timeout`).toEqual([{ lock_timeout: '5s' }])
    await other.end()
  })

  test('reports a missing server within its connection deadline', async () => {
    const nowhere = createDatabase({ url: 'postgresql://berth@127.0.0.1:1/none', poolSize: 1 })
    await expect(nowhere.app.count()).rejects.toThrow()
    await nowhere.$disconnect()
  })
})

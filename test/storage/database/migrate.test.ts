import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { VERSION } from '../../../src/config/version.ts'
import { migrate } from '../../../src/storage/database/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const created: TestDatabase[] = []

async function emptyDatabase(): Promise<string> {
  const fresh = await createTestDatabase({ empty: true })
  created.push(fresh)
  return fresh.url
}

afterEach(async () => {
  await Promise.all(created.splice(0).map((database) => database.drop()))
})

describe('migrating', () => {
  test('applies every migration once and finds nothing to do the second time', async () => {
    const url = await emptyDatabase()
    const applied = await migrate(url)
    expect(applied.length).toBeGreaterThan(0)
    expect(await migrate(url)).toEqual([])
  })

  test('by two processes at once applies every migration in exactly one of them', async () => {
    const url = await emptyDatabase()
    const [first = [], second = []] = await Promise.all([migrate(url), migrate(url)])
    expect([first.length, second.length].sort()).toEqual([0, first.length + second.length])
    expect(await migrate(url)).toEqual([])
  })

  test('refuses a database in which a migration failed half-way', async () => {
    const url = await emptyDatabase()
    const [migration = ''] = await migrate(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [migration])
    await expect(migrate(url)).rejects.toThrow(migration)
    await client.end()
  })

  test('a database from before the first release is refused, with what to do', async () => {
    const url = await emptyDatabase()
    const [migration = ''] = await migrate(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const older = '20261121030951_spine'
    await client.query('UPDATE _prisma_migrations SET migration_name = $2 WHERE migration_name = $1', [
      migration,
      older,
    ])
    await expect(migrate(url)).rejects.toThrow(
      `has the migration ${older}, of a Berth from before the first release, which cannot be migrated. npm run reset`,
    )
    await client.end()
  })

  test('a database that a newer program has migrated is refused, with the version that it needs', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const newer = '29991231000000_from_the_future'
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', $1, now())`,
      [newer],
    )
    await expect(migrate(url)).rejects.toThrow(`has the migration ${newer}, which this version of Berth (${VERSION})`)
    await client.query(
      `INSERT INTO installation (id, master_key_id, key_check, berth_version) VALUES ('ins', 'k', 'c', '9.9.9')`,
    )
    await expect(migrate(url)).rejects.toThrow('Berth 9.9.9 opened it last: start that version or a newer one')
    await client.end()
  })

  test('gives up when another process holds the lock for too long', async () => {
    const url = await emptyDatabase()
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    await other.query('SELECT pg_advisory_lock(7236784001)')
    await expect(migrate(url, { lockTimeoutSeconds: 1 })).rejects.toMatchObject({ code: '55P03' })
    await other.end()
    expect((await migrate(url)).length).toBeGreaterThan(0)
  })

  test('keeps the rule that one environment has one open operation', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '% WHERE %' ORDER BY 1")
    await client.end()
    expect(rows.map((row) => row.indexname)).toContain('operation_one_open_per_app_env')
  })
})

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOwnDatabase } from '../../src/platform/own-database.ts'
import {
  copyDatabase,
  endMigration,
  findCopy,
  finishRestore,
  restoreCopy,
} from '../../src/storage/database/database-copy.ts'
import { migrate } from '../../src/storage/database/migrate.ts'

const log = pino({ level: 'silent' })
const folder = mkdtempSync(join(tmpdir(), 'berth-own-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const copies = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('postgres.before-'))

describe('the embedded database', () => {
  const dataDir = join(folder, 'real')
  /** The last migration of this program, and the one before it. */
  let [last, before] = ['', '']

  async function withDatabase<T>(work: (client: pg.Client, url: string) => Promise<T>): Promise<T> {
    const postgres = await startOwnDatabase(dataDir, log)
    const client = new pg.Client({ connectionString: postgres.url })
    try {
      await client.connect()
      return await work(client, postgres.url)
    } finally {
      await client.end()
      await postgres.stop()
    }
  }

  beforeAll(async () => {
    await withDatabase(async (client, url) => {
      await migrate(url)
      const { rows } = await client.query(
        'SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name DESC LIMIT 2',
      )
      ;[last, before] = rows.map(({ name }) => name)
      await client.query("CREATE TABLE written (text text); INSERT INTO written VALUES ('before')")
    })
  })

  const texts = (client: pg.Client) =>
    client.query('SELECT text FROM written ORDER BY text').then(({ rows }) => rows.map(({ text }) => text))

  test('is not copied where there is nothing to migrate', async () => {
    await withDatabase(async () => {})
    expect(copies(dataDir)).toEqual([])
  })

  test('is copied, stopped, before it is migrated, and put back', async () => {
    // As a version without the last migration would have left it; that it fails again is what an upgrade must survive.
    await withDatabase((client) => client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [last]))
    const since = new Date()
    await withDatabase((client) => client.query("INSERT INTO written VALUES ('later')"))
    expect(copies(dataDir)).toEqual([`postgres.before-${before}`])
    restoreCopy(dataDir, findCopy(dataDir, new Date(since.getTime() - 1_000)) ?? '')
    expect(copies(dataDir)).toEqual([])
    expect(await withDatabase(texts)).toEqual(['before'])
  })

  test('is copied anew where it was used between two attempts of one migration', async () => {
    await withDatabase((client) => client.query("INSERT INTO written VALUES ('between')"))
    await withDatabase(async () => {})
    restoreCopy(dataDir, findCopy(dataDir, new Date(0)) ?? '')
    expect(await withDatabase(texts)).toEqual(['before', 'between'])
  })
})

describe('a copy', () => {
  function begin(name: string): string {
    const dataDir = join(folder, name)
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres/content'), 'old')
    return dataDir
  }

  test('from before a migration is kept when that goes on after a kill in its middle', async () => {
    const dataDir = begin('middle')
    expect(await copyDatabase(dataDir, 'm1')).toBe(true)
    expect(await copyDatabase(dataDir, 'm2')).toBe(true)
    expect(copies(dataDir)).toEqual(['postgres.before-m1'])
    endMigration(dataDir)
    expect(await copyDatabase(dataDir, 'm3')).toBe(true)
    expect(copies(dataDir)).toEqual(['postgres.before-m3'])
  })

  test('that was cut off is made anew', async () => {
    const dataDir = begin('cut')
    mkdirSync(join(dataDir, 'postgres.before-m1.part'))
    expect(await copyDatabase(dataDir, 'm1')).toBe(true)
    expect(readdirSync(join(dataDir, 'postgres.before-m1'))).toEqual(['content'])
    expect(findCopy(dataDir, new Date(Date.now() + 60_000))).toBeNull()
  })

  test.each(['before anything', 'after the database was moved away', 'after the copy was moved into place'])(
    'that is being put back is put back by the next start, when killed %s',
    async (when) => {
      const dataDir = begin(when.replaceAll(' ', '-'))
      await copyDatabase(dataDir, 'm1')
      const [present, copy] = [join(dataDir, 'postgres'), join(dataDir, 'postgres.before-m1')]
      writeFileSync(join(copy, 'from-copy'), '')
      writeFileSync(join(dataDir, 'postgres.restoring'), copy)
      if (when !== 'before anything') renameSync(present, join(dataDir, 'postgres.replaced'))
      if (when.startsWith('after the copy')) renameSync(copy, present)
      finishRestore(dataDir)
      expect(existsSync(join(present, 'from-copy'))).toBe(true)
      expect(readdirSync(dataDir).toSorted()).toEqual(['postgres', 'postgres.replaced'])
      finishRestore(dataDir)
      expect(existsSync(join(present, 'from-copy'))).toBe(true)
    },
  )
})

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createDatabase, type Database } from '../../src/storage/database/client.ts'

export const TEMPLATE_DATABASE = 'berth_template'

export interface TestDatabase {
  url: string
  database: Database
  drop(): Promise<void>
}

export interface TestDatabaseOptions {
  poolSize?: number
  onQuery?: (sql: string) => void
  /** Starts without any table. */
  empty?: boolean
}

/** A migrated database for one test file; call `drop` in afterAll. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { poolSize = 5, onQuery, empty = false } = options
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // A file copy takes half the time of the default, which writes every page to the log first.
  const template = empty ? 'template0' : TEMPLATE_DATABASE
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  const database = createDatabase({ url: url.href, poolSize, onQuery })
  const drop = async () => {
    await database.$disconnect()
    await administer(`DROP DATABASE ${name} WITH (FORCE)`)
  }
  return { url: url.href, database, drop }
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

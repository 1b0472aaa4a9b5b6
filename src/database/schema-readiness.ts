import pg from 'pg'
import type { Database } from './client.ts'
import { knownMigrations, newerSchema, UNKNOWN_MIGRATION } from './newer-schema.ts'

const CONNECT_TIMEOUT_MS = 1_500
const KEPT_MS = 5_000

interface SchemaState {
  ready: boolean
  reason: string | null
}

const stateOf = (unknown: { name: string } | undefined): SchemaState =>
  unknown
    ? { ready: false, reason: `${newerSchema(unknown.name)} Restart this process with the newer version.` }
    : { ready: true, reason: null }

/**
 * Whether the database answers, and has no migration of a newer Berth: one may be applied while this process runs, and
 * then requests belong to the newer processes. Throws when the database does not answer.
 */
export async function databaseReadiness(database: Database): Promise<SchemaState> {
  const [unknown] = await database.$queryRawUnsafe<{ name: string }[]>(UNKNOWN_MIGRATION, await knownMigrations())
  return stateOf(unknown)
}

/**
 * The same for an ingress alone, which has no pool and asks at most every few seconds. A database that does not answer
 * is no fault of its: it routes from its last table.
 */
export function createSchemaReadiness(databaseUrl: string): () => Promise<SchemaState> {
  void knownMigrations()
  let kept: SchemaState | null = null
  let askedAt = 0
  return async () => {
    if (kept && performance.now() - askedAt < KEPT_MS) return kept
    kept = await ask(databaseUrl)
    askedAt = performance.now()
    return kept
  }
}

async function ask(databaseUrl: string): Promise<SchemaState> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'berth-ingress-schema',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(UNKNOWN_MIGRATION, [await knownMigrations()])
    return stateOf(rows[0])
  } catch {
    return { ready: true, reason: 'PostgreSQL does not answer, so the schema could not be compared.' }
  } finally {
    void client.end().catch(() => {})
  }
}

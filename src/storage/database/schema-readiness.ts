import pg from 'pg'
import type { PartState } from '../../domain/part-states.ts'
import { failedPart } from './away.ts'
import { knownMigrations, newerSchema, UNKNOWN_MIGRATION } from './newer-schema.ts'
import { findMissingRights, INGRESS_RIGHTS, type MissingRights } from './rights.ts'

const CONNECT_TIMEOUT_MS = 1_500
const KEPT_MS = 5_000

export const schemaState = (unknownMigration: string | null | undefined): PartState =>
  unknownMigration
    ? {
        ready: false,
        state: 'SCHEMA_NEWER',
        reason: `${newerSchema(unknownMigration)} Restart this process with the newer version.`,
      }
    : { ready: true, reason: null }

/** What an ingress alone finds when it asks the database about itself. */
interface IngressFacts {
  schema: PartState
  missing: MissingRights | null
}

/**
 * An ingress alone has no pool, and asks at most every few seconds. A database that does not answer is no fault of its: it
 * routes from its last table.
 */
export function createIngressFacts(databaseUrl: string): () => Promise<IngressFacts> {
  void knownMigrations()
  let kept: { asked: Promise<IngressFacts>; at: number } | null = null
  return () => {
    if (kept && performance.now() - kept.at < KEPT_MS) return kept.asked
    kept = { asked: askIngressDatabase(databaseUrl), at: performance.now() }
    return kept.asked
  }
}

/** Whether the schema is that of a newer Berth; never rejects. */
export const schemaReadiness = async (facts: () => Promise<IngressFacts>): Promise<PartState> => {
  try {
    return (await facts()).schema
  } catch (error) {
    const { reason, state = 'DATABASE_UNREACHABLE' } = failedPart(error)
    return { ready: true, state, reason: `${reason}, so the schema could not be compared.` }
  }
}

/** Throws when the database does not answer. */
export async function askIngressDatabase(databaseUrl: string): Promise<IngressFacts> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'berth-ingress-schema',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const missing = await findMissingRights(
      async (sql, values) => (await client.query(sql, [...values])).rows,
      INGRESS_RIGHTS,
    )
    const unknown = await unknownMigration(client).catch((error: unknown) => {
      // Without the right to read the table, only the missing one can be reported.
      if (missing) return null
      throw error
    })
    return { schema: schemaState(unknown), missing }
  } finally {
    void client.end().catch(() => {})
  }
}

async function unknownMigration(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(UNKNOWN_MIGRATION, [await knownMigrations()])
  return rows[0]?.name ?? null
}
